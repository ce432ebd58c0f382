/* Computes the fields of a struct geo_surface (abi.h) that depend on the image's format: position
 * and meaning of a colour's components, and the answers to queries. The caller sets the other
 * fields. */
#ifndef GEO_NATIVE_SURFACE_H
#define GEO_NATIVE_SURFACE_H

#include "native/abi.h"

#include <level_zero/ze_api.h>

/* Returns false, and changes nothing, for formats that kernels cannot access. These are layouts
 * with several planes or with pixels that share bytes, types that a layout lacks (IMG-3 to IMG-5),
 * and sRGB of other types than 8-bit UNORM. A plane is accessed as an image of its own layout. */
bool geo_surface_set_format(struct geo_surface *surface, const ze_image_format_t *format,
                            bool srgb);

#endif
