/* Recording of graphs. While an immediate list records, appended commands become nodes of a graph
 * (graph.h) and are not submitted.
 *
 * A list that waits for an event which a recording list signals joins the recording from there on:
 * a fork. The recording ends for all of its lists when it ends on the list where it began. Inside
 * the graph such waits are edges. Regular events are also signalled and waited for in executions,
 * because other code may use them. Counter-based events become only edges, unless they were created
 * for use outside of graphs.
 *
 * A call that is rejected because it cannot be recorded, or because it waits for recorded work,
 * invalidates the recording. Wrong arguments do not. */
#ifndef GEO_DRIVER_GRAPH_CAPTURE_H
#define GEO_DRIVER_GRAPH_CAPTURE_H

#include "driver/cmd/recorder.h"
#include "driver/graph/graph.h"

/* Begin a recording into a new graph, or into an empty one. Return INVALID_COMMAND_LIST_TYPE for
 * regular and synchronous lists, INVALID_ARGUMENT for a list that records already, INVALID_GRAPH
 * for a graph that is not empty. */
GEO_MUST_CHECK ze_result_t geo_capture_begin(struct geo_command_list *list);
GEO_MUST_CHECK ze_result_t geo_capture_begin_into(struct geo_command_list *list,
                                                  struct geo_graph *graph);

/* Ends a recording. Returns COMMAND_LIST_NOT_CAPTURING, or INVALID_ARGUMENT for a fork; then the
 * recording continues. Returns GRAPH_CAPTURE_INVALIDATED or GRAPH_UNJOINED_FORKS if it failed; a
 * graph that was created for it is then destroyed. */
GEO_MUST_CHECK ze_result_t geo_capture_end(struct geo_command_list *list, struct geo_graph **out);

/* Returns the graph into which the list records, or COMMAND_LIST_NOT_CAPTURING. */
GEO_MUST_CHECK ze_result_t geo_capture_graph(const struct geo_command_list *list,
                                             struct geo_graph **out);

/* The functions of recorder.h. Meet and refuse return GRAPH_CAPTURE_INVALIDATED,
 * GRAPH_CAPTURE_MERGE_ATTEMPT, GRAPH_CAPTURE_UNSUPPORTED, GRAPH_INTERNAL_EVENT. */
GEO_MUST_CHECK ze_result_t geo_capture_meet(struct geo_command_list *list,
                                            const struct geo_append_events *events);
GEO_MUST_CHECK ze_result_t geo_capture_refuse(struct geo_command_list *list,
                                              const struct geo_append_events *events,
                                              const char *what);

GEO_MUST_CHECK ze_result_t geo_capture_record(struct geo_command_list *list,
                                              enum geo_command_operation operation,
                                              size_t payload_bytes,
                                              const struct geo_append_events *events,
                                              struct geo_append *append);
GEO_MUST_CHECK ze_result_t geo_capture_record_commit(struct geo_append *append);

/* Invalidates the recording of a list, because a part of it is missing. */
void geo_capture_spoil(struct geo_command_list *list);

/* Returns what a record is in a graph. */
enum geo_command_capture geo_capture_record_kind(const struct geo_command *command);

/* Sets the kernel that the record launches, between begin and commit. */
void geo_capture_record_name(const struct geo_append *append, const struct geo_module *module,
                             uint32_t kernel);

/* Returns GRAPH_INTERNAL_EVENT for a counter-based event that only lists of a recording may use. */
GEO_MUST_CHECK ze_result_t geo_capture_check_event(const struct geo_event *event);

#endif
