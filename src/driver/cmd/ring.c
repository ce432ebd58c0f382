/* The chunks of memory from which an immediate list submits. See ring.h. */
#include "driver/cmd/ring.h"

#include <stdlib.h>

#define CHUNK_BYTES ((size_t)64 << 10)

static bool chunk_free_now(const struct geo_ring_chunk *chunk, const struct geo_stream *stream)
{
    return stream->ops->finished(stream->backend, chunk->ticket);
}

void *geo_ring_reserve_slow(struct geo_ring *ring, const struct geo_stream *stream, size_t bytes)
{
    struct geo_ring_chunk *current = ring->current;
    struct geo_ring_chunk *next = current ? current->next : NULL;
    if (!next || next->bytes < bytes || !chunk_free_now(next, stream)) {
        size_t room = bytes > CHUNK_BYTES ? (bytes + 63) & ~(size_t)63 : CHUNK_BYTES;
        next = aligned_alloc(64, sizeof(*next) + room);
        if (!next) {
            return NULL;
        }
        next->bytes = room;
        next->ticket = 0;
        next->next = current ? current->next : next;
        if (current) {
            current->next = next;
        }
    }
    GEO_ASSERT(next->bytes >= bytes && next->bytes % 64 == 0 && next->next != NULL);
    ring->current = next;
    ring->used = 0;
    return next->data;
}

void geo_ring_trim(struct geo_ring *ring)
{
    struct geo_ring_chunk *keep = ring->current;
    if (!keep) {
        return;
    }
    for (struct geo_ring_chunk *chunk = keep->next; chunk != keep;) {
        struct geo_ring_chunk *next = chunk->next;
        GEO_ASSERT(next != NULL && next != chunk);
        free(chunk);
        chunk = next;
    }
    keep->next = keep;
}

void geo_ring_finish(struct geo_ring *ring)
{
    geo_ring_trim(ring);
    free(ring->current);
    ring->current = NULL;
    ring->used = 0;
}
