/* Corpus of OpenCL C kernels: whole algorithms. */
#include "../corpus.h"
#include "shapes.h"

static const struct corpus_shape few[] = {SHAPE1(5, 13), SHAPE1(2, 32), SHAPE_END};
static const struct corpus_shape picture[] = {SHAPE1(15, 40), SHAPE_END}; /* 600 items: 30 x 20 */
static const struct corpus_shape powers[] = {SHAPE1(3, 2), SHAPE1(2, 16), SHAPE1(3, 64),
                                             SHAPE1(1, 256), SHAPE_END};
static const struct corpus_shape any_size[] = {SHAPE1(3, 1), SHAPE1(2, 23), SHAPE1(3, 64),
                                               SHAPE_END};

#define FLOAT_2_5   0x40200000
#define FLOAT_M2    0xc0000000
#define FLOAT_M1    0xbf800000
#define FLOAT_TENTH 0x3dcccccd

static const struct corpus_case programs[] = {
    {.kernel = "saxpy",
     .args = {VALUE_F32(FLOAT_2_5), IN(F32, GEN_RANDOM), INOUT(F32, GEN_RANDOM), VALUE(U32, 250)},
     .shapes = corpus_flat,
     .flags = CORPUS_UNALIGNED},
    {.kernel = "spmv_csr",
     .args = {IN(U32, GEN_RANDOM), IN_N(U32, GEN_RANDOM, 9), IN_N(F32, GEN_SMALL, 9),
              IN(F32, GEN_SMALL), OUT(F32)},
     .shapes = corpus_short},
    {.kernel = "mandelbrot",
     .args = {OUT(U32), VALUE(U32, 30), VALUE_F32(FLOAT_M2), VALUE_F32(FLOAT_M1),
              VALUE_F32(FLOAT_TENTH), VALUE(U32, 99)},
     .shapes = picture},
    {.kernel = "nbody",
     .args = {IN_N(F32, GEN_UNIT, 4), OUT_N(F32, 4), VALUE(U32, 60)},
     .shapes = few,
     .ulp = 256.0,
     .near = 1e-3},
    {.kernel = "black_scholes",
     .args = {IN(F32, GEN_RANDOM), OUT_N(F32, 2)},
     .shapes = corpus_short,
     .ulp = 16384.0,
     .near = 1e-4},
    {.kernel = "philox",
     .args = {OUT_N(U32, 4), VALUE(U32, 0x12345678), VALUE(U32, 0x9abcdef0)},
     .shapes = corpus_short},
    {.kernel = "xorshift_monte_carlo",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), VALUE(U32, 100)},
     .shapes = few},
    {.kernel = "sha256_block", .args = {IN_N(U32, GEN_RANDOM, 16), OUT_N(U32, 8)}, .shapes = few},
    {.kernel = "quicksort", .args = {IN_N(U8, GEN_RANDOM, 16), OUT_N(U8, 16)}, .shapes = few},
    {.kernel = "life", .args = {IN(U8, GEN_BIT), OUT(U8), VALUE(I32, 30)}, .shapes = picture},
    {.kernel = "convolve",
     .args = {IN(F32, GEN_SMALL), IN_ALL(F32, GEN_SMALL, 7), OUT(F32), VALUE(I32, 3)},
     .shapes = corpus_short},
    {.kernel = "sobel",
     .args = {IN_N(U8, GEN_RANDOM, 4), OUT_N(U8, 4), VALUE(I32, 30)},
     .shapes = picture},
    {.kernel = "kmeans_assign",
     .args = {IN_N(F32, GEN_RANDOM, 2), IN_ALL(F32, GEN_RANDOM, 14), OUT(U32), VALUE(U32, 7)},
     .shapes = corpus_short},
    {.kernel = "levenshtein",
     .args = {IN_N(U8, GEN_RANDOM, 8), IN_N(U8, GEN_RANDOM, 8), OUT(U32)},
     .shapes = few},
    {.kernel = "queens", .args = {OUT(U32)}, .shapes = few},
    {.kernel = "gauss_4x4",
     .args = {IN_N(F32, GEN_RANDOM, 16), OUT_N(F32, 4)},
     .shapes = few,
     .ulp = 4096.0,
     .near = 1e-6},
    {.kernel = "ray_sphere",
     .args = {IN_N(F32, GEN_RANDOM, 4), IN_ALL(F32, GEN_RANDOM, 40), OUT(F32), VALUE(I32, 10)},
     .shapes = corpus_short},
    {.kernel = "crc32",
     .args = {IN_N(U8, GEN_RANDOM, 11), OUT(U32), VALUE(U32, 11)},
     .shapes = few},
    {.kernel = "fft_8",
     .args = {IN_N(F32, GEN_SMALL, 16), OUT_N(F32, 16)},
     .shapes = few,
     .ulp = 64.0,
     .near = 1e-4},
    {.kernel = "reduce_two_stage",
     .args = {IN_N(F32, GEN_SMALL, 3), OUT_ALL(F32, 3), LOCAL_N(4), VALUE(U32, 3)},
     .shapes = powers},
    {.kernel = "radix_pass",
     .args = {IN(U32, GEN_RANDOM), OUT(U32), LOCAL_N(4), VALUE(U32, 5)},
     .shapes = any_size},
};

TOPIC_FILES(programs, CORPUS_FILE("programs", programs));
