/* Writes beyond the limit on file sizes and into pipes that nobody reads: an error between hold and
 * release, no signal afterwards. */
#include "unit.h"

#include "child.h"

#include "base/file_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static void must(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s\n", what);
    }
}

static int limited_file(void)
{
    char path[] = "/tmp/geoid-limit-XXXXXX";
    int fd = mkstemp(path);
    struct rlimit limit;
    must(fd >= 0 && unlink(path) == 0, "no file");
    must(getrlimit(RLIMIT_FSIZE, &limit) == 0, "no limit");
    limit.rlim_cur = 16;
    must(setrlimit(RLIMIT_FSIZE, &limit) == 0, "no limit");
    return fd;
}

static bool signal_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

static bool signal_blocked(void)
{
    sigset_t mask;
    return pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0 && sigismember(&mask, SIGXFSZ) == 1;
}

static void write_too_much(void)
{
    char bytes[32] = {0};
    struct geo_file_limit limit;
    int fd = limited_file();
    for (int round = 0; round < 3; round++) {
        geo_file_limit_hold(&limit);
        must(signal_blocked(), "not blocked");
        ssize_t written = write(fd, bytes, sizeof(bytes));
        must(round == 0 ? written == 16 : written == -1 && errno == EFBIG, "not limited");
        must(round == 0 || signal_pending(), "no signal to hold");
        geo_file_limit_release(&limit);
        must(round == 0 || errno == EFBIG, "another errno");
        must(!signal_pending() && !signal_blocked(), "not as before");
    }
    close(fd);
}

static void the_error_takes_the_signals_place(void **state)
{
    (void)state;
    assert_string_equal(child_output(NULL, write_too_much), "");
}

static void write_with_a_signal_pending(void)
{
    char bytes[32] = {0};
    struct geo_file_limit limit;
    sigset_t set;
    int fd = limited_file();
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGXFSZ);
    geo_file_limit_hold(&limit);
    (void)!write(fd, bytes, sizeof(bytes));
    (void)!write(fd, bytes, sizeof(bytes));
    geo_file_limit_release(&limit);
    must(signal_pending() && signal_blocked(), "not as before");
    close(fd);
}

static void a_signal_that_waited_before_stays(void **state)
{
    (void)state;
    assert_string_equal(child_output(NULL, write_with_a_signal_pending), "");
}

static void write_to_nobody(void)
{
    struct geo_file_limit limit;
    sigset_t pending;
    int ends[2];
    must(pipe(ends) == 0 && close(ends[0]) == 0, "no pipe");
    for (int round = 0; round < 3; round++) {
        geo_file_limit_hold(&limit);
        must(write(ends[1], "x", 1) == -1 && errno == EPIPE, "not refused");
        geo_file_limit_release(&limit);
        must(sigpending(&pending) == 0 && !sigismember(&pending, SIGPIPE), "a signal is left");
    }
    close(ends[1]);
}

static void a_pipe_without_a_reader_is_an_error(void **state)
{
    (void)state;
    assert_string_equal(child_output(NULL, write_to_nobody), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_takes_the_signals_place),
        cmocka_unit_test(a_signal_that_waited_before_stays),
        cmocka_unit_test(a_pipe_without_a_reader_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
