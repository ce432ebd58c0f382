/* What is learnt from measured costs, and what follows from it; with measurements made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exec/job/cost.h"

static void the_first_measurement_is_taken_as_it_is(void **state)
{
    (void)state;
    _Atomic uint32_t cost = 0;
    geo_cost_learn(&cost, 5000, 100);
    assert_int_equal(cost, 50000);
    assert_true(geo_cost_ns(&cost) == 50.0);
}

static void what_was_thought_too_cheap_is_corrected_at_once(void **state)
{
    (void)state;
    _Atomic uint32_t cost = 1;
    geo_cost_learn(&cost, 1000, 1); /* a microsecond */
    assert_int_equal(cost, 500000);
    geo_cost_learn(&cost, 1000, 1);
    assert_int_equal(cost, 750000);
}

/* One slow measurement (another process had the core) is forgotten, slowly. */
static void what_was_thought_too_dear_comes_down_by_and_by(void **state)
{
    (void)state;
    _Atomic uint32_t cost = GEO_COST_MAX_PS;
    uint32_t before = cost;
    for (int i = 0; i < 100; i++) {
        geo_cost_learn(&cost, 1000, 1000);
        assert_true(cost < before || cost == 1000);
        assert_true(i > 0 || cost > GEO_COST_MAX_PS / 2);
        before = cost;
    }
    assert_in_range(cost, 1000, 10000);
}

static void a_known_cost_stays_within_its_bounds(void **state)
{
    (void)state;
    _Atomic uint32_t cost = 0;
    geo_cost_learn(&cost, 0, 1000000); /* never back to unknown */
    assert_int_equal(cost, 1);
    for (int i = 0; i < 50; i++) {
        geo_cost_learn(&cost, UINT64_C(1000000000000), 1);
    }
    assert_int_equal(cost, GEO_COST_MAX_PS);
}

static void sharing_pays_from_what_a_hand_over_costs_on(void **state)
{
    (void)state;
    assert_false(geo_cost_shares(GEO_COST_SPIN_NS, true));
    assert_true(geo_cost_shares(GEO_COST_SPIN_NS + 1, true));
    assert_false(geo_cost_shares(GEO_COST_SPIN_NS + 1, false)); /* a sleeper is dearer to wake */
    assert_false(geo_cost_shares(GEO_COST_WAKE_NS, false));
    assert_true(geo_cost_shares(GEO_COST_WAKE_NS + 1, false));
}

static void chunks_last_a_while_but_leave_some_to_steal(void **state)
{
    (void)state;
    assert_int_equal(geo_cost_chunk(1000, 100000), GEO_COST_CHUNK_NS / 1000);
    assert_int_equal(geo_cost_chunk(1000, 100), 25);
    assert_int_equal(geo_cost_chunk(1e9, 100000), 1);
    assert_int_equal(geo_cost_chunk(0, 100000), 1); /* unknown */
    assert_int_equal(geo_cost_chunk(0.001, 3), 1);
}

/* Little is taken at once, but not so little that taking it costs as much. */
static void small_chunks_are_worth_taking(void **state)
{
    (void)state;
    assert_int_equal(geo_cost_chunk(100, 40), GEO_COST_LEAST_NS / 100);
    assert_int_equal(geo_cost_chunk(100, 30), 15);
    assert_int_equal(geo_cost_chunk(100, 2), 1); /* the other may be stolen */
    assert_int_equal(geo_cost_chunk(100, 1), 1);
}

static void what_is_soon_done_is_not_stolen(void **state)
{
    (void)state;
    assert_false(geo_cost_steals(GEO_COST_LEAST_NS - 1, true));
    assert_true(geo_cost_steals(GEO_COST_LEAST_NS, true));
    assert_true(geo_cost_steals(0, true)); /* unknown */
    assert_true(geo_cost_steals(1, false));
}

static void as_many_are_woken_as_pay(void **state)
{
    (void)state;
    assert_int_equal(geo_cost_wakes(GEO_COST_WAKE_NS - 1, 1, 16), 0);
    assert_int_equal(geo_cost_wakes(GEO_COST_WAKE_NS + 1, 1, 16), 1);
    assert_int_equal(geo_cost_wakes(2 * GEO_COST_WAKE_NS, 1, 16), 2);
    assert_int_equal(geo_cost_wakes(2 * GEO_COST_WAKE_NS, 2, 16), 1); /* one comes already */
    assert_int_equal(geo_cost_wakes(1e12, 1, 16), GEO_COST_WAKES);
    assert_int_equal(geo_cost_wakes(1e12, 15, 16), 1);
    assert_int_equal(geo_cost_wakes(1e12, 16, 16), 0);
    assert_int_equal(geo_cost_wakes(1e12, 20, 16), 0);
    assert_int_equal(geo_cost_wakes(0, 1, 16), GEO_COST_WAKES); /* unknown: it may be long */
    assert_int_equal(geo_cost_wakes(0, 1, 2), 1);
}

static void a_few_units_are_not_measured_first(void **state)
{
    (void)state;
    assert_true(geo_cost_few(2, 2));
    assert_true(geo_cost_few(GEO_COST_FEW * 2, 2));
    assert_false(geo_cost_few(GEO_COST_FEW * 2 + 1, 2));
    assert_false(geo_cost_few(UINT64_MAX, 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_measurement_is_taken_as_it_is),
        cmocka_unit_test(what_was_thought_too_cheap_is_corrected_at_once),
        cmocka_unit_test(what_was_thought_too_dear_comes_down_by_and_by),
        cmocka_unit_test(a_known_cost_stays_within_its_bounds),
        cmocka_unit_test(sharing_pays_from_what_a_hand_over_costs_on),
        cmocka_unit_test(chunks_last_a_while_but_leave_some_to_steal),
        cmocka_unit_test(small_chunks_are_worth_taking),
        cmocka_unit_test(what_is_soon_done_is_not_stolen),
        cmocka_unit_test(as_many_are_woken_as_pay),
        cmocka_unit_test(a_few_units_are_not_measured_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
