/* Places of those who listen at a device: what reaches them, and how they are woken. The device's
 * list of them is the listeners' (event.c), under the room's lock. */
#ifndef GEO_DRIVER_SYSMAN_SEAT_H
#define GEO_DRIVER_SYSMAN_SEAT_H

#include "base/fd.h"
#include "driver/sysman/root.h"

struct geo_seat {
    struct geo_seat *next;
    struct geo_sysman_root *root;
    const struct geo_fd *wake; /* the listener's eventfd */
    zes_event_type_flags_t events;
    struct geo_fd fd; /* a duplicate of the device's descriptor while the listener waits */
    uint32_t poll;    /* its place among the descriptors; 0: none */
    bool released;
    bool deaf; /* the device's descriptor is broken: it would end every wait at once */
};

/* Everybody who listens looks again: there is something else to wait for, or to be told. Under the
 * lock. */
void geo_seats_wake(const struct geo_sysman_root *root);

#endif
