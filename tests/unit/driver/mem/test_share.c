/* The descriptor inside IPC handles: it is ours until a client closes it, whatever has its number
 * then. */
#include "unit.h"

#include "driver/mem/share.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static struct geo_fd file_create(void)
{
    struct geo_fd file = geo_fd_keep(memfd_create("share", MFD_CLOEXEC));
    assert_true(file.number >= 0);
    return file;
}

static void memory_without_a_descriptor_is_not_shared(void **state)
{
    (void)state;
    struct geo_share share = {.fd = GEO_FD_NONE};
    assert_int_equal(geo_share_open(&share, &GEO_FD_NONE), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_false(geo_share_alive(&share));
    geo_share_close(&share);
    assert_int_equal(share.fd.number, -1);
}

static void handles_carry_one_duplicate(void **state)
{
    (void)state;
    struct geo_share share = {.fd = GEO_FD_NONE};
    struct geo_fd own = file_create();
    assert_int_equal(geo_share_open(&share, &own), ZE_RESULT_SUCCESS);
    int first = share.fd.number;
    assert_true(first >= 0 && first != own.number);
    assert_true(geo_share_alive(&share));
    share.count = 2;
    assert_int_equal(geo_share_open(&share, &own), ZE_RESULT_SUCCESS);
    assert_int_equal(share.fd.number, first);
    assert_int_equal(share.count, 2);
    geo_share_close(&share);
    assert_int_equal(fcntl(first, F_GETFD), -1);
    assert_true(fcntl(own.number, F_GETFD) >= 0);
    assert_int_equal(share.count, 0);
    geo_fd_close(&own);
}

static void the_last_handle_closes_the_duplicate(void **state)
{
    (void)state;
    struct geo_share share = {.fd = GEO_FD_NONE};
    struct geo_fd own = file_create();
    assert_int_equal(geo_share_open(&share, &own), ZE_RESULT_SUCCESS);
    share.count = 2;
    geo_share_return(&share);
    assert_true(geo_share_alive(&share));
    geo_share_return(&share);
    assert_false(geo_share_alive(&share));
    assert_int_equal(geo_share_open(&share, &own), ZE_RESULT_SUCCESS);
    geo_share_return(&share); /* more than were given out */
    assert_false(geo_share_alive(&share));
    assert_int_equal(share.count, 0);
    geo_fd_close(&own);
}

static void what_a_client_closed_is_made_anew(void **state)
{
    (void)state;
    struct geo_share share = {.fd = GEO_FD_NONE};
    struct geo_fd own = file_create();
    assert_int_equal(geo_share_open(&share, &own), ZE_RESULT_SUCCESS);
    close(share.fd.number);
    assert_false(geo_share_alive(&share));
    share.count = 3;
    assert_int_equal(geo_share_open(&share, &own), ZE_RESULT_SUCCESS);
    assert_true(geo_share_alive(&share));
    assert_int_equal(share.count, 0); /* nobody has a handle with the new one */
    geo_share_close(&share);
    geo_fd_close(&own);
}

/* The number may be another file of the application by now: it is neither used nor closed. */
static void a_number_used_again_is_not_ours(void **state)
{
    (void)state;
    struct geo_share share = {.fd = GEO_FD_NONE};
    struct geo_fd own = file_create(), other = file_create();
    assert_int_equal(geo_share_open(&share, &own), ZE_RESULT_SUCCESS);
    int number = share.fd.number;
    assert_int_equal(dup2(other.number, number), number);
    assert_false(geo_share_alive(&share));
    geo_share_close(&share);
    assert_true(fcntl(number, F_GETFD) >= 0);
    close(number);
    geo_fd_close(&other);
    geo_fd_close(&own);
}

/* Nor is the memory's own number when the program has closed it. */
static void memory_whose_descriptor_is_lost_is_not_shared(void **state)
{
    (void)state;
    struct geo_share share = {.fd = GEO_FD_NONE};
    struct geo_fd own = file_create(), other = file_create();
    int fd = -1;
    assert_int_equal(dup2(other.number, own.number), own.number);
    assert_int_equal(geo_share_open(&share, &own), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_non_null(strstr(geo_error_text(), "the program has closed the descriptor"));
    assert_int_equal(geo_share_export(NULL, 0, &own, 1, &fd), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(fd, -1);
    assert_int_equal(fcntl(other.number, F_GET_SEALS), F_SEAL_SEAL); /* not one of ours */
    close(own.number);
    geo_fd_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_without_a_descriptor_is_not_shared),
        cmocka_unit_test(handles_carry_one_duplicate),
        cmocka_unit_test(the_last_handle_closes_the_duplicate),
        cmocka_unit_test(what_a_client_closed_is_made_anew),
        cmocka_unit_test(a_number_used_again_is_not_ours),
        cmocka_unit_test(memory_whose_descriptor_is_lost_is_not_shared),
    };
    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
