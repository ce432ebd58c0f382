/* Maps from names: what was added first is found, while the map grows and when memory runs out. */
#include "unit.h"

#include "base/strmap.h"

#include <stdio.h>

#define KEYS 5000u

static char names[KEYS][12];

static int names_make(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KEYS; i++) {
        snprintf(names[i], sizeof(names[i]), "%u", i);
    }
    return 0;
}

static void an_empty_map_has_no_names(void **state)
{
    (void)state;
    struct geo_strmap map = {0};
    assert_null(geo_strmap_find(&map, ""));
    geo_strmap_finish(&map);
    geo_strmap_finish(&map);
}

static void names_are_found_while_the_map_grows(void **state)
{
    (void)state;
    struct geo_strmap map = {0};
    for (unsigned i = 0; i < KEYS; i++) {
        char copy[12];
        assert_null(geo_strmap_find(&map, names[i]));
        assert_ptr_equal(geo_strmap_add(&map, names[i], names[i]), names[i]);
        assert_int_equal(map.map.count, i + 1);
        assert_true(map.map.count < map.map.capacity); /* else a search would not end */
        snprintf(copy, sizeof(copy), "%u", i / 2);
        assert_ptr_equal(geo_strmap_find(&map, copy), names[i / 2]);
    }
    geo_strmap_finish(&map);
    assert_null(geo_strmap_find(&map, names[0]));
}

static void the_first_value_of_a_name_stays(void **state)
{
    (void)state;
    struct geo_strmap map = {0};
    int first, second;
    assert_ptr_equal(geo_strmap_add(&map, "name", &first), &first);
    assert_ptr_equal(geo_strmap_add(&map, "name", &second), &first);
    assert_ptr_equal(geo_strmap_find(&map, "name"), &first);
    assert_int_equal(map.map.count, 1);
    geo_strmap_finish(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_no_names),
        cmocka_unit_test(names_are_found_while_the_map_grows),
        cmocka_unit_test(the_first_value_of_a_name_stays),
    };
    return cmocka_run_group_tests_name("strmap", tests, names_make, NULL);
}
