/* Unrolls loops in which each lane walks along a row of its own, so that elements are loaded
 * several at a time:
 *
 *     for (i = 0; i < n; i++)            while (i < n && n - i > 4) {
 *         sum += row[i];                     sum += row[i], ... sum += row[i + 3];
 *                                            i += 4;
 *                                -->     }
 *                                        for (; i < n; i++)
 *                                            sum += row[i];
 *
 * Lanes are far apart, so that each load is a gather, which takes an access for each lane. In the
 * unrolled loop, memory/adjacent.c replaces them by one load of 16 bytes for each lane, and a
 * transposition.
 * The loop as it was runs the last turns, at least one:
 *
 *     before: branch body                before:  branch c ? entry : rest
 *     body:   branch d ? body : exit     entry:   branch turns
 *                                        turns:   branch e ? turns : leaving
 *                                        leaving: branch rest
 *                                        rest:    branch body
 *                                        body:    branch d ? body : exit
 *
 * Only loops of one block are considered that write nothing and count by ones to a bound from
 * outside. They are in loop form (loops.c) and stay so. All lanes compute in the same order as
 * before. */
#include "compiler/transform/loops/advance.h"
#include "compiler/transform/loops/loop_form.h"

#include "compiler/ir/debug.h"

#define ROW_BYTES   16u /* of a row that are loaded at once */
#define BODY_LIMIT  64u /* instructions of a loop */
#define LOOPS_LIMIT 16u /* loops that are unrolled in one function */
#define TOTAL_LIMIT (GEO_LIMIT_FUNCTION_INSTRUCTIONS / 4) /* of a function that is looked at */
#define SHAPE_LANES 8u                                    /* lanes for which shapes are computed */

/* A loop that counts by ones. */
struct counted {
    struct geo_ir_block *body, *before;
    struct geo_ir_inst *counter; /* the phi */
    struct geo_ir_value *bound;
    SpvOp op;  /* next counter `op` bound: the loop goes on; less or greater than, or not equal */
    bool down; /* it counts down */
};

/* The pass on one loop. */
struct rows {
    struct loop_pass *p;
    const struct geo_loop *loop;
    struct counted counted;
    uint32_t turns;
    struct geo_ir_block *entry, *unrolled, *leaving, *rest;
    struct geo_ir_value **values; /* by value index: the copy of this turn; NULL: none */
    struct geo_ir_value **first;  /* by value index: the copy of the first turn */
    struct geo_ir_value **next;   /* by value index: of phis, the value of the next turn */
};

/* ---- which loops ---- */

static bool is_inside(const struct geo_ir_block *body, struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    return inst && inst->block == body;
}

/* Returns whether a value is one more or one less than a phi of the body, which it follows. */
static bool counts(struct counted *c, struct geo_ir_value *value)
{
    const struct geo_ir_inst *next = geo_ir_as_inst(value);
    uint64_t bits;
    if (!next || next->block != c->body || next->op != SpvOpIAdd ||
        !geo_ir_constant_bits(next->operands[1], &bits)) {
        return false;
    }
    uint32_t unused = 64 - next->value.type->width;
    int64_t step = (int64_t)(bits << unused) >> unused;
    c->counter = geo_ir_as_inst(next->operands[0]);
    c->down = step < 0;
    return (step == 1 || step == -1) && c->counter && c->counter->block == c->body &&
           c->counter->op == SpvOpPhi &&
           c->counter->operands[geo_phi_find(c->counter, c->body)] == value;
}

/* Returns a comparison with its operands exchanged, if it is one that a loop may go on with. */
static SpvOp op_exchanged(SpvOp op)
{
    switch (op) {
    case SpvOpSGreaterThan:
        return SpvOpSLessThan;
    case SpvOpUGreaterThan:
        return SpvOpULessThan;
    case SpvOpSLessThan:
        return SpvOpSGreaterThan;
    case SpvOpULessThan:
        return SpvOpUGreaterThan;
    case SpvOpINotEqual:
        return SpvOpINotEqual;
    default:
        return SpvOpNop;
    }
}

/* Returns in which sense a counter does not wrap that fulfils the comparison, and counts towards
 * its end. */
static bool op_flags(const struct counted *c, uint32_t *flags)
{
    bool is_signed = c->op == (c->down ? SpvOpSGreaterThan : SpvOpSLessThan);
    bool is_unsigned = c->op == (c->down ? SpvOpUGreaterThan : SpvOpULessThan);
    *flags = is_signed ? GEO_VALUE_NO_SIGNED_WRAP : is_unsigned ? GEO_VALUE_NO_UNSIGNED_WRAP : 0;
    return is_signed || is_unsigned || c->op == SpvOpINotEqual;
}

/* Recognises how the loop counts. */
static bool count_find(struct counted *c)
{
    const struct geo_ir_inst *branch = c->body->last;
    uint32_t flags;
    const struct geo_ir_inst *compare = geo_ir_as_inst(branch->operands[0]);
    if (!compare || compare->block != c->body || compare->operand_count != 2) {
        return false;
    }
    struct geo_ir_value *const *operands = compare->operands;
    c->op = branch->targets[0] == c->body ? compare->op : geo_pass_compare_inverse(compare->op);
    uint32_t side = counts(c, operands[0]) ? 0 : 1;
    if (side && !counts(c, operands[1])) {
        return false;
    }
    c->op = side ? op_exchanged(c->op) : c->op;
    c->bound = operands[1 - side];
    return op_flags(c, &flags) && !is_inside(c->body, c->bound);
}

static bool body_is_simple(const struct geo_ir_block *body)
{
    uint32_t size = 0;
    for (const struct geo_ir_inst *inst = body->first; inst != body->last; inst = inst->next) {
        if (++size > BODY_LIMIT || inst->op == SpvOpVariable || geo_op_is(inst->op, GEO_IS_CALL) ||
            geo_op_is(inst->op, GEO_IS_GROUP | GEO_IS_COLLECTIVE) ||
            (inst->op != SpvOpPhi && geo_ir_has_effect(inst))) {
            return false;
        }
    }
    return true;
}

/* Answers exactly for a counted loop: the counter does not pass its bound, so it does not wrap. */
static struct loop_advance exact_advance(const struct rows *r)
{
    struct loop_advance advance = {
        .loops = &r->p->loops, .loop = r->loop, .exact = true, .counter = r->counted.counter};
    (void)op_flags(&r->counted, &advance.counter_flags);
    return advance;
}

/* Returns the number of turns whose elements are loaded at once, or 0 if lanes walk along no row.
 * Lanes that leave the loop in different turns mostly have short rows, where the last turns count
 * more. */
static uint32_t turns_find(const struct rows *r, const struct geo_shapes *shapes)
{
    const struct loop_advance advance = exact_advance(r);
    uint32_t turns = 0;
    if (shapes->divergent_loop[r->loop->index]) {
        return 0;
    }
    for (const struct geo_ir_inst *inst = r->counted.body->first; inst; inst = inst->next) {
        if (inst->op == SpvOpLoad && loop_access_is_element(inst) &&
            loop_access_walks(&advance, shapes, inst)) {
            uint32_t fill = ROW_BYTES / (uint32_t)inst->value.type->size;
            turns = fill > turns ? fill : turns;
        }
    }
    return turns;
}

static bool is_counted(struct rows *r)
{
    const struct geo_loop *loop = r->loop;
    struct counted *c = &r->counted;
    if (loop->block_count != 1 || loop->exit_count != 1 ||
        loop->header->last->op != SpvOpBranchConditional) {
        return false;
    }
    c->body = loop->header;
    c->before = geo_loop_preheader(&r->p->loops, loop);
    return c->before && c->before->last->op == SpvOpBranch && count_find(c) &&
           body_is_simple(c->body);
}

/* ---- the copies of the body ---- */

static struct geo_ir_value *value_map(const struct rows *r, struct geo_ir_value *value)
{
    struct geo_ir_value *copy = geo_uses_is_local(value) ? r->values[value->index] : NULL;
    return copy ? copy : value;
}

/* Returns the value of a later turn by that of the first one. NULL: it is computed like the first
 * one, or memory ran out. */
static struct geo_ir_value *value_step(struct rows *r, struct geo_ir_inst *end,
                                       const struct geo_ir_inst *inst, uint32_t turn)
{
    const struct loop_advance advance = exact_advance(r);
    const struct geo_ir_type *type = inst->value.type;
    struct geo_ir_value *first = r->first[inst->value.index];
    bool pointer = type->kind == GEO_TYPE_POINTER;
    int64_t step;
    if ((!pointer && (type->kind != GEO_TYPE_INT || geo_ir_is_odd_int(type))) ||
        inst->op == SpvOpLoad ||
        !loop_advance_of(&advance, (struct geo_ir_value *)&inst->value, &step) || step == 0) {
        return NULL;
    }
    uint64_t distance = (uint64_t)step * turn;
    struct geo_pass *pass = r->p->pass;
    if (pointer) {
        return geo_make_offset(pass, end, first, distance, type->element);
    }
    uint64_t mask = type->width < 64 ? (UINT64_C(1) << type->width) - 1 : UINT64_MAX;
    return geo_make_binary(pass, end, SpvOpIAdd, type, first,
                           geo_pass_int(pass, type, distance & mask));
}

static void records_copy(const struct rows *r, const struct geo_ir_inst *from,
                         struct geo_ir_inst *to)
{
    geo_ir_for_each_record(record, from)
    {
        struct geo_ir_record copy = *record;
        copy.value = record->value ? value_map(r, record->value) : NULL;
        geo_ir_record_add(to, &copy);
    }
}

static bool inst_copy(struct rows *r, const struct geo_ir_inst *inst, uint32_t turn)
{
    struct geo_ir_inst *end = r->unrolled->last;
    struct geo_ir_value *value = turn ? value_step(r, end, inst, turn) : NULL;
    struct geo_ir_inst *copy = value ? geo_ir_as_inst(value) : NULL;
    if (!copy && r->p->pass->result == ZE_RESULT_SUCCESS) {
        copy = geo_make_copy(r->p->pass, inst);
        for (uint32_t i = 0; copy && i < inst->operand_count; i++) {
            copy->operands[i] = value_map(r, inst->operands[i]);
        }
        if (copy) {
            geo_ir_inst_insert_before(end, copy);
        }
    }
    if (!copy) {
        return false;
    }
    records_copy(r, inst, copy);
    /* no value of the numbered function: copies are not copied again in this round */
    copy->value.index = r->p->function->value_count;
    r->values[inst->value.index] = &copy->value;
    if (!turn) {
        r->first[inst->value.index] = &copy->value;
    }
    return true;
}

/* Sets the values of the phis for the next turn. All of them change at once. */
static void phis_advance(struct rows *r)
{
    const struct geo_ir_block *body = r->counted.body;
    for (const struct geo_ir_inst *phi = body->first; phi->op == SpvOpPhi; phi = phi->next) {
        r->next[phi->value.index] = value_map(r, phi->operands[geo_phi_find(phi, body)]);
    }
    for (const struct geo_ir_inst *phi = body->first; phi->op == SpvOpPhi; phi = phi->next) {
        r->values[phi->value.index] = r->next[phi->value.index];
    }
}

/* Creates the phis of the unrolled loop, for its first turn. */
static bool phis_make(struct rows *r)
{
    const struct counted *c = &r->counted;
    for (const struct geo_ir_inst *phi = c->body->first; phi->op == SpvOpPhi; phi = phi->next) {
        struct geo_ir_inst *made = geo_make_phi(r->p->pass, r->unrolled, phi->value.type, 2);
        if (!made) {
            return false;
        }
        geo_ir_inst_from(made, phi);
        geo_phi_add(made, phi->operands[geo_phi_find(phi, c->before)], r->entry);
        made->value.index = r->p->function->value_count;
        r->values[phi->value.index] = r->first[phi->value.index] = &made->value;
    }
    return true;
}

static bool turns_make(struct rows *r)
{
    const struct geo_ir_block *body = r->counted.body;
    for (uint32_t turn = 0; turn < r->turns; turn++) {
        for (const struct geo_ir_inst *inst = body->first; inst != body->last; inst = inst->next) {
            if (inst->op != SpvOpPhi && !inst_copy(r, inst, turn)) {
                return false;
            }
        }
        if (turn + 1 == r->turns) {
            records_copy(r, body->last, r->unrolled->last);
        }
        phis_advance(r);
    }
    return true;
}

/* ---- the blocks around them ---- */

/* Creates the question whether more turns are left than the unrolled loop takes at once. The
 * counter has not passed the bound, so the difference is their number. */
static struct geo_ir_value *more_are_left(struct rows *r, struct geo_ir_inst *before,
                                          struct geo_ir_value *counter)
{
    struct geo_pass *pass = r->p->pass;
    const struct geo_ir_type *type = counter->type;
    struct geo_ir_value *bound = r->counted.bound;
    bool down = r->counted.down;
    struct geo_ir_value *left = geo_make_binary(pass, before, SpvOpISub, type,
                                                down ? counter : bound, down ? bound : counter);
    return geo_make_binary(pass, before, SpvOpUGreaterThan, pass->type_bool, left,
                           geo_pass_int(pass, type, r->turns));
}

static struct geo_ir_inst *fork_make(struct rows *r, struct geo_ir_block *block,
                                     struct geo_ir_block *yes, struct geo_ir_block *no)
{
    struct geo_pass *pass = r->p->pass;
    struct geo_ir_inst *fork =
        geo_make(pass, NULL, SpvOpBranchConditional, pass->type_void, 1, 0, 2);
    if (fork) {
        geo_ir_inst_from(fork, r->counted.body->last);
        geo_ir_inst_append(block, fork);
        fork->targets[0] = yes;
        fork->targets[1] = no;
    }
    return fork;
}

/* Leads from `before` to the unrolled loop, if its first turns may run, and else to `rest`. */
static bool before_connect(struct rows *r)
{
    const struct counted *c = &r->counted;
    struct geo_pass *pass = r->p->pass;
    struct geo_ir_inst *branch = c->before->last;
    struct geo_ir_value *start = c->counter->operands[geo_phi_find(c->counter, c->before)];
    struct geo_ir_inst *fork = fork_make(r, c->before, r->entry, r->rest);
    if (!fork) {
        return false;
    }
    struct geo_ir_value *enters = more_are_left(r, fork, start);
    if (enters && c->op != SpvOpINotEqual) {
        struct geo_ir_value *inside =
            geo_make_binary(pass, fork, c->op, pass->type_bool, start, c->bound);
        enters = geo_make_binary(pass, fork, SpvOpLogicalAnd, pass->type_bool, enters, inside);
    }
    fork->operands[0] = enters;
    geo_ir_records_move(branch, fork);
    geo_ir_inst_remove(branch);
    return enters != NULL;
}

/* Joins what the phis of the loop begin with, and what the unrolled loop leaves with. */
static bool phis_join(struct rows *r)
{
    const struct counted *c = &r->counted;
    struct geo_pass *pass = r->p->pass;
    for (const struct geo_ir_inst *phi = c->body->first; phi->op == SpvOpPhi; phi = phi->next) {
        struct geo_ir_value *after = r->values[phi->value.index];
        uint32_t edge = geo_phi_find(phi, c->before);
        struct geo_ir_inst *left = geo_make_phi(pass, r->leaving, phi->value.type, 1);
        struct geo_ir_inst *join = geo_make_phi(pass, r->rest, phi->value.type, 2);
        struct geo_ir_inst *made = geo_ir_as_inst(r->first[phi->value.index]);
        if (!left || !join) {
            return false;
        }
        geo_ir_inst_from(left, phi);
        geo_ir_inst_from(join, phi);
        left->value.index = join->value.index = r->p->function->value_count;
        geo_phi_add(made, after, r->unrolled);
        geo_phi_add(left, after, r->unrolled);
        geo_phi_add(join, phi->operands[edge], c->before);
        geo_phi_add(join, &left->value, r->leaving);
        phi->operands[edge] = &join->value;
        phi->targets[edge] = r->rest;
    }
    return true;
}

static bool blocks_make(struct rows *r)
{
    struct geo_ir_function *function = r->p->function;
    const struct geo_ir_inst *origin = r->counted.before->last;
    r->entry = geo_ir_block_create(function, r->counted.before);
    r->unrolled = r->entry ? geo_ir_block_create(function, r->entry) : NULL;
    r->leaving = r->unrolled ? geo_ir_block_create(function, r->unrolled) : NULL;
    r->rest = r->leaving ? geo_ir_block_create(function, r->leaving) : NULL;
    if (!r->rest) {
        return geo_pass_no_memory(r->p->pass);
    }
    return geo_make_branch(r->p->pass, r->entry, r->unrolled, origin) &&
           geo_make_branch(r->p->pass, r->leaving, r->rest, origin) &&
           geo_make_branch(r->p->pass, r->rest, r->counted.body, origin);
}

static bool loop_unroll(struct rows *r)
{
    struct geo_arena *arena = &r->p->pass->arena;
    uint32_t count = r->p->function->value_count + 1;
    r->values = geo_arena_new_array(arena, struct geo_ir_value *, count);
    r->first = geo_arena_new_array(arena, struct geo_ir_value *, count);
    r->next = geo_arena_new_array(arena, struct geo_ir_value *, count);
    if (!r->values || !r->first || !r->next) {
        return geo_pass_no_memory(r->p->pass);
    }
    if (!blocks_make(r)) {
        return false;
    }
    struct geo_ir_inst *fork = fork_make(r, r->unrolled, r->unrolled, r->leaving);
    if (!fork || !phis_make(r) || !turns_make(r)) {
        return false;
    }
    fork->operands[0] = more_are_left(r, fork, r->values[r->counted.counter->value.index]);
    return fork->operands[0] && before_connect(r) && phis_join(r);
}

/* ---- the pass ---- */

/* Unrolls the loops of a numbered function. A loop that is unrolled changes no block of another
 * one except its preheader, which only that loop has. */
static bool loops_unroll(struct loop_pass *p, const struct geo_shapes *shapes)
{
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < p->loops.count && chosen < LOOPS_LIMIT; i++) {
        struct rows r = {.p = p, .loop = p->loops.loops[i]};
        r.turns = is_counted(&r) ? turns_find(&r, shapes) : 0;
        if (r.turns) {
            chosen++;
            if (!loop_unroll(&r)) {
                return false;
            }
        }
    }
    return chosen == 0 || geo_remove_dead(p->pass, p->function);
}

static bool has_rows(struct loop_pass *p)
{
    for (uint32_t i = 0; i < p->loops.count; i++) {
        struct rows r = {.p = p, .loop = p->loops.loops[i]};
        if (is_counted(&r)) {
            return true;
        }
    }
    return false;
}

static bool function_unroll(struct geo_pass *pass, struct geo_ir_function *function)
{
    const struct geo_shape_options options = {.lanes = SHAPE_LANES, .ids_fit_31_bits = true};
    struct loop_pass p = {.pass = pass, .function = function};
    struct geo_shapes shapes;
    if (geo_pass_instruction_count(function) > TOTAL_LIMIT || !loop_analyse(&p) || !has_rows(&p)) {
        return pass->result == ZE_RESULT_SUCCESS;
    }
    if (!geo_shapes_compute(&p.loops, &options, &pass->arena, &shapes)) {
        return geo_pass_no_memory(pass);
    }
    return loops_unroll(&p, &shapes);
}

ze_result_t geo_transform_unroll_rows(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block && !function->irreducible) {
            good = function_unroll(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
