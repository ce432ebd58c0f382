/* The entry of a listener in a device's list: the events for it, and how to wake it. event.c owns
 * the entries; the sysman lock protects the list. */
#ifndef GEO_DRIVER_SYSMAN_SEAT_H
#define GEO_DRIVER_SYSMAN_SEAT_H

#include "base/fd.h"
#include "driver/sysman/root.h"

/* The entry of one listener for one device; owned by the listener. */
struct geo_seat {
    struct geo_seat *next;
    struct geo_sysman_root *root;
    const struct geo_fd *wake; /* the listener's eventfd */
    zes_event_type_flags_t events;
    struct geo_fd fd; /* a duplicate of the device's descriptor while the listener waits */
    uint32_t poll;    /* its index among the polled descriptors; 0: none */
    bool released;
    bool deaf; /* the device's descriptor is broken and would end every wait at once */
};

/* Wakes all listeners of the device, because there are new events or other things to wait for.
 * Under the lock. */
void geo_seats_wake(const struct geo_sysman_root *root);

#endif
