/* Specialisation constants written into the module itself: all that reads it later finds them. */
#ifndef GEO_COMPILER_SPIRV_SPECIALIZE_H
#define GEO_COMPILER_SPIRV_SPECIALIZE_H

#include "compiler/spirv/reader.h"

/* The specialisation constants of a module (words aligned to 4 bytes) get the given values as
 * defaults, in place. Nobody has looked at it yet: what is no module does not become one. False
 * when memory ran out. */
bool geo_spirv_specialize(void *words, size_t bytes, const struct geo_spirv_options *options);

#endif
