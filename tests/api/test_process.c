/* Process behaviour: before initialisation, fork, exit, environment. Each scenario runs in a
 * process of its own, started as this program with the scenario's name as argument. */
#include <level_zero/ze_api.h>
#include <level_zero/zer_api.h>
#include <level_zero/zes_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "forks.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static ze_driver_handle_t drivers[8];
static uint32_t driver_count = 8;
static ze_device_handle_t devices[8];
static ze_context_handle_t contexts[8];
static void *allocations[8];

static int drivers_init(ze_init_driver_type_flags_t flags)
{
    ze_init_driver_type_desc_t types = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, flags};
    driver_count = 8;
    return zeInitDrivers(&driver_count, drivers, &types) != ZE_RESULT_SUCCESS;
}

/* A context and an allocation on every driver. */
static int everything_init(void)
{
    ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    CHECK(drivers_init(UINT32_MAX) == 0);
    CHECK(driver_count == 2);
    for (uint32_t i = 0; i < driver_count; i++) {
        uint32_t one = 1;
        CHECK(zeDeviceGet(drivers[i], &one, &devices[i]) == ZE_RESULT_SUCCESS);
        CHECK(zeContextCreate(drivers[i], &context, &contexts[i]) == ZE_RESULT_SUCCESS);
        CHECK(zeMemAllocDevice(contexts[i], &desc, 8192, 0, devices[i], &allocations[i]) ==
              ZE_RESULT_SUCCESS);
    }
    return 0;
}

static int memory_works(uint32_t i)
{
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    void *pointer = NULL;
    CHECK(zeMemAllocDevice(contexts[i], &desc, 1 << 21, 0, devices[i], &pointer) ==
          ZE_RESULT_SUCCESS);
    memset(pointer, 5, 1 << 21);
    CHECK(zeMemGetAllocProperties(contexts[i], pointer, &p, NULL) == ZE_RESULT_SUCCESS);
    CHECK(p.type == ZE_MEMORY_TYPE_DEVICE);
    CHECK(zeMemFree(contexts[i], pointer) == ZE_RESULT_SUCCESS);
    return 0;
}

/* ---- scenarios ---- */

static int scenario_uninitialised(void)
{
    uint32_t count = 0;
    CHECK(zeDriverGet(&count, NULL) == ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(zeDeviceGet(NULL, &count, NULL) == ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(zeMemFree(NULL, NULL) == ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(zesDriverGet(&count, NULL) == ZE_RESULT_ERROR_UNINITIALIZED);
    return 0;
}

static int scenario_fork(void)
{
    CHECK(everything_init() == 0);
    strcpy(allocations[0], "before");
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) { /* handles and memory of the parent stay usable, new ones can be made */
        int failed = strcmp(allocations[0], "before") != 0;
        for (uint32_t i = 0; i < driver_count; i++) {
            ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
            ze_context_handle_t own;
            failed += memory_works(i);
            failed += zeContextCreate(drivers[i], &desc, &own) != ZE_RESULT_SUCCESS;
            failed += zeContextDestroy(own) != ZE_RESULT_SUCCESS;
            failed += zeDeviceSynchronize(devices[i]) != ZE_RESULT_SUCCESS;
            failed += zeMemFree(contexts[i], allocations[i]) != ZE_RESULT_SUCCESS;
        }
        exit(failed);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (uint32_t i = 0; i < driver_count; i++) {
        CHECK(memory_works(i) == 0);
        CHECK(zeMemFree(contexts[i], allocations[i]) == ZE_RESULT_SUCCESS);
    }
    return 0;
}

static _Atomic int stop;

static void *churn(void *argument)
{
    (void)argument;
    while (!stop) {
        for (uint32_t i = 0; i < driver_count; i++) {
            if (memory_works(i)) {
                return (void *)1;
            }
        }
    }
    return NULL;
}

static int scenario_fork_while_busy(void)
{
    pthread_t threads[3];
    CHECK(everything_init() == 0);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&threads[i], NULL, churn, NULL) == 0);
    }
    for (int round = 0; round < 20; round++) {
        fflush(NULL);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(300); /* a lock that was held for ever would show as this signal */
            int failed = 0;
            for (uint32_t i = 0; i < driver_count; i++) {
                failed += memory_works(i);
            }
            _exit(failed);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    stop = 1;
    for (int i = 0; i < 3; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        CHECK(failed == NULL);
    }
    return 0;
}

/* Programs clean up in exit handlers and destructors: everything still works there. */
static void late_calls(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (zeDeviceGet(drivers[i], &count, NULL) || memory_works(i) ||
            zeMemFree(contexts[i], allocations[i]) || zeContextDestroy(contexts[i])) {
            _exit(9);
        }
    }
}

static int calls_from_destructor;

__attribute__((destructor)) static void latest_calls(void)
{
    if (calls_from_destructor) {
        late_calls();
    }
}

static int scenario_exit_with_everything_open(void)
{
    return everything_init();
}

static int scenario_calls_at_exit(void)
{
    atexit(late_calls);
    return everything_init();
}

static int scenario_calls_from_a_destructor(void)
{
    calls_from_destructor = 1;
    return everything_init();
}

static void *endless(void *argument)
{
    (void)argument;
    for (;;) {
        for (uint32_t i = 0; i < driver_count; i++) {
            (void)memory_works(i);
        }
    }
    return NULL;
}

static int scenario_exit_while_busy(void)
{
    pthread_t thread;
    CHECK(everything_init() == 0);
    if (!freopen("/dev/null", "w", stderr)) {
        return 1;
    }
    CHECK(pthread_create(&thread, NULL, endless, NULL) == 0);
    usleep(20000);
    return 0; /* other threads are inside the driver */
}

static int scenario_affinity_none(void)
{
    (void)drivers_init(UINT32_MAX); /* a loader may drop drivers without devices */
    uint32_t total = 0;
    for (uint32_t i = 0; i < driver_count && i < 8; i++) {
        uint32_t count = 0;
        if (drivers[i] && zeDeviceGet(drivers[i], &count, NULL) == ZE_RESULT_SUCCESS) {
            total += count;
        }
    }
    CHECK(total == 0);
    return 0;
}

/* With a mask of "7". */
static int scenario_affinity_told(void)
{
    const char *text = NULL;
    CHECK(zerGetLastErrorDescription(&text) == ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(zeInit(0) == ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(zerGetLastErrorDescription(&text) == ZE_RESULT_SUCCESS && text);
    CHECK(strstr(text, "zeInit: no driver has a device of the requested types"));
    CHECK(strstr(text, "libze_geoid.so.1") && strstr(text, "libze_null.so.1"));
    CHECK(strstr(text, ": initialisation found no devices: ZE_AFFINITY_MASK selects no device"));
    CHECK(strstr(text, "entry \"7\" names no device: devices are numbered 0 to 0"));
    CHECK(zerGetLastErrorDescription(NULL) == ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    unsetenv("ZE_AFFINITY_MASK"); /* the drivers have read it */
    CHECK(drivers_init(UINT32_MAX) != 0 || driver_count == 0);
    CHECK(zerGetLastErrorDescription(&text) == ZE_RESULT_SUCCESS);
    CHECK(strstr(text, "zeInitDrivers: no driver has a device of the requested types"));
    return 0;
}

static int scenario_affinity_all(void)
{
    CHECK(drivers_init(UINT32_MAX) == 0);
    CHECK(driver_count == 2);
    for (uint32_t i = 0; i < driver_count; i++) {
        uint32_t count = 0;
        CHECK(zeDeviceGet(drivers[i], &count, NULL) == ZE_RESULT_SUCCESS);
        CHECK(count == 1);
    }
    return 0;
}

/* A device without tiles looks the same in every hierarchy: a root without sub-devices. */
static int scenario_hierarchy(void)
{
    CHECK(scenario_affinity_all() == 0);
    for (uint32_t i = 0; i < driver_count; i++) {
        uint32_t one = 1, parts = 9;
        ze_device_handle_t root = (ze_device_handle_t)&one;
        ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        CHECK(zeDeviceGet(drivers[i], &one, &devices[i]) == ZE_RESULT_SUCCESS);
        CHECK(zeDeviceGetSubDevices(devices[i], &parts, NULL) == ZE_RESULT_SUCCESS);
        CHECK(parts == 0);
        CHECK(zeDeviceGetRootDevice(devices[i], &root) == ZE_RESULT_SUCCESS);
        CHECK(root == NULL);
        CHECK(zeDeviceGetProperties(devices[i], &p) == ZE_RESULT_SUCCESS);
        CHECK(!(p.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE));
    }
    return 0;
}

/* Shared memory in the device's memory, or devices by PCI address: both are so anyway. */
static int scenario_memory(void)
{
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    CHECK(everything_init() == 0);
    for (uint32_t i = 0; i < driver_count; i++) {
        char *pointer = NULL;
        CHECK(zeMemAllocShared(contexts[i], &device, &host, 4096, 0, devices[i],
                               (void **)&pointer) == ZE_RESULT_SUCCESS);
        memset(pointer, 1, 4096);
        CHECK(zeMemFree(contexts[i], pointer) == ZE_RESULT_SUCCESS);
    }
    return 0;
}

static int scenario_cpu_type(void)
{
    CHECK(zeInit(ZE_INIT_FLAG_GPU_ONLY) == ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(drivers_init(UINT32_MAX) == 0);
    for (uint32_t i = 0; i < driver_count; i++) {
        uint32_t one = 1;
        ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        CHECK(zeDeviceGet(drivers[i], &one, &devices[i]) == ZE_RESULT_SUCCESS);
        CHECK(zeDeviceGetProperties(devices[i], &p) == ZE_RESULT_SUCCESS);
        CHECK(p.type == ZE_DEVICE_TYPE_CPU);
        CHECK(!(p.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED));
    }
    return 0;
}

static int scenario_gpu_type(void)
{
    CHECK(zeInit(ZE_INIT_FLAG_GPU_ONLY) == ZE_RESULT_SUCCESS);
    CHECK(drivers_init(ZE_INIT_DRIVER_TYPE_FLAG_GPU) == 0);
    CHECK(driver_count == 2);
    CHECK(drivers_init(ZE_INIT_DRIVER_TYPE_FLAG_NPU) != 0 || driver_count == 0);
    return 0;
}

/* The core's and sysman's properties of the first devices; 0 when both say `vendor`. */
static int vendor_check(uint32_t vendor)
{
    for (uint32_t i = 0; i < driver_count; i++) {
        uint32_t one = 1;
        ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        zes_device_properties_t s = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        CHECK(zeDeviceGet(drivers[i], &one, &devices[i]) == ZE_RESULT_SUCCESS);
        CHECK(zeDeviceGetProperties(devices[i], &p) == ZE_RESULT_SUCCESS);
        CHECK(p.vendorId == vendor);
        CHECK(zesDeviceGetProperties((zes_device_handle_t)devices[i], &s) == ZE_RESULT_SUCCESS);
        CHECK(s.core.vendorId == vendor);
    }
    return 0;
}

static int scenario_intel_vendor(void)
{
    CHECK(everything_init() == 0);
    return vendor_check(0x8086);
}

/* As long as nothing else is asked for: the null device has none, the CPU's is the processor's. */
static int scenario_own_vendor(void)
{
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    CHECK(everything_init() == 0);
    bool null_seen = false;
    for (uint32_t i = 0; i < driver_count; i++) {
        uint32_t one = 1;
        CHECK(zeDeviceGet(drivers[i], &one, &devices[i]) == ZE_RESULT_SUCCESS);
        CHECK(zeDeviceGetProperties(devices[i], &p) == ZE_RESULT_SUCCESS);
        CHECK(p.vendorId != 0x1234);
        if (strstr(p.name, "null")) {
            null_seen = true;
            CHECK(p.vendorId == 0);
        }
    }
    CHECK(null_seen);
    return 0;
}

/* How often the file has the text; -1: it cannot be read. */
static int count_in_file(const char *path, const char *text)
{
    static char bytes[65536];
    FILE *file = fopen(path, "r");
    if (!file) {
        return -1;
    }
    bytes[fread(bytes, 1, sizeof(bytes) - 1, file)] = '\0';
    fclose(file);
    int count = 0;
    for (const char *at = bytes; (at = strstr(at, text)); at += strlen(text)) {
        count++;
    }
    return count;
}

static int scenario_opened_event(void)
{
    const ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                                .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
                                                         ZE_EVENT_COUNTER_BASED_FLAG_IPC};
    char path[64];
    snprintf(path, sizeof(path), "/tmp/geoid-test-log-%d", (int)getpid());
    setenv("GEOID_LOG", "driver=warn", 1);
    setenv("GEOID_LOG_FILE", path, 1);
    CHECK(everything_init() == 0);
    ze_event_handle_t event, opened;
    ze_ipc_event_counter_based_handle_t handle;
    CHECK(zeEventCounterBasedCreate(contexts[0], devices[0], &desc, &event) == ZE_RESULT_SUCCESS);
    CHECK(zeEventCounterBasedGetIpcHandle(event, &handle) == ZE_RESULT_SUCCESS);
    CHECK(count_in_file(path, "the opened event stands for") <= 0);
    for (int i = 0; i < 3; i++) {
        CHECK(zeEventCounterBasedOpenIpcHandle(contexts[0], handle, &opened) == ZE_RESULT_SUCCESS);
        CHECK(zeEventCounterBasedCloseIpcHandle(opened) == ZE_RESULT_SUCCESS);
    }
    const int told = count_in_file(path, "the opened event stands for");
    unlink(path);
    CHECK(told == 1);
    CHECK(zeEventDestroy(event) == ZE_RESULT_SUCCESS);
    return 0;
}

static int scenario_second_memory(void)
{
    const char *const text = "ordinal 1 is out of range: the device has 1 memory";
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    char path[64];
    void *pointer = NULL;
    snprintf(path, sizeof(path), "/tmp/geoid-test-log-%d", (int)getpid());
    setenv("GEOID_LOG", "driver=warn", 1);
    setenv("GEOID_LOG_FILE", path, 1);
    CHECK(everything_init() == 0);
    CHECK(zeMemAllocDevice(contexts[0], &desc, 64, 0, devices[0], &pointer) == ZE_RESULT_SUCCESS);
    CHECK(zeMemFree(contexts[0], pointer) == ZE_RESULT_SUCCESS);
    CHECK(count_in_file(path, "out of range") <= 0);
    desc.ordinal = 1;
    CHECK(zeMemAllocDevice(contexts[0], &desc, 64, 0, devices[0], &pointer) == ZE_RESULT_SUCCESS);
    CHECK(zeMemFree(contexts[0], pointer) == ZE_RESULT_SUCCESS);
    CHECK(zeMemAllocShared(contexts[0], &desc, &host, 64, 0, devices[0], &pointer) ==
          ZE_RESULT_SUCCESS);
    CHECK(zeMemFree(contexts[0], pointer) == ZE_RESULT_SUCCESS);
    const int told = count_in_file(path, text);
    unlink(path);
    CHECK(told == 1);
    return 0;
}

static int scenario_no_descriptors(void)
{
    CHECK(everything_init() == 0);
    struct rlimit before = {0, 0};
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    struct rlimit limit = {0, before.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_ipc_mem_handle_t handle;
    for (uint32_t i = 0; i < driver_count; i++) {
        void *pointer = NULL;
        ze_result_t result =
            zeMemAllocDevice(contexts[i], &desc, 64u << 20, 0, devices[i], &pointer);
        CHECK(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
              result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
        CHECK(zeMemGetIpcHandle(contexts[i], allocations[i], &handle) ==
              ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        if (result == ZE_RESULT_SUCCESS) {
            CHECK(zeMemFree(contexts[i], pointer) == ZE_RESULT_SUCCESS);
        }
    }
    return setrlimit(RLIMIT_NOFILE, &before);
}

/* A child of a fork has the memory that was made before, also when its parent exports it later and
 * it moves to a file of its own there. */
static int scenario_fork_then_export(void)
{
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_ipc_mem_handle_t handle;
    CHECK(everything_init() == 0);
    for (uint32_t i = 0; i < driver_count; i++) {
        int go[2];
        char *memory = NULL, word = 'g';
        CHECK(pipe(go) == 0);
        CHECK(zeMemAllocDevice(contexts[i], &desc, 8192, 0, devices[i], (void **)&memory) ==
              ZE_RESULT_SUCCESS);
        memset(memory, 'p', 8192);
        fflush(NULL);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            bool told = read(go[0], &word, 1) == 1;
            bool kept = memory[0] == 'p' && memory[8191] == 'p';
            /* and it may do the same itself */
            bool shared = zeMemGetIpcHandle(contexts[i], memory, &handle) == ZE_RESULT_SUCCESS &&
                          memory[0] == 'p' && memory[8191] == 'p' &&
                          zeMemFree(contexts[i], memory) == ZE_RESULT_SUCCESS;
            _exit(!(told && kept && shared));
        }
        CHECK(zeMemGetIpcHandle(contexts[i], memory, &handle) == ZE_RESULT_SUCCESS);
        CHECK(memory[0] == 'p' && memory[8191] == 'p');
        CHECK(write(go[1], &word, 1) == 1);
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        CHECK(memory[0] == 'p' && memory[8191] == 'p');
        CHECK(zeMemFree(contexts[i], memory) == ZE_RESULT_SUCCESS);
        close(go[0]);
        close(go[1]);
    }
    return 0;
}

/* so large that writers often run while one is moved */
enum { MOVED = 16, CELLS = 131072 };

static volatile uint32_t *moved[MOVED]; /* [CELLS] each */

/* Raises every cell in turn, now in this memory, now in that; the thread ends with the process. */
static void *write_without_end(void *argument)
{
    for (uint32_t round = 0;; round++) {
        for (int i = 0; i < MOVED * CELLS; i++) {
            volatile uint32_t *cell = moved[i % MOVED] + i / MOVED;
            if (*cell != round) {
                fprintf(stderr, "cell %d has %u, not %u\n", i, *cell, round);
                _exit(1);
            }
            *cell = round + 1;
        }
        atomic_store(&stop, (int)round + 1);
    }
    return argument;
}

static void rounds_wait(int count)
{
    for (int seen = atomic_load(&stop); atomic_load(&stop) < seen + count;) {
        sched_yield();
    }
}

/* Whoever's handler there is, and in a process that has none: writers wait for the move. */
static int scenario_export_under_writers(void)
{
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_ipc_mem_handle_t handle;
    pthread_t thread;
    CHECK(everything_init() == 0);
    for (int i = 0; i < MOVED; i++) {
        void *memory = NULL;
        CHECK(zeMemAllocDevice(contexts[0], &desc, CELLS * 4, 0, devices[0], &memory) ==
              ZE_RESULT_SUCCESS);
        memset(memory, 0, CELLS * 4);
        moved[i] = memory;
    }
    CHECK(pthread_create(&thread, NULL, write_without_end, NULL) == 0);
    for (int i = 0; i < MOVED; i++) {
        rounds_wait(1);
        CHECK(zeMemGetIpcHandle(contexts[0], (void *)(uintptr_t)moved[i], &handle) ==
              ZE_RESULT_SUCCESS);
    }
    rounds_wait(2);
    return 0;
}

static _Atomic int handled_status = 43;

static void own_handler(int number)
{
    _exit(number == SIGSEGV ? atomic_load(&handled_status) : 1);
}

/* The application's handler came after ours; faults of its own are still its own afterwards. */
static int scenario_export_under_a_handler(void)
{
    CHECK(drivers_init(UINT32_MAX) == 0);
    CHECK(signal(SIGSEGV, own_handler) != SIG_ERR);
    if (scenario_export_under_writers() != 0) {
        return 1;
    }
    atomic_store(&handled_status, 42);
    raise(SIGSEGV);
    return 1;
}

struct scenario {
    const char *name;
    int (*run)(void);
};

static const struct scenario scenarios[] = {
    {"uninitialised", scenario_uninitialised},
    {"fork", scenario_fork},
    {"fork_while_busy", scenario_fork_while_busy},
    {"exit_with_everything_open", scenario_exit_with_everything_open},
    {"calls_at_exit", scenario_calls_at_exit},
    {"calls_from_a_destructor", scenario_calls_from_a_destructor},
    {"exit_while_busy", scenario_exit_while_busy},
    {"affinity_none", scenario_affinity_none},
    {"affinity_told", scenario_affinity_told},
    {"affinity_all", scenario_affinity_all},
    {"hierarchy", scenario_hierarchy},
    {"memory", scenario_memory},
    {"cpu_type", scenario_cpu_type},
    {"gpu_type", scenario_gpu_type},
    {"intel_vendor", scenario_intel_vendor},
    {"own_vendor", scenario_own_vendor},
    {"opened_event", scenario_opened_event},
    {"second_memory", scenario_second_memory},
    {"no_descriptors", scenario_no_descriptors},
    {"fork_then_export", scenario_fork_then_export},
    {"export_under_writers", scenario_export_under_writers},
    {"export_under_a_handler", scenario_export_under_a_handler},
};

/* Starts this program again with one variable set; its exit status, or 128 + signal. */
static int run(const char *name, const char *variable, const char *value)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (variable) {
            setenv(variable, value, 1);
        }
        alarm(300);
        execl("/proc/self/exe", "scenario", name, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* GEN-23, GEN-24 */
static void calls_before_initialisation_say_so(void **state)
{
    (void)state;
    assert_int_equal(run("uninitialised", NULL, NULL), 0);
}

/* GEN-15, CTX-2 */
static void a_forked_child_can_use_the_driver(void **state)
{
    (void)state;
    assert_int_equal(run("fork", NULL, NULL), 0);
}

/* GEN-16 */
static void fork_in_the_middle_of_work_leaves_no_lock_behind(void **state)
{
    (void)state;
    if (!forks_beside_threads_work()) {
        skip();
    }
    assert_int_equal(run("fork_while_busy", NULL, NULL), 0);
}

/* GEN-15 */
static void exit_never_hangs_or_crashes(void **state)
{
    (void)state;
    assert_int_equal(run("exit_with_everything_open", NULL, NULL), 0);
    assert_int_equal(run("calls_at_exit", NULL, NULL), 0);
    assert_int_equal(run("calls_from_a_destructor", NULL, NULL), 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(run("exit_while_busy", NULL, NULL), 0);
    }
}

/* ENV-6, ENV-7, ENV-8, ENV-14 */
static void the_affinity_mask_chooses_devices(void **state)
{
    (void)state;
    assert_int_equal(run("affinity_all", NULL, NULL), 0);
    assert_int_equal(run("affinity_all", "ZE_AFFINITY_MASK", ""), 0);
    assert_int_equal(run("affinity_all", "ZE_AFFINITY_MASK", "0"), 0);
    assert_int_equal(run("affinity_all", "ZE_AFFINITY_MASK", "7, 0"), 0);
    assert_int_equal(run("affinity_none", "ZE_AFFINITY_MASK", "1"), 0);
    assert_int_equal(run("affinity_none", "ZE_AFFINITY_MASK", "0.0"), 0);
    assert_int_equal(run("affinity_none", "ZE_AFFINITY_MASK", "rubbish,,99999999999999"), 0);
}

/* ENV-14, ENV-6 */
static void a_mask_that_selects_nothing_is_told(void **state)
{
    (void)state;
    assert_int_equal(run("affinity_told", "ZE_AFFINITY_MASK", "7"), 0);
}

/* ENV-1, ENV-2, ENV-3, ENV-4, DEV-3 */
static void a_device_without_tiles_is_the_same_in_every_hierarchy(void **state)
{
    (void)state;
    assert_int_equal(run("hierarchy", NULL, NULL), 0);
    assert_int_equal(run("hierarchy", "ZE_FLAT_DEVICE_HIERARCHY", "FLAT"), 0);
    assert_int_equal(run("hierarchy", "ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE"), 0);
    assert_int_equal(run("hierarchy", "ZE_FLAT_DEVICE_HIERARCHY", "COMBINED"), 0);
    assert_int_equal(run("hierarchy", "ZE_FLAT_DEVICE_HIERARCHY", "rubbish"), 0);
}

static void other_switches_change_nothing_here(void **state)
{
    (void)state;
    assert_int_equal(run("memory", "ZE_SHARED_FORCE_DEVICE_ALLOC", "1"), 0);
    assert_int_equal(run("affinity_all", "ZE_ENABLE_PCI_ID_DEVICE_ORDER", "1"), 0);
}

/* INI-6, INI-5, DEV-11 */
static void the_device_type_can_be_chosen(void **state)
{
    (void)state;
    assert_int_equal(run("gpu_type", NULL, NULL), 0);
    assert_int_equal(run("gpu_type", "GEOID_DEVICE_TYPE", "gpu"), 0);
    assert_int_equal(run("cpu_type", "GEOID_DEVICE_TYPE", "cpu"), 0);
}

static void the_vendor_can_be_chosen(void **state)
{
    (void)state;
    assert_int_equal(run("intel_vendor", "GEOID_DEVICE_VENDOR_ID", "0x8086"), 0);
    assert_int_equal(run("intel_vendor", "GEOID_DEVICE_VENDOR_ID", "32902"), 0);
    assert_int_equal(run("own_vendor", NULL, NULL), 0);
    assert_int_equal(run("own_vendor", "GEOID_DEVICE_VENDOR_ID", "0"), 0);
    assert_int_equal(run("own_vendor", "GEOID_DEVICE_VENDOR_ID", "0x12345"), 0); /* too large */
}

static void the_log_says_once_that_opened_events_are_snapshots(void **state)
{
    (void)state;
    assert_int_equal(run("opened_event", NULL, NULL), 0);
}

/* A wrong ordinal is accepted, but not silently. */
static void the_log_says_once_that_an_ordinal_names_no_memory(void **state)
{
    (void)state;
    assert_int_equal(run("second_memory", NULL, NULL), 0);
}

/* MEM-16, VAL-12 */
static void running_out_of_descriptors_is_a_result(void **state)
{
    (void)state;
    assert_int_equal(run("no_descriptors", NULL, NULL), 0);
}

/* IPC-2 */
static void a_move_in_the_parent_leaves_the_child_its_memory(void **state)
{
    (void)state;
    assert_int_equal(run("fork_then_export", NULL, NULL), 0);
}

/* IPC-2 */
static void memory_moves_whoever_handles_signals(void **state)
{
    (void)state;
    assert_int_equal(run("export_under_writers", NULL, NULL), 0);
    assert_int_equal(run("export_under_writers", "GEOID_CATCH_FAULTS", "0"), 0);
    assert_int_equal(run("export_under_a_handler", NULL, NULL), 42);
    assert_int_equal(run("export_under_a_handler", "GEOID_CATCH_FAULTS", "0"), 42);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            return scenarios[i].run();
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_before_initialisation_say_so),
        cmocka_unit_test(a_forked_child_can_use_the_driver),
        cmocka_unit_test(fork_in_the_middle_of_work_leaves_no_lock_behind),
        cmocka_unit_test(exit_never_hangs_or_crashes),
        cmocka_unit_test(the_affinity_mask_chooses_devices),
        cmocka_unit_test(a_mask_that_selects_nothing_is_told),
        cmocka_unit_test(a_device_without_tiles_is_the_same_in_every_hierarchy),
        cmocka_unit_test(other_switches_change_nothing_here),
        cmocka_unit_test(the_device_type_can_be_chosen),
        cmocka_unit_test(the_vendor_can_be_chosen),
        cmocka_unit_test(the_log_says_once_that_opened_events_are_snapshots),
        cmocka_unit_test(the_log_says_once_that_an_ordinal_names_no_memory),
        cmocka_unit_test(running_out_of_descriptors_is_a_result),
        cmocka_unit_test(a_move_in_the_parent_leaves_the_child_its_memory),
        cmocka_unit_test(memory_moves_whoever_handles_signals),
    };
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
