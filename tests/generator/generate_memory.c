/* Buffers and shared arrays: how they are cut into slots, and places in them. See generate.h.
 *
 * me: the item's number among N (of the grid, or of its group for shared arrays); P: the power of
 * two not below N; k: slot, below per_item:
 *
 *   ROWS      k * N + me               consecutive
 *   RECORDS   me * per_item + k        strided
 *   BACKWARD  k * N + (N - 1 - me)
 *   SCATTER   k * P + ((me * a + b) & (P - 1)), a odd
 *   XOR       k * P + (me ^ b) */
#include "generate.h"

enum { ROWS, RECORDS, BACKWARD, SCATTER, XOR, PATTERNS };

/* Bytes of which few are touched. */
#define MOST_FAR (1ull << 33)

static uint32_t power_of_two(uint32_t count)
{
    uint32_t power = 1;
    while (power < count) {
        power *= 2;
    }
    return power;
}

static uint32_t items_of(const struct gen_context *context, const struct gen_variable *buffer)
{
    uint32_t local = gen_local_total(context->program);
    return buffer->use == GEN_USE_PHASES ? local : local * gen_group_total(context->program);
}

/* Elements that the slots of all items take. */
static uint32_t span_of(const struct gen_context *context, const struct gen_variable *buffer)
{
    uint32_t items = items_of(context, buffer);
    return buffer->per_item * (buffer->pattern >= SCATTER ? power_of_two(items) : items);
}

static void pattern_choose(struct gen_context *context, struct gen_variable *buffer)
{
    struct gen_random *random = context->random;
    uint32_t mask = power_of_two(items_of(context, buffer)) - 1;
    buffer->per_item =
        context->program->shapes ? 1 + gen_below(random, 4) : 1u << gen_below(random, 3);
    if (buffer->role == GEN_SHARED && gen_local_total(context->program) > 64) {
        buffer->per_item = 1;
    }
    buffer->pattern =
        context->program->rows || gen_chance(random, 40) ? ROWS : gen_below(random, PATTERNS);
    buffer->pattern_a = (gen_below(random, 16) * 2 + 1) & (mask | 1);
    buffer->pattern_b = gen_below(random, mask + 1);
    buffer->length = span_of(context, buffer);
}

static struct gen_variable *buffer_add(struct gen_context *context, struct gen_function *kernel,
                                       enum gen_role role, enum gen_use use,
                                       const struct gen_type *type)
{
    struct gen_variable *buffer = gen_variable_create(context->program, role, type);
    buffer->use = use;
    buffer->fill = gen_random(context->random);
    buffer->slot = kernel->slot_count++;
    gen_variables_append(context->program, &context->buffers, buffer);
    return buffer;
}

/* A struct without bool, at most about twenty leaves. */
static const struct gen_type *buffer_type(struct gen_context *context)
{
    struct gen_random *random = context->random;
    if (context->record && gen_chance(random, 45)) {
        return context->record;
    }
    if (gen_chance(random, 80)) {
        return gen_chance(random, 70) ? gen_random_scalar(context) : gen_random_value_type(context);
    }
    const struct gen_type *members[4];
    uint32_t count = 2 + gen_below(random, 3);
    for (uint32_t i = 0; i < count; i++) {
        members[i] = gen_random_scalar(context);
        if (gen_chance(random, 20)) {
            members[i] = gen_type_vector(context->program, members[i], 2 + gen_below(random, 3));
        } else if (gen_chance(random, 20)) {
            members[i] = gen_type_array(context->program, members[i], 2 + 2 * gen_below(random, 2));
        }
    }
    return gen_type_struct(context->program, members, count);
}

static void make_atomics(struct gen_context *context, struct gen_function *kernel)
{
    static const enum gen_op ops[] = {GEN_ADD,  GEN_SUB,  GEN_AND,  GEN_OR,  GEN_XOR,
                                      GEN_UMIN, GEN_UMAX, GEN_SMIN, GEN_SMAX};
    struct gen_random *random = context->random;
    uint32_t count = gen_chance(random, 40) ? 1 + gen_below(random, 2) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct gen_type *type =
            gen_type_int(context->program, gen_chance(random, 80) ? 32 : 64);
        struct gen_variable *buffer = buffer_add(context, kernel, GEN_BUFFER, GEN_USE_ATOMIC, type);
        buffer->length = 1u << gen_below(random, 6);
        buffer->atomic = ops[gen_below(random, sizeof(ops) / sizeof(ops[0]))];
        gen_variables_append(context->program, &kernel->parameters, buffer);
    }
}

static void make_shared(struct gen_context *context, struct gen_function *kernel)
{
    struct gen_random *random = context->random;
    bool shapes = context->program->shapes;
    uint32_t count = gen_chance(random, shapes ? 75 : 50) ? 1 + gen_below(random, 2) : 0;
    count += context->program->returns && count == 0; /* or its barriers would mean nothing */
    for (uint32_t i = 0; i < count; i++) {
        bool global = gen_chance(random, 20), module = gen_chance(random, 60);
        bool large = gen_local_total(context->program) > 64; /* local memory is not */
        const struct gen_type *type =
            gen_chance(random, 60)
                ? gen_type_int(context->program, gen_chance(random, 80) ? 32 : 64)
            : large || (shapes && gen_chance(random, 60)) ? gen_random_scalar(context)
                                                          : buffer_type(context);
        struct gen_variable *array =
            buffer_add(context, kernel, global ? GEN_BUFFER : GEN_SHARED, GEN_USE_PHASES, type);
        pattern_choose(context, array);
        if (global) {
            array->length *= gen_group_total(context->program);
        }
        array->is_parameter = global || !module;
        context->shared[context->shared_count++] = array;
        gen_variables_append(context->program,
                             array->is_parameter ? &kernel->parameters : &context->program->shared,
                             array);
    }
}

/* Constant memory of the module. */
static void make_tables(struct gen_context *context)
{
    struct gen_random *random = context->random;
    uint32_t count = gen_chance(random, 35) ? 1 + gen_below(random, 2) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct gen_variable *table =
            gen_variable_create(context->program, GEN_TABLE, buffer_type(context));
        table->is_parameter = false;
        table->fill = gen_random(random);
        table->length = 1u << (1 + gen_below(random, 4));
        table->slot = context->program->tables.count;
        uint8_t *bytes = gen_alloc(context->program, gen_buffer_bytes(context->program, table));
        gen_buffer_fill(context->program, table, bytes);
        table->bytes = bytes;
        gen_variables_append(context->program, &context->program->tables, table);
    }
}

/* Where 31, 32 or 33 bits of bytes or elements end in the middle of what is used. */
static void choose_far(struct gen_context *context, struct gen_function *kernel)
{
    struct gen_random *random = context->random;
    const struct gen_type *word = gen_type_int(context->program, 64);
    uint64_t *bits = gen_alloc(context->program, sizeof(*bits));
    uint64_t room = MOST_FAR;
    for (uint32_t i = 0; i < context->buffers.count; i++) {
        struct gen_variable *buffer = context->buffers.items[i];
        uint64_t edge = 1ull << (31 + gen_below(random, 3)), size = buffer->type->size;
        bool bytes = gen_chance(random, 50) || edge * size > room;
        edge /= bytes ? size : 1;
        if (buffer->use == GEN_USE_PHASES || edge * size > room || gen_chance(random, 30)) {
            continue;
        }
        buffer->shift = edge - gen_below(random, buffer->length);
        room -= buffer->shift * size;
    }
    context->far = gen_variable_create(context->program, GEN_PARAMETER, word);
    *bits = (1ull << (30 + gen_below(random, 3))) - gen_below(random, 100);
    context->far->initial = bits;
    context->far->uniform = true;
    context->far->slot = kernel->slot_count++;
    gen_variables_append(context->program, &kernel->parameters, context->far);
}

void gen_make_buffers(struct gen_context *context, struct gen_function *kernel)
{
    struct gen_random *random = context->random;
    uint32_t inputs = 1 + gen_below(random, 3), outputs = gen_below(random, 3);
    for (uint32_t i = 0; i < inputs; i++) {
        struct gen_variable *buffer =
            buffer_add(context, kernel, GEN_BUFFER, GEN_USE_INPUT, buffer_type(context));
        buffer->length = 1u << (3 + gen_below(random, context->program->shapes ? 9 : 6));
        gen_variables_append(context->program, &kernel->parameters, buffer);
    }
    for (uint32_t i = 0; i < outputs; i++) {
        struct gen_variable *buffer =
            buffer_add(context, kernel, GEN_BUFFER, GEN_USE_OWN, buffer_type(context));
        pattern_choose(context, buffer);
        gen_variables_append(context->program, &kernel->parameters, buffer);
    }
    context->result = buffer_add(context, kernel, GEN_BUFFER, GEN_USE_OWN,
                                 gen_type_int(context->program, gen_chance(random, 70) ? 32 : 64));
    pattern_choose(context, context->result);
    gen_variables_append(context->program, &kernel->parameters, context->result);
    if (gen_chance(random, 30)) {
        struct gen_variable *buffer =
            buffer_add(context, kernel, GEN_BUFFER, GEN_USE_GROUP, gen_random_value_type(context));
        buffer->per_item = 1u << gen_below(random, 2);
        buffer->length = buffer->per_item * gen_group_total(context->program);
        gen_variables_append(context->program, &kernel->parameters, buffer);
    }
    make_tables(context);
    make_atomics(context, kernel);
    make_shared(context, kernel);
    if (context->program->far) {
        choose_far(context, kernel);
    }
}

struct gen_variable *gen_reach_buffer(struct gen_context *context, struct gen_variable *buffer)
{
    struct gen_function *function = context->function;
    if (function->is_kernel) {
        return buffer;
    }
    for (uint32_t i = 0; i < function->parameters.count; i++) {
        if (function->parameters.items[i]->alias == buffer) {
            return function->parameters.items[i];
        }
    }
    if (function->parameters.count == GEN_MAX_ARGS) {
        return NULL;
    }
    struct gen_variable *alias = gen_variable_create(context->program, buffer->role, buffer->type);
    uint32_t number = alias->number;
    *alias = *buffer;
    alias->number = number;
    alias->alias = buffer;
    alias->is_parameter = true;
    alias->is_generic = context->program->generics && gen_chance(context->random, 40);
    alias->slot = function->slot_count++;
    gen_variables_append(context->program, &function->parameters, alias);
    return alias;
}

struct gen_variable *gen_pick_buffer(struct gen_context *context, enum gen_use use)
{
    uint32_t count = context->buffers.count, start = gen_below(context->random, count);
    for (uint32_t i = 0; i < count; i++) {
        struct gen_variable *buffer = context->buffers.items[(start + i) % count];
        if (buffer->use == use) {
            return buffer;
        }
    }
    return NULL;
}

bool gen_is_record(const struct gen_variable *buffer)
{
    return buffer->pattern == RECORDS && buffer->shift == 0 &&
           (buffer->type->kind == GEN_INT || buffer->type->kind == GEN_FLOAT);
}

/* ---- numbers of items ---- */

struct gen_expr *gen_id(struct gen_context *context, enum gen_id id, uint32_t dimension)
{
    const struct gen_type *type =
        gen_type_int(context->program, id >= GEN_SUBGROUP_LOCAL_ID ? 32 : 64);
    if (id >= GEN_SUBGROUP_EQ_MASK) {
        type = gen_type_vector(context->program, type, 4);
    }
    struct gen_expr *expr = gen_expr_create(context->program, GEN_ID, type, 0);
    expr->number = id;
    expr->number2 = dimension;
    return expr;
}

static struct gen_expr *id32(struct gen_context *context, enum gen_id id, uint32_t dimension)
{
    return gen_make_convert(context, gen_id(context, id, dimension),
                            gen_type_int(context->program, 32));
}

static struct gen_expr *add(struct gen_context *context, struct gen_expr *a, struct gen_expr *b)
{
    return gen_make_binary(context, GEN_ADD, a, b);
}

static struct gen_expr *mul(struct gen_context *context, struct gen_expr *a, struct gen_expr *b)
{
    return gen_make_binary(context, GEN_MUL, a, b);
}

static struct gen_expr *number32(struct gen_context *context, uint32_t value)
{
    return gen_make_const(context, gen_type_int(context->program, 32), value);
}

/* The item's number in its group: by the built-in, or (z * ny + y) * nx + x. */
static struct gen_expr *local_linear(struct gen_context *context)
{
    const uint32_t *local = context->program->local;
    struct gen_random *random = context->random;
    if (local[1] == 1 && local[2] == 1 && gen_chance(random, 60)) {
        return id32(context, GEN_LOCAL_ID, 0);
    }
    if (context->program->subgroup_size && gen_chance(random, 30)) {
        struct gen_expr *size = gen_chance(random, 50)
                                    ? number32(context, context->program->subgroup_size)
                                    : gen_id(context, GEN_SUBGROUP_MAX_SIZE, 0);
        return add(context, mul(context, gen_id(context, GEN_SUBGROUP_ID, 0), size),
                   gen_id(context, GEN_SUBGROUP_LOCAL_ID, 0));
    }
    if (gen_chance(random, 50)) {
        return id32(context, GEN_LOCAL_LINEAR, 0);
    }
    bool constant = gen_chance(random, 40);
    struct gen_expr *nx = constant ? number32(context, local[0]) : id32(context, GEN_LOCAL_SIZE, 0);
    struct gen_expr *ny = constant ? number32(context, local[1]) : id32(context, GEN_LOCAL_SIZE, 1);
    struct gen_expr *row = add(context, mul(context, id32(context, GEN_LOCAL_ID, 2), ny),
                               id32(context, GEN_LOCAL_ID, 1));
    return add(context, mul(context, row, nx), id32(context, GEN_LOCAL_ID, 0));
}

static struct gen_expr *group_linear(struct gen_context *context)
{
    const uint32_t *groups = context->program->groups;
    struct gen_expr *x = id32(context, GEN_GROUP_ID, 0);
    if (groups[1] == 1 && groups[2] == 1) {
        return x;
    }
    struct gen_expr *row = add(
        context, mul(context, id32(context, GEN_GROUP_ID, 2), id32(context, GEN_GROUP_COUNT, 1)),
        id32(context, GEN_GROUP_ID, 1));
    return add(context, mul(context, row, id32(context, GEN_GROUP_COUNT, 0)), x);
}

struct gen_expr *gen_global_from_zero(struct gen_context *context, uint32_t dimension)
{
    uint64_t offset = context->program->offset[dimension];
    struct gen_expr *id = id32(context, GEN_GLOBAL_ID, dimension);
    if (offset == 0) {
        return id;
    }
    return gen_make_binary(context, GEN_SUB, id,
                           gen_chance(context->random, 50)
                               ? number32(context, (uint32_t)offset)
                               : id32(context, GEN_GLOBAL_OFFSET, dimension));
}

/* The item's number in the grid: by the built-in, from the group's, or (z * ny + y) * nx + x. */
static struct gen_expr *global_linear(struct gen_context *context)
{
    const struct gen_program *program = context->program;
    struct gen_random *random = context->random;
    bool flat =
        program->local[1] * program->local[2] * program->groups[1] * program->groups[2] == 1;
    if (gen_chance(random, 40)) {
        return id32(context, GEN_GLOBAL_LINEAR, 0);
    }
    if (flat && gen_chance(random, 40)) {
        struct gen_expr *first = mul(context, group_linear(context),
                                     number32(context, gen_local_total(context->program)));
        return add(context, first, local_linear(context));
    }
    struct gen_expr *x = gen_global_from_zero(context, 0);
    if (flat) {
        return x;
    }
    struct gen_expr *y = gen_global_from_zero(context, 1), *z = gen_global_from_zero(context, 2);
    struct gen_expr *row = add(context, mul(context, z, id32(context, GEN_GLOBAL_SIZE, 1)), y);
    return add(context, mul(context, row, id32(context, GEN_GLOBAL_SIZE, 0)), x);
}

struct gen_expr *gen_linear_id(struct gen_context *context, bool of_group_items)
{
    if (of_group_items) {
        return local_linear(context);
    }
    if (context->me && gen_chance(context->random, 60)) {
        return gen_make_load(context, gen_place_create(context, context->me, NULL));
    }
    return global_linear(context);
}

/* ---- places ---- */

/* The sum in 64 bits, of which 32 hold a part, and the kernel's argument another. */
static struct gen_expr *shifted(struct gen_context *context, const struct gen_variable *buffer,
                                struct gen_expr *index)
{
    const struct gen_type *word = gen_type_int(context->program, 64);
    uint64_t rest = buffer->shift;
    if (index->type->bits == 32 && gen_chance(context->random, 40)) {
        uint32_t part = gen_chance(context->random, 50) ? INT32_MAX - 300 : UINT32_MAX - UINT16_MAX;
        part = rest < part ? (uint32_t)rest : part;
        index = add(context, index, number32(context, part));
        rest -= part;
    }
    index = gen_make_convert(context, index, word);
    if (context->function->is_kernel && context->far && gen_chance(context->random, 50)) {
        struct gen_expr *far =
            gen_make_load(context, gen_place_create(context, context->far, NULL));
        index = add(context, index, far);
        rest -= context->far->initial[0];
    }
    return add(context, index, gen_make_const(context, word, rest));
}

struct gen_place *gen_place_create(struct gen_context *context, struct gen_variable *base,
                                   struct gen_expr *element)
{
    struct gen_place *place = gen_alloc(context->program, sizeof(*place));
    place->base = base;
    place->element = element && base->shift ? shifted(context, base, element) : element;
    place->type = base->type;
    if (context->program->generics && base->role != GEN_TABLE && gen_chance(context->random, 40)) {
        place->form = (enum gen_pointer_form)(GEN_POINTER_GENERIC + gen_below(context->random, 3));
    }
    return place;
}

static struct gen_expr *slot_index(struct gen_context *context, const struct gen_variable *buffer,
                                   struct gen_expr *slot)
{
    uint32_t items = items_of(context, buffer), power = power_of_two(items);
    struct gen_expr *me = gen_linear_id(context, buffer->use == GEN_USE_PHASES);
    switch (buffer->pattern) {
    case RECORDS:
        return add(context, mul(context, me, number32(context, buffer->per_item)), slot);
    case BACKWARD:
        me = gen_make_binary(context, GEN_SUB, number32(context, items - 1), me);
        break;
    case SCATTER:
        me = add(context, mul(context, me, number32(context, buffer->pattern_a)),
                 number32(context, buffer->pattern_b));
        me = gen_make_binary(context, GEN_AND, me, number32(context, power - 1));
        break;
    case XOR:
        me = gen_make_binary(context, GEN_XOR, me, number32(context, buffer->pattern_b));
        break;
    default:
        break;
    }
    return add(context,
               mul(context, slot, number32(context, span_of(context, buffer) / buffer->per_item)),
               me);
}

/* A shared array in global memory has a part for each group. */
static struct gen_expr *with_group_base(struct gen_context *context,
                                        const struct gen_variable *buffer, struct gen_expr *index)
{
    if (buffer->use != GEN_USE_PHASES || buffer->role != GEN_BUFFER) {
        return index;
    }
    struct gen_expr *base =
        mul(context, group_linear(context), number32(context, span_of(context, buffer)));
    return add(context, base, index);
}

static struct gen_expr *maybe_wide(struct gen_context *context, struct gen_expr *index)
{
    if (context->program->wraps && gen_chance(context->random, 60)) {
        return gen_make_wrapped(context, index);
    }
    return gen_chance(context->random, 40)
               ? gen_make_convert(context, index, gen_type_int(context->program, 64))
               : index;
}

struct gen_place *gen_own_place(struct gen_context *context, struct gen_variable *buffer,
                                struct gen_expr *slot)
{
    if (buffer->use == GEN_USE_GROUP) {
        slot = slot ? slot : number32(context, gen_below(context->random, buffer->per_item));
        struct gen_expr *index =
            add(context, mul(context, group_linear(context), number32(context, buffer->per_item)),
                slot);
        return gen_place_create(context, gen_reach_buffer(context, buffer), index);
    }
    if (!slot) {
        slot = gen_chance(context->random, 70)
                   ? number32(context, gen_below(context->random, buffer->per_item))
                   : gen_make_convert(context, gen_make_index(context, buffer->per_item, 1, false),
                                      gen_type_int(context->program, 32));
    }
    struct gen_expr *index = with_group_base(context, buffer, slot_index(context, buffer, slot));
    return gen_place_create(context, gen_reach_buffer(context, buffer), maybe_wide(context, index));
}

bool gen_has_rows(const struct gen_context *context, const struct gen_variable *buffer)
{
    const uint32_t *local = context->program->local, *groups = context->program->groups;
    return buffer->pattern == ROWS && buffer->shift == 0 &&
           local[1] * local[2] * groups[1] * groups[2] == 1;
}

struct gen_place *gen_own_row(struct gen_context *context, struct gen_variable *buffer)
{
    struct gen_expr *slot = number32(context, gen_below(context->random, buffer->per_item));
    struct gen_expr *index = slot_index(context, buffer, slot);
    if (context->program->wraps && gen_chance(context->random, 60)) {
        index = gen_make_wrapped(context, index);
    }
    return gen_place_create(context, gen_reach_buffer(context, buffer), index);
}

struct gen_place *gen_flat_place(struct gen_context *context, struct gen_variable *array,
                                 struct gen_expr *index)
{
    index = maybe_wide(context, with_group_base(context, array, index));
    return gen_place_create(context, gen_reach_buffer(context, array), index);
}

uint32_t gen_flat_length(const struct gen_context *context, const struct gen_variable *array)
{
    return array->pattern <= BACKWARD ? span_of(context, array) : 0;
}

struct gen_place *gen_any_place(struct gen_context *context, struct gen_variable *array,
                                bool uniform)
{
    uint32_t span = span_of(context, array), items = items_of(context, array);
    struct gen_expr *index;
    if (array->pattern <= RECORDS || array->pattern == BACKWARD) {
        index = gen_make_index(context, span, 2, uniform);
    } else {
        /* Some elements belong to nobody and were never written: a slot of some item. */
        struct gen_expr *item =
            gen_make_convert(context, gen_make_index(context, items, 2, uniform),
                             gen_type_int(context->program, 32));
        uint32_t power = power_of_two(items);
        if (array->pattern == SCATTER) {
            item = add(context, mul(context, item, number32(context, array->pattern_a)),
                       number32(context, array->pattern_b));
            item = gen_make_binary(context, GEN_AND, item, number32(context, power - 1));
        } else {
            item = gen_make_binary(context, GEN_XOR, item, number32(context, array->pattern_b));
        }
        uint32_t slot = gen_below(context->random, array->per_item);
        index = add(context, number32(context, slot * power), item);
    }
    index = gen_make_convert(context, index, gen_type_int(context->program, 32));
    index = with_group_base(context, array, index);
    return gen_place_create(context, gen_reach_buffer(context, array), maybe_wide(context, index));
}

static struct gen_variable *other_input(struct gen_context *context,
                                        const struct gen_variable *buffer)
{
    for (uint32_t i = 0; i < context->buffers.count; i++) {
        struct gen_variable *other = context->buffers.items[i];
        if (other != buffer && other->use == GEN_USE_INPUT && other->type == buffer->type &&
            other->shift == buffer->shift) {
            return other;
        }
    }
    return NULL;
}

struct gen_place *gen_table_place(struct gen_context *context, bool uniform)
{
    uint32_t count = context->program->tables.count;
    if (count == 0) {
        return NULL;
    }
    struct gen_variable *table = context->program->tables.items[gen_below(context->random, count)];
    struct gen_expr *index = gen_make_index(context, table->length, 1, uniform);
    return gen_place_create(context, table, index);
}

bool gen_make_either(struct gen_context *context, struct gen_place *place, bool uniform)
{
    struct gen_variable *base = place->base;
    for (uint32_t i = 0; i < context->visible.count; i++) {
        struct gen_variable *other = context->visible.items[i];
        bool addressed = other->role == GEN_PRIVATE || other->role == GEN_POINTER;
        if (other != base && other->type == base->type && addressed && !other->counter &&
            other->uniform == base->uniform && other != context->me) {
            place->condition = gen_make_bool(context, 1, uniform);
            place->other = other;
            base->in_memory = other->in_memory = true;
            return true;
        }
    }
    return false;
}

struct gen_place *gen_input_place(struct gen_context *context, struct gen_variable *buffer,
                                  bool uniform)
{
    struct gen_random *random = context->random;
    struct gen_expr *index;
    struct gen_variable *other = NULL;
    if (buffer->use == GEN_USE_INPUT && context->nesting == 0 && gen_chance(random, 10)) {
        other = other_input(context, buffer);
    }
    if (other) {
        /* The index fits both. */
        struct gen_variable *shorter = buffer->length < other->length ? buffer : other;
        index = gen_make_index(context, shorter->length, 1, uniform);
        struct gen_place *place =
            gen_place_create(context, gen_reach_buffer(context, buffer), index);
        place->condition = gen_make_bool(context, 0, uniform);
        place->other = gen_reach_buffer(context, other);
        return place;
    }
    if (context->program->shapes && gen_chance(random, 50)) {
        index = gen_make_number_below(context, buffer->length, uniform);
    } else if (uniform || gen_chance(random, 45)) {
        index = gen_make_index(context, buffer->length, 2, uniform);
    } else {
        index = gen_linear_id(context, false);
        if (gen_chance(random, 30)) {
            index = mul(context, index, number32(context, 1 + gen_below(random, 4)));
        }
        if (gen_chance(random, 30)) {
            index = add(context, index, number32(context, gen_below(random, 8)));
        }
        index = gen_make_binary(context, GEN_AND, index, number32(context, buffer->length - 1));
        index = maybe_wide(context, index);
    }
    return gen_place_create(context, gen_reach_buffer(context, buffer), index);
}

void gen_place_descend(struct gen_context *context, struct gen_place *place, bool uniform,
                       bool deep)
{
    while (place->step_count < GEN_MAX_STEPS) {
        const struct gen_type *type = place->type;
        struct gen_step *step = &place->steps[place->step_count];
        if (type->kind == GEN_STRUCT) {
            step->is_member = true;
            step->member = gen_below(context->random, type->count);
            place->type = type->members[step->member];
        } else if (type->kind == GEN_ARRAY || (type->kind == GEN_VECTOR && deep)) {
            step->index = gen_chance(context->random, 40)
                              ? number32(context, gen_below(context->random, type->count))
                              : gen_make_index(context, type->count, 1, uniform);
            place->type = type->element;
        } else {
            break;
        }
        place->step_count++;
    }
    if (place->step_count && !place->element) {
        place->base->in_memory = true;
    }
}
