/* Calls on a thread with the smallest stack that there is, PTHREAD_STACK_MIN: the first ones of the
 * process, which look for drivers and open them, builds, launches and sysman. Each case is a
 * process of its own. */
#include "harness.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/geoid-stack-XXXXXX";
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

static ze_module_handle_t module_build(void)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = spirv_bytes,
                                   .pInputModule = spirv};
    ze_module_handle_t module;
    MUST_SUCCEED(zeModuleCreate(api.context, api.device, &desc, &module, NULL));
    return module;
}

static void work_do(void)
{
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_command_list_handle_t list;
    uint32_t *words, pattern = 7;
    MUST_SUCCEED(zeMemAllocHost(api.context, &host, 4096, 64, (void **)&words));
    MUST_SUCCEED(zeCommandListCreateImmediate(api.context, api.device, &queue, &list));
    MUST_SUCCEED(
        zeCommandListAppendMemoryFill(list, words, &pattern, sizeof(pattern), 4096, NULL, 0, NULL));
    MUST(words[0] == 7 && words[1023] == 7);
    MUST_SUCCEED(zeCommandListDestroy(list));
    MUST_SUCCEED(zeMemFree(api.context, words));
}

static void sysman_read(void)
{
    uint32_t count = 1;
    zes_driver_handle_t driver;
    zes_device_handle_t device;
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    MUST_SUCCEED(zesInit(0));
    MUST_SUCCEED(zesDriverGet(&count, &driver));
    count = 1;
    MUST_SUCCEED(zesDeviceGet(driver, &count, &device));
    MUST_SUCCEED(zesDeviceGetProperties(device, &properties));
    MUST_SUCCEED(zesDeviceEnumEngineGroups(device, &count, NULL));
    MUST_SUCCEED(zesDeviceEnumMemoryModules(device, &count, NULL));
    MUST_SUCCEED(zesDeviceEnumTemperatureSensors(device, &count, NULL));
    MUST_SUCCEED(zesDeviceEnumPowerDomains(device, &count, NULL));
    MUST_SUCCEED(zesDeviceEnumFrequencyDomains(device, &count, NULL));
    MUST_SUCCEED(zesDeviceProcessesGetState(device, &count, NULL));
}

static void *small_main(void *unused)
{
    (void)unused;
    program_begin();
    MUST_SUCCEED(zeModuleDestroy(module_build())); /* built */
    MUST_SUCCEED(zeModuleDestroy(module_build())); /* found in the cache */
    work_do();
    sysman_read();
    return NULL;
}

static void small_thread_run(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    MUST(pthread_attr_init(&attributes) == 0);
    MUST(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
    MUST(pthread_create(&thread, &attributes, small_main, NULL) == 0);
    MUST(pthread_join(thread, NULL) == 0);
}

/* Runs all of it in a process with a variable more. */
static void works_with(const char *variable, const char *value)
{
    char command[64];
    int status = -1;
#ifdef GEOID_SANITIZED
    skip(); /* frames are larger */
#endif
    assert_non_null(mkdtemp(folder));
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("GEOID_CACHE_SIZE", "100", 1);
        setenv("GEOID_CACHE_DIR", folder, 1);
        setenv(variable, value, 1);
        alarm(600);
        small_thread_run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0); /* NOLINT(concurrency-mt-unsafe): the only thread */
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    assert_int_equal(status, 0);
}

static void everything_works_on_a_small_stack(void **state)
{
    (void)state;
    works_with("GEOID_BUILD", "thread");
}

static void builds_in_children_work_on_a_small_stack(void **state)
{
    (void)state;
    works_with("GEOID_BUILD", "process");
}

static void logs_work_on_a_small_stack(void **state)
{
    (void)state;
    works_with("GEOID_LOG", "trace");
}

static void tracing_works_on_a_small_stack(void **state)
{
    (void)state;
    works_with("ZE_ENABLE_TRACING_LAYER", "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_works_on_a_small_stack),
        cmocka_unit_test(builds_in_children_work_on_a_small_stack),
        cmocka_unit_test(logs_work_on_a_small_stack),
        cmocka_unit_test(tracing_works_on_a_small_stack),
    };
    spirv = api_read_file("tests/api_basic.spv", &spirv_bytes);
    int failed = cmocka_run_group_tests_name("stack", tests, NULL, NULL);
    free(spirv);
    return failed;
}
