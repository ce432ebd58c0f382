/* Power domains: power from a script, limited by the power limits, and energy as its integral. */
#include "backend/simulated/classes.h"

#include <math.h>

#define LIMITS 8u

struct sim_power {
    struct geo_sysman_power seam;
    const struct sim_script *power_mw, *average_mw, *energy_uj;
    struct sim_list limits; /* zes_power_limit_ext_desc_t, initial values */
    struct {
        zes_power_limit_ext_desc_t limits[LIMITS];
        uint32_t count;
    } now;
    double base_uj, since; /* energy up to the time `since` */
};

/* Returns the lowest enabled limit. Battery limits are ignored, because devices are on mains
 * power. */
static double cap_mw(const struct sim_power *part)
{
    double cap = INFINITY;
    for (uint32_t i = 0; i < part->now.count; i++) {
        const zes_power_limit_ext_desc_t *limit = &part->now.limits[i];
        if (limit->enabled && limit->source != ZES_POWER_SOURCE_BATTERY &&
            limit->limitUnit == ZES_LIMIT_UNIT_POWER && limit->limit >= 0) {
            cap = fmin(cap, limit->limit);
        }
    }
    return cap;
}

/* Adds the energy since the last call. One milliwatt for one second is 1,000 microjoules. */
static void energy_settle(struct sim_power *part, double t)
{
    part->base_uj += 1e3 * sim_script_capped(part->power_mw, cap_mw(part), part->since, t);
    part->since = t;
}

SIM_OP(power, energy, zes_power_energy_counter_t *counter)
{
    SIM_BEGIN(power)
    if (part->energy_uj) {
        counter->energy = sim_u64(part->energy_uj, t);
    } else if (part->power_mw) {
        energy_settle(part, t);
        counter->energy = sim_wrap(part->base_uj, 64);
    } else {
        return sim_leave_missing("power_mw", why);
    }
    counter->timestamp = sim_clock_us(t);
    SIM_END;
}

SIM_OP(power, limits, uint32_t *count, zes_power_limit_ext_desc_t *limits)
{
    SIM_BEGIN(power)
    for (uint32_t i = 0; i < part->now.count && i < *count; i++) {
        limits[i] = part->now.limits[i];
    }
    *count = part->now.count;
    SIM_END;
}

SIM_OP(power, set_limits, uint32_t count, const zes_power_limit_ext_desc_t *limits)
{
    SIM_BEGIN(power)
    if (part->power_mw) {
        energy_settle(part, t);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < part->now.count; k++) {
            zes_power_limit_ext_desc_t *known = &part->now.limits[k];
            if (known->level == limits[i].level && known->source == limits[i].source &&
                known->limitUnit == limits[i].limitUnit) {
                known->enabled = limits[i].enabled;
                known->interval = limits[i].interval;
                known->limit = limits[i].limit;
            }
        }
    }
    SIM_END;
}

SIM_OP(power, usage, uint32_t *now, uint32_t *average)
{
    SIM_BEGIN(power)
    if (!part->power_mw) {
        return sim_leave_missing("power_mw", why);
    }
    const double cap = cap_mw(part), power = fmin(sim_script_value(part->power_mw, t), cap);
    *now = sim_u32(round(power));
    *average = sim_u32(round(fmin(sim_value(part->average_mw, t, power), cap)));
    SIM_END;
}

static const struct geo_sysman_power_ops ops = {
    .energy = power_energy,
    .limits = power_limits,
    .set_limits = power_set_limits,
    .usage = power_usage,
};

/* ---- keys ---- */

#define LIMIT(field) offsetof(zes_power_limit_ext_desc_t, field)
static const struct sim_key limit_keys[] = {
    {"level", SIM_WORD, LIMIT(level), .words = "zes_power_level_t", .required = true,
     .help = "level of the limit"},
    {"source", SIM_WORD, LIMIT(source), .words = "zes_power_source_t", .help = "any"},
    {"unit", SIM_WORD, LIMIT(limitUnit), .words = "zes_limit_unit_t", .help = "power"},
    {"enabled", SIM_BOOL, LIMIT(enabled), .help = "true"},
    {"limit", SIM_I32, LIMIT(limit), .required = true,
     .help = "limit in mW, or in mA if the unit is `current`"},
    {"interval_ms", SIM_I32, LIMIT(interval), .max = INT32_MAX, .help = "0"},
    {"enabled_locked", SIM_BOOL, LIMIT(enabledStateLocked),
     .help = "the limit cannot be enabled or disabled; false"},
    {"interval_locked", SIM_BOOL, LIMIT(intervalValueLocked), .help = "false"},
    {"limit_locked", SIM_BOOL, LIMIT(limitValueLocked), .help = "false"},
};
static const zes_power_limit_ext_desc_t limit_defaults = {.limitUnit = ZES_LIMIT_UNIT_POWER,
                                                          .enabled = 1};
static const struct sim_table limit_table = {"limits", SIM_KEYS(limit_keys),
                                             .bytes = sizeof(zes_power_limit_ext_desc_t),
                                             .defaults = &limit_defaults};

#define AT(field) offsetof(struct sim_power, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_power),
    {"domain", SIM_WORD, AT(seam.domain), .words = "zes_power_domain_t", .help = "card"},
    {"power_mw", SIM_RATE, AT(power_mw), .max = 1e12,
     .help = "power in use, bounded by enabled limits in mW except those of `battery`"},
    {"average_mw", SIM_SCRIPT, AT(average_mw), .max = 1e12,
     .help = "average power; the value of `power_mw`"},
    {"energy_uj", SIM_SCRIPT, AT(energy_uj), .max = 0x1p53,
     .help = "the energy counter; the integral of the bounded `power_mw`"},
    {"can_control", SIM_BOOL, AT(seam.properties.canControl), .help = "limits can be set; false"},
    {"energy_threshold", SIM_BOOL, AT(seam.properties.isEnergyThresholdSupported), .help = "false"},
    {"default_limit_mw", SIM_I32, AT(seam.properties.defaultLimit), .help = "-1: unknown"},
    {"min_limit_mw", SIM_I32, AT(seam.properties.minLimit), .help = "-1: unknown"},
    {"max_limit_mw", SIM_I32, AT(seam.properties.maxLimit), .help = "-1: unknown"},
    {"limits", SIM_LIST, AT(limits), .size = LIMITS, .table = &limit_table, .help = "none"},
};
static const struct sim_power defaults = {
    .seam = {.base = {.subdevice = -1},
             .properties = {.defaultLimit = -1, .minLimit = -1, .maxLimit = -1},
             .domain = ZES_POWER_DOMAIN_CARD,
             .default_limit = {.limit = -1},
             .ops = &ops}};

static void settle(void *item, double t)
{
    struct sim_power *part = item;
    if (part->power_mw) {
        energy_settle(part, t);
    }
}

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_power *part = item;
    const zes_power_properties_t *can = &part->seam.properties;
    const zes_power_limit_ext_desc_t *limits = part->limits.items;
    part->now.count = part->limits.count;
    for (uint32_t i = 0; i < part->limits.count; i++) {
        part->now.limits[i] = limits[i];
        if (limits[i].level == ZES_POWER_LEVEL_SUSTAINED) {
            part->seam.default_limit = limits[i];
        }
    }
    return can->maxLimit < 0 || can->minLimit <= can->maxLimit ||
           sim_wrong(reader, "\"min_limit_mw\" is above \"max_limit_mw\"");
}

SIM_TABLE(power, finish);
const struct sim_class sim_power_class = SIM_SETTLED_CLASS(power, POWER, settle);
