/* What graphs have recorded. Under the lock of the model. */
#ifndef GEO_LAYERS_VALIDATION_GRAPHS_H
#define GEO_LAYERS_VALIDATION_GRAPHS_H

#include "layers/validation/data.h"
#include "layers/validation/record.h"

struct geo_val_graph {
    struct geo_val_data data;
    struct geo_val_record record;
};

/* Of a graph that is being recorded, or of one that can be run; NULL: nothing is known. */
struct geo_val_graph *geo_val_graph_of(const void *handle);
struct geo_val_graph *geo_val_executable_of(const void *handle);

/* Returns where commands that are appended to the list go instead, in *graph: NULL when it is not
 * known. False: the list does not record. */
bool geo_val_list_records(ze_command_list_handle_t list, struct geo_val_graph **graph);

/* Returns the graph that a command brings along, NULL: none, or nothing is known of it. */
const struct geo_val_graph *geo_val_graph_within(const struct geo_val_command *command);

#endif
