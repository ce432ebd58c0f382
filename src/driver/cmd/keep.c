/* The set of objects that a command list keeps alive for its records. See keep.h. */
#include "driver/cmd/keep.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 16u

static uint32_t place_of(const struct geo_keep *keep, const struct geo_object *object)
{
    GEO_ASSERT(keep->capacity != 0 && (keep->capacity & (keep->capacity - 1)) == 0);
    uint64_t hash = (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t place = (uint32_t)(hash >> 32) & (keep->capacity - 1);
    while (keep->slots[place] && keep->slots[place] != object) {
        place = (place + 1) & (keep->capacity - 1);
    }
    return place;
}

static bool keep_grow(struct geo_keep *keep)
{
    struct geo_keep larger = {.capacity = keep->capacity ? keep->capacity * 2 : CAPACITY_MIN};
    larger.slots = calloc(larger.capacity, sizeof(struct geo_object *));
    if (!larger.slots) {
        return false;
    }
    for (uint32_t i = 0; i < keep->capacity; i++) {
        if (keep->slots[i]) {
            larger.slots[place_of(&larger, keep->slots[i])] = keep->slots[i];
        }
    }
    struct geo_object **old = keep->slots;
    keep->slots = larger.slots;
    keep->capacity = larger.capacity;
    free(old); /* last, so that a child forked here has the larger table */
    return true;
}

ze_result_t geo_keep_add_slow(struct geo_keep *keep, struct geo_object *object)
{
    if (keep->count * 2 >= keep->capacity && !keep_grow(keep)) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a command list");
    }
    uint32_t place = place_of(keep, object);
    GEO_ASSERT(geo_keep_is_valid(keep));
    if (!keep->slots[place]) {
        geo_object_ref(object);
        keep->slots[place] = object;
        keep->count++;
    }
    keep->last = object;
    GEO_ASSERT(geo_keep_is_valid(keep));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_keep_add_all(struct geo_keep *keep, const struct geo_keep *from)
{
    for (uint32_t i = 0; i < from->capacity; i++) {
        if (from->slots[i]) {
            GEO_CHECK(geo_keep_add(keep, from->slots[i]));
        }
    }
    return ZE_RESULT_SUCCESS;
}

void geo_keep_clear(struct geo_keep *keep)
{
    struct geo_keep old = *keep;
    GEO_ASSERT(geo_keep_is_valid(keep));
    /* first, because releasing the last reference may come back here */
    memset(keep, 0, sizeof(*keep));
    for (uint32_t i = 0; i < old.capacity; i++) {
        geo_object_unref(old.slots[i]);
    }
    free(old.slots);
}
