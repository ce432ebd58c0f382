/* Physical memory behind reserved addresses: which parts of a reservation have memory. Under the
 * locks of the ranges (ranges.h). */
#ifndef GEO_LAYERS_VALIDATION_MAPPINGS_H
#define GEO_LAYERS_VALIDATION_MAPPINGS_H

#include "layers/validation/validation.h"

/* The physical memory: its handle, and which life of that. */
struct geo_val_owner {
    const void *handle;
    uint64_t life;
};

/* Memory is there from `base` on. */
void geo_val_mapping_add(uintptr_t base, size_t size, const struct geo_val_owner *physical);

/* Whether there ever was a mapping. */
bool geo_val_mappings_any(void);

/* It is there no longer. */
void geo_val_mapping_remove(uintptr_t base, size_t size);

/* Returns how many of the bytes from `base` on have memory before the first that has none. */
size_t geo_val_mapping_reach(uintptr_t base, size_t size);

/* Returns how many mappings lie in the range, or show the physical memory. */
size_t geo_val_mapping_count(uintptr_t base, size_t size);
size_t geo_val_mapping_count_of(const struct geo_val_owner *physical);

#endif
