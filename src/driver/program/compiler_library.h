/* The compiler library: loaded at the first module build, never before (compiler/compiler.h). */
#ifndef GEO_DRIVER_PROGRAM_COMPILER_LIBRARY_H
#define GEO_DRIVER_PROGRAM_COMPILER_LIBRARY_H

#include "base/strbuf.h"
#include "compiler/compiler.h"

/* The compiler's functions, or NULL with the reason added to the log: which file was tried and why
 * it did not load. A failure is tried again at the next build. */
const struct geo_compiler_ops *geo_compiler_library_open(struct geo_strbuf *log);

#endif
