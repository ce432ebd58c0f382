/* Cases in a process of their own: Level Zero in the child, its output in the parent's memory. */
#include "print.h"

#include "limit.h"

#include <level_zero/ze_api.h>

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 120

#define CHECK(call)                                                                                \
    do {                                                                                           \
        ze_result_t result_ = (call);                                                              \
        if (result_ != ZE_RESULT_SUCCESS) {                                                        \
            fprintf(stderr, "%s: 0x%x\n", #call, (unsigned)result_);                               \
            return false;                                                                          \
        }                                                                                          \
    } while (0)

/* ---- the child ---- */

struct device {
    ze_context_handle_t context;
    ze_device_handle_t device;
};

static bool device_open(struct device *out)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, UINT32_MAX};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_handle_t driver;
    uint32_t drivers = 1, devices = 1;
    CHECK(zeInitDrivers(&drivers, &driver, &types));
    CHECK(zeDeviceGet(driver, &devices, &out->device));
    CHECK(zeContextCreate(driver, &desc, &out->context));
    return true;
}

static uint8_t *file_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(1 << 22);
    *bytes = file && data ? fread(data, 1, 1 << 22, file) : 0;
    if (file) {
        fclose(file);
    }
    return data;
}

/* Creates each kernel for a moment, since it may be built only then, and add to the log. */
static ze_result_t kernels_try(ze_module_handle_t module)
{
    const char *names[64];
    uint32_t count = 64;
    ze_result_t result = zeModuleGetKernelNames(module, &count, names);
    for (uint32_t i = 0; i < count && result == ZE_RESULT_SUCCESS; i++) {
        ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = names[i]};
        ze_kernel_handle_t kernel;
        result = zeKernelCreate(module, &desc, &kernel);
        if (result == ZE_RESULT_SUCCESS) {
            result = zeKernelDestroy(kernel);
        }
    }
    return result;
}

static bool module_create(const struct device *device, ze_module_format_t format,
                          const uint8_t *bytes, size_t size, ze_module_handle_t *module)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = format,
                             .inputSize = size,
                             .pInputModule = bytes};
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(device->context, device->device, &desc, module, &log);
    if (result == ZE_RESULT_SUCCESS) {
        result = kernels_try(*module);
    }
    char text[4000] = "";
    size_t length = sizeof(text);
    if (zeModuleBuildLogGetString(log, &length, NULL) == 0 && length > 1 &&
        length <= sizeof(text)) {
        zeModuleBuildLogGetString(log, &length, text);
        fprintf(stderr, "%s\n", text);
    }
    CHECK(zeModuleBuildLogDestroy(log));
    CHECK(result);
    return true;
}

static bool module_open(const struct device *device, const char *path, enum print_mode mode,
                        ze_module_handle_t *module)
{
    size_t size;
    uint8_t *bytes = file_read(path, &size), *native;
    if (!module_create(device, ZE_MODULE_FORMAT_IL_SPIRV, bytes, size, module)) {
        return false;
    }
    if (mode == PRINT_NATIVE) {
        CHECK(zeModuleGetNativeBinary(*module, &size, NULL));
        native = malloc(size);
        CHECK(zeModuleGetNativeBinary(*module, &size, native));
        CHECK(zeModuleDestroy(*module));
        if (!native || !module_create(device, ZE_MODULE_FORMAT_NATIVE, native, size, module)) {
            return false;
        }
        free(native);
    }
    free(bytes);
    return true;
}

/* SPIR-V goes to a queue, native code to an immediate list. */

static bool event_open(const struct device *device, ze_event_pool_handle_t *pool,
                       ze_event_handle_t *event)
{
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    CHECK(zeEventPoolCreate(device->context, &pool_desc, 0, NULL, pool));
    CHECK(zeEventCreate(*pool, &desc, event));
    return true;
}

/* What the host waits for changes from launch to launch: queue, fence, event. */
static ze_result_t queue_run(const struct device *device, ze_kernel_handle_t kernel,
                             const ze_group_count_t *groups)
{
    static uint32_t turn;
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_fence_handle_t fence;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    if (!event_open(device, &pool, &event) ||
        zeCommandQueueCreate(device->context, device->device, &queue_desc, &queue) ||
        zeFenceCreate(queue, &fence_desc, &fence) ||
        zeCommandListCreate(device->context, device->device, &list_desc, &list) ||
        zeCommandListAppendLaunchKernel(list, kernel, groups, event, 0, NULL) ||
        zeCommandListClose(list) || zeCommandQueueExecuteCommandLists(queue, 1, &list, fence)) {
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    ze_result_t result = turn % 3 == 0   ? zeCommandQueueSynchronize(queue, UINT64_MAX)
                         : turn % 3 == 1 ? zeFenceHostSynchronize(fence, UINT64_MAX)
                                         : zeEventHostSynchronize(event, UINT64_MAX);
    turn++;
    printf("%s", result ? "" : "done\n"); /* behind everything that the kernel printed */
    zeCommandQueueSynchronize(queue, UINT64_MAX);
    zeCommandListDestroy(list);
    zeFenceDestroy(fence);
    zeCommandQueueDestroy(queue);
    zeEventDestroy(event);
    zeEventPoolDestroy(pool);
    return result;
}

static ze_result_t list_run(const struct device *device, ze_kernel_handle_t kernel,
                            const ze_group_count_t *groups)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    if (zeCommandListCreateImmediate(device->context, device->device, &desc, &list) ||
        zeCommandListAppendLaunchKernel(list, kernel, groups, NULL, 0, NULL)) {
        return ZE_RESULT_ERROR_UNKNOWN;
    }
    ze_result_t result = zeCommandListHostSynchronize(list, UINT64_MAX);
    printf("%s", result ? "" : "done\n");
    zeCommandListDestroy(list);
    return result;
}

static ze_result_t kernel_run(const struct device *device, ze_kernel_handle_t kernel,
                              const struct print_case *test, enum print_mode mode)
{
    ze_group_count_t groups = {test->groups[0], test->groups[1], test->groups[2]};
    return mode == PRINT_NATIVE ? list_run(device, kernel, &groups)
                                : queue_run(device, kernel, &groups);
}

static bool results_check(const struct print_case *test, const int *out)
{
    FILE *nowhere = fopen("/dev/null", "w");
    for (uint32_t i = 0; nowhere && test->expect && i < print_item_count(test); i++) {
        struct print_item item = print_item_at(test, i);
        int wanted = test->expect(nowhere, &item);
        if (out[i] != wanted) {
            fprintf(stderr, "out[%u] is %d, not %d\n", i, out[i], wanted);
            return false;
        }
    }
    fclose(nowhere);
    return true;
}

struct run {
    ze_kernel_handle_t kernel;
    void *in, *out;
};

static bool run_start(struct run *run, const struct device *device, ze_module_handle_t module,
                      const struct print_case *test)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = test->kernel};
    ze_host_mem_alloc_desc_t memory = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    size_t bytes = print_item_count(test) * sizeof(int);
    CHECK(zeKernelCreate(module, &desc, &run->kernel));
    CHECK(zeMemAllocHost(device->context, &memory, bytes, 64, &run->in));
    CHECK(zeMemAllocHost(device->context, &memory, bytes, 64, &run->out));
    for (uint32_t i = 0; i < print_item_count(test); i++) {
        ((int *)run->in)[i] = print_input(i);
    }
    CHECK(zeKernelSetGroupSize(run->kernel, test->size[0], test->size[1], test->size[2]));
    CHECK(zeKernelSetArgumentValue(run->kernel, 0, sizeof(run->in), &run->in));
    CHECK(zeKernelSetArgumentValue(run->kernel, 1, sizeof(run->out), &run->out));
    return true;
}

static bool run_finish(const struct run *run, const struct device *device)
{
    CHECK(zeMemFree(device->context, run->in));
    CHECK(zeMemFree(device->context, run->out));
    CHECK(zeKernelDestroy(run->kernel));
    return true;
}

static bool case_run(const struct device *device, ze_module_handle_t module,
                     const struct print_batch *batch, const struct print_case *test)
{
    struct run run = {0};
    if (!run_start(&run, device, module, test)) {
        return false;
    }
    ze_result_t result = kernel_run(device, run.kernel, test, batch->mode);
    if (batch->is_lost) {
        return result == ZE_RESULT_ERROR_DEVICE_LOST && run_finish(&run, device);
    }
    CHECK(result);
    return results_check(test, run.out) && run_finish(&run, device);
}

static bool child(const struct print_batch *batch)
{
    struct device device;
    ze_module_handle_t module;
    if (!device_open(&device) || !module_open(&device, batch->file, batch->mode, &module)) {
        return false;
    }
    for (size_t i = 0; i < batch->count; i++) {
        if (!case_run(&device, module, batch, &batch->cases[i])) {
            fprintf(stderr, "kernel %s\n", batch->cases[i].kernel);
            return false;
        }
    }
    CHECK(zeModuleDestroy(module));
    CHECK(zeContextDestroy(device.context));
    return true;
}

/* ---- the parent ---- */

/* Reads both pipes to their ends. */
static void pipes_read(const int pipes[2], struct print_output *output)
{
    char *texts[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0}, capacities[2] = {0, 0};
    struct pollfd polls[2] = {{pipes[0], POLLIN, 0}, {pipes[1], POLLIN, 0}};
    while (polls[0].fd >= 0 || polls[1].fd >= 0) {
        poll(polls, 2, -1);
        for (int i = 0; i < 2; i++) {
            if (capacities[i] - lengths[i] < 65536 + 1) {
                capacities[i] = 2 * capacities[i] + (1 << 18);
                texts[i] = realloc(texts[i], capacities[i]);
            }
            if (polls[i].fd >= 0 && polls[i].revents) {
                ssize_t got = read(polls[i].fd, texts[i] + lengths[i], 65536);
                lengths[i] += got > 0 ? (size_t)got : 0;
                polls[i].fd = got > 0 ? polls[i].fd : -1;
            }
            texts[i][lengths[i]] = '\0';
        }
    }
    output->text = texts[0];
    output->length = lengths[0];
    output->errors = texts[1];
}

bool print_run(const struct print_batch *batch, struct print_output *output)
{
    int out[2], errors[2];
    struct rusage usage;
    if (pipe(out) || pipe(errors)) {
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(errors[1], STDERR_FILENO);
        close(out[0]), close(out[1]), close(errors[0]), close(errors[1]);
        limit_work(SECONDS);
        exit(child(batch) ? 0 : 1);
    }
    close(out[1]), close(errors[1]);
    pipes_read((const int[]){out[0], errors[0]}, output);
    close(out[0]), close(errors[0]);
    bool good = pid > 0 && wait4(pid, &output->status, 0, &usage) == pid;
    output->peak_kib = good ? usage.ru_maxrss : 0;
    return good;
}

void print_output_free(struct print_output *output)
{
    free(output->text);
    free(output->errors);
}
