/* Ray queries: walks acceleration structures in the format of rtas/format.h. imports_ray.c replaces
 * the functions intel_ray_query_*, intel_get_hit_* and intel_get_ray_* by calls of these.
 *
 * A query is a structure in private memory. geo_ray_query_start walks until the query needs the
 * kernel: at a procedural, or at a triangle that is not opaque. This is the potential hit, and
 * another start continues behind it. The walk keeps a stack of entries: a node that has to be
 * entered, a node with children that remain, or a run of primitives. Each level has its own part of
 * the stack above the level below it.
 *
 * A structure is checked when a level begins: its header, then each number of a node or primitive
 * against the header's counts. A level enters at most as many nodes as its structure has, so a
 * damaged structure ends the walk. A structure with another header is empty.
 *
 * All arithmetic is written without fused operations, so results are the same on all processors. */
#include "compiler/builtins/ray_state.h"
#include "rtas/format.h"

#define INLINE static inline __attribute__((always_inline))

#define LEVELS GEO_RTAS_LEVELS
/* A level's largest number of entries: one for each node of a path, and a run of primitives. */
#define ROOM (GEO_RTAS_DEPTH_MAX + 1)

enum { COMMITTED, POTENTIAL, HITS };

enum flags {
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

/* A ray as the application describes it. */
struct ray {
    float origin[3], direction[3];
    float tmin, tmax;
    uint mask, flags;
};

/* The bits of hit.facts. */
enum facts {
    VALID = 1,
    DONE = 2, /* of the potential hit: the walk has ended */
    FRONT = 4,
    SECOND = 8, /* the second triangle of a quad */
    LEVEL = 8,  /* position of the level */
    KIND = 16,  /* position of the kind, enum geo_rtas_kind */
};

struct hit {
    float t, u, v;
    uint facts;
    ulong primitive, instance; /* addresses; 0: none */
};

struct geo_ray_query {
    struct hit hits[HITS];
    struct ray rays[LEVELS];
    ulong structures[LEVELS]; /* addresses; 0: nothing to walk */
    ulong instances[LEVELS];  /* addresses of the instances that began the levels; 0: none */
    uint entries[LEVELS];     /* number of nodes that the level may still enter */
    uint bases[LEVELS];       /* number of stack entries below the level's */
    uint level, top;
    uint finished; /* the first hit was accepted */
    uint reserved;
    ulong stack[LEVELS * ROOM];
};

typedef __private struct geo_ray_query *query_pointer;
typedef __global const struct geo_rtas_header *header_pointer;
typedef __global const struct geo_rtas_node *node_pointer;
typedef __global const struct geo_rtas_instance *instance_pointer;
typedef __global const struct geo_rtas_identity *identity_pointer;

_Static_assert(sizeof(struct geo_ray_query) == 8 * GEO_RAY_QUERY_UNITS, "imports_ray.c needs it");

/* ---- entries of the stack ----
 *
 *     node to enter   number:32                                     type 1
 *     children        number:32  places:24 (3 each)    left:4       type 2
 *     primitives      number:32  count:8  kind:4  second:1          type 3 */

#define TYPE(entry)      ((uint)((entry) >> 62))
#define ENTER_ENTRY(n)   ((ulong)1 << 62 | (n))
#define TYPE_ENTER       1u
#define TYPE_CHILDREN    2u
#define TYPE_PRIMITIVES  3u
#define CHILDREN_LEFT(e) ((uint)((e) >> 56) & 15u)
#define RUN_COUNT(e)     ((uint)((e) >> 32) & 255u)
#define RUN_KIND(e)      ((uint)((e) >> 40) & 15u)
#define RUN_SECOND(e)    ((uint)((e) >> 44) & 1u)
#define RUN_SECOND_BIT   ((ulong)1 << 44)

/* ---- levels ---- */

/* The part of a level that the walk needs at every step. */
struct place {
    float origin[3], direction[3], inverse[3];
    float tmin, tmax;
    uint mask, flags, instance_flags;
    uint near[3]; /* 0 or 24: which plane of a box's axis is near, as a distance in floats */
    ulong structure;
    header_pointer header;
};

INLINE struct place place_of(query_pointer query, uint level)
{
    struct place place;
    __private const struct ray *ray = &query->rays[level];
    for (int axis = 0; axis < 3; axis++) {
        float direction = ray->direction[axis];
        place.origin[axis] = ray->origin[axis];
        place.direction[axis] = direction;
        place.inverse[axis] = 1.0f / direction;
        place.near[axis] = as_uint(direction) >> 31 ? 24 : 0;
    }
    place.tmin = ray->tmin;
    place.tmax = ray->tmax;
    place.mask = ray->mask;
    place.flags = ray->flags;
    place.structure = query->structures[level];
    place.header = (header_pointer)place.structure;
    ulong instance = query->instances[level];
    place.instance_flags = instance ? ((instance_pointer)instance)->identity.flags : 0;
    return place;
}

INLINE bool is_number(float x)
{
    return fabs(x) < INFINITY;
}

/* Whether a ray can hit something. Comparisons are false with a NaN. */
INLINE bool ray_can_hit(__private const struct ray *ray)
{
    bool good = ray->tmin <= ray->tmax;
    for (int axis = 0; axis < 3; axis++) {
        good &= is_number(ray->origin[axis]) && is_number(ray->direction[axis]);
    }
    return good;
}

INLINE bool header_good(header_pointer header)
{
    return header->magic == GEO_RTAS_MAGIC && header->version == GEO_RTAS_VERSION &&
           header->node_count != 0;
}

/* Begins a level: its ray and instance are set. */
INLINE void level_begin(query_pointer query, uint level, ulong structure)
{
    query->structures[level] = 0;
    query->bases[level] = query->top;
    query->level = level;
    if (structure == 0 || !ray_can_hit(&query->rays[level]) ||
        !header_good((header_pointer)structure)) {
        return;
    }
    query->structures[level] = structure;
    query->entries[level] = ((header_pointer)structure)->node_count;
    query->stack[query->top++] = ENTER_ENTRY(0);
}

/* ---- nodes ---- */

INLINE void order(__private int *a, __private int *b)
{
    int low = min(*a, *b), high = max(*a, *b);
    *a = low;
    *b = high;
}

/* Sorts eight numbers. */
INLINE void eight_sort(__private int *k)
{
    order(k + 0, k + 2), order(k + 1, k + 3), order(k + 4, k + 6), order(k + 5, k + 7);
    order(k + 0, k + 4), order(k + 1, k + 5), order(k + 2, k + 6), order(k + 3, k + 7);
    order(k + 0, k + 1), order(k + 2, k + 3), order(k + 4, k + 5), order(k + 6, k + 7);
    order(k + 2, k + 4), order(k + 3, k + 5);
    order(k + 1, k + 4), order(k + 3, k + 6);
    order(k + 1, k + 2), order(k + 3, k + 4), order(k + 5, k + 6);
}

/* The part of a ray inside a box. */
struct span {
    float near, far;
};

/* Both ends are moved by more than the error of their computation, so that no box is missed. A
 * plane in which the ray lies gives a NaN, which fmax and fmin ignore. */
#define SPAN_ERROR 4e-7f

/* Returns the part of the ray in child `child` of a node, given as its floats. */
INLINE struct span span_of(const struct place *place, __global const float *boxes, uint child,
                           float limit)
{
    struct span span;
    float near[3], far[3];
    for (uint axis = 0; axis < 3; axis++) {
        uint at = axis * GEO_RTAS_WIDTH + child;
        near[axis] = (boxes[at + place->near[axis]] - place->origin[axis]) * place->inverse[axis];
        far[axis] =
            (boxes[at + (24 - place->near[axis])] - place->origin[axis]) * place->inverse[axis];
    }
    span.near = fmax(fmax(near[0], near[1]), near[2]);
    span.far = fmin(fmin(far[0], far[1]), far[2]);
    span.near = fmax(span.near - fabs(span.near) * SPAN_ERROR, place->tmin);
    span.far = fmin(span.far + fabs(span.far) * SPAN_ERROR, limit);
    return span;
}

/* Pushes the children of a node that the ray enters, nearest first. */
INLINE void node_enter(query_pointer query, const struct place *place, uint level, uint number,
                       float limit)
{
    header_pointer header = place->header;
    if (number >= header->node_count || query->entries[level] == 0 ||
        query->top - query->bases[level] >= GEO_RTAS_DEPTH_MAX) {
        return;
    }
    query->entries[level]--;
    node_pointer node = (node_pointer)(place->structure + header->nodes) + number;
    __global const float *boxes = (__global const float *)node;
    int keys[GEO_RTAS_WIDTH];
    uint left = 0;
    for (uint child = 0; child < GEO_RTAS_WIDTH; child++) {
        struct span span = span_of(place, boxes, child, limit);
        bool enters = span.near <= span.far;
        left += enters;
        keys[child] = (int)((enters ? as_uint(fmax(span.near, 0.0f)) & ~7u : 0x7ffffff8u) | child);
    }
    if (left == 0) {
        return;
    }
    eight_sort(keys);
    uint places = 0;
    for (uint i = 0; i < GEO_RTAS_WIDTH; i++) {
        places |= ((uint)keys[i] & 7u) << (3 * i);
    }
    query->stack[query->top++] =
        (ulong)TYPE_CHILDREN << 62 | (ulong)left << 56 | (ulong)places << 32 | number;
}

/* ---- primitives ---- */

struct vec {
    float x, y, z;
};

INLINE struct vec vec_of(const float *at)
{
    return (struct vec){at[0], at[1], at[2]};
}

INLINE struct vec sub(struct vec a, struct vec b)
{
    return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE struct vec add(struct vec a, struct vec b)
{
    return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE struct vec cross_of(struct vec a, struct vec b)
{
    return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

INLINE float dot_of(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

INLINE struct vec corner(__global const float *vertices, uint number)
{
    __global const float *at = vertices + 3 * number;
    return (struct vec){at[0], at[1], at[2]};
}

/* The numbers of a triangle's vertices, packed as 4 bits each: of a triangle, and of the two of a
 * quad. */
INLINE uint corners_of(uint kind, uint second)
{
    return kind == GEO_RTAS_TRIANGLES ? 0x210u : second ? 0x132u : 0x310u;
}

#define SIDE_ERROR 1.1920929e-7f

/* Intersects the ray with a triangle by the signs of its three sides (Plücker coordinates). Two
 * triangles with a common side compute the same number for it, up to the sign, so no ray passes
 * between them. Returns whether the ray meets the triangle's plane inside, and fills t, u, v and
 * VALID or VALID | FRONT in `hit`. */
INLINE bool triangle_meet(const struct place *place, __global const float *vertices, uint corners,
                          __private struct hit *hit)
{
    struct vec origin = vec_of(place->origin), d = vec_of(place->direction);
    struct vec a = sub(corner(vertices, corners & 3), origin);
    struct vec b = sub(corner(vertices, corners >> 4 & 3), origin);
    struct vec c = sub(corner(vertices, corners >> 8 & 3), origin);
    struct vec ca = sub(c, a), ab = sub(a, b), bc = sub(b, c);
    float u = dot_of(cross_of(ca, add(c, a)), d);
    float v = dot_of(cross_of(ab, add(a, b)), d);
    float w = dot_of(cross_of(bc, add(b, c)), d);
    float sum = u + v + w;
    float error = SIDE_ERROR * fabs(sum);
    bool inside =
        (u >= -error && v >= -error && w >= -error) || (u <= error && v <= error && w <= error);
    struct vec normal = cross_of(ca, ab);
    float along = dot_of(normal, d);
    hit->t = dot_of(a, normal) / along;
    hit->u = u / sum;
    hit->v = v / sum;
    hit->facts = along < 0 ? VALID | FRONT : VALID;
    return inside && along != 0 && sum != 0 && is_number(hit->t);
}

/* Whether the hit is in the ray's range, and nearer than the committed one. */
INLINE bool in_range(query_pointer query, const struct place *place, float t)
{
    __private const struct hit *committed = &query->hits[COMMITTED];
    return t > place->tmin && t <= place->tmax &&
           (committed->facts & VALID ? t < committed->t : t <= committed->t);
}

INLINE bool is_opaque(const struct place *place, uint flags)
{
    bool opaque = !(flags & GEO_RTAS_NON_OPAQUE);
    opaque = (opaque || place->instance_flags & GEO_RTAS_FORCE_OPAQUE) &&
             !(place->instance_flags & GEO_RTAS_FORCE_NON_OPAQUE);
    return (opaque || place->flags & FORCE_OPAQUE) && !(place->flags & FORCE_NON_OPAQUE);
}

INLINE bool is_culled(const struct place *place, bool opaque)
{
    return place->flags & (opaque ? CULL_OPAQUE : CULL_NON_OPAQUE);
}

/* Whether a triangle that the ray meets is left out for the side that it shows. Its facts get the
 * side as the instance defines it. */
INLINE bool side_culled(const struct place *place, __private struct hit *hit)
{
    hit->facts ^= place->instance_flags & GEO_RTAS_FRONT_COUNTERCLOCKWISE ? FRONT : 0;
    return !(place->instance_flags & GEO_RTAS_CULL_DISABLE) &&
           place->flags & (hit->facts & FRONT ? CULL_FRONT : CULL_BACK);
}

/* Takes a hit over as the committed one. Returns whether the walk ends with it. */
INLINE bool hit_commit(query_pointer query, uint level, const struct hit *hit)
{
    query->hits[COMMITTED] = *hit;
    query->hits[COMMITTED].facts = (hit->facts | VALID) & ~(uint)DONE;
    query->finished = (query->rays[level].flags & ACCEPT_FIRST) != 0;
    return query->finished;
}

/* Tests a triangle. Returns whether the walk stops: at a potential hit or the first accepted one. */
INLINE bool triangle_visit(query_pointer query, const struct place *place, uint level, uint kind,
                           uint second, ulong address)
{
    __global const float *vertices = (__global const float *)address;
    identity_pointer identity =
        (identity_pointer)(vertices + (kind == GEO_RTAS_TRIANGLES ? 9 : 12));
    struct hit hit;
    bool opaque = is_opaque(place, identity->flags);
    if (!(identity->mask & place->mask) || place->flags & SKIP_TRIANGLES ||
        is_culled(place, opaque) ||
        !triangle_meet(place, vertices, corners_of(kind, second), &hit) ||
        !in_range(query, place, hit.t) || side_culled(place, &hit)) {
        return false;
    }
    /* the coordinates of a quad go over both of its triangles */
    hit.u = second ? 1.0f - hit.u : hit.u;
    hit.v = second ? 1.0f - hit.v : hit.v;
    hit.facts |= (second ? SECOND : 0) | level << LEVEL | kind << KIND;
    hit.primitive = address;
    hit.instance = query->instances[level];
    if (opaque) {
        return hit_commit(query, level, &hit);
    }
    query->hits[POTENTIAL] = hit;
    return true;
}

/* Makes a procedural the potential hit. Returns whether the walk stops. */
INLINE bool procedural_visit(query_pointer query, const struct place *place, uint level,
                             ulong address, float t)
{
    identity_pointer identity = (identity_pointer)address;
    if (!(identity->mask & place->mask) || place->flags & SKIP_PROCEDURALS ||
        is_culled(place, is_opaque(place, identity->flags))) {
        return false;
    }
    query->hits[POTENTIAL] =
        (struct hit){t,       0,
                     0,       VALID | level << LEVEL | GEO_RTAS_PROCEDURALS << KIND,
                     address, query->instances[level]};
    return true;
}

INLINE float transform(__global const float *row, const float *vector, float w)
{
    return row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2] + row[3] * w;
}

/* Begins the level of an instance. The parameter of the ray stays the same. */
INLINE void instance_visit(query_pointer query, const struct place *place, uint level,
                           ulong address)
{
    instance_pointer instance = (instance_pointer)address;
    if (level + 1 >= LEVELS || !(instance->identity.mask & place->mask)) {
        return;
    }
    __private struct ray *ray = &query->rays[level + 1];
    for (int axis = 0; axis < 3; axis++) {
        __global const float *row = instance->world_to_object + 4 * axis;
        ray->origin[axis] = transform(row, place->origin, 1.0f);
        ray->direction[axis] = transform(row, place->direction, 0.0f);
    }
    ray->tmin = place->tmin;
    ray->tmax = place->tmax;
    ray->mask = place->mask;
    ray->flags = place->flags;
    query->instances[level + 1] = address;
    level_begin(query, level + 1, instance->structure);
}

/* ---- the walk ---- */

/* Takes the nearest child of the node on top of the stack: enters a node, or pushes the primitives
 * of a leaf. Returns in *t where the ray enters the child. */
INLINE void child_take(query_pointer query, const struct place *place, uint level, float limit,
                       __private float *t)
{
    ulong entry = query->stack[query->top - 1];
    uint number = (uint)entry;
    if (TYPE(entry) == TYPE_ENTER) {
        query->top--;
    } else {
        header_pointer header = place->header;
        node_pointer node = (node_pointer)(place->structure + header->nodes) + number;
        uint child = (uint)(entry >> 32) & 7u;
        struct span span = span_of(place, (__global const float *)node, child, limit);
        ulong places = entry >> 3 & (ulong)0x1fffff << 32;
        if (CHILDREN_LEFT(entry) == 1) {
            query->top--;
        } else {
            query->stack[query->top - 1] =
                (entry & ~((ulong)0xffffff << 32)) - ((ulong)1 << 56) | places;
        }
        *t = span.near;
        uint kind = node->kind[child], count = node->count[child];
        number = node->child[child];
        if (!(span.near <= span.far) || kind == GEO_RTAS_CHILD_NONE) {
            return;
        }
        if (kind != GEO_RTAS_CHILD_NODE) {
            kind -= GEO_RTAS_CHILD_LEAF;
            if (kind < GEO_RTAS_KINDS && count > 0 && number < header->counts[kind] &&
                count <= header->counts[kind] - number) {
                query->stack[query->top++] =
                    (ulong)TYPE_PRIMITIVES << 62 | (ulong)kind << 40 | (ulong)count << 32 | number;
            }
            return;
        }
    }
    node_enter(query, place, level, number, limit);
}

/* Visits the next primitive of the run on top of the stack. Returns whether the walk stops. */
INLINE bool run_visit(query_pointer query, const struct place *place, uint level, float t)
{
    ulong entry = query->stack[query->top - 1];
    uint kind = RUN_KIND(entry), number = (uint)entry, second = RUN_SECOND(entry);
    if (kind == GEO_RTAS_QUADS && !second) {
        query->stack[query->top - 1] = entry | RUN_SECOND_BIT;
    } else if (RUN_COUNT(entry) == 1) {
        query->top--;
    } else {
        query->stack[query->top - 1] = (entry & ~RUN_SECOND_BIT) - ((ulong)1 << 32) + 1;
    }
    ulong first = place->structure + place->header->primitives[kind];
    if (kind == GEO_RTAS_TRIANGLES || kind == GEO_RTAS_QUADS) {
        ulong bytes = kind == GEO_RTAS_TRIANGLES ? sizeof(struct geo_rtas_triangle)
                                                 : sizeof(struct geo_rtas_quad);
        return triangle_visit(query, place, level, kind, second, first + bytes * number);
    }
    if (kind == GEO_RTAS_PROCEDURALS) {
        return procedural_visit(query, place, level,
                                first + sizeof(struct geo_rtas_procedural) * number, t);
    }
    instance_visit(query, place, level, first + sizeof(struct geo_rtas_instance) * number);
    return false;
}

/* Returns whether the walk has left all levels, leaving those whose entries are all done. */
INLINE bool levels_leave(query_pointer query)
{
    while (query->top == query->bases[query->level] && query->level > 0) {
        query->level--;
    }
    return query->top == query->bases[query->level];
}

void geo_ray_query_start(query_pointer query)
{
    query->hits[POTENTIAL].facts |= VALID | DONE;
    if (query->finished) {
        return;
    }
    bool stopped = false;
    while (!stopped && !levels_leave(query)) {
        uint level = query->level;
        uint base = query->bases[level];
        struct place place = place_of(query, level);
        while (!stopped && query->level == level && query->top > base) {
            float t = place.tmin;
            float limit = fmin(place.tmax, query->hits[COMMITTED].t);
            while (query->top > base && TYPE(query->stack[query->top - 1]) != TYPE_PRIMITIVES) {
                child_take(query, &place, level, limit, &t);
            }
            if (query->top > base) {
                stopped = run_visit(query, &place, level, t);
            }
        }
    }
}

/* ---- the functions that imports become ---- */

INLINE void ray_set(__private struct ray *ray, float ox, float oy, float oz, float dx, float dy,
                    float dz, float tmin, float tmax, uint mask, uint flags)
{
    ray->origin[0] = ox;
    ray->origin[1] = oy;
    ray->origin[2] = oz;
    ray->direction[0] = dx;
    ray->direction[1] = dy;
    ray->direction[2] = dz;
    ray->tmin = tmin;
    ray->tmax = tmax;
    ray->mask = mask;
    ray->flags = flags;
}

void geo_ray_query_init(query_pointer query, float ox, float oy, float oz, float dx, float dy,
                        float dz, float tmin, float tmax, uint mask, uint flags, ulong structure)
{
    query->hits[COMMITTED] = (struct hit){tmax, 0, 0, 0, 0, 0};
    query->hits[POTENTIAL] = (struct hit){INFINITY, 0, 0, VALID | DONE, 0, 0};
    for (uint level = 0; level < LEVELS; level++) {
        query->instances[level] = 0;
        ray_set(&query->rays[level], ox, oy, oz, dx, dy, dz, tmin, tmax, mask, flags);
    }
    query->finished = 0;
    query->top = 0;
    level_begin(query, 0, structure);
}

/* Begins another structure above the level of the potential hit, with a ray of its own. */
void geo_ray_query_forward(query_pointer query, float ox, float oy, float oz, float dx, float dy,
                           float dz, float tmin, float tmax, uint mask, uint flags, ulong structure)
{
    uint level = query->level + 1;
    if (level < LEVELS) {
        ray_set(&query->rays[level], ox, oy, oz, dx, dy, dz, tmin, tmax, mask, flags);
        query->instances[level] = 0;
        level_begin(query, level, structure);
    }
}

void geo_ray_query_commit(query_pointer query)
{
    struct hit hit = query->hits[POTENTIAL];
    hit_commit(query, hit.facts >> LEVEL & 255u, &hit);
}

void geo_ray_query_commit_override(query_pointer query, float t, float u, float v)
{
    query->hits[POTENTIAL].t = t;
    query->hits[POTENTIAL].u = u;
    query->hits[POTENTIAL].v = v;
    geo_ray_query_commit(query);
}

bool geo_ray_is_done(query_pointer query)
{
    return query->hits[POTENTIAL].facts & DONE;
}

bool geo_ray_has_committed(query_pointer query)
{
    return query->hits[COMMITTED].facts & VALID;
}

INLINE struct hit hit_of(query_pointer query, uint type)
{
    return query->hits[type & 1];
}

/* Returns the identity of the hit's primitive, or 0 without one. */
INLINE identity_pointer identity_of(query_pointer query, uint type)
{
    struct hit hit = hit_of(query, type);
    uint kind = hit.facts >> KIND;
    ulong offset = kind == GEO_RTAS_TRIANGLES ? 36 : kind == GEO_RTAS_QUADS ? 48 : 0;
    return (identity_pointer)(hit.primitive ? hit.primitive + offset : 0);
}

INLINE instance_pointer instance_of(query_pointer query, uint type)
{
    return (instance_pointer)hit_of(query, type).instance;
}

uint geo_ray_hit_level(query_pointer query, uint type)
{
    return hit_of(query, type).facts >> LEVEL & 255u;
}

float geo_ray_hit_distance(query_pointer query, uint type)
{
    return hit_of(query, type).t;
}

float geo_ray_hit_barycentrics(query_pointer query, uint type, uint component)
{
    struct hit hit = hit_of(query, type);
    return component ? hit.v : hit.u;
}

bool geo_ray_hit_front(query_pointer query, uint type)
{
    return hit_of(query, type).facts & FRONT;
}

uint geo_ray_hit_geometry(query_pointer query, uint type)
{
    identity_pointer identity = identity_of(query, type);
    return identity ? identity->geometry : ~0u;
}

uint geo_ray_hit_primitive(query_pointer query, uint type)
{
    identity_pointer identity = identity_of(query, type);
    return identity ? identity->primitive : ~0u;
}

uint geo_ray_hit_instance(query_pointer query, uint type)
{
    instance_pointer instance = instance_of(query, type);
    return instance ? instance->identity.geometry : ~0u;
}

uint geo_ray_hit_instance_user(query_pointer query, uint type)
{
    instance_pointer instance = instance_of(query, type);
    return instance ? instance->user_id : ~0u;
}

/* Returns a number of one of the instance's two matrices, or of the identity without an instance.
 * The application's matrices have columns: x, y, z, and the translation. */
INLINE float matrix_part(instance_pointer instance, uint matrix, uint component)
{
    uint column = component / 3, row = component % 3;
    __global const float *floats = (__global const float *)instance;
    return instance ? floats[12 * matrix + 4 * row + column] : column == row ? 1.0f : 0.0f;
}

float geo_ray_hit_world_to_object(query_pointer query, uint type, uint component)
{
    return matrix_part(instance_of(query, type), 1, component);
}

float geo_ray_hit_object_to_world(query_pointer query, uint type, uint component)
{
    return matrix_part(instance_of(query, type), 0, component);
}

/* The kinds of candidates are 0 for triangles and 1 for procedurals. */
uint geo_ray_hit_candidate(query_pointer query, uint type)
{
    return hit_of(query, type).facts >> KIND == GEO_RTAS_PROCEDURALS;
}

/* Returns one of the nine coordinates of a triangle's vertices, or 0 for other hits. */
float geo_ray_hit_vertices(query_pointer query, uint type, uint component)
{
    struct hit hit = hit_of(query, type);
    uint kind = hit.facts >> KIND, vertex = component / 3;
    if (hit.primitive == 0 || kind > GEO_RTAS_QUADS) {
        return 0;
    }
    uint number = corners_of(kind, hit.facts & SECOND) >> (4 * vertex) & 3;
    return ((__global const float *)hit.primitive)[3 * number + component % 3];
}

INLINE __private const struct ray *ray_of(query_pointer query, uint level)
{
    return &query->rays[min(level, LEVELS - 1)];
}

float geo_ray_origin(query_pointer query, uint level, uint component)
{
    return ray_of(query, level)->origin[component];
}

float geo_ray_direction(query_pointer query, uint level, uint component)
{
    return ray_of(query, level)->direction[component];
}

float geo_ray_tmin(query_pointer query, uint level)
{
    return ray_of(query, level)->tmin;
}

uint geo_ray_flags(query_pointer query, uint level)
{
    return ray_of(query, level)->flags;
}

uint geo_ray_mask(query_pointer query, uint level)
{
    return ray_of(query, level)->mask;
}
