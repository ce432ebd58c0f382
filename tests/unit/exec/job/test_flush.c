/* Tests that each worker flushes its table of pending additions before a launch ends, and drops it
 * after a fault. Each case runs in a process of its own. */
#include "apart.h"

#include "exec/job/job.h"
#include "exec/job/observer.h"
#include "exec/thread/fault.h"

#include <stdio.h>
#include <stdlib.h>

#define GROUPS 20000u
#define NOBODY UINT64_MAX

static struct fixture cpu;
static const char *order, *exact, *threads = "4";

static void prepare(void)
{
    setenv("GEOID_THREADS", threads, 1);
    setenv("GEOID_GROUP_ORDER", order, 1);
    setenv("GEOID_EXACT_FAULTS", exact, 1);
    fixture_open(&cpu, &geo_backend_cpu_ops);
}

static int run_apart(int (*run)(void))
{
    order = exact = "0";
    return apart_run(prepare, run);
}

/* ---- a kernel that counts its groups by pending additions ---- */

static struct {
    uint64_t bad;          /* the group that faults */
    bool bad_flush;        /* flushes fault */
    uint64_t spin_ns;      /* of a group */
    _Atomic uint64_t sum;  /* of groups */
    _Atomic uint32_t kept; /* calls that left their additions in the worker */
    _Atomic uint32_t flushes;
} count;

static void fault_make(void)
{
    static volatile uintptr_t place = 64;
    *(volatile int *)place = 1;
}

static void spin(uint64_t ns)
{
    uint64_t start = geo_machine_ticks();
    while (ns != 0 && geo_ticks_to_ns(geo_machine_ticks() - start) < ns) {
        geo_machine_pause();
    }
}

#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void count_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                         uint64_t groups)
{
    (void)launch;
    for (uint64_t group = first; group < first + groups; group++) {
        spin(count.spin_ns);
        if (group == count.bad) {
            fault_make();
        }
        if (worker->pending) {
            worker->pending->sums[group % 8]++;
        } else {
            atomic_fetch_add(&count.sum, 1);
        }
    }
    if (groups == 0) {
        if (count.bad_flush) {
            fault_make();
        }
        for (uint32_t i = 0; i < 8; i++) {
            atomic_fetch_add(&count.sum, worker->pending->sums[i]);
            worker->pending->sums[i] = 0;
        }
        atomic_fetch_add(&count.flushes, 1);
    } else if (worker->pending) {
        atomic_fetch_add(&count.kept, 1);
    }
}

static _Atomic uint32_t lost;
static atomic_bool told; /* a fault was noted */

/* Notes the first fault: several workers may have one at once. */
static void fault_listen(void *owner, const struct geo_fault *fault)
{
    if (!atomic_exchange(&told, true)) {
        *(struct geo_fault *)owner = *fault;
    }
    atomic_store(&lost, 1);
}

/* Runs a launch on a stream of its own, with the state of the kernel that was set. */
static ze_result_t launch_run(uint32_t groups, struct geo_fault *fault)
{
    const struct geo_stream_desc desc = {.priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
                                         .faults = {&lost, fault_listen, fault}};
    struct geo_backend_stream *stream = NULL;
    struct test_kernel kernel;
    struct test_batch batch;
    uint64_t ticket;
    NEED(cpu.ops->stream->create(cpu.device, &desc, &stream) == ZE_RESULT_SUCCESS);
    atomic_store(&lost, 0);
    atomic_store(&told, false);
    kernel_init(&kernel, count_kernel);
    kernel.kernel.flags = GEO_KERNEL_PENDS;
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, groups, NULL, 0);
    atomic_store(&count.sum, 0);
    atomic_store(&count.kept, 0);
    atomic_store(&count.flushes, 0);
    cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){0}, &ticket);
    ze_result_t result = cpu.ops->stream->wait(stream, ticket, UINT64_MAX);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
    return result;
}

/* Runs a launch that has to work, in which workers keep additions or do not. */
static void launch_need(uint32_t groups, bool keeps)
{
    struct geo_fault fault;
    count.bad = NOBODY;
    count.bad_flush = false;
    NEED(launch_run(groups, &fault) == ZE_RESULT_SUCCESS);
    NEED(atomic_load(&count.sum) == groups);
    NEED((atomic_load(&count.kept) != 0) == keeps);
    NEED((atomic_load(&count.flushes) != 0) == keeps);
}

/* ---- launches that work ---- */

static int launches_case(void)
{
    static const uint64_t spins[] = {0, 200, 3000};
    for (size_t i = 0; i < sizeof(spins) / sizeof(spins[0]); i++) {
        count.spin_ns = spins[i];
        for (uint32_t round = 0; round < 6; round++) {
            launch_need(GROUPS + round, true);
        }
    }
    return 0;
}

static void workers_flush_before_a_launch_ends(void **state)
{
    (void)state;
    assert_int_equal(run_apart(launches_case), 0);
}

static void a_single_worker_flushes(void **state)
{
    (void)state;
    threads = "1";
    assert_int_equal(run_apart(launches_case), 0);
    threads = "4";
}

static void workers_flush_with_other_orders_of_groups(void **state)
{
    (void)state;
    order = "7";
    exact = "0";
    assert_int_equal(apart_run(prepare, launches_case), 0);
}

static int observed_case(void)
{
    static const struct geo_exec_job_observer observer = {.started = NULL};
    geo_exec_job_observer_add(&observer);
    launches_case();
    geo_exec_job_observer_remove(&observer);
    return 0;
}

static void workers_flush_while_jobs_are_observed(void **state)
{
    (void)state;
    assert_int_equal(run_apart(observed_case), 0);
}

static int small_case(void)
{
    launch_need(4095, false);
    launch_need(4096, true);
    return 0;
}

static void small_launches_keep_nothing(void **state)
{
    (void)state;
    assert_int_equal(run_apart(small_case), 0);
}

/* A launch of 400 ms, in which others see the additions of the first 100 ms. */
static int long_case(void)
{
    count.spin_ns = 20000;
    launch_need(GROUPS, true);
    NEED(atomic_load(&count.flushes) > 40);
    return 0;
}

static void long_launches_flush_now_and_then(void **state)
{
    (void)state;
    assert_int_equal(run_apart(long_case), 0);
}

/* ---- faults ---- */

static int fault_case(void)
{
    struct geo_fault fault = {0};
    count.spin_ns = 200;
    for (uint32_t round = 0; round < 10; round++) {
        count.bad = round * (GROUPS / 10) + 1;
        NEED(launch_run(GROUPS, &fault) == ZE_RESULT_ERROR_DEVICE_LOST);
        NEED(fault.first_group[0] == 0 && fault.last_group[0] >= count.bad);
        launch_need(GROUPS, true);
    }
    return 0;
}

static void additions_are_dropped_after_a_fault(void **state)
{
    (void)state;
    assert_int_equal(run_apart(fault_case), 0);
}

static int flush_case(void)
{
    struct geo_fault fault = {0};
    for (uint32_t round = 0; round < 10; round++) {
        count.spin_ns = round % 2 ? 0 : 1000;
        count.bad = NOBODY;
        count.bad_flush = true;
        fault = (struct geo_fault){0};
        NEED(launch_run(GROUPS, &fault) == ZE_RESULT_ERROR_DEVICE_LOST);
        NEED(fault.first_group[0] == 0 && fault.last_group[0] > 0);
        launch_need(GROUPS, true);
    }
    return 0;
}

static void a_fault_of_a_flush_loses_the_launch(void **state)
{
    (void)state;
    assert_int_equal(run_apart(flush_case), 0);
}

static void nothing_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                        uint64_t units)
{
    (void)data, (void)worker, (void)first, (void)units;
}

static void bad_flush(const void *data, struct geo_exec_worker *worker)
{
    (void)data, (void)worker;
    fault_make();
}

/* Nobody is told of the fault but the caller. */
static int job_case(void)
{
    _Atomic uint32_t cost = 0;
    const struct geo_exec_job_desc desc = {.run = nothing_run,
                                           .flush = bad_flush,
                                           .drop = geo_worker_pending_drop,
                                           .units = 100,
                                           .cost_ps = &cost,
                                           .name = "units"};
    struct geo_exec_worker *guest = geo_guest_acquire();
    NEED(guest);
    geo_fault_open(); /* as a stream does */
    ze_result_t result = geo_exec_job_run(&geo_host_executor(cpu.device)->jobs, &desc, guest);
    geo_guest_release(guest);
    NEED(result == ZE_RESULT_ERROR_DEVICE_LOST);
    return 0;
}

static void a_fault_of_a_flush_is_the_result_of_the_job(void **state)
{
    (void)state;
    assert_int_equal(run_apart(job_case), 0);
}

static int exact_case(void)
{
    struct geo_fault fault = {0};
    launch_need(GROUPS, false);
    count.bad = 7000;
    NEED(launch_run(GROUPS, &fault) == ZE_RESULT_ERROR_DEVICE_LOST);
    NEED(fault.first_group[0] == 7000 && fault.last_group[0] == 7000);
    return 0;
}

static void exact_faults_keep_nothing(void **state)
{
    (void)state;
    order = "0";
    exact = "1";
    assert_int_equal(apart_run(prepare, exact_case), 0);
}

/* ---- the table ---- */

/* The guest that another thread of the parent used. */
static int fork_case(void)
{
    struct geo_exec_worker *guest = geo_guest_acquire();
    NEED(guest && geo_worker_pending(guest) && geo_worker_pending(guest) == guest->pending);
    guest->pending->sums[3] = 5;
    guest->pending->credit = -5;
    guest->pending->used = 1;
    geo_guest_after_fork();
    NEED(guest->pending->sums[3] == 0 && guest->pending->used == 0 && guest->pending->credit == 0);
    return 0;
}

static void a_child_drops_the_additions_of_its_parent(void **state)
{
    (void)state;
    assert_int_equal(run_apart(fork_case), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_flush_before_a_launch_ends),
        cmocka_unit_test(a_single_worker_flushes),
        cmocka_unit_test(workers_flush_with_other_orders_of_groups),
        cmocka_unit_test(workers_flush_while_jobs_are_observed),
        cmocka_unit_test(small_launches_keep_nothing),
        cmocka_unit_test(long_launches_flush_now_and_then),
        cmocka_unit_test(additions_are_dropped_after_a_fault),
        cmocka_unit_test(a_fault_of_a_flush_loses_the_launch),
        cmocka_unit_test(a_fault_of_a_flush_is_the_result_of_the_job),
        cmocka_unit_test(exact_faults_keep_nothing),
        cmocka_unit_test(a_child_drops_the_additions_of_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
