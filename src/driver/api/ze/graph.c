/* API functions of recorded graphs. graph/graph.h and graph/executable.h implement the objects,
 * graph/capture.h the recording. Most functions have no extensions for their chains. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/graph/capture.h"
#include "driver/graph/executable.h"

/* ---- graphs ---- */

ze_result_t geo_zeGraphCreateExt(ze_context_handle_t hContext, const void *pNext,
                                 ze_graph_handle_t *phGraph)
{
    struct geo_context *context;
    struct geo_graph *graph;
    (void)pNext;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(geo_context_check_alive(context));
    GEO_CHECK(geo_graph_create(context, &graph));
    graph->created = true;
    *phGraph = geo_graph_handle(graph);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeGraphDestroyExt(ze_graph_handle_t hGraph)
{
    struct geo_graph *graph;
    GEO_CHECK(geo_graph_from(hGraph, &graph));
    if (graph->state == GEO_GRAPH_RECORDING) {
        return geo_fail(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
                        "the graph is being recorded: end the recording first "
                        "(zeCommandListEndGraphCaptureExt)");
    }
    geo_graph_close(graph);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeGraphIsEmptyExt(ze_graph_handle_t hGraph)
{
    struct geo_graph *graph;
    GEO_CHECK(geo_graph_from(hGraph, &graph));
    return geo_graph_is_empty(graph);
}

ze_result_t geo_zeGraphGetPrimaryCommandListExt(ze_graph_handle_t hGraph,
                                                ze_command_list_handle_t *phCommandList)
{
    struct geo_graph *graph;
    struct geo_command_list *list;
    GEO_CHECK(geo_graph_from(hGraph, &graph));
    GEO_CHECK(geo_graph_primary(graph, &list));
    *phCommandList = geo_command_list_handle(list);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeGraphSetDestructionCallbackExt(ze_graph_handle_t hGraph,
                                                 zex_mem_graph_free_callback_fn_t pfnCallback,
                                                 void *pUserData, const void *pNext)
{
    struct geo_graph *graph;
    (void)pNext;
    GEO_CHECK(geo_graph_from(hGraph, &graph));
    return geo_graph_add_callback(graph, pfnCallback, pUserData);
}

/* Reads the mode from the function's chain. */
static ze_result_t dump_mode(const void *next, bool *detailed)
{
    const ze_record_replay_graph_ext_dump_desc_t *desc =
        GEO_CHAIN_FIND(zeGraphDumpContentsExt, ze_record_replay_graph_ext_dump_desc_t, next);
    *detailed = !desc || desc->mode == ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_DETAILED;
    if (desc && desc->mode > ZE_RECORD_REPLAY_GRAPH_EXT_DUMP_MODE_SIMPLE) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION, "a graph cannot be dumped in mode %u",
                        (unsigned)desc->mode);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeGraphDumpContentsExt(ze_graph_handle_t hGraph, const char *filePath,
                                       const void *pNext)
{
    struct geo_graph *graph;
    bool detailed;
    GEO_CHECK(geo_graph_from(hGraph, &graph));
    GEO_CHECK(dump_mode(pNext, &detailed));
    return geo_graph_dump(graph, filePath, detailed);
}

/* ---- recording ---- */

ze_result_t geo_zeCommandListBeginGraphCaptureExt(ze_command_list_handle_t hCommandList,
                                                  const void *pNext)
{
    struct geo_command_list *list;
    (void)pNext;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return geo_capture_begin(list);
}

ze_result_t geo_zeCommandListBeginCaptureIntoGraphExt(ze_command_list_handle_t hCommandList,
                                                      ze_graph_handle_t hGraph, const void *pNext)
{
    struct geo_command_list *list;
    struct geo_graph *graph;
    (void)pNext;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_graph_from(hGraph, &graph));
    return geo_capture_begin_into(list, graph);
}

ze_result_t geo_zeCommandListIsGraphCaptureEnabledExt(ze_command_list_handle_t hCommandList)
{
    struct geo_command_list *list;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    return list->branch ? ZE_RESULT_QUERY_TRUE : ZE_RESULT_QUERY_FALSE;
}

ze_result_t geo_zeCommandListEndGraphCaptureExt(ze_command_list_handle_t hCommandList,
                                                const void *pNext, ze_graph_handle_t *phGraph)
{
    struct geo_command_list *list;
    struct geo_graph *graph;
    (void)pNext;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_capture_end(list, &graph));
    *phGraph = geo_graph_handle(graph);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListGetGraphExt(ze_command_list_handle_t hCommandList,
                                         ze_graph_handle_t *phGraph)
{
    struct geo_command_list *list;
    struct geo_graph *graph;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    ze_result_t result = geo_capture_graph(list, &graph);
    *phGraph =
        /* as the specification requires */
        result == ZE_RESULT_SUCCESS ? geo_graph_handle(graph) : NULL;
    return result;
}

/* ---- execution ---- */

ze_result_t geo_zeGraphInstantiateExt(ze_graph_handle_t hGraph, const void *pNext,
                                      ze_executable_graph_handle_t *phExecutableGraph)
{
    struct geo_graph *graph;
    struct geo_executable *executable;
    (void)pNext;
    GEO_CHECK(geo_graph_from(hGraph, &graph));
    GEO_CHECK(geo_context_check_alive(graph->context));
    GEO_CHECK(geo_executable_create(graph, &executable));
    *phExecutableGraph = geo_executable_handle(executable);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListAppendGraphExt(ze_command_list_handle_t hCommandList,
                                            ze_executable_graph_handle_t hGraph, const void *pNext,
                                            ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                            ze_event_handle_t *phWaitEvents)
{
    const struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct geo_executable *executable;
    (void)pNext;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(geo_executable_from(hGraph, &executable));
    return geo_append_executable(list, executable, &events);
}

ze_result_t geo_zeExecutableGraphGetSourceGraphExt(ze_executable_graph_handle_t hGraph,
                                                   ze_graph_handle_t *phSourceGraph)
{
    struct geo_executable *executable;
    GEO_CHECK(geo_executable_from(hGraph, &executable));
    if (executable->graph->base.tag == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GRAPH, "the graph was destroyed");
    }
    *phSourceGraph = geo_graph_handle(executable->graph);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeExecutableGraphDestroyExt(ze_executable_graph_handle_t hGraph)
{
    struct geo_executable *executable;
    GEO_CHECK(geo_executable_from(hGraph, &executable));
    GEO_CHECK(geo_executable_check_idle(executable));
    geo_executable_close(executable);
    return ZE_RESULT_SUCCESS;
}
