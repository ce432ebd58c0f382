/* Runtime requirements: what code needs of a device, as a line of text that programs store beside
 * native binaries and ask about later, perhaps on another machine. It is untrusted then. */
#ifndef GEO_DRIVER_PROGRAM_REQUIREMENTS_H
#define GEO_DRIVER_PROGRAM_REQUIREMENTS_H

#include "driver/core/driver.h"

/* Terminated; longer is none of ours. */
#define GEO_REQUIREMENTS_BYTES GEO_DEVICE_KEY_BYTES

struct geo_native_header;

/* Of a native binary. */
void geo_requirements_of_binary(const struct geo_native_header *header,
                                char out[GEO_REQUIREMENTS_BYTES]);

/* NOT_APPLICABLE when the text is not one of ours. */
ze_validate_runtime_requirements_result_t geo_requirements_check(const struct geo_device *device,
                                                                 const char *text);

/* What the device meets at most; equal where the answers are. Read-only, as long as the device. */
const char *geo_requirements_key(struct geo_device *device);

#endif
