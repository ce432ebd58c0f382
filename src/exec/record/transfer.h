/* Copies and fills, shared with workers if they are large. They return DEVICE_LOST if memory that
 * they touch is not mapped. */
#ifndef GEO_EXEC_RECORD_TRANSFER_H
#define GEO_EXEC_RECORD_TRANSFER_H

#include "exec/record/runner.h"

/* Execute the copy and fill records of a stream on the calling worker, which may share them with
 * other workers. For overlapping ranges, geo_transfer_copy gives the result of a copy through a
 * buffer. */
ze_result_t geo_transfer_copy(const struct geo_command_copy *copy, const struct geo_runner *runner,
                              struct geo_exec_worker *worker);
ze_result_t geo_transfer_region(const struct geo_command_copy_region *region,
                                const struct geo_runner *runner, struct geo_exec_worker *worker);
ze_result_t geo_transfer_fill(const struct geo_command_fill *fill, const struct geo_runner *runner,
                              struct geo_exec_worker *worker);

#endif
