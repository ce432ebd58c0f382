/* Builds and the end of the process: those that other threads are in, and those that begin in exit
 * handlers and destructors, whatever was registered before and after the compiler came. Each
 * scenario runs in processes of its own, started as this program with its name as argument;
 * GEOID_TEST_ROUNDS says in how many, of each. */
#include "limit.h"

#include <level_zero/ze_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef GEOID_SANITIZED
enum { BUILDERS = 3, ROUNDS = 6 }; /* each takes ten times as long */
#else
enum { BUILDERS = 3, ROUNDS = 30 };
#endif

static ze_driver_handle_t drivers[8];
static ze_device_handle_t device;
static ze_context_handle_t context;
static void *spirv;
static size_t spirv_bytes;

static bool file_read(const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/tests/%s", getenv("GEOID_BUILD_DIR"), name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        return false;
    }
    spirv = malloc(1 << 20);
    spirv_bytes = fread(spirv, 1, 1 << 20, file);
    return fclose(file) == 0 && spirv_bytes != 0;
}

/* The first driver is the CPU's: ZE_ENABLE_ALT_DRIVERS names it first. */
static bool driver_open(void)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t count = 8, one = 1;
    return file_read("api_subgroups.spv") &&
           zeInitDrivers(&count, drivers, &types) == ZE_RESULT_SUCCESS &&
           zeDeviceGet(drivers[0], &one, &device) == ZE_RESULT_SUCCESS &&
           zeContextCreate(drivers[0], &desc, &context) == ZE_RESULT_SUCCESS;
}

static ze_result_t build(void)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = spirv_bytes,
                             .pInputModule = spirv};
    ze_module_handle_t module;
    ze_result_t result = zeModuleCreate(context, device, &desc, &module, NULL);
    return result == ZE_RESULT_SUCCESS ? zeModuleDestroy(module) : result;
}

/* ---- scenarios ---- */

static _Atomic int builds;
static _Atomic bool ends;

/* Once the process exits, the loader may answer that it is no longer there. */
static void *build_without_end(void *argument)
{
    ze_result_t result;
    while ((result = build()) == ZE_RESULT_SUCCESS) {
        atomic_fetch_add(&builds, 1);
    }
    if (result != ZE_RESULT_ERROR_UNINITIALIZED || !atomic_load(&ends)) {
        _exit(2);
    }
    return argument;
}

static bool builders_start(void)
{
    pthread_t thread;
    for (int i = 0; i < BUILDERS; i++) {
        if (pthread_create(&thread, NULL, build_without_end, NULL) != 0 ||
            pthread_detach(thread) != 0) {
            return false;
        }
    }
    while (atomic_load(&builds) < BUILDERS) {
        sched_yield();
    }
    atomic_store(&ends, true); /* what comes is the return from main */
    return true;
}

static int scenario_builds_in_flight(void)
{
    return !(driver_open() && builders_start());
}

static void build_late(void)
{
    if (build() != ZE_RESULT_SUCCESS) {
        _exit(3);
    }
}

/* Runs after everything that the compiler may have registered. */
static int scenario_handler_from_before(void)
{
    return !(atexit(build_late) == 0 && driver_open() && build() == ZE_RESULT_SUCCESS);
}

static int scenario_handler_from_after(void)
{
    return !(driver_open() && build() == ZE_RESULT_SUCCESS && atexit(build_late) == 0);
}

/* The first build of all: the compiler is loaded while the process exits. */
static int scenario_first_build_in_a_handler(void)
{
    return !(atexit(build_late) == 0 && driver_open());
}

static int scenario_handler_beside_builds_in_flight(void)
{
    return !(atexit(build_late) == 0 && driver_open() && builders_start());
}

static bool build_latest;

__attribute__((destructor)) static void destructor(void)
{
    if (build_latest) {
        build_late();
    }
}

static int scenario_destructor(void)
{
    build_latest = true;
    return !(driver_open() && build() == ZE_RESULT_SUCCESS);
}

static const struct {
    const char *name;
    int (*run)(void);
} scenarios[] = {
    {"builds_in_flight", scenario_builds_in_flight},
    {"handler_from_before", scenario_handler_from_before},
    {"handler_from_after", scenario_handler_from_after},
    {"first_build_in_a_handler", scenario_first_build_in_a_handler},
    {"handler_beside_builds_in_flight", scenario_handler_beside_builds_in_flight},
    {"destructor", scenario_destructor},
};

/* ---- cases ---- */

static void run(const char *name, int usual)
{
    const char *wanted = getenv("GEOID_TEST_ROUNDS");
    int rounds = wanted ? atoi(wanted) : usual;
    for (int round = 0; round < rounds; round++) {
        int status = -1;
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            limit_stall();
            execl("/proc/self/exe", "scenario", name, (char *)NULL);
            _exit(127);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0) {
            print_error("%s, round %d: status %#x\n", name, round, (unsigned)status);
        }
        assert_int_equal(status, 0);
    }
}

static void the_process_ends_while_threads_build(void **state)
{
    (void)state;
    run("builds_in_flight", ROUNDS);
}

static void exit_handlers_and_destructors_build(void **state)
{
    (void)state;
    run("handler_from_before", ROUNDS);
    run("handler_from_after", 3);
    run("first_build_in_a_handler", 3);
    run("destructor", 3);
}

static void an_exit_handler_builds_while_threads_do(void **state)
{
    (void)state;
    run("handler_beside_builds_in_flight", ROUNDS);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            return scenarios[i].run();
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_process_ends_while_threads_build),
        cmocka_unit_test(exit_handlers_and_destructors_build),
        cmocka_unit_test(an_exit_handler_builds_while_threads_do),
    };
    return cmocka_run_group_tests_name("spirv_exit", tests, NULL, NULL);
}
