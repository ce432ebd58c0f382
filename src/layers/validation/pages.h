/* Pages of the process, as its system knows them. */
#ifndef GEO_LAYERS_VALIDATION_PAGES_H
#define GEO_LAYERS_VALIDATION_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether something is mapped at the address. */
bool geo_val_page_exists(uintptr_t address);

/* Returns whether the mapping at the address is shared memory without a name in a file system, as
 * drivers make it and malloc never does; false also where this cannot be read. */
bool geo_val_page_is_shared(uintptr_t address);

#endif
