/* Copies a function's body into a caller. See clone.h.
 *
 *     block: a, call f, b, branch       block: a, <entry of f>
 *                                       <the other blocks of f>
 *                                       rest: phi of the returned values, b, branch
 *
 * A callee of one block needs no split: its instructions replace the call. Variables move to the
 * caller's entry. An initialiser becomes a store at the call, since the call may be in a loop. */
#include "compiler/transform/calls/clone.h"

#include "compiler/ir/debug.h"
#include "compiler/transform/pass/settle.h"

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
    /* Debug information: location of the call, with a number of its own; 0: the caller has none,
       and the body keeps its locations. */
    uint32_t call_location;
    uint32_t last_from, last_to; /* the newest pair of locations */
};

static struct geo_ir_value *value_map(const struct clone *c, struct geo_ir_value *value)
{
    return geo_uses_is_local(value) ? c->values[value->index] : value;
}

/* Returns the location in the caller of code of the callee. */
static uint32_t location_map(struct clone *c, uint32_t from)
{
    if (!c->call_location || !from) {
        return from ? from : c->call->location;
    }
    if (from != c->last_from) {
        c->last_from = from;
        c->last_to = geo_ir_location_inlined(c->pass->module, from, c->call_location);
    }
    return c->last_to;
}

/* Copies an instruction without its operands, since those of phis may not be copied yet. */
static struct geo_ir_inst *inst_copy(struct clone *c, const struct geo_ir_inst *from)
{
    struct geo_ir_inst *copy = geo_make_copy(c->pass, from);
    if (!copy) {
        return NULL;
    }
    copy->location = location_map(c, from->location);
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
        if (!c->rest) {
            return true;
        }
        struct geo_ir_inst *branch = geo_make_branch(c->pass, to, c->rest, c->call);
        if (branch) {
            branch->location = location_map(c, from->location);
        }
        return branch != NULL;
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

/* Appends copies of an instruction's debug records to a list. Returns the list's number. */
static uint32_t records_map(struct clone *c, const struct geo_ir_inst *from, uint32_t list)
{
    geo_ir_for_each_record(record, from)
    {
        struct geo_ir_record copy = *record;
        copy.location = location_map(c, record->location);
        if (record->value && geo_pass_debug_alive(record->value, c->callee)) {
            copy.value = value_map(c, record->value);
        } else if (record->value) {
            geo_ir_record_lose(&copy);
        }
        list = geo_ir_records_add(c->pass->module->debug, list, &copy);
    }
    return list;
}

/* Copies the debug records of a block. A variable moves to the entry, so records in front of it go
 * to the next instruction. */
static void records_clone(struct clone *c, struct geo_ir_block *from)
{
    uint32_t list = 0;
    for (struct geo_ir_inst *inst = from->first; inst; inst = inst->next) {
        list = records_map(c, inst, list);
        if (inst->op == SpvOpVariable || !list) {
            continue;
        }
        struct geo_ir_inst *to = !is_return(inst) ? geo_ir_as_inst(c->values[inst->value.index])
                                 : c->rest        ? c->blocks[from->index]->last
                                                  : c->call;
        to->records = geo_ir_records_join(c->pass->module->debug, to->records, list);
        list = 0;
    }
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
        if (c->pass->module->debug) {
            records_clone(c, from);
        }
    }
    return true;
}

/* Decides how the body's locations change. A caller without debug information, such as the entry
 * point that llvm-spirv makes for a kernel, takes the callee's place in the source. */
static void location_begin(struct clone *c)
{
    if (!c->pass->module->debug) {
        return;
    }
    c->call_location =
        geo_ir_location_of_call(c->pass->module, c->call->location, c->caller->scope);
    if (!c->call_location && !c->caller->scope) {
        c->caller->scope = c->callee->scope;
    }
}

bool geo_transform_inline_call(struct geo_pass *pass, struct geo_ir_inst *call,
                               struct geo_ir_block **ends)
{
    struct clone c = {.pass = pass, .call = call, .caller = call->block->function, .ends = ends};
    c.callee = geo_ir_as_function(call->operands[0]);
    geo_ir_function_number(c.callee);
    location_begin(&c);
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
