/* Starts our threads and ends the process when only they are left. See thread.h. Fault signals stay
 * unblocked: the faults of a kernel go to the thread that runs it.
 *
 * Each thread of ours counts itself in `alive` while it runs. A thread that is just beginning or
 * ending therefore counts as the application's, which only delays the end. */
#include "exec/thread/thread.h"

#include "base/assert.h"
#include "base/cancel.h"
#include "exec/thread/caller.h"

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

/* time between two looks at the threads: at first, and in the long run */
#define LOOK_MIN_NS 10000000L
#define LOOK_MAX_NS 640000000L

_Static_assert(STACK_BYTES >= 2 * GEO_CALLER_STACK_BYTES, "room for compiled code");

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

#define START_COUNT 64u

/* The main function of a new thread and its argument. It is static memory, because the thread must
 * not free it. (A thread that calls malloc or free gets an arena of the C library, which reserves
 * 64 MiB of addresses.) */
struct start {
    _Atomic bool taken; /* until the thread has read it */
    void *(*main)(void *);
    void *argument;
};

static struct start starts[START_COUNT];

static _Atomic uint32_t created;   /* our threads that were created and have not ended */
static _Atomic uint32_t alive;     /* our threads that run */
static _Atomic bool main_is_known; /* thread_ends will be called for the main thread */
static _Atomic bool watched;       /* a thread watches for the end of the process */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t end_key; /* its destructor runs when a thread of the application ends */
static bool key_made;
static _Thread_local __attribute__((tls_model("initial-exec"))) bool ours;

/* ---- the end of the application's threads ---- */

static bool is_main(void)
{
    return gettid() == getpid();
}

/* Returns true if the main thread has ended and others have not: the system keeps its entry until
 * then. */
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
    const char *state = strrchr(text, ')'); /* behind the name, which may contain anything */
    return state && strncmp(state, ") Z", 3) == 0;
}

/* Returns the number of threads of the process, including a main thread that has ended; 0:
 * unknown. */
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

/* Called when a thread of the application ends. Starts the watch if the main thread ends, or if it
 * has ended before. If nothing will be called for the main thread, because another thread loaded
 * the library, the watch starts with the first thread that ends. Without threads of ours there is
 * nothing to do. A thread of ours that was created but does not run yet counts, too. */
static void thread_ends(void *unused)
{
    (void)unused;
    bool matters = is_main() || !atomic_load(&main_is_known) || main_has_ended();
    if (matters && atomic_load(&created) != 0 && !atomic_exchange(&watched, true) &&
        !geo_exec_thread_start(end_watch, NULL)) {
        atomic_store(&watched, false);
    }
}

static void key_make(void)
{
    key_made = pthread_key_create(&end_key, thread_ends) == 0;
}

/* Registers the calling thread as one of the application's. */
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

void geo_exec_thread_after_fork(void)
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
    GEO_ASSERT(atomic_load(&start->taken) && !ours);
    void *(*const run)(void *) = start->main;
    void *const argument = start->argument;
    atomic_store(&start->taken, false);
    ours = true;
    /* host functions of the program may learn its pthread_t and cancel it */
    (void)geo_cancel_hold();
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

/* Takes a free start record. If all are taken, as many threads are about to begin, and one of them
 * will return its record soon. */
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

bool geo_exec_thread_start(void *(*main)(void *), void *argument)
{
    GEO_ASSERT(main);
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
