/* Dominance frontiers: whole, and iterated for a set of blocks. See dominators.h. */
#include "compiler/analysis/dominators.h"

/* Edges in the direction of the tree: successors for dominators, predecessors for post-dominators.
 */
static const struct geo_cfg_edges *edges_forward(const struct geo_dominators *tree, uint32_t node)
{
    return tree->is_post ? &tree->cfg->preds[node] : &tree->cfg->succs[node];
}

static const struct geo_cfg_edges *edges_backward(const struct geo_dominators *tree, uint32_t node)
{
    return tree->is_post ? &tree->cfg->succs[node] : &tree->cfg->preds[node];
}

/* Visits each pair (runner, join) with join in the frontier of runner, once. */
static void frontiers_visit(const struct geo_dominators *tree, struct geo_frontiers *frontiers,
                            uint32_t *seen, bool store)
{
    const struct geo_cfg *cfg = tree->cfg;
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        seen[i] = GEO_CFG_NONE;
    }
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        uint32_t join = cfg->order[i]->index;
        const struct geo_cfg_edges *edges = edges_backward(tree, join);
        for (uint32_t e = 0; e < edges->count; e++) {
            uint32_t runner = edges->blocks[e]->index;
            /* Where the walk has been before with this join, it has been all the way up. */
            while (runner < cfg->block_count && runner != tree->parent[join] &&
                   tree->leave[runner] != 0 && seen[runner] != join) {
                struct geo_cfg_edges *of = &frontiers->of[runner];
                if (store) {
                    of->blocks[of->count] = cfg->blocks[join];
                }
                of->count++;
                seen[runner] = join;
                runner = tree->parent[runner];
            }
        }
    }
}

bool geo_frontiers_compute(const struct geo_dominators *tree, struct geo_arena *arena,
                           struct geo_frontiers *out)
{
    const struct geo_cfg *cfg = tree->cfg;
    struct geo_frontiers frontiers = {
        .of = geo_arena_new_array(arena, struct geo_cfg_edges, cfg->block_count)};
    uint32_t *seen = geo_arena_new_array(arena, uint32_t, cfg->block_count);
    if (!frontiers.of || !seen) {
        return false;
    }
    frontiers_visit(tree, &frontiers, seen, false);
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        frontiers.of[i].blocks =
            geo_arena_new_array(arena, struct geo_ir_block *, frontiers.of[i].count);
        if (!frontiers.of[i].blocks) {
            return false;
        }
        frontiers.of[i].count = 0;
    }
    frontiers_visit(tree, &frontiers, seen, true);
    *out = frontiers;
    return true;
}

/* ---- iterated ---- */

bool geo_iterated_frontier_init(struct geo_iterated_frontier *frontier,
                                const struct geo_dominators *tree, struct geo_arena *arena)
{
    uint32_t count = tree->cfg->block_count;
    *frontier = (struct geo_iterated_frontier){
        .tree = tree,
        .mark_result = geo_arena_new_array(arena, uint32_t, count),
        .mark_visited = geo_arena_new_array(arena, uint32_t, count),
        .mark_queued = geo_arena_new_array(arena, uint32_t, count),
        .heap = geo_arena_new_array(arena, uint32_t, count),
        .stack = geo_arena_new_array(arena, uint32_t, count),
        .result = geo_arena_new_array(arena, struct geo_ir_block *, count),
    };
    return frontier->mark_result && frontier->mark_visited && frontier->mark_queued &&
           frontier->heap && frontier->stack && frontier->result;
}

/* A heap of blocks, deepest in the tree first. */
static void heap_push(struct geo_iterated_frontier *f, uint32_t *count, uint32_t block)
{
    const uint32_t *depth = f->tree->depth;
    uint32_t at = (*count)++;
    while (at > 0 && depth[f->heap[(at - 1) / 2]] < depth[block]) {
        f->heap[at] = f->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    f->heap[at] = block;
}

static uint32_t heap_pop(struct geo_iterated_frontier *f, uint32_t *count)
{
    const uint32_t *depth = f->tree->depth;
    uint32_t top = f->heap[0], moved = f->heap[--*count], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= *count) {
            break;
        }
        if (child + 1 < *count && depth[f->heap[child + 1]] > depth[f->heap[child]]) {
            child++;
        }
        if (depth[f->heap[child]] <= depth[moved]) {
            break;
        }
        f->heap[at] = f->heap[child];
        at = child;
    }
    f->heap[at] = moved;
    return top;
}

/* Adds the joins that the subtree of `root` leads to, at root's depth or above. Subtrees that were
 * walked from a deeper root are not walked again. */
static void subtree_visit(struct geo_iterated_frontier *f, uint32_t root, uint32_t *heap_count,
                          const bool *live)
{
    const struct geo_dominators *tree = f->tree;
    uint32_t depth = 0;
    f->mark_visited[root] = f->epoch;
    f->stack[depth++] = root;
    while (depth > 0) {
        uint32_t node = f->stack[--depth];
        const struct geo_cfg_edges *edges = edges_forward(tree, node);
        f->work++;
        for (uint32_t i = 0; i < edges->count; i++) {
            uint32_t join = edges->blocks[i]->index;
            if (tree->leave[join] == 0 || tree->parent[join] == node ||
                tree->depth[join] > tree->depth[root] || f->mark_result[join] == f->epoch ||
                (live && !live[join])) {
                continue;
            }
            f->mark_result[join] = f->epoch;
            f->result[f->result_count++] = tree->cfg->blocks[join];
            if (f->mark_queued[join] != f->epoch) {
                f->mark_queued[join] = f->epoch;
                heap_push(f, heap_count, join);
            }
        }
        for (uint32_t child = tree->first_child[node]; child != GEO_CFG_NONE;
             child = tree->next_sibling[child]) {
            if (f->mark_visited[child] != f->epoch) {
                f->mark_visited[child] = f->epoch;
                f->stack[depth++] = child;
            }
        }
    }
}

void geo_iterated_frontier_compute(struct geo_iterated_frontier *frontier,
                                   struct geo_ir_block *const *blocks, uint32_t count,
                                   const bool *live)
{
    uint32_t heap_count = 0;
    frontier->epoch++;
    frontier->result_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = blocks[i]->index;
        if (frontier->tree->leave[block] != 0 && frontier->mark_queued[block] != frontier->epoch) {
            frontier->mark_queued[block] = frontier->epoch;
            heap_push(frontier, &heap_count, block);
        }
    }
    while (heap_count > 0) {
        uint32_t root = heap_pop(frontier, &heap_count);
        if (frontier->mark_visited[root] != frontier->epoch) {
            subtree_visit(frontier, root, &heap_count, live);
        }
    }
}
