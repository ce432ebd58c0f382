/* Finds clipped regions and computes their bounds; see clip.h. */
#include "compiler/lower/cpu/frame/clip.h"

#include "base/assert.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/cpu/frame/ambient.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

/* A comparison in the form "id OP bound". */
struct clip {
    SpvOp op; /* ULessThan, SLessThan, ULessThanEqual, SLessThanEqual, or IEqual with bound 0 */
    struct geo_ir_value *bound;
};

/* ---- the comparison ---- */

/* Returns whether a value is the local id in x, extended or narrowed to 32 bits or more. */
static bool is_row_id(const struct geo_ir_value *value)
{
    while (value->kind == GEO_VALUE_INST && value->type->kind == GEO_TYPE_INT &&
           value->type->width >= 32) {
        const struct geo_ir_inst *inst = (const struct geo_ir_inst *)value;
        if (inst->op == (SpvOp)GEO_OP_BUILTIN) {
            return inst->literals[0] == SpvBuiltInLocalInvocationId && inst->literals[1] == 0;
        }
        if (inst->op != SpvOpUConvert && inst->op != SpvOpSConvert && inst->op != SpvOpCopyObject) {
            return false;
        }
        value = inst->operands[0];
    }
    return false;
}

/* Returns the comparison for swapped operands, or Nop if it cannot clip a region. */
static SpvOp swapped(SpvOp op)
{
    switch (op) {
    case SpvOpUGreaterThan:
        return SpvOpULessThan;
    case SpvOpSGreaterThan:
        return SpvOpSLessThan;
    case SpvOpUGreaterThanEqual:
        return SpvOpULessThanEqual;
    case SpvOpSGreaterThanEqual:
        return SpvOpSLessThanEqual;
    case SpvOpIEqual:
        return SpvOpIEqual;
    default:
        return SpvOpNop;
    }
}

static bool is_zero(const struct geo_ir_value *value)
{
    uint64_t bits;
    return geo_ir_constant_bits(value, &bits) && bits == 0;
}

/* Reads a comparison of the row id with a bound. Returns false if it has another form. */
static bool clip_read(const struct geo_ir_inst *inst, struct clip *out)
{
    SpvOp op = inst->op, other = swapped(inst->op);
    if (inst->operand_count == 2 && is_row_id(inst->operands[1]) && other != SpvOpNop) {
        *out = (struct clip){.op = other, .bound = inst->operands[0]};
    } else if (inst->operand_count == 2 && is_row_id(inst->operands[0])) {
        *out = (struct clip){.op = op, .bound = inst->operands[1]};
    } else {
        return false;
    }
    switch (out->op) {
    case SpvOpULessThan:
    case SpvOpSLessThan:
    case SpvOpULessThanEqual:
    case SpvOpSLessThanEqual:
        return true;
    case SpvOpIEqual:
        return is_zero(out->bound);
    default:
        return false;
    }
}

/* ---- the region ---- */

/* Returns whether the region does no work from `block` up to its end. Blocks are ordered so that
 * edges lead forward. */
static bool is_idle_from(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                         const struct geo_lower_region *region, const struct geo_ir_block *block)
{
    const struct geo_lower_code *code = f->frame->code;
    uint32_t at = code->loops.position[block->index];
    while (cut->all + cut->regions->of[at] == region && at != region->region->positions[0]) {
        const struct geo_cfg_edges *succs = &code->cfg.succs[code->loops.order[at]->index];
        if (geo_frame_cut_block_works(f, cut, region, code->loops.order[at])) {
            return false;
        }
        if (succs->count != 1) {
            return succs->count == 0 || (region->region->branches && region->region->last == at);
        }
        uint32_t next = code->loops.position[succs->blocks[0]->index];
        if (next <= at) {
            return next == cut->regions->list[cut->regions->of[next]].positions[0];
        }
        at = next;
    }
    return true;
}

/* Returns whether items may skip the block. Calls and sub-group operations count as effects,
 * because they need all of their items. */
static bool is_effectless(const struct geo_ir_block *block)
{
    for (const struct geo_ir_inst *inst = block->first; inst != block->last; inst = inst->next) {
        if (geo_ir_has_effect(inst)) {
            return false;
        }
    }
    return true;
}

/* Returns whether the chunks compute no value that the group reads after the region. */
static bool gives_group_nothing(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                                const struct geo_lower_region *region)
{
    for (uint32_t i = 0; i < region->region->count; i++) {
        uint32_t at = region->region->positions[i];
        for (const struct geo_ir_inst *inst = f->frame->code->loops.order[at]->first; inst;
             inst = inst->next) {
            uint32_t index = inst->value.index;
            bool head_phi = inst->op == SpvOpPhi && i == 0;
            if (cut->kept[index] == GEO_KEPT_GROUP && !cut->hoisted[index] && !head_phi) {
                return false;
            }
        }
    }
    return true;
}

/* Sets the clip of region `at` if its first branch tests the row id and the other side does
 * nothing. */
static void clip_find(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                      uint32_t at)
{
    struct geo_lower_region *region = &cut->all[at];
    const struct geo_ir_block *head = f->frame->code->loops.order[region->region->positions[0]];
    const struct geo_ir_inst *branch = head->last;
    const struct geo_cfg_edges *succs = &f->frame->code->cfg.succs[head->index];
    struct clip clip;
    if (f->body.shapes->linear || !region->works || region->out_count ||
        region->region->exits != 1 || branch->op != SpvOpBranchConditional || succs->count != 2 ||
        !f->body.shapes->divergent_branch[head->index] ||
        branch->operands[0]->kind != GEO_VALUE_INST) {
        return;
    }
    const struct geo_ir_inst *compare = (const struct geo_ir_inst *)branch->operands[0];
    if (compare->block != head || !clip_read(compare, &clip) ||
        !geo_frame_cut_is_there(f, cut, at, clip.bound) || !is_effectless(head) ||
        !gives_group_nothing(f, cut, region) || !is_idle_from(f, cut, region, branch->targets[1])) {
        return;
    }
    GEO_ASSERT(geo_shape_of(f->body.shapes, &compare->value).kind == GEO_SHAPE_VARYING);
    region->clip = compare;
}

void geo_frame_clips_find(const struct geo_lower_function *f)
{
    for (uint32_t i = 0; i < f->frame->split.cut->regions->count; i++) {
        clip_find(f, f->frame->split.cut, i);
    }
}

/* ---- the bound ---- */

LLVMValueRef geo_frame_clip_items(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                  LLVMValueRef items)
{
    struct clip clip;
    if (!clip_read(inst, &clip) || clip.op == SpvOpIEqual) {
        return geo_emit_const_i64(f, 1);
    }
    bool is_signed = clip.op == SpvOpSLessThan || clip.op == SpvOpSLessThanEqual;
    bool equal = clip.op == SpvOpULessThanEqual || clip.op == SpvOpSLessThanEqual;
    LLVMValueRef bound = geo_value_scalar(f, clip.bound, 0);
    LLVMTypeRef wide = geo_type_i64(f);
    bound = LLVMBuildIntCast2(f->llvm.builder, bound, wide, is_signed, "bound");
    if (is_signed) { /* negative bounds hold for no item: clamp to 0, or to -1 for "or equal" */
        LLVMValueRef least = geo_emit_const_i64(f, equal ? UINT64_MAX : 0);
        bound = geo_emit_minmax(f, "llvm.smax", bound, least);
    }
    LLVMValueRef enough =
        LLVMBuildICmp(f->llvm.builder, is_signed ? LLVMIntSGE : LLVMIntUGE, bound, items, "");
    if (equal) {
        bound = LLVMBuildAdd(f->llvm.builder, bound, geo_emit_const_i64(f, 1), "");
    }
    return LLVMBuildSelect(f->llvm.builder, enough, items, bound, "bound");
}
