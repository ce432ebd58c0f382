/* Submission memory of an immediate list: batches and records, reused in the order in which they
 * finish. Chunks form a circle. The next one is reused if its last submission is complete;
 * otherwise a new chunk is inserted. So a list in steady use allocates nothing. Not thread-safe. */
#ifndef GEO_DRIVER_CMD_RING_H
#define GEO_DRIVER_CMD_RING_H

#include "base/assert.h"
#include "driver/core/stream.h"

struct geo_ring_chunk;

/* The circle of chunks; part of a list or of a branch of an executable graph. */
struct geo_ring {
    struct geo_ring_chunk *current;
    size_t used; /* bytes of the current chunk */
};

/* Returns space for `bytes`, 64-byte aligned, or NULL if memory is short. geo_ring_take marks it as
 * used. */
void *geo_ring_reserve_slow(struct geo_ring *ring, const struct geo_stream *stream, size_t bytes);

/* A chunk of the ring; owned by it. */
struct geo_ring_chunk {
    struct geo_ring_chunk *next; /* in the circle */
    size_t bytes;
    uint64_t ticket; /* of the last submission that uses it */
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

/* Marks the last reserved bytes as used by the submission with this ticket. */
static inline void geo_ring_take(struct geo_ring *ring, size_t bytes, uint64_t ticket)
{
    ring->used += (bytes + 63) & ~(size_t)63;
    GEO_ASSERT(ring->used <= ring->current->bytes && ring->used % 64 == 0);
    ring->current->ticket = ticket;
}

/* Frees all chunks but one. All submissions must be complete. */
void geo_ring_trim(struct geo_ring *ring);
void geo_ring_finish(struct geo_ring *ring);

#endif
