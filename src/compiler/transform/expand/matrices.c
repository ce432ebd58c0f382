/* Turns cooperative matrices into arrays of the elements that each item holds (struct
 * geo_ir_matrix). Element-wise instructions become one scalar instruction for each element:
 *
 *     conversions, arithmetic, OpMatrixTimesScalar      an instruction for each element
 *     OpCompositeConstruct of one number, ...Checked    an array of that number
 *     OpVectorExtractDynamic, OpVectorInsertDynamic     selects by the element's index
 *     ...GetElementCoordINTEL                           computed from the lane and the index
 *     ...PrefetchINTEL                                  removed
 *
 * Loads, stores and products are left to lower/cpu/group/. */
#include "compiler/transform/pass/pass.h"

#include "compiler/ir/budget.h"

/* Replaces an instruction by an array of these elements. */
static bool replace_by_array(struct geo_pass *pass, struct geo_ir_inst *inst,
                             struct geo_ir_value *const *elements)
{
    const struct geo_ir_type *type = inst->value.type;
    struct geo_ir_inst *made =
        geo_make(pass, inst, SpvOpCompositeConstruct, type, (uint32_t)type->count, 0, 0);
    if (!made) {
        return false;
    }
    for (uint64_t i = 0; i < type->count; i++) {
        if (!elements[i]) {
            return false;
        }
        made->operands[i] = elements[i];
    }
    inst->value.forward = &made->value;
    geo_ir_inst_remove(inst);
    return true;
}

static struct geo_ir_value **elements_new(struct geo_pass *pass, const struct geo_ir_type *type)
{
    struct geo_ir_value **elements =
        geo_arena_new_array(&pass->arena, struct geo_ir_value *, type->count);
    if (!elements || !geo_budget_spend(type->count)) {
        geo_pass_no_memory(pass);
        return NULL;
    }
    return elements;
}

/* Returns element i of a matrix; any other value unchanged. */
static struct geo_ir_value *element_of(struct geo_pass *pass, struct geo_ir_inst *before,
                                       struct geo_ir_value *value, uint32_t i)
{
    return geo_ir_is_matrix(value->type)
               ? geo_make_extract(pass, before, value->type->element, value, &i, 1)
               : value;
}

/* ---- element-wise instructions ---- */

static bool each_element(struct geo_pass *pass, struct geo_ir_inst *inst, SpvOp op)
{
    const struct geo_ir_type *type = inst->value.type;
    struct geo_ir_value **elements = elements_new(pass, type);
    for (uint32_t i = 0; elements && i < type->count; i++) {
        struct geo_ir_value *operands[2] = {NULL};
        for (uint32_t k = 0; k < inst->operand_count; k++) {
            operands[k] = element_of(pass, inst, inst->operands[k], i);
            if (!operands[k]) {
                return false;
            }
        }
        struct geo_ir_inst *made =
            geo_make(pass, inst, op, type->element, inst->operand_count, 0, 0);
        if (!made) {
            return false;
        }
        for (uint32_t k = 0; k < inst->operand_count; k++) {
            made->operands[k] = operands[k];
        }
        made->value.flags = inst->value.flags;
        elements[i] = &made->value;
    }
    return elements && replace_by_array(pass, inst, elements);
}

/* ---- matrices of one number ---- */

static bool construct_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    if (inst->operand_count != 1 || type->count == 1) {
        return true;
    }
    struct geo_ir_value **elements = elements_new(pass, type);
    for (uint64_t i = 0; elements && i < type->count; i++) {
        elements[i] = inst->operands[0];
    }
    return elements && replace_by_array(pass, inst, elements);
}

/* ---- elements by dynamic index ---- */

static struct geo_ir_value *is_number(struct geo_pass *pass, struct geo_ir_inst *before,
                                      struct geo_ir_value *index, uint64_t i)
{
    return geo_make_binary(pass, before, SpvOpIEqual, pass->type_bool, index,
                           geo_pass_int(pass, index->type, i));
}

static bool extract_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    struct geo_ir_value *matrix = inst->operands[0], *index = inst->operands[1];
    struct geo_ir_value *result = element_of(pass, inst, matrix, 0);
    if (!geo_budget_spend(matrix->type->count)) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 1; result && i < matrix->type->count; i++) {
        result = geo_make_select(pass, inst, is_number(pass, inst, index, i),
                                 element_of(pass, inst, matrix, i), result);
    }
    inst->value.forward = result;
    geo_ir_inst_remove(inst);
    return result != NULL;
}

static bool insert_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    struct geo_ir_value *matrix = inst->operands[0];
    struct geo_ir_value **elements = elements_new(pass, matrix->type);
    for (uint32_t i = 0; elements && i < matrix->type->count; i++) {
        elements[i] = geo_make_select(pass, inst, is_number(pass, inst, inst->operands[2], i),
                                      inst->operands[1], element_of(pass, inst, matrix, i));
    }
    return elements && replace_by_array(pass, inst, elements);
}

/* ---- coordinates ---- */

/* Computes row and column of element `index` of the current item. */
static bool coordinates(struct geo_pass *pass, struct geo_ir_inst *before,
                        const struct geo_ir_matrix *matrix, struct geo_ir_value *index,
                        struct geo_ir_value **row, struct geo_ir_value **column)
{
    const struct geo_ir_type *type = pass->type_i32;
    struct geo_ir_inst *lane = geo_make(pass, before, (SpvOp)GEO_OP_BUILTIN, type, 0, 2, 0);
    if (!lane) {
        return false;
    }
    lane->literals[0] = SpvBuiltInSubgroupLocalInvocationId;
    struct geo_ir_value *columns = geo_pass_int(pass, type, matrix->columns);
    struct geo_ir_value *first = geo_make_binary(pass, before, SpvOpIMul, type, index,
                                                 geo_pass_int(pass, type, matrix->items));
    struct geo_ir_value *number =
        geo_make_binary(pass, before, SpvOpIAdd, type, first, &lane->value);
    *row = geo_make_binary(pass, before, SpvOpUDiv, type, number, columns);
    *column = geo_make_binary(pass, before, SpvOpUMod, type, number, columns);
    return *row && *column;
}

static bool coordinates_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_matrix *matrix = &inst->operands[0]->type->matrix;
    struct geo_ir_value *index = inst->operands[1], *row, *column;
    if (index->type->width != 32) {
        index = geo_make_unary(pass, inst, SpvOpUConvert, pass->type_i32, index);
    }
    if (!index || !coordinates(pass, inst, matrix, index, &row, &column)) {
        return false;
    }
    inst->value.forward =
        geo_make_binary(pass, inst, SpvOpCompositeConstruct, inst->value.type, row, column);
    geo_ir_inst_remove(inst);
    return inst->value.forward != NULL;
}

/* Returns whether offset + place, as a signed sum, is inside [0, size). */
static struct geo_ir_value *is_inside(struct geo_pass *pass, struct geo_ir_inst *before,
                                      struct geo_ir_value *offset, struct geo_ir_value *place,
                                      struct geo_ir_value *size)
{
    const struct geo_ir_type *type = pass->type_i64;
    struct geo_ir_value *at = geo_make_binary(
        pass, before, SpvOpIAdd, type, geo_make_unary(pass, before, SpvOpSConvert, type, offset),
        geo_make_unary(pass, before, SpvOpUConvert, type, place));
    struct geo_ir_value *limit = geo_make_unary(pass, before, SpvOpUConvert, type, size);
    return geo_make_binary(pass, before, SpvOpULessThan, pass->type_bool, at, limit);
}

/* Expands a filled matrix. Operands: row and column offset, height, width, and the value of the
 * elements inside. Elements outside are zero. */
static bool filled_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    struct geo_ir_value **elements = elements_new(pass, type), **operands = inst->operands;
    struct geo_ir_value *zero = geo_ir_const_null(pass->module, type->element);
    for (uint32_t i = 0; elements && i < type->count; i++) {
        struct geo_ir_value *row, *column;
        if (!zero || !coordinates(pass, inst, &type->matrix, geo_pass_int(pass, pass->type_i32, i),
                                  &row, &column)) {
            return geo_pass_no_memory(pass);
        }
        struct geo_ir_value *inside =
            geo_make_binary(pass, inst, SpvOpLogicalAnd, pass->type_bool,
                            is_inside(pass, inst, operands[0], row, operands[2]),
                            is_inside(pass, inst, operands[1], column, operands[3]));
        elements[i] = geo_make_select(pass, inst, inside, operands[4], zero);
    }
    return elements && replace_by_array(pass, inst, elements);
}

/* ---- dispatch ---- */

static bool matrix_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpFConvert:
    case SpvOpSNegate:
    case SpvOpFNegate:
    case SpvOpIAdd:
    case SpvOpFAdd:
    case SpvOpISub:
    case SpvOpFSub:
    case SpvOpIMul:
    case SpvOpFMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpFDiv:
    case GEO_SPV_CONVERT_F_TO_BF16_INTEL:
    case GEO_SPV_CONVERT_BF16_TO_F_INTEL:
    case GEO_SPV_ROUND_F_TO_TF32_INTEL:
        return each_element(pass, inst, inst->op);
    case SpvOpBitcast:
        inst->op = SpvOpCopyObject;
        return true;
    case SpvOpMatrixTimesScalar:
        return each_element(
            pass, inst, inst->value.type->element->kind == GEO_TYPE_INT ? SpvOpIMul : SpvOpFMul);
    case SpvOpCompositeConstruct:
        return construct_rewrite(pass, inst);
    case SpvOpVectorInsertDynamic:
        return insert_rewrite(pass, inst);
    case GEO_SPV_COOPERATIVE_MATRIX_CONSTRUCT_CHECKED:
        return filled_rewrite(pass, inst);
    default:
        return true;
    }
}

static bool inst_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    if (geo_ir_is_matrix(inst->value.type)) {
        return matrix_rewrite(pass, inst);
    }
    switch ((uint32_t)inst->op) {
    case SpvOpVectorExtractDynamic:
        return !geo_ir_is_matrix(inst->operands[0]->type) || extract_rewrite(pass, inst);
    case GEO_SPV_COOPERATIVE_MATRIX_ELEMENT_COORD:
        return coordinates_rewrite(pass, inst);
    case GEO_SPV_COOPERATIVE_MATRIX_PREFETCH:
        geo_ir_inst_remove(inst);
        return true;
    default:
        return true;
    }
}

ze_result_t geo_transform_matrices(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    if (!geo_pass_begin(&pass, module, log) || !module->matrix_items) {
        return geo_pass_end(&pass);
    }
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                if (!inst_rewrite(&pass, inst)) {
                    geo_pass_no_memory(&pass);
                    return geo_pass_end(&pass);
                }
            }
        }
        geo_ir_function_resolve(function);
    }
    return geo_pass_end(&pass);
}
