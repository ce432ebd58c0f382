/* Power supplies. */
#include "backend/simulated/classes.h"

struct sim_psu {
    struct geo_sysman_psu seam;
    const struct sim_script *voltage, *fan_failed, *celsius, *current_ma;
};

SIM_OP(psu, state, zes_psu_state_t *state)
{
    SIM_BEGIN(psu)
    state->voltStatus = (zes_psu_voltage_status_t)sim_u32(
        sim_value(part->voltage, t, ZES_PSU_VOLTAGE_STATUS_NORMAL));
    state->fanFailed = sim_value(part->fan_failed, t, 0) != 0;
    state->temperature = sim_i32(sim_value(part->celsius, t, -1));
    state->current = sim_i32(sim_value(part->current_ma, t, -1));
    SIM_END;
}

static const struct geo_sysman_psu_ops ops = {.state = psu_state};

#define AT(field) offsetof(struct sim_psu, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_psu),
    {"has_fan", SIM_BOOL, AT(seam.properties.haveFan), .help = "false"},
    {"limit_ma", SIM_I32, AT(seam.properties.ampLimit), .help = "-1: unknown"},
    {"voltage", SIM_SCRIPT, AT(voltage), .words = "zes_psu_voltage_status_t", .help = "normal"},
    {"fan_failed", SIM_SCRIPT, AT(fan_failed), .max = 1, .help = "1: the fan has failed; 0"},
    {"celsius", SIM_SCRIPT, AT(celsius), .min = -273.15, .max = 1e4, .help = "unknown"},
    {"current_ma", SIM_SCRIPT, AT(current_ma), .max = INT32_MAX, .help = "unknown"},
};
static const struct sim_psu defaults = {
    .seam = {.base = {.subdevice = -1}, .properties = {.ampLimit = -1}, .ops = &ops}};

SIM_TABLE(psu, NULL);
const struct sim_class sim_psu_class = {
    .key = "psu", .kind = GEO_SYSMAN_PSU, .table = &sim_psu_table};
