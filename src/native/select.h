/* Selects the part of a SPIR-V module that some kernels need. So a kernel that is built by itself
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
 * linked with others, so its exported functions are kept too, and kernels may be in another module.
 * `count` 0: no kernel is kept. A module with matrices keeps a kernel that requires a sub-group
 * size, which all its matrices follow.
 *
 * *out (malloc) has the host's byte order and belongs to the caller. Sets *called_bytes, unless
 * NULL, to the size of the functions in it that are called and probably not inlined. Returns false
 * when memory runs out. */
bool geo_spirv_select(const void *bytes, size_t size, uint32_t count, const char *const *kernels,
                      bool exports, uint32_t **out, size_t *out_bytes, size_t *called_bytes);

#endif
