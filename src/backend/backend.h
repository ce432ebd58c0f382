/* The interface between API semantics (src/driver) and execution (src/backend/<name>).
 *
 * The driver checks calls, owns API objects and orders work. A backend describes its devices,
 * provides memory, executes command records and loads native code. A backend never sees an API
 * object, and the driver does not depend on how a backend works. Each backend is one driver handle.
 * src/backend/null is the template for a new backend, and src/backend/backends.c is the only file
 * that lists them.
 *
 * All functions may be called from several threads on different objects; those marked (any thread)
 * also on one object. Results are ze_result_t. Outputs are written only on success. Destroy
 * functions accept NULL. Timeouts are in nanoseconds: UINT64_MAX waits for ever, 0 polls. A wait
 * that times out returns ZE_RESULT_NOT_READY. */
#ifndef GEO_BACKEND_BACKEND_H
#define GEO_BACKEND_BACKEND_H

#include "backend/command.h"
#include "backend/fault.h"
#include "base/fd.h"
#include "base/strbuf.h"
#include "native/native.h"

#include <level_zero/zet_api.h>

struct geo_backend;           /* one per process and kind, created by open */
struct geo_backend_device;    /* lives as long as its backend */
struct geo_backend_stream;    /* an in-order stream of records */
struct geo_backend_program;   /* loaded native code of one device */
struct geo_backend_kernel;    /* a kernel of a program; lives as long as the program */
struct geo_backend_semaphore; /* imported from another API */
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

/* Largest fill pattern of a copy queue group. Hardware copy engines have this limit. The CPU
 * devices report it too, so that programs which exceed it fail everywhere. */
#define GEO_COPY_GROUP_FILL_BYTES 16u

struct geo_queue_group_info {
    ze_command_queue_group_property_flags_t flags;
    uint64_t max_fill_pattern_bytes; /* UINT64_MAX: limited only by the size of a record */
    uint32_t queue_count;
};

/* An address on the PCI bus. */
struct geo_pci_place {
    bool known;
    uint32_t domain, bus, device, function;
};

/* The source of all device property queries. Strings live as long as the device. */
struct geo_device_info {
    const char *name; /* e.g. "AMD EPYC 9654 (Geoid CPU)" */
    ze_device_type_t type;
    ze_device_property_flags_t flags;
    uint32_t vendor_id, device_id;
    uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE]; /* stable on this machine; equal in ze and zes */
    struct geo_pci_place pci;
    /* The root device that contains this sub-device (a tile, a memory node); NULL: this is a root
     * device. */
    struct geo_backend_device *parent;
    uint32_t core_clock_mhz;
    uint32_t max_hardware_contexts;
    uint32_t max_command_queue_priority;
    /* topology: the product of these four is the number of workers */
    uint32_t threads_per_eu, eus_per_subslice, subslices_per_slice, slices;
    uint32_t simd_width; /* number of 32-bit lanes of the widest vector register */
    uint64_t timer_hz;
    uint32_t timestamp_valid_bits, kernel_timestamp_valid_bits;
    /* memory */
    uint64_t memory_bytes; /* total physical memory of the device's node */
    uint64_t max_allocation_bytes;
    uint32_t memory_clock_mhz; /* 0: unknown */
    uint32_t memory_bus_width; /* in bits; 0: unknown */
    const char *memory_name;
    struct geo_cache_info caches[GEO_BACKEND_MAX_CACHES];
    uint32_t cache_count;
    /* compute limits */
    uint32_t max_group_items, max_group_size[3], max_group_count[3];
    uint32_t max_local_bytes;
    uint32_t print_bytes; /* maximum length of the text of one printf */
    uint32_t subgroup_sizes[ZE_SUBGROUPSIZE_COUNT], subgroup_size_count;
    /* queue groups, by ordinal */
    struct geo_queue_group_info groups[GEO_BACKEND_MAX_GROUPS];
    uint32_t group_count;
    /* code */
    const char *target_cpu;          /* passed to the compiler; NULL: the CPU of this machine */
    struct geo_native_device native; /* the payloads of native binaries that it runs */
    bool executes;                   /* false: launches complete without running (null backend) */
};

/* ---- memory ---- */

enum geo_memory_kind {
    GEO_MEMORY_HOST,
    GEO_MEMORY_DEVICE,
    GEO_MEMORY_SHARED,
};

enum geo_memory_flags {
    /* The allocation must have a descriptor of its own from the start. */
    GEO_MEMORY_EXPORTABLE = 1u << 0,
};

/* An allocation. Small allocations share a descriptor, which must not be exported. Before an
 * export, `isolate` moves the allocation to a descriptor of its own, at offset 0, and sets
 * `exclusive`. */
struct geo_allocation {
    void *base;
    uint64_t bytes; /* rounded up to pages */
    uint64_t page_bytes;
    struct geo_fd fd;   /* memory file that contains it; owned by the backend */
    uint64_t fd_offset; /* offset of base in it */
    bool exclusive;     /* no other allocation is in the file, so it may be exported */
    void *opaque;       /* private to the backend */
    struct geo_backend_device *device; /* whose memory limit it is charged to; NULL: the host's */
};

struct geo_physical; /* physical pages that can be mapped to reserved ranges */

struct geo_memory_ops {
    /* alignment 0: the default (a page). device NULL: any device. Returns OUT_OF_HOST_MEMORY,
     * OUT_OF_DEVICE_MEMORY, or UNSUPPORTED_SIZE/ALIGNMENT. For exportable memory returns
     * UNSUPPORTED_FEATURE when the system does not allow a descriptor. */
    ze_result_t (*allocate)(struct geo_backend *backend, struct geo_backend_device *device,
                            enum geo_memory_kind kind, uint64_t bytes, uint64_t alignment,
                            uint32_t flags, struct geo_allocation *out);
    void (*release)(struct geo_backend *backend, struct geo_allocation *allocation);
    /* Moves the allocation to a memory file of its own if it shares one with other allocations, so
     * that it can be exported alone. Sets `exclusive`. Address and contents stay, even while other
     * threads read and write it. Returns OUT_OF_HOST_MEMORY, or UNSUPPORTED_FEATURE when the system
     * refuses this process a memory file of this size; nothing has changed then. The caller
     * serialises calls and prevents a concurrent release. */
    ze_result_t (*isolate)(struct geo_backend *backend, struct geo_allocation *allocation);
    /* Maps `bytes` at fd_offset of a descriptor, which stays the caller's. The memory belongs to
     * `device`, or to no device if NULL. The descriptor is untrusted: returns INVALID_ARGUMENT when
     * it lacks the bytes or could be truncated. */
    ze_result_t (*import)(struct geo_backend *backend, struct geo_backend_device *device, int fd,
                          uint64_t fd_offset, uint64_t bytes, bool read_only,
                          struct geo_allocation *out);
    /* makes_dmabufs returns whether exclusive memory can currently be exported as a dma-buf. dmabuf
     * creates one for a range of a descriptor; the caller owns it. Returns OUT_OF_HOST_MEMORY, or
     * UNSUPPORTED_FEATURE when the system cannot create one of this size. */
    bool (*makes_dmabufs)(struct geo_backend *backend);
    ze_result_t (*dmabuf)(struct geo_backend *backend, int fd, uint64_t offset, uint64_t bytes,
                          int *out);
    /* Operations on reserved ranges of addresses:
     * - page_size returns the page size of a reservation of `bytes`.
     * - reserve takes addresses without memory, near `hint` if possible.
     * - map places `bytes` of a physical object, from `offset` on, in a reserved range. */
    ze_result_t (*page_size)(struct geo_backend *backend, uint64_t bytes, uint64_t *page_bytes);
    ze_result_t (*reserve)(struct geo_backend *backend, const void *hint, uint64_t bytes,
                           void **out);
    ze_result_t (*unreserve)(struct geo_backend *backend, const void *base, uint64_t bytes);
    /* device NULL: memory of the host. Returns errors as `allocate` does. */
    ze_result_t (*physical_create)(struct geo_backend *backend, struct geo_backend_device *device,
                                   uint64_t bytes, struct geo_physical **out);
    /* Uses the first bytes of an untrusted descriptor, which stays the caller's, as physical pages.
     * Returns INVALID_ARGUMENT when it lacks the bytes, could be truncated or is not writable. */
    ze_result_t (*physical_import)(struct geo_backend *backend, struct geo_backend_device *device,
                                   int fd, uint64_t bytes, struct geo_physical **out);
    void (*physical_destroy)(struct geo_physical *physical);
    /* Returns the descriptor of the pages, which the backend owns. */
    struct geo_fd (*physical_fd)(const struct geo_physical *physical);
    ze_result_t (*map)(struct geo_backend *backend, const void *base, uint64_t bytes,
                       struct geo_physical *physical, uint64_t offset,
                       ze_memory_access_attribute_t access);
    ze_result_t (*unmap)(struct geo_backend *backend, const void *base, uint64_t bytes);
    ze_result_t (*set_access)(struct geo_backend *backend, const void *base, uint64_t bytes,
                              ze_memory_access_attribute_t access);
    /* Hints for a system that is short of memory: the memory will be used soon, or not for a
     * while. */
    void (*resident)(struct geo_backend *backend, const void *base, uint64_t bytes, bool resident);
    /* Returns the number of free bytes of the device's memory. */
    ze_result_t (*available)(struct geo_backend *backend, struct geo_backend_device *device,
                             uint64_t *bytes);
};

/* ---- execution ---- */

struct geo_stream_desc {
    uint32_t ordinal, index;
    ze_command_queue_priority_t priority;
    /* All zero: a fault affects only this stream, and its waits report it. */
    struct geo_fault_sink faults;
};

struct geo_stream_ops {
    ze_result_t (*create)(struct geo_backend_device *device, const struct geo_stream_desc *desc,
                          struct geo_backend_stream **out);
    /* Waits until the stream is idle. */
    void (*destroy)(struct geo_backend_stream *stream);
    /* (any thread) Queues a batch. Batches of a stream start in submission order. `done` is a
     * fence: it is raised when the batch has finished (its slot may be NULL). `ticket` identifies
     * the submission for wait. */
    ze_result_t (*submit)(struct geo_backend_stream *stream, struct geo_batch *batch,
                          struct geo_event_ref done, uint64_t *ticket);
    /* (any thread) Combines submit and an unbounded wait. If the stream is idle, the calling thread
     * executes the batch itself and no other thread is woken. Returns the result of the wait. */
    ze_result_t (*execute)(struct geo_backend_stream *stream, struct geo_batch *batch,
                           struct geo_event_ref done);
    /* (any thread) Waits for a submission and all earlier ones; UINT64_MAX: for everything
     * submitted so far. An unbounded wait may execute the stream's work on the calling thread, a
     * bounded wait never does. Returns DEVICE_LOST once work was lost or hangs; such work need not
     * be finished. */
    ze_result_t (*wait)(struct geo_backend_stream *stream, uint64_t ticket, uint64_t timeout_ns);
    /* (any thread) Returns whether a submission and all earlier ones have finished; tickets as in
     * wait. Does not report or clear errors. */
    bool (*finished)(const struct geo_backend_stream *stream, uint64_t ticket);
};

/* A wait for an event. An unbounded wait may execute submissions of `stream` up to `ticket` on the
 * calling thread, because they probably raise the event. The wait also ends when another thread
 * raises it. */
struct geo_event_wait {
    struct geo_event_ref event;
    uint64_t timeout_ns;
    struct geo_backend_stream *stream; /* NULL: none */
    uint64_t ticket;
    /* ends the wait with DEVICE_LOST once it is non-zero; NULL: the event is waited for anyway */
    const _Atomic uint32_t *lost;
};

struct geo_event_ops {
    /* (any thread) Raises the slot's value and wakes its waiters. */
    void (*signal)(struct geo_backend *backend, struct geo_event_ref event);
    /* (any thread) Resets the value to 0. */
    void (*reset)(struct geo_backend *backend, struct geo_event_slot *slot);
    /* (any thread) Waits for the event. If this thread executed work of a stream meanwhile, returns
     * the stream's error, as the stream's wait does. Returns DEVICE_LOST if *wait->lost became
     * non-zero: the driver sets it when work of the context failed, so the event may never be
     * raised. */
    ze_result_t (*wait)(struct geo_backend *backend, const struct geo_event_wait *wait);
    /* Returns the device's timer, and the host clock (CLOCK_MONOTONIC_RAW, ns) at the same
     * moment. */
    ze_result_t (*timestamps)(struct geo_backend_device *device, uint64_t *device_ticks,
                              uint64_t *host_ns);
};

/* Semaphores of other APIs. Command records wait for them and signal them. */
struct geo_semaphore_ops {
    /* kind: a kind with a descriptor. The descriptor is untrusted and stays the caller's. A wait
     * for a binary semaphore consumes the signal, a wait for a timeline semaphore does not. Returns
     * INVALID_ARGUMENT when the descriptor is not of this kind, UNSUPPORTED_FEATURE when the system
     * or device cannot use it. */
    ze_result_t (*import)(struct geo_backend_device *device, ze_external_semaphore_ext_flag_t kind,
                          int fd, struct geo_backend_semaphore **out);
    /* The caller ensures that no record refers to the semaphore. */
    void (*release)(struct geo_backend_semaphore *semaphore);
};

/* ---- code ---- */

/* The address of a variable that a native binary imports. */
struct geo_backend_import {
    const char *symbol;
    void *address;
};

/* Most sequences of free registers in the profile of a kernel. */
#define GEO_PROFILE_SEQUENCES 32u

struct geo_program_ops {
    /* Loads the best payload of a binary that geo_native_parse accepted (geo_native_choose). The
     * code itself is still untrusted. The bytes may be freed afterwards. Returns
     * INVALID_NATIVE_BINARY with the reason in `log`. A program that imports variables is only
     * placed: its symbols have addresses, but nothing of it can run before `bind`, and the bytes
     * must stay until then. */
    ze_result_t (*load)(struct geo_backend_device *device, const struct geo_native_view *view,
                        struct geo_backend_program **out, struct geo_strbuf *log);
    /* Completes a placed program with the addresses of its imports, one for each symbol, in any
     * order. Called once, and only for programs with imports. */
    ze_result_t (*bind)(struct geo_backend_program *program,
                        const struct geo_backend_import *imports, uint32_t count,
                        struct geo_strbuf *log);
    void (*unload)(struct geo_backend_program *program);
    /* index: in the view's kernels. Never returns NULL for a valid index. */
    const struct geo_backend_kernel *(*kernel)(struct geo_backend_program *program, uint32_t index);
    /* Returns the address of a symbol that the native binary declares (globals, exports), or
     * INVALID_GLOBAL_NAME. */
    ze_result_t (*symbol)(struct geo_backend_program *program, const char *symbol, void **address);
    /* (any thread) Returns the size of the argument block in a kernel's launch records. It never
     * changes, and is at least the size of all values. */
    uint32_t (*argument_bytes)(const struct geo_backend_kernel *kernel);
    /* (any thread) Returns the local memory of a work-group in bytes, that of its variables
     * included, if its local arguments have these sizes ([argument_count], 0 for others). */
    uint64_t (*local_bytes)(const struct geo_backend_kernel *kernel, const uint64_t *sizes);
    /* (any thread) Encodes the values of arguments into a launch record, whose group_count,
     * local_size and global_offset are set. `arguments` has each value at the offset of its struct
     * geo_native_argument; `local_bytes` has the sizes of local arguments ([argument_count], 0 for
     * others). Sets kernel, local_argument_bytes and the argument block, which has argument_bytes
     * and is aligned like records; the caller sets the rest of the record. Called for each append,
     * and again when a recorded launch is changed, so it does not allocate. The block has each
     * value at its own offset, where dumps of graphs read it. Only a local argument is replaced by
     * a number of the backend. Returns false if the kernel is GEO_KERNEL_RESTRICTED and has no code
     * for this launch; it fills in nothing then. */
    bool (*encode)(const struct geo_backend_kernel *kernel, const void *arguments,
                   const uint64_t *local_bytes, struct geo_command_launch *launch, void *block);
    /* (any thread) Returns how many work-groups of this size, with these local arguments, can wait
     * for each other on a device: the kernel's or a part of it. At least 1. */
    uint32_t (*cooperative_groups)(struct geo_backend_device *device,
                                   const struct geo_backend_kernel *kernel,
                                   const uint32_t group_size[3], const uint64_t *local_bytes);
    /* (any thread) Returns the profile flags (zet_profile_flags_t) of a kernel, and writes the
     * sequences of free registers, at most GEO_PROFILE_SEQUENCES, and their number. NULL: no kernel
     * has a profile. */
    uint32_t (*profile)(const struct geo_backend_kernel *kernel,
                        zet_profile_register_sequence_t *sequences, uint32_t *count);
};

/* ---- backends ---- */

/* A driver's version as clients read it: major and minor of the API, and a build number that is
 * different for each release and each backend. `backend` is a number below 10. The build number is
 * 40100 for backend 0 of release 0.1.0 (docs/decisions/driver.md, "Version numbers differ between
 * drivers and releases"). */
#define GEO_DRIVER_VERSION(backend)                                                                \
    ((uint32_t)ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT) << 24 |                                    \
     (uint32_t)ZE_MINOR_VERSION(ZE_API_VERSION_CURRENT) << 16 |                                    \
     (40000u + 10u * GEO_RELEASE_NUMBER + (backend)))

/* A backend with a NULL `stream` only manages its devices: `memory`, `event`, `program` and
 * `narrow` are NULL as well, `sysman` is not. The first zesDriverGet opens it, and only
 * zesDriverGet lists its driver. Calls of the core API with its handles return UNSUPPORTED_FEATURE
 * (driver/core/driver.h, geo_inventory_check_runs). If the user selects such a backend alone,
 * zeInit opens it too, all lists contain it, and no other backend is listed. */
struct geo_backend_ops {
    const char *name; /* "cpu", "null", "cuda" */
    uint8_t driver_uuid[ZE_MAX_DRIVER_UUID_SIZE];
    /* Non-zero, different for each backend and release, because clients compare it. */
    uint32_t driver_version;
    /* Finds the devices. Cheap: no thread is started before the first submission. */
    ze_result_t (*open)(struct geo_backend **out);
    /* Called at library teardown, after all objects are destroyed. Must not block on work that
     * never ends. */
    void (*close)(struct geo_backend *backend);
    /* Root devices and their sub-devices; each root precedes its sub-devices. */
    uint32_t (*device_count)(struct geo_backend *backend);
    struct geo_backend_device *(*device)(struct geo_backend *backend, uint32_t index);
    const struct geo_device_info *(*device_info)(struct geo_backend_device *device);
    /* Restricts a root device to these sub-devices, at least two, and updates its description.
     * Called before anything runs on it. */
    void (*narrow)(struct geo_backend_device *root, struct geo_backend_device *const *parts,
                   uint32_t count);
    /* Returns whether the user selected this backend alone. NULL: never. */
    bool (*alone)(void);
    /* Returns why the backend did not open, or NULL. May be NULL. */
    const char *(*problem)(void);
    /* Returns a function that only this backend has, by name
     * (zesDriverGetExtensionFunctionAddress), or NULL. May be NULL. */
    void *(*function)(const char *name);
    const struct geo_memory_ops *memory;
    const struct geo_stream_ops *stream;
    const struct geo_event_ops *event;
    const struct geo_program_ops *program;
    /* NULL: the backend lacks the feature, and the driver returns UNSUPPORTED_FEATURE. */
    const struct geo_image_ops *image;
    const struct geo_semaphore_ops *semaphore;
    const struct geo_sysman_ops *sysman;
    const struct geo_metric_ops *metric;
    const struct geo_debug_ops *debug;
};

/* NULL-terminated; defined once per driver library (backends.c or backends_null.c). */
extern const struct geo_backend_ops *const geo_backends[];

#endif
