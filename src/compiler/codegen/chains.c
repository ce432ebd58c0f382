/* Splits long chains of one operation, on which LLVM's back end takes quadratic time. The combiner
 * of the selection graph collects all leaves of a tree at each of its nodes.
 *
 * A tree is a set of operations of one kind in one block, where each but the last has a single use,
 * by another one of them. Trees are limited to TREE_LEAVES leaves: an arithmetic fence hides the
 * rest, which then counts as a single value. */
#include "base/ptrmap.h"
#include "compiler/codegen/internal.h"

enum { TREE_LEAVES = 64 };

/* Returns whether the back end reorders the operation: integer operations only, since those on
 * floats lack the flags for it. */
static bool reorders(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMAdd:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return true;
    default:
        return false;
    }
}

/* Returns the number of leaves of the tree that ends in this operand and continues with `inst`; 1
 * if the operand ends no tree. */
static uintptr_t leaves_behind(const struct geo_ptrmap *leaves, LLVMValueRef inst, unsigned operand)
{
    LLVMValueRef value = LLVMGetOperand(inst, operand);
    LLVMUseRef use = LLVMGetFirstUse(value);
    if (!LLVMIsAInstruction(value) || LLVMGetNextUse(use) ||
        LLVMGetInstructionOpcode(value) != LLVMGetInstructionOpcode(inst) ||
        LLVMGetInstructionParent(value) != LLVMGetInstructionParent(inst)) {
        return 1;
    }
    void *found = geo_ptrmap_find(leaves, value);
    return found ? (uintptr_t)found : 1;
}

static void tree_cut(LLVMBuilderRef builder, struct geo_ptrmap *leaves, LLVMValueRef inst)
{
    uintptr_t behind[2];
    for (unsigned i = 0; i < 2; i++) {
        behind[i] = leaves_behind(leaves, inst, i);
    }
    unsigned larger = behind[1] > behind[0];
    if (behind[0] + behind[1] > TREE_LEAVES) {
        LLVMValueRef rest = LLVMGetOperand(inst, larger);
        LLVMSetOperand(inst, larger, geo_codegen_mend_fence(builder, inst, rest));
        behind[larger] = 1;
    }
    /* If memory runs out, the tree counts as one leaf, and chains may stay longer. */
    geo_ptrmap_set(leaves, inst,
                   (void *)(behind[0] + behind[1])); // NOLINT(performance-no-int-to-ptr)
}

static bool may_have_chain(LLVMBasicBlockRef block)
{
    uint32_t count = 0;
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst && count < TREE_LEAVES;
         inst = LLVMGetNextInstruction(inst)) {
        count += reorders(inst);
    }
    return count >= TREE_LEAVES;
}

static void block_cut(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
    struct geo_ptrmap leaves = {0};
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
         inst = LLVMGetNextInstruction(inst)) {
        if (reorders(inst)) {
            tree_cut(builder, &leaves, inst);
        }
    }
    geo_ptrmap_finish(&leaves);
}

void geo_codegen_chains_cut(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            if (may_have_chain(block)) {
                block_cut(builder, block);
            }
        }
    }
    LLVMDisposeBuilder(builder);
}
