/* Operands that are part of addresses, followed backwards through one block. See address.h. */
#include "compiler/analysis/address.h"

#include "compiler/analysis/ranges.h"
#include "compiler/ir/grammar.h"

static bool is_access(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpLoad || inst->op == SpvOpStore;
}

uint32_t geo_address_operands(const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpShiftLeftLogical:
    case SpvOpIMul:
        return 1;
    case SpvOpIAdd:
    case SpvOpISub:
        return inst->operand_count;
    default:
        return !geo_op_is(inst->op, GEO_IS_POINTER_STEP)  ? 0
               : geo_op_is(inst->op, GEO_IS_SAME_ADDRESS) ? 1
                                                          : inst->operand_count;
    }
}

/* Scaled up a little at most: a jump of 2^32 must not become a multiple of 2^64. */
static bool keeps_jumps(const struct geo_ir_inst *inst)
{
    int64_t constant;
    if (inst->op != SpvOpShiftLeftLogical && inst->op != SpvOpIMul) {
        return true;
    }
    return geo_constant_signed(inst->operands[1], &constant) && constant > 0 &&
           constant < (inst->op == SpvOpIMul ? 1 << 20 : 20);
}

static void mark_operands(bool *found, const struct geo_ir_inst *inst)
{
    uint32_t count = keeps_jumps(inst) ? geo_address_operands(inst) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
        if (operand && operand->block == inst->block) {
            found[operand->value.index] = true;
        }
    }
}

bool *geo_addresses_find(const struct geo_cfg *cfg, struct geo_arena *arena)
{
    bool *found = geo_arena_new_array(arena, bool, cfg->function->value_count + 1);
    if (!found) {
        return NULL;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        for (const struct geo_ir_inst *inst = cfg->order[i]->last; inst; inst = inst->prev) {
            if (is_access(inst) || found[inst->value.index]) {
                mark_operands(found, inst);
            }
        }
    }
    return found;
}
