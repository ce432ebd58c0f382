/* Thresholds of energy, temperature and numbers of errors: of the process, and an event comes of
 * them (event.h).
 *
 * Where the backend has the operation its hardware compares, and the event is the backend's. Else
 * the driver compares, by reading what is measured: when a thread begins to listen, and every
 * GEO_THRESHOLD_PERIOD_NS from then on. What happens while nobody listens is seen by who listens
 * next: energy and errors are counted from when the threshold was set, a temperature is compared
 * with the one that was read last.
 *
 * A child has none of its parent's. */
#ifndef GEO_DRIVER_SYSMAN_THRESHOLD_H
#define GEO_DRIVER_SYSMAN_THRESHOLD_H

#include "driver/sysman/component.h"

#define GEO_THRESHOLD_PERIOD_NS UINT64_C(100000000)

/* ---- energy: fires once, then it is gone ---- */

/* UNSUPPORTED_FEATURE: the domain has no such thresholds. */
GEO_MUST_CHECK ze_result_t geo_energy_threshold(struct geo_component *component,
                                                const struct geo_sysman_power *power,
                                                zes_energy_threshold_t *out);
/* Joules from now on, in place of what was set; 0: none. */
GEO_MUST_CHECK ze_result_t geo_energy_set_threshold(struct geo_component *component,
                                                    const struct geo_sysman_power *power,
                                                    double joules);

/* ---- temperature: fires at every crossing ---- */

GEO_MUST_CHECK ze_result_t geo_temperature_config(struct geo_component *component,
                                                  const struct geo_sysman_temperature *sensor,
                                                  zes_temp_config_t *out);
/* UNSUPPORTED_FEATURE: not of this sensor; INVALID_ARGUMENT: above its maximum, or above TjMax of a
 * frequency domain of the same part of the device. */
GEO_MUST_CHECK ze_result_t geo_temperature_set_config(struct geo_component *component,
                                                      const struct geo_sysman_temperature *sensor,
                                                      const zes_temp_config_t *config);

/* ---- errors: fires when there are more, again after the counters were cleared ---- */

void geo_ras_config(struct geo_component *component, zes_ras_config_t *out);
GEO_MUST_CHECK ze_result_t geo_ras_set_config(struct geo_component *component,
                                              const struct geo_sysman_ras *ras,
                                              const zes_ras_config_t *config);
/* By newer category. UNSUPPORTED_ENUMERATION: the set does not count one of these. */
GEO_MUST_CHECK ze_result_t geo_ras_config_exp(struct geo_component *component,
                                              const struct geo_sysman_ras *ras, uint32_t count,
                                              zes_ras_config_exp_t *configs);
GEO_MUST_CHECK ze_result_t geo_ras_set_config_exp(struct geo_component *component,
                                                  const struct geo_sysman_ras *ras, uint32_t count,
                                                  const zes_ras_config_exp_t *configs);

/* ---- for event.c, under the room's lock ---- */

/* All events that come of thresholds. */
zes_event_type_flags_t geo_thresholds_events(void);

/* Which of these events have come of thresholds that the driver compares. */
zes_event_type_flags_t geo_thresholds_compare(struct geo_sysman_root *root,
                                              zes_event_type_flags_t events);
/* Whether there are such thresholds. */
bool geo_thresholds_pending(const struct geo_sysman_root *root, zes_event_type_flags_t events);
/* The backend told of these events. */
void geo_thresholds_happened(struct geo_sysman_root *root, zes_event_type_flags_t events);
/* The process has none any more. */
void geo_thresholds_forget(struct geo_sysman_root *root);

/* A kind of thresholds. */
struct geo_threshold_kind {
    enum geo_sysman_class kind;
    zes_event_type_flags_t events; /* that can come of it */
    zes_event_type_flags_t (*compare)(struct geo_component *component);
    bool (*pending)(const struct geo_component *component); /* compared by the driver */
    void (*happened)(struct geo_component *component, zes_event_type_flags_t events);
};
extern const struct geo_threshold_kind geo_threshold_energy, geo_threshold_temperature,
    geo_threshold_ras;

#endif
