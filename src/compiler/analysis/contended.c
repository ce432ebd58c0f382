/* Finds contended kernels. See contended.h. */
#include "compiler/analysis/contended.h"

#include "compiler/analysis/uses.h"
#include "compiler/analysis/waiting.h"
#include "compiler/ir/grammar.h"

#define OUTSIDE_GROUP                                                                              \
    (SpvMemorySemanticsUniformMemoryMask | SpvMemorySemanticsCrossWorkgroupMemoryMask |            \
     SpvMemorySemanticsImageMemoryMask)

/* Returns whether an instruction changes memory outside the group by an atomic. */
static bool is_change(const struct geo_ir_inst *inst)
{
    return geo_op_is(inst->op, GEO_IS_ATOMIC) && inst->op != SpvOpAtomicLoad &&
           !geo_ir_is_of_group(inst->operands[0]->type);
}

/* Returns whether an instruction makes a loop see what other groups have written. */
static bool is_fence(const struct geo_ir_inst *inst)
{
    uint64_t bits;
    if (inst->op != SpvOpControlBarrier && inst->op != SpvOpMemoryBarrier) {
        return false;
    }
    uint32_t semantics = inst->op == SpvOpControlBarrier ? 2 : 1;
    return !geo_ir_constant_bits(inst->operands[semantics], &bits) || (bits & OUTSIDE_GROUP);
}

bool geo_contended_find(const struct geo_loops *loops, struct geo_arena *arena, bool *contended)
{
    const struct geo_cfg *cfg = loops->cfg;
    struct geo_uses uses;
    bool changes = false;
    *contended = false;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            changes |= is_change(inst);
            if (loops->of[cfg->order[i]->index] && is_fence(inst)) {
                return true;
            }
        }
    }
    if (!changes) {
        return true;
    }
    if (!geo_uses_build(cfg->function, arena, &uses)) {
        return false;
    }
    *contended = !geo_waiting_is_possible(loops, &uses);
    return true;
}
