/* Records when threads are busy with kernels, or with copies and fills, in counters that other
 * processes read.
 *
 * Each thread that runs work has a cell in memory that its owner (backend/host/census.c) shares
 * with other processes. The cell says what the thread is busy with, on which CPU, and since when.
 * When the thread stops or changes its work, the elapsed time is added to the total of that CPU. A
 * reader adds the time of cells that are still open.
 *
 *     watch   since when a reader watches (0: no reader), and until when that is valid
 *     cpus    [ kernel ns, copy ns ] of each CPU, the sum over all processes that share the memory
 *     cells   [ what, begin ] of each thread of this process
 *
 * The clock is read only while a reader watches. Otherwise a thread stores only what it is busy
 * with, in one store. Its start then counts as the time at which the reader began to watch.
 * Consecutive kernels of a batch change nothing and cost nothing.
 *
 * A device is a set of CPUs, and its work is counted for one of them. That is the CPU on which the
 * thread runs. A thread outside the device's CPUs (a thread of the application, an unpinned worker)
 * is assigned one of them. */
#ifndef GEO_EXEC_THREAD_BUSY_H
#define GEO_EXEC_THREAD_BUSY_H

#include "base/assert.h"
#include "base/fork.h"
#include "exec/thread/sync.h"

#include <sched.h>

/* The kinds of work of a busy thread. */
enum geo_busy_kind {
    GEO_BUSY_NOT,
    GEO_BUSY_KERNEL,
    GEO_BUSY_COPY, /* and fills, and pages made present */
};
#define GEO_BUSY_KINDS 2u    /* kinds that are counted; kind k is counted at index k - 1 */
#define GEO_BUSY_CPUS  1024u /* CPU numbers that are counted */
#define GEO_BUSY_CELLS 1024u /* threads of a process; further threads are not counted */

/* The interval in which a reader watches, in CLOCK_MONOTONIC. A thread that closes its cell after
 * `until_ns` ends it. */
struct geo_busy_watch {
    _Atomic uint64_t since_ns, until_ns;
};

/* Total busy time of a CPU by kind, of all processes. */
struct geo_busy_cpu {
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t ns[GEO_BUSY_KINDS];
};

/* `what` is 0, or kind << GEO_BUSY_KIND_SHIFT | CPU. GEO_BUSY_CLOSING is set while the time is
 * being added to the CPU's total. The work began at begin_ns or when the watch began, whichever is
 * later. */
struct geo_busy_cell {
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t begin_ns;
    _Atomic uint32_t what;
};
#define GEO_BUSY_KIND_SHIFT 16u
#define GEO_BUSY_CLOSING    (UINT32_C(1) << 31)

/* The shared memory, which lives as long as the process. All its pages are resident. Everything but
 * `watch` and `cpus` starts zeroed. */
struct geo_busy_board {
    struct geo_busy_watch *watch;
    struct geo_busy_cpu *cpus;
    struct geo_busy_cell *cells;
    uint32_t cpu_count, cell_count;
    _Atomic uint32_t *cells_used; /* number of leading cells that were ever used */
};

/* The state of a thread that runs work (worker.h). Zeroed, it has no cell yet. */
struct geo_busy_here {
    uint32_t kind;
    uint32_t cpu;   /* CPU at the last look */
    uint32_t turns; /* changes until the CPU is looked up again */
    /* fork generation (base/fork.h) of the process that the cell belongs to */
    uint32_t process;
    /* `what` of its cell, or `nowhere`; NULL (then `turns` is 0) before the first use */
    _Atomic uint32_t *what;
    struct geo_busy_cell *cell; /* NULL if all cells are taken */
    const cpu_set_t *cores;     /* CPUs of the device of the current or last work; not owned */
    _Atomic uint32_t nowhere;
};

/* Points to the `since_ns` of the board, or to a constant 0 without a board. */
extern _Atomic(_Atomic uint64_t *) geo_busy_since;

/* Installs the board, once per process and once in each child after fork. `want` is called when
 * work is to run in a process without a board: in a child that runs work of its parent. It may be
 * called on any thread that holds no lock of the runtime. */
void geo_busy_open(const struct geo_busy_board *board, void (*want)(void));

/* Calls `want` if this process has no board yet, before work that depends on the shared memory. */
void geo_busy_ask(void);

/* Forgets the board and all cells in the child after fork: they belong to the parent. */
void geo_busy_after_fork(void);
/* Takes a new cell at the next change if the process has forked since. Called after code that may
 * fork. */
static inline void geo_busy_renew(struct geo_busy_here *here)
{
    if (here->process != geo_fork_generation()) {
        here->what = NULL;
        here->turns = 0;
    }
}

/* Closes and returns the thread's cell. */
void geo_busy_finish(struct geo_busy_here *here);

/* Sets the CPUs of the device whose work the thread does next. NULL or an empty set means the CPU
 * on which the thread runs. The set must live as long as the thread is busy with that work. */
static inline void geo_busy_for(struct geo_busy_here *here, const cpu_set_t *cores)
{
    if (__builtin_expect(here->cores != cores, 0)) {
        here->cores = cores;
        here->turns = 0;
    }
}

/* Implements geo_busy_with where more than one store is needed. */
void geo_busy_change(struct geo_busy_here *here, uint32_t kind);

/* Sets what the thread is busy with from now on. The thread gets a cell if it has none. */
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
    GEO_ASSERT(here->what && kind <= GEO_BUSY_KINDS);
    here->kind = kind;
    atomic_store_explicit(here->what,
                          kind == GEO_BUSY_NOT ? 0 : kind << GEO_BUSY_KIND_SHIFT | here->cpu,
                          memory_order_relaxed);
}

#endif
