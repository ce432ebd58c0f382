/* Graph objects: creation, destruction, queries. See graph.h. */
#include "driver/graph/graph.h"

#include "base/assert.h"
#include "driver/cmd/records.h"
#include "driver/core/check.h"

#include <stdlib.h>

static _Atomic uint64_t last_id;

/* ---- creation and destruction ---- */

static void branch_destroy(struct geo_graph_branch *branch)
{
    for (size_t i = 0; i < branch->pending_arrivals.count; i++) {
        geo_object_unref(&branch->pending_arrivals.items[i]->base);
    }
    geo_array_finish(&branch->pending_arrivals);
    geo_array_finish(&branch->pending_from);
    geo_keep_clear(&branch->keep);
    geo_object_unref(&branch->list->base);
    free(branch->records);
    free(branch);
}

static void graph_destroy(struct geo_object *object)
{
    struct geo_graph *graph = (struct geo_graph *)object;
    for (size_t i = 0; i < graph->arrivals.count; i++) {
        geo_object_unref(&graph->arrivals.items[i].event->base);
    }
    for (size_t i = 0; i < graph->departures.count; i++) {
        geo_object_unref(&graph->departures.items[i].event->base);
        geo_stamp_unref(graph->departures.items[i].stamp);
    }
    for (size_t i = 0; i < graph->branches.count; i++) {
        branch_destroy(graph->branches.items[i]);
    }
    geo_array_finish(&graph->branches);
    geo_array_finish(&graph->nodes);
    geo_array_finish(&graph->edges);
    geo_array_finish(&graph->arrivals);
    geo_array_finish(&graph->departures);
    geo_array_finish(&graph->events);
    geo_array_finish(&graph->callbacks);
    geo_counter_unref(graph->ahead);
    geo_object_unref(&graph->context->base);
    free(graph);
}

ze_result_t geo_graph_create(struct geo_context *context, struct geo_graph **out)
{
    struct geo_graph *graph = calloc(1, sizeof(*graph));
    if (!graph) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a graph");
    }
    geo_object_init(&graph->base, GEO_OBJECT_GRAPH, context->base.driver, graph_destroy);
    geo_object_ref(&context->base);
    graph->context = context;
    graph->id = atomic_fetch_add(&last_id, 1) + 1;
    atomic_init(&graph->handles, 1);
    *out = graph;
    return ZE_RESULT_SUCCESS;
}

static bool branch_is_valid(const struct geo_graph *graph, uint32_t index)
{
    const struct geo_graph_branch *branch = graph->branches.items[index];
    return branch->graph == graph && branch->index == index && branch->used <= branch->room &&
           branch->last <= graph->nodes.count && branch->last_work <= branch->last &&
           branch->joined <= graph->nodes.count &&
           geo_records_are_valid(branch->records, branch->used);
}

static bool nodes_are_valid(const struct geo_graph *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct geo_graph_node *node = &graph->nodes.items[i];
        if (node->branch >= graph->branches.count ||
            node->offset >= graph->branches.items[node->branch]->used) {
            return false;
        }
    }
    return true;
}

static bool edges_are_valid(const struct geo_graph *graph)
{
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct geo_graph_edge *edge = &graph->edges.items[i];
        if (edge->from >= edge->to || edge->to >= graph->nodes.count ||
            geo_graph_branch_of(graph, edge->from) == geo_graph_branch_of(graph, edge->to) ||
            (i != 0 && edge[-1].to > edge->to)) {
            return false;
        }
    }
    return true;
}

static bool outside_is_valid(const struct geo_graph *graph)
{
    for (size_t i = 0; i < graph->arrivals.count; i++) {
        const struct geo_graph_arrival *arrival = &graph->arrivals.items[i];
        if (arrival->node >= graph->nodes.count || (i != 0 && arrival[-1].node > arrival->node)) {
            return false;
        }
    }
    for (size_t i = 0; i < graph->departures.count; i++) {
        const struct geo_graph_departure *departure = &graph->departures.items[i];
        if (departure->node >= graph->nodes.count || !departure->event->counter_based) {
            return false;
        }
    }
    return graph->departures.count == 0 || graph->ahead;
}

bool geo_graph_is_valid(const struct geo_graph *graph)
{
    for (uint32_t i = 0; i < graph->branches.count; i++) {
        if (!branch_is_valid(graph, i)) {
            return false;
        }
    }
    return (graph->state == GEO_GRAPH_EMPTY) == (graph->branches.count == 0) &&
           nodes_are_valid(graph) && edges_are_valid(graph) && outside_is_valid(graph);
}

void geo_graph_leave(struct geo_graph *graph)
{
    GEO_ASSERT(atomic_load(&graph->handles) != 0);
    if (atomic_fetch_sub(&graph->handles, 1) != 1) {
        return;
    }
    for (size_t i = 0; i < graph->callbacks.count; i++) {
        graph->callbacks.items[i].function(graph->callbacks.items[i].user_data);
    }
}

void geo_graph_close(struct geo_graph *graph)
{
    geo_graph_leave(graph);
    geo_object_close(&graph->base);
}

ze_result_t geo_graph_add_callback(struct geo_graph *graph,
                                   zex_mem_graph_free_callback_fn_t function, void *user_data)
{
    if (!geo_array_reserve(&graph->callbacks, 1)) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a callback");
    }
    graph->callbacks.items[graph->callbacks.count++] =
        (struct geo_graph_callback){function, user_data};
    return ZE_RESULT_SUCCESS;
}

/* ---- queries ---- */

ze_result_t geo_graph_is_empty(const struct geo_graph *graph)
{
    if (graph->state == GEO_GRAPH_INVALID) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GRAPH, "the recording of the graph failed");
    }
    return graph->nodes.count == 0 ? ZE_RESULT_QUERY_TRUE : ZE_RESULT_QUERY_FALSE;
}

ze_result_t geo_graph_primary(const struct geo_graph *graph, struct geo_command_list **out)
{
    if (graph->branches.count == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GRAPH, "no list has recorded into the graph");
    }
    struct geo_command_list *list = graph->branches.items[0]->list;
    if (list->base.tag == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GRAPH,
                        "the list that recorded the graph was destroyed");
    }
    *out = list;
    return ZE_RESULT_SUCCESS;
}

/* Goes through the edges in reverse order of appends, because a node depends only on earlier
 * nodes. */
bool geo_graph_join(struct geo_graph *graph)
{
    GEO_ASSERT(geo_graph_is_valid(graph) && graph->branches.count != 0);
    graph->branches.items[0]->joined = (uint32_t)graph->nodes.count;
    for (size_t i = graph->edges.count; i-- > 0;) {
        const struct geo_graph_edge *edge = &graph->edges.items[i];
        struct geo_graph_branch *from = geo_graph_branch_of(graph, edge->from);
        if (edge->to < geo_graph_branch_of(graph, edge->to)->joined && edge->from >= from->joined) {
            from->joined = edge->from + 1;
        }
    }
    bool joined = true;
    for (size_t i = 0; i < graph->branches.count; i++) {
        const struct geo_graph_branch *branch = graph->branches.items[i];
        joined = joined && branch->last_work <= branch->joined &&
                 (branch->last == 0 || branch->joined != 0);
    }
    return joined;
}
