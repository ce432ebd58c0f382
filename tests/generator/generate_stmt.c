/* Statements without blocks: assignments, stores, atomics, calls, barriers; private variables. See
 * generate.h. */
#include "generate.h"

#include <string.h>

/* ---- variables ---- */

struct gen_variable *gen_make_variable(struct gen_context *context, const struct gen_type *type)
{
    struct gen_variable *variable = gen_variable_create(context->program, GEN_PRIVATE, type);
    uint64_t *initial = gen_alloc(context->program, type->leaves * sizeof(*initial));
    for (uint32_t i = 0; i < type->leaves; i++) {
        uint32_t offset;
        const struct gen_type *leaf = gen_type_leaf(type, i, &offset);
        initial[i] = leaf->kind == GEN_BOOL ? gen_below(context->random, 2)
                                            : gen_make_random_const(context, leaf)->bits[0];
    }
    variable->initial = initial;
    variable->slot = context->function->slot_count++;
    variable->in_memory = type->kind == GEN_ARRAY || type->kind == GEN_STRUCT;
    gen_variables_append(context->program, &context->function->locals, variable);
    return variable;
}

struct gen_variable *gen_writable(struct gen_context *context, const struct gen_type *type)
{
    uint32_t count = context->visible.count, start = count ? gen_below(context->random, count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct gen_variable *variable = context->visible.items[(start + i) % count];
        bool may = (variable->role == GEN_PRIVATE || variable->role == GEN_POINTER ||
                    variable->is_changed) &&
                   !variable->counter && variable != context->me &&
                   (!variable->uniform || context->uniform);
        if (may && (!type || variable->type == type)) {
            return variable;
        }
    }
    return NULL;
}

void gen_make_assign(struct gen_context *context, struct gen_block *block, struct gen_place *place,
                     struct gen_expr *value)
{
    struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_ASSIGN);
    stmt->place = place;
    stmt->value = value;
    context->cost += context->trips;
    gen_block_append(context->program, block, stmt);
}

void gen_make_update(struct gen_context *context, struct gen_block *block)
{
    struct gen_variable *variable = gen_writable(context, NULL);
    if (!variable) {
        return;
    }
    struct gen_place *place = gen_place_create(context, variable, NULL);
    if (gen_chance(context->random, 8)) {
        gen_make_either(context, place, variable->uniform);
    }
    if (variable->type->kind == GEN_STRUCT && gen_chance(context->random, 30)) {
        /* A whole struct from another one. */
        for (uint32_t i = 0; i < context->visible.count; i++) {
            struct gen_variable *source = context->visible.items[i];
            if (source != variable && source->type == variable->type) {
                gen_make_assign(context, block, place,
                                gen_make_load(context, gen_place_create(context, source, NULL)));
                return;
            }
        }
    }
    bool deep = variable->in_memory && gen_chance(context->random, 30);
    if (variable->type->kind == GEN_VECTOR && gen_chance(context->random, 10)) {
        deep = true;
    }
    gen_place_descend(context, place, variable->uniform, deep);
    uint32_t depth = 1 + gen_below(context->random, gen_chance(context->random, 25) ? 3 : 2);
    struct gen_expr *value = gen_make_expr(context, place->type, depth, variable->uniform);
    if (place->type->kind != GEN_BOOL && place->type->kind != GEN_STRUCT &&
        gen_chance(context->random, 35)) {
        /* Goes on from its old value: what loops carry. */
        static const enum gen_op ops[] = {GEN_ADD, GEN_ADD, GEN_SUB, GEN_XOR};
        bool real = gen_scalar_of(place->type)->kind == GEN_FLOAT;
        enum gen_op op = real ? GEN_FADD : ops[gen_below(context->random, 4)];
        value = gen_make_binary(context, op, gen_make_load(context, place), value);
    }
    gen_make_assign(context, block, place, value);
}

/* ---- memory ---- */

/* All slots of the item at once, where they lie side by side. */
static void store_vector(struct gen_context *context, struct gen_block *block,
                         struct gen_variable *buffer)
{
    struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_VSTORE);
    const struct gen_type *type = gen_type_vector(context->program, buffer->type, buffer->per_item);
    stmt->place = gen_place_create(context, gen_reach_buffer(context, buffer),
                                   gen_make_convert(context, gen_linear_id(context, false),
                                                    gen_type_int(context->program, 64)));
    stmt->value = gen_make_canon(context, gen_make_expr(context, type, 2, false));
    context->cost += context->trips;
    gen_block_append(context->program, block, stmt);
}

static void store_value(struct gen_context *context, struct gen_block *block,
                        struct gen_place *place)
{
    struct gen_expr *value =
        gen_make_expr(context, place->type, 1 + gen_below(context->random, 2), false);
    gen_make_assign(context, block, place, gen_make_canon(context, value));
}

static void store_own(struct gen_context *context, struct gen_block *block)
{
    struct gen_variable *buffer = gen_pick_buffer(context, GEN_USE_OWN);
    if (buffer->per_item > 1 && gen_is_record(buffer) && gen_chance(context->random, 60)) {
        store_vector(context, block, buffer);
        return;
    }
    struct gen_place *place = gen_own_place(context, buffer, NULL);
    gen_place_descend(context, place, false, gen_chance(context->random, 20));
    store_value(context, block, place);
}

/* A whole element of an input becomes one of the item's, or a variable on the way. */
static bool pass_on(struct gen_context *context, struct gen_block *block)
{
    struct gen_variable *input = gen_pick_buffer(context, GEN_USE_INPUT);
    struct gen_variable *own = gen_pick_buffer(context, GEN_USE_OWN);
    struct gen_place *from = gen_input_place(context, input, false);
    struct gen_variable *through = gen_writable(context, input->type);
    bool fits = own->type == input->type;
    if (through && !through->uniform && (!fits || gen_chance(context->random, 50))) {
        gen_make_assign(context, block, gen_place_create(context, through, NULL),
                        gen_make_load(context, from));
        /* Computed floats may be NaN, which has no bits of its own. */
        if (!fits || gen_type_contains(own->type, GEN_FLOAT, 0)) {
            return true;
        }
        from = gen_place_create(context, through, NULL);
    } else if (!fits) {
        return false;
    }
    gen_make_assign(context, block, gen_own_place(context, own, NULL),
                    gen_make_load(context, from));
    return true;
}

/* A variable gets what a place held, the place gets something else: the order of the two counts. */
static void exchange(struct gen_context *context, struct gen_block *block)
{
    struct gen_variable *buffer = gen_pick_buffer(context, GEN_USE_OWN);
    struct gen_place *place = gen_own_place(context, buffer, NULL);
    gen_place_descend(context, place, false, false);
    struct gen_variable *taken = gen_writable(context, place->type);
    if (!taken || taken->uniform) {
        store_own(context, block);
        return;
    }
    gen_make_assign(context, block, gen_place_create(context, taken, NULL),
                    gen_make_load(context, place));
    store_value(context, block, place);
}

/* One item of the group writes the group's place. */
static void store_group(struct gen_context *context, struct gen_block *block)
{
    struct gen_program *program = context->program;
    struct gen_variable *buffer = gen_pick_buffer(context, GEN_USE_GROUP);
    if (!buffer) {
        store_own(context, block);
        return;
    }
    /* Slot s belongs to item s of the group (or its last item). */
    uint32_t slot = gen_below(context->random, buffer->per_item);
    uint32_t last = gen_local_total(program) - 1;
    const struct gen_type *type = gen_type_int(program, 32);
    struct gen_stmt *stmt = gen_stmt_create(program, GEN_IF);
    struct gen_expr *me = gen_linear_id(context, true);
    stmt->value = gen_make_binary(context, GEN_EQ, me,
                                  gen_make_const(context, type, slot < last ? slot : last));
    struct gen_place *place = gen_own_place(context, buffer, gen_make_const(context, type, slot));
    gen_place_descend(context, place, false, false);
    struct gen_expr *value = gen_make_expr(context, place->type, 2, false);
    gen_make_assign(context, &stmt->body, place, gen_make_canon(context, value));
    gen_block_append(program, block, stmt);
}

static void store_shared(struct gen_context *context, struct gen_block *block, uint32_t index)
{
    struct gen_place *place = gen_own_place(context, context->shared[index], NULL);
    gen_place_descend(context, place, false, false);
    store_value(context, block, place);
}

static void make_atomic(struct gen_context *context, struct gen_block *block,
                        struct gen_place *place, enum gen_op op, bool own)
{
    struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_ATOMIC);
    stmt->atomic = op;
    stmt->atomic_place = place;
    stmt->atomic_ordered = gen_chance(context->random, 30);
    stmt->value = gen_make_expr(context, place->type, 2, false);
    if (context->program->shapes &&
        gen_chance(context->random, context->program->forms ? 45 : 30)) {
        bool swaps = own && gen_chance(context->random, 50);
        stmt->atomic_form = swaps ? GEN_ATOMIC_SWAP : GEN_ATOMIC_LOOP;
    } else if (context->program->shapes && gen_chance(context->random, 30)) {
        stmt->value = gen_make_const(context, place->type, 1);
    }
    bool stores = context->program->forms && stmt->atomic_form == GEN_ATOMIC_SWAP &&
                  gen_chance(context->random, 60);
    struct gen_variable *old = own && !stores ? gen_writable(context, place->type) : NULL;
    if (old && !old->uniform) {
        stmt->place = gen_place_create(context, old, NULL);
    }
    context->cost += context->trips;
    gen_block_append(context->program, block, stmt);
}

static enum gen_op random_atomic(struct gen_context *context)
{
    static const enum gen_op ops[] = {GEN_ADD,  GEN_SUB,  GEN_AND,  GEN_OR,  GEN_XOR,
                                      GEN_UMIN, GEN_UMAX, GEN_SMIN, GEN_SMAX};
    return ops[gen_below(context->random, sizeof(ops) / sizeof(ops[0]))];
}

static bool atomic_type(const struct gen_type *type)
{
    return type->kind == GEN_INT && type->bits >= 32;
}

static void any_atomic(struct gen_context *context, struct gen_block *block)
{
    struct gen_variable *buffer = gen_pick_buffer(context, GEN_USE_ATOMIC);
    struct gen_variable *own = gen_pick_buffer(context, GEN_USE_OWN);
    if (buffer && gen_chance(context->random, context->program->forms ? 50 : 70)) {
        struct gen_place *place = gen_input_place(context, buffer, gen_chance(context->random, 30));
        make_atomic(context, block, place, buffer->atomic, false);
    } else if (atomic_type(own->type)) {
        struct gen_place *place = gen_own_place(context, own, NULL);
        make_atomic(context, block, place, random_atomic(context), true);
    } else {
        store_own(context, block);
    }
}

static void use_shared(struct gen_context *context, struct gen_block *block)
{
    uint32_t index = gen_below(context->random, context->shared_count);
    struct gen_variable *array = context->shared[index];
    context->function->uses_shared = true;
    switch (context->state.phase[index]) {
    case GEN_PHASE_OWN:
        if (atomic_type(array->type) && gen_chance(context->random, 20)) {
            struct gen_place *place = gen_own_place(context, array, NULL);
            make_atomic(context, block, place, random_atomic(context), true);
        } else {
            store_shared(context, block, index);
        }
        break;
    case GEN_PHASE_ATOMIC:
        make_atomic(context, block, gen_any_place(context, array, gen_chance(context->random, 20)),
                    context->state.atomic[index], false);
        break;
    default:
        gen_make_update(context, block);
        break;
    }
}

void gen_make_simple(struct gen_context *context, struct gen_block *block)
{
    if (context->program->subgroup_size && gen_chance(context->random, 45) &&
        gen_make_subgroup(context, block)) {
        return;
    }
    if (context->program->wraps && gen_chance(context->random, 15)) {
        gen_make_wraps(context, block);
        return;
    }
    if (context->program->rows && gen_chance(context->random, 35)) {
        exchange(context, block);
        return;
    }
    if (context->program->shapes && gen_chance(context->random, 15) && pass_on(context, block)) {
        return;
    }
    if (context->program->forms && gen_chance(context->random, 15) &&
        gen_make_call(context, block)) {
        return;
    }
    uint32_t choice = gen_below(context->random, 100);
    if (choice < 45) {
        gen_make_update(context, block);
    } else if (choice < 60) {
        store_own(context, block);
    } else if (choice < 65) {
        store_group(context, block);
    } else if (choice < 73) {
        any_atomic(context, block);
    } else if (choice < 88 && context->shared_count &&
               (context->barriers || context->function->is_kernel)) {
        use_shared(context, block);
    } else if (!gen_make_call(context, block)) {
        gen_make_update(context, block);
    }
}

/* ---- calls ---- */

/* A structure by value: a variable of the type; where the callee gets an address, one of them is
 * made if need be. */
static bool structure_make(struct gen_context *context, const struct gen_variable *parameter,
                           struct gen_argument *argument)
{
    struct gen_variable *source = NULL;
    for (uint32_t i = 0; i < context->visible.count && !source; i++) {
        struct gen_variable *variable = context->visible.items[i];
        source = variable->type == parameter->type ? variable : NULL;
    }
    if (!source && parameter->is_byref) {
        source = gen_make_variable(context, parameter->type);
        gen_variables_append(context->program, &context->visible, source);
    }
    if (!source) {
        return false;
    }
    struct gen_place *place = gen_place_create(context, source, NULL);
    if (parameter->is_byref) {
        source->in_memory = true;
        place->form = GEN_POINTER_DIRECT;
    }
    argument->value = gen_make_load(context, place);
    return true;
}

static bool argument_make(struct gen_context *context, struct gen_block *block,
                          const struct gen_variable *parameter, struct gen_argument *argument)
{
    if (parameter->alias) {
        argument->variable = gen_reach_buffer(context, parameter->alias);
        return true;
    }
    if (parameter->role == GEN_PARAMETER) {
        if (parameter->type->kind == GEN_STRUCT) {
            return structure_make(context, parameter, argument);
        }
        argument->value = gen_make_expr(context, parameter->type, 1, parameter->uniform);
        return true;
    }
    /* A pointer: to a variable of this type, or to a new one. */
    struct gen_variable *target = gen_writable(context, parameter->type);
    if (!target || target->uniform) {
        target = gen_make_variable(context, parameter->type);
        gen_variables_append(context->program, &context->visible, target);
    }
    (void)block;
    target->in_memory = true;
    argument->address = gen_place_create(context, target, NULL);
    argument->address->form = GEN_POINTER_DIRECT;
    return true;
}

static bool all_own(const struct gen_context *context)
{
    bool own = true;
    for (uint32_t i = 0; i < context->shared_count; i++) {
        own &= context->state.phase[i] == GEN_PHASE_OWN;
    }
    return own;
}

bool gen_make_call(struct gen_context *context, struct gen_block *block)
{
    uint32_t count = context->function->number;
    if (count == 0) {
        return false;
    }
    struct gen_function *callee =
        context->program->functions.items[gen_below(context->random, count)];
    if ((callee->has_barrier && !(context->barriers && context->uniform)) ||
        (uint64_t)callee->cost * context->trips > 4000) {
        return false;
    }
    if ((callee->has_subgroup && context->leaving) || (callee->needs_whole && !context->whole)) {
        return false;
    }
    /* A function begins in the phases in which items have places of their own. */
    if (callee->uses_shared && !callee->has_barrier && !all_own(context)) {
        return false;
    }
    /* Its buffers need room among our parameters. */
    if (!context->function->is_kernel &&
        context->function->parameters.count + callee->parameters.count > GEN_MAX_ARGS) {
        return false;
    }
    struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_CALL);
    stmt->function = callee;
    stmt->arguments =
        gen_alloc(context->program, callee->parameters.count * sizeof(*stmt->arguments) + 1);
    if (callee->has_barrier && !all_own(context)) {
        gen_make_barrier(context, block, true);
    }
    context->function->uses_shared |= callee->uses_shared;
    context->function->has_subgroup |= callee->has_subgroup;
    context->function->needs_whole |= callee->needs_whole;
    for (uint32_t i = 0; i < callee->parameters.count; i++) {
        if (!argument_make(context, block, callee->parameters.items[i], &stmt->arguments[i])) {
            return false;
        }
    }
    if (callee->result->kind != GEN_VOID) {
        struct gen_variable *target = gen_writable(context, callee->result);
        if (target && !target->uniform) {
            stmt->place = gen_place_create(context, target, NULL);
        }
    }
    if (callee->has_barrier) {
        context->moved = true;
        context->function->has_barrier = true;
    }
    context->cost += context->trips * (callee->cost + 1);
    gen_block_append(context->program, block, stmt);
    return true;
}

/* ---- barriers ---- */

void gen_make_barrier(struct gen_context *context, struct gen_block *block, bool own)
{
    struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_BARRIER);
    for (uint32_t i = 0; i < context->shared_count; i++) {
        uint32_t choice = gen_below(context->random, 10);
        bool integer = atomic_type(context->shared[i]->type);
        context->state.phase[i] = own || choice < 4        ? GEN_PHASE_OWN
                                  : choice < 8 || !integer ? GEN_PHASE_READ
                                                           : GEN_PHASE_ATOMIC;
        context->state.atomic[i] = random_atomic(context);
    }
    context->moved = true;
    context->function->has_barrier = true;
    gen_block_append(context->program, block, stmt);
}

/* ---- showing ---- */

static struct gen_expr *as_result(struct gen_context *context, const struct gen_variable *variable,
                                  const struct gen_type *type)
{
    struct gen_place *place =
        gen_place_create(context, (struct gen_variable *)(uintptr_t)variable, NULL);
    bool composite = variable->type->kind == GEN_ARRAY || variable->type->kind == GEN_STRUCT;
    if (composite) {
        gen_place_descend(context, place, false, false);
    }
    struct gen_expr *value = gen_make_load(context, place);
    if (value->type->kind == GEN_VECTOR) {
        struct gen_expr *expr =
            gen_expr_create(context->program, GEN_EXTRACT, value->type->element, 1);
        expr->args[0] = value;
        expr->number = gen_below(context->random, value->type->count);
        value = expr;
    }
    return gen_make_convert(context, value, type);
}

void gen_make_show(struct gen_context *context, struct gen_block *block)
{
    const struct gen_type *type = context->result->type;
    struct gen_expr *sum = NULL;
    uint32_t terms = 0;
    for (uint32_t i = 0; i < context->visible.count; i++) {
        struct gen_expr *value = as_result(context, context->visible.items[i], type);
        if (sum) {
            sum = gen_make_binary(context, GEN_MUL, sum, gen_make_const(context, type, 31));
            value = gen_make_binary(context, GEN_ADD, sum, value);
        }
        sum = value;
        if (++terms == 6 || i + 1 == context->visible.count) {
            struct gen_place *place = gen_own_place(context, context->result, NULL);
            struct gen_place *old = gen_alloc(context->program, sizeof(*old));
            *old = *place;
            sum = gen_make_binary(context, GEN_XOR, sum, gen_make_load(context, old));
            gen_make_assign(context, block, place, sum);
            sum = NULL;
            terms = 0;
        }
    }
}
