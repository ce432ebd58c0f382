/* The state that the loader's files share, its lock, and how fork treats both. See state.h. */
#include "loader/state/state.h"

#include "base/assert.h"
#include "base/cancel.h"
#include "base/fork.h"
#include "base/log.h"

#include <pthread.h>
#include <time.h>

/* Seconds that a fork waits for an initialisation in another thread, so that the child need not
 * abandon the driver. */
#define FORK_PATIENCE_S 1

struct geo_loader_state geo_loader_state;

/* A driver that forks or calls back during its initialisation must not wait for its own thread, so
 * the holder is recorded. The mutex is not recursive, because a child must be able to unlock it. */
static pthread_mutex_t loader_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic pthread_t loader_holder; /* 0: not locked */
static int loader_cancel;               /* the cancellation state of the holder */
static _Atomic pthread_t loader_guest;  /* the thread that works for the waiting holder; 0: none */

/* Protects the loader's data. The thread that holds loader_lock holds this too, except while it is
 * inside a library, from which it may never return. The data is consistent whenever either lock is
 * held. */
static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER;
static struct geo_library *visited; /* the library that the holder is inside of */
static bool visit_opens;

/* State of the fork in progress; there is only one at a time (base/fork.h). */
static bool fork_has_lock;
/* The fork happens inside a driver's initialisation, in the thread that holds the lock. */
static bool fork_is_inside;
static atomic_bool fork_gave_up; /* a fork stopped waiting for the current initialisation */

bool geo_loader_lock_held(void)
{
    return pthread_equal(atomic_load(&loader_holder), pthread_self()) ||
           pthread_equal(atomic_load(&loader_guest), pthread_self());
}

static void fork_prepare(void)
{
    struct timespec until;
    fork_is_inside = fork_has_lock = geo_loader_lock_held();
    if (fork_is_inside) {
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += atomic_load(&fork_gave_up) ? 0 : FORK_PATIENCE_S;
    fork_has_lock = pthread_mutex_clocklock(&loader_lock, CLOCK_MONOTONIC, &until) == 0;
    if (!fork_has_lock) {
        atomic_store(&fork_gave_up, true);
        pthread_mutex_lock(&data_lock);
    }
}

static void fork_release(void)
{
    if (!fork_is_inside) {
        pthread_mutex_unlock(fork_has_lock ? &loader_lock : &data_lock);
    }
}

/* Abandons the library that a thread of the parent was inside of. That thread does not exist in the
 * child. The record, the driver and the dynamic linker may be in an inconsistent state. */
static void library_abandon(struct geo_library *library)
{
    library->abandoned =
        "a thread of the parent process was still inside it when this process was forked";
    library->reason = NULL;
    library->lacked_memory = false;
    library->path = library->open ? library->path : NULL;
    library->core = (struct geo_drivers){.result = ZE_RESULT_NOT_READY};
    library->sysman = library->core;
    geo_loader_state.cannot_open |= visit_opens;
}

/* Reinitialises the locks in the child when a thread of the parent holds loader_lock. */
static void fork_child_without_lock(void)
{
    loader_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_store(&loader_holder, 0);
    atomic_store(&loader_guest, 0);
    if (visited) {
        library_abandon(visited);
    }
    visited = NULL;
    atomic_store(&fork_gave_up, false);
}

/* Prepares the loader in the child. The child inherits tables, lists and handles and may use them.
 * Its next initialisation calls the drivers again, because they may have to restore threads and
 * files. */
static void fork_child(void)
{
    if (!fork_has_lock) {
        fork_child_without_lock();
    }
    atomic_store(&geo_loader_state.core_ready, 0);
    atomic_store(&geo_loader_state.sysman_ready, false);
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        geo_loader_state.libraries.items[i]->core.initialized = false;
        geo_loader_state.libraries.items[i]->sysman.initialized = false;
    }
    fork_release();
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_LOADER,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_child,
};

bool geo_loader_lock(void)
{
    geo_fork_register(&fork_handler);
    if (geo_loader_lock_held()) {
        geo_log("loader", GEO_LOG_WARN,
                "initialised from inside a driver's initialisation: "
                "refused");
        return false;
    }
    const int cancel = geo_cancel_hold();
    pthread_mutex_lock(&loader_lock);
    atomic_store(&loader_holder, pthread_self());
    loader_cancel = cancel;
    pthread_mutex_lock(&data_lock);
    GEO_ASSERT(
        !visited); /* the last holder returned from its library, or the library is abandoned */
    return true;
}

void geo_loader_unlock(void)
{
    GEO_ASSERT(pthread_equal(atomic_load(&loader_holder), pthread_self()));
    GEO_ASSERT(!visited && !atomic_load(&loader_guest));
    atomic_store(&fork_gave_up, false);
    pthread_mutex_unlock(&data_lock);
    const int cancel = loader_cancel;
    atomic_store(&loader_holder, 0);
    pthread_mutex_unlock(&loader_lock);
    geo_cancel_restore(cancel);
}

void geo_loader_visit_begin(struct geo_library *library, bool opens)
{
    GEO_ASSERT(geo_loader_lock_held() && library && !visited);
    visited = library;
    visit_opens = opens;
    pthread_mutex_unlock(&data_lock);
}

void geo_loader_visit_end(void)
{
    pthread_mutex_lock(&data_lock);
    GEO_ASSERT(geo_loader_lock_held() && visited);
    visited = NULL;
}

void geo_loader_guest_begin(void)
{
    GEO_ASSERT(atomic_load(&loader_holder) && !atomic_load(&loader_guest));
    atomic_store(&loader_guest, pthread_self());
}

void geo_loader_guest_end(void)
{
    GEO_ASSERT(pthread_equal(atomic_load(&loader_holder), pthread_self()));
    atomic_store(&loader_guest, 0);
}
