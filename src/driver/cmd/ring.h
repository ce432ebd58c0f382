/* Submission memory of an immediate list: batches and records, used again in the order in which
 * they finish. Chunks stand in a circle; the next one is taken over when its last submission is
 * done, else a new chunk is put in. In the steady state nothing is allocated. Not thread-safe. */
#ifndef GEO_DRIVER_CMD_RING_H
#define GEO_DRIVER_CMD_RING_H

#include "driver/core/stream.h"

struct geo_ring_chunk;

struct geo_ring {
    struct geo_ring_chunk *current;
    size_t used; /* bytes of the current chunk */
};

/* Room for `bytes`, 64-byte aligned; NULL without memory. It becomes taken by geo_ring_take. */
void *geo_ring_reserve_slow(struct geo_ring *ring, const struct geo_stream *stream, size_t bytes);

struct geo_ring_chunk {
    struct geo_ring_chunk *next; /* the circle */
    size_t bytes;
    uint64_t ticket; /* of the last submission in it */
    _Alignas(64) uint8_t data[];
};

static inline void *geo_ring_reserve(struct geo_ring *ring, const struct geo_stream *stream,
                                     size_t bytes)
{
    if (__builtin_expect(ring->current && ring->used + bytes <= ring->current->bytes, 1)) {
        return ring->current->data + ring->used;
    }
    return geo_ring_reserve_slow(ring, stream, bytes);
}

/* What was reserved last is part of the submission with this ticket. */
static inline void geo_ring_take(struct geo_ring *ring, size_t bytes, uint64_t ticket)
{
    ring->used += (bytes + 63) & ~(size_t)63;
    ring->current->ticket = ticket;
}

/* Frees all but one chunk; everything submitted must be done. */
void geo_ring_trim(struct geo_ring *ring);
void geo_ring_finish(struct geo_ring *ring);

#endif
