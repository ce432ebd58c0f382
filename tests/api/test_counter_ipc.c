/* API test of counter-based events that are shared with another process, which waits for what the
 * event referred to when its handle was made. */
#include "counter_support.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef GEOID_SANITIZED
/* The children start threads after a fork with threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

#define IPC ZE_EVENT_COUNTER_BASED_FLAG_IPC

static ze_ipc_event_counter_based_handle_t handle_of(ze_event_handle_t event)
{
    ze_ipc_event_counter_based_handle_t handle;
    memset(&handle, 0x77, sizeof(handle));
    assert_success(zeEventCounterBasedGetIpcHandle(event, &handle));
    return handle;
}

/* ---- in one process ---- */

/* IPC-8: both are events of their own. */
static void an_opened_event_stays_with_what_was_shared(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    ze_event_handle_t event = counter_event(api, IPC, NULL), opened;
    ze_command_list_handle_t list = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t other = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_success(zeCommandListAppendBarrier(list, event, 1, &gates.gate[0]));
    ze_ipc_event_counter_based_handle_t handle = handle_of(event);
    assert_success(zeEventCounterBasedOpenIpcHandle(api->context, handle, &opened));
    assert_result(zeEventQueryStatus(opened), ZE_RESULT_NOT_READY);
    assert_success(zeCommandListAppendBarrier(other, gates.gate[1], 1, &opened));
    assert_success(zeCommandListAppendBarrier(list, event, 1, &gates.gate[2])); /* a new state */
    assert_result(zeEventHostSynchronize(gates.gate[1], MOMENT), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeEventHostSynchronize(opened, UINT64_MAX));
    assert_success(zeEventHostSynchronize(gates.gate[1], API_PATIENCE_NS));
    assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_result(zeEventDestroy(opened), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeEventHostSignal(opened), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeEventCounterBasedGetIpcHandle(opened, &handle),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeEventHostSignal(gates.gate[2]));
    assert_success(zeEventHostSynchronize(event, API_PATIENCE_NS));
    assert_success(zeCommandListHostSynchronize(other, API_PATIENCE_NS));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeEventDestroy(event));
    assert_success(zeEventQueryStatus(opened)); /* outlives all that it came from */
    assert_success(zeEventCounterBasedCloseIpcHandle(opened));
    assert_success(zeCommandListDestroy(other));
    gates_close(&gates);
}

/* Closed while a list still waits for it. */
static void a_closed_event_is_waited_for_to_the_end(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    ze_event_handle_t event = counter_event(api, IPC, NULL), opened;
    ze_command_list_handle_t list = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t other = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_success(zeCommandListAppendBarrier(list, event, 1, &gates.gate[0]));
    assert_success(zeEventCounterBasedOpenIpcHandle(api->context, handle_of(event), &opened));
    assert_success(zeCommandListAppendBarrier(other, NULL, 1, &gates.gate[1]));
    assert_success(zeCommandListAppendBarrier(other, NULL, 1, &opened));
    assert_success(zeEventCounterBasedCloseIpcHandle(opened));
    assert_success(zeEventHostSignal(gates.gate[1]));
    assert_result(zeCommandListHostSynchronize(other, MOMENT), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gates.gate[0]));
    assert_success(zeCommandListHostSynchronize(other, API_PATIENCE_NS));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandListDestroy(other));
    assert_success(zeEventDestroy(event));
    gates_close(&gates);
}

static void an_event_that_was_never_signalled_is_complete_elsewhere_too(void **state)
{
    struct api *api = *state;
    ze_event_handle_t event = counter_event(api, IPC, NULL), opened;
    assert_success(zeEventCounterBasedOpenIpcHandle(api->context, handle_of(event), &opened));
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventQueryStatus(opened));
    ze_command_list_handle_t list = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_success(zeCommandListAppendBarrier(list, event, 0, NULL));
    assert_success(zeEventQueryStatus(event));
    assert_success(zeEventQueryStatus(opened));
    assert_success(zeEventCounterBasedCloseIpcHandle(opened));
    assert_success(zeEventDestroy(event));
    assert_success(zeCommandListDestroy(list));
}

/* A list may signal events of both kinds; each counts for itself. */
static void shared_and_private_events_of_one_list_do_not_mix(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    ze_event_handle_t event[2] = {counter_event(api, 0, NULL), counter_event(api, IPC, NULL)};
    ze_command_list_handle_t list = counter_regular(api), clone;
    ze_command_queue_handle_t queue = counter_queue(api);
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandListAppendBarrier(list, NULL, 1, &gates.gate[i]));
        assert_success(zeCommandListAppendBarrier(list, event[i], 0, NULL));
    }
    assert_success(zeCommandListAppendWaitOnEvents(list, 2, event));
    assert_success(zeCommandListClose(list));
    assert_success(zeCommandListCreateCloneExp(list, &clone));
    for (int round = 0; round < 3; round++) {
        counter_execute(queue, list);
        assert_result(zeEventHostSynchronize(event[0], MOMENT), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostSignal(gates.gate[0]));
        assert_success(zeEventHostSynchronize(event[0], API_PATIENCE_NS));
        assert_result(zeEventQueryStatus(event[1]), ZE_RESULT_NOT_READY);
        assert_success(zeEventHostSignal(gates.gate[1]));
        assert_success(zeEventHostSynchronize(event[1], API_PATIENCE_NS));
        counter_execute(queue, clone);
        assert_success(zeCommandQueueSynchronize(queue, API_PATIENCE_NS));
        assert_success(zeEventQueryStatus(event[0])); /* of the original */
        assert_success(zeEventQueryStatus(event[1]));
        assert_success(zeEventHostReset(gates.gate[0]));
        assert_success(zeEventHostReset(gates.gate[1]));
    }
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandListDestroy(clone));
    assert_success(zeCommandQueueDestroy(queue));
    assert_success(zeEventDestroy(event[0]));
    assert_success(zeEventDestroy(event[1]));
    gates_close(&gates);
}

/* IPC-6, IPC-7 */
static void what_cannot_be_shared_is_refused(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    uint64_t *word = api_alloc_shared(api, sizeof(*word));
    ze_event_counter_based_external_sync_allocation_desc_t sync = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC,
        .deviceAddress = word,
        .hostAddress = word,
        .completionValue = 1,
    };
    ze_event_handle_t event = counter_event(api, 0, NULL), shared = counter_event(api, IPC, NULL);
    ze_event_handle_t external = counter_event(api, IPC, &sync), opened;
    ze_ipc_event_counter_based_handle_t handle, bad;
    assert_result(zeEventCounterBasedGetIpcHandle(gates.gate[0], &handle),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_result(zeEventCounterBasedGetIpcHandle(event, &handle),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeEventCounterBasedGetIpcHandle(external, &handle),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeEventCounterBasedGetIpcHandle(shared, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeEventCounterBasedCloseIpcHandle(shared),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    assert_result(zeEventCounterBasedCloseIpcHandle(gates.gate[0]),
                  ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    handle = handle_of(shared);
    assert_result(zeEventCounterBasedOpenIpcHandle(api->context, handle, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    for (size_t i = 0; i < sizeof(handle); i++) { /* never more than an event that waits */
        bad = handle;
        bad.data[i] = (char)(bad.data[i] ^ 0x41);
        if (zeEventCounterBasedOpenIpcHandle(api->context, bad, &opened) == ZE_RESULT_SUCCESS) {
            (void)zeEventQueryStatus(opened);
            assert_success(zeEventCounterBasedCloseIpcHandle(opened));
        }
    }
    for (int fill = 0; fill < 256; fill += 85) {
        memset(&bad, fill, sizeof(bad));
        assert_result(zeEventCounterBasedOpenIpcHandle(api->context, bad, &opened),
                      ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    assert_success(zeEventDestroy(event));
    assert_success(zeEventDestroy(shared));
    assert_success(zeEventDestroy(external));
    api_free(api, word);
    gates_close(&gates);
}

/* ---- between processes ----
 *
 * The other process is a child that was forked before; it talks over a socket, its exit status
 * names the step that failed. */

struct peer {
    int socket;
    pid_t child;
};

static struct peer peer_start(struct api *api, int (*main)(struct api *api, int socket))
{
    int sockets[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    fflush(NULL);
    struct peer peer = {.socket = sockets[0], .child = fork()};
    assert_true(peer.child >= 0);
    if (peer.child == 0) {
        close(sockets[0]);
        _exit(main(api, sockets[1]));
    }
    close(sockets[1]);
    return peer;
}

static void peer_end(struct peer *peer)
{
    int status = -1;
    assert_int_equal(waitpid(peer->child, &status, 0), peer->child);
    close(peer->socket);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define STEP(number, condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return (number);                                                                       \
        }                                                                                          \
    } while (0)

static ze_command_list_handle_t child_list(struct api *api, ze_context_handle_t context)
{
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .ordinal = api->ordinal,
                                    .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list = NULL;
    return zeCommandListCreateImmediate(context, api->device, &desc, &list) ? NULL : list;
}

/* Waits for the event of the handle with the device and with the host, then signals it itself. */
static int waiting_main(struct api *api, int socket)
{
    ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_ipc_event_counter_based_handle_t handle;
    ze_context_handle_t context;
    ze_event_handle_t event;
    ze_event_counter_based_flags_t flags = 0;
    char byte = 'w';
    STEP(1, read(socket, &handle, sizeof(handle)) == (ssize_t)sizeof(handle));
    STEP(2, !zeContextCreate(api->driver, &context_desc, &context));
    STEP(3, !zeEventCounterBasedOpenIpcHandle(context, handle, &event));
    STEP(4, !zeEventGetCounterBasedFlags(event, &flags) && (flags & IPC));
    STEP(5, zeEventQueryStatus(event) == ZE_RESULT_NOT_READY);
    ze_command_list_handle_t list = child_list(api, context);
    STEP(6, list && !zeCommandListAppendWaitOnEvents(list, 1, &event));
    STEP(7, zeCommandListHostSynchronize(list, MOMENT) == ZE_RESULT_NOT_READY);
    STEP(8, zeEventHostSynchronize(event, MOMENT) == ZE_RESULT_NOT_READY);
    STEP(9, write(socket, &byte, 1) == 1);
    STEP(10, !zeEventHostSynchronize(event, API_PATIENCE_NS));
    STEP(11, !zeCommandListHostSynchronize(list, API_PATIENCE_NS));
    STEP(12, !zeEventQueryStatus(event));
    STEP(13, !zeCommandListAppendSignalEvent(list, event));
    STEP(14, !zeEventHostSynchronize(event, UINT64_MAX));
    STEP(15, !zeEventCounterBasedCloseIpcHandle(event));
    STEP(16, !zeCommandListDestroy(list) && !zeContextDestroy(context));
    return 0;
}

/* IPC-1, IPC-8 */
static void another_process_waits_for_the_event(void **state)
{
    struct api *api = *state;
    struct peer peer = peer_start(api, waiting_main);
    struct gates gates = gates_open(api);
    ze_event_handle_t event = counter_event(api, IPC, NULL);
    ze_command_list_handle_t list = api->immediate
                                        ? counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)
                                        : counter_regular(api);
    ze_command_list_handle_t later = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_queue_handle_t queue = counter_queue(api);
    char byte = 0;
    assert_success(zeCommandListAppendBarrier(list, event, 1, &gates.gate[0]));
    if (!api->immediate) { /* the handle is for the second execution */
        assert_success(zeCommandListClose(list));
        assert_success(zeEventHostSignal(gates.gate[0]));
        counter_execute(queue, list);
        assert_success(zeCommandQueueSynchronize(queue, API_PATIENCE_NS));
        assert_success(zeEventHostReset(gates.gate[0]));
        counter_execute(queue, list);
    }
    ze_ipc_event_counter_based_handle_t handle = handle_of(event);
    assert_success(
        zeCommandListAppendBarrier(later, event, 1, &gates.gate[1])); /* not its business */
    assert_int_equal(write(peer.socket, &handle, sizeof(handle)), sizeof(handle));
    assert_int_equal(read(peer.socket, &byte, 1), 1);
    assert_success(zeEventHostSignal(gates.gate[0]));
    peer_end(&peer);
    assert_result(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(gates.gate[1]));
    assert_success(zeEventHostSynchronize(event, API_PATIENCE_NS));
    assert_success(zeCommandListHostSynchronize(later, API_PATIENCE_NS));
    assert_success(zeCommandQueueSynchronize(queue, API_PATIENCE_NS));
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandListDestroy(later));
    assert_success(zeCommandQueueDestroy(queue));
    assert_success(zeEventDestroy(event));
    gates_close(&gates);
}

static ze_command_list_handle_t inherited;

/* Lets go of what it has from its parent, then signals a shared event of its own many times. */
static int signalling_main(struct api *api, int socket)
{
    ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                          .flags = COUNTER_FLAGS | IPC};
    ze_event_handle_t event;
    char byte;
    STEP(1, read(socket, &byte, 1) == 1 && !zeCommandListDestroy(inherited));
    ze_command_list_handle_t list = child_list(api, api->context);
    STEP(2, list && !zeEventCounterBasedCreate(api->context, api->device, &desc, &event));
    for (int i = 0; i < 100; i++) {
        STEP(3, !zeCommandListAppendSignalEvent(list, event));
    }
    STEP(4, !zeCommandListHostSynchronize(list, API_PATIENCE_NS) && !zeEventQueryStatus(event));
    STEP(5, !zeEventDestroy(event) && !zeCommandListDestroy(list));
    return 0;
}

/* After fork, parent and child have free counters in common, and must not both take one. */
static void a_forked_child_takes_shared_counters_of_its_own(void **state)
{
    struct api *api = *state;
    struct gates gates = gates_open(api);
    ze_event_handle_t event[2] = {counter_event(api, IPC, NULL), counter_event(api, IPC, NULL)};
    inherited = counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_event_handle_t other = counter_event(api, IPC, NULL);
    assert_success(zeCommandListAppendSignalEvent(inherited, other));
    assert_success(zeEventHostSynchronize(other, API_PATIENCE_NS));
    assert_success(zeEventDestroy(other));
    struct peer peer = peer_start(api, signalling_main);
    ze_command_list_handle_t list[2] = {inherited,
                                        counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS)};
    for (int i = 0; i < 2; i++) {
        assert_success(zeCommandListAppendBarrier(list[i], event[i], 1, &gates.gate[0]));
    }
    assert_int_equal(write(peer.socket, "s", 1), 1);
    peer_end(&peer);
    for (int i = 0; i < 2; i++) {
        assert_result(zeEventQueryStatus(event[i]), ZE_RESULT_NOT_READY);
    }
    assert_success(zeEventHostSignal(gates.gate[0]));
    for (int i = 0; i < 2; i++) {
        assert_success(zeEventHostSynchronize(event[i], API_PATIENCE_NS));
        assert_success(zeCommandListHostSynchronize(list[i], API_PATIENCE_NS));
        assert_success(zeCommandListDestroy(list[i]));
        assert_success(zeEventDestroy(event[i]));
    }
    gates_close(&gates);
}

static const struct api_case cases[] = {
    API_LIST_CASE(another_process_waits_for_the_event),
    API_CASE(a_forked_child_takes_shared_counters_of_its_own),
    API_CASE(an_opened_event_stays_with_what_was_shared),
    API_CASE(a_closed_event_is_waited_for_to_the_end),
    API_CASE(an_event_that_was_never_signalled_is_complete_elsewhere_too),
    API_CASE(shared_and_private_events_of_one_list_do_not_mix),
    API_CASE(what_cannot_be_shared_is_refused),
};

API_MAIN("counter_ipc", cases)
