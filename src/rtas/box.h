/* Boxes in vector registers. A vector contains x, y, z and 0: the last lane must not be a denormal
 * number or NaN, which would slow down arithmetic.
 *
 * GCC's vector types work on every machine; only minimum and maximum need intrinsics. */
#ifndef GEO_RTAS_BOX_H
#define GEO_RTAS_BOX_H

#include <math.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef float geo_rtas_vec __attribute__((vector_size(16)));
typedef int32_t geo_rtas_ivec __attribute__((vector_size(16)));

static inline geo_rtas_vec geo_rtas_vec_min(geo_rtas_vec a, geo_rtas_vec b)
{
#ifdef __SSE2__
    return (geo_rtas_vec)_mm_min_ps((__m128)a, (__m128)b);
#else
    geo_rtas_ivec less = a < b;
    return (geo_rtas_vec)((less & (geo_rtas_ivec)a) | (~less & (geo_rtas_ivec)b));
#endif
}

static inline geo_rtas_vec geo_rtas_vec_max(geo_rtas_vec a, geo_rtas_vec b)
{
#ifdef __SSE2__
    return (geo_rtas_vec)_mm_max_ps((__m128)a, (__m128)b);
#else
    geo_rtas_ivec more = a > b;
    return (geo_rtas_vec)((more & (geo_rtas_ivec)a) | (~more & (geo_rtas_ivec)b));
#endif
}

/* Returns a mask of the first three lanes that are not zero; bit i is lane i. */
static inline uint32_t geo_rtas_vec_bits(geo_rtas_ivec v)
{
#ifdef __SSE2__
    return (uint32_t)_mm_movemask_ps((__m128)v) & 7u;
#else
    return (v[0] ? 1u : 0) | (v[1] ? 2u : 0) | (v[2] ? 4u : 0);
#endif
}

/* Returns the first three lanes, with 0 in the last. */
static inline geo_rtas_vec geo_rtas_vec_xyz(geo_rtas_vec v)
{
    const geo_rtas_ivec mask = {-1, -1, -1, 0};
    return (geo_rtas_vec)((geo_rtas_ivec)v & mask);
}

/* An axis-aligned box. */
struct geo_rtas_box {
    geo_rtas_vec lower, upper;
};

static inline struct geo_rtas_box geo_rtas_box_empty(void)
{
    return (struct geo_rtas_box){{INFINITY, INFINITY, INFINITY, 0},
                                 {-INFINITY, -INFINITY, -INFINITY, 0}};
}

static inline void geo_rtas_box_add(struct geo_rtas_box *box, const struct geo_rtas_box *other)
{
    box->lower = geo_rtas_vec_min(box->lower, other->lower);
    box->upper = geo_rtas_vec_max(box->upper, other->upper);
}

static inline void geo_rtas_box_add_point(struct geo_rtas_box *box, geo_rtas_vec point)
{
    box->lower = geo_rtas_vec_min(box->lower, point);
    box->upper = geo_rtas_vec_max(box->upper, point);
}

/* Returns half the surface, to which the probability that a ray hits the box is proportional. The
 * box must not be empty. */
static inline float geo_rtas_box_area(const struct geo_rtas_box *box)
{
    geo_rtas_vec size = box->upper - box->lower;
    return size[0] * (size[1] + size[2]) + size[1] * size[2];
}

/* Returns the centre. It is computed without overflow for finite numbers. */
static inline geo_rtas_vec geo_rtas_box_centre(const struct geo_rtas_box *box)
{
    const geo_rtas_vec half = {0.5f, 0.5f, 0.5f, 0.5f};
    return box->lower * half + box->upper * half;
}

/* ---- references ---- */

/* One corner of a reference: a vector whose last lane, unused in boxes, contains an id. */
union geo_rtas_corner {
    geo_rtas_vec vec;
    struct {
        float at[3];
        uint32_t id;
    };
};

/* A reference during a build: a primitive or a part of one, with its box. */
struct geo_rtas_ref {
    union geo_rtas_corner lower; /* id: geometry, with the kind of primitive in the upper bits */
    union geo_rtas_corner upper; /* id: primitive */
};

#define GEO_RTAS_KIND_SHIFT 30u

static inline uint32_t geo_rtas_ref_kind(const struct geo_rtas_ref *ref)
{
    return ref->lower.id >> GEO_RTAS_KIND_SHIFT;
}

static inline uint32_t geo_rtas_ref_geometry(const struct geo_rtas_ref *ref)
{
    return ref->lower.id & ((1u << GEO_RTAS_KIND_SHIFT) - 1);
}

static inline struct geo_rtas_box geo_rtas_ref_box(const struct geo_rtas_ref *ref)
{
    return (struct geo_rtas_box){geo_rtas_vec_xyz(ref->lower.vec),
                                 geo_rtas_vec_xyz(ref->upper.vec)};
}

static inline void geo_rtas_ref_set_box(struct geo_rtas_ref *ref, const struct geo_rtas_box *box)
{
    uint32_t geometry = ref->lower.id, primitive = ref->upper.id;
    ref->lower.vec = box->lower;
    ref->upper.vec = box->upper;
    ref->lower.id = geometry;
    ref->upper.id = primitive;
}

/* A range of references of a build, contiguous in one of its two arrays. */
struct geo_rtas_range {
    uint32_t begin, end;
    uint32_t array;
    struct geo_rtas_box box, centres;
};

static inline uint32_t geo_rtas_range_count(const struct geo_rtas_range *range)
{
    return range->end - range->begin;
}

#endif
