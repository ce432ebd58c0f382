/* Waits for words. See poll.h. */
#include "backend/cuda/compute/poll.h"

#include <sched.h>
#include <time.h>

#define SPIN_NS    UINT64_C(50000)
#define NAP_MIN_NS UINT64_C(20000)
#define NAP_MAX_NS UINT64_C(1000000)

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

struct geo_compute_poll geo_compute_poll_begin(uint64_t timeout_ns)
{
    return (struct geo_compute_poll){.start_ns = timeout_ns ? now_ns() : 0,
                                     .timeout_ns = timeout_ns};
}

bool geo_compute_poll_pause(struct geo_compute_poll *poll, bool *check)
{
    *check = poll->timeout_ns == 0;
    if (poll->timeout_ns == 0) {
        return false;
    }
    const uint64_t passed = now_ns() - poll->start_ns;
    if (passed >= poll->timeout_ns) {
        *check = true;
        return false;
    }
    if (passed < SPIN_NS) {
        sched_yield();
        return true;
    }
    poll->nap_ns = poll->nap_ns == 0               ? NAP_MIN_NS
                   : poll->nap_ns * 2 < NAP_MAX_NS ? poll->nap_ns * 2
                                                   : NAP_MAX_NS;
    const uint64_t left = poll->timeout_ns - passed;
    const struct timespec nap = {.tv_nsec = (long)(poll->nap_ns < left ? poll->nap_ns : left)};
    nanosleep(&nap, NULL);
    *check = true;
    return true;
}
