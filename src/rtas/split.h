/* Splits a range of references in two at the best position.
 *
 * References are counted in bins by their centres along each axis. The split is between the two
 * bins for which the surface area heuristic (area times count, summed over both sides) expects the
 * least work for a ray. The same arithmetic decides, when references are moved, on which side each
 * is. */
#ifndef GEO_RTAS_SPLIT_H
#define GEO_RTAS_SPLIT_H

#include "rtas/box.h"

#include <stdbool.h>

#define GEO_RTAS_BINS 16u

/* Maps a centre to its bin: (centre - base) * scale. An axis without extent has scale 0. */
struct geo_rtas_mapping {
    geo_rtas_vec base, scale;
    uint32_t bins;
};

/* Bounds and number of the references in each bin, along each axis. */
struct geo_rtas_bins {
    struct geo_rtas_box box[3][GEO_RTAS_BINS];
    uint32_t count[3][GEO_RTAS_BINS];
};

/* A split: references whose bin along `axis` is below `bin` are on the left. */
struct geo_rtas_cut {
    struct geo_rtas_mapping mapping;
    uint32_t axis, bin;
    float cost; /* INFINITY: no split found */
};

struct geo_rtas_mapping geo_rtas_split_mapping(const struct geo_rtas_box *centres, uint32_t bins);

static inline geo_rtas_ivec geo_rtas_split_mapping_bins(const struct geo_rtas_mapping *mapping,
                                                        geo_rtas_vec centre)
{
    return __builtin_convertvector((centre - mapping->base) * mapping->scale, geo_rtas_ivec);
}

/* Clear bins, count references in them, and add the counts of other bins. */
void geo_rtas_split_bins_clear(struct geo_rtas_bins *bins, uint32_t count);
void geo_rtas_split_bins_add(struct geo_rtas_bins *bins, const struct geo_rtas_mapping *mapping,
                             const struct geo_rtas_ref *refs, uint32_t count);
void geo_rtas_split_bins_merge(struct geo_rtas_bins *bins, const struct geo_rtas_bins *other,
                               uint32_t count);

/* Returns the best split with references on both sides. */
struct geo_rtas_cut geo_rtas_split_cut_best(const struct geo_rtas_bins *bins,
                                            const struct geo_rtas_mapping *mapping);
/* Bounds of the left (0) and right (1) side of a split. */
struct geo_rtas_sides {
    struct geo_rtas_box box[2], centres[2];
};

void geo_rtas_split_sides_clear(struct geo_rtas_sides *sides);

/* Copies references to `to`: those of the left side upwards from `left`, those of the right side
 * downwards from `right`. Adds their boxes to `sides`. Returns the end of the left ones. */
uint32_t geo_rtas_split_cut_move(const struct geo_rtas_cut *cut, const struct geo_rtas_ref *from,
                                 uint32_t count, struct geo_rtas_ref *to, uint32_t left,
                                 uint32_t right, struct geo_rtas_sides *sides);

/* Computes the bounds of references and of their centres. */
void geo_rtas_split_measure(const struct geo_rtas_ref *refs, uint32_t count,
                            struct geo_rtas_box *box, struct geo_rtas_box *centres);

#endif
