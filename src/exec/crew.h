/* Crews: the workers of an executor, and how they idle and are woken.
 *
 * A core has one worker thread in the process, started when first needed, whoever uses the core: a
 * seat. A crew is a set of seats. Devices that share cores (a device and its sub-devices, virtual
 * devices on one machine) have crews that share seats; a seat's worker looks for work of each of
 * its crews in turn.
 *
 *     crew A   [seat of core 0] [seat of core 1] [seat of core 2] [seat of core 3]
 *     crew B                                     [seat of core 2] [seat of core 3]  + spares of B
 *
 * Here is who has which seat and whose references keep a crew; seat.h is a worker's thread, wake.h
 * how one comes. What the work is, a crew does not know: it comes as callbacks.
 *
 * How a worker is counted. A worker that looks for work counts in `spinning` of each of its crews;
 * one that is asleep has a bit in `asleep` of each. A waker takes the bit of its own crew and
 * counts the worker there; the worker, once awake, takes what bits are left and counts itself in
 * those crews. Two crews may wake one worker, and a wake may come late: then it looks around for
 * nothing. */
#ifndef GEO_EXEC_CREW_H
#define GEO_EXEC_CREW_H

#include "exec/reactor.h"
#include "exec/sync.h"
#include "exec/worker.h"

#include <sched.h>

#define GEO_CREW_PLACES 2048u /* cores by number; workers beyond those of the machine above */
#define GEO_CREW_CREWS  32u   /* at most this many share a seat */
#define GEO_CREW_SPARES 64u
#define GEO_CREW_NOBODY UINT32_MAX /* no member */

struct geo_crew;
struct geo_seat;

/* What there is to do, as bits. */
enum geo_crew_sight {
    GEO_CREW_READY = 1u << 0,    /* something waits for a thread; its owner may yet take it back */
    GEO_CREW_HELP = 1u << 1,     /* something goes on faster with another thread */
    GEO_CREW_STARVING = 1u << 2, /* something cannot go on without another thread */
};

struct geo_crew_work {
    void *(*thread)(void *seat); /* geo_seat_main */
    /* Whether there is any of what is asked for (enum geo_crew_sight); looks at nothing else. */
    bool (*look)(const struct geo_crew *crew, uint32_t for_what);
    /* Whether something READY is for workers: nobody else is about to do it. */
    bool (*left)(const struct geo_crew *crew, struct geo_glance *glance);
    /* Takes and does some; calls geo_seat_engage between the two. False: there was none. */
    bool (*run)(struct geo_crew *crew, struct geo_exec_worker *worker);
    /* The last reference has gone: frees what the crew is part of. */
    void (*free)(struct geo_crew *crew);
    /* In the child after fork: whatever there was to do is the parent's. */
    void (*forget)(struct geo_crew *crew);
};

struct geo_crew_desc {
    const int32_t *places; /* [place_count], below GEO_CREW_PLACES */
    uint32_t place_count;  /* where its threads may run */
    uint32_t workers;      /* the first of them have a seat; 1 to place_count */
    bool pinned;           /* places are cores: its threads stay on them */
    const int32_t
        *core_of;     /* [CPU_SETSIZE] the same number for CPUs of one core; NULL: each is one */
    uint64_t spin_ns; /* how long an idle worker spins */
};

/* A seat in one crew; from crew->members on: that of a spare. */
struct geo_membership {
    struct geo_crew *crew;
    uint32_t member;
};

struct geo_seat {
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t parked; /* 1 while its thread sleeps on it */
    _Atomic uint32_t version;                         /* of its crews */
    /* under the lock of all seats, which is held while threads start */
    int32_t place;
    bool seated, pinned, spare;
    uint32_t count;
    struct geo_membership crews[GEO_CREW_CREWS];
    /* of its thread, which goes by a copy that it renews between two tasks */
    uint32_t seen;
    bool spinning;
    bool bind, bound; /* it has yet to go to its core; it is there */
    uint32_t held_count, turn;
    struct geo_membership held[GEO_CREW_CREWS]; /* with a reference each */
    struct geo_glance glances[GEO_CREW_CREWS];  /* at the work of those */
};

struct geo_crew {
    /* read-mostly */
    const struct geo_crew_work *work;
    uint32_t members, max_spinning;
    uint64_t spin_ns;
    struct geo_seat **seats; /* [members], owned */
    struct geo_seat *spares; /* [GEO_CREW_SPARES], owned */
    bool pinned;
    cpu_set_t cores;     /* those of its places that are CPUs of the machine */
    uint32_t *member_at; /* [CPU_SETSIZE], owned: who stays on the core of a CPU; NULL: nobody */
    /* idle workers; a waker counts the worker it wakes as spinning already */
    _Alignas(GEO_CACHE_LINE) _Atomic uint32_t spinning;
    _Atomic uint32_t cold;    /* seats without a thread */
    _Atomic uint64_t *asleep; /* [bitwords], owned: members, then spares */
    uint32_t bitwords;
    _Alignas(GEO_CACHE_LINE) _Atomic uint64_t taken; /* what was READY and was taken: progress */
    /* of the reactor's ticks: how long nothing was taken, and how long that has to last */
    struct geo_reactor_timer timer;
    _Atomic bool watched; /* the timer is armed */
    uint64_t taken_before;
    uint32_t stuck_ticks, patience_ticks;
    _Atomic uint64_t spare_bits;      /* spares at work */
    _Atomic uint32_t gathered;        /* threads that units need which wait for each other */
    _Atomic bool forsaken;            /* something is READY, and no thread can be had for it */
    _Atomic uint32_t references;      /* its creator, each worker that knows it, the armed timer */
    struct geo_crew *next, *previous; /* list of all crews */
};

/* Starts no thread. False when memory ran out or a place has too many crews. */
bool geo_crew_init(struct geo_crew *crew, const struct geo_crew_work *work,
                   const struct geo_crew_desc *desc);

/* Workers leave the crew as soon as they look around; the last to let go of it frees it. No more
 * work may come. */
void geo_crew_leave(struct geo_crew *crew);

/* For work->free. */
void geo_crew_finish(struct geo_crew *crew);

static inline void geo_crew_ref(struct geo_crew *crew)
{
    atomic_fetch_add_explicit(&crew->references, 1, memory_order_relaxed);
}
void geo_crew_unref(struct geo_crew *crew);

static inline bool geo_crew_look(const struct geo_crew *crew, uint32_t for_what)
{
    return crew->work->look(crew, for_what);
}

/* True when a worker spins: handing work over is cheap. */
static inline bool geo_crew_spinning(const struct geo_crew *crew)
{
    return atomic_load_explicit(&crew->spinning, memory_order_seq_cst) != 0;
}

/* True when a worker spins or sleeps: somebody looks for work, or can be woken to. */
bool geo_crew_idle(const struct geo_crew *crew);

/* Marks a crew; unmarks one that was marked, and returns it with a reference. NULL: none was. */
void geo_crew_forsake(struct geo_crew *crew);
struct geo_crew *geo_crew_forsaken(void);

/* True when it has threads at all. */
static inline bool geo_crew_manned(const struct geo_crew *crew)
{
    return atomic_load_explicit(&crew->cold, memory_order_relaxed) != crew->members ||
           atomic_load_explicit(&crew->spare_bits, memory_order_relaxed) != 0;
}

/* The member that stays on the core which the calling thread is on, until that is moved; NOBODY:
 * there is none. */
static inline uint32_t geo_crew_here(const struct geo_crew *crew)
{
    int cpu = crew->member_at ? sched_getcpu() : -1;
    return cpu < 0 || cpu >= CPU_SETSIZE ? GEO_CREW_NOBODY : crew->member_at[cpu];
}

/* Starts a thread on a seat that has none; the caller has counted it as spinning in `crew`. False
 * when there is no such seat (any but this member's: seat is NULL), or no thread to be had. */
bool geo_crew_start(struct geo_crew *crew, struct geo_seat *seat, uint32_t but);

/* Of the seat's thread. Renews its copy: false when the seat has no crew any more and is given up.
 * Between the two it holds nothing, and counts nowhere. */
bool geo_seat_hold(struct geo_seat *seat);
void geo_seat_release(struct geo_seat *seat);

/* Its thread looks around, if it sleeps. */
void geo_seat_wake(struct geo_seat *seat);

/* Around fork; in the child no worker exists. */
void geo_crews_before_fork(void);
void geo_crews_after_fork_parent(void);
void geo_crews_after_fork_child(void);

/* Statistics, for tests: threads on seats now, without spares. */
uint32_t geo_crew_threads(void);

#endif
