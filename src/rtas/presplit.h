/* Splits primitives whose boxes are mostly empty, such as long diagonal triangles, into parts
 * before the tree is built. Each part is a reference to the same primitive with its own box.
 *
 * The number of parts of a primitive depends on how much the surface of its box exceeds its
 * projected areas along the axes. A fixed total number of parts is distributed in that proportion.
 * Because fractions of parts are lost by rounding, several densities are tried at once. */
#ifndef GEO_RTAS_PRESPLIT_H
#define GEO_RTAS_PRESPLIT_H

#include "rtas/input.h"

#define GEO_RTAS_DENSITIES 16u

/* Returns the factor by which density number i exceeds the even share. */
static inline double geo_rtas_presplit_density(uint32_t i)
{
    return 1 + 0.25 * i;
}

/* Returns the weight of a primitive; 0: it is not split. */
float geo_rtas_presplit_weight(const struct geo_rtas_input *input, const struct geo_rtas_ref *ref);

/* Returns the number of parts besides the first: weight * density, rounded down. */
uint32_t geo_rtas_presplit_extra(float weight, double density);

/* Splits a reference into at most 1 + extra parts, whose boxes together contain the primitive. */
void geo_rtas_presplit_cut(const struct geo_rtas_input *input, const struct geo_rtas_ref *ref,
                           uint32_t extra, struct geo_rtas_sink *sink);

#endif
