/* How messages are told: text or JSON, files, what is hidden, what ends the process, stacks, the
 * table of resources. The programs are those of the other tests. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "faulty.h"

static char said[65536];
static void (*prepare)(void); /* called by the child before it becomes the program; may be NULL */

/* Runs a program of one of the other tests; "VAR=value" up to NULL. Returns how it ended. */
static int run_of(const char *test, const char *program, const char *const *settings)
{
    char path[4096];
    int pipes[2], status;
    snprintf(path, sizeof(path), "%s/tests/layers_validation_%s", getenv("GEOID_BUILD_DIR"), test);
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        setenv("ZE_ENABLE_VALIDATION_LAYER", "1", 1);
        for (; *settings; settings++)
            putenv((char *)(uintptr_t)*settings);
        dup2(pipes[1], STDERR_FILENO);
        if (prepare)
            prepare();
        execl(path, path, "--program", program, NULL);
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
    return status;
}

#define RUN(program, ...) run_of("lifetime", program, (const char *const[]){__VA_ARGS__, NULL})

/* VAL-1 */
static void nothing_is_checked_by_itself(void **state)
{
    (void)state;
    assert_int_equal(RUN("list_left_behind", "GEOID_VALIDATION="), 0);
    assert_string_equal(said, "");
    assert_int_equal(RUN("list_left_behind", "ZEL_ENABLE_BASIC_LEAK_CHECKER=0"), 0);
    assert_string_equal(said, "");
}

/* VAL-1 */
static void every_check_has_a_switch(void **state)
{
    (void)state;
    assert_int_equal(RUN("list_left_behind", "ZEL_ENABLE_BASIC_LEAK_CHECKER=1"), 0);
    assert_non_null(strstr(said, "error: leak: the ze_command_list_handle_t"));
    assert_int_equal(RUN("event_after_its_end", "ZE_ENABLE_HANDLE_LIFETIME=1"), 0);
    assert_non_null(strstr(said, "error: destroyed-handle: zeEventHostReset: hEvent"));
    assert_non_null(strstr(said, "in all: 1 error: destroyed-handle"));
    static const struct {
        const char *variable, *test, *program, *message;
    } rows[] = {
        {"ZE_ENABLE_PARAMETER_VALIDATION", "parameters", "null_descriptor", "null-pointer"},
        {"ZE_ENABLE_HANDLE_LIFETIME", "lifetime", "queue_for_a_list", "wrong-type"},
        {"ZE_ENABLE_MEMORY_TRACKER", "memory", "pointer_of_malloc_freed", "bad-free"},
        {"ZE_ENABLE_THREADING_VALIDATION", "threads", "two_threads_append", "simultaneous-use"},
        {"GEOID_ENABLE_COMMANDS_CHECKER", "commands", "append_to_a_closed_list", "closed-list"},
        {"ZEL_ENABLE_EVENTS_CHECKER", "events", "event_beyond_the_pool", "event-index"},
        {"ZEL_ENABLE_BASIC_LEAK_CHECKER", "memory", "memory_left_behind", "leak"},
        {"ZEL_ENABLE_PERFORMANCE_CHECKER", "hints", "unordered_immediate_list",
         "unordered-immediate-list"},
    };
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    for (size_t i = 0; i < ROWS; i++) {
        char own[64], others[ROWS][64];
        const char *settings[ROWS + 1] = {NULL};
        size_t count = 0;
        for (size_t k = 0; k < ROWS; k++) { /* all but its own: they tell of other things, if any */
            snprintf(others[k], sizeof(others[k]), "%s=%d", rows[k].variable, k != i);
            settings[count++] = others[k];
        }
        run_of(rows[i].test, rows[i].program, settings);
        assert_null(strstr(said, rows[i].message));
        snprintf(own, sizeof(own), "%s=1", rows[i].variable);
        assert_true(faulty_may_end(rows[i].program, run_of(rows[i].test, rows[i].program,
                                                           (const char *const[]){own, NULL})));
        assert_non_null(strstr(said, rows[i].message));
    }
}

/* VAL-1: whatever checks are asked for */
static void the_layer_has_a_switch(void **state)
{
    (void)state;
    assert_int_equal(RUN("list_left_behind", "ZE_ENABLE_VALIDATION_LAYER=0",
                         "ZEL_ENABLE_BASIC_LEAK_CHECKER=1", "GEOID_VALIDATION=all"),
                     0);
    assert_string_equal(said, "");
}

static void messages_are_json(void **state)
{
    (void)state;
    assert_int_equal(
        RUN("event_after_its_end", "GEOID_VALIDATION=lifetime", "GEOID_VALIDATION_FORMAT=json"), 0);
    assert_non_null(strstr(said, "{\"severity\":\"error\",\"message\":\"destroyed-handle\""));
    assert_non_null(strstr(said, "\"made\":{\"function\":\"zeEventCreate\""));
    assert_non_null(strstr(said, "\"destroyed\":{\"function\":\"zeEventDestroy\""));
    assert_non_null(strstr(said, "\"requirement\":\"VAL-3\""));
    assert_non_null(strstr(said, "{\"count\":1,"));
}

static void messages_are_hidden_by_name(void **state)
{
    (void)state;
    assert_int_equal(RUN("event_after_its_end", "GEOID_VALIDATION=lifetime",
                         "GEOID_VALIDATION_HIDE=leak, destroyed-handle"),
                     0);
    assert_string_equal(said, "");
}

static void chosen_messages_end_the_process(void **state)
{
    (void)state;
    int status = RUN("event_after_its_end", "GEOID_VALIDATION=lifetime",
                     "GEOID_VALIDATION_ABORT=destroyed-handle");
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(said, "destroyed-handle"));
    status = RUN("event_after_its_end", "GEOID_VALIDATION=lifetime", "GEOID_VALIDATION_ABORT=leak");
    assert_int_equal(status, 0);
}

static void stacks_name_the_caller(void **state)
{
    (void)state;
    assert_int_equal(RUN("list_left_behind", "GEOID_VALIDATION=leaks", "GEOID_VALIDATION_STACKS=1"),
                     0);
    assert_non_null(strstr(said, "        #0 "));
}

static void resources_go_to_a_table(void **state)
{
    (void)state;
    char folder[] = "/tmp/validation-XXXXXX", setting[256], line[256];
    assert_non_null(mkdtemp(folder));
    snprintf(setting, sizeof(setting), "ZEL_SYSTEM_RESOURCE_TRACKER_CSV=%s/table.csv", folder);
    assert_int_equal(RUN("list_destroyed_twice", "GEOID_VALIDATION=resources", setting), 0);
    snprintf(line, sizeof(line), "cat %s/table_pid*.csv | grep -c zeCommandListCreate, && rm -r %s",
             folder, folder);
    FILE *found = popen(line, "r");
    assert_non_null(fgets(line, sizeof(line), found));
    pclose(found);
    assert_int_equal(atoi(line), 1);
}

static void files_limit(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
}

static void errors_break(void)
{
    int pipes[2];
    if (pipe(pipes) != 0 || close(pipes[0]) != 0 || dup2(pipes[1], STDERR_FILENO) < 0)
        _exit(126);
}

/* Neither SIGXFSZ nor SIGPIPE comes of what the layer writes. */
static void reports_that_cannot_be_written_end_no_program(void **state)
{
    (void)state;
    char folder[] = "/tmp/validation-XXXXXX", report[64], table[96], line[128];
    assert_non_null(mkdtemp(folder));
    snprintf(report, sizeof(report), "GEOID_VALIDATION_FILE=%s/report", folder);
    snprintf(table, sizeof(table), "ZEL_SYSTEM_RESOURCE_TRACKER_CSV=%s/table.csv", folder);
    prepare = files_limit;
    assert_int_equal(RUN("event_after_its_end", "GEOID_VALIDATION=lifetime,resources", report), 0);
    assert_int_equal(RUN("event_after_its_end", "GEOID_VALIDATION=resources", table), 0);
    prepare = errors_break;
    assert_int_equal(RUN("event_after_its_end", "GEOID_VALIDATION=all"), 0);
    prepare = NULL;
    snprintf(line, sizeof(line), "rm -r %s", folder);
    assert_int_equal(system(line), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_checked_by_itself),
        cmocka_unit_test(every_check_has_a_switch),
        cmocka_unit_test(the_layer_has_a_switch),
        cmocka_unit_test(messages_are_json),
        cmocka_unit_test(messages_are_hidden_by_name),
        cmocka_unit_test(chosen_messages_end_the_process),
        cmocka_unit_test(stacks_name_the_caller),
        cmocka_unit_test(resources_go_to_a_table),
        cmocka_unit_test(reports_that_cannot_be_written_end_no_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
