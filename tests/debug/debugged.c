/* The program that these tests debug. It reads commands, one a line, and answers each with a line.
 *
 *     init                    creates a context and an array of words, answers with its address
 *     queue N, unqueue N      creates or destroys immediate list N (0 to 3)
 *     module PATH [FLAGS]     loads a module: native, or SPIR-V if the name ends so
 *     unmodule                destroys it
 *     launch N NAME G S       starts kernel NAME in list N with G groups of S items
 *     wait N                  waits for list N, answers with the result
 *     help N                  the same without a time limit, so this thread may run the kernels
 *     set I V, get I          words of the array
 *     info                    answers with size and checksum of the module's debug information
 *     fork                    forks a child that has a queue and lives on; answers with its pid
 *     exec                    executes another program in its place
 *     guard                   answers with the address of a page before one that is read only
 *     user N                  becomes user N, before init
 *     device N                uses sub-device N from now on
 *     attach PID              attaches to a process as a debugger; answers with the result
 *     stop                    stops all threads there, and waits for the final event
 *     resume                  resumes them
 *     poke A V                writes a word at address A there
 *     peek A                  answers with the word at address A there
 *     entry                   answers with the kernel's entry of a thread that is stopped there
 *     sleep                   answers, and reads no more commands
 *     ping                    prints, as kernels may at that moment, and answers
 *     exit, abort             end the process
 * Other words are answered by "?". */
#include <geoid/debug.h>
#include <level_zero/zet_api.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef GEOID_SANITIZED
/* The child of a fork has threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

#define WORDS   8192u
#define LISTS   4u
#define ANSWERS 3 /* descriptor of the answers; kernels print on the standard output */

#define CHECK(call)                                                                                \
    do {                                                                                           \
        ze_result_t code = (call);                                                                 \
        if (code != ZE_RESULT_SUCCESS) {                                                           \
            fprintf(stderr, "debugged: %s: 0x%x\n", #call, (unsigned)code);                        \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_command_list_handle_t lists[LISTS];
static ze_kernel_handle_t kernels[LISTS];
static ze_module_handle_t module;
static uint64_t *words;

__attribute__((format(printf, 1, 2))) static void answer(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vdprintf(ANSWERS, format, values);
    va_end(values);
}

static void init(void)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_driver_handle_t driver = NULL;
    void *memory = NULL;
    uint32_t one = 1;
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&one, &driver));
    CHECK(zeDeviceGet(driver, &one, &device));
    CHECK(zeContextCreate(driver, &desc, &context));
    CHECK(zeMemAllocShared(context, &on_device, &on_host, WORDS * sizeof(*words), 4096, device,
                           &memory));
    words = memory;
    memset(words, 0, WORDS * sizeof(*words));
    answer("%" PRIu64 "\n", (uint64_t)(uintptr_t)words);
}

static void queue_create(uint32_t number)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    CHECK(zeCommandListCreateImmediate(context, device, &desc, &lists[number]));
    answer("ok\n");
}

static void queue_destroy(uint32_t number)
{
    CHECK(zeCommandListDestroy(lists[number]));
    lists[number] = NULL;
    answer("ok\n");
}

static void module_load(const char *path, const char *flags)
{
    static uint8_t bytes[1 << 20];
    const size_t length = strlen(path);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(3);
    }
    const bool spirv = length > 4 && strcmp(path + length - 4, ".spv") == 0;
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format =
                                       spirv ? ZE_MODULE_FORMAT_IL_SPIRV : ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = fread(bytes, 1, sizeof(bytes), file),
                                   .pInputModule = bytes,
                                   .pBuildFlags = flags};
    fclose(file);
    CHECK(zeModuleCreate(context, device, &desc, &module, NULL));
    answer("ok\n");
}

static void launch(uint32_t number, const char *name, uint32_t group_count, uint32_t size)
{
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    const ze_group_count_t groups = {group_count, 1, 1};
    if (kernels[number]) {
        CHECK(zeKernelDestroy(kernels[number]));
    }
    CHECK(zeKernelCreate(module, &desc, &kernels[number]));
    CHECK(zeKernelSetGroupSize(kernels[number], size, 1, 1));
    CHECK(zeKernelSetArgumentValue(kernels[number], 0, sizeof(words), &words));
    CHECK(zeCommandListAppendLaunchKernel(lists[number], kernels[number], &groups, NULL, 0, NULL));
    answer("ok\n");
}

static void debug_info(void)
{
    static uint8_t bytes[1 << 20];
    size_t size = sizeof(bytes);
    uint64_t sum = 0;
    CHECK(zetModuleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, bytes));
    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + bytes[i];
    }
    answer("%zu %" PRIu64 "\n", size, sum);
}

static void guard(void)
{
    uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_READ) != 0) {
        exit(3);
    }
    answer("%" PRIu64 "\n", (uint64_t)(uintptr_t)pages);
}

static void fork_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
        CHECK(zeCommandListCreateImmediate(context, device, &desc, &lists[LISTS - 1]));
        pause();
        _exit(0);
    }
    answer("%d\n", (int)child);
}

/* ---- as a debugger ---- */

static const ze_device_thread_t all = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
static zet_debug_session_handle_t session;

static void attach(uint32_t pid)
{
    const zet_debug_config_t config = {.pid = pid};
    answer("0x%x\n", (unsigned)zetDebugAttach(device, &config, &session));
}

static void stop(void)
{
    zet_debug_event_t event;
    CHECK(zetDebugInterrupt(session, all));
    do {
        CHECK(zetDebugReadEvent(session, UINT64_MAX, &event));
    } while (event.type != ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED ||
             event.info.thread.thread.slice != UINT32_MAX);
    answer("ok\n");
}

static void poke(uint64_t address, uint64_t value)
{
    const zet_debug_memory_space_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC,
                                                .address = address};
    CHECK(zetDebugWriteMemory(session, all, &desc, sizeof(value), &value));
    answer("ok\n");
}

static void peek(uint64_t address)
{
    const zet_debug_memory_space_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC,
                                                .address = address};
    uint64_t value = 0;
    CHECK(zetDebugReadMemory(session, all, &desc, sizeof(value), &value));
    answer("%" PRIu64 "\n", value);
}

/* Tries all threads, of which one is stopped. */
static void entry(void)
{
    uint64_t value = 0;
    for (uint32_t eu = 0; eu < 64 && value == 0; eu++) {
        const ze_device_thread_t thread = {0, 0, eu, 0};
        (void)zetDebugReadRegisters(session, thread, GEOID_REGSET_LAUNCH, GEOID_LAUNCH_KERNEL_ENTRY,
                                    1, &value);
    }
    answer("%" PRIu64 "\n", value);
}

static void device_use(uint32_t number)
{
    ze_device_handle_t subs[8];
    uint32_t count = 8;
    CHECK(zeDeviceGetSubDevices(device, &count, subs));
    device = subs[number % count];
    answer("ok\n");
}

static bool serve_debugger(const char *line)
{
    unsigned long long a = 0, b = 0;
    if (sscanf(line, "attach %llu", &a) == 1) {
        attach((uint32_t)a);
    } else if (strcmp(line, "stop") == 0) {
        stop();
    } else if (strcmp(line, "resume") == 0) {
        CHECK(zetDebugResume(session, all));
        answer("ok\n");
    } else if (sscanf(line, "peek %llu", &a) == 1) {
        peek(a);
    } else if (strcmp(line, "entry") == 0) {
        entry();
    } else if (sscanf(line, "poke %llu %llu", &a, &b) == 2) {
        poke(a, b);
    } else {
        return false;
    }
    return true;
}

static void serve(char *line)
{
    char name[512] = "", more[512] = "";
    unsigned long long a = 0, b = 0, c = 0;
    if (serve_debugger(line)) {
        return;
    }
    if (strcmp(line, "init") == 0) {
        init();
    } else if (sscanf(line, "user %llu", &a) == 1) {
        answer("%d\n", setgid((gid_t)a) == 0 && setuid((uid_t)a) == 0);
    } else if (sscanf(line, "device %llu", &a) == 1) {
        device_use((uint32_t)a);
    } else if (strcmp(line, "guard") == 0) {
        guard();
    } else if (strcmp(line, "sleep") == 0) {
        answer("ok\n");
        for (;;) {
            pause();
        }
    } else if (sscanf(line, "queue %llu", &a) == 1) {
        queue_create((uint32_t)a % LISTS);
    } else if (sscanf(line, "unqueue %llu", &a) == 1) {
        queue_destroy((uint32_t)a % LISTS);
    } else if (sscanf(line, "module %511s %511[^\n]", name, more) >= 1) {
        module_load(name, more);
    } else if (strcmp(line, "unmodule") == 0) {
        for (uint32_t i = 0; i < LISTS; i++) {
            if (kernels[i]) {
                CHECK(zeKernelDestroy(kernels[i]));
                kernels[i] = NULL;
            }
        }
        CHECK(zeModuleDestroy(module));
        answer("ok\n");
    } else if (sscanf(line, "launch %llu %511s %llu %llu", &a, name, &b, &c) == 4) {
        launch((uint32_t)a % LISTS, name, (uint32_t)b, (uint32_t)c);
    } else if (sscanf(line, "wait %llu", &a) == 1) {
        answer("0x%x\n", (unsigned)zeCommandListHostSynchronize(lists[a % LISTS], UINT64_MAX - 1));
    } else if (sscanf(line, "help %llu", &a) == 1) {
        answer("0x%x\n", (unsigned)zeCommandListHostSynchronize(lists[a % LISTS], UINT64_MAX));
    } else if (sscanf(line, "set %llu %llu", &a, &b) == 2) {
        __atomic_store_n(&words[a % WORDS], b, __ATOMIC_SEQ_CST);
        answer("ok\n");
    } else if (sscanf(line, "get %llu", &a) == 1) {
        answer("%" PRIu64 "\n", __atomic_load_n(&words[a % WORDS], __ATOMIC_SEQ_CST));
    } else if (strcmp(line, "info") == 0) {
        debug_info();
    } else if (strcmp(line, "fork") == 0) {
        fork_child();
    } else if (strcmp(line, "exec") == 0) {
        execl("/bin/sleep", "sleep", "600", (char *)NULL);
        exit(3);
    } else if (strcmp(line, "ping") == 0) {
        printf("ping\n");
        fflush(stdout);
        answer("ok\n");
    } else if (strcmp(line, "exit") == 0) {
        exit(0);
    } else if (strcmp(line, "abort") == 0) {
        abort();
    } else {
        answer("?\n");
    }
}

int main(void)
{
    static char line[2048];
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        serve(line);
    }
    return 0;
}
