/* The tables of extensions that the driver announces, by name and version. An extension is listed
 * only if all of it works; docs/user/features.md gives the reason for every other one. */
#ifndef GEO_DRIVER_CORE_EXTENSION_H
#define GEO_DRIVER_CORE_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

/* Name and version of an announced extension. */
struct geo_extension {
    const char *name;
    uint32_t version;
};

/* Returns the extensions of the core API and the tools API. */
const struct geo_extension *geo_extension_table(uint32_t *count);
/* Returns the extensions of sysman. Without sysman that is only the device mapping. */
const struct geo_extension *geo_extension_sysman_table(bool has_sysman, uint32_t *count);

#endif
