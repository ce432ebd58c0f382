/* Transformations of instances: matrices with three rows of four numbers. */
#ifndef GEO_RTAS_TRANSFORM_H
#define GEO_RTAS_TRANSFORM_H

#include "rtas/box.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>

/* Reads the transformation of an instance in any of its formats as rows. */
void geo_rtas_transform_read(const ze_rtas_builder_instance_geometry_info_ext_t *info, float m[12]);

/* Computes the inverse. Returns false if it has no finite numbers. */
bool geo_rtas_transform_invert(const float m[12], float inverse[12]);

/* Computes a box around the transformed box, rounded outward. Returns false if it is not finite. */
bool geo_rtas_transform_box(const float m[12], const struct geo_rtas_box *from,
                            struct geo_rtas_box *to);

#endif
