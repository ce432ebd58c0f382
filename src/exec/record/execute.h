/* Executes one command record: a switch over all operations. */
#ifndef GEO_EXEC_RECORD_EXECUTE_H
#define GEO_EXEC_RECORD_EXECUTE_H

#include "exec/record/runner.h"

/* of nanoseconds: wraps after two years; many clients shift by this number */
#define GEO_TIMESTAMP_BITS 56u

/* Returns the device timer in ticks. */
static inline uint64_t geo_ticks_now(void)
{
    return geo_timer_ns() & ((1ull << GEO_TIMESTAMP_BITS) - 1);
}

/* Executes a record whose waits are over, but does not raise its signal. Returns DEVICE_LOST after
 * a fault, of which the runner was told, and NOT_READY if the record waits for semaphores: then the
 * stream has to do that. */
ze_result_t geo_execute(const struct geo_command *command, const struct geo_runner *runner,
                        struct geo_exec_worker *worker);

#endif
