/* A program for zetrace: does what its argument says, and counts nothing itself; test_zetrace.py
 * knows what must be in the trace. It ends with 1 when something is not as it is without zetrace. */
#include <level_zero/ze_api.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KIB = 1024, RUNS = 5, THREADS = 8, FILLS = 100 };

#define DO(expression)                                                                             \
    do {                                                                                           \
        const ze_result_t do_result = (expression);                                                \
        if (do_result != ZE_RESULT_SUCCESS) {                                                      \
            fprintf(stderr, "%s: 0x%x\n", #expression, (unsigned)do_result);                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static ze_context_handle_t context;
static ze_device_handle_t device;
static char *memory; /* 64 KiB for each thread, shared */

static void begin(void)
{
    uint32_t count = 1;
    ze_driver_handle_t driver;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    DO(zeInit(0));
    DO(zeDriverGet(&count, &driver));
    DO(zeDeviceGet(driver, &count, &device));
    DO(zeContextCreate(driver, &desc, &context));
    DO(zeMemAllocShared(context, &on_device, &on_host, THREADS * 64 * KIB, 64, device,
                        (void **)&memory));
}

static ze_command_list_handle_t immediate_make(void)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    DO(zeCommandListCreateImmediate(context, device, &desc, &list));
    return list;
}

/* Fills that nobody gave an event; the last four KiB say which was the last. */
static void fills_run(char *to, int count)
{
    ze_command_list_handle_t list = immediate_make();
    for (int i = 0; i < count; i++) {
        const char pattern = (char)(i + 1);
        DO(zeCommandListAppendMemoryFill(list, to, &pattern, 1, 4 * KIB, NULL, 0, NULL));
        DO(zeCommandListHostSynchronize(list, UINT64_MAX));
        if (to[4 * KIB - 1] != pattern) {
            exit(1);
        }
    }
    DO(zeCommandListDestroy(list));
}

/* An event without timestamps, signalled, waited for and reset again and again. */
static void events_run(void)
{
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 1};
    const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_pool_flags_t flags = 0;
    ze_event_handle_t event;
    ze_command_list_handle_t list = immediate_make();
    DO(zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool));
    DO(zeEventPoolGetFlags(pool, &flags));
    if (flags != pool_desc.flags) {
        exit(1);
    }
    DO(zeEventCreate(pool, &event_desc, &event));
    for (int i = 0; i < RUNS; i++) {
        memset(memory + 16 * KIB, i + 7, 8 * KIB);
        DO(zeCommandListAppendMemoryCopy(list, memory, memory + 16 * KIB, 8 * KIB, event, 0, NULL));
        DO(zeEventHostSynchronize(event, UINT64_MAX));
        DO(zeEventHostReset(event));
        if (memory[8 * KIB - 1] != i + 7) {
            exit(1);
        }
    }
    DO(zeEventDestroy(event));
    DO(zeEventPoolDestroy(pool));
    DO(zeCommandListDestroy(list));
}

/* A regular list with three commands, executed several times before anybody waits. */
static void regular_run(void)
{
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    const char pattern = 3;
    char outside[16 * KIB];
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    DO(zeCommandQueueCreate(context, device, &queue_desc, &queue));
    DO(zeCommandListCreate(context, device, &list_desc, &list));
    DO(zeCommandListAppendMemoryFill(list, memory, &pattern, 1, 32 * KIB, NULL, 0, NULL));
    DO(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    DO(zeCommandListAppendMemoryCopy(list, memory + 32 * KIB, memory, 32 * KIB, NULL, 0, NULL));
    DO(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    DO(zeCommandListAppendMemoryCopy(list, outside, memory, 16 * KIB, NULL, 0, NULL));
    DO(zeCommandListClose(list));
    for (int i = 0; i < RUNS; i++) {
        DO(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    }
    DO(zeCommandQueueSynchronize(queue, UINT64_MAX));
    if (memory[64 * KIB - 1] != pattern || outside[16 * KIB - 1] != pattern) {
        exit(1);
    }
    DO(zeCommandListReset(list));
    DO(zeCommandListDestroy(list));
    DO(zeCommandQueueDestroy(queue));
}

static void *thread_run(void *to)
{
    fills_run(to, FILLS);
    return NULL;
}

static void threads_run(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, thread_run, memory + i * 64 * KIB);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* The child has its own drivers, objects and part of the trace. */
static void fork_run(void)
{
    int status = -1;
    fills_run(memory, 3);
    const pid_t child = fork();
    if (child == 0) {
        begin();
        fills_run(memory, 4);
        exit(0);
    }
    fills_run(memory, 2);
    if (waitpid(child, &status, 0) != child || status != 0) {
        exit(1);
    }
}

/* Ends while commands are in flight, or done and their times not yet read. */
static void open_run(ze_command_queue_mode_t mode)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = mode};
    ze_command_list_handle_t list;
    DO(zeCommandListCreateImmediate(context, device, &desc, &list));
    DO(zeCommandListAppendMemoryFill(list, memory, "x", 1, 4 * KIB, NULL, 0, NULL));
    DO(zeCommandListAppendMemoryFill(list, memory, "y", 1, 4 * KIB, NULL, 0, NULL));
    exit(0);
}

/* Closes all descriptors that it does not know, as daemons do, and has files of its own under the
 * numbers; then makes calls enough for several chunks of the trace. */
static void closing_run(void)
{
    int files[40];
    closefrom(3);
    for (int i = 0; i < 40; i++) {
        files[i] = memfd_create("own", 0);
    }
    for (int i = 0; i < 10000; i++) {
        DO(zeContextGetStatus(context));
    }
    for (int i = 0; i < 40; i++) {
        if (files[i] != 3 + i || lseek(files[i], 0, SEEK_END) != 0) {
            fprintf(stderr, "somebody wrote into descriptor %d\n", files[i]);
            exit(1);
        }
    }
}

static long size_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%ld", &pages) != 1) {
        exit(1);
    }
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / KIB);
}

/* So many calls, and a fill for every 25 of them; prints by how many KiB the process grew after the
 * first tenth. */
static void calls_run(int count)
{
    ze_command_list_handle_t list = immediate_make();
    long before = 0;
    for (int i = 0; i < count; i++) {
        before = i == count / 10 ? size_kib() : before;
        DO(zeContextGetStatus(context));
        if (i % 25 == 0) {
            DO(zeCommandListAppendMemoryFill(list, memory, "x", 1, 64, NULL, 0, NULL));
            DO(zeCommandListHostSynchronize(list, UINT64_MAX));
        }
    }
    printf("%ld\n", size_kib() - before);
    DO(zeCommandListDestroy(list));
}

/* --- kernels --- */

enum { ITEMS = 16 }; /* of a group */

static ze_kernel_handle_t kernel_make(const char *path, const char *name,
                                      ze_module_handle_t *module)
{
    static unsigned char spirv[64 * KIB];
    ze_kernel_handle_t kernel;
    FILE *file = fopen(path, "rbe");
    const size_t bytes = file ? fread(spirv, 1, sizeof(spirv), file) : 0;
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = bytes,
                                   .pInputModule = spirv};
    const ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                          .pKernelName = name};
    if (!file || bytes == 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    DO(zeModuleCreate(context, device, &desc, module, NULL));
    DO(zeKernelCreate(*module, &kernel_desc, &kernel));
    DO(zeKernelSetGroupSize(kernel, ITEMS, 1, 1));
    DO(zeKernelSetArgumentValue(kernel, 0, sizeof(memory), &memory));
    return kernel;
}

/* Launches in all ways: 3 of 7 groups by an immediate list, a regular list of 2 launches of 5
 * groups that is executed several times before anybody waits, and one of 9 groups with an event. */
static void kernels_run(const char *path)
{
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 1};
    const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    const ze_group_count_t seven = {7, 1, 1}, five = {5, 1, 1}, nine = {9, 1, 1};
    ze_module_handle_t module;
    ze_command_list_handle_t list, immediate = immediate_make();
    ze_command_queue_handle_t queue;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    const ze_kernel_handle_t kernel = kernel_make(path, "step", &module);
    memset(memory, 0, KIB);
    for (int i = 0; i < 3; i++) {
        DO(zeCommandListAppendLaunchKernel(immediate, kernel, &seven, NULL, 0, NULL));
    }
    DO(zeCommandListHostSynchronize(immediate, UINT64_MAX));
    DO(zeCommandQueueCreate(context, device, &queue_desc, &queue));
    DO(zeCommandListCreate(context, device, &list_desc, &list));
    for (int i = 0; i < 2; i++) {
        DO(zeCommandListAppendLaunchKernel(list, kernel, &five, NULL, 0, NULL));
        DO(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    }
    DO(zeCommandListClose(list));
    for (int i = 0; i < RUNS; i++) {
        DO(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    }
    DO(zeCommandQueueSynchronize(queue, UINT64_MAX));
    DO(zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool));
    DO(zeEventCreate(pool, &event_desc, &event));
    DO(zeCommandListAppendLaunchKernel(immediate, kernel, &nine, event, 0, NULL));
    DO(zeEventHostSynchronize(event, UINT64_MAX));
    DO(zeEventDestroy(event));
    if (((unsigned *)(void *)memory)[0] != 3 + 2 * RUNS + 1) {
        fprintf(stderr, "the kernels did not all run\n");
        exit(1);
    }
    DO(zeEventPoolDestroy(pool));
    DO(zeCommandListDestroy(list));
    DO(zeCommandQueueDestroy(queue));
    DO(zeCommandListDestroy(immediate));
    DO(zeKernelDestroy(kernel));
    DO(zeModuleDestroy(module));
}

/* Five launches of 1,024 items. */
static void floats_run(const char *path)
{
    const ze_group_count_t groups = {1024 / ITEMS, 1, 1};
    const ze_command_list_handle_t list = immediate_make();
    ze_module_handle_t module;
    const ze_kernel_handle_t kernel = kernel_make(path, "scale", &module);
    memset(memory, 0, 4 * KIB);
    for (int i = 0; i < RUNS; i++) {
        DO(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    }
    DO(zeCommandListHostSynchronize(list, UINT64_MAX));
    puts("scaled");
    DO(zeKernelDestroy(kernel));
    DO(zeModuleDestroy(module));
    DO(zeCommandListDestroy(list));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    begin();
    if (strcmp(what, "all") == 0) {
        fills_run(memory, FILLS);
        events_run();
        regular_run();
    } else if (strcmp(what, "threads") == 0) {
        threads_run();
    } else if (strcmp(what, "fork") == 0) {
        fork_run();
    } else if (strcmp(what, "closing") == 0) {
        closing_run();
    } else if (strcmp(what, "open") == 0) {
        open_run(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    } else if (strcmp(what, "open-synchronous") == 0) {
        open_run(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    } else if (strcmp(what, "kernels") == 0 && argc > 2) {
        kernels_run(argv[2]);
    } else if (strcmp(what, "floats") == 0 && argc > 2) {
        floats_run(argv[2]);
    } else if (strcmp(what, "calls") == 0 && argc > 2) {
        calls_run((int)strtol(argv[2], NULL, 10));
    } else if (strcmp(what, "crash") == 0 || strcmp(what, "kill") == 0) {
        fills_run(memory, FILLS);
        signal(SIGSEGV, SIG_DFL);
        raise(strcmp(what, "kill") == 0 ? SIGKILL : SIGSEGV);
    } else {
        fprintf(
            stderr,
            "usage: traced all|threads|fork|closing|open|open-synchronous|crash|kill|kernels FILE|"
            "floats FILE|"
            "calls N\n");
        return 2;
    }
    DO(zeMemFree(context, memory));
    DO(zeContextDestroy(context));
    return 0;
}
