/* The component classes. Each is in the file with its name or its group's name. */
#ifndef GEO_BACKEND_SIMULATED_CLASSES_H
#define GEO_BACKEND_SIMULATED_CLASSES_H

#include "backend/simulated/part.h"

#include <stddef.h>

/* Defines the class of a file. Its struct is sim_<kind>, its table sim_<kind>_table, its key in a
 * description is <kind>, and a reset restores the member `now`. */
#define SIM_CLASS(name, KIND) SIM_SETTLED_CLASS(name, KIND, NULL)
#define SIM_SETTLED_CLASS(name, KIND, function)                                                    \
    {.key = #name,                                                                                 \
     .kind = GEO_SYSMAN_##KIND,                                                                    \
     .table = &sim_##name##_table,                                                                 \
     .now_offset = offsetof(struct sim_##name, now),                                               \
     .now_bytes = sizeof(((struct sim_##name *)0)->now),                                           \
     .settle = (function)}

extern const struct sim_class sim_power_class, sim_frequency_class, sim_engine_class,
    sim_scheduler_class, sim_firmware_class, sim_memory_class, sim_fabric_port_class,
    sim_temperature_class, sim_psu_class, sim_fan_class, sim_led_class, sim_ras_class,
    sim_diagnostics_class, sim_standby_class, sim_performance_class, sim_overclock_class,
    sim_virtual_function_class;

extern const struct sim_table sim_power_table, sim_frequency_table, sim_engine_table,
    sim_scheduler_table, sim_firmware_table, sim_memory_table, sim_fabric_port_table,
    sim_temperature_table, sim_psu_table, sim_fan_table, sim_led_table, sim_ras_table,
    sim_diagnostics_table, sim_standby_table, sim_performance_table, sim_overclock_table,
    sim_virtual_function_table;

/* Kinds of reset of the overclocking settings. A warm or cold reset of the device applies pending
 * values. TO_SHIPPED restores the factory values, TO_CURRENT discards pending values. */
enum sim_overclock_reset { SIM_RESET_WARM, SIM_RESET_COLD, SIM_TO_SHIPPED, SIM_TO_CURRENT };
struct sim_overclock;
void sim_overclock_reset(struct sim_overclock *domains, uint32_t count,
                         enum sim_overclock_reset kind);
/* Returns the action that pending values need, and whether a control differs from its factory
 * value. */
uint32_t sim_overclock_pending(struct sim_overclock *domains, uint32_t count, bool *active);

#endif
