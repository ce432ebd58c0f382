/* The embedded library of built-in functions: one slice for each mangled name. slice.py makes them
 * at build time. */
#ifndef GEO_COMPILER_BUILTINS_LIBRARY_H
#define GEO_COMPILER_BUILTINS_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

/* Returns the SPIR-V module of one function, or NULL if the library lacks it. */
const void *geo_builtins_library_slice(const char *name, size_t *bytes);

#endif
