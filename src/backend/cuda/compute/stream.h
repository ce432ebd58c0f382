/* In-order streams of command records on a GPU.
 *
 *     submit --> records become calls of CUDA (encode.h) --> word `progress` = ticket
 *
 * A batch is finished when the GPU has written its ticket into the stream's word, so that asking
 * costs no call of CUDA. Errors of a GPU appear only in calls of CUDA; waits make one now and then.
 * The stream then reports the fault and executes nothing any more. When the GPU has stopped, the
 * events of all unfinished batches are raised as lost. */
#ifndef GEO_BACKEND_CUDA_COMPUTE_STREAM_H
#define GEO_BACKEND_CUDA_COMPUTE_STREAM_H

#include "backend/backend.h"

extern const struct geo_stream_ops geo_compute_stream_ops;

/* (any thread) Looks for an error of the GPU, with the consequences above. Returns SUCCESS, or
 * DEVICE_LOST if work was lost. */
ze_result_t geo_compute_stream_check(struct geo_backend_stream *stream);

#endif
