/* Removes functions that neither kernels nor exports reach, and unreachable blocks in the others.
 *
 * Producers may include everything they have; unreached functions are neither checked further nor
 * compiled. A function is reached by a call, by its address in an operand, or by its address in an
 * initialiser. Twins of kernels (geo_ir_is_kernel_twin) do not count as exports. */
#include "compiler/transform/pass/pass.h"

/* The walk over everything that kernels and exports refer to. */
struct walk {
    struct geo_pass *pass;
    bool *seen; /* by module value index */
    struct geo_ir_value **stack;
    size_t depth;
};

static void walk_add(struct walk *walk, struct geo_ir_value *value)
{
    if (value && !geo_uses_is_local(value) && !walk->seen[value->index]) {
        walk->seen[value->index] = true;
        walk->stack[walk->depth++] = value;
    }
}

static void walk_function(struct walk *walk, struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                walk_add(walk, inst->operands[i]);
            }
        }
    }
}

static void walk_constant(struct walk *walk, const struct geo_ir_constant *constant)
{
    for (uint64_t i = 0; constant->members && i < constant->value.type->count; i++) {
        walk_add(walk, constant->members[i]);
    }
    for (uint32_t i = 0; i < constant->operand_count; i++) {
        walk_add(walk, constant->operands[i]);
    }
}

static bool is_root(const struct geo_ir_function *function)
{
    return function->is_kernel || (function->linkage == GEO_LINKAGE_EXPORT &&
                                   !geo_ir_is_kernel_twin(function->linkage_name));
}

static bool walk_run(struct walk *walk)
{
    struct geo_ir_module *module = walk->pass->module;
    walk->seen = geo_arena_new_array(&walk->pass->arena, bool, module->next_index);
    walk->stack =
        geo_arena_new_array(&walk->pass->arena, struct geo_ir_value *, module->next_index);
    if (!walk->seen || !walk->stack) {
        return geo_pass_no_memory(walk->pass);
    }
    geo_ir_for_each_function(function, module) {
        if (is_root(function)) {
            walk_add(walk, &function->value);
        }
    }
    /* Other modules may read exported variables, and call the functions that these point to. */
    for (size_t i = 0; i < module->variables.count; i++) {
        if (module->variables.items[i]->linkage == GEO_LINKAGE_EXPORT) {
            walk_add(walk, &module->variables.items[i]->value);
        }
    }
    while (walk->depth > 0) {
        struct geo_ir_value *value = walk->stack[--walk->depth];
        if (value->kind == GEO_VALUE_FUNCTION) {
            struct geo_ir_function *function = geo_ir_as_function(value);
            if (!geo_remove_unreachable(walk->pass, function)) {
                return false;
            }
            walk_function(walk, function);
        } else if (value->kind == GEO_VALUE_VARIABLE) {
            walk_add(walk, geo_ir_as_variable(value)->initializer);
        } else if (value->kind == GEO_VALUE_CONSTANT) {
            walk_constant(walk, geo_ir_as_constant(value));
        }
    }
    return true;
}

static void functions_keep(struct geo_ir_module *module, const bool *seen)
{
    struct geo_ir_function *kept = NULL, *next;
    struct geo_ir_function *function = module->first_function;
    module->first_function = module->last_function = NULL;
    for (; function; function = next) {
        next = function->next;
        function->prev = function->next = NULL;
        if (!seen[function->value.index]) {
            continue;
        }
        function->prev = kept;
        if (kept) {
            kept->next = function;
        } else {
            module->first_function = function;
        }
        module->last_function = kept = function;
    }
}

ze_result_t geo_transform_reachability(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    struct walk walk = {.pass = &pass};
    if (geo_pass_begin(&pass, module, log) && walk_run(&walk)) {
        functions_keep(module, walk.seen);
    }
    return geo_pass_end(&pass);
}
