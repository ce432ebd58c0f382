/* Scenes. See scene.h. */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void scene_init(struct scene *scene, uint64_t seed)
{
    memset(scene, 0, sizeof(*scene));
    scene->random = seed * 2654435761u + 1;
}

void scene_free(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->count; i++) {
        free(scene->arrays[i][0]);
        free(scene->arrays[i][1]);
    }
}

float scene_random(struct scene *scene)
{
    scene->random = scene->random * 6364136223846793005u + 1442695040888963407u;
    return (float)(scene->random >> 40) / 16777216.0f;
}

float scene_between(struct scene *scene, float from, float to)
{
    return from + (to - from) * scene_random(scene);
}

static union scene_info *geometry_add(struct scene *scene)
{
    assert_true(scene->count < SCENE_GEOMETRIES);
    union scene_info *info = &scene->info[scene->count];
    scene->list[scene->count++] = &info->any;
    return info;
}

void scene_nothing(struct scene *scene)
{
    geometry_add(scene);
    scene->list[scene->count - 1] = NULL;
}

/* ---- meshes ---- */

float *scene_mesh(struct scene *scene, uint32_t corners, uint32_t count, uint32_t pad)
{
    union scene_info *info = geometry_add(scene);
    uint32_t face = corners * 4 + pad, vertex = 12 + pad;
    char *faces = calloc((size_t)count + 1, face);
    char *vertices = calloc((size_t)count * corners + 1, vertex);
    assert_true(faces && vertices);
    scene->arrays[scene->count - 1][0] = faces;
    scene->arrays[scene->count - 1][1] = vertices;
    if (corners == 3) {
        info->triangles = (ze_rtas_builder_triangles_geometry_info_ext_t){
            .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_TRIANGLES,
            .geometryMask = 0xff,
            .triangleFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_TRIANGLE_INDICES_UINT32,
            .vertexFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
            .triangleCount = count,
            .vertexCount = count * corners,
            .triangleStride = face,
            .vertexStride = vertex,
            .pTriangleBuffer = faces,
            .pVertexBuffer = vertices};
    } else {
        info->quads = (ze_rtas_builder_quads_geometry_info_ext_t){
            .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_QUADS,
            .geometryMask = 0xff,
            .quadFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_QUAD_INDICES_UINT32,
            .vertexFormat = ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
            .quadCount = count,
            .vertexCount = count * corners,
            .quadStride = face,
            .vertexStride = vertex,
            .pQuadBuffer = faces,
            .pVertexBuffer = vertices};
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < corners; c++) {
            scene_face(scene, i)[c] = i * corners + c;
        }
    }
    return (float *)(void *)vertices;
}

/* Quads' descriptions have the fields of triangles' in the same places. */
static const ze_rtas_builder_triangles_geometry_info_ext_t *mesh_of(const struct scene *scene,
                                                                    uint32_t geometry)
{
    return &scene->info[geometry].triangles;
}

uint32_t *scene_face(const struct scene *scene, uint32_t face)
{
    const ze_rtas_builder_triangles_geometry_info_ext_t *mesh = mesh_of(scene, scene->count - 1);
    return (uint32_t *)(void *)((char *)mesh->pTriangleBuffer +
                                (size_t)face * mesh->triangleStride);
}

float *scene_corner(const struct scene *scene, uint32_t face, uint32_t corner)
{
    const ze_rtas_builder_triangles_geometry_info_ext_t *mesh = mesh_of(scene, scene->count - 1);
    uint32_t index = scene_face(scene, face)[corner];
    return (float *)(void *)((char *)mesh->pVertexBuffer + (size_t)index * mesh->vertexStride);
}

void scene_soup(struct scene *scene, uint32_t corners, uint32_t count, float size)
{
    scene_mesh(scene, corners, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        float centre[3];
        for (int axis = 0; axis < 3; axis++) {
            centre[axis] = scene_between(scene, -1, 1);
        }
        for (uint32_t c = 0; c < corners; c++) {
            for (int axis = 0; axis < 3; axis++) {
                scene_corner(scene, i, c)[axis] = centre[axis] + scene_between(scene, -size, size);
            }
        }
    }
}

void scene_terrain(struct scene *scene, uint32_t corners, uint32_t n)
{
    static const uint8_t turn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const uint8_t halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
    uint32_t per_cell = corners == 3 ? 2 : 1;
    scene_mesh(scene, corners, n * n * per_cell, 0);
    for (uint32_t i = 0; i < n * n * per_cell; i++) {
        uint32_t cell = i / per_cell;
        for (uint32_t c = 0; c < corners; c++) {
            uint32_t at = corners == 3 ? halves[i % 2][c] : c;
            float x = (float)(cell % n + turn[at][0]), y = (float)(cell / n + turn[at][1]);
            float *corner = scene_corner(scene, i, c);
            corner[0] = x;
            corner[1] = 3 * sinf(x * 0.3f) * cosf(y * 0.2f);
            corner[2] = y;
        }
    }
}

void scene_needles(struct scene *scene, uint32_t count)
{
    scene_mesh(scene, 3, count, 0);
    for (uint32_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            float *corner = scene_corner(scene, i, 0);
            corner[axis] = scene_between(scene, -1, 1);
            scene_corner(scene, i, 1)[axis] = corner[axis] + scene_between(scene, -0.01f, 0.01f);
            scene_corner(scene, i, 2)[axis] = scene_between(scene, -1, 1);
        }
    }
}

/* ---- procedurals ---- */

static void boxes_callback(ze_rtas_geometry_aabbs_ext_cb_params_t *params)
{
    const ze_rtas_aabb_ext_t *boxes = params->pGeomUserPtr;
    assert_int_equal(params->stype, ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXT_CB_PARAMS);
    memcpy(params->pBoundsOut, boxes + params->primID, params->primIDCount * sizeof(*boxes));
}

void scene_boxes(struct scene *scene, uint32_t count)
{
    union scene_info *info = geometry_add(scene);
    ze_rtas_aabb_ext_t *boxes = calloc((size_t)count + 1, sizeof(*boxes));
    assert_non_null(boxes);
    scene->arrays[scene->count - 1][0] = boxes;
    for (uint32_t i = 0; i < count; i++) {
        float *lower = &boxes[i].lower.x, *upper = &boxes[i].upper.x;
        for (int axis = 0; axis < 3; axis++) {
            lower[axis] = scene_between(scene, -1, 1);
            upper[axis] = lower[axis] + scene_between(scene, 0, 0.1f);
        }
        if (i % 7 == 6) {
            upper[i % 3] = i % 14 == 6 ? lower[i % 3] - 1 : NAN;
        }
    }
    info->procedural = (ze_rtas_builder_procedural_geometry_info_ext_t){
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_PROCEDURAL,
        .geometryMask = 0x0f,
        .geometryFlags = ZE_RTAS_BUILDER_GEOMETRY_EXT_FLAG_NON_OPAQUE,
        .primCount = count,
        .pfnGetBoundsCb = boxes_callback,
        .pGeomUserPtr = boxes};
}

/* ---- instances ---- */

void scene_instance(struct scene *scene, const void *structure, const ze_rtas_aabb_ext_t *bounds,
                    const float rows[12])
{
    union scene_info *info = geometry_add(scene);
    float *matrix = calloc(16, sizeof(*matrix));
    ze_rtas_aabb_ext_t *box = calloc(1, sizeof(*box));
    uint32_t format = 1 + scene->count % 3, column = format == 2 ? 4 : 3;
    assert_true(matrix && box);
    scene->arrays[scene->count - 1][0] = matrix;
    scene->arrays[scene->count - 1][1] = box;
    *box = *bounds;
    for (uint32_t i = 0; i < 12; i++) { /* each format in turn */
        matrix[format == 3 ? i : i % 4 * column + i / 4] = rows[i];
    }
    info->instance = (ze_rtas_builder_instance_geometry_info_ext_t){
        .geometryType = ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_INSTANCE,
        .instanceFlags = (uint8_t)(scene->count % 16),
        .geometryMask = 0x3c,
        .transformFormat = (uint8_t)format,
        .instanceUserID = 1000 + scene->count,
        .pTransform = matrix,
        .pBounds = box,
        .pAccelerationStructure = (void *)(uintptr_t)structure};
}

/* ---- what is expected ---- */

uint32_t scene_primitives(const struct scene *scene, uint32_t geometry)
{
    const union scene_info *info = &scene->info[geometry];
    if (!scene->list[geometry]) {
        return 0;
    }
    switch (info->any.geometryType) {
    case ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_PROCEDURAL:
        return info->procedural.primCount;
    case ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_INSTANCE:
        return 1;
    default:
        return info->triangles.triangleCount;
    }
}

static bool is_finite(const float *at)
{
    return isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]);
}

static uint32_t box_corners(const ze_rtas_aabb_ext_t *box, float corners[4][3])
{
    memcpy(corners[0], &box->lower, 12);
    memcpy(corners[1], &box->upper, 12);
    bool good = is_finite(corners[0]) && is_finite(corners[1]) && box->lower.x <= box->upper.x &&
                box->lower.y <= box->upper.y && box->lower.z <= box->upper.z;
    return good ? 2 : 0;
}

uint32_t scene_primitive(const struct scene *scene, uint32_t geometry, uint32_t primitive,
                         float corners[4][3])
{
    const union scene_info *info = &scene->info[geometry];
    const ze_rtas_builder_triangles_geometry_info_ext_t *mesh = &info->triangles;
    uint32_t index[4], count = 3;
    switch (info->any.geometryType) {
    case ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_PROCEDURAL:
        return box_corners((ze_rtas_aabb_ext_t *)info->procedural.pGeomUserPtr + primitive,
                           corners);
    case ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_INSTANCE:
        return box_corners(info->instance.pBounds, corners);
    case ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_QUADS:
        count = 4;
        break;
    }
    memcpy(index, (char *)mesh->pTriangleBuffer + (size_t)primitive * mesh->triangleStride,
           (size_t)count * 4);
    for (uint32_t c = 0; c < count; c++) {
        if (index[c] >= mesh->vertexCount) {
            return 0;
        }
        memcpy(corners[c], (char *)mesh->pVertexBuffer + (size_t)index[c] * mesh->vertexStride, 12);
        if (!is_finite(corners[c])) {
            return 0;
        }
    }
    return count;
}
