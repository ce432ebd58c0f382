/* Unit test of base's locks of objects. */
#include "base/lock.h"

#include "limit.h"
#include "patience.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A child that the thread sanitizer sees has lost the other thread; it was not joined there. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0:report_thread_leaks=0";
}

enum { THREADS = 4, ROUNDS = 20000 };

static struct geo_object_lock lock;
static uint64_t count;

static void *count_main(void *argument)
{
    (void)argument;
    for (int i = 0; i < ROUNDS; i++) {
        geo_object_lock_acquire(&lock);
        count++;
        geo_object_lock_release(&lock);
    }
    return NULL;
}

static void one_thread_holds_a_lock(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count_main, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(count, THREADS * ROUNDS);
}

/* Registering makes the library know of forks. */
static struct geo_fork_handler handler = {.order = 1};

static int pipe_ends[2];

static void *hold_main(void *argument)
{
    char byte;
    geo_object_lock_acquire(argument);
    (void)!read(pipe_ends[0], &byte, 1); /* until the test ends it */
    geo_object_lock_release(argument);
    return NULL;
}

static void child_take(struct geo_object_lock *held)
{
    limit_stall();
    geo_object_lock_acquire(held);
    uint32_t holder = atomic_load(&held->holder);
    geo_object_lock_release(held);
    geo_object_lock_acquire(held);
    _exit(holder == geo_fork_generation() && atomic_load(&held->holder) == holder ? 0 : 1);
}

/* GEN-27 */
static void what_a_parents_thread_held_is_free_in_the_child(void **state)
{
    (void)state;
    static struct geo_object_lock held;
    pthread_t thread;
    int status;
    geo_fork_register(&handler);
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(pthread_create(&thread, NULL, hold_main, &held), 0);
    while (atomic_load(&held.holder) == 0) {
        usleep(100);
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        child_take(&held);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(atomic_load(&held.holder), geo_fork_generation());
    assert_int_equal(write(pipe_ends[1], "e", 1), 1);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&held.holder), 0);
}

static struct geo_work_lock work;
static bool in_work;
static uint32_t overlaps, works;

static void *work_main(void *argument)
{
    (void)argument;
    for (int i = 0; i < 20; i++) {
        geo_work_lock_acquire(&work);
        overlaps += in_work;
        in_work = true;
        usleep(300); /* so that the others go to sleep */
        in_work = false;
        works++;
        geo_work_lock_release(&work);
    }
    return NULL;
}

static void long_work_is_done_by_one_thread_at_a_time(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += patience_s();
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work_main, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_timedjoin_np(threads[i], NULL, &end), 0);
    }
    assert_int_equal(overlaps, 0);
    assert_int_equal(works, THREADS * 20);
    assert_int_equal(atomic_load(&work.holder), 0);
}

static void work_in_progress_is_not_taken(void **state)
{
    (void)state;
    struct geo_work_lock once = {0};
    assert_true(geo_work_lock_try(&once));
    assert_false(geo_work_lock_try(&once));
    geo_work_lock_release(&once);
    assert_true(geo_work_lock_try(&once));
    geo_work_lock_release(&once);
}

static void *work_hold_main(void *argument)
{
    char byte;
    geo_work_lock_acquire(argument);
    (void)!read(pipe_ends[0], &byte, 1); /* until the test ends it */
    geo_work_lock_release(argument);
    return NULL;
}

/* GEN-27 */
static void work_of_a_parents_thread_is_free_in_the_child(void **state)
{
    (void)state;
    static struct geo_work_lock held;
    pthread_t thread;
    int status;
    geo_fork_register(&handler);
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(pthread_create(&thread, NULL, work_hold_main, &held), 0);
    while (!geo_work_lock_held(&held)) {
        usleep(100);
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(patience_s());
        bool free_before = !geo_work_lock_held(&held);
        geo_work_lock_acquire(&held);
        _exit(free_before && geo_work_lock_held(&held) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(geo_work_lock_held(&held));
    assert_int_equal(write(pipe_ends[1], "e", 1), 1);
    pthread_join(thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_holds_a_lock),
        cmocka_unit_test(what_a_parents_thread_held_is_free_in_the_child),
        cmocka_unit_test(long_work_is_done_by_one_thread_at_a_time),
        cmocka_unit_test(work_in_progress_is_not_taken),
        cmocka_unit_test(work_of_a_parents_thread_is_free_in_the_child),
    };
    return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
