/* Corpus of OpenCL C kernels: vectors of 2 to 16 components. */
#include "../corpus.h"
#include "shapes.h"

#define ARITH(name, TYPE, N)                                                                       \
    {.kernel = "arith_" name,                                                                      \
     .args = {IN_N(TYPE, GEN_RANDOM, N), IN_N(TYPE, GEN_RANDOM, N), OUT_N(TYPE, N)},               \
     .shapes = corpus_short,                                                                       \
     .flags = CORPUS_UNALIGNED}
#define WHOLE(name, TYPE, N)                                                                       \
    {.kernel = "whole_" name,                                                                      \
     .args = {IN_N(TYPE, GEN_SMALL, N), OUT_N(TYPE, N)},                                           \
     .shapes = corpus_short}

static const struct {
    float v[4];
} __attribute__((aligned(16))) scale = {{1.5f, -2.0f, 0.25f, 3.0f}};
static const struct {
    int32_t v[4]; /* int3 takes 16 bytes */
} __attribute__((aligned(16))) add = {{5, -7, 100, 0}};
static const struct {
    uint8_t v[16];
} bytes = {{0, 1, 2, 3, 4, 5, 6, 77, 8, 9, 10, 11, 12, 13, 14, 200}};

static const struct corpus_case vectors[] = {
    ARITH("float2", F32, 2),
    ARITH("float3", F32, 3),
    ARITH("float4", F32, 4),
    ARITH("float8", F32, 8),
    ARITH("float16", F32, 16),
    ARITH("double2", F64, 2),
    ARITH("double4", F64, 4),
    ARITH("double16", F64, 16),
    ARITH("int3", I32, 3),
    ARITH("int8", I32, 8),
    ARITH("uchar4", U8, 4),
    ARITH("uchar16", U8, 16),
    ARITH("short2", I16, 2),
    ARITH("long3", I64, 3),
    ARITH("ulong8", U64, 8),
    WHOLE("float2", F32, 2),
    WHOLE("float4", F32, 4),
    WHOLE("float8", F32, 8),
    WHOLE("float16", F32, 16),
    WHOLE("uchar16", U8, 16),
    WHOLE("int4", I32, 4),
    WHOLE("ulong2", U64, 2),
    WHOLE("double8", F64, 8),
    WHOLE("short8", I16, 8),
    {.kernel = "whole3",
     .args = {IN_N(F32, GEN_RANDOM, 4), OUT_N(F32, 3), OUT_N(U8, 3)},
     .shapes = corpus_short},
    {.kernel = "swizzle4",
     .args = {IN_N(F32, GEN_RANDOM, 4), OUT_N(F32, 16)},
     .shapes = corpus_short},
    {.kernel = "swizzle_write",
     .args = {IN_N(F32, GEN_RANDOM, 4), OUT_N(F32, 8)},
     .shapes = corpus_short},
    {.kernel = "swizzle16",
     .args = {IN_N(I32, GEN_RANDOM, 16), OUT_N(I32, 32)},
     .shapes = corpus_short},
    {.kernel = "build3", .args = {IN(F32, GEN_RANDOM), OUT_N(F32, 3)}, .shapes = corpus_short},
    {.kernel = "component_dynamic",
     .args = {IN_N(I32, GEN_RANDOM, 4), IN(U32, GEN_RANDOM), OUT_N(I32, 2)},
     .shapes = corpus_short},
    {.kernel = "compare4",
     .args = {IN_N(F32, GEN_EDGE, 4), IN_N(F32, GEN_EDGE, 4), OUT_N(I32, 16)},
     .shapes = corpus_short},
    {.kernel = "compare_uchar8",
     .args = {IN_N(U8, GEN_SMALL, 8), IN_N(U8, GEN_SMALL, 8), OUT_N(I8, 8)},
     .shapes = corpus_short},
    {.kernel = "ternary4",
     .args = {IN_N(I32, GEN_RANDOM, 4), IN_N(F32, GEN_EDGE, 4), OUT_N(F32, 4)},
     .shapes = corpus_short},
    {.kernel = "ternary_scalar",
     .args = {IN(I32, GEN_RANDOM), IN_N(F32, GEN_RANDOM, 4), OUT_N(F32, 4)},
     .shapes = corpus_short},
    {.kernel = "any_all", .args = {IN_N(I32, GEN_RANDOM, 4), OUT(I32)}, .shapes = corpus_short},
    {.kernel = "vector_int_ops",
     .args = {IN_N(U32, GEN_EDGE, 4), IN_N(U32, GEN_EDGE, 4), OUT_N(U32, 16)},
     .shapes = corpus_short},
    {.kernel = "vector_div_dead_lanes",
     .args = {IN_N(I32, GEN_RANDOM, 4), IN_N(I32, GEN_BIT, 4), OUT_N(I32, 4)},
     .shapes = corpus_short},
    {.kernel = "shuffle_const",
     .args = {IN_N(F32, GEN_RANDOM, 4), IN_N(F32, GEN_RANDOM, 4), OUT_N(F32, 8)},
     .shapes = corpus_short},
    {.kernel = "shuffle_dynamic",
     .args = {IN_N(F32, GEN_RANDOM, 4), IN_N(U32, GEN_RANDOM, 4), OUT_N(F32, 4)},
     .shapes = corpus_short},
    {.kernel = "vload_offsets",
     .args = {{ARG_IN, U8, GEN_RANDOM, 4, 3, 0, 0}, OUT_N(U8, 4), VALUE(U32, 3)},
     .shapes = corpus_short},
    {.kernel = "vector_in_loop",
     .args = {IN_N(F32, GEN_SMALL, 4), OUT_N(F32, 4), VALUE(U32, 9)},
     .shapes = corpus_short},
    {.kernel = "vector_phi", .args = {IN(I32, GEN_RANDOM), OUT_N(I32, 4)}, .shapes = corpus_short},
    {.kernel = "vector_args",
     .args = {STRUCT(scale), STRUCT(add), STRUCT(bytes), OUT_N(F32, 4)},
     .shapes = corpus_short},
    {.kernel = "vector_long_bool",
     .args = {IN_N(I64, GEN_RANDOM, 4), OUT_N(I64, 4)},
     .shapes = corpus_short},
};

TOPIC_FILES(vectors, CORPUS_FILE("vectors", vectors));
