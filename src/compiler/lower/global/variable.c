/* Variables at module scope: globals of LLVM, or places in local memory. */
#include "compiler/lower/global/variable.h"

#include "compiler/link/symbol.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/global/constant.h"
#include "compiler/lower/global/descriptor.h"

#include <stdio.h>
#include <string.h>

static bool is_constant(const struct geo_ir_variable *variable)
{
    return variable->is_constant || variable->value.type->storage == SpvStorageClassUniformConstant;
}

static LLVMValueRef global_initializer(struct geo_lower_function *f,
                                       const struct geo_ir_variable *variable)
{
    const struct geo_ir_type *type = variable->value.type->element;
    if (variable->initializer && variable->initializer->kind != GEO_VALUE_UNDEF) {
        return geo_lower_constant_memory(f, variable->initializer);
    }
    return LLVMConstNull(LLVMArrayType2(geo_emit_i8(f), type->size ? type->size : 1));
}

/* Held by the loaded code of another module: found through the table of addresses. */
static LLVMValueRef external_create(struct geo_lower *lower, const struct geo_ir_variable *variable,
                                    LLVMTypeRef bytes)
{
    char symbol[300];
    geo_symbol_external(variable, symbol, sizeof(symbol));
    return LLVMAddGlobal(lower->llvm_module, bytes, symbol);
}

static bool is_named(const struct geo_ir_variable *variable)
{
    return variable->shared ||
           (variable->linkage != GEO_LINKAGE_INTERNAL && variable->linkage_name);
}

/* Internal names are the variable's place; others know the rest by name. */
static bool name_set(struct geo_lower *lower, size_t index, LLVMValueRef global)
{
    const struct geo_ir_variable *variable = lower->module->variables.items[index];
    char name[32];
    const char *symbol = name;
    snprintf(name, sizeof(name), "geoid.var.%zu", index);
    if (is_named(variable)) {
        symbol = geo_symbol_shared(lower->module, variable);
        LLVMSetVisibility(global, LLVMHiddenVisibility);
    } else {
        LLVMSetLinkage(global, LLVMInternalLinkage);
    }
    if (symbol) {
        LLVMSetValueName2(global, symbol, strlen(symbol));
    }
    return symbol != NULL;
}

/* An initializer may hold the address of the variable itself or of later ones: the global is there,
 * as bytes, before its initializer is made. */
static LLVMValueRef global_create(struct geo_lower_function *f, size_t index)
{
    struct geo_lower *lower = f->lower;
    const struct geo_ir_variable *variable = lower->module->variables.items[index];
    const struct geo_ir_type *type = variable->value.type->element;
    LLVMTypeRef bytes = LLVMArrayType2(geo_emit_i8(f), type->size ? type->size : 1);
    if (variable->linkage == GEO_LINKAGE_EXTERNAL) {
        return lower->globals[index] = external_create(lower, variable, bytes);
    }
    LLVMValueRef first = LLVMAddGlobal(lower->llvm_module, bytes, "");
    lower->globals[index] = first;
    LLVMValueRef initializer = global_initializer(f, variable);
    if (!initializer) {
        return NULL;
    }
    LLVMValueRef global = LLVMAddGlobal(lower->llvm_module, LLVMTypeOf(initializer), "");
    LLVMSetInitializer(global, initializer);
    LLVMReplaceAllUsesWith(first, global);
    LLVMDeleteGlobal(first);
    LLVMSetGlobalConstant(global, is_constant(variable));
    if (!name_set(lower, index, global)) {
        geo_lower_no_memory(f);
    }
    uint32_t align = variable->value.align > type->align ? variable->value.align : type->align;
    LLVMSetAlignment(global, align > 16 ? align : 16);
    lower->globals[index] = global;
    return global;
}

/* Exported variables, and those that exported functions use, are there for other modules and the
 * host, whether or not a kernel uses them. */
bool geo_lower_shared_variables(struct geo_lower *lower)
{
    struct geo_arena arena;
    struct geo_lower_function f;
    geo_lower_module_scope(&f, lower, &arena);
    for (size_t i = 0; i < lower->module->variables.count && !f.failed; i++) {
        const struct geo_ir_variable *variable = lower->module->variables.items[i];
        SpvStorageClass storage = variable->value.type->storage;
        bool global =
            storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassUniformConstant;
        bool wanted = variable->shared || variable->linkage == GEO_LINKAGE_EXPORT ||
                      variable->linkage == GEO_LINKAGE_LINK_ONCE;
        if (global && wanted && variable->builtin < 0) {
            geo_lower_address(&f, &variable->value);
        }
    }
    geo_lower_module_scope_finish(&f);
    return !f.failed;
}

LLVMValueRef geo_lower_address(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    struct geo_lower *lower = f->lower;
    if (value->kind == GEO_VALUE_FUNCTION) {
        return geo_lower_function_address(f, (const struct geo_ir_function *)value);
    }
    const struct geo_ir_variable *variable = (const struct geo_ir_variable *)value;
    size_t index = lower->variable_indices[value->index];
    switch (value->type->storage) {
    case SpvStorageClassWorkgroup:
        if (!f->frame) {
            geo_lower_error(f, NULL, "error: variable %%%u: local memory has no constant address",
                            value->id);
            return LLVMGetPoison(geo_emit_ptr(f));
        }
        return geo_emit_offset_const(f, f->scratch, lower->local_offsets[index]);
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassUniformConstant:
        break;
    default:
        geo_lower_error(f, NULL, "error: variable %%%u: storage class %u is not supported",
                        value->id, value->type->storage);
        return LLVMGetPoison(geo_emit_ptr(f));
    }
    LLVMValueRef global = lower->globals[index];
    if (!global) {
        global = global_create(f, index);
    }
    if (!global) {
        geo_lower_error(f, NULL, "error: variable %%%u (%s): its initializer is not supported",
                        value->id, variable->value.name ? variable->value.name : "unnamed");
        return LLVMGetPoison(geo_emit_ptr(f));
    }
    return global;
}
