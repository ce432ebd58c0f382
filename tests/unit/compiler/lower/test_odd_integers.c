/* Integers of other widths than 8, 16, 32 and 64 bits: every instruction that takes them, on random
 * values and edges, in scalars and vectors, at several widths and lanes, against C. And what is
 * refused by name. */
#include "../support.h"
#include "program.h"
#include "words.h"

#include "compiler/link/copy.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS 64u

/* Beside opcodes: by memory, by a conversion to another odd width and back. */
enum { BY_MEMORY = 0x10000, BY_NARROW, BY_WIDE };

static const uint32_t operations[] = {
    SpvOpIAdd,
    SpvOpISub,
    SpvOpIMul,
    SpvOpUDiv,
    SpvOpSDiv,
    SpvOpUMod,
    SpvOpSRem,
    SpvOpSMod,
    SpvOpBitwiseAnd,
    SpvOpBitwiseOr,
    SpvOpBitwiseXor,
    SpvOpShiftLeftLogical,
    SpvOpShiftRightLogical,
    SpvOpShiftRightArithmetic,
    SpvOpSNegate,
    SpvOpNot,
    SpvOpIEqual,
    SpvOpINotEqual,
    SpvOpULessThan,
    SpvOpULessThanEqual,
    SpvOpUGreaterThan,
    SpvOpUGreaterThanEqual,
    SpvOpSLessThan,
    SpvOpSLessThanEqual,
    SpvOpSGreaterThan,
    SpvOpSGreaterThanEqual,
    SpvOpConvertSToF,
    SpvOpConvertUToF,
    BY_MEMORY,
    BY_NARROW,
    BY_WIDE,
};
#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

/* ---- the kernel ---- */

struct kernel {
    struct words w;
    uint32_t bits, components;
    uint32_t number, odd, flag; /* 64 bits, the odd type, bool; vectors of them with components */
};

static uint32_t of_components(struct kernel *k, uint32_t scalar)
{
    return k->components > 1 ? words_vector(&k->w, scalar, k->components) : scalar;
}

/* A constant of the odd type or of 64 bits, in each component. */
static uint32_t constant(struct kernel *k, uint32_t bits, uint64_t value)
{
    uint32_t scalar = words_int(&k->w, bits), parts[16];
    for (uint32_t i = 0; i < k->components; i++) {
        parts[i] = words_constant(&k->w, scalar, value, bits > 32 ? 64 : 32);
    }
    return k->components > 1 ? words_op(&k->w, SpvOpCompositeConstruct, of_components(k, scalar),
                                        k->components, parts)
                             : parts[0];
}

static uint32_t op1(struct kernel *k, uint32_t op, uint32_t type, uint32_t a)
{
    return words_op(&k->w, op, type, 1, &a);
}

static uint32_t op2(struct kernel *k, uint32_t op, uint32_t type, uint32_t a, uint32_t b)
{
    return words_op(&k->w, op, type, 2, (const uint32_t[]){a, b});
}

static bool is_division(uint32_t op)
{
    return op == SpvOpUDiv || op == SpvOpSDiv || op == SpvOpUMod || op == SpvOpSRem ||
           op == SpvOpSMod;
}

static bool is_shift(uint32_t op)
{
    return op == SpvOpShiftLeftLogical || op == SpvOpShiftRightLogical ||
           op == SpvOpShiftRightArithmetic;
}

static bool is_comparison(uint32_t op)
{
    return op >= SpvOpIEqual && op <= SpvOpSLessThanEqual;
}

/* Emits one operation; gives a value of the odd type. x, y: 64 bits. */
static uint32_t operation_emit(struct kernel *k, uint32_t op, uint32_t x, uint32_t y)
{
    uint32_t a = op1(k, SpvOpUConvert, k->odd, x), b;
    if (is_shift(op)) {
        y = op2(k, SpvOpUMod, k->number, y, constant(k, 64, k->bits));
    }
    b = op1(k, SpvOpUConvert, k->odd, y);
    if (is_division(op)) {
        b = op2(k, SpvOpBitwiseOr, k->odd, b, constant(k, k->bits, 1));
    }
    if (is_comparison(op)) {
        uint32_t flags = op2(k, op, k->flag, a, b);
        return words_op(&k->w, SpvOpSelect, k->odd, 3, (const uint32_t[]){flags, a, b});
    }
    switch (op) {
    case SpvOpSNegate:
    case SpvOpNot:
        return op1(k, op, k->odd, a);
    case SpvOpConvertSToF:
    case SpvOpConvertUToF: {
        uint32_t real = op1(k, op, of_components(k, words_float(&k->w, 64)), a);
        return op1(k, op == SpvOpConvertSToF ? SpvOpConvertFToS : SpvOpConvertFToU, k->odd, real);
    }
    case BY_NARROW: {
        uint32_t narrow = of_components(k, words_int(&k->w, (k->bits + 1) / 2 + 3));
        return op1(k, SpvOpSConvert, k->odd, op1(k, SpvOpUConvert, narrow, a));
    }
    case BY_WIDE: {
        uint32_t wide = of_components(k, words_int(&k->w, k->bits + (64 - k->bits) / 2));
        return op1(k, SpvOpUConvert, k->odd, op1(k, SpvOpSConvert, wide, a));
    }
    default:
        return op2(k, op, k->odd, a, b);
    }
}

/* out[id] = the result, extended by zeros and by its sign, for each operation. */
static struct geo_ir_module *kernel_make(uint32_t bits, uint32_t components)
{
    struct kernel *k = calloc(1, sizeof(*k));
    assert_non_null(k);
    struct words *w = &k->w;
    words_begin(w);
    words_capability(w, SpvCapabilityArbitraryPrecisionIntegersINTEL);
    k->bits = bits;
    k->components = components;
    uint32_t one = words_int(w, 64), ids = words_vector(w, one, 3);
    k->number = of_components(k, one);
    k->odd = of_components(k, words_int(w, bits));
    k->flag = of_components(k, words_type(w, SpvOpTypeBool, 0, NULL));
    uint32_t pointer = words_pointer(w, SpvStorageClassCrossWorkgroup, k->number);
    uint32_t memory = words_pointer(w, SpvStorageClassCrossWorkgroup, k->odd);
    const uint32_t types[] = {pointer, pointer, pointer, memory};
    uint32_t first = words_kernel(w, "odd", types, 4);
    uint32_t all = words_builtin(w, SpvBuiltInGlobalInvocationId, ids);
    uint32_t id = op2(k, SpvOpCompositeExtract, one, all, 0);
    uint32_t x = op1(k, SpvOpLoad, k->number, op2(k, SpvOpPtrAccessChain, pointer, first, id));
    uint32_t y = op1(k, SpvOpLoad, k->number, op2(k, SpvOpPtrAccessChain, pointer, first + 1, id));
    uint32_t place = op2(k, SpvOpIMul, one, id, words_constant(w, one, 2 * OPERATIONS, 64));
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        uint32_t value;
        if (operations[i] == BY_MEMORY) { /* which holds bits of the host's */
            value = op1(k, SpvOpLoad, k->odd, op2(k, SpvOpPtrAccessChain, memory, first + 3, id));
        } else {
            value = operation_emit(k, operations[i], x, y);
        }
        for (uint32_t form = 0; form < 2; form++) {
            uint32_t at = op2(k, SpvOpIAdd, one, place, words_constant(w, one, 2 * i + form, 64));
            uint32_t to = op2(k, SpvOpPtrAccessChain, pointer, first + 2, at);
            uint32_t wide = op1(k, form ? SpvOpSConvert : SpvOpUConvert, k->number, value);
            words_do(w, SpvOpStore, 2, (const uint32_t[]){to, wide});
        }
    }
    words_end(w);
    struct geo_ir_module *module = words_model(w);
    free(k);
    return module;
}

/* ---- the same in C ---- */

static uint64_t low(uint64_t value, uint32_t bits)
{
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static int64_t with_sign(uint64_t value, uint32_t bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static bool compare(uint32_t op, uint64_t a, uint64_t b, int64_t sa, int64_t sb)
{
    switch (op) {
    case SpvOpIEqual:
        return a == b;
    case SpvOpINotEqual:
        return a != b;
    case SpvOpULessThan:
        return a < b;
    case SpvOpULessThanEqual:
        return a <= b;
    case SpvOpUGreaterThan:
        return a > b;
    case SpvOpUGreaterThanEqual:
        return a >= b;
    case SpvOpSLessThan:
        return sa < sb;
    case SpvOpSLessThanEqual:
        return sa <= sb;
    case SpvOpSGreaterThan:
        return sa > sb;
    default:
        return sa >= sb;
    }
}

/* What an operation gives, of bits that count alone; *defined: the specification says it. */
static uint64_t wanted(uint32_t op, uint32_t bits, uint64_t x, uint64_t y, uint64_t memory,
                       bool *defined)
{
    uint64_t a = low(x, bits), b = low(is_shift(op) ? y % bits : y, bits);
    b |= is_division(op);
    int64_t sa = with_sign(a, bits), sb = with_sign(b, bits);
    uint32_t narrow = (bits + 1) / 2 + 3;
    /* The least number has no opposite; doubles hold 53 bits. */
    *defined = !(sb == -1 && sa < 0 && low((uint64_t)-sa, bits) == a && is_division(op)) &&
               !((op == SpvOpConvertSToF || op == SpvOpConvertUToF) && bits > 53);
    if (!*defined) {
        return 0;
    }
    if (is_comparison(op)) {
        return compare(op, a, b, sa, sb) ? a : b;
    }
    switch (op) {
    case SpvOpIAdd:
        return a + b;
    case SpvOpISub:
        return a - b;
    case SpvOpIMul:
        return a * b;
    case SpvOpUDiv:
        return a / b;
    case SpvOpSDiv:
        return (uint64_t)(sa / sb);
    case SpvOpUMod:
        return a % b;
    case SpvOpSRem:
        return (uint64_t)(sa % sb);
    case SpvOpSMod: {
        int64_t rest = sa % sb;
        return (uint64_t)(rest && (rest < 0) != (sb < 0) ? rest + sb : rest);
    }
    case SpvOpBitwiseAnd:
        return a & b;
    case SpvOpBitwiseOr:
        return a | b;
    case SpvOpBitwiseXor:
        return a ^ b;
    case SpvOpShiftLeftLogical:
        return a << b;
    case SpvOpShiftRightLogical:
        return a >> b;
    case SpvOpShiftRightArithmetic:
        return (uint64_t)(sa >> b);
    case SpvOpSNegate:
        return 0 - a;
    case SpvOpNot:
        return ~a;
    case BY_MEMORY:
        return memory;
    case BY_NARROW:
        return narrow < bits ? (uint64_t)with_sign(low(a, narrow), narrow) : (uint64_t)a;
    default: /* conversions there and back */
        return a;
    }
}

/* ---- cases ---- */

static void values_fill(uint64_t *values, size_t count, uint32_t bits, uint64_t seed)
{
    struct support_random random = {.state = seed};
    for (size_t i = 0; i < count; i++) {
        uint64_t top = UINT64_C(1) << (bits - 1);
        const uint64_t edges[] = {0, 1, top - 1, top, top + 1, 2 * top - 1, UINT64_MAX};
        values[i] = i % 3 ? support_random(&random) : edges[support_random_below(&random, 7)];
    }
}

static uint64_t memory_number(const void *memory, size_t i, uint32_t bits)
{
    size_t bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    uint64_t value = 0;
    memcpy(&value, (const char *)memory + i * bytes, bytes);
    return value;
}

static void odd_test(uint32_t bits, uint32_t components, uint32_t lanes)
{
    size_t count = (size_t)ITEMS * components;
    uint64_t *x = program_memory(count, 8), *y = program_memory(count, 8);
    uint64_t *memory = program_memory(count, 8);
    uint64_t *out = program_memory(count * 2 * OPERATIONS, 8);
    const struct program_options options = {.lanes = lanes, .optimize = lanes > 1};
    const struct program_launch launch = {.groups = {2, 1, 1}, .local = {ITEMS / 2, 1, 1}};
    const struct program_argument arguments[] = {PROGRAM_POINTER(x), PROGRAM_POINTER(y),
                                                 PROGRAM_POINTER(out), PROGRAM_POINTER(memory)};
    values_fill(x, count, bits, 1);
    values_fill(y, count, bits, 2);
    values_fill(memory, count, 64, 3);
    struct geo_ir_module *read = kernel_make(bits, components);
    struct geo_ir_module *module = geo_ir_module_create((size_t)64 << 20);
    assert_non_null(module);
    assert_int_equal(geo_copy_module(module, read), ZE_RESULT_SUCCESS); /* as linking does */
    geo_ir_module_destroy(read);
    struct program *program = program_build_model(module, &options);
    program_run(program, "odd", &launch, arguments, 4);
    for (size_t n = 0; n < count; n++) {
        for (uint32_t i = 0; i < OPERATIONS; i++) {
            bool defined;
            size_t item = n / components, part = n % components;
            const uint64_t *got = out + (item * 2 * OPERATIONS + 2 * (size_t)i) * components + part;
            uint64_t value = low(
                wanted(operations[i], bits, x[n], y[n], memory_number(memory, n, bits), &defined),
                bits);
            if (defined &&
                (got[0] != value || got[components] != (uint64_t)with_sign(value, bits))) {
                fail_msg("operation %u, %u bits, %u components, %u lanes, %llx, %llx: %llx, %llx "
                         "instead of %llx",
                         operations[i], bits, components, lanes, (unsigned long long)x[n],
                         (unsigned long long)y[n], (unsigned long long)got[0],
                         (unsigned long long)got[components], (unsigned long long)value);
            }
        }
    }
    program_destroy(program);
    geo_ir_module_destroy(module);
    free(x);
    free(y);
    free(memory);
    free(out);
}

static void integers_of_odd_widths_are_exact(void **state)
{
    static const uint32_t widths[] = {3, 7, 9, 15, 17, 24, 29, 31, 33, 40, 53, 61, 63};
    static const uint32_t lanes[] = {1, 8, 16};
    (void)state;
    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
        odd_test(widths[i], 1, lanes[i % 3]);
    }
    for (size_t i = 0; i < 3; i++) {
        odd_test(29, 1, lanes[i]);
        odd_test(33, 1, lanes[i]);
    }
}

static void vectors_of_odd_widths_are_exact(void **state)
{
    (void)state;
    odd_test(29, 2, 8);
    odd_test(33, 4, 16);
    odd_test(13, 8, 1);
}

/* ---- refused ---- */

static void what_odd_widths_cannot_do_is_named(void **state)
{
    (void)state;
    static struct words w;
    words_begin(&w);
    uint32_t odd = words_int(&w, 29), word = words_int(&w, 32);
    const uint32_t types[] = {words_pointer(&w, SpvStorageClassCrossWorkgroup, word)};
    uint32_t first = words_kernel(&w, "odd", types, 1);
    uint32_t value = words_op(&w, SpvOpLoad, word, 1, &first);
    uint32_t narrow = words_op(&w, SpvOpUConvert, odd, 1, &value);
    (void)words_op(&w, SpvOpBitReverse, odd, 1, &narrow);
    words_end(&w);
    struct geo_ir_module *module = words_model(&w);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize_calls(module, &log),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(geo_strbuf_text(&log), "kernel \"odd\": OpBitReverse at word"));
    assert_non_null(strstr(geo_strbuf_text(&log), "integers of 29 bits are not supported"));
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_odd_widths_are_exact),
        cmocka_unit_test(vectors_of_odd_widths_are_exact),
        cmocka_unit_test(what_odd_widths_cannot_do_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
