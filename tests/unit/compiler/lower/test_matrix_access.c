/* Accesses of cooperative matrices that stay inside of a height and a width, in sub-groups of 8, 16
 * and 32; what is refused; and a module of LLVM's. */
#include "matrix_kernel.h"

#include "compiler/ir/matrix.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t sizes[] = {8, 16, 32};

/* ---- inside of a height and a width ---- */

#define HEIGHT 11
#define WIDTH  19
#define TALL   8
#define BROAD  6

/* test(in, out, copy, filled, x, y): out, copy and filled are HEIGHT x WIDTH, TALL x BROAD twice. */
static void checked_kernel(struct matrix_kernel *k, uint32_t layout)
{
    struct words *w = &k->w;
    uint32_t byte = words_int(w, 8), type = matrix_kernel_type(w, byte, TALL, BROAD);
    uint32_t x = k->first + 4, y = k->first + 5, height = words_i32(w, HEIGHT);
    uint32_t width = words_i32(w, WIDTH);
    uint32_t stride = layout == GEO_MATRIX_COLUMN_MAJOR ? height : width;
    uint32_t value = words_constant(w, byte, 0x5b, 8);
    const uint32_t from[] = {k->first, x, y, words_i32(w, layout), height, width, stride};
    uint32_t matrix = words_op(w, GEO_SPV_COOPERATIVE_MATRIX_LOAD_CHECKED, type, 7, from);
    matrix_kernel_store(k, k->first + 2, matrix, BROAD);
    const uint32_t to[] = {k->first + 1, x, y, matrix, words_i32(w, layout), height, width, stride};
    words_do(w, GEO_SPV_COOPERATIVE_MATRIX_STORE_CHECKED, 8, to);
    const uint32_t prefetch[] = {
        k->first, x, y, words_i32(w, TALL), words_i32(w, BROAD), 0, words_i32(w, layout), stride};
    words_do(w, GEO_SPV_COOPERATIVE_MATRIX_PREFETCH, 8, prefetch);
    const uint32_t fill[] = {x, y, height, width, value};
    matrix_kernel_store(k, k->first + 3,
                        words_op(w, GEO_SPV_COOPERATIVE_MATRIX_CONSTRUCT_CHECKED, type, 5, fill),
                        BROAD);
}

/* Where row r, column c of the matrix at (x, y) is; -1: not inside. Packed, x and y count lines of
 * four rows and their bytes. */
static int32_t checked_place(uint32_t layout, int32_t x, int32_t y, int32_t r, int32_t c)
{
    int32_t line = x + r, place = y + c;
    if (layout == GEO_MATRIX_PACKED) {
        line = x + r / 4;
        place = y + 4 * c + r % 4;
    }
    if (line < 0 || line >= HEIGHT || place < 0 || place >= WIDTH) {
        return -1;
    }
    return layout == GEO_MATRIX_COLUMN_MAJOR ? place * HEIGHT + line : line * WIDTH + place;
}

static void checked_test(uint32_t layout, uint32_t items, int32_t x, int32_t y)
{
    static const enum number kinds[] = {NUMBER_I8, NUMBER_I8, NUMBER_I8, NUMBER_I8};
    struct guarded in = guarded_create(HEIGHT * WIDTH), out = guarded_create(HEIGHT * WIDTH);
    uint8_t copy[TALL * BROAD], filled[TALL * BROAD], wanted[HEIGHT * WIDTH];
    const struct program_argument arguments[] = {
        PROGRAM_POINTER(in.data), PROGRAM_POINTER(out.data), PROGRAM_POINTER(copy),
        PROGRAM_POINTER(filled),  PROGRAM_VALUE(x),          PROGRAM_VALUE(y)};
    struct matrix_kernel *kernel = matrix_kernel_begin(items, kinds, 4, 2);
    number_fill(NUMBER_I8, in.data, HEIGHT * WIDTH, 6);
    memset(out.data, 0x33, HEIGHT * WIDTH);
    memset(wanted, 0x33, sizeof(wanted));
    memset(copy, 0x44, sizeof(copy));
    memset(filled, 0x44, sizeof(filled));
    checked_kernel(kernel, layout);
    matrix_kernel_run(kernel, items, true, arguments, 6);
    for (int32_t r = 0; r < TALL; r++) {
        for (int32_t c = 0; c < BROAD; c++) {
            int32_t place = checked_place(layout, x, y, r, c);
            bool inside = x + r >= 0 && x + r < HEIGHT && y + c >= 0 && y + c < WIDTH;
            uint8_t value = place < 0 ? 0 : ((const uint8_t *)in.data)[place];
            assert_int_equal(copy[r * BROAD + c], value);
            assert_int_equal(filled[r * BROAD + c], inside ? 0x5b : 0);
            if (place >= 0) {
                wanted[place] = value;
            }
        }
    }
    assert_memory_equal(out.data, wanted, sizeof(wanted));
    guarded_destroy(&in);
    guarded_destroy(&out);
}

static void accesses_that_stay_inside(void **state)
{
    static const int32_t corners[][2] = {{0, 0}, {-3, 15}, {8, -2}, {40, 40}, {-90, 3}};
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t layout = 0; layout < GEO_MATRIX_LAYOUTS; layout++) {
            checked_test(layout, sizes[(i + layout) % 3], corners[i][0], corners[i][1]);
        }
    }
}

/* ---- what is refused ---- */

struct refusal {
    uint32_t rows, columns, scope, use, layout;
    bool no_stride, other_terms, two_sizes;
    enum number kind; /* of the elements of a product, which literals say to be something */
    uint32_t literals;
    const char *text;
};

/* 8 x 8 x 8 of one kind. */
static void product_of(struct words *w, enum number kind, uint32_t literals)
{
    uint32_t types[3], values[3], element = number_type(w, kind);
    for (uint32_t use = 0; use < 3; use++) {
        const uint32_t operands[] = {element, words_i32(w, SpvScopeSubgroup), words_i32(w, 8),
                                     words_i32(w, 8), words_i32(w, use)};
        types[use] = words_type(w, GEO_SPV_TYPE_COOPERATIVE_MATRIX_KHR, 5, operands);
        values[use] = words_op(w, SpvOpUndef, types[use], 0, NULL);
    }
    words_op(w, GEO_SPV_COOPERATIVE_MATRIX_MUL_ADD_KHR, types[2], 4,
             (const uint32_t[]){values[0], values[1], values[2], literals});
}

static void refusal_test(const struct refusal *r)
{
    static const enum number kinds[] = {NUMBER_FLOAT};
    struct matrix_kernel *kernel = matrix_kernel_begin(16, kinds, 1, 0);
    struct words *w = &kernel->w;
    struct geo_ir_module *module = NULL;
    struct geo_strbuf log;
    const uint32_t operands[] = {words_float(w, 32), words_i32(w, r->scope), words_i32(w, r->rows),
                                 words_i32(w, r->columns), words_i32(w, r->use)};
    if (r->two_sizes) {
        words_mode(w, SpvExecutionModeSubgroupSize, 1, (const uint32_t[]){8});
    }
    uint32_t type = words_type(w, GEO_SPV_TYPE_COOPERATIVE_MATRIX_KHR, 5, operands);
    const uint32_t places[] = {kernel->first, words_i32(w, r->layout), words_i32(w, 64)};
    uint32_t matrix =
        words_op(w, GEO_SPV_COOPERATIVE_MATRIX_LOAD_KHR, type, r->no_stride ? 2 : 3, places);
    if (r->other_terms) {
        words_op(w, GEO_SPV_COOPERATIVE_MATRIX_MUL_ADD_KHR, type, 3,
                 (const uint32_t[]){matrix, matrix, matrix});
    }
    if (r->literals) {
        product_of(w, r->kind, r->literals);
    }
    words_end(w);
    struct words_part *all = malloc(sizeof(*all));
    assert_non_null(all);
    words_finish(w, all);
    geo_strbuf_init(&log, 0);
    ze_result_t result =
        geo_spirv_read(all->words, all->count * sizeof(all->words[0]), &module, &log);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_transform_canonicalize(module, true, &log);
    }
    assert_int_equal(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    if (!strstr(geo_strbuf_text(&log), r->text)) {
        fail_msg("\"%s\" is not in: %s", r->text, geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
    free(all);
    free(kernel);
}

static void what_is_refused(void **state)
{
    static const struct refusal refusals[] = {
        {.rows = 1u << 20, .columns = 1u << 20, .scope = 3, .text = "1048576 x 1048576"},
        {.rows = 1u << 16, .columns = 1u << 16, .scope = 3, .text = "65536 x 65536"},
        {.rows = 64, .columns = 33, .scope = 3, .text = "1 to 2048 elements"},
        {.rows = 0, .columns = 8, .scope = 3, .text = "0 x 8"},
        {.rows = 8, .columns = 8, .scope = 2, .text = "another scope"},
        {.rows = 8, .columns = 8, .scope = 3, .use = 3, .text = "its use is unknown"},
        {.rows = 8, .columns = 8, .scope = 3, .layout = 3, .text = "its layout is not supported"},
        {.rows = 8, .columns = 8, .scope = 3, .no_stride = true, .text = "it has no stride"},
        {.rows = 8, .columns = 8, .scope = 3, .other_terms = true, .text = "the required types"},
        {.rows = 8, .columns = 8, .scope = 3, .two_sizes = true, .text = "different sizes"},
        {.rows = 8,
         .columns = 8,
         .scope = 3,
         .kind = NUMBER_FLOAT,
         .literals = GEO_MATRIX_AB_BFLOAT,
         .text = "the required types"},
        {.rows = 8,
         .columns = 8,
         .scope = 3,
         .kind = NUMBER_DOUBLE,
         .literals = GEO_MATRIX_AB_TF32,
         .text = "the required types"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        refusal_test(&refusals[i]);
    }
}

/* ---- another producer ---- */

/* kernels/matrix_llvm.ll; the kernel requires no size of sub-groups. Rows below the array must be
 * zeros, with masked loads of bytes and without them. */
static void what_llvm_writes(void **state)
{
    enum { M = 8, N = 16, K = 32, HEIGHT_OF_A = 5 };
    int8_t a[M * K], b[K * N];
    int32_t out[M * N];
    const uint32_t height = HEIGHT_OF_A;
    const struct program_argument arguments[] = {PROGRAM_POINTER(a), PROGRAM_POINTER(b),
                                                 PROGRAM_POINTER(out), PROGRAM_VALUE(height)};
    (void)state;
    number_fill(NUMBER_I8, a, sizeof(a), 9);
    number_fill(NUMBER_I8, b, sizeof(b), 10);
    static const char *const levels[] = {NULL, "x86-64-v3", "x86-64-v2"};
    for (int i = 0; i < 6; i++) {
        const struct program_options options = {.optimize = i % 2, .cpu = levels[i / 2]};
        const struct program_launch launch = {.groups = {1, 1, 1}, .local = {16, 1, 1}};
        struct program *program = program_build("matrix_llvm", &options);
        memset(out, 0, sizeof(out));
        if (program_runs(program)) {
            program_run(program, "product", &launch, arguments, 4);
        }
        for (int row = 0; program_runs(program) && row < M; row++) {
            for (int column = 0; column < N; column++) {
                int32_t sum = 0;
                for (int k = 0; row < HEIGHT_OF_A && k < K; k++) {
                    sum += a[row * K + k] * b[k / 4 * 64 + column * 4 + k % 4];
                }
                assert_int_equal(out[row * N + column], 3 + 3 * sum);
            }
        }
        program_destroy(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_that_stay_inside),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(what_llvm_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
