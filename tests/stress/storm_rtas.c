/* A storm's builds of ray tracing structures: each makes a builder, an operation and a structure of
 * a few triangles. See storm.h. */
#include "storm.h"

#include <stdlib.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        ze_result_t try_ = (call);                                                                 \
        if (try_ != ZE_RESULT_SUCCESS) {                                                           \
            return try_;                                                                           \
        }                                                                                          \
    } while (0)

enum { TRIANGLES = 20 };

struct rtas_build {
    ze_rtas_builder_ext_handle_t builder;
    ze_rtas_parallel_operation_ext_handle_t operation;
    ze_rtas_builder_build_op_ext_desc_t desc;
    void *scratch, *buffer;
};

static ze_result_t rtas_run(struct rtas_build *build)
{
    ze_rtas_builder_ext_properties_t sizes = {.stype =
                                                  ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_PROPERTIES};
    ze_rtas_parallel_operation_ext_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_RTAS_PARALLEL_OPERATION_EXT_PROPERTIES};
    TRY(zeRTASBuilderGetBuildPropertiesExt(build->builder, &build->desc, &sizes));
    size_t room = (sizes.rtasBufferSizeBytesMaxRequired + 127) & ~(size_t)127;
    build->scratch = malloc(sizes.scratchBufferSizeBytes);
    build->buffer = aligned_alloc(128, room);
    if (!build->scratch || !build->buffer) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result = zeRTASBuilderBuildExt(build->builder, &build->desc, build->scratch,
                                               sizes.scratchBufferSizeBytes, build->buffer, room,
                                               build->operation, NULL, NULL, NULL);
    if (result != ZE_RESULT_EXT_RTAS_BUILD_DEFERRED) {
        return result;
    }
    TRY(zeRTASParallelOperationGetPropertiesExt(build->operation, &properties));
    return zeRTASParallelOperationJoinExt(build->operation);
}

static ze_result_t rtas_objects(struct storm *storm, struct rtas_build *build)
{
    const ze_rtas_builder_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_DESC,
                                             .builderVersion = ZE_RTAS_BUILDER_EXT_VERSION_CURRENT};
    ze_driver_handle_t driver = storm_pick(storm, STORM_DRIVER);
    TRY(zeRTASBuilderCreateExt(driver, &desc, &build->builder));
    ze_result_t result = zeRTASParallelOperationCreateExt(driver, &build->operation);
    if (result == ZE_RESULT_SUCCESS) {
        result = rtas_run(build);
        zeRTASParallelOperationDestroyExt(build->operation);
    }
    zeRTASBuilderDestroyExt(build->builder);
    return result;
}

ze_result_t storm_rtas(struct storm *storm)
{
    float vertices[3 * TRIANGLES][3];
    uint32_t indices[TRIANGLES][3];
    ze_rtas_device_ext_properties_t device = {.stype =
                                                  ZE_STRUCTURE_TYPE_RTAS_DEVICE_EXT_PROPERTIES};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                                         .pNext = &device};
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
        indices[i / 3][i % 3] = i;
        for (int axis = 0; axis < 3; axis++) {
            vertices[i][axis] = (float)storm_below(storm, 1000);
        }
    }
    const ze_rtas_builder_triangles_geometry_info_ext_t info = {
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_TRIANGLES,
        .geometryMask = 0xff,
        .triangleFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_TRIANGLE_INDICES_UINT32,
        .vertexFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
        .triangleCount = TRIANGLES,
        .vertexCount = 3 * TRIANGLES,
        .triangleStride = sizeof(indices[0]),
        .vertexStride = sizeof(vertices[0]),
        .pTriangleBuffer = indices,
        .pVertexBuffer = vertices};
    const ze_rtas_builder_geometry_info_ext_t *list[] = {(const void *)&info};
    TRY(zeDeviceGetProperties(storm_pick(storm, STORM_DEVICE), &properties));
    struct rtas_build build = {
        .desc = {.stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_BUILD_OP_EXT_DESC,
                 .rtasFormat = device.rtasFormat,
                 .buildQuality = (ze_rtas_builder_build_quality_hint_ext_t)storm_below(storm, 3),
                 .ppGeometries = list,
                 .numGeometries = 1}};
    ze_result_t result = rtas_objects(storm, &build);
    free(build.scratch);
    free(build.buffer);
    return result;
}

/* By the other extension: objects only, the rest is the same code. */
ze_result_t storm_rtas_exp(struct storm *storm)
{
    const ze_rtas_builder_exp_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXP_DESC,
                                             .builderVersion = ZE_RTAS_BUILDER_EXP_VERSION_CURRENT};
    ze_driver_handle_t driver = storm_pick(storm, STORM_DRIVER);
    ze_rtas_builder_exp_handle_t builder;
    ze_rtas_parallel_operation_exp_handle_t operation;
    TRY(zeRTASBuilderCreateExp(driver, &desc, &builder));
    TRY(zeRTASBuilderDestroyExp(builder));
    TRY(zeRTASParallelOperationCreateExp(driver, &operation));
    return zeRTASParallelOperationDestroyExp(operation);
}
