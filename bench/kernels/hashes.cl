/* Hashes and ciphers. */

/* MurmurHash3 of keys of 64 bytes. */
__kernel void murmur3(__global const uint *keys, __global uint *out, uint seed)
{
    size_t gid = get_global_id(0);
    __global const uint *key = keys + gid * 16;
    uint h = seed;
    for (int i = 0; i < 16; i++) {
        uint k = key[i] * 0xcc9e2d51u;
        k = rotate(k, 15u) * 0x1b873593u;
        h = rotate(h ^ k, 13u) * 5 + 0xe6546b64u;
    }
    h ^= 64;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    out[gid] = h;
}

/* CRC-32 of pieces of 256 bytes, with a table that each work-group computes. */
__kernel void crc32(__global const uchar *data, __global uint *out)
{
    __local uint table[256];
    uint lid = get_local_id(0), value = lid;
    for (int bit = 0; bit < 8; bit++) {
        value = value & 1 ? (value >> 1) ^ 0xedb88320u : value >> 1;
    }
    table[lid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    __global const uchar *piece = data + get_global_id(0) * 256;
    uint crc = 0xffffffffu;
    for (int i = 0; i < 256; i++) {
        crc = (crc >> 8) ^ table[(crc ^ piece[i]) & 255];
    }
    out[get_global_id(0)] = ~crc;
}

/* SipHash-2-4 of keys of 32 bytes. */
__kernel void siphash(__global const ulong *keys, __global ulong *out, uint secret)
{
    size_t gid = get_global_id(0);
    ulong k0 = secret * 0x9e3779b97f4a7c15ul, k1 = ~k0;
    ulong v0 = k0 ^ 0x736f6d6570736575ul, v1 = k1 ^ 0x646f72616e646f6dul,
          v2 = k0 ^ 0x6c7967656e657261ul, v3 = k1 ^ 0x7465646279746573ul;
#define SIP_ROUND                                                                                  \
    v0 += v1;                                                                                      \
    v1 = rotate(v1, 13ul) ^ v0;                                                                    \
    v0 = rotate(v0, 32ul);                                                                         \
    v2 += v3;                                                                                      \
    v3 = rotate(v3, 16ul) ^ v2;                                                                    \
    v0 += v3;                                                                                      \
    v3 = rotate(v3, 21ul) ^ v0;                                                                    \
    v2 += v1;                                                                                      \
    v1 = rotate(v1, 17ul) ^ v2;                                                                    \
    v2 = rotate(v2, 32ul);
    for (int i = 0; i < 5; i++) {
        ulong m = i < 4 ? keys[gid * 4 + i] : 32ul << 56;
        v3 ^= m;
        SIP_ROUND SIP_ROUND v0 ^= m;
    }
    v2 ^= 0xff;
    SIP_ROUND SIP_ROUND SIP_ROUND SIP_ROUND out[gid] = v0 ^ v1 ^ v2 ^ v3;
}

#define QUARTER(a, b, c, d)                                                                        \
    x[a] += x[b];                                                                                  \
    x[d] = rotate(x[d] ^ x[a], 16u);                                                               \
    x[c] += x[d];                                                                                  \
    x[b] = rotate(x[b] ^ x[c], 12u);                                                               \
    x[a] += x[b];                                                                                  \
    x[d] = rotate(x[d] ^ x[a], 8u);                                                                \
    x[c] += x[d];                                                                                  \
    x[b] = rotate(x[b] ^ x[c], 7u)

/* Encrypts by ChaCha20, a block of 64 bytes per item. */
__kernel void chacha20(__global const uint *in, __global uint *out, __global const uint *key,
                       uint counter)
{
    uint start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    uint x[16];
    size_t gid = get_global_id(0);
    for (int i = 0; i < 11; i++) {
        start[4 + i] = key[i];
    }
    start[15] = start[12];
    start[12] = counter + gid;
    for (int i = 0; i < 16; i++) {
        x[i] = start[i];
    }
    for (int round = 0; round < 10; round++) {
        QUARTER(0, 4, 8, 12);
        QUARTER(1, 5, 9, 13);
        QUARTER(2, 6, 10, 14);
        QUARTER(3, 7, 11, 15);
        QUARTER(0, 5, 10, 15);
        QUARTER(1, 6, 11, 12);
        QUARTER(2, 7, 8, 13);
        QUARTER(3, 4, 9, 14);
    }
    for (int i = 0; i < 16; i++) {
        out[gid * 16 + i] = in[gid * 16 + i] ^ (x[i] + start[i]);
    }
}

__constant uint sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* Searches for a number whose SHA-256 starts with small words, as miners do. The message schedule
 * is a ring of 16 words. */
__kernel void sha256_search(__global const uint *header, __global uint *out)
{
    uint w[16];
    for (int i = 0; i < 15; i++) {
        w[i] = header[i];
    }
    w[15] = get_global_id(0);
    uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f,
         f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            uint s0 = w[(i + 1) & 15], s1 = w[(i + 14) & 15];
            s0 = rotate(s0, 25u) ^ rotate(s0, 14u) ^ (s0 >> 3);
            s1 = rotate(s1, 15u) ^ rotate(s1, 13u) ^ (s1 >> 10);
            w[i & 15] += s0 + s1 + w[(i + 9) & 15];
        }
        uint t1 = h + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) + bitselect(g, f, e) +
                  sha_k[i] + w[i & 15];
        uint t2 = (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) + bitselect(a, b, a ^ c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    out[get_global_id(0)] = (a + 0x6a09e667) ^ (h + 0x5be0cd19);
}
