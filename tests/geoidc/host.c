/* Loads a module that geoidc has made, for the tests of geoidc.
 *
 *     host native|spirv MODULE             prints what zeKernelGetProperties says of each kernel
 *     host native|spirv MODULE work        runs the kernels of kernels/work.cl, checks results
 *     host native|spirv MODULE constants   prints what kernels/constants.spvasm stores */
#include <level_zero/ze_api.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS  1024u
#define GROUP  64u
#define FACTOR 1.5f

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
    memset(memory, 0, bytes);
    return memory;
}

static ze_module_handle_t module_load(const char *format, const char *path)
{
    static uint8_t bytes[1 << 20];
    ze_module_handle_t module = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = strcmp(format, "native") == 0 ? ZE_MODULE_FORMAT_NATIVE
                                                                     : ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = fread(bytes, 1, sizeof(bytes), file),
                             .pInputModule = bytes};
    fclose(file);
    CHECK(zeModuleCreate(context, device, &desc, &module, NULL));
    return module;
}

static ze_kernel_handle_t kernel_create(ze_module_handle_t module, const char *name)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    CHECK(zeKernelCreate(module, &desc, &kernel));
    return kernel;
}

static void kernel_run(ze_kernel_handle_t kernel, uint32_t items, uint32_t group)
{
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_group_count_t groups = {items / group, 1, 1};
    ze_command_list_handle_t list = NULL;
    CHECK(zeKernelSetGroupSize(kernel, group, 1, 1));
    CHECK(zeCommandListCreateImmediate(context, device, &queue, &list));
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    CHECK(zeCommandListDestroy(list));
    CHECK(zeKernelDestroy(kernel));
}

static void pointer_set(ze_kernel_handle_t kernel, uint32_t index, void *pointer)
{
    CHECK(zeKernelSetArgumentValue(kernel, index, sizeof(pointer), &pointer));
}

static void expect(int is, const char *what, uint32_t at)
{
    if (!is) {
        fprintf(stderr, "%s: element %u is wrong\n", what, at);
        exit(1);
    }
}

/* ---- what is run ---- */

static void scale_run(ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = kernel_create(module, "scale");
    float *in = shared_alloc(ITEMS * sizeof(*in)), *out = shared_alloc(ITEMS * sizeof(*out));
    float factor = FACTOR;
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = (float)i;
    }
    pointer_set(kernel, 0, out);
    pointer_set(kernel, 1, in);
    CHECK(zeKernelSetArgumentValue(kernel, 2, sizeof(factor), &factor));
    kernel_run(kernel, ITEMS, GROUP);
    for (uint32_t i = 0; i < ITEMS; i++) {
        expect(out[i] == (float)i * FACTOR, "scale", i);
    }
}

static void pick_run(ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = kernel_create(module, "pick");
    int *in = shared_alloc(ITEMS * sizeof(*in)), *out = shared_alloc(ITEMS * sizeof(*out));
    int *index = shared_alloc(ITEMS * sizeof(*index));
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = (int)i * 3;
        out[i] = -7;
        index[i] = i % 3 ? (int)(ITEMS - 1 - i) : -1;
    }
    pointer_set(kernel, 0, out);
    pointer_set(kernel, 1, in);
    pointer_set(kernel, 2, index);
    kernel_run(kernel, ITEMS, GROUP);
    for (uint32_t i = 0; i < ITEMS; i++) {
        expect(out[i] == (i % 3 ? (int)(ITEMS - 1 - i) * 3 : -7), "pick", i);
    }
}

static void total_run(ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = kernel_create(module, "total");
    int *in = shared_alloc(ITEMS * sizeof(*in)), *out = shared_alloc(ITEMS * sizeof(*out));
    for (uint32_t i = 0; i < ITEMS; i++) {
        in[i] = (int)i;
    }
    pointer_set(kernel, 0, out);
    pointer_set(kernel, 1, in);
    kernel_run(kernel, ITEMS, GROUP);
    for (uint32_t i = 0; i < ITEMS / GROUP; i++) {
        int first = (int)(i * GROUP), last = first + (int)GROUP - 1;
        expect(out[i] == (first + last) * (int)GROUP / 2, "total", i);
    }
}

static void constants_run(ze_module_handle_t module)
{
    ze_kernel_handle_t kernel = kernel_create(module, "constants");
    int64_t *out = shared_alloc(5 * sizeof(*out));
    pointer_set(kernel, 0, out);
    kernel_run(kernel, 1, 1);
    for (int i = 0; i < 5; i++) {
        printf("%lld%c", (long long)out[i], i < 4 ? ' ' : '\n');
    }
}

static void properties_print(ze_module_handle_t module)
{
    const char *names[16];
    uint32_t count = 16;
    CHECK(zeModuleGetKernelNames(module, &count, names));
    printf("{");
    for (uint32_t i = 0; i < count; i++) {
        ze_kernel_handle_t kernel = kernel_create(module, names[i]);
        ze_kernel_preferred_group_size_properties_t preferred = {
            .stype = ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES};
        ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES,
                                    .pNext = &preferred};
        CHECK(zeKernelGetProperties(kernel, &p));
        printf("%s\n\"%s\": {\"numKernelArgs\": %u, \"requiredGroupSizeX\": %u, "
               "\"requiredGroupSizeY\": %u, \"requiredGroupSizeZ\": %u, "
               "\"requiredSubgroupSize\": %u, \"maxSubgroupSize\": %u, \"preferredMultiple\": %u, "
               "\"localMemSize\": %u, \"privateMemSize\": %u, \"spillMemSize\": %u}",
               i ? "," : "", names[i], p.numKernelArgs, p.requiredGroupSizeX, p.requiredGroupSizeY,
               p.requiredGroupSizeZ, p.requiredSubgroupSize, p.maxSubgroupSize,
               preferred.preferredMultiple, p.localMemSize, p.privateMemSize, p.spillMemSize);
        CHECK(zeKernelDestroy(kernel));
    }
    printf("}\n");
}

int main(int argc, char **argv)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_handle_t driver = NULL;
    uint32_t one = 1;
    const char *what = argc > 3 ? argv[3] : "";
    if (argc < 3) {
        fprintf(stderr, "usage: host native|spirv MODULE [work|constants]\n");
        return 2;
    }
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&one, &driver));
    CHECK(zeDeviceGet(driver, &one, &device));
    CHECK(zeContextCreate(driver, &desc, &context));
    ze_module_handle_t module = module_load(argv[1], argv[2]);
    if (strcmp(what, "work") == 0) {
        scale_run(module);
        pick_run(module);
        total_run(module);
        printf("ok\n");
    } else if (strcmp(what, "constants") == 0) {
        constants_run(module);
    } else {
        properties_print(module);
    }
    CHECK(zeModuleDestroy(module));
    CHECK(zeContextDestroy(context)); /* frees the memory, too */
    return 0;
}
