/* Thresholds of energy. See threshold.h. */
#include "driver/sysman/ask.h"
#include "driver/sysman/seat.h"
#include "driver/sysman/threshold.h"

#include <math.h>
#include <unistd.h>

#define UJ_PER_JOULE 1e6

static const struct geo_sysman_power *power_of(const struct geo_component *component)
{
    GEO_ASSERT(component->description->kind == GEO_SYSMAN_POWER);
    return (const struct geo_sysman_power *)(const void *)component->description;
}

static ze_result_t check_supported(const struct geo_sysman_power *power)
{
    return power->properties.isEnergyThresholdSupported
               ? ZE_RESULT_SUCCESS
               : geo_ask_unsupported(power->base.name, "energy threshold");
}

/* Adds the energy used since the last reading. After a reset of the counter it is unknown and left
 * out. */
static ze_result_t energy_count(struct geo_component *component)
{
    struct geo_energy_kept *kept = &component->kept.energy;
    const struct geo_sysman_power *power = power_of(component);
    GEO_ASSERT(geo_sysman_lock_held() && kept->used_joules >= 0);
    zes_power_energy_counter_t counter = {0};
    GEO_ASK(power, energy, power, &counter);
    if (kept->counted && counter.energy >= kept->last_uj) {
        kept->used_joules += (double)(counter.energy - kept->last_uj) / UJ_PER_JOULE;
    }
    kept->last_uj = counter.energy;
    kept->counted = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_thresholds_energy(struct geo_component *component,
                                  const struct geo_sysman_power *power, zes_energy_threshold_t *out)
{
    GEO_CHECK(check_supported(power));
    geo_sysman_lock();
    const double joules = component->kept.energy.threshold_joules;
    geo_sysman_unlock();
    out->enable = joules > 0;
    out->threshold = joules;
    out->processId = joules > 0 ? (uint32_t)getpid() : UINT32_MAX;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t threshold_set_locked(struct geo_component *component,
                                        const struct geo_sysman_power *power, double joules)
{
    struct geo_energy_kept *kept = &component->kept.energy;
    GEO_ASSERT(geo_sysman_lock_held() && power == power_of(component) && joules >= 0);
    const bool by_backend = GEO_CAN(power, set_energy_threshold);
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (by_backend) {
        GEO_ASK_FOR(result, power, set_energy_threshold, power, joules);
    } else if (joules > 0) {
        result = energy_count(component);
    }
    if (result == ZE_RESULT_SUCCESS) {
        kept->threshold_joules = joules;
        kept->used_joules = 0;
        kept->by_backend = by_backend;
        geo_seats_wake(component->root);
    }
    return result;
}

ze_result_t geo_thresholds_energy_set(struct geo_component *component,
                                      const struct geo_sysman_power *power, double joules)
{
    GEO_CHECK(check_supported(power));
    if (!isfinite(joules) || joules < 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s: an energy threshold of %g J is invalid: it must be a positive number, "
                        "or 0 for none",
                        power->base.name, joules);
    }
    geo_sysman_lock();
    ze_result_t result = threshold_set_locked(component, power, joules);
    geo_sysman_unlock();
    return result;
}

/* ---- comparing ---- */

static bool energy_pending(const struct geo_component *component)
{
    const struct geo_energy_kept *kept = &component->kept.energy;
    return kept->threshold_joules > 0 && !kept->by_backend;
}

static zes_event_type_flags_t energy_compare(struct geo_component *component)
{
    struct geo_energy_kept *kept = &component->kept.energy;
    GEO_ASSERT(kept->threshold_joules > 0 && !kept->by_backend);
    if (energy_count(component) != ZE_RESULT_SUCCESS ||
        kept->used_joules <= kept->threshold_joules) {
        return 0;
    }
    kept->threshold_joules = 0;
    return ZES_EVENT_TYPE_FLAG_ENERGY_THRESHOLD_CROSSED;
}

/* The event does not name the domain, so all thresholds that the hardware compares are removed. */
static void energy_happened(struct geo_component *component, zes_event_type_flags_t events)
{
    (void)events;
    if (component->kept.energy.by_backend) {
        component->kept.energy.threshold_joules = 0;
    }
}

const struct geo_threshold_kind geo_threshold_energy = {
    .kind = GEO_SYSMAN_POWER,
    .events = ZES_EVENT_TYPE_FLAG_ENERGY_THRESHOLD_CROSSED,
    .compare = energy_compare,
    .pending = energy_pending,
    .happened = energy_happened,
};
