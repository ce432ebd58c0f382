/* Sessions of a debugger. See client.h.
 *
 * A session has two sockets: one for requests and replies, one for events. A descriptor of the
 * process tells its end even if a child of it still has the sockets. */
#include "backend/cpu/debug/client.h"

#include "backend/cpu/debug/socket.h"
#include "backend/cpu/debug/wire.h"
#include "backend/host/device.h"
#include "base/assert.h"
#include "base/fd.h"
#include "base/fork.h"
#include "base/option.h"
#include "exec/thread/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define START_NS  (UINT64_C(5) * GEO_NS_PER_SEC)  /* for a process to create its agent */
#define EXEC_NS   (GEO_NS_PER_SEC / 5)            /* for a new process to execute its program */
#define RETRY_NS  5000000L                        /* between two attempts */
#define ANSWER_NS (UINT64_C(10) * GEO_NS_PER_SEC) /* for a reply: the process may be stopped */

struct geo_debug_session {
    struct geo_debug_session *next, *previous;
    struct geo_fd control, events, process;
    pthread_mutex_t lock; /* held during a request */
    uint32_t serial;
    _Atomic bool ended;
    bool end_told;                    /* by DETACHED */
    uint8_t data[GEO_CPU_DEBUG_DATA]; /* of a reply: one that is late may be of any size */
};

/* ---- all sessions, for fork ---- */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct geo_debug_session *list;

static void fork_prepare(void)
{
    pthread_mutex_lock(&list_lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&list_lock);
}

/* Runs in the child: its copies of the sockets would keep the sessions alive after the parent. */
static void fork_child(void)
{
    for (struct geo_debug_session *session = list; session; session = session->next) {
        geo_fd_close(&session->control);
        geo_fd_close(&session->events);
        geo_fd_close(&session->process);
        atomic_store(&session->ended, true);
        pthread_mutex_init(&session->lock, NULL);
    }
    pthread_mutex_unlock(&list_lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_DEBUG_CLIENT,
    .prepare = fork_prepare,
    .parent = fork_parent,
    .child = fork_child,
};
GEO_FORK_AT_LOAD(fork_handler)

static void session_link(struct geo_debug_session *session)
{
    pthread_mutex_lock(&list_lock);
    session->next = list;
    if (list) {
        list->previous = session;
    }
    list = session;
    pthread_mutex_unlock(&list_lock);
}

static void session_unlink(struct geo_debug_session *session)
{
    pthread_mutex_lock(&list_lock);
    if (session->next) {
        session->next->previous = session->previous;
    }
    if (session->previous) {
        session->previous->next = session->next;
    } else {
        list = session->next;
    }
    pthread_mutex_unlock(&list_lock);
}

/* ---- waiting ---- */

static int poll_ms(uint64_t deadline)
{
    const uint64_t now = geo_now_ns();
    if (deadline == GEO_WAIT_FOREVER) {
        return -1;
    }
    const uint64_t ms = deadline > now ? (deadline - now + 999999) / 1000000 : 0;
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* Waits until a socket is readable or the process has ended. Returns false after the deadline. */
static bool socket_await(const struct geo_debug_session *session, const struct geo_fd *file,
                         uint64_t deadline)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = geo_fd_get(file), .events = POLLIN},
                                {.fd = geo_fd_get(&session->process), .events = POLLIN}};
        if (fds[0].fd < 0) {
            return true; /* the program has closed it, which the next receive tells */
        }
        const int timeout = poll_ms(deadline);
        const int ready = poll(fds, 2, timeout);
        if (ready > 0) {
            return true;
        }
        if (ready == 0 && geo_now_ns() >= deadline) {
            return false;
        }
    }
}

static bool process_is_gone(const struct geo_debug_session *session)
{
    struct pollfd fd = {.fd = geo_fd_get(&session->process), .events = POLLIN};
    return fd.fd >= 0 && poll(&fd, 1, 0) == 1;
}

/* ---- requests ---- */

static ze_result_t session_lose(struct geo_debug_session *session, struct geo_strbuf *why)
{
    atomic_store(&session->ended, true);
    geo_strbuf_printf(why, "the process has ended, or has detached this debugger");
    return ZE_RESULT_ERROR_DEVICE_LOST;
}

/* Receives the reply to a request, and drops those of earlier requests that came too late. */
static ze_result_t reply_receive(struct geo_debug_session *session, uint32_t serial, void *buffer,
                                 size_t received, int *passed, struct geo_strbuf *why)
{
    const uint64_t deadline = geo_deadline_ns(ANSWER_NS);
    struct geo_cpu_debug_reply reply;
    for (;;) {
        if (!socket_await(session, &session->control, deadline)) {
            geo_strbuf_printf(why, "the process does not answer: it may be stopped");
            return ZE_RESULT_ERROR_NOT_AVAILABLE;
        }
        const ssize_t length =
            geo_cpu_debug_socket_receive(geo_fd_get(&session->control), &reply, sizeof(reply),
                                         session->data, sizeof(session->data), passed);
        if (length < 0 && errno == EAGAIN && !process_is_gone(session)) {
            continue;
        }
        if (length < (ssize_t)sizeof(reply) || reply.magic != GEO_CPU_DEBUG_MAGIC ||
            reply.bytes != (size_t)length - sizeof(reply)) {
            return session_lose(session, why);
        }
        if (reply.serial == serial) {
            break;
        }
        if (passed && *passed >= 0) {
            close(*passed);
        }
    }
    reply.why[sizeof(reply.why) - 1] = '\0';
    geo_strbuf_printf(why, "%s", reply.why);
    if (reply.result == ZE_RESULT_SUCCESS && reply.bytes != received) {
        return session_lose(session, why);
    }
    if (reply.result == ZE_RESULT_SUCCESS && received != 0) {
        memcpy(buffer, session->data, received);
    }
    return reply.result;
}

static ze_result_t ask_locked(struct geo_debug_session *session,
                              struct geo_cpu_debug_request *request, const void *data, size_t sent,
                              void *buffer, size_t received, int *passed, struct geo_strbuf *why)
{
    request->magic = GEO_CPU_DEBUG_MAGIC;
    request->serial = ++session->serial;
    if (atomic_load(&session->ended)) {
        return session_lose(session, why);
    }
    if (!geo_cpu_debug_socket_send(geo_fd_get(&session->control), request, sizeof(*request), data,
                                   sent, -1)) {
        if (errno == EAGAIN) {
            geo_strbuf_printf(why, "the process does not answer: it may be stopped");
            return ZE_RESULT_ERROR_NOT_AVAILABLE;
        }
        return session_lose(session, why);
    }
    return reply_receive(session, request->serial, buffer, received, passed, why);
}

ze_result_t geo_cpu_debug_client_ask(struct geo_debug_session *session,
                                     struct geo_cpu_debug_request *request, const void *data,
                                     size_t sent, void *buffer, size_t received,
                                     struct geo_strbuf *why)
{
    GEO_ASSERT(sent <= GEO_CPU_DEBUG_DATA && received <= GEO_CPU_DEBUG_DATA);
    pthread_mutex_lock(&session->lock);
    ze_result_t result = ask_locked(session, request, data, sent, buffer, received, NULL, why);
    pthread_mutex_unlock(&session->lock);
    return result;
}

/* ---- attaching ---- */

/* Returns whether a process was started with debugging switched on. Preserves errno. */
static bool process_wants(uint32_t pid)
{
    const int reason = errno;
    static const char wanted[] = "ZET_ENABLE_PROGRAM_DEBUGGING=1";
    char path[64], *text = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(path, sizeof(path), "/proc/%u/environ", pid);
    FILE *file = fopen(path, "re");
    while (file && !found && getdelim(&text, &room, '\0', file) > 0) {
        found = strcmp(text, wanted) == 0;
    }
    free(text);
    if (file) {
        (void)fclose(file);
    }
    errno = reason;
    return found;
}

/* Connects to a process. Waits for its agent if it will have one. A process that was just forked
 * has the environment of its parent until it executes its program. */
static int process_connect(uint32_t pid)
{
    const uint64_t begin = geo_now_ns();
    const struct timespec nap = {.tv_nsec = RETRY_NS};
    int fd = geo_cpu_debug_socket_connect(pid);
    while (fd < 0 && errno == ECONNREFUSED &&
           geo_now_ns() - begin < (process_wants(pid) ? START_NS : EXEC_NS)) {
        nanosleep(&nap, NULL);
        fd = geo_cpu_debug_socket_connect(pid);
    }
    return fd;
}

static ze_result_t process_check(uint32_t pid, struct geo_strbuf *why)
{
    if (pid == 0 || pid > INT_MAX || (kill((pid_t)pid, 0) != 0 && errno == ESRCH)) {
        geo_strbuf_printf(why, "process %u does not exist", pid);
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    if (kill((pid_t)pid, 0) != 0) {
        geo_strbuf_printf(why, "process %u belongs to another user", pid);
        return ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS;
    }
    if (pid == (uint32_t)getpid() && !geo_option_flag("GEOID_DEBUG_SELF")) {
        geo_strbuf_printf(why, "a process debugs itself only with GEOID_DEBUG_SELF=1");
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t connect_refuse(uint32_t pid, bool other, struct geo_strbuf *why)
{
    if (other) {
        geo_strbuf_printf(why, "another process answers instead of process %u", pid);
        return ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS;
    }
    geo_strbuf_printf(why,
                      "process %u cannot be debugged: start it with "
                      "ZET_ENABLE_PROGRAM_DEBUGGING=1, in the same network namespace",
                      pid);
    return ZE_RESULT_ERROR_NOT_AVAILABLE;
}

static ze_result_t session_hello(struct geo_debug_session *session,
                                 const struct geo_backend_device *device, struct geo_strbuf *why)
{
    const struct geo_device_info *info = &device->info;
    struct geo_cpu_debug_request request = {
        .kind = GEO_CPU_DEBUG_HELLO,
        .hello = {.slices = info->slices,
                  .subslices = info->subslices_per_slice,
                  .eus = info->eus_per_subslice,
                  .threads = info->threads_per_eu},
    };
    int events = -1;
    memcpy(request.hello.uuid, info->uuid, sizeof(request.hello.uuid));
    ze_result_t result = ask_locked(session, &request, NULL, 0, NULL, 0, &events, why);
    session->events = geo_fd_keep(events);
    if (result == ZE_RESULT_SUCCESS && events < 0) {
        return session_lose(session, why);
    }
    return result;
}

static void session_free(struct geo_debug_session *session)
{
    geo_fd_close(&session->control);
    geo_fd_close(&session->events);
    geo_fd_close(&session->process);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

ze_result_t geo_cpu_debug_client_attach(struct geo_backend_device *device, uint32_t pid,
                                        struct geo_debug_session **out, struct geo_strbuf *why)
{
    ze_result_t result = process_check(pid, why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    int fd = process_connect(pid);
    if (fd < 0) {
        return connect_refuse(pid, errno == EPERM, why);
    }
    struct geo_debug_session *session = calloc(1, sizeof(*session));
    if (!session) {
        close(fd);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    session->control = geo_fd_keep(fd);
    session->events = GEO_FD_NONE;
    session->process = geo_fd_keep((int)syscall(SYS_pidfd_open, (pid_t)pid, 0));
    pthread_mutex_init(&session->lock, NULL);
    result = session_hello(session, device, why);
    if (result != ZE_RESULT_SUCCESS) {
        session_free(session);
        return result == ZE_RESULT_ERROR_DEVICE_LOST ? ZE_RESULT_ERROR_NOT_AVAILABLE : result;
    }
    session_link(session);
    *out = session;
    return ZE_RESULT_SUCCESS;
}

void geo_cpu_debug_client_detach(struct geo_debug_session *session)
{
    struct geo_cpu_debug_request request = {.kind = GEO_CPU_DEBUG_DETACH};
    struct geo_strbuf why;
    geo_strbuf_init(&why, GEO_CPU_DEBUG_WHY_BYTES);
    (void)geo_cpu_debug_client_ask(session, &request, NULL, 0, NULL, 0, &why);
    geo_strbuf_finish(&why);
    session_unlink(session);
    session_free(session);
}

/* ---- events ---- */

static ze_result_t end_tell(struct geo_debug_session *session, zet_debug_event_t *event)
{
    atomic_store(&session->ended, true);
    if (session->end_told) {
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    session->end_told = true;
    memset(event, 0, sizeof(*event));
    event->type = ZET_DEBUG_EVENT_TYPE_DETACHED;
    event->info.detached.reason = ZET_DEBUG_DETACH_REASON_HOST_EXIT;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_cpu_debug_client_event(struct geo_debug_session *session, uint64_t timeout_ns,
                                       zet_debug_event_t *event)
{
    const uint64_t deadline = geo_deadline_ns(timeout_ns);
    struct geo_cpu_debug_event message;
    for (;;) {
        const bool ready = socket_await(session, &session->events, deadline);
        const bool gone = process_is_gone(session);
        const ssize_t length = geo_cpu_debug_socket_receive(geo_fd_get(&session->events), &message,
                                                            sizeof(message), NULL, 0, NULL);
        if (length == (ssize_t)sizeof(message) && message.magic == GEO_CPU_DEBUG_MAGIC) {
            *event = message.event;
            return ZE_RESULT_SUCCESS;
        }
        if (length >= 0 || errno != EAGAIN || gone) {
            return end_tell(session, event);
        }
        if (!ready) {
            return ZE_RESULT_NOT_READY;
        }
    }
}
