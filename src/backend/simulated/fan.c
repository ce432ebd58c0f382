/* Fans: the speed follows a script in the default mode, else the settings. */
#include "backend/simulated/classes.h"

struct sim_fan {
    struct geo_sysman_fan seam;
    const struct sim_script *rpm, *celsius;
    struct {
        zes_fan_config_t config;
    } now;
};

SIM_OP(fan, config, zes_fan_config_t *config)
{
    SIM_BEGIN(fan)
    config->mode = part->now.config.mode;
    config->speedFixed = part->now.config.speedFixed;
    config->speedTable = part->now.config.speedTable;
    SIM_END;
}

SIM_OP(fan, set_config, const zes_fan_config_t *config)
{
    SIM_BEGIN(fan)
    part->now.config.mode = config->mode;
    if (config->mode == ZES_FAN_SPEED_MODE_FIXED) {
        part->now.config.speedFixed = config->speedFixed;
    } else if (config->mode == ZES_FAN_SPEED_MODE_TABLE) {
        part->now.config.speedTable = config->speedTable;
    }
    SIM_END;
}

static double rpm_of(const struct sim_fan *part, const zes_fan_speed_t *speed)
{
    return speed->units == ZES_FAN_SPEED_UNITS_PERCENT
               ? speed->speed / 100.0 * part->seam.properties.maxRPM
               : speed->speed;
}

/* Returns the speed of the last table entry whose temperature is reached; of the first entry below
 * it. */
static double rpm_by_table(const struct sim_fan *part, double celsius)
{
    const zes_fan_speed_table_t *table = &part->now.config.speedTable;
    int32_t at = 0;
    while (at + 1 < table->numPoints && celsius >= table->table[at + 1].temperature) {
        at++;
    }
    return rpm_of(part, &table->table[at].speed);
}

SIM_OP(fan, speed, zes_fan_speed_units_t units, int32_t *speed)
{
    SIM_BEGIN(fan)
    const int32_t max = part->seam.properties.maxRPM;
    double rpm = sim_script_value(part->rpm, t);
    if (part->now.config.mode == ZES_FAN_SPEED_MODE_FIXED) {
        rpm = rpm_of(part, &part->now.config.speedFixed);
    } else if (part->now.config.mode == ZES_FAN_SPEED_MODE_TABLE) {
        rpm = rpm_by_table(part, sim_value(part->celsius, t, 0));
    }
    rpm = sim_clamp(rpm, 0, max);
    *speed = sim_i32(units == ZES_FAN_SPEED_UNITS_PERCENT ? 100 * rpm / max : rpm);
    SIM_END;
}

static const struct geo_sysman_fan_ops ops = {
    .config = fan_config,
    .set_config = fan_set_config,
    .speed = fan_speed,
};

#define AT(field) offsetof(struct sim_fan, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_fan),
    {"rpm", SIM_SCRIPT, AT(rpm), .max = INT32_MAX, .required = true,
     .help = "speed in the default mode"},
    {"max_rpm", SIM_I32, AT(seam.properties.maxRPM), .min = 1, .max = INT32_MAX, .required = true,
     .help = "speed that is 100 percent"},
    {"celsius", SIM_SCRIPT, AT(celsius), .min = -273.15, .max = 1e4,
     .help = "temperature that a fan table uses; 0"},
    {"modes", SIM_CHOICE, AT(seam.properties.supportedModes), .words = "zes_fan_speed_mode_t",
     .help = "[\"default\"]"},
    {"units", SIM_CHOICE, AT(seam.properties.supportedUnits), .words = "zes_fan_speed_units_t",
     .help = "[\"rpm\", \"percent\"]"},
    {"max_points", SIM_I32, AT(seam.properties.maxPoints), .min = -1, .max = 32,
     .help = "highest number of points of a fan table; -1: unknown"},
    {"can_control", SIM_BOOL, AT(seam.properties.canControl),
     .help = "the speed can be set; false"},
};
static const struct sim_fan defaults = {
    .seam = {.base = {.subdevice = -1},
             .properties = {.supportedModes = 1u << ZES_FAN_SPEED_MODE_DEFAULT,
                            .supportedUnits =
                                1u << ZES_FAN_SPEED_UNITS_RPM | 1u << ZES_FAN_SPEED_UNITS_PERCENT,
                            .maxPoints = -1},
             .ops = &ops},
    .now = {.config = {.mode = ZES_FAN_SPEED_MODE_DEFAULT}}};

SIM_TABLE(fan, NULL);
const struct sim_class sim_fan_class = SIM_CLASS(fan, FAN);
