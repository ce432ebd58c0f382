/* Formats of images. */
#ifndef GEO_OPENCL_IMAGE_FORMAT_H
#define GEO_OPENCL_IMAGE_FORMAT_H

#include "opencl/object.h"

/* Number of formats; geo_ocl_image_format_at lists them. */
size_t geo_ocl_image_format_count(void);
cl_image_format geo_ocl_image_format_at(size_t index);
/* Converts a format to Level Zero's. Returns false if it is not supported. */
bool geo_ocl_image_format_convert(const cl_image_format *format, ze_image_format_t *out,
                                  size_t *element_bytes);
/* Returns whether a format has an order and a type that OpenCL knows. */
bool geo_ocl_image_format_is_valid(const cl_image_format *format);
/* Writes a colour, four floats or integers as the format wants, as an element. */
void geo_ocl_image_format_pack(const cl_image_format *format, const void *color, void *element);

#endif
