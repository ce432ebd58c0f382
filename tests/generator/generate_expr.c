/* Random expressions: leaves (constants, ids, variables, memory), guarded operations, vectors. See
 * generate.h. */
#include "generate.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- types ---- */

const struct gen_type *gen_random_scalar(struct gen_context *context)
{
    static const uint8_t weights[] = {32, 32, 32, 32, 64, 64, 16, 8};
    struct gen_random *random = context->random;
    if (gen_chance(random, 30)) {
        uint32_t bits = gen_chance(random, 70) ? 32 : 64;
        bits = context->program->halves && gen_chance(random, 70) ? 16 : bits;
        return gen_type_float(context->program, bits);
    }
    return gen_type_int(context->program, weights[gen_below(random, COUNT(weights))]);
}

const struct gen_type *gen_random_value_type(struct gen_context *context)
{
    static const uint8_t counts[] = {2, 2, 2, 2, 3, 3, 4, 4, 4, 4, 8, 16};
    const struct gen_type *scalar = gen_random_scalar(context);
    if (gen_chance(context->random, 72)) {
        return scalar;
    }
    return gen_type_vector(context->program, scalar,
                           counts[gen_below(context->random, COUNT(counts))]);
}

static const struct gen_type *with_scalar(struct gen_context *context, const struct gen_type *shape,
                                          const struct gen_type *scalar)
{
    return gen_type_vector(context->program, scalar, gen_components(shape));
}

/* ---- building blocks ---- */

struct gen_expr *gen_make_const(struct gen_context *context, const struct gen_type *type,
                                uint64_t value)
{
    struct gen_expr *expr = gen_expr_create(context->program, GEN_CONST, type, 0);
    uint64_t *bits = gen_alloc(context->program, type->leaves * sizeof(*bits));
    const struct gen_type *scalar = gen_scalar_of(type);
    if (scalar->kind == GEN_INT && scalar->bits < 64) {
        value &= (1ull << scalar->bits) - 1;
    }
    for (uint32_t i = 0; i < type->leaves; i++) {
        bits[i] = value;
    }
    expr->bits = bits;
    return expr;
}

static struct gen_expr *float_const(struct gen_context *context, const struct gen_type *type,
                                    double value)
{
    return gen_make_const(context, type, gen_float_bits(gen_scalar_of(type), value));
}

static uint64_t random_bits(struct gen_context *context, const struct gen_type *scalar)
{
    static const double values[] = {0, 1, -1, 0.5, 2, -3.25, 1e-3, 1024, 0.1, 7, 1e20, -0.0};
    struct gen_random *random = context->random;
    if (scalar->kind == GEN_FLOAT) {
        return gen_float_bits(scalar, values[gen_below(random, COUNT(values))]);
    }
    if (scalar->kind == GEN_BOOL) {
        return gen_below(random, 2);
    }
    uint64_t mask = scalar->bits == 64 ? UINT64_MAX : (1ull << scalar->bits) - 1;
    switch (gen_below(random, 5)) {
    case 0:
        return gen_random(random) & mask;
    case 1:
        return (0 - (uint64_t)gen_below(random, 5)) & mask;
    case 2:
        return 1ull << gen_below(random, scalar->bits);
    default:
        return gen_below(random, 20);
    }
}

struct gen_expr *gen_make_random_const(struct gen_context *context, const struct gen_type *type)
{
    struct gen_expr *expr = gen_expr_create(context->program, GEN_CONST, type, 0);
    uint64_t *bits = gen_alloc(context->program, type->leaves * sizeof(*bits));
    for (uint32_t i = 0; i < type->leaves; i++) {
        bits[i] = random_bits(context, gen_scalar_of(type));
    }
    expr->bits = bits;
    return expr;
}

/* The result's type follows from the class of the operation. */
static const struct gen_type *result_type(struct gen_context *context, enum gen_op op,
                                          const struct gen_type *operand)
{
    switch (gen_ops[op].op_class) {
    case GEN_CLASS_COMPARE:
    case GEN_CLASS_SCOMPARE:
    case GEN_CLASS_FCOMPARE:
        return with_scalar(context, operand, gen_type_bool(context->program));
    default:
        return operand;
    }
}

struct gen_expr *gen_make_unary(struct gen_context *context, enum gen_op op, struct gen_expr *a)
{
    struct gen_expr *expr =
        gen_expr_create(context->program, op, result_type(context, op, a->type), 1);
    expr->args[0] = a;
    return expr;
}

struct gen_expr *gen_make_binary(struct gen_context *context, enum gen_op op, struct gen_expr *a,
                                 struct gen_expr *b)
{
    struct gen_expr *expr =
        gen_expr_create(context->program, op, result_type(context, op, a->type), 2);
    expr->args[0] = a;
    expr->args[1] = b;
    return expr;
}

static struct gen_expr *ternary(struct gen_context *context, enum gen_op op,
                                const struct gen_type *type, struct gen_expr *a, struct gen_expr *b,
                                struct gen_expr *c)
{
    struct gen_expr *expr = gen_expr_create(context->program, op, type, 3);
    expr->args[0] = a;
    expr->args[1] = b;
    expr->args[2] = c;
    return expr;
}

static struct gen_expr *select(struct gen_context *context, struct gen_expr *condition,
                               struct gen_expr *a, struct gen_expr *b)
{
    return ternary(context, GEN_SELECT, a->type, condition, a, b);
}

struct gen_expr *gen_make_load(struct gen_context *context, struct gen_place *place)
{
    struct gen_expr *expr = gen_expr_create(context->program, GEN_LOAD, place->type, 0);
    expr->place = place;
    return expr;
}

struct gen_expr *gen_make_canon(struct gen_context *context, struct gen_expr *value)
{
    if (gen_scalar_of(value->type)->kind != GEN_FLOAT || value->op == GEN_CONST) {
        return value;
    }
    return gen_make_unary(context, GEN_CANON, value);
}

static struct gen_expr *convert(struct gen_context *context, enum gen_op op, struct gen_expr *value,
                                const struct gen_type *scalar)
{
    struct gen_expr *expr =
        gen_expr_create(context->program, op, with_scalar(context, value->type, scalar), 1);
    expr->args[0] = value;
    return expr;
}

/* A decoration on conversions that may round, in programs with modes. */
static struct gen_expr *rounded(struct gen_context *context, struct gen_expr *conversion)
{
    if (context->program->modes && gen_chance(context->random, 60)) {
        conversion->rounding = 1 + gen_below(context->random, 4);
    }
    return conversion;
}

/* Values outside of what the integer holds, and NaN, become 0 first, or the nearest that it holds.
 */
static struct gen_expr *float_to_int(struct gen_context *context, struct gen_expr *value,
                                     const struct gen_type *scalar)
{
    bool is_signed = gen_chance(context->random, 50);
    if (context->program->modes && gen_chance(context->random, 60)) {
        struct gen_expr *saturated = convert(context, is_signed ? GEN_F_TO_S : GEN_F_TO_U,
                                             gen_make_canon(context, value), scalar);
        saturated->rounding = 1 + gen_below(context->random, 4);
        return saturated;
    }
    struct gen_expr *in_range = gen_make_unary(context, GEN_IN_RANGE, value);
    in_range->number = scalar->bits;
    in_range->number2 = is_signed;
    return convert(context, is_signed ? GEN_F_TO_S : GEN_F_TO_U, in_range, scalar);
}

struct gen_expr *gen_make_convert(struct gen_context *context, struct gen_expr *value,
                                  const struct gen_type *scalar)
{
    const struct gen_type *from = gen_scalar_of(value->type);
    if (from == scalar) {
        return value;
    }
    if (value->op == GEN_ID && scalar->kind == GEN_INT) {
        return convert(context, GEN_UCONVERT, value, scalar);
    }
    bool coin = gen_chance(context->random, 50);
    if (from->kind == GEN_BOOL) {
        const struct gen_type *type = with_scalar(context, value->type, scalar);
        return select(context, value, gen_make_random_const(context, type),
                      gen_make_const(context, type, 0));
    }
    if (from->kind == GEN_INT && scalar->kind == GEN_INT) {
        /* A number of an item or an index stays what it is. */
        bool sign = coin && from->bits < 32;
        return convert(context, sign ? GEN_SCONVERT : GEN_UCONVERT, value, scalar);
    }
    if (from->kind == GEN_INT) {
        if (coin && from->bits == scalar->bits) {
            return gen_make_canon(context, convert(context, GEN_BITCAST, value, scalar));
        }
        return rounded(context, convert(context, coin ? GEN_U_TO_F : GEN_S_TO_F, value, scalar));
    }
    if (scalar->kind == GEN_FLOAT) {
        return rounded(context, convert(context, GEN_FCONVERT, value, scalar));
    }
    if (coin && from->bits == scalar->bits) {
        return convert(context, GEN_BITCAST, gen_make_canon(context, value), scalar);
    }
    return float_to_int(context, value, scalar);
}

struct gen_expr *gen_make_index(struct gen_context *context, uint32_t bound, uint32_t depth,
                                bool uniform)
{
    if (context->program->shapes && gen_chance(context->random, 40)) {
        return gen_make_number_below(context, bound, uniform);
    }
    uint32_t bits = gen_chance(context->random, 75) ? 32 : 64;
    if (bound <= 128 && gen_chance(context->random, 12)) {
        bits = gen_chance(context->random, 50) ? 8 : 16;
    }
    const struct gen_type *type = gen_type_int(context->program, bits);
    context->nesting++;
    depth = context->nesting == 1 ? depth : 0;
    struct gen_expr *value = gen_make_expr(context, type, depth, uniform);
    context->nesting--;
    bool power = (bound & (bound - 1)) == 0;
    value = gen_make_binary(context, power ? GEN_AND : GEN_UREM, value,
                            gen_make_const(context, type, power ? bound - 1 : bound));
    return bits < 32 ? convert(context, GEN_UCONVERT, value, gen_type_int(context->program, 32))
                     : value;
}

/* ---- leaves ---- */

static struct gen_expr *leaf_id(struct gen_context *context, bool uniform)
{
    if (context->program->shapes && gen_chance(context->random, 40)) {
        return gen_make_number(context, uniform);
    }
    static const enum gen_id uniform_ids[] = {GEN_GROUP_ID, GEN_LOCAL_SIZE, GEN_GLOBAL_SIZE,
                                              GEN_GROUP_COUNT, GEN_GLOBAL_OFFSET};
    uint32_t all = context->program->subgroup_size ? GEN_ID_COUNT : GEN_SUBGROUP_LOCAL_ID;
    enum gen_id id = uniform ? uniform_ids[gen_below(context->random, COUNT(uniform_ids))]
                             : (enum gen_id)gen_below(context->random, all);
    uint32_t dimension = gen_chance(context->random, 60) ? 0 : gen_below(context->random, 3);
    struct gen_expr *value = gen_id(context, id, dimension);
    return id == GEN_SUBGROUP_GE_MASK || id == GEN_SUBGROUP_GT_MASK ? gen_cut_ballot(context, value)
                                                                    : value;
}

static struct gen_expr *leaf_variable(struct gen_context *context, bool uniform,
                                      const struct gen_type *wanted)
{
    uint32_t count = context->visible.count, start = count ? gen_below(context->random, count) : 0;
    struct gen_variable *chosen = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct gen_variable *variable = context->visible.items[(start + i) % count];
        if (uniform && !variable->uniform) {
            continue;
        }
        if (!chosen || variable->type == wanted) {
            chosen = variable;
        }
        if (chosen->type == wanted || gen_chance(context->random, 25)) {
            break;
        }
    }
    if (!chosen) {
        return NULL;
    }
    struct gen_place *place = gen_place_create(context, chosen, NULL);
    bool addressed = chosen->role == GEN_PRIVATE || chosen->role == GEN_POINTER;
    if (context->nesting == 0 && addressed && !chosen->counter && chosen != context->me &&
        gen_chance(context->random, 8)) {
        gen_make_either(context, place, uniform);
    }
    if (chosen->type != wanted) {
        bool deep = chosen->type->kind != GEN_VECTOR && wanted->kind != GEN_VECTOR;
        gen_place_descend(context, place, uniform, deep);
    }
    return gen_make_load(context, place);
}

static struct gen_expr *leaf_memory(struct gen_context *context, bool uniform)
{
    struct gen_place *place = NULL;
    uint32_t choice = gen_below(context->random, 10);
    struct gen_variable *own = gen_pick_buffer(context, GEN_USE_OWN);
    if (choice < 4 && context->shared_count &&
        (context->barriers || context->function->is_kernel)) {
        uint32_t index = gen_below(context->random, context->shared_count);
        struct gen_variable *array = context->shared[index];
        context->function->uses_shared = true;
        if (context->state.phase[index] == GEN_PHASE_READ) {
            place = gen_any_place(context, array, uniform);
        } else if (context->state.phase[index] == GEN_PHASE_OWN && !uniform) {
            place = gen_own_place(context, array, NULL);
        }
    } else if (choice == 5) {
        place = gen_table_place(context, uniform);
    } else if (choice == 4 && own && !uniform) {
        place = gen_own_place(context, own, NULL);
    }
    if (!place) {
        place = gen_input_place(context, gen_pick_buffer(context, GEN_USE_INPUT), uniform);
    }
    gen_place_descend(context, place, uniform, gen_chance(context->random, 40));
    return gen_make_load(context, place);
}

/* vloadn from an input of scalars. */
static struct gen_expr *leaf_vload(struct gen_context *context, const struct gen_type *type,
                                   bool uniform)
{
    struct gen_variable *buffer = gen_pick_buffer(context, GEN_USE_INPUT);
    if (buffer->shift || buffer->type != gen_scalar_of(type) || type->count > buffer->length) {
        return NULL;
    }
    struct gen_expr *expr = gen_expr_create(context->program, GEN_VLOAD, type, 1);
    expr->args[0] =
        gen_make_convert(context, gen_make_index(context, buffer->length / type->count, 1, uniform),
                         gen_type_int(context->program, 64));
    expr->place = gen_place_create(context, gen_reach_buffer(context, buffer), NULL);
    return expr;
}

/* A scalar or vector made into the wanted type. */
static struct gen_expr *adapt(struct gen_context *context, struct gen_expr *value,
                              const struct gen_type *type)
{
    uint32_t have = gen_components(value->type), want = gen_components(type);
    if (have > 1 && want == 1) {
        uint32_t component = gen_below(context->random, have);
        struct gen_expr *expr =
            gen_expr_create(context->program, GEN_EXTRACT, value->type->element, 1);
        expr->args[0] = value;
        expr->number = component;
        value = expr;
    } else if (have > 1 && have != want) {
        const struct gen_type *shuffled =
            gen_type_vector(context->program, value->type->element, want);
        struct gen_expr *expr = gen_expr_create(context->program, GEN_SHUFFLE, shuffled, 2);
        uint8_t *lanes = gen_alloc(context->program, want);
        for (uint32_t i = 0; i < want; i++) {
            lanes[i] = (uint8_t)gen_below(context->random, have);
        }
        expr->args[0] = expr->args[1] = value;
        expr->lanes = lanes;
        value = expr;
    }
    value = gen_make_convert(context, value, gen_scalar_of(type));
    if (gen_components(value->type) != want) {
        struct gen_expr *splat = gen_expr_create(context->program, GEN_CONSTRUCT, type, want);
        for (uint32_t i = 0; i < want; i++) {
            splat->args[i] = value;
        }
        value = splat;
    }
    return value;
}

static struct gen_expr *make_leaf(struct gen_context *context, const struct gen_type *type,
                                  bool uniform)
{
    struct gen_expr *value = NULL;
    if (context->program->spaces && !uniform && context->function->is_kernel &&
        context->nesting == 0 && gen_chance(context->random, 15)) {
        return adapt(context, gen_make_space(context), type);
    }
    uint32_t choice = gen_below(context->random, 100);
    bool simple = context->nesting > 1;
    if (choice < (simple ? 50 : 20)) {
        return gen_make_random_const(context, type);
    }
    if (choice < 30 || simple) {
        value = leaf_id(context, uniform);
    } else if (choice < 70) {
        value = leaf_variable(context, uniform, type);
    } else if (choice < 80 && type->kind == GEN_VECTOR) {
        value = leaf_vload(context, type, uniform);
    }
    if (!value) {
        value = leaf_memory(context, uniform);
    }
    return adapt(context, value, type);
}

/* ---- operations ---- */

static struct gen_expr *divide(struct gen_context *context, struct gen_expr *a, struct gen_expr *b)
{
    static const enum gen_op ops[] = {GEN_UDIV, GEN_UREM, GEN_SDIV, GEN_SREM};
    enum gen_op op = ops[gen_below(context->random, COUNT(ops))];
    const struct gen_type *type = a->type;
    struct gen_expr *one = gen_make_const(context, type, 1);
    if (op == GEN_UDIV || op == GEN_UREM) {
        b = gen_chance(context->random, 50)
                ? gen_make_binary(context, GEN_OR, b, one)
                : gen_make_const(context, type, 1 + gen_below(context->random, 30));
    } else {
        /* Zero and -1 become 3. */
        struct gen_expr *bad =
            gen_make_binary(context, GEN_ULE, gen_make_binary(context, GEN_ADD, b, one), one);
        b = select(context, bad, gen_make_const(context, type, 3), b);
    }
    return gen_make_binary(context, op, a, b);
}

static struct gen_expr *shift(struct gen_context *context, struct gen_expr *a, struct gen_expr *b)
{
    static const enum gen_op ops[] = {GEN_SHL, GEN_LSHR, GEN_ASHR};
    b = gen_make_binary(context, GEN_AND, b,
                        gen_make_const(context, b->type, gen_scalar_of(b->type)->bits - 1));
    return gen_make_binary(context, ops[gen_below(context->random, COUNT(ops))], a, b);
}

static struct gen_expr *int_operation(struct gen_context *context, const struct gen_type *type,
                                      uint32_t depth, bool uniform)
{
    static const enum gen_op binary[] = {
        GEN_ADD,      GEN_ADD,      GEN_ADD,      GEN_SUB,     GEN_SUB,     GEN_MUL,
        GEN_MUL,      GEN_AND,      GEN_OR,       GEN_XOR,     GEN_UMIN,    GEN_UMAX,
        GEN_SMIN,     GEN_SMAX,     GEN_ROTATE,   GEN_UMUL_HI, GEN_SMUL_HI, GEN_UADD_SAT,
        GEN_SADD_SAT, GEN_USUB_SAT, GEN_SSUB_SAT, GEN_UHADD,   GEN_SRHADD,  GEN_ADD};
    static const enum gen_op unary[] = {GEN_NEG, GEN_NOT, GEN_SABS, GEN_POPCOUNT, GEN_CLZ};
    uint32_t choice = gen_below(context->random, 100);
    struct gen_expr *a = gen_make_expr(context, type, depth - 1, uniform);
    if (choice < 12) {
        return gen_make_unary(context, unary[gen_below(context->random, COUNT(unary))], a);
    }
    struct gen_expr *b = gen_make_expr(context, type, depth - 1, uniform);
    if (choice < 22) {
        return divide(context, a, b);
    }
    if (choice < 34) {
        return shift(context, a, b);
    }
    if (choice < 37) {
        return ternary(context, GEN_BITSELECT, type, a, b,
                       gen_make_expr(context, type, depth - 1, uniform));
    }
    if (choice < 40) {
        /* The bounds in order. */
        struct gen_expr *low = gen_make_random_const(context, type);
        return ternary(context, GEN_UCLAMP, type, a, gen_make_binary(context, GEN_UMIN, b, low),
                       low);
    }
    return gen_make_binary(context, binary[gen_below(context->random, COUNT(binary))], a, b);
}

struct gen_expr *gen_make_ordered(struct gen_context *context, const struct gen_type *type,
                                  struct gen_expr *value)
{
    const struct gen_type *scalar = gen_scalar_of(type);
    if (gen_float_mode(context->program, scalar->bits)->rounding == SpvFPRoundingModeRTN) {
        return gen_make_unary(context, GEN_FABS, value); /* -0 + 0 is -0 */
    }
    return gen_make_binary(context, GEN_FADD, value, float_const(context, type, 0));
}

static struct gen_expr *float_operation(struct gen_context *context, const struct gen_type *type,
                                        uint32_t depth, bool uniform)
{
    static const enum gen_op binary[] = {GEN_FADD, GEN_FADD, GEN_FSUB,
                                         GEN_FMUL, GEN_FMUL, GEN_FDIV};
    static const enum gen_op unary[] = {GEN_FNEG, GEN_FABS,  GEN_SQRT, GEN_FLOOR,
                                        GEN_CEIL, GEN_TRUNC, GEN_RINT};
    uint32_t choice = gen_below(context->random, 100);
    struct gen_expr *a = gen_make_expr(context, type, depth - 1, uniform);
    if (choice < 25) {
        return gen_make_unary(context, unary[gen_below(context->random, COUNT(unary))], a);
    }
    struct gen_expr *b = gen_make_expr(context, type, depth - 1, uniform);
    if (choice < 40) {
        a = gen_make_ordered(context, type, a);
        b = gen_make_ordered(context, type, b);
        return gen_make_binary(context, choice & 1 ? GEN_FMIN : GEN_FMAX, a, b);
    }
    if (choice < 52) {
        return ternary(context, GEN_FMA, type, a, b,
                       gen_make_expr(context, type, depth - 1, uniform));
    }
    if (choice < 56) {
        return gen_make_binary(context, GEN_COPYSIGN, a, gen_make_canon(context, b));
    }
    return gen_make_binary(context, binary[gen_below(context->random, COUNT(binary))], a, b);
}

static struct gen_expr *compare(struct gen_context *context, const struct gen_type *type,
                                uint32_t depth, bool uniform)
{
    enum gen_op op = gen_scalar_of(type)->kind == GEN_FLOAT
                         ? (enum gen_op)(GEN_FEQ + gen_below(context->random, 7))
                         : (enum gen_op)(GEN_EQ + gen_below(context->random, 10));
    struct gen_expr *a = gen_make_expr(context, type, depth, uniform);
    struct gen_expr *b = gen_chance(context->random, 40)
                             ? gen_make_random_const(context, type)
                             : gen_make_expr(context, type, depth, uniform);
    return gen_make_binary(context, op, a, b);
}

struct gen_expr *gen_make_bool(struct gen_context *context, uint32_t depth, bool uniform)
{
    static const enum gen_op ops[] = {GEN_LAND, GEN_LOR, GEN_LXOR};
    struct gen_random *random = context->random;
    uint32_t choice = gen_below(random, 100);
    if (choice < 10) {
        uint32_t count = context->visible.count;
        for (uint32_t i = 0, start = gen_below(random, count + 1); i < count; i++) {
            struct gen_variable *variable = context->visible.items[(start + i) % count];
            if (variable->type->kind == GEN_BOOL && (!uniform || variable->uniform)) {
                return gen_make_load(context, gen_place_create(context, variable, NULL));
            }
        }
    }
    if (choice < 25 && depth > 0) {
        struct gen_expr *a = gen_make_bool(context, depth - 1, uniform);
        if (choice < 14) {
            return gen_make_unary(context, GEN_LNOT, a);
        }
        struct gen_expr *b = gen_make_bool(context, depth - 1, uniform);
        return gen_make_binary(context, ops[gen_below(random, COUNT(ops))], a, b);
    }
    depth = depth > 0 ? depth - 1 : 0;
    if (choice < 32) {
        const struct gen_type *scalar = gen_random_scalar(context);
        const struct gen_type *type =
            gen_type_vector(context->program, scalar, 2u << gen_below(random, 2));
        struct gen_expr *expr = gen_expr_create(context->program, choice & 1 ? GEN_ANY : GEN_ALL,
                                                gen_type_bool(context->program), 1);
        expr->args[0] = compare(context, type, depth, uniform);
        return expr;
    }
    return compare(context, gen_random_scalar(context), depth, uniform);
}

/* ---- vectors ---- */

static struct gen_expr *vector_operation(struct gen_context *context, const struct gen_type *type,
                                         uint32_t depth, bool uniform)
{
    struct gen_program *program = context->program;
    uint32_t choice = gen_below(context->random, 5), count = type->count;
    struct gen_expr *expr;
    if (choice == 0) {
        expr = gen_expr_create(program, GEN_CONSTRUCT, type, count);
        struct gen_expr *previous = NULL;
        for (uint32_t i = 0; i < count; i++) {
            if (!previous || gen_chance(context->random, count > 4 ? 30 : 80)) {
                previous = gen_make_expr(context, type->element, depth > 1 ? 1 : 0, uniform);
            }
            expr->args[i] = previous;
        }
        return expr;
    }
    struct gen_expr *a = gen_make_expr(context, type, depth - 1, uniform);
    if (choice == 1) {
        expr = gen_expr_create(program, GEN_INSERT, type, 2);
        expr->args[0] = a;
        expr->args[1] = gen_make_expr(context, type->element, depth - 1, uniform);
        expr->number = gen_below(context->random, count);
        return expr;
    }
    if (choice == 2) {
        struct gen_expr *b = gen_make_expr(context, type->element, depth - 1, uniform);
        return ternary(context, GEN_INSERT_DYN, type, a, b,
                       gen_make_index(context, count, 1, uniform));
    }
    if (choice == 3) {
        const struct gen_type *other = with_scalar(context, type, gen_random_scalar(context));
        struct gen_expr *condition = compare(context, other, depth - 1, uniform);
        return select(context, condition, a, gen_make_expr(context, type, depth - 1, uniform));
    }
    const struct gen_type *source =
        gen_type_vector(program, type->element, 2u << gen_below(context->random, 2));
    uint8_t *lanes = gen_alloc(program, count);
    for (uint32_t i = 0; i < count; i++) {
        lanes[i] = (uint8_t)gen_below(context->random, 2 * source->count);
    }
    expr = gen_expr_create(program, GEN_SHUFFLE, type, 2);
    expr->args[0] = gen_make_expr(context, source, depth - 1, uniform);
    expr->args[1] = gen_make_expr(context, source, depth - 1, uniform);
    expr->lanes = lanes;
    return expr;
}

static struct gen_expr *extract(struct gen_context *context, const struct gen_type *type,
                                uint32_t depth, bool uniform)
{
    const struct gen_type *vector =
        gen_type_vector(context->program, type, 2u << gen_below(context->random, 2));
    bool dynamic = gen_chance(context->random, 50);
    struct gen_expr *expr = gen_expr_create(
        context->program, dynamic ? GEN_EXTRACT_DYN : GEN_EXTRACT, type, dynamic ? 2 : 1);
    expr->args[0] = gen_make_expr(context, vector, depth - 1, uniform);
    if (dynamic) {
        expr->args[1] = gen_make_index(context, vector->count, 1, uniform);
    }
    expr->number = gen_below(context->random, vector->count);
    return expr;
}

/* A variable of this type: whoever asks has made one. */
static struct gen_expr *leaf_struct(struct gen_context *context, const struct gen_type *type)
{
    uint32_t count = context->visible.count, start = gen_below(context->random, count);
    uint32_t i = 0;
    while (context->visible.items[(start + i) % count]->type != type) {
        i++;
    }
    return gen_make_load(
        context, gen_place_create(context, context->visible.items[(start + i) % count], NULL));
}

struct gen_expr *gen_make_expr(struct gen_context *context, const struct gen_type *type,
                               uint32_t depth, bool uniform)
{
    uint32_t choice = gen_below(context->random, 100);
    if (type->kind == GEN_BOOL) {
        return gen_make_bool(context, depth, uniform);
    }
    if (type->kind == GEN_STRUCT) {
        return leaf_struct(context, type);
    }
    if (depth == 0 || choice < 15) {
        return make_leaf(context, type, uniform);
    }
    if (choice < 27) {
        const struct gen_type *other = with_scalar(context, type, gen_random_scalar(context));
        return gen_make_convert(context, gen_make_expr(context, other, depth - 1, uniform),
                                gen_scalar_of(type));
    }
    if (type->kind == GEN_VECTOR && choice < 45) {
        return vector_operation(context, type, depth, uniform);
    }
    if (type->kind != GEN_VECTOR && choice < 35) {
        return extract(context, type, depth, uniform);
    }
    if (type->kind != GEN_VECTOR && choice < 45) {
        struct gen_expr *condition = gen_make_bool(context, depth - 1, uniform);
        struct gen_expr *a = gen_make_expr(context, type, depth - 1, uniform);
        return select(context, condition, a, gen_make_expr(context, type, depth - 1, uniform));
    }
    return gen_scalar_of(type)->kind == GEN_FLOAT ? float_operation(context, type, depth, uniform)
                                                  : int_operation(context, type, depth, uniform);
}
