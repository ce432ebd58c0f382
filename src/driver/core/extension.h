/* What the driver announces: extensions by name and version. An extension is listed when all of it
 * works. */
#ifndef GEO_DRIVER_CORE_EXTENSION_H
#define GEO_DRIVER_CORE_EXTENSION_H

#include <stdint.h>

struct geo_extension {
    const char *name;
    uint32_t version;
};

const struct geo_extension *geo_extension_table(uint32_t *count);

#endif
