/* Emits one atomic operation; see atomic_operation.h. */
#include "compiler/lower/memory/atomic_operation.h"

#include "base/assert.h"
#include "compiler/lower/arith/compare.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/machine.h"

LLVMAtomicOrdering geo_atomic_operation_load_order(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingRelease          ? LLVMAtomicOrderingMonotonic
           : order == LLVMAtomicOrderingAcquireRelease ? LLVMAtomicOrderingAcquire
                                                       : order;
}

static LLVMAtomicOrdering order_of_store(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingAcquire          ? LLVMAtomicOrderingMonotonic
           : order == LLVMAtomicOrderingAcquireRelease ? LLVMAtomicOrderingRelease
                                                       : order;
}

/* ---- one operation ---- */

int geo_atomic_operation_rmw(SpvOp op)
{
    switch (op) {
    case SpvOpAtomicExchange:
    case SpvOpAtomicFlagTestAndSet:
        return LLVMAtomicRMWBinOpXchg;
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIAdd:
        return LLVMAtomicRMWBinOpAdd;
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicISub:
        return LLVMAtomicRMWBinOpSub;
    case SpvOpAtomicSMin:
        return LLVMAtomicRMWBinOpMin;
    case SpvOpAtomicUMin:
        return LLVMAtomicRMWBinOpUMin;
    case SpvOpAtomicSMax:
        return LLVMAtomicRMWBinOpMax;
    case SpvOpAtomicUMax:
        return LLVMAtomicRMWBinOpUMax;
    case SpvOpAtomicAnd:
        return LLVMAtomicRMWBinOpAnd;
    case SpvOpAtomicOr:
        return LLVMAtomicRMWBinOpOr;
    case SpvOpAtomicXor:
        return LLVMAtomicRMWBinOpXor;
    default:
        return -1; /* float operations need a compare-exchange loop */
    }
}

LLVMValueRef geo_atomic_operation_combine(struct geo_lower_function *f, const struct geo_atomic *a,
                                          LLVMValueRef old, LLVMValueRef value,
                                          LLVMValueRef comparator)
{
    LLVMBuilderRef b = f->llvm.builder;
    switch ((unsigned)a->op) {
    case GEO_OP_LOCAL_IMUL:
        return LLVMBuildMul(b, old, value, "");
    case GEO_OP_LOCAL_FMUL:
        return LLVMBuildFMul(b, old, value, "");
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIAdd:
        return LLVMBuildAdd(b, old, value, "");
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicISub:
        return LLVMBuildSub(b, old, value, "");
    case SpvOpAtomicSMin:
        return geo_emit_minmax(f, "llvm.smin", old, value);
    case SpvOpAtomicUMin:
        return geo_emit_minmax(f, "llvm.umin", old, value);
    case SpvOpAtomicSMax:
        return geo_emit_minmax(f, "llvm.smax", old, value);
    case SpvOpAtomicUMax:
        return geo_emit_minmax(f, "llvm.umax", old, value);
    case SpvOpAtomicAnd:
        return LLVMBuildAnd(b, old, value, "");
    case SpvOpAtomicOr:
        return LLVMBuildOr(b, old, value, "");
    case SpvOpAtomicXor:
        return LLVMBuildXor(b, old, value, "");
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        return geo_emit_select(f, geo_emit_icmp(f, LLVMIntEQ, old, comparator), value, old);
    case SpvOpAtomicFAddEXT:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        break;
    default:
        return value;
    }
    bool half = geo_type_is_half(a->type);
    if (half) {
        old = geo_arith_half_to_float(f, old);
        value = geo_arith_half_to_float(f, value);
    }
    LLVMValueRef result = a->op == SpvOpAtomicFAddEXT
                              ? LLVMBuildFAdd(b, old, value, "")
                              : geo_arith_fminmax(f, old, value, a->op == SpvOpAtomicFMinEXT);
    return half ? geo_arith_float_to_half(f, result, SpvFPRoundingModeRTE) : result;
}

static LLVMValueRef load_at(struct geo_lower_function *f, const struct geo_atomic *a,
                            LLVMValueRef pointer)
{
    LLVMValueRef load = LLVMBuildLoad2(f->llvm.builder, geo_type_of(f, a->type), pointer, "");
    LLVMSetAlignment(load, (unsigned)a->type->size);
    if (!a->plain) {
        LLVMSetOrdering(load, geo_atomic_operation_load_order(a->order));
        LLVMSetAtomicSyncScopeID(load, a->scope);
    }
    return load;
}

static void store_at(struct geo_lower_function *f, const struct geo_atomic *a, LLVMValueRef pointer,
                     LLVMValueRef value)
{
    LLVMValueRef store = LLVMBuildStore(f->llvm.builder, value, pointer);
    LLVMSetAlignment(store, (unsigned)a->type->size);
    if (!a->plain) {
        LLVMSetOrdering(store, order_of_store(a->order));
        LLVMSetAtomicSyncScopeID(store, a->scope);
    }
}

LLVMValueRef geo_atomic_operation_update(struct geo_lower_function *f, const struct geo_atomic *a,
                                         LLVMValueRef pointer, geo_atomic_step *step)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef type = geo_type_of(f, a->type);
    LLVMValueRef next;
    if (a->plain) {
        LLVMValueRef result = step(f, a, load_at(f, a, pointer), &next);
        store_at(f, a, pointer, next);
        return result;
    }
    /* old = load; do next = step(old); while (!compare_exchange(&old, next)) */
    LLVMTypeRef bits = geo_type_int(f, a->type->width);
    LLVMValueRef first = LLVMBuildLoad2(b, bits, pointer, "");
    LLVMSetAlignment(first, (unsigned)a->type->size);
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAtomicSyncScopeID(first, a->scope);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "updated");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "update");
    LLVMBuildBr(b, body);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef old = LLVMBuildPhi(b, bits, "");
    LLVMValueRef result = step(f, a, LLVMBuildBitCast(b, old, type, ""), &next);
    next = geo_emit_to_bits(f, next);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchgSyncScope(
        b, pointer, old, next, a->order, geo_atomic_operation_load_order(a->order), a->scope);
    LLVMSetAlignment(pair, (unsigned)a->type->size);
    LLVMValueRef seen = LLVMBuildExtractValue(b, pair, 0, "");
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(b)};
    LLVMAddIncoming(old, (LLVMValueRef[]){first, seen}, from, 2);
    LLVMBuildCondBr(b, LLVMBuildExtractValue(b, pair, 1, ""), behind, body);
    LLVMPositionBuilderAtEnd(b, behind);
    return result;
}

static LLVMValueRef exchange_if_equal(struct geo_lower_function *f, const struct geo_atomic *a,
                                      LLVMValueRef pointer, LLVMValueRef value,
                                      LLVMValueRef comparator)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef pair = LLVMBuildAtomicCmpXchgSyncScope(b, pointer, comparator, value, a->order,
                                                        a->failure_order, a->scope);
    LLVMSetAlignment(pair, (unsigned)a->type->size);
    return LLVMBuildExtractValue(b, pair, 0, "");
}

/* The step of a single operation, whose value is a->value. */
static LLVMValueRef step_one(struct geo_lower_function *f, const struct geo_atomic *a,
                             LLVMValueRef old, LLVMValueRef *next)
{
    *next = geo_atomic_operation_combine(f, a, old, a->value, a->comparator);
    return old;
}

LLVMValueRef geo_atomic_operation_emit(struct geo_lower_function *f, const struct geo_atomic *a,
                                       LLVMValueRef pointer, LLVMValueRef value,
                                       LLVMValueRef comparator)
{
    struct geo_atomic one = *a;
    bool exchanges = a->op == SpvOpAtomicCompareExchange || a->op == SpvOpAtomicCompareExchangeWeak;
    GEO_ASSERT(geo_type_lanes(pointer) == 1 && (!value || geo_type_lanes(value) == 1));
    GEO_ASSERT(!exchanges || comparator);
    one.value = value;
    one.comparator = comparator;
    if (a->op == SpvOpAtomicLoad) {
        return load_at(f, a, pointer);
    }
    if (a->op == SpvOpAtomicStore || a->op == SpvOpAtomicFlagClear) {
        store_at(f, a, pointer, value);
        return NULL;
    }
    if (exchanges && !a->plain) {
        return exchange_if_equal(f, a, pointer, value, comparator);
    }
    int rmw = geo_atomic_operation_rmw(a->op);
    if (a->plain || rmw < 0) {
        return geo_atomic_operation_update(f, &one, pointer, step_one);
    }
    LLVMValueRef result = LLVMBuildAtomicRMWSyncScope(f->llvm.builder, (LLVMAtomicRMWBinOp)rmw,
                                                      pointer, value, a->order, a->scope);
    LLVMSetAlignment(result, (unsigned)a->type->size);
    return result;
}

/* ---- pending additions ---- */

void geo_atomic_operation_pend(struct geo_lower_function *f, const struct geo_atomic *a,
                               LLVMValueRef pointer, LLVMValueRef value)
{
    bool subtracts = geo_atomic_operation_rmw(a->op) == LLVMAtomicRMWBinOpSub;
    GEO_ASSERT(subtracts || geo_atomic_operation_rmw(a->op) == LLVMAtomicRMWBinOpAdd);
    f->lower->machine->pend(f, pointer,
                            subtracts ? LLVMBuildNeg(f->llvm.builder, value, "") : value);
}

LLVMValueRef geo_atomic_operation_choose(struct geo_lower_function *f, const struct geo_atomic *a,
                                         LLVMValueRef count, geo_atomic_way *pend,
                                         geo_atomic_way *execute)
{
    LLVMBuilderRef b = f->llvm.builder;
    GEO_ASSERT(a->pends && !a->used);
    LLVMValueRef pays = f->lower->machine->pending_pays(f, count);
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "added");
    LLVMBasicBlockRef at_once = geo_emit_block_next(f, "add");
    LLVMBasicBlockRef later = geo_emit_block_next(f, "pend");
    LLVMBuildCondBr(b, pays, later, at_once);
    LLVMPositionBuilderAtEnd(b, later);
    pend(f, a);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, at_once);
    execute(f, a);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, behind);
    return LLVMConstNull(geo_type_of(f, a->type));
}

/* ---- operations that leave memory unchanged ---- */

bool geo_atomic_operation_may_spare(struct geo_lower_function *f, const struct geo_atomic *a)
{
    if (a->plain || a->order != LLVMAtomicOrderingMonotonic || !f->lower->machine->vectors) {
        return false;
    }
    switch (a->op) {
    case SpvOpAtomicSMin:
    case SpvOpAtomicUMin:
    case SpvOpAtomicSMax:
    case SpvOpAtomicUMax:
    case SpvOpAtomicAnd:
    case SpvOpAtomicOr:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        return true;
    default:
        return false;
    }
}

LLVMValueRef geo_atomic_operation_changes(struct geo_lower_function *f, const struct geo_atomic *a,
                                          LLVMValueRef old, LLVMValueRef value)
{
    LLVMValueRef next = geo_atomic_operation_combine(f, a, old, value, NULL);
    return geo_emit_icmp(f, LLVMIntNE, geo_emit_to_bits(f, next), geo_emit_to_bits(f, old));
}

static void pend_one(struct geo_lower_function *f, const struct geo_atomic *a)
{
    geo_atomic_operation_pend(f, a, a->address.base, a->value);
}

static void execute_one(struct geo_lower_function *f, const struct geo_atomic *a)
{
    (void)geo_atomic_operation_emit(f, a, a->address.base, a->value, NULL);
}

LLVMValueRef geo_atomic_operation_spare(struct geo_lower_function *f, const struct geo_atomic *a,
                                        LLVMValueRef pointer, LLVMValueRef value,
                                        LLVMValueRef comparator)
{
    if (a->pends) {
        struct geo_atomic one = *a;
        one.address.base = pointer;
        one.value = value;
        return geo_atomic_operation_choose(f, &one, geo_emit_const_i64(f, 1), pend_one,
                                           execute_one);
    }
    if (!geo_atomic_operation_may_spare(f, a)) {
        return geo_atomic_operation_emit(f, a, pointer, value, comparator);
    }
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef seen = load_at(f, a, pointer);
    LLVMValueRef changes = geo_atomic_operation_changes(f, a, seen, value);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b)};
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "spared");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "change");
    LLVMBuildCondBr(b, changes, body, behind);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef old = geo_atomic_operation_emit(f, a, pointer, value, comparator);
    from[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, behind);
    LLVMValueRef result = LLVMBuildPhi(b, LLVMTypeOf(seen), "");
    LLVMAddIncoming(result, (LLVMValueRef[]){seen, old}, from, 2);
    return result;
}
