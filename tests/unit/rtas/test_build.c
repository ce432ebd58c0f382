/* Unit test of rtas: what is built of scenes of all sorts, walked and compared with asking every
 * primitive. */
#include "made.h"
#include "walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum made_quality qualities[] = {LOW, MEDIUM, HIGH};
static const uint32_t flag_sets[] = {0, COMPACT, WHOLE, COMPACT | WHOLE};

/* Builds in every way that there is, proves what is built, and frees the scene. */
static void prove(struct scene *scene, uint32_t rays)
{
    uint32_t hits = 0;
    for (size_t q = 0; q < 3; q++) {
        for (size_t f = 0; f < 4; f++) {
            struct made made = made_build(scene, qualities[q], flag_sets[f], 1 + q % 2, 0);
            walk_check(made.structure, scene);
            hits += rays ? walk_compare(made.structure, scene, rays) : 0;
            made_free(&made);
        }
    }
    assert_true(rays == 0 || hits > 0);
    scene_free(scene);
}

static void triangles(void **state)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 5, 8, 9, 17, 100, 1000};
    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct scene scene;
        scene_init(&scene, i);
        scene_soup(&scene, 3, counts[i], 0.5f);
        prove(&scene, 100000 / (counts[i] + 1000));
    }
}

static void large_scenes(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 7);
    scene_soup(&scene, 3, 20000, 0.05f);
    prove(&scene, 8);
    scene_init(&scene, 8);
    scene_terrain(&scene, 3, 80);
    prove(&scene, 8);
}

static void quads(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 9);
    scene_soup(&scene, 4, 700, 0.3f);
    scene.info[0].quads.geometryMask = 0x21;
    scene.info[0].quads.geometryFlags = ZE_RTAS_BUILDER_GEOMETRY_EXT_FLAG_NON_OPAQUE;
    prove(&scene, 300);
    scene_init(&scene, 10);
    scene_terrain(&scene, 4, 40);
    prove(&scene, 100);
}

static void procedurals(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 11);
    scene_boxes(&scene, 1000);
    prove(&scene, 200);
}

static void needles_in_parts(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 12);
    scene_needles(&scene, 500);
    struct made made = made_build(&scene, HIGH, 0, 1, 0);
    const struct geo_rtas_header *header = made.structure;
    assert_true(header->flags & GEO_RTAS_HEADER_SPLIT);
    assert_true(header->counts[GEO_RTAS_TRIANGLES] > 600);
    made_free(&made);
    made = made_build(&scene, HIGH, WHOLE, 1, 0); /* each any-hit once */
    header = made.structure;
    assert_false(header->flags & GEO_RTAS_HEADER_SPLIT);
    assert_int_equal(header->counts[GEO_RTAS_TRIANGLES], 500);
    made_free(&made);
    prove(&scene, 500);
}

static void kinds_together(void **state)
{
    struct scene scene;
    (void)state;
    for (uint32_t size = 1; size < 2000; size = size * 5 + 2) {
        scene_init(&scene, size);
        scene_soup(&scene, 3, size, 0.2f);
        scene_nothing(&scene);
        scene_boxes(&scene, size / 2);
        scene_soup(&scene, 4, size, 0.2f);
        scene_mesh(&scene, 3, 0, 0);
        scene_soup(&scene, 3, 3, 0.2f);
        scene.info[0].triangles.geometryMask = 0x11;
        prove(&scene, 100);
    }
}

/* ---- nothing ---- */

static void assert_empty(const struct scene *scene)
{
    for (size_t q = 0; q < 3; q++) {
        struct made made = made_build(scene, qualities[q], 0, 1, 0);
        const struct geo_rtas_header *header = made.structure;
        walk_check(made.structure, scene);
        assert_int_equal(header->node_count, 1);
        assert_true(made.bounds.lower.x == INFINITY && made.bounds.upper.x == -INFINITY);
        struct walk_ray ray = {{0, 0, 0}, {1, 0, 0}, 0xff};
        assert_true(walk_cast(made.structure, &ray).t == INFINITY);
        made_free(&made);
    }
}

static void scenes_without_anything(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 1);
    assert_empty(&scene);
    scene_nothing(&scene);
    assert_empty(&scene);
    scene_mesh(&scene, 3, 0, 0);
    scene_mesh(&scene, 4, 0, 0);
    scene_boxes(&scene, 0);
    assert_empty(&scene);
    scene_soup(&scene, 3, 100, 1);
    scene.info[scene.count - 1].triangles.vertexCount = 0;
    assert_empty(&scene);
    scene_free(&scene);
}

static void bad_primitives_are_left_out(void **state)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    static const uint32_t indices[] = {UINT32_MAX, 1u << 31, 15000};
    struct scene scene;
    (void)state;
    scene_init(&scene, 13);
    scene_soup(&scene, 3, 5000, 0.1f);
    for (uint32_t i = 0; i < 5000; i += 3) {
        if (i % 2) {
            scene_face(&scene, i)[i % 3] = indices[i % 9 / 3];
        } else {
            scene_corner(&scene, i, (i / 2) % 3)[(i / 6) % 3] = bad[i % 9 / 3];
        }
    }
    prove(&scene, 50);
}

/* ---- degenerate ---- */

static void everything_in_one_place(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 14);
    scene_soup(&scene, 3, 6000, 0);
    for (uint32_t i = 0; i < 6000; i++) {
        for (uint32_t c = 0; c < 3; c++) { /* the same triangle again and again */
            memcpy(scene_corner(&scene, i, c), (float[3]){(float)(c == 1), (float)(c == 2), 0.5f},
                   12);
        }
    }
    prove(&scene, 0);
    scene_init(&scene, 15);
    scene_mesh(&scene, 3, 3000, 0); /* all corners are zero */
    prove(&scene, 0);
}

static void points_on_a_line(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 16);
    scene_mesh(&scene, 3, 3000, 0);
    for (uint32_t i = 0; i < 3000; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            scene_corner(&scene, i, c)[1] = (float)(i + c);
        }
    }
    prove(&scene, 0);
}

/* Cuts take next to nothing away, many levels deep. */
static void sizes_of_every_magnitude(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 17);
    scene_mesh(&scene, 3, 8000, 0);
    for (uint32_t i = 0; i < 8000; i++) {
        float size = ldexpf(1, (int)(i % 270) - 145);
        for (uint32_t c = 0; c < 3; c++) {
            for (int axis = 0; axis < 3; axis++) {
                scene_corner(&scene, i, c)[axis] =
                    size * (axis == (int)i % 3 ? 1 + 0.1f * (float)c : 0.0f);
            }
        }
    }
    prove(&scene, 0);
}

/* Neither centres nor areas may overflow into anything that is not a number. */
static void numbers_as_large_as_there_are(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 18);
    scene_mesh(&scene, 3, 5000, 0);
    for (uint32_t i = 0; i < 5000; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            for (int axis = 0; axis < 3; axis++) {
                scene_corner(&scene, i, c)[axis] = scene_between(&scene, -1, 1) * 3.4e38f;
            }
        }
    }
    prove(&scene, 0);
}

/* ---- instances ---- */

static void rows_make(struct scene *scene, float rows[12])
{
    for (uint32_t i = 0; i < 12; i++) {
        rows[i] = scene_between(scene, -0.3f, 0.3f) + (i % 5 == 0 ? 1.0f : 0.0f);
        rows[i] = i % 4 == 3 ? scene_between(scene, -5, 5) : rows[i];
    }
}

static void instances(void **state)
{
    struct scene inner[2], outer;
    struct made made[2];
    (void)state;
    scene_init(&inner[0], 19);
    scene_soup(&inner[0], 3, 300, 0.3f);
    scene_init(&inner[1], 20);
    scene_soup(&inner[1], 4, 50, 0.5f);
    scene_boxes(&inner[1], 20);
    scene_init(&outer, 21);
    for (uint32_t i = 0; i < 2; i++) {
        made[i] = made_build(&inner[i], MEDIUM, 0, 1, 0);
    }
    for (uint32_t i = 0; i < 40; i++) {
        float rows[12];
        rows_make(&outer, rows);
        scene_instance(&outer, made[i % 2].structure, &made[i % 2].bounds, rows);
        if (i % 10 == 5) {
            scene_soup(&outer, 3, 30, 1);
        }
    }
    prove(&outer, 300);
    for (uint32_t i = 0; i < 2; i++) {
        made_free(&made[i]);
        scene_free(&inner[i]);
    }
}

static void instances_that_cannot_be_placed(void **state)
{
    static const float good[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const ze_rtas_aabb_ext_t box = {{-1, -1, -1}, {1, 1, 1}};
    const ze_rtas_aabb_ext_t empty = {{INFINITY, INFINITY, INFINITY},
                                      {-INFINITY, -INFINITY, -INFINITY}};
    struct scene scene;
    float rows[12];
    (void)state;
    scene_init(&scene, 22);
    scene_instance(&scene, &box, &empty, good); /* of a structure without anything */
    memcpy(rows, good, sizeof(rows));
    rows[5] = 0; /* flat */
    scene_instance(&scene, &box, &box, rows);
    rows[5] = NAN;
    scene_instance(&scene, &box, &box, rows);
    rows[5] = INFINITY;
    scene_instance(&scene, &box, &box, rows);
    rows[5] = 3e38f;
    rows[7] = 3e38f;
    scene_instance(&scene, &box, &box, rows);
    assert_empty(&scene);
    scene_instance(&scene, &box, &box, good);
    struct made made = made_build(&scene, MEDIUM, 0, 1, 0);
    const struct geo_rtas_header *header = made.structure;
    assert_int_equal(header->counts[GEO_RTAS_INSTANCES], 1);
    walk_check(made.structure, &scene);
    made_free(&made);
    scene_free(&scene);
}

/* ---- what qualities and flags are for ---- */

static void better_quality_costs_rays_less(void **state)
{
    struct scene scene;
    double cost[3];
    (void)state;
    for (uint32_t kind = 0; kind < 2; kind++) {
        scene_init(&scene, 23);
        if (kind) {
            scene_needles(&scene, 8000);
        } else {
            scene_soup(&scene, 3, 6000, 0.02f);
            scene_soup(&scene, 3, 300, 0.7f);
        }
        for (size_t q = 0; q < 3; q++) {
            struct made made = made_build(&scene, qualities[q], 0, 1, 0);
            cost[q] = walk_cost(made.structure);
            made_free(&made);
        }
        assert_true(cost[1] < 0.97 * cost[0]);
        assert_true(cost[2] < 0.97 * cost[1]);
        scene_free(&scene);
    }
}

/* Of all children together. */
static double surface(const struct made *made)
{
    const ze_rtas_aabb_ext_t *box = &made->bounds;
    double x = (double)box->upper.x - box->lower.x, y = (double)box->upper.y - box->lower.y,
           z = (double)box->upper.z - box->lower.z;
    return walk_cost(made->structure) * (x * y + y * z + z * x);
}

/* What is close together in a large scene is told apart even so: nearly as well as by bins. */
static void low_quality_sees_small_things_in_large_scenes(void **state)
{
    struct scene scene;
    double all[2];
    (void)state;
    for (uint32_t far = 0; far < 2; far++) {
        scene_init(&scene, 26);
        scene_soup(&scene, 3, 6000, 0.02f);
        for (uint32_t c = 0; far && c < 3; c++) { /* all others are in one cell of a grid */
            scene_corner(&scene, 17, c)[1] = 1e6f;
        }
        for (size_t q = 0; q < 2; q++) {
            struct made made = made_build(&scene, qualities[q], 0, 1, 0);
            walk_check(made.structure, &scene);
            all[q] = surface(&made);
            made_free(&made);
        }
        assert_true(all[0] < 1.5 * all[1]);
        scene_free(&scene);
    }
}

static void compact_takes_less_memory(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 24);
    scene_soup(&scene, 3, 5000, 0.1f);
    for (size_t q = 0; q < 3; q++) {
        struct made usual = made_build(&scene, qualities[q], WHOLE, 1, 0);
        struct made compact = made_build(&scene, qualities[q], WHOLE | COMPACT, 1, 0);
        assert_true((double)compact.bytes < 0.9 * (double)usual.bytes);
        made_free(&usual);
        made_free(&compact);
    }
    scene_free(&scene);
}

static void structures_may_be_copied(void **state)
{
    struct scene scene;
    (void)state;
    scene_init(&scene, 25);
    scene_soup(&scene, 3, 1000, 0.1f);
    struct made made = made_build(&scene, MEDIUM, 0, 1, 0);
    void *copy = aligned_alloc(GEO_RTAS_ALIGNMENT, (made.bytes + 127) & ~(size_t)127);
    assert_non_null(copy);
    memcpy(copy, made.structure, made.bytes);
    memset(made.structure, 0xff, made.bytes);
    walk_check(copy, &scene);
    assert_true(walk_compare(copy, &scene, 100) > 0);
    free(copy);
    made_free(&made);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles),
        cmocka_unit_test(large_scenes),
        cmocka_unit_test(quads),
        cmocka_unit_test(procedurals),
        cmocka_unit_test(needles_in_parts),
        cmocka_unit_test(kinds_together),
        cmocka_unit_test(scenes_without_anything),
        cmocka_unit_test(bad_primitives_are_left_out),
        cmocka_unit_test(everything_in_one_place),
        cmocka_unit_test(points_on_a_line),
        cmocka_unit_test(sizes_of_every_magnitude),
        cmocka_unit_test(numbers_as_large_as_there_are),
        cmocka_unit_test(instances),
        cmocka_unit_test(instances_that_cannot_be_placed),
        cmocka_unit_test(better_quality_costs_rays_less),
        cmocka_unit_test(low_quality_sees_small_things_in_large_scenes),
        cmocka_unit_test(compact_takes_less_memory),
        cmocka_unit_test(structures_may_be_copied),
    };
    return cmocka_run_group_tests_name("rtas_build", tests, NULL, NULL);
}
