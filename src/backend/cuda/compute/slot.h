/* Event slots whose values GPUs and the host write. A GPU's write wakes no thread, so waiters
 * poll (event.c). */
#ifndef GEO_BACKEND_CUDA_COMPUTE_SLOT_H
#define GEO_BACKEND_CUDA_COMPUTE_SLOT_H

#include "backend/command.h"

/* Raises a slot, or adds to an external word. */
static inline void geo_compute_slot_raise(struct geo_event_ref event)
{
    if (event.value & GEO_EVENT_EXTERNAL) {
        atomic_fetch_add_explicit((_Atomic uint64_t *)(void *)event.slot,
                                  event.value & GEO_EVENT_VALUE_MAX, memory_order_release);
    } else {
        atomic_store_explicit(&event.slot->value, event.value, memory_order_release);
    }
}

/* Raises a slot whose work was lost, and marks it. Values never fall: the GPU may have raised the
 * slot further. */
static inline void geo_compute_slot_lose(struct geo_event_ref event)
{
    if (event.value & GEO_EVENT_EXTERNAL) {
        geo_compute_slot_raise(event);
        return;
    }
    uint64_t none = 0, now = atomic_load_explicit(&event.slot->value, memory_order_acquire);
    if (now < event.value) {
        (void)atomic_compare_exchange_strong(&event.slot->lost_from, &none, event.value);
    }
    while (now < event.value &&
           !atomic_compare_exchange_weak(&event.slot->value, &now, event.value)) {
    }
}

static inline void geo_compute_slot_reset(struct geo_event_slot *slot)
{
    atomic_store_explicit(&slot->lost_from, 0, memory_order_relaxed);
    geo_command_timestamps_write(&slot->times, 0, 0);
    atomic_store_explicit(&slot->value, 0, memory_order_release);
}

#endif
