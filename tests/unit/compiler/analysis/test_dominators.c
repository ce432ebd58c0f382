/* The graph analyses on graphs drawn by hand and at random, against their definitions. */
#include "support.h"

#include "compiler/analysis/frontier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct graph {
    struct geo_ir_module *module;
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators dom;
};

static void graph_finish(struct graph *graph)
{
    geo_arena_finish(&graph->arena);
    geo_ir_module_destroy(graph->module);
}

static void graph_analyse(struct graph *graph)
{
    geo_arena_init(&graph->arena, 0);
    assert_true(geo_cfg_build(graph->module->first_function, &graph->arena, &graph->cfg));
    assert_true(geo_dominators_compute(&graph->cfg, &graph->arena, &graph->dom));
}

static void assert_blocks(struct geo_ir_block *const *blocks, uint32_t count, const char *expected)
{
    char text[1024];
    assert_string_equal(support_block_list(blocks, count, text, sizeof(text)), expected);
}

static void edges_and_orders_of_a_diamond(void **state)
{
    (void)state;
    struct graph graph = {.module = support_graph("0>1,2 1>3 2>3 3")};
    graph_analyse(&graph);
    const struct geo_cfg *cfg = &graph.cfg;
    assert_int_equal(cfg->block_count, 4);
    assert_blocks(cfg->succs[0].blocks, cfg->succs[0].count, "1 2");
    assert_blocks(cfg->preds[3].blocks, cfg->preds[3].count, "1 2");
    assert_blocks(cfg->preds[0].blocks, cfg->preds[0].count, "");
    assert_blocks(cfg->order, cfg->reachable_count, "0 1 2 3");
    assert_int_equal(graph.dom.parent[3], 0);
    graph_finish(&graph);
}

static void a_branch_to_one_block_twice_is_one_edge(void **state)
{
    (void)state;
    struct graph graph = {.module = support_graph("0>1,2 1 2")};
    struct geo_ir_inst *branch = graph.module->first_function->first_block->last;
    branch->targets[1] = branch->targets[0];
    graph_analyse(&graph);
    assert_blocks(graph.cfg.succs[0].blocks, graph.cfg.succs[0].count, "1");
    assert_blocks(graph.cfg.preds[1].blocks, graph.cfg.preds[1].count, "0");
    assert_false(geo_cfg_reachable(&graph.cfg, graph.cfg.blocks[2]));
    assert_int_equal(graph.cfg.reachable_count, 2);
    graph_finish(&graph);
}

static void a_loop_is_its_own_frontier(void **state)
{
    (void)state;
    struct graph graph = {.module = support_graph("0>1 1>2,3 2>1 3")};
    struct geo_iterated_frontier frontier;
    graph_analyse(&graph);
    assert_true(geo_iterated_frontier_init(&frontier, &graph.dom, &graph.arena));
    for (uint32_t block = 1; block <= 2; block++) {
        geo_iterated_frontier_compute(&frontier, &graph.cfg.blocks[block], 1, NULL);
        assert_blocks(frontier.result, frontier.result_count, "1");
    }
    graph_finish(&graph);
}

static void an_unreachable_block_is_in_no_tree(void **state)
{
    (void)state;
    struct graph graph = {.module = support_graph("0>2 1>2 2")};
    graph_analyse(&graph);
    assert_int_equal(graph.dom.parent[2], 0);
    assert_int_equal(graph.dom.parent[1], GEO_CFG_NONE);
    assert_false(geo_dominates(&graph.dom, 0, 1));
    assert_false(geo_dominates(&graph.dom, 1, 2));
    assert_true(geo_dominates(&graph.dom, 1, 1));
    graph_finish(&graph);
}

static void a_declaration_has_an_empty_graph(void **state)
{
    (void)state;
    struct graph graph = {.module = geo_ir_module_create(1 << 20)};
    const struct geo_ir_type *type =
        geo_ir_type_function(graph.module, geo_ir_type_void(graph.module), 0, NULL);
    assert_non_null(geo_ir_function_create(graph.module, type));
    graph_analyse(&graph);
    assert_int_equal(graph.cfg.block_count, 0);
    assert_int_equal(graph.cfg.reachable_count, 0);
    graph_finish(&graph);
}

/* ---- random graphs ---- */

#define MAX_NODES 24u

/* Nodes reachable from `from` (a bit set) along edges, not through `without`. */
static uint64_t reach(const uint64_t *edges, uint64_t from, uint32_t without)
{
    uint64_t seen = 0, frontier = from & ~((uint64_t)1 << without);
    while (frontier) {
        seen |= frontier;
        uint64_t next = 0;
        for (uint32_t i = 0; i < 64; i++) {
            if (frontier >> i & 1) {
                next |= edges[i];
            }
        }
        frontier = next & ~seen & ~((uint64_t)1 << without);
    }
    return seen;
}

static void random_graph(struct support_random *random, uint64_t *edges, uint32_t *count)
{
    *count = 2 + support_random_below(random, MAX_NODES - 2);
    memset(edges, 0, 64 * sizeof(*edges));
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t degree = support_random_below(random, 4);
        for (uint32_t d = 0; d < degree; d++) {
            edges[i] |= (uint64_t)1 << (1 + support_random_below(random, *count - 1));
        }
    }
}

static void check_dominance(const struct graph *graph, const uint64_t *edges, uint32_t count)
{
    uint64_t all = reach(edges, 1, 63);
    for (uint32_t a = 0; a < count; a++) {
        uint64_t without = reach(edges, 1, a);
        for (uint32_t b = 0; b < count; b++) {
            bool expected = a == b || ((all >> a & 1) && (all >> b & 1) && !(without >> b & 1));
            assert_int_equal(geo_dominates(&graph->dom, a, b), expected);
        }
        if (a != 0 && (all >> a & 1)) {
            uint32_t parent = graph->dom.parent[a];
            assert_true(parent < count && parent != a && geo_dominates(&graph->dom, parent, a));
            for (uint32_t b = 0; b < count; b++) {
                if (b != a && geo_dominates(&graph->dom, b, a)) {
                    assert_true(geo_dominates(&graph->dom, b, parent));
                }
            }
        }
    }
}

static uint64_t frontier_of(const struct graph *graph, const uint64_t *edges, uint32_t count,
                            uint32_t a)
{
    uint64_t frontier = 0;
    for (uint32_t p = 0; p < count; p++) {
        for (uint32_t j = 0; j < count; j++) {
            bool edge = edges[p] >> j & 1;
            if (edge && graph->dom.leave[p] && geo_dominates(&graph->dom, a, p) &&
                (a == j || !geo_dominates(&graph->dom, a, j))) {
                frontier |= (uint64_t)1 << j;
            }
        }
    }
    return frontier;
}

static uint64_t bits_of(struct geo_ir_block *const *blocks, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_false(bits >> blocks[i]->index & 1);
        bits |= (uint64_t)1 << blocks[i]->index;
    }
    return bits;
}

static void check_frontiers(struct graph *graph, const uint64_t *edges, uint32_t count,
                            struct support_random *random)
{
    struct geo_iterated_frontier iterated;
    uint64_t expected[64] = {0};
    assert_true(geo_iterated_frontier_init(&iterated, &graph->dom, &graph->arena));
    for (uint32_t a = 0; a < count; a++) {
        if (graph->dom.leave[a]) {
            expected[a] = frontier_of(graph, edges, count, a);
        }
    }
    for (uint32_t round = 0; round < 4; round++) {
        struct geo_ir_block *blocks[64];
        uint32_t chosen = 0;
        uint64_t closure = 0, before = 1, frontier = 0;
        for (uint32_t a = 0; a < count; a++) {
            if (graph->dom.leave[a] && support_random_below(random, 4) == 0) {
                blocks[chosen++] = graph->cfg.blocks[a];
                closure |= (uint64_t)1 << a;
            }
        }
        while (before != frontier) {
            before = frontier;
            for (uint32_t a = 0; a < count; a++) {
                frontier |= (closure | frontier) >> a & 1 ? expected[a] : 0;
            }
            before = before == frontier ? frontier : ~frontier;
        }
        geo_iterated_frontier_compute(&iterated, blocks, chosen, NULL);
        assert_int_equal(bits_of(iterated.result, iterated.result_count), frontier);
    }
}

static void random_graphs_agree_with_the_definitions(void **state)
{
    (void)state;
    struct support_random random = {1};
    for (int round = 0; round < 3000; round++) {
        uint64_t edges[64];
        uint32_t count;
        random_graph(&random, edges, &count);
        struct graph graph = {.module = support_graph_bits(edges, count)};
        graph_analyse(&graph);
        check_dominance(&graph, edges, count);
        check_frontiers(&graph, edges, count, &random);
        /* Reverse postorder: every edge that is no back edge of a walk leads forward. */
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t t = 0; t < count; t++) {
                if ((edges[i] >> t & 1) && graph.dom.leave[i] &&
                    graph.cfg.position[t] <= graph.cfg.position[i]) {
                    assert_true(reach(edges, (uint64_t)1 << t, 63) >> i & 1);
                }
            }
        }
        graph_finish(&graph);
    }
}

/* A deep ladder of 200,000 blocks: no recursion, no quadratic walk. */
static void a_long_ladder_takes_no_time_and_no_stack(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    struct geo_ir_module *module = geo_ir_module_create((size_t)1 << 30);
    struct geo_ir_function *function = geo_ir_function_create(
        module, geo_ir_type_function(module, geo_ir_type_void(module), 0, NULL));
    struct geo_ir_block **blocks = calloc(COUNT, sizeof(*blocks));
    struct geo_ir_value *condition = geo_ir_const_undef(module, geo_ir_type_bool(module));
    for (uint32_t i = 0; i < COUNT; i++) {
        blocks[i] = geo_ir_block_create(function, NULL);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        bool last = i + 1 == COUNT;
        struct geo_ir_inst *inst =
            geo_ir_inst_create(module, last ? SpvOpReturn : SpvOpBranchConditional,
                               geo_ir_type_void(module), !last, 0, last ? 0 : 2);
        if (!last) {
            inst->operands[0] = condition;
            inst->targets[0] = blocks[i + 1];
            inst->targets[1] = blocks[COUNT - 1];
        }
        geo_ir_inst_append(blocks[i], inst);
    }
    geo_ir_function_number(function);
    struct graph graph = {.module = module};
    graph_analyse(&graph);
    assert_int_equal(graph.dom.parent[COUNT - 1], 0);
    assert_int_equal(graph.dom.depth[COUNT - 2], COUNT - 2);
    free(blocks);
    graph_finish(&graph);
}

/* Every allocation may fail: the functions say so and leave nothing behind. */
static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_graph("0>1,2 1>3 2>3 3>1,4 4");
    for (size_t limit = 16; limit < 1 << 14; limit += 16) {
        struct geo_arena arena;
        struct geo_cfg cfg;
        struct geo_dominators tree;
        geo_arena_init(&arena, limit);
        if (geo_cfg_build(module->first_function, &arena, &cfg) &&
            geo_dominators_compute(&cfg, &arena, &tree)) {
            assert_true(limit > 256);
        }
        geo_arena_finish(&arena);
    }
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_and_orders_of_a_diamond),
        cmocka_unit_test(a_branch_to_one_block_twice_is_one_edge),
        cmocka_unit_test(a_loop_is_its_own_frontier),
        cmocka_unit_test(an_unreachable_block_is_in_no_tree),
        cmocka_unit_test(a_declaration_has_an_empty_graph),
        cmocka_unit_test(random_graphs_agree_with_the_definitions),
        cmocka_unit_test(a_long_ladder_takes_no_time_and_no_stack),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests_name("dominators", tests, NULL, NULL);
}
