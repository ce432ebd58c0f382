/* The loader's log in the form of the field: where lines go, which are written, what they look
 * like. The clock is the test's. */
#include "unit.h"

#include "child.h"

#include "base/loader_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct timespec moment = {.tv_sec = 1700000000, .tv_nsec = 7654321};

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = moment;
    return 0;
}

static int clear(void **state)
{
    (void)state;
    moment = (struct timespec){.tv_sec = 1700000000, .tv_nsec = 7654321};
    static const char *const names[] = {"ZEL_ENABLE_LOADER_LOGGING",    "ZEL_LOADER_LOG_CONSOLE",
                                        "ZEL_LOADER_LOGGING_LEVEL",     "ZEL_LOADER_LOG_DIR",
                                        "ZEL_LOADER_LOG_FILE",          "ZEL_LOADER_LOG_PATTERN",
                                        "ZE_ENABLE_LOADER_DEBUG_TRACE", "GEOID_LOG"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unsetenv(names[i]);
    }
    return setenv("TZ", "UTC", 1);
}

static void all_levels(void)
{
    for (int level = GEO_LOG_ERROR; level <= GEO_LOG_TRACE; level++) {
        bool enabled = geo_loader_log_enabled((enum geo_log_level)level);
        geo_loader_log((enum geo_log_level)level, enabled ? "on" : "off", enabled ? 2 : 3);
    }
}

static void one_line(void)
{
    geo_loader_log(GEO_LOG_ERROR, "a\nb", 3);
}

static const char *said(void (*run)(void), const char *name, const char *value)
{
    return child_output((const char *const[]){name, value, NULL}, run);
}

static void nothing_is_written_by_itself(void **state)
{
    (void)state;
    char home[] = "/tmp/geoid-home-XXXXXX";
    assert_non_null(mkdtemp(home));
    assert_string_equal(said(all_levels, "HOME", home), "");
    assert_int_equal(rmdir(home), 0); /* it is empty */
    static const char *const off[] = {"", "0", "false", "NO", "off"};
    for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
        assert_string_equal(said(all_levels, "ZEL_LOADER_LOG_CONSOLE", off[i]), "");
        assert_string_equal(said(all_levels, "ZE_ENABLE_LOADER_DEBUG_TRACE", off[i]), "");
    }
}

static void the_level_selects_lines(void **state)
{
    (void)state;
    static const struct {
        const char *level, *lines;
    } cases[] = {
        {"", "[error][warn]"},
        {"trace", "[error][warn][info][debug][trace]"},
        {"debug", "[error][warn][info][debug]"},
        {"info", "[error][warn][info]"},
        {"warn", "[error][warn]"},
        {"warning", "[error][warn]"},
        {"err", "[error]"},
        {"error", "[error]"},
        {"critical", ""},
        {"off", ""},
        {"nonsense", "[error][warn]"},
    };
    setenv("ZEL_LOADER_LOG_PATTERN", "[%l]", 1);
    setenv("ZEL_LOADER_LOG_CONSOLE", "1", 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char lines[64] = "", *end = lines;
        const char *text = said(all_levels, "ZEL_LOADER_LOGGING_LEVEL", cases[i].level);
        for (; *text; text++) {
            *end = *text;
            end += *text != '\n';
        }
        *end = '\0';
        assert_string_equal(lines, cases[i].lines);
    }
}

static void print_ids(void)
{
    fprintf(stderr, "%ld %ld\n", (long)syscall(SYS_gettid), (long)getpid());
    one_line();
}

static void lines_follow_the_pattern(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *line;
    } cases[] = {
        {"", "[2023-11-14 22:13:20.007] [thread-id: T] [error] a\\nb\n"}, /* as in the field */
        {"%v", "a\\nb\n"},
        {"%v%v %%v%", "a\\nba\\nb %v%\n"},
        {"%H.%M.%S %d/%m/%Y %e %f", "22.13.20 14/11/2023 007 007654\n"},
        {"%x %^%l%$ %", "%x error %\n"},
        {"plain", "plain\n"},
    };
    setenv("ZEL_LOADER_LOG_CONSOLE", "1", 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[512];
        snprintf(text, sizeof(text), "%s",
                 said(one_line, "ZEL_LOADER_LOG_PATTERN", cases[i].pattern));
        char *thread = strstr(text, "thread-id: ");
        if (thread) {
            char *digits = thread + strlen("thread-id: ");
            size_t count = strspn(digits, "0123456789");
            assert_true(count > 0);
            memmove(digits + 1, digits + count, strlen(digits + count) + 1);
            *digits = 'T';
        }
        assert_string_equal(text, cases[i].line);
    }
    const char *ids = said(print_ids, "ZEL_LOADER_LOG_PATTERN", "%t %P");
    size_t half = strlen(ids) / 2;
    assert_memory_equal(ids, ids + half, half);
}

/* The calendar is our own arithmetic: every day of five centuries, against the C library's. */
static void every_day(void)
{
    for (long day = 1; day < 200000; day++) {
        moment.tv_sec = day * 86400 + day % 86400;
        one_line();
    }
}

static void days_are_those_of_the_calendar(void **state)
{
    (void)state;
    char file[] = "/tmp/geoid-log-XXXXXX", line[64], expected[64];
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    setenv("ZEL_LOADER_LOG_PATTERN", "%Y-%m-%d %H:%M:%S", 1);
    setenv("ZEL_LOADER_LOG_DIR", "/tmp", 1);
    setenv("ZEL_LOADER_LOG_FILE", file + strlen("/tmp/"), 1);
    said(every_day, "ZEL_ENABLE_LOADER_LOGGING", "1");
    FILE *stream = fdopen(fd, "r");
    for (long day = 1; day < 200000; day++) {
        struct tm utc;
        time_t seconds = day * 86400 + day % 86400;
        gmtime_r(&seconds, &utc);
        strftime(expected, sizeof(expected), "%Y-%m-%d %H:%M:%S\n", &utc);
        assert_non_null(fgets(line, sizeof(line), stream));
        assert_string_equal(line, expected);
    }
    assert_null(fgets(line, sizeof(line), stream));
    fclose(stream);
    unlink(file);
}

static void local_line(void)
{
    tzset(); /* this process has asked for times already */
    one_line();
}

static void times_are_local(void **state)
{
    (void)state;
    setenv("ZEL_LOADER_LOG_CONSOLE", "1", 1);
    setenv("ZEL_LOADER_LOG_PATTERN", "%Y-%m-%d %H:%M", 1);
    assert_string_equal(said(local_line, "TZ", "XXX-05:30"), "2023-11-15 03:43\n");
    assert_string_equal(said(local_line, "TZ", "XXX+12"), "2023-11-14 10:13\n");
}

/* ---- files ---- */

static char folder[] = "/tmp/geoid-logs-XXXXXX";

static const char *file_text(const char *name)
{
    static char text[4096];
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    text[length] = '\0';
    if (file) {
        fclose(file);
    }
    return file ? text : "(none)";
}

static void lines_go_to_a_file(void **state)
{
    (void)state;
    char path[256];
    assert_non_null(mkdtemp(folder));
    setenv("ZEL_ENABLE_LOADER_LOGGING", "1", 1);
    setenv("ZEL_LOADER_LOG_PATTERN", "%v", 1);
    assert_string_equal(said(one_line, "HOME", folder), "");
    assert_string_equal(file_text(".oneapi_logs/ze_loader.log"), "a\\nb\n");
    said(one_line, "HOME", folder); /* appended */
    assert_string_equal(file_text(".oneapi_logs/ze_loader.log"), "a\\nb\na\\nb\n");
    snprintf(path, sizeof(path), "%s/deep/er", folder);
    setenv("ZEL_LOADER_LOG_DIR", path, 1);
    assert_string_equal(said(one_line, "ZEL_LOADER_LOG_FILE", "own.log"), "");
    assert_string_equal(file_text("deep/er/own.log"), "a\\nb\n");
    /* standard error takes its place */
    assert_string_equal(said(one_line, "ZEL_LOADER_LOG_CONSOLE", "1"), "a\\nb\n");
    assert_string_equal(file_text("deep/er/ze_loader.log"), "(none)");
    /* what cannot be opened is done without, and nothing waits for a reader */
    assert_string_equal(said(one_line, "ZEL_LOADER_LOG_DIR", "/proc/nowhere"), "");
    snprintf(path, sizeof(path), "%s/deep/er/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_string_equal(said(one_line, "ZEL_LOADER_LOG_FILE", "pipe"), "");
    snprintf(path, sizeof(path), "rm -rf '%s'", folder);
    assert_int_equal(system(path), 0);
}

static void the_old_way_has_a_prefix(void **state)
{
    (void)state;
    assert_string_equal(said(all_levels, "ZE_ENABLE_LOADER_DEBUG_TRACE", "1"),
                        "ZE_LOADER_DEBUG_TRACE:on\nZE_LOADER_DEBUG_TRACE:on\n"
                        "ZE_LOADER_DEBUG_TRACE:on\nZE_LOADER_DEBUG_TRACE:on\n");
}

static void loaders_log(void)
{
    geo_log("loader", GEO_LOG_WARN, "of the loader");
    geo_log("cpu", GEO_LOG_WARN, "of others");
    geo_log("loader", GEO_LOG_INFO, "%s", geo_log_enabled("loader", GEO_LOG_INFO) ? "on" : "off");
}

/* Both logs have what the loader says, each by its own settings. */
static void the_loaders_lines_are_in_it(void **state)
{
    (void)state;
    setenv("ZEL_LOADER_LOG_PATTERN", "%l %v", 1);
    setenv("ZEL_LOADER_LOG_CONSOLE", "1", 1);
    assert_string_equal(child_output(NULL, loaders_log), "warn of the loader\n");
    setenv("ZEL_LOADER_LOGGING_LEVEL", "info", 1);
    assert_string_equal(said(loaders_log, "GEOID_LOG", "loader=warn"),
                        "geoid: loader: warn: of the loader\nwarn of the loader\ninfo on\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_is_written_by_itself, clear),
        cmocka_unit_test_setup(the_level_selects_lines, clear),
        cmocka_unit_test_setup(lines_follow_the_pattern, clear),
        cmocka_unit_test_setup(days_are_those_of_the_calendar, clear),
        cmocka_unit_test_setup(times_are_local, clear),
        cmocka_unit_test_setup(lines_go_to_a_file, clear),
        cmocka_unit_test_setup(the_old_way_has_a_prefix, clear),
        cmocka_unit_test_setup(the_loaders_lines_are_in_it, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
