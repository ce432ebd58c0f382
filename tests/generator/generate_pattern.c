/* What kernels do with memory that a group shares: trees, scans, sorting networks, tiles, rows that
 * become columns, counts. Each is put together from plain statements and barriers; the elements of
 * the array are taken as they lie, whoever's slots they are. See generate.h. */
#include "generate.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One pattern on its way: the array, and the item's number in the group. */
struct pattern {
    struct gen_context *context;
    struct gen_block *block;
    struct gen_variable *array;
    uint32_t index;  /* of the array, among the shared ones */
    uint32_t length; /* elements that all have a value */
    uint32_t items;
    struct gen_variable *me;
};

/* ---- building blocks ---- */

static struct gen_variable *variable(const struct pattern *pattern, const struct gen_type *type)
{
    return gen_make_variable(pattern->context, type);
}

static struct gen_variable *counter(const struct pattern *pattern)
{
    struct gen_variable *made = variable(pattern, gen_u32_type(pattern->context));
    made->counter = made->uniform = true;
    return made;
}

static struct gen_place *place_of(const struct pattern *pattern, struct gen_variable *variable)
{
    return gen_place_create(pattern->context, variable, NULL);
}

static struct gen_expr *read(const struct pattern *pattern, struct gen_variable *variable)
{
    return gen_make_load(pattern->context, place_of(pattern, variable));
}

static struct gen_expr *me(const struct pattern *pattern)
{
    return read(pattern, pattern->me);
}

static struct gen_expr *number(const struct pattern *pattern, uint32_t value)
{
    return gen_u32_const(pattern->context, value);
}

static struct gen_expr *join(const struct pattern *pattern, enum gen_op op, struct gen_expr *a,
                             struct gen_expr *b)
{
    return gen_make_binary(pattern->context, op, a, b);
}

static struct gen_place *element(const struct pattern *pattern, struct gen_expr *index)
{
    return gen_flat_place(pattern->context, pattern->array, index);
}

static struct gen_expr *fetch(const struct pattern *pattern, struct gen_expr *index)
{
    return gen_make_load(pattern->context, element(pattern, index));
}

static void assign(const struct pattern *pattern, struct gen_block *block, struct gen_place *place,
                   struct gen_expr *value)
{
    gen_make_assign(pattern->context, block, place, value);
}

static void put(const struct pattern *pattern, struct gen_block *block, struct gen_expr *index,
                struct gen_expr *value)
{
    assign(pattern, block, element(pattern, index), gen_make_canon(pattern->context, value));
}

/* Behind it the array is this pattern's, the others' slots are their items'. */
static void barrier(const struct pattern *pattern, struct gen_block *block)
{
    gen_make_barrier(pattern->context, block, true);
    pattern->context->state.phase[pattern->index] = GEN_PHASE_TAKEN;
}

static struct gen_block *condition(const struct pattern *pattern, struct gen_block *block,
                                   struct gen_expr *value)
{
    struct gen_stmt *stmt = gen_stmt_create(pattern->context->program, GEN_IF);
    stmt->value = value;
    gen_block_append(pattern->context->program, block, stmt);
    return &stmt->body;
}

/* For all items as often. */
static struct gen_block *loop(const struct pattern *pattern, struct gen_block *block,
                              struct gen_variable *counter, struct gen_expr *count)
{
    struct gen_stmt *stmt = gen_stmt_create(pattern->context->program, GEN_LOOP);
    stmt->counter = counter;
    stmt->value = count;
    stmt->uniform = true;
    gen_block_append(pattern->context->program, block, stmt);
    return &stmt->body;
}

/* How two elements become one. */
static struct gen_expr *sum(const struct pattern *pattern, struct gen_expr *a, struct gen_expr *b)
{
    static const enum gen_op ops[] = {GEN_ADD, GEN_ADD, GEN_UMAX, GEN_SMIN, GEN_XOR, GEN_MUL};
    bool real = pattern->array->type->kind == GEN_FLOAT;
    return join(pattern, real ? GEN_FADD : ops[pattern->array->fill % COUNT(ops)], a, b);
}

/* Something of the item's own in between. */
static void aside(const struct pattern *pattern, struct gen_block *block)
{
    if (gen_chance(pattern->context->random, 30)) {
        gen_make_update(pattern->context, block);
    }
}

static uint32_t log_of(uint32_t power)
{
    return 31 - (uint32_t)__builtin_clz(power);
}

static uint32_t power_in(uint32_t count)
{
    return 1u << log_of(count);
}

/* ---- reductions ---- */

/* for (d = top; d > 0; d /= 2) { if (me < d) a[me] += a[me + d]; barrier } */
static bool make_tree(const struct pattern *pattern)
{
    uint32_t half = pattern->length / 2;
    uint32_t top = power_in(half < pattern->items ? half : pattern->items);
    struct gen_variable *step = counter(pattern);
    struct gen_block *body = loop(pattern, pattern->block, step, number(pattern, log_of(top) + 1));
    struct gen_variable *d = variable(pattern, gen_u32_type(pattern->context));
    d->uniform = true;
    assign(pattern, body, place_of(pattern, d),
           join(pattern, GEN_LSHR, number(pattern, top), read(pattern, step)));
    struct gen_block *front =
        condition(pattern, body, join(pattern, GEN_ULT, me(pattern), read(pattern, d)));
    struct gen_expr *far = join(pattern, GEN_ADD, me(pattern), read(pattern, d));
    put(pattern, front, me(pattern),
        sum(pattern, fetch(pattern, me(pattern)), fetch(pattern, far)));
    aside(pattern, body);
    barrier(pattern, body);
    return true;
}

/* for (d = 1; d < n; d *= 2) { if (me % (2 * d) == 0 && me + d < n) a[me] += a[me + d]; barrier } */
static bool make_sparse_tree(const struct pattern *pattern)
{
    uint32_t n = pattern->items < pattern->length ? pattern->items : pattern->length;
    struct gen_variable *step = counter(pattern);
    struct gen_block *body =
        loop(pattern, pattern->block, step, number(pattern, log_of(power_in(n)) + 1));
    struct gen_expr *d = join(pattern, GEN_SHL, number(pattern, 1), read(pattern, step));
    struct gen_expr *twice = join(pattern, GEN_SHL, number(pattern, 2), read(pattern, step));
    struct gen_expr *far = join(pattern, GEN_ADD, me(pattern), d);
    struct gen_expr *rest = join(pattern, GEN_UREM, me(pattern), twice);
    struct gen_expr *here = join(pattern, GEN_EQ, rest, number(pattern, 0));
    struct gen_expr *in = join(pattern, GEN_ULT, far, number(pattern, n));
    struct gen_block *front = condition(pattern, body, join(pattern, GEN_LAND, here, in));
    put(pattern, front, me(pattern),
        sum(pattern, fetch(pattern, me(pattern)), fetch(pattern, far)));
    aside(pattern, body);
    barrier(pattern, body);
    return true;
}

/* ---- scans ---- */

/* for (d = 1; d < n; d *= 2) { if (me >= d) t = a[me - d]; barrier;
 *                              if (me >= d) a[me] += t; barrier } */
static bool make_scan(const struct pattern *pattern)
{
    uint32_t n = pattern->items < pattern->length ? pattern->items : pattern->length;
    struct gen_variable *step = counter(pattern), *taken = variable(pattern, pattern->array->type);
    struct gen_block *body =
        loop(pattern, pattern->block, step, number(pattern, log_of(power_in(n)) + 1));
    struct gen_expr *d = join(pattern, GEN_SHL, number(pattern, 1), read(pattern, step));
    struct gen_expr *in = join(pattern, GEN_LAND, join(pattern, GEN_UGE, me(pattern), d),
                               join(pattern, GEN_ULT, me(pattern), number(pattern, n)));
    struct gen_block *front = condition(pattern, body, in);
    assign(pattern, front, place_of(pattern, taken),
           fetch(pattern, join(pattern, GEN_SUB, me(pattern), d)));
    barrier(pattern, body);
    front = condition(pattern, body, in);
    put(pattern, front, me(pattern),
        sum(pattern, fetch(pattern, me(pattern)), read(pattern, taken)));
    aside(pattern, body);
    barrier(pattern, body);
    return true;
}

/* Up and down a tree whose nodes lie 2 * d apart: the last of each is at (2 * me + 2) * d - 1. */
static bool make_sweep(const struct pattern *pattern)
{
    bool down = gen_chance(pattern->context->random, 50);
    uint32_t n =
        power_in(pattern->length < 2 * pattern->items ? pattern->length : 2 * pattern->items);
    struct gen_variable *step = counter(pattern), *taken = variable(pattern, pattern->array->type);
    if (n < 2) {
        return false;
    }
    struct gen_block *body = loop(pattern, pattern->block, step, number(pattern, log_of(n)));
    struct gen_expr *d = down ? join(pattern, GEN_LSHR, number(pattern, n / 2), read(pattern, step))
                              : join(pattern, GEN_SHL, number(pattern, 1), read(pattern, step));
    struct gen_expr *nodes =
        down ? join(pattern, GEN_SHL, number(pattern, 1), read(pattern, step))
             : join(pattern, GEN_LSHR, number(pattern, n / 2), read(pattern, step));
    struct gen_block *front = condition(pattern, body, join(pattern, GEN_ULT, me(pattern), nodes));
    struct gen_expr *twice = join(pattern, GEN_SHL, me(pattern), number(pattern, 1));
    struct gen_expr *middle = join(pattern, GEN_ADD, twice, number(pattern, 1));
    struct gen_expr *left =
        join(pattern, GEN_SUB, join(pattern, GEN_MUL, middle, d), number(pattern, 1));
    struct gen_expr *right = join(pattern, GEN_ADD, left, d);
    if (down) {
        assign(pattern, front, place_of(pattern, taken), fetch(pattern, left));
        put(pattern, front, left, fetch(pattern, right));
        put(pattern, front, right, sum(pattern, fetch(pattern, right), read(pattern, taken)));
    } else {
        put(pattern, front, right, sum(pattern, fetch(pattern, right), fetch(pattern, left)));
    }
    aside(pattern, body);
    barrier(pattern, body);
    return true;
}

/* ---- sorting ---- */

/* Item `low` of a pair puts both in order, up or down by a bit of its number. */
static void order_pair(const struct pattern *pattern, struct gen_block *block,
                       struct gen_expr *partner, struct gen_expr *run)
{
    struct gen_variable *a = variable(pattern, pattern->array->type);
    struct gen_variable *b = variable(pattern, pattern->array->type);
    enum gen_op less = pattern->array->type->kind == GEN_FLOAT ? GEN_FGT : GEN_UGT;
    assign(pattern, block, place_of(pattern, a), fetch(pattern, me(pattern)));
    assign(pattern, block, place_of(pattern, b), fetch(pattern, partner));
    struct gen_expr *up =
        join(pattern, GEN_EQ, join(pattern, GEN_AND, me(pattern), run), number(pattern, 0));
    struct gen_expr *wrong = join(pattern, less, read(pattern, a), read(pattern, b));
    struct gen_block *swap =
        condition(pattern, block,
                  gen_make_unary(pattern->context, GEN_LNOT, join(pattern, GEN_LXOR, wrong, up)));
    put(pattern, swap, me(pattern), read(pattern, b));
    put(pattern, swap, partner, read(pattern, a));
}

static bool make_sort(const struct pattern *pattern)
{
    uint32_t n = power_in(pattern->items < pattern->length ? pattern->items : pattern->length);
    n = n > 64 ? 64 : n;
    if (n < 2) {
        return false;
    }
    struct gen_variable *outer = counter(pattern), *inner = counter(pattern);
    struct gen_block *runs = loop(pattern, pattern->block, outer, number(pattern, log_of(n)));
    struct gen_block *body = loop(pattern, runs, inner,
                                  join(pattern, GEN_ADD, read(pattern, outer), number(pattern, 1)));
    struct gen_expr *run = join(pattern, GEN_SHL, number(pattern, 2), read(pattern, outer));
    struct gen_expr *away =
        join(pattern, GEN_LSHR, join(pattern, GEN_SHL, number(pattern, 1), read(pattern, outer)),
             read(pattern, inner));
    struct gen_expr *partner = join(pattern, GEN_XOR, me(pattern), away);
    struct gen_expr *in = join(pattern, GEN_ULT, me(pattern), number(pattern, n));
    struct gen_expr *low = join(pattern, GEN_UGT, partner, me(pattern));
    struct gen_block *mine = condition(pattern, body, join(pattern, GEN_LAND, low, in));
    order_pair(pattern, mine, partner, run);
    barrier(pattern, body);
    return true;
}

/* ---- tiles ---- */

/* A row's length: of the group, or a number that the items can be divided by. */
static uint32_t columns_of(const struct pattern *pattern)
{
    uint32_t columns = pattern->context->program->local[0];
    if (gen_chance(pattern->context->random, 50)) {
        columns = 1u << gen_below(pattern->context->random, 5);
    }
    while (pattern->items % columns) {
        columns--;
    }
    return columns;
}

static struct gen_variable *shown(const struct pattern *pattern, const struct gen_type *type)
{
    struct gen_variable *made = variable(pattern, type);
    gen_variables_append(pattern->context->program, &pattern->context->visible, made);
    return made;
}

/* for t { a[me] = value; barrier; for k: acc += a[row * n + k] (+) a[k * n + column]; barrier } */
static bool make_tile(const struct pattern *pattern)
{
    struct gen_context *context = pattern->context;
    uint32_t columns = columns_of(pattern), rows = pattern->items / columns;
    uint32_t depth = columns < rows ? columns : rows;
    depth = depth > 8 ? 8 : depth;
    struct gen_variable *tile = counter(pattern), *k = counter(pattern);
    struct gen_variable *acc = shown(pattern, pattern->array->type);
    bool own = columns == context->program->local[0] && context->program->local[2] == 1;
    const struct gen_type *word = gen_u32_type(context);
    struct gen_expr *row = own ? gen_make_convert(context, gen_id(context, GEN_LOCAL_ID, 1), word)
                               : join(pattern, GEN_UDIV, me(pattern), number(pattern, columns));
    struct gen_expr *column =
        own ? gen_make_convert(context, gen_id(context, GEN_LOCAL_ID, 0), word)
            : join(pattern, GEN_UREM, me(pattern), number(pattern, columns));
    struct gen_block *body =
        loop(pattern, pattern->block, tile, number(pattern, 1 + gen_below(context->random, 3)));
    put(pattern, body, me(pattern), gen_make_expr(context, pattern->array->type, 1, false));
    barrier(pattern, body);
    struct gen_block *inner = loop(pattern, body, k, number(pattern, depth));
    struct gen_expr *first = join(pattern, GEN_MUL, row, number(pattern, columns));
    struct gen_expr *second = join(pattern, GEN_MUL, read(pattern, k), number(pattern, columns));
    struct gen_expr *a = fetch(pattern, join(pattern, GEN_ADD, first, read(pattern, k)));
    struct gen_expr *b = fetch(pattern, join(pattern, GEN_ADD, second, column));
    bool real = pattern->array->type->kind == GEN_FLOAT;
    struct gen_expr *product = join(pattern, real ? GEN_FMUL : GEN_MUL, a, b);
    assign(pattern, inner, place_of(pattern, acc),
           join(pattern, real ? GEN_FADD : GEN_ADD, read(pattern, acc), product));
    barrier(pattern, body);
    return true;
}

/* v = a[column * rows + row], or the neighbours' */
static bool make_transpose(const struct pattern *pattern)
{
    struct gen_context *context = pattern->context;
    uint32_t columns = columns_of(pattern), rows = pattern->items / columns;
    struct gen_variable *value = shown(pattern, pattern->array->type);
    struct gen_expr *row = join(pattern, GEN_UDIV, me(pattern), number(pattern, columns));
    struct gen_expr *column = join(pattern, GEN_UREM, me(pattern), number(pattern, columns));
    struct gen_expr *index =
        join(pattern, GEN_ADD, join(pattern, GEN_MUL, column, number(pattern, rows)), row);
    if (gen_chance(context->random, 50)) {
        enum gen_op op = gen_chance(context->random, 50) ? GEN_ADD : GEN_USUB_SAT;
        uint32_t away = 1 + gen_below(context->random, 3);
        index = join(pattern, GEN_UMIN, join(pattern, op, me(pattern), number(pattern, away)),
                     number(pattern, pattern->items - 1));
    }
    assign(pattern, pattern->block, place_of(pattern, value), fetch(pattern, index));
    barrier(pattern, pattern->block);
    if (gen_chance(context->random, 50)) {
        put(pattern, pattern->block, me(pattern), read(pattern, value));
        barrier(pattern, pattern->block);
    }
    return true;
}

/* ---- atomics ---- */

static void atomic_add(const struct pattern *pattern, struct gen_block *block,
                       struct gen_expr *index, struct gen_expr *value, struct gen_variable *old)
{
    struct gen_stmt *stmt = gen_stmt_create(pattern->context->program, GEN_ATOMIC);
    stmt->atomic = GEN_ADD;
    stmt->atomic_place = element(pattern, index);
    stmt->atomic_form = gen_chance(pattern->context->random, 15) ? GEN_ATOMIC_LOOP : GEN_ATOMIC_OP;
    stmt->value = value;
    stmt->place = old ? place_of(pattern, old) : NULL;
    gen_block_append(pattern->context->program, block, stmt);
}

static struct gen_expr *constant(const struct pattern *pattern, uint64_t value)
{
    return gen_make_const(pattern->context, pattern->array->type, value);
}

static struct gen_block *maybe(const struct pattern *pattern, struct gen_block *block)
{
    if (gen_chance(pattern->context->random, 40)) {
        return condition(pattern, block, gen_make_front(pattern->context));
    }
    return gen_chance(pattern->context->random, 40)
               ? condition(pattern, block, gen_make_bool(pattern->context, 1, false))
               : block;
}

/* Bins that depend on data, or few of them, or on the item. */
static bool make_histogram(const struct pattern *pattern)
{
    struct gen_context *context = pattern->context;
    if (pattern->array->type->kind != GEN_INT || pattern->array->type->bits < 32) {
        return false;
    }
    uint32_t bins =
        gen_chance(context->random, 50) ? pattern->length : 1 + gen_below(context->random, 4);
    bins = bins < pattern->length ? bins : pattern->length;
    struct gen_variable *k = counter(pattern);
    struct gen_block *body =
        loop(pattern, pattern->block, k, number(pattern, 1 + gen_below(context->random, 4)));
    struct gen_expr *bin = gen_chance(context->random, 30)
                               ? gen_make_number_below(context, bins, false)
                               : gen_make_below(context, bins, gen_chance(context->random, 20));
    bin = gen_make_convert(context, bin, gen_u32_type(context));
    struct gen_expr *value = gen_chance(context->random, 60)
                                 ? constant(pattern, 1)
                                 : gen_make_expr(context, pattern->array->type, 1, false);
    atomic_add(pattern, maybe(pattern, body), bin, value, NULL);
    barrier(pattern, pattern->block);
    return true;
}

/* Each takes a number from element 0 and counts in the element of that number: who gets which does
 * not show. */
static bool make_tickets(const struct pattern *pattern)
{
    struct gen_context *context = pattern->context;
    if (pattern->array->type->kind != GEN_INT || pattern->array->type->bits < 32 ||
        pattern->length < 2) {
        return false;
    }
    uint32_t room = power_in(pattern->length - 1);
    struct gen_variable *old = variable(pattern, pattern->array->type);
    struct gen_block *body = maybe(pattern, pattern->block);
    atomic_add(pattern, body, number(pattern, 0), constant(pattern, 1), old);
    struct gen_expr *place =
        join(pattern, GEN_AND, read(pattern, old), constant(pattern, room - 1));
    place = gen_make_convert(context, place, gen_u32_type(context));
    atomic_add(pattern, body, join(pattern, GEN_ADD, place, number(pattern, 1)),
               constant(pattern, 1), NULL);
    barrier(pattern, pattern->block);
    return true;
}

/* ---- the door ---- */

bool gen_make_pattern(struct gen_context *context, struct gen_block *block)
{
    static bool (*const makers[])(const struct pattern *) = {
        make_tree, make_sparse_tree, make_scan,      make_sweep,  make_sort,
        make_tile, make_transpose,   make_histogram, make_tickets};
    uint32_t index = gen_below(context->random, context->shared_count);
    struct gen_variable *array = context->shared[index];
    struct pattern pattern = {.context = context,
                              .block = block,
                              .array = array,
                              .index = index,
                              .length = gen_flat_length(context, array),
                              .items = gen_local_total(context->program)};
    bool scalar = array->type->kind == GEN_INT || array->type->kind == GEN_FLOAT;
    if (!scalar || pattern.length < 2) {
        return false;
    }
    context->function->uses_shared = true;
    pattern.me = gen_make_variable(context, gen_u32_type(context));
    gen_make_assign(context, block, gen_place_create(context, pattern.me, NULL),
                    gen_linear_id(context, true));
    barrier(&pattern, block);
    bool made = makers[gen_below(context->random, COUNT(makers))](&pattern);
    context->cost += 60 * context->trips;
    gen_make_barrier(context, block, false);
    return made;
}
