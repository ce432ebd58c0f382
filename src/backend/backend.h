/* The seam between API semantics (src/driver) and execution (src/backend/<name>).
 *
 * The driver checks, owns and orders; a backend describes its devices, provides memory, runs
 * command records and loads native code. A backend never sees an API object, the driver never sees
 * how a backend works. Each backend is one driver handle. src/backend/null is the template;
 * src/backend/backends.c is the one file that names them all.
 *
 * All functions are safe from many threads on different objects; those marked (any thread) on one
 * object too. Results are ze_result_t, outputs are written only on success, destroy functions
 * accept NULL. Timeouts are nanoseconds, UINT64_MAX waits for ever, 0 polls; the result of a wait
 * whose time ran out is ZE_RESULT_NOT_READY. */
#ifndef GEO_BACKEND_BACKEND_H
#define GEO_BACKEND_BACKEND_H

#include "backend/command.h"
#include "backend/fault.h"
#include "base/fd.h"
#include "base/strbuf.h"

#include <level_zero/ze_api.h>

struct geo_backend;           /* one per process and kind, made by open */
struct geo_backend_device;    /* lives as long as the backend */
struct geo_backend_stream;    /* an in-order stream of records */
struct geo_backend_program;   /* loaded native code of one device */
struct geo_backend_kernel;    /* one kernel of a program; lives as long as the program */
struct geo_backend_semaphore; /* another API's, imported */
struct geo_native_view;       /* native/native.h */
struct geo_image_ops;         /* image.h */
struct geo_sysman_ops;        /* sysman.h */
struct geo_metric_ops;        /* metric.h */
struct geo_debug_ops;         /* debug.h */

/* ---- devices ---- */

#define GEO_BACKEND_MAX_CACHES 4
#define GEO_BACKEND_MAX_GROUPS 4

struct geo_cache_info {
    uint64_t bytes;
    uint32_t level;
    uint32_t line_bytes;
};

/* What copy engines of hardware can fill with. Programs that use more on a copy queue would fail
 * there, so they fail on devices that could do it too. */
#define GEO_COPY_GROUP_FILL_BYTES 16u

struct geo_queue_group_info {
    ze_command_queue_group_property_flags_t flags;
    uint64_t max_fill_pattern_bytes; /* UINT64_MAX: no limit but that of a record */
    uint32_t queue_count;
};

/* A place on the PCI bus. */
struct geo_pci_place {
    bool known;
    uint32_t domain, bus, device, function;
};

/* Everything the property queries are answered from. Strings live as long as the device. */
struct geo_device_info {
    const char *name; /* e.g. "AMD EPYC 9654 (Geoid CPU)" */
    ze_device_type_t type;
    ze_device_property_flags_t flags;
    uint32_t vendor_id, device_id;
    uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE]; /* stable on this machine; equal in ze and zes */
    struct geo_pci_place pci;
    /* The root device that it is a part of (a tile, a memory node); NULL: it is one. */
    struct geo_backend_device *parent;
    uint32_t core_clock_mhz;
    uint32_t max_hardware_contexts;
    uint32_t max_command_queue_priority;
    /* topology: threads per EU, EUs per sub-slice, sub-slices per slice, slices; their product is
     * the worker count */
    uint32_t threads_per_eu, eus_per_subslice, subslices_per_slice, slices;
    uint32_t simd_width; /* 32-bit lanes of the widest vector register */
    uint64_t timer_hz;
    uint32_t timestamp_valid_bits, kernel_timestamp_valid_bits;
    /* memory */
    uint64_t memory_bytes; /* total physical memory of the device's node */
    uint64_t max_allocation_bytes;
    uint32_t memory_clock_mhz; /* 0 unknown */
    uint32_t memory_bus_width; /* bits; 0 unknown */
    const char *memory_name;
    struct geo_cache_info caches[GEO_BACKEND_MAX_CACHES];
    uint32_t cache_count;
    /* compute limits */
    uint32_t max_group_items, max_group_size[3], max_group_count[3];
    uint32_t max_local_bytes;
    uint32_t print_bytes; /* the longest text of one printf */
    uint32_t subgroup_sizes[ZE_SUBGROUPSIZE_COUNT], subgroup_size_count;
    /* queue groups, by ordinal */
    struct geo_queue_group_info groups[GEO_BACKEND_MAX_GROUPS];
    uint32_t group_count;
    /* code */
    const char *target_cpu;   /* given to the compiler; NULL: this machine's */
    uint32_t native_target;   /* enum geo_native_target: whose binaries it takes */
    uint32_t native_features; /* enum geo_native_feature the device can run */
    bool executes;            /* false: launches complete without running (null) */
};

/* ---- memory ---- */

enum geo_memory_kind {
    GEO_MEMORY_HOST,
    GEO_MEMORY_DEVICE,
    GEO_MEMORY_SHARED,
};

enum geo_memory_flags {
    GEO_MEMORY_EXPORTABLE = 1u << 0, /* will be asked for as a file descriptor on its own */
};

/* One allocation. Small ones share a descriptor, which nobody else may see: before an allocation is
 * exported `isolate` makes it `exclusive`, alone in its descriptor from offset 0. */
struct geo_allocation {
    void *base;
    uint64_t bytes; /* rounded up to pages */
    uint64_t page_bytes;
    struct geo_fd fd;   /* backing memfd, owned by the backend */
    uint64_t fd_offset; /* of base in it */
    bool exclusive;
    void *opaque;                      /* the backend's ... */
    struct geo_backend_device *device; /* ... and whose memory it takes; NULL: the machine's */
};

struct geo_physical; /* physical pages for reserved ranges */

struct geo_memory_ops {
    /* alignment 0: the default (a page); device NULL: any. OUT_OF_HOST_MEMORY,
     * OUT_OF_DEVICE_MEMORY, UNSUPPORTED_SIZE/ALIGNMENT; exportable: UNSUPPORTED_FEATURE when the
     * system lets it have no descriptor. */
    ze_result_t (*allocate)(struct geo_backend *backend, struct geo_backend_device *device,
                            enum geo_memory_kind kind, uint64_t bytes, uint64_t alignment,
                            uint32_t flags, struct geo_allocation *out);
    void (*release)(struct geo_backend *backend, struct geo_allocation *allocation);
    /* Makes the allocation exclusive where it is not, at its address and with its contents, also
     * while others read and write it. OUT_OF_HOST_MEMORY, UNSUPPORTED_FEATURE when the system lets
     * it have no descriptor: nothing has changed. One call at a time;
     * the caller keeps others from releasing it. */
    ze_result_t (*isolate)(struct geo_backend *backend, struct geo_allocation *allocation);
    /* Maps bytes at fd_offset of a descriptor (which stays the caller's), as memory of a device or
     * (NULL) of none. The fd is untrusted: one that lacks the bytes, or may lose them, is
     * INVALID_ARGUMENT. */
    ze_result_t (*import)(struct geo_backend *backend, struct geo_backend_device *device, int fd,
                          uint64_t fd_offset, uint64_t bytes, bool read_only,
                          struct geo_allocation *out);
    /* Whether dma-bufs can be made of exclusive memory at present; and one of the bytes at offset
     * of its descriptor, the caller's. OUT_OF_HOST_MEMORY, UNSUPPORTED_FEATURE when the system
     * makes none of this size. */
    bool (*makes_dmabufs)(struct geo_backend *backend);
    ze_result_t (*dmabuf)(struct geo_backend *backend, int fd, uint64_t offset, uint64_t bytes,
                          int *out);
    /* Reserved ranges: page size for a request, address ranges, physical pages, mapping, access. */
    ze_result_t (*page_size)(struct geo_backend *backend, uint64_t bytes, uint64_t *page_bytes);
    ze_result_t (*reserve)(struct geo_backend *backend, const void *hint, uint64_t bytes,
                           void **out);
    ze_result_t (*unreserve)(struct geo_backend *backend, const void *base, uint64_t bytes);
    /* device NULL: memory of the host. Running out is a result, as in `allocate`. */
    ze_result_t (*physical_create)(struct geo_backend *backend, struct geo_backend_device *device,
                                   uint64_t bytes, struct geo_physical **out);
    /* Takes the first bytes of a descriptor (untrusted, and the caller's) as physical pages:
     * INVALID_ARGUMENT when it does not have them for good, or not for writing. */
    ze_result_t (*physical_import)(struct geo_backend *backend, struct geo_backend_device *device,
                                   int fd, uint64_t bytes, struct geo_physical **out);
    void (*physical_destroy)(struct geo_physical *physical);
    /* The descriptor of its pages, which stays the backend's. */
    struct geo_fd (*physical_fd)(const struct geo_physical *physical);
    ze_result_t (*map)(struct geo_backend *backend, const void *base, uint64_t bytes,
                       struct geo_physical *physical, uint64_t offset,
                       ze_memory_access_attribute_t access);
    ze_result_t (*unmap)(struct geo_backend *backend, const void *base, uint64_t bytes);
    ze_result_t (*set_access)(struct geo_backend *backend, const void *base, uint64_t bytes,
                              ze_memory_access_attribute_t access);
    /* The memory will be used soon, or not for a while: hints for a system that runs short of it. */
    void (*resident)(struct geo_backend *backend, const void *base, uint64_t bytes, bool resident);
    /* Free bytes of the device's memory now. */
    ze_result_t (*available)(struct geo_backend *backend, struct geo_backend_device *device,
                             uint64_t *bytes);
};

/* ---- execution ---- */

struct geo_stream_desc {
    uint32_t ordinal, index;
    ze_command_queue_priority_t priority;
    struct geo_fault_sink faults; /* all zero: the stream is lost alone, and its waits say so */
};

struct geo_stream_ops {
    ze_result_t (*create)(struct geo_backend_device *device, const struct geo_stream_desc *desc,
                          struct geo_backend_stream **out);
    /* Waits until the stream is idle. */
    void (*destroy)(struct geo_backend_stream *stream);
    /* (any thread) Queues a batch; batches of a stream start in the order of submission. `done`
     * (slot may be NULL) is raised when the batch has finished: a fence. ticket names this
     * submission for wait. */
    ze_result_t (*submit)(struct geo_backend_stream *stream, struct geo_batch *batch,
                          struct geo_event_ref done, uint64_t *ticket);
    /* (any thread) submit and an unbounded wait in one: the calling thread runs the batch itself
     * when the stream is idle, no other thread is woken for it. The result is wait's. */
    ze_result_t (*execute)(struct geo_backend_stream *stream, struct geo_batch *batch,
                           struct geo_event_ref done);
    /* (any thread) Waits for a submission and all before it; UINT64_MAX: everything submitted so
     * far. An unbounded wait may run the stream's work on the calling thread; a bounded one never
     * does. DEVICE_LOST once work was lost, also for work that hangs: it need not be finished. */
    ze_result_t (*wait)(struct geo_backend_stream *stream, uint64_t ticket, uint64_t timeout_ns);
    /* (any thread) Whether a submission and all before it have finished; tickets as for wait.
     * Reports and forgets no error. */
    bool (*finished)(const struct geo_backend_stream *stream, uint64_t ticket);
};

/* A wait for an event. An unbounded one may run submissions of `stream` up to `ticket` on the
 * calling thread, where it is thought that they raise the event; who else does ends it as well. */
struct geo_event_wait {
    struct geo_event_ref event;
    uint64_t timeout_ns;
    struct geo_backend_stream *stream; /* NULL: none */
    uint64_t ticket;
    const _Atomic uint32_t *lost; /* not 0: the wait is given up; NULL: never */
};

struct geo_event_ops {
    /* (any thread) Raises the slot's value and wakes whoever waits. */
    void (*signal)(struct geo_backend *backend, struct geo_event_ref event);
    /* (any thread) Back to 0. */
    void (*reset)(struct geo_backend *backend, struct geo_event_slot *slot);
    /* (any thread) With a stream that it has run, what failed in that is the result, as of its own
     * wait. DEVICE_LOST when it was given up. */
    ze_result_t (*wait)(struct geo_backend *backend, const struct geo_event_wait *wait);
    /* The device's timer now, and the host clock (CLOCK_MONOTONIC_RAW ns) of the same moment. */
    ze_result_t (*timestamps)(struct geo_backend_device *device, uint64_t *device_ticks,
                              uint64_t *host_ns);
};

/* Semaphores of other APIs. Records wait for them and signal them. */
struct geo_semaphore_ops {
    /* kind: one of those with a descriptor, which is untrusted and stays the caller's. A wait for
     * one takes what was signalled, or leaves it where it has values. INVALID_ARGUMENT: it is no
     * semaphore of this kind; UNSUPPORTED_FEATURE: one that this system or device cannot use. */
    ze_result_t (*import)(struct geo_backend_device *device, ze_external_semaphore_ext_flag_t kind,
                          int fd, struct geo_backend_semaphore **out);
    /* No record that names it is left. */
    void (*release)(struct geo_backend_semaphore *semaphore);
};

/* ---- code ---- */

/* Where a variable is that a native binary imports. */
struct geo_backend_import {
    const char *symbol;
    void *address;
};

struct geo_program_ops {
    /* Loads native code that geo_native_parse accepted (its code is still untrusted); the bytes may
     * go away afterwards. INVALID_NATIVE_BINARY with the reason in log. A program that imports
     * variables is only placed: its symbols have addresses, nothing of it can run until `bind`, and
     * the bytes have to stay until then. */
    ze_result_t (*load)(struct geo_backend_device *device, const struct geo_native_view *view,
                        struct geo_backend_program **out, struct geo_strbuf *log);
    /* Finishes a placed program with the addresses of its imports, one for each symbol, in any
     * order. Once, and not for programs without imports. */
    ze_result_t (*bind)(struct geo_backend_program *program,
                        const struct geo_backend_import *imports, uint32_t count,
                        struct geo_strbuf *log);
    void (*unload)(struct geo_backend_program *program);
    /* index: into the view's kernels. Never NULL for a valid index. */
    const struct geo_backend_kernel *(*kernel)(struct geo_backend_program *program, uint32_t index);
    /* Address of a symbol the native binary declares (globals, exports); INVALID_GLOBAL_NAME when
     * there is none. */
    ze_result_t (*symbol)(struct geo_backend_program *program, const char *symbol, void **address);
};

/* ---- the whole ---- */

/* A driver's version as clients read it: major and minor of the API, and a build number. */
#define GEO_DRIVER_VERSION(build)                                                                  \
    ((uint32_t)ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT) << 24 |                                    \
     (uint32_t)ZE_MINOR_VERSION(ZE_API_VERSION_CURRENT) << 16 | (build))

/* A backend whose `stream` is NULL manages its devices and runs nothing on them: `memory`, `event`,
 * `program` and `narrow` are NULL as well, `sysman` is not. It is opened by the first zesDriverGet,
 * its driver is in zesDriverGet's list and in none of the core API's, and what the core API would
 * run for a handle of it is UNSUPPORTED_FEATURE (driver/core/driver.h, geo_driver_check_runs). One
 * that is wanted alone is opened by zeInit, too, and in all lists; no other is in any. */
struct geo_backend_ops {
    const char *name; /* "cpu", "null", "cuda" */
    uint8_t driver_uuid[ZE_MAX_DRIVER_UUID_SIZE];
    uint32_t driver_version; /* stable, non-zero, different for each backend: clients compare it */
    /* Finds the devices; cheap, no threads are started before the first submission. */
    ze_result_t (*open)(struct geo_backend **out);
    /* At library teardown, after all objects are gone. Must not block on work that never ends. */
    void (*close)(struct geo_backend *backend);
    /* Root devices and their parts, each root before its parts. */
    uint32_t (*device_count)(struct geo_backend *backend);
    struct geo_backend_device *(*device)(struct geo_backend *backend, uint32_t index);
    const struct geo_device_info *(*device_info)(struct geo_backend_device *device);
    /* A root device is no more than these of its parts from here on, and its description says so.
     * Before anything runs on it; two parts at least. */
    void (*narrow)(struct geo_backend_device *root, struct geo_backend_device *const *parts,
                   uint32_t count);
    /* The user wants the devices of this backend and no others. May be NULL: never. */
    bool (*alone)(void);
    /* Why it did not open; NULL: there is nothing to tell. May be NULL. */
    const char *(*problem)(void);
    /* A function of this backend alone, by name (zesDriverGetExtensionFunctionAddress); NULL: it
     * has none of that name. May be NULL. */
    void *(*function)(const char *name);
    const struct geo_memory_ops *memory;
    const struct geo_stream_ops *stream;
    const struct geo_event_ops *event;
    const struct geo_program_ops *program;
    /* NULL: the backend has none of it, and the driver answers UNSUPPORTED_FEATURE. */
    const struct geo_image_ops *image;
    const struct geo_semaphore_ops *semaphore;
    const struct geo_sysman_ops *sysman;
    const struct geo_metric_ops *metric;
    const struct geo_debug_ops *debug;
};

/* NULL terminated; defined once per driver library (backends.c, or the null library's own). */
extern const struct geo_backend_ops *const geo_backends[];

#endif
