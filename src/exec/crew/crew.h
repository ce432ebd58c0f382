/* Crews: the workers of an executor, and how they idle and are woken.
 *
 * The process has one worker thread per core, whichever executors use the core. It is started when
 * first needed, and its object is a seat. A crew is a set of seats. Devices that share cores (a
 * device and its sub-devices, virtual devices on one machine) have crews that share seats. A seat's
 * worker looks for work of each of its crews in turn.
 *
 *     crew A   [seat of core 0] [seat of core 1] [seat of core 2] [seat of core 3]
 *     crew B                                     [seat of core 2] [seat of core 3]  + spares of B
 *
 * This file owns the assignment of seats to crews and the references that keep a crew alive. seat.h
 * has the worker's thread, wake.h wakes and starts workers. The work itself is reached by
 * callbacks.
 *
 * A worker that looks for work is counted in `spinning` of each of its crews. A sleeping worker has
 * a bit in `asleep` of each of them. A waker clears the bit in its own crew and counts the worker
 * there. The worker, once awake, clears its remaining bits and counts itself in those crews. Two
 * crews may wake the same worker, and a wake-up may come late: the worker then finds no work and
 * sleeps again. */
#ifndef GEO_EXEC_CREW_CREW_H
#define GEO_EXEC_CREW_CREW_H

#include "base/assert.h"
#include "exec/thread/sync.h"
#include "exec/thread/worker.h"
#include "exec/wait/reactor.h"

#include <sched.h>

/* limit of place numbers: CPUs by number, and above them workers without a core of their own */
#define GEO_CREW_PLACES 2048u
#define GEO_CREW_CREWS  32u /* most crews that share a seat */
#define GEO_CREW_SPARES 64u
#define GEO_CREW_NOBODY UINT32_MAX /* in place of a member: none */

struct geo_crew;
struct geo_crew_seat;

/* Kinds of pending work, as bits. */
enum geo_crew_work_kind {
    /* a task waits for a thread; its submitter may still take it back */
    GEO_CREW_READY = 1u << 0,
    GEO_CREW_HELP = 1u << 1,     /* a job would run faster with another thread */
    GEO_CREW_STARVING = 1u << 2, /* a job cannot continue without another thread */
};

/* The callbacks through which a crew reaches its work. */
struct geo_crew_work {
    void *(*thread)(void *seat); /* geo_crew_seat_main */
    /* Returns whether any work of these kinds (enum geo_crew_work_kind) is pending; has no side
     * effects. */
    bool (*has_work)(const struct geo_crew *crew, uint32_t kinds);
    /* Returns whether a READY task is left for workers because no other thread is about to run it.
     */
    bool (*left)(const struct geo_crew *crew, struct geo_task_snapshot *snapshot);
    /* Takes and runs some work; calls geo_crew_seat_engage between the two. Returns false if it
     * found none. */
    bool (*run)(struct geo_crew *crew, struct geo_exec_worker *worker);
    /* Frees the object that contains the crew, after the last reference was released. */
    void (*free)(struct geo_crew *crew);
    /* Discards all pending work in the child after fork: it belongs to the parent. */
    void (*forget)(struct geo_crew *crew);
};

/* The description from which a crew is created. */
struct geo_crew_desc {
    const int32_t *places;  /* [place_count], each below GEO_CREW_PLACES */
    uint32_t place_count;   /* places where threads of the crew may run */
    uint32_t workers;       /* the first of the places, 1 to place_count, have a seat */
    bool pinned;            /* places are cores, and threads are bound to them */
    const int32_t *core_of; /* [CPU_SETSIZE] equal for CPUs of one core; NULL: each CPU is a core */
    uint64_t spin_ns;       /* how long an idle worker spins */
};

/* A seat's membership in a crew. Numbers from crew->members on are spares. */
struct geo_membership {
    struct geo_crew *crew;
    uint32_t member;
};

/* A worker thread of the process, or its place while it has none. Seats of cores live for ever; a
 * spare seat is part of its crew. */
struct geo_crew_seat {
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t parked; /* 1 while its thread sleeps on this word */
    /* changes whenever its set of crews changes */
    _Atomic uint32_t version;
    /* protected by the lock of all seats, which is held while a thread is started */
    int32_t place;
    bool seated, pinned, spare;
    uint32_t count;
    struct geo_membership crews[GEO_CREW_CREWS];
    /* owned by the seat's thread: a copy of `version` and `crews`, renewed between two tasks */
    uint32_t seen; /* version of the copy */
    bool spinning;
    bool bind, bound; /* bind: the thread has yet to move to its core; bound: it is there */
    uint32_t held_count, turn;
    struct geo_membership held[GEO_CREW_CREWS];         /* each with a reference */
    struct geo_task_snapshot snapshots[GEO_CREW_CREWS]; /* last look at the work of each of those */
};

/* A crew. It is reference counted; `work->free` frees it with the object that contains it. */
struct geo_crew {
    /* read-mostly */
    const struct geo_crew_work *work;
    uint32_t members, max_spinning;
    uint64_t spin_ns;
    struct geo_crew_seat **seats; /* [members], owned */
    struct geo_crew_seat *spares; /* [GEO_CREW_SPARES], owned */
    bool pinned;
    cpu_set_t cores; /* places that are CPUs of the machine */
    /* [CPU_SETSIZE], owned: member that is bound to the core of a CPU; NULL if not pinned */
    uint32_t *member_at;
    /* Idle workers. A waker counts the worker that it wakes as spinning already. */
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t spinning;
    _Atomic uint32_t cold;    /* seats without a thread */
    _Atomic uint64_t *asleep; /* [bitwords], owned: members, then spares */
    uint32_t bitwords;
    /* READY tasks taken so far: a sign of progress */
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t taken;
    /* state of the reactor's ticks: for how many no task was taken, and after how many a spare
     * comes */
    struct geo_reactor_timer timer;
    _Atomic bool watched; /* the timer is armed */
    uint64_t taken_before;
    uint32_t stuck_ticks, patience_ticks;
    _Atomic uint64_t spare_bits;      /* one bit per spare that runs */
    _Atomic uint32_t gathered;        /* threads needed by units that wait for each other */
    _Atomic bool forsaken;            /* READY work exists, and the system gives no thread for it */
    _Atomic uint32_t references;      /* its creator, each worker that serves it, the armed timer */
    struct geo_crew *next, *previous; /* list of all crews */
};

/* Initialises a crew and adds it to its seats, without starting a thread. Returns false if memory
 * is short or a place has too many crews. */
bool geo_crew_init(struct geo_crew *crew, const struct geo_crew_work *work,
                   const struct geo_crew_desc *desc);

/* Removes the crew from its seats and releases the creator's reference. Workers leave it when they
 * next look for work, and the last one frees it. No more work may be added. */
void geo_crew_leave(struct geo_crew *crew);

/* Frees what the crew owns; for work->free. */
void geo_crew_finish(struct geo_crew *crew);

static inline void geo_crew_ref(struct geo_crew *crew)
{
    uint32_t before = atomic_fetch_add_explicit(&crew->references, 1, memory_order_relaxed);
    GEO_ASSERT(before != 0); /* a crew without references is being freed */
}
void geo_crew_unref(struct geo_crew *crew);

static inline bool geo_crew_has_work(const struct geo_crew *crew, uint32_t kinds)
{
    return crew->work->has_work(crew, kinds);
}

/* Returns true if a worker spins, so that a hand-over is cheap. */
static inline bool geo_crew_spinning(const struct geo_crew *crew)
{
    return atomic_load_explicit(&crew->spinning, memory_order_seq_cst) != 0;
}

/* Returns true if a worker spins or sleeps: it looks for work, or can be woken to do so. */
bool geo_crew_idle(const struct geo_crew *crew);

/* Marks the crew as having READY work without a thread. geo_crew_forsaken unmarks some marked crew
 * and returns it with a reference, or returns NULL. */
void geo_crew_forsake(struct geo_crew *crew);
struct geo_crew *geo_crew_forsaken(void);

/* Returns true if the crew has any thread. */
static inline bool geo_crew_manned(const struct geo_crew *crew)
{
    return atomic_load_explicit(&crew->cold, memory_order_relaxed) != crew->members ||
           atomic_load_explicit(&crew->spare_bits, memory_order_relaxed) != 0;
}

/* Returns the member that is bound to the core on which the calling thread runs now, or
 * GEO_CREW_NOBODY. */
static inline uint32_t geo_crew_here(const struct geo_crew *crew)
{
    int cpu = crew->member_at ? sched_getcpu() : -1;
    uint32_t member = cpu < 0 || cpu >= CPU_SETSIZE ? GEO_CREW_NOBODY : crew->member_at[cpu];
    GEO_ASSERT(member == GEO_CREW_NOBODY || member < crew->members);
    return member;
}

/* Starts a thread on `seat` (NULL: on any seat without a thread, except this member's). The caller
 * has counted it as spinning in `crew`. Returns false if no seat is free or the system gives no
 * thread. */
bool geo_crew_start(struct geo_crew *crew, struct geo_crew_seat *seat, uint32_t but);

/* (the seat's thread) Copies the seat's crews and takes a reference to each. Returns false if the
 * seat has no crew any more and was given up. Between release and hold the thread has no references
 * and is counted in no crew. */
bool geo_crew_seat_hold(struct geo_crew_seat *seat);
void geo_crew_seat_release(struct geo_crew_seat *seat);

/* Wakes the seat's thread if it sleeps. */
void geo_crew_seat_wake(struct geo_crew_seat *seat);

/* Handle fork. The child has no workers. */
void geo_crews_before_fork(void);
void geo_crews_after_fork_parent(void);
void geo_crews_after_fork_child(void);

/* Returns the number of threads on seats, without spares; for tests. */
uint32_t geo_crew_threads(void);

#endif
