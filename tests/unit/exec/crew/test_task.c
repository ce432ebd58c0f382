/* Ready tasks (exec/crew/task.h): which of them workers take, and in what order. */
#include "exec/crew/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static struct geo_task_queues *queues;
static struct geo_task_snapshot snapshot;
static struct geo_exec_worker worker;

static int setup(void **state)
{
    (void)state;
    queues = aligned_alloc(GEO_CACHE_LINE, sizeof(*queues));
    atomic_store(&queues->next_shard, 0);
    geo_task_queues_init(queues);
    snapshot = (struct geo_task_snapshot){0};
    worker = (struct geo_exec_worker){.snapshot = &snapshot};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(queues);
    return 0;
}

static void run_nothing(struct geo_task *task, struct geo_exec_worker *by)
{
    (void)task;
    (void)by;
}

static struct geo_task task_of(uint32_t priority)
{
    struct geo_task task;
    geo_task_init(&task, queues, priority, run_nothing);
    return task;
}

static void ready(struct geo_task *task, bool now)
{
    geo_lock_acquire(&task->shard->lock);
    geo_task_ready_locked(task, now);
    geo_lock_release(&task->shard->lock);
}

static void claim(struct geo_task *task)
{
    geo_lock_acquire(&task->shard->lock);
    geo_task_claim_locked(task);
    geo_lock_release(&task->shard->lock);
}

/* Longer than the longest time between two looks. */
static bool left_later(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    nanosleep(&pause, NULL);
    return geo_tasks_left(queues, &snapshot);
}

static void what_stays_is_left(void **state)
{
    struct geo_task task = task_of(1);
    (void)state;
    assert_false(geo_tasks_ready(queues, GEO_TASK_PRIORITIES));
    assert_false(left_later());
    ready(&task, false);
    assert_true(geo_tasks_ready(queues, GEO_TASK_PRIORITIES));
    assert_false(left_later()); /* seen for the first time */
    assert_true(left_later());
    assert_ptr_equal(geo_task_take(queues, &worker), &task);
    assert_int_equal(atomic_load(&task.state), GEO_TASK_RUNNING);
    assert_false(geo_tasks_ready(queues, GEO_TASK_PRIORITIES));
    assert_null(geo_task_take(queues, &worker));
}

/* Looks come to be rarer meanwhile, and what then stays is found all the same. */
static void what_its_submitter_takes_is_not_left(void **state)
{
    struct geo_task task = task_of(1);
    (void)state;
    for (int i = 0; i < 100; i++) {
        ready(&task, false);
        assert_false(left_later());
        claim(&task);
    }
    ready(&task, false);
    assert_false(left_later());
    assert_true(left_later());
    assert_ptr_equal(geo_task_take(queues, &worker), &task);
}

static void what_nobody_is_about_to_run_is_left_at_once(void **state)
{
    struct geo_task task = task_of(1);
    (void)state;
    ready(&task, true);
    assert_true(left_later());
    assert_ptr_equal(geo_task_take(queues, &worker), &task);
    ready(&task, false); /* this time its submitter is there */
    assert_false(left_later());
}

static void without_a_snapshot_everything_is_taken(void **state)
{
    struct geo_task task = task_of(2);
    (void)state;
    worker.snapshot = NULL;
    ready(&task, false);
    assert_ptr_equal(geo_task_take(queues, &worker), &task);
    assert_null(geo_task_take(queues, &worker));
}

static void higher_priorities_come_first(void **state)
{
    struct geo_task low = task_of(2), middle = task_of(1), high = task_of(0);
    (void)state;
    ready(&low, false);
    ready(&middle, false);
    assert_false(geo_tasks_ready(queues, 1));
    assert_true(geo_tasks_ready(queues, 2));
    ready(&high, false);
    assert_true(geo_tasks_ready(queues, 1));
    assert_false(left_later());
    assert_true(left_later());
    assert_ptr_equal(geo_task_take(queues, &worker), &high);
    assert_ptr_equal(geo_task_take(queues, &worker), &middle);
    assert_ptr_equal(geo_task_take(queues, &worker), &low);
}

/* Tasks beyond the number of shards share one. */
static void tasks_of_a_shard_come_one_after_the_other(void **state)
{
    struct geo_task first = task_of(1), second;
    (void)state;
    do {
        second = task_of(1);
    } while (second.shard != first.shard);
    ready(&first, false);
    ready(&second, false);
    worker.snapshot = NULL;
    assert_ptr_equal(geo_task_take(queues, &worker), &first);
    assert_true(geo_tasks_ready(queues, GEO_TASK_PRIORITIES));
    assert_ptr_equal(geo_task_take(queues, &worker), &second);
    assert_false(geo_tasks_ready(queues, GEO_TASK_PRIORITIES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_stays_is_left, setup, teardown),
        cmocka_unit_test_setup_teardown(what_its_submitter_takes_is_not_left, setup, teardown),
        cmocka_unit_test_setup_teardown(what_nobody_is_about_to_run_is_left_at_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(without_a_snapshot_everything_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(higher_priorities_come_first, setup, teardown),
        cmocka_unit_test_setup_teardown(tasks_of_a_shard_come_one_after_the_other, setup, teardown),
    };
    return cmocka_run_group_tests_name("task", tests, NULL, NULL);
}
