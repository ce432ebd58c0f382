/* What the folder computes against the reference interpreter, which shares no line with it: every
 * opcode, width and pair of edge values. What must not be relied on is marked. */
#include "interpret.h"
#include "support.h"

#include "compiler/fold/scalar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct geo_ir_module *module;

static int setup(void **state)
{
    (void)state;
    module = geo_ir_module_create(1u << 20);
    return module ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    geo_ir_module_destroy(module);
    return 0;
}

/* ---- values ---- */

#define VALUES_LIMIT 96u

struct values {
    uint64_t bits[VALUES_LIMIT];
    uint32_t count;
};

static uint64_t cut(const struct geo_ir_type *type, uint64_t bits)
{
    uint32_t width = type->kind == GEO_TYPE_BOOL ? 1 : type->width;
    return width >= 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

static void values_add(struct values *values, const struct geo_ir_type *type, uint64_t bits)
{
    assert_true(values->count < VALUES_LIMIT);
    values->bits[values->count++] = cut(type, bits);
}

/* Around 0 and the limits of each width; small numbers for shifts; random ones. */
static void integer_values(struct values *values, const struct geo_ir_type *type)
{
    struct support_random random = {type->width};
    static const uint32_t widths[] = {8, 16, 32, 64};
    for (int64_t i = -2; i <= 3; i++) {
        values_add(values, type, (uint64_t)i);
        for (size_t w = 0; w < COUNT(widths); w++) {
            values_add(values, type, ((uint64_t)1 << (widths[w] - 1)) + (uint64_t)i);
        }
    }
    for (size_t w = 0; w < COUNT(widths); w++) {
        values_add(values, type, widths[w] - 1);
        values_add(values, type, widths[w]);
    }
    for (int i = 0; i < 10; i++) {
        values_add(values, type, support_random(&random));
    }
}

/* Zeros, denormals, the limits of the format and of integers, halves of one, infinities, NaN. */
static void float_values(struct values *values, const struct geo_ir_type *type)
{
    struct support_random random = {type->width};
    uint32_t width = type->width, mantissa = width == 16 ? 10 : width == 32 ? 23 : 52;
    uint64_t sign = (uint64_t)1 << (width - 1), one = (uint64_t)1 << mantissa;
    uint64_t infinity = (sign - 1) & ~(one - 1);
    const uint64_t bits[] = {0, 1, one - 1, one, infinity - 1, infinity, infinity | one >> 1};
    static const double numbers[] = {0.5,   1,     1.5,    2.5,      127,    128,
                                     255.5, 32767, 65519,  0x1p31,   0x1p32, 0x1p52 - 0.5,
                                     0.1,   3,     0x1p63, 0x1p-126, 0x1p64};
    for (uint32_t negative = 0; negative < 2; negative++) {
        for (size_t i = 0; i < COUNT(bits); i++) {
            values_add(values, type, bits[i] | (negative ? sign : 0));
        }
        for (size_t i = 0; i < COUNT(numbers); i++) {
            values_add(values, type, interp_from_double(type, negative ? -numbers[i] : numbers[i]));
        }
    }
    for (int i = 0; i < 10; i++) {
        values_add(values, type, support_random(&random));
    }
}

static void values_make(struct values *values, const struct geo_ir_type *type)
{
    values->count = 0;
    switch (type->kind) {
    case GEO_TYPE_BOOL:
        values_add(values, type, 0);
        values_add(values, type, 1);
        break;
    case GEO_TYPE_FLOAT:
        float_values(values, type);
        break;
    default:
        integer_values(values, type);
    }
}

/* ---- comparing ---- */

static bool is_nan(const struct geo_ir_type *type, uint64_t bits)
{
    return type->kind == GEO_TYPE_FLOAT && isnan(interp_to_double(type, bits));
}

/* Where the interpreter gives what is undefined another value, or rounds more than once. */
static bool may_differ(SpvOp op, enum geo_fold fold)
{
    bool shifts = op == SpvOpShiftLeftLogical || op == SpvOpShiftRightLogical ||
                  op == SpvOpShiftRightArithmetic;
    return (shifts && fold == GEO_FOLD_UNDEFINED) || op == SpvOpFMod;
}

static void check(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                  const uint64_t operands[3])
{
    uint64_t got = 0, expected = 0;
    enum geo_fold fold = geo_fold_scalar(op, type, source, operands, &got);
    if (fold == GEO_FOLD_NONE || !interp_scalar(op, type, source, 0, operands, &expected)) {
        fail_msg("%s of %u to %u bits: not folded", geo_op_name(op), source->width, type->width);
    }
    assert_true(got == cut(type, got));
    if (got != cut(type, expected) && !(is_nan(type, got) && is_nan(type, expected)) &&
        !may_differ(op, fold)) {
        fail_msg("%s of %u to %u bits: %#llx, %#llx give %#llx instead of %#llx", geo_op_name(op),
                 source->width, type->width, (unsigned long long)operands[0],
                 (unsigned long long)operands[1], (unsigned long long)got,
                 (unsigned long long)expected);
    }
}

static void check_all(SpvOp op, const struct geo_ir_type *type, const struct geo_ir_type *source,
                      uint32_t count)
{
    struct values values;
    values_make(&values, source);
    for (uint32_t i = 0; i < values.count; i++) {
        for (uint32_t k = 0; k < (count > 1 ? values.count : 1); k++) {
            const uint64_t operands[3] = {values.bits[i], count > 1 ? values.bits[k] : 0, 0};
            check(op, type, source, operands);
        }
    }
}

/* ---- tests ---- */

static const uint32_t integer_widths[] = {8, 16, 32, 64};
static const uint32_t float_widths[] = {16, 32, 64};

static void integers(void **state)
{
    static const SpvOp two[] = {SpvOpIAdd,
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
                                SpvOpShiftRightArithmetic};
    static const SpvOp one[] = {SpvOpSNegate, SpvOpNot, SpvOpBitCount};
    static const SpvOp compares[] = {
        SpvOpIEqual,        SpvOpINotEqual,         SpvOpUGreaterThan,
        SpvOpSGreaterThan,  SpvOpUGreaterThanEqual, SpvOpSGreaterThanEqual,
        SpvOpULessThan,     SpvOpSLessThan,         SpvOpULessThanEqual,
        SpvOpSLessThanEqual};
    (void)state;
    for (size_t w = 0; w < COUNT(integer_widths); w++) {
        const struct geo_ir_type *type = geo_ir_type_int(module, integer_widths[w]);
        for (size_t i = 0; i < COUNT(two); i++) {
            check_all(two[i], type, type, 2);
        }
        for (size_t i = 0; i < COUNT(one); i++) {
            check_all(one[i], type, type, 1);
        }
        for (size_t i = 0; i < COUNT(compares); i++) {
            check_all(compares[i], geo_ir_type_bool(module), type, 2);
        }
    }
}

static void bools(void **state)
{
    static const SpvOp two[] = {SpvOpLogicalAnd, SpvOpLogicalOr, SpvOpLogicalEqual,
                                SpvOpLogicalNotEqual};
    const struct geo_ir_type *type = geo_ir_type_bool(module);
    (void)state;
    for (size_t i = 0; i < COUNT(two); i++) {
        check_all(two[i], type, type, 2);
    }
    check_all(SpvOpLogicalNot, type, type, 1);
    for (size_t w = 0; w < COUNT(integer_widths); w++) {
        for (uint64_t condition = 0; condition < 2; condition++) {
            const uint64_t operands[3] = {condition, 5, 9};
            check(SpvOpSelect, geo_ir_type_int(module, integer_widths[w]), type, operands);
        }
    }
}

static void floats(void **state)
{
    static const SpvOp two[] = {SpvOpFAdd, SpvOpFSub, SpvOpFMul, SpvOpFDiv, SpvOpFRem, SpvOpFMod};
    static const SpvOp compares[] = {
        SpvOpFOrdEqual,           SpvOpFUnordEqual,          SpvOpFOrdNotEqual,
        SpvOpFUnordNotEqual,      SpvOpFOrdLessThan,         SpvOpFUnordLessThan,
        SpvOpFOrdGreaterThan,     SpvOpFUnordGreaterThan,    SpvOpFOrdLessThanEqual,
        SpvOpFUnordLessThanEqual, SpvOpFOrdGreaterThanEqual, SpvOpFUnordGreaterThanEqual};
    (void)state;
    for (size_t w = 0; w < COUNT(float_widths); w++) {
        const struct geo_ir_type *type = geo_ir_type_float(module, float_widths[w]);
        for (size_t i = 0; i < COUNT(two); i++) {
            check_all(two[i], type, type, 2);
        }
        check_all(SpvOpFNegate, type, type, 1);
        for (size_t i = 0; i < COUNT(compares); i++) {
            check_all(compares[i], geo_ir_type_bool(module), type, 2);
        }
    }
}

static void conversions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(integer_widths); i++) {
        const struct geo_ir_type *integer = geo_ir_type_int(module, integer_widths[i]);
        for (size_t k = 0; k < COUNT(integer_widths); k++) {
            const struct geo_ir_type *other = geo_ir_type_int(module, integer_widths[k]);
            check_all(SpvOpUConvert, other, integer, 1);
            check_all(SpvOpSConvert, other, integer, 1);
        }
        for (size_t k = 0; k < COUNT(float_widths); k++) {
            const struct geo_ir_type *real = geo_ir_type_float(module, float_widths[k]);
            check_all(SpvOpConvertSToF, real, integer, 1);
            check_all(SpvOpConvertUToF, real, integer, 1);
            check_all(SpvOpConvertFToS, integer, real, 1);
            check_all(SpvOpConvertFToU, integer, real, 1);
            if (integer->width == real->width) {
                check_all(SpvOpBitcast, real, integer, 1);
                check_all(SpvOpBitcast, integer, real, 1);
            }
        }
    }
    for (size_t i = 0; i < COUNT(float_widths); i++) {
        for (size_t k = 0; k < COUNT(float_widths); k++) {
            check_all(SpvOpFConvert, geo_ir_type_float(module, float_widths[k]),
                      geo_ir_type_float(module, float_widths[i]), 1);
        }
    }
}

/* The remainder with the divisor's sign, in each format. */
static void modulo_has_the_sign_of_the_divisor(void **state)
{
    static const double cases[][3] = {{5, 3, 2},    {-5, 3, 1}, {5, -3, -1},
                                      {-5, -3, -2}, {6, -3, 0}, {0.5, 0.75, 0.5}};
    (void)state;
    for (size_t w = 0; w < COUNT(float_widths); w++) {
        const struct geo_ir_type *type = geo_ir_type_float(module, float_widths[w]);
        for (size_t i = 0; i < COUNT(cases); i++) {
            const uint64_t operands[3] = {interp_from_double(type, cases[i][0]),
                                          interp_from_double(type, cases[i][1]), 0};
            uint64_t result;
            assert_int_equal(geo_fold_scalar(SpvOpFMod, type, type, operands, &result),
                             GEO_FOLD_ROUNDED);
            assert_true(interp_to_double(type, result) == cases[i][2]);
        }
    }
}

static enum geo_fold kind_of(SpvOp op, const struct geo_ir_type *type,
                             const struct geo_ir_type *source, uint64_t a, uint64_t b)
{
    const uint64_t operands[3] = {a, b, 0};
    uint64_t result;
    return geo_fold_scalar(op, type, source, operands, &result);
}

static void what_depends_on_something_is_marked(void **state)
{
    const struct geo_ir_type *i32 = geo_ir_type_int(module, 32), *i8 = geo_ir_type_int(module, 8);
    const struct geo_ir_type *f32 = geo_ir_type_float(module, 32);
    const struct geo_ir_type *f64 = geo_ir_type_float(module, 64), *b = geo_ir_type_bool(module);
    (void)state;
    assert_int_equal(kind_of(SpvOpUDiv, i32, i32, 1, 0), GEO_FOLD_UNDEFINED);
    assert_int_equal(kind_of(SpvOpSRem, i32, i32, 1, 0), GEO_FOLD_UNDEFINED);
    assert_int_equal(kind_of(SpvOpSDiv, i32, i32, 0x80000000, UINT32_MAX), GEO_FOLD_UNDEFINED);
    assert_int_equal(kind_of(SpvOpSDiv, i8, i8, 0x80, 0xFF), GEO_FOLD_UNDEFINED);
    assert_int_equal(kind_of(SpvOpSDiv, i32, i32, 0x80, UINT32_MAX), GEO_FOLD_EXACT);
    assert_int_equal(kind_of(SpvOpShiftLeftLogical, i32, i32, 1, 32), GEO_FOLD_UNDEFINED);
    assert_int_equal(kind_of(SpvOpShiftLeftLogical, i32, i32, 1, 31), GEO_FOLD_EXACT);
    assert_int_equal(kind_of(SpvOpConvertFToS, i8, f32, 0x43000000, 0), GEO_FOLD_UNDEFINED);
    assert_int_equal(kind_of(SpvOpConvertFToU, i8, f32, 0x43000000, 0), GEO_FOLD_EXACT);
    assert_int_equal(kind_of(SpvOpConvertSToF, f32, i32, 0x1000001, 0), GEO_FOLD_ROUNDED);
    assert_int_equal(kind_of(SpvOpConvertSToF, f64, i32, 0x1000001, 0), GEO_FOLD_EXACT);
    assert_int_equal(kind_of(SpvOpFConvert, f32, f64, 0x3FB999999999999A, 0), GEO_FOLD_ROUNDED);
    assert_int_equal(kind_of(SpvOpFConvert, f64, f32, 1, 0), GEO_FOLD_ROUNDED); /* a denormal */
    assert_int_equal(kind_of(SpvOpFOrdEqual, b, f32, 1, 0), GEO_FOLD_ROUNDED);
    assert_int_equal(kind_of(SpvOpFOrdEqual, b, f32, 0, 0), GEO_FOLD_EXACT);
    assert_int_equal(kind_of(SpvOpFAdd, f32, f32, 0, 0), GEO_FOLD_ROUNDED);
    assert_int_equal(kind_of(SpvOpIAdd, f32, f32, 0, 0), GEO_FOLD_NONE);
    assert_int_equal(kind_of(SpvOpFAdd, i32, i32, 0, 0), GEO_FOLD_NONE);
    assert_int_equal(kind_of(SpvOpUConvert, i8, f32, 0, 0), GEO_FOLD_NONE);
    assert_int_equal(kind_of(SpvOpBitcast, i8, f32, 0, 0), GEO_FOLD_NONE);
    assert_int_equal(kind_of(SpvOpLoad, i32, i32, 0, 0), GEO_FOLD_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(bools),
        cmocka_unit_test(floats),
        cmocka_unit_test(conversions),
        cmocka_unit_test(modulo_has_the_sign_of_the_divisor),
        cmocka_unit_test(what_depends_on_something_is_marked),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
