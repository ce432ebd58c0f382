/* The dispatch table of lowering: the function that emits each opcode. body.c calls it for every
 * instruction except control flow, calls, barriers, ids and private variables.
 *
 * Opcodes that work part by part are in the table of arith/operation.c, which is searched first. */
#include "compiler/lower/control/dispatch.h"

#include "compiler/ir/grammar.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/ext/opencl.h"
#include "compiler/lower/ext/service.h"
#include "compiler/lower/group/group.h"
#include "compiler/lower/instruction/bitcast.h"
#include "compiler/lower/instruction/composite.h"
#include "compiler/lower/instruction/dot.h"
#include "compiler/lower/instruction/extended.h"
#include "compiler/lower/memory/atomic.h"
#include "compiler/lower/memory/copy.h"
#include "compiler/lower/memory/load_store.h"
#include "compiler/lower/memory/pointer.h"
#include "compiler/lower/value/value.h"

#include <stddef.h>

#define WHOLE(opcode, function) {.part.op = SpvOp##opcode, .lower = (function)}

static bool nothing(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    (void)f, (void)inst;
    return true;
}

/* Reads the clock once for all lanes, as 64 bits or as two words of 32. */
static bool read_clock(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t count = geo_part_count(inst->value.type);
    uint32_t bits = geo_ir_scalar_of(inst->value.type)->width;
    LLVMValueRef clock = geo_emit_intrinsic_of(f, "llvm.readcyclecounter", NULL, 0, NULL, 0);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef part =
            LLVMBuildLShr(f->builder, clock, geo_emit_const_like(clock, (uint64_t)bits * i), "");
        geo_lower_set_wide(f, inst, i, geo_emit_zext(f, part, bits));
    }
    return true;
}

/* Sorted by opcode. */
static const struct geo_entry entries[] = {
    WHOLE(Nop, nothing),
    WHOLE(Undef, geo_lower_composite),
    WHOLE(ExtInst, geo_lower_ext),
    WHOLE(Load, geo_lower_load),
    WHOLE(Store, geo_lower_store),
    WHOLE(CopyMemory, geo_lower_copy_memory),
    WHOLE(CopyMemorySized, geo_lower_copy_memory),
    WHOLE(AccessChain, geo_lower_access_chain),
    WHOLE(InBoundsAccessChain, geo_lower_access_chain),
    WHOLE(PtrAccessChain, geo_lower_access_chain),
    WHOLE(GenericPtrMemSemantics, geo_lower_pointer),
    WHOLE(InBoundsPtrAccessChain, geo_lower_access_chain),
    WHOLE(VectorExtractDynamic, geo_lower_vector_dynamic),
    WHOLE(VectorInsertDynamic, geo_lower_vector_dynamic),
    WHOLE(VectorShuffle, geo_lower_composite),
    WHOLE(CompositeConstruct, geo_lower_composite),
    WHOLE(CompositeExtract, geo_lower_composite),
    WHOLE(CompositeInsert, geo_lower_composite),
    WHOLE(CopyObject, geo_lower_copy),
    WHOLE(ConvertPtrToU, geo_lower_bitcast),
    WHOLE(ConvertUToPtr, geo_lower_bitcast),
    WHOLE(PtrCastToGeneric, geo_lower_copy),
    WHOLE(GenericCastToPtr, geo_lower_copy),
    WHOLE(GenericCastToPtrExplicit, geo_lower_pointer),
    WHOLE(Bitcast, geo_lower_bitcast),
    WHOLE(Dot, geo_lower_dot),
    WHOLE(IAddCarry, geo_lower_extended),
    WHOLE(ISubBorrow, geo_lower_extended),
    WHOLE(UMulExtended, geo_lower_extended),
    WHOLE(SMulExtended, geo_lower_extended),
    WHOLE(Any, geo_lower_any_all),
    WHOLE(All, geo_lower_any_all),
    WHOLE(MemoryBarrier, geo_lower_fence),
    WHOLE(AtomicLoad, geo_lower_atomic),
    WHOLE(AtomicStore, geo_lower_atomic),
    WHOLE(AtomicExchange, geo_lower_atomic),
    WHOLE(AtomicCompareExchange, geo_lower_atomic),
    WHOLE(AtomicCompareExchangeWeak, geo_lower_atomic),
    WHOLE(AtomicIIncrement, geo_lower_atomic),
    WHOLE(AtomicIDecrement, geo_lower_atomic),
    WHOLE(AtomicIAdd, geo_lower_atomic),
    WHOLE(AtomicISub, geo_lower_atomic),
    WHOLE(AtomicSMin, geo_lower_atomic),
    WHOLE(AtomicUMin, geo_lower_atomic),
    WHOLE(AtomicSMax, geo_lower_atomic),
    WHOLE(AtomicUMax, geo_lower_atomic),
    WHOLE(AtomicAnd, geo_lower_atomic),
    WHOLE(AtomicOr, geo_lower_atomic),
    WHOLE(AtomicXor, geo_lower_atomic),
    WHOLE(LifetimeStart, nothing),
    WHOLE(LifetimeStop, nothing),
    WHOLE(AtomicFlagTestAndSet, geo_lower_atomic),
    WHOLE(AtomicFlagClear, geo_lower_atomic),
    WHOLE(SizeOf, geo_lower_pointer),
    WHOLE(CopyLogical, geo_lower_copy),
    WHOLE(PtrEqual, geo_lower_pointer_compare),
    WHOLE(PtrNotEqual, geo_lower_pointer_compare),
    WHOLE(PtrDiff, geo_lower_pointer_compare),
    WHOLE(SDot, geo_lower_integer_dot),
    WHOLE(UDot, geo_lower_integer_dot),
    WHOLE(SUDot, geo_lower_integer_dot),
    WHOLE(SDotAccSat, geo_lower_integer_dot),
    WHOLE(UDotAccSat, geo_lower_integer_dot),
    WHOLE(SUDotAccSat, geo_lower_integer_dot),
    WHOLE(ReadClockKHR, read_clock),
    WHOLE(AtomicFMinEXT, geo_lower_atomic),
    WHOLE(AtomicFMaxEXT, geo_lower_atomic),
    WHOLE(AssumeTrueKHR, nothing),
    WHOLE(ExpectKHR, geo_lower_copy),
    WHOLE(AtomicFAddEXT, geo_lower_atomic),
    {.part.op = GEO_SPV_ARITHMETIC_FENCE_EXT, .lower = geo_lower_copy},
    {.part.op = GEO_OP_PTR_ADD, .lower = geo_lower_access_chain},
    {.part.op = GEO_OP_LOCAL_IMUL, .lower = geo_lower_atomic},
    {.part.op = GEO_OP_LOCAL_FMUL, .lower = geo_lower_atomic},
    {.part.op = GEO_OP_ASSERT_FAIL, .lower = geo_lower_assert_fail},
    {.part.op = GEO_OP_HANDLE, .lower = geo_lower_bitcast},
};

const struct geo_entry *geo_entry_find(uint32_t op)
{
    return geo_row_find(entries, sizeof(entries) / sizeof(entries[0]), sizeof(entries[0]), op);
}

bool geo_lower_instruction(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_operation *operation = geo_operation_find(inst->op);
    if (operation) {
        return geo_lower_apply(f, inst, operation);
    }
    const struct geo_entry *entry = geo_entry_find(inst->op);
    return entry ? entry->lower(f, inst) && !f->failed : geo_lower_group(f, inst);
}
