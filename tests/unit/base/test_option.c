/* Options: the table itself, and every form of text that the environment may have. */
#include "unit.h"

#include "child.h"

#include "base/option.h"

#include <ctype.h>

/* The names that are used here, of the table: a string without default, numbers, a flag. */
#define TEXT   "GEOID_DUMP"
#define NUMBER "GEOID_SPIN_US"
#define FLAG   "GEOID_CATCH_FAULTS"

static void the_table_is_in_order(void **state)
{
    (void)state;
    size_t count;
    const struct geo_option *table = geo_option_table(&count);
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(table[i].name, "GEOID_", 6);
        for (const char *c = table[i].name; *c; c++) {
            assert_true(isupper((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_');
        }
        assert_true(table[i].component && *table[i].component);
        assert_true(table[i].help && *table[i].help);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(table[i].name, table[k].name);
        }
    }
}

static void defaults_stand_for_what_is_unset(void **state)
{
    (void)state;
    size_t count;
    const struct geo_option *table = geo_option_table(&count);
    for (size_t i = 0; i < count; i++) {
        unsetenv(table[i].name);
        const char *value = geo_option_string(table[i].name);
        assert_ptr_equal(value, table[i].fallback);
        setenv(table[i].name, "", 1); /* set, to nothing */
        assert_string_equal(geo_option_string(table[i].name), "");
        unsetenv(table[i].name);
    }
    assert_null(geo_option_string(TEXT));
    assert_int_equal(geo_option_number(NUMBER, 0, 1000), 50);
    assert_true(geo_option_flag(FLAG));
}

static void number_print(void)
{
    fprintf(stderr, "%llu\n", (unsigned long long)geo_option_number(NUMBER, 2, 1000));
}

static void numbers_are_decimal_or_hexadecimal_and_in_range(void **state)
{
    (void)state;
    static const struct {
        const char *text, *number;
    } good[] = {
        {"2", "2\n"}, {"1000", "1000\n"}, {"0x10", "16\n"}, {"0X3e8", "1000\n"}, {"+7", "7\n"}};
    static const char *const bad[] = {"",
                                      "1",
                                      "1001",
                                      "-5",
                                      "5 ",
                                      "five",
                                      "0x",
                                      "1e2",
                                      "18446744073709551618",
                                      "50x",
                                      "--",
                                      "-0xA0",
                                      "0x10000000000000032"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        const char *environment[] = {NUMBER, good[i].text, NULL};
        assert_string_equal(child_output(environment, number_print), good[i].number);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char expected[256];
        const char *environment[] = {NUMBER, bad[i], NULL};
        snprintf(expected, sizeof(expected),
                 "geoid: base: warn: " NUMBER "=%s is ignored: the value must be a "
                 "number from 2 to 1000; using 50\n50\n",
                 bad[i]);
        assert_string_equal(child_output(environment, number_print), expected);
    }
}

static void any_number_print(void)
{
    fprintf(stderr, "%llx\n", (unsigned long long)geo_option_number(NUMBER, 0, UINT64_MAX));
}

/* Where every number of 64 bits is allowed, there is still none below or beyond. */
static void numbers_do_not_wrap(void **state)
{
    (void)state;
    static const char *const wrong[] = {"-5", "-1", "18446744073709551616", "0x10000000000000005"};
    const char *environment[] = {NUMBER, "18446744073709551615", NULL};
    assert_string_equal(child_output(environment, any_number_print), "ffffffffffffffff\n");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        environment[1] = wrong[i];
        assert_non_null(strstr(child_output(environment, any_number_print), "using 50\n32\n"));
    }
}

static void flags_are_on_by_some_words(void **state)
{
    (void)state;
    static const char *const yes[] = {"1", "true", "yes", "on"};
    static const char *const no[] = {"0", "false", "no", "off", "", "2", "y", "11", "on "};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        setenv(FLAG, yes[i], 1);
        assert_true(geo_option_flag(FLAG));
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        setenv(FLAG, no[i], 1);
        assert_false(geo_option_flag(FLAG));
    }
    unsetenv(FLAG);
    assert_false(geo_option_flag(TEXT)); /* unset, and no default */
}

static void options_read(void)
{
    geo_option_string(TEXT);
    geo_option_number(NUMBER, 0, 1000);
    geo_option_flag(FLAG);
}

/* GEOID_DEBUG=help prints the table, once. */
static void help_lists_the_table_once(void **state)
{
    (void)state;
    size_t count, variable_count, lines = 0;
    const struct geo_option *table = geo_option_table(&count);
    const struct geo_option *variables = geo_option_variable_table(&variable_count);
    const char *environment[] = {"GEOID_DEBUG", "help", NULL};
    const char *output = child_output(environment, options_read);
    for (const char *c = output; *c; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, count + variable_count);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(strstr(output, table[i].name));
        assert_non_null(strstr(output, table[i].help));
    }
    assert_true(variable_count > 10);
    for (size_t i = 0; i < variable_count; i++) {
        assert_non_null(strstr(output, variables[i].name));
        assert_non_null(strstr(output, variables[i].help));
    }
    environment[1] = "helpful";
    assert_string_equal(child_output(environment, options_read), "");
}

static void foreign_variables_are_read(void **state)
{
    (void)state;
    setenv("ZE_AFFINITY_MASK", "0,1", 1);
    assert_string_equal(geo_option_environment("ZE_AFFINITY_MASK"), "0,1");
    unsetenv("ZE_AFFINITY_MASK");
    assert_null(geo_option_environment("ZE_AFFINITY_MASK"));
}

int main(void)
{
    unsetenv("GEOID_DEBUG");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_lists_the_table_once), /* first: nothing was read yet */
        cmocka_unit_test(the_table_is_in_order),
        cmocka_unit_test(defaults_stand_for_what_is_unset),
        cmocka_unit_test(numbers_are_decimal_or_hexadecimal_and_in_range),
        cmocka_unit_test(numbers_do_not_wrap),
        cmocka_unit_test(flags_are_on_by_some_words),
        cmocka_unit_test(foreign_variables_are_read),
    };
    return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
