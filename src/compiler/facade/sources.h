/* Reading a request: the sources of the module that is built, and those of the modules it is linked
 * with (link/units.h). */
#ifndef GEO_COMPILER_FACADE_SOURCES_H
#define GEO_COMPILER_FACADE_SOURCES_H

#include "compiler/codegen/codegen.h"
#include "compiler/compiler.h"

/* Reads everything into one module, imports between sources and along the request's links resolved,
 * and lists what unit 0 exports. MODULE_BUILD_FAILURE, OUT_OF_HOST_MEMORY. */
ze_result_t geo_sources_read(const struct geo_compiler_request *request,
                             struct geo_linkage *linkage, struct geo_ir_module **out,
                             struct geo_strbuf *log);

/* Copies of the sources for the native binary, with their specialisation constants in them; one for
 * each of the request's. Finish them whatever the result. */
ze_result_t geo_sources_keep(const struct geo_compiler_request *request,
                             struct geo_codegen_source **out);
void geo_sources_finish(struct geo_codegen_source *sources, uint32_t count);

#endif
