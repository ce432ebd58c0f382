/* What of a surface follows from the format of its image: where the components of a colour lie,
 * what their bits mean, what queries tell. The rest of struct geo_surface (abi.h) is the
 * caller's. */
#ifndef GEO_NATIVE_SURFACE_H
#define GEO_NATIVE_SURFACE_H

#include "native/abi.h"

#include <level_zero/ze_api.h>

/* False, and nothing is written, for what kernels cannot address: layouts of several planes or with
 * pixels that share bytes, types that a layout does not have (IMG-3 to IMG-5), sRGB of what is not
 * UNORM of 8 bits. A plane is an image of the layout that it has alone. */
bool geo_surface_set_format(struct geo_surface *surface, const ze_image_format_t *format,
                            bool srgb);

#endif
