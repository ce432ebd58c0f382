/* Links a merged module: resolves imports to definitions of the same name. See link.h. */
#include "compiler/link/link.h"

#include "base/strmap.h"

#include <string.h>

static ze_result_t link_failure(struct geo_strbuf *log, const char *what, const char *name)
{
    geo_strbuf_printf(log, "error: link: '%s' %s\n", name, what);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

/* ---- definitions ---- */

static bool defines(enum geo_ir_linkage linkage)
{
    return linkage == GEO_LINKAGE_EXPORT || linkage == GEO_LINKAGE_LINK_ONCE;
}

/* Definitions of a module by name. */
struct definitions {
    struct geo_strmap functions, variables;
};

static void definitions_finish(struct definitions *definitions)
{
    geo_strmap_finish(&definitions->functions);
    geo_strmap_finish(&definitions->variables);
}

static bool is_definition(const struct geo_ir_function *function, enum geo_ir_linkage linkage)
{
    return function->first_block && function->linkage_name && function->linkage == linkage;
}

/* Lists the definitions. A strong definition of a function takes precedence over weak ones; then
 * the first one counts. */
static bool definitions_list(struct geo_ir_module *module, struct definitions *definitions)
{
    static const enum geo_ir_linkage order[] = {GEO_LINKAGE_EXPORT, GEO_LINKAGE_LINK_ONCE};
    for (int i = 0; i < 2; i++) {
        geo_ir_for_each_function(function, module) {
            if (is_definition(function, order[i]) &&
                !geo_strmap_add(&definitions->functions, function->linkage_name, function)) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < module->variables.count; i++) {
        struct geo_ir_variable *variable = module->variables.items[i];
        if (variable->linkage_name && defines(variable->linkage) &&
            !geo_strmap_add(&definitions->variables, variable->linkage_name, variable)) {
            return false;
        }
    }
    return true;
}

/* Reserves a name for this function. Returns false if another function has it; *result is the
 * error. */
static bool name_take(struct geo_strmap *names, const char *name, struct geo_ir_function *function,
                      const char *what, struct geo_strbuf *log, ze_result_t *result)
{
    const struct geo_ir_function *first = geo_strmap_add(names, name, function);
    *result = first == function ? ZE_RESULT_SUCCESS
              : first           ? link_failure(log, what, name)
                                : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    return first == function;
}

static ze_result_t functions_check(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_strmap kernels = {0}, exports = {0};
    ze_result_t result = ZE_RESULT_SUCCESS;
    geo_ir_for_each_function(function, module) {
        if ((function->is_kernel && !name_take(&kernels, function->entry_name, function,
                                               "is a kernel of two modules", log, &result)) ||
            (is_definition(function, GEO_LINKAGE_EXPORT) &&
             !name_take(&exports, function->linkage_name, function, "is defined twice", log,
                        &result))) {
            break;
        }
    }
    geo_strmap_finish(&kernels);
    geo_strmap_finish(&exports);
    return result;
}

/* Checks that each name has one strong definition. The map has the first variable of each name, so
 * a strong variable that is not the first is a second definition. */
static ze_result_t definitions_check(struct geo_ir_module *module,
                                     const struct definitions *definitions, struct geo_strbuf *log)
{
    ze_result_t result = functions_check(module, log);
    for (size_t i = 0; i < module->variables.count && result == ZE_RESULT_SUCCESS; i++) {
        const struct geo_ir_variable *variable = module->variables.items[i];
        if (variable->linkage == GEO_LINKAGE_EXPORT && variable->linkage_name &&
            geo_strmap_find(&definitions->variables, variable->linkage_name) != variable) {
            result = link_failure(log, "is defined twice", variable->linkage_name);
        }
    }
    return result;
}

/* ---- calls ---- */

static bool castable(const struct geo_ir_type *from, const struct geo_ir_type *to)
{
    return from == to || (from->kind == GEO_TYPE_POINTER && to->kind == GEO_TYPE_POINTER &&
                          from->storage == to->storage);
}

bool geo_link_signatures_fit(const struct geo_ir_type *import, const struct geo_ir_type *definition)
{
    if (import->count != definition->count || !castable(import->element, definition->element)) {
        return false;
    }
    for (uint64_t i = 0; i < import->count; i++) {
        if (!castable(import->members[i], definition->members[i])) {
            return false;
        }
    }
    return true;
}

bool geo_link_variables_fit(const struct geo_ir_type *import, const struct geo_ir_type *definition)
{
    const struct geo_ir_type *a = import->element, *b = definition->element;
    return import->storage == definition->storage &&
           (a == b || a->size == b->size ||
            (a->kind == GEO_TYPE_ARRAY && b->kind == GEO_TYPE_ARRAY && a->element == b->element &&
             a->size < b->size));
}

/* If the callee returns a pointer of another type, inserts a call with that type and turns the old
 * call into a cast of its result. */
static bool result_fit(struct geo_ir_module *module, struct geo_ir_inst *call,
                       const struct geo_ir_function *callee)
{
    const struct geo_ir_type *returned = callee->value.type->element;
    if (call->value.type == returned) {
        return true;
    }
    struct geo_ir_inst *made =
        geo_ir_inst_create(module, SpvOpFunctionCall, returned, call->operand_count, 0, 0);
    if (!made) {
        return false;
    }
    memcpy(made->operands, call->operands, call->operand_count * sizeof(*call->operands));
    geo_ir_inst_from(made, call);
    geo_ir_inst_insert_before(call, made);
    call->op = SpvOpBitcast;
    call->operand_count = 1;
    call->operands[0] = &made->value;
    return true;
}

/* Casts the pointer arguments and the result of a call to the types of its new callee. Returns
 * false when memory runs out. */
static bool call_fit(struct geo_ir_module *module, struct geo_ir_inst *call,
                     const struct geo_ir_function *callee)
{
    for (uint32_t i = 0; i < callee->parameter_count; i++) {
        const struct geo_ir_type *wanted = callee->parameters[i]->type;
        if (call->operands[1 + i]->type == wanted) {
            continue;
        }
        struct geo_ir_inst *cast = geo_ir_inst_create(module, SpvOpBitcast, wanted, 1, 0, 0);
        if (!cast) {
            return false;
        }
        cast->operands[0] = call->operands[1 + i];
        geo_ir_inst_from(cast, call);
        geo_ir_inst_insert_before(call, cast);
        call->operands[1 + i] = &cast->value;
    }
    return result_fit(module, call, callee);
}

static bool calls_fit(struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        geo_ir_function_resolve(function);
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                struct geo_ir_function *callee =
                    inst->op == SpvOpFunctionCall ? geo_ir_as_function(inst->operands[0]) : NULL;
                if (callee && !call_fit(module, inst, callee)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- addresses in constants ---- */

static void constants_resolve(struct geo_ir_module *module)
{
    for (size_t i = 0; i < module->constants.count; i++) {
        struct geo_ir_constant *constant = geo_ir_as_constant(module->constants.items[i]);
        if (!constant) {
            continue;
        }
        uint64_t count = constant->members ? constant->value.type->count : 0;
        for (uint64_t k = 0; k < count; k++) {
            if (constant->members[k]->forward) {
                constant->members[k] = constant->members[k]->forward;
            }
        }
        for (uint32_t k = 0; k < constant->operand_count; k++) {
            if (constant->operands[k]->forward) {
                constant->operands[k] = constant->operands[k]->forward;
            }
        }
    }
    for (size_t i = 0; i < module->variables.count; i++) {
        struct geo_ir_variable *variable = module->variables.items[i];
        if (variable->initializer && variable->initializer->forward) {
            variable->initializer = variable->initializer->forward;
        }
    }
}

/* ---- whole modules ---- */

ze_result_t geo_link_apply(struct geo_ir_module *module)
{
    constants_resolve(module);
    return calls_fit(module) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

static ze_result_t functions_link(struct geo_ir_module *module,
                                  const struct definitions *definitions, struct geo_strbuf *log)
{
    struct geo_ir_function *next;
    for (struct geo_ir_function *f = module->first_function; f; f = next) {
        next = f->next;
        bool import = !f->first_block && f->linkage_name;
        bool weak = f->first_block && f->linkage == GEO_LINKAGE_LINK_ONCE && !f->is_kernel;
        struct geo_ir_function *definition =
            import || weak ? geo_strmap_find(&definitions->functions, f->linkage_name) : NULL;
        if (!definition || definition == f) {
            continue;
        }
        if (!geo_link_signatures_fit(f->value.type, definition->value.type)) {
            return link_failure(log, "has another type where it is defined", f->linkage_name);
        }
        f->value.forward = &definition->value;
        geo_ir_function_remove(f);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t variables_link(struct geo_ir_module *module,
                                  const struct definitions *definitions, struct geo_strbuf *log)
{
    for (size_t i = 0; i < module->variables.count; i++) {
        struct geo_ir_variable *variable = module->variables.items[i];
        if (variable->linkage != GEO_LINKAGE_IMPORT || !variable->linkage_name) {
            continue;
        }
        struct geo_ir_variable *definition =
            geo_strmap_find(&definitions->variables, variable->linkage_name);
        if (!definition) {
            continue;
        }
        if (definition->value.type != variable->value.type) {
            return link_failure(log, "has another type where it is defined",
                                variable->linkage_name);
        }
        variable->value.forward = &definition->value;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_link_module(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct definitions definitions = {0};
    ze_result_t result = definitions_list(module, &definitions)
                             ? definitions_check(module, &definitions, log)
                             : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (result == ZE_RESULT_SUCCESS) {
        result = functions_link(module, &definitions, log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = variables_link(module, &definitions, log);
    }
    definitions_finish(&definitions);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    return geo_link_apply(module);
}
