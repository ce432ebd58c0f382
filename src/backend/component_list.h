/* What backends make their components of sysman with: a list of those of a class, looked for when
 * somebody first asks and kept for good, and the clock of counters that have none of their own. */
#ifndef GEO_BACKEND_COMPONENT_LIST_H
#define GEO_BACKEND_COMPONENT_LIST_H

#include "backend/sysman.h"
#include "base/arena.h"

#include <stdatomic.h>
#include <time.h>

/* The components of a class, in memory of their own. */
struct geo_component_list {
    struct geo_arena arena;
    struct geo_sysman *sysman;
    enum geo_sysman_class kind;
    const struct geo_sysman_component **items;
    uint32_t count, capacity;
    void (*finish)(const struct geo_sysman_component *component); /* of each; NULL: nothing to do */
    bool failed;                                                  /* memory ran out */
};

/* Looks for the components of the list's class. False: not all could be seen, now. */
typedef bool (*geo_component_find_fn)(struct geo_component_list *list);

/* The list in `slot`, which is made when there is none; who comes second throws his own away. NULL:
 * there are none, or memory or something else ran out, and the next who asks tries again. (any
 * thread) */
const struct geo_sysman_component *const *
geo_component_list_once(_Atomic(struct geo_component_list *) *slot, struct geo_sysman *sysman,
                        enum geo_sysman_class kind, geo_component_find_fn find, uint32_t *count);
void geo_component_list_destroy(struct geo_component_list *list);

/* ---- while it is made ---- */

/* Zeroed memory that lives as long as the list; NULL: memory ran out, which is noted. */
void *geo_component_memory(struct geo_component_list *list, size_t bytes);

/* A component of `bytes` with its beginning filled, the last of the list; NULL as above. The name
 * is copied. */
void *geo_component_add(struct geo_component_list *list, size_t bytes, int32_t subdevice,
                        void *opaque, const char *name);

/* ---- the clock ---- */

static inline uint64_t geo_sysman_clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

#endif
