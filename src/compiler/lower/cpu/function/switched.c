/* Emits one work-group of a kernel with barriers that is not divided into regions. It runs all
 * chunks again and again; each continues behind the barrier at which it stopped, through a switch
 * at the start of the body (control/body.c). */
#include "compiler/lower/cpu/function/switched.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/cpu/function/variant.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"

/* Ends one run over all chunks. `next` 0 means that the group is done. A device barrier ends this
 * call of the kernel; any other barrier starts the next run. */
static void leave_region(struct geo_lower_groups *k, LLVMValueRef next, LLVMBasicBlockRef region,
                         LLVMBasicBlockRef done)
{
    struct geo_lower_function *f = k->f;
    const struct geo_barriers *barriers = &f->frame->code->barriers;
    LLVMValueRef leave = LLVMBuildSwitch(f->llvm.builder, next, region, barriers->count + 1);
    LLVMAddCase(leave, geo_emit_const_i32(f, 0), done);
    for (uint32_t i = 0; i < barriers->count; i++) {
        if (barriers->device[i]) {
            LLVMAddCase(leave, geo_emit_const_i32(f, i + 1), done);
        }
    }
    LLVMPositionBuilderAtEnd(f->llvm.builder, done);
    LLVMBuildStore(f->llvm.builder, next, geo_frame_launch_worker_resume(f));
}

void geo_function_switched_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    bool device = f->frame->code->barriers.any_device;
    LLVMValueRef none = geo_emit_const_i32(f, 0);
    LLVMBasicBlockRef region = geo_emit_block_last(f, "region");
    LLVMBasicBlockRef done = geo_emit_block_last(f, "group.done");
    LLVMValueRef first = device ? LLVMBuildLoad2(f->llvm.builder, geo_type_i32(f),
                                                 geo_frame_launch_worker_resume(f), "stopped")
                                : none;
    LLVMBuildStore(f->llvm.builder, first, f->frame->body.next_barrier);
    LLVMBuildBr(f->llvm.builder, region);
    LLVMPositionBuilderAtEnd(f->llvm.builder, region);
    GEO_ASSERT(k->records && f->frame->body.next_barrier);
    k->resume =
        LLVMBuildLoad2(f->llvm.builder, geo_type_i32(f), f->frame->body.next_barrier, "resume");
    LLVMBuildStore(f->llvm.builder, none, f->frame->body.next_barrier);
    LLVMBuildStore(f->llvm.builder, geo_emit_const_i64(f, 0), k->record_offset);
    geo_variant_run(k, GEO_VARIANT_CHUNKS);
    LLVMValueRef next =
        LLVMBuildLoad2(f->llvm.builder, geo_type_i32(f), f->frame->body.next_barrier, "");
    if (device) {
        leave_region(k, next, region, done);
        return;
    }
    LLVMValueRef stopped = LLVMBuildICmp(f->llvm.builder, LLVMIntNE, next, none, "");
    LLVMBuildCondBr(f->llvm.builder, stopped, region, done);
    LLVMPositionBuilderAtEnd(f->llvm.builder, done);
}
