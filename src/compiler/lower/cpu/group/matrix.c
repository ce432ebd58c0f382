/* Selects the lowering of a cooperative matrix instruction, and checks that the matrix has the size
 * of the chunk. See matrix.h. */
#include "compiler/lower/cpu/group/matrix.h"

#include "compiler/ir/matrix.h"

static const struct geo_ir_matrix *matrix_of(const struct geo_ir_inst *inst)
{
    if (geo_ir_is_matrix(inst->value.type)) {
        return &inst->value.type->matrix;
    }
    return &inst->operands[geo_matrix_place_of((uint32_t)inst->op).object]->type->matrix;
}

bool geo_group_matrix(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t items = matrix_of(inst)->items;
    if (items != f->lanes) {
        geo_state_error(f, inst,
                        "the matrix is for sub-groups of %u items, but this kernel's have %u",
                        items, f->lanes);
        return false;
    }
    return (uint32_t)inst->op == GEO_SPV_COOPERATIVE_MATRIX_MUL_ADD_KHR
               ? geo_group_matrix_product(f, inst)
               : geo_group_matrix_access(f, inst);
}
