/* Homes carry values from the block that computes them to the blocks that use them.
 *
 * A value that is used outside its block has an alloca for each part. It is stored after it is
 * computed, and loaded at the start of each block that reads it. LLVM's SROA turns the allocas into
 * SSA form, whatever linearisation did to dominance. The alloca of a phi also receives its incoming
 * values (edge.c). Phis may share one (analysis/coalesce.h).
 *
 * Values that live across a barrier are copied to the chunk's record in scratch memory, and back
 * where the chunk resumes. Each barrier has its own layout of the record. In kernels with regions,
 * the regions take the role of barriers, and values kept by the group have allocas of their own
 * (cpu/frame/cut.h). */
#include "compiler/lower/cpu/control/home.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/ambient.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/tile.h"
#include "compiler/lower/emit/dense.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

LLVMTypeRef geo_control_home_type(struct geo_lower_function *f, const struct geo_ir_value *value,
                                  uint32_t part)
{
    if (geo_value_is_dense(f, value)) {
        return geo_emit_dense_type(f, geo_type_of(f, value->type->element),
                                   geo_part_count(value->type));
    }
    LLVMTypeRef type = geo_type_of(f, geo_part_type(value->type, part));
    return geo_value_shape(f, value).kind == GEO_SHAPE_VARYING ? geo_type_vector(f, type) : type;
}

LLVMValueRef geo_control_home_mask(struct geo_lower_function *f, uint32_t position)
{
    GEO_ASSERT(f->lanes > 1 && position < f->frame->code->cfg.reachable_count);
    struct geo_lower_block_state *state = &f->frame->body.blocks[position];
    if (!state->mask_slot) {
        state->mask_slot = geo_emit_alloca(f, geo_type_mask(f), "mask");
    }
    return state->mask_slot;
}

uint32_t geo_control_home_parts(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    return geo_value_is_dense(f, value) ? 1 : geo_value_held(f, value)->count;
}

static LLVMValueRef *home_of(struct geo_lower_function *f, const struct geo_ir_value *value,
                             LLVMValueRef **homes)
{
    LLVMValueRef **home = &homes[value->index];
    if (*home) {
        return *home;
    }
    if (!geo_value_reserve(f, value)) {
        return NULL;
    }
    uint32_t count = geo_control_home_parts(f, value);
    *home = geo_arena_new_array(f->arena, LLVMValueRef, count + 1);
    if (!*home) {
        geo_state_no_memory(f);
        return NULL;
    }
    for (uint32_t part = 0; part < count; part++) {
        (*home)[part] = geo_emit_alloca(f, geo_control_home_type(f, value, part), "");
    }
    return *home;
}

/* Returns the value whose home `value` shares, which may be itself. PromoteMemToReg takes square
 * time for the homes of a long chain of phis, and linear time for their common one. With several
 * lanes a phi keeps its value for the lanes that are elsewhere. Records of barriers have a place
 * for each value. */
static const struct geo_ir_value *home_owner(struct geo_lower_function *f,
                                             const struct geo_ir_value *value)
{
    const struct geo_lower_code *code = f->frame->code;
    const struct geo_ir_inst *first = code->coalesced[value->index];
    bool shares = first && f->lanes == 1 && !code->barriers.count &&
                  geo_value_is_dense(f, value) == geo_value_is_dense(f, &first->value);
    return shares ? &first->value : value;
}

LLVMValueRef *geo_control_home(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    const struct geo_ir_value *owner = home_owner(f, value);
    if (owner != value && !f->frame->body.homes[value->index]) {
        f->frame->body.homes[value->index] = home_of(f, owner, f->frame->body.homes);
        if (!geo_value_reserve(f, value)) {
            return NULL;
        }
    }
    bool own = f->member.apart && f->member.apart[value->index];
    return home_of(f, value, own ? f->frame->body.own_homes : f->frame->body.homes);
}

static LLVMValueRef part_held(struct geo_lower_function *f, const struct geo_ir_value *value,
                              uint32_t part)
{
    if (geo_value_is_dense(f, value)) {
        return geo_value_dense(f, (struct geo_ir_value *)value);
    }
    const struct geo_lower_part *held = &geo_value_held(f, value)->parts[part];
    return held->vector ? held->vector : held->scalar;
}

static void load_parts(struct geo_lower_function *f, const struct geo_ir_value *value,
                       LLVMValueRef *home)
{
    bool dense = geo_value_is_dense(f, value);
    for (uint32_t part = 0; home && part < geo_control_home_parts(f, value); part++) {
        LLVMTypeRef type = geo_control_home_type(f, value, part);
        GEO_ASSERT(LLVMGetAllocatedType(home[part]) == type);
        LLVMValueRef loaded = LLVMBuildLoad2(f->llvm.builder, type, home[part], "");
        if (dense) {
            geo_value_set_dense(f, value, loaded);
        } else {
            geo_value_set_value(f, value, part, loaded);
        }
    }
}

static void store_parts(struct geo_lower_function *f, const struct geo_ir_value *value,
                        LLVMValueRef *home)
{
    for (uint32_t part = 0; home && part < geo_control_home_parts(f, value); part++) {
        LLVMValueRef held = part_held(f, value, part);
        GEO_ASSERT(LLVMGetAllocatedType(home[part]) == LLVMTypeOf(held));
        LLVMBuildStore(f->llvm.builder, held, home[part]);
    }
}

void geo_control_home_load(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    load_parts(f, value, geo_control_home(f, value));
}

/* ---- values kept by the group ---- */

LLVMValueRef *geo_control_group_home(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    return home_of(f, value, f->frame->split.cut->homes);
}

void geo_control_home_group_load(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    load_parts(f, value, geo_control_group_home(f, value));
}

void geo_control_home_group_store(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    store_parts(f, value, geo_control_group_home(f, value));
}

/* ---- the chunk's record ---- */

/* Returns the type of a value in memory. Masks and bools are stored as bytes, because LLVM packs
 * vectors of i1. */
static LLVMTypeRef memory_type(struct geo_lower_function *f, LLVMTypeRef type)
{
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef scalar = vector ? LLVMGetElementType(type) : type;
    if (scalar != geo_type_i1(f)) {
        return type;
    }
    return vector ? LLVMVectorType(geo_type_i8(f), LLVMGetVectorSize(type)) : geo_type_i8(f);
}

static void save(struct geo_lower_function *f, const struct geo_lower_saved *saved)
{
    const struct geo_ir_value *value = saved->value;
    LLVMValueRef *home = geo_control_home(f, value);
    GEO_ASSERT(f->frame->contract.record && saved->offsets);
    for (uint32_t part = 0; home && part < geo_value_held(f, value)->count; part++) {
        LLVMTypeRef type = geo_control_home_type(f, value, part);
        LLVMTypeRef in_memory = memory_type(f, type);
        GEO_ASSERT(saved->offsets[part] < f->frame->layout.chunk_bytes);
        LLVMValueRef held = LLVMBuildLoad2(f->llvm.builder, type, home[part], "");
        if (in_memory != type) {
            held = LLVMBuildZExt(f->llvm.builder, held, in_memory, "");
        }
        LLVMValueRef address =
            geo_emit_offset_const(f, f->frame->contract.record, saved->offsets[part]);
        LLVMBuildStore(f->llvm.builder, held, address);
    }
}

static void restore(struct geo_lower_function *f, const struct geo_lower_saved *saved)
{
    const struct geo_ir_value *value = saved->value;
    LLVMValueRef *home = geo_control_home(f, value);
    GEO_ASSERT(f->frame->contract.record && saved->offsets);
    for (uint32_t part = 0; home && part < geo_value_held(f, value)->count; part++) {
        LLVMTypeRef type = geo_control_home_type(f, value, part);
        LLVMTypeRef in_memory = memory_type(f, type);
        GEO_ASSERT(saved->offsets[part] < f->frame->layout.chunk_bytes);
        LLVMValueRef address =
            geo_emit_offset_const(f, f->frame->contract.record, saved->offsets[part]);
        LLVMValueRef held = LLVMBuildLoad2(f->llvm.builder, in_memory, address, "");
        if (in_memory != type) {
            held = LLVMBuildTrunc(f->llvm.builder, held, type, "");
        }
        LLVMBuildStore(f->llvm.builder, held, home[part]);
    }
}

static LLVMTypeRef mask_bits_type(const struct geo_lower_function *f)
{
    return LLVMIntTypeInContext(f->llvm.context, f->lanes);
}

/* Saves the mask of the lanes that continue at `resume`, or of lanes that wait in another block. */
static void mask_save(struct geo_lower_function *f, const struct geo_lower_saved_mask *saved,
                      uint32_t resume)
{
    LLVMValueRef mask = geo_emit_mask_active(f);
    if (saved->position != resume) {
        LLVMValueRef slot = geo_control_home_mask(f, saved->position);
        mask = LLVMBuildLoad2(f->llvm.builder, geo_type_mask(f), slot, "");
    }
    LLVMBuildStore(f->llvm.builder, geo_emit_mask_bits(f, mask),
                   geo_emit_offset_const(f, f->frame->contract.record, (int64_t)saved->offset));
}

static void mask_restore(struct geo_lower_function *f, const struct geo_lower_saved_mask *saved)
{
    LLVMValueRef address =
        geo_emit_offset_const(f, f->frame->contract.record, (int64_t)saved->offset);
    LLVMValueRef bits = LLVMBuildLoad2(f->llvm.builder, mask_bits_type(f), address, "");
    LLVMBuildStore(f->llvm.builder,
                   LLVMBuildBitCast(f->llvm.builder, bits, geo_type_mask(f), "mask"),
                   geo_control_home_mask(f, saved->position));
}

void geo_control_home_save(struct geo_lower_function *f, uint32_t barrier)
{
    const struct geo_lower_save *all = &f->frame->layout.save[barrier];
    const struct geo_lower_code *code = f->frame->code;
    uint32_t resume = code->loops.position[code->barriers.resume[barrier]->index];
    GEO_ASSERT(barrier < code->barriers.count && !f->frame->split.cut);
    for (uint32_t i = 0; i < all->mask_count; i++) {
        mask_save(f, &all->masks[i], resume);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        save(f, &all->items[i]);
    }
}

void geo_control_home_restore(struct geo_lower_function *f, uint32_t barrier)
{
    const struct geo_lower_save *all = &f->frame->layout.save[barrier];
    for (uint32_t i = 0; i < all->mask_count; i++) {
        mask_restore(f, &all->masks[i]);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        restore(f, &all->items[i]);
    }
}

void geo_control_home_enter(struct geo_lower_function *f, const struct geo_lower_region *region)
{
    for (uint32_t i = 0; i < region->in_count; i++) {
        for (uint32_t m = 0; m < geo_frame_tile_copies(f, region->in[i].value); m++) {
            geo_frame_tile_select(f, m);
            restore(f, &region->in[i]);
        }
    }
}

void geo_control_home_exit(struct geo_lower_function *f, const struct geo_lower_region *region)
{
    for (uint32_t m = 0; m < geo_frame_tile_members(f); m++) {
        geo_frame_tile_select(f, m);
        for (uint32_t i = 0; i < region->out_count; i++) {
            save(f, &region->out[i]);
        }
    }
}

/* ---- storing and loading values ---- */

void geo_control_home_hand_on(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    const struct geo_lower_cut *cut = f->frame->split.cut;
    if (cut && cut->kept[value->index] == GEO_KEPT_GROUP) {
        geo_control_home_group_store(f, value);
    }
}

void geo_control_home_keep(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    const struct geo_lower_cut *cut = f->frame->split.cut;
    bool kept = cut && cut->kept[value->index] == GEO_KEPT_CHUNK;
    if (!f->failed && (kept || f->frame->code->crosses[value->index])) {
        store_parts(f, value, geo_control_home(f, value));
    }
    if (!f->failed) {
        geo_control_home_hand_on(f, value);
    }
}

/* Loads a value from its home if another block computed it. */
static void fetch(struct geo_lower_function *f, const struct geo_ir_value *value,
                  const struct geo_ir_block *block)
{
    if (geo_frame_ambient_is_above(f, value) ||
        ((const struct geo_ir_inst *)value)->block == block) {
        return;
    }
    for (uint32_t m = 0; m < geo_frame_tile_copies(f, value); m++) {
        geo_frame_tile_select(f, m);
        geo_control_home_load(f, value);
    }
}

/* Loads what the phis of `successor` read from `block`, which is its predecessor number `place`. */
static void fetch_for_phis(struct geo_lower_function *f, const struct geo_ir_block *block,
                           const struct geo_ir_block *successor, uint32_t place)
{
    for (const struct geo_ir_inst *phi = successor->first; phi && phi->op == SpvOpPhi;
         phi = phi->next) {
        fetch(f, phi->operands[place], block);
    }
}

void geo_control_home_load_block(struct geo_lower_function *f, const struct geo_ir_block *block)
{
    for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        for (uint32_t i = 0; inst->op != SpvOpPhi && i < inst->operand_count; i++) {
            fetch(f, inst->operands[i], block);
        }
    }
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[block->index];
    for (uint32_t i = 0; i < succs->count; i++) {
        fetch_for_phis(f, block, succs->blocks[i], succs->places[i]);
    }
}
