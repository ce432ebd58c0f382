/* API test of external semaphores: what lists signal and wait for through eventfds and through
 * words of shared memory, whose other side is played here by hand, as geoid/semaphore.h says. What
 * has to be late is held back until the test lets it go. */
#include "semaphore_support.h"

/* ---- cases ---- */

/* A signal adds one, a wait takes what is there; the descriptor stays the test's. */
static void counters_are_signalled_and_taken(void **state)
{
    struct api *api = *state;
    int fd = counter_make();
    semaphore_t semaphore = imported(api, OPAQUE, fd);
    struct api_list list = api_list_create(api);
    assert_success(signal_append(list.list, semaphore, 77));
    api_list_run(api, &list);
    assert_int_equal(counter_take(fd), 1);
    counter_add(fd, 1);
    assert_success(wait_append(list.list, semaphore, 77, NULL));
    api_list_run(api, &list);
    assert_int_equal(counter_take(fd), 0);
    assert_success(signal_append(list.list, semaphore, 0)); /* its own signal, too */
    assert_success(wait_append(list.list, semaphore, 0, NULL));
    api_list_run(api, &list);
    assert_int_equal(counter_take(fd), 0);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_list_destroy(&list);
    close(fd);
}

/* More lists than there are ever workers wait for one counter; each signal lets one of them go. */
static void lists_that_wait_hold_nobody_up(void **state)
{
    enum { LISTS = 160 };
    struct api *api = *state;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    assert_true(fd >= 0);
    semaphore_t semaphore = imported(api, OPAQUE, fd);
    struct late late[LISTS];
    for (int i = 0; i < LISTS; i++) {
        late[i] = late_open(api);
        assert_success(wait_append(late[i].list.list, semaphore, 0, late[i].event));
    }
    struct api_list other = api_list_create(api);
    uint8_t *memory = api_alloc_shared(api, 4096);
    memset(memory, 0, 4096);
    assert_success(
        zeCommandListAppendMemoryFill(other.list, memory, "\x5a", 1, 4096, NULL, 0, NULL));
    api_list_run(api, &other);
    expect_late(&late[0]);
    struct late free_one = late_open(api);
    assert_success(zeCommandListAppendMemoryFill(free_one.list.list, memory, "\x5b", 1, 4096,
                                                 free_one.event, 0, NULL));
    expect_alone(&free_one);
    late_end(&free_one);
    for (int gone = 0; gone < LISTS;) {
        counter_add(fd, 1);
        int seen;
        do {
            seen = 0;
            for (int i = 0; i < LISTS; i++) {
                seen += zeEventQueryStatus(late[i].event) == ZE_RESULT_SUCCESS;
            }
        } while (seen == gone);
        assert_int_equal(seen, gone + 1);
        gone = seen;
    }
    for (int i = 0; i < LISTS; i++) {
        late_end(&late[i]);
    }
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_free(api, memory);
    api_list_destroy(&other);
    close(fd);
}

/* More descriptors than the runtime sleeps on at once, and timelines among them. */
static void many_semaphores_are_waited_for_at_once(void **state)
{
    enum { LISTS = 90 };
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    semaphore_t semaphores[LISTS];
    struct late late[LISTS];
    int fds[LISTS];
    for (int i = 0; i < LISTS; i++) {
        bool word = i % 10 == 9;
        fds[i] = word ? -1 : counter_make();
        semaphores[i] = imported(api, word ? VALUES : OPAQUE, word ? timeline.fd : fds[i]);
        late[i] = late_open(api);
        assert_success(wait_append(late[i].list.list, semaphores[i], (uint64_t)i, late[i].event));
    }
    expect_late(&late[0]);
    expect_late(&late[9]);
    word_signal(timeline.word, LISTS);
    for (int i = 9; i < LISTS; i += 10) {
        expect_alone(&late[i]);
    }
    for (int k = 0; k < LISTS; k++) {
        int i = k % 2 ? LISTS - 1 - k / 2 : k / 2; /* from both ends: which are slept on is open */
        if (fds[i] >= 0) {
            counter_add(fds[i], 1);
            expect_alone(&late[i]);
            close(fds[i]);
        }
        late_end(&late[i]);
        assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphores[i]));
    }
    timeline_end(&timeline);
}

/* A word changes while the runtime sleeps on a descriptor, and on no more than it can. */
static void words_are_seen_beside_descriptors(void **state)
{
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    int fd = counter_make();
    semaphore_t semaphores[] = {imported(api, VALUES, timeline.fd), imported(api, OPAQUE, fd)};
    struct late late[2];
    for (int i = 0; i < 2; i++) {
        late[i] = late_open(api);
        assert_success(wait_append(late[i].list.list, semaphores[i], 1, late[i].event));
        expect_late(&late[i]);
    }
    word_signal(timeline.word, 1);
    expect_alone(&late[0]);
    counter_add(fd, 1);
    expect_alone(&late[1]);
    for (int i = 0; i < 2; i++) {
        late_end(&late[i]);
        assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphores[i]));
    }
    timeline_end(&timeline);
    close(fd);
}

static void timelines_have_values(void **state)
{
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    semaphore_t semaphore = imported(api, VALUES, timeline.fd);
    struct late late = late_open(api);
    assert_success(wait_append(late.list.list, semaphore, 5, late.event));
    expect_late(&late);
    word_signal(timeline.word, 4);
    expect_late(&late);
    word_signal(timeline.word, 5);
    late_end(&late);
    assert_int_equal(timeline.word->value, 5); /* a wait takes nothing */
    assert_int_equal(timeline.word->sleepers, 0);
    struct api_list list = api_list_create(api);
    assert_success(wait_append(list.list, semaphore, 5, NULL));
    assert_success(wait_append(list.list, semaphore, 3, NULL));
    assert_success(signal_append(list.list, semaphore, UINT64_C(1) << 61));
    assert_success(wait_append(list.list, semaphore, UINT64_C(1) << 61, NULL));
    assert_success(signal_append(list.list, semaphore, 7)); /* it never goes back */
    api_list_run(api, &list);
    assert_true(timeline.word->value == UINT64_C(1) << 61);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    api_list_destroy(&list);
    timeline_end(&timeline);
}

/* One command, several semaphores of both kinds; events order it as every other command. */
static void a_command_takes_several_semaphores(void **state)
{
    struct api *api = *state;
    struct timeline timeline = timeline_make();
    int fd = counter_make();
    semaphore_t both[] = {imported(api, OPAQUE, fd), imported(api, OPAQUE, timeline.fd)};
    ze_external_semaphore_wait_params_ext_t waits[] = {
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT},
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_WAIT_PARAMS_EXT, .value = 3}};
    ze_external_semaphore_signal_params_ext_t signals[] = {
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT},
        {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT, .value = 9}};
    struct late gate = late_open(api), late = late_open(api);
    ze_command_list_handle_t list = late.list.list;
    assert_success(zeCommandListAppendWaitExternalSemaphoreExt(list, 2, both, waits, late.event, 1,
                                                               &gate.event));
    assert_success(zeCommandListAppendSignalExternalSemaphoreExt(list, 2, both, signals, NULL, 1,
                                                                 &late.event));
    assert_success(
        zeCommandListAppendWaitExternalSemaphoreExt(list, 0, both, waits, NULL, 0, NULL));
    counter_add(fd, 1);
    expect_late(&late);
    assert_int_equal(counter_take(fd), 1); /* nothing is taken before the events are there */
    assert_success(zeEventHostSignal(gate.event));
    word_signal(timeline.word, 3);
    expect_late(&late);
    counter_add(fd, 1);
    late_end(&late);
    assert_int_equal(counter_take(fd), 1);
    assert_int_equal(timeline.word->value, 9);
    late = late_open(api); /* the first is there, and taken, long before the second */
    waits[1].value = 20;
    counter_add(fd, 1);
    assert_success(zeCommandListAppendWaitExternalSemaphoreExt(late.list.list, 2, both, waits,
                                                               late.event, 0, NULL));
    struct pollfd taken = {.fd = fd, .events = POLLIN};
    while (poll(&taken, 1, 0) != 0) {
    }
    expect_late(&late);
    word_signal(timeline.word, 20);
    late_end(&late);
    late_end(&gate);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(both[0]));
    assert_success(zeDeviceReleaseExternalSemaphoreExt(both[1]));
    timeline_end(&timeline);
    close(fd);
}

/* A graph waits and signals each time that it runs. No regular list takes it. */
static void graphs_that_run_again_signal_again(void **state)
{
    struct api *api = *state;
    int fd = counter_make(), back = counter_make();
    semaphore_t there = imported(api, OPAQUE, fd), here = imported(api, OPAQUE, back);
    struct api_list list = api_list_create(api);
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = api->ordinal};
    ze_command_list_handle_t regular;
    ze_graph_handle_t graph;
    ze_executable_graph_handle_t executable;
    assert_success(zeCommandListBeginGraphCaptureExt(list.list, NULL));
    assert_success(wait_append(list.list, there, 0, NULL));
    assert_success(signal_append(list.list, here, 0));
    assert_success(zeCommandListEndGraphCaptureExt(list.list, NULL, &graph));
    assert_success(zeGraphInstantiateExt(graph, NULL, &executable));
    for (int i = 0; i < 3; i++) {
        assert_success(zeCommandListAppendGraphExt(list.list, executable, NULL, NULL, 0, NULL));
        assert_result(zeCommandListHostSynchronize(list.list, MOMENT), ZE_RESULT_NOT_READY);
        counter_add(fd, 1);
        assert_success(zeCommandListHostSynchronize(list.list, UINT64_MAX));
    }
    assert_int_equal(counter_take(back), 3);
    assert_success(zeCommandListCreate(api->context, api->device, &desc, &regular));
    assert_result(zeCommandListAppendGraphExt(regular, executable, NULL, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeCommandListDestroy(regular));
    assert_success(zeExecutableGraphDestroyExt(executable));
    assert_success(zeGraphDestroyExt(graph));
    assert_success(zeDeviceReleaseExternalSemaphoreExt(there));
    assert_success(zeDeviceReleaseExternalSemaphoreExt(here));
    api_list_destroy(&list);
    close(fd);
    close(back);
}

#define SIGNALS_OF_A_THREAD 3000

struct signaller {
    pthread_barrier_t *start;
    ze_command_list_handle_t list;
    semaphore_t semaphore;
    ze_result_t result;
};

static void *signaller_run(void *data)
{
    struct signaller *signaller = data;
    ze_external_semaphore_signal_params_ext_t params = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_EXT};
    pthread_barrier_wait(signaller->start);
    for (int i = 0; i < SIGNALS_OF_A_THREAD && signaller->result == ZE_RESULT_SUCCESS; i++) {
        signaller->result = zeCommandListAppendSignalExternalSemaphoreExt(
            signaller->list, 1, &signaller->semaphore, &params, NULL, 0, NULL);
    }
    return NULL;
}

/* Both modes of list: a synchronous one has signalled when the call returns. */
static void threads_that_share_a_list_lose_no_signal(void **state)
{
    enum { THREADS = 4 };
    struct api *api = *state;
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int mode = 0; mode < 2; mode++) {
        ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                        .ordinal = api->ordinal,
                                        .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                        .mode = mode ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
                                                     : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
        int fd = counter_make();
        struct signaller signallers[THREADS];
        pthread_t threads[THREADS];
        ze_command_list_handle_t list;
        semaphore_t semaphore = imported(api, OPAQUE, fd);
        assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &list));
        for (int i = 0; i < THREADS; i++) {
            signallers[i] =
                (struct signaller){.start = &start, .list = list, .semaphore = semaphore};
            assert_int_equal(pthread_create(&threads[i], NULL, signaller_run, &signallers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_success(signallers[i].result);
        }
        assert_success(mode ? ZE_RESULT_SUCCESS : zeCommandListHostSynchronize(list, UINT64_MAX));
        assert_int_equal(counter_take(fd), THREADS * SIGNALS_OF_A_THREAD);
        assert_success(zeCommandListDestroy(list));
        assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
        close(fd);
    }
    pthread_barrier_destroy(&start);
}

struct waiter {
    ze_command_list_handle_t list;
    semaphore_t semaphore;
    ze_event_handle_t event;
    _Atomic bool asks;
    ze_result_t result, status; /* of the append; of the event when it has returned */
};

static void *waiter_run(void *data)
{
    struct waiter *waiter = data;
    atomic_store(&waiter->asks, true);
    waiter->result = wait_append(waiter->list, waiter->semaphore, 0, waiter->event);
    waiter->status = zeEventQueryStatus(waiter->event);
    return NULL;
}

static void a_synchronous_list_returns_after_its_semaphores(void **state)
{
    struct api *api = *state;
    int fd = counter_make();
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    struct late late = late_open(api);
    struct waiter waiter = {.semaphore = imported(api, OPAQUE, fd), .event = late.event};
    pthread_t thread;
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &desc, &waiter.list));
    assert_int_equal(pthread_create(&thread, NULL, waiter_run, &waiter), 0);
    while (!atomic_load(&waiter.asks)) {
    }
    expect_late(&late);
    counter_add(fd, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_success(waiter.result);
    assert_success(waiter.status);
    assert_success(zeCommandListDestroy(waiter.list));
    assert_success(zeDeviceReleaseExternalSemaphoreExt(waiter.semaphore));
    late_end(&late);
    close(fd);
}

/* Handles and descriptors go while a list still waits. */
static void a_released_semaphore_is_waited_for_to_the_end(void **state)
{
    struct api *api = *state;
    int fd = counter_make(), peer = dup(fd);
    semaphore_t semaphore = imported(api, OPAQUE, fd);
    struct late late = late_open(api);
    assert_success(wait_append(late.list.list, semaphore, 0, late.event));
    expect_late(&late);
    close(fd);
    assert_success(zeDeviceReleaseExternalSemaphoreExt(semaphore));
    assert_result(zeDeviceReleaseExternalSemaphoreExt(semaphore), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    counter_add(peer, 1);
    late_end(&late);
    close(peer);
}

static const struct api_case cases[] = {
    API_IMMEDIATE_CASE(counters_are_signalled_and_taken),
    API_IMMEDIATE_CASE(lists_that_wait_hold_nobody_up),
    API_IMMEDIATE_CASE(many_semaphores_are_waited_for_at_once),
    API_IMMEDIATE_CASE(words_are_seen_beside_descriptors),
    API_IMMEDIATE_CASE(timelines_have_values),
    API_IMMEDIATE_CASE(a_command_takes_several_semaphores),
    API_IMMEDIATE_CASE(graphs_that_run_again_signal_again),
    API_CASE(threads_that_share_a_list_lose_no_signal),
    API_IMMEDIATE_CASE(a_synchronous_list_returns_after_its_semaphores),
    API_IMMEDIATE_CASE(a_released_semaphore_is_waited_for_to_the_end),
};
API_MAIN("semaphore", cases)
