/* Unit test of budgets: what ends them, and that they stay at their end. */
#include "compiler/ir/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void budget_begin(struct geo_budget *budget, uint64_t seconds)
{
    geo_budget_init(budget, seconds);
    geo_budget_begin(budget);
}

static void budget_end(struct geo_budget *budget)
{
    geo_budget_end();
    geo_budget_finish(budget);
}

static void without_a_budget_there_is_no_end(void **state)
{
    (void)state;
    assert_true(geo_budget_spend(UINT64_MAX));
    assert_true(geo_budget_left());
    geo_budget_at("nowhere", NULL);
}

static void work_is_bounded_and_the_end_stays(void **state)
{
    (void)state;
    struct geo_budget budget;
    budget_begin(&budget, 1);
    uint64_t rounds = 0;
    while (geo_budget_spend(1024)) {
        rounds++;
    }
    assert_in_range(rounds * 1024, budget.work_limit / 2, budget.work_limit + (1 << 21));
    assert_true(budget.end == GEO_BUDGET_WORK || budget.end == GEO_BUDGET_TIME);
    assert_false(geo_budget_left());
    assert_false(geo_budget_spend(0));
    assert_false(geo_budget_spend(1));
    budget_end(&budget);
    assert_true(geo_budget_spend(1));
}

static void one_large_number_is_enough(void **state)
{
    (void)state;
    struct geo_budget budget;
    budget_begin(&budget, 60);
    assert_true(geo_budget_spend(5));
    assert_false(geo_budget_spend(UINT64_MAX - 3)); /* and does not begin again at 0 */
    assert_int_equal(budget.end, GEO_BUDGET_WORK);
    assert_false(geo_budget_spend(1));
    budget_end(&budget);
}

static void time_is_bounded_too(void **state)
{
    (void)state;
    struct geo_budget budget;
    budget_begin(&budget, 1);
    while (geo_budget_look(&budget)) { /* no work at all */
    }
    assert_int_equal(budget.end, GEO_BUDGET_TIME);
    assert_false(geo_budget_spend(1));
    budget_end(&budget);
}

static void zero_seconds_are_no_limit(void **state)
{
    (void)state;
    struct geo_budget budget;
    budget_begin(&budget, 0);
    assert_true(geo_budget_spend(UINT64_MAX / 2));
    assert_true(geo_budget_spend(1));
    assert_int_equal(budget.end, GEO_BUDGET_LEFT);
    budget_end(&budget);
}

static void the_place_has_a_stage_and_a_function(void **state)
{
    (void)state;
    struct geo_budget budget;
    char place[128];
    budget_begin(&budget, 1);
    geo_budget_at("sroa", "kernel");
    assert_string_equal(geo_budget_place(&budget, place, sizeof(place)),
                        "in sroa, function \"kernel\"");
    geo_budget_at("loops", NULL);
    assert_string_equal(geo_budget_place(&budget, place, sizeof(place)), "in loops");
    budget_end(&budget);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_budget_there_is_no_end),
        cmocka_unit_test(work_is_bounded_and_the_end_stays),
        cmocka_unit_test(one_large_number_is_enough),
        cmocka_unit_test(time_is_bounded_too),
        cmocka_unit_test(zero_seconds_are_no_limit),
        cmocka_unit_test(the_place_has_a_stage_and_a_function),
    };
    return cmocka_run_group_tests_name("ir_budget", tests, NULL, NULL);
}
