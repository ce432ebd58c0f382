/* API test of ray queries in kernels: rays through acceleration structures, compared with a plain
 * loop over all primitives that computes in the same order, so results are equal to the bit. The
 * test runs at several widths and for several processors. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>

enum {
    RAYS = 576,
    FEW = 64,   /* rays of cases that need no more */
    MESHES = 4, /* triangles: opaque, not opaque; quads: opaque, not opaque */
    TRIANGLES = 150,
    BOXES = 40,
    SCENES = 3, /* two of primitives, and one of instances beside primitives */
    INSTANCES = 6,
};

/* The number that stands for no instance. */
#define NONE UINT32_MAX

/* As in kernels/rays.cl. */
enum { ODD_ONLY = 1, FORWARD = 2, PLAIN_COMMIT = 4, ABANDON = 8 };

enum ray_flags {
    FORCE_OPAQUE = 1,
    FORCE_NON_OPAQUE = 2,
    ACCEPT_FIRST = 4,
    CULL_BACK = 0x10,
    CULL_FRONT = 0x20,
    CULL_OPAQUE = 0x40,
    CULL_NON_OPAQUE = 0x80,
    SKIP_TRIANGLES = 0x100,
    SKIP_PROCEDURALS = 0x200,
};

struct request {
    float origin[3], direction[3], tmin, tmax;
    uint32_t mask, flags, policy, reserved;
};

struct answer {
    uint32_t valid, candidate, level, front;
    uint32_t geometry, primitive, instance, user;
    float t, u, v, tmin;
    float vertices[3][3];
    float origin[3], direction[3];
    float world_to_object[4][3], object_to_world[4][3];
    uint32_t flags, mask, candidates, reserved;
};

struct box {
    float lower[3], upper[3];
};

/* ---- numbers ---- */

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A number between -1 and 1 with few bits, so that rays also meet corners and sides. */
static float random_coarse(uint32_t *state)
{
    return (float)(random_next(state) % 17) / 8 - 1;
}

static float random_fine(uint32_t *state)
{
    return (float)random_next(state) / 8388608.0f - 1;
}

/* ---- scenes ---- */

/* A scene of primitives: MESHES meshes, then procedurals. Their masks differ. */
struct scene {
    float vertices[3 * TRIANGLES * 4 / 3][3];
    uint32_t triangles[TRIANGLES][3], quads[TRIANGLES][4];
    struct box boxes[BOXES];
    ze_rtas_builder_triangles_geometry_info_ext_t triangle_info[2];
    ze_rtas_builder_quads_geometry_info_ext_t quad_info[2];
    ze_rtas_builder_procedural_geometry_info_ext_t box_info;
    struct placed {
        const struct scene *scene;
        float world_to_object[12], object_to_world[12]; /* rows */
        ze_rtas_transform_float3x4_row_major_ext_t transform;
        ze_rtas_builder_instance_geometry_info_ext_t info;
    } placed[INSTANCES];
    uint32_t placed_count;
    ze_rtas_aabb_ext_t bounds;
    void *structure;
    size_t bytes;
};

static void boxes_get(ze_rtas_geometry_aabbs_ext_cb_params_t *params)
{
    const struct scene *scene = params->pGeomUserPtr;
    memcpy(params->pBoundsOut, scene->boxes + params->primID,
           params->primIDCount * sizeof(struct box));
}

/* Every tenth triangle is degenerate: a point or a line. */
static void corners_fill(struct scene *scene, uint32_t seed)
{
    uint32_t count = sizeof(scene->vertices) / sizeof(scene->vertices[0]);
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            scene->vertices[i][axis] =
                i % 3   ? scene->vertices[i - i % 3][axis] + 0.4f * random_fine(&seed)
                : i % 2 ? random_coarse(&seed)
                        : random_fine(&seed);
        }
    }
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            scene->triangles[i][c] = 3 * i + (i % 10 == 9 && c > i % 3 ? 0 : c);
        }
        for (uint32_t c = 0; c < 4; c++) {
            scene->quads[i][c] = 4 * i + c;
        }
    }
    seed = 99; /* the kernel has one array of boxes for all scenes */
    for (uint32_t i = 0; i < BOXES; i++) {
        for (int axis = 0; axis < 3; axis++) {
            scene->boxes[i].lower[axis] = random_coarse(&seed);
            scene->boxes[i].upper[axis] =
                scene->boxes[i].lower[axis] + 0.25f * (float)(random_next(&seed) % 3);
        }
    }
}

static void infos_fill(struct scene *scene)
{
    for (uint32_t i = 0; i < 2; i++) {
        scene->triangle_info[i] = (ze_rtas_builder_triangles_geometry_info_ext_t){
            .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_TRIANGLES,
            .geometryFlags = i ? ZE_RTAS_BUILDER_GEOMETRY_EXT_FLAG_NON_OPAQUE : 0,
            .geometryMask = i ? 0x0f : 0xf1,
            .triangleFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_TRIANGLE_INDICES_UINT32,
            .vertexFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
            .triangleCount = TRIANGLES / 2,
            .vertexCount = sizeof(scene->vertices) / sizeof(scene->vertices[0]),
            .triangleStride = sizeof(scene->triangles[0]),
            .vertexStride = sizeof(scene->vertices[0]),
            .pTriangleBuffer = scene->triangles[i ? TRIANGLES / 2 : 0],
            .pVertexBuffer = scene->vertices};
        scene->quad_info[i] = (ze_rtas_builder_quads_geometry_info_ext_t){
            .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_QUADS,
            .geometryFlags = i ? ZE_RTAS_BUILDER_GEOMETRY_EXT_FLAG_NON_OPAQUE : 0,
            .geometryMask = i ? 0x30 : 0xc3,
            .quadFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_QUAD_INDICES_UINT32,
            .vertexFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
            .quadCount = TRIANGLES / 10,
            .vertexCount = sizeof(scene->vertices) / sizeof(scene->vertices[0]),
            .quadStride = sizeof(scene->quads[0]),
            .vertexStride = sizeof(scene->vertices[0]),
            .pQuadBuffer = scene->quads[i ? TRIANGLES / 2 : 0],
            .pVertexBuffer = scene->vertices};
    }
    scene->box_info = (ze_rtas_builder_procedural_geometry_info_ext_t){
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_PROCEDURAL,
        .geometryFlags = ZE_RTAS_BUILDER_GEOMETRY_EXT_FLAG_NON_OPAQUE,
        .geometryMask = 0x55,
        .primCount = BOXES,
        .pfnGetBoundsCb = boxes_get,
        .pGeomUserPtr = scene};
}

/* Builds a structure of these geometries, in memory of its own. */
static void *structure_build(struct api *api, const void *const *infos, uint32_t count, int quality,
                             ze_rtas_aabb_ext_t *bounds, size_t *bytes)
{
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    const ze_rtas_builder_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_DESC,
                                             .builderVersion = ZE_RTAS_BUILDER_EXT_VERSION_CURRENT};
    const ze_rtas_builder_geometry_info_ext_t *list[16] = {NULL};
    ze_rtas_device_ext_properties_t rtas = {.stype = ZE_STRUCTURE_TYPE_RTAS_DEVICE_EXT_PROPERTIES};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2,
                                         .pNext = &rtas};
    ze_rtas_builder_ext_properties_t sizes = {.stype =
                                                  ZE_STRUCTURE_TYPE_RTAS_BUILDER_EXT_PROPERTIES};
    ze_rtas_builder_ext_handle_t builder;
    void *memory = NULL;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = infos[i];
    }
    assert_success(zeDeviceGetProperties(api->device, &properties));
    ze_rtas_builder_build_op_ext_desc_t build = {
        .stype = ZE_STRUCTURE_TYPE_RTAS_BUILDER_BUILD_OP_EXT_DESC,
        .rtasFormat = rtas.rtasFormat,
        .buildQuality = (ze_rtas_builder_build_quality_hint_ext_t)quality,
        .ppGeometries = list,
        .numGeometries = count};
    assert_success(zeRTASBuilderCreateExt(api->driver, &desc, &builder));
    assert_success(zeRTASBuilderGetBuildPropertiesExt(builder, &build, &sizes));
    assert_success(zeMemAllocShared(api->context, &device, &host,
                                    sizes.rtasBufferSizeBytesMaxRequired, rtas.rtasBufferAlignment,
                                    api->device, &memory));
    void *scratch = malloc(sizes.scratchBufferSizeBytes);
    assert_success(zeRTASBuilderBuildExt(builder, &build, scratch, sizes.scratchBufferSizeBytes,
                                         memory, sizes.rtasBufferSizeBytesMaxRequired, NULL, NULL,
                                         bounds, bytes));
    free(scratch);
    assert_success(zeRTASBuilderDestroyExt(builder));
    return memory;
}

/* The transformations of instances have exact inverses: turns and mirrors of axes, powers of two,
 * and short translations. */
static void place(struct placed *placed, const struct scene *scene, uint32_t number)
{
    static const int8_t turns[INSTANCES][3] = {{1, 2, 3},  {2, -1, 3},   {-3, 1, 2},
                                               {1, -2, 3}, {-1, -2, -3}, {3, 2, -1}};
    static const float scales[INSTANCES] = {1, 0.5f, 2, 0.25f, 1, 4};
    static const uint8_t flags[INSTANCES] = {
        0,
        ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_CULL_DISABLE,
        ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FRONT_COUNTERCLOCKWISE,
        ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FORCE_OPAQUE,
        ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FORCE_NON_OPAQUE,
        0};
    memset(placed, 0, sizeof(*placed));
    placed->scene = scene;
    for (int row = 0; row < 3; row++) {
        int turn = turns[number][row], column = abs(turn) - 1;
        float sign = turn < 0 ? -1.0f : 1.0f, shift = (float)((number * 3 + (uint32_t)row) % 5) / 4;
        placed->object_to_world[4 * row + column] = sign * scales[number];
        placed->object_to_world[4 * row + 3] = shift;
        placed->world_to_object[4 * column + row] = sign / scales[number];
        placed->world_to_object[4 * column + 3] = -shift * sign / scales[number];
    }
    memcpy(&placed->transform, placed->object_to_world, sizeof(placed->transform));
    placed->info = (ze_rtas_builder_instance_geometry_info_ext_t){
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_INSTANCE,
        .instanceFlags = flags[number],
        .geometryMask = number == 0 ? 0x81 : 0xff,
        .transformFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3X4_ROW_MAJOR,
        .instanceUserID = 1000 + number,
        .pTransform = &placed->transform,
        .pBounds = (ze_rtas_aabb_ext_t *)(uintptr_t)&scene->bounds,
        .pAccelerationStructure = scene->structure};
}

static void scene_build(struct api *api, struct scene *scene, int quality)
{
    const void *infos[MESHES + 1 + INSTANCES] = {&scene->triangle_info[0], &scene->triangle_info[1],
                                                 &scene->quad_info[0], &scene->quad_info[1],
                                                 &scene->box_info};
    for (uint32_t i = 0; i < scene->placed_count; i++) {
        infos[MESHES + 1 + i] = &scene->placed[i].info;
    }
    scene->structure = structure_build(api, infos, MESHES + 1 + scene->placed_count, quality,
                                       &scene->bounds, &scene->bytes);
}

/* The last scene has instances of the others. */
static struct scene *scenes_create(struct api *api, int quality)
{
    struct scene *scenes = calloc(SCENES, sizeof(*scenes));
    assert_non_null(scenes);
    for (uint32_t s = 0; s < SCENES; s++) {
        corners_fill(&scenes[s], 77 + s);
        infos_fill(&scenes[s]);
        for (uint32_t i = 0; s == SCENES - 1 && i < INSTANCES; i++) {
            place(&scenes[s].placed[i], &scenes[i % 2], i);
            scenes[s].placed_count++;
        }
        scene_build(api, &scenes[s], quality);
    }
    return scenes;
}

static void scenes_destroy(struct api *api, struct scene *scenes)
{
    for (uint32_t s = 0; s < SCENES; s++) {
        api_free(api, scenes[s].structure);
    }
    free(scenes);
}

/* ---- the plain way ---- */

/* A primitive that a ray may meet. */
struct found {
    bool met, front;
    float t, u, v;
    float vertices[3][3];
};

static float dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const float *a, const float *b, float *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static float side(const float *a, const float *b, const float *d)
{
    float difference[3], sum[3], product[3];
    for (int i = 0; i < 3; i++) {
        difference[i] = a[i] - b[i];
        sum[i] = a[i] + b[i];
    }
    cross(difference, sum, product);
    return dot(product, d);
}

static struct found triangle_test(const float *o, const float *d, const float *const corners[3])
{
    struct found found = {.met = false};
    float at[3][3], e0[3], e1[3], normal[3];
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            at[c][i] = corners[c][i] - o[i];
            found.vertices[c][i] = corners[c][i];
        }
    }
    for (int i = 0; i < 3; i++) {
        e0[i] = at[2][i] - at[0][i];
        e1[i] = at[0][i] - at[1][i];
    }
    cross(e0, e1, normal);
    float u = side(at[2], at[0], d), v = side(at[0], at[1], d), w = side(at[1], at[2], d);
    float sum = u + v + w, error = 1.1920929e-7f * fabsf(sum), along = dot(normal, d);
    found.t = dot(at[0], normal) / along;
    found.u = u / sum;
    found.v = v / sum;
    found.front = along < 0;
    found.met =
        ((u >= -error && v >= -error && w >= -error) || (u <= error && v <= error && w <= error)) &&
        along != 0 && sum != 0 && fabsf(found.t) < INFINITY;
    return found;
}

/* A primitive of a scene, and where it is placed. */
struct where {
    const struct scene *scene;
    const struct placed *placed; /* NULL: in the world */
    uint32_t geometry, primitive, half;
};

static struct found where_test(const struct where *where, const float *o, const float *d)
{
    const struct scene *scene = where->scene;
    const uint32_t *indices;
    struct found found = {.met = false};
    if (where->geometry < 2) {
        indices = scene->triangles[where->primitive + (where->geometry ? TRIANGLES / 2 : 0)];
        const float *corners[3] = {scene->vertices[indices[0]], scene->vertices[indices[1]],
                                   scene->vertices[indices[2]]};
        return triangle_test(o, d, corners);
    }
    if (where->geometry < MESHES) {
        indices = scene->quads[where->primitive + (where->geometry == 3 ? TRIANGLES / 2 : 0)];
        const float *corners[3] = {scene->vertices[indices[where->half ? 2 : 0]],
                                   scene->vertices[indices[where->half ? 3 : 1]],
                                   scene->vertices[indices[where->half ? 1 : 3]]};
        found = triangle_test(o, d, corners);
        found.u = where->half ? 1 - found.u : found.u;
        found.v = where->half ? 1 - found.v : found.v;
        return found;
    }
    const struct box *box = &scene->boxes[where->primitive];
    found.t = ((box->lower[0] + box->upper[0]) * 0.5f - o[0]) / d[0];
    float y = o[1] + found.t * d[1], z = o[2] + found.t * d[2];
    found.met = d[0] != 0 && y >= box->lower[1] && y <= box->upper[1] && z >= box->lower[2] &&
                z <= box->upper[2];
    found.u = 0.25f;
    found.v = (float)where->primitive;
    return found;
}

/* Whether the flags and masks let the ray see a hit, and the kernel takes it. */
static bool is_seen(const struct request *request, const struct where *where, struct found *found)
{
    static const uint8_t masks[MESHES + 1] = {0xf1, 0x0f, 0xc3, 0x30, 0x55};
    uint32_t instance = where->placed ? where->placed->info.instanceFlags : 0;
    bool opaque = where->geometry == 0 || where->geometry == 2;
    if (instance & ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FORCE_OPAQUE) {
        opaque = true;
    } else if (instance & ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FORCE_NON_OPAQUE) {
        opaque = false;
    }
    opaque = request->flags & FORCE_OPAQUE       ? true
             : request->flags & FORCE_NON_OPAQUE ? false
                                                 : opaque;
    bool procedural = where->geometry == MESHES;
    if (!(masks[where->geometry] & request->mask) ||
        (where->placed && !(where->placed->info.geometryMask & request->mask)) ||
        request->flags & (procedural ? SKIP_PROCEDURALS : SKIP_TRIANGLES) ||
        request->flags & (opaque ? CULL_OPAQUE : CULL_NON_OPAQUE)) {
        return false;
    }
    if (procedural) {
        return true;
    }
    if (instance & ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FRONT_COUNTERCLOCKWISE) {
        found->front = !found->front;
    }
    if (!(instance & ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_CULL_DISABLE) &&
        request->flags & (found->front ? CULL_FRONT : CULL_BACK)) {
        return false;
    }
    return opaque || where->primitive & 1 || !(request->policy & ODD_ONLY);
}

static bool is_ray(const struct request *request)
{
    bool good = request->tmin <= request->tmax;
    for (int i = 0; i < 3; i++) {
        good =
            good && fabsf(request->origin[i]) < INFINITY && fabsf(request->direction[i]) < INFINITY;
    }
    return good;
}

static void ray_place(const struct placed *placed, const struct request *request, float *o,
                      float *d)
{
    for (int i = 0; i < 3; i++) {
        const float *row = placed ? placed->world_to_object + 4 * i : NULL;
        const float *from = request->origin, *along = request->direction;
        o[i] = row ? row[0] * from[0] + row[1] * from[1] + row[2] * from[2] + row[3] : from[i];
        d[i] =
            row ? row[0] * along[0] + row[1] * along[1] + row[2] * along[2] + row[3] * 0 : along[i];
    }
}

/* Tests one primitive. Returns whether the ray can have it as its hit. */
static bool where_hit(const struct where *where, const struct request *request, struct found *found)
{
    float o[3], d[3];
    ray_place(where->placed, request, o, d);
    *found = where_test(where, o, d);
    return found->met && found->t > request->tmin && found->t <= request->tmax &&
           is_seen(request, where, found);
}

/* Finds the nearest hit in a scene, without what is placed in it. */
static void scene_cast(const struct scene *scene, const struct placed *placed,
                       const struct request *request, float *t)
{
    static const uint32_t counts[MESHES + 1] = {TRIANGLES / 2, TRIANGLES / 2, TRIANGLES / 10,
                                                TRIANGLES / 10, BOXES};
    struct where where = {.scene = scene, .placed = placed};
    struct found found;
    for (where.geometry = 0; where.geometry <= MESHES; where.geometry++) {
        for (where.primitive = 0; where.primitive < counts[where.geometry]; where.primitive++) {
            for (where.half = 0; where.half < 2; where.half++) {
                if (where_hit(&where, request, &found) && found.t < *t) {
                    *t = found.t;
                }
            }
        }
    }
}

/* Returns the distance of the nearest hit, or INFINITY. */
static float cast(const struct scene *scene, const struct request *request)
{
    float t = INFINITY;
    if (!is_ray(request)) {
        return t;
    }
    scene_cast(scene, NULL, request, &t);
    for (uint32_t i = 0; i < scene->placed_count; i++) {
        scene_cast(scene->placed[i].scene, &scene->placed[i], request, &t);
    }
    return t;
}

/* ---- launches ---- */

/* The list, module and kernel of a case. */
struct tracer {
    struct api *api;
    struct api_list list;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
};

static struct tracer tracer_create(struct api *api, const char *module, const char *kernel)
{
    struct tracer tracer = {.api = api, .list = api_list_create(api)};
    tracer.module = api_spirv_module(api, module);
    tracer.kernel = api_kernel(tracer.module, kernel);
    assert_success(zeKernelSetGroupSize(tracer.kernel, 64, 1, 1));
    return tracer;
}

static void tracer_destroy(struct tracer *tracer)
{
    assert_success(zeKernelDestroy(tracer->kernel));
    assert_success(zeModuleDestroy(tracer->module));
    api_list_destroy(&tracer->list);
}

static void tracer_launch(struct tracer *tracer, uint32_t count)
{
    const ze_group_count_t groups = {(count + 63) / 64, 1, 1};
    assert_success(
        zeCommandListAppendLaunchKernel(tracer->list.list, tracer->kernel, &groups, NULL, 0, NULL));
    api_list_run(tracer->api, &tracer->list);
}

static void trace(struct tracer *tracer, const struct request *requests, struct answer *answers,
                  uint32_t count, const void *structure, const void *other, const struct box *boxes)
{
    ze_kernel_handle_t kernel = tracer->kernel;
    memset(answers, 0, count * sizeof(*answers));
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(void *), &requests));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(void *), &answers));
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(count), &count));
    assert_success(zeKernelSetArgumentValue(kernel, 3, sizeof(void *), &structure));
    assert_success(zeKernelSetArgumentValue(kernel, 4, sizeof(void *), &other));
    assert_success(zeKernelSetArgumentValue(kernel, 5, sizeof(void *), &boxes));
    tracer_launch(tracer, count);
}

/* Rays of every kind: into every direction, along axes, through corners, with limits, and some that
 * are not rays. */
static struct request *requests_create(struct api *api, uint32_t count, const struct scene *scene)
{
    struct request *requests = api_alloc_shared(api, count * sizeof(*requests));
    uint32_t seed = 4711;
    for (uint32_t i = 0; i < count; i++) {
        struct request *request = &requests[i];
        memset(request, 0, sizeof(*request));
        for (int axis = 0; axis < 3; axis++) {
            request->origin[axis] = 3 * random_fine(&seed);
            request->direction[axis] = random_coarse(&seed) - request->origin[axis];
            if (i % 5 == 1) { /* along an axis, from a coarse place */
                request->origin[axis] = random_coarse(&seed) - 2 * (axis == (int)(i / 5 % 3));
                request->direction[axis] = axis == (int)(i / 5 % 3) ? 1 : i % 2 ? 0.0f : -0.0f;
            } else if (i % 5 == 2) { /* to a corner */
                request->direction[axis] =
                    scene->vertices[3 * (i % TRIANGLES)][axis] - request->origin[axis];
            }
        }
        request->tmin = i % 7 == 3 ? 0.5f : i % 7 == 4 ? -1 : 0;
        request->tmax = i % 3 ? INFINITY : 1.25f;
        request->tmax = i % 64 == 61 ? request->tmin - 0.25f : request->tmax; /* no ray either */
        request->mask = i % 4 ? 0xff : 1u << (i / 4 % 8);
        request->policy = (i % 2 ? ODD_ONLY : 0) | (i % 3 ? PLAIN_COMMIT : 0);
        if (i % 64 == 63) { /* not rays */
            float *wrong = &request->origin[0] + i / 64 % 8;
            *wrong = i / 64 == 8 ? -INFINITY : NAN;
        }
    }
    return requests;
}

static void flags_set(struct request *requests, uint32_t flags)
{
    for (uint32_t i = 0; i < RAYS; i++) {
        requests[i].flags = flags;
    }
}

/* ---- comparisons ---- */

static void assert_matrix(const float columns[4][3], const float *rows)
{
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            float identity = row == column ? 1.0f : 0.0f;
            assert_true(columns[column][row] == (rows ? rows[4 * row + column] : identity));
        }
    }
}

/* The answer's facts are those of the primitive that it names. */
static void assert_facts(const struct scene *scene, const struct request *request,
                         const struct answer *answer)
{
    const struct placed *placed = NULL;
    if (answer->level) {
        assert_true(answer->instance >= MESHES + 1);
        assert_true(answer->instance - MESHES - 1 < scene->placed_count);
        placed = &scene->placed[answer->instance - MESHES - 1];
        assert_int_equal(answer->user, placed->info.instanceUserID);
    } else {
        assert_int_equal(answer->instance, NONE);
        assert_int_equal(answer->user, NONE);
    }
    struct where where = {.scene = placed ? placed->scene : scene,
                          .placed = placed,
                          .geometry = answer->geometry,
                          .primitive = answer->primitive};
    struct found found;
    float o[3], d[3];
    assert_true(answer->geometry <= MESHES);
    bool met = where_hit(&where, request, &found) && found.t == answer->t && found.u == answer->u &&
               found.v == answer->v;
    if (!met) {
        where.half = 1;
        met = where_hit(&where, request, &found);
    }
    assert_true(met);
    assert_true(found.t == answer->t && found.u == answer->u && found.v == answer->v);
    assert_int_equal(answer->candidate, where.geometry == MESHES);
    assert_int_equal(answer->front, found.front);
    assert_memory_equal(answer->vertices, found.vertices, sizeof(found.vertices));
    ray_place(placed, request, o, d);
    for (int i = 0; i < 3 && !placed;
         i++) { /* a later instance may replace the upper level's ray */
        assert_true(o[i] == answer->origin[i] && d[i] == answer->direction[i]);
    }
    assert_matrix(answer->world_to_object, placed ? placed->world_to_object : NULL);
    assert_matrix(answer->object_to_world, placed ? placed->object_to_world : NULL);
    assert_true(answer->tmin == request->tmin);
    assert_int_equal(answer->flags, request->flags);
    assert_int_equal(answer->mask, request->mask);
}

/* Fills the distances of the plain way. */
static void scene_expect(const struct scene *scene, const struct request *requests, float *expected)
{
    for (uint32_t i = 0; i < RAYS; i++) {
        expected[i] = cast(scene, &requests[i]);
    }
}

/* Casts all rays by the kernel and compares. Returns how many met something. */
static uint32_t scene_compare(struct tracer *tracer, const struct scene *scene,
                              const struct request *requests, const float *expected)
{
    uint32_t hits = 0;
    struct answer *answers = api_alloc_shared(tracer->api, RAYS * sizeof(*answers));
    trace(tracer, requests, answers, RAYS, scene->structure, NULL, scene->boxes);
    for (uint32_t i = 0; i < RAYS; i++) {
        float t = expected[i];
        assert_int_equal(answers[i].valid, t < INFINITY);
        if (answers[i].valid) {
            assert_true(requests[i].flags & ACCEPT_FIRST ? answers[i].t >= t : answers[i].t == t);
            assert_facts(scene, &requests[i], &answers[i]);
            hits++;
        } else {
            assert_memory_equal(&answers[i].t, &requests[i].tmax, sizeof(float));
            assert_true(answers[i].candidates == 0 || is_ray(&requests[i]));
        }
    }
    api_free(tracer->api, answers);
    return hits;
}

/* ---- cases ---- */

static void rays_hit_what_a_plain_loop_finds(void **state)
{
    static const uint32_t flags[] = {0,
                                     FORCE_OPAQUE,
                                     FORCE_NON_OPAQUE,
                                     ACCEPT_FIRST,
                                     ACCEPT_FIRST | CULL_OPAQUE,
                                     CULL_BACK,
                                     CULL_FRONT | FORCE_NON_OPAQUE,
                                     CULL_NON_OPAQUE,
                                     SKIP_TRIANGLES,
                                     SKIP_PROCEDURALS};
    struct api *api = *state;
    struct tracer tracer = tracer_create(api, "rays", "trace");
    struct scene *scenes[3]; /* by quality */
    float expected[2][RAYS];
    for (int quality = 0; quality < 3; quality++) {
        scenes[quality] = scenes_create(api, quality);
    }
    struct request *requests = requests_create(api, RAYS, scenes[0]);
    for (size_t f = 0; f < sizeof(flags) / sizeof(flags[0]); f++) {
        flags_set(requests, flags[f]);
        scene_expect(&scenes[0][0], requests, expected[0]);
        scene_expect(&scenes[0][SCENES - 1], requests, expected[1]);
        for (int quality = 0; quality < 3; quality++) {
            struct scene *placing = &scenes[quality][SCENES - 1];
            assert_true(scene_compare(&tracer, &scenes[quality][0], requests, expected[0]) > FEW);
            assert_true(scene_compare(&tracer, placing, requests, expected[1]) > FEW);
        }
    }
    for (int quality = 0; quality < 3; quality++) {
        scenes_destroy(api, scenes[quality]);
    }
    api_free(api, requests);
    tracer_destroy(&tracer);
}

/* Casts the first rays through one structure. */
static struct answer *few_trace(struct tracer *tracer, const struct scene *scene,
                                const void *structure, const void *other, uint32_t policy)
{
    struct answer *answers = api_alloc_shared(tracer->api, FEW * sizeof(*answers));
    struct request *requests = requests_create(tracer->api, FEW, scene);
    for (uint32_t i = 0; i < FEW; i++) {
        requests[i].mask = 0xff;
        requests[i].policy = policy;
    }
    trace(tracer, requests, answers, FEW, structure, other, scene->boxes);
    api_free(tracer->api, requests);
    return answers;
}

/* A kernel may place a structure itself: it forwards a ray of its own at a procedural. The ray is
 * in the space of the box, so the structure stands where the box is. */
static void forwarded_rays_walk_another_structure(void **state)
{
    struct api *api = *state;
    struct tracer tracer = tracer_create(api, "rays", "trace");
    struct scene *scenes = scenes_create(api, 1);
    struct request *requests = requests_create(api, RAYS, scenes);
    struct answer *answers = api_alloc_shared(api, RAYS * sizeof(*answers));
    const void *infos[] = {&scenes[0].box_info};
    ze_rtas_aabb_ext_t bounds;
    size_t bytes;
    uint32_t hits = 0;
    void *outer = structure_build(api, infos, 1, 1, &bounds, &bytes);
    for (uint32_t i = 0; i < RAYS; i++) {
        requests[i].mask = 0xff;
        requests[i].policy = FORWARD;
        /* procedurals are culled below, since the kernel would forward there again */
        requests[i].flags = 0;
    }
    const void *inner_infos[] = {&scenes[1].triangle_info[0], &scenes[1].triangle_info[1]};
    void *inner = structure_build(api, inner_infos, 2, 1, &bounds, &bytes);
    trace(&tracer, requests, answers, RAYS, outer, inner, scenes[0].boxes);
    for (uint32_t i = 0; i < RAYS; i++) {
        if (!answers[i].valid) {
            continue;
        }
        hits++;
        assert_int_equal(answers[i].level, 1);
        assert_int_equal(answers[i].instance, NONE);
        assert_int_equal(answers[i].user, NONE);
        assert_true(answers[i].geometry < 2 && answers[i].candidates > 0);
        assert_matrix(answers[i].world_to_object, NULL);
        /* one of the boxes explains the hit */
        struct where where = {.scene = &scenes[1],
                              .geometry = answers[i].geometry,
                              .primitive = answers[i].primitive};
        bool explained = false;
        for (uint32_t b = 0; b < BOXES && !explained; b++) {
            struct request moved = requests[i];
            struct found found;
            for (int axis = 0; axis < 3; axis++) {
                moved.origin[axis] -= scenes[0].boxes[b].lower[axis];
            }
            explained = where_hit(&where, &moved, &found) && found.t == answers[i].t;
        }
        assert_true(explained);
    }
    assert_true(hits > FEW);
    api_free(api, inner);
    api_free(api, outer);
    api_free(api, answers);
    api_free(api, requests);
    scenes_destroy(api, scenes);
    tracer_destroy(&tracer);
}

/* An abandoned query stays at its first candidate. */
static void queries_can_be_abandoned(void **state)
{
    struct api *api = *state;
    struct tracer tracer = tracer_create(api, "rays", "trace");
    struct scene *scenes = scenes_create(api, 1);
    const void *infos[] = {&scenes[0].box_info};
    ze_rtas_aabb_ext_t bounds;
    size_t bytes;
    uint32_t candidates = 0;
    void *structure = structure_build(api, infos, 1, 1, &bounds, &bytes);
    struct answer *answers = few_trace(&tracer, scenes, structure, NULL, ABANDON);
    for (uint32_t i = 0; i < FEW; i++) {
        assert_int_equal(answers[i].valid, 0);
        assert_true(answers[i].candidates <= 1);
        candidates += answers[i].candidates;
    }
    assert_true(candidates > FEW / 8);
    api_free(api, structure);
    api_free(api, answers);
    scenes_destroy(api, scenes);
    tracer_destroy(&tracer);
}

static void nothing_is_hit_in(struct tracer *tracer, const struct scene *scene,
                              const void *structure)
{
    struct answer *answers = few_trace(tracer, scene, structure, NULL, 0);
    for (uint32_t i = 0; i < FEW; i++) {
        assert_int_equal(answers[i].valid, 0);
        assert_int_equal(answers[i].candidates, 0);
    }
    api_free(tracer->api, answers);
}

/* Rays hit nothing in an empty structure, a null pointer, and memory that holds something else. */
static void nothing_is_hit_where_nothing_is(void **state)
{
    struct api *api = *state;
    struct tracer tracer = tracer_create(api, "rays", "trace");
    struct scene *scenes = scenes_create(api, 1);
    ze_rtas_aabb_ext_t bounds;
    size_t bytes;
    void *empty = structure_build(api, NULL, 0, 1, &bounds, &bytes);
    nothing_is_hit_in(&tracer, scenes, empty);
    nothing_is_hit_in(&tracer, scenes, NULL);
    char *foreign = api_alloc_shared(api, 4096);
    memset(foreign, 'x', 4096);
    nothing_is_hit_in(&tracer, scenes, foreign);
    memset(foreign, 0, 4096);
    nothing_is_hit_in(&tracer, scenes, foreign);
    /* another version of the format: the second word of the header */
    ((uint32_t *)scenes[0].structure)[1]++;
    nothing_is_hit_in(&tracer, scenes, scenes[0].structure);
    api_free(api, foreign);
    api_free(api, empty);
    scenes_destroy(api, scenes);
    tracer_destroy(&tracer);
}

/* Behind its header a structure is overwritten at random with small numbers: nodes become their own
 * children, and leaves lie outside. Rays find something or nothing, but they end. */
static void rays_through_damaged_structures_end(void **state)
{
    struct api *api = *state;
    struct tracer tracer = tracer_create(api, "rays", "trace");
    uint32_t seed = 31;
    for (int round = 0; round < 12; round++) {
        struct scene *scenes = scenes_create(api, round % 3);
        uint32_t *words = scenes[0].structure;
        for (size_t i = 128 / sizeof(*words); i < scenes[0].bytes / sizeof(*words); i++) {
            uint32_t number = random_next(&seed) % 6 == 0 ? UINT32_MAX : random_next(&seed) % 4;
            words[i] = random_next(&seed) % 8 > (uint32_t)round % 4 ? words[i]
                       : round < 8                                  ? number
                                                                    : 0x01010101u;
        }
        struct answer *answers = few_trace(&tracer, scenes, words, NULL, 0);
        api_free(api, answers);
        scenes_destroy(api, scenes);
    }
    tracer_destroy(&tracer);
}

/* Functions that are not inlined return queries and take them, and a work-item has two at once. */
static void queries_pass_through_functions(void **state)
{
    struct api *api = *state;
    struct tracer tracer = tracer_create(api, "rays", "trace"),
                  pair = tracer_create(api, "rays", "pair");
    struct scene *scenes = scenes_create(api, 1);
    struct request *requests = requests_create(api, RAYS, scenes);
    struct answer *answers = api_alloc_shared(api, RAYS * sizeof(*answers));
    float *distances = api_alloc_shared(api, sizeof(float) * 2 * RAYS);
    flags_set(requests, FORCE_OPAQUE | SKIP_PROCEDURALS);
    assert_success(zeKernelSetArgumentValue(pair.kernel, 0, sizeof(void *), &requests));
    assert_success(zeKernelSetArgumentValue(pair.kernel, 1, sizeof(void *), &distances));
    assert_success(zeKernelSetArgumentValue(pair.kernel, 2, sizeof(void *), &scenes[2].structure));
    tracer_launch(&pair, RAYS);
    for (int back = 0; back < 2; back++) {
        trace(&tracer, requests, answers, RAYS, scenes[2].structure, NULL, scenes[2].boxes);
        for (uint32_t i = 0; i < RAYS; i++) {
            assert_true(distances[2 * i + (uint32_t)back] ==
                        (answers[i].valid ? answers[i].t : -1.0f));
            for (int axis = 0; axis < 3; axis++) {
                requests[i].direction[axis] = -requests[i].direction[axis];
            }
        }
    }
    api_free(api, distances);
    api_free(api, answers);
    api_free(api, requests);
    scenes_destroy(api, scenes);
    tracer_destroy(&pair);
    tracer_destroy(&tracer);
}

static void devices_and_kernels_tell_of_ray_queries(void **state)
{
    struct api *api = *state;
    struct tracer tracer = tracer_create(api, "rays", "flag");
    ze_device_raytracing_ext_properties_t rays = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_RAYTRACING_EXT_PROPERTIES};
    ze_device_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES,
                                                .pNext = &rays};
    uint32_t *flag = api_alloc_shared(api, sizeof(*flag));
    assert_success(zeDeviceGetModuleProperties(api->device, &properties));
    assert_int_equal(rays.flags, ZE_DEVICE_RAYTRACING_EXT_FLAG_RAYQUERY);
    assert_int_equal(rays.maxBVHLevels, 2);
    assert_success(zeKernelSetArgumentValue(tracer.kernel, 0, sizeof(void *), &flag));
    *flag = 0;
    tracer_launch(&tracer, 1);
    assert_int_equal(*flag, 1);
    api_free(api, flag);
    tracer_destroy(&tracer);
}

/* A triangle at z = 3, met by a kernel that passes structures as values. */
static void structures_may_be_values(void **state)
{
    static float corners[3][3] = {{0, 0, 3}, {4, 0, 3}, {0, 8, 3}};
    static uint32_t indices[3] = {0, 1, 2};
    struct api *api = *state;
    struct tracer tracer = tracer_create(api, "rays_values", "cast");
    float *out = api_alloc_shared(api, 8 * sizeof(*out));
    const ze_rtas_builder_triangles_geometry_info_ext_t info = {
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_TRIANGLES,
        .geometryMask = 0xff,
        .triangleFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_TRIANGLE_INDICES_UINT32,
        .vertexFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
        .triangleCount = 1,
        .vertexCount = 3,
        .triangleStride = sizeof(indices),
        .vertexStride = sizeof(corners[0]),
        .pTriangleBuffer = (void *)indices,
        .pVertexBuffer = corners};
    const void *infos[] = {&info};
    const float expected[] = {8, 1, 2, -5, 0, 0, 1};
    ze_rtas_aabb_ext_t bounds;
    size_t bytes;
    void *structure = structure_build(api, infos, 1, 1, &bounds, &bytes);
    assert_success(zeKernelSetArgumentValue(tracer.kernel, 0, sizeof(void *), &structure));
    assert_success(zeKernelSetArgumentValue(tracer.kernel, 1, sizeof(void *), &out));
    tracer_launch(&tracer, 1);
    assert_memory_equal(out, expected, sizeof(expected));
    api_free(api, structure);
    api_free(api, out);
    tracer_destroy(&tracer);
}

/* Immediate lists alone: these cases are about kernels. */
#define CASE(function) {#function, function, API_IMMEDIATE | API_EXECUTES}

static const struct api_case cases[] = {
    CASE(rays_hit_what_a_plain_loop_finds),
    CASE(forwarded_rays_walk_another_structure),
    CASE(queries_can_be_abandoned),
    CASE(nothing_is_hit_where_nothing_is),
    CASE(rays_through_damaged_structures_end),
    CASE(queries_pass_through_functions),
    CASE(structures_may_be_values),
    CASE(devices_and_kernels_tell_of_ray_queries),
};
API_MAIN("spirv_rays", cases)
