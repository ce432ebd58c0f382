/* Allocations by address: which one an address lies in, also of those that have been freed, as
 * long as nothing else has taken their place.
 *
 * A balanced tree behind a lock that readers share without touching one word: there are as many
 * locks as READERS, a reader takes that of its thread, a writer all. */
#ifndef GEO_LAYERS_VALIDATION_RANGES_H
#define GEO_LAYERS_VALIDATION_RANGES_H

#include "layers/validation/validation.h"

struct geo_val_range {
    uintptr_t base;
    size_t size;
    uintptr_t context; /* handle */
    uint16_t releaser; /* the function that gives it back: enum geo_ddi_function_id */
    uint32_t opened;   /* how often the driver has given it out */
    bool freed;
    bool foreign; /* memory of the application under another name: it stays when it is freed */
    bool gone;    /* freed, and its pages were no longer there afterwards */
    struct geo_val_history history;
};

/* The locks of the tree, for what changes together with it (mappings.h): a reader's is that of the
 * thread. */
void *geo_val_ranges_read_begin(void);
void geo_val_ranges_read_end(void *reader);
void geo_val_ranges_write_begin(void);
void geo_val_ranges_write_end(void);

/* The one that the address lies in; false: none. */
bool geo_val_range_find(uintptr_t address, struct geo_val_range *range);

/* A new one, in place of freed ones that it overlaps; once more when it is there already. */
void geo_val_range_add(const struct geo_val_range *range);

/* Marks the one that begins there as freed, with the call; false: there is none that lives. */
bool geo_val_range_free(uintptr_t base, struct geo_val_moment ended);
/* The driver kept it. */
void geo_val_range_keep(uintptr_t base);
/* The driver has freed it: notes whether its pages are gone, and forgets memory of the application
 * that devices still see. */
void geo_val_range_settle(uintptr_t base, bool forget_foreign);

/* Returns whether the address of freed memory is certainly not the application's own by now: where
 * devices see system memory, malloc may have put something there. */
bool geo_val_range_is_empty(uintptr_t address, const struct geo_val_range *freed);

/* Visits those that have not been freed. */
void geo_val_ranges_each(void (*visit)(const struct geo_val_range *range));

#endif
