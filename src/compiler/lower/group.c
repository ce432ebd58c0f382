/* Instructions without an entry in the table: group operations by family, and everything that is
 * not known, which gets an error that says so. Work-group scope is gone before lowering
 * (transform/collectives.c). */
#include "compiler/lower/subgroup.h"

static bool is_shuffle(SpvOp op)
{
    return (op >= SpvOpGroupNonUniformShuffle && op <= SpvOpGroupNonUniformShuffleDown) ||
           (op >= SpvOpSubgroupShuffleINTEL && op <= SpvOpSubgroupShuffleXorINTEL) ||
           op == SpvOpGroupNonUniformRotateKHR;
}

static bool is_reduction(SpvOp op)
{
    return (op >= SpvOpGroupIAdd && op <= SpvOpGroupSMax) ||
           (op >= SpvOpGroupNonUniformIAdd && op <= SpvOpGroupNonUniformLogicalXor) ||
           (op >= SpvOpGroupIMulKHR && op <= SpvOpGroupLogicalXorKHR);
}

static bool is_group(SpvOp op)
{
    return (op >= SpvOpGroupAsyncCopy && op <= SpvOpGroupSMax) ||
           (op >= SpvOpGroupNonUniformElect && op <= SpvOpGroupNonUniformQuadSwap) ||
           (op >= SpvOpSubgroupBallotKHR && op <= SpvOpSubgroupReadInvocationKHR) ||
           (op >= SpvOpSubgroupShuffleINTEL && op <= SpvOpSubgroupImageBlockWriteINTEL) ||
           (op >= SpvOpGroupIMulKHR && op <= SpvOpGroupLogicalXorKHR) ||
           op == SpvOpGroupNonUniformRotateKHR;
}

/* SPV_INTEL_subgroups has no scope operand; everything else names it first. */
static bool scope_ok(const struct geo_ir_inst *inst)
{
    uint64_t scope;
    if (inst->op >= SpvOpSubgroupShuffleINTEL && inst->op <= SpvOpSubgroupImageBlockWriteINTEL) {
        return true;
    }
    return inst->operand_count && geo_ir_constant_bits(inst->operands[0], &scope) &&
           scope == SpvScopeSubgroup;
}

bool geo_lower_group(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (!is_group(inst->op)) {
        geo_lower_error(f, inst, "the instruction is not supported");
        return false;
    }
    if (!scope_ok(inst)) {
        geo_lower_error(f, inst, "group operations work at sub-group and work-group scope");
        return false;
    }
    if (is_shuffle(inst->op)) {
        return geo_lower_shuffle(f, inst);
    }
    if (is_reduction(inst->op)) {
        return geo_lower_reduction(f, inst);
    }
    switch (inst->op) {
    case SpvOpGroupAll:
    case SpvOpGroupAny:
    case SpvOpGroupNonUniformElect:
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny:
    case SpvOpGroupNonUniformAllEqual:
        return geo_lower_vote(f, inst);
    case SpvOpGroupBroadcast:
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformBroadcastFirst:
        return geo_lower_broadcast(f, inst);
    case SpvOpGroupNonUniformBallot:
    case SpvOpGroupNonUniformInverseBallot:
    case SpvOpGroupNonUniformBallotBitExtract:
    case SpvOpGroupNonUniformBallotBitCount:
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return geo_lower_ballot(f, inst);
    case SpvOpSubgroupBlockReadINTEL:
    case SpvOpSubgroupBlockWriteINTEL:
        return geo_lower_block_io(f, inst);
    default:
        geo_lower_error(f, inst, "this group operation is not supported yet");
        return false;
    }
}
