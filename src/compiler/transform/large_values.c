/* Large values stay in memory.
 *
 * Lowering holds a value as a register for each scalar and lane: a structure of thousands of them,
 * loaded here and stored there, would be as many instructions. So
 *
 *  - a load that is only stored again, before anything is written, becomes a copy of memory;
 *  - every other value of more scalars than scalar replacement takes apart gets a home, a private
 *    variable. What makes the value writes there and what uses it reads there: wholes by copies of
 *    memory, members by loads and stores.
 *
 * Both take a few instructions for each that was there. What knows values alone, calls that stay
 * calls, is given a load of the home and has its result stored there.
 *
 * A copy reads all of its source before it writes (lower/memory/copy.c), as load and store do. */
#include "compiler/transform/internal.h"

/* Loads of more scalars are worth a copy. */
#define COPY_LEAVES 64u

/* Where a value is; no pointer: nowhere, it stays a value. */
struct place {
    struct geo_ir_value *pointer;
    uint32_t align;
};

struct large {
    struct geo_pass *pass;
    struct geo_ir_function *function;
    struct geo_uses uses;
    uint32_t *writes;          /* [value index] of an instruction: writes before it in its block */
    struct place *places;      /* [value index] */
    struct place *arrivals;    /* [value index] of a phi: what the blocks before it write */
    struct place *constants;   /* [module value index]: variables that hold them */
    uint32_t local_count;      /* of values that the function has without what is made */
    struct geo_ir_inst *start; /* of the function, behind its variables */
};

static bool is_composite(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_STRUCT || type->kind == GEO_TYPE_ARRAY;
}

static bool is_large(const struct geo_ir_value *value)
{
    return is_composite(value->type) && value->type->leaves > GEO_LIMIT_VALUE_LEAVES;
}

/* Instructions that this pass makes have no number. */
static struct geo_ir_inst *make(struct large *l, struct geo_ir_inst *before, SpvOp op,
                                const struct geo_ir_type *type, uint32_t operands,
                                uint32_t literals)
{
    struct geo_ir_inst *inst = geo_make(l->pass, before, op, type, operands, literals, 0);
    if (inst) {
        inst->value.index = UINT32_MAX;
    }
    return inst;
}

static bool is_numbered(const struct large *l, const struct geo_ir_inst *inst)
{
    return inst->value.index < l->local_count;
}

/* ---- places ---- */

static bool variable_make(struct large *l, const struct geo_ir_value *value, struct place *place)
{
    struct geo_pass *pass = l->pass;
    const struct geo_ir_type *type =
        geo_ir_type_pointer(pass->module, value->type, SpvStorageClassFunction);
    struct geo_ir_inst *variable =
        make(l, l->function->first_block->first, SpvOpVariable, type, 0, 1);
    if (!variable) {
        return false;
    }
    variable->literals[0] = SpvStorageClassFunction;
    variable->value.id = value->id;
    variable->value.name = value->name;
    *place = (struct place){&variable->value, value->type->align};
    return true;
}

/* Undefined values are zeros, as lowering has them. */
static bool constant_make(struct large *l, struct geo_ir_value *value, struct place *place)
{
    struct geo_pass *pass = l->pass;
    const struct geo_ir_type *type =
        geo_ir_type_pointer(pass->module, value->type, SpvStorageClassUniformConstant);
    struct geo_ir_variable *variable = type ? geo_ir_variable_create(pass->module, type) : NULL;
    if (variable) {
        variable->is_constant = true;
        variable->value.id = value->id;
        variable->initializer =
            value->kind == GEO_VALUE_UNDEF ? geo_ir_const_null(pass->module, value->type) : value;
    }
    if (!variable || !variable->initializer) {
        return geo_pass_no_memory(pass);
    }
    *place = (struct place){&variable->value, value->type->align};
    return true;
}

/* The place of a value that has one. */
static bool place_of(struct large *l, struct geo_ir_value *value, struct place *place)
{
    if (!geo_value_is_local(value)) {
        struct place *known = &l->constants[value->index];
        bool made = known->pointer || constant_make(l, value, known);
        *place = *known;
        return made;
    }
    *place = l->places[value->index];
    return true;
}

static bool has_place(const struct large *l, const struct geo_ir_value *value)
{
    if (!geo_value_is_local(value)) {
        return is_large(value);
    }
    return value->index < l->local_count && l->places[value->index].pointer;
}

/* The member of a place that the path names; NULL pointer: no memory. */
static struct place member_of(struct large *l, struct geo_ir_inst *before, struct place place,
                              const uint32_t *path, uint32_t count)
{
    const struct geo_ir_type *type = place.pointer->type->element;
    uint64_t offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool member = type->kind == GEO_TYPE_STRUCT;
        offset += member ? type->offsets[path[i]] : path[i] * type->element->size;
        type = member ? type->members[path[i]] : type->element;
    }
    uint64_t lowest = offset & -offset;
    if (lowest && lowest < place.align) {
        place.align = (uint32_t)lowest;
    }
    place.pointer = geo_make_offset(l->pass, before, place.pointer, offset, type);
    return place;
}

/* ---- what is done with them ---- */

static struct geo_ir_inst *copy_make(struct large *l, struct geo_ir_inst *before, struct place to,
                                     struct place from, struct geo_ir_value *bytes)
{
    struct geo_ir_inst *copy = to.pointer && from.pointer
                                   ? make(l, before, bytes ? SpvOpCopyMemorySized : SpvOpCopyMemory,
                                          l->pass->type_void, bytes ? 3 : 2, 0)
                                   : NULL;
    if (copy) {
        copy->operands[0] = to.pointer;
        copy->operands[1] = from.pointer;
        if (bytes) {
            copy->operands[2] = bytes;
        }
        copy->memory_align = to.align;
        copy->source_align = from.align;
    }
    return copy;
}

/* The value at a place, whole. */
static struct geo_ir_value *load_make(struct large *l, struct geo_ir_inst *before,
                                      struct place place)
{
    struct geo_ir_inst *load =
        place.pointer ? make(l, before, SpvOpLoad, place.pointer->type->element, 1, 0) : NULL;
    if (!load) {
        return NULL;
    }
    load->operands[0] = place.pointer;
    load->memory_align = place.align;
    return &load->value;
}

static bool store_make(struct large *l, struct geo_ir_inst *before, struct place place,
                       struct geo_ir_value *value)
{
    struct geo_ir_inst *store =
        place.pointer ? make(l, before, SpvOpStore, l->pass->type_void, 2, 0) : NULL;
    if (!store) {
        return false;
    }
    store->operands[0] = place.pointer;
    store->operands[1] = value;
    store->memory_align = place.align;
    return true;
}

/* The value, wherever it is, goes to a place. */
static bool put(struct large *l, struct geo_ir_inst *before, struct place to,
                struct geo_ir_value *value)
{
    struct place from;
    if (!has_place(l, value)) {
        return store_make(l, before, to, value);
    }
    return place_of(l, value, &from) && copy_make(l, before, to, from, NULL);
}

/* ---- instructions ---- */

static struct place accessed(const struct geo_ir_inst *inst, const struct geo_ir_type *type)
{
    return (struct place){inst->operands[0], inst->memory_align ? inst->memory_align : type->align};
}

static bool load_rewrite(struct large *l, struct geo_ir_inst *load)
{
    struct place home = l->places[load->value.index], from = accessed(load, load->value.type);
    if (home.pointer != from.pointer) {
        struct geo_ir_inst *copy = copy_make(l, load, home, from, NULL);
        if (!copy) {
            return false;
        }
        copy->memory_flags = load->memory_flags;
    }
    geo_ir_inst_remove(load);
    return true;
}

static bool store_rewrite(struct large *l, struct geo_ir_inst *store)
{
    struct place from;
    struct geo_ir_inst *copy =
        place_of(l, store->operands[1], &from)
            ? copy_make(l, store, accessed(store, store->operands[1]->type), from, NULL)
            : NULL;
    if (!copy) {
        return false;
    }
    copy->memory_flags = store->memory_flags;
    geo_ir_inst_remove(store);
    return true;
}

static bool extract_rewrite(struct large *l, struct geo_ir_inst *inst)
{
    struct place from;
    if (!place_of(l, inst->operands[0], &from)) {
        return false;
    }
    from = member_of(l, inst, from, inst->literals, inst->literal_count);
    if (has_place(l, &inst->value)) {
        if (!copy_make(l, inst, l->places[inst->value.index], from, NULL)) {
            return false;
        }
    } else if (!(inst->value.forward = load_make(l, inst, from))) {
        return false;
    }
    geo_ir_inst_remove(inst);
    return true;
}

static bool insert_rewrite(struct large *l, struct geo_ir_inst *inst)
{
    struct place home = l->places[inst->value.index], from;
    if (!place_of(l, inst->operands[1], &from) ||
        (from.pointer != home.pointer && !copy_make(l, inst, home, from, NULL)) ||
        !put(l, inst, member_of(l, inst, home, inst->literals, inst->literal_count),
             inst->operands[0])) {
        return false;
    }
    geo_ir_inst_remove(inst);
    return true;
}

static bool construct_rewrite(struct large *l, struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        struct place member = member_of(l, inst, l->places[inst->value.index], &i, 1);
        if (!put(l, inst, member, inst->operands[i])) {
            return false;
        }
    }
    geo_ir_inst_remove(inst);
    return true;
}

/* One of them, then the other over it or not. */
static bool select_rewrite(struct large *l, struct geo_ir_inst *inst)
{
    struct geo_pass *pass = l->pass;
    struct place home = l->places[inst->value.index], from;
    struct geo_ir_value *bytes = geo_make_select(
        pass, inst, inst->operands[0], geo_pass_int(pass, pass->type_i64, inst->value.type->size),
        geo_pass_int(pass, pass->type_i64, 0));
    if (!bytes || !put(l, inst, home, inst->operands[2]) ||
        !place_of(l, inst->operands[1], &from) || !copy_make(l, inst, home, from, bytes)) {
        return false;
    }
    geo_ir_inst_remove(inst);
    return true;
}

/* What arrives goes through a place of its own: all phis of a block change at once. */
static bool phi_rewrite(struct large *l, struct geo_ir_inst *phi)
{
    struct place arrival = l->arrivals[phi->value.index];
    struct geo_ir_inst *behind = phi;
    while (behind->op == SpvOpPhi) {
        behind = behind->next;
    }
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        if (!put(l, phi->targets[i]->last, arrival, phi->operands[i])) {
            return false;
        }
    }
    if (!copy_make(l, behind, l->places[phi->value.index], arrival, NULL)) {
        return false;
    }
    geo_ir_inst_remove(phi);
    return true;
}

/* What knows values alone. */
static bool other_rewrite(struct large *l, struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        struct geo_ir_value *value = inst->operands[i];
        if (geo_value_is_local(value) && has_place(l, value) &&
            !(inst->operands[i] = load_make(l, inst, l->places[value->index]))) {
            return false;
        }
    }
    return !has_place(l, &inst->value) ||
           store_make(l, inst->next, l->places[inst->value.index], &inst->value);
}

static bool inst_rewrite(struct large *l, struct geo_ir_inst *inst)
{
    bool result = has_place(l, &inst->value);
    switch (inst->op) {
    case SpvOpLoad:
        return !result || load_rewrite(l, inst);
    case SpvOpStore:
        return !has_place(l, inst->operands[1]) || store_rewrite(l, inst);
    case SpvOpCompositeExtract:
        return !has_place(l, inst->operands[0]) || extract_rewrite(l, inst);
    case SpvOpCompositeInsert:
        return !result || insert_rewrite(l, inst);
    case SpvOpCompositeConstruct:
        return !result || construct_rewrite(l, inst);
    case SpvOpSelect:
        return !result || select_rewrite(l, inst);
    case SpvOpPhi:
        return !result || phi_rewrite(l, inst);
    default:
        return other_rewrite(l, inst);
    }
}

/* ---- which values, and where ---- */

static bool uses_agree(const struct large *l, const struct geo_ir_inst *load)
{
    uint32_t count;
    const struct geo_use *use = geo_uses_of(&l->uses, &load->value, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_ir_inst *user = use[i].user;
        bool member =
            user->op == SpvOpCompositeExtract && is_large(&load->value) && !is_large(&user->value);
        if (!((user->op == SpvOpStore && use[i].operand == 1) || member) ||
            user->block != load->block ||
            l->writes[user->value.index] != l->writes[load->value.index]) {
            return false;
        }
    }
    return true;
}

/* Does the memory that is loaded from hold the value wherever it is used? */
static bool is_direct(const struct large *l, const struct geo_ir_inst *load)
{
    return load->op == SpvOpLoad && is_composite(load->value.type) &&
           load->value.type->leaves > COPY_LEAVES &&
           !(load->memory_flags & SpvMemoryAccessVolatileMask) && uses_agree(l, load);
}

/* The value that an insert changes, when nobody else wants it as it was: they share a home. */
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
    struct place *place = &l->places[inst->value.index];
    if (is_direct(l, inst)) {
        *place = accessed(inst, inst->value.type);
        return true;
    }
    if (!is_large(&inst->value)) {
        return true;
    }
    const struct geo_ir_inst *before = insert_takes(l, inst);
    if (before) {
        *place = l->places[before->value.index];
        return true;
    }
    return variable_make(l, &inst->value, place) &&
           (inst->op != SpvOpPhi ||
            variable_make(l, &inst->value, &l->arrivals[inst->value.index]));
}

static bool places_make(struct large *l)
{
    for (uint32_t i = 0; i < l->function->parameter_count; i++) {
        struct geo_ir_value *parameter = l->function->parameters[i];
        if (is_large(parameter) &&
            (!variable_make(l, parameter, &l->places[parameter->index]) ||
             !store_make(l, l->start, l->places[parameter->index], parameter))) {
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

/* Is there anything to do? */
static bool is_wanted(const struct geo_ir_function *function)
{
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        if (is_large(function->parameters[i])) {
            return true;
        }
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (is_large(&inst->value) || (inst->op == SpvOpStore && is_large(inst->operands[1])) ||
                (inst->op == SpvOpLoad && is_composite(inst->value.type) &&
                 inst->value.type->leaves > COPY_LEAVES)) {
                return true;
            }
        }
    }
    return false;
}

/* Without optimisation nobody has done it before. */
static void copies_forward(struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpCopyObject && is_composite(inst->value.type)) {
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
    l->places = geo_arena_new_array(arena, struct place, l->local_count);
    l->arrivals = geo_arena_new_array(arena, struct place, l->local_count);
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
            if (is_numbered(l, inst) && !inst_rewrite(l, inst)) {
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
    struct place *constants =
        good ? geo_arena_new_array(&pass.arena, struct place, module->next_index) : NULL;
    good = good && (constants || geo_pass_no_memory(&pass));
    geo_ir_for_each_function(function, module) {
        struct large l = {.pass = &pass, .function = function, .constants = constants};
        good = good && (!function->first_block || function_narrow(&l));
    }
    return geo_pass_end(&pass);
}
