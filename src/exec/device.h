/* A device of the host runtime: what cpu and null share. Both run records through the same streams
 * and differ in the executor: what happens to the records that touch data. */
#ifndef GEO_EXEC_DEVICE_H
#define GEO_EXEC_DEVICE_H

#include "backend/backend.h"
#include "exec/worker.h"

#define GEO_TIMESTAMP_BITS 56u /* nanoseconds: wraps after two years; many clients shift by it */

struct geo_host_executor {
    /* Runs a launch, on this thread and with the pool's help. DEVICE_LOST, OUT_OF_HOST_MEMORY. */
    ze_result_t (*launch)(const struct geo_command_launch *launch, struct geo_host_worker *worker,
                          const void *owner);
    bool transfers; /* copies and fills really happen */
};

struct geo_backend_device {
    struct geo_device_info info;
    const struct geo_host_executor *executor;
};

/* The device timer. */
uint64_t geo_device_ticks(void);

extern const struct geo_stream_ops geo_host_stream_ops;

#endif
