/* Walks structures. See walk.h. */
#include "walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 8 * GEO_RTAS_DEPTH_MAX };

static const struct geo_rtas_header *header_of(const void *structure)
{
    return structure;
}

static const struct geo_rtas_node *node_at(const void *structure, uint32_t number)
{
    const char *nodes = (const char *)structure + header_of(structure)->nodes;
    return (const struct geo_rtas_node *)(const void *)nodes + number;
}

static const void *primitive_at(const void *structure, uint32_t kind, uint32_t number)
{
    static const size_t bytes[] = {48, 64, 16, 128};
    return (const char *)structure + header_of(structure)->primitives[kind] + bytes[kind] * number;
}

static const struct geo_rtas_identity *identity_at(const void *structure, uint32_t kind,
                                                   uint32_t number)
{
    const void *at = primitive_at(structure, kind, number);
    switch (kind) {
    case GEO_RTAS_TRIANGLES:
        return &((const struct geo_rtas_triangle *)at)->identity;
    case GEO_RTAS_QUADS:
        return &((const struct geo_rtas_quad *)at)->identity;
    case GEO_RTAS_PROCEDURALS:
        return &((const struct geo_rtas_procedural *)at)->identity;
    default:
        return &((const struct geo_rtas_instance *)at)->identity;
    }
}

struct box {
    float lower[3], upper[3];
};

static struct box box_empty(void)
{
    return (struct box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static struct box box_of_child(const struct geo_rtas_node *node, uint32_t place)
{
    struct box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lower[axis] = node->lower[axis][place];
        box.upper[axis] = node->upper[axis][place];
    }
    return box;
}

static void box_add(struct box *box, const float *lower, const float *upper)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lower[axis] = fminf(box->lower[axis], lower[axis]);
        box->upper[axis] = fmaxf(box->upper[axis], upper[axis]);
    }
}

/* ---- checking ---- */

struct check {
    const void *structure;
    const struct scene *scene;
    uint8_t *nodes;                      /* seen */
    uint8_t *primitives[GEO_RTAS_KINDS]; /* seen */
    uint32_t *starts;                    /* of each geometry's primitives among all */
    uint32_t *times;                     /* each primitive of the scene was in a leaf */
    struct box *covers;                  /* the boxes of its leaves */
    uint32_t deepest;
};

static void mesh_check(const struct check *check, uint32_t kind, const float *vertices,
                       const struct geo_rtas_identity *identity, const struct box *leaf)
{
    float corners[4][3];
    uint32_t count =
        scene_primitive(check->scene, identity->geometry, identity->primitive, corners);
    const ze_rtas_builder_triangles_geometry_info_ext_t *mesh =
        &check->scene->info[identity->geometry].triangles;
    assert_int_equal(count, kind == GEO_RTAS_TRIANGLES ? 3 : 4);
    assert_memory_equal(vertices, corners, count * sizeof(corners[0]));
    assert_int_equal(identity->mask, mesh->geometryMask);
    assert_int_equal(identity->flags, mesh->geometryFlags);
    if (!(header_of(check->structure)->flags & GEO_RTAS_HEADER_SPLIT)) {
        for (uint32_t c = 0; c < count; c++) {
            for (int axis = 0; axis < 3; axis++) {
                assert_true(corners[c][axis] >= leaf->lower[axis]);
                assert_true(corners[c][axis] <= leaf->upper[axis]);
            }
        }
    }
}

static void procedural_check(const struct check *check, const struct geo_rtas_identity *identity,
                             const struct box *leaf)
{
    float corners[4][3];
    const ze_rtas_builder_procedural_geometry_info_ext_t *info =
        &check->scene->info[identity->geometry].procedural;
    assert_int_equal(
        scene_primitive(check->scene, identity->geometry, identity->primitive, corners), 2);
    assert_memory_equal(leaf, corners, sizeof(*leaf));
    assert_int_equal(identity->mask, info->geometryMask);
    assert_int_equal(identity->flags, info->geometryFlags);
}

/* The box has every corner of the instance's box, transformed; matrices are each other's inverse. */
static void instance_check(const struct check *check, const struct geo_rtas_instance *instance,
                           const struct box *leaf)
{
    const ze_rtas_builder_instance_geometry_info_ext_t *info =
        &check->scene->info[instance->identity.geometry].instance;
    const float *m = instance->object_to_world, *w = instance->world_to_object;
    float box[4][3];
    assert_int_equal(instance->structure, (uintptr_t)info->pAccelerationStructure);
    assert_int_equal(instance->user_id, info->instanceUserID);
    assert_int_equal(instance->identity.mask, info->geometryMask);
    assert_int_equal(instance->identity.flags, info->instanceFlags);
    assert_int_equal(instance->identity.primitive, 0);
    assert_int_equal(scene_primitive(check->scene, instance->identity.geometry, 0, box), 2);
    for (uint32_t corner = 0; corner < 8; corner++) {
        double at[3], back[3];
        for (int r = 0; r < 3; r++) {
            at[r] = m[4 * r + 3];
            for (int c = 0; c < 3; c++) {
                at[r] += (double)m[4 * r + c] * box[corner >> c & 1][c];
            }
            assert_true(at[r] >= (double)leaf->lower[r] && at[r] <= (double)leaf->upper[r]);
        }
        for (int r = 0; r < 3; r++) {
            double size = fabs((double)w[4 * r + 3]);
            back[r] = w[4 * r + 3];
            for (int c = 0; c < 3; c++) {
                back[r] += w[4 * r + c] * at[c];
                size += fabs(w[4 * r + c] * at[c]);
            }
            assert_true(fabs(back[r] - (double)box[corner >> r & 1][r]) <= size * 1e-6);
        }
    }
}

static void leaf_check(struct check *check, uint32_t kind, uint32_t first, uint32_t count,
                       const struct box *leaf)
{
    const struct geo_rtas_header *header = header_of(check->structure);
    assert_true(kind < GEO_RTAS_KINDS && count >= 1 && count <= GEO_RTAS_LEAF_MAX);
    assert_true(kind <= GEO_RTAS_QUADS || count == 1);
    assert_true((uint64_t)first + count <= header->counts[kind]);
    for (uint32_t i = first; i < first + count; i++) {
        const struct geo_rtas_identity *identity = identity_at(check->structure, kind, i);
        assert_int_equal(check->primitives[kind][i]++, 0);
        assert_true(identity->geometry < check->scene->count);
        assert_non_null(check->scene->list[identity->geometry]);
        assert_int_equal(check->scene->list[identity->geometry]->geometryType, kind);
        assert_true(identity->primitive < scene_primitives(check->scene, identity->geometry));
        uint32_t number = check->starts[identity->geometry] + identity->primitive;
        check->times[number]++;
        box_add(&check->covers[number], leaf->lower, leaf->upper);
        if (kind <= GEO_RTAS_QUADS) {
            mesh_check(check, kind, primitive_at(check->structure, kind, i), identity, leaf);
        } else if (kind == GEO_RTAS_PROCEDURALS) {
            procedural_check(check, identity, leaf);
        } else {
            instance_check(check, primitive_at(check->structure, kind, i), leaf);
        }
    }
}

struct place {
    uint32_t node, depth;
    struct box box;
};

/* Each box is that around those below it: no larger, but for leaves. */
static uint32_t node_check(struct check *check, const struct place *at, struct place *more)
{
    const struct geo_rtas_header *header = header_of(check->structure);
    assert_true(at->node < header->node_count);
    assert_int_equal(check->nodes[at->node]++, 0);
    const struct geo_rtas_node *node = node_at(check->structure, at->node);
    uint32_t below = 0, free_places = 0;
    struct box all = box_empty();
    check->deepest = at->depth > check->deepest ? at->depth : check->deepest;
    for (uint32_t i = 0; i < GEO_RTAS_WIDTH; i++) {
        struct box box = box_of_child(node, i);
        if (node->kind[i] == GEO_RTAS_CHILD_NONE) {
            struct box empty = box_empty();
            assert_memory_equal(&box, &empty, sizeof(box));
            free_places++;
            continue;
        }
        box_add(&all, box.lower, box.upper);
        if (node->kind[i] == GEO_RTAS_CHILD_NODE) {
            more[below++] = (struct place){node->child[i], at->depth + 1, box};
        } else {
            leaf_check(check, node->kind[i] - (uint32_t)GEO_RTAS_CHILD_LEAF, node->child[i],
                       node->count[i], &box);
        }
    }
    assert_memory_equal(&all, &at->box, sizeof(all));
    assert_true(free_places == 0 || below == 0);
    return below;
}

static void tree_check(struct check *check)
{
    const struct geo_rtas_header *header = header_of(check->structure);
    struct place *stack = calloc(STACK, sizeof(*stack));
    uint32_t count = 1;
    assert_non_null(stack);
    memcpy(stack[0].box.lower, header->lower, 12);
    memcpy(stack[0].box.upper, header->upper, 12);
    stack[0].depth = 1;
    while (count > 0) {
        struct place at = stack[--count];
        assert_true(at.depth <= header->depth && at.depth <= GEO_RTAS_DEPTH_MAX);
        assert_true(count + GEO_RTAS_WIDTH <= STACK);
        count += node_check(check, &at, &stack[count]);
    }
    assert_int_equal(check->deepest, header->depth);
    free(stack);
}

static void scene_check(const struct check *check)
{
    const struct geo_rtas_header *header = header_of(check->structure);
    bool split = header->flags & GEO_RTAS_HEADER_SPLIT;
    for (uint32_t g = 0; g < check->scene->count; g++) {
        uint32_t kind = check->scene->list[g] ? check->scene->list[g]->geometryType : 0;
        for (uint32_t p = 0; p < scene_primitives(check->scene, g); p++) {
            float corners[4][3];
            uint32_t count = scene_primitive(check->scene, g, p, corners);
            uint32_t number = check->starts[g] + p;
            const struct box *covers = &check->covers[number];
            if (kind == GEO_RTAS_INSTANCES) {
                continue; /* its own test says which are left out */
            }
            assert_true(split && count ? check->times[number] >= 1
                                       : check->times[number] == (count ? 1 : 0));
            for (uint32_t c = 0; c < count; c++) {
                for (int axis = 0; axis < 3; axis++) {
                    assert_true(corners[c][axis] >= covers->lower[axis]);
                    assert_true(corners[c][axis] <= covers->upper[axis]);
                }
            }
        }
    }
}

static void all_seen(const uint8_t *seen, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(seen[i], 1);
    }
}

void walk_check(const void *structure, const struct scene *scene)
{
    const struct geo_rtas_header *header = structure;
    struct check check = {.structure = structure, .scene = scene};
    uint32_t total = 0;
    assert_int_equal(header->magic, GEO_RTAS_MAGIC);
    assert_int_equal(header->version, GEO_RTAS_VERSION);
    assert_int_equal(header->nodes + header->node_count * sizeof(struct geo_rtas_node),
                     header->bytes);
    check.nodes = calloc(header->node_count, 1);
    check.starts = calloc((size_t)scene->count + 1, sizeof(*check.starts));
    assert_true(check.nodes && check.starts);
    for (uint32_t g = 0; g < scene->count; g++) {
        check.starts[g] = total;
        total += scene_primitives(scene, g);
    }
    check.times = calloc((size_t)total + 1, sizeof(*check.times));
    check.covers = calloc((size_t)total + 1, sizeof(*check.covers));
    assert_true(check.times && check.covers);
    for (uint32_t i = 0; i < total; i++) {
        check.covers[i] = box_empty();
    }
    for (uint32_t kind = 0; kind < GEO_RTAS_KINDS; kind++) {
        check.primitives[kind] = calloc((size_t)header->counts[kind] + 1, 1);
        assert_non_null(check.primitives[kind]);
    }
    tree_check(&check);
    scene_check(&check);
    all_seen(check.nodes, header->node_count);
    for (uint32_t kind = 0; kind < GEO_RTAS_KINDS; kind++) {
        all_seen(check.primitives[kind], header->counts[kind]);
        free(check.primitives[kind]);
    }
    free(check.nodes);
    free(check.starts);
    free(check.times);
    free(check.covers);
}

static double area(const struct box *box)
{
    double size[3];
    for (int axis = 0; axis < 3; axis++) {
        size[axis] = (double)box->upper[axis] - (double)box->lower[axis];
    }
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

double walk_cost(const void *structure)
{
    const struct geo_rtas_header *header = structure;
    struct box all;
    double cost = 0;
    memcpy(&all, header->lower, sizeof(all));
    for (uint32_t n = 0; n < header->node_count; n++) {
        const struct geo_rtas_node *node = node_at(structure, n);
        for (uint32_t i = 0; i < GEO_RTAS_WIDTH; i++) {
            struct box box = box_of_child(node, i);
            if (node->kind[i] != GEO_RTAS_CHILD_NONE) {
                cost += area(&box) * (node->kind[i] == GEO_RTAS_CHILD_NODE ? 1 : node->count[i]);
            }
        }
    }
    return cost / area(&all);
}

/* ---- rays ---- */

/* Where the ray enters the box, a little widened for the rounding of this; INFINITY: not. */
static double box_enter(const struct walk_ray *ray, const float *lower, const float *upper)
{
    double enter = 0, leave = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double o = ray->origin[axis], d = ray->direction[axis];
        double slack = 1e-12 * (fabs(o) + fabs((double)lower[axis]) + fabs((double)upper[axis]));
        double low = (double)lower[axis] - slack, high = (double)upper[axis] + slack;
        if (d == 0) {
            if (o < low || o > high) {
                return INFINITY;
            }
            continue;
        }
        double a = (low - o) / d, b = (high - o) / d;
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter <= leave ? enter : INFINITY;
}

static void cross(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double triangle_meet(const struct walk_ray *ray, const float *v0, const float *v1,
                            const float *v2)
{
    double e1[3], e2[3], p[3], q[3], s[3];
    for (int i = 0; i < 3; i++) {
        e1[i] = (double)v1[i] - (double)v0[i];
        e2[i] = (double)v2[i] - (double)v0[i];
        s[i] = ray->origin[i] - (double)v0[i];
    }
    cross(ray->direction, e2, p);
    double det = dot(e1, p);
    if (det == 0) {
        return INFINITY;
    }
    double u = dot(s, p) / det;
    cross(s, e1, q);
    double v = dot(ray->direction, q) / det, t = dot(e2, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 ? t : INFINITY;
}

static double face_meet(const struct walk_ray *ray, const float (*v)[3], uint32_t corners)
{
    if (corners == 3) {
        return triangle_meet(ray, v[0], v[1], v[2]);
    }
    return fmin(triangle_meet(ray, v[0], v[1], v[3]), triangle_meet(ray, v[2], v[3], v[1]));
}

static void ray_transform(const struct walk_ray *ray, const float *m, struct walk_ray *out)
{
    *out = *ray;
    for (int r = 0; r < 3; r++) {
        out->origin[r] = m[4 * r + 3];
        out->direction[r] = 0;
        for (int c = 0; c < 3; c++) {
            out->origin[r] += m[4 * r + c] * ray->origin[c];
            out->direction[r] += m[4 * r + c] * ray->direction[c];
        }
    }
}

static void hit_take(struct walk_hit *hit, double t, const struct geo_rtas_identity *identity)
{
    if (t < hit->t) {
        *hit = (struct walk_hit){t, identity->geometry, identity->primitive, 0};
    }
}

static void leaf_cast(const void *structure, const struct geo_rtas_node *node, uint32_t place,
                      const struct walk_ray *ray, struct walk_hit *hit)
{
    uint32_t kind = node->kind[place] - (uint32_t)GEO_RTAS_CHILD_LEAF;
    struct box box = box_of_child(node, place);
    for (uint32_t i = 0; i < node->count[place]; i++) {
        const void *at = primitive_at(structure, kind, node->child[place] + i);
        const struct geo_rtas_identity *identity =
            identity_at(structure, kind, node->child[place] + i);
        if (!(identity->mask & ray->mask)) {
            continue;
        }
        if (kind == GEO_RTAS_INSTANCES) {
            const struct geo_rtas_instance *instance = at;
            struct walk_ray inside;
            ray_transform(ray, instance->world_to_object, &inside);
            struct walk_hit there =
                walk_cast((const void *)(uintptr_t)instance->structure, &inside);
            if (there.t < hit->t) {
                *hit = there;
                hit->user_id = instance->user_id;
            }
        } else if (kind == GEO_RTAS_PROCEDURALS) {
            hit_take(hit, box_enter(ray, box.lower, box.upper), identity);
        } else {
            hit_take(hit, face_meet(ray, at, kind == GEO_RTAS_TRIANGLES ? 3 : 4), identity);
        }
    }
}

struct walk_hit walk_cast(const void *structure, const struct walk_ray *ray)
{
    uint32_t stack[STACK], count = 1;
    struct walk_hit hit = {.t = INFINITY};
    stack[0] = 0;
    while (count > 0) {
        const struct geo_rtas_node *node = node_at(structure, stack[--count]);
        for (uint32_t i = 0; i < GEO_RTAS_WIDTH; i++) {
            struct box box = box_of_child(node, i);
            if (node->kind[i] == GEO_RTAS_CHILD_NONE ||
                !(box_enter(ray, box.lower, box.upper) <= hit.t)) {
                continue;
            }
            if (node->kind[i] == GEO_RTAS_CHILD_NODE) {
                assert_true(count < STACK);
                stack[count++] = node->child[i];
            } else {
                leaf_cast(structure, node, i, ray, &hit);
            }
        }
    }
    return hit;
}

/* Instances are asked by their structures, which have tests of their own. */
static void instance_cast(const struct scene *scene, uint32_t geometry, const struct walk_ray *ray,
                          struct walk_hit *hit)
{
    const ze_rtas_builder_instance_geometry_info_ext_t *info = &scene->info[geometry].instance;
    const float *raw = info->pTransform;
    uint32_t format = info->transformFormat, column = format == 2 ? 4 : 3;
    double m[3][4], inverse[3][3], rows[3][3];
    float back[12];
    for (uint32_t i = 0; i < 12; i++) {
        m[i / 4][i % 4] = raw[format == 3 ? i : i % 4 * column + i / 4];
    }
    for (int i = 0; i < 3; i++) { /* the inverse's columns are cross products of rows */
        memcpy(rows[i], m[i], sizeof(rows[i]));
    }
    for (int i = 0; i < 3; i++) {
        cross(rows[(i + 1) % 3], rows[(i + 2) % 3], inverse[i]);
    }
    double det = dot(rows[0], inverse[0]);
    for (int r = 0; r < 3; r++) {
        double offset = 0;
        for (int c = 0; c < 3; c++) {
            back[4 * r + c] = (float)(inverse[c][r] / det);
            offset -= inverse[c][r] / det * m[c][3];
        }
        back[4 * r + 3] = (float)offset;
    }
    struct walk_ray inside;
    ray_transform(ray, back, &inside);
    struct walk_hit there = walk_cast(info->pAccelerationStructure, &inside);
    if (there.t < hit->t) {
        *hit = there;
        hit->user_id = info->instanceUserID;
    }
}

struct walk_hit walk_cast_all(const struct scene *scene, const struct walk_ray *ray)
{
    struct walk_hit hit = {.t = INFINITY};
    for (uint32_t g = 0; g < scene->count; g++) {
        const union scene_info *info = &scene->info[g];
        for (uint32_t p = 0; p < scene_primitives(scene, g); p++) {
            struct geo_rtas_identity identity = {.geometry = g, .primitive = p};
            float corners[4][3];
            uint32_t count = scene_primitive(scene, g, p, corners);
            uint32_t kind = info->any.geometryType;
            if (kind == GEO_RTAS_INSTANCES) {
                if (info->instance.geometryMask & ray->mask) {
                    instance_cast(scene, g, ray, &hit);
                }
            } else if (kind == GEO_RTAS_PROCEDURALS) {
                if (count && info->procedural.geometryMask & ray->mask) {
                    hit_take(&hit, box_enter(ray, corners[0], corners[1]), &identity);
                }
            } else if (count && info->triangles.geometryMask & ray->mask) {
                hit_take(&hit, face_meet(ray, (const float (*)[3])corners, count), &identity);
            }
        }
    }
    return hit;
}

uint32_t walk_compare(const void *structure, struct scene *scene, uint32_t rays)
{
    const struct geo_rtas_header *header = structure;
    uint32_t hits = 0;
    for (uint32_t i = 0; i < rays; i++) {
        struct walk_ray ray = {.mask = i % 4 ? 0xff : (uint8_t)(1u << i / 4 % 8)};
        for (int axis = 0; axis < 3; axis++) { /* from around the scene to somewhere in it */
            float low = header->lower[axis], size = header->upper[axis] - low;
            ray.origin[axis] = (double)(low + size * scene_between(scene, -0.5f, 1.5f));
            ray.direction[axis] = (double)(low + size * scene_random(scene)) - ray.origin[axis];
        }
        struct walk_hit walked = walk_cast(structure, &ray), all = walk_cast_all(scene, &ray);
        if (walked.t != all.t) { /* inverses may differ in their last digits */
            assert_true(fabs(walked.t - all.t) <= 1e-4 * fabs(all.t));
        }
        hits += all.t < INFINITY;
    }
    return hits;
}
