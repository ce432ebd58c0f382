/* Lowers instructions that have no entry in the table of control/dispatch.c: group operations by
 * family, and an error for unknown instructions. Operations of work-group scope were replaced
 * before lowering (transform/expand/collectives.c). */
#include "compiler/lower/group/group.h"

#include "base/assert.h"
#include "compiler/ir/group_op.h"
#include "compiler/lower/group/block_io.h"
#include "compiler/lower/group/matrix.h"
#include "compiler/lower/group/move.h"
#include "compiler/lower/group/reduce.h"
#include "compiler/lower/value/apply.h"

static geo_lower_fn family_lower(const struct geo_group_op *group)
{
    switch ((enum geo_group_family)group->family) {
    case GEO_GROUP_VOTE:
        return geo_group_vote;
    case GEO_GROUP_BALLOT:
        return geo_group_ballot;
    case GEO_GROUP_BROADCAST:
        return geo_group_broadcast;
    case GEO_GROUP_SHUFFLE:
        return geo_group_shuffle;
    case GEO_GROUP_REDUCE:
        return geo_group_reduction;
    case GEO_GROUP_BLOCK_IO:
        return geo_group_block_io;
    case GEO_GROUP_MATRIX:
        return geo_group_matrix;
    default:
        return NULL;
    }
}

bool geo_group_lower(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_group_op *group = geo_group_op_find((uint32_t)inst->op);
    geo_lower_fn lower = group ? family_lower(group) : NULL;
    if (!lower) {
        geo_state_error(f, inst, "the instruction is not supported");
        return false;
    }
    if (geo_group_op_scope(group, inst) != SpvScopeSubgroup) {
        geo_state_error(f, inst,
                        group->types && inst->op >= SpvOpGroupNonUniformElect
                            ? "it works at sub-group scope only"
                            : "group operations work at sub-group and work-group scope");
        return false;
    }
    GEO_ASSERT(f->lanes > 1 && (f->lanes & (f->lanes - 1)) == 0); /* W is the sub-group size */
    return lower(f, inst);
}
