/* API test of order: what starts after what, between the commands of a list, the lists of a
 * submission, and events. Nothing is measured in time: what has to be late is held back by an event
 * until the test lets it go. */
#include "harness.h"

#include <stdatomic.h>

#define WHILE_NS UINT64_C(10000000) /* for which what is held back is looked at */

struct gates {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event[2];
};

static struct gates gates_open(struct api *api)
{
    struct gates gates;
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                                          ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                                 .count = 2};
    assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &gates.pool));
    for (uint32_t i = 0; i < 2; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        assert_success(zeEventCreate(gates.pool, &event, &gates.event[i]));
    }
    return gates;
}

static void gates_close(struct gates *gates)
{
    assert_success(zeEventDestroy(gates->event[0]));
    assert_success(zeEventDestroy(gates->event[1]));
    assert_success(zeEventPoolDestroy(gates->pool));
}

/* ---- what ran, in its order ---- */

#define NOTES 16u

struct journal {
    _Atomic uint32_t used;
    uint32_t entry[NOTES];
};

struct note {
    struct journal *journal;
    uint32_t value;
};

static void note_write(void *data)
{
    struct note *note = data;
    uint32_t place = atomic_fetch_add(&note->journal->used, 1);
    if (place < NOTES) {
        note->journal->entry[place] = note->value;
    }
}

static void note_append(ze_command_list_handle_t list, struct note *note)
{
    assert_success(zeCommandListAppendHostFunction(list, note_write, note, NULL, NULL, 0, NULL));
}

static void journal_expect(const struct journal *journal, const uint32_t *order, uint32_t count)
{
    assert_int_equal(journal->used, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(journal->entry[i], order[i]);
    }
}

static void queue_submit(struct api_list *list)
{
    if (list->queue) {
        assert_success(zeCommandListClose(list->list));
        assert_success(zeCommandQueueExecuteCommandLists(list->queue, 1, &list->list, NULL));
    }
}

/* CMQ-14, SYN-12 */
static void commands_start_in_the_order_of_their_appends(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    struct api_list list = api_list_create(api);
    struct journal journal = {0};
    struct note notes[NOTES];
    uint32_t order[NOTES];
    assert_success(zeCommandListAppendWaitOnEvents(list.list, 1, gates.event));
    for (uint32_t i = 0; i < NOTES; i++) {
        notes[i] = (struct note){&journal, i};
        order[i] = i;
        note_append(list.list, &notes[i]);
    }
    queue_submit(&list);
    assert_success(zeEventHostSignal(gates.event[0]));
    assert_success(list.queue ? zeCommandQueueSynchronize(list.queue, UINT64_MAX)
                              : zeCommandListHostSynchronize(list.list, UINT64_MAX));
    journal_expect(&journal, order, NOTES);
    api_list_destroy(&list);
    gates_close(&gates);
}

/* A closed list that notes the value; with `gate` after it has waited for that. */
static ze_command_list_handle_t list_of_note(struct api *api, struct note *note,
                                             ze_event_handle_t *gate, ze_event_handle_t done)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &list));
    if (gate) {
        assert_success(zeCommandListAppendWaitOnEvents(list, 1, gate));
    }
    note_append(list, note);
    if (done) {
        assert_success(zeCommandListAppendSignalEvent(list, done));
    }
    assert_success(zeCommandListClose(list));
    return list;
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

/* CMQ-3, CMQ-14, CMQ-16 */
static void lists_of_one_submission_start_in_the_order_given(void **state)
{
    struct api *api = *state;
    static const uint32_t orders[][4] = {{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 2, 0, 1}};
    ze_command_queue_handle_t queue = queue_open(api);
    ze_command_list_handle_t lists[4];
    struct journal journal;
    struct note notes[4];
    for (uint32_t i = 0; i < 4; i++) {
        notes[i] = (struct note){&journal, i};
        lists[i] = list_of_note(api, &notes[i], NULL, NULL);
    }
    for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++) {
        ze_command_list_handle_t given[4];
        memset(&journal, 0, sizeof(journal));
        for (uint32_t i = 0; i < 4; i++) {
            given[i] = lists[orders[o][i]];
        }
        assert_success(zeCommandQueueExecuteCommandLists(queue, 4, given, NULL));
        assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
        journal_expect(&journal, orders[o], 4);
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_success(zeCommandListDestroy(lists[i]));
    }
    assert_success(zeCommandQueueDestroy(queue));
}

/* SYN-1, SYN-2, SYN-4, CMQ-9 */
static void a_fence_waits_for_the_last_list_of_its_submission(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    ze_command_queue_handle_t queue = queue_open(api);
    ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence;
    struct journal journal = {0};
    struct note notes[2] = {{&journal, 0}, {&journal, 1}};
    ze_command_list_handle_t lists[2] = {list_of_note(api, &notes[0], NULL, gates.event[1]),
                                         list_of_note(api, &notes[1], &gates.event[0], NULL)};
    assert_success(zeFenceCreate(queue, &desc, &fence));
    assert_success(zeCommandQueueExecuteCommandLists(queue, 2, lists, fence));
    assert_success(zeEventHostSynchronize(gates.event[1], UINT64_MAX)); /* the first is done */
    assert_result(zeFenceHostSynchronize(fence, WHILE_NS), ZE_RESULT_NOT_READY);
    assert_result(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gates.event[0]));
    assert_success(zeFenceHostSynchronize(fence, UINT64_MAX));
    assert_int_equal(journal.used, 2);
    assert_success(zeFenceQueryStatus(fence));
    assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
    assert_success(zeFenceDestroy(fence));
    assert_success(zeCommandListDestroy(lists[0]));
    assert_success(zeCommandListDestroy(lists[1]));
    assert_success(zeCommandQueueDestroy(queue));
    gates_close(&gates);
}

/* SYN-14, SYN-15, SYN-18: nothing behind a barrier starts before what it waits for */
static void barriers_hold_back_what_comes_after(void **state)
{
    struct api *api = *state;
    for (int ranges = 0; ranges < 2; ranges++) {
        struct gates gates = gates_open(api);
        struct api_list list = api_list_create(api);
        struct journal journal = {0};
        struct note note = {&journal, 0};
        uint32_t word = 0;
        const void *range = &word;
        size_t size = sizeof(word);
        assert_success(ranges ? zeCommandListAppendMemoryRangesBarrier(list.list, 1, &size, &range,
                                                                       NULL, 1, gates.event)
                              : zeCommandListAppendBarrier(list.list, NULL, 1, gates.event));
        note_append(list.list, &note);
        assert_success(zeCommandListAppendSignalEvent(list.list, gates.event[1]));
        queue_submit(&list);
        assert_result(zeEventHostSynchronize(gates.event[1], WHILE_NS), ZE_RESULT_NOT_READY);
        assert_int_equal(journal.used, 0);
        assert_success(zeEventHostSignal(gates.event[0]));
        assert_success(zeEventHostSynchronize(gates.event[1], UINT64_MAX));
        assert_int_equal(journal.used, 1);
        api_list_destroy(&list);
        gates_close(&gates);
    }
}

#define WORDS 256u

static void words_launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel, uint32_t first)
{
    const ze_group_count_t groups = {WORDS / 64, 1, 1};
    assert_success(zeKernelSetGlobalOffsetExp(kernel, first, 0, 0));
    assert_success(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    assert_success(zeCommandListAppendBarrier(list, NULL, 0, NULL));
}

/* CPY-8, SYN-14: a list that computes has one engine for all of it; no copy goes ahead on another */
static void copies_take_their_turn_among_kernels(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_native_module(api);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    uint32_t *words = api_alloc_shared(api, WORDS * sizeof(*words)), *copies[2];
    assert_success(zeKernelSetGroupSize(kernel, 64, 1, 1));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(words), &words));
    memset(words, 0, WORDS * sizeof(*words));
    assert_success(zeCommandListAppendWaitOnEvents(list.list, 1, gates.event));
    for (uint32_t i = 0; i < 2; i++) {
        copies[i] = api_alloc_shared(api, WORDS * sizeof(*words));
        memset(copies[i], 0xff, WORDS * sizeof(*words));
        words_launch(list.list, kernel, 1000 * (i + 1));
        assert_success(zeCommandListAppendMemoryCopy(list.list, copies[i], words,
                                                     WORDS * sizeof(*words), NULL, 0, NULL));
        assert_success(zeCommandListAppendBarrier(list.list, NULL, 0, NULL));
    }
    words_launch(list.list, kernel, 3000);
    queue_submit(&list);
    assert_success(zeEventHostSignal(gates.event[0]));
    assert_success(list.queue ? zeCommandQueueSynchronize(list.queue, UINT64_MAX)
                              : zeCommandListHostSynchronize(list.list, UINT64_MAX));
    for (uint32_t w = 0; w < WORDS; w++) {
        assert_int_equal(copies[0][w], 1000 + w);
        assert_int_equal(copies[1][w], 2000 + w);
        assert_int_equal(words[w], 3000 + w);
    }
    api_free(api, copies[0]);
    api_free(api, copies[1]);
    api_free(api, words);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_list_destroy(&list);
    gates_close(&gates);
}

static const struct api_case cases[] = {
    API_LIST_CASE(commands_start_in_the_order_of_their_appends),
    API_CASE(lists_of_one_submission_start_in_the_order_given),
    API_CASE(a_fence_waits_for_the_last_list_of_its_submission),
    API_LIST_CASE(barriers_hold_back_what_comes_after),
    API_RUN_CASE(copies_take_their_turn_among_kernels),
};

API_MAIN("order", cases)
