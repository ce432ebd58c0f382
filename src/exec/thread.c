/* See thread.h. Faults stay deliverable: a kernel's belong to the thread that runs it.
 *
 * How many threads of ours there are each of them counts itself, while it runs: so a thread that is
 * just beginning or ending counts as the application's, which is the safe mistake. */
#include "exec/thread.h"

#include "base/cancel.h"
#include "exec/caller.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (2u << 20)
#define GUARD_BYTES (256u << 10) /* compiled kernels do not touch every page of a large frame */

#define LOOK_MIN_NS 10000000L /* between two looks at the threads, at first and in the long run */
#define LOOK_MAX_NS 640000000L

_Static_assert(STACK_BYTES >= 2 * GEO_CALLER_STACK_BYTES, "room for compiled code");

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

#define START_COUNT 64u

/* What a new thread runs. The thread must not free it: a thread that calls malloc or free gets an
 * arena of the C library, which reserves 64 MiB of addresses. */
struct start {
    _Atomic bool taken; /* until the thread has read it */
    void *(*main)(void *);
    void *argument;
};

static struct start starts[START_COUNT];

static _Atomic uint32_t created;   /* threads of ours that were created and have not ended */
static _Atomic uint32_t alive;     /* threads of ours that run */
static _Atomic bool main_is_known; /* the end of the main thread is told */
static _Atomic bool watched;       /* a thread watches for the end */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t end_key; /* its destructor tells of the end of a thread of the application */
static bool key_made;
static _Thread_local __attribute__((tls_model("initial-exec"))) bool ours;

/* ---- the end of the application's threads ---- */

static bool is_main(void)
{
    return gettid() == getpid();
}

/* Returns true when the main thread has ended and others have not: the system keeps it until then. */
static bool main_has_ended(void)
{
    char text[512];
    snprintf(text, sizeof(text), "/proc/self/task/%d/stat", (int)getpid());
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[length > 0 ? length : 0] = '\0';
    const char *state = strrchr(text, ')'); /* behind the name, which may be anything */
    return state && strncmp(state, ") Z", 3) == 0;
}

/* Returns how many threads the process has, with a main thread that has ended; 0: not known. */
static uint32_t threads_count(void)
{
    uint32_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    while (tasks && (entry = readdir(tasks)) != NULL) { /* NOLINT(concurrency-mt-unsafe): its own */
        count += entry->d_name[0] != '.';
    }
    if (tasks) {
        closedir(tasks);
    }
    return count;
}

static void *end_watch(void *unused)
{
    struct timespec nap = {.tv_nsec = LOOK_MIN_NS};
    while (!main_has_ended() || threads_count() != atomic_load(&alive) + 1) {
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec < LOOK_MAX_NS ? 2 * nap.tv_nsec : LOOK_MAX_NS;
    }
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    exit(0);
    return unused;
}

/* The main thread's end is what matters, and that of later ones which have used the library since.
 * Where the main thread's would not be told, because another thread loaded the library, the end of
 * that one is the occasion to begin. Without threads of ours nothing has to be done; one that was
 * created and has not begun to run keeps the process as well. */
static void thread_ends(void *unused)
{
    (void)unused;
    bool matters = is_main() || !atomic_load(&main_is_known) || main_has_ended();
    if (matters && atomic_load(&created) != 0 && !atomic_exchange(&watched, true) &&
        !geo_thread_start(end_watch, NULL)) {
        atomic_store(&watched, false);
    }
}

static void key_make(void)
{
    key_made = pthread_key_create(&end_key, thread_ends) == 0;
}

/* Notes that the calling thread is the application's. */
static void thread_note(void)
{
    pthread_once(&key_once, key_make);
    if (!ours && key_made && !atomic_load(&watched) && !pthread_getspecific(end_key) &&
        pthread_setspecific(end_key, &end_key) == 0 && is_main()) {
        atomic_store(&main_is_known, true);
    }
}

__attribute__((constructor)) static void main_note(void)
{
    if (is_main()) {
        thread_note();
    }
}

void geo_thread_after_fork(void)
{
    ours = false;
    for (uint32_t i = 0; i < START_COUNT; i++) {
        atomic_store(&starts[i].taken, false);
    }
    atomic_store(&created, 0);
    atomic_store(&alive, 0);
    atomic_store(&watched, false);
    atomic_store(&main_is_known, key_made && pthread_getspecific(end_key) != NULL);
}

/* ---- our threads ---- */

static void *thread_run(void *data)
{
    struct start *start = data;
    void *(*const run)(void *) = start->main;
    void *const argument = start->argument;
    atomic_store(&start->taken, false);
    ours = true;
    (void)geo_cancel_hold(); /* host functions of the program learn its pthread_t */
    atomic_fetch_add(&alive, 1);
    void *result = run(argument);
    atomic_fetch_sub(&alive, 1);
    atomic_fetch_sub(&created, 1);
    return result;
}

static int thread_create(struct start *start)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    int failed = pthread_attr_init(&attributes);
    if (failed) {
        return failed;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES + GUARD_BYTES);
    pthread_attr_setguardsize(&attributes, GUARD_BYTES);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        sigdelset(&all, faults[i]);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&thread, &attributes, thread_run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

/* Takes a free record. When all are taken, as many threads are about to begin: one will return its
 * record soon. */
static struct start *start_take(void)
{
    for (uint32_t i = 0;; i = (i + 1) % START_COUNT) {
        if (!atomic_exchange(&starts[i].taken, true)) {
            return &starts[i];
        }
        if (i == START_COUNT - 1) {
            sched_yield();
        }
    }
}

bool geo_thread_start(void *(*main)(void *), void *argument)
{
    struct start *start = start_take();
    start->main = main;
    start->argument = argument;
    thread_note();
    atomic_fetch_add(&created, 1);
    int failed = thread_create(start);
    if (failed) {
        atomic_fetch_sub(&created, 1);
        atomic_store(&start->taken, false);
    }
    errno = failed;
    return failed == 0;
}
