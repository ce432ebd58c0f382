/* Copies a function's body into a caller. See clone.h.
 *
 *     block: a, call f, b, branch       block: a, <entry of f>
 *                                       <the other blocks of f>
 *                                       rest: phi of the returned values, b, branch
 *
 * A callee of one block needs no split: its instructions replace the call. Variables move to the
 * caller's entry. An initialiser becomes a store at the call, since the call may be in a loop. */
#include "compiler/transform/calls/clone.h"

#include <stdlib.h>
#include <string.h>

/* The inlining of one call. */
struct clone {
    struct geo_pass *pass;
    struct geo_ir_inst *call;
    struct geo_ir_function *caller, *callee;
    struct geo_ir_value **values; /* by callee value index: value in the caller */
    struct geo_ir_block **blocks; /* by callee block index: block in the caller */
    struct geo_ir_block *rest;    /* block behind the call; NULL: not split */
    struct geo_ir_block **ends;   /* by caller block index */
};

static struct geo_ir_value *value_map(const struct clone *c, struct geo_ir_value *value)
{
    return geo_uses_is_local(value) ? c->values[value->index] : value;
}

/* Copies an instruction without its operands, since those of phis may not be copied yet. */
static struct geo_ir_inst *inst_copy(struct clone *c, const struct geo_ir_inst *from)
{
    struct geo_ir_inst *copy =
        geo_ir_inst_create(c->pass->module, from->op, from->value.type, from->operand_count,
                           from->literal_count, from->target_count);
    if (!copy) {
        geo_pass_no_memory(c->pass);
        return NULL;
    }
    copy->value.flags = from->value.flags;
    copy->value.id = from->value.id;
    copy->value.align = from->value.align;
    copy->value.name = from->value.name;
    copy->memory_align = from->memory_align;
    copy->memory_flags = from->memory_flags;
    copy->source_align = from->source_align;
    copy->word_offset = from->word_offset;
    copy->line = from->line;
    memcpy(copy->literals, from->literals, from->literal_count * sizeof(*from->literals));
    c->values[from->value.index] = &copy->value;
    return copy;
}

static void operands_map(struct clone *c, const struct geo_ir_inst *from)
{
    struct geo_ir_inst *copy = geo_ir_as_inst(c->values[from->value.index]);
    for (uint32_t i = 0; i < from->operand_count; i++) {
        copy->operands[i] = value_map(c, from->operands[i]);
    }
    for (uint32_t i = 0; i < from->target_count; i++) {
        copy->targets[i] = c->blocks[from->targets[i]->index];
    }
}

/* Copies a variable of the callee to the start of the caller. Its initialiser becomes a store at
 * the call. */
static bool variable_clone(struct clone *c, const struct geo_ir_inst *from)
{
    struct geo_ir_inst *copy = inst_copy(c, from);
    if (!copy) {
        return false;
    }
    copy->operand_count = 0;
    geo_ir_inst_insert_before(c->caller->first_block->first, copy);
    if (from->operand_count == 0) {
        return true;
    }
    struct geo_ir_inst *store = geo_make(c->pass, c->call, SpvOpStore, c->pass->type_void, 2, 0, 0);
    if (!store) {
        return false;
    }
    store->operands[0] = &copy->value;
    store->operands[1] = value_map(c, from->operands[0]);
    return true;
}

static bool is_return(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpReturn || inst->op == SpvOpReturnValue;
}

/* Copies one instruction of the callee to the end of `to`, or before the call if the block is not
 * split. */
static bool inst_clone(struct clone *c, const struct geo_ir_inst *from, struct geo_ir_block *to)
{
    if (from->op == SpvOpVariable) {
        return variable_clone(c, from);
    }
    if (is_return(from)) {
        return c->rest == NULL || geo_make_branch(c->pass, to, c->rest) != NULL;
    }
    struct geo_ir_inst *copy = inst_copy(c, from);
    if (!copy) {
        return false;
    }
    if (c->rest) {
        geo_ir_inst_append(to, copy);
    } else {
        geo_ir_inst_insert_before(c->call, copy);
    }
    return true;
}

static int pointer_compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)*(void *const *)a, y = (uintptr_t)*(void *const *)b;
    return x < y ? -1 : x > y;
}

/* Updates the phis behind a block that was split before, by an inlined call further down. Its
 * terminator is then a copy of that callee's entry terminator, and leads to copied blocks. Each
 * target is updated once. */
static bool copies_told(struct clone *c, struct geo_ir_block *home, const struct geo_ir_inst *last)
{
    uint32_t count = last->target_count;
    struct geo_ir_block **targets =
        geo_arena_new_array(&c->pass->arena, struct geo_ir_block *, count);
    if (!targets) {
        return geo_pass_no_memory(c->pass);
    }
    memcpy(targets, last->targets, count * sizeof(struct geo_ir_block *));
    qsort(targets, count, sizeof(struct geo_ir_block *), pointer_compare);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || targets[i] != targets[i - 1]) {
            geo_edge_moved(targets[i], home, c->rest);
        }
    }
    return true;
}

/* Splits the caller's block behind the call, and creates the blocks for the body. */
static bool blocks_make(struct clone *c)
{
    struct geo_ir_block *home = c->call->block, *last = home;
    c->blocks[c->callee->first_block->index] = home;
    if (c->callee->block_count == 1 && is_return(c->callee->first_block->last)) {
        return true;
    }
    for (struct geo_ir_block *from = c->callee->first_block->next; from; from = from->next) {
        last = geo_ir_block_create(c->caller, last);
        if (!last) {
            return geo_pass_no_memory(c->pass);
        }
        last->loop_control = from->loop_control;
        c->blocks[from->index] = last;
    }
    c->rest = geo_ir_block_create(c->caller, last);
    if (!c->rest) {
        return geo_pass_no_memory(c->pass);
    }
    geo_block_move_insts(c->call->next, c->rest);
    if (!c->ends[home->index]) {
        c->ends[home->index] = c->rest;
        return true;
    }
    return copies_told(c, home, c->rest->last);
}

static bool result_join(struct clone *c)
{
    const struct geo_ir_type *type = c->call->value.type;
    if (type->kind == GEO_TYPE_VOID) {
        return true;
    }
    struct geo_ir_value *single = NULL;
    struct geo_ir_inst *phi = NULL;
    uint32_t returns = 0;
    geo_ir_for_each_block(block, c->callee) {
        returns += block->last->op == SpvOpReturnValue;
    }
    if (returns > 1) {
        phi = geo_make_phi(c->pass, c->rest, type, returns);
        if (!phi) {
            return false;
        }
    }
    geo_ir_for_each_block(block, c->callee) {
        if (block->last->op != SpvOpReturnValue) {
            continue;
        }
        single = value_map(c, block->last->operands[0]);
        if (phi) {
            geo_phi_add(phi, single, c->blocks[block->index]);
        }
    }
    if (!single) {
        single = geo_pass_undef(c->pass, type); /* the callee never returns */
    }
    c->call->value.forward = phi ? &phi->value : single;
    return c->call->value.forward != NULL;
}

static bool body_clone(struct clone *c)
{
    geo_ir_for_each_block(from, c->callee) {
        geo_ir_for_each_inst(inst, from) {
            if (!inst_clone(c, inst, c->blocks[from->index])) {
                return false;
            }
        }
    }
    geo_ir_for_each_block(from, c->callee) {
        geo_ir_for_each_inst(inst, from) {
            if (!is_return(inst) && inst->op != SpvOpVariable) {
                operands_map(c, inst);
            }
        }
    }
    return true;
}

bool geo_transform_inline_call(struct geo_pass *pass, struct geo_ir_inst *call,
                               struct geo_ir_block **ends)
{
    struct clone c = {.pass = pass, .call = call, .caller = call->block->function, .ends = ends};
    c.callee = geo_ir_as_function(call->operands[0]);
    geo_ir_function_number(c.callee);
    c.values = geo_arena_new_array(&pass->arena, struct geo_ir_value *, c.callee->value_count);
    c.blocks = geo_arena_new_array(&pass->arena, struct geo_ir_block *, c.callee->block_count);
    if (!c.values || !c.blocks) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t i = 0; i < c.callee->parameter_count; i++) {
        c.values[c.callee->parameters[i]->index] = call->operands[1 + i];
    }
    if (!blocks_make(&c) || !body_clone(&c) || !result_join(&c)) {
        return false;
    }
    geo_ir_inst_remove(call);
    return true;
}
