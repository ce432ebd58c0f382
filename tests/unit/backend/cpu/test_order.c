/* Unit test of the order of work-groups that GEOID_GROUP_ORDER asks for. */
#include "backend/cpu/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 300 };

static void every_group_comes_once(void **state)
{
    (void)state;
    for (uint64_t number = 1; number < 60; number++) {
        for (uint64_t groups = 1; groups <= MOST; groups += groups < 20 ? 1 : 7) {
            struct geo_group_order order;
            uint8_t seen[MOST] = {0};
            if (!geo_group_order_init(&order, number, groups)) {
                continue;
            }
            for (uint64_t unit = 0; unit < order.pieces; unit++) {
                uint64_t first, count;
                geo_group_order_piece(&order, unit, &first, &count);
                assert_true(count > 0 && count <= groups && first <= groups - count);
                for (uint64_t i = first; i < first + count; i++) {
                    seen[i]++;
                }
            }
            for (uint64_t i = 0; i < groups; i++) {
                assert_int_equal(seen[i], 1);
            }
        }
    }
}

static void one_is_backwards(void **state)
{
    struct geo_group_order order;
    uint64_t first, count;
    (void)state;
    assert_true(geo_group_order_init(&order, 1, 10));
    for (uint64_t unit = 0; unit < 10; unit++) {
        geo_group_order_piece(&order, unit, &first, &count);
        assert_int_equal(first, 9 - unit);
        assert_int_equal(count, 1);
    }
}

static void numbers_are_ways_of_their_own(void **state)
{
    uint64_t orders = 0, firsts[64];
    (void)state;
    for (uint64_t number = 2; number < 66; number++) {
        struct geo_group_order order;
        uint64_t count;
        assert_true(geo_group_order_init(&order, number, 1000));
        geo_group_order_piece(&order, 0, &firsts[number - 2], &count);
        bool known = false;
        for (uint64_t i = 0; i < number - 2; i++) {
            known = known || firsts[i] == firsts[number - 2];
        }
        orders += !known;
    }
    assert_true(orders > 40);
}

static void what_cannot_be_reordered_is_left(void **state)
{
    struct geo_group_order order;
    (void)state;
    assert_false(geo_group_order_init(&order, 0, 1000));
    assert_false(geo_group_order_init(&order, 1, 1));
    assert_false(geo_group_order_init(&order, 1, UINT64_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_group_comes_once),
        cmocka_unit_test(one_is_backwards),
        cmocka_unit_test(numbers_are_ways_of_their_own),
        cmocka_unit_test(what_cannot_be_reordered_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
