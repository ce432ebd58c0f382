/* Counters of perf_event for threads. The events are of the system, because virtual machines often
 * have no counters of the processor; opening and reading are the same for both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/cpu/metric/perf.h"
#include "base/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BURN_NS  3000000u
#define FD_LIMIT 256

static const struct geo_cpu_metric_perf_set set = {{
    {"task clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {"alignment faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"task clock again", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
}};

static uint64_t thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Selects the set; skips the test if the system denies it. */
static void set_select(void)
{
    struct geo_strbuf why = {0};
    ze_result_t result = geo_cpu_metric_perf_select(&set, &why);
    if (result != ZE_RESULT_SUCCESS) {
        print_message("%s\n", geo_strbuf_text(&why));
        assert_true(why.length != 0);
        geo_strbuf_finish(&why);
        skip();
    }
    geo_strbuf_finish(&why);
}

static void deselect(void)
{
    struct geo_strbuf why = {0};
    assert_int_equal(geo_cpu_metric_perf_select(NULL, &why), ZE_RESULT_SUCCESS);
}

/* Returns whether the counters of this thread agree with its processor time, within a tenth. */
static bool time_is_counted(void)
{
    uint64_t before[5], after[5];
    if (!geo_cpu_metric_perf_read(before)) {
        return false;
    }
    const uint64_t start = thread_ns();
    while (thread_ns() - start < BURN_NS) {
    }
    const bool read = geo_cpu_metric_perf_read(after);
    const double ns = (double)(thread_ns() - start);
    for (int i = 0; read && i < 5; i++) { /* the first is the time for which all of them ran */
        const double counted = (double)(after[i] - before[i]);
        const bool clock = i != 2 && i != 3;
        if (clock ? counted < ns * 0.9 || counted > ns * 1.1 : counted != 0) {
            return false;
        }
    }
    return read;
}

static void *thread_count(void *counted)
{
    *(bool *)counted = time_is_counted();
    return NULL;
}

static void each_thread_counts_its_own_events(void **state)
{
    uint64_t counts[5];
    bool counted = false;
    pthread_t thread;
    (void)state;
    set_select();
    assert_int_equal(pthread_create(&thread, NULL, thread_count, &counted), 0);
    assert_true(time_is_counted());
    pthread_join(thread, NULL);
    assert_true(counted);
    deselect();
    assert_false(geo_cpu_metric_perf_read(counts));
    set_select();
    assert_true(time_is_counted());
    deselect();
}

static uint32_t descriptors_count(void)
{
    uint32_t count = 0;
    for (int fd = 0; fd < FD_LIMIT; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

static void *thread_read_once(void *nothing)
{
    uint64_t counts[5];
    assert_true(geo_cpu_metric_perf_read(counts));
    return nothing;
}

static void threads_that_end_close_their_counters(void **state)
{
    (void)state;
    set_select();
    uint32_t before = descriptors_count();
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, thread_read_once, NULL), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(descriptors_count(), before);
    deselect();
}

/* A file of the program that has the number of a closed counter is neither read nor closed. */
static void closed_counters_are_not_used(void **state)
{
    uint64_t counts[5], value = 0;
    int numbers[FD_LIMIT], count = 0;
    (void)state;
    set_select();
    assert_true(geo_cpu_metric_perf_read(counts));
    int file = eventfd(7, EFD_NONBLOCK);
    assert_true(file >= 0);
    for (int fd = 3; fd < FD_LIMIT; fd++) {
        char path[64], text[64] = "";
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        if (fd != file && readlink(path, text, sizeof(text) - 1) > 0 &&
            strstr(text, "perf_event")) {
            assert_int_equal(dup2(file, fd), fd);
            numbers[count++] = fd;
        }
    }
    assert_true(count >= 4);
    assert_false(geo_cpu_metric_perf_read(counts));
    deselect();
    set_select();
    assert_true(geo_cpu_metric_perf_read(counts)); /* new ones */
    for (int i = 0; i < count; i++) {
        assert_true(fcntl(numbers[i], F_GETFD) >= 0);
        close(numbers[i]);
    }
    assert_int_equal(read(file, &value, sizeof(value)), sizeof(value));
    assert_int_equal(value, 7);
    close(file);
    deselect();
}

static void a_child_counts_itself(void **state)
{
    static struct geo_fork_handler handler = {.order = GEO_FORK_METRIC,
                                              .child = geo_cpu_metric_perf_after_fork};
    uint64_t counts[5];
    int status = -1;
    (void)state;
    geo_fork_register(&handler);
    set_select();
    assert_true(geo_cpu_metric_perf_read(counts));
    pid_t child = fork();
    if (child == 0) {
        _exit(time_is_counted() ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    deselect();
}

static void events_that_do_not_exist_are_refused(void **state)
{
    static const struct geo_cpu_metric_perf_set none = {{{"none", PERF_TYPE_SOFTWARE, 12345}}};
    struct geo_strbuf why = {0};
    (void)state;
    set_select();
    deselect();
    assert_false(geo_cpu_metric_perf_exists(&none));
    assert_true(geo_cpu_metric_perf_exists(&set));
    assert_int_equal(geo_cpu_metric_perf_select(&none, &why), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_true(why.length != 0);
    geo_strbuf_finish(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_counts_its_own_events),
        cmocka_unit_test(threads_that_end_close_their_counters),
        cmocka_unit_test(closed_counters_are_not_used),
        cmocka_unit_test(a_child_counts_itself),
        cmocka_unit_test(events_that_do_not_exist_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
