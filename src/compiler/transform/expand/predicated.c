/* Expands accesses with a condition to branches around plain accesses:
 *
 *     x = OpPredicatedLoadINTEL p, c, d          branch c: then, rest
 *                                          then: y = load p
 *                                          rest: x = phi y, d
 *
 * OpPredicatedStoreINTEL is expanded in the same way. OpMaskedGatherINTEL and OpMaskedScatterINTEL
 * become one such access for each component; components with a constant mask need no branch.
 * Lowering handles the branches lane by lane at every vector width. */
#include "compiler/transform/expand/predicated.h"

/* The expansion of one function's accesses. */
struct expansion {
    struct geo_pass *pass;
    /* by block index: the block that now has the block's end; NULL: unchanged */
    struct geo_ir_block **ends;
};

static bool is_predicated(uint32_t op)
{
    return op == GEO_SPV_PREDICATED_LOAD_INTEL || op == GEO_SPV_PREDICATED_STORE_INTEL ||
           op == GEO_SPV_MASKED_GATHER_INTEL || op == GEO_SPV_MASKED_SCATTER_INTEL;
}

/* ---- one access ---- */

/* Splits the block behind an instruction. *then: the branch of a new block to *rest; *rest has all
 * following instructions. */
static bool block_cut(struct expansion *x, struct geo_ir_inst *inst, struct geo_ir_value *condition,
                      struct geo_ir_inst **then, struct geo_ir_block **rest)
{
    struct geo_ir_block *block = inst->block;
    struct geo_ir_block *middle = geo_ir_block_create(block->function, block);
    *rest = middle ? geo_ir_block_create(block->function, middle) : NULL;
    struct geo_ir_inst *branch = *rest ? geo_ir_inst_create(x->pass->module, SpvOpBranchConditional,
                                                            x->pass->type_void, 1, 0, 2)
                                       : NULL;
    *then = branch ? geo_make_branch(x->pass, middle, *rest, inst) : NULL;
    if (!*then) {
        return geo_pass_no_memory(x->pass);
    }
    geo_block_move_insts(inst->next, *rest);
    if (!x->ends[block->index]) {
        x->ends[block->index] = *rest;
    } else { /* the block was split before: its terminator is a branch of this pass */
        for (uint32_t i = 0; i < (*rest)->last->target_count; i++) {
            geo_edge_moved((*rest)->last->targets[i], block, *rest);
        }
    }
    branch->operands[0] = condition;
    branch->targets[0] = middle;
    branch->targets[1] = *rest;
    geo_ir_inst_from(branch, inst);
    geo_ir_inst_append(block, branch);
    return true;
}

static struct geo_ir_inst *access_make(struct geo_pass *pass, struct geo_ir_inst *before,
                                       const struct geo_ir_inst *like, bool stores)
{
    struct geo_ir_inst *made = stores
                                   ? geo_make(pass, before, SpvOpStore, pass->type_void, 2, 0, 0)
                                   : geo_make(pass, before, SpvOpLoad, like->value.type, 1, 0, 0);
    if (made) {
        made->operands[0] = like->operands[0];
        made->memory_align = like->memory_align;
        made->memory_flags = like->memory_flags;
    }
    if (made && stores) {
        made->operands[1] = like->operands[1];
    }
    return made;
}

static bool access_expand(struct expansion *x, struct geo_ir_inst *inst)
{
    bool stores = (uint32_t)inst->op == GEO_SPV_PREDICATED_STORE_INTEL;
    struct geo_ir_block *block = inst->block, *rest;
    struct geo_ir_inst *then;
    if (!block_cut(x, inst, inst->operands[stores ? 2 : 1], &then, &rest)) {
        return false;
    }
    struct geo_ir_inst *access = access_make(x->pass, then, inst, stores);
    if (!access) {
        return false;
    }
    if (!stores) {
        struct geo_ir_inst *phi = geo_make_phi(x->pass, rest, inst->value.type, 2);
        if (!phi) {
            return false;
        }
        geo_phi_add(phi, &access->value, access->block);
        geo_phi_add(phi, inst->operands[2], block);
        inst->value.forward = &phi->value;
    }
    geo_ir_inst_remove(inst);
    return true;
}

/* ---- vectors of pointers ---- */

/* Returns whether a component of a mask is constant; *on is its value. */
static bool mask_known(struct geo_ir_value *mask, uint32_t i, bool *on)
{
    struct geo_ir_constant *constant = geo_ir_as_constant(mask);
    uint64_t bits = 0;
    if (!constant || (!constant->is_null && !constant->members)) {
        return false;
    }
    if (!constant->is_null && !geo_ir_constant_bits(constant->members[i], &bits)) {
        return false;
    }
    *on = bits != 0;
    return true;
}

/* Expands the access of one component before the instruction. *value: the loaded value, for a
 * masked-off component its replacement. */
static bool component_make(struct geo_pass *pass, struct geo_ir_inst *inst, uint32_t i,
                           struct geo_ir_value **value)
{
    bool stores = (uint32_t)inst->op == GEO_SPV_MASKED_SCATTER_INTEL, on = true;
    struct geo_ir_value *data = inst->operands[stores ? 0 : 2];
    struct geo_ir_value *pointers = inst->operands[stores ? 1 : 0];
    struct geo_ir_value *mask = inst->operands[stores ? 2 : 1];
    bool known = mask_known(mask, i, &on);
    *value = geo_make_extract(pass, inst, data->type->element, data, &i, 1);
    if (!*value || !on) {
        return *value != NULL;
    }
    struct geo_ir_value *pointer =
        geo_make_extract(pass, inst, pointers->type->element, pointers, &i, 1);
    struct geo_ir_value *bit =
        pointer && !known ? geo_make_extract(pass, inst, pass->type_bool, mask, &i, 1) : pointer;
    const struct geo_ir_type *type = stores ? pass->type_void : (*value)->type;
    SpvOp op = known    ? stores ? SpvOpStore : SpvOpLoad
               : stores ? (SpvOp)GEO_SPV_PREDICATED_STORE_INTEL
                        : (SpvOp)GEO_SPV_PREDICATED_LOAD_INTEL;
    uint32_t operands = known ? (stores ? 2 : 1) : 3;
    struct geo_ir_inst *made = bit ? geo_make(pass, inst, op, type, operands, 0, 0) : NULL;
    if (!made) {
        return false;
    }
    made->memory_align = inst->literals[0];
    made->operands[0] = pointer;
    if (stores) {
        made->operands[1] = *value;
    }
    if (!known) {
        made->operands[stores ? 2 : 1] = bit;
        made->operands[2] = stores ? bit : *value;
    }
    *value = &made->value;
    return true;
}

/* Expands a gather or scatter into accesses of components before it. The caller removes the
 * instruction. */
static bool vector_expand(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    bool stores = (uint32_t)inst->op == GEO_SPV_MASKED_SCATTER_INTEL;
    uint32_t count = (uint32_t)inst->operands[stores ? 0 : 2]->type->count;
    struct geo_ir_value *values[16];
    for (uint32_t i = 0; i < count; i++) {
        if (!component_make(pass, inst, i, &values[i])) {
            return geo_pass_no_memory(pass);
        }
    }
    if (!stores) {
        struct geo_ir_inst *made =
            geo_make(pass, inst, SpvOpCompositeConstruct, inst->value.type, count, 0, 0);
        for (uint32_t i = 0; made && i < count; i++) {
            made->operands[i] = values[i];
        }
        if (!made) {
            return false;
        }
        inst->value.forward = &made->value;
    }
    return true;
}

/* ---- functions ---- */

/* Expands a block from its last instruction to its first, so that each instruction moves at most
 * once. */
static bool block_expand(struct expansion *x, struct geo_ir_block *block)
{
    struct geo_ir_inst *previous;
    for (struct geo_ir_inst *inst = block->last; inst; inst = previous) {
        previous = inst->prev;
        if (!is_predicated((uint32_t)inst->op)) {
            continue;
        }
        if ((uint32_t)inst->op == GEO_SPV_PREDICATED_LOAD_INTEL ||
            (uint32_t)inst->op == GEO_SPV_PREDICATED_STORE_INTEL) {
            if (!access_expand(x, inst)) {
                return false;
            }
            continue;
        }
        if (!vector_expand(x->pass, inst)) {
            return false;
        }
        previous = inst->prev;
        geo_ir_inst_remove(inst);
    }
    return true;
}

bool geo_expand_predicated(struct geo_pass *pass, struct geo_ir_function *function)
{
    uint32_t found = 0;
    geo_ir_for_each_block(block, function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            found += is_predicated((uint32_t)inst->op);
        }
    }
    if (!found) {
        return true;
    }
    geo_ir_function_number(function);
    uint32_t count = function->block_count, i = 0;
    struct expansion x = {.pass = pass};
    struct geo_ir_block **blocks = geo_arena_new_array(&pass->arena, struct geo_ir_block *, count);
    x.ends = geo_arena_new_array(&pass->arena, struct geo_ir_block *, count);
    if (!blocks || !x.ends) {
        return geo_pass_no_memory(pass);
    }
    geo_ir_for_each_block(block, function) {
        blocks[i++] = block;
    }
    for (i = 0; i < count; i++) {
        if (!block_expand(&x, blocks[i])) {
            return false;
        }
    }
    for (i = 0; i < count; i++) {
        geo_phis_follow(blocks[i], x.ends);
    }
    return true;
}
