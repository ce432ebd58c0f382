/* Tracks event pools and events. See pools.h. */
#include "layers/validation/uses/pools.h"
#include "layers/validation/objects/devices.h"
#include "layers/validation/objects/rules.h"

#include "ddi/geo_ddi_chain.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

struct geo_val_pool *geo_val_pool_of(const void *handle)
{
    return geo_val_data_of(GEO_VAL_POOL, handle);
}

struct geo_val_event *geo_val_pools_event(const void *handle)
{
    return geo_val_data_of(GEO_VAL_EVENT, handle);
}

static atomic_bool unseen_signals;

void geo_val_pools_signals_unseen(void)
{
    atomic_store(&unseen_signals, true);
}

bool geo_val_pools_signals_are_unseen(void)
{
    return atomic_load(&unseen_signals);
}

static void event_object_visit(struct geo_val_object *object, void *user)
{
    void (*const *visit)(void *handle) = user;
    if (geo_val_data_kind_is(GEO_VAL_EVENT, geo_val_object_type(object)) &&
        geo_val_object_alive(object)) {
        (*visit)(geo_val_object_handle(object));
    }
}

void geo_val_pools_events_each(void (*visit)(void *handle))
{
    geo_val_objects_each(event_object_visit, &visit);
}

/* --- devices --- */

bool geo_val_pool_serves(const struct geo_val_pool *pool, ze_device_handle_t device)
{
    for (uint32_t i = 0; i < pool->device_count; i++) {
        if (geo_val_devices_related(pool->devices[i], device)) {
            return true;
        }
    }
    return pool->device_count == 0;
}

static void devices_copy(struct geo_val_pool *pool, uint32_t count,
                         const ze_device_handle_t *devices)
{
    if (count == 0 || !devices) {
        return;
    }
    pool->devices = malloc(count * sizeof(ze_device_handle_t));
    if (!pool->devices) {
        return;
    }
    memcpy(pool->devices, devices, count * sizeof(ze_device_handle_t));
    pool->device_count = count;
}

/* --- creation and destruction --- */

static struct geo_val_pool *pool_begin(const void *handle)
{
    struct geo_val_pool *pool =
        geo_val_data_begin(GEO_VAL_POOL, handle, sizeof(struct geo_val_pool));
    if (!pool) {
        return NULL;
    }
    free(pool->taken);
    free(pool->devices);
    *pool = (struct geo_val_pool){.data = pool->data};
    return pool;
}

static void pool_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const ze_event_pool_desc_t *desc = ARGUMENT(call, 1, const ze_event_pool_desc_t *);
    struct geo_val_pool *pool = pool_begin(*ARGUMENT(call, 4, ze_event_pool_handle_t *));
    if (!pool || !desc) {
        return;
    }
    devices_copy(pool, ARGUMENT(call, 2, uint32_t), ARGUMENT(call, 3, const ze_device_handle_t *));
    if (GEO_CHAIN_FIND(ze_event_pool_desc_t, ze_event_pool_counter_based_exp_desc_t, desc->pNext)) {
        return;
    }
    pool->plain = !(desc->flags & ZE_EVENT_POOL_FLAG_IPC);
    pool->count = desc->count;
    pool->taken = calloc(1, (size_t)desc->count / 8 + 1);
}

static void pool_open_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    pool_begin(*ARGUMENT(call, 2, ze_event_pool_handle_t *));
}

static void event_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const ze_event_desc_t *desc = ARGUMENT(call, 1, const ze_event_desc_t *);
    struct geo_val_pool *pool = geo_val_pool_of(ARGUMENT(call, 0, void *));
    if (!pool || pool->count == 0) { /* opened by IPC, or for counter-based events */
        return;
    }
    struct geo_val_event *event = geo_val_data_begin(
        GEO_VAL_EVENT, *ARGUMENT(call, 2, ze_event_handle_t *), sizeof(struct geo_val_event));
    if (!event) {
        return;
    }
    *event = (struct geo_val_event){.data = event->data,
                                    .plain = desc && pool->plain,
                                    .pool = pool,
                                    .index = desc ? desc->index : 0};
    if (pool->taken && event->index < pool->count) {
        pool->taken[event->index / 8] |= (uint8_t)(1u << event->index % 8);
    }
}

/* Releases the event's index before the call, because the handle may be reused afterwards. */
static void *event_end_prepare(const struct geo_layer_call *call)
{
    const struct geo_val_event *event = geo_val_pools_event(ARGUMENT(call, 0, void *));
    if (event && event->pool && event->pool->taken && event->index < event->pool->count) {
        event->pool->taken[event->index / 8] &= (uint8_t)~(1u << event->index % 8);
    }
    return NULL;
}

const struct geo_val_rule geo_val_pool_rules[] = {
    {.function = GEO_DDI_FN_zeEventPoolCreate, .note = pool_note},
    {.function = GEO_DDI_FN_zeEventPoolOpenIpcHandle, .note = pool_open_note},
    {.function = GEO_DDI_FN_zeEventPoolDestroy, .nothing = true},
    {.function = GEO_DDI_FN_zeEventPoolCloseIpcHandle, .nothing = true},
    {.function = GEO_DDI_FN_zeEventCreate, .note = event_note},
    {.function = GEO_DDI_FN_zeEventDestroy, .prepare = event_end_prepare},
    /* Counter-based events are references to the counter of their list. */
    {.function = GEO_DDI_FN_zeEventCounterBasedCreate, .nothing = true},
    {.function = GEO_DDI_FN_zeEventCounterBasedOpenIpcHandle, .nothing = true},
    {.function = GEO_DDI_FN_zeEventCounterBasedCloseIpcHandle, .nothing = true},
    {.function = GEO_DDI_FUNCTION_COUNT}};
