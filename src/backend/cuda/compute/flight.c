/* Batches in flight, in a ring. See flight.h. */
#include "backend/cuda/compute/flight.h"

#include "base/assert.h"

#include <stdlib.h>

#define CAPACITY_LEAST 16u

void geo_compute_flights_finish(struct geo_compute_flights *flights)
{
    free(flights->ring);
}

static struct geo_compute_flight *flight_at(const struct geo_compute_flights *flights,
                                            uint32_t index)
{
    return &flights->ring[(flights->first + index) & (flights->capacity - 1)];
}

bool geo_compute_flights_reserve(struct geo_compute_flights *flights)
{
    if (flights->count < flights->capacity) {
        return true;
    }
    const uint32_t capacity = flights->capacity ? 2 * flights->capacity : CAPACITY_LEAST;
    struct geo_compute_flight *ring = malloc(capacity * sizeof(*ring));
    if (!ring) {
        return false;
    }
    for (uint32_t i = 0; i < flights->count; i++) {
        ring[i] = *flight_at(flights, i);
    }
    free(flights->ring);
    flights->ring = ring;
    flights->capacity = capacity;
    flights->first = 0;
    return true;
}

void geo_compute_flights_add(struct geo_compute_flights *flights,
                             const struct geo_compute_flight *flight)
{
    GEO_ASSERT(flights->count < flights->capacity);
    GEO_ASSERT(flights->count == 0 ||
               flight_at(flights, flights->count - 1)->ticket < flight->ticket);
    *flight_at(flights, flights->count++) = *flight;
}

const struct geo_compute_flight *
geo_compute_flights_first(const struct geo_compute_flights *flights)
{
    return flights->count ? flight_at(flights, 0) : NULL;
}

void geo_compute_flights_drop(struct geo_compute_flights *flights, uint64_t ticket)
{
    while (flights->count && flight_at(flights, 0)->ticket <= ticket) {
        flights->first = (flights->first + 1) & (flights->capacity - 1);
        flights->count--;
    }
}
