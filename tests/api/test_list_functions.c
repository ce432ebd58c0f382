/* API test of the functions that append to command lists, or take one: every function that the
 * registry names waits for its events, signals its own, and refuses a wrong kind or state of list.
 * Nothing is measured in time: what has to be late is held back by an event until the test lets it
 * go. */
#include "list_functions_support.h"
#include "mutable_support.h"

struct pair {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event[2];
};

static struct pair pair_open(struct api *api)
{
    struct pair pair;
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                                          ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                                 .count = 2};
    assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &pair.pool));
    for (uint32_t i = 0; i < 2; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        assert_success(zeEventCreate(pair.pool, &event, &pair.event[i]));
    }
    return pair;
}

static void pair_close(struct pair *pair)
{
    assert_success(zeEventDestroy(pair->event[0]));
    assert_success(zeEventDestroy(pair->event[1]));
    assert_success(zeEventPoolDestroy(pair->pool));
}

static ze_command_queue_handle_t queue_open(struct api *api)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_queue_handle_t queue;
    assert_success(zeCommandQueueCreate(api->context, api->device, &desc, &queue));
    return queue;
}

/* One function, in a list of its own: event 1 comes after event 0. */
static void function_waits_and_signals(struct things *things, const char *name, list_fn call)
{
    struct pair pair = pair_open(things->api);
    struct api_list list = api_list_create(things->api);
    things->list = list.list;
    things->event = pair.event[1];
    must_succeed(name, call(things, pair.event[1], 1, pair.event));
    if (list.queue) {
        assert_success(zeCommandListClose(list.list));
        assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL));
    }
    if (zeEventHostSynchronize(pair.event[1], WHILE_NS) != ZE_RESULT_NOT_READY) {
        fail_msg("%s did not wait", name);
    }
    assert_success(zeEventHostSignal(pair.event[0]));
    assert_success(zeEventHostSynchronize(pair.event[1], UINT64_MAX));
    api_list_destroy(&list);
    pair_close(&pair);
}

/* CPY-7, SYN-5, SYN-6, KRN-6 */
static void every_append_waits_for_its_events_and_signals_its_own(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    struct things things;
    size_t run = 0;
    things_open(api, module, &things);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const struct list_function *function = &list_functions[i];
        if (function->waits && has_function(&things, function) &&
            (api->immediate || function->refusal == ZE_RESULT_SUCCESS)) {
            function_each(&things, function, function_waits_and_signals);
            run++;
        }
    }
    assert_true(run > 20);
    things_close(&things);
    assert_success(zeModuleDestroy(module));
}

/* GEN-25 */
static void a_wait_count_without_a_list_is_refused_everywhere(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    struct things things;
    struct api_list list = api_list_create(api);
    size_t asked = 0;
    things_open(api, module, &things);
    things.list = list.list;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const struct list_function *function = &list_functions[i];
        if (!function->waits || !has_function(&things, function)) {
            continue;
        }
        const ze_result_t result = function->call(&things, NULL, 1, NULL);
        if (result != ZE_RESULT_ERROR_INVALID_SIZE) {
            fail_msg("%s takes a count of 1 without events: 0x%x", function->name, result);
        }
        asked++;
    }
    assert_true(asked > 20);
    api_list_run(api, &list);
    api_list_destroy(&list);
    things_close(&things);
    assert_success(zeModuleDestroy(module));
}

static ze_command_list_handle_t regular_list(struct api *api)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &list));
    return list;
}

static void functions_of_immediate_lists_refuse_regular_ones_everywhere(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    struct things things;
    size_t asked = 0;
    things_open(api, module, &things);
    things.list = regular_list(api);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const struct list_function *function = &list_functions[i];
        if (function->refusal == ZE_RESULT_SUCCESS || !has_function(&things, function)) {
            continue;
        }
        const ze_result_t result = function->call(&things, NULL, 0, NULL);
        if (result != function->refusal) {
            fail_msg("%s answers 0x%x for a regular list", function->name, result);
        }
        asked++;
    }
    assert_true(asked >= 9);
    assert_success(zeCommandListDestroy(things.list));
    things_close(&things);
    assert_success(zeModuleDestroy(module));
}

static void function_refuses_a_closed_list(struct things *things, const char *name, list_fn call)
{
    const ze_result_t result = call(things, NULL, 0, NULL);
    if (result != ZE_RESULT_ERROR_INVALID_ARGUMENT) {
        fail_msg("%s answers 0x%x for a closed list", name, result);
    }
}

static void closed_lists_take_nothing_everywhere(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    struct things things;
    size_t asked = 0;
    things_open(api, module, &things);
    things.list = things.closed;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const struct list_function *function = &list_functions[i];
        if (function->waits && function->refusal == ZE_RESULT_SUCCESS &&
            has_function(&things, function)) {
            function_each(&things, function, function_refuses_a_closed_list);
            asked++;
        }
    }
    assert_true(asked > 20);
    things_close(&things);
    assert_success(zeModuleDestroy(module));
}

/* One command of a mutable list: it is given another event to wait for, and one to signal. */
static void function_gets_other_events(struct things *things, const char *name, list_fn call)
{
    struct api *api = things->api;
    struct pair old = pair_open(api), new = pair_open(api);
    ze_command_queue_handle_t queue = queue_open(api);
    things->list = mutable_list(api, 0);
    things->event = old.event[1];
    uint64_t id = mutable_id(things->list, SIGNAL | WAITS);
    must_succeed(name, call(things, old.event[1], 1, old.event));
    assert_success(zeCommandListClose(things->list));
    must_succeed(name,
                 zeCommandListUpdateMutableCommandSignalEventExp(things->list, id, new.event[1]));
    must_succeed(name,
                 zeCommandListUpdateMutableCommandWaitEventsExp(things->list, id, 1, new.event));
    assert_success(zeCommandListClose(things->list));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &things->list, NULL));
    assert_success(zeEventHostSignal(old.event[0]));
    if (zeEventHostSynchronize(new.event[1], WHILE_NS) != ZE_RESULT_NOT_READY) {
        fail_msg("%s waits for the event that it had first", name);
    }
    assert_success(zeEventHostSignal(new.event[0]));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_success(zeEventQueryStatus(new.event[1]));
    assert_result(zeEventQueryStatus(old.event[1]), ZE_RESULT_NOT_READY);
    assert_success(zeCommandListDestroy(things->list));
    assert_success(zeCommandQueueDestroy(queue));
    pair_close(&old);
    pair_close(&new);
}

/* A graph is several commands in a regular list, and an id is of one. */
static void events_of_every_command_change(void **state)
{
    struct api *api = *state;
    ze_module_handle_t module = api_native_module(api);
    struct things things;
    size_t asked = 0;
    things_open(api, module, &things);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const struct list_function *function = &list_functions[i];
        const bool graph = strcmp(function->name, "zeCommandListAppendGraphExt") == 0;
        if (function->waits && function->refusal == ZE_RESULT_SUCCESS && !graph &&
            has_function(&things, function)) {
            function_each(&things, function, function_gets_other_events);
            asked++;
        }
    }
    assert_true(asked > 20);
    things_close(&things);
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_LIST_CASE(every_append_waits_for_its_events_and_signals_its_own),
    API_LIST_CASE(a_wait_count_without_a_list_is_refused_everywhere),
    API_CASE(functions_of_immediate_lists_refuse_regular_ones_everywhere),
    API_CASE(closed_lists_take_nothing_everywhere),
    API_CASE(events_of_every_command_change),
};

API_MAIN("list_functions", cases)
