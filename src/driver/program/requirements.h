/* Runtime requirements: what code needs of a device, as a line of text. Programs store it beside
 * native binaries and check it later, perhaps on another machine, so it is untrusted. */
#ifndef GEO_DRIVER_PROGRAM_REQUIREMENTS_H
#define GEO_DRIVER_PROGRAM_REQUIREMENTS_H

#include "driver/core/driver.h"

/* Size of the text with its terminator; a longer text is invalid. */
#define GEO_REQUIREMENTS_BYTES GEO_DEVICE_KEY_BYTES

struct geo_native_payload;

/* Writes the requirements of a payload of a native binary. NULL: a binary without code. */
void geo_requirements_of_payload(const struct geo_native_payload *payload,
                                 char out[GEO_REQUIREMENTS_BYTES]);

/* Compares the requirements with the device. Returns NOT_APPLICABLE if the text is not one of
 * ours. */
ze_validate_runtime_requirements_result_t geo_requirements_check(const struct geo_device *device,
                                                                 const char *text);

/* Returns the requirements that the device can meet at most; devices with equal texts give equal
 * answers. Read-only, valid as long as the device. */
const char *geo_requirements_key(struct geo_device *device);

#endif
