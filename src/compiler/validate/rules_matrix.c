/* Type rules of cooperative matrices (SPV_KHR_cooperative_matrix, SPV_INTEL_joint_matrix), and of
 * element-wise instructions on matrices. See rules_matrix.h. */
#include "compiler/validate/rules_matrix.h"

#include "compiler/ir/grammar.h"
#include "compiler/ir/matrix.h"
#include "compiler/validate/check.h"

/* ---- element-wise instructions ---- */

static bool shapes_equal(const struct geo_ir_type *a, const struct geo_ir_type *b)
{
    return geo_ir_is_matrix(a) && geo_ir_is_matrix(b) && a->matrix.rows == b->matrix.rows &&
           a->matrix.columns == b->matrix.columns && a->matrix.use == b->matrix.use &&
           a->matrix.items == b->matrix.items;
}

bool geo_rules_matrix_has(const struct geo_ir_inst *inst)
{
    return geo_ir_is_matrix(inst->value.type) ||
           (inst->operand_count && geo_ir_is_matrix(operand_type(inst, 0)));
}

bool geo_rules_matrix_elements(const struct geo_ir_inst *inst, enum scalar_class result,
                               enum scalar_class operand, uint32_t count)
{
    const struct geo_ir_type *type = inst->value.type;
    if (inst->operand_count != count) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_type *from = operand_type(inst, i);
        bool same = count == 1 || from == type;
        if (!same || !shapes_equal(from, type) || !class_fits(operand, from->element)) {
            return false;
        }
    }
    return class_fits(result, type->element);
}

/* ---- loads and stores ---- */

/* Checks where a matrix lies in memory: a pointer to numbers, a constant layout, and a stride
 * between rows or columns. */
static bool place_check(const struct geo_ir_inst *inst, const struct geo_matrix_place *place,
                        const char **reason)
{
    if (inst->operand_count <= place->layout || inst->operand_count > place->stride + 1u) {
        return false;
    }
    const struct geo_ir_type *pointer = operand_type(inst, 0);
    uint64_t layout;
    if (!is_pointer(pointer) || !is_int(operand_type(inst, place->layout))) {
        return false;
    }
    const struct geo_ir_type *scalar = geo_ir_scalar_of(pointer->element);
    if (scalar->kind != GEO_TYPE_INT && scalar->kind != GEO_TYPE_FLOAT) {
        return false;
    }
    if (!geo_ir_constant_bits(inst->operands[place->layout], &layout) ||
        layout >= GEO_MATRIX_LAYOUTS) {
        *reason = "its layout is not supported";
        return false;
    }
    if (inst->operand_count <= place->stride) {
        *reason = "it has no stride";
        return false;
    }
    for (uint32_t i = 0; place->checked && i < 2; i++) {
        if (!is_int(operand_type(inst, place->x + i)) ||
            !is_int(operand_type(inst, place->height + i))) {
            return false;
        }
    }
    return is_int(operand_type(inst, place->stride));
}

bool geo_rule_matrix_access(const struct geo_ir_inst *inst, const char **reason)
{
    const struct geo_matrix_place place = geo_matrix_place_of((uint32_t)inst->op);
    if (!place_check(inst, &place, reason)) {
        return false;
    }
    return geo_ir_is_matrix(place.object ? operand_type(inst, place.object) : inst->value.type);
}

/* ---- products ---- */

/* Checks what the literals declare: 16-bit integers may be bfloat16, and floats TF32. */
static bool literals_fit(const struct geo_ir_type *matrix, uint32_t literals, uint32_t bfloat,
                         uint32_t tf32)
{
    const struct geo_ir_type *type = matrix->element;
    return (!(literals & bfloat) || (is_int(type) && type->width == 16)) &&
           (!(literals & tf32) || (type->kind == GEO_TYPE_FLOAT && type->width == 32));
}

static bool is_real(const struct geo_ir_type *matrix, uint32_t literals, uint32_t bfloat)
{
    return class_fits(REAL, matrix->element) || literals & bfloat;
}

bool geo_rule_matrix_product(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    if (inst->operand_count != 3 || inst->literal_count > 1) {
        return false;
    }
    const struct geo_ir_type *a = operand_type(inst, 0), *b = operand_type(inst, 1);
    const struct geo_ir_type *c = operand_type(inst, 2), *to = inst->value.type;
    if (!geo_ir_is_matrix(a) || !geo_ir_is_matrix(b) || !shapes_equal(c, to) ||
        a->matrix.items != to->matrix.items || b->matrix.items != to->matrix.items ||
        a->matrix.use != GEO_MATRIX_A || b->matrix.use != GEO_MATRIX_B ||
        to->matrix.use != GEO_MATRIX_ACCUMULATOR || a->matrix.rows != to->matrix.rows ||
        b->matrix.columns != to->matrix.columns || a->matrix.columns != b->matrix.rows) {
        return false;
    }
    uint32_t literals = inst->literal_count ? inst->literals[0] : 0;
    if (!literals_fit(a, literals, GEO_MATRIX_AB_BFLOAT, GEO_MATRIX_AB_TF32) ||
        !literals_fit(b, literals, GEO_MATRIX_AB_BFLOAT, GEO_MATRIX_AB_TF32) ||
        !literals_fit(c, literals, GEO_MATRIX_C_BFLOAT, 0) ||
        !literals_fit(to, literals, GEO_MATRIX_RESULT_BFLOAT, 0)) {
        return false;
    }
    bool real = is_real(to, literals, GEO_MATRIX_RESULT_BFLOAT);
    return is_real(a, literals, GEO_MATRIX_AB_BFLOAT) == real &&
           is_real(b, literals, GEO_MATRIX_AB_BFLOAT) == real &&
           is_real(c, literals, GEO_MATRIX_C_BFLOAT) == real;
}

/* ---- other instructions ---- */

bool geo_rule_matrix_scaled(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *type = inst->value.type;
    return inst->operand_count == 2 && geo_ir_is_matrix(type) && operand_type(inst, 0) == type &&
           operand_type(inst, 1) == type->element &&
           (is_int(type->element) || class_fits(FLOAT, type->element));
}

bool geo_rule_matrix_coordinates(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *type = inst->value.type;
    return inst->operand_count == 2 && geo_ir_is_matrix(operand_type(inst, 0)) &&
           is_int(operand_type(inst, 1)) && type->kind == GEO_TYPE_VECTOR && type->count == 2 &&
           is_int(type->element) && type->element->width == 32;
}

/* Checks a filled matrix: x, y, height and width, and the value of the elements inside. */
bool geo_rule_matrix_filled(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    for (uint32_t i = 0; i < 4 && i < inst->operand_count; i++) {
        if (!is_int(operand_type(inst, i))) {
            return false;
        }
    }
    return inst->operand_count == 5 && geo_ir_is_matrix(inst->value.type) &&
           operand_type(inst, 4) == inst->value.type->element;
}

bool geo_rule_matrix_prefetch(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count && is_pointer(operand_type(inst, 0));
}
