/* Compares the time of innermost loops with once, twice and four times the lanes. See latency.h.
 *
 * A turn of a loop takes the longest of three times:
 *
 *     work    of its instructions, by the registers that their values fill. Lanes of 8 bits fill
 *             one register up to four times the lanes of 32 bits. Values beyond the processor's
 *             registers are stored and loaded.
 *     chain   from a phi of the header, which differs between lanes, around the loop to itself
 *     path    from the start of a turn to its last result, if the turn has so many instructions
 *             that the processor cannot begin the next turn meanwhile
 *
 * Chain and path stay the same with more lanes. A turn also waits for memory where it moves along
 * columns (columns.h). The numbers are those of recent x86 cores, which differ little in them. */
#include "compiler/analysis/latency.h"

#include "compiler/analysis/address.h"
#include "compiler/analysis/agreement.h"
#include "compiler/analysis/columns.h"
#include "compiler/analysis/table.h"
#include "compiler/ir/grammar.h"
#include "compiler/ir/remark.h"

#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

/* The most time per item that remains each time that the lanes are doubled. */
#define LOOPS_PERCENT 85u
#define BODY_PERCENT  80u

#define LOOPS_LANES  32u  /* most lanes of kernels with loops, unless they move along columns */
#define SIZE_LIMIT   600u /* instructions of a kernel at twice the lanes: more cost build time */
#define WINDOW       96u  /* instructions of the model that a processor looks ahead */
#define SHORT        12u  /* cycles of a turn that are too few for a gain */
#define ALWAYS       4u   /* weight of a block in each turn, against 1 for a block in some turns */
#define CHAINS_LIMIT 16u  /* phis of a header whose chains are measured */
#define DEPTH        6u   /* bound on the depth of loops that is taken into account */
#define SPILL        2u   /* half cycles of work for a register that is stored and loaded again */
#define TABLE        4u   /* half cycles to look up a register of bytes in a table */
#define SPLIT        16u  /* half cycles of a branch that splits a chunk */
#define PAGE_TIME    6u   /* cycles to find the next row of a column in the caches */
#define LINE_TIME    2u   /* cycles for each line of that row */
#define LINE_BYTES   64u
/* Items of a row for each time that a chunk takes at a border. A row has two borders, and a chunk
 * at a border begins twice and predicts branches wrongly. */
#define BORDER_ITEMS 192u

/* The numbers of lanes that are compared: once, twice and four times those of the shapes. */
#define CHOICES 3u

/* Half cycles of work for a register, or for a lane, and cycles until the result is ready. */
struct cost {
    uint32_t work, latency;
    bool by_lanes; /* the work is done lane by lane */
};

/* The arrays are by choice. */
struct turn {
    uint32_t vectors[CHOICES], scalars; /* half cycles of work */
    uint32_t count[CHOICES];            /* registers of results */
    uint32_t chain, path;               /* cycles */
    uint32_t columns[CHOICES];          /* cycles that accesses along columns wait for memory */
};

/* Facts about one function, and scratch. Arrays are by value index. */
struct state {
    const struct geo_loops *loops;
    const struct geo_shapes *shapes;
    const struct geo_latency_target *target;
    bool *seldom;   /* by block index: only chunks at a border run it */
    bool *left_out; /* by value index: only such blocks need the result */
    bool has_borders, has_columns;
    uint32_t *ready; /* the cycle of each result, since the start of the turn */
    uint32_t *since; /* 1 + cycles since the current phi; 0: it does not depend on it */
    uint32_t *last;  /* the last position in the turn that uses the value; 0: none */
};

/* The blocks of a turn. */
struct span {
    const struct geo_loop *loop; /* NULL: a kernel without loops */
    struct geo_ir_block *const *blocks;
    uint32_t count;
};

/* ---- instructions ---- */

static const struct geo_ir_type *data_type(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpStore ? inst->operands[1]->type : inst->value.type;
}

static struct cost memory_cost(const struct state *s, const struct geo_ir_inst *inst)
{
    struct geo_table table;
    if (geo_table_find(s->shapes, s->loops->cfg->function, inst, s->target->table_limit, &table)) {
        return (struct cost){TABLE, 8, false};
    }
    struct geo_shape shape = geo_shape_of(s->shapes, inst->operands[0]);
    bool near = shape.kind == GEO_SHAPE_UNIFORM ||
                inst->operands[0]->flags & GEO_VALUE_INTERLEAVED ||
                (shape.kind == GEO_SHAPE_STRIDED && shape.stride == (int64_t)data_type(inst)->size);
    if (near && shape.kind != GEO_SHAPE_VARYING) {
        return (struct cost){1, 5, false};
    }
    /* in rows that are apart, each lane has a cache line of its own to keep */
    uint32_t work = shape.kind == GEO_SHAPE_STRIDED ? 8 : s->target->gathers ? 1 : 2;
    return (struct cost){work, 5 + s->shapes->lanes, true};
}

static struct cost op_cost(const struct state *s, const struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpPhi:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpBranch:
        return (struct cost){0, 0, false};
    case SpvOpLoad:
    case SpvOpStore:
        return memory_cost(s, inst);
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case GEO_OP_GUESS_INVERSE:
    case GEO_OP_GUESS_INVERSE_ROOT:
        return (struct cost){1, 4, false};
    case SpvOpIMul:
        return (struct cost){2, 6, false};
    case SpvOpFDiv:
        return (struct cost){10, 11, false};
    case SpvOpExtInst:
        switch (inst->literals[1]) {
        case OpenCLstd_Fma:
        case OpenCLstd_Mad:
            return s->target->has_fma ? (struct cost){1, 4, false} : (struct cost){120, 60, false};
        case OpenCLstd_Sqrt:
            return (struct cost){14, 15, false};
        default:
            return (struct cost){2, 2, false};
        }
    default:
        return geo_op_is(inst->op, GEO_IS_INTEGER_DIVISION) ? (struct cost){48, 40, false}
                                                            : (struct cost){1, 1, false};
    }
}

/* Returns how many registers a value takes at a choice of lanes. Booleans are as wide as words. */
static uint32_t registers(const struct state *s, const struct geo_ir_type *type, uint32_t choice)
{
    const struct geo_ir_type *scalar = geo_ir_scalar_of(type);
    bool plain = scalar->size && scalar->size <= 8 && scalar->kind != GEO_TYPE_BOOL;
    uint32_t bits = (s->shapes->lanes << choice) * (plain ? 8 * (uint32_t)scalar->size : 32);
    return (uint32_t)geo_ir_components(type) *
           ((bits + s->target->vector_bits - 1) / s->target->vector_bits);
}

/* Returns the registers that an instruction works on: those of its result, or of a wider operand. */
static uint32_t worked(const struct state *s, const struct geo_ir_inst *inst, uint32_t choice)
{
    bool access = geo_address_is_access(inst);
    uint32_t most = data_type(inst)->kind == GEO_TYPE_BOOL || data_type(inst)->kind == GEO_TYPE_VOID
                        ? 0
                        : registers(s, data_type(inst), choice);
    for (uint32_t i = 0; !access && i < inst->operand_count; i++) {
        const struct geo_ir_type *type = inst->operands[i]->type;
        bool data = type && type->kind != GEO_TYPE_BOOL && type->kind != GEO_TYPE_VOID &&
                    type->kind != GEO_TYPE_POINTER;
        uint32_t count = data ? registers(s, type, choice) : 0;
        most = count > most ? count : most;
    }
    return most ? most : 1;
}

static bool is_varying(const struct state *s, const struct geo_ir_value *value)
{
    return geo_shape_of(s->shapes, value).kind == GEO_SHAPE_VARYING;
}

static void column_add(const struct state *s, const struct span *span,
                       const struct geo_ir_inst *inst, struct turn *turn)
{
    bool access = geo_address_is_access(inst);
    if (!access || !span->loop || s->target->rows ||
        !geo_column_is(s->loops, s->shapes, span->loop, inst)) {
        return;
    }
    for (uint32_t i = 0; i < CHOICES; i++) {
        uint32_t bytes = (s->shapes->lanes << i) * (uint32_t)data_type(inst)->size;
        turn->columns[i] += PAGE_TIME + LINE_TIME * ((bytes + LINE_BYTES - 1) / LINE_BYTES);
    }
}

/* Adds an instruction to a turn. */
static void inst_add(const struct state *s, const struct geo_ir_inst *inst, uint32_t share,
                     struct turn *turn)
{
    struct cost cost = op_cost(s, inst);
    uint32_t start = 0;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
        uint32_t at = operand ? s->ready[operand->value.index] : 0;
        start = at > start ? at : start;
    }
    s->ready[inst->value.index] = start + cost.latency;
    turn->path = start + cost.latency > turn->path ? start + cost.latency : turn->path;
    if (!is_varying(s, &inst->value) && inst->op != SpvOpStore) {
        bool splits = inst == inst->block->last && s->shapes->divergent_branch[inst->block->index];
        turn->scalars += splits ? share * SPLIT : cost.work ? share : 0;
        return;
    }
    for (uint32_t i = 0; i < CHOICES; i++) {
        uint32_t lanes = (s->shapes->lanes << i) * (uint32_t)geo_ir_components(data_type(inst));
        uint32_t count = worked(s, inst, i);
        turn->vectors[i] += share * cost.work * (cost.by_lanes ? lanes : count);
        turn->count[i] += cost.work ? share * count : 0;
    }
}

/* ---- registers ---- */

static bool is_header_phi(const struct span *span, const struct geo_ir_inst *inst)
{
    return span->loop && inst->block == span->loop->header && inst->op == SpvOpPhi;
}

static bool is_within(const struct state *s, const struct span *span,
                      const struct geo_ir_inst *inst)
{
    return !span->loop || geo_loop_contains(s->loops, span->loop, inst->block);
}

/* Adds the registers of a value, or takes them away. Accesses at addresses that vary add a scalar
 * and a vector of indexes, so pointers take none. */
static void registers_add(const struct state *s, const struct geo_ir_inst *inst,
                          uint32_t alive[CHOICES], bool away)
{
    for (uint32_t i = 0; i < CHOICES; i++) {
        uint32_t count =
            inst->value.type->kind == GEO_TYPE_POINTER ? 0 : registers(s, inst->value.type, i);
        alive[i] = away ? alive[i] - count : alive[i] + count;
    }
}

/* Sets `last` of all values that a turn uses, and adds the registers of those that are alive
 * throughout: phis of the header, and what comes from outside. */
static void uses_find(const struct state *s, const struct span *span, uint32_t alive[CHOICES])
{
    uint32_t position = 0;
    memset(s->last, 0, (s->loops->cfg->function->value_count + 1) * sizeof(*s->last));
    for (uint32_t b = 0; b < span->count; b++) {
        geo_ir_for_each_inst(inst, span->blocks[b]) {
            position++;
            if (is_header_phi(span, inst)) {
                if (is_varying(s, &inst->value)) {
                    registers_add(s, inst, alive, false);
                }
                continue;
            }
            for (uint32_t i = 0; !s->left_out[inst->value.index] && i < inst->operand_count; i++) {
                const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
                if (operand && is_varying(s, &operand->value)) {
                    if (!s->last[operand->value.index] && !is_within(s, span, operand)) {
                        registers_add(s, operand, alive, false);
                    }
                    s->last[operand->value.index] = position;
                }
            }
        }
    }
}

/* Sets `peak` to the largest number of registers that are alive at once in a turn. */
static void peak_find(const struct state *s, const struct span *span, uint32_t peak[CHOICES])
{
    uint32_t position = 0, alive[CHOICES] = {0};
    uses_find(s, span, alive);
    memcpy(peak, alive, sizeof(alive));
    for (uint32_t b = 0; b < span->count; b++) {
        geo_ir_for_each_inst(inst, span->blocks[b]) {
            position++;
            if (is_header_phi(span, inst)) {
                continue;
            }
            if (is_varying(s, &inst->value) && s->last[inst->value.index]) {
                registers_add(s, inst, alive, false);
            }
            for (uint32_t i = 0; i < CHOICES; i++) {
                peak[i] = alive[i] > peak[i] ? alive[i] : peak[i];
            }
            for (uint32_t i = 0; i < inst->operand_count; i++) {
                const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
                if (operand && s->last[operand->value.index] == position &&
                    is_within(s, span, operand) && !is_header_phi(span, operand)) {
                    registers_add(s, operand, alive, true);
                    s->last[operand->value.index] = 0;
                }
            }
        }
    }
}

/* ---- turns ---- */

/* Returns the cycles from a phi of the header around the loop to itself. Chains that start at other
 * phis run ahead and do not count. */
static uint32_t chain_of(const struct state *s, const struct geo_loop *loop,
                         const struct geo_ir_inst *phi)
{
    uint32_t *since = s->since, chain = 0;
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
            since[inst->value.index] = longest ? longest + op_cost(s, inst).latency : 0;
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

/* Sets turn->chain to the longest chain. */
static void chains_find(const struct state *s, const struct geo_loop *loop, struct turn *turn)
{
    uint32_t chains = 0;
    for (const struct geo_ir_inst *phi = loop->header->first;
         phi->op == SpvOpPhi && chains < CHAINS_LIMIT; phi = phi->next) {
        if (is_varying(s, &phi->value)) {
            uint32_t chain = chain_of(s, loop, phi);
            turn->chain = chain > turn->chain ? chain : turn->chain;
            chains++;
        }
    }
}

/* Adds all instructions to a turn. */
static void insts_add(const struct state *s, const struct span *span, struct turn *turn)
{
    const uint32_t *positions = s->loops->position;
    uint32_t beyond = 0; /* the last position in the order that an earlier block leads to */
    for (uint32_t i = 0; i < span->count; i++) {
        const struct geo_ir_block *block = span->blocks[i];
        uint32_t share = beyond > positions[block->index] ? 1 : ALWAYS;
        for (uint32_t k = 0; k < block->last->target_count; k++) {
            const struct geo_ir_block *target = block->last->targets[k];
            uint32_t position = positions[target->index];
            bool within = !span->loop || geo_loop_contains(s->loops, span->loop, target);
            beyond = within && position > beyond ? position : beyond;
        }
        geo_ir_for_each_inst(inst, block) {
            if (!is_header_phi(span, inst) && !s->left_out[inst->value.index]) {
                inst_add(s, inst, share, turn);
                column_add(s, span, inst, turn);
            }
        }
    }
}

/* Measures a turn. */
static struct turn turn_of(const struct state *s, const struct span *span)
{
    struct turn turn = {0};
    uint32_t peak[CHOICES];
    insts_add(s, span, &turn);
    if (span->loop) {
        chains_find(s, span->loop, &turn);
    }
    peak_find(s, span, peak);
    turn.scalars /= ALWAYS;
    for (uint32_t i = 0; i < CHOICES; i++) {
        uint32_t more = peak[i] > s->target->registers ? peak[i] - s->target->registers : 0;
        turn.vectors[i] = turn.vectors[i] / ALWAYS + SPILL * more;
        turn.count[i] /= ALWAYS;
    }
    return turn;
}

/* Returns the cycles of a turn at a choice of lanes. */
static uint32_t turn_time(const struct turn *turn, uint32_t choice)
{
    uint32_t count = turn->count[choice], work = (turn->vectors[choice] + turn->scalars) / 2;
    uint32_t path = count >= WINDOW ? turn->path : turn->path * count / WINDOW;
    uint32_t wait = turn->chain > path ? turn->chain : path;
    return (work > wait ? work : wait) + turn->columns[choice];
}

/* ---- borders ---- */

/* Marks the operands that an instruction needs in chunks that are not at a border. */
static void operands_need(struct state *s, const struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
        bool seldom = inst->op == SpvOpPhi && s->seldom[inst->targets[i]->index];
        if (operand && !seldom) {
            s->left_out[operand->value.index] = false;
        }
    }
}

/* Leaves out what only chunks at a border run: the second case of loads, and what it needs. A phi
 * of a loop needs a second round. */
static void borders_leave_out(struct state *s, const bool *agreed)
{
    const struct geo_cfg *cfg = s->loops->cfg;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        const struct geo_ir_inst *branch = cfg->order[i]->last;
        if (agreed[cfg->order[i]->index] && geo_agreement_asks(branch)) {
            s->seldom[branch->targets[1]->index] = true;
            s->has_borders = true;
        }
    }
    memset(s->left_out, true, (cfg->function->value_count + 1) * sizeof(*s->left_out));
    for (uint32_t round = 0; round <= s->loops->max_depth; round++) {
        for (uint32_t i = cfg->reachable_count; i > 0; i--) {
            const struct geo_ir_block *block = s->loops->order[i - 1];
            for (const struct geo_ir_inst *inst = block->last; inst; inst = inst->prev) {
                bool root = inst == block->last || geo_ir_has_effect(inst);
                bool *out = &s->left_out[inst->value.index];
                *out = *out && (!root || s->seldom[block->index]);
                if (!*out) {
                    operands_need(s, inst);
                }
            }
        }
    }
}

/* ---- kernels ---- */

static bool is_innermost(const struct geo_loops *loops, const struct geo_loop *loop)
{
    for (uint32_t i = loop->index + 1; i < loops->count; i++) {
        if (loops->loops[i]->parent == loop) {
            return false;
        }
    }
    return loop->latch_count == 1;
}

/* Adds up the times of the innermost loops. */
static void loops_measure(struct state *s, uint64_t times[CHOICES])
{
    for (uint32_t i = 0; i < s->loops->count; i++) {
        const struct geo_loop *loop = s->loops->loops[i];
        if (!is_innermost(s->loops, loop)) {
            continue;
        }
        const struct span span = {loop, loop->blocks, loop->block_count};
        struct turn turn = turn_of(s, &span);
        uint32_t shift = 3 * (loop->depth < DEPTH ? loop->depth : DEPTH);
        bool is_short = !turn.columns[0] && turn_time(&turn, 0) < SHORT;
        s->has_columns |= turn.columns[0] > 0;
        for (uint32_t k = 0; k < CHOICES; k++) {
            uint64_t time = is_short ? turn_time(&turn, 0) << k : turn_time(&turn, k);
            /* lanes that leave at different times leave more turns to others */
            uint64_t turns = s->shapes->divergent_loop[loop->index] ? 16 + k : 16;
            times[k] += time * turns << shift;
        }
    }
}

/* Returns whether most accesses are of elements of 8 and 16 bits. */
static bool is_narrow(const struct geo_ir_function *function)
{
    uint32_t narrow = 0, accesses = 0;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            if (geo_address_is_access(inst)) {
                accesses++;
                narrow += geo_ir_scalar_of(data_type(inst))->size <= 2;
            }
        }
    }
    return 2 * narrow > accesses;
}

/* Measures a kernel without loops whose elements are narrow, by its work alone: its chunks overlap,
 * so nothing waits for long. Chunks at a border are measured apart. */
static void body_measure(struct state *s, uint64_t times[CHOICES])
{
    const struct span span = {NULL, s->loops->order, s->loops->cfg->reachable_count};
    struct turn turn = turn_of(s, &span);
    for (uint32_t i = 0; i < CHOICES; i++) {
        times[i] = turn.vectors[i] + turn.scalars;
    }
    if (!s->has_borders) {
        return;
    }
    memset(s->left_out, false, (s->loops->cfg->function->value_count + 1) * sizeof(*s->left_out));
    turn = turn_of(s, &span);
    for (uint32_t i = 0; i < CHOICES; i++) {
        uint64_t lanes = (uint64_t)s->shapes->lanes << i;
        times[i] += (turn.vectors[i] + turn.scalars) * lanes / BORDER_ITEMS;
    }
}

static uint32_t size_of(const struct geo_ir_function *function)
{
    uint32_t size = 0;
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            size++;
        }
    }
    return size;
}

bool geo_latency_lanes(const struct geo_loops *loops, const struct geo_shapes *shapes,
                       const struct geo_latency_target *target, struct geo_arena *arena,
                       uint32_t *out)
{
    const struct geo_ir_function *function = loops->cfg->function;
    uint32_t size = size_of(function), values = function->value_count + 1, choice = 0;
    uint64_t times[CHOICES] = {0};
    bool *agreed = NULL;
    struct state s = {.loops = loops,
                      .shapes = shapes,
                      .target = target,
                      .seldom = geo_arena_new_array(arena, bool, loops->cfg->block_count + 1),
                      .left_out = geo_arena_new_array(arena, bool, values),
                      .ready = geo_arena_new_array(arena, uint32_t, values),
                      .since = geo_arena_new_array(arena, uint32_t, values),
                      .last = geo_arena_new_array(arena, uint32_t, values)};
    if (!s.seldom || !s.left_out || !s.ready || !s.since || !s.last ||
        !geo_agreement_find(loops, shapes, arena, &agreed)) {
        return false;
    }
    if (agreed) {
        borders_leave_out(&s, agreed);
    }
    uint32_t most = loops->count ? LOOPS_PERCENT : BODY_PERCENT;
    if (size <= SIZE_LIMIT) {
        if (loops->count) {
            loops_measure(&s, times);
        } else if (is_narrow(function)) {
            body_measure(&s, times);
        }
    }
    uint32_t limit = loops->count && !s.has_columns ? LOOPS_LANES : target->lanes_limit;
    while (choice + 1 < CHOICES && 2 * (shapes->lanes << choice) <= limit &&
           size << choice <= SIZE_LIMIT && 100 * times[choice + 1] < 2 * most * times[choice]) {
        choice++;
    }
    *out = shapes->lanes << choice;
    if (times[0]) {
        geo_remark(function, NULL, "cost",
                   "\"model\": \"latency\", \"lanes\": %u, \"times\": [%llu, %llu, %llu]",
                   shapes->lanes, (unsigned long long)times[0], (unsigned long long)times[1],
                   (unsigned long long)times[2]);
    }
    return true;
}
