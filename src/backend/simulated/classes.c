/* All component classes, indexed by enum geo_sysman_class. */
#include "backend/simulated/classes.h"

const struct sim_class *const sim_classes[GEO_SYSMAN_CLASS_COUNT] = {
    [GEO_SYSMAN_POWER] = &sim_power_class,
    [GEO_SYSMAN_FREQUENCY] = &sim_frequency_class,
    [GEO_SYSMAN_ENGINE] = &sim_engine_class,
    [GEO_SYSMAN_SCHEDULER] = &sim_scheduler_class,
    [GEO_SYSMAN_FIRMWARE] = &sim_firmware_class,
    [GEO_SYSMAN_MEMORY] = &sim_memory_class,
    [GEO_SYSMAN_FABRIC_PORT] = &sim_fabric_port_class,
    [GEO_SYSMAN_TEMPERATURE] = &sim_temperature_class,
    [GEO_SYSMAN_PSU] = &sim_psu_class,
    [GEO_SYSMAN_FAN] = &sim_fan_class,
    [GEO_SYSMAN_LED] = &sim_led_class,
    [GEO_SYSMAN_RAS] = &sim_ras_class,
    [GEO_SYSMAN_DIAGNOSTICS] = &sim_diagnostics_class,
    [GEO_SYSMAN_STANDBY] = &sim_standby_class,
    [GEO_SYSMAN_PERFORMANCE] = &sim_performance_class,
    [GEO_SYSMAN_OVERCLOCK] = &sim_overclock_class,
    [GEO_SYSMAN_VIRTUAL_FUNCTION] = &sim_virtual_function_class,
};
