/* The loops of a kernel over groups, barrier regions and chunks, around the body (control/body.c).
 * The drawing is in kernel.c, which sets up what is the same for all groups. */
#include "compiler/lower/function/groups.h"

#include "compiler/lower/control/body.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/frame/frame.h"

/* ---- loops ---- */

/* for (counter = 0; ...; counter += step), its counter in an alloca. */
struct loop {
    LLVMValueRef slot, value;
    LLVMBasicBlockRef head, exit;
};

static void loop_begin(struct geo_lower_function *f, struct loop *loop, const char *name)
{
    loop->slot = geo_emit_alloca(f, geo_emit_i64(f), name);
    loop->head = geo_emit_block_last(f, name);
    LLVMBuildStore(f->builder, geo_emit_const_i64(f, 0), loop->slot);
    LLVMBuildBr(f->builder, loop->head);
    LLVMPositionBuilderAtEnd(f->builder, loop->head);
    loop->value = LLVMBuildLoad2(f->builder, geo_emit_i64(f), loop->slot, name);
}

static void loop_while(struct geo_lower_function *f, struct loop *loop, LLVMValueRef condition)
{
    LLVMBasicBlockRef body = geo_emit_block_last(f, "loop");
    loop->exit = geo_emit_block_last(f, "exit");
    LLVMBuildCondBr(f->builder, condition, body, loop->exit);
    LLVMPositionBuilderAtEnd(f->builder, body);
}

static void loop_end(struct geo_lower_function *f, struct loop *loop, uint64_t step)
{
    LLVMValueRef next = LLVMBuildAdd(f->builder, loop->value, geo_emit_const_i64(f, step), "");
    LLVMBuildStore(f->builder, next, loop->slot);
    LLVMBuildBr(f->builder, loop->head);
    LLVMPositionBuilderAtEnd(f->builder, loop->exit);
}

static LLVMValueRef below(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(f->builder, LLVMIntULT, a, b, "");
}

/* ---- chunks ---- */

/* The record of the chunk whose turn it is; chunks come in the same order in every region. */
static void enter_record(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    if (!f->frame->code->barriers.count) {
        return;
    }
    LLVMValueRef offset = LLVMBuildLoad2(f->builder, geo_emit_i64(f), k->record_offset, "");
    f->frame->record = f->frame->memory = geo_emit_offset(f, k->records, offset);
    LLVMValueRef next =
        LLVMBuildAdd(f->builder, offset, geo_emit_const_i64(f, f->frame->layout.chunk_bytes), "");
    LLVMBuildStore(f->builder, next, k->record_offset);
}

static void run_chunk(struct geo_lower_groups *k, LLVMValueRef mask)
{
    struct geo_lower_function *f = k->f;
    f->frame->base_mask = mask;
    f->frame->base_lane0 = true;
    enter_record(k);
    if (f->frame->context) {
        geo_lower_context_store(f, f->frame->context, &f->frame->ids);
    }
    geo_lower_body(f, k->resume);
}

/* Chunks at 0, W, 2 W ... below `items`; the place goes to *id. */
static void run_row(struct geo_lower_groups *k, LLVMValueRef *id, LLVMValueRef items,
                    uint32_t known_items)
{
    struct geo_lower_function *f = k->f;
    uint32_t lanes = f->lanes;
    bool partial = lanes > 1 && (!known_items || known_items % lanes);
    struct loop loop;
    loop_begin(f, &loop, "chunk");
    if (partial && k->masked_only) {
        loop_while(f, &loop, below(f, loop.value, items));
        *id = loop.value;
        run_chunk(k, geo_emit_mask_below(f, LLVMBuildSub(f->builder, items, loop.value, "")));
        loop_end(f, &loop, lanes);
        return;
    }
    LLVMValueRef last = LLVMBuildAdd(f->builder, loop.value, geo_emit_const_i64(f, lanes - 1), "");
    loop_while(f, &loop, below(f, last, items));
    *id = loop.value;
    run_chunk(k, NULL);
    loop_end(f, &loop, lanes);
    if (!partial) {
        return;
    }
    LLVMValueRef at = LLVMBuildLoad2(f->builder, geo_emit_i64(f), loop.slot, "");
    LLVMBasicBlockRef some = geo_emit_block_last(f, "partial");
    LLVMBasicBlockRef after = geo_emit_block_last(f, "row.done");
    LLVMBuildCondBr(f->builder, below(f, at, items), some, after);
    LLVMPositionBuilderAtEnd(f->builder, some);
    *id = at;
    run_chunk(k, geo_emit_mask_below(f, LLVMBuildSub(f->builder, items, at, "")));
    LLVMBuildBr(f->builder, after);
    LLVMPositionBuilderAtEnd(f->builder, after);
}

static void run_chunks(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct geo_lower_ids *ids = &f->frame->ids;
    const uint32_t *required = f->function->required_size;
    LLVMValueRef zero = geo_emit_const_i64(f, 0);
    ids->linear = ids->local[0] = ids->local[1] = ids->local[2] = zero;
    if (f->shapes->linear) {
        LLVMValueRef items = LLVMBuildMul(f->builder, ids->local_size[0], ids->local_size[1], "");
        items = LLVMBuildMul(f->builder, items, ids->local_size[2], "");
        run_row(k, &ids->linear, items, required[0] * required[1] * required[2]);
        return;
    }
    struct loop z, y;
    loop_begin(f, &z, "z");
    loop_while(f, &z, below(f, z.value, ids->local_size[2]));
    loop_begin(f, &y, "y");
    loop_while(f, &y, below(f, y.value, ids->local_size[1]));
    ids->local[1] = y.value;
    ids->local[2] = z.value;
    run_row(k, &ids->local[0], ids->local_size[0], required[0]);
    loop_end(f, &y, 1);
    loop_end(f, &z, 1);
}

/* ---- groups ---- */

/* Behind a region: 0 means the group is done; a barrier of the device ends this call, any other
 * one this region. */
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
    LLVMBuildStore(f->builder, next, geo_emit_worker_resume(f));
}

static void run_group(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    bool device = f->frame->code->barriers.any_device;
    if (!f->frame->code->barriers.count) {
        k->resume = NULL;
        run_chunks(k);
        return;
    }
    LLVMValueRef none = geo_emit_const_i32(f, 0);
    LLVMBasicBlockRef region = geo_emit_block_last(f, "region");
    LLVMBasicBlockRef done = geo_emit_block_last(f, "group.done");
    LLVMValueRef first =
        device ? LLVMBuildLoad2(f->builder, geo_emit_i32(f), geo_emit_worker_resume(f), "stopped")
               : none;
    LLVMBuildStore(f->builder, first, f->frame->next_barrier);
    LLVMBuildBr(f->builder, region);
    LLVMPositionBuilderAtEnd(f->builder, region);
    k->resume = LLVMBuildLoad2(f->builder, geo_emit_i32(f), f->frame->next_barrier, "resume");
    LLVMBuildStore(f->builder, none, f->frame->next_barrier);
    LLVMBuildStore(f->builder, geo_emit_const_i64(f, 0), k->record_offset);
    run_chunks(k);
    LLVMValueRef next = LLVMBuildLoad2(f->builder, geo_emit_i32(f), f->frame->next_barrier, "");
    if (device) {
        leave_region(k, next, region, done);
        return;
    }
    LLVMValueRef stopped = LLVMBuildICmp(f->builder, LLVMIntNE, next, none, "");
    LLVMBuildCondBr(f->builder, stopped, region, done);
    LLVMPositionBuilderAtEnd(f->builder, done);
}

/* group[0]++, carrying into y and z. */
static void advance_group(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef zero = geo_emit_const_i64(f, 0);
    LLVMValueRef carry = LLVMConstInt(geo_emit_i1(f), 1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        LLVMValueRef step = LLVMBuildZExt(f->builder, carry, geo_emit_i64(f), "");
        LLVMValueRef next = LLVMBuildAdd(f->builder, f->frame->ids.group[i], step, "");
        carry = LLVMBuildICmp(f->builder, LLVMIntEQ, next, f->frame->ids.group_count[i], "");
        LLVMValueRef wrapped = LLVMBuildSelect(f->builder, carry, zero, next, "");
        LLVMBuildStore(f->builder, i < 2 ? wrapped : next, k->slots[i]);
    }
}

void geo_lower_groups_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct loop groups;
    loop_begin(f, &groups, "group");
    loop_while(f, &groups, below(f, groups.value, LLVMGetParam(f->llvm_function, 3)));
    for (uint32_t i = 0; i < 3; i++) {
        f->frame->ids.group[i] = LLVMBuildLoad2(f->builder, geo_emit_i64(f), k->slots[i], "group");
    }
    run_group(k);
    advance_group(k);
    loop_end(f, &groups, 1);
    LLVMBuildRetVoid(f->builder);
}
