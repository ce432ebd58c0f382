/* The assignment of seats to crews. See crew.h. */
#include "exec/crew/crew.h"

#include "base/assert.h"
#include "base/log.h"
#include "exec/thread/thread.h"

#include <stdlib.h>
#include <string.h>

static struct geo_lock seats_lock;
static struct geo_crew_seat *seats[GEO_CREW_PLACES]; /* allocated when first needed, never freed */
static struct geo_crew *crews;
/* on seats of cores */
static _Atomic uint32_t threads;
static _Atomic bool told; /* the warning about missing threads was logged */

static void *zeroed(size_t bytes)
{
    size_t whole = (bytes + GEO_CACHE_LINE - 1) & ~(size_t)(GEO_CACHE_LINE - 1);
    void *memory = aligned_alloc(GEO_CACHE_LINE, whole);
    return memory ? memset(memory, 0, whole) : NULL;
}

/* Returns the most crews that a seat may have. */
static uint32_t seat_crews_max(const struct geo_crew_seat *seat)
{
    return seat->spare ? 1 : GEO_CREW_CREWS;
}

void geo_crew_unref(struct geo_crew *crew)
{
    uint32_t before = atomic_fetch_sub_explicit(&crew->references, 1, memory_order_acq_rel);
    GEO_ASSERT(before != 0);
    if (before == 1) {
        crew->work->free(crew);
    }
}

bool geo_crew_idle(const struct geo_crew *crew)
{
    if (geo_crew_spinning(crew)) {
        return true;
    }
    for (uint32_t i = 0; i < crew->bitwords; i++) {
        if (atomic_load_explicit(&crew->asleep[i], memory_order_seq_cst) != 0) {
            return true;
        }
    }
    return false;
}

void geo_crew_forsake(struct geo_crew *crew)
{
    atomic_store(&crew->forsaken, true);
}

struct geo_crew *geo_crew_forsaken(void)
{
    geo_lock_acquire(&seats_lock);
    struct geo_crew *crew = crews;
    while (crew && !(atomic_load(&crew->forsaken) && atomic_exchange(&crew->forsaken, false))) {
        crew = crew->next;
    }
    if (crew) {
        geo_crew_ref(crew);
    }
    geo_lock_release(&seats_lock);
    return crew;
}

/* ---- a seat and its thread ---- */

void geo_crew_seat_wake(struct geo_crew_seat *seat)
{
    atomic_store_explicit(&seat->parked, 0, memory_order_seq_cst);
    geo_futex_wake(&seat->parked, 1, false);
}

/* (lock held) Copies the seat's crews for its thread and takes a reference to each. */
static void seat_hold_locked(struct geo_crew_seat *seat)
{
    GEO_ASSERT(geo_lock_held(&seats_lock) && seat->held_count == 0);
    memcpy(seat->held, seat->crews, seat->count * sizeof(seat->held[0]));
    seat->held_count = seat->count;
    seat->seen = atomic_load(&seat->version);
    seat->bind = seat->pinned && !seat->bound;
    for (uint32_t i = 0; i < seat->held_count; i++) {
        geo_crew_ref(seat->held[i].crew);
    }
}

void geo_crew_seat_release(struct geo_crew_seat *seat)
{
    uint32_t count = seat->held_count;
    seat->held_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        geo_crew_unref(seat->held[i].crew);
    }
}

static void seated_count_locked(const struct geo_crew_seat *seat, bool seated)
{
    GEO_ASSERT(geo_lock_held(&seats_lock) && seat->seated == seated);
    for (uint32_t i = 0; i < seat->count && !seat->spare; i++) {
        struct geo_crew *crew = seat->crews[i].crew;
        GEO_ASSERT(seated ? atomic_load(&crew->cold) != 0
                          : atomic_load(&crew->cold) < crew->members);
        atomic_fetch_add(&crew->cold, seated ? UINT32_MAX : 1);
    }
    if (!seat->spare) {
        GEO_ASSERT(seated || atomic_load(&threads) != 0);
        atomic_fetch_add(&threads, seated ? 1 : UINT32_MAX);
    }
}

bool geo_crew_seat_hold(struct geo_crew_seat *seat)
{
    geo_lock_acquire(&seats_lock);
    seat_hold_locked(seat);
    bool stays = seat->count != 0;
    if (!stays) {
        seat->seated = false;
        seated_count_locked(seat, false);
    }
    geo_lock_release(&seats_lock); /* another thread may use a seat that was given up */
    return stays;
}

/* (lock held) Starts the seat's thread. The caller has counted it as spinning in `crew`. */
static bool seat_start_locked(struct geo_crew_seat *seat, const struct geo_crew *crew)
{
    GEO_ASSERT(geo_lock_held(&seats_lock) && (seat->spare || !seat->seated));
    GEO_ASSERT(atomic_load(&crew->spinning) != 0);
    seat->bound = false;
    seat->turn = 0;
    seat->spinning = true;
    atomic_store(&seat->parked, 0);
    seat_hold_locked(seat);
    for (uint32_t i = 0; i < seat->held_count; i++) {
        if (seat->held[i].crew != crew) {
            atomic_fetch_add(&seat->held[i].crew->spinning, 1);
        }
    }
    seat->seated = true;
    seated_count_locked(seat, true);
    if (geo_exec_thread_start(crew->work->thread, seat)) {
        return true;
    }
    if (!atomic_exchange(&told, true)) {
        geo_log("cpu", GEO_LOG_WARN,
                "a worker thread cannot be started (%s): work runs on the threads that submit it",
                strerror(errno));
    }
    seat->seated = false;
    seated_count_locked(seat, false);
    for (uint32_t i = 0; i < seat->held_count; i++) {
        if (seat->held[i].crew != crew) {
            atomic_fetch_sub(&seat->held[i].crew->spinning, 1);
        }
    }
    geo_crew_seat_release(seat); /* never the last references: all these crews are alive */
    return false;
}

static struct geo_crew_seat *seat_free_locked(const struct geo_crew *crew, uint32_t but)
{
    for (uint32_t i = 0; i < crew->members; i++) {
        if (i != but && !crew->seats[i]->seated) {
            return crew->seats[i];
        }
    }
    return NULL;
}

bool geo_crew_start(struct geo_crew *crew, struct geo_crew_seat *seat, uint32_t but)
{
    geo_lock_acquire(&seats_lock);
    seat = seat ? seat : seat_free_locked(crew, but);
    bool started = seat && seat->count != 0 && seat_start_locked(seat, crew);
    geo_lock_release(&seats_lock);
    return started;
}

/* ---- creation and removal of crews ---- */

static void seat_change_locked(struct geo_crew_seat *seat)
{
    GEO_ASSERT(geo_lock_held(&seats_lock) && seat->count <= seat_crews_max(seat));
    atomic_fetch_add(&seat->version, 1);
    if (seat->seated) {
        geo_crew_seat_wake(seat);
    }
}

static struct geo_crew_seat *seat_find_locked(int32_t place)
{
    GEO_ASSERT(geo_lock_held(&seats_lock) && place >= 0 && place < (int32_t)GEO_CREW_PLACES);
    if (!seats[place]) {
        seats[place] = zeroed(sizeof(*seats[place]));
        if (seats[place]) {
            seats[place]->place = place;
        }
    }
    return seats[place];
}

static void seat_remove_locked(struct geo_crew_seat *seat, const struct geo_crew *crew)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < seat->count; i++) {
        if (seat->crews[i].crew != crew) {
            seat->crews[kept++] = seat->crews[i];
        }
    }
    GEO_ASSERT(kept + 1 == seat->count); /* it was on the seat once */
    seat->count = kept;
    seat_change_locked(seat);
}

static bool seat_add_locked(struct geo_crew *crew, uint32_t member, int32_t place)
{
    struct geo_crew_seat *seat = seat_find_locked(place);
    if (!seat || seat->count == GEO_CREW_CREWS) {
        return false;
    }
    crew->seats[member] = seat;
    seat->crews[seat->count++] = (struct geo_membership){.crew = crew, .member = member};
    seat->pinned = seat->pinned || crew->pinned;
    if (!seat->seated) {
        atomic_fetch_add(&crew->cold, 1);
    }
    return true;
}

/* Returns whether a crew's neighbours in the list of all crews refer to it. */
static bool crew_is_listed(const struct geo_crew *crew)
{
    return (crew->previous ? crew->previous->next : crews) == crew &&
           (!crew->next || crew->next->previous == crew);
}

static bool crew_join_locked(struct geo_crew *crew, const struct geo_crew_desc *desc)
{
    GEO_ASSERT(geo_lock_held(&seats_lock) && !crew->next && !crew->previous);
    for (uint32_t i = 0; i < desc->workers; i++) {
        if (!seat_add_locked(crew, i, desc->places[i])) {
            while (i-- > 0) {
                seat_remove_locked(crew->seats[i], crew);
            }
            return false;
        }
    }
    for (uint32_t i = 0; i < desc->workers; i++) {
        seat_change_locked(crew->seats[i]);
    }
    crew->next = crews;
    if (crews) {
        crews->previous = crew;
    }
    crews = crew;
    GEO_ASSERT(crew_is_listed(crew));
    return true;
}

static void spares_init(struct geo_crew *crew)
{
    for (uint32_t i = 0; i < GEO_CREW_SPARES; i++) {
        struct geo_crew_seat *seat = &crew->spares[i];
        seat->spare = true;
        seat->pinned = crew->pinned;
        seat->count = 1;
        seat->crews[0] = (struct geo_membership){.crew = crew, .member = crew->members + i};
    }
}

static void member_place(struct geo_crew *crew, const struct geo_crew_desc *desc, uint32_t member)
{
    int32_t place = desc->places[member];
    for (int32_t cpu = 0; desc->core_of && cpu < CPU_SETSIZE; cpu++) {
        if (desc->core_of[cpu] == desc->core_of[place] && crew->member_at[cpu] == GEO_CREW_NOBODY) {
            crew->member_at[cpu] = member;
        }
    }
    crew->member_at[place] = member;
}

/* Fills member_at, if the workers are bound to cores of the machine. */
static bool members_place(struct geo_crew *crew, const struct geo_crew_desc *desc)
{
    if (!desc->pinned) {
        return true;
    }
    crew->member_at = zeroed(CPU_SETSIZE * sizeof(*crew->member_at));
    for (uint32_t cpu = 0; crew->member_at && cpu < CPU_SETSIZE; cpu++) {
        crew->member_at[cpu] = GEO_CREW_NOBODY;
    }
    for (uint32_t i = 0; crew->member_at && i < desc->workers; i++) {
        member_place(crew, desc, i);
    }
    return crew->member_at != NULL;
}

bool geo_crew_init(struct geo_crew *crew, const struct geo_crew_work *work,
                   const struct geo_crew_desc *desc)
{
    GEO_ASSERT(desc->workers != 0 && desc->workers <= desc->place_count);
    uint32_t workers = desc->workers;
    uint32_t bitwords = (workers + GEO_CREW_SPARES + 63) / 64;
    memset(crew, 0, sizeof(*crew));
    crew->work = work;
    crew->members = workers;
    crew->max_spinning = workers > 1 ? workers - 1 : 1;
    crew->spin_ns = desc->spin_ns;
    crew->pinned = desc->pinned;
    crew->bitwords = bitwords;
    crew->patience_ticks = 1;
    atomic_store(&crew->references, 1);
    /* CPU_SET ignores places that are not CPUs */
    for (uint32_t i = 0; i < desc->place_count; i++) {
        CPU_SET((size_t)desc->places[i], &crew->cores);
    }
    crew->seats = zeroed(workers * sizeof(struct geo_crew_seat *));
    crew->spares = zeroed(GEO_CREW_SPARES * sizeof(*crew->spares));
    crew->asleep = zeroed(bitwords * sizeof(*crew->asleep));
    bool done = crew->seats && crew->spares && crew->asleep && members_place(crew, desc);
    if (done) {
        geo_ticks_init();
        spares_init(crew);
        geo_lock_acquire(&seats_lock);
        done = crew_join_locked(crew, desc);
        geo_lock_release(&seats_lock);
    }
    if (!done) {
        geo_crew_finish(crew);
    }
    return done;
}

void geo_crew_leave(struct geo_crew *crew)
{
    geo_lock_acquire(&seats_lock);
    GEO_ASSERT(crew_is_listed(crew) && atomic_load(&crew->references) != 0);
    for (uint32_t i = 0; i < crew->members; i++) {
        seat_remove_locked(crew->seats[i], crew);
    }
    for (uint32_t i = 0; i < GEO_CREW_SPARES; i++) {
        seat_remove_locked(&crew->spares[i], crew);
    }
    if (crew->previous) {
        crew->previous->next = crew->next;
    } else {
        crews = crew->next;
    }
    if (crew->next) {
        crew->next->previous = crew->previous;
    }
    geo_lock_release(&seats_lock);
    geo_crew_unref(crew);
}

void geo_crew_finish(struct geo_crew *crew)
{
    free(crew->seats);
    free(crew->spares);
    free(crew->asleep);
    free(crew->member_at);
}

uint32_t geo_crew_threads(void)
{
    return atomic_load(&threads);
}

/* ---- fork ---- */

void geo_crews_before_fork(void)
{
    geo_lock_acquire(&seats_lock);
}

void geo_crews_after_fork_parent(void)
{
    geo_lock_release(&seats_lock);
}

static void crew_reset(struct geo_crew *crew)
{
    atomic_store(&crew->spinning, 0);
    atomic_store(&crew->cold, crew->members);
    atomic_store(&crew->spare_bits, 0);
    atomic_store(&crew->watched, false);
    atomic_store(&crew->gathered, 0);
    atomic_store(&crew->forsaken, false);
    atomic_store(&crew->references, 1);
    for (uint32_t i = 0; i < crew->bitwords; i++) {
        atomic_store(&crew->asleep[i], 0);
    }
    for (uint32_t i = 0; i < GEO_CREW_SPARES; i++) {
        crew->spares[i].seated = false;
        crew->spares[i].held_count = 0;
    }
}

/* The references of workers are dropped with the workers. A crew that only workers still referenced
 * is leaked. */
void geo_crews_after_fork_child(void)
{
    geo_lock_reset(&seats_lock);
    atomic_store(&threads, 0);
    for (uint32_t i = 0; i < GEO_CREW_PLACES; i++) {
        if (seats[i]) {
            seats[i]->seated = false;
            seats[i]->held_count = 0;
        }
    }
    for (struct geo_crew *crew = crews; crew; crew = crew->next) {
        crew_reset(crew);
        crew->work->forget(crew);
    }
}
