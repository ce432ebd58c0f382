/* Calls in the loader's log, as tools of the field read them. The programs are those of
 * layers_validation_lifetime. */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char said[1 << 20];

/* Runs a test's program, of it the named part (NULL: all), with the layer and "VAR=value" up to
 * NULL; standard error in `said`. */
static void run(const char *test, const char *part, const char *const *settings)
{
    char path[4096];
    int pipes[2], status;
    snprintf(path, sizeof(path), "%s/tests/%s", getenv("GEOID_BUILD_DIR"), test);
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        setenv("ZE_ENABLE_VALIDATION_LAYER", "1", 1);
        setenv("ZEL_LOADER_LOG_CONSOLE", "1", 1);
        setenv("ZEL_LOADER_LOGGING_LEVEL", "trace", 1);
        for (; *settings; settings++)
            putenv((char *)(uintptr_t)*settings);
        dup2(pipes[1], STDERR_FILENO);
        execl(path, path, part ? "--program" : NULL, part, NULL);
        _exit(127);
    }
    close(pipes[1]);
    size_t length = 0;
    ssize_t count;
    while ((count = read(pipes[0], said + length, sizeof(said) - 1 - length)) > 0)
        length += (size_t)count;
    said[length] = '\0';
    close(pipes[0]);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

#define RUN(program, ...)                                                                          \
    run("layers_validation_lifetime", program, (const char *const[]){__VA_ARGS__, NULL})

/* Fails unless a line matches the whole extended regular expression. */
static void has(const char *expression)
{
    regex_t compiled;
    char whole[1024];
    snprintf(whole, sizeof(whole), "^%s$", expression);
    assert_int_equal(regcomp(&compiled, whole, REG_EXTENDED | REG_NOSUB | REG_NEWLINE), 0);
    const int match = regexec(&compiled, said, 0, NULL, 0);
    regfree(&compiled);
    if (match != 0)
        fail_msg("no line '%s' in:\n%s", expression, said);
}

#define STAMP                                                                                      \
    "\\[[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}\\] "                      \
    "\\[thread-id: [0-9]+\\] "
#define ADDRESS "0x[0-9a-f]+"

/* Each call has two lines, in a form that others' tools read. */
static void calls_are_in_the_log(void **state)
{
    (void)state;
    RUN("legal_lives", "ZEL_LOADER_LOG_PATTERN=");
    has(STAMP "\\[trace\\] zeDriverGet\\(pCount, phDrivers\\)");
    has(STAMP "\\[trace\\] SUCCESS \\(ZE_RESULT_SUCCESS\\) in zeDriverGet\\(pCount=1, "
              "phDrivers=" ADDRESS "\\)");
    has(STAMP "\\[trace\\] SUCCESS \\(ZE_RESULT_SUCCESS\\) in zeInit\\(flags=0\\)");
    has(STAMP "\\[trace\\] zeContextCreate\\(hDriver, desc, phContext\\)");
    has(STAMP "\\[trace\\] SUCCESS \\(ZE_RESULT_SUCCESS\\) in zeContextCreate\\(hDriver=" ADDRESS
              ", desc=\\{stype=ZE_STRUCTURE_TYPE_CONTEXT_DESC, pNext=nullptr, flags=0\\}, "
              "phContext=" ADDRESS "\\)");
    assert_null(strstr(said, "geoid:"));
}

/* A handle that is made is told by itself, so that it is found again in the calls that take it. */
static void handles_are_the_same_everywhere(void **state)
{
    (void)state;
    RUN("legal_lives", "ZEL_LOADER_LOG_PATTERN=%v");
    const char *made = strstr(said, "phContext=0x");
    assert_non_null(made);
    char line[128];
    const size_t length = strcspn(made + 10, ")");
    snprintf(line, sizeof(line), "zeContextDestroy(hContext=%.*s)", (int)length, made + 10);
    assert_non_null(strstr(said, line));
}

/* What a call that fails was given is not looked at. */
static void errors_are_told_by_name(void **state)
{
    (void)state;
    RUN("legal_lives", "ZEL_LOADER_LOG_PATTERN=%v");
    has("ERROR \\(ZE_RESULT_ERROR_[A-Z_]+\\) in zeModuleCreate\\(hContext=" ADDRESS
        ", hDevice=" ADDRESS ", desc=" ADDRESS ", phModule=" ADDRESS ", phBuildLog=.*\\)");
}

/* Of what the device reads or writes later some is not there at all: that program's faults stay the
 * device's. */
static void what_is_appended_is_not_looked_at(void **state)
{
    (void)state;
    static const char *const settings[] = {"CMOCKA_TEST_FILTER=the_text_names_operation_*", NULL};
    run("api_fault_tell", NULL, settings);
    has(STAMP "\\[trace\\] SUCCESS \\(ZE_RESULT_SUCCESS\\) in "
              "zeCommandListAppendWriteGlobalTimestamp\\(.*dstptr=" ADDRESS ".*");
}

/* At other levels calls cost nothing, and only what is wrong is told. */
static void messages_are_in_the_log_too(void **state)
{
    (void)state;
    RUN("event_after_its_end", "ZE_ENABLE_HANDLE_LIFETIME=1", "ZEL_LOADER_LOGGING_LEVEL=warn",
        "GEOID_VALIDATION_FILE=/dev/null");
    has(STAMP "\\[error\\] destroyed-handle: zeEventHostReset: hEvent.*");
    assert_null(strstr(said, "zeContextCreate("));
}

static void without_a_switch_there_is_no_log(void **state)
{
    (void)state;
    RUN("legal_lives", "ZEL_LOADER_LOG_CONSOLE=0");
    assert_string_equal(said, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_in_the_log),
        cmocka_unit_test(handles_are_the_same_everywhere),
        cmocka_unit_test(errors_are_told_by_name),
        cmocka_unit_test(what_is_appended_is_not_looked_at),
        cmocka_unit_test(messages_are_in_the_log_too),
        cmocka_unit_test(without_a_switch_there_is_no_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
