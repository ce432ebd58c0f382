/* The mappings of physical memory: which parts of an address reservation have memory. Protected by
 * the locks of the ranges (ranges.h). */
#ifndef GEO_LAYERS_VALIDATION_MAPPINGS_H
#define GEO_LAYERS_VALIDATION_MAPPINGS_H

#include "layers/validation/validation.h"

/* Physical memory, identified by its handle and the number of its lifetime. */
struct geo_val_owner {
    const void *handle;
    uint64_t life;
};

/* Adds a mapping of `size` bytes at `base`. */
void geo_val_mapping_add(uintptr_t base, size_t size, const struct geo_val_owner *physical);

/* Returns whether there was ever a mapping. */
bool geo_val_mappings_any(void);

/* Removes the mappings in the range. */
void geo_val_mapping_remove(uintptr_t base, size_t size);

/* Returns the number of bytes from `base` to the first byte without memory, at most `size`. */
size_t geo_val_mapping_reach(uintptr_t base, size_t size);

/* Return the number of mappings in a range, or of a physical memory. */
size_t geo_val_mapping_count(uintptr_t base, size_t size);
size_t geo_val_mapping_count_of(const struct geo_val_owner *physical);

#endif
