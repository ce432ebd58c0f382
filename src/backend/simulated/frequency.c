/* Frequency domains: the frequency follows a script, limited to the set range. */
#include "backend/simulated/classes.h"

#define CLOCKS 256u

struct sim_overclocking { /* the older overclocking functions */
    zes_oc_capabilities_t can;
    double icc_max, tj_max;
};

struct sim_frequency {
    struct geo_sysman_frequency seam;
    const struct sim_script *actual_mhz, *request_mhz, *tdp_mhz, *efficient_mhz, *voltage_v;
    const struct sim_script *reasons, *throttled;
    struct sim_list clocks;
    struct sim_overclocking overclocking;
    struct {
        zes_freq_range_t range;
        struct geo_sysman_oc oc;
    } now;
};

SIM_OP(frequency, range, zes_freq_range_t *range)
{
    SIM_BEGIN(frequency)
    range->min = part->now.range.min;
    range->max = part->now.range.max;
    SIM_END;
}

SIM_OP(frequency, set_range, const zes_freq_range_t *range)
{
    SIM_BEGIN(frequency)
    const zes_freq_properties_t *can = &part->seam.properties;
    part->now.range.min = range->min < 0 ? can->min : range->min;
    part->now.range.max = range->max < 0 ? can->max : range->max;
    SIM_END;
}

SIM_OP(frequency, state, zes_freq_state_t *state)
{
    SIM_BEGIN(frequency)
    if (!part->actual_mhz) {
        return sim_leave_missing("actual_mhz", why);
    }
    const zes_freq_range_t *range = &part->now.range;
    const double wanted = sim_script_value(part->actual_mhz, t);
    state->actual = sim_clamp(wanted, range->min, range->max);
    state->request = sim_clamp(sim_value(part->request_mhz, t, wanted), range->min, range->max);
    state->tdp = sim_value(part->tdp_mhz, t, -1);
    state->efficient = sim_value(part->efficient_mhz, t, -1);
    state->currentVoltage = sim_value(part->voltage_v, t, -1);
    state->throttleReasons = sim_u32(sim_value(part->reasons, t, 0));
    if (wanted > range->max) {
        state->throttleReasons |= ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE;
    }
    SIM_END;
}

SIM_OP(frequency, throttle_time, zes_freq_throttle_time_t *time)
{
    SIM_BEGIN(frequency)
    if (!part->throttled) {
        return sim_leave_missing("throttled_percent", why);
    }
    time->throttleTime = sim_wrap(1e4 * sim_script_integral(part->throttled, t), 64);
    time->timestamp = sim_clock_us(t);
    SIM_END;
}

SIM_OP(frequency, oc_capabilities, zes_oc_capabilities_t *capabilities)
{
    SIM_BEGIN(frequency)
    *capabilities = part->overclocking.can;
    SIM_END;
}

SIM_OP(frequency, oc, struct geo_sysman_oc *oc)
{
    SIM_BEGIN(frequency)
    *oc = part->now.oc;
    SIM_END;
}

SIM_OP(frequency, set_oc, uint32_t fields, const struct geo_sysman_oc *oc)
{
    SIM_BEGIN(frequency)
    struct geo_sysman_oc *now = &part->now.oc;
    now->frequency = fields & GEO_SYSMAN_OC_FREQUENCY ? oc->frequency : now->frequency;
    now->voltage = fields & GEO_SYSMAN_OC_VOLTAGE ? oc->voltage : now->voltage;
    now->voltage_offset = fields & GEO_SYSMAN_OC_VOLTAGE ? oc->voltage_offset : now->voltage_offset;
    now->mode = fields & GEO_SYSMAN_OC_MODE ? oc->mode : now->mode;
    if (fields & GEO_SYSMAN_OC_ICC_MAX) {
        now->icc_max = oc->icc_max != 0 ? oc->icc_max : part->overclocking.icc_max;
    }
    if (fields & GEO_SYSMAN_OC_TJ_MAX) {
        now->tj_max = oc->tj_max != 0 ? oc->tj_max : part->overclocking.tj_max;
    }
    SIM_END;
}

static const struct geo_sysman_frequency_ops ops = {
    .range = frequency_range,
    .set_range = frequency_set_range,
    .state = frequency_state,
    .throttle_time = frequency_throttle_time,
    .oc_capabilities = frequency_oc_capabilities,
    .oc = frequency_oc,
    .set_oc = frequency_set_oc,
};

/* ---- keys ---- */

#define CAN(field) offsetof(struct sim_overclocking, can.field)
static const struct sim_key overclocking_keys[] = {
    {"factory_mhz", SIM_REAL, CAN(maxFactoryDefaultFrequency), .help = "0"},
    {"factory_v", SIM_REAL, CAN(maxFactoryDefaultVoltage), .help = "0"},
    {"max_mhz", SIM_REAL, CAN(maxOcFrequency), .required = true,
     .help = "highest clock that can be set"},
    {"max_v", SIM_REAL, CAN(maxOcVoltage), .help = "0"},
    {"min_offset_v", SIM_REAL, CAN(minOcVoltageOffset), .help = "0"},
    {"max_offset_v", SIM_REAL, CAN(maxOcVoltageOffset), .help = "0"},
    {"fixed_mode", SIM_BOOL, CAN(isFixedModeSupported), .help = "false"},
    {"extended_mode", SIM_BOOL, CAN(isExtendedModeSupported), .help = "false"},
    {"high_voltage_capable", SIM_BOOL, CAN(isHighVoltModeCapable), .help = "false"},
    {"high_voltage_enabled", SIM_BOOL, CAN(isHighVoltModeEnabled), .help = "false"},
    {"icc_max_supported", SIM_BOOL, CAN(isIccMaxSupported), .help = "false"},
    {"tj_max_supported", SIM_BOOL, CAN(isTjMaxSupported), .help = "false"},
    {"icc_max_a", SIM_REAL, offsetof(struct sim_overclocking, icc_max), .help = "initial value; 0"},
    {"tj_max_celsius", SIM_REAL, offsetof(struct sim_overclocking, tj_max),
     .help = "initial value; 0"},
};
static const struct sim_overclocking overclocking_defaults = {.can = {.isOcSupported = 1}};
static const struct sim_table overclocking_table = {
    "overclocking of a frequency", SIM_KEYS(overclocking_keys),
    .bytes = sizeof(struct sim_overclocking), .defaults = &overclocking_defaults};

#define AT(field) offsetof(struct sim_frequency, field)
#define MHZ       .max = 1e6
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_frequency),
    {"domain", SIM_WORD, AT(seam.properties.type), .words = "zes_freq_domain_t", .help = "gpu"},
    {"min_mhz", SIM_REAL, AT(seam.properties.min), MHZ, .required = true,
     .help = "lowest clock of the hardware"},
    {"max_mhz", SIM_REAL, AT(seam.properties.max), MHZ, .required = true,
     .help = "highest clock of the hardware"},
    {"clocks_mhz", SIM_REALS, AT(clocks), .size = CLOCKS, MHZ,
     .help = "available clocks; the lowest and the highest"},
    {"actual_mhz", SIM_SCRIPT, AT(actual_mhz), MHZ,
     .help = "clock without a range; a range that is set bounds it"},
    {"request_mhz", SIM_SCRIPT, AT(request_mhz), MHZ,
     .help = "requested clock; the value of `actual_mhz`"},
    {"tdp_mhz", SIM_SCRIPT, AT(tdp_mhz), MHZ, .help = "unknown"},
    {"efficient_mhz", SIM_SCRIPT, AT(efficient_mhz), MHZ, .help = "unknown"},
    {"voltage_v", SIM_SCRIPT, AT(voltage_v), .max = 1e3, .help = "unknown"},
    {"throttle_reasons", SIM_SCRIPT, AT(reasons), .words = "zes_freq_throttle_reason_flags_t",
     .help = "reasons; `sw_range` is added while the range bounds the clock; none"},
    {"throttled_percent", SIM_RATE, AT(throttled), .max = 100,
     .help = "share of the time in which the clock is throttled; programs read its integral"},
    {"can_control", SIM_BOOL, AT(seam.properties.canControl), .help = "a range can be set; false"},
    {"throttle_event", SIM_BOOL, AT(seam.properties.isThrottleEventSupported), .help = "false"},
    {"overclocking", SIM_OBJECT, AT(overclocking), .table = &overclocking_table, .help = "none"},
};
static const struct sim_frequency defaults = {.seam = {.base = {.subdevice = -1}, .ops = &ops}};

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_frequency *part = item;
    const zes_freq_properties_t *can = &part->seam.properties;
    part->seam.clocks = part->clocks.items;
    part->seam.clock_count = part->clocks.count;
    part->now.range.min = can->min;
    part->now.range.max = can->max;
    part->now.oc = (struct geo_sysman_oc){.frequency = can->max,
                                          .icc_max = part->overclocking.icc_max,
                                          .tj_max = part->overclocking.tj_max,
                                          .mode = ZES_OC_MODE_OFF};
    return can->min <= can->max || sim_wrong(reader, "\"min_mhz\" is above \"max_mhz\"");
}

SIM_TABLE(frequency, finish);
const struct sim_class sim_frequency_class = SIM_CLASS(frequency, FREQUENCY);
