/* Arithmetic of bytes and shorts in int, whose results fit in fewer bits
 * (transform/simplify/narrow.c), or just do not. */
#include "corpus.clh"

/* Sums and differences of bytes, some of which need a ninth bit, or a sign. */
__kernel void narrow_bytes(__global const uchar *a, __global const char *b, __global int4 *out)
{
    int x = a[GID], y = b[GID], z = a[GID ^ 1], halves = (x >> 1) + (z >> 1);
    int small = (x >> 7) + (z >> 7) + (x & 15) - (z & 7);
    out[GID] = (int4)(x + z + halves, (y >> 2) + (y & 31) - 8, small * 3 - 1, x - y);
}

/* Gradients of an image, which need 11 bits and a sign. */
__kernel void narrow_gradient(__global const uchar *a, __global const uchar *b,
                              __global ushort *out)
{
    size_t last = get_global_size(0) - 1, l = GID ? GID - 1 : 0, r = GID < last ? GID + 1 : last;
    int gx = a[r] - a[l] + 2 * (b[r] - b[l]) + (a[GID] ^ b[GID]);
    int gy = (a[l] + 2 * a[GID] + a[r]) - (b[l] + (b[GID] << 1) + b[r]);
    int sum = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
    out[GID] = sum > 255 ? 255 : sum;
}

/* Weights whose sum is 256: the result needs 16 bits without a sign. One more needs 17. */
__kernel void narrow_weights(__global const uchar *a, __global const uchar *b, __global uint *out)
{
    uint x = a[GID], y = b[GID], z = a[GID ^ 1];
    uint grey = (77 * x + 150 * y + 29 * z) >> 8, over = 78 * x + 151 * y + 29 * z;
    out[GID] = grey << 20 | over;
}

/* Shifts and comparisons, with numbers that do not fit. */
__kernel void narrow_compared(__global const ushort *a, __global const short *b, __global int *out)
{
    int x = a[GID], y = b[GID], u = x & 255, s = (y & 127) - 64;
    int bits = (x > 40000) | (y < -1) << 1 | (y > 40000) << 2 | (u == 200) << 3 | (s >= -3) << 4;
    bits |= (x == y) << 5 | ((uint)s > 60u) << 6 | ((uint)y < 70000u) << 7 | (u < s) << 8;
    bits |= ((u << 3) > 1000) << 9 | ((s >> 2) < -7) << 10 | ((u | 7) == 255) << 11;
    out[GID] = bits | ((u << 6) + (u >> 3)) << 12;
}
