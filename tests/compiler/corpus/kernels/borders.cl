/* Items that test whether they are at a border. The lanes of most chunks agree, some do not. */
#include "corpus.clh"

#define BORDER(name, ...)                                                                          \
    __kernel void name(__global const int *in, __global uint *out, int n)                          \
    {                                                                                              \
        int i = (int)GID;                                                                          \
        __VA_ARGS__                                                                                \
    }
#define AT(index) in[(index) & 255]

BORDER(below, if (i < n) out[i] = AT(i) * 3;)
BORDER(above, if (i >= n - 20) out[i] = AT(i) * 3;)
BORDER(inside, if (i > 2 && i < n - 3) out[i] = AT(i - 1) + AT(i + 1); else out[i] = 7;)
BORDER(outside, if (i < 2 || i > n - 3) out[i] = AT(i); else out[i] = AT(i - 2) - AT(i + 2);)
BORDER(not_below, if (!(i < n)) return; out[i] = AT(i) + 1;)
BORDER(one, if (i == n - 89) out[i] = 5; else out[i] = AT(i) ^ n;)
BORDER(all_but_one, if (i != n - 83) out[i] = AT(i) - n;)
BORDER(backwards, if (n - 3 * i > 3) out[i] = AT(i); else out[i] = n - i;)
BORDER(wraps, uint at = (uint)i - 3; if (at < (uint)n) out[i] = AT(at); else out[i] = at;)
BORDER(wraps_signed, if ((int)((uint)i + 0x7ffffff0u) > n) out[i] = AT(i); else out[i] = i;)
BORDER(of_longs, if ((long)i * 2 + 1 < n) out[i] = AT(2 * i + 1) + AT(2 * i); else out[i] = 3;)
/* The index is extended to 64 bits before it is compared. In the first kernel, the index of a
 * chunk's last item reaches the bound exactly. In the last two, the index of 32 bits wraps between
 * two items of a chunk. */
BORDER(extended, int at = i * 3; if ((long)at + 7 < n && (long)at - 5 > 3 - n) out[i] = AT(at) * 5;
       else out[i] = at;)
BORDER(extended_unsigned, uint at = (uint)i * 3u + 0x7fffff80u;
       if ((ulong)at + 1 < (ulong)(uint)n + 0x80000000ul) out[i] = AT(at) * 11;)
BORDER(extended_wraps, int at = (int)((uint)i * 3u + 0x7fffff80u);
       if ((long)at - 1 > (long)n + 0x7ffffe00l) out[i] = AT(i) * 7;)
BORDER(extended_wraps_unsigned, uint at = (uint)i * 3u - 100u;
       if ((ulong)at + 1 < (ulong)(uint)n + 100ul) out[i] = AT(at) * 9;)
BORDER(
    nested, if (i > 5) {
        uint sum = AT(i - 5);
        if (i < n)
            sum += AT(i) * 7;
        else
            sum -= i;
        out[i] = sum;
    })
BORDER(
    in_a_branch, if (AT(i) > 0) {
        uint sum = AT(i + 9);
        if (i < n)
            sum += AT(i) * 7;
        else
            sum -= i;
        out[i] = sum;
    })
BORDER(selects_an_index, int at = 3; if (i > 3 && i < n) at = i; out[i] = AT(at) * 5 + at;)
BORDER(of_arguments, if (n > 1000 || i < n) out[i] = AT(i); else out[i] = n;)
/* Starting again would repeat what has been stored. */
BORDER(behind_a_store, out[i] += AT(i); if (i < n) out[i] += AT(i + 1) * 3;)
BORDER(behind_a_store_in_a_branch, if (AT(i) > 0) out[i] += 5; if (i < n) out[i] += AT(i + 1) * 3;)
BORDER(behind_a_private_store, int own[4] = {AT(i), AT(i + 1), 3, 4}; own[n & 3] += AT(i + 2);
       if (i < n) out[i] = own[(n >> 1) & 3] + 1;)
BORDER(
    in_a_loop, uint sum = 0; for (int k = 0; k < n; k++) {
        if (k < 90 && i > 2 && i < n - 2)
            sum = sum * 31 + AT(i + k);
        if (i + k < n)
            sum += AT(k);
    } out[i] = sum;)

/* Nine points of a plane, of which some do not exist at the borders. */
__kernel void of_planes(__global const int *in, __global uint *out, int w, int h)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    uint sum = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int sx = x + dx, sy = y + dy;
            if (sx >= 0 && sx < w && sy >= 0 && sy < h) {
                sum = sum * 31 + AT(sy * w + sx);
            }
        }
    }
    out[y * (int)get_global_size(0) + x] = sum;
}
