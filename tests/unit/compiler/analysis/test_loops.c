/* Natural loops on graphs drawn by hand and at random; uses and liveness on a small function. */
#include "support.h"

#include "compiler/analysis/liveness.h"
#include "compiler/analysis/loops.h"
#include "compiler/analysis/uses.h"

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
    struct geo_loops loops;
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
    assert_true(geo_loops_compute(&graph->dom, &graph->arena, &graph->loops));
}

static void assert_blocks(struct geo_ir_block *const *blocks, uint32_t count, const char *expected)
{
    char text[1024];
    assert_string_equal(support_block_list(blocks, count, text, sizeof(text)), expected);
}

static void a_nest_with_an_early_exit(void **state)
{
    (void)state;
    /* 1 is the outer header, 2 the inner one; 3 leaves both at once. */
    struct graph graph = {.module = support_graph("0>1 1>2,7 2>3,5 3>4,7 4>2 5>6 6>1 7")};
    graph_analyse(&graph);
    const struct geo_loops *loops = &graph.loops;
    assert_int_equal(loops->count, 2);
    assert_int_equal(loops->max_depth, 2);
    assert_false(loops->irreducible);
    const struct geo_loop *outer = loops->loops[0], *inner = loops->loops[1];
    assert_int_equal(outer->header->index, 1);
    assert_null(outer->parent);
    assert_ptr_equal(inner->parent, outer);
    assert_int_equal(inner->depth, 2);
    assert_blocks(outer->latches, outer->latch_count, "6");
    assert_blocks(inner->latches, inner->latch_count, "4");
    assert_blocks(outer->blocks, outer->block_count, "1 2 3 4 5 6");
    assert_blocks(inner->blocks, inner->block_count, "2 3 4");
    assert_int_equal(outer->exit_count, 2);
    assert_int_equal(inner->exit_count, 2);
    assert_int_equal(inner->exits[1].to->index, 7);
    assert_int_equal(inner->exits[1].from->index, 3);
    assert_blocks(loops->order, graph.cfg.reachable_count, "0 1 2 3 4 5 6 7");
    assert_ptr_equal(loops->of[5], outer);
    assert_ptr_equal(loops->of[3], inner);
    assert_null(loops->of[7]);
    assert_true(geo_loop_contains(loops, outer, graph.cfg.blocks[3]));
    assert_false(geo_loop_contains(loops, inner, graph.cfg.blocks[5]));
    assert_ptr_equal(geo_loop_preheader(loops, outer), graph.cfg.blocks[0]);
    assert_null(geo_loop_preheader(loops, inner)); /* 1 has another successor */
    graph_finish(&graph);
}

static void two_latches_are_one_loop(void **state)
{
    (void)state;
    struct graph graph = {.module = support_graph("0>1 1>2,3 2>1 3>1,4 4")};
    graph_analyse(&graph);
    assert_int_equal(graph.loops.count, 1);
    assert_blocks(graph.loops.loops[0]->latches, graph.loops.loops[0]->latch_count, "2 3");
    graph_finish(&graph);
}

static void a_block_that_branches_to_itself_is_a_loop(void **state)
{
    (void)state;
    struct graph graph = {.module = support_graph("0>1 1>1,2 2")};
    graph_analyse(&graph);
    assert_int_equal(graph.loops.count, 1);
    assert_blocks(graph.loops.loops[0]->blocks, graph.loops.loops[0]->block_count, "1");
    graph_finish(&graph);
}

static void a_cycle_with_two_entries_is_irreducible(void **state)
{
    (void)state;
    struct graph graph = {.module = support_graph("0>1,2 1>2 2>1,3 3")};
    graph_analyse(&graph);
    assert_true(graph.loops.irreducible);
    assert_int_equal(graph.loops.count, 0);
    graph_finish(&graph);
}

static void loop_blocks_lie_together_even_when_the_walk_leaves_first(void **state)
{
    (void)state;
    /* The exit 2 comes before the body in the order of the walk. */
    struct graph graph = {.module = support_graph("0>1 1>2,3 2 3>1")};
    graph_analyse(&graph);
    assert_blocks(graph.loops.order, 4, "0 1 3 2");
    graph_finish(&graph);
}

static void an_endless_loop_has_no_exits(void **state)
{
    (void)state;
    struct graph graph = {.module = support_graph("0>1 1>2 2>1")};
    graph_analyse(&graph);
    assert_int_equal(graph.loops.count, 1);
    assert_int_equal(graph.loops.loops[0]->exit_count, 0);
    graph_finish(&graph);
}

/* ---- random graphs ---- */

static uint64_t reach(const uint64_t *edges, uint32_t from, uint64_t without)
{
    uint64_t seen = 0, frontier = (uint64_t)1 << from & ~without;
    while (frontier) {
        seen |= frontier;
        uint64_t next = 0;
        for (uint32_t i = 0; i < 64; i++) {
            next |= frontier >> i & 1 ? edges[i] : 0;
        }
        frontier = next & ~seen & ~without;
    }
    return seen;
}

/* What reaches a latch of `header` without passing it, by definition. */
static uint64_t loop_of(const struct graph *graph, const uint64_t *edges, uint32_t count,
                        uint32_t header)
{
    uint64_t reversed[64] = {0}, body = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t t = 0; t < count && graph->dom.leave[i]; t++) {
            reversed[t] |= (edges[i] >> t & 1) << i;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((reversed[header] >> i & 1) && geo_dominates(&graph->dom, header, i)) {
            body |= (uint64_t)1 << header | reach(reversed, i, (uint64_t)1 << header);
        }
    }
    return body;
}

static void check_loops(const struct graph *graph, const uint64_t *edges, uint32_t count)
{
    uint32_t found = 0;
    bool retreating = false;
    for (uint32_t h = 0; h < count; h++) {
        uint64_t body = graph->dom.leave[h] ? loop_of(graph, edges, count, h) : 0;
        if (body == 0) {
            continue;
        }
        const struct geo_loop *loop = NULL;
        for (uint32_t i = 0; i < graph->loops.count; i++) {
            if (graph->loops.loops[i]->header->index == h) {
                loop = graph->loops.loops[i];
            }
        }
        assert_non_null(loop);
        found++;
        uint64_t blocks = 0;
        for (uint32_t i = 0; i < loop->block_count; i++) {
            blocks |= (uint64_t)1 << loop->blocks[i]->index;
        }
        assert_int_equal(blocks, body);
        assert_int_equal(loop->blocks[0]->index, h);
        uint32_t exits = 0;
        for (uint32_t b = 0; b < count; b++) {
            assert_int_equal(geo_loop_contains(&graph->loops, loop, graph->cfg.blocks[b]),
                             body >> b & 1);
            exits += body >> b & 1 ? (uint32_t)__builtin_popcountll(edges[b] & ~body) : 0;
        }
        assert_int_equal(loop->exit_count, exits);
    }
    assert_int_equal(found, graph->loops.count);
    /* Edges lead forward in the loops' order unless they go back to a header. */
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t t = 0; t < count; t++) {
            if ((edges[i] >> t & 1) && graph->dom.leave[i] && !geo_dominates(&graph->dom, t, i)) {
                bool forward = graph->loops.position[i] < graph->loops.position[t];
                assert_true(forward || graph->loops.irreducible);
                retreating |= graph->cfg.position[t] <= graph->cfg.position[i];
            }
        }
    }
    assert_int_equal(graph->loops.irreducible, retreating);
}

static void random_graphs_agree_with_the_definition(void **state)
{
    (void)state;
    struct support_random random = {7};
    uint32_t reducible = 0;
    for (int round = 0; round < 4000; round++) {
        uint64_t edges[64] = {0};
        uint32_t count = 2 + support_random_below(&random, 18);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t degree = support_random_below(&random, 4);
            for (uint32_t d = 0; d < degree; d++) {
                edges[i] |= (uint64_t)1 << (1 + support_random_below(&random, count - 1));
            }
        }
        struct graph graph = {.module = support_graph_bits(edges, count)};
        graph_analyse(&graph);
        check_loops(&graph, edges, count);
        reducible += !graph.loops.irreducible && graph.loops.count > 0;
        graph_finish(&graph);
    }
    assert_true(reducible > 200);
}

/* ---- uses and liveness ---- */

struct sample {
    struct geo_ir_module *module;
    struct geo_ir_function *function;
    struct geo_ir_block *entry, *header, *body, *exit;
    struct geo_ir_value *parameter;
    struct geo_ir_inst *phi, *next, *local, *compare;
};

static struct geo_ir_inst *add(struct geo_ir_module *module, struct geo_ir_block *block, SpvOp op,
                               const struct geo_ir_type *type, struct geo_ir_value *a,
                               struct geo_ir_value *b)
{
    struct geo_ir_inst *inst =
        geo_ir_inst_create(module, op, type, (a != NULL) + (b != NULL), 0, op == SpvOpPhi ? 2 : 0);
    assert_non_null(inst);
    if (a) {
        inst->operands[0] = a;
    }
    if (b) {
        inst->operands[1] = b;
    }
    geo_ir_inst_append(block, inst);
    return inst;
}

/* i = phi(0, i + 1); while (i < parameter) { local = parameter * i; i = local + 1 }; use i */
static void sample_make(struct sample *s)
{
    s->module = geo_ir_module_create(1 << 20);
    const struct geo_ir_type *integer = geo_ir_type_int(s->module, 32);
    const struct geo_ir_type *none = geo_ir_type_void(s->module);
    s->function =
        geo_ir_function_create(s->module, geo_ir_type_function(s->module, integer, 1, &integer));
    s->parameter = s->function->parameters[0];
    s->entry = geo_ir_block_create(s->function, NULL);
    s->header = geo_ir_block_create(s->function, NULL);
    s->body = geo_ir_block_create(s->function, NULL);
    s->exit = geo_ir_block_create(s->function, NULL);
    struct geo_ir_inst *branch = geo_ir_inst_create(s->module, SpvOpBranch, none, 0, 0, 1);
    branch->targets[0] = s->header;
    geo_ir_inst_append(s->entry, branch);
    struct geo_ir_value *zero = geo_ir_const_int(s->module, integer, 0);
    s->phi = add(s->module, s->header, SpvOpPhi, integer, zero, zero);
    s->phi->targets[0] = s->entry;
    s->phi->targets[1] = s->body;
    s->compare = add(s->module, s->header, SpvOpSLessThan, geo_ir_type_bool(s->module),
                     &s->phi->value, s->parameter);
    branch = geo_ir_inst_create(s->module, SpvOpBranchConditional, none, 1, 0, 2);
    branch->operands[0] = &s->compare->value;
    branch->targets[0] = s->body;
    branch->targets[1] = s->exit;
    geo_ir_inst_append(s->header, branch);
    s->local = add(s->module, s->body, SpvOpIMul, integer, s->parameter, &s->phi->value);
    s->next = add(s->module, s->body, SpvOpIAdd, integer, &s->local->value,
                  geo_ir_const_int(s->module, integer, 1));
    s->phi->operands[1] = &s->next->value;
    branch = geo_ir_inst_create(s->module, SpvOpBranch, none, 0, 0, 1);
    branch->targets[0] = s->header;
    geo_ir_inst_append(s->body, branch);
    add(s->module, s->exit, SpvOpReturnValue, none, &s->phi->value, NULL);
    geo_ir_function_number(s->function);
}

static void uses_are_listed_in_order(void **state)
{
    (void)state;
    struct sample s;
    struct geo_arena arena;
    struct geo_uses uses;
    uint32_t count;
    sample_make(&s);
    geo_arena_init(&arena, 0);
    assert_true(geo_uses_build(s.function, &arena, &uses));
    const struct geo_use *list = geo_uses_of(&uses, &s.phi->value, &count);
    assert_int_equal(count, 3);
    assert_ptr_equal(list[0].user, s.compare);
    assert_int_equal(list[0].operand, 0);
    assert_ptr_equal(list[1].user, s.local);
    assert_int_equal(list[1].operand, 1);
    assert_int_equal(list[2].user->op, SpvOpReturnValue);
    geo_uses_of(&uses, s.parameter, &count);
    assert_int_equal(count, 2);
    geo_uses_of(&uses, &s.exit->last->value, &count);
    assert_int_equal(count, 0);
    geo_uses_of(&uses, s.next->operands[1], &count);
    assert_int_equal(count, 0);
    geo_arena_finish(&arena);
    geo_ir_module_destroy(s.module);
}

static bool is_in(const struct geo_liveness *live, const uint64_t *sets, struct geo_ir_block *block,
                  const struct geo_ir_value *value)
{
    const uint64_t *set = sets + (size_t)block->index * live->words;
    uint32_t number = live->number[value->index];
    return number != GEO_CFG_NONE && (set[number / 64] >> (number % 64) & 1);
}

static void liveness_around_a_loop(void **state)
{
    (void)state;
    struct sample s;
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_liveness live;
    sample_make(&s);
    geo_arena_init(&arena, 0);
    assert_true(geo_cfg_build(s.function, &arena, &cfg));
    assert_true(geo_liveness_compute(&cfg, &arena, &live));
    assert_int_equal(live.count, 3); /* the parameter, the phi, its next value */
    assert_true(is_in(&live, live.out, s.entry, s.parameter));
    assert_true(is_in(&live, live.in, s.header, s.parameter));
    assert_true(is_in(&live, live.out, s.body, s.parameter));
    assert_false(is_in(&live, live.in, s.exit, s.parameter));
    /* A phi is not live into its block; it is into those that use it. */
    assert_false(is_in(&live, live.in, s.header, &s.phi->value));
    assert_true(is_in(&live, live.in, s.body, &s.phi->value));
    assert_true(is_in(&live, live.in, s.exit, &s.phi->value));
    assert_false(is_in(&live, live.out, s.body, &s.phi->value));
    /* A phi's operand is live out of where it comes from and no further. */
    assert_true(is_in(&live, live.out, s.body, &s.next->value));
    assert_false(is_in(&live, live.in, s.header, &s.next->value));
    /* What never leaves its block is in no set. */
    assert_int_equal(live.number[s.local->value.index], GEO_CFG_NONE);
    assert_false(is_in(&live, live.out, s.body, &s.local->value));
    geo_arena_finish(&arena);
    geo_ir_module_destroy(s.module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nest_with_an_early_exit),
        cmocka_unit_test(two_latches_are_one_loop),
        cmocka_unit_test(a_block_that_branches_to_itself_is_a_loop),
        cmocka_unit_test(a_cycle_with_two_entries_is_irreducible),
        cmocka_unit_test(loop_blocks_lie_together_even_when_the_walk_leaves_first),
        cmocka_unit_test(an_endless_loop_has_no_exits),
        cmocka_unit_test(random_graphs_agree_with_the_definition),
        cmocka_unit_test(uses_are_listed_in_order),
        cmocka_unit_test(liveness_around_a_loop),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
