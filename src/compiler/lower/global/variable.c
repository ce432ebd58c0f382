/* Declares variables at module scope as LLVM globals when their address is first requested.
 * The machine gives addresses of local memory and functions. initializer.c defines the
 * globals. */
#include "compiler/lower/global/variable.h"

#include "base/assert.h"
#include "compiler/link/symbol.h"
#include "compiler/lower/emit/type.h"

static LLVMValueRef global_add(struct geo_lower *lower, const struct geo_ir_variable *variable,
                               LLVMTypeRef bytes, const char *name)
{
    unsigned space = lower->machine->address_space(variable->value.type->storage);
    return LLVMAddGlobalInAddressSpace(lower->llvm_module, bytes, name, space);
}

/* Declares a variable that another module defines. Its address is found through a table of
 * addresses when the code is loaded. A constant whose value is known is also defined, so that LLVM
 * can fold loads of it (initializer.c). */
static LLVMValueRef external_create(struct geo_lower *lower, size_t index, LLVMTypeRef bytes)
{
    const struct geo_ir_variable *variable = lower->module->variables.items[index];
    char symbol[300];
    geo_symbol_external(variable, symbol, sizeof(symbol));
    if (variable->is_constant && variable->initializer) {
        lower->declared[lower->declared_count++] = index;
    }
    return global_add(lower, variable, bytes, symbol);
}

/* Declares a variable as an array of bytes, until it is defined (initializer.c). */
static LLVMValueRef variable_declare(struct geo_lower *lower, size_t index)
{
    const struct geo_ir_variable *variable = lower->module->variables.items[index];
    const struct geo_ir_type *type = variable->value.type->element;
    LLVMTypeRef bytes =
        LLVMArrayType2(LLVMInt8TypeInContext(lower->context), type->size ? type->size : 1);
    GEO_ASSERT(!lower->globals[index] && lower->declared_count < lower->module->variables.count);
    if (variable->linkage == GEO_LINKAGE_EXTERNAL) {
        return lower->globals[index] = external_create(lower, index, bytes);
    }
    lower->declared[lower->declared_count++] = index;
    return lower->globals[index] = global_add(lower, variable, bytes, "");
}

/* Requests the exported variables and those that exported functions use, because other modules or
 * the host may use them. */
bool geo_global_shared_variables(struct geo_lower *lower)
{
    struct geo_arena arena;
    struct geo_lower_function f;
    geo_state_module_scope(&f, lower, &arena);
    for (size_t i = 0; i < lower->module->variables.count && !f.failed; i++) {
        const struct geo_ir_variable *variable = lower->module->variables.items[i];
        SpvStorageClass storage = variable->value.type->storage;
        bool global =
            storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassUniformConstant;
        bool wanted = variable->shared || variable->linkage == GEO_LINKAGE_EXPORT ||
                      variable->linkage == GEO_LINKAGE_LINK_ONCE;
        if (global && wanted && variable->builtin < 0) {
            geo_global_variable_address(&f, &variable->value);
        }
    }
    geo_state_module_scope_finish(&f);
    return !f.failed;
}

LLVMValueRef geo_global_variable_address(struct geo_lower_function *f,
                                         const struct geo_ir_value *value)
{
    struct geo_lower *lower = f->lower;
    LLVMValueRef address;
    if (value->kind == GEO_VALUE_FUNCTION) {
        return lower->machine->function_address(f, (const struct geo_ir_function *)value);
    }
    size_t index = lower->variable_indices[value->index];
    GEO_ASSERT(value->kind == GEO_VALUE_VARIABLE &&
               &lower->module->variables.items[index]->value == value);
    switch (value->type->storage) {
    case SpvStorageClassWorkgroup:
        address = lower->machine->local_variable(f, index);
        if (!address) {
            geo_state_error(f, NULL, "error: variable %%%u: local memory has no constant address",
                            value->id);
            return LLVMGetPoison(geo_type_of(f, value->type));
        }
        return address;
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassUniformConstant:
        break;
    default:
        geo_state_error(f, NULL, "error: variable %%%u: storage class %u is not supported",
                        value->id, value->type->storage);
        return LLVMGetPoison(geo_type_of(f, value->type));
    }
    return lower->globals[index] ? lower->globals[index] : variable_declare(lower, index);
}
