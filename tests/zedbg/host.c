/* A program for zedbg to debug: it builds a module and runs one of its kernels on 16 items.
 *
 *     host MODULE BUILD-FLAGS KERNEL [read]
 *
 * reach   writes far outside of its buffer: the exit code is 3 if the device is lost then
 * spin    runs until somebody sets a number in its memory; the program prints "spins" before
 * types   has variables of many types
 * read    reads a line from standard input before, and prints it */
#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 16, DEVICE_LOST = 3 };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        ze_result_t code = (call);                                                                 \
        if (code != ZE_RESULT_SUCCESS) {                                                           \
            fprintf(stderr, "%s: 0x%x\n", #call, (unsigned)code);                                  \
            exit(code == ZE_RESULT_ERROR_DEVICE_LOST ? DEVICE_LOST : 1);                           \
        }                                                                                          \
    } while (0)

struct node {
    int key;
    const struct node *next;
};

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

/* Sets the second argument, which differs between kernels. */
static void argument_set(ze_kernel_handle_t kernel, const char *name)
{
    if (strcmp(name, "reach") == 0) {
        const int far = 1 << 30;
        CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof(far), &far));
    } else if (strcmp(name, "types") == 0) {
        struct node *nodes = shared_alloc(2 * sizeof(*nodes));
        nodes[0] = (struct node){11, &nodes[1]};
        nodes[1] = (struct node){22, NULL};
        CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof(nodes), &nodes));
    }
}

static void kernel_run(ze_module_handle_t module, const char *name, int *out)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const bool spins = strcmp(name, "spin") == 0;
    ze_group_count_t groups = {1, 1, 1};
    ze_command_list_handle_t list = NULL;
    ze_kernel_handle_t kernel = NULL;
    CHECK(zeKernelCreate(module, &desc, &kernel));
    CHECK(zeKernelSetGroupSize(kernel, spins ? 1 : ITEMS, 1, 1));
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    argument_set(kernel, name);
    CHECK(zeCommandListCreateImmediate(context, device, &queue, &list));
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    if (spins) {
        while (((volatile int *)out)[1] == 0) {
        }
        puts("spins");
        fflush(stdout);
    }
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    CHECK(zeCommandListDestroy(list));
    CHECK(zeKernelDestroy(kernel));
}

int main(int argc, char **argv)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_handle_t driver = NULL;
    char line[100];
    uint32_t one = 1;
    if (argc < 4) {
        fprintf(stderr, "usage: host MODULE BUILD-FLAGS KERNEL [read]\n");
        return 2;
    }
    if (argc > 4 && fgets(line, sizeof(line), stdin)) {
        printf("read: %s", line);
    }
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&one, &driver));
    CHECK(zeDeviceGet(driver, &one, &device));
    CHECK(zeContextCreate(driver, &desc, &context));
    int *out = shared_alloc(ITEMS * sizeof(*out));
    ze_module_handle_t module = module_build(argv[1], argv[2]);
    kernel_run(module, argv[3], out);
    printf("out[2] = %d\n", out[2]);
    CHECK(zeModuleDestroy(module));
    CHECK(zeMemFree(context, out));
    CHECK(zeContextDestroy(context));
    return 0;
}
