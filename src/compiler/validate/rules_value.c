/* Type rules of composites and of arithmetic whose operands relate irregularly. See check.h. */
#include "compiler/ir/budget.h"
#include "compiler/ir/grammar.h"
#include "compiler/validate/check.h"
#include "compiler/validate/operand.h"
#include "compiler/validate/rules_matrix.h"

/* ---- composites ---- */

static const struct geo_ir_type *path_type(const struct geo_ir_type *type, const uint32_t *indices,
                                           uint32_t count)
{
    for (uint32_t i = 0; i < count && type; i++) {
        type = member_at(type, indices[i]);
    }
    return type;
}

bool geo_rule_value_construct(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
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

bool geo_rule_value_shuffle(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
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

bool geo_rule_value_extract(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 1 && path_type(operand_type(inst, 0), inst->literals,
                                                 inst->literal_count) == inst->value.type;
}

bool geo_rule_value_insert(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 2 && operand_type(inst, 1) == inst->value.type &&
           path_type(operand_type(inst, 1), inst->literals, inst->literal_count) ==
               operand_type(inst, 0);
}

bool geo_rule_value_extract_dynamic(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 2 && is_row(operand_type(inst, 0)) &&
           operand_type(inst, 0)->element == inst->value.type && is_int(operand_type(inst, 1));
}

bool geo_rule_value_insert_dynamic(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 3 && is_row(inst->value.type) &&
           operand_type(inst, 0) == inst->value.type &&
           operand_type(inst, 1) == inst->value.type->element && is_int(operand_type(inst, 2));
}

/* ---- irregular arithmetic ---- */

bool geo_rule_value_bitcast(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *from = inst->operand_count == 1 ? operand_type(inst, 0) : NULL;
    const struct geo_ir_type *to = inst->value.type;
    if (geo_rules_matrix_has(inst)) {
        return geo_rules_matrix_elements(inst, INT, INT, 1) &&
               from->element->width == to->element->width;
    }
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

bool geo_rule_value_select(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
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
bool geo_rule_value_extended(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *type = inst->value.type;
    return inst->operand_count == 2 && class_fits(INT, operand_type(inst, 0)) &&
           operand_type(inst, 0) == operand_type(inst, 1) && type->kind == GEO_TYPE_STRUCT &&
           type->count == 2 && type->members[0] == operand_type(inst, 0) &&
           type->members[1] == operand_type(inst, 0);
}

bool geo_rule_value_dot(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 2 && class_fits(REAL, operand_type(inst, 0)) &&
           operand_type(inst, 0) == operand_type(inst, 1) &&
           geo_ir_scalar_of(operand_type(inst, 0)) == inst->value.type;
}

bool geo_rule_value_scaled_vector(const struct geo_ir_inst *inst, const char **reason)
{
    const struct geo_ir_type *type = inst->value.type;
    (void)reason;
    return inst->operand_count == 2 && class_fits(FLOAT, type) && operand_type(inst, 0) == type &&
           operand_type(inst, 1) == geo_ir_scalar_of(type);
}

/* Checks an integer dot product: two integer vectors of one type, or packed 32-bit integers with a
 * literal that says so. The result is at least as wide as a component. */
bool geo_rule_value_integer_dot(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
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

bool geo_rule_value_bit_field(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
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

/* Returns whether scalars or components are 16 bits that hold a bfloat16: an integer or bfloat16
 * itself (transform/expand/bfloat.c). */
static bool holds_bfloat(const struct geo_ir_type *type)
{
    const struct geo_ir_type *scalar = geo_ir_scalar_of(type);
    return scalar->kind == GEO_TYPE_INT && scalar->width == 16;
}

bool geo_rule_value_to_bfloat(const struct geo_ir_inst *inst, const char **reason)
{
    const struct geo_ir_type *type = inst->value.type;
    (void)reason;
    if (geo_rules_matrix_has(inst)) {
        return geo_rules_matrix_elements(inst, INT, FLOAT, 1);
    }
    return inst->operand_count == 1 && holds_bfloat(type) &&
           class_fits(FLOAT, operand_type(inst, 0)) &&
           geo_ir_components(type) == geo_ir_components(operand_type(inst, 0));
}

bool geo_rule_value_from_bfloat(const struct geo_ir_inst *inst, const char **reason)
{
    const struct geo_ir_type *type = inst->value.type;
    (void)reason;
    if (geo_rules_matrix_has(inst)) {
        return geo_rules_matrix_elements(inst, FLOAT, INT, 1);
    }
    return inst->operand_count == 1 && holds_bfloat(operand_type(inst, 0)) &&
           class_fits(FLOAT, type) &&
           geo_ir_components(type) == geo_ir_components(operand_type(inst, 0));
}

/* Checks a product of 32-bit integers and the lower halves of others. */
bool geo_rule_value_half_product(const struct geo_ir_inst *inst, const char **reason)
{
    const struct geo_ir_type *type = inst->value.type;
    (void)reason;
    return inst->operand_count == 2 && class_fits(INT, type) &&
           geo_ir_scalar_of(type)->width == 32 && operand_type(inst, 0) == type &&
           operand_type(inst, 1) == type;
}

bool geo_rule_value_any_all(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
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

bool geo_rule_value_logical_copy(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 1 && types_match(operand_type(inst, 0), inst->value.type);
}

/* Checks the result of a clock: 64 bits, or two words of 32. */
bool geo_rule_value_clock(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *type = inst->value.type;
    return inst->operand_count == 1 && is_int(operand_type(inst, 0)) && class_fits(INT, type) &&
           geo_ir_components(type) * geo_ir_scalar_of(type)->width == 64;
}

/* Checks a composite whose members all are the operand. */
bool geo_rule_value_replicate(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
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
bool geo_rule_value_bitwise(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *type = inst->value.type;
    uint64_t table;
    return inst->operand_count == 4 && class_fits(INT, type) && operand_type(inst, 0) == type &&
           operand_type(inst, 1) == type && operand_type(inst, 2) == type &&
           is_int(operand_type(inst, 3)) && geo_ir_constant_bits(inst->operands[3], &table) &&
           table < 256;
}
