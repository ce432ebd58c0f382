/* Emits the code of one function for one chunk, block by block in the order of the plan
 * (analysis/linear.h).
 *
 * A block that may be reached without an active lane has a guard if it must not run then, or if
 * running it costs more than the test:
 *
 *     entry:  mask = load slot; any? body : next waiting block
 *     body:   phis, instructions, edges
 *
 * A barrier stores its number and leaves the chunk. Later the chunk is entered again through the
 * switch at the start of the body, and continues at the barrier's resume block with all lanes
 * active. In a valid program either all work-items reach a barrier or none, so no lane waits
 * elsewhere.
 *
 * Items may also return before a barrier or go past it (analysis/passed.h). Then the chunk's record
 * holds the barrier at which the chunk is, the lanes that are there, and the lanes that wait
 * elsewhere. A chunk that has ended is not entered again. */
#include "compiler/lower/cpu/control/body.h"

#include "base/assert.h"
#include "compiler/ir/debug.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/cpu/control/count.h"
#include "compiler/lower/cpu/control/edge.h"
#include "compiler/lower/cpu/control/home.h"
#include "compiler/lower/cpu/control/joint.h"
#include "compiler/lower/cpu/control/order.h"
#include "compiler/lower/cpu/frame/ambient.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/tile.h"
#include "compiler/lower/debug/chunk.h"
#include "compiler/lower/debug/debug.h"
#include "compiler/lower/debug/global.h"
#include "compiler/lower/debug/location.h"
#include "compiler/lower/debug/variable.h"
#include "compiler/lower/dispatch/dispatch.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

/* Weight of instructions up to which running them is cheaper than a test and a branch. */
#define GUARD_WEIGHT 12u

/* Larger values of variables are not described to debuggers. */
#define RECORD_PARTS 64u

/* Largest number of cases of one switch. Larger ones become trees of switches that test WAYS_BITS
 * bits each. */
#define WAYS_FEW    256u
#define WAYS_BITS   6u
#define WAYS_LEVELS 6u /* enough for 32 bits */

/* ---- guards ---- */

/* Returns whether an instruction must not run without an active lane. Such instructions access
 * memory, have an effect, may trap on arbitrary values, or may loop forever. */
static bool inst_needs_lane(const struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (inst->op == SpvOpLoad || inst->op == SpvOpCopyMemory || inst->op == SpvOpCopyMemorySized ||
        geo_op_is(inst->op, GEO_IS_CALL | GEO_IS_INTEGER_DIVISION)) {
        return true;
    }
    if (inst == inst->block->last) {
        return f->frame->code->cfg.succs[inst->block->index].count > 1 &&
               !f->body.shapes->divergent_branch[inst->block->index];
    }
    return geo_ir_has_effect(inst);
}

static uint32_t inst_weight(const struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpPhi:
    case SpvOpBitcast:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpCompositeConstruct:
    case SpvOpVectorShuffle:
    case SpvOpCopyObject:
        return 0;
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
        return 8;
    case SpvOpExtInst:
        return 6;
    default:
        return 1;
    }
}

/* Returns whether the block feeds a uniform or strided phi of a join, because its value is stored
 * without looking at the mask. */
static bool feeds_scalar_phi(const struct geo_lower_function *f, const struct geo_ir_block *block)
{
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[block->index];
    for (uint32_t i = 0; i < succs->count; i++) {
        const struct geo_ir_block *to = succs->blocks[i];
        for (const struct geo_ir_inst *phi = to->first; phi && phi->op == SpvOpPhi;
             phi = phi->next) {
            if (f->frame->code->cfg.preds[to->index].count > 1 &&
                geo_shape_of(f->body.shapes, &phi->value).kind != GEO_SHAPE_VARYING) {
                return true;
            }
        }
    }
    return false;
}

/* Returns whether the block is a loop's header or branches back to one. Without this guard a loop
 * might not end when no lane is active. */
static bool is_loop_border(const struct geo_lower_function *f, const struct geo_ir_block *block)
{
    const struct geo_loop *loop = f->frame->code->loops.of[block->index];
    return loop && (loop->header == block ||
                    (loop->latches[0] == block && !f->body.shapes->divergent_branch[block->index]));
}

/* Returns whether the way in which control reaches the block implies an active lane. Earlier blocks
 * must have been examined. */
static bool brings_lanes(const struct geo_lower_function *f, uint32_t position)
{
    const struct geo_lower_code *code = f->frame->code;
    const struct geo_ir_block *block = code->loops.order[position];
    if (!f->body.shapes->divergent_block[block->index] ||
        geo_frame_cut_is_head(f->frame->split.cut, position) ||
        geo_linear_has_all(&f->frame->body.plan, position)) {
        return true;
    }
    if (f->frame->body.plan.indirect[position]) {
        return false;
    }
    const struct geo_cfg_edges *preds = &code->cfg.preds[block->index];
    for (uint32_t i = 0; i < preds->count; i++) {
        uint32_t from = code->loops.position[preds->blocks[i]->index];
        /* a loop's back edge is only taken while lanes are left */
        if (from < position && !f->frame->body.blocks[from].has_lanes) {
            return false;
        }
    }
    return true;
}

/* Returns whether the block needs a guard if it may be reached without an active lane. */
static bool needs_lanes(const struct geo_lower_function *f, uint32_t position)
{
    const struct geo_ir_block *block = f->frame->code->loops.order[position];
    if (is_loop_border(f, block) || feeds_scalar_phi(f, block)) {
        return true;
    }
    uint32_t weight = 0;
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        weight += geo_frame_ambient_is_above(f, &inst->value) ? 0 : inst_weight(inst);
        if (weight > GUARD_WEIGHT || inst_needs_lane(f, inst)) {
            return true;
        }
    }
    return false;
}

/* ---- debug information ---- */

/* Returns whether a record's value is held when the code of `inst` is about to be emitted. Reading
 * it must not emit code that is optimised. */
static bool record_is_ready(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                            const struct geo_ir_value *value)
{
    if (f->member.apart || !value || geo_part_count(value->type) > RECORD_PARTS) {
        return false;
    }
    if (value->kind == GEO_VALUE_CONSTANT) {
        return !f->options->optimize || geo_ir_scalar_of(value->type)->kind != GEO_TYPE_POINTER;
    }
    if (value->kind == GEO_VALUE_PARAMETER) {
        return true;
    }
    if (value->kind != GEO_VALUE_INST || ((const struct geo_ir_inst *)value)->op == SpvOpVariable) {
        return false;
    }
    const struct geo_ir_inst *made = (const struct geo_ir_inst *)value;
    if (made->block == inst->block || f->frame->ambient[value->index]) {
        return geo_value_held(f, value)->parts != NULL || geo_value_held(f, value)->dense;
    }
    bool homed = !f->options->optimize && f->frame->code->crosses[value->index] &&
                 !f->frame->split.cut && !f->frame->code->barriers.count;
    if (homed) {
        geo_control_home_load(f, value);
    }
    return homed;
}

/* Emits the debug records in front of an instruction. */
static void emit_records(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (!f->lower->debug || f->failed) {
        return;
    }
    geo_ir_for_each_record(record, inst)
    {
        if (record->place == GEO_PLACE_MEMORY || record_is_ready(f, inst, record->value)) {
            geo_debug_variable_record(f, record);
        } else {
            geo_debug_variable_lost(f, record);
        }
    }
}

/* Tells debuggers where the chunk's memory is, and which items it has. */
static void emit_place(struct geo_lower_function *f)
{
    const struct geo_lower_ids *ids = &f->frame->ids;
    struct geo_debug_chunk chunk = {.linear = f->body.shapes->linear ? ids->linear : NULL};
    for (uint32_t i = 0; i < 3; i++) {
        chunk.group[i] = ids->group[i];
        chunk.local[i] = ids->local[i];
        chunk.local_size[i] = ids->local_size[i];
        chunk.global_offset[i] = ids->global_offset[i];
    }
    geo_debug_copy_begin(f);
    geo_debug_variables_at(f, f->frame->contract.memory, f->frame->layout.variables,
                           f->frame->layout.slots);
    geo_debug_global_local(f, f->frame->contract.scratch);
    geo_debug_chunk_begin(f, &chunk);
}

/* ---- one block ---- */

static void load_mask(struct geo_lower_function *f, uint32_t position)
{
    const struct geo_ir_block *block = f->frame->code->loops.order[position];
    if (f->body.shapes->divergent_block[block->index]) {
        f->body.mask = LLVMBuildLoad2(f->llvm.builder, geo_type_mask(f),
                                      geo_control_home_mask(f, position), "mask");
        f->body.lane0_on = false;
    } else {
        f->body.mask = f->frame->body.base_mask;
        f->body.lane0_on = f->frame->body.base_lane0;
    }
    GEO_ASSERT(!f->body.mask || (f->lanes > 1 && geo_emit_is_mask(f, f->body.mask)));
}

/* Emits the guard of a block, if it has one, and moves the builder to the block's body. */
static void emit_guard(struct geo_lower_function *f, uint32_t position)
{
    struct geo_lower_block_state *state = &f->frame->body.blocks[position];
    GEO_ASSERT(state->entry && !LLVMGetFirstInstruction(state->entry)); /* emitted once */
    LLVMPositionBuilderAtEnd(f->llvm.builder, state->entry);
    if (state->body == state->entry) {
        return;
    }
    load_mask(f, position);
    LLVMBasicBlockRef skip = geo_emit_block_last(f, "skip");
    LLVMBuildCondBr(f->llvm.builder, geo_emit_mask_active_any(f), state->body, skip);
    LLVMPositionBuilderAtEnd(f->llvm.builder, skip);
    geo_control_edge_skip(f, position);
    LLVMPositionBuilderAtEnd(f->llvm.builder, state->body);
}

static void emit_inst(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (geo_frame_ambient_is_above(f, &inst->value)) {
        return;
    }
    if (f->frame->split.cut && inst == f->frame->split.cut->current->clip) {
        geo_value_set(f, inst, 0, LLVMConstAllOnes(geo_type_mask(f)));
        return;
    }
    geo_debug_location_set(f, inst);
    bool good = geo_dispatch_instruction(f, inst);
    if (!good && !f->failed) {
        geo_state_error(f, inst, "not supported");
    }
    if (good && inst->value.type->kind != GEO_TYPE_VOID) {
        geo_control_home_keep(f, &inst->value);
    }
}

/* Emits the instructions that all members of the tile share. */
static void emit_shared(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                        const struct geo_ir_inst *end)
{
    for (; inst != end && !f->failed; inst = inst->next) {
        if (!f->member.apart[inst->value.index]) {
            emit_inst(f, inst);
        }
    }
}

/* Emits the instructions of one member. Joint loads are emitted with the first member, for all. */
static void emit_apart(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                       const struct geo_ir_inst *end, uint32_t member)
{
    geo_frame_tile_select(f, member);
    for (; inst != end && !f->failed; inst = inst->next) {
        if (!f->member.apart[inst->value.index]) {
            continue;
        }
        if (!geo_control_is_joint(f, inst)) {
            emit_inst(f, inst);
        } else if (member == 0) {
            geo_control_joint(f, inst);
        }
    }
}

/* Emits an instruction with an effect: member by member, or for all members at once. */
static void emit_effect(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (geo_control_is_joint(f, inst)) {
        geo_control_joint(f, inst);
        return;
    }
    for (uint32_t m = 0; m < geo_frame_tile_members(f); m++) {
        geo_frame_tile_select(f, m);
        emit_inst(f, inst);
    }
}

static bool has_result(const struct geo_ir_inst *inst)
{
    return inst->value.type && inst->value.type->kind != GEO_TYPE_VOID;
}

/* Emits instructions from `inst` to `end`. In a tile it emits shared instructions first, then those
 * of each member, which needs the fewest registers. Effects keep their order. */
static void emit_insts(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                       const struct geo_ir_inst *end)
{
    while (f->member.apart && inst != end && !f->failed) {
        const struct geo_ir_inst *stop = inst;
        while (stop != end && has_result(stop)) {
            stop = stop->next;
        }
        emit_shared(f, inst, stop);
        for (uint32_t m = 0; m < geo_frame_tile_members(f); m++) {
            emit_apart(f, inst, stop, m);
        }
        if (stop != end) {
            emit_effect(f, stop);
        }
        inst = stop == end ? end : stop->next;
    }
    for (; inst != end && !f->failed; inst = inst->next) {
        emit_records(f, inst);
        emit_inst(f, inst);
    }
}

/* Stores in the record that the chunk is at barrier `state` - 1, or at its end if `state` is 0. */
static void emit_state(struct geo_lower_function *f, uint32_t state)
{
    if (f->frame->split.passed) {
        LLVMBuildStore(
            f->llvm.builder, geo_emit_const_i32(f, state),
            geo_emit_offset_const(f, f->frame->contract.record, (int64_t)f->frame->layout.state));
    }
}

/* Emits a barrier, at which the chunk is left. */
static void emit_barrier(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                         uint32_t barrier)
{
    GEO_ASSERT(inst->op == SpvOpControlBarrier && f->frame->body.next_barrier);
    geo_control_order_barrier(f, inst);
    geo_control_home_save(f, barrier);
    emit_state(f, barrier + 1);
    LLVMBuildStore(f->llvm.builder, geo_emit_const_i32(f, barrier + 1),
                   f->frame->body.next_barrier);
    LLVMBuildBr(f->llvm.builder, f->frame->body.done);
}

static void emit_block(struct geo_lower_function *f, uint32_t position)
{
    struct geo_lower_code *code = f->frame->code;
    struct geo_ir_block *block = code->loops.order[position];
    uint32_t barrier = geo_barrier_of(&code->barriers, block);
    geo_debug_location_clear(f);
    emit_guard(f, position);
    if (!geo_control_edge_reaches(f, position)) {
        LLVMBuildUnreachable(f->llvm.builder);
        return;
    }
    load_mask(f, position);
    geo_debug_chunk_mask(f);
    const struct geo_loop *loop = code->loops.of[block->index];
    if (loop && loop->header == block && !geo_frame_cut_is_head(f->frame->split.cut, position)) {
        geo_control_edge_reset_level(f, loop);
    }
    geo_control_count(f, block);
    struct geo_ir_inst *inst = block->first;
    for (; inst->op == SpvOpPhi; inst = inst->next) {
        uint32_t copies = geo_frame_ambient_is_above(f, &inst->value)
                              ? 0
                              : geo_frame_tile_copies(f, &inst->value);
        for (uint32_t m = 0; m < copies; m++) {
            geo_frame_tile_select(f, m);
            geo_control_home_load(f, &inst->value);
            geo_control_home_hand_on(f, &inst->value);
        }
    }
    geo_control_home_load_block(f, block);
    for (const struct geo_ir_inst *phi = block->first; phi->op == SpvOpPhi; phi = phi->next) {
        emit_records(f, phi);
    }
    emit_insts(f, inst, barrier == GEO_CFG_NONE ? block->last : block->last->prev);
    emit_records(f, block->last);
    geo_debug_location_set(f, block->last);
    if (f->failed) {
        LLVMBuildUnreachable(f->llvm.builder);
    } else if (barrier != GEO_CFG_NONE && !f->frame->split.cut) {
        emit_barrier(f, block->last->prev, barrier);
    } else {
        geo_control_edge_leave(f, position);
    }
    GEO_ASSERT(LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->llvm.builder)));
}

/* ---- ambient values ---- */

static void emit_ambient(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    for (uint32_t m = 0; m < geo_frame_tile_copies(f, &inst->value); m++) {
        geo_frame_tile_select(f, m);
        if (!geo_dispatch_instruction(f, inst) && !f->failed) {
            geo_state_error(f, inst, "not supported");
        }
    }
}

static void emit_all_ambient(struct geo_lower_function *f)
{
    const struct geo_cfg *cfg = &f->frame->code->cfg;
    f->body.mask = NULL;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        for (const struct geo_ir_inst *inst = cfg->order[i]->first; inst && !f->failed;
             inst = inst->next) {
            if (f->frame->ambient[inst->value.index]) {
                emit_ambient(f, inst);
            }
        }
    }
}

/* Emits an ambient value and its operands, which are a short chain (cpu/frame/ambient.c), unless
 * the body has them already. */
static void emit_ambient_once(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
    uint32_t *emitted = f->frame->split.cut->emitted;
    if (value->kind != GEO_VALUE_INST || !f->frame->ambient[value->index] ||
        f->frame->above[value->index] || emitted[value->index] == f->frame->split.cut->body ||
        f->failed) {
        return;
    }
    emitted[value->index] = f->frame->split.cut->body;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        emit_ambient_once(f, inst->operands[i]);
    }
    emit_ambient(f, inst);
}

/* Emits the ambient values that a region reads. */
static void emit_region_ambient(struct geo_lower_function *f,
                                const struct geo_barrier_region *region)
{
    f->body.mask = NULL;
    f->frame->split.cut->body++;
    for (uint32_t i = 0; i < region->count; i++) {
        const struct geo_ir_block *block = f->frame->code->loops.order[region->positions[i]];
        const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[block->index];
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            for (uint32_t k = 0; inst->op != SpvOpPhi && k < inst->operand_count; k++) {
                emit_ambient_once(f, inst->operands[k]);
            }
        }
        for (uint32_t s = 0; s < succs->count; s++) {
            for (const struct geo_ir_inst *phi = succs->blocks[s]->first;
                 phi && phi->op == SpvOpPhi; phi = phi->next) {
                emit_ambient_once(f, phi->operands[succs->places[s]]);
            }
        }
    }
}

void geo_control_body_group_ambient(struct geo_lower_function *f)
{
    const struct geo_cfg *cfg = &f->frame->code->cfg;
    for (uint32_t i = 0; i < cfg->reachable_count; i++) {
        for (const struct geo_ir_inst *inst = cfg->order[i]->first; inst && !f->failed;
             inst = inst->next) {
            if (f->frame->ambient[inst->value.index] &&
                geo_frame_cut_is_group(f, f->frame->split.cut, &inst->value)) {
                emit_ambient(f, inst);
                f->frame->above[inst->value.index] = true;
            }
        }
    }
}

/* ---- creating blocks ---- */

static void block_create(struct geo_lower_function *f, uint32_t position)
{
    struct geo_lower_block_state *state = &f->frame->body.blocks[position];
    *state = (struct geo_lower_block_state){.entry = geo_emit_block_last(f, "block")};
    state->has_lanes = brings_lanes(f, position);
    bool guarded = !state->has_lanes && needs_lanes(f, position);
    state->body = guarded ? geo_emit_block_last(f, "body") : state->entry;
    state->has_lanes |= guarded;
    GEO_ASSERT(state->has_lanes ||
               f->body.shapes->divergent_block[f->frame->code->loops.order[position]->index]);
}

static bool body_create(struct geo_lower_function *f)
{
    struct geo_lower_frame *frame = f->frame;
    uint32_t count = frame->code->cfg.reachable_count;
    frame->body.blocks = geo_arena_new_array(f->arena, struct geo_lower_block_state, count + 1);
    frame->body.homes =
        geo_arena_array(f->arena, f->function->value_count + 1, sizeof(*frame->body.homes));
    frame->body.edges = geo_arena_new_array(f->arena, LLVMBasicBlockRef, count + 1);
    if (!frame->body.blocks || !frame->body.homes || !frame->body.edges) {
        geo_state_no_memory(f);
        return false;
    }
    return true;
}

/* ---- the entry of the body ---- */

/* A switch whose cases are added in ascending order. For each successor of a block, LLVM looks at
 * all its successors. So a switch with many cases becomes a tree of switches, each of which tests
 * some bits of the value. */
struct ways {
    struct geo_lower_function *f;
    LLVMValueRef value;
    LLVMBasicBlockRef none;
    uint32_t levels;
    /* switch of the latest case on each level; level 0 has the case itself */
    LLVMValueRef branches[WAYS_LEVELS];
    uint32_t prefixes[WAYS_LEVELS]; /* the upper bits that all cases of a switch share */
};

static void ways_branch(struct ways *ways, uint32_t level)
{
    struct geo_lower_function *f = ways->f;
    LLVMValueRef bits =
        level ? LLVMBuildLShr(f->llvm.builder, ways->value,
                              geo_emit_const_like(ways->value, (uint64_t)level * WAYS_BITS), "")
              : ways->value;
    ways->branches[level] = LLVMBuildSwitch(f->llvm.builder, bits, ways->none, 1u << WAYS_BITS);
}

/* Starts the switch at the builder's position. `count` is the largest case. */
static void ways_begin(struct ways *ways, struct geo_lower_function *f, LLVMValueRef value,
                       LLVMBasicBlockRef none, uint32_t count)
{
    *ways = (struct ways){.f = f, .value = value, .none = none, .levels = 1};
    while (count > WAYS_FEW && count >> (WAYS_BITS * ways->levels)) {
        ways->levels++;
    }
    ways_branch(ways, ways->levels - 1);
}

static void ways_add(struct ways *ways, uint32_t number, LLVMBasicBlockRef to)
{
    struct geo_lower_function *f = ways->f;
    GEO_ASSERT(ways->levels >= 1 && ways->levels <= WAYS_LEVELS);
    for (uint32_t level = ways->levels - 1; level-- > 0;) {
        uint32_t prefix = number >> (WAYS_BITS * (level + 1));
        if (!ways->branches[level] || ways->prefixes[level] != prefix) {
            LLVMBasicBlockRef block = geo_emit_block_last(f, "ways");
            LLVMAddCase(ways->branches[level + 1], geo_emit_const_i32(f, prefix), block);
            LLVMPositionBuilderAtEnd(f->llvm.builder, block);
            ways_branch(ways, level);
            ways->prefixes[level] = prefix;
        }
    }
    LLVMAddCase(ways->branches[0], geo_emit_const_i32(f, number), to);
}

/* Emits the switch at the entry. All chunks of a group continue at the same barrier, or where the
 * record says if frame->split.passed is set. */
static void emit_switch(struct geo_lower_function *f, LLVMValueRef resume, LLVMBasicBlockRef start,
                        struct ways *ways)
{
    uint32_t count = f->frame->code->barriers.count;
    if (!f->frame->split.passed) {
        ways_begin(ways, f, resume, start, count);
        return;
    }
    LLVMBasicBlockRef again = geo_emit_block_last(f, "again");
    LLVMValueRef first =
        LLVMBuildICmp(f->llvm.builder, LLVMIntEQ, resume, geo_emit_const_i32(f, 0), "");
    LLVMBuildCondBr(f->llvm.builder, first, start, again);
    LLVMPositionBuilderAtEnd(f->llvm.builder, again);
    LLVMValueRef place =
        geo_emit_offset_const(f, f->frame->contract.record, (int64_t)f->frame->layout.state);
    LLVMValueRef state = LLVMBuildLoad2(f->llvm.builder, geo_type_i32(f), place, "state");
    ways_begin(ways, f, state, f->frame->body.done, count);
}

/* Emits the entry: switch (resume) { 0: the first block; k: behind barrier k - 1 }. */
static void emit_entry(struct geo_lower_function *f, LLVMValueRef resume)
{
    struct geo_lower_code *code = f->frame->code;
    LLVMBasicBlockRef first = f->frame->body.blocks[0].entry;
    if (!resume || !code->barriers.count) {
        geo_control_edge_reset_level(f, NULL);
        LLVMBuildBr(f->llvm.builder, first);
        return;
    }
    /* once for all entries, so that barriers do not multiply the number of resets */
    geo_control_edge_reset_all(f);
    LLVMBasicBlockRef start = geo_emit_block_last(f, "start");
    struct ways ways;
    emit_switch(f, resume, start, &ways);
    LLVMPositionBuilderAtEnd(f->llvm.builder, start);
    LLVMBuildBr(f->llvm.builder, first);
    for (uint32_t i = 0; i < code->barriers.count; i++) {
        struct geo_ir_block *block = code->barriers.resume[i];
        uint32_t position = code->loops.position[block->index];
        if (position == GEO_CFG_NONE) {
            continue;
        }
        LLVMBasicBlockRef again = geo_emit_block_last(f, "resume");
        ways_add(&ways, i + 1, again);
        LLVMPositionBuilderAtEnd(f->llvm.builder, again);
        geo_control_edge_resume_all(f, position);
        geo_control_home_restore(f, i);
        LLVMBuildBr(f->llvm.builder, f->frame->body.blocks[position].body);
    }
}

static void end_begin(struct geo_lower_function *f)
{
    f->frame->body.done = geo_emit_block_last(f, "done");
    f->frame->body.left =
        f->frame->split.passed ? geo_emit_block_last(f, "left") : f->frame->body.done;
}

/* Emits one region of a kernel that is divided into regions. The arrays of the body are shared by
 * all regions. */
static void region_body(struct geo_lower_function *f, const struct geo_lower_region *region)
{
    const struct geo_barrier_region *blocks = region->region;
    uint32_t head = blocks->positions[0];
    GEO_ASSERT(geo_frame_cut_is_head(f->frame->split.cut, head));
    emit_region_ambient(f, blocks);
    end_begin(f);
    for (uint32_t i = 0; i < blocks->count; i++) {
        block_create(f, blocks->positions[i]);
    }
    geo_control_edge_reset_region(f, blocks);
    geo_control_edge_resume_all(f, head);
    geo_control_home_enter(f, region);
    geo_control_count_begin(f);
    LLVMBuildBr(f->llvm.builder, f->frame->body.blocks[head].body);
    for (uint32_t i = 0; i < blocks->count && !f->failed; i++) {
        emit_block(f, blocks->positions[i]);
    }
    LLVMPositionBuilderAtEnd(f->llvm.builder, f->frame->body.done);
    geo_control_home_exit(f, region);
    geo_control_count_end(f);
}

/* Emits all blocks of a function without regions. */
static void whole_body(struct geo_lower_function *f, LLVMValueRef resume)
{
    uint32_t count = f->frame->code->cfg.reachable_count;
    emit_all_ambient(f);
    end_begin(f);
    for (uint32_t i = 0; i < count; i++) {
        block_create(f, i);
    }
    geo_control_count_begin(f);
    emit_entry(f, resume);
    for (uint32_t i = 0; i < count && !f->failed; i++) {
        emit_block(f, i);
    }
    if (f->frame->body.left != f->frame->body.done) {
        LLVMPositionBuilderAtEnd(f->llvm.builder, f->frame->body.left);
        emit_state(f, 0);
        LLVMBuildBr(f->llvm.builder, f->frame->body.done);
    }
    LLVMPositionBuilderAtEnd(f->llvm.builder, f->frame->body.done);
    geo_control_count_end(f);
}

void geo_control_body(struct geo_lower_function *f, LLVMValueRef resume)
{
    if (f->failed) {
        return;
    }
    emit_place(f);
    if (f->frame->split.cut) {
        region_body(f, f->frame->split.cut->current);
    } else if (body_create(f)) {
        whole_body(f, resume);
    }
    geo_debug_copy_end(f);
}

bool geo_control_body_regions_begin(struct geo_lower_function *f)
{
    return body_create(f);
}
