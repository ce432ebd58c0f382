/* The dispatch table of lowering: which file emits which opcode. Called by the frame for every
 * instruction that is not control flow, a call, a barrier, an id or a private variable. */
#include "compiler/lower/instruction/instruction.h"

#include <stddef.h>

#define PART(opcode, operands, flag, function)                                                     \
    {.op = SpvOp##opcode, .operand_count = (operands), .flags = (flag), .emit = (function)}
#define WHOLE(opcode, function) {.op = SpvOp##opcode, .lower = (function)}

static bool nothing(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    (void)f, (void)inst;
    return true;
}

/* One reading for all lanes; 64 bits, or two words of 32. */
static bool read_clock(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    uint32_t count = geo_lower_part_count(inst->value.type);
    uint32_t bits = geo_ir_scalar_of(inst->value.type)->width;
    if (count * bits != 64) {
        geo_lower_error(f, inst, "the result does not have 64 bits");
        return false;
    }
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
    PART(ConvertFToU, 1, 0, geo_emit_convert),
    PART(ConvertFToS, 1, 0, geo_emit_convert),
    PART(ConvertSToF, 1, 0, geo_emit_convert),
    PART(ConvertUToF, 1, 0, geo_emit_convert),
    PART(UConvert, 1, 0, geo_emit_convert),
    PART(SConvert, 1, 0, geo_emit_convert),
    PART(FConvert, 1, 0, geo_emit_convert),
    WHOLE(ConvertPtrToU, geo_lower_bitcast),
    PART(SatConvertSToU, 1, 0, geo_emit_convert),
    PART(SatConvertUToS, 1, 0, geo_emit_convert),
    WHOLE(ConvertUToPtr, geo_lower_bitcast),
    WHOLE(PtrCastToGeneric, geo_lower_copy),
    WHOLE(GenericCastToPtr, geo_lower_copy),
    WHOLE(GenericCastToPtrExplicit, geo_lower_pointer),
    WHOLE(Bitcast, geo_lower_bitcast),
    PART(SNegate, 1, 0, geo_emit_arith),
    PART(FNegate, 1, GEO_ENTRY_BITS, geo_emit_arith),
    PART(IAdd, 2, 0, geo_emit_arith),
    PART(FAdd, 2, GEO_ENTRY_FLOAT, geo_emit_arith),
    PART(ISub, 2, 0, geo_emit_arith),
    PART(FSub, 2, GEO_ENTRY_FLOAT, geo_emit_arith),
    PART(IMul, 2, 0, geo_emit_arith),
    PART(FMul, 2, GEO_ENTRY_FLOAT, geo_emit_arith),
    PART(UDiv, 2, 0, geo_emit_divide),
    PART(SDiv, 2, 0, geo_emit_divide),
    PART(FDiv, 2, GEO_ENTRY_FLOAT, geo_emit_arith),
    PART(UMod, 2, 0, geo_emit_divide),
    PART(SRem, 2, 0, geo_emit_divide),
    PART(SMod, 2, 0, geo_emit_divide),
    PART(FRem, 2, GEO_ENTRY_FLOAT, geo_emit_frem_part),
    PART(FMod, 2, GEO_ENTRY_FLOAT, geo_emit_frem_part),
    PART(VectorTimesScalar, 2, GEO_ENTRY_FLOAT, geo_emit_arith),
    WHOLE(Dot, geo_lower_dot),
    WHOLE(IAddCarry, geo_lower_extended),
    WHOLE(ISubBorrow, geo_lower_extended),
    WHOLE(UMulExtended, geo_lower_extended),
    WHOLE(SMulExtended, geo_lower_extended),
    WHOLE(Any, geo_lower_any_all),
    WHOLE(All, geo_lower_any_all),
    PART(IsNan, 1, GEO_ENTRY_BITS, geo_emit_classify),
    PART(IsInf, 1, GEO_ENTRY_BITS, geo_emit_classify),
    PART(IsFinite, 1, GEO_ENTRY_BITS, geo_emit_classify),
    PART(IsNormal, 1, GEO_ENTRY_BITS, geo_emit_classify),
    PART(SignBitSet, 1, GEO_ENTRY_BITS, geo_emit_classify),
    PART(LessOrGreater, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(Ordered, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(Unordered, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(LogicalEqual, 2, 0, geo_emit_logic),
    PART(LogicalNotEqual, 2, 0, geo_emit_logic),
    PART(LogicalOr, 2, 0, geo_emit_logic),
    PART(LogicalAnd, 2, 0, geo_emit_logic),
    PART(LogicalNot, 1, 0, geo_emit_logic),
    PART(Select, 3, GEO_ENTRY_BITS, geo_emit_select_part),
    PART(IEqual, 2, 0, geo_emit_compare),
    PART(INotEqual, 2, 0, geo_emit_compare),
    PART(UGreaterThan, 2, 0, geo_emit_compare),
    PART(SGreaterThan, 2, 0, geo_emit_compare),
    PART(UGreaterThanEqual, 2, 0, geo_emit_compare),
    PART(SGreaterThanEqual, 2, 0, geo_emit_compare),
    PART(ULessThan, 2, 0, geo_emit_compare),
    PART(SLessThan, 2, 0, geo_emit_compare),
    PART(ULessThanEqual, 2, 0, geo_emit_compare),
    PART(SLessThanEqual, 2, 0, geo_emit_compare),
    PART(FOrdEqual, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FUnordEqual, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FOrdNotEqual, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FUnordNotEqual, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FOrdLessThan, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FUnordLessThan, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FOrdGreaterThan, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FUnordGreaterThan, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FOrdLessThanEqual, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FUnordLessThanEqual, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FOrdGreaterThanEqual, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(FUnordGreaterThanEqual, 2, GEO_ENTRY_FLOAT, geo_emit_compare),
    PART(ShiftRightLogical, 2, 0, geo_emit_bit_op),
    PART(ShiftRightArithmetic, 2, 0, geo_emit_bit_op),
    PART(ShiftLeftLogical, 2, 0, geo_emit_bit_op),
    PART(BitwiseOr, 2, 0, geo_emit_bit_op),
    PART(BitwiseXor, 2, 0, geo_emit_bit_op),
    PART(BitwiseAnd, 2, 0, geo_emit_bit_op),
    PART(Not, 1, 0, geo_emit_bit_op),
    PART(BitFieldInsert, 4, 0, geo_emit_bit_op),
    PART(BitFieldSExtract, 3, 0, geo_emit_bit_op),
    PART(BitFieldUExtract, 3, 0, geo_emit_bit_op),
    PART(BitReverse, 1, 0, geo_emit_bit_op),
    PART(BitCount, 1, 0, geo_emit_bit_op),
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
    {.op = GEO_SPV_CONVERT_F_TO_BF16_INTEL, .operand_count = 1, .emit = geo_emit_bfloat},
    {.op = GEO_SPV_CONVERT_BF16_TO_F_INTEL, .operand_count = 1, .emit = geo_emit_bfloat},
    {.op = GEO_SPV_ARITHMETIC_FENCE_EXT, .lower = geo_lower_copy},
    {.op = GEO_OP_PTR_ADD, .lower = geo_lower_access_chain},
    {.op = GEO_OP_LOCAL_IMUL, .lower = geo_lower_atomic},
    {.op = GEO_OP_LOCAL_FMUL, .lower = geo_lower_atomic},
    {.op = GEO_OP_ASSERT_FAIL, .lower = geo_lower_assert_fail},
};

const struct geo_entry *geo_entry_search(const struct geo_entry *table, size_t count, uint32_t op)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table[middle].op < op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && table[low].op == op ? &table[low] : NULL;
}

const struct geo_entry *geo_entry_find(uint32_t op)
{
    return geo_entry_search(entries, sizeof(entries) / sizeof(entries[0]), op);
}

bool geo_type_is_half(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_FLOAT && type->width == 16;
}

bool geo_lower_as_scalar(struct geo_lower_function *f, const struct geo_ir_value *value)
{
    return f->lanes == 1 || geo_lower_shape(f, value).kind != GEO_SHAPE_VARYING;
}

void geo_lower_set_wide(struct geo_lower_function *f, const struct geo_ir_inst *inst, uint32_t part,
                        LLVMValueRef value)
{
    bool scalar = geo_emit_lanes(value) == 1;
    bool wants_scalar = geo_lower_as_scalar(f, &inst->value);
    if (scalar && !wants_scalar) {
        value = geo_lower_splat(f, value);
    } else if (!scalar && wants_scalar) {
        value = geo_lower_lane(f, value, 0);
    }
    geo_lower_set(f, inst, part, value);
}

LLVMValueRef geo_emit_part(struct geo_emit *e, const struct geo_entry *entry)
{
    struct geo_lower_function *f = e->f;
    const struct geo_ir_type *single = geo_ir_type_float(f->module, 32);
    bool round = false;
    if (entry->flags & GEO_ENTRY_FLOAT) {
        if (geo_type_is_half(e->source)) {
            for (uint32_t i = 0; i < e->count; i++) {
                if (geo_emit_bits(e->v[i]) == 16) {
                    e->v[i] = geo_emit_half_to_float(f, e->v[i]);
                }
            }
            e->source = single;
        }
        if (geo_type_is_half(e->type)) {
            round = true;
            e->type = single;
        }
    }
    LLVMValueRef result = entry->emit(e);
    if (result && round) {
        result = geo_emit_float_to_half(f, result, SpvFPRoundingModeRTE);
    }
    return result;
}

bool geo_lower_parts(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                     const struct geo_entry *entry, uint32_t op)
{
    if (inst->operand_count != entry->operand_count) {
        geo_lower_error(f, inst, "%u operands where %u belong", inst->operand_count,
                        entry->operand_count);
        return false;
    }
    bool as_scalar = geo_lower_as_scalar(f, &inst->value);
    uint32_t count = geo_lower_part_count(inst->value.type);
    uint32_t operand_parts[4] = {0};
    /* Extensions, right shifts and masks of strided scalars: computed in a live lane. */
    struct geo_shape shape = geo_lower_shape(f, &inst->value);
    bool anchored = f->lanes > 1 && shape.kind == GEO_SHAPE_STRIDED && shape.anchored;
    LLVMValueRef lane = NULL;
    for (uint32_t i = 0; i < entry->operand_count; i++) {
        operand_parts[i] = geo_lower_part_count(inst->operands[i]->type);
        if (operand_parts[i] != 1 && operand_parts[i] < count) {
            geo_lower_error(f, inst, "operand %u has %u components, the result %u", i,
                            operand_parts[i], count);
            return false;
        }
    }
    for (uint32_t part = 0; part < count; part++) {
        struct geo_emit e = {.f = f, .inst = inst, .op = op, .count = entry->operand_count};
        e.flags = inst->value.flags;
        e.type = geo_lower_part_type(inst->value.type, part);
        for (uint32_t i = 0; i < entry->operand_count; i++) {
            uint32_t from = operand_parts[i] == 1 ? 0 : part;
            e.v[i] = geo_lower_operand(f, inst->operands[i], from, as_scalar);
            if (i == 0) {
                e.source = geo_lower_part_type(inst->operands[0]->type, from);
            }
        }
        if (anchored) {
            e.v[0] = geo_lower_anchor(f, inst, inst->operands[0], &lane);
        }
        LLVMValueRef result = geo_emit_part(&e, entry);
        if (!result) {
            if (!f->failed) {
                geo_lower_error(f, inst, "operation on these types is not supported");
            }
            return false;
        }
        if (anchored) {
            result = geo_lower_unanchor(f, inst, result, lane);
        }
        geo_lower_set_wide(f, inst, part, result);
    }
    return true;
}

bool geo_lower_instruction(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_entry *entry = geo_entry_find(inst->op);
    if (entry && entry->emit) {
        return geo_lower_parts(f, inst, entry, inst->op);
    }
    if (entry) {
        return entry->lower(f, inst) && !f->failed;
    }
    return geo_lower_group(f, inst);
}
