/* Memory that changes the file behind it, at the same address, while others use it. */
#ifndef GEO_BACKEND_HOST_MOVE_H
#define GEO_BACKEND_HOST_MOVE_H

#include <stdbool.h>
#include <stdint.h>

/* Whole pages of a shared mapping: copies them to offset 0 of the file and maps it in their place.
 * No write is lost: from the copy to the new mapping writers wait (exec/fault.h). One call at a
 * time. False when memory or mappings ran out: nothing has changed. */
bool geo_move(void *base, uint64_t bytes, int fd);

#endif
