/* Recording: from when it begins until it ends, what is appended to an immediate list becomes nodes
 * of a graph (graph.h) instead of being submitted.
 *
 * A list that is given an event to wait for, which a recording list signals, records into the same
 * graph from there on: a fork. The end of the recording, on the list where it began, is the end for
 * all of them. Inside the graph such waits are edges; regular events are signalled and waited for
 * as well, since others may see them. Counter-based events that are not made for use outside of
 * graphs are nothing but edges.
 *
 * What is refused because it cannot be recorded, or waits for what is only recorded, spoils the
 * recording; wrong arguments do not. */
#ifndef GEO_DRIVER_CMD_CAPTURE_H
#define GEO_DRIVER_CMD_CAPTURE_H

#include "driver/cmd/append.h"
#include "driver/cmd/graph.h"

/* Into a new graph, or into one that is empty. INVALID_COMMAND_LIST_TYPE for regular and
 * synchronous lists, INVALID_ARGUMENT for one that records, INVALID_GRAPH for one that is not
 * empty. */
GEO_MUST_CHECK ze_result_t geo_capture_begin(struct geo_command_list *list);
GEO_MUST_CHECK ze_result_t geo_capture_begin_into(struct geo_command_list *list,
                                                  struct geo_graph *graph);

/* COMMAND_LIST_NOT_CAPTURING; INVALID_ARGUMENT for a fork: nothing has happened. Otherwise the
 * recording is over: GRAPH_CAPTURE_INVALIDATED, GRAPH_UNJOINED_FORKS; a graph that it made is gone
 * then. */
GEO_MUST_CHECK ze_result_t geo_capture_end(struct geo_command_list *list, struct geo_graph **out);

/* The graph that the list records into. COMMAND_LIST_NOT_CAPTURING. */
GEO_MUST_CHECK ze_result_t geo_capture_graph(const struct geo_command_list *list,
                                             struct geo_graph **out);

/* While anything is recorded, before each append: whether list and events may meet. The list may be
 * a fork of a recording afterwards. GRAPH_CAPTURE_INVALIDATED, GRAPH_CAPTURE_MERGE_ATTEMPT,
 * GRAPH_CAPTURE_UNSUPPORTED, GRAPH_INTERNAL_EVENT. */
GEO_MUST_CHECK ze_result_t geo_capture_meet(struct geo_command_list *list,
                                            const struct geo_append_events *events);

/* The same for what cannot be recorded. */
GEO_MUST_CHECK ze_result_t geo_capture_refuse(struct geo_command_list *list,
                                              const struct geo_append_events *events,
                                              const char *what);

/* The recording of a list lacks something: it ends without a graph. */
void geo_capture_spoil(struct geo_command_list *list);

/* geo_append_begin and geo_append_commit of a list that records. */
GEO_MUST_CHECK ze_result_t geo_capture_record(struct geo_command_list *list,
                                              enum geo_command_operation operation,
                                              size_t payload_bytes,
                                              const struct geo_append_events *events,
                                              struct geo_append *append);
GEO_MUST_CHECK ze_result_t geo_capture_commit(struct geo_append *append);

/* Between the two: what kernel it is that a list which records launches. */
void geo_capture_name(const struct geo_append *append, const struct geo_module *module,
                      uint32_t kernel);

/* GRAPH_INTERNAL_EVENT for a counter-based event that only lists of a recording may use. */
GEO_MUST_CHECK ze_result_t geo_capture_check_event(const struct geo_event *event);

#endif
