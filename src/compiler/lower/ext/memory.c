/* Lowers vload, vstore and their half variants of OpenCL.std, with the accesses of memory/.
 *
 * Vectors are tightly packed, so vload3 has a step of 3 components. Only vloada_half3 and
 * vstorea_half3 have a step of 4. */
#include "compiler/lower/ext/memory.h"

#include "base/assert.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/memory/dense.h"
#include "compiler/lower/memory/load_store.h"
#include "compiler/lower/value/value.h"

#include <spirv/unified1/OpenCL.std.h>

#define COMPONENTS_LIMIT 16u

/* Prepares an access of `count` elements of type `element` at pointer + index * step elements.
 * Reports an error and returns false if the operands are invalid. */
static bool prepare(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                    struct geo_ir_value *index, struct geo_ir_value *pointer,
                    const struct geo_ir_type *element, uint32_t step, bool aligned,
                    struct geo_access *access)
{
    if (pointer->type->kind != GEO_TYPE_POINTER || index->type->kind != GEO_TYPE_INT) {
        geo_state_error(f, inst, "it needs an offset and a pointer");
        return false;
    }
    *access = (struct geo_access){.f = f, .inst = inst, .flags = inst->memory_flags};
    access->packed = true;
    uint64_t size = element->size * step;
    access->align = (uint32_t)(aligned && !(size & (size - 1)) ? size : element->size);
    struct geo_address base = geo_lane_address_of(f, pointer);
    access->address = geo_lane_address_index(f, base, index, (int64_t)size);
    return true;
}

static const struct geo_ir_type *row_type(struct geo_lower_function *f,
                                          const struct geo_ir_type *element, uint32_t count)
{
    GEO_ASSERT(count >= 1 && count <= COMPONENTS_LIMIT);
    return count > 1 ? geo_ir_type_vector(f->module, element, count) : element;
}

bool geo_ext_vload(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t number = inst->literals[1];
    uint32_t count = geo_part_count(inst->value.type);
    const struct geo_ir_type *element = geo_ir_scalar_of(inst->value.type);
    bool half = number != OpenCLstd_Vloadn, aligned = number == OpenCLstd_Vloada_halfn;
    if (inst->operand_count != 2 || count > COMPONENTS_LIMIT ||
        (half && (element->kind != GEO_TYPE_FLOAT || element->width == 16))) {
        geo_state_error(f, inst, "the types of operands and result do not match");
        return false;
    }
    if (half) {
        element = geo_ir_type_float(f->module, 16);
    }
    struct geo_access access;
    if (!prepare(f, inst, inst->operands[0], inst->operands[1], element,
                 aligned && count == 3 ? 4 : count, aligned, &access)) {
        return false;
    }
    geo_remark_access_begin(inst, f->body.mask != NULL);
    const struct geo_ir_type *row = row_type(f, element, count);
    if (geo_value_is_dense(f, &inst->value) && geo_lane_dense_fits(&access, row) &&
        (!half || f->options->target.has_half)) {
        LLVMValueRef dense = geo_lane_dense_load(&access, row);
        geo_value_set_dense(f, &inst->value, half ? geo_arith_half_to_float(f, dense) : dense);
        return true;
    }
    LLVMValueRef values[COMPONENTS_LIMIT];
    if (!geo_access_load(&access, row, values, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (half) {
            values[i] = geo_arith_half_to_float(f, values[i]);
            if (geo_ir_scalar_of(inst->value.type)->width == 64) {
                LLVMTypeRef wide = geo_type_like(values[i], geo_type_float(f, 64));
                values[i] = LLVMBuildFPExt(f->llvm.builder, values[i], wide, "");
            }
        }
        geo_value_set_wide(f, inst, i, values[i]);
    }
    return true;
}

static SpvFPRoundingMode store_rounding(const struct geo_ir_inst *inst)
{
    uint32_t number = inst->literals[1];
    bool given = number == OpenCLstd_Vstore_half_r || number == OpenCLstd_Vstore_halfn_r ||
                 number == OpenCLstd_Vstorea_halfn_r;
    return given && inst->literal_count > 2 && inst->literals[2] <= SpvFPRoundingModeRTN
               ? (SpvFPRoundingMode)inst->literals[2]
               : SpvFPRoundingModeRTE;
}

bool geo_ext_vstore(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t number = inst->literals[1];
    if (inst->operand_count != 3) {
        geo_state_error(f, inst, "it needs data, an offset and a pointer");
        return false;
    }
    struct geo_ir_value *data = inst->operands[0];
    const struct geo_ir_type *element = geo_ir_scalar_of(data->type);
    uint32_t count = geo_part_count(data->type);
    bool half = number != OpenCLstd_Vstoren;
    bool aligned = number == OpenCLstd_Vstorea_halfn || number == OpenCLstd_Vstorea_halfn_r;
    if (count > COMPONENTS_LIMIT ||
        (half && (element->kind != GEO_TYPE_FLOAT || element->width == 16))) {
        geo_state_error(f, inst, "the type of the data is not supported");
        return false;
    }
    if (half) {
        element = geo_ir_type_float(f->module, 16);
    }
    struct geo_access access;
    if (!prepare(f, inst, inst->operands[1], inst->operands[2], element,
                 aligned && count == 3 ? 4 : count, aligned, &access)) {
        return false;
    }
    geo_remark_access_begin(inst, f->body.mask != NULL);
    if (!half && geo_value_is_dense(f, data) && geo_lane_dense_fits(&access, data->type)) {
        geo_lane_dense_store(&access, data->type, geo_value_dense(f, data));
        return true;
    }
    bool uniform = geo_value_is_uniform(f, data);
    LLVMValueRef values[COMPONENTS_LIMIT];
    for (uint32_t i = 0; i < count; i++) {
        values[i] = geo_value_operand(f, data, i, uniform);
        if (half) {
            values[i] = geo_arith_float_to_half(f, values[i], store_rounding(inst));
        }
    }
    return geo_access_store(&access, row_type(f, element, count), values, count);
}
