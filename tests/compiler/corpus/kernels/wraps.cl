/* 32-bit indexes that wrap and legal accesses all the same. */
#include "corpus.clh"

/* Both wrap, between the same items, and the sum does not. */
__kernel void wraps_cancel(__global const int *in, __global int *out, uint c, uint d)
{
    uint g = (uint)GID;
    ulong i = (uint)(g + c), k = (uint)(d - g);
    out[3 * g] = in[i + k - 0xFFFFFFFFul + g];
    out[3 * g + 1] = (int)(i >> 20);
    out[3 * g + 2] = (int)(k >> 20);
}

/* The second is hidden from whoever follows sums. */
__kernel void wraps_hidden(__global const int *in, __global int *out, uint c, uint d)
{
    uint g = (uint)GID;
    ulong i = (uint)(g + c), k = (uint)(d - g);
    ulong more = (i + k - 0xFFFFFFFFul) ^ 0;
    out[3 * g] = in[i + (c > d ? k : more) - 0xFFFFFFFFul + g];
    out[3 * g + 1] = (int)(i >> 20);
    out[3 * g + 2] = (int)(k >> 20) + in[more + g];
}

/* What varies makes up for the wrap. */
__kernel void wraps_made_up(__global const int *in, __global int *out, uint c)
{
    uint g = (uint)GID;
    ulong base = (ulong)(uint)-c - ((ulong)(g < (uint)-c) << 32);
    ulong i = (uint)(g + c);
    out[2 * g] = in[base + i];
    out[2 * g + 1] = (int)(i >> 20);
}

/* Items that are on lie close together though each step wraps or nearly so. */
__kernel void wraps_every_step(__global const int *in, __global int *out, uint step)
{
    uint g = (uint)GID;
    if (g % 2 == 0) {
        out[g] = in[(uint)(g * 0x80000001u)];
    }
    if (g % 4 == step) {
        out[g] = in[(ulong)(uint)((g - step) * 0x40000001u) + step];
    }
}

/* One index alone, as programs write it: an access in bounds vouches for it. */
__kernel void wraps_never(__global const int *in, __global int *out, int n, int c)
{
    int g = (int)GID;
    out[g * n + c] = in[g + c] + 1;
}
