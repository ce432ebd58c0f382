/* Atomics and fences.
 *
 * Local and private memory belongs to one thread while a work-group runs: their atomics are plain
 * operations. On global memory the active lanes go in turn, each with its own ordering; where the
 * result is unused and the address uniform, integer operations of all lanes are combined into one.
 */
#include "compiler/lower/memory/atomic.h"

#include "compiler/analysis/uses.h"
#include "compiler/lower/arith/compare.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/memory/address.h"
#include "compiler/lower/value/value.h"

struct atomic {
    const struct geo_ir_inst *inst;
    SpvOp op;
    const struct geo_ir_type *type; /* of the memory */
    struct geo_address address;
    LLVMValueRef value;      /* scalar or vector; NULL: none */
    LLVMValueRef comparator; /* likewise */
    LLVMAtomicOrdering order, failure_order;
    bool plain;
};

/* ---- orders ---- */

static LLVMAtomicOrdering order_of(const struct geo_ir_value *semantics)
{
    uint64_t bits;
    if (!geo_ir_constant_bits(semantics, &bits) || (bits & 0x10)) {
        return LLVMAtomicOrderingSequentiallyConsistent;
    }
    if ((bits & 0x8) || (bits & 0x6) == 0x6) {
        return LLVMAtomicOrderingAcquireRelease;
    }
    return bits & 0x4   ? LLVMAtomicOrderingRelease
           : bits & 0x2 ? LLVMAtomicOrderingAcquire
                        : LLVMAtomicOrderingMonotonic;
}

/* The strongest order a load (store) may have that `order` asks for. */
static LLVMAtomicOrdering order_of_load(LLVMAtomicOrdering order)
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

/* The items of a group are one thread; nothing between them needs an instruction. */
static bool is_within_group(const struct geo_ir_value *scope)
{
    uint64_t bits;
    return geo_ir_constant_bits(scope, &bits) && bits >= SpvScopeWorkgroup &&
           bits <= SpvScopeInvocation;
}

bool geo_lower_fence(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMAtomicOrdering order = order_of(inst->operands[1]);
    if (order != LLVMAtomicOrderingMonotonic) {
        LLVMBuildFence(f->builder, order, is_within_group(inst->operands[0]), "");
    }
    return true;
}

void geo_lower_barrier_fence(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMAtomicOrdering order = order_of(inst->operands[2]);
    if (order != LLVMAtomicOrderingMonotonic && !is_within_group(inst->operands[1])) {
        LLVMBuildFence(f->builder, order, false, "");
    }
}

/* ---- one operation ---- */

static int rmw_of(SpvOp op)
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
        return -1; /* float operations: a loop of compare-exchange */
    }
}

/* The new content of memory for the old one. */
static LLVMValueRef combine(struct geo_lower_function *f, const struct atomic *a, LLVMValueRef old,
                            LLVMValueRef value)
{
    LLVMBuilderRef b = f->builder;
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
    case SpvOpAtomicFAddEXT:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        break;
    default:
        return value;
    }
    bool half = geo_type_is_half(a->type);
    if (half) {
        old = geo_emit_half_to_float(f, old);
        value = geo_emit_half_to_float(f, value);
    }
    LLVMValueRef result = a->op == SpvOpAtomicFAddEXT
                              ? LLVMBuildFAdd(b, old, value, "")
                              : geo_emit_fminmax(f, old, value, a->op == SpvOpAtomicFMinEXT);
    return half ? geo_emit_float_to_half(f, result, SpvFPRoundingModeRTE) : result;
}

static LLVMValueRef load_at(struct geo_lower_function *f, const struct atomic *a,
                            LLVMValueRef pointer)
{
    LLVMValueRef load = LLVMBuildLoad2(f->builder, geo_emit_type_of(f, a->type), pointer, "");
    LLVMSetAlignment(load, (unsigned)a->type->size);
    if (!a->plain) {
        LLVMSetOrdering(load, order_of_load(a->order));
    }
    return load;
}

static void store_at(struct geo_lower_function *f, const struct atomic *a, LLVMValueRef pointer,
                     LLVMValueRef value)
{
    LLVMValueRef store = LLVMBuildStore(f->builder, value, pointer);
    LLVMSetAlignment(store, (unsigned)a->type->size);
    if (!a->plain) {
        LLVMSetOrdering(store, order_of_store(a->order));
    }
}

/* old = load; do new = combine(old); while (!compare_exchange(&old, new)) */
static LLVMValueRef update_loop(struct geo_lower_function *f, const struct atomic *a,
                                LLVMValueRef pointer, LLVMValueRef value)
{
    LLVMBuilderRef b = f->builder;
    LLVMTypeRef type = geo_emit_type_of(f, a->type);
    LLVMTypeRef bits = geo_emit_int_type(f, a->type->width);
    LLVMValueRef first = LLVMBuildLoad2(b, bits, pointer, "");
    LLVMSetAlignment(first, (unsigned)a->type->size);
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "updated");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "update");
    LLVMBuildBr(b, body);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef old_bits = LLVMBuildPhi(b, bits, "");
    LLVMValueRef old = LLVMBuildBitCast(b, old_bits, type, "");
    LLVMValueRef next = geo_emit_to_bits(f, combine(f, a, old, value));
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(b, pointer, old_bits, next, a->order,
                                               order_of_load(a->order), false);
    LLVMSetAlignment(pair, (unsigned)a->type->size);
    LLVMValueRef seen = LLVMBuildExtractValue(b, pair, 0, "");
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(b)};
    LLVMAddIncoming(old_bits, (LLVMValueRef[]){first, seen}, from, 2);
    LLVMBuildCondBr(b, LLVMBuildExtractValue(b, pair, 1, ""), behind, body);
    LLVMPositionBuilderAtEnd(b, behind);
    return old;
}

static LLVMValueRef exchange_if_equal(struct geo_lower_function *f, const struct atomic *a,
                                      LLVMValueRef pointer, LLVMValueRef value,
                                      LLVMValueRef comparator)
{
    LLVMBuilderRef b = f->builder;
    if (a->plain) {
        LLVMValueRef old = load_at(f, a, pointer);
        LLVMValueRef equal = geo_emit_icmp(f, LLVMIntEQ, old, comparator);
        store_at(f, a, pointer, geo_emit_select(f, equal, value, old));
        return old;
    }
    LLVMValueRef pair =
        LLVMBuildAtomicCmpXchg(b, pointer, comparator, value, a->order, a->failure_order, false);
    LLVMSetAlignment(pair, (unsigned)a->type->size);
    return LLVMBuildExtractValue(b, pair, 0, "");
}

/* One operation by one thread of control; gives the old value, NULL for stores. */
static LLVMValueRef operate(struct geo_lower_function *f, const struct atomic *a,
                            LLVMValueRef pointer, LLVMValueRef value, LLVMValueRef comparator)
{
    switch (a->op) {
    case SpvOpAtomicLoad:
        return load_at(f, a, pointer);
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear:
        store_at(f, a, pointer, value);
        return NULL;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        return exchange_if_equal(f, a, pointer, value, comparator);
    default:
        break;
    }
    if (a->plain) {
        LLVMValueRef old = load_at(f, a, pointer);
        store_at(f, a, pointer, combine(f, a, old, value));
        return old;
    }
    int rmw = rmw_of(a->op);
    if (rmw < 0) {
        return update_loop(f, a, pointer, value);
    }
    LLVMValueRef result =
        LLVMBuildAtomicRMW(f->builder, (LLVMAtomicRMWBinOp)rmw, pointer, value, a->order, false);
    LLVMSetAlignment(result, (unsigned)a->type->size);
    return result;
}

static LLVMValueRef lane_of(struct geo_lower_function *f, LLVMValueRef value, LLVMValueRef lane)
{
    return value && geo_emit_lanes(value) > 1 ? LLVMBuildExtractElement(f->builder, value, lane, "")
                                              : value;
}

static LLVMValueRef emit_lane(struct geo_lower_function *f, LLVMValueRef lane, void *data)
{
    const struct atomic *a = data;
    return operate(f, a, geo_address_lane(f, a->address, lane), lane_of(f, a->value, lane),
                   lane_of(f, a->comparator, lane));
}

/* ---- combining lanes ---- */

static bool result_used(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (inst->value.type->kind == GEO_TYPE_VOID) {
        return false;
    }
    if (!f->used) {
        struct geo_uses uses;
        bool *used = geo_arena_new_array(f->arena, bool, f->function->value_count + 1u);
        if (!used || !geo_uses_build(f->function, f->arena, &uses)) {
            return true;
        }
        for (uint32_t i = 0; i < f->function->value_count; i++) {
            used[i] = uses.start[i + 1] != uses.start[i];
        }
        f->used = used;
    }
    return f->used[inst->value.index];
}

static const char *reduction_of(SpvOp op, LLVMIntPredicate *neutral)
{
    switch (op) {
    case SpvOpAtomicSMin:
        *neutral = LLVMIntSLT;
        return "llvm.vector.reduce.smin";
    case SpvOpAtomicUMin:
        *neutral = LLVMIntULT;
        return "llvm.vector.reduce.umin";
    case SpvOpAtomicSMax:
        *neutral = LLVMIntSGT;
        return "llvm.vector.reduce.smax";
    case SpvOpAtomicUMax:
        *neutral = LLVMIntUGT;
        return "llvm.vector.reduce.umax";
    case SpvOpAtomicAnd:
        *neutral = LLVMIntULT;
        return "llvm.vector.reduce.and";
    case SpvOpAtomicOr:
        *neutral = LLVMIntUGT;
        return "llvm.vector.reduce.or";
    case SpvOpAtomicXor:
        *neutral = LLVMIntUGT;
        return "llvm.vector.reduce.xor";
    default:
        *neutral = LLVMIntUGT;
        return "llvm.vector.reduce.add";
    }
}

/* What dead lanes contribute: the value that loses every comparison of this kind. */
static uint64_t neutral_bits(LLVMIntPredicate wins, uint32_t width)
{
    uint64_t all = width < 64 ? (1ull << width) - 1 : ~0ull;
    switch (wins) {
    case LLVMIntSLT:
        return all >> 1;
    case LLVMIntULT:
        return all;
    case LLVMIntSGT:
        return (all >> 1) + 1;
    default:
        return 0;
    }
}

/* The one value that does what all active lanes' values do. */
static LLVMValueRef combined_value(struct geo_lower_function *f, const struct atomic *a)
{
    LLVMBuilderRef b = f->builder;
    bool sums = a->op == SpvOpAtomicIAdd || a->op == SpvOpAtomicISub ||
                a->op == SpvOpAtomicIIncrement || a->op == SpvOpAtomicIDecrement;
    if (geo_emit_lanes(a->value) == 1) {
        if (!sums && a->op != SpvOpAtomicXor) {
            return a->value;
        }
        LLVMValueRef bits = geo_emit_mask_bits(f, geo_emit_active(f));
        LLVMValueRef count = geo_emit_intrinsic(f, "llvm.ctpop", &bits, 1);
        count = geo_emit_zext(f, count, a->type->width);
        if (a->op == SpvOpAtomicXor) {
            count = LLVMBuildAnd(b, count, geo_emit_const_like(count, 1), "");
        }
        return LLVMBuildMul(b, a->value, count, "");
    }
    LLVMIntPredicate wins;
    const char *name = reduction_of(a->op, &wins);
    LLVMValueRef neutral = geo_emit_const_like(a->value, neutral_bits(wins, a->type->width));
    LLVMValueRef all = geo_emit_active_select(f, a->value, neutral);
    return geo_emit_intrinsic(f, name, &all, 1);
}

static bool can_combine(struct geo_lower_function *f, const struct atomic *a)
{
    return a->address.kind == GEO_SHAPE_UNIFORM && rmw_of(a->op) >= 0 &&
           rmw_of(a->op) != LLVMAtomicRMWBinOpXchg && a->type->kind == GEO_TYPE_INT &&
           !result_used(f, a->inst);
}

/* ---- the instruction ---- */

static bool atomic_read(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                        struct atomic *a)
{
    struct geo_ir_value *pointer = inst->operands[0];
    const struct geo_ir_type *type = pointer->type->element;
    bool exchanges =
        inst->op == SpvOpAtomicCompareExchange || inst->op == SpvOpAtomicCompareExchangeWeak;
    bool flag = inst->op == SpvOpAtomicFlagTestAndSet || inst->op == SpvOpAtomicFlagClear;
    struct geo_ir_value *value = exchanges                          ? inst->operands[4]
                                 : !flag && inst->operand_count > 3 ? inst->operands[3]
                                                                    : NULL;
    if (flag) {
        type = geo_ir_type_int(f->module, 32);
    } else if (value) {
        type = value->type;
    } else if (inst->op == SpvOpAtomicLoad) {
        type = inst->value.type;
    }
    bool known = type && (type->kind == GEO_TYPE_POINTER || type->kind == GEO_TYPE_INT ||
                          type->kind == GEO_TYPE_FLOAT);
    if (pointer->type->kind != GEO_TYPE_POINTER || !known) {
        geo_lower_error(f, inst, "atomics work on integers, floats and pointers");
        return false;
    }
    bool is_float_op = inst->op == SpvOpAtomicFAddEXT || inst->op == SpvOpAtomicFMinEXT ||
                       inst->op == SpvOpAtomicFMaxEXT || inst->op == (SpvOp)GEO_OP_LOCAL_FMUL;
    bool is_move = flag || inst->op == SpvOpAtomicLoad || inst->op == SpvOpAtomicStore ||
                   inst->op == SpvOpAtomicExchange;
    if (!is_move && (type->kind == GEO_TYPE_FLOAT) != is_float_op) {
        geo_lower_error(f, inst, "the operation does not fit the type");
        return false;
    }
    SpvStorageClass storage = pointer->type->storage;
    *a = (struct atomic){.inst = inst, .op = inst->op, .type = type};
    a->plain = storage == SpvStorageClassWorkgroup || storage == SpvStorageClassFunction ||
               storage == SpvStorageClassPrivate;
    a->address = geo_address_of(f, pointer);
    a->order = order_of(inst->operands[2]);
    if (exchanges) {
        a->failure_order = order_of_load(order_of(inst->operands[3]));
        struct geo_ir_value *comparator = inst->operands[5];
        a->comparator = geo_lower_operand(
            f, comparator, 0,
            geo_lower_shape(f, comparator).kind == GEO_SHAPE_UNIFORM || f->lanes == 1);
    }
    if (value) {
        bool uniform = f->lanes == 1 || geo_lower_shape(f, value).kind == GEO_SHAPE_UNIFORM;
        a->value = geo_lower_operand(f, value, 0, uniform);
    } else if (inst->op != SpvOpAtomicLoad) {
        LLVMTypeRef word = geo_emit_type_of(f, type);
        a->value = LLVMConstInt(word, inst->op != SpvOpAtomicFlagClear, false);
    }
    return true;
}

static bool operands_enough(const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpAtomicLoad:
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicFlagTestAndSet:
    case SpvOpAtomicFlagClear:
        return inst->operand_count >= 3;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        return inst->operand_count >= 6;
    default:
        return inst->operand_count >= 4;
    }
}

bool geo_lower_atomic(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct atomic a;
    /* OpAtomicStore and OpAtomicFlagClear have no result: pointer, scope, semantics lead as well.
     */
    if (!operands_enough(inst)) {
        geo_lower_error(f, inst, "operands are missing");
        return false;
    }
    if (!atomic_read(f, inst, &a)) {
        return false;
    }
    LLVMValueRef result;
    bool once = f->lanes == 1 || (a.op == SpvOpAtomicLoad && a.address.kind == GEO_SHAPE_UNIFORM);
    if (once) {
        result = operate(f, &a, a.address.base, a.value, a.comparator);
    } else if (can_combine(f, &a)) {
        operate(f, &a, a.address.base, combined_value(f, &a), NULL);
        result = LLVMConstNull(geo_emit_type_of(f, a.type));
    } else {
        bool stores = a.op == SpvOpAtomicStore || a.op == SpvOpAtomicFlagClear;
        LLVMTypeRef type = stores ? NULL : geo_emit_type_of(f, a.type);
        result = geo_emit_for_each_lane(f, type, emit_lane, &a);
    }
    if (inst->value.type->kind == GEO_TYPE_VOID) {
        return true;
    }
    if (a.op == SpvOpAtomicFlagTestAndSet) {
        result = geo_emit_icmp(f, LLVMIntNE, result, geo_emit_zero_like(result));
    }
    geo_lower_set_wide(f, inst, 0, result);
    return true;
}
