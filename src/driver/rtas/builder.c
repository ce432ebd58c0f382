/* Builder objects, and builds by a single thread. See builder.h. */
#include "driver/rtas/builder.h"

#include <stdlib.h>

static void builder_destroy(struct geo_object *object)
{
    free(object);
}

ze_result_t geo_rtas_builder_create(struct geo_driver *driver, struct geo_rtas_builder **out)
{
    struct geo_rtas_builder *builder = calloc(1, sizeof(*builder));
    if (!builder) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a builder");
    }
    geo_object_init(&builder->base, GEO_OBJECT_RTAS_BUILDER, driver, builder_destroy);
    *out = builder;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_rtas_builder_order_plan(struct geo_rtas_order *order, ze_rtas_format_ext_t format)
{
    struct geo_rtas_complaint complaint = {0};
    if ((uint32_t)format != GEO_RTAS_FORMAT) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                        "rtasFormat is 0x%x; devices of this driver have 0x%x", (unsigned)format,
                        GEO_RTAS_FORMAT);
    }
    if (order->input.count && !order->input.geometries) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_NULL_POINTER,
                        "ppGeometries is null, but numGeometries is %u", order->input.count);
    }
    ze_result_t result = geo_rtas_input_check(&order->input, &complaint);
    if (result != ZE_RESULT_SUCCESS) {
        return geo_fail(result, "geometry %u: %s", complaint.geometry, complaint.text);
    }
    result = geo_rtas_plan_make(&order->input, &order->plan);
    return result == ZE_RESULT_SUCCESS
               ? result
               : geo_fail(result, "%llu primitives in %u geometries are too many for a structure",
                          (unsigned long long)order->plan.primitives, order->input.count);
}

ze_result_t geo_rtas_builder_order_check(const struct geo_rtas_order *order, size_t scratch_bytes)
{
    GEO_ASSERT(order->plan.scratch.bytes > 0); /* planned before */
    if (scratch_bytes < order->plan.scratch.bytes) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the scratch buffer has %zu bytes, the build needs %zu", scratch_bytes,
                        order->plan.scratch.bytes);
    }
    if ((uintptr_t)order->target.buffer % GEO_RTAS_ALIGNMENT) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT,
                        "the structure's buffer is at %p, not aligned to %u bytes",
                        order->target.buffer, GEO_RTAS_ALIGNMENT);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_rtas_builder_result(const struct geo_rtas_build *build, ze_result_t retry)
{
    GEO_ASSERT(retry != ZE_RESULT_SUCCESS);
    return build->too_small
               ? geo_fail(retry, "a buffer of %zu bytes is too small", build->target.buffer_bytes)
               : ZE_RESULT_SUCCESS;
}

ze_result_t geo_rtas_builder_order_run(const struct geo_rtas_order *order)
{
    struct geo_rtas_build build;
    geo_rtas_build_begin(&build, &order->input, &order->plan, &order->target);
    geo_rtas_build_join(&build);
    GEO_ASSERT(build.stage == GEO_RTAS_STAGE_DONE);
    geo_rtas_build_finish(&build);
    return geo_rtas_builder_result(&build, order->retry);
}
