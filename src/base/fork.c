/* The list of fork handlers. See fork.h.
 *
 * Registration takes no lock, because a lock here could deadlock with fork. The registering thread
 * may hold a lock that another library's fork handler takes after ours, for example the lock of a
 * loader that initialises this driver. Handlers are only added, with one atomic store each, so the
 * list is consistent at any moment, also in a child. */
#include "base/fork.h"

#include <pthread.h>
#include <stddef.h>

_Atomic uint32_t geo_fork_count;

static _Atomic(struct geo_fork_handler *) list_first;
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

/* Held from prepare to parent or child. Only forking threads take it. */
static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;

static void run_prepare(void)
{
    pthread_mutex_lock(&fork_lock);
    for (struct geo_fork_handler *handler = list_first; handler; handler = handler->next) {
        handler->prepared = true;
        if (handler->prepare) {
            handler->prepare();
        }
    }
}

/* Returns the last prepared handler before `end`, or the last of the list when `end` is NULL.
 * Returns NULL when the first one was reached. */
static struct geo_fork_handler *handler_before(const struct geo_fork_handler *end)
{
    struct geo_fork_handler *found = NULL;
    for (struct geo_fork_handler *handler = list_first; handler != end; handler = handler->next) {
        found = handler->prepared ? handler : found;
    }
    return found;
}

/* Runs the parent or child functions from the last handler to the first. Skips handlers that were
 * registered after prepare ran. */
static void run_after(bool child)
{
    struct geo_fork_handler *handler = NULL;
    while ((handler = handler_before(handler)) != NULL) {
        void (*function)(void) = child ? handler->child : handler->parent;
        if (function) {
            function();
        }
        handler->prepared = false;
    }
    pthread_mutex_unlock(&fork_lock);
}

static void run_parent(void)
{
    run_after(false);
}

static void run_child(void)
{
    atomic_fetch_add(&geo_fork_count, 1);
    run_after(true);
}

static void watch(void)
{
    pthread_atfork(run_prepare, run_parent, run_child);
}

static void list_insert(struct geo_fork_handler *handler)
{
    _Atomic(struct geo_fork_handler *) *place;
    struct geo_fork_handler *next;
    do {
        place = &list_first;
        for (next = *place; next && next->order <= handler->order; next = *place) {
            place = &next->next;
        }
        atomic_store(&handler->next, next);
    } while (!atomic_compare_exchange_strong(place, &next, handler));
}

void geo_fork_register(struct geo_fork_handler *handler)
{
    if (!atomic_exchange(&handler->registered, true)) {
        list_insert(handler);
    }
    pthread_once(&watch_once, watch);
}
