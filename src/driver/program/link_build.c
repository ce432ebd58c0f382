/* Compiles and binds one member of a link. The compiler builds it again from the SPIR-V in its
 * binary, together with the modules whose functions it uses. Then the code gets the addresses of
 * imported variables. See link.h. */
#include "driver/program/link.h"

#include "base/array.h"
#include "driver/compile/build.h"
#include "driver/core/inventory.h"

#include <stdlib.h>
#include <string.h>

/* A compiler request under construction. */
struct request {
    struct geo_compiler_source *sources;
    struct geo_compiler_link *links;
    size_t source_count, source_capacity, link_count, link_capacity;
    /* see geo_compiler_request */
    const char *function;
    uint32_t kernel_count;
    const char *const *kernel_names;
    enum geo_compiler_kernels kernels;
    bool restricted, counted;
};

static ze_result_t unit_append(struct geo_link_member *member, struct geo_module_part *part)
{
    struct geo_module_part **grown =
        realloc(member->units, (member->unit_count + 1) * sizeof(struct geo_module_part *));
    if (!grown) {
        return geo_module_link_no_memory();
    }
    member->units = grown;
    member->units[member->unit_count++] = part;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_module_link_unit(struct geo_link_member *member, struct geo_module_part *part,
                                 uint32_t *number)
{
    for (*number = 0; *number < member->unit_count; (*number)++) {
        if (member->units[*number] == part) {
            return ZE_RESULT_SUCCESS;
        }
    }
    return unit_append(member, part);
}

/* Adds the links of a unit to the request. Parts from which the unit imports become units, too. */
static ze_result_t unit_links_add(struct geo_link *link, struct geo_link_member *member,
                                  uint32_t importer, struct request *request)
{
    GEO_ASSERT(importer < member->unit_count && member->units[importer]->exporters);
    struct geo_module_part *part = member->units[importer];
    const struct geo_native_view *view = &part->binary->view;
    for (uint32_t i = 0; i < view->header->symbol_count; i++) {
        uint32_t exporter;
        if (!part->exporters[i]) {
            continue;
        }
        GEO_CHECK(geo_module_link_unit(member, part->exporters[i], &exporter));
        if (!geo_array_grow((void **)&request->links, &request->link_capacity,
                            request->link_count + 1, sizeof(*request->links))) {
            return geo_module_link_no_memory();
        }
        request->links[request->link_count++] =
            (struct geo_compiler_link){.importer = importer,
                                       .exporter = exporter,
                                       .name = geo_native_string(view, view->symbols[i].name)};
        if (part->exporters[i]->code != link->set) {
            GEO_CHECK(geo_module_code_use(link->set, part->exporters[i]->code));
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t unit_sources_add(struct geo_link *link, const struct geo_link_member *member,
                                    uint32_t unit, struct request *request)
{
    GEO_ASSERT(unit < member->unit_count);
    const struct geo_native_view *view = &member->units[unit]->binary->view;
    uint32_t count = view->header->source_count;
    if (count == 0) {
        geo_strbuf_printf(link->log, "error: ");
        geo_module_link_print_member(link, member);
        geo_strbuf_printf(link->log, " is linked with a native binary without sources\n");
        return geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
                        "a module to link has no sources in its native binary");
    }
    if (!geo_array_grow((void **)&request->sources, &request->source_capacity,
                        request->source_count + count, sizeof(*request->sources))) {
        return geo_module_link_no_memory();
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_native_source *source = &view->sources[i];
        request->sources[request->source_count++] =
            (struct geo_compiler_source){.spirv = (const uint8_t *)view->header + source->offset,
                                         .bytes = source->bytes,
                                         .options = geo_native_string(view, source->options),
                                         .unit = unit};
    }
    return ZE_RESULT_SUCCESS;
}

/* Fills the request. A function has no sources of its own, so unit 0 is left out for it. */
static ze_result_t request_fill(struct geo_link *link, struct geo_link_member *member,
                                struct request *request)
{
    for (uint32_t unit = request->function ? 1 : 0; unit < member->unit_count; unit++) {
        GEO_CHECK(unit_links_add(link, member, unit, request));
        GEO_CHECK(unit_sources_add(link, member, unit, request));
    }
    return ZE_RESULT_SUCCESS;
}

/* Makes a build of the request, whose log is in *build, and the binary. The caller finishes the
 * build. */
static ze_result_t request_build(struct geo_link *link, const struct geo_link_member *member,
                                 const struct request *request, struct geo_build *build,
                                 struct geo_module_binary **native)
{
    const struct geo_compiler_request built = {
        .source_count = (uint32_t)request->source_count,
        .sources = request->sources,
        /* 0 for a module alone, as in zeModuleCreate, so that both find the same in the cache */
        .unit_count = member->unit_count > 1 ? member->unit_count : 0,
        .link_count = (uint32_t)request->link_count,
        .links = request->links,
        .function = request->function,
        .kernel_count = request->kernel_count,
        .kernel_names = request->kernel_names,
        .kernels = request->kernels,
        .restricted = request->restricted,
        .counted = request->counted,
        .instrumented = geo_inventory_instruments(),
        .near_null = geo_build_near_null(),
        .target_cpu = member->module->device->info->target_cpu,
    };
    ze_result_t result = geo_build_make(&built, link->log, build);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_module_binary_create(build->binary, build->binary_bytes, native, link->log);
    }
    return result;
}

static void request_finish(struct request *request)
{
    free(request->sources);
    free(request->links);
}

static ze_result_t member_compile(struct geo_link *link, struct geo_link_member *member,
                                  const struct request *request)
{
    struct geo_build build;
    struct geo_module_binary *native = NULL;
    ze_result_t result = request_build(link, member, request, &build, &native);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_module_code_part_load(member->part, native, link->log);
    }
    if (result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ||
        result == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY ||
        result == ZE_RESULT_ERROR_INVALID_ARGUMENT) {
        geo_strbuf_printf(link->log, "error: ");
        geo_module_link_print_member(link, member);
        geo_strbuf_printf(link->log, " did not link\n");
        result = geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "module %u did not link: %.200s",
                          member->place, build.log);
    }
    geo_module_binary_unref(native);
    geo_build_finish(&build);
    return result;
}

ze_result_t geo_module_link_build(struct geo_link *link, struct geo_link_member *member,
                                  const char *function)
{
    enum geo_compiler_kernels kernels = geo_build_kernels();
    const bool whole = function || kernels == GEO_COMPILER_KERNELS_APART;
    struct request request = {
        .function = function,
        .kernels = whole ? GEO_COMPILER_KERNELS_ALL : kernels,
    };
    GEO_ASSERT(geo_module_link_lock_held() && member->part && member->part->code == link->set);
    ze_result_t result = request_fill(link, member, &request);
    if (result == ZE_RESULT_SUCCESS) {
        result = member_compile(link, member, &request);
    }
    request_finish(&request);
    return result;
}

ze_result_t geo_module_link_build_again(struct geo_link *link, struct geo_link_member *member,
                                        enum geo_module_kernels_code code, uint32_t kernel_count,
                                        const char *const *kernel_names,
                                        struct geo_module_binary **native)
{
    struct request request = {
        .kernel_count = kernel_count,
        .kernel_names = kernel_names,
        .kernels = GEO_COMPILER_KERNELS_ALL,
        .restricted = code == GEO_MODULE_KERNELS_RESTRICTED && geo_build_kernels_restricted(),
        .counted = code == GEO_MODULE_KERNELS_COUNTED,
    };
    struct geo_module_part *own = geo_module_part(member->module);
    GEO_ASSERT(own && !member->unit_count);
    ze_result_t result = unit_append(member, own);
    if (result == ZE_RESULT_SUCCESS) {
        result = request_fill(link, member, &request);
    }
    if (result == ZE_RESULT_SUCCESS) {
        struct geo_build build;
        result = request_build(link, member, &request, &build, native);
        geo_build_finish(&build);
    }
    request_finish(&request);
    return result == ZE_RESULT_SUCCESS && kernel_count ? unit_append(member, own) : result;
}

/* ---- bind ---- */

static ze_result_t imports_find(const struct geo_link_member *member,
                                struct geo_backend_import *imports, uint32_t *count,
                                struct geo_link *link)
{
    const struct geo_native_view *view = &member->part->native->view;
    for (uint32_t i = 0; i < view->header->symbol_count; i++) {
        const struct geo_native_symbol *symbol = &view->symbols[i];
        if (!(GEO_SYMBOLS_IMPORTS & (1u << symbol->kind))) {
            continue;
        }
        const char *name = geo_native_string(view, symbol->name);
        GEO_ASSERT(*count < geo_module_binary_count(member->part->native, GEO_SYMBOLS_IMPORTS));
        struct geo_backend_import *import = &imports[(*count)++];
        import->symbol = geo_native_string(view, symbol->symbol);
        if (symbol->unit >= member->unit_count ||
            geo_module_code_variable(member->units[symbol->unit], name, &import->address) !=
                ZE_RESULT_SUCCESS) {
            geo_strbuf_printf(link->log, "error: ");
            geo_module_link_print_member(link, member);
            geo_strbuf_printf(link->log,
                              " imports variable %s, but the native binary of the module that "
                              "exports it does not contain it: build that module again\n",
                              name);
            return geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
                            "imported variable %.100s is not in the code of its module", name);
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_module_link_bind(struct geo_link *link, const struct geo_link_member *member)
{
    uint32_t wanted = geo_module_binary_count(member->part->native, GEO_SYMBOLS_IMPORTS), count = 0;
    if (wanted == 0) {
        return ZE_RESULT_SUCCESS; /* it imports nothing, so it is complete after loading */
    }
    struct geo_backend_import *imports = calloc(wanted, sizeof(*imports));
    if (!imports) {
        return geo_module_link_no_memory();
    }
    ze_result_t result = imports_find(member, imports, &count, link);
    if (result == ZE_RESULT_SUCCESS) {
        result = link->set->ops->bind(member->part->program, imports, count, link->log);
        if (result != ZE_RESULT_SUCCESS) {
            result = geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "linked code did not load");
        }
    }
    free(imports);
    return result;
}
