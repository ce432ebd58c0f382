/* Sysman of a root device: what the backend tells of it (backend/sysman.h), and what belongs to the
 * process: handles of components, thresholds, registrations for events.
 *
 * Made when sysman is first asked for the device, and never freed, as the device itself. A device
 * of a backend without sysman has none: UNSUPPORTED_FEATURE.
 *
 * One lock is for all of what the process keeps (lists of components, thresholds, listeners); it is
 * taken around fork (fork.c). Operations of the backend that only ask or set are called without it.
 *
 * The room, each file above those that stand before it:
 *     ask < root < component < value, list, seat < the classes (power, frequency ...) < threshold
 *     < event < fork
 */
#ifndef GEO_DRIVER_SYSMAN_ROOT_H
#define GEO_DRIVER_SYSMAN_ROOT_H

#include "backend/sysman.h"
#include "driver/core/driver.h"

struct geo_component;
struct geo_seat; /* seat.h */

/* The components of a class, as handles. */
struct geo_components {
    struct geo_component **items;
    size_t count, capacity;
};

struct geo_sysman_root {
    struct geo_device *device;
    const struct geo_sysman_ops *ops;
    struct geo_sysman *sysman; /* the backend's */
    const struct geo_sysman_device *about;
    /* Under the lock: */
    struct geo_components components[GEO_SYSMAN_CLASS_COUNT];
    zes_event_type_flags_t registered; /* zesDeviceEventRegister */
    zes_event_type_flags_t pending;    /* happened while nobody listened */
    struct geo_sysman_watch watch;
    bool watched;           /* the backend was told to */
    uint64_t looked_ns;     /* when thresholds were last compared */
    struct geo_seat *seats; /* of those who listen */
};

/* The root device that the handle means: of a part the whole (SYS-2). */
GEO_MUST_CHECK ze_result_t geo_sysman_card_from(zes_device_handle_t handle,
                                                struct geo_device **out);

/* Its sysman. UNSUPPORTED_FEATURE where the backend has none. */
GEO_MUST_CHECK ze_result_t geo_sysman_root_from(zes_device_handle_t handle,
                                                struct geo_sysman_root **out);
GEO_MUST_CHECK ze_result_t geo_sysman_root_of(struct geo_device *card,
                                              struct geo_sysman_root **out);

void geo_sysman_lock(void);
void geo_sysman_unlock(void);

#endif
