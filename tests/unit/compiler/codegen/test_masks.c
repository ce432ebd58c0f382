/* Unit test of masks between blocks (masks.c): after the pass no block reads a mask of another one,
 * and operations of masks that come from elsewhere are done on words. */
#include "compiler/codegen/internal.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { VECTOR_BITS = 256 };

/* One function, f(words, words, ptr, i32), that is being written. */
struct code {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTypeRef mask, words;
    LLVMValueRef function, a, b, memory, number;
    LLVMBuilderRef builder;
};

static LLVMBasicBlockRef block_add(struct code *code)
{
    return LLVMAppendBasicBlockInContext(code->context, code->function, "");
}

static LLVMBasicBlockRef code_begin(struct code *code, uint32_t lanes)
{
    code->context = LLVMContextCreate();
    code->module = LLVMModuleCreateWithNameInContext("test", code->context);
    code->mask = LLVMVectorType(LLVMInt1TypeInContext(code->context), lanes);
    code->words = LLVMVectorType(LLVMInt32TypeInContext(code->context), lanes);
    LLVMTypeRef types[] = {code->words, code->words, LLVMPointerTypeInContext(code->context, 0),
                           LLVMInt32TypeInContext(code->context)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(code->context), types, 4, 0);
    code->function = LLVMAddFunction(code->module, "f", type);
    code->a = LLVMGetParam(code->function, 0);
    code->b = LLVMGetParam(code->function, 1);
    code->memory = LLVMGetParam(code->function, 2);
    code->number = LLVMGetParam(code->function, 3);
    code->builder = LLVMCreateBuilderInContext(code->context);
    LLVMBasicBlockRef entry = block_add(code);
    LLVMPositionBuilderAtEnd(code->builder, entry);
    return entry;
}

static void code_end(struct code *code)
{
    LLVMDisposeBuilder(code->builder);
    LLVMDisposeModule(code->module);
    LLVMContextDispose(code->context);
}

/* Reads a mask: stores a blend. */
static void blend(struct code *code, LLVMValueRef mask)
{
    LLVMBuildStore(code->builder, LLVMBuildSelect(code->builder, mask, code->a, code->b, ""),
                   code->memory);
}

/* Counts of instructions of the code that concern masks. */
struct counts {
    uint32_t phis;       /* of masks */
    uint32_t far;        /* operands that are masks of other blocks */
    uint32_t operations; /* with a mask as result, other than comparisons */
    uint32_t on_words;   /* `and`, `or` and `xor` of words */
};

static void inst_count(const struct code *code, LLVMValueRef inst, struct counts *counts)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    bool is_logic = opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor;
    bool is_mask = LLVMTypeOf(inst) == code->mask;
    counts->phis += is_mask && opcode == LLVMPHI;
    counts->operations += is_mask && (is_logic || opcode == LLVMSelect);
    counts->on_words += is_logic && LLVMTypeOf(inst) == code->words;
    for (int i = 0; opcode != LLVMPHI && i < LLVMGetNumOperands(inst); i++) {
        LLVMValueRef operand = LLVMGetOperand(inst, (unsigned)i);
        counts->far += LLVMTypeOf(operand) == code->mask && LLVMIsAInstruction(operand) &&
                       LLVMGetInstructionParent(operand) != LLVMGetInstructionParent(inst);
    }
}

static struct counts count(const struct code *code)
{
    struct counts counts = {0};
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(code->function); block;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
             inst = LLVMGetNextInstruction(inst)) {
            inst_count(code, inst, &counts);
        }
    }
    return counts;
}

static struct counts widened(struct code *code)
{
    geo_codegen_masks_widen(code->module, VECTOR_BITS);
    assert_int_equal(LLVMVerifyModule(code->module, LLVMPrintMessageAction, NULL), 0);
    return count(code);
}

/* A loop that lanes leave one after another, as divergent loops are lowered. */
static void loop_check(uint32_t lanes)
{
    struct code code;
    LLVMBasicBlockRef entry = code_begin(&code, lanes), loop = block_add(&code),
                      end = block_add(&code);
    LLVMValueRef first = LLVMBuildICmp(code.builder, LLVMIntULT, code.a, code.b, "");
    LLVMBuildBr(code.builder, loop);
    LLVMPositionBuilderAtEnd(code.builder, loop);
    LLVMValueRef here = LLVMBuildPhi(code.builder, code.mask, "");
    LLVMValueRef gone = LLVMBuildPhi(code.builder, code.mask, "");
    blend(&code, here);
    LLVMValueRef loaded = LLVMBuildLoad2(code.builder, code.words, code.memory, "");
    LLVMValueRef stays = LLVMBuildICmp(code.builder, LLVMIntEQ, loaded, code.b, "");
    LLVMValueRef next = LLVMBuildSelect(code.builder, here, stays, LLVMConstNull(code.mask), "");
    LLVMValueRef left = LLVMBuildSelect(code.builder, gone, LLVMConstAllOnes(code.mask), stays, "");
    LLVMTypeRef set = LLVMIntTypeInContext(code.context, lanes);
    LLVMValueRef bits = LLVMBuildBitCast(code.builder, next, set, "");
    LLVMValueRef any = LLVMBuildICmp(code.builder, LLVMIntNE, bits, LLVMConstNull(set), "");
    LLVMBuildCondBr(code.builder, any, loop, end);
    LLVMBasicBlockRef from[] = {entry, loop};
    LLVMAddIncoming(here, (LLVMValueRef[]){first, next}, from, 2);
    LLVMAddIncoming(gone, (LLVMValueRef[]){LLVMConstNull(code.mask), left}, from, 2);
    LLVMPositionBuilderAtEnd(code.builder, end);
    blend(&code, left);
    blend(&code, first);
    LLVMBuildRetVoid(code.builder);
    struct counts before = count(&code), after = widened(&code);
    assert_int_equal(before.phis, 2);
    assert_int_equal(before.far, 2);
    assert_int_equal(before.operations, 2);
    assert_int_equal(after.phis, 0);
    assert_int_equal(after.far, 0);
    assert_int_equal(after.operations, 0);
    assert_int_equal(after.on_words, 2);
    code_end(&code);
}

static void masks_of_loops_are_words(void **state)
{
    (void)state;
    loop_check(8);
    loop_check(16);
}

/* A switch has two edges to one block, for which a phi needs one value. */
static void edges_of_a_switch_bring_one_value(void **state)
{
    (void)state;
    struct code code;
    LLVMBasicBlockRef entry = code_begin(&code, 8), other = block_add(&code),
                      end = block_add(&code);
    LLVMTypeRef word = LLVMTypeOf(code.number);
    LLVMValueRef first = LLVMBuildICmp(code.builder, LLVMIntULT, code.a, code.b, "");
    LLVMValueRef branch = LLVMBuildSwitch(code.builder, code.number, other, 2);
    LLVMAddCase(branch, LLVMConstInt(word, 1, false), end);
    LLVMAddCase(branch, LLVMConstInt(word, 2, false), end);
    LLVMPositionBuilderAtEnd(code.builder, other);
    LLVMBuildBr(code.builder, end);
    LLVMPositionBuilderAtEnd(code.builder, end);
    LLVMValueRef phi = LLVMBuildPhi(code.builder, code.mask, "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){first, first, LLVMConstNull(code.mask)},
                    (LLVMBasicBlockRef[]){entry, entry, other}, 3);
    blend(&code, phi);
    LLVMBuildRetVoid(code.builder);
    assert_int_equal(widened(&code).phis, 0);
    code_end(&code);
}

/* Within a block the back end chooses by itself. */
static void other_masks_stay(void **state)
{
    (void)state;
    struct code code;
    code_begin(&code, 8);
    LLVMValueRef less = LLVMBuildICmp(code.builder, LLVMIntULT, code.a, code.b, "");
    LLVMValueRef more = LLVMBuildICmp(code.builder, LLVMIntSGT, code.a, code.b, "");
    blend(&code, LLVMBuildOr(code.builder, less, more, ""));
    LLVMBuildRetVoid(code.builder);
    struct counts after = widened(&code);
    assert_int_equal(after.operations, 1);
    assert_int_equal(after.on_words, 0);
    code_end(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_of_loops_are_words),
        cmocka_unit_test(edges_of_a_switch_bring_one_value),
        cmocka_unit_test(other_masks_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
