/* Who waits for an event waits for the event, not for the work that is thought to signal it; and
 * several threads may wait for one object. */
#include "harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)

static ze_command_list_handle_t immediate_open(struct api *api)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
    return list;
}

static ze_event_pool_handle_t pool_open(struct api *api, uint32_t count, ze_event_handle_t *events)
{
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                 .count = count};
    ze_event_pool_handle_t pool;
    assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &pool));
    for (uint32_t i = 0; i < count; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        assert_success(zeEventCreate(pool, &event, &events[i]));
    }
    return pool;
}

/* ---- events that others signal ---- */

/* A thread in a wait without bound, which somebody ends. */
struct waiter {
    pthread_t thread;
    ze_event_handle_t event;
    _Atomic bool entered;
    ze_result_t result;
};

static void *waiter_main(void *argument)
{
    struct waiter *waiter = argument;
    atomic_store(&waiter->entered, true);
    waiter->result = zeEventHostSynchronize(waiter->event, UINT64_MAX);
    return NULL;
}

/* Comes back when the thread is most likely inside its wait; nothing depends on it. */
static void waiter_start(struct waiter *waiter, ze_event_handle_t event)
{
    struct timespec moment = {.tv_nsec = 20000000};
    *waiter = (struct waiter){.event = event, .result = ZE_RESULT_ERROR_UNKNOWN};
    assert_int_equal(pthread_create(&waiter->thread, NULL, waiter_main, waiter), 0);
    while (!atomic_load(&waiter->entered)) {
        nanosleep(&moment, NULL);
    }
    nanosleep(&moment, NULL);
}

/* Whether the wait has come back; so long a patience ends only where it never does. */
static bool waiter_returns(struct waiter *waiter)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 30;
    return pthread_timedjoin_np(waiter->thread, NULL, &end) == 0;
}

enum { PRODUCED, BLOCKER, EVENT_COUNT };

/* Appended last to a list that goes on later, the event is signalled by somebody else meanwhile. */
static void signalled_by(struct api *api, void (*signal)(struct api *, ze_event_handle_t))
{
    ze_event_handle_t events[EVENT_COUNT];
    ze_event_pool_handle_t pool = pool_open(api, EVENT_COUNT, events);
    ze_command_list_handle_t list = immediate_open(api);
    struct waiter waiter;
    assert_success(zeCommandListAppendBarrier(list, events[PRODUCED], 1, &events[BLOCKER]));
    waiter_start(&waiter, events[PRODUCED]);
    signal(api, events[PRODUCED]);
    bool returned = waiter_returns(&waiter);
    assert_success(zeEventHostSignal(events[BLOCKER]));
    if (!returned) {
        pthread_join(waiter.thread, NULL);
    }
    assert_true(returned);
    assert_success(waiter.result);
    assert_success(zeCommandListHostSynchronize(list, UINT64_MAX));
    assert_success(zeCommandListDestroy(list));
    for (uint32_t i = 0; i < EVENT_COUNT; i++) {
        assert_success(zeEventDestroy(events[i]));
    }
    assert_success(zeEventPoolDestroy(pool));
}

static void host_signals(struct api *api, ze_event_handle_t event)
{
    (void)api;
    assert_success(zeEventHostSignal(event));
}

/* Which also makes the other list the event's producer while the thread waits. */
static void list_signals(struct api *api, ze_event_handle_t event)
{
    ze_command_list_handle_t list = immediate_open(api);
    assert_success(zeCommandListAppendSignalEvent(list, event));
    assert_success(zeCommandListHostSynchronize(list, UINT64_MAX));
    assert_success(zeCommandListDestroy(list));
}

/* SYN-5, SYN-6 */
static void a_wait_ends_when_the_host_signals_before_the_list(void **state)
{
    signalled_by(*state, host_signals);
}

/* SYN-5, SYN-6 */
static void a_wait_ends_when_another_list_signals_first(void **state)
{
    signalled_by(*state, list_signals);
}

/* ---- one list, several threads ---- */

enum { POOLS = 80, THREADS = 4, ROUNDS = 200 };

struct crowd {
    ze_command_list_handle_t list;
    _Atomic uint32_t round; /* threads spin for it, to come together */
    _Atomic uint32_t done, failed;
};

static void *crowd_main(void *argument)
{
    struct crowd *crowd = argument;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        while (atomic_load(&crowd->round) < round) {
            sched_yield();
        }
        if (zeCommandListHostSynchronize(crowd->list, UINT64_MAX) != ZE_RESULT_SUCCESS) {
            atomic_fetch_add(&crowd->failed, 1);
        }
        atomic_fetch_add(&crowd->done, 1);
    }
    return NULL;
}

/* Commands that keep many objects alive are let go of by nobody who only waits. An event holds the
 * list until it has all of them. GEN-13, CMQ-13 */
static void several_threads_wait_for_one_list(void **state)
{
    struct api *api = *state;
    struct crowd crowd = {.list = immediate_open(api)};
    ze_event_pool_handle_t pools[POOLS];
    ze_event_handle_t events[POOLS], gate;
    ze_event_pool_handle_t gates = pool_open(api, 1, &gate);
    pthread_t threads[THREADS];
    for (uint32_t i = 0; i < POOLS; i++) {
        pools[i] = pool_open(api, 1, &events[i]);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, crowd_main, &crowd), 0);
    }
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        assert_success(zeEventHostReset(gate));
        assert_success(zeCommandListAppendWaitOnEvents(crowd.list, 1, &gate));
        for (uint32_t i = 0; i < POOLS; i++) {
            assert_success(zeEventHostReset(events[i]));
            assert_success(zeCommandListAppendSignalEvent(crowd.list, events[i]));
        }
        assert_success(zeEventHostSignal(gate));
        assert_success(zeEventHostSynchronize(events[POOLS - 1], UINT64_MAX));
        atomic_store(&crowd.round, round);
        while (atomic_load(&crowd.done) < round * THREADS) {
            sched_yield();
        }
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(crowd.failed, 0);
    assert_success(zeCommandListDestroy(crowd.list));
    assert_success(zeEventDestroy(gate));
    assert_success(zeEventPoolDestroy(gates));
    for (uint32_t i = 0; i < POOLS; i++) {
        assert_success(zeEventDestroy(events[i]));
        assert_success(zeEventPoolDestroy(pools[i]));
    }
}

static const struct api_case cases[] = {
    API_CASE(a_wait_ends_when_the_host_signals_before_the_list),
    API_CASE(a_wait_ends_when_another_list_signals_first),
    API_CASE(several_threads_wait_for_one_list),
};

API_MAIN("wait", cases)
