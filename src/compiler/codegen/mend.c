/* Rewrites code that LLVM's x86 back end would miscompile, or on which it would never end
 * (lower/llvm_faults.def):
 *
 *     STORE_OF_ONE_LANE      frequent: item 0 of a group of required size writes a result. The
 *                            masked store becomes a scalar store.
 *     SHUFFLED_MASKED_LOAD   an arithmetic fence, which emits no instruction, separates shuffle and
 *                            load. The back end also makes masked loads of selects with an arm in
 *                            memory.
 *     MASKED_BIT_SELECT      (a & c) | (b & ~c), also copysign, inside select(m, that, a): a fence
 *     CUT_MASK_MOVED         frequent: a group of required size leaves lanes of a vector off. A
 *                            shuffle with zeros becomes an `and`.
 *     REPEATED_BYTES         fences before and behind the shuffle
 */
#include "compiler/codegen/internal.h"

#include <string.h>

#define NO_LANE UINT32_MAX

static bool is_call_of(LLVMValueRef inst, const char *intrinsic)
{
    if (!LLVMIsACallInst(inst)) {
        return false;
    }
    LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(inst));
    return callee &&
           LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));
}

/* ---- masked stores ---- */

/* Returns the only active lane of a constant mask; NO_LANE if there are several or none. */
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

/* Returns the alignment of the pointer, an attribute of the call. */
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

/* Returns whether the instruction was replaced. */
static bool store_mend(LLVMBuilderRef builder, LLVMValueRef inst)
{
    uint32_t lane =
        is_call_of(inst, "llvm.masked.store") ? lane_of(LLVMGetOperand(inst, 2)) : NO_LANE;
    if (lane != NO_LANE) {
        store_lane(builder, inst, lane);
    }
    return lane != NO_LANE;
}

/* ---- fences ---- */

static bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

/* Returns whether a value can be fenced. Fences are made on floats, so whole words are needed, and
 * no masks or pointers. */
static bool can_be_fenced(LLVMTypeRef type, unsigned long long bits)
{
    LLVMTypeRef element = is_vector(type) ? LLVMGetElementType(type) : type;
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    return bits % 32 == 0 && kind != LLVMPointerTypeKind &&
           (kind != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(element) != 1);
}

LLVMValueRef geo_codegen_mend_fence(LLVMBuilderRef builder, LLVMValueRef inst, LLVMValueRef value)
{
    static const char name[] = "llvm.arithmetic.fence";
    LLVMModuleRef module =
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned long long bits = LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(module), type);
    if (!can_be_fenced(type, bits)) {
        return value;
    }
    LLVMTypeRef floats = LLVMFloatTypeInContext(LLVMGetTypeContext(type));
    if (bits != 32) {
        floats = LLVMVectorType(floats, (unsigned)(bits / 32));
    }
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(
        module, LLVMLookupIntrinsicID(name, sizeof(name) - 1), &floats, 1);
    LLVMPositionBuilderBefore(builder, inst);
    value = LLVMBuildBitCast(builder, value, floats, "");
    value = LLVMBuildCall2(builder, LLVMGlobalGetValueType(callee), callee, &value, 1, "");
    return LLVMBuildBitCast(builder, value, type, "");
}

static LLVMValueRef without_casts(LLVMValueRef value)
{
    while (LLVMIsABitCastInst(value) || LLVMIsAFreezeInst(value)) {
        value = LLVMGetOperand(value, 0);
    }
    return value;
}

/* Returns whether an instruction is a select with a condition for each lane. */
static bool is_vector_select(LLVMValueRef inst)
{
    return LLVMIsASelectInst(inst) && is_vector(LLVMTypeOf(LLVMGetOperand(inst, 0)));
}

/* ---- shuffles of masked loads ---- */

/* Returns whether a value is a masked load, or a select that becomes one if an arm is in memory. */
static bool is_masked_load(LLVMValueRef value)
{
    return is_call_of(value, "llvm.masked.load") || is_vector_select(value);
}

static void shuffle_mend(LLVMBuilderRef builder, LLVMValueRef inst)
{
    for (unsigned i = 0; LLVMIsAShuffleVectorInst(inst) && i < 2; i++) {
        LLVMValueRef source = LLVMGetOperand(inst, i);
        if (is_masked_load(without_casts(source))) {
            LLVMSetOperand(inst, i, geo_codegen_mend_fence(builder, inst, source));
        }
    }
}

/* ---- masked bit selects ---- */

enum { LOGIC_DEPTH = 8 }; /* depth of trees that the back end may treat as one bit select */

/* Returns whether a value is a logic operation; an addition may be one (a disjunction). */
static bool is_logic(LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value)) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMAdd:
        return true;
    default:
        return is_call_of(value, "llvm.copysign");
    }
}

/* Returns whether `operand` is an input of the logic tree of `value`. */
static bool combines(LLVMValueRef value, LLVMValueRef operand, uint32_t depth)
{
    value = without_casts(value);
    if (value == operand) {
        return true;
    }
    if (depth == 0 || !is_logic(value)) {
        return false;
    }
    return combines(LLVMGetOperand(value, 0), operand, depth - 1) ||
           combines(LLVMGetOperand(value, 1), operand, depth - 1);
}

/* Returns whether VPTERNLOG applies: elements of 32 or 64 bits. */
static bool is_wide_vector(LLVMTypeRef type)
{
    if (!is_vector(type)) {
        return false;
    }
    LLVMTypeRef element = LLVMGetElementType(type);
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
           (kind == LLVMIntegerTypeKind &&
            (LLVMGetIntTypeWidth(element) == 32 || LLVMGetIntTypeWidth(element) == 64));
}

static void select_mend(LLVMBuilderRef builder, LLVMValueRef inst)
{
    if (!is_vector_select(inst) || !is_wide_vector(LLVMTypeOf(inst))) {
        return;
    }
    for (unsigned arm = 1; arm <= 2; arm++) {
        LLVMValueRef logic = LLVMGetOperand(inst, arm);
        LLVMValueRef other = without_casts(LLVMGetOperand(inst, 3 - arm));
        bool is_operand =
            LLVMIsConstant(other) ? !LLVMIsNull(other) : combines(logic, other, LOGIC_DEPTH);
        if (is_logic(without_casts(logic)) && is_operand) {
            LLVMSetOperand(inst, arm, geo_codegen_mend_fence(builder, inst, logic));
        }
    }
}

/* ---- cut masks ---- */

enum { MASK_LANES = 64 }; /* most lanes in a mask register */

static bool is_zero_in(LLVMValueRef vector, uint32_t lane)
{
    LLVMValueRef element = LLVMIsConstant(vector) ? LLVMGetAggregateElement(vector, lane) : NULL;
    return element && (LLVMIsNull(element) || LLVMIsUndef(element));
}

/* Returns a mask of the lanes that a shuffle of masks keeps in place, if all others become zero.
 * Returns NULL for other instructions. */
static LLVMValueRef lanes_kept(LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    LLVMValueRef kept[MASK_LANES];
    if (!LLVMIsAShuffleVectorInst(inst) || LLVMTypeOf(LLVMGetOperand(inst, 0)) != type ||
        LLVMGetElementType(type) != LLVMInt1TypeInContext(LLVMGetTypeContext(type)) ||
        LLVMGetVectorSize(type) > MASK_LANES) {
        return NULL;
    }
    uint32_t lanes = LLVMGetVectorSize(type);
    for (uint32_t i = 0; i < lanes; i++) {
        int from = LLVMGetMaskValue(inst, i);
        bool is_own = from == (int)i, is_any = from == LLVMGetUndefMaskElem();
        if (!is_own && !is_any &&
            !(from >= (int)lanes && is_zero_in(LLVMGetOperand(inst, 1), (uint32_t)from - lanes))) {
            return NULL;
        }
        kept[i] = LLVMConstInt(LLVMGetElementType(type), is_own, 0);
    }
    return LLVMConstVector(kept, lanes);
}

/* Replaces such a shuffle by an `and`, and returns whether it did. Removed lanes may be poison,
 * which an `and` would keep: a freeze prevents that. */
static bool mask_mend(LLVMBuilderRef builder, LLVMValueRef inst)
{
    LLVMValueRef kept = lanes_kept(inst);
    if (kept) {
        LLVMPositionBuilderBefore(builder, inst);
        LLVMValueRef mask = LLVMBuildFreeze(builder, LLVMGetOperand(inst, 0), "");
        LLVMReplaceAllUsesWith(inst, LLVMBuildAnd(builder, mask, kept, "mask"));
        LLVMInstructionEraseFromParent(inst);
    }
    return kept != NULL;
}

/* ---- repeated bytes ---- */

enum { ENDLESS_BYTES = 64 }; /* bytes of the shuffles that the back end may lower for ever */

/* Returns whether an instruction shuffles to 64 bytes, two of which come from the same byte. */
static bool repeats_bytes(LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    if (!LLVMIsAShuffleVectorInst(inst) || LLVMGetVectorSize(type) != ENDLESS_BYTES ||
        LLVMGetElementType(type) != LLVMInt8TypeInContext(LLVMGetTypeContext(type))) {
        return false;
    }
    bool used[2 * ENDLESS_BYTES] = {false}; /* of operands of at most 64 bytes */
    for (unsigned i = 0; i < ENDLESS_BYTES; i++) {
        int from = LLVMGetMaskValue(inst, i);
        if (from != LLVMGetUndefMaskElem() && from < (int)(2 * ENDLESS_BYTES)) {
            if (used[from]) {
                return true;
            }
            used[from] = true;
        }
    }
    return false;
}

/* Fences the operands of such a shuffle from the operations that compute them. Fences its result,
 * too: the combiner of the selection graph moves shuffles behind operations. Returns whether it
 * did. */
static bool repeat_mend(LLVMBuilderRef builder, LLVMValueRef inst)
{
    if (!repeats_bytes(inst)) {
        return false;
    }
    LLVMValueRef shuffle = LLVMInstructionClone(inst);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef operand = LLVMGetOperand(inst, i);
        if (!LLVMIsConstant(operand)) {
            LLVMSetOperand(shuffle, i, geo_codegen_mend_fence(builder, inst, operand));
        }
    }
    LLVMPositionBuilderBefore(builder, inst);
    LLVMInsertIntoBuilder(builder, shuffle);
    LLVMReplaceAllUsesWith(inst, geo_codegen_mend_fence(builder, inst, shuffle));
    LLVMInstructionEraseFromParent(inst);
    return true;
}

/* Mends one instruction, and may erase it. */
static void inst_mend(LLVMBuilderRef builder, LLVMValueRef inst, uint32_t faults)
{
    if (faults & GEO_LLVM_SHUFFLED_MASKED_LOAD) {
        shuffle_mend(builder, inst);
    }
    if (faults & GEO_LLVM_MASKED_BIT_SELECT) {
        select_mend(builder, inst);
    }
    (void)((faults & GEO_LLVM_STORE_OF_ONE_LANE && store_mend(builder, inst)) ||
           (faults & GEO_LLVM_CUT_MASK_MOVED && mask_mend(builder, inst)) ||
           (faults & GEO_LLVM_REPEATED_BYTES && repeat_mend(builder, inst)));
}

void geo_codegen_mend(LLVMModuleRef module, uint32_t faults)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            LLVMValueRef next;
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = next) {
                next = LLVMGetNextInstruction(inst);
                inst_mend(builder, inst, faults);
            }
        }
    }
    LLVMDisposeBuilder(builder);
}
