/* The simulated time. See clock.h. */
#include "backend/simulated/clock.h"

#include "base/clock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool manual;
static uint64_t manual_ns, started_ns;

void sim_lock(void)
{
    pthread_mutex_lock(&lock);
}

void sim_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void sim_clock_start(bool is_manual)
{
    manual = is_manual;
    manual_ns = 0;
    started_ns = geo_clock_ns();
}

bool sim_clock_is_manual(void)
{
    return manual;
}

double sim_clock_now_s(void)
{
    return (double)(manual ? manual_ns : geo_clock_ns() - started_ns) / 1e9;
}

bool sim_clock_set_ns(uint64_t ns)
{
    if (ns < manual_ns) {
        return false;
    }
    manual_ns = ns;
    return true;
}

uint64_t sim_clock_monotonic_ns(double at_s)
{
    return at_s < 1e9 ? started_ns + (uint64_t)(at_s * 1e9) : UINT64_MAX / 2;
}

uint64_t sim_clock_us(double t)
{
    return (uint64_t)(t * 1e6 + 0.5);
}
