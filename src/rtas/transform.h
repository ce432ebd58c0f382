/* Transformations of instances: three rows of four numbers. */
#ifndef GEO_RTAS_TRANSFORM_H
#define GEO_RTAS_TRANSFORM_H

#include "rtas/box.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>

/* That of an instance in rows, whatever its format. */
void geo_rtas_transform_read(const ze_rtas_builder_instance_geometry_info_ext_t *info, float m[12]);

/* False when there is no inverse in finite numbers. */
bool geo_rtas_transform_invert(const float m[12], float inverse[12]);

/* The box around the transformed box, rounded outward. False when it is not finite. */
bool geo_rtas_transform_box(const float m[12], const struct geo_rtas_box *from,
                            struct geo_rtas_box *to);

#endif
