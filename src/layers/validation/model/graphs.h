/* The commands that graphs have recorded. Protected by the lock of the model. */
#ifndef GEO_LAYERS_VALIDATION_GRAPHS_H
#define GEO_LAYERS_VALIDATION_GRAPHS_H

#include "layers/validation/model/record.h"
#include "layers/validation/objects/data.h"

struct geo_val_graph {
    struct geo_val_data data;
    struct geo_val_record record;
};

/* Return the data of a graph that is recorded or of an executable graph, or NULL when nothing is
 * known. */
struct geo_val_graph *geo_val_graph_of(const void *handle);
struct geo_val_graph *geo_val_graphs_executable(const void *handle);

/* Returns whether the list records. Sets *graph to the graph that gets the commands appended to the
 * list, or to NULL when it is unknown. */
bool geo_val_graphs_records(ze_command_list_handle_t list, struct geo_val_graph **graph);

/* Returns the executable graph that a command runs, or NULL when it runs none or nothing is known
 * of it. */
const struct geo_val_graph *geo_val_graph_within(const struct geo_val_command *command);

#endif
