/* The log: which lines are written, what they look like, where they go. */
#include "unit.h"

#include "child.h"

#include "base/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const components[] = {"loader", "compiler", "cpu"};
static const char *const levels[] = {"error", "warn", "info", "debug", "trace"};

/* One line of every component and level; what is written must be what is enabled. */
static void everything_log(void)
{
    for (size_t c = 0; c < 3; c++) {
        for (int level = GEO_LOG_ERROR; level <= GEO_LOG_TRACE; level++) {
            bool enabled = geo_log_enabled(components[c], (enum geo_log_level)level);
            geo_log(components[c], (enum geo_log_level)level, "%s", enabled ? "on" : "off");
        }
    }
}

/* The lines of components up to a level each. */
static const char *expected(const int up_to[3])
{
    static char text[4096];
    text[0] = '\0';
    for (size_t c = 0; c < 3; c++) {
        for (int level = 0; level <= up_to[c]; level++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof(text) - used, "geoid: %s: %s: on\n", components[c],
                     levels[level]);
        }
    }
    return text;
}

static void the_setting_selects_lines(void **state)
{
    (void)state;
    static const struct {
        const char *setting;
        int up_to[3]; /* of each component */
    } cases[] = {
        {"", {0, 0, 0}},
        {"error", {0, 0, 0}},
        {"warn", {1, 1, 1}},
        {"trace", {4, 4, 4}},
        {"loader=debug", {3, 0, 0}},
        {"loader=debug,compiler=info", {3, 2, 0}},
        {"info,cpu=trace", {2, 2, 4}},
        {"cpu=trace,info", {2, 2, 2}},          /* the last that fits counts */
        {"debug,loader=error", {0, 3, 3}},      /* also downwards */
        {",,loader=warn,", {1, 0, 0}},          /* empty items are none */
        {"other=trace,loade=trace", {0, 0, 0}}, /* whole names only */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *environment[] = {"GEOID_LOG", cases[i].setting, NULL};
        assert_string_equal(child_output(environment, everything_log), expected(cases[i].up_to));
    }
    assert_string_equal(child_output(NULL, everything_log), expected((int[3]){0, 0, 0}));
}

static void one_log(void)
{
    geo_log("loader", GEO_LOG_INFO, "line");
}

/* What is wrong in a setting is named, the rest of it holds. */
static void mistakes_are_named(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "loud",  "INFO",       "infos",
        "inf",   "loader=",    "=info=",
        "a=b=c", "loader=5",   "a_component_with_too_long_a_name=info",
        " info", "loader:info"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char setting[256], text[512];
        snprintf(setting, sizeof(setting), "%s,loader=info", wrong[i]);
        snprintf(text, sizeof(text),
                 "geoid: log: warn: GEOID_LOG: '%s' is not understood\ngeoid: loader: info: line\n",
                 wrong[i]);
        const char *environment[] = {"GEOID_LOG", setting, NULL};
        assert_string_equal(child_output(environment, one_log), text);
    }
}

/* There is room for 16 rules; more are refused, not written behind them. */
static void too_many_rules_are_refused(void **state)
{
    (void)state;
    char setting[2048] = "";
    for (int i = 0; i < 40; i++) {
        snprintf(setting + strlen(setting), sizeof(setting) - strlen(setting), "c%d=trace,", i);
    }
    strcat(setting, "loader=info");
    const char *environment[] = {"GEOID_LOG", setting, NULL};
    const char *output = child_output(environment, one_log);
    assert_null(strstr(output, "'c15=trace'"));
    assert_non_null(strstr(output, "'c16=trace' is not understood"));
    assert_non_null(strstr(output, "'c39=trace' is not understood"));
    assert_non_null(strstr(output, "'loader=info' is not understood"));
    assert_null(strstr(output, "line\n"));
}

static void forging_log(void)
{
    geo_log("loader", GEO_LOG_ERROR, "%s", "a\033[2J\ngeoid: loader: error: forged");
}

static void a_text_makes_one_line(void **state)
{
    (void)state;
    assert_string_equal(child_output(NULL, forging_log),
                        "geoid: loader: error: a\\x1b[2J\\ngeoid: loader: error: forged\n");
}

static void long_log(void)
{
    static char text[5000];
    for (size_t length = 980; length < 1030; length++) {
        memset(text, 'x', length);
        text[length] = '\0';
        geo_log("loader", GEO_LOG_ERROR, "%s", text);
    }
    memset(text, 'x', sizeof(text) - 1);
    geo_log("loader", GEO_LOG_ERROR, "%s", text);
}

/* A line is cut, never its end. */
static void long_lines_are_cut(void **state)
{
    (void)state;
    static const char head[] = "geoid: loader: error: ";
    static char copy[65536];
    snprintf(copy, sizeof(copy), "%s", child_output(NULL, long_log));
    size_t lines = 0, longest = 0;
    for (char *line = copy; *line;) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        size_t length = strlen(line);
        assert_memory_equal(line, head, sizeof(head) - 1);
        assert_int_equal(strspn(line + sizeof(head) - 1, "x"), length - (sizeof(head) - 1));
        assert_true(length <= 1024);
        longest = length > longest ? length : longest;
        lines++;
        line = end + 1;
    }
    assert_int_equal(lines, 51);
    assert_true(longest > 1000);
}

static char file[] = "/tmp/geoid_test_log_XXXXXX";

/* The file is appended to, and lines of many threads stay whole: one write each. */
static void *many_log(void *name)
{
    for (int i = 0; i < 200; i++) {
        geo_log(name, GEO_LOG_INFO, "a line of some length %d, to be written at once", i);
    }
    return NULL;
}

static void threads_log(void)
{
    pthread_t threads[4];
    static char names[4][8] = {"ta", "tb", "tc", "td"};
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, many_log, names[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void a_file_gets_whole_lines_at_its_end(void **state)
{
    (void)state;
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "before\n", 7), 7);
    const char *environment[] = {"GEOID_LOG", "info", "GEOID_LOG_FILE", file, NULL};
    assert_string_equal(child_output(environment, threads_log), "");
    FILE *stream = fopen(file, "r");
    assert_non_null(stream);
    char line[512], name[8];
    int next[4] = {0}, number, lines = 0;
    assert_non_null(fgets(line, sizeof(line), stream));
    assert_string_equal(line, "before\n");
    while (fgets(line, sizeof(line), stream)) {
        assert_int_equal(sscanf(line,
                                "geoid: %3[a-z]: info: a line of some length %d, to be written "
                                "at once",
                                name, &number),
                         2);
        assert_int_equal(number, next[name[1] - 'a']++);
        lines++;
    }
    assert_int_equal(lines, 800);
    fclose(stream);
    close(fd);
    unlink(file);
}

/* A file that cannot be opened leaves standard error. */
static void a_file_that_cannot_be_is_none(void **state)
{
    (void)state;
    const char *environment[] = {"GEOID_LOG", "info", "GEOID_LOG_FILE", "/nowhere/at/all", NULL};
    assert_string_equal(child_output(environment, one_log), "geoid: loader: info: line\n");
    environment[3] = "";
    assert_string_equal(child_output(environment, one_log), "geoid: loader: info: line\n");
}

int main(void)
{
    unsetenv("GEOID_LOG");
    unsetenv("GEOID_LOG_FILE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_setting_selects_lines),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(too_many_rules_are_refused),
        cmocka_unit_test(a_text_makes_one_line),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(a_file_gets_whole_lines_at_its_end),
        cmocka_unit_test(a_file_that_cannot_be_is_none),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
