/* Keeps large values in memory.
 *
 * Lowering needs a register for each scalar and lane of a value. A struct of thousands of scalars
 * that is loaded and stored would become as many instructions. So
 *
 * - a load that is only stored again, before any other write, becomes a copy of memory;
 * - every other value with more scalars than scalar replacement splits gets a place, which is a
 *   private variable. Its definition writes the place, and its uses read it: as a whole by memory
 *   copies, members by loads and stores.
 *
 * Both take a constant number of instructions for each original one. Instructions that need the
 * value itself, such as remaining calls, load it from the place or store their result there.
 *
 * A copy reads all of its source before it writes (lower/memory/copy.c), as a load and store do. */
#include "compiler/transform/memory/large_values.h"

/* Loads of more scalars are replaced by copies. */
#define COPY_LEAVES 64u

static bool is_numbered(const struct large *l, const struct geo_ir_inst *inst)
{
    return inst->value.index < l->local_count;
}

/* ---- which values have a place ---- */

static bool uses_agree(const struct large *l, const struct geo_ir_inst *load)
{
    uint32_t count;
    const struct geo_use *use = geo_uses_of(&l->uses, &load->value, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_inst *user = use[i].user;
        bool member =
            user->op == SpvOpCompositeExtract && large_is(&load->value) && !large_is(&user->value);
        if (!((user->op == SpvOpStore && use[i].operand == 1) || member) ||
            user->block != load->block ||
            l->writes[user->value.index] != l->writes[load->value.index]) {
            return false;
        }
    }
    return true;
}

/* Returns whether the memory that is loaded from still holds the value at all its uses. */
static bool is_direct(const struct large *l, const struct geo_ir_inst *load)
{
    return load->op == SpvOpLoad && large_is_composite(load->value.type) &&
           load->value.type->leaves > COPY_LEAVES &&
           !(load->memory_flags & SpvMemoryAccessVolatileMask) && uses_agree(l, load);
}

/* Returns the value that an insert changes, if it has no other use: the two then share a place. */
static const struct geo_ir_inst *insert_takes(const struct large *l, const struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *from =
        inst->op == SpvOpCompositeInsert ? geo_ir_as_inst(inst->operands[1]) : NULL;
    uint32_t count = 0;
    if (from && from->block == inst->block && !is_direct(l, from)) {
        geo_uses_of(&l->uses, &from->value, &count);
    }
    return count == 1 ? from : NULL;
}

static bool inst_place(struct large *l, struct geo_ir_inst *inst)
{
    struct large_place *place = &l->places[inst->value.index];
    if (is_direct(l, inst)) {
        *place = large_accessed(inst, inst->value.type);
        return true;
    }
    if (!large_is(&inst->value)) {
        return true;
    }
    const struct geo_ir_inst *before = insert_takes(l, inst);
    if (before) {
        *place = l->places[before->value.index];
        return true;
    }
    return large_variable(l, &inst->value, place) &&
           (inst->op != SpvOpPhi ||
            large_variable(l, &inst->value, &l->arrivals[inst->value.index]));
}

static bool places_make(struct large *l)
{
    for (uint32_t i = 0; i < l->function->parameter_count; i++) {
        struct geo_ir_value *parameter = l->function->parameters[i];
        if (large_is(parameter) &&
            (!large_variable(l, parameter, &l->places[parameter->index]) ||
             !large_store(l, l->start, l->places[parameter->index], parameter))) {
            return false;
        }
    }
    geo_ir_for_each_block(block, l->function) {
        geo_ir_for_each_inst(inst, block) {
            if (is_numbered(l, inst) && !inst_place(l, inst)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the pass ---- */

/* Returns whether the function has large values or large copies. */
static bool is_wanted(const struct geo_ir_function *function)
{
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        if (large_is(function->parameters[i])) {
            return true;
        }
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (large_is(&inst->value) || (inst->op == SpvOpStore && large_is(inst->operands[1])) ||
                (inst->op == SpvOpLoad && large_is_composite(inst->value.type) &&
                 inst->value.type->leaves > COPY_LEAVES)) {
                return true;
            }
        }
    }
    return false;
}

/* Forwards copies: without optimisation, no earlier pass has done it. */
static void copies_forward(struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpCopyObject && large_is_composite(inst->value.type)) {
                inst->value.forward = inst->operands[0];
                geo_ir_inst_remove(inst);
            }
        }
    }
    geo_ir_function_resolve(function);
}

static bool prepare(struct large *l)
{
    struct geo_ir_function *function = l->function;
    struct geo_arena *arena = &l->pass->arena;
    copies_forward(function);
    geo_ir_function_number(function);
    l->local_count = function->value_count;
    l->writes = geo_arena_new_array(arena, uint32_t, l->local_count);
    l->places = geo_arena_new_array(arena, struct large_place, l->local_count);
    l->arrivals = geo_arena_new_array(arena, struct large_place, l->local_count);
    if (!l->writes || !l->places || !l->arrivals || !geo_uses_build(function, arena, &l->uses)) {
        return geo_pass_no_memory(l->pass);
    }
    geo_ir_for_each_block(block, function) {
        uint32_t writes = 0;
        geo_ir_for_each_inst(inst, block) {
            l->writes[inst->value.index] = writes;
            writes += geo_ir_has_effect(inst);
        }
    }
    l->start = function->first_block->first;
    while (l->start->op == SpvOpVariable) {
        l->start = l->start->next;
    }
    return true;
}

static bool function_narrow(struct large *l)
{
    if (!is_wanted(l->function)) {
        return true;
    }
    if (!prepare(l) || !places_make(l)) {
        return false;
    }
    geo_ir_for_each_block(block, l->function) {
        geo_ir_for_each_inst(inst, block) {
            if (is_numbered(l, inst) && !large_rewrite(l, inst)) {
                return false;
            }
        }
    }
    geo_ir_function_resolve(l->function);
    return true;
}

ze_result_t geo_transform_large_values(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    struct large_place *constants =
        good ? geo_arena_new_array(&pass.arena, struct large_place, module->next_index) : NULL;
    good = good && (constants || geo_pass_no_memory(&pass));
    geo_ir_for_each_function(function, module) {
        struct large l = {.pass = &pass, .function = function, .constants = constants};
        good = good && (!function->first_block || function_narrow(&l));
    }
    return geo_pass_end(&pass);
}
