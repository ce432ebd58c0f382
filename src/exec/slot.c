/* The parking lot and the sleeping side of event slots. See slot.h. */
#include "exec/slot.h"

#include "exec/reactor.h"
#include "exec/sync.h"

#include <string.h>
#include <sys/prctl.h>

#define BUCKETS 256u

struct bucket {
    _Alignas(GEO_CACHE_LINE) struct geo_lock lock;
    struct geo_park *head;
};

static struct bucket lot[BUCKETS];

static struct bucket *slot_bucket(const struct geo_event_slot *slot)
{
    uint64_t line = (uint64_t)(uintptr_t)slot / sizeof(*slot);
    return &lot[(line * 0x9e3779b97f4a7c15ull) >> 56];
}

static bool slot_shared(const struct geo_event_slot *slot)
{
    return (slot->flags & GEO_EVENT_SHARED) != 0;
}

/* What a parked stream adds to `sleepers`: other processes only know the futex. */
static uint32_t park_weight(const struct geo_event_slot *slot)
{
    return GEO_SLEEPER_PARKED + (slot_shared(slot) ? GEO_SLEEPER_THREAD : 0);
}

static _Atomic uint32_t *slot_futex(struct geo_event_slot *slot)
{
    return (_Atomic uint32_t *)(void *)&slot->value; /* little endian: the low word */
}

static bool park_over(const struct geo_park *park)
{
    return geo_event_complete(&park->ref) ||
           (park->lost && atomic_load_explicit(park->lost, memory_order_seq_cst) != 0);
}

/* Takes every node of a slot (NULL: of any) that waits no longer out of a bucket and unparks it. */
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
            atomic_fetch_sub_explicit(&park->ref.slot->sleepers, park_weight(park->ref.slot),
                                      memory_order_relaxed);
        } else {
            link = &park->next;
        }
    }
    geo_lock_release(&bucket->lock);
    while (woken) {
        struct geo_park *next = woken->next; /* unpark may reuse the node */
        woken->unpark(woken);
        woken = next;
    }
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

/* Who parks later sees the flag: it looks under the bucket's lock. */
void geo_slot_give_up(void)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        bucket_wake(&lot[i], NULL);
    }
}

void geo_slot_clear(struct geo_event_slot *slot)
{
    atomic_store_explicit(&slot->lost_from, 0, memory_order_relaxed);
    slot->times = (struct geo_timestamps){0};
    atomic_store_explicit(&slot->value, 0, memory_order_release);
}

/* For the reactor: unparks what is complete, and tells what to sleep on for the rest. */
static size_t lot_collect(struct geo_reactor_watch *watches, size_t limit)
{
    size_t count = 0;
    for (size_t i = 0; i < BUCKETS && count < limit; i++) {
        struct geo_event_slot *complete = NULL;
        geo_lock_acquire(&lot[i].lock);
        for (struct geo_park *park = lot[i].head; park && count < limit; park = park->next) {
            struct geo_event_slot *slot = park->ref.slot;
            if (!slot_shared(slot)) {
                continue;
            }
            uint32_t seen = atomic_load_explicit(slot_futex(slot), memory_order_seq_cst);
            if (geo_event_complete(&park->ref)) {
                complete = slot;
                break;
            }
            watches[count++] = (struct geo_reactor_watch){.futex = slot_futex(slot), .seen = seen};
        }
        geo_lock_release(&lot[i].lock);
        if (complete) {
            bucket_wake(&lot[i], complete);
            i--; /* the bucket has changed: look at it again */
        }
    }
    return count;
}

bool geo_slot_park(struct geo_park *park)
{
    struct geo_event_slot *slot = park->ref.slot;
    struct bucket *bucket = slot_bucket(slot);
    bool shared = slot_shared(slot);
    geo_lock_acquire(&bucket->lock);
    atomic_fetch_add_explicit(&slot->sleepers, park_weight(slot), memory_order_seq_cst);
    if (atomic_load_explicit(&slot->value, memory_order_seq_cst) >= park->ref.value ||
        park_over(park)) {
        atomic_fetch_sub_explicit(&slot->sleepers, park_weight(slot), memory_order_relaxed);
        geo_lock_release(&bucket->lock);
        return false;
    }
    park->next = bucket->head;
    bucket->head = park;
    geo_lock_release(&bucket->lock);
    if (shared) {
        geo_reactor_watch(lot_collect);
    }
    return true;
}

bool geo_slot_sleep(const struct geo_event_ref *ref, uint64_t deadline_ns)
{
    struct geo_event_slot *slot = ref->slot;
    bool in_time = true;
    atomic_fetch_add_explicit(&slot->sleepers, GEO_SLEEPER_THREAD, memory_order_seq_cst);
    while (in_time) {
        uint64_t value = atomic_load_explicit(&slot->value, memory_order_seq_cst);
        if (value >= ref->value) {
            break;
        }
        in_time = geo_futex_wait(slot_futex(slot), (uint32_t)value, deadline_ns, slot_shared(slot));
    }
    atomic_fetch_sub_explicit(&slot->sleepers, GEO_SLEEPER_THREAD, memory_order_relaxed);
    return geo_event_complete(ref);
}

static bool slot_lost(const _Atomic uint32_t *lost)
{
    return lost && atomic_load_explicit(lost, memory_order_acquire) != 0;
}

/* Sleeps to the deadline; ends early when it is lost. */
static bool slot_sleep_watching(const struct geo_event_ref *ref, uint64_t deadline_ns,
                                const _Atomic uint32_t *lost)
{
    for (;;) {
        uint64_t look_ns = lost ? geo_deadline_ns(GEO_LOOK_AGAIN_NS) : deadline_ns;
        uint64_t until = look_ns < deadline_ns ? look_ns : deadline_ns;
        if (geo_slot_sleep(ref, until)) {
            return true;
        }
        if (until == deadline_ns || slot_lost(lost)) {
            return false;
        }
    }
}

/* The kernel may end a sleep late by the thread's timer slack, 50 us unless somebody changed it.
 * A wait with a time limit is a promise about time: the slack is 1 ns while it sleeps. */
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
    if (geo_event_complete(ref)) {
        return ZE_RESULT_SUCCESS;
    }
    if (timeout_ns == 0) {
        return ZE_RESULT_NOT_READY;
    }
    uint64_t start = geo_ticks();
    uint64_t spin = spin_ns < timeout_ns ? spin_ns : timeout_ns;
    uint64_t deadline = geo_deadline_ns(timeout_ns);
    while (geo_ticks_to_ns(geo_ticks() - start) < spin) {
        for (int i = 0; i < 16; i++) {
            geo_pause();
            if (geo_event_complete(ref)) {
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
}
