/* Statements with blocks inside: conditions, loops, switches and the ways out of them. See
 * generate.h for what "uniform" means and how phases of shared arrays survive control flow: a block
 * that made a barrier ends with one that brings back the phases it began with. */
#include "generate.h"

#include <string.h>

enum { MAX_TRIPS = 96, MAX_PATTERN_TRIPS = 8, MAX_DEPTH = 4 };

/* What a block inside a statement starts from and what is put back after it. */
struct saved {
    struct gen_shared_state state;
    bool uniform, moved, whole;
};

static struct saved enter(struct gen_context *context, bool uniform)
{
    struct saved saved = {context->state, context->uniform, context->moved, context->whole};
    context->uniform = context->uniform && uniform;
    context->whole = context->whole && uniform;
    context->moved = false;
    context->depth++;
    return saved;
}

static void leave(struct gen_context *context, struct saved saved, struct gen_block *block)
{
    if (context->moved) {
        const struct gen_stmt *last = block->count ? block->items[block->count - 1] : NULL;
        bool ended = last && (last->kind == GEN_BREAK || last->kind == GEN_CONTINUE ||
                              last->kind == GEN_RETURN);
        if (!ended) {
            gen_make_barrier(context, block, false);
        }
        saved.moved = true;
    }
    context->state = saved.state;
    context->uniform = saved.uniform;
    context->whole = saved.whole;
    context->moved = saved.moved;
    context->depth--;
}

static void inner_block(struct gen_context *context, struct gen_block *block, bool uniform,
                        uint32_t count)
{
    struct saved saved = enter(context, uniform);
    gen_make_block(context, block, count);
    leave(context, saved, block);
}

static uint32_t small_count(struct gen_context *context)
{
    return 1 + gen_below(context->random, 4);
}

/* In programs with sub-groups the divergent conditions and numbers often divide them. */
static bool divides(struct gen_context *context, bool uniform)
{
    return context->program->subgroup_size && !uniform && gen_chance(context->random, 65);
}

static struct gen_expr *condition(struct gen_context *context, uint32_t depth, bool uniform)
{
    if (context->program->shapes && !uniform && gen_chance(context->random, 40)) {
        return gen_make_front(context);
    }
    return divides(context, uniform) ? gen_make_division(context)
                                     : gen_make_bool(context, depth, uniform);
}

/* ---- if ---- */

/* Half of the integer divisions that could trap stand behind their test: dead lanes must not. */
static void guarded_division(struct gen_context *context, struct gen_stmt *stmt)
{
    static const enum gen_op ops[] = {GEN_UDIV, GEN_UREM, GEN_SDIV, GEN_SREM};
    struct gen_program *program = context->program;
    const struct gen_type *type = gen_type_int(program, 8u << gen_below(context->random, 4));
    struct gen_variable *divisor = gen_make_variable(context, type);
    struct gen_variable *target = gen_make_variable(context, type);
    enum gen_op op = ops[gen_below(context->random, 4)];
    struct gen_expr *load = gen_make_load(context, gen_place_create(context, divisor, NULL));
    struct gen_expr *one = gen_make_const(context, type, 1);
    stmt->value =
        gen_make_binary(context, GEN_UGT, gen_make_binary(context, GEN_ADD, load, one), one);
    struct gen_expr *a = gen_make_expr(context, type, 1, false);
    gen_make_assign(context, &stmt->body, gen_place_create(context, target, NULL),
                    gen_make_binary(context, op, a, load));
    gen_variables_append(program, &context->visible, target);
}

/* Whole sub-groups go one way or the other. */
static void make_agreed_if(struct gen_context *context, struct gen_block *block)
{
    struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_IF);
    struct gen_block *blocks[] = {&stmt->body, &stmt->other};
    uint32_t count = gen_chance(context->random, 40) ? 2 : 1;
    stmt->value = gen_make_agreed(context, block);
    for (uint32_t i = 0; i < count; i++) {
        struct saved saved = enter(context, false);
        context->whole = saved.whole;
        gen_make_block(context, blocks[i], small_count(context));
        leave(context, saved, blocks[i]);
    }
    gen_block_append(context->program, block, stmt);
}

static void make_if(struct gen_context *context, struct gen_block *block)
{
    struct gen_random *random = context->random;
    struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_IF);
    bool uniform = gen_chance(random, 35);
    if (gen_chance(random, 8)) {
        guarded_division(context, stmt);
        const struct gen_expr *sum = stmt->value->args[0];
        struct gen_variable *divisor = sum->args[0]->place->base;
        struct gen_expr *value = gen_make_expr(context, divisor->type, 1, false);
        value = gen_make_binary(context, GEN_AND, value, gen_make_const(context, divisor->type, 3));
        gen_make_assign(context, block, gen_place_create(context, divisor, NULL), value);
    } else {
        stmt->value = condition(context, 2, uniform);
        inner_block(context, &stmt->body, uniform, small_count(context));
        if (gen_chance(random, 45)) {
            inner_block(context, &stmt->other, uniform, small_count(context));
        }
    }
    gen_block_append(context->program, block, stmt);
}

/* ---- loops ---- */

static void make_loop(struct gen_context *context, struct gen_block *block)
{
    struct gen_random *random = context->random;
    struct gen_program *program = context->program;
    struct gen_stmt *stmt = gen_stmt_create(program, GEN_LOOP);
    bool uniform = gen_chance(random, 50);
    const struct gen_type *type = gen_type_int(program, gen_chance(random, 85) ? 32 : 64);
    uint32_t most = gen_chance(random, 10) ? 16 : 1u << (1 + gen_below(random, 3));
    while (most > 1 && context->trips * most > MAX_TRIPS) {
        most /= 2;
    }
    if (uniform && gen_chance(random, 50)) {
        stmt->value = gen_make_const(context, type, 1 + gen_below(random, most));
    } else {
        struct gen_expr *bound =
            divides(context, uniform)
                ? gen_make_convert(context, gen_make_scattered(context, 16), type)
                : gen_make_expr(context, type, 2, uniform);
        stmt->value = gen_make_binary(context, GEN_AND, bound,
                                      gen_make_const(context, type, most - (most > 1)));
        most = most > 1 ? most : 2;
    }
    bool jumps = program->irreducible && gen_chance(random, 60);
    bool same_entry = jumps && gen_chance(random, 40);
    stmt->post_test = gen_chance(random, 35) || jumps;
    stmt->entry = jumps ? gen_make_bool(context, 1, same_entry) : NULL;
    stmt->uniform = uniform && context->uniform;
    stmt->counter = gen_make_variable(context, type);
    stmt->counter->counter = true;
    bool divergent = !stmt->uniform || gen_chance(random, 30);
    stmt->counter->uniform = !divergent;
    gen_variables_append(program, &context->visible, stmt->counter);
    struct gen_loop_state *loop = &context->loops[context->loop_count++];
    *loop = (struct gen_loop_state){.loop = stmt, .divergent = divergent};
    uint32_t trips = context->trips;
    context->trips *= most;
    struct saved saved = enter(context, !divergent);
    bool before = saved.moved;
    if (jumps) {
        inner_block(context, &stmt->other, same_entry, small_count(context));
    }
    gen_make_block(context, &stmt->body, small_count(context) + 1);
    leave(context, saved, &stmt->body);
    bool has_barrier = context->moved && !before;
    context->trips = trips;
    context->loop_count--;
    gen_block_append(program, block, stmt);
    /* Items that broke out are in another phase than those that came to the end. */
    if (has_barrier || (before && !divergent && context->barriers && context->uniform)) {
        gen_make_barrier(context, block, false);
    }
}

/* As often as the items of the sub-group agree: nobody leaves early. */
static void make_agreed_loop(struct gen_context *context, struct gen_block *block)
{
    struct gen_program *program = context->program;
    struct gen_stmt *stmt = gen_stmt_create(program, GEN_LOOP);
    uint32_t most = 2u << gen_below(context->random, 2), trips = context->trips;
    stmt->value = gen_make_agreed_count(context, block, most);
    stmt->post_test = gen_chance(context->random, 35);
    stmt->counter = gen_make_variable(context, gen_type_int(program, 32));
    stmt->counter->counter = true;
    gen_variables_append(program, &context->visible, stmt->counter);
    context->loops[context->loop_count++] = (struct gen_loop_state){.loop = stmt};
    context->trips *= most;
    struct saved saved = enter(context, false);
    context->whole = saved.whole;
    gen_make_block(context, &stmt->body, small_count(context) + 1);
    leave(context, saved, &stmt->body);
    context->trips = trips;
    context->loop_count--;
    gen_block_append(program, block, stmt);
}

/* ---- switch ---- */

static void make_switch(struct gen_context *context, struct gen_block *block)
{
    struct gen_random *random = context->random;
    struct gen_program *program = context->program;
    struct gen_stmt *stmt = gen_stmt_create(program, GEN_SWITCH);
    bool uniform = gen_chance(random, 35);
    const struct gen_type *type =
        gen_type_int(program, gen_chance(random, 70) ? 32 : 8u << gen_below(random, 4));
    struct gen_expr *selector =
        divides(context, uniform) ? gen_make_convert(context, gen_make_scattered(context, 8), type)
                                  : gen_make_expr(context, type, 2, uniform);
    /* Small numbers, or small ones below zero. */
    uint64_t base = gen_chance(random, 25) ? UINT64_MAX - 3 : 0;
    uint64_t mask = type->bits == 64 ? UINT64_MAX : (1ull << type->bits) - 1;
    selector = gen_make_binary(context, GEN_AND, selector, gen_make_const(context, type, 7));
    if (base) {
        selector = gen_make_binary(context, GEN_ADD, selector, gen_make_const(context, type, base));
    }
    stmt->value = selector;
    stmt->case_count = 2 + gen_below(random, 4);
    stmt->cases = gen_alloc(program, stmt->case_count * sizeof(*stmt->cases));
    uint32_t first = gen_below(random, 3);
    for (uint32_t i = 0; i < stmt->case_count; i++) {
        struct gen_case *one = &stmt->cases[i];
        one->is_default = i + 1 == stmt->case_count;
        one->value = (base + first + i * (first ? 1 : 2)) & mask;
        if (!one->is_default || gen_chance(random, 70)) {
            inner_block(context, &one->body, uniform, 1 + gen_below(random, 2));
        }
        one->falls_through = !one->is_default && gen_chance(random, 20);
    }
    gen_block_append(program, block, stmt);
}

/* ---- ways out ---- */

/* Something that the compiler cannot know and that is nearly always true. */
static struct gen_expr *opaque(struct gen_context *context, bool uniform)
{
    struct gen_place *place =
        gen_input_place(context, gen_pick_buffer(context, GEN_USE_INPUT), uniform);
    gen_place_descend(context, place, uniform, true);
    struct gen_expr *value = gen_make_load(context, place);
    enum gen_op op = place->type->kind == GEN_FLOAT ? GEN_FNE : GEN_NE;
    return gen_make_binary(context, op, value, gen_make_random_const(context, place->type));
}

/* if (condition) break / continue / return. Divergent only out of loops (functions) that allow it.
 */
static bool make_exit(struct gen_context *context, struct gen_block *block)
{
    struct gen_random *random = context->random;
    struct gen_program *program = context->program;
    bool leave_function = context->loop_count == 0 || gen_chance(random, 20);
    struct gen_loop_state *loop = NULL;
    bool uniform = false;
    if (leave_function) {
        if (!context->returns && !context->uniform) {
            return false;
        }
        uniform = !context->returns;
        if (uniform && gen_chance(random, 70)) {
            return false; /* the whole group ends here: rarely */
        }
    } else {
        uint32_t level = gen_chance(random, 75) ? 0 : gen_below(random, context->loop_count);
        loop = &context->loops[context->loop_count - 1 - level];
        for (uint32_t i = 0; i <= level; i++) {
            /* Leaving an outer loop leaves the inner ones too. */
            uniform = uniform || !context->loops[context->loop_count - 1 - i].divergent;
        }
        if (uniform && !context->uniform) {
            return false;
        }
    }
    struct gen_stmt *stmt = gen_stmt_create(program, GEN_IF);
    stmt->value = condition(context, 1, uniform);
    if (program->subgroup_size) {
        /* Always true, it would take the blocks before it out of the loop. */
        stmt->value = gen_make_binary(context, GEN_LAND, opaque(context, uniform), stmt->value);
        stmt->keep_value = true;
    }
    struct saved saved = enter(context, uniform);
    bool leaving = context->leaving;
    context->leaving = leaving || context->loop_count > 0;
    if (gen_chance(random, 40)) {
        gen_make_simple(context, &stmt->body);
    }
    context->leaving = leaving;
    if (uniform && context->barriers && context->uniform) {
        gen_make_barrier(context, &stmt->body, true);
    }
    enum gen_stmt_kind kind = leave_function           ? GEN_RETURN
                              : gen_chance(random, 60) ? GEN_BREAK
                                                       : GEN_CONTINUE;
    struct gen_stmt *exit = gen_stmt_create(program, kind);
    exit->target = loop ? loop->loop : NULL;
    if (leave_function && context->function->result->kind != GEN_VOID) {
        exit->value = gen_make_expr(context, context->function->result, 1, false);
    }
    gen_block_append(program, &stmt->body, exit);
    leave(context, saved, &stmt->body);
    gen_block_append(program, block, stmt);
    return true;
}

/* ---- blocks ---- */

void gen_make_block(struct gen_context *context, struct gen_block *block, uint32_t count)
{
    struct gen_random *random = context->random;
    for (uint32_t i = 0; i < count && context->budget > 0; i++) {
        uint32_t choice = gen_below(random, 100);
        bool room = context->depth < MAX_DEPTH;
        context->budget--;
        if (context->program->collectives && gen_chance(random, 35) &&
            gen_make_collective(context, block)) {
            continue;
        }
        if (context->program->returns && context->function->is_kernel && context->barriers &&
            gen_chance(random, 20)) {
            gen_make_return(context, block);
            continue;
        }
        if (context->program->shapes && context->barriers && context->uniform &&
            context->shared_count && context->trips < MAX_PATTERN_TRIPS && gen_chance(random, 15) &&
            gen_make_pattern(context, block)) {
            continue;
        }
        bool agreed = context->program->subgroup_size && !context->leaving && !context->only_ids &&
                      gen_chance(random, 10);
        if (agreed && room && gen_chance(random, 60)) {
            make_agreed_if(context, block);
        } else if (agreed && room && context->trips < MAX_TRIPS / 2 &&
                   context->loop_count < GEN_MAX_LOOPS) {
            make_agreed_loop(context, block);
        } else if (choice < 18 && room) {
            make_if(context, block);
        } else if (choice < 32 && room && context->trips < MAX_TRIPS / 2 &&
                   context->loop_count < GEN_MAX_LOOPS) {
            make_loop(context, block);
        } else if (choice < 38 && room) {
            make_switch(context, block);
        } else if (choice < 48 && context->barriers && context->uniform &&
                   (context->shared_count || gen_chance(random, 20))) {
            gen_make_barrier(context, block, false);
        } else if (choice < 56 && make_exit(context, block)) {
            continue;
        } else {
            gen_make_simple(context, block);
        }
    }
}
