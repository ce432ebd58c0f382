/* The answers of zeDeviceGetImageProperties, and the pitch of two-dimensional images in memory of
 * the application. */
#ifndef GEO_DRIVER_IMAGE_PROPERTIES_H
#define GEO_DRIVER_IMAGE_PROPERTIES_H

#include "driver/core/driver.h"

/* Fills the properties; all are 0 for a device without images. */
void geo_image_fill_properties(const struct geo_device *device, ze_device_image_properties_t *out);

/* Returns the bytes from row to row. Returns UNSUPPORTED_SIZE for extents beyond the limits, or
 * element sizes of no format. */
GEO_MUST_CHECK ze_result_t geo_image_properties_pitch(const struct geo_device *device, size_t width,
                                                      size_t height, uint32_t element_bytes,
                                                      size_t *pitch);

#endif
