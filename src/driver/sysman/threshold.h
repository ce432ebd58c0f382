/* Thresholds of energy, temperature and numbers of errors. They belong to the process and cause
 * events (event.h).
 *
 * If the backend has the operation, its hardware compares and the backend reports the event.
 * Otherwise the driver reads the value and compares: when a thread begins to listen, and every
 * GEO_THRESHOLD_PERIOD_NS afterwards. Changes without a listener are found by the next one. Energy
 * and errors are counted from the time when the threshold was set; a temperature is compared with
 * the last reading.
 *
 * A child has none of its parent's thresholds. */
#ifndef GEO_DRIVER_SYSMAN_THRESHOLD_H
#define GEO_DRIVER_SYSMAN_THRESHOLD_H

#include "driver/sysman/component.h"

#define GEO_THRESHOLD_PERIOD_NS UINT64_C(100000000)

/* ---- energy: fires once and is then removed ---- */

/* Returns the threshold. UNSUPPORTED_FEATURE if the domain cannot have one. */
GEO_MUST_CHECK ze_result_t geo_thresholds_energy(struct geo_component *component,
                                                 const struct geo_sysman_power *power,
                                                 zes_energy_threshold_t *out);
/* Replaces the threshold, in joules from now on; 0 removes it. */
GEO_MUST_CHECK ze_result_t geo_thresholds_energy_set(struct geo_component *component,
                                                     const struct geo_sysman_power *power,
                                                     double joules);

/* ---- temperature: fires at each crossing ---- */

GEO_MUST_CHECK ze_result_t geo_temperature_config(struct geo_component *component,
                                                  const struct geo_sysman_temperature *sensor,
                                                  zes_temp_config_t *out);
/* Sets the thresholds. Returns UNSUPPORTED_FEATURE if the sensor does not support one,
 * INVALID_ARGUMENT if one is above the sensor's maximum or above TjMax of a frequency domain of the
 * same part. */
GEO_MUST_CHECK ze_result_t geo_temperature_set_config(struct geo_component *component,
                                                      const struct geo_sysman_temperature *sensor,
                                                      const zes_temp_config_t *config);

/* ---- errors: fires when exceeded, and again after the counters were cleared ---- */

void geo_ras_config(struct geo_component *component, zes_ras_config_t *out);
GEO_MUST_CHECK ze_result_t geo_ras_set_config(struct geo_component *component,
                                              const struct geo_sysman_ras *ras,
                                              const zes_ras_config_t *config);
/* Return and set thresholds by newer category. UNSUPPORTED_ENUMERATION if the set does not count
 * one of them. */
GEO_MUST_CHECK ze_result_t geo_ras_config_exp(struct geo_component *component,
                                              const struct geo_sysman_ras *ras, uint32_t count,
                                              zes_ras_config_exp_t *configs);
GEO_MUST_CHECK ze_result_t geo_ras_set_config_exp(struct geo_component *component,
                                                  const struct geo_sysman_ras *ras, uint32_t count,
                                                  const zes_ras_config_exp_t *configs);

/* ---- for event.c, under the sysman lock ---- */

/* Returns all events that thresholds can cause. */
zes_event_type_flags_t geo_thresholds_events(void);

/* Compares the thresholds that the driver compares, and returns which of these events have
 * happened. */
zes_event_type_flags_t geo_thresholds_compare(struct geo_sysman_root *root,
                                              zes_event_type_flags_t events);
/* Returns whether a threshold of the device waits for one of these events. */
bool geo_thresholds_pending(const struct geo_sysman_root *root, zes_event_type_flags_t events);
/* Notes that the backend reported these events. */
void geo_thresholds_happened(struct geo_sysman_root *root, zes_event_type_flags_t events);
/* Removes all thresholds of the process. */
void geo_thresholds_forget(struct geo_sysman_root *root);

/* The operations of a kind of threshold. */
struct geo_threshold_kind {
    enum geo_sysman_class kind;
    zes_event_type_flags_t events; /* events that it can cause */
    zes_event_type_flags_t (*compare)(struct geo_component *component);
    bool (*pending)(const struct geo_component *component); /* the driver has to compare it */
    void (*happened)(struct geo_component *component, zes_event_type_flags_t events);
};
extern const struct geo_threshold_kind geo_threshold_energy, geo_threshold_temperature,
    geo_threshold_ras;

#endif
