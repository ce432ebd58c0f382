/* Events of a description: when they happen, and how listeners are woken. With the real clock the
 * time of the next event is known in advance. With the manual clock events happen when the time is
 * set (simulated.c). Therefore no device needs a descriptor. */
#include "backend/simulated/device.h"

#include <math.h>

/* Returns how often the event has happened by time t. */
static double occurrences(const struct sim_event *event, double t)
{
    if (t < event->at_s) {
        return 0;
    }
    return event->every_s > 0 ? floor((t - event->at_s) / event->every_s) + 1 : 1;
}

zes_event_type_flags_t sim_events_between(const struct geo_sysman *sysman, double after,
                                          double until)
{
    const struct sim_event *events = sysman->whole.events.items;
    zes_event_type_flags_t happened = 0;
    for (uint32_t i = 0; i < sysman->whole.events.count; i++) {
        if (occurrences(&events[i], until) > occurrences(&events[i], after)) {
            happened |= events[i].event;
        }
    }
    return happened & sysman->watched;
}

/* Returns the time of the first watched event after `t`, or INFINITY. */
static double next_after(const struct geo_sysman *sysman, double t)
{
    const struct sim_event *events = sysman->whole.events.items;
    double next = INFINITY;
    for (uint32_t i = 0; i < sysman->whole.events.count; i++) {
        const struct sim_event *event = &events[i];
        const double had = occurrences(event, t);
        if ((event->event & sysman->watched) && (had == 0 || event->every_s > 0)) {
            next = fmin(next, event->at_s + had * event->every_s);
        }
    }
    return next;
}

/* Returns the time of the next event, rounded up by a microsecond, so that the event has happened
 * when the listener wakes. */
uint64_t sim_watch_next(const struct geo_sysman *sysman)
{
    const double next = sim_clock_is_manual() ? INFINITY : next_after(sysman, sysman->taken_s);
    return isfinite(next) ? sim_clock_monotonic_ns(next) + 1000 : UINT64_MAX;
}

void sim_watch_end(struct geo_sysman *sysman)
{
    sysman->watch = (struct geo_sysman_watch){.fd = -1};
    sysman->watched = 0;
}

void sim_watch_begin(struct geo_sysman *sysman, zes_event_type_flags_t events,
                     struct geo_sysman_watch *watch)
{
    watch->fd = -1;
    watch->period_ns = 0;
    sysman->watch = *watch;
    sysman->watched = events & sysman->whole.about.events;
    sysman->taken_s = sim_clock_now_s();
}

zes_event_type_flags_t sim_watch_take(struct geo_sysman *sysman)
{
    const double now = sim_clock_now_s();
    const zes_event_type_flags_t happened = sim_events_between(sysman, sysman->taken_s, now);
    sysman->taken_s = now;
    return happened;
}

bool sim_watch_is_due(const struct geo_sysman *sysman)
{
    return sim_events_between(sysman, sysman->taken_s, sim_clock_now_s()) != 0;
}
