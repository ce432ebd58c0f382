/* The order of a launch's work-groups. Programs must not depend on it, and GEOID_GROUP_ORDER
 * changes it to test that. Groups are reordered in pieces of neighbouring groups, so that each
 * thread gets pieces from everywhere. */
#ifndef GEO_BACKEND_CPU_ORDER_H
#define GEO_BACKEND_CPU_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct geo_group_order {
    uint64_t groups, piece; /* total number; groups per piece, except possibly the last */
    uint64_t pieces, start, step;
};

/* Initialises an order. `number` 1: descending; larger: a random order selected by the number.
 * Returns false when there is nothing to reorder. */
bool geo_group_order_init(struct geo_group_order *order, uint64_t number, uint64_t groups);

/* Returns the groups that run at position `unit` of `pieces`. */
void geo_group_order_piece(const struct geo_group_order *order, uint64_t unit, uint64_t *first,
                           uint64_t *count);

#endif
