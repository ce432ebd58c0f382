/* The parking lot, and sleeping on event slots. See slot.h. */
#include "exec/wait/slot.h"

#include "base/assert.h"
#include "exec/thread/sync.h"
#include "exec/wait/reactor.h"
#include "exec/wait/word.h"

#include <string.h>
#include <sys/prctl.h>

#define BUCKETS 256u

/* A bucket of the parking lot: parked nodes of several slots. */
struct bucket {
    _Alignas(GEO_CACHE_LINE) struct geo_lock lock;
    struct geo_park *head;
};

static struct bucket lot[BUCKETS];
static _Atomic uint32_t parked_words; /* nodes of external references */

/* Other processes may have mapped slots. They may write anything to `sleepers` and `flags` of a
 * slot, so the reactor then looks at all nodes now and then. */
static _Atomic bool peers;
static _Atomic bool sweeping; /* the reactor will look again without being called */

static struct bucket *slot_bucket(const struct geo_event_slot *slot)
{
    uint64_t line = (uint64_t)(uintptr_t)slot / sizeof(*slot);
    return &lot[(line * 0x9e3779b97f4a7c15ull) >> 56];
}

static bool slot_shared(const struct geo_event_slot *slot)
{
    return (slot->flags & GEO_EVENT_SHARED) != 0;
}

/* Returns what a parked stream adds to `sleepers`. In a shared slot it counts as a thread, too:
 * other processes only know the futex. */
static uint32_t park_weight(const struct geo_event_slot *slot)
{
    return GEO_SLEEPER_PARKED + (slot_shared(slot) ? GEO_SLEEPER_THREAD : 0);
}

static _Atomic uint32_t *slot_futex(struct geo_event_slot *slot)
{
    return (_Atomic uint32_t *)(void *)&slot->value; /* the low word of a little-endian number */
}

static bool park_external(const struct geo_park *park)
{
    return (park->ref.value & GEO_EVENT_EXTERNAL) != 0;
}

/* Tells raisers that a node is parked, or not any more. */
static void park_count(const struct geo_park *park, bool enters)
{
    struct geo_event_slot *slot = park->ref.slot;
    _Atomic uint32_t *count = park_external(park) ? &parked_words : &slot->sleepers;
    uint32_t weight = park_external(park) ? 1 : park_weight(slot);
    uint32_t before =
        atomic_fetch_add_explicit(count, enters ? weight : 0 - weight, memory_order_seq_cst);
    /* of a slot nothing is certain: other processes may write to it */
    GEO_ASSERT(enters || !park_external(park) || before != 0);
}

static bool bucket_has(const struct bucket *bucket, const struct geo_park *park)
{
    const struct geo_park *parked = bucket->head;
    while (parked && parked != park) {
        parked = parked->next;
    }
    return parked != NULL;
}

static bool park_over(const struct geo_park *park)
{
    return geo_command_event_reached(&park->ref) ||
           (park->lost && atomic_load_explicit(park->lost, memory_order_seq_cst) != 0);
}

/* Takes all nodes of a slot (NULL: of all slots) that need not wait any more out of the bucket and
 * unparks them. */
static void bucket_wake(struct bucket *bucket, const struct geo_event_slot *slot)
{
    struct geo_park *woken = NULL;
    geo_lock_acquire(&bucket->lock);
    for (struct geo_park **link = &bucket->head; *link;) {
        struct geo_park *park = *link;
        if ((!slot || park->ref.slot == slot) && park_over(park)) {
            *link = park->next;
            park->next = woken;
            woken = park;
            park_count(park, false);
        } else {
            link = &park->next;
        }
    }
    geo_lock_release(&bucket->lock);
    while (woken) {
        struct geo_park *next = woken->next; /* unpark may reuse or free the node */
        GEO_ASSERT(woken->unpark);
        woken->unpark(woken);
        woken = next;
    }
}

void geo_slot_expect_peers(void)
{
    atomic_store_explicit(&peers, true, memory_order_seq_cst);
}

void geo_slot_wake(struct geo_event_slot *slot)
{
    uint32_t sleepers = atomic_load_explicit(&slot->sleepers, memory_order_relaxed);
    if (sleepers & (GEO_SLEEPER_PARKED - 1)) {
        geo_futex_wake(slot_futex(slot), INT_MAX, slot_shared(slot));
    }
    if (sleepers >= GEO_SLEEPER_PARKED) {
        bucket_wake(slot_bucket(slot), slot);
    }
}

/* A stream that parks later sees `lost` itself: it looks under the bucket's lock. */
void geo_slot_give_up(void)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        bucket_wake(&lot[i], NULL);
    }
}

void geo_slot_clear(struct geo_event_slot *slot)
{
    atomic_store_explicit(&slot->lost_from, 0, memory_order_relaxed);
    geo_command_timestamps_write(&slot->times, 0, 0);
    atomic_store_explicit(&slot->value, 0, memory_order_release);
}

bool geo_slot_add(const struct geo_event_ref *ref)
{
    bool done = geo_word_add(ref);
    if (done && atomic_load_explicit(&parked_words, memory_order_seq_cst) != 0) {
        bucket_wake(slot_bucket(ref->slot), ref->slot);
    }
    return done;
}

/* (bucket locked) Returns the slot of a node that is complete but was not woken; otherwise NULL.
 * Adds to `look` what the reactor has to sleep on for the others. */
static struct geo_event_slot *bucket_look(const struct bucket *bucket,
                                          struct geo_reactor_look *look)
{
    GEO_ASSERT(geo_lock_held(&bucket->lock) && look->count <= GEO_REACTOR_WORDS);
    for (const struct geo_park *park = bucket->head; park; park = park->next) {
        struct geo_event_slot *slot = park->ref.slot;
        /* an external reference points to a number of the application, not to a slot */
        bool external = park_external(park), shared = !external && slot_shared(slot);
        if (!external && !shared && !atomic_load_explicit(&peers, memory_order_relaxed)) {
            continue;
        }
        uint32_t seen = external ? 0 : atomic_load_explicit(slot_futex(slot), memory_order_seq_cst);
        if (geo_command_event_reached(&park->ref)) {
            return slot;
        }
        look->most_ns = GEO_LOOK_AGAIN_NS;
        if (external || (shared && look->count == GEO_REACTOR_WORDS)) {
            look->again = true;
        } else if (shared) {
            look->words[look->count++] = (struct geo_reactor_word){slot_futex(slot), seen};
        }
    }
    return NULL;
}

/* Called by the reactor. Unparks complete nodes, and collects what to sleep on for the rest. */
static void lot_collect(struct geo_reactor_look *look)
{
    /* a stream that parks from now on calls the reactor */
    atomic_store_explicit(&sweeping, false, memory_order_seq_cst);
    for (size_t i = 0; i < BUCKETS; i++) {
        struct geo_event_slot *complete;
        do { /* unparking changes the bucket: look again */
            uint32_t count = look->count;
            geo_lock_acquire(&lot[i].lock);
            complete = bucket_look(&lot[i], look);
            geo_lock_release(&lot[i].lock);
            if (complete) {
                look->count = count;
                bucket_wake(&lot[i], complete);
            }
        } while (complete);
    }
    atomic_store_explicit(&sweeping, look->most_ns != GEO_WAIT_FOREVER, memory_order_seq_cst);
}

bool geo_slot_park(struct geo_park *park)
{
    struct geo_event_slot *slot = park->ref.slot;
    struct bucket *bucket = slot_bucket(slot);
    bool watch = park_external(park) || slot_shared(slot);
    GEO_ASSERT(slot && park->unpark && !(park->ref.value & GEO_EVENT_RELATIVE));
    geo_lock_acquire(&bucket->lock);
    GEO_ASSERT(!bucket_has(bucket, park));
    park_count(park, true);
    atomic_thread_fence(memory_order_seq_cst); /* count first, then look */
    if (park_over(park)) {
        park_count(park, false);
        geo_lock_release(&bucket->lock);
        return false;
    }
    park->next = bucket->head;
    bucket->head = park;
    geo_lock_release(&bucket->lock);
    watch = watch || (atomic_load_explicit(&peers, memory_order_relaxed) &&
                      !atomic_load_explicit(&sweeping, memory_order_seq_cst));
    if (watch) {
        geo_reactor_watch(lot_collect);
    }
    return true;
}

static bool slot_sleep(const struct geo_event_ref *ref, uint64_t deadline_ns)
{
    struct geo_event_slot *slot = ref->slot;
    bool in_time = true;
    atomic_fetch_add_explicit(&slot->sleepers, GEO_SLEEPER_THREAD, memory_order_seq_cst);
    while (in_time) {
        uint64_t value = atomic_load_explicit(&slot->value, memory_order_seq_cst);
        if (value >= ref->value) {
            break;
        }
        /* a peer that keeps changing the word may keep the call from reaching its deadline */
        in_time =
            geo_futex_wait(slot_futex(slot), (uint32_t)value, deadline_ns, slot_shared(slot)) &&
            geo_now_ns() < deadline_ns;
    }
    atomic_fetch_sub_explicit(&slot->sleepers, GEO_SLEEPER_THREAD, memory_order_relaxed);
    return geo_command_event_complete(ref);
}

static bool slot_lost(const _Atomic uint32_t *lost)
{
    return lost && atomic_load_explicit(lost, memory_order_acquire) != 0;
}

bool geo_slot_nap(const struct geo_event_ref *ref, uint64_t deadline_ns)
{
    GEO_ASSERT(ref->slot && !(ref->value & GEO_EVENT_RELATIVE));
    bool missing = geo_reactor_missing();
    uint64_t look_ns = geo_deadline_ns(missing ? GEO_NAP_MAX_NS : GEO_LOOK_AGAIN_NS);
    if (missing) {
        geo_reactor_stand_in();
    }
    return slot_sleep(ref, look_ns < deadline_ns ? look_ns : deadline_ns);
}

/* Sleeps until the deadline. Ends early if *lost is set. */
static bool slot_sleep_watching(const struct geo_event_ref *ref, uint64_t deadline_ns,
                                const _Atomic uint32_t *lost)
{
    while (!geo_slot_nap(ref, deadline_ns)) {
        if (geo_now_ns() >= deadline_ns || slot_lost(lost)) {
            return false;
        }
    }
    return true;
}

/* Sleeps until the deadline with a timer slack of 1 ns. With the thread's own slack (50 us by
 * default) the kernel may end a sleep late by that time, but a wait with a time limit should be
 * exact. */
static bool slot_sleep_exactly(const struct geo_event_ref *ref, uint64_t deadline_ns,
                               const _Atomic uint32_t *lost)
{
    int slack_ns = deadline_ns == GEO_WAIT_FOREVER ? 0 : prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (slack_ns <= 1) {
        return slot_sleep_watching(ref, deadline_ns, lost);
    }
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    bool complete = slot_sleep_watching(ref, deadline_ns, lost);
    prctl(PR_SET_TIMERSLACK, (unsigned long)slack_ns, 0, 0, 0);
    return complete;
}

ze_result_t geo_slot_wait(const struct geo_event_ref *ref, uint64_t timeout_ns, uint64_t spin_ns,
                          const _Atomic uint32_t *lost)
{
    GEO_ASSERT(ref->slot && !(ref->value & GEO_EVENT_RELATIVE));
    if (geo_reactor_missing()) {
        geo_reactor_stand_in();
    }
    if (ref->value & GEO_EVENT_EXTERNAL) {
        return geo_word_wait(ref, timeout_ns, spin_ns, lost);
    }
    if (geo_command_event_complete(ref)) {
        return ZE_RESULT_SUCCESS;
    }
    if (timeout_ns == 0) {
        return ZE_RESULT_NOT_READY;
    }
    uint64_t start = geo_machine_ticks();
    uint64_t spin = spin_ns < timeout_ns ? spin_ns : timeout_ns;
    uint64_t deadline = geo_deadline_ns(timeout_ns);
    while (geo_ticks_to_ns(geo_machine_ticks() - start) < spin) {
        for (int i = 0; i < 16; i++) {
            geo_machine_pause();
            if (geo_command_event_complete(ref)) {
                return ZE_RESULT_SUCCESS;
            }
        }
    }
    if (slot_sleep_exactly(ref, deadline, lost)) {
        return ZE_RESULT_SUCCESS;
    }
    return slot_lost(lost) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_NOT_READY;
}

void geo_slot_after_fork(void)
{
    memset(lot, 0, sizeof(lot));
    atomic_store(&parked_words, 0);
    atomic_store(&sweeping, false);
}
