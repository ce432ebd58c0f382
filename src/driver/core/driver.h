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

struct geo_fabric_edge;
struct geo_sysman_root; /* driver/sysman/root.h */

#define GEO_DEVICE_KEY_BYTES 96u

/* A device as a place in the fabric. */
struct geo_fabric_vertex {
    struct geo_object base;
    struct geo_device *device;
};

/* A root device or a part of one (a tile). What there is and what the core API shows of it
 * (hierarchy.h) differ: a tile may be shown as a device of its own. */
struct geo_device {
    struct geo_object base;
    struct geo_fabric_vertex vertex;
    struct geo_backend_device *backend_device;
    const struct geo_device_info *info;
    struct geo_device *card;  /* the root device that it is, or is a part of */
    struct geo_device *parts; /* [part_count], all of its tiles; behind it in the driver's array */
    uint32_t part_count;      /* 0, or at least 2 */
    uint32_t part;            /* which part of its card it is; 0 of a root */
    uint32_t index;           /* of its card among the driver's */
    ze_device_type_t type;    /* as reported: GEOID_DEVICE_TYPE applied */
    uint32_t vendor_id;       /* as reported: GEOID_DEVICE_VENDOR_ID applied */
    /* As shown: */
    struct geo_device *root;  /* NULL: none */
    struct geo_device **subs; /* [sub_count] */
    uint32_t sub_count;
    uint32_t sub_id;   /* its place in root->subs */
    _Atomic bool lost; /* a fault happened; until zeDeviceGetStatus was asked (CTX-7) */
    pthread_mutex_t stream_lock;
    char lost_text[GEO_FAULT_TEXT_BYTES]; /* of the fault that lost it; under stream_lock */
    char key[GEO_DEVICE_KEY_BYTES];       /* of runtime requirements; made at the first question */
    struct geo_stream *streams;           /* all streams of the device, under stream_lock */
    _Atomic(struct geo_sysman_root *) sysman; /* of a card; NULL until sysman asks for it */
};

struct geo_driver {
    struct geo_object base;
    const struct geo_backend_ops *ops;
    struct geo_backend *backend;
    struct geo_device *devices; /* all, each root before its parts; sysman lists the roots */
    uint32_t device_count;
    /* What the core API shows (hierarchy.h). */
    struct geo_device **visible; /* [visible_count] what zeDeviceGet lists */
    uint32_t visible_count;
    char *hidden; /* why it lists no device; NULL: it lists some, or there is no memory to say so */
    struct geo_device **tops; /* [top_count] the shown devices that have no root shown */
    uint32_t top_count;
    struct geo_device **subs;      /* owned: where those of the devices point into */
    struct geo_fabric_edge *edges; /* [edge_count] between shown devices */
    uint32_t edge_count;
    struct geo_context *default_context; /* zeDriverGetDefaultContext; made at its first use */
};

GEO_OBJECT_HANDLE(driver, GEO_OBJECT_DRIVER, ze_driver_handle_t)
GEO_OBJECT_HANDLE(device, GEO_OBJECT_DEVICE, ze_device_handle_t)
GEO_OBJECT_HANDLE(fabric_vertex, GEO_OBJECT_FABRIC_VERTEX, ze_fabric_vertex_handle_t)

/* Whether a device is the other or has it as a part: what is made for it runs there, too. */
static inline bool geo_device_covers(const struct geo_device *device,
                                     const struct geo_device *other)
{
    return device == other || device == other->card;
}

/* UNSUPPORTED_FEATURE of a driver that only manages its devices (backend.h): for every function
 * that would run something, or tells what could. */
GEO_MUST_CHECK ze_result_t geo_driver_check_runs(const struct geo_driver *driver);

/* The device of a handle, which runs what it is given. */
GEO_MUST_CHECK ze_result_t geo_running_device_from(ze_device_handle_t handle,
                                                   struct geo_device **out);

/* Which driver answers for devices of these types (bits 1 << ze_device_type_t). */
bool geo_driver_has_type(const struct geo_driver *driver, uint32_t type_bits);

#endif
