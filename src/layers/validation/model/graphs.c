/* Tracks graphs: commands that are recorded instead of executed. See graphs.h. */
#include "layers/validation/model/graphs.h"
#include "layers/validation/objects/rules.h"

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

/* Number of lists that record. While it is 0, the driver is not asked. */
static atomic_uint recording;

struct geo_val_graph *geo_val_graph_of(const void *handle)
{
    return geo_val_data_of(GEO_VAL_GRAPH, handle);
}

struct geo_val_graph *geo_val_graphs_executable(const void *handle)
{
    return geo_val_data_of(GEO_VAL_EXECUTABLE, handle);
}

/* Asks the driver, because a list also records when it waits for an event of another recording
 * list. */
bool geo_val_graphs_records(ze_command_list_handle_t list, struct geo_val_graph **graph)
{
    ze_graph_handle_t handle = NULL;
    *graph = NULL;
    if (atomic_load_explicit(&recording, memory_order_relaxed) == 0 ||
        !geo_layer_next.ze.CommandList.pfnIsGraphCaptureEnabledExt ||
        geo_layer_next.ze.CommandList.pfnIsGraphCaptureEnabledExt(list) != ZE_RESULT_QUERY_TRUE) {
        return false;
    }
    if (geo_layer_next.ze.CommandList.pfnGetGraphExt &&
        geo_layer_next.ze.CommandList.pfnGetGraphExt(list, &handle) == ZE_RESULT_SUCCESS) {
        *graph = geo_val_graph_of(handle);
    }
    return true;
}

const struct geo_val_graph *geo_val_graph_within(const struct geo_val_command *command)
{
    for (uint32_t i = 0; i < command->use_count; i++) {
        if (geo_val_data_kind_is(GEO_VAL_EXECUTABLE, command->uses[i].type) &&
            command->uses[i].kind == GEO_VAL_USED_OBJECT) {
            return geo_val_graphs_executable(command->uses[i].handle);
        }
    }
    return NULL;
}

/* --- making --- */

static struct geo_val_graph *graph_begin(enum geo_val_kind kind, const void *handle)
{
    struct geo_val_graph *graph = geo_val_data_begin(kind, handle, sizeof(struct geo_val_graph));
    if (graph) {
        geo_val_record_clear(&graph->record);
    }
    return graph;
}

static void graph_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    graph_begin(GEO_VAL_GRAPH, *ARGUMENT(call, 2, ze_graph_handle_t *));
}

/* The application has no handle for the graph during the recording, but the driver tells it. The
 * object's record is therefore created here, as the lifetime check does at the end of the
 * recording. */
static void begin_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const ze_command_list_handle_t list = ARGUMENT(call, 0, ze_command_list_handle_t);
    const struct geo_val_object *of_list = geo_val_data_kind_object(GEO_VAL_LIST, list);
    ze_graph_handle_t handle = NULL;
    atomic_fetch_add(&recording, 1);
    if (!geo_layer_next.ze.CommandList.pfnGetGraphExt ||
        geo_layer_next.ze.CommandList.pfnGetGraphExt(list, &handle) != ZE_RESULT_SUCCESS) {
        return;
    }
    struct geo_val_object *object =
        geo_val_object_take(geo_val_data_kind_type(GEO_VAL_GRAPH), handle);
    if (!object) {
        return;
    }
    geo_val_object_begin(
        object, &(struct geo_val_birth){.function = call->id,
                                        .context = of_list ? atomic_load(&of_list->context) : 0,
                                        .lent = true});
    graph_begin(GEO_VAL_GRAPH, handle);
}

static void begin_into_note(const struct geo_layer_call *call, void *prepared)
{
    (void)call;
    (void)prepared;
    atomic_fetch_add(&recording, 1);
}

/* Passes on the recorded graph: its handle starts a new lifetime when the recording ends, and keeps
 * the commands. */
static void *end_prepare(const struct geo_layer_call *call)
{
    struct geo_val_graph *graph;
    return geo_val_graphs_records(ARGUMENT(call, 0, ze_command_list_handle_t), &graph) ? graph
                                                                                       : NULL;
}

static void end_note(const struct geo_layer_call *call, void *prepared)
{
    struct geo_val_graph *graph = prepared;
    const void *handle = *ARGUMENT(call, 2, ze_graph_handle_t *);
    const struct geo_val_object *object = geo_val_data_kind_object(GEO_VAL_GRAPH, handle);
    unsigned before = atomic_load(&recording);
    while (before > 0 && !atomic_compare_exchange_weak(&recording, &before, before - 1)) {
    }
    if (graph && object && atomic_load(&object->data) == (void *)graph) {
        graph->data.life = atomic_load(&object->life) >> 2;
    }
}

static void instantiate_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const struct geo_val_graph *graph = geo_val_graph_of(ARGUMENT(call, 0, void *));
    struct geo_val_graph *executable =
        graph ? graph_begin(GEO_VAL_EXECUTABLE, *ARGUMENT(call, 2, ze_executable_graph_handle_t *))
              : NULL;
    if (executable) {
        geo_val_record_copy(&executable->record, &graph->record);
    }
}

const struct geo_val_rule geo_val_graph_rules[] = {
    {.function = GEO_DDI_FN_zeGraphCreateExt, .note = graph_note},
    {.function = GEO_DDI_FN_zeCommandListBeginGraphCaptureExt, .note = begin_note},
    {.function = GEO_DDI_FN_zeCommandListBeginCaptureIntoGraphExt, .note = begin_into_note},
    {.function = GEO_DDI_FN_zeCommandListEndGraphCaptureExt,
     .prepare = end_prepare,
     .note = end_note},
    {.function = GEO_DDI_FN_zeGraphInstantiateExt, .note = instantiate_note},
    {.function = GEO_DDI_FN_zeGraphSetDestructionCallbackExt, .nothing = true},
    {.function = GEO_DDI_FUNCTION_COUNT}};
