/* Finds the blocks and loops that a divergent branch affects.
 *
 * Each successor of the branch starts a label. Labels are propagated forward in the order of
 * geo_loops.order, where loops are contiguous. A block that two labels reach is a divergent join
 * and starts a label of its own. When a single block is pending, the lanes have met again and the
 * walk ends.
 *
 * Inside a loop, the back edge counts as a block behind all blocks of the loop. If both the back
 * edge and an exit are pending, lanes leave the loop in different iterations: the loop is
 * divergent. All its blocks then run with some lanes off. The lanes that left diverge again at its
 * exits, from where the walk continues in the surrounding loop.
 *
 * shape.c calls this once for each branch that becomes divergent. */
#include "compiler/analysis/divergence.h"

#include "base/assert.h"

/* Limit of blocks and edges visited by all walks of one function. Beyond it everything is taken to
 * be divergent. */
#define WORK_LIMIT (UINT64_C(1) << 24)

/* The propagation of labels from one divergent branch. */
struct walk {
    struct shape_state *state;
    /* by position: position of the block that started the label; NONE: not reached */
    uint32_t *label;
    uint32_t *pending; /* heap of pending positions, lowest first */
    uint32_t pending_count;
    uint32_t *reached; /* positions that have a label */
    uint32_t reached_count;
    bool back_pending; /* the back edge of the current loop was reached */
    void (*changed)(void *data, struct geo_ir_block *block);
    void *data;
};

/* ---- the heap ---- */

static void heap_push(struct walk *walk, uint32_t position)
{
    uint32_t at = walk->pending_count++;
    GEO_ASSERT(at < walk->state->cfg->reachable_count);
    while (at > 0 && walk->pending[(at - 1) / 2] > position) {
        walk->pending[at] = walk->pending[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    walk->pending[at] = position;
}

static uint32_t heap_pop(struct walk *walk)
{
    GEO_ASSERT(walk->pending_count > 0);
    uint32_t top = walk->pending[0];
    uint32_t last = walk->pending[--walk->pending_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= walk->pending_count) {
            break;
        }
        if (child + 1 < walk->pending_count && walk->pending[child + 1] < walk->pending[child]) {
            child++;
        }
        if (walk->pending[child] >= last) {
            break;
        }
        walk->pending[at] = walk->pending[child];
        at = child;
    }
    walk->pending[at] = last;
    return top;
}

/* ---- propagation ---- */

static void set_join(struct walk *walk, struct geo_ir_block *block)
{
    bool *join = walk->state->result->divergent_join;
    if (!join[block->index]) {
        join[block->index] = true;
        walk->changed(walk->data, block);
    }
}

static void reach(struct walk *walk, struct geo_ir_block *block, uint32_t label)
{
    uint32_t position = walk->state->loops->position[block->index];
    GEO_ASSERT(position != GEO_CFG_NONE);
    if (walk->label[position] == GEO_CFG_NONE) {
        walk->label[position] = label;
        walk->reached[walk->reached_count++] = position;
        heap_push(walk, position);
    } else if (walk->label[position] != label) {
        walk->label[position] = position;
        set_join(walk, block);
    }
}

static void visit(struct walk *walk, const struct geo_loop *loop, uint32_t position)
{
    struct shape_state *state = walk->state;
    struct geo_ir_block *block = state->loops->order[position];
    state->result->divergent_block[block->index] = true;
    const struct geo_cfg_edges *succs = &state->cfg->succs[block->index];
    state->work += 1 + succs->count;
    for (uint32_t i = 0; i < succs->count; i++) {
        struct geo_ir_block *to = succs->blocks[i];
        if (loop && to == loop->header) {
            walk->back_pending = true;
        } else if (state->loops->position[to->index] > position) {
            reach(walk, to, walk->label[position]);
        } /* else: the back edge of a loop that lies between the branch and the meeting point */
    }
}

/* Marks a loop as divergent: lanes leave it in different iterations. */
static void diverge_loop(struct walk *walk, const struct geo_loop *loop)
{
    struct shape_state *state = walk->state;
    GEO_ASSERT(loop->index < state->loops->count);
    state->result->divergent_loop[loop->index] = true;
    for (uint32_t i = 0; i < loop->block_count; i++) {
        state->result->divergent_block[loop->blocks[i]->index] = true;
    }
    state->work += loop->block_count;
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        struct geo_ir_block *to = loop->exits[i].to;
        reach(walk, to, state->loops->position[to->index]);
        if (state->cfg->preds[to->index].count > 1) {
            set_join(walk, to);
        }
        walk->changed(walk->data, to);
    }
}

/* Processes pending blocks until the lanes have met again. */
static void spread(struct walk *walk, const struct geo_loop *loop)
{
    const struct geo_loops *loops = walk->state->loops;
    for (;;) {
        uint32_t end = loop ? loops->position[loop->header->index] + loop->block_count
                            : loops->cfg->reachable_count;
        while (walk->pending_count && walk->pending[0] < end) {
            if (walk->pending_count == 1 && !walk->back_pending) {
                return;
            }
            visit(walk, loop, heap_pop(walk));
        }
        if (!loop || walk->pending_count == 0) {
            return;
        }
        if (walk->back_pending) {
            diverge_loop(walk, loop);
        }
        walk->back_pending = false;
        if (walk->pending_count == 1) {
            return;
        }
        loop = loop->parent;
    }
}

static void give_up(struct walk *walk)
{
    struct shape_state *state = walk->state;
    state->gave_up = true;
    for (uint32_t i = 0; i < state->cfg->reachable_count; i++) {
        struct geo_ir_block *block = state->cfg->order[i];
        state->result->divergent_block[block->index] = i > 0;
        state->result->divergent_branch[block->index] = state->cfg->succs[block->index].count > 1;
        state->result->divergent_join[block->index] = state->cfg->preds[block->index].count > 1;
        walk->changed(walk->data, block);
    }
    for (uint32_t i = 0; i < state->loops->count; i++) {
        state->result->divergent_loop[i] = true;
    }
}

bool geo_divergence_spread(struct shape_state *state, const struct geo_ir_block *branch,
                           void (*changed)(void *data, struct geo_ir_block *block), void *data)
{
    if (state->gave_up) {
        return true;
    }
    uint32_t count = state->cfg->reachable_count;
    struct walk walk = {.state = state, .changed = changed, .data = data};
    if (!state->label) {
        state->label = geo_arena_new_array(state->arena, uint32_t, count);
        state->pending = geo_arena_new_array(state->arena, uint32_t, count);
        state->reached = geo_arena_new_array(state->arena, uint32_t, count);
        if (!state->label || !state->pending || !state->reached) {
            return false;
        }
        for (uint32_t i = 0; i < count; i++) {
            state->label[i] = GEO_CFG_NONE;
        }
    }
    walk.label = state->label;
    walk.pending = state->pending;
    walk.reached = state->reached;

    const struct geo_loop *loop = state->loops->of[branch->index];
    const struct geo_cfg_edges *succs = &state->cfg->succs[branch->index];
    GEO_ASSERT(succs->count > 1 && state->result->divergent_branch[branch->index]);
    for (uint32_t i = 0; i < succs->count; i++) {
        struct geo_ir_block *to = succs->blocks[i];
        if (loop && to == loop->header) {
            walk.back_pending = true;
        } else {
            reach(&walk, to, state->loops->position[to->index]);
        }
    }
    spread(&walk, loop);
    for (uint32_t i = 0; i < walk.reached_count; i++) {
        walk.label[walk.reached[i]] = GEO_CFG_NONE;
    }
    if (state->work > WORK_LIMIT) {
        give_up(&walk);
    }
    return true;
}
