/* Unit test of lists of numbers as the system writes them. */
#include "base/number_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void bit_set(void *data, uint32_t number)
{
    *(uint64_t *)data |= UINT64_C(1) << number;
}

static void lists_give_their_numbers(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool good;
        uint64_t set;
    } rows[] = {
        {"0", true, 1},
        {"0-2,5", true, 0x27},
        {"0-2,5\n", true, 0x27},
        {"0 1 2", true, 7},
        {"3-1", true, 0},
        {"62-4000000000", true, UINT64_C(3) << 62},
        {"62-99999999999999999999999", true, UINT64_C(3) << 62},
        {"99999999999999999999999", true, 0},
        {"", false, 0},
        {"\n", false, 0},
        {"a", false, 0},
        {"-1", false, 0},
        {"+1", false, 0},
        {"1-", false, 0},
        {"1,", false, 2},
        {"1, 2", false, 2},
        {"1\n2", false, 2},
        {"1;2", false, 2},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t set = 0;
        assert_int_equal(geo_number_list_parse(rows[i].text, 64, bit_set, &set), rows[i].good);
        assert_int_equal(set, rows[i].set);
    }
}

static void ranges_end_where_their_text_ends(void **state)
{
    (void)state;
    const char *text = "4-70,9x";
    uint64_t first = 0, last = 0;
    assert_true(geo_number_list_next(&text, &first, &last));
    assert_int_equal(first, 4);
    assert_int_equal(last, 70);
    assert_string_equal(text, ",9x");
    text++;
    assert_true(geo_number_list_next(&text, &first, &last));
    assert_int_equal(first, 9);
    assert_int_equal(last, 9);
    assert_string_equal(text, "x");
    assert_false(geo_number_list_next(&text, &first, &last));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_give_their_numbers),
        cmocka_unit_test(ranges_end_where_their_text_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
