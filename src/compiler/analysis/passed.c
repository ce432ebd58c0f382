/* Finds out whether barriers may be passed. A barrier is passed if it is reached while lanes wait
 * elsewhere, when all items of the group are taken as lanes. See passed.h. Called by
 * lower/cpu/function/kernel.c. */
#include "compiler/analysis/passed.h"

#include "compiler/analysis/linear.h"

bool geo_barriers_passed(const struct geo_loops *loops, const struct geo_barriers *barriers,
                         struct geo_arena *arena, struct geo_shapes *group, bool *passed)
{
    const struct geo_shape_options options = {.lanes = 2, .group = true};
    struct geo_linear plan;
    *passed = barriers->count && !geo_linear_is_canonical(loops); /* not analysed: possibly */
    if (!barriers->count || *passed) {
        return true;
    }
    if (!geo_shapes_compute(loops, &options, arena, group) ||
        !geo_linear_plan(loops, group, arena, &plan)) {
        return false;
    }
    *passed = plan.too_large;
    for (uint32_t i = 0; i < loops->cfg->reachable_count && !*passed; i++) {
        *passed = geo_barrier_of(barriers, loops->order[i]) != GEO_CFG_NONE &&
                  !geo_linear_has_all(&plan, i);
    }
    return true;
}
