/* The end of the loader: teardown callbacks, and the switch to tables that return errors.
 *
 * The teardown runs at the last moment at which drivers can be called safely. Drivers that survive
 * exit are called until the loader's destructor runs, after all exit handlers. For other drivers
 * the teardown runs in an exit handler that is registered after their initialisation, and therefore
 * runs before their own handlers. Nothing is unloaded or freed, because other threads may be
 * inside. Calls are not counted, so the handler waits a moment for calls that are just entering a
 * driver. */
#include "loader/loader.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/fork.h"
#include "base/lock.h"
#include "base/log.h"
#include "ddi/geo_ddi_loader.h"
#include "loader/layers/layers.h"

#include <level_zero/loader/ze_loader.h>

#include <pthread.h>
#include <stdlib.h>
#include <sys/single_threaded.h>
#include <time.h>

/* A few scheduler slices: a thread that was preempted between reading a table and entering the
 * driver has run again by then. */
#define GRACE_NS 20000000L

struct teardown_callback {
    uint32_t index;
    zel_loader_teardown_callback_t call; /* NULL: already called or removed */
};

static struct {
    pthread_mutex_t lock; /* protects the list; never held while a callback runs */
    struct {
        struct teardown_callback *items; /* sorted by index */
        size_t count, capacity;
    } list;
    uint32_t last_index;
    size_t gone; /* number of items without a call */
    size_t next; /* next item to call, once the teardown has begun */
    bool closed; /* the teardown has begun, so no callback can be added */
} callbacks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void fork_prepare(void)
{
    pthread_mutex_lock(&callbacks.lock);
}

static void fork_release(void)
{
    pthread_mutex_unlock(&callbacks.lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_TEARDOWN,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_release,
};
GEO_FORK_AT_LOAD(fork_handler)

static bool exit_watched; /* the exit handler is registered; protected by the loader's lock */

/* Returns whether the list of callbacks agrees with its counts. Its lock is held. */
static bool callbacks_are_valid(void)
{
    const size_t count = callbacks.list.count;
    return geo_mutex_held(&callbacks.lock) && callbacks.gone <= count && callbacks.next <= count &&
           (callbacks.closed || callbacks.next == 0) &&
           (count == 0 || callbacks.list.items[count - 1].index <= callbacks.last_index);
}

/* Rejects new callbacks from now on. */
static void callbacks_close(void)
{
    pthread_mutex_lock(&callbacks.lock);
    callbacks.closed = true;
    pthread_mutex_unlock(&callbacks.lock);
}

/* Removes the oldest callback from the list and returns it. Returns false when the list is
 * empty. */
static bool callback_take(struct teardown_callback *callback)
{
    bool found = false;
    pthread_mutex_lock(&callbacks.lock);
    GEO_ASSERT(callbacks_are_valid() && callbacks.closed);
    while (!found && callbacks.next < callbacks.list.count) {
        struct teardown_callback *item = &callbacks.list.items[callbacks.next++];
        found = item->call != NULL;
        *callback = *item;
        item->call = NULL;
    }
    pthread_mutex_unlock(&callbacks.lock);
    return found;
}

void geo_loader_teardown(void)
{
    struct teardown_callback callback;
    if (atomic_load(&geo_loader_state.torn_down)) {
        return;
    }
    callbacks_close();
    /* Callbacks run before the switch, because they may release objects. */
    while (callback_take(&callback)) {
        callback.call();
    }
    geo_layers_end();
    atomic_store(&geo_loader_state.torn_down, true);
    atomic_store(&geo_loader, &geo_loader_start);
    atomic_store(&geo_loader_base, &geo_loader_start);
}

/* Returns whether every used library may be called until the process ends. */
static bool all_survive_exit(void)
{
    bool survive = true;
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        const struct geo_library *library = geo_loader_state.libraries.items[i];
        bool used = library->open && geo_library_serves(library);
        survive &= !used || library->refused || library->survives_exit;
    }
    return survive;
}

static atomic_bool ends_early; /* a used library does not survive exit */

static void exit_handler(void)
{
    if (!atomic_load(&ends_early)) {
        return;
    }
    geo_loader_teardown();
    if (!__libc_single_threaded) {
        nanosleep(&(struct timespec){.tv_nsec = GRACE_NS}, NULL);
    }
}

void geo_loader_teardown_at_exit(void)
{
    GEO_ASSERT(geo_loader_lock_held());
    bool early = !all_survive_exit();
    atomic_store(&ends_early, early);
    if (!exit_watched && early) {
        exit_watched = atexit(exit_handler) == 0;
    }
}

__attribute__((destructor)) static void loader_end(void)
{
    geo_loader_teardown();
}

static int compare_index(const void *index, const void *callback)
{
    uint32_t wanted = *(const uint32_t *)index;
    uint32_t other = ((const struct teardown_callback *)callback)->index;
    return (wanted > other) - (wanted < other);
}

/* Compacts the list when half of its items are removed. The list's lock is held. */
static void callbacks_tidy(void)
{
    GEO_ASSERT(callbacks_are_valid());
    if (callbacks.closed || callbacks.gone * 2 < callbacks.list.count) {
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < callbacks.list.count; i++) {
        if (callbacks.list.items[i].call) {
            callbacks.list.items[kept++] = callbacks.list.items[i];
        }
    }
    GEO_ASSERT(kept + callbacks.gone == callbacks.list.count);
    callbacks.list.count = kept;
    callbacks.gone = 0;
}

/* Removes a callback. A program calls this before the callback's code is unloaded. */
static void callback_forget(uint32_t index)
{
    pthread_mutex_lock(&callbacks.lock);
    struct teardown_callback *found = NULL;
    if (callbacks.list.count) {
        found = bsearch(&index, callbacks.list.items, callbacks.list.count, sizeof(*found),
                        compare_index);
    }
    if (found && found->call) {
        found->call = NULL;
        callbacks.gone++;
        callbacks_tidy();
    }
    pthread_mutex_unlock(&callbacks.lock);
}

/* Adds a callback. The lock is held. */
static ze_result_t callback_add(zel_loader_teardown_callback_t call, uint32_t *index)
{
    GEO_ASSERT(callbacks_are_valid());
    if (callbacks.closed) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    if (!geo_array_reserve(&callbacks.list, 1)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *index = ++callbacks.last_index;
    callbacks.list.items[callbacks.list.count++] = (struct teardown_callback){*index, call};
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL
zelRegisterTeardownCallback(zel_loader_teardown_callback_t application_callback,
                            zel_application_teardown_callback_t *loader_callback, uint32_t *index)
{
    if (!application_callback) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (!loader_callback || !index) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if (atomic_load(&geo_loader_state.torn_down)) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    pthread_mutex_lock(&callbacks.lock);
    ze_result_t result = callback_add(application_callback, index);
    if (result == ZE_RESULT_SUCCESS) {
        *loader_callback = callback_forget;
    }
    pthread_mutex_unlock(&callbacks.lock);
    return result;
}

/* Tears the loader down. Drivers call it from their own teardown. */
ZE_APIEXPORT ze_result_t ZE_APICALL zelSetDriverTeardown(void)
{
    if (!atomic_load(&geo_loader_state.core_list) && !atomic_load(&geo_loader_state.sysman_list)) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    geo_loader_teardown();
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT bool ZE_APICALL zelCheckIsLoaderInTearDown(void)
{
    return atomic_load(&geo_loader_state.torn_down);
}

/* These two functions matter only for the static form of the reference loader, which has a context
 * to release. */
ZE_APIEXPORT void ZE_APICALL zelSetDelayLoaderContextTeardown(void) {}

ZE_APIEXPORT void ZE_APICALL zelLoaderContextTeardown(void) {}
