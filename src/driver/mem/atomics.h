/* Stores what programs declare about atomic operations on memory: attributes per device for shared
 * allocations, and for ranges of system memory if the device can access it. They are only returned
 * to the program: where all memory is coherent, nothing else depends on them. */
#ifndef GEO_DRIVER_MEM_ATOMICS_H
#define GEO_DRIVER_MEM_ATOMICS_H

#include "driver/mem/memory.h"

/* Sets the attributes of an allocation or of a range of system memory. Returns INVALID_ARGUMENT for
 * memory that is not shared, for contradictory attributes, and for atomics that the device does not
 * support. Returns INVALID_SIZE for a range beyond the allocation. */
GEO_MUST_CHECK ze_result_t geo_atomics_set(struct geo_context *context, struct geo_device *device,
                                           const void *pointer, uint64_t bytes,
                                           ze_memory_atomic_attr_exp_flags_t attributes);

/* Returns the attributes; 0 if none were set. Same errors. */
GEO_MUST_CHECK ze_result_t geo_atomics_get(struct geo_context *context, struct geo_device *device,
                                           const void *pointer, uint64_t bytes,
                                           ze_memory_atomic_attr_exp_flags_t *attributes);

#endif
