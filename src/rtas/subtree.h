/* The tree below a node, built by one thread: ranges are cut until a node has eight children or
 * nothing is left to cut, then each child that is no leaf becomes a node in the same way. */
#ifndef GEO_RTAS_SUBTREE_H
#define GEO_RTAS_SUBTREE_H

#include "rtas/build.h"

/* A child of a node that is being made. */
struct geo_rtas_part {
    struct geo_rtas_range range;
    bool leaf;     /* it is not cut */
    uint32_t top;  /* the range of the top that it is; what the caller keeps there */
    uint32_t node; /* its number, when it is not a leaf; filled by geo_rtas_node_write */
};

/* Whether a range is so small that it becomes a leaf. */
bool geo_rtas_range_is_leaf(const struct geo_rtas_build *build, const struct geo_rtas_range *range);

/* Writes a node and the primitives of its leaves; gives numbers to the nodes below it. */
void geo_rtas_node_write(struct geo_rtas_build *build, uint32_t node, uint32_t depth,
                         struct geo_rtas_part *parts, uint32_t count);

/* (a chunk of the last phase) */
void geo_rtas_subtree_build(struct geo_rtas_build *build, const struct geo_rtas_task *task);

#endif
