/* Events of sysman: registrations per device, and threads that listen.
 *
 * Events have no thread of their own, and nothing is polled while no thread listens. A listener
 * waits for descriptors of the backends, or until the time of a predicted event. It also wakes up
 * periodically if thresholds have to be compared by readings (threshold.h) or if a backend requests
 * it.
 *
 *     backend -- take_events --+
 *                              +--> every listener of the device, or `pending` without listeners
 *     thresholds -- compare ---+
 *
 * An event reaches all threads that listen to the device at that moment. Without listeners it is
 * stored for the next one. A child has none of its parent's registrations. */
#ifndef GEO_DRIVER_SYSMAN_EVENT_H
#define GEO_DRIVER_SYSMAN_EVENT_H

#include "driver/sysman/root.h"

/* Replaces the set of events of the device that the process wants. With 0, listeners that listen to
 * no other device return. */
GEO_MUST_CHECK ze_result_t geo_events_register(struct geo_sysman_root *root,
                                               zes_event_type_flags_t events);

/* Waits until one of the devices has events, or no events of any of them are wanted. A device may
 * appear several times. events[i] becomes the events of roots[i], *fired the number of devices with
 * events. A timeout of UINT64_MAX milliseconds means no limit. */
GEO_MUST_CHECK ze_result_t geo_events_listen(struct geo_sysman_root *const *roots, uint32_t count,
                                             uint64_t timeout_ms, uint32_t *fired,
                                             zes_event_type_flags_t *events);

/* Reports events that this process caused. */
void geo_events_post(struct geo_sysman_root *root, zes_event_type_flags_t events);

/* Forgets registrations in a child; under the lock. */
void geo_events_forget(struct geo_sysman_root *root);

#endif
