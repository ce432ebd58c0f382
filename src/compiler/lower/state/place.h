/* Places objects one after another in a block of memory: arguments, local memory, private
 * variables, saved values. */
#ifndef GEO_COMPILER_LOWER_STATE_PLACE_H
#define GEO_COMPILER_LOWER_STATE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* Largest size of each such block for one kernel, in bytes. It is more than any machine offers, and
 * sums of it do not overflow. */
#define GEO_PLACE_LIMIT (UINT64_C(1) << 30)

/* Places `bytes` bytes at the next multiple of `align` (a power of two) from *total. Stores the
 * start in *offset and the new end in *total. Returns false if the block becomes too large. */
bool geo_place(uint64_t *total, uint64_t bytes, uint64_t align, uint64_t *offset);
/* Rounds up to a multiple of `align`, a power of two. */
uint64_t geo_place_round_up(uint64_t bytes, uint64_t align);

#endif
