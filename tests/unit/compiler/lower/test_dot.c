/* Dot products of integers (SPV_KHR_integer_dot_product) in whole modules: vectors of several sizes
 * and packed bytes, all signs, with a saturating accumulator and without, at every width. And what
 * is refused, of bfloat16 too. */
#include "numbers.h"
#include "program.h"

#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS 64u

struct dot {
    uint32_t op;
    uint32_t width, count; /* of components; count 1: four bytes in 32 bits */
    uint32_t result;       /* bits */
};

static bool accumulates(const struct dot *dot)
{
    return dot->op >= SpvOpSDotAccSat;
}

static uint32_t operand_type(struct words *w, const struct dot *dot)
{
    uint32_t scalar = words_int(w, dot->width);
    return dot->count == 1 ? scalar : words_vector(w, scalar, dot->count);
}

/* out[id] = dot(a[id], b[id], c[id]) */
static void dot_words(struct words *w, const struct dot *dot, bool literal)
{
    words_begin(w);
    words_capability(w, SpvCapabilityDotProduct);
    words_capability(w, SpvCapabilityDotProductInputAll);
    uint32_t number = words_int(w, 64), ids = words_vector(w, number, 3), operands[4];
    uint32_t from = operand_type(w, dot), result = words_int(w, dot->result);
    const uint32_t types[] = {
        words_pointer(w, SpvStorageClassCrossWorkgroup, from),
        words_pointer(w, SpvStorageClassCrossWorkgroup, from),
        words_pointer(w, SpvStorageClassCrossWorkgroup, result),
        words_pointer(w, SpvStorageClassCrossWorkgroup, result),
    };
    uint32_t first = words_kernel(w, "dots", types, 4);
    uint32_t all = words_builtin(w, SpvBuiltInGlobalInvocationId, ids);
    uint32_t id = words_op(w, SpvOpCompositeExtract, number, 2, (const uint32_t[]){all, 0}), to = 0;
    for (uint32_t i = 0; i < 4; i++) {
        to = words_op(w, SpvOpPtrAccessChain, types[i], 2, (const uint32_t[]){first + i, id});
        if (i < 3) {
            operands[i] = words_op(w, SpvOpLoad, i < 2 ? from : result, 1, &to);
        }
    }
    uint32_t count = accumulates(dot) ? 3 : 2;
    if (literal) {
        operands[count++] = SpvPackedVectorFormatPackedVectorFormat4x8Bit;
    }
    uint32_t value = words_op(w, dot->op, result, count, operands);
    words_do(w, SpvOpStore, 2, (const uint32_t[]){to, value});
    words_end(w);
}

/* Component i of bits `width`. */
static __int128 component(const void *array, size_t i, uint32_t width, bool is_signed)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + i * width / 8, width / 8);
    return is_signed ? (__int128)((int64_t)(bits << (64 - width)) >> (64 - width)) : (__int128)bits;
}

static uint64_t expect(const struct dot *dot, const void *a, const void *b, const void *c, size_t n)
{
    bool first = dot->op != SpvOpUDot && dot->op != SpvOpUDotAccSat;
    bool second = dot->op == SpvOpSDot || dot->op == SpvOpSDotAccSat;
    uint32_t count = dot->count == 1 ? 4 : dot->count, width = dot->count == 1 ? 8 : dot->width;
    __int128 sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum +=
            component(a, n * count + i, width, first) * component(b, n * count + i, width, second);
    }
    if (accumulates(dot)) {
        __int128 most = ((__int128)1 << (dot->result - first)) - 1, least = first ? ~most : 0;
        sum += component(c, n, dot->result, first);
        sum = sum > most ? most : sum < least ? least : sum;
    }
    return dot->result == 64 ? (uint64_t)sum : (uint64_t)sum & ((UINT64_C(1) << dot->result) - 1);
}

static void dot_test(const struct dot *dot, uint32_t lanes, const char *cpu)
{
    _Alignas(64) static uint8_t a[16 * ITEMS], b[16 * ITEMS], c[8 * ITEMS], out[8 * ITEMS];
    const struct program_options options = {.lanes = lanes, .optimize = lanes > 1, .cpu = cpu};
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(a), PROGRAM_POINTER(b),
                                                 PROGRAM_POINTER(c), PROGRAM_POINTER(out)};
    number_fill(NUMBER_I8, a, sizeof(a), 40);
    number_fill(NUMBER_I8, b, sizeof(b), 41);
    number_fill(NUMBER_I8, c, sizeof(c), 42);
    for (size_t i = 0; i < sizeof(c); i += 2 * dot->result / 8) { /* near the ends */
        memset(c + i, 0xff, dot->result / 8);
        c[i + dot->result / 8 - 1] = i % 4 ? 0x7f : 0xff;
    }
    struct words *w = malloc(sizeof(*w));
    assert_non_null(w);
    dot_words(w, dot, dot->count == 1);
    struct geo_ir_module *module = words_model(w);
    struct program *program = program_build_model(module, &options);
    if (program_runs(program)) {
        program_run(program, "dots", &launch, arguments, 4);
    }
    for (size_t n = 0; n < ITEMS && program_runs(program); n++) {
        uint64_t got = 0;
        memcpy(&got, out + n * dot->result / 8, dot->result / 8);
        assert_int_equal(got, expect(dot, a, b, c, n));
    }
    program_destroy(program);
    geo_ir_module_destroy(module);
    free(w);
}

static void dot_products(void **state)
{
    static const uint32_t widths[] = {1, 8, 16};
    static const struct dot forms[] = {
        {0, 8, 4, 32}, {0, 32, 1, 32}, {0, 16, 2, 64}, {0, 8, 16, 32}, {0, 32, 1, 64}};
    (void)state;
    for (uint32_t op = SpvOpSDot; op <= SpvOpSUDotAccSat; op++) {
        for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
            struct dot dot = forms[i];
            dot.op = op;
            dot_test(&dot, widths[(op + i) % 3], NULL);
        }
    }
}

static const char *const levels[] = {"x86-64", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni"};

/* Runs a dot product at all levels and widths. */
static void dot_test_all(const struct dot *dot)
{
    for (uint32_t lanes = 1; lanes <= 32; lanes *= 2) {
        for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
            dot_test(dot, lanes, levels[i]);
        }
    }
}

/* Bytes in 32 bits have instructions, by level. */
static void dot_products_of_packed_bytes(void **state)
{
    (void)state;
    for (uint32_t op = SpvOpSDot; op <= SpvOpSUDotAccSat; op++) {
        dot_test_all(&(struct dot){op, 32, 1, 32});
    }
}

/* So have bytes and 16-bit numbers with signs in vectors. */
static void dot_products_of_vectors(void **state)
{
    (void)state;
    for (uint32_t op = SpvOpSDot; op <= SpvOpSUDot; op++) {
        dot_test_all(&(struct dot){op, 8, 4, 32});
        dot_test_all(&(struct dot){op, 8, 16, 32});
    }
    dot_test_all(&(struct dot){SpvOpSDot, 16, 2, 32});
    dot_test_all(&(struct dot){SpvOpSDot, 16, 8, 32});
}

/* Returns how often the code of a dot product calls a function of LLVM. */
static uint32_t calls_of(const struct dot *dot, const char *cpu, const char *name)
{
    const struct program_options options = {.lanes = 8, .optimize = true, .cpu = cpu};
    struct words *w = malloc(sizeof(*w));
    char call[64];
    uint32_t count = 0;
    assert_non_null(w);
    snprintf(call, sizeof(call), "call <8 x i32> @%s", name);
    dot_words(w, dot, dot->count == 1);
    struct geo_ir_module *module = words_model(w);
    struct program *program = program_build_model(module, &options);
    for (const char *at = program_final(program); (at = strstr(at, call)); at++) {
        count++;
    }
    program_destroy(program);
    geo_ir_module_destroy(module);
    free(w);
    return count;
}

static void dot_products_are_instructions_of_the_level(void **state)
{
    static const struct dot bytes = {SpvOpSUDot, 8, 4, 32}, words = {SpvOpSDot, 16, 2, 32},
                            long_bytes = {SpvOpUDot, 8, 4, 64}, no_signs = {SpvOpUDot, 16, 2, 32};
    const char *vnni = "llvm.x86.avx512.vpdpbusd.256", *pairs = "llvm.x86.avx2.pmadd.wd";
    (void)state;
    assert_true(calls_of(&bytes, "x86-64-v4-vnni", vnni) > 0);
    assert_int_equal(calls_of(&bytes, "x86-64-v4-vnni", pairs), 0);
    assert_true(calls_of(&bytes, "x86-64-v3", pairs) > 0);
    assert_true(calls_of(&words, "x86-64-v3", pairs) > 0);
    assert_int_equal(calls_of(&no_signs, "x86-64-v3", pairs), 0);
    assert_int_equal(calls_of(&long_bytes, "x86-64-v3", pairs), 0);
}

/* ---- what is refused ---- */

static void refused(struct words *w)
{
    struct geo_ir_module *module = words_model(w);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize(module, true, &log),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(geo_strbuf_text(&log), "its operands do not have the required types"));
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

/* Packed or not, narrower than what is multiplied, of three bytes packed. */
static void dot_products_of_other_types(void **state)
{
    static const struct {
        struct dot dot;
        bool literal;
    } cases[] = {
        {{SpvOpSDot, 32, 1, 32}, false},
        {{SpvOpUDot, 8, 4, 32}, true},
        {{SpvOpSUDot, 32, 4, 16}, false},
        {{SpvOpSDotAccSat, 16, 1, 32}, true},
    };
    struct words *w = malloc(sizeof(*w));
    (void)state;
    assert_non_null(w);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        dot_words(w, &cases[i].dot, cases[i].literal);
        refused(w);
    }
    free(w);
}

/* bfloat16 is neither an integer nor a float for what only those can do. */
static void arithmetic_of_bfloat(void **state)
{
    static const uint32_t ops[] = {SpvOpIAdd, SpvOpFAdd, SpvOpNot, SpvOpFNegate};
    struct words *w = malloc(sizeof(*w));
    (void)state;
    assert_non_null(w);
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        words_begin(w);
        words_capability(w, 5116);
        uint32_t type = number_type(w, NUMBER_BFLOAT);
        uint32_t pointer = words_pointer(w, SpvStorageClassCrossWorkgroup, type);
        uint32_t first = words_kernel(w, "test", &pointer, 1);
        uint32_t value = words_op(w, SpvOpLoad, type, 1, &first);
        value = words_op(w, ops[i], type, i < 2 ? 2 : 1, (const uint32_t[]){value, value});
        words_do(w, SpvOpStore, 2, (const uint32_t[]){first, value});
        words_end(w);
        refused(w);
    }
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_products),
        cmocka_unit_test(dot_products_of_packed_bytes),
        cmocka_unit_test(dot_products_of_vectors),
        cmocka_unit_test(dot_products_are_instructions_of_the_level),
        cmocka_unit_test(dot_products_of_other_types),
        cmocka_unit_test(arithmetic_of_bfloat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
