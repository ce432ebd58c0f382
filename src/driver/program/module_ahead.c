/* The thread that builds kernels ahead, and its list of modules. See module_ahead.h.
 *
 *     list --> module --> module --> ...        protected by the list's mutex
 *       |
 *     thread: wait until a core is idle, take a kernel of the first module, build it without the
 *             mutex, move the module to the end; a module without kernels leaves the list
 *
 * The list has no references. A module leaves it when its handle is destroyed, and the thread
 * references the module that it works on. */
#include "driver/program/module_ahead.h"

#include "base/cancel.h"
#include "base/fork.h"
#include "base/lock.h"
#include "driver/compile/build.h"
#include "driver/program/module_deferred.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES   ((size_t)1 << 18) /* builds have threads of their own */
#define SECOND_NS     UINT64_C(1000000000)
#define LOOK_NS       UINT64_C(5000000) /* for which a core must have been idle */
#define LOOK_LIMIT_NS UINT64_C(80000000)
/* Builds get a tenth of a core on which the program's threads run, too. The priority is not lower
 * still, because a program that creates the kernel waits for this build, and the system does not
 * let it raise a priority again. */
#define NICENESS 10

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct geo_module *first;   /* modules with kernels left */
static struct geo_module *current; /* referenced by the thread */
static bool running;               /* the thread exists and will look at the list again */

/* ---- the list ---- */

static bool list_is_locked(void)
{
    return geo_mutex_held(&mutex);
}

static struct geo_module **link_of(const struct geo_module *module)
{
    struct geo_module **link = &first;
    GEO_ASSERT(list_is_locked());
    while (*link && *link != module) {
        link = &(*link)->next_ahead;
    }
    return link;
}

static void list_remove(struct geo_module *module)
{
    struct geo_module **link = link_of(module);
    if (*link) {
        *link = module->next_ahead;
        module->next_ahead = NULL;
    }
}

static void list_append(struct geo_module *module)
{
    struct geo_module **link = link_of(NULL);
    GEO_ASSERT(!*link && !module->next_ahead);
    *link = module;
}

uint32_t geo_module_ahead_count(void)
{
    uint32_t count = 0;
    pthread_mutex_lock(&mutex);
    for (const struct geo_module *module = first; module; module = module->next_ahead) {
        count++;
    }
    pthread_mutex_unlock(&mutex);
    return count;
}

/* ---- the thread ---- */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* Sleeps for a time. Returns whether the process left at least three quarters of a core idle
 * meanwhile. */
static bool core_was_idle(uint32_t cores, uint64_t ns)
{
    const struct timespec nap = {.tv_nsec = (long)ns};
    uint64_t used = clock_ns(CLOCK_PROCESS_CPUTIME_ID), start = clock_ns(CLOCK_MONOTONIC);
    nanosleep(&nap, NULL);
    used = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used;
    uint64_t passed = clock_ns(CLOCK_MONOTONIC) - start;
    return used + passed / 4 * 3 <= cores * passed;
}

/* Takes the next kernel. Its module, which is referenced, goes to the end of the list, or leaves it
 * if this is the last of its kernels. Returns NULL if no kernel is left: the thread ends. */
static struct geo_module *task_take(uint32_t *kernel)
{
    pthread_mutex_lock(&mutex);
    GEO_ASSERT(running && !current);
    while (first && !current) {
        struct geo_module *module = first;
        list_remove(module);
        if (geo_module_deferred_next(module, kernel)) {
            list_append(module);
            geo_object_ref(&module->base);
            current = module;
        }
    }
    running = current != NULL;
    struct geo_module *taken = current;
    pthread_mutex_unlock(&mutex);
    return taken;
}

/* Returns how many cores the device of the first module has; 0: the list is empty. */
static uint32_t cores_wanted(void)
{
    pthread_mutex_lock(&mutex);
    uint32_t cores = first ? geo_module_cores(first) : 0;
    pthread_mutex_unlock(&mutex);
    return cores;
}

static void idle_await(void)
{
    uint64_t ns = LOOK_NS;
    for (uint32_t cores; (cores = cores_wanted()) && !core_was_idle(cores, ns);) {
        ns = ns < LOOK_LIMIT_NS ? 2 * ns : ns;
    }
}

static void *ahead_main(void *argument)
{
    (void)argument;
    (void)geo_cancel_hold();
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS); /* builds' threads inherit it */
    for (;;) {
        uint32_t kernel;
        idle_await();
        struct geo_module *module = task_take(&kernel);
        if (!module) {
            return NULL;
        }
        geo_module_deferred_build_ahead(module, kernel);
        pthread_mutex_lock(&mutex);
        current = NULL;
        pthread_mutex_unlock(&mutex);
        geo_object_unref(&module->base);
    }
}

static bool thread_start(void)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all); /* signals of the application go to its own threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, &attributes, ahead_main, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed == 0;
}

/* ---- modules ---- */

void geo_module_ahead_begin(struct geo_module *module)
{
    if (!module->deferred || !geo_build_kernels_ahead() || geo_module_cores(module) < 2) {
        return;
    }
    pthread_mutex_lock(&mutex);
    list_append(module);
    if (!running) {
        running = thread_start();
    }
    if (!running) {
        list_remove(module);
    }
    pthread_mutex_unlock(&mutex);
}

void geo_module_ahead_end(struct geo_module *module)
{
    if (module->deferred) {
        pthread_mutex_lock(&mutex);
        list_remove(module);
        pthread_mutex_unlock(&mutex);
    }
}

/* ---- fork ---- */

static void fork_prepare(void)
{
    pthread_mutex_lock(&mutex);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&mutex);
}

/* The child has no thread, and does not start one for modules of its parent. */
static void fork_child(void)
{
    struct geo_module *module = current;
    while (first) {
        list_remove(first);
    }
    current = NULL;
    running = false;
    pthread_mutex_unlock(&mutex);
    geo_object_unref(module ? &module->base : NULL);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_AHEAD,
    .prepare = fork_prepare,
    .parent = fork_parent,
    .child = fork_child,
};
GEO_FORK_AT_LOAD(fork_handler)
