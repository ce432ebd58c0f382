/* Placing one thing behind the other: arguments, local memory, private variables, saved values. */
#ifndef GEO_COMPILER_LOWER_STATE_PLACE_H
#define GEO_COMPILER_LOWER_STATE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* What one kernel may have of each: more than any machine gives it, less than overflows. */
#define GEO_PLACE_LIMIT (UINT64_C(1) << 30)

/* The next multiple of `align` (a power of two) from *total is *offset; *total is where it ends.
 * False: too large. */
bool geo_place(uint64_t *total, uint64_t bytes, uint64_t align, uint64_t *offset);
/* To whole units of scratch memory. */
uint64_t geo_place_round_up(uint64_t bytes);

#endif
