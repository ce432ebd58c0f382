/* Unit test of rtas: many threads build one structure, and it is the one that a single thread
 * builds. */
#include "made.h"
#include "walk.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const enum made_quality qualities[] = {LOW, MEDIUM, HIGH};

/* Nodes lie in another order; so what does not depend on that is compared. */
static void assert_same_tree(const struct made *a, const struct made *b)
{
    const struct geo_rtas_header *one = a->structure, *other = b->structure;
    assert_int_equal(a->bytes, b->bytes);
    assert_memory_equal(&a->bounds, &b->bounds, sizeof(a->bounds));
    assert_int_equal(one->node_count, other->node_count);
    assert_int_equal(one->depth, other->depth);
    double cost = walk_cost(a->structure), same = walk_cost(b->structure);
    assert_true(fabs(cost - same) <= 1e-6 * cost);
}

static void prove(struct scene *scene)
{
    for (size_t q = 0; q < 3; q++) {
        struct made one = made_build(scene, qualities[q], 0, 1, 0);
        struct made many = made_build(scene, qualities[q], 0, 8, 0);
        walk_check(one.structure, scene);
        walk_check(many.structure, scene);
        assert_same_tree(&one, &many);
        made_free(&one);
        made_free(&many);
    }
    scene_free(scene);
}

static void threads_build_what_one_builds(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 1);
    scene_soup(&scene, 3, 30000, 0.02f);
    prove(&scene);
    scene_init(&scene, 2);
    scene_needles(&scene, 6000);
    prove(&scene);
}

static void threads_and_kinds(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 3);
    scene_soup(&scene, 3, 3000, 0.1f);
    scene_boxes(&scene, 3000);
    scene_soup(&scene, 4, 3000, 0.1f);
    prove(&scene);
}

/* References are closed up between phases. */
static void threads_and_bad_primitives(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 4);
    scene_soup(&scene, 3, 12000, 0.1f);
    for (uint32_t i = 0; i < 12000; i += 1 + i % 5) {
        scene_corner(&scene, i, i % 3)[1] = NAN;
    }
    prove(&scene);
}

static void more_threads_than_work(void **state)
{
    struct scene scene;
    (void)state;
    for (uint32_t count = 0; count < 6; count++) {
        scene_init(&scene, count);
        scene_soup(&scene, 3, count, 0.1f);
        prove(&scene);
    }
}

/* ---- the team alone ---- */

enum { PHASES = 50, CHUNKS = 20 };

struct sums {
    struct geo_rtas_team team;
    uint32_t phase;
    uint64_t parts[CHUNKS], total; /* not atomic: phases order them */
    _Atomic uint32_t runs;
};

static void part_run(void *work, uint32_t chunk)
{
    struct sums *sums = work;
    sums->parts[chunk] = sums->total + chunk;
    atomic_fetch_add(&sums->runs, 1);
}

static bool sums_advance(void *work, struct geo_rtas_phase *phase)
{
    struct sums *sums = work;
    for (uint32_t i = 0; i < CHUNKS; i++) {
        sums->total = (sums->total * 31 + sums->parts[i]) % 1000003;
    }
    *phase = (struct geo_rtas_phase){part_run, sums->phase % 7 == 3 ? 0 : CHUNKS};
    return sums->phase++ < PHASES;
}

static void *team_join(void *team)
{
    geo_rtas_team_join(team);
    return NULL;
}

static uint64_t sums_of(uint32_t threads)
{
    struct sums sums = {0};
    pthread_t others[8];
    geo_rtas_team_init(&sums.team, sums_advance, &sums);
    for (uint32_t i = 1; i < threads; i++) {
        assert_int_equal(pthread_create(&others[i], NULL, team_join, &sums.team), 0);
    }
    geo_rtas_team_join(&sums.team);
    for (uint32_t i = 1; i < threads; i++) {
        assert_int_equal(pthread_join(others[i], NULL), 0);
    }
    assert_int_equal(atomic_load(&sums.runs), CHUNKS * (PHASES - PHASES / 7));
    geo_rtas_team_finish(&sums.team);
    return sums.total;
}

static void each_phase_sees_those_before_it(void **state)
{
    (void)state;
    uint64_t total = sums_of(1);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(sums_of(2 + i % 6), total);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_build_what_one_builds),   cmocka_unit_test(threads_and_kinds),
        cmocka_unit_test(threads_and_bad_primitives),      cmocka_unit_test(more_threads_than_work),
        cmocka_unit_test(each_phase_sees_those_before_it),
    };
    return cmocka_run_group_tests_name("rtas_threads", tests, NULL, NULL);
}
