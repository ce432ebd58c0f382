/* Jobs: every unit runs once, whoever takes part; groups that wait for each other
 * get a thread each. */
#include "support.h"

#include "exec/job/job.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#define UNITS_MAX 2000000u

static struct fixture cpu;
static _Atomic uint8_t *seen;

static int group_setup(void **state)
{
    (void)state;
    setenv("GEOID_THREADS", "4", 1); /* more than this machine may have: preemption everywhere */
    fixture_open(&cpu, &geo_backend_cpu_ops);
    seen = calloc(UNITS_MAX, 1);
    return seen == NULL;
}

static int group_teardown(void **state)
{
    (void)state;
    free((void *)(uintptr_t)seen);
    return 0;
}

static void mark_units(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    uint32_t work = *(const uint32_t *)data;
    assert_true(worker->abi.scratch_bytes >= 1000);
    for (uint64_t i = first; i < first + count; i++) {
        atomic_fetch_add_explicit(&seen[i], 1, memory_order_relaxed);
        for (volatile uint32_t spin = 0; spin < work; spin++) {
        }
    }
}

static void run_units(uint64_t units, uint32_t work, _Atomic uint32_t *cost)
{
    struct geo_exec_worker *guest = geo_guest_acquire();
    assert_non_null(guest);
    struct geo_exec_job_desc desc = {
        .run = mark_units,
        .data = &work,
        .units = units,
        .scratch_bytes = 1000,
        .cost_ps = cost,
    };
    assert_int_equal(geo_exec_job_run(&geo_host_executor(cpu.device)->jobs, &desc, guest),
                     ZE_RESULT_SUCCESS);
    geo_guest_release(guest);
    for (uint64_t i = 0; i < units; i++) {
        if (seen[i] != 1) {
            fail_msg("unit %llu of %llu ran %u times", (unsigned long long)i,
                     (unsigned long long)units, seen[i]);
        }
        seen[i] = 0;
    }
}

static void every_unit_runs_exactly_once(void **state)
{
    (void)state;
    const uint64_t counts[] = {0, 1, 2, 3, 7, 100, 4096, 100001};
    const uint32_t works[] = {0, 20, 2000};
    for (size_t w = 0; w < 3; w++) {
        _Atomic uint32_t cost = 0;
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            if (counts[c] * works[w] > 20000000) {
                continue;
            }
            for (int round = 0; round < 5; round++) {
                run_units(counts[c], works[w], &cost);
            }
        }
    }
}

/* ---- estimates ---- */

/* The owner and a helper meet: each goes on with its first unit when the other has begun one. */
struct rendezvous {
    const struct geo_exec_worker *owner;
    _Atomic uint32_t owner_came, helper_came;
};

static void rendezvous_units(const void *data, struct geo_exec_worker *worker, uint64_t first,
                             uint64_t count)
{
    struct rendezvous *meeting = *(struct rendezvous *const *)data;
    bool owner = worker == meeting->owner;
    atomic_store(owner ? &meeting->owner_came : &meeting->helper_came, 1);
    wait_for(owner ? &meeting->helper_came : &meeting->owner_came, 1);
    for (uint64_t i = first; i < first + count; i++) {
        atomic_fetch_add_explicit(&seen[i], 1, memory_order_relaxed);
    }
}

static void units_check(uint64_t units)
{
    for (uint64_t i = 0; i < units; i++) {
        assert_int_equal(seen[i], 1);
        seen[i] = 0;
    }
}

/* A wrong estimate costs time, never results; and what was measured counts from then on. */
static void units_thought_dear_are_shared_at_once(void **state)
{
    (void)state;
    enum { UNITS = 1000 };
    const uint32_t dear = 2000000000; /* two milliseconds each, which they do not take */
    _Atomic uint32_t cost = dear;
    struct rendezvous meeting = {.owner = geo_guest_acquire()}, *pointer = &meeting;
    struct geo_exec_job_desc desc = {
        .run = rendezvous_units,
        .data = &pointer,
        .units = UNITS,
        .cost_ps = &cost,
    };
    struct geo_exec_worker *guest = (struct geo_exec_worker *)(uintptr_t)meeting.owner;
    assert_int_equal(geo_exec_job_run(&geo_host_executor(cpu.device)->jobs, &desc, guest),
                     ZE_RESULT_SUCCESS);
    geo_guest_release(guest);
    assert_int_equal(meeting.helper_came, 1);
    units_check(UNITS);
    assert_int_not_equal(cost, dear);
}

static void units_thought_cheap_begin_alone(void **state)
{
    (void)state;
    const uint64_t counts[] = {2, 20000}; /* the owner does two units alone, whatever they take */
    for (int i = 0; i < 2; i++) {
        _Atomic uint32_t cost = 1; /* none takes as little */
        run_units(counts[i], 300, &cost);
        assert_true(cost > 1);
    }
}

struct many {
    pthread_t thread;
    uint64_t sum;
};

static void sum_units(const void *data, struct geo_exec_worker *worker, uint64_t first,
                      uint64_t count)
{
    (void)worker;
    _Atomic uint64_t *sum = *(_Atomic uint64_t *const *)data;
    uint64_t part = 0;
    for (uint64_t i = first; i < first + count; i++) {
        part += i;
        for (volatile int spin = 0; spin < 50; spin++) {
        }
    }
    atomic_fetch_add(sum, part);
}

static void *many_main(void *argument)
{
    struct many *many = argument;
    _Atomic uint32_t cost = 0;
    for (int round = 0; round < 40; round++) {
        _Atomic uint64_t sum = 0;
        _Atomic uint64_t *pointer = &sum;
        struct geo_exec_worker *guest = geo_guest_acquire();
        struct geo_exec_job_desc desc = {
            .run = sum_units,
            .data = &pointer,
            .units = 3000,
            .cost_ps = &cost,
        };
        geo_exec_job_run(&geo_host_executor(cpu.device)->jobs, &desc, guest);
        geo_guest_release(guest);
        many->sum += sum == 3000ull * 2999 / 2;
    }
    return NULL;
}

static void jobs_of_many_threads_share_the_pool(void **state)
{
    (void)state;
    enum { THREADS = 6 };
    struct many many[THREADS];
    memset(many, 0, sizeof(many));
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&many[i].thread, NULL, many_main, &many[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(many[i].thread, NULL);
        assert_int_equal(many[i].sum, 40);
    }
}

/* ---- together ---- */

struct meeting {
    _Atomic uint32_t *arrived;
    uint32_t expected;
};

static void meet_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)worker;
    const struct meeting *meeting = (const struct meeting *)launch->arguments;
    for (uint64_t i = first; i < first + count; i++) {
        atomic_fetch_add(meeting->arrived, 1);
        while (atomic_load(meeting->arrived) < meeting->expected) {
            struct timespec pause = {.tv_nsec = 1000};
            nanosleep(&pause, NULL);
        }
    }
}

/* KRN-11 */
static void cooperative_groups_all_run_at_once(void **state)
{
    (void)state;
    enum { STREAMS = 3, GROUPS = 4 };
    struct geo_backend_stream *streams[STREAMS];
    struct test_batch batches[STREAMS];
    struct test_kernel kernel;
    _Atomic uint32_t arrived[STREAMS];
    kernel_init(&kernel, meet_kernel);
    for (int round = 0; round < 5; round++) {
        memset(arrived, 0, sizeof(arrived));
        for (int i = 0; i < STREAMS; i++) { /* more groups than workers in total */
            struct meeting meeting = {&arrived[i], GROUPS};
            uint64_t ticket;
            streams[i] = stream_open(&cpu);
            batch_init(&batches[i]);
            struct geo_command_launch *launch =
                batch_add_launch(&batches[i], &kernel.kernel, GROUPS, &meeting, sizeof(meeting));
            launch->cooperative = true;
            cpu.ops->stream->submit(streams[i], &batches[i].batch, (struct geo_event_ref){0},
                                    &ticket);
        }
        for (int i = 0; i < STREAMS; i++) {
            assert_int_equal(cpu.ops->stream->wait(streams[i], UINT64_MAX, PATIENCE_NS),
                             ZE_RESULT_SUCCESS);
            assert_int_equal(arrived[i], GROUPS);
            cpu.ops->stream->destroy(streams[i]);
            batch_finish(&batches[i]);
        }
    }
}

static struct geo_exec_job_board *board_of_all(void)
{
    return &geo_host_executor(cpu.device)->jobs;
}

struct holders {
    _Atomic uint32_t held, released;
};

static void hold_units(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    struct holders *holders = *(struct holders *const *)data;
    (void)worker, (void)count;
    if (first == 0) {
        atomic_fetch_add(&holders->held, 1);
        wait_for(&holders->released, 1);
    }
}

static void meet_units(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    _Atomic uint32_t *arrived = *(_Atomic uint32_t *const *)data;
    (void)worker, (void)first;
    atomic_fetch_add(arrived, (uint32_t)count);
    wait_for(arrived, 2);
}

struct owner {
    pthread_t thread;
    struct geo_exec_job_desc desc;
    ze_result_t result;
};

static void *owner_main(void *argument)
{
    struct owner *owner = argument;
    struct geo_exec_worker worker;
    _Atomic uint32_t dear = 2000000000; /* shared at once */
    memset(&worker, 0, sizeof(worker));
    owner->desc.units = 2;
    owner->desc.cost_ps = &dear;
    geo_guest_begin(&worker);
    owner->result = geo_exec_job_run(board_of_all(), &owner->desc, &worker);
    geo_guest_end(&worker);
    return NULL;
}

static void owner_start(struct owner *owner, const struct geo_exec_job_desc *desc)
{
    owner->desc = *desc;
    assert_int_equal(pthread_create(&owner->thread, NULL, owner_main, owner), 0);
}

/* KRN-11: also when other jobs have all slots. */
static void cooperative_groups_wait_for_a_slot(void **state)
{
    (void)state;
    enum { HOLDERS = GEO_EXEC_JOB_SLOTS + 8 };
    struct owner *owners = calloc(HOLDERS + 1, sizeof(*owners));
    struct holders holders = {0}, *held = &holders;
    _Atomic uint32_t arrived = 0, *met = &arrived;
    assert_non_null(owners);
    for (int i = 0; i < HOLDERS; i++) {
        owner_start(&owners[i], &(struct geo_exec_job_desc){.run = hold_units, .data = &held});
    }
    wait_for(&holders.held, HOLDERS);
    owner_start(&owners[HOLDERS],
                &(struct geo_exec_job_desc){.run = meet_units, .data = &met, .together = true});
    while (atomic_load(&board_of_all()->queued) == 0 && atomic_load(&arrived) == 0) {
        sched_yield();
    }
    uint32_t early = atomic_load(&arrived); /* one that would wait for the other for ever */
    atomic_store(&holders.released, 1);
    atomic_fetch_add(&arrived, early);
    for (int i = 0; i <= HOLDERS; i++) {
        pthread_join(owners[i].thread, NULL);
        assert_int_equal(owners[i].result, ZE_RESULT_SUCCESS);
    }
    assert_int_equal(early, 0);
    assert_int_equal(arrived, 2);
    free(owners);
}

struct starving_job {
    _Atomic uint32_t arrived, most;
};

static void starving_units(const void *data, struct geo_exec_worker *worker, uint64_t first,
                           uint64_t count)
{
    struct starving_job *job = *(struct starving_job *const *)data;
    uint32_t starving = atomic_load(&board_of_all()->starving);
    (void)worker, (void)first;
    if (starving > atomic_load(&job->most)) {
        atomic_store(&job->most, starving);
    }
    atomic_fetch_add(&job->arrived, (uint32_t)count);
    wait_for(&job->arrived, 2);
}

/* A job of two units has all its threads as soon as a helper comes, perhaps while its owner still
 * announces it. */
static void cooperative_jobs_fill_while_they_are_announced(void **state)
{
    (void)state;
    enum { ROUNDS = 3000 };
    struct geo_exec_worker worker;
    _Atomic uint32_t dear = 2000000000; /* shared at once */
    struct starving_job job = {0}, *data = &job;
    struct geo_exec_job_desc desc = {
        .run = starving_units, .data = &data, .units = 2, .cost_ps = &dear, .together = true};
    memset(&worker, 0, sizeof(worker));
    geo_guest_begin(&worker);
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&job.arrived, 0);
        assert_int_equal(geo_exec_job_run(board_of_all(), &desc, &worker), ZE_RESULT_SUCCESS);
        assert_false(geo_exec_job_starving(board_of_all()));
    }
    geo_guest_end(&worker);
    assert_in_range(job.most, 0, 1);
}

/* ---- floating point ---- */

static uint32_t control_word(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & 0xffc0u;
#else
    return 0;
#endif
}

static void control_kernel(const struct geo_launch *launch, struct geo_worker *worker,
                           uint64_t first, uint64_t count)
{
    (void)worker;
    (void)first;
    (void)count;
    uint32_t *const *out = (uint32_t *const *)launch->arguments;
    **out = control_word();
}

/* SPV-5 */
static void kernels_run_with_their_own_floating_point_state(void **state)
{
    (void)state;
#if defined(__x86_64__)
    struct test_kernel kernel;
    struct test_batch batch;
    uint32_t found = 0, *out = &found;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, control_kernel);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 1, &out, sizeof(out));
    __builtin_ia32_ldmxcsr(0xffc0); /* the application rounds towards zero and flushes */
    cpu.ops->stream->execute(stream, &batch.batch, (struct geo_event_ref){0});
    assert_int_equal(found, GEO_MACHINE_FP_DEFAULT & GEO_MACHINE_FP_CONTROL);
    assert_int_equal(control_word(), 0xffc0);
    __builtin_ia32_ldmxcsr(GEO_MACHINE_FP_DEFAULT);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
#endif
}

/* ---- scratch ---- */

struct scratch_arguments {
    uint64_t needed;
    _Atomic uint32_t *good;
};

static void scratch_kernel(const struct geo_launch *launch, struct geo_worker *worker,
                           uint64_t first, uint64_t count)
{
    const struct scratch_arguments *arguments = (const struct scratch_arguments *)launch->arguments;
    (void)first;
    if (worker->scratch_bytes >= arguments->needed &&
        (uintptr_t)worker->scratch % GEO_ABI_SCRATCH_ALIGN == 0) {
        memset(worker->scratch, 0x33, arguments->needed);
        atomic_fetch_add(arguments->good, (uint32_t)count);
    }
}

static void scratch_grows_to_what_a_launch_needs(void **state)
{
    (void)state;
    const uint64_t frames[] = {128, 1 << 20, 40 << 20, 4096};
    struct geo_backend_stream *stream = stream_open(&cpu);
    for (int i = 0; i < 4; i++) {
        struct test_kernel kernel;
        struct test_batch batch;
        _Atomic uint32_t good = 0;
        kernel_init(&kernel, scratch_kernel);
        kernel.kernel.needs.frame_bytes = frames[i];
        kernel.kernel.needs.chunk_bytes = 128;
        struct scratch_arguments arguments = {frames[i] + 64 * 128, &good};
        batch_init(&batch);
        struct geo_command_launch *launch =
            batch_add_launch(&batch, &kernel.kernel, 40, &arguments, sizeof(arguments));
        launch->local_size[0] = 64;
        stream_run_batch(&cpu, stream, &batch);
        assert_int_equal(good, 40);
        batch_finish(&batch);
    }
    cpu.ops->stream->destroy(stream);
}

/* GEN-11: what cannot be had is a result of the wait, once */
static void impossible_scratch_is_an_error_of_the_stream(void **state)
{
    (void)state;
    struct test_kernel kernel;
    struct test_batch batch;
    uint64_t ticket;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, scratch_kernel);
    kernel.kernel.needs.frame_bytes = UINT64_C(1) << 62;
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 4, NULL, 0);
    cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){0}, &ticket);
    assert_int_equal(cpu.ops->stream->wait(stream, ticket, UINT64_MAX),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(cpu.ops->stream->wait(stream, ticket, UINT64_MAX), ZE_RESULT_SUCCESS);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_runs_exactly_once),
        cmocka_unit_test(units_thought_dear_are_shared_at_once),
        cmocka_unit_test(units_thought_cheap_begin_alone),
        cmocka_unit_test(jobs_of_many_threads_share_the_pool),
        cmocka_unit_test(cooperative_groups_all_run_at_once),
        cmocka_unit_test(cooperative_groups_wait_for_a_slot),
        cmocka_unit_test(cooperative_jobs_fill_while_they_are_announced),
        cmocka_unit_test(kernels_run_with_their_own_floating_point_state),
        cmocka_unit_test(scratch_grows_to_what_a_launch_needs),
        cmocka_unit_test(impossible_scratch_is_an_error_of_the_stream),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
