/* Rings of records. See ring.h. */
#include "backend/cpu/metric/ring.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

bool geo_cpu_metric_ring_init(struct geo_cpu_metric_ring *ring, size_t bytes, uint32_t capacity)
{
    GEO_ASSERT(bytes != 0 && capacity != 0);
    *ring = (struct geo_cpu_metric_ring){.bytes = bytes, .capacity = capacity};
    ring->records = calloc(capacity, bytes);
    return ring->records != NULL;
}

void geo_cpu_metric_ring_finish(struct geo_cpu_metric_ring *ring)
{
    free(ring->records);
    ring->records = NULL;
}

static uint8_t *record_at(const struct geo_cpu_metric_ring *ring, uint32_t index)
{
    GEO_ASSERT(index < ring->capacity && ring->first < ring->capacity);
    const size_t at = ((size_t)ring->first + index) % ring->capacity;
    return ring->records + at * ring->bytes;
}

void *geo_cpu_metric_ring_add(struct geo_cpu_metric_ring *ring)
{
    return ring->used == ring->capacity ? NULL : record_at(ring, ring->used++);
}

uint32_t geo_cpu_metric_ring_take(struct geo_cpu_metric_ring *ring, uint32_t count, uint8_t *data)
{
    count = count < ring->used ? count : ring->used;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(data + i * ring->bytes, record_at(ring, i), ring->bytes);
    }
    ring->first = (uint32_t)(((size_t)ring->first + count) % ring->capacity);
    ring->used -= count;
    return count;
}
