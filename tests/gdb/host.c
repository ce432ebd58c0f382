/* A program for gdb to debug: it builds a module and runs its kernels `stencil` and `sums`, each on
 * 32 items in two groups.
 *
 *     host MODULE [BUILD FLAGS] */
#include <level_zero/ze_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS 32u

#define CHECK(call)                                                                                \
    do {                                                                                           \
        ze_result_t code = (call);                                                                 \
        if (code != ZE_RESULT_SUCCESS) {                                                           \
            fprintf(stderr, "%s: 0x%x\n", #call, (unsigned)code);                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static ze_device_handle_t device;
static ze_context_handle_t context;

static void *shared_alloc(size_t bytes)
{
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    CHECK(zeMemAllocShared(context, &on_device, &on_host, bytes, 64, device, &memory));
    return memory;
}

static ze_module_handle_t module_build(const char *path, const char *flags)
{
    static uint8_t bytes[1 << 16];
    ze_module_handle_t module = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = fread(bytes, 1, sizeof(bytes), file),
                             .pInputModule = bytes,
                             .pBuildFlags = flags};
    fclose(file);
    CHECK(zeModuleCreate(context, device, &desc, &module, NULL));
    return module;
}

static ze_kernel_handle_t kernel_create(ze_module_handle_t module, const char *name, const void *in,
                                        const void *out)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    CHECK(zeKernelCreate(module, &desc, &kernel));
    CHECK(zeKernelSetGroupSize(kernel, ITEMS / 2, 1, 1));
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof(in), &in));
    CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof(out), &out));
    return kernel;
}

/* Runs a kernel and destroys it. */
static void kernel_run(ze_kernel_handle_t kernel)
{
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_group_count_t groups = {2, 1, 1};
    ze_command_list_handle_t list = NULL;
    CHECK(zeCommandListCreateImmediate(context, device, &queue, &list));
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    CHECK(zeCommandListDestroy(list));
    CHECK(zeKernelDestroy(kernel));
}

static void stencil_run(ze_module_handle_t module, const float *in, float *out)
{
    int radius = 2;
    float scale = 10.0f;
    ze_kernel_handle_t kernel = kernel_create(module, "stencil", in, out);
    CHECK(zeKernelSetArgumentValue(kernel, 2, sizeof(radius), &radius));
    CHECK(zeKernelSetArgumentValue(kernel, 3, sizeof(scale), &scale));
    kernel_run(kernel);
}

int main(int argc, char **argv)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_handle_t driver = NULL;
    uint32_t one = 1;
    if (argc < 2) {
        fprintf(stderr, "usage: host MODULE [BUILD FLAGS]\n");
        return 2;
    }
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&one, &driver));
    CHECK(zeDeviceGet(driver, &one, &device));
    CHECK(zeContextCreate(driver, &desc, &context));
    float *in = shared_alloc(ITEMS * sizeof(*in)), *out = shared_alloc(ITEMS * sizeof(*out));
    int *numbers = shared_alloc(ITEMS * sizeof(*numbers));
    int *sums = shared_alloc(ITEMS * sizeof(*sums));
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = (float)i;
        numbers[i] = (int)i;
    }
    ze_module_handle_t module = module_build(argv[1], argc > 2 ? argv[2] : "");
    stencil_run(module, in, out);
    kernel_run(kernel_create(module, "sums", numbers, sums));
    printf("out[5] = %g, sums[5] = %d\n", (double)out[5], sums[5]);
    CHECK(zeModuleDestroy(module));
    CHECK(zeMemFree(context, in));
    CHECK(zeMemFree(context, out));
    CHECK(zeMemFree(context, numbers));
    CHECK(zeMemFree(context, sums));
    CHECK(zeContextDestroy(context));
    return 0;
}
