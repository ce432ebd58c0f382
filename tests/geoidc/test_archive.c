/* Unit test of the archives for several devices: their bytes, for sizes that are odd and even. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/geoidc/ocloc.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS "0           0     0     644     "

static void expect_archive(const char *binary, const char *wanted)
{
    const struct ocloc_device *devices[] = {ocloc_device_find("dg1"), ocloc_device_find("pvc")};
    const struct file input = {.bytes = (uint8_t *)(uintptr_t)binary, .count = strlen(binary)};
    struct file archive = {0};
    assert_true(ocloc_archive_make(devices, 2, &input, &archive));
    assert_int_equal(archive.count, strlen(wanted));
    assert_memory_equal(archive.bytes, wanted, archive.count);
    free(archive.bytes);
}

static void entries_have_the_versions_of_devices(void **state)
{
    (void)state;
    expect_archive("code", "!<arch>\n"
                           "64.12.10.0/     " FIELDS "4         `\ncode"
                           "64.12.60.7/     " FIELDS "4         `\ncode");
}

static void entries_begin_at_even_places(void **state)
{
    (void)state;
    expect_archive("odd", "!<arch>\n"
                          "64.12.10.0/     " FIELDS "3         `\nodd\n"
                          "64.12.60.7/     " FIELDS "3         `\nodd\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(entries_have_the_versions_of_devices),
    cmocka_unit_test(entries_begin_at_even_places),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
