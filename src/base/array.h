/* Growing arrays. A struct holds three fields of any name; the macros grow the array.
 *
 *     struct { struct thing *items; size_t count, capacity; } things;
 *     if (!geo_array_reserve(&things, 1)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
 *     things.items[things.count++] = thing; */
#ifndef GEO_BASE_ARRAY_H
#define GEO_BASE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline bool geo_array_grow(void **items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) {
        return true;
    }
    size_t larger = *capacity ? *capacity : 8;
    while (larger < needed) {
        if (larger > SIZE_MAX / 2) {
            return false;
        }
        larger *= 2;
    }
    size_t bytes;
    if (__builtin_mul_overflow(larger, size, &bytes)) {
        return false;
    }
    void *grown = realloc(*items, bytes);
    if (!grown) {
        return false;
    }
    *items = grown;
    *capacity = larger;
    return true;
}

/* Makes space for `extra` more items. Evaluates to false when memory ran out, and the array is
 * unchanged then. */
#define geo_array_reserve(array, extra)                                                            \
    geo_array_grow((void **)&(array)->items, &(array)->capacity, (array)->count + (extra),         \
                   sizeof(*(array)->items))

#define geo_array_finish(array)                                                                    \
    do {                                                                                           \
        free((array)->items);                                                                      \
        (array)->items = NULL;                                                                     \
        (array)->count = (array)->capacity = 0;                                                    \
    } while (0)

#endif
