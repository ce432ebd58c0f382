/* The variant that runs chunks in tiles (variants.c). */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_TILES_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_TILES_H

#include "compiler/lower/cpu/function/groups.h"

/* Chooses the number of members for the current body, by their cost. Returns false if it runs
 * without tiles. */
bool geo_function_tiles_pay(struct geo_lower_groups *k);
/* Runs the body for all chunks of the current group, with k->resume. */
void geo_function_tiles_run(struct geo_lower_groups *k);

#endif
