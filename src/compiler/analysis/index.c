/* Finds the 32-bit indexes whose wrap an access rules out, by one forward pass through each block.
 * See index.h.
 *
 * Indexes from another block, or from an earlier iteration through a phi, are not tracked: their
 * own block has decided about them. Called by shape.c. */
#include "compiler/analysis/index.h"

#include "base/assert.h"
#include "compiler/analysis/address.h"

#define NONE       0u
#define MANY       UINT32_MAX
#define WRAP_LOG   32
#define WRAP       ((uint64_t)1 << WRAP_LOG)
#define OBJECT_MAX (WRAP - ((uint64_t)1 << 16)) /* leaves 64 KiB for the distance between lanes */
#define SCALE_MAX  ((uint64_t)1 << 31)

/* Limit for multiples of an index: elements have at most 16 bytes. */
#define WRAP_LOG_MAX 36

/* Decomposition of a value: value = known part + scale * index, where the index wraps at 2^32. */
struct lean {
    uint32_t index; /* NONE; 1 + the index's number; MANY: several indexes, or another form */
    uint32_t scale;
};

/* The check of one function's indices. */
struct check {
    struct shape_state *state;
    struct lean *leans; /* by value index */
    bool *vouched;      /* by value index: an access proves that the index does not wrap */
};

static struct lean lean_add(struct lean a, struct lean b, uint64_t scale)
{
    if (b.index == NONE) {
        return a;
    }
    if (a.index != NONE || b.index == MANY || !scale || scale * b.scale >= SCALE_MAX) {
        return (struct lean){.index = MANY};
    }
    return (struct lean){.index = b.index, .scale = (uint32_t)(b.scale * scale)};
}

static struct lean lean_of(const struct check *check, const struct geo_ir_block *block,
                           struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    return inst && inst->block == block ? check->leans[value->index] : (struct lean){NONE, 0};
}

uint32_t geo_index_log(const struct geo_ir_inst *inst)
{
    int64_t amount;
    bool shift = inst->op == SpvOpShiftRightArithmetic || inst->op == SpvOpShiftRightLogical;
    if (!shift || !geo_ranges_constant_signed(inst->operands[1], &amount)) {
        return 0;
    }
    int64_t left = (int64_t)inst->value.type->width - amount;
    return left >= WRAP_LOG && left <= WRAP_LOG_MAX ? (uint32_t)left : 0;
}

/* Returns the decomposition of an index itself: a multiple of a value that wraps at 2^32. */
static struct lean index_lean(const struct geo_ir_inst *inst)
{
    uint32_t log = geo_index_log(inst);
    return (struct lean){.index = inst->value.index + 1, .scale = log ? 1u << (log - WRAP_LOG) : 1};
}

static struct lean inst_lean(const struct check *check, const struct geo_ir_inst *inst)
{
    struct lean lean = {NONE, 0};
    if (inst->op == SpvOpPhi) {
        return lean;
    }
    if (check->state->facts[inst->value.index].leans) {
        return index_lean(inst);
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        lean = lean_add(lean, lean_of(check, inst->block, inst->operands[i]),
                        geo_address_is_access(inst) ? 0 : geo_address_scale(inst, i));
    }
    return lean;
}

/* Sets `step` to the distance of an access between neighbouring lanes, in bytes. Returns false if
 * it is unknown. */
static bool access_step(const struct check *check, const struct geo_address_access *access,
                        uint64_t *step)
{
    struct fact pointer = geo_shape_fact(check->state, access->pointer);
    int64_t stride = pointer.stride, more = 0;
    if (pointer.kind == FACT_VARYING || access->pointer->flags & GEO_VALUE_INTERLEAVED) {
        return false;
    }
    if (access->offset) {
        struct fact offset = geo_shape_fact(check->state, access->offset);
        if (offset.kind == FACT_VARYING ||
            __builtin_mul_overflow(offset.stride, (int64_t)access->scale, &more) ||
            __builtin_add_overflow(stride, more, &stride)) {
            return false;
        }
    }
    *step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    return true;
}

/* Marks the index of an access as proven, if two lanes with a wrap between them would be farther
 * apart than any object is large. */
static void access_vouches(const struct check *check, const struct geo_ir_inst *inst)
{
    struct geo_address_access access;
    uint64_t step, reach;
    if (!geo_address_access_of(inst, &access)) {
        return;
    }
    struct lean lean = lean_of(check, inst->block, access.pointer);
    if (access.offset) {
        lean = lean_add(lean, lean_of(check, inst->block, access.offset), access.scale);
    }
    if (lean.index == NONE || lean.index == MANY || !access_step(check, &access, &step)) {
        return;
    }
    uint64_t jump = WRAP * lean.scale;
    if (!__builtin_mul_overflow(step, check->state->options->lanes - 1, &reach) && reach < jump &&
        jump - reach >= OBJECT_MAX) {
        GEO_ASSERT(lean.scale && check->state->facts[lean.index - 1].leans);
        check->vouched[lean.index - 1] = true;
    }
}

static void block_vouches(const struct check *check, const struct geo_ir_block *block)
{
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        check->leans[inst->value.index] = inst_lean(check, inst);
        access_vouches(check, inst);
    }
}

bool geo_indexes_check(struct shape_state *state, bool all,
                       void (*changed)(void *data, struct geo_ir_inst *inst), void *data)
{
    uint32_t values = state->cfg->function->value_count + 1;
    struct check check = {.state = state};
    check.leans = geo_arena_new_array(state->arena, struct lean, values);
    check.vouched = geo_arena_new_array(state->arena, bool, values);
    if (!check.leans || !check.vouched) {
        return false;
    }
    for (uint32_t i = 0; i < state->cfg->reachable_count; i++) {
        const struct geo_ir_block *block = state->cfg->order[i];
        block_vouches(&check, block);
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            uint32_t index = inst->value.index;
            if (state->facts[index].leans && (all || !check.vouched[index])) {
                state->trusted[index] = false;
                changed(data, inst);
            }
        }
    }
    return true;
}
