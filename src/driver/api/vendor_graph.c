/* Recorded graphs for clients of the experimental extension. Its functions take their chain as last
 * argument, have other names, and return other codes. See vendor_graph.h. */
#include "driver/api/vendor_graph.h"

#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/graph/graph.h"

#include <string.h>

/* Result codes of the experimental extension. */
#define QUERY_TRUE_EXP    ((ze_result_t)0x7fff0000)
#define QUERY_FALSE_EXP   ((ze_result_t)0x7fff0001)
#define INVALID_GRAPH_EXP ((ze_result_t)0x7fff0002)

static ze_result_t answer(ze_result_t result)
{
    switch (result) {
    case ZE_RESULT_QUERY_TRUE:
        return QUERY_TRUE_EXP;
    case ZE_RESULT_QUERY_FALSE:
        return QUERY_FALSE_EXP;
    case ZE_RESULT_ERROR_INVALID_GRAPH:
        return INVALID_GRAPH_EXP;
    default:
        return result;
    }
}

static ze_result_t graph_create(ze_context_handle_t hContext, ze_graph_handle_t *phGraph,
                                void *pNext)
{
    return geo_entry_zeGraphCreateExt(hContext, pNext, phGraph);
}

static ze_result_t begin_capture(ze_command_list_handle_t hCommandList, void *pNext)
{
    return geo_entry_zeCommandListBeginGraphCaptureExt(hCommandList, pNext);
}

static ze_result_t begin_capture_into(ze_command_list_handle_t hCommandList,
                                      ze_graph_handle_t hGraph, void *pNext)
{
    return geo_entry_zeCommandListBeginCaptureIntoGraphExt(hCommandList, hGraph, pNext);
}

/* Ends a recording. The graph's pointer may be NULL if the application created the graph itself. */
static ze_result_t end_capture(ze_command_list_handle_t hCommandList, ze_graph_handle_t *phGraph,
                               void *pNext)
{
    struct geo_command_list *list;
    ze_graph_handle_t own;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    bool known = list->branch && list->branch->graph->created;
    return geo_entry_zeCommandListEndGraphCaptureExt(hCommandList, pNext,
                                                     phGraph || !known ? phGraph : &own);
}

static ze_result_t instantiate(ze_graph_handle_t hGraph,
                               ze_executable_graph_handle_t *phExecutableGraph, void *pNext)
{
    return answer(geo_entry_zeGraphInstantiateExt(hGraph, pNext, phExecutableGraph));
}

static ze_result_t append_graph(ze_command_list_handle_t hCommandList,
                                ze_executable_graph_handle_t hGraph, void *pNext,
                                ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                ze_event_handle_t *phWaitEvents)
{
    return geo_entry_zeCommandListAppendGraphExt(hCommandList, hGraph, pNext, hSignalEvent,
                                                 numWaitEvents, phWaitEvents);
}

static ze_result_t graph_destroy(ze_graph_handle_t hGraph)
{
    return geo_entry_zeGraphDestroyExt(hGraph);
}

static ze_result_t executable_destroy(ze_executable_graph_handle_t hGraph)
{
    return geo_entry_zeExecutableGraphDestroyExt(hGraph);
}

static ze_result_t is_capture_enabled(ze_command_list_handle_t hCommandList)
{
    return answer(geo_entry_zeCommandListIsGraphCaptureEnabledExt(hCommandList));
}

static ze_result_t is_empty(ze_graph_handle_t hGraph)
{
    return answer(geo_entry_zeGraphIsEmptyExt(hGraph));
}

static ze_result_t dump(ze_graph_handle_t hGraph, const char *filePath, void *pNext)
{
    return geo_entry_zeGraphDumpContentsExt(hGraph, filePath, pNext);
}

static ze_result_t get_graph(ze_command_list_handle_t hCommandList, ze_graph_handle_t *phGraph)
{
    return geo_entry_zeCommandListGetGraphExt(hCommandList, phGraph);
}

static ze_result_t set_destruction_callback(ze_graph_handle_t hGraph,
                                            zex_mem_graph_free_callback_fn_t pfnCallback,
                                            void *pUserData, void *pNext)
{
    return geo_entry_zeGraphSetDestructionCallbackExt(hGraph, pfnCallback, pUserData, pNext);
}

/* Returns the id of a graph, as a later version of the extension has it. */
static ze_result_t get_id(ze_graph_handle_t hGraph, uint64_t *pGraphId)
{
    struct geo_graph *graph;
    GEO_CHECK(geo_graph_from(hGraph, &graph));
    GEO_CHECK_POINTER(pGraphId);
    *pGraphId = graph->id;
    return ZE_RESULT_SUCCESS;
}

static const struct {
    const char *name;
    geo_api_fn function;
} functions[] = {
    {"zeGraphCreateExp", (geo_api_fn)graph_create},
    {"zeCommandListBeginGraphCaptureExp", (geo_api_fn)begin_capture},
    {"zeCommandListBeginCaptureIntoGraphExp", (geo_api_fn)begin_capture_into},
    {"zeCommandListEndGraphCaptureExp", (geo_api_fn)end_capture},
    {"zeCommandListInstantiateGraphExp", (geo_api_fn)instantiate},
    {"zeCommandListAppendGraphExp", (geo_api_fn)append_graph},
    {"zeGraphDestroyExp", (geo_api_fn)graph_destroy},
    {"zeExecutableGraphDestroyExp", (geo_api_fn)executable_destroy},
    {"zeCommandListIsGraphCaptureEnabledExp", (geo_api_fn)is_capture_enabled},
    {"zeGraphIsEmptyExp", (geo_api_fn)is_empty},
    {"zeGraphDumpContentsExp", (geo_api_fn)dump},
    {"zeCommandListGetGraphExp", (geo_api_fn)get_graph},
    {"zeGraphSetDestructionCallbackExp", (geo_api_fn)set_destruction_callback},
    {"zeGraphGetIdExt", (geo_api_fn)get_id},
};

geo_api_fn geo_vendor_graph_function(const char *name)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return functions[i].function;
        }
    }
    return NULL;
}
