/* Computes dominator trees by the algorithm of Lengauer and Tarjan. See dominators.h.
 *
 * It works on a graph of numbers, made of the reachable blocks. All walks use explicit stacks. */
#include "compiler/analysis/dominators.h"

#include "base/assert.h"

/* A graph in compressed form: the successors of node n are succ[succ_start[n]] to succ[succ_start[n
 * + 1] - 1]. */
struct graph {
    uint32_t count, root;
    uint32_t *succ_start, *succ;
    uint32_t *pred_start, *pred;
};

/* An edge of the graph, as numbers of nodes. */
struct edge {
    uint32_t from, to;
};

static bool graph_slices(uint32_t count, const struct edge *edges, size_t edge_count,
                         bool by_source, uint32_t **start_out, uint32_t **items_out,
                         struct geo_arena *arena)
{
    uint32_t *start = geo_arena_new_array(arena, uint32_t, (size_t)count + 2);
    uint32_t *items = geo_arena_new_array(arena, uint32_t, edge_count);
    if (!start || !items) {
        return false;
    }
    /* Counts are stored one slot too far, so that filling moves each start to its right slot. */
    for (size_t i = 0; i < edge_count; i++) {
        GEO_ASSERT(edges[i].from < count && edges[i].to < count);
        start[(by_source ? edges[i].from : edges[i].to) + 2]++;
    }
    for (uint32_t n = 2; n < count + 2; n++) {
        start[n] += start[n - 1];
    }
    for (size_t i = 0; i < edge_count; i++) {
        uint32_t key = by_source ? edges[i].from : edges[i].to;
        items[start[key + 1]++] = by_source ? edges[i].to : edges[i].from;
    }
    *start_out = start;
    *items_out = items;
    return true;
}

static bool graph_build(struct graph *graph, uint32_t count, uint32_t root,
                        const struct edge *edges, size_t edge_count, struct geo_arena *arena)
{
    graph->count = count;
    graph->root = root;
    return graph_slices(count, edges, edge_count, true, &graph->succ_start, &graph->succ, arena) &&
           graph_slices(count, edges, edge_count, false, &graph->pred_start, &graph->pred, arena);
}

/* ---- Lengauer-Tarjan ---- */

/* State of the Lengauer-Tarjan algorithm. */
struct solver {
    const struct graph *graph;
    uint32_t *number; /* by node: depth-first number; GEO_CFG_NONE: unreachable */
    uint32_t *vertex; /* by number: the node. All arrays below are indexed by number. */
    uint32_t *parent; /* parent in the depth-first tree */
    uint32_t *semi, *idom, *ancestor, *label;
    uint32_t *bucket, *bucket_next;
    uint32_t *path; /* scratch of solver_eval */
    uint32_t reached;
};

static bool solver_init(struct solver *s, const struct graph *graph, struct geo_arena *arena)
{
    uint32_t **const arrays[] = {&s->number,   &s->vertex, &s->parent, &s->semi,        &s->idom,
                                 &s->ancestor, &s->label,  &s->bucket, &s->bucket_next, &s->path};
    *s = (struct solver){.graph = graph};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        *arrays[i] = geo_arena_new_array(arena, uint32_t, graph->count);
        if (!*arrays[i]) {
            return false;
        }
    }
    return true;
}

/* Numbers the nodes depth-first. `path` and `label` serve as its stack meanwhile. */
static void solver_walk(struct solver *s)
{
    const struct graph *graph = s->graph;
    uint32_t *stack = s->path, *next = s->label, depth = 0;
    for (uint32_t n = 0; n < graph->count; n++) {
        s->number[n] = GEO_CFG_NONE;
    }
    s->number[graph->root] = 0;
    s->vertex[0] = graph->root;
    s->reached = 1;
    next[0] = graph->succ_start[graph->root];
    stack[depth++] = graph->root;
    while (depth > 0) {
        uint32_t node = stack[depth - 1];
        if (next[depth - 1] == graph->succ_start[node + 1]) {
            depth--;
            continue;
        }
        uint32_t target = graph->succ[next[depth - 1]++];
        if (s->number[target] != GEO_CFG_NONE) {
            continue;
        }
        s->parent[s->reached] = s->number[node];
        s->vertex[s->reached] = target;
        s->number[target] = s->reached++;
        next[depth] = graph->succ_start[target];
        stack[depth++] = target;
    }
}

/* Returns the node with the least semidominator on the forest path above v, and compresses the
 * path. */
static uint32_t solver_eval(struct solver *s, uint32_t v)
{
    if (s->ancestor[v] == GEO_CFG_NONE) {
        return s->label[v];
    }
    uint32_t depth = 0;
    for (uint32_t u = v; s->ancestor[s->ancestor[u]] != GEO_CFG_NONE; u = s->ancestor[u]) {
        s->path[depth++] = u;
    }
    while (depth > 0) {
        uint32_t u = s->path[--depth], above = s->ancestor[u];
        if (s->semi[s->label[above]] < s->semi[s->label[u]]) {
            s->label[u] = s->label[above];
        }
        s->ancestor[u] = s->ancestor[above];
    }
    return s->label[v];
}

static void solver_run(struct solver *s)
{
    const struct graph *graph = s->graph;
    for (uint32_t i = 0; i < s->reached; i++) {
        s->semi[i] = s->label[i] = i;
        s->ancestor[i] = s->bucket[i] = GEO_CFG_NONE;
    }
    for (uint32_t w = s->reached; w-- > 1;) {
        uint32_t node = s->vertex[w];
        for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++) {
            uint32_t v = s->number[graph->pred[e]];
            if (v != GEO_CFG_NONE) {
                uint32_t u = solver_eval(s, v);
                s->semi[w] = s->semi[u] < s->semi[w] ? s->semi[u] : s->semi[w];
            }
        }
        s->bucket_next[w] = s->bucket[s->semi[w]];
        s->bucket[s->semi[w]] = w;
        uint32_t parent = s->parent[w];
        s->ancestor[w] = parent;
        for (uint32_t v = s->bucket[parent]; v != GEO_CFG_NONE; v = s->bucket_next[v]) {
            uint32_t u = solver_eval(s, v);
            s->idom[v] = s->semi[u] < s->semi[v] ? u : parent;
        }
        s->bucket[parent] = GEO_CFG_NONE;
    }
    for (uint32_t w = 1; w < s->reached; w++) {
        GEO_ASSERT(s->semi[w] < w && s->idom[w] < w); /* above it in the depth-first tree */
        if (s->idom[w] != s->semi[w]) {
            s->idom[w] = s->idom[s->idom[w]];
        }
    }
}

/* ---- the tree ---- */

static bool tree_init(struct geo_dominators *tree, uint32_t count, struct geo_arena *arena)
{
    uint32_t **const arrays[] = {&tree->parent, &tree->first_child, &tree->next_sibling,
                                 &tree->enter,  &tree->leave,       &tree->depth};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        *arrays[i] = geo_arena_new_array(arena, uint32_t, count);
        if (!*arrays[i]) {
            return false;
        }
    }
    for (uint32_t n = 0; n < count; n++) {
        tree->parent[n] = tree->first_child[n] = tree->next_sibling[n] = GEO_CFG_NONE;
    }
    return true;
}

static void tree_attach(struct geo_dominators *tree, uint32_t node, uint32_t parent)
{
    GEO_ASSERT(node != parent && tree->parent[node] == GEO_CFG_NONE);
    tree->parent[node] = parent;
    tree->next_sibling[node] = tree->first_child[parent];
    tree->first_child[parent] = node;
}

/* Assigns preorder intervals and depths by a walk over first children and siblings. */
static void tree_number(struct geo_dominators *tree, uint32_t root)
{
    uint32_t node = root, count = 0;
    while (node != GEO_CFG_NONE) {
        tree->enter[node] = count++;
        if (tree->parent[node] != GEO_CFG_NONE) {
            tree->depth[node] = tree->depth[tree->parent[node]] + 1;
        }
        if (tree->first_child[node] != GEO_CFG_NONE) {
            node = tree->first_child[node];
            continue;
        }
        tree->leave[node] = count;
        while (tree->next_sibling[node] == GEO_CFG_NONE) {
            node = tree->parent[node];
            if (node == GEO_CFG_NONE) {
                return;
            }
            tree->leave[node] = count;
        }
        node = tree->next_sibling[node];
    }
}

static bool tree_solve(const struct graph *graph, struct geo_dominators *tree,
                       struct geo_arena *arena)
{
    struct solver solver;
    if (!solver_init(&solver, graph, arena) || !tree_init(tree, graph->count, arena)) {
        return false;
    }
    solver_walk(&solver);
    solver_run(&solver);
    for (uint32_t w = solver.reached; w-- > 1;) {
        tree_attach(tree, solver.vertex[w], solver.vertex[solver.idom[w]]);
    }
    tree_number(tree, graph->root);
    GEO_ASSERT(tree->enter[graph->root] == 0 && tree->leave[graph->root] == solver.reached);
    return true;
}

static size_t cfg_edge_count(const struct geo_cfg *cfg)
{
    size_t count = 0;
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        count += cfg->succs[i].count;
    }
    return count;
}

bool geo_dominators_compute(const struct geo_cfg *cfg, struct geo_arena *arena,
                            struct geo_dominators *out)
{
    struct geo_dominators tree = {.cfg = cfg};
    struct edge *edges = geo_arena_new_array(arena, struct edge, cfg_edge_count(cfg));
    if (!edges) {
        return false;
    }
    if (cfg->block_count == 0) {
        *out = tree;
        return true;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        /* In this order, siblings end up in reverse postorder. */
        const struct geo_ir_block *block = cfg->order[i];
        const struct geo_cfg_edges *succs = &cfg->succs[block->index];
        for (uint32_t s = 0; s < succs->count; s++) {
            edges[count++] = (struct edge){block->index, succs->blocks[s]->index};
        }
    }
    struct graph graph;
    if (!graph_build(&graph, cfg->block_count, cfg->order[0]->index, edges, count, arena) ||
        !tree_solve(&graph, &tree, arena)) {
        return false;
    }
    *out = tree;
    return true;
}
