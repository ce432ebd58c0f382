/* Driver and device objects: read-only globals that the inventory makes once and never frees.
 *
 * Each backend of the library is one driver, and each of its devices one device object. The
 * inventory exists independently of zeInit and zesInit, which only make it visible. */
#ifndef GEO_DRIVER_CORE_DRIVER_H
#define GEO_DRIVER_CORE_DRIVER_H

#include "backend/backend.h"
#include "driver/core/fault_text.h"
#include "driver/core/object.h"

#include <pthread.h>

struct geo_context;
struct geo_stream;

struct geo_fabric_edge;
struct geo_sysman_root; /* driver/sysman/root.h */
struct geo_metric_root; /* driver/tools/metric/root.h */

#define GEO_DEVICE_KEY_BYTES 96u

/* A device as a vertex of the fabric. */
struct geo_fabric_vertex {
    struct geo_object base;
    struct geo_device *device;
};

/* A root device or a part of one (a tile). The core API may show the devices differently
 * (hierarchy.h): a tile may appear as a root device. */
struct geo_device {
    struct geo_object base;
    struct geo_fabric_vertex vertex;
    struct geo_backend_device *backend_device;
    const struct geo_device_info *info;
    /* itself for a root device; otherwise the root device that it is a part of */
    struct geo_device *card;
    /* [part_count] all its tiles, which follow it in the driver's array */
    struct geo_device *parts;
    uint32_t part_count;   /* number of tiles: 0, or at least 2 */
    uint32_t part;         /* number of the part in its card; 0 for a root device */
    uint32_t index;        /* number of its card among the driver's cards */
    ze_device_type_t type; /* as reported: GEOID_DEVICE_TYPE applied */
    uint32_t vendor_id;    /* as reported: GEOID_DEVICE_VENDOR_ID applied */
    /* as shown by the core API (hierarchy.h) */
    struct geo_device *root;  /* shown root device; NULL: none */
    struct geo_device **subs; /* [sub_count] */
    uint32_t sub_count;
    uint32_t sub_id;   /* index in root->subs */
    _Atomic bool lost; /* a fault happened since the last zeDeviceGetStatus (CTX-7) */
    pthread_mutex_t stream_lock;
    char lost_text[GEO_FAULT_TEXT_BYTES]; /* of the fault that lost it; protected by stream_lock */
    char key[GEO_DEVICE_KEY_BYTES];       /* for runtime requirements; made at the first query */
    struct geo_stream *streams;           /* all streams of the device, protected by stream_lock */
    _Atomic(struct geo_sysman_root *) sysman; /* of a card; NULL until sysman asks for it */
    _Atomic(struct geo_metric_root *) metric; /* NULL until a tool asks for metrics */
    _Atomic bool counted; /* an active metric group needs kernels with counters */
};

/* A driver: one backend with its devices. */
struct geo_driver {
    struct geo_object base;
    const struct geo_backend_ops *ops;
    struct geo_backend *backend;
    /* all devices, each root device before its parts; sysman lists the root devices */
    struct geo_device *devices;
    uint32_t device_count;
    /* as shown by the core API (hierarchy.h) */
    struct geo_device **visible; /* [visible_count] devices that zeDeviceGet lists */
    uint32_t visible_count;
    /* why zeDeviceGet lists no device; NULL if it lists some, or if memory was short */
    char *hidden;
    struct geo_device **tops; /* [top_count] shown devices without a shown root device */
    uint32_t top_count;
    struct geo_device **subs;      /* owned; the `subs` of the devices point into it */
    struct geo_fabric_edge *edges; /* [edge_count] between shown devices */
    uint32_t edge_count;
    /* of zeDriverGetDefaultContext; created at its first call */
    struct geo_context *default_context;
};

GEO_OBJECT_HANDLE(driver, GEO_OBJECT_DRIVER, ze_driver_handle_t)
GEO_OBJECT_HANDLE(device, GEO_OBJECT_DEVICE, ze_device_handle_t)
GEO_OBJECT_HANDLE(fabric_vertex, GEO_OBJECT_FABRIC_VERTEX, ze_fabric_vertex_handle_t)

/* Returns whether the devices are the same or `other` is a part of `device`. Then objects of
 * `device` can be used on `other`, too. */
static inline bool geo_device_covers(const struct geo_device *device,
                                     const struct geo_device *other)
{
    return device == other || device == other->card;
}

/* Returns UNSUPPORTED_FEATURE if the driver only manages its devices (backend.h). Used by every
 * function that runs something or describes what can run. */
GEO_MUST_CHECK ze_result_t geo_inventory_check_runs(const struct geo_driver *driver);

/* Converts a device handle; fails if the device cannot run work. */
GEO_MUST_CHECK ze_result_t geo_inventory_running_device(ze_device_handle_t handle,
                                                        struct geo_device **out);

/* Returns whether the driver has a device of one of these types (bits 1 << ze_device_type_t). */
bool geo_inventory_has_type(const struct geo_driver *driver, uint32_t type_bits);

#endif
