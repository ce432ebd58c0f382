/* Ranges that GPUs reach, sorted by address. See reach.h. */
#include "backend/cuda/compute/reach.h"

#include "base/assert.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct range {
    uintptr_t base, end;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct range *ranges;
static size_t count, capacity;

/* (lock held) Returns the number of ranges that begin at or before an address. */
static size_t ranges_before(uintptr_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* (lock held) Makes room for one more range. */
static bool ranges_grow(void)
{
    if (count < capacity) {
        return true;
    }
    const size_t more = capacity ? 2 * capacity : 16;
    struct range *larger = realloc(ranges, more * sizeof(*larger));
    if (larger) {
        ranges = larger;
        capacity = more;
    }
    return larger != NULL;
}

bool geo_compute_reach_add(const void *base, uint64_t bytes)
{
    const uintptr_t begin = (uintptr_t)base;
    pthread_rwlock_wrlock(&lock);
    const bool room = ranges_grow();
    if (room) {
        const size_t at = ranges_before(begin);
        GEO_ASSERT(at == 0 || ranges[at - 1].end <= begin);
        memmove(&ranges[at + 1], &ranges[at], (count - at) * sizeof(*ranges));
        ranges[at] = (struct range){begin, begin + bytes};
        count++;
    }
    pthread_rwlock_unlock(&lock);
    return room;
}

/* The last removal frees the array, so that nothing is left when the backend closes. */
void geo_compute_reach_remove(const void *base)
{
    pthread_rwlock_wrlock(&lock);
    const size_t after = ranges_before((uintptr_t)base);
    GEO_ASSERT(after != 0 && ranges[after - 1].base == (uintptr_t)base);
    memmove(&ranges[after - 1], &ranges[after], (count - after) * sizeof(*ranges));
    if (--count == 0) {
        free(ranges);
        ranges = NULL;
        capacity = 0;
    }
    pthread_rwlock_unlock(&lock);
}

bool geo_compute_reach_has(const void *base, uint64_t bytes)
{
    const uintptr_t begin = (uintptr_t)base;
    pthread_rwlock_rdlock(&lock);
    const size_t at = ranges_before(begin);
    const bool inside =
        at != 0 && begin < ranges[at - 1].end && bytes <= ranges[at - 1].end - begin;
    pthread_rwlock_unlock(&lock);
    return inside;
}
