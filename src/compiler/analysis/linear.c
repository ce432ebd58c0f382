/* Builds the plan of linear.h in one pass over the blocks in order, which passes sets of deferred
 * blocks on.
 *
 * Sets are sorted arrays, shared while they do not change. Called by lower/cpu/function/begin.c. */
#include "compiler/analysis/linear.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

/* Limit of the total size of all sets. It is n^2 if lanes wait for n blocks in turn. */
#define SETS_LIMIT (UINT64_C(1) << 25)

/* The construction of one plan. */
struct planner {
    const struct geo_loops *loops;
    const struct geo_shapes *shapes;
    struct geo_arena *arena;
    struct geo_linear_set *deferred;
    bool *indirect;
    uint32_t *scratch; /* a set being built: reachable_count + targets entries */
    uint64_t kept;     /* total size of the sets */
    bool no_memory;
};

static uint32_t position_of(const struct planner *planner, const struct geo_ir_block *block)
{
    return planner->loops->position[block->index];
}

/* Writes a + b without `except` to `into`, sorted and without duplicates. Returns the count. */
static uint32_t merge(uint32_t *into, const struct geo_linear_set *a, const uint32_t *b,
                      uint32_t b_count, uint32_t except)
{
    uint32_t count = 0, i = 0, k = 0;
    while (i < a->count || k < b_count) {
        uint32_t next =
            i < a->count && (k >= b_count || a->positions[i] <= b[k]) ? a->positions[i] : b[k];
        i += i < a->count && a->positions[i] == next;
        k += k < b_count && b[k] == next;
        GEO_ASSERT(count == 0 || into[count - 1] < next); /* both sets are sorted */
        if (next != except) {
            into[count++] = next;
        }
    }
    return count;
}

static void set_add(struct planner *planner, struct geo_linear_set *set, const uint32_t *positions,
                    uint32_t count, uint32_t except)
{
    uint32_t merged = merge(planner->scratch, set, positions, count, except);
    if (merged == set->count &&
        (merged == 0 || memcmp(planner->scratch, set->positions, merged * sizeof(uint32_t)) == 0)) {
        return;
    }
    planner->kept += merged;
    uint32_t *copy = geo_arena_copy(planner->arena, planner->scratch, merged * sizeof(uint32_t));
    if (!copy) {
        planner->no_memory = true;
        return;
    }
    *set = (struct geo_linear_set){.positions = copy, .count = merged};
}

/* Passes deferred blocks on to the block that runs next, when lanes leave the block `position` for
 * `targets` (ascending). */
static void leave(struct planner *planner, uint32_t position, const uint32_t *targets,
                  uint32_t count)
{
    const struct geo_linear_set *here = &planner->deferred[position];
    uint32_t next = here->count ? here->positions[0] : GEO_LINEAR_END;
    if (count && targets[0] < next) {
        next = targets[0];
    }
    if (next == GEO_LINEAR_END) {
        return;
    }
    GEO_ASSERT(next > position && next < planner->loops->cfg->reachable_count);
    planner->indirect[next] |= count != 1 || targets[0] != next;
    set_add(planner, &planner->deferred[next], here->positions, here->count, next);
    set_add(planner, &planner->deferred[next], targets, count, next);
}

static int position_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t sorted_targets(const struct planner *planner, const struct geo_ir_block *block,
                               uint32_t *targets)
{
    const struct geo_cfg_edges *succs = &planner->loops->cfg->succs[block->index];
    uint32_t position = position_of(planner, block);
    uint32_t count = 0;
    for (uint32_t i = 0; i < succs->count; i++) {
        uint32_t target = position_of(planner, succs->blocks[i]);
        if (target <= position) {
            /* a back edge defers nothing: the blocks deferred here that matter outside the loop are
             * deferred from the loop's header on */
            continue;
        }
        targets[count++] = target;
    }
    qsort(targets, count, sizeof(*targets), position_compare);
    return count;
}

static void enter_divergent_loop(struct planner *planner, const struct geo_loop *loop,
                                 uint32_t position)
{
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        uint32_t exit = position_of(planner, loop->exits[i].to);
        set_add(planner, &planner->deferred[position], &exit, 1, position);
    }
}

static void plan_block(struct planner *planner, uint32_t position, uint32_t *targets)
{
    const struct geo_ir_block *block = planner->loops->order[position];
    const struct geo_loop *loop = planner->loops->of[block->index];
    if (loop && loop->header == block && planner->shapes->divergent_loop[loop->index]) {
        enter_divergent_loop(planner, loop, position);
    }
    uint32_t count = sorted_targets(planner, block, targets);
    if (planner->shapes->divergent_branch[block->index]) {
        leave(planner, position, targets, count);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            leave(planner, position, &targets[i], 1);
        }
    }
    /* For lanes that skip this block because no lane is on, or that all return or take the back
       edge. */
    leave(planner, position, NULL, 0);
}

bool geo_linear_plan(const struct geo_loops *loops, const struct geo_shapes *shapes,
                     struct geo_arena *arena, struct geo_linear *out)
{
    uint32_t count = loops->cfg->reachable_count;
    struct planner planner = {.loops = loops, .shapes = shapes, .arena = arena};
    planner.deferred = geo_arena_new_array(arena, struct geo_linear_set, count + 1);
    planner.scratch = geo_arena_new_array(arena, uint32_t, 2 * (size_t)count + 2);
    uint32_t *targets = geo_arena_new_array(arena, uint32_t, count + 1);
    planner.indirect = geo_arena_new_array(arena, bool, count + 1);
    if (!planner.deferred || !planner.scratch || !planner.indirect || !targets) {
        return false;
    }
    for (uint32_t i = 0; i < count && !planner.no_memory && planner.kept <= SETS_LIMIT; i++) {
        plan_block(&planner, i, targets);
    }
    *out = (struct geo_linear){.loops = loops,
                               .shapes = shapes,
                               .deferred = planner.deferred,
                               .indirect = planner.indirect,
                               .too_large = planner.kept > SETS_LIMIT};
    return !planner.no_memory;
}

uint32_t geo_linear_next(const struct geo_linear *plan, uint32_t position, uint32_t target)
{
    const struct geo_linear_set *set = &plan->deferred[position];
    uint32_t next = set->count ? set->positions[0] : GEO_LINEAR_END;
    GEO_ASSERT(position < next && position < target);
    return target != GEO_CFG_NONE && target < next ? target : next;
}

bool geo_linear_is_canonical(const struct geo_loops *loops)
{
    if (loops->irreducible) {
        return false;
    }
    for (uint32_t i = 0; i < loops->count; i++) {
        const struct geo_loop *loop = loops->loops[i];
        if (loop->latch_count != 1) {
            return false;
        }
        for (uint32_t k = 0; k < loop->exit_count; k++) {
            const struct geo_cfg_edges *preds = &loops->cfg->preds[loop->exits[k].to->index];
            for (uint32_t p = 0; p < preds->count; p++) {
                if (!geo_loop_contains(loops, loop, preds->blocks[p])) {
                    return false;
                }
            }
        }
    }
    return true;
}
