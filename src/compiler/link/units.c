/* Resolves imports of unit 0 to copies of other units' exports. See units.h. */
#include "compiler/link/units.h"

#include "base/strmap.h"
#include "compiler/link/copy.h"
#include "compiler/link/link.h"

#include <stdlib.h>
#include <string.h>

/* The names that one unit imports and exports. */
struct unit_names {
    struct geo_strmap links; /* links of its imports (struct geo_unit_link) by name */
    /* values that it exports (struct geo_ir_value) by name, listed on first use */
    struct geo_strmap exports;
    bool listed;
};

/* One link. */
struct linker {
    const struct geo_units *units;
    struct geo_ir_module *target;
    struct unit_names *names;    /* one per unit */
    struct geo_copier **copiers; /* one per unit; [0] is unused */
    struct geo_strbuf *log;
};

void geo_units_number(struct geo_ir_module *module)
{
    for (size_t i = 0; i < module->variables.count; i++) {
        module->variables.items[i]->serial = (uint32_t)i;
    }
}

static bool links_list(struct linker *linker)
{
    for (uint32_t i = 0; i < linker->units->link_count; i++) {
        const struct geo_unit_link *link = &linker->units->links[i];
        if (link->importer < linker->units->count && link->exporter < linker->units->count &&
            !geo_strmap_add(&linker->names[link->importer].links, link->name, (void *)link)) {
            return false;
        }
    }
    return true;
}

static void names_finish(struct linker *linker)
{
    for (uint32_t i = 0; linker->names && i < linker->units->count; i++) {
        geo_strmap_finish(&linker->names[i].links);
        geo_strmap_finish(&linker->names[i].exports);
    }
    free(linker->names);
}

static ze_result_t fail(struct linker *linker, const char *name, const char *what)
{
    geo_strbuf_printf(linker->log, "error: link: '%s' %s\n", name, what);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

static bool export_add(struct unit_names *names, enum geo_ir_linkage linkage, const char *name,
                       struct geo_ir_value *value)
{
    bool exported = linkage == GEO_LINKAGE_EXPORT || linkage == GEO_LINKAGE_LINK_ONCE;
    return !exported || !name || geo_strmap_add(&names->exports, name, value);
}

static bool exports_list(struct geo_ir_module *module, struct unit_names *names)
{
    bool good = true;
    geo_ir_for_each_function(function, module) {
        good = good &&
               (!function->first_block ||
                export_add(names, function->linkage, function->linkage_name, &function->value));
    }
    for (size_t i = 0; i < module->variables.count; i++) {
        struct geo_ir_variable *variable = module->variables.items[i];
        good =
            good && export_add(names, variable->linkage, variable->linkage_name, &variable->value);
    }
    names->listed = true;
    return good;
}

/* Finds an export by name; *found is NULL if the unit has none. Returns false when memory runs
 * out. */
static bool export_find(struct linker *linker, uint32_t unit, const char *name,
                        struct geo_ir_value **found)
{
    struct unit_names *names = &linker->names[unit];
    if (!names->listed && !exports_list(linker->units->modules[unit], names)) {
        return false;
    }
    *found = geo_strmap_find(&names->exports, name);
    return true;
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

/* Resolves one import, if there is a link for it. */
static ze_result_t import_link(struct linker *linker, struct geo_ir_value *import, uint32_t unit,
                               const char *name)
{
    const struct geo_unit_link *link = geo_strmap_find(&linker->names[unit].links, name);
    if (!link) {
        return ZE_RESULT_SUCCESS;
    }
    struct geo_ir_value *definition;
    if (!export_find(linker, link->exporter, name, &definition)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
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
    struct geo_ir_value *found = NULL;
    if (linker->units->count > 1 && !export_find(linker, 1, name, &found)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
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

/* Resolves all imports. Copies are appended to the target with imports of their own, which the
 * loops reach too. */
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
            /* functions that were copied with the variable */
            function = last ? last->next : target->first_function;
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
    linker.names = calloc(units->count, sizeof(*linker.names));
    bool good = linker.copiers && linker.names && links_list(&linker);
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
    names_finish(&linker);
    return result == ZE_RESULT_SUCCESS ? geo_link_apply(linker.target) : result;
}
