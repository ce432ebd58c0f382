/* Calls of the C library that fail one after the other (harness/failing_sweep.h), while the driver
 * is initialised, while a module is built and launched, and while every kind of object is made,
 * used and taken back. With --long every call of it, those of LLVM and of the C library among them,
 * else some of those out of our own code.
 *
 *     stress_failing [--long] [--shard I/N]      the I-th of N parts, counted from 0 */
#include "failing_sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define POINTS       45
#define LARGE_POINTS 16 /* of a build of many kernels, which takes long */
#define LONG_POINTS  2000
#define ITEMS        4096

static bool is_long;

struct content {
    void *data;
    size_t bytes;
};

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t native;
static struct content one_kernel, many_kernels, object;
static uint32_t *words; /* ITEMS of them, shared memory */

static const ze_device_mem_alloc_desc_t device_desc = {.stype =
                                                           ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
static const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                   .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                                   .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};

/* Only before anything is held. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        ze_result_t try_ = (call);                                                                 \
        if (try_ != ZE_RESULT_SUCCESS) {                                                           \
            return try_;                                                                           \
        }                                                                                          \
    } while (0)

/* The first thing that went wrong. */
static ze_result_t both(ze_result_t first, ze_result_t second)
{
    return first != ZE_RESULT_SUCCESS ? first : second;
}

/* ---- initialisation ---- */

static ze_result_t do_init(void)
{
    uint32_t one = 1;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    TRY(zeInit(0));
    TRY(zeDriverGet(&one, &driver));
    TRY(zeDeviceGet(driver, &one, &device));
    return zeContextCreate(driver, &desc, &context);
}

static void undo_init(void)
{
    zeContextDestroy(context);
}

/* A driver that cannot come up is left out, and there is no other. */
static bool init_accepts(ze_result_t result)
{
    return result == ZE_RESULT_ERROR_UNINITIALIZED;
}

/* INI-7 */
static void initialisation_survives_failing_calls(void **state)
{
    (void)state;
    struct failing_sweep sweep = {
        .name = "init", .run = do_init, .undo = undo_init, .accepts = init_accepts, .once = true};
    for (int call = FAILING_MAPPING; call < FAILING_CALLS; call++) {
        failing_sweep(&sweep, (enum failing_call)call);
    }
    sweep.ours = !is_long;
    assert_true(failing_sweep(&sweep, FAILING_ALLOCATION) > 0);
}

/* ---- what is there for the rest ---- */

static struct content file_read(const char *path)
{
    struct content content = {.data = malloc(1 << 20)};
    char full[4096];
    const char *build = getenv("GEOID_BUILD_DIR");
    snprintf(full, sizeof(full), "%s/%s", build ? build : ".", path);
    FILE *file = fopen(full, "rb");
    if (file && content.data) {
        content.bytes = fread(content.data, 1, 1 << 20, file);
        fclose(file);
    }
    return content;
}

static ze_result_t module_make(ze_module_format_t format, const struct content *content,
                               ze_module_handle_t *module)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = format,
                             .inputSize = content->bytes,
                             .pInputModule = content->data};
    return zeModuleCreate(context, device, &desc, module, NULL);
}

/* Launches the kernel "ids" on a list of its own, and looks at what it wrote. */
static ze_result_t list_launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel)
{
    const ze_group_count_t groups = {ITEMS / 64, 1, 1};
    TRY(zeKernelSetGroupSize(kernel, 64, 1, 1));
    TRY(zeKernelSetArgumentValue(kernel, 0, sizeof(words), &words));
    memset(words, 0xff, ITEMS * sizeof(*words));
    TRY(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    TRY(zeCommandListHostSynchronize(list, UINT64_MAX));
    for (uint32_t i = 0; i < ITEMS; i++) {
        if (words[i] != i) {
            return ZE_RESULT_ERROR_UNKNOWN;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t kernel_launch(ze_module_handle_t module)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "ids"};
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    TRY(zeKernelCreate(module, &desc, &kernel));
    ze_result_t result = zeCommandListCreateImmediate(context, device, &queue_desc, &list);
    if (result == ZE_RESULT_SUCCESS) {
        result = list_launch(list, kernel);
        result = both(result, zeCommandListDestroy(list));
    }
    return both(result, zeKernelDestroy(kernel));
}

static ze_result_t build_and_launch(const struct content *content)
{
    ze_module_handle_t module;
    TRY(module_make(ZE_MODULE_FORMAT_IL_SPIRV, content, &module));
    ze_result_t result = kernel_launch(module);
    return both(result, zeModuleDestroy(module));
}

static ze_result_t do_build(void)
{
    return build_and_launch(&one_kernel);
}

static ze_result_t do_large_build(void)
{
    return build_and_launch(&many_kernels);
}

static int setup(void **state)
{
    const char *text = "";
    (void)state;
    one_kernel = file_read("tests/ids.spv");
    many_kernels = file_read("tests/api_basic.spv");
    object = file_read("tests/fixtures/native_module.o");
    if (do_init() || module_make(ZE_MODULE_FORMAT_NATIVE, &object, &native) ||
        zeMemAllocShared(context, &device_desc, &host_desc, ITEMS * sizeof(*words), 0, device,
                         (void **)&words) ||
        do_build()) {
        (void)zeDriverGetLastErrorDescription(driver, &text);
        print_error("%s\n", text);
        return 1;
    }
    return 0;
}

/* ---- a build and a launch ---- */

/* MOD-6, VAL-12 */
static void a_build_and_a_launch_survive_failing_calls(void **state)
{
    (void)state;
    struct failing_sweep sweep = {.name = "build and launch", .run = do_build, .abandons = true};
    for (int call = FAILING_MAPPING; call < FAILING_CALLS; call++) {
        failing_sweep(&sweep, (enum failing_call)call);
    }
    sweep.ours = !is_long;
    sweep.points = is_long ? 0 : POINTS;
    assert_true(failing_sweep(&sweep, FAILING_ALLOCATION) > POINTS);
}

/* What was kept is found, or built; what is built may be kept. */
static void a_module_that_was_built_survives_failing_calls(void **state)
{
    char folder[] = "/tmp/geoid-failing-XXXXXX", command[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("GEOID_CACHE_DIR", folder, 1);
    setenv("GEOID_CACHE_SIZE", "100", 1);
    assert_int_equal(do_build(), ZE_RESULT_SUCCESS);
    struct failing_sweep sweep = {
        .name = "module that was built", .run = do_build, .abandons = true};
    for (int call = 0; call < FAILING_CALLS; call++) {
        sweep.ours = call == FAILING_ALLOCATION && !is_long;
        assert_true(failing_sweep(&sweep, (enum failing_call)call) > 0 || call == FAILING_THREAD ||
                    call == FAILING_MEMFD);
    }
    setenv("GEOID_CACHE_SIZE", "off", 1);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* What one kernel does not need: barriers, constants, attributes. All calls of it take hours. */
static void a_build_of_many_kernels_survives_failing_calls(void **state)
{
    (void)state;
    struct failing_sweep sweep = {.name = "build of many kernels",
                                  .run = do_large_build,
                                  .abandons = true,
                                  .ours = !is_long,
                                  .points = is_long ? LONG_POINTS : LARGE_POINTS};
    assert_true(failing_sweep(&sweep, FAILING_ALLOCATION) > LARGE_POINTS);
}

/* ---- objects ---- */

static ze_result_t do_context(void)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t made;
    TRY(zeContextCreate(driver, &desc, &made));
    return zeContextDestroy(made);
}

static ze_result_t do_queue(void)
{
    ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t queue;
    ze_fence_handle_t fence;
    TRY(zeCommandQueueCreate(context, device, &queue_desc, &queue));
    ze_result_t result = zeFenceCreate(queue, &fence_desc, &fence);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeFenceDestroy(fence);
    }
    return both(result, zeCommandQueueDestroy(queue));
}

static ze_result_t pool_make(ze_event_pool_flags_t flags, ze_event_pool_handle_t *pool)
{
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = flags | ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                 .count = 40};
    return zeEventPoolCreate(context, &desc, 0, NULL, pool);
}

static ze_result_t do_events(void)
{
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 7};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    TRY(pool_make(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, &pool));
    ze_result_t result = zeEventCreate(pool, &desc, &event);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeEventDestroy(event);
    }
    return both(result, zeEventPoolDestroy(pool));
}

static ze_result_t do_shared_pool(void)
{
    ze_event_pool_handle_t pool, opened;
    ze_ipc_event_pool_handle_t handle;
    TRY(pool_make(ZE_EVENT_POOL_FLAG_IPC, &pool));
    ze_result_t result = zeEventPoolGetIpcHandle(pool, &handle);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeEventPoolOpenIpcHandle(context, handle, &opened);
        if (result == ZE_RESULT_SUCCESS) {
            result = zeEventPoolCloseIpcHandle(opened);
        }
        result = both(result, zeEventPoolPutIpcHandle(context, handle));
    }
    return both(result, zeEventPoolDestroy(pool));
}

static ze_result_t memory_use(void *memory, size_t bytes)
{
    ze_ipc_mem_handle_t handle;
    void *opened;
    memset(memory, 0x5a, bytes);
    TRY(zeMemGetIpcHandle(context, memory, &handle));
    ze_result_t result = zeMemOpenIpcHandle(context, device, handle, 0, &opened);
    if (result == ZE_RESULT_SUCCESS) {
        if (((uint8_t *)opened)[bytes - 1] != 0x5a) {
            result = ZE_RESULT_ERROR_UNKNOWN;
        }
        result = both(result, zeMemCloseIpcHandle(context, opened));
    }
    return both(result, zeMemPutIpcHandle(context, handle));
}

static ze_result_t memory_share(size_t bytes)
{
    void *memory;
    TRY(zeMemAllocDevice(context, &device_desc, bytes, 0, device, &memory));
    ze_result_t result = memory_use(memory, bytes);
    return both(result, zeMemFree(context, memory));
}

static ze_result_t do_small_memory(void)
{
    return memory_share(1000);
}

static ze_result_t do_large_memory(void)
{
    return memory_share(5 << 20);
}

static ze_result_t range_map(void *range, size_t page, ze_physical_mem_handle_t physical)
{
    TRY(zeVirtualMemMap(context, range, 2 * page, physical, 0,
                        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    *(uint32_t *)range = 1;
    ze_result_t result =
        zeVirtualMemSetAccessAttribute(context, range, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY);
    return both(result, zeVirtualMemUnmap(context, range, 2 * page));
}

static ze_result_t do_virtual(void)
{
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    ze_physical_mem_handle_t physical;
    size_t page;
    void *range;
    TRY(zeVirtualMemQueryPageSize(context, device, 4096, &page));
    desc.size = 2 * page;
    TRY(zeVirtualMemReserve(context, NULL, 2 * page, &range));
    ze_result_t result = zePhysicalMemCreate(context, device, &desc, &physical);
    if (result == ZE_RESULT_SUCCESS) {
        result = range_map(range, page, physical);
        result = both(result, zePhysicalMemDestroy(context, physical));
    }
    return both(result, zeVirtualMemFree(context, range, 2 * page));
}

static ze_result_t do_native(void)
{
    ze_module_handle_t module;
    TRY(module_make(ZE_MODULE_FORMAT_NATIVE, &object, &module));
    ze_result_t result = kernel_launch(module);
    return both(result, zeModuleDestroy(module));
}

/* ---- commands ---- */

static ze_result_t counter_make(ze_event_counter_based_flags_t flags, ze_event_handle_t *event)
{
    ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                          .flags = flags};
    return zeEventCounterBasedCreate(context, device, &desc, event);
}

static void host_count(void *data)
{
    ++*(uint32_t *)data;
}

/* One command of each kind. */
static ze_result_t commands_append(ze_command_list_handle_t list, ze_event_handle_t event,
                                   uint32_t *calls)
{
    const uint32_t pattern = 77;
    const ze_copy_region_t region = {0, 0, 0, 64, 4, 1};
    TRY(zeCommandListAppendMemoryFill(list, words, &pattern, 4, 1024, event, 0, NULL));
    TRY(zeCommandListAppendMemoryCopy(list, words + 1024, words, 1024, event, 1, &event));
    TRY(zeCommandListAppendMemoryCopyRegion(list, words + 2048, &region, 64, 0, words, &region, 64,
                                            0, NULL, 1, &event));
    TRY(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    return zeCommandListAppendHostFunction(list, host_count, calls, NULL, NULL, 0, NULL);
}

static ze_result_t commands_judge(uint32_t calls, uint32_t wanted)
{
    return calls == wanted && words[0] == 77 && words[1024] == 77 && words[2048] == 77
               ? ZE_RESULT_SUCCESS
               : ZE_RESULT_ERROR_UNKNOWN;
}

static ze_result_t immediate_use(ze_event_handle_t event)
{
    ze_command_list_handle_t list;
    uint32_t calls = 0;
    TRY(zeCommandListCreateImmediate(context, device, &queue_desc, &list));
    memset(words, 0, ITEMS * sizeof(*words));
    ze_result_t result = commands_append(list, event, &calls);
    ze_result_t waited = zeCommandListHostSynchronize(list, UINT64_MAX);
    result = both(result, both(waited, zeCommandListDestroy(list)));
    return result == ZE_RESULT_SUCCESS ? commands_judge(calls, 1) : result;
}

static ze_result_t with_event(ze_event_counter_based_flags_t flags,
                              ze_result_t (*use)(ze_event_handle_t event))
{
    ze_event_handle_t event;
    TRY(counter_make(flags, &event));
    ze_result_t result = use(event);
    return both(result, zeEventDestroy(event));
}

static ze_result_t do_immediate(void)
{
    return with_event(ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
                          ZE_EVENT_COUNTER_BASED_FLAG_DEVICE_TIMESTAMP,
                      immediate_use);
}

static ze_result_t regular_execute(ze_command_list_handle_t list, ze_event_handle_t event)
{
    ze_command_list_handle_t lists[] = {list, list};
    ze_command_queue_handle_t queue;
    uint32_t calls = 0;
    TRY(commands_append(list, event, &calls));
    TRY(zeCommandListClose(list));
    TRY(zeCommandQueueCreate(context, device, &queue_desc, &queue));
    memset(words, 0, ITEMS * sizeof(*words));
    ze_result_t result = zeCommandQueueExecuteCommandLists(queue, 2, lists, NULL);
    ze_result_t waited = zeCommandQueueSynchronize(queue, UINT64_MAX);
    result = both(result, both(waited, zeCommandQueueDestroy(queue)));
    if (result != ZE_RESULT_SUCCESS) {
        return calls == 0 ? result : ZE_RESULT_ERROR_UNKNOWN; /* none, or all */
    }
    return commands_judge(calls, 2);
}

/* The same through an immediate list. */
static ze_result_t nested_execute(ze_command_list_handle_t list, ze_event_handle_t event)
{
    ze_command_list_handle_t lists[] = {list, list};
    ze_command_list_handle_t immediate;
    uint32_t calls = 0;
    TRY(commands_append(list, event, &calls));
    TRY(zeCommandListClose(list));
    TRY(zeCommandListCreateImmediate(context, device, &queue_desc, &immediate));
    memset(words, 0, ITEMS * sizeof(*words));
    ze_result_t result =
        zeCommandListImmediateAppendCommandListsExp(immediate, 2, lists, event, 0, NULL);
    ze_result_t waited = zeCommandListHostSynchronize(immediate, UINT64_MAX);
    result = both(result, both(waited, zeCommandListDestroy(immediate)));
    if (result != ZE_RESULT_SUCCESS) {
        return calls == 0 ? result : ZE_RESULT_ERROR_UNKNOWN;
    }
    return commands_judge(calls, 2);
}

static ze_result_t closed_use(ze_event_handle_t event,
                              ze_result_t (*execute)(ze_command_list_handle_t list,
                                                     ze_event_handle_t event))
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER};
    ze_command_list_handle_t list;
    TRY(zeCommandListCreate(context, device, &desc, &list));
    ze_result_t result = execute(list, event);
    return both(result, zeCommandListDestroy(list));
}

static ze_result_t regular_use(ze_event_handle_t event)
{
    return closed_use(event, regular_execute);
}

static ze_result_t nested_use(ze_event_handle_t event)
{
    return closed_use(event, nested_execute);
}

static ze_result_t do_regular(void)
{
    return with_event(ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE, regular_use);
}

static ze_result_t do_nested(void)
{
    return with_event(ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE |
                          ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE,
                      nested_use);
}

static ze_result_t ipc_use(ze_event_handle_t event)
{
    ze_ipc_event_counter_based_handle_t handle;
    ze_event_handle_t opened;
    TRY(immediate_use(event));
    TRY(zeEventCounterBasedGetIpcHandle(event, &handle));
    TRY(zeEventCounterBasedOpenIpcHandle(context, handle, &opened));
    ze_result_t result = zeEventHostSynchronize(opened, UINT64_MAX);
    return both(result, zeEventCounterBasedCloseIpcHandle(opened));
}

static ze_result_t do_shared_counter(void)
{
    return with_event(ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_IPC,
                      ipc_use);
}

/* What a receiver cannot open it answers as if there were none. */
static bool open_accepts(ze_result_t result)
{
    return result == ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/* MEM-16, VAL-12 */
static void objects_and_commands_survive_failing_calls(void **state)
{
    (void)state;
    static const struct failing_sweep sweeps[] = {
        {.name = "context", .run = do_context},
        {.name = "queue and fence", .run = do_queue},
        {.name = "events", .run = do_events},
        {.name = "shared event pool", .run = do_shared_pool, .accepts = open_accepts},
        {.name = "small memory", .run = do_small_memory, .accepts = open_accepts},
        {.name = "large memory", .run = do_large_memory, .accepts = open_accepts},
        {.name = "virtual memory", .run = do_virtual},
        {.name = "native module", .run = do_native},
        {.name = "immediate list", .run = do_immediate},
        {.name = "regular lists", .run = do_regular},
        {.name = "lists in a list", .run = do_nested},
        {.name = "shared counter", .run = do_shared_counter, .accepts = open_accepts},
    };
    long calls = 0;
    for (size_t i = 0; i < sizeof(sweeps) / sizeof(sweeps[0]); i++) {
        for (int call = 0; call < FAILING_CALLS; call++) {
            calls += failing_sweep(&sweeps[i], (enum failing_call)call);
        }
    }
    assert_true(calls > 0);
}

/* "I/N" */
static bool shard_read(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10), of = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    bool good = *end == '\0' && of > 0 && number >= 0 && number < of;
    failing_sweep_share(good ? number : 0, good ? of : 1);
    return good;
}

int main(int argc, char **argv)
{
    bool good = true;
    for (int i = 1; i < argc && good; i++) {
        if (strcmp(argv[i], "--long") == 0) {
            is_long = true;
        } else {
            good = strcmp(argv[i], "--shard") == 0 && i + 1 < argc && shard_read(argv[++i]);
        }
    }
    if (!good) {
        fprintf(stderr, "usage: stress_failing [--long] [--shard I/N]\n");
        return 2;
    }
    const struct CMUnitTest untouched[] = {
        cmocka_unit_test(initialisation_survives_failing_calls),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_and_a_launch_survive_failing_calls),
        cmocka_unit_test(a_module_that_was_built_survives_failing_calls),
        cmocka_unit_test(a_build_of_many_kernels_survives_failing_calls),
        cmocka_unit_test(objects_and_commands_survive_failing_calls),
    };
    int failed = cmocka_run_group_tests_name("failing calls: init", untouched, NULL, NULL);
    failed += cmocka_run_group_tests_name("failing calls", tests, setup, NULL);
    printf("failing calls: %ld tried, %ld wrong\n", failing_sweep_tried(), failing_sweep_wrong());
    return failed;
}
