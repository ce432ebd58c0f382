/* smooth: a whole program in one file, for docs/user/getting-started.md. It needs only Level Zero.
 *
 *     smooth [BUILD OPTION...]     for example: smooth -ze-opt-disable, for debuggers
 *
 * Compiled with -DMISTAKE it copies one value too many, which the validation layer finds. */
#include <level_zero/ze_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 1000000u
#ifdef MISTAKE
#define COPIED (COUNT + 1)
#else
#define COPIED COUNT
#endif

/* Ends the program if a call fails. */
#define CHECK(call) check((call), #call)

static void check(ze_result_t result, const char *call)
{
    if (result != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "smooth: %.40s... returns 0x%x\n", call, (unsigned)result);
        exit(1);
    }
}

static ze_device_handle_t device_find(ze_driver_handle_t *driver)
{
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = ZE_INIT_DRIVER_TYPE_FLAG_GPU};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_handle_t device = NULL;
    uint32_t one = 1;
    CHECK(zeInitDrivers(&one, driver, &types));
    one = 1;
    CHECK(zeDeviceGet(*driver, &one, &device));
    CHECK(zeDeviceGetProperties(device, &properties));
    printf("device: %s\n", properties.name);
    return device;
}

/* Reads a file of SPIR-V, which geoidc or clang has made of smooth.cl. */
static uint8_t *spirv_read(const char *path, size_t *size)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    *size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    return bytes;
}

/* Builds the module, and prints the build log if that fails. */
static ze_module_handle_t module_build(ze_context_handle_t context, ze_device_handle_t device,
                                       const char *options)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .pBuildFlags = options};
    desc.pInputModule = spirv_read("smooth.spv", &desc.inputSize);
    ze_module_build_log_handle_t log = NULL;
    ze_module_handle_t module = NULL;
    ze_result_t result = zeModuleCreate(context, device, &desc, &module, &log);
    if (result != ZE_RESULT_SUCCESS && log) {
        static char text[10000];
        size_t size = sizeof(text) - 1;
        if (zeModuleBuildLogGetString(log, &size, text) == ZE_RESULT_SUCCESS) {
            fputs(text, stderr);
        }
    }
    CHECK(result);
    CHECK(zeModuleBuildLogDestroy(log));
    return module;
}

/* Computes one value in C, to compare with the kernel. */
static float expected(const float *in, uint32_t i)
{
    float sum = 0.0f, used = 0.0f;
    for (uint32_t k = i ? i - 1 : 0; k <= i + 1 && k < COUNT; k++) {
        sum += in[k];
        used += 1.0f;
    }
    return sum / used;
}

int main(int argc, char **argv)
{
    static float in[COUNT], out[COPIED];
    char options[200] = "";
    for (int i = 1; i < argc; i++) {
        size_t length = strlen(options);
        snprintf(options + length, sizeof(options) - length, "%s ", argv[i]);
    }
    ze_driver_handle_t driver = NULL;
    ze_device_handle_t device = device_find(&driver);
    ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context;
    CHECK(zeContextCreate(driver, &context_desc, &context));

    ze_module_handle_t module = module_build(context, device, options);
    ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                    .pKernelName = "smooth"};
    ze_kernel_handle_t kernel;
    CHECK(zeKernelCreate(module, &kernel_desc, &kernel));

    ze_device_mem_alloc_desc_t memory_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *device_in, *device_out;
    CHECK(zeMemAllocDevice(context, &memory_desc, sizeof(in), 64, device, &device_in));
    CHECK(zeMemAllocDevice(context, &memory_desc, COUNT * sizeof(float), 64, device, &device_out));
    for (uint32_t i = 0; i < COUNT; i++) {
        in[i] = (float)(i % 10 == 5 ? 9 : i % 4);
    }

    int count = COUNT;
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof(device_in), &device_in));
    CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof(device_out), &device_out));
    CHECK(zeKernelSetArgumentValue(kernel, 2, sizeof(count), &count));
    CHECK(zeKernelSetGroupSize(kernel, 100, 1, 1));
    ze_group_count_t groups = {COUNT / 100, 1, 1};

    /* The commands of an in-order list run one after the other. */
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    CHECK(zeCommandListCreateImmediate(context, device, &queue, &list));
    CHECK(zeCommandListAppendMemoryCopy(list, device_in, in, sizeof(in), NULL, 0, NULL));
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, out, device_out, COPIED * sizeof(float), NULL, 0,
                                        NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));

    uint32_t wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        wrong += out[i] != expected(in, i);
    }
    printf("%u of %u values differ from C; those around 5 are %g %g %g\n", wrong, COUNT, out[4],
           out[5], out[6]);

    CHECK(zeCommandListDestroy(list));
    CHECK(zeMemFree(context, device_in));
    CHECK(zeMemFree(context, device_out));
    CHECK(zeKernelDestroy(kernel));
    CHECK(zeModuleDestroy(module));
    CHECK(zeContextDestroy(context));
    return wrong != 0;
}
