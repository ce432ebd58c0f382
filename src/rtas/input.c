/* Reads geometries: checks, boxes, and primitives in the form of leaves. See input.h. */
#include "rtas/input.h"
#include "rtas/transform.h"

#include <stddef.h>
#include <string.h>

typedef ze_rtas_builder_geometry_info_ext_t geometry_info;
typedef ze_rtas_builder_triangles_geometry_info_ext_t triangles_info;
typedef ze_rtas_builder_quads_geometry_info_ext_t quads_info;
typedef ze_rtas_builder_procedural_geometry_info_ext_t procedural_info;
typedef ze_rtas_builder_instance_geometry_info_ext_t instance_info;

#define CALLBACK_BATCH 64u

const uint32_t geo_rtas_primitive_bytes[GEO_RTAS_KINDS] = {
    [GEO_RTAS_TRIANGLES] = sizeof(struct geo_rtas_triangle),
    [GEO_RTAS_QUADS] = sizeof(struct geo_rtas_quad),
    [GEO_RTAS_PROCEDURALS] = sizeof(struct geo_rtas_procedural),
    [GEO_RTAS_INSTANCES] = sizeof(struct geo_rtas_instance),
};

/* ---- destinations of references ---- */

void geo_rtas_input_sink_init(struct geo_rtas_sink *sink, struct geo_rtas_ref *at)
{
    sink->at = at;
    sink->count = 0;
    sink->box = sink->centres = geo_rtas_box_empty();
}

/* Adds a reference. `geometry` includes the kind. The ids are written last and not read here:
 * reading a vector after writing a part of it stalls the processor. */
static inline void sink_add(struct geo_rtas_sink *sink, const struct geo_rtas_box *box,
                            uint32_t geometry, uint32_t primitive)
{
    struct geo_rtas_ref *ref = &sink->at[sink->count++];
    geo_rtas_box_add(&sink->box, box);
    geo_rtas_box_add_point(&sink->centres, geo_rtas_box_centre(box));
    ref->lower.vec = box->lower;
    ref->upper.vec = box->upper;
    ref->lower.id = geometry;
    ref->upper.id = primitive;
}

void geo_rtas_input_sink_add(struct geo_rtas_sink *sink, const struct geo_rtas_ref *ref)
{
    struct geo_rtas_box box = geo_rtas_ref_box(ref);
    sink_add(sink, &box, ref->lower.id, ref->upper.id);
}

/* ---- meshes of triangles or quads ---- */

/* A mesh of the application, of triangles or quads. */
struct mesh {
    const char *faces, *vertices;
    uint32_t face_count, vertex_count, face_stride, vertex_stride;
    uint32_t corners; /* corners of a face */
    uint8_t flags, mask;
    bool formats; /* the formats are valid for the mesh */
};

static struct mesh triangles_mesh(const triangles_info *info)
{
    return (struct mesh){
        .faces = info->pTriangleBuffer,
        .vertices = info->pVertexBuffer,
        .face_count = info->triangleCount,
        .vertex_count = info->vertexCount,
        .face_stride = info->triangleStride,
        .vertex_stride = info->vertexStride,
        .corners = 3,
        .flags = info->geometryFlags,
        .mask = info->geometryMask,
        .formats =
            info->triangleFormat == ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_TRIANGLE_INDICES_UINT32 &&
            info->vertexFormat == ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
    };
}

static struct mesh quads_mesh(const quads_info *info)
{
    return (struct mesh){
        .faces = info->pQuadBuffer,
        .vertices = info->pVertexBuffer,
        .face_count = info->quadCount,
        .vertex_count = info->vertexCount,
        .face_stride = info->quadStride,
        .vertex_stride = info->vertexStride,
        .corners = 4,
        .flags = info->geometryFlags,
        .mask = info->geometryMask,
        .formats = info->quadFormat == ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_QUAD_INDICES_UINT32 &&
                   info->vertexFormat == ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3,
    };
}

static struct mesh mesh_of(const geometry_info *info)
{
    return info->geometryType == GEO_RTAS_TRIANGLES ? triangles_mesh((const triangles_info *)info)
                                                    : quads_mesh((const quads_info *)info);
}

/* A vertex. Strides may be any number, so nothing is assumed to be aligned. */
struct __attribute__((packed)) vertex {
    float x, y, z;
};

static inline geo_rtas_vec mesh_vertex(const struct mesh *mesh, uint32_t index)
{
    const struct vertex *at = (const void *)(mesh->vertices + (size_t)index * mesh->vertex_stride);
    return (geo_rtas_vec){at->x, at->y, at->z, 0};
}

/* Reads the indices of a face, by copies of constant sizes. */
static inline void mesh_indices(const struct mesh *mesh, uint32_t face, uint32_t index[4])
{
    const char *at = mesh->faces + (size_t)face * mesh->face_stride;
    memcpy(index, at, 3 * sizeof(*index));
    if (mesh->corners == 4) {
        memcpy(&index[3], at + 3 * sizeof(*index), sizeof(*index));
    }
}

/* Reads the corners of a face. Returns whether the face is valid. */
static inline bool mesh_face(const struct mesh *mesh, uint32_t face, geo_rtas_vec vertices[4])
{
    const geo_rtas_vec zero = {0, 0, 0, 0};
    geo_rtas_vec infinite = zero; /* x * 0 is 0 for finite numbers, NaN otherwise */
    uint32_t index[4];
    mesh_indices(mesh, face, index);
    for (uint32_t i = 0; i < mesh->corners; i++) {
        if (index[i] >= mesh->vertex_count) {
            return false;
        }
        vertices[i] = mesh_vertex(mesh, index[i]);
        infinite += vertices[i] * zero;
    }
    return geo_rtas_vec_bits(infinite == zero) == 7;
}

static void mesh_read(const struct mesh *mesh, uint32_t geometry, uint32_t first, uint32_t count,
                      struct geo_rtas_sink *out)
{
    struct geo_rtas_sink here = *out, *sink = &here; /* local copy, so that it stays in registers */
    for (uint32_t face = first; face < first + count; face++) {
        geo_rtas_vec vertices[4];
        if (mesh_face(mesh, face, vertices)) {
            struct geo_rtas_box box = geo_rtas_box_empty();
            for (uint32_t i = 0; i < mesh->corners; i++) {
                geo_rtas_box_add_point(&box, vertices[i]);
            }
            sink_add(sink, &box, geometry, face);
        }
    }
    *out = here;
}

static ze_result_t mesh_check(const struct mesh *mesh, const char **text)
{
    if (!mesh->formats) {
        *text = "its formats are not those of such a mesh";
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    if (mesh->flags & ~(uint32_t)ZE_RTAS_BUILDER_GEOMETRY_EXT_FLAG_NON_OPAQUE) {
        *text = "it has flags that there are not";
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    if ((mesh->face_count && !mesh->faces) || (mesh->vertex_count && !mesh->vertices)) {
        *text = "an array of it is missing";
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- procedurals ---- */

static ze_result_t procedural_check(const procedural_info *info, const char **text)
{
    if (info->geometryFlags & ~(uint32_t)ZE_RTAS_BUILDER_GEOMETRY_EXT_FLAG_NON_OPAQUE) {
        *text = "it has flags that there are not";
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    if (info->primCount && !info->pfnGetBoundsCb) {
        *text = "it has no function that gives boxes";
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if (info->reserved) {
        *text = "its reserved field is not 0";
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    return ZE_RESULT_SUCCESS;
}

static bool box_from(const ze_rtas_aabb_ext_t *bounds, struct geo_rtas_box *box)
{
    const geo_rtas_vec zero = {0, 0, 0, 0};
    box->lower = (geo_rtas_vec){bounds->lower.x, bounds->lower.y, bounds->lower.z, 0};
    box->upper = (geo_rtas_vec){bounds->upper.x, bounds->upper.y, bounds->upper.z, 0};
    geo_rtas_vec infinite = box->lower * zero + box->upper * zero;
    return geo_rtas_vec_bits(infinite == zero) == 7 &&
           geo_rtas_vec_bits(box->lower <= box->upper) == 7;
}

/* Calls the application for boxes. They are empty before, in case the callback writes nothing. */
static void procedural_ask(const struct geo_rtas_input *input, const procedural_info *info,
                           uint32_t first, uint32_t count, ze_rtas_aabb_ext_t *bounds)
{
    ze_rtas_geometry_aabbs_ext_cb_params_t params = {.stype = input->callback_stype,
                                                     .primID = first,
                                                     .primIDCount = count,
                                                     .pGeomUserPtr = info->pGeomUserPtr,
                                                     .pBuildUserPtr = input->callback_user,
                                                     .pBoundsOut = bounds};
    for (uint32_t i = 0; i < count; i++) {
        bounds[i] = (ze_rtas_aabb_ext_t){{1, 1, 1}, {0, 0, 0}};
    }
    if (input->callback_stype == ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXP_CB_PARAMS) {
        ze_rtas_geometry_aabbs_cb_exp_t ask = (ze_rtas_geometry_aabbs_cb_exp_t)info->pfnGetBoundsCb;
        ask((ze_rtas_geometry_aabbs_exp_cb_params_t *)&params);
    } else {
        info->pfnGetBoundsCb(&params);
    }
}

static void procedural_read(const struct geo_rtas_input *input, const procedural_info *info,
                            uint32_t geometry, uint32_t first, uint32_t count,
                            struct geo_rtas_sink *sink)
{
    ze_rtas_aabb_ext_t bounds[CALLBACK_BATCH];
    for (uint32_t done = 0; done < count; done += CALLBACK_BATCH) {
        uint32_t batch = count - done < CALLBACK_BATCH ? count - done : CALLBACK_BATCH;
        procedural_ask(input, info, first + done, batch, bounds);
        for (uint32_t i = 0; i < batch; i++) {
            struct geo_rtas_box box;
            if (box_from(&bounds[i], &box)) {
                sink_add(sink, &box, geometry, first + done + i);
            }
        }
    }
}

/* ---- instances ---- */

static ze_result_t instance_check(const instance_info *info, const char **text)
{
    const uint32_t flags = ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_CULL_DISABLE |
                           ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FRONT_COUNTERCLOCKWISE |
                           ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FORCE_OPAQUE |
                           ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FORCE_NON_OPAQUE;
    if (info->transformFormat < ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3X4_COLUMN_MAJOR ||
        info->transformFormat > ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3X4_ROW_MAJOR) {
        *text = "its format is not one of a transformation";
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    if (info->instanceFlags & ~flags) {
        *text = "it has flags that there are not";
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    if (!info->pTransform || !info->pBounds || !info->pAccelerationStructure) {
        *text = "it has no transformation, no box or no structure";
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    return ZE_RESULT_SUCCESS;
}

static void instance_read(const instance_info *info, uint32_t geometry, struct geo_rtas_sink *sink)
{
    struct geo_rtas_box inside, box;
    float m[12], inverse[12];
    geo_rtas_transform_read(info, m);
    if (box_from(info->pBounds, &inside) && geo_rtas_transform_box(m, &inside, &box) &&
        geo_rtas_transform_invert(m, inverse)) {
        sink_add(sink, &box, geometry, 0);
    }
}

/* ---- all kinds ---- */

static ze_result_t geometry_check(const geometry_info *info, const char **text)
{
    struct mesh mesh;
    switch ((uint32_t)info->geometryType) {
    case GEO_RTAS_TRIANGLES:
    case GEO_RTAS_QUADS:
        mesh = mesh_of(info);
        return mesh_check(&mesh, text);
    case GEO_RTAS_PROCEDURALS:
        return procedural_check((const procedural_info *)info, text);
    case GEO_RTAS_INSTANCES:
        return instance_check((const instance_info *)info, text);
    default:
        *text = "it is of no known type";
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
}

ze_result_t geo_rtas_input_check(const struct geo_rtas_input *input,
                                 struct geo_rtas_complaint *complaint)
{
    for (uint32_t i = 0; i < input->count; i++) {
        if (input->geometries[i]) {
            ze_result_t result = geometry_check(input->geometries[i], &complaint->text);
            if (result != ZE_RESULT_SUCCESS) {
                complaint->geometry = i;
                return result;
            }
        }
    }
    return ZE_RESULT_SUCCESS;
}

uint32_t geo_rtas_input_primitives(const geometry_info *info)
{
    if (!info) {
        return 0;
    }
    switch ((uint32_t)info->geometryType) {
    case GEO_RTAS_TRIANGLES:
        return ((const triangles_info *)info)->triangleCount;
    case GEO_RTAS_QUADS:
        return ((const quads_info *)info)->quadCount;
    case GEO_RTAS_PROCEDURALS:
        return ((const procedural_info *)info)->primCount;
    default:
        return 1;
    }
}

void geo_rtas_input_read(const struct geo_rtas_input *input, uint32_t geometry, uint32_t first,
                         uint32_t count, struct geo_rtas_sink *sink)
{
    const geometry_info *info = input->geometries[geometry];
    uint32_t kind = info->geometryType, id = geometry | kind << GEO_RTAS_KIND_SHIFT;
    if (kind == GEO_RTAS_PROCEDURALS) {
        procedural_read(input, (const procedural_info *)info, id, first, count, sink);
    } else if (kind == GEO_RTAS_INSTANCES) {
        instance_read((const instance_info *)info, id, sink);
    } else {
        struct mesh mesh = mesh_of(info);
        mesh_read(&mesh, id, first, count, sink);
    }
}

uint32_t geo_rtas_input_vertices(const struct geo_rtas_input *input, const struct geo_rtas_ref *ref,
                                 geo_rtas_vec vertices[4])
{
    if (geo_rtas_ref_kind(ref) > GEO_RTAS_QUADS) {
        return 0;
    }
    struct mesh mesh = mesh_of(input->geometries[geo_rtas_ref_geometry(ref)]);
    return mesh_face(&mesh, ref->upper.id, vertices) ? mesh.corners : 0;
}

/* Writes which geometry and primitive a leaf belongs to, with its mask and flags. Assigns each
 * field directly. Filling a local structure and copying it whole would stall, because the CPU
 * cannot forward several narrow stores to one wide load. */
static inline void identity_write(const struct geo_rtas_ref *ref, uint8_t mask, uint8_t flags,
                                  struct geo_rtas_identity *out)
{
    out->geometry = geo_rtas_ref_geometry(ref);
    out->primitive = ref->upper.id;
    out->mask = mask;
    out->flags = flags;
    out->reserved = 0;
}

/* Writes a triangle or quad. Both begin with the corners, followed by the identity. */
static void mesh_write(const struct mesh *mesh, const struct geo_rtas_ref *ref, float *out)
{
    geo_rtas_vec vertices[4] = {{0}};
    mesh_face(mesh, ref->upper.id, vertices);
    for (uint32_t i = 0; i < mesh->corners; i++) {
        memcpy(out + (size_t)3 * i, &vertices[i], 3 * sizeof(float));
    }
    identity_write(ref, mesh->mask, mesh->flags, (void *)(out + (size_t)3 * mesh->corners));
    if (mesh->corners == 4) {
        ((struct geo_rtas_quad *)(void *)out)->reserved = 0;
    }
}

static void instance_write(const instance_info *info, const struct geo_rtas_ref *ref,
                           struct geo_rtas_instance *out)
{
    *out = (struct geo_rtas_instance){.structure = (uintptr_t)info->pAccelerationStructure,
                                      .user_id = info->instanceUserID};
    identity_write(ref, info->geometryMask, info->instanceFlags, &out->identity);
    geo_rtas_transform_read(info, out->object_to_world);
    geo_rtas_transform_invert(out->object_to_world, out->world_to_object);
}

/* Finds the meshes of consecutive references, most of which have the same mesh. */
struct mesh_reader {
    const struct geo_rtas_input *input;
    uint32_t id; /* geometry and kind of the current mesh */
    struct mesh mesh;
};

static struct mesh_reader mesh_reader_of(const struct geo_rtas_input *input)
{
    return (struct mesh_reader){.input = input, .id = UINT32_MAX}; /* matches no mesh */
}

/* Returns the mesh of a reference; NULL for other kinds. */
static inline const struct mesh *mesh_next(struct mesh_reader *reader,
                                           const struct geo_rtas_ref *ref)
{
    if (geo_rtas_ref_kind(ref) > GEO_RTAS_QUADS) {
        return NULL;
    }
    if (ref->lower.id != reader->id) {
        reader->id = ref->lower.id;
        reader->mesh = mesh_of(reader->input->geometries[geo_rtas_ref_geometry(ref)]);
    }
    return &reader->mesh;
}

void geo_rtas_input_fetch_faces(const struct geo_rtas_input *input, const struct geo_rtas_ref *refs,
                                uint32_t count)
{
    struct mesh_reader reader = mesh_reader_of(input);
    for (uint32_t i = 0; i < count; i++) {
        const struct mesh *mesh = mesh_next(&reader, &refs[i]);
        if (mesh) {
            __builtin_prefetch(mesh->faces + (size_t)refs[i].upper.id * mesh->face_stride);
        }
    }
}

void geo_rtas_input_fetch_corners(const struct geo_rtas_input *input,
                                  const struct geo_rtas_ref *refs, uint32_t count)
{
    struct mesh_reader reader = mesh_reader_of(input);
    for (uint32_t i = 0; i < count; i++) {
        const struct mesh *mesh = mesh_next(&reader, &refs[i]);
        uint32_t index[4];
        if (mesh) {
            mesh_indices(mesh, refs[i].upper.id, index);
            for (uint32_t k = 0; k < mesh->corners; k++) {
                __builtin_prefetch(mesh->vertices + (size_t)index[k] * mesh->vertex_stride);
            }
        }
    }
}

static void procedural_write(const procedural_info *info, const struct geo_rtas_ref *ref,
                             struct geo_rtas_procedural *out)
{
    identity_write(ref, info->geometryMask, info->geometryFlags, &out->identity);
    out->reserved = 0;
}

static void other_write(const geometry_info *info, const struct geo_rtas_ref *ref, void *out)
{
    if (geo_rtas_ref_kind(ref) == GEO_RTAS_INSTANCES) {
        instance_write((const instance_info *)info, ref, out);
    } else {
        procedural_write((const procedural_info *)info, ref, out);
    }
}

void geo_rtas_input_write(const struct geo_rtas_input *input, const struct geo_rtas_ref *refs,
                          uint32_t count, void *out)
{
    struct mesh_reader reader = mesh_reader_of(input);
    uint32_t bytes = geo_rtas_primitive_bytes[geo_rtas_ref_kind(refs)];
    for (uint32_t i = 0; i < count; i++) {
        void *at = (char *)out + (size_t)i * bytes;
        const struct mesh *mesh = mesh_next(&reader, &refs[i]);
        if (mesh) {
            mesh_write(mesh, &refs[i], at);
        } else {
            other_write(input->geometries[geo_rtas_ref_geometry(&refs[i])], &refs[i], at);
        }
    }
}

_Static_assert((int)GEO_RTAS_TRIANGLES == (int)ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_TRIANGLES &&
                   (int)GEO_RTAS_INSTANCES == (int)ZE_RTAS_BUILDER_GEOMETRY_TYPE_EXT_INSTANCE,
               "kinds are numbered alike");
_Static_assert((int)GEO_RTAS_FORCE_NON_OPAQUE ==
                   (int)ZE_RTAS_BUILDER_INSTANCE_EXT_FLAG_TRIANGLE_FORCE_NON_OPAQUE,
               "flags of instances are numbered alike");
_Static_assert(offsetof(struct geo_rtas_triangle, identity) == 36 &&
                   offsetof(struct geo_rtas_quad, identity) == 48,
               "as mesh_write has it");
