/* What threads are busy with, for counters that other processes read: kernels, or copies and fills.
 *
 * A thread that runs work has a cell in memory that its owner (backend/host/census.c) shares with
 * other processes; there stands what it is busy with, on which CPU, and since when. When that ends
 * its time is added to what was counted for the CPU. Whoever reads adds what is still open.
 *
 *     watch   since when somebody looks (0: nobody), until when that holds
 *     cpus    [ kernel ns, copy ns ] of each CPU: of all processes that have this memory
 *     cells   [ what, begin ] of each thread of this process
 *
 * A clock is read only while somebody looks: else a thread says what it is busy with, in one
 * store, and not since when. That is then since the look began, if it did meanwhile. From one
 * kernel to the next of a batch nothing changes, and nothing is done.
 *
 * A device is a set of CPUs, and what runs for it counts for one of them: that which the thread is
 * on, or where it is on none of the device's (a caller's thread, workers that stay nowhere),
 * another. */
#ifndef GEO_EXEC_BUSY_H
#define GEO_EXEC_BUSY_H

#include "base/fork.h"
#include "exec/sync.h"

#include <sched.h>

enum geo_busy_kind {
    GEO_BUSY_NOT,
    GEO_BUSY_KERNEL,
    GEO_BUSY_COPY, /* and fills, and pages made present */
};
#define GEO_BUSY_KINDS 2u    /* that are counted: a kind's place among them is one less */
#define GEO_BUSY_CPUS  1024u /* by number */
#define GEO_BUSY_CELLS 1024u /* threads of a process; more are not counted */

/* Of CLOCK_MONOTONIC. The last process to close anything after `until_ns` ends it. */
struct geo_busy_watch {
    _Atomic uint64_t since_ns, until_ns;
};

struct geo_busy_cpu {
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t ns[GEO_BUSY_KINDS];
};

/* what: 0, or the kind << GEO_BUSY_KIND_SHIFT and the CPU; CLOSING: it is being added to the CPU's.
 * It began at begin_ns, or when the watch did, whatever was later. */
struct geo_busy_cell {
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t begin_ns;
    _Atomic uint32_t what;
};
#define GEO_BUSY_KIND_SHIFT 16u
#define GEO_BUSY_CLOSING    (UINT32_C(1) << 31)

/* The memory: page by page there, and zeroed but for watch and cpus. Lives as long as the process.
 */
struct geo_busy_board {
    struct geo_busy_watch *watch;
    struct geo_busy_cpu *cpus;
    struct geo_busy_cell *cells;
    uint32_t cpu_count, cell_count;
    _Atomic uint32_t *cells_used; /* cells behind these were never taken */
};

/* Of a thread that runs work (worker.h); zeroed: it has no cell yet. */
struct geo_busy_here {
    uint32_t kind;
    uint32_t cpu;               /* it was on lately */
    uint32_t turns;             /* until that is looked at again */
    uint32_t process;           /* the cell is of the process of this generation (base/fork.h) */
    _Atomic uint32_t *what;     /* of its cell, or `nowhere`; NULL, and no turns: it has none yet */
    struct geo_busy_cell *cell; /* NULL: there is none for it */
    const cpu_set_t *cores;     /* of the device whose work it does, or did last; not owned */
    _Atomic uint32_t nowhere;
};

/* Since when somebody looks, of the board or of none. */
extern _Atomic(_Atomic uint64_t *) geo_busy_since;

/* Once in a process, and once in its child after `want`: that is called when work is to run there,
 * of the parent's or before the board is there. Any thread, which holds no locks of the runtime's.
 */
void geo_busy_open(const struct geo_busy_board *board, void (*want)(void));

/* Calls `want` where there is something to want, before work that goes by what the owner shares. */
void geo_busy_ask(void);

/* In the child after fork: its board is the parent's, and so is every cell. */
void geo_busy_after_fork(void);
/* The thread has called what may have forked. */
static inline void geo_busy_renew(struct geo_busy_here *here)
{
    if (here->process != geo_fork_generation()) {
        here->what = NULL;
        here->turns = 0;
    }
}

/* Gives the cell back; the thread is busy with nothing. */
void geo_busy_finish(struct geo_busy_here *here);

/* What the thread does next is for a device of these CPUs; none of them: wherever it is. They live
 * as long as it is busy with that. */
static inline void geo_busy_for(struct geo_busy_here *here, const cpu_set_t *cores)
{
    if (__builtin_expect(here->cores != cores, 0)) {
        here->cores = cores;
        here->turns = 0;
    }
}

void geo_busy_change(struct geo_busy_here *here, uint32_t kind);

/* From here on the thread is busy with this. Whoever is busy has a cell. */
static inline void geo_busy_with(struct geo_busy_here *here, uint32_t kind)
{
    if (here->kind == kind) {
        return;
    }
    const _Atomic uint64_t *since = atomic_load_explicit(&geo_busy_since, memory_order_relaxed);
    if (__builtin_expect(atomic_load_explicit(since, memory_order_relaxed) != 0 ||
                             (kind != GEO_BUSY_NOT && here->turns-- == 0),
                         0)) {
        geo_busy_change(here, kind);
        return;
    }
    here->kind = kind;
    atomic_store_explicit(here->what,
                          kind == GEO_BUSY_NOT ? 0 : kind << GEO_BUSY_KIND_SHIFT | here->cpu,
                          memory_order_relaxed);
}

#endif
