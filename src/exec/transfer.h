/* Copies and fills, shared out over the pool when they are large. DEVICE_LOST when memory that they
 * touch is not there. */
#ifndef GEO_EXEC_TRANSFER_H
#define GEO_EXEC_TRANSFER_H

#include "backend/command.h"
#include "exec/worker.h"

#include <level_zero/ze_api.h>

/* owner: the stream, so that a thread that waits for it may help. Overlapping copies behave as if
 * through a buffer. */
ze_result_t geo_transfer_copy(const struct geo_command_copy *copy, struct geo_host_worker *worker,
                              const void *owner);
ze_result_t geo_transfer_region(const struct geo_command_copy_region *region,
                                struct geo_host_worker *worker, const void *owner);
ze_result_t geo_transfer_fill(const struct geo_command_fill *fill, struct geo_host_worker *worker,
                              const void *owner);

#endif
