/* What a record does: one switch over the operations. */
#ifndef GEO_EXEC_EXECUTE_H
#define GEO_EXEC_EXECUTE_H

#include "exec/device.h"

/* Runs one record whose waits are over, except for raising its signal. owner: the stream. */
ze_result_t geo_execute(const struct geo_command *command, const struct geo_host_executor *executor,
                        struct geo_host_worker *worker, const void *owner);

#endif
