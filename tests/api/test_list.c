/* API test of command queues and command lists: creation, state, submission, order. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static ze_command_queue_handle_t queue_open(struct api *api, uint32_t ordinal,
                                            ze_command_queue_mode_t mode)
{
    ze_command_queue_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal, .mode = mode};
    ze_command_queue_handle_t queue = NULL;
    assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &queue));
    return queue;
}

static ze_command_list_handle_t list_open(struct api *api, uint32_t ordinal,
                                          ze_command_list_flags_t flags)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = ordinal,
                                   .flags = flags};
    ze_command_list_handle_t list = NULL;
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &list));
    return list;
}

static void host_count(void *data)
{
    atomic_fetch_add((_Atomic uint32_t *)data, 1);
}

static void host_append(ze_command_list_handle_t list, _Atomic uint32_t *counter)
{
    assert_success(zeCommandListAppendHostFunction(list, host_count, counter, NULL, NULL, 0, NULL));
}

static uint32_t group_count(struct api *api)
{
    uint32_t count = 0;
    assert_success(zeDeviceGetCommandQueueGroupProperties(api->device, &count, NULL));
    return count;
}

static void group_properties(struct api *api, uint32_t ordinal,
                             ze_command_queue_group_properties_t *properties)
{
    ze_command_queue_group_properties_t all[8];
    uint32_t count = 8;
    memset(all, 0, sizeof(all));
    for (int i = 0; i < 8; i++) {
        all[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    }
    assert_success(zeDeviceGetCommandQueueGroupProperties(api->device, &count, all));
    assert_true(ordinal < count);
    *properties = all[ordinal];
}

/* ---- creation ---- */

/* CMQ-1, CMQ-2, CMQ-4, CMQ-12 */
static void every_group_and_index_has_queues_and_lists(void **state)
{
    struct api *api = *state;
    uint32_t groups = group_count(api);
    for (uint32_t ordinal = 0; ordinal < groups; ordinal++) {
        ze_command_queue_group_properties_t properties;
        group_properties(api, ordinal, &properties);
        assert_true(properties.numQueues >= 1 && properties.numQueues <= 4);
        for (uint32_t index = 0; index < properties.numQueues; index++) {
            ze_command_queue_desc_t desc = {
                .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal, .index = index};
            ze_command_queue_handle_t queues[3];
            for (int i = 0; i < 3; i++) { /* several queues of one index */
                uint32_t value = UINT32_MAX;
                assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &queues[i]));
                assert_success(zeCommandQueueGetOrdinal(queues[i], &value));
                assert_int_equal(value, ordinal);
                assert_success(zeCommandQueueGetIndex(queues[i], &value));
                assert_int_equal(value, index);
            }
            for (int i = 0; i < 3; i++) {
                assert_success(zeCommandQueueDestroy(queues[i]));
            }
        }
        ze_command_list_handle_t list = list_open(api, ordinal, 0);
        uint32_t value = UINT32_MAX;
        assert_success(zeCommandListGetOrdinal(list, &value));
        assert_int_equal(value, ordinal);
        assert_success(zeCommandListDestroy(list));
    }
}

/* VAL-7, CMQ-2, CMQ-9 */
static void bad_descriptors_are_refused(void **state)
{
    struct api *api = *state;
    ze_command_queue_desc_t good = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal};
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_command_queue_desc_t bad = good;
    bad.flags = 1u << 20;
    assert_result(zeCommandQueueCreate(api->context, api->device, &bad, &queue),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeCommandListCreateImmediate(api->context, api->device, &bad, &list),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    bad = good;
    bad.mode = (ze_command_queue_mode_t)3;
    assert_result(zeCommandQueueCreate(api->context, api->device, &bad, &queue),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    bad = good;
    bad.priority = (ze_command_queue_priority_t)3;
    assert_result(zeCommandQueueCreate(api->context, api->device, &bad, &queue),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    bad = good;
    bad.ordinal = group_count(api);
    assert_result(zeCommandQueueCreate(api->context, api->device, &bad, &queue),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    bad = good;
    bad.index = 1000;
    assert_result(zeCommandListCreateImmediate(api->context, api->device, &bad, &list),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandQueueCreate(api->context, api->device, NULL, &queue),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeCommandQueueCreate(api->context, api->device, &good, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = group_count(api)};
    assert_result(zeCommandListCreate(api->context, api->device, &desc, &list),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.commandQueueGroupOrdinal = 0;
    desc.flags = 1u << 20;
    assert_result(zeCommandListCreate(api->context, api->device, &desc, &list),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

/* CMQ-9, CMQ-20 */
static void getters_return_what_was_asked_for(void **state)
{
    struct api *api = *state;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                    .priority = ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH};
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_command_queue_flags_t flags = 0;
    ze_command_queue_mode_t mode = ZE_COMMAND_QUEUE_MODE_DEFAULT;
    ze_command_queue_priority_t priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
    assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &queue));
    assert_success(zeCommandQueueGetFlags(queue, &flags));
    assert_success(zeCommandQueueGetMode(queue, &mode));
    assert_success(zeCommandQueueGetPriority(queue, &priority));
    assert_int_equal(flags, desc.flags);
    assert_int_equal(mode, desc.mode);
    assert_int_equal(priority, desc.priority);
    assert_success(zeCommandQueueDestroy(queue));

    ze_bool_t immediate = 0;
    ze_device_handle_t device = NULL;
    ze_context_handle_t context = NULL;
    uint32_t index = 9;
    flags = 0;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    assert_success(zeCommandListIsImmediate(list, &immediate));
    assert_success(zeCommandListGetDeviceHandle(list, &device));
    assert_success(zeCommandListGetContextHandle(list, &context));
    assert_success(zeCommandListImmediateGetIndex(list, &index));
    assert_success(zeCommandListImmediateGetFlags(list, &flags));
    assert_success(zeCommandListImmediateGetMode(list, &mode));
    assert_success(zeCommandListImmediateGetPriority(list, &priority));
    assert_true(immediate);
    assert_ptr_equal(device, api->device);
    assert_ptr_equal(context, api->context);
    assert_int_equal(index, 0);
    assert_int_equal(flags, desc.flags);
    assert_success(zeCommandListDestroy(list));

    ze_command_list_flags_t list_flags = 0;
    list = list_open(api, api->ordinal, ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING);
    assert_success(zeCommandListIsImmediate(list, &immediate));
    assert_false(immediate);
    assert_success(zeCommandListGetFlags(list, &list_flags));
    assert_int_equal(list_flags, ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING);
    assert_result(zeCommandListImmediateGetIndex(list, &index), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandListHostSynchronize(list, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeCommandListDestroy(list));
}

/* ---- submission ---- */

/* VAL-8, CMQ-8, CMQ-12, SYN-1 */
static void lists_that_do_not_fit_are_refused(void **state)
{
    struct api *api = *state;
    ze_command_queue_handle_t queue =
        queue_open(api, api->ordinal, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_queue_handle_t other_queue =
        queue_open(api, api->ordinal, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = list_open(api, api->ordinal, 0);
    ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence;
    assert_success(zeFenceCreate(other_queue, &fence_desc, &fence));
    assert_result(zeCommandQueueExecuteCommandLists(queue, 0, &list, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeCommandQueueExecuteCommandLists(queue, 1, NULL, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* open */
    assert_success(zeCommandListClose(list));
    assert_result(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_result(zeCommandListAppendBarrier(list, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* closed */
    if (group_count(api) > 1) {
        ze_command_list_handle_t copies = list_open(api, 1, 0);
        assert_success(zeCommandListClose(copies));
        assert_result(zeCommandQueueExecuteCommandLists(queue, 1, &copies, NULL),
                      ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
        assert_success(zeCommandListDestroy(copies));
    }
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_success(zeFenceDestroy(fence));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
    assert_success(zeCommandQueueDestroy(other_queue));
}

/* CMQ-6, CMQ-16, CMQ-17, CMQ-10 */
static void lists_run_in_order_and_as_often_as_wanted(void **state)
{
    struct api *api = *state;
    ze_command_queue_handle_t queue =
        queue_open(api, api->ordinal, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_queue_handle_t other =
        queue_open(api, api->ordinal, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t lists[3];
    _Atomic uint32_t count = 0;
    for (int i = 0; i < 3; i++) {
        lists[i] = list_open(api, api->ordinal, 0);
        for (int k = 0; k <= i; k++) {
            host_append(lists[i], &count);
        }
        assert_success(zeCommandListClose(lists[i]));
    }
    for (int round = 1; round <= 20; round++) {
        assert_success(zeCommandQueueExecuteCommandLists(queue, 3, lists, NULL));
    }
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_int_equal(count, 20 * 6);
    assert_success(zeCommandQueueExecuteCommandLists(other, 3, lists, NULL));
    assert_int_equal(count, 21 * 6);
    for (int i = 0; i < 3; i++) {
        assert_success(zeCommandListDestroy(lists[i]));
    }
    assert_success(zeCommandQueueDestroy(queue));
    assert_success(zeCommandQueueDestroy(other));
}

/* CMQ-9 */
static void a_synchronous_queue_returns_when_all_is_done(void **state)
{
    struct api *api = *state;
    ze_command_queue_handle_t queue =
        queue_open(api, api->ordinal, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t lists[2] = {list_open(api, api->ordinal, 0),
                                         list_open(api, api->ordinal, 0)};
    _Atomic uint32_t count = 0;
    for (int i = 0; i < 2; i++) {
        host_append(lists[i], &count);
        assert_success(zeCommandListClose(lists[i]));
    }
    for (uint32_t round = 1; round <= 50; round++) {
        assert_success(zeCommandQueueExecuteCommandLists(queue, 2, lists, NULL));
        assert_int_equal(count, round * 2);
        assert_success(zeCommandQueueSynchronize(queue, 0));
    }
    assert_success(zeCommandListDestroy(lists[0]));
    assert_success(zeCommandListDestroy(lists[1]));
    assert_success(zeCommandQueueDestroy(queue));
}

/* CMQ-20, CMQ-9 */
static void a_synchronous_immediate_list_returns_when_the_command_is_done(void **state)
{
    struct api *api = *state;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list;
    _Atomic uint32_t count = 0;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    for (uint32_t i = 1; i <= 1000; i++) {
        host_append(list, &count);
        assert_int_equal(count, i);
    }
    assert_success(zeCommandListHostSynchronize(list, 0));
    assert_success(zeCommandListDestroy(list));
}

/* CMQ-10, VAL-9 */
static void synchronising_polls_waits_for_a_time_or_for_ever(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &event));
    assert_success(zeCommandListAppendBarrier(list.list, NULL, 1, &event));
    if (list.queue) {
        assert_success(zeCommandListClose(list.list));
        assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL));
        assert_result(zeCommandQueueSynchronize(list.queue, 0), ZE_RESULT_NOT_READY);
        assert_result(zeCommandQueueSynchronize(list.queue, 3000000), ZE_RESULT_NOT_READY);
    } else {
        assert_result(zeCommandListHostSynchronize(list.list, 0), ZE_RESULT_NOT_READY);
        assert_result(zeCommandListHostSynchronize(list.list, 3000000), ZE_RESULT_NOT_READY);
    }
    assert_success(zeEventHostSignal(event));
    if (list.queue) {
        assert_success(zeCommandQueueSynchronize(list.queue, UINT64_MAX));
        assert_success(zeCommandQueueSynchronize(list.queue, 0));
    } else {
        assert_success(zeCommandListHostSynchronize(list.list, UINT64_MAX));
    }
    api_list_destroy(&list);
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolDestroy(pool));
}

/* ---- state ---- */

/* CMQ-18 */
static void reset_empties_and_opens(void **state)
{
    struct api *api = *state;
    ze_command_queue_handle_t queue =
        queue_open(api, api->ordinal, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t list = list_open(api, api->ordinal, 0);
    _Atomic uint32_t count = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 500; i++) { /* more than the first buffer holds */
            host_append(list, &count);
        }
        assert_success(zeCommandListClose(list));
        assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_int_equal(count, 500 * (round + 1));
        assert_success(zeCommandListReset(list));
    }
    host_append(list, &count);
    assert_success(zeCommandListReset(list)); /* an open one, too */
    assert_success(zeCommandListClose(list));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_int_equal(count, 1500);
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
}

/* CMQ-21 */
static void close_and_reset_of_an_immediate_list_succeed(void **state)
{
    struct api *api = *state;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal};
    ze_command_list_handle_t list;
    _Atomic uint32_t count = 0;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    host_append(list, &count);
    assert_success(zeCommandListClose(list));
    host_append(list, &count);
    assert_success(zeCommandListReset(list));
    host_append(list, &count);
    assert_success(zeCommandListHostSynchronize(list, UINT64_MAX));
    assert_int_equal(count, 3);
    assert_success(zeCommandListDestroy(list));
}

/* VAL-6, CMQ-11, CMQ-18 */
static void what_is_in_use_is_not_destroyed(void **state)
{
    struct api *api = *state;
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &event));
    struct api_list list = api_list_create(api);
    const ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence = NULL;
    assert_success(zeCommandListAppendBarrier(list.list, NULL, 1, &event));
    if (list.queue) {
        assert_success(zeFenceCreate(list.queue, &fence_desc, &fence));
        assert_success(zeCommandListClose(list.list));
        assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, fence));
        assert_result(zeFenceDestroy(fence), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        assert_result(zeCommandListReset(list.list), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        assert_result(zeCommandQueueDestroy(list.queue), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    }
    assert_result(zeCommandListDestroy(list.list), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zeEventHostSignal(event));
    assert_success(list.queue ? zeCommandQueueSynchronize(list.queue, UINT64_MAX)
                              : zeCommandListHostSynchronize(list.list, UINT64_MAX));
    if (fence) {
        assert_success(zeFenceDestroy(fence));
    }
    api_list_destroy(&list);
    assert_success(zeEventDestroy(event));
    assert_success(zeEventPoolDestroy(pool));
}

/* CMQ-19 */
static void a_clone_runs_what_the_list_ran(void **state)
{
    struct api *api = *state;
    ze_command_queue_handle_t queue =
        queue_open(api, api->ordinal, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_command_list_handle_t list =
        list_open(api, api->ordinal, ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE);
    ze_command_list_handle_t plain = list_open(api, api->ordinal, 0), clone = NULL;
    _Atomic uint32_t count = 0;
    host_append(list, &count);
    assert_result(zeCommandListCreateCloneExp(list, &clone), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeCommandListClose(list));
    assert_success(zeCommandListClose(plain));
    assert_result(zeCommandListCreateCloneExp(plain, &clone), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeCommandListCreateCloneExp(list, &clone));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &clone, NULL));
    assert_int_equal(count, 1);
    assert_success(zeCommandListDestroy(clone));
    assert_success(zeCommandListDestroy(plain));
    assert_success(zeCommandQueueDestroy(queue));
}

/* ---- lists in lists ---- */

static void closed_lists_run_through_an_immediate_list(void **state)
{
    struct api *api = *state;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 2};
    ze_event_pool_handle_t pool;
    ze_event_handle_t events[2];
    ze_command_list_handle_t outer, inner[2];
    _Atomic uint32_t count = 0;
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    for (uint32_t i = 0; i < 2; i++) {
        ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        assert_success(zeEventCreate(pool, &event_desc, &events[i]));
        inner[i] = list_open(api, api->ordinal, 0);
        host_append(inner[i], &count);
    }
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &outer));
    assert_result(zeCommandListImmediateAppendCommandListsExp(outer, 2, inner, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* open */
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandListClose(inner[i]));
    }
    assert_success(
        zeCommandListImmediateAppendCommandListsExp(outer, 2, inner, events[1], 1, &events[0]));
    assert_result(zeCommandListHostSynchronize(outer, 1000000), ZE_RESULT_NOT_READY);
    assert_int_equal(count, 0);
    assert_success(zeEventHostSignal(events[0]));
    assert_success(zeEventHostSynchronize(events[1], UINT64_MAX));
    assert_int_equal(count, 2);
    assert_success(zeCommandListImmediateAppendCommandListsWithParameters(outer, 1, inner, NULL,
                                                                          NULL, 0, NULL));
    assert_success(zeCommandListHostSynchronize(outer, UINT64_MAX));
    assert_int_equal(count, 3);
    assert_result(zeCommandListImmediateAppendCommandListsExp(inner[0], 1, inner, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandListDestroy(inner[i]));
        assert_success(zeEventDestroy(events[i]));
    }
    assert_success(zeCommandListDestroy(outer));
    assert_success(zeEventPoolDestroy(pool));
}

/* ---- threads ---- */

struct submitter {
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_result_t result;
};

static void *submitter_main(void *argument)
{
    struct submitter *submitter = argument;
    for (int i = 0; i < 500 && submitter->result == ZE_RESULT_SUCCESS; i++) {
        submitter->result =
            zeCommandQueueExecuteCommandLists(submitter->queue, 1, &submitter->list, NULL);
    }
    if (submitter->result == ZE_RESULT_SUCCESS) {
        submitter->result = zeCommandQueueSynchronize(submitter->queue, UINT64_MAX);
    }
    return NULL;
}

/* CMQ-7, GEN-17 */
static void threads_submit_to_one_queue_at_once(void **state)
{
    struct api *api = *state;
    enum { THREADS = 4 };
    ze_command_queue_handle_t queue =
        queue_open(api, api->ordinal, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    struct submitter submitters[THREADS];
    pthread_t threads[THREADS];
    _Atomic uint32_t count = 0;
    for (int i = 0; i < THREADS; i++) {
        submitters[i] = (struct submitter){queue, list_open(api, api->ordinal, 0), 0};
        host_append(submitters[i].list, &count);
        assert_success(zeCommandListClose(submitters[i].list));
        assert_int_equal(pthread_create(&threads[i], NULL, submitter_main, &submitters[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_success(submitters[i].result);
    }
    assert_int_equal(count, THREADS * 500);
    for (int i = 0; i < THREADS; i++) {
        assert_success(zeCommandListDestroy(submitters[i].list));
    }
    assert_success(zeCommandQueueDestroy(queue));
}

/* GEN-24 */
static void null_and_foreign_handles_are_refused(void **state)
{
    struct api *api = *state;
    (void)api;
    uint32_t value;
    assert_result(zeCommandListClose(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeCommandQueueSynchronize(NULL, 0), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeCommandListAppendBarrier(NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zeCommandQueueGetIndex(api_foreign_handle(), &value),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeCommandListDestroy(api_foreign_handle()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static const struct api_case cases[] = {
    API_CASE(every_group_and_index_has_queues_and_lists),
    API_CASE(bad_descriptors_are_refused),
    API_CASE(getters_return_what_was_asked_for),
    API_CASE(lists_that_do_not_fit_are_refused),
    API_CASE(lists_run_in_order_and_as_often_as_wanted),
    API_CASE(a_synchronous_queue_returns_when_all_is_done),
    API_CASE(a_synchronous_immediate_list_returns_when_the_command_is_done),
    API_LIST_CASE(synchronising_polls_waits_for_a_time_or_for_ever),
    API_CASE(reset_empties_and_opens),
    API_CASE(close_and_reset_of_an_immediate_list_succeed),
    API_LIST_CASE(what_is_in_use_is_not_destroyed),
    API_CASE(a_clone_runs_what_the_list_ran),
    API_CASE(closed_lists_run_through_an_immediate_list),
    API_CASE(threads_submit_to_one_queue_at_once),
    API_CASE(null_and_foreign_handles_are_refused),
};

API_MAIN("list", cases)
