/* Type rules of composites and of arithmetic, except for the opcodes in the table of rules.c. See
 * rules_value.h. */
#include "compiler/validate/rules_value.h"

#include "compiler/ir/budget.h"
#include "compiler/ir/grammar.h"
#include "compiler/validate/operand.h"

/* ---- composites ---- */

static const struct geo_ir_type *path_type(const struct geo_ir_type *type, const uint32_t *indices,
                                           uint32_t count)
{
    for (uint32_t i = 0; i < count && type; i++) {
        type = member_at(type, indices[i]);
    }
    return type;
}

static bool construct_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    if (!is_composite(type)) {
        return false;
    }
    if (geo_ir_is_matrix(type) && inst->operand_count == 1) {
        return operand_type(inst, 0) == type->element;
    }
    if (type->kind != GEO_TYPE_VECTOR) {
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            if (operand_type(inst, i) != member_at(type, i)) {
                return false;
            }
        }
        return inst->operand_count == type->count;
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        total += geo_ir_components(operand_type(inst, i));
        if (geo_ir_scalar_of(operand_type(inst, i)) != type->element) {
            return false;
        }
    }
    return total == type->count;
}

static bool shuffle_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    if (inst->operand_count != 2 || type->kind != GEO_TYPE_VECTOR ||
        operand_type(inst, 0)->kind != GEO_TYPE_VECTOR ||
        operand_type(inst, 1)->kind != GEO_TYPE_VECTOR || inst->literal_count != type->count ||
        operand_type(inst, 0)->element != type->element ||
        operand_type(inst, 1)->element != type->element) {
        return false;
    }
    uint64_t sources = operand_type(inst, 0)->count + operand_type(inst, 1)->count;
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        if (inst->literals[i] >= sources && inst->literals[i] != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

/* Returns whether a component of this type can be selected by an index that is not constant. */
static bool is_row(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR || geo_ir_is_matrix(type);
}

static bool composite_check(const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpCompositeConstruct:
        return construct_check(inst);
    case SpvOpCompositeExtract:
        return inst->operand_count == 1 && path_type(operand_type(inst, 0), inst->literals,
                                                     inst->literal_count) == inst->value.type;
    case SpvOpCompositeInsert:
        return inst->operand_count == 2 && operand_type(inst, 1) == inst->value.type &&
               path_type(operand_type(inst, 1), inst->literals, inst->literal_count) ==
                   operand_type(inst, 0);
    case SpvOpVectorShuffle:
        return shuffle_check(inst);
    case SpvOpVectorExtractDynamic:
        return inst->operand_count == 2 && is_row(operand_type(inst, 0)) &&
               operand_type(inst, 0)->element == inst->value.type && is_int(operand_type(inst, 1));
    default: /* OpVectorInsertDynamic */
        return inst->operand_count == 3 && is_row(inst->value.type) &&
               operand_type(inst, 0) == inst->value.type &&
               operand_type(inst, 1) == inst->value.type->element && is_int(operand_type(inst, 2));
    }
}

/* ---- irregular arithmetic ---- */

static bool bitcast_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *from = inst->operand_count == 1 ? operand_type(inst, 0) : NULL;
    const struct geo_ir_type *to = inst->value.type;
    if (!from || from->kind == GEO_TYPE_STRUCT || from->kind == GEO_TYPE_ARRAY ||
        to->kind == GEO_TYPE_STRUCT || to->kind == GEO_TYPE_ARRAY ||
        from->kind == GEO_TYPE_OPAQUE || to->kind == GEO_TYPE_OPAQUE ||
        geo_ir_scalar_of(from)->kind == GEO_TYPE_BOOL ||
        geo_ir_scalar_of(to)->kind == GEO_TYPE_BOOL) {
        return false;
    }
    return geo_ir_scalar_of(from)->size * geo_ir_components(from) ==
           geo_ir_scalar_of(to)->size * geo_ir_components(to);
}

static bool select_check(const struct geo_ir_inst *inst)
{
    if (inst->operand_count != 3 ||
        geo_ir_scalar_of(operand_type(inst, 0))->kind != GEO_TYPE_BOOL ||
        operand_type(inst, 1) != inst->value.type || operand_type(inst, 2) != inst->value.type) {
        return false;
    }
    return operand_type(inst, 0)->kind == GEO_TYPE_BOOL ||
           (inst->value.type->kind == GEO_TYPE_VECTOR &&
            geo_ir_components(operand_type(inst, 0)) == geo_ir_components(inst->value.type));
}

/* Checks carry, borrow and wide products: two operands of one type; the result is a struct of two
 * such members. */
static bool extended_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    return inst->operand_count == 2 && class_fits(INT, operand_type(inst, 0)) &&
           operand_type(inst, 0) == operand_type(inst, 1) && type->kind == GEO_TYPE_STRUCT &&
           type->count == 2 && type->members[0] == operand_type(inst, 0) &&
           type->members[1] == operand_type(inst, 0);
}

static bool product_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    enum scalar_class wanted = inst->op == SpvOpDot ? REAL : FLOAT;
    if (inst->operand_count != 2 || !class_fits(wanted, operand_type(inst, 0)) ||
        !class_fits(wanted, operand_type(inst, 1))) {
        return false;
    }
    if (inst->op == SpvOpDot) {
        return operand_type(inst, 0) == operand_type(inst, 1) &&
               geo_ir_scalar_of(operand_type(inst, 0)) == type;
    }
    return operand_type(inst, 0) == type && operand_type(inst, 1) == geo_ir_scalar_of(type);
}

/* Checks an integer dot product: two integer vectors of one type, or packed 32-bit integers with a
 * literal that says so. The result is at least as wide as a component. */
static bool integer_dot_check(const struct geo_ir_inst *inst)
{
    bool accumulates = inst->op >= SpvOpSDotAccSat;
    const struct geo_ir_type *type = inst->value.type;
    if (inst->operand_count != 2u + accumulates || !is_int(type) ||
        !class_fits(INT, operand_type(inst, 0)) || operand_type(inst, 0) != operand_type(inst, 1) ||
        (accumulates && operand_type(inst, 2) != type)) {
        return false;
    }
    const struct geo_ir_type *from = operand_type(inst, 0);
    if (from->kind == GEO_TYPE_VECTOR) {
        return inst->literal_count == 0 && type->width >= from->element->width;
    }
    return from->width == 32 && inst->literal_count == 1 &&
           inst->literals[0] == SpvPackedVectorFormatPackedVectorFormat4x8Bit;
}

static bool bit_field_check(const struct geo_ir_inst *inst)
{
    uint32_t values = inst->op == SpvOpBitFieldInsert ? 2 : 1;
    if (inst->operand_count != values + 2 || !class_fits(INT, inst->value.type)) {
        return false;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (i < values ? operand_type(inst, i) != inst->value.type
                       : !is_int(operand_type(inst, i))) {
            return false;
        }
    }
    return true;
}

static bool any_all_check(const struct geo_ir_inst *inst)
{
    return inst->operand_count == 1 && inst->value.type->kind == GEO_TYPE_BOOL &&
           class_fits(BOOL, operand_type(inst, 0));
}

/* ---- others ---- */

/* Returns whether two types have the same structure: arrays and structs of equal members. It spends
 * budget, since nested empty structs can have very many parts. */
static bool types_match(const struct geo_ir_type *a, const struct geo_ir_type *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || a->kind == GEO_TYPE_VECTOR || !is_composite(a) ||
        a->count != b->count || !geo_budget_spend(1)) {
        return false;
    }
    for (uint64_t i = 0; i < (a->kind == GEO_TYPE_STRUCT ? a->count : 1); i++) {
        if (!types_match(member_at(a, i), member_at(b, i))) {
            return false;
        }
    }
    return true;
}

static bool logical_copy_check(const struct geo_ir_inst *inst)
{
    return inst->operand_count == 1 && types_match(operand_type(inst, 0), inst->value.type);
}

/* Checks the result of a clock: 64 bits, or two words of 32. */
static bool clock_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    return inst->operand_count == 1 && is_int(operand_type(inst, 0)) && class_fits(INT, type) &&
           geo_ir_components(type) * geo_ir_scalar_of(type)->width == 64;
}

/* Checks a composite whose members all are the operand. */
static bool replicate_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    if (!is_composite(type) || inst->operand_count != 1) {
        return false;
    }
    for (uint64_t i = 0; i < (type->kind == GEO_TYPE_STRUCT ? type->count : 1); i++) {
        if (member_at(type, i) != operand_type(inst, 0)) {
            return false;
        }
    }
    return true;
}

/* Checks OpBitwiseFunctionINTEL: three integers of one type, and a constant truth table of eight
 * bits. */
static bool bitwise_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    uint64_t table;
    return inst->operand_count == 4 && class_fits(INT, type) && operand_type(inst, 0) == type &&
           operand_type(inst, 1) == type && operand_type(inst, 2) == type &&
           is_int(operand_type(inst, 3)) && geo_ir_constant_bits(inst->operands[3], &table) &&
           table < 256;
}

bool geo_rules_value(const struct geo_ir_inst *inst)
{
    switch ((unsigned)inst->op) {
    case GEO_SPV_COMPOSITE_CONSTRUCT_REPLICATE_EXT:
        return replicate_check(inst);
    case GEO_SPV_BITWISE_FUNCTION_INTEL:
        return bitwise_check(inst);
    case SpvOpBitcast:
        return bitcast_check(inst);
    case SpvOpSelect:
        return select_check(inst);
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
        return extended_check(inst);
    case SpvOpVectorTimesScalar:
    case SpvOpDot:
        return product_check(inst);
    case SpvOpSDot:
    case SpvOpUDot:
    case SpvOpSUDot:
    case SpvOpSDotAccSat:
    case SpvOpUDotAccSat:
    case SpvOpSUDotAccSat:
        return integer_dot_check(inst);
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
        return bit_field_check(inst);
    case SpvOpAny:
    case SpvOpAll:
        return any_all_check(inst);
    case SpvOpCopyLogical:
        return logical_copy_check(inst);
    case SpvOpReadClockKHR:
        return clock_check(inst);
    default:
        return composite_check(inst);
    }
}
