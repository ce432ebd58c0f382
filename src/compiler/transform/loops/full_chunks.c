/* Gives loops over a row of items a first part without masks.
 *
 *     for (i = get_local_id(0); i < n; i += get_local_size(0)) body;
 *
 * The lanes of a chunk leave this loop in different iterations, so the whole loop needs a mask. But
 * only the last iterations of a chunk do: before them, all lanes are inside. So the loop is
 * copied, and the first copy runs while all lanes stay (GEO_OP_ALL_LANES). Its branch is the same
 * for all lanes, so it runs without a mask of its own. The second copy is the loop as it was, and
 * continues where the first one has ended:
 *
 *     test at the start                        test at the end, behind a guard
 *
 *     before: branch header                    guard:  branch c ? before : beyond
 *     header: branch c ? body : exit           before: branch body
 *     body:   branch header                    body:   branch d ? body : exit
 *
 *     before:  branch header'                  guard:   branch all(c) ? before' : guard2
 *     header': branch all(c) ? body' : rest    before': branch body'
 *     body':   branch header'                  body':   branch all(d) ? body' : leaving
 *     rest:    branch header                   leaving: branch d ? rest : exit
 *     header:  ...                             guard2:  branch c ? before : beyond
 *                                              before:  branch rest
 *                                              rest:    branch body
 *                                              body:    branch d ? body : closing
 *                                              closing: branch exit
 *
 * The guard is copied too, because otherwise its mask holds in the first copy. A loop without a
 * guard enters its first copy from `before`. Both copies run each lane through the same iterations
 * in the same order, whatever the results of GEO_OP_ALL_LANES are.
 *
 * Loops over windows (windows.c) are copied as well. Their first copy has other bounds, and is
 * entered only if the answer to one more question is yes. Without a guard `before` asks it.
 *
 * Only loops with one exit are copied, in which a comparison with an index divides the lanes, and
 * which are small. They are in loop form (loops.c) and stay so. */
#include "compiler/transform/loops/windows.h"

#include "compiler/analysis/shape.h"
#include "compiler/ir/debug.h"

#include <string.h>

#define SIZE_LIMIT  160u /* instructions of a loop that is copied */
#define COPY_LIMIT  16u  /* loops copied in one function */
#define TOTAL_LIMIT (GEO_LIMIT_FUNCTION_INSTRUCTIONS / 4) /* of a function that is looked at */
/* Lanes for which shapes are computed. Which branches divide the lanes does not depend on it. */
#define LANES 8u

/* The pass on one loop. */
struct full {
    struct loop_pass *p;
    const struct geo_loop *loop;
    struct geo_ir_block *guard;   /* NULL: no guard is copied */
    struct geo_ir_value *asked;   /* also needed to enter the first copy; NULL: nothing */
    struct geo_ir_block *before;  /* the preheader */
    struct geo_ir_block *from;    /* the block that leaves the loop */
    struct geo_ir_block *exit;    /* its target outside */
    struct geo_ir_block *leaving; /* where control goes behind the first copy */
    struct geo_ir_block *rest;    /* the preheader of the second copy */
    struct geo_ir_block *closing; /* the exit of the second copy, unless it is `exit` */
    struct geo_ir_value **values; /* by value index: the copy; NULL: none */
    struct geo_ir_block **blocks; /* by block index: the copy; NULL: none */
    struct geo_ir_value **left;   /* by value index: the phi in `leaving` for the copy */
    struct geo_ir_value **rested; /* by value index: the phi in `rest` for a value of `before` */
    struct geo_ir_value **closed; /* by value index: the phi in `exit` for a value of `before` */
};

/* ---- which loops ---- */

/* Returns whether an instruction is needed by all items at once, so that its loop stays as it is. */
static bool is_met_together(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpVariable || geo_op_is(inst->op, GEO_IS_GROUP | GEO_IS_COLLECTIVE);
}

/* Returns the number of instructions of a block, or more than SIZE_LIMIT if it is not copied. */
static uint32_t block_size(const struct geo_ir_block *block)
{
    uint32_t size = 0;
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        if (is_met_together(inst)) {
            return SIZE_LIMIT + 1;
        }
        size++;
    }
    return size;
}

static bool loop_is_small(const struct geo_loop *loop)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < loop->block_count && size <= SIZE_LIMIT; i++) {
        size += block_size(loop->blocks[i]);
    }
    return size <= SIZE_LIMIT;
}

/* Returns whether a header may run twice in a row. The second copy begins with it. */
static bool is_repeatable(const struct geo_ir_block *header)
{
    for (const struct geo_ir_inst *inst = header->first; inst != header->last; inst = inst->next) {
        if (geo_ir_has_effect(inst) || geo_op_is(inst->op, GEO_IS_CALL)) {
            return false;
        }
    }
    return true;
}

/* Returns whether the loop has a form that can be copied. */
static bool has_form(const struct loop_pass *p, const struct geo_loop *loop)
{
    if (loop->exit_count != 1 || loop->latch_count != 1 || !geo_loop_preheader(&p->loops, loop)) {
        return false;
    }
    const struct geo_ir_block *from = loop->exits[0].from;
    const struct geo_ir_inst *condition =
        from->last->op == SpvOpBranchConditional ? geo_ir_as_inst(from->last->operands[0]) : NULL;
    return condition && geo_loop_contains(&p->loops, loop, condition->block) &&
           geo_pass_compare_inverse(condition->op) != SpvOpNop &&
           condition->value.type->kind == GEO_TYPE_BOOL &&
           (from == loop->latches[0] || (from == loop->header && is_repeatable(from))) &&
           loop_is_small(loop);
}

/* Returns whether lanes leave the loop in different iterations. */
static bool lanes_leave(const struct geo_shapes *shapes, const struct geo_loop *loop)
{
    return shapes->divergent_loop[loop->index] &&
           shapes->divergent_branch[loop->exits[0].from->index];
}

/* Returns whether they do so because of an index that moves evenly from lane to lane. */
static bool index_divides(const struct geo_shapes *shapes, const struct geo_loop *loop)
{
    const struct geo_ir_block *from = loop->exits[0].from;
    const struct geo_ir_inst *condition = geo_ir_as_inst(from->last->operands[0]);
    enum geo_shape_kind a = geo_shape_of(shapes, condition->operands[0]).kind;
    enum geo_shape_kind b = geo_shape_of(shapes, condition->operands[1]).kind;
    return (a == GEO_SHAPE_STRIDED && b == GEO_SHAPE_UNIFORM) ||
           (a == GEO_SHAPE_UNIFORM && b == GEO_SHAPE_STRIDED);
}

/* Returns the block whose branch decides whether lanes enter the loop; NULL: it is not copied. */
static struct geo_ir_block *guard_of(const struct loop_pass *p, const struct geo_loop *loop)
{
    const struct geo_ir_block *before = geo_loop_preheader(&p->loops, loop);
    const struct geo_cfg_edges *preds = &p->cfg.preds[before->index];
    struct geo_ir_block *guard = preds->count == 1 ? preds->blocks[0] : NULL;
    return guard && guard->last->op == SpvOpBranchConditional &&
                   guard->last->targets[0] != guard->last->targets[1] &&
                   p->loops.of[guard->index] == p->loops.of[before->index] &&
                   block_size(before) <= SIZE_LIMIT
               ? guard
               : NULL;
}

/* A loop to copy. The analyses of the function are computed again before each copy. */
struct candidate {
    struct geo_ir_block *header;
    bool guarded;               /* a guard divides the lanes */
    struct loop_window *window; /* NULL: none */
};

/* Sets the candidate's window if the loop has one. Returns false when memory runs out. */
static bool window_find(struct loop_pass *p, const struct geo_shapes *shapes,
                        const struct geo_loop *loop, struct candidate *candidate)
{
    struct geo_ir_block *before = geo_loop_preheader(&p->loops, loop);
    struct loop_window *window = geo_arena_new(&p->pass->arena, struct loop_window);
    if (!window) {
        return geo_pass_no_memory(p->pass);
    }
    if (loop_window_find(p, loop, shapes, candidate->guarded ? guard_of(p, loop) : before,
                         window)) {
        candidate->window = window;
    }
    return true;
}

/* Lists the loops to copy, none inside another. Returns false when memory runs out. */
static bool candidates_find(struct loop_pass *p, const struct geo_shapes *shapes, bool *chosen,
                            struct candidate *candidates, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < p->loops.count && *count < COPY_LIMIT; i++) {
        const struct geo_loop *loop = p->loops.loops[i];
        chosen[i] = loop->parent && chosen[loop->parent->index];
        if (chosen[i] || !has_form(p, loop) || !lanes_leave(shapes, loop)) {
            continue;
        }
        const struct geo_ir_block *guard =
            loop->exits[0].from == loop->latches[0] ? guard_of(p, loop) : NULL;
        struct candidate candidate = {.header = loop->header,
                                      .guarded = guard && shapes->divergent_branch[guard->index]};
        bool divides = index_divides(shapes, loop);
        if (!divides && !window_find(p, shapes, loop, &candidate)) {
            return false;
        }
        if (divides || candidate.window) {
            chosen[i] = true;
            candidates[(*count)++] = candidate;
        }
    }
    return true;
}

/* ---- the first copy ---- */

static struct geo_ir_value *value_map(const struct full *f, struct geo_ir_value *value)
{
    struct geo_ir_value *copy = geo_uses_is_local(value) ? f->values[value->index] : NULL;
    return copy ? copy : value;
}

static struct geo_ir_block *block_map(const struct full *f, struct geo_ir_block *block)
{
    return f->blocks[block->index] ? f->blocks[block->index] : block;
}

/* Copies the instructions of a block, without their operands. */
static bool insts_copy(struct full *f, struct geo_ir_block *block)
{
    struct geo_ir_block *to = f->blocks[block->index];
    for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        if (inst == block->last && block == f->from) {
            break; /* the copy gets a branch of its own */
        }
        struct geo_ir_inst *copy = geo_make_copy(f->p->pass, inst);
        if (!copy) {
            return false;
        }
        f->values[inst->value.index] = &copy->value;
        geo_ir_inst_append(to, copy);
    }
    to->loop_control = block->loop_control;
    return true;
}

static void records_copy(const struct full *f, const struct geo_ir_inst *from,
                         struct geo_ir_inst *to)
{
    geo_ir_for_each_record(record, from)
    {
        struct geo_ir_record copy = *record;
        copy.value = record->value ? value_map(f, record->value) : NULL;
        geo_ir_record_add(to, &copy);
    }
}

/* Sets the operands and targets of the copies of a block. */
static void operands_copy(const struct full *f, const struct geo_ir_block *block)
{
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        struct geo_ir_value *value = f->values[inst->value.index];
        if (!value) {
            continue; /* the branch that leaves */
        }
        struct geo_ir_inst *copy = geo_ir_as_inst(value);
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            copy->operands[i] = value_map(f, inst->operands[i]);
        }
        for (uint32_t i = 0; i < inst->target_count; i++) {
            copy->targets[i] = block_map(f, inst->targets[i]);
        }
        records_copy(f, inst, copy);
    }
}

/* Creates a comparison like another one, of other values. Returns NULL if one of them is. */
static struct geo_ir_value *compare_make(struct full *f, struct geo_ir_inst *before, SpvOp op,
                                         const struct geo_ir_inst *like, struct geo_ir_value *a,
                                         struct geo_ir_value *b)
{
    struct geo_ir_value *made = geo_make_binary(f->p->pass, before, op, like->value.type, a, b);
    if (made) {
        geo_ir_inst_from(geo_ir_as_inst(made), like);
    }
    return made;
}

/* Appends a branch to `stay` if all lanes fulfil a condition of the original code, and else to
 * `leave`. `when` says which value of the condition fulfils it. */
static bool branch_all(struct full *f, struct geo_ir_block *block, const struct geo_ir_inst *origin,
                       bool when, struct geo_ir_block *stay, struct geo_ir_block *leave)
{
    struct geo_pass *pass = f->p->pass;
    struct geo_ir_value *condition = origin->operands[0], *fulfilled = NULL;
    const struct geo_ir_inst *compared = geo_ir_as_inst(condition);
    struct geo_ir_inst *branch =
        geo_make(pass, NULL, SpvOpBranchConditional, pass->type_void, 1, 0, 2);
    if (!branch) {
        return false;
    }
    geo_ir_inst_from(branch, origin);
    geo_ir_inst_append(block, branch);
    if (compared && geo_pass_compare_inverse(compared->op) != SpvOpNop) {
        /* a comparison of its own, since lowering looks for its operands in this block */
        fulfilled = compare_make(
            f, branch, when ? compared->op : geo_pass_compare_inverse(compared->op), compared,
            value_map(f, compared->operands[0]), value_map(f, compared->operands[1]));
    } else {
        fulfilled = value_map(f, condition);
        fulfilled = when
                        ? fulfilled
                        : geo_make_unary(pass, branch, SpvOpLogicalNot, condition->type, fulfilled);
    }
    branch->operands[0] =
        geo_make_unary(pass, branch, (SpvOp)GEO_OP_ALL_LANES, pass->type_bool, fulfilled);
    branch->targets[0] = stay;
    branch->targets[1] = leave;
    if (branch->operands[0] && compared) {
        geo_ir_inst_from(geo_ir_as_inst(branch->operands[0]), compared);
    }
    return branch->operands[0] != NULL;
}

/* Creates the first copy: the blocks of the loop, and `before` if a guard is copied. */
static bool copy_make(struct full *f)
{
    const struct geo_loop *loop = f->loop;
    const struct geo_ir_inst *last = f->from->last;
    struct geo_ir_block *after = f->guard ? f->guard : f->before;
    uint32_t first = geo_loop_contains(&f->p->loops, loop, last->targets[0]) ? 0 : 1;
    for (uint32_t i = 0; i <= loop->block_count; i++) {
        struct geo_ir_block *block = i ? loop->blocks[i - 1] : f->before;
        if (i == 0 && !f->guard) {
            continue;
        }
        after = geo_ir_block_create(f->p->function, after);
        if (!after) {
            return geo_pass_no_memory(f->p->pass);
        }
        f->blocks[block->index] = after;
        if (!insts_copy(f, block)) {
            return false;
        }
    }
    f->leaving = geo_ir_block_create(f->p->function, after);
    if (!f->leaving) {
        return geo_pass_no_memory(f->p->pass);
    }
    for (uint32_t i = f->guard ? 0 : 1; i <= loop->block_count; i++) {
        operands_copy(f, i ? loop->blocks[i - 1] : f->before);
    }
    return branch_all(f, f->blocks[f->from->index], last, first == 0,
                      block_map(f, last->targets[first]), f->leaving);
}

/* Returns the value that something of the original code has behind the first copy. */
static struct geo_ir_value *left_value(struct full *f, struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    if (!inst || !geo_loop_contains(&f->p->loops, f->loop, inst->block)) {
        return value_map(f, value);
    }
    if (!f->left[value->index]) {
        struct geo_ir_inst *phi = geo_make_phi(f->p->pass, f->leaving, value->type, 1);
        if (!phi) {
            return NULL;
        }
        phi->value.id = value->id;
        phi->value.name = value->name;
        phi->value.align = value->align;
        geo_phi_add(phi, f->values[value->index], f->blocks[f->from->index]);
        f->left[value->index] = &phi->value;
    }
    return f->left[value->index];
}

/* ---- joining the copies ---- */

static void target_change(struct geo_ir_inst *branch, const struct geo_ir_block *was,
                          struct geo_ir_block *now)
{
    for (uint32_t i = 0; i < branch->target_count; i++) {
        branch->targets[i] = branch->targets[i] == was ? now : branch->targets[i];
    }
}

/* Returns a phi of two values at the start of a block. */
static struct geo_ir_value *phi_make(struct full *f, struct geo_ir_block *block,
                                     struct geo_ir_value *a, struct geo_ir_block *from_a,
                                     struct geo_ir_value *b, struct geo_ir_block *from_b)
{
    struct geo_ir_inst *phi = a && b ? geo_make_phi(f->p->pass, block, a->type, 2) : NULL;
    if (!phi) {
        return NULL;
    }
    phi->value.align = a->align < b->align ? a->align : b->align;
    geo_phi_add(phi, a, from_a);
    geo_phi_add(phi, b, from_b);
    return &phi->value;
}

/* Lets the second copy of the loop begin with the values that the first one has left. */
static bool header_join(struct full *f)
{
    struct geo_ir_block *header = f->loop->header;
    for (struct geo_ir_inst *phi = header->first; phi->op == SpvOpPhi; phi = phi->next) {
        uint32_t start = geo_phi_find(phi, f->before);
        uint32_t around = geo_phi_find(phi, f->loop->latches[0]);
        /* behind a test at the start, the iteration whose test failed begins again */
        struct geo_ir_value *again = f->from == header && header != f->loop->latches[0]
                                         ? &phi->value
                                         : phi->operands[around];
        struct geo_ir_value *left = left_value(f, again);
        if (f->guard || f->asked) {
            left = phi_make(f, f->rest, phi->operands[start], f->before, left, f->leaving);
        }
        if (!left) {
            return false;
        }
        phi->operands[start] = left;
        phi->targets[start] = f->rest;
    }
    return true;
}

/* Returns the value in the second copy of a value of `before`. */
static struct geo_ir_value *rest_value(struct full *f, struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    if (!f->guard || !inst || inst->block != f->before) {
        return value;
    }
    if (!f->rested[value->index]) {
        f->rested[value->index] =
            phi_make(f, f->rest, value, f->before, value_map(f, value), f->leaving);
    }
    return f->rested[value->index];
}

/* Routes the exit of the second copy through a block of its own, and joins the exits. */
static bool exits_join(struct full *f)
{
    struct geo_pass *pass = f->p->pass;
    f->closing = geo_ir_block_create(f->p->function, f->from);
    if (!f->closing || !geo_make_branch(pass, f->closing, f->exit, f->from->last)) {
        return geo_pass_no_memory(pass);
    }
    for (struct geo_ir_inst *phi = f->exit->first; phi->op == SpvOpPhi; phi = phi->next) {
        struct geo_ir_value *value = phi->operands[0];
        struct geo_ir_inst *closed = geo_make_phi(pass, f->closing, value->type, 1);
        struct geo_ir_inst *larger = geo_make(pass, NULL, SpvOpPhi, value->type, 2, 0, 2);
        struct geo_ir_value *left = left_value(f, value), *rest = rest_value(f, value);
        if (!closed || !larger || !left || !rest) {
            return false;
        }
        geo_phi_add(closed, rest, f->from);
        phi->operands = larger->operands; /* the phi had room for one operand */
        phi->targets = larger->targets;
        phi->operand_count = phi->target_count = 0;
        geo_phi_add(phi, &closed->value, f->closing);
        geo_phi_add(phi, left, f->leaving);
    }
    target_change(f->from->last, f->exit, f->closing);
    return true;
}

/* Returns the value behind the loop of a value of `before`. */
static struct geo_ir_value *closed_value(struct full *f, struct geo_ir_value *value)
{
    if (!f->closed[value->index]) {
        f->closed[value->index] =
            phi_make(f, f->exit, rest_value(f, value), f->closing, value_map(f, value), f->leaving);
    }
    return f->closed[value->index];
}

/* Replaces the uses of the values of `before`, which has a copy, by phis. */
static bool uses_join(struct full *f)
{
    geo_ir_for_each_block(block, f->p->function) {
        bool inside = geo_loop_contains(&f->p->loops, f->loop, block);
        for (struct geo_ir_inst *inst = block->first;
             inst && block != f->before && block != f->rest; inst = inst->next) {
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                const struct geo_ir_inst *from = geo_ir_as_inst(inst->operands[i]);
                if (!from || from->block != f->before) {
                    continue;
                }
                inst->operands[i] =
                    inside ? rest_value(f, inst->operands[i]) : closed_value(f, inst->operands[i]);
                if (!inst->operands[i]) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Moves the branch of the guard into a block of its own, and enters the first copy if all lanes
 * pass. */
static bool guard_split(struct full *f)
{
    struct geo_ir_inst *branch = f->guard->last;
    struct geo_ir_block *some = geo_ir_block_create(f->p->function, f->guard);
    if (!some) {
        return geo_pass_no_memory(f->p->pass);
    }
    geo_block_move_insts(branch, some);
    geo_edge_moved(branch->targets[0], f->guard, some);
    geo_edge_moved(branch->targets[1], f->guard, some);
    if (!branch_all(f, f->guard, branch, branch->targets[0] == f->before,
                    f->blocks[f->before->index], some)) {
        return false;
    }
    branch = f->guard->last;
    if (f->asked) {
        branch->operands[0] = geo_make_binary(f->p->pass, branch, SpvOpLogicalAnd, f->asked->type,
                                              f->asked, branch->operands[0]);
    }
    return branch->operands[0] != NULL;
}

/* Enters the first copy from `before` if the answer to the question is yes. */
static bool before_ask(struct full *f)
{
    struct geo_pass *pass = f->p->pass;
    struct geo_ir_inst *enter = f->before->last;
    struct geo_ir_block *header = f->blocks[f->loop->header->index];
    struct geo_ir_block *first = geo_ir_block_create(f->p->function, f->before);
    if (!first) {
        return geo_pass_no_memory(pass);
    }
    struct geo_ir_inst *branch =
        geo_make(pass, enter, SpvOpBranchConditional, pass->type_void, 1, 0, 2);
    if (!branch || !geo_make_branch(pass, first, header, enter)) {
        return false;
    }
    geo_ir_inst_from(branch, f->from->last);
    geo_ir_inst_from(first->last, f->from->last);
    geo_edge_moved(header, f->before, first);
    branch->operands[0] = f->asked;
    branch->targets[0] = first;
    branch->targets[1] = f->rest;
    geo_ir_records_move(enter, branch);
    geo_ir_inst_remove(enter);
    return true;
}

/* Joins the copies of a loop that tests at its end. */
static bool end_join(struct full *f)
{
    struct geo_pass *pass = f->p->pass;
    const struct geo_ir_inst *last = f->from->last;
    struct geo_ir_inst *branch =
        geo_make(pass, NULL, SpvOpBranchConditional, pass->type_void, 1, 0, 2);
    if (!branch) {
        return false;
    }
    geo_ir_inst_from(branch, last);
    geo_ir_inst_append(f->leaving, branch);
    for (uint32_t i = 0; i < 2; i++) {
        branch->targets[i] = last->targets[i] == f->exit ? f->exit : f->rest;
    }
    /* computed again, so that the loop does not compute a vector for its end only */
    const struct geo_ir_inst *compared = geo_ir_as_inst(last->operands[0]);
    branch->operands[0] =
        compare_make(f, branch, compared->op, compared, left_value(f, compared->operands[0]),
                     left_value(f, compared->operands[1]));
    return branch->operands[0] && exits_join(f) && (!f->guard || uses_join(f));
}

/* ---- one loop ---- */

/* Creates what a window needs to enter the first copy, and stores the question. */
static bool window_ask(struct loop_pass *p, const struct candidate *candidate,
                       struct geo_ir_value **asked)
{
    const struct geo_loop *loop = p->loops.of[candidate->header->index];
    *asked = loop_window_ask(p, candidate->window,
                             candidate->guarded ? guard_of(p, loop)
                                                : geo_loop_preheader(&p->loops, loop));
    return *asked && loop_analyse(p);
}

static bool full_init(struct full *f, struct loop_pass *p, const struct candidate *candidate,
                      struct geo_ir_value *asked)
{
    struct geo_arena *arena = &p->pass->arena;
    uint32_t values = p->function->value_count + 1;
    const struct geo_loop *loop = p->loops.of[candidate->header->index];
    GEO_ASSERT(loop && loop->header == candidate->header && loop->exit_count == 1);
    *f = (struct full){.p = p, .loop = loop};
    f->guard = candidate->guarded ? guard_of(p, loop) : NULL;
    f->before = geo_loop_preheader(&p->loops, loop);
    f->asked = asked;
    f->from = loop->exits[0].from;
    f->exit = loop->exits[0].to;
    f->values = geo_arena_new_array(arena, struct geo_ir_value *, values);
    f->left = geo_arena_new_array(arena, struct geo_ir_value *, values);
    f->rested = geo_arena_new_array(arena, struct geo_ir_value *, values);
    f->closed = geo_arena_new_array(arena, struct geo_ir_value *, values);
    f->blocks = geo_arena_new_array(arena, struct geo_ir_block *, p->function->block_count + 1);
    if (!f->values || !f->left || !f->rested || !f->closed || !f->blocks) {
        return geo_pass_no_memory(p->pass);
    }
    const struct geo_slice *slice = candidate->window ? &candidate->window->slice : NULL;
    for (uint32_t i = 0; slice && i < slice->count; i++) {
        f->values[slice->insts[i]->value.index] = slice->inside[i];
    }
    return true;
}

static bool loop_copy(struct loop_pass *p, const struct candidate *candidate)
{
    struct full f;
    struct geo_ir_value *asked = NULL;
    if ((candidate->window && !window_ask(p, candidate, &asked)) ||
        !full_init(&f, p, candidate, asked) || !copy_make(&f)) {
        return false;
    }
    struct geo_ir_block *header = f.loop->header;
    bool at_start = f.from != f.loop->latches[0];
    struct geo_ir_inst *enter = f.before->last;
    if (at_start && !asked) {
        f.rest = f.leaving;
    } else {
        f.rest = geo_ir_block_create(p->function, f.before);
    }
    if (!f.rest || !header_join(&f) || !geo_make_branch(p->pass, f.rest, header, enter) ||
        (!at_start && !end_join(&f)) ||
        (at_start && asked && !geo_make_branch(p->pass, f.leaving, f.rest, enter))) {
        return geo_pass_no_memory(p->pass);
    }
    if (asked && !f.guard) {
        return before_ask(&f);
    }
    target_change(enter, header, f.guard ? f.rest : f.blocks[header->index]);
    return !f.guard || guard_split(&f);
}

/* ---- the pass ---- */

static bool function_copy(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct loop_pass p = {.pass = pass, .function = function};
    struct candidate candidates[COPY_LIMIT];
    struct geo_shapes shapes;
    const struct geo_shape_options options = {.lanes = LANES, .ids_fit_31_bits = true};
    bool found = false;
    if (geo_pass_instruction_count(function) > TOTAL_LIMIT) {
        return true;
    }
    if (!loop_analyse(&p)) {
        return false;
    }
    for (uint32_t i = 0; i < p.loops.count && !found; i++) {
        found = has_form(&p, p.loops.loops[i]);
    }
    if (!found) {
        return true;
    }
    bool *chosen = geo_arena_new_array(&pass->arena, bool, p.loops.count);
    if (!chosen || !geo_shapes_compute(&p.loops, &options, &pass->arena, &shapes)) {
        return geo_pass_no_memory(pass);
    }
    uint32_t count;
    if (!candidates_find(&p, &shapes, chosen, candidates, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((i > 0 && !loop_analyse(&p)) || !loop_copy(&p, &candidates[i])) {
            return false;
        }
    }
    geo_ir_function_number(function);
    return true;
}

ze_result_t geo_transform_full_chunks(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block && !function->irreducible && !module->concurrent_items) {
            good = function_copy(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
