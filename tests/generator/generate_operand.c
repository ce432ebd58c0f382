/* Operands of group operations, and what makes the items of a sub-group differ. Sums and products
 * of floats are exact in any order: small integers, powers of two. See generate.h. */
#include "generate.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct gen_type *gen_u32_type(struct gen_context *context)
{
    return gen_type_int(context->program, 32);
}

struct gen_expr *gen_u32_const(struct gen_context *context, uint32_t value)
{
    return gen_make_const(context, gen_u32_type(context), value);
}

/* Any value of 32 bits below `bound`. */
struct gen_expr *gen_make_below(struct gen_context *context, uint32_t bound, bool uniform)
{
    bool power = (bound & (bound - 1)) == 0;
    struct gen_expr *value = gen_make_expr(context, gen_u32_type(context), 1, uniform);
    return gen_make_binary(context, power ? GEN_AND : GEN_UREM, value,
                           gen_u32_const(context, power ? bound - 1 : bound));
}

/* ---- values ---- */

/* Of the kind that the operation takes: bool, int, float, or (VOID) any of them. */
const struct gen_type *gen_random_group_type(struct gen_context *context, enum gen_kind kind)
{
    struct gen_random *random = context->random;
    const struct gen_type *scalar;
    if (kind == GEN_BOOL || (kind == GEN_VOID && gen_chance(random, 10))) {
        return gen_type_bool(context->program);
    }
    do {
        scalar = gen_random_scalar(context);
    } while (kind != GEN_VOID && scalar->kind != kind);
    return gen_chance(random, 80)
               ? scalar
               : gen_type_vector(context->program, scalar, 2 + gen_below(random, 3));
}

/* Small integers, or powers of two: sums, products are exact in any order. */
static struct gen_expr *exact_value(struct gen_context *context, const struct gen_type *type,
                                    bool product)
{
    struct gen_program *program = context->program;
    const struct gen_type *ints =
        gen_type_vector(program, gen_u32_type(context), gen_components(type));
    struct gen_expr *value = gen_make_expr(context, ints, 1, false);
    struct gen_expr *small =
        gen_make_binary(context, GEN_AND, value, gen_make_const(context, ints, product ? 1 : 31));
    struct gen_expr *expr = gen_expr_create(program, GEN_U_TO_F, type, 1);
    if (product) {
        small = gen_make_binary(context, GEN_ADD, small, gen_make_const(context, ints, 1));
    }
    expr->args[0] = small;
    return expr;
}

struct gen_expr *gen_make_plain(struct gen_context *context, const struct gen_type *type)
{
    bool uniform = gen_chance(context->random, 12);
    return gen_make_canon(context,
                          gen_make_expr(context, type, 1 + gen_below(context->random, 2), uniform));
}

struct gen_expr *gen_make_reduced(struct gen_context *context, enum gen_op join)
{
    enum gen_class op_class = gen_ops[join].op_class;
    const struct gen_type *type =
        gen_random_group_type(context, op_class == GEN_CLASS_BOOL    ? GEN_BOOL
                                       : op_class == GEN_CLASS_FLOAT ? GEN_FLOAT
                                                                     : GEN_INT);
    if (join == GEN_FADD || join == GEN_FMUL) {
        return exact_value(context, type, join == GEN_FMUL);
    }
    struct gen_expr *value = gen_make_plain(context, type);
    return op_class == GEN_CLASS_FLOAT ? gen_make_ordered(context, type, value) : value;
}

/* Often the same for all. */
struct gen_expr *gen_make_compared(struct gen_context *context)
{
    const struct gen_type *type = gen_random_group_type(context, GEN_VOID);
    if (gen_chance(context->random, 50)) {
        return gen_make_canon(context, gen_make_expr(context, type, 1, true));
    }
    struct gen_expr *value = gen_make_plain(context, type);
    if (gen_scalar_of(type)->kind == GEN_INT && gen_chance(context->random, 50)) {
        value = gen_make_binary(context, GEN_AND, value, gen_make_const(context, type, 1));
    }
    return value;
}

struct gen_expr *gen_cut_ballot(struct gen_context *context, struct gen_expr *value)
{
    uint32_t smallest = gen_smallest_subgroup(context->program);
    const struct gen_type *type = value->type;
    struct gen_expr *mask;
    if (smallest == context->program->subgroup_size) {
        return value;
    }
    if (gen_chance(context->random, 50)) {
        mask = gen_make_const(context, type, UINT32_MAX >> (32 - smallest));
    } else {
        struct gen_expr *shift = gen_make_binary(context, GEN_SUB, gen_u32_const(context, 32),
                                                 gen_id(context, GEN_SUBGROUP_SIZE, 0));
        struct gen_expr *word =
            gen_make_binary(context, GEN_LSHR, gen_u32_const(context, UINT32_MAX), shift);
        mask = gen_expr_create(context->program, GEN_CONSTRUCT, type, 4);
        for (uint32_t i = 0; i < 4; i++) {
            mask->args[i] = word;
        }
    }
    return gen_make_binary(context, GEN_AND, value, mask);
}

/* ---- what divides sub-groups ---- */

struct gen_expr *gen_make_scattered(struct gen_context *context, uint32_t bound)
{
    static const enum gen_op ops[] = {GEN_XOR, GEN_ADD, GEN_SUB};
    struct gen_random *random = context->random;
    struct gen_expr *value = gen_chance(random, 70) ? gen_id(context, GEN_SUBGROUP_LOCAL_ID, 0)
                                                    : gen_linear_id(context, false);
    if (gen_chance(random, 50)) {
        /* What changes from one iteration to the next, among others. */
        value = gen_make_binary(context, ops[gen_below(random, COUNT(ops))], value,
                                gen_make_expr(context, gen_u32_type(context), 0, false));
    }
    if (gen_chance(random, 40)) {
        uint32_t factor = (uint32_t)gen_random(random) | 1;
        value = gen_make_binary(context, GEN_MUL, value, gen_u32_const(context, factor));
        value = gen_make_binary(context, GEN_LSHR, value, gen_u32_const(context, 20));
    } else if (gen_chance(random, 40)) {
        value =
            gen_make_binary(context, GEN_LSHR, value, gen_u32_const(context, gen_below(random, 4)));
    }
    return gen_make_binary(context, GEN_AND, value, gen_u32_const(context, bound - 1));
}

struct gen_expr *gen_make_division(struct gen_context *context)
{
    static const enum gen_op ops[] = {GEN_EQ, GEN_NE, GEN_ULT, GEN_UGE, GEN_SLT, GEN_UGT};
    uint32_t bound = 2u << gen_below(context->random, 4);
    struct gen_expr *value = gen_make_scattered(context, bound);
    return gen_make_binary(context, ops[gen_below(context->random, COUNT(ops))], value,
                           gen_u32_const(context, gen_below(context->random, bound)));
}
