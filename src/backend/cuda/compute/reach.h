/* The ranges of addresses that GPUs reach: what memory.c and streams allocated. Streams ask it
 * whether CUDA can use an address, or whether the host must help. Memory of the application that
 * nobody registered is in no range.
 *
 * There is one set for the process. A child of fork must not use it: another thread of the parent
 * may have held the lock. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_REACH_H
#define GEO_BACKEND_CUDA_COMPUTE_REACH_H

#include <stdbool.h>
#include <stdint.h>

/* Adds a range that overlaps no other. Returns false when memory ran out. */
bool geo_compute_reach_add(const void *base, uint64_t bytes);

/* Removes the range that begins at `base`. */
void geo_compute_reach_remove(const void *base);

/* (any thread) Returns whether GPUs reach the whole range. */
bool geo_compute_reach_has(const void *base, uint64_t bytes);

#endif
