/* The program zeinfo, --check: builds a kernel, runs it on each device and compares its results.
 * See check.h. */
#include "check.h"
#include "describe.h"
#include "zeinfo.h"

#include <level_zero/ze_api.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 4096, FACTOR = 40503 };

/* Any driver builds this module of SPIR-V 1.0:
 *
 *     kernel void check(global uint *data, uint factor)
 *     {
 *         size_t i = get_global_id(0);
 *         data[i] = data[i] * factor + (uint)i;
 *     }
 */
static const uint32_t spirv[] = {
    0x07230203, 0x00010000, 0,  20,         0,             /* version 1.0, ids below 20 */
    0x00020011, 4,                                         /* OpCapability Addresses */
    0x00020011, 6,                                         /* OpCapability Kernel */
    0x00020011, 11,                                        /* OpCapability Int64 */
    0x0003000e, 2,          2,                             /* OpMemoryModel Physical64 OpenCL */
    0x0006000f, 6,          1,  0x63656863, 0x0000006b, 2, /* OpEntryPoint Kernel %1 "check" %2 */
    0x00040047, 2,          11, 28,             /* OpDecorate %2 BuiltIn GlobalInvocationId */
    0x00030047, 2,          22,                 /* OpDecorate %2 Constant */
    0x00040047, 3,          38, 5,              /* OpDecorate %3 FuncParamAttr NoCapture */
    0x00020013, 4,                              /* %4 = OpTypeVoid */
    0x00040015, 5,          32, 0,              /* %5 = OpTypeInt 32 0 */
    0x00040015, 6,          64, 0,              /* %6 = OpTypeInt 64 0 */
    0x00040017, 7,          6,  3,              /* %7 = OpTypeVector %6 3 */
    0x00040020, 8,          1,  7,              /* %8 = OpTypePointer Input %7 */
    0x00040020, 9,          5,  5,              /* %9 = OpTypePointer CrossWorkgroup %5 */
    0x00050021, 10,         4,  9,          5,  /* %10 = OpTypeFunction %4 %9 %5 */
    0x0004003b, 8,          2,  1,              /* %2 = OpVariable %8 Input */
    0x00050036, 4,          1,  0,          10, /* %1 = OpFunction %4 None %10 */
    0x00030037, 9,          3,                  /* %3 = OpFunctionParameter %9 */
    0x00030037, 5,          11,                 /* %11 = OpFunctionParameter %5 */
    0x000200f8, 12,                             /* %12 = OpLabel */
    0x0006003d, 7,          13, 2,          2,          32, /* %13 = OpLoad %7 %2 Aligned 32 */
    0x00050051, 6,          14, 13,         0,              /* %14 = OpCompositeExtract %6 %13 0 */
    0x00050046, 9,          15, 3,          14, /* %15 = OpInBoundsPtrAccessChain %9 %3 %14 */
    0x0006003d, 5,          16, 15,         2,          4, /* %16 = OpLoad %5 %15 Aligned 4 */
    0x00050084, 5,          17, 16,         11,            /* %17 = OpIMul %5 %16 %11 */
    0x00040071, 5,          18, 14,                        /* %18 = OpUConvert %5 %14 */
    0x00050080, 5,          19, 17,         18,            /* %19 = OpIAdd %5 %17 %18 */
    0x0005003e, 15,         19, 2,          4,             /* OpStore %15 %19 Aligned 4 */
    0x000100fd,                                            /* OpReturn */
    0x00010038,                                            /* OpFunctionEnd */
};

/* The objects of a run, in the order of their creation. */
struct run {
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    uint32_t *data;
    const char *step; /* the function that failed */
    char log[512];    /* the first line of a build log */
};

static void run_finish(struct run *run)
{
    if (run->data) {
        (void)zeMemFree(run->context, run->data);
    }
    if (run->list) {
        (void)zeCommandListDestroy(run->list);
    }
    if (run->queue) {
        (void)zeCommandQueueDestroy(run->queue);
    }
    if (run->kernel) {
        (void)zeKernelDestroy(run->kernel);
    }
    if (run->module) {
        (void)zeModuleDestroy(run->module);
    }
    if (run->context) {
        (void)zeContextDestroy(run->context);
    }
}

/* Notes which function is called, for the message of its failure, and calls it. */
#define STEP(run, function, ...) ((run)->step = #function, function(__VA_ARGS__))

/* Keeps the first line of a build log. */
static void log_take(struct run *run, ze_module_build_log_handle_t log)
{
    size_t size = 0;
    if (!log || zeModuleBuildLogGetString(log, &size, NULL) != ZE_RESULT_SUCCESS) {
        return;
    }
    char *text = calloc(size + 1, 1);
    if (text && zeModuleBuildLogGetString(log, &size, text) == ZE_RESULT_SUCCESS) {
        snprintf(run->log, sizeof(run->log), "%.*s", (int)strcspn(text, "\n"), text);
    }
    free(text);
}

static ze_result_t module_build(struct run *run, ze_driver_handle_t driver)
{
    const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_module_desc_t module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                     .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                     .inputSize = sizeof(spirv),
                                     .pInputModule = (const uint8_t *)spirv};
    const ze_kernel_desc_t kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                     .pKernelName = "check"};
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = STEP(run, zeContextCreate, driver, &context, &run->context);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    result = STEP(run, zeModuleCreate, run->context, run->device, &module, &run->module, &log);
    if (result == ZE_RESULT_SUCCESS) {
        result = STEP(run, zeKernelCreate, run->module, &kernel, &run->kernel);
    }
    log_take(run, log);
    if (log) {
        (void)zeModuleBuildLogDestroy(log);
    }
    return result;
}

/* Returns the first group of queues for kernels; 0 if none is found. */
static uint32_t ordinal_find(ze_device_handle_t device)
{
    ze_command_queue_group_properties_t groups[16];
    uint32_t count = sizeof(groups) / sizeof(groups[0]);
    memset(groups, 0, sizeof(groups));
    for (uint32_t i = 0; i < count; i++) {
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    }
    if (zeDeviceGetCommandQueueGroupProperties(device, &count, groups) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            if (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) {
                return i;
            }
        }
    }
    return 0;
}

static ze_result_t data_make(struct run *run)
{
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    const ze_result_t result = STEP(run, zeMemAllocHost, run->context, &host,
                                    ITEMS * sizeof(*run->data), sizeof(*run->data), &memory);
    if (result == ZE_RESULT_SUCCESS) {
        run->data = memory;
        for (uint32_t i = 0; i < ITEMS; i++) {
            run->data[i] = ~i;
        }
    }
    return result;
}

/* Calls the functions in order, up to the first that fails. */
static ze_result_t kernel_launch(struct run *run)
{
    const uint32_t ordinal = ordinal_find(run->device), factor = FACTOR;
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .ordinal = ordinal,
                                           .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_command_list_desc_t list = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .commandQueueGroupOrdinal = ordinal};
    uint32_t x = 1, y = 1, z = 1;
    ze_result_t result = STEP(run, zeKernelSuggestGroupSize, run->kernel, ITEMS, 1, 1, &x, &y, &z);
    const ze_group_count_t groups = {x ? ITEMS / x : 0, 1, 1};
#define NEXT(function, ...)                                                                        \
    if (result == ZE_RESULT_SUCCESS) {                                                             \
        result = STEP(run, function, __VA_ARGS__);                                                 \
    }
    NEXT(zeKernelSetGroupSize, run->kernel, x, y, z)
    NEXT(zeKernelSetArgumentValue, run->kernel, 0, sizeof(run->data), &run->data)
    NEXT(zeKernelSetArgumentValue, run->kernel, 1, sizeof(factor), &factor)
    NEXT(zeCommandQueueCreate, run->context, run->device, &queue, &run->queue)
    NEXT(zeCommandListCreate, run->context, run->device, &list, &run->list)
    NEXT(zeCommandListAppendLaunchKernel, run->list, run->kernel, &groups, NULL, 0, NULL)
    NEXT(zeCommandListClose, run->list)
    NEXT(zeCommandQueueExecuteCommandLists, run->queue, 1, &run->list, NULL)
    NEXT(zeCommandQueueSynchronize, run->queue, UINT64_MAX)
#undef NEXT
    return result;
}

/* Returns the index of the first wrong result, ITEMS if all are right. */
static uint32_t data_compare(const uint32_t *data)
{
    uint32_t i = 0;
    while (i < ITEMS && data[i] == ~i * (uint32_t)FACTOR + i) {
        i++;
    }
    return i;
}

static double milliseconds_read(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Reports a step that failed, with the build log or else the driver's text. */
static void failure_add(struct check_list *list, const char *name, const char *where,
                        const struct run *run, ze_result_t result, const char *remedy)
{
    const char *text = *run->log ? run->log : why_error_text();
    check_add(list, name, CHECK_FAILED, remedy, "%s: %s: %s%s%s", where, run->step,
              describe_result(result), text ? ": " : "", text ? text : "");
}

static const char run_remedy[] =
    "if the compiler is missing, install it; else run zeinfo again with GEOID_LOG=debug";

/* Builds the kernel for a device, runs it and adds a finding. */
static void kernel_check(struct check_list *list, const char *where, ze_driver_handle_t driver,
                         ze_device_handle_t device)
{
    struct run run = {.device = device};
    const double begin = milliseconds_read();
    ze_result_t result = module_build(&run, driver);
    const double built = milliseconds_read();
    result = result == ZE_RESULT_SUCCESS ? data_make(&run) : result;
    result = result == ZE_RESULT_SUCCESS ? kernel_launch(&run) : result;
    if (result != ZE_RESULT_SUCCESS) {
        failure_add(list, "kernel", where, &run, result, run_remedy);
    } else {
        const uint32_t wrong = data_compare(run.data);
        if (wrong == ITEMS) {
            check_add(list, "kernel", CHECK_OK, NULL, "%s: built in %.0f ms, %d results are right",
                      where, built - begin, ITEMS);
        } else {
            check_add(list, "kernel", CHECK_FAILED,
                      "run zeinfo again with GEOID_CPU=x86-64-v2; if that helps, report the "
                      "processor",
                      "%s: result %u is %#x, not %#x", where, wrong, run.data[wrong],
                      ~wrong * (uint32_t)FACTOR + wrong);
        }
    }
    run_finish(&run);
}

/* Calls `function` with each device that runs kernels, and with its place and name. */
static void devices_visit(struct check_list *list, bool first_only,
                          void (*function)(struct check_list *list, const char *where,
                                           ze_driver_handle_t driver, ze_device_handle_t device))
{
    struct check_drivers drivers;
    check_drivers_open(&drivers);
    for (size_t i = 0; i < drivers.count; i++) {
        struct check_part part;
        uint32_t count;
        ze_result_t result;
        if (check_part_find(&drivers.items[i], "kernels", &part) &&
            strcmp(part.outcome, "off") == 0) {
            if (!first_only) {
                check_add(list, "kernel", CHECK_NOTE, NULL, "driver %zu: %s", i, part.detail);
            }
            continue;
        }
        void **devices = driver_devices(drivers.items[i].handle, &count, &result);
        for (uint32_t j = 0; j < (first_only && count ? 1 : count); j++) {
            char title[DEVICE_TITLE_BYTES], where[DEVICE_TITLE_BYTES + 64];
            device_title((ze_device_handle_t)devices[j], title);
            snprintf(where, sizeof(where), "%zu.%u: %s", i, j, title);
            check_at(list, "the kernel on device %s", where);
            function(list, where, (ze_driver_handle_t)drivers.items[i].handle,
                     (ze_device_handle_t)devices[j]);
        }
        free(devices);
    }
    check_drivers_close(&drivers);
}

static void kernels_probe(struct check_list *list)
{
    devices_visit(list, false, kernel_check);
}

void check_kernels(struct check_list *list)
{
    /* Without the cache, so that the compiler runs each time. */
    static const struct check_variable variables[] = {{"GEOID_CACHE_SIZE", "off"}, {NULL, NULL}};
    check_probe(list, "kernel", variables, kernels_probe);
}

static void build_check(struct check_list *list, const char *where, ze_driver_handle_t driver,
                        ze_device_handle_t device)
{
    struct run run = {.device = device};
    const ze_result_t result = module_build(&run, driver);
    if (result == ZE_RESULT_SUCCESS) {
        check_add(list, "build process", CHECK_OK, NULL, "%s: a child process built the kernel",
                  where);
    } else {
        failure_add(list, "build process", where, &run, result,
                    "install the compiler again, if its program geoid-build is missing; else let "
                    "this user start more processes (`ulimit -u`, the pids limit of the "
                    "container). GEOID_BUILD=process needs it");
    }
    run_finish(&run);
}

static void build_probe(struct check_list *list)
{
    struct check_drivers drivers;
    bool asked = false;
    check_drivers_open(&drivers);
    for (size_t i = 0; i < drivers.count; i++) {
        asked |= drivers.items[i].explanation != NULL; /* other drivers ignore the variable */
    }
    check_drivers_close(&drivers);
    if (asked) {
        devices_visit(list, true, build_check);
    }
}

void check_build_process(struct check_list *list)
{
    static const struct check_variable variables[] = {
        {"GEOID_CACHE_SIZE", "off"}, {"GEOID_BUILD", "process"}, {NULL, NULL}};
    check_probe(list, "build process", variables, build_probe);
}
