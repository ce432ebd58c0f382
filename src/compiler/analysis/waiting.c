/* Finds kernels that may wait. See waiting.h. */
#include "compiler/analysis/waiting.h"

#include "compiler/ir/grammar.h"

static bool is_used(const struct geo_uses *uses, const struct geo_ir_inst *inst)
{
    uint32_t count;
    geo_uses_of(uses, &inst->value, &count);
    return count != 0;
}

/* Returns whether an instruction in a loop may wait there for another item. */
static bool may_wait(const struct geo_uses *uses, const struct geo_ir_inst *inst)
{
    bool reads = geo_op_is(inst->op, GEO_IS_ATOMIC) &&
                 !geo_ir_is_of_group(inst->operands[0]->type) && is_used(uses, inst);
    return reads || inst->memory_flags & SpvMemoryAccessVolatileMask;
}

bool geo_waiting_is_possible(const struct geo_loops *loops, const struct geo_uses *uses)
{
    const struct geo_cfg *cfg = loops->cfg;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            if (loops->of[cfg->order[i]->index] && may_wait(uses, inst)) {
                return true;
            }
        }
    }
    return false;
}
