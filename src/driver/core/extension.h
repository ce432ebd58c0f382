/* What the driver announces: extensions by name and version. An extension is listed when all of it
 * works; docs/user/features.md has the reason for every other. */
#ifndef GEO_DRIVER_CORE_EXTENSION_H
#define GEO_DRIVER_CORE_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

struct geo_extension {
    const char *name;
    uint32_t version;
};

/* Of the core API and the tools. */
const struct geo_extension *geo_extension_table(uint32_t *count);
/* Of sysman; without it there is only who is who. */
const struct geo_extension *geo_sysman_extension_table(bool has_sysman, uint32_t *count);

#endif
