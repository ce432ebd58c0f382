/* Builds in child processes, the caller's side. See service.h.
 *
 *     caller --- socket ---> helper program: opens this library, has limits, serves orders
 *
 * A child that is idle is used again. What ends one (a crash, LLVM, its limits) ends the one build;
 * the next has a new one. Children belong to nobody the application waits for: the helper's first
 * process forks and ends (process/helper.c). They end when their socket is closed. */
#include "compiler/facade/service.h"

#include <dlfcn.h>
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
#include <sys/wait.h>
#include <unistd.h>

#define HELPER   "geoid/geoid-build" /* beside the library */
#define IDLE_MAX 4u

/* A child of this process; under the mutex while it is in the list. */
struct child {
    struct child *next;
    int socket;
    bool busy;
};

static pthread_mutex_t children_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct child *children;

void geo_children_lock(void)
{
    pthread_mutex_lock(&children_mutex);
}

void geo_children_unlock(void)
{
    pthread_mutex_unlock(&children_mutex);
}

/* They are the parent's: here their sockets would keep them when the parent has gone. */
void geo_children_after_fork(void)
{
    for (struct child *child = children; child; child = child->next) {
        close(child->socket);
    }
    children = NULL;
}

/* ---- starting one ---- */

/* Where the library lies; its helper; false when that is not known. */
static bool paths_find(char *library, char *helper, size_t size)
{
    Dl_info self;
    if (!dladdr((void *)paths_find, &self) || !self.dli_fname) {
        return false;
    }
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash ? (int)(slash - self.dli_fname) : 1;
    const char *from = slash ? self.dli_fname : ".";
    return (size_t)snprintf(library, size, "%s", self.dli_fname) < size &&
           (size_t)snprintf(helper, size, "%.*s/%s", folder, from, HELPER) < size;
}

/* Of the environment the child gets our own switches and where libraries are. */
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

/* The socket is the child's standard input; it has no other descriptor, and no signal's handling. */
static int spawn_with(pid_t *pid, const char *helper, char *const *arguments,
                      char *const *variables, int socket)
{
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
    int failed = posix_spawn_file_actions_adddup2(&actions, socket, 0);
    failed =
        failed ? failed : posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, 1, 2);
    failed = failed ? failed : posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    failed =
        failed ? failed : posix_spawn(pid, helper, &actions, &attributes, arguments, variables);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* -1, with the reason in the log. */
static int helper_start(int socket, struct geo_strbuf *log)
{
    char library[4096], helper[4096];
    pid_t pid;
    int status = 0;
    if (!paths_find(library, helper, sizeof(library))) {
        geo_strbuf_printf(log, "note: no child process: where the compiler lies is not known\n");
        return -1;
    }
    char *const arguments[] = {helper, library, NULL};
    char **variables = environment_make();
    int failed = variables ? spawn_with(&pid, helper, arguments, variables, socket) : ENOMEM;
    free(variables);
    if (failed) {
        geo_strbuf_printf(log, "note: no child process: %s: %s\n", helper, strerror(failed));
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) { /* it goes at once; its child serves */
    }
    return 0;
}

/* What it says when it is ready. */
static bool child_is_ready(int socket, struct geo_strbuf *log)
{
    struct geo_message hello;
    bool ready = geo_message_receive(socket, &hello);
    free(hello.bytes);
    if (!ready) {
        geo_strbuf_printf(log, "note: no child process: the compiler does not start there\n");
    }
    return ready;
}

static struct child *child_start(struct geo_strbuf *log)
{
    int pair[2];
    struct child *child = calloc(1, sizeof(*child));
    if (!child || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        geo_strbuf_printf(log, "note: no child process: %s\n", strerror(errno));
        free(child);
        return NULL;
    }
    child->socket = pair[0];
    child->busy = true;
    int failed = helper_start(pair[1], log);
    close(pair[1]);
    if (failed || !child_is_ready(pair[0], log)) {
        close(pair[0]);
        free(child);
        return NULL;
    }
    geo_children_lock();
    child->next = children;
    children = child;
    geo_children_unlock();
    return child;
}

/* ---- the list ---- */

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
    geo_children_unlock();
    close(child->socket);
    free(child);
}

/* One that is idle; whether it still lives shows at its socket. */
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

static struct child *child_take(struct geo_strbuf *log)
{
    struct child *child;
    while ((child = child_idle()) != NULL) {
        struct pollfd state = {.fd = child->socket, .events = POLLIN};
        if (poll(&state, 1, 0) == 0) {
            return child;
        }
        child_end(child);
    }
    return child_start(log);
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

/* ---- talking ---- */

/* It ended without a word: killed, or hit where it could not tell. Another effort may work. */
static void answer_of_the_dead(struct geo_answer *answer)
{
    *answer = (struct geo_answer){
        .result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
        .gave_up = true,
        .log = strdup("note: code generation: the compiler's process ended\n"),
    };
}

bool geo_child_build(const struct geo_order *order, struct geo_answer *answer,
                     struct geo_strbuf *log)
{
    struct geo_message message;
    struct child *child = child_take(log);
    if (!child) {
        return false;
    }
    if (geo_message_send(child->socket, &order->message) &&
        geo_message_receive(child->socket, &message)) {
        if (geo_answer_read(&message, answer)) {
            child_give(child);
        } else {
            answer_of_the_dead(answer);
            child_end(child);
        }
        free(message.bytes);
    } else {
        answer_of_the_dead(answer);
        child_end(child);
    }
    return true;
}
