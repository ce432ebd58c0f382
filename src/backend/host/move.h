/* Replaces the file behind memory, at the same address, while threads use it. */
#ifndef GEO_BACKEND_HOST_MOVE_H
#define GEO_BACKEND_HOST_MOVE_H

#include <stdbool.h>
#include <stdint.h>

/* Copies whole pages of a shared mapping to offset 0 of the file and maps the file in their place.
 * Writers wait from the copy to the new mapping, so no write is lost (exec/thread/fault.h). The
 * caller serialises calls. Returns false when memory or mappings ran out; nothing has changed then.
 */
bool geo_move(void *base, uint64_t bytes, int fd);

#endif
