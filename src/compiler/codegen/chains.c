/* Splits long chains of one operation, on which LLVM's back end takes quadratic time. At each node
 * of such a chain the combiner of the selection graph
 *
 * - collects all leaves of its tree. A tree is a set of operations of one kind in one block, where
 *   each but the last has a single use, by another one of them;
 * - follows first operands of this kind to the end of the path, however often they are used. The
 *   sums in a hash function, which several rounds use, form such paths.
 *
 * Trees are limited to TREE_LEAVES leaves and paths to PATH_STEPS operations: an arithmetic fence
 * hides the rest, which then counts as a single value. */
#include "base/ptrmap.h"
#include "compiler/codegen/internal.h"

enum { TREE_LEAVES = 64 };
enum { PATH_STEPS = 64 };

/* Counts what the back end finds behind an operation. Both numbers are at least 1 for an operation
 * that it reorders, and `leaves` is 1 for all other values. */
struct chain {
    uint32_t leaves; /* of the tree that ends in it */
    uint32_t steps;  /* operations on the longest path that ends in it, itself included */
};

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

/* Returns the chain that ends in this operand and continues with `inst`. */
static struct chain chain_behind(const struct geo_ptrmap *chains, LLVMValueRef inst,
                                 unsigned operand)
{
    LLVMValueRef value = LLVMGetOperand(inst, operand);
    struct chain none = {.leaves = 1, .steps = 0};
    if (!LLVMIsAInstruction(value) ||
        LLVMGetInstructionOpcode(value) != LLVMGetInstructionOpcode(inst) ||
        LLVMGetInstructionParent(value) != LLVMGetInstructionParent(inst)) {
        return none;
    }
    uintptr_t found = (uintptr_t)geo_ptrmap_find(chains, value);
    struct chain chain = {.leaves = (uint32_t)(found & UINT16_MAX),
                          .steps = (uint32_t)(found >> 16)};
    if (!found) {
        return none;
    }
    if (LLVMGetNextUse(LLVMGetFirstUse(value))) {
        chain.leaves = 1;
    }
    return chain;
}

static void operand_fence(LLVMBuilderRef builder, LLVMValueRef inst, unsigned operand,
                          struct chain *behind)
{
    LLVMValueRef rest = LLVMGetOperand(inst, operand);
    LLVMSetOperand(inst, operand, geo_codegen_mend_fence(builder, inst, rest));
    *behind = (struct chain){.leaves = 1, .steps = 0};
}

static void chain_cut(LLVMBuilderRef builder, struct geo_ptrmap *chains, LLVMValueRef inst)
{
    struct chain behind[2];
    for (unsigned i = 0; i < 2; i++) {
        behind[i] = chain_behind(chains, inst, i);
        if (behind[i].steps >= PATH_STEPS) {
            operand_fence(builder, inst, i, &behind[i]);
        }
    }
    unsigned larger = behind[1].leaves > behind[0].leaves;
    if (behind[0].leaves + behind[1].leaves > TREE_LEAVES) {
        operand_fence(builder, inst, larger, &behind[larger]);
    }
    uint32_t steps = behind[0].steps > behind[1].steps ? behind[0].steps : behind[1].steps;
    uintptr_t all = (uintptr_t)(behind[0].leaves + behind[1].leaves) | (uintptr_t)(steps + 1) << 16;
    /* If memory runs out, the chain ends here for the count, and chains may stay longer. */
    geo_ptrmap_set(chains, inst, (void *)all); // NOLINT(performance-no-int-to-ptr)
}

static bool may_have_chain(LLVMBasicBlockRef block)
{
    uint32_t count = 0;
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst && count < PATH_STEPS;
         inst = LLVMGetNextInstruction(inst)) {
        count += reorders(inst);
    }
    return count >= PATH_STEPS;
}

static void block_cut(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
    struct geo_ptrmap chains = {0};
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
         inst = LLVMGetNextInstruction(inst)) {
        if (reorders(inst)) {
            chain_cut(builder, &chains, inst);
        }
    }
    geo_ptrmap_finish(&chains);
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
