/* Runs the passes in order, and validates the model after each. See transform.h. */
#include "compiler/transform/pass/pass.h"

#include "compiler/builtins/builtins.h"
#include "compiler/validate/validate.h"

#define MAX_SPLIT_ROUNDS 4 /* bound on the nesting of pointers to variables in variables */

/* The sequence of passes on one module. After a failure, the remaining passes are skipped. */
struct pipeline {
    struct geo_ir_module *module;
    struct geo_strbuf *log;
    bool optimize;
    ze_result_t result;
};

/* Records the result of a pass, and validates the model if it succeeded. Returns false if the
 * pipeline must end. */
static bool passed(struct pipeline *p, const char *name, ze_result_t result)
{
    p->result = result == ZE_RESULT_SUCCESS ? geo_validate(p->module, name, p->log) : result;
    return p->result == ZE_RESULT_SUCCESS;
}

static uint32_t variable_count(const struct geo_ir_module *module)
{
    uint32_t count = 0;
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                count += inst->op == SpvOpVariable;
            }
        }
    }
    return count;
}

/* Turns variables into values. A variable whose address is stored in another variable can be
 * analysed only when that one has become a value. So the passes repeat while variables
 * disappear. */
static bool variables_to_values(struct pipeline *p)
{
    uint32_t before = variable_count(p->module), after = before;
    for (int round = 0; round < MAX_SPLIT_ROUNDS && after > 0; round++) {
        if (!passed(p, "sroa", geo_transform_sroa(p->module, p->log)) ||
            !passed(p, "mem2reg", geo_transform_mem2reg(p->module, p->log)) ||
            !passed(p, "simplify", geo_transform_simplify(p->module, p->optimize, p->log))) {
            return false;
        }
        after = variable_count(p->module);
        if (after == before) {
            break;
        }
        before = after;
    }
    return true;
}

static bool limits_check(struct pipeline *p)
{
    uint64_t total = 0;
    geo_ir_for_each_function(function, p->module) {
        uint32_t count = geo_pass_instruction_count(function);
        char label[256];
        total += count;
        if (count > GEO_LIMIT_FUNCTION_INSTRUCTIONS || total > GEO_LIMIT_MODULE_INSTRUCTIONS) {
            geo_strbuf_printf(p->log, "error: %s is too large: %u instructions\n",
                              geo_pass_function_label(function, label, sizeof(label)), count);
            p->result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
            return false;
        }
    }
    return true;
}

/* Sets the owner of local variables that only one function uses. */
static bool owners_find(struct pipeline *p)
{
    struct geo_pass pass;
    if (!geo_pass_begin(&pass, p->module, p->log)) {
        p->result = geo_pass_end(&pass);
        return false;
    }
    bool *shared = geo_arena_new_array(&pass.arena, bool, p->module->next_index);
    if (!shared) {
        geo_pass_no_memory(&pass);
    }
    for (size_t i = 0; shared && i < p->module->variables.count; i++) {
        p->module->variables.items[i]->owner = NULL;
    }
    geo_ir_for_each_function(function, p->module) {
        geo_ir_for_each_block(block, function) {
            for (const struct geo_ir_inst *inst = block->first; shared && inst; inst = inst->next) {
                for (uint32_t i = 0; i < inst->operand_count; i++) {
                    struct geo_ir_variable *variable = geo_ir_as_variable(inst->operands[i]);
                    if (!variable) {
                        continue;
                    }
                    shared[variable->value.index] |= variable->owner && variable->owner != function;
                    variable->owner = function;
                }
            }
        }
    }
    for (size_t i = 0; shared && i < p->module->variables.count; i++) {
        struct geo_ir_variable *variable = p->module->variables.items[i];
        if (shared[variable->value.index] ||
            variable->value.type->storage != SpvStorageClassWorkgroup) {
            variable->owner = NULL;
        }
    }
    p->result = geo_pass_end(&pass);
    return p->result == ZE_RESULT_SUCCESS;
}

ze_result_t geo_transform_canonicalize_calls(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct pipeline p = {.module = module, .log = log};
    (void)(passed(&p, "linking", ZE_RESULT_SUCCESS) &&
           passed(&p, "odd integers", geo_transform_odd_integers(module, log)) &&
           passed(&p, "forms", geo_transform_forms(module, log)) &&
           passed(&p, "matrices", geo_transform_matrices(module, log)) &&
           passed(&p, "bfloat16", geo_transform_bfloat(module)) &&
           passed(&p, "reachability", geo_transform_reachability(module, log)) &&
           passed(&p, "float modes", geo_transform_float_modes_spread(module, log)) &&
           passed(&p, "fast maths", geo_transform_fast_math(module, log)) && limits_check(&p) &&
           passed(&p, "built-ins", geo_builtins_resolve(module, log)));
    return p.result;
}

ze_result_t geo_transform_canonicalize_code(struct geo_ir_module *module, bool optimize,
                                            struct geo_strbuf *log)
{
    struct pipeline p = {.module = module, .log = log, .optimize = optimize};
    (void)(passed(&p, "float modes", geo_transform_float_modes(module)) &&
           passed(&p, "built-in variables", geo_transform_resolve_builtin_variables(module, log)) &&
           passed(&p, "group forms", geo_transform_group_forms(module, log)) &&
           passed(&p, "collectives", geo_transform_collectives(module, log)) && limits_check(&p) &&
           passed(&p, "inlining", geo_transform_inline(module, optimize, log)) &&
           variables_to_values(&p) &&
           passed(&p, "simplify", geo_transform_simplify(module, optimize, log)) &&
           passed(&p, "contraction", geo_transform_contract(module, log)) &&
           passed(&p, "large values", geo_transform_large_values(module, log)) &&
           passed(&p, "loops", geo_transform_loops(module, log)) &&
           (!optimize || passed(&p, "repeated loops", geo_transform_repeated_loops(module, log))) &&
           passed(&p, "addresses", geo_transform_sink(module)) &&
           passed(&p, "barriers", geo_transform_barriers(module)) && owners_find(&p));
    return p.result;
}

ze_result_t geo_transform_canonicalize(struct geo_ir_module *module, bool optimize,
                                       struct geo_strbuf *log)
{
    ze_result_t result = geo_transform_canonicalize_calls(module, log);
    return result == ZE_RESULT_SUCCESS ? geo_transform_canonicalize_code(module, optimize, log)
                                       : result;
}
