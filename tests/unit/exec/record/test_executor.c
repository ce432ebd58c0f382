/* Executors: each runs on its own cores; those that share cores share workers and nothing else. */
#include "support.h"

#include "exec/crew/wake.h"
#include "exec/stream/fork.h"
#include "exec/stream/stream.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The thread sanitizer by default ends a forked child that starts threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

#define CORES   2         /* that the tests use */
#define SPIN_NS 50000000u /* long enough to see who was woken */

static int32_t cores[CORES]; /* of this process; beyond them places without a core */
static uint32_t core_count;

static int group_setup(void **state)
{
    (void)state;
    cpu_set_t allowed;
    geo_exec_open();
    assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    for (int32_t cpu = 0; cpu < CPU_SETSIZE && core_count < CORES; cpu++) {
        if (CPU_ISSET((size_t)cpu, &allowed)) {
            cores[core_count++] = cpu;
        }
    }
    for (uint32_t i = core_count; i < CORES; i++) {
        cores[i] = (int32_t)(CPU_SETSIZE + i);
    }
    return 0;
}

static struct geo_executor *executor_on(uint32_t first, uint32_t count)
{
    const struct geo_crew_desc desc = {
        .places = &cores[first],
        .place_count = count,
        .workers = count,
        .pinned = first + count <= core_count,
    };
    struct geo_executor *executor = geo_executor_create(&desc);
    assert_non_null(executor);
    return executor;
}

/* A stream with one batch of launches. */
struct lane {
    struct geo_backend_stream *stream;
    struct test_batch batch;
    struct test_kernel kernel;
};

static void lane_open(struct lane *lane, struct geo_executor *executor, geo_kernel_fn entry,
                      uint32_t groups, const void *arguments, size_t bytes)
{
    const struct geo_runner runner = {.ops = &geo_cpu_record_ops, .executor = executor};
    assert_int_equal(geo_exec_stream_create(&runner, 1, &lane->stream), ZE_RESULT_SUCCESS);
    kernel_init(&lane->kernel, entry);
    batch_init(&lane->batch);
    batch_add_launch(&lane->batch, &lane->kernel.kernel, groups, arguments, bytes);
}

static void lane_submit(struct lane *lane)
{
    geo_exec_stream_submit(lane->stream, &lane->batch.batch, (struct geo_event_ref){0}, NULL);
}

/* Bounded: workers do it, this thread never helps. */
static ze_result_t lane_wait(struct lane *lane)
{
    return geo_exec_stream_wait(lane->stream, UINT64_MAX, PATIENCE_NS);
}

static void lane_close(struct lane *lane)
{
    geo_exec_stream_destroy(lane->stream);
    batch_finish(&lane->batch);
}

/* From now on no spare worker comes to it. */
static void spares_refuse(struct geo_executor *executor)
{
    atomic_store(&executor->crew.spare_bits, UINT64_MAX);
}

/* Waits until these members of the crew have said that they sleep. They look for work once more
 * after that: a member may still take work that comes now although another one is woken for it. */
static void crew_sleep_await(const struct geo_executor *executor, uint64_t members)
{
    const uint64_t end = patience_end();
    while ((atomic_load(&executor->crew.asleep[0]) & members) != members) {
        patience_pause(end, "workers do not sleep");
    }
}

/* The calling thread stays on one of the cores; on any of them again. */
static void caller_stays(uint32_t core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cores[core], &set);
    assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void caller_goes(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (uint32_t i = 0; i < core_count; i++) {
        CPU_SET((size_t)cores[i], &set);
    }
    assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* ---- kernels ---- */

struct where {
    _Atomic uint64_t *cpus; /* a bit per core that the thread may be on, of the first 64 */
    _Atomic uint32_t *thread, *ran;
};

static void where_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                         uint64_t count)
{
    (void)worker;
    (void)first;
    const struct where *where = (const struct where *)launch->arguments;
    cpu_set_t allowed;
    uint64_t cpus = 0;
    sched_getaffinity(0, sizeof(allowed), &allowed);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        cpus |= CPU_ISSET(cpu, &allowed) ? 1ull << (cpu % 64) : 0;
    }
    atomic_fetch_or(where->cpus, cpus);
    atomic_store(where->thread, (uint32_t)gettid());
    atomic_fetch_add(where->ran, (uint32_t)count);
}

struct gate {
    _Atomic uint32_t *entered, *open;
    _Atomic uint32_t *threads; /* who entered, complete when the gates are done; may be NULL */
};

static void gate_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)worker;
    (void)first;
    const struct gate *gate = (const struct gate *)launch->arguments;
    uint32_t turn = atomic_fetch_add(gate->entered, (uint32_t)count);
    if (gate->threads) {
        atomic_store(&gate->threads[turn], (uint32_t)gettid());
    }
    wait_for(gate->open, 1);
}

/* ---- cores ---- */

static void executors_on_disjoint_cores_stay_on_them(void **state)
{
    (void)state;
    if (core_count < 2) {
        skip();
    }
    struct geo_executor *executors[2] = {executor_on(0, 1), executor_on(1, 1)};
    _Atomic uint64_t cpus[2] = {0};
    _Atomic uint32_t thread, ran[2] = {0}, entered = 0, open = 0;
    struct lane lanes[2], gates[2];
    for (int i = 0; i < 2; i++) {
        struct where where = {&cpus[i], &thread, &ran[i]};
        struct gate gate = {&entered, &open, NULL};
        lane_open(&gates[i], executors[i], gate_kernel, 1, &gate, sizeof(gate));
        lane_open(&lanes[i], executors[i], where_kernel, 1000, &where, sizeof(where));
        lane_submit(&lanes[i]);
        assert_int_equal(lane_wait(&lanes[i]), ZE_RESULT_SUCCESS);
        lane_submit(&gates[i]);
    }
    wait_for(&entered, 2);
    for (int i = 0; i < 2; i++) { /* now the workers are taken: spare ones do it, there too */
        lane_submit(&lanes[i]);
        assert_int_equal(lane_wait(&lanes[i]), ZE_RESULT_SUCCESS);
        assert_int_equal(ran[i], 2000);
        assert_int_equal(cpus[i], 1ull << (cores[i] % 64));
    }
    atomic_store(&open, 1);
    for (int i = 0; i < 2; i++) {
        lane_wait(&gates[i]);
        lane_close(&gates[i]);
        lane_close(&lanes[i]);
        geo_executor_destroy(executors[i]);
    }
}

/* Occupies all workers of an executor at once, and returns their threads in ascending order. */
static void workers_occupy(struct geo_executor *executor, uint32_t threads[CORES])
{
    _Atomic uint32_t entered = 0, open = 0, met[CORES] = {0};
    struct gate gate = {&entered, &open, met};
    struct lane lanes[CORES];
    uint32_t workers = executor->crew.members;
    for (uint32_t i = 0; i < workers; i++) {
        lane_open(&lanes[i], executor, gate_kernel, 1, &gate, sizeof(gate));
        lane_submit(&lanes[i]);
    }
    wait_for(&entered, workers);
    atomic_store(&open, 1);
    for (uint32_t i = 0; i < workers; i++) {
        assert_int_equal(lane_wait(&lanes[i]), ZE_RESULT_SUCCESS);
        lane_close(&lanes[i]);
    }
    bool swap = workers == CORES && met[0] > met[1];
    threads[0] = met[swap];
    threads[1] = met[!swap];
}

/* A device, a sub-device on one of its cores, and the same device once more. Every worker of each
 * is made to enter, because it is open which of two sleeping workers takes a single piece of work. */
static void executors_that_share_cores_share_workers(void **state)
{
    (void)state;
    struct geo_executor *whole = executor_on(0, 2), *part = executor_on(1, 1),
                        *twin = executor_on(0, 2);
    struct geo_executor *all[] = {whole, part, twin};
    uint32_t of_whole[CORES], of_part[CORES], of_twin[CORES];
    for (int i = 0; i < 3; i++) {
        spares_refuse(all[i]);
    }
    workers_occupy(whole, of_whole);
    workers_occupy(part, of_part);
    workers_occupy(twin, of_twin);
    assert_int_not_equal(of_whole[0], of_whole[1]);
    assert_int_equal(of_twin[0], of_whole[0]);
    assert_int_equal(of_twin[1], of_whole[1]);
    assert_true(of_part[0] == of_whole[0] || of_part[0] == of_whole[1]);
    assert_int_equal(geo_crew_threads(), CORES);
    for (int i = 0; i < 3; i++) {
        geo_executor_destroy(all[i]);
    }
}

/* Two threads on one core take turns: who wakes others leaves that of its own core asleep. */
static void workers_of_the_wakers_core_sleep_on(void **state)
{
    (void)state;
    if (core_count < CORES) {
        skip();
    }
    struct geo_executor *executor = executor_on(0, 2);
    struct geo_crew *crew = &executor->crew;
    crew->spin_ns = SPIN_NS;
    uint32_t threads[CORES];
    bool woken = false;
    workers_occupy(executor, threads);
    for (uint32_t round = 0; round < 4; round++) {
        caller_stays(round % 2);
        crew_sleep_await(executor, 3);
        assert_int_equal(geo_crew_here(crew), round % 2);
        geo_crew_wake(crew, 2, geo_crew_here(crew));
        woken = woken || !(atomic_load(&crew->asleep[0]) & 1ull << round % 2);
    }
    caller_goes();
    geo_executor_destroy(executor);
    assert_false(woken);
}

/* ---- ends ---- */

static void threads_await(uint32_t count)
{
    const uint64_t end = patience_end();
    while (geo_crew_threads() != count) {
        patience_pause(end, "worker threads are left, or lack");
    }
}

static void destroying_one_leaves_the_others(void **state)
{
    (void)state;
    threads_await(0); /* of the cases before */
    for (int round = 0; round < 20; round++) {
        struct geo_executor *first = executor_on(0, 2), *second = executor_on(0, 2);
        _Atomic uint64_t cpus = 0;
        _Atomic uint32_t thread, ran = 0, entered = 0, open = 0;
        struct where where = {&cpus, &thread, &ran};
        struct gate gate = {&entered, &open, NULL};
        struct lane one, two, busy;
        lane_open(&one, first, where_kernel, 100, &where, sizeof(where));
        lane_open(&two, second, where_kernel, 100, &where, sizeof(where));
        lane_open(&busy, second, gate_kernel, 1, &gate, sizeof(gate));
        lane_submit(&one);
        lane_submit(&two);
        assert_int_equal(lane_wait(&one), ZE_RESULT_SUCCESS);
        assert_int_equal(lane_wait(&two), ZE_RESULT_SUCCESS);
        lane_submit(&busy);
        wait_for(&entered, 1);
        lane_close(&one);
        geo_executor_destroy(first); /* although a worker is in a kernel of the other */
        lane_submit(&two);
        assert_int_equal(lane_wait(&two), ZE_RESULT_SUCCESS);
        atomic_store(&open, 1);
        assert_int_equal(lane_wait(&busy), ZE_RESULT_SUCCESS);
        assert_int_equal(ran, 300);
        assert_in_range(geo_crew_threads(), 1, CORES);
        lane_close(&two);
        lane_close(&busy);
        geo_executor_destroy(second);
    }
    threads_await(0); /* nobody sits where nobody needs him */
}

static void a_core_has_room_for_a_bounded_number_of_executors(void **state)
{
    (void)state;
    struct geo_executor *executors[GEO_CREW_CREWS];
    const struct geo_crew_desc desc = {.places = cores, .place_count = 2, .workers = 2};
    for (uint32_t i = 0; i < GEO_CREW_CREWS; i++) {
        executors[i] = executor_on(1, 1);
    }
    assert_null(geo_executor_create(&desc)); /* the second core is full, the first is let go */
    geo_executor_destroy(executors[0]);
    executors[0] = geo_executor_create(&desc);
    assert_non_null(executors[0]);
    for (uint32_t i = 0; i < GEO_CREW_CREWS; i++) {
        geo_executor_destroy(executors[i]);
    }
}

/* ---- progress ---- */

/* Kernels of one that never end occupy every worker; the other gets spare ones. */
static void one_stuck_executor_does_not_stop_the_others(void **state)
{
    (void)state;
    enum { BUSY = 4 };
    for (int turn = 0; turn < 2; turn++) {
        struct geo_executor *executors[] = {executor_on(0, 2), executor_on(0, 2),
                                            executor_on(1, 1)};
        struct geo_executor *stuck = executors[turn];
        _Atomic uint64_t cpus = 0;
        _Atomic uint32_t thread, ran = 0, entered = 0, open = 0;
        struct gate gate = {&entered, &open, NULL};
        struct where where = {&cpus, &thread, &ran};
        struct lane gates[BUSY];
        for (int i = 0; i < BUSY; i++) {
            lane_open(&gates[i], stuck, gate_kernel, 1, &gate, sizeof(gate));
            lane_submit(&gates[i]);
        }
        wait_for(&entered, BUSY); /* workers, then spares */
        for (int i = 0; i < 3; i++) {
            struct lane lane;
            lane_open(&lane, executors[i], where_kernel, 50, &where, sizeof(where));
            lane_submit(&lane);
            assert_int_equal(lane_wait(&lane), ZE_RESULT_SUCCESS);
            lane_close(&lane);
        }
        assert_int_equal(ran, 150);
        assert_in_range(geo_crew_threads(), 1, CORES);
        atomic_store(&open, 1);
        for (int i = 0; i < BUSY; i++) {
            assert_int_equal(lane_wait(&gates[i]), ZE_RESULT_SUCCESS);
            lane_close(&gates[i]);
        }
        for (int i = 0; i < 3; i++) {
            geo_executor_destroy(executors[i]);
        }
    }
}

/* Two batches that submit each other: the stream is never empty. */
struct endless {
    struct lane lane;
    struct test_batch batches[2];
    _Atomic uint32_t turns;
    _Atomic bool stop;
};

static void endless_next(void *data)
{
    struct endless *endless = data;
    uint32_t turn = atomic_fetch_add(&endless->turns, 1);
    if (!atomic_load(&endless->stop)) {
        geo_exec_stream_submit(endless->lane.stream, &endless->batches[turn % 2].batch,
                               (struct geo_event_ref){0}, NULL);
    }
}

static void endless_start(struct endless *endless, struct geo_executor *executor)
{
    memset(endless, 0, sizeof(*endless));
    lane_open(&endless->lane, executor, NULL, 0, NULL, 0);
    for (int i = 0; i < 2; i++) {
        batch_init(&endless->batches[i]);
        struct geo_command_host_function *host =
            batch_add(&endless->batches[i], GEO_COMMAND_HOST_FUNCTION, sizeof(*host));
        host->function = endless_next;
        host->user_data = endless;
    }
    geo_exec_stream_submit(endless->lane.stream, &endless->batches[1].batch,
                           (struct geo_event_ref){0}, NULL);
}

/* Streams of one that never run dry keep the worker busy; it still serves the other, and goes on
 * with the first. */
static void one_flooded_executor_does_not_stop_the_others(void **state)
{
    (void)state;
    struct geo_executor *flooded = executor_on(0, 1), *other = executor_on(0, 1);
    spares_refuse(flooded);
    spares_refuse(other);
    static struct endless endless[3];
    _Atomic uint64_t cpus = 0;
    _Atomic uint32_t thread, ran = 0;
    struct where where = {&cpus, &thread, &ran};
    struct lane lane;
    for (int i = 0; i < 3; i++) {
        endless_start(&endless[i], flooded);
    }
    lane_open(&lane, other, where_kernel, 10, &where, sizeof(where));
    for (int round = 0; round < 50; round++) {
        lane_submit(&lane);
        assert_int_equal(lane_wait(&lane), ZE_RESULT_SUCCESS);
        for (int i = 0; i < 3; i++) {
            wait_for(&endless[i].turns, atomic_load(&endless[i].turns) + 1);
        }
    }
    assert_int_equal(ran, 500);
    for (int i = 0; i < 3; i++) {
        atomic_store(&endless[i].stop, true);
        assert_int_equal(lane_wait(&endless[i].lane), ZE_RESULT_SUCCESS);
        lane_close(&endless[i].lane);
        batch_finish(&endless[i].batches[0]);
        batch_finish(&endless[i].batches[1]);
    }
    lane_close(&lane);
    geo_executor_destroy(flooded);
    geo_executor_destroy(other);
}

/* ---- fork ---- */

static void a_child_has_all_executors(void **state)
{
    (void)state;
    struct geo_executor *executors[] = {executor_on(0, 2), executor_on(0, 2), executor_on(1, 1)};
    _Atomic uint64_t cpus = 0;
    _Atomic uint32_t thread, ran = 0;
    _Atomic uint32_t entered = 0, open = 0;
    struct where where = {&cpus, &thread, &ran};
    struct gate gate = {&entered, &open, NULL};
    struct lane lanes[3], gates[3];
    for (int i = 0; i < 3; i++) { /* the third waits in its queue at the fork */
        lane_open(&gates[i], executors[1], gate_kernel, 1, &gate, sizeof(gate));
    }
    for (int i = 0; i < 3; i++) {
        lane_open(&lanes[i], executors[i], where_kernel, 10, &where, sizeof(where));
        lane_submit(&lanes[i]);
        assert_int_equal(lane_wait(&lanes[i]), ZE_RESULT_SUCCESS);
    }
    spares_refuse(executors[1]);
    for (int i = 0; i < 3; i++) {
        lane_submit(&gates[i]);
    }
    wait_for(&entered, 2);
    pid_t child = fork();
    if (child == 0) {
        bool good = geo_crew_threads() == 0;
        for (int i = 0; i < 3; i++) {
            geo_exec_stream_destroy(gates[i].stream);
        }
        for (int i = 0; i < 3; i++) {
            lane_submit(&lanes[i]);
            good = lane_wait(&lanes[i]) == ZE_RESULT_SUCCESS && good;
            geo_exec_stream_destroy(lanes[i].stream);
            geo_executor_destroy(executors[i]);
        }
        _exit(good && ran == 60 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    atomic_store(&open, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lane_wait(&gates[i]), ZE_RESULT_SUCCESS);
        lane_close(&gates[i]);
    }
    for (int i = 0; i < 3; i++) {
        lane_close(&lanes[i]);
        geo_executor_destroy(executors[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executors_on_disjoint_cores_stay_on_them),
        cmocka_unit_test(executors_that_share_cores_share_workers),
        cmocka_unit_test(workers_of_the_wakers_core_sleep_on),
        cmocka_unit_test(destroying_one_leaves_the_others),
        cmocka_unit_test(a_core_has_room_for_a_bounded_number_of_executors),
        cmocka_unit_test(one_stuck_executor_does_not_stop_the_others),
        cmocka_unit_test(one_flooded_executor_does_not_stop_the_others),
        cmocka_unit_test(a_child_has_all_executors),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
