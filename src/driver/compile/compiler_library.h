/* Loads the compiler library at the first module build, never before (compiler/compiler.h). */
#ifndef GEO_DRIVER_COMPILE_COMPILER_LIBRARY_H
#define GEO_DRIVER_COMPILE_COMPILER_LIBRARY_H

#include "base/strbuf.h"
#include "compiler/compiler.h"

/* Returns the compiler's functions. If the library cannot be loaded, returns NULL and adds the file
 * and the reason to the log; the next build tries again. */
const struct geo_compiler_ops *geo_compiler_library_open(struct geo_strbuf *log);

/* Returns the build id of the library that is loaded or would be (compiler.h). Loads the library
 * only if its file does not identify it. Returns false if the id is unknown. */
bool geo_compiler_library_identity(char identity[GEO_COMPILER_BUILD_ID]);

#endif
