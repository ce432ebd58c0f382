/* Builds ray tracing structures through Level Zero. Usage: bench_rtas THREADS */
#include "rtas_scene.h"
#include "table.h"

#include <level_zero/ze_api.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CHECK(call) check((call), #call)

static void check(ze_result_t result, const char *call)
{
    if (result != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "bench_rtas: %s gives 0x%x\n", call, (unsigned)result);
        exit(1);
    }
}

struct builder {
    ze_rtas_builder_ext_handle_t handle;
    ze_rtas_parallel_operation_ext_handle_t operation;
    ze_rtas_device_ext_properties_t device;
    int threads;
};

static struct builder builder_open(int threads)
{
    struct builder builder = {.threads = threads};
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_rtas_builder_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_DESC,
                                       .builderVersion = ZE_RTAS_BUILDER_EXT_VERSION_CURRENT};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2,
                                         .pNext = &builder.device};
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    uint32_t one = 1;
    builder.device.stype = ZE_STRUCTURE_TYPE_RTAS_DEVICE_EXT_PROPERTIES;
    CHECK(zeInitDrivers(&one, &driver, &types));
    CHECK(zeDeviceGet(driver, &one, &device));
    CHECK(zeDeviceGetProperties(device, &properties));
    CHECK(zeRTASBuilderCreateExt(driver, &desc, &builder.handle));
    CHECK(zeRTASParallelOperationCreateExt(driver, &builder.operation));
    return builder;
}

static void *join(void *operation)
{
    CHECK(zeRTASParallelOperationJoinExt(operation));
    return NULL;
}

static void join_all(const struct builder *builder)
{
    pthread_t others[256];
    for (int i = 1; i < builder->threads; i++) {
        if (pthread_create(&others[i], NULL, join, builder->operation)) {
            exit(1);
        }
    }
    join(builder->operation);
    for (int i = 1; i < builder->threads; i++) {
        pthread_join(others[i], NULL);
    }
}

/* Allocates memory with large pages if possible, as Embree does for its memory. */
static void *memory_get(size_t bytes)
{
    const size_t page = (size_t)2 << 20;
    size_t whole = (bytes + page - 1) / page * page;
    void *memory = aligned_alloc(page, whole);
    if (!memory) {
        exit(1);
    }
    madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
}

/* Returns the milliseconds from the query of sizes to the finished structure. */
static double build(const struct builder *builder, ze_rtas_builder_build_op_ext_desc_t *desc)
{
    ze_rtas_builder_ext_properties_t sizes = {.stype =
                                                  ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_PROPERTIES};
    double start = bench_now_ms();
    CHECK(zeRTASBuilderGetBuildPropertiesExt(builder->handle, desc, &sizes));
    size_t room = sizes.rtasBufferSizeBytesExpected;
    void *scratch = memory_get(sizes.scratchBufferSizeBytes), *buffer = memory_get(room);
    ze_result_t result = zeRTASBuilderBuildExt(
        builder->handle, desc, scratch, sizes.scratchBufferSizeBytes, buffer, room,
        builder->threads > 1 ? builder->operation : NULL, NULL, NULL, NULL);
    if (result == ZE_RESULT_EXT_RTAS_BUILD_DEFERRED) {
        join_all(builder);
    } else {
        CHECK(result);
    }
    double ms = bench_now_ms() - start;
    free(scratch);
    free(buffer);
    return ms;
}

static void run(const struct builder *builder, enum rtas_scene scene)
{
    struct rtas_mesh mesh = rtas_mesh_create(scene);
    ze_rtas_builder_triangles_geometry_info_ext_t info = {
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_TRIANGLES,
        .geometryMask = 0xff,
        .triangleFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_TRIANGLE_INDICES_UINT32,
        .vertexFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
        .triangleCount = mesh.triangle_count,
        .vertexCount = mesh.vertex_count,
        .triangleStride = 12,
        .vertexStride = 12,
        .pTriangleBuffer = mesh.indices,
        .pVertexBuffer = mesh.vertices};
    const ze_rtas_builder_geometry_info_ext_t *list[] = {(const void *)&info};
    for (int quality = 0; quality < 3; quality++) {
        ze_rtas_builder_build_op_ext_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_BUILD_OP_EXT_DESC,
            .rtasFormat = builder->device.rtasFormat,
            .buildQuality = (ze_rtas_builder_build_quality_hint_ext_t)quality,
            .ppGeometries = list,
            .numGeometries = 1};
        double best = build(builder, &desc);
        for (int i = 1; i < RTAS_REPEATS; i++) {
            double ms = build(builder, &desc);
            best = ms < best ? ms : best;
        }
        printf("build %s_%s %.3f\n", rtas_scene_names[scene], rtas_quality_names[quality], best);
    }
    free(mesh.vertices);
    free(mesh.indices);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    if (threads < 1 || threads > 256) {
        fprintf(stderr, "usage: bench_rtas THREADS\n");
        return 2;
    }
    struct builder builder = builder_open(threads);
    for (int scene = 0; scene < RTAS_SCENES; scene++) {
        run(&builder, (enum rtas_scene)scene);
    }
    CHECK(zeRTASParallelOperationDestroyExt(builder.operation));
    CHECK(zeRTASBuilderDestroyExt(builder.handle));
    return 0;
}
