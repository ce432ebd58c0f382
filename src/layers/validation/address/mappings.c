/* Tracks the mappings of physical memory to reserved addresses. See mappings.h. */
#include "layers/validation/address/mappings.h"
#include "layers/validation/address/ranges.h"

#include <stdlib.h>

struct mapping {
    struct mapping *next;
    uintptr_t base, end;
    struct geo_val_owner physical;
};

static struct mapping *mappings; /* sorted by address; they do not overlap */
static atomic_bool any;
static bool incomplete; /* memory ran out, so nothing is known any more */

static void mapping_insert(uintptr_t base, uintptr_t end, const struct geo_val_owner *physical)
{
    struct mapping **place = &mappings, *mapping = malloc(sizeof(*mapping));
    if (!mapping) {
        incomplete = true;
        return;
    }
    while (*place && (*place)->base < base) {
        place = &(*place)->next;
    }
    *mapping = (struct mapping){*place, base, end, *physical};
    *place = mapping;
}

/* Removes the mappings in the range. A mapping that extends beyond it is cut. */
static void range_clear(uintptr_t base, uintptr_t end)
{
    for (struct mapping **place = &mappings; *place;) {
        struct mapping *at = *place;
        if (at->end <= base || at->base >= end) {
            place = &at->next;
            continue;
        }
        *place = at->next;
        if (at->end > end) {
            mapping_insert(end, at->end, &at->physical);
        }
        if (at->base < base) {
            mapping_insert(at->base, base, &at->physical);
        }
        free(at);
        place = &mappings;
    }
}

bool geo_val_mappings_any(void)
{
    return atomic_load_explicit(&any, memory_order_relaxed);
}

void geo_val_mapping_add(uintptr_t base, size_t size, const struct geo_val_owner *physical)
{
    atomic_store_explicit(&any, true, memory_order_relaxed);
    geo_val_ranges_write_begin();
    range_clear(base, base + size);
    mapping_insert(base, base + size, physical);
    geo_val_ranges_write_end();
}

void geo_val_mapping_remove(uintptr_t base, size_t size)
{
    geo_val_ranges_write_begin();
    range_clear(base, base + size);
    geo_val_ranges_write_end();
}

size_t geo_val_mapping_reach(uintptr_t base, size_t size)
{
    uintptr_t reached = base;
    void *const reader = geo_val_ranges_read_begin();
    for (const struct mapping *at = mappings; at && at->base <= reached && reached < base + size;
         at = at->next) {
        if (at->end > reached) {
            reached = at->end;
        }
    }
    if (incomplete) {
        reached = base + size;
    }
    geo_val_ranges_read_end(reader);
    return reached - base < size ? reached - base : size;
}

size_t geo_val_mapping_count(uintptr_t base, size_t size)
{
    size_t count = 0;
    void *const reader = geo_val_ranges_read_begin();
    for (const struct mapping *at = mappings; at; at = at->next) {
        count += at->base < base + size && base < at->end;
    }
    geo_val_ranges_read_end(reader);
    return count;
}

size_t geo_val_mapping_count_of(const struct geo_val_owner *physical)
{
    size_t count = 0;
    void *const reader = geo_val_ranges_read_begin();
    for (const struct mapping *at = mappings; at; at = at->next) {
        count += at->physical.handle == physical->handle && at->physical.life == physical->life;
    }
    geo_val_ranges_read_end(reader);
    return count;
}
