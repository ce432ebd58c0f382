/* Splits primitives into parts. See presplit.h. */
#include "rtas/presplit.h"

#include <float.h>

#define EXTRA_MAX 7u

/* The corners of the two triangles of a quad. */
static const uint8_t triangle_corners[2][3] = {{0, 1, 3}, {2, 3, 1}};

/* The corners of a triangle or quad. */
struct shape {
    geo_rtas_vec corners[4];
    uint32_t count;
};

static geo_rtas_vec shape_corner(const struct shape *shape, uint32_t triangle, uint32_t corner)
{
    return shape->corners[shape->count == 3 ? corner : triangle_corners[triangle][corner]];
}

float geo_rtas_presplit_weight(const struct geo_rtas_input *input, const struct geo_rtas_ref *ref)
{
    struct shape shape;
    struct geo_rtas_box box = geo_rtas_ref_box(ref);
    float needs = 0;
    shape.count = geo_rtas_input_vertices(input, ref, shape.corners);
    for (uint32_t i = 0; i + 3 <= shape.count; i++) {
        geo_rtas_vec a = shape_corner(&shape, i, 0), b = shape_corner(&shape, i, 1) - a,
                     c = shape_corner(&shape, i, 2) - a;
        needs += fabsf(b[1] * c[2] - b[2] * c[1]) + fabsf(b[2] * c[0] - b[0] * c[2]) +
                 fabsf(b[0] * c[1] - b[1] * c[0]);
    }
    float excess = 2 * geo_rtas_box_area(&box) - needs;
    return shape.count && excess > 0 && excess < FLT_MAX ? sqrtf(excess) : 0;
}

uint32_t geo_rtas_presplit_extra(float weight, double density)
{
    double extra = (double)weight * density;
    return extra >= EXTRA_MAX ? EXTRA_MAX : (uint32_t)extra;
}

/* Adds the parts of an edge on each side of a plane to the sides. The intersection is not exact, so
 * a small box around it is added to both sides. */
static void edge_add(geo_rtas_vec a, geo_rtas_vec b, uint32_t axis, float plane,
                     struct geo_rtas_box sides[2])
{
    if (a[axis] <= plane) {
        geo_rtas_box_add_point(&sides[0], a);
    }
    if (a[axis] >= plane) {
        geo_rtas_box_add_point(&sides[1], a);
    }
    if ((a[axis] < plane && b[axis] > plane) || (a[axis] > plane && b[axis] < plane)) {
        float t = (plane - a[axis]) / (b[axis] - a[axis]), error = 4 * FLT_EPSILON;
        geo_rtas_vec size = geo_rtas_vec_max(a, -a) + geo_rtas_vec_max(b, -b);
        geo_rtas_vec at = a + (b - a) * (geo_rtas_vec){t, t, t, 0};
        geo_rtas_vec around = size * (geo_rtas_vec){error, error, error, 0};
        for (int i = 0; i < 2; i++) {
            geo_rtas_box_add_point(&sides[i], at - around);
            geo_rtas_box_add_point(&sides[i], at + around);
        }
    }
}

/* Splits a part in the middle of its longest axis. Returns false if that gives fewer than two
 * parts. */
static bool part_cut(const struct shape *shape, const struct geo_rtas_box *part,
                     struct geo_rtas_box halves[2])
{
    geo_rtas_vec extent = part->upper - part->lower;
    uint32_t axis = extent[1] > extent[0] ? 1 : 0;
    axis = extent[2] > extent[axis] ? 2 : axis;
    float plane = geo_rtas_box_centre(part)[axis];
    halves[0] = halves[1] = geo_rtas_box_empty();
    for (uint32_t i = 0; i + 3 <= shape->count; i++) {
        for (uint32_t corner = 0; corner < 3; corner++) {
            edge_add(shape_corner(shape, i, corner), shape_corner(shape, i, (corner + 1) % 3), axis,
                     plane, halves);
        }
    }
    for (int i = 0; i < 2; i++) {
        struct geo_rtas_box inside = *part;
        (i ? &inside.lower : &inside.upper)[0][axis] = plane;
        halves[i].lower = geo_rtas_vec_max(halves[i].lower, inside.lower);
        halves[i].upper = geo_rtas_vec_min(halves[i].upper, inside.upper);
        if (geo_rtas_vec_bits(halves[i].lower <= halves[i].upper) != 7) {
            return false;
        }
    }
    return part->lower[axis] < plane && plane < part->upper[axis];
}

void geo_rtas_presplit_cut(const struct geo_rtas_input *input, const struct geo_rtas_ref *ref,
                           uint32_t extra, struct geo_rtas_sink *sink)
{
    struct geo_rtas_box parts[EXTRA_MAX + 1] = {geo_rtas_ref_box(ref)}, halves[2];
    struct shape shape;
    uint32_t count = 1;
    shape.count = geo_rtas_input_vertices(input, ref, shape.corners);
    while (count <= extra) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < count; i++) {
            best = geo_rtas_box_area(&parts[i]) > geo_rtas_box_area(&parts[best]) ? i : best;
        }
        if (!part_cut(&shape, &parts[best], halves)) {
            break;
        }
        parts[best] = halves[0];
        parts[count++] = halves[1];
    }
    for (uint32_t i = 0; i < count; i++) {
        struct geo_rtas_ref part = *ref;
        geo_rtas_ref_set_box(&part, &parts[i]);
        geo_rtas_input_sink_add(sink, &part);
    }
}
