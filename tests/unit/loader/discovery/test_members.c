/* Members that are found in an object, and what is said of texts that are none. What is JSON is
 * asked in tests/unit/base. */
#include "loader/discovery/members.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Reads text of a size in memory of exactly that size. */
static bool sized_read(const char *text, size_t size, char a[64], char *problem, size_t room)
{
    struct geo_member members[] = {{.key = "a"}, {.key = "b"}};
    char *bytes = malloc(size + !size);
    assert_non_null(bytes);
    memcpy(bytes, text, size);
    bool right = geo_members_read(bytes, size, members, 2, problem, room);
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

static void refuses(const char *text, const char *problem)
{
    char found[64], told[160] = "";
    if (sized_read(text, strlen(text), found, told, sizeof(told)) || !strstr(told, problem)) {
        fail_msg("%s: '%s' instead of '%s'", text, told, problem);
    }
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

static void test_what_is_no_such_object_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"", "line 1: '{' is missing"},
        {"  \n", "line 2: '{' is missing"},
        {"[]", "'{' is missing"},
        {"\xef\xbb\xbf{}", "'{' is missing"},
        {"{} {}", "something follows the object"},
        {"{\"c\":1,}", "a string is missing"},
        {"{\"c\":[1,{\"d\" 2}]}", "':' is missing"},
        {"{\n\n\"c\":1 // no\n}", "line 3: ',' or '}' is missing"},
        {"{\"a\":1}", "\"a\" is not a string"},
        {"{\"a\":null}", "\"a\" is not a string"},
        {"{\"a\":tru}", "\"a\" is not a string"},
        {"{\"a\":\"\\u0000\"}", "\\u0000 in a string"},
        {"{\"a\":\"x\",\n\"a\":\"x\"}", "line 2: \"a\" stands here for the second time"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        refuses(cases[i].text, cases[i].problem);
    }
}

static void test_strings_are_decoded_in_their_place(void **state)
{
    (void)state;
    gives("{\"a\":\"\\u0041\\u20AC\\uD83D\\uDE00\\n.\"}", "A\xe2\x82\xac\xf0\x9f\x98\x80\n.");
    gives("{\"c\\n\":\"\\\"\",\"a\":\"\xc3\xa9\"}", "\xc3\xa9");
    gives("{\"a\":\"x\",\"b\":\"y\",\"c\":\"z\"}", "x");
}

/* The object itself counts. */
static void test_depth_is_limited(void **state)
{
    (void)state;
    char text[256];
    for (int depth = 31; depth <= 32; depth++) {
        char *out = text + sprintf(text, "{\"c\":");
        memset(out, '[', (size_t)depth);
        memset(out + depth, ']', (size_t)depth);
        strcpy(out + 2 * (size_t)depth, "}");
        if (depth == 31) {
            gives(text, "(none)");
        } else {
            refuses(text, "in each other");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_of_the_object_are_found),
        cmocka_unit_test(test_other_values_are_passed_by),
        cmocka_unit_test(test_what_is_no_such_object_is_refused),
        cmocka_unit_test(test_strings_are_decoded_in_their_place),
        cmocka_unit_test(test_depth_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
