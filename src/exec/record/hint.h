/* Executes hints on memory. A prefetch makes pages resident before kernels touch them, if there is
 * room. Placement is left to the backend. Problems of a hint are never errors. */
#ifndef GEO_EXEC_RECORD_HINT_H
#define GEO_EXEC_RECORD_HINT_H

#include "exec/record/runner.h"

/* Executes a prefetch or an advice. Returns OUT_OF_HOST_MEMORY if scratch memory for the job is
 * short. */
ze_result_t geo_hint(const struct geo_command_range *range, const struct geo_runner *runner,
                     struct geo_exec_worker *worker);

#endif
