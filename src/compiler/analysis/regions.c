/* Cutting a kernel into regions; see regions.h. Called by lower/function/kernel.c.
 *
 * Heads are the entry and what stands behind barriers, and more are found in rounds. Blocks whose
 * predecessors are of one region belong to it; a block that two regions lead to is a head. Then,
 * for every block, where does its region end up from here: at one head, at the end, at a branch of
 * the group, or at several of these? In the last case the branches of the group that decide about
 * it end the region, and their targets are heads. Rounds go on until nothing is left to decide. */
#include "compiler/analysis/regions.h"

/* Turns of a loop below which its chunks run it: a region costs as much. */
#define OWN_TURNS 16u

/* More rounds than a programmer nests conditions around barriers. */
#define ROUNDS_LIMIT 64u

/* Where a region ends up: NOWHERE_YET, 1 + the position of a head, ENDS, LEAVES + the position of
 * the branch, or SEVERAL. */
#define NOWHERE_YET 0u
#define SEVERAL     UINT32_MAX

struct cut {
    const struct geo_loops *loops;
    const struct geo_barriers *barriers;
    const struct geo_shapes *group;
    uint32_t count;   /* of blocks */
    uint32_t *region; /* [position]: its head's position */
    uint32_t *goal;   /* [position] */
    bool *head;       /* [position] */
    bool *leaves;     /* [position]: a branch of the group ends the region */
    bool *own;        /* [position]: a loop that the group runs */
};

static uint32_t ends(const struct cut *cut)
{
    return 1 + cut->count;
}

static uint32_t leaves(const struct cut *cut, uint32_t position)
{
    return 2 + cut->count + position;
}

static uint32_t position_of(const struct cut *cut, const struct geo_ir_block *block)
{
    return cut->loops->position[block->index];
}

static const struct geo_cfg_edges *succs_of(const struct cut *cut, uint32_t position)
{
    return &cut->loops->cfg->succs[cut->loops->order[position]->index];
}

/* ---- who belongs to whom ---- */

static bool is_reached_from_elsewhere(const struct cut *cut, uint32_t position, bool forward)
{
    const struct geo_cfg_edges *preds = &cut->loops->cfg->preds[cut->loops->order[position]->index];
    uint32_t first = GEO_CFG_NONE;
    for (uint32_t i = 0; i < preds->count; i++) {
        uint32_t from = position_of(cut, preds->blocks[i]);
        if (from == GEO_CFG_NONE || (forward && from >= position)) {
            continue;
        }
        if (first != GEO_CFG_NONE && cut->region[from] != first) {
            return true;
        }
        first = cut->region[from];
    }
    return false;
}

/* By edges forward; true: edges back agree with that. */
static bool regions_assign(struct cut *cut)
{
    for (uint32_t i = 0; i < cut->count; i++) {
        cut->head[i] = cut->head[i] || is_reached_from_elsewhere(cut, i, true);
        const struct geo_cfg_edges *preds = &cut->loops->cfg->preds[cut->loops->order[i]->index];
        cut->region[i] = i;
        for (uint32_t p = 0; p < preds->count && !cut->head[i]; p++) {
            uint32_t from = position_of(cut, preds->blocks[p]);
            cut->region[i] = from < i ? cut->region[from] : cut->region[i];
        }
    }
    bool agree = true;
    for (uint32_t i = 0; i < cut->count; i++) {
        if (!cut->head[i] && is_reached_from_elsewhere(cut, i, false)) {
            cut->head[i] = true;
            agree = false;
        }
    }
    return agree;
}

/* ---- where regions end up ---- */

static uint32_t goal_of_edge(const struct cut *cut, uint32_t to)
{
    return cut->head[to] ? 1 + to : cut->goal[to];
}

static uint32_t goal_join(uint32_t a, uint32_t b)
{
    return a == NOWHERE_YET || a == b ? b : b == NOWHERE_YET ? a : SEVERAL;
}

static uint32_t goal_find(const struct cut *cut, uint32_t position)
{
    const struct geo_cfg_edges *succs = succs_of(cut, position);
    if (cut->leaves[position]) {
        return leaves(cut, position);
    }
    if (succs->count == 0) {
        return cut->loops->order[position]->last->op == SpvOpUnreachable ? NOWHERE_YET : ends(cut);
    }
    uint32_t goal = NOWHERE_YET;
    for (uint32_t i = 0; i < succs->count; i++) {
        goal = goal_join(goal, goal_of_edge(cut, position_of(cut, succs->blocks[i])));
    }
    return goal;
}

static void goals_find(struct cut *cut)
{
    for (uint32_t i = 0; i < cut->count; i++) {
        cut->goal[i] = NOWHERE_YET;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = cut->count; i-- > 0;) {
            uint32_t goal = goal_find(cut, i);
            changed |= goal != cut->goal[i];
            cut->goal[i] = goal;
        }
    }
}

static bool decides(const struct cut *cut, uint32_t position)
{
    const struct geo_cfg_edges *succs = succs_of(cut, position);
    uint32_t first = NOWHERE_YET;
    for (uint32_t i = 0; i < succs->count; i++) {
        uint32_t goal = goal_of_edge(cut, position_of(cut, succs->blocks[i]));
        if (first != NOWHERE_YET && goal != NOWHERE_YET && goal != first) {
            return true;
        }
        first = first == NOWHERE_YET ? goal : first;
    }
    return false;
}

/* Ends regions where the group decides. *open: something is left to decide; false: nobody does. */
static bool regions_end(struct cut *cut, bool *open)
{
    bool found = false;
    *open = false;
    for (uint32_t i = 0; i < cut->count; i++) {
        if (cut->goal[i] != SEVERAL) {
            continue;
        }
        *open = true;
        if (!decides(cut, i) || cut->group->divergent_branch[cut->loops->order[i]->index]) {
            continue;
        }
        found = cut->leaves[i] = true;
        const struct geo_cfg_edges *succs = succs_of(cut, i);
        for (uint32_t s = 0; s < succs->count; s++) {
            cut->head[position_of(cut, succs->blocks[s])] = true;
        }
    }
    return found || !*open;
}

/* ---- loops of the group ---- */

/* Counts from 0 by 1 to a constant, as producers write loops of few turns. */
static bool has_few_turns(const struct geo_ir_block *block)
{
    uint64_t turns;
    struct geo_ir_inst *compare = geo_ir_as_inst(block->last->operands[0]);
    return compare && compare->operand_count == 2 &&
           geo_ir_constant_bits(compare->operands[1], &turns) && turns < OWN_TURNS;
}

static bool is_own(const struct cut *cut, const struct geo_loop *loop)
{
    const struct geo_ir_block *block = loop->header;
    if (loop->block_count != 1 || loop->exit_count != 1 ||
        block->last->op != SpvOpBranchConditional || has_few_turns(block) ||
        cut->group->divergent_branch[block->index] || cut->group->divergent_block[block->index]) {
        return false;
    }
    for (const struct geo_ir_inst *inst = block->first; inst != block->last; inst = inst->next) {
        if (geo_shape_of(cut->group, &inst->value).kind != GEO_SHAPE_UNIFORM ||
            (inst->op != SpvOpPhi && geo_ir_has_effect(inst))) {
            return false;
        }
    }
    return true;
}

static void own_loops_find(struct cut *cut)
{
    for (uint32_t i = 0; i < cut->loops->count; i++) {
        const struct geo_loop *loop = cut->loops->loops[i];
        if (is_own(cut, loop)) {
            uint32_t at = position_of(cut, loop->header);
            cut->own[at] = cut->leaves[at] = cut->head[at] = true;
            cut->head[position_of(cut, loop->exits[0].to)] = true;
        }
    }
}

/* ---- in and out ---- */

static bool cut_create(struct cut *cut, struct geo_arena *arena)
{
    cut->region = geo_arena_new_array(arena, uint32_t, cut->count + 1);
    cut->goal = geo_arena_new_array(arena, uint32_t, cut->count + 1);
    cut->head = geo_arena_new_array(arena, bool, cut->count + 1);
    cut->leaves = geo_arena_new_array(arena, bool, cut->count + 1);
    cut->own = geo_arena_new_array(arena, bool, cut->count + 1);
    if (!cut->region || !cut->goal || !cut->head || !cut->leaves || !cut->own) {
        return false;
    }
    cut->head[0] = true;
    own_loops_find(cut);
    for (uint32_t i = 0; i < cut->barriers->count; i++) {
        uint32_t at = position_of(cut, cut->barriers->resume[i]);
        if (at != GEO_CFG_NONE) {
            cut->head[at] = true;
        }
    }
    return true;
}

/* Where the region is left from: every edge to a head, its own one too, and every end. */
static void note_exits(const struct cut *cut, uint32_t position, struct geo_region *region)
{
    const struct geo_cfg_edges *succs = succs_of(cut, position);
    bool exits = succs->count == 0;
    for (uint32_t i = 0; i < succs->count; i++) {
        exits |= cut->head[position_of(cut, succs->blocks[i])];
    }
    if (exits) {
        region->exits++;
        region->last = position;
    }
}

static bool regions_list(const struct cut *cut, struct geo_arena *arena, struct geo_regions *out)
{
    out->of = geo_arena_new_array(arena, uint32_t, cut->count + 1);
    uint32_t *positions = geo_arena_new_array(arena, uint32_t, cut->count + 1);
    uint32_t heads = 0;
    for (uint32_t i = 0; i < cut->count; i++) {
        heads += cut->head[i];
    }
    out->list = geo_arena_new_array(arena, struct geo_region, heads + 1);
    if (!out->of || !positions || !out->list) {
        return false;
    }
    for (uint32_t i = 0; i < cut->count; i++) {
        if (cut->head[i]) {
            out->of[i] = out->count++;
        }
        out->of[i] = out->of[cut->region[i]];
        out->list[out->of[i]].count++;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        out->list[i].positions = positions;
        positions += out->list[i].count;
        out->list[i].count = 0;
    }
    for (uint32_t i = 0; i < cut->count; i++) {
        struct geo_region *region = &out->list[out->of[i]];
        region->positions[region->count++] = i;
        note_exits(cut, i, region);
    }
    for (uint32_t i = 0; i < out->count; i++) {
        struct geo_region *region = &out->list[i];
        uint32_t goal = cut->goal[region->positions[0]];
        region->branches = goal > ends(cut);
        region->next = goal != NOWHERE_YET && goal < ends(cut) ? goal - 1 : GEO_LINEAR_END;
        region->own = cut->own[region->positions[0]];
    }
    return true;
}

bool geo_regions_cut(const struct geo_loops *loops, const struct geo_barriers *barriers,
                     const struct geo_shapes *group, struct geo_arena *arena,
                     struct geo_regions *out)
{
    struct cut cut = {
        .loops = loops, .barriers = barriers, .group = group, .count = loops->cfg->reachable_count};
    *out = (struct geo_regions){0};
    if (!cut_create(&cut, arena)) {
        return false;
    }
    bool open = true;
    for (uint32_t round = 0; open && round < ROUNDS_LIMIT; round++) {
        if (!regions_assign(&cut)) {
            continue;
        }
        goals_find(&cut);
        if (!regions_end(&cut, &open)) {
            return true;
        }
    }
    return open || regions_list(&cut, arena, out);
}
