/* Divides a kernel into regions. See regions.h. Called by lower/cpu/function/kernel.c.
 *
 * The first heads are the entry and the blocks behind barriers; rounds find more. A block whose
 * predecessors all belong to one region belongs to that region; a block reached from two regions is
 * a head. Each block then gets a goal, the place where its region ends on all paths: one head, the
 * end of the kernel, or a branch of the group. If there are several goals, the group branches that
 * decide between them end the region, and their targets become heads. Rounds continue until every
 * block has one goal. */
#include "compiler/analysis/regions.h"

#include "base/assert.h"

/* Loops with fewer iterations stay in the region of their chunks, since a region of their own would
 * cost as much. */
#define OWN_TURNS 16u

/* Bound on the rounds, larger than the nesting of conditions around barriers in practice. */
#define ROUNDS_LIMIT 64u

/* Goals: NOWHERE_YET, 1 + the position of a head, ends(), leaves() of the position of a branch, or
 * SEVERAL. */
#define NOWHERE_YET 0u
#define SEVERAL     UINT32_MAX

/* The division of one kernel. */
struct cut {
    const struct geo_loops *loops;
    const struct geo_barriers *barriers;
    const struct geo_shapes *group;
    uint32_t count;   /* number of blocks */
    uint32_t *region; /* by position: position of its region's head */
    uint32_t *goal;   /* by position: goal of the region that begins there */
    bool *head;       /* by position: a region begins there */
    bool *leaves;     /* by position: a group branch here ends the region */
    bool *own;        /* by position: a loop that the group runs */
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

/* ---- blocks to regions ---- */

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

/* Assigns blocks to regions along forward edges. Returns whether back edges agree with the result;
 * if not, adds heads. */
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

/* ---- goals ---- */

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

/* Ends regions at group branches that decide between goals. *open: some block still has several
 * goals. Returns false if these cannot be resolved. */
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

/* Returns whether the loop counts to a small constant, in the form that producers write. */
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

/* ---- results ---- */

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

/* Counts the exits of a region: blocks with an edge to a head (also its own), and blocks that end
 * the kernel. */
static void note_exits(const struct cut *cut, uint32_t position, struct geo_barrier_region *region)
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
    out->list = geo_arena_new_array(arena, struct geo_barrier_region, heads + 1);
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
        struct geo_barrier_region *region = &out->list[out->of[i]];
        region->positions[region->count++] = i;
        note_exits(cut, i, region);
    }
    for (uint32_t i = 0; i < out->count; i++) {
        struct geo_barrier_region *region = &out->list[i];
        uint32_t goal = cut->goal[region->positions[0]];
        region->branches = goal > ends(cut);
        region->next = goal != NOWHERE_YET && goal < ends(cut) ? goal - 1 : GEO_LINEAR_END;
        region->own = cut->own[region->positions[0]];
    }
    return true;
}

/* Returns whether the regions partition the blocks, each entered at its first block only, and a
 * barrier ends its region. */
static bool regions_are_valid(const struct cut *cut, const struct geo_regions *regions)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < regions->count; i++) {
        const struct geo_barrier_region *region = &regions->list[i];
        blocks += region->count;
        for (uint32_t k = 0; k < region->count; k++) {
            uint32_t at = region->positions[k];
            if (regions->of[at] != i || cut->head[at] != (k == 0) ||
                (k > 0 && region->positions[k - 1] >= at)) {
                return false;
            }
        }
        if (region->count == 0 || (region->own && region->count != 1) ||
            (region->next != GEO_LINEAR_END && !cut->head[region->next])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < cut->count; i++) {
        if (geo_barrier_of(cut->barriers, cut->loops->order[i]) != GEO_CFG_NONE &&
            !cut->head[position_of(cut, succs_of(cut, i)->blocks[0])]) {
            return false;
        }
    }
    return blocks == cut->count;
}

bool geo_regions_cut(const struct geo_loops *loops, const struct geo_barriers *barriers,
                     const struct geo_shapes *group, struct geo_arena *arena,
                     struct geo_regions *out)
{
    GEO_ASSERT(!loops->irreducible); /* shapes of more than one lane need it */
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
    if (open) {
        return true;
    }
    if (!regions_list(&cut, arena, out)) {
        return false;
    }
    GEO_ASSERT(regions_are_valid(&cut, out));
    return true;
}
