/* Rewrites instructions with large values to work on memory. See large_values.c. */
#include "compiler/transform/memory/large_values.h"

/* Creates an instruction without a number, which marks it as created by this pass. */
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

/* ---- places ---- */

bool large_variable(struct large *l, const struct geo_ir_value *value, struct large_place *place)
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
    *place = (struct large_place){&variable->value, value->type->align};
    return true;
}

/* Creates a variable for a constant. Undefined values become zeros, as in lowering. */
static bool constant_make(struct large *l, struct geo_ir_value *value, struct large_place *place)
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
    *place = (struct large_place){&variable->value, value->type->align};
    return true;
}

/* Returns the place of a value that has one. */
static bool place_of(struct large *l, struct geo_ir_value *value, struct large_place *place)
{
    if (!geo_uses_is_local(value)) {
        struct large_place *known = &l->constants[value->index];
        bool made = known->pointer || constant_make(l, value, known);
        *place = *known;
        return made;
    }
    *place = l->places[value->index];
    return true;
}

static bool has_place(const struct large *l, const struct geo_ir_value *value)
{
    if (!geo_uses_is_local(value)) {
        return large_is(value);
    }
    return value->index < l->local_count && l->places[value->index].pointer;
}

/* Returns the member of a place at a path; its pointer is NULL when memory runs out. */
static struct large_place member_of(struct large *l, struct geo_ir_inst *before,
                                    struct large_place place, const uint32_t *path, uint32_t count)
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

/* ---- accesses ---- */

static struct geo_ir_inst *copy_make(struct large *l, struct geo_ir_inst *before,
                                     struct large_place to, struct large_place from,
                                     struct geo_ir_value *bytes)
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

/* Loads the whole value at a place. */
static struct geo_ir_value *load_make(struct large *l, struct geo_ir_inst *before,
                                      struct large_place place)
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

bool large_store(struct large *l, struct geo_ir_inst *before, struct large_place place,
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

/* Writes a value, whether in memory or not, to a place. */
static bool put(struct large *l, struct geo_ir_inst *before, struct large_place to,
                struct geo_ir_value *value)
{
    struct large_place from;
    if (!has_place(l, value)) {
        return large_store(l, before, to, value);
    }
    return place_of(l, value, &from) && copy_make(l, before, to, from, NULL);
}

/* ---- instructions ---- */

static bool load_rewrite(struct large *l, struct geo_ir_inst *load)
{
    struct large_place place = l->places[load->value.index],
                       from = large_accessed(load, load->value.type);
    if (place.pointer != from.pointer) {
        struct geo_ir_inst *copy = copy_make(l, load, place, from, NULL);
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
    struct large_place from;
    struct geo_ir_inst *copy =
        place_of(l, store->operands[1], &from)
            ? copy_make(l, store, large_accessed(store, store->operands[1]->type), from, NULL)
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
    struct large_place from;
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
    struct large_place place = l->places[inst->value.index], from;
    if (!place_of(l, inst->operands[1], &from) ||
        (from.pointer != place.pointer && !copy_make(l, inst, place, from, NULL)) ||
        !put(l, inst, member_of(l, inst, place, inst->literals, inst->literal_count),
             inst->operands[0])) {
        return false;
    }
    geo_ir_inst_remove(inst);
    return true;
}

static bool construct_rewrite(struct large *l, struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        struct large_place member = member_of(l, inst, l->places[inst->value.index], &i, 1);
        if (!put(l, inst, member, inst->operands[i])) {
            return false;
        }
    }
    geo_ir_inst_remove(inst);
    return true;
}

/* Copies the second value to the place, then the first one over it with a length of all bytes or
 * none. */
static bool select_rewrite(struct large *l, struct geo_ir_inst *inst)
{
    struct geo_pass *pass = l->pass;
    struct large_place place = l->places[inst->value.index], from;
    struct geo_ir_value *bytes = geo_make_select(
        pass, inst, inst->operands[0], geo_pass_int(pass, pass->type_i64, inst->value.type->size),
        geo_pass_int(pass, pass->type_i64, 0));
    if (!bytes || !put(l, inst, place, inst->operands[2]) ||
        !place_of(l, inst->operands[1], &from) || !copy_make(l, inst, place, from, bytes)) {
        return false;
    }
    geo_ir_inst_remove(inst);
    return true;
}

/* Rewrites a phi. Predecessors write to a separate place, since all phis of a block change at the
 * same time. */
static bool phi_rewrite(struct large *l, struct geo_ir_inst *phi)
{
    struct large_place arrival = l->arrivals[phi->value.index];
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

/* Rewrites an instruction that needs the values themselves. */
static bool other_rewrite(struct large *l, struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        struct geo_ir_value *value = inst->operands[i];
        if (geo_uses_is_local(value) && has_place(l, value) &&
            !(inst->operands[i] = load_make(l, inst, l->places[value->index]))) {
            return false;
        }
    }
    return !has_place(l, &inst->value) ||
           large_store(l, inst->next, l->places[inst->value.index], &inst->value);
}

bool large_rewrite(struct large *l, struct geo_ir_inst *inst)
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
