/* Emits one work-group of a kernel that is divided into regions (analysis/regions.h). Control flow
 * between regions belongs to the group and is executed once for all chunks.
 *
 *     region:  load values kept by the group, compute hoisted values
 *              for each chunk: body of the region    (if it has work)
 *              set the phis of the next head; branch
 *
 * Values kept by the group are in allocas, which LLVM turns into registers. */
#include "compiler/lower/cpu/function/regions.h"

#include "base/assert.h"
#include "compiler/lower/cpu/control/body.h"
#include "compiler/lower/cpu/control/edge.h"
#include "compiler/lower/cpu/control/home.h"
#include "compiler/lower/cpu/control/order.h"
#include "compiler/lower/cpu/frame/ambient.h"
#include "compiler/lower/cpu/frame/clip.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/function/hoist.h"
#include "compiler/lower/cpu/function/variant.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

/* The group while its regions are emitted. */
struct group {
    struct geo_lower_groups *k;
    struct geo_lower_function *f;
    struct geo_lower_cut *cut;
    LLVMBasicBlockRef *heads; /* by region: the LLVM block of its head */
    LLVMBasicBlockRef done;
};

static struct geo_ir_block *block_at(const struct group *g, uint32_t position)
{
    return g->f->frame->code->loops.order[position];
}

/* ---- before the chunks ---- */

static void read_kept(struct group *g, const struct geo_lower_region *region)
{
    for (uint32_t i = 0; i < region->read_count; i++) {
        geo_control_home_group_load(g->f, region->reads[i]);
        g->f->frame->above[region->reads[i]->index] = true;
    }
}

/* ---- after the chunks ---- */

/* Returns a value after the chunks. A value that chunks computed is loaded from the group's alloca,
 * because the code of a chunk does not dominate this point. */
static LLVMValueRef scalar_behind(struct group *g, struct geo_ir_value *value, uint32_t part)
{
    if (value->kind == GEO_VALUE_INST && !geo_frame_ambient_is_above(g->f, value)) {
        geo_control_home_group_load(g->f, value);
    }
    return geo_value_scalar(g->f, value, part);
}

/* Sets the phis that the group keeps along the edge to successor number `s` of the block at
 * `from`. */
static void bring_phis(struct group *g, uint32_t from, uint32_t s)
{
    struct geo_lower_function *f = g->f;
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[block_at(g, from)->index];
    uint32_t place = succs->places[s];
    for (struct geo_ir_inst *phi = succs->blocks[s]->first; phi && phi->op == SpvOpPhi;
         phi = phi->next) {
        struct geo_ir_value *operand = phi->operands[place];
        LLVMValueRef *home = g->cut->kept[phi->value.index] == GEO_KEPT_GROUP
                                 ? geo_control_group_home(f, &phi->value)
                                 : NULL;
        for (uint32_t part = 0; home && operand->kind != GEO_VALUE_UNDEF &&
                                part < geo_value_held(f, &phi->value)->count;
             part++) {
            LLVMBuildStore(f->llvm.builder, scalar_behind(g, operand, part), home[part]);
        }
    }
}

/* Returns an LLVM block that takes the edge to the head of a region. */
static LLVMBasicBlockRef edge(struct group *g, uint32_t from, uint32_t s)
{
    struct geo_lower_function *f = g->f;
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[block_at(g, from)->index];
    uint32_t to = f->frame->code->loops.position[succs->blocks[s]->index];
    GEO_ASSERT(s < succs->count && geo_frame_cut_is_head(g->cut, to));
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->llvm.builder);
    LLVMBasicBlockRef block = geo_emit_block_last(f, "edge");
    LLVMPositionBuilderAtEnd(f->llvm.builder, block);
    bring_phis(g, from, s);
    LLVMBuildBr(f->llvm.builder, g->heads[g->cut->regions->of[to]]);
    LLVMPositionBuilderAtEnd(f->llvm.builder, here);
    return block;
}

static void branch(struct group *g, uint32_t from)
{
    struct geo_lower_function *f = g->f;
    const struct geo_ir_inst *inst = block_at(g, from)->last;
    const struct geo_loops *loops = &f->frame->code->loops;
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[inst->block->index];
    LLVMValueRef selector = scalar_behind(g, inst->operands[0], 0);
    LLVMBasicBlockRef *edges = f->frame->body.edges;
    for (uint32_t i = 0; i < succs->count; i++) {
        edges[loops->position[succs->blocks[i]->index]] = edge(g, from, i);
    }
    geo_control_edge_branch(f, inst, selector, edges);
}

/* Emits the control flow to the next region. */
static void go_on(struct group *g, const struct geo_barrier_region *region)
{
    struct geo_lower_function *f = g->f;
    if (region->branches) {
        branch(g, region->last);
        return;
    }
    const struct geo_cfg_edges *succs =
        &f->frame->code->cfg.succs[block_at(g, region->last)->index];
    for (uint32_t s = 0; region->exits == 1 && s < succs->count; s++) {
        if (f->frame->code->loops.position[succs->blocks[s]->index] == region->next) {
            bring_phis(g, region->last, s);
        }
    }
    LLVMBuildBr(f->llvm.builder, region->next == GEO_LINEAR_END
                                     ? g->done
                                     : g->heads[g->cut->regions->of[region->next]]);
}

/* Emits the fences of all barriers that may end the region. */
static void fence(struct group *g, const struct geo_barrier_region *region)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const struct geo_ir_block *block = block_at(g, region->positions[i]);
        if (geo_barrier_of(&g->f->frame->code->barriers, block) != GEO_CFG_NONE) {
            geo_control_order_barrier(g->f, block->last->prev);
        }
    }
}

/* ---- one region ---- */

void geo_function_regions_plain_run(struct geo_lower_groups *k)
{
    geo_variant_run(k, GEO_VARIANT_CHUNKS);
}

static void run_chunks(struct group *g, const struct geo_lower_region *region)
{
    struct geo_lower_function *f = g->f;
    LLVMValueRef items = f->frame->ids.local_size[0];
    if (g->k->records) {
        LLVMBuildStore(f->llvm.builder, geo_emit_const_i64(f, 0), g->k->record_offset);
    }
    g->k->row_items = region->clip ? geo_frame_clip_items(f, region->clip, items) : NULL;
    geo_variant_run(g->k, GEO_VARIANT_REGION);
}

/* Marks the region's kept and hoisted values as not available for the next region's chunks. */
static void forget(struct group *g, const struct geo_lower_region *region)
{
    bool *above = g->f->frame->above;
    for (uint32_t i = 0; i < region->read_count; i++) {
        above[region->reads[i]->index] = false;
    }
    for (uint32_t i = 0; i < region->region->count; i++) {
        const struct geo_ir_block *block = block_at(g, region->region->positions[i]);
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            above[inst->value.index] &= !g->cut->hoisted[inst->value.index];
        }
    }
}

static void emit_region(struct group *g, struct geo_lower_region *region)
{
    struct geo_lower_function *f = g->f;
    GEO_ASSERT(!f->frame->body.tile &&
               !LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(f->llvm.builder)));
    g->cut->current = region;
    f->body.mask = NULL;
    read_kept(g, region);
    geo_function_hoist(f, region, true);
    if (region->works && !f->failed) {
        run_chunks(g, region);
    }
    if (f->failed) {
        LLVMBuildUnreachable(f->llvm.builder);
        return;
    }
    f->body.mask = NULL;
    fence(g, region->region);
    go_on(g, region->region);
    forget(g, region);
}

void geo_function_regions_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct group g = {.k = k, .f = f, .cut = f->frame->split.cut};
    uint32_t count = g.cut->regions->count;
    g.heads = geo_arena_array(f->arena, count, sizeof(LLVMBasicBlockRef));
    if (!g.heads) {
        geo_state_no_memory(f);
        return;
    }
    if (!geo_control_body_regions_begin(f)) {
        return;
    }
    f->body.mask = NULL;
    k->resume = NULL;
    geo_control_body_group_ambient(f);
    for (uint32_t i = 0; i < count; i++) {
        g.heads[i] = geo_emit_block_last(f, "region");
    }
    g.done = geo_emit_block_last(f, "group.done");
    LLVMBuildBr(f->llvm.builder, g.heads[0]);
    for (uint32_t i = 0; i < count && !f->failed; i++) {
        LLVMPositionBuilderAtEnd(f->llvm.builder, g.heads[i]);
        emit_region(&g, &g.cut->all[i]);
    }
    LLVMPositionBuilderAtEnd(f->llvm.builder, g.done);
}
