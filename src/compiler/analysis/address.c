/* Finds values that are part of addresses, by walking each block backwards. See address.h. */
#include "compiler/analysis/address.h"

#include "base/assert.h"
#include "compiler/analysis/ranges.h"
#include "compiler/ir/grammar.h"

/* Factors in an address stay below 2^20, so that an index that wraps at 2^32 cannot move the
 * address by a multiple of 2^64. */
#define FACTOR_LOG 20

bool geo_address_is_access(const struct geo_ir_inst *inst)
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

static uint64_t constant_scale(const struct geo_ir_inst *inst)
{
    int64_t constant;
    if (!geo_ranges_constant_signed(inst->operands[1], &constant) || constant <= 0) {
        return 0;
    }
    return inst->op == SpvOpIMul   ? (uint64_t)constant
           : constant < FACTOR_LOG ? (uint64_t)1 << constant
                                   : 0;
}

/* Returns the size in bytes of the elements that index `i` of an access chain counts; 0 if
 * unknown. */
static uint64_t chain_scale(const struct geo_ir_inst *inst, uint32_t i)
{
    GEO_ASSERT(i >= 1 && i < inst->operand_count);
    const struct geo_ir_type *type = inst->operands[0]->type->element;
    uint32_t at = 1;
    if (geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN)) {
        if (i == 1) {
            return type ? type->size : 0;
        }
        at = 2;
    }
    for (; type && at < i; at++) {
        uint64_t member;
        if (type->kind != GEO_TYPE_STRUCT) {
            type = type->element;
        } else if (geo_ir_constant_bits(inst->operands[at], &member) && member < type->count) {
            type = type->members[member];
        } else {
            return 0;
        }
    }
    return type && type->kind != GEO_TYPE_STRUCT && type->element ? type->element->size : 0;
}

uint64_t geo_address_scale(const struct geo_ir_inst *inst, uint32_t i)
{
    if (i >= geo_address_operands(inst)) {
        return 0;
    }
    if (inst->op == SpvOpShiftLeftLogical || inst->op == SpvOpIMul) {
        uint64_t scale = constant_scale(inst);
        return scale < (uint64_t)1 << FACTOR_LOG ? scale : 0;
    }
    return i && geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN) ? chain_scale(inst, i) : 1;
}

static void mark_operands(bool *found, const struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
        if (operand && operand->block == inst->block && geo_address_scale(inst, i)) {
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
            if (geo_address_is_access(inst) || found[inst->value.index]) {
                mark_operands(found, inst);
            }
        }
    }
    return found;
}
