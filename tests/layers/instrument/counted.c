/* A program for test_blocks.py: runs the kernels of counted.cl and prints a sum of what each
 * computes. With STEPPED, the processor traps after each instruction of a launch, and the program
 * writes how often each instruction of a kernel ran to the file that STEPPED names: the truth that
 * geoid-blocks is compared with. The code is found by GEOID_PERF=1, and must be that which
 * geoid-blocks counts, so it is built with the same option. */
#include <level_zero/ze_api.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define ITEMS    48
#define GROUP    24
#define NUMBER   27 /* the argument n */
#define SYMBOLS  64
#define CHECK(x) check((x), #x)

static void check(ze_result_t result, const char *what)
{
    if (result != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "%s: 0x%x\n", what, (unsigned)result);
        exit(1);
    }
}

/* ---- stepping ---- */

/* A function of a module in memory. */
static struct symbol {
    char name[64];
    unsigned long start, size;
    unsigned long *hits; /* [size] */
} symbols[SYMBOLS];
static int symbol_count;

static void on_step(int number, siginfo_t *info, void *context)
{
    const unsigned long at = (unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    (void)number;
    (void)info;
    for (int i = 0; i < symbol_count; i++) {
        if (at - symbols[i].start < symbols[i].size) {
            symbols[i].hits[at - symbols[i].start]++;
        }
    }
}

void step_begin(void);
void step_end(void);
__asm__("step_begin:\n"
        "    pushfq\n"
        "    orq $0x100, (%rsp)\n"
        "    popfq\n"
        "    ret\n"
        "step_end:\n"
        "    pushfq\n"
        "    andq $~0x100, (%rsp)\n"
        "    popfq\n"
        "    ret\n");

static void symbols_read(void)
{
    char path[64], line[256];
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    FILE *file = fopen(path, "r");
    while (file && symbol_count < SYMBOLS && fgets(line, sizeof(line), file)) {
        struct symbol *symbol = &symbols[symbol_count];
        if (sscanf(line, "%lx %lx %63[^\n]", &symbol->start, &symbol->size, symbol->name) == 3) {
            symbol->hits = calloc(symbol->size, sizeof(*symbol->hits));
            symbol_count += symbol->hits != NULL;
        }
    }
    if (file) {
        fclose(file);
        unlink(path);
    }
}

static void hits_write(const char *path)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < symbol_count; i++) {
        for (unsigned long k = 0; k < symbols[i].size; k++) {
            if (symbols[i].hits[k]) {
                fprintf(file, "%s+0x%lx %lu\n", symbols[i].name, k, symbols[i].hits[k]);
            }
        }
    }
    if (!file || fclose(file) != 0) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(1);
    }
}

/* ---- the program ---- */

static void *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    void *bytes = malloc(1 << 20);
    *size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
    if (*size == 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    return bytes;
}

static void kernel_run(ze_command_list_handle_t list, ze_module_handle_t module, const char *name,
                       uint32_t *out, bool steps)
{
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    const ze_group_count_t groups = {ITEMS / GROUP, 1, 1};
    const uint32_t number = NUMBER;
    ze_kernel_handle_t kernel;
    unsigned long sum = 0;
    CHECK(zeKernelCreate(module, &desc, &kernel));
    CHECK(zeKernelSetGroupSize(kernel, GROUP, 1, 1));
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof(number), &number));
    if (steps) { /* the first launch prepares memory, which would take a million steps */
        CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    }
    memset(out, 0, ITEMS * sizeof(*out));
    if (steps) {
        step_begin();
    }
    const ze_result_t result =
        zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL);
    if (steps) {
        step_end();
    }
    CHECK(result);
    for (int i = 0; i < ITEMS; i++) {
        sum = sum * 31 + out[i];
    }
    printf("%s %lu\n", name, sum);
    CHECK(zeKernelDestroy(kernel));
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"collatz", "sum_group", "choose", "waves"};
    const char *stepped = getenv("STEPPED");
    uint32_t count = 1;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_module_handle_t module;
    void *out;
    size_t size;
    void *bytes = file_read(argc > 1 ? argv[1] : "", &size);
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&count, &driver));
    CHECK(zeDeviceGet(driver, &count, &device));
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK(zeContextCreate(driver, &context_desc, &context));
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                           .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    CHECK(zeCommandListCreateImmediate(context, device, &queue, &list));
    const ze_host_mem_alloc_desc_t memory = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    CHECK(zeMemAllocHost(context, &memory, ITEMS * sizeof(uint32_t), 64, &out));
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = size,
                                   .pInputModule = bytes,
                                   .pBuildFlags = stepped ? "-g -zet-profile-flags 3" : "-g"};
    CHECK(zeModuleCreate(context, device, &desc, &module, NULL));
    if (stepped) {
        symbols_read();
        sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = on_step, .sa_flags = SA_SIGINFO},
                  NULL);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        kernel_run(list, module, names[i], out, stepped != NULL);
    }
    if (stepped) {
        hits_write(stepped);
    }
    CHECK(zeModuleDestroy(module));
    CHECK(zeMemFree(context, out));
    CHECK(zeCommandListDestroy(list));
    CHECK(zeContextDestroy(context));
    free(bytes);
    return 0;
}
