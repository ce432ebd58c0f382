/* Reading a request: the sources of the module that is built, and those of the modules it is linked
 * with (link/units.h). */
#ifndef GEO_COMPILER_FACADE_SOURCES_H
#define GEO_COMPILER_FACADE_SOURCES_H

#include "compiler/codegen/codegen.h"
#include "compiler/compiler.h"

/* Reads everything into one module, imports between sources and along the request's links resolved,
 * and lists what unit 0 exports. Specialisation constants are in the SPIR-V by now.
 * MODULE_BUILD_FAILURE, OUT_OF_HOST_MEMORY. */
ze_result_t geo_sources_read(const struct geo_compiler_request *request,
                             struct geo_linkage *linkage, struct geo_ir_module **out,
                             struct geo_strbuf *log);

#endif
