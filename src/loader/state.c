/* The state that the loader's files share, its lock, and what both are after fork. See loader.h. */
#include "loader/loader.h"

#include "base/cancel.h"
#include "base/fork.h"
#include "base/log.h"

#include <pthread.h>
#include <time.h>

/* How long a fork waits for an initialisation in another thread, so that the child need not do
 * without the driver. */
#define FORK_PATIENCE_S 1

struct geo_loader_state geo_loader_state;

/* A driver that forks or calls back while it is initialised must not wait for its own thread: the
 * holder is known. (The lock itself is not recursive: a child can unlock it.) */
static pthread_mutex_t loader_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic pthread_t loader_holder; /* 0: nobody */
static int loader_cancel;               /* the cancellation state of the holder */
static _Atomic pthread_t loader_guest;  /* who works for the holder, which waits; 0: nobody */

/* Held by who has the first one, except while it is inside a library, which may be for ever. What
 * the loader keeps is whole for who holds either. */
static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER;
static struct geo_library *visited; /* the library that the thread is inside of */
static bool visit_opens;

/* Of the fork that is in progress; there is one at a time (base/fork.h). */
static bool fork_has_lock;
static bool fork_is_inside;      /* of a driver's initialisation: its thread has the lock */
static atomic_bool fork_gave_up; /* the initialisation that runs was waited for */

static bool loader_is_ours(void)
{
    return pthread_equal(atomic_load(&loader_holder), pthread_self()) ||
           pthread_equal(atomic_load(&loader_guest), pthread_self());
}

static void fork_prepare(void)
{
    struct timespec until;
    fork_is_inside = fork_has_lock = loader_is_ours();
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

/* The thread that was inside the library is not in this process: nobody knows what it has half
 * done, in our record of the library, in the driver, or in the dynamic linker. */
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

/* Who has the lock is a thread of the parent: it is made anew. */
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

/* A child inherits tables, lists and handles, and may use them; the next initialisation in it asks
 * the drivers again, because they may have to restore threads and files. */
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
    if (loader_is_ours()) {
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
    return true;
}

void geo_loader_unlock(void)
{
    atomic_store(&fork_gave_up, false);
    pthread_mutex_unlock(&data_lock);
    const int cancel = loader_cancel;
    atomic_store(&loader_holder, 0);
    pthread_mutex_unlock(&loader_lock);
    geo_cancel_restore(cancel);
}

void geo_loader_visit_begin(struct geo_library *library, bool opens)
{
    visited = library;
    visit_opens = opens;
    pthread_mutex_unlock(&data_lock);
}

void geo_loader_visit_end(void)
{
    pthread_mutex_lock(&data_lock);
    visited = NULL;
}

void geo_loader_guest_begin(void)
{
    atomic_store(&loader_guest, pthread_self());
}

void geo_loader_guest_end(void)
{
    atomic_store(&loader_guest, 0);
}
