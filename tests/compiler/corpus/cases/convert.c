/* Corpus of OpenCL C kernels: conversions, and half as a storage format. */
#include "../corpus.h"
#include "shapes.h"

#define FROM(name, TYPE)                                                                           \
    {.kernel = "from_" name, .args = {IN(TYPE, GEN_EDGE), OUT_N(I64, 10)}, .shapes = corpus_flat}

static const struct corpus_case convert[] = {
    FROM("char", I8),
    FROM("uchar", U8),
    FROM("short", I16),
    FROM("ushort", U16),
    FROM("int", I32),
    FROM("uint", U32),
    FROM("long", I64),
    FROM("ulong", U64),
    {.kernel = "from_float", .args = {IN(F32, GEN_RANDOM), OUT_N(I64, 8)}, .shapes = corpus_flat},
    {.kernel = "from_double", .args = {IN(F64, GEN_RANDOM), OUT_N(I64, 8)}, .shapes = corpus_flat},
    {.kernel = "float_to_double", .args = {IN(F32, GEN_EDGE), OUT(F64)}, .shapes = corpus_flat},
    {.kernel = "double_to_float", .args = {IN(F64, GEN_EDGE), OUT(F32)}, .shapes = corpus_flat},
    {.kernel = "to_bool",
     .args = {IN(I32, GEN_BIT), IN(F32, GEN_EDGE), IN(F64, GEN_EDGE), OUT(I32)},
     .shapes = corpus_flat},
    {.kernel = "from_bool", .args = {IN(I32, GEN_SMALL), OUT(F32)}, .shapes = corpus_short},
    {.kernel = "vector_float4_to_int4",
     .args = {IN_N(F32, GEN_RANDOM, 4), OUT_N(I32, 4)},
     .shapes = corpus_short},
    {.kernel = "vector_int4_to_float4",
     .args = {IN_N(I32, GEN_EDGE, 4), OUT_N(F32, 4)},
     .shapes = corpus_short},
    {.kernel = "vector_uchar16_to_float16",
     .args = {IN_N(U8, GEN_RANDOM, 16), OUT_N(F32, 16)},
     .shapes = corpus_short},
    {.kernel = "vector_float8_to_uchar8",
     .args = {IN_N(F32, GEN_RANDOM, 8), OUT_N(U8, 8)},
     .shapes = corpus_short},
    {.kernel = "vector_short3_to_double3",
     .args = {IN_N(I16, GEN_EDGE, 3), OUT_N(F64, 3)},
     .shapes = corpus_short},
    {.kernel = "vector_long2_to_int2",
     .args = {IN_N(I64, GEN_EDGE, 2), OUT_N(I32, 2)},
     .shapes = corpus_short},
    {.kernel = "vector_char4_to_uint4",
     .args = {IN_N(I8, GEN_EDGE, 4), OUT_N(U32, 4)},
     .shapes = corpus_short},
    {.kernel = "saturate_from_float",
     .args = {IN(F32, GEN_EDGE), OUT_N(I32, 3)},
     .shapes = corpus_flat},
    {.kernel = "bits", .args = {IN_N(F32, GEN_BITS, 4), OUT_N(U32, 8)}, .shapes = corpus_short},
    {.kernel = "sizes", .args = {IN(I32, GEN_EDGE), OUT(U64)}, .shapes = corpus_short},
};

#define BY_FUNCTION(name, TYPE)                                                                    \
    {.kernel = "by_function_" name,                                                                \
     .args = {IN(TYPE, GEN_EDGE), OUT_N(I64, 8)},                                                  \
     .shapes = corpus_short}

static const struct corpus_case by_function[] = {
    BY_FUNCTION("char", I8),
    BY_FUNCTION("uchar", U8),
    BY_FUNCTION("short", I16),
    BY_FUNCTION("ushort", U16),
    BY_FUNCTION("int", I32),
    BY_FUNCTION("uint", U32),
    BY_FUNCTION("long", I64),
    BY_FUNCTION("ulong", U64),
    {.kernel = "saturate",
     .args = {IN(I32, GEN_EDGE), IN(I64, GEN_EDGE), OUT_N(I32, 6)},
     .shapes = corpus_flat},
};

#define HALF(N)                                                                                    \
    {.kernel = "load" #N,                                                                          \
     .args = {IN_N(F16, GEN_EDGE, N), OUT_N(F32, N)},                                              \
     .shapes = corpus_short},                                                                      \
    {                                                                                              \
        .kernel = "store" #N, .args = {IN_N(F32, GEN_EDGE, N), OUT_N(F16, N)},                     \
        .shapes = corpus_short                                                                     \
    }

static const struct corpus_case half[] = {
    {.kernel = "load",
     .args = {IN(F16, GEN_BITS), OUT(F32)},
     .shapes = corpus_flat,
     .flags = CORPUS_UNALIGNED},
    {.kernel = "store",
     .args = {IN(F32, GEN_EDGE), OUT(F16)},
     .shapes = corpus_flat,
     .flags = CORPUS_UNALIGNED},
    {.kernel = "store_double", .args = {IN(F64, GEN_EDGE), OUT(F16)}, .shapes = corpus_flat},
    HALF(2),
    HALF(3),
    HALF(4),
    HALF(8),
    HALF(16),
    {.kernel = "aligned4",
     .args = {IN_N(F16, GEN_RANDOM, 4), OUT_N(F16, 4)},
     .shapes = corpus_short},
    {.kernel = "aligned3",
     .args = {IN_N(F16, GEN_RANDOM, 4), INOUT_N(F16, GEN_ZERO, 4)},
     .shapes = corpus_short},
    {.kernel = "round_trip_divergent",
     .args = {IN(F16, GEN_RANDOM), OUT(F16)},
     .shapes = corpus_flat},
    {.kernel = "in_local",
     .args = {IN(F16, GEN_RANDOM), OUT(F16), LOCAL_N(2)},
     .shapes = corpus_groups},
    {.kernel = "rounded", .args = {IN(F32, GEN_RANDOM), OUT_N(F16, 4)}, .shapes = corpus_short},
};

TOPIC_FILES(convert, CORPUS_FILE("convert", convert), CORPUS_FILE("convert_builtin", by_function),
            CORPUS_FILE("half", half));
