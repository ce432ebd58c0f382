/* Event pools: the memory of events, private to this process or shared with others. */
#ifndef GEO_DRIVER_EVENT_EVENT_POOL_H
#define GEO_DRIVER_EVENT_EVENT_POOL_H

#include "driver/core/context.h"

/* An event pool of the application. Each of its events references it, and so do lists that use
 * one. */
struct geo_event_pool {
    struct geo_object base;
    struct geo_context *context;  /* referenced */
    struct geo_event_slot *slots; /* [count] slots of the events */
    void *memory;                 /* private pools: memory that contains the slots */
    /* [count] indices that had an event before; NULL in opened pools */
    bool *used;
    uint32_t count;
    ze_event_pool_flags_t flags;
    ze_event_pool_counter_based_exp_flags_t counter_flags; /* 0: its events are regular */
    bool opened; /* opened by an IPC handle of another process */
    /* IPC pools: memory that contains the slots; otherwise base is NULL */
    struct geo_allocation allocation;
};

GEO_OBJECT_HANDLE(event_pool, GEO_OBJECT_EVENT_POOL, ze_event_pool_handle_t)

/* Creates a pool. Returns INVALID_SIZE for no events, OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_event_pool_create(struct geo_context *context,
                                                 const ze_event_pool_desc_t *desc,
                                                 struct geo_event_pool **out);

/* Share a pool with other processes. Return INVALID_ARGUMENT for a pool without the flag IPC and
 * for invalid handles. */
GEO_MUST_CHECK ze_result_t geo_event_pool_ipc_get(struct geo_event_pool *pool,
                                                  ze_ipc_event_pool_handle_t *handle);
GEO_MUST_CHECK ze_result_t geo_event_pool_ipc_open(struct geo_context *context,
                                                   const ze_ipc_event_pool_handle_t *handle,
                                                   struct geo_event_pool **out);

/* Returns whether the slots and the memory of a created or opened pool agree. For assertions. */
bool geo_event_pool_is_valid(const struct geo_event_pool *pool);

/* Returns whether events of the pool have timestamps. */
static inline bool geo_event_pool_timestamps(const struct geo_event_pool *pool)
{
    return (pool->flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP |
                           ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP)) != 0;
}

#endif
