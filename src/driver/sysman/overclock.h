/* Overclocking by domains, controls and voltage-frequency curves. */
#ifndef GEO_DRIVER_SYSMAN_OVERCLOCK_H
#define GEO_DRIVER_SYSMAN_OVERCLOCK_H

#include "driver/sysman/component.h"

/* Returns the domains of a device, as bits. */
GEO_MUST_CHECK ze_result_t geo_overclock_domains(struct geo_sysman_root *root, uint32_t *domains);
/* Returns the controls of a domain, as bits. UNSUPPORTED_FEATURE if the device lacks the domain. */
GEO_MUST_CHECK ze_result_t geo_overclock_controls(struct geo_sysman_root *root,
                                                  zes_overclock_domain_t domain,
                                                  uint32_t *controls);

/* Returns the description of a control. UNSUPPORTED_FEATURE if the domain lacks the control. */
GEO_MUST_CHECK ze_result_t geo_overclock_find(const struct geo_sysman_overclock *domain,
                                              zes_overclock_control_t control,
                                              const struct geo_sysman_control **out);
GEO_MUST_CHECK ze_result_t geo_overclock_read(const struct geo_sysman_overclock *domain,
                                              zes_overclock_control_t control,
                                              struct geo_sysman_control_value *out);
/* Sets a control. Returns INVALID_ARGUMENT for a value outside the control's range. */
GEO_MUST_CHECK ze_result_t geo_overclock_set(const struct geo_sysman_overclock *domain,
                                             zes_overclock_control_t control, double value,
                                             zes_pending_action_t *action);

/* Checks the index of a point. Returns UNSUPPORTED_FEATURE if the domain has no curve,
 * INVALID_ARGUMENT if the curve has no such point. */
GEO_MUST_CHECK ze_result_t geo_overclock_check_point(const struct geo_sysman_overclock *domain,
                                                     uint32_t index);
/* Sets one coordinate of a point, in MHz or mV. Also returns UNSUPPORTED_FEATURE for a coordinate
 * that is fixed, INVALID_ARGUMENT for a value that the curve cannot have. */
GEO_MUST_CHECK ze_result_t geo_overclock_set_point(const struct geo_sysman_overclock *domain,
                                                   zes_vf_type_t side, uint32_t index,
                                                   uint32_t value);

#endif
