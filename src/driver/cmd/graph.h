/* Recorded graphs: what immediate lists appended while they recorded (capture.h), and what of it
 * comes before what. A graph is recorded once and read from then on.
 *
 *     primary list    copy --- launch --------------- wait --- launch
 *                                 \ signal             /
 *     child list                   wait --- launch ---' signal
 *
 * A node is one command record. Nodes are numbered in the order of their appends, over all lists:
 * that order is one in which they may run. Each list's nodes lie in a branch of their own, in their
 * order, which is kept; what else comes before a node is an edge from another branch. */
#ifndef GEO_DRIVER_CMD_GRAPH_H
#define GEO_DRIVER_CMD_GRAPH_H

#include "base/array.h"
#include "driver/cmd/event.h"
#include "driver/cmd/list.h"

struct geo_module;

struct geo_graph_node {
    uint32_t branch;
    uint32_t kernel;                 /* of a launch: in the module, which the branch keeps */
    size_t offset;                   /* of its record, in the branch's */
    const struct geo_module *module; /* NULL: no launch */
};

struct geo_graph_edge {
    uint32_t from, to; /* nodes */
};

/* A wait for an event that is signalled outside, and means what it means at each execution. */
struct geo_graph_arrival {
    uint32_t node;
    struct geo_event *event; /* referenced */
};

/* A counter-based event that others may wait for: an execution signals it at this node. */
struct geo_graph_departure {
    uint32_t node;
    struct geo_event *event; /* referenced */
    struct geo_stamp *stamp; /* referenced; NULL: without timestamps */
};

struct geo_graph_branch {
    struct geo_graph *graph;
    uint32_t index;
    struct geo_command_list *list; /* referenced */
    uint8_t *records;
    size_t used, room;
    /* What the records need; while they are recorded that is the list's own, and here is what the
     * list kept before. */
    struct geo_keep keep;
    /* Numbers of nodes, counted from 1; 0: none. */
    uint32_t last, last_work;
    uint32_t joined; /* up to this one they run before the end of the primary list */
    /* Of the command between begin and commit. */
    const struct geo_module *pending_module;
    uint32_t pending_kernel;
    struct {
        uint32_t *items; /* nodes of other branches that come before it */
        size_t count, capacity;
    } pending_from;
    struct {
        struct geo_event **items; /* what it waits for outside; referenced */
        size_t count, capacity;
    } pending_arrivals;
};

enum geo_graph_state {
    GEO_GRAPH_EMPTY,
    GEO_GRAPH_RECORDING,
    GEO_GRAPH_RECORDED,
    GEO_GRAPH_INVALID, /* its recording failed */
};

struct geo_graph_callback {
    zex_mem_graph_free_callback_fn_t function;
    void *user_data;
};

struct geo_graph {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    uint64_t id;                 /* of no other graph of the process */
    bool created;                /* by the application, before it was recorded */
    enum geo_graph_state state;
    struct geo_recording recording;
    struct {
        struct geo_graph_branch **items; /* owned; the first is the primary list's */
        size_t count, capacity;
    } branches;
    struct {
        struct geo_graph_node *items;
        size_t count, capacity;
    } nodes;
    struct {
        struct geo_graph_edge *items; /* `to` rises */
        size_t count, capacity;
    } edges;
    struct {
        struct geo_graph_arrival *items; /* nodes rise */
        size_t count, capacity;
    } arrivals;
    struct {
        struct geo_graph_departure *items; /* each event once: its last signal */
        size_t count, capacity;
    } departures;
    struct {
        struct geo_event **items; /* with its mark; referenced. While it is recorded */
        size_t count, capacity;
    } events;
    /* What counter-based events refer to that are signalled in the graph, until an execution does. */
    struct geo_counter *ahead; /* referenced; NULL until needed */
    atomic_bool executed;
    struct {
        struct geo_graph_callback *items;
        size_t count, capacity;
    } callbacks;
    _Atomic uint32_t handles; /* its own, and those of executable graphs */
};

GEO_OBJECT_HANDLE(graph, GEO_OBJECT_GRAPH, ze_graph_handle_t)

GEO_MUST_CHECK ze_result_t geo_graph_create(struct geo_context *context, struct geo_graph **out);

/* A handle of the graph, or of one made executable from it, has ended: with the last one the
 * callbacks are called. */
void geo_graph_leave(struct geo_graph *graph);

/* Ends the handle. */
void geo_graph_close(struct geo_graph *graph);

GEO_MUST_CHECK ze_result_t geo_graph_add_callback(struct geo_graph *graph,
                                                  zex_mem_graph_free_callback_fn_t function,
                                                  void *user_data);

/* QUERY_TRUE, QUERY_FALSE, INVALID_GRAPH. */
ze_result_t geo_graph_is_empty(const struct geo_graph *graph);

/* The list that its recording began on. INVALID_GRAPH when none did, or the list is no more. */
GEO_MUST_CHECK ze_result_t geo_graph_primary(const struct geo_graph *graph,
                                             struct geo_command_list **out);

/* Writes it as a picture in the language of Graphviz; `detailed`: with arguments and addresses.
 * INVALID_ARGUMENT when the file cannot be written. */
GEO_MUST_CHECK ze_result_t geo_graph_dump(const struct geo_graph *graph, const char *path,
                                          bool detailed);

/* Finds what of each branch runs before the end of the primary list; true when that is all work. */
bool geo_graph_join(struct geo_graph *graph);

static inline struct geo_graph_branch *geo_graph_branch_of(const struct geo_graph *graph,
                                                           uint32_t node)
{
    return graph->branches.items[graph->nodes.items[node].branch];
}

static inline const struct geo_command *geo_graph_record(const struct geo_graph *graph,
                                                         uint32_t node)
{
    return (const struct geo_command *)(void *)(geo_graph_branch_of(graph, node)->records +
                                                graph->nodes.items[node].offset);
}

/* Of a counter-based event: lists of this and other graphs, and the host, may use it. */
static inline bool geo_event_is_external(const struct geo_event *event)
{
    return (event->counter_flags & ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL) != 0;
}

#endif
