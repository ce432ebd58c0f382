/* Pointer maps against a plain table, with keys that collide; and when memory runs out. */
#include "unit.h"

#include "sweep.h"

#include "base/ptrmap.h"

#define KEYS 5000u

static char places[KEYS * 64];

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    struct geo_ptrmap map = {0};
    assert_null(geo_ptrmap_find(&map, &map));
    geo_ptrmap_finish(&map);
    geo_ptrmap_finish(&map);
}

/* Keys a cache line apart, a byte apart (they hash alike) and far apart. */
static const void *key_of(size_t i, size_t step)
{
    return step ? (const void *)(places + i * step) : (const void *)((i + 1) << 44);
}

static void what_was_set_is_found_while_the_map_grows(void **state)
{
    (void)state;
    static const size_t steps[] = {64, 16, 1, 0};
    for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
        struct geo_ptrmap map = {0};
        for (size_t i = 0; i < KEYS; i++) {
            assert_null(geo_ptrmap_find(&map, key_of(i, steps[s])));
            assert_true(geo_ptrmap_set(&map, key_of(i, steps[s]), &places[i]));
            assert_int_equal(map.map.count, i + 1);
            assert_true(map.map.count < map.map.capacity); /* else a search would not end */
            assert_ptr_equal(geo_ptrmap_find(&map, key_of(i / 2, steps[s])), &places[i / 2]);
        }
        for (size_t i = 0; i < KEYS; i++) {
            assert_ptr_equal(geo_ptrmap_find(&map, key_of(i, steps[s])), &places[i]);
        }
        geo_ptrmap_finish(&map);
        assert_null(geo_ptrmap_find(&map, key_of(0, steps[s])));
    }
}

static void a_key_set_again_has_the_new_value(void **state)
{
    (void)state;
    struct geo_ptrmap map = {0};
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 100; i++) {
            assert_true(geo_ptrmap_set(&map, &places[i], &places[i + (size_t)round]));
        }
        assert_int_equal(map.map.count, 100);
    }
    for (size_t i = 0; i < 100; i++) {
        assert_ptr_equal(geo_ptrmap_find(&map, &places[i]), &places[i + 2]);
    }
    geo_ptrmap_finish(&map);
}

static struct geo_ptrmap swept;

/* A map that could not grow is as it was. */
static ze_result_t do_fill(void)
{
    for (size_t i = 0; i < 1000; i++) {
        if (!geo_ptrmap_set(&swept, &places[i], &places[i])) {
            assert_int_equal(swept.map.count, i);
            assert_null(geo_ptrmap_find(&swept, &places[i]));
            for (size_t k = 0; k < i; k++) {
                assert_ptr_equal(geo_ptrmap_find(&swept, &places[k]), &places[k]);
            }
            geo_ptrmap_finish(&swept);
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static void undo_fill(void)
{
    geo_ptrmap_finish(&swept);
}

static void lack_of_memory_leaves_the_map_as_it_was(void **state)
{
    (void)state;
    static const struct sweep fill = {.name = "ptrmap", .run = do_fill, .undo = undo_fill};
    sweep_run(&fill);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(what_was_set_is_found_while_the_map_grows),
        cmocka_unit_test(a_key_set_again_has_the_new_value),
        cmocka_unit_test(lack_of_memory_leaves_the_map_as_it_was),
    };
    return cmocka_run_group_tests_name("ptrmap", tests, NULL, NULL);
}
