/* Unrolls loops that index private arrays by their counters, so that the arrays become values, and
 * loops that walk along a record of each lane (unroll_records.c).
 *
 *     float a[3][3];                            a00, a01, ... are values:
 *     for (p = 0; p < 2; p++)                   rotate(0, 1)
 *         for (q = p + 1; q < 3; q++)    -->    rotate(0, 2)
 *             rotate(a, p, q);                  rotate(1, 2)
 *
 * An array with an index that is not constant stays in memory, and each access of it is a load or
 * store of a vector. Loops around it that run a known number of turns are unrolled if that makes
 * all indexes constant. Scalar replacement and mem2reg, which run again afterwards, then turn the
 * array into values. unroll_choose.c says which loops these are.
 *
 * A loop is replaced by one copy of its blocks for each turn. The exit whose condition is known
 * becomes a branch without a condition, and other exits stay:
 *
 *     before: branch header              before:  branch header1
 *     header: ...                        header1: ...
 *     body:   branch c ? header : exit   body1:   branch header2
 *                                        header2: ...
 *                                        body2:   branch exit
 *
 * Outer loops are unrolled first, since the counters of inner loops may start with theirs. Each
 * round unrolls loops that are not inside each other. */
#include "compiler/transform/loops/unroll.h"
#include "compiler/ir/debug.h"
#include "compiler/transform/simplify/simplify.h"

#define ROUNDS       8u    /* depth of loops that are unrolled */
#define GROWTH_LIMIT 4096u /* instructions that unrolling adds to a function */
/* Instructions of a function that is looked at. */
#define TOTAL_LIMIT (GEO_LIMIT_FUNCTION_INSTRUCTIONS / 16)

/* Copies of one loop. */
struct copies {
    struct loop_pass *p;
    const struct geo_loop *loop;
    const struct geo_loop_exit *exit; /* the exit whose condition is known */
    uint32_t turns;
    struct geo_ir_value **values; /* by value index: the copy of this turn; NULL: none */
    struct geo_ir_value **phis;   /* by value index: the values of the header's phis */
    struct geo_ir_block **blocks; /* by block index: the copy of this turn; NULL: none */
    struct geo_ir_block *last;    /* the block behind which copies are inserted */
    struct geo_ir_inst *around;   /* the branch of the turn before, which leads to this turn */
};

static struct geo_ir_value *value_map(const struct copies *c, struct geo_ir_value *value)
{
    struct geo_ir_value *copy = geo_uses_is_local(value) ? c->values[value->index] : NULL;
    return copy ? copy : value;
}

static struct geo_ir_block *block_map(const struct copies *c, struct geo_ir_block *block)
{
    return c->blocks[block->index] ? c->blocks[block->index] : block;
}

static bool is_header_phi(const struct copies *c, const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpPhi && inst->block == c->loop->header;
}

/* Sets the values of the header's phis for a turn. All of them change at once. */
static void phis_advance(struct copies *c, const struct geo_ir_block *from)
{
    const struct geo_ir_inst *first = c->loop->header->first;
    for (const struct geo_ir_inst *phi = first; phi->op == SpvOpPhi; phi = phi->next) {
        c->phis[phi->value.index] = value_map(c, phi->operands[geo_phi_find(phi, from)]);
    }
    for (const struct geo_ir_inst *phi = first; phi->op == SpvOpPhi; phi = phi->next) {
        c->values[phi->value.index] = c->phis[phi->value.index];
    }
}

/* Creates the terminator of a copied block. */
static struct geo_ir_inst *terminator_copy(struct copies *c, struct geo_ir_block *block,
                                           uint32_t turn)
{
    struct geo_ir_inst *last = block->last;
    if (block != c->exit->from) {
        return geo_make_copy(c->p->pass, last);
    }
    struct geo_ir_inst *branch =
        geo_make(c->p->pass, NULL, SpvOpBranch, c->p->pass->type_void, 0, 0, 1);
    if (branch) {
        geo_ir_inst_from(branch, last);
        branch->targets[0] = turn + 1 == c->turns              ? c->exit->to
                             : last->targets[0] == c->exit->to ? last->targets[1]
                                                               : last->targets[0];
    }
    return branch;
}

/* Creates the blocks and instructions of a turn, without operands. */
static bool turn_create(struct copies *c, uint32_t turn)
{
    for (uint32_t i = 0; i < c->loop->block_count; i++) {
        struct geo_ir_block *block = c->loop->blocks[i];
        struct geo_ir_block *to = geo_ir_block_create(c->p->function, c->last);
        if (!to) {
            return geo_pass_no_memory(c->p->pass);
        }
        c->last = c->blocks[block->index] = to;
        to->loop_control = block->loop_control;
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (is_header_phi(c, inst)) {
                continue;
            }
            struct geo_ir_inst *copy = inst == block->last ? terminator_copy(c, block, turn)
                                                           : geo_make_copy(c->p->pass, inst);
            if (!copy) {
                return false;
            }
            /* no value of the numbered function: copies are not copied again in this round */
            copy->value.index = c->p->function->value_count;
            c->values[inst->value.index] = &copy->value;
            geo_ir_inst_append(to, copy);
        }
    }
    return true;
}

static void records_copy(const struct copies *c, const struct geo_ir_inst *from,
                         struct geo_ir_inst *to)
{
    geo_ir_for_each_record(record, from)
    {
        struct geo_ir_record copy = *record;
        copy.value = record->value ? value_map(c, record->value) : NULL;
        geo_ir_record_add(to, &copy);
    }
}

/* Sets the operands and targets of the copies of a turn. */
static void turn_connect(const struct copies *c)
{
    for (uint32_t i = 0; i < c->loop->block_count; i++) {
        const struct geo_ir_block *block = c->loop->blocks[i];
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (is_header_phi(c, inst)) {
                continue;
            }
            struct geo_ir_inst *copy = geo_ir_as_inst(c->values[inst->value.index]);
            for (uint32_t k = 0; k < copy->operand_count; k++) {
                copy->operands[k] = value_map(c, inst->operands[k]);
            }
            bool ends = inst == block->last;
            for (uint32_t k = 0; k < copy->target_count; k++) {
                struct geo_ir_block *target =
                    ends && block == c->exit->from ? copy->targets[k] : inst->targets[k];
                /* the way around leads to the header until the next turn has a copy of it */
                copy->targets[k] =
                    ends && target == c->loop->header ? target : block_map(c, target);
            }
            records_copy(c, inst, copy);
        }
    }
}

static void target_change(struct geo_ir_inst *branch, const struct geo_ir_block *was,
                          struct geo_ir_block *now)
{
    for (uint32_t i = 0; i < branch->target_count; i++) {
        branch->targets[i] = branch->targets[i] == was ? now : branch->targets[i];
    }
}

/* Returns whether a branch of a turn leaves by an exit to the block `to`. */
static bool leaves_to(const struct geo_ir_inst *branch, const struct geo_ir_block *to)
{
    for (uint32_t i = 0; i < branch->target_count; i++) {
        if (branch->targets[i] == to) {
            return true;
        }
    }
    return false;
}

/* Gives a phi behind the loop room for the edges of all turns. */
static bool phi_enlarge(struct copies *c, struct geo_ir_inst *phi)
{
    struct geo_ir_inst *larger =
        geo_make(c->p->pass, NULL, SpvOpPhi, phi->value.type, phi->operand_count * (c->turns + 1),
                 0, phi->operand_count * (c->turns + 1));
    if (!larger) {
        return false;
    }
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        larger->operands[i] = phi->operands[i];
        larger->targets[i] = phi->targets[i];
    }
    phi->operands = larger->operands;
    phi->targets = larger->targets;
    return true;
}

/* Adds the edges of a turn to the phis behind an exit. */
static void exit_add(const struct copies *c, const struct geo_loop_exit *exit)
{
    struct geo_ir_block *from = c->blocks[exit->from->index];
    if (!leaves_to(from->last, exit->to)) {
        return;
    }
    for (struct geo_ir_inst *phi = exit->to->first; phi->op == SpvOpPhi; phi = phi->next) {
        geo_phi_add(phi, value_map(c, phi->operands[geo_phi_find(phi, exit->from)]), from);
    }
}

static bool exits_enlarge(struct copies *c)
{
    const struct geo_loop *loop = c->loop;
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        bool done = false;
        for (uint32_t k = 0; k < i; k++) {
            done |= loop->exits[k].to == loop->exits[i].to;
        }
        for (struct geo_ir_inst *phi = loop->exits[i].to->first; !done && phi->op == SpvOpPhi;
             phi = phi->next) {
            if (!phi_enlarge(c, phi)) {
                return false;
            }
        }
    }
    return true;
}

/* Replaces a loop by its turns. The loop itself is not reached any more. */
static bool loop_unroll(struct loop_pass *p, const struct geo_loop *loop,
                        const struct unroll_loop *info)
{
    struct geo_arena *arena = &p->pass->arena;
    struct geo_ir_block *before = geo_loop_preheader(&p->loops, loop), *header = loop->header;
    struct copies c = {.p = p,
                       .loop = loop,
                       .exit = &loop->exits[info->exit],
                       .turns = info->turns,
                       .last = loop->latches[0],
                       .around = before->last};
    c.values = geo_arena_new_array(arena, struct geo_ir_value *, p->function->value_count + 1);
    c.phis = geo_arena_new_array(arena, struct geo_ir_value *, p->function->value_count + 1);
    c.blocks = geo_arena_new_array(arena, struct geo_ir_block *, p->function->block_count + 1);
    if (!c.values || !c.phis || !c.blocks) {
        return geo_pass_no_memory(p->pass);
    }
    if (!exits_enlarge(&c)) {
        return false;
    }
    for (uint32_t turn = 0; turn < c.turns; turn++) {
        phis_advance(&c, turn ? loop->latches[0] : before);
        if (!turn_create(&c, turn)) {
            return false;
        }
        turn_connect(&c);
        target_change(c.around, header, c.blocks[header->index]);
        c.around = c.blocks[loop->latches[0]->index]->last;
        for (uint32_t i = 0; i < loop->exit_count; i++) {
            exit_add(&c, &loop->exits[i]);
        }
    }
    return true;
}

/* Unrolls the chosen loops of one round. */
static bool round_run(struct unroll *u)
{
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        if (u->loops[i].chosen && !loop_unroll(&u->p, u->p.loops.loops[i], &u->loops[i])) {
            return false;
        }
    }
    return geo_remove_unreachable(u->p.pass, u->p.function);
}

static bool function_unroll(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct unroll u = {.p = {.pass = pass, .function = function}};
    uint32_t before = geo_pass_instruction_count(function);
    if (before > TOTAL_LIMIT || !loop_analyse(&u.p) || u.p.loops.count == 0 ||
        (!unroll_has_array(function) && !unroll_has_records(&u))) {
        return pass->result == ZE_RESULT_SUCCESS;
    }
    /* a module without variables was not simplified yet, so that ids have no shape */
    bool found = true, simple = unroll_has_array(function) || geo_simplify_function(pass, function);
    for (uint32_t round = 0; simple && found && round < ROUNDS; round++) {
        if (geo_pass_instruction_count(function) > before + GROWTH_LIMIT) {
            break;
        }
        if (!loop_form_make(pass, function)) {
            return false;
        }
        if (function->irreducible) {
            break;
        }
        /* conditions that are known now decide about the inner loops of the next round */
        if (!loop_analyse(&u.p) || !unroll_choose(&u, &found) ||
            !unroll_choose_records(&u, &found) ||
            (found && (!round_run(&u) || !geo_simplify_function(pass, function)))) {
            return false;
        }
        pass->module->unrolled |= found;
    }
    return simple;
}

ze_result_t geo_transform_unroll(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block) {
            good = function_unroll(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
