/* Threads of a device as the API numbers them: {slice, sub-slice, EU, thread}, and a plain number
 * below their product. A thread is a worker, so its preferred number is that of the worker's core
 * in the device. */
#ifndef GEO_BACKEND_CPU_DEBUG_PLACE_H
#define GEO_BACKEND_CPU_DEBUG_PLACE_H

#include "backend/host/device.h"

#include <level_zero/zet_api.h>

#define GEO_CPU_DEBUG_NOWHERE UINT32_MAX

/* Returns the number of threads of a device. */
uint32_t geo_cpu_debug_place_count(const struct geo_backend_device *device);

/* Converts between the two. A thread that the device lacks, or one that stands for several, has the
 * number GEO_CPU_DEBUG_NOWHERE. */
uint32_t geo_cpu_debug_place_number(const struct geo_backend_device *device,
                                    const ze_device_thread_t *thread);
ze_device_thread_t geo_cpu_debug_place_thread(const struct geo_backend_device *device,
                                              uint32_t number);

/* Returns whether each field is below the device's count or has all bits set, which stands for all
 * values. */
bool geo_cpu_debug_place_is_valid(const struct geo_backend_device *device,
                                  const ze_device_thread_t *threads);
/* Returns whether a thread is one of `threads`. */
bool geo_cpu_debug_place_matches(const struct geo_backend_device *device,
                                 const ze_device_thread_t *threads, uint32_t number);
/* Returns whether `threads` has all bits of all fields set. */
bool geo_cpu_debug_place_is_all(const ze_device_thread_t *threads);

/* Returns the preferred number of the worker of a place (crew.h), or GEO_CPU_DEBUG_NOWHERE.
 * [part, part_end) are the device's sub-devices. */
uint32_t geo_cpu_debug_place_of(const struct geo_backend_device *device,
                                const struct geo_backend_device *part,
                                const struct geo_backend_device *part_end, int32_t place);

#endif
