/* Decides which loops are unrolled; see unroll.c.
 *
 * For each private array, the pointers into it and the indexes that they use are followed backwards
 * to the phis of loops. These loops are needed. They are run here with constants, the inner ones
 * within the outer ones, which gives their turns and the size of the result. The array is worth it
 * if all its loops end by a condition that is known, and if the result is small. */
#include "compiler/fold/scalar.h"
#include "compiler/transform/loops/unroll.h"

#define ELEMENTS_LIMIT 64u    /* scalars of an array */
#define TURNS_LIMIT    64u    /* turns of a loop */
#define SIZE_LIMIT     1024u  /* instructions of an array's loops when they are unrolled */
#define STEPS_LIMIT    65536u /* instructions that are evaluated for one function */
#define DEPTH_LIMIT    24u    /* depth of an expression that is evaluated */
#define PHIS_LIMIT     32u    /* phis of a header that are followed */

/* ---- evaluation ---- */

static bool is_number(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_BOOL;
}

/* Evaluates an integer or condition from constants and the current values of phis. Returns false if
 * it is unknown. */
static bool evaluate(struct unroll *u, const struct geo_ir_value *value, uint32_t depth,
                     uint64_t *bits)
{
    uint64_t operands[3] = {0};
    const struct geo_ir_inst *inst = geo_ir_as_inst((struct geo_ir_value *)value);
    if (!is_number(value->type)) {
        return false;
    }
    if (!inst) {
        return geo_ir_constant_bits(value, bits);
    }
    if (u->known[value->index]) {
        *bits = u->bits[value->index];
        return true;
    }
    if (depth == DEPTH_LIMIT || u->steps == 0 || inst->literal_count || inst->operand_count == 0 ||
        inst->operand_count > 3) {
        return false;
    }
    u->steps--;
    if (inst->op == SpvOpPhi) {
        return inst->operand_count == 1 && evaluate(u, inst->operands[0], depth + 1, bits);
    }
    if (inst->op == SpvOpSelect) {
        return evaluate(u, inst->operands[0], depth + 1, operands) &&
               evaluate(u, inst->operands[operands[0] ? 1 : 2], depth + 1, bits);
    }
    if (!geo_op_is(inst->op, GEO_IS_PURE) || inst->operand_count > 2) {
        return false;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (!evaluate(u, inst->operands[i], depth + 1, &operands[i])) {
            return false;
        }
    }
    return geo_fold_scalar(inst->op, value->type, inst->operands[0]->type, operands, bits) ==
           GEO_FOLD_EXACT;
}

/* Moves the phis of a header along an edge from `from`. */
static void phis_advance(struct unroll *u, const struct geo_ir_block *header,
                         const struct geo_ir_block *from)
{
    uint64_t bits[PHIS_LIMIT];
    bool known[PHIS_LIMIT];
    uint32_t count = 0;
    for (const struct geo_ir_inst *phi = header->first; phi->op == SpvOpPhi; phi = phi->next) {
        if (count < PHIS_LIMIT) {
            known[count] = evaluate(u, phi->operands[geo_phi_find(phi, from)], 0, &bits[count]);
            count++;
        }
    }
    count = 0;
    for (const struct geo_ir_inst *phi = header->first; phi->op == SpvOpPhi; phi = phi->next) {
        u->known[phi->value.index] = count < PHIS_LIMIT && known[count];
        if (u->known[phi->value.index]) {
            u->bits[phi->value.index] = bits[count];
        }
        count++;
    }
}

static void phis_forget(struct unroll *u, const struct geo_ir_block *header)
{
    for (const struct geo_ir_inst *phi = header->first; phi->op == SpvOpPhi; phi = phi->next) {
        u->known[phi->value.index] = false;
    }
}

/* ---- turns ---- */

/* Returns whether every turn tests this exit, once. */
static bool exit_is_regular(const struct unroll *u, const struct geo_loop *loop,
                            const struct geo_loop_exit *exit)
{
    const struct geo_ir_inst *last = exit->from->last;
    return u->p.loops.of[exit->from->index] == loop && last->op == SpvOpBranchConditional &&
           last->targets[0] != last->targets[1] &&
           geo_block_dominates(&u->p.tree, exit->from, loop->latches[0]);
}

/* Evaluates the condition of an exit: *leave says whether this turn leaves. */
static bool exit_evaluate(struct unroll *u, const struct geo_loop_exit *exit, bool *leave)
{
    uint64_t bits;
    if (!evaluate(u, exit->from->last->operands[0], 0, &bits)) {
        return false;
    }
    *leave = exit->from->last->targets[bits ? 0 : 1] == exit->to;
    return true;
}

/* Finds an exit whose condition is known in the first turn. */
static bool exit_find(struct unroll *u, const struct geo_loop *loop, uint32_t *found)
{
    bool ignored;
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        if (exit_is_regular(u, loop, &loop->exits[i]) &&
            exit_evaluate(u, &loop->exits[i], &ignored)) {
            *found = i;
            return true;
        }
    }
    return false;
}

/* Returns the innermost needed loop around a loop; NULL: none. */
static const struct geo_loop *needed_around(const struct unroll *u, const struct geo_loop *loop)
{
    do {
        loop = loop->parent;
    } while (loop && !u->loops[loop->index].needed);
    return loop;
}

/* Returns whether an instruction is likely to vanish when its loop is unrolled: it computes from
 * counters, or moves a pointer, or loads from the array. */
static bool vanishes(const struct unroll *u, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    switch (inst->op) {
    case SpvOpLoad:
        return u->seen[inst->operands[0]->index] == u->array &&
               geo_uses_is_local(inst->operands[0]);
    case SpvOpBranch:
        return true;
    default:
        return type->kind == GEO_TYPE_POINTER || u->known[inst->value.index] ||
               (inst->op != SpvOpPhi && u->seen[inst->value.index] == u->array);
    }
}

/* Returns the number of instructions of a turn that remain, outside of needed inner loops. Branches
 * whose condition is known lead to one side only. */
static uint32_t turn_size(struct unroll *u, const struct geo_loop *loop)
{
    uint32_t size = 0, count = 0;
    u->turn++;
    u->reached[loop->header->index] = u->turn;
    u->way[count++] = loop->header;
    while (count) {
        const struct geo_ir_block *block = u->way[--count];
        const struct geo_loop *own = u->p.loops.of[block->index];
        uint64_t bits;
        bool decided = block->last->op == SpvOpBranchConditional &&
                       evaluate(u, block->last->operands[0], 0, &bits);
        if (own != loop && !u->loops[own->index].needed) {
            own = needed_around(u, own);
        }
        for (const struct geo_ir_inst *inst = block->first; own == loop && inst;
             inst = inst->next) {
            size += !vanishes(u, inst) && !(inst == block->last && decided);
        }
        for (uint32_t i = 0; i < block->last->target_count; i++) {
            struct geo_ir_block *target = block->last->targets[i];
            if ((!decided || i == (bits ? 0 : 1)) && u->reached[target->index] != u->turn &&
                geo_loop_contains(&u->p.loops, loop, target)) {
                u->reached[target->index] = u->turn;
                u->way[count++] = target;
            }
        }
    }
    return size;
}

/* Runs a needed loop and those inside, and adds the size of all turns. Returns false if its end is
 * unknown or the result is too large. */
static bool nest_run(struct unroll *u, const struct geo_loop *loop, uint32_t *size)
{
    uint32_t exit = 0, turns;
    bool leave = false;
    phis_advance(u, loop->header, geo_loop_preheader(&u->p.loops, loop));
    bool good = exit_find(u, loop, &exit);
    for (turns = 1; good; turns++) {
        *size += turn_size(u, loop);
        uint32_t turn = u->turn;
        good = *size <= SIZE_LIMIT && turns <= TURNS_LIMIT;
        /* inner loops come behind outer ones, and have known values of the outer phis */
        for (uint32_t i = loop->index + 1; good && i < u->p.loops.count; i++) {
            const struct geo_loop *inner = u->p.loops.loops[i];
            if (u->loops[i].needed && needed_around(u, inner) == loop &&
                u->reached[geo_loop_preheader(&u->p.loops, inner)->index] == turn) {
                good = nest_run(u, inner, size);
            }
        }
        good = good && exit_evaluate(u, &loop->exits[exit], &leave);
        if (!good || leave) {
            break;
        }
        phis_advance(u, loop->header, loop->latches[0]);
    }
    phis_forget(u, loop->header);
    if (good) {
        u->loops[loop->index].exit = exit;
        u->loops[loop->index].turns = turns;
    }
    return good;
}

/* ---- needed loops ---- */

static void work_add(struct unroll *u, struct geo_ir_value *value)
{
    if (geo_ir_as_inst(value) && u->seen[value->index] != u->array) {
        u->seen[value->index] = u->array;
        u->work[u->work_count++] = value;
    }
}

static struct unroll_loop *loop_of_phi(const struct unroll *u, const struct geo_ir_inst *phi)
{
    const struct geo_loop *loop = u->p.loops.of[phi->block->index];
    return loop && loop->header == phi->block ? &u->loops[loop->index] : NULL;
}

/* Follows an index back to the phis of loops. Returns whether it consists of these and constants
 * only. */
static bool index_follow(struct unroll *u, struct geo_ir_value *index)
{
    uint32_t start = u->work_count;
    bool known = index->kind == GEO_VALUE_CONSTANT || geo_ir_as_inst(index);
    work_add(u, index);
    while (u->work_count > start) {
        const struct geo_ir_inst *inst = geo_ir_as_inst(u->work[--u->work_count]);
        if (inst->op == SpvOpPhi && loop_of_phi(u, inst)) {
            loop_of_phi(u, inst)->needed = true;
        } else if ((inst->op == SpvOpPhi && inst->operand_count != 1) ||
                   !(inst->op == SpvOpPhi || inst->op == SpvOpSelect ||
                     geo_op_is(inst->op, GEO_IS_PURE)) ||
                   !is_number(inst->value.type)) {
            known = false;
            continue;
        }
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            known &=
                inst->operands[i]->kind == GEO_VALUE_CONSTANT || geo_ir_as_inst(inst->operands[i]);
            work_add(u, inst->operands[i]);
        }
    }
    return known;
}

/* Looks at one use of a pointer into the array. Returns false if the array stays in memory whatever
 * is unrolled. */
static bool use_follow(struct unroll *u, const struct geo_use *use, bool *known)
{
    struct geo_ir_inst *user = use->user;
    if (user->op == SpvOpLifetimeStart || user->op == SpvOpLifetimeStop) {
        return true;
    }
    if (user->op == SpvOpPhi) {
        struct unroll_loop *loop = loop_of_phi(u, user);
        if (loop) {
            loop->needed = true;
        }
        work_add(u, &user->value);
        return loop || user->operand_count == 1;
    }
    if (use->operand != 0) {
        return false;
    }
    if (user->op == SpvOpLoad || user->op == SpvOpStore) {
        return !(user->memory_flags & SpvMemoryAccessVolatileMask);
    }
    if (!geo_op_is(user->op, GEO_IS_POINTER_STEP) || user->value.type->kind != GEO_TYPE_POINTER) {
        return false;
    }
    work_add(u, &user->value);
    for (uint32_t i = 1; i < user->operand_count; i++) {
        /* the work list is a stack, so that an index is finished before the next pointer */
        *known &= index_follow(u, user->operands[i]);
    }
    return true;
}

/* Marks the loops that an array needs. Returns false if it stays in memory. */
static bool array_follow(struct unroll *u, struct geo_ir_inst *array)
{
    bool known = true;
    u->array++;
    u->work_count = 0;
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        u->loops[i].needed = false;
    }
    work_add(u, &array->value);
    while (u->work_count) {
        const struct geo_ir_value *pointer = u->work[--u->work_count];
        uint32_t count;
        const struct geo_use *uses = geo_uses_of(&u->uses, pointer, &count);
        for (uint32_t i = 0; i < count; i++) {
            if (!use_follow(u, &uses[i], &known)) {
                return false;
            }
        }
    }
    return known;
}

static bool is_array(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->op == SpvOpVariable ? inst->value.type->element : NULL;
    return type && type->leaves > 1 && type->leaves <= ELEMENTS_LIMIT;
}

bool unroll_has_array(const struct geo_ir_function *function)
{
    for (const struct geo_ir_inst *inst = function->first_block->first; inst; inst = inst->next) {
        if (is_array(inst)) {
            return true;
        }
    }
    return false;
}

/* Returns whether a loop may be copied: all items meet at barriers and group operations. */
static bool may_copy(const struct geo_loop *loop)
{
    for (uint32_t i = 0; i < loop->block_count; i++) {
        for (const struct geo_ir_inst *inst = loop->blocks[i]->first; inst; inst = inst->next) {
            if (inst->op == SpvOpVariable || geo_op_is(inst->op, GEO_IS_GROUP) ||
                geo_op_is(inst->op, GEO_IS_COLLECTIVE)) {
                return false;
            }
        }
    }
    return true;
}

/* Chooses the outermost loops that an array needs, if all of them can be unrolled. */
static bool array_choose(struct unroll *u, struct geo_ir_inst *array)
{
    uint32_t size = 0;
    bool any = false;
    if (!array_follow(u, array)) {
        return false;
    }
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        const struct geo_loop *loop = u->p.loops.loops[i];
        if (!u->loops[i].needed || needed_around(u, loop)) {
            continue;
        }
        if (!may_copy(loop) || !nest_run(u, loop, &size)) {
            return false;
        }
        any = true;
    }
    for (uint32_t i = 0; any && i < u->p.loops.count; i++) {
        const struct geo_loop *loop = u->p.loops.loops[i];
        u->loops[i].chosen |= u->loops[i].needed && !needed_around(u, loop);
    }
    return any;
}

bool unroll_runs(struct unroll *u, const struct geo_loop *loop, uint32_t limit, uint32_t *turns)
{
    uint32_t size = 0;
    u->array++; /* nothing vanishes but what is known */
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        u->loops[i].needed = u->p.loops.loops[i] == loop;
    }
    bool runs = may_copy(loop) && nest_run(u, loop, &size) && size <= limit;
    *turns = runs ? u->loops[loop->index].turns : 0;
    return runs;
}

/* Leaves out chosen loops inside others that are chosen. They are unrolled in a later round. */
static void inner_leave_out(struct unroll *u)
{
    for (uint32_t i = u->p.loops.count; i-- > 0;) {
        for (const struct geo_loop *outer = u->p.loops.loops[i]->parent; outer;
             outer = outer->parent) {
            u->loops[i].chosen &= !u->loops[outer->index].chosen;
        }
    }
}

bool unroll_choose(struct unroll *u, bool *found)
{
    struct geo_arena *arena = &u->p.pass->arena;
    uint32_t values = u->p.function->value_count + 1;
    u->loops = geo_arena_new_array(arena, struct unroll_loop, u->p.loops.count + 1);
    u->bits = geo_arena_new_array(arena, uint64_t, values);
    u->known = geo_arena_new_array(arena, bool, values);
    u->reached = geo_arena_new_array(arena, uint32_t, u->p.function->block_count + 1);
    u->way = geo_arena_new_array(arena, struct geo_ir_block *, u->p.function->block_count + 1);
    u->seen = geo_arena_new_array(arena, uint32_t, values);
    u->work = geo_arena_new_array(arena, struct geo_ir_value *, values);
    u->steps = STEPS_LIMIT;
    u->array = u->turn = 0;
    *found = false;
    if (!u->loops || !u->bits || !u->known || !u->seen || !u->work || !u->reached || !u->way ||
        !geo_uses_build(u->p.function, arena, &u->uses)) {
        return geo_pass_no_memory(u->p.pass);
    }
    for (struct geo_ir_inst *inst = u->p.function->first_block->first; inst; inst = inst->next) {
        *found |= is_array(inst) && array_choose(u, inst);
    }
    inner_leave_out(u);
    return true;
}
