/* bfloat16 as a type of its own (SPV_KHR_bfloat16): conversions from and to all kinds of numbers,
 * dot products, and values that only move, at every width. */
#include "numbers.h"
#include "program.h"

#include "compiler/ir/grammar.h"
#include "compiler/link/copy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS 64u

/* to[id] = convert(from[id]) */
static struct geo_ir_module *convert_module(uint32_t op, enum number from, enum number to,
                                            uint32_t rounding)
{
    struct words *w = malloc(sizeof(*w));
    assert_non_null(w);
    words_begin(w);
    words_capability(w, 5116);
    uint32_t types[] = {
        words_pointer(w, SpvStorageClassCrossWorkgroup, number_type(w, from)),
        words_pointer(w, SpvStorageClassCrossWorkgroup, number_type(w, to)),
    };
    uint32_t number = words_int(w, 64), ids = words_vector(w, number, 3);
    uint32_t first = words_kernel(w, "convert", types, 2);
    uint32_t all = words_builtin(w, SpvBuiltInGlobalInvocationId, ids);
    uint32_t id = words_op(w, SpvOpCompositeExtract, number, 2, (const uint32_t[]){all, 0});
    uint32_t in = words_op(w, SpvOpPtrAccessChain, types[0], 2, (const uint32_t[]){first, id});
    uint32_t out = words_op(w, SpvOpPtrAccessChain, types[1], 2, (const uint32_t[]){first + 1, id});
    uint32_t value = words_op(w, SpvOpLoad, number_type(w, from), 1, &in);
    value = words_op(w, op, number_type(w, to), 1, &value);
    if (rounding != UINT32_MAX) {
        words_decorate(w, value, SpvDecorationFPRoundingMode, rounding);
    }
    words_do(w, SpvOpStore, 2, (const uint32_t[]){out, value});
    words_end(w);
    struct geo_ir_module *module = words_model(w);
    free(w);
    return module;
}

static void convert_run(uint32_t op, enum number from, enum number to, uint32_t rounding,
                        uint32_t lanes, const void *in, void *out)
{
    const struct program_options options = {.lanes = lanes, .optimize = lanes > 1};
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out)};
    struct geo_ir_module *module = convert_module(op, from, to, rounding);
    if (lanes == 1) { /* as modules of one program come together */
        struct geo_ir_module *target = geo_ir_module_create(1u << 24);
        assert_non_null(target);
        assert_int_equal(geo_copy_module(target, module), ZE_RESULT_SUCCESS);
        geo_ir_module_destroy(module);
        module = target;
    }
    struct program *program = program_build_model(module, &options);
    program_run(program, "convert", &launch, arguments, 2);
    program_destroy(program);
    geo_ir_module_destroy(module);
}

static const uint32_t widths[] = {1, 8, 16};

/* What is in a bfloat16 is in a float as it is. */
static void from_bfloat(void **state)
{
    static const struct {
        uint32_t op;
        enum number to;
    } ways[] = {{SpvOpFConvert, NUMBER_FLOAT},  {SpvOpFConvert, NUMBER_DOUBLE},
                {SpvOpFConvert, NUMBER_HALF},   {SpvOpConvertFToS, NUMBER_I32},
                {SpvOpConvertFToU, NUMBER_U32}, {SpvOpFConvert, NUMBER_BFLOAT}};
    _Alignas(16) uint16_t in[ITEMS];
    _Alignas(16) uint8_t out[8 * ITEMS];
    (void)state;
    number_fill(NUMBER_BFLOAT, in, ITEMS, 7);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        uint32_t lanes = widths[i % 3];
        convert_run(ways[i].op, NUMBER_BFLOAT, ways[i].to, UINT32_MAX, lanes, in, out);
        for (uint32_t n = 0; n < ITEMS; n++) {
            double x = number_real(NUMBER_BFLOAT, in, n);
            if (ways[i].op == SpvOpConvertFToS) {
                assert_int_equal(number_integer(NUMBER_I32, out, n), (int64_t)x);
            } else if (ways[i].op == SpvOpConvertFToU) {
                assert_int_equal(number_integer(NUMBER_U32, out, n), x < 0 ? 0 : (int64_t)x);
            } else {
                assert_true(number_real(ways[i].to, out, n) == x);
            }
        }
    }
}

/* By way of float, rounded to nearest even from there. */
static uint16_t bfloat_nearest(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void to_bfloat(void **state)
{
    static const struct {
        uint32_t op;
        enum number from;
    } ways[] = {{SpvOpFConvert, NUMBER_FLOAT},
                {SpvOpFConvert, NUMBER_DOUBLE},
                {SpvOpFConvert, NUMBER_HALF},
                {SpvOpConvertSToF, NUMBER_I32},
                {SpvOpConvertUToF, NUMBER_U32}};
    _Alignas(16) uint8_t in[8 * ITEMS];
    _Alignas(16) uint16_t out[ITEMS];
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        uint32_t lanes = widths[(i + 1) % 3];
        number_fill(ways[i].from, in, ITEMS, 8 + i);
        convert_run(ways[i].op, ways[i].from, NUMBER_BFLOAT, UINT32_MAX, lanes, in, out);
        for (uint32_t n = 0; n < ITEMS; n++) {
            float x = number_is_real(ways[i].from) ? (float)number_real(ways[i].from, in, n)
                                                   : (float)number_integer(ways[i].from, in, n);
            assert_int_equal(out[n], bfloat_nearest(x));
        }
    }
}

/* What lies between two numbers goes where the mode says. */
static void roundings_to_bfloat(void **state)
{
    static const uint32_t modes[] = {SpvFPRoundingModeRTE, SpvFPRoundingModeRTZ,
                                     SpvFPRoundingModeRTP, SpvFPRoundingModeRTN};
    _Alignas(16) float in[ITEMS];
    _Alignas(16) uint16_t out[ITEMS];
    (void)state;
    number_fill(NUMBER_FLOAT, in, ITEMS, 20);
    in[0] = INFINITY;
    in[1] = -INFINITY;
    in[2] = NAN;
    for (uint32_t m = 0; m < 4; m++) {
        convert_run(SpvOpFConvert, NUMBER_FLOAT, NUMBER_BFLOAT, modes[m], widths[m % 3], in, out);
        for (uint32_t n = 0; n < ITEMS; n++) {
            uint32_t bits;
            memcpy(&bits, &in[n], sizeof(bits));
            bool up = (bits & 0xffff) && ((modes[m] == SpvFPRoundingModeRTP && in[n] > 0) ||
                                          (modes[m] == SpvFPRoundingModeRTN && in[n] < 0));
            uint16_t want = modes[m] == SpvFPRoundingModeRTE ? bfloat_nearest(in[n])
                                                             : (uint16_t)((bits >> 16) + up);
            assert_true(n == 2 ? (out[n] & 0x7fff) > 0x7f80 : out[n] == want);
        }
    }
}

/* out[id] = dot(a[id], b[id]) */
static struct geo_ir_module *dot_module(uint32_t count)
{
    struct words *w = malloc(sizeof(*w));
    assert_non_null(w);
    words_begin(w);
    words_capability(w, 5117);
    uint32_t bfloat = number_type(w, NUMBER_BFLOAT), vector = words_vector(w, bfloat, count);
    uint32_t pointer = words_pointer(w, SpvStorageClassCrossWorkgroup, vector);
    uint32_t scalar = words_pointer(w, SpvStorageClassCrossWorkgroup, bfloat);
    const uint32_t types[] = {pointer, pointer, scalar};
    uint32_t number = words_int(w, 64), ids = words_vector(w, number, 3), in[2];
    uint32_t first = words_kernel(w, "dots", types, 3);
    uint32_t all = words_builtin(w, SpvBuiltInGlobalInvocationId, ids);
    uint32_t id = words_op(w, SpvOpCompositeExtract, number, 2, (const uint32_t[]){all, 0});
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t at =
            words_op(w, SpvOpPtrAccessChain, pointer, 2, (const uint32_t[]){first + i, id});
        in[i] = words_op(w, SpvOpLoad, vector, 1, &at);
    }
    uint32_t dot = words_op(w, SpvOpDot, bfloat, 2, in);
    uint32_t to = words_op(w, SpvOpPtrAccessChain, scalar, 2, (const uint32_t[]){first + 2, id});
    words_do(w, SpvOpStore, 2, (const uint32_t[]){to, dot});
    words_end(w);
    struct geo_ir_module *module = words_model(w);
    free(w);
    return module;
}

static void dot_products(void **state)
{
    static const uint32_t counts[] = {2, 4, 16};
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    _Alignas(64) static uint16_t a[16 * ITEMS], b[16 * ITEMS], out[ITEMS];
    (void)state;
    number_fill(NUMBER_BFLOAT, a, 16 * ITEMS, 30);
    number_fill(NUMBER_BFLOAT, b, 16 * ITEMS, 31);
    for (int i = 0; i < 3; i++) {
        const struct program_options options = {.lanes = widths[i], .optimize = i != 0};
        const struct program_argument arguments[] = {PROGRAM_POINTER(a), PROGRAM_POINTER(b),
                                                     PROGRAM_POINTER(out)};
        struct geo_ir_module *module = dot_module(counts[i]);
        struct program *program = program_build_model(module, &options);
        program_run(program, "dots", &launch, arguments, 3);
        for (uint32_t n = 0; n < ITEMS; n++) {
            double sum = 0, size = 0;
            for (uint32_t c = 0; c < counts[i]; c++) {
                double product = number_real(NUMBER_BFLOAT, a, n * counts[i] + c) *
                                 number_real(NUMBER_BFLOAT, b, n * counts[i] + c);
                sum += product;
                size += fabs(product);
            }
            double bound = 2 * counts[i] * 0x1p-24 * size;
            bound += number_epsilon(NUMBER_BFLOAT) * (fabs(sum) + bound);
            assert_true(fabs(number_real(NUMBER_BFLOAT, out, n) - sum) <= bound);
        }
        program_destroy(program);
        geo_ir_module_destroy(module);
    }
}

/* ---- the older extension: in 16-bit integers ---- */

/* narrow[id] = bfloat(in[id]), out[id] = float(narrow[id]): of vectors of `count`. */
static struct geo_ir_module *vectors_module(uint32_t count)
{
    struct words *w = malloc(sizeof(*w));
    assert_non_null(w);
    words_begin(w);
    words_capability(w, 6115);
    uint32_t floats = words_float(w, 32), integers = words_int(w, 16);
    if (count > 1) {
        floats = words_vector(w, floats, count);
        integers = words_vector(w, integers, count);
    }
    const uint32_t types[] = {words_pointer(w, SpvStorageClassCrossWorkgroup, floats),
                              words_pointer(w, SpvStorageClassCrossWorkgroup, integers),
                              words_pointer(w, SpvStorageClassCrossWorkgroup, floats)};
    uint32_t number = words_int(w, 64), ids = words_vector(w, number, 3), at[3];
    uint32_t first = words_kernel(w, "vectors", types, 3);
    uint32_t all = words_builtin(w, SpvBuiltInGlobalInvocationId, ids);
    uint32_t id = words_op(w, SpvOpCompositeExtract, number, 2, (const uint32_t[]){all, 0});
    for (uint32_t i = 0; i < 3; i++) {
        at[i] = words_op(w, SpvOpPtrAccessChain, types[i], 2, (const uint32_t[]){first + i, id});
    }
    uint32_t value = words_op(w, SpvOpLoad, floats, 1, &at[0]);
    uint32_t narrow = words_op(w, GEO_SPV_CONVERT_F_TO_BF16_INTEL, integers, 1, &value);
    uint32_t back = words_op(w, GEO_SPV_CONVERT_BF16_TO_F_INTEL, floats, 1, &narrow);
    words_do(w, SpvOpStore, 2, (const uint32_t[]){at[1], narrow});
    words_do(w, SpvOpStore, 2, (const uint32_t[]){at[2], back});
    words_end(w);
    struct geo_ir_module *module = words_model(w);
    free(w);
    return module;
}

/* SPV-34: scalars and vectors of all sizes */
static void conversions_of_vectors(void **state)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 8, 16};
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    _Alignas(64) static float in[16 * ITEMS], out[16 * ITEMS];
    _Alignas(64) static uint16_t narrow[16 * ITEMS];
    (void)state;
    number_fill(NUMBER_FLOAT, in, 16 * ITEMS, 50);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t step = counts[i] == 3 ? 4 : counts[i];
        const struct program_options options = {.lanes = widths[i % 3], .optimize = i % 3 != 0};
        const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(narrow),
                                                     PROGRAM_POINTER(out)};
        struct geo_ir_module *module = vectors_module(counts[i]);
        struct program *program = program_build_model(module, &options);
        memset(narrow, 0, sizeof(narrow));
        program_run(program, "vectors", &launch, arguments, 3);
        for (uint32_t n = 0; n < ITEMS * step; n++) {
            uint32_t bits = (uint32_t)bfloat_nearest(in[n]) << 16, got;
            memcpy(&got, &out[n], sizeof(got));
            if (n % step < counts[i]) {
                assert_int_equal(narrow[n], bits >> 16);
                assert_int_equal(got, bits);
            }
        }
        program_destroy(program);
        geo_ir_module_destroy(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_bfloat),
        cmocka_unit_test(to_bfloat),
        cmocka_unit_test(roundings_to_bfloat),
        cmocka_unit_test(dot_products),
        cmocka_unit_test(conversions_of_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
