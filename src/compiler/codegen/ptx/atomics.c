/* Memory order and scope of atomicrmw. LLVM 22 emits each as a relaxed operation of the GPU's
 * scope, so an order needs fences around it, and the scope of the system an instruction of its own:
 *
 *     atomicrmw add p, v seq_cst   ->   fence seq_cst; atomicrmw add p, v monotonic; fence acq_rel
 *     ... of the system            ->   the same with  atom.sys.add.u32
 *
 * LLVM does honour the order and scope of loads, stores, cmpxchg and fences. */
#include "compiler/codegen/ptx/internal.h"

#include <stdio.h>
#include <string.h>

/* The scope of the whole system has number 1 in every context of LLVM; 0 is a single thread. */
#define SCOPE_SYSTEM 1u

static bool is_release(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingRelease || order == LLVMAtomicOrderingAcquireRelease ||
           order == LLVMAtomicOrderingSequentiallyConsistent;
}

static bool is_acquire(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingAcquire || order == LLVMAtomicOrderingAcquireRelease ||
           order == LLVMAtomicOrderingSequentiallyConsistent;
}

static void fence(LLVMBuilderRef builder, LLVMAtomicOrdering order, unsigned scope)
{
    LLVMBuildFenceSyncScope(builder,
                            order == LLVMAtomicOrderingSequentiallyConsistent
                                ? order
                                : LLVMAtomicOrderingAcquireRelease,
                            scope, "");
}

/* Returns the operation's name in PTX, with the kind of its type; NULL: it has none. */
static const char *name_of(LLVMAtomicRMWBinOp operation)
{
    switch (operation) {
    case LLVMAtomicRMWBinOpXchg:
        return "exch.b";
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub: /* the caller negates the operand */
        return "add.u";
    case LLVMAtomicRMWBinOpAnd:
        return "and.b";
    case LLVMAtomicRMWBinOpOr:
        return "or.b";
    case LLVMAtomicRMWBinOpXor:
        return "xor.b";
    case LLVMAtomicRMWBinOpMax:
        return "max.s";
    case LLVMAtomicRMWBinOpMin:
        return "min.s";
    case LLVMAtomicRMWBinOpUMax:
        return "max.u";
    case LLVMAtomicRMWBinOpUMin:
        return "min.u";
    default:
        return NULL;
    }
}

/* Replaces the operation by one of the scope of the system. */
static void replace(LLVMBuilderRef builder, LLVMValueRef inst)
{
    LLVMValueRef operands[2] = {LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1)};
    LLVMTypeRef type = LLVMTypeOf(inst);
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(inst);
    const char *name = name_of(operation);
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    char text[64], constraints[32];
    if (!name || (bits != 32 && bits != 64)) {
        return; /* narrow and float operations become loops of cmpxchg, which keeps the scope */
    }
    if (operation == LLVMAtomicRMWBinOpSub) {
        operands[1] = LLVMBuildNeg(builder, operands[1], "");
    }
    LLVMTypeRef generic = LLVMPointerTypeInContext(context, 0);
    if (LLVMTypeOf(operands[0]) != generic) {
        operands[0] = LLVMBuildAddrSpaceCast(builder, operands[0], generic, "");
    }
    snprintf(text, sizeof(text), "atom.sys.%s%u $0, [$1], $2;", name, bits);
    snprintf(constraints, sizeof(constraints), "=%c,l,%c,~{memory}", bits == 64 ? 'l' : 'r',
             bits == 64 ? 'l' : 'r');
    LLVMTypeRef function = LLVMFunctionType(type, (LLVMTypeRef[]){generic, type}, 2, 0);
    LLVMValueRef code = LLVMGetInlineAsm(function, text, strlen(text), constraints,
                                         strlen(constraints), 1, 0, LLVMInlineAsmDialectATT, 0);
    LLVMReplaceAllUsesWith(inst, LLVMBuildCall2(builder, function, code, operands, 2, ""));
    LLVMInstructionEraseFromParent(inst);
}

static void mend(LLVMBuilderRef builder, LLVMValueRef inst)
{
    LLVMAtomicOrdering order = LLVMGetOrdering(inst);
    unsigned scope = LLVMGetAtomicSyncScopeID(inst);
    LLVMPositionBuilderBefore(builder, inst);
    if (is_release(order)) {
        fence(builder, order, scope);
    }
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(inst));
    if (is_acquire(order)) {
        fence(builder, LLVMAtomicOrderingAcquireRelease, scope);
    }
    LLVMSetOrdering(inst, LLVMAtomicOrderingMonotonic);
    if (scope == SCOPE_SYSTEM) {
        LLVMPositionBuilderBefore(builder, inst);
        replace(builder, inst);
    }
}

void geo_codegen_ptx_atomics(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
                next = LLVMGetNextInstruction(inst);
                if (LLVMIsAAtomicRMWInst(inst)) {
                    mend(builder, inst);
                }
            }
        }
    }
    LLVMDisposeBuilder(builder);
}
