/* Lowers atomics and fences: reads the memory order and the operands of the instruction.
 *
 *     atomic_operation.c     emits one operation
 *     atomic_lanes.c         emits one instruction's operations of all lanes
 *     atomic_group.c         emits those of several neighbouring instructions
 *
 * Private memory is used by one thread, so its atomics are plain operations. So are those of local
 * memory if the machine runs a work-group on one thread. */
#include "compiler/lower/memory/atomic.h"

#include "base/assert.h"
#include "compiler/analysis/uses.h"
#include "compiler/ir/grammar.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/memory/atomic_group.h"
#include "compiler/lower/memory/atomic_lanes.h"
#include "compiler/lower/value/value.h"

/* ---- memory orders ---- */

LLVMAtomicOrdering geo_atomic_order(const struct geo_ir_value *semantics)
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

bool geo_atomic_within_group(const struct geo_ir_value *scope)
{
    uint64_t bits;
    return geo_ir_constant_bits(scope, &bits) && bits >= SpvScopeWorkgroup &&
           bits <= SpvScopeInvocation;
}

bool geo_atomic_fence(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMAtomicOrdering order = geo_atomic_order(inst->operands[1]);
    if (order != LLVMAtomicOrderingMonotonic) {
        f->lower->machine->fence(f, order, inst->operands[0]);
    }
    return true;
}

/* Returns whether the result of an atomic is used. True if memory runs out. */
static bool result_used(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (inst->value.type->kind == GEO_TYPE_VOID) {
        return false;
    }
    if (!f->demand.used) {
        struct geo_uses uses;
        bool *used = geo_arena_new_array(f->arena, bool, f->function->value_count + 1u);
        if (!used || !geo_uses_build(f->function, f->arena, &uses)) {
            return true;
        }
        for (uint32_t i = 0; i < f->function->value_count; i++) {
            used[i] = uses.start[i + 1] != uses.start[i];
        }
        f->demand.used = used;
    }
    return f->demand.used[inst->value.index];
}

/* ---- the instruction ---- */

/* Fills *a from the instruction. Reports an error and returns false if the types are invalid. */
static bool atomic_read(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                        struct geo_atomic *a)
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
        geo_state_error(f, inst, "atomics work on integers, floats and pointers");
        return false;
    }
    bool is_float_op = inst->op == SpvOpAtomicFAddEXT || inst->op == SpvOpAtomicFMinEXT ||
                       inst->op == SpvOpAtomicFMaxEXT || inst->op == (SpvOp)GEO_OP_LOCAL_FMUL;
    bool is_move = flag || inst->op == SpvOpAtomicLoad || inst->op == SpvOpAtomicStore ||
                   inst->op == SpvOpAtomicExchange;
    if (!is_move && (type->kind == GEO_TYPE_FLOAT) != is_float_op) {
        geo_state_error(f, inst, "the operation does not fit the type");
        return false;
    }
    SpvStorageClass storage = pointer->type->storage;
    *a = (struct geo_atomic){.inst = inst, .op = inst->op, .type = type};
    a->plain = (storage == SpvStorageClassWorkgroup && f->lower->machine->plain_local) ||
               storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate;
    a->address = geo_lane_address_of(f, pointer);
    a->scope = f->lower->machine->sync_scope(f, inst->operands[1]);
    a->order = geo_atomic_order(inst->operands[2]);
    if (exchanges) {
        a->failure_order = geo_atomic_operation_load_order(geo_atomic_order(inst->operands[3]));
        struct geo_ir_value *comparator = inst->operands[5];
        a->comparator = geo_value_operand(f, comparator, 0, geo_value_is_uniform(f, comparator));
    }
    if (value) {
        bool uniform = geo_value_is_uniform(f, value);
        a->value = geo_value_operand(f, value, 0, uniform);
    } else if (inst->op != SpvOpAtomicLoad) {
        LLVMTypeRef word = geo_type_of(f, type);
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

/* ---- groups ---- */

static bool is_update(SpvOp op)
{
    return op == SpvOpAtomicFAddEXT || op == SpvOpAtomicFMinEXT || op == SpvOpAtomicFMaxEXT ||
           (geo_atomic_operation_rmw(op) >= 0 && op != SpvOpAtomicExchange &&
            op != SpvOpAtomicFlagTestAndSet);
}

/* Returns whether an instruction may be executed together with others, lane by lane. Its memory
 * belongs to the thread and its result is unused. So it may also wait for later instructions that
 * neither read nor write local memory. */
static bool may_join(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    return f->lanes > 1 && is_update(inst->op) && operands_enough(inst) &&
           f->lower->machine->plain_local && inst->operands[0]->type->kind == GEO_TYPE_POINTER &&
           inst->operands[0]->type->storage == SpvStorageClassWorkgroup &&
           geo_value_shape(f, inst->operands[0]).kind == GEO_SHAPE_VARYING && !result_used(f, inst);
}

static bool is_apart(const struct geo_ir_value *value)
{
    return value->type->kind != GEO_TYPE_POINTER ||
           (value->type->storage != SpvStorageClassWorkgroup &&
            value->type->storage != SpvStorageClassGeneric);
}

/* Returns whether operations on local memory may move across an instruction. */
static bool may_pass(const struct geo_ir_inst *inst)
{
    if (geo_op_is(inst->op, GEO_IS_POINTER_STEP)) {
        return true;
    }
    bool apart = !geo_ir_has_effect(inst) && !geo_op_is(inst->op, GEO_IS_COLLECTIVE);
    for (uint32_t i = 0; i < inst->operand_count && apart; i++) {
        apart = is_apart(inst->operands[i]);
    }
    return apart;
}

/* Returns the nearest operation behind `inst` that it may join, or before it; NULL: none. */
static const struct geo_ir_inst *neighbour(struct geo_lower_function *f,
                                           const struct geo_ir_inst *inst, bool behind)
{
    do {
        inst = behind ? inst->next : inst->prev;
    } while (inst && !may_join(f, inst) && may_pass(inst));
    return inst && may_join(f, inst) ? inst : NULL;
}

/* Executes up to GEO_ATOMIC_GROUP_LIMIT operations together, or one after another if the addresses
 * of one of them turn out to have a pattern. */
static bool group_lower(struct geo_lower_function *f, const struct geo_ir_inst *const *insts,
                        uint32_t count)
{
    struct geo_atomic members[GEO_ATOMIC_GROUP_LIMIT];
    bool together = count > 1;
    for (uint32_t i = 0; i < count; i++) {
        if (!atomic_read(f, insts[i], &members[i])) {
            return false;
        }
        together &= members[i].address.kind == GEO_SHAPE_VARYING;
    }
    for (uint32_t i = 0; i < count; i++) {
        geo_remark_access_begin(insts[i], f->body.mask != NULL);
        if (together) {
            geo_remark_access_part(GEO_REMARK_LANES);
        } else {
            (void)geo_atomic_lanes(f, &members[i]);
        }
    }
    if (together) {
        geo_atomic_group_lanes(f, members, count);
    }
    return true;
}

/* Executes the operation and those that wait for it. */
static bool last_lower(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *insts[GEO_ATOMIC_GROUP_LIMIT], *first = inst;
    for (const struct geo_ir_inst *at = inst; at; at = neighbour(f, at, false)) {
        first = at;
    }
    uint32_t count = 0;
    for (const struct geo_ir_inst *at = first; at; at = neighbour(f, at, true)) {
        insts[count++] = at;
        if (count == GEO_ATOMIC_GROUP_LIMIT || at == inst) {
            if (!group_lower(f, insts, count)) {
                return false;
            }
            count = 0;
        }
    }
    return true;
}

bool geo_atomic_lower(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_atomic a;
    /* OpAtomicStore and OpAtomicFlagClear start with pointer, scope and semantics as well. */
    if (!operands_enough(inst)) {
        geo_state_error(f, inst, "operands are missing");
        return false;
    }
    if (may_join(f, inst)) {
        geo_value_set_wide(f, inst, 0, LLVMConstNull(geo_type_of(f, inst->value.type)));
        return neighbour(f, inst, true) || last_lower(f, inst);
    }
    if (!atomic_read(f, inst, &a)) {
        return false;
    }
    geo_remark_access_begin(inst, f->body.mask != NULL);
    a.used = result_used(f, inst);
    a.pends = f->lower->machine->pends && f->lower->machine->pends(f, inst);
    GEO_ASSERT(!a.value || geo_type_element(a.value) == geo_type_of(f, a.type));
    LLVMValueRef result =
        f->lanes == 1 ? geo_atomic_operation_spare(f, &a, a.address.base, a.value, a.comparator)
                      : geo_atomic_lanes(f, &a);
    if (inst->value.type->kind == GEO_TYPE_VOID) {
        return true;
    }
    if (a.op == SpvOpAtomicFlagTestAndSet) {
        result = geo_emit_icmp(f, LLVMIntNE, result, geo_emit_zero_like(result));
    }
    geo_value_set_wide(f, inst, 0, result);
    return true;
}
