/* In-order streams of command records. A stream is a task of its executor and occupies no thread of
 * its own.
 *
 *     submit ->  [batch] [batch] [batch]   the head runs; its records run one after the other
 *
 *     IDLE --submit--> READY --a worker, or a thread that waits--> RUNNING --empty--> IDLE
 *                        ^                                            | an incomplete event
 *                        +------------- the event is raised ------ PARKED
 *
 * The functions implement geo_stream_ops (backend/backend.h). */
#ifndef GEO_EXEC_STREAM_STREAM_H
#define GEO_EXEC_STREAM_STREAM_H

#include "exec/record/runner.h"

struct geo_backend_stream; /* the name of a stream in the backend's interface */

/* Creates a stream. priority: below GEO_TASK_PRIORITIES, 0 is served first. The runner is copied;
 * its executor has to outlive the stream. Without a sink for faults, a fault loses only this
 * stream. */
ze_result_t geo_exec_stream_create(const struct geo_runner *runner, uint32_t priority,
                                   struct geo_backend_stream **out);
void geo_exec_stream_destroy(struct geo_backend_stream *stream);
ze_result_t geo_exec_stream_submit(struct geo_backend_stream *stream, struct geo_batch *batch,
                                   struct geo_event_ref done, uint64_t *ticket);
ze_result_t geo_exec_stream_execute(struct geo_backend_stream *stream, struct geo_batch *batch,
                                    struct geo_event_ref done);
ze_result_t geo_exec_stream_wait(struct geo_backend_stream *stream, uint64_t ticket,
                                 uint64_t timeout_ns);
/* Waits for an event without a time limit, and meanwhile runs the stream up to the ticket. Gives up
 * when *lost (may be NULL) becomes not 0. */
ze_result_t geo_exec_stream_wait_event(struct geo_backend_stream *stream, uint64_t ticket,
                                       const struct geo_event_ref *event,
                                       const _Atomic uint32_t *lost);
bool geo_exec_stream_finished(const struct geo_backend_stream *stream, uint64_t ticket);

/* Handle fork. In the child every stream is empty and idle; the executors are reset before. */
void geo_exec_streams_before_fork(void);
void geo_exec_streams_after_fork_parent(void);
void geo_exec_streams_after_fork_child(void);

#endif
