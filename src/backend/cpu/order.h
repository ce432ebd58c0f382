/* The order of a launch's work-groups, which nothing may depend on: GEOID_GROUP_ORDER makes it
 * another one, so that tests can tell. Pieces of neighbouring groups are dealt out anew; with
 * several threads each has pieces from everywhere. */
#ifndef GEO_BACKEND_CPU_ORDER_H
#define GEO_BACKEND_CPU_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct geo_group_order {
    uint64_t groups, piece; /* in all; in a piece, but perhaps the last */
    uint64_t pieces, start, step;
};

/* `number` 1: one by one from the last to the first; above: at random, each in its own way. False:
 * there is nothing to reorder. */
bool geo_group_order_init(struct geo_group_order *order, uint64_t number, uint64_t groups);

/* The groups that come as number `unit` of `pieces`. */
void geo_group_order_piece(const struct geo_group_order *order, uint64_t unit, uint64_t *first,
                           uint64_t *count);

#endif
