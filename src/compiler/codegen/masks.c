/* Keeps masks between blocks as vectors of words, for processors without mask registers.
 *
 * A comparison of vectors gives words of ones and zeros, and blends and masked accesses read their
 * signs. LLVM's type of a mask is <8 x i1>. Within a block the back end selects instructions on
 * words for it. Between blocks it would keep halfwords, which takes two or three instructions at
 * each end, or bytes for 16 lanes:
 *
 *     a: %m = icmp ...                       a: %m = icmp ...
 *                                               %w = sext <8 x i1> %m to <8 x i32>
 *     b: %p = phi <8 x i1> [ %m, a ] ...     b: %v = phi <8 x i32> [ %w, a ] ...
 *                                               %p = icmp slt <8 x i32> %v, 0
 *
 * Operations on such masks are done on the words as well. Called after optimisation, because LLVM's
 * passes would turn it back. */
#include "base/assert.h"
#include "compiler/codegen/internal.h"

enum { WORD_BITS = 32 };

/* The types of masks of one width, in the module's context. */
struct masks {
    LLVMBuilderRef builder;
    LLVMTypeRef mask, words;
};

/* ---- conversions ---- */

/* Returns the words of which a value is the signs, or NULL. */
static LLVMValueRef words_of_signs(const struct masks *m, LLVMValueRef value)
{
    bool is_less = LLVMIsAICmpInst(value) && LLVMGetICmpPredicate(value) == LLVMIntSLT;
    return is_less && LLVMTypeOf(LLVMGetOperand(value, 0)) == m->words &&
                   LLVMIsNull(LLVMGetOperand(value, 1))
               ? LLVMGetOperand(value, 0)
               : NULL;
}

/* Returns the words of a mask, made in front of `place` if they do not exist. */
static LLVMValueRef words_of(const struct masks *m, LLVMValueRef mask, LLVMValueRef place)
{
    LLVMValueRef words = words_of_signs(m, mask);
    if (words) {
        return words;
    }
    LLVMPositionBuilderBefore(m->builder, place);
    return LLVMBuildSExt(m->builder, mask, m->words, "words");
}

static LLVMValueRef first_behind_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef inst = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(inst)) {
        inst = LLVMGetNextInstruction(inst);
    }
    return inst;
}

/* Returns the signs of the words, as a mask at the start of a block. */
static LLVMValueRef signs_in(const struct masks *m, LLVMValueRef words, LLVMBasicBlockRef block)
{
    LLVMValueRef place = first_behind_phis(block);
    for (LLVMValueRef known; (known = words_of_signs(m, place));
         place = LLVMGetNextInstruction(place)) {
        if (known == words) {
            return place;
        }
    }
    LLVMPositionBuilderBefore(m->builder, place);
    return LLVMBuildICmp(m->builder, LLVMIntSLT, words, LLVMConstNull(m->words), "");
}

/* ---- phis ---- */

/* Adds a phi of words in front of a phi of masks, still without incoming values. */
static void phi_begin(const struct masks *m, LLVMValueRef phi)
{
    LLVMPositionBuilderBefore(m->builder, phi);
    LLVMValueRef words = LLVMBuildPhi(m->builder, m->words, "words");
    LLVMBasicBlockRef block = LLVMGetInstructionParent(phi);
    LLVMPositionBuilderBefore(m->builder, first_behind_phis(block));
    LLVMReplaceAllUsesWith(
        phi, LLVMBuildICmp(m->builder, LLVMIntSLT, words, LLVMConstNull(m->words), ""));
}

/* Fills the phi of words in front of a phi of masks, which is removed. */
static void phi_end(const struct masks *m, LLVMValueRef phi)
{
    LLVMValueRef words = LLVMGetPreviousInstruction(phi);
    GEO_ASSERT(words && LLVMIsAPHINode(words) && LLVMTypeOf(words) == m->words);
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef value = NULL;
        for (unsigned k = 0; k < i && !value; k++) { /* a switch may have several edges */
            value = LLVMGetIncomingBlock(phi, k) == from ? LLVMGetIncomingValue(words, k) : NULL;
        }
        if (!value) {
            value = words_of(m, LLVMGetIncomingValue(phi, i), LLVMGetBasicBlockTerminator(from));
        }
        LLVMAddIncoming(words, &value, &from, 1);
    }
    LLVMInstructionEraseFromParent(phi);
}

/* ---- uses in other blocks ---- */

/* Lets the users of a mask in other blocks read its words. */
static void mask_spread(const struct masks *m, LLVMValueRef mask)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(mask);
    LLVMValueRef words = words_of_signs(m, mask);
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(mask); use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMGetInstructionParent(user) == block) {
            continue;
        }
        if (!words) {
            words = words_of(m, mask, LLVMGetNextInstruction(mask));
        }
        LLVMValueRef signs = signs_in(m, words, LLVMGetInstructionParent(user));
        for (int i = 0; i < LLVMGetNumOperands(user); i++) {
            if (LLVMGetOperand(user, (unsigned)i) == mask) {
                while (next && LLVMGetUser(next) == user) {
                    next = LLVMGetNextUse(next);
                }
                LLVMSetOperand(user, (unsigned)i, signs);
            }
        }
    }
}

/* ---- operations ---- */

/* An operation on two masks: `and`, `or`, `xor`. A select with a constant arm is one, too. */
struct operation {
    LLVMOpcode opcode;
    LLVMValueRef a, b;
    bool freezes; /* b may be poison where a decides: a select does not read it there */
};

/* Reads an operation. Returns false for other instructions. */
static bool operation_read(LLVMValueRef inst, struct operation *operation)
{
    *operation = (struct operation){.opcode = LLVMGetInstructionOpcode(inst)};
    switch (operation->opcode) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        operation->a = LLVMGetOperand(inst, 0);
        operation->b = LLVMGetOperand(inst, 1);
        return true;
    case LLVMSelect:
        break;
    default:
        return false;
    }
    LLVMValueRef on = LLVMGetOperand(inst, 1), off = LLVMGetOperand(inst, 2);
    bool is_and = LLVMIsConstant(off) && LLVMIsNull(off);
    bool is_or = LLVMIsConstant(on) && on == LLVMConstAllOnes(LLVMTypeOf(on));
    operation->opcode = is_and ? LLVMAnd : LLVMOr;
    operation->a = LLVMGetOperand(inst, 0);
    operation->b = is_and ? on : off;
    operation->freezes = true;
    return (is_and || is_or) && LLVMTypeOf(operation->a) == LLVMTypeOf(inst);
}

/* Does an operation on words, if an operand has them. Returns the mask that replaces it. */
static LLVMValueRef operate(const struct masks *m, LLVMValueRef inst)
{
    struct operation o;
    if (!operation_read(inst, &o) || (!words_of_signs(m, o.a) && !words_of_signs(m, o.b))) {
        return inst;
    }
    LLVMValueRef a = words_of(m, o.a, inst), b = words_of(m, o.b, inst);
    LLVMPositionBuilderBefore(m->builder, inst);
    b = o.freezes ? LLVMBuildFreeze(m->builder, b, "") : b;
    LLVMValueRef words = LLVMBuildBinOp(m->builder, o.opcode, a, b, "words");
    LLVMValueRef mask =
        LLVMBuildICmp(m->builder, LLVMIntSLT, words, LLVMConstNull(m->words), "mask");
    LLVMReplaceAllUsesWith(inst, mask);
    LLVMInstructionEraseFromParent(inst);
    return mask;
}

/* ---- functions ---- */

static void mask_widen(const struct masks *m, LLVMValueRef inst)
{
    mask_spread(m, operate(m, inst));
}

/* Calls `change` for each instruction with the type of masks. */
static void each_mask(const struct masks *m, LLVMValueRef function, bool phis,
                      void (*change)(const struct masks *m, LLVMValueRef mask))
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef next;
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = next) {
            next = LLVMGetNextInstruction(inst);
            if (LLVMTypeOf(inst) == m->mask && (LLVMIsAPHINode(inst) != NULL) == phis) {
                change(m, inst);
            }
        }
    }
}

/* Widens the masks of so many lanes. */
static void function_widen(LLVMBuilderRef builder, LLVMValueRef function, uint32_t lanes)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    struct masks m = {
        .builder = builder,
        .mask = LLVMVectorType(LLVMInt1TypeInContext(context), lanes),
        .words = LLVMVectorType(LLVMIntTypeInContext(context, WORD_BITS), lanes),
    };
    each_mask(&m, function, true, phi_begin);
    each_mask(&m, function, true, phi_end);
    each_mask(&m, function, false, mask_widen);
}

void geo_codegen_masks_widen(LLVMModuleRef module, uint32_t vector_bits)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    uint32_t lanes = vector_bits / WORD_BITS;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        function_widen(builder, f, lanes);
        function_widen(builder, f, 2 * lanes);
    }
    LLVMDisposeBuilder(builder);
}
