/* From the first call of a process to its last: the loader opened and closed again and again, calls
 * while the process ends in any way, and copies of it made at any moment. An answer may be an
 * error; a crash or a wait it may not be.
 *
 * This program is not linked with the loader: it opens it, as bindings of other languages do. */
#include "late.h"
#include "limit.h"
#include "scenario.h"

#include <level_zero/loader/ze_loader.h>

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef GEOID_SANITIZED
#define ROUNDS 100
#else
#define ROUNDS 1000
#endif

static const char *const driver_sets[] = {
    "ZE_ENABLE_ALT_DRIVERS={a}",
    "ZE_ENABLE_ALT_DRIVERS={a},{b}",
    "ZE_ENABLE_ALT_DRIVERS={mortal}",
    "ZE_ENABLE_ALT_DRIVERS={a},{mortal}",
    "ZE_ENABLE_ALT_DRIVERS=libze_geoid.so.1",
    "ZE_ENABLE_ALT_DRIVERS=libze_geoid.so.1,libze_null.so.1",
};

#define DRIVER_SETS (sizeof(driver_sets) / sizeof(driver_sets[0]))

/* A child of fork cannot join the threads of its parent, whose end the thread sanitizer saw. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_thread_leaks=0:die_after_fork=0";
}

static struct late_calls calls;

/* Opens the loader; the caller closes it. */
static void *loader_open(int flags)
{
    void *loader = dlopen(LOADER_PATH, flags);
    CHECK(loader);
    const struct {
        const char *name;
        void *pointer;
    } functions[] = {
        {"zeInit", &calls.init},
        {"zesInit", &calls.sysman_init},
        {"zeDriverGet", &calls.driver_get},
        {"zeContextCreate", &calls.context_create},
        {"zeContextDestroy", &calls.context_destroy},
        {"zeContextGetStatus", &calls.context_status},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(loader, functions[i].name);
        CHECK(function);
        memcpy(functions[i].pointer, &function, sizeof(function));
    }
    return loader;
}

static void begin(void)
{
    uint32_t one = 1;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(calls.init(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(calls.sysman_init(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(calls.driver_get(&one, &calls.driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(calls.context_create(calls.driver, &desc, &calls.context), ZE_RESULT_SUCCESS);
}

static void state_tell(const char *when)
{
    dprintf(STDOUT_FILENO, "%s %s\n", when, late_state(&calls));
}

/* ---- opened and closed ---- */

static unsigned libraries_loaded(void)
{
    unsigned count = 0;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        count++;
    }
    return count;
}

static unsigned files_open(void)
{
    unsigned count = 0;
    DIR *stream = opendir("/proc/self/fd");
    CHECK(stream);
    while (readdir(stream)) {
        count++;
    }
    closedir(stream);
    return count;
}

static void open_and_close(void)
{
    ze_driver_handle_t first = NULL;
    unsigned libraries = 0, files = 0;
    size_t bytes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t one = 1;
        ze_driver_handle_t driver;
        void *loader = loader_open(RTLD_NOW | (round % 2 ? RTLD_GLOBAL : RTLD_LOCAL));
        if (round % 3 == 0) { /* some only look */
            dlclose(loader);
            continue;
        }
        CHECK_RESULT(calls.init(0), ZE_RESULT_SUCCESS);
        CHECK_RESULT(calls.driver_get(&one, &driver), ZE_RESULT_SUCCESS);
        first = first ? first : driver;
        CHECK(driver == first);
        CHECK(dlclose(loader) == 0);
        if (round < 10) {
            libraries = libraries_loaded();
            files = files_open();
            bytes = mallinfo2().uordblks;
        }
    }
    CHECK(libraries_loaded() == libraries && files_open() == files);
    CHECK(mallinfo2().uordblks <= bytes + 4096); /* the dynamic linker keeps what it likes */
}

/* INI-1, INI-3: what was closed is there again, and it is the same. */
static void test_the_loader_is_opened_and_closed_many_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVER_SETS; i++) {
        scenario_passes("open_and_close", driver_sets[i], NULL);
    }
}

/* ---- ends ---- */

static void at_exit_before(void)
{
    state_tell("exit handler from before");
}

static void at_exit_after(void)
{
    state_tell("exit handler from after");
}

static void library_arm(const char *path, const char *when)
{
    late_arm_fn *arm;
    void *library = dlopen(path, RTLD_NOW | RTLD_NODELETE);
    CHECK(library);
    void *symbol = dlsym(library, "late_arm");
    CHECK(symbol);
    memcpy(&arm, &symbol, sizeof(arm));
    arm(&calls, when);
}

/* Libraries of both sides of the loader: their destructors run before its own, and after. */
static void leave(void)
{
    dlopen(LATE_FOLDER "/liblate_before.so", RTLD_NOW);
    atexit(at_exit_before);
    at_quick_exit(at_exit_before);
    loader_open(RTLD_NOW);
    begin();
    library_arm(LATE_FOLDER "/liblate_before.so", "destructor of an earlier library");
    library_arm(LATE_FOLDER "/liblate_after.so", "destructor of a later library");
    atexit(at_exit_after);
    at_quick_exit(at_exit_after);
    if (getenv("FAKE_QUICK")) {
        quick_exit(0);
    }
    exit(0);
}

static struct scenario_outcome outcome;

static void said(const char *text, bool expected)
{
    if ((strstr(outcome.output, text) != NULL) != expected) {
        fail_msg("'%s' is %s:\n%s", text, expected ? "missing" : "there", outcome.output);
    }
}

/* GEN-15, GEN-23: a right answer or a refusal, never a mixture, and never a call of a driver behind
 * its end (the fake ones fail the process then). */
static void test_calls_of_handlers_and_destructors_are_answered(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVER_SETS; i++) {
        scenario_run(&outcome, "leave", driver_sets[i], NULL);
        assert_int_equal(outcome.exit_code, 0);
        said("exit handler from after working", true);
        said("exit handler from before ", true);
        said("destructor of a later library ", true);
        said("destructor of an earlier library ", true);
        said("confused", false);
    }
}

/* GEN-23: nothing is torn down then, and nothing refused. */
static void test_a_quick_exit_has_working_handlers(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVER_SETS; i++) {
        scenario_run(&outcome, "leave", driver_sets[i], "FAKE_QUICK=1", NULL);
        assert_int_equal(outcome.exit_code, 0);
        said("exit handler from after working", true);
        said("exit handler from before working", true);
        said("destructor", false);
    }
}

static atomic_uint busy_calls;
static atomic_bool enough;

static void *busy_thread(void *unused)
{
    (void)unused;
    while (!enough) {
        uint32_t count = 0;
        ze_result_t result = calls.context_status(calls.context);
        ze_result_t more = calls.driver_get(&count, NULL);
        if ((result && result != ZE_RESULT_ERROR_UNINITIALIZED) ||
            (more && more != ZE_RESULT_ERROR_UNINITIALIZED)) {
            _exit(1);
        }
        calls.init(0);
        calls.sysman_init(0);
        busy_calls++;
    }
    return NULL;
}

static void busy_start(pthread_t threads[3])
{
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&threads[i], NULL, busy_thread, NULL) == 0);
    }
    while (busy_calls < 100) {
        sched_yield();
    }
}

/* Sanitizers cannot join the main thread. */
static bool main_thread_is_gone(void)
{
    char path[64], state = '?';
    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
    FILE *file = fopen(path, "r");
    CHECK(file && fscanf(file, "%*d %*s %c", &state) == 1);
    fclose(file);
    return state == 'Z';
}

static void *ending_thread(void *unused)
{
    (void)unused;
    while (!main_thread_is_gone()) {
        sched_yield();
    }
    exit(0);
}

/* The main thread goes, another one ends the process, others call. */
static void leave_by_another_thread(void)
{
    pthread_t threads[3], ending;
    loader_open(RTLD_NOW);
    begin();
    atexit(at_exit_after);
    busy_start(threads);
    CHECK(pthread_create(&ending, NULL, ending_thread, NULL) == 0);
    pthread_exit(NULL);
}

static void leave_quickly(void)
{
    pthread_t threads[3];
    loader_open(RTLD_NOW);
    begin();
    at_quick_exit(at_exit_after);
    busy_start(threads);
    quick_exit(0);
}

static void *first_init(void *unused)
{
    (void)unused;
    ze_result_t result = calls.init(0);
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_UNINITIALIZED) {
        _exit(1);
    }
    return NULL;
}

/* Some of the threads have not begun by then, others are in the middle. */
static void leave_while_many_begin(void)
{
    loader_open(RTLD_NOW);
    for (int i = 0; i < 16; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, first_init, NULL) == 0);
    }
    exit(0);
}

/* GEN-23 */
static void test_the_process_ends_while_threads_call(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVER_SETS; i++) {
        scenario_run(&outcome, "leave_by_another_thread", driver_sets[i], NULL);
        assert_int_equal(outcome.exit_code, 0);
        said("exit handler from after working", true);
        scenario_run(&outcome, "leave_quickly", driver_sets[i], NULL);
        assert_int_equal(outcome.exit_code, 0);
        said("exit handler from after working", true);
        scenario_passes("leave_while_many_begin", driver_sets[i], NULL);
    }
}

/* ---- copies ---- */

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
    enough = true;
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    exit(0);
}

/* INI-7: in every state, a child of it works or is told that the end has come. */
static void test_forks_at_any_moment(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVER_SETS; i++) {
        scenario_passes("fork_everywhere", driver_sets[i], NULL);
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
    for (size_t i = 0; i < DRIVER_SETS; i++) {
        scenario_passes("exec_everywhere", driver_sets[i], NULL);
        scenario_passes("exec_everywhere", driver_sets[i], "FAKE_AT_EXIT=1", NULL);
    }
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(open_and_close),         S(leave),           S(leave_by_another_thread), S(leave_quickly),
    S(leave_while_many_begin), S(fork_everywhere), S(exec_everywhere),         S(successor),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_loader_is_opened_and_closed_many_times),
        cmocka_unit_test(test_calls_of_handlers_and_destructors_are_answered),
        cmocka_unit_test(test_a_quick_exit_has_working_handlers),
        cmocka_unit_test(test_the_process_ends_while_threads_call),
        cmocka_unit_test(test_forks_at_any_moment),
        cmocka_unit_test(test_other_programs_take_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
