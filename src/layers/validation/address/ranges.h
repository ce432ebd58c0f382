/* A map of allocations by address. It finds the allocation that contains an address. Freed
 * allocations stay in the map until their addresses are reused.
 *
 * The map is a balanced tree with READERS locks. A reader takes the lock of its thread, a writer
 * takes all locks, so readers do not share a cache line. */
#ifndef GEO_LAYERS_VALIDATION_RANGES_H
#define GEO_LAYERS_VALIDATION_RANGES_H

#include "layers/validation/validation.h"

struct geo_val_range {
    uintptr_t base;
    size_t size;
    uintptr_t context; /* handle of the context */
    uint16_t releaser; /* function that frees it: enum geo_ddi_function_id */
    uint32_t opened;   /* how many times the driver has returned it */
    bool freed;
    /* Memory of the application that was imported: it remains valid when it is freed. */
    bool foreign;
    bool gone; /* it was freed, and its pages were unmapped */
    struct geo_val_history history;
};

/* Lock and unlock the tree. Also used for data that changes together with it (mappings.h). A reader
 * passes the returned lock to geo_val_ranges_read_end. */
void *geo_val_ranges_read_begin(void);
void geo_val_ranges_read_end(void *reader);
void geo_val_ranges_write_begin(void);
void geo_val_ranges_write_end(void);

/* Copies the range that contains the address. Returns false when no range
 * contains it. */
bool geo_val_range_find(uintptr_t address, struct geo_val_range *range);

/* Adds a range and removes freed ranges that it overlaps. If the range exists, its `opened` count
 * is incremented. */
void geo_val_range_add(const struct geo_val_range *range);

/* Marks the range that starts at the address as freed by the given call. Returns false when no live
 * range starts there. */
bool geo_val_range_free(uintptr_t base, struct geo_val_moment ended);
/* Marks the range as live again, because the driver did not free it. */
void geo_val_range_keep(uintptr_t base);
/* Completes the release after the driver freed the range: records whether its pages were unmapped.
 * With `forget_foreign`, removes imported memory that devices can still access. */
void geo_val_range_settle(uintptr_t base, bool forget_foreign);

/* Returns whether the address of freed memory has certainly not been reused by the application. On
 * devices that access system memory, malloc may have reused it. */
bool geo_val_range_is_empty(uintptr_t address, const struct geo_val_range *freed);

/* Visits the ranges that are not freed. */
void geo_val_ranges_each(void (*visit)(const struct geo_val_range *range));

#endif
