/* Creates, replaces and frees lists of enabled tracers. See active.h. */
#include "layers/tracing/active.h"

#include "base/cancel.h"
#include "base/fork.h"
#include "base/log.h"
#include "layers/tracing/part.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS 50000L /* interval at which waiting threads check again */
#define GRACE_NS    10000000L

_Atomic(struct geo_trace_active *) geo_trace_current;
atomic_bool geo_trace_fenced;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct geo_trace_active *retired; /* replaced lists that threads may still use */

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
    geo_trace_threads_forked();
    pthread_mutex_unlock(&lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_TRACERS,
    .prepare = fork_prepare,
    .parent = fork_parent,
    .child = fork_child,
};
GEO_FORK_AT_LOAD(fork_handler)

static bool membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* Prepares the barrier before the first list is published. Without membarrier, each call executes a
 * fence. The lock is held. */
static void barrier_prepare(void)
{
    static bool prepared;
    if (prepared) {
        return;
    }
    prepared = true;
    if (!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) {
        geo_log("tracing", GEO_LOG_INFO,
                "membarrier is not available (%s): every traced call executes a memory fence",
                strerror(errno));
        atomic_store(&geo_trace_fenced, true);
    }
}

/* Orders memory accesses of all threads against the caller's. After it returns, every thread that
 * is between the two steps of geo_trace_hold has made its first step visible, or will see the
 * caller's earlier stores in its second. The lock is held. */
static void barrier(void)
{
    if (!atomic_load(&geo_trace_fenced) && !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
        /* A system call filter was installed since. All pending stores become visible within the
         * delay. */
        atomic_store(&geo_trace_fenced, true);
        nanosleep(&(struct timespec){.tv_nsec = GRACE_NS}, NULL);
    }
    atomic_thread_fence(memory_order_seq_cst);
}

static void active_free(struct geo_trace_active *active)
{
    for (size_t i = 0; i < active->count; i++) {
        if (--active->tracers[i]->lists == 0) {
            free(active->tracers[i]);
        }
    }
    free(active);
}

/* Frees the replaced lists that no thread uses. The lock is held. */
static void retired_sweep(void)
{
    struct geo_trace_active **link = &retired;
    while (*link) {
        struct geo_trace_active *active = *link;
        if (geo_trace_thread_is_held(active)) {
            link = &active->retired;
        } else {
            *link = active->retired;
            active_free(active);
        }
    }
}

static bool wants(const struct geo_trace_active *active, size_t id)
{
    for (size_t i = 0; active && i < active->count; i++) {
        const struct geo_trace_row *row = &active->tracers[i]->rows.row[id];
        if (row->callbacks[0] || row->callbacks[1]) {
            return true;
        }
    }
    return false;
}

/* Makes a list current: new calls use it. The lock is held. */
static void active_publish(struct geo_trace_active *active)
{
    struct geo_trace_active *before = atomic_exchange(&geo_trace_current, active);
    for (size_t id = 0; id < GEO_DDI_FUNCTION_COUNT; id++) {
        const bool now = wants(active, id);
        if (now != wants(before, id)) {
            geo_layer_watch(GEO_TRACE_PART, (enum geo_ddi_function_id)id, now);
        }
    }
    barrier();
    if (before) {
        before->retired = retired;
        retired = before;
    }
    retired_sweep();
}

/* Publishes a copy of the current list without the tracer `without`, or with `with` at its end. The
 * lock is held. */
static ze_result_t active_replace(const struct geo_tracer *without, struct geo_trace_armed *with)
{
    const struct geo_trace_active *before = atomic_load(&geo_trace_current);
    const size_t count = before ? before->count : 0;
    struct geo_trace_active *active =
        calloc(1, sizeof(*active) + (count + 1) * sizeof(active->tracers[0]));
    if (!active) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        if (before->tracers[i]->tracer != without) {
            active->tracers[active->count++] = before->tracers[i];
        }
    }
    if (with) {
        active->tracers[active->count++] = with;
    }
    for (size_t i = 0; i < active->count; i++) {
        active->tracers[i]->lists++;
    }
    if (active->count == 0) {
        free(active);
        active = NULL;
    }
    active_publish(active);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_trace_arm(const struct geo_tracer *tracer, void *user,
                          const struct geo_trace_rows *rows)
{
    struct geo_trace_armed *armed = malloc(sizeof(*armed));
    if (!armed) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    memset(armed, 0, sizeof(*armed));
    armed->tracer = tracer;
    armed->user = user;
    armed->rows = *rows; /* copied directly, as it is too large for the stack */
    pthread_mutex_lock(&lock);
    barrier_prepare();
    const ze_result_t result = active_replace(NULL, armed);
    pthread_mutex_unlock(&lock);
    if (result != ZE_RESULT_SUCCESS) {
        free(armed);
    }
    return result;
}

ze_result_t geo_trace_disarm(const struct geo_tracer *tracer)
{
    pthread_mutex_lock(&lock);
    const ze_result_t result = active_replace(tracer, NULL);
    pthread_mutex_unlock(&lock);
    return result;
}

static bool has_tracer(const struct geo_trace_active *active, const struct geo_tracer *tracer)
{
    for (size_t i = 0; active && i < active->count; i++) {
        if (active->tracers[i]->tracer == tracer) {
            return true;
        }
    }
    return false;
}

/* Returns whether a call in progress uses the tracer. The lock is held. */
static bool is_held(const struct geo_tracer *tracer)
{
    retired_sweep();
    for (const struct geo_trace_active *active = retired; active; active = active->retired) {
        if (has_tracer(active, tracer)) {
            return true;
        }
    }
    return false;
}

ze_result_t geo_trace_wait(const struct geo_tracer *tracer)
{
    GEO_CANCEL_HOLD; /* otherwise the tracer would stay half destroyed */
    const struct geo_trace_thread *here = geo_trace_thread_here;
    if (here && has_tracer(atomic_load(&here->held), tracer)) {
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    }
    for (;;) {
        pthread_mutex_lock(&lock);
        const bool held = is_held(tracer);
        pthread_mutex_unlock(&lock);
        if (!held) {
            return ZE_RESULT_SUCCESS;
        }
        nanosleep(&(struct timespec){.tv_nsec = PATIENCE_NS}, NULL);
    }
}
