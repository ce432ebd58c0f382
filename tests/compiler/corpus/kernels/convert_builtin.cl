/* Conversions between integers by function, also saturating. Not for clang-22, which takes the
 * signs the wrong way round. */
#include "corpus.clh"

#define FROM_INT(T)                                                                                \
    __kernel void by_function_##T(__global const T *in, __global long *out)                        \
    {                                                                                              \
        size_t i = GID;                                                                            \
        __global long *o = out + 8 * i;                                                            \
        T x = in[i];                                                                               \
        o[0] = convert_char(x);                                                                    \
        o[1] = convert_uchar(x);                                                                   \
        o[2] = convert_short(x);                                                                   \
        o[3] = convert_ushort(x);                                                                  \
        o[4] = convert_int(x);                                                                     \
        o[5] = convert_uint(x);                                                                    \
        o[6] = convert_long(x);                                                                    \
        o[7] = (long)convert_ulong(x);                                                             \
    }

FROM_INT(char)
FROM_INT(uchar)
FROM_INT(short)
FROM_INT(ushort)
FROM_INT(int)
FROM_INT(uint)
FROM_INT(long)
FROM_INT(ulong)

__kernel void saturate(__global const int *in, __global const long *wide, __global int *out)
{
    size_t i = GID;
    out[6 * i] = convert_char_sat(in[i]);
    out[6 * i + 1] = convert_uchar_sat(in[i]);
    out[6 * i + 2] = convert_short_sat(in[i]);
    out[6 * i + 3] = convert_ushort_sat(in[i]);
    out[6 * i + 4] = convert_int_sat(wide[i]);
    out[6 * i + 5] = (int)convert_uint_sat(wide[i]);
}
