/* The state that all files of the debugged process share: the backend's devices, one lock, and the
 * way to wake the agent.
 *
 *     cell.c      threads that run kernels; parks them in a signal handler
 *     code.c      loaded modules, what debuggers wrote into them
 *     event.c     events on their way to a debugger
 *     session.c   one debugger: numbers of threads, events, requests
 *     agent.c     the thread that talks to debuggers
 *
 * The order of the files; each uses only those before it:
 *     socket, place, memory, state < cell, code, event < registers < session < agent < debug
 *
 * The lock protects sessions, modules and everything else that is not marked as belonging to one
 * thread. Signal handlers never take it. The agent holds it for short times only: it never waits
 * for a debugger or for a thread while it has the lock. */
#ifndef GEO_BACKEND_CPU_DEBUG_STATE_H
#define GEO_BACKEND_CPU_DEBUG_STATE_H

#include "backend/host/device.h"

#include <stdbool.h>

struct geo_cpu_debug_launch;

/* The parts of the backend that the debugged process needs. */
struct geo_cpu_debug_desc {
    const struct geo_backend *backend;
    /* Describes a launch for a debugger: job_desc->whole of a job of the kind GEO_BUSY_KERNEL, and
     * the first unit of a range. Called while the launch runs. */
    void (*describe)(const void *whole, uint64_t first, struct geo_cpu_debug_launch *out);
};

/* Set once, when debugging is switched on. */
extern struct geo_cpu_debug_desc geo_cpu_debug_state_desc;

void geo_cpu_debug_state_lock(void);
void geo_cpu_debug_state_unlock(void);
bool geo_cpu_debug_state_locked(void); /* for assertions */

/* (any thread, signal handlers) Wakes the agent. */
void geo_cpu_debug_state_kick(void);

/* (the agent's thread) Returns the descriptor that becomes readable, or -1 with errno. Creates it
 * if it is missing. geo_cpu_debug_state_kicked makes it unreadable again. */
int geo_cpu_debug_state_kick_fd(void);
void geo_cpu_debug_state_kicked(void);

/* Sets a function that runs in the child after fork while the lock is held; it must be safe there.
 */
void geo_cpu_debug_state_open(const struct geo_cpu_debug_desc *desc, void (*after_fork)(void));

#endif
