/* Finds what a module exports, imports and shares. See linkage.h. */
#include "compiler/link/linkage.h"

#include "base/array.h"
#include "compiler/link/symbol.h"

#include <string.h>

/* ---- walk over everything that some values reach ---- */

/* A walk over everything that functions and initialisers refer to. */
struct walk {
    bool *seen; /* by index of module-scope value */
    struct geo_ir_value **stack;
    size_t depth;
    struct geo_linkage_symbols *imports; /* list to add imports to; NULL: not needed */
    bool share;                          /* whether to mark variables as shared */
    bool failed;
};

/* Returns whether a variable lies in global or constant memory. Built-in variables do not, whether
 * declared by decoration or by name. */
static bool is_global(const struct geo_ir_variable *variable)
{
    static const char prefix[] = "__spirv_BuiltIn";
    SpvStorageClass storage = variable->value.type->storage;
    return variable->builtin < 0 &&
           (storage == SpvStorageClassCrossWorkgroup ||
            storage == SpvStorageClassUniformConstant) &&
           !(variable->linkage_name &&
             strncmp(variable->linkage_name, prefix, sizeof(prefix) - 1) == 0);
}

static void import_add(struct walk *walk, struct geo_ir_value *value, const char *name,
                       const struct geo_ir_function *function)
{
    if (!walk->imports || !name) {
        return;
    }
    if (!geo_array_reserve(walk->imports, 1)) {
        walk->failed = true;
        return;
    }
    walk->imports->items[walk->imports->count++] =
        (struct geo_linkage_symbol){.value = value, .name = name, .function = function};
}

static void walk_add(struct walk *walk, struct geo_ir_value *value,
                     const struct geo_ir_function *function)
{
    if (!value || value->kind == GEO_VALUE_PARAMETER || value->kind == GEO_VALUE_INST ||
        walk->seen[value->index]) {
        return;
    }
    walk->seen[value->index] = true;
    walk->stack[walk->depth++] = value;
    struct geo_ir_function *callee = geo_ir_as_function(value);
    struct geo_ir_variable *variable = geo_ir_as_variable(value);
    if (callee && !callee->first_block) {
        import_add(walk, value, callee->linkage_name, function);
    } else if (variable && is_global(variable)) {
        /* The memory of an import belongs to the module that exports it. */
        if (variable->linkage == GEO_LINKAGE_IMPORT) {
            import_add(walk, value, variable->linkage_name, function);
        } else {
            variable->shared |= walk->share && !variable->is_constant;
        }
    }
}

static void walk_value(struct walk *walk, struct geo_ir_value *value)
{
    struct geo_ir_function *function = geo_ir_as_function(value);
    const struct geo_ir_constant *constant = geo_ir_as_constant(value);
    struct geo_ir_variable *variable = geo_ir_as_variable(value);
    if (function) {
        geo_ir_for_each_block(block, function) {
            for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                for (uint32_t i = 0; i < inst->operand_count; i++) {
                    walk_add(walk, inst->operands[i], function);
                }
            }
        }
    } else if (variable) {
        walk_add(walk, variable->initializer, NULL);
    } else if (constant) {
        for (uint64_t i = 0; constant->members && i < constant->value.type->count; i++) {
            walk_add(walk, constant->members[i], NULL);
        }
        for (uint32_t i = 0; i < constant->operand_count; i++) {
            walk_add(walk, constant->operands[i], NULL);
        }
    }
}

static bool walk_begin(struct walk *walk, const struct geo_ir_module *module)
{
    walk->seen = calloc(module->next_index + 1, sizeof(*walk->seen));
    walk->stack = calloc(module->next_index + 1, sizeof(*walk->stack));
    return walk->seen && walk->stack;
}

static bool walk_run(struct walk *walk)
{
    while (walk->depth && !walk->failed) {
        walk_value(walk, walk->stack[--walk->depth]);
    }
    return !walk->failed;
}

static void walk_end(struct walk *walk)
{
    free(walk->seen);
    free(walk->stack);
}

/* ---- exports ---- */

static bool export_add(struct geo_linkage *linkage, struct geo_ir_value *value,
                       enum geo_ir_linkage kind, const char *name)
{
    bool strong = kind == GEO_LINKAGE_EXPORT;
    if ((!strong && kind != GEO_LINKAGE_LINK_ONCE) || !name || geo_ir_is_kernel_twin(name)) {
        return true;
    }
    if (!geo_array_reserve(&linkage->exports, 1)) {
        return false;
    }
    linkage->exports.items[linkage->exports.count++] =
        (struct geo_linkage_symbol){.value = value, .name = name, .weak = !strong};
    return true;
}

static bool shared_mark(struct geo_ir_module *module, const struct geo_linkage *linkage)
{
    struct walk walk = {.share = true};
    bool good = walk_begin(&walk, module);
    for (size_t i = 0; good && i < linkage->exports.count; i++) {
        walk_add(&walk, linkage->exports.items[i].value, NULL);
    }
    good = good && walk_run(&walk);
    walk_end(&walk);
    return good;
}

bool geo_linkage_find_exports(struct geo_ir_module *module, struct geo_linkage *linkage)
{
    bool good = true;
    geo_ir_for_each_function(function, module) {
        if (function->first_block && !function->is_kernel) {
            good = good &&
                   export_add(linkage, &function->value, function->linkage, function->linkage_name);
        }
    }
    for (size_t i = 0; i < module->variables.count; i++) {
        struct geo_ir_variable *variable = module->variables.items[i];
        if (is_global(variable)) {
            good = good &&
                   export_add(linkage, &variable->value, variable->linkage, variable->linkage_name);
        }
    }
    return good && (linkage->exports.count == 0 || shared_mark(module, linkage));
}

/* ---- kernels that are built apart ---- */

bool geo_linkage_share(struct geo_ir_module *module)
{
    struct walk walk = {.share = true};
    bool good = walk_begin(&walk, module);
    for (struct geo_ir_function *f = module->first_function; good && f; f = f->next) {
        if (f->is_kernel) {
            walk_add(&walk, &f->value, NULL);
        }
    }
    good = good && walk_run(&walk);
    walk_end(&walk);
    return good;
}

bool geo_linkage_detach(struct geo_ir_module *module, uint32_t unit)
{
    for (size_t i = 0; i < module->variables.count; i++) {
        struct geo_ir_variable *variable = module->variables.items[i];
        if (!is_global(variable) || !geo_symbol_stays(variable) ||
            variable->linkage == GEO_LINKAGE_EXTERNAL) {
            continue;
        }
        const char *name = geo_symbol_shared(module, variable);
        if (!name) {
            return false;
        }
        variable->linkage = GEO_LINKAGE_EXTERNAL;
        variable->unit = unit;
        variable->linkage_name = name;
        variable->host_name = NULL;
    }
    geo_ir_for_each_function(function, module) {
        if (function->first_block) {
            function->linkage = GEO_LINKAGE_INTERNAL;
        }
    }
    return true;
}

/* ---- imports ---- */

/* Returns whether the module has anything that could be an import. Most modules have not, which
 * saves the walk. */
static bool may_import(const struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        if (!function->first_block) {
            return true;
        }
    }
    for (size_t i = 0; i < module->variables.count; i++) {
        const struct geo_ir_variable *variable = module->variables.items[i];
        if (variable->linkage == GEO_LINKAGE_IMPORT && is_global(variable)) {
            return true;
        }
    }
    return false;
}

bool geo_linkage_find_imports(struct geo_ir_module *module, struct geo_linkage *linkage)
{
    struct walk walk = {.imports = &linkage->imports};
    if (!may_import(module)) {
        return true;
    }
    bool good = walk_begin(&walk, module);
    for (struct geo_ir_function *f = module->first_function; good && f; f = f->next) {
        if (f->is_kernel || f->linkage == GEO_LINKAGE_EXPORT) {
            walk_add(&walk, &f->value, NULL);
        }
    }
    for (size_t i = 0; good && i < module->variables.count; i++) {
        if (module->variables.items[i]->linkage == GEO_LINKAGE_EXPORT) {
            walk_add(&walk, &module->variables.items[i]->value, NULL);
        }
    }
    good = good && walk_run(&walk);
    walk_end(&walk);
    return good;
}

void geo_linkage_finish(struct geo_linkage *linkage)
{
    geo_array_finish(&linkage->exports);
    geo_array_finish(&linkage->imports);
}
