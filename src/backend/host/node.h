/* Memory nodes: where the pages of an allocation come from. */
#ifndef GEO_BACKEND_HOST_NODE_H
#define GEO_BACKEND_HOST_NODE_H

#include <stdbool.h>
#include <stdint.h>

/* Pages that are not there yet come from this node, if it has any: a preference, which ends in no
 * signal where the node is full. False when the system knows no such node or lets nobody choose. */
bool geo_node_prefer(void *base, uint64_t bytes, int32_t node);

/* The same, and pages that are there go to it, as far as nobody else has them. */
bool geo_node_move(void *base, uint64_t bytes, int32_t node);

/* Pages that are not there yet come from where they are touched first, as ever. */
bool geo_node_forget(void *base, uint64_t bytes);

#endif
