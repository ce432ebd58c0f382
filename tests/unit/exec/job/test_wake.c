/* When a job wakes workers, how many and which: nobody comes here, so that the owner does all. */
#include "support.h"

#include "exec/job/cost.h"
#include "exec/record/executor.h"

#include <sched.h>

#define WORKERS 8

void __wrap_geo_crew_wake(struct geo_crew *crew, uint32_t count, uint32_t but);

/* What happens, in order. */
struct story {
    uint32_t units, calls;
    uint32_t units_before_call; /* at the first */
    uint32_t count, but;        /* of it */
};

static struct geo_executor *executor;
static struct story story;
static uint32_t home;

void __wrap_geo_crew_wake(struct geo_crew *crew, uint32_t count, uint32_t but)
{
    (void)crew;
    if (story.calls++ == 0) {
        story.units_before_call = story.units;
        story.count = count;
        story.but = but;
    }
}

static void units_count(const void *data, struct geo_exec_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)data, (void)worker, (void)first;
    story.units += (uint32_t)count;
}

/* Workers of cores that need not exist: this thread stays on that of the last of them. */
static int group_setup(void **state)
{
    static int32_t places[WORKERS];
    cpu_set_t one;
    (void)state;
    int here = sched_getcpu();
    CPU_ZERO(&one);
    CPU_SET((size_t)here, &one);
    for (int i = 0; i < WORKERS; i++) {
        places[i] = (here + 1 + i) % CPU_SETSIZE;
    }
    home = WORKERS - 1;
    places[home] = here;
    const struct geo_crew_desc desc = {
        .places = places, .place_count = WORKERS, .workers = WORKERS, .pinned = true};
    executor = geo_executor_create(&desc);
    return !executor || sched_setaffinity(0, sizeof(one), &one) != 0;
}

static int group_teardown(void **state)
{
    (void)state;
    geo_executor_destroy(executor);
    return 0;
}

static void job_do(uint64_t units, uint32_t cost, bool unbounded)
{
    _Atomic uint32_t cost_ps = cost;
    struct geo_exec_worker *guest = geo_guest_acquire();
    const struct geo_exec_job_desc desc = {
        .run = units_count, .units = units, .cost_ps = &cost_ps, .unbounded = unbounded};
    story = (struct story){0};
    assert_non_null(guest);
    assert_int_equal(geo_exec_job_run(&executor->jobs, &desc, guest), ZE_RESULT_SUCCESS);
    geo_guest_release(guest);
    assert_int_equal(story.units, units);
}

/* By what they took before, as many as pay; not the one of this core. */
static void long_work_is_called_for_before_it_begins(void **state)
{
    (void)state;
    job_do(1000, 1000000, true); /* a millisecond in all */
    assert_true(story.calls > 0);
    assert_int_equal(story.units_before_call, 0);
    assert_int_equal(story.count, GEO_COST_WAKES);
    assert_int_equal(story.but, home);
    job_do(1000, 30000, true); /* 30 us */
    assert_int_equal(story.units_before_call, 0);
    assert_int_equal(story.count, 1);
}

static void short_work_is_not(void **state)
{
    (void)state;
    job_do(2, 1000, true);
    assert_int_equal(story.calls, 0);
}

static void a_few_groups_are_shared_unmeasured(void **state)
{
    (void)state;
    job_do(16, 0, true);
    assert_true(story.calls > 0);
    assert_int_equal(story.units_before_call, 0);
    assert_int_equal(story.but, home);
    job_do(16, 0, false); /* blocks that cannot be long */
    assert_int_equal(story.calls, 0);
}

static void many_groups_are_measured_first(void **state)
{
    (void)state;
    job_do(GEO_COST_FEW * WORKERS + 1, 0, true);
    assert_true(story.calls == 0 || story.units_before_call > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_work_is_called_for_before_it_begins),
        cmocka_unit_test(short_work_is_not),
        cmocka_unit_test(a_few_groups_are_shared_unmeasured),
        cmocka_unit_test(many_groups_are_measured_first),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
