/* Hints on memory: prefetches make pages present before kernels touch them, where there is room;
 * placement is the backend's. Nothing that a hint meets is an error. */
#ifndef GEO_EXEC_HINT_H
#define GEO_EXEC_HINT_H

#include "exec/runner.h"

ze_result_t geo_hint(const struct geo_command_range *range, const struct geo_runner *runner,
                     struct geo_exec_worker *worker);

#endif
