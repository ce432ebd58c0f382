/* What is JSON and what is not, and what comes of its tokens. */
#include "unit.h"

#include "base/json.h"

#include <stdio.h>

/* ---- a text as its tokens ---- */

/* Strings and keys are shown decoded between apostrophes, words and numbers as they stand. */
struct shown {
    char text[512];
    size_t length;
};

static void show(struct shown *shown, const char *bytes, size_t length)
{
    assert_true(shown->length + length < sizeof(shown->text));
    memcpy(shown->text + shown->length, bytes, length);
    shown->length += length;
    shown->text[shown->length] = '\0';
}

/* In memory of exactly the size that is promised to be enough. */
static bool text_show(struct geo_json *json, bool is_key, struct shown *shown)
{
    const size_t room = geo_json_text_room(json) + 1;
    char *out = malloc(room);
    assert_non_null(out);
    const bool right = is_key ? geo_json_key(json, out) : geo_json_text(json, out);
    if (right) {
        assert_true(strlen(out) < room);
        show(shown, "'", 1);
        show(shown, out, strlen(out));
        show(shown, is_key ? "':" : "'", is_key ? 2 : 1);
    }
    free(out);
    return right;
}

static bool value_show(struct geo_json *json, struct shown *shown)
{
    struct geo_json_token token;
    const uint32_t depth = json->depth;
    if (!geo_json_value(json, &token)) {
        return false;
    }
    if (token.kind == GEO_JSON_STRING) {
        return text_show(json, false, shown);
    }
    show(shown, token.text, token.length);
    if (token.kind != GEO_JSON_ARRAY && token.kind != GEO_JSON_OBJECT) {
        return true;
    }
    bool more = geo_json_first(json, token.kind), right = true;
    while (right && more) {
        right = (token.kind == GEO_JSON_ARRAY || text_show(json, true, shown)) &&
                value_show(json, shown) && geo_json_next(json, token.kind, &more);
        show(shown, ",", right && more);
    }
    show(shown, token.kind == GEO_JSON_ARRAY ? "]" : "}", 1);
    assert_true(!right || json->depth == depth);
    return right;
}

/* Reads text of a size in memory of exactly that size. */
static bool sized_read(const char *text, size_t size, struct shown *shown, char problem[160])
{
    struct geo_json json;
    char *bytes = malloc(size + !size);
    assert_non_null(bytes);
    memcpy(bytes, text, size);
    geo_json_begin(&json, bytes, size);
    shown->length = 0;
    shown->text[0] = '\0';
    const bool right = value_show(&json, shown) && geo_json_end(&json, "something follows");
    assert_int_equal(right, json.problem == NULL);
    snprintf(problem, 160, "line %u: %s", (unsigned)json.line, right ? "right" : json.problem);
    free(bytes);
    return right;
}

static void gives(const char *text, const char *tokens)
{
    struct shown shown = {.length = 0};
    char problem[160];
    if (!sized_read(text, strlen(text), &shown, problem)) {
        fail_msg("%s: %s", text, problem);
    }
    assert_string_equal(shown.text, tokens);
}

static void refuses_sized(const char *text, size_t size, const char *problem)
{
    struct shown shown = {.length = 0};
    char told[160];
    if (sized_read(text, size, &shown, told) || !strstr(told, problem)) {
        fail_msg("%s: '%s' instead of '%s'", text, told, problem);
    }
}

static void refuses(const char *text, const char *problem)
{
    refuses_sized(text, strlen(text), problem);
}

/* ---- cases ---- */

static void values_are_taken_as_they_stand(void **state)
{
    (void)state;
    static const char *const values[] = {
        "0",    "-0",    "10",   "1.5", "-2.50e+10", "1E9",  "3e-1",
        "true", "false", "null", "[]",  "{}",        "''",   "[1,[2]]",
        "7",    "1e999", "-1.0", "120", "[null,[]]", "[[]]", "0.000"};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        const char *value = strcmp(values[i], "''") == 0 ? "\"\"" : values[i];
        char text[128], tokens[64];
        gives(value, values[i]);
        snprintf(text, sizeof(text), " \t\r\n{ \"c\" : %s , \"a\":[ %s ] } \n", value, value);
        snprintf(tokens, sizeof(tokens), "{'c':%s,'a':[%s]}", values[i], values[i]);
        gives(text, tokens);
    }
}

static void what_is_no_json_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"", "line 1: a value is missing"},
        {"  \n", "line 2: a value is missing"},
        {"\xef\xbb\xbf{}", "a value is missing"},
        {"{", "a string is missing"},
        {"{} {}", "something follows"},
        {"1 2", "something follows"},
        {"{\"c\"}", "':' is missing"},
        {"{\"c\":}", "a value is missing"},
        {"{\"c\":1", "',' or '}' is missing"},
        {"{\"c\":1,}", "a string is missing"},
        {"[1,]", "a value is missing"},
        {"[1 2]", "',' or ']' is missing"},
        {"[1}", "',' or ']' is missing"},
        {"{'c':1}", "a string is missing"},
        {"[01]", "',' or ']' is missing"},
        {"-", "a value is missing"},
        {"1.", "a value is missing"},
        {".5", "a value is missing"},
        {"1e", "a value is missing"},
        {"1e+", "a value is missing"},
        {"+1", "a value is missing"},
        {"NaN", "a value is missing"},
        {"tru", "a value is missing"},
        {"True", "a value is missing"},
        {"]", "a value is missing"},
        {"{\n\n\"c\":1 // no\n}", "line 3: ',' or '}' is missing"},
        {"[\r\n1,\n2,\n\n,]", "line 5: a value is missing"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        refuses(cases[i].text, cases[i].problem);
    }
}

static void strings_are_decoded(void **state)
{
    (void)state;
    gives("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'\"\\/\b\f\n\r\t'");
    gives("\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00.\"", "'A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80.'");
    gives("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"",
          "'\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f'");
    gives("{\"\\u0061\\\"\" : \"\\\\\"}", "{'a\"':'\\'}");
    refuses("\"\\x41\"", "unknown escape");
    refuses("\"\\u12g4\"", "four hexadecimal digits");
    refuses("\"\\u12", "four hexadecimal digits");
    refuses("\"\\ud83d\"", "half of a surrogate pair");
    refuses("\"\\ud83d\\u0041\"", "half of a surrogate pair");
    refuses("\"\\ude00\"", "half of a surrogate pair");
    refuses("\"\\u0000\"", "\\u0000");
    refuses("\"x", "a string does not end");
    refuses("\"x\\", "unknown escape");
    refuses("\"x\ny\"", "line 1: control character");
    refuses_sized("\"\0\"", 3, "control character");
    refuses_sized("{}\0", 3, "something follows");
}

/* In its place, as a reader may that owns the bytes. */
static void strings_are_decoded_where_they_stand(void **state)
{
    (void)state;
    char bytes[] = "\"\\u20ac\\n\xc3\xa9\"7";
    struct geo_json json;
    struct geo_json_token token;
    geo_json_begin(&json, bytes, strlen(bytes));
    assert_true(geo_json_value(&json, &token) && token.kind == GEO_JSON_STRING);
    assert_true(geo_json_text(&json, bytes));
    assert_string_equal(bytes, "\xe2\x82\xac\n\xc3\xa9");
    assert_true(geo_json_value(&json, &token) && token.kind == GEO_JSON_NUMBER);
    assert_true(geo_json_end(&json, "more"));
}

static void bytes_that_are_no_utf8_are_refused(void **state)
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
        snprintf(text, sizeof(text), "\"%s\"", wrong[i]);
        refuses(text, "not UTF-8");
        snprintf(text, sizeof(text), "\"%s", wrong[i]);
        refuses(text, "not UTF-8");
    }
    struct geo_json json; /* what lies behind the text does not complete it */
    geo_json_begin(&json, "\"\xe2\x82\xac\"", 3);
    assert_false(geo_json_text(&json, NULL));
    assert_string_equal(json.problem, "not UTF-8");
}

/* Recursion ends long before a stack does; what is closed does not count. */
static void depth_is_limited(void **state)
{
    (void)state;
    char text[4096], *out = text;
    for (int depth = GEO_JSON_DEPTH; depth <= GEO_JSON_DEPTH + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = '\0';
        if (depth <= GEO_JSON_DEPTH) {
            gives(text, text);
        } else {
            refuses(text, "more than 32 arrays and objects in each other");
        }
    }
    for (int i = 0; i < 500; i++) {
        out += sprintf(out, "{\"c\":");
    }
    refuses(text, "in each other");
    strcpy(text, "[");
    for (int i = 0; i < 2 * GEO_JSON_DEPTH; i++) {
        strcat(text, i ? ",[]" : "[]");
    }
    strcat(text, "]");
    gives(text, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_taken_as_they_stand),
        cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(strings_are_decoded),
        cmocka_unit_test(strings_are_decoded_where_they_stand),
        cmocka_unit_test(bytes_that_are_no_utf8_are_refused),
        cmocka_unit_test(depth_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
