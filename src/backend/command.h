/* Command records: a command list consists of them, and a backend executes them. See
 * docs/decisions/interfaces.md, "Records of commands refer outward by pointers and inward by
 * offsets".
 *
 * A list is a flat sequence of records in one growing buffer. A record has a fixed header, a
 * payload that depends on the operation, and a wait list. References inside a record are offsets
 * from its start, so a list can be moved, cloned and edited in place. Pointers only refer to memory
 * outside the list: memory of the application, event slots, kernels.
 *
 *     | geo_command | payload | argument block ... | waits[] |   next record
 *     0             header size                    wait_offset   bytes
 */
#ifndef GEO_BACKEND_COMMAND_H
#define GEO_BACKEND_COMMAND_H

#include <level_zero/ze_api.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_COMMAND_ALIGN 16u

struct geo_backend_device;
struct geo_backend_kernel;
struct geo_backend_semaphore;
struct geo_metric_collection; /* metric.h */
struct geo_metric_group;
struct geo_metric_slot;

enum geo_event_slot_flags {
    GEO_EVENT_SHARED = 1u << 0, /* the slot is in memory that other processes may map */
};

/* When a profiled command ran, in device timer ticks (ns). A thread that sees the command's signal
 * also sees these times. A thread that reads them while the command runs again may get times of
 * both runs. */
struct geo_timestamps {
    _Atomic uint64_t global_start, global_end;
    _Atomic uint64_t context_start, context_end; /* the same clock, limited to the command itself */
};

static inline void geo_command_timestamps_write(struct geo_timestamps *times, uint64_t start,
                                                uint64_t end)
{
    atomic_store_explicit(&times->global_start, start, memory_order_relaxed);
    atomic_store_explicit(&times->global_end, end, memory_order_relaxed);
    atomic_store_explicit(&times->context_start, start, memory_order_relaxed);
    atomic_store_explicit(&times->context_end, end, memory_order_relaxed);
}

static inline ze_kernel_timestamp_result_t
geo_command_timestamps_read(const struct geo_timestamps *times)
{
    return (ze_kernel_timestamp_result_t){
        .global = {atomic_load_explicit(&times->global_start, memory_order_relaxed),
                   atomic_load_explicit(&times->global_end, memory_order_relaxed)},
        .context = {atomic_load_explicit(&times->context_start, memory_order_relaxed),
                    atomic_load_explicit(&times->context_end, memory_order_relaxed)},
    };
}

/* The state of an event, in its pool's memory. It is plain data, may be shared between processes
 * and contains no pointers.
 *
 * An event is complete when value >= the value of the reference to it. A regular event has the
 * values 0 (not signalled) and 1 (signalled). A counter-based event refers to the slot of its
 * list's counter. A thread that raises `value` and finds `sleepers` non-zero wakes the futex, which
 * is the low word of `value`, and the backend's parked streams. Only the backend accesses
 * `sleepers`. */
struct geo_event_slot {
    _Alignas(64) _Atomic uint64_t value;
    /* Low half: threads waiting on the futex; high half: parked streams. */
    _Atomic uint32_t sleepers;
    uint32_t flags;              /* enum geo_event_slot_flags, set before the first use */
    struct geo_timestamps times; /* valid when value was raised by a profiled command */
    /* Values from this one on were raised for lost work; 0: none. Valid until the slot is reset. */
    _Atomic uint64_t lost_from;
    uint64_t reserved;
};
_Static_assert(sizeof(struct geo_event_slot) == 64, "one slot, one cache line");

struct geo_event_ref {
    struct geo_event_slot *slot; /* NULL: none */
    /* At most GEO_EVENT_VALUE_MAX, possibly with one of the marks below. */
    uint64_t value;
};

/* Mark of a relative value: it is added to a base that differs between submissions,
 * geo_batch.bases[index]. Used in the records of regular lists, which stay unchanged between
 * executions.
 *
 *   63        62..40   39..0
 *   RELATIVE  index    value above the base
 */
#define GEO_EVENT_RELATIVE        (UINT64_C(1) << 63)
#define GEO_EVENT_BASE_SHIFT      40
#define GEO_EVENT_BASE_LIMIT      (UINT32_C(1) << 22)
#define GEO_EVENT_RELATIVE_VALUES (UINT64_C(1) << GEO_EVENT_BASE_SHIFT)

/* Mark of an external slot: a bare 8-byte aligned word of the application, which kernels and the
 * host set with plain stores. A signal adds the value to it. */
#define GEO_EVENT_EXTERNAL (UINT64_C(1) << 62)

#define GEO_EVENT_VALUE_MAX ((UINT64_C(1) << 62) - 1)

/* Non-zero: the system could not create a thread that serves parked and ready streams. A query for
 * an incomplete event then waits for it with a zero timeout, which serves them. */
extern __attribute__((visibility("hidden"))) _Atomic uint32_t geo_backend_unattended;

/* Returns whether an event is complete. The value must be unmarked: neither external nor relative. */
static inline bool geo_command_event_complete(const struct geo_event_ref *ref)
{
    const _Atomic uint64_t *word = (const _Atomic uint64_t *)(const void *)ref->slot;
    return atomic_load_explicit(word, memory_order_acquire) >= ref->value;
}

/* Returns whether an event is complete. The value may be marked as external, but not as relative. */
static inline bool geo_command_event_reached(const struct geo_event_ref *ref)
{
    const struct geo_event_ref plain = {ref->slot, ref->value & GEO_EVENT_VALUE_MAX};
    return geo_command_event_complete(&plain);
}

static inline struct geo_event_ref geo_command_event_above(struct geo_event_ref ref, uint64_t base)
{
    return (struct geo_event_ref){ref.slot, base + (ref.value & (GEO_EVENT_RELATIVE_VALUES - 1))};
}

/* Replaces a relative value by the absolute value in a submission. */
static inline struct geo_event_ref geo_command_event_resolve(struct geo_event_ref ref,
                                                             const uint64_t *bases)
{
    if (!(ref.value & GEO_EVENT_RELATIVE)) {
        return ref;
    }
    return geo_command_event_above(
        ref, bases[(ref.value & ~GEO_EVENT_RELATIVE) >> GEO_EVENT_BASE_SHIFT]);
}

/* Returns whether the work that should have signalled a complete event was lost. */
static inline bool geo_command_event_lost(const struct geo_event_ref *ref)
{
    if (__builtin_expect(ref->value & GEO_EVENT_EXTERNAL, 0)) {
        return false; /* a bare word has no such information */
    }
    uint64_t from = atomic_load_explicit(&ref->slot->lost_from, memory_order_relaxed);
    return __builtin_expect(from != 0, 0) && ref->value >= from;
}

/* The operations. The table says what each of them is. */
enum geo_command_operation {
#define GEO_COMMAND(operation, payload, name, run, dump, fault, capture) GEO_COMMAND_##operation,
#include "backend/command.def"
#undef GEO_COMMAND
    GEO_COMMAND_OPERATION_COUNT,
};
_Static_assert(GEO_COMMAND_NOP == 0, "a zeroed record does nothing");

/* The part of a command in a graph. */
enum geo_command_capture {
    GEO_CAPTURE_ORDER,     /* orders other commands; a recording may end before it is joined */
    GEO_CAPTURE_WORK,      /* must be joined before the recording ends */
    GEO_CAPTURE_IMMEDIATE, /* work that regular lists refuse */
};

enum geo_command_flags {
    GEO_COMMAND_PROFILE = 1u << 0, /* write start and end timestamps to `profile` */
};

struct geo_command {
    _Alignas(GEO_COMMAND_ALIGN) uint16_t operation; /* enum geo_command_operation */
    uint16_t flags;                                 /* enum geo_command_flags */
    uint32_t bytes; /* size of the whole record; a multiple of GEO_COMMAND_ALIGN */
    struct geo_event_ref signal;
    uint32_t wait_count;
    uint32_t wait_offset;           /* struct geo_event_ref[wait_count] */
    struct geo_timestamps *profile; /* destination of the timestamps */
};
_Static_assert(sizeof(struct geo_command) % GEO_COMMAND_ALIGN == 0, "records stay aligned");

struct geo_command_launch {
    struct geo_command header;
    const struct geo_backend_kernel *kernel; /* kept alive by the list */
    uint32_t group_count[3];
    uint32_t local_size[3];
    uint64_t global_offset[3];
    /* LAUNCH_INDIRECT: the three group counts, read at execution. A launch of a multiple launch
     * runs only if indirect_index < *indirect_limit; NULL: always. */
    const uint32_t *indirect_counts;
    const uint32_t *indirect_limit;
    uint64_t local_argument_bytes; /* the backend's: local memory that the arguments take */
    uint32_t argument_offset; /* argument block, aligned like records; filled by program.encode */
    uint32_t indirect_index;
    bool cooperative; /* groups may wait for each other, so all of them must run concurrently */
};

struct geo_command_copy {
    struct geo_command header;
    void *destination;
    const void *source;
    uint64_t bytes;
};

struct geo_command_copy_region {
    struct geo_command header;
    uint8_t *destination; /* first byte of the region */
    const uint8_t *source;
    uint64_t width, height, depth; /* in bytes, rows, slices; all at least 1 */
    uint64_t destination_pitch, destination_slice_pitch;
    uint64_t source_pitch, source_slice_pitch;
};

struct geo_command_fill {
    struct geo_command header;
    void *destination;
    uint64_t bytes;
    uint32_t pattern_offset, pattern_bytes; /* any size from 1; powers of two are fast */
};

struct geo_command_event {
    struct geo_command header;
    struct geo_event_ref event;
};

struct geo_command_timestamp {
    struct geo_command header;
    uint64_t *destination;
};

struct geo_command_query_timestamps {
    struct geo_command header;
    void *destination;       /* ze_kernel_timestamp_result_t[] */
    const uint64_t *offsets; /* byte offset of each result, read at execution; NULL: packed */
    uint32_t times_offset, times_count; /* const struct geo_timestamps *[] in the record */
};

struct geo_command_host_function {
    struct geo_command header;
    void (*function)(void *);
    void *user_data;
};

struct geo_command_range {
    struct geo_command header;
    const void *start;
    uint64_t bytes;
    /* The device that will use the range, or that the advice is for. */
    struct geo_backend_device *device;
    uint32_t advice; /* ze_memory_advice_t */
    uint32_t reserved;
};

/* A value that a semaphore of another API must reach. The list keeps the semaphore alive. */
struct geo_semaphore_point {
    struct geo_backend_semaphore *semaphore;
    uint64_t value; /* at most GEO_EVENT_VALUE_MAX; ignored for binary semaphores */
};

struct geo_command_semaphores {
    struct geo_command header;
    uint32_t points_offset, point_count; /* struct geo_semaphore_point[] in the record */
};

static inline const struct geo_semaphore_point *
geo_command_points(const struct geo_command_semaphores *command)
{
    return (const struct geo_semaphore_point *)((const uint8_t *)command + command->points_offset);
}

enum geo_metric_record {
    GEO_METRIC_BEGIN, /* starts after all earlier work, and delays later work */
    GEO_METRIC_END,
    GEO_METRIC_MARKER,
};

/* The list keeps group, slot and collection alive. A collection may have been stopped. */
struct geo_command_metric {
    struct geo_command header;
    const struct geo_metric_group *group;     /* NULL: a marker of a stream */
    struct geo_metric_slot *slot;             /* BEGIN, END */
    struct geo_metric_collection *collection; /* MARKER: the stream; NULL: the group */
    uint32_t pool;  /* BEGIN, END: zet_metric_query_pool_type_t, the kind of measurement */
    uint32_t what;  /* enum geo_metric_record */
    uint32_t value; /* MARKER */
};

static inline const struct geo_command *geo_command_next(const struct geo_command *command)
{
    return (const struct geo_command *)((const uint8_t *)command + command->bytes);
}

static inline const struct geo_event_ref *geo_command_waits(const struct geo_command *command)
{
    return (const struct geo_event_ref *)((const uint8_t *)command + command->wait_offset);
}

/* A contiguous sequence of records. Batch and records must not change until the submission has
 * completed. Only wait reports that: `done` is raised while the batch is still being accessed. */
struct geo_batch {
    const struct geo_command *first;
    uint64_t bytes;
    const uint64_t *bases;  /* bases of relative references; NULL: the records have none */
    struct geo_batch_link { /* the backend's, so that submission allocates nothing; zeroed before
                               the first use */
        struct geo_batch *next;
        uint64_t ticket;
        void *opaque[4];
    } link;
};

#endif
