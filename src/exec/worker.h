/* What a thread of the host runtime needs to run work: the compiled code's view of it (scratch
 * memory) and the state of its floating-point unit.
 *
 * Every worker thread has one. A thread of the application that helps borrows one, a guest, for as
 * long as it runs work; its own floating-point state comes back when it gives the guest back. */
#ifndef GEO_EXEC_WORKER_H
#define GEO_EXEC_WORKER_H

#include "exec/busy.h"
#include "exec/caller.h"
#include "machine/machine.h"
#include "native/abi.h"

#include <signal.h>
#include <stdatomic.h>

struct geo_seat;

/* What a worker saw of an executor's ready tasks when it last looked (task.h). */
struct geo_glance {
    uint64_t ticks;     /* when */
    uint32_t idle;      /* so many looks in a row saw tasks come and go, and none left */
    uint64_t left;      /* the shards with tasks that are left to workers */
    uint16_t marks[64]; /* of each shard: how often one was taken, and whether one is ready */
};

struct geo_exec_worker {
    _Alignas(64) struct geo_worker abi; /* its scratch is the end of the worker's */
    uint8_t *scratch_end;
    uint64_t scratch_room;
    uint32_t fp_control; /* what the unit is set to now */
    uint32_t fp_saved;   /* guests: what the application had */
    struct geo_busy_here busy;
    uint32_t turns; /* a crew's worker: looks for work so far */
    uint32_t rotor; /* where to look for work first */
    bool guest;
    struct geo_seat *seat; /* of a crew's worker; NULL: a guest */
    struct geo_glance
        *glance;        /* a crew's worker: its last look at the crew's work; NULL: a guest */
    _Atomic bool taken; /* guests: lent out */
    bool unblocked;     /* guests: the thread has these signals blocked otherwise */
    sigset_t blocked;
};

/* rotor: different for workers of one executor. */
void geo_worker_init(struct geo_exec_worker *worker, uint32_t rotor);
void geo_worker_finish(struct geo_exec_worker *worker);

/* Gives the code that runs next `bytes` of scratch, which end where memory ends: what goes beyond
 * them faults. False when memory ran out (what was there is kept). */
bool geo_worker_scratch_grow(struct geo_exec_worker *worker, uint64_t bytes);
static inline bool geo_worker_scratch(struct geo_exec_worker *worker, uint64_t bytes)
{
    if (bytes > worker->scratch_room && !geo_worker_scratch_grow(worker, bytes)) {
        return false;
    }
    uintptr_t start = (uintptr_t)worker->scratch_end - bytes;
    worker->abi.scratch = (uint8_t *)(start & ~(uintptr_t)(GEO_ABI_SCRATCH_ALIGN - 1));
    worker->abi.scratch_bytes = bytes;
    return true;
}

/* Zeroed memory for scratch, with memory around it that cannot be written, and before it not be
 * read; NULL: there is none. */
uint8_t *geo_scratch_map(uint64_t bytes);
void geo_scratch_unmap(uint8_t *memory, uint64_t bytes);

/* The floating-point unit is as kernels want it. */
static inline void geo_worker_fp(struct geo_exec_worker *worker)
{
    if (worker->fp_control != GEO_MACHINE_FP_DEFAULT) {
        worker->fp_control = GEO_MACHINE_FP_DEFAULT;
        geo_machine_fp_set(GEO_MACHINE_FP_DEFAULT);
    }
}

/* For threads of the application; NULL when all guests are lent out, or the thread has too little
 * stack (caller.h). */
struct geo_exec_worker *geo_guest_acquire(void);
void geo_guest_release(struct geo_exec_worker *guest);

/* The same with a worker of the caller's own, which is zeroed, whatever its stack. */
void geo_guest_begin(struct geo_exec_worker *guest);
void geo_guest_end(struct geo_exec_worker *guest);

/* In the child after fork: guests lent to threads that are gone come back. */
void geo_guest_after_fork(void);

#endif
