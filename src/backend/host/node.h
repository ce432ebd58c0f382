/* Memory nodes: where the pages of an allocation come from. */
#ifndef GEO_BACKEND_HOST_NODE_H
#define GEO_BACKEND_HOST_NODE_H

#include <stdbool.h>
#include <stdint.h>

/* Pages that are allocated later come from this node. This is a preference: a full node causes no
 * error. Returns false when the node does not exist or the system does not allow the choice. */
bool geo_node_prefer(void *base, uint64_t bytes, int32_t node);

/* As geo_node_prefer, and moves existing pages of this process to the node. */
bool geo_node_move(void *base, uint64_t bytes, int32_t node);

/* Removes the preference: later pages come from the node of the thread that touches them first. */
bool geo_node_forget(void *base, uint64_t bytes);

#endif
