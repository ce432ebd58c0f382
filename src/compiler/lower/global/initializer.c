/* Builds the initial values of variables: whole constants in memory form; see initializer.h.
 *
 * An initial value may contain the address of the variable itself or of other variables, which are
 * then declared and defined later. A constant that occurs several times in one initial value is
 * built once, because shared constants could double at each level. The results are not reused for
 * other variables, because an address changes when its variable is defined. */
#include "compiler/lower/global/initializer.h"

#include "base/assert.h"
#include "base/ptrmap.h"
#include "compiler/link/symbol.h"
#include "compiler/lower/emit/type.h"
#include "compiler/lower/global/constant.h"
#include "compiler/lower/state/parts.h"

#include <stdio.h>
#include <string.h>

#define DEPTH_LIMIT 64u
/* Largest size in bytes of all variables of a module. ZERO_LIMIT is for variables that start as
 * zeros, which take no space in the object file. DATA_LIMIT is for all others. */
#define ZERO_LIMIT (UINT64_C(1) << 30)
#define DATA_LIMIT (UINT64_C(1) << 26)

/* ---- memory form ---- */

/* Folds an expression. It is built in a temporary function, in which all instructions must have
 * been folded away. */
static LLVMValueRef fold(struct geo_lower_function *f, const struct geo_ir_value *value,
                         uint32_t part)
{
    LLVMBasicBlockRef saved = LLVMGetInsertBlock(f->llvm.builder);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->llvm.context), NULL, 0, false);
    LLVMValueRef function = LLVMAddFunction(f->llvm.module, "geo.fold", type);
    LLVMPositionBuilderAtEnd(f->llvm.builder,
                             LLVMAppendBasicBlockInContext(f->llvm.context, function, "entry"));
    LLVMValueRef result = geo_global_constant(f, value, part);
    if (!LLVMIsConstant(result)) {
        geo_global_constant_error(f, value, "not a constant that a variable can start with");
        result = LLVMConstNull(LLVMTypeOf(result));
    }
    if (saved) {
        LLVMPositionBuilderAtEnd(f->llvm.builder, saved);
    } else {
        LLVMClearInsertionPosition(f->llvm.builder);
    }
    LLVMDeleteFunction(function);
    return result;
}

static LLVMValueRef zero_bytes(struct geo_lower_function *f, uint64_t bytes)
{
    return LLVMConstNull(LLVMArrayType2(LLVMInt8TypeInContext(f->llvm.context), bytes));
}

static bool has_expression(const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_CONSTANT &&
           ((const struct geo_ir_constant *)value)->op != SpvOpNop;
}

static LLVMValueRef memory_part(struct geo_lower_function *f, const struct geo_ir_value *value,
                                uint32_t part, const struct geo_ir_type *type)
{
    LLVMValueRef constant =
        has_expression(value) ? fold(f, value, part) : geo_global_constant(f, value, part);
    if (type->kind == GEO_TYPE_BOOL) {
        uint64_t bit = LLVMIsAConstantInt(constant) ? LLVMConstIntGetZExtValue(constant) : 0;
        return LLVMConstInt(LLVMInt8TypeInContext(f->llvm.context), bit, false);
    }
    return constant;
}

/* Returns a packed struct of exactly `bytes` bytes, with the members at their offsets and zeros
 * between them. */
static LLVMValueRef memory_packed(struct geo_lower_function *f, LLVMValueRef *members,
                                  const uint64_t *offsets, const uint64_t *sizes, uint32_t count,
                                  uint64_t bytes)
{
    LLVMValueRef *fields = geo_arena_new_array(f->arena, LLVMValueRef, 2 * (size_t)count + 1);
    if (!fields) {
        f->failed = f->no_memory = true;
        return zero_bytes(f, bytes);
    }
    uint32_t used = 0;
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        GEO_ASSERT(offsets[i] >= at && offsets[i] + sizes[i] <= bytes);
        if (offsets[i] > at) {
            fields[used++] = zero_bytes(f, offsets[i] - at);
        }
        fields[used++] = members[i];
        at = offsets[i] + sizes[i];
    }
    if (bytes > at) {
        fields[used++] = zero_bytes(f, bytes - at);
    }
    GEO_ASSERT(used <= 2 * (size_t)count + 1);
    return LLVMConstStructInContext(f->llvm.context, fields, used, true);
}

/* The construction of one initial value. */
struct making {
    struct geo_lower_function *f;
    struct geo_ptrmap forms; /* memory forms of composite constants */
    uint32_t depth;
};

static LLVMValueRef memory_form(struct making *making, const struct geo_ir_value *value);

/* Returns the memory form of a composite whose members are constants. */
static LLVMValueRef memory_members(struct making *making, const struct geo_ir_constant *constant)
{
    struct geo_lower_function *f = making->f;
    const struct geo_ir_type *type = constant->value.type;
    uint32_t count = (uint32_t)type->count;
    LLVMValueRef *members = geo_arena_new_array(f->arena, LLVMValueRef, count ? count : 1);
    uint64_t *offsets = geo_arena_new_array(f->arena, uint64_t, count ? count : 1);
    uint64_t *sizes = geo_arena_new_array(f->arena, uint64_t, count ? count : 1);
    if (!members || !offsets || !sizes) {
        f->failed = f->no_memory = true;
        return zero_bytes(f, type->size);
    }
    bool same = type->kind != GEO_TYPE_STRUCT;
    making->depth++;
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_type *member = same ? type->element : type->members[i];
        members[i] = memory_form(making, constant->members[i]);
        offsets[i] = same ? i * member->size : type->offsets[i];
        sizes[i] = member->size;
    }
    making->depth--;
    for (uint32_t i = 1; same && i < count; i++) {
        same = LLVMTypeOf(members[i]) == LLVMTypeOf(members[0]);
    }
    if (same && count && type->size == type->element->size * count) {
        return LLVMConstArray2(LLVMTypeOf(members[0]), members, count);
    }
    return memory_packed(f, members, offsets, sizes, count, type->size);
}

/* Returns the memory form of an expression of composite type, part by part. */
static LLVMValueRef memory_parts(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    uint32_t count = 0;
    const struct geo_part_place *places = geo_part_places(f, NULL, value->type, &count);
    LLVMValueRef *members = geo_arena_new_array(f->arena, LLVMValueRef, count ? count : 1);
    uint64_t *offsets = geo_arena_new_array(f->arena, uint64_t, count ? count : 1);
    uint64_t *sizes = geo_arena_new_array(f->arena, uint64_t, count ? count : 1);
    if (!places || !members || !offsets || !sizes) {
        f->failed = true;
        return zero_bytes(f, value->type->size);
    }
    for (uint32_t i = 0; i < count; i++) {
        members[i] = memory_part(f, value, i, places[i].type);
        offsets[i] = places[i].offset;
        sizes[i] = places[i].type->size;
    }
    return memory_packed(f, members, offsets, sizes, count, value->type->size);
}

static LLVMValueRef memory_form(struct making *making, const struct geo_ir_value *value)
{
    struct geo_lower_function *f = making->f;
    const struct geo_ir_type *type = value->type;
    const struct geo_ir_constant *constant =
        value->kind == GEO_VALUE_CONSTANT ? (const struct geo_ir_constant *)value : NULL;
    if (making->depth > DEPTH_LIMIT) {
        geo_global_constant_error(f, value, "nested too deeply");
        return zero_bytes(f, type->size);
    }
    if (value->kind == GEO_VALUE_UNDEF || (constant && constant->is_null)) {
        return zero_bytes(f, type->size);
    }
    bool composite = type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ||
                     type->kind == GEO_TYPE_STRUCT;
    if (!composite) {
        return memory_part(f, value, 0, type);
    }
    LLVMValueRef form = geo_ptrmap_find(&making->forms, value);
    if (form) {
        return form;
    }
    form =
        constant && constant->members ? memory_members(making, constant) : memory_parts(f, value);
    if (!geo_ptrmap_set(&making->forms, value, form)) {
        f->failed = f->no_memory = true;
    }
    return form;
}

LLVMValueRef geo_global_initializer_constant(struct geo_lower_function *f,
                                             const struct geo_ir_value *value)
{
    struct making making = {.f = f};
    LLVMValueRef form = memory_form(&making, value);
    geo_ptrmap_finish(&making.forms);
    return form;
}

/* ---- variables ---- */

static bool starts_as_zeros(const struct geo_ir_variable *variable)
{
    const struct geo_ir_value *initializer = variable->initializer;
    return !initializer || initializer->kind == GEO_VALUE_UNDEF ||
           (initializer->kind == GEO_VALUE_CONSTANT &&
            ((const struct geo_ir_constant *)initializer)->is_null);
}

/* Checks the size of a variable before LLVM sees it, because LLVM fails on huge ones. */
static bool size_check(struct geo_lower_function *f, const struct geo_ir_variable *variable)
{
    bool data = variable->is_constant || !starts_as_zeros(variable);
    uint64_t *total = data ? &f->lower->data_bytes : &f->lower->zero_bytes;
    uint64_t limit = data ? DATA_LIMIT : ZERO_LIMIT, size = variable->value.type->element->size;
    char label[256];
    GEO_ASSERT(*total <= limit);
    if (size > limit - *total) {
        geo_state_error(
            f, NULL, "error: variable %s has %llu bytes: the %s of a module may have %llu in all",
            geo_state_label(&variable->value, label, sizeof(label)), (unsigned long long)size,
            data ? "initialised variables" : "variables", (unsigned long long)limit);
        return false;
    }
    *total += size;
    return true;
}

static LLVMValueRef global_initializer(struct geo_lower_function *f,
                                       const struct geo_ir_variable *variable)
{
    const struct geo_ir_type *type = variable->value.type->element;
    if (variable->initializer && variable->initializer->kind != GEO_VALUE_UNDEF) {
        return geo_global_initializer_constant(f, variable->initializer);
    }
    return LLVMConstNull(LLVMArrayType2(geo_type_i8(f), type->size ? type->size : 1));
}

static bool is_named(const struct geo_ir_variable *variable)
{
    return variable->shared ||
           (variable->linkage != GEO_LINKAGE_INTERNAL && variable->linkage_name);
}

/* Names a variable. Internal variables are named by their index; other modules refer to named
 * variables by these symbols. The definition of an external variable is only for LLVM's passes: the
 * object has an undefined symbol. */
static bool name_set(struct geo_lower *lower, size_t index, LLVMValueRef global)
{
    const struct geo_ir_variable *variable = lower->module->variables.items[index];
    char name[32], external[300];
    const char *symbol = name;
    snprintf(name, sizeof(name), "geoid.var.%zu", index);
    if (variable->linkage == GEO_LINKAGE_EXTERNAL) {
        geo_symbol_external(variable, external, sizeof(external));
        symbol = external;
        LLVMSetLinkage(global, LLVMAvailableExternallyLinkage);
    } else if (is_named(variable)) {
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

static bool variable_define(struct geo_lower_function *f, size_t index)
{
    struct geo_lower *lower = f->lower;
    const struct geo_ir_variable *variable = lower->module->variables.items[index];
    const struct geo_ir_type *type = variable->value.type->element;
    GEO_ASSERT(index < lower->module->variables.count && lower->globals[index]);
    if (!size_check(f, variable)) {
        return false;
    }
    LLVMValueRef initializer = global_initializer(f, variable), declared = lower->globals[index];
    if (f->failed) {
        return false;
    }
    LLVMValueRef global =
        LLVMAddGlobalInAddressSpace(lower->llvm_module, LLVMTypeOf(initializer), "",
                                    LLVMGetPointerAddressSpace(LLVMTypeOf(declared)));
    LLVMSetInitializer(global, initializer);
    LLVMReplaceAllUsesWith(declared, global);
    LLVMDeleteGlobal(declared);
    LLVMSetGlobalConstant(global, variable->is_constant);
    if (!name_set(lower, index, global)) {
        geo_state_no_memory(f);
    }
    uint32_t align = variable->value.align > type->align ? variable->value.align : type->align;
    LLVMSetAlignment(global, align > 16 ? align : 16);
    lower->globals[index] = global;
    return !f->failed;
}

bool geo_global_initializer_define(struct geo_lower *lower)
{
    struct geo_arena arena;
    struct geo_lower_function f;
    geo_state_module_scope(&f, lower, &arena);
    GEO_ASSERT(lower->defined_count <= lower->declared_count &&
               lower->declared_count <= lower->module->variables.count);
    while (!f.failed && lower->defined_count < lower->declared_count) {
        variable_define(&f, lower->declared[lower->defined_count++]);
    }
    geo_state_module_scope_finish(&f);
    return !f.failed;
}
