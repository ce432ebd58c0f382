/* Conversions without rounding modes: integers to integers, integers to floats and back, vectors,
 * bits. Values that a conversion to integer cannot hold are undefined and are brought into range
 * first. */
#include "corpus.clh"

#define FROM_INT(T)                                                                                \
    __kernel void from_##T(__global const T *in, __global long *out)                               \
    {                                                                                              \
        size_t i = GID;                                                                            \
        __global long *o = out + 10 * i;                                                           \
        T x = in[i];                                                                               \
        o[0] = (char)x;                                                                            \
        o[1] = (uchar)x;                                                                           \
        o[2] = (short)x;                                                                           \
        o[3] = (ushort)x;                                                                          \
        o[4] = (int)x;                                                                             \
        o[5] = (uint)x;                                                                            \
        o[6] = (long)x;                                                                            \
        o[7] = (long)(ulong)x;                                                                     \
        o[8] = as_int(convert_float(x));                                                           \
        o[9] = as_long(convert_double(x));                                                         \
    }

FROM_INT(char)
FROM_INT(uchar)
FROM_INT(short)
FROM_INT(ushort)
FROM_INT(int)
FROM_INT(uint)
FROM_INT(long)
FROM_INT(ulong)

#define FROM_FLOAT(T)                                                                              \
    __kernel void from_##T(__global const T *in, __global long *out)                               \
    {                                                                                              \
        size_t i = GID;                                                                            \
        __global long *o = out + 8 * i;                                                            \
        T x = in[i];                                                                               \
        o[0] = convert_char(x);                                                                    \
        o[1] = convert_uchar(fabs(x));                                                             \
        o[2] = convert_short(x * (T)100);                                                          \
        o[3] = convert_ushort(fabs(x) * (T)100);                                                   \
        o[4] = convert_int(x * (T)1000000);                                                        \
        o[5] = convert_uint(fabs(x) * (T)40000000);                                                \
        o[6] = convert_long(x * (T)1e15);                                                          \
        o[7] = (long)convert_ulong(fabs(x) * (T)1e17);                                             \
    }

FROM_FLOAT(float)
FROM_FLOAT(double)

__kernel void float_to_double(__global const float *in, __global double *out)
{
    out[GID] = in[GID];
}

__kernel void double_to_float(__global const double *in, __global float *out)
{
    out[GID] = (float)in[GID];
}

__kernel void to_bool(__global const int *a, __global const float *b, __global const double *c,
                      __global int *out)
{
    size_t i = GID;
    bool x = (bool)a[i], y = (bool)b[i], z = (bool)c[i];
    out[i] = x + 2 * y + 4 * z;
}

__kernel void from_bool(__global const int *a, __global float *out)
{
    size_t i = GID;
    bool x = a[i] > 10;
    out[i] = (float)x + (float)(double)!x * 0.5f + (float)(long)x;
}

__kernel void vector_float4_to_int4(__global const float4 *in, __global int4 *out)
{
    out[GID] = convert_int4(in[GID] * 1000.0f);
}

__kernel void vector_int4_to_float4(__global const int4 *in, __global float4 *out)
{
    out[GID] = convert_float4(in[GID]);
}

__kernel void vector_uchar16_to_float16(__global const uchar16 *in, __global float16 *out)
{
    out[GID] = convert_float16(in[GID]);
}

__kernel void vector_float8_to_uchar8(__global const float8 *in, __global uchar8 *out)
{
    out[GID] = convert_uchar8(fabs(in[GID]));
}

__kernel void vector_short3_to_double3(__global const short *in, __global double *out)
{
    vstore3(convert_double3(vload3(GID, in)), GID, out);
}

__kernel void vector_long2_to_int2(__global const long2 *in, __global int2 *out)
{
    out[GID] = convert_int2(in[GID]);
}

__kernel void vector_char4_to_uint4(__global const char4 *in, __global uint4 *out)
{
    out[GID] = convert_uint4(in[GID]);
}

__kernel void saturate_from_float(__global const float *in, __global int *out)
{
    size_t i = GID;
    float x = in[i] != in[i] ? 0.0f : in[i]; /* NaN gives zero */
    out[3 * i] = convert_uchar_sat(x);
    out[3 * i + 1] = convert_short_sat(x * 1000.0f);
    out[3 * i + 2] = convert_int_sat(x * 1e9f);
}

__kernel void bits(__global const float4 *in, __global uint4 *out)
{
    size_t i = GID;
    uint4 bits = as_uint4(in[i]);
    uchar16 bytes = as_uchar16(in[i]);
    out[2 * i] = bits ^ (uint4)(bytes.s0, bytes.s7, bytes.sa, bytes.sf);
    ulong2 wide = as_ulong2(bits);
    out[2 * i + 1] = as_uint4(wide.yx);
}

__kernel void sizes(__global const int *in, __global ulong *out)
{
    size_t i = GID;
    size_t n = (size_t)in[i];
    ptrdiff_t d = (ptrdiff_t)in[i];
    out[i] = n / 3 + (ulong)(d / 3);
}
