/* Each item walks along a row of its own, whose length only the launch knows. */
#include "corpus.clh"

#define ROW 12

/* All lengths: the last turns of the row are one to four, or all. */
__kernel void row_prefixes(__global const uint *in, __global uint *out)
{
    __global const uint *row = in + ROW * GID;
    uint hash = 1;
    for (int n = 0; n <= ROW; n++) {
        for (int i = 0; i < n; i++) {
            hash = (hash ^ row[i]) * 0x01000193u;
        }
    }
    out[GID] = hash;
}

/* Backwards, with two values from turn to turn, and two rows. */
__kernel void row_suffixes(__global const float *a, __global const ulong *b, int n,
                           __global float *out)
{
    __global const float *row = a + n * GID;
    __global const ulong *other = b + n * GID;
    float sum = 0.0f, most = -1000.0f;
    for (int i = n - 1; i >= 0; i--) {
        sum = sum * 0.5f + row[i];
        most = fmax(most, row[i] - (float)(other[i] & 15));
    }
    out[GID] = sum + most;
}

/* The counter begins where it should end, or behind that: there is one turn. */
__kernel void row_starts_behind_its_end(__global const int *in, __global const int *starts, int n,
                                        __global int *out)
{
    __global const int *row = in + ROW * GID;
    int hash = 0;
    for (int k = 0; k < 16; k++) {
        int i = starts[k] % ROW;
        do {
            hash = hash * 31 + row[i];
            i++;
        } while (i < n);
    }
    out[GID] = hash;
}

/* Some lanes take no part, and others leave by themselves. */
__kernel void row_of_some(__global const uint *in, uint n, __global uint *out)
{
    __global const uint *row = in + ROW * GID;
    uint sum = 7;
    if (row[0] & 1) {
        for (uint i = 0; i < n; i++) {
            sum += row[i] * (i + 1);
        }
    }
    for (uint i = 0; i < n && row[i] % 5 != 0; i++) {
        sum ^= row[i];
    }
    out[GID] = sum;
}
