/* Finds, checks and sets limits of power domains. See power.h. */
#include "driver/sysman/power.h"

#include "driver/sysman/ask.h"

#include <stdlib.h>

static ze_result_t limits_ask(const void *owner, uint32_t *count, void *items,
                              struct geo_strbuf *why)
{
    const struct geo_sysman_power *power = owner;
    return power->ops->limits(power, count, items, why);
}

ze_result_t geo_power_limits(const struct geo_sysman_power *power, struct geo_sysman_list *limits)
{
    if (!GEO_CAN(power, limits)) {
        return geo_ask_unsupported(power->base.name, "limits");
    }
    return geo_sysman_list_read(limits, sizeof(zes_power_limit_ext_desc_t), limits_ask, power,
                                power->base.name, "limits");
}

/* ---- finding a limit ---- */

/* Returns the limit of this level, source and unit (UNKNOWN: any unit), or NULL. */
static zes_power_limit_ext_desc_t *limit_find(const struct geo_sysman_list *limits,
                                              zes_power_level_t level, zes_power_source_t source,
                                              zes_limit_unit_t unit)
{
    zes_power_limit_ext_desc_t *items = limits->items;
    for (uint32_t i = 0; i < limits->count; i++) {
        if (items[i].level == level && items[i].source == source &&
            (unit == ZES_LIMIT_UNIT_UNKNOWN || items[i].limitUnit == unit)) {
            return &items[i];
        }
    }
    return NULL;
}

/* Returns the limit in milliwatts for this source, or for any source. */
static zes_power_limit_ext_desc_t *limit_of_power(const struct geo_sysman_list *limits,
                                                  zes_power_level_t level,
                                                  zes_power_source_t source)
{
    const zes_power_source_t sources[] = {source, ZES_POWER_SOURCE_ANY, ZES_POWER_SOURCE_MAINS};
    const size_t count = source == ZES_POWER_SOURCE_BATTERY ? 1 : 3;
    for (size_t i = 0; i < count; i++) {
        zes_power_limit_ext_desc_t *found =
            limit_find(limits, level, sources[i], ZES_LIMIT_UNIT_POWER);
        if (found) {
            return found;
        }
    }
    return NULL;
}

/* ---- setting ---- */

static ze_result_t refuse_locked(const struct geo_sysman_power *power, const char *what)
{
    return geo_fail(ZE_RESULT_ERROR_NOT_AVAILABLE, "%s: the limit's %s is locked", power->base.name,
                    what);
}

static bool limit_is_possible(const struct geo_sysman_power *power,
                              const zes_power_limit_ext_desc_t *wanted,
                              const zes_power_limit_ext_desc_t *now)
{
    const zes_power_properties_t *properties = &power->properties;
    bool ranged = now->level == ZES_POWER_LEVEL_SUSTAINED &&
                  now->limitUnit != ZES_LIMIT_UNIT_CURRENT && wanted->enabled;
    /* A value set while the limit was disabled was not checked against the range. */
    bool changes = wanted->limit != now->limit || (wanted->enabled && !now->enabled);
    if (changes &&
        (wanted->limit < 0 ||
         (ranged && properties->minLimit >= 0 && wanted->limit < properties->minLimit) ||
         (ranged && properties->maxLimit >= 0 && wanted->limit > properties->maxLimit))) {
        return false;
    }
    return wanted->interval == now->interval || wanted->interval >= 0;
}

/* Checks that the limit can be set as `wanted`, and changes *now accordingly. Does not call the
 * backend. */
static ze_result_t limit_apply(const struct geo_sysman_power *power,
                               const zes_power_limit_ext_desc_t *wanted,
                               zes_power_limit_ext_desc_t *now)
{
    if (!limit_is_possible(power, wanted, now)) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_ARGUMENT,
            "%s cannot be limited to %d mW over %d ms: limits from %d to %d mW are possible",
            power->base.name, wanted->limit, wanted->interval, power->properties.minLimit,
            power->properties.maxLimit);
    }
    if (now->enabledStateLocked && !now->enabled != !wanted->enabled) {
        return refuse_locked(power, "switch");
    }
    if (now->intervalValueLocked && now->interval != wanted->interval) {
        return refuse_locked(power, "interval");
    }
    if (now->limitValueLocked && now->limit != wanted->limit) {
        return refuse_locked(power, "value");
    }
    now->enabled = wanted->enabled != 0;
    now->interval = wanted->interval;
    now->limit = wanted->limit;
    return ZE_RESULT_SUCCESS;
}

/* Applies the wanted limits in order to `all`, the present limits, and copies the results to
 * `out`. */
static ze_result_t limits_prepare(const struct geo_sysman_power *power, uint32_t count,
                                  const zes_power_limit_ext_desc_t *wanted,
                                  const struct geo_sysman_list *all,
                                  zes_power_limit_ext_desc_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        zes_power_limit_ext_desc_t *now =
            limit_find(all, wanted[i].level, wanted[i].source, wanted[i].limitUnit);
        if (!now) {
            return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                            "%s has no limit of level %d and source %d; zesPowerGetLimitsExt "
                            "lists its limits",
                            power->base.name, (int)wanted[i].level, (int)wanted[i].source);
        }
        GEO_CHECK(limit_apply(power, &wanted[i], now));
        out[i] = *now;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_power_set_limits(const struct geo_sysman_power *power, uint32_t count,
                                 const zes_power_limit_ext_desc_t *wanted)
{
    struct geo_sysman_list all;
    GEO_CHECK(geo_ask_check_control(&power->base, power->properties.canControl));
    if (count == 0) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_power_limits(power, &all));
    zes_power_limit_ext_desc_t *set = calloc(count, sizeof(*set));
    ze_result_t result =
        set ? limits_prepare(power, count, wanted, &all, set)
            : geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for power limits");
    if (result == ZE_RESULT_SUCCESS) {
        GEO_ASK_FOR(result, power, set_limits, power, count, set);
    }
    free(set);
    free(all.items);
    return result;
}

/* ---- structures before version 1.4 ---- */

ze_result_t geo_power_old_limits(const struct geo_sysman_power *power,
                                 const struct geo_power_old_limits *out)
{
    const zes_power_limit_ext_desc_t none = {.limit = -1, .interval = -1}, *found;
    struct geo_sysman_list all;
    GEO_CHECK(geo_power_limits(power, &all));
    if (out->sustained) {
        found = limit_of_power(&all, ZES_POWER_LEVEL_SUSTAINED, ZES_POWER_SOURCE_ANY);
        found = found ? found : &none;
        *out->sustained =
            (zes_power_sustained_limit_t){found->enabled, found->limit, found->interval};
    }
    if (out->burst) {
        found = limit_of_power(&all, ZES_POWER_LEVEL_BURST, ZES_POWER_SOURCE_ANY);
        found = found ? found : &none;
        *out->burst = (zes_power_burst_limit_t){found->enabled, found->limit};
    }
    if (out->peak) {
        found = limit_of_power(&all, ZES_POWER_LEVEL_PEAK, ZES_POWER_SOURCE_MAINS);
        out->peak->powerAC = found ? found->limit : -1;
        found = limit_of_power(&all, ZES_POWER_LEVEL_PEAK, ZES_POWER_SOURCE_BATTERY);
        out->peak->powerDC = found ? found->limit : -1;
    }
    free(all.items);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t refuse_missing(const struct geo_sysman_power *power, const char *level)
{
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "%s has no %s limit", power->base.name,
                    level);
}

/* Converts the wanted limits to present structures; there are at most four. */
static ze_result_t old_limits_translate(const struct geo_sysman_power *power,
                                        const struct geo_power_old_limits *wanted,
                                        const struct geo_sysman_list *all,
                                        zes_power_limit_ext_desc_t set[4], uint32_t *count)
{
    const zes_power_limit_ext_desc_t *found;
    *count = 0;
    if (wanted->sustained) {
        found = limit_of_power(all, ZES_POWER_LEVEL_SUSTAINED, ZES_POWER_SOURCE_ANY);
        if (!found) {
            return refuse_missing(power, "sustained");
        }
        set[*count] = *found;
        set[*count].enabled = wanted->sustained->enabled;
        set[*count].limit = wanted->sustained->power;
        set[(*count)++].interval = wanted->sustained->interval;
    }
    if (wanted->burst) {
        found = limit_of_power(all, ZES_POWER_LEVEL_BURST, ZES_POWER_SOURCE_ANY);
        if (!found) {
            return refuse_missing(power, "burst");
        }
        set[*count] = *found;
        set[*count].enabled = wanted->burst->enabled;
        set[(*count)++].limit = wanted->burst->power;
    }
    if (wanted->peak) {
        found = limit_of_power(all, ZES_POWER_LEVEL_PEAK, ZES_POWER_SOURCE_MAINS);
        if (!found) {
            return refuse_missing(power, "peak");
        }
        set[*count] = *found;
        set[(*count)++].limit = wanted->peak->powerAC;
        found = limit_of_power(all, ZES_POWER_LEVEL_PEAK, ZES_POWER_SOURCE_BATTERY);
        if (found) { /* ignored without a battery */
            set[*count] = *found;
            set[(*count)++].limit = wanted->peak->powerDC;
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_power_set_old_limits(const struct geo_sysman_power *power,
                                     const struct geo_power_old_limits *wanted)
{
    zes_power_limit_ext_desc_t set[4];
    struct geo_sysman_list all;
    uint32_t count;
    GEO_CHECK(geo_ask_check_control(&power->base, power->properties.canControl));
    GEO_CHECK(geo_power_limits(power, &all));
    ze_result_t result = old_limits_translate(power, wanted, &all, set, &count);
    free(all.items);
    GEO_ASSERT(result != ZE_RESULT_SUCCESS || count <= 4);
    return result == ZE_RESULT_SUCCESS ? geo_power_set_limits(power, count, set) : result;
}

/* ---- the sustained limit ---- */

static ze_result_t sustained_find(const struct geo_sysman_power *power,
                                  zes_power_limit_ext_desc_t *out)
{
    struct geo_sysman_list all;
    GEO_CHECK(geo_power_limits(power, &all));
    const zes_power_limit_ext_desc_t *found =
        limit_of_power(&all, ZES_POWER_LEVEL_SUSTAINED, ZES_POWER_SOURCE_ANY);
    ze_result_t result = found ? ZE_RESULT_SUCCESS : refuse_missing(power, "sustained");
    if (found) {
        *out = *found;
    }
    free(all.items);
    return result;
}

ze_result_t geo_power_sustained(const struct geo_sysman_power *power, uint32_t *milliwatts)
{
    zes_power_limit_ext_desc_t limit;
    GEO_CHECK(sustained_find(power, &limit));
    *milliwatts = limit.limit > 0 ? (uint32_t)limit.limit : 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_power_set_sustained(const struct geo_sysman_power *power, uint32_t milliwatts)
{
    zes_power_limit_ext_desc_t limit;
    GEO_CHECK(geo_ask_check_control(&power->base, power->properties.canControl));
    GEO_CHECK(sustained_find(power, &limit));
    if (milliwatts > INT32_MAX) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "%s cannot be limited to %u mW: a limit is at most %d mW", power->base.name,
                        milliwatts, INT32_MAX);
    }
    limit.limit = (int32_t)milliwatts;
    limit.enabled = 1;
    return geo_power_set_limits(power, 1, &limit);
}
