/* Rules of append functions, which are too many for individual rows (uses.h). */
#ifndef GEO_LAYERS_VALIDATION_LISTS_H
#define GEO_LAYERS_VALIDATION_LISTS_H

#include "layers/validation/model/model.h"
#include "layers/validation/objects/rules.h"

extern const struct geo_val_rule geo_val_append_rule, geo_val_nested_rule,
    geo_val_graph_append_rule;

/* Refuses a call that resets or changes a list, its first argument, while the list is executed. */
ze_result_t geo_val_list_idle_check(const struct geo_layer_call *call);

#endif
