/* Streamers, tracers and their thread. See collect.h.
 *
 * Threads that count work only note that a notification is due, and the collector raises it. It
 * does so without the lock, because a notification may run code that takes other locks. The
 * collection counts the threads that raise one, and closing waits for them. */
#include "backend/cpu/metric/collect.h"

#include "backend/cpu/metric/active.h"
#include "backend/cpu/metric/report.h"
#include "backend/cpu/metric/ring.h"
#include "backend/cpu/metric/thread.h"
#include "backend/host/device.h"
#include "base/assert.h"
#include "exec/record/execute.h"
#include "exec/thread/thread.h"
#include "exec/wait/slot.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* An open streamer or tracer. */
struct geo_metric_collection {
    struct geo_metric_collection *next;
    struct geo_backend_device *device;
    const struct geo_cpu_metric_group *group; /* of a tracer: the tracer's group */
    struct geo_event_ref notify;
    uint32_t notify_every; /* records; 0: never */
    uint32_t unnotified;   /* records since the last notification */
    bool tracer, started;
    bool lost;                /* records were lost since the last read */
    bool notifies;            /* the collector is to raise the notification of a streamer */
    _Atomic uint32_t raisers; /* threads that raise its notification */
    struct geo_cpu_metric_ring ring;
    /* a streamer's: begin and end of the current report (geo_timer_ns), and the totals at begin */
    uint64_t period_ns, due_ns, begin_ns;
    uint64_t before[GEO_COUNTS];
    uint32_t missed;
};

/* Longest sleep of the collector. It bounds the reports that a thread finds due at once. */
#define COLLECTOR_NS 50000000u
#define TICKS_MASK   ((UINT64_C(1) << GEO_TIMESTAMP_BITS) - 1)

static struct geo_lock collect_lock;
static struct geo_metric_collection *collections;
static bool collecting;          /* the collector's thread runs */
static _Atomic uint32_t changes; /* the word on which it sleeps */

/* ---- reports ---- */

static bool lock_is_held(void)
{
    return geo_lock_held(&collect_lock);
}

/* Counts a new record. Returns whether its collection is to be notified. */
static bool record_count_locked(struct geo_metric_collection *collection)
{
    GEO_ASSERT(lock_is_held());
    if (collection->notify_every == 0 || ++collection->unnotified < collection->notify_every) {
        return false;
    }
    collection->unnotified = 0;
    return collection->notify.slot != NULL;
}

/* Returns whether the ring has no place for a report. */
static bool ring_is_full(const struct geo_cpu_metric_ring *ring)
{
    return ring->used == ring->capacity;
}

/* Writes what was counted since the last report. */
static void values_take_locked(struct geo_metric_collection *streamer, uint64_t *values)
{
    const struct geo_cpu_metric_group *group = streamer->group;
    uint64_t now[GEO_COUNTS] = {0};
    geo_cpu_metric_totals(streamer->device, group, now);
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t at = group->first + i;
        values[i] = now[at] - streamer->before[at];
        streamer->before[at] = now[at];
    }
}

/* Ends the current report and begins the next one. The ring has a place. `idle`: nothing was
 * counted since the last report. Returns whether the collection is to be notified. */
static bool report_end_locked(struct geo_metric_collection *streamer, uint64_t end_ns,
                              uint32_t marker, bool idle)
{
    const struct geo_cpu_metric_group *group = streamer->group;
    struct geo_cpu_metric_report *report = geo_cpu_metric_ring_add(&streamer->ring);
    GEO_ASSERT(lock_is_held() && !streamer->tracer && report);
    *report = (struct geo_cpu_metric_report){
        .magic = GEO_CPU_METRIC_REPORT,
        .family = (uint16_t)group->family,
        .count = (uint16_t)group->count,
        .workers = geo_cpu_metric_workers(streamer->device),
        .missed = streamer->missed,
        .marker = marker,
        .begin = streamer->begin_ns & TICKS_MASK,
        .end = end_ns & TICKS_MASK,
    };
    if (idle) {
        memset(geo_cpu_metric_report_values(report), 0, group->count * sizeof(uint64_t));
    } else {
        values_take_locked(streamer, geo_cpu_metric_report_values(report));
    }
    streamer->begin_ns = end_ns;
    streamer->missed = 0;
    return record_count_locked(streamer);
}

/* Lets the current report of a full ring go on for the periods that have passed. */
static void periods_miss_locked(struct geo_metric_collection *streamer, uint64_t now_ns)
{
    const uint64_t periods = (now_ns - streamer->due_ns) / streamer->period_ns + 1;
    GEO_ASSERT(lock_is_held() && ring_is_full(&streamer->ring));
    streamer->missed =
        periods > UINT32_MAX - streamer->missed ? UINT32_MAX : streamer->missed + (uint32_t)periods;
    streamer->due_ns += periods * streamer->period_ns;
    streamer->lost = true;
}

/* Takes the reports of a streamer that are due. The first contains all counts, because a thread
 * takes reports that are due before it counts. */
static void reports_take_locked(struct geo_metric_collection *streamer, uint64_t now_ns)
{
    bool idle = false;
    GEO_ASSERT(lock_is_held());
    while (streamer->started && !streamer->tracer && streamer->due_ns <= now_ns) {
        if (ring_is_full(&streamer->ring)) {
            periods_miss_locked(streamer, now_ns);
            return;
        }
        streamer->notifies |= report_end_locked(streamer, streamer->due_ns, 0, idle);
        streamer->due_ns += streamer->period_ns;
        idle = true;
    }
}

static void turn_take(void);

/* Sets the time from which threads that count take reports. */
static void turn_update_locked(void)
{
    uint64_t due = GEO_WAIT_FOREVER;
    GEO_ASSERT(lock_is_held());
    for (const struct geo_metric_collection *each = collections; each; each = each->next) {
        if (each->started && !each->tracer && each->due_ns < due) {
            due = each->due_ns;
        }
    }
    geo_meter_turn_set(due, turn_take);
}

/* Takes all reports that are due, before the calling thread counts work. If the lock is held, its
 * holder takes them, or a fork is in progress. */
static void turn_take(void)
{
    if (!geo_lock_try(&collect_lock)) {
        return;
    }
    for (struct geo_metric_collection *each = collections; each; each = each->next) {
        reports_take_locked(each, geo_timer_ns());
    }
    turn_update_locked();
    geo_lock_release(&collect_lock);
}

/* Raises a notification without the lock. The collection may be closed on return. */
static void notify_locked(struct geo_metric_collection *collection)
{
    GEO_ASSERT(lock_is_held() && collection->notify.slot);
    atomic_fetch_add(&collection->raisers, 1);
    geo_lock_release(&collect_lock);
    geo_slot_raise(collection->notify);
    atomic_fetch_sub(&collection->raisers, 1);
    geo_lock_acquire(&collect_lock);
}

/* Returns whether a collection is open. The pointer may be of a closed one. */
static bool collection_is_open_locked(const struct geo_metric_collection *collection)
{
    const struct geo_metric_collection *each = collections;
    GEO_ASSERT(lock_is_held());
    while (each && each != collection) {
        each = each->next;
    }
    return each != NULL;
}

/* ---- the collector ---- */

/* Returns when the collector has to look at a started streamer again, in geo_timer_ns. */
static uint64_t streamer_wake_ns(const struct geo_metric_collection *streamer, uint64_t now_ns)
{
    uint64_t wake = now_ns + COLLECTOR_NS;
    if (streamer->notify_every != 0 && streamer->notify.slot) {
        const uint32_t left = streamer->notify_every - streamer->unnotified - 1;
        const uint64_t due = streamer->due_ns + left * streamer->period_ns;
        wake = due < wake ? due : wake;
    }
    return wake;
}

/* Takes all reports that are due, and raises notifications. Returns when to do so again, in
 * geo_timer_ns; GEO_WAIT_FOREVER: no streamer is started. */
static uint64_t reports_take_all_locked(void)
{
    uint64_t next = GEO_WAIT_FOREVER;
    for (struct geo_metric_collection *each = collections; each;) {
        const uint64_t now_ns = geo_timer_ns();
        reports_take_locked(each, now_ns);
        if (each->notifies) {
            each->notifies = false;
            notify_locked(each);
            each = collections; /* the list may have changed; reports just taken are not due */
            next = GEO_WAIT_FOREVER;
            continue;
        }
        if (each->started && !each->tracer) {
            const uint64_t wake = streamer_wake_ns(each, now_ns);
            next = wake < next ? wake : next;
        }
        each = each->next;
    }
    turn_update_locked();
    return next;
}

static void *collector_main(void *nothing)
{
    (void)nothing;
    for (;;) {
        geo_lock_acquire(&collect_lock);
        const uint32_t seen = atomic_load(&changes);
        const uint64_t next = reports_take_all_locked();
        if (next == GEO_WAIT_FOREVER) {
            collecting = false;
            geo_lock_release(&collect_lock);
            return NULL;
        }
        geo_lock_release(&collect_lock);
        const uint64_t now = geo_timer_ns();
        (void)geo_futex_wait(&changes, seen, geo_deadline_ns(next > now ? next - now : 0), false);
    }
}

static void collector_start_locked(void)
{
    GEO_ASSERT(lock_is_held());
    if (!collecting) {
        collecting = geo_exec_thread_start(collector_main, NULL);
    }
    atomic_fetch_add(&changes, 1);
    geo_futex_wake(&changes, 1, false);
}

/* ---- events ---- */

/* Adds an event to a tracer, and returns whether the tracer is to be notified. */
static bool event_add_locked(struct geo_metric_collection *tracer, uint32_t what, uint64_t time,
                             uint64_t value)
{
    struct geo_cpu_metric_event *event = geo_cpu_metric_ring_add(&tracer->ring);
    GEO_ASSERT(lock_is_held() && what < GEO_CPU_METRIC_TRACES);
    if (!event) {
        tracer->lost = true;
        return false;
    }
    *event = (struct geo_cpu_metric_event){GEO_CPU_METRIC_EVENT, what, time, value};
    return record_count_locked(tracer);
}

/* Returns whether a collection of this device covers the runner's work: its own, that of its
 * sub-devices, and for the first sub-device the root's (active.c). */
static bool collection_covers(const struct geo_metric_collection *collection,
                              const struct geo_runner *runner)
{
    const struct geo_backend_device *device = collection->device, *parent = device->info.parent;
    return atomic_load(&device->executor) == runner->executor ||
           (parent && device == parent + 1 && atomic_load(&parent->executor) == runner->executor);
}

/* Adds an event with begin and end to all tracers of the runner's device. */
static void event_told(const struct geo_meter_event *event)
{
    static const uint32_t begins[] = {
        [GEO_METER_KERNEL] = GEO_CPU_METRIC_KERNEL_BEGIN,
        [GEO_METER_COPY] = GEO_CPU_METRIC_COPY_BEGIN,
        [GEO_METER_RANGE] = GEO_CPU_METRIC_RANGE_BEGIN,
    };
    const uint32_t what = begins[event->kind];
    const uint64_t ended = event->kind == GEO_METER_KERNEL ? event->worker : event->units;
    geo_lock_acquire(&collect_lock);
    for (struct geo_metric_collection *each = collections; each; each = each->next) {
        if (each->tracer && each->started && collection_covers(each, event->runner)) {
            bool notify = event_add_locked(each, what, event->begin & TICKS_MASK, event->worker);
            notify |= event_add_locked(each, what + 1, event->end & TICKS_MASK, ended);
            if (notify) {
                notify_locked(each);
                if (!collection_is_open_locked(each)) {
                    break;
                }
            }
        }
    }
    geo_lock_release(&collect_lock);
}

/* Tells tracers of events only while one is started. */
static void tracers_update_locked(void)
{
    bool any = false;
    for (const struct geo_metric_collection *each = collections; each; each = each->next) {
        any |= each->tracer && each->started;
    }
    geo_cpu_metric_thread_tell(any ? event_told : NULL);
}

/* Ends the current report of a streamer with a marker. Returns whether it is to be notified. */
static bool streamer_mark_locked(struct geo_metric_collection *streamer, uint32_t value)
{
    const uint64_t now_ns = geo_timer_ns();
    reports_take_locked(streamer, now_ns);
    if (ring_is_full(&streamer->ring)) {
        streamer->lost = true;
    } else if (report_end_locked(streamer, now_ns, value, false)) {
        streamer->notifies = true;
    }
    const bool notifies = streamer->notifies;
    streamer->notifies = false;
    return notifies;
}

void geo_cpu_metric_collect_mark(struct geo_metric_collection *collection,
                                 const struct geo_cpu_metric_group *group,
                                 const struct geo_runner *runner, uint32_t value)
{
    geo_lock_acquire(&collect_lock);
    for (struct geo_metric_collection *each = collections; each; each = each->next) {
        const bool meant = collection ? each == collection
                                      : each->group == group && collection_covers(each, runner);
        if (!meant || !each->started) {
            continue;
        }
        if (each->tracer
                ? event_add_locked(each, GEO_CPU_METRIC_TRACE_MARKER, geo_ticks_now(), value)
                : streamer_mark_locked(each, value)) {
            notify_locked(each);
            if (!collection_is_open_locked(each)) {
                break;
            }
        }
    }
    geo_lock_release(&collect_lock);
}

/* ---- operations ---- */

/* Returns the one group of a collection, or NULL with the reason. */
static const struct geo_cpu_metric_group *group_get(const struct geo_metric_collection_desc *desc,
                                                    struct geo_strbuf *why)
{
    const struct geo_cpu_metric_group *group =
        desc->group_count == 1 ? geo_cpu_metric_group_of(desc->groups[0]) : NULL;
    const zet_metric_group_sampling_type_flags_t wanted =
        desc->tracer ? ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED
                     : ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED;
    if (!group || group->base.sampling != wanted) {
        geo_strbuf_printf(why, "%s collects exactly one group of its sampling type",
                          desc->tracer ? "a tracer" : "a streamer");
        return NULL;
    }
    return group;
}

/* Replaces the requested values of a description by those that are possible. Returns the records
 * that the ring must hold. */
static uint32_t desc_settle(struct geo_metric_collection_desc *desc, size_t record_bytes)
{
    const uint32_t most = (desc->tracer ? GEO_CPU_METRIC_EVENTS : GEO_CPU_METRIC_REPORTS_MOST) / 2;
    const uint32_t least = desc->tracer ? GEO_CPU_METRIC_EVENTS : GEO_CPU_METRIC_REPORTS;
    const uint32_t unit = desc->tracer ? (uint32_t)record_bytes : 1;
    uint32_t records = 0;
    if (desc->notify_every != 0) { /* of a tracer: bytes */
        records = (desc->notify_every - 1) / unit + 1;
        records = records < most ? records : most;
        desc->notify_every = records * unit;
    }
    if (!desc->tracer && desc->period_ns < GEO_CPU_METRIC_PERIOD_NS) {
        desc->period_ns = GEO_CPU_METRIC_PERIOD_NS;
    }
    return 2 * records < least ? least : 2 * records;
}

ze_result_t geo_cpu_metric_collect_open(struct geo_backend_device *device,
                                        struct geo_metric_collection_desc *desc,
                                        struct geo_metric_collection **out, struct geo_strbuf *why)
{
    const struct geo_cpu_metric_group *group = group_get(desc, why);
    if (!group) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const size_t bytes = desc->tracer ? sizeof(struct geo_cpu_metric_event)
                                      : geo_cpu_metric_report_bytes(group->count);
    struct geo_metric_collection *collection = calloc(1, sizeof(*collection));
    const uint32_t capacity = desc_settle(desc, bytes);
    if (!collection || !geo_cpu_metric_ring_init(&collection->ring, bytes, capacity)) {
        free(collection);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    collection->device = device;
    collection->group = group;
    collection->tracer = desc->tracer;
    collection->notify = desc->notify;
    collection->notify_every = desc->notify_every / (desc->tracer ? (uint32_t)bytes : 1);
    collection->period_ns = desc->period_ns;
    geo_lock_acquire(&collect_lock);
    collection->next = collections;
    collections = collection;
    geo_lock_release(&collect_lock);
    *out = collection;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_cpu_metric_collect_start(struct geo_metric_collection *collection, bool wait)
{
    (void)wait; /* it has started on return */
    geo_lock_acquire(&collect_lock);
    if (!collection->started) {
        collection->started = true;
        collection->begin_ns = geo_timer_ns();
        collection->due_ns = collection->begin_ns + collection->period_ns;
        for (uint32_t i = 0; i < GEO_COUNTS; i++) {
            collection->before[i] = 0;
        }
        geo_cpu_metric_totals(collection->device, collection->group, collection->before);
        if (collection->tracer) {
            tracers_update_locked();
        } else {
            turn_update_locked();
            collector_start_locked();
        }
    }
    geo_lock_release(&collect_lock);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_cpu_metric_collect_stop(struct geo_metric_collection *collection, bool wait)
{
    (void)wait; /* nothing is in flight on return */
    geo_lock_acquire(&collect_lock);
    reports_take_locked(collection, geo_timer_ns());
    collection->started = false;
    turn_update_locked();
    tracers_update_locked();
    geo_lock_release(&collect_lock);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_cpu_metric_collect_read(struct geo_metric_collection *collection,
                                        uint32_t max_reports, size_t *bytes, uint8_t *data)
{
    geo_lock_acquire(&collect_lock);
    reports_take_locked(collection, geo_timer_ns());
    struct geo_cpu_metric_ring *ring = &collection->ring;
    uint32_t count = ring->used < max_reports ? ring->used : max_reports;
    const bool ended = collection->tracer && !collection->started && count == 0;
    ze_result_t result = ended ? ZE_RESULT_NOT_READY : ZE_RESULT_SUCCESS;
    if (data) {
        const size_t room = *bytes / ring->bytes;
        count = geo_cpu_metric_ring_take(ring, room < count ? (uint32_t)room : count, data);
        if (collection->lost) {
            result = ZE_RESULT_WARNING_DROPPED_DATA;
            collection->lost = false;
        }
    }
    *bytes = count * ring->bytes;
    geo_lock_release(&collect_lock);
    return result;
}

void geo_cpu_metric_collect_close(struct geo_metric_collection *collection)
{
    if (!collection) {
        return;
    }
    geo_lock_acquire(&collect_lock);
    struct geo_metric_collection **link = &collections;
    while (*link != collection) {
        link = &(*link)->next;
    }
    *link = collection->next;
    turn_update_locked();
    tracers_update_locked();
    geo_lock_release(&collect_lock);
    while (atomic_load(&collection->raisers) != 0) {
        sched_yield();
    }
    geo_cpu_metric_ring_finish(&collection->ring);
    free(collection);
}

void geo_cpu_metric_collect_before_fork(void)
{
    geo_lock_acquire(&collect_lock);
}

void geo_cpu_metric_collect_after_fork(bool child)
{
    if (child) { /* the collector and threads that raised belong to the parent */
        collecting = false;
        for (struct geo_metric_collection *each = collections; each; each = each->next) {
            each->started = false;
            atomic_store(&each->raisers, 0);
        }
        turn_update_locked();
        tracers_update_locked();
    }
    geo_lock_release(&collect_lock);
}
