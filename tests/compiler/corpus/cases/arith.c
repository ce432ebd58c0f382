/* Corpus of OpenCL C kernels: scalar arithmetic of every type on edge values. */
#include "../corpus.h"
#include "shapes.h"

#define INT_CASES(name, TYPE)                                                                      \
    {.kernel = "arith_" name,                                                                      \
     .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT_N(TYPE, 9)},                             \
     .shapes = corpus_flat,                                                                        \
     .flags = CORPUS_UNALIGNED},                                                                   \
        {.kernel = "div_" name,                                                                    \
         .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT_N(TYPE, 2)},                         \
         .shapes = corpus_flat,                                                                    \
         .flags = CORPUS_UNALIGNED},                                                               \
        {.kernel = "div_dead_lanes_" name,                                                         \
         .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT_N(TYPE, 2)},                         \
         .shapes = corpus_flat,                                                                    \
         .flags = CORPUS_UNALIGNED},                                                               \
        {.kernel = "shift_" name,                                                                  \
         .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT_N(TYPE, 3)},                         \
         .shapes = corpus_short},                                                                  \
    {                                                                                              \
        .kernel = "compare_" name, .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT(I32)},     \
        .shapes = corpus_flat                                                                      \
    }

static const struct corpus_case arith_int[] = {
    INT_CASES("char", I8),    INT_CASES("uchar", U8),  INT_CASES("short", I16),
    INT_CASES("ushort", U16), INT_CASES("int", I32),   INT_CASES("uint", U32),
    INT_CASES("long", I64),   INT_CASES("ulong", U64),
};

#define FLOAT_CASES(name, TYPE, BITS)                                                              \
    {.kernel = "arith_" name,                                                                      \
     .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT_N(TYPE, 5)},                             \
     .shapes = corpus_flat,                                                                        \
     .flags = CORPUS_UNALIGNED},                                                                   \
        {.kernel = "div_" name,                                                                    \
         .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT(TYPE)},                              \
         .shapes = corpus_flat,                                                                    \
         .ulp = 2.5},                                                                              \
        {.kernel = "compare_" name,                                                                \
         .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT(I32)},                               \
         .shapes = corpus_flat},                                                                   \
        {.kernel = "choose_" name,                                                                 \
         .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT_N(TYPE, 2)},                         \
         .shapes = corpus_flat},                                                                   \
        {.kernel = "bits_" name,                                                                   \
         .args = {IN(TYPE, GEN_BITS), OUT_N(BITS, 2)},                                             \
         .shapes = corpus_short},                                                                  \
    {                                                                                              \
        .kernel = "horner_" name, .args = {IN(TYPE, GEN_UNIT), OUT(TYPE)}, .shapes = corpus_short  \
    }

static const struct corpus_case arith_float[] = {
    FLOAT_CASES("float", F32, U32),
    FLOAT_CASES("double", F64, U64),
    {.kernel = "arith_mixed",
     .args = {IN(F32, GEN_RANDOM), IN(F64, GEN_RANDOM), IN(I32, GEN_SMALL), OUT(F64)},
     .shapes = corpus_flat},
};

/* An even number of items. */
static const struct corpus_shape narrow_shapes[] = {SHAPE1(2, 37), SHAPE1(2, 64), SHAPE1(6, 1),
                                                    SHAPE1(3, 256), SHAPE_END};

static const struct corpus_case narrow[] = {
    {.kernel = "narrow_bytes",
     .args = {IN(U8, GEN_EDGE), IN(I8, GEN_EDGE), OUT_N(I32, 4)},
     .shapes = narrow_shapes},
    {.kernel = "narrow_gradient",
     .args = {IN(U8, GEN_EDGE), IN(U8, GEN_RANDOM), OUT(U16)},
     .shapes = narrow_shapes},
    {.kernel = "narrow_weights",
     .args = {IN(U8, GEN_EDGE), IN(U8, GEN_EDGE), OUT(U32)},
     .shapes = narrow_shapes},
    {.kernel = "narrow_compared",
     .args = {IN(U16, GEN_EDGE), IN(I16, GEN_EDGE), OUT(I32)},
     .shapes = narrow_shapes},
};

TOPIC_FILES(arith, CORPUS_FILE("arith_int", arith_int), CORPUS_FILE("arith_float", arith_float),
            CORPUS_FILE("narrow", narrow));
