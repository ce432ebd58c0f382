/* From modules with imports to code. See module_link.h.
 *
 *     resolve  which part exports what each unlinked module imports: errors end here
 *     build    each of them with the parts it needs, directly or through others
 *     bind     place all, then give each the addresses of the others' variables
 *     publish
 *
 * One lock keeps links apart: two threads may link the same modules. */
#include "driver/program/module_link.h"

#include "base/array.h"
#include "base/fork.h"
#include "driver/program/compiler_library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t link_mutex = PTHREAD_MUTEX_INITIALIZER;

static void link_lock(void)
{
    pthread_mutex_lock(&link_mutex);
}

static void link_unlock(void)
{
    pthread_mutex_unlock(&link_mutex);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_LINKING,
    .prepare = link_lock,
    .parent = link_unlock,
    .child = link_unlock,
};
GEO_FORK_AT_LOAD(fork_handler)

/* One module of the set, each once. */
struct member {
    struct geo_module *module;
    uint32_t place; /* in the caller's list */
    struct geo_module_part *part;
    bool pending;                   /* has to be linked: part is one of the new set's */
    struct geo_module_part **units; /* pending: what it is built with, itself first; owned */
    uint32_t unit_count;
};

struct link {
    struct member *members;
    uint32_t count, pending_count;
    struct geo_module_code *set;
    struct geo_strbuf *log;
    uint32_t errors;
};

static ze_result_t no_memory(void)
{
    return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory to link modules");
}

/* ---- the set ---- */

static ze_result_t members_collect(struct link *link, uint32_t count,
                                   struct geo_module *const *modules)
{
    link->members = calloc(count, sizeof(*link->members));
    if (!link->members) {
        return no_memory();
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t known = 0;
        while (known < link->count && link->members[known].module != modules[i]) {
            known++;
        }
        if (known < link->count) {
            continue;
        }
        if (modules[i]->device != modules[0]->device) {
            geo_strbuf_printf(link->log, "error: module %u is for another device than module 0\n",
                              i);
            return geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
                            "the modules are for different devices");
        }
        struct member *member = &link->members[link->count++];
        *member =
            (struct member){.module = modules[i], .place = i, .part = geo_module_part(modules[i])};
        member->pending = member->part == NULL;
        link->pending_count += member->pending;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t set_create(struct link *link)
{
    const struct geo_module *first = link->members[0].module;
    uint32_t next = 0;
    link->set = geo_module_code_create(first->base.driver->ops->program,
                                       first->device->backend_device, link->pending_count);
    if (!link->set) {
        return no_memory();
    }
    for (uint32_t i = 0; i < link->count; i++) {
        struct member *member = &link->members[i];
        if (member->pending) {
            member->part = &link->set->parts[next++];
            GEO_CHECK(geo_module_part_init(member->part, member->module->source));
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- resolve ---- */

/* "module 2 (kernel main)" */
static void member_print(struct link *link, const struct member *member)
{
    const struct geo_native_view *view = &member->module->source->view;
    geo_strbuf_printf(link->log, "module %u", member->place);
    if (view->header->kernel_count) {
        geo_strbuf_printf(link->log, " (kernel %s%s)",
                          geo_native_string(view, view->kernels[0].name),
                          view->header->kernel_count > 1 ? " ..." : "");
    }
}

static void import_report(struct link *link, const struct member *importer,
                          const struct geo_native_symbol *import, const struct member *first,
                          const struct member *second)
{
    const struct geo_native_view *view = &importer->module->source->view;
    const char *user = geo_native_string(view, import->user);
    geo_strbuf_printf(link->log, "error: %s %s, imported by ",
                      import->kind == GEO_SYMBOL_IMPORT_VARIABLE ? "variable" : "function",
                      geo_native_string(view, import->name));
    member_print(link, importer);
    geo_strbuf_printf(link->log, "%s%s, is defined by ", user[0] ? " in " : "", user);
    if (first) {
        member_print(link, first);
        geo_strbuf_printf(link->log, " and by ");
        member_print(link, second);
        geo_strbuf_printf(link->log, "\n");
    } else {
        geo_strbuf_printf(link->log, "none of the modules\n");
    }
    link->errors++;
}

/* Definitions that are exported by one module only; of those that several may have, any. */
static struct geo_module_part *exporter_find(struct link *link, const struct member *importer,
                                             const struct geo_native_symbol *import)
{
    const char *name = geo_native_string(&importer->module->source->view, import->name);
    const struct member *strong = NULL, *weak = NULL;
    for (uint32_t i = 0; i < link->count; i++) {
        const struct member *member = &link->members[i];
        const struct geo_native_symbol *symbol =
            member != importer
                ? geo_module_binary_symbol(member->module->source, GEO_SYMBOLS_EXPORTS, name)
                : NULL;
        if (symbol && !(symbol->flags & GEO_SYMBOL_WEAK)) {
            if (strong) {
                import_report(link, importer, import, strong, member);
                return NULL;
            }
            strong = member;
        } else if (symbol && !weak) {
            weak = member;
        }
    }
    const struct member *found = strong ? strong : weak;
    if (!found) {
        import_report(link, importer, import, NULL, NULL);
        return NULL;
    }
    return found->part;
}

static ze_result_t imports_resolve(struct link *link)
{
    for (uint32_t i = 0; i < link->count; i++) {
        const struct member *member = &link->members[i];
        const struct geo_native_view *view = &member->module->source->view;
        for (uint32_t k = 0; member->pending && k < view->header->symbol_count; k++) {
            if (GEO_SYMBOLS_IMPORTS & (1u << view->symbols[k].kind)) {
                member->part->exporters[k] = exporter_find(link, member, &view->symbols[k]);
            }
        }
    }
    return link->errors
               ? geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
                          "%u imports are not resolved; the link log names them", link->errors)
               : ZE_RESULT_SUCCESS;
}

/* ---- build ---- */

/* A compiler's request while it is put together. */
struct request {
    struct geo_compiler_source *sources;
    struct geo_compiler_link *links;
    size_t source_count, source_capacity, link_count, link_capacity;
    const char *function; /* of geo_compiler_request */
};

static bool unit_number(struct member *member, struct geo_module_part *part, uint32_t *number)
{
    for (*number = 0; *number < member->unit_count; (*number)++) {
        if (member->units[*number] == part) {
            return true;
        }
    }
    struct geo_module_part **grown =
        realloc(member->units, (member->unit_count + 1) * sizeof(struct geo_module_part *));
    if (!grown) {
        return false;
    }
    member->units = grown;
    member->units[member->unit_count++] = part;
    return true;
}

/* Who a unit imports from become units, too. */
static ze_result_t unit_links_add(struct link *link, struct member *member, uint32_t importer,
                                  struct request *request)
{
    struct geo_module_part *part = member->units[importer];
    const struct geo_native_view *view = &part->source->view;
    for (uint32_t i = 0; i < view->header->symbol_count; i++) {
        uint32_t exporter;
        if (!part->exporters[i]) {
            continue;
        }
        if (!unit_number(member, part->exporters[i], &exporter) ||
            !geo_array_grow((void **)&request->links, &request->link_capacity,
                            request->link_count + 1, sizeof(*request->links))) {
            return no_memory();
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

static ze_result_t unit_sources_add(struct link *link, const struct member *member, uint32_t unit,
                                    struct request *request)
{
    const struct geo_native_view *view = &member->units[unit]->source->view;
    uint32_t count = view->header->source_count;
    if (count == 0) {
        geo_strbuf_printf(link->log, "error: ");
        member_print(link, member);
        geo_strbuf_printf(link->log, " is linked with a native binary without sources\n");
        return geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
                        "a module to link has no sources in its native binary");
    }
    if (!geo_array_grow((void **)&request->sources, &request->source_capacity,
                        request->source_count + count, sizeof(*request->sources))) {
        return no_memory();
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

/* From unit `first` on: those before it have no sources of their own. */
static ze_result_t request_fill(struct link *link, struct member *member, uint32_t first,
                                struct request *request)
{
    for (uint32_t unit = first; unit < member->unit_count; unit++) {
        GEO_CHECK(unit_links_add(link, member, unit, request));
        GEO_CHECK(unit_sources_add(link, member, unit, request));
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t member_compile(struct link *link, struct member *member,
                                  const struct request *request)
{
    const struct geo_compiler_ops *compiler = geo_compiler_library_open(link->log);
    if (!compiler) {
        return geo_fail(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE,
                        "the compiler library did not load; the link log says why");
    }
    const struct geo_compiler_request built = {
        .source_count = (uint32_t)request->source_count,
        .sources = request->sources,
        .unit_count = member->unit_count,
        .link_count = (uint32_t)request->link_count,
        .links = request->links,
        .function = request->function,
        .target_cpu = member->module->device->info->target_cpu,
    };
    struct geo_compiler_output output = {0};
    struct geo_module_binary *native = NULL;
    ze_result_t result = compiler->build(&built, &output);
    if (output.log && output.log[0]) {
        geo_strbuf_add(link->log, output.log, strlen(output.log));
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_module_binary_create(output.object, output.object_bytes, &native, link->log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_module_part_load(member->part, native, link->log);
    }
    if (result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ||
        result == ZE_RESULT_ERROR_INVALID_NATIVE_BINARY ||
        result == ZE_RESULT_ERROR_INVALID_ARGUMENT) {
        geo_strbuf_printf(link->log, "error: ");
        member_print(link, member);
        geo_strbuf_printf(link->log, " did not link\n");
        result = geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "module %u did not link: %.200s",
                          member->place, output.log ? output.log : "");
    }
    geo_module_binary_unref(native);
    compiler->release(&output);
    return result;
}

static ze_result_t member_build(struct link *link, struct member *member)
{
    struct request request = {0};
    uint32_t own;
    if (!unit_number(member, member->part, &own)) {
        return no_memory();
    }
    ze_result_t result = request_fill(link, member, 0, &request);
    if (result == ZE_RESULT_SUCCESS) {
        result = member_compile(link, member, &request);
    }
    free(request.sources);
    free(request.links);
    return result;
}

/* ---- bind ---- */

static ze_result_t imports_find(const struct member *member, struct geo_backend_import *imports,
                                uint32_t *count, struct link *link)
{
    const struct geo_native_view *view = &member->part->native->view;
    for (uint32_t i = 0; i < view->header->symbol_count; i++) {
        const struct geo_native_symbol *symbol = &view->symbols[i];
        if (!(GEO_SYMBOLS_IMPORTS & (1u << symbol->kind))) {
            continue;
        }
        const char *name = geo_native_string(view, symbol->name);
        struct geo_backend_import *import = &imports[(*count)++];
        import->symbol = geo_native_string(view, symbol->symbol);
        if (symbol->unit >= member->unit_count ||
            geo_module_part_variable(member->units[symbol->unit], name, &import->address) !=
                ZE_RESULT_SUCCESS) {
            geo_strbuf_printf(link->log, "error: variable %s, used by ", name);
            member_print(link, member);
            geo_strbuf_printf(link->log, ", is not in the code of the module that defines it\n");
            return geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "variable %.100s has no address",
                            name);
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t member_bind(struct link *link, const struct member *member)
{
    uint32_t wanted = geo_module_binary_count(member->part->native, GEO_SYMBOLS_IMPORTS), count = 0;
    if (wanted == 0) {
        return ZE_RESULT_SUCCESS; /* loading it finished it */
    }
    struct geo_backend_import *imports = calloc(wanted, sizeof(*imports));
    if (!imports) {
        return no_memory();
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

/* ---- all ---- */

static ze_result_t link_run(struct link *link)
{
    GEO_CHECK(set_create(link));
    GEO_CHECK(imports_resolve(link));
    for (uint32_t i = 0; i < link->count; i++) {
        if (link->members[i].pending) {
            GEO_CHECK(member_build(link, &link->members[i]));
        }
    }
    for (uint32_t i = 0; i < link->count; i++) {
        if (link->members[i].pending) {
            GEO_CHECK(member_bind(link, &link->members[i]));
        }
    }
    for (uint32_t i = 0; i < link->count; i++) {
        if (link->members[i].pending) {
            geo_module_set_part(link->members[i].module, link->members[i].part);
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_module_link(uint32_t count, struct geo_module *const *modules,
                            struct geo_strbuf *log)
{
    struct link link = {.log = log};
    link_lock();
    ze_result_t result = members_collect(&link, count, modules);
    if (result == ZE_RESULT_SUCCESS && link.pending_count) {
        result = link_run(&link);
    }
    link_unlock();
    geo_module_code_unref(link.set); /* the modules hold it now, or nobody does */
    for (uint32_t i = 0; i < link.count; i++) {
        free(link.members[i].units);
    }
    free(link.members);
    return result;
}

/* ---- functions by address ---- */

/* The function as a part of its own, unit 0, that uses the module, unit 1. */
static ze_result_t function_build(struct link *link, struct member *member, const char *name)
{
    struct geo_module_part *owner = geo_module_part(member->module);
    struct request request = {.function = name};
    uint32_t number;
    member->part = &link->set->parts[0];
    GEO_CHECK(geo_module_part_init(member->part, member->module->source));
    GEO_CHECK(geo_module_code_use(link->set, owner->code));
    if (!unit_number(member, member->part, &number) || !unit_number(member, owner, &number)) {
        return no_memory();
    }
    ze_result_t result = request_fill(link, member, 1, &request);
    if (result == ZE_RESULT_SUCCESS) {
        result = member_compile(link, member, &request);
    }
    free(request.sources);
    free(request.links);
    return result == ZE_RESULT_SUCCESS ? member_bind(link, member) : result;
}

static ze_result_t function_keep(struct geo_module *module, struct geo_module_code *code,
                                 const char *name, void **address)
{
    const struct geo_module_part *part = &code->parts[0];
    const struct geo_native_symbol *symbol =
        geo_module_binary_symbol(part->native, 1u << GEO_SYMBOL_EXPORT_FUNCTION, name);
    struct geo_module_function *function = malloc(sizeof(*function) + strlen(name) + 1);
    if (!function) {
        return no_memory();
    }
    if (!symbol ||
        code->ops->symbol(part->program, geo_native_string(&part->native->view, symbol->symbol),
                          &function->address) != ZE_RESULT_SUCCESS) {
        free(function);
        return geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, "%.100s cannot be called by pointer",
                        name);
    }
    strcpy(function->name, name);
    function->code = geo_module_code_ref(code);
    function->next = module->functions;
    module->functions = function;
    *address = function->address;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t function_make(struct geo_module *module, const char *name, void **address)
{
    struct geo_strbuf log;
    struct link link = {.log = &log};
    struct member member = {.module = module};
    geo_strbuf_init(&log, 4096);
    link.set = geo_module_code_create(module->base.driver->ops->program,
                                      module->device->backend_device, 1);
    ze_result_t result = link.set ? function_build(&link, &member, name) : no_memory();
    if (result == ZE_RESULT_SUCCESS) {
        result = function_keep(module, link.set, name, address);
    } else if (result == ZE_RESULT_ERROR_MODULE_LINK_FAILURE) {
        result =
            geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME,
                     "%.100s cannot be called by pointer: %.300s", name, geo_strbuf_text(&log));
    }
    geo_module_code_unref(link.set);
    free(member.units);
    geo_strbuf_finish(&log);
    return result;
}

ze_result_t geo_module_function(struct geo_module *module, const char *name, void **address)
{
    const struct geo_module_part *part = geo_module_part(module);
    const struct geo_native_view *view = &part->native->view;
    const struct geo_native_symbol *symbol =
        geo_module_binary_symbol(part->native, 1u << GEO_SYMBOL_EXPORT_FUNCTION, name);
    if (!symbol) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME,
                        "the module exports no function \"%.100s\"", name);
    }
    const char *descriptor = geo_native_string(view, symbol->symbol);
    if (descriptor[0]) {
        return part->code->ops->symbol(part->program, descriptor, address) == ZE_RESULT_SUCCESS
                   ? ZE_RESULT_SUCCESS
                   : geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME,
                              "function %.100s has no address", name);
    }
    link_lock();
    const struct geo_module_function *known = module->functions;
    while (known && strcmp(known->name, name) != 0) {
        known = known->next;
    }
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (known) {
        *address = known->address;
    } else {
        result = function_make(module, name, address);
    }
    link_unlock();
    return result;
}
