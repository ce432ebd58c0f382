/* Kernels on bytes and bits. */
#define GID ((size_t)get_global_id(0))

/* Computes the sum of the gradients in both directions. The border becomes black. */
__kernel void sobel(__global const uchar *in, __global uchar *out, uint n)
{
    size_t x = get_global_id(0), y = get_global_id(1), i = y * n + x;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
        out[i] = 0;
        return;
    }
    int dx = in[i - n + 1] + 2 * in[i + 1] + in[i + n + 1] - in[i - n - 1] - 2 * in[i - 1] -
             in[i + n - 1];
    int dy = in[i + n - 1] + 2 * in[i + n] + in[i + n + 1] - in[i - n - 1] - 2 * in[i - n] -
             in[i - n + 1];
    out[i] = (uchar)min(abs(dx) + abs(dy), 255u);
}

struct pixel {
    uchar red, green, blue;
};

__kernel void rgb_to_gray(__global const struct pixel *in, __global uchar *out)
{
    struct pixel p = in[GID];
    out[GID] = (uchar)((77 * p.red + 150 * p.green + 29 * p.blue) >> 8);
}

#define COLUMN(a, b, c, d, key)                                                                    \
    (table[(a) >> 24] ^ rotate(table[((b) >> 16) & 255], 24u) ^                                    \
     rotate(table[((c) >> 8) & 255], 16u) ^ rotate(table[(d) & 255], 8u) ^ (key))
#define BOX(x) ((table[x] >> 8) & 255)
#define LAST(a, b, c, d, key)                                                                      \
    ((BOX((a) >> 24) << 24 | BOX(((b) >> 16) & 255) << 16 | BOX(((c) >> 8) & 255) << 8 |           \
      BOX((d) & 255)) ^                                                                            \
     (key))

/* Encrypts by AES-128 in counter mode, a block of 16 bytes per item. The table holds the S-box
 * times 2, 1, 1 and 3. `keys` holds the eleven round keys. */
__kernel void aes_ctr(__global const uint4 *in, __global uint4 *out, __global const uint *box,
                      __global const uint *keys, uint nonce)
{
    __local uint table[256];
    table[get_local_id(0)] = box[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint a = nonce ^ keys[0], b = keys[1], c = keys[2], d = (uint)GID ^ keys[3];
    for (uint round = 1; round < 10; round++) {
        uint e = COLUMN(a, b, c, d, keys[4 * round]), f = COLUMN(b, c, d, a, keys[4 * round + 1]),
             g = COLUMN(c, d, a, b, keys[4 * round + 2]),
             h = COLUMN(d, a, b, c, keys[4 * round + 3]);
        a = e;
        b = f;
        c = g;
        d = h;
    }
    out[GID] = in[GID] ^ (uint4)(LAST(a, b, c, d, keys[40]), LAST(b, c, d, a, keys[41]),
                                 LAST(c, d, a, b, keys[42]), LAST(d, a, b, c, keys[43]));
}

__constant uint sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define RIGHT(x, n) rotate((x), 32u - (n))

/* Processes a block of 64 bytes per item. */
__kernel void sha256(__global const uint *in, __global uint *out)
{
    const uint start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint w[16], s[8];
    for (uint i = 0; i < 16; i++) {
        w[i] = in[GID * 16 + i];
    }
    for (uint i = 0; i < 8; i++) {
        s[i] = start[i];
    }
    for (uint i = 0; i < 64; i++) {
        if (i >= 16) {
            uint near = w[(i + 1) & 15], far = w[(i + 14) & 15];
            w[i & 15] += w[(i + 9) & 15] + (RIGHT(near, 7) ^ RIGHT(near, 18) ^ (near >> 3)) +
                         (RIGHT(far, 17) ^ RIGHT(far, 19) ^ (far >> 10));
        }
        uint t1 = s[7] + (RIGHT(s[4], 6) ^ RIGHT(s[4], 11) ^ RIGHT(s[4], 25)) +
                  ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha_constants[i] + w[i & 15];
        uint t2 = (RIGHT(s[0], 2) ^ RIGHT(s[0], 13) ^ RIGHT(s[0], 22)) +
                  ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (uint k = 7; k > 0; k--) {
            s[k] = s[k - 1];
        }
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (uint i = 0; i < 8; i++) {
        out[GID * 8 + i] = start[i] + s[i];
    }
}
