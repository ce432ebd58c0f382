/* Selects the part of a SPIR-V module that one kernel needs. So a kernel that is built by itself
 * does not cost the reading of the whole module, and its entry in the cache stays small. */
#ifndef GEO_NATIVE_SELECT_H
#define GEO_NATIVE_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies a valid module without what only other kernels use: functions, entry points, execution
 * modes, names and decorations. Ids, types, constants and variables stay as they are. A module with
 * debug information, or with another form than expected, is copied whole. *out (malloc) has the
 * host's byte order and belongs to the caller. Returns false when memory runs out. */
bool geo_spirv_select(const void *bytes, size_t size, const char *kernel, uint32_t **out,
                      size_t *out_bytes);

#endif
