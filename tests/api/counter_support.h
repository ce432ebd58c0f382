/* Counter-based events in API tests: making them, the lists that signal them, and gates that hold
 * those lists. */
#ifndef TESTS_API_COUNTER_SUPPORT_H
#define TESTS_API_COUNTER_SUPPORT_H

#include "harness.h"

#define MOMENT UINT64_C(2000000) /* enough for what must not happen to happen now and then */

#define COUNTER_FLAGS                                                                              \
    (ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE | ZE_EVENT_COUNTER_BASED_FLAG_NON_IMMEDIATE |           \
     ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE)

static inline ze_event_handle_t counter_event(struct api *api, uint32_t flags, const void *next)
{
    ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                          .pNext = next,
                                          .flags = COUNTER_FLAGS | flags,
                                          .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event;
    assert_success(zeEventCounterBasedCreate(api->context, api->device, &desc, &event));
    return event;
}

/* Regular events of a pool of their own: what lists are held with. */
struct gates {
    ze_event_pool_handle_t pool;
    ze_event_handle_t gate[4];
};

static inline struct gates gates_open(struct api *api)
{
    struct gates gates;
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                 .count = 4};
    assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &gates.pool));
    for (uint32_t i = 0; i < 4; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        assert_success(zeEventCreate(gates.pool, &event, &gates.gate[i]));
    }
    return gates;
}

static inline void gates_close(struct gates *gates)
{
    for (uint32_t i = 0; i < 4; i++) {
        assert_success(zeEventDestroy(gates->gate[i]));
    }
    assert_success(zeEventPoolDestroy(gates->pool));
}

static inline ze_command_queue_handle_t counter_queue(struct api *api)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_queue_handle_t queue;
    assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &queue));
    return queue;
}

static inline ze_command_list_handle_t counter_regular(struct api *api)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal,
                                   .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER |
                                            ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &list));
    return list;
}

static inline ze_command_list_handle_t counter_immediate(struct api *api,
                                                         ze_command_queue_mode_t mode)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                    .mode = mode};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    return list;
}

static inline void counter_execute(ze_command_queue_handle_t queue, ze_command_list_handle_t list)
{
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
}

#endif
