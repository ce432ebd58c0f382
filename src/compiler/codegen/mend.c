/* What LLVM's x86 back end gets wrong, rewritten before it gets there.
 *
 * LLVM 22.1.8: a masked store whose mask is constant and has one lane becomes a store of that lane,
 * and when the value is a truncation, of the lane before truncation: it writes up to eight times
 * too many bytes. Such masks are common (item 0 of a group of required size writes a result), so
 * that store is made here. */
#include "compiler/codegen/internal.h"

#define NO_LANE UINT32_MAX

static bool is_masked_store(LLVMValueRef inst)
{
    static const char name[] = "llvm.masked.store";
    if (!LLVMIsACallInst(inst)) {
        return false;
    }
    LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(inst));
    return callee && LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, sizeof(name) - 1);
}

/* The only lane of a constant mask that is on; NO_LANE when there are others, or none. */
static uint32_t lane_of(LLVMValueRef mask)
{
    uint32_t lanes = LLVMGetVectorSize(LLVMTypeOf(mask)), found = NO_LANE;
    for (uint32_t i = 0; LLVMIsConstant(mask) && i < lanes; i++) {
        LLVMValueRef bit = LLVMGetAggregateElement(mask, i);
        bool on = bit && LLVMIsAConstantInt(bit) && LLVMConstIntGetZExtValue(bit) != 0;
        if (!bit || (on && found != NO_LANE)) {
            return NO_LANE;
        }
        found = on ? i : found;
    }
    return found;
}

/* Of the pointer, by the attribute of the call. */
static uint64_t alignment_of(LLVMValueRef call)
{
    static const char name[] = "align";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, 2, kind);
    return attribute ? LLVMGetEnumAttributeValue(attribute) : 1;
}

static void store_lane(LLVMBuilderRef builder, LLVMValueRef call, uint32_t lane)
{
    LLVMValueRef vector = LLVMGetOperand(call, 0), pointer = LLVMGetOperand(call, 1);
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(vector));
    LLVMContextRef context = LLVMGetTypeContext(element);
    LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(context), lane, 0);
    uint64_t align = alignment_of(call);
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef value = LLVMBuildExtractElement(builder, vector, index, "");
    LLVMValueRef place = LLVMBuildGEP2(builder, element, pointer, &index, 1, "");
    LLVMValueRef store = LLVMBuildStore(builder, value, place);
    uint64_t natural =
        LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(LLVMGetGlobalParent(
                                   LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)))),
                               element);
    LLVMSetAlignment(store, (unsigned)(lane == 0 || align < natural ? align : natural));
    LLVMInstructionEraseFromParent(call);
}

void geo_codegen_mend(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            LLVMValueRef next;
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = next) {
                next = LLVMGetNextInstruction(inst);
                uint32_t lane = is_masked_store(inst) ? lane_of(LLVMGetOperand(inst, 2)) : NO_LANE;
                if (lane != NO_LANE) {
                    store_lane(builder, inst, lane);
                }
            }
        }
    }
    LLVMDisposeBuilder(builder);
}
