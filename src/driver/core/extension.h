/* What the driver announces: extensions by name and version, extension functions by name. An
 * extension is listed when all of it works. */
#ifndef GEO_DRIVER_CORE_EXTENSION_H
#define GEO_DRIVER_CORE_EXTENSION_H

#include "ddi/geo_ddi_driver.h"

struct geo_extension {
    const char *name;
    uint32_t version;
};

const struct geo_extension *geo_extension_table(uint32_t *count);

/* api/api_vendor.c: functions outside the specification; NULL: unknown. */
geo_api_fn geo_vendor_function(const char *name);

/* Any implemented API function by its name, and functions that are in no table; NULL: unknown. */
geo_api_fn geo_extension_function(const char *name);

#endif
