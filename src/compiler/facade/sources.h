/* Reads a request: the sources of the module that is built, and of the modules that it is linked
 * with (link/units.h). */
#ifndef GEO_COMPILER_FACADE_SOURCES_H
#define GEO_COMPILER_FACADE_SOURCES_H

#include "compiler/codegen/codegen.h"
#include "compiler/compiler.h"

/* Reads everything into one module, *out, and resolves imports between sources and along the
 * request's links. Lists the exports of unit 0. Specialisation constants are already written into
 * the SPIR-V. Returns MODULE_BUILD_FAILURE or OUT_OF_HOST_MEMORY; the caller destroys *out in every
 * case. */
ze_result_t geo_sources_read(const struct geo_compiler_request *request,
                             struct geo_linkage *linkage, struct geo_ir_module **out,
                             struct geo_strbuf *log);

#endif
