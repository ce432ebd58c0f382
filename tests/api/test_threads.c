/* API test of several threads: what is blocked holds up nobody else, what each sees of the other's
 * memory, how long handles live. */
#include "harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

/* ---- a call that does not return ---- */

struct blocked {
    struct api *api;
    _Atomic bool entered, leave;
    ze_result_t result;
};

/* Runs inside the append of a synchronous list, on the thread that called it. */
static void wait_to_leave(void *data)
{
    struct blocked *blocked = data;
    atomic_store(&blocked->entered, true);
    while (!atomic_load(&blocked->leave)) {
        sched_yield();
    }
}

static void *blocked_main(void *data)
{
    struct blocked *blocked = data;
    struct api *api = blocked->api;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    blocked->result = zeCommandListCreateImmediate(api->context, api->device, &desc, &list);
    if (blocked->result == ZE_RESULT_SUCCESS) {
        blocked->result =
            zeCommandListAppendHostFunction(list, wait_to_leave, blocked, NULL, NULL, 0, NULL);
        zeCommandListDestroy(list);
    }
    return NULL;
}

/* Calls of all kinds, on other handles than the blocked one. */
static void others_work(struct api *api, ze_event_handle_t event)
{
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    uint32_t *memory = api_alloc_shared(api, 4096);
    ze_group_count_t groups = {1, 1, 1};
    uint64_t host, device;
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(memory), &memory));
    assert_success(zeCommandListAppendMemoryFill(list.list, memory, "x", 1, 4096, NULL, 0, NULL));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, event, 0, NULL));
    api_list_run(api, &list);
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventHostSynchronize(event, UINT64_MAX));
    assert_success(zeEventHostReset(event));
    assert_success(zeDeviceGetProperties(api->device, &properties));
    assert_success(zeDeviceGetGlobalTimestamps(api->device, &host, &device));
    assert_success(zeContextGetStatus(api->context));
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_list_destroy(&list);
    api_free(api, memory);
}

static void nothing(void *data)
{
    (void)data;
}

/* Skips the case where the loader lacks the function, which a thread of its own could not. */
static void host_functions_needed(struct api *api)
{
    struct api_list list = api_list_create(api);
    assert_success(zeCommandListAppendHostFunction(list.list, nothing, NULL, NULL, NULL, 0, NULL));
    api_list_run(api, &list);
    api_list_destroy(&list);
}

/* GEN-13, GEN-27: a lock that all calls take would never be free again */
static void a_blocked_launch_holds_up_no_other_call(void **state)
{
    struct api *api = *state;
    struct blocked blocked = {.api = api};
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    pthread_t thread;
    host_functions_needed(api);
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &event));
    assert_int_equal(pthread_create(&thread, NULL, blocked_main, &blocked), 0);
    while (!atomic_load(&blocked.entered)) {
        sched_yield();
    }
    others_work(api, event);
    atomic_store(&blocked.leave, true);
    pthread_join(thread, NULL);
    assert_success(blocked.result);
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolDestroy(pool));
}

/* ---- memory ---- */

/* On a processor of its own, if there are two: side by side is where it shows. */
static void processor_take(int self)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof(all), &all) != 0 || CPU_COUNT(&all) < 2) {
        return;
    }
    for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all) && seen++ == self) {
            CPU_SET(cpu, &one);
        }
    }
    sched_setaffinity(0, sizeof(one), &one);
}

#define CELLS          128
#define ROUNDS         2000
#define LITMUS_SECONDS 5

/* Two threads go through the cells side by side: each writes its own and, after a system barrier,
 * reads the other's. Without one both may read a cell as it was before, because processors let
 * reads pass writes. Where others want the processors the two are seldom side by side, a meeting
 * takes a time slice and shows nothing: then it is left at fewer rounds. */
struct litmus {
    struct api *api;
    _Atomic uint32_t cell[2][CELLS][16]; /* a cache line each */
    uint32_t seen[2][CELLS];
    _Alignas(64) _Atomic uint32_t step[2]; /* how far each has come */
    _Atomic uint32_t failed;
    struct timespec start;
    _Atomic bool stop; /* the first decides before a round's last meeting */
};

static void meet(struct litmus *litmus, int self, uint32_t *step)
{
    atomic_store_explicit(&litmus->step[self], ++*step, memory_order_release);
    for (uint32_t spins = 1; /* differences, not order: the other may be ahead by one */
         (int32_t)(atomic_load_explicit(&litmus->step[!self], memory_order_acquire) - *step) < 0;
         spins++) {
        if (spins % 1000 == 0) {
            sched_yield();
        }
    }
}

static void cells_cross(struct litmus *litmus, int self, uint32_t *step)
{
    struct api *api = litmus->api;
    for (int i = 0; i < CELLS; i++) {
        meet(litmus, self, step);
        atomic_store_explicit(&litmus->cell[self][i][0], 1, memory_order_relaxed);
        if (zeContextSystemBarrier(api->context, api->device) != ZE_RESULT_SUCCESS) {
            atomic_store(&litmus->failed, 1);
        }
        litmus->seen[self][i] =
            atomic_load_explicit(&litmus->cell[!self][i][0], memory_order_relaxed);
    }
}

static bool litmus_is_long(const struct litmus *litmus)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec - litmus->start.tv_sec > LITMUS_SECONDS;
}

static void litmus_run(struct litmus *litmus, int self)
{
    uint32_t step = 0;
    for (int round = 0; round < ROUNDS && !atomic_load(&litmus->stop); round++) {
        uint32_t sum = 0;
        meet(litmus, self, &step);
        for (int i = 0; i < CELLS; i++) { /* both caches have all cells */
            sum += litmus->cell[0][i][0] + litmus->cell[1][i][0];
        }
        atomic_fetch_or(&litmus->failed, sum);
        cells_cross(litmus, self, &step);
        if (self == 0) {
            atomic_store(&litmus->stop, litmus_is_long(litmus));
        }
        meet(litmus, self, &step);
        for (int i = 0; i < CELLS && self == 0; i++) {
            if (!litmus->seen[0][i] && !litmus->seen[1][i]) {
                atomic_store(&litmus->failed, 2);
            }
            atomic_store(&litmus->cell[0][i][0], 0);
            atomic_store(&litmus->cell[1][i][0], 0);
        }
    }
}

static void *litmus_first(void *data)
{
    processor_take(0);
    litmus_run(data, 0);
    return NULL;
}

static void *litmus_second(void *data)
{
    processor_take(1);
    litmus_run(data, 1);
    return NULL;
}

/* SYN-16 */
static void a_system_barrier_orders_reads_after_writes(void **state)
{
    static struct litmus litmus;
    pthread_t threads[2];
    memset(&litmus, 0, sizeof(litmus));
    litmus.api = *state;
    clock_gettime(CLOCK_MONOTONIC, &litmus.start);
    assert_int_equal(pthread_create(&threads[0], NULL, litmus_first, &litmus), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, litmus_second, &litmus), 0);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert_int_equal(litmus.failed, 0);
    assert_result(zeContextSystemBarrier(NULL, litmus.api->device),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

/* ---- one allocation, several parties ---- */

#define LINE  64
#define LINES 4
#define LAPS  1000000

struct party {
    volatile uint8_t *bytes;
    struct api_list *list;
    _Atomic bool stop;
    _Atomic uint32_t laps, lost;
    ze_result_t result;
};

/* Counts in the bytes that are the host's, the odd ones, and looks whether somebody else wrote. */
static void *party_main(void *data)
{
    struct party *party = data;
    uint8_t value = 0;
    processor_take(1);
    while (!atomic_load_explicit(&party->stop, memory_order_relaxed)) {
        for (int i = 1; i < LINE * LINES; i += 2) {
            if (party->bytes[i] != value) {
                atomic_fetch_add(&party->lost, 1);
            }
            party->bytes[i] = (uint8_t)(value + 1);
        }
        value++;
        atomic_fetch_add(&party->laps, 1);
    }
    return NULL;
}

/* Runs the list until the host has been around often enough. */
static void *sweeps_main(void *data)
{
    struct party *party = data;
    struct api_list *list = party->list;
    processor_take(0);
    do { /* once at least, however late this thread comes */
        party->result = zeCommandQueueExecuteCommandLists(list->queue, 1, &list->list, NULL);
        if (party->result == ZE_RESULT_SUCCESS) {
            party->result = zeCommandQueueSynchronize(list->queue, UINT64_MAX);
        }
    } while (party->result == ZE_RESULT_SUCCESS && atomic_load(&party->laps) < LAPS);
    atomic_store(&party->stop, true);
    return NULL;
}

/* MEM-9: disjoint bytes of one allocation belong to different parties, at the same time */
static void host_and_device_write_neighbouring_bytes_at_once(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint8_t *bytes = api_alloc_shared(api, LINE * LINES), *from = api_alloc_shared(api, LINE);
    struct party party = {.bytes = bytes, .list = &list};
    pthread_t threads[2];
    memset(bytes, 0, LINE * LINES);
    memset(from, 7, LINE);
    for (int i = 0; i < LINE * LINES; i += 2) {
        uint8_t pattern = (uint8_t)i;
        assert_success(
            i % 4
                ? zeCommandListAppendMemoryFill(list.list, bytes + i, &pattern, 1, 1, NULL, 0, NULL)
                : zeCommandListAppendMemoryCopy(list.list, bytes + i, from, 1, NULL, 0, NULL));
    }
    assert_success(zeCommandListClose(list.list));
    assert_int_equal(pthread_create(&threads[0], NULL, sweeps_main, &party), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, party_main, &party), 0);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert_success(party.result);
    assert_int_equal(party.lost, 0);
    for (int i = 0; i < LINE * LINES; i += 2) {
        assert_int_equal(bytes[i], i % 4 ? i & 0xff : 7);
    }
    api_list_destroy(&list);
    api_free(api, bytes);
    api_free(api, from);
}

/* ---- lists and threads ---- */

struct part {
    ze_command_list_handle_t list;
    uint8_t *memory;
    ze_result_t result;
};

static void *part_append(void *data)
{
    struct part *part = data;
    part->result =
        zeCommandListAppendMemoryFill(part->list, part->memory, "x", 1, 64, NULL, 0, NULL);
    return NULL;
}

/* CMQ-13, CMQ-23, GEN-27: built by several threads in turn, before there is a queue */
static void a_list_passes_from_thread_to_thread(void **state)
{
    struct api *api = *state;
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal};
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = api->ordinal};
    ze_command_queue_handle_t queue;
    struct part part = {.memory = api_alloc_shared(api, 3 * 64)};
    memset(part.memory, 0, 3 * 64);
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &part.list));
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, part_append, &part), 0);
        pthread_join(thread, NULL);
        assert_success(part.result);
        part.memory += 64;
    }
    part.memory -= 3 * 64;
    assert_success(zeCommandListClose(part.list));
    assert_success(zeCommandQueueCreate(api->context, api->device, &queue_desc, &queue));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &part.list, NULL));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    for (int i = 0; i < 3 * 64 && api->executes; i++) {
        assert_int_equal(part.memory[i], 'x');
    }
    assert_success(zeCommandListDestroy(part.list));
    assert_success(zeCommandQueueDestroy(queue));
    api_free(api, part.memory);
}

/* ---- lifetime ---- */

/* GEN-15: a handle ends when the application says so, not before, and nothing ends with it */
static void a_handle_lives_until_its_own_destroy_call(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t first = api_kernel(module, "ids"), second = api_kernel(module, "ids");
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 2};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_flags_t flags;
    uint32_t names = 0;
    /* what is made twice is two objects */
    assert_ptr_not_equal(first, second);
    assert_success(zeKernelDestroy(first));
    assert_success(zeKernelSetGroupSize(second, 2, 1, 1));
    /* children that go take no parent with them */
    assert_success(zeKernelDestroy(second));
    assert_success(zeModuleGetKernelNames(module, &names, NULL));
    assert_true(names > 0);
    assert_success(zeModuleDestroy(module));
    assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &event));
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolGetFlags(pool, &flags));
    /* a destroyed handle is dead, also while something of the driver's still needs the object */
    assert_success(zeEventCreate(pool, &event_desc, &event));
    assert_success(zeEventPoolDestroy(pool));
    assert_result(zeEventPoolGetFlags(pool, &flags), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeEventPoolDestroy(pool), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeEventHostSignal(event));
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventDestroy(event));
}

static const struct api_case cases[] = {
    API_LIST_CASE(a_blocked_launch_holds_up_no_other_call),
    API_CASE(a_system_barrier_orders_reads_after_writes),
    {"host_and_device_write_neighbouring_bytes_at_once",
     host_and_device_write_neighbouring_bytes_at_once, API_EXECUTES},
    API_CASE(a_list_passes_from_thread_to_thread),
    API_CASE(a_handle_lives_until_its_own_destroy_call),
};

API_MAIN("threads", cases)
