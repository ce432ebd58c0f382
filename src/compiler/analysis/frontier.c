/* Computes iterated dominance frontiers of sets of blocks. See frontier.h. */
#include "compiler/analysis/frontier.h"

#include "base/assert.h"

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

/* Heap of blocks, the deepest in the dominator tree first. */
static void heap_push(struct geo_iterated_frontier *f, uint32_t *count, uint32_t block)
{
    const uint32_t *depth = f->tree->depth;
    uint32_t at = (*count)++;
    GEO_ASSERT(at < f->tree->cfg->block_count); /* each block is queued once an epoch */
    while (at > 0 && depth[f->heap[(at - 1) / 2]] < depth[block]) {
        f->heap[at] = f->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    f->heap[at] = block;
}

static uint32_t heap_pop(struct geo_iterated_frontier *f, uint32_t *count)
{
    const uint32_t *depth = f->tree->depth;
    GEO_ASSERT(*count > 0);
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

/* Adds the joins that edges from the subtree of `root` reach, at root's depth or above. Subtrees
 * already walked from a deeper root are skipped. So are subtrees where the value is not live: if it
 * is live again further below, a deeper definition starts there. */
static void subtree_visit(struct geo_iterated_frontier *f, uint32_t root, uint32_t *heap_count,
                          const bool *live)
{
    const struct geo_dominators *tree = f->tree;
    uint32_t depth = 0;
    f->mark_visited[root] = f->epoch;
    f->stack[depth++] = root;
    while (depth > 0) {
        uint32_t node = f->stack[--depth];
        const struct geo_cfg_edges *edges = &tree->cfg->succs[node];
        f->work++;
        for (uint32_t i = 0; i < edges->count; i++) {
            uint32_t join = edges->blocks[i]->index;
            if (tree->leave[join] == 0 || tree->parent[join] == node ||
                tree->depth[join] > tree->depth[root] || f->mark_result[join] == f->epoch ||
                (live && !live[join])) {
                continue;
            }
            f->mark_result[join] = f->epoch;
            GEO_ASSERT(f->result_count < tree->cfg->block_count);
            f->result[f->result_count++] = tree->cfg->blocks[join];
            if (f->mark_queued[join] != f->epoch) {
                f->mark_queued[join] = f->epoch;
                heap_push(f, heap_count, join);
            }
        }
        for (uint32_t child = tree->first_child[node]; child != GEO_CFG_NONE;
             child = tree->next_sibling[child]) {
            if (f->mark_visited[child] != f->epoch && (!live || live[child])) {
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
        GEO_ASSERT(blocks[i]->function == frontier->tree->cfg->function);
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
