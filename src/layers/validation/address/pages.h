/* Queries the operating system about pages of this process. */
#ifndef GEO_LAYERS_VALIDATION_PAGES_H
#define GEO_LAYERS_VALIDATION_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the address is mapped. */
bool geo_val_page_exists(uintptr_t address);

/* Returns whether the address is in unnamed shared memory, which drivers create and malloc never
 * does. Returns false when this cannot be determined. */
bool geo_val_page_is_shared(uintptr_t address);

#endif
