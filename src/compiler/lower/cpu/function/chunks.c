/* Emits the loops over the chunks of one work-group, around a body (control/body.c). They are
 * variants of the table in variants.c. */
#include "compiler/lower/cpu/function/chunks.h"

#include "base/assert.h"
#include "compiler/analysis/agreement.h"
#include "compiler/lower/cpu/control/body.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/function/begin.h"
#include "compiler/lower/cpu/function/loop.h"
#include "compiler/lower/cpu/function/variant.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "native/abi.h"

/* ---- one chunk ---- */

/* Returns the size of the records of `items` items, which are whole chunks. */
static LLVMValueRef records_size(struct geo_lower_groups *k, LLVMValueRef items)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef chunks =
        LLVMBuildUDiv(f->llvm.builder, items, geo_emit_const_i64(f, f->lanes), "");
    return LLVMBuildMul(f->llvm.builder, chunks,
                        geo_emit_const_i64(f, f->frame->layout.chunk_bytes), "");
}

/* Returns the number of items of the row, rounded up to whole chunks. */
static LLVMValueRef items_up(struct geo_lower_function *f, LLVMValueRef items)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef last = LLVMBuildAdd(b, items, geo_emit_const_i64(f, f->lanes - 1), "");
    return LLVMBuildAnd(b, last, geo_emit_const_i64(f, -(uint64_t)f->lanes), "");
}

/* Advances to the record of the current chunk. Chunks come in the same order in every region. In
 * descending order, record_offset stays at the start of the row. */
static void enter_record(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    if (!k->records) {
        return;
    }
    LLVMValueRef offset = LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), k->record_offset, "");
    if (geo_frame_cut_descends(f)) {
        offset = LLVMBuildAdd(f->llvm.builder, offset, records_size(k, *k->row.id), "");
    }
    f->frame->contract.record = f->frame->contract.memory = geo_emit_offset(f, k->records, offset);
    if (geo_frame_cut_descends(f)) {
        return;
    }
    LLVMValueRef next = LLVMBuildAdd(f->llvm.builder, offset,
                                     geo_emit_const_i64(f, f->frame->layout.chunk_bytes), "");
    LLVMBuildStore(f->llvm.builder, next, k->record_offset);
}

/* Sets the record of a row's first chunk, because clipped rows do not run all of their chunks. */
static void enter_row(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    const struct geo_lower_ids *ids = &f->frame->ids;
    if (!k->records) {
        return;
    }
    LLVMValueRef row = LLVMBuildMul(f->llvm.builder, ids->local[2], ids->local_size[1], "");
    row = LLVMBuildAdd(f->llvm.builder, row, ids->local[1], "row");
    LLVMValueRef size = records_size(k, items_up(f, ids->local_size[0]));
    LLVMBuildStore(f->llvm.builder, LLVMBuildMul(f->llvm.builder, row, size, ""), k->record_offset);
}

/* Moves to the records behind the row, where they are in descending order. */
static void leave_row(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    if (!k->records || !geo_frame_cut_descends(f)) {
        return;
    }
    LLVMValueRef offset = LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), k->record_offset, "");
    LLVMValueRef size = records_size(k, items_up(f, k->row.items));
    LLVMBuildStore(f->llvm.builder, LLVMBuildAdd(f->llvm.builder, offset, size, ""),
                   k->record_offset);
}

/* Emits the body for one chunk with the given mask; NULL: all lanes. */
static void run_chunk(struct geo_lower_groups *k, LLVMValueRef mask)
{
    struct geo_lower_function *f = k->f;
    GEO_ASSERT(!mask || geo_emit_is_mask(f, mask));
    f->frame->body.base_mask = mask;
    f->frame->body.base_lane0 = true;
    enter_record(k);
    if (f->frame->contract.context) {
        geo_frame_ids_context_store(f, f->frame->contract.context, &f->frame->ids);
    }
    geo_control_body(f, k->resume);
}

/* ---- one row ---- */

/* Returns the position of the chunk at which a loop over chunks is: the loop's counter, or in
 * descending order the mirrored position. `end` is behind the last chunk. */
static LLVMValueRef position(struct geo_lower_groups *k, const struct geo_lower_loop *loop,
                             LLVMValueRef end)
{
    struct geo_lower_function *f = k->f;
    if (!geo_frame_cut_descends(f)) {
        return loop->value;
    }
    LLVMValueRef left = LLVMBuildSub(f->llvm.builder, end, loop->value, "");
    return LLVMBuildSub(f->llvm.builder, left, geo_emit_const_i64(f, f->lanes), "");
}

void geo_function_chunks_row_masked_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct geo_lower_loop loop;
    geo_function_loop_begin(f, &loop, "chunk");
    geo_function_loop_while(f, &loop, geo_function_loop_below(f, loop.value, k->row.items));
    LLVMValueRef at = position(k, &loop, items_up(f, k->row.items));
    *k->row.id = at;
    run_chunk(k, geo_emit_mask_below(f, LLVMBuildSub(f->llvm.builder, k->row.items, at, "")));
    geo_function_loop_end(f, &loop, f->lanes);
}

/* Runs the full chunks at 0, W, 2 W ... or in descending order. Stores in *loop the loop, which has
 * ended. */
static void run_full(struct geo_lower_groups *k, struct geo_lower_loop *loop)
{
    struct geo_lower_function *f = k->f;
    geo_function_loop_begin(f, loop, "chunk");
    LLVMValueRef last =
        LLVMBuildAdd(f->llvm.builder, loop->value, geo_emit_const_i64(f, f->lanes - 1), "");
    geo_function_loop_while(f, loop, geo_function_loop_below(f, last, k->row.items));
    LLVMValueRef end =
        LLVMBuildAnd(f->llvm.builder, k->row.items, geo_emit_const_i64(f, -(uint64_t)f->lanes), "");
    *k->row.id = position(k, loop, end);
    run_chunk(k, NULL);
    geo_function_loop_end(f, loop, f->lanes);
}

void geo_function_chunks_row_whole_run(struct geo_lower_groups *k)
{
    struct geo_lower_loop loop;
    run_full(k, &loop);
    k->kernel->flags |= k->restricted ? GEO_KERNEL_WHOLE_ROWS : 0;
}

/* Runs the chunk at `at`, which is the end of a row and not full, if it has items. */
static void run_rest(struct geo_lower_groups *k, LLVMValueRef at)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef items = k->row.items;
    LLVMBasicBlockRef some = geo_emit_block_last(f, "partial");
    LLVMBasicBlockRef after = geo_emit_block_last(f, "row.done");
    LLVMBuildCondBr(f->llvm.builder, geo_function_loop_below(f, at, items), some, after);
    LLVMPositionBuilderAtEnd(f->llvm.builder, some);
    *k->row.id = at;
    run_chunk(k, geo_emit_mask_below(f, LLVMBuildSub(f->llvm.builder, items, at, "")));
    LLVMBuildBr(f->llvm.builder, after);
    LLVMPositionBuilderAtEnd(f->llvm.builder, after);
}

void geo_function_chunks_row_mixed_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct geo_lower_loop loop;
    if (geo_frame_cut_descends(f)) {
        run_rest(k, LLVMBuildAnd(f->llvm.builder, k->row.items,
                                 geo_emit_const_i64(f, -(uint64_t)f->lanes), ""));
        run_full(k, &loop);
        return;
    }
    run_full(k, &loop);
    run_rest(k, LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), loop.slot, ""));
}

/* Switches to the shapes of full chunks whose lanes agree, or back. */
static void agree(struct geo_lower_groups *k, bool agreed, LLVMBasicBlockRef alone)
{
    struct geo_lower_function *f = k->f;
    if (!f->failed && geo_function_shapes(f, agreed ? k->shapes_agreed : k->shapes)) {
        f->frame->body.agreed = agreed ? k->agreed : NULL;
        f->frame->body.alone = alone;
    }
}

/* Returns whether a load has a second case for chunks at a border (analysis/agreement.h). */
static bool has_cases(const struct geo_lower_groups *k)
{
    geo_ir_for_each_block(block, k->f->frame->code->function) {
        if (k->agreed[block->index] && geo_agreement_asks(block->last)) {
            return true;
        }
    }
    return false;
}

/* Emits the chunk of `loop` again, for full chunks at a border, if masks cost much and the body is
 * small. Returns where it starts, or `masked`. */
static LLVMBasicBlockRef run_border(struct geo_lower_groups *k, const struct geo_lower_loop *loop,
                                    LLVMBasicBlockRef masked, LLVMBasicBlockRef next)
{
    struct geo_lower_function *f = k->f;
    if (f->options->target.has_masks || k->large || !has_cases(k)) {
        return masked;
    }
    LLVMBasicBlockRef border = geo_emit_block_last(f, "border");
    LLVMPositionBuilderAtEnd(f->llvm.builder, border);
    *k->row.id = loop->value;
    run_chunk(k, NULL);
    LLVMBuildBr(f->llvm.builder, next);
    return border;
}

void geo_function_chunks_row_agreed_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct geo_lower_loop loop;
    geo_function_loop_begin(f, &loop, "chunk");
    geo_function_loop_while(f, &loop, geo_function_loop_below(f, loop.value, k->row.items));
    LLVMValueRef left = LLVMBuildSub(f->llvm.builder, k->row.items, loop.value, "");
    LLVMBasicBlockRef full = geo_emit_block_last(f, "full");
    LLVMBasicBlockRef masked = geo_emit_block_last(f, "masked");
    LLVMBasicBlockRef next = geo_emit_block_last(f, "chunk.done");
    LLVMBuildCondBr(f->llvm.builder,
                    geo_function_loop_below(f, left, geo_emit_const_i64(f, f->lanes)), masked,
                    full);
    LLVMBasicBlockRef border = run_border(k, &loop, masked, next);
    *k->row.id = loop.value;
    LLVMPositionBuilderAtEnd(f->llvm.builder, full);
    agree(k, true, border);
    run_chunk(k, NULL);
    LLVMBuildBr(f->llvm.builder, next);
    LLVMPositionBuilderAtEnd(f->llvm.builder, masked);
    agree(k, false, NULL);
    *k->row.id = loop.value;
    run_chunk(k, geo_emit_mask_below(f, left));
    LLVMBuildBr(f->llvm.builder, next);
    LLVMPositionBuilderAtEnd(f->llvm.builder, next);
    geo_function_loop_end(f, &loop, f->lanes);
}

/* Runs the chunks of a row. The position of the chunk goes to *id. `known_items` is the number of
 * items if known at build time, or 0. */
static void run_row(struct geo_lower_groups *k, LLVMValueRef *id, LLVMValueRef items,
                    uint32_t known_items)
{
    k->row = (struct geo_lower_row){.id = id, .items = items, .known_items = known_items};
    geo_variant_run(k, GEO_VARIANT_ROW);
    leave_row(k);
}

/* ---- all chunks ---- */

uint32_t geo_function_chunks_known_items(const struct geo_lower_groups *k)
{
    bool whole = k->whole || (k->restricted && !k->row_items);
    return whole ? k->f->lanes : k->any || k->row_items ? 0 : k->f->function->required_size[0];
}

void geo_function_chunks_begin(struct geo_lower_groups *k)
{
    struct geo_lower_ids *ids = &k->f->frame->ids;
    ids->linear = ids->local[0] = ids->local[1] = ids->local[2] = geo_emit_const_i64(k->f, 0);
}

void geo_function_chunks_linear_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct geo_lower_ids *ids = &f->frame->ids;
    const uint32_t *required = f->function->required_size;
    geo_function_chunks_begin(k);
    LLVMValueRef items = LLVMBuildMul(f->llvm.builder, ids->local_size[0], ids->local_size[1], "");
    items = LLVMBuildMul(f->llvm.builder, items, ids->local_size[2], "");
    run_row(k, &ids->linear, items,
            k->restricted ? f->lanes : required[0] * required[1] * required[2]);
}

void geo_function_chunks_rows_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct geo_lower_ids *ids = &f->frame->ids;
    uint32_t known = geo_function_chunks_known_items(k);
    struct geo_lower_loop z, y;
    geo_function_chunks_begin(k);
    geo_function_loop_begin(f, &z, "z");
    geo_function_loop_while(f, &z, geo_function_loop_below(f, z.value, k->size[2]));
    ids->local[2] = z.value;
    geo_function_loop_begin(f, &y, "y");
    geo_function_loop_while(f, &y, geo_function_loop_below(f, y.value, k->size[1]));
    ids->local[1] = y.value;
    if (k->row_items) {
        enter_row(k);
        run_row(k, &ids->local[0], k->row_items, known);
    } else {
        run_row(k, &ids->local[0], k->size[0], known);
    }
    geo_function_loop_end(f, &y, 1);
    geo_function_loop_end(f, &z, 1);
}
