/* What is known of event pools and events. */
#ifndef GEO_LAYERS_VALIDATION_POOLS_H
#define GEO_LAYERS_VALIDATION_POOLS_H

#include "layers/validation/data.h"

struct geo_val_pool {
    struct geo_val_data data;
    bool plain; /* events of two states, for this process alone */
    uint32_t count;
    uint8_t *taken; /* bits; NULL when memory ran out */
    /* The devices that it was made for; owned; none: all of the context, or not known. */
    ze_device_handle_t *devices;
    uint32_t device_count;
};

struct geo_val_event {
    struct geo_val_data data;
    bool plain;
    struct geo_val_pool *pool; /* NULL: not known */
    uint32_t index;
    uint32_t signals; /* since the last reset, in the order of submission */
    bool waited;      /* by work that was submitted, or by the host without end */
    bool signalled;   /* ever */
    bool reset;       /* ever, by a command: when is not known here */
    bool cleared;     /* reset ever, by whomever */
};

struct geo_val_pool *geo_val_pool_of(const void *handle);
/* Of events of pools; NULL also for those that count. */
struct geo_val_event *geo_val_event_of(const void *handle);

/* Returns whether the pool was made for the device, for a part of it or for what it is a part of. */
bool geo_val_pool_serves(const struct geo_val_pool *pool, ze_device_handle_t device);

/* From now on events may be signalled by what is not followed: lists whose commands were changed,
 * graphs. */
void geo_val_event_signals_unseen(void);
bool geo_val_event_signals_are_unseen(void);

/* Visits all events that live. */
void geo_val_events_each(void (*visit)(void *handle));

#endif
