/* The lock of linking, which a fork takes too. See link.h. */
#include "driver/program/link.h"

#include "base/fork.h"
#include "base/lock.h"

#include <pthread.h>

static pthread_mutex_t link_mutex = PTHREAD_MUTEX_INITIALIZER;

void geo_module_link_lock(void)
{
    pthread_mutex_lock(&link_mutex);
}

void geo_module_link_unlock(void)
{
    pthread_mutex_unlock(&link_mutex);
}

bool geo_module_link_lock_held(void)
{
    return geo_mutex_held(&link_mutex);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_LINKING,
    .prepare = geo_module_link_lock,
    .parent = geo_module_link_unlock,
    .child = geo_module_link_unlock,
};
GEO_FORK_AT_LOAD(fork_handler)
