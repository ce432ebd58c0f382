/* Selects the part of a SPIR-V module that one kernel needs. So a kernel that is built by itself
 * does not cost the reading of all modules of its program, and its entry in the cache stays
 * small. */
#ifndef GEO_NATIVE_SELECT_H
#define GEO_NATIVE_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies a valid module without what only other kernels use: functions, entry points, execution
 * modes, names and decorations. Ids, types, constants and variables stay as they are. A module with
 * debug information, or with another form than expected, is copied whole. `exports`: the module is
 * linked with others, so its exported functions are kept too, and the kernel may be in another
 * module. `kernel` NULL: none is kept. A module with matrices keeps a kernel that requires a
 * sub-group size: all its matrices follow that size. *out (malloc) has the host's byte order and
 * belongs to the caller. Returns false when memory runs out. */
bool geo_spirv_select(const void *bytes, size_t size, const char *kernel, bool exports,
                      uint32_t **out, size_t *out_bytes);

#endif
