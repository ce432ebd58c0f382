/* Counts a block at its start: once for all its instructions, because no lane leaves a block in the
 * middle. The number of active lanes is the number of bits of the mask. */
#include "compiler/lower/cpu/control/count.h"

#include "base/assert.h"
#include "compiler/analysis/work.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
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

static void counter_add(struct geo_lower_function *f, enum geo_counted which, LLVMValueRef amount)
{
    LLVMValueRef place = geo_frame_launch_worker_count(f, which);
    LLVMValueRef before = LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), place, "");
    LLVMBuildStore(f->llvm.builder, LLVMBuildAdd(f->llvm.builder, before, amount, ""), place);
}

void geo_control_count(struct geo_lower_function *f, const struct geo_ir_block *block)
{
    uint64_t work[GEO_COUNTED_COUNT] = {0};
    GEO_ASSERT(f->options->counted && !f->frame->body.tile && !f->frame->body.agreed);
    geo_work_of_block(block, f->body.shapes, work);
    LLVMValueRef active = lanes_active(f);
    for (uint32_t i = 0; i < GEO_COUNTED_COUNT; i++) {
        if (work[i]) {
            LLVMValueRef each = LLVMConstInt(geo_type_i64(f), work[i], false);
            counter_add(f, (enum geo_counted)i, LLVMBuildMul(f->llvm.builder, active, each, ""));
        }
    }
    if (work[GEO_COUNTED_INSTRUCTIONS]) {
        uint64_t slots = work[GEO_COUNTED_INSTRUCTIONS] * f->lanes;
        counter_add(f, GEO_COUNTED_SLOTS, LLVMConstInt(geo_type_i64(f), slots, false));
    }
}
