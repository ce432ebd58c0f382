/* Bins, splits, and moving references to their side. See split.h. */
#include "rtas/split.h"

#define EXTENT_MIN 1e-30f /* smaller extents would need an infinite scale */

struct geo_rtas_mapping geo_rtas_split_mapping(const struct geo_rtas_box *centres, uint32_t bins)
{
    struct geo_rtas_mapping mapping = {.base = centres->lower, .bins = bins};
    geo_rtas_vec extent = centres->upper - centres->lower;
    for (int i = 0; i < 3; i++) {
        if (extent[i] > EXTENT_MIN && extent[i] < INFINITY) {
            /* rounding must not exceed the last bin */
            mapping.scale[i] = 0.99f * (float)bins / extent[i];
        } else {
            mapping.base[i] = 0; /* everything is in bin 0 */
        }
    }
    return mapping;
}

void geo_rtas_split_bins_clear(struct geo_rtas_bins *bins, uint32_t count)
{
    const struct geo_rtas_box empty = geo_rtas_box_empty();
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < count; i++) {
            bins->box[axis][i] = empty;
            bins->count[axis][i] = 0;
        }
    }
}

void geo_rtas_split_bins_add(struct geo_rtas_bins *bins, const struct geo_rtas_mapping *mapping,
                             const struct geo_rtas_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct geo_rtas_box box = geo_rtas_ref_box(&refs[i]);
        geo_rtas_ivec bin = geo_rtas_split_mapping_bins(mapping, geo_rtas_box_centre(&box));
        uint32_t x = (uint32_t)bin[0], y = (uint32_t)bin[1], z = (uint32_t)bin[2];
        geo_rtas_box_add(&bins->box[0][x], &box);
        geo_rtas_box_add(&bins->box[1][y], &box);
        geo_rtas_box_add(&bins->box[2][z], &box);
        bins->count[0][x]++;
        bins->count[1][y]++;
        bins->count[2][z]++;
    }
}

void geo_rtas_split_bins_merge(struct geo_rtas_bins *bins, const struct geo_rtas_bins *other,
                               uint32_t count)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (uint32_t i = 0; i < count; i++) {
            geo_rtas_box_add(&bins->box[axis][i], &other->box[axis][i]);
            bins->count[axis][i] += other->count[axis][i];
        }
    }
}

/* Finds the best split along one axis, if it is better than *cut. */
static void axis_search(const struct geo_rtas_bins *bins, uint32_t axis, uint32_t count,
                        struct geo_rtas_cut *cut)
{
    const struct geo_rtas_box *box = bins->box[axis];
    const uint32_t *in = bins->count[axis];
    float right_cost[GEO_RTAS_BINS]; /* [i] cost of bins i and above */
    struct geo_rtas_box side = geo_rtas_box_empty();
    uint32_t total = 0;
    for (uint32_t i = count; --i > 0;) {
        geo_rtas_box_add(&side, &box[i]);
        total += in[i];
        right_cost[i] = total ? geo_rtas_box_area(&side) * (float)total : INFINITY;
    }
    side = geo_rtas_box_empty();
    total = 0;
    for (uint32_t i = 1; i < count; i++) {
        geo_rtas_box_add(&side, &box[i - 1]);
        total += in[i - 1];
        float cost = total ? geo_rtas_box_area(&side) * (float)total + right_cost[i] : INFINITY;
        if (cost < cut->cost) {
            cut->cost = cost;
            cut->axis = axis;
            cut->bin = i;
        }
    }
}

struct geo_rtas_cut geo_rtas_split_cut_best(const struct geo_rtas_bins *bins,
                                            const struct geo_rtas_mapping *mapping)
{
    struct geo_rtas_cut cut = {.mapping = *mapping, .cost = INFINITY};
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (mapping->scale[axis] > 0) {
            axis_search(bins, axis, mapping->bins, &cut);
        }
    }
    return cut;
}

/* Returns the side of a reference: 0 left, 1 right. */
static inline uint32_t cut_side(const struct geo_rtas_cut *cut, geo_rtas_ivec first,
                                geo_rtas_vec centre)
{
    geo_rtas_ivec below = geo_rtas_split_mapping_bins(&cut->mapping, centre) < first;
    return ~(geo_rtas_vec_bits(below) >> cut->axis) & 1u;
}

static inline geo_rtas_ivec cut_first(const struct geo_rtas_cut *cut)
{
    int32_t bin = (int32_t)cut->bin;
    return (geo_rtas_ivec){bin, bin, bin, bin};
}

void geo_rtas_split_sides_clear(struct geo_rtas_sides *sides)
{
    for (int i = 0; i < 2; i++) {
        sides->box[i] = sides->centres[i] = geo_rtas_box_empty();
    }
}

/* Works without a branch on the side, which would be unpredictable. */
uint32_t geo_rtas_split_cut_move(const struct geo_rtas_cut *cut, const struct geo_rtas_ref *from,
                                 uint32_t count, struct geo_rtas_ref *to, uint32_t left,
                                 uint32_t right, struct geo_rtas_sides *sides)
{
    const geo_rtas_ivec first = cut_first(cut);
    for (uint32_t i = 0; i < count; i++) {
        struct geo_rtas_box box = geo_rtas_ref_box(&from[i]);
        geo_rtas_vec centre = geo_rtas_box_centre(&box);
        uint32_t side = cut_side(cut, first, centre);
        right -= side;
        to[side ? right : left] = from[i];
        left += 1 - side;
        geo_rtas_box_add(&sides->box[side], &box);
        geo_rtas_box_add_point(&sides->centres[side], centre);
    }
    return left;
}

void geo_rtas_split_measure(const struct geo_rtas_ref *refs, uint32_t count,
                            struct geo_rtas_box *box, struct geo_rtas_box *centres)
{
    *box = *centres = geo_rtas_box_empty();
    for (uint32_t i = 0; i < count; i++) {
        struct geo_rtas_box one = geo_rtas_ref_box(&refs[i]);
        geo_rtas_box_add(box, &one);
        geo_rtas_box_add_point(centres, geo_rtas_box_centre(&one));
    }
}
