/* Random kernels as SPIR-V: plain statements and functions as blocks of instructions. See
 * spirv.h. */
#include "spirv.h"

#include <spirv/unified1/OpenCL.std.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gen_words *out(struct gen_spirv *spirv)
{
    return &spirv->current->body;
}

/* ---- calls, barriers, copies ---- */

static void emit_return(struct gen_spirv *spirv, const struct gen_expr *value)
{
    if (value) {
        uint32_t id = gen_emit_expr(spirv, value);
        gen_put(out(spirv), SpvOpReturnValue, 1, id);
    } else {
        gen_put(out(spirv), SpvOpReturn, 0);
    }
    spirv->current = NULL;
}

static uint32_t emit_pointer(struct gen_spirv *spirv, const struct gen_argument *argument,
                             const struct gen_variable *parameter)
{
    const struct gen_place *place =
        argument->value ? gen_expr_resolve(argument->value)->place : argument->address;
    const struct gen_variable *source = place ? place->base : argument->variable;
    uint32_t pointer = place ? gen_emit_address(spirv, place) : gen_buffer_address(spirv, source);
    return gen_emit_cast(spirv, parameter->type, pointer, gen_storage(source),
                         gen_storage(parameter));
}

static void emit_call(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    const struct gen_function *callee = stmt->function;
    uint32_t args[GEN_MAX_ARGS], count = callee->parameters.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct gen_argument *argument = &stmt->arguments[i];
        args[i] = argument->value && !callee->parameters.items[i]->is_byref
                      ? gen_emit_expr(spirv, argument->value)
                      : emit_pointer(spirv, argument, callee->parameters.items[i]);
    }
    uint32_t type = gen_type_id(spirv, callee->result), id = spirv->bound++;
    gen_words_put(out(spirv), (4 + count) << 16 | SpvOpFunctionCall);
    gen_words_put(out(spirv), type);
    gen_words_put(out(spirv), id);
    gen_words_put(out(spirv), spirv->function_ids[callee->number]);
    for (uint32_t i = 0; i < count; i++) {
        gen_words_put(out(spirv), args[i]);
    }
    if (stmt->place) {
        gen_emit_store(spirv, stmt->place, id);
    }
}

/* Scopes and orders that are no weaker than what the group needs; now and then a fence before. */
static void emit_barrier(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    static const uint32_t orders[] = {SpvMemorySemanticsSequentiallyConsistentMask,
                                      SpvMemorySemanticsAcquireReleaseMask};
    const struct gen_program *program = spirv->program;
    bool meeting = gen_is_meeting(program, stmt);
    bool wide = meeting || (program->scopes && stmt->number % 3 != 0);
    uint32_t memory =
        SpvMemorySemanticsWorkgroupMemoryMask | SpvMemorySemanticsCrossWorkgroupMemoryMask;
    uint32_t scope = gen_u32_id(spirv, meeting ? SpvScopeDevice : SpvScopeWorkgroup);
    uint32_t reach = gen_u32_id(spirv, wide ? SpvScopeDevice : SpvScopeWorkgroup);
    uint32_t order = orders[program->scopes && stmt->number % 2];
    uint32_t semantics = gen_u32_id(spirv, order | memory);
    if (program->scopes && stmt->number % 5 == 0) {
        uint32_t fence =
            gen_u32_id(spirv, stmt->number % 10 == 0 ? SpvScopeCrossDevice : SpvScopeDevice);
        gen_put(out(spirv), SpvOpMemoryBarrier, 2, fence, semantics);
    }
    gen_put(out(spirv), SpvOpControlBarrier, 3, scope, reach, semantics);
}

static void emit_vstore(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    struct gen_program *program = (struct gen_program *)(uintptr_t)spirv->program;
    uint32_t value = gen_emit_expr(spirv, stmt->value);
    uint32_t index = gen_emit_expr(spirv, stmt->place->element);
    uint32_t type = gen_type_id(spirv, gen_type_void(program)), id = spirv->bound++;
    gen_put(out(spirv), SpvOpExtInst, 7, type, id, spirv->ext_set, OpenCLstd_Vstoren, value, index,
            spirv->addresses[stmt->place->base->slot]);
}

static bool is_in_memory(const struct gen_spirv *spirv, const struct gen_place *place)
{
    return place->element || !spirv->ssa[place->base->slot];
}

/* By its type, or by its bytes. */
static void emit_copy(struct gen_spirv *spirv, const struct gen_place *to,
                      const struct gen_place *from)
{
    uint32_t operands[3], access[GEN_MAX_ACCESS];
    operands[1] = gen_emit_address(spirv, from);
    operands[0] = gen_emit_address(spirv, to);
    bool sized = spirv->program->forms && gen_way(spirv, 2) == 0;
    operands[2] = sized ? gen_u32_id(spirv, to->type->size) : 0;
    uint32_t more = spirv->program->forms ? gen_access_operands(spirv, to->type, access) : 0;
    gen_put_list(out(spirv), sized ? SpvOpCopyMemorySized : SpvOpCopyMemory, sized ? 3 : 2,
                 operands, more, access);
}

static void emit_assign(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    const struct gen_expr *value = gen_expr_resolve(stmt->value);
    bool whole = value->op == GEN_LOAD && is_in_memory(spirv, value->place) &&
                 (value->type->kind == GEN_STRUCT ||
                  (spirv->program->forms && value->type->kind != GEN_BOOL));
    bool copies = spirv->program->copy_memory || (spirv->program->forms && gen_way(spirv, 3) > 0);
    if (whole && copies && is_in_memory(spirv, stmt->place)) {
        emit_copy(spirv, stmt->place, value->place);
        return;
    }
    gen_emit_store(spirv, stmt->place, gen_emit_expr(spirv, value));
}

static void emit_stmt(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    switch (stmt->kind) {
    case GEN_ASSIGN:
        emit_assign(spirv, stmt);
        break;
    case GEN_VSTORE:
        emit_vstore(spirv, stmt);
        break;
    case GEN_IF:
        gen_emit_if(spirv, stmt);
        break;
    case GEN_LOOP:
        gen_emit_loop(spirv, stmt);
        break;
    case GEN_SWITCH:
        gen_emit_switch(spirv, stmt);
        break;
    case GEN_BREAK:
    case GEN_CONTINUE:
        gen_emit_jump(spirv, stmt);
        break;
    case GEN_RETURN:
        emit_return(spirv, stmt->value);
        break;
    case GEN_CALL:
        emit_call(spirv, stmt);
        break;
    case GEN_BARRIER:
        emit_barrier(spirv, stmt);
        break;
    case GEN_ATOMIC:
        gen_emit_atomic(spirv, stmt);
        break;
    case GEN_SUBGROUP:
        gen_emit_subgroup(spirv, stmt);
        break;
    }
}

void gen_emit_block(struct gen_spirv *spirv, const struct gen_block *block)
{
    for (uint32_t i = 0; i < block->count && spirv->current; i++) {
        if (!block->items[i]->deleted) {
            emit_stmt(spirv, block->items[i]);
        }
    }
}

/* ---- functions ---- */

static uint32_t parameter_type(struct gen_spirv *spirv, const struct gen_variable *parameter)
{
    if (parameter->role == GEN_PARAMETER && !parameter->is_byref) {
        return gen_type_id(spirv, parameter->type);
    }
    return gen_pointer_id(spirv, parameter->type, gen_storage(parameter));
}

/* Function types are unique: the one that is there, or a new one. */
static uint32_t function_type(struct gen_spirv *spirv, uint32_t result, const uint32_t *types,
                              uint32_t count)
{
    struct gen_words *globals = &spirv->globals;
    uint32_t head = (3 + count) << 16 | SpvOpTypeFunction;
    for (size_t at = 0; at < globals->count; at += globals->items[at] >> 16) {
        const uint32_t *words = &globals->items[at];
        if (words[0] == head && words[2] == result &&
            memcmp(words + 3, types, count * sizeof(*types)) == 0) {
            return words[1];
        }
    }
    uint32_t type = spirv->bound++;
    gen_words_put(globals, head);
    gen_words_put(globals, type);
    gen_words_put(globals, result);
    for (uint32_t i = 0; i < count; i++) {
        gen_words_put(globals, types[i]);
    }
    return type;
}

/* OpFunction and its parameters; values of parameters by slot. */
static void emit_signature(struct gen_spirv *spirv, uint32_t *values)
{
    const struct gen_function *function = spirv->function;
    uint32_t count = function->parameters.count, types[64];
    uint32_t result = gen_type_id(spirv, function->result);
    for (uint32_t i = 0; i < count; i++) {
        types[i] = parameter_type(spirv, function->parameters.items[i]);
    }
    uint32_t type = function_type(spirv, result, types, count);
    gen_put(&spirv->functions, SpvOpFunction, 4, result, spirv->function_ids[function->number],
            function->dont_inline ? SpvFunctionControlDontInlineMask : 0, type);
    for (uint32_t i = 0; i < count; i++) {
        const struct gen_variable *parameter = function->parameters.items[i];
        uint32_t id = values[parameter->slot] = spirv->bound++;
        gen_put(&spirv->functions, SpvOpFunctionParameter, 2, types[i], id);
        if (parameter->is_byref) {
            gen_put(&spirv->annotations, SpvOpDecorate, 3, id, SpvDecorationFuncParamAttr,
                    SpvFunctionParameterAttributeByVal);
        }
        if (parameter->role != GEN_PARAMETER || parameter->is_byref) {
            spirv->addresses[parameter->slot] = id;
            gen_maybe_volatile(spirv, parameter, id);
        }
    }
}

/* initial: a constant, or 0. */
static void put_variable(struct gen_spirv *spirv, const struct gen_variable *variable,
                         uint32_t initial)
{
    uint32_t type = gen_pointer_id(spirv, variable->type, SpvStorageClassFunction);
    spirv->addresses[variable->slot] = spirv->bound;
    gen_maybe_volatile(spirv, variable, spirv->bound);
    gen_put(out(spirv), SpvOpVariable, initial ? 4 : 3, type, spirv->bound++,
            SpvStorageClassFunction, initial);
}

/* Variables first, then what they start with. */
static void emit_variables(struct gen_spirv *spirv, const uint32_t *values)
{
    const struct gen_function *function = spirv->function;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < function->parameters.count; i++) {
            const struct gen_variable *parameter = function->parameters.items[i];
            uint32_t slot = parameter->slot;
            if (parameter->role != GEN_PARAMETER || parameter->is_byref) {
                continue;
            }
            spirv->slot_types[slot] = parameter->type;
            spirv->ssa[slot] = spirv->program->ssa && !parameter->in_memory;
            if (spirv->ssa[slot]) {
                gen_ssa_write(spirv, parameter, values[slot]);
            } else if (pass == 0) {
                put_variable(spirv, parameter, 0);
            } else {
                gen_put(out(spirv), SpvOpStore, 2, spirv->addresses[slot], values[slot]);
            }
        }
        for (uint32_t i = 0; i < function->locals.count; i++) {
            const struct gen_variable *local = function->locals.items[i];
            uint32_t slot = local->slot;
            spirv->slot_types[slot] = local->type;
            spirv->ssa[slot] = spirv->program->ssa && !local->in_memory;
            if (spirv->ssa[slot]) {
                gen_ssa_write(spirv, local, gen_const_id(spirv, local->type, local->initial));
            } else if (pass == 0) {
                put_variable(spirv, local,
                             spirv->program->initializers
                                 ? gen_const_id(spirv, local->type, local->initial)
                                 : 0);
            } else if (!spirv->program->initializers) {
                uint32_t value = gen_const_id(spirv, local->type, local->initial);
                gen_put(out(spirv), SpvOpStore, 2, spirv->addresses[slot], value);
            }
        }
    }
}

void gen_emit_function(struct gen_spirv *spirv, const struct gen_function *function)
{
    uint32_t slots = function->slot_count + 1;
    uint32_t *values = calloc(slots, sizeof(*values));
    spirv->function = function;
    spirv->addresses = calloc(slots, sizeof(*spirv->addresses));
    spirv->ssa = calloc(slots, sizeof(*spirv->ssa));
    spirv->slot_types = calloc(slots, sizeof(*spirv->slot_types));
    if (!values || !spirv->addresses || !spirv->ssa || !spirv->slot_types) {
        fprintf(stderr, "generator: out of memory\n");
        exit(1);
    }
    emit_signature(spirv, values);
    gen_node_begin_sealed(spirv, gen_node_create(spirv));
    emit_variables(spirv, values);
    gen_emit_block(spirv, &function->body);
    if (spirv->current && function->result->kind == GEN_VOID) {
        emit_return(spirv, NULL);
    } else if (spirv->current) {
        gen_put(out(spirv), SpvOpUnreachable, 0);
    }
    gen_nodes_finish(spirv, &spirv->functions);
    gen_put(&spirv->functions, SpvOpFunctionEnd, 0);
    free(values);
    free(spirv->addresses);
    free(spirv->ssa);
    free(spirv->slot_types);
}
