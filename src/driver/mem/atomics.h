/* What programs say of atomics on memory: attributes of a device for shared allocations, and for
 * ranges of system memory where the device reaches that. Kept and given back; where all memory is
 * coherent, nothing else depends on them. */
#ifndef GEO_DRIVER_MEM_ATOMICS_H
#define GEO_DRIVER_MEM_ATOMICS_H

#include "driver/mem/memory.h"

/* For the allocation, or the range of system memory. INVALID_ARGUMENT for memory that is not
 * shared, for attributes that contradict each other and for atomics that the device has not;
 * INVALID_SIZE for a range beyond the allocation. */
GEO_MUST_CHECK ze_result_t geo_atomics_set(struct geo_context *context, struct geo_device *device,
                                           const void *pointer, uint64_t bytes,
                                           ze_memory_atomic_attr_exp_flags_t attributes);

/* 0: none were set. The same errors. */
GEO_MUST_CHECK ze_result_t geo_atomics_get(struct geo_context *context, struct geo_device *device,
                                           const void *pointer, uint64_t bytes,
                                           ze_memory_atomic_attr_exp_flags_t *attributes);

#endif
