/* Finds functions on which passes of LLVM's back end would take too long, and marks them. The
 * emitter leaves out these passes there (emitter.cpp); other functions of the module get all.
 *
 *     STRAIGHT   a large block. The schedulers compare each instruction of a block with all earlier
 *                ones that touch the flags register. The block is also emitted in pieces.
 *     BRANCHED   many blocks. Sinking asks for each instruction which blocks its users are in.
 *                CodeGenPrepare computes its analyses again after its changes. The branches get
 *                equal weights, or LLVM would guess each from all phis that lead to its condition.
 *     PLAIN      a huge function. Its instructions are selected one by one, without the combiner,
 *                in a third of the time. */
#include "compiler/codegen/emitter.h"
#include "compiler/codegen/internal.h"

#include <stdio.h>
#include <string.h>

/* Largest numbers of instructions of a block, and of blocks of a function, for all passes. At these
 * sizes the square part of the passes takes less than a twentieth of a build's time. */
#define STRAIGHT_BLOCK  8192u
#define BRANCHED_BLOCKS 2048u
/* Largest number of instructions of a function for the combiner. */
#define PLAIN_FUNCTION (1u << 17)

uint32_t geo_codegen_limits_exceeded(LLVMValueRef function)
{
    uint32_t all = 0, blocks = 0, limits = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        uint32_t count = 0;
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
             inst = LLVMGetNextInstruction(inst)) {
            count++;
        }
        limits |= count > STRAIGHT_BLOCK ? GEO_EMITTER_STRAIGHT : 0;
        all += count;
        blocks++;
    }
    limits |= blocks > BRANCHED_BLOCKS ? GEO_EMITTER_BRANCHED : 0;
    limits |= all > PLAIN_FUNCTION ? GEO_EMITTER_PLAIN : 0;
    return limits;
}

/* Gives the conditional branches of a function equal weights. */
static void branches_weigh(LLVMContextRef context, LLVMValueRef function)
{
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), 1, 0));
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(context, "branch_weights", 14), one, one};
    LLVMValueRef weights = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, 3));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        if (LLVMIsABranchInst(end) && LLVMIsConditional(end)) {
            LLVMSetMetadata(end, LLVMGetMDKindIDInContext(context, "prof", 4), weights);
        }
    }
}

void geo_codegen_limits_mark(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        uint32_t limits = geo_codegen_limits_exceeded(f);
        char text[16];
        if (limits & GEO_EMITTER_BRANCHED) {
            branches_weigh(context, f);
        }
        if (limits) {
            snprintf(text, sizeof(text), "%u", (unsigned)limits);
            LLVMAddAttributeAtIndex(
                f, LLVMAttributeFunctionIndex,
                LLVMCreateStringAttribute(context, GEO_EMITTER_LIMITS_ATTRIBUTE,
                                          (unsigned)strlen(GEO_EMITTER_LIMITS_ATTRIBUTE), text,
                                          (unsigned)strlen(text)));
        }
    }
}
