/* Opening the loader, and threads that call it. See life.h. */
#include "life.h"

#include "scenario.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const life_sets[LIFE_SETS] = {
    "ZE_ENABLE_ALT_DRIVERS={a}",
    "ZE_ENABLE_ALT_DRIVERS={a},{b}",
    "ZE_ENABLE_ALT_DRIVERS={mortal}",
    "ZE_ENABLE_ALT_DRIVERS={a},{mortal}",
    "ZE_ENABLE_ALT_DRIVERS=libze_geoid.so.1",
    "ZE_ENABLE_ALT_DRIVERS=libze_geoid.so.1,libze_null.so.1",
};

/* A child of fork cannot join the threads of its parent, whose end the thread sanitizer saw. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_thread_leaks=0:die_after_fork=0";
}

struct late_calls calls;

void *loader_open(int flags)
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

void begin(void)
{
    uint32_t one = 1;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(calls.init(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(calls.sysman_init(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(calls.driver_get(&one, &calls.driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(calls.context_create(calls.driver, &desc, &calls.context), ZE_RESULT_SUCCESS);
}

void state_tell(const char *when)
{
    dprintf(STDOUT_FILENO, "%s %s\n", when, late_state(&calls));
}

unsigned files_open(void)
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

static atomic_uint busy_calls;
static atomic_bool enough;

static void *busy_thread(void *unused)
{
    (void)unused;
    while (!enough) {
        uint32_t count = 0;
        ze_result_t result = calls.context_status(calls.context);
        ze_result_t more = calls.driver_get(&count, NULL);
        if (result) {
            CHECK_RESULT(result, ZE_RESULT_ERROR_UNINITIALIZED);
        }
        if (more) {
            CHECK_RESULT(more, ZE_RESULT_ERROR_UNINITIALIZED);
        }
        calls.init(0);
        calls.sysman_init(0);
        busy_calls++;
    }
    return NULL;
}

void busy_start(pthread_t threads[3])
{
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&threads[i], NULL, busy_thread, NULL) == 0);
    }
    while (busy_calls < 100) {
        sched_yield();
    }
}

void life_enough(void)
{
    enough = true;
}
