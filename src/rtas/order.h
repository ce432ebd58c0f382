/* The order of low quality: references lie along a curve through space, by Morton codes of their
 * centres, so that a cut is between two of them and moves nothing.
 *
 * The centre's cell in a grid of cubes gives the code: the bits of its three numbers in turn. All
 * threads sort references by it, a digit at a time from the lowest: chunks count their digits, then
 * it is known where each chunk's references of each digit go, then they are moved; last, the
 * references themselves are put in order. A range is cut where the highest bit changes in which its
 * codes differ. One whose codes are all the same gets a grid of its own first, from the thread that
 * cuts it.
 *
 * Boxes of 16 references each (blocks), in the same order, make measuring a range cheap. */
#ifndef GEO_RTAS_ORDER_H
#define GEO_RTAS_ORDER_H

#include "rtas/build.h"

/* All of the build in chunks; false when there is nothing to be put in order. */
bool geo_rtas_order_begin(struct geo_rtas_build *build);

/* For each digit: a phase, what is between them, and another phase. */
void geo_rtas_order_count(struct geo_rtas_build *build, uint32_t chunk);
void geo_rtas_order_choose(struct geo_rtas_build *build);
void geo_rtas_order_move(struct geo_rtas_build *build, uint32_t chunk);
/* Whether there is another digit. */
bool geo_rtas_order_next(struct geo_rtas_build *build);

/* The last phase, and what comes after it: all references are in the other array. */
void geo_rtas_order_gather(struct geo_rtas_build *build, uint32_t chunk);
void geo_rtas_order_end(struct geo_rtas_build *build);

/* Whether a cut needs no grid of its own. */
bool geo_rtas_order_is_known(const struct geo_rtas_build *build,
                             const struct geo_rtas_range *range);

/* Cuts a range of two references at least; its centres are not used, those of halves not set. */
void geo_rtas_order_cut(const struct geo_rtas_build *build, const struct geo_rtas_range *range,
                        struct geo_rtas_range halves[2]);

#endif
