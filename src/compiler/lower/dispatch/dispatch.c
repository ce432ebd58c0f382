/* The dispatch table of lowering: the function that emits each opcode. Instructions whose code
 * depends on how a machine runs a group call a row of the machine (machine.h).
 *
 * Opcodes that work part by part are in the table of arith/operation.c, which is searched first. */
#include "compiler/lower/dispatch/dispatch.h"

#include "compiler/ir/emitted.h"
#include "compiler/ir/grammar.h"
#include "compiler/lower/dispatch/group.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/ext/opencl.h"
#include "compiler/lower/instruction/all_lanes.h"
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

#define WHOLE(opcode, function) {.part.op = GEO_WHOLE_SpvOp##opcode, .lower = (function)}

/* Define functions that call a row of the machine. */
#define MACHINE(row)                                                                               \
    static bool machine_##row(struct geo_lower_function *f, const struct geo_ir_inst *inst)        \
    {                                                                                              \
        return f->lower->machine->row(f, inst);                                                    \
    }
MACHINE(private_variable)
MACHINE(builtin)
MACHINE(barrier)
MACHINE(call)
MACHINE(call_pointer)
MACHINE(assert_fail)

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
        LLVMValueRef part = LLVMBuildLShr(f->llvm.builder, clock,
                                          geo_emit_const_like(clock, (uint64_t)bits * i), "");
        geo_value_set_wide(f, inst, i, geo_emit_zext(f, part, bits));
    }
    return true;
}

/* Sorted by opcode. */
static const struct geo_entry entries[] = {
    WHOLE(Nop, nothing),
    WHOLE(Undef, geo_instruction_composite),
    WHOLE(ExtInst, geo_ext_opencl),
    WHOLE(FunctionCall, machine_call),
    WHOLE(Variable, machine_private_variable),
    WHOLE(Load, geo_access_lower_load),
    WHOLE(Store, geo_access_lower_store),
    WHOLE(CopyMemory, geo_access_copy_memory),
    WHOLE(CopyMemorySized, geo_access_copy_memory),
    WHOLE(AccessChain, geo_pointer_access_chain),
    WHOLE(InBoundsAccessChain, geo_pointer_access_chain),
    WHOLE(PtrAccessChain, geo_pointer_access_chain),
    WHOLE(GenericPtrMemSemantics, geo_pointer_lower),
    WHOLE(InBoundsPtrAccessChain, geo_pointer_access_chain),
    WHOLE(VectorExtractDynamic, geo_instruction_vector_dynamic),
    WHOLE(VectorInsertDynamic, geo_instruction_vector_dynamic),
    WHOLE(VectorShuffle, geo_instruction_composite),
    WHOLE(CompositeConstruct, geo_instruction_composite),
    WHOLE(CompositeExtract, geo_instruction_composite),
    WHOLE(CompositeInsert, geo_instruction_composite),
    WHOLE(CopyObject, geo_instruction_copy),
    WHOLE(ConvertPtrToU, geo_instruction_bitcast),
    WHOLE(ConvertUToPtr, geo_instruction_bitcast),
    WHOLE(PtrCastToGeneric, geo_pointer_cast),
    WHOLE(GenericCastToPtr, geo_pointer_cast),
    WHOLE(GenericCastToPtrExplicit, geo_pointer_lower),
    WHOLE(Bitcast, geo_instruction_bitcast),
    WHOLE(Dot, geo_instruction_dot),
    WHOLE(IAddCarry, geo_instruction_extended),
    WHOLE(ISubBorrow, geo_instruction_extended),
    WHOLE(UMulExtended, geo_instruction_extended),
    WHOLE(SMulExtended, geo_instruction_extended),
    WHOLE(Any, geo_instruction_any_all),
    WHOLE(All, geo_instruction_any_all),
    WHOLE(ControlBarrier, machine_barrier),
    WHOLE(MemoryBarrier, geo_atomic_fence),
    WHOLE(AtomicLoad, geo_atomic_lower),
    WHOLE(AtomicStore, geo_atomic_lower),
    WHOLE(AtomicExchange, geo_atomic_lower),
    WHOLE(AtomicCompareExchange, geo_atomic_lower),
    WHOLE(AtomicCompareExchangeWeak, geo_atomic_lower),
    WHOLE(AtomicIIncrement, geo_atomic_lower),
    WHOLE(AtomicIDecrement, geo_atomic_lower),
    WHOLE(AtomicIAdd, geo_atomic_lower),
    WHOLE(AtomicISub, geo_atomic_lower),
    WHOLE(AtomicSMin, geo_atomic_lower),
    WHOLE(AtomicUMin, geo_atomic_lower),
    WHOLE(AtomicSMax, geo_atomic_lower),
    WHOLE(AtomicUMax, geo_atomic_lower),
    WHOLE(AtomicAnd, geo_atomic_lower),
    WHOLE(AtomicOr, geo_atomic_lower),
    WHOLE(AtomicXor, geo_atomic_lower),
    WHOLE(LifetimeStart, nothing),
    WHOLE(LifetimeStop, nothing),
    WHOLE(AtomicFlagTestAndSet, geo_atomic_lower),
    WHOLE(AtomicFlagClear, geo_atomic_lower),
    WHOLE(SizeOf, geo_pointer_lower),
    WHOLE(CopyLogical, geo_instruction_copy),
    WHOLE(PtrEqual, geo_pointer_compare),
    WHOLE(PtrNotEqual, geo_pointer_compare),
    WHOLE(PtrDiff, geo_pointer_compare),
    WHOLE(SDot, geo_instruction_integer_dot),
    WHOLE(UDot, geo_instruction_integer_dot),
    WHOLE(SUDot, geo_instruction_integer_dot),
    WHOLE(SDotAccSat, geo_instruction_integer_dot),
    WHOLE(UDotAccSat, geo_instruction_integer_dot),
    WHOLE(SUDotAccSat, geo_instruction_integer_dot),
    WHOLE(ReadClockKHR, read_clock),
    WHOLE(FunctionPointerCallINTEL, machine_call_pointer),
    WHOLE(AtomicFMinEXT, geo_atomic_lower),
    WHOLE(AtomicFMaxEXT, geo_atomic_lower),
    WHOLE(AssumeTrueKHR, nothing),
    WHOLE(ExpectKHR, geo_instruction_copy),
    WHOLE(AtomicFAddEXT, geo_atomic_lower),
    {.part.op = GEO_WHOLE_GEO_SPV_ARITHMETIC_FENCE_EXT, .lower = geo_instruction_copy},
    {.part.op = GEO_WHOLE_GEO_OP_BUILTIN, .lower = machine_builtin},
    {.part.op = GEO_WHOLE_GEO_OP_PTR_ADD, .lower = geo_pointer_access_chain},
    {.part.op = GEO_WHOLE_GEO_OP_LOCAL_IMUL, .lower = geo_atomic_lower},
    {.part.op = GEO_WHOLE_GEO_OP_LOCAL_FMUL, .lower = geo_atomic_lower},
    {.part.op = GEO_WHOLE_GEO_OP_ASSERT_FAIL, .lower = machine_assert_fail},
    {.part.op = GEO_WHOLE_GEO_OP_HANDLE, .lower = geo_instruction_bitcast},
    {.part.op = GEO_WHOLE_GEO_OP_ALL_LANES, .lower = geo_instruction_all_lanes},
    {.part.op = GEO_WHOLE_GEO_OP_FIRST_LANE, .lower = geo_instruction_all_lanes_first},
};
_Static_assert(sizeof(entries) / sizeof(entries[0]) == GEO_WHOLE_COUNT,
               "each opcode that opcodes.def marks WHOLE has an entry");
#undef WHOLE

const struct geo_entry *geo_dispatch_find(uint32_t op)
{
    return geo_arith_operation_row_find(entries, sizeof(entries) / sizeof(entries[0]),
                                        sizeof(entries[0]), op);
}

/* Returns whether a transform has to replace an opcode before lowering: EARLIER in opcodes.def. */
static bool is_replaced_earlier(SpvOp op)
{
#define LOWERING_PART    false
#define LOWERING_WHOLE   false
#define LOWERING_GROUP   false
#define LOWERING_CONTROL false
#define LOWERING_EARLIER true
    static const bool earlier[GEO_ROW_COUNT] = {
#define ROW(op, types, shape, folding, lowering, ...) [GEO_ROW_##op] = LOWERING_##lowering,
#include "compiler/ir/opcodes.def"
    };
    return earlier[geo_op_row(op)];
}

bool geo_dispatch_instruction(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_operation *operation = geo_arith_operation_find(inst->op);
    if (operation) {
        return geo_value_apply(f, inst, operation);
    }
    const struct geo_entry *entry = geo_dispatch_find(inst->op);
    if (entry) {
        return entry->lower(f, inst) && !f->failed;
    }
    if (is_replaced_earlier(inst->op)) {
        geo_state_error(f, inst, "internal: no pass has replaced the instruction before lowering");
        return false;
    }
    return geo_dispatch_group(f, inst);
}
