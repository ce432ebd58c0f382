/* Executes hints on memory. A prefetch makes pages resident before kernels touch them, if there is
 * room. Placement is left to the backend. Problems of a hint are never errors. */
#ifndef GEO_EXEC_HINT_H
#define GEO_EXEC_HINT_H

#include "exec/runner.h"

ze_result_t geo_hint(const struct geo_command_range *range, const struct geo_runner *runner,
                     struct geo_exec_worker *worker);

#endif
