/* Finds natural loops, innermost first. A union-find structure maps blocks to the outermost loop
 * found so far. See loops.h. */
#include "compiler/analysis/loops.h"

#include "base/assert.h"

/* The search for the loops of one function. */
struct finder {
    struct geo_loops *loops;
    const struct geo_cfg *cfg;
    const struct geo_dominators *tree;
    /* by loop: a known enclosing loop, at first itself; shortened by look-ups */
    struct geo_loop **outermost;
    uint32_t *stack;
};

static struct geo_loop *finder_outermost(struct finder *f, struct geo_loop *loop)
{
    while (f->outermost[loop->index] != loop) {
        struct geo_loop *above = f->outermost[loop->index];
        f->outermost[loop->index] = f->outermost[above->index];
        loop = f->outermost[loop->index];
    }
    return loop;
}

/* Creates a loop for each header. Outer loops come first, as a header precedes the blocks that it
 * dominates. */
static bool finder_headers(struct finder *f, struct geo_arena *arena)
{
    const struct geo_cfg *cfg = f->cfg;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        struct geo_ir_block *header = cfg->order[i];
        const struct geo_cfg_edges *preds = &cfg->preds[header->index];
        uint32_t latches = 0;
        for (uint32_t p = 0; p < preds->count; p++) {
            const struct geo_ir_block *pred = preds->blocks[p];
            if (geo_cfg_reachable(cfg, pred) && cfg->position[pred->index] >= i) {
                bool dominated = geo_block_dominates(f->tree, header, pred);
                latches += dominated;
                f->loops->irreducible |= !dominated;
            }
        }
        if (latches == 0) {
            continue;
        }
        struct geo_loop *loop = geo_arena_new(arena, struct geo_loop);
        struct geo_ir_block **list = geo_arena_new_array(arena, struct geo_ir_block *, latches);
        if (!loop || !list) {
            return false;
        }
        *loop = (struct geo_loop){
            .index = f->loops->count, .header = header, .latches = list, .block_count = 1};
        for (uint32_t p = 0; p < preds->count; p++) {
            if (geo_cfg_reachable(cfg, preds->blocks[p]) &&
                geo_block_dominates(f->tree, header, preds->blocks[p])) {
                list[loop->latch_count++] = preds->blocks[p];
            }
        }
        f->loops->loops[f->loops->count++] = loop;
    }
    return true;
}

/* Adds a block on a path to the latch to the loop: a free block, or the whole outermost loop that
 * contains it. Pushes the block whose predecessors are to be visited. */
static void finder_take(struct finder *f, struct geo_loop *loop, struct geo_ir_block *block,
                        uint32_t *depth)
{
    struct geo_loop *inner = f->loops->of[block->index];
    if (!inner) {
        f->loops->of[block->index] = loop;
        loop->block_count++;
        f->stack[(*depth)++] = block->index;
        return;
    }
    inner = finder_outermost(f, inner);
    if (inner != loop) {
        inner->parent = loop;
        f->outermost[inner->index] = loop;
        loop->block_count += inner->block_count;
        f->stack[(*depth)++] = inner->header->index;
    }
}

static void finder_body(struct finder *f, struct geo_loop *loop)
{
    uint32_t depth = 0;
    GEO_ASSERT(!f->loops->of[loop->header->index] && loop->latch_count > 0);
    f->loops->of[loop->header->index] = loop;
    for (uint32_t i = 0; i < loop->latch_count; i++) {
        finder_take(f, loop, loop->latches[i], &depth);
    }
    while (depth > 0) {
        const struct geo_cfg_edges *preds = &f->cfg->preds[f->stack[--depth]];
        for (uint32_t p = 0; p < preds->count; p++) {
            if (geo_cfg_reachable(f->cfg, preds->blocks[p])) {
                finder_take(f, loop, preds->blocks[p], &depth);
            }
        }
    }
}

/* Fills `order`. Each loop reserves its contiguous slice when its header is reached. */
static void loops_layout(struct geo_loops *loops, uint32_t *cursor)
{
    const struct geo_cfg *cfg = loops->cfg;
    uint32_t outside = 0;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        struct geo_ir_block *block = cfg->order[i];
        struct geo_loop *loop = loops->of[block->index];
        if (loop && loop->header == block) {
            uint32_t *around = loop->parent ? &cursor[loop->parent->index] : &outside;
            loop->depth = loop->parent ? loop->parent->depth + 1 : 1;
            loops->max_depth = loop->depth > loops->max_depth ? loop->depth : loops->max_depth;
            cursor[loop->index] = *around;
            loop->blocks = loops->order + *around;
            *around += loop->block_count;
        }
        uint32_t at = loop ? cursor[loop->index]++ : outside++;
        loops->order[at] = block;
        loops->position[block->index] = at;
    }
}

/* Counts or stores the exits of all loops. An edge exits every loop around its source that does not
 * contain its target. */
static void exits_visit(struct geo_loops *loops, bool store)
{
    const struct geo_cfg *cfg = loops->cfg;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        struct geo_ir_block *from = loops->order[i];
        const struct geo_cfg_edges *succs = &cfg->succs[from->index];
        for (uint32_t s = 0; s < succs->count; s++) {
            struct geo_loop *loop = loops->of[from->index];
            while (loop && !geo_loop_contains(loops, loop, succs->blocks[s])) {
                if (store) {
                    loop->exits[loop->exit_count] = (struct geo_loop_exit){from, succs->blocks[s]};
                }
                loop->exit_count++;
                loop = loop->parent;
            }
        }
    }
}

static bool loops_exits(struct geo_loops *loops, struct geo_arena *arena)
{
    exits_visit(loops, false);
    for (uint32_t i = 0; i < loops->count; i++) {
        struct geo_loop *loop = loops->loops[i];
        loop->exits = geo_arena_new_array(arena, struct geo_loop_exit, loop->exit_count);
        if (!loop->exits) {
            return false;
        }
        loop->exit_count = 0;
    }
    exits_visit(loops, true);
    return true;
}

/* Returns whether the loops are a forest in which each header dominates its loop, and each loop is
 * a slice of `order` inside that of its parent. */
static bool loops_are_valid(const struct geo_loops *loops, const struct geo_dominators *tree)
{
    for (uint32_t i = 0; i < loops->count; i++) {
        const struct geo_loop *loop = loops->loops[i], *parent = loop->parent;
        if (loop->latch_count == 0 || loop->blocks[0] != loop->header ||
            (parent && (parent->index >= i || loop->depth != parent->depth + 1 ||
                        !geo_block_dominates(tree, parent->header, loop->header) ||
                        loop->blocks < parent->blocks ||
                        loop->blocks + loop->block_count > parent->blocks + parent->block_count))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < loops->cfg->reachable_count; i++) {
        const struct geo_ir_block *block = loops->order[i];
        const struct geo_loop *loop = loops->of[block->index];
        if (loops->position[block->index] != i ||
            (loop && (!geo_block_dominates(tree, loop->header, block) ||
                      !geo_loop_contains(loops, loop, block)))) {
            return false;
        }
    }
    return true;
}

bool geo_loops_compute(const struct geo_dominators *tree, struct geo_arena *arena,
                       struct geo_loops *out)
{
    const struct geo_cfg *cfg = tree->cfg;
    struct geo_loops loops = {.cfg = cfg};
    struct finder finder = {.loops = &loops, .cfg = cfg, .tree = tree};
    loops.of = geo_arena_new_array(arena, struct geo_loop *, cfg->block_count);
    loops.loops = geo_arena_new_array(arena, struct geo_loop *, cfg->reachable_count);
    loops.order = geo_arena_new_array(arena, struct geo_ir_block *, cfg->reachable_count);
    loops.position = geo_arena_new_array(arena, uint32_t, cfg->block_count);
    finder.stack = geo_arena_new_array(arena, uint32_t, cfg->block_count);
    if (!loops.of || !loops.loops || !loops.order || !loops.position || !finder.stack ||
        !finder_headers(&finder, arena)) {
        return false;
    }
    finder.outermost = geo_arena_new_array(arena, struct geo_loop *, loops.count);
    uint32_t *cursor = geo_arena_new_array(arena, uint32_t, loops.count);
    if (!finder.outermost || !cursor) {
        return false;
    }
    for (uint32_t i = 0; i < loops.count; i++) {
        finder.outermost[i] = loops.loops[i];
    }
    for (uint32_t i = loops.count; i-- > 0;) {
        finder_body(&finder, loops.loops[i]);
    }
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        loops.position[i] = GEO_CFG_NONE;
    }
    loops_layout(&loops, cursor);
    GEO_ASSERT(loops_are_valid(&loops, tree));
    if (!loops_exits(&loops, arena)) {
        return false;
    }
    *out = loops;
    return true;
}

struct geo_ir_block *geo_loop_preheader(const struct geo_loops *loops, const struct geo_loop *loop)
{
    const struct geo_cfg_edges *preds = &loops->cfg->preds[loop->header->index];
    struct geo_ir_block *found = NULL;
    for (uint32_t i = 0; i < preds->count; i++) {
        struct geo_ir_block *pred = preds->blocks[i];
        if (!geo_cfg_reachable(loops->cfg, pred) || geo_loop_contains(loops, loop, pred)) {
            continue;
        }
        if (found) {
            return NULL;
        }
        found = pred;
    }
    return found && loops->cfg->succs[found->index].count == 1 ? found : NULL;
}
