/* Kernels that query rays, through the functions that Intel's headers declare for SYCL. */

typedef __private struct intel_ray_query_opaque_t *intel_ray_query_t;
typedef __global struct intel_raytracing_acceleration_structure_opaque_t
    *intel_raytracing_acceleration_structure_t;

struct intel_float2 {
    float x, y;
};

struct intel_float3 {
    float x, y, z;
};

struct intel_float4x3 {
    struct intel_float3 vx, vy, vz, p;
};

struct intel_ray_desc_t {
    struct intel_float3 origin, direction;
    float tmin, tmax;
    unsigned mask, flags;
};

typedef unsigned hit_type;
enum { COMMITTED, POTENTIAL };

unsigned intel_get_raytracing_ext_flag(void);
intel_ray_query_t intel_ray_query_init(struct intel_ray_desc_t ray,
                                       intel_raytracing_acceleration_structure_t structure);
void intel_ray_query_forward_ray(intel_ray_query_t query, struct intel_ray_desc_t ray,
                                 intel_raytracing_acceleration_structure_t structure);
void intel_ray_query_commit_potential_hit(intel_ray_query_t query);
void intel_ray_query_commit_potential_hit_override(intel_ray_query_t query, float t,
                                                   struct intel_float2 uv);
void intel_ray_query_start_traversal(intel_ray_query_t query);
void intel_ray_query_sync(intel_ray_query_t query);
void intel_ray_query_abandon(intel_ray_query_t query);
unsigned intel_get_hit_bvh_level(intel_ray_query_t query, hit_type type);
float intel_get_hit_distance(intel_ray_query_t query, hit_type type);
struct intel_float2 intel_get_hit_barycentrics(intel_ray_query_t query, hit_type type);
bool intel_get_hit_front_face(intel_ray_query_t query, hit_type type);
unsigned intel_get_hit_geometry_id(intel_ray_query_t query, hit_type type);
unsigned intel_get_hit_primitive_id(intel_ray_query_t query, hit_type type);
unsigned intel_get_hit_triangle_primitive_id(intel_ray_query_t query, hit_type type);
unsigned intel_get_hit_procedural_primitive_id(intel_ray_query_t query, hit_type type);
unsigned intel_get_hit_instance_id(intel_ray_query_t query, hit_type type);
unsigned intel_get_hit_instance_user_id(intel_ray_query_t query, hit_type type);
struct intel_float4x3 intel_get_hit_world_to_object(intel_ray_query_t query, hit_type type);
struct intel_float4x3 intel_get_hit_object_to_world(intel_ray_query_t query, hit_type type);
void intel_get_hit_triangle_vertices(intel_ray_query_t query, struct intel_float3 *vertices,
                                     hit_type type);
struct intel_float3 intel_get_ray_origin(intel_ray_query_t query, unsigned level);
struct intel_float3 intel_get_ray_direction(intel_ray_query_t query, unsigned level);
float intel_get_ray_tmin(intel_ray_query_t query, unsigned level);
unsigned intel_get_ray_flags(intel_ray_query_t query, unsigned level);
unsigned intel_get_ray_mask(intel_ray_query_t query, unsigned level);
unsigned intel_get_hit_candidate(intel_ray_query_t query, hit_type type);
bool intel_is_traversal_done(intel_ray_query_t query);
bool intel_has_committed_hit(intel_ray_query_t query);

/* As in test_spirv_rays.c. */
enum { ODD_ONLY = 1, FORWARD = 2, PLAIN_COMMIT = 4, ABANDON = 8 };
enum { BOXES = 40 };

struct request {
    struct intel_ray_desc_t ray;
    unsigned policy, reserved;
};

struct answer {
    unsigned valid, candidate, level, front;
    unsigned geometry, primitive, instance, user;
    float t, u, v, tmin;
    struct intel_float3 vertices[3];
    struct intel_float3 origin, direction; /* of the hit's level */
    struct intel_float4x3 world_to_object, object_to_world;
    unsigned flags, mask, candidates, reserved;
};

/* A procedural is the rectangle in the middle of its box, across the x axis. */
struct box {
    float lower[3], upper[3];
};

static bool box_meet(struct intel_float3 o, struct intel_float3 d, const __global struct box *box,
                     float *t)
{
    float middle = (box->lower[0] + box->upper[0]) * 0.5f;
    *t = (middle - o.x) / d.x;
    float y = o.y + *t * d.y, z = o.z + *t * d.z;
    return d.x != 0 && y >= box->lower[1] && y <= box->upper[1] && z >= box->lower[2] &&
           z <= box->upper[2];
}

static void candidate_decide(intel_ray_query_t query, const struct request *request,
                             const __global struct box *boxes,
                             intel_raytracing_acceleration_structure_t other)
{
    unsigned level = intel_get_hit_bvh_level(query, POTENTIAL);
    if (intel_get_hit_candidate(query, POTENTIAL) == 0) {
        unsigned primitive = intel_get_hit_triangle_primitive_id(query, POTENTIAL);
        if ((primitive & 1) == 0 && request->policy & ODD_ONLY) {
            return;
        }
        if (request->policy & PLAIN_COMMIT) {
            intel_ray_query_commit_potential_hit(query);
        } else {
            intel_ray_query_commit_potential_hit_override(
                query, intel_get_hit_distance(query, POTENTIAL),
                intel_get_hit_barycentrics(query, POTENTIAL));
        }
        return;
    }
    unsigned primitive = intel_get_hit_procedural_primitive_id(query, POTENTIAL);
    primitive = min(primitive, (unsigned)BOXES - 1); /* damaged structures have any number */
    struct intel_float3 o = intel_get_ray_origin(query, level);
    struct intel_float3 d = intel_get_ray_direction(query, level);
    if (request->policy & FORWARD) {
        struct intel_ray_desc_t ray = request->ray;
        ray.origin.x = o.x - boxes[primitive].lower[0];
        ray.origin.y = o.y - boxes[primitive].lower[1];
        ray.origin.z = o.z - boxes[primitive].lower[2];
        intel_ray_query_forward_ray(query, ray, other);
        return;
    }
    float t;
    if (box_meet(o, d, &boxes[primitive], &t) && t > request->ray.tmin &&
        t <= intel_get_hit_distance(query, COMMITTED)) {
        struct intel_float2 uv = {0.25f, primitive};
        intel_ray_query_commit_potential_hit_override(query, t, uv);
    }
}

static void answer_fill(intel_ray_query_t query, __global struct answer *answer)
{
    answer->valid = intel_has_committed_hit(query);
    answer->t = intel_get_hit_distance(query, COMMITTED);
    if (!answer->valid) {
        return;
    }
    unsigned level = intel_get_hit_bvh_level(query, COMMITTED);
    struct intel_float3 vertices[3];
    struct intel_float2 uv = intel_get_hit_barycentrics(query, COMMITTED);
    intel_get_hit_triangle_vertices(query, vertices, COMMITTED);
    for (int i = 0; i < 3; i++) {
        answer->vertices[i] = vertices[i];
    }
    answer->level = level;
    answer->candidate = intel_get_hit_candidate(query, COMMITTED);
    answer->front = intel_get_hit_front_face(query, COMMITTED);
    answer->geometry = intel_get_hit_geometry_id(query, COMMITTED);
    answer->primitive = intel_get_hit_primitive_id(query, COMMITTED);
    answer->instance = intel_get_hit_instance_id(query, COMMITTED);
    answer->user = intel_get_hit_instance_user_id(query, COMMITTED);
    answer->u = uv.x;
    answer->v = uv.y;
    answer->origin = intel_get_ray_origin(query, level);
    answer->direction = intel_get_ray_direction(query, level);
    answer->world_to_object = intel_get_hit_world_to_object(query, COMMITTED);
    answer->object_to_world = intel_get_hit_object_to_world(query, COMMITTED);
    answer->tmin = intel_get_ray_tmin(query, level);
    answer->flags = intel_get_ray_flags(query, level);
    answer->mask = intel_get_ray_mask(query, level);
}

kernel void trace(global const struct request *requests, global struct answer *answers, uint count,
                  intel_raytracing_acceleration_structure_t structure,
                  intel_raytracing_acceleration_structure_t other, global const struct box *boxes)
{
    size_t i = get_global_id(0);
    if (i >= count) {
        return;
    }
    struct request request = requests[i];
    unsigned candidates = 0;
    intel_ray_query_t query = intel_ray_query_init(request.ray, structure);
    intel_ray_query_start_traversal(query);
    intel_ray_query_sync(query);
    while (!intel_is_traversal_done(query)) {
        candidates++;
        if (request.policy & ABANDON) {
            intel_ray_query_abandon(query);
            break;
        }
        candidate_decide(query, &request, boxes, other);
        intel_ray_query_start_traversal(query);
        intel_ray_query_sync(query);
    }
    answers[i].candidates = candidates;
    answer_fill(query, &answers[i]);
}

/* Returns the query from a function, which passes it to others. */
__attribute__((noinline)) intel_ray_query_t begin(struct intel_ray_desc_t ray,
                                                  intel_raytracing_acceleration_structure_t at)
{
    intel_ray_query_t query = intel_ray_query_init(ray, at);
    intel_ray_query_start_traversal(query);
    return query;
}

__attribute__((noinline)) float end(intel_ray_query_t query)
{
    intel_ray_query_sync(query);
    return intel_has_committed_hit(query) ? intel_get_hit_distance(query, COMMITTED) : -1;
}

/* Two queries of a work-item are under way at once. */
kernel void pair(global const struct request *requests, global float *distances,
                 intel_raytracing_acceleration_structure_t structure)
{
    size_t i = get_global_id(0);
    struct intel_ray_desc_t back = requests[i].ray;
    back.direction.x = -back.direction.x;
    back.direction.y = -back.direction.y;
    back.direction.z = -back.direction.z;
    intel_ray_query_t forth = begin(requests[i].ray, structure), other = begin(back, structure);
    distances[2 * i] = end(forth);
    distances[2 * i + 1] = end(other);
}

kernel void flag(global uint *flags)
{
    *flags = intel_get_raytracing_ext_flag();
}
