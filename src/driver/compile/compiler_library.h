/* The compiler library: loaded at the first module build, never before (compiler/compiler.h). */
#ifndef GEO_DRIVER_COMPILE_COMPILER_LIBRARY_H
#define GEO_DRIVER_COMPILE_COMPILER_LIBRARY_H

#include "base/strbuf.h"
#include "compiler/compiler.h"

/* The compiler's functions, or NULL with the reason added to the log: which file was tried and why
 * it did not load. A failure is tried again at the next build. */
const struct geo_compiler_ops *geo_compiler_library_open(struct geo_strbuf *log);

/* The build id of the library that is loaded, or would be (compiler.h); it is not loaded for that
 * where its file says enough. False when it is not known. */
bool geo_compiler_library_identity(char identity[GEO_COMPILER_BUILD_ID]);

#endif
