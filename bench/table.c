/* The rows of table.h. If a kernel has several rows, the names of later rows tell the size or
 * shape. */
#include "args.h"

/* The bits of floats. */
enum {
    FLOAT_2_5 = 0x40200000,
    FLOAT_0_01 = 0x3c23d70a,
    FLOAT_MINUS_2_2 = (int)0xc00ccccd,
    FLOAT_MINUS_1_5 = (int)0xbfc00000,
    FLOAT_3_512TH = 0x3bc00000,
};

#define SGEMM(name, kernel, n)                                                                     \
    {                                                                                              \
        name, kernel, "kernels", PLANE(n, 16, 16),                                                 \
        {                                                                                          \
            FLOATS(n * n), FLOATS(n * n), OUT(n * n), VALUE(n)                                     \
        }                                                                                          \
    }
#define TRANSPOSE(name, kernel, file, n)                                                           \
    {                                                                                              \
        name, kernel, file, PLANE(n, 16, 16),                                                      \
        {                                                                                          \
            FLOATS((n) * (n)), OUT((n) * (n)), VALUE(n)                                            \
        }                                                                                          \
    }
#define TRANSPOSE_BYTES(name, n)                                                                   \
    {                                                                                              \
        name, name, "groups", PLANE(n, 16, 16),                                                    \
        {                                                                                          \
            WORDS((n) * (n) / 4), OUT_WORDS((n) * (n) / 4), VALUE(n)                               \
        }                                                                                          \
    }
#define SHAPE(x, y)                                                                                \
    {                                                                                              \
        "shape_" #x "x" #y, "shape", "numbers", PLANE(K, x, y),                                    \
        {                                                                                          \
            FLOATS(M), OUT(M), VALUE(K)                                                            \
        }                                                                                          \
    }

static const struct bench_row kernels[] = {
    {"saxpy",
     "saxpy",
     "kernels",
     LINE(4 * M, 256),
     {VALUE(FLOAT_2_5), FLOATS(4 * M), INOUT(4 * M)}},
    {"triad",
     "triad",
     "kernels",
     LINE(16 * K, 256),
     {OUT(16 * K), FLOATS(16 * K), FLOATS(16 * K), VALUE(FLOAT_2_5)}},
    {"triad_large",
     "triad",
     "kernels",
     LINE(8 * M, 256),
     {OUT(8 * M), FLOATS(8 * M), FLOATS(8 * M), VALUE(FLOAT_2_5)}},
    SGEMM("sgemm_naive_256", "sgemm_naive", 256),
    SGEMM("sgemm_naive", "sgemm_naive", 512),
    SGEMM("sgemm_naive_1024", "sgemm_naive", 1024),
    SGEMM("sgemm_tiled_256", "sgemm_tiled", 256),
    SGEMM("sgemm_tiled", "sgemm_tiled", 512),
    SGEMM("sgemm_tiled_1024", "sgemm_tiled", 1024),
    {"nbody",
     "nbody",
     "kernels",
     LINE(4 * K, 128),
     {FLOATS(4 * 4 * K), OUT(4 * 4 * K), VALUE(4 * K)}},
    {"mandelbrot",
     "mandelbrot",
     "kernels",
     PLANE(512, 64, 2),
     {OUT_COUNTS(512 * 512), VALUE(512), VALUE((uint32_t)FLOAT_MINUS_2_2),
      VALUE((uint32_t)FLOAT_MINUS_1_5), VALUE(FLOAT_3_512TH), VALUE(256)}},
    {"black_scholes", "black_scholes", "kernels", LINE(M, 256), {FLOATS(M), OUT(M), OUT(M)}},
    {"sin_pow", "sin_pow", "kernels", LINE(M, 256), {FLOATS(M), OUT(M)}},
    {"reduce_tree", "reduce_tree", "kernels", LINE(4 * M, 256), {FLOATS(4 * M), OUT(4 * M / 256)}},
    {"subgroup_reduce",
     "subgroup_reduce",
     "subgroups",
     LINE(4 * M, 256),
     {FLOATS(4 * M), OUT(4 * M / 256)}},
    {"scan_hillis", "scan_hillis", "groups", LINE(M, 256), {FLOATS(M), OUT(M)}},
    {"scan_blelloch", "scan_blelloch", "groups", LINE(M / 2, 256), {FLOATS(M), OUT(M)}},
    {"subgroup_scan", "subgroup_scan", "subgroups", LINE(M, 256), {FLOATS(M), OUT(M)}},
    {"histogram", "histogram", "kernels", LINE(M / 16, 256), {WORDS(M), OUT_WORDS(256)}},
    {"histogram_global", "histogram_global", "groups", LINE(M, 256), {WORDS(M), OUT_WORDS(256)}},
    TRANSPOSE("transpose_512", "transpose", "kernels", 512),
    TRANSPOSE("transpose", "transpose", "kernels", 2 * K),
    TRANSPOSE("transpose_tiled", "transpose_tiled", "groups", 2 * K),
    TRANSPOSE_BYTES("transpose_bytes", 2 * K),
    TRANSPOSE_BYTES("transpose_bytes_tiled", 2 * K),
    {"stencil",
     "stencil",
     "numbers",
     {2, 32, 128},
     {64, 4, 1},
     {FLOATS(2 * M), OUT(2 * M), VALUE(128)}},
    {"jacobi",
     "jacobi",
     "numbers",
     PLANE(2 * K, 16, 16),
     {FLOATS(4 * M), FLOATS(4 * M), OUT(4 * M), VALUE(2 * K)}},
    {"lu_step", "lu_step", "numbers", PLANE(K, 16, 16), {INOUT(M), VALUE(K), VALUE(3)}},
    {"lu_local", "lu_local", "groups", LINE(32 * K, 32), {FLOATS(M), OUT(M)}},
    {"spmv",
     "spmv",
     "kernels",
     LINE(64 * K, 64),
     {WORDS(12 * 64 * K), FLOATS(12 * 64 * K), FLOATS(64 * K), OUT(64 * K), VALUE(64 * K)}},
    {"spmv_csr",
     "spmv_csr",
     "numbers",
     LINE(64 * K, 64),
     {ROWS(64 * K), BELOW(64 * K, 2 * M), FLOATS(2 * M), FLOATS(64 * K), OUT(64 * K)}},
    {"spmv_ell",
     "spmv_ell",
     "numbers",
     LINE(64 * K, 64),
     {BELOW(64 * K, M), FLOATS(M), FLOATS(64 * K), OUT(64 * K), VALUE(64 * K)}},
    {"bitonic", "bitonic", "sort", LINE(M, 256), {INOUT_WORDS(M), VALUE(64 * K), VALUE(128 * K)}},
    {"bitonic_near", "bitonic", "sort", LINE(M, 256), {INOUT_WORDS(M), VALUE(4), VALUE(64)}},
    {"bitonic_local", "bitonic_local", "sort", LINE(M / 2, 256), {WORDS(M), OUT_WORDS(M)}},
    {"radix_count",
     "radix_count",
     "sort",
     LINE(M / 16, 256),
     {WORDS(M), OUT_WORDS(M / 256), VALUE(20)}},
    {"radix_local", "radix_local", "sort", LINE(M / 16, 256), {WORDS(M), OUT_WORDS(M), VALUE(20)}},
    {"monte_carlo",
     "monte_carlo",
     "numbers",
     LINE(16 * K, 128),
     {OUT_COUNTS(16 * K), VALUE(12345)}},
    {"fft_local", "fft_local", "groups", LINE(M / 2, 256), {FLOATS(2 * M), OUT(2 * M), ROOTS(512)}},
    {"kmeans",
     "kmeans",
     "numbers",
     LINE(256 * K, 256),
     {FLOATS(M), FLOATS(4 * 32), OUT_COUNTS(256 * K), VALUE(32)}},
    {"particles",
     "particles",
     "numbers",
     LINE(128 * K, 128),
     {INOUT(8 * 128 * K), VALUE(FLOAT_0_01), VALUE(FLOAT_2_5)}},
    {"sobel", "sobel", "bytes", PLANE(2 * K, 16, 16), {WORDS(M), OUT_WORDS(M), VALUE(2 * K)}},
    {"rgb_to_gray", "rgb_to_gray", "bytes", LINE(4 * M, 256), {WORDS(3 * M), OUT_WORDS(M)}},
    {"aes_ctr",
     "aes_ctr",
     "bytes",
     LINE(256 * K, 256),
     {WORDS(M), OUT_WORDS(M), BOX, WORDS(44), VALUE(0x01020304)}},
    {"sha256", "sha256", "bytes", LINE(64 * K, 256), {WORDS(M), OUT_WORDS(M / 2)}},
    SHAPE(256, 1),
    SHAPE(16, 16),
    SHAPE(8, 32),
    SHAPE(4, 64),
    SHAPE(1, 256),
    SHAPE(1, 1),
};

#define FUNCTION(name)                                                                             \
    {"maths_" #name,       "maths_" #name, "maths",                                                \
     {65536 / 256, 16, 1}, {256, 1, 1},    {FLOATS(65536), OUT(65536)}},
#define MATHS_ONE(name, ...)        FUNCTION(name)
#define MATHS_TWO(name, ...)        FUNCTION(name)
#define MATHS_INT(name, ...)        FUNCTION(name)
#define MATHS_POINTER(name, ...)    FUNCTION(name)
#define MATHS_DOUBLE(name, ...)     FUNCTION(double_##name)
#define MATHS_DOUBLE_TWO(name, ...) FUNCTION(double_##name)
static const struct bench_row maths[] = {
#include "maths.def"
};

const struct bench_table bench_kernels = {kernels, sizeof(kernels) / sizeof(kernels[0])};
const struct bench_table bench_maths = {maths, sizeof(maths) / sizeof(maths[0])};
