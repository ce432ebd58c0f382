/* Components of sysman as objects: for example a power domain, a fan, a set of error counters.
 *
 * A component gets its object when its class is first enumerated. Its handle never changes and
 * stays valid, also in a child. The object contains what the process stores for the component, such
 * as thresholds and last readings. */
#ifndef GEO_DRIVER_SYSMAN_COMPONENT_H
#define GEO_DRIVER_SYSMAN_COMPONENT_H

#include "driver/sysman/root.h"

/* The classes: name in the backend's interface, name in constants, type of the handle. */
#define GEO_SYSMAN_CLASSES(X)                                                                      \
    X(power, POWER, zes_pwr_handle_t)                                                              \
    X(frequency, FREQUENCY, zes_freq_handle_t)                                                     \
    X(engine, ENGINE, zes_engine_handle_t)                                                         \
    X(scheduler, SCHEDULER, zes_sched_handle_t)                                                    \
    X(firmware, FIRMWARE, zes_firmware_handle_t)                                                   \
    X(memory, MEMORY, zes_mem_handle_t)                                                            \
    X(fabric_port, FABRIC_PORT, zes_fabric_port_handle_t)                                          \
    X(temperature, TEMPERATURE, zes_temp_handle_t)                                                 \
    X(psu, PSU, zes_psu_handle_t)                                                                  \
    X(fan, FAN, zes_fan_handle_t)                                                                  \
    X(led, LED, zes_led_handle_t)                                                                  \
    X(ras, RAS, zes_ras_handle_t)                                                                  \
    X(diagnostics, DIAGNOSTICS, zes_diag_handle_t)                                                 \
    X(standby, STANDBY, zes_standby_handle_t)                                                      \
    X(performance, PERFORMANCE, zes_perf_handle_t)                                                 \
    X(overclock, OVERCLOCK, zes_overclock_handle_t)                                                \
    X(virtual_function, VIRTUAL_FUNCTION, zes_vf_handle_t)

#define GEO_RAS_CATEGORIES (ZES_RAS_ERROR_CATEGORY_EXP_SOC_INTERNAL_ERRORS + 1)

/* Threshold of energy for an event, and readings for the average power. */
struct geo_energy_kept {
    double threshold_joules; /* energy since it was set */
    double used_joules;      /* since it was set */
    uint64_t last_uj;
    bool counted; /* last_uj is valid */
    bool by_backend;
    zes_power_energy_counter_t before; /* reading at the last query of the average */
    bool asked;
};

/* Thresholds of a temperature sensor, and the last reading. */
struct geo_temperature_kept {
    zes_temp_config_t config;
    double last;
    bool by_backend;
};

/* Thresholds of a set of error counters. */
struct geo_ras_kept {
    uint64_t total;                          /* 0: off; the same for all of these */
    uint64_t thresholds[GEO_RAS_CATEGORIES]; /* by newer category */
    /* of the older category, which is the sum of several */
    uint64_t non_compute;
    bool total_fired, non_compute_fired; /* until the counters are cleared */
    bool fired[GEO_RAS_CATEGORIES];
    bool by_backend; /* except non_compute */
};

/* Telemetry settings of a virtual function. */
struct geo_telemetry_kept {
    zes_vf_info_util_exp_flags_t flags; /* quantities that are measured */
    uint64_t interval_us;               /* 0: not set */
};

/* A component; never freed. */
struct geo_component {
    struct geo_object base;
    struct geo_sysman_root *root;
    const struct geo_sysman_component *description;
    union { /* by class; protected by the sysman lock */
        struct geo_energy_kept energy;
        struct geo_temperature_kept temperature;
        struct geo_ras_kept ras;
        struct geo_telemetry_kept telemetry;
    } kept;
};

/* Defines geo_power_from(handle, &power) and the like, which return the description of the
 * component. */
#define GEO_SYSMAN_FROM(name, NAME, handle_type)                                                   \
    static inline ze_result_t geo_##name##_from(handle_type handle,                                \
                                                const struct geo_sysman_##name **out)              \
    {                                                                                              \
        ze_result_t result = geo_object_check(handle, GEO_OBJECT_##NAME);                          \
        if (result == ZE_RESULT_SUCCESS) {                                                         \
            const struct geo_component *component = (const void *)handle;                          \
            GEO_ASSERT(component->description->kind == GEO_SYSMAN_##NAME);                         \
            *out = (const struct geo_sysman_##name *)(const void *)component->description;         \
        }                                                                                          \
        return result;                                                                             \
    }
GEO_SYSMAN_CLASSES(GEO_SYSMAN_FROM)

/* Returns the object of a handle that was checked. */
static inline struct geo_component *geo_component_of(void *handle)
{
    return (struct geo_component *)handle;
}

/* Applies the list protocol to the components of a class. */
GEO_MUST_CHECK ze_result_t geo_components_list(zes_device_handle_t device,
                                               enum geo_sysman_class kind, uint32_t *count,
                                               void **handles);

/* Makes objects for all components that the class has now. The array is valid while the lock is
 * held. */
GEO_MUST_CHECK ze_result_t geo_components_find_locked(struct geo_sysman_root *root,
                                                      enum geo_sysman_class kind,
                                                      const struct geo_components **out);

#endif
