/* The table of scalar operations by opcode, and the conversion of halves around each operation.
 * value/apply.c uses it for instructions; see operation.h. */
#include "compiler/lower/arith/operation.h"

#include "base/assert.h"
#include "compiler/ir/emitted.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/arith/arith.h"
#include "compiler/lower/arith/bits.h"
#include "compiler/lower/arith/compare.h"
#include "compiler/lower/arith/convert.h"
#include "compiler/lower/arith/divide.h"
#include "compiler/lower/arith/function2.h"
#include "compiler/lower/arith/guess.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/arith/mode.h"

#define ROW(opcode, operands, flag, function)                                                      \
    {.op = GEO_PART_SpvOp##opcode, .operand_count = (operands), .flags = (flag), .emit = (function)}

/* Sorted by opcode. */
static const struct geo_operation operations[] = {
    ROW(ConvertFToU, 1, 0, geo_arith_convert),
    ROW(ConvertFToS, 1, 0, geo_arith_convert),
    ROW(ConvertSToF, 1, 0, geo_arith_convert),
    ROW(ConvertUToF, 1, 0, geo_arith_convert),
    ROW(UConvert, 1, 0, geo_arith_convert),
    ROW(SConvert, 1, 0, geo_arith_convert),
    ROW(FConvert, 1, 0, geo_arith_convert),
    ROW(SatConvertSToU, 1, 0, geo_arith_convert),
    ROW(SatConvertUToS, 1, 0, geo_arith_convert),
    ROW(SNegate, 1, 0, geo_arith_emit),
    ROW(FNegate, 1, GEO_OPERATION_BITS, geo_arith_emit),
    ROW(IAdd, 2, 0, geo_arith_emit),
    ROW(FAdd, 2, GEO_OPERATION_FLOAT, geo_arith_emit),
    ROW(ISub, 2, 0, geo_arith_emit),
    ROW(FSub, 2, GEO_OPERATION_FLOAT, geo_arith_emit),
    ROW(IMul, 2, 0, geo_arith_emit),
    ROW(FMul, 2, GEO_OPERATION_FLOAT, geo_arith_emit),
    ROW(UDiv, 2, 0, geo_arith_divide),
    ROW(SDiv, 2, 0, geo_arith_divide),
    ROW(FDiv, 2, GEO_OPERATION_FLOAT, geo_arith_emit),
    ROW(UMod, 2, 0, geo_arith_divide),
    ROW(SRem, 2, 0, geo_arith_divide),
    ROW(SMod, 2, 0, geo_arith_divide),
    ROW(FRem, 2, GEO_OPERATION_FLOAT, geo_arith_divide_frem_part),
    ROW(FMod, 2, GEO_OPERATION_FLOAT, geo_arith_divide_frem_part),
    ROW(VectorTimesScalar, 2, GEO_OPERATION_FLOAT, geo_arith_emit),
    ROW(IsNan, 1, GEO_OPERATION_BITS, geo_arith_classify),
    ROW(IsInf, 1, GEO_OPERATION_BITS, geo_arith_classify),
    ROW(IsFinite, 1, GEO_OPERATION_BITS, geo_arith_classify),
    ROW(IsNormal, 1, GEO_OPERATION_BITS, geo_arith_classify),
    ROW(SignBitSet, 1, GEO_OPERATION_BITS, geo_arith_classify),
    ROW(LessOrGreater, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(Ordered, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(Unordered, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(LogicalEqual, 2, 0, geo_arith_logic),
    ROW(LogicalNotEqual, 2, 0, geo_arith_logic),
    ROW(LogicalOr, 2, 0, geo_arith_logic),
    ROW(LogicalAnd, 2, 0, geo_arith_logic),
    ROW(LogicalNot, 1, 0, geo_arith_logic),
    ROW(Select, 3, GEO_OPERATION_BITS, geo_arith_select_part),
    ROW(IEqual, 2, 0, geo_arith_compare),
    ROW(INotEqual, 2, 0, geo_arith_compare),
    ROW(UGreaterThan, 2, 0, geo_arith_compare),
    ROW(SGreaterThan, 2, 0, geo_arith_compare),
    ROW(UGreaterThanEqual, 2, 0, geo_arith_compare),
    ROW(SGreaterThanEqual, 2, 0, geo_arith_compare),
    ROW(ULessThan, 2, 0, geo_arith_compare),
    ROW(SLessThan, 2, 0, geo_arith_compare),
    ROW(ULessThanEqual, 2, 0, geo_arith_compare),
    ROW(SLessThanEqual, 2, 0, geo_arith_compare),
    ROW(FOrdEqual, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FUnordEqual, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FOrdNotEqual, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FUnordNotEqual, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FOrdLessThan, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FUnordLessThan, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FOrdGreaterThan, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FUnordGreaterThan, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FOrdLessThanEqual, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FUnordLessThanEqual, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FOrdGreaterThanEqual, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(FUnordGreaterThanEqual, 2, GEO_OPERATION_FLOAT, geo_arith_compare),
    ROW(ShiftRightLogical, 2, 0, geo_arith_bit_op),
    ROW(ShiftRightArithmetic, 2, 0, geo_arith_bit_op),
    ROW(ShiftLeftLogical, 2, 0, geo_arith_bit_op),
    ROW(BitwiseOr, 2, 0, geo_arith_bit_op),
    ROW(BitwiseXor, 2, 0, geo_arith_bit_op),
    ROW(BitwiseAnd, 2, 0, geo_arith_bit_op),
    ROW(Not, 1, 0, geo_arith_bit_op),
    ROW(BitFieldInsert, 4, 0, geo_arith_bit_op),
    ROW(BitFieldSExtract, 3, 0, geo_arith_bit_op),
    ROW(BitFieldUExtract, 3, 0, geo_arith_bit_op),
    ROW(BitReverse, 1, 0, geo_arith_bit_op),
    ROW(BitCount, 1, 0, geo_arith_bit_op),
    {.op = GEO_PART_GEO_SPV_FREEZE_KHR,
     .operand_count = 1,
     .flags = GEO_OPERATION_BITS,
     .emit = geo_arith_freeze},
    ROW(UCountLeadingZerosINTEL, 1, 0, geo_arith_function2),
    ROW(UCountTrailingZerosINTEL, 1, 0, geo_arith_function2),
    ROW(AbsISubINTEL, 2, 0, geo_arith_function2),
    ROW(AbsUSubINTEL, 2, 0, geo_arith_function2),
    ROW(IAddSatINTEL, 2, 0, geo_arith_function2),
    ROW(UAddSatINTEL, 2, 0, geo_arith_function2),
    ROW(IAverageINTEL, 2, 0, geo_arith_function2),
    ROW(UAverageINTEL, 2, 0, geo_arith_function2),
    ROW(IAverageRoundedINTEL, 2, 0, geo_arith_function2),
    ROW(UAverageRoundedINTEL, 2, 0, geo_arith_function2),
    ROW(ISubSatINTEL, 2, 0, geo_arith_function2),
    ROW(USubSatINTEL, 2, 0, geo_arith_function2),
    ROW(IMul32x16INTEL, 2, 0, geo_arith_function2),
    ROW(UMul32x16INTEL, 2, 0, geo_arith_function2),
    {.op = GEO_PART_GEO_SPV_CONVERT_F_TO_BF16_INTEL,
     .operand_count = 1,
     .emit = geo_arith_convert_bfloat},
    {.op = GEO_PART_GEO_SPV_CONVERT_BF16_TO_F_INTEL,
     .operand_count = 1,
     .emit = geo_arith_convert_bfloat},
    {.op = GEO_PART_GEO_SPV_ROUND_F_TO_TF32_INTEL,
     .operand_count = 1,
     .emit = geo_arith_convert_tf32},
    {.op = GEO_PART_GEO_OP_GUESS_INVERSE, .operand_count = 1, .emit = geo_arith_guess},
    {.op = GEO_PART_GEO_OP_GUESS_INVERSE_ROOT, .operand_count = 1, .emit = geo_arith_guess},
    {.op = GEO_PART_GEO_OP_SCALE, .operand_count = 2, .emit = geo_arith_guess_scale},
};
_Static_assert(sizeof(operations) / sizeof(operations[0]) == GEO_PART_COUNT,
               "each opcode that opcodes.def marks PART has an entry");

const void *geo_arith_operation_row_find(const void *table, size_t count, size_t row_bytes,
                                         uint32_t op)
{
    const char *rows = table;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint32_t *)(rows + middle * row_bytes) < op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    GEO_ASSERT(low == 0 || *(const uint32_t *)(rows + (low - 1) * row_bytes) < op); /* sorted */
    const char *row = rows + low * row_bytes;
    return low < count && *(const uint32_t *)row == op ? row : NULL;
}

const struct geo_operation *geo_arith_operation_find(uint32_t op)
{
    return geo_arith_operation_row_find(operations, sizeof(operations) / sizeof(operations[0]),
                                        sizeof(operations[0]), op);
}

/* Returns whether the operands are all scalars or all vectors of the same number of lanes. */
static bool operands_are_alike(const struct geo_emit *e)
{
    for (uint32_t i = 1; i < e->count; i++) {
        if (geo_type_lanes(e->v[i]) != geo_type_lanes(e->v[0])) {
            return false;
        }
    }
    return true;
}

/* Flushes denormal operands to zero. */
static void operands_flush(struct geo_emit *e)
{
    for (uint32_t i = 0; i < e->count; i++) {
        e->v[i] = geo_arith_mode_flush(e->f, e->v[i]);
    }
}

/* Returns whether the target computes the operation on halves directly. Computing in float and
 * rounding gives the same result, because its 24 bits are more than twice the 11 bits of half. */
static bool is_of_halves(const struct geo_emit *e)
{
    switch (e->op) {
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpVectorTimesScalar:
    case SpvOpFDiv:
        return e->f->options->target.computes_half && geo_type_is_half(e->from) &&
               geo_type_is_half(e->type) &&
               geo_arith_mode_rounding(e->flags, SpvFPRoundingModeRTE) == SpvFPRoundingModeRTE;
    default:
        return false;
    }
}

static LLVMValueRef halves_emit(struct geo_emit *e, const struct geo_operation *operation)
{
    LLVMTypeRef bits = LLVMTypeOf(e->v[0]);
    LLVMTypeRef halves = geo_type_like(e->v[0], LLVMHalfTypeInContext(e->f->llvm.context));
    for (uint32_t i = 0; i < e->count; i++) {
        e->v[i] = LLVMBuildBitCast(e->f->llvm.builder, e->v[i], halves, "");
    }
    LLVMValueRef result = operation->emit(e);
    return result ? LLVMBuildBitCast(e->f->llvm.builder, result, bits, "") : NULL;
}

LLVMValueRef geo_arith_operation_emit(struct geo_emit *e, const struct geo_operation *operation)
{
    struct geo_lower_function *f = e->f;
    const struct geo_ir_type *single = geo_ir_type_float(f->module, 32);
    const struct geo_ir_type *type = e->type;
    bool round = false;
    GEO_ASSERT(e->count == operation->operand_count && operands_are_alike(e));
    if (e->flags & GEO_VALUE_FLUSH_OPERANDS) {
        operands_flush(e);
    }
    bool of_halves = is_of_halves(e);
    if (operation->flags & GEO_OPERATION_FLOAT && !of_halves) {
        if (geo_type_is_half(e->from)) {
            for (uint32_t i = 0; i < e->count; i++) {
                if (geo_type_bits(e->v[i]) == 16) {
                    e->v[i] = geo_arith_half_to_float(f, e->v[i]);
                }
            }
            e->from = single;
        }
        if (geo_type_is_half(e->type)) {
            round = true;
            e->type = single;
        }
    }
    LLVMValueRef result = of_halves ? halves_emit(e, operation) : operation->emit(e);
    if (result && round) {
        result = geo_arith_float_to_half(f, result,
                                         geo_arith_mode_rounding(e->flags, SpvFPRoundingModeRTE));
    }
    GEO_ASSERT(!result || LLVMTypeOf(result) == geo_type_like(e->v[0], geo_type_of(f, type)));
    return result && e->flags & GEO_VALUE_FLUSH_RESULT ? geo_arith_mode_flush(f, result) : result;
}
