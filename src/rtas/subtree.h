/* Builds the tree below a node by one thread. Ranges are split until the node has eight children or
 * none can be split. Then each child that is not a leaf becomes a node in the same way. */
#ifndef GEO_RTAS_SUBTREE_H
#define GEO_RTAS_SUBTREE_H

#include "rtas/build.h"

/* A child of a node under construction. */
struct geo_rtas_part {
    struct geo_rtas_range range;
    bool leaf;     /* it is not split further */
    uint32_t top;  /* number of the range in the top; for use by the caller */
    uint32_t node; /* its number, unless it is a leaf; set by geo_rtas_subtree_node_write */
};

/* Returns whether a range is small enough to become a leaf. */
bool geo_rtas_subtree_is_leaf(const struct geo_rtas_build *build,
                              const struct geo_rtas_range *range);

/* Writes a node and the primitives of its leaves, and assigns numbers to the nodes below it. */
void geo_rtas_subtree_node_write(struct geo_rtas_build *build, uint32_t node, uint32_t depth,
                                 struct geo_rtas_part *parts, uint32_t count);

/* Builds a subtree; called for each task of the last phase. */
void geo_rtas_subtree_build(struct geo_rtas_build *build, const struct geo_rtas_task *task);

#endif
