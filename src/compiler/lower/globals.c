/* Variables at module scope: globals of LLVM, or places in local memory. */
#include "compiler/lower/frame.h"

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
    return LLVMConstNull(LLVMArrayType2(geo_lower_i8(f), type->size ? type->size : 1));
}

/* An initializer may hold the address of the variable itself or of later ones: the global is there,
 * as bytes, before its initializer is made. */
static LLVMValueRef global_create(struct geo_lower_function *f, size_t index)
{
    struct geo_lower *lower = f->lower;
    const struct geo_ir_variable *variable = lower->module->variables.items[index];
    const struct geo_ir_type *type = variable->value.type->element;
    char name[32];
    snprintf(name, sizeof(name), "geoid.var.%zu", index);
    LLVMTypeRef bytes = LLVMArrayType2(geo_lower_i8(f), type->size ? type->size : 1);
    LLVMValueRef first = LLVMAddGlobal(lower->llvm_module, bytes, "");
    lower->globals[index] = first;
    LLVMValueRef global = first;
    if (variable->linkage != GEO_LINKAGE_IMPORT) {
        LLVMValueRef initializer = global_initializer(f, variable);
        if (!initializer) {
            return NULL;
        }
        global = LLVMAddGlobal(lower->llvm_module, LLVMTypeOf(initializer), "");
        LLVMSetInitializer(global, initializer);
        LLVMReplaceAllUsesWith(first, global);
        LLVMDeleteGlobal(first);
        LLVMSetGlobalConstant(global, is_constant(variable));
    }
    bool named = variable->linkage != GEO_LINKAGE_INTERNAL && variable->linkage_name;
    const char *symbol = named ? variable->linkage_name : name;
    LLVMSetValueName2(global, symbol, strlen(symbol));
    LLVMSetLinkage(global, named ? LLVMExternalLinkage : LLVMInternalLinkage);
    if (named) {
        LLVMSetVisibility(global, LLVMHiddenVisibility);
    }
    uint32_t align = variable->value.align > type->align ? variable->value.align : type->align;
    LLVMSetAlignment(global, align > 16 ? align : 16);
    lower->globals[index] = global;
    return global;
}

LLVMValueRef geo_lower_address(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    struct geo_lower *lower = f->lower;
    if (value->kind != GEO_VALUE_VARIABLE) {
        geo_lower_error(f, NULL,
                        "error: address of function %%%u: function pointers are not "
                        "supported yet",
                        value->id);
        return LLVMGetPoison(geo_lower_ptr(f));
    }
    const struct geo_ir_variable *variable = (const struct geo_ir_variable *)value;
    size_t index = lower->variable_indices[value->index];
    switch (value->type->storage) {
    case SpvStorageClassWorkgroup:
        return geo_lower_offset(f, f->frame->scratch, lower->local_offsets[index]);
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassUniformConstant:
        break;
    default:
        geo_lower_error(f, NULL, "error: variable %%%u: storage class %u is not supported",
                        value->id, value->type->storage);
        return LLVMGetPoison(geo_lower_ptr(f));
    }
    LLVMValueRef global = lower->globals[index];
    if (!global) {
        global = global_create(f, index);
    }
    if (!global) {
        geo_lower_error(f, NULL, "error: variable %%%u (%s): its initializer is not supported",
                        value->id, variable->value.name ? variable->value.name : "unnamed");
        return LLVMGetPoison(geo_lower_ptr(f));
    }
    return global;
}
