/* Waiting for a word that a GPU writes: spins, then sleeps for growing times. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_POLL_H
#define GEO_BACKEND_CUDA_COMPUTE_POLL_H

#include <stdbool.h>
#include <stdint.h>

struct geo_compute_poll {
    uint64_t start_ns, timeout_ns; /* UINT64_MAX: for ever */
    uint64_t nap_ns;               /* 0: still spinning */
};

struct geo_compute_poll geo_compute_poll_begin(uint64_t timeout_ns);

/* Pauses between two looks at the word. Returns false, without a pause, if the time is over. Sets
 * `*check` when it is time to look for errors: before each sleep. */
bool geo_compute_poll_pause(struct geo_compute_poll *poll, bool *check);

#endif
