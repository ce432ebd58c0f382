/* Memory with a descriptor: what every allocation that may be shared is made of. */
#ifndef GEO_BACKEND_HOST_MEMFD_H
#define GEO_BACKEND_HOST_MEMFD_H

#include <stdbool.h>
#include <stdint.h>

#define GEO_PAGE_BYTES 4096u

/* Of this size for ever, so that nobody who gets it can cut it short; -1 when descriptors or memory
 * ran out. */
int geo_memfd_create(const char *name, uint64_t bytes);

/* Whether an untrusted descriptor is a file that has these bytes. It may still be cut short later,
 * when it is none of ours: accesses are faults then. */
bool geo_memfd_holds(int fd, uint64_t offset, uint64_t bytes);

#endif
