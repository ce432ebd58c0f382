/* Reads all sources of a request into one model. See sources.h. */
#include "compiler/facade/sources.h"

#include "compiler/link/copy.h"
#include "compiler/link/link.h"
#include "compiler/link/units.h"
#include "compiler/spirv/reader.h"
#include "compiler/validate/validate.h"

#include <stdlib.h>

#define FUNCTION_BYTES                                                                             \
    (UINT64_C(1) << 30) /* memory limit for the module of a single function, as for a large one */

/* Reads and validates a source. Nothing else uses a module before it is validated. */
static ze_result_t source_read(const struct geo_compiler_source *source,
                               struct geo_ir_module **module, struct geo_strbuf *log)
{
    ze_result_t result = geo_spirv_read(source->spirv, source->bytes, module, log);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_validate(*module, "reading", log);
        if (result != ZE_RESULT_SUCCESS) {
            geo_ir_module_destroy(*module);
            *module = NULL;
        }
    }
    return result;
}

/* Merges the sources of one unit into one module. *next: the first source of the next unit. */
static ze_result_t unit_read(const struct geo_compiler_request *request, uint32_t *next,
                             struct geo_ir_module **out, struct geo_strbuf *log)
{
    uint32_t at = *next, unit = request->sources[at].unit;
    ze_result_t result = source_read(&request->sources[at++], out, log);
    while (result == ZE_RESULT_SUCCESS && at < request->source_count &&
           request->sources[at].unit == unit) {
        struct geo_ir_module *more;
        result = source_read(&request->sources[at++], &more, log);
        if (result == ZE_RESULT_SUCCESS) {
            (*out)->function_pointers |= more->function_pointers;
            result = geo_copy_module(*out, more);
            geo_ir_module_destroy(more);
        }
    }
    *next = at;
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_link_module(*out, log);
        geo_units_number(*out);
    }
    return result;
}

static ze_result_t units_read(const struct geo_compiler_request *request,
                              struct geo_ir_module **units, uint32_t count, struct geo_strbuf *log)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    uint32_t at = 0, first = request->function != NULL;
    if (first) {
        units[0] = geo_ir_module_create(FUNCTION_BYTES);
        if (!units[0]) {
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
        units[0]->function_pointers = true;
    }
    for (uint32_t unit = first; unit < count && result == ZE_RESULT_SUCCESS; unit++) {
        if (at == request->source_count || request->sources[at].unit != unit) {
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
        result = unit_read(request, &at, &units[unit], log);
    }
    return result;
}

static ze_result_t units_link(const struct geo_compiler_request *request,
                              struct geo_ir_module **units, uint32_t count, struct geo_strbuf *log)
{
    struct geo_unit_link *links = calloc(request->link_count + 1, sizeof(*links));
    if (!links) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < request->link_count; i++) {
        links[i] = (struct geo_unit_link){.importer = request->links[i].importer,
                                          .exporter = request->links[i].exporter,
                                          .name = request->links[i].name};
    }
    const struct geo_units all = {.modules = units,
                                  .count = count,
                                  .links = links,
                                  .link_count = request->link_count,
                                  .function = request->function};
    ze_result_t result = geo_units_link(&all, log);
    free(links);
    return result;
}

ze_result_t geo_sources_read(const struct geo_compiler_request *request,
                             struct geo_linkage *linkage, struct geo_ir_module **out,
                             struct geo_strbuf *log)
{
    uint32_t count = request->unit_count ? request->unit_count : 1;
    struct geo_ir_module **units = calloc(count, sizeof(struct geo_ir_module *));
    if (!units) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result = units_read(request, units, count, log);
    if (result == ZE_RESULT_SUCCESS && !request->function && !request->kernel_count &&
        /* before copies from other units are added */
        !geo_linkage_find_exports(units[0], linkage)) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result == ZE_RESULT_SUCCESS && (count > 1 || request->function)) {
        result = units_link(request, units, count, log);
    }
    if (result == ZE_RESULT_SUCCESS && request->kernel_count &&
        !geo_linkage_detach(units[0], count)) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result == ZE_RESULT_SUCCESS && request->function &&
        !geo_linkage_find_exports(units[0], linkage)) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 1; i < count; i++) {
        geo_ir_module_destroy(units[i]);
    }
    *out = units[0]; /* set after a failure, too: the caller destroys it */
    free(units);
    return result;
}
