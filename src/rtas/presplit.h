/* Primitives whose boxes are mostly empty, as of long triangles that lie askew, are cut into parts
 * before a tree is built: each part is a reference with a box of its own to the same primitive.
 *
 * Which are cut, and into how many, goes by what the box has more in surface than the primitive
 * needs when seen along the axes; a number of parts that is fixed beforehand is shared out by that.
 * As fractions of parts are lost, several densities are tried at once. */
#ifndef GEO_RTAS_PRESPLIT_H
#define GEO_RTAS_PRESPLIT_H

#include "rtas/input.h"

#define GEO_RTAS_DENSITIES 16u

/* How much more than the even share density number i gives. */
static inline double geo_rtas_presplit_density(uint32_t i)
{
    return 1 + 0.25 * i;
}

/* 0: is not cut. */
float geo_rtas_presplit_weight(const struct geo_rtas_input *input, const struct geo_rtas_ref *ref);

/* Parts besides the first, where each unit of weight gets `density` of them, rounded down. */
uint32_t geo_rtas_presplit_extra(float weight, double density);

/* Cuts a reference into at most 1 + extra parts; together their boxes hold the primitive. */
void geo_rtas_presplit_cut(const struct geo_rtas_input *input, const struct geo_rtas_ref *ref,
                           uint32_t extra, struct geo_rtas_sink *sink);

#endif
