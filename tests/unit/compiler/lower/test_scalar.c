/* Component-wise instructions against C: every opcode, type and width, with varying, uniform and
 * masked operands, on every CPU level this machine can run (others are emitted and linked). */
#include "reference.h"

#include <setjmp.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CASES_LIMIT  1024u

struct list {
    struct harness_case cases[CASES_LIMIT];
    uint32_t count;
};

struct op {
    unsigned op;
    const char *name;
    uint32_t operands;
};

#define OP(number)  SpvOp##number, #number
#define EXT(number) OpenCLstd_##number, #number

static void add(struct list *list, struct harness_case test)
{
    assert_true(list->count < CASES_LIMIT);
    list->cases[list->count++] = test;
}

static void add_same(struct list *list, const struct op *ops, size_t count,
                     const char *const *types, bool ext, const char *result,
                     uint64_t (*reference)(const struct harness_case *, const uint64_t *))
{
    for (size_t i = 0; i < count; i++) {
        for (size_t t = 0; types[t]; t++) {
            struct harness_case test = {.op = ops[i].op, .ext = ext, .name = ops[i].name};
            test.result = result ? result : types[t];
            test.operand_count = ops[i].operands;
            for (uint32_t n = 0; n < ops[i].operands; n++) {
                test.operands[n] = types[t];
            }
            test.reference = reference;
            add(list, test);
        }
    }
}

static const char *const integers[] = {"i8", "i16", "i32", "i64", NULL};
static const char *const floats[] = {"f16", "f32", "f64", NULL};

static void integer_arithmetic(void **state)
{
    static const struct op ops[] = {
        {OP(SNegate), 1},
        {OP(IAdd), 2},
        {OP(ISub), 2},
        {OP(IMul), 2},
        {OP(UDiv), 2},
        {OP(SDiv), 2},
        {OP(UMod), 2},
        {OP(SRem), 2},
        {OP(SMod), 2},
        {OP(ShiftLeftLogical), 2},
        {OP(ShiftRightLogical), 2},
        {OP(ShiftRightArithmetic), 2},
        {OP(BitwiseAnd), 2},
        {OP(BitwiseOr), 2},
        {OP(BitwiseXor), 2},
        {OP(Not), 1},
        {OP(BitReverse), 1},
        {OP(BitCount), 1},
        {OP(BitFieldInsert), 4},
        {OP(BitFieldSExtract), 3},
        {OP(BitFieldUExtract), 3},
    };
    static struct list list;
    (void)state;
    list.count = 0;
    add_same(&list, ops, COUNT(ops), integers, false, NULL, reference_integer);
    harness_run_everywhere(list.cases, list.count);
}

/* SPV_INTEL_shader_integer_functions2 */
static void integer_functions(void **state)
{
    static const struct op ops[] = {
        {OP(UCountLeadingZerosINTEL), 1},
        {OP(UCountTrailingZerosINTEL), 1},
        {OP(AbsISubINTEL), 2},
        {OP(AbsUSubINTEL), 2},
        {OP(IAddSatINTEL), 2},
        {OP(UAddSatINTEL), 2},
        {OP(IAverageINTEL), 2},
        {OP(UAverageINTEL), 2},
        {OP(IAverageRoundedINTEL), 2},
        {OP(UAverageRoundedINTEL), 2},
        {OP(ISubSatINTEL), 2},
        {OP(USubSatINTEL), 2},
    };
    static const struct op products[] = {
        {OP(IMul32x16INTEL), 2},
        {OP(UMul32x16INTEL), 2},
    };
    static const char *const words[] = {"i32", NULL};
    static struct list list;
    (void)state;
    list.count = 0;
    add_same(&list, ops, COUNT(ops), integers, false, NULL, reference_function2);
    add_same(&list, products, COUNT(products), words, false, NULL, reference_function2);
    harness_run_everywhere(list.cases, list.count);
}

static void float_arithmetic(void **state)
{
    static const struct op ops[] = {
        {OP(FNegate), 1}, {OP(FAdd), 2}, {OP(FSub), 2}, {OP(FMul), 2},
        {OP(FDiv), 2},    {OP(FRem), 2}, {OP(FMod), 2},
    };
    static struct list list;
    (void)state;
    list.count = 0;
    add_same(&list, ops, COUNT(ops), floats, false, NULL, reference_float);
    harness_run_everywhere(list.cases, list.count);
}

static void comparisons(void **state)
{
    static const struct op on_integers[] = {
        {OP(IEqual), 2},
        {OP(INotEqual), 2},
        {OP(UGreaterThan), 2},
        {OP(SGreaterThan), 2},
        {OP(ULessThan), 2},
        {OP(SLessThan), 2},
        {OP(UGreaterThanEqual), 2},
        {OP(SGreaterThanEqual), 2},
        {OP(ULessThanEqual), 2},
        {OP(SLessThanEqual), 2},
    };
    static const struct op on_floats[] = {
        {OP(FOrdEqual), 2},
        {OP(FUnordEqual), 2},
        {OP(FOrdNotEqual), 2},
        {OP(FUnordNotEqual), 2},
        {OP(FOrdLessThan), 2},
        {OP(FUnordLessThan), 2},
        {OP(FOrdGreaterThan), 2},
        {OP(FUnordGreaterThan), 2},
        {OP(FOrdLessThanEqual), 2},
        {OP(FUnordLessThanEqual), 2},
        {OP(FOrdGreaterThanEqual), 2},
        {OP(FUnordGreaterThanEqual), 2},
        {OP(LessOrGreater), 2},
        {OP(Ordered), 2},
        {OP(Unordered), 2},
        {OP(IsNan), 1},
        {OP(IsInf), 1},
        {OP(IsFinite), 1},
        {OP(IsNormal), 1},
        {OP(SignBitSet), 1},
    };
    static const struct op on_bools[] = {
        {OP(LogicalEqual), 2}, {OP(LogicalNotEqual), 2}, {OP(LogicalOr), 2},
        {OP(LogicalAnd), 2},   {OP(LogicalNot), 1},
    };
    static const char *const bools[] = {"b", NULL};
    static const char *const chosen[] = {"b", "i8", "i16", "i32", "i64", "f16", "f32", "f64"};
    static struct list list;
    (void)state;
    list.count = 0;
    add_same(&list, on_integers, COUNT(on_integers), integers, false, "b", reference_compare);
    add_same(&list, on_floats, COUNT(on_floats), floats, false, "b", reference_compare);
    add_same(&list, on_bools, COUNT(on_bools), bools, false, "b", reference_compare);
    for (size_t i = 0; i < COUNT(chosen); i++) {
        struct harness_case test = {.op = SpvOpSelect, .name = "Select", .operand_count = 3};
        test.result = test.operands[1] = test.operands[2] = chosen[i];
        test.operands[0] = "b";
        test.reference = reference_compare;
        add(&list, test);
    }
    harness_run_everywhere(list.cases, list.count);
}

static void add_conversion(struct list *list, unsigned op, const char *name, const char *from,
                           const char *to, uint32_t flags)
{
    add(list, (struct harness_case){.op = op,
                                    .name = name,
                                    .result = to,
                                    .operands = {from},
                                    .operand_count = 1,
                                    .flags = flags,
                                    .reference = reference_convert});
}

static void conversions_between_integers(void **state)
{
    static struct list list;
    (void)state;
    list.count = 0;
    for (size_t i = 0; integers[i]; i++) {
        for (size_t j = 0; integers[j]; j++) {
            add_conversion(&list, OP(SatConvertSToU), integers[i], integers[j], 0);
            add_conversion(&list, OP(SatConvertUToS), integers[i], integers[j], 0);
            if (i != j) {
                add_conversion(&list, OP(UConvert), integers[i], integers[j], 0);
                add_conversion(&list, OP(SConvert), integers[i], integers[j], 0);
                add_conversion(&list, OP(UConvert), integers[i], integers[j], GEO_VALUE_SATURATED);
                add_conversion(&list, OP(SConvert), integers[i], integers[j], GEO_VALUE_SATURATED);
            }
        }
    }
    harness_run_everywhere(list.cases, list.count);
}

/* All four rounding modes and the default; out of range and NaN saturate. */
static void conversions_with_floats(void **state)
{
    static struct list list;
    (void)state;
    list.count = 0;
    for (uint32_t mode = 0; mode <= 4; mode++) {
        uint32_t flags = mode << GEO_VALUE_ROUND_SHIFT;
        for (size_t i = 0; floats[i]; i++) {
            for (size_t j = 0; integers[j]; j++) {
                add_conversion(&list, OP(ConvertFToU), floats[i], integers[j], flags);
                add_conversion(&list, OP(ConvertFToS), floats[i], integers[j], flags);
                add_conversion(&list, OP(ConvertUToF), integers[j], floats[i], flags);
                add_conversion(&list, OP(ConvertSToF), integers[j], floats[i], flags);
            }
            for (size_t j = 0; floats[j]; j++) {
                if (i != j) {
                    add_conversion(&list, OP(FConvert), floats[i], floats[j], flags);
                }
            }
        }
    }
    harness_run_everywhere(list.cases, list.count);
}

static void ext_integers(void **state)
{
    static const struct op ops[] = {
#define ROW(...)
#define FUNCTION(...)
#define FLOATS(...)
#define INTEGERS(name, count) {EXT(name), count},
#include "compiler/ir/opencl_std.def"
        {EXT(Bitselect), 3}, {EXT(Select), 3}};
    static struct list list;
    (void)state;
    list.count = 0;
    add_same(&list, ops, COUNT(ops), integers, true, NULL, reference_ext_integer);
    for (size_t i = 0; i < 3; i++) {
        static const struct op ups[] = {{EXT(U_Upsample), 2}, {EXT(S_Upsample), 2}};
        const char *const type[] = {integers[i], NULL};
        add_same(&list, ups, 2, type, true, integers[i + 1], reference_ext_integer);
    }
    harness_run_everywhere(list.cases, list.count);
}

static void ext_floats(void **state)
{
    static const struct op ops[] = {
        {EXT(Ceil), 1},      {EXT(Floor), 1},      {EXT(Trunc), 1},       {EXT(Rint), 1},
        {EXT(Round), 1},     {EXT(Fabs), 1},       {EXT(Copysign), 2},    {EXT(Fdim), 2},
        {EXT(Fmax), 2},      {EXT(Fmin), 2},       {EXT(FMax_common), 2}, {EXT(FMin_common), 2},
        {EXT(Fma), 3},       {EXT(Maxmag), 2},     {EXT(Minmag), 2},      {EXT(Sqrt), 1},
        {EXT(FClamp), 3},    {EXT(Degrees), 1},    {EXT(Radians), 1},     {EXT(Mix), 3},
        {EXT(Step), 2},      {EXT(Smoothstep), 3}, {EXT(Sign), 1},        {EXT(Nextafter), 2},
        {EXT(Bitselect), 3},
    };
    static const char *const codes[] = {"i16", "i32", "i64"};
    static struct list list;
    (void)state;
    list.count = 0;
    add_same(&list, ops, COUNT(ops), floats, true, NULL, reference_ext_float);
    struct harness_case ldexp = {.op = OpenCLstd_Ldexp, .name = "Ldexp", .ext = true};
    ldexp.result = ldexp.operands[0] = "f64";
    ldexp.operands[1] = "i32";
    ldexp.operand_count = 2;
    ldexp.reference = reference_ext_float;
    add(&list, ldexp);
    for (size_t i = 0; i < 3; i++) {
        struct harness_case test = {.op = OpenCLstd_Nan, .name = "Nan", .ext = true};
        test.result = floats[i];
        test.operands[0] = codes[i];
        test.operand_count = 1;
        test.reference = reference_ext_float;
        add(&list, test);
        test = (struct harness_case){.op = OpenCLstd_Select, .name = "Select", .ext = true};
        test.result = test.operands[0] = test.operands[1] = floats[i];
        test.operands[2] = codes[i];
        test.operand_count = 3;
        test.reference = reference_ext_float;
        add(&list, test);
    }
    harness_run_everywhere(list.cases, list.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_arithmetic),
        cmocka_unit_test(integer_functions),
        cmocka_unit_test(float_arithmetic),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(conversions_between_integers),
        cmocka_unit_test(conversions_with_floats),
        cmocka_unit_test(ext_integers),
        cmocka_unit_test(ext_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
