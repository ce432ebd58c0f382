/* Follows the address of an access to the phis of the loop's header, and adds up what a turn adds
 * to them. See columns.h. */
#include "compiler/analysis/columns.h"

#include "compiler/analysis/address.h"

#define DEPTH_LIMIT 10u /* instructions that are followed from an address */
#define LARGE_LOG   30  /* amounts are limited to 2^30, so that products fit */
#define LARGE       (INT64_C(1) << LARGE_LOG)
#define NEAR_BYTES  256 /* a row of this size and more is too far for the prefetch of lines */

/* By how much a turn moves a value. */
struct step {
    enum { STEP_KNOWN, STEP_OF_LAUNCH, STEP_OTHER } kind;
    int64_t amount; /* STEP_KNOWN */
};

struct walk {
    const struct geo_loops *loops;
    const struct geo_loop *loop;
    const struct geo_ir_inst *phi; /* the phi whose next value is followed; NULL: the address is */
};

static const struct step other = {STEP_OTHER, 0};

static struct step step_of(const struct walk *walk, struct geo_ir_value *value, uint32_t depth);

/* Returns the constant that a value is, as a signed number. Sets *is to false for other values. */
static int64_t constant_of(const struct geo_ir_value *value, bool *is)
{
    uint64_t bits = 0;
    *is = value->type->kind == GEO_TYPE_INT && value->type->size <= 8 &&
          geo_ir_constant_bits(value, &bits);
    uint32_t unused = *is ? 64 - 8 * (uint32_t)value->type->size : 0;
    return (int64_t)(bits << unused) >> unused;
}

static int64_t bounded(int64_t amount)
{
    return amount > LARGE ? LARGE : amount < -LARGE ? -LARGE : amount;
}

static struct step known(int64_t amount)
{
    return (struct step){STEP_KNOWN, bounded(amount)};
}

static struct step sum_of(struct step a, struct step b)
{
    if (a.kind == STEP_KNOWN && b.kind == STEP_KNOWN) {
        return known(a.amount + b.amount);
    }
    bool unknown = a.kind == STEP_OTHER || b.kind == STEP_OTHER;
    return (struct step){unknown ? STEP_OTHER : STEP_OF_LAUNCH, 0};
}

static struct step product_of(struct step a, int64_t factor)
{
    return a.kind == STEP_KNOWN ? known(a.amount * bounded(factor)) : a;
}

static bool is_inside(const struct walk *walk, struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    return inst && geo_loop_contains(walk->loops, walk->loop, inst->block);
}

/* Returns the step of a value that is added to another one, which contains the phi if one is
 * followed. */
static struct step addend_of(const struct walk *walk, struct geo_ir_value *value, uint32_t depth)
{
    bool constant;
    int64_t amount = constant_of(value, &constant);
    if (!walk->phi) {
        return step_of(walk, value, depth);
    }
    return constant                 ? known(amount)
           : is_inside(walk, value) ? other
                                    : (struct step){STEP_OF_LAUNCH, 0};
}

static struct step sum_step(const struct walk *walk, const struct geo_ir_inst *inst, uint32_t depth)
{
    uint32_t first = walk->phi && !is_inside(walk, inst->operands[0]);
    return sum_of(step_of(walk, inst->operands[first], depth),
                  addend_of(walk, inst->operands[1 - first], depth));
}

static struct step product_step(const struct walk *walk, const struct geo_ir_inst *inst,
                                uint32_t depth)
{
    struct step step = step_of(walk, inst->operands[0], depth);
    bool moves = step.kind != STEP_KNOWN || step.amount;
    bool constant;
    int64_t factor = constant_of(inst->operands[1], &constant);
    if (walk->phi || is_inside(walk, inst->operands[1])) {
        return other;
    }
    if (inst->op == SpvOpShiftLeftLogical) {
        factor = factor >= 0 && factor <= LARGE_LOG ? INT64_C(1) << factor : LARGE;
    }
    return constant                           ? product_of(step, factor)
           : moves && step.kind != STEP_OTHER ? (struct step){STEP_OF_LAUNCH, 0}
                                              : step;
}

static struct step chain_step(const struct walk *walk, const struct geo_ir_inst *inst,
                              uint32_t depth)
{
    struct step sum = step_of(walk, inst->operands[0], depth);
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        uint64_t scale = geo_address_scale(inst, i);
        struct step step = addend_of(walk, inst->operands[i], depth);
        bool moves = step.kind != STEP_KNOWN || step.amount;
        sum = sum_of(sum, scale || !moves ? product_of(step, (int64_t)scale) : other);
    }
    return sum;
}

/* Returns the step of a header's phi: the next value's difference to it. */
static struct step phi_step(const struct walk *walk, const struct geo_ir_inst *phi, uint32_t depth)
{
    const struct walk next = {walk->loops, walk->loop, phi};
    if (phi->block != walk->loop->header || walk->phi || walk->loop->latch_count != 1) {
        return other;
    }
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        if (phi->targets[i] == walk->loop->latches[0]) {
            return step_of(&next, phi->operands[i], depth);
        }
    }
    return other;
}

/* Returns by how much a turn moves a value. With walk->phi it returns the value's difference to
 * that phi, which must be a part of it. */
static struct step step_of(const struct walk *walk, struct geo_ir_value *value, uint32_t depth)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    if (!is_inside(walk, value)) {
        return walk->phi ? other : known(0);
    }
    if (inst == walk->phi) {
        return known(0);
    }
    if (depth == 0) {
        return other;
    }
    switch ((uint32_t)inst->op) {
    case SpvOpPhi:
        return phi_step(walk, inst, depth - 1);
    case SpvOpBitcast:
    case SpvOpSConvert:
    case SpvOpUConvert:
        return step_of(walk, inst->operands[0], depth - 1);
    case SpvOpIAdd:
        return sum_step(walk, inst, depth - 1);
    case SpvOpIMul:
    case SpvOpShiftLeftLogical:
        return product_step(walk, inst, depth - 1);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return chain_step(walk, inst, depth - 1);
    default:
        return other;
    }
}

bool geo_column_is(const struct geo_loops *loops, const struct geo_shapes *shapes,
                   const struct geo_loop *loop, const struct geo_ir_inst *access)
{
    const struct walk walk = {loops, loop, NULL};
    const struct geo_ir_type *data =
        access->op == SpvOpLoad ? access->value.type : access->operands[1]->type;
    struct geo_shape shape = geo_shape_of(shapes, access->operands[0]);
    if (shape.kind != GEO_SHAPE_STRIDED || shape.stride != (int64_t)data->size) {
        return false;
    }
    struct step step = step_of(&walk, access->operands[0], DEPTH_LIMIT);
    return step.kind == STEP_OF_LAUNCH ||
           (step.kind == STEP_KNOWN && (step.amount >= NEAR_BYTES || step.amount <= -NEAR_BYTES));
}
