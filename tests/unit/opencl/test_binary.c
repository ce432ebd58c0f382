/* Tests of program binaries: the native binary and its trailer. */
#include "opencl/binary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint8_t *binary_make(size_t *bytes)
{
    struct geo_ocl_modules modules = {0};
    assert_true(geo_ocl_binary_module_add(&modules, "first", 5));
    assert_true(geo_ocl_binary_module_add(&modules, "second!!", 8));
    uint8_t *binary =
        geo_ocl_binary_make(CL_PROGRAM_BINARY_TYPE_EXECUTABLE, (const uint8_t *)"native", 6,
                            " -cl-mad-enable", &modules, bytes);
    assert_non_null(binary);
    geo_ocl_binary_modules_finish(&modules);
    return binary;
}

static void parts_come_back(void **state)
{
    size_t bytes;
    struct geo_ocl_binary parts;
    struct geo_ocl_modules modules = {0};
    uint8_t *binary = binary_make(&bytes);
    (void)state;
    assert_memory_equal(binary, "native", 6);
    assert_true(geo_ocl_binary_parse(binary, bytes, &parts));
    assert_int_equal(parts.type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_int_equal(parts.native_bytes, 6);
    assert_string_equal(parts.flags, " -cl-mad-enable");
    assert_true(geo_ocl_binary_modules(&parts, &modules));
    assert_int_equal(modules.count, 2);
    assert_int_equal(modules.items[0].count, 5);
    assert_memory_equal(modules.items[1].bytes, "second!!", 8);
    geo_ocl_binary_modules_finish(&modules);
    free(binary);
}

/* Prefixes and changed bytes of the trailer are refused; the native part has its own checksum. */
static void damaged_binaries_are_refused(void **state)
{
    size_t bytes;
    struct geo_ocl_binary parts;
    uint8_t *binary = binary_make(&bytes);
    (void)state;
    for (size_t size = 0; size < bytes; size++) {
        uint8_t *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, binary, size);
        assert_false(geo_ocl_binary_parse(copy, size, &parts));
        free(copy);
    }
    for (size_t at = 6; at < bytes; at++) {
        binary[at] ^= 0x41;
        assert_false(geo_ocl_binary_parse(binary, bytes, &parts));
        binary[at] ^= 0x41;
    }
    assert_true(geo_ocl_binary_parse(binary, bytes, &parts));
    free(binary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_back),
        cmocka_unit_test(damaged_binaries_are_refused),
    };
    return cmocka_run_group_tests_name("binary", tests, NULL, NULL);
}
