/* Copies ByVal arguments. The specification leaves the copy to the caller, but producers pass the
 * original. After this pass the copy is explicit, so inlining and lowering need not consider ByVal.
 *
 * - A call passes the address of a fresh copy for each ByVal parameter of the callee.
 * - A kernel that only reads through a ByVal parameter reads its argument block directly, which all
 *   work-items share.
 * - A kernel that does more, or assumes a higher alignment than the block has, gets a private copy
 *   at its entry. */
#include "compiler/transform/memory/by_value.h"

#include "native/kernel.h"

/* Creates the variable of a copy at the start of the function. */
static struct geo_ir_inst *copy_variable(struct geo_pass *pass, struct geo_ir_function *function,
                                         const struct geo_ir_value *parameter)
{
    struct geo_ir_inst *variable =
        geo_make(pass, function->first_block->first, SpvOpVariable, parameter->type, 0, 1, 0);
    if (variable) {
        variable->literals[0] = SpvStorageClassFunction;
        variable->value.align = parameter->align;
    }
    return variable;
}

/* Returns the alignment that a function assumes for the target of its parameter. */
static uint32_t parameter_align(const struct geo_ir_value *parameter)
{
    return parameter->align ? parameter->align : parameter->type->element->align;
}

/* Copies to `variable`. `from` is aligned to `from_align`; 0: as its type. */
static bool copy_make(struct geo_pass *pass, struct geo_ir_inst *before,
                      struct geo_ir_inst *variable, struct geo_ir_value *from, uint32_t from_align,
                      const struct geo_ir_value *parameter)
{
    struct geo_ir_inst *copy = geo_make(pass, before, SpvOpCopyMemory, pass->type_void, 2, 0, 0);
    if (!copy) {
        return false;
    }
    copy->operands[0] = &variable->value;
    copy->operands[1] = from;
    copy->memory_align = parameter->align;
    copy->source_align = from_align;
    return true;
}

static bool is_by_value(const struct geo_ir_value *parameter)
{
    return (parameter->flags & GEO_VALUE_BY_VAL) && parameter->type->kind == GEO_TYPE_POINTER &&
           parameter->type->storage == SpvStorageClassFunction && parameter->type->element &&
           parameter->type->element->size > 0;
}

static bool call_expand(struct geo_pass *pass, struct geo_ir_inst *call)
{
    const struct geo_ir_function *callee = geo_ir_as_function(call->operands[0]);
    for (uint32_t i = 0; callee && i < callee->parameter_count; i++) {
        const struct geo_ir_value *parameter = callee->parameters[i];
        if (!is_by_value(parameter)) {
            continue;
        }
        struct geo_ir_inst *variable = copy_variable(pass, call->block->function, parameter);
        if (!variable ||
            !copy_make(pass, call, variable, call->operands[1 + i], parameter->align, parameter)) {
            return false;
        }
        call->operands[1 + i] = &variable->value;
    }
    return true;
}

/* Returns whether a use derives another private pointer. A generic pointer is excluded: it may be
 * asked for its storage class, and an argument block has none. */
static bool is_private_step(const struct geo_use *use)
{
    const struct geo_ir_type *type = use->user->value.type;
    return geo_op_is(use->user->op, GEO_IS_POINTER_STEP) && use->operand == 0 &&
           type->kind == GEO_TYPE_POINTER && type->storage == SpvStorageClassFunction;
}

/* Sets *read to whether the memory behind the parameter is only read, by loads and as the source of
 * copies. */
static bool only_read(struct geo_pass *pass, const struct geo_uses *uses,
                      const struct geo_ir_function *function, const struct geo_ir_value *parameter,
                      bool *read)
{
    const struct geo_ir_value **stack =
        geo_arena_new_array(&pass->arena, const struct geo_ir_value *, function->value_count + 1);
    uint32_t depth = 0, count;
    if (!stack) {
        return geo_pass_no_memory(pass);
    }
    *read = true;
    stack[depth++] = parameter;
    while (depth > 0) {
        const struct geo_use *use = geo_uses_of(uses, stack[--depth], &count);
        for (uint32_t i = 0; i < count; i++, use++) {
            switch (use->user->op) {
            case SpvOpLoad:
                break;
            case SpvOpCopyMemory:
            case SpvOpCopyMemorySized:
                *read &= use->operand == 1;
                break;
            default:
                if (is_private_step(use)) {
                    stack[depth++] = &use->user->value;
                } else {
                    *read = false;
                }
                break;
            }
        }
    }
    return true;
}

static bool kernel_expand(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct geo_uses uses;
    geo_ir_function_number(function);
    if (!geo_uses_build(function, &pass->arena, &uses)) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        struct geo_ir_value *parameter = function->parameters[i];
        bool read = true;
        uint32_t count;
        if (!is_by_value(parameter)) {
            continue;
        }
        if (!only_read(pass, &uses, function, parameter, &read)) {
            return false;
        }
        uint32_t align = parameter_align(parameter);
        if (read && align <= GEO_ABI_ARGUMENT_ALIGN) {
            continue;
        }
        align = align < GEO_ABI_ARGUMENT_ALIGN ? align : GEO_ABI_ARGUMENT_ALIGN;
        struct geo_ir_inst *first = function->first_block->first;
        while (first->op == SpvOpVariable) {
            first = first->next;
        }
        struct geo_ir_inst *variable = copy_variable(pass, function, parameter);
        if (!variable || !copy_make(pass, first, variable, parameter, align, parameter)) {
            return false;
        }
        const struct geo_use *use = geo_uses_of(&uses, parameter, &count);
        for (uint32_t u = 0; u < count; u++) {
            use[u].user->operands[use[u].operand] = &variable->value;
        }
    }
    return true;
}

bool geo_expand_by_value(struct geo_pass *pass, struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpFunctionCall && !call_expand(pass, inst)) {
                return false;
            }
        }
    }
    bool wanted = false;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        wanted |= is_by_value(function->parameters[i]);
    }
    return !wanted || !function->is_kernel || !function->first_block ||
           kernel_expand(pass, function);
}
