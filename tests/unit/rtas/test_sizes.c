/* Unit test of rtas/plan.h: what is promised of memory holds. That nothing beyond it is touched is
 * checked at every build (made.c). */
#include "made.h"
#include "walk.h"

#include <stdlib.h>
#include <string.h>

static const enum made_quality qualities[] = {LOW, MEDIUM, HIGH};
static const uint32_t flag_sets[] = {0, COMPACT, WHOLE};

/* Fills a scene of one of a few sorts. */
static void scene_make(struct scene *scene, uint32_t sort, uint32_t count)
{
    scene_init(scene, sort);
    switch (sort) {
    case 0:
        scene_soup(scene, 3, count, 0.1f);
        break;
    case 1:
        scene_needles(scene, count);
        break;
    case 2:
        scene_boxes(scene, count);
        break;
    case 3:
        scene_terrain(scene, 4, count / 40);
        break;
    default:
        scene_soup(scene, 3, count / 2, 0.3f);
        scene_boxes(scene, count / 3);
        scene_soup(scene, 4, count / 3, 0.2f);
    }
}

/* The least that is enough is told, is enough, and one byte less is not. */
static void too_small_says_how_much(void **state)
{
    (void)state;
    for (uint32_t sort = 0; sort < 5; sort++) {
        struct scene scene;
        scene_make(&scene, sort, 5000);
        for (size_t q = 0; q < 3; q++) {
            static const size_t rooms[] = {1, sizeof(struct geo_rtas_header), 600, 100000};
            struct made most = made_build(&scene, qualities[q], 0, 1, 0);
            assert_false(most.too_small);
            for (size_t r = 0; r < 4; r++) {
                struct made less =
                    made_build(&scene, qualities[q], 0, 1 + (uint32_t)r % 2, rooms[r]);
                assert_true(less.too_small);
                assert_int_equal(less.bytes, most.bytes);
                made_free(&less);
            }
            struct made less = made_build(&scene, qualities[q], 0, 1, most.bytes - 1);
            struct made exact = made_build(&scene, qualities[q], 0, 1, most.bytes);
            assert_true(less.too_small);
            assert_int_equal(less.bytes, most.bytes);
            assert_false(exact.too_small);
            assert_memory_equal(exact.structure, most.structure, most.bytes);
            walk_check(exact.structure, &scene);
            made_free(&less);
            made_free(&exact);
            made_free(&most);
        }
        scene_free(&scene);
    }
}

static void usual_scenes_take_what_is_expected(void **state)
{
    (void)state;
    for (uint32_t sort = 0; sort < 5; sort++) {
        for (uint32_t count = 40; count < 10000; count *= 5) {
            struct scene scene;
            scene_make(&scene, sort, count);
            for (size_t i = 0; i < 9; i++) {
                struct made made = made_build(&scene, qualities[i / 3], flag_sets[i % 3], 1, 0);
                assert_true(made.bytes <= made.plan.expected_bytes);
                made_free(&made);
            }
            scene_free(&scene);
        }
    }
}

/* Where several kinds lie mixed every other leaf has one primitive: as many nodes as can be. */
static void the_most_is_enough(void **state)
{
    (void)state;
    for (uint32_t count = 1; count < 200; count += 7) {
        struct scene scene;
        scene_init(&scene, count);
        for (uint32_t kind = 3; kind <= 4; kind++) {
            scene_mesh(&scene, kind, count, 0);
            for (uint32_t i = 0; i < count; i++) {
                for (uint32_t c = 0; c < kind; c++) {
                    scene_corner(&scene, i, c)[0] = (float)(2 * i + kind % 2);
                    scene_corner(&scene, i, c)[1 + c % 2] = 0.1f * (float)c;
                }
            }
        }
        for (size_t q = 0; q < 3; q++) {
            struct made made = made_build(&scene, qualities[q], 0, 1, 0);
            assert_false(made.too_small);
            walk_check(made.structure, &scene);
            made_free(&made);
        }
        scene_free(&scene);
    }
}

static struct geo_rtas_input input_of(const ze_rtas_builder_geometry_info_ext_t *const *list,
                                      uint32_t count)
{
    return (struct geo_rtas_input){
        .geometries = list, .count = count, .quality = ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_HIGH};
}

/* Counts are added before anything is allocated: nobody has to have so many. */
static void more_than_can_be_counted_is_refused(void **state)
{
    enum { COUNT = 1000 };
    ze_rtas_builder_procedural_geometry_info_ext_t info = {
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_PROCEDURAL, .primCount = UINT32_MAX};
    const ze_rtas_builder_geometry_info_ext_t *list[COUNT];
    struct geo_rtas_plan plan;
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        list[i] = (const ze_rtas_builder_geometry_info_ext_t *)&info;
    }
    struct geo_rtas_input input = input_of(list, 1);
    assert_int_equal(geo_rtas_plan_make(&input, &plan), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    input = input_of(list, COUNT); /* more than 32 bits */
    assert_int_equal(geo_rtas_plan_make(&input, &plan), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    info.primCount = 1u << 30;
    input = input_of(list, 1);
    assert_int_equal(geo_rtas_plan_make(&input, &plan), ZE_RESULT_SUCCESS);
    assert_true(plan.scratch.bytes > (size_t)64 << 30 && plan.max_bytes > (uint64_t)16 << 30);
    input = input_of(list, 3);
    assert_int_equal(geo_rtas_plan_make(&input, &plan), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_small_says_how_much),
        cmocka_unit_test(usual_scenes_take_what_is_expected),
        cmocka_unit_test(the_most_is_enough),
        cmocka_unit_test(more_than_can_be_counted_is_refused),
    };
    return cmocka_run_group_tests_name("rtas_sizes", tests, NULL, NULL);
}
