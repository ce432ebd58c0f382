/* Emits the loops over the chunks of a group in tiles: chunks of neighbouring rows that are
 * computed together (cpu/frame/tile.h). */
#include "compiler/lower/cpu/function/tiles.h"

#include "base/assert.h"
#include "compiler/lower/cpu/control/body.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/function/chunks.h"
#include "compiler/lower/cpu/function/loop.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

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
        LLVMBuildAdd(f->llvm.builder, ids->local_size[0], geo_emit_const_i64(f, f->lanes - 1), "");
    LLVMValueRef chunks = LLVMBuildUDiv(f->llvm.builder, items, lanes, "");
    LLVMValueRef row = LLVMBuildMul(f->llvm.builder, ids->local[2], ids->local_size[1], "");
    row = LLVMBuildAdd(f->llvm.builder, row, y, "row");
    LLVMValueRef at = LLVMBuildMul(f->llvm.builder, row, chunks, "");
    at = LLVMBuildAdd(f->llvm.builder, at, LLVMBuildUDiv(f->llvm.builder, x, lanes, ""), "");
    at = LLVMBuildMul(f->llvm.builder, at, geo_emit_const_i64(f, f->frame->layout.chunk_bytes), "");
    return geo_emit_offset(f, k->records, at);
}

/* Runs the chunks at x of all rows of the strip, one after another. */
static void run_rows(const struct strip *strip, LLVMValueRef x, LLVMValueRef mask)
{
    struct geo_lower_groups *k = strip->k;
    struct geo_lower_function *f = k->f;
    struct geo_lower_ids *ids = &f->frame->ids;
    struct geo_lower_loop row;
    geo_function_loop_begin(f, &row, "row");
    geo_function_loop_while(f, &row, geo_function_loop_below(f, row.value, strip->rows));
    ids->local[0] = x;
    ids->local[1] = LLVMBuildAdd(f->llvm.builder, strip->y, row.value, "y");
    f->frame->body.base_mask = mask;
    f->frame->body.base_lane0 = true;
    f->frame->contract.record = record_at(k, x, ids->local[1]);
    geo_control_body(f, k->resume);
    geo_function_loop_end(f, &row, 1);
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
        member->place = LLVMBuildAdd(f->llvm.builder, strip->y, geo_emit_const_i64(f, m), "y");
        member->record = record_at(k, x, member->place);
    }
    k->tile->alone = alone;
    f->frame->body.base_mask = NULL;
    f->frame->body.base_lane0 = true;
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
        LLVMBuildCondBr(f->llvm.builder, all, tile, other);
        LLVMPositionBuilderAtEnd(f->llvm.builder, tile);
        run_tile(strip, x, count, alone);
        LLVMBuildBr(f->llvm.builder, next);
        LLVMPositionBuilderAtEnd(f->llvm.builder, other);
    }
    k->tile->count = most;
    run_rows(strip, x, NULL);
    LLVMBuildBr(f->llvm.builder, next);
    LLVMPositionBuilderAtEnd(f->llvm.builder, next);
}

/* Runs all chunks of the strip. */
static void run_strip(const struct strip *strip)
{
    struct geo_lower_function *f = strip->k->f;
    struct geo_lower_loop chunk;
    geo_function_loop_begin(f, &chunk, "chunk");
    LLVMValueRef last =
        LLVMBuildAdd(f->llvm.builder, chunk.value, geo_emit_const_i64(f, f->lanes - 1), "");
    geo_function_loop_while(f, &chunk, geo_function_loop_below(f, last, strip->items));
    run_full(strip, chunk.value);
    geo_function_loop_end(f, &chunk, f->lanes);
    if (strip->known_items && strip->known_items % f->lanes == 0) {
        strip->k->kernel->flags |= strip->k->restricted ? GEO_KERNEL_WHOLE_ROWS : 0;
        return;
    }
    LLVMValueRef x = LLVMBuildLoad2(f->llvm.builder, geo_type_i64(f), chunk.slot, "");
    LLVMBasicBlockRef some = geo_emit_block_last(f, "partial");
    LLVMBasicBlockRef after = geo_emit_block_last(f, "strip.done");
    LLVMBuildCondBr(f->llvm.builder, geo_function_loop_below(f, x, strip->items), some, after);
    LLVMPositionBuilderAtEnd(f->llvm.builder, some);
    run_rows(strip, x, geo_emit_mask_below(f, LLVMBuildSub(f->llvm.builder, strip->items, x, "")));
    LLVMBuildBr(f->llvm.builder, after);
    LLVMPositionBuilderAtEnd(f->llvm.builder, after);
}

/* Finds the values that differ between members, once for each version of the body. */
static bool tile_find(struct geo_lower_groups *k)
{
    if (!k->tile) {
        k->tile = geo_frame_tile_make(k->f, GEO_SHAPE_ROWS, k->versions);
    }
    return k->tile != NULL;
}

bool geo_function_tiles_pay(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    const struct geo_lower_cut *cut = f->frame->split.cut;
    const uint32_t *required = f->function->required_size;
    const struct geo_tile_body body = {
        .positions = cut ? cut->current->region->positions : NULL,
        .count = cut ? cut->current->region->count : f->frame->code->cfg.reachable_count,
    };
    if (!tile_find(k)) {
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
        rows = LLVMBuildSelect(f->llvm.builder, geo_function_loop_below(f, left, half), rows, half,
                               "");
    }
    return LLVMBuildSelect(f->llvm.builder, geo_function_loop_below(f, left, most), rows, most,
                           "rows");
}

/* Runs the rows of one z, strip by strip. */
static void run_strips(struct geo_lower_groups *k, LLVMValueRef items, uint32_t known_items)
{
    struct geo_lower_function *f = k->f;
    LLVMValueRef height = k->size[1];
    struct geo_lower_loop y;
    geo_function_loop_begin(f, &y, "y");
    geo_function_loop_while(f, &y, geo_function_loop_below(f, y.value, height));
    LLVMValueRef rows = strip_rows(k, LLVMBuildSub(f->llvm.builder, height, y.value, ""));
    struct strip strip = {k, y.value, rows, items, known_items};
    run_strip(&strip);
    LLVMValueRef step = LLVMBuildSub(f->llvm.builder, strip.rows, geo_emit_const_i64(f, 1), "");
    y.value = LLVMBuildAdd(f->llvm.builder, y.value, step, "");
    geo_function_loop_end(f, &y, 1);
}

void geo_function_tiles_run(struct geo_lower_groups *k)
{
    struct geo_lower_function *f = k->f;
    struct geo_lower_loop z;
    k->tiled = true;
    geo_function_chunks_begin(k);
    geo_function_loop_begin(f, &z, "z");
    geo_function_loop_while(f, &z, geo_function_loop_below(f, z.value, k->size[2]));
    f->frame->ids.local[2] = z.value;
    run_strips(k, k->row_items ? k->row_items : k->size[0], geo_function_chunks_known_items(k));
    geo_function_loop_end(f, &z, 1);
}
