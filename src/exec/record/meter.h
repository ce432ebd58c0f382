/* Meters: counters of what an executor and its streams do, for metrics.
 *
 * A device has a few cells of counters, spread over its threads, and their sum is the device's
 * total. A stream has one meter of its own, which counts once a query has begun on the stream. So a
 * query counts the records of its own stream, whatever other streams do at the same time.
 *
 *     record   kernels, items, copies, bytes    added on the owner's thread when a record has ended
 *     job      steals                           added on the owner's thread when a job has ended
 *     range    calls, busy time, thread's own,  added on the thread that ran the range of units
 *              operations of kernels
 *     batch    submissions, wait                added on the thread that takes it
 *
 * Nothing is counted without a user. Then a record, a launch and a submission each test one word,
 * and a job tests the word of its observers (job/observer.h), of which the meter is one. */
#ifndef GEO_EXEC_RECORD_METER_H
#define GEO_EXEC_RECORD_METER_H

#include "exec/thread/sync.h"
#include "native/abi.h"

#define GEO_METER_CELLS 16u /* of a device */
/* counters of a thread of another source, such as the processor's */
#define GEO_METER_THREAD_COUNTS 24u

/* The counters of a meter. */
enum geo_count {
    GEO_COUNT_KERNELS, /* launches that ran all their groups */
    GEO_COUNT_GROUPS,  /* work-groups of the program */
    GEO_COUNT_ITEMS,
    GEO_COUNT_CHUNKS,         /* vectors of work-items */
    GEO_COUNT_PARTIAL_CHUNKS, /* chunks with inactive lanes */
    GEO_COUNT_LANES,          /* lanes of all chunks, active or not */
    GEO_COUNT_CALLS,          /* ranges of groups that a thread ran without a break */
    GEO_COUNT_KERNEL_NS,      /* time of threads in kernels */
    GEO_COUNT_COPIES,
    GEO_COUNT_COPY_BYTES,
    GEO_COUNT_FILLS,
    GEO_COUNT_FILL_BYTES,
    GEO_COUNT_COPY_NS, /* time of threads in copies and fills */
    GEO_COUNT_COMMANDS,
    GEO_COUNT_STEALS,
    GEO_COUNT_SUBMISSIONS,
    GEO_COUNT_WAIT_NS, /* from each submission until a thread took it */
    GEO_COUNT_THREAD,  /* the first counter of the source (geo_meter_source) */
    /* launches whose kernels have counters, and those whose kernels have none */
    GEO_COUNT_COUNTED = GEO_COUNT_THREAD + GEO_METER_THREAD_COUNTS,
    GEO_COUNT_UNCOUNTED,
    GEO_COUNT_SAVED_BYTES, /* memory of chunks for values that live across barriers */
    GEO_COUNT_OPERATIONS,  /* the first of enum geo_counted */
    GEO_COUNTS = GEO_COUNT_OPERATIONS + GEO_COUNTED_COUNT,
};

/* A set of counters. They only grow. */
struct geo_meter {
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t counts[GEO_COUNTS];
    _Atomic bool queried; /* of a stream: a query has begun on it */
};

struct geo_runner;
struct geo_exec_worker;
struct geo_command;

/* A part of the work that the tracer is told of. Times are device ticks. */
struct geo_meter_event {
    const struct geo_runner *runner;
    uint64_t begin, end;
    uint64_t units;  /* work-groups of a range; bytes of a copy */
    uint32_t worker; /* place of the worker's thread (crew.h) + 1; 0: a thread of the program */
    uint32_t kind;   /* enum geo_meter_kind */
};

enum geo_meter_kind {
    GEO_METER_KERNEL,
    GEO_METER_COPY, /* and fills */
    GEO_METER_RANGE,
};

/* Where more counters and listeners come from; set by the backend. Functions may be NULL. */
struct geo_meter_source {
    /* Reads counters of the calling thread, which never fall. Returns false if it has none. */
    bool (*read)(uint64_t counts[GEO_METER_THREAD_COUNTS]);
    void (*told)(const struct geo_meter_event *event);
};

/* Number of users of meters. Without users nothing is counted. */
extern __attribute__((visibility("hidden"))) _Atomic uint32_t geo_meter_users;
static inline bool geo_meter_on(void)
{
    return __builtin_expect(atomic_load_explicit(&geo_meter_users, memory_order_relaxed) != 0, 0);
}

/* Begin and end the use of meters. The caller serialises the calls. */
void geo_meter_use(void);
void geo_meter_release(void);
/* Sets the functions of the backend; NULL: none. The structure is static. */
void geo_meter_source_set(const struct geo_meter_source *source);

/* Calls `turn` before counters grow, on the thread that counts, as soon as geo_timer_ns()
 * has reached `due_ns`, or shortly before. GEO_WAIT_FOREVER: never. The function may be called by
 * several threads at once and must not wait for other threads. */
void geo_meter_turn_set(uint64_t due_ns, void (*turn)(void));
/* Called before several calls of geo_meter_add that belong together. */
void geo_meter_turn(void);

/* Adds to a counter of the runner's device and, once a query has begun on it, of its stream. */
void geo_meter_add(const struct geo_runner *runner, const struct geo_exec_worker *worker,
                   enum geo_count which, uint64_t amount);
/* Adds what a kernel with counters has counted on this thread. */
void geo_meter_add_operations(const struct geo_runner *runner, const struct geo_exec_worker *worker,
                              const uint64_t counts[GEO_COUNTED_COUNT]);
/* Counts a record that was executed from `begin` to `end`, in device ticks. */
void geo_meter_command(const struct geo_command *command, const struct geo_runner *runner,
                       const struct geo_exec_worker *worker, uint64_t begin, uint64_t end);

/* Adds `count` counters of a meter, from number `first` on, to `counts`. */
void geo_meter_sum(const struct geo_meter *meter, uint32_t first, uint32_t count,
                   uint64_t counts[GEO_COUNTS]);

#endif
