/* Faults at the backend interface: how a backend reports failed work, and how its streams learn
 * that they must stop.
 *
 * The report comes first: `report` returns before any event or ticket of the failed work, or of
 * later work, is raised. So a thread that sees an event raised also sees the loss. Work that is
 * skipped after a loss still raises its events, so that no thread waits for ever. Their slots
 * record the loss (lost_from) for waiters that do not share the `lost` flag: other contexts, other
 * processes. */
#ifndef GEO_BACKEND_FAULT_H
#define GEO_BACKEND_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Describes a fault. Pointers are valid until `report` returns. Strings live as long as the
 * backend. */
struct geo_fault {
    uint16_t operation; /* enum geo_command_operation */
    const char *reason; /* "invalid memory access" */
    int signal;         /* 0: no signal was involved */
    bool touched;       /* `address` is the accessed address */
    uint64_t address;
    uint64_t instruction; /* 0: unknown */
    /* Launches: the faulting work-group is one of these, with consecutive numbers (x fastest). */
    const char *kernel; /* NULL: none, or unknown */
    bool stopped;       /* the work-group did not fault, but exceeded the time limit */
    bool unstarted;     /* no work-group of the launch ran */
    /* the launch's group counts in memory could not be read, so no work-group ran */
    bool counts;
    uint32_t first_group[3], last_group[3];
    uint32_t local_size[3];
    uint64_t global_offset[3];
    const char *hint; /* how to find out which group it was; may be NULL */
    /* Copies, fills, timestamps. */
    const void *destination;
    const void *source; /* for a copy */
    uint64_t bytes;     /* for a copy or fill */
};

/* The receiver of a stream's faults, part of its description. */
struct geo_fault_sink {
    /* Non-zero: work was lost, and the stream executes nothing any more. Several streams may share
     * it. */
    const _Atomic uint32_t *lost;
    /* (any thread, concurrently) Reports a fault. Sets *lost before it returns. */
    void (*report)(void *owner, const struct geo_fault *fault);
    void *owner;
};

#endif
