/* Driver and device objects: read-only globals, made once by the inventory and never freed.
 *
 * Each backend of the library is one driver, each of its devices one device object. The inventory
 * exists before and apart from zeInit and zesInit; both only make it visible. */
#ifndef GEO_DRIVER_CORE_DRIVER_H
#define GEO_DRIVER_CORE_DRIVER_H

#include "backend/backend.h"
#include "driver/core/fault_text.h"
#include "driver/core/object.h"

#include <pthread.h>

struct geo_context;
struct geo_stream;

/* A device as a place in the fabric. */
struct geo_fabric_vertex {
    struct geo_object base;
    struct geo_device *device;
};

struct geo_device {
    struct geo_object base;
    struct geo_fabric_vertex vertex;
    struct geo_backend_device *backend_device;
    const struct geo_device_info *info;
    uint32_t index;        /* among all of the driver's devices */
    ze_device_type_t type; /* as reported: GEOID_DEVICE_TYPE applied */
    _Atomic bool lost;     /* a fault happened; until zeDeviceGetStatus was asked (CTX-7) */
    pthread_mutex_t stream_lock;
    char lost_text[GEO_FAULT_TEXT_BYTES]; /* of the fault that lost it; under stream_lock */
    struct geo_stream *streams;           /* all streams of the device, under stream_lock */
};

struct geo_driver {
    struct geo_object base;
    const struct geo_backend_ops *ops;
    struct geo_backend *backend;
    struct geo_device *devices; /* all, in the backend's order: what sysman lists */
    uint32_t device_count;
    struct geo_device **visible; /* what the core API lists: ZE_AFFINITY_MASK applied */
    uint32_t visible_count;
    struct geo_context *default_context; /* zeDriverGetDefaultContext; made at its first use */
};

GEO_OBJECT_HANDLE(driver, GEO_OBJECT_DRIVER, ze_driver_handle_t)
GEO_OBJECT_HANDLE(device, GEO_OBJECT_DEVICE, ze_device_handle_t)
GEO_OBJECT_HANDLE(fabric_vertex, GEO_OBJECT_FABRIC_VERTEX, ze_fabric_vertex_handle_t)

/* Which driver answers for devices of these types (bits 1 << ze_device_type_t). */
bool geo_driver_has_type(const struct geo_driver *driver, uint32_t type_bits);

#endif
