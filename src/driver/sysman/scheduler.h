/* Schedulers: modes by which processes share the device. */
#ifndef GEO_DRIVER_SYSMAN_SCHEDULER_H
#define GEO_DRIVER_SYSMAN_SCHEDULER_H

#include "driver/sysman/component.h"

/* Returns the settings of a mode, present or default. UNSUPPORTED_FEATURE if the scheduler lacks
 * the mode. */
GEO_MUST_CHECK ze_result_t geo_scheduler_read(const struct geo_sysman_scheduler *scheduler,
                                              zes_sched_mode_t mode, bool defaults,
                                              struct geo_sysman_schedule *out);

/* Sets the mode and its settings; settings of other modes stay. *reload: the driver has to be
 * reloaded before it takes effect. */
GEO_MUST_CHECK ze_result_t geo_scheduler_set(const struct geo_sysman_scheduler *scheduler,
                                             const struct geo_sysman_schedule *wanted,
                                             ze_bool_t *reload);

#endif
