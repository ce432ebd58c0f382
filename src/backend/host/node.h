/* Memory nodes: where the pages of an allocation come from. */
#ifndef GEO_BACKEND_HOST_NODE_H
#define GEO_BACKEND_HOST_NODE_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the system take pages that are allocated later from this node. This is a preference: a full
 * node causes no error. Returns false when the node does not exist or the system does not allow the
 * choice. */
bool geo_node_prefer(void *base, uint64_t bytes, int32_t node);

/* Does what geo_node_prefer does, and also moves the range's existing pages of this process to the
 * node. */
bool geo_node_move(void *base, uint64_t bytes, int32_t node);

/* Removes the preference: later pages come from the node of the thread that touches them first. */
bool geo_node_forget(void *base, uint64_t bytes);

#endif
