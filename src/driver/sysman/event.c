/* Events: registrations and listeners. See event.h. */
#include "driver/sysman/event.h"

#include "base/clock.h"
#include "driver/sysman/ask.h"
#include "driver/sysman/seat.h"
#include "driver/sysman/threshold.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS  UINT64_C(1000000)
#define NS_PER_SEC UINT64_C(1000000000)
/* longest wait: the program may close `wake` meanwhile, so that nothing ends the wait */
#define LOST_NS NS_PER_SEC

/* A thread that listens to several devices; on its stack. */
struct geo_listener {
    struct geo_seat *seats;
    struct pollfd *polls; /* [1 + count]; the first one is `wake` */
    uint32_t count, polled;
    struct geo_fd wake;   /* eventfd; if descriptors have run out, the listener polls */
    uint64_t deadline_ns; /* UINT64_MAX: no limit */
};

/* ---- reporting ---- */

static void post_locked(struct geo_sysman_root *root, zes_event_type_flags_t events)
{
    GEO_ASSERT(geo_sysman_lock_held() && (root->pending & ~root->registered) == 0);
    events &= root->registered;
    if (!events) {
        return;
    }
    if (!root->seats) {
        root->pending |= events;
    }
    for (struct geo_seat *seat = root->seats; seat; seat = seat->next) {
        seat->events |= events;
    }
    geo_seats_wake(root);
}

/* Takes events from the backend, and compares thresholds if the period is over or `now` is set. */
static void root_look(struct geo_sysman_root *root, bool now)
{
    GEO_ASSERT(geo_sysman_lock_held());
    const struct geo_sysman_device_ops *ops = root->about->ops;
    const uint64_t time = geo_clock_ns();
    zes_event_type_flags_t events = 0;
    if (root->watched && ops->take_events) {
        events = ops->take_events(root->sysman);
        geo_thresholds_happened(root, events);
    }
    if (root->registered && (now || time - root->looked_ns >= GEO_THRESHOLD_PERIOD_NS)) {
        events |= geo_thresholds_compare(root, root->registered);
        root->looked_ns = time;
    }
    post_locked(root, events);
}

void geo_events_post(struct geo_sysman_root *root, zes_event_type_flags_t events)
{
    geo_sysman_lock();
    post_locked(root, events);
    geo_sysman_unlock();
}

/* ---- registering ---- */

static void watch_end(struct geo_sysman_root *root)
{
    GEO_ASSERT(geo_sysman_lock_held());
    if (root->watched && root->about->ops->unwatch) {
        root->about->ops->unwatch(root->sysman);
    }
    root->watched = false;
}

static void root_wake(void *context)
{
    geo_sysman_lock();
    geo_seats_wake(context);
    geo_sysman_unlock();
}

/* Makes the backend watch for these events instead of the previous ones. */
static ze_result_t watch_begin(struct geo_sysman_root *root, zes_event_type_flags_t events)
{
    struct geo_sysman_watch watch = {.fd = -1, .wake = root_wake, .context = root};
    ze_result_t result;
    GEO_ASSERT(geo_sysman_lock_held());
    events &= root->about->events | geo_thresholds_events();
    if (!events || !root->about->ops || !root->about->ops->watch) {
        watch_end(root);
        return ZE_RESULT_SUCCESS; /* the driver compares thresholds anyway */
    }
    GEO_ASK_ROOT_FOR(result, root, watch, root->sysman, events, &watch);
    if (result == ZE_RESULT_SUCCESS) {
        root->watch = watch;
        root->watched = true;
    }
    return result;
}

/* Events until now are collected first, because a backend that starts to watch again forgets
 * them. */
ze_result_t geo_events_register(struct geo_sysman_root *root, zes_event_type_flags_t events)
{
    geo_sysman_lock();
    root_look(root, false);
    ze_result_t result = watch_begin(root, events);
    if (result == ZE_RESULT_SUCCESS) {
        root->registered = events;
        root->pending &= events;
        for (struct geo_seat *seat = root->seats; seat; seat = seat->next) {
            seat->released = seat->released || !events;
        }
        geo_seats_wake(root);
    }
    geo_sysman_unlock();
    return result;
}

/* ---- listening ---- */

static void listener_sit(struct geo_listener *listener)
{
    GEO_ASSERT(geo_sysman_lock_held());
    for (uint32_t i = 0; i < listener->count; i++) {
        struct geo_seat *seat = &listener->seats[i];
        GEO_ASSERT(!seat->next && seat->wake == &listener->wake);
        seat->next = seat->root->seats;
        seat->root->seats = seat;
        seat->events = seat->root->pending;
    }
    for (uint32_t i = 0; i < listener->count; i++) {
        listener->seats[i].root->pending = 0;
    }
}

static void listener_rise(struct geo_listener *listener)
{
    GEO_ASSERT(geo_sysman_lock_held());
    for (uint32_t i = 0; i < listener->count; i++) {
        struct geo_seat **link = &listener->seats[i].root->seats;
        while (*link != &listener->seats[i]) {
            GEO_ASSERT(*link && (*link)->root == listener->seats[i].root);
            link = &(*link)->next;
        }
        *link = listener->seats[i].next;
    }
}

/* Returns how many devices have events, or UINT32_MAX to continue waiting. */
static uint32_t listener_result(const struct geo_listener *listener)
{
    uint32_t fired = 0, wanted = 0;
    for (uint32_t i = 0; i < listener->count; i++) {
        const struct geo_seat *seat = &listener->seats[i];
        fired += seat->events != 0;
        wanted += !seat->released && seat->root->registered != 0;
    }
    return fired || !wanted || geo_clock_ns() >= listener->deadline_ns ? fired : UINT32_MAX;
}

static uint64_t earlier(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* Adds what to wait for at one device. The descriptor is a duplicate, because a backend may close
 * its own at any time. Returns the time until the device must be polled, UINT64_MAX if never. */
static uint64_t seat_prepare(struct geo_listener *listener, struct geo_seat *seat)
{
    const struct geo_sysman_root *root = seat->root;
    const bool has_fd = root->watched && root->watch.fd >= 0;
    const int fd = has_fd && !seat->deaf ? fcntl(root->watch.fd, F_DUPFD_CLOEXEC, 0) : -1;
    const bool reads = (has_fd && fd < 0) || geo_thresholds_pending(root, root->registered);
    GEO_ASSERT(listener->polled >= 1 && listener->polled <= listener->count);
    seat->fd = geo_fd_keep(fd);
    seat->poll = fd >= 0 ? listener->polled++ : 0;
    if (fd >= 0) {
        listener->polls[seat->poll] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    return earlier(reads ? GEO_THRESHOLD_PERIOD_NS : UINT64_MAX,
                   root->watched && root->watch.period_ns ? root->watch.period_ns : UINT64_MAX);
}

/* Returns the time of the next event that the backend predicts. */
static uint64_t root_next(const struct geo_sysman_root *root)
{
    const struct geo_sysman_device_ops *ops = root->about->ops;
    return root->watched && ops->next_event ? ops->next_event(root->sysman) : UINT64_MAX;
}

/* Prepares the descriptors to wait for, and returns until when to wait. */
static uint64_t listener_prepare(struct geo_listener *listener)
{
    uint64_t until = listener->deadline_ns;
    const int wake = geo_fd_get(&listener->wake);
    uint64_t step = wake < 0 ? GEO_THRESHOLD_PERIOD_NS : LOST_NS;
    listener->polls[0] = (struct pollfd){.fd = wake, .events = POLLIN};
    listener->polled = 1;
    for (uint32_t i = 0; i < listener->count; i++) {
        until = earlier(until, root_next(listener->seats[i].root));
        step = earlier(step, seat_prepare(listener, &listener->seats[i]));
    }
    GEO_ASSERT(listener->polled <= listener->count + 1);
    return earlier(until, geo_clock_ns() + step);
}

static void listener_wait(struct geo_listener *listener, uint64_t until)
{
    const uint64_t now = geo_clock_ns(), left = until > now ? until - now : 0;
    const struct timespec time = {.tv_sec = (time_t)(left / NS_PER_SEC),
                                  .tv_nsec = (long)(left % NS_PER_SEC)};
    uint64_t count;
    if (ppoll(listener->polls, listener->polled, until == UINT64_MAX ? NULL : &time, NULL) < 0 &&
        errno != EINTR) {
        const struct timespec period = {.tv_nsec = (long)GEO_THRESHOLD_PERIOD_NS};
        nanosleep(&period, NULL); /* more devices than poll accepts descriptors */
    }
    const int wake = geo_fd_get(&listener->wake);
    if (listener->polls[0].revents && wake >= 0) {
        ssize_t ignored = read(wake, &count, sizeof(count));
        (void)ignored;
    }
    for (uint32_t i = 0; i < listener->count; i++) {
        struct geo_seat *seat = &listener->seats[i];
        GEO_ASSERT(seat->poll < listener->polled);
        const struct pollfd *slot = &listener->polls[seat->poll];
        if (seat->poll) {
            seat->deaf |= (slot->revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
            geo_fd_close(&seat->fd);
        }
    }
}

static uint32_t listener_run(struct geo_listener *listener)
{
    uint32_t fired;
    geo_sysman_lock();
    listener_sit(listener);
    for (bool first = true;; first = false) {
        for (uint32_t i = 0; i < listener->count; i++) {
            root_look(listener->seats[i].root, first);
        }
        fired = listener_result(listener);
        if (fired != UINT32_MAX) {
            break;
        }
        const uint64_t until = listener_prepare(listener);
        geo_sysman_unlock();
        listener_wait(listener, until);
        geo_sysman_lock();
    }
    listener_rise(listener);
    geo_sysman_unlock();
    return fired;
}

static uint64_t deadline_after(uint64_t timeout_ms)
{
    const uint64_t now = geo_clock_ns();
    return timeout_ms > (UINT64_MAX - now) / NS_PER_MS ? UINT64_MAX : now + timeout_ms * NS_PER_MS;
}

ze_result_t geo_events_listen(struct geo_sysman_root *const *roots, uint32_t count,
                              uint64_t timeout_ms, uint32_t *fired, zes_event_type_flags_t *events)
{
    struct geo_listener listener = {
        .seats = calloc(count + UINT64_C(1), sizeof(*listener.seats)),
        .polls = calloc(count + UINT64_C(1), sizeof(*listener.polls)),
        .count = count,
        .wake = geo_fd_keep(timeout_ms ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1),
        .deadline_ns = deadline_after(timeout_ms),
    };
    const bool ready = listener.seats && listener.polls;
    for (uint32_t i = 0; ready && i < count; i++) {
        listener.seats[i].root = roots[i];
        listener.seats[i].wake = &listener.wake;
    }
    if (ready) {
        *fired = listener_run(&listener);
    }
    for (uint32_t i = 0; ready && i < count; i++) {
        events[i] = listener.seats[i].events;
    }
    geo_fd_close(&listener.wake);
    free(listener.polls);
    free(listener.seats);
    return ready ? ZE_RESULT_SUCCESS
                 : geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a listener");
}

void geo_events_forget(struct geo_sysman_root *root)
{
    GEO_ASSERT(geo_sysman_lock_held());
    root->registered = root->pending = 0;
    root->watched = false;
    root->seats = NULL;
}
