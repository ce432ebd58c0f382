/* Temperature sensors. The driver implements thresholds. */
#include "backend/simulated/classes.h"

struct sim_temperature {
    struct geo_sysman_temperature seam;
    const struct sim_script *celsius;
};

SIM_OP(temperature, state, double *celsius)
{
    SIM_BEGIN(temperature)
    *celsius = sim_script_value(part->celsius, t);
    SIM_END;
}

static const struct geo_sysman_temperature_ops ops = {.state = temperature_state};

#define AT(field) offsetof(struct sim_temperature, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_temperature),
    {"sensor", SIM_WORD, AT(seam.properties.type), .words = "zes_temp_sensors_t", .help = "global"},
    {"celsius", SIM_SCRIPT, AT(celsius), .min = -273.15, .max = 1e4, .required = true,
     .help = "measured temperature"},
    {"max_celsius", SIM_REAL, AT(seam.properties.maxTemperature), .help = "-1: unknown"},
    {"critical_event", SIM_BOOL, AT(seam.properties.isCriticalTempSupported), .help = "false"},
    {"threshold1_event", SIM_BOOL, AT(seam.properties.isThreshold1Supported), .help = "false"},
    {"threshold2_event", SIM_BOOL, AT(seam.properties.isThreshold2Supported), .help = "false"},
};
static const struct sim_temperature defaults = {
    .seam = {.base = {.subdevice = -1}, .properties = {.maxTemperature = -1}, .ops = &ops}};

SIM_TABLE(temperature, NULL);
const struct sim_class sim_temperature_class = {
    .key = "temperature", .kind = GEO_SYSMAN_TEMPERATURE, .table = &sim_temperature_table};
