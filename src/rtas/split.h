/* Cutting a range of references in two: where it is best, and doing it.
 *
 * References are counted into bins by their centres along each axis; the cut is between the two
 * bins where the surface area heuristic expects least work for a ray: area times count, of both
 * sides.
 * The same arithmetic tells, when references are moved, on which side of the cut each is. */
#ifndef GEO_RTAS_SPLIT_H
#define GEO_RTAS_SPLIT_H

#include "rtas/box.h"

#include <stdbool.h>

#define GEO_RTAS_BINS 16u

/* From a centre to its bin: (centre - base) * scale. An axis without extent has the scale 0. */
struct geo_rtas_mapping {
    geo_rtas_vec base, scale;
    uint32_t bins;
};

struct geo_rtas_bins {
    struct geo_rtas_box box[3][GEO_RTAS_BINS];
    uint32_t count[3][GEO_RTAS_BINS];
};

/* Left are the references whose bin along `axis` is below `bin`. */
struct geo_rtas_cut {
    struct geo_rtas_mapping mapping;
    uint32_t axis, bin;
    float cost; /* INFINITY: there is none */
};

struct geo_rtas_mapping geo_rtas_mapping_of(const struct geo_rtas_box *centres, uint32_t bins);

static inline geo_rtas_ivec geo_rtas_mapping_bins(const struct geo_rtas_mapping *mapping,
                                                  geo_rtas_vec centre)
{
    return __builtin_convertvector((centre - mapping->base) * mapping->scale, geo_rtas_ivec);
}

void geo_rtas_bins_clear(struct geo_rtas_bins *bins, uint32_t count);
void geo_rtas_bins_add(struct geo_rtas_bins *bins, const struct geo_rtas_mapping *mapping,
                       const struct geo_rtas_ref *refs, uint32_t count);
void geo_rtas_bins_merge(struct geo_rtas_bins *bins, const struct geo_rtas_bins *other,
                         uint32_t count);

/* The best cut with references on both sides. */
struct geo_rtas_cut geo_rtas_cut_best(const struct geo_rtas_bins *bins,
                                      const struct geo_rtas_mapping *mapping);
/* What is on the left (0) and on the right (1) of a cut. */
struct geo_rtas_sides {
    struct geo_rtas_box box[2], centres[2];
};

void geo_rtas_sides_clear(struct geo_rtas_sides *sides);

/* Copies references to `to`: those on the left from place `left` on upwards, those on the right
 * from below `right` downwards; their boxes are added to sides. Returns where the left end. */
uint32_t geo_rtas_cut_move(const struct geo_rtas_cut *cut, const struct geo_rtas_ref *from,
                           uint32_t count, struct geo_rtas_ref *to, uint32_t left, uint32_t right,
                           struct geo_rtas_sides *sides);

/* Boxes of references that stay where they are. */
void geo_rtas_refs_measure(const struct geo_rtas_ref *refs, uint32_t count,
                           struct geo_rtas_box *box, struct geo_rtas_box *centres);

#endif
