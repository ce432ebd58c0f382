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
 * Neighbouring elements have neighbouring places. A call that runs few items uses one entry, so
 * that emptying the table costs nothing. Additions to many addresses would replace entries more
 * often than they find them. So each addition earns a credit, each replacement costs several, and
 * once the credit is spent, the additions of the call are executed at once.
 *
 * A call lasts 50 microseconds (exec/job/cost.h) unless one group takes longer, so additions are
 * visible to others in time. */
#include "compiler/lower/cpu/frame/pending.h"

#include "base/assert.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mark.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

#define ENTRIES     1024u
#define TABLE_ALIGN 64u
#define LINE        16u   /* entries that are emptied and examined together */
#define ITEMS_LEAST 4096u /* calls with fewer items use one entry */

#define CREDIT_START 128
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

static void make_table(struct geo_lower_function *f, struct geo_lower_pending *pending)
{
    LLVMTypeRef word = geo_type_of(f, type_of(f));
    if (!pending->addresses) {
        pending->addresses =
            geo_emit_alloca(f, LLVMArrayType2(geo_type_i64(f), ENTRIES), "pending.addresses");
        pending->sums = geo_emit_alloca(f, LLVMArrayType2(word, ENTRIES), "pending.sums");
        LLVMSetAlignment(pending->addresses, TABLE_ALIGN);
        LLVMSetAlignment(pending->sums, TABLE_ALIGN);
        pending->credit = geo_emit_alloca(f, geo_type_i64(f), "pending.credit");
    }
}

/* Returns the number of entries for this many groups, minus 1. */
static LLVMValueRef mask_of(struct geo_lower_function *f, LLVMValueRef groups)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef items = groups;
    for (uint32_t i = 0; i < 3; i++) {
        items = LLVMBuildMul(b, items, f->frame->ids.local_size[i], "");
    }
    LLVMValueRef few = LLVMBuildICmp(b, LLVMIntULT, items, geo_emit_const_i64(f, ITEMS_LEAST), "");
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

void geo_frame_pending_begin(struct geo_lower_function *f, LLVMValueRef groups)
{
    struct geo_lower_pending *pending = &f->frame->pending;
    struct each line;
    if (!f->frame->code->pending.is) {
        return;
    }
    make_table(f, pending);
    pending->mask = mask_of(f, groups);
    LLVMBuildStore(f->llvm.builder, geo_emit_const_i64(f, CREDIT_START), pending->credit);
    each_begin(f, &line, geo_emit_const_i64(f, 0), pending->mask);
    line_empty(f, geo_type_i64(f), pending->addresses, line.at);
    line_empty(f, geo_type_of(f, type_of(f)), pending->sums, line.at);
    each_end(f, &line, LINE);
}

/* Emits `if (number != 0)` before what follows. Returns the block behind it, where the caller's
 * code has to branch to. */
static LLVMBasicBlockRef unless_zero(struct geo_lower_function *f, LLVMValueRef number)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "executed");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "execute");
    LLVMBuildCondBr(b, geo_emit_icmp(f, LLVMIntNE, number, geo_emit_zero_like(number)), body,
                    behind);
    LLVMPositionBuilderAtEnd(b, body);
    return behind;
}

static void branch_to(struct geo_lower_function *f, LLVMBasicBlockRef block)
{
    LLVMBuildBr(f->llvm.builder, block);
    LLVMPositionBuilderAtEnd(f->llvm.builder, block);
}

/* Executes the addition of an entry, unless its sum is 0, as in an entry that was never used. */
static void execute(struct geo_lower_function *f, LLVMValueRef address, LLVMValueRef sum)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMBasicBlockRef behind = unless_zero(f, sum);
    LLVMValueRef pointer = LLVMBuildIntToPtr(b, address, geo_type_ptr(f), "");
    LLVMValueRef add = LLVMBuildAtomicRMW(b, LLVMAtomicRMWBinOpAdd, pointer, sum,
                                          LLVMAtomicOrderingMonotonic, false);
    LLVMSetAlignment(add, (unsigned)type_of(f)->size);
    branch_to(f, behind);
}

void geo_frame_pending_end(struct geo_lower_function *f)
{
    const struct geo_lower_pending *pending = &f->frame->pending;
    LLVMBuilderRef b = f->llvm.builder;
    struct each line, entry;
    if (!f->frame->code->pending.is) {
        return;
    }
    LLVMTypeRef word = geo_type_of(f, type_of(f));
    each_begin(f, &line, geo_emit_const_i64(f, 0), pending->mask);
    LLVMValueRef sums =
        LLVMBuildLoad2(b, line_of(word), entry_of(f, word, pending->sums, line.at), "");
    LLVMSetAlignment(sums, TABLE_ALIGN);
    LLVMBasicBlockRef behind =
        unless_zero(f, geo_emit_intrinsic(f, "llvm.vector.reduce.or", &sums, 1));
    each_begin(f, &entry, line.at, LLVMBuildAdd(b, line.at, geo_emit_const_i64(f, LINE - 1), ""));
    LLVMValueRef place = entry_of(f, geo_type_i64(f), pending->addresses, entry.at);
    LLVMValueRef address = LLVMBuildLoad2(b, geo_type_i64(f), place, "");
    execute(f, address, LLVMBuildLoad2(b, word, entry_of(f, word, pending->sums, entry.at), ""));
    each_end(f, &entry, 1);
    branch_to(f, behind);
    each_end(f, &line, LINE);
}

/* ---- additions ---- */

bool geo_frame_pending_is(const struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    return f->frame->pending.addresses && f->frame->code->pending.is[inst->value.index];
}

/* Takes the price of a replacement from the credit, unless the entry was empty. */
static void credit_spend(struct geo_lower_function *f, LLVMValueRef sum)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef slot = f->frame->pending.credit;
    LLVMValueRef empty = geo_emit_icmp(f, LLVMIntEQ, sum, geo_emit_zero_like(sum));
    LLVMValueRef price = LLVMBuildSelect(b, empty, geo_emit_const_i64(f, 0),
                                         geo_emit_const_i64(f, CREDIT_REPLACE), "");
    LLVMValueRef credit = LLVMBuildLoad2(b, geo_type_i64(f), slot, "");
    LLVMBuildStore(b, LLVMBuildSub(b, credit, price, ""), slot);
}

LLVMValueRef geo_frame_pending_pays(struct geo_lower_function *f, LLVMValueRef count)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef slot = f->frame->pending.credit;
    LLVMValueRef credit = LLVMBuildLoad2(b, geo_type_i64(f), slot, "");
    LLVMValueRef pays = geo_emit_icmp(f, LLVMIntSGE, credit, geo_emit_const_i64(f, 0));
    count = LLVMBuildSelect(b, pays, count, geo_emit_const_i64(f, 0), "");
    LLVMBuildStore(b, LLVMBuildAdd(b, credit, count, ""), slot);
    return pays;
}

void geo_frame_pending_add(struct geo_lower_function *f, LLVMValueRef pointer, LLVMValueRef value)
{
    const struct geo_lower_pending *pending = &f->frame->pending;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef number = geo_type_i64(f), word = geo_type_of(f, type_of(f));
    GEO_ASSERT(pending->addresses && LLVMTypeOf(value) == word);
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
