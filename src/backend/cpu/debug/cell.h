/* Cells: the threads of the debugged process that run kernels, and how they stop.
 *
 *     IDLE --> RUNNING --> PARKED     a signal handler waits until the agent releases the thread
 *       ^--------'  ^---------'
 *
 * An observer of jobs (exec/job/observer.h) says when a thread enters and leaves a range of
 * work-groups. A thread parks in the handler of
 *   - the agent's signal, if it is in code of a kernel. Elsewhere it may hold locks that the
 *     program needs: then the agent asks again soon
 *   - a breakpoint or a step in code of a kernel
 *   - a fault of a kernel, while a debugger is attached
 *
 * The interrupted registers are in the handler's context, on the stack of the parked thread. The
 * agent reads and changes them there. */
#ifndef GEO_BACKEND_CPU_DEBUG_CELL_H
#define GEO_BACKEND_CPU_DEBUG_CELL_H

#include "backend/cpu/debug/state.h"
#include "exec/job/observer.h"

#include <geoid/debug.h>

#include <signal.h>
#include <ucontext.h>

#define GEO_CPU_DEBUG_CELLS 1024u /* threads; further ones cannot be stopped */

/* Describes a range of a launch to a debugger. */
struct geo_cpu_debug_launch {
    const struct geo_launch *launch;
    const char *name;
    uint64_t entry; /* address of the kernel's code */
    uint32_t lanes;
    bool linear;
    const struct geo_worker *worker; /* of the first group of the range; NULL: the thread's own */
};

enum geo_cpu_debug_cell_state {
    GEO_CPU_DEBUG_FREE, /* belongs to no thread */
    GEO_CPU_DEBUG_IDLE, /* runs no kernel */
    GEO_CPU_DEBUG_RUNNING,
    GEO_CPU_DEBUG_PARKED,
};

struct geo_cpu_debug_cell {
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t state; /* enum geo_cpu_debug_cell_state */
    _Atomic uint32_t turn;    /* futex: the parked thread continues when it changes */
    _Atomic bool asked;       /* set and cleared by the agent: the thread is to stop */
    _Atomic bool later;       /* it was asked where it must not stop: ask again */
    _Atomic bool steps;       /* set by the agent while parked: it traps after an instruction */
    _Atomic bool lapsed;      /* it left the kernel during a step; cleared by the agent */
    _Atomic pid_t thread;     /* the system's id */
    _Atomic uint32_t process; /* fork generation of its process */
    /* Written by the thread before it is RUNNING. */
    const struct geo_fault_scope *scope;
    _Atomic(const struct geo_executor *) executor;
    const void *whole;
    const struct geo_exec_worker *worker;
    uint64_t first, count; /* the range of work-groups */
    int32_t place;         /* of its seat; -1: none */
    /* Written by the thread before it is PARKED. */
    ucontext_t *context;
    int signal, code;
    bool sent; /* by the agent's signal */
    uintptr_t address;
    /* The agent's. */
    bool told;    /* the stop was reported as an event */
    bool changed; /* the debugger has changed a register since the stop */
    bool retry;   /* the interrupted instruction runs again; otherwise its fault takes effect */
    geoid_stop_reason_t reason;
    bool written;    /* it is at a breakpoint that a debugger wrote */
    uint32_t number; /* of the thread in its session; GEO_CPU_DEBUG_NOWHERE: none */
};

/* Starts to observe jobs and to receive signals. `has_code` returns whether an address is in code
 * of a loaded module. It is called in signal handlers. */
void geo_cpu_debug_cell_open(bool (*has_code)(uintptr_t address), void (*want_agent)(void));

/* While it is not 0, faults of kernels park. */
extern _Atomic uint32_t geo_cpu_debug_cell_watched;

/* Returns the cells in use so far. Their states change at any time. */
struct geo_cpu_debug_cell *geo_cpu_debug_cell_list(uint32_t *count);

static inline enum geo_cpu_debug_cell_state
geo_cpu_debug_cell_state(const struct geo_cpu_debug_cell *cell)
{
    return (enum geo_cpu_debug_cell_state)atomic_load(&cell->state);
}

/* (the agent) Asks a running thread to park. It parks, or leaves its range, or sets `later`. */
void geo_cpu_debug_cell_ask(struct geo_cpu_debug_cell *cell);
/* (the agent) Lets a parked thread continue. */
void geo_cpu_debug_cell_release(struct geo_cpu_debug_cell *cell, bool retry);

/* Forgets the threads of the parent in the child after fork. */
void geo_cpu_debug_cell_after_fork(void);

#endif
