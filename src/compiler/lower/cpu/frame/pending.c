/* Emits pending additions; see pending.h.
 *
 * A locked instruction takes about as long as twenty plain ones, and much longer when other cores
 * add to the same cache line. Sums of few counters, such as histograms, need one per counter and
 * call instead of one per addition. The table is a cache: each address has one place in it.
 *
 *     at = address / size & mask
 *     if (addresses[at] != address)
 *         if (sums[at]) atomic add of sums[at] to *addresses[at]      what was there before
 *         addresses[at] = address, sums[at] = 0
 *     sums[at] += value
 *
 * Neighbouring elements have neighbouring places. Additions to many addresses would replace entries
 * more often than they find them. So each addition earns a credit, each replacement costs several,
 * and once the credit is spent, additions are executed at once until the next flush.
 *
 * A worker's table outlives the call, so words that other cores want as well are written once a
 * launch, not once a call. It is flushed by a call of 0 groups, which the launcher makes after the
 * worker's last groups, and every millisecond (exec/job/job.c). Without such a table, a call uses
 * one on its stack. If it runs few items, it uses one entry of it, so that emptying the table costs
 * nothing. */
#include "compiler/lower/cpu/frame/pending.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mark.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

#include <stddef.h>

#define ENTRIES     GEO_PENDING_ENTRIES
#define LINE        GEO_PENDING_LINE
#define TABLE_ALIGN 64u
#define ITEMS_LEAST 4096u /* calls with fewer items use one entry of their own table */

/* A flush takes every 37th line, so the lines of a small array are spread over the whole flush.
 * Workers begin with different lines, so they rarely meet at one. */
#define LINE_STEP 37u

#define CREDIT_LEAST (-128)
/* Measured: a replacement takes as long as ten additions that find their entry, or as two that are
 * executed at once. */
#define CREDIT_REPLACE 4

static const struct geo_ir_type *type_of(const struct geo_lower_function *f)
{
    return f->frame->code->pending.type;
}

static LLVMValueRef entry_of(struct geo_lower_function *f, LLVMTypeRef type, LLVMValueRef table,
                             LLVMValueRef at)
{
    return LLVMBuildInBoundsGEP2(f->llvm.builder, type, table, &at, 1, "");
}

/* ---- the table ---- */

static LLVMValueRef part_of(struct geo_lower_function *f, uint64_t offset)
{
    return geo_emit_offset_const(f, f->frame->pending.table, (int64_t)offset);
}

/* Returns the address of the credit, which is at the start of the table. */
static LLVMValueRef credit_of(const struct geo_lower_function *f)
{
    _Static_assert(offsetof(struct geo_pending_table, credit) == 0, "the table starts with it");
    return f->frame->pending.table;
}

/* Sets the table to that of the worker, or else to that of the call. */
static void choose_table(struct geo_lower_function *f, struct geo_lower_pending *pending)
{
    LLVMBuilderRef b = f->llvm.builder;
    if (!pending->own) {
        LLVMTypeRef table = LLVMArrayType2(geo_type_int(f, 8), sizeof(struct geo_pending_table));
        pending->own = geo_emit_alloca(f, table, "pending.own");
        LLVMSetAlignment(pending->own, TABLE_ALIGN);
    }
    LLVMValueRef workers = geo_frame_launch_worker_pending(f);
    pending->ends = LLVMBuildIsNull(b, workers, "pending.ends");
    pending->table = LLVMBuildSelect(b, pending->ends, pending->own, workers, "pending.table");
    pending->addresses = part_of(f, offsetof(struct geo_pending_table, addresses));
    pending->sums = part_of(f, offsetof(struct geo_pending_table, sums));
    pending->start = part_of(f, offsetof(struct geo_pending_table, start));
}

/* Returns the number of entries of the call's own table for this many groups, or of the worker's
 * table, minus 1. */
static LLVMValueRef mask_of(struct geo_lower_function *f, LLVMValueRef groups)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef items = groups;
    for (uint32_t i = 0; i < 3; i++) {
        items = LLVMBuildMul(b, items, f->frame->ids.local_size[i], "");
    }
    LLVMValueRef few = LLVMBuildICmp(b, LLVMIntULT, items, geo_emit_const_i64(f, ITEMS_LEAST), "");
    few = LLVMBuildAnd(b, few, f->frame->pending.ends, "");
    return LLVMBuildSelect(b, few, geo_emit_const_i64(f, 0), geo_emit_const_i64(f, ENTRIES - 1),
                           "pending.mask");
}

/* A loop for (at = first; at <= last; at += step), which runs at least once. */
struct each {
    LLVMBasicBlockRef before, body;
    LLVMValueRef first, last, at;
};

static void each_begin(struct geo_lower_function *f, struct each *each, LLVMValueRef first,
                       LLVMValueRef last)
{
    LLVMBuilderRef b = f->llvm.builder;
    *each =
        (struct each){LLVMGetInsertBlock(b), geo_emit_block_last(f, "entry"), first, last, NULL};
    LLVMBuildBr(b, each->body);
    LLVMPositionBuilderAtEnd(b, each->body);
    each->at = LLVMBuildPhi(b, geo_type_i64(f), "");
}

static void each_end(struct geo_lower_function *f, struct each *each, uint64_t step)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMBasicBlockRef behind = geo_emit_block_last(f, "entries");
    LLVMValueRef next = LLVMBuildAdd(b, each->at, geo_emit_const_i64(f, step), "");
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULE, next, each->last, "");
    LLVMBasicBlockRef from[2] = {each->before, LLVMGetInsertBlock(b)};
    geo_emit_mark_rolled(f, LLVMBuildCondBr(b, more, each->body, behind));
    LLVMAddIncoming(each->at, (LLVMValueRef[]){each->first, next}, from, 2);
    LLVMPositionBuilderAtEnd(b, behind);
}

static LLVMTypeRef line_of(LLVMTypeRef element)
{
    return LLVMVectorType(element, LINE);
}

static void line_empty(struct geo_lower_function *f, LLVMTypeRef element, LLVMValueRef table,
                       LLVMValueRef at)
{
    LLVMValueRef store = LLVMBuildStore(f->llvm.builder, LLVMConstNull(line_of(element)),
                                        entry_of(f, element, table, at));
    LLVMSetAlignment(store, TABLE_ALIGN);
}

/* Emits `if (condition)` before what follows. Returns the block behind it, where the caller's code
 * has to branch to. */
static LLVMBasicBlockRef only_if(struct geo_lower_function *f, LLVMValueRef condition,
                                 const char *name)
{
    LLVMBasicBlockRef behind = geo_emit_block_next(f, name);
    LLVMBasicBlockRef body = geo_emit_block_next(f, name);
    LLVMBuildCondBr(f->llvm.builder, condition, body, behind);
    LLVMPositionBuilderAtEnd(f->llvm.builder, body);
    return behind;
}

static void branch_to(struct geo_lower_function *f, LLVMBasicBlockRef block)
{
    LLVMBuildBr(f->llvm.builder, block);
    LLVMPositionBuilderAtEnd(f->llvm.builder, block);
}

void geo_frame_pending_begin(struct geo_lower_function *f, LLVMValueRef groups)
{
    struct geo_lower_pending *pending = &f->frame->pending;
    struct each line;
    if (!f->frame->code->pending.is) {
        return;
    }
    choose_table(f, pending);
    pending->mask = mask_of(f, groups);
    LLVMBasicBlockRef behind = only_if(f, pending->ends, "empty");
    LLVMBuildStore(f->llvm.builder, geo_emit_const_i64(f, 0), credit_of(f));
    LLVMBuildStore(f->llvm.builder, geo_emit_const_i64(f, 0), pending->start);
    each_begin(f, &line, geo_emit_const_i64(f, 0), pending->mask);
    line_empty(f, geo_type_i64(f), pending->addresses, line.at);
    line_empty(f, geo_type_of(f, type_of(f)), pending->sums, line.at);
    each_end(f, &line, LINE);
    branch_to(f, behind);
}

static LLVMValueRef is_not_zero(struct geo_lower_function *f, LLVMValueRef number)
{
    return geo_emit_icmp(f, LLVMIntNE, number, geo_emit_zero_like(number));
}

/* Executes the addition of an entry, unless its sum is 0, as in an entry that was never used. */
static void execute(struct geo_lower_function *f, LLVMValueRef address, LLVMValueRef sum)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMBasicBlockRef behind = only_if(f, is_not_zero(f, sum), "execute");
    LLVMValueRef pointer = LLVMBuildIntToPtr(b, address, geo_type_ptr(f), "");
    LLVMValueRef add = LLVMBuildAtomicRMW(b, LLVMAtomicRMWBinOpAdd, pointer, sum,
                                          LLVMAtomicOrderingMonotonic, false);
    LLVMSetAlignment(add, (unsigned)type_of(f)->size);
    branch_to(f, behind);
}

/* Executes the additions of a line of entries, which is not empty, and empties it. */
static void line_execute(struct geo_lower_function *f, LLVMValueRef first)
{
    const struct geo_lower_pending *pending = &f->frame->pending;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef word = geo_type_of(f, type_of(f));
    struct each entry;
    each_begin(f, &entry, first, LLVMBuildAdd(b, first, geo_emit_const_i64(f, LINE - 1), ""));
    LLVMValueRef place = entry_of(f, geo_type_i64(f), pending->addresses, entry.at);
    LLVMValueRef address = LLVMBuildLoad2(b, geo_type_i64(f), place, "");
    execute(f, address, LLVMBuildLoad2(b, word, entry_of(f, word, pending->sums, entry.at), ""));
    each_end(f, &entry, 1);
    line_empty(f, word, pending->sums, first);
}

/* Executes all additions. Lines that are empty cost little. */
static void flush(struct geo_lower_function *f)
{
    const struct geo_lower_pending *pending = &f->frame->pending;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef word = geo_type_of(f, type_of(f));
    struct each line;
    LLVMValueRef start = LLVMBuildLoad2(b, geo_type_i64(f), pending->start, "");
    each_begin(f, &line, geo_emit_const_i64(f, 0), pending->mask);
    LLVMValueRef at = LLVMBuildMul(b, line.at, geo_emit_const_i64(f, LINE_STEP), "");
    at = LLVMBuildAnd(b, LLVMBuildAdd(b, at, start, ""), pending->mask, "");
    LLVMValueRef sums = LLVMBuildLoad2(b, line_of(word), entry_of(f, word, pending->sums, at), "");
    LLVMSetAlignment(sums, TABLE_ALIGN);
    LLVMValueRef any = geo_emit_intrinsic(f, "llvm.vector.reduce.or", &sums, 1);
    LLVMBasicBlockRef behind = only_if(f, is_not_zero(f, any), "line");
    line_execute(f, at);
    branch_to(f, behind);
    each_end(f, &line, LINE);
    LLVMBuildStore(b, geo_emit_const_i64(f, 0), credit_of(f));
}

void geo_frame_pending_end(struct geo_lower_function *f, LLVMValueRef groups)
{
    LLVMBuilderRef b = f->llvm.builder;
    if (!f->frame->code->pending.is) {
        return;
    }
    LLVMValueRef none = geo_emit_icmp(f, LLVMIntEQ, groups, geo_emit_zero_like(groups));
    LLVMValueRef now = LLVMBuildOr(b, f->frame->pending.ends, none, "");
    LLVMBasicBlockRef behind = only_if(f, now, "flush");
    flush(f);
    branch_to(f, behind);
}

/* ---- additions ---- */

bool geo_frame_pending_is(const struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    return f->frame->pending.own && f->frame->code->pending.is[inst->value.index];
}

/* Takes the price of a replacement from the credit, unless the entry was empty. */
static void credit_spend(struct geo_lower_function *f, LLVMValueRef sum)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef slot = credit_of(f);
    LLVMValueRef empty = geo_emit_icmp(f, LLVMIntEQ, sum, geo_emit_zero_like(sum));
    LLVMValueRef price = LLVMBuildSelect(b, empty, geo_emit_const_i64(f, 0),
                                         geo_emit_const_i64(f, CREDIT_REPLACE), "");
    LLVMValueRef credit = LLVMBuildLoad2(b, geo_type_i64(f), slot, "");
    LLVMBuildStore(b, LLVMBuildSub(b, credit, price, ""), slot);
}

LLVMValueRef geo_frame_pending_pays(struct geo_lower_function *f, LLVMValueRef count)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef slot = credit_of(f);
    LLVMValueRef credit = LLVMBuildLoad2(b, geo_type_i64(f), slot, "");
    LLVMValueRef pays =
        geo_emit_icmp(f, LLVMIntSGE, credit, geo_emit_const_i64(f, (uint64_t)CREDIT_LEAST));
    count = LLVMBuildSelect(b, pays, count, geo_emit_const_i64(f, 0), "");
    LLVMBuildStore(b, LLVMBuildAdd(b, credit, count, ""), slot);
    return pays;
}

void geo_frame_pending_add(struct geo_lower_function *f, LLVMValueRef pointer, LLVMValueRef value)
{
    const struct geo_lower_pending *pending = &f->frame->pending;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef number = geo_type_i64(f), word = geo_type_of(f, type_of(f));
    GEO_ASSERT(pending->own && LLVMTypeOf(value) == word);
    LLVMValueRef address = LLVMBuildPtrToInt(b, pointer, number, "");
    LLVMValueRef size = geo_emit_const_i64(f, type_of(f)->size);
    LLVMValueRef at = LLVMBuildAnd(b, LLVMBuildUDiv(b, address, size, ""), pending->mask, "");
    LLVMValueRef place = entry_of(f, number, pending->addresses, at);
    LLVMValueRef sum_place = entry_of(f, word, pending->sums, at);
    LLVMValueRef there = LLVMBuildLoad2(b, number, place, "");
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "pends");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "replace");
    LLVMBuildCondBr(b, geo_emit_icmp(f, LLVMIntEQ, there, address), behind, body);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef before = LLVMBuildLoad2(b, word, sum_place, "");
    credit_spend(f, before);
    execute(f, there, before);
    LLVMBuildStore(b, address, place);
    LLVMBuildStore(b, LLVMConstNull(word), sum_place);
    branch_to(f, behind);
    LLVMValueRef sum = LLVMBuildLoad2(b, word, sum_place, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, sum, value, ""), sum_place);
}
