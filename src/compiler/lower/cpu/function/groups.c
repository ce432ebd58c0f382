/* Emits the loop of a kernel over its groups. A group runs all chunks once, region by region
 * (regions.c), or repeatedly through a switch. kernel.c has the overview and computes what is equal
 * for all groups. */
#include "compiler/lower/cpu/function/groups.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/cpu/function/chunks.h"
#include "compiler/lower/cpu/function/regions.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

/* ---- groups ---- */

/* Ends one run over all chunks. `next` 0 means that the group is done. A device barrier ends this
 * call of the kernel; any other barrier starts the next run. */
static void leave_region(struct geo_lower_groups *k, LLVMValueRef next, LLVMBasicBlockRef region,
                         LLVMBasicBlockRef done)
{
    struct geo_lower_function *f = k->f;
    const struct geo_barriers *barriers = &f->frame->code->barriers;
    LLVMValueRef leave = LLVMBuildSwitch(f->builder, next, region, barriers->count + 1);
    LLVMAddCase(leave, geo_emit_const_i32(f, 0), done);
    for (uint32_t i = 0; i < barriers->count; i++) {
        if (barriers->device[i]) {
            LLVMAddCase(leave, geo_emit_const_i32(f, i + 1), done);
        }
    }
    LLVMPositionBuilderAtEnd(f->builder, done);
    LLVMBuildStore(f->builder, next, geo_frame_launch_worker_resume(f));
}

/* Sets k->size to the number of items of the current group, which may be partial. */
static void measure_group(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    const struct geo_lower_ids *ids = &f->frame->ids;
    for (uint32_t i = 0; i < 3; i++) {
        k->size[i] = ids->local_size[i];
        if (k->any) {
            LLVMValueRef before = LLVMBuildMul(f->builder, ids->group[i], ids->local_size[i], "");
            LLVMValueRef rest = LLVMBuildSub(f->builder, ids->global_size[i], before, "");
            LLVMValueRef less = LLVMBuildICmp(f->builder, LLVMIntULT, rest, k->size[i], "");
            k->size[i] = LLVMBuildSelect(f->builder, less, rest, k->size[i], "items");
        }
    }
}

static void run_group(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    bool device = f->frame->code->barriers.any_device;
    if (f->frame->cut) {
        geo_function_regions_run(k);
        return;
    }
    if (!f->frame->code->barriers.count) {
        k->resume = NULL;
        geo_function_chunks_run(k);
        return;
    }
    LLVMValueRef none = geo_emit_const_i32(f, 0);
    LLVMBasicBlockRef region = geo_emit_block_last(f, "region");
    LLVMBasicBlockRef done = geo_emit_block_last(f, "group.done");
    LLVMValueRef first = device ? LLVMBuildLoad2(f->builder, geo_type_i32(f),
                                                 geo_frame_launch_worker_resume(f), "stopped")
                                : none;
    LLVMBuildStore(f->builder, first, f->frame->next_barrier);
    LLVMBuildBr(f->builder, region);
    LLVMPositionBuilderAtEnd(f->builder, region);
    GEO_ASSERT(k->records && f->frame->next_barrier);
    k->resume = LLVMBuildLoad2(f->builder, geo_type_i32(f), f->frame->next_barrier, "resume");
    LLVMBuildStore(f->builder, none, f->frame->next_barrier);
    LLVMBuildStore(f->builder, geo_emit_const_i64(f, 0), k->record_offset);
    geo_function_chunks_run(k);
    LLVMValueRef next = LLVMBuildLoad2(f->builder, geo_type_i32(f), f->frame->next_barrier, "");
    if (device) {
        leave_region(k, next, region, done);
        return;
    }
    LLVMValueRef stopped = LLVMBuildICmp(f->builder, LLVMIntNE, next, none, "");
    LLVMBuildCondBr(f->builder, stopped, region, done);
    LLVMPositionBuilderAtEnd(f->builder, done);
}

/* Advances the group ids by one in x, with carry into y and z. */
static void advance_group(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef zero = geo_emit_const_i64(f, 0);
    LLVMValueRef carry = LLVMConstInt(geo_type_i1(f), 1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        LLVMValueRef step = LLVMBuildZExt(f->builder, carry, geo_type_i64(f), "");
        LLVMValueRef next = LLVMBuildAdd(f->builder, f->frame->ids.group[i], step, "");
        carry = LLVMBuildICmp(f->builder, LLVMIntEQ, next, f->frame->ids.group_count[i], "");
        LLVMValueRef wrapped = LLVMBuildSelect(f->builder, carry, zero, next, "");
        LLVMBuildStore(f->builder, i < 2 ? wrapped : next, k->slots[i]);
    }
}

void geo_function_groups_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct geo_lower_loop groups;
    geo_function_chunks_begin(f, &groups, "group");
    geo_function_chunks_while(
        f, &groups,
        LLVMBuildICmp(f->builder, LLVMIntULT, groups.value, LLVMGetParam(f->llvm_function, 3), ""));
    for (uint32_t i = 0; i < 3; i++) {
        f->frame->ids.group[i] = LLVMBuildLoad2(f->builder, geo_type_i64(f), k->slots[i], "group");
    }
    measure_group(k);
    run_group(k);
    advance_group(k);
    geo_function_chunks_end(f, &groups, 1);
    LLVMBuildRetVoid(f->builder);
}
