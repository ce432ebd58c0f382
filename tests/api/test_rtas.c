/* API test of acceleration structures for ray tracing, by both extensions. What is in a structure
 * is proven by tests/unit/rtas; here it is opaque, as it is to applications. */
#include "harness.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { MESH = 3000, THREADS = 6, GUARD = 256, GUARD_BYTE = 0x5b };

/* ---- a scene ---- */

struct mesh {
    ze_rtas_float3_ext_t vertices[3 * MESH];
    ze_rtas_triangle_indices_uint32_ext_t triangles[MESH];
    ze_rtas_builder_triangles_geometry_info_ext_t info;
};

/* Triangles in the box from -1 to 1, which they touch on all sides. */
static struct mesh *mesh_create(void)
{
    struct mesh *mesh = calloc(1, sizeof(*mesh));
    uint32_t random = 12345;
    assert_non_null(mesh);
    for (uint32_t i = 0; i < 3 * MESH; i++) {
        float *at = &mesh->vertices[i].x;
        for (int axis = 0; axis < 3; axis++) {
            random = random * 1664525u + 1013904223u;
            at[axis] = (float)(random >> 8) / 8388608.0f - 1;
            at[axis] = i < 2 ? (i ? 1.0f : -1.0f) : at[axis];
        }
        (&mesh->triangles[i / 3].v0)[i % 3] = i;
    }
    mesh->info = (ze_rtas_builder_triangles_geometry_info_ext_t){
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_TRIANGLES,
        .geometryMask = 0xff,
        .triangleFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_TRIANGLE_INDICES_UINT32,
        .vertexFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
        .triangleCount = MESH,
        .vertexCount = 3 * MESH,
        .triangleStride = sizeof(mesh->triangles[0]),
        .vertexStride = sizeof(mesh->vertices[0]),
        .pTriangleBuffer = mesh->triangles,
        .pVertexBuffer = mesh->vertices};
    return mesh;
}

static const ze_rtas_builder_geometry_info_ext_t *geometry_of(const void *info)
{
    return info;
}

struct device {
    ze_rtas_format_ext_t format;
    uint32_t alignment;
};

static struct device device_ask(struct api *api)
{
    ze_rtas_device_ext_properties_t rtas = {.stype = ZE_STRUCTURE_TYPE_RTAS_DEVICE_EXT_PROPERTIES};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2,
                                         .pNext = &rtas};
    assert_success(zeDeviceGetProperties(api->device, &properties));
    return (struct device){rtas.rtasFormat, rtas.rtasBufferAlignment};
}

/* ---- a build ---- */

struct job {
    ze_rtas_builder_ext_handle_t builder;
    ze_rtas_builder_build_op_ext_desc_t desc;
    const ze_rtas_builder_geometry_info_ext_t *list[3];
    ze_rtas_builder_ext_properties_t sizes;
    char *scratch, *buffer; /* with guards behind them */
    size_t alignment;
    ze_rtas_aabb_ext_t bounds;
    size_t bytes;
};

static char *guarded(size_t alignment, size_t bytes)
{
    char *memory = aligned_alloc(alignment, (bytes + GUARD + alignment) / alignment * alignment);
    assert_non_null(memory);
    memset(memory, GUARD_BYTE, bytes + GUARD);
    return memory;
}

static void guard_check(const char *memory, size_t from, size_t to)
{
    for (size_t i = from; i < to + GUARD; i++) {
        assert_int_equal(memory[i], GUARD_BYTE);
    }
}

/* A job for up to three geometries, with buffers as large as the builder wants. */
static struct job job_begin(struct api *api, ze_rtas_builder_build_quality_hint_ext_t quality,
                            const void *a, const void *b, const void *c)
{
    const ze_rtas_builder_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_DESC,
                                             .builderVersion = ZE_RTAS_BUILDER_EXT_VERSION_CURRENT};
    struct device device = device_ask(api);
    struct job job = {.list = {geometry_of(a), geometry_of(b), geometry_of(c)},
                      .alignment = device.alignment,
                      .sizes = {.stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_PROPERTIES}};
    job.desc = (ze_rtas_builder_build_op_ext_desc_t){
        .stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_BUILD_OP_EXT_DESC,
        .rtasFormat = device.format,
        .buildQuality = quality,
        .ppGeometries = job.list,
        .numGeometries = 3};
    assert_success(zeRTASBuilderCreateExt(api->driver, &desc, &job.builder));
    assert_success(zeRTASBuilderGetBuildPropertiesExt(job.builder, &job.desc, &job.sizes));
    assert_true(job.sizes.rtasBufferSizeBytesExpected > 0);
    assert_true(job.sizes.rtasBufferSizeBytesExpected <= job.sizes.rtasBufferSizeBytesMaxRequired);
    assert_true(job.sizes.scratchBufferSizeBytes > 0);
    job.scratch = guarded(16, job.sizes.scratchBufferSizeBytes);
    job.buffer = guarded(job.alignment, job.sizes.rtasBufferSizeBytesMaxRequired);
    return job;
}

static ze_result_t job_build(struct job *job, size_t room,
                             ze_rtas_parallel_operation_ext_handle_t operation)
{
    job->desc.ppGeometries = job->list;
    return zeRTASBuilderBuildExt(job->builder, &job->desc, job->scratch,
                                 job->sizes.scratchBufferSizeBytes, job->buffer, room, operation,
                                 NULL, &job->bounds, &job->bytes);
}

static size_t job_most(const struct job *job)
{
    return job->sizes.rtasBufferSizeBytesMaxRequired;
}

/* What a successful build has left. */
static void job_check(const struct job *job)
{
    assert_true(job->bytes > 0 && job->bytes <= job_most(job));
    guard_check(job->buffer, job->bytes, job_most(job));
    guard_check(job->scratch, job->sizes.scratchBufferSizeBytes, job->sizes.scratchBufferSizeBytes);
}

static void job_end(struct job *job)
{
    assert_success(zeRTASBuilderDestroyExt(job->builder));
    free(job->scratch);
    free(job->buffer);
}

static void assert_bounds(const ze_rtas_aabb_ext_t *bounds, float lower, float upper)
{
    assert_true(bounds->lower.x == lower && bounds->lower.y == lower && bounds->lower.z == lower);
    assert_true(bounds->upper.x == upper && bounds->upper.y == upper && bounds->upper.z == upper);
}

/* ---- what there is ---- */

static void devices_tell_their_format(void **state)
{
    struct api *api = *state;
    struct device device = device_ask(api);
    ze_rtas_device_exp_properties_t exp = {.stype = ZE_STRUCTURE_TYPE_RTAS_DEVICE_EXP_PROPERTIES,
                                           .flags = ~0u};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                                         .pNext = &exp};
    assert_true((int)device.format > (int)ZE_RTAS_FORMAT_EXT_INVALID);
    assert_true((int)device.format < (int)ZE_RTAS_FORMAT_EXT_MAX);
    assert_true(device.alignment > 0 && (device.alignment & (device.alignment - 1)) == 0);
    assert_success(zeDeviceGetProperties(api->device, &properties));
    assert_int_equal(exp.flags, 0);
    assert_int_equal(exp.rtasFormat, device.format);
    assert_int_equal(exp.rtasBufferAlignment, device.alignment);
}

static void formats_are_compatible_with_themselves(void **state)
{
    struct api *api = *state;
    ze_rtas_format_ext_t format = device_ask(api).format,
                         other = (ze_rtas_format_ext_t)(format + 1);
    ze_rtas_format_exp_t format_exp = (ze_rtas_format_exp_t)format,
                         other_exp = (ze_rtas_format_exp_t)other;
    assert_success(zeDriverRTASFormatCompatibilityCheckExt(api->driver, format, format));
    assert_success(zeDriverRTASFormatCompatibilityCheckExp(api->driver, format_exp, format_exp));
    assert_result(zeDriverRTASFormatCompatibilityCheckExt(api->driver, format, other),
                  ZE_RESULT_EXT_ERROR_OPERANDS_INCOMPATIBLE);
    assert_result(zeDriverRTASFormatCompatibilityCheckExt(api->driver, other, format),
                  ZE_RESULT_EXT_ERROR_OPERANDS_INCOMPATIBLE);
    assert_result(zeDriverRTASFormatCompatibilityCheckExp(api->driver, format_exp, other_exp),
                  ZE_RESULT_EXP_ERROR_OPERANDS_INCOMPATIBLE);
    assert_result(zeDriverRTASFormatCompatibilityCheckExt(api->driver, ZE_RTAS_FORMAT_EXT_INVALID,
                                                          ZE_RTAS_FORMAT_EXT_INVALID),
                  ZE_RESULT_EXT_ERROR_OPERANDS_INCOMPATIBLE);
}

static void builds_tell_bounds_and_size(void **state)
{
    struct api *api = *state;
    struct mesh *mesh = mesh_create();
    for (int quality = 0; quality < 3; quality++) {
        struct job job = job_begin(api, (ze_rtas_builder_build_quality_hint_ext_t)quality,
                                   &mesh->info, NULL, NULL);
        assert_success(job_build(&job, job_most(&job), NULL));
        job_check(&job);
        assert_bounds(&job.bounds, -1, 1);
        job.desc.ppGeometries = job.list;
        assert_success(zeRTASBuilderBuildExt(job.builder, &job.desc, job.scratch,
                                             job.sizes.scratchBufferSizeBytes, job.buffer,
                                             job_most(&job), NULL, NULL, NULL, NULL));
        job_end(&job);
    }
    free(mesh);
}

static void scenes_without_anything_are_built(void **state)
{
    struct api *api = *state;
    struct job job =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_MEDIUM, NULL, NULL, NULL);
    assert_success(job_build(&job, job_most(&job), NULL));
    job_check(&job);
    assert_bounds(&job.bounds, INFINITY, -INFINITY);
    job.desc.numGeometries = 0;
    job.desc.ppGeometries = NULL;
    assert_success(zeRTASBuilderGetBuildPropertiesExt(job.builder, &job.desc, &job.sizes));
    assert_success(zeRTASBuilderBuildExt(job.builder, &job.desc, job.scratch,
                                         job.sizes.scratchBufferSizeBytes, job.buffer,
                                         job_most(&job), NULL, NULL, &job.bounds, &job.bytes));
    assert_bounds(&job.bounds, INFINITY, -INFINITY);
    job_end(&job);
}

static void too_small_a_buffer_says_how_much(void **state)
{
    struct api *api = *state;
    struct mesh *mesh = mesh_create();
    struct job job =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_HIGH, &mesh->info, NULL, NULL);
    const char *text = NULL;
    assert_result(job_build(&job, 100, NULL), ZE_RESULT_EXT_RTAS_BUILD_RETRY);
    assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
    assert_non_null(strstr(text, "100 bytes"));
    guard_check(job.buffer, 100, job_most(&job));
    size_t needed = job.bytes;
    assert_true(needed > 100 && needed <= job_most(&job));
    assert_result(job_build(&job, needed - 1, NULL), ZE_RESULT_EXT_RTAS_BUILD_RETRY);
    assert_int_equal(job.bytes, needed);
    assert_success(job_build(&job, needed, NULL));
    assert_int_equal(job.bytes, needed);
    job_check(&job);
    job_end(&job);
    free(mesh);
}

/* ---- what is refused ---- */

static void wrong_orders_are_refused(void **state)
{
    struct api *api = *state;
    struct mesh *mesh = mesh_create();
    struct job job =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_LOW, NULL, &mesh->info, NULL);
    const char *text = NULL;
    job.desc.ppGeometries = job.list;
    job.desc.rtasFormat = (ze_rtas_format_ext_t)(job.desc.rtasFormat + 1);
    assert_result(zeRTASBuilderGetBuildPropertiesExt(job.builder, &job.desc, &job.sizes),
                  ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    assert_result(job_build(&job, job_most(&job), NULL), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    job.desc.rtasFormat = (ze_rtas_format_ext_t)(job.desc.rtasFormat - 1);
    job.buffer += 4;
    assert_result(job_build(&job, job_most(&job), NULL), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    job.buffer -= 4;
    job.sizes.scratchBufferSizeBytes--;
    assert_result(job_build(&job, job_most(&job), NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    job.sizes.scratchBufferSizeBytes++;
    mesh->info.geometryType = 9;
    assert_result(job_build(&job, job_most(&job), NULL), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_success(zeDriverGetLastErrorDescription(api->driver, &text));
    assert_non_null(strstr(text, "geometry 1"));
    mesh->info.geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_TRIANGLES;
    mesh->info.pVertexBuffer = NULL;
    assert_result(job_build(&job, job_most(&job), NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    mesh->info.pVertexBuffer = mesh->vertices;
    job.desc.ppGeometries = NULL;
    assert_result(zeRTASBuilderGetBuildPropertiesExt(job.builder, &job.desc, &job.sizes),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_success(job_build(&job, job_most(&job), NULL));
    job_check(&job);
    job_end(&job);
    free(mesh);
}

/* ---- parallel operations ---- */

struct joiner {
    ze_rtas_parallel_operation_ext_handle_t operation;
    ze_result_t result;
    pthread_t thread;
};

static void *join(void *data)
{
    struct joiner *joiner = data;
    joiner->result = zeRTASParallelOperationJoinExt(joiner->operation);
    return NULL;
}

static void join_all(ze_rtas_parallel_operation_ext_handle_t operation, ze_result_t expected)
{
    struct joiner joiners[THREADS];
    for (int i = 0; i < THREADS; i++) {
        joiners[i].operation = operation;
        assert_int_equal(pthread_create(&joiners[i].thread, NULL, join, &joiners[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(joiners[i].thread, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) { /* a failure leaves this function: no thread may run */
        assert_int_equal(joiners[i].result, expected);
    }
}

static void threads_join_a_deferred_build(void **state)
{
    struct api *api = *state;
    struct mesh *mesh = mesh_create();
    ze_rtas_parallel_operation_ext_handle_t operation;
    ze_rtas_parallel_operation_ext_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_RTAS_PARALLEL_OPERATION_EXT_PROPERTIES, .flags = ~0u};
    assert_success(zeRTASParallelOperationCreateExt(api->driver, &operation));
    for (int quality = 0; quality < 3; quality++) {
        struct job job = job_begin(api, (ze_rtas_builder_build_quality_hint_ext_t)quality,
                                   &mesh->info, NULL, NULL);
        assert_success(job_build(&job, job_most(&job), NULL));
        size_t bytes = job.bytes;
        memset(job.buffer, GUARD_BYTE, job_most(&job));
        job.bytes = 0;
        assert_result(job_build(&job, job_most(&job), operation),
                      ZE_RESULT_EXT_RTAS_BUILD_DEFERRED);
        guard_check(job.buffer, 0, job_most(&job)); /* nobody has joined */
        assert_int_equal(job.bytes, 0);
        assert_success(zeRTASParallelOperationGetPropertiesExt(operation, &properties));
        assert_int_equal(properties.flags, 0);
        assert_true(properties.maxConcurrency >= 1);
        join_all(operation, ZE_RESULT_SUCCESS);
        job_check(&job);
        assert_int_equal(job.bytes, bytes);
        assert_bounds(&job.bounds, -1, 1);
        assert_success(zeRTASParallelOperationJoinExt(operation)); /* late: it is done */
        job_end(&job);
    }
    assert_success(zeRTASParallelOperationDestroyExt(operation));
    free(mesh);
}

static void all_threads_get_the_result(void **state)
{
    struct api *api = *state;
    struct mesh *mesh = mesh_create();
    struct job job =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_MEDIUM, &mesh->info, NULL, NULL);
    ze_rtas_parallel_operation_ext_handle_t operation;
    assert_success(zeRTASParallelOperationCreateExt(api->driver, &operation));
    assert_result(job_build(&job, 1000, operation), ZE_RESULT_EXT_RTAS_BUILD_DEFERRED);
    join_all(operation, ZE_RESULT_EXT_RTAS_BUILD_RETRY);
    size_t needed = job.bytes;
    assert_true(needed > 1000 && needed <= job_most(&job));
    assert_result(job_build(&job, needed, operation), ZE_RESULT_EXT_RTAS_BUILD_DEFERRED);
    join_all(operation, ZE_RESULT_SUCCESS);
    job_check(&job);
    assert_success(zeRTASParallelOperationDestroyExt(operation));
    job_end(&job);
    free(mesh);
}

static void operations_take_part_in_one_build(void **state)
{
    struct api *api = *state;
    struct mesh *mesh = mesh_create();
    struct job job =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_LOW, &mesh->info, NULL, NULL);
    ze_rtas_parallel_operation_ext_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_RTAS_PARALLEL_OPERATION_EXT_PROPERTIES};
    ze_rtas_parallel_operation_ext_handle_t operation;
    assert_success(zeRTASParallelOperationCreateExt(api->driver, &operation));
    assert_result(zeRTASParallelOperationGetPropertiesExt(operation, &properties),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* of no build yet */
    assert_result(zeRTASParallelOperationJoinExt(operation), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(job_build(&job, job_most(&job), operation), ZE_RESULT_EXT_RTAS_BUILD_DEFERRED);
    assert_result(job_build(&job, job_most(&job), operation), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zeRTASParallelOperationJoinExt(operation));
    assert_result(job_build(&job, job_most(&job), operation), ZE_RESULT_EXT_RTAS_BUILD_DEFERRED);
    assert_success(zeRTASParallelOperationDestroyExt(operation)); /* of a build that nobody did */
    job_end(&job);
    free(mesh);
}

/* ---- procedurals and instances ---- */

static void boxes_callback(ze_rtas_geometry_aabbs_ext_cb_params_t *params)
{
    assert_int_equal(params->stype, ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXT_CB_PARAMS);
    float scale = *(float *)params->pGeomUserPtr + *(float *)params->pBuildUserPtr;
    for (uint32_t i = 0; i < params->primIDCount; i++) {
        float at = (float)(params->primID + i) * scale;
        params->pBoundsOut[i] = (ze_rtas_aabb_ext_t){{at, at, at}, {at + 1, at + 1, at + 1}};
    }
}

static void procedurals_are_asked_for_their_boxes(void **state)
{
    struct api *api = *state;
    float half = 0.5f, quarter = 0.25f;
    ze_rtas_builder_procedural_geometry_info_ext_t info = {
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_PROCEDURAL,
        .geometryMask = 1,
        .primCount = 200,
        .pfnGetBoundsCb = boxes_callback,
        .pGeomUserPtr = &half};
    struct job job =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_MEDIUM, &info, NULL, NULL);
    job.desc.ppGeometries = job.list;
    assert_success(zeRTASBuilderBuildExt(job.builder, &job.desc, job.scratch,
                                         job.sizes.scratchBufferSizeBytes, job.buffer,
                                         job_most(&job), NULL, &quarter, &job.bounds, &job.bytes));
    job_check(&job);
    assert_bounds(&job.bounds, 0, 199 * 0.75f + 1);
    job_end(&job);
}

static void instances_place_structures(void **state)
{
    struct api *api = *state;
    struct mesh *mesh = mesh_create();
    struct job inner =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_MEDIUM, &mesh->info, NULL, NULL);
    ze_rtas_transform_float3x4_row_major_ext_t rows = {
        .vx_x = 2, .vy_y = 2, .vz_z = 2, .p_x = 10, .p_y = 10, .p_z = 10};
    ze_rtas_transform_float3x4_column_major_ext_t columns = {
        .vx_x = 2, .vy_y = 2, .vz_z = 2, .p_x = -10, .p_y = -10, .p_z = -10};
    ze_rtas_transform_float3x4_aligned_column_major_ext_t aligned = {
        .vx_x = 1, .vy_y = 1, .vz_z = 1};
    void *transforms[] = {&columns, &aligned, &rows};
    ze_rtas_builder_instance_geometry_info_ext_t info[3];
    assert_success(job_build(&inner, job_most(&inner), NULL));
    for (uint32_t i = 0; i < 3; i++) {
        info[i] = (ze_rtas_builder_instance_geometry_info_ext_t){
            .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_INSTANCE,
            .geometryMask = 0xff,
            .transformFormat =
                (uint8_t)(ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3X4_COLUMN_MAJOR + i),
            .instanceUserID = i,
            .pTransform = transforms[i],
            .pBounds = &inner.bounds,
            .pAccelerationStructure = inner.buffer};
    }
    struct job outer =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_HIGH, &info[0], &info[1], &info[2]);
    assert_success(job_build(&outer, job_most(&outer), NULL));
    job_check(&outer);
    assert_true(fabsf(outer.bounds.lower.y + 12) < 1e-4f && outer.bounds.lower.y <= -12);
    assert_true(fabsf(outer.bounds.upper.z - 12) < 1e-4f && outer.bounds.upper.z >= 12);
    job_end(&outer);
    job_end(&inner);
    free(mesh);
}

/* ---- the copy ---- */

static void structures_are_copied_by_lists(void **state)
{
    struct api *api = *state;
    struct mesh *mesh = mesh_create();
    struct job job =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_MEDIUM, &mesh->info, NULL, NULL);
    assert_success(job_build(&job, job_most(&job), NULL));
    void *there = api_alloc_device(api, job.bytes);
    char *back = calloc(1, job.bytes);
    struct api_list list = api_list_create(api);
    assert_non_null(back);
    assert_success(zeRTASBuilderCommandListAppendCopyExt(list.list, there, job.buffer, job.bytes,
                                                         NULL, 0, NULL));
    assert_success(zeCommandListAppendBarrier(list.list, NULL, 0, NULL));
    assert_success(
        zeRTASBuilderCommandListAppendCopyExt(list.list, back, there, job.bytes, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_memory_equal(back, job.buffer, job.bytes);
    api_list_destroy(&list);
    api_free(api, there);
    free(back);
    job_end(&job);
    free(mesh);
}

/* ---- the experimental extension ---- */

static void exp_callback(ze_rtas_geometry_aabbs_exp_cb_params_t *params)
{
    assert_int_equal(params->stype, ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXP_CB_PARAMS);
    for (uint32_t i = 0; i < params->primIDCount; i++) {
        params->pBoundsOut[i] = (ze_rtas_aabb_exp_t){{0, 0, 0}, {1, 1, 1}};
    }
}

/* By both extensions the same bytes; each with its own codes. */
static void both_extensions_build_the_same(void **state)
{
    struct api *api = *state;
    struct mesh *mesh = mesh_create();
    struct job job =
        job_begin(api, ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_HIGH, &mesh->info, NULL, NULL);
    const ze_rtas_builder_exp_desc_t builder_desc = {
        .stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXP_DESC,
        .builderVersion = ZE_RTAS_BUILDER_EXP_VERSION_CURRENT};
    ze_rtas_builder_exp_properties_t sizes = {.stype =
                                                  ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXP_PROPERTIES};
    const ze_rtas_builder_geometry_info_exp_t *list[2] = {NULL, (void *)&mesh->info};
    ze_rtas_builder_build_op_exp_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_BUILD_OP_EXP_DESC,
        .rtasFormat = (ze_rtas_format_exp_t)job.desc.rtasFormat,
        .buildQuality = ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXP_HIGH,
        .ppGeometries = list + 1,
        .numGeometries = 1};
    ze_rtas_builder_exp_handle_t builder;
    ze_rtas_parallel_operation_exp_handle_t operation;
    ze_rtas_parallel_operation_exp_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_RTAS_PARALLEL_OPERATION_EXP_PROPERTIES};
    ze_rtas_aabb_exp_t bounds;
    size_t bytes = 0;
    job.desc.numGeometries = 1;
    assert_success(job_build(&job, job_most(&job), NULL));
    assert_success(zeRTASBuilderCreateExp(api->driver, &builder_desc, &builder));
    assert_success(zeRTASBuilderGetBuildPropertiesExp(builder, &desc, &sizes));
    assert_int_equal(sizes.rtasBufferSizeBytesMaxRequired, job_most(&job));
    char *buffer = guarded(job.alignment, job_most(&job));
    assert_result(zeRTASBuilderBuildExp(builder, &desc, job.scratch, sizes.scratchBufferSizeBytes,
                                        buffer, 500, NULL, NULL, &bounds, &bytes),
                  ZE_RESULT_EXP_RTAS_BUILD_RETRY);
    assert_int_equal(bytes, job.bytes);
    assert_success(zeRTASParallelOperationCreateExp(api->driver, &operation));
    assert_result(zeRTASBuilderBuildExp(builder, &desc, job.scratch, sizes.scratchBufferSizeBytes,
                                        buffer, bytes, operation, NULL, &bounds, &bytes),
                  ZE_RESULT_EXP_RTAS_BUILD_DEFERRED);
    assert_success(zeRTASParallelOperationGetPropertiesExp(operation, &properties));
    assert_true(properties.maxConcurrency >= 1);
    assert_success(zeRTASParallelOperationJoinExp(operation));
    assert_success(zeRTASParallelOperationDestroyExp(operation));
    assert_memory_equal(buffer, job.buffer, job.bytes);
    assert_memory_equal(&bounds, &job.bounds, sizeof(bounds));
    ze_rtas_builder_procedural_geometry_info_exp_t boxes = {
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXP_PROCEDURAL,
        .primCount = 9,
        .pfnGetBoundsCb = exp_callback};
    list[1] = (void *)&boxes;
    assert_success(zeRTASBuilderBuildExp(builder, &desc, job.scratch, sizes.scratchBufferSizeBytes,
                                         buffer, job_most(&job), NULL, NULL, &bounds, NULL));
    assert_true(bounds.lower.x == 0 && bounds.upper.x == 1);
    assert_success(zeRTASBuilderDestroyExp(builder));
    free(buffer);
    job_end(&job);
    free(mesh);
}

static const struct api_case cases[] = {
    API_CASE(devices_tell_their_format),         API_CASE(formats_are_compatible_with_themselves),
    API_CASE(builds_tell_bounds_and_size),       API_CASE(scenes_without_anything_are_built),
    API_CASE(too_small_a_buffer_says_how_much),  API_CASE(wrong_orders_are_refused),
    API_CASE(threads_join_a_deferred_build),     API_CASE(all_threads_get_the_result),
    API_CASE(operations_take_part_in_one_build), API_CASE(procedurals_are_asked_for_their_boxes),
    API_CASE(instances_place_structures),        API_RUN_CASE(structures_are_copied_by_lists),
    API_CASE(both_extensions_build_the_same),
};

API_MAIN("rtas", cases)
