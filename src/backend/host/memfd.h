/* Memory with a descriptor: what every allocation that may be shared is made of. */
#ifndef GEO_BACKEND_HOST_MEMFD_H
#define GEO_BACKEND_HOST_MEMFD_H

#include <stdint.h>

#define GEO_PAGE_BYTES 4096u

/* Of this size for ever, so that nobody who gets it can cut it short; -1 when descriptors or memory
 * ran out. */
int geo_memfd_create(const char *name, uint64_t bytes);

#endif
