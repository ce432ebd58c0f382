/* Counts a block at its start: once for all its instructions, because no lane leaves a block in the
 * middle. The number of active lanes is the number of bits of the mask. */
#include "compiler/lower/cpu/control/count.h"

#include "compiler/analysis/work.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/cpu/frame/tile.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

/* Returns the number of active lanes as i64. */
static LLVMValueRef lanes_active(struct geo_lower_function *f)
{
    if (!f->body.mask) {
        return LLVMConstInt(geo_type_i64(f), f->lanes, false);
    }
    LLVMValueRef bits = geo_emit_mask_bits(f, f->body.mask);
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef count = geo_emit_intrinsic_of(f, "llvm.ctpop", &type, 1, &bits, 1);
    return geo_emit_zext(f, count, 64);
}

/* Adds to a counter of the body, which LLVM turns into a register. */
static void counter_add(struct geo_lower_function *f, enum geo_counted which, LLVMValueRef amount)
{
    LLVMValueRef place = f->frame->counters[which];
    LLVMValueRef before = LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), place, "");
    LLVMBuildStore(f->llvm.builder, LLVMBuildAdd(f->llvm.builder, before, amount, ""), place);
    f->frame->counted |= 1u << which;
}

void geo_control_count_begin(struct geo_lower_function *f)
{
    if (!f->options->counted) {
        return;
    }
    f->frame->counted = 0;
    for (uint32_t i = 0; i < GEO_COUNTED_COUNT; i++) {
        if (!f->frame->counters[i]) {
            f->frame->counters[i] = geo_emit_alloca(f, geo_type_i64(f), "count");
        }
        LLVMBuildStore(f->llvm.builder, geo_emit_const_i64(f, 0), f->frame->counters[i]);
    }
}

void geo_control_count_end(struct geo_lower_function *f)
{
    for (uint32_t i = 0; f->options->counted && i < GEO_COUNTED_COUNT; i++) {
        if (f->frame->counted & 1u << i) {
            LLVMValueRef place = geo_frame_launch_worker_count(f, (enum geo_counted)i);
            LLVMValueRef before = LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), place, "");
            LLVMValueRef own =
                LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), f->frame->counters[i], "");
            LLVMBuildStore(f->llvm.builder, LLVMBuildAdd(f->llvm.builder, before, own, ""), place);
        }
    }
}

void geo_control_count(struct geo_lower_function *f, const struct geo_ir_block *block)
{
    uint64_t work[GEO_COUNTED_COUNT] = {0};
    const uint64_t members = geo_frame_tile_members(f);
    if (!f->options->counted) {
        return;
    }
    geo_work_of_block(block, f->body.shapes, work);
    LLVMValueRef active = lanes_active(f); /* of each member */
    for (uint32_t i = 0; i < GEO_COUNTED_COUNT; i++) {
        if (work[i]) {
            LLVMValueRef each = LLVMConstInt(geo_type_i64(f), work[i] * members, false);
            counter_add(f, (enum geo_counted)i, LLVMBuildMul(f->llvm.builder, active, each, ""));
        }
    }
    if (work[GEO_COUNTED_INSTRUCTIONS]) {
        uint64_t slots = work[GEO_COUNTED_INSTRUCTIONS] * members * f->lanes;
        counter_add(f, GEO_COUNTED_SLOTS, LLVMConstInt(geo_type_i64(f), slots, false));
    }
}
