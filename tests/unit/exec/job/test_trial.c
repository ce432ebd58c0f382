/* Jobs that may contend for memory: how many threads take part, when that changes, and what is
 * measured. The test decides in place of contention.c, and knows when a helper leaves. */
#include "apart.h"

#include "exec/job/contention.h"
#include "exec/job/job.h"
#include "exec/job/partition.h"

#include <pthread.h>
#include <time.h>

#define UNITS_MAX 8192u
#define DEAR      2000000000u /* ps: shared at once, and taken one by one at first */

struct geo_contention_run __wrap_geo_contention_begin(struct geo_contention *contention,
                                                      uint32_t all, uint64_t units);
bool __wrap_geo_contention_gives_up(struct geo_contention_run *run, uint64_t ns, uint64_t done,
                                    uint64_t units);
void __wrap_geo_contention_end(struct geo_contention_run *run, uint64_t ns, uint64_t units);
bool __real_geo_exec_job_help(struct geo_exec_job_board *board, struct geo_exec_worker *worker,
                              const void *owner);
bool __wrap_geo_exec_job_help(struct geo_exec_job_board *board, struct geo_exec_worker *worker,
                              const void *owner);
void __real_geo_partition_leave(struct geo_partition *partition, uint32_t mine);
void __wrap_geo_partition_leave(struct geo_partition *partition, uint32_t mine);

/* One job, and two threads at most. */
struct play {
    pthread_t owner;
    struct geo_contention_run plan; /* of each run */
    bool lost;                      /* the trial is given up when it is asked for */
    uint64_t units, done;           /* that contention.c was told of */
    uint32_t begun, ended, asked, all;
    uint64_t ended_units[UNITS_MAX];
    _Atomic uint32_t owner_came, helper_came, helper_ran, helper_left, given_up, wanted;
    _Atomic uint8_t seen[UNITS_MAX];
};

static struct fixture cpu;
static struct play play;
static _Atomic uint32_t helpers; /* that look for a job, take part, or have not quite left */
static struct geo_contention contention;

struct geo_contention_run __wrap_geo_contention_begin(struct geo_contention *of, uint32_t all,
                                                      uint64_t units)
{
    assert_ptr_equal(of, &contention);
    play.begun++;
    play.all = all;
    play.units = units;
    return play.plan;
}

bool __wrap_geo_contention_gives_up(struct geo_contention_run *run, uint64_t ns, uint64_t done,
                                    uint64_t units)
{
    (void)ns;
    assert_true(run->trial && !run->lost && done > 0 && done <= units);
    play.asked++;
    run->lost = play.lost;
    return run->lost;
}

void __wrap_geo_contention_end(struct geo_contention_run *run, uint64_t ns, uint64_t units)
{
    (void)run, (void)ns;
    play.ended_units[play.ended++] = units;
}

static bool is_owner(void)
{
    return pthread_equal(pthread_self(), play.owner);
}

bool __wrap_geo_exec_job_help(struct geo_exec_job_board *board, struct geo_exec_worker *worker,
                              const void *owner)
{
    atomic_fetch_add(&helpers, 1);
    const bool helped = __real_geo_exec_job_help(board, worker, owner);
    atomic_fetch_sub(&helpers, 1);
    return helped;
}

void __wrap_geo_partition_leave(struct geo_partition *partition, uint32_t mine)
{
    __real_geo_partition_leave(partition, mine);
    atomic_store(&play.helper_left, 1);
}

static void units_see(uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        atomic_fetch_add(&play.seen[i], 1);
    }
    if (!is_owner()) {
        atomic_fetch_add(&play.helper_ran, (uint32_t)count);
    }
}

static ze_result_t job_run(void (*run)(const void *, struct geo_exec_worker *, uint64_t, uint64_t),
                           uint64_t units)
{
    _Atomic uint32_t cost = DEAR;
    struct geo_exec_worker *guest = geo_guest_acquire();
    const struct geo_exec_job_desc desc = {
        .run = run, .units = units, .cost_ps = &cost, .contention = &contention, .name = "units"};
    assert_non_null(guest);
    ze_result_t result = geo_exec_job_run(&geo_host_executor(cpu.device)->jobs, &desc, guest);
    geo_guest_release(guest);
    return result;
}

static void units_ran(uint64_t units)
{
    for (uint64_t i = 0; i < units; i++) {
        assert_int_equal(play.seen[i], 1);
    }
}

/* ---- how many take part ---- */

static void alone_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                      uint64_t count)
{
    (void)data, (void)worker;
    units_see(first, count);
    atomic_fetch_add(&play.wanted, geo_exec_job_wanting(&geo_host_executor(cpu.device)->jobs));
}

static void a_limit_of_one_wants_nobody(void **state)
{
    (void)state;
    play.plan = (struct geo_contention_run){.limit = 1, .best = 1, .all = 2, .until = UINT32_MAX};
    assert_int_equal(job_run(alone_run, 64), ZE_RESULT_SUCCESS);
    units_ran(64);
    assert_int_equal(play.helper_ran, 0);
    assert_int_equal(play.wanted, 0);
    assert_int_equal(play.asked, 0); /* it is no trial */
    assert_int_equal(play.begun, 1);
    assert_int_equal(play.ended_units[0], 64);
}

/* Units of the owner wait for the helper, except those before the trial was given up. */
static void coming_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    (void)data, (void)worker;
    if (!is_owner()) {
        atomic_store(&play.helper_came, 1);
    } else if (atomic_exchange(&play.owner_came, 1)) {
        wait_for(&play.helper_came, 1);
    }
    units_see(first, count);
}

static void helpers_come_when_a_trial_of_few_is_lost(void **state)
{
    (void)state;
    play.plan = (struct geo_contention_run){.limit = 1, .best = 2, .all = 2, .trial = true};
    play.lost = true;
    assert_int_equal(job_run(coming_run, 64), ZE_RESULT_SUCCESS);
    units_ran(64);
    assert_int_equal(play.helper_came, 1);
    assert_int_equal(play.asked, 1);
}

/* The helper is in its first unit when the owner gives the trial up, and the owner is in its second
 * when the helper leaves. */
static void leaving_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)data, (void)worker;
    if (!is_owner()) {
        atomic_store(&play.helper_came, 1);
        wait_for(&play.given_up, 1);
    } else if (atomic_exchange(&play.owner_came, 1)) {
        atomic_store(&play.given_up, 1);
        wait_for(&play.helper_left, 1);
    } else {
        wait_for(&play.helper_came, 1);
    }
    units_see(first, count);
}

static void helpers_leave_when_a_trial_of_many_is_lost(void **state)
{
    (void)state;
    play.plan = (struct geo_contention_run){.limit = 2, .best = 1, .all = 2, .trial = true};
    play.lost = true;
    assert_int_equal(job_run(leaving_run, 64), ZE_RESULT_SUCCESS);
    units_ran(64);
    assert_int_equal(play.helper_ran, 1); /* what it had begun */
    assert_int_equal(play.asked, 1);
}

/* ---- what is measured ---- */

static void plain_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                      uint64_t count)
{
    (void)data, (void)worker;
    units_see(first, count);
}

/* Runs units that take so many nanoseconds, as far as contention.c knows. Returns in how many
 * runs. */
static uint32_t runs_of(uint64_t units, double unit_ns, uint32_t until)
{
    uint64_t sum = 0;
    memset((void *)play.seen, 0, sizeof(play.seen));
    play.begun = play.ended = 0;
    play.plan = (struct geo_contention_run){
        .limit = 2, .best = 2, .all = 2, .until = until, .unit_ns = unit_ns};
    assert_int_equal(job_run(plain_run, units), ZE_RESULT_SUCCESS);
    units_ran(units);
    assert_int_equal(play.begun, play.ended);
    assert_int_equal(play.all, 2);
    assert_int_equal(play.units, units); /* of the whole job: parts are known as such a job */
    for (uint32_t i = 0; i < play.ended; i++) {
        sum += play.ended_units[i];
        assert_true(i + 1 == play.ended || play.ended_units[i] == play.ended_units[0]);
    }
    assert_int_equal(sum, units);
    return play.ended;
}

static void a_long_job_is_measured_in_parts(void **state)
{
    (void)state;
    assert_int_equal(runs_of(4096, 100000, 2), 32);
    assert_int_equal(runs_of(4096, 4000, 2), 9);    /* of 500 units, which take 2 ms */
    assert_int_equal(runs_of(4096, 3000, 2), 1);    /* 12 ms */
    assert_int_equal(runs_of(4096, 100000, 32), 1); /* the next trial is far */
    assert_int_equal(runs_of(255, 1e9, 2), 1);      /* units would not fill the parts */
    assert_int_equal(runs_of(256, 1e9, 2), 8);
}

/* Its first run has not been measured, but one of its units has. */
static void an_unknown_job_is_long_by_the_cost_of_its_units(void **state)
{
    (void)state;
    play.plan = (struct geo_contention_run){.limit = 2, .best = 2, .all = 2, .until = 2};
    assert_int_equal(job_run(plain_run, 4096), ZE_RESULT_SUCCESS);
    units_ran(4096);
    assert_int_equal(play.ended_units[0], 128);
}

static void group_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                         uint64_t count)
{
    (void)launch, (void)worker;
    units_see(first, count);
}

/* KRN-11: groups of a cooperative launch run at the same time. */
static void launches_that_are_not_cooperative_are_measured(void **state)
{
    struct geo_backend_stream *stream = stream_open(&cpu);
    (void)state;
    for (uint32_t cooperative = 0; cooperative < 2; cooperative++) {
        struct test_kernel kernel;
        struct test_batch batch;
        memset((void *)play.seen, 0, sizeof(play.seen));
        play.begun = play.ended = 0;
        play.plan = (struct geo_contention_run){.limit = 1, .best = 1, .all = 2};
        kernel_init(&kernel, group_kernel);
        kernel.kernel.contention = &contention;
        atomic_store(kernel.kernel.cost_ps, DEAR);
        batch_init(&batch);
        batch_add_launch(&batch, &kernel.kernel, 2, NULL, 0)->cooperative = cooperative;
        stream_run_batch(&cpu, stream, &batch);
        units_ran(2);
        assert_int_equal(play.begun, 1 - cooperative);
        batch_finish(&batch);
    }
    cpu.ops->stream->destroy(stream);
}

static void faulting_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                         uint64_t count)
{
    (void)data, (void)worker, (void)first, (void)count;
    *(volatile uint32_t *)8 = 0;
}

static void prepare(void)
{
    geo_fault_open();
    geo_fault_after_fork(); /* over the defaults just set */
}

static int failing_case(void)
{
    play.plan = (struct geo_contention_run){.limit = 1, .best = 1, .all = 2, .unit_ns = 1e6};
    NEED(job_run(faulting_run, 4096) == ZE_RESULT_ERROR_DEVICE_LOST);
    NEED(play.begun == 1 && play.ended == 1); /* the other parts do not run */
    NEED(play.ended_units[0] == 0);
    return 0;
}

static void a_job_that_fails_is_not_measured(void **state)
{
    (void)state;
    assert_int_equal(apart_run(prepare, failing_case), 0);
}

/* A helper may leave a job that its owner has finished. */
static int play_setup(void **state)
{
    const struct timespec pause = {.tv_nsec = 200000};
    (void)state;
    while (atomic_load(&helpers) != 0) {
        nanosleep(&pause, NULL);
    }
    memset((void *)&play, 0, sizeof(play));
    play.owner = pthread_self();
    return 0;
}

static int group_setup(void **state)
{
    (void)state;
    setenv("GEOID_THREADS", "2", 1);
    fixture_open(&cpu, &geo_backend_cpu_ops);
    cpu.device->crew.pinned = false; /* else the one of the owner's core does not help */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_limit_of_one_wants_nobody, play_setup),
        cmocka_unit_test_setup(helpers_come_when_a_trial_of_few_is_lost, play_setup),
        cmocka_unit_test_setup(helpers_leave_when_a_trial_of_many_is_lost, play_setup),
        cmocka_unit_test_setup(a_long_job_is_measured_in_parts, play_setup),
        cmocka_unit_test_setup(an_unknown_job_is_long_by_the_cost_of_its_units, play_setup),
        cmocka_unit_test_setup(launches_that_are_not_cooperative_are_measured, play_setup),
        cmocka_unit_test_setup(a_job_that_fails_is_not_measured, play_setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
