/* Sysman of a root device: the backend's description (backend/sysman.h), and the state of the
 * process: handles of components, thresholds, registrations for events.
 *
 * It is created when sysman is first used for the device, and never freed, like the device itself.
 * A device whose backend has no sysman returns UNSUPPORTED_FEATURE.
 *
 * One lock protects all state of the process (lists of components, thresholds, listeners). It is
 * taken around fork (fork.c). Operations of the backend that only query or set values are called
 * without it.
 *
 * The order of the files; each uses only those before it:
 *     ask < root < component < value, list, seat < the classes (power, frequency ...) < threshold
 *     < event < fork */
#ifndef GEO_DRIVER_SYSMAN_ROOT_H
#define GEO_DRIVER_SYSMAN_ROOT_H

#include "backend/sysman.h"
#include "driver/core/driver.h"

struct geo_component;
struct geo_seat; /* seat.h */

/* The components of a class. */
struct geo_components {
    struct geo_component **items;
    size_t count, capacity;
};

/* Sysman of one root device. */
struct geo_sysman_root {
    struct geo_device *device;
    const struct geo_sysman_ops *ops;
    struct geo_sysman *sysman; /* the backend's object */
    const struct geo_sysman_device *about;
    /* protected by the lock: */
    struct geo_components components[GEO_SYSMAN_CLASS_COUNT];
    zes_event_type_flags_t registered; /* events registered by zesDeviceEventRegister */
    zes_event_type_flags_t pending;    /* events that happened without listeners */
    struct geo_sysman_watch watch;
    bool watched;           /* the backend was told to watch for events */
    uint64_t looked_ns;     /* time when thresholds were last compared */
    struct geo_seat *seats; /* of the listeners */
};

/* Returns the root device of a handle; for a part, the whole device (SYS-2). */
GEO_MUST_CHECK ze_result_t geo_sysman_card_from(zes_device_handle_t handle,
                                                struct geo_device **out);

/* Return the sysman object of a root device. UNSUPPORTED_FEATURE if the backend has none. */
GEO_MUST_CHECK ze_result_t geo_sysman_root_from(zes_device_handle_t handle,
                                                struct geo_sysman_root **out);
GEO_MUST_CHECK ze_result_t geo_sysman_root_of(struct geo_device *card,
                                              struct geo_sysman_root **out);

/* Take and release the sysman lock. */
void geo_sysman_lock(void);
void geo_sysman_unlock(void);
/* Returns whether a thread holds the lock. For assertions. */
bool geo_sysman_lock_held(void);

#endif
