/* Grids of every shape, and numbers that kernels make of ids: quotients and remainders, rows and
 * columns, strides. What comes out is known to be below a bound, so that an index of such a number
 * needs no mask that would hide its shape. See generate.h. */
#include "generate.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST_ITEMS = 1024, LOOP_MOST = 16, MOST_IN_COLLECTIVES = 64 };

/* ---- grids ---- */

/* Narrow in x or y, single items, cubes, whole vectors and what is left over of them. */
static const uint32_t shapes[][3] = {
    {1, 1, 1},   {1, 1, 1},  {1, 1, 1},   {1, 16, 1},  {1, 33, 1},  {1, 64, 1},
    {1, 200, 1}, {2, 8, 1},  {2, 17, 1},  {2, 64, 1},  {4, 4, 1},   {4, 16, 1},
    {4, 64, 1},  {8, 8, 1},  {8, 32, 1},  {16, 16, 1}, {32, 8, 1},  {64, 4, 1},
    {3, 11, 1},  {17, 5, 1}, {15, 3, 1},  {5, 7, 3},   {2, 2, 2},   {4, 4, 4},
    {1, 1, 16},  {1, 1, 64}, {1, 16, 16}, {1, 4, 32},  {2, 1, 1},   {4, 1, 1},
    {12, 1, 1},  {32, 1, 1}, {65, 1, 1},  {100, 1, 1}, {128, 1, 1}, {256, 1, 1}};

void gen_choose_shape(struct gen_context *context)
{
    struct gen_program *program = context->program;
    struct gen_random *random = context->random;
    uint32_t most = program->collectives ? MOST_IN_COLLECTIVES : MOST_ITEMS;
    do {
        memcpy(program->local, shapes[gen_below(random, COUNT(shapes))], sizeof(program->local));
    } while (gen_local_total(program) > most);
    uint32_t room = (MOST_ITEMS >> gen_below(random, 4)) / gen_local_total(program);
    room = room > 0 ? room : 1;
    for (uint32_t i = 0; i < 3; i++) {
        static const uint32_t longest[] = {40, 5, 3};
        uint32_t bound = room < longest[i] ? room : longest[i];
        bool used = i == 0 || gen_chance(random, program->local[i] > 1 ? 70 : 25);
        program->groups[i] = used ? 1 + gen_below(random, bound) : 1;
        room /= program->groups[i];
    }
    program->required_local = gen_chance(random, 40);
}

/* ---- numbers with a bound ---- */

struct ranged {
    struct gen_expr *value; /* of 32 or 64 bits */
    uint64_t most;
};

static struct gen_expr *constant(struct gen_context *context, const struct ranged *like,
                                 uint64_t value)
{
    return gen_make_const(context, like->value->type, value);
}

static struct gen_expr *joined(struct gen_context *context, enum gen_op op,
                               const struct ranged *value, uint64_t by)
{
    return gen_make_binary(context, op, value->value, constant(context, value, by));
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number of a group, or of an iteration that all items are in. */
static struct ranged uniform_number(struct gen_context *context)
{
    const struct gen_program *program = context->program;
    const struct gen_type *word = gen_u32_type(context);
    if (context->loop_count && gen_chance(context->random, 60)) {
        const struct gen_stmt *loop = context->loops[context->loop_count - 1].loop;
        if (loop->counter->uniform) {
            struct gen_place *place = gen_place_create(context, loop->counter, NULL);
            place->form = GEN_POINTER_DIRECT;
            return (struct ranged){gen_make_convert(context, gen_make_load(context, place), word),
                                   LOOP_MOST};
        }
    }
    uint32_t d = gen_below(context->random, 3);
    return (struct ranged){gen_make_convert(context, gen_id(context, GEN_GROUP_ID, d), word),
                           program->groups[d] - 1};
}

static struct ranged number_of_item(struct gen_context *context)
{
    const struct gen_program *program = context->program;
    const struct gen_type *word = gen_u32_type(context);
    uint32_t local = gen_local_total(program), d = gen_below(context->random, 3);
    uint32_t choice = gen_below(context->random, 10);
    while (program->local[d] * program->groups[d] == 1 && d > 0) {
        d--;
    }
    if (program->subgroup_size && choice == 0) {
        return (struct ranged){gen_id(context, GEN_SUBGROUP_LOCAL_ID, 0),
                               program->subgroup_size - 1};
    }
    if (choice < 4) {
        return (struct ranged){gen_linear_id(context, false),
                               (uint64_t)local * gen_group_total(program) - 1};
    }
    if (choice < 6) {
        return (struct ranged){gen_linear_id(context, true), local - 1};
    }
    if (choice < 8) {
        return (struct ranged){gen_make_convert(context, gen_id(context, GEN_LOCAL_ID, d), word),
                               program->local[d] - 1};
    }
    return (struct ranged){gen_global_from_zero(context, d),
                           (uint64_t)program->local[d] * program->groups[d] - 1};
}

/* What kernels divide ids by: powers of two, vectors' widths, sizes of the group, odd ones. */
static uint32_t random_divisor(struct gen_context *context)
{
    static const uint8_t odd[] = {3, 5, 6, 7, 10, 12, 100};
    const struct gen_program *program = context->program;
    uint32_t choice = gen_below(context->random, 10);
    return choice < 5   ? 2u << gen_below(context->random, 6)
           : choice < 6 ? program->local[gen_below(context->random, 2)]
           : choice < 7 ? gen_local_total(program)
                        : odd[gen_below(context->random, COUNT(odd))];
}

/* By the group's size as the kernel asks for it. */
static struct ranged apart_by_size(struct gen_context *context, struct ranged number)
{
    uint32_t d = gen_below(context->random, 2), size = context->program->local[d];
    bool rest = gen_chance(context->random, 50);
    struct gen_expr *by =
        gen_make_convert(context, gen_id(context, GEN_LOCAL_SIZE, d), number.value->type);
    number.value = gen_make_binary(context, rest ? GEN_UREM : GEN_UDIV, number.value, by);
    number.most = rest ? least_of(number.most, size - 1) : number.most / size;
    return number;
}

static struct ranged apart(struct gen_context *context, struct ranged a)
{
    uint32_t by = random_divisor(context), shift = 1 + gen_below(context->random, 5);
    uint64_t low = (1ull << shift) - 1;
    bool is_signed = gen_chance(context->random, 30) && a.most <= INT32_MAX;
    struct ranged rest = {joined(context, is_signed ? GEN_SREM : GEN_UREM, &a, by),
                          least_of(a.most, by - 1)};
    struct ranged whole = {joined(context, is_signed ? GEN_SDIV : GEN_UDIV, &a, by), a.most / by};
    switch (gen_below(context->random, 9)) {
    case 0:
        return rest;
    case 1:
        return whole;
    case 2:
        return (struct ranged){joined(context, GEN_LSHR, &a, shift), a.most >> shift};
    case 3:
        return (struct ranged){joined(context, GEN_AND, &a, low), least_of(a.most, low)};
    case 4:
        return (struct ranged){joined(context, GEN_AND, &a, ~low), a.most & ~low};
    case 5:
        return (struct ranged){joined(context, GEN_MUL, &whole, by), a.most};
    case 6: { /* rows become columns */
        uint64_t rows = a.most / by + 1;
        struct gen_expr *value = joined(context, GEN_MUL, &rest, rows);
        return (struct ranged){gen_make_binary(context, GEN_ADD, value, whole.value),
                               rest.most * rows + rows - 1};
    }
    case 7:
        return (struct ranged){joined(context, GEN_XOR, &a, low), a.most | low};
    default:
        return apart_by_size(context, a);
    }
}

/* Every second, third, fourth one, from a start. */
static struct ranged strided(struct gen_context *context, struct ranged a)
{
    uint32_t by = 2 + gen_below(context->random, gen_chance(context->random, 80) ? 3 : 15);
    uint32_t start = gen_below(context->random, by);
    if (a.most > UINT32_MAX / 64) {
        return a;
    }
    struct ranged row = {joined(context, GEN_MUL, &a, by), a.most * by};
    return (struct ranged){joined(context, GEN_ADD, &row, start), row.most + start};
}

static struct ranged number_make(struct gen_context *context, bool uniform)
{
    struct gen_random *random = context->random;
    struct ranged number = uniform ? uniform_number(context) : number_of_item(context);
    if (gen_chance(random, 35)) {
        number.value = gen_make_convert(context, number.value, gen_type_int(context->program, 64));
    }
    if (gen_chance(random, 65)) {
        number = apart(context, number);
    }
    if (gen_chance(random, 15)) {
        number = apart(context, number);
    }
    if (gen_chance(random, 40)) {
        number = strided(context, number);
    }
    if (gen_chance(random, 25)) {
        struct ranged other = uniform_number(context);
        other.value = gen_make_convert(context, other.value, number.value->type);
        number.value = gen_make_binary(context, GEN_ADD, number.value, other.value);
        number.most += other.most;
    }
    return number;
}

struct gen_expr *gen_make_number(struct gen_context *context, bool uniform)
{
    return number_make(context, uniform).value;
}

struct gen_expr *gen_make_number_below(struct gen_context *context, uint32_t bound, bool uniform)
{
    struct ranged number = number_make(context, uniform);
    if (number.most < bound) {
        return number.value;
    }
    bool power = (bound & (bound - 1)) == 0;
    return joined(context, power ? GEN_AND : GEN_UREM, &number, power ? bound - 1 : bound);
}

/* The first items of a row, or all but these; how many, all know. */
struct gen_expr *gen_make_front(struct gen_context *context)
{
    static const enum gen_op ops[] = {GEN_ULT, GEN_ULT, GEN_ULT, GEN_SLT,
                                      GEN_ULE, GEN_UGE, GEN_UGT, GEN_EQ};
    struct gen_random *random = context->random;
    struct ranged number = number_of_item(context);
    if (gen_chance(random, 20)) {
        number = apart(context, number);
    }
    uint32_t bound = (uint32_t)least_of(number.most, UINT16_MAX) + 2;
    struct gen_expr *limit = gen_chance(random, 40)
                                 ? gen_u32_const(context, gen_below(random, bound + 1))
                             : gen_chance(random, 40) ? gen_make_number_below(context, bound, true)
                                                      : gen_make_below(context, bound, true);
    if (gen_chance(random, 30)) {
        number.value = gen_make_convert(context, number.value, gen_type_int(context->program, 64));
    }
    limit = gen_make_convert(context, limit, number.value->type);
    return gen_make_binary(context, ops[gen_below(random, COUNT(ops))], number.value, limit);
}
