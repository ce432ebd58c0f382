/* Compares the time of innermost loops with once and twice the lanes. See latency.h.
 *
 * A turn of a loop takes the longest of three times:
 *
 *     work    of its instructions, which is twice as much with twice the lanes
 *     chain   from a phi of the header, which differs between lanes, around the loop to itself
 *     path    from the start of a turn to its last result, if the turn has so many instructions
 *             that the processor cannot begin the next turn meanwhile
 *
 * Chain and path stay the same with twice the lanes. The numbers are those of recent x86 cores,
 * which differ little in them. */
#include "compiler/analysis/latency.h"

#include "compiler/ir/grammar.h"

#include <spirv/unified1/OpenCL.std.h>

#define SIZE_LIMIT   600u /* instructions of a kernel: larger ones would cost build time */
#define WINDOW       96u  /* instructions of the model that a processor looks ahead */
#define SHORT        12u  /* cycles of a turn that are too few for a gain */
#define ALWAYS       4u   /* weight of a block in each turn, against 1 for a block in some turns */
#define CHAINS_LIMIT 16u  /* phis of a header whose chains are measured */
#define DEPTH        6u   /* bound on the depth of loops that is taken into account */

/* Half cycles of work for a register of 32-bit elements, and cycles until the result is ready. */
struct cost {
    uint32_t work, latency;
};

/* One innermost loop. */
struct turn {
    uint32_t vectors, scalars; /* half cycles of work */
    uint32_t count;            /* instructions that are vectors */
    uint32_t chain, path;      /* cycles */
};

static struct cost memory_cost(const struct geo_shapes *shapes, const struct geo_ir_inst *inst)
{
    struct geo_shape shape = geo_shape_of(shapes, inst->operands[0]);
    const struct geo_ir_type *type =
        inst->op == SpvOpLoad ? inst->value.type : inst->operands[1]->type;
    bool near = shape.kind == GEO_SHAPE_UNIFORM ||
                inst->operands[0]->flags & GEO_VALUE_INTERLEAVED ||
                (shape.kind == GEO_SHAPE_STRIDED && shape.stride == (int64_t)type->size);
    if (near && shape.kind != GEO_SHAPE_VARYING) {
        return (struct cost){1, 5};
    }
    /* in rows that are apart, each lane has a cache line of its own to keep */
    uint32_t work = shape.kind == GEO_SHAPE_STRIDED ? 8 : 2;
    return (struct cost){work * shapes->lanes, 5 + shapes->lanes};
}

static struct cost op_cost(const struct geo_shapes *shapes, const struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpPhi:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpBranch:
        return (struct cost){0, 0};
    case SpvOpLoad:
    case SpvOpStore:
        return memory_cost(shapes, inst);
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case GEO_OP_GUESS_INVERSE:
    case GEO_OP_GUESS_INVERSE_ROOT:
        return (struct cost){1, 4};
    case SpvOpIMul:
        return (struct cost){2, 6};
    case SpvOpFDiv:
        return (struct cost){10, 11};
    case SpvOpExtInst:
        switch (inst->literals[1]) {
        case OpenCLstd_Fma:
        case OpenCLstd_Mad:
            return (struct cost){1, 4};
        case OpenCLstd_Sqrt:
            return (struct cost){14, 15};
        default:
            return (struct cost){2, 2};
        }
    default:
        return geo_op_is(inst->op, GEO_IS_INTEGER_DIVISION) ? (struct cost){64, 30}
                                                            : (struct cost){1, 1};
    }
}

/* Returns how many registers of 32-bit elements a value takes with `lanes` of these. */
static uint32_t registers(const struct geo_ir_type *type)
{
    uint32_t components = type->kind == GEO_TYPE_VECTOR ? (uint32_t)type->count : 1;
    return geo_ir_scalar_of(type)->size > 4 ? 2 * components : components;
}

/* The cycle of each result in a turn, by value index. */
struct times {
    uint32_t *ready; /* since the start of the turn */
    uint32_t *since; /* 1 + cycles since the current phi; 0: it does not depend on it */
};

/* Adds an instruction to a turn. */
static void inst_add(const struct geo_shapes *shapes, const struct geo_ir_inst *inst,
                     uint32_t share, const struct times *times, struct turn *turn)
{
    struct cost cost = op_cost(shapes, inst);
    uint32_t start = 0;
    bool vector =
        geo_shape_of(shapes, &inst->value).kind == GEO_SHAPE_VARYING || inst->op == SpvOpStore;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
        uint32_t at = operand ? times->ready[operand->value.index] : 0;
        start = at > start ? at : start;
    }
    times->ready[inst->value.index] = start + cost.latency;
    turn->path = start + cost.latency > turn->path ? start + cost.latency : turn->path;
    if (vector) {
        turn->vectors += share * cost.work * registers(inst->value.type);
        turn->count += cost.work ? share : 0;
    } else {
        turn->scalars += cost.work ? share : 0;
    }
}

/* Returns the cycles from a phi of the header around the loop to itself. Chains that start at other
 * phis run ahead and do not count. */
static uint32_t chain_of(const struct geo_shapes *shapes, const struct geo_loop *loop,
                         const struct geo_ir_inst *phi, const struct times *times)
{
    uint32_t *since = times->since, chain = 0;
    for (const struct geo_ir_inst *other = loop->header->first; other->op == SpvOpPhi;
         other = other->next) {
        since[other->value.index] = other == phi;
    }
    for (uint32_t i = 0; i < loop->block_count; i++) {
        const struct geo_ir_block *block = loop->blocks[i];
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (block == loop->header && inst->op == SpvOpPhi) {
                continue;
            }
            uint32_t longest = 0;
            for (uint32_t k = 0; k < inst->operand_count; k++) {
                const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[k]);
                uint32_t at = operand ? since[operand->value.index] : 0;
                longest = at > longest ? at : longest;
            }
            since[inst->value.index] = longest ? longest + op_cost(shapes, inst).latency : 0;
        }
    }
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        const struct geo_ir_inst *around = geo_ir_as_inst(phi->operands[i]);
        if (around && phi->targets[i] == loop->latches[0] && since[around->value.index]) {
            chain = since[around->value.index] - 1;
        }
    }
    return chain;
}

/* Measures a loop. */
static struct turn turn_of(const struct geo_loops *loops, const struct geo_shapes *shapes,
                           const struct geo_loop *loop, const struct times *times)
{
    struct turn turn = {0};
    uint32_t beyond = 0; /* the last position in the order that an earlier block leads to */
    for (uint32_t i = 0; i < loop->block_count; i++) {
        const struct geo_ir_block *block = loop->blocks[i];
        uint32_t share = beyond > loops->position[block->index] ? 1 : ALWAYS;
        for (uint32_t k = 0; k < block->last->target_count; k++) {
            const struct geo_ir_block *target = block->last->targets[k];
            uint32_t position = loops->position[target->index];
            beyond =
                geo_loop_contains(loops, loop, target) && position > beyond ? position : beyond;
        }
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (block != loop->header || inst->op != SpvOpPhi) {
                inst_add(shapes, inst, share, times, &turn);
            }
        }
    }
    uint32_t chains = 0;
    for (const struct geo_ir_inst *phi = loop->header->first;
         phi->op == SpvOpPhi && chains < CHAINS_LIMIT; phi = phi->next) {
        if (geo_shape_of(shapes, &phi->value).kind == GEO_SHAPE_VARYING) {
            uint32_t chain = chain_of(shapes, loop, phi, times);
            turn.chain = chain > turn.chain ? chain : turn.chain;
            chains++;
        }
    }
    turn.vectors /= ALWAYS;
    turn.scalars /= ALWAYS;
    turn.count /= ALWAYS;
    return turn;
}

/* Returns the cycles of a turn with `times` the lanes. */
static uint32_t turn_time(const struct turn *turn, uint32_t times)
{
    uint32_t count = times * turn->count, work = (times * turn->vectors + turn->scalars) / 2;
    uint32_t path = count >= WINDOW ? turn->path : turn->path * count / WINDOW;
    uint32_t wait = turn->chain > path ? turn->chain : path;
    return work > wait ? work : wait;
}

static bool is_innermost(const struct geo_loops *loops, const struct geo_loop *loop)
{
    for (uint32_t i = loop->index + 1; i < loops->count; i++) {
        if (loops->loops[i]->parent == loop) {
            return false;
        }
    }
    return loop->latch_count == 1;
}

bool geo_latency_wants_lanes(const struct geo_loops *loops, const struct geo_shapes *shapes,
                             struct geo_arena *arena, bool *out)
{
    const struct geo_ir_function *function = loops->cfg->function;
    uint64_t once = 0, twice = 0;
    uint32_t size = 0;
    *out = false;
    geo_ir_for_each_block(block, function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            size++;
        }
    }
    if (loops->count == 0 || size > SIZE_LIMIT) {
        return true;
    }
    struct times times = {geo_arena_new_array(arena, uint32_t, function->value_count + 1),
                          geo_arena_new_array(arena, uint32_t, function->value_count + 1)};
    if (!times.ready || !times.since) {
        return false;
    }
    for (uint32_t i = 0; i < loops->count; i++) {
        const struct geo_loop *loop = loops->loops[i];
        if (!is_innermost(loops, loop)) {
            continue;
        }
        struct turn turn = turn_of(loops, shapes, loop, &times);
        uint32_t shift = 3 * (loop->depth < DEPTH ? loop->depth : DEPTH);
        uint32_t short_time = turn_time(&turn, 1), long_time = turn_time(&turn, 2);
        once += (uint64_t)short_time << shift;
        twice += (uint64_t)(short_time < SHORT ? 2 * short_time : long_time) << shift;
    }
    *out = 5 * twice < 8 * once; /* at least a fifth less per item */
    return true;
}
