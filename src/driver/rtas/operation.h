/* Parallel operations: a build that waits for the application's threads to run it.
 *
 *     create -> bind (zeRTASBuilderBuild*) -> join, any number of threads -> done
 *                 ^                                                            |
 *                 +------------------------------------------------------------+
 *
 * A thread that joins a finished build gets its result at once, so threads may come late. */
#ifndef GEO_DRIVER_RTAS_OPERATION_H
#define GEO_DRIVER_RTAS_OPERATION_H

#include "base/lock.h"
#include "driver/rtas/builder.h"

/* A parallel operation of the application. Threads that join reference it. */
struct geo_rtas_operation {
    struct geo_object base;
    struct geo_object_lock lock;
    /* protected by the lock: */
    bool bound;      /* `build` is initialised, from the first bind on */
    uint32_t joined; /* threads inside geo_rtas_operation_join */
    ze_result_t retry;
    struct geo_rtas_build build;
};

GEO_OBJECT_HANDLE(rtas_operation, GEO_OBJECT_RTAS_OPERATION,
                  ze_rtas_parallel_operation_ext_handle_t)

GEO_MUST_CHECK ze_result_t geo_rtas_operation_create(struct geo_driver *driver,
                                                     struct geo_rtas_operation **out);

/* Binds a build to the operation. Returns HANDLE_OBJECT_IN_USE if the last one is not done or
 * threads are still in it. */
GEO_MUST_CHECK ze_result_t geo_rtas_operation_bind(struct geo_rtas_operation *operation,
                                                   const struct geo_rtas_order *order);

/* geo_rtas_operation_concurrency returns how many threads can usefully join the build.
 * geo_rtas_operation_join takes part in the build until it is done. Both return INVALID_ARGUMENT
 * before the first bind. */
GEO_MUST_CHECK ze_result_t geo_rtas_operation_concurrency(struct geo_rtas_operation *operation,
                                                          uint32_t *threads);
GEO_MUST_CHECK ze_result_t geo_rtas_operation_join(struct geo_rtas_operation *operation);

#endif
