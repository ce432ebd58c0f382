/* Follows LLVM's instructions backwards. See recompute.h. */
#include "compiler/lower/emit/recompute.h"

#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"

/* Bounds on the instructions between an address and what is taken as it is. */
#define DEPTH_LIMIT 8u

/* Returns whether an instruction computes each lane from the same lane of its operands, without an
 * effect and without a trap. */
static bool is_lane_wise(LLVMOpcode op)
{
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return true;
    default:
        return false;
    }
}

static bool is_cast(LLVMOpcode op)
{
    return op == LLVMZExt || op == LLVMSExt || op == LLVMTrunc;
}

/* Returns the opcode of an instruction that can be computed again; LLVMRet: of none. */
static LLVMOpcode opcode_of(LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value)) {
        return LLVMRet;
    }
    LLVMOpcode op = LLVMGetInstructionOpcode(value);
    bool steps = op == LLVMGetElementPtr && LLVMGetNumOperands(value) == 2;
    return is_lane_wise(op) || steps ? op : LLVMRet;
}

static LLVMValueRef first_of(struct geo_lower_function *f, LLVMValueRef value, uint32_t depth)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef parts[2];
    if (geo_type_lanes(value) == 1) {
        return value;
    }
    if (LLVMIsAInsertElementInst(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 2)) &&
        LLVMConstIntGetZExtValue(LLVMGetOperand(value, 2)) == 0) {
        return LLVMGetOperand(value, 1);
    }
    if (LLVMIsAShuffleVectorInst(value) && LLVMGetMaskValue(value, 0) == 0) {
        return first_of(f, LLVMGetOperand(value, 0), depth);
    }
    LLVMOpcode op = depth ? opcode_of(value) : LLVMRet;
    if (op == LLVMRet) {
        return geo_emit_lane(f, value, 0);
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        parts[i] = first_of(f, LLVMGetOperand(value, (unsigned)i), depth - 1);
    }
    return op == LLVMGetElementPtr
               ? LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(value), parts[0], &parts[1], 1, "")
           : is_cast(op) ? LLVMBuildCast(b, op, parts[0], geo_type_element(value), "")
                         : LLVMBuildBinOp(b, op, parts[0], parts[1], "");
}

static LLVMValueRef lanes_of(struct geo_lower_function *f, LLVMValueRef value, uint32_t depth)
{
    if (depth == 0 || opcode_of(value) == LLVMRet) {
        return value;
    }
    LLVMValueRef parts[2], copy = LLVMInstructionClone(value);
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        parts[i] = lanes_of(f, LLVMGetOperand(value, (unsigned)i), depth - 1);
        LLVMSetOperand(copy, (unsigned)i, parts[i]);
    }
    LLVMInsertIntoBuilder(f->llvm.builder, copy);
    return copy;
}

LLVMValueRef geo_recompute_first(struct geo_lower_function *f, LLVMValueRef vector)
{
    return first_of(f, vector, DEPTH_LIMIT);
}

LLVMValueRef geo_recompute_lanes(struct geo_lower_function *f, LLVMValueRef vector)
{
    return lanes_of(f, vector, DEPTH_LIMIT);
}
