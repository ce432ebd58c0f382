/* The harness of the API tests (every case on every backend). See harness.h. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_DRIVERS 8

/* The backends, by what their device's name has in it; the last is what all others are. */
struct backend {
    const char *device, *name;
    bool executes;
};
static const struct backend backends[] = {
    {.device = "Geoid null", .name = "null", .executes = false},
    {.device = "", .name = "cpu", .executes = true},
};

static struct api drivers[MAX_DRIVERS];
static uint32_t driver_count;

/* ---- discovery ---- */

static void group_choose(struct api *api)
{
    uint32_t count = 0;
    zeDeviceGetCommandQueueGroupProperties(api->device, &count, NULL);
    ze_command_queue_group_properties_t groups[8];
    memset(groups, 0, sizeof(groups));
    count = count < 8 ? count : 8;
    for (uint32_t i = 0; i < count; i++) {
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    }
    zeDeviceGetCommandQueueGroupProperties(api->device, &count, groups);
    for (uint32_t i = 0; i < count; i++) {
        if (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) {
            api->ordinal = i;
            return;
        }
    }
}

static void driver_add(ze_driver_handle_t driver)
{
    struct api *api = &drivers[driver_count];
    uint32_t count = 1;
    memset(api, 0, sizeof(*api));
    api->driver = driver;
    if (zeDeviceGet(driver, &count, &api->device) != ZE_RESULT_SUCCESS || count == 0) {
        return;
    }
    api->properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    zeDeviceGetProperties(api->device, &api->properties);
    const struct backend *backend = backends;
    while (!strstr(api->properties.name, backend->device)) {
        backend++;
    }
    api->executes = backend->executes;
    api->name = backend->name;
    group_choose(api);
    driver_count++;
}

static bool drivers_find(void)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_driver_handle_t handles[MAX_DRIVERS];
    uint32_t count = MAX_DRIVERS;
    ze_result_t result = zeInitDrivers(&count, handles, &types);
    if (result != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "zeInitDrivers: 0x%x\n", (unsigned)result);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        driver_add(handles[i]);
    }
    return driver_count > 0;
}

/* ---- running ---- */

static int case_setup(void **state)
{
    struct api *api = *state;
    ze_context_desc_t desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
    return zeContextCreate(api->driver, &desc, &api->context) != ZE_RESULT_SUCCESS;
}

static int case_teardown(void **state)
{
    struct api *api = *state;
    return zeContextDestroy(api->context) != ZE_RESULT_SUCCESS;
}

static char *case_name(const struct api_case *test, const struct api *api)
{
    size_t bytes = strlen(test->name) + 64;
    char *name = malloc(bytes);
    if (name) {
        snprintf(name, bytes, "%s[%s%s]", test->name, api->name,
                 !(test->flags & (API_LISTS | API_IMMEDIATE)) ? ""
                 : api->immediate                             ? ", immediate"
                                                              : ", regular");
    }
    return name;
}

int api_main(const char *group, const struct api_case *cases, size_t count)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!drivers_find()) {
        fprintf(stderr, "no driver to test\n");
        return 1;
    }
    size_t most = count * driver_count * 2, used = 0;
    struct CMUnitTest *tests = calloc(most, sizeof(*tests));
    struct api *states = calloc(most, sizeof(*states));
    if (!tests || !states) {
        return 1;
    }
    for (uint32_t d = 0; d < driver_count; d++) {
        for (size_t c = 0; c < count; c++) {
            if ((cases[c].flags & API_EXECUTES) && !drivers[d].executes) {
                continue;
            }
            const int first = (cases[c].flags & API_IMMEDIATE) != 0;
            const int end = cases[c].flags & (API_LISTS | API_IMMEDIATE) ? 2 : 1;
            for (int immediate = first; immediate < end; immediate++) {
                states[used] = drivers[d];
                states[used].immediate = immediate;
                tests[used] =
                    (struct CMUnitTest){case_name(&cases[c], &states[used]), cases[c].function,
                                        case_setup, case_teardown, &states[used]};
                used++;
            }
        }
    }
    int failed = _cmocka_run_group_tests(group, tests, used, NULL, NULL);
    for (size_t i = 0; i < used; i++) {
        free((void *)(uintptr_t)tests[i].name);
    }
    free(tests);
    free(states);
    return failed;
}

/* ---- assertions ---- */

void api_assert_result(ze_result_t actual, ze_result_t expected, const char *call, const char *file,
                       int line)
{
    if (actual != expected) {
        const char *text = NULL;
        if (driver_count) {
            zeDriverGetLastErrorDescription(drivers[0].driver, &text);
        }
        print_error("%s: 0x%x instead of 0x%x (%s)\n", call, (unsigned)actual, (unsigned)expected,
                    text ? text : "");
        _fail(file, line);
    }
}

void *api_foreign_handle(void)
{
    static uint64_t block[64];
    /* Where the dispatch block would be: a loader that calls through handles must find one, so it
     * is copied from a true handle; everything behind it is none of the driver's. */
    memset(block, 0x5a, sizeof(block));
    memcpy(block, drivers[0].driver, 4 * sizeof(void *));
    return block;
}

bool api_has_function(const struct api *api, const char *name)
{
    ze_result_t (*status)(const char *function, uint32_t *implemented);
    void *address = NULL;
    uint32_t implemented = 0;
    assert_success(
        zeDriverGetExtensionFunctionAddress(api->driver, "geoidDriverGetFunctionStatus", &address));
    memcpy(&status, &address, sizeof(status));
    assert_success(status(name, &implemented));
    return implemented != 0;
}

/* ---- memory ---- */

static const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

void *api_alloc_host(struct api *api, size_t bytes)
{
    void *pointer = NULL;
    assert_success(zeMemAllocHost(api->context, &host_desc, bytes, 0, &pointer));
    assert_non_null(pointer);
    return pointer;
}

void *api_alloc_device(struct api *api, size_t bytes)
{
    void *pointer = NULL;
    assert_success(zeMemAllocDevice(api->context, &device_desc, bytes, 0, api->device, &pointer));
    assert_non_null(pointer);
    return pointer;
}

void *api_alloc_shared(struct api *api, size_t bytes)
{
    void *pointer = NULL;
    assert_success(
        zeMemAllocShared(api->context, &device_desc, &host_desc, bytes, 0, api->device, &pointer));
    assert_non_null(pointer);
    return pointer;
}

void api_free(struct api *api, void *pointer)
{
    assert_success(zeMemFree(api->context, pointer));
}

/* ---- modules ---- */

void *api_read_file(const char *path, size_t *bytes)
{
    const char *build = getenv("GEOID_BUILD_DIR");
    char full[4096];
    snprintf(full, sizeof(full), "%s/%s", build ? build : ".", path);
    FILE *file = fopen(full, "rb");
    if (!file) {
        fail_msg("%s is missing", full);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    void *content = malloc(size > 0 ? (size_t)size : 1);
    assert_non_null(content);
    *bytes = fread(content, 1, (size_t)size, file);
    fclose(file);
    assert_int_equal(*bytes, size);
    return content;
}

static ze_module_handle_t module_build(struct api *api, const char *path, ze_module_format_t format)
{
    size_t bytes;
    uint8_t *content = api_read_file(path, &bytes);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = format,
                             .inputSize = bytes,
                             .pInputModule = content};
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(api->context, api->device, &desc, &module, &log);
    free(content);
    if (result != ZE_RESULT_SUCCESS && log) {
        char text[4096];
        size_t size = sizeof(text);
        if (zeModuleBuildLogGetString(log, &size, text) == ZE_RESULT_SUCCESS) {
            print_error("%s: %s\n", path, text);
        }
    }
    if (log) {
        zeModuleBuildLogDestroy(log);
    }
    assert_success(result);
    return module;
}

ze_module_handle_t api_native_module(struct api *api)
{
    return module_build(api, "tests/fixtures/native_module.o", ZE_MODULE_FORMAT_NATIVE);
}

ze_module_handle_t api_spirv_module(struct api *api, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "tests/%s.spv", name);
    return module_build(api, path, ZE_MODULE_FORMAT_IL_SPIRV);
}

ze_kernel_handle_t api_kernel(ze_module_handle_t module, const char *name)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    assert_success(zeKernelCreate(module, &desc, &kernel));
    return kernel;
}

static ze_result_t kernels_try(ze_module_handle_t module)
{
    const char *names[64];
    uint32_t count = 64;
    ze_result_t result = zeModuleGetKernelNames(module, &count, names);
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < count; i++) {
        ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = names[i]};
        ze_kernel_handle_t kernel = NULL;
        result = zeKernelCreate(module, &desc, &kernel);
        if (result == ZE_RESULT_SUCCESS) {
            result = zeKernelDestroy(kernel);
        }
    }
    return result;
}

ze_result_t api_module_try(struct api *api, const ze_module_desc_t *desc,
                           ze_module_handle_t *module, ze_module_build_log_handle_t *log)
{
    ze_result_t result = zeModuleCreate(api->context, api->device, desc, module, log);
    if (result == ZE_RESULT_SUCCESS) {
        result = kernels_try(*module);
        if (result != ZE_RESULT_SUCCESS) {
            assert_success(zeModuleDestroy(*module));
            *module = NULL;
        }
    }
    return result;
}

/* ---- metrics ---- */

zet_metric_group_handle_t api_metric_group(struct api *api, const char *name, uint32_t sampling)
{
    zet_metric_group_handle_t groups[32];
    uint32_t count = 32;
    if (!api_has_function(api, "zetMetricGroupGet") ||
        zetMetricGroupGet(api->device, &count, groups) != ZE_RESULT_SUCCESS) {
        skip();
    }
    for (uint32_t i = 0; i < count; i++) {
        zet_metric_group_properties_t properties = {.stype =
                                                        ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES};
        assert_success(zetMetricGroupGetProperties(groups[i], &properties));
        if (strcmp(properties.name, name) == 0 && properties.samplingType == sampling) {
            return groups[i];
        }
    }
    skip();
    return NULL;
}

void api_metric_activate(struct api *api, zet_metric_group_handle_t group)
{
    assert_success(
        zetContextActivateMetricGroups(api->context, api->device, group ? 1 : 0, &group));
}

/* ---- lists ---- */

struct api_list api_list_create(struct api *api)
{
    struct api_list list = {0};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .ordinal = api->ordinal,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal};
    if (api->immediate) {
        assert_success(zeCommandListCreateImmediate(api->context, api->device, &queue, &list.list));
    } else {
        assert_success(zeCommandQueueCreate(api->context, api->device, &queue, &list.queue));
        assert_success(zeCommandListCreate(api->context, api->device, &desc, &list.list));
    }
    return list;
}

void api_list_run(struct api *api, struct api_list *list)
{
    (void)api;
    if (!list->queue) {
        assert_success(zeCommandListHostSynchronize(list->list, UINT64_MAX));
        return;
    }
    assert_success(zeCommandListClose(list->list));
    assert_success(zeCommandQueueExecuteCommandLists(list->queue, 1, &list->list, NULL));
    assert_success(zeCommandQueueSynchronize(list->queue, UINT64_MAX));
    assert_success(zeCommandListReset(list->list));
}

void api_list_destroy(struct api_list *list)
{
    assert_success(zeCommandListDestroy(list->list));
    if (list->queue) {
        assert_success(zeCommandQueueDestroy(list->queue));
    }
}
