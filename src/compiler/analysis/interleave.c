/* Decides which private variables are interleaved. See interleave.h. Called once for each function,
 * before its shapes are computed (lower/state/code.c).
 *
 * Pointers are followed from the variable through chains, casts and phis to loads and stores. Any
 * other use (calls, copies, comparisons, atomics) may depend on the order of bytes, so such a
 * variable is not interleaved. Neither is a variable with accesses of several sizes. */
#include "compiler/analysis/interleave.h"

#include "base/assert.h"
#include "compiler/analysis/ranges.h"
#include "compiler/analysis/uses.h"
#include "compiler/ir/grammar.h"

/* Bound on the values that an offset in bytes is followed through. */
#define OFFSET_VALUES 16u

/* The search for variables of one function that can be interleaved. */
struct marking {
    struct geo_uses uses;
    struct geo_ir_inst **pointers; /* pointers into the current variable, itself first */
    uint32_t count;
    /* by value index: number of the variable that it points into, from 1; 0: none */
    uint32_t *round;
    uint32_t variable;
    uint64_t element; /* size of an element in bytes */
};

/* ---- types ---- */

uint64_t geo_interleave_element(const struct geo_ir_type *type)
{
    while (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ||
           (type->kind == GEO_TYPE_STRUCT && type->count)) {
        type = type->kind == GEO_TYPE_STRUCT ? type->members[0] : type->element;
    }
    return type->size;
}

/* Returns whether a type consists of scalars of that size at multiples of it. At most one level of
 * structs is searched. */
static bool made_of(const struct geo_ir_type *type, uint64_t element, bool in_struct)
{
    while (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY) {
        type = type->element;
        if (type->size % element) {
            return false;
        }
    }
    if (type->kind != GEO_TYPE_STRUCT) {
        return type->size == element;
    }
    for (uint32_t i = 0; i < type->count; i++) {
        if (in_struct || type->offsets[i] % element || !made_of(type->members[i], element, true)) {
            return false;
        }
    }
    return true;
}

/* ---- pointers ---- */

/* Work list of values that must be multiples of the element size, each listed once. A loop's phi is
 * a multiple if its initial value and its increment are. */
struct multiples {
    const struct geo_ir_value *values[OFFSET_VALUES];
    uint32_t count;
    uint64_t element;
};

static bool multiples_note(struct multiples *m, const struct geo_ir_value *value)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->values[i] == value) {
            return true;
        }
    }
    if (m->count == OFFSET_VALUES) {
        return false;
    }
    m->values[m->count++] = value;
    return true;
}

static bool constant_is_multiple(const struct multiples *m, const struct geo_ir_value *value)
{
    int64_t constant;
    return geo_ranges_constant_signed(value, &constant) && (uint64_t)constant % m->element == 0;
}

/* Returns whether a value is a multiple under the condition that the values which it adds to the
 * list are. The element size is a power of two below each width. */
static bool multiples_follow(struct multiples *m, const struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst((struct geo_ir_value *)value);
    int64_t amount;
    if (constant_is_multiple(m, value)) {
        return true;
    }
    if (!inst) {
        return false;
    }
    switch (inst->op) {
    case SpvOpIMul:
    case SpvOpBitwiseAnd:
        return constant_is_multiple(m, inst->operands[1]) || multiples_note(m, inst->operands[0]);
    case SpvOpShiftLeftLogical:
        return geo_ranges_constant_signed(inst->operands[1], &amount) && amount >= 0 &&
               amount < (int64_t)inst->value.type->width &&
               ((uint64_t)1 << amount) % m->element == 0;
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpBitwiseOr:
    case SpvOpSConvert:
    case SpvOpUConvert:
    case SpvOpPhi:
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            if (!multiples_note(m, inst->operands[i])) {
                return false;
            }
        }
        return true;
    default:
        return false;
    }
}

static bool offset_is_multiple(const struct geo_ir_value *offset, uint64_t element)
{
    struct multiples m = {.values = {offset}, .count = 1, .element = element};
    for (uint32_t i = 0; i < m.count; i++) {
        if (!multiples_follow(&m, m.values[i])) {
            return false;
        }
    }
    return true;
}

/* Returns whether an index keeps the address a multiple of the element. Byte chains are common
 * where pointers are untyped. */
static bool index_keeps(const struct geo_ir_value *index, uint64_t size, uint64_t element)
{
    return size % element == 0 || offset_is_multiple(index, element);
}

static bool chain_keeps(const struct geo_ir_inst *inst, uint64_t element)
{
    const struct geo_ir_type *type = inst->operands[0]->type->element;
    uint32_t first = 1;
    if (geo_op_is(inst->op, GEO_IS_ELEMENT_CHAIN)) {
        if (!index_keeps(inst->operands[1], type->size, element)) {
            return false;
        }
        first = 2;
    }
    for (uint32_t i = first; i < inst->operand_count; i++) {
        uint64_t member;
        bool keeps;
        if (type->kind == GEO_TYPE_STRUCT) {
            if (!geo_ir_constant_bits(inst->operands[i], &member) || member >= type->count) {
                return false;
            }
            keeps = type->offsets[member] % element == 0;
            type = type->members[member];
        } else {
            type = type->element;
            keeps = type && index_keeps(inst->operands[i], type->size, element);
        }
        if (!keeps) {
            return false;
        }
    }
    return true;
}

static bool step_keeps(const struct geo_ir_inst *inst, uint64_t element)
{
    if (inst->value.type->kind != GEO_TYPE_POINTER ||
        inst->operands[0]->type->kind != GEO_TYPE_POINTER) {
        return false;
    }
    if (geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN)) {
        return inst->operands[0]->type->element && chain_keeps(inst, element);
    }
    switch ((uint32_t)inst->op) {
    case GEO_OP_PTR_ADD:
        return offset_is_multiple(inst->operands[1], element);
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
        return true;
    default:
        return false;
    }
}

static void pointer_add(struct marking *m, struct geo_ir_inst *pointer)
{
    if (m->round[pointer->value.index] != m->variable) {
        m->round[pointer->value.index] = m->variable;
        GEO_ASSERT(m->count < pointer->block->function->value_count);
        m->pointers[m->count++] = pointer;
    }
}

/* Checks that all operands of followed phis, as in loops that step through arrays, point into this
 * variable. */
static bool phis_keep(const struct marking *m)
{
    for (uint32_t i = 1; i < m->count; i++) {
        const struct geo_ir_inst *phi = m->pointers[i];
        for (uint32_t k = 0; phi->op == SpvOpPhi && k < phi->operand_count; k++) {
            const struct geo_ir_inst *operand = geo_ir_as_inst(phi->operands[k]);
            if (!operand || m->round[operand->value.index] != m->variable) {
                return false;
            }
        }
    }
    return true;
}

/* Returns whether a use works with any order of lanes. Pointers that it derives are added to the
 * list. */
static bool use_keeps(struct marking *m, const struct geo_use *use)
{
    struct geo_ir_inst *user = use->user;
    if (user->op == SpvOpLifetimeStart || user->op == SpvOpLifetimeStop) {
        return true;
    }
    if (user->op == SpvOpPhi) {
        pointer_add(m, user);
        return true;
    }
    if (use->operand != 0) {
        return false;
    }
    if (user->op == SpvOpLoad) {
        return made_of(user->value.type, m->element, false);
    }
    if (user->op == SpvOpStore) {
        return made_of(user->operands[1]->type, m->element, false);
    }
    if (!step_keeps(user, m->element)) {
        return false;
    }
    pointer_add(m, user);
    return true;
}

static bool variable_keeps(struct marking *m, struct geo_ir_inst *variable)
{
    m->element = geo_interleave_element(variable->value.type->element);
    m->variable++;
    m->count = 0;
    pointer_add(m, variable);
    if (variable->operand_count || m->element == 0 || m->element > 8 ||
        (m->element & (m->element - 1))) {
        return false;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t count;
        const struct geo_use *uses = geo_uses_of(&m->uses, &m->pointers[i]->value, &count);
        for (uint32_t k = 0; k < count; k++) {
            if (!use_keeps(m, &uses[k])) {
                return false;
            }
        }
    }
    return phis_keep(m);
}

bool geo_interleave_mark(struct geo_ir_function *function, struct geo_arena *arena)
{
    struct marking m = {0};
    for (struct geo_ir_inst *inst = function->first_block->first; inst; inst = inst->next) {
        if (inst->op != SpvOpVariable) {
            continue;
        }
        if (!m.pointers) {
            m.pointers =
                geo_arena_new_array(arena, struct geo_ir_inst *, function->value_count + 1);
            m.round = geo_arena_new_array(arena, uint32_t, function->value_count + 1);
            if (!m.pointers || !m.round || !geo_uses_build(function, arena, &m.uses)) {
                return false;
            }
        }
        if (variable_keeps(&m, inst)) {
            for (uint32_t i = 0; i < m.count; i++) {
                m.pointers[i]->value.flags |= GEO_VALUE_INTERLEAVED;
            }
        }
    }
    return true;
}
