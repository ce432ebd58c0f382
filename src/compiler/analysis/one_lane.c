/* Compares the work of a chunk with that of its items one after another. See one_lane.h.
 *
 * A chunk runs a block if one of its lanes does, and a loop until its last lane leaves. Accesses at
 * addresses that vary take each lane's time. Items run only their own blocks, but each operation
 * for each item, and they mispredict branches. The numbers are those of recent x86 cores. */
#include "compiler/analysis/one_lane.h"

#include "compiler/analysis/address.h"
#include "compiler/analysis/shared_row.h"
#include "compiler/analysis/table.h"
#include "compiler/ir/grammar.h"
#include "compiler/ir/remark.h"

#include <spirv/unified1/OpenCL.std.h>

/* Quarter cycles of an operation: of a register of 512 bits, and of one item. */
struct price {
    uint32_t vector, scalar;
};

/* Items must save a fifth of the time, and nearly half of a chunk's work must be done lane by lane.
 * Other work is fast in lanes even if few are active. */
#define GAIN_TIMES    5u
#define GAIN_PART     4u
#define LANES_PERCENT 45u

#define ONCE        4096u /* the frequency of the first block */
#define TURNS       8u    /* of a loop, for one item */
#define DEPTH_LIMIT 4u    /* bound on the depth of loops whose turns count, so that sums fit */
#define MISS        10u   /* quarter cycles that an item waits for a branch, in the mean */
#define MISSES      8u    /* bound on the targets of a switch that make it wait longer */
#define COUNTER     36u /* of a lane's operation on local memory, which waits for the one before */
#define TABLE       12u /* of a chunk, to look up bytes in a table in registers */
#define SPLIT       8u  /* of a chunk, for a branch that splits it */

struct state {
    const struct geo_loops *loops;
    const struct geo_shapes *shapes;
    const struct geo_one_lane_target *target;
    uint64_t *chunk, *item; /* by block index: how often it runs, in units of 1 / ONCE */
    /* quarter cycles; lane_work is the part of chunk_work that is done lane by lane in loops that
       lanes leave at different times, or by counters in local memory */
    uint64_t chunk_work, item_work, lane_work;
};

/* ---- how often blocks run ---- */

/* Returns how often a chunk turns while its items turn four times in the mean. */
static uint64_t turns_of_chunk(uint32_t lanes)
{
    return lanes >= 32 ? 9 : lanes >= 16 ? 8 : lanes >= 8 ? 7 : 6;
}

/* Enters a loop: multiplies the frequency of its header. Its exits together run as often as it is
 * entered. Lanes that walk along a row together turn as often as the chunk. */
static void loop_enter(const struct state *s, const struct geo_loop *loop)
{
    uint64_t *item = &s->item[loop->header->index], *chunk = &s->chunk[loop->header->index];
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        s->item[loop->exits[i].to->index] += *item / loop->exit_count;
        s->chunk[loop->exits[i].to->index] += *chunk / loop->exit_count;
    }
    if (loop->depth <= DEPTH_LIMIT) {
        *item *= TURNS;
        *chunk *= TURNS;
        if (s->shapes->divergent_loop[loop->index] &&
            !geo_shared_row_walks(s->loops, s->shapes, loop)) {
            *chunk = *chunk * turns_of_chunk(s->shapes->lanes) / 4;
        }
    }
}

/* Adds a block's frequency to the blocks that follow it in its loop. A chunk that splits runs them
 * all. */
static void edges_follow(const struct state *s, const struct geo_ir_block *block)
{
    const struct geo_loop *loop = s->loops->of[block->index];
    const struct geo_cfg_edges *edges = &s->loops->cfg->succs[block->index];
    bool split = s->shapes->divergent_branch[block->index];
    uint32_t inside = 0;
    for (uint32_t i = 0; i < edges->count; i++) {
        inside += !loop || geo_loop_contains(s->loops, loop, edges->blocks[i]);
    }
    for (uint32_t i = 0; i < edges->count; i++) {
        const struct geo_ir_block *to = edges->blocks[i];
        if (!loop || (to != loop->header && geo_loop_contains(s->loops, loop, to))) {
            s->item[to->index] += s->item[block->index] / inside;
            s->chunk[to->index] += s->chunk[block->index] / (split ? 1 : inside);
        }
    }
}

static void frequencies_find(const struct state *s)
{
    const struct geo_loops *loops = s->loops;
    s->item[loops->order[0]->index] = ONCE;
    s->chunk[loops->order[0]->index] = ONCE;
    for (uint32_t i = 0; i < loops->cfg->reachable_count; i++) {
        const struct geo_ir_block *block = loops->order[i];
        const struct geo_loop *loop = loops->of[block->index];
        bool header = loop && loop->header == block;
        const struct geo_loop *around = header ? loop->parent : loop;
        /* both sides of a split lead here */
        uint64_t most = around ? s->chunk[around->header->index] : ONCE;
        s->chunk[block->index] = s->chunk[block->index] < most ? s->chunk[block->index] : most;
        if (header) {
            loop_enter(s, loop);
        }
        edges_follow(s, block);
    }
}

/* ---- prices ---- */

static struct price op_price(const struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpPhi:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpVariable:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return (struct price){0, 0};
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return (struct price){1, 0};
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
        return (struct price){2, 2};
    case SpvOpIMul:
        return (struct price){4, 4};
    case SpvOpFDiv:
        return (struct price){20, 16};
    case SpvOpExtInst:
        switch (inst->literals[1]) {
        case OpenCLstd_Fma:
        case OpenCLstd_Mad:
            return (struct price){2, 2};
        case OpenCLstd_Sqrt:
            return (struct price){28, 18};
        default:
            return (struct price){6, 8};
        }
    default:
        return geo_op_is(inst->op, GEO_IS_INTEGER_DIVISION) ? (struct price){96, 24}
                                                            : (struct price){2, 1};
    }
}

static const struct geo_ir_type *data_type(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpStore ? inst->operands[1]->type : inst->value.type;
}

static uint32_t registers(const struct state *s, const struct geo_ir_type *type)
{
    const struct geo_ir_type *scalar = geo_ir_scalar_of(type);
    bool plain = scalar->size && scalar->size <= 8 && scalar->kind != GEO_TYPE_BOOL;
    uint32_t bits = s->shapes->lanes * (plain ? 8 * (uint32_t)scalar->size : 32);
    return (uint32_t)geo_ir_components(type) *
           ((bits + s->target->vector_bits - 1) / s->target->vector_bits);
}

static bool is_private(const struct geo_ir_value *pointer)
{
    return pointer->type->storage == SpvStorageClassFunction;
}

/* Returns whether lanes leave a loop around the block at different times. */
static bool is_in_divergent_loop(const struct state *s, const struct geo_ir_block *block)
{
    const struct geo_loop *loop = s->loops->of[block->index];
    while (loop && !s->shapes->divergent_loop[loop->index]) {
        loop = loop->parent;
    }
    return loop != NULL;
}

/* Adds a load or store. */
static void access_add(struct state *s, const struct geo_ir_inst *inst, uint64_t chunk,
                       uint64_t item)
{
    const struct geo_ir_value *pointer = inst->operands[0];
    const struct geo_ir_type *type = data_type(inst);
    struct geo_shape shape = geo_shape_of(s->shapes, pointer);
    uint32_t count = (uint32_t)geo_ir_components(type);
    bool load = inst->op == SpvOpLoad;
    s->item_work += item * (load ? 2 : 4);
    if (shape.kind == GEO_SHAPE_UNIFORM) {
        s->chunk_work += chunk * (load ? 2 : 4);
        return;
    }
    uint64_t size = geo_ir_scalar_of(type)->size;
    if (!geo_shape_is_apart(s->shapes, pointer, size)) {
        s->chunk_work += chunk * registers(s, type) * (load ? 3 : 6);
        return;
    }
    struct geo_table table;
    if (geo_table_find(s->shapes, s->loops->cfg->function, inst, s->target->table_limit, &table)) {
        s->chunk_work += chunk * TABLE;
        return;
    }
    bool instruction = load ? s->target->gathers : s->target->scatters;
    uint32_t lane = is_private(pointer) ? 8 : instruction ? (load ? 6 : 8) : (load ? 8 : 12);
    uint64_t work = chunk * (lane + 2 * (count - 1)) * s->shapes->lanes;
    s->chunk_work += work;
    s->lane_work += is_in_divergent_loop(s, inst->block) ? work : 0;
}

static void atomic_add(struct state *s, const struct geo_ir_inst *inst, uint64_t chunk,
                       uint64_t item)
{
    const struct geo_ir_value *pointer = inst->operands[0];
    bool local = pointer->type->storage == SpvStorageClassWorkgroup;
    bool lanes = geo_shape_of(s->shapes, pointer).kind == GEO_SHAPE_VARYING;
    uint64_t work = chunk * (local ? COUNTER : 80) * (lanes ? s->shapes->lanes : 1);
    s->chunk_work += work;
    s->lane_work += local && lanes ? work : 0;
    s->item_work += item * (local ? 6 : 80);
}

static void branch_add(struct state *s, const struct geo_ir_inst *inst, uint64_t chunk,
                       uint64_t item)
{
    bool split = s->shapes->divergent_branch[inst->block->index];
    if (inst->target_count > 1) {
        uint32_t others = inst->target_count - 1;
        s->chunk_work += chunk * (split ? SPLIT * others : 2);
        s->item_work += item * (split ? MISS * (others < MISSES ? others : MISSES) : 2);
    }
}

static void inst_add(struct state *s, const struct geo_ir_inst *inst)
{
    uint64_t chunk = s->chunk[inst->block->index], item = s->item[inst->block->index];
    if (geo_address_is_access(inst)) {
        access_add(s, inst, chunk, item);
        return;
    }
    if (inst == inst->block->last) {
        branch_add(s, inst, chunk, item);
        return;
    }
    if (geo_op_is(inst->op, GEO_IS_ATOMIC) && inst->operand_count &&
        inst->operands[0]->type->kind == GEO_TYPE_POINTER) {
        atomic_add(s, inst, chunk, item);
        return;
    }
    struct price price = op_price(inst);
    uint64_t scalar = price.scalar * geo_ir_components(inst->value.type);
    /* cores have more units for shorter registers */
    uint64_t quarters = s->target->vector_bits >= 512 ? 4 : s->target->vector_bits >= 256 ? 3 : 2;
    uint64_t vector = price.vector * registers(s, inst->value.type) * quarters / 4;
    bool varying = geo_shape_of(s->shapes, &inst->value).kind == GEO_SHAPE_VARYING;
    s->item_work += item * scalar;
    s->chunk_work += chunk * (varying ? vector : scalar);
}

bool geo_one_lane_pays(const struct geo_loops *loops, const struct geo_shapes *shapes,
                       const struct geo_one_lane_target *target, struct geo_arena *arena, bool *out)
{
    uint32_t blocks = loops->cfg->block_count + 1;
    struct state s = {.loops = loops,
                      .shapes = shapes,
                      .target = target,
                      .chunk = geo_arena_new_array(arena, uint64_t, blocks),
                      .item = geo_arena_new_array(arena, uint64_t, blocks)};
    if (!s.chunk || !s.item) {
        return false;
    }
    frequencies_find(&s);
    for (uint32_t i = 0; i < loops->cfg->reachable_count; i++) {
        geo_ir_for_each_inst(inst, loops->order[i]) {
            inst_add(&s, inst);
        }
    }
    *out = 100 * s.lane_work > LANES_PERCENT * s.chunk_work &&
           GAIN_TIMES * s.item_work * shapes->lanes < GAIN_PART * s.chunk_work;
    geo_remark(loops->cfg->function, NULL, "cost",
               "\"model\": \"one lane\", \"lanes\": %u, \"chunk\": %llu, \"items\": %llu, "
               "\"lane_by_lane\": %llu",
               shapes->lanes, (unsigned long long)(s.chunk_work / ONCE),
               (unsigned long long)(s.item_work * shapes->lanes / ONCE),
               (unsigned long long)(s.lane_work / ONCE));
    return true;
}
