/* The state that a thread of the host runtime needs to run work: scratch memory for compiled code
 * and the state of the floating-point unit.
 *
 * Every worker thread has one. A thread of the application that runs work borrows one, a guest, for
 * that time. Its own floating-point state is restored when it returns the guest. */
#ifndef GEO_EXEC_THREAD_WORKER_H
#define GEO_EXEC_THREAD_WORKER_H

#include "base/assert.h"
#include "exec/thread/busy.h"
#include "exec/thread/caller.h"
#include "machine/machine.h"
#include "native/abi.h"

#include <signal.h>
#include <stdatomic.h>

struct geo_crew_seat;

/* A worker's last look at the ready tasks of an executor (task.h). */
struct geo_task_snapshot {
    uint64_t ticks; /* time of the look */
    uint32_t idle;  /* consecutive looks that saw tasks come and go, with none left over */
    uint64_t left;  /* one bit per shard with tasks that are left to workers */
    /* of each shard: count of tasks taken (low bits), and whether one is ready */
    uint16_t marks[64];
};

/* Counters of a thread when it began its range of units (record/meter.c). They are not thread-local
 * data: the reserve for that of all libraries is 1.6 kB (docs/decisions/process.md). */
struct geo_worker_range {
    uint64_t counts[24];
    bool valid; /* the thread has such counters */
};

/* A worker thread's state, on its stack, or a guest in a static table. */
struct geo_exec_worker {
    _Alignas(64) struct geo_worker abi; /* its scratch is the end of the worker's memory */
    uint8_t *scratch_end;
    uint64_t scratch_room;
    struct geo_pending_table *pending; /* table for kernels whose additions wait; NULL: none yet */
    uint32_t fp_control;               /* current setting of the floating-point unit */
    uint32_t fp_saved;                 /* guests: the application's setting */
    struct geo_busy_here busy;
    struct geo_worker_range range;
    uint32_t turns;             /* of a worker thread: how often it looked for work */
    uint32_t rotor;             /* the shard where it looks for tasks first */
    bool guest;                 /* a thread of the application uses it, not a worker thread */
    struct geo_crew_seat *seat; /* of a worker thread; NULL: a guest */
    /* of a worker thread: what it saw when it last looked at the crew's ready tasks, to find those
       that nobody takes; NULL: a guest */
    struct geo_task_snapshot *snapshot;
    _Atomic bool taken; /* guests: in use */
    bool unblocked;     /* guests: `blocked` holds signals that were unblocked for the work */
    sigset_t blocked;
};

/* Initialises a worker. rotor: different for workers of one executor. */
void geo_worker_init(struct geo_exec_worker *worker, uint32_t rotor);
void geo_worker_finish(struct geo_exec_worker *worker);

/* Makes `bytes` of scratch current for the code that runs next. They end 512 bytes before the end
 * of writable memory, so that writes further beyond them fault. Returns false if memory is short;
 * the old scratch is kept then. */
bool geo_worker_scratch_grow(struct geo_exec_worker *worker, uint64_t bytes);
static inline bool geo_worker_scratch(struct geo_exec_worker *worker, uint64_t bytes)
{
    if (bytes > worker->scratch_room && !geo_worker_scratch_grow(worker, bytes)) {
        return false;
    }
    uintptr_t start = (uintptr_t)worker->scratch_end - bytes;
    worker->abi.scratch = (uint8_t *)(start & ~(uintptr_t)(GEO_ABI_SCRATCH_ALIGN - 1));
    worker->abi.scratch_bytes = bytes;
    GEO_ASSERT((uintptr_t)worker->scratch_end - (uintptr_t)worker->abi.scratch <=
               worker->scratch_room);
    return true;
}

/* Returns the worker's table of pending additions (native/abi.h), which is empty at first. Returns
 * NULL if memory is short. */
struct geo_pending_table *geo_worker_pending(struct geo_exec_worker *worker);
/* Empties the table and drops what is in it. */
void geo_worker_pending_drop(struct geo_exec_worker *worker);

/* Maps zeroed scratch memory, with 512 writable bytes behind it, between two guard areas. Neither
 * can be written, and the one before it cannot be read either. Returns NULL if memory is short. */
uint8_t *geo_scratch_map(uint64_t bytes);
void geo_scratch_unmap(uint8_t *memory, uint64_t bytes);

/* Sets the floating-point unit as kernels expect it. */
static inline void geo_worker_fp(struct geo_exec_worker *worker)
{
    if (worker->fp_control != GEO_MACHINE_FP_DEFAULT) {
        worker->fp_control = GEO_MACHINE_FP_DEFAULT;
        geo_machine_fp_set(GEO_MACHINE_FP_DEFAULT);
    }
}

/* Borrows a guest for a thread of the application. Returns NULL if all are in use or the thread has
 * too little stack (caller.h). */
struct geo_exec_worker *geo_guest_acquire(void);
void geo_guest_release(struct geo_exec_worker *guest);

/* Make the calling thread a guest, and end that, with a worker that the caller owns and has zeroed.
 * Cannot fail: neither the number of guests nor a thread's small stack matters. */
void geo_guest_begin(struct geo_exec_worker *guest);
void geo_guest_end(struct geo_exec_worker *guest);

/* Takes back the guests of the parent's threads in the child after fork. */
void geo_guest_after_fork(void);

#endif
