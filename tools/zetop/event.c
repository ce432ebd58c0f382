/* Waits for time, keys and signals. See event.h. Signal handlers write to a pipe, which wakes
 * poll. */
#include "event.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static int pipe_ends[2] = {-1, -1};
static volatile sig_atomic_t stopped, resized;
static void (*volatile emergency_do)(void);

static void signal_take(int number)
{
    const int before = errno;
    if (number == SIGWINCH) {
        resized = 1;
    } else if (stopped) {
        if (emergency_do) {
            emergency_do();
        }
        signal(number, SIG_DFL);
        raise(number);
    } else {
        stopped = 1;
    }
    if (write(pipe_ends[1], "", 1) < 0) {
        errno = before; /* it is full: poll will see it */
    }
    errno = before;
}

bool event_open(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
    if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sigaction before;
        const struct sigaction action = {.sa_handler = signal_take, .sa_flags = SA_RESTART};
        /* A signal that the caller ignores, as with nohup, stays ignored. */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
    return true;
}

void event_set_emergency(void (*emergency)(void))
{
    emergency_do = emergency;
}

uint64_t event_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t event_date_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Takes a pending event: stop has priority over resize. */
static bool noted_take(enum event *event)
{
    char bytes[64];
    while (read(pipe_ends[0], bytes, sizeof(bytes)) > 0) {
    }
    if (stopped) {
        *event = EVENT_STOP;
        return true;
    }
    const bool taken = resized;
    resized = 0;
    *event = EVENT_RESIZE;
    return taken;
}

enum event event_wait(int fd, uint64_t until_ns)
{
    for (;;) {
        enum event event;
        struct pollfd polled[] = {{.fd = pipe_ends[0], .events = POLLIN},
                                  {.fd = fd, .events = POLLIN}};
        const uint64_t now = event_now_ns();
        const uint64_t left = until_ns > now ? until_ns - now : 0;
        const struct timespec rest = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
        const int ready = ppoll(polled, 2, &rest, NULL);
        if (noted_take(&event)) {
            return event;
        }
        if (ready > 0 && polled[1].revents) {
            return EVENT_INPUT;
        }
        if (ready == 0) {
            return EVENT_TIME;
        }
    }
}
