/* Power usage. See power.h. */
#include "driver/sysman/ask.h"
#include "driver/sysman/power.h"

#include <time.h>

#define BETWEEN_READINGS_NS 10000000

/* Computes the power in milliwatts from two readings of a counter. Returns false if they give
 * none. */
static bool power_between(const zes_power_energy_counter_t *from,
                          const zes_power_energy_counter_t *to, uint32_t *milliwatts)
{
    if (to->timestamp <= from->timestamp || to->energy < from->energy) {
        return false;
    }
    double value =
        1000.0 * (double)(to->energy - from->energy) / (double)(to->timestamp - from->timestamp);
    *milliwatts = value < (double)UINT32_MAX ? (uint32_t)(value + 0.5) : UINT32_MAX;
    return true;
}

static ze_result_t usage_by_energy(struct geo_component *component,
                                   const struct geo_sysman_power *power, uint32_t *now,
                                   uint32_t *average)
{
    struct geo_energy_kept *kept = &component->kept.energy;
    GEO_ASSERT(component->description == &power->base);
    const struct timespec pause = {.tv_nsec = BETWEEN_READINGS_NS};
    zes_power_energy_counter_t first = {0}, second = {0};
    uint32_t power_now = 0, power_average = 0;
    GEO_ASK(power, energy, power, &first);
    nanosleep(&pause, NULL);
    GEO_ASK(power, energy, power, &second);
    geo_sysman_lock();
    const zes_power_energy_counter_t before = kept->asked ? kept->before : first;
    kept->before = second;
    kept->asked = true;
    geo_sysman_unlock();
    if (!power_between(&first, &second, &power_now)) {
        return geo_fail(
            ZE_RESULT_ERROR_NOT_AVAILABLE,
            "the energy counter of %s did not advance or was reset between two readings",
            power->base.name);
    }
    *now = power_now;
    *average = power_between(&before, &second, &power_average) ? power_average : power_now;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_power_usage(struct geo_component *component, const struct geo_sysman_power *power,
                            uint32_t *now, uint32_t *average)
{
    uint32_t power_now = 0, power_average = 0;
    if (!GEO_CAN(power, usage)) {
        return usage_by_energy(component, power, now, average);
    }
    GEO_ASK(power, usage, power, &power_now, &power_average);
    *now = power_now;
    *average = power_average;
    return ZE_RESULT_SUCCESS;
}
