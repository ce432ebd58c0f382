/* Threads that use everything at once: lists of both kinds, events between them, fences, memory,
 * kernels. Every case checks what it computed; the thread sanitizer checks how. */
#include "harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

struct worker {
    struct api *api;
    pthread_t thread;
    uint32_t index;
    ze_result_t result;
    uint32_t errors;
    void *shared;
};

#define TRY(worker, call)                                                                          \
    do {                                                                                           \
        ze_result_t result_ = (call);                                                              \
        if (result_ != ZE_RESULT_SUCCESS) {                                                        \
            (worker)->result = result_;                                                            \
            return NULL;                                                                           \
        }                                                                                          \
    } while (0)

static void run_threads(struct api *api, uint32_t count, void *(*main)(void *), void *shared)
{
    struct worker workers[16];
    for (uint32_t i = 0; i < count; i++) {
        workers[i] = (struct worker){.api = api, .index = i, .shared = shared};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, main, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_success(workers[i].result);
        assert_int_equal(workers[i].errors, 0);
    }
}

static ze_result_t immediate_create(struct api *api, ze_command_queue_mode_t mode,
                                    ze_command_queue_flags_t flags, ze_command_list_handle_t *list)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .flags = flags,
                                    .mode = mode};
    return zeCommandListCreateImmediate(api->context, api->device, &desc, list);
}

static void host_count(void *data)
{
    atomic_fetch_add((_Atomic uint32_t *)data, 1);
}

/* ---- independent threads ---- */

enum { INDEPENDENT_ROUNDS = 150 };

/* Memory, fills, copies, launches and waits of every kind; nothing shared but the driver. */
static void *independent_main(void *argument)
{
    struct worker *worker = argument;
    struct api *api = worker->api;
    ze_device_mem_alloc_desc_t device_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_command_list_handle_t list;
    TRY(worker, zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    TRY(worker, zeEventCreate(pool, &event_desc, &event));
    TRY(worker, immediate_create(api,
                                 worker->index % 2 ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                                   : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                 0, &list));
    for (uint32_t round = 0; round < INDEPENDENT_ROUNDS; round++) {
        size_t words = 16 + round * 977 % 40000;
        uint32_t *a, *b, pattern = round * 16 + worker->index;
        TRY(worker, zeMemAllocShared(api->context, &device_desc, &host_desc, words * 4, 0,
                                     api->device, (void **)&a));
        TRY(worker, zeMemAllocHost(api->context, &host_desc, words * 4, 0, (void **)&b));
        TRY(worker, zeCommandListAppendMemoryFill(list, a, &pattern, 4, words * 4, NULL, 0, NULL));
        TRY(worker, zeCommandListAppendBarrier(list, NULL, 0, NULL));
        TRY(worker, zeCommandListAppendMemoryCopy(list, b, a, words * 4, event, 0, NULL));
        switch (round % 4) {
        case 0:
            TRY(worker, zeEventHostSynchronize(event, UINT64_MAX));
            break;
        case 1:
            TRY(worker, zeCommandListHostSynchronize(list, UINT64_MAX));
            break;
        case 2:
            TRY(worker, zeEventHostSynchronize(event, 60 * SECOND));
            break;
        default:
            while (zeEventQueryStatus(event) == ZE_RESULT_NOT_READY) {
                sched_yield();
            }
        }
        if (api->executes && (b[0] != pattern || b[words - 1] != pattern)) {
            worker->errors++;
        }
        TRY(worker, zeEventHostReset(event));
        TRY(worker, zeCommandListHostSynchronize(list, UINT64_MAX));
        TRY(worker, zeMemFree(api->context, a));
        TRY(worker, zeMemFree(api->context, b));
    }
    TRY(worker, zeCommandListDestroy(list));
    TRY(worker, zeEventDestroy(event));
    TRY(worker, zeEventPoolDestroy(pool));
    return NULL;
}

/* GEN-13, GEN-16, GEN-27, CTX-2 */
static void threads_with_their_own_objects_do_not_meet(void **state)
{
    run_threads(*state, 6, independent_main, NULL);
}

/* ---- a ring of threads ---- */

enum { RING = 5, RING_STEPS = 120 };

struct ring {
    ze_event_pool_handle_t pool;
    ze_event_handle_t events[RING_STEPS][RING];
    _Atomic uint32_t order; /* steps finished, in the order that events dictate */
    _Atomic uint32_t wrong;
};

struct ring_step {
    struct ring *ring;
    uint32_t number;
};

static void ring_check(void *data)
{
    struct ring_step *step = data;
    if (atomic_fetch_add(&step->ring->order, 1) != step->number) {
        atomic_fetch_add(&step->ring->wrong, 1);
    }
}

/* Each thread's k-th command waits for its left neighbour's and is waited for by the right one's.
 */
static void *ring_main(void *argument)
{
    struct worker *worker = argument;
    struct ring *ring = worker->shared;
    static struct ring_step steps[RING_STEPS][RING];
    ze_command_list_handle_t list;
    TRY(worker, immediate_create(worker->api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                 worker->index % 2 ? ZE_COMMAND_QUEUE_FLAG_IN_ORDER : 0, &list));
    for (uint32_t k = 0; k < RING_STEPS; k++) {
        uint32_t number = k * RING + worker->index;
        ze_event_handle_t before = NULL;
        if (number > 0) {
            before = ring->events[(number - 1) / RING][(number - 1) % RING];
        }
        steps[k][worker->index] = (struct ring_step){ring, number};
        TRY(worker, zeCommandListAppendHostFunction(list, ring_check, &steps[k][worker->index],
                                                    NULL, ring->events[k][worker->index],
                                                    before ? 1 : 0, before ? &before : NULL));
    }
    TRY(worker, zeCommandListHostSynchronize(list, worker->index % 3 ? UINT64_MAX : 120 * SECOND));
    TRY(worker, zeCommandListDestroy(list));
    return NULL;
}

/* SYN-5, SYN-6, CMQ-3 */
static void commands_of_many_lists_run_in_the_order_of_their_events(void **state)
{
    struct api *api = *state;
    static struct ring ring;
    memset(&ring, 0, sizeof(ring));
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = RING * RING_STEPS};
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &ring.pool));
    for (uint32_t i = 0; i < RING * RING_STEPS; i++) {
        ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        assert_success(zeEventCreate(ring.pool, &desc, &ring.events[i / RING][i % RING]));
    }
    run_threads(api, RING, ring_main, &ring);
    assert_int_equal(ring.order, RING * RING_STEPS);
    assert_int_equal(ring.wrong, 0);
    for (uint32_t i = 0; i < RING * RING_STEPS; i++) {
        assert_success(zeEventDestroy(ring.events[i / RING][i % RING]));
    }
    assert_success(zeEventPoolDestroy(ring.pool));
}

/* ---- one queue, many threads ---- */

enum { QUEUE_ROUNDS = 200 };

struct queue_share {
    ze_command_queue_handle_t queue;
    _Atomic uint32_t count;
};

static void *queue_main(void *argument)
{
    struct worker *worker = argument;
    struct queue_share *share = worker->shared;
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = worker->api->ordinal};
    ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_list_handle_t list;
    ze_fence_handle_t fence;
    TRY(worker, zeCommandListCreate(worker->api->context, worker->api->device, &desc, &list));
    TRY(worker, zeFenceCreate(share->queue, &fence_desc, &fence));
    for (int round = 0; round < QUEUE_ROUNDS; round++) {
        for (int i = 0; i <= round % 3; i++) {
            TRY(worker, zeCommandListAppendHostFunction(list, host_count, &share->count, NULL, NULL,
                                                        0, NULL));
        }
        TRY(worker, zeCommandListClose(list));
        TRY(worker, zeCommandQueueExecuteCommandLists(share->queue, 1, &list, fence));
        TRY(worker, zeFenceHostSynchronize(fence, round % 2 ? UINT64_MAX : 60 * SECOND));
        TRY(worker, zeFenceReset(fence));
        TRY(worker, zeCommandListReset(list));
    }
    TRY(worker, zeFenceDestroy(fence));
    TRY(worker, zeCommandListDestroy(list));
    return NULL;
}

/* CMQ-7, GEN-17, SYN-1 */
static void threads_share_a_queue_with_fences_of_their_own(void **state)
{
    struct api *api = *state;
    struct queue_share share = {0};
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &share.queue));
    run_threads(api, 5, queue_main, &share);
    uint32_t expected = 0;
    for (int round = 0; round < QUEUE_ROUNDS; round++) {
        expected += (uint32_t)(round % 3) + 1;
    }
    assert_int_equal(share.count, 5 * expected);
    assert_success(zeCommandQueueDestroy(share.queue));
}

/* ---- kernels from many threads ---- */

static void *kernels_main(void *argument)
{
    struct worker *worker = argument;
    struct api *api = worker->api;
    ze_module_handle_t module = worker->shared;
    ze_kernel_desc_t kernel_desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "ids"};
    ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    uint32_t *out;
    enum { ITEMS = 64 * 257 };
    TRY(worker, zeKernelCreate(module, &kernel_desc, &kernel));
    TRY(worker, zeMemAllocHost(api->context, &host_desc, ITEMS * 4, 0, (void **)&out));
    TRY(worker, zeKernelSetGroupSize(kernel, 64, 1, 1));
    TRY(worker, zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    TRY(worker, immediate_create(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                 ZE_COMMAND_QUEUE_FLAG_IN_ORDER, &list));
    for (uint32_t round = 0; round < 60; round++) {
        ze_group_count_t groups = {round % 2 ? 257 : 1, 1, 1};
        memset(out, 0xff, ITEMS * 4);
        TRY(worker, zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
        TRY(worker, zeCommandListHostSynchronize(list, round % 3 ? UINT64_MAX : 60 * SECOND));
        uint32_t last = groups.groupCountX * 64 - 1;
        if (api->executes && (out[0] != 0 || out[last] != last || out[last / 2] != last / 2)) {
            worker->errors++;
        }
    }
    TRY(worker, zeCommandListDestroy(list));
    TRY(worker, zeKernelDestroy(kernel));
    TRY(worker, zeMemFree(api->context, out));
    return NULL;
}

/* KRN-6, GEN-13 */
static void threads_launch_kernels_of_one_module(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    run_threads(api, 6, kernels_main, module);
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_CASE(threads_with_their_own_objects_do_not_meet),
    API_CASE(commands_of_many_lists_run_in_the_order_of_their_events),
    API_CASE(threads_share_a_queue_with_fences_of_their_own),
    API_CASE(threads_launch_kernels_of_one_module),
};

API_MAIN("stress", cases)
