/* What is JSON and what is not, and what comes of its strings. */
#include "loader/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Reads text of a size in memory of exactly that size and the byte behind it. */
static bool sized_read(const char *text, size_t size, char a[64], char *problem, size_t room)
{
    struct geo_json_member members[] = {{.key = "a"}, {.key = "b"}};
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    memcpy(bytes, text, size);
    bool right = geo_json_read(bytes, size, members, 2, problem, room);
    snprintf(a, 64, "%s", right && members[0].text ? members[0].text : "(none)");
    free(bytes);
    return right;
}

static void gives(const char *text, const char *a)
{
    char found[64], problem[160] = "";
    if (!sized_read(text, strlen(text), found, problem, sizeof(problem))) {
        fail_msg("%s: %s", text, problem);
    }
    assert_string_equal(found, a);
}

static void refuses_sized(const char *text, size_t size, const char *problem)
{
    char found[64], told[160] = "";
    if (sized_read(text, size, found, told, sizeof(told)) || !strstr(told, problem)) {
        fail_msg("%s: '%s' instead of '%s'", text, told, problem);
    }
}

static void refuses(const char *text, const char *problem)
{
    refuses_sized(text, strlen(text), problem);
}

static void test_members_of_the_object_are_found(void **state)
{
    (void)state;
    gives("{}", "(none)");
    gives(" \t\r\n{ \"a\" : \"x\" } \n", "x");
    gives("{\"b\":\"y\",\"a\":\"x\"}", "x");
    gives("{\"a\":\"\"}", "");
    gives("{\"A\":\"y\"}", "(none)");
    gives("{\"\\u0061\":\"x\"}", "x");               /* the key, written otherwise */
    gives("{\"c\":{\"a\":\"y\"},\"a\":\"x\"}", "x"); /* not those of others */
    gives("{\"c\":[{\"a\":1}],\"c\":{\"a\":2,\"a\":3}}", "(none)");
}

static void test_other_values_are_passed_by(void **state)
{
    (void)state;
    static const char *const values[] = {
        "0",     "-0",   "10", "1.5", "-2.50e+10", "1E9",  "3e-1",    "true",
        "false", "null", "[]", "[ ]", "{}",        "\"\"", "[1,[2]]", "[null, {\"a\": []}]"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "{\"c\": %s , \"a\":\"x\"}", values[i]);
        gives(text, "x");
    }
}

static void test_what_is_no_json_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"", "line 1: '{' is missing"},
        {"  \n", "line 2: '{' is missing"},
        {"[]", "'{' is missing"},
        {"\xef\xbb\xbf{}", "'{' is missing"},
        {"{", "a string is missing"},
        {"{} {}", "something follows"},
        {"{\"c\"}", "':' is missing"},
        {"{\"c\":}", "a value is missing"},
        {"{\"c\":1", "',' or '}' is missing"},
        {"{\"c\":1,}", "a string is missing"},
        {"{\"c\":[1,]}", "a value is missing"},
        {"{\"c\":[1 2]}", "',' or ']' is missing"},
        {"{\"c\":[1}", "',' or ']' is missing"},
        {"{'c':1}", "a string is missing"},
        {"{\"c\":01}", "',' or '}' is missing"},
        {"{\"c\":-}", "a value is missing"},
        {"{\"c\":1.}", "a value is missing"},
        {"{\"c\":.5}", "a value is missing"},
        {"{\"c\":1e}", "a value is missing"},
        {"{\"c\":+1}", "a value is missing"},
        {"{\"c\":NaN}", "a value is missing"},
        {"{\"c\":tru}", "a value is missing"},
        {"{\"c\":True}", "a value is missing"},
        {"{\n\n\"c\":1 // no\n}", "line 3: ',' or '}' is missing"},
        {"{\"a\":1}", "\"a\" is no string"},
        {"{\"a\":null}", "\"a\" is no string"},
        {"{\"a\":\"x\",\n\"a\":\"x\"}", "line 2: \"a\" stands here for the second time"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        refuses(cases[i].text, cases[i].problem);
    }
}

static void test_strings_are_decoded(void **state)
{
    (void)state;
    gives("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "\"\\/\b\f\n\r\t");
    gives("{\"a\":\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00.\"}",
          "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80.");
    gives("{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"}",
          "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f");
    refuses("{\"a\":\"\\x41\"}", "unknown escape");
    refuses("{\"a\":\"\\u12g4\"}", "four hexadecimal digits");
    refuses("{\"a\":\"\\u12", "four hexadecimal digits");
    refuses("{\"a\":\"\\ud83d\"}", "half of a surrogate pair");
    refuses("{\"a\":\"\\ud83d\\u0041\"}", "half of a surrogate pair");
    refuses("{\"a\":\"\\ude00\"}", "half of a surrogate pair");
    refuses("{\"a\":\"\\u0000\"}", "\\u0000");
    refuses("{\"a\":\"x", "a string does not end");
    refuses("{\"a\":\"x\\", "unknown escape");
    refuses("{\"a\":\"x\ny\"}", "control character");
    refuses_sized("{\"a\":\"\0\"}", 8, "control character");
    refuses_sized("{}\0", 3, "something follows");
}

static void test_bytes_that_are_no_utf8_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"\x80",
                                        "\xc0\xaf",
                                        "\xc1\xbf",
                                        "\xc3",
                                        "\xc3\x28",
                                        "\xe0\x9f\xbf",
                                        "\xe2\x82",
                                        "\xed\xa0\x80",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xff"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[32];
        snprintf(text, sizeof(text), "{\"a\":\"%s\"}", wrong[i]);
        refuses(text, "not UTF-8");
        snprintf(text, sizeof(text), "{\"a\":\"%s", wrong[i]);
        refuses(text, "not UTF-8");
    }
}

static void nest(char *text, unsigned depth, char open, char close)
{
    char *out = text + sprintf(text, "{\"c\":");
    memset(out, open, depth);
    memset(out + depth, close, depth);
    strcpy(out + 2 * (size_t)depth, "}");
}

/* Recursion ends long before a stack does. */
static void test_depth_is_limited(void **state)
{
    (void)state;
    char text[4096];
    nest(text, GEO_JSON_DEPTH - 1, '[', ']');
    gives(text, "(none)");
    nest(text, GEO_JSON_DEPTH, '[', ']');
    refuses(text, "in each other");
    char *out = text;
    for (int i = 0; i < 500; i++) {
        out += sprintf(out, "{\"c\":");
    }
    refuses(text, "in each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_of_the_object_are_found),
        cmocka_unit_test(test_other_values_are_passed_by),
        cmocka_unit_test(test_what_is_no_json_is_refused),
        cmocka_unit_test(test_strings_are_decoded),
        cmocka_unit_test(test_bytes_that_are_no_utf8_are_refused),
        cmocka_unit_test(test_depth_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
