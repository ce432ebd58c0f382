/* The order for low quality. References are sorted along a curve through space, by Morton codes of
 * their centres. So a split is a position in the sorted array and moves nothing.
 *
 * A centre's cell in a grid of cubes gives its code: the interleaved bits of the three coordinates.
 * All threads sort the references by radix sort, beginning with the lowest digit. For each digit,
 * chunks count their digits, the place of each chunk's references is computed from the counts, and
 * the references' codes are moved. At the end the references themselves are moved. A range is split
 * where the highest bit in which its codes differ changes. A range whose codes are all equal is
 * first re-quantised in a grid of its own, by the thread that splits it.
 *
 * Boxes of blocks of 16 consecutive references make it cheap to compute the box of a range. */
#ifndef GEO_RTAS_ORDER_H
#define GEO_RTAS_ORDER_H

#include "rtas/build.h"

/* Prepares the sort of all references in chunks. Returns false if there is nothing to sort. */
bool geo_rtas_order_begin(struct geo_rtas_build *build);

/* The steps for each digit. `count` and `move` are phases, which threads execute chunk by chunk;
 * `choose` is the work of one thread between them. */
void geo_rtas_order_count(struct geo_rtas_build *build, uint32_t chunk);
void geo_rtas_order_choose(struct geo_rtas_build *build);
void geo_rtas_order_move(struct geo_rtas_build *build, uint32_t chunk);
/* Advances to the next digit. Returns false after the last. */
bool geo_rtas_order_next(struct geo_rtas_build *build);

/* geo_rtas_order_gather is the last phase; it copies the references to the other array.
 * geo_rtas_order_end is the work after it. */
void geo_rtas_order_gather(struct geo_rtas_build *build, uint32_t chunk);
void geo_rtas_order_end(struct geo_rtas_build *build);

/* Returns whether the range can be split by its present codes. */
bool geo_rtas_order_is_known(const struct geo_rtas_build *build,
                             const struct geo_rtas_range *range);

/* Splits a range of at least two references. The box of centres is not used, and not set in the
 * halves. */
void geo_rtas_order_cut(const struct geo_rtas_build *build, const struct geo_rtas_range *range,
                        struct geo_rtas_range halves[2]);

#endif
