/* The descriptor inside IPC handles: it is ours until a client closes it, whatever has its number
 * then. */
#include "unit.h"

#include "driver/mem/share.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static int file_create(void)
{
    int fd = memfd_create("share", MFD_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void memory_without_a_descriptor_is_not_shared(void **state)
{
    (void)state;
    struct geo_share share = {.fd = -1};
    assert_int_equal(geo_share_open(&share, -1), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_false(geo_share_alive(&share, -1));
    geo_share_close(&share, -1);
    assert_int_equal(share.fd, -1);
}

static void handles_carry_one_duplicate(void **state)
{
    (void)state;
    struct geo_share share = {.fd = -1};
    int own = file_create();
    assert_int_equal(geo_share_open(&share, own), ZE_RESULT_SUCCESS);
    int first = share.fd;
    assert_true(first >= 0 && first != own);
    assert_true(geo_share_alive(&share, own));
    share.count = 2;
    assert_int_equal(geo_share_open(&share, own), ZE_RESULT_SUCCESS);
    assert_int_equal(share.fd, first);
    assert_int_equal(share.count, 2);
    geo_share_close(&share, own);
    assert_int_equal(fcntl(first, F_GETFD), -1);
    assert_true(fcntl(own, F_GETFD) >= 0);
    assert_int_equal(share.count, 0);
    close(own);
}

static void what_a_client_closed_is_made_anew(void **state)
{
    (void)state;
    struct geo_share share = {.fd = -1};
    int own = file_create();
    assert_int_equal(geo_share_open(&share, own), ZE_RESULT_SUCCESS);
    close(share.fd);
    assert_false(geo_share_alive(&share, own));
    share.count = 3;
    assert_int_equal(geo_share_open(&share, own), ZE_RESULT_SUCCESS);
    assert_true(geo_share_alive(&share, own));
    assert_int_equal(share.count, 0); /* nobody has a handle with the new one */
    geo_share_close(&share, own);
    close(own);
}

/* The number may be another file of the application by now: it is neither used nor closed. */
static void a_number_used_again_is_not_ours(void **state)
{
    (void)state;
    struct geo_share share = {.fd = -1};
    int own = file_create(), other = file_create();
    assert_int_equal(geo_share_open(&share, own), ZE_RESULT_SUCCESS);
    int number = share.fd;
    assert_int_equal(dup2(other, number), number);
    assert_false(geo_share_alive(&share, own));
    geo_share_close(&share, own);
    assert_true(fcntl(number, F_GETFD) >= 0);
    close(number);
    close(other);
    close(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_without_a_descriptor_is_not_shared),
        cmocka_unit_test(handles_carry_one_duplicate),
        cmocka_unit_test(what_a_client_closed_is_made_anew),
        cmocka_unit_test(a_number_used_again_is_not_ours),
    };
    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
