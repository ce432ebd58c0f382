/* Event pools: the slots of events, and sharing them with other processes. A shared pool is an
 * allocation of its own, so that a process that opens it sees only event slots. See
 * event_pool.h. */
#include "driver/event/event_pool.h"

#include "base/assert.h"
#include "driver/core/check.h"
#include "driver/mem/ipc.h"
#include "driver/mem/share.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void event_pool_destroy(struct geo_object *object)
{
    struct geo_event_pool *pool = (struct geo_event_pool *)object;
    struct geo_driver *driver = object->driver;
    if (pool->allocation.base) {
        driver->ops->memory->release(driver->backend, &pool->allocation);
    }
    free(pool->memory);
    geo_object_unref(&pool->context->base);
    free(pool->used);
    free(pool);
}

bool geo_event_pool_is_valid(const struct geo_event_pool *pool)
{
    const bool shared = (pool->flags & ZE_EVENT_POOL_FLAG_IPC) != 0 || pool->opened;
    return pool->context && pool->count != 0 && pool->slots &&
           (uintptr_t)pool->slots % _Alignof(struct geo_event_slot) == 0 &&
           (pool->allocation.base != NULL) == shared && (pool->memory == NULL) == shared &&
           (pool->used == NULL) == pool->opened && !(shared && pool->counter_flags);
}

static struct geo_event_pool *event_pool_new(struct geo_context *context)
{
    struct geo_event_pool *pool = calloc(1, sizeof(*pool));
    if (pool) {
        geo_object_init(&pool->base, GEO_OBJECT_EVENT_POOL, context->base.driver,
                        event_pool_destroy);
        pool->context = context;
        geo_object_ref(&context->base);
    }
    return pool;
}

static ze_result_t slots_share(struct geo_event_pool *pool, uint64_t bytes)
{
    struct geo_driver *driver = pool->base.driver;
    GEO_CHECK(driver->ops->memory->allocate(driver->backend, NULL, GEO_MEMORY_HOST, bytes, 0,
                                            GEO_MEMORY_EXPORTABLE, &pool->allocation));
    pool->slots = pool->allocation.base;
    return ZE_RESULT_SUCCESS;
}

/* Allocates the slots. Large pools are zero pages that take memory only when an event is created:
 * calloc does not write to them, and fails if the system does not promise the memory. */
static ze_result_t slots_create(struct geo_event_pool *pool)
{
    uint64_t bytes = (uint64_t)pool->count * sizeof(*pool->slots);
    pool->used = calloc(pool->count, sizeof(*pool->used));
    if (!pool->used) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (pool->flags & ZE_EVENT_POOL_FLAG_IPC) {
        return slots_share(pool, bytes);
    }
    pool->memory = calloc(1, bytes + sizeof(*pool->slots));
    if (!pool->memory) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    size_t before = (uintptr_t)pool->memory % sizeof(*pool->slots);
    pool->slots = (struct geo_event_slot *)((uint8_t *)pool->memory +
                                            (before ? sizeof(*pool->slots) - before : 0));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_event_pool_create(struct geo_context *context, const ze_event_pool_desc_t *desc,
                                  struct geo_event_pool **out)
{
    const ze_event_pool_counter_based_exp_desc_t *counter =
        GEO_CHAIN_FIND(ze_event_pool_desc_t, ze_event_pool_counter_based_exp_desc_t,
                       GEO_CHAIN_OF(ze_event_pool_desc_t, desc));
    if (counter && (desc->flags & ZE_EVENT_POOL_FLAG_IPC)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "counter-based events cannot be shared between processes");
    }
    struct geo_event_pool *pool = event_pool_new(context);
    if (!pool) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for an event pool");
    }
    pool->count = desc->count;
    pool->flags = desc->flags;
    pool->counter_flags =
        counter ? (counter->flags ? counter->flags : ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE)
                : 0;
    ze_result_t result = slots_create(pool);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_unref(&pool->base);
        return geo_fail(result, "no memory for %u events%s", desc->count,
                        result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ? ": " GEO_NO_FILE_TEXT : "");
    }
    GEO_ASSERT(geo_event_pool_is_valid(pool));
    *out = pool;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_event_pool_ipc_get(struct geo_event_pool *pool, ze_ipc_event_pool_handle_t *handle)
{
    struct geo_ipc_payload payload;
    if (!pool->allocation.base || pool->allocation.fd.number < 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the event pool was created without ZE_EVENT_POOL_FLAG_IPC");
    }
    int own = geo_share_own(&pool->allocation.fd);
    if (own < 0) {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    GEO_CHECK(geo_ipc_describe(&payload, GEO_IPC_EVENT_POOL, own, pool->allocation.fd_offset,
                               (uint64_t)pool->count * sizeof(*pool->slots)));
    payload.detail = pool->flags;
    payload.detail2 = pool->count;
    memcpy(handle->data, &payload, sizeof(payload));
    return ZE_RESULT_SUCCESS;
}

static bool payload_sane(const struct geo_ipc_payload *payload)
{
    return payload->detail2 != 0 && payload->offset % sizeof(struct geo_event_slot) == 0 &&
           payload->bytes == (uint64_t)payload->detail2 * sizeof(struct geo_event_slot);
}

ze_result_t geo_event_pool_ipc_open(struct geo_context *context,
                                    const ze_ipc_event_pool_handle_t *handle,
                                    struct geo_event_pool **out)
{
    struct geo_driver *driver = context->base.driver;
    struct geo_ipc_payload payload;
    int fd;
    memcpy(&payload, handle->data, sizeof(payload));
    if (!payload_sane(&payload)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "not an IPC handle of an event pool");
    }
    GEO_CHECK(geo_ipc_open(&payload, GEO_IPC_EVENT_POOL, &fd));
    struct geo_event_pool *pool = event_pool_new(context);
    ze_result_t result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (pool) {
        result = driver->ops->memory->import(driver->backend, NULL, fd, payload.offset,
                                             payload.bytes, false, &pool->allocation);
    }
    close(fd);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_unref(pool ? &pool->base : NULL);
        return geo_fail(result, "the event pool of process %d cannot be opened: %s", payload.pid,
                        result == ZE_RESULT_ERROR_INVALID_ARGUMENT
                            ? "the file that its handle names is not an event pool's memory"
                            : "no memory or address range to map it");
    }
    pool->slots = pool->allocation.base;
    pool->count = payload.detail2;
    pool->flags = payload.detail;
    pool->opened = true;
    GEO_ASSERT(geo_event_pool_is_valid(pool));
    *out = pool;
    return ZE_RESULT_SUCCESS;
}
