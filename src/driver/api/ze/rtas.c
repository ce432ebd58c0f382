/* API functions of acceleration structures for ray tracing, for both extensions; the experimental
 * one differs only in its names. rtas/ and driver/rtas/ do the work. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/rtas/operation.h"

#include <stddef.h>

/* ---- the two extensions ---- */

/* Result codes of an extension, and the structure type of its callbacks. */
struct family {
    ze_structure_type_t callback;
    ze_result_t retry, deferred, incompatible;
};

static const struct family ext = {ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXT_CB_PARAMS,
                                  ZE_RESULT_EXT_RTAS_BUILD_RETRY, ZE_RESULT_EXT_RTAS_BUILD_DEFERRED,
                                  ZE_RESULT_EXT_ERROR_OPERANDS_INCOMPATIBLE};
static const struct family exp_family = {
    ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXP_CB_PARAMS, ZE_RESULT_EXP_RTAS_BUILD_RETRY,
    ZE_RESULT_EXP_RTAS_BUILD_DEFERRED, ZE_RESULT_EXP_ERROR_OPERANDS_INCOMPATIBLE};

#define SAME_PLACE(type, field)                                                                    \
    _Static_assert(offsetof(ze_rtas_##type##_exp_t, field) ==                                      \
                       offsetof(ze_rtas_##type##_ext_t, field),                                    \
                   "the extensions differ")
#define SAME_SIZE(type)                                                                            \
    _Static_assert(sizeof(ze_rtas_##type##_exp_t) == sizeof(ze_rtas_##type##_ext_t),               \
                   "the extensions differ")
SAME_SIZE(aabb);
SAME_SIZE(builder_triangles_geometry_info);
SAME_PLACE(builder_triangles_geometry_info, geometryMask);
SAME_PLACE(builder_triangles_geometry_info, triangleStride);
SAME_PLACE(builder_triangles_geometry_info, pVertexBuffer);
SAME_SIZE(builder_quads_geometry_info);
SAME_PLACE(builder_quads_geometry_info, quadStride);
SAME_PLACE(builder_quads_geometry_info, pVertexBuffer);
SAME_SIZE(builder_procedural_geometry_info);
SAME_PLACE(builder_procedural_geometry_info, pfnGetBoundsCb);
SAME_SIZE(builder_instance_geometry_info);
SAME_PLACE(builder_instance_geometry_info, transformFormat);
SAME_PLACE(builder_instance_geometry_info, pAccelerationStructure);
_Static_assert(sizeof(ze_rtas_geometry_aabbs_exp_cb_params_t) ==
                   sizeof(ze_rtas_geometry_aabbs_ext_cb_params_t),
               "the extensions differ");
_Static_assert(offsetof(ze_rtas_geometry_aabbs_exp_cb_params_t, pBoundsOut) ==
                   offsetof(ze_rtas_geometry_aabbs_ext_cb_params_t, pBoundsOut),
               "the extensions differ");

/* ---- builders ---- */

static ze_result_t builder_create(ze_driver_handle_t hDriver,
                                  ze_rtas_builder_ext_handle_t *phBuilder)
{
    struct geo_driver *driver;
    struct geo_rtas_builder *builder;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK(geo_inventory_check_runs(driver));
    GEO_CHECK(geo_rtas_builder_create(driver, &builder));
    *phBuilder = geo_rtas_builder_handle(builder);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeRTASBuilderCreateExt(ze_driver_handle_t hDriver,
                                       const ze_rtas_builder_ext_desc_t *pDescriptor,
                                       ze_rtas_builder_ext_handle_t *phBuilder)
{
    (void)pDescriptor; /* the version was checked by the caller */
    return builder_create(hDriver, phBuilder);
}

ze_result_t geo_zeRTASBuilderCreateExp(ze_driver_handle_t hDriver,
                                       const ze_rtas_builder_exp_desc_t *pDescriptor,
                                       ze_rtas_builder_exp_handle_t *phBuilder)
{
    (void)pDescriptor;
    return builder_create(hDriver, (ze_rtas_builder_ext_handle_t *)phBuilder);
}

ze_result_t geo_zeRTASBuilderDestroyExt(ze_rtas_builder_ext_handle_t hBuilder)
{
    struct geo_rtas_builder *builder;
    GEO_CHECK(geo_rtas_builder_from(hBuilder, &builder));
    geo_object_close(&builder->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeRTASBuilderDestroyExp(ze_rtas_builder_exp_handle_t hBuilder)
{
    return geo_zeRTASBuilderDestroyExt((ze_rtas_builder_ext_handle_t)hBuilder);
}

/* ---- input of a build ---- */

static ze_result_t order_ext(const ze_rtas_builder_build_op_ext_desc_t *desc,
                             struct geo_rtas_order *order)
{
    order->retry = ext.retry;
    order->input = (struct geo_rtas_input){.geometries = desc->ppGeometries,
                                           .count = desc->numGeometries,
                                           .quality = desc->buildQuality,
                                           .flags = desc->buildFlags,
                                           .callback_stype = ext.callback};
    return geo_rtas_builder_order_plan(order, desc->rtasFormat);
}

static ze_result_t order_exp(const ze_rtas_builder_build_op_exp_desc_t *desc,
                             struct geo_rtas_order *order)
{
    order->retry = exp_family.retry;
    order->input = (struct geo_rtas_input){
        .geometries = (const ze_rtas_builder_geometry_info_ext_t *const *)desc->ppGeometries,
        .count = desc->numGeometries,
        .quality = (ze_rtas_builder_build_quality_hint_ext_t)desc->buildQuality,
        .flags = desc->buildFlags,
        .callback_stype = exp_family.callback};
    return geo_rtas_builder_order_plan(order, (ze_rtas_format_ext_t)desc->rtasFormat);
}

ze_result_t geo_zeRTASBuilderGetBuildPropertiesExt(
    ze_rtas_builder_ext_handle_t hBuilder,
    const ze_rtas_builder_build_op_ext_desc_t *pBuildOpDescriptor,
    ze_rtas_builder_ext_properties_t *pProperties)
{
    struct geo_rtas_builder *builder;
    struct geo_rtas_order order;
    GEO_CHECK(geo_rtas_builder_from(hBuilder, &builder));
    GEO_CHECK(order_ext(pBuildOpDescriptor, &order));
    pProperties->flags = 0;
    pProperties->rtasBufferSizeBytesExpected = order.plan.expected_bytes;
    pProperties->rtasBufferSizeBytesMaxRequired = order.plan.max_bytes;
    pProperties->scratchBufferSizeBytes = order.plan.scratch.bytes;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeRTASBuilderGetBuildPropertiesExp(
    ze_rtas_builder_exp_handle_t hBuilder,
    const ze_rtas_builder_build_op_exp_desc_t *pBuildOpDescriptor,
    ze_rtas_builder_exp_properties_t *pProperties)
{
    struct geo_rtas_builder *builder;
    struct geo_rtas_order order;
    GEO_CHECK(geo_rtas_builder_from((ze_rtas_builder_ext_handle_t)hBuilder, &builder));
    GEO_CHECK(order_exp(pBuildOpDescriptor, &order));
    pProperties->flags = 0;
    pProperties->rtasBufferSizeBytesExpected = order.plan.expected_bytes;
    pProperties->rtasBufferSizeBytesMaxRequired = order.plan.max_bytes;
    pProperties->scratchBufferSizeBytes = order.plan.scratch.bytes;
    return ZE_RESULT_SUCCESS;
}

/* ---- building ---- */

static ze_result_t build(const struct family *family, const struct geo_rtas_order *order,
                         size_t scratch_bytes, ze_rtas_parallel_operation_ext_handle_t handle)
{
    struct geo_rtas_operation *operation;
    GEO_CHECK(geo_rtas_builder_order_check(order, scratch_bytes));
    if (!handle) {
        return geo_rtas_builder_order_run(order);
    }
    GEO_CHECK(geo_rtas_operation_from(handle, &operation));
    GEO_CHECK(geo_rtas_operation_bind(operation, order));
    return family->deferred;
}

ze_result_t geo_zeRTASBuilderBuildExt(ze_rtas_builder_ext_handle_t hBuilder,
                                      const ze_rtas_builder_build_op_ext_desc_t *pBuildOpDescriptor,
                                      void *pScratchBuffer, size_t scratchBufferSizeBytes,
                                      void *pRtasBuffer, size_t rtasBufferSizeBytes,
                                      ze_rtas_parallel_operation_ext_handle_t hParallelOperation,
                                      void *pBuildUserPtr, ze_rtas_aabb_ext_t *pBounds,
                                      size_t *pRtasBufferSizeBytes)
{
    struct geo_rtas_builder *builder;
    struct geo_rtas_order order;
    GEO_CHECK(geo_rtas_builder_from(hBuilder, &builder));
    GEO_CHECK(order_ext(pBuildOpDescriptor, &order));
    order.input.callback_user = pBuildUserPtr;
    order.target = (struct geo_rtas_target){pScratchBuffer, pRtasBuffer, rtasBufferSizeBytes,
                                            pBounds, pRtasBufferSizeBytes};
    return build(&ext, &order, scratchBufferSizeBytes, hParallelOperation);
}

ze_result_t geo_zeRTASBuilderBuildExp(ze_rtas_builder_exp_handle_t hBuilder,
                                      const ze_rtas_builder_build_op_exp_desc_t *pBuildOpDescriptor,
                                      void *pScratchBuffer, size_t scratchBufferSizeBytes,
                                      void *pRtasBuffer, size_t rtasBufferSizeBytes,
                                      ze_rtas_parallel_operation_exp_handle_t hParallelOperation,
                                      void *pBuildUserPtr, ze_rtas_aabb_exp_t *pBounds,
                                      size_t *pRtasBufferSizeBytes)
{
    struct geo_rtas_builder *builder;
    struct geo_rtas_order order;
    GEO_CHECK(geo_rtas_builder_from((ze_rtas_builder_ext_handle_t)hBuilder, &builder));
    GEO_CHECK(order_exp(pBuildOpDescriptor, &order));
    order.input.callback_user = pBuildUserPtr;
    order.target = (struct geo_rtas_target){pScratchBuffer, pRtasBuffer, rtasBufferSizeBytes,
                                            (ze_rtas_aabb_ext_t *)pBounds, pRtasBufferSizeBytes};
    return build(&exp_family, &order, scratchBufferSizeBytes,
                 (ze_rtas_parallel_operation_ext_handle_t)hParallelOperation);
}

/* Copies a structure. It contains no absolute addresses (rtas/format.h), so its bytes are copied
 * unchanged. */
ze_result_t geo_zeRTASBuilderCommandListAppendCopyExt(ze_command_list_handle_t hCommandList,
                                                      void *dstptr, const void *srcptr, size_t size,
                                                      ze_event_handle_t hSignalEvent,
                                                      uint32_t numWaitEvents,
                                                      ze_event_handle_t *phWaitEvents)
{
    return geo_zeCommandListAppendMemoryCopy(hCommandList, dstptr, srcptr, size, hSignalEvent,
                                             numWaitEvents, phWaitEvents);
}

/* ---- formats ---- */

static ze_result_t formats_compare(const struct family *family, ze_driver_handle_t hDriver,
                                   uint32_t a, uint32_t b)
{
    struct geo_driver *driver;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    return a == b && a != ZE_RTAS_FORMAT_EXT_INVALID
               ? ZE_RESULT_SUCCESS
               : geo_fail(family->incompatible,
                          "acceleration structures of format 0x%x are not compatible with format "
                          "0x%x: only equal, valid formats are",
                          a, b);
}

ze_result_t geo_zeDriverRTASFormatCompatibilityCheckExt(ze_driver_handle_t hDriver,
                                                        ze_rtas_format_ext_t rtasFormatA,
                                                        ze_rtas_format_ext_t rtasFormatB)
{
    return formats_compare(&ext, hDriver, (uint32_t)rtasFormatA, (uint32_t)rtasFormatB);
}

ze_result_t geo_zeDriverRTASFormatCompatibilityCheckExp(ze_driver_handle_t hDriver,
                                                        ze_rtas_format_exp_t rtasFormatA,
                                                        ze_rtas_format_exp_t rtasFormatB)
{
    return formats_compare(&exp_family, hDriver, (uint32_t)rtasFormatA, (uint32_t)rtasFormatB);
}

/* ---- parallel operations ---- */

ze_result_t
geo_zeRTASParallelOperationCreateExt(ze_driver_handle_t hDriver,
                                     ze_rtas_parallel_operation_ext_handle_t *phParallelOperation)
{
    struct geo_driver *driver;
    struct geo_rtas_operation *operation;
    GEO_CHECK(geo_driver_from(hDriver, &driver));
    GEO_CHECK(geo_inventory_check_runs(driver));
    GEO_CHECK(geo_rtas_operation_create(driver, &operation));
    *phParallelOperation = geo_rtas_operation_handle(operation);
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zeRTASParallelOperationCreateExp(ze_driver_handle_t hDriver,
                                     ze_rtas_parallel_operation_exp_handle_t *phParallelOperation)
{
    return geo_zeRTASParallelOperationCreateExt(
        hDriver, (ze_rtas_parallel_operation_ext_handle_t *)phParallelOperation);
}

ze_result_t geo_zeRTASParallelOperationGetPropertiesExt(
    ze_rtas_parallel_operation_ext_handle_t hParallelOperation,
    ze_rtas_parallel_operation_ext_properties_t *pProperties)
{
    struct geo_rtas_operation *operation;
    uint32_t threads;
    GEO_CHECK(geo_rtas_operation_from(hParallelOperation, &operation));
    GEO_CHECK(geo_rtas_operation_concurrency(operation, &threads));
    pProperties->flags = 0;
    pProperties->maxConcurrency = threads;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeRTASParallelOperationGetPropertiesExp(
    ze_rtas_parallel_operation_exp_handle_t hParallelOperation,
    ze_rtas_parallel_operation_exp_properties_t *pProperties)
{
    struct geo_rtas_operation *operation;
    uint32_t threads;
    GEO_CHECK(geo_rtas_operation_from((ze_rtas_parallel_operation_ext_handle_t)hParallelOperation,
                                      &operation));
    GEO_CHECK(geo_rtas_operation_concurrency(operation, &threads));
    pProperties->flags = 0;
    pProperties->maxConcurrency = threads;
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zeRTASParallelOperationJoinExt(ze_rtas_parallel_operation_ext_handle_t hParallelOperation)
{
    struct geo_rtas_operation *operation;
    GEO_CHECK(geo_rtas_operation_from(hParallelOperation, &operation));
    return geo_rtas_operation_join(operation);
}

ze_result_t
geo_zeRTASParallelOperationJoinExp(ze_rtas_parallel_operation_exp_handle_t hParallelOperation)
{
    return geo_zeRTASParallelOperationJoinExt(
        (ze_rtas_parallel_operation_ext_handle_t)hParallelOperation);
}

ze_result_t
geo_zeRTASParallelOperationDestroyExt(ze_rtas_parallel_operation_ext_handle_t hParallelOperation)
{
    struct geo_rtas_operation *operation;
    GEO_CHECK(geo_rtas_operation_from(hParallelOperation, &operation));
    geo_object_close(&operation->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zeRTASParallelOperationDestroyExp(ze_rtas_parallel_operation_exp_handle_t hParallelOperation)
{
    return geo_zeRTASParallelOperationDestroyExt(
        (ze_rtas_parallel_operation_ext_handle_t)hParallelOperation);
}
