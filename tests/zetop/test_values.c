/* zetop without a driver: texts of others, values as text, what is kept of counters, escapes of the
 * formats for programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/zetop/class.h"
#include "tools/zetop/emit.h"
#include "tools/zetop/format.h"
#include "tools/zetop/text.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

static void texts_of_others_cannot_command_a_terminal(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"plain", "plain"},
        {"\x1b[2J", "?[2J"},
        {"a\nb\x7f", "a?b?"},
        {"\xc2\x9b"
         "2J",
         "??2J"}, /* CSI, of Unicode's second control characters */
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
        {"\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xc0\xaf|\xe0\x80\xaf|\xf0\x80\x80\xaf", "??|???|????"}, /* longer than need be */
        {"\xed\xa0\x80", "???"},                                   /* half of a pair */
        {"\xf4\x90\x80\x80", "????"},                              /* beyond the last */
        {"\xe2\x80\xae"
         "abc",
         "???abc"},         /* turns the direction */
        {"\xe2\x82", "??"}, /* cut off */
    };
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        text_copy(text, sizeof(text), cases[i].from);
        assert_string_equal(text, cases[i].to);
    }
}

static void texts_are_cut_between_characters(void **state)
{
    char text[8];
    (void)state;
    text_copy(text, 5, "ab\xe2\x82\xac");
    assert_string_equal(text, "ab");
    text_copy(text, 6, "ab\xe2\x82\xac");
    assert_string_equal(text, "ab\xe2\x82\xac");
    text_copy(text, 3, "abc");
    assert_string_equal(text, "ab");
    text_copy(text, 1, "abc");
    assert_string_equal(text, "");
}

/* ---- values ---- */

static void values_have_all_digits_for_programs(void **state)
{
    static const struct {
        struct value value;
        const char *text;
    } cases[] = {
        {{.form = VALUE_INTEGER, .number = UINT64_MAX}, "18446744073709551615"},
        {{.form = VALUE_MICRO, .number = UINT64_MAX}, "18446744073709.551615"},
        {{.form = VALUE_MICRO, .number = 1000000}, "1"},
        {{.form = VALUE_MICRO, .number = 10}, "0.00001"},
        {{.form = VALUE_MICRO, .number = 0}, "0"},
        {{.form = VALUE_MILLI, .number = 350500}, "350.5"},
        {{.form = VALUE_REAL, .real = 0.25}, "0.25"},
        {{.form = VALUE_REAL, .real = -3.5}, "-3.5"},
        {{.form = VALUE_WORD, .label = "thermal_limit"}, "thermal_limit"},
    };
    char text[FORMAT_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        format_exact(&cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void values_have_units_for_people(void **state)
{
    static const struct {
        struct value value;
        const char *text;
    } cases[] = {
        {{.metric = M_ENGINE_UTILIZATION, .form = VALUE_REAL, .real = 0.5}, "50.0%"},
        {{.metric = M_MEMORY_USED, .form = VALUE_INTEGER, .real = 1023}, "1023 B"},
        {{.metric = M_MEMORY_USED, .form = VALUE_INTEGER, .real = 1536}, "1.5 KiB"},
        {{.metric = M_MEMORY_SIZE, .form = VALUE_INTEGER, .real = 0x1p64}, "16.0 EiB"},
        {{.metric = M_MEMORY_READ_RATE, .form = VALUE_REAL, .real = 2048}, "2.0 KiB/s"},
        {{.metric = M_POWER, .form = VALUE_REAL, .real = 12.34}, "12.3 W"},
        {{.metric = M_FREQUENCY, .form = VALUE_REAL, .real = 1.2e9}, "1200 MHz"},
        {{.metric = M_TEMPERATURE, .form = VALUE_REAL, .real = -5}, "-5.0 C"},
        {{.metric = M_ERRORS, .form = VALUE_INTEGER, .real = 7, .label = "reset"}, "7"},
        {{.metric = M_FREQUENCY_THROTTLE, .form = VALUE_WORD, .label = "a_b"}, "a b"},
    };
    char text[FORMAT_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        format_short(&cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void counters_are_compared_at_their_width(void **state)
{
    struct counter before = {false, 0, 0, 0};
    struct change change;
    (void)state;
    assert_false(counter_step(&before, 32, 0xfffffff0, 5, 100, &change)); /* the first */
    assert_true(counter_step(&before, 32, 0x10, 6, 110, &change));
    assert_int_equal(change.first, 0x20);
    assert_int_equal(change.second, 1);
    assert_int_equal(change.time, 10);
    assert_false(counter_step(&before, 32, 0x20, 6, 110, &change)); /* no time went by */
    assert_false(counter_step(&before, 32, 0x20, 6, 90, &change));  /* it went back */
    assert_true(counter_step(&before, 32, 0x21, 6, 91, &change));
    assert_int_equal(change.first, 1);
    assert_false(counter_step(&before, 64, 0x20, 6, 95, &change)); /* set back */
    assert_false(counter_step(&before, 64, 0x20, 5, 96, &change));
    assert_true(counter_step(&before, 64, 0x21, 5, 97, &change));
}

/* ---- formats ---- */

static char *written(bool (*emit)(FILE *, const struct snapshot *), const struct device *device)
{
    const struct snapshot snapshot = {device, 1, 1500, 0};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    assert_true(emit(to, &snapshot));
    fclose(to);
    return text;
}

static void formats_escape_names(void **state)
{
    (void)state;
    const struct device device = {
        .uuid = "uuid", .name = "a \"b\", \\c\n{d}", .vendor = "Vendor", .version = "1"};
    char *text = written(emit_prometheus, &device);
    assert_non_null(strstr(text, ",name=\"a \\\"b\\\", \\\\c\\n{d}\",vendor="));
    free(text);
    text = written(emit_csv, &device);
    assert_non_null(strstr(text, "\n1.500,0,uuid,\"a \"\"b\"\", \\c\n{d}\",no,,device,,,up,,1\n"));
    free(text);
    text = written(emit_json, &device);
    assert_non_null(strstr(text, "\"name\":\"a \\\"b\\\", \\\\c\\n{d}\""));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_others_cannot_command_a_terminal),
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(values_have_all_digits_for_programs),
        cmocka_unit_test(values_have_units_for_people),
        cmocka_unit_test(counters_are_compared_at_their_width),
        cmocka_unit_test(formats_escape_names),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests_name("zetop_values", tests, NULL, NULL);
}
