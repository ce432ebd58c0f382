/* Emits an atomic operation for all lanes, in the order of lanes. Memory and results are those of
 * executing the lanes one after another:
 *
 *     one address      integers: the lanes' values are reduced to one operation; if results are
 *                      used, a scan gives each lane's. Floats: a chain in registers in the order of
 *                      lanes, and one operation
 *     consecutive      in memory of one thread: vectors
 *     unchanged        operations that may leave memory unchanged, such as a minimum: the lanes'
 *                      memory is loaded first, and only lanes that change it take turns
 *     pending          additions to any addresses: lane by lane, later (analysis/pending.h)
 *     anything else    lane by lane. In memory of one thread, each turn is a load and a store;
 *                      inactive lanes use dummy memory, which costs less than tests and loops. For
 *                      some cores the turns read addresses from memory (lower.h) */
#include "compiler/lower/memory/atomic_lanes.h"

#include "base/assert.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/memory/access.h"

static bool is_sum(const struct geo_atomic *a)
{
    return a->op == SpvOpAtomicIAdd || a->op == SpvOpAtomicISub || a->op == SpvOpAtomicIIncrement ||
           a->op == SpvOpAtomicIDecrement;
}

static bool is_exchange(const struct geo_atomic *a)
{
    return a->op == SpvOpAtomicCompareExchange || a->op == SpvOpAtomicCompareExchangeWeak ||
           a->op == SpvOpAtomicExchange || a->op == SpvOpAtomicFlagTestAndSet;
}

static LLVMValueRef as_vector(struct geo_lower_function *f, LLVMValueRef value)
{
    return !value || geo_type_lanes(value) > 1 ? value : geo_lanes_splat(f, value);
}

/* ---- integers at one address ---- */

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

/* Returns the value that inactive lanes contribute, which is the identity element of the
 * operation. */
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

/* Returns for each lane the number of active lanes below it, in the memory's type. */
static LLVMValueRef lanes_below(struct geo_lower_function *f, const struct geo_atomic *a)
{
    if (!f->body.mask) {
        return geo_emit_lane_steps(f, a->type->width, f->lanes, 1);
    }
    LLVMTypeRef word = geo_type_int(f, f->lanes);
    LLVMValueRef below[GEO_LOWER_LANES_LIMIT];
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        below[lane] = LLVMConstInt(word, (UINT64_C(1) << lane) - 1, false);
    }
    LLVMValueRef bits = geo_lanes_splat(f, geo_emit_mask_bits(f, f->body.mask));
    bits = LLVMBuildAnd(f->llvm.builder, bits, LLVMConstVector(below, f->lanes), "");
    return geo_emit_zext(f, geo_emit_intrinsic(f, "llvm.ctpop", &bits, 1), a->type->width);
}

/* Returns the values of active lanes, and the identity element in others. */
static LLVMValueRef values_of(struct geo_lower_function *f, const struct geo_atomic *a,
                              LLVMIntPredicate wins)
{
    LLVMValueRef value = as_vector(f, a->value);
    LLVMValueRef neutral = geo_emit_const_like(value, neutral_bits(wins, a->type->width));
    return geo_emit_mask_active_select(f, value, neutral);
}

/* Returns one value that has the effect of all active lanes' values. */
static LLVMValueRef combined_value(struct geo_lower_function *f, const struct geo_atomic *a)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMIntPredicate wins;
    const char *name = reduction_of(a->op, &wins);
    if (geo_type_lanes(a->value) == 1) {
        if (!is_sum(a) && a->op != SpvOpAtomicXor) {
            return a->value;
        }
        LLVMValueRef bits = geo_emit_mask_bits(f, geo_emit_mask_active(f));
        LLVMValueRef count = geo_emit_intrinsic(f, "llvm.ctpop", &bits, 1);
        count = geo_emit_zext(f, count, a->type->width);
        if (a->op == SpvOpAtomicXor) {
            count = LLVMBuildAnd(b, count, geo_emit_const_like(count, 1), "");
        }
        return LLVMBuildMul(b, a->value, count, "");
    }
    LLVMValueRef all = values_of(f, a, wins);
    return geo_emit_intrinsic(f, name, &all, 1);
}

/* Combines two lanes' values. The values of a sum are added, even if the operation subtracts them
 * from memory. */
static LLVMValueRef join(struct geo_lower_function *f, const struct geo_atomic *a, LLVMValueRef x,
                         LLVMValueRef y)
{
    return is_sum(a) ? LLVMBuildAdd(f->llvm.builder, x, y, "")
                     : geo_atomic_operation_combine(f, a, x, y, NULL);
}

/* Moves each lane up by `distance`; the lowest lanes get the identity element. */
static LLVMValueRef moved_up(struct geo_lower_function *f, LLVMValueRef vector,
                             LLVMValueRef neutral, uint32_t distance)
{
    LLVMValueRef picks[GEO_LOWER_LANES_LIMIT];
    for (uint32_t i = 0; i < f->lanes; i++) {
        picks[i] = geo_emit_const_i32(f, i < distance ? f->lanes + i : i - distance);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, vector, neutral,
                                  LLVMConstVector(picks, f->lanes), "");
}

/* Returns for each lane the combination of the active lanes below it. */
static LLVMValueRef values_below(struct geo_lower_function *f, const struct geo_atomic *a)
{
    LLVMIntPredicate wins;
    if (is_sum(a) && geo_type_lanes(a->value) == 1) {
        return LLVMBuildMul(f->llvm.builder, geo_lanes_splat(f, a->value), lanes_below(f, a), "");
    }
    reduction_of(a->op, &wins);
    LLVMValueRef all = values_of(f, a, wins);
    LLVMValueRef neutral = geo_emit_const_like(all, neutral_bits(wins, a->type->width));
    all = moved_up(f, all, neutral, 1);
    for (uint32_t distance = 1; distance < f->lanes; distance *= 2) {
        all = join(f, a, moved_up(f, all, neutral, distance), all);
    }
    return all;
}

static LLVMValueRef integers_at_once(struct geo_lower_function *f, const struct geo_atomic *a)
{
    GEO_ASSERT(a->type->kind == GEO_TYPE_INT && a->address.kind == GEO_SHAPE_UNIFORM && a->value);
    LLVMValueRef total = combined_value(f, a);
    LLVMValueRef below = a->used ? values_below(f, a) : NULL;
    LLVMValueRef old = geo_atomic_operation_spare(f, a, a->address.base, total, NULL);
    return below ? geo_atomic_operation_combine(f, a, geo_lanes_splat(f, old), below, NULL)
                 : LLVMConstNull(geo_type_of(f, a->type));
}

/* ---- one address, in the order of lanes ---- */

/* The state of operations on one address, emitted lane by lane in registers. */
struct chain {
    const struct geo_atomic *atomic;
    LLVMValueRef slot; /* alloca of the memory's content at the current lane's turn */
};

static LLVMValueRef turn_value(struct geo_lower_function *f, const struct geo_turn *turn,
                               LLVMValueRef value)
{
    return value ? geo_emit_turn_value(f, turn, value) : NULL;
}

static LLVMValueRef chain_turn(struct geo_lower_function *f, const struct geo_turn *turn,
                               void *data)
{
    const struct chain *chain = data;
    const struct geo_atomic *a = chain->atomic;
    LLVMTypeRef type = geo_type_of(f, a->type);
    LLVMValueRef old = LLVMBuildLoad2(f->llvm.builder, type, chain->slot, "");
    LLVMValueRef next = geo_atomic_operation_combine(f, a, old, turn_value(f, turn, a->value),
                                                     turn_value(f, turn, a->comparator));
    LLVMBuildStore(f->llvm.builder, next, chain->slot);
    return a->used ? old : NULL;
}

static LLVMValueRef chain_step(struct geo_lower_function *f, const struct geo_atomic *a,
                               LLVMValueRef old, LLVMValueRef *next)
{
    LLVMTypeRef type = geo_type_of(f, a->type);
    struct chain chain = {a, geo_emit_alloca(f, type, "chain")};
    LLVMBuildStore(f->llvm.builder, old, chain.slot);
    LLVMValueRef result =
        geo_emit_turns(f, a->used ? type : NULL, GEO_TURN_SMALL, chain_turn, &chain);
    *next = LLVMBuildLoad2(f->llvm.builder, type, chain.slot, "");
    return result ? result : LLVMConstNull(type);
}

/* ---- consecutive addresses in memory of one thread ---- */

static LLVMValueRef vectors(struct geo_lower_function *f, const struct geo_atomic *a)
{
    const struct geo_part_place place = {a->type, 0};
    struct geo_access access = {
        .f = f, .inst = a->inst, .address = a->address, .align = (uint32_t)a->type->size};
    if (a->op == SpvOpAtomicStore || a->op == SpvOpAtomicFlagClear) {
        geo_access_part_store(&access, &place, a->value);
        return NULL;
    }
    LLVMValueRef old = geo_access_part_load(&access, &place);
    if (a->op != SpvOpAtomicLoad) {
        geo_access_part_store(&access, &place,
                              geo_atomic_operation_combine(f, a, old, as_vector(f, a->value),
                                                           as_vector(f, a->comparator)));
    }
    return old;
}

/* ---- anything else ---- */

static LLVMValueRef operate_turn(struct geo_lower_function *f, const struct geo_turn *turn,
                                 void *data)
{
    const struct geo_atomic *a = data;
    LLVMValueRef old = geo_atomic_operation_emit(f, a, geo_lane_address_turn(f, a->address, turn),
                                                 turn_value(f, turn, a->value),
                                                 turn_value(f, turn, a->comparator));
    return a->used ? old : NULL;
}

static LLVMValueRef in_turn(struct geo_lower_function *f, const struct geo_atomic *a)
{
    struct geo_atomic each = *a;
    LLVMValueRef mask = f->body.mask;
    bool is_loop = !a->plain && !is_exchange(a) && a->op != SpvOpAtomicLoad &&
                   a->op != SpvOpAtomicStore && geo_atomic_operation_rmw(a->op) < 0;
    bool from_memory = a->plain && f->options->target.lanes_from_memory;
    enum geo_turn_size size = is_loop       ? GEO_TURN_LARGE
                              : from_memory ? GEO_TURN_FROM_MEMORY
                                            : GEO_TURN_SMALL;
    LLVMTypeRef type = geo_type_of(f, a->type);
    if (mask && a->plain && a->address.kind != GEO_SHAPE_UNIFORM && geo_emit_turns_written_out(f)) {
        each.address = geo_lane_address_spread(f, a->address);
        f->body.mask = NULL;
    }
    LLVMValueRef result = geo_emit_turns(f, a->used ? type : NULL, size, operate_turn, &each);
    f->body.mask = mask;
    return result ? result : LLVMConstNull(type);
}

/* Loads the memory of all lanes and lets the lanes that change it take turns. If the old contents
 * are used, either no lane changes memory, or all take turns: lanes read what those before them
 * wrote. */
static LLVMValueRef in_turn_if_changed(struct geo_lower_function *f, const struct geo_atomic *a)
{
    LLVMBuilderRef b = f->llvm.builder;
    const struct geo_part_place place = {a->type, 0};
    struct geo_access access = {
        .f = f, .inst = a->inst, .address = a->address, .align = (uint32_t)a->type->size};
    LLVMValueRef seen = as_vector(f, geo_access_part_load(&access, &place));
    LLVMValueRef changes = geo_atomic_operation_changes(f, a, seen, as_vector(f, a->value));
    LLVMValueRef mask = f->body.mask;
    changes = geo_emit_mask_and(f, mask, changes);
    if (!a->used) {
        f->body.mask = changes;
        LLVMValueRef nothing = in_turn(f, a);
        f->body.mask = mask;
        return nothing;
    }
    LLVMValueRef any = geo_emit_mask_any(f, changes);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(b)};
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "spared");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "change");
    LLVMBuildCondBr(b, any, body, behind);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef old = in_turn(f, a);
    from[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, behind);
    LLVMValueRef result = LLVMBuildPhi(b, LLVMTypeOf(seen), "");
    LLVMAddIncoming(result, (LLVMValueRef[]){seen, old}, from, 2);
    return result;
}

/* ---- pending additions ---- */

static LLVMValueRef pend_turn(struct geo_lower_function *f, const struct geo_turn *turn, void *data)
{
    const struct geo_atomic *a = data;
    geo_atomic_operation_pend(f, a, geo_lane_address_turn(f, a->address, turn),
                              turn_value(f, turn, a->value));
    return NULL;
}

static void pend_lanes(struct geo_lower_function *f, const struct geo_atomic *a)
{
    struct geo_atomic each = *a;
    (void)geo_emit_turns(f, NULL, GEO_TURN_LARGE, pend_turn, &each);
}

static void execute_lanes(struct geo_lower_function *f, const struct geo_atomic *a)
{
    (void)in_turn(f, a);
}

static LLVMValueRef pending(struct geo_lower_function *f, const struct geo_atomic *a)
{
    LLVMValueRef bits = geo_emit_mask_bits(f, geo_emit_mask_active(f));
    LLVMValueRef count = geo_emit_zext(f, geo_emit_intrinsic(f, "llvm.ctpop", &bits, 1), 64);
    return geo_atomic_operation_choose(f, a, count, pend_lanes, execute_lanes);
}

LLVMValueRef geo_atomic_lanes(struct geo_lower_function *f, const struct geo_atomic *a)
{
    GEO_ASSERT(f->lanes > 1 && geo_lane_address_is_valid(f, &a->address));
    bool uniform = a->address.kind == GEO_SHAPE_UNIFORM;
    bool moves =
        a->op == SpvOpAtomicLoad || a->op == SpvOpAtomicStore || a->op == SpvOpAtomicFlagClear;
    bool consecutive =
        a->address.kind == GEO_SHAPE_STRIDED && a->address.stride == (int64_t)a->type->size;
    if (uniform && a->op == SpvOpAtomicLoad) {
        geo_remark_access_part(GEO_REMARK_UNIFORM);
        return geo_atomic_operation_emit(f, a, a->address.base, NULL, NULL);
    }
    if (a->plain && (moves || consecutive)) {
        return vectors(f, a);
    }
    if (uniform && !moves && (a->plain || !is_exchange(a))) {
        bool joins = geo_atomic_operation_rmw(a->op) >= 0 && !is_exchange(a) &&
                     a->type->kind == GEO_TYPE_INT;
        geo_remark_access_part(GEO_REMARK_UNIFORM);
        return joins ? integers_at_once(f, a)
                     : geo_atomic_operation_update(f, a, a->address.base, chain_step);
    }
    geo_remark_access_part(GEO_REMARK_LANES);
    if (a->pends) {
        return pending(f, a);
    }
    return geo_atomic_operation_may_spare(f, a) ? in_turn_if_changed(f, a) : in_turn(f, a);
}
