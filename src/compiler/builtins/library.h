/* The embedded library of built-in functions: slices by mangled name (made by slice.py at build
 * time). */
#ifndef GEO_COMPILER_BUILTINS_LIBRARY_H
#define GEO_COMPILER_BUILTINS_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

/* The SPIR-V module of one function; NULL when the library does not have it. */
const void *geo_builtins_slice(const char *name, size_t *bytes);

#endif
