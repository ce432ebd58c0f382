/* The geometric functions of OpenCL.std. */
#include "corpus.clh"

/* Lengths whose squares are below the smallest number. */
#define TINY_float  0x1p-100f
#define TINY_double 0x1p-600

#define GEOMETRIC(T)                                                                               \
    __kernel void products_##T(__global const T *a, __global const T *b, __global T *out)          \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T##3 x = vload3(i, a), y = vload3(i, b);                                                   \
        T##3 c = cross(x, y);                                                                      \
        out[7 * i] = dot(x, y);                                                                    \
        out[7 * i + 1] = dot(x.xy, y.yz);                                                          \
        out[7 * i + 2] = dot((T##4)(x, (T)1), (T##4)(y, (T)2));                                    \
        out[7 * i + 3] = c.x;                                                                      \
        out[7 * i + 4] = c.y;                                                                      \
        out[7 * i + 5] = c.z;                                                                      \
        out[7 * i + 6] = dot(x.x, y.y);                                                            \
    }                                                                                              \
    __kernel void lengths_##T(__global const T *a, __global const T *b, __global T *out)           \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T##3 x = vload3(i, a), y = vload3(i, b);                                                   \
        out[5 * i] = length(x);                                                                    \
        out[5 * i + 1] = distance(x, y);                                                           \
        out[5 * i + 2] = length(x.xy);                                                             \
        out[5 * i + 3] = length((T##4)(x, y.x));                                                   \
        out[5 * i + 4] = length(x.x);                                                              \
    }                                                                                              \
    __kernel void normal_##T(__global const T *a, __global T *out)                                 \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T##3 n = normalize(vload3(i, a));                                                          \
        T##2 m = normalize(vload3(i, a).xy);                                                       \
        vstore3(n, i, out);                                                                        \
        out[3 * i + 2] += m.x + m.y;                                                               \
    }                                                                                              \
    __kernel void edges_##T(__global const T *a, __global T *out)                                  \
    {                                                                                              \
        size_t i = GID;                                                                            \
        T##4 x = i % 4 == 1 ? (T##4)(3, 4, 12, 0) * TINY_##T : vload4(i, a);                       \
        out[8 * i] = length(x);                                                                    \
        out[8 * i + 1] = length(x.xyz);                                                            \
        out[8 * i + 2] = length(x.xy);                                                             \
        out[8 * i + 3] = distance(x.xy, (T##2)(0));                                                \
        vstore4(normalize(x), 2 * i + 1, out);                                                     \
        out[8 * i + 3] += normalize(x.xy).x + normalize(x.xyz).z;                                  \
        out[8 * i + 2] += normalize((T##3)(i % 2 ? (T)INFINITY : 3, 1, -(T)INFINITY)).z;           \
    }                                                                                              \
    __kernel void cross4_##T(__global const T##4 * a, __global const T##4 * b,                     \
                             __global T##4 * out)                                                  \
    {                                                                                              \
        out[GID] = cross(a[GID], b[GID]);                                                          \
    }

GEOMETRIC(float)
GEOMETRIC(double)

__kernel void fast(__global const float *a, __global const float *b, __global float *out)
{
    size_t i = GID;
    float3 x = vload3(i, a), y = vload3(i, b);
    out[3 * i] = fast_length(x);
    out[3 * i + 1] = fast_distance(x, y);
    out[3 * i + 2] = fast_normalize(x).y;
}
