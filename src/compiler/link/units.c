/* Imports of one module become copies of what others export. See units.h. */
#include "compiler/link/units.h"

#include "compiler/link/copy.h"
#include "compiler/link/link.h"

#include <stdlib.h>
#include <string.h>

struct linker {
    const struct geo_units *units;
    struct geo_ir_module *target;
    struct geo_copier **copiers; /* [count]; [0] unused */
    struct geo_strbuf *log;
};

void geo_units_number(struct geo_ir_module *module)
{
    for (size_t i = 0; i < module->variables.count; i++) {
        module->variables.items[i]->serial = (uint32_t)i;
    }
}

static const struct geo_unit_link *link_find(const struct linker *linker, uint32_t importer,
                                             const char *name)
{
    for (uint32_t i = 0; i < linker->units->link_count; i++) {
        const struct geo_unit_link *link = &linker->units->links[i];
        if (link->importer == importer && strcmp(link->name, name) == 0 &&
            link->exporter < linker->units->count) {
            return link;
        }
    }
    return NULL;
}

static ze_result_t fail(struct linker *linker, const char *name, const char *what)
{
    geo_strbuf_printf(linker->log, "error: link: '%s' %s\n", name, what);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

static bool exports(enum geo_ir_linkage linkage, const char *known, const char *name)
{
    return (linkage == GEO_LINKAGE_EXPORT || linkage == GEO_LINKAGE_LINK_ONCE) && known &&
           strcmp(known, name) == 0;
}

static struct geo_ir_value *export_find(struct geo_ir_module *module, const char *name)
{
    geo_ir_for_each_function(function, module) {
        if (function->first_block && exports(function->linkage, function->linkage_name, name)) {
            return &function->value;
        }
    }
    for (size_t i = 0; i < module->variables.count; i++) {
        struct geo_ir_variable *variable = module->variables.items[i];
        if (exports(variable->linkage, variable->linkage_name, name)) {
            return &variable->value;
        }
    }
    return NULL;
}

static bool fits(const struct geo_ir_value *import, const struct geo_ir_value *definition)
{
    if (import->kind != definition->kind) {
        return false;
    }
    return import->kind == GEO_VALUE_FUNCTION
               ? geo_link_signatures_fit(import->type, definition->type)
               : geo_link_variables_fit(import->type, definition->type);
}

/* Gives one import its definition, if there is a link for it. */
static ze_result_t import_link(struct linker *linker, struct geo_ir_value *import, uint32_t unit,
                               const char *name)
{
    const struct geo_unit_link *link = link_find(linker, unit, name);
    if (!link) {
        return ZE_RESULT_SUCCESS;
    }
    struct geo_ir_value *definition = export_find(linker->units->modules[link->exporter], name);
    if (!definition) {
        return fail(linker, name, "is not exported by the module that should");
    }
    if (link->exporter != 0) {
        definition = geo_copier_copy(linker->copiers[link->exporter], definition);
        if (!definition) {
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    if (!fits(import, definition)) {
        return fail(linker, name, "has another type where it is defined");
    }
    if (import != definition) {
        import->forward = definition;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t function_copy(struct linker *linker, const char *name)
{
    struct geo_ir_value *found =
        linker->units->count > 1 ? export_find(linker->units->modules[1], name) : NULL;
    if (!found || found->kind != GEO_VALUE_FUNCTION) {
        return fail(linker, name, "is not an exported function");
    }
    struct geo_ir_value *copy = geo_copier_copy(linker->copiers[1], found);
    struct geo_ir_function *function = copy ? geo_ir_as_function(copy) : NULL;
    if (!function) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    function->linkage = GEO_LINKAGE_EXPORT;
    function->linkage_name = geo_arena_string(&linker->target->arena, name, strlen(name));
    return function->linkage_name ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

/* Copies come behind what is there, with imports of their own: both loops see them. */
static ze_result_t imports_link(struct linker *linker)
{
    struct geo_ir_module *target = linker->target;
    struct geo_ir_function *function = target->first_function, *next;
    size_t variable = 0;
    while (function || variable < target->variables.count) {
        ze_result_t result = ZE_RESULT_SUCCESS;
        if (function) {
            if (!function->first_block && function->linkage_name) {
                result =
                    import_link(linker, &function->value, function->unit, function->linkage_name);
            }
            next = function->next;
            if (function->value.forward) {
                geo_ir_function_remove(function);
            }
            function = next;
        } else {
            struct geo_ir_function *last = target->last_function;
            struct geo_ir_variable *import = target->variables.items[variable++];
            if (import->linkage == GEO_LINKAGE_IMPORT && import->linkage_name &&
                import->builtin < 0) {
                result = import_link(linker, &import->value, import->unit, import->linkage_name);
            }
            function = last ? last->next : target->first_function; /* copied with the variable */
        }
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_units_link(const struct geo_units *units, struct geo_strbuf *log)
{
    struct linker linker = {.units = units, .target = units->modules[0], .log = log};
    ze_result_t result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    linker.copiers = calloc(units->count, sizeof(*linker.copiers));
    bool good = linker.copiers != NULL;
    for (uint32_t i = 1; good && i < units->count; i++) {
        linker.copiers[i] = geo_copier_create(linker.target, i);
        good = linker.copiers[i] != NULL;
    }
    if (good) {
        result = units->function ? function_copy(&linker, units->function) : ZE_RESULT_SUCCESS;
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = imports_link(&linker);
    }
    for (uint32_t i = 1; linker.copiers && i < units->count; i++) {
        geo_copier_destroy(linker.copiers[i]);
    }
    free(linker.copiers);
    return result == ZE_RESULT_SUCCESS ? geo_link_apply(linker.target) : result;
}
