/* Executable graphs: a graph's records made ready to run again and again, each branch on a stream.
 *
 * The primary branch runs on the list that the graph is appended to, every other one on a stream of
 * its own. Edges between branches are counters, one a branch, that nodes with an edge to another
 * branch raise; records refer to them relative to bases that each execution has (bases.h). Records
 * stay as they are. Waits for events from outside mean something else at each execution: a branch
 * is cut there into segments, with a record made for the execution between them.
 *
 *     branch     [ segment 0 ............ ] [ segment 1 .... ]
 *     submitted  batch 0                    waits, batch 1 */
#ifndef GEO_DRIVER_CMD_EXECUTABLE_H
#define GEO_DRIVER_CMD_EXECUTABLE_H

#include "driver/cmd/append.h"
#include "driver/cmd/graph.h"

struct geo_executable_segment {
    size_t begin, end;               /* of its records */
    size_t arrivals, arrivals_count; /* of the graph: waits before it */
};

struct geo_executable_branch {
    uint8_t *records;
    size_t used, room;
    struct {
        struct geo_executable_segment *items;
        size_t count, capacity;
    } segments;
    struct geo_counter *counter; /* referenced; NULL: it signals nothing */
    uint64_t signals;            /* of an execution */
    struct geo_stream *stream;   /* referenced; NULL: the primary branch */
    struct geo_ring ring;        /* its submissions' memory; not of the primary branch */
    /* Of the execution that is being submitted. */
    uint8_t *place;
    size_t bytes;
};

struct geo_executable {
    struct geo_object base;
    struct geo_graph *graph; /* referenced; left with the handle */
    struct geo_executable_branch *branches;
    uint32_t branch_count;
    uint64_t *values; /* [nodes] of the branch's counter when the node has run; 0: it raises none */
    uint64_t *bases;  /* [branch_count] of the execution that is being submitted */
    struct geo_object_lock lock; /* several lists may run it */
    struct geo_counter *done;    /* referenced; counts executions that have ended */
    uint64_t executions;         /* what it is when the latest has */
    struct geo_stream *last;     /* where that went; referenced */
    uint64_t ticket;
};

GEO_OBJECT_HANDLE(executable, GEO_OBJECT_EXECUTABLE_GRAPH, ze_executable_graph_handle_t)

/* INVALID_GRAPH when the graph is not recorded to the end. */
GEO_MUST_CHECK ze_result_t geo_executable_create(struct geo_graph *graph,
                                                 struct geo_executable **out);

/* HANDLE_OBJECT_IN_USE while it runs. */
GEO_MUST_CHECK ze_result_t geo_executable_check_idle(const struct geo_executable *executable);

/* Ends the handle. */
void geo_executable_close(struct geo_executable *executable);

/* Runs it as one command: on an immediate list, behind an execution of it that has not ended; in a
 * regular list and in a list that records, as commands of that. INVALID_COMMAND_LIST_TYPE for a
 * list of another device or group than the one that recorded. */
GEO_MUST_CHECK ze_result_t geo_append_executable(struct geo_command_list *list,
                                                 struct geo_executable *executable,
                                                 const struct geo_append_events *events);

/* Submits it to an immediate list. */
GEO_MUST_CHECK ze_result_t geo_executable_submit(struct geo_executable *executable,
                                                 struct geo_command_list *list,
                                                 const struct geo_append_events *events);

#endif
