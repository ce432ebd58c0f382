/* What zeDeviceGetImageProperties tells, and the pitch of two-dimensional images in memory of the
 * application. */
#ifndef GEO_DRIVER_IMAGE_PROPERTIES_H
#define GEO_DRIVER_IMAGE_PROPERTIES_H

#include "driver/core/driver.h"

/* All 0 for a device without images. */
void geo_image_fill_properties(const struct geo_device *device, ze_device_image_properties_t *out);

/* Bytes from row to row; UNSUPPORTED_SIZE for extents, or for elements that no format has. */
GEO_MUST_CHECK ze_result_t geo_image_pitch(const struct geo_device *device, size_t width,
                                           size_t height, uint32_t element_bytes, size_t *pitch);

#endif
