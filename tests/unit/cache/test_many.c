/* Unit test of the cache under many threads and processes, some of which are killed at any moment,
 * and with forks in between: what is found is what was stored. */
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A child that the thread sanitizer sees has lost the other threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0:report_thread_leaks=0";
}

#ifdef GEOID_SANITIZED
enum { THREADS = 4, ROUNDS = 100, KILLS = 30 };
#else
enum { THREADS = 6, ROUNDS = 300, KILLS = 200 };
#endif
enum { NUMBERS = 40, PROCESSES = 4 };

static unsigned random_next(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 8;
}

/* Sizes follow from the number and the round: entries of a key replace each other. */
static int work(unsigned seed, unsigned rounds)
{
    int hits = 0;
    for (unsigned i = 0; i < rounds; i++) {
        unsigned number = random_next(&seed) % NUMBERS;
        if (random_next(&seed) % 3 == 0) {
            number_store(number, 1000 + random_next(&seed) % 60000);
        } else {
            hits += number_find(number);
        }
    }
    return hits;
}

static _Atomic int thread_hits;

static void *thread_main(void *argument)
{
    atomic_fetch_add(&thread_hits, work((unsigned)(uintptr_t)argument, ROUNDS));
    return NULL;
}

static void threads_run(pthread_t *threads)
{
    for (uintptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, thread_main, (void *)(i + 1)), 0);
    }
}

static void threads_join(const pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void threads_do_not_disturb_each_other(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    setenv("GEOID_CACHE_SIZE", "1", 1);
    threads_run(threads);
    threads_join(threads);
    assert_true(thread_hits > 0);
    assert_int_equal(census_take().parts, 0);
}

static pid_t process_start(unsigned seed, unsigned rounds)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        work(seed, rounds);
        _exit(0);
    }
    return child;
}

static int process_end(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void processes_do_not_disturb_each_other(void **state)
{
    pid_t children[PROCESSES];
    (void)state;
    setenv("GEOID_CACHE_SIZE", "1", 1);
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = process_start(i + 100, ROUNDS);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        assert_int_equal(process_end(children[i]), 0);
    }
    assert_true(work(5, ROUNDS) > 0);
    assert_int_equal(census_take().parts, 0);
}

/* Ends at any moment: never with a wrong value (status 9), and what is left is small and goes. */
static void kills_leave_nothing_wrong(void **state)
{
    unsigned seed = (unsigned)time(NULL), first = seed;
    (void)state;
    setenv("GEOID_CACHE_SIZE", "1", 1);
    for (int i = 0; i < KILLS; i++) {
        pid_t children[PROCESSES];
        for (unsigned k = 0; k < PROCESSES; k++) {
            children[k] = process_start(random_next(&seed), 100000);
        }
        const struct timespec pause = {.tv_nsec = (long)(random_next(&seed) % 6000000)};
        nanosleep(&pause, NULL);
        for (unsigned k = 0; k < PROCESSES; k++) {
            kill(children[k], SIGKILL);
        }
        for (unsigned k = 0; k < PROCESSES; k++) {
            int status = process_end(children[k]);
            if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
                fail_msg("seed %u: a child ended with status %x", first, (unsigned)status);
            }
        }
    }
    assert_true(work(7, ROUNDS) > 0);
}

static void forks_in_between_do_no_harm(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    setenv("GEOID_CACHE_SIZE", "1", 1);
    threads_run(threads);
    for (unsigned i = 0; i < 20; i++) {
        pid_t child = process_start(i, 20);
        assert_int_equal(process_end(child), 0);
    }
    threads_join(threads);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(threads_do_not_disturb_each_other),
        CASE(processes_do_not_disturb_each_other),
        CASE(kills_leave_nothing_wrong),
        CASE(forks_in_between_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
