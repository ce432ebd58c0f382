/* Blocks of a job on their way from one range to another: a thief that takes its time. The owner
 * finds nothing and waits; then the thief comes to its blocks, is needed elsewhere after the first
 * of them, and leaves the others behind. The owner does those; and the thief helps with them when
 * it has done what it was needed for. */
#include "support.h"

#include "exec/crew/seat.h"
#include "exec/job/job.h"
#include "exec/job/partition.h"

#include <pthread.h>

#define UNITS  16u
#define ROUNDS 100u /* a spare worker may come and take the other task: then nobody has to leave */

uint32_t __real_geo_block_range_steal(struct geo_block_range *range, uint32_t *begin);
uint32_t __wrap_geo_block_range_steal(struct geo_block_range *range, uint32_t *begin);
uint32_t __real_geo_partition_next(struct geo_partition *partition, uint32_t mine, double block_ns,
                                   uint32_t *begin);
uint32_t __wrap_geo_partition_next(struct geo_partition *partition, uint32_t mine, double block_ns,
                                   uint32_t *begin);

/* What keeps a worker until a word is set. */
struct task {
    struct geo_backend_stream *stream;
    struct test_batch batch;
    struct test_kernel kernel;
};

/* One job and two workers: one is kept to the end, the other helps, and is needed for `other`. */
struct play {
    pthread_t owner;
    struct task kept, other;
    _Atomic uint32_t keeps, ends;
    _Atomic uint32_t owner_began, under_way, owner_waits, owner_again, helper_again;
    _Atomic uint32_t ran; /* units */
    _Atomic uint8_t seen[UNITS];
};

static struct fixture cpu;
static struct play play; /* a thief of the job before may still look for more */

uint32_t __wrap_geo_block_range_steal(struct geo_block_range *range, uint32_t *begin)
{
    uint32_t count = __real_geo_block_range_steal(range, begin);
    if (!pthread_equal(pthread_self(), play.owner)) {
        if (count > 1 && atomic_exchange(&play.under_way, 1) == 0) {
            wait_for(&play.owner_waits, 1);
        }
    }
    return count;
}

uint32_t __wrap_geo_partition_next(struct geo_partition *partition, uint32_t mine, double block_ns,
                                   uint32_t *begin)
{
    uint32_t count = __real_geo_partition_next(partition, mine, block_ns, begin);
    if (pthread_equal(pthread_self(), play.owner) && count == 0 && atomic_load(&play.under_way)) {
        atomic_store(&play.owner_waits, 1);
    }
    return count;
}

static void keep_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)worker, (void)first, (void)count;
    _Atomic uint32_t *until = *(_Atomic uint32_t *const *)launch->arguments;
    atomic_fetch_add(&play.keeps, 1);
    wait_for(until, 1);
}

static void task_submit(struct task *task, _Atomic uint32_t *until)
{
    static const struct geo_event_ref none;
    uint64_t ticket;
    kernel_init(&task->kernel, keep_kernel);
    batch_add_launch(&task->batch, &task->kernel.kernel, 1, &until, sizeof(until));
    cpu.ops->stream->submit(task->stream, &task->batch.batch, none, &ticket);
}

static void owner_unit(void)
{
    if (atomic_exchange(&play.owner_began, 1) == 0) {
        wait_for(&play.under_way, 1);
    } else if (atomic_load(&play.owner_waits) && atomic_exchange(&play.owner_again, 1) == 0) {
        wait_for(&play.helper_again, 1);
    }
}

static void helper_unit(void)
{
    if (play.other.batch.used != 0) {
        atomic_store(&play.helper_again, 1);
    } else if (atomic_load(&play.owner_waits)) {
        task_submit(&play.other, &play.owner_again);
    }
}

static void units_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                      uint64_t count)
{
    (void)data, (void)worker;
    if (pthread_equal(pthread_self(), play.owner)) {
        owner_unit();
    } else {
        helper_unit();
    }
    for (uint64_t i = first; i < first + count; i++) {
        atomic_fetch_add(&play.seen[i], 1);
    }
}

/* Once it has seen how short its blocks are, the owner is in one that waits for all others. */
static void long_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                     uint64_t count)
{
    (void)data, (void)worker;
    for (uint64_t i = first; i < first + count; i++) {
        atomic_fetch_add(&play.seen[i], 1);
    }
    atomic_fetch_add(&play.ran, (uint32_t)count);
    if (pthread_equal(pthread_self(), play.owner) && atomic_exchange(&play.owner_began, 1)) {
        wait_for(&play.ran, UNITS);
    }
}

static void task_open(struct task *task)
{
    task->stream = stream_open(&cpu);
    batch_init(&task->batch);
}

static void task_close(struct task *task)
{
    cpu.ops->stream->destroy(task->stream);
    batch_finish(&task->batch);
}

static void play_open(void)
{
    _Atomic uint32_t *words[] = {&play.keeps,        &play.ends,        &play.owner_began,
                                 &play.under_way,    &play.owner_waits, &play.owner_again,
                                 &play.helper_again, &play.ran};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        atomic_store(words[i], 0);
    }
    for (uint32_t i = 0; i < UNITS; i++) {
        atomic_store(&play.seen[i], 0);
    }
    task_open(&play.kept);
    task_open(&play.other);
    task_submit(&play.kept, &play.ends);
    wait_for(&play.keeps, 1);
}

static void play_close(void)
{
    atomic_store(&play.ends, 1);
    atomic_store(&play.owner_again, 1);
    task_close(&play.kept);
    task_close(&play.other);
}

static void play_run(void (*run)(const void *, struct geo_exec_worker *, uint64_t, uint64_t))
{
    _Atomic uint32_t dear = 2000000000; /* shared at once, and taken one by one */
    struct geo_exec_worker *guest = geo_guest_acquire();
    const struct geo_exec_job_desc desc = {.run = run, .units = UNITS, .cost_ps = &dear};
    assert_non_null(guest);
    assert_int_equal(geo_exec_job_run(&geo_host_executor(cpu.device)->jobs, &desc, guest),
                     ZE_RESULT_SUCCESS);
    geo_guest_release(guest);
    for (uint32_t i = 0; i < UNITS; i++) {
        assert_int_equal(play.seen[i], 1);
    }
}

static void what_a_helper_leaves_is_done(void **state)
{
    bool left = false;
    (void)state;
    for (uint32_t i = 0; !left && i < ROUNDS; i++) {
        play_open();
        play_run(units_run);
        left = atomic_load(&play.owner_again);
        play_close();
    }
    assert_true(left);
}

static void what_lies_behind_a_long_block_is_stolen(void **state)
{
    (void)state;
    play_open();
    atomic_store(&play.under_way, 1); /* no thief waits on its way */
    play_run(long_run);
    play_close();
}

static int group_setup(void **state)
{
    (void)state;
    setenv("GEOID_THREADS", "2", 1);
    play.owner = pthread_self();
    fixture_open(&cpu, &geo_backend_cpu_ops);
    cpu.device->crew.pinned = false; /* else the one of the owner's core does not help */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_helper_leaves_is_done),
        cmocka_unit_test(what_lies_behind_a_long_block_is_stolen),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
