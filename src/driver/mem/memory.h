/* Records all memory that is allocated, imported, opened or mapped, and finds it by address.
 *
 * The whole process (all backends and contexts) has one address map, since a pointer means the same
 * everywhere. Look-ups take no lock. Changes take the memory lock, which is last in the lock order,
 * for the time of an insertion. Allocations, imports and frees make their system calls outside of
 * it. Only what must change together with a record happens under it (ipc.c, virtual.c). */
#ifndef GEO_DRIVER_MEM_MEMORY_H
#define GEO_DRIVER_MEM_MEMORY_H

#include "driver/core/context.h"
#include "driver/mem/address_map.h"
#include "driver/mem/share.h"

/* How memory was obtained, which decides how it may be freed. */
enum geo_memory_origin {
    GEO_ORIGIN_ALLOCATED, /* zeMemAlloc*: zeMemFree */
    GEO_ORIGIN_IMPORTED,  /* zeMemAlloc* with an import descriptor: zeMemFree */
    GEO_ORIGIN_SYSTEM,    /* host memory of the application, registered here: zeMemFree */
    GEO_ORIGIN_OPENED,    /* zeMemOpenIpcHandle: zeMemCloseIpcHandle */
    GEO_ORIGIN_MAPPED,    /* zeVirtualMemMap: zeVirtualMemUnmap */
    GEO_ORIGIN_IMAGE,     /* zeImageCreate: zeImageDestroy */
};

struct geo_physical_memory;

/* The record of a piece of memory. Its context owns it; readers of the address map may still use it
 * until the epoch frees it. */
struct geo_memory {
    /* must be first */
    struct geo_retired retired;
    /* for readers without the lock it may be destroyed: compare only */
    struct geo_context *context;
    struct geo_driver *driver;
    struct geo_device *device; /* NULL for host memory */
    enum geo_memory_origin origin;
    ze_memory_type_t type;
    uint64_t id;    /* unique in this process */
    uint64_t bytes; /* as requested */
    struct geo_allocation allocation;
    struct geo_share share; /* descriptor of its IPC handles */
    /* [device_count] attributes (atomics.h); NULL: none set. Owned, protected by the lock */
    ze_memory_atomic_attr_exp_flags_t *atomics;
    struct geo_memory *next, *previous; /* in context->memory, protected by the lock */
    /* only for GEO_ORIGIN_MAPPED; see virtual.c */
    struct geo_physical_memory *physical; /* referenced */
    uint64_t physical_offset;
    ze_memory_access_attribute_t access;
};

/* Take and release the memory lock, for the other files of driver/mem. */
void geo_memory_lock(void);
void geo_memory_unlock(void);
/* Returns whether a thread holds the lock. For assertions. */
bool geo_memory_lock_held(void);

/* ---- look-up (lock-free) ---- */

/* A copy of the record of some memory. The context may be destroyed: it is only for comparisons. */
struct geo_memory_info {
    uintptr_t base;
    uint64_t bytes; /* as requested */
    struct geo_context *context;
    struct geo_device *device;
    struct geo_driver *driver;
    enum geo_memory_origin origin;
    ze_memory_type_t type;
    uint64_t id;
    uint64_t page_bytes;
};

/* Copies the record of the memory that contains the pointer. Returns false for other memory. */
bool geo_memory_find(const void *pointer, struct geo_memory_info *info);

/* ---- allocation and freeing ---- */

/* A request for memory. */
struct geo_memory_request {
    struct geo_context *context;
    struct geo_device *device; /* NULL for host memory */
    enum geo_memory_kind kind;
    enum geo_memory_origin origin; /* for geo_memory_allocate */
    uint64_t bytes;
    uint64_t alignment; /* 0: default alignment */
    bool exportable;
    bool relaxed_limits; /* allow more than the device's maximum allocation */
};

/* Checks size and alignment, allocates and records the memory. */
GEO_MUST_CHECK ze_result_t geo_memory_allocate(const struct geo_memory_request *request,
                                               void **out);

/* Maps a descriptor, which stays the caller's, and records the memory. */
GEO_MUST_CHECK ze_result_t geo_memory_import(const struct geo_memory_request *request,
                                             enum geo_memory_origin origin, int fd,
                                             uint64_t fd_offset, bool read_only, void **out);

/* Records pages of the application as imported host memory. */
GEO_MUST_CHECK ze_result_t geo_memory_register(const struct geo_memory_request *request,
                                               void *pointer);

/* When memory is returned to the system. */
enum geo_free_policy {
    GEO_FREE_NOW,      /* the application guarantees that no work uses the memory */
    GEO_FREE_BLOCKING, /* waits for the work of the context's devices */
    GEO_FREE_DEFERRED, /* freed once that work has finished */
};

/* Frees the memory that begins at the pointer. Returns INVALID_ARGUMENT if no memory begins there,
 * if it belongs to another context, or if its origin is not in `origins` (bits 1 << enum
 * geo_memory_origin). */
GEO_MUST_CHECK ze_result_t geo_memory_free(struct geo_context *context, const void *pointer,
                                           uint32_t origins, enum geo_free_policy policy);

/* ---- for mem/ipc.c and mem/virtual.c ---- */

/* Allocates a record that is not in the map yet; freed with free(). Returns NULL if memory is
 * short. */
struct geo_memory *geo_memory_create(struct geo_context *context, struct geo_device *device,
                                     enum geo_memory_origin origin, ze_memory_type_t type);

/* (lock held) Adds a record to the map and its context. Returns OUT_OF_HOST_MEMORY, or
 * INVALID_ARGUMENT if it overlaps another. */
GEO_MUST_CHECK ze_result_t geo_memory_publish_locked(struct geo_memory *memory);
/* (lock held) Removes a record from the map and its context and retires it. Its fields stay
 * readable until the lock is released. */
void geo_memory_withdraw_locked(struct geo_memory *memory);
/* (lock held) Replaces a record by two adjacent ones and retires it. Readers see each replacement
 * as one atomic step. Returns OUT_OF_HOST_MEMORY with nothing changed. */
GEO_MUST_CHECK ze_result_t geo_memory_split_locked(struct geo_memory *whole,
                                                   struct geo_memory *left,
                                                   struct geo_memory *right);
/* (lock held) Returns the record of the memory that begins at the pointer, or NULL. */
struct geo_memory *geo_memory_at_locked(const void *pointer);
/* (lock held) Return the map of all memory, and the epoch through which records are retired. */
struct geo_address_map *geo_memory_map_locked(void);
struct geo_epoch *geo_memory_epoch(void);

#endif
