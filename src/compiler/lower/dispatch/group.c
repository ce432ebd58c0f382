/* Lowers instructions that have no entry in the table of dispatch/dispatch.c: group operations, by
 * rows of the machine (machine.h), and an error for unknown instructions. Operations of work-group
 * scope were replaced before lowering (transform/expand/collectives.c) unless the machine has a
 * row. */
#include "compiler/lower/dispatch/group.h"

#include "compiler/ir/group_op.h"

/* Returns the machine's function for a family of operations at sub-group scope. */
static geo_lower_fn family_lower(const struct geo_lower_machine *machine,
                                 const struct geo_group_op *group)
{
    switch ((enum geo_group_family)group->family) {
    case GEO_GROUP_VOTE:
        return machine->vote;
    case GEO_GROUP_BALLOT:
        return machine->ballot;
    case GEO_GROUP_BROADCAST:
        return machine->broadcast;
    case GEO_GROUP_SHUFFLE:
        return machine->shuffle;
    case GEO_GROUP_REDUCE:
        return machine->reduce;
    case GEO_GROUP_BLOCK_IO:
        return machine->block_io;
    case GEO_GROUP_MATRIX:
        return machine->matrix;
    case GEO_GROUP_MULTIPLY:
        return machine->multiply;
    default:
        return NULL;
    }
}

bool geo_dispatch_group(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_lower_machine *machine = f->lower->machine;
    const struct geo_group_op *group = geo_group_op_find((uint32_t)inst->op);
    uint32_t scope = group ? geo_group_op_scope(group, inst) : SpvScopeMax;
    bool wide = scope == SpvScopeWorkgroup && machine->collective;
    geo_lower_fn lower = !group ? NULL : wide ? machine->collective : family_lower(machine, group);
    if (!lower) {
        geo_state_error(f, inst, "the instruction is not supported");
        return false;
    }
    if (!wide && scope != SpvScopeSubgroup) {
        geo_state_error(f, inst,
                        group->types && inst->op >= SpvOpGroupNonUniformElect
                            ? "it works at sub-group scope only"
                            : "group operations work at sub-group and work-group scope");
        return false;
    }
    return lower(f, inst);
}
