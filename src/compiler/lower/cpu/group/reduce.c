/* Lowers reductions and scans of sub-groups to log2(W) steps on rearranged vectors. Inactive lanes
 * hold the identity element.
 *
 *     inclusive scan      for d = 1, 2, 4 ...: v[i] = v[i - d] op v[i]
 *     exclusive scan      the inclusive scan, shifted by one lane
 *     reduction           for d = 1, 2, 4 ...: v[i] = v[i] op v[i ^ d]; all lanes get the result;
 *                         d stays below the size of a cluster
 *     partitions          W steps: each lane adds lane i if that is in its subset
 *
 * Halves are computed in float and rounded once. See subgroup.h. */
#include "compiler/lower/cpu/group/reduce.h"

#include "base/assert.h"
#include "compiler/ir/group_op.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/arith/join.h"
#include "compiler/lower/cpu/group/subgroup.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

/* Returns in every lane the reduction of its aligned cluster of `size` lanes. */
static LLVMValueRef reduce(struct geo_lower_function *f, enum geo_group_join join,
                           LLVMValueRef vector, uint32_t size, bool is_float)
{
    uint32_t from[GEO_LOWER_LANES_LIMIT];
    GEO_ASSERT(size >= 1 && size <= f->lanes && (size & (size - 1)) == 0);
    for (uint32_t distance = 1; distance < size; distance *= 2) {
        for (uint32_t i = 0; i < f->lanes; i++) {
            from[i] = i ^ distance;
        }
        LLVMValueRef other = geo_subgroup_rearrange(f, vector, vector, from);
        vector = geo_arith_join_two(f, join, vector, other, is_float);
    }
    return vector;
}

/* Moves each lane up by `distance`; the lowest lanes get the identity element. */
static LLVMValueRef shift_up(struct geo_lower_function *f, LLVMValueRef vector,
                             LLVMValueRef identity, uint32_t distance)
{
    uint32_t from[GEO_LOWER_LANES_LIMIT];
    for (uint32_t i = 0; i < f->lanes; i++) {
        from[i] = i < distance ? f->lanes + i : i - distance;
    }
    return geo_subgroup_rearrange(f, vector, identity, from);
}

static LLVMValueRef scan(struct geo_lower_function *f, enum geo_group_join join,
                         LLVMValueRef vector, LLVMValueRef identity, bool exclusive, bool is_float)
{
    for (uint32_t distance = 1; distance < f->lanes; distance *= 2) {
        LLVMValueRef before = shift_up(f, vector, identity, distance);
        vector = geo_arith_join_two(f, join, before, vector, is_float);
    }
    return exclusive ? shift_up(f, vector, identity, 1) : vector;
}

static bool is_partitioned(uint32_t operation)
{
    return operation >= SpvGroupOperationPartitionedReduceNV &&
           operation <= SpvGroupOperationPartitionedExclusiveScanNV;
}

/* Returns in each lane the reduction or scan of the lanes whose bits are in its `subset`. Lanes are
 * taken in their order, so sums of floats do not depend on the partition's form. */
static LLVMValueRef partition_reduce(struct geo_lower_function *f, enum geo_group_join join,
                                     LLVMValueRef vector, LLVMValueRef identity,
                                     LLVMValueRef subset, uint32_t operation, bool is_float)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef result = identity, lanes = geo_subgroup_lanes(f);
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        LLVMValueRef bit =
            LLVMBuildAnd(b, subset, geo_emit_const_like(subset, UINT64_C(1) << lane), "");
        LLVMValueRef takes = geo_emit_icmp(f, LLVMIntNE, bit, geo_emit_zero_like(bit));
        if (operation != SpvGroupOperationPartitionedReduceNV) {
            bool exclusive = operation == SpvGroupOperationPartitionedExclusiveScanNV;
            LLVMValueRef behind = geo_emit_icmp(f, exclusive ? LLVMIntUGT : LLVMIntUGE, lanes,
                                                geo_emit_const_like(lanes, lane));
            takes = LLVMBuildAnd(b, takes, behind, "");
        }
        LLVMValueRef value =
            geo_lanes_splat(f, geo_subgroup_pick(f, vector, geo_emit_const_i32(f, lane)));
        LLVMValueRef joined = geo_arith_join_two(f, join, result, value, is_float);
        result = geo_emit_select(f, takes, joined, result);
    }
    return result;
}

/* Reads the group operation and the cluster size. Returns false after an error. */
static bool operation_read(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           uint32_t *operation, uint32_t *cluster)
{
    *cluster = f->lanes;
    *operation = inst->literals[0];
    bool clustered = *operation == SpvGroupOperationClusteredReduce;
    bool partitioned = is_partitioned(*operation);
    if (!geo_subgroup_operands(f, inst, clustered || partitioned ? 3 : 2)) {
        return false;
    }
    GEO_ASSERT(!partitioned || inst->operands[2]->type->count == 4); /* group_op.c */
    if (*operation > SpvGroupOperationClusteredReduce && !partitioned) {
        geo_state_error(f, inst, "group operation %u is not supported", *operation);
        return false;
    }
    return !clustered || geo_subgroup_cluster(f, inst, 2, cluster);
}

static LLVMValueRef part_reduce(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                uint32_t part, enum geo_group_join join, uint32_t operation,
                                uint32_t cluster)
{
    const struct geo_ir_type *type = geo_part_type(inst->value.type, part);
    bool is_float = type->kind == GEO_TYPE_FLOAT;
    LLVMValueRef vector = geo_value_vector(f, inst->operands[1], part);
    if (geo_type_is_half(type)) {
        vector = geo_arith_half_to_float(f, vector);
    }
    bool exclusive = operation == SpvGroupOperationExclusiveScan ||
                     operation == SpvGroupOperationPartitionedExclusiveScanNV;
    LLVMValueRef identity = geo_arith_join_identity(join, LLVMTypeOf(vector), is_float, exclusive);
    vector = geo_emit_mask_active_select(f, vector, identity);
    LLVMValueRef result =
        is_partitioned(operation)
            ? partition_reduce(f, join, vector, identity, geo_value_vector(f, inst->operands[2], 0),
                               operation, is_float)
        : operation == SpvGroupOperationReduce || operation == SpvGroupOperationClusteredReduce
            ? reduce(f, join, vector, cluster, is_float)
            : scan(f, join, vector, identity, exclusive, is_float);
    return geo_type_is_half(type) ? geo_arith_float_to_half(f, result, SpvFPRoundingModeRTE)
                                  : result;
}

bool geo_group_reduce(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    enum geo_group_join join = geo_group_op_find((uint32_t)inst->op)->join;
    uint32_t operation, cluster;
    if (!operation_read(f, inst, &operation, &cluster)) {
        return false;
    }
    for (uint32_t part = 0; part < geo_part_count(inst->value.type); part++) {
        geo_value_set_wide(f, inst, part, part_reduce(f, inst, part, join, operation, cluster));
    }
    return true;
}
