/* Instructions without an entry in the table: sub-group and work-group operations, and everything
 * that is not known. Each gets an error that says which. */
#include "compiler/lower/instruction.h"

static bool is_group(SpvOp op)
{
    return (op >= SpvOpGroupAsyncCopy && op <= SpvOpGroupSMax) ||
           (op >= SpvOpGroupNonUniformElect && op <= SpvOpGroupNonUniformQuadSwap) ||
           (op >= SpvOpSubgroupBallotKHR && op <= SpvOpSubgroupReadInvocationKHR) ||
           (op >= SpvOpSubgroupShuffleINTEL && op <= SpvOpSubgroupBlockWriteINTEL) ||
           (op >= SpvOpGroupIMulKHR && op <= SpvOpGroupLogicalXorKHR);
}

bool geo_lower_group(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    geo_lower_error(f, inst,
                    is_group(inst->op) ? "group operations are not supported yet"
                                       : "the instruction is not supported");
    return false;
}
