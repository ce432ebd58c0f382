/* The thread that serves debuggers. See agent.h.
 *
 *     listener --accept--> peer (new) --HELLO--> peer with a session --DETACH, or its end--> none
 *
 * The agent sleeps until a socket or an eventfd is readable. It never waits for a debugger: a reply
 * or an event that cannot be sent at once stays queued or ends the session. */
#include "backend/cpu/debug/agent.h"

#include "backend/cpu/debug/memory.h"
#include "backend/cpu/debug/place.h"
#include "backend/cpu/debug/registers.h"
#include "backend/cpu/debug/session.h"
#include "backend/cpu/debug/socket.h"
#include "backend/cpu/debug/wire.h"
#include "base/assert.h"
#include "base/log.h"
#include "base/option.h"
#include "exec/thread/thread.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define PEERS_MAX 16u
#define LOOK_MS   1 /* threads that could not stop are asked again after this time */
#define HELLO_NS  (UINT64_C(5) * GEO_NS_PER_SEC) /* time for a debugger to introduce itself */
#define WAIT_SECONDS_MAX 86400u

/* A connection. Only the agent's thread uses it, except after fork. */
struct peer {
    struct geo_fd control, events;
    struct geo_cpu_debug_session *session; /* NULL: it has not introduced itself */
    uint64_t until_ns;                     /* then a connection without a session ends */
    pid_t owner;                           /* the debugger's process */
};

static struct peer peers[PEERS_MAX];
static struct geo_fd listener = {.number = -1};
static _Atomic bool on;
static _Atomic uint32_t started;         /* fork generation of the process that has an agent */
static _Atomic uint32_t attached;        /* futex: 1 once a debugger was attached */
static uint8_t data[GEO_CPU_DEBUG_DATA]; /* of the request and the reply */

/* ---- peers ---- */

static bool peer_used(const struct peer *peer)
{
    return peer->control.number >= 0;
}

static void peer_clear(struct peer *peer)
{
    *peer = (struct peer){.control = GEO_FD_NONE, .events = GEO_FD_NONE};
}

static void peer_end(struct peer *peer, bool undo)
{
    GEO_ASSERT(geo_cpu_debug_state_locked());
    if (peer->session) {
        geo_cpu_debug_session_end_locked(peer->session, undo);
    }
    geo_fd_close(&peer->control);
    geo_fd_close(&peer->events);
    peer_clear(peer);
}

/* Accepts a connection of this user or of root. */
static void peer_accept(int fd)
{
    struct peer *peer = peers;
    const int got = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (got < 0) {
        return;
    }
    const struct ucred owner = geo_cpu_debug_socket_peer(got);
    while (peer < peers + PEERS_MAX && peer_used(peer)) {
        peer++;
    }
    if (peer == peers + PEERS_MAX || (owner.uid != geteuid() && owner.uid != 0)) {
        close(got);
        return;
    }
    peer_clear(peer);
    peer->control = geo_fd_keep(got);
    peer->owner = owner.pid;
    peer->until_ns = geo_deadline_ns(HELLO_NS);
}

/* Sends an event to the debugger whose session has these events. */
static bool event_send(const struct geo_cpu_debug_events *events, const zet_debug_event_t *event)
{
    const struct geo_cpu_debug_event message = {.magic = GEO_CPU_DEBUG_MAGIC, .event = *event};
    const struct peer *peer = peers;
    GEO_ASSERT(geo_cpu_debug_state_locked());
    while (peer < peers + PEERS_MAX && !(peer->session && &peer->session->events == events)) {
        peer++;
    }
    return peer < peers + PEERS_MAX &&
           geo_cpu_debug_socket_send(geo_fd_get(&peer->events), &message, sizeof(message), NULL, 0,
                                     -1);
}

/* ---- requests ---- */

/* The answer to a request, with `bytes` of data in `data`. */
struct answer {
    ze_result_t result;
    uint32_t bytes;
    const char *why;
    int passed; /* a descriptor for the debugger; -1: none */
};

static ze_result_t refuse(struct answer *answer, ze_result_t result, const char *why)
{
    answer->why = why;
    return result;
}

static const struct geo_backend_device *device_find(const struct geo_cpu_debug_hello *hello)
{
    const struct geo_backend *backend = geo_cpu_debug_state_desc.backend;
    for (uint32_t i = 0; i < backend->device_count; i++) {
        const struct geo_device_info *info = &backend->devices[i].info;
        if (memcmp(info->uuid, hello->uuid, sizeof(hello->uuid)) == 0 &&
            info->slices == hello->slices && info->subslices_per_slice == hello->subslices &&
            info->eus_per_subslice == hello->eus && info->threads_per_eu == hello->threads) {
            return &backend->devices[i];
        }
    }
    return NULL;
}

static ze_result_t hello_answer(struct peer *peer, const struct geo_cpu_debug_request *request,
                                struct answer *answer)
{
    int ends[2];
    const struct geo_backend_device *device = device_find(&request->hello);
    if (!device) {
        return refuse(answer, ZE_RESULT_ERROR_NOT_AVAILABLE,
                      "the process has no such device: both need the same GEOID_DEVICES, "
                      "GEOID_THREADS, ZE_AFFINITY_MASK and cores");
    }
    if (peer->session) {
        return refuse(answer, ZE_RESULT_ERROR_NOT_AVAILABLE, "this debugger is attached");
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
        return refuse(answer, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
                      "the process has no descriptors left");
    }
    ze_result_t result = geo_cpu_debug_session_begin_locked(device, peer->owner == getpid(),
                                                            &peer->session, &answer->why);
    if (result != ZE_RESULT_SUCCESS) {
        close(ends[0]);
        close(ends[1]);
        return result;
    }
    peer->events = geo_fd_keep(ends[0]);
    peer->session->events.send = event_send;
    answer->passed = ends[1];
    atomic_store(&attached, 1);
    geo_futex_wake(&attached, UINT32_MAX, false);
    return ZE_RESULT_SUCCESS;
}

/* Returns whether a request's threads are one thread or a group of the device. */
static bool threads_are_valid(const struct geo_cpu_debug_session *session,
                              const ze_device_thread_t *threads)
{
    return geo_cpu_debug_place_is_valid(session->device, threads);
}

/* Finds where a request's memory is. All threads together have no local memory. */
static ze_result_t memory_find(const struct geo_cpu_debug_session *session,
                               const struct geo_cpu_debug_request *request, uint64_t *address,
                               struct answer *answer)
{
    struct geo_cpu_debug_cell *cell = NULL;
    const bool all = geo_cpu_debug_place_is_all(&request->thread);
    uint64_t bytes, local;
    if (!all) {
        ze_result_t result =
            geo_cpu_debug_session_stopped_locked(session, &request->thread, &cell, &answer->why);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    *address = request->address;
    if (request->type == ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT) {
        return ZE_RESULT_SUCCESS;
    }
    if (request->type == ZET_DEBUG_MEMORY_SPACE_TYPE_ELF) {
        return geo_cpu_debug_code_binary_locked(request->address, request->bytes)
                   ? ZE_RESULT_SUCCESS
                   : refuse(answer, ZE_RESULT_ERROR_NOT_AVAILABLE, "no module is there");
    }
    if (request->type != ZET_DEBUG_MEMORY_SPACE_TYPE_SLM || !cell) {
        return refuse(answer, ZE_RESULT_ERROR_INVALID_ARGUMENT, "the thread has no such memory");
    }
    local = geo_cpu_debug_registers_local(cell, &bytes);
    if (request->address > bytes || request->bytes > bytes - request->address) {
        return refuse(answer, ZE_RESULT_ERROR_NOT_AVAILABLE,
                      "the work-group's local memory is smaller");
    }
    *address = local + request->address;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t read_answer(uint64_t address, size_t bytes, struct answer *answer)
{
    if (!geo_cpu_debug_memory_read(address, data, bytes)) {
        return refuse(answer, ZE_RESULT_ERROR_NOT_AVAILABLE,
                      "the memory cannot be read, or not all of it");
    }
    answer->bytes = (uint32_t)bytes;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t write_answer(uint64_t address, size_t bytes, struct answer *answer)
{
    struct geo_cpu_debug_code *code = geo_cpu_debug_code_find_locked(address, bytes);
    const bool done = code ? geo_cpu_debug_code_write_locked(code, address, data, bytes)
                           : geo_cpu_debug_memory_write(address, data, bytes);
    return done ? ZE_RESULT_SUCCESS
                : refuse(answer, ZE_RESULT_ERROR_NOT_AVAILABLE,
                         "the memory cannot be written, or not all of it");
}

static ze_result_t memory_answer(const struct geo_cpu_debug_session *session,
                                 const struct geo_cpu_debug_request *request, struct answer *answer)
{
    uint64_t address;
    const bool writes = request->kind == GEO_CPU_DEBUG_WRITE_MEMORY;
    ze_result_t result = memory_find(session, request, &address, answer);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (writes && request->type == ZET_DEBUG_MEMORY_SPACE_TYPE_ELF) {
        return refuse(answer, ZE_RESULT_ERROR_NOT_AVAILABLE, "a module's file can only be read");
    }
    return (writes ? write_answer : read_answer)(address, request->bytes, answer);
}

static ze_result_t registers_answer(const struct geo_cpu_debug_session *session,
                                    const struct geo_cpu_debug_request *request,
                                    struct answer *answer)
{
    struct geo_cpu_debug_cell *cell;
    const zet_debug_regset_properties_t *set = geo_cpu_debug_registers_find(request->type);
    const bool writes = request->kind == GEO_CPU_DEBUG_WRITE_REGISTERS;
    if (!set || request->start > set->count || request->count > set->count - request->start ||
        (writes && (!(set->generalFlags & ZET_DEBUG_REGSET_FLAG_WRITEABLE) ||
                    request->bytes != (uint64_t)request->count * set->byteSize))) {
        return refuse(answer, ZE_RESULT_ERROR_INVALID_ARGUMENT, "no such registers");
    }
    ze_result_t result =
        geo_cpu_debug_session_stopped_locked(session, &request->thread, &cell, &answer->why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (writes) {
        cell->changed |=
            geo_cpu_debug_registers_write(cell, set, request->start, request->count, data);
    } else {
        answer->bytes = request->count * set->byteSize;
        geo_cpu_debug_registers_read(cell, set, request->start, request->count, data);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t session_answer(struct geo_cpu_debug_session *session,
                                  const struct geo_cpu_debug_request *request,
                                  struct answer *answer)
{
    struct geo_cpu_debug_cell *cell;
    switch (request->kind) {
    case GEO_CPU_DEBUG_INTERRUPT:
    case GEO_CPU_DEBUG_RESUME:
        if (!threads_are_valid(session, &request->thread)) {
            return refuse(answer, ZE_RESULT_ERROR_INVALID_ARGUMENT, "no such thread");
        }
        return (request->kind == GEO_CPU_DEBUG_RESUME ? geo_cpu_debug_session_resume_locked
                                                      : geo_cpu_debug_session_interrupt_locked)(
            session, &request->thread, &answer->why);
    case GEO_CPU_DEBUG_READ_MEMORY:
    case GEO_CPU_DEBUG_WRITE_MEMORY:
        return memory_answer(session, request, answer);
    case GEO_CPU_DEBUG_IS_STOPPED:
        return geo_cpu_debug_session_stopped_locked(session, &request->thread, &cell, &answer->why);
    case GEO_CPU_DEBUG_READ_REGISTERS:
    case GEO_CPU_DEBUG_WRITE_REGISTERS:
        return registers_answer(session, request, answer);
    case GEO_CPU_DEBUG_ACKNOWLEDGE:
        return geo_cpu_debug_session_acknowledge_locked(session, &request->event, &answer->why);
    case GEO_CPU_DEBUG_DETACH:
        return ZE_RESULT_SUCCESS;
    default:
        return refuse(answer, ZE_RESULT_ERROR_INVALID_ARGUMENT, "unknown request");
    }
}

/* Returns whether a packet is a request with as much data as it says. */
static bool request_is_valid(const struct geo_cpu_debug_request *request, ssize_t length)
{
    const bool has_data = request->kind == GEO_CPU_DEBUG_WRITE_MEMORY ||
                          request->kind == GEO_CPU_DEBUG_WRITE_REGISTERS;
    return length >= (ssize_t)sizeof(*request) && request->magic == GEO_CPU_DEBUG_MAGIC &&
           request->bytes <= GEO_CPU_DEBUG_DATA &&
           (uint64_t)length - sizeof(*request) == (has_data ? request->bytes : 0);
}

static bool reply_send(const struct peer *peer, const struct geo_cpu_debug_request *request,
                       const struct answer *answer)
{
    struct geo_cpu_debug_reply reply = {
        .magic = GEO_CPU_DEBUG_MAGIC,
        .serial = request->serial,
        .result = answer->result,
        .bytes = answer->bytes,
    };
    if (answer->result != ZE_RESULT_SUCCESS && answer->why) {
        memcpy(reply.why, answer->why, strnlen(answer->why, sizeof(reply.why) - 1));
    }
    return geo_cpu_debug_socket_send(geo_fd_get(&peer->control), &reply, sizeof(reply), data,
                                     answer->bytes, answer->passed);
}

/* Reads and answers a request. A debugger that is gone, sends anything else or does not read its
 * replies is detached. */
static void peer_serve(struct peer *peer)
{
    struct geo_cpu_debug_request request;
    struct answer answer = {.result = ZE_RESULT_ERROR_INVALID_ARGUMENT, .passed = -1};
    const ssize_t length = geo_cpu_debug_socket_receive(geo_fd_get(&peer->control), &request,
                                                        sizeof(request), data, sizeof(data), NULL);
    if (length < 0 && errno == EAGAIN) {
        return;
    }
    if (length <= 0 || !request_is_valid(&request, length)) {
        peer_end(peer, true);
        return;
    }
    if (request.kind == GEO_CPU_DEBUG_HELLO) {
        answer.result = hello_answer(peer, &request, &answer);
    } else if (peer->session) {
        answer.result = session_answer(peer->session, &request, &answer);
    }
    const bool sent = reply_send(peer, &request, &answer);
    if (answer.passed >= 0) {
        close(answer.passed);
    }
    if (!sent || !peer->session || request.kind == GEO_CPU_DEBUG_DETACH) {
        peer_end(peer, !sent);
    }
}

/* ---- the thread ---- */

/* Returns the listener, and creates it if it is missing or the program has closed it. */
static int listener_get(void)
{
    int fd = geo_fd_get(&listener);
    if (fd < 0) {
        static _Atomic bool told;
        listener = geo_fd_keep(geo_cpu_debug_socket_listen());
        fd = listener.number;
        if (fd < 0 && !atomic_exchange(&told, true)) {
            geo_log("cpu", GEO_LOG_ERROR,
                    "no debugger can attach to this process: its socket cannot be created (%s)",
                    strerrordesc_np(errno));
        }
    }
    return fd;
}

#define FDS_MAX (2 + PEERS_MAX * 2)

/* Collects what to wait for: the eventfd, the listener, and two sockets of each peer. The system
 * ignores negative descriptors. */
static int poll_fill(struct pollfd fds[FDS_MAX], bool soon)
{
    int timeout = soon ? LOOK_MS : -1;
    fds[0] = (struct pollfd){.fd = geo_cpu_debug_state_kick_fd(), .events = POLLIN};
    fds[1] = (struct pollfd){.fd = listener_get(), .events = POLLIN};
    for (uint32_t i = 0; i < PEERS_MAX; i++) {
        struct peer *peer = &peers[i];
        const bool more = peer->session && peer->session->events.count != 0;
        fds[2 + 2 * i] = (struct pollfd){.fd = -1, .events = POLLIN};
        fds[3 + 2 * i] = (struct pollfd){.fd = -1, .events = more ? POLLOUT : 0};
        if (peer_used(peer)) {
            fds[2 + 2 * i].fd = geo_fd_get(&peer->control);
            fds[3 + 2 * i].fd = geo_fd_get(&peer->events);
        }
        if (peer_used(peer) && !peer->session && timeout < 0) {
            timeout = (int)(HELLO_NS / GEO_NS_PER_SEC * 1000);
        }
    }
    return timeout;
}

/* Handles what has happened to a peer. `control` and `events` are the results of the wait. */
static void peer_look(struct peer *peer, short control, short events)
{
    if (!peer_used(peer)) {
        return;
    }
    const bool lost = geo_fd_lost(&peer->control) || (peer->session && geo_fd_lost(&peer->events));
    const bool late = !peer->session && geo_now_ns() >= peer->until_ns;
    if (lost || late || events & (POLLHUP | POLLERR)) {
        peer_end(peer, true);
    } else if (control != 0) {
        peer_serve(peer);
    }
    if (peer->session && !geo_cpu_debug_event_flush(&peer->session->events)) {
        peer_end(peer, true);
    }
}

static void *agent_run(void *unused)
{
    struct pollfd fds[FDS_MAX];
    bool soon = false;
    for (;;) {
        geo_cpu_debug_state_lock();
        const int timeout = poll_fill(fds, soon);
        geo_cpu_debug_state_unlock();
        (void)poll(fds, FDS_MAX, timeout);
        geo_cpu_debug_state_lock();
        geo_cpu_debug_state_kicked();
        if (fds[1].revents & POLLIN) {
            peer_accept(fds[1].fd);
        }
        soon = geo_cpu_debug_session_look_locked();
        for (uint32_t i = 0; i < PEERS_MAX; i++) {
            peer_look(&peers[i], fds[2 + 2 * i].revents, fds[3 + 2 * i].revents);
        }
        geo_cpu_debug_state_unlock();
    }
    return unused;
}

static void agent_start(void)
{
    for (uint32_t i = 0; i < PEERS_MAX; i++) {
        peer_clear(&peers[i]);
    }
    /* at once, so that a debugger that comes now has to wait for an answer only */
    (void)geo_cpu_debug_state_kick_fd();
    (void)listener_get();
    if (!geo_exec_thread_start(agent_run, NULL)) {
        geo_log("cpu", GEO_LOG_ERROR,
                "no debugger can attach to this process: the system gives no thread (%s)",
                strerrordesc_np(errno));
    }
}

void geo_cpu_debug_agent_want(void)
{
    const uint32_t process = geo_fork_generation();
    if (atomic_load(&on) && atomic_exchange(&started, process) != process) {
        agent_start();
    }
}

/* The child closes its copies of the sockets, so that only the parent's end counts. */
static void agent_after_fork(void)
{
    for (uint32_t i = 0; i < PEERS_MAX; i++) {
        geo_fd_close(&peers[i].control);
        geo_fd_close(&peers[i].events);
        peers[i].session = NULL;
    }
    geo_fd_close(&listener);
    geo_cpu_debug_session_after_fork();
    geo_cpu_debug_code_after_fork();
    geo_cpu_debug_cell_after_fork();
}

void geo_cpu_debug_agent_open(const struct geo_cpu_debug_desc *desc)
{
    const char *wanted = geo_option_environment("ZET_ENABLE_PROGRAM_DEBUGGING");
    if (!wanted || strcmp(wanted, "1") != 0 || atomic_load(&on)) {
        return;
    }
    geo_cpu_debug_state_open(desc, agent_after_fork);
    geo_cpu_debug_cell_open(geo_cpu_debug_code_has, geo_cpu_debug_agent_want);
    atomic_store(&on, true);
    geo_cpu_debug_agent_want();
}

bool geo_cpu_debug_agent_on(void)
{
    return atomic_load_explicit(&on, memory_order_relaxed);
}

void geo_cpu_debug_agent_await_debugger(void)
{
    static _Atomic bool waited;
    const uint64_t seconds = geo_option_number("GEOID_DEBUG_WAIT", 0, WAIT_SECONDS_MAX);
    if (seconds == 0 || atomic_exchange(&waited, true)) {
        return;
    }
    const uint64_t until = geo_deadline_ns(seconds * GEO_NS_PER_SEC);
    while (!atomic_load(&attached) && geo_futex_wait(&attached, 0, until, false)) {
    }
}
