/* Threads that are cancelled while they are inside a call: the call returns as ever, and the thread
 * ends at its own next cancellation point. Nothing stays locked, open or half done. Each case is a
 * process of its own, and its first call of the API may be the one that is tried. */
#include "harness.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMPONENTS = 64, CALLS = 20 };

static char folder[] = "/tmp/geoid-cancel-XXXXXX";
static struct api api;
static void *spirv;
static size_t spirv_bytes;

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define MUST_SUCCEED(call) MUST((call) == ZE_RESULT_SUCCESS)

static void program_begin(void)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    uint32_t count = 1;
    MUST_SUCCEED(zeInitDrivers(&count, &api.driver, &types));
    count = 1;
    MUST_SUCCEED(zeDeviceGet(api.driver, &count, &api.device));
    MUST_SUCCEED(zeContextCreate(api.driver, &desc, &api.context));
}

/* ---- threads ---- */

struct call {
    void (*run)(void);
    bool returned;
};

static void *cancelled_main(void *data)
{
    struct call *call = data;
    pthread_cancel(pthread_self()); /* waits for the first cancellation point from here on */
    call->run();
    call->returned = true;
    pthread_testcancel();
    return NULL;
}

/* Runs it in a thread that has a cancellation pending. */
static void cancelled(void (*run)(void))
{
    struct call call = {.run = run};
    pthread_t thread;
    void *end = NULL;
    MUST(pthread_create(&thread, NULL, cancelled_main, &call) == 0);
    MUST(pthread_join(thread, &end) == 0);
    MUST(call.returned);
    MUST(end == PTHREAD_CANCELED);
}

static uint32_t descriptors_count(void)
{
    uint32_t count = 0;
    DIR *list = opendir("/proc/self/fd");
    MUST(list != NULL);
    while (readdir(list)) { /* NOLINT(concurrency-mt-unsafe): no other thread has this list */
        count++;
    }
    closedir(list);
    return count;
}

/* Runs it once as it is, for what is opened once, and then in threads that are cancelled. */
static void leaves_no_descriptor(void (*run)(void))
{
    run();
    const uint32_t before = descriptors_count();
    for (int i = 0; i < CALLS; i++) {
        cancelled(run);
    }
    MUST(descriptors_count() == before);
}

/* ---- the loader ---- */

static void child_loader(void)
{
    cancelled(program_begin);
    program_begin();
    MUST_SUCCEED(zeContextDestroy(api.context));
}

/* ---- modules ---- */

static void module_build(void)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = spirv_bytes,
                                   .pInputModule = spirv};
    ze_module_handle_t module;
    MUST_SUCCEED(zeModuleCreate(api.context, api.device, &desc, &module, NULL));
    MUST_SUCCEED(zeModuleDestroy(module));
}

static void child_modules(void)
{
    setenv("GEOID_CACHE_SIZE", "100", 1);
    setenv("GEOID_CACHE_DIR", folder, 1);
    program_begin();
    cancelled(module_build); /* finds nothing in the cache, and writes to it */
    leaves_no_descriptor(module_build);
}

/* ---- sysman ---- */

static zes_device_handle_t managed;

static void managed_begin(void)
{
    uint32_t count = 1;
    zes_driver_handle_t driver;
    MUST_SUCCEED(zesInit(0));
    MUST_SUCCEED(zesDriverGet(&count, &driver));
    count = 1;
    MUST_SUCCEED(zesDeviceGet(driver, &count, &managed));
}

/* Getters of all kinds: of files that are opened for each call, of lists, of the census. */
static void managed_read(void)
{
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    zes_engine_handle_t engines[COMPONENTS];
    zes_mem_handle_t memories[COMPONENTS];
    zes_temp_handle_t sensors[COMPONENTS];
    zes_process_state_t processes[COMPONENTS];
    uint32_t engine_count = COMPONENTS, memory_count = COMPONENTS, sensor_count = COMPONENTS,
             process_count = COMPONENTS;
    MUST_SUCCEED(zesDeviceGetProperties(managed, &properties));
    MUST_SUCCEED(zesDeviceEnumEngineGroups(managed, &engine_count, engines));
    for (uint32_t i = 0; i < engine_count; i++) {
        zes_engine_stats_t stats;
        MUST_SUCCEED(zesEngineGetActivity(engines[i], &stats));
    }
    MUST_SUCCEED(zesDeviceEnumMemoryModules(managed, &memory_count, memories));
    for (uint32_t i = 0; i < memory_count; i++) {
        zes_mem_state_t state = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};
        MUST_SUCCEED(zesMemoryGetState(memories[i], &state));
    }
    MUST_SUCCEED(zesDeviceEnumTemperatureSensors(managed, &sensor_count, sensors));
    for (uint32_t i = 0; i < sensor_count; i++) {
        double degrees;
        (void)zesTemperatureGetState(sensors[i], &degrees);
    }
    memset(processes, 0, sizeof(processes));
    for (int i = 0; i < COMPONENTS; i++) {
        processes[i].stype = ZES_STRUCTURE_TYPE_PROCESS_STATE;
    }
    MUST_SUCCEED(zesDeviceProcessesGetState(managed, &process_count, processes));
}

static void child_sysman(void)
{
    cancelled(managed_begin);
    leaves_no_descriptor(managed_read);
}

/* ---- work on a thread that waits ---- */

static ze_command_list_handle_t list;
static uint32_t functions_run;

static void list_begin(ze_command_queue_mode_t mode)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = mode};
    MUST_SUCCEED(zeCommandListCreateImmediate(api.context, api.device, &desc, &list));
}

/* A host function that is a cancellation point: a thread that ended here would never finish its
 * list. */
static void reach_a_cancellation_point(void *unused)
{
    (void)unused;
    pthread_testcancel();
    functions_run++;
}

static void functions_append(void)
{
    MUST_SUCCEED(zeCommandListAppendHostFunction(list, reach_a_cancellation_point, NULL, NULL, NULL,
                                                 0, NULL));
}

static void functions_wait(void)
{
    MUST_SUCCEED(zeCommandListHostSynchronize(list, UINT64_MAX));
}

static void barrier_append(void)
{
    MUST_SUCCEED(zeCommandListAppendBarrier(list, NULL, 0, NULL));
}

static void child_host_functions(void)
{
    program_begin();
    list_begin(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    for (uint32_t i = 1; i <= CALLS; i++) {
        functions_append();
        cancelled(functions_wait);
        MUST(functions_run == i);
    }
    MUST_SUCCEED(zeCommandListDestroy(list));
    list_begin(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    cancelled(functions_append);
    MUST(functions_run == CALLS + 1);
    cancelled(barrier_append);
    functions_wait();
    MUST_SUCCEED(zeCommandListDestroy(list));
}

/* ---- what calls write that do not hold cancellation off ---- */

static void event_query(void)
{
    /* refused, for a reason that is logged */
    MUST(zeEventQueryStatus((ze_event_handle_t)(void *)list) == ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static void child_log(void)
{
    char path[64];
    struct stat log;
    snprintf(path, sizeof(path), "%s/log", folder);
    setenv("GEOID_LOG", "info", 1);
    setenv("GEOID_LOG_FILE", path, 1);
    program_begin();
    list_begin(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    leaves_no_descriptor(event_query);
    MUST(stat(path, &log) == 0 && log.st_size > 0);
}

/* ---- cases ---- */

static void folder_remove(void)
{
    char command[64];
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0); /* NOLINT(concurrency-mt-unsafe): the only thread */
    strcpy(strrchr(folder, '-'), "-XXXXXX");
}

static void in_a_child(void (*run)(void))
{
    int status = -1;
    assert_non_null(mkdtemp(folder));
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(600);
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    folder_remove();
    assert_int_equal(status, 0);
}

static void the_first_initialisation_returns(void **state)
{
    (void)state;
    in_a_child(child_loader);
}

static void modules_are_built_to_the_end(void **state)
{
    (void)state;
    in_a_child(child_modules);
}

static void sysman_closes_what_it_opens(void **state)
{
    (void)state;
    in_a_child(child_sysman);
}

static void host_functions_end_on_threads_that_wait(void **state)
{
    (void)state;
    in_a_child(child_host_functions);
}

static void the_log_is_written_by_calls_that_do_not_hold(void **state)
{
    (void)state;
    in_a_child(child_log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_initialisation_returns),
        cmocka_unit_test(modules_are_built_to_the_end),
        cmocka_unit_test(sysman_closes_what_it_opens),
        cmocka_unit_test(host_functions_end_on_threads_that_wait),
        cmocka_unit_test(the_log_is_written_by_calls_that_do_not_hold),
    };
    spirv = api_read_file("tests/api_basic.spv", &spirv_bytes);
    int failed = cmocka_run_group_tests_name("cancel", tests, NULL, NULL);
    free(spirv);
    return failed;
}
