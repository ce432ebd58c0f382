/* What peers of shared events do to those who share them: they may write anything into the shared
 * page. Here the peer is a second mapping of it, found by what is in an IPC handle. Whatever it
 * writes, nothing dies, and what was signalled is seen. */
#include "counter_support.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, PARKED = 0x10000 };

/* The head of the 64 bytes of a handle: of it only this is needed. */
struct contents {
    int32_t fd;
    uint32_t magic, kind;
    int32_t pid;
    uint64_t device, inode, offset, bytes;
};

/* A slot, as drivers of this layout have it in the page. */
struct slot {
    _Atomic uint64_t value;
    _Atomic uint32_t sleepers, flags;
    uint64_t times[4];
    _Atomic uint64_t lost_from;
    uint64_t reserved;
};

/* The page that a handle's slots lie in, mapped once more, and the first slot. */
static struct slot *slots_map(const void *handle, struct slot **first)
{
    struct contents contents;
    memcpy(&contents, handle, sizeof(contents));
    uint64_t within = contents.offset % PAGE;
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, contents.fd,
                      (off_t)(contents.offset - within));
    assert_true(page != MAP_FAILED);
    *first = (struct slot *)(void *)(page + within);
    return (struct slot *)(void *)page;
}

/* ---- events of pools ---- */

struct shared_event {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    struct slot *page, *slot; /* as the peer has them */
};

static struct shared_event event_make(struct api *api)
{
    struct shared_event shared;
    const ze_event_pool_desc_t pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                       .flags =
                                           ZE_EVENT_POOL_FLAG_IPC | ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                       .count = 1};
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_ipc_event_pool_handle_t handle;
    assert_success(zeEventPoolCreate(api->context, &pool, 0, NULL, &shared.pool));
    assert_success(zeEventCreate(shared.pool, &desc, &shared.event));
    assert_success(zeEventPoolGetIpcHandle(shared.pool, &handle));
    shared.page = slots_map(handle.data, &shared.slot);
    return shared;
}

static void event_end(struct shared_event *shared)
{
    munmap(shared->page, PAGE);
    assert_success(zeEventDestroy(shared->event));
    assert_success(zeEventPoolDestroy(shared->pool));
}

enum trick {
    SAYS_NOBODY_SLEEPS,     /* when a list waits */
    SAYS_NOTHING_IS_SHARED, /* before it does */
    SIGNALS_WITHOUT_A_WAKE, /* and says that nothing is shared */
    TRICKS,
};

/* A list that waits for an event whose slot the peer changes. In the end the event is signalled, by
 * us or by the peer. */
static void trick_play(struct api *api, enum trick trick)
{
    struct shared_event shared = event_make(api);
    ze_command_list_handle_t list = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    if (trick != SAYS_NOBODY_SLEEPS) {
        atomic_store(&shared.slot->flags, 0);
    }
    assert_success(zeCommandListAppendWaitOnEvents(list, 1, &shared.event));
    while (atomic_load(&shared.slot->sleepers) < PARKED) { /* it waits */
        sched_yield();
    }
    atomic_store(&shared.slot->sleepers, 0);
    if (trick == SIGNALS_WITHOUT_A_WAKE) {
        atomic_store(&shared.slot->value, 1);
    } else {
        assert_success(zeEventHostSignal(shared.event));
    }
    assert_success(zeCommandListHostSynchronize(list, API_PATIENCE_NS));
    assert_success(zeEventQueryStatus(shared.event));
    assert_success(zeCommandListDestroy(list));
    event_end(&shared);
}

static void what_is_signalled_is_seen_whatever_peers_say(void **state)
{
    for (int trick = 0; trick < TRICKS; trick++) {
        trick_play(*state, (enum trick)trick);
    }
}

/* ---- counters ---- */

#define IPC   ZE_EVENT_COUNTER_BASED_FLAG_IPC
#define ASYNC ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS

/* Signals an event in an immediate list, and in a regular one that runs twice. */
static void counters_run(struct api *api)
{
    ze_command_list_handle_t immediate = counter_immediate(api, ASYNC);
    ze_command_list_handle_t regular = counter_regular(api);
    ze_event_handle_t first = counter_event(api, IPC, NULL), second = counter_event(api, IPC, NULL);
    assert_success(zeCommandListAppendSignalEvent(immediate, first));
    assert_success(zeCommandListAppendSignalEvent(immediate, first));
    assert_success(zeEventHostSynchronize(first, API_PATIENCE_NS));
    assert_success(zeCommandListAppendSignalEvent(regular, second));
    assert_success(zeCommandListClose(regular));
    for (int i = 0; i < 2; i++) {
        assert_success(
            zeCommandListImmediateAppendCommandListsExp(immediate, 1, &regular, NULL, 0, NULL));
        assert_success(zeEventHostSynchronize(second, API_PATIENCE_NS));
    }
    assert_success(zeCommandListHostSynchronize(immediate, API_PATIENCE_NS));
    assert_success(zeCommandListDestroy(immediate));
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeEventDestroy(first));
    assert_success(zeEventDestroy(second));
}

/* Counters are used again: what a peer has left in one, marks of references among it, is nothing
 * that lists count on from. */
static void values_of_peers_are_not_counted_on_from(void **state)
{
    static const uint64_t values[] = {UINT64_C(1) << 63,       (UINT64_C(1) << 63) + (5 << 20),
                                      UINT64_C(1) << 62,       (UINT64_C(1) << 62) - 1,
                                      (UINT64_C(1) << 62) + 8, UINT64_MAX,
                                      UINT64_MAX - 1,          0};
    struct api *api = *state;
    ze_command_list_handle_t list = counter_immediate(api, ASYNC);
    ze_event_handle_t event = counter_event(api, IPC, NULL);
    ze_ipc_event_counter_based_handle_t handle;
    struct slot *slot;
    assert_success(zeCommandListAppendSignalEvent(list, event));
    assert_success(zeCommandListHostSynchronize(list, API_PATIENCE_NS));
    assert_success(zeEventCounterBasedGetIpcHandle(event, &handle));
    struct slot *page = slots_map(handle.data, &slot);
    assert_success(zeCommandListDestroy(list));
    assert_success(zeEventDestroy(event));
    counters_run(api);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        for (size_t k = 0; k < PAGE / sizeof(*page); k++) {
            atomic_store(&page[k].value, values[i]);
        }
        counters_run(api);
    }
    munmap(page, PAGE);
}

/* A recorded wait may outlive the event, the list that signalled it, and what the counter counted
 * for them: it is complete for ever. */
static void a_recorded_wait_outlives_a_shared_counter(void **state)
{
    struct api *api = *state;
    ze_command_list_handle_t list = counter_immediate(api, ASYNC), waits = counter_regular(api);
    ze_event_handle_t event = counter_event(api, IPC, NULL);
    for (int i = 0; i < 3; i++) {
        assert_success(zeCommandListAppendSignalEvent(list, event));
    }
    assert_success(zeCommandListHostSynchronize(list, API_PATIENCE_NS));
    assert_success(zeCommandListAppendWaitOnEvents(waits, 1, &event));
    assert_success(zeCommandListClose(waits));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeEventDestroy(event));
    list = counter_immediate(api, ASYNC); /* gets the same counter */
    event = counter_event(api, IPC, NULL);
    assert_success(zeCommandListAppendSignalEvent(list, event));
    assert_success(zeCommandListHostSynchronize(list, API_PATIENCE_NS));
    ze_command_queue_handle_t queue = counter_queue(api);
    assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &waits, NULL));
    assert_success(zeCommandQueueSynchronize(queue, API_PATIENCE_NS));
    assert_success(zeCommandQueueDestroy(queue));
    assert_success(zeCommandListDestroy(waits));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeEventDestroy(event));
}

/* ---- everything else ---- */

/* Anything may be answered of an event that peers change, in time. */
static void any_contents_of_a_slot_are_answered(void **state)
{
    struct api *api = *state;
    struct shared_event shared = event_make(api);
    uint64_t words[8];
    unsigned seed = 1;
    for (int i = 0; i < 3000; i++) {
        for (int k = 0; k < 8; k++) {
            words[k] = (uint64_t)rand_r(&seed) << (rand_r(&seed) % 40);
        }
        memcpy((void *)shared.slot, words, sizeof(words));
        ze_kernel_timestamp_result_t times;
        ze_result_t status = zeEventQueryStatus(shared.event);
        assert_true(status == ZE_RESULT_SUCCESS || status == ZE_RESULT_NOT_READY ||
                    status == ZE_RESULT_ERROR_DEVICE_LOST);
        (void)zeEventHostSynchronize(shared.event, 1000);
        (void)zeEventQueryKernelTimestamp(shared.event, &times);
        assert_success(zeEventHostSignal(shared.event));
        assert_success(zeEventHostReset(shared.event));
        assert_result(zeEventQueryStatus(shared.event), ZE_RESULT_NOT_READY);
    }
    event_end(&shared);
}

static const struct api_case cases[] = {
    API_CASE(what_is_signalled_is_seen_whatever_peers_say),
    API_CASE(values_of_peers_are_not_counted_on_from),
    API_CASE(a_recorded_wait_outlives_a_shared_counter),
    API_CASE(any_contents_of_a_slot_are_answered),
};

API_MAIN("ipc_slots", cases)
