/* The second set of kernels: what people bring, written without regard to what Geoid does well.
 * It shows whether the speed of the first set (table.c) carries over. Do not tune these kernels. */
#include "args.h"

/* The bits of floats. */
enum {
    FLOAT_1E_5 = 0x3727c5ac,
    FLOAT_8 = 0x41000000,
};

#define VOLUME(a, b, c, x, y, z)                                                                   \
    {(a) / (x), (b) / (y), (c) / (z)},                                                             \
    {                                                                                              \
        x, y, z                                                                                    \
    }

static const struct bench_row second[] = {
    {"softmax_rows",
     "softmax_rows",
     "networks",
     LINE(512 * 256, 256),
     {FLOATS(512 * 1000), OUT(512 * 1000), VALUE(1000)}},
    {"layer_norm",
     "layer_norm",
     "networks",
     LINE(2 * K * 128, 128),
     {FLOATS(2 * K * 768), FLOATS(768), FLOATS(768), OUT(2 * K * 768), VALUE(768),
      VALUE(FLOAT_1E_5)}},
    {"attention",
     "attention",
     "networks",
     LINE(256 * 64, 64),
     {FLOATS(256 * 64), FLOATS(512 * 64), FLOATS(512 * 64), OUT(256 * 64), VALUE(500)}},
    {"conv2d",
     "conv2d",
     "networks",
     VOLUME(64, 64, 16, 16, 8, 1),
     {FLOATS(64 * K), FLOATS(16 * 16 * 9), OUT(64 * K), VALUE(64), VALUE(64), VALUE(16)}},
    {"conv3d",
     "conv3d",
     "networks",
     VOLUME(96, 96, 96, 16, 4, 4),
     {FLOATS(96 * 96 * 96), FLOATS(27), OUT(96 * 96 * 96), VALUE(96)}},
    {"max_pool",
     "max_pool",
     "networks",
     VOLUME(112, 112, 64, 16, 16, 1),
     {FLOATS(64 * 224 * 224), OUT(64 * 112 * 112), VALUE(224), VALUE(224)}},
    {"gemv_rows",
     "gemv_rows",
     "networks",
     LINE(2 * K * 64, 64),
     {FLOATS(2 * M), FLOATS(K), OUT(2 * K), VALUE(K)}},
    {"gemv_item",
     "gemv_item",
     "networks",
     LINE(2 * K, 64),
     {FLOATS(2 * M), FLOATS(K), OUT(2 * K), VALUE(K)}},
    {"gemv_columns",
     "gemv_columns",
     "networks",
     LINE(2 * K, 64),
     {FLOATS(2 * M), FLOATS(K), OUT(2 * K), VALUE(K), VALUE(2 * K)}},
    {"gemv_half",
     "gemv_half",
     "networks",
     LINE(2 * K * 64, 64),
     {HALVES(2 * M), FLOATS(K), OUT(2 * K), VALUE(K)}},
    {"gemm_int8",
     "gemm_int8",
     "networks",
     PLANE(256, 16, 16),
     {WORDS(16 * K), WORDS(16 * K), OUT_WORDS(64 * K), VALUE(256), VALUE(64)}},
    {"gelu", "gelu", "networks", LINE(M, 256), {FLOATS(M), OUT(M), VALUE(FLOAT_8)}},
};

const struct bench_table bench_second = {second, sizeof(second) / sizeof(second[0])};
