/* Corpus of OpenCL C kernels: integer, relational, common and geometric functions. */
#include "../corpus.h"
#include "../kernels/masked.h"
#include "shapes.h"

#include <math.h>

#define INTEGER(name, TYPE)                                                                        \
    {.kernel = "one_" name, .args = {IN(TYPE, GEN_EDGE), OUT_N(TYPE, 3)}, .shapes = corpus_flat},  \
        {.kernel = "two_" name,                                                                    \
         .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT_N(TYPE, 9)},                         \
         .shapes = corpus_flat},                                                                   \
    {                                                                                              \
        .kernel = "three_" name,                                                                   \
        .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT_N(TYPE, 3)},      \
        .shapes = corpus_flat                                                                      \
    }

static const struct corpus_case integer[] = {
    INTEGER("char", I8),
    INTEGER("uchar", U8),
    INTEGER("short", I16),
    INTEGER("ushort", U16),
    INTEGER("int", I32),
    INTEGER("uint", U32),
    INTEGER("long", I64),
    INTEGER("ulong", U64),
    {.kernel = "upsample_all",
     .args = {IN(U32, GEN_EDGE), IN(U32, GEN_EDGE), OUT_N(U64, 4)},
     .shapes = corpus_short},
    {.kernel = "fast24",
     .args = {IN(I32, GEN_RANDOM), IN(I32, GEN_RANDOM), OUT_N(I32, 2)},
     .shapes = corpus_short},
    {.kernel = "vectors_int4",
     .args = {IN_N(I32, GEN_EDGE, 4), IN_N(I32, GEN_EDGE, 4), OUT_N(I32, 20)},
     .shapes = corpus_short},
    {.kernel = "vectors_uchar16",
     .args = {IN_N(U8, GEN_EDGE, 16), IN_N(U8, GEN_EDGE, 16), OUT_N(U8, 48)},
     .shapes = corpus_short},
    {.kernel = "vectors_long3",
     .args = {IN_N(I64, GEN_EDGE, 3), IN_N(I64, GEN_EDGE, 3), OUT_N(I64, 3)},
     .shapes = corpus_short},
    {.kernel = "trailing_zeros",
     .args = {IN(U32, GEN_EDGE), IN(U64, GEN_EDGE), OUT_N(U64, 2)},
     .shapes = corpus_short},
};

#define RELATIONAL(name, TYPE, BITS)                                                               \
    {.kernel = "compare_" name,                                                                    \
     .args = {IN(TYPE, GEN_EDGE), IN(TYPE, GEN_EDGE), OUT(I32)},                                   \
     .shapes = corpus_flat},                                                                       \
        {.kernel = "classify_" name,                                                               \
         .args = {IN(TYPE, GEN_BITS), OUT(I32)},                                                   \
         .shapes = corpus_flat},                                                                   \
        {.kernel = "compare_" name "4",                                                            \
         .args = {IN_N(TYPE, GEN_EDGE, 4), IN_N(TYPE, GEN_EDGE, 4), OUT_N(BITS, 12)},              \
         .shapes = corpus_short},                                                                  \
    {                                                                                              \
        .kernel = "select_" name,                                                                  \
        .args = {IN(TYPE, GEN_RANDOM), IN(TYPE, GEN_RANDOM), IN(BITS, GEN_EDGE), OUT_N(TYPE, 2)},  \
        .shapes = corpus_flat                                                                      \
    }

#define EXPECT_MASKED(name, TYPE, ...)                                                             \
    static void expect_masked_##name(struct corpus_run *run)                                       \
    {                                                                                              \
        const TYPE *a = (const TYPE *)run->memory[0], *b = (const TYPE *)run->memory[1];           \
        const TYPE *c = (const TYPE *)run->memory[2];                                              \
        TYPE *out = (TYPE *)run->memory[3];                                                        \
        for (size_t i = 0, stride = run->items; i < run->items; i++) {                             \
            TYPE x = a[i], y = b[i];                                                               \
            bool on = c[i] > 0;                                                                    \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

EXPECT_MASKED(int, int32_t, MERGED_BITS)
EXPECT_MASKED(long, int64_t, MERGED_BITS)
EXPECT_MASKED(float, float, MERGED_SIGNS)
EXPECT_MASKED(double, double, MERGED_SIGNS)

/* pocl's LLVM 14 gets them wrong as LLVM 22 does (codegen/mend.c). */
#define MASKED(name, TYPE, merges)                                                                 \
    {.kernel = "masked_" #name,                                                                    \
     .args = {IN(TYPE, GEN_RANDOM), IN(TYPE, GEN_RANDOM), IN(TYPE, GEN_RANDOM),                    \
              OUT_N(TYPE, 4 * (merges))},                                                          \
     .shapes = corpus_short,                                                                       \
     .flags = CORPUS_NO_POCL,                                                                      \
     .expect = expect_masked_##name}

static const struct corpus_case relational[] = {
    RELATIONAL("float", F32, I32),
    RELATIONAL("double", F64, I64),
    MASKED(int, I32, 4),
    MASKED(long, I64, 4),
    MASKED(float, F32, 2),
    MASKED(double, F64, 2),
    {.kernel = "select_vectors",
     .args = {IN_N(I32, GEN_RANDOM, 4), IN_N(I32, GEN_RANDOM, 4), IN_N(I32, GEN_EDGE, 4),
              OUT_N(I32, 8)},
     .shapes = corpus_short},
    {.kernel = "select_bytes",
     .args = {IN(U8, GEN_RANDOM), IN(U8, GEN_RANDOM), IN(I8, GEN_EDGE), OUT_N(U8, 2)},
     .shapes = corpus_short},
    {.kernel = "any_all",
     .args = {IN_N(F32, GEN_EDGE, 4), IN_N(F32, GEN_EDGE, 4), OUT(I32)},
     .shapes = corpus_short},
    {.kernel = "any_all_scalar",
     .args = {IN(I32, GEN_EDGE), IN(I8, GEN_EDGE), OUT(I32)},
     .shapes = corpus_short},
};

#define COMMON(name, TYPE)                                                                         \
    {.kernel = "two_" name,                                                                        \
     .args = {IN(TYPE, GEN_RANDOM), IN(TYPE, GEN_RANDOM), OUT_N(TYPE, 6)},                         \
     .shapes = corpus_flat,                                                                        \
     .ulp = 2.0},                                                                                  \
        {.kernel = "three_" name,                                                                  \
         .args = {IN(TYPE, GEN_RANDOM), IN(TYPE, GEN_RANDOM), IN(TYPE, GEN_RANDOM),                \
                  OUT_N(TYPE, 3)},                                                                 \
         .shapes = corpus_flat,                                                                    \
         .ulp = 64.0},                                                                             \
        {.kernel = "vectors_" name,                                                                \
         .args = {IN_N(TYPE, GEN_RANDOM, 4), IN_N(TYPE, GEN_RANDOM, 4), OUT_N(TYPE, 16)},          \
         .shapes = corpus_short,                                                                   \
         .ulp = 64.0}

static const struct corpus_case common[] = {COMMON("float", F32), COMMON("double", F64)};

/* Sums of products of small integers are exact in any order; lengths and quotients have bounds. */
#define GEOMETRIC(name, TYPE)                                                                      \
    {.kernel = "products_" name,                                                                   \
     .args = {IN_N(TYPE, GEN_SMALL, 3), IN_N(TYPE, GEN_SMALL, 3), OUT_N(TYPE, 7)},                 \
     .shapes = corpus_short},                                                                      \
        {.kernel = "lengths_" name,                                                                \
         .args = {IN_N(TYPE, GEN_RANDOM, 3), IN_N(TYPE, GEN_RANDOM, 3), OUT_N(TYPE, 5)},           \
         .shapes = corpus_short,                                                                   \
         .ulp = 5.5},                                                                              \
        {.kernel = "normal_" name,                                                                 \
         .args = {IN_N(TYPE, GEN_POSITIVE, 3), OUT_N(TYPE, 3)},                                    \
         .shapes = corpus_short,                                                                   \
         .ulp = 10.0},                                                                             \
    {                                                                                              \
        .kernel = "cross4_" name,                                                                  \
        .args = {IN_N(TYPE, GEN_SMALL, 4), IN_N(TYPE, GEN_SMALL, 4), OUT_N(TYPE, 4)},              \
        .shapes = corpus_short                                                                     \
    }

static const struct corpus_case geometric[] = {
    GEOMETRIC("float", F32),
    GEOMETRIC("double", F64),
    {.kernel = "edges_float",
     .args = {IN_N(F32, GEN_EDGE, 4), OUT_N(F32, 8)},
     .shapes = corpus_flat,
     .ulp = 12.0},
    {.kernel = "edges_double",
     .args = {IN_N(F64, GEN_EDGE, 4), OUT_N(F64, 8)},
     .shapes = corpus_flat,
     .ulp = 12.0},
    {.kernel = "fast",
     .args = {IN_N(F32, GEN_POSITIVE, 3), IN_N(F32, GEN_POSITIVE, 3), OUT_N(F32, 3)},
     .shapes = corpus_short,
     .ulp = 8192.0},
};

TOPIC_FILES(functions, CORPUS_FILE("integer", integer), CORPUS_FILE("relational", relational),
            CORPUS_FILE("common", common), CORPUS_FILE("geometric", geometric));
