/* Memory of all kinds: what was allocated, imported, opened or mapped, and where it is.
 *
 * One address map for the whole process (all backends, all contexts): a pointer means the same for
 * everybody. Look-ups take no lock. Changes take the one memory lock, last in the lock order, for
 * the time of an insertion; the backend's system calls happen outside of it. */
#ifndef GEO_DRIVER_MEM_MEMORY_H
#define GEO_DRIVER_MEM_MEMORY_H

#include "driver/core/context.h"
#include "driver/mem/address_map.h"
#include "driver/mem/share.h"

/* How memory came to be decides how it may be given back. */
enum geo_memory_origin {
    GEO_ORIGIN_ALLOCATED, /* zeMemAlloc*: zeMemFree */
    GEO_ORIGIN_IMPORTED,  /* zeMemAlloc* with an import descriptor: zeMemFree */
    GEO_ORIGIN_SYSTEM,    /* host memory of the application, only known to us: zeMemFree */
    GEO_ORIGIN_OPENED,    /* zeMemOpenIpcHandle: zeMemCloseIpcHandle */
    GEO_ORIGIN_MAPPED,    /* zeVirtualMemMap: zeVirtualMemUnmap */
    GEO_ORIGIN_IMAGE,     /* zeImageCreate: zeImageDestroy */
};

struct geo_physical_memory;

struct geo_memory {
    struct geo_retired retired;
    struct geo_context *context; /* may be gone for those who found it without the lock */
    struct geo_driver *driver;
    struct geo_device *device; /* NULL: none */
    enum geo_memory_origin origin;
    ze_memory_type_t type;
    uint64_t id;    /* unique in this process */
    uint64_t bytes; /* as asked for */
    struct geo_allocation allocation;
    struct geo_share share; /* what its IPC handles carry */
    /* [device_count], of atomics.h; NULL: none. Owned, under the lock */
    ze_memory_atomic_attr_exp_flags_t *atomics;
    struct geo_memory *next, *previous; /* in context->memory, under the lock */
    /* GEO_ORIGIN_MAPPED only; see virtual.c */
    struct geo_physical_memory *physical; /* referenced */
    uint64_t physical_offset;
    ze_memory_access_attribute_t access;
};

/* The lock, for the other files of mem. */
void geo_memory_lock(void);
void geo_memory_unlock(void);

/* ---- look-up (lock-free) ---- */

/* A copy of what is known about the memory at a pointer. The context is only for comparing. */
struct geo_memory_info {
    uintptr_t base;
    uint64_t bytes; /* as asked for */
    struct geo_context *context;
    struct geo_device *device;
    struct geo_driver *driver;
    enum geo_memory_origin origin;
    ze_memory_type_t type;
    uint64_t id;
    uint64_t page_bytes;
};

/* False when the pointer is in no memory of ours. */
bool geo_memory_find(const void *pointer, struct geo_memory_info *info);

/* ---- making and giving back ---- */

struct geo_memory_request {
    struct geo_context *context;
    struct geo_device *device; /* NULL: none */
    enum geo_memory_kind kind;
    enum geo_memory_origin origin; /* of what is allocated */
    uint64_t bytes;
    uint64_t alignment; /* 0: the default */
    bool exportable;
    bool relaxed_limits; /* larger than the device's maximum allocation is fine */
};

/* Checks size and alignment, allocates, makes it known. */
GEO_MUST_CHECK ze_result_t geo_memory_allocate(const struct geo_memory_request *request,
                                               void **out);

/* Maps a descriptor of somebody else, which stays the caller's. */
GEO_MUST_CHECK ze_result_t geo_memory_import(const struct geo_memory_request *request,
                                             enum geo_memory_origin origin, int fd,
                                             uint64_t fd_offset, bool read_only, void **out);

/* Makes the application's own pages known as imported host memory. */
GEO_MUST_CHECK ze_result_t geo_memory_register(const struct geo_memory_request *request,
                                               void *pointer);

enum geo_free_policy {
    GEO_FREE_NOW,      /* the application knows that no work uses it */
    GEO_FREE_BLOCKING, /* waits for the work of the context's devices */
    GEO_FREE_DEFERRED, /* freed once that work has finished */
};

/* Ends memory that begins at the pointer; INVALID_ARGUMENT when it does not, is another context's
 * or came to be in a way not named in `origins` (bits 1 << enum geo_memory_origin). */
GEO_MUST_CHECK ze_result_t geo_memory_free(struct geo_context *context, const void *pointer,
                                           uint32_t origins, enum geo_free_policy policy);

/* ---- for mem/ipc.c and mem/virtual.c ---- */

/* A filled object without a place in the map; freed with free(). NULL without memory. */
struct geo_memory *geo_memory_create(struct geo_context *context, struct geo_device *device,
                                     enum geo_memory_origin origin, ze_memory_type_t type);

/* (lock held) Adds to map and context; OUT_OF_HOST_MEMORY, INVALID_ARGUMENT on overlap. */
GEO_MUST_CHECK ze_result_t geo_memory_publish_locked(struct geo_memory *memory);
/* (lock held) Takes out of map and context and retires the object: its fields stay readable until
 * the lock is released. */
void geo_memory_withdraw_locked(struct geo_memory *memory);
/* (lock held) Two adjoining pieces take the place of the whole, for readers at one moment each, and
 * the whole is retired. OUT_OF_HOST_MEMORY: nothing has changed. */
GEO_MUST_CHECK ze_result_t geo_memory_split_locked(struct geo_memory *whole,
                                                   struct geo_memory *left,
                                                   struct geo_memory *right);
/* (lock held) The memory that begins at the pointer, or NULL. */
struct geo_memory *geo_memory_at_locked(const void *pointer);
/* (lock held) The map of all memory, and the epoch that it and its values are retired through. */
struct geo_address_map *geo_memory_map_locked(void);
struct geo_epoch *geo_memory_epoch(void);

#endif
