/* From the first call of a process to its last: the loader opened and closed again and again, and
 * calls while the process ends in any way. An answer may be an error; a crash or a wait it may not
 * be. Copies of a process are test_copies.c's. */
#include "life.h"

#include "scenario.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef GEOID_SANITIZED
#define ROUNDS 100
#else
#define ROUNDS 1000
#endif

/* ---- opened and closed ---- */

static unsigned libraries_loaded(void)
{
    unsigned count = 0;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        count++;
    }
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
    for (size_t i = 0; i < LIFE_SETS; i++) {
        scenario_passes("open_and_close", life_sets[i], NULL);
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

/* Shows what a process said that ended in another way than it should. */
static void ended_well(void)
{
    if (outcome.exit_code != 0) {
        fail_msg("exit code %d, signal %d%s:\n%s", outcome.exit_code, outcome.signal,
                 outcome.timed_out ? ", out of time" : "", outcome.output);
    }
}

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
    for (size_t i = 0; i < LIFE_SETS; i++) {
        scenario_run(&outcome, "leave", life_sets[i], NULL);
        ended_well();
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
    for (size_t i = 0; i < LIFE_SETS; i++) {
        scenario_run(&outcome, "leave", life_sets[i], "FAKE_QUICK=1", NULL);
        ended_well();
        said("exit handler from after working", true);
        said("exit handler from before working", true);
        said("destructor", false);
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
    if (result != ZE_RESULT_SUCCESS) {
        CHECK_RESULT(result, ZE_RESULT_ERROR_UNINITIALIZED);
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
    for (size_t i = 0; i < LIFE_SETS; i++) {
        scenario_run(&outcome, "leave_by_another_thread", life_sets[i], NULL);
        ended_well();
        said("exit handler from after working", true);
        scenario_run(&outcome, "leave_quickly", life_sets[i], NULL);
        ended_well();
        said("exit handler from after working", true);
        scenario_passes("leave_while_many_begin", life_sets[i], NULL);
    }
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(open_and_close),         S(leave), S(leave_by_another_thread), S(leave_quickly),
    S(leave_while_many_begin),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_loader_is_opened_and_closed_many_times),
        cmocka_unit_test(test_calls_of_handlers_and_destructors_are_answered),
        cmocka_unit_test(test_a_quick_exit_has_working_handlers),
        cmocka_unit_test(test_the_process_ends_while_threads_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
