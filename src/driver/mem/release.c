/* Releases allocations now, or when work has finished. See release.h. */
#include "driver/mem/release.h"

#include "base/fork.h"
#include "driver/core/stream.h"

#include <stdlib.h>

void geo_release_now(const struct geo_context *context, struct geo_allocation *allocation)
{
    GEO_ASSERT(allocation->base); /* released once */
    geo_context_memory_ops(context)->release(geo_context_backend(context), allocation);
}

static ze_result_t context_wait(const struct geo_context *context, uint64_t timeout_ns)
{
    struct geo_driver *driver = context->base.driver;
    for (uint32_t i = 0; i < driver->device_count; i++) {
        ze_result_t result = geo_stream_device_wait(&driver->devices[i], timeout_ns);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

void geo_release_wait(const struct geo_context *context)
{
    (void)context_wait(context, UINT64_MAX);
}

/* ---- deferred release ---- */

/* An allocation that waits for work; owned by the list. */
struct deferred {
    struct deferred *next;
    struct geo_context *context; /* referenced */
    struct geo_allocation allocation;
};

static pthread_mutex_t deferred_lock = PTHREAD_MUTEX_INITIALIZER;
static struct deferred *deferred_list;

static void fork_prepare(void)
{
    pthread_mutex_lock(&deferred_lock);
}

static void fork_release(void)
{
    pthread_mutex_unlock(&deferred_lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_RELEASE,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_release,
};
GEO_FORK_AT_LOAD(fork_handler)

static void deferred_release(struct deferred *entry)
{
    geo_release_now(entry->context, &entry->allocation);
    geo_object_unref(&entry->context->base);
    free(entry);
}

void geo_release_collect(bool wait)
{
    pthread_mutex_lock(&deferred_lock);
    struct deferred *list = deferred_list;
    deferred_list = NULL;
    pthread_mutex_unlock(&deferred_lock);
    while (list) {
        struct deferred *entry = list;
        GEO_ASSERT(entry->context && entry->allocation.base);
        list = entry->next;
        if (context_wait(entry->context, wait ? UINT64_MAX : 0) != ZE_RESULT_NOT_READY) {
            deferred_release(entry);
            continue;
        }
        pthread_mutex_lock(&deferred_lock);
        entry->next = deferred_list;
        deferred_list = entry;
        pthread_mutex_unlock(&deferred_lock);
    }
}

void geo_release_poll(void)
{
    pthread_mutex_lock(&deferred_lock);
    bool any = deferred_list != NULL;
    pthread_mutex_unlock(&deferred_lock);
    if (any) {
        geo_release_collect(false);
    }
}

void geo_release_later(struct geo_context *context, struct geo_allocation *allocation)
{
    struct deferred *entry = malloc(sizeof(*entry));
    if (!entry || context_wait(context, 0) != ZE_RESULT_NOT_READY) {
        free(entry);
        geo_release_wait(context);
        geo_release_now(context, allocation);
        return;
    }
    geo_object_ref(&context->base);
    entry->context = context;
    entry->allocation = *allocation;
    pthread_mutex_lock(&deferred_lock);
    entry->next = deferred_list;
    deferred_list = entry;
    pthread_mutex_unlock(&deferred_lock);
}
