/* Decides where tiles are legal, and how many members are profitable.
 *
 * The estimate considers the innermost loops. An iteration takes an untiled chunk as long as its
 * work, or as the longest dependency chain around the loop, whichever is longer. In a tile of T
 * members, each member takes 1/T of the chain's time and of the shared work:
 *
 *     max(chain, apart + shared)    against    max(chain / T, apart + shared / T)
 *
 * Vectors that are live around the loop must stay in registers; values that are apart need one per
 * member. Addresses and counters that do not fit into registers are reloaded once an iteration. */
#include "compiler/analysis/tiles.h"

#include "base/assert.h"
#include "compiler/analysis/address.h"
#include "compiler/ir/grammar.h"

#include <spirv/unified1/OpenCL.std.h>

/* Size of a joint access in each lane: a cache line. */
#define JOINT_BYTES 64u
/* Distance between lanes, in elements, up to which loading rows and extracting is still better. */
#define NEAR_LANES 4

/* Required gain in percent. Registers for temporaries of an iteration. General registers for
 * addresses and counters. Half cycles of a row that is in another cache line in each iteration: it
 * comes from the second-level cache, which local memory does not. */
#define GAIN_NEEDED    130u
#define TURN_REGISTERS 4u
#define SCALARS        14u
#define LINE_WORK      8u
/* Bound on the phis whose chains are followed: more would not fit into registers. */
#define CHAINS_LIMIT 32u

/* ---- values that differ between members ---- */

static bool is_apart(const struct geo_tiles *tiles, const struct geo_ir_value *value)
{
    return (value->kind == GEO_VALUE_INST || value->kind == GEO_VALUE_PARAMETER) &&
           tiles->apart[value->index];
}

/* Returns whether index.h may prove too little for a tile: where lanes may be inactive, an access
 * proves the indexes of some members only. */
static bool may_vouch_for_less(const struct geo_tile_options *options)
{
    bool divergent = false;
    for (uint32_t i = 0; i < options->loops->cfg->block_count; i++) {
        divergent |= options->shapes->divergent_block[i];
    }
    return options->large_objects || divergent;
}

bool geo_tiles_find(const struct geo_tile_options *options, struct geo_arena *arena,
                    struct geo_tiles *out)
{
    GEO_ASSERT(options->direction != GEO_SHAPE_NO_TILE && options->shapes->lanes > 1);
    const struct geo_loops *loops = options->loops;
    const struct geo_ir_function *function = loops->cfg->function;
    struct geo_shapes shapes;
    const struct geo_shape_options asked = {.lanes = GEO_TILE_LIMIT,
                                            .group = true,
                                            .tile = options->direction,
                                            .ids_fit_31_bits = options->ids_fit_31_bits,
                                            .large_objects = may_vouch_for_less(options)};
    *out = (struct geo_tiles){
        .options = *options,
        .apart = geo_arena_new_array(arena, bool, function->value_count + 1),
        .steps = geo_arena_new_array(arena, int64_t, function->value_count + 1),
        .agree = geo_arena_new_array(arena, bool, loops->cfg->block_count + 1),
    };
    if (!out->apart || !out->steps || !out->agree ||
        !geo_shapes_compute(loops, &asked, arena, &shapes)) {
        return false;
    }
    for (uint32_t i = 0; i < function->value_count; i++) {
        out->apart[i] = shapes.values[i].kind != GEO_SHAPE_UNIFORM;
        out->differ |= out->apart[i];
        out->steps[i] = shapes.values[i].kind == GEO_SHAPE_STRIDED ? shapes.values[i].stride : 0;
    }
    return true;
}

bool geo_tile_is_joint(const struct geo_tiles *tiles, const struct geo_ir_inst *inst)
{
    if (!geo_address_is_access(inst) || inst->memory_flags & SpvMemoryAccessVolatileMask ||
        inst->operands[0]->flags & GEO_VALUE_INTERLEAVED) {
        return false;
    }
    const struct geo_ir_value *pointer = inst->operands[0];
    const struct geo_ir_type *type =
        inst->op == SpvOpLoad ? inst->value.type : inst->operands[1]->type;
    bool scalar = type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT;
    if (!scalar || !is_apart(tiles, pointer) ||
        tiles->steps[pointer->index] != (int64_t)type->size) {
        return false;
    }
    struct geo_shape lanes = geo_shape_of(tiles->options.shapes, pointer);
    int64_t near = NEAR_LANES * (int64_t)type->size;
    return lanes.kind == GEO_SHAPE_VARYING ||
           (lanes.kind == GEO_SHAPE_STRIDED && (lanes.stride > near || lanes.stride < -near));
}

/* ---- legality ---- */

/* Returns whether an instruction excludes tiles: members would have to run one after the other, or
 * differ in more than values. */
static bool forbids(const struct geo_ir_inst *inst)
{
    if (inst == inst->block->last || inst->op == SpvOpControlBarrier) {
        return false;
    }
    if (inst->op == SpvOpStore) {
        return inst->memory_flags & SpvMemoryAccessVolatileMask;
    }
    return inst->op == SpvOpVariable || geo_ir_has_effect(inst) ||
           geo_op_is(inst->op, GEO_IS_CALL | GEO_IS_ATOMIC | GEO_IS_GROUP);
}

static struct geo_ir_block *block_of(const struct geo_tiles *tiles,
                                     const struct geo_tile_body *body, uint32_t i)
{
    GEO_ASSERT(i < body->count && (body->positions ? body->positions[i] : i) <
                                      tiles->options.loops->cfg->reachable_count);
    return tiles->options.loops->order[body->positions ? body->positions[i] : i];
}

/* Checks a body, and notes the branches at which members must agree. Outside of loops, all
 * predecessors of a block come before it, so `effects` covers every path. */
static bool is_legal(struct geo_tiles *tiles, const struct geo_tile_body *body)
{
    bool effects = false;
    for (uint32_t i = 0; i < body->count; i++) {
        const struct geo_ir_block *block = block_of(tiles, body, i);
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (forbids(inst)) {
                return false;
            }
            effects |= inst->op == SpvOpStore;
        }
        bool asked = tiles->options.loops->cfg->succs[block->index].count > 1 &&
                     is_apart(tiles, block->last->operands[0]);
        if (asked && (effects || tiles->options.loops->of[block->index])) {
            return false;
        }
        tiles->agree[block->index] = asked;
    }
    return true;
}

/* ---- cost of an instruction ---- */

static uint32_t components(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ? type->count : 1;
}

/* Cost of one component: half cycles of work, and cycles until the result is ready. */
struct cost {
    uint32_t work, latency;
};

static struct cost op_cost(const struct geo_tiles *tiles, const struct geo_ir_inst *inst)
{
    const struct geo_shapes *shapes = tiles->options.shapes;
    switch ((uint32_t)inst->op) {
    case SpvOpPhi:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpCompositeConstruct:
    case SpvOpVectorShuffle:
        return (struct cost){0, 0};
    case SpvOpLoad:
    case SpvOpStore: {
        enum geo_shape_kind kind = geo_shape_of(shapes, inst->operands[0]).kind;
        bool near = inst->operands[0]->type->storage == SpvStorageClassWorkgroup;
        uint32_t row = kind == GEO_SHAPE_STRIDED && inst->op == SpvOpLoad && !near ? LINE_WORK : 1;
        return (struct cost){kind == GEO_SHAPE_VARYING ? 2 * shapes->lanes : row, 5};
    }
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
        return (struct cost){1, 4};
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
        return (struct cost){16, 15};
    case SpvOpExtInst:
        return inst->literals[1] == OpenCLstd_Fma || inst->literals[1] == OpenCLstd_Mad
                   ? (struct cost){1, 4}
                   : (struct cost){16, 15};
    default:
        return geo_op_is(inst->op, GEO_IS_INTEGER_DIVISION) ? (struct cost){32, 20}
                                                            : (struct cost){1, 1};
    }
}

static struct cost inst_cost(const struct geo_tiles *tiles, const struct geo_ir_inst *inst)
{
    struct cost cost = op_cost(tiles, inst);
    cost.work *= components(inst->value.type);
    return cost;
}

/* ---- one innermost loop ---- */

/* The estimated cost of one iteration of a loop. `apart`: per member; `shared`: once for all
 * members. */
struct turn {
    uint32_t apart, shared; /* half cycles of work */
    uint32_t chain;         /* cycles of the longest dependency chain around the loop */
    uint32_t apart_vectors, shared_vectors; /* registers that are live around the loop */
    uint32_t apart_scalars, shared_scalars;
};

/* The estimate for one loop. */
struct estimate {
    struct geo_tiles *tiles;
    const struct geo_loop *loop;
    uint32_t *chains; /* by value index: 1 + cycles since the current phi; 0: not on a chain */
    uint32_t *seen;   /* by value index: 1 + index of the loop that counted it */
    struct turn turn;
};

static void count_live(struct estimate *e, const struct geo_ir_value *value)
{
    if ((value->kind != GEO_VALUE_INST && value->kind != GEO_VALUE_PARAMETER) ||
        e->seen[value->index] == e->loop->index + 1) {
        return;
    }
    e->seen[value->index] = e->loop->index + 1;
    bool apart = is_apart(e->tiles, value);
    bool vector = geo_shape_of(e->tiles->options.shapes, value).kind == GEO_SHAPE_VARYING;
    uint32_t *count = vector  ? apart ? &e->turn.apart_vectors : &e->turn.shared_vectors
                      : apart ? &e->turn.apart_scalars
                              : &e->turn.shared_scalars;
    *count += components(value->type);
}

static void note_inst(struct estimate *e, const struct geo_ir_inst *inst)
{
    struct cost cost = inst_cost(e->tiles, inst);
    bool apart = is_apart(e->tiles, &inst->value) || inst->op == SpvOpStore;
    *(apart ? &e->turn.apart : &e->turn.shared) += cost.work;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_inst *operand = geo_ir_as_inst(inst->operands[i]);
        if (!operand || !geo_loop_contains(e->tiles->options.loops, e->loop, operand->block)) {
            count_live(e, inst->operands[i]);
        }
    }
}

/* Visits the loop's instructions in order, except for the header's phis. */
static void for_each_inst(struct estimate *e,
                          void (*visit)(struct estimate *e, const struct geo_ir_inst *inst))
{
    for (uint32_t i = 0; i < e->loop->block_count; i++) {
        const struct geo_ir_block *block = e->loop->blocks[i];
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (inst->op != SpvOpPhi || block != e->loop->header) {
                visit(e, inst);
            }
        }
    }
}

/* ---- dependency chains ---- */

static uint32_t chain_of(const struct estimate *e, const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_INST ? e->chains[value->index] : 0;
}

static void chain_pass(struct estimate *e, const struct geo_ir_inst *inst)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        uint32_t chain = chain_of(e, inst->operands[i]);
        longest = chain > longest ? chain : longest;
    }
    bool apart = is_apart(e->tiles, &inst->value);
    e->chains[inst->value.index] =
        longest && apart ? longest + inst_cost(e->tiles, inst).latency : 0;
}

/* Measures the chain from a phi back to itself. Chains that start at other phis run ahead and are
 * not added. */
static void note_chain(struct estimate *e, const struct geo_ir_inst *phi)
{
    const struct geo_loops *loops = e->tiles->options.loops;
    const struct geo_ir_inst *other = e->loop->header->first;
    for (; other && other->op == SpvOpPhi; other = other->next) {
        e->chains[other->value.index] = other == phi;
    }
    for_each_inst(e, chain_pass);
    for (uint32_t i = 0; i < phi->operand_count; i++) {
        uint32_t chain = chain_of(e, phi->operands[i]);
        if (geo_loop_contains(loops, e->loop, phi->targets[i]) && chain > e->turn.chain + 1) {
            e->turn.chain = chain - 1;
        }
    }
}

static void estimate_turn(struct estimate *e)
{
    const struct geo_ir_inst *first = e->loop->header->first;
    uint32_t chains = 0;
    e->turn = (struct turn){.shared = 2}; /* the loop's own branch and counter */
    for (const struct geo_ir_inst *phi = first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        count_live(e, &phi->value);
    }
    for_each_inst(e, note_inst);
    for (const struct geo_ir_inst *phi = first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        if (is_apart(e->tiles, &phi->value) && chains++ < CHAINS_LIMIT) {
            note_chain(e, phi);
        }
    }
}

/* Returns the time of an iteration per member, in 64ths of a cycle. */
static uint64_t turn_time(const struct turn *turn, uint32_t members)
{
    uint64_t scalars = (uint64_t)turn->apart_scalars * members + turn->shared_scalars;
    uint64_t loaded = scalars > SCALARS ? scalars - SCALARS : 0;
    uint64_t chain = (uint64_t)64 * turn->chain / members;
    uint64_t work = (uint64_t)32 * turn->apart + 32 * (turn->shared + loaded) / members;
    return chain > work ? chain : work;
}

static bool turn_fits(const struct geo_tiles *tiles, const struct turn *turn, uint32_t members)
{
    return turn->apart_vectors * members + turn->shared_vectors + TURN_REGISTERS <=
           tiles->options.registers;
}

/* Returns the gain in percent that doubling to `members` must bring. The largest tile generates
 * much code, even twice where groups may be lower than a tile (lower/cpu/function/tiles.c). */
static uint32_t gain_wanted(uint32_t members)
{
    return members == GEO_TILE_LIMIT ? 110 : 105;
}

/* Returns the largest number of members that fits into registers and still gains enough over half
 * as many. */
static uint32_t turn_members(const struct geo_tiles *tiles, const struct turn *turn)
{
    uint32_t members = 1;
    while (2 * members <= GEO_TILE_LIMIT && turn_fits(tiles, turn, 2 * members) &&
           turn_time(turn, members) * 100 >=
               turn_time(turn, 2 * members) * gain_wanted(2 * members)) {
        members *= 2;
    }
    GEO_ASSERT(members <= GEO_TILE_LIMIT);
    bool pays = turn_time(turn, 1) * 100 >= turn_time(turn, members) * GAIN_NEEDED;
    return pays ? members : 1;
}

/* ---- bodies ---- */

static bool is_innermost(const struct geo_loops *loops, const struct geo_loop *loop)
{
    for (uint32_t i = 0; i < loop->block_count; i++) {
        if (loops->of[loop->blocks[i]->index] != loop) {
            return false;
        }
    }
    return true;
}

static bool is_inside(const struct geo_loops *loops, const struct geo_tile_body *body,
                      const struct geo_loop *loop)
{
    uint32_t first = loops->position[loop->header->index], found = 0;
    for (uint32_t i = 0; i < body->count; i++) {
        uint32_t at = body->positions ? body->positions[i] : i;
        found += at >= first && at - first < loop->block_count;
    }
    return found == loop->block_count;
}

/* Returns whether an access is outside of local memory. Local memory is in the first-level cache,
 * where gathers do not stall, so tiles for it cost more than they save. */
static bool is_far(const struct geo_ir_inst *inst)
{
    return inst->operands[0]->type->storage != SpvStorageClassWorkgroup;
}

/* Returns the number of members for a body without loops: as many as make cache lines of its joint
 * accesses, limited by registers. */
static uint32_t joint_members(const struct geo_tiles *tiles, const struct geo_tile_body *body)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < body->count; i++) {
        const struct geo_ir_block *block = block_of(tiles, body, i);
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            if (geo_tile_is_joint(tiles, inst) && is_far(inst)) {
                const struct geo_ir_value *value =
                    inst->op == SpvOpLoad ? &inst->value : inst->operands[1];
                largest = value->type->size > largest ? value->type->size : largest;
            }
        }
    }
    uint32_t members = GEO_TILE_LIMIT;
    while (largest && (members * largest > JOINT_BYTES || 2 * members > tiles->options.registers)) {
        members /= 2;
    }
    return largest ? members : 1;
}

uint32_t geo_tile_members(struct geo_tiles *tiles, const struct geo_tile_body *body,
                          struct geo_arena *arena)
{
    const struct geo_loops *loops = tiles->options.loops;
    uint32_t values = loops->cfg->function->value_count + 1, members = 0;
    if (!is_legal(tiles, body)) {
        return 1;
    }
    if (tiles->options.forced) {
        uint32_t forced = tiles->options.forced;
        forced = forced > GEO_TILE_LIMIT ? GEO_TILE_LIMIT : forced;
        return 1u << (31 - (uint32_t)__builtin_clz(forced));
    }
    if (!tiles->differ) {
        return 1;
    }
    struct estimate e = {.tiles = tiles,
                         .chains = geo_arena_new_array(arena, uint32_t, values),
                         .seen = geo_arena_new_array(arena, uint32_t, values)};
    if (!e.chains || !e.seen) {
        return 1;
    }
    for (uint32_t i = 0; i < loops->count; i++) {
        e.loop = loops->loops[i];
        if (!is_innermost(loops, e.loop) || !is_inside(loops, body, e.loop)) {
            continue;
        }
        estimate_turn(&e);
        uint32_t wanted = turn_members(tiles, &e.turn);
        members = members && members < wanted ? members : wanted;
    }
    return members ? members : joint_members(tiles, body);
}
