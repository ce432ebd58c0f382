/* Implements the placement of objects in a block of memory, with checks for overflow; see
 * place.h. */
#include "compiler/lower/state/place.h"

#include "base/assert.h"

bool geo_place(uint64_t *total, uint64_t bytes, uint64_t align, uint64_t *offset)
{
    uint64_t start;
    GEO_ASSERT(align && (align & (align - 1)) == 0 && *total <= GEO_PLACE_LIMIT);
    if (__builtin_add_overflow(*total, align - 1, &start)) {
        return false;
    }
    start &= ~(align - 1);
    *offset = start;
    return !__builtin_add_overflow(start, bytes, total) && *total <= GEO_PLACE_LIMIT;
}

uint64_t geo_place_round_up(uint64_t bytes, uint64_t align)
{
    GEO_ASSERT(align && (align & (align - 1)) == 0);
    return (bytes + align - 1) & ~(align - 1);
}
