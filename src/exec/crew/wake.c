/* Wakes and starts workers, and adds spare ones. See wake.h. */
#include "exec/crew/wake.h"

#include "base/assert.h"

#define PATIENCE_TICKS_MAX 64u

/* Makes one more worker spin, except this member: a sleeping one, or a new one. */
static bool wake_another(struct geo_crew *crew, uint32_t but)
{
    for (uint32_t i = 0; i < crew->bitwords; i++) {
        uint64_t bits = atomic_load_explicit(&crew->asleep[i], memory_order_seq_cst);
        for (; bits; bits &= bits - 1) {
            uint32_t member = i * 64 + (uint32_t)__builtin_ctzll(bits);
            uint64_t bit = bits & -bits;
            GEO_ASSERT(member < crew->members + GEO_CREW_SPARES);
            if (member != but &&
                atomic_fetch_and_explicit(&crew->asleep[i], ~bit, memory_order_seq_cst) & bit) {
                geo_crew_seat_wake(member < crew->members ? crew->seats[member]
                                                          : &crew->spares[member - crew->members]);
                return true;
            }
        }
    }
    return atomic_load_explicit(&crew->cold, memory_order_relaxed) != 0 &&
           geo_crew_start(crew, NULL, but);
}

/* Takes back the count of a worker that does not come. A worker that went to sleep meanwhile may
 * have relied on it and left it a READY task, so others are notified. */
static void spinning_undo(struct geo_crew *crew)
{
    uint32_t before = atomic_fetch_sub_explicit(&crew->spinning, 1, memory_order_seq_cst);
    GEO_ASSERT(before != 0);
    if (geo_crew_idle(crew) && geo_crew_has_work(crew, GEO_CREW_READY)) {
        geo_crew_notify(crew);
    }
}

void geo_crew_wake(struct geo_crew *crew, uint32_t count, uint32_t but)
{
    GEO_ASSERT(but == GEO_CREW_NOBODY || but < crew->members);
    for (uint32_t i = 0; i < count; i++) {
        atomic_fetch_add_explicit(&crew->spinning, 1, memory_order_seq_cst);
        if (!wake_another(crew, but)) {
            spinning_undo(crew);
            if (geo_crew_has_work(crew, GEO_CREW_READY)) {
                geo_crew_watch(crew);
            }
            return;
        }
    }
}

void geo_crew_notify(struct geo_crew *crew)
{
    uint32_t none = 0;
    if (atomic_load_explicit(&crew->spinning, memory_order_seq_cst) != 0 ||
        !atomic_compare_exchange_strong_explicit(&crew->spinning, &none, 1, memory_order_seq_cst,
                                                 memory_order_seq_cst)) {
        return;
    }
    if (wake_another(crew, geo_crew_here(crew)) || wake_another(crew, GEO_CREW_NOBODY)) {
        return;
    }
    spinning_undo(crew);
    if (!geo_crew_has_work(crew, GEO_CREW_READY)) {
        return;
    }
    bool full = atomic_load_explicit(&crew->cold, memory_order_relaxed) == 0;
    if (full && geo_crew_watch(crew)) {
        return;
    }
    geo_crew_forsake(crew);
    if (!geo_reactor_call()) {
        geo_crews_serve();
    }
}

/* ---- spares ---- */

static bool spare_take(struct geo_crew *crew, uint32_t *number)
{
    uint64_t bits = atomic_load(&crew->spare_bits);
    while (~bits) {
        *number = (uint32_t)__builtin_ctzll(~bits);
        if (atomic_compare_exchange_weak(&crew->spare_bits, &bits, bits | 1ull << *number)) {
            return true;
        }
    }
    return false;
}

/* Starts a spare worker. Returns false if the system gives no thread; having enough spares is not a
 * failure. */
static bool spare_start(struct geo_crew *crew)
{
    uint32_t number;
    if (!spare_take(crew, &number)) {
        return true;
    }
    GEO_ASSERT(number < GEO_CREW_SPARES && atomic_load(&crew->spare_bits) & 1ull << number);
    atomic_fetch_add_explicit(&crew->spinning, 1, memory_order_seq_cst);
    geo_crew_ref(crew); /* the thread's reference */
    bool started = geo_crew_start(crew, &crew->spares[number], GEO_CREW_NOBODY);
    if (!started) {
        spinning_undo(crew);
        atomic_fetch_and(&crew->spare_bits, ~(1ull << number));
        geo_crew_unref(crew);
    }
    return started;
}

static bool cold_start(struct geo_crew *crew)
{
    atomic_fetch_add_explicit(&crew->spinning, 1, memory_order_seq_cst);
    bool started = geo_crew_start(crew, NULL, GEO_CREW_NOBODY);
    if (!started) {
        spinning_undo(crew);
    }
    return started;
}

static uint32_t crew_threads(const struct geo_crew *crew)
{
    return crew->members - atomic_load(&crew->cold) +
           (uint32_t)__builtin_popcountll(atomic_load(&crew->spare_bits));
}

/* ---- work without workers ---- */

/* Tries again to start a worker: the system may have a thread now. */
static bool crew_revive(struct geo_crew *crew)
{
    if (atomic_load(&crew->cold) != 0) {
        return cold_start(crew);
    }
    return ~atomic_load(&crew->spare_bits) != 0 && spare_start(crew);
}

/* Runs READY tasks until a worker can take the rest. */
static void crew_serve(struct geo_crew *crew, struct geo_exec_worker *guest)
{
    while (geo_crew_has_work(crew, GEO_CREW_READY) && !geo_crew_idle(crew) && !crew_revive(crew) &&
           crew->work->run(crew, guest)) {
    }
}

void geo_crews_serve(void)
{
    struct geo_exec_worker own = {0};
    struct geo_crew *crew;
    if (geo_here.depth != 0) {
        geo_here.owes = true;
        return;
    }
    geo_here.owes = false;
    struct geo_exec_worker *lent = geo_guest_acquire();
    if (!lent) {
        geo_guest_begin(&own);
    }
    while ((crew = geo_crew_forsaken())) {
        crew_serve(crew, lent ? lent : &own);
        geo_crew_unref(crew);
    }
    if (lent) {
        geo_guest_release(lent);
    } else {
        geo_guest_end(&own);
    }
    /* tasks that came up meanwhile marked their crew, and were found above */
    geo_here.owes = false;
}

bool geo_crew_gather(struct geo_crew *crew, uint32_t count)
{
    uint32_t wanted = atomic_fetch_add(&crew->gathered, count) + count;
    uint32_t most = crew->members + GEO_CREW_SPARES;
    wanted = wanted < most ? wanted : most; /* units beyond that run one after the other */
    while (crew_threads(crew) < wanted) {
        bool full = atomic_load(&crew->cold) == 0;
        bool started = full ? spare_start(crew) : cold_start(crew);
        if (!started && full == (atomic_load(&crew->cold) == 0)) {
            geo_crew_disperse(crew, count);
            return false;
        }
    }
    return true;
}

void geo_crew_disperse(struct geo_crew *crew, uint32_t count)
{
    uint32_t before = atomic_fetch_sub(&crew->gathered, count);
    GEO_ASSERT(before >= count);
}

/* Adds a spare if no task was taken since the last tick although one waits. Each spare doubles
 * the time until the next, so that work that is merely long gets few. Returns false if nothing
 * waits. */
static bool crew_rescue(struct geo_crew *crew)
{
    GEO_ASSERT(crew->patience_ticks != 0 && crew->patience_ticks <= PATIENCE_TICKS_MAX);
    uint64_t taken = atomic_load_explicit(&crew->taken, memory_order_relaxed);
    bool progress = taken != crew->taken_before;
    crew->taken_before = taken;
    if (!geo_crew_has_work(crew, GEO_CREW_READY | GEO_CREW_STARVING)) {
        crew->patience_ticks = 1;
        crew->stuck_ticks = 0;
        return false;
    }
    if (progress || geo_crew_spinning(crew)) {
        crew->stuck_ticks = 0;
    } else if (++crew->stuck_ticks >= crew->patience_ticks) {
        if (!spare_start(crew)) {
            geo_crew_forsake(crew);
            geo_here.owes = true;
        }
        crew->stuck_ticks = 0;
        if (crew->patience_ticks < PATIENCE_TICKS_MAX) {
            crew->patience_ticks *= 2;
        }
    }
    return true;
}

static bool crew_tick(struct geo_reactor_timer *timer)
{
    struct geo_crew *crew =
        (struct geo_crew *)((uint8_t *)timer - offsetof(struct geo_crew, timer));
    GEO_ASSERT(atomic_load(&crew->watched) && atomic_load(&crew->references) != 0);
    atomic_store(&crew->watched, false); /* before looking: whoever adds work later sets it again */
    bool again = crew_rescue(crew) && !atomic_exchange(&crew->watched, true);
    if (!again) {
        geo_crew_unref(crew);
    }
    return again;
}

bool geo_crew_watch(struct geo_crew *crew)
{
    if (!atomic_load_explicit(&crew->watched, memory_order_seq_cst) &&
        !atomic_exchange(&crew->watched, true)) {
        geo_crew_ref(crew);
        crew->timer.tick = crew_tick;
        geo_reactor_arm(&crew->timer);
    }
    return geo_reactor_attends();
}
