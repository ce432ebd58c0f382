/* How many participants contended jobs get, by times that models of machines make up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exec/job/contention.h"

#define UNITS 1000u
#define ALL   16u

/* Returns the time of a unit, in ns, with so many participants. */
typedef double model_fn(uint32_t participants);

/* Sixteen are sixteen times as fast. */
static double scales(uint32_t participants)
{
    return 1600.0 / participants;
}

/* Sixteen are a seventh as fast: histogram_global of the benchmarks. */
static double contends(uint32_t participants)
{
    return participants == 1 ? 100 : 250 + 25 * participants;
}

/* Four are best. */
static double peaks(uint32_t participants)
{
    return participants <= 4 ? 1200.0 / participants : 250 + 12 * participants;
}

/* It makes little difference. */
static double differs_little(uint32_t participants)
{
    return participants == 1 ? 480 : 500;
}

/* Runs a job, whose owner looks after each unit. Returns its time. */
static double job_run(struct geo_contention *contention, model_fn *model, uint32_t all,
                      uint32_t units, double disturbance)
{
    struct geo_contention_run run = geo_contention_begin(contention, all, units);
    uint32_t participants = run.limit;
    double ns = disturbance;
    assert_in_range(run.limit, 1, all);
    for (uint32_t done = 1; done <= units; done++) {
        ns += model(participants);
        if (geo_contention_gives_up(&run, (uint64_t)ns, done, units)) {
            assert_true(run.trial);
            participants = run.best;
        }
    }
    geo_contention_end(&run, (uint64_t)ns, units);
    assert_false(atomic_load(&contention->held));
    return ns;
}

static double jobs_run(struct geo_contention *contention, model_fn *model, uint32_t all,
                       uint32_t count)
{
    double ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        ns += job_run(contention, model, all, UNITS, 0);
    }
    return ns;
}

/* Returns the number of participants that runs have between trials. */
static uint32_t best_of(struct geo_contention *contention, uint32_t all, uint64_t units)
{
    struct geo_contention_run run = geo_contention_begin(contention, all, units);
    geo_contention_end(&run, 0, 0);
    return run.best;
}

static double of_one(model_fn *model, uint32_t participants, uint32_t count)
{
    return model(participants) * UNITS * count;
}

static void a_contended_job_comes_to_run_alone(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    double ns = jobs_run(&contention, contends, ALL, 8);
    assert_int_equal(best_of(&contention, ALL, UNITS), 1);
    assert_true(ns < of_one(contends, ALL, 8));
    ns = jobs_run(&contention, contends, ALL, 5000);
    assert_int_equal(best_of(&contention, ALL, UNITS), 1);
    assert_true(ns < 1.02 * of_one(contends, 1, 5000)); /* trials cost little */
}

/* As on sixteen cores of a Xeon: the first run with another number takes longer on one core, since
 * the data are in the caches of others, and less on all, since the counters are still in one. */
static void runs_that_move_the_data_do_not_count(void **state)
{
    struct geo_contention contention = {0};
    uint32_t before = ALL;
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct geo_contention_run run = geo_contention_begin(&contention, ALL, UNITS);
        bool moves = run.limit != before;
        double ns = run.limit == 1 ? (moves ? 1060 : 700) : moves ? 300 : 2400;
        before = run.limit;
        geo_contention_end(&run, (uint64_t)(ns * UNITS), UNITS);
    }
    assert_int_equal(best_of(&contention, ALL, UNITS), 1);
}

/* The first run with few participants is fast, for example because others still warmed the caches.
 * The second run is as slow as all others. */
static void a_trial_that_is_fast_at_first_does_not_win(void **state)
{
    struct geo_contention contention = {0};
    uint32_t before = ALL;
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct geo_contention_run run = geo_contention_begin(&contention, ALL, UNITS);
        uint64_t ns = run.limit != before && run.limit != ALL ? 500 : 1000;
        before = run.limit;
        geo_contention_end(&run, ns * UNITS, UNITS);
        assert_int_equal(best_of(&contention, ALL, UNITS), ALL);
    }
}

static void a_job_that_scales_keeps_all(void **state)
{
    static const uint32_t counts[] = {2, 4, ALL, 256};
    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct geo_contention contention = {0};
        double ns = jobs_run(&contention, scales, counts[i], 20);
        assert_true(ns < 1.1 * of_one(scales, counts[i], 20));
        ns = jobs_run(&contention, scales, counts[i], 5000);
        assert_true(ns < 1.01 * of_one(scales, counts[i], 5000));
        assert_int_equal(best_of(&contention, counts[i], UNITS), counts[i]);
    }
}

static void the_best_number_is_between(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    jobs_run(&contention, peaks, ALL, 100);
    assert_int_equal(best_of(&contention, ALL, UNITS), 4);
    jobs_run(&contention, peaks, ALL, 1000);
    assert_int_equal(best_of(&contention, ALL, UNITS), 4);
}

static void nothing_changes_for_a_small_gain(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    jobs_run(&contention, differs_little, ALL, 1000);
    assert_int_equal(best_of(&contention, ALL, UNITS), ALL);
}

/* The data of a kernel change: that is noticed after the longest pause at the latest. */
static void changes_are_noticed(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        jobs_run(&contention, contends, ALL, 40 * GEO_CONTENTION_LAST);
        assert_int_equal(best_of(&contention, ALL, UNITS), 1);
        jobs_run(&contention, scales, ALL, 5 * GEO_CONTENTION_LAST);
        assert_int_equal(best_of(&contention, ALL, UNITS), ALL);
    }
}

/* Another program had a core. */
static void one_disturbed_run_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < 40; at++) {
        struct geo_contention contention = {0};
        jobs_run(&contention, scales, ALL, at);
        job_run(&contention, scales, ALL, UNITS, 20 * of_one(scales, ALL, 1));
        for (int i = 0; i < 40; i++) {
            jobs_run(&contention, scales, ALL, 1);
            assert_int_equal(best_of(&contention, ALL, UNITS), ALL);
        }
    }
}

/* The run before each of the first trials is slow. */
static void regular_disturbances_change_nothing(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    for (int i = 0; i < 100; i++) {
        double disturbance = i % 4 == 1 ? 19 * of_one(scales, ALL, 1) : 0;
        job_run(&contention, scales, ALL, UNITS, disturbance);
        assert_int_equal(best_of(&contention, ALL, UNITS), ALL);
    }
}

/* The clock jumped, or the data were others. */
static void one_fast_trial_changes_nothing(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct geo_contention_run run = geo_contention_begin(&contention, ALL, UNITS);
        bool fast = run.trial && i < 4;
        assert_true(i != (int)GEO_CONTENTION_FIRST || fast);
        geo_contention_end(&run, fast ? 1 : (uint64_t)of_one(scales, run.limit, 1), UNITS);
        assert_int_equal(best_of(&contention, ALL, UNITS), ALL);
    }
}

static void launches_in_turn_are_not_compared(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    for (int i = 0; i < 500; i++) { /* the second of two launches is a fiftieth of the work */
        struct geo_contention_run run = geo_contention_begin(&contention, 2, UNITS);
        double ns = (i % 2 ? 1.0 : 50.0) * scales(run.limit) * UNITS;
        geo_contention_end(&run, (uint64_t)ns, UNITS);
        assert_int_equal(best_of(&contention, 2, UNITS), 2);
    }
}

static void small_and_large_jobs_are_known_apart(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    for (int i = 0; i < 20; i++) {
        job_run(&contention, contends, ALL, 20, 0);
        job_run(&contention, scales, ALL, 100000, 0);
    }
    assert_int_equal(best_of(&contention, ALL, 20), 1);
    assert_int_equal(best_of(&contention, ALL, 200), 1);
    assert_int_equal(best_of(&contention, ALL, 1000000), ALL);
    assert_int_equal(best_of(&contention, ALL, UINT64_C(1) << 36), ALL);
    assert_int_equal(best_of(&contention, ALL, UINT64_MAX), ALL);
    assert_int_equal(best_of(&contention, ALL, 1), ALL);
}

/* Two threads launch the kernel: what one of them measures includes the other's work. */
static void one_of_two_at_a_time_is_measured(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    jobs_run(&contention, contends, ALL, 8);
    struct geo_contention before = contention;
    struct geo_contention_run first = geo_contention_begin(&contention, ALL, UNITS);
    for (int i = 0; i < 10; i++) {
        struct geo_contention_run second = geo_contention_begin(&contention, ALL, UNITS);
        assert_int_equal(second.limit, 1);
        assert_false(second.trial);
        assert_false(geo_contention_gives_up(&second, UINT64_MAX, 0, UNITS));
        geo_contention_end(&second, UINT64_MAX, UNITS);
    }
    geo_contention_end(&first, 0, 0); /* nor is a run that failed */
    assert_memory_equal(&before, &contention, sizeof(before));
}

static void few_units_have_few_participants(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    jobs_run(&contention, peaks, ALL, 100);
    assert_int_equal(best_of(&contention, 3, UNITS), 3);
    struct geo_contention_run run = geo_contention_begin(&contention, 1, UNITS);
    assert_int_equal(run.limit, 1);
    assert_null(run.contention); /* there is nothing to find out */
    geo_contention_end(&run, 1, UNITS);
}

/* A trial that would take more than 1.5 times as long ends after a quarter of the time, any other
 * after the whole. */
static void hopeless_trials_end_early(void **state)
{
    struct geo_contention contention = {0};
    (void)state;
    jobs_run(&contention, scales, ALL, GEO_CONTENTION_FIRST);
    uint64_t best = (uint64_t)of_one(scales, ALL, 1);
    struct geo_contention_run run = geo_contention_begin(&contention, ALL, UNITS);
    assert_true(run.trial);
    assert_false(geo_contention_gives_up(&run, best / 4 - 1, 0, UNITS));
    assert_false(geo_contention_gives_up(&run, best / 4, UNITS / 5, UNITS));
    assert_false(geo_contention_gives_up(&run, best - 1, UNITS - 1, UNITS));
    struct geo_contention_run other = run;
    assert_true(geo_contention_gives_up(&other, best, UNITS - 1, UNITS));
    assert_true(geo_contention_gives_up(&run, best / 4, UNITS / 7, UNITS));
    assert_false(geo_contention_gives_up(&run, best, 0, UNITS)); /* told once */
    assert_true(run.lost);
    geo_contention_end(&run, best, UNITS);
}

/* It was fast because more participants came. */
static void a_lost_trial_does_not_win(void **state)
{
    struct geo_contention contention = {0};
    uint32_t lost = 0;
    (void)state;
    while (lost < 4) {
        struct geo_contention_run run = geo_contention_begin(&contention, ALL, UNITS);
        lost += geo_contention_gives_up(&run, UINT64_MAX, 1, UNITS);
        geo_contention_end(&run, run.trial ? 1 : 1000, UNITS);
        assert_int_equal(best_of(&contention, ALL, UNITS), ALL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contended_job_comes_to_run_alone),
        cmocka_unit_test(runs_that_move_the_data_do_not_count),
        cmocka_unit_test(a_trial_that_is_fast_at_first_does_not_win),
        cmocka_unit_test(a_job_that_scales_keeps_all),
        cmocka_unit_test(the_best_number_is_between),
        cmocka_unit_test(nothing_changes_for_a_small_gain),
        cmocka_unit_test(changes_are_noticed),
        cmocka_unit_test(one_disturbed_run_changes_nothing),
        cmocka_unit_test(regular_disturbances_change_nothing),
        cmocka_unit_test(one_fast_trial_changes_nothing),
        cmocka_unit_test(launches_in_turn_are_not_compared),
        cmocka_unit_test(small_and_large_jobs_are_known_apart),
        cmocka_unit_test(one_of_two_at_a_time_is_measured),
        cmocka_unit_test(few_units_have_few_participants),
        cmocka_unit_test(hopeless_trials_end_early),
        cmocka_unit_test(a_lost_trial_does_not_win),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
