/* Compares 64-bit integers of lanes in 32 bits; see compare.h.
 *
 * Compilers extend 32-bit counters that index memory. So a loop like `while (i < lid)` compares
 * numbers of 64 bits, although an id has 31 at most. Vectors of them take twice the registers, and
 * AVX2 lacks comparisons of unsigned numbers.
 *
 * If one operand fits in 32 bits without the outermost numbers, the other one needs no exact value
 * beyond them. If that one is equal in all lanes, it is clamped as a scalar and truncated:
 *
 *     i < lid    <=>    min(i, 2^31 - 1) < lid,    for lid < 2^31 - 1, unsigned
 *
 * Both operands must be held as scalars: vectors would have to be truncated. */
#include "compiler/lower/value/compare.h"

#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

/* How an opcode compares. The predicate is right for 32 bits, whose highest bit is the sign. */
struct comparison_row {
    SpvOp op;
    LLVMIntPredicate predicate;
    bool is_unsigned;
};

static const struct comparison_row comparison_rows[] = {
    {SpvOpIEqual, LLVMIntEQ, false},        {SpvOpINotEqual, LLVMIntNE, false},
    {SpvOpSLessThan, LLVMIntSLT, false},    {SpvOpSLessThanEqual, LLVMIntSLE, false},
    {SpvOpSGreaterThan, LLVMIntSGT, false}, {SpvOpSGreaterThanEqual, LLVMIntSGE, false},
    {SpvOpULessThan, LLVMIntSLT, true},     {SpvOpULessThanEqual, LLVMIntSLE, true},
    {SpvOpUGreaterThan, LLVMIntSGT, true},  {SpvOpUGreaterThanEqual, LLVMIntSGE, true},
};

static const struct comparison_row *row_find(const struct geo_ir_inst *inst)
{
    for (size_t i = 0; i < sizeof(comparison_rows) / sizeof(comparison_rows[0]); i++) {
        if (comparison_rows[i].op == inst->op) {
            return &comparison_rows[i];
        }
    }
    return NULL;
}

/* Returns whether a value is inside the numbers to which the other operand is clamped. */
static bool fits(const struct geo_lower_function *f, const struct comparison_row *row,
                 const struct geo_ir_value *value)
{
    struct geo_range range = geo_range_of(f->body.shapes->ranges, value);
    return range.low > (row->is_unsigned ? -1 : (int64_t)INT32_MIN) && range.high < INT32_MAX;
}

/* Returns an operand as 32 bits in each lane. An operand that does not fit is uniform. */
static LLVMValueRef operand_narrow(struct geo_lower_function *f, const struct comparison_row *row,
                                   struct geo_ir_value *value, bool clamped)
{
    LLVMValueRef scalar = geo_value_scalar(f, value, 0);
    if (clamped) {
        LLVMValueRef high = geo_emit_const_like(scalar, INT32_MAX);
        LLVMValueRef low = geo_emit_const_like(scalar, (uint64_t)(int64_t)INT32_MIN);
        scalar = row->is_unsigned
                     ? geo_emit_minmax(f, "llvm.umin", scalar, high)
                     : geo_emit_minmax(f, "llvm.smax",
                                       geo_emit_minmax(f, "llvm.smin", scalar, high), low);
    }
    struct geo_shape shape = geo_value_shape(f, value);
    scalar = LLVMBuildTrunc(f->llvm.builder, scalar, geo_type_i32(f), "");
    return shape.kind == GEO_SHAPE_STRIDED ? geo_lanes_ramp(f, scalar, shape.stride)
                                           : geo_lanes_splat(f, scalar);
}

LLVMValueRef geo_value_compare(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct comparison_row *row = row_find(inst);
    if (!row || f->lanes == 1 || geo_value_as_scalar(f, &inst->value)) {
        return NULL;
    }
    struct geo_ir_value *a = inst->operands[0], *b = inst->operands[1];
    if (a->type->kind != GEO_TYPE_INT || a->type->width != 64 || !geo_value_as_scalar(f, a) ||
        !geo_value_as_scalar(f, b)) {
        return NULL;
    }
    bool a_fits = fits(f, row, a), b_fits = fits(f, row, b);
    if ((!a_fits && (!b_fits || !geo_value_is_uniform(f, a))) ||
        (!b_fits && !geo_value_is_uniform(f, b))) {
        return NULL;
    }
    return geo_emit_icmp(f, row->predicate, operand_narrow(f, row, a, !a_fits),
                         operand_narrow(f, row, b, !b_fits));
}
