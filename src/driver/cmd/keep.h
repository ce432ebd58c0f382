/* The set of objects that recorded commands need, such as modules and event pools. It has one
 * reference per object. They are released when the list is reset or destroyed, or when an immediate
 * list is idle. */
#ifndef GEO_DRIVER_CMD_KEEP_H
#define GEO_DRIVER_CMD_KEEP_H

#include "base/assert.h"
#include "driver/core/object.h"

struct geo_keep {
    struct geo_object **slots; /* hash table with open addressing; NULL: free */
    uint32_t count, capacity;  /* a power of two, or 0 */
    struct geo_object *last;   /* the object added last, which is usually added again next */
};

/* Returns whether the fields of the set agree: the table is never more than half full, so a search
 * ends. For assertions. */
static inline bool geo_keep_is_valid(const struct geo_keep *keep)
{
    return (keep->capacity & (keep->capacity - 1)) == 0 && keep->count * 2 <= keep->capacity &&
           (keep->slots != NULL) == (keep->capacity != 0) && (keep->count != 0 || !keep->last);
}

/* Adds an object; use geo_keep_add. Returns OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_keep_add_slow(struct geo_keep *keep, struct geo_object *object);

GEO_MUST_CHECK static inline ze_result_t geo_keep_add(struct geo_keep *keep,
                                                      struct geo_object *object)
{
    return keep->last == object ? ZE_RESULT_SUCCESS : geo_keep_add_slow(keep, object);
}

/* Adds all objects of another set. */
GEO_MUST_CHECK ze_result_t geo_keep_add_all(struct geo_keep *keep, const struct geo_keep *from);

/* Releases all references; the set can be used again. */
void geo_keep_clear(struct geo_keep *keep);

#endif
