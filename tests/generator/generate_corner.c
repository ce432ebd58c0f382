/* Corners of the language: indices of 32 bits that wrap, generic pointers to memory of several
 * kinds, returns before barriers. See generate.h. */
#include "generate.h"

/* ---- indices that wrap ---- */

static const struct gen_type *u64_type(struct gen_context *context)
{
    return gen_type_int(context->program, 64);
}

static struct gen_expr *u64_const(struct gen_context *context, uint64_t value)
{
    return gen_make_const(context, u64_type(context), value);
}

static struct gen_expr *extended(struct gen_context *context, enum gen_op op,
                                 struct gen_expr *value)
{
    struct gen_expr *expr = gen_expr_create(context->program, op, u64_type(context), 1);
    expr->args[0] = value;
    return expr;
}

/* 32 bits of index + 2^32 - 1 - last: wraps above `last`. */
static struct gen_expr *rising(struct gen_context *context, struct gen_expr *index, uint32_t last)
{
    return extended(context, GEN_UCONVERT,
                    gen_make_binary(context, GEN_ADD, index, gen_u32_const(context, ~last)));
}

/* 32 bits of last - index: wraps there, too. */
static struct gen_expr *falling(struct gen_context *context, struct gen_expr *index, uint32_t last)
{
    return extended(context, GEN_UCONVERT,
                    gen_make_binary(context, GEN_SUB, gen_u32_const(context, last), index));
}

/* The two cancel but for 2^32 - 1. */
static struct gen_expr *cancelled(struct gen_context *context, struct gen_expr *a,
                                  struct gen_expr *b, struct gen_expr *index)
{
    struct gen_expr *sum = gen_make_binary(context, GEN_ADD, a, b);
    sum = gen_make_binary(context, GEN_SUB, sum, u64_const(context, UINT32_MAX));
    return gen_make_binary(context, GEN_ADD, sum, extended(context, GEN_UCONVERT, index));
}

/* 2^32 where index > last. */
static struct gen_expr *made_up(struct gen_context *context, struct gen_expr *index, uint32_t last)
{
    struct gen_expr *select = gen_expr_create(context->program, GEN_SELECT, u64_type(context), 3);
    select->args[0] = gen_make_binary(context, GEN_UGT, index, gen_u32_const(context, last));
    select->args[1] = u64_const(context, 1ull << 32);
    select->args[2] = u64_const(context, 0);
    return select;
}

struct gen_expr *gen_make_wrapped(struct gen_context *context, struct gen_expr *index)
{
    uint32_t last = gen_below(context->random, 64), choice = gen_below(context->random, 10);
    if (index->type != gen_u32_type(context)) {
        return index;
    }
    if (choice < 4) {
        return cancelled(context, rising(context, index, last), falling(context, index, last),
                         index);
    }
    uint32_t start = choice < 7 ? ~last : INT32_MAX - last;
    struct gen_expr *sum = gen_make_binary(context, GEN_ADD, index, gen_u32_const(context, start));
    sum = extended(context, choice < 7 ? GEN_UCONVERT : GEN_SCONVERT, sum);
    sum = gen_make_binary(context, GEN_ADD, sum, made_up(context, index, last));
    return gen_make_binary(context, GEN_SUB, sum, u64_const(context, start));
}

static struct gen_expr *read(struct gen_context *context, struct gen_variable *variable)
{
    return gen_make_load(context, gen_place_create(context, variable, NULL));
}

static struct gen_variable *keep(struct gen_context *context, struct gen_block *block,
                                 struct gen_expr *value)
{
    struct gen_variable *variable = gen_make_variable(context, value->type);
    gen_make_assign(context, block, gen_place_create(context, variable, NULL), value);
    gen_variables_append(context->program, &context->visible, variable);
    return variable;
}

/* The parts of the sum are values, too, which are shown. */
void gen_make_wraps(struct gen_context *context, struct gen_block *block)
{
    uint32_t last = gen_below(context->random, 64);
    struct gen_variable *buffer = gen_pick_buffer(context, GEN_USE_OWN);
    struct gen_place *place = gen_own_row(context, buffer);
    struct gen_expr *index = (struct gen_expr *)(uintptr_t)place->element;
    if (index->type != gen_u32_type(context)) {
        return;
    }
    struct gen_variable *up = keep(context, block, rising(context, index, last));
    struct gen_variable *down = keep(context, block, falling(context, index, last));
    place->element = cancelled(context, read(context, up), read(context, down), index);
    gen_place_descend(context, place, false, true);
    keep(context, block, gen_make_load(context, place));
}

/* ---- memory of several kinds ---- */

static struct gen_place *private_place(struct gen_context *context)
{
    struct gen_variable *variable = gen_writable(context, gen_u32_type(context));
    if (!variable || variable->uniform || variable->role != GEN_PRIVATE) {
        variable = gen_make_variable(context, gen_u32_type(context));
        gen_variables_append(context->program, &context->visible, variable);
    }
    variable->in_memory = true;
    return gen_place_create(context, variable, NULL);
}

static struct gen_place *shared_place(struct gen_context *context, bool read)
{
    for (uint32_t i = 0; i < context->shared_count; i++) {
        struct gen_variable *array = context->shared[i];
        bool plain = array->type == gen_u32_type(context);
        if (array->role == GEN_SHARED &&
            (!read || (plain && context->state.phase[i] == GEN_PHASE_OWN))) {
            return gen_own_place(context, array, NULL);
        }
    }
    return NULL;
}

/* `read`: an integer of 32 bits that may be read here. */
static struct gen_place *random_place(struct gen_context *context, bool read)
{
    struct gen_place *place = NULL;
    uint32_t choice = gen_below(context->random, 3);
    struct gen_variable *own = gen_pick_buffer(context, GEN_USE_OWN);
    if (choice == 0) {
        place = shared_place(context, read);
    } else if (choice == 1 && (!read || own->type == gen_u32_type(context))) {
        place = gen_own_place(context, own, NULL);
    }
    place = place ? place : private_place(context);
    place->form = GEN_POINTER_DIRECT;
    return place;
}

struct gen_expr *gen_make_space(struct gen_context *context)
{
    struct gen_expr *expr = gen_expr_create(context->program, GEN_SPACE, gen_u32_type(context), 1);
    context->nesting++;
    expr->number = gen_below(context->random, GEN_QUESTION_COUNT);
    expr->args[0] = gen_make_bool(context, 1, false);
    expr->place = random_place(context, expr->number == GEN_BEHIND);
    expr->other_place = random_place(context, expr->number == GEN_BEHIND);
    context->nesting--;
    return expr;
}

/* ---- returns ---- */

void gen_make_return(struct gen_context *context, struct gen_block *block)
{
    struct gen_random *random = context->random;
    struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_IF);
    if (gen_chance(random, 50)) {
        uint32_t mask = 1 + 2 * gen_below(random, 4);
        struct gen_expr *me = gen_make_binary(context, GEN_AND, gen_linear_id(context, true),
                                              gen_u32_const(context, mask));
        stmt->value = gen_make_binary(context, GEN_EQ, me,
                                      gen_u32_const(context, gen_below(random, mask + 1)));
    } else {
        stmt->value = gen_make_bool(context, 1, false);
    }
    bool uniform = context->uniform;
    context->uniform = false;
    if (gen_chance(random, 50)) {
        gen_make_simple(context, &stmt->body);
    }
    context->uniform = uniform;
    gen_block_append(context->program, &stmt->body, gen_stmt_create(context->program, GEN_RETURN));
    gen_block_append(context->program, block, stmt);
    if (context->uniform && gen_chance(random, 70)) {
        gen_make_barrier(context, block, false);
    }
}
