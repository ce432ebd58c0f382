/* Computes in 8 or 16 bits what was extended to 32 bits or more, where results fit:
 *
 *     int(a[i]) + int(b[i])      -->      int(short(a[i]) + short(b[i]))      for bytes
 *
 * C promotes bytes and shorts to int. But a vector register holds two or four times as many of
 * them. The range of the result says how many bits it needs (analysis/ranges.h). Extensions move
 * from the operands to the result, and from there to its users, until one needs all bits.
 * Comparisons of two extended values need no extension. */
#include "compiler/transform/pass/pass.h"

#include "compiler/analysis/ranges.h"

/* Least number of operations that read each other's results, for each result that other
 * instructions read. It counts if bytes become halfwords on the way, because such a result is
 * extended twice. */
#define MEMBERS 3u

/* A form of an integer: its low bits, and how they are extended. */
struct form {
    const struct geo_ir_type *type; /* NULL: none */
    bool is_signed;
};

/* Operations that read each other's results. */
struct set {
    uint32_t members, results;
    bool widens; /* operands are extended to the form */
};

/* The work on one function. Arrays are by value index. */
struct narrowing {
    struct geo_pass *pass;
    const struct geo_range *ranges;
    const struct geo_uses *uses;
    const struct geo_ir_type *types[2]; /* of 8 and 16 bits */
    struct form *forms;                 /* of operations, and of the operands of comparisons */
    uint32_t *leader;                   /* one member of each set; leads to itself */
    struct set *sets;                   /* of leaders */
};

/* ---- operations ---- */

static bool is_shift(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpShiftLeftLogical || inst->op == SpvOpShiftRightLogical ||
           inst->op == SpvOpShiftRightArithmetic;
}

static bool is_comparison(const struct geo_ir_inst *inst)
{
    return geo_pass_compare_inverse(inst->op) != SpvOpNop && inst->operand_count == 2 &&
           inst->operands[0]->type->kind == GEO_TYPE_INT;
}

/* Returns whether the low bits of the result depend only on the low bits of the operands, or on all
 * of their bits if they are extended. */
static bool is_operation(const struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
        return true;
    default:
        return is_shift(inst);
    }
}

static const struct geo_ir_inst *extension_of(const struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    bool extends = value->kind == GEO_VALUE_INST &&
                   (inst->op == SpvOpUConvert || inst->op == SpvOpSConvert) &&
                   !(value->flags & GEO_VALUE_SATURATED) && value->type->kind == GEO_TYPE_INT &&
                   inst->operands[0]->type->kind == GEO_TYPE_INT &&
                   inst->operands[0]->type->width < value->type->width;
    return extends ? inst : NULL;
}

/* ---- forms ---- */

static const struct form *form_of(const struct narrowing *n, const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_INST && n->forms[value->index].type ? &n->forms[value->index]
                                                                        : NULL;
}

static bool holds(const struct form *form, struct geo_range range)
{
    int64_t limit = (int64_t)1 << (form->type->width - form->is_signed);
    return range.low >= (form->is_signed ? -limit : 0) && range.high < limit;
}

/* Returns whether all users of an extended value can do without the extension, as far as their
 * operations say. */
static bool users_narrow(const struct narrowing *n, const struct geo_ir_value *value)
{
    uint32_t count;
    const struct geo_use *uses = geo_uses_of(n->uses, value, &count);
    bool all = true;
    for (uint32_t i = 0; all && i < count; i++) {
        const struct geo_ir_inst *user = uses[i].user;
        all = is_operation(user) || is_comparison(user) || extension_of(&user->value);
    }
    return all;
}

/* Returns whether an operand can have a form: it is a constant, is extended, or has a form. */
static bool may_have(const struct narrowing *n, const struct geo_ir_value *value,
                     const struct form *form, bool *extended)
{
    const struct geo_ir_inst *extension = extension_of(value);
    const struct form *own = form_of(n, value);
    int64_t bits;
    if (!holds(form, geo_range_of(n->ranges, value))) {
        return false;
    }
    if (!extension && !own) {
        return geo_ranges_constant_signed(value, &bits);
    }
    uint32_t width = own ? own->type->width : extension->operands[0]->type->width;
    *extended = true;
    return width <= form->type->width && (own || users_narrow(n, value));
}

/* Returns whether the operation can be done on this form. */
static bool fits(const struct narrowing *n, const struct geo_ir_inst *inst, const struct form *form)
{
    bool extended = false;
    int64_t count;
    if (form->type->width >= inst->operands[0]->type->width ||
        (inst->op == SpvOpIMul && form->type->width < 16) ||
        (inst->op == SpvOpShiftRightLogical && form->is_signed)) {
        return false;
    }
    if (is_shift(inst)) {
        return geo_ranges_constant_signed(inst->operands[1], &count) && count >= 0 &&
               count < (int64_t)form->type->width &&
               may_have(n, inst->operands[0], form, &extended) && extended;
    }
    return may_have(n, inst->operands[0], form, &extended) &&
           may_have(n, inst->operands[1], form, &extended) && extended;
}

/* Finds the narrowest form for an operation that holds its result, or for a comparison. */
static void form_find(const struct narrowing *n, const struct geo_ir_inst *inst)
{
    bool compares = is_comparison(inst);
    bool integer = inst->value.type->kind == GEO_TYPE_INT && inst->value.type->width > 8;
    for (uint32_t i = 0; (compares || (integer && is_operation(inst))) && i < 4; i++) {
        struct form form = {n->types[i / 2], i % 2};
        if ((compares || holds(&form, geo_range_of(n->ranges, &inst->value))) &&
            fits(n, inst, &form)) {
            n->forms[inst->value.index] = form;
            return;
        }
    }
}

/* ---- sets ---- */

static uint32_t leader_of(const struct narrowing *n, uint32_t index)
{
    while (n->leader[index] != index) {
        n->leader[index] = n->leader[n->leader[index]];
        index = n->leader[index];
    }
    return index;
}

/* Returns whether an instruction needs more bits of a value than its form has. */
static bool needs_more(const struct narrowing *n, const struct geo_ir_inst *user,
                       const struct form *form)
{
    bool cuts = (user->op == SpvOpUConvert || user->op == SpvOpSConvert) &&
                !(user->value.flags & GEO_VALUE_SATURATED) &&
                user->value.type->kind == GEO_TYPE_INT &&
                user->value.type->width <= form->type->width;
    return !cuts && !form_of(n, &user->value);
}

/* Joins an operation with the operations whose results it reads. */
static void set_join(const struct narrowing *n, const struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (form_of(n, inst->operands[i])) {
            n->leader[leader_of(n, inst->operands[i]->index)] = leader_of(n, inst->value.index);
        }
    }
}

/* Counts an operation in its set. */
static void set_count(const struct narrowing *n, const struct geo_ir_inst *inst)
{
    struct set *set = &n->sets[leader_of(n, inst->value.index)];
    const struct form *form = form_of(n, &inst->value);
    uint32_t count;
    const struct geo_use *uses = geo_uses_of(n->uses, &inst->value, &count);
    bool result = false;
    for (uint32_t i = 0; !is_comparison(inst) && !result && i < count; i++) {
        result = needs_more(n, uses[i].user, form);
    }
    set->members++;
    set->results += result;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct form *own = form_of(n, inst->operands[i]);
        const struct geo_ir_inst *extension = extension_of(inst->operands[i]);
        uint32_t width = own         ? own->type->width
                         : extension ? extension->operands[0]->type->width
                                     : form->type->width;
        set->widens = set->widens || width < form->type->width;
    }
}

static bool set_pays(const struct narrowing *n, const struct geo_ir_inst *inst)
{
    const struct set *set = &n->sets[leader_of(n, inst->value.index)];
    return !set->widens || set->members >= MEMBERS * set->results;
}

/* ---- instructions ---- */

/* Returns the form of an operand that may_have it. Operations have become extensions. */
static struct geo_ir_value *operand_narrow(const struct narrowing *n, struct geo_ir_inst *before,
                                           struct geo_ir_value *value, const struct form *form)
{
    const struct geo_ir_inst *extension = extension_of(value);
    uint64_t bits = 0;
    if (!extension) {
        bool known = geo_ir_constant_bits(value, &bits);
        return known ? geo_pass_int(n->pass, form->type,
                                    bits & (UINT64_MAX >> (64 - form->type->width)))
                     : NULL;
    }
    struct geo_ir_value *from = extension->operands[0];
    return from->type == form->type
               ? from
               : geo_make_unary(n->pass, before, extension->op, form->type, from);
}

/* Replaces an operation by one on its narrow operands. It becomes the extension of the result. */
static bool operation_narrow(const struct narrowing *n, struct geo_ir_inst *inst)
{
    const struct form *form = form_of(n, &inst->value);
    SpvOp op = inst->op == SpvOpShiftRightArithmetic && !form->is_signed ? SpvOpShiftRightLogical
                                                                         : inst->op;
    struct geo_ir_value *a = operand_narrow(n, inst, inst->operands[0], form), *b;
    uint64_t shift = 0;
    if (is_shift(inst)) {
        bool known = geo_ir_constant_bits(inst->operands[1], &shift);
        b = known ? geo_pass_int(n->pass, form->type, shift) : NULL;
    } else {
        b = operand_narrow(n, inst, inst->operands[1], form);
    }
    struct geo_ir_value *narrow = geo_make_binary(n->pass, inst, op, form->type, a, b);
    if (!narrow) {
        return false;
    }
    inst->op = form->is_signed ? SpvOpSConvert : SpvOpUConvert;
    inst->operands[0] = narrow;
    inst->operand_count = 1;
    inst->value.flags = 0;
    return true;
}

/* Returns the comparison of numbers without signs. */
static SpvOp unsigned_of(SpvOp op)
{
    return op == SpvOpSLessThan           ? SpvOpULessThan
           : op == SpvOpSLessThanEqual    ? SpvOpULessThanEqual
           : op == SpvOpSGreaterThan      ? SpvOpUGreaterThan
           : op == SpvOpSGreaterThanEqual ? SpvOpUGreaterThanEqual
                                          : op;
}

/* Lets a comparison read its narrow operands. Numbers below zero are large without signs, whatever
 * their width, so comparisons without signs do not change. */
static bool comparison_narrow(const struct narrowing *n, struct geo_ir_inst *inst)
{
    const struct form *form = form_of(n, &inst->value);
    inst->operands[0] = operand_narrow(n, inst, inst->operands[0], form);
    inst->operands[1] = operand_narrow(n, inst, inst->operands[1], form);
    inst->op = form->is_signed ? inst->op : unsigned_of(inst->op);
    return inst->operands[0] && inst->operands[1];
}

/* ---- the pass ---- */

/* Returns whether the function extends numbers of 8 or 16 bits. */
static bool extends(const struct geo_ir_function *function)
{
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            const struct geo_ir_inst *extension = extension_of(&inst->value);
            if (extension && extension->operands[0]->type->width <= 16) {
                return true;
            }
        }
    }
    return false;
}

/* Calls a function for each instruction that has a form. */
static void each_form(const struct narrowing *n, const struct geo_cfg *cfg,
                      void (*visit)(const struct narrowing *n, const struct geo_ir_inst *inst))
{
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            if (form_of(n, &inst->value)) {
                visit(n, inst);
            }
        }
    }
}

/* Finds forms, and drops those of sets that do not pay. */
static void forms_choose(const struct narrowing *n, const struct geo_cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            n->leader[inst->value.index] = inst->value.index;
            form_find(n, inst);
        }
    }
    each_form(n, cfg, set_join);
    each_form(n, cfg, set_count);
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg->order[i]) {
            if (form_of(n, &inst->value) && !set_pays(n, inst)) {
                n->forms[inst->value.index].type = NULL;
            }
        }
    }
}

static bool function_narrow(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct geo_cfg cfg;
    struct geo_uses uses;
    struct geo_range *ranges;
    struct narrowing n = {.pass = pass, .uses = &uses};
    if (!extends(function)) {
        return true;
    }
    geo_ir_function_number(function);
    uint32_t values = function->value_count + 1;
    n.types[0] = pass->type_i8;
    n.types[1] = geo_ir_type_int(pass->module, 16);
    n.forms = geo_arena_new_array(&pass->arena, struct form, values);
    n.leader = geo_arena_new_array(&pass->arena, uint32_t, values);
    n.sets = geo_arena_new_array(&pass->arena, struct set, values);
    if (!n.types[1] || !n.forms || !n.leader || !n.sets ||
        !geo_cfg_build(function, &pass->arena, &cfg) ||
        !geo_uses_build(function, &pass->arena, &uses) ||
        !geo_ranges_compute(&cfg, false, &pass->arena, &ranges)) {
        return geo_pass_no_memory(pass);
    }
    n.ranges = ranges;
    forms_choose(&n, &cfg);
    for (uint32_t i = 0; i < cfg.reachable_count; i++) {
        struct geo_ir_inst *next;
        for (struct geo_ir_inst *inst = cfg.order[i]->first; inst; inst = next) {
            next = inst->next;
            if (form_of(&n, &inst->value) &&
                !(is_comparison(inst) ? comparison_narrow(&n, inst) : operation_narrow(&n, inst))) {
                return false;
            }
        }
    }
    return geo_remove_dead(pass, function);
}

ze_result_t geo_transform_narrow(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block) {
            good = function_narrow(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
