/* Kept descriptors: a number that the program has closed and opened anew is told from our file. */
#include "unit.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int memory_make(void)
{
    return memfd_create("fd-test", MFD_CLOEXEC);
}

static int event_make(void)
{
    return eventfd(0, EFD_CLOEXEC);
}

static int null_open(void)
{
    return open("/dev/null", O_RDWR | O_CLOEXEC);
}

static int socket_make(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int (*const makers[])(void) = {memory_make, event_make, null_open, socket_make};

#define MAKERS (sizeof(makers) / sizeof(makers[0]))

/* Closes the number and has another file under it, as a program may do. */
static void number_take(int number, int (*make)(void))
{
    int fd = make();
    assert_true(fd >= 0);
    assert_int_equal(dup2(fd, number), number);
    close(fd);
}

static void a_file_is_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAKERS; i++) {
        int fd = makers[i]();
        struct geo_fd file = geo_fd_keep(fd);
        assert_int_equal(geo_fd_get(&file), fd);
        assert_false(geo_fd_lost(&file));
        geo_fd_close(&file);
        assert_int_equal(file.number, -1);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
    }
}

static void files_of_others_are_lost_and_left_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAKERS; i++) {
        for (size_t other = 0; other < MAKERS; other++) {
            if (makers[i] == null_open && makers[other] == null_open) {
                continue; /* the same file */
            }
            int fd = makers[i]();
            struct geo_fd file = geo_fd_keep(fd);
            number_take(fd, makers[other]);
            errno = 0;
            assert_int_equal(geo_fd_get(&file), -1);
            assert_int_equal(errno, EBADF);
            assert_true(geo_fd_lost(&file));
            geo_fd_close(&file);
            assert_true(fcntl(fd, F_GETFD) >= 0); /* it is the program's */
            close(fd);
        }
    }
}

/* Both are marked, so their serial numbers have to tell them apart. */
static void eventfds_of_ours_differ(void **state)
{
    (void)state;
    struct geo_fd one = geo_fd_keep(event_make()), other = geo_fd_keep(event_make());
    assert_int_equal(dup2(other.number, one.number), one.number);
    assert_int_equal(geo_fd_get(&one), -1);
    assert_int_equal(geo_fd_get(&other), other.number);
    close(one.number);
    geo_fd_close(&other);
}

/* A new eventfd gets the serial number of one that is closed. */
static void an_eventfd_that_follows_ours_is_not_ours(void **state)
{
    (void)state;
    int fd = event_make();
    struct geo_fd file = geo_fd_keep(fd);
    close(fd);
    assert_int_equal(event_make(), fd);
    assert_int_equal(geo_fd_get(&file), -1);
    geo_fd_close(&file);
    assert_true(fcntl(fd, F_GETFD) >= 0);
    close(fd);
}

static void a_closed_number_is_lost(void **state)
{
    (void)state;
    int fd = memory_make();
    struct geo_fd file = geo_fd_keep(fd);
    close(fd);
    assert_int_equal(geo_fd_get(&file), -1);
    assert_true(geo_fd_lost(&file));
    geo_fd_close(&file);
    assert_int_equal(file.number, -1);
}

static void none_is_not_lost(void **state)
{
    (void)state;
    errno = EMFILE;
    struct geo_fd file = geo_fd_keep(-1);
    assert_int_equal(errno, EMFILE); /* why there is none */
    assert_int_equal(file.number, -1);
    assert_int_equal(geo_fd_get(&file), -1);
    assert_false(geo_fd_lost(&file));
    geo_fd_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_itself),
        cmocka_unit_test(files_of_others_are_lost_and_left_alone),
        cmocka_unit_test(eventfds_of_ours_differ),
        cmocka_unit_test(an_eventfd_that_follows_ours_is_not_ours),
        cmocka_unit_test(a_closed_number_is_lost),
        cmocka_unit_test(none_is_not_lost),
    };
    return cmocka_run_group_tests_name("fd", tests, NULL, NULL);
}
