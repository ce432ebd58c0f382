/* How a value of ZEL_DRIVERS_ORDER is read, in every form that somebody may write. */
#include "loader/driver_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A driver is called by a letter: d discrete, i integrated, m both GPUs, n NPU, c CPU, g a discrete
 * GPU and an NPU. */
static const struct {
    char letter;
    uint32_t types;
} kinds[] = {
    {'d', GEO_DRIVER_GPU | GEO_DRIVER_DISCRETE_GPU},
    {'i', GEO_DRIVER_GPU | GEO_DRIVER_INTEGRATED_GPU},
    {'m', GEO_DRIVER_GPU | GEO_DRIVER_DISCRETE_GPU | GEO_DRIVER_INTEGRATED_GPU},
    {'n', GEO_DRIVER_NPU},
    {'c', GEO_DRIVER_OTHER},
    {'g', GEO_DRIVER_GPU | GEO_DRIVER_DISCRETE_GPU | GEO_DRIVER_NPU},
};

static const struct geo_library some_library;

static void entries_make(struct geo_driver_entry *entries, const char *letters)
{
    for (size_t i = 0; letters[i]; i++) {
        entries[i] = (struct geo_driver_entry){(void *)(uintptr_t)&letters[i], 0, &some_library};
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
            entries[i].types |= kinds[k].letter == letters[i] ? kinds[k].types : 0;
        }
    }
}

/* The positions in `letters` after ordering, as "201". */
static const char *ordered(const char *text, const char *letters)
{
    static char places[16];
    struct geo_driver_entry entries[sizeof(places)];
    uint32_t count = (uint32_t)strlen(letters);
    entries_make(entries, letters);
    assert_true(geo_driver_order_apply(text, entries, count));
    for (uint32_t i = 0; i < count; i++) {
        assert_ptr_equal(entries[i].library, &some_library);
        places[i] = (char)('0' + ((const char *)entries[i].handle - letters));
    }
    places[count] = '\0';
    return places;
}

static void test_without_a_value_nothing_moves(void **state)
{
    (void)state;
    assert_string_equal(ordered(NULL, "din"), "012");
    assert_string_equal(ordered("", "din"), "012");
    assert_string_equal(ordered("NPU", ""), "");
}

/* ENV-18 */
static void test_a_driver_is_of_the_types_of_its_devices(void **state)
{
    (void)state;
    assert_string_equal(ordered("GPU", "cnmigd"), "234501");
    assert_string_equal(ordered("DISCRETE_GPU_ONLY", "cnmigd"), "450123");
    assert_string_equal(ordered("INTEGRATED_GPU_ONLY", "cnmigd"), "301245");
    assert_string_equal(ordered("NPU", "cnmigd"), "140235");
}

/* ENV-20 */
static void test_blanks_around_words_and_numbers_do_not_count(void **state)
{
    (void)state;
    assert_string_equal(ordered("  NPU\t", "din"), "201");
    assert_string_equal(ordered(" GPU : 1 ,\t2 ", "din"), "120");
    assert_string_equal(ordered(",,2,,1,", "din"), "210");
}

static void test_what_cannot_be_read_is_left_out(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "gpu",   "GPUS", "GP",  "G PU",  "OTHER", "GPU:",  "GPU:x",     "GPU:-1",  "GPU:+1",
        "GPU 1", ":1",   "1:1", "1:GPU", ":",     "GPU;1", "GPU::1",    "GPU:1:1", "1.",
        "-1",    "+1",   "0x1", "1 1",   "1x",    "*",     "NPU:\"0\"",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[64];
        assert_string_equal(ordered(bad[i], "din"), "012");
        snprintf(text, sizeof(text), "%s,2,%s", bad[i], bad[i]);
        assert_string_equal(ordered(text, "din"), "201");
    }
}

static void test_what_names_no_driver_is_left_out(void **state)
{
    (void)state;
    static const char *const none[] = {
        "3",
        "NPU:1",
        "GPU:2",
        "4294967295",
        "4294967296",
        "4294967298",
        "GPU:18446744073709551617",
        "99999999999999999999999999999999999999999",
    };
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_string_equal(ordered(none[i], "din"), "012");
    }
    assert_string_equal(ordered("INTEGRATED_GPU_ONLY,1", "dcn"), "102");
}

static void test_digits_before_a_number_may_be_zero(void **state)
{
    (void)state;
    assert_string_equal(ordered("002", "din"), "201");
    assert_string_equal(ordered("GPU:0000000000000000000001", "din"), "102");
}

/* The places in `letters` by kinds. */
static const char *by_kind(const char *letters, bool by_address)
{
    static char places[16];
    struct geo_driver_entry entries[16];
    const uint32_t count = (uint32_t)strlen(letters);
    memset(places, 0, sizeof(places));
    entries_make(entries, letters);
    geo_driver_order_by_kind(entries, count, by_address);
    for (uint32_t i = 0; i < count; i++) {
        places[i] = (char)('0' + ((const char *)entries[i].handle - letters));
    }
    return places;
}

/* ENV-15: across drivers. */
static void test_integrated_gpus_come_before_discrete_ones(void **state)
{
    (void)state;
    assert_string_equal(by_kind("cngdmigdmi", true), "5948372601"); /* i i, m m, d d, g g, c n */
    assert_string_equal(by_kind("", true), "");
    assert_string_equal(by_kind("d", true), "0");
}

static void test_discrete_gpus_come_first(void **state)
{
    (void)state;
    assert_string_equal(by_kind("cngdmigdmi", false), "3748592601"); /* d d, m m, i i, g g, c n */
    assert_string_equal(by_kind("di", false), "01");
    assert_string_equal(by_kind("id", false), "10");
}

int main(void)
{
    unsetenv("GEOID_LOG");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_value_nothing_moves),
        cmocka_unit_test(test_a_driver_is_of_the_types_of_its_devices),
        cmocka_unit_test(test_blanks_around_words_and_numbers_do_not_count),
        cmocka_unit_test(test_what_cannot_be_read_is_left_out),
        cmocka_unit_test(test_what_names_no_driver_is_left_out),
        cmocka_unit_test(test_digits_before_a_number_may_be_zero),
        cmocka_unit_test(test_integrated_gpus_come_before_discrete_ones),
        cmocka_unit_test(test_discrete_gpus_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
