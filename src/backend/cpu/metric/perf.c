/* Opens, checks and reads counters of threads. See perf.h.
 *
 * The state of each thread is in a static table, so that the thread that ends a selection can stop
 * the counters of all. `perf_lock` is held to open, close and stop counters, not to read them. */
#include "backend/cpu/metric/perf.h"

#include "base/assert.h"
#include "base/fork.h"
#include "exec/thread/sync.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>

#define THREADS 1024u /* further threads do not count */

/* The counters of a thread. The first event leads the group. */
struct perf_thread {
    _Atomic bool taken;
    uint32_t selection; /* for which they were opened; 0: none */
    uint32_t process;   /* fork generation in which they were opened */
    int fds[GEO_CPU_METRIC_PERF_EVENTS];
    uint64_t ids[GEO_CPU_METRIC_PERF_EVENTS];
};

static struct perf_thread threads[THREADS];
static struct geo_lock perf_lock;
static _Atomic(const struct geo_cpu_metric_perf_set *) selected;
static _Atomic uint32_t selection; /* counts the selections; 0: there was none */

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;
static _Thread_local struct perf_thread *own;

static int event_open(const struct geo_cpu_metric_perf_event *event, int leader)
{
    struct perf_event_attr attributes = {
        .type = event->type,
        .size = sizeof(attributes),
        .config = event->config,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .pinned = leader < 0, /* all the time or not at all: values are never extrapolated */
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Returns whether a descriptor still is the event of this number. */
static bool event_is(int fd, uint64_t id)
{
    uint64_t now = 0;
    return fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, &now) == 0 && now == id;
}

static void counters_close_locked(struct perf_thread *thread)
{
    GEO_ASSERT(geo_lock_held(&perf_lock));
    for (uint32_t i = GEO_CPU_METRIC_PERF_EVENTS; thread->selection != 0 && i-- > 0;) {
        if (event_is(thread->fds[i], thread->ids[i])) {
            close(thread->fds[i]);
        }
        thread->fds[i] = -1;
    }
    thread->selection = 0;
}

/* Opens a set for the calling thread. Returns 0 or an errno; nothing is open then. */
static int counters_open_locked(struct perf_thread *thread,
                                const struct geo_cpu_metric_perf_set *set, uint32_t number)
{
    int error = 0;
    GEO_ASSERT(geo_lock_held(&perf_lock) && thread->selection == 0 && number != 0);
    thread->selection = number;
    thread->process = geo_fork_generation();
    for (uint32_t i = 0; i < GEO_CPU_METRIC_PERF_EVENTS; i++) {
        thread->fds[i] = -1;
    }
    for (uint32_t i = 0; error == 0 && i < GEO_CPU_METRIC_PERF_EVENTS; i++) {
        thread->fds[i] = event_open(&set->events[i], i == 0 ? -1 : thread->fds[0]);
        if (thread->fds[i] < 0 || ioctl(thread->fds[i], PERF_EVENT_IOC_ID, &thread->ids[i]) != 0) {
            error = errno;
        }
    }
    if (error != 0) {
        counters_close_locked(thread);
    }
    return error;
}

/* ---- selections ---- */

/* Tries to open a set on this thread. Returns 0 or an errno. */
static int set_try(const struct geo_cpu_metric_perf_set *set)
{
    struct perf_thread trial = {.selection = 0};
    geo_lock_acquire(&perf_lock);
    int error = counters_open_locked(&trial, set, 1);
    if (error == 0) {
        counters_close_locked(&trial);
    }
    geo_lock_release(&perf_lock);
    return error;
}

static bool error_is_denial(int error)
{
    return error == EACCES || error == EPERM;
}

bool geo_cpu_metric_perf_exists(const struct geo_cpu_metric_perf_set *set)
{
    const int error = set_try(set);
    return error == 0 || error_is_denial(error);
}

/* Stops the counters of all threads, which close them later. */
static void counters_stop(void)
{
    geo_lock_acquire(&perf_lock);
    for (uint32_t i = 0; i < THREADS; i++) {
        const struct perf_thread *thread = &threads[i];
        if (thread->selection != 0 && thread->process == geo_fork_generation() &&
            event_is(thread->fds[0], thread->ids[0])) {
            (void)ioctl(thread->fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
        }
    }
    geo_lock_release(&perf_lock);
}

ze_result_t geo_cpu_metric_perf_select(const struct geo_cpu_metric_perf_set *set,
                                       struct geo_strbuf *why)
{
    const int error = set ? set_try(set) : 0;
    if (error_is_denial(error)) {
        geo_strbuf_printf(why,
                          "the system denies the processor's counters (%s): "
                          "/proc/sys/kernel/perf_event_paranoid must be at most 2, and a container "
                          "must allow perf_event_open",
                          strerror(error));
        return ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS;
    }
    if (error != 0) {
        geo_strbuf_printf(why, "the processor's counters cannot be opened: %s", strerror(error));
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    atomic_store(&selected, set);
    atomic_fetch_add(&selection, 1);
    counters_stop();
    return ZE_RESULT_SUCCESS;
}

/* ---- threads ---- */

/* Closes the counters of a thread that ends. */
static void thread_end(void *value)
{
    struct perf_thread *thread = value;
    geo_lock_acquire(&perf_lock);
    counters_close_locked(thread);
    atomic_store(&thread->taken, false);
    geo_lock_release(&perf_lock);
    own = NULL;
}

static void key_make(void)
{
    key_made = pthread_key_create(&key, thread_end) == 0;
}

/* Gives the calling thread a place in the table. Returns NULL if all are taken. */
static struct perf_thread *thread_get(void)
{
    pthread_once(&key_once, key_make);
    for (uint32_t i = 0; key_made && !own && i < THREADS; i++) {
        bool taken = false;
        if (atomic_compare_exchange_strong(&threads[i].taken, &taken, true)) {
            own = &threads[i];
        }
    }
    if (own && pthread_getspecific(key) != own && pthread_setspecific(key, own) != 0) {
        atomic_store(&own->taken, false);
        own = NULL;
    }
    return own;
}

/* Opens the current selection for a thread that has another one. Counters that cannot be opened are
 * not tried again until the next selection. */
static void thread_renew(struct perf_thread *thread, uint32_t number)
{
    const struct geo_cpu_metric_perf_set *set = atomic_load(&selected);
    geo_lock_acquire(&perf_lock);
    counters_close_locked(thread);
    if (set && counters_open_locked(thread, set, number) != 0) {
        thread->selection = number;
        thread->process = geo_fork_generation();
    }
    geo_lock_release(&perf_lock);
}

bool geo_cpu_metric_perf_read(uint64_t counts[1 + GEO_CPU_METRIC_PERF_EVENTS])
{
    struct {
        uint64_t count, running_ns, values[GEO_CPU_METRIC_PERF_EVENTS];
    } group;
    const uint32_t number = atomic_load_explicit(&selection, memory_order_acquire);
    struct perf_thread *thread = own ? own : thread_get();
    if (!thread || !atomic_load_explicit(&selected, memory_order_relaxed)) {
        return false;
    }
    if (thread->selection != number || thread->process != geo_fork_generation()) {
        thread_renew(thread, number);
    }
    if (!event_is(thread->fds[0], thread->ids[0]) ||
        read(thread->fds[0], &group, sizeof(group)) != sizeof(group)) {
        return false;
    }
    counts[0] = group.running_ns;
    memcpy(counts + 1, group.values, sizeof(group.values));
    return true;
}

void geo_cpu_metric_perf_after_fork(void)
{
    geo_lock_reset(&perf_lock);
}
