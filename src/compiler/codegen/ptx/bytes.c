/* Narrow stores of floats. ptxas 13.0 takes the type of a register from the instruction that wrote
 * it. If that was a conversion to a float, it turns a store of the register's low byte into a
 * conversion of the float to an integer:
 *
 *     cvt.rn.f64.s32 %rd1, %r1;  st.global.b8 [%rd2], %rd1;    stores (uint8_t)d, not d's low byte
 *
 * LLVM writes such code for floats at odd addresses and for truncated bits of floats. A move
 * between the two, which LLVM cannot see through, makes the register one of plain bits. */
#include "compiler/codegen/ptx/internal.h"

#include <string.h>

/* Returns the size of a float's type in bits; 0: it is not a float. */
static unsigned float_bits(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 0;
    }
}

/* Returns the bits of a float as an integer, behind a move. */
static LLVMValueRef plain_bits(LLVMBuilderRef builder, LLVMValueRef value)
{
    static const struct {
        unsigned bits;
        const char *text, *constraints;
    } moves[] = {{16, "mov.b16 $0, $1;", "=h,h"},
                 {32, "mov.b32 $0, $1;", "=r,r"},
                 {64, "mov.b64 $0, $1;", "=l,l"}};
    unsigned bits = float_bits(LLVMTypeOf(value));
    LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)), bits);
    LLVMTypeRef function = LLVMFunctionType(type, &type, 1, 0);
    LLVMValueRef number = LLVMBuildBitCast(builder, value, type, "");
    for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
        if (moves[i].bits == bits) {
            LLVMValueRef code = LLVMGetInlineAsm(function, moves[i].text, strlen(moves[i].text),
                                                 moves[i].constraints, strlen(moves[i].constraints),
                                                 0, 0, LLVMInlineAsmDialectATT, 0);
            number = LLVMBuildCall2(builder, function, code, &number, 1, "");
        }
    }
    return number;
}

/* Returns the bits of a float, or of each element of a vector of floats. */
static LLVMValueRef bits_of(LLVMBuilderRef builder, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        return plain_bits(builder, value);
    }
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMTypeRef element = LLVMIntTypeInContext(context, float_bits(LLVMGetElementType(type)));
    LLVMValueRef vector = LLVMGetUndef(LLVMVectorType(element, LLVMGetVectorSize(type)));
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(context), i, 0);
        LLVMValueRef part = LLVMBuildExtractElement(builder, value, index, "");
        vector = LLVMBuildInsertElement(builder, vector, plain_bits(builder, part), index, "");
    }
    return vector;
}

/* Mends a store whose address is less aligned than the float. LLVM splits it into bytes. */
static void store_mend(LLVMBuilderRef builder, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMTypeRef type = LLVMTypeOf(value);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    unsigned bits = float_bits(is_vector ? LLVMGetElementType(type) : type);
    if (bits && LLVMGetAlignment(store) < bits / 8 && !LLVMIsConstant(value)) {
        LLVMPositionBuilderBefore(builder, store);
        LLVMSetOperand(store, 0, bits_of(builder, value));
    }
}

/* Mends a truncation of a float's bits, which may be merged with a store of the result. */
static void trunc_mend(LLVMBuilderRef builder, LLVMValueRef trunc)
{
    LLVMValueRef cast = LLVMGetOperand(trunc, 0);
    if (LLVMIsABitCastInst(cast) && float_bits(LLVMTypeOf(LLVMGetOperand(cast, 0)))) {
        LLVMPositionBuilderBefore(builder, trunc);
        LLVMSetOperand(trunc, 0, plain_bits(builder, LLVMGetOperand(cast, 0)));
    }
}

void geo_codegen_ptx_bytes(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
                 inst = LLVMGetNextInstruction(inst)) {
                if (LLVMIsAStoreInst(inst)) {
                    store_mend(builder, inst);
                } else if (LLVMIsATruncInst(inst)) {
                    trunc_mend(builder, inst);
                }
            }
        }
    }
    LLVMDisposeBuilder(builder);
}
