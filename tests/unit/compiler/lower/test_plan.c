/* The plan of partial linearisation, played through with lanes that choose their ways at random: no
 * lane is ever passed over, and all of them arrive.
 *
 * Kernels come from generator.c in canonical form, with their real shapes. Where the shapes say
 * that a branch is uniform, all lanes choose alike; where they say that it is divergent, each lane
 * chooses for itself. */
#include "compiler/analysis/linear.h"
#include "compiler/transform/transform.h"
#include "generator.h"
#include "interpret.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LANES      8u
#define STEP_LIMIT 20000u

struct play {
    struct support_random random;
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    struct geo_shapes shapes;
    struct geo_linear plan;
    uint32_t at[LANES]; /* the position each lane waits for; GEO_LINEAR_END: it has returned */
    uint64_t seed;
};

static void play_init(struct play *play, struct geo_ir_module *module, uint64_t seed)
{
    const struct geo_shape_options options = {.lanes = LANES, .ids_fit_31_bits = true};
    struct geo_ir_function *function = interp_find(module, "random");
    play->seed = seed;
    play->random.state = seed * 2 + 1;
    geo_arena_init(&play->arena, 0);
    geo_ir_function_number(function);
    assert_true(geo_cfg_build(function, &play->arena, &play->cfg));
    assert_true(geo_dominators_compute(&play->cfg, &play->arena, &play->tree));
    assert_true(geo_loops_compute(&play->tree, &play->arena, &play->loops));
    assert_true(geo_linear_is_canonical(&play->loops));
    assert_true(geo_shapes_compute(&play->loops, &options, &play->arena, &play->shapes));
    assert_true(geo_linear_plan(&play->loops, &play->shapes, &play->arena, &play->plan));
}

static void broken(const struct play *play, uint32_t position, const char *what)
{
    print_error("seed %llu, block %u: %s\n", (unsigned long long)play->seed, position, what);
    fail();
}

/* Blocks that are said to be run by all lanes or none are. */
static void check_block(const struct play *play, uint32_t position, uint32_t here)
{
    const struct geo_ir_block *block = play->loops.order[position];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (play->at[lane] < position) {
            broken(play, position, "a lane was passed over");
        }
    }
    if (!play->shapes.divergent_block[block->index] && here != LANES) {
        broken(play, position, "not divergent, and yet not all lanes are here");
    }
    if (geo_linear_has_all(&play->plan, position) && here == 0) {
        broken(play, position, "nobody is deferred, and nobody is here");
    }
}

/* Sends the lanes that are here on; returns where control goes. */
static uint32_t step(struct play *play, uint32_t position)
{
    const struct geo_ir_block *block = play->loops.order[position];
    const struct geo_cfg_edges *succs = &play->cfg.succs[block->index];
    uint32_t here = 0, nearest = GEO_CFG_NONE, back = GEO_CFG_NONE;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        here += play->at[lane] == position;
    }
    check_block(play, position, here);
    if (here == 0) {
        return geo_linear_next(&play->plan, position, GEO_CFG_NONE);
    }
    bool divergent = play->shapes.divergent_branch[block->index];
    uint32_t together = succs->count ? support_random_below(&play->random, succs->count) : 0;
    for (uint32_t i = 0; divergent && i < succs->count; i++) {
        uint32_t to = play->loops.position[succs->blocks[i]->index];
        nearest = to > position && to < nearest ? to : nearest;
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (play->at[lane] != position) {
            continue;
        }
        if (succs->count == 0) {
            play->at[lane] = GEO_LINEAR_END;
            continue;
        }
        uint32_t choice = divergent ? support_random_below(&play->random, succs->count) : together;
        uint32_t to = play->loops.position[succs->blocks[choice]->index];
        play->at[lane] = to;
        back = to <= position ? to : back;
        nearest = !divergent && to > position ? to : nearest;
    }
    return back != GEO_CFG_NONE ? back : geo_linear_next(&play->plan, position, nearest);
}

static void play_once(struct play *play)
{
    uint32_t position = 0, steps = 0;
    memset(play->at, 0, sizeof(play->at));
    while (position != GEO_LINEAR_END && steps++ < STEP_LIMIT) {
        position = step(play, position);
    }
    for (uint32_t lane = 0; lane < LANES && steps < STEP_LIMIT; lane++) {
        if (play->at[lane] != GEO_LINEAR_END) {
            broken(play, play->at[lane], "a lane is still waiting at the end");
        }
    }
}

static void no_lane_is_passed_over(void **state)
{
    uint64_t divergent = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        const struct generator_options options = {.seed = seed};
        struct geo_ir_module *module = generator_run(&options);
        struct geo_strbuf log;
        struct play play;
        geo_strbuf_init(&log, 0);
        assert_int_equal(geo_transform_canonicalize(module, seed % 2, &log), ZE_RESULT_SUCCESS);
        play_init(&play, module, seed);
        for (uint32_t i = 0; i < play.loops.count; i++) {
            divergent += play.shapes.divergent_loop[i];
        }
        for (uint32_t i = 0; i < 20; i++) {
            play_once(&play);
        }
        geo_arena_finish(&play.arena);
        geo_strbuf_finish(&log);
        geo_ir_module_destroy(module);
    }
    assert_true(divergent > 50);
}

/* Positions of the graph's blocks: order may differ from numbers. */
static void plan_of(struct play *play, struct geo_ir_module *module, uint32_t divergent_block)
{
    struct geo_ir_function *function = module->first_function;
    const struct geo_shape_options options = {.lanes = LANES};
    geo_arena_init(&play->arena, 0);
    assert_true(geo_cfg_build(function, &play->arena, &play->cfg));
    assert_true(geo_dominators_compute(&play->cfg, &play->arena, &play->tree));
    assert_true(geo_loops_compute(&play->tree, &play->arena, &play->loops));
    assert_true(geo_shapes_compute(&play->loops, &options, &play->arena, &play->shapes));
    if (divergent_block != GEO_CFG_NONE) {
        play->shapes.divergent_branch[divergent_block] = true;
    }
    assert_true(geo_linear_plan(&play->loops, &play->shapes, &play->arena, &play->plan));
}

static void a_uniform_branch_goes_to_its_targets(void **state)
{
    struct play play;
    (void)state;
    struct geo_ir_module *module = support_graph("0>1,2 1>3 2>3 3");
    plan_of(&play, module, GEO_CFG_NONE);
    for (uint32_t block = 1; block < 3; block++) {
        uint32_t position = play.loops.position[block];
        assert_int_equal(geo_linear_next(&play.plan, 0, position), position);
        assert_int_equal(geo_linear_next(&play.plan, position, 3), 3);
        assert_true(geo_linear_has_all(&play.plan, position));
    }
    geo_arena_finish(&play.arena);
    geo_ir_module_destroy(module);
}

static void the_arms_of_a_divergent_branch_follow_each_other(void **state)
{
    struct play play;
    (void)state;
    struct geo_ir_module *module = support_graph("0>1,2 1>3 2>3 3");
    plan_of(&play, module, 0);
    assert_int_equal(geo_linear_next(&play.plan, 0, 1), 1);
    assert_int_equal(geo_linear_next(&play.plan, 1, 3), 2); /* the other arm first */
    assert_int_equal(geo_linear_next(&play.plan, 2, 3), 3);
    assert_false(geo_linear_has_all(&play.plan, 1));
    assert_true(geo_linear_has_all(&play.plan, 3));
    assert_true(play.plan.indirect[2]);
    geo_arena_finish(&play.arena);
    geo_ir_module_destroy(module);
}

static void loops_must_be_canonical(void **state)
{
    static const struct {
        const char *graph;
        bool canonical;
    } cases[] = {
        {"0>1 1>2,3 2>1 3", true},        {"0>1 1>2,3 2>1,1 3", true},
        {"0>1 1>2,4 2>1,3 3>1 4", false}, /* two latches */
        {"0>1,3 1>2,3 2>1 3", false},     /* the exit is entered from elsewhere */
        {"0>1,2 1>2 2>1,3 3", false},     /* two entries */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct play play;
        struct geo_ir_module *module = support_graph(cases[i].graph);
        geo_arena_init(&play.arena, 0);
        assert_true(geo_cfg_build(module->first_function, &play.arena, &play.cfg));
        assert_true(geo_dominators_compute(&play.cfg, &play.arena, &play.tree));
        assert_true(geo_loops_compute(&play.tree, &play.arena, &play.loops));
        assert_int_equal(geo_linear_is_canonical(&play.loops), cases[i].canonical);
        geo_arena_finish(&play.arena);
        geo_ir_module_destroy(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_lane_is_passed_over),
        cmocka_unit_test(a_uniform_branch_goes_to_its_targets),
        cmocka_unit_test(the_arms_of_a_divergent_branch_follow_each_other),
        cmocka_unit_test(loops_must_be_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
