/* Observers of jobs: each is told once of a job's start and end, and of every unit that ran. */
#include "support.h"

#include "exec/job/observer.h"

#include <stdlib.h>

#define UNITS 4000u

static struct fixture cpu;

/* Counts of the calls that the observer received for the job that runs now. */
static struct {
    _Atomic uint64_t units, calls, ranges, wrong;
    _Atomic uint32_t started, finished;
    uint32_t number;
} told;

static int group_setup(void **state)
{
    (void)state;
    setenv("GEOID_THREADS", "4", 1);
    fixture_open(&cpu, &geo_backend_cpu_ops);
    return 0;
}

static void on_start(const struct geo_exec_observed_job *job)
{
    told.started++;
    told.wrong += told.units != 0;
    told.number = job->number;
}

static void on_units(const struct geo_exec_observed_job *job, struct geo_exec_worker *worker,
                     uint64_t first, uint64_t count, uint64_t begin)
{
    (void)worker;
    told.units += count;
    told.ranges++;
    told.wrong += told.started == 0 || told.finished != 0 || job->number != told.number ||
                  first + count > job->desc->units || begin < job->begin;
}

static void on_finish(const struct geo_exec_observed_job *job)
{
    told.finished++;
    told.wrong += job->number != told.number;
}

static void units_spin(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    (void)data, (void)worker, (void)first;
    for (volatile uint64_t spin = 0; spin < 300 * count; spin++) {
    }
}

static void unit_traps(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    (void)data, (void)worker, (void)first, (void)count;
    geo_fault_raise(SIGILL, 0);
}

static const void *fault_data;

static void fault_keep(const struct geo_exec_job_desc *desc, const struct geo_fault_scope *scope,
                       uint64_t first, uint64_t count)
{
    (void)scope, (void)first, (void)count;
    fault_data = desc->data;
}

static ze_result_t job_run(const struct geo_exec_job_desc *desc)
{
    struct geo_exec_worker *guest = geo_guest_acquire();
    assert_non_null(guest);
    told.units = told.calls = told.ranges = told.wrong = 0;
    told.started = told.finished = 0;
    ze_result_t result = geo_exec_job_run(&geo_host_executor(cpu.device)->jobs, desc, guest);
    geo_guest_release(guest);
    return result;
}

static void before_units(const struct geo_exec_observed_job *job, struct geo_exec_worker *worker,
                         uint64_t first, uint64_t count)
{
    told.calls++;
    told.wrong += !worker || told.started == 0 || told.finished != 0 || job->number != told.number;
    told.wrong += count == 0 || first + count > job->desc->units;
}

static const struct geo_exec_job_observer whole = {
    .started = on_start, .finished = on_finish, .runs = before_units, .ran = on_units};
static const struct geo_exec_job_observer deaf;

/* Registers two observers, one of them without functions. */
static void observe(void)
{
    geo_exec_job_observer_add(&whole);
    geo_exec_job_observer_add(&deaf);
}

static void observers_are_told_of_every_unit(void **state)
{
    (void)state;
    _Atomic uint32_t cost = 0;
    const struct geo_exec_job_desc desc = {.run = units_spin, .units = UNITS, .cost_ps = &cost};
    assert_int_equal(job_run(&desc), ZE_RESULT_SUCCESS);
    assert_int_equal(told.started, 0);
    observe();
    uint32_t before = 0;
    for (int round = 0; round < 10; round++) {
        assert_int_equal(job_run(&desc), ZE_RESULT_SUCCESS);
        assert_int_equal(told.started, 1);
        assert_int_equal(told.units, UNITS);
        assert_int_equal(told.finished, 1);
        assert_int_equal(told.wrong, 0);
        assert_true(told.calls != 0);
        assert_int_equal(told.calls, told.ranges);
        assert_true(round == 0 || told.number == before + 1);
        before = told.number;
    }
}

static void removed_observers_are_not_told(void **state)
{
    (void)state;
    _Atomic uint32_t cost = 0;
    const struct geo_exec_job_desc desc = {.run = units_spin, .units = UNITS, .cost_ps = &cost};
    for (int round = 0; round < 3; round++) {
        observe();
        observe(); /* a second registration has no effect */
        assert_int_equal(job_run(&desc), ZE_RESULT_SUCCESS);
        assert_int_equal(told.started, 1);
        geo_exec_job_observer_remove(&whole);
        assert_int_equal(job_run(&desc), ZE_RESULT_SUCCESS);
        assert_int_equal(told.started + told.finished + told.units, 0);
        geo_exec_job_observer_remove(&deaf);
        assert_int_equal(atomic_load(&geo_exec_job_observers), 0);
    }
}

static void faults_of_observed_jobs_are_the_jobs(void **state)
{
    (void)state;
    _Atomic uint32_t cost = 0;
    const struct geo_exec_job_desc desc = {.run = unit_traps,
                                           .fault = fault_keep,
                                           .data = &cost,
                                           .units = 1,
                                           .cost_ps = &cost,
                                           .name = "a trap"};
    observe();
    assert_int_equal(job_run(&desc), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_ptr_equal(fault_data, &cost);
    assert_int_equal(told.units, 0);
    assert_int_equal(told.finished, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observers_are_told_of_every_unit),
        cmocka_unit_test(removed_observers_are_not_told),
        cmocka_unit_test(faults_of_observed_jobs_are_the_jobs),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
