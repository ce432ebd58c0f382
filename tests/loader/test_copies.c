/* Copies of a process made at any moment, and other programs in its place. See life.h. */
#include "life.h"

#include "limit.h"
#include "scenario.h"

#include <level_zero/loader/ze_loader.h>

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void child_run(void (*run)(void))
{
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        limit_stall();
        run();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void child_begins(void)
{
    const ze_context_handle_t before = calls.context;
    begin();
    CHECK(strcmp(late_state(&calls), "working") == 0);
    CHECK_RESULT(calls.context_destroy(calls.context), ZE_RESULT_SUCCESS);
    calls.context = before;
}

static void child_is_not_confused(void)
{
    CHECK(strcmp(late_state(&calls), "confused") != 0);
}

static void child_leaves(void)
{
    exit(0);
}

static void grandchild(void)
{
    child_run(child_begins);
    child_begins();
    child_run(child_leaves);
}

static void fork_at_exit(void)
{
    child_run(child_is_not_confused);
    child_run(child_leaves); /* its own handlers are those that are left */
}

static void fork_in_callback(void)
{
    child_run(child_begins); /* not torn down yet */
    child_run(child_leaves);
}

static void fork_everywhere(void)
{
    pthread_t threads[3];
    zel_application_teardown_callback_t forget;
    uint32_t index;
    ze_result_t (*watch)(zel_loader_teardown_callback_t, zel_application_teardown_callback_t *,
                         uint32_t *);
    atexit(fork_at_exit);
    void *loader = loader_open(RTLD_NOW);
    void *symbol = dlsym(loader, "zelRegisterTeardownCallback");
    CHECK(symbol);
    memcpy(&watch, &symbol, sizeof(watch));
    CHECK_RESULT(watch(fork_in_callback, &forget, &index), ZE_RESULT_SUCCESS);
    child_run(child_begins);
    begin();
    child_run(grandchild);
    atexit(fork_at_exit);
    busy_start(threads);
    for (int i = 0; i < 5; i++) {
        child_run(child_begins);
    }
    life_enough();
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    exit(0);
}

/* INI-7: in every state, a child of it works or is told that the end has come. */
static void test_forks_at_any_moment(void **state)
{
    (void)state;
    for (size_t i = 0; i < LIFE_SETS; i++) {
        scenario_passes("fork_everywhere", life_sets[i], NULL);
    }
}

/* ---- another program in its place ---- */

static void become_successor(void)
{
    execl("/proc/self/exe", "scenario", "--scenario", "successor", NULL);
    _exit(96);
}

/* Files of ours do not outlive the program: there are as many as when it began. */
static void successor(void)
{
    char before[16];
    snprintf(before, sizeof(before), "%u", files_open());
    CHECK(strcmp(before, getenv("FAKE_FILES")) == 0);
    loader_open(RTLD_NOW);
    begin();
    CHECK(strcmp(late_state(&calls), "working") == 0);
    exit(0);
}

static void exec_everywhere(void)
{
    pthread_t threads[3];
    char before[16];
    snprintf(before, sizeof(before), "%u", files_open());
    setenv("FAKE_FILES", before, 1);
    loader_open(RTLD_NOW);
    begin();
    child_run(become_successor);
    if (!getenv("FAKE_AT_EXIT")) {
        busy_start(threads);
        become_successor();
    }
    atexit(become_successor);
    exit(0);
}

/* Nothing of the old program is in the new one. */
static void test_other_programs_take_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < LIFE_SETS; i++) {
        scenario_passes("exec_everywhere", life_sets[i], NULL);
        scenario_passes("exec_everywhere", life_sets[i], "FAKE_AT_EXIT=1", NULL);
    }
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {S(fork_everywhere), S(exec_everywhere), S(successor)};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forks_at_any_moment),
        cmocka_unit_test(test_other_programs_take_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
