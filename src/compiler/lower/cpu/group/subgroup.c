/* Implements the helpers for sub-group operations: operands, lane numbers, moves by run-time lane
 * numbers; see subgroup.h. */
#include "compiler/lower/cpu/group/subgroup.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/permute.h"
#include "compiler/lower/value/value.h"

bool geo_subgroup_operands(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           uint32_t count)
{
    if (inst->operand_count != count) {
        geo_state_error(f, inst, "it has %u operands instead of %u", inst->operand_count, count);
        return false;
    }
    return true;
}

LLVMValueRef geo_subgroup_lanes(struct geo_lower_function *f)
{
    return geo_emit_lane_steps(f, 32, f->lanes, 1);
}

LLVMValueRef geo_subgroup_first(struct geo_lower_function *f)
{
    if (!f->body.mask) {
        return geo_emit_const_i32(f, 0);
    }
    LLVMValueRef bits = geo_emit_zext(f, geo_emit_mask_bits(f, f->body.mask), 64);
    LLVMValueRef limit = LLVMConstInt(geo_type_i64(f), UINT64_C(1) << (f->lanes - 1), 0);
    /* without an active lane the result is the last lane, which is in range */
    bits = LLVMBuildOr(f->llvm.builder, bits, limit, "");
    return LLVMBuildTrunc(f->llvm.builder, geo_emit_mask_lowest_bit(f, bits), geo_type_i32(f),
                          "first");
}

static LLVMValueRef lane_number(struct geo_lower_function *f, LLVMValueRef lane)
{
    lane = geo_emit_zext(f, lane, 32);
    return LLVMBuildAnd(f->llvm.builder, lane, geo_emit_const_like(lane, f->lanes - 1), "");
}

/* Freezes the vector, as geo_subgroup_permute does. Inactive lanes may hold poison, which would
 * make more undefined than the value that is read. */
LLVMValueRef geo_subgroup_pick(struct geo_lower_function *f, LLVMValueRef vector, LLVMValueRef lane)
{
    GEO_ASSERT(geo_type_lanes(vector) == f->lanes && geo_type_lanes(lane) == 1);
    vector = LLVMBuildFreeze(f->llvm.builder, vector, "");
    return LLVMBuildExtractElement(f->llvm.builder, vector, lane_number(f, lane), "");
}

LLVMValueRef geo_subgroup_agreed(struct geo_lower_function *f, struct geo_ir_value *value)
{
    if (geo_value_shape(f, value).kind == GEO_SHAPE_UNIFORM) {
        return geo_value_scalar(f, value, 0);
    }
    return geo_subgroup_pick(f, geo_value_vector(f, value, 0), geo_subgroup_first(f));
}

LLVMValueRef geo_subgroup_permute(struct geo_lower_function *f, LLVMValueRef vector,
                                  LLVMValueRef lanes)
{
    vector = LLVMBuildFreeze(f->llvm.builder, vector, "");
    return geo_emit_permute(f, vector, lane_number(f, lanes));
}

LLVMValueRef geo_subgroup_rearrange(struct geo_lower_function *f, LLVMValueRef vector,
                                    LLVMValueRef fill, const uint32_t *from)
{
    LLVMValueRef numbers[GEO_LOWER_LANES_LIMIT];
    GEO_ASSERT(geo_type_lanes(vector) == f->lanes && LLVMTypeOf(vector) == LLVMTypeOf(fill));
    for (uint32_t i = 0; i < f->lanes; i++) {
        GEO_ASSERT(from[i] < 2 * f->lanes);
        numbers[i] = geo_emit_const_i32(f, from[i]);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, vector, fill, LLVMConstVector(numbers, f->lanes),
                                  "");
}

bool geo_subgroup_cluster(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                          uint32_t operand, uint32_t *cluster)
{
    uint64_t bits;
    if (!geo_ir_constant_bits(inst->operands[operand], &bits) || bits == 0 ||
        (bits & (bits - 1)) != 0) {
        geo_state_error(f, inst, "the cluster's size is not a constant power of two");
        return false;
    }
    *cluster = bits < f->lanes ? (uint32_t)bits : f->lanes;
    GEO_ASSERT(*cluster && f->lanes % *cluster == 0);
    return true;
}
