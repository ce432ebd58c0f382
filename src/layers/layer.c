/* Wraps tables, and passes a call through the parts of the layer. See layer.h. */
#include "layers/layer.h"

#include <string.h>

static bool part_wants(const struct geo_layer_part *part, const struct geo_ddi_function *function)
{
    return part->wants == NULL || part->wants(function);
}

/* Returns whether the function needs a thunk. Parts that are not dormant watch it from now on. */
static bool function_wanted(enum geo_ddi_function_id id)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[id];
    bool wanted = false;
    for (size_t i = 0; geo_layer_parts[i] != NULL; i++) {
        if (part_wants(geo_layer_parts[i], function)) {
            wanted = true;
            if (!geo_layer_parts[i]->dormant) {
                geo_layer_watch((unsigned)i, id, true);
            }
        }
    }
    return wanted;
}

/* Returns a part's own implementation of the function, or NULL. */
static geo_layer_fn function_replaced(enum geo_ddi_function_id id)
{
    geo_layer_fn own = NULL;
    for (size_t i = 0; geo_layer_parts[i] != NULL && own == NULL; i++) {
        if (geo_layer_parts[i]->replaces) {
            own = geo_layer_parts[i]->replaces(id);
        }
    }
    return own;
}

ze_result_t geo_layer_wrap(enum geo_ddi_table_id id, ze_api_version_t version, void *table)
{
    const struct geo_ddi_table *description = &geo_ddi_tables[id];
    geo_layer_fn *next = geo_ddi_table_of(&geo_layer_next, id);
    geo_layer_fn *slots = table;
    const ze_result_t result = geo_ddi_table_copy(id, version, slots, slots ? next : NULL);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    const size_t count = geo_ddi_table_size(description, version) / sizeof(*slots);
    for (size_t i = 0; i < count; i++) {
        const enum geo_ddi_function_id function =
            (enum geo_ddi_function_id)(description->function_first + i);
        const geo_layer_fn own = function_replaced(function);
        if (own != NULL) {
            slots[i] = own;
        } else if (slots[i] != NULL && function_wanted(function)) {
            slots[i] = geo_layer_thunks[function];
        }
    }
    return geo_ddi_table_copy(id, version, slots, geo_ddi_table_of(&geo_layer_given, id));
}

bool geo_layer_before(struct geo_layer_call *call)
{
    unsigned watching = atomic_load(&geo_layer_watched[call->id]);
    for (; watching != 0; watching &= watching - 1) {
        const unsigned i = (unsigned)__builtin_ctz(watching);
        const struct geo_layer_part *part = geo_layer_parts[i];
        call->scratch[i] = NULL;
        const ze_result_t answer =
            part->before ? part->before(call, &call->scratch[i]) : ZE_RESULT_SUCCESS;
        if (answer != ZE_RESULT_SUCCESS) {
            if (geo_ddi_functions[call->id].returns == GEO_DDI_RESULT) {
                memcpy(call->result, &answer, sizeof(answer));
            }
            call->refused = true;
            return false;
        }
        if (part->after) {
            call->parts |= (uint16_t)(1u << i);
        }
    }
    return true;
}

void geo_layer_after(struct geo_layer_call *call)
{
    for (unsigned parts = call->parts; parts != 0;) {
        const unsigned i = 31u - (unsigned)__builtin_clz(parts);
        parts &= ~(1u << i);
        geo_layer_parts[i]->after(call, &call->scratch[i]);
    }
}
