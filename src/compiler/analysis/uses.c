/* Builds the def-use lists of a function: one pass counts, one fills. See uses.h. */
#include "compiler/analysis/uses.h"

#include "base/assert.h"

bool geo_uses_build(const struct geo_ir_function *function, struct geo_arena *arena,
                    struct geo_uses *out)
{
    /* Counts are stored one slot too far, so that filling moves each start to its right slot. */
    uint32_t *start = geo_arena_new_array(arena, uint32_t, (size_t)function->value_count + 2);
    if (!start) {
        return false;
    }
    size_t total = 0;
    geo_ir_for_each_block(block, function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                if (geo_uses_is_local(inst->operands[i])) {
                    GEO_ASSERT(inst->operands[i]->index < function->value_count);
                    start[inst->operands[i]->index + 2]++;
                    total++;
                }
            }
        }
    }
    struct geo_use *all = geo_arena_new_array(arena, struct geo_use, total);
    if (!all || total > UINT32_MAX) {
        return false;
    }
    for (uint32_t i = 2; i < function->value_count + 2; i++) {
        start[i] += start[i - 1];
    }
    geo_ir_for_each_block(block, function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                if (geo_uses_is_local(inst->operands[i])) {
                    all[start[inst->operands[i]->index + 1]++] = (struct geo_use){inst, i};
                }
            }
        }
    }
    GEO_ASSERT(start[0] == 0 && start[function->value_count] == total);
    *out = (struct geo_uses){.all = all, .start = start};
    return true;
}
