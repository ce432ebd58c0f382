/* Lists of sysman components, with which backends implement a component class. A list is built at
 * the first query and kept for ever. Also the clock for counters without a time of their own. */
#ifndef GEO_BACKEND_COMPONENT_LIST_H
#define GEO_BACKEND_COMPONENT_LIST_H

#include "backend/sysman.h"
#include "base/arena.h"
#include "base/clock.h"

#include <stdatomic.h>

/* The components of a class, in memory owned by the list. */
struct geo_component_list {
    struct geo_arena arena;
    struct geo_sysman *sysman;
    enum geo_sysman_class kind;
    const struct geo_sysman_component **items;
    uint32_t count, capacity;
    /* Called for each component at the end; NULL: nothing to do. */
    void (*finish)(const struct geo_sysman_component *component);
    bool failed; /* memory ran out */
};

/* Finds the components of the list's class. Returns false when some could not be examined at
 * present. */
typedef bool (*geo_component_find_fn)(struct geo_component_list *list);

/* Returns the list in `slot` and builds it at the first call. If two threads build it at once, one
 * list is discarded. Returns NULL when the list is empty, or when memory or another resource ran
 * out; the next query then tries again. (any thread) */
const struct geo_sysman_component *const *
geo_component_list_once(_Atomic(struct geo_component_list *) *slot, struct geo_sysman *sysman,
                        enum geo_sysman_class kind, geo_component_find_fn find, uint32_t *count);
void geo_component_list_destroy(struct geo_component_list *list);

/* ---- building a list ---- */

/* Returns zeroed memory that lives as long as the list. Returns NULL and sets `failed` when memory
 * ran out. */
void *geo_component_list_memory(struct geo_component_list *list, size_t bytes);

/* Appends a component of `bytes` and fills its common part. The name is copied. Returns NULL and
 * sets `failed` when memory ran out. */
void *geo_component_list_add(struct geo_component_list *list, size_t bytes, int32_t subdevice,
                             void *opaque, const char *name);

/* ---- the clock ---- */

static inline uint64_t geo_backend_clock_us(void)
{
    return geo_clock_ns() / 1000u;
}

#endif
