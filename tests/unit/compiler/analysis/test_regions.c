/* Cutting kernels into regions, on graphs drawn by hand: "2!" is a block that ends with a barrier,
 * "3?" one whose branch depends on the item. */
#include "support.h"

#include "compiler/analysis/regions.h"

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
    struct geo_barriers barriers;
    struct geo_shapes group;
    struct geo_regions regions;
};

static void mark(struct graph *g, uint32_t block, char what)
{
    if (what == '?') {
        g->group.divergent_branch[block] = true;
        return;
    }
    assert_int_equal(g->cfg.succs[block].count, 1);
    g->barriers.of[block] = g->barriers.count;
    g->barriers.resume[g->barriers.count++] = g->cfg.succs[block].blocks[0];
}

/* The marks are taken out of the text. */
static void graph_cut(struct graph *g, const char *text)
{
    char plain[256];
    size_t length = 0;
    *g = (struct graph){0};
    for (const char *at = text; *at; at++) {
        if (*at != '!' && *at != '?') {
            plain[length++] = *at;
        }
    }
    plain[length] = 0;
    g->module = support_graph(plain);
    geo_arena_init(&g->arena, 0);
    assert_true(geo_cfg_build(g->module->first_function, &g->arena, &g->cfg));
    assert_true(geo_dominators_compute(&g->cfg, &g->arena, &g->dom));
    assert_true(geo_loops_compute(&g->dom, &g->arena, &g->loops));
    uint32_t count = g->cfg.block_count;
    g->barriers.of = geo_arena_new_array(&g->arena, uint32_t, count);
    g->barriers.resume = geo_arena_array(&g->arena, count, sizeof(struct geo_ir_block *));
    g->group.divergent_branch = geo_arena_new_array(&g->arena, bool, count);
    g->group.divergent_block = geo_arena_new_array(&g->arena, bool, count);
    for (uint32_t i = 0; i < count; i++) {
        g->barriers.of[i] = GEO_CFG_NONE;
    }
    for (const char *at = text; *at; at++) {
        if (*at == '!' || *at == '?') {
            const char *digit = at;
            while (digit > text && digit[-1] >= '0' && digit[-1] <= '9') {
                digit--;
            }
            mark(g, (uint32_t)strtoul(digit, NULL, 10), *at);
        }
    }
    assert_true(geo_regions_cut(&g->loops, &g->barriers, &g->group, &g->arena, &g->regions));
}

static void graph_finish(struct graph *g)
{
    geo_arena_finish(&g->arena);
    geo_ir_module_destroy(g->module);
}

/* "0 1: 2 | 2: 0": the blocks of each region, and where the group goes from there (. the end). */
static void describe(const struct graph *g, char *text, size_t size)
{
    size_t at = 0;
    text[0] = 0;
    for (uint32_t r = 0; r < g->regions.count; r++) {
        const struct geo_barrier_region *region = &g->regions.list[r];
        at += (size_t)snprintf(text + at, size - at, r ? " | " : "");
        for (uint32_t i = 0; i < region->count; i++) {
            const struct geo_ir_block *block = g->loops.order[region->positions[i]];
            assert_int_equal(g->regions.of[region->positions[i]], r);
            at += (size_t)snprintf(text + at, size - at, i ? " %u" : "%u", block->index);
        }
        const struct geo_ir_block *last = g->loops.order[region->last];
        const struct geo_cfg_edges *succs = &g->cfg.succs[last->index];
        at += (size_t)snprintf(text + at, size - at, ":");
        for (uint32_t i = 0; region->branches && i < succs->count; i++) {
            at += (size_t)snprintf(text + at, size - at, " %u", succs->blocks[i]->index);
        }
        if (!region->branches && region->next == GEO_LINEAR_END) {
            at += (size_t)snprintf(text + at, size - at, " .");
        } else if (!region->branches) {
            at +=
                (size_t)snprintf(text + at, size - at, " %u", g->loops.order[region->next]->index);
        }
    }
}

static void assert_cut(const char *graph, const char *expected)
{
    struct graph g;
    char text[512];
    graph_cut(&g, graph);
    describe(&g, text, sizeof(text));
    assert_string_equal(text, expected);
    graph_finish(&g);
}

static void barriers_end_regions(void **state)
{
    (void)state;
    assert_cut("0!>1 1!>2 2", "0: 1 | 1: 2 | 2: .");
}

static void what_items_branch_on_stays_inside(void **state)
{
    (void)state;
    assert_cut("0?>1,2 1>2 2!>3 3?>4,5 4>5 5", "0 1 2: 3 | 3 4 5: .");
}

static void a_branch_around_a_barrier_is_the_groups(void **state)
{
    (void)state;
    assert_cut("0>1,3 1!>2 2>3 3", "0: 1 3 | 1: 2 | 2: 3 | 3: .");
}

static void a_branch_of_the_group_that_leads_to_one_place_stays_inside(void **state)
{
    (void)state;
    assert_cut("0>1,2 1>3 2>3 3!>4 4", "0 1 2 3: 4 | 4: .");
}

/* A tree reduction: 1 is the header, 2 an `if`, 4 the barrier. */
static void a_loop_with_a_barrier_is_the_groups(void **state)
{
    (void)state;
    assert_cut("0>1 1>2,6 2?>3,4 3>4 4!>5 5>1 6", "0: 1 | 1: 2 6 | 2 3 4: 5 | 5: 1 | 6: .");
}

/* 2 and 3 are a loop of the items between two barriers. */
static void a_loop_without_barriers_stays_inside(void **state)
{
    (void)state;
    assert_cut("0!>1 1>2 2?>3,4 3>2 4!>5 5", "0: 1 | 1 2 3 4: 5 | 5: .");
}

/* 2 is a loop of one block: of the group, or of its items. */
static void a_loop_of_one_block_is_the_groups(void **state)
{
    (void)state;
    struct graph g;
    graph_cut(&g, "0!>1 1>2 2>2,3 3!>4 4");
    char text[512];
    describe(&g, text, sizeof(text));
    assert_string_equal(text, "0: 1 | 1: 2 | 2: 2 3 | 3: 4 | 4: .");
    for (uint32_t i = 0; i < g.regions.count; i++) {
        assert_int_equal(g.regions.list[i].own, i == 2);
    }
    graph_finish(&g);
    assert_cut("0!>1 1>2 2?>2,3 3!>4 4", "0: 1 | 1 2 3: 4 | 4: .");
}

/* 1 to 6 is a loop with a barrier in one way through it only. 3 need not be cut off: with the
 * barrier or around it, all go on at 5. */
static void nested_conditions_are_cut_in_rounds(void **state)
{
    (void)state;
    assert_cut("0>1 1>2,7 2>3,6 3>4,5 4!>5 5>6 6>1 7",
               "0: 1 | 1: 2 7 | 2: 3 6 | 3 4: 5 | 5: 6 | 6: 1 | 7: .");
}

/* A region that several blocks leave for one place. */
static void a_region_may_have_several_exits(void **state)
{
    (void)state;
    struct graph g;
    graph_cut(&g, "0>1,2 1?>3,4 2!>5 3>5 4>5 5");
    char text[512];
    describe(&g, text, sizeof(text));
    assert_string_equal(text, "0 1 3 4 2: 5 | 5: .");
    assert_int_equal(g.regions.list[0].exits, 3);
    assert_int_equal(g.regions.list[1].exits, 1);
    graph_finish(&g);
}

static void items_that_part_before_a_barrier_are_not_cut(void **state)
{
    (void)state;
    struct graph g;
    graph_cut(&g, "0?>1,3 1!>2 2>3 3");
    assert_int_equal(g.regions.count, 0);
    graph_finish(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_end_regions),
        cmocka_unit_test(what_items_branch_on_stays_inside),
        cmocka_unit_test(a_branch_around_a_barrier_is_the_groups),
        cmocka_unit_test(a_branch_of_the_group_that_leads_to_one_place_stays_inside),
        cmocka_unit_test(a_loop_with_a_barrier_is_the_groups),
        cmocka_unit_test(a_loop_without_barriers_stays_inside),
        cmocka_unit_test(a_loop_of_one_block_is_the_groups),
        cmocka_unit_test(nested_conditions_are_cut_in_rounds),
        cmocka_unit_test(a_region_may_have_several_exits),
        cmocka_unit_test(items_that_part_before_a_barrier_are_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
