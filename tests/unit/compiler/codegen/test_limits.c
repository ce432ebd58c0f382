/* Unit test of what keeps LLVM's back end from square work: long chains are cut (chains.c), and
 * slow passes are left out of large functions (limits.c, emitter.cpp). */
#include "compiler/codegen/emitter.h"
#include "compiler/codegen/internal.h"

#include "base/strbuf.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One function, f(int, ptr), that is being written. */
struct code {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTypeRef word;
    LLVMValueRef function, number, memory;
    LLVMBuilderRef builder;
};

static void block_begin(struct code *code)
{
    LLVMPositionBuilderAtEnd(code->builder,
                             LLVMAppendBasicBlockInContext(code->context, code->function, "block"));
}

static void code_begin(struct code *code)
{
    code->context = LLVMContextCreate();
    code->module = LLVMModuleCreateWithNameInContext("test", code->context);
    code->word = LLVMInt32TypeInContext(code->context);
    LLVMTypeRef types[] = {code->word, LLVMPointerTypeInContext(code->context, 0)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(code->context), types, 2, 0);
    code->function = LLVMAddFunction(code->module, "f", type);
    code->number = LLVMGetParam(code->function, 0);
    code->memory = LLVMGetParam(code->function, 1);
    code->builder = LLVMCreateBuilderInContext(code->context);
    block_begin(code);
}

static void code_end(struct code *code)
{
    LLVMDisposeBuilder(code->builder);
    LLVMDisposeModule(code->module);
    LLVMContextDispose(code->context);
}

static void store(struct code *code, LLVMValueRef value)
{
    LLVMSetVolatile(LLVMBuildStore(code->builder, value, code->memory), true);
}

/* ---- chains ---- */

enum { SUMS = 1000, STEPS_MOST = 64 };

/* Operations on the path of first operands that ends in `value`. */
static uint32_t path_steps(LLVMValueRef value)
{
    uint32_t steps = 0;
    while (LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd) {
        value = LLVMGetOperand(value, 0);
        steps++;
    }
    return steps;
}

/* As in a hash function: each sum has two users, so each is a tree of its own. */
static void paths_through_values_with_several_users_are_cut(void **state)
{
    (void)state;
    struct code code;
    code_begin(&code);
    LLVMValueRef before = code.number, sum = LLVMBuildNot(code.builder, code.number, "");
    for (uint32_t i = 0; i < SUMS; i++) {
        LLVMValueRef next = LLVMBuildAdd(code.builder, sum, before, "");
        before = sum;
        sum = next;
    }
    store(&code, sum);
    LLVMBuildRetVoid(code.builder);
    assert_int_equal(path_steps(sum), SUMS);
    geo_codegen_chains_cut(code.module);
    uint32_t adds = 0, longest = 0;
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(code.function);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        uint32_t steps = path_steps(i);
        adds += LLVMGetInstructionOpcode(i) == LLVMAdd;
        longest = steps > longest ? steps : longest;
    }
    assert_int_equal(adds, SUMS);
    assert_int_equal(longest, STEPS_MOST);
    code_end(&code);
}

/* ---- sizes ---- */

/* The limits of a function of so many blocks, with so many instructions in each. */
static uint32_t limits_of(uint32_t blocks, uint32_t instructions)
{
    struct code code;
    code_begin(&code);
    for (uint32_t i = 0; i < blocks; i++) {
        for (uint32_t k = 1; k < instructions; k++) {
            store(&code, code.number);
        }
        if (i + 1 < blocks) {
            LLVMBasicBlockRef here = LLVMGetInsertBlock(code.builder);
            block_begin(&code);
            LLVMBasicBlockRef next = LLVMGetInsertBlock(code.builder);
            LLVMPositionBuilderAtEnd(code.builder, here);
            LLVMBuildBr(code.builder, next);
            LLVMPositionBuilderAtEnd(code.builder, next);
        }
    }
    LLVMBuildRetVoid(code.builder);
    uint32_t limits = geo_codegen_limits_exceeded(code.function);
    code_end(&code);
    return limits;
}

static void functions_exceed_limits_by_their_size(void **state)
{
    (void)state;
    assert_int_equal(limits_of(1, 8192), 0);
    assert_int_equal(limits_of(1, 8193), GEO_EMITTER_STRAIGHT);
    assert_int_equal(limits_of(2048, 2), 0);
    assert_int_equal(limits_of(2049, 2), GEO_EMITTER_BRANCHED);
    assert_int_equal(limits_of(16, 8192), 0);
    assert_int_equal(limits_of(17, 8192), GEO_EMITTER_PLAIN);
}

static void each_limit_leaves_out_its_passes(void **state)
{
    (void)state;
    static const char *const passes[] = {"machine-scheduler", "post-RA-sched",  "machine-sink",
                                         "x86-isel",          "codegenprepare", "block-placement"};
    static const bool runs[3][6] = {
        {false, false, true, true, false, true},
        {true, true, false, true, false, true},
        {false, false, false, false, false, true},
    };
    for (unsigned limit = 0; limit < 3; limit++) {
        for (size_t i = 0; i < 6; i++) {
            assert_int_equal(geo_codegen_object_runs(passes[i], 1u << limit), runs[limit][i]);
        }
    }
}

/* Returns whether the branches of a function with so many blocks have weights. */
static bool branches_have_weights(uint32_t blocks)
{
    struct code code;
    code_begin(&code);
    LLVMBasicBlockRef last = LLVMAppendBasicBlockInContext(code.context, code.function, "last");
    LLVMValueRef branch = NULL;
    for (uint32_t i = 1; i < blocks; i++) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(code.builder);
        LLVMValueRef zero = LLVMConstInt(code.word, 0, 0);
        LLVMValueRef test = LLVMBuildICmp(code.builder, LLVMIntEQ, code.number, zero, "");
        block_begin(&code);
        LLVMBasicBlockRef next = LLVMGetInsertBlock(code.builder);
        LLVMPositionBuilderAtEnd(code.builder, here);
        branch = LLVMBuildCondBr(code.builder, test, next, last);
        LLVMPositionBuilderAtEnd(code.builder, next);
    }
    LLVMBuildBr(code.builder, last);
    LLVMPositionBuilderAtEnd(code.builder, last);
    LLVMBuildRetVoid(code.builder);
    geo_codegen_limits_mark(code.module);
    unsigned kind = LLVMGetMDKindIDInContext(code.context, "prof", 4);
    bool weights = LLVMGetMetadata(branch, kind) != NULL;
    assert_false(LLVMVerifyModule(code.module, LLVMReturnStatusAction, NULL));
    code_end(&code);
    return weights;
}

static void only_branches_among_many_have_weights(void **state)
{
    (void)state;
    assert_false(branches_have_weights(2000));
    assert_true(branches_have_weights(2100));
}

/* ---- emission ---- */

static void attribute_add(struct code *code, const char *limits)
{
    LLVMAddAttributeAtIndex(
        code->function, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(code->context, GEO_EMITTER_LIMITS_ATTRIBUTE,
                                  (unsigned)strlen(GEO_EMITTER_LIMITS_ATTRIBUTE), limits,
                                  (unsigned)strlen(limits)));
}

/* Emits an object and returns its size. */
static size_t emit(struct code *code)
{
    struct geo_codegen_target *target;
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_codegen_target_create(NULL, &target, &log), ZE_RESULT_SUCCESS);
    struct geo_codegen_machine *machine =
        geo_codegen_target_machine_take(target, LLVMCodeGenLevelDefault);
    assert_non_null(machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine->llvm);
    LLVMSetModuleDataLayout(code->module, layout);
    LLVMDisposeTargetData(layout);
    LLVMMemoryBufferRef buffer = geo_codegen_object(machine->llvm, code->module, true, NULL);
    assert_non_null(buffer);
    size_t bytes = LLVMGetBufferSize(buffer);
    LLVMDisposeMemoryBuffer(buffer);
    geo_codegen_target_machine_give(machine);
    geo_codegen_target_destroy(target);
    geo_strbuf_finish(&log);
    return bytes;
}

/* Returns the size of the object of a function with these limits. The combiner makes one operation
 * of its 199. */
static size_t object_bytes(const char *limits)
{
    struct code code;
    code_begin(&code);
    LLVMValueRef value = code.number;
    for (uint32_t i = 1; i < 200; i++) {
        LLVMValueRef bits = LLVMConstInt(code.word, i, 0);
        value = LLVMBuildXor(code.builder, value, bits, "");
    }
    store(&code, value);
    LLVMBuildRetVoid(code.builder);
    attribute_add(&code, limits);
    size_t bytes = emit(&code);
    code_end(&code);
    return bytes;
}

/* Limit 2 leaves out passes that do nothing here; limit 4 leaves out the combiner. */
static void the_back_end_keeps_the_limits_of_a_function(void **state)
{
    (void)state;
    size_t combined = object_bytes("0");
    assert_int_equal(object_bytes("2"), combined);
    assert_true(object_bytes("4") > combined + 200);
}

/* Pieces have 4096 instructions. The blocks are still there after the back end has run. */
static void large_blocks_are_emitted_in_pieces(void **state)
{
    (void)state;
    for (unsigned straight = 0; straight <= GEO_EMITTER_STRAIGHT; straight++) {
        struct code code;
        code_begin(&code);
        for (uint32_t i = 0; i < 9000; i++) {
            store(&code, code.number);
        }
        LLVMBuildRetVoid(code.builder);
        attribute_add(&code, straight ? "1" : "0");
        emit(&code);
        assert_int_equal(LLVMCountBasicBlocks(code.function), straight ? 3 : 1);
        code_end(&code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_through_values_with_several_users_are_cut),
        cmocka_unit_test(functions_exceed_limits_by_their_size),
        cmocka_unit_test(each_limit_leaves_out_its_passes),
        cmocka_unit_test(only_branches_among_many_have_weights),
        cmocka_unit_test(the_back_end_keeps_the_limits_of_a_function),
        cmocka_unit_test(large_blocks_are_emitted_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
