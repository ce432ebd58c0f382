/* The worker threads: working, spinning, sleeping. See seat.h. */
#include "exec/crew/seat.h"

#include "base/assert.h"
#include "exec/crew/wake.h"
#include "exec/thread/fault.h"

#include <pthread.h>
#include <string.h>

#define SPARE_LIFE_NS 1000000000u
#define WORK          (GEO_CREW_READY | GEO_CREW_HELP) /* kinds of work that a worker looks for */

/* ---- looking for work ---- */

static bool seat_has_work(const struct geo_crew_seat *seat, uint32_t kinds)
{
    for (uint32_t i = 0; i < seat->held_count; i++) {
        if (geo_crew_has_work(seat->held[i].crew, kinds)) {
            return true;
        }
    }
    return false;
}

static void seat_spin_enter(struct geo_crew_seat *seat)
{
    GEO_ASSERT(!seat->spinning);
    for (uint32_t i = 0; i < seat->held_count; i++) {
        atomic_fetch_add_explicit(&seat->held[i].crew->spinning, 1, memory_order_seq_cst);
    }
    seat->spinning = true;
}

static void seat_spin_leave(struct geo_crew_seat *seat)
{
    GEO_ASSERT(seat->spinning);
    for (uint32_t i = 0; i < seat->held_count; i++) {
        uint32_t before =
            atomic_fetch_sub_explicit(&seat->held[i].crew->spinning, 1, memory_order_seq_cst);
        GEO_ASSERT(before != 0);
    }
    seat->spinning = false;
}

void geo_crew_seat_engage(struct geo_exec_worker *worker)
{
    struct geo_crew_seat *seat = worker->seat;
    if (!seat || !seat->spinning) {
        return;
    }
    seat->spinning = false;
    for (uint32_t i = 0; i < seat->held_count; i++) {
        struct geo_crew *crew = seat->held[i].crew;
        uint32_t before = atomic_fetch_sub_explicit(&crew->spinning, 1, memory_order_seq_cst);
        GEO_ASSERT(before != 0);
        if (before == 1 && geo_crew_has_work(crew, GEO_CREW_READY)) {
            geo_crew_wake(crew, 1, GEO_CREW_NOBODY);
        }
    }
}

/* Returns whether there is work that no other thread is about to do. */
static bool work_left(struct geo_crew_seat *seat)
{
    if (seat_has_work(seat, GEO_CREW_HELP)) {
        return true;
    }
    for (uint32_t i = 0; i < seat->held_count; i++) {
        const struct geo_crew *crew = seat->held[i].crew;
        if (crew->work->left(crew, &seat->snapshots[i])) {
            return true;
        }
    }
    return false;
}

/* Returns whether there is work that no other worker looks for. READY tasks are left to spinning
 * workers. */
static bool work_missed(const struct geo_crew_seat *seat)
{
    for (uint32_t i = 0; i < seat->held_count; i++) {
        const struct geo_crew *crew = seat->held[i].crew;
        uint32_t kinds = geo_crew_spinning(crew) ? GEO_CREW_HELP : WORK;
        if (geo_crew_has_work(crew, kinds)) {
            return true;
        }
    }
    return false;
}

static uint64_t seat_spin_ns(const struct geo_crew_seat *seat)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < seat->held_count; i++) {
        uint64_t spin_ns = seat->held[i].crew->spin_ns;
        longest = spin_ns > longest ? spin_ns : longest;
    }
    return longest;
}

/* Spins, as counted by the caller. Returns true, still spinning, when there is work; false, not
 * spinning any more, when the time is over. */
static bool seat_spin(struct geo_crew_seat *seat)
{
    GEO_ASSERT(seat->spinning);
    uint64_t spin_ns = seat_spin_ns(seat), start = geo_machine_ticks();
    do {
        for (int i = 0; i < 32; i++) {
            if (work_left(seat)) {
                return true;
            }
            geo_machine_pause();
        }
        sched_yield();
    } while (geo_ticks_to_ns(geo_machine_ticks() - start) < spin_ns);
    seat_spin_leave(seat);
    return false;
}

/* ---- sleeping ---- */

static _Atomic uint64_t *sleep_word(const struct geo_membership *held)
{
    return &held->crew->asleep[held->member / 64];
}

static uint64_t sleep_bit(const struct geo_membership *held)
{
    return 1ull << held->member % 64;
}

/* Clears the seat's bits and counts it as spinning in each crew where a waker has not done so.
 * Returns false if `leaving` and all bits were still set; it is counted nowhere then. */
static bool seat_rise(struct geo_crew_seat *seat, bool leaving)
{
    bool counted = false;
    for (uint32_t i = 0; i < seat->held_count; i++) {
        const struct geo_membership *held = &seat->held[i];
        uint64_t bit = sleep_bit(held);
        uint64_t before = atomic_fetch_and_explicit(sleep_word(held), ~bit, memory_order_seq_cst);
        if (!(before & bit)) {
            counted = true;
        } else if (!leaving) {
            atomic_fetch_add_explicit(&held->crew->spinning, 1, memory_order_seq_cst);
        }
    }
    seat->spinning = counted || !leaving;
    return seat->spinning;
}

/* Sleeps; not spinning on entry, spinning on return. Returns false if the seat is a spare that has
 * waited long enough: it leaves. */
static bool seat_sleep(struct geo_crew_seat *seat)
{
    GEO_ASSERT(!seat->spinning && !atomic_load(&seat->parked));
    uint64_t deadline = seat->spare ? geo_deadline_ns(SPARE_LIFE_NS) : GEO_WAIT_FOREVER;
    bool late = false;
    atomic_store_explicit(&seat->parked, 1, memory_order_seq_cst);
    for (uint32_t i = 0; i < seat->held_count; i++) {
        uint64_t bit = sleep_bit(&seat->held[i]);
        uint64_t before =
            atomic_fetch_or_explicit(sleep_word(&seat->held[i]), bit, memory_order_seq_cst);
        GEO_ASSERT(!(before & bit));
    }
    if (!work_missed(seat) && atomic_load(&seat->version) == seat->seen) {
        while (!late && atomic_load_explicit(&seat->parked, memory_order_seq_cst)) {
            late = !geo_futex_wait(&seat->parked, 1, deadline, false);
        }
    }
    atomic_store_explicit(&seat->parked, 0, memory_order_relaxed);
    bool stays = seat_rise(seat, late);
    GEO_ASSERT(stays == seat->spinning && (stays || seat->spare));
    if (stays) {
        geo_fault_check();
    }
    return stays;
}

static bool seat_idle(struct geo_crew_seat *seat)
{
    GEO_ASSERT(!seat->spinning);
    bool room = false;
    for (uint32_t i = 0; i < seat->held_count; i++) {
        struct geo_crew *crew = seat->held[i].crew;
        uint32_t before = atomic_fetch_add_explicit(&crew->spinning, 1, memory_order_seq_cst);
        room = room || before < crew->max_spinning;
    }
    seat->spinning = true;
    if (!room) {
        seat_spin_leave(seat);
    } else if (seat_spin(seat)) {
        return true;
    }
    return seat_sleep(seat);
}

/* ---- working ---- */

bool geo_crew_seat_pressed(const struct geo_exec_worker *worker)
{
    const struct geo_crew_seat *seat = worker->seat;
    for (uint32_t i = 0; seat && i < seat->held_count; i++) {
        const struct geo_crew *crew = seat->held[i].crew;
        if (!geo_crew_idle(crew) && geo_crew_has_work(crew, GEO_CREW_READY)) {
            return true;
        }
    }
    return false;
}

static void seat_bind(struct geo_crew_seat *seat, const struct geo_crew *crew)
{
    cpu_set_t core;
    CPU_ZERO(&core);
    if (!seat->spare) {
        CPU_SET((size_t)seat->place, &core);
    }
    pthread_setaffinity_np(pthread_self(), sizeof(core), seat->spare ? &crew->cores : &core);
    seat->bound = true;
    seat->bind = false;
}

/* Takes over changes of the seat's crews. Returns false if it has none any more. */
static bool seat_renew(struct geo_crew_seat *seat)
{
    if (__builtin_expect(atomic_load_explicit(&seat->version, memory_order_relaxed) == seat->seen,
                         1)) {
        return true;
    }
    bool spinning = seat->spinning;
    if (spinning) {
        seat_spin_leave(seat);
    }
    geo_crew_seat_release(seat);
    if (!geo_crew_seat_hold(seat)) {
        return false;
    }
    /* they belong to the work of the old crews */
    memset(seat->snapshots, 0, sizeof(seat->snapshots));
    if (seat->bind) {
        seat_bind(seat, seat->held[0].crew);
    }
    if (spinning) {
        seat_spin_enter(seat);
    }
    return true;
}

/* Lets each crew run work in turn, beginning with the one after the last that had some. */
static bool seat_work(struct geo_crew_seat *seat, struct geo_exec_worker *worker)
{
    if (__builtin_expect(worker->turns++ % GEO_CALLER_TURNS == 0, 0)) {
        geo_fault_check();
    }
    for (uint32_t i = 0; i < seat->held_count; i++) {
        uint32_t at = seat->turn < seat->held_count ? seat->turn : 0;
        seat->turn = at + 1;
        worker->snapshot = &seat->snapshots[at];
        if (seat->held[at].crew->work->run(seat->held[at].crew, worker)) {
            return true;
        }
    }
    return false;
}

static void seat_loop(struct geo_crew_seat *seat, struct geo_exec_worker *worker)
{
    bool stays = true; /* whoever started the thread counted it as spinning */
    while (stays && seat_renew(seat)) {
        if (seat_work(seat, worker)) {
            continue;
        }
        if (!seat->spinning) {
            stays = seat_idle(seat);
        } else if (!seat_spin(seat)) { /* woken in vain: spin again */
            stays = seat_sleep(seat);
        }
    }
}

/* Threads of the runtime have a stack of 2 MiB. */
#pragma GCC diagnostic ignored "-Wframe-larger-than="
void *geo_crew_seat_main(void *argument)
{
    struct geo_crew_seat *seat = argument;
    struct geo_crew *crew = seat->held[0].crew;
    uint32_t member = seat->held[0].member;
    bool spare = seat->spare;
    GEO_ASSERT(seat->held_count != 0 && seat->spinning && spare == (member >= crew->members));
    struct geo_exec_worker worker;
    uint8_t fault_stack[GEO_FAULT_STACK_BYTES];
    char name[16] = "geoid-worker";
    pthread_setname_np(pthread_self(), name);
    if (seat->bind) {
        seat_bind(seat, crew);
    }
    geo_fault_stack(fault_stack, true);
    geo_here.depth = 1;
    geo_worker_init(&worker, member);
    worker.seat = seat;
    seat_loop(seat, &worker);
    geo_worker_finish(&worker);
    geo_fault_stack(fault_stack, false);
    if (spare) {
        geo_crew_seat_release(seat);
        atomic_fetch_and(&crew->spare_bits, ~(1ull << (member - crew->members)));
        geo_crew_unref(crew); /* the last access: the spare seat is part of its crew */
    }
    return NULL;
}
