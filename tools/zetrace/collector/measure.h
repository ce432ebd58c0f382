/* Metrics of devices, for zetrace --metrics: queries around kernels, or a streamer. All but the
 * sampling thread runs under the lock of tracker.h. */
#ifndef TOOLS_ZETRACE_MEASURE_H
#define TOOLS_ZETRACE_MEASURE_H

#include "clock.h"

#include <level_zero/zet_api.h>

#include <stdbool.h>

/* A device that is measured in a context, and its group of metrics. */
struct measured;

/* A query of a kernel. It is used again after it has been read. */
struct query;

/* Begins to measure a device in a context, if it is not measured yet and metrics are wanted. */
void measure_begin(ze_context_handle_t context, struct device *device);

/* Appends the begin of a query to a list. Returns NULL if kernels are not measured. */
struct query *measure_kernel_begin(ze_context_handle_t context, const struct device *device,
                                   ze_command_list_handle_t list);
/* Appends the end of the query. If that fails, or `wanted` is false, the query is not used any
 * longer, and the result is NULL. */
struct query *measure_kernel_end(struct query *query, ze_command_list_handle_t list, bool wanted);

/* A kernel that was measured: its name, and its time as a command. */
struct measured_kernel {
    uint32_t name;
    uint64_t begin, end;
};

/* Writes the values of a query to the trace and makes the query ready for the next execution.
 * Returns false if they are not there yet. */
bool measure_read(struct query *query, const struct measured_kernel *kernel);
/* Gives a query back. It was read, and nothing will execute it any more. */
void measure_release(struct query *query);

/* Counts kernels that were not measured. */
void measure_unmeasured(uint32_t count);

/* The context is about to end. */
void measure_context_end(ze_context_handle_t context);
/* The process ends: reads the last samples. */
void measure_end(void);
void measure_forked(void);

#endif
