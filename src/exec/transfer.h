/* Copies and fills, shared out over workers when they are large. DEVICE_LOST when memory that they
 * touch is not there. */
#ifndef GEO_EXEC_TRANSFER_H
#define GEO_EXEC_TRANSFER_H

#include "exec/runner.h"

/* Overlapping copies behave as if through a buffer. */
ze_result_t geo_transfer_copy(const struct geo_command_copy *copy, const struct geo_runner *runner,
                              struct geo_exec_worker *worker);
ze_result_t geo_transfer_region(const struct geo_command_copy_region *region,
                                const struct geo_runner *runner, struct geo_exec_worker *worker);
ze_result_t geo_transfer_fill(const struct geo_command_fill *fill, const struct geo_runner *runner,
                              struct geo_exec_worker *worker);

#endif
