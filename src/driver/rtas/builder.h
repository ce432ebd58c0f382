/* Builder objects, with which an application builds acceleration structures. They have no state,
 * and one builder serves any number of builds at once. rtas/build.h does the work. */
#ifndef GEO_DRIVER_RTAS_BUILDER_H
#define GEO_DRIVER_RTAS_BUILDER_H

#include "driver/core/driver.h"
#include "rtas/build.h"

/* A builder of the application. */
struct geo_rtas_builder {
    struct geo_object base;
};

GEO_OBJECT_HANDLE(rtas_builder, GEO_OBJECT_RTAS_BUILDER, ze_rtas_builder_ext_handle_t)

GEO_MUST_CHECK ze_result_t geo_rtas_builder_create(struct geo_driver *driver,
                                                   struct geo_rtas_builder **out);

/* A requested build after its checks. `retry` is the result for a buffer that is too small. */
struct geo_rtas_order {
    struct geo_rtas_input input;
    struct geo_rtas_plan plan;
    struct geo_rtas_target target;
    ze_result_t retry;
};

/* Checks the input and computes the plan. */
GEO_MUST_CHECK ze_result_t geo_rtas_builder_order_plan(struct geo_rtas_order *order,
                                                       ze_rtas_format_ext_t format);
/* Checks the size of the scratch buffer and the alignment of the structure's buffer. Call it after
 * geo_rtas_builder_order_plan. */
GEO_MUST_CHECK ze_result_t geo_rtas_builder_order_check(const struct geo_rtas_order *order,
                                                        size_t scratch_bytes);

/* Builds on the calling thread alone. */
GEO_MUST_CHECK ze_result_t geo_rtas_builder_order_run(const struct geo_rtas_order *order);

/* Returns SUCCESS, or `retry` if the buffer was too small. */
ze_result_t geo_rtas_builder_result(const struct geo_rtas_build *build, ze_result_t retry);

#endif
