/* Eventfds of peers that are not to be trusted: nothing waits, whatever they do. A look (poll) at a
 * counter can be made to come too late, as if the peer had filled the counter just behind it. */
#include "support.h"

#include "exec/wait/eventfd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define FULL (UINT64_MAX - 1) /* there is no room for another 1 */

static bool look_is_old; /* the counter had room then */

int __real_poll(struct pollfd *states, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *states, nfds_t count, int timeout);

int __wrap_poll(struct pollfd *states, nfds_t count, int timeout)
{
    if (!look_is_old) {
        return __real_poll(states, count, timeout);
    }
    states->revents = POLLOUT;
    return 1;
}

static int eventfd_new(uint64_t value, int flags)
{
    int fd = eventfd(0, EFD_CLOEXEC | flags);
    assert_true(fd >= 0);
    if (value != 0) {
        assert_int_equal(write(fd, &value, sizeof(value)), sizeof(value));
    }
    assert_int_equal(geo_eventfd_check(fd), ZE_RESULT_SUCCESS);
    return fd;
}

static uint64_t value_take(int fd)
{
    uint64_t value = 0;
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    ssize_t taken = read(fd, &value, sizeof(value));
    assert_true(taken == sizeof(value) || errno == EAGAIN);
    return value;
}

/* ---- cases ---- */

static void signals_add_one_and_are_taken(void **state)
{
    (void)state;
    int fd = eventfd_new(0, 0), counting = eventfd_new(0, EFD_SEMAPHORE);
    assert_int_equal(geo_eventfd_take(fd), EAGAIN);
    for (int i = 0; i < 3; i++) {
        assert_true(geo_eventfd_signal(fd));
        assert_true(geo_eventfd_signal(counting));
    }
    assert_int_equal(geo_eventfd_take(fd), 0);
    assert_int_equal(geo_eventfd_take(fd), EAGAIN);
    assert_int_equal(geo_eventfd_take(counting), 0);
    close(fd);
    close(counting);
    fd = eventfd_new(5, 0);
    assert_true(geo_eventfd_signal(fd));
    assert_int_equal(value_take(fd), 6);
    close(fd);
}

static void a_full_counter_stays(void **state)
{
    (void)state;
    int fd = eventfd_new(FULL, 0);
    assert_true(geo_eventfd_signal(fd));
    assert_int_equal(value_take(fd), FULL);
    close(fd);
}

static void a_counter_that_fills_after_the_look_stops_nobody(void **state)
{
    (void)state;
    int fd = eventfd_new(FULL, 0); /* and blocks who writes */
    look_is_old = true;
    assert_true(geo_eventfd_signal(fd));
    assert_true(geo_eventfd_signal(fd));
    look_is_old = false;
    assert_true(value_take(fd) >= FULL); /* signalled all the same */
    close(fd);
}

static void what_is_no_eventfd_any_more_is_a_loss(void **state)
{
    (void)state;
    int fd = eventfd_new(0, 0), pipes[2];
    assert_int_equal(close(fd), 0);
    assert_false(geo_eventfd_signal(fd));
    assert_int_equal(geo_eventfd_take(fd), EBADF);
    assert_int_equal(pipe(pipes), 0); /* one of which has the number now */
    assert_false(geo_eventfd_signal(pipes[1]));
    close(pipes[0]);
    close(pipes[1]);
}

/* More than a context has. */
static void places_are_given_back(void **state)
{
    (void)state;
    enum { SIGNALS = 300000 };
    int fd = eventfd_new(0, 0);
    for (int i = 0; i < SIGNALS; i++) {
        assert_true(geo_eventfd_signal(fd));
    }
    assert_int_equal(value_take(fd), SIGNALS);
    close(fd);
}

enum { THREADS = 8, EACH = 5000 };

static void *signal_main(void *argument)
{
    const int *fd = argument;
    bool all = true;
    for (int i = 0; i < EACH; i++) {
        all = geo_eventfd_signal(*fd) && all;
    }
    return all ? argument : NULL;
}

static void several_threads_signal_at_once(void **state)
{
    (void)state;
    int fd = eventfd_new(0, 0);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, signal_main, &fd), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *all = NULL;
        assert_int_equal(pthread_join(threads[i], &all), 0);
        assert_non_null(all);
    }
    assert_int_equal(value_take(fd), THREADS * EACH);
    close(fd);
}

static void other_descriptors_are_refused(void **state)
{
    (void)state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(geo_eventfd_check(pipes[0]), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(geo_eventfd_check(-1), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_add_one_and_are_taken),
        cmocka_unit_test(a_full_counter_stays),
        cmocka_unit_test(a_counter_that_fills_after_the_look_stops_nobody),
        cmocka_unit_test(what_is_no_eventfd_any_more_is_a_loss),
        cmocka_unit_test(places_are_given_back),
        cmocka_unit_test(several_threads_signal_at_once),
        cmocka_unit_test(other_descriptors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
