/* Finds all accesses of each private variable. See sroa.h.
 *
 * Pointers are followed from the variable through casts and constant steps. Before that, memory
 * copies from or to such a variable are turned into loads and stores of scalars. */
#include "compiler/transform/memory/sroa.h"

#include <spirv/unified1/OpenCL.std.h>

#define MAX_STEPS 64u /* bound on the steps from a copy's pointer back to the variable */
/* A copy of more scalars stays whole if neither side is a variable that can be split. */
#define WHOLE_COPY_LEAVES 16u

/* A position inside a variable, at a constant offset. */
struct place {
    struct geo_ir_inst *variable; /* NULL: the pointer does not point into a known variable */
    int64_t offset;
};

static struct place place_of(struct geo_ir_value *pointer)
{
    struct place place = {NULL, 0};
    int64_t offset = 0, step;
    for (uint32_t depth = 0; depth < MAX_STEPS; depth++) {
        struct geo_ir_inst *inst = geo_ir_as_inst(pointer);
        if (!inst) {
            return place;
        }
        if (inst->op == SpvOpVariable) {
            place.variable = inst;
            place.offset = offset;
            return place;
        }
        if (!geo_make_pointer_step(inst->op, inst->value.type, inst->operands, inst->operand_count,
                                   &step) ||
            __builtin_add_overflow(offset, step, &offset)) {
            return place;
        }
        pointer = inst->operands[0];
    }
    return place;
}

/* ---- copies ---- */

static bool copy_size(const struct geo_ir_inst *copy, uint64_t *size)
{
    if (copy->op == SpvOpCopyMemorySized) {
        return geo_ir_constant_bits(copy->operands[2], size);
    }
    *size = copy->operands[0]->type->element->size;
    return true;
}

/* Lists the scalars of the variable's type in [place, place + size). Returns false if a scalar is
 * cut, there are too many, or the place is outside. */
static bool place_leaves(const struct place *place, uint64_t size, struct sroa_leaf *leaves,
                         uint32_t *count)
{
    const struct geo_ir_type *type = place->variable->value.type->element;
    struct sroa_leaf all[SROA_MAX_LEAVES];
    uint32_t total = 0;
    *count = 0;
    if (place->offset < 0 || (uint64_t)place->offset > type->size ||
        size > type->size - (uint64_t)place->offset ||
        !sroa_leaves(type, 0, all, SROA_MAX_LEAVES, &total)) {
        return false;
    }
    uint64_t begin = (uint64_t)place->offset, end = begin + size;
    for (uint32_t i = 0; i < total; i++) {
        if (all[i].end <= begin || all[i].offset >= end) {
            continue;
        }
        if (all[i].offset < begin || all[i].end > end) {
            return false;
        }
        leaves[*count] = all[i];
        leaves[*count].offset -= begin;
        leaves[(*count)++].end -= begin;
    }
    return true;
}

static uint32_t leaf_align(uint32_t align, const struct geo_ir_type *pointee, bool sized,
                           uint64_t offset)
{
    if (align == 0) {
        align = sized ? 1 : pointee->align;
    }
    uint64_t low = offset & (~offset + 1);
    return offset && low < align ? (uint32_t)low : align;
}

/* Loads all scalars before storing them, since source and target may overlap. */
static bool copy_split(struct sroa *sroa, struct geo_ir_inst *copy, const struct sroa_leaf *leaves,
                       uint32_t count)
{
    struct geo_pass *pass = sroa->pass;
    bool sized = copy->op == SpvOpCopyMemorySized;
    struct geo_ir_value *values[SROA_MAX_LEAVES];
    uint32_t source_align = copy->source_align ? copy->source_align : copy->memory_align;
    for (int store = 0; store < 2; store++) {
        struct geo_ir_value *base = copy->operands[store ? 0 : 1];
        for (uint32_t i = 0; i < count; i++) {
            struct geo_ir_value *pointer =
                geo_make_offset(pass, copy, base, leaves[i].offset, leaves[i].type);
            struct geo_ir_inst *access =
                pointer ? geo_make(pass, copy, store ? SpvOpStore : SpvOpLoad,
                                   store ? pass->type_void : leaves[i].type, store ? 2 : 1, 0, 0)
                        : NULL;
            if (!access) {
                return false;
            }
            access->operands[0] = pointer;
            access->memory_flags = copy->memory_flags;
            access->memory_align = leaf_align(store ? copy->memory_align : source_align,
                                              base->type->element, sized, leaves[i].offset);
            if (store) {
                access->operands[1] = values[i];
            } else {
                values[i] = &access->value;
            }
        }
    }
    geo_ir_inst_remove(copy);
    return true;
}

/* Returns whether a use of a pointer leaves the variable behind it without a chance to be split. */
static bool use_escapes(const struct geo_use *use)
{
    const struct geo_ir_inst *inst = use->user;
    switch (inst->op) {
    case SpvOpLoad:
    case SpvOpExtInst:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
        return false;
    case SpvOpStore:
        return use->operand != 0;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return use->operand > 1;
    default:
        return !geo_op_is(inst->op, GEO_IS_POINTER_STEP) || use->operand != 0 ||
               inst->value.type->kind != GEO_TYPE_POINTER;
    }
}

/* Returns whether some use of the variable escapes. `stack` has room for all values. */
static bool variable_escapes(const struct geo_uses *uses, const struct geo_ir_inst *variable,
                             const struct geo_ir_value **stack)
{
    uint32_t depth = 0, count;
    stack[depth++] = &variable->value;
    while (depth > 0) {
        const struct geo_use *use = geo_uses_of(uses, stack[--depth], &count);
        for (uint32_t i = 0; i < count; i++, use++) {
            if (use_escapes(use)) {
                return true;
            }
            if (geo_op_is(use->user->op, GEO_IS_POINTER_STEP)) {
                stack[depth++] = &use->user->value;
            }
        }
    }
    return false;
}

/* Sets sroa->escaping, if the function has a copy. */
static bool escaping_find(struct sroa *sroa)
{
    struct geo_pass *pass = sroa->pass;
    struct geo_uses uses;
    bool copies = false;
    geo_ir_for_each_block(block, sroa->function) {
        geo_ir_for_each_inst(inst, block) {
            copies |= inst->op == SpvOpCopyMemory || inst->op == SpvOpCopyMemorySized;
        }
    }
    if (!copies) {
        return true;
    }
    geo_ir_function_number(sroa->function);
    size_t count = (size_t)sroa->function->value_count + 1;
    bool *escaping = geo_arena_new_array(&pass->arena, bool, count);
    const struct geo_ir_value **stack =
        geo_arena_new_array(&pass->arena, const struct geo_ir_value *, count);
    if (!escaping || !stack || !geo_uses_build(sroa->function, &pass->arena, &uses)) {
        return geo_pass_no_memory(pass);
    }
    geo_ir_for_each_block(block, sroa->function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpVariable) {
                escaping[inst->value.index] = variable_escapes(&uses, inst, stack);
            }
        }
    }
    sroa->escaping = escaping;
    return true;
}

static bool may_be_split(const struct sroa *sroa, const struct geo_ir_inst *variable)
{
    return variable && !sroa->escaping[variable->value.index];
}

static bool copy_prepare(struct sroa *sroa, struct geo_ir_inst *copy)
{
    struct place to = place_of(copy->operands[0]), from = place_of(copy->operands[1]);
    struct sroa_leaf leaves[SROA_MAX_LEAVES];
    uint32_t count;
    uint64_t size;
    if ((!to.variable && !from.variable) || !copy_size(copy, &size) ||
        (copy->memory_flags & SpvMemoryAccessVolatileMask)) {
        return true;
    }
    bool known = (to.variable && place_leaves(&to, size, leaves, &count)) ||
                 (from.variable && place_leaves(&from, size, leaves, &count));
    if (!known || count > sroa->leaf_budget ||
        (count > WHOLE_COPY_LEAVES && !may_be_split(sroa, to.variable) &&
         !may_be_split(sroa, from.variable))) {
        return true;
    }
    sroa->leaf_budget -= count;
    return copy_split(sroa, copy, leaves, count);
}

/* ---- initialisers ---- */

/* Turns an initialiser into a store before `at`. A large initialiser of a variable in the entry
 * block stays. */
static bool initializer_prepare(struct sroa *sroa, struct geo_ir_inst *variable,
                                struct geo_ir_inst *at)
{
    struct sroa_leaf leaves[SROA_MAX_LEAVES];
    uint32_t count = 0;
    if (variable->operand_count == 0 ||
        (variable->block == sroa->function->first_block &&
         !sroa_leaves(variable->value.type->element, 0, leaves, SROA_MAX_LEAVES, &count))) {
        return true;
    }
    struct geo_ir_inst *store =
        geo_make(sroa->pass, at, SpvOpStore, sroa->pass->type_void, 2, 0, 0);
    if (!store) {
        return false;
    }
    store->operands[0] = &variable->value;
    store->operands[1] = variable->operands[0];
    variable->operand_count = 0;
    return true;
}

/* Moves a variable to the start of the entry block. `leading`: it is there already, and `first` is
 * the first instruction behind the variables. */
static bool variable_prepare(struct sroa *sroa, struct geo_ir_inst *variable,
                             struct geo_ir_inst *first, bool leading)
{
    if (!initializer_prepare(sroa, variable, leading ? first : variable->next)) {
        return false;
    }
    if (!leading) {
        geo_ir_inst_remove(variable);
        geo_ir_inst_insert_before(sroa->function->first_block->first, variable);
    }
    return true;
}

bool sroa_prepare(struct sroa *sroa)
{
    struct geo_ir_inst *first = sroa->function->first_block->first;
    bool leading = true;
    if (!escaping_find(sroa)) {
        return false;
    }
    while (first->op == SpvOpVariable) {
        first = first->next;
    }
    geo_ir_for_each_block(block, sroa->function) {
        geo_ir_for_each_inst(inst, block) {
            bool good = true;
            leading = leading && inst != first;
            switch (inst->op) {
            case SpvOpVariable:
                good = variable_prepare(sroa, inst, first, leading);
                break;
            case SpvOpCopyMemory:
            case SpvOpCopyMemorySized:
                good = copy_prepare(sroa, inst);
                break;
            case SpvOpLifetimeStart:
            case SpvOpLifetimeStop:
                geo_ir_inst_remove(inst);
                break;
            default:
                break;
            }
            if (!good) {
                return false;
            }
        }
    }
    return true;
}

/* ---- accesses ---- */

/* A pointer into the variable whose uses are still to be listed. */
struct follow {
    struct geo_ir_value *pointer;
    int64_t offset; /* constant offset in the variable */
    bool inside;    /* at an unknown offset, inside a range that is already listed */
};

static bool access_add(struct sroa *sroa, struct sroa_variable *variable,
                       const struct sroa_access *access)
{
    if (!geo_array_reserve(&variable->accesses, 1)) {
        return geo_pass_no_memory(sroa->pass);
    }
    variable->accesses.items[variable->accesses.count++] = *access;
    return true;
}

/* Lists an access at a constant position. An access that is partly outside of the variable is
 * undefined and makes the variable escape. */
static bool access_at(struct sroa *sroa, struct sroa_variable *variable, struct geo_ir_inst *inst,
                      enum sroa_kind kind, uint32_t value_operand, int64_t offset,
                      const struct geo_ir_type *type)
{
    uint64_t size = type->kind == GEO_TYPE_VECTOR ? type->count * type->element->size : type->size;
    if (offset < 0 || (uint64_t)offset > variable->type->size ||
        size > variable->type->size - (uint64_t)offset || size == 0) {
        variable->escapes = true;
        return true;
    }
    const struct sroa_access access = {
        inst, kind, value_operand, (uint64_t)offset, (uint64_t)offset + size, type};
    variable->direct &= type == variable->type && inst->operands[0] == &variable->inst->value &&
                        inst->op != SpvOpExtInst;
    return access_add(sroa, variable, &access);
}

/* Lists a chain with a non-constant index: the array or vector that it selects from becomes memory.
 * The element number of OpPtrAccessChain must be 0, since others may lead anywhere in the
 * variable. */
static bool chain_access(struct geo_ir_inst *inst, int64_t offset, struct sroa_access *access)
{
    const struct geo_ir_type *type = inst->operands[0]->type->element;
    uint32_t i = 1;
    uint64_t bits;
    if (geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN)) {
        if (!geo_ir_constant_bits(inst->operands[1], &bits) || bits != 0) {
            return false;
        }
        i = 2;
    } else if (inst->op != SpvOpAccessChain && inst->op != SpvOpInBoundsAccessChain) {
        return false;
    }
    for (; i < inst->operand_count; i++) {
        bool is_struct = type->kind == GEO_TYPE_STRUCT;
        if (!geo_ir_constant_bits(inst->operands[i], &bits)) {
            *access = (struct sroa_access){
                inst, SROA_POINTER, i, (uint64_t)offset, (uint64_t)offset + type->size, type};
            return offset >= 0 && (type->kind == GEO_TYPE_ARRAY || type->kind == GEO_TYPE_VECTOR);
        }
        if (bits >= type->count || type->size > INT64_MAX) {
            return false;
        }
        uint64_t step = is_struct ? type->offsets[bits] : bits * type->element->size;
        type = is_struct ? type->members[bits] : type->element;
        if (__builtin_add_overflow(offset, (int64_t)step, &offset)) {
            return false;
        }
    }
    return false;
}

/* Lists vloadn and vstoren with a constant element number as accesses of n elements. */
static bool ext_access(struct sroa *sroa, struct sroa_variable *variable, const struct follow *at,
                       const struct geo_use *use)
{
    struct geo_ir_inst *inst = use->user;
    bool load = inst->literals[1] == OpenCLstd_Vloadn && use->operand == 1;
    bool store = inst->literals[1] == OpenCLstd_Vstoren && use->operand == 2;
    uint64_t number;
    if ((!load && !store) || at->inside ||
        !geo_ir_constant_bits(inst->operands[load ? 0 : 1], &number) || number > UINT32_MAX) {
        variable->escapes = true;
        return true;
    }
    const struct geo_ir_type *type = load ? inst->value.type : inst->operands[0]->type;
    int64_t offset = at->offset + (int64_t)(number * type->count * type->element->size);
    return access_at(sroa, variable, inst, load ? SROA_LOAD : SROA_STORE, 0, offset, type);
}

/* Handles one use of a pointer into the variable. *next is set if the result is a pointer to
 * follow. */
static bool use_collect(struct sroa *sroa, struct sroa_variable *variable, const struct follow *at,
                        const struct geo_use *use, struct follow *next)
{
    struct geo_ir_inst *inst = use->user;
    bool is_volatile = inst->memory_flags & SpvMemoryAccessVolatileMask;
    int64_t step;
    *next = (struct follow){NULL, 0, false};
    if (inst->op == SpvOpLoad || (inst->op == SpvOpStore && use->operand == 0)) {
        variable->escapes |= is_volatile;
        return at->inside || is_volatile ||
               access_at(sroa, variable, inst, inst->op == SpvOpLoad ? SROA_LOAD : SROA_STORE, 1,
                         at->offset,
                         inst->op == SpvOpLoad ? inst->value.type : inst->operands[1]->type);
    }
    if (inst->op == SpvOpExtInst) {
        return ext_access(sroa, variable, at, use);
    }
    if (!geo_op_is(inst->op, GEO_IS_POINTER_STEP) || use->operand != 0 ||
        inst->value.type->kind != GEO_TYPE_POINTER) {
        variable->escapes = true;
        return true;
    }
    if (at->inside) {
        *next = (struct follow){&inst->value, 0, true};
        return true;
    }
    if (geo_make_pointer_step(inst->op, inst->value.type, inst->operands, inst->operand_count,
                              &step) &&
        !__builtin_add_overflow(at->offset, step, &step)) {
        *next = (struct follow){&inst->value, step, false};
        return true;
    }
    struct sroa_access access;
    if (!chain_access(inst, at->offset, &access) || access.end > variable->type->size ||
        access.end <= access.offset) {
        variable->escapes = true;
        return true;
    }
    variable->direct = false;
    *next = (struct follow){&inst->value, 0, true};
    return access_add(sroa, variable, &access);
}

static bool variable_collect(struct sroa *sroa, struct sroa_variable *variable,
                             struct follow *stack)
{
    uint32_t depth = 0, count;
    stack[depth++] = (struct follow){&variable->inst->value, 0, false};
    while (depth > 0 && !variable->escapes) {
        struct follow at = stack[--depth];
        const struct geo_use *use = geo_uses_of(&sroa->uses, at.pointer, &count);
        for (uint32_t i = 0; i < count; i++) {
            struct follow next;
            if (!use_collect(sroa, variable, &at, &use[i], &next)) {
                return false;
            }
            if (next.pointer) {
                stack[depth++] = next;
            }
        }
    }
    return true;
}

bool sroa_collect(struct sroa *sroa)
{
    struct follow *stack = geo_arena_new_array(&sroa->pass->arena, struct follow,
                                               (size_t)sroa->function->value_count + 1);
    if (!stack) {
        return geo_pass_no_memory(sroa->pass);
    }
    for (uint32_t i = 0; i < sroa->variable_count; i++) {
        if (!variable_collect(sroa, &sroa->variables[i], stack)) {
            return false;
        }
    }
    return true;
}
