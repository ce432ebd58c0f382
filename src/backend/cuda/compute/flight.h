/* The batches that a stream has in flight, in their order. A batch belongs to its submitter again
 * when it is finished. So it is only looked at while its ticket is above those that the GPU has
 * finished. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_FLIGHT_H
#define GEO_BACKEND_CUDA_COMPUTE_FLIGHT_H

#include "backend/command.h"

struct geo_compute_flight {
    uint64_t ticket;
    const struct geo_batch *batch;
    struct geo_event_ref done; /* its fence */
    uint16_t operation;        /* of its first record */
};

/* A queue; zeroed, it is empty. */
struct geo_compute_flights {
    struct geo_compute_flight *ring; /* owned; its size is a power of two */
    uint32_t capacity, first, count;
};

void geo_compute_flights_finish(struct geo_compute_flights *flights);

/* Makes room for one more batch. Returns false when memory ran out. */
bool geo_compute_flights_reserve(struct geo_compute_flights *flights);

/* Appends a batch, for which there is room. Tickets rise. */
void geo_compute_flights_add(struct geo_compute_flights *flights,
                             const struct geo_compute_flight *flight);

/* Returns the oldest batch, or NULL. */
const struct geo_compute_flight *
geo_compute_flights_first(const struct geo_compute_flights *flights);

/* Drops all batches up to a ticket. */
void geo_compute_flights_drop(struct geo_compute_flights *flights, uint64_t ticket);

#endif
