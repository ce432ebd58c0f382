/* Functions that edit the control flow graph: update phis and remove unreachable blocks and dead
 * instructions. See pass.h. */
#include "compiler/transform/pass/pass.h"

#include "compiler/ir/debug.h"

uint32_t geo_phi_find(const struct geo_ir_inst *phi, const struct geo_ir_block *from)
{
    uint32_t i = 0;
    while (i < phi->operand_count && phi->targets[i] != from) {
        i++;
    }
    return i;
}

bool geo_phis_trim(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct geo_cfg cfg;
    geo_ir_function_number(function);
    uint32_t *leads = geo_arena_new_array(&pass->arena, uint32_t, function->block_count);
    if (!leads || !geo_cfg_build(function, &pass->arena, &cfg)) {
        return geo_pass_no_memory(pass);
    }
    geo_ir_for_each_block(block, function) {
        const struct geo_cfg_edges *preds = &cfg.preds[block->index];
        struct geo_ir_inst *phi = block->first;
        for (uint32_t i = 0; phi->op == SpvOpPhi && i < preds->count; i++) {
            leads[preds->blocks[i]->index] = block->index + 1;
        }
        for (; phi->op == SpvOpPhi; phi = phi->next) {
            uint32_t kept = 0;
            for (uint32_t i = 0; i < phi->operand_count; i++) {
                if (leads[phi->targets[i]->index] == block->index + 1) {
                    phi->operands[kept] = phi->operands[i];
                    phi->targets[kept++] = phi->targets[i];
                }
            }
            phi->operand_count = phi->target_count = kept;
        }
    }
    return true;
}

void geo_phis_follow(struct geo_ir_block *block, struct geo_ir_block *const *ends)
{
    for (struct geo_ir_inst *phi = block->first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        for (uint32_t i = 0; i < phi->target_count; i++) {
            struct geo_ir_block *end = ends[phi->targets[i]->index];
            phi->targets[i] = end ? end : phi->targets[i];
        }
    }
}

void geo_edge_moved(struct geo_ir_block *to, struct geo_ir_block *was, struct geo_ir_block *now)
{
    for (struct geo_ir_inst *phi = to->first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        uint32_t i = geo_phi_find(phi, was);
        if (i < phi->operand_count) {
            phi->targets[i] = now;
        }
    }
}

void geo_block_move_insts(struct geo_ir_inst *first, struct geo_ir_block *to)
{
    struct geo_ir_block *from = first->block;
    struct geo_ir_inst *last = from->last;
    if (to->records) { /* left by a terminator that was removed */
        struct geo_ir_debug *debug = to->function->module->debug;
        first->records = geo_ir_records_join(debug, to->records, first->records);
    }
    to->records = from->records;
    from->records = 0;
    from->last = first->prev;
    if (first->prev) {
        first->prev->next = NULL;
    } else {
        from->first = NULL;
    }
    first->prev = to->last;
    if (to->last) {
        to->last->next = first;
    } else {
        to->first = first;
    }
    to->last = last;
    for (struct geo_ir_inst *inst = first; inst; inst = inst->next) {
        inst->block = to;
    }
}

bool geo_remove_unreachable(struct geo_pass *pass, struct geo_ir_function *function)
{
    if (!function->first_block) {
        return true;
    }
    geo_ir_function_number(function);
    bool *reached = geo_arena_new_array(&pass->arena, bool, function->block_count);
    struct geo_ir_block **stack =
        geo_arena_new_array(&pass->arena, struct geo_ir_block *, function->block_count);
    if (!reached || !stack) {
        return geo_pass_no_memory(pass);
    }
    uint32_t depth = 0;
    stack[depth++] = function->first_block;
    reached[0] = true;
    while (depth > 0) {
        const struct geo_ir_inst *last = stack[--depth]->last;
        for (uint32_t i = 0; i < last->target_count; i++) {
            if (!reached[last->targets[i]->index]) {
                reached[last->targets[i]->index] = true;
                stack[depth++] = last->targets[i];
            }
        }
    }
    struct geo_ir_block *next;
    for (struct geo_ir_block *block = function->first_block; block; block = next) {
        next = block->next;
        if (!reached[block->index]) {
            geo_ir_block_remove(block);
            continue;
        }
        for (struct geo_ir_inst *phi = block->first; phi && phi->op == SpvOpPhi; phi = phi->next) {
            uint32_t kept = 0;
            for (uint32_t i = 0; i < phi->operand_count; i++) {
                if (reached[phi->targets[i]->index]) {
                    phi->operands[kept] = phi->operands[i];
                    phi->targets[kept++] = phi->targets[i];
                }
            }
            phi->operand_count = phi->target_count = kept;
        }
    }
    geo_ir_function_number(function);
    return true;
}

/* Marks the values that debug records in front of an instruction name, as uses do. Returns the new
 * depth of the stack. */
static uint32_t mark_variables(const struct geo_ir_inst *inst, bool *needed,
                               struct geo_ir_inst **stack, uint32_t depth)
{
    geo_ir_for_each_record(record, inst)
    {
        struct geo_ir_value *value = record->value ? geo_ir_value_end(record->value) : NULL;
        struct geo_ir_inst *made = value ? geo_ir_as_inst(value) : NULL;
        bool alive = made && made->block && !made->block->removed &&
                     made->block->function == inst->block->function;
        if (alive && !needed[value->index]) {
            needed[value->index] = true;
            stack[depth++] = made;
        }
    }
    return depth;
}

/* Marks the instructions that are needed, backwards from those with effects. */
static bool mark_needed(struct geo_pass *pass, struct geo_ir_function *function, bool *needed)
{
    struct geo_ir_inst **stack =
        geo_arena_new_array(&pass->arena, struct geo_ir_inst *, function->value_count);
    uint32_t depth = 0;
    if (!stack) {
        return geo_pass_no_memory(pass);
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            bool root = geo_op_is(inst->op, GEO_IS_TERMINATOR) || geo_ir_has_effect(inst);
            if (root && !needed[inst->value.index]) {
                needed[inst->value.index] = true;
                stack[depth++] = inst;
            }
            if (pass->module->keeps_variables) {
                depth = mark_variables(inst, needed, stack, depth);
            }
        }
    }
    while (depth > 0) {
        const struct geo_ir_inst *inst = stack[--depth];
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
            if (operand && !needed[operand->value.index]) {
                needed[operand->value.index] = true;
                stack[depth++] = operand;
            }
        }
    }
    return true;
}

bool geo_remove_dead(struct geo_pass *pass, struct geo_ir_function *function)
{
    geo_ir_function_number(function);
    bool *needed = geo_arena_new_array(&pass->arena, bool, function->value_count);
    if (!needed) {
        return geo_pass_no_memory(pass);
    }
    if (!mark_needed(pass, function, needed)) {
        return false;
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (!needed[inst->value.index]) {
                geo_ir_inst_remove(inst);
            }
        }
    }
    geo_ir_function_number(function);
    return true;
}

uint32_t geo_pass_instruction_count(const struct geo_ir_function *function)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            count++;
        }
    }
    return count;
}
