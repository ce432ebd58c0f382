/* A ring of records of equal size, in one block of memory. The owner's lock protects it. */
#ifndef GEO_BACKEND_CPU_METRIC_RING_H
#define GEO_BACKEND_CPU_METRIC_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geo_cpu_metric_ring {
    uint8_t *records; /* [capacity * bytes], owned */
    size_t bytes;     /* of a record */
    uint32_t capacity, first, used;
};

/* Makes an empty ring. Returns false if memory is short. */
bool geo_cpu_metric_ring_init(struct geo_cpu_metric_ring *ring, size_t bytes, uint32_t capacity);
void geo_cpu_metric_ring_finish(struct geo_cpu_metric_ring *ring);

/* Returns the place of a new record, to be written before the next call. NULL if the ring is
 * full. */
void *geo_cpu_metric_ring_add(struct geo_cpu_metric_ring *ring);
/* Moves up to `count` of the oldest records to `data`, and returns how many. */
uint32_t geo_cpu_metric_ring_take(struct geo_cpu_metric_ring *ring, uint32_t count, uint8_t *data);

#endif
