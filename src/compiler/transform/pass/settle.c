/* Debug records after a pass. See settle.h. */
#include "compiler/transform/pass/settle.h"

#include "compiler/ir/budget.h"
#include "compiler/transform/pass/offset.h"
#include "compiler/transform/pass/pass.h"

#define MAX_SALVAGE 16u /* removed instructions that are followed from one record */

bool geo_pass_debug_alive(const struct geo_ir_value *value, const struct geo_ir_function *function)
{
    if (value->kind == GEO_VALUE_PARAMETER) {
        return value->index < function->parameter_count &&
               function->parameters[value->index] == value;
    }
    const struct geo_ir_block *block =
        value->kind == GEO_VALUE_INST ? ((const struct geo_ir_inst *)value)->block : NULL;
    return value->kind != GEO_VALUE_INST ||
           (block && !block->removed && block->function == function);
}

/* Returns the constant that an addition or subtraction adds to operand *of. */
static bool constant_added(const struct geo_ir_inst *inst, uint32_t *of, uint64_t *number)
{
    if (inst->op == SpvOpIAdd && geo_ir_constant_bits(inst->operands[0], number)) {
        *of = 1;
        return true;
    }
    *of = 0;
    if ((inst->op != SpvOpIAdd && inst->op != SpvOpISub) ||
        !geo_ir_constant_bits(inst->operands[1], number)) {
        return false;
    }
    *number = inst->op == SpvOpISub ? 0 - *number : *number;
    return true;
}

/* Returns the step that takes from an object of a type what an instruction's literals name. */
static bool part_offset(const struct geo_ir_type *type, const struct geo_ir_inst *inst,
                        struct geo_ir_debug_step *step)
{
    step->kind = GEO_STEP_PART;
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        uint32_t index = inst->literals[i];
        if (type->kind == GEO_TYPE_STRUCT && index < type->count) {
            step->number += type->offsets[index];
            type = type->members[index];
        } else if (type->kind == GEO_TYPE_ARRAY || type->kind == GEO_TYPE_VECTOR) {
            step->number += index * type->element->size;
            type = type->element;
        } else {
            return false;
        }
    }
    step->size = (uint32_t)type->size;
    return type->size <= UINT32_MAX;
}

/* Returns the step for a conversion between integers. Steps do not cut upper bits off, since the
 * size of the variable does. */
static bool is_extended(const struct geo_ir_inst *inst, struct geo_ir_debug_step *step)
{
    if (inst->op != SpvOpUConvert && inst->op != SpvOpSConvert) {
        return false;
    }
    const struct geo_ir_type *from = inst->operands[0]->type, *to = inst->value.type;
    if (from->kind != GEO_TYPE_INT || to->kind != GEO_TYPE_INT) {
        return false;
    }
    step->kind = inst->op == SpvOpUConvert ? GEO_STEP_ZERO_EXTEND : GEO_STEP_SIGN_EXTEND;
    step->number = from->width < to->width ? from->width : to->width;
    return true;
}

/* Expresses a removed instruction by one of its operands: adds a step to the record if needed.
 * Returns the operand; NULL: that is impossible. */
static struct geo_ir_value *operand_instead(struct geo_ir_module *module,
                                            struct geo_ir_record *record,
                                            const struct geo_ir_inst *inst)
{
    int64_t offset;
    uint32_t of = 0;
    struct geo_ir_debug_step step = {.kind = GEO_STEP_ADD_CONSTANT};
    if (geo_op_is(inst->op, GEO_IS_SAME_ADDRESS)) {
        return inst->operands[0];
    }
    if (inst->op == SpvOpCompositeExtract) {
        if (!part_offset(inst->operands[0]->type, inst, &step)) {
            return NULL;
        }
    } else if (is_extended(inst, &step)) {
        /* the step is complete */
    } else if (geo_make_pointer_step(inst->op, inst->value.type, inst->operands,
                                     inst->operand_count, &offset)) {
        step.number = (uint64_t)offset;
    } else if (inst->value.type->kind != GEO_TYPE_INT || inst->operand_count != 2 ||
               !constant_added(inst, &of, &step.number)) {
        return NULL;
    }
    bool changes = step.kind != GEO_STEP_ADD_CONSTANT || step.number != 0;
    if (changes && !geo_ir_record_steps(module, record, 0, &step, 1)) {
        return NULL;
    }
    return inst->operands[of];
}

/* Objects of more parts than this are not taken apart. */
#define MAX_PARTS 16u

/* Adds a record behind *last: the bytes of the variable from `offset` on are this value. */
static void part_add(struct geo_ir_module *module, struct geo_ir_record **last,
                     const struct geo_ir_record *whole, uint64_t offset, struct geo_ir_value *value)
{
    struct geo_ir_record part = *whole;
    part.value = value;
    part.fragment_offset += offset * 8;
    part.fragment_size = geo_ir_components(value->type) * geo_ir_scalar_of(value->type)->size * 8;
    geo_ir_record_add_behind(module->debug, *last, &part);
    *last = (*last)->next ? (*last)->next : *last;
}

/* Returns whether the bytes of a type are those of its parts, one after the other. */
static bool has_parts(const struct geo_ir_type *type)
{
    return (type->kind == GEO_TYPE_STRUCT || type->kind == GEO_TYPE_ARRAY ||
            type->kind == GEO_TYPE_VECTOR) &&
           type->count <= MAX_PARTS && geo_ir_scalar_of(type)->kind != GEO_TYPE_BOOL;
}

/* Replaces a record about a removed OpCompositeConstruct or OpCompositeInsert by records about its
 * parts, which follow it and are settled next. Returns false if it is about something else. */
static bool record_split(struct geo_ir_module *module, struct geo_ir_record *record)
{
    struct geo_ir_record whole = *record, *last = record;
    const struct geo_ir_inst *inst = geo_ir_as_inst(record->value);
    if (record->place != GEO_PLACE_VALUE || record->steps || !has_parts(inst->value.type)) {
        return false;
    }
    if (inst->op == SpvOpCompositeConstruct) {
        const struct geo_ir_type *type = inst->value.type;
        uint64_t offset = 0;
        geo_ir_record_lose(record);
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            part_add(module, &last, &whole,
                     type->kind == GEO_TYPE_STRUCT  ? type->offsets[i]
                     : type->kind == GEO_TYPE_ARRAY ? i * type->element->size
                                                    : offset,
                     inst->operands[i]);
            /* a part of a vector may be a vector, whose size in memory may be larger */
            offset += geo_ir_components(inst->operands[i]->type) *
                      geo_ir_scalar_of(inst->operands[i]->type)->size;
        }
        return true;
    }
    struct geo_ir_debug_step step = {0};
    if (inst->op != SpvOpCompositeInsert || !part_offset(inst->value.type, inst, &step)) {
        return false;
    }
    record->value = inst->operands[1];
    part_add(module, &last, &whole, step.number, inst->operands[0]);
    return true;
}

static void record_settle(struct geo_ir_function *function, struct geo_ir_record *record)
{
    struct geo_ir_value *value = record->value;
    for (uint32_t i = 0; value && i < MAX_SALVAGE && geo_budget_spend(1); i++) {
        value = geo_ir_value_end(value);
        if (geo_pass_debug_alive(value, function)) {
            break;
        }
        record->value = value;
        if (value->kind == GEO_VALUE_INST && record_split(function->module, record)) {
            value = record->value; /* of OpCompositeInsert: the composite without the part */
            continue;
        }
        value = value->kind == GEO_VALUE_INST
                    ? operand_instead(function->module, record, geo_ir_as_inst(value))
                    : NULL;
    }
    if (!value || value->kind == GEO_VALUE_UNDEF || !geo_pass_debug_alive(value, function)) {
        geo_ir_record_lose(record);
    } else {
        record->value = value;
    }
}

/* ---- dominance ---- */

/* The dominator tree, computed for the first record that needs it. */
struct settle {
    struct geo_ir_function *function;
    struct geo_arena arena;
    struct geo_cfg cfg;
    struct geo_dominators tree;
    bool made, failed;
};

static bool tree_make(struct settle *s)
{
    if (!s->made) {
        s->made = true;
        geo_ir_function_number(s->function);
        s->failed =
            !geo_budget_spend((uint64_t)s->function->value_count + s->function->block_count) ||
            !geo_cfg_build(s->function, &s->arena, &s->cfg) ||
            !geo_dominators_compute(&s->cfg, &s->arena, &s->tree);
    }
    return !s->failed;
}

/* Returns whether the value is defined wherever control reaches `inst`. */
static bool is_defined(struct settle *s, const struct geo_ir_value *value,
                       const struct geo_ir_inst *inst)
{
    if (value->kind != GEO_VALUE_INST) {
        return true;
    }
    const struct geo_ir_inst *definition = (const struct geo_ir_inst *)value;
    if (!tree_make(s)) {
        return false;
    }
    if (definition->block == inst->block) {
        return definition->value.index < inst->value.index;
    }
    return geo_cfg_reachable(&s->cfg, inst->block) &&
           geo_block_dominates(&s->tree, definition->block, inst->block);
}

/* Moves the records of the phis of a block behind the last of them. */
static void phis_settle(struct geo_ir_block *block)
{
    struct geo_ir_debug *debug = block->function->module->debug;
    struct geo_ir_inst *behind = block->first; /* the first instruction that is not a phi */
    while (behind && behind->op == SpvOpPhi) {
        behind = behind->next;
    }
    uint32_t list = 0;
    for (struct geo_ir_inst *phi = block->first; phi != behind; phi = phi->next) {
        list = geo_ir_records_join(debug, list, phi->records);
        phi->records = 0;
    }
    if (list) {
        behind->records = geo_ir_records_join(debug, list, behind->records);
    }
}

/* Settles the records in front of an instruction. Returns false if the budget is exceeded. */
static bool records_settle(struct settle *s, struct geo_ir_inst *inst)
{
    geo_ir_for_each_record(record, inst)
    {
        if (!geo_budget_spend(1)) {
            return false;
        }
        if (record->value) {
            record_settle(s->function, record);
        }
        if (record->value && !is_defined(s, record->value, inst)) {
            geo_ir_record_lose(record);
        }
    }
    return geo_budget_spend(1);
}

void geo_pass_debug_settle(struct geo_ir_function *function)
{
    struct settle s = {.function = function};
    bool left = function->module->debug != NULL;
    geo_arena_init(&s.arena, 0);
    for (struct geo_ir_block *block = function->first_block; left && block; block = block->next) {
        phis_settle(block);
        for (struct geo_ir_inst *inst = block->first; left && inst; inst = inst->next) {
            left = records_settle(&s, inst);
        }
    }
    geo_arena_finish(&s.arena);
}

void geo_pass_debug_settle_all(struct geo_ir_module *module)
{
    if (module->debug && module->debug->overflowed) {
        geo_ir_debug_forget(module);
    }
    geo_ir_for_each_function(function, module) {
        geo_pass_debug_settle(function);
    }
}
