/* Implements common.h. */
#include "common.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Loaders before 1.19 and 1.18 lack these; the examples run with any. */
#pragma weak zeInitDrivers
#pragma weak zeDriverGetLastErrorDescription

void example_check(const struct example *example, ze_result_t result, const char *call)
{
    const char *text = NULL;
    if (result == ZE_RESULT_SUCCESS) {
        return;
    }
    fprintf(stderr, "%s: %s gives 0x%x", example->name, call, (unsigned)result);
    if (example->driver && zeDriverGetLastErrorDescription &&
        zeDriverGetLastErrorDescription(example->driver, &text) == ZE_RESULT_SUCCESS && text &&
        *text) {
        fprintf(stderr, ": %s", text);
    }
    fprintf(stderr, "\n");
    exit(1);
}

static ze_result_t first_driver(ze_driver_handle_t *driver, uint32_t *count)
{
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = ZE_INIT_DRIVER_TYPE_FLAG_GPU |
                                                 ZE_INIT_DRIVER_TYPE_FLAG_NPU};
    if (zeInitDrivers) {
        return zeInitDrivers(count, driver, &types);
    }
    ze_result_t result = zeInit(0);
    return result == ZE_RESULT_SUCCESS ? zeDriverGet(count, driver) : result;
}

static void open_driver(struct example *example)
{
    uint32_t count = 1;
    ze_result_t result = first_driver(&example->driver, &count);
    if (result != ZE_RESULT_SUCCESS || count == 0) {
        fprintf(stderr, "%s: no Level Zero driver (0x%x); `zeinfo --why` tells what was tried\n",
                example->name, (unsigned)result);
        exit(1);
    }
}

void example_open(struct example *example, const char *name)
{
    memset(example, 0, sizeof(*example));
    example->name = name;
    open_driver(example);

    uint32_t count = 1;
    CHECK(example, zeDeviceGet(example->driver, &count, &example->device));
    if (count == 0) {
        fprintf(stderr, "%s: the driver has no device\n", name);
        exit(1);
    }
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    CHECK(example, zeDeviceGetProperties(example->device, &properties));
    snprintf(example->device_name, sizeof(example->device_name), "%s", properties.name);

    ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK(example, zeContextCreate(example->driver, &context, &example->context));
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                     .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    CHECK(example,
          zeCommandListCreateImmediate(example->context, example->device, &queue, &example->list));
}

void example_close(struct example *example)
{
    CHECK(example, zeCommandListDestroy(example->list));
    CHECK(example, zeContextDestroy(example->context));
    memset(example, 0, sizeof(*example));
}

/* Returns the bytes of a file in the folder of the running program. The caller frees them. */
static uint8_t *read_beside_program(const struct example *example, const char *file, size_t *size)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    snprintf(path + folder, sizeof(path) - folder, "%s", file);

    FILE *stream = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long end = -1;
    if (stream && fseek(stream, 0, SEEK_END) == 0 && (end = ftell(stream)) > 0) {
        rewind(stream);
        bytes = malloc((size_t)end);
    }
    if (!bytes || fread(bytes, 1, (size_t)end, stream) != (size_t)end) {
        fprintf(stderr, "%s: cannot read %s\n", example->name, path);
        exit(1);
    }
    fclose(stream);
    *size = (size_t)end;
    return bytes;
}

static void print_log(ze_module_build_log_handle_t log)
{
    size_t size = 0;
    if (!log || zeModuleBuildLogGetString(log, &size, NULL) != ZE_RESULT_SUCCESS || size == 0) {
        return;
    }
    char *text = calloc(1, size + 1);
    if (text && zeModuleBuildLogGetString(log, &size, text) == ZE_RESULT_SUCCESS) {
        fprintf(stderr, "%s\n", text);
    }
    free(text);
}

ze_module_handle_t example_module(const struct example *example, const char *file)
{
    size_t size = 0;
    uint8_t *bytes = read_beside_program(example, file, &size);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = size,
                             .pInputModule = bytes};
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(example->context, example->device, &desc, &module, &log);
    if (result != ZE_RESULT_SUCCESS) {
        print_log(log);
    }
    if (log) {
        zeModuleBuildLogDestroy(log);
    }
    example_check(example, result, file);
    free(bytes);
    return module;
}

ze_kernel_handle_t example_kernel(const struct example *example, ze_module_handle_t module,
                                  const char *name)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    example_check(example, zeKernelCreate(module, &desc, &kernel), name);
    return kernel;
}

void *example_alloc(const struct example *example, size_t bytes)
{
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    CHECK(example,
          zeMemAllocShared(example->context, &device, &host, bytes, 64, example->device, &pointer));
    return pointer;
}

void example_free(const struct example *example, void *pointer)
{
    CHECK(example, zeMemFree(example->context, pointer));
}

void example_arg(const struct example *example, ze_kernel_handle_t kernel, uint32_t index,
                 size_t size, const void *value)
{
    CHECK(example, zeKernelSetArgumentValue(kernel, index, size, value));
}

double example_launch(const struct example *example, ze_kernel_handle_t kernel, uint32_t groups_x,
                      uint32_t groups_y)
{
    ze_group_count_t groups = {groups_x, groups_y, 1};
    double start = example_now_ms();
    CHECK(example, zeCommandListAppendLaunchKernel(example->list, kernel, &groups, NULL, 0, NULL));
    return example_now_ms() - start;
}

double example_best(const struct example *example, ze_kernel_handle_t kernel, uint32_t groups_x,
                    uint32_t groups_y, int repeats)
{
    double best = example_launch(example, kernel, groups_x, groups_y);
    for (int i = 1; i < repeats; i++) {
        double ms = example_launch(example, kernel, groups_x, groups_y);
        best = ms < best ? ms : best;
    }
    return best;
}

double example_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void example_report(const struct example *example, const char *what, double device_ms,
                    double host_ms)
{
    printf("%-11s %-34s %9.3f ms   plain C, one core %9.3f ms   %.2fx\n", example->name, what,
           device_ms, host_ms, host_ms / device_ms);
}

float example_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * (1.0f / 16777216.0f);
}
