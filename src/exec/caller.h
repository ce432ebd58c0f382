/* Threads of the application that run work: whether they can, and what they need for it.
 *
 * Compiled code needs stack, and a fault in it a handler that is ours, a stack for that, and a
 * signal that is not blocked: the system ends a process that faults where it is. None of it can be
 * seen without a system call, which would cost as much as a small launch does. So a thread is
 * looked at when it first runs work, and from then on every GEO_CALLER_TURNS times; one that has
 * signals blocked, every time. */
#ifndef GEO_EXEC_CALLER_H
#define GEO_EXEC_CALLER_H

#include "native/abi.h"

#include <stdbool.h>
#include <stdint.h>

/* A thread with less left leaves work to the workers, whose stacks are known. Besides what compiled
 * code takes: our own calls around it, and the services that it calls. */
#define GEO_CALLER_STACK_BYTES ((uintptr_t)GEO_ABI_STACK_BYTES + (128u << 10))
#define GEO_CALLER_TURNS       1024u

/* What is known of the calling thread, and what it is in the middle of. In one place: each small
 * launch goes through all of it. */
struct geo_here {
    uintptr_t low, room; /* a frame in [low, low + room) has enough stack below it */
    uint32_t turns;      /* until it is looked at again */
    uint32_t guest;      /* the one it had last (worker.h) */
    uint32_t depth;      /* not 0: it runs work, as a worker or a guest */
    bool owes;           /* it has made work ready that nobody else comes for (wake.h) */
    bool known;          /* low and room are */
    bool blocks;         /* it has signals blocked that have to be unblocked while it runs work */
};
extern _Thread_local __attribute__((tls_model("initial-exec"))) struct geo_here geo_here;

/* Looks at the calling thread and gives it what it lacks for longer than this call. */
void geo_caller_look(void);

/* Whether the calling thread, which is about to run work, has the stack for it. */
static inline bool geo_caller_fit(void)
{
    struct geo_here *here = &geo_here;
    if (__builtin_expect(here->turns == 0, 0)) {
        geo_caller_look();
    }
    here->turns--;
    return __builtin_expect((uintptr_t)__builtin_frame_address(0) - here->low < here->room, 1);
}

#endif
