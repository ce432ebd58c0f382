/* Operations of sub-groups, with operands for which the specification says what comes out. See
 * generate.h for where they may stand.
 *
 * Numbers of other items are kept in range, or the statement gets a guard: what comes from an item
 * that is not there is replaced by the own value. */
#include "generate.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- which operation ---- */

/* About as often: votes, broadcasts, ballots, moves, reductions. */
static uint32_t kind_of(const struct gen_subgroup_info *info)
{
    switch (info->form) {
    case GEN_FORM_ELECT:
    case GEN_FORM_VOTE:
    case GEN_FORM_ALL_EQUAL:
        return 0;
    case GEN_FORM_BROADCAST:
    case GEN_FORM_FIRST:
        return 1;
    case GEN_FORM_SHUFFLE:
    case GEN_FORM_PAIR:
        return 3;
    case GEN_FORM_REDUCE:
        return 4;
    case GEN_FORM_BLOCK:
        return UINT32_MAX; /* made otherwise */
    default:
        return 2;
    }
}

static enum gen_subgroup_op random_op(struct gen_context *context)
{
    static const uint8_t kinds[] = {0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4};
    uint32_t kind = kinds[gen_below(context->random, COUNT(kinds))];
    for (;;) {
        uint32_t op = gen_below(context->random, GEN_SG_COUNT);
        const struct gen_subgroup_info *info = &gen_subgroups[op];
        if (kind_of(info) == kind && (context->whole || !info->whole)) {
            return (enum gen_subgroup_op)op;
        }
    }
}

/* ---- the statement ---- */

/* Where the result goes; `fresh`: a variable that nothing else writes. */
static struct gen_place *result_place(struct gen_context *context, const struct gen_type *type,
                                      bool fresh)
{
    struct gen_random *random = context->random;
    struct gen_variable *own = gen_pick_buffer(context, GEN_USE_OWN);
    if (!fresh && own->type == type && gen_chance(random, 20)) {
        return gen_own_place(context, own, NULL);
    }
    struct gen_variable *variable =
        fresh || gen_chance(random, 40) ? NULL : gen_writable(context, type);
    if (!variable || variable->uniform) {
        variable = gen_make_variable(context, type);
        variable->counter = fresh;
        gen_variables_append(context->program, &context->visible, variable);
    }
    return gen_place_create(context, variable, NULL);
}

static struct gen_stmt *statement(struct gen_context *context, enum gen_subgroup_op op)
{
    struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_SUBGROUP);
    stmt->subgroup = gen_alloc(context->program, sizeof(*stmt->subgroup));
    stmt->subgroup->op = op;
    return stmt;
}

static const struct gen_type *result_type(struct gen_context *context, const struct gen_stmt *stmt)
{
    switch (gen_subgroups[stmt->subgroup->op].form) {
    case GEN_FORM_ELECT:
    case GEN_FORM_VOTE:
    case GEN_FORM_ALL_EQUAL:
    case GEN_FORM_INVERSE:
    case GEN_FORM_EXTRACT:
        return gen_type_bool(context->program);
    case GEN_FORM_BALLOT:
        return gen_type_vector(context->program, gen_u32_type(context), 4);
    case GEN_FORM_COUNT:
    case GEN_FORM_LSB:
    case GEN_FORM_MSB:
        return gen_u32_type(context);
    default:
        return stmt->value->type;
    }
}

static void finish(struct gen_context *context, struct gen_block *block, struct gen_stmt *stmt)
{
    struct gen_function *function = context->function;
    function->has_subgroup = true;
    function->needs_whole = function->needs_whole || context->whole;
    context->cost += 2 * context->trips;
    gen_block_append(context->program, block, stmt);
}

static struct gen_expr *append(struct gen_context *context, struct gen_block *block,
                               struct gen_stmt *stmt, bool fresh)
{
    stmt->place = result_place(context, result_type(context, stmt), fresh);
    finish(context, block, stmt);
    return fresh ? gen_make_load(context, stmt->place) : NULL;
}

/* A ballot of `value` in a variable of its own. */
static struct gen_expr *ballot_of(struct gen_context *context, struct gen_block *block,
                                  struct gen_expr *value)
{
    struct gen_stmt *stmt = statement(context, GEN_SG_BALLOT);
    stmt->value = value;
    return append(context, block, stmt, true);
}

static struct gen_expr *yes(struct gen_context *context)
{
    return gen_make_const(context, gen_type_bool(context->program), 1);
}

/* The first or last of the items that are here, as a number. */
static struct gen_expr *somebody(struct gen_context *context, struct gen_block *block)
{
    bool first = gen_chance(context->random, 50);
    struct gen_stmt *stmt = statement(context, first ? GEN_SG_BALLOT_LSB : GEN_SG_BALLOT_MSB);
    stmt->value = ballot_of(context, block, yes(context));
    return append(context, block, stmt, true);
}

/* ---- ballots as operands ---- */

static void read_ballot(struct gen_context *context, struct gen_block *block, struct gen_stmt *stmt)
{
    struct gen_random *random = context->random;
    enum gen_subgroup_form form = gen_subgroups[stmt->subgroup->op].form;
    const struct gen_type *type = gen_type_vector(context->program, gen_u32_type(context), 4);
    bool same = form == GEN_FORM_INVERSE;
    bool find = form == GEN_FORM_LSB || form == GEN_FORM_MSB;
    bool all = find && gen_chance(random, 50);
    if (all || gen_chance(random, 60)) {
        struct gen_expr *value = all ? yes(context) : gen_make_bool(context, 1, false);
        stmt->value = ballot_of(context, block, value);
    } else {
        stmt->value = gen_cut_ballot(context, gen_make_expr(context, type, 1, same));
    }
    if (find && !all) {
        /* Not empty. */
        uint32_t bit = gen_below(random, gen_smallest_subgroup(context->program));
        stmt->value =
            gen_make_binary(context, GEN_OR, stmt->value, gen_make_const(context, type, 1u << bit));
    }
    if (form == GEN_FORM_EXTRACT) {
        stmt->subgroup->number =
            gen_make_below(context, gen_smallest_subgroup(context->program), false);
    }
    if (form == GEN_FORM_COUNT) {
        stmt->subgroup->operation = (enum gen_group_operation)gen_below(random, 3);
    }
}

/* ---- moves ---- */

static struct gen_expr *distance(struct gen_context *context, enum gen_subgroup_op op)
{
    struct gen_random *random = context->random;
    uint32_t full = context->program->subgroup_size;
    if (op == GEN_SG_QUAD_BROADCAST) {
        return gen_u32_const(context, gen_below(random, 4));
    }
    if (op == GEN_SG_QUAD_SWAP) {
        return gen_u32_const(context, gen_below(random, 3));
    }
    if (gen_chance(random, 50)) {
        return gen_u32_const(context, gen_chance(random, 50) ? (full / 2) >> gen_below(random, 5)
                                                             : gen_below(random, full));
    }
    bool may_leave = op == GEN_SG_SHUFFLE || op == GEN_SG_SHUFFLE_XOR;
    uint32_t bound = may_leave && gen_chance(random, 20) ? 2 * full : full;
    return gen_make_below(context, bound, gen_subgroups[op].same);
}

/* Every item gets its value from within a full sub-group, whatever the number. */
static bool stays_inside(const struct gen_subgroup *subgroup, uint32_t full)
{
    const struct gen_expr *number = subgroup->number;
    bool small = number->op == GEN_CONST
                     ? number->bits[0] < full
                     : number->op == GEN_AND && number->args[1]->bits[0] == full - 1;
    return subgroup->op != GEN_SG_SHUFFLE_UP && subgroup->op != GEN_SG_SHUFFLE_DOWN && small;
}

static enum gen_guard guard_for(struct gen_context *context, const struct gen_subgroup *subgroup)
{
    uint32_t full = context->program->subgroup_size;
    bool even = gen_smallest_subgroup(context->program) == full;
    if (!context->whole || gen_chance(context->random, 15)) {
        return GEN_GUARD_BALLOT;
    }
    return even && stays_inside(subgroup, full) && gen_chance(context->random, 90) ? GEN_GUARD_NONE
                                                                                   : GEN_GUARD_SIZE;
}

static void make_move(struct gen_context *context, struct gen_stmt *stmt)
{
    struct gen_random *random = context->random;
    struct gen_subgroup *subgroup = stmt->subgroup;
    bool intel = !gen_subgroups[subgroup->op].has_scope;
    const struct gen_type *type;
    do {
        type = gen_random_group_type(context, GEN_VOID);
    } while (intel && type->kind == GEN_BOOL);
    stmt->value = gen_make_plain(context, type);
    if (gen_subgroups[subgroup->op].form == GEN_FORM_PAIR) {
        subgroup->second = gen_make_plain(context, type);
    }
    subgroup->number = distance(context, subgroup->op);
    if (subgroup->op == GEN_SG_ROTATE && gen_chance(random, 40)) {
        subgroup->cluster = context->program->subgroup_size >> gen_below(random, 3);
    }
    subgroup->guard = guard_for(context, subgroup);
}

static void make_broadcast(struct gen_context *context, struct gen_block *block,
                           struct gen_stmt *stmt)
{
    struct gen_random *random = context->random;
    struct gen_subgroup *subgroup = stmt->subgroup;
    const struct gen_subgroup_info *info = &gen_subgroups[subgroup->op];
    const struct gen_type *type;
    bool narrow = !info->has_scope; /* SPV_KHR_shader_ballot: scalars of 32 bits */
    do {
        type = gen_random_group_type(context, GEN_VOID);
    } while ((narrow && (type->kind == GEN_VECTOR || type->bits != 32)) ||
             (info->whole && type->kind == GEN_BOOL));
    stmt->value = gen_make_plain(context, type);
    if (info->form == GEN_FORM_FIRST) {
        return;
    }
    bool constant = subgroup->op == GEN_SG_BROADCAST && context->program->version < 5;
    uint32_t smallest = gen_smallest_subgroup(context->program);
    if (!constant && gen_chance(random, 35)) {
        subgroup->number = somebody(context, block);
        return;
    }
    subgroup->number = constant || gen_chance(random, 50)
                           ? gen_u32_const(context, gen_below(random, smallest))
                           : gen_make_below(context, smallest, true);
    subgroup->guard = context->whole ? GEN_GUARD_NONE : GEN_GUARD_BALLOT;
}

/* ---- blocks ---- */

/* A scalar of each item from an input, or to four rows of it (so aligned as reads want it). */
static void make_block_read(struct gen_context *context, struct gen_block *block,
                            struct gen_variable *buffer)
{
    uint32_t full = context->program->subgroup_size, count = 1u << gen_below(context->random, 3);
    while (count * full > buffer->length) {
        count /= 2;
    }
    const struct gen_type *type = gen_type_vector(context->program, buffer->type, count);
    struct gen_stmt *stmt = statement(context, GEN_SG_BLOCK_READ);
    struct gen_expr *first = gen_make_binary(
        context, GEN_MUL, gen_make_below(context, (buffer->length - count * full) / 4 + 1, true),
        gen_u32_const(context, 4));
    stmt->subgroup->block = gen_place_create(context, gen_reach_buffer(context, buffer), first);
    stmt->subgroup->block->form = GEN_POINTER_DIRECT;
    struct gen_variable *variable = gen_make_variable(context, type);
    gen_variables_append(context->program, &context->visible, variable);
    stmt->place = gen_place_create(context, variable, NULL);
    finish(context, block, stmt);
}

/* One slot of each item, where those of a sub-group lie side by side. */
static void make_block_write(struct gen_context *context, struct gen_block *block,
                             struct gen_variable *buffer)
{
    struct gen_place *place = gen_own_row(context, buffer);
    struct gen_stmt *stmt = statement(context, GEN_SG_BLOCK_WRITE);
    place->element = gen_make_binary(context, GEN_SUB, (struct gen_expr *)(uintptr_t)place->element,
                                     gen_id(context, GEN_SUBGROUP_LOCAL_ID, 0));
    place->form = GEN_POINTER_DIRECT;
    stmt->subgroup->block = place;
    stmt->value = gen_make_plain(context, buffer->type);
    finish(context, block, stmt);
}

static bool make_block_io(struct gen_context *context, struct gen_block *block)
{
    uint32_t full = context->program->subgroup_size;
    bool writes = gen_chance(context->random, 40);
    if (!context->whole || gen_smallest_subgroup(context->program) != full) {
        return false;
    }
    for (uint32_t i = 0; i < 4; i++) {
        struct gen_variable *buffer =
            gen_pick_buffer(context, writes ? GEN_USE_OWN : GEN_USE_INPUT);
        bool fits = writes ? gen_has_rows(context, buffer) && buffer->type->size * full >= 16
                           : buffer->length >= full && buffer->shift == 0;
        if (fits && buffer->type->kind == GEN_INT && gen_reach_buffer(context, buffer)) {
            (writes ? make_block_write : make_block_read)(context, block, buffer);
            return true;
        }
    }
    return false;
}

/* ---- all of them ---- */

static void make_reduction(struct gen_context *context, struct gen_stmt *stmt)
{
    struct gen_random *random = context->random;
    struct gen_subgroup *subgroup = stmt->subgroup;
    const struct gen_subgroup_info *info = &gen_subgroups[subgroup->op];
    stmt->value = gen_make_reduced(context, info->join);
    subgroup->operation = (enum gen_group_operation)gen_below(random, info->whole ? 3 : 4);
    if (subgroup->operation == GEN_CLUSTERED) {
        uint32_t limit = gen_smallest_subgroup(context->program);
        do {
            subgroup->cluster = 1u << gen_below(random, 6);
        } while (subgroup->cluster > limit);
    }
}

bool gen_make_subgroup(struct gen_context *context, struct gen_block *block)
{
    if (!context->program->subgroup_size || context->leaving || context->only_ids) {
        return false;
    }
    if (gen_chance(context->random, 25) && make_block_io(context, block)) {
        return true;
    }
    enum gen_subgroup_op op = random_op(context);
    struct gen_stmt *stmt = statement(context, op);
    switch (gen_subgroups[op].form) {
    case GEN_FORM_ELECT:
        break;
    case GEN_FORM_VOTE:
    case GEN_FORM_BALLOT:
        stmt->value = gen_make_bool(context, 1, gen_chance(context->random, 25));
        break;
    case GEN_FORM_ALL_EQUAL:
        stmt->value = gen_make_compared(context);
        break;
    case GEN_FORM_BROADCAST:
    case GEN_FORM_FIRST:
        make_broadcast(context, block, stmt);
        break;
    case GEN_FORM_SHUFFLE:
    case GEN_FORM_PAIR:
        make_move(context, stmt);
        break;
    case GEN_FORM_REDUCE:
        make_reduction(context, stmt);
        break;
    default:
        read_ballot(context, block, stmt);
        break;
    }
    append(context, block, stmt, false);
    return true;
}

/* ---- operations of groups ---- */

/* Where it is the same for all items, a variable for that. */
static struct gen_place *group_place(struct gen_context *context, const struct gen_stmt *stmt)
{
    struct gen_place *place = result_place(context, result_type(context, stmt), false);
    bool same = gen_subgroups[stmt->subgroup->op].form != GEN_FORM_REDUCE ||
                stmt->subgroup->operation == GEN_REDUCE;
    if (same && gen_chance(context->random, 60)) {
        struct gen_variable *variable = gen_make_variable(context, place->type);
        variable->uniform = true;
        gen_variables_append(context->program, &context->visible, variable);
        place = gen_place_create(context, variable, NULL);
    }
    return place;
}

bool gen_make_collective(struct gen_context *context, struct gen_block *block)
{
    struct gen_program *program = context->program;
    struct gen_random *random = context->random;
    enum gen_subgroup_op op;
    if (!program->collectives || !context->barriers || !context->uniform) {
        return false;
    }
    do {
        op = (enum gen_subgroup_op)gen_below(random, GEN_SG_COUNT);
    } while (!gen_subgroups[op].whole || !gen_subgroups[op].has_scope);
    struct gen_stmt *stmt = statement(context, op);
    stmt->subgroup->of_group = true;
    stmt->subgroup->wide = gen_chance(random, 60);
    if (gen_subgroups[op].form == GEN_FORM_VOTE) {
        stmt->value = gen_make_bool(context, 1, false);
    } else if (gen_subgroups[op].form == GEN_FORM_REDUCE) {
        stmt->value = gen_make_reduced(context, gen_subgroups[op].join);
        stmt->subgroup->operation = (enum gen_group_operation)gen_below(random, 3);
    } else {
        bool flat = program->local[1] * program->local[2] == 1;
        uint32_t count = gen_local_total(program);
        enum gen_kind kind = gen_chance(random, 70) ? GEN_INT : GEN_FLOAT;
        stmt->value = gen_make_plain(context, gen_random_group_type(context, kind));
        stmt->subgroup->number = flat && gen_chance(random, 50)
                                     ? gen_make_below(context, count, true)
                                     : gen_u32_const(context, gen_below(random, count));
    }
    stmt->place = group_place(context, stmt);
    context->function->has_barrier = true;
    context->cost += 4 * context->trips;
    gen_block_append(program, block, stmt);
    return true;
}

/* ---- what whole sub-groups agree on ---- */

struct gen_expr *gen_make_agreed_count(struct gen_context *context, struct gen_block *block,
                                       uint32_t bound)
{
    static const enum gen_subgroup_op ops[] = {GEN_SG_UMAX, GEN_SG_UMIN, GEN_SG_OR,
                                               GEN_SG_AND,  GEN_SG_XOR,  GEN_SG_BROADCAST_FIRST};
    struct gen_stmt *stmt = statement(context, ops[gen_below(context->random, COUNT(ops))]);
    stmt->value = gen_make_below(context, bound, false);
    return append(context, block, stmt, true);
}

struct gen_expr *gen_make_agreed(struct gen_context *context, struct gen_block *block)
{
    static const enum gen_subgroup_op votes[] = {GEN_SG_ALL, GEN_SG_ANY, GEN_SG_BROADCAST_FIRST,
                                                 GEN_SG_LXOR};
    struct gen_random *random = context->random;
    if (gen_chance(random, 40)) {
        struct gen_expr *count = gen_make_agreed_count(context, block, 16);
        return gen_make_binary(context, gen_chance(random, 50) ? GEN_ULT : GEN_NE, count,
                               gen_u32_const(context, gen_below(random, 16)));
    }
    struct gen_stmt *stmt = statement(context, votes[gen_below(random, COUNT(votes))]);
    stmt->value = gen_make_bool(context, 1, false);
    struct gen_expr *value = append(context, block, stmt, true);
    return gen_chance(random, 30) ? gen_make_unary(context, GEN_LNOT, value) : value;
}
