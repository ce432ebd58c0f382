/* Constants: scalars, composites in registers and in memory, expressions, hostile ones; and the
 * instructions that stand alone: integer dot products, bfloat16, the clock. Errors name the
 * instruction. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/OpenCL.std.h>

#include "base/array.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/dispatch/dispatch.h"
#include <cmocka.h>

static const uint32_t widths[] = {1, 8, 16};

/* { i8, f32x3, i16[3], bool, f64, ptr to i32 } */
static const struct geo_ir_type *mixed_struct(struct harness *h)
{
    struct geo_ir_type *type = geo_ir_type_struct(h->module, 6);
    type->members[0] = harness_type(h, "i8");
    type->members[1] = harness_type(h, "f32x3");
    type->members[2] = geo_ir_type_array(h->module, harness_type(h, "i16"), 3);
    type->members[3] = harness_type(h, "b");
    type->members[4] = harness_type(h, "f64");
    type->members[5] =
        geo_ir_type_pointer(h->module, harness_type(h, "i32"), SpvStorageClassUniformConstant);
    assert_true(geo_ir_struct_layout(type));
    return type;
}

struct mixed {
    int8_t small;
    _Alignas(16) float vector[4];
    int16_t array[3];
    uint8_t flag;
    double number;
    const int32_t *pointer;
};

static struct geo_ir_value *number(struct harness *h, const char *type, uint64_t bits)
{
    return geo_ir_const_int(h->module, harness_type(h, type), bits);
}

static struct geo_ir_variable *variable(struct harness *h, const struct geo_ir_type *type,
                                        struct geo_ir_value *initializer)
{
    struct geo_ir_variable *v = geo_arena_new(&h->module->arena, struct geo_ir_variable);
    v->value.kind = GEO_VALUE_VARIABLE;
    v->value.type = geo_ir_type_pointer(h->module, type, SpvStorageClassUniformConstant);
    v->value.index = h->module->next_index++;
    v->initializer = initializer;
    v->builtin = -1;
    assert_true(geo_array_reserve(&h->module->variables, 1));
    h->module->variables.items[h->module->variables.count++] = v;
    return v;
}

static struct geo_ir_constant *expression(struct harness *h, SpvOp op,
                                          const struct geo_ir_type *type,
                                          struct geo_ir_value *const *operands, uint32_t count)
{
    struct geo_ir_constant *constant = geo_arena_new(&h->module->arena, struct geo_ir_constant);
    constant->value.kind = GEO_VALUE_CONSTANT;
    constant->value.type = type;
    constant->value.index = h->module->next_index++;
    constant->op = op;
    constant->operand_count = count;
    constant->operands = geo_arena_copy(&h->module->arena, operands, count * sizeof(*operands));
    return constant;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

static struct geo_ir_value *mixed_constant(struct harness *h, struct geo_ir_value *pointer)
{
    struct geo_ir_value *three[3] = {number(h, "f32", 0x3f800000), number(h, "f32", 0xc0000000),
                                     number(h, "f32", 0x7fc12345)};
    struct geo_ir_value *array[3] = {number(h, "i16", 0xffff), number(h, "i16", 2),
                                     geo_ir_const_undef(h->module, harness_type(h, "i16"))};
    const struct geo_ir_type *type = mixed_struct(h);
    struct geo_ir_value *members[6] = {
        number(h, "i8", 0x80),
        &geo_ir_const_composite(h->module, harness_type(h, "f32x3"), three)->value,
        &geo_ir_const_composite(h->module, type->members[2], array)->value,
        number(h, "b", 1),
        number(h, "f64", double_bits(-0.1)),
        pointer,
    };
    return &geo_ir_const_composite(h->module, type, members)->value;
}

static void mixed_check(const struct mixed *got, const int32_t *table)
{
    const uint32_t nan = 0x7fc12345;
    assert_int_equal(got->small, -128);
    assert_true(got->vector[0] == 1.0f && got->vector[1] == -2.0f);
    assert_memory_equal(&got->vector[2], &nan, 4);
    assert_int_equal(got->array[0], -1);
    assert_int_equal(got->array[1], 2);
    assert_int_equal(got->array[2], 0);
    assert_int_equal(got->flag, 1);
    assert_true(got->number == -0.1);
    assert_int_equal(got->pointer[0], 77);
    (void)table;
}

/* A table {5, 6, 77, 8} and a struct that points at its third entry, by constant expressions. */
static struct geo_ir_value *table_pointer(struct harness *h)
{
    struct geo_ir_value *items[4] = {number(h, "i32", 5), number(h, "i32", 6), number(h, "i32", 77),
                                     number(h, "i32", 8)};
    const struct geo_ir_type *word = harness_type(h, "i32");
    const struct geo_ir_type *array = geo_ir_type_array(h->module, word, 4);
    struct geo_ir_variable *table =
        variable(h, array, &geo_ir_const_composite(h->module, array, items)->value);
    struct geo_ir_value *two = number(h, "i32", 2);
    struct geo_ir_value *operands[2] = {&table->value,
                                        &expression(h, SpvOpBitcast, word, &two, 1)->value};
    return &expression(h, SpvOpInBoundsAccessChain,
                       geo_ir_type_pointer(h->module, word, SpvStorageClassUniformConstant),
                       operands, 2)
                ->value;
}

/* Function 0 stores the constant, function 1 what a variable that starts with it holds. */
static void composites_in_registers_and_in_memory(void **state)
{
    (void)state;
    for (uint32_t w = 0; w < 3; w++) {
        struct harness h;
        harness_begin(&h, "x86-64-v3", widths[w], w != 0);
        for (uint32_t i = 0; i < 2; i++) {
            struct harness_function fn;
            harness_function_begin(&h, &fn);
            struct geo_ir_value *value = mixed_constant(&h, table_pointer(&h));
            if (i) {
                struct geo_ir_value *pointer = &variable(&h, value->type, value)->value;
                value = &harness_add(&fn, SpvOpLoad, value->type, &pointer, 1, NULL, 0)->value;
            }
            harness_store_output(&fn, value);
            harness_function_end(&fn, false, NULL);
        }
        assert_int_equal(mixed_struct(&h)->size, sizeof(struct mixed));
        if (harness_load(&h)) {
            for (uint32_t i = 0; i < 2; i++) {
                struct mixed out[16];
                void *inputs[HARNESS_INPUTS] = {NULL};
                memset(out, 0x55, sizeof(out));
                harness_call(&h, i, inputs, out, 0, ~0ull);
                for (uint32_t lane = 0; lane < widths[w]; lane++) {
                    mixed_check(&out[lane], NULL);
                }
            }
        }
        harness_end(&h);
    }
}

static void null_and_undefined_are_zero(void **state)
{
    (void)state;
    for (uint32_t w = 0; w < 3; w++) {
        struct harness h;
        harness_begin(&h, "x86-64-v2", widths[w], true);
        for (uint32_t i = 0; i < 2; i++) {
            struct harness_function fn;
            harness_function_begin(&h, &fn);
            const struct geo_ir_type *type = mixed_struct(&h);
            harness_store_output(&fn, i ? geo_ir_const_undef(h.module, type)
                                        : geo_ir_const_null(h.module, type));
            harness_function_end(&fn, false, NULL);
        }
        if (harness_load(&h)) {
            for (uint32_t i = 0; i < 2; i++) {
                struct mixed out[16], zero;
                void *inputs[HARNESS_INPUTS] = {NULL};
                memset(out, 0, sizeof(out));
                memset(&zero, 0, sizeof(zero));
                out[0].small = 1;
                out[0].number = 3;
                harness_call(&h, i, inputs, out, 0, ~0ull);
                assert_memory_equal(&out[0], &zero, sizeof(zero));
            }
        }
        harness_end(&h);
    }
}

/* Fails to lower; the message names what it was. */
static void expect_error(struct harness *h, struct harness_function *fn, const char *text)
{
    char error[256];
    harness_function_end(fn, false, error);
    if (!strstr(error, text)) {
        print_error("message: %s\n", error);
    }
    assert_non_null(strstr(error, text));
    (void)h;
}

#define HOSTILE_INDICES 200u

/* Steps one after the other into arrays of one element, each with many indices that are the same
 * expression. */
static struct geo_ir_value *laborious_address(struct harness *h, struct geo_ir_value *index,
                                              uint32_t steps)
{
    const struct geo_ir_type *word = harness_type(h, "i64"), *type = word;
    struct geo_ir_value *operands[1 + HOSTILE_INDICES];
    for (uint32_t i = 0; i < HOSTILE_INDICES; i++) {
        operands[1 + i] = index;
        type = geo_ir_type_array(h->module, type, 1);
    }
    const struct geo_ir_type *inner =
        geo_ir_type_pointer(h->module, word, SpvStorageClassCrossWorkgroup);
    const struct geo_ir_type *outer =
        geo_ir_type_pointer(h->module, type, SpvStorageClassCrossWorkgroup);
    operands[0] = geo_ir_const_null(h->module, outer);
    for (uint32_t i = 0; i < steps; i++) {
        struct geo_ir_value *step =
            &expression(h, SpvOpAccessChain, inner, operands, 1 + HOSTILE_INDICES)->value;
        operands[0] = &expression(h, SpvOpBitcast, outer, &step, 1)->value;
    }
    return &expression(h, SpvOpConvertPtrToU, word, operands, 1)->value;
}

static void hostile_expressions_end_in_an_error(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct harness h;
        struct harness_function fn;
        harness_begin(&h, "x86-64-v3", 8, true);
        harness_function_begin(&h, &fn);
        const struct geo_ir_type *word = harness_type(&h, "i64");
        struct geo_ir_value *value = number(&h, "i64", 0);
        for (uint32_t n = 0; i == 0 && n < 100000; n++) { /* a long chain */
            value = &expression(&h, SpvOpBitcast, word, &value, 1)->value;
        }
        for (uint32_t n = 0; i == 1 && n < 4; n++) { /* each works 600 times as hard */
            value = laborious_address(&h, value, 3);
        }
        if (i == 2) { /* an operation that constants do not have */
            value =
                &expression(&h, SpvOpIAdd, word, (struct geo_ir_value *[]){value, value}, 2)->value;
        }
        harness_store_output(&fn, value);
        expect_error(&h, &fn,
                     i == 2 ? "OpIAdd in constant %0: this expression is not supported"
                            : "in constant %0: the expression is too large");
        harness_end(&h);
    }
}

/* ---- errors of instructions ---- */

static void errors_name_instruction_id_and_word(void **state)
{
    (void)state;
    struct harness h;
    struct harness_function fn;
    const struct geo_ir_type *word;
    struct geo_ir_value *operands[3];
    struct geo_ir_inst *inst;

    harness_begin(&h, "x86-64-v3", 8, true);
    word = harness_type(&h, "i32");
    harness_function_begin(&h, &fn);
    operands[0] = operands[1] = harness_load_input(&fn, 0, word, HARNESS_VARYING);
    inst = harness_add(&fn, SpvOpMatrixTimesScalar, word, operands, 2, NULL, 0);
    inst->value.id = 42;
    inst->word_offset = 1234;
    expect_error(&h, &fn, "OpMatrixTimesScalar %42 at word 1234: ");
    harness_end(&h);

    harness_begin(&h, "x86-64-v3", 8, true);
    harness_function_begin(&h, &fn);
    operands[0] = harness_load_input(&fn, 0, harness_type(&h, "f32"), HARNESS_VARYING);
    uint32_t literals[2] = {GEO_EXT_OPENCL_STD, OpenCLstd_Tgamma};
    harness_add(&fn, SpvOpExtInst, harness_type(&h, "f32"), operands, 1, literals, 2);
    expect_error(&h, &fn, "OpExtInst %0 at word 0: the library has no tgamma of OpenCL.std");
    harness_end(&h);
}

/* An instruction that a transform has to replace is never lowered. */
static void instructions_of_transforms_are_not_lowered(void **state)
{
#define LOWERING_PART    false
#define LOWERING_WHOLE   false
#define LOWERING_GROUP   false
#define LOWERING_CONTROL false
#define LOWERING_EARLIER true
    static const struct {
        unsigned op;
        bool earlier;
    } rows[] = {
#define ROW(op, types, shape, folding, lowering, ...) {op, LOWERING_##lowering},
#include "compiler/ir/opcodes.def"
    };
    uint32_t count = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct harness h;
        struct harness_function fn;
        struct geo_ir_value *operands[2];
        char text[128];
        if (!rows[i].earlier) {
            continue;
        }
        harness_begin(&h, "x86-64-v3", 8, true);
        harness_function_begin(&h, &fn);
        operands[0] = operands[1] =
            harness_load_input(&fn, 0, harness_type(&h, "i32"), HARNESS_VARYING);
        harness_add(&fn, rows[i].op, harness_type(&h, "i32"), operands, 2, NULL, 0);
        snprintf(text, sizeof(text),
                 "%s %%0 at word 0: internal: no pass has replaced the instruction",
                 geo_op_name((SpvOp)rows[i].op));
        expect_error(&h, &fn, text);
        harness_end(&h);
        count++;
    }
    assert_true(count > 30);
}

/* Every entry of the tables can be found: they are sorted. */
static void the_tables_are_sorted(void **state)
{
    (void)state;
    static const unsigned some[] = {SpvOpUndef,
                                    SpvOpExtInst,
                                    SpvOpLoad,
                                    SpvOpStore,
                                    SpvOpFConvert,
                                    SpvOpBitcast,
                                    SpvOpSNegate,
                                    SpvOpVectorTimesScalar,
                                    SpvOpDot,
                                    SpvOpSMulExtended,
                                    SpvOpAny,
                                    SpvOpSelect,
                                    SpvOpFUnordGreaterThanEqual,
                                    SpvOpBitCount,
                                    SpvOpAtomicLoad,
                                    SpvOpAtomicXor,
                                    SpvOpLifetimeStop,
                                    SpvOpAtomicFlagClear,
                                    SpvOpSizeOf,
                                    SpvOpCopyLogical,
                                    SpvOpPtrEqual,
                                    SpvOpPtrDiff,
                                    SpvOpSDot,
                                    SpvOpSUDotAccSat,
                                    SpvOpReadClockKHR,
                                    SpvOpAtomicFMaxEXT,
                                    SpvOpExpectKHR,
                                    SpvOpAtomicFAddEXT,
                                    GEO_SPV_CONVERT_F_TO_BF16_INTEL,
                                    GEO_SPV_ARITHMETIC_FENCE_EXT,
                                    GEO_OP_PTR_ADD};
    uint32_t last = 0, count = 0;
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        assert_true(geo_arith_operation_find(some[i]) || geo_dispatch_find(some[i]));
    }
    const struct geo_operation *previous_operation = NULL;
    const struct geo_entry *previous = NULL;
    for (uint32_t op = 0; op <= GEO_OP_PTR_ADD; op++) {
        const struct geo_operation *operation = geo_arith_operation_find(op);
        const struct geo_entry *entry = geo_dispatch_find(op);
        assert_false(operation && entry);
        if (operation) {
            assert_true(operation->op == op &&
                        (!previous_operation || operation == previous_operation + 1));
            previous_operation = operation;
        }
        if (entry) {
            assert_true(entry->part.op == op && (!previous || entry == previous + 1));
            previous = entry;
        }
        if (operation || entry) {
            last = op;
            count++;
        }
    }
    assert_int_equal(last, GEO_OP_PTR_ADD);
    assert_true(count > 120);
}

/* ---- integer dot products ---- */

static uint32_t dot_build(struct harness *h, SpvOp op, bool packed)
{
    struct harness_function fn;
    harness_function_begin(h, &fn);
    const char *type = packed ? "i32" : "i8x4";
    struct geo_ir_value *operands[3];
    uint32_t literal = SpvPackedVectorFormatPackedVectorFormat4x8Bit;
    operands[0] = harness_load_input(&fn, 0, harness_type(h, type), HARNESS_VARYING);
    operands[1] = harness_load_input(&fn, 1, harness_type(h, type), HARNESS_VARYING);
    operands[2] = harness_load_input(&fn, 2, harness_type(h, "i32"), HARNESS_VARYING);
    harness_store_output(&fn, &harness_add(&fn, op, harness_type(h, "i32"), operands,
                                           op >= SpvOpSDotAccSat ? 3 : 2, &literal, packed)
                                   ->value);
    return harness_function_end(&fn, false, NULL);
}

static uint32_t dot_reference(SpvOp op, const uint8_t *a, const uint8_t *b, uint32_t accumulator)
{
    int64_t sum = 0;
    bool first = op != SpvOpUDot && op != SpvOpUDotAccSat;
    bool second = op == SpvOpSDot || op == SpvOpSDotAccSat;
    for (int i = 0; i < 4; i++) {
        sum += (int64_t)(first ? (int8_t)a[i] : a[i]) * (second ? (int8_t)b[i] : b[i]);
    }
    if (op < SpvOpSDotAccSat) {
        return (uint32_t)sum;
    }
    if (!first) {
        sum += accumulator;
        return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
    }
    sum += (int32_t)accumulator;
    return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? 0x80000000u : (uint32_t)sum;
}

static void integer_dot_products(void **state)
{
    (void)state;
    for (uint32_t w = 0; w < 3; w++) {
        struct harness h;
        harness_begin(&h, "x86-64-v3", widths[w], true);
        for (uint32_t i = 0; i < 12; i++) {
            dot_build(&h, (SpvOp)(SpvOpSDot + i / 2), i % 2);
        }
        bool runs = harness_load(&h);
        for (uint32_t i = 0; runs && i < 12; i++) {
            _Alignas(16) uint8_t a[64], b[64];
            uint32_t accumulators[16], out[16];
            for (uint32_t n = 0; n < 64; n++) {
                a[n] = (uint8_t)(n * 41 + 128);
                b[n] = (uint8_t)(n * 97 + 255);
                accumulators[n / 4] = n / 4 % 4 == 0   ? 0x7fffffff
                                      : n / 4 % 4 == 1 ? 0x80000000
                                      : n / 4 % 4 == 2 ? 0xffffff00
                                                       : n;
            }
            void *inputs[HARNESS_INPUTS] = {a, b, accumulators};
            harness_call(&h, i, inputs, out, 0, ~0ull);
            for (uint32_t n = 0; n < widths[w]; n++) {
                assert_int_equal(out[n], dot_reference((SpvOp)(SpvOpSDot + i / 2), a + 4 * n,
                                                       b + 4 * n, accumulators[n]));
            }
        }
        harness_end(&h);
    }
}

/* ---- bfloat16, fences, the clock ---- */

static void bfloat_rounds_to_nearest_even(void **state)
{
    (void)state;
    static const struct {
        uint32_t single;
        uint16_t narrow;
    } pairs[16] = {{0, 0},
                   {0x3f800000, 0x3f80},
                   {0x3f808000, 0x3f80}, /* ties to even */
                   {0x3f818000, 0x3f82},
                   {0x3f808001, 0x3f81},
                   {0x3f807fff, 0x3f80},
                   {0x7f7fffff, 0x7f80}, /* to infinity */
                   {0x7f800000, 0x7f80},
                   {0xff800000, 0xff80},
                   {0x7f800001, 0x7fc0}, /* NaN stays one */
                   {0xffc12345, 0xffc1},
                   {0x80000001, 0x8000},
                   {0x00008000, 0x0000},
                   {0x00018000, 0x0002},
                   {0xbf7fffff, 0xbf80},
                   {0x42f6e979, 0x42f7}};
    for (uint32_t w = 0; w < 3; w++) {
        struct harness h;
        struct harness_function fn;
        harness_begin(&h, "x86-64-v2", widths[w], true);
        harness_function_begin(&h, &fn);
        struct geo_ir_value *value =
            harness_load_input(&fn, 0, harness_type(&h, "f32"), HARNESS_VARYING);
        value =
            &harness_add(&fn, GEO_SPV_ARITHMETIC_FENCE_EXT, value->type, &value, 1, NULL, 0)->value;
        harness_store_output(&fn, &harness_add(&fn, GEO_SPV_CONVERT_F_TO_BF16_INTEL,
                                               harness_type(&h, "i16"), &value, 1, NULL, 0)
                                       ->value);
        harness_function_end(&fn, false, NULL);
        harness_function_begin(&h, &fn);
        value = harness_load_input(&fn, 0, harness_type(&h, "i16"), HARNESS_VARYING);
        harness_store_output(&fn, &harness_add(&fn, GEO_SPV_CONVERT_BF16_TO_F_INTEL,
                                               harness_type(&h, "f32"), &value, 1, NULL, 0)
                                       ->value);
        harness_function_end(&fn, false, NULL);
        if (harness_load(&h)) {
            uint32_t single[16], back[16];
            uint16_t narrow[16];
            for (uint32_t n = 0; n < 16; n++) {
                single[n] = pairs[n].single;
            }
            void *inputs[HARNESS_INPUTS] = {single};
            harness_call(&h, 0, inputs, narrow, 0, ~0ull);
            inputs[0] = narrow;
            harness_call(&h, 1, inputs, back, 0, ~0ull);
            for (uint32_t n = 0; n < widths[w]; n++) {
                assert_int_equal(narrow[n], pairs[n].narrow);
                assert_int_equal(back[n], (uint32_t)pairs[n].narrow << 16);
            }
        }
        harness_end(&h);
    }
}

static void the_clock_advances(void **state)
{
    (void)state;
    struct harness h;
    struct harness_function fn;
    harness_begin(&h, "x86-64-v3", 8, true);
    static const char *const types[] = {"i64", "i32x2"};
    for (uint32_t i = 0; i < 2; i++) {
        harness_function_begin(&h, &fn);
        struct geo_ir_value *scope = number(&h, "i32", SpvScopeDevice);
        harness_store_output(&fn, &harness_add(&fn, SpvOpReadClockKHR, harness_type(&h, types[i]),
                                               &scope, 1, NULL, 0)
                                       ->value);
        harness_function_end(&fn, false, NULL);
    }
    if (harness_load(&h)) {
        _Alignas(16) uint64_t first[8], second[8];
        void *inputs[HARNESS_INPUTS] = {NULL};
        harness_call(&h, 0, inputs, first, 0, ~0ull);
        harness_call(&h, 1, inputs, second, 0, ~0ull);
        assert_true(second[7] > first[0]);
        assert_true(first[0] == first[7]);
    }
    harness_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composites_in_registers_and_in_memory),
        cmocka_unit_test(null_and_undefined_are_zero),
        cmocka_unit_test(hostile_expressions_end_in_an_error),
        cmocka_unit_test(errors_name_instruction_id_and_word),
        cmocka_unit_test(instructions_of_transforms_are_not_lowered),
        cmocka_unit_test(the_tables_are_sorted),
        cmocka_unit_test(integer_dot_products),
        cmocka_unit_test(bfloat_rounds_to_nearest_even),
        cmocka_unit_test(the_clock_advances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
