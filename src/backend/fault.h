/* Faults at the seam: what a backend tells of work that could not be done, and how its streams
 * learn that nothing runs any more.
 *
 * Told, then shown: report returns before any event or ticket of the failed work, or of work behind
 * it, is raised. Whoever sees one raised sees the loss, too. Work that does not run any more still
 * raises its events, so that nobody waits for ever; their slots say so (lost_from), which tells
 * those who do not share the flag: other contexts, other processes. */
#ifndef GEO_BACKEND_FAULT_H
#define GEO_BACKEND_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Pointers are valid until report returns, but for the texts, which live as long as the backend. */
struct geo_fault {
    uint16_t operation; /* enum geo_command_operation */
    const char *reason; /* "invalid memory access" */
    int signal;         /* 0: no signal told of it */
    bool touched;       /* `address` was accessed, and is not known otherwise */
    uint64_t address;
    uint64_t instruction; /* 0 unknown */
    /* Launches. The work-group is one of these, of consecutive numbers (x fastest). */
    const char *kernel; /* NULL: none, or not known */
    bool stopped;       /* it did nothing wrong, but did not end */
    bool unstarted;     /* none of its work-groups ran */
    bool counts;        /* its group counts in memory could not be read: no work-group ran */
    uint32_t first_group[3], last_group[3];
    uint32_t local_size[3];
    uint64_t global_offset[3];
    const char *hint; /* how to learn which group it was; NULL */
    /* Copies, fills, timestamps. */
    const void *destination;
    const void *source; /* of a copy */
    uint64_t bytes;     /* of a copy or fill */
};

/* Whom a stream tells, given with its description. */
struct geo_fault_sink {
    /* Not 0: work was lost, nothing of the stream runs any more. Several streams may share it. */
    const _Atomic uint32_t *lost;
    /* (any thread, several at once) Sets *lost before it returns. */
    void (*report)(void *owner, const struct geo_fault *fault);
    void *owner;
};

#endif
