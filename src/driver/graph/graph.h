/* Recorded graphs: the commands that immediate lists appended while they recorded (capture.h), and
 * their order. A graph is recorded once and not changed afterwards.
 *
 *     primary list    copy --- launch --------------- wait --- launch
 *                                 \ signal             /
 *     child list                   wait --- launch ---' signal
 *
 * A node is one command record. Nodes are numbered in the order of their appends over all lists,
 * which is a valid order of execution. Each list has a branch with its nodes in order. Edges are
 * the other dependencies of a node, on nodes of other branches. */
#ifndef GEO_DRIVER_GRAPH_GRAPH_H
#define GEO_DRIVER_GRAPH_GRAPH_H

#include "base/array.h"
#include "driver/cmd/list.h"
#include "driver/event/event.h"

struct geo_module;

/* A node: one command record. */
struct geo_graph_node {
    uint32_t branch;
    /* of a launch: number of the kernel in the module, which the branch keeps alive */
    uint32_t kernel;
    size_t offset;                   /* of its record in the branch */
    const struct geo_module *module; /* NULL unless it is a launch */
};

/* A dependency between nodes of different branches. */
struct geo_graph_edge {
    uint32_t from, to; /* nodes */
};

/* A wait for an event that is signalled outside of the graph, evaluated at each execution. */
struct geo_graph_arrival {
    uint32_t node;
    struct geo_event *event; /* referenced */
};

/* A counter-based event that may be used outside of the graph; each execution signals it at this
 * node. */
struct geo_graph_departure {
    uint32_t node;
    struct geo_event *event; /* referenced */
    struct geo_stamp *stamp; /* referenced; NULL without timestamps */
};

/* The nodes that one list recorded; owned by the graph. */
struct geo_graph_branch {
    struct geo_graph *graph;
    uint32_t index;
    struct geo_command_list *list; /* referenced */
    uint8_t *records;
    size_t used, room;
    /* Objects that the records need. While the list records, the list has these and this set has
     * the objects that the list kept before. */
    struct geo_keep keep;
    /* numbers of nodes, counted from 1; 0: none */
    uint32_t last, last_work;
    uint32_t joined; /* nodes up to this one run before the end of the primary list */
    /* of the command between begin and commit */
    const struct geo_module *pending_module;
    uint32_t pending_kernel;
    struct {
        uint32_t *items; /* nodes of other branches that the command depends on */
        size_t count, capacity;
    } pending_from;
    struct {
        struct geo_event **items; /* events from outside that it waits for; referenced */
        size_t count, capacity;
    } pending_arrivals;
};

enum geo_graph_state {
    GEO_GRAPH_EMPTY,
    GEO_GRAPH_RECORDING,
    GEO_GRAPH_RECORDED,
    GEO_GRAPH_INVALID, /* its recording failed */
};

/* A function to call when the last handle of the graph has ended. */
struct geo_graph_callback {
    zex_mem_graph_free_callback_fn_t function;
    void *user_data;
};

/* A graph of the application. Executable graphs made from it reference it. */
struct geo_graph {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    uint64_t id;                 /* unique in the process */
    bool created;                /* the application created it before it was recorded */
    enum geo_graph_state state;
    struct geo_recording recording;
    struct {
        struct geo_graph_branch **items; /* owned; the first one is of the primary list */
        size_t count, capacity;
    } branches;
    struct {
        struct geo_graph_node *items;
        size_t count, capacity;
    } nodes;
    struct {
        struct geo_graph_edge *items; /* sorted by `to` */
        size_t count, capacity;
    } edges;
    struct {
        struct geo_graph_arrival *items; /* sorted by node */
        size_t count, capacity;
    } arrivals;
    struct {
        struct geo_graph_departure *items; /* one per event: its last signal */
        size_t count, capacity;
    } departures;
    struct {
        /* events marked with its recording, while it is recorded; referenced */
        struct geo_event **items;
        size_t count, capacity;
    } events;
    /* Counter to which counter-based events signalled in the graph refer before the first
     * execution. */
    struct geo_counter *ahead; /* referenced; NULL until needed */
    atomic_bool executed;
    struct {
        struct geo_graph_callback *items;
        size_t count, capacity;
    } callbacks;
    _Atomic uint32_t handles; /* handles of the graph and of executable graphs made from it */
};

GEO_OBJECT_HANDLE(graph, GEO_OBJECT_GRAPH, ze_graph_handle_t)

/* Creates an empty graph. */
GEO_MUST_CHECK ze_result_t geo_graph_create(struct geo_context *context, struct geo_graph **out);

/* Returns whether nodes, edges and events refer to each other in the order of appends. For
 * assertions. */
bool geo_graph_is_valid(const struct geo_graph *graph);

/* Records that a handle of the graph, or of an executable graph made from it, was destroyed. When
 * the last such handle is destroyed, calls the callbacks. */
void geo_graph_leave(struct geo_graph *graph);

/* Invalidates the program's handle of the graph. Executable graphs made from it remain valid. */
void geo_graph_close(struct geo_graph *graph);

/* Adds a function to call when the last handle of the graph has ended. */
GEO_MUST_CHECK ze_result_t geo_graph_add_callback(struct geo_graph *graph,
                                                  zex_mem_graph_free_callback_fn_t function,
                                                  void *user_data);

/* Returns QUERY_TRUE if the graph has no nodes, else QUERY_FALSE, or INVALID_GRAPH if its recording
 * failed. */
ze_result_t geo_graph_is_empty(const struct geo_graph *graph);

/* Returns the list on which the recording began. INVALID_GRAPH if nothing was recorded or the list
 * was destroyed. */
GEO_MUST_CHECK ze_result_t geo_graph_primary(const struct geo_graph *graph,
                                             struct geo_command_list **out);

/* Writes the graph to a file in the Graphviz language; `detailed`: with arguments and addresses.
 * Returns INVALID_ARGUMENT if the file cannot be written. */
GEO_MUST_CHECK ze_result_t geo_graph_dump(const struct geo_graph *graph, const char *path,
                                          bool detailed);

/* Finds for each branch which nodes run before the end of the primary list. Returns true if all
 * work does. */
bool geo_graph_join(struct geo_graph *graph);

static inline struct geo_graph_branch *geo_graph_branch_of(const struct geo_graph *graph,
                                                           uint32_t node)
{
    return graph->branches.items[graph->nodes.items[node].branch];
}

/* Returns the record of a node. It may move when a command is appended to the branch. */
static inline const struct geo_command *geo_graph_record(const struct geo_graph *graph,
                                                         uint32_t node)
{
    return (const struct geo_command *)(void *)(geo_graph_branch_of(graph, node)->records +
                                                graph->nodes.items[node].offset);
}

/* Returns whether a counter-based event may be used by other graphs, by lists that do not record,
 * and by the host. */
static inline bool geo_event_is_external(const struct geo_event *event)
{
    return (event->counter_flags & ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL) != 0;
}

#endif
