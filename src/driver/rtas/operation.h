/* Parallel operations: a build that waits for threads of the application to do it.
 *
 *     create -> bind (zeRTASBuilderBuild*) -> join, any number of threads -> done
 *                 ^                                                            |
 *                 +------------------------------------------------------------+
 *
 * Who joins a build that is done gets its result at once; so threads may come late. */
#ifndef GEO_DRIVER_RTAS_OPERATION_H
#define GEO_DRIVER_RTAS_OPERATION_H

#include "base/lock.h"
#include "driver/rtas/builder.h"

struct geo_rtas_operation {
    struct geo_object base;
    struct geo_object_lock lock;
    /* Under lock: */
    bool bound;      /* to `build`, from the first bind on */
    uint32_t joined; /* threads that are in it */
    ze_result_t retry;
    struct geo_rtas_build build;
};

GEO_OBJECT_HANDLE(rtas_operation, GEO_OBJECT_RTAS_OPERATION,
                  ze_rtas_parallel_operation_ext_handle_t)

GEO_MUST_CHECK ze_result_t geo_rtas_operation_create(struct geo_driver *driver,
                                                     struct geo_rtas_operation **out);

/* HANDLE_OBJECT_IN_USE while another build is not done, or threads are still in it. */
GEO_MUST_CHECK ze_result_t geo_rtas_operation_bind(struct geo_rtas_operation *operation,
                                                   const struct geo_rtas_order *order);

/* Both are INVALID_ARGUMENT before the first bind. */
GEO_MUST_CHECK ze_result_t geo_rtas_operation_concurrency(struct geo_rtas_operation *operation,
                                                          uint32_t *threads);
GEO_MUST_CHECK ze_result_t geo_rtas_operation_join(struct geo_rtas_operation *operation);

#endif
