/* Executable graphs: the records of a graph, prepared to run repeatedly, each branch on a stream.
 *
 * The primary branch runs on the list to which the graph is appended, every other branch on a
 * stream of its own. Edges between branches use counters, one per branch: nodes with an edge to
 * another branch raise it, and records refer to it relative to bases of the execution (bases.h). So
 * the records never change. A wait for an event from outside refers to another signal in each
 * execution. A branch is divided into segments there, and a wait record is made for each execution.
 *
 *     branch     [ segment 0 ............ ] [ segment 1 .... ]
 *     submitted  batch 0                    waits, batch 1 */
#ifndef GEO_DRIVER_GRAPH_EXECUTABLE_H
#define GEO_DRIVER_GRAPH_EXECUTABLE_H

#include "driver/cmd/append.h"
#include "driver/graph/graph.h"

/* A part of a branch between waits for events from outside; submitted as one batch. */
struct geo_executable_segment {
    size_t begin, end;               /* range in the branch's records */
    size_t arrivals, arrivals_count; /* range in the graph's arrivals: waits before the segment */
};

/* A branch of an executable graph, with its own copy of the records. */
struct geo_executable_branch {
    uint8_t *records;
    size_t used, room;
    struct {
        struct geo_executable_segment *items;
        size_t count, capacity;
    } segments;
    struct geo_counter *counter; /* referenced; NULL if the branch signals nothing */
    uint64_t signals;            /* signals per execution */
    struct geo_stream *stream;   /* referenced; NULL for the primary branch */
    struct geo_ring ring;        /* memory of its submissions; unused in the primary branch */
    /* state of the execution that is being submitted */
    uint8_t *place;
    size_t bytes;
};

/* An executable graph of the application. References its graph; lists that run it reference it. */
struct geo_executable {
    struct geo_object base;
    struct geo_graph *graph; /* referenced; this handle counts as one of the graph's */
    struct geo_executable_branch *branches;
    uint32_t branch_count;
    uint64_t *values; /* [nodes] value of the branch's counter after the node; 0: it raises none */
    uint64_t *bases;  /* [branch_count] bases of the execution that is being submitted */
    struct geo_object_lock lock; /* several lists may run it */
    struct geo_counter *done;    /* referenced; counts finished executions */
    uint64_t executions;         /* value of `done` after the latest execution */
    struct geo_stream *last;     /* stream of the latest execution; referenced */
    uint64_t ticket;
};

GEO_OBJECT_HANDLE(executable, GEO_OBJECT_EXECUTABLE_GRAPH, ze_executable_graph_handle_t)

/* Creates an executable graph. Returns INVALID_GRAPH if the recording of the graph is not
 * complete. */
GEO_MUST_CHECK ze_result_t geo_executable_create(struct geo_graph *graph,
                                                 struct geo_executable **out);

/* Returns HANDLE_OBJECT_IN_USE if an execution of the executable graph has not ended. */
GEO_MUST_CHECK ze_result_t geo_executable_check_idle(const struct geo_executable *executable);

/* Invalidates the program's handle of the executable graph. */
void geo_executable_close(struct geo_executable *executable);

/* Most commands that a recording, or an append to a regular list, can have if a graph is copied to
 * it. They take some tens of megabytes. */
#define GEO_GRAPH_COPY_LIMIT (1u << 18)

/* Appends the graph as one command. An immediate list submits it, after an execution that has not
 * ended. Regular and recording lists copy its commands. Returns INVALID_COMMAND_LIST_TYPE for a
 * list of another device or group than the recording list, UNSUPPORTED_SIZE for a copy with too
 * many commands. */
GEO_MUST_CHECK ze_result_t geo_append_executable(struct geo_command_list *list,
                                                 struct geo_executable *executable,
                                                 const struct geo_append_events *events);

/* Submits the graph to an immediate list. */
GEO_MUST_CHECK ze_result_t geo_executable_run_submit(struct geo_executable *executable,
                                                     struct geo_command_list *list,
                                                     const struct geo_append_events *events);

#endif
