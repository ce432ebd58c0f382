/* Structs, arrays and pointers in all address spaces of OpenCL C 1.2. */
#include "corpus.clh"

struct point {
    float x, y;
    int tag;
};

struct nested {
    char kind;
    struct point at[3];
    short flags[5];
    union {
        uint word;
        uchar bytes[4];
    } code;
    double weight;
};

struct __attribute__((packed)) packed {
    char a;
    int b;
    short c;
    double d;
};

struct wide {
    float4 v;
    uchar3 rgb;
    long id;
};

__kernel void struct_read(__global const struct point *in, __global float *out)
{
    size_t i = GID;
    out[i] = in[i].x - in[i].y + (float)in[i].tag;
}

__kernel void struct_write(__global const float *in, __global struct point *out)
{
    size_t i = GID;
    struct point p = {in[i], in[i] + 1.0f, (int)i};
    out[i] = p;
    out[i].tag ^= 5;
}

__kernel void struct_copy(__global const struct point *in, __global struct point *out)
{
    size_t i = GID;
    struct point p = in[get_global_size(0) - 1 - i];
    struct point q = p;
    q.tag = (int)i;
    out[i] = (i & 1) ? p : q;
}

__kernel void struct_nested(__global const uint *in, __global uint *out)
{
    size_t i = GID;
    struct nested n;
    n.kind = (char)in[i];
    for (int k = 0; k < 3; k++) {
        n.at[k].x = (float)(k + 1);
        n.at[k].y = 0.5f;
        n.at[k].tag = (int)(in[i] >> k);
    }
    for (int k = 0; k < 5; k++) {
        n.flags[k] = (short)(in[i] * (uint)k);
    }
    n.code.word = in[i];
    n.weight = 0.25;
    n.at[in[i] % 3].tag += n.flags[in[i] % 5];
    out[2 * i] = (uint)(n.at[0].tag + 2 * n.at[1].tag + 3 * n.at[2].tag) + n.code.bytes[in[i] & 3];
    out[2 * i + 1] = (uint)(n.weight * 8.0) + (uint)sizeof(struct nested) + (uint)n.kind;
}

__kernel void struct_packed(__global const int *in, __global struct packed *out)
{
    size_t i = GID;
    out[i].a = (char)in[i];
    out[i].b = in[i] * 3;
    out[i].c = (short)(in[i] >> 3);
    out[i].d = in[i];
}

__kernel void struct_wide(__global const float *in, __global float4 *out)
{
    size_t i = GID;
    struct wide w[2];
    for (int k = 0; k < 2; k++) {
        w[k].v = (float4)(in[i], 1.0f, 2.0f, (float)k);
        w[k].rgb = (uchar3)(1, 2, (uchar)i);
        w[k].id = (long)i << 33;
    }
    struct wide *p = &w[i & 1];
    p->rgb.y += 7;
    p->v.yz += p->v.xw;
    out[i] = w[0].v + w[1].v.wzyx * (float4)((float)w[0].rgb.y, (float)w[1].rgb.y,
                                             (float)w[1].rgb.z, (float)(w[0].id >> 33));
}

__kernel void struct_argument(struct point p, __global float *out)
{
    size_t i = GID;
    out[i] = p.x * (float)i + p.y + (float)p.tag;
}

__kernel void struct_argument_indexed(struct nested n, __global float *out)
{
    size_t i = GID;
    out[i] = n.at[i % 3].x + (float)n.flags[i % 5] + (float)n.code.bytes[i & 3] + (float)n.weight;
}

__kernel void array_private(__global const int *in, __global int *out)
{
    size_t i = GID;
    int values[16];
    for (int k = 0; k < 16; k++) {
        values[k] = in[i] + k * k;
    }
    out[i] = values[in[i] & 15] - values[(in[i] >> 4) & 15];
}

__kernel void array_private_write(__global const uint *in, __global uint *out)
{
    size_t i = GID;
    uint histogram[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    uint bits = in[i];
    for (int k = 0; k < 10; k++) {
        histogram[bits & 7]++;
        bits >>= 3;
    }
    uint sum = 0;
    for (int k = 0; k < 8; k++) {
        sum = sum * 11 + histogram[k];
    }
    out[i] = sum;
}

__kernel void array_2d(__global const float *in, __global float *out)
{
    size_t i = GID;
    float m[4][4];
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            m[r][c] = in[i] * (float)(r + 1) + (float)c;
        }
    }
    float trace = 0.0f;
    int k = (int)i & 3;
    for (int r = 0; r < 4; r++) {
        trace += m[r][(r + k) & 3] - m[k][r];
    }
    out[i] = trace;
}

__kernel void array_of_structs(__global const int *in, __global int *out)
{
    size_t i = GID;
    struct point points[6];
    for (int k = 0; k < 6; k++) {
        points[k].x = (float)k;
        points[k].y = (float)(in[i] & 7);
        points[k].tag = in[i] ^ k;
    }
    struct point *p = &points[in[i] & 3];
    p += 2;
    p->tag += (int)p->x;
    p[-1].tag *= 3;
    int sum = 0;
    for (int k = 0; k < 6; k++) {
        sum = sum * 7 + points[k].tag + (int)points[k].y;
    }
    out[i] = sum;
}

__kernel void array_of_vectors(__global const float *in, __global float4 *out)
{
    size_t i = GID;
    float4 rows[4];
    for (int k = 0; k < 4; k++) {
        rows[k] = (float4)(in[i], (float)k, 1.0f, -in[i]);
    }
    rows[i & 3].y += 10.0f;
    out[i] = rows[(i + 1) & 3] + rows[3 - (i & 3)].wzyx;
}

__constant int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant float4 palette[3] = {(float4)(1.0f, 0.0f, 0.0f, 1.0f), (float4)(0.0f, 0.5f, 0.25f, 1.0f),
                                (float4)(9.0f, 8.0f, 7.0f, 6.0f)};
__constant struct point origin[2] = {{1.5f, -2.5f, 7}, {0.25f, 4.0f, -9}};

__kernel void constant_table(__global const uint *in, __global int *out)
{
    size_t i = GID;
    out[i] = table[in[i] & 15] * 10 + table[i & 15];
}

__kernel void constant_structs(__global const uint *in, __global float4 *out)
{
    size_t i = GID;
    out[i] = palette[in[i] % 3] +
             (float4)(origin[in[i] & 1].x, origin[1].y, (float)origin[in[i] & 1].tag, 0.0f);
}

__kernel void constant_argument(__constant float *weights, __global const uint *in,
                                __global float *out)
{
    size_t i = GID;
    float sum = 0.0f;
    for (uint k = 0; k < 5; k++) {
        sum += weights[k] * weights[(in[i] + k) & 15];
    }
    out[i] = sum;
}

__kernel void pointer_select(__global const int *a, __global const int *b, __global int *out)
{
    size_t i = GID;
    __global const int *p = (a[i] & 1) ? a : b;
    __global const int *q = (i & 2) ? p + i : b;
    out[i] = p[i] + *q;
}

__kernel void pointer_walk(__global const int *in, __global int *out)
{
    size_t i = GID;
    __global const int *p = in + i, *end = in + get_global_size(0);
    int sum = 0;
    for (; p < end; p += 17) {
        sum += *p;
    }
    out[i] = sum + (int)(end - (in + i));
}

__kernel void pointer_private(__global const int *in, __global int *out)
{
    size_t i = GID;
    int a = in[i], b = in[i] * 2, c = 5;
    int *p = (in[i] & 1) ? &a : &b;
    *p += 100;
    p = (in[i] & 2) ? p : &c;
    *p -= 1;
    out[i] = a + 3 * b + 5 * c;
}

__kernel void pointer_to_pointer(__global const int *in, __global int *out)
{
    size_t i = GID;
    int a = 1, b = 2;
    int *first = &a, *second = &b;
    int **swap = (in[i] & 1) ? &first : &second;
    *swap = (in[i] & 2) ? &a : &b;
    **swap += in[i];
    out[i] = *first * 3 + *second * 5 + a + b;
}

__kernel void pointers_in_array(__global int *a, __global int *b, __global int *c)
{
    size_t i = GID;
    __global int *which[3] = {a, b, c};
    which[i % 3][i] += (int)i;
    which[(i + 1) % 3][i] -= 7;
}

__kernel void bytes_of_words(__global const uint *in, __global uchar *out)
{
    size_t i = GID;
    __global const uchar *bytes = (__global const uchar *)(in + i);
    for (int k = 0; k < 4; k++) {
        out[4 * i + k] = bytes[3 - k];
    }
}

__kernel void words_of_bytes(__global const uchar *in, __global uint *out)
{
    size_t i = GID;
    out[i] = ((__global const uint *)in)[i] + ((__global const ushort *)in)[2 * i];
}

__kernel void private_bytes(__global const double *in, __global uint *out)
{
    size_t i = GID;
    double value = in[i];
    uchar *bytes = (uchar *)&value;
    uint sum = 0;
    for (int k = 0; k < 8; k++) {
        sum = sum * 31 + bytes[k];
    }
    bytes[7] ^= 0x80;
    out[2 * i] = sum;
    out[2 * i + 1] = value < 0.0;
}

__kernel void linked_list(__global const uint *next, __global uint *out)
{
    size_t i = GID;
    uint at = (uint)i, sum = 0;
    for (int k = 0; k < 9; k++) {
        at = next[at];
        sum += at * (uint)(k + 1);
    }
    out[i] = sum;
}

__kernel void scatter(__global const uint *to, __global const float *in, __global float *out)
{
    size_t i = GID;
    out[to[i]] = in[i] * 2.0f;
}

__kernel void gather_strided(__global const float *in, __global float *out, uint stride)
{
    size_t i = GID;
    out[i] = in[(i * stride) % get_global_size(0)] + in[3 * i] - in[get_global_size(0) - 1 - i];
}

__kernel void store_divergent(__global const int *in, __global int *out)
{
    size_t i = GID;
    if (in[i] & 1) {
        out[2 * i] = in[i];
    } else if (in[i] & 2) {
        out[2 * i + 1] = -in[i];
    }
}

__kernel void uniform_store(__global const int *in, __global int *out)
{
    size_t i = GID;
    out[i] = in[0] + in[1];
    if (i == 3) {
        out[get_global_size(0)] = in[2];
    }
}

__kernel void volatile_access(__global volatile int *data, __global int *out)
{
    size_t i = GID;
    volatile int local_copy = data[i];
    local_copy += 2;
    data[i] = local_copy;
    out[i] = data[i] + local_copy;
}

/* Private arrays of elements of one size: read and written at one index, at each item's own, under
 * conditions, as scalars and as vectors. */
__kernel void array_private_rows(__global const uint *in, __global uint *out)
{
    uint words[12], seed = in[GID];
    float4 vectors[5];
    struct {
        int number;
        float weight;
    } pairs[6];
    volatile uint watched[3];
    for (uint i = 0; i < 12; i++) {
        words[i] = seed * (i + 1);
    }
    for (uint i = 0; i < 6; i++) {
        pairs[i].number = (int)(seed >> i);
        pairs[i].weight = (float)i;
        vectors[i % 5] = (float4)((float)i, (float)(seed & 255), 2.0f, (float)(i * i));
        watched[i % 3] = i + seed;
    }
    for (uint i = 0; i < 12; i++) {
        if ((words[i] ^ seed) % 3 == 0) {
            words[(i + 5) % 12] += i;
            pairs[i / 2].number ^= 5;
        }
        words[words[i] % 12] ^= words[11 - i] + watched[seed % 3];
    }
    float4 total = vectors[seed % 5] + vectors[1];
    uint sum = watched[1] + (uint)total.w + (uint)total.y;
    for (uint i = 0; i < 12; i++) {
        sum = sum * 31 + words[i] + (uint)pairs[(i + seed) % 6].number + (uint)pairs[i % 6].weight;
    }
    out[GID] = sum;
}

/* Bytes, halves and doubles; and what is written in words and read in pairs of them, or across
 * them. */
__kernel void array_private_sizes(__global const uint *in, __global uint *out)
{
    uchar bytes[9];
    ushort halves[7];
    double doubles[4];
    uint mixed[4] __attribute__((aligned(8))), shifted[4], seed = in[GID];
    for (uint i = 0; i < 28; i++) {
        bytes[i % 9] = (uchar)(seed + i);
        if (seed >> i & 1) {
            halves[i % 7] = (ushort)(seed >> i % 16);
        } else {
            halves[i % 7] = (ushort)i;
        }
        doubles[i % 4] = (double)(seed >> 8) + (double)i;
        mixed[i % 4] = shifted[i % 4] = seed * (i + 3);
    }
    uint sum = 0;
    for (uint i = 0; i < 16; i++) {
        uint across;
        __builtin_memcpy(&across, (uchar *)shifted + ((seed + i) & 7), sizeof(across));
        sum = sum * 7 + bytes[(seed + i) % 9] + bytes[i % 9] + halves[i % 7] + across;
        sum += (uint)(((ulong *)mixed)[(seed + i) & 1] >> 17);
        sum += (uint)doubles[(i ^ seed) % 4] + halves[seed % 7];
    }
    out[GID] = sum;
}
