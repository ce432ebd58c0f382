/* The model's data of event pools and events. */
#ifndef GEO_LAYERS_VALIDATION_POOLS_H
#define GEO_LAYERS_VALIDATION_POOLS_H

#include "layers/validation/objects/data.h"

struct geo_val_pool {
    struct geo_val_data data;
    bool plain; /* events without timestamps or counters, used in this process only */
    uint32_t count;
    uint8_t *taken; /* bit mask of used indices; NULL when memory ran out */
    /* The devices that it was created for; owned. NULL: all devices of the context, or unknown. */
    ze_device_handle_t *devices;
    uint32_t device_count;
};

struct geo_val_event {
    struct geo_val_data data;
    bool plain;
    struct geo_val_pool *pool; /* NULL: unknown */
    uint32_t index;
    uint32_t signals; /* number of signals since the last reset, in submission order */
    bool waited;      /* submitted work, or the host without a timeout, waits for it */
    bool signalled;   /* was ever signalled */
    bool reset;       /* was ever reset by a command, at an unknown time */
    bool cleared;     /* was ever reset */
};

struct geo_val_pool *geo_val_pool_of(const void *handle);
/* Returns the data of an event of a pool. Returns NULL also for counter-based events. */
struct geo_val_event *geo_val_pools_event(const void *handle);

/* Returns whether the pool was created for the device, for a part of it, or for a device that
 * contains it. */
bool geo_val_pool_serves(const struct geo_val_pool *pool, ze_device_handle_t device);

/* Records that events may be signalled by work that is not tracked: changed lists, graphs. */
void geo_val_pools_signals_unseen(void);
bool geo_val_pools_signals_are_unseen(void);

/* Visits all live events. */
void geo_val_pools_events_each(void (*visit)(void *handle));

#endif
