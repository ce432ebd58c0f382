/* Computes liveness by walking from each use up to the definition. See liveness.h.
 *
 * A walk stops at blocks where the value is already marked live, so that all walks together are
 * linear in the size of the result. */
#include "compiler/analysis/liveness.h"

#include "base/assert.h"
#include "compiler/analysis/uses.h"

/* Limit of 64-bit words of all sets. With n blocks, and n values that are live everywhere, they
 * have n^2 / 32 words. */
#define WORDS_LIMIT ((size_t)1 << 25)

static const struct geo_ir_block *value_block(const struct geo_cfg *cfg,
                                              const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_INST ? ((const struct geo_ir_inst *)value)->block
                                         : cfg->function->first_block;
}

/* Returns the block in which an operand is used. A phi uses it at the end of the predecessor. */
static struct geo_ir_block *use_block(const struct geo_ir_inst *inst, uint32_t operand)
{
    return inst->op == SpvOpPhi ? inst->targets[operand] : inst->block;
}

static bool number_values(struct geo_liveness *live, struct geo_arena *arena)
{
    const struct geo_ir_function *function = live->cfg->function;
    live->number = geo_arena_new_array(arena, uint32_t, function->value_count);
    live->values = geo_arena_new_array(arena, struct geo_ir_value *, function->value_count);
    if (!live->number || !live->values) {
        return false;
    }
    for (uint32_t i = 0; i < function->value_count; i++) {
        live->number[i] = GEO_CFG_NONE;
    }
    geo_ir_for_each_block(block, function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                struct geo_ir_value *value = inst->operands[i];
                if (!geo_uses_is_local(value) || live->number[value->index] != GEO_CFG_NONE ||
                    (inst->op != SpvOpPhi && value_block(live->cfg, value) == block)) {
                    continue;
                }
                live->number[value->index] = live->count;
                live->values[live->count++] = value;
            }
        }
    }
    live->words = (live->count + 63) / 64;
    return true;
}

/* Marks the value live out of `block` (at_end) or into it, and on all paths up to its
 * definition. */
static void mark(struct geo_liveness *live, const struct geo_ir_value *value,
                 struct geo_ir_block *block, bool at_end, struct geo_ir_block **stack)
{
    const struct geo_cfg *cfg = live->cfg;
    const struct geo_ir_block *home = value_block(cfg, value);
    uint32_t number = live->number[value->index], depth = 0;
    GEO_ASSERT(number < live->count && live->values[number] == value);
    size_t word = number / 64;
    uint64_t bit = (uint64_t)1 << (number % 64);
    if (at_end) {
        uint64_t *out = &live->out[(size_t)block->index * live->words + word];
        *out |= bit;
    }
    if (block == home) {
        return;
    }
    stack[depth++] = block;
    while (depth > 0) {
        struct geo_ir_block *at = stack[--depth];
        uint64_t *in = &live->in[(size_t)at->index * live->words + word];
        if (*in & bit) {
            continue;
        }
        *in |= bit;
        const struct geo_cfg_edges *preds = &cfg->preds[at->index];
        for (uint32_t i = 0; i < preds->count; i++) {
            struct geo_ir_block *pred = preds->blocks[i];
            live->out[(size_t)pred->index * live->words + word] |= bit;
            if (pred != home && !(live->in[(size_t)pred->index * live->words + word] & bit)) {
                stack[depth++] = pred;
            }
        }
    }
}

/* Returns whether nothing is live into the entry: every use is behind its definition. */
static bool entry_is_empty(const struct geo_liveness *live)
{
    const uint64_t *in = geo_live_in(live, live->cfg->function->first_block);
    for (uint32_t i = 0; i < live->words; i++) {
        if (in[i]) {
            return false;
        }
    }
    return true;
}

bool geo_liveness_compute(const struct geo_cfg *cfg, struct geo_arena *arena,
                          struct geo_liveness *out)
{
    struct geo_liveness live = {.cfg = cfg};
    if (cfg->block_count == 0) {
        *out = live;
        return true;
    }
    size_t edges = 1;
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        edges += cfg->preds[i].count;
    }
    struct geo_ir_block **stack = geo_arena_new_array(arena, struct geo_ir_block *, edges);
    if (!stack || !number_values(&live, arena)) {
        return false;
    }
    if (live.words > WORDS_LIMIT / cfg->block_count) {
        live.too_large = true;
        *out = live;
        return true;
    }
    live.in = geo_arena_array(arena, (size_t)cfg->block_count * live.words, sizeof(uint64_t));
    live.out = geo_arena_array(arena, (size_t)cfg->block_count * live.words, sizeof(uint64_t));
    if (!live.in || !live.out) {
        return false;
    }
    geo_ir_for_each_block(block, cfg->function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                const struct geo_ir_value *value = inst->operands[i];
                if (!geo_uses_is_local(value) || live.number[value->index] == GEO_CFG_NONE) {
                    continue;
                }
                bool is_phi = inst->op == SpvOpPhi;
                if (is_phi || value_block(cfg, value) != block) {
                    mark(&live, value, use_block(inst, i), is_phi, stack);
                }
            }
        }
    }
    GEO_ASSERT(entry_is_empty(&live));
    *out = live;
    return true;
}
