/* The whole program: grid, functions from the callees up, the kernel's frame. See generate.h. */
#include "generate.h"

#include <string.h>

/* At times where 32 bits of an id wrap, or its sign does. */
static uint64_t random_offset(struct gen_random *random)
{
    uint32_t choice = gen_below(random, 4);
    return choice == 0   ? 0xFFFFFFFFu - gen_below(random, 40)
           : choice == 1 ? 0x7FFFFFFFu - gen_below(random, 40)
                         : gen_below(random, 100);
}

static void choose_grid(struct gen_context *context)
{
    static const uint32_t locals[][3] = {
        {1, 1, 1},  {3, 1, 1},  {7, 1, 1},  {8, 1, 1},  {13, 1, 1}, {16, 1, 1}, {17, 1, 1},
        {24, 1, 1}, {31, 1, 1}, {33, 1, 1}, {40, 1, 1}, {64, 1, 1}, {5, 3, 1},  {9, 2, 1},
        {16, 2, 1}, {3, 3, 3},  {2, 5, 2},  {1, 7, 1},  {1, 1, 5},  {19, 2, 1}};
    struct gen_program *program = context->program;
    struct gen_random *random = context->random;
    memcpy(program->local, locals[gen_below(random, sizeof(locals) / sizeof(locals[0]))],
           sizeof(program->local));
    bool deep = program->local[1] * program->local[2] > 1 || gen_chance(random, 20);
    bool shifted = gen_chance(random, 15);
    for (uint32_t i = 0; i < 3; i++) {
        program->groups[i] = i == 0 || deep ? 1 + gen_below(random, i == 0 ? 4 : 2) : 1;
        program->offset[i] = shifted && gen_chance(random, 60) ? random_offset(random) : 0;
    }
    program->ssa = gen_chance(random, 50);
    program->loop_merges = gen_chance(random, 30);
    program->version = gen_chance(random, 50) ? 4 : 0;
    program->aligned_access = gen_chance(random, 50);
    program->initializers = gen_chance(random, 30);
    program->copy_memory = gen_chance(random, 50);
}

/* Sub-groups of other sizes than groups are multiples of; partial ones, single ones. */
static void choose_subgroups(struct gen_context *context)
{
    static const uint32_t locals[][3] = {{1, 1, 1},  {5, 1, 1},  {8, 1, 1},  {16, 1, 1}, {17, 1, 1},
                                         {24, 1, 1}, {32, 1, 1}, {33, 1, 1}, {40, 1, 1}, {48, 1, 1},
                                         {64, 1, 1}, {16, 2, 1}, {8, 4, 1},  {8, 2, 2},  {5, 3, 1},
                                         {7, 5, 1},  {3, 3, 3},  {19, 2, 1}, {1, 1, 5},  {2, 5, 2}};
    struct gen_program *program = context->program;
    struct gen_random *random = context->random;
    program->subgroup_size = 8u << gen_below(random, 3);
    program->version = 3 + gen_below(random, 3);
    context->only_ids = gen_chance(random, 10);
    memcpy(program->local, locals[gen_below(random, sizeof(locals) / sizeof(locals[0]))],
           sizeof(program->local));
}

static void make_structs(struct gen_context *context)
{
    struct gen_random *random = context->random;
    for (uint32_t s = 0; s < 3; s++) {
        const struct gen_type *members[4];
        uint32_t count = 2 + gen_below(random, 3);
        for (uint32_t i = 0; i < count; i++) {
            members[i] = gen_random_scalar(context);
            uint32_t choice = gen_below(random, 10);
            if (choice < 2) {
                members[i] =
                    gen_type_vector(context->program, members[i], 2 + gen_below(random, 3));
            } else if (choice < 4) {
                members[i] =
                    gen_type_array(context->program, members[i], 2u << gen_below(random, 2));
            } else if (choice == 4 && s > 0) {
                members[i] = context->structs[0];
            }
        }
        context->structs[s] = gen_type_struct(context->program, members, count);
    }
}

/* A pixel, a complex number, a particle: what kernels keep arrays of. */
static void choose_record(struct gen_context *context)
{
    struct gen_random *random = context->random;
    uint32_t count = 2 + gen_below(random, 3);
    const struct gen_type *scalar = gen_random_scalar(context), *members[4];
    if (gen_chance(random, 40)) {
        context->record = gen_type_vector(context->program, scalar, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        members[i] = gen_chance(random, 25) ? gen_random_scalar(context) : scalar;
    }
    context->record = gen_type_struct(context->program, members, count);
}

static const struct gen_type *variable_type(struct gen_context *context)
{
    struct gen_random *random = context->random;
    if (context->record && gen_chance(random, 15)) {
        return context->record;
    }
    uint32_t choice = gen_below(random, 100);
    if (choice < 60) {
        return gen_random_value_type(context);
    }
    if (choice < 66) {
        return gen_type_bool(context->program);
    }
    if (choice < 80) {
        return context->structs[gen_below(random, 3)];
    }
    const struct gen_type *element =
        choice < 94 ? gen_random_scalar(context) : context->structs[gen_below(random, 2) ? 1 : 0];
    uint32_t count = choice < 94 ? 2u << gen_below(random, 3) : 2;
    return gen_type_array(context->program, element, count);
}

static void make_variables(struct gen_context *context, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct gen_type *type = variable_type(context);
        if (type->leaves > GEN_MAX_LEAVES) {
            continue;
        }
        struct gen_variable *variable = gen_make_variable(context, type);
        variable->uniform = context->uniform && gen_chance(context->random, 25);
        gen_variables_append(context->program, &context->visible, variable);
    }
}

static void begin_function(struct gen_context *context, struct gen_function *function)
{
    context->function = function;
    context->visible = (struct gen_variables){0};
    context->me = NULL;
    context->loop_count = 0;
    context->depth = 0;
    context->trips = 1;
    context->cost = 1;
    context->moved = false;
    memset(&context->state, 0, sizeof(context->state));
}

/* A structure by value: in SPIR-V the address of a copy. */
static void choose_byref(struct gen_context *context, struct gen_variable *parameter)
{
    bool forms = context->program->forms;
    parameter->is_byref =
        context->function->is_kernel || (forms && gen_chance(context->random, 70));
    parameter->is_changed = forms && parameter->is_byref && gen_chance(context->random, 50);
    parameter->uniform = parameter->uniform && !parameter->is_changed;
}

static void make_parameters(struct gen_context *context, struct gen_function *function)
{
    struct gen_random *random = context->random;
    uint32_t count = 1 + gen_below(random, 4);
    for (uint32_t i = 0; i < count; i++) {
        bool pointer = !function->is_kernel && gen_chance(random, 35);
        const struct gen_type *type = gen_chance(random, context->program->forms ? 55 : 20)
                                          ? context->structs[gen_below(random, 3)]
                                          : gen_random_value_type(context);
        struct gen_variable *parameter =
            gen_variable_create(context->program, pointer ? GEN_POINTER : GEN_PARAMETER, type);
        parameter->slot = function->slot_count++;
        parameter->is_generic = pointer && context->program->generics && gen_chance(random, 50);
        parameter->uniform =
            function->is_kernel || (!pointer && context->uniform && gen_chance(random, 40));
        if (function->is_kernel) {
            uint64_t *bits = gen_alloc(context->program, type->leaves * sizeof(*bits));
            for (uint32_t l = 0; l < type->leaves; l++) {
                uint32_t offset;
                bits[l] = gen_make_random_const(context, gen_type_leaf(type, l, &offset))->bits[0];
            }
            parameter->initial = bits;
        }
        if (!pointer && type->kind == GEN_STRUCT) {
            choose_byref(context, parameter);
        }
        gen_variables_append(context->program, &function->parameters, parameter);
        gen_variables_append(context->program, &context->visible, parameter);
    }
}

static void make_function(struct gen_context *context)
{
    struct gen_random *random = context->random;
    struct gen_function *function = gen_function_create(context->program);
    begin_function(context, function);
    bool barriers = context->shared_count && gen_chance(random, 35);
    context->barriers = context->uniform = context->whole = barriers;
    context->returns = !barriers;
    if (context->program->subgroup_size && !barriers && gen_chance(random, 40)) {
        context->whole = true;
        context->returns = false;
    }
    function->dont_inline = gen_chance(random, 45);
    uint32_t choice = gen_below(random, 10);
    function->result = choice < 2   ? gen_type_void(context->program)
                       : choice < 4 ? context->structs[gen_below(random, 3)]
                                    : gen_random_value_type(context);
    make_parameters(context, function);
    make_variables(context, 1 + gen_below(random, 3));
    if (function->result->kind == GEN_STRUCT) {
        /* Something to return. */
        gen_variables_append(context->program, &context->visible,
                             gen_make_variable(context, function->result));
    }
    context->budget = 2 + gen_below(random, 4) + (context->program->subgroup_size ? 2 : 0);
    gen_make_block(context, &function->body, 1 + gen_below(random, 3));
    for (uint32_t i = 0; i < context->shared_count && function->has_barrier; i++) {
        if (context->state.phase[i] != GEN_PHASE_OWN) {
            gen_make_barrier(context, &function->body, true);
            break;
        }
    }
    if (function->result->kind != GEN_VOID) {
        struct gen_stmt *stmt = gen_stmt_create(context->program, GEN_RETURN);
        stmt->pinned = true;
        stmt->value = gen_make_expr(context, function->result, 2, false);
        gen_block_append(context->program, &function->body, stmt);
    }
    function->cost = context->cost;
}

/* Every slot of the shared arrays gets a value before anyone reads it. */
static void fill_shared(struct gen_context *context, struct gen_block *block)
{
    const struct gen_type *type = gen_type_int(context->program, 32);
    for (uint32_t i = 0; i < context->shared_count; i++) {
        struct gen_variable *array = context->shared[i];
        for (uint32_t slot = 0; slot < array->per_item; slot++) {
            for (uint32_t member = 0;
                 member < (array->type->kind == GEN_STRUCT ? array->type->count : 1); member++) {
                struct gen_place *place =
                    gen_own_place(context, array, gen_make_const(context, type, slot));
                if (array->type->kind == GEN_STRUCT) {
                    place->steps[place->step_count++] =
                        (struct gen_step){.is_member = true, .member = member};
                    place->type = array->type->members[member];
                }
                uint32_t elements = place->type->kind == GEN_ARRAY ? place->type->count : 1;
                for (uint32_t e = 0; e < elements; e++) {
                    struct gen_place *part = gen_alloc(context->program, sizeof(*part));
                    *part = *place;
                    if (place->type->kind == GEN_ARRAY) {
                        part->steps[part->step_count++] =
                            (struct gen_step){.index = gen_make_const(context, type, e)};
                        part->type = place->type->element;
                    }
                    gen_make_assign(
                        context, block, part,
                        gen_make_canon(context, gen_make_expr(context, part->type, 1, false)));
                }
            }
        }
    }
}

static void flatten_grid(struct gen_program *program)
{
    for (uint32_t i = 1; i < 3; i++) {
        program->local[0] *= program->local[i];
        program->groups[0] *= program->groups[i];
        program->local[i] = program->groups[i] = 1;
    }
}

static void make_kernel(struct gen_context *context, struct gen_function *kernel)
{
    struct gen_random *random = context->random;
    struct gen_program *program = context->program;
    begin_function(context, kernel);
    context->barriers = context->uniform = context->whole = true;
    context->returns = false;
    make_parameters(context, kernel);
    make_variables(context, 1 + gen_below(random, 4));
    if (gen_chance(random, 70)) {
        struct gen_variable *me = gen_make_variable(context, gen_type_int(program, 32));
        struct gen_expr *value = gen_linear_id(context, false);
        gen_make_assign(context, &kernel->body, gen_place_create(context, me, NULL), value);
        gen_variables_append(program, &context->visible, me);
        context->me = me;
    }
    /* Nothing reads shared arrays before they are filled. */
    struct gen_block first = {0};
    for (uint32_t i = 0; i < context->shared_count; i++) {
        context->state.phase[i] = GEN_PHASE_ATOMIC;
    }
    fill_shared(context, &first);
    memset(&context->state, 0, sizeof(context->state));
    for (uint32_t i = 0; i < first.count; i++) {
        first.items[i]->pinned = true;
        gen_block_append(program, &kernel->body, first.items[i]);
    }
    context->budget = gen_chance(random, 8) ? 30 : 3 + gen_below(random, 8);
    if (program->subgroup_size) {
        context->budget += 6;
        gen_make_subgroup(context, &kernel->body);
    }
    if (program->collectives) {
        context->budget += 3;
        gen_make_collective(context, &kernel->body);
    }
    if (program->shapes && context->shared_count && gen_chance(random, 40)) {
        gen_make_pattern(context, &kernel->body);
    }
    gen_make_block(context, &kernel->body, 2 + gen_below(random, 5));
    gen_make_show(context, &kernel->body);
    if (gen_chance(random, 35)) {
        /* No barriers from here on: items may return one by one. */
        context->barriers = context->uniform = context->whole = false;
        context->returns = true;
        context->budget += 2;
        gen_make_block(context, &kernel->body, 1 + gen_below(random, 2));
        gen_make_show(context, &kernel->body);
    }
    kernel->cost = context->cost;
}

/* Modes of each width, any two of which may differ. Not flushed where groups compute: what they do
 * with denormals is theirs. */
static void choose_modes(struct gen_context *context)
{
    struct gen_program *program = context->program;
    bool groups = program->subgroup_size || program->collectives;
    for (uint32_t i = 0; i < 3; i++) {
        program->float_modes[i].rounding = gen_below(context->random, 4);
        program->float_modes[i].flush = !groups && gen_chance(context->random, 25);
    }
}

struct gen_program *gen_program_make(uint64_t seed)
{
    struct gen_random random = {seed * 0x2545F4914F6CDD1Du + 77};
    struct gen_context context = {.program = gen_program_create(seed), .random = &random};
    struct gen_program *program = context.program;
    choose_grid(&context);
    program->rows = seed % 7 == 4;
    if (program->rows) {
        flatten_grid(program);
    }
    if (seed % 3 == 2) {
        choose_subgroups(&context);
    }
    program->halves = seed % 5 == 4;
    program->irreducible = seed % 11 == 8 && !program->subgroup_size;
    program->required_local = seed % 13 == 6 || seed % 13 == 11;
    program->generics = seed % 7 == 3;
    program->spaces = seed % 9 == 1;
    program->volatiles = seed % 10 == 9;
    program->wraps = seed % 8 == 7;
    program->explicit_casts = program->generics && gen_chance(&random, 50);
    program->collectives = seed % 6 == 3 || (seed % 3 == 2 && gen_chance(&random, 40));
    program->returns = seed % 7 == 6 && !program->subgroup_size && !program->collectives;
    program->modes = seed % 10 == 2 || seed % 10 == 9;
    if (program->modes) {
        choose_modes(&context);
    }
    /* Groups whose items have returned meet nobody. */
    program->meets = (seed % 7 == 2 || seed % 7 == 4 || seed % 7 == 6) && !program->returns;
    program->scopes = seed % 9 == 1 || seed % 9 == 2 || seed % 9 == 3;
    program->shapes = seed >= GEN_FIRST_SHAPED;
    program->forms = seed >= GEN_FIRST_FORMED;
    if (program->shapes) {
        gen_choose_shape(&context);
        program->far = gen_chance(&random, 5);
        if (program->rows) {
            flatten_grid(program);
        }
    }
    make_structs(&context);
    if (program->shapes) {
        choose_record(&context);
    }
    /* The kernel's buffers come first: functions refer to them. It becomes the last function. */
    struct gen_function *kernel = gen_alloc(program, sizeof(*kernel));
    kernel->is_kernel = true;
    kernel->result = gen_type_void(program);
    gen_make_buffers(&context, kernel);
    uint32_t count = gen_chance(&random, program->forms ? 75 : 45) ? 1 + gen_below(&random, 2) : 0;
    for (uint32_t i = 0; i < count; i++) {
        make_function(&context);
    }
    struct gen_function *slot = gen_function_create(program);
    kernel->number = slot->number;
    program->functions.items[slot->number] = kernel;
    make_kernel(&context, kernel);
    return program;
}
