/* Placing one thing behind the other: arguments, local memory, private variables, saved values. */
#ifndef GEO_COMPILER_LOWER_STATE_PLACE_H
#define GEO_COMPILER_LOWER_STATE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* The next multiple of `align` (a power of two) from *total is *offset; *total is where it ends.
 * False: too large. */
bool geo_place(uint64_t *total, uint64_t bytes, uint64_t align, uint64_t *offset);
/* To whole units of scratch memory. */
uint64_t geo_place_round_up(uint64_t bytes);

#endif
