/* Checks whether a thread of the application can run work, and prepares it.
 *
 * Compiled code needs enough stack. To survive a fault in it, the thread needs our signal handler,
 * an alternate stack for the handler, and the signals unblocked. (The kernel kills a process that
 * faults while the signal is blocked.) Checking all of this takes system calls that cost as much as
 * a small launch. So a thread is checked when it first runs work, and then every GEO_CALLER_TURNS
 * times. A thread that has such signals blocked is checked every time. */
#ifndef GEO_EXEC_THREAD_CALLER_H
#define GEO_EXEC_THREAD_CALLER_H

#include "base/assert.h"
#include "native/abi.h"

#include <stdbool.h>
#include <stdint.h>

/* Stack that a thread must have left to run work: that of compiled code, plus our own calls around
 * it and the services that it calls. A thread with less leaves the work to the workers. */
#define GEO_CALLER_STACK_BYTES ((uintptr_t)GEO_ABI_STACK_BYTES + (128u << 10))
#define GEO_CALLER_TURNS       1024u

/* State of the calling thread that every small launch needs, kept together in one cache line. */
struct geo_here {
    uintptr_t low, room; /* a frame in [low, low + room) has enough stack below it */
    uint32_t turns;      /* runs until the next check */
    uint32_t guest;      /* index of the guest that it used last (worker.h) */
    uint32_t depth;      /* not 0 while it runs work, as a worker or as a guest */
    /* while it ran work, tasks became READY for which no thread could be woken or started: it runs
     * them when its work is done (geo_crews_settle) */
    bool owes;
    bool known;  /* low and room are valid */
    bool blocks; /* it has fault signals blocked; they are unblocked while it runs work */
};
extern _Thread_local __attribute__((tls_model("initial-exec"))) struct geo_here geo_here;

/* Checks the calling thread and prepares it for running work, beyond this call. */
void geo_caller_look(void);

/* Returns whether the calling thread has enough stack to run work now. */
static inline bool geo_caller_fit(void)
{
    struct geo_here *here = &geo_here;
    if (__builtin_expect(here->turns == 0, 0)) {
        geo_caller_look();
    }
    GEO_ASSERT(here->turns != 0 && here->known);
    here->turns--;
    return __builtin_expect((uintptr_t)__builtin_frame_address(0) - here->low < here->room, 1);
}

#endif
