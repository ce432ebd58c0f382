/* Lengths of vectors, and vectors of length 1. They replace libclc's, which compute the squares of
 * scaled components for all lanes if one needs them. The squares of ordinary components are
 * denormal then, and processors take a hundred cycles or more for each. Here each lane has a scale
 * of its own, which is 1 unless the sum of squares is denormal, zero or infinite. */
#include "math_common.clh"

/* Exact powers of two. With UP no square of a component is denormal, and with DOWN none of four is
 * infinite. */
#define UP        0x1p86f
#define UP_BACK   0x1p-86f
#define DOWN      0x1p-65f
#define DOWN_BACK 0x1p65f

#define UP_D        0x1p563
#define UP_BACK_D   0x1p-563
#define DOWN_D      0x1p-513
#define DOWN_BACK_D 0x1p513

#define LENGTH(type, vector, least, up, up_back, down, down_back)                                  \
    type OVERLOAD geo_length(vector v)                                                             \
    {                                                                                              \
        type sum = dot(v, v);                                                                      \
        bool small = sum < least, large = sum == (type)INFINITY;                                   \
        vector scaled = v * (small ? up : large ? down : (type)1);                                 \
        return sqrt(dot(scaled, scaled)) * (small ? up_back : large ? down_back : (type)1);        \
    }                                                                                              \
    type OVERLOAD geo_distance(vector a, vector b)                                                 \
    {                                                                                              \
        return geo_length(a - b);                                                                  \
    }

/* Infinite components count as 1 and others as 0 if there are any. A zero stays as it is. */
#define NORMALIZE(type, vector, least, up, down)                                                   \
    vector OVERLOAD geo_normalize(vector v)                                                        \
    {                                                                                              \
        type sum = dot(v, v);                                                                      \
        vector scaled = v * (sum < least ? up : sum == (type)INFINITY ? down : (type)1);           \
        type scaled_sum = dot(scaled, scaled);                                                     \
        vector counted = copysign(select((vector)0, (vector)1, isinf(v)), v);                      \
        bool infinite = scaled_sum == (type)INFINITY;                                              \
        scaled = infinite ? counted : scaled;                                                      \
        scaled_sum = infinite ? dot(counted, counted) : scaled_sum;                                \
        return scaled_sum == 0 ? v : scaled * rsqrt(scaled_sum);                                   \
    }

#define GEOMETRIC(type, least, up, up_back, down, down_back)                                       \
    LENGTH(type, type##2, least, up, up_back, down, down_back)                                     \
    LENGTH(type, type##3, least, up, up_back, down, down_back)                                     \
    LENGTH(type, type##4, least, up, up_back, down, down_back)                                     \
    NORMALIZE(type, type##2, least, up, down)                                                      \
    NORMALIZE(type, type##3, least, up, down)                                                      \
    NORMALIZE(type, type##4, least, up, down)

GEOMETRIC(float, 0x1p-126f, UP, UP_BACK, DOWN, DOWN_BACK)
GEOMETRIC(double, 0x1p-1022, UP_D, UP_BACK_D, DOWN_D, DOWN_BACK_D)
