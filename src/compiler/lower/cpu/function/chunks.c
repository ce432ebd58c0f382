/* Emits the loops over the chunks of one work-group, around a body (cpu/control/body.c). groups.c
 * and regions.c call it. */
#include "compiler/lower/cpu/function/chunks.h"

#include "base/assert.h"
#include "compiler/lower/cpu/control/body.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mark.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

/* ---- loops ---- */

void geo_function_chunks_begin(struct geo_lower_function *f, struct geo_lower_loop *loop,
                               const char *name)
{
    loop->slot = geo_emit_alloca(f, geo_type_i64(f), name);
    loop->head = geo_emit_block_last(f, name);
    LLVMBuildStore(f->builder, geo_emit_const_i64(f, 0), loop->slot);
    LLVMBuildBr(f->builder, loop->head);
    LLVMPositionBuilderAtEnd(f->builder, loop->head);
    loop->value = LLVMBuildLoad2(f->builder, geo_type_i64(f), loop->slot, name);
}

void geo_function_chunks_while(struct geo_lower_function *f, struct geo_lower_loop *loop,
                               LLVMValueRef condition)
{
    GEO_ASSERT(loop->head && LLVMIsAICmpInst(condition));
    LLVMBasicBlockRef body = geo_emit_block_last(f, "loop");
    loop->counted = LLVMIsConstant(LLVMGetOperand(condition, 1));
    loop->exit = geo_emit_block_last(f, "exit");
    LLVMBuildCondBr(f->builder, condition, body, loop->exit);
    LLVMPositionBuilderAtEnd(f->builder, body);
}

void geo_function_chunks_end(struct geo_lower_function *f, struct geo_lower_loop *loop,
                             uint64_t step)
{
    LLVMValueRef next = LLVMBuildAdd(f->builder, loop->value, geo_emit_const_i64(f, step), "");
    LLVMBuildStore(f->builder, next, loop->slot);
    LLVMValueRef back = LLVMBuildBr(f->builder, loop->head);
    if (!loop->counted) {
        /* otherwise LLVM spends much time on deciding whether to unroll */
        geo_emit_mark_rolled(f, back);
    }
    LLVMPositionBuilderAtEnd(f->builder, loop->exit);
}

static LLVMValueRef below(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(f->builder, LLVMIntULT, a, b, "");
}

/* ---- chunks ---- */

/* Advances to the record of the current chunk. Chunks come in the same order in every region. */
static void enter_record(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    if (!k->records) {
        return;
    }
    LLVMValueRef offset = LLVMBuildLoad2(f->builder, geo_type_i64(f), k->record_offset, "");
    f->frame->record = f->frame->memory = geo_emit_offset(f, k->records, offset);
    LLVMValueRef next =
        LLVMBuildAdd(f->builder, offset, geo_emit_const_i64(f, f->frame->layout.chunk_bytes), "");
    LLVMBuildStore(f->builder, next, k->record_offset);
}

/* Sets the record of a row's first chunk, because clipped rows do not run all of their chunks. */
static void enter_row(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    const struct geo_lower_ids *ids = &f->frame->ids;
    if (!k->records) {
        return;
    }
    LLVMValueRef row = LLVMBuildMul(f->builder, ids->local[2], ids->local_size[1], "");
    row = LLVMBuildAdd(f->builder, row, ids->local[1], "row");
    LLVMValueRef items =
        LLVMBuildAdd(f->builder, ids->local_size[0], geo_emit_const_i64(f, f->lanes - 1), "");
    LLVMValueRef chunks = LLVMBuildUDiv(f->builder, items, geo_emit_const_i64(f, f->lanes), "");
    LLVMValueRef before = LLVMBuildMul(f->builder, row, chunks, "");
    LLVMBuildStore(
        f->builder,
        LLVMBuildMul(f->builder, before, geo_emit_const_i64(f, f->frame->layout.chunk_bytes), ""),
        k->record_offset);
}

/* Emits the body for one chunk with the given mask; NULL: all lanes. */
static void run_chunk(struct geo_lower_groups *k, LLVMValueRef mask)
{
    struct geo_lower_function *f = k->f;
    GEO_ASSERT(!mask || geo_emit_is_mask(f, mask));
    f->frame->base_mask = mask;
    f->frame->base_lane0 = true;
    enter_record(k);
    if (f->frame->context) {
        geo_frame_ids_context_store(f, f->frame->context, &f->frame->ids);
    }
    geo_control_body(f, k->resume);
}

/* Emits the loop over chunks at 0, W, 2 W ... below `items`. The position of the chunk goes to *id.
 * `known_items` is the number of items if known at build time, or 0. */
static void run_row(struct geo_lower_groups *k, LLVMValueRef *id, LLVMValueRef items,
                    uint32_t known_items)
{
    struct geo_lower_function *f = k->f;
    uint32_t lanes = f->lanes;
    bool partial = lanes > 1 && (!known_items || known_items % lanes);
    struct geo_lower_loop loop;
    geo_function_chunks_begin(f, &loop, "chunk");
    if (partial && k->masked_only) {
        geo_function_chunks_while(f, &loop, below(f, loop.value, items));
        *id = loop.value;
        run_chunk(k, geo_emit_mask_below(f, LLVMBuildSub(f->builder, items, loop.value, "")));
        geo_function_chunks_end(f, &loop, lanes);
        return;
    }
    LLVMValueRef last = LLVMBuildAdd(f->builder, loop.value, geo_emit_const_i64(f, lanes - 1), "");
    geo_function_chunks_while(f, &loop, below(f, last, items));
    *id = loop.value;
    run_chunk(k, NULL);
    geo_function_chunks_end(f, &loop, lanes);
    if (!partial) {
        return;
    }
    LLVMValueRef at = LLVMBuildLoad2(f->builder, geo_type_i64(f), loop.slot, "");
    LLVMBasicBlockRef some = geo_emit_block_last(f, "partial");
    LLVMBasicBlockRef after = geo_emit_block_last(f, "row.done");
    LLVMBuildCondBr(f->builder, below(f, at, items), some, after);
    LLVMPositionBuilderAtEnd(f->builder, some);
    *id = at;
    run_chunk(k, geo_emit_mask_below(f, LLVMBuildSub(f->builder, items, at, "")));
    LLVMBuildBr(f->builder, after);
    LLVMPositionBuilderAtEnd(f->builder, after);
}

/* ---- tiles ---- */

/* A strip is a number of neighbouring rows of one z, from row y on. Its full chunks run as tiles if
 * there are enough rows. A tile of LARGE_TILE members is also emitted with half as many, for the
 * remaining rows of a group. */
#define LARGE_TILE 16u

/* One strip of rows, while its chunks are emitted. */
struct strip {
    struct geo_lower_groups *k;
    LLVMValueRef y, rows; /* i64: rows in the strip, which is T, T / 2 for large tiles, or 1 */
    LLVMValueRef items;   /* i64: items of each row that are run, from the left */
    uint32_t known_items; /* the same if known at build time, or 0 */
};

/* Returns the record of the chunk of row y that starts with item x. */
static LLVMValueRef record_at(struct geo_lower_groups *k, LLVMValueRef x, LLVMValueRef y)
{
    struct geo_lower_function *f = k->f;
    const struct geo_lower_ids *ids = &f->frame->ids;
    LLVMValueRef lanes = geo_emit_const_i64(f, f->lanes);
    if (!k->records) {
        return NULL;
    }
    LLVMValueRef items =
        LLVMBuildAdd(f->builder, ids->local_size[0], geo_emit_const_i64(f, f->lanes - 1), "");
    LLVMValueRef chunks = LLVMBuildUDiv(f->builder, items, lanes, "");
    LLVMValueRef row = LLVMBuildMul(f->builder, ids->local[2], ids->local_size[1], "");
    row = LLVMBuildAdd(f->builder, row, y, "row");
    LLVMValueRef at = LLVMBuildMul(f->builder, row, chunks, "");
    at = LLVMBuildAdd(f->builder, at, LLVMBuildUDiv(f->builder, x, lanes, ""), "");
    at = LLVMBuildMul(f->builder, at, geo_emit_const_i64(f, f->frame->layout.chunk_bytes), "");
    return geo_emit_offset(f, k->records, at);
}

/* Runs the chunks at x of all rows of the strip, one after another. */
static void run_rows(const struct strip *strip, LLVMValueRef x, LLVMValueRef mask)
{
    struct geo_lower_groups *k = strip->k;
    struct geo_lower_function *f = k->f;
    struct geo_lower_ids *ids = &f->frame->ids;
    struct geo_lower_loop row;
    geo_function_chunks_begin(f, &row, "row");
    geo_function_chunks_while(f, &row, below(f, row.value, strip->rows));
    ids->local[0] = x;
    ids->local[1] = LLVMBuildAdd(f->builder, strip->y, row.value, "y");
    f->frame->base_mask = mask;
    f->frame->base_lane0 = true;
    f->frame->record = record_at(k, x, ids->local[1]);
    geo_control_body(f, k->resume);
    geo_function_chunks_end(f, &row, 1);
}

/* Runs the chunks at x as a tile of `count` members. Members that disagree about a branch continue
 * at `alone`. */
static void run_tile(const struct strip *strip, LLVMValueRef x, uint32_t count,
                     LLVMBasicBlockRef alone)
{
    struct geo_lower_groups *k = strip->k;
    struct geo_lower_function *f = k->f;
    GEO_ASSERT(count > 1 && count <= GEO_TILE_LIMIT && (count & (count - 1)) == 0);
    f->frame->ids.local[0] = x;
    k->tile->count = count;
    for (uint32_t m = 0; m < count; m++) {
        struct geo_lower_member *member = &k->tile->members[m];
        member->place = LLVMBuildAdd(f->builder, strip->y, geo_emit_const_i64(f, m), "y");
        member->record = record_at(k, x, member->place);
    }
    k->tile->alone = alone;
    f->frame->base_mask = NULL;
    f->frame->base_lane0 = true;
    geo_frame_tile_begin(f, k->tile);
    geo_control_body(f, k->resume);
    geo_frame_tile_end(f);
}

/* Returns the number of members of the next smaller tile, or 0. */
static uint32_t smaller(const struct geo_lower_groups *k, uint32_t count)
{
    bool known = k->f->function->required_size[1] != 0;
    return count == LARGE_TILE && !known ? count / 2 : 0;
}

/* Runs the full chunks at x of the strip's rows. */
static void run_full(const struct strip *strip, LLVMValueRef x)
{
    struct geo_lower_groups *k = strip->k;
    struct geo_lower_function *f = k->f;
    uint32_t most = k->tile->count;
    LLVMBasicBlockRef alone = geo_emit_block_last(f, "alone");
    LLVMBasicBlockRef next = geo_emit_block_last(f, "chunk.done");
    for (uint32_t count = most; count; count = smaller(k, count)) {
        LLVMBasicBlockRef tile = geo_emit_block_last(f, "tile");
        LLVMBasicBlockRef other = smaller(k, count) ? geo_emit_block_last(f, "half") : alone;
        LLVMValueRef all = geo_emit_icmp(f, LLVMIntEQ, strip->rows, geo_emit_const_i64(f, count));
        LLVMBuildCondBr(f->builder, all, tile, other);
        LLVMPositionBuilderAtEnd(f->builder, tile);
        run_tile(strip, x, count, alone);
        LLVMBuildBr(f->builder, next);
        LLVMPositionBuilderAtEnd(f->builder, other);
    }
    k->tile->count = most;
    run_rows(strip, x, NULL);
    LLVMBuildBr(f->builder, next);
    LLVMPositionBuilderAtEnd(f->builder, next);
}

/* Runs all chunks of the strip. */
static void run_strip(const struct strip *strip)
{
    struct geo_lower_function *f = strip->k->f;
    struct geo_lower_loop chunk;
    geo_function_chunks_begin(f, &chunk, "chunk");
    LLVMValueRef last =
        LLVMBuildAdd(f->builder, chunk.value, geo_emit_const_i64(f, f->lanes - 1), "");
    geo_function_chunks_while(f, &chunk, below(f, last, strip->items));
    run_full(strip, chunk.value);
    geo_function_chunks_end(f, &chunk, f->lanes);
    if (strip->known_items && strip->known_items % f->lanes == 0) {
        return;
    }
    LLVMValueRef x = LLVMBuildLoad2(f->builder, geo_type_i64(f), chunk.slot, "");
    LLVMBasicBlockRef some = geo_emit_block_last(f, "partial");
    LLVMBasicBlockRef after = geo_emit_block_last(f, "strip.done");
    LLVMBuildCondBr(f->builder, below(f, x, strip->items), some, after);
    LLVMPositionBuilderAtEnd(f->builder, some);
    run_rows(strip, x, geo_emit_mask_below(f, LLVMBuildSub(f->builder, strip->items, x, "")));
    LLVMBuildBr(f->builder, after);
    LLVMPositionBuilderAtEnd(f->builder, after);
}

/* Chooses the number of members for the current body. Returns false if it runs without tiles.
 * Variants of a region never use tiles, because they multiply the code already. */
static bool tile_chosen(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    const struct geo_lower_cut *cut = f->frame->cut;
    const uint32_t *required = f->function->required_size;
    const struct geo_tile_body body = {
        .positions = cut ? cut->current->region->positions : NULL,
        .count = cut ? cut->current->region->count : f->frame->code->cfg.reachable_count,
    };
    if (!k->tile || k->whole) {
        return false;
    }
    k->tile->count = geo_tile_members(&k->tile->tiles, &body, f->arena);
    while (required[1] && required[1] % k->tile->count) {
        k->tile->count /= 2;
    }
    return k->tile->count > 1;
}

/* Returns the number of rows of a strip if `left` rows are left. */
static LLVMValueRef strip_rows(const struct geo_lower_groups *k, LLVMValueRef left)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef most = geo_emit_const_i64(f, k->tile->count), rows = geo_emit_const_i64(f, 1);
    LLVMValueRef half = geo_emit_const_i64(f, smaller(k, k->tile->count));
    if (smaller(k, k->tile->count)) {
        rows = LLVMBuildSelect(f->builder, below(f, left, half), rows, half, "");
    }
    return LLVMBuildSelect(f->builder, below(f, left, most), rows, most, "rows");
}

/* Runs the rows of one z, strip by strip. */
static void run_strips(struct geo_lower_groups *k, LLVMValueRef items, uint32_t known_items)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef height = k->size[1];
    struct geo_lower_loop y;
    geo_function_chunks_begin(f, &y, "y");
    geo_function_chunks_while(f, &y, below(f, y.value, height));
    LLVMValueRef rows = strip_rows(k, LLVMBuildSub(f->builder, height, y.value, ""));
    struct strip strip = {k, y.value, rows, items, known_items};
    run_strip(&strip);
    LLVMValueRef step = LLVMBuildSub(f->builder, strip.rows, geo_emit_const_i64(f, 1), "");
    y.value = LLVMBuildAdd(f->builder, y.value, step, "");
    geo_function_chunks_end(f, &y, 1);
}

void geo_function_chunks_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct geo_lower_ids *ids = &f->frame->ids;
    const uint32_t *required = f->function->required_size;
    uint32_t known = k->whole ? f->lanes : k->any || k->row_items ? 0 : required[0];
    LLVMValueRef zero = geo_emit_const_i64(f, 0);
    ids->linear = ids->local[0] = ids->local[1] = ids->local[2] = zero;
    if (f->shapes->linear) {
        LLVMValueRef items = LLVMBuildMul(f->builder, ids->local_size[0], ids->local_size[1], "");
        items = LLVMBuildMul(f->builder, items, ids->local_size[2], "");
        run_row(k, &ids->linear, items, required[0] * required[1] * required[2]);
        return;
    }
    struct geo_lower_loop z, y;
    geo_function_chunks_begin(f, &z, "z");
    geo_function_chunks_while(f, &z, below(f, z.value, k->size[2]));
    ids->local[2] = z.value;
    if (tile_chosen(k)) {
        run_strips(k, k->row_items ? k->row_items : k->size[0], known);
        geo_function_chunks_end(f, &z, 1);
        return;
    }
    geo_function_chunks_begin(f, &y, "y");
    geo_function_chunks_while(f, &y, below(f, y.value, k->size[1]));
    ids->local[1] = y.value;
    if (k->row_items) {
        enter_row(k);
        run_row(k, &ids->local[0], k->row_items, known);
    } else {
        run_row(k, &ids->local[0], k->size[0], known);
    }
    geo_function_chunks_end(f, &y, 1);
    geo_function_chunks_end(f, &z, 1);
}
