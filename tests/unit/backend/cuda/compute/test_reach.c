/* The set of ranges that GPUs reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/cuda/compute/reach.h"

static const void *at(uintptr_t address)
{
    return (const void *)address;
}

static void ranges_end_where_they_end(void **state)
{
    (void)state;
    assert_false(geo_compute_reach_has(at(0x1000), 1));
    assert_true(geo_compute_reach_add(at(0x1000), 0x100));
    assert_true(geo_compute_reach_add(at(0x1100), 0x10));
    assert_true(geo_compute_reach_has(at(0x1000), 0x100));
    assert_true(geo_compute_reach_has(at(0x10ff), 1));
    assert_true(geo_compute_reach_has(at(0x1080), 0));
    assert_false(geo_compute_reach_has(at(0x1000), 0x101)); /* two ranges */
    assert_false(geo_compute_reach_has(at(0xfff), 2));
    assert_false(geo_compute_reach_has(at(0x1110), 1));
    assert_false(geo_compute_reach_has(at(0x1100), UINT64_MAX));
    geo_compute_reach_remove(at(0x1000));
    assert_false(geo_compute_reach_has(at(0x1000), 1));
    assert_true(geo_compute_reach_has(at(0x1100), 0x10));
    geo_compute_reach_remove(at(0x1100));
}

/* Added in an order that is not theirs, and removed in a third. */
static void many_ranges_are_found(void **state)
{
    (void)state;
    enum { COUNT = 101, STEP = 37 };
    for (uintptr_t i = 0; i < COUNT; i++) {
        assert_true(geo_compute_reach_add(at((i * STEP % COUNT + 1) * 0x1000), 0x800));
    }
    for (uintptr_t i = 0; i < COUNT; i++) {
        assert_true(geo_compute_reach_has(at((i + 1) * 0x1000 + 0x7ff), 1));
        assert_false(geo_compute_reach_has(at((i + 1) * 0x1000 + 0x800), 1));
    }
    for (uintptr_t i = 0; i < COUNT; i++) {
        const uintptr_t base = (i * 11 % COUNT + 1) * 0x1000;
        geo_compute_reach_remove(at(base));
        assert_false(geo_compute_reach_has(at(base), 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_end_where_they_end),
        cmocka_unit_test(many_ranges_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
