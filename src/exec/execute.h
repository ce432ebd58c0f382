/* The host runtime: what a record does, one switch over the operations. */
#ifndef GEO_EXEC_EXECUTE_H
#define GEO_EXEC_EXECUTE_H

#include "exec/runner.h"

#define GEO_TIMESTAMP_BITS 56u /* nanoseconds: wraps after two years; many clients shift by it */

/* The device timer. */
static inline uint64_t geo_device_ticks(void)
{
    return geo_timer_ns() & ((1ull << GEO_TIMESTAMP_BITS) - 1);
}

/* Runs one record whose waits are over, except for raising its signal. DEVICE_LOST after a fault,
 * which the runner has been told of; NOT_READY: it waits for semaphores, the stream has to. */
ze_result_t geo_execute(const struct geo_command *command, const struct geo_runner *runner,
                        struct geo_exec_worker *worker);

#endif
