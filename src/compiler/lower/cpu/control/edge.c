/* Emits the edges between blocks: what the lanes that take an edge pass to its target, and the
 * branch.
 *
 * For an edge with mask m, the target's mask becomes mask | m. Each phi of the target becomes
 * select(m, incoming, phi). Both are in allocas (home.c). If lanes can come from one edge only,
 * they are stored without merging. The edges of a divergent branch are emitted one after another,
 * and then control continues as the plan says (analysis/linear.h). */
#include "compiler/lower/cpu/control/edge.h"

#include "base/assert.h"
#include "compiler/analysis/agreement.h"
#include "compiler/lower/cpu/control/home.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/tile.h"
#include "compiler/lower/emit/dense.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/instruction/all_lanes.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

static struct geo_ir_block *block_at(const struct geo_lower_function *f, uint32_t position)
{
    GEO_ASSERT(position < f->frame->code->cfg.reachable_count);
    return f->frame->code->loops.order[position];
}

static uint32_t position_of(const struct geo_lower_function *f, const struct geo_ir_block *block)
{
    return f->frame->code->loops.position[block->index];
}

/* ---- edges that merge with earlier ones ---- */

static bool leaves_divergent_loop(const struct geo_lower_function *f,
                                  const struct geo_ir_block *from, const struct geo_ir_block *to)
{
    const struct geo_loops *loops = &f->frame->code->loops;
    for (const struct geo_loop *loop = loops->of[from->index]; loop; loop = loop->parent) {
        if (geo_loop_contains(loops, loop, to)) {
            return false;
        }
        if (f->body.shapes->divergent_loop[loop->index]) {
            return true;
        }
    }
    return false;
}

/* Returns whether several forward edges lead to the block. */
static bool has_joins(const struct geo_lower_function *f, const struct geo_ir_block *block)
{
    const struct geo_cfg_edges *preds = &f->frame->code->cfg.preds[block->index];
    uint32_t count = 0;
    for (uint32_t i = 0; i < preds->count && count < 2; i++) {
        count += position_of(f, preds->blocks[i]) < position_of(f, block);
    }
    return count > 1;
}

/* Returns whether an edge into the block merges with earlier ones, so that its phis must be reset
 * before. */
static bool is_merged(const struct geo_lower_function *f, const struct geo_ir_block *block)
{
    const struct geo_cfg_edges *preds = &f->frame->code->cfg.preds[block->index];
    for (uint32_t i = 0; i < preds->count; i++) {
        if (leaves_divergent_loop(f, preds->blocks[i], block)) {
            return true;
        }
    }
    return has_joins(f, block);
}

/* Returns whether the edge must keep what earlier edges stored. This is the case if lanes left the
 * loop in earlier iterations, come from elsewhere, or if this edge may have no lane. */
static bool edge_merges(const struct geo_lower_function *f, uint32_t from, uint32_t to,
                        LLVMValueRef mask)
{
    const struct geo_ir_block *target = block_at(f, to);
    if (to <= from) {
        return false;
    }
    if (leaves_divergent_loop(f, block_at(f, from), target)) {
        return true;
    }
    bool takes_all = f->frame->body.blocks[from].has_lanes && mask == f->body.mask;
    return has_joins(f, target) && (!takes_all || f->body.shapes->divergent_join[target->index]);
}

/* ---- resetting masks and phis ---- */

static void phi_reset(struct geo_lower_function *f, const struct geo_ir_inst *phi)
{
    LLVMValueRef *home = geo_control_home(f, &phi->value);
    for (uint32_t part = 0; home && part < geo_control_home_parts(f, &phi->value); part++) {
        LLVMTypeRef type = geo_control_home_type(f, &phi->value, part);
        LLVMBuildStore(f->llvm.builder, LLVMGetPoison(type), home[part]);
    }
}

static void block_reset(struct geo_lower_function *f, uint32_t position)
{
    struct geo_ir_block *block = block_at(f, position);
    /* needed even with one incoming edge, whose source may be skipped */
    if (f->body.shapes->divergent_block[block->index]) {
        LLVMBuildStore(f->llvm.builder, LLVMConstNull(geo_type_mask(f)),
                       geo_control_home_mask(f, position));
    }
    if (!is_merged(f, block)) {
        return;
    }
    for (const struct geo_ir_inst *phi = block->first; phi && phi->op == SpvOpPhi;
         phi = phi->next) {
        if (geo_value_shape(f, &phi->value).kind != GEO_SHAPE_VARYING) {
            continue;
        }
        for (uint32_t m = 0; m < geo_frame_tile_copies(f, &phi->value); m++) {
            geo_frame_tile_select(f, m);
            phi_reset(f, phi);
        }
    }
}

void geo_control_edge_reset_level(struct geo_lower_function *f, const struct geo_loop *level)
{
    const struct geo_loops *loops = &f->frame->code->loops;
    uint32_t first = level ? loops->position[level->header->index] + 1 : 0;
    uint32_t end = level ? first - 1 + level->block_count : loops->cfg->reachable_count;
    if (f->lanes == 1) {
        return;
    }
    for (uint32_t at = first; at < end;) {
        const struct geo_loop *loop = loops->of[block_at(f, at)->index];
        block_reset(f, at);
        /* only the header of an inner loop belongs to this level */
        at += loop != level ? loop->block_count : 1;
    }
}

void geo_control_edge_reset_all(struct geo_lower_function *f)
{
    for (uint32_t i = 0; f->lanes > 1 && i < f->frame->code->cfg.reachable_count; i++) {
        block_reset(f, i);
    }
}

/* Includes the phis of other regions' heads, with which the exits merge. */
void geo_control_edge_reset_region(struct geo_lower_function *f,
                                   const struct geo_barrier_region *region)
{
    const struct geo_lower_code *code = f->frame->code;
    for (uint32_t i = 0; f->lanes > 1 && i < region->count; i++) {
        const struct geo_cfg_edges *succs =
            &code->cfg.succs[block_at(f, region->positions[i])->index];
        for (uint32_t s = 0; s < succs->count; s++) {
            uint32_t to = position_of(f, succs->blocks[s]);
            if (to != region->positions[0]) {
                block_reset(f, to);
            }
        }
    }
}

void geo_control_edge_resume_all(struct geo_lower_function *f, uint32_t at)
{
    if (f->body.shapes->divergent_block[block_at(f, at)->index]) {
        LLVMValueRef all = f->frame->body.base_mask ? f->frame->body.base_mask
                                                    : LLVMConstAllOnes(geo_type_mask(f));
        LLVMBuildStore(f->llvm.builder, all, geo_control_home_mask(f, at));
    }
}

/* ---- one edge ---- */

static void bring_mask(struct geo_lower_function *f, uint32_t to, LLVMValueRef mask, bool merge)
{
    if (!f->body.shapes->divergent_block[block_at(f, to)->index]) {
        return;
    }
    LLVMValueRef slot = geo_control_home_mask(f, to);
    GEO_ASSERT(!mask || geo_emit_is_mask(f, mask));
    LLVMValueRef lanes = mask ? mask : LLVMConstAllOnes(geo_type_mask(f));
    if (merge) {
        LLVMValueRef before = LLVMBuildLoad2(f->llvm.builder, geo_type_mask(f), slot, "");
        lanes = geo_emit_mask_or(f, before, lanes);
    }
    LLVMBuildStore(f->llvm.builder, lanes, slot);
}

/* Returns whether the phi belongs to the head of a region and is kept by the group. */
static bool is_kept_by_group(const struct geo_lower_function *f, uint32_t to,
                             const struct geo_ir_inst *phi)
{
    return geo_frame_cut_is_head(f->frame->split.cut, to) &&
           f->frame->split.cut->kept[phi->value.index] == GEO_KEPT_GROUP;
}

/* Returns whether the group, not the chunks, sets the phi. In regions with several exits the chunks
 * set it. */
static bool is_brought_by_group(const struct geo_lower_function *f, uint32_t to,
                                const struct geo_ir_inst *phi)
{
    return is_kept_by_group(f, to, phi) && f->frame->split.cut->current->region->exits == 1;
}

static void bring_value(struct geo_lower_function *f, uint32_t to, const struct geo_ir_inst *phi,
                        struct geo_ir_value *value, LLVMValueRef mask, bool merge)
{
    bool varying = geo_value_shape(f, &phi->value).kind == GEO_SHAPE_VARYING;
    LLVMValueRef *home = is_kept_by_group(f, to, phi) ? geo_control_group_home(f, &phi->value)
                                                      : geo_control_home(f, &phi->value);
    if (value->kind == GEO_VALUE_UNDEF) {
        return;
    }
    bool dense = geo_value_is_dense(f, &phi->value);
    if (dense && merge && mask) {
        mask = geo_emit_dense_spread(f, mask, geo_part_count(phi->value.type));
    }
    for (uint32_t part = 0; home && part < geo_control_home_parts(f, &phi->value); part++) {
        LLVMValueRef incoming =
            dense ? geo_value_dense(f, value) : geo_value_operand(f, value, part, !varying);
        if (varying && merge && mask) {
            LLVMTypeRef type = geo_control_home_type(f, &phi->value, part);
            LLVMValueRef before = LLVMBuildLoad2(f->llvm.builder, type, home[part], "");
            incoming = LLVMBuildSelect(f->llvm.builder, mask, incoming, before, "");
        }
        GEO_ASSERT(LLVMGetAllocatedType(home[part]) == LLVMTypeOf(incoming));
        LLVMBuildStore(f->llvm.builder, incoming, home[part]);
    }
}

static bool has_phis(const struct geo_ir_block *block)
{
    return block->first && block->first->op == SpvOpPhi;
}

/* Passes the mask and the phis' values along the edge to successor number `s` of block `from`. */
static void take_edge(struct geo_lower_function *f, uint32_t from, uint32_t s, LLVMValueRef mask)
{
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[block_at(f, from)->index];
    GEO_ASSERT(s < succs->count);
    struct geo_ir_block *block = succs->blocks[s];
    uint32_t to = position_of(f, block), place = succs->places[s];
    bool merge = edge_merges(f, from, to, mask);
    bring_mask(f, to, mask, merge);
    for (struct geo_ir_inst *phi = block->first; phi && phi->op == SpvOpPhi; phi = phi->next) {
        uint32_t copies =
            is_brought_by_group(f, to, phi) ? 0 : geo_frame_tile_copies(f, &phi->value);
        for (uint32_t m = 0; m < copies; m++) {
            geo_frame_tile_select(f, m);
            bring_value(f, to, phi, phi->operands[place], mask, merge);
        }
    }
}

static bool edge_is_empty(const struct geo_lower_function *f, uint32_t to)
{
    return !has_phis(block_at(f, to)) && !f->body.shapes->divergent_block[block_at(f, to)->index];
}

/* ---- where control continues ---- */

static LLVMBasicBlockRef place_of(struct geo_lower_function *f, uint32_t position)
{
    if (position == GEO_LINEAR_END) {
        return f->frame->body.left;
    }
    GEO_ASSERT(geo_frame_cut_is_outside(f, position) || f->frame->body.blocks[position].entry);
    return geo_frame_cut_is_outside(f, position) ? f->frame->body.done
                                                 : f->frame->body.blocks[position].entry;
}

/* Returns where control continues if all lanes of block `from` go to block `to`. */
static LLVMBasicBlockRef next_place(struct geo_lower_function *f, uint32_t from, uint32_t to)
{
    bool back = to <= from;
    return back && !geo_frame_cut_is_head(f->frame->split.cut, to)
               ? f->frame->body.blocks[to].body
               : place_of(f, geo_linear_next(&f->frame->body.plan, from, back ? GEO_CFG_NONE : to));
}

void geo_control_edge_skip(struct geo_lower_function *f, uint32_t position)
{
    LLVMBuildBr(f->llvm.builder,
                place_of(f, geo_linear_next(&f->frame->body.plan, position, GEO_CFG_NONE)));
}

/* Returns an LLVM block that takes one edge of a uniform branch and continues. If nothing is passed
 * along the edge, it is the target itself. */
static LLVMBasicBlockRef uniform_edge(struct geo_lower_function *f, uint32_t from, uint32_t s)
{
    uint32_t to = position_of(f, f->frame->code->cfg.succs[block_at(f, from)->index].blocks[s]);
    LLVMBasicBlockRef next = next_place(f, from, to);
    if (edge_is_empty(f, to)) {
        return next;
    }
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->llvm.builder);
    LLVMBasicBlockRef edge = geo_emit_block_last(f, "edge");
    LLVMPositionBuilderAtEnd(f->llvm.builder, edge);
    take_edge(f, from, s, f->body.mask);
    LLVMBuildBr(f->llvm.builder, next);
    LLVMPositionBuilderAtEnd(f->llvm.builder, here);
    return edge;
}

static void leave_single(struct geo_lower_function *f, uint32_t from, uint32_t to)
{
    take_edge(f, from, 0, f->body.mask);
    LLVMBuildBr(f->llvm.builder, next_place(f, from, to));
}

static uint64_t case_value(const struct geo_ir_inst *inst, uint32_t i)
{
    return inst->literals[2 * i] | (uint64_t)inst->literals[2 * i + 1] << 32;
}

void geo_control_edge_branch(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                             LLVMValueRef selector, const LLVMBasicBlockRef *edges)
{
    LLVMBasicBlockRef first = edges[position_of(f, inst->targets[0])];
    GEO_ASSERT(first && geo_type_lanes(selector) == 1);
    if (inst->op == SpvOpBranchConditional) {
        LLVMBuildCondBr(f->llvm.builder, selector, first, edges[position_of(f, inst->targets[1])]);
        return;
    }
    LLVMValueRef branch = LLVMBuildSwitch(f->llvm.builder, selector, first, inst->target_count - 1);
    for (uint32_t i = 1; i < inst->target_count; i++) {
        LLVMValueRef value = LLVMConstInt(LLVMTypeOf(selector), case_value(inst, i - 1), 0);
        LLVMAddCase(branch, value, edges[position_of(f, inst->targets[i])]);
    }
}

static void leave_uniform(struct geo_lower_function *f, uint32_t from,
                          const struct geo_ir_inst *inst)
{
    LLVMValueRef selector = geo_value_scalar(f, inst->operands[0], 0);
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[inst->block->index];
    LLVMBasicBlockRef *edges = f->frame->body.edges;
    for (uint32_t i = 0; i < succs->count; i++) {
        edges[position_of(f, succs->blocks[i])] = uniform_edge(f, from, i);
    }
    geo_control_edge_branch(f, inst, selector, edges);
}

/* ---- divergent branches ---- */

/* Sorts the cases of a switch by target, into the lists frame->body.cases. */
static bool cases_sort(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_lower_frame *frame = f->frame;
    frame->body.next_case = geo_arena_new_array(f->arena, uint32_t, inst->target_count);
    if (!frame->body.cases) {
        frame->body.cases =
            geo_arena_new_array(f->arena, uint32_t, frame->code->cfg.reachable_count + 1);
    }
    if (!frame->body.cases || !frame->body.next_case) {
        geo_state_no_memory(f);
        return false;
    }
    for (uint32_t i = 0; i < inst->target_count; i++) {
        frame->body.cases[position_of(f, inst->targets[i])] = 0;
    }
    for (uint32_t i = inst->target_count - 1; i > 0; i--) {
        uint32_t *first = &frame->body.cases[position_of(f, inst->targets[i])];
        frame->body.next_case[i] = *first;
        *first = i;
    }
    return true;
}

static LLVMValueRef case_condition(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                   LLVMValueRef selector, uint32_t i, LLVMValueRef others)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(selector));
    LLVMValueRef value = geo_lanes_splat(f, LLVMConstInt(type, case_value(inst, i - 1), 0));
    LLVMValueRef equal = LLVMBuildICmp(f->llvm.builder, LLVMIntEQ, selector, value, "");
    return others ? LLVMBuildOr(f->llvm.builder, others, equal, "") : equal;
}

/* Returns the condition under which a lane goes to `to`, as <W x i1>, or NULL if no case leads
 * there. */
static LLVMValueRef edge_condition(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                   const struct geo_ir_block *to)
{
    LLVMValueRef selector = geo_value_vector(f, inst->operands[0], 0), found = NULL;
    if (inst->op == SpvOpBranchConditional) {
        return to == inst->targets[0] ? selector : LLVMBuildNot(f->llvm.builder, selector, "");
    }
    if (to != inst->targets[0]) {
        for (uint32_t i = f->frame->body.cases[position_of(f, to)]; i;
             i = f->frame->body.next_case[i]) {
            found = case_condition(f, inst, selector, i, found);
        }
        return found;
    }
    /* lanes go to the default unless a case of another target matches */
    for (uint32_t i = 1; i < inst->target_count; i++) {
        if (inst->targets[i] != to) {
            found = case_condition(f, inst, selector, i, found);
        }
    }
    return found ? LLVMBuildNot(f->llvm.builder, found, "")
                 : LLVMConstAllOnes(geo_type_mask(f)); /* the default is the only target */
}

static void leave_divergent(struct geo_lower_function *f, uint32_t from,
                            const struct geo_ir_inst *inst)
{
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[inst->block->index];
    LLVMValueRef back_mask = NULL;
    uint32_t back = 0, nearest = GEO_CFG_NONE;
    GEO_ASSERT(f->lanes > 1 && f->frame->code->canonical);
    if (inst->op == SpvOpSwitch && !cases_sort(f, inst)) {
        LLVMBuildUnreachable(f->llvm.builder);
        return;
    }
    for (uint32_t i = 0; i < succs->count; i++) {
        uint32_t to = position_of(f, succs->blocks[i]);
        LLVMValueRef mask =
            geo_emit_mask_and(f, f->body.mask, edge_condition(f, inst, succs->blocks[i]));
        take_edge(f, from, i, mask);
        if (to <= from) {
            back_mask = mask;
            back = to;
        } else if (to < nearest) {
            nearest = to;
        }
    }
    LLVMBasicBlockRef next = place_of(f, geo_linear_next(&f->frame->body.plan, from, nearest));
    if (back_mask) {
        LLVMBuildCondBr(f->llvm.builder, geo_emit_mask_any(f, back_mask),
                        f->frame->body.blocks[back].body, next);
    } else {
        LLVMBuildBr(f->llvm.builder, next);
    }
}

/* ---- branches at which lanes agree ---- */

static bool is_agreed(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    return f->frame->body.agreed && f->frame->body.agreed[inst->block->index] &&
           (!geo_value_is_uniform(f, inst->operands[0]) || geo_agreement_asks(inst));
}

bool geo_control_edge_reaches(struct geo_lower_function *f, uint32_t position)
{
    const struct geo_ir_block *block = block_at(f, position);
    const struct geo_cfg_edges *preds = &f->frame->code->cfg.preds[block->index];
    const struct geo_ir_inst *branch = preds->count == 1 ? preds->blocks[0]->last : NULL;
    return !branch || !is_agreed(f, branch) || !geo_agreement_asks(branch) ||
           !geo_value_is_uniform(f, branch->operands[0]) || branch->targets[0] == block;
}

/* Branches to the start of another body if a lane may be outside. */
static void leave_inside(struct geo_lower_function *f, uint32_t from,
                         const struct geo_ir_inst *inst)
{
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[inst->block->index];
    uint32_t first = succs->blocks[0] == inst->targets[0] ? 0 : 1;
    LLVMValueRef inside = geo_value_scalar(f, inst->operands[0], 0);
    LLVMBuildCondBr(f->llvm.builder, inside, uniform_edge(f, from, first), f->frame->body.alone);
}

/* Branches to the start of another body if the lanes may go different ways. */
static void leave_agreed(struct geo_lower_function *f, uint32_t from,
                         const struct geo_ir_inst *inst)
{
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[inst->block->index];
    uint32_t first = succs->blocks[0] == inst->targets[0] ? 0 : 1;
    GEO_ASSERT(succs->count == 2 && f->frame->body.alone && !f->frame->body.tile);
    if (geo_value_is_uniform(f, inst->operands[0])) {
        leave_inside(f, from, inst);
        return;
    }
    struct geo_all_lanes lanes = geo_instruction_all_lanes_decide(f, inst);
    LLVMBasicBlockRef on = uniform_edge(f, from, first);
    LLVMBasicBlockRef off = uniform_edge(f, from, 1 - first);
    LLVMBasicBlockRef others = geo_emit_block_last(f, "others");
    LLVMBuildCondBr(f->llvm.builder, lanes.all, on, others);
    LLVMPositionBuilderAtEnd(f->llvm.builder, others);
    LLVMBuildCondBr(f->llvm.builder, lanes.none, off, f->frame->body.alone);
}

/* ---- branches in tiles ---- */

static LLVMValueRef selector_of(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                uint32_t member)
{
    geo_frame_tile_select(f, member);
    return geo_value_operand(f, inst->operands[0], 0,
                             !f->body.shapes->divergent_branch[inst->block->index]);
}

/* Branches to tile->alone if members would take different ways. There each member runs alone from
 * the start of the body. */
static void agree(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_lower_tile *tile = f->frame->body.tile;
    if (!tile || !tile->tiles.agree[inst->block->index]) {
        return;
    }
    LLVMValueRef first = selector_of(f, inst, 0), differs = NULL;
    for (uint32_t m = 1; m < tile->count; m++) {
        LLVMValueRef own = geo_emit_icmp(f, LLVMIntNE, selector_of(f, inst, m), first);
        differs = differs ? LLVMBuildOr(f->llvm.builder, differs, own, "") : own;
    }
    if (f->body.shapes->divergent_branch[inst->block->index]) {
        differs = geo_emit_mask_any(f, geo_emit_mask_and(f, f->body.mask, differs));
    }
    LLVMBasicBlockRef together = geo_emit_block_last(f, "agreed");
    LLVMBuildCondBr(f->llvm.builder, differs, tile->alone, together);
    LLVMPositionBuilderAtEnd(f->llvm.builder, together);
}

/* ---- leaving the function ---- */

static void leave_function(struct geo_lower_function *f, uint32_t from,
                           const struct geo_ir_inst *inst)
{
    for (uint32_t part = 0; inst->op == SpvOpReturnValue && f->frame->results &&
                            part < geo_part_count(inst->operands[0]->type);
         part++) {
        LLVMValueRef result = geo_value_vector(f, inst->operands[0], part);
        if (f->body.mask) {
            LLVMValueRef before =
                LLVMBuildLoad2(f->llvm.builder, LLVMTypeOf(result), f->frame->results[part], "");
            result = LLVMBuildSelect(f->llvm.builder, f->body.mask, result, before, "");
        }
        LLVMBuildStore(f->llvm.builder, result, f->frame->results[part]);
    }
    geo_control_edge_skip(f, from);
}

void geo_control_edge_leave(struct geo_lower_function *f, uint32_t position)
{
    const struct geo_ir_inst *inst = block_at(f, position)->last;
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[inst->block->index];
    GEO_ASSERT(!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->llvm.builder)));
    if (succs->count == 0) {
        leave_function(f, position, inst);
    } else if (succs->count == 1) {
        leave_single(f, position, position_of(f, succs->blocks[0]));
    } else {
        agree(f, inst);
        if (f->body.shapes->divergent_branch[inst->block->index]) {
            leave_divergent(f, position, inst);
        } else if (is_agreed(f, inst)) {
            leave_agreed(f, position, inst);
        } else {
            leave_uniform(f, position, inst);
        }
    }
}
