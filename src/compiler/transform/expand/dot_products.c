/* Finds dot products of small integers that a program writes out, and replaces them by
 * OpSDot, OpUDot and OpSUDot, for which targets have instructions (lower/instruction/dot.c):
 *
 *     sum + x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w      -->      dot(x, y) + sum
 *
 * Components are bytes, or 16-bit numbers with signs, that are extended to 32 bits. Instead of
 * y.i there may be a constant that fits in a component: 77 * x.x + 150 * x.y + 29 * x.z. A group
 * of products is replaced if it has all components of x, or three of four bytes. Products and
 * sums may also be of whole vectors, whose components are added in the end. Sums of 32 bits wrap
 * around, so their order does not matter. */
#include "compiler/transform/pass/pass.h"

#include "compiler/ir/budget.h"
#include "compiler/ir/dot.h"

#include <string.h>

#define TERMS_LIMIT      64u /* terms of one sum that are looked at together */
#define COMPONENTS_LIMIT 16u
#define SHUFFLES_LIMIT   8u
#define WHOLE            UINT32_MAX /* instead of the index of a component */

/* A number of 32 bits: a value, or a component of a vector. */
struct number {
    struct geo_ir_value *value;
    uint32_t index; /* WHOLE: the value itself */
};

/* A component of a vector, extended to 32 bits. */
struct component {
    struct geo_ir_value *vector; /* NULL: the number is a constant */
    uint32_t index;
    bool is_signed;
    int64_t number;
};

/* One term of a sum. If `is_product`, it is the product of two components, the first of which is
 * not a constant. */
struct term {
    struct number number;
    bool is_product;
    struct component a, b;
};

/* The products of components of one vector with those of another, or with constants. */
struct group {
    const struct term *first;
    struct geo_ir_value *a, *b; /* b NULL: constants */
    uint32_t found;             /* bit mask of components */
    int64_t numbers[COMPONENTS_LIMIT];
    bool members[TERMS_LIMIT]; /* by term */
};

/* One sum: a tree of additions. */
struct sum {
    struct geo_pass *pass;
    const struct geo_uses *uses;
    bool *inner; /* by value index: additions that belong to a larger sum */
    struct geo_ir_inst *root;
    struct term terms[TERMS_LIMIT];
    bool gone[TERMS_LIMIT]; /* by term: belongs to a dot product */
    uint32_t count;
    struct group group; /* the one that is looked at */
};

/* ---- components and products ---- */

static bool is_extension(const struct geo_ir_inst *inst)
{
    return inst && (inst->op == SpvOpSConvert || inst->op == SpvOpUConvert) &&
           !(inst->value.flags & GEO_VALUE_SATURATED) &&
           geo_ir_scalar_of(inst->operands[0]->type)->width <
               geo_ir_scalar_of(inst->value.type)->width;
}

static bool is_extract(const struct geo_ir_inst *inst)
{
    return inst && inst->op == SpvOpCompositeExtract && inst->literal_count == 1 &&
           inst->operands[0]->type->kind == GEO_TYPE_VECTOR;
}

/* Returns a number of 32 bits, or the component of a vector that it was taken out of. */
static struct number number_of(struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    return is_extract(inst) ? (struct number){inst->operands[0], inst->literals[0]}
                            : (struct number){value, WHOLE};
}

/* Returns the same component of another value. */
static struct number number_in(struct number number, struct geo_ir_value *value)
{
    return number.index == WHOLE ? number_of(value) : (struct number){value, number.index};
}

/* Sets `out` to the constant, or the component of a vector of smaller integers, that a number is. */
static bool component_of(struct number number, struct component *out)
{
    uint64_t bits;
    struct geo_ir_inst *inst = geo_ir_as_inst(number.value);
    struct geo_ir_constant *constant = geo_ir_as_constant(number.value);
    struct geo_ir_value *scalar =
        number.index == WHOLE ? number.value
        : constant && constant->members && number.index < constant->value.type->count
            ? constant->members[number.index]
            : NULL;
    if (scalar && geo_ir_constant_bits(scalar, &bits)) {
        *out = (struct component){.number = (int32_t)(uint32_t)bits};
        return true;
    }
    if (!is_extension(inst)) {
        return false;
    }
    struct number from = number_in(number, inst->operands[0]);
    *out = (struct component){
        .vector = from.value, .index = from.index, .is_signed = inst->op == SpvOpSConvert};
    return from.index != WHOLE;
}

/* Sets the factors of a term: a product of two components, or one component times 1. */
static void term_factors(struct term *term)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(term->number.value);
    if (inst && inst->op == SpvOpIMul) {
        term->is_product = component_of(number_in(term->number, inst->operands[0]), &term->a) &&
                           component_of(number_in(term->number, inst->operands[1]), &term->b);
    } else {
        term->is_product = component_of(term->number, &term->a);
        term->b = (struct component){.number = 1};
    }
    if (term->b.vector && (!term->a.vector || term->b.vector->index < term->a.vector->index)) {
        struct component first = term->a;
        term->a = term->b;
        term->b = first;
    }
    term->is_product = term->is_product && term->a.vector &&
                       (!term->b.vector || (term->a.index == term->b.index &&
                                            term->a.vector->type == term->b.vector->type));
}

/* ---- sums ---- */

/* Returns whether an instruction is an addition of 32 bits, or a component of one of vectors. */
static bool is_sum(struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    const struct geo_ir_inst *from = geo_ir_as_inst(number_of(&inst->value).value);
    return type && type->kind == GEO_TYPE_INT && type->width == 32 && from && from->op == SpvOpIAdd;
}

/* Returns whether a number is an addition whose operands are terms of the sum: one that only the
 * sum uses, or a component of an addition of vectors. */
static bool is_inner(const struct sum *sum, struct number number)
{
    uint32_t count = 0;
    const struct geo_ir_inst *inst = geo_ir_as_inst(number.value);
    if (!inst || inst->op != SpvOpIAdd || number.index != WHOLE) {
        return inst && inst->op == SpvOpIAdd;
    }
    geo_uses_of(sum->uses, number.value, &count);
    return count == 1 && inst->block == sum->root->block;
}

/* Follows a component through shuffles of vectors. */
static struct number shuffles_follow(struct number number)
{
    for (uint32_t i = 0; i < SHUFFLES_LIMIT && number.index != WHOLE; i++) {
        const struct geo_ir_inst *inst = geo_ir_as_inst(number.value);
        if (!inst || inst->op != SpvOpVectorShuffle || number.index >= inst->literal_count ||
            inst->literals[number.index] == UINT32_MAX) {
            break;
        }
        uint32_t pick = inst->literals[number.index];
        uint32_t low = (uint32_t)inst->operands[0]->type->count;
        number = pick < low ? (struct number){inst->operands[0], pick}
                            : (struct number){inst->operands[1], pick - low};
    }
    return number;
}

/* Puts a number on the stack of those to visit. */
static void number_push(struct sum *sum, struct number *stack, uint32_t *depth,
                        struct number number, struct geo_ir_value *operand)
{
    if (is_extract(geo_ir_as_inst(operand))) {
        sum->inner[operand->index] = true;
    }
    stack[(*depth)++] = number_in(number, operand);
}

/* Collects the terms of a sum from left to right. Additions beyond the limit are terms. */
static void terms_collect(struct sum *sum, struct geo_ir_inst *root)
{
    struct number number = number_of(&root->value), stack[TERMS_LIMIT];
    uint32_t depth = 0;
    sum->root = root;
    sum->count = 0;
    memset(sum->gone, 0, sizeof(sum->gone));
    do {
        bool first = !sum->count && !depth;
        number = first ? number : shuffles_follow(stack[--depth]);
        if (first || (is_inner(sum, number) && sum->count + depth + 2 <= TERMS_LIMIT)) {
            struct geo_ir_inst *inst = geo_ir_as_inst(number.value);
            if (number.index == WHOLE) {
                sum->inner[inst->value.index] = true;
            }
            number_push(sum, stack, &depth, number, inst->operands[1]);
            number_push(sum, stack, &depth, number, inst->operands[0]);
            continue;
        }
        struct term *term = &sum->terms[sum->count++];
        *term = (struct term){.number = number};
        term_factors(term);
    } while (depth);
}

/* ---- groups of products ---- */

static bool belongs(const struct group *group, const struct term *term)
{
    const struct term *first = group->first;
    return term->is_product && term->a.vector == group->a && term->b.vector == group->b &&
           term->a.is_signed == first->a.is_signed &&
           (!group->b || term->b.is_signed == first->b.is_signed) &&
           !(group->found >> term->a.index & 1);
}

/* Collects the products that belong together with term `first`. */
static void group_collect(const struct sum *sum, uint32_t first, struct group *group)
{
    const struct term *term = &sum->terms[first];
    *group = (struct group){.first = term, .a = term->a.vector, .b = term->b.vector};
    for (uint32_t i = first; i < sum->count; i++) {
        term = &sum->terms[i];
        if (belongs(group, term)) {
            group->members[i] = true;
            group->found |= 1u << term->a.index;
            group->numbers[term->a.index] = term->b.number;
        }
    }
}

/* Chooses whether a group's constants have signs. Returns false if they do not fit. */
static bool constants_fit(const struct group *group, bool *is_signed)
{
    const struct geo_ir_type *type = group->a->type;
    int64_t end = INT64_C(1) << type->element->width, least = 0, most = 0;
    for (uint32_t i = 0; i < type->count; i++) {
        least = group->numbers[i] < least ? group->numbers[i] : least;
        most = group->numbers[i] > most ? group->numbers[i] : most;
    }
    *is_signed = least >= -end / 2 && most < end / 2;
    return *is_signed || (least >= 0 && most < end);
}

/* Returns the instruction that computes a group, or OpNop if the group stays as it is. */
static SpvOp group_op(const struct group *group, bool *swapped)
{
    const struct geo_ir_type *type = group->a->type;
    bool a_signed = group->first->a.is_signed, b_signed = group->first->b.is_signed;
    if (type->count > COMPONENTS_LIMIT || type->element->kind != GEO_TYPE_INT ||
        (!group->b && !constants_fit(group, &b_signed))) {
        return SpvOpNop;
    }
    uint32_t all = (1u << type->count) - 1,
             missing = (uint32_t)__builtin_popcount(all & ~group->found);
    if (missing > (type->count == 4 && type->element->width == 8)) {
        return SpvOpNop;
    }
    *swapped = !a_signed && b_signed;
    SpvOp op = a_signed && b_signed ? SpvOpSDot : a_signed || b_signed ? SpvOpSUDot : SpvOpUDot;
    return geo_dot_has_words(op, type, 32) ? op : SpvOpNop;
}

/* ---- replacing ---- */

/* Returns the vector of a group's constants, with 0 for missing components. */
static struct geo_ir_value *constants_make(struct geo_pass *pass, const struct group *group)
{
    const struct geo_ir_type *type = group->a->type;
    struct geo_ir_value *members[COMPONENTS_LIMIT];
    for (uint32_t i = 0; i < type->count; i++) {
        members[i] =
            geo_pass_int(pass, type->element,
                         (uint64_t)group->numbers[i] & (UINT64_MAX >> (64 - type->element->width)));
        if (!members[i]) {
            return NULL;
        }
    }
    struct geo_ir_constant *vector = geo_ir_const_composite(pass->module, type, members);
    if (!vector) {
        geo_pass_no_memory(pass);
        return NULL;
    }
    return &vector->value;
}

/* Returns vector `b` of a group, in which missing components are 0. */
static struct geo_ir_value *second_make(struct geo_pass *pass, const struct group *group,
                                        struct geo_ir_inst *before)
{
    const struct geo_ir_type *type = group->a->type;
    uint32_t count = (uint32_t)type->count;
    if (!group->b) {
        return constants_make(pass, group);
    }
    if (group->found == (1u << count) - 1) {
        return group->b;
    }
    struct geo_ir_inst *shuffle = geo_make(pass, before, SpvOpVectorShuffle, type, 2, count, 0);
    struct geo_ir_value *zero = geo_ir_const_null(pass->module, type);
    if (!shuffle || !zero) {
        geo_pass_no_memory(pass);
        return NULL;
    }
    shuffle->operands[0] = group->b;
    shuffle->operands[1] = zero;
    for (uint32_t i = 0; i < count; i++) {
        shuffle->literals[i] = group->found >> i & 1 ? i : count + i;
    }
    return &shuffle->value;
}

/* Returns the value of a term, before the sum. */
static struct geo_ir_value *term_value(const struct sum *sum, const struct term *term)
{
    const struct number *number = &term->number;
    return number->index == WHOLE
               ? number->value
               : geo_make_extract(sum->pass, sum->root, number->value->type->element, number->value,
                                  &number->index, 1);
}

/* Adds a value to a sum, which may be empty. */
static bool add(struct sum *sum, struct geo_ir_value **total, struct geo_ir_value *value)
{
    const struct geo_ir_type *type = sum->root->value.type;
    *total = *total && value ? geo_make_binary(sum->pass, sum->root, SpvOpIAdd, type, *total, value)
                             : value;
    return *total != NULL;
}

/* Adds the dot product of the group that begins with term `first`, if its products form one. */
static bool group_rewrite(struct sum *sum, uint32_t first, struct geo_ir_value **total)
{
    struct group *group = &sum->group;
    bool swapped = false;
    group_collect(sum, first, group);
    SpvOp op = group_op(group, &swapped);
    if (op == SpvOpNop) {
        return true;
    }
    struct geo_ir_value *b = second_make(sum->pass, group, sum->root);
    for (uint32_t i = first; i < sum->count; i++) {
        sum->gone[i] |= group->members[i];
    }
    return add(sum, total,
               geo_make_binary(sum->pass, sum->root, op, sum->root->value.type,
                               swapped ? b : group->a, swapped ? group->a : b));
}

/* Replaces groups of products. The other terms are added last, and in reverse order: the sum of
 * earlier iterations is most often the first one, and this keeps its dependency chain short. */
static bool sum_rewrite(struct sum *sum, bool *changed)
{
    struct geo_ir_value *total = NULL;
    for (uint32_t i = 0; i < sum->count; i++) {
        if (!sum->gone[i] && sum->terms[i].is_product && !group_rewrite(sum, i, &total)) {
            return false;
        }
    }
    if (!total) {
        return true;
    }
    for (uint32_t i = sum->count; i-- > 0;) {
        if (!sum->gone[i] && !add(sum, &total, term_value(sum, &sum->terms[i]))) {
            return false;
        }
    }
    sum->root->value.forward = total;
    geo_ir_inst_remove(sum->root);
    *changed = true;
    return true;
}

static bool function_visit(struct geo_pass *pass, struct geo_ir_function *function, bool *changed)
{
    struct geo_uses uses;
    geo_ir_function_number(function);
    struct sum *sum = geo_arena_new(&pass->arena, struct sum);
    bool *inner = geo_arena_new_array(&pass->arena, bool, function->value_count + 1);
    if (!sum || !inner || !geo_uses_build(function, &pass->arena, &uses)) {
        return geo_pass_no_memory(pass);
    }
    *sum = (struct sum){.pass = pass, .uses = &uses, .inner = inner};
    geo_ir_for_each_block(block, function) {
        /* A sum is visited before its parts, so the largest one is found. */
        for (struct geo_ir_inst *inst = block->last, *prev; inst; inst = prev) {
            prev = inst->prev;
            if (is_sum(inst) && !inner[inst->value.index]) {
                terms_collect(sum, inst);
                if (!sum_rewrite(sum, changed)) {
                    return false;
                }
            }
        }
    }
    geo_ir_function_resolve(function);
    return true;
}

/* Returns whether a function has vectors of small integers. */
static bool has_candidates(const struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (is_extension(inst) && (is_extract(geo_ir_as_inst(inst->operands[0])) ||
                                       inst->value.type->kind == GEO_TYPE_VECTOR)) {
                return true;
            }
        }
    }
    return false;
}

ze_result_t geo_transform_dot_products(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        bool changed = false;
        if (good && function->first_block && has_candidates(function)) {
            good = function_visit(&pass, function, &changed) &&
                   (!changed || geo_remove_dead(&pass, function));
        }
    }
    return geo_pass_end(&pass);
}
