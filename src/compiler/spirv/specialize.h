/* Specialisation constants written into the module itself: what is kept for linking later. */
#ifndef GEO_COMPILER_SPIRV_SPECIALIZE_H
#define GEO_COMPILER_SPIRV_SPECIALIZE_H

#include "compiler/spirv/reader.h"

/* A copy (malloc) of a module that geo_spirv_read accepted, in this machine's byte order, whose
 * specialisation constants have the given values as defaults. NULL when memory ran out. */
void *geo_spirv_specialize(const void *words, size_t bytes,
                           const struct geo_spirv_options *options);

/* The same in place (words aligned to 4 bytes), for bytes that nobody has looked at yet: what is no
 * module does not become one. False when memory ran out. */
bool geo_spirv_specialize_at(void *words, size_t bytes, const struct geo_spirv_options *options);

#endif
