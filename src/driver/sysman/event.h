/* Events of sysman: which of a device the process wants, and threads that wait for them.
 *
 * There is no thread and nothing is polled while nobody listens. Who listens waits for descriptors
 * of the backends, or until an event of which one knows the time, and wakes at times where
 * thresholds are compared by reading (threshold.h) or a backend asks for it.
 *
 *     backend -- take_events --+
 *                              +--> every listener of the device, or `pending` where there is none
 *     thresholds -- compare ---+
 *
 * An event reaches everybody who listens to the device at that moment; with nobody there it is kept
 * for who listens next. A child has no registrations of its parent's. */
#ifndef GEO_DRIVER_SYSMAN_EVENT_H
#define GEO_DRIVER_SYSMAN_EVENT_H

#include "driver/sysman/root.h"

/* What the process wants to be told of the device, in place of what it wanted. 0: nothing; who
 * listens to no other device is released. */
GEO_MUST_CHECK ze_result_t geo_events_register(struct geo_sysman_root *root,
                                               zes_event_type_flags_t events);

/* Waits until there are events of one of the devices, or nothing is wanted of any of them. A device
 * may stand several times. events[i] becomes those of roots[i], *fired how many have some;
 * UINT64_MAX milliseconds: without end. */
GEO_MUST_CHECK ze_result_t geo_events_listen(struct geo_sysman_root *const *roots, uint32_t count,
                                             uint64_t timeout_ms, uint32_t *fired,
                                             zes_event_type_flags_t *events);

/* Tells who wants to know of what this process did to the device. */
void geo_events_post(struct geo_sysman_root *root, zes_event_type_flags_t events);

/* In a child, under the lock. */
void geo_events_forget(struct geo_sysman_root *root);

#endif
