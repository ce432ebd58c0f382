/* Resolves every built-in function of a module. See builtins.h.
 *
 * Library functions are appended to the module during the walk, so the built-ins that they use are
 * resolved as well. */
#include "compiler/builtins/builtins.h"

#include "compiler/builtins/async_copy.h"
#include "compiler/builtins/block2d.h"
#include "compiler/builtins/expand.h"
#include "compiler/builtins/functions.h"
#include "compiler/builtins/image_blocks.h"
#include "compiler/builtins/images.h"
#include "compiler/builtins/imports.h"
#include "compiler/builtins/imports_ray.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the name of the import that an instruction calls, or NULL. */
static const char *import_name(const struct geo_ir_inst *inst)
{
    struct geo_ir_function *callee = geo_ir_as_function(inst->operands[0]);
    return callee && !callee->first_block ? callee->linkage_name : NULL;
}

#define OWNER "libclc_"

/* Converts "_Z<length>libclc_<name>..." to the name in libclc, and returns other names unchanged.
 * Our library uses this form to call libclc's function where it has one of the same name itself. */
static const char *libclc_name(const char *name, char *out, size_t size)
{
    char *rest;
    if (strncmp(name, "_Z", 2) != 0) {
        return name;
    }
    unsigned long length = strtoul(name + 2, &rest, 10);
    if (length <= strlen(OWNER) || strncmp(rest, OWNER, strlen(OWNER)) != 0) {
        return name;
    }
    snprintf(out, size, "_Z%lu%s", length - strlen(OWNER), rest + strlen(OWNER));
    return out;
}

/* Converts a call's pointers to the types of the function's parameters, because producers differ in
 * them. Returns false if the call differs in more. */
static bool arguments_fit(struct geo_writer *writer, struct geo_ir_inst *call,
                          const struct geo_ir_function *function)
{
    if (call->operand_count - 1 != function->parameter_count ||
        call->value.type != function->value.type->element) {
        return false;
    }
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct geo_ir_type *wanted = function->parameters[i]->type;
        struct geo_ir_value *argument = call->operands[i + 1];
        if (argument->type == wanted) {
            continue;
        }
        if (argument->type->kind != GEO_TYPE_POINTER || wanted->kind != GEO_TYPE_POINTER ||
            argument->type->storage != wanted->storage) {
            return false;
        }
        call->operands[i + 1] = geo_write_1(writer, SpvOpBitcast, wanted, argument);
        if (!call->operands[i + 1]) {
            return false;
        }
    }
    return true;
}

/* Redirects a call of an import to the library's function of exactly this name, such as a helper of
 * libclc. */
static bool callee_link(struct geo_builtins_functions *functions, struct geo_writer *writer,
                        struct geo_ir_inst *call, const char *name)
{
    char own[96];
    struct geo_ir_function *found = geo_builtins_function(
        functions, libclc_name(name, own, sizeof(own)), &writer->out_of_memory);
    if (!found || !arguments_fit(writer, call, found)) {
        return false;
    }
    call->operands[0] = &found->value;
    return true;
}

static ze_result_t inst_resolve(struct geo_builtins_functions *functions, struct geo_ir_inst *inst,
                                bool *changed)
{
    struct geo_writer writer = {.module = functions->module, .before = inst};
    bool replaced = false;
    if (inst->op == SpvOpFunctionCall) {
        const char *name = import_name(inst);
        replaced = name && (geo_builtins_imports(&writer, inst, name) ||
                            geo_builtins_imports_ray(functions, &writer, inst, name) ||
                            callee_link(functions, &writer, inst, name));
    } else if (inst->op == SpvOpExtInst) {
        replaced = geo_builtins_expand(functions, &writer, inst);
    } else {
        replaced = geo_builtins_async_copy(functions, &writer, inst) ||
                   geo_builtins_image(functions, &writer, inst) ||
                   geo_builtins_image_block(functions, &writer, inst) ||
                   geo_builtins_block2d(functions, &writer, inst);
    }
    *changed |= replaced;
    return writer.out_of_memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
}

/* The order of resolution. Imports come first, because they may become instructions that are
 * library functions. */
enum stage { STAGE_CALLS, STAGE_EXTENDED, STAGE_OTHERS, STAGE_COUNT };

static enum stage stage_of(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpFunctionCall ? STAGE_CALLS
           : inst->op == SpvOpExtInst    ? STAGE_EXTENDED
                                         : STAGE_OTHERS;
}

static ze_result_t function_resolve(struct geo_builtins_functions *functions,
                                    struct geo_ir_function *function)
{
    bool changed = false;
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++) {
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                if (stage_of(inst) != stage) {
                    continue;
                }
                ze_result_t result = inst_resolve(functions, inst, &changed);
                if (result != ZE_RESULT_SUCCESS) {
                    return result;
                }
            }
        }
    }
    if (changed) {
        geo_ir_function_resolve(function);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_builtins_resolve(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_builtins_functions functions = {.module = module, .log = log};
    ze_result_t result = ZE_RESULT_SUCCESS;
    geo_ir_for_each_function(function, module) {
        result = function_resolve(&functions, function);
        if (result != ZE_RESULT_SUCCESS) {
            break;
        }
    }
    geo_builtins_functions_finish(&functions);
    return result;
}
