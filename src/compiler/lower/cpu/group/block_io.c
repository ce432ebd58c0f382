/* Lowers block reads and writes of SPV_INTEL_subgroups. Component c of lane i is element c * W + i
 * behind a pointer that is equal in all lanes. Inactive lanes access no memory. See subgroup.h. */
#include "compiler/lower/cpu/group/block_io.h"

#include "compiler/lower/cpu/group/subgroup.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

bool geo_group_block_io(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool writes = inst->op == SpvOpSubgroupBlockWriteINTEL;
    if (!geo_subgroup_operands(f, inst, writes ? 2 : 1)) {
        return false;
    }
    const struct geo_ir_type *data = writes ? inst->operands[1]->type : inst->value.type;
    const struct geo_ir_type *element = geo_ir_scalar_of(data);
    if (inst->operands[0]->type->kind != GEO_TYPE_POINTER ||
        (element->kind != GEO_TYPE_INT && element->kind != GEO_TYPE_FLOAT)) {
        geo_state_error(f, inst,
                        "the data must be integers or floats, and be accessed through a pointer");
        return false;
    }
    LLVMValueRef pointer = geo_subgroup_agreed(f, inst->operands[0]),
                 mask = geo_emit_mask_active(f);
    uint32_t align = (uint32_t)element->size; /* only the alignment of an element is guaranteed */
    for (uint32_t part = 0; part < geo_part_count(data); part++) {
        LLVMTypeRef type = geo_type_vector(f, geo_type_of(f, element));
        LLVMValueRef place =
            geo_emit_offset_const(f, pointer, (int64_t)(part * f->lanes * element->size));
        if (writes) {
            geo_emit_masked_store(f, geo_value_vector(f, inst->operands[1], part), place, mask,
                                  align);
        } else {
            geo_value_set_wide(f, inst, part, geo_emit_masked_load(f, type, place, mask, align));
        }
    }
    return true;
}
