/* The caller's side of builds in child processes. See service.h.
 *
 *     caller --- socket ---> helper program: opens this library, has limits, serves orders
 *            --- lifeline ->
 *
 * Idle children are reused. A crash, a failure of LLVM or a limit ends a child and its current
 * build only; the next build gets a new child. The application receives neither SIGCHLD nor an exit
 * status of children (spawn.h).
 *
 * The kernel kills a child when the caller's end of its lifeline closes, for any reason. The
 * lifeline is a pipe that nobody writes to. A child is untrusted, since a hostile module may have
 * taken it over: so its cooperation is not needed, and each wait for an answer has a time limit. */
#include "compiler/facade/service.h"

#include "base/fd.h"
#include "base/path.h"
#include "base/room.h"
#include "compiler/facade/job.h"
#include "compiler/facade/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELPER   "geoid/geoid-build" /* path below the folder of the library */
#define IDLE_MAX 4u

/* Descriptors of a child: the caller's two ends, and the child's two until it has started. */
enum end {
    SOCKET,
    LIFELINE,
    ITS_SOCKET,
    ITS_LIFELINE,
    END_COUNT,
};

/* A child of this process. While it is in the list, the mutex protects it. */
struct child {
    struct child *next;
    struct geo_fd ends[END_COUNT];
    struct geo_starter starter;
    bool busy;
};

static pthread_mutex_t children_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct child *children, *leaving; /* `leaving`: given up, starter still running */

void geo_children_lock(void)
{
    pthread_mutex_lock(&children_mutex);
}

void geo_children_unlock(void)
{
    pthread_mutex_unlock(&children_mutex);
}

static void ends_close(struct child *child, enum end first)
{
    for (enum end end = first; end < END_COUNT; end++) {
        geo_fd_close(&child->ends[end]);
    }
}

/* Closes the parent's descriptors in the child of a fork. Otherwise the lifelines would keep the
 * builders alive after the parent's end. */
void geo_children_after_fork(void)
{
    for (struct child *child = children; child; child = child->next) {
        ends_close(child, SOCKET);
    }
    children = NULL;
    leaving = NULL;
}

/* (children_mutex held) Frees the records of children that were given up, once their starters have
 * ended. The starter is the process between the application and the child (spawn.h). */
static void leaving_reap(void)
{
    for (struct child **link = &leaving; *link;) {
        struct child *child = *link;
        if (geo_starter_reap(&child->starter)) {
            *link = child->next;
            free(child);
        } else {
            link = &child->next;
        }
    }
}

static void child_end(struct child *child)
{
    geo_children_lock();
    struct child **place = &children;
    while (*place && *place != child) {
        place = &(*place)->next;
    }
    if (*place) {
        *place = child->next;
    }
    ends_close(child, SOCKET);
    child->next = leaving;
    leaving = child;
    leaving_reap();
    geo_children_unlock();
}

/* ---- starting a child ---- */

/* Returns whether a child gets this environment variable: our own options and library paths. */
static bool variable_passes(const char *variable)
{
    static const char *const names[] = {"GEOID_",
                                        "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS="};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

static char **environment_make(void)
{
    size_t count = 0, used = 0;
    while (environ && environ[count]) {
        count++;
    }
    char **result = calloc(count + 1, sizeof(*result));
    for (size_t i = 0; result && i < count && environ[i]; i++) {
        if (variable_passes(environ[i])) {
            result[used++] = environ[i];
        }
    }
    return result;
}

/* Returns whether the working directory differs from that at load time. If so, the child starts in
 * the earlier one, so that relative paths in its environment (LD_LIBRARY_PATH, GEOID_DUMP) keep
 * their meaning. */
static bool folder_has_changed(void)
{
    GEO_ROOM(char, now, GEO_PATH_BYTES);
    return geo_path_folder()[0] &&
           (!now || !getcwd(now, GEO_PATH_BYTES) || strcmp(now, geo_path_folder()) != 0);
}

/* Arguments for starting a helper program. */
struct helper {
    const struct child *child;
    char *const *arguments, *const *variables;
};

/* Sets up the child's descriptors: the socket as standard input, the lifeline as number 3, and no
 * others. The lifeline's own number is at least 3, so that the socket's copy cannot overwrite
 * it. */
static int actions_fill(posix_spawn_file_actions_t *actions, const struct child *child)
{
    int failed = posix_spawn_file_actions_adddup2(actions, child->ends[ITS_SOCKET].number, 0);
    failed = failed ? failed
                    : posix_spawn_file_actions_adddup2(actions, child->ends[ITS_LIFELINE].number,
                                                       GEO_CHILD_LIFELINE);
    failed =
        failed ? failed : posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, 1, 2);
    failed =
        failed ? failed : posix_spawn_file_actions_addclosefrom_np(actions, GEO_CHILD_LIFELINE + 1);
    if (!failed && folder_has_changed()) {
        failed = posix_spawn_file_actions_addchdir_np(actions, geo_path_folder());
    }
    return failed;
}

/* Starts the helper with an empty signal mask and default signal actions. Called in the starter. */
static int helper_spawn(void *data, pid_t *pid)
{
    const struct helper *helper = data;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return ENOMEM;
    }
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failed = actions_fill(&actions, helper->child);
    failed = failed ? failed
                    : posix_spawn(pid, helper->arguments[0], &actions, &attributes,
                                  helper->arguments, helper->variables);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Starts the helper of a child. Returns 0, or -1 with the reason in the log. */
static int helper_start(struct child *child, struct geo_strbuf *log)
{
    GEO_ROOM_TEXT(library, geo_path_beside((const void *)helper_start, NULL));
    GEO_ROOM_TEXT(path, geo_path_beside((const void *)helper_start, HELPER));
    if (!library || !path) {
        geo_strbuf_printf(log, "note: no child process: the path of the compiler is unknown\n");
        return -1;
    }
    char *const arguments[] = {path, library, NULL};
    char **variables = environment_make();
    struct helper helper = {child, arguments, variables};
    int failed = variables ? geo_spawn(&child->starter, helper_spawn, &helper) : ENOMEM;
    free(variables);
    if (failed) {
        geo_strbuf_printf(log, "note: no child process: %s: %s\n", path, strerror(failed));
        return -1;
    }
    return 0;
}

/* Waits for the message that a child sends when it is ready. */
static bool child_is_ready(const struct child *child, uint64_t until_ns, struct geo_strbuf *log)
{
    const struct geo_message_bounds bounds = {.until_ns = until_ns};
    struct geo_message hello;
    bool ready = geo_message_receive(geo_fd_get(&child->ends[SOCKET]), &hello, &bounds);
    if (!ready) {
        geo_strbuf_printf(log, "note: no child process: the compiler does not start in it\n");
    }
    return ready;
}

static bool ends_make(struct child *child)
{
    int pair[2], lifeline[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return false;
    }
    child->ends[SOCKET] = geo_fd_keep(pair[0]);
    child->ends[ITS_SOCKET] = geo_fd_keep(pair[1]);
    if (pipe2(lifeline, O_CLOEXEC) != 0) {
        return false;
    }
    child->ends[LIFELINE] = geo_fd_keep(lifeline[1]);
    child->ends[ITS_LIFELINE] =
        geo_fd_keep(fcntl(lifeline[0], F_DUPFD_CLOEXEC, GEO_CHILD_LIFELINE));
    close(lifeline[0]);
    return child->ends[ITS_LIFELINE].number >= 0;
}

/* Creates a child and its descriptors. It is in the list while the descriptors are made, so that a
 * fork in another thread closes them. */
static struct child *child_create(struct geo_strbuf *log)
{
    struct child *child = calloc(1, sizeof(*child));
    bool made = false;
    if (child) {
        for (enum end end = SOCKET; end < END_COUNT; end++) {
            child->ends[end] = GEO_FD_NONE;
        }
        child->busy = true;
        geo_children_lock();
        made = ends_make(child);
        child->next = children;
        children = child;
        geo_children_unlock();
    }
    if (!made) {
        geo_strbuf_printf(log, "note: no child process: %s\n", strerror(errno));
    }
    if (child && !made) {
        child_end(child);
    }
    return made ? child : NULL;
}

static struct child *child_start(uint64_t until_ns, struct geo_strbuf *log)
{
    struct child *child = child_create(log);
    bool started = child && helper_start(child, log) == 0;
    if (child) {
        geo_children_lock();
        ends_close(child, ITS_SOCKET);
        geo_children_unlock();
    }
    if (child && (!started || !child_is_ready(child, until_ns, log))) {
        child_end(child);
        return NULL;
    }
    return child;
}

/* ---- the list ---- */

/* Returns an idle child, now marked busy, or NULL. The child may have died, or the program may have
 * closed its descriptors: the caller checks. */
static struct child *child_idle(void)
{
    struct child *found = NULL;
    geo_children_lock();
    for (struct child *child = children; child && !found; child = child->next) {
        found = child->busy ? NULL : child;
    }
    if (found) {
        found->busy = true;
    }
    geo_children_unlock();
    return found;
}

static struct child *child_take(uint64_t until_ns, struct geo_strbuf *log)
{
    struct child *child;
    geo_children_lock();
    leaving_reap();
    geo_children_unlock();
    while ((child = child_idle()) != NULL) {
        struct pollfd state = {.fd = geo_fd_get(&child->ends[SOCKET]), .events = POLLIN};
        if (state.fd >= 0 && poll(&state, 1, 0) == 0) {
            return child;
        }
        child_end(child);
    }
    return child_start(until_ns, log);
}

static void child_give(struct child *child)
{
    unsigned idle = 0;
    geo_children_lock();
    for (const struct child *other = children; other; other = other->next) {
        idle += !other->busy;
    }
    bool keep = idle < IDLE_MAX;
    child->busy = !keep;
    geo_children_unlock();
    if (!keep) {
        child_end(child);
    }
}

/* ---- orders and answers ---- */

/* Fills the answer for a child that ended without one: it was killed, or crashed too hard to
 * report. Another effort may work. */
static void answer_of_the_dead(struct geo_answer *answer)
{
    *answer = (struct geo_answer){
        .result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
        .gave_up = true,
        .log = strdup("note: code generation: the compiler's process ended\n"),
    };
}

/* Fills the answer for a child that does not answer in time. Another effort is unlikely to be
 * faster. */
static void answer_of_the_late(const struct geo_order *order, struct geo_answer *answer)
{
    struct geo_strbuf log;
    size_t length;
    geo_strbuf_init(&log, 0);
    geo_strbuf_printf(
        &log,
        "error: the build was stopped: the compiler's process did not answer; " GEO_JOB_TOO_LATE
        "\n",
        (unsigned long long)order->seconds * GEO_JOB_WALL_FACTOR, GEO_JOB_WALL_FACTOR);
    *answer = (struct geo_answer){
        .result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
        .log = geo_strbuf_take(&log, &length),
    };
}

/* Returns whether a successful answer has what the order asks for. A build of PTX has no binary. */
static bool is_complete(const struct geo_order *order, const struct geo_answer *answer)
{
    return answer->result != ZE_RESULT_SUCCESS || answer->binary ||
           order->request.forms & GEO_COMPILER_PTX;
}

/* Returns bounds for the answer: it has code, a log that may grow when escaped, and a few words. */
static struct geo_message_bounds bounds_of(const struct geo_order *order)
{
    uint64_t ns, until;
    bool endless =
        order->seconds == 0 ||
        __builtin_mul_overflow(order->seconds, GEO_JOB_WALL_FACTOR * GEO_MESSAGE_SECOND_NS, &ns) ||
        __builtin_add_overflow(ns, geo_message_now_ns(), &until);
    uint64_t most = order->code_bytes + 4 * (uint64_t)GEO_BUILD_LOG_BYTES;
    return (struct geo_message_bounds){
        .until_ns = endless ? UINT64_MAX : until,
        .bytes = order->code_bytes && !order->request.forms ? most : UINT64_MAX,
    };
}

bool geo_children_build(const struct geo_order *order, struct geo_answer *answer,
                        struct geo_strbuf *log)
{
    const struct geo_message_bounds bounds = bounds_of(order);
    struct geo_message message = {0};
    struct child *child = child_take(bounds.until_ns, log);
    if (!child) {
        return false;
    }
    bool answered = geo_message_send(geo_fd_get(&child->ends[SOCKET]), &order->message, &bounds) &&
                    geo_message_receive(geo_fd_get(&child->ends[SOCKET]), &message, &bounds);
    bool read = answered && geo_answer_read(&message, answer);
    if (read && is_complete(order, answer)) {
        answer->last ? child_end(child) : child_give(child);
    } else if (!answered && geo_message_now_ns() >= bounds.until_ns) {
        answer_of_the_late(order, answer);
        child_end(child);
    } else {
        if (answered) {
            geo_answer_finish(answer);
        }
        answer_of_the_dead(answer);
        child_end(child);
    }
    free(message.bytes);
    return true;
}
