/* The state that the loader's files share, its lock, and what both are after fork. See loader.h. */
#include "loader/loader.h"

#include "base/fork.h"
#include "base/log.h"

#include <pthread.h>

struct geo_loader_state geo_loader_state;

/* Recursive, so that a driver that forks or calls back while it is initialised does not wait for
 * its own thread. */
static pthread_mutex_t loader_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int loader_depth; /* of the lock, in the thread that holds it */

/* A child inherits tables, lists and handles, and may use them; the next initialisation in it asks
 * the drivers again, because they may have to restore threads and files. */
static void fork_prepare(void)
{
    pthread_mutex_lock(&loader_lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&loader_lock);
}

static void fork_child(void)
{
    atomic_store(&geo_loader_state.core_ready, 0);
    atomic_store(&geo_loader_state.sysman_ready, false);
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        geo_loader_state.libraries.items[i]->core.initialized = false;
        geo_loader_state.libraries.items[i]->sysman.initialized = false;
    }
    /* Its owner was a thread of the parent: a recursive mutex cannot be unlocked by the child. */
    loader_lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    if (loader_depth > 0) { /* forked by a driver that is being initialised */
        pthread_mutex_lock(&loader_lock);
    }
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_LOADER,
    .prepare = fork_prepare,
    .parent = fork_parent,
    .child = fork_child,
};

bool geo_loader_lock(void)
{
    geo_fork_register(&fork_handler);
    pthread_mutex_lock(&loader_lock);
    if (loader_depth > 0) {
        pthread_mutex_unlock(&loader_lock);
        geo_log("loader", GEO_LOG_WARN,
                "initialised from inside a driver's initialisation: "
                "refused");
        return false;
    }
    loader_depth++;
    return true;
}

void geo_loader_unlock(void)
{
    loader_depth--;
    pthread_mutex_unlock(&loader_lock);
}
