/* Unit test of LLVM's passes (codegen/optimize.c): the time is asked for between them. Each look at
 * the clock takes a second here. */
#include "compiler/codegen/internal.h"

#include "base/strbuf.h"
#include "compiler/ir/budget.h"

#include <llvm-c/Core.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define FEW  4u
#define MANY 20000u /* blocks */

static int64_t looks;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock == CLOCK_THREAD_CPUTIME_ID) {
        *now = (struct timespec){.tv_sec = looks++};
        return 0;
    }
    return (int)syscall(SYS_clock_gettime, clock, now);
}

/* Writes x again and again, each time in a block of its own. */
static LLVMModuleRef module_create(LLVMContextRef context, uint32_t blocks)
{
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("test", context);
    LLVMTypeRef types[] = {LLVMInt32TypeInContext(context), LLVMPointerTypeInContext(context, 0)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), types, 2, 0);
    LLVMValueRef f = LLVMAddFunction(module, "f", type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, "entry"));
    for (uint32_t i = 0; i < blocks; i++) {
        LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(context, f, "next");
        LLVMSetVolatile(LLVMBuildStore(builder, LLVMGetParam(f, 0), LLVMGetParam(f, 1)), true);
        LLVMBuildBr(builder, next);
        LLVMPositionBuilderAtEnd(builder, next);
    }
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    return module;
}

/* A build of as many seconds (0: any number); where it ended goes to `place`. */
static ze_result_t emit(uint32_t cases, uint64_t seconds, char *place, size_t size)
{
    LLVMContextRef context = LLVMContextCreate();
    struct geo_lower_result lowered = {.module = module_create(context, cases)};
    struct geo_ir_module *module = geo_ir_module_create(1 << 20);
    struct geo_codegen_target *target;
    struct geo_budget budget;
    struct geo_strbuf log;
    void *object;
    size_t bytes;
    geo_strbuf_init(&log, 0);
    assert_non_null(module);
    assert_int_equal(geo_codegen_target_create(NULL, &target, &log), ZE_RESULT_SUCCESS);
    looks = 0;
    geo_budget_init(&budget, seconds);
    geo_budget_begin(&budget);
    ze_result_t result = geo_codegen_emit(target, module, &lowered, &(struct geo_codegen_notes){0},
                                          GEO_CODEGEN_FULL, &object, &bytes, &log);
    geo_budget_end();
    geo_budget_place(&budget, place, size);
    assert_int_equal(object != NULL, result == ZE_RESULT_SUCCESS);
    assert_int_equal(budget.end == GEO_BUDGET_LEFT, result == ZE_RESULT_SUCCESS);
    free(object);
    geo_budget_finish(&budget);
    geo_strbuf_finish(&log);
    geo_codegen_target_destroy(target);
    geo_ir_module_destroy(module);
    LLVMDisposeModule(lowered.module);
    LLVMContextDispose(context);
    return result;
}

static void time_is_asked_for_before_the_passes_and_the_emission(void **state)
{
    (void)state;
    char place[128];
    assert_int_equal(emit(FEW, 1, place, sizeof(place)), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_int_equal(looks, 2);
    assert_int_equal(emit(FEW, 2, place, sizeof(place)), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_int_equal(looks, 3);
    assert_int_equal(emit(FEW, 3, place, sizeof(place)), ZE_RESULT_SUCCESS);
}

static void a_large_module_is_asked_between_its_passes(void **state)
{
    (void)state;
    char place[128];
    assert_int_equal(emit(MANY, 3, place, sizeof(place)), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_string_equal(place, "in simplifycfg");
    assert_int_equal(emit(MANY, 5, place, sizeof(place)), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_string_equal(place, "in loop(loop-rotate),loop-mssa(licm)");
    assert_int_equal(emit(MANY, 8, place, sizeof(place)), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_string_equal(place, "in gvn<no-memdep>");
    assert_int_equal(emit(MANY, 0, place, sizeof(place)), ZE_RESULT_SUCCESS);
}

/* Two blocks read x, and the one that both lead to; `blocks` more follow. How often x is read in
 * the end. */
static unsigned reads_left(uint32_t blocks)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("test", context);
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef types[] = {pointer, LLVMInt1TypeInContext(context), pointer};
    LLVMValueRef f =
        LLVMAddFunction(module, "f", LLVMFunctionType(LLVMVoidTypeInContext(context), types, 3, 0));
    unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", sizeof("noalias") - 1);
    LLVMAddAttributeAtIndex(f, 1, LLVMCreateEnumAttribute(context, noalias, 0));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, f, "entry"), three[3];
    for (int i = 0; i < 3; i++) {
        three[i] = LLVMAppendBasicBlockInContext(context, f, "read");
    }
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMBuildCondBr(b, LLVMGetParam(f, 1), three[0], three[1]);
    for (unsigned i = 0; i < 3; i++) {
        LLVMPositionBuilderAtEnd(b, three[i]);
        LLVMValueRef sum = LLVMBuildAdd(b, LLVMBuildLoad2(b, word, LLVMGetParam(f, 0), ""),
                                        LLVMConstInt(word, i, 0), "");
        LLVMSetVolatile(LLVMBuildStore(b, sum, LLVMGetParam(f, 2)), true);
        if (i < 2) {
            LLVMBuildBr(b, three[2]);
        }
    }
    for (uint32_t i = 0; i < blocks; i++) {
        LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(context, f, "next");
        LLVMBuildBr(b, next);
        LLVMPositionBuilderAtEnd(b, next);
    }
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_true(geo_codegen_optimize(module, NULL, true, &log));
    geo_strbuf_finish(&log);
    unsigned reads = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
             inst = LLVMGetNextInstruction(inst)) {
            reads += LLVMIsALoadInst(inst) != NULL;
        }
    }
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return reads;
}

static void who_wrote_is_looked_for_among_few_blocks(void **state)
{
    (void)state;
    unsigned few = reads_left(10), many = reads_left(300);
    assert_in_range(few, 1, 2);
    assert_int_equal(many, 3);
}

/* Adds a function that computes x * 4 + x * 4, and writes it to a variable first. */
static LLVMValueRef sum_add(LLVMModuleRef module, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMValueRef f = LLVMAddFunction(module, name, LLVMFunctionType(word, &word, 1, 0));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, "entry"));
    LLVMValueRef variable = LLVMBuildAlloca(b, word, "");
    LLVMValueRef product = LLVMBuildMul(b, LLVMGetParam(f, 0), LLVMConstInt(word, 4, 0), "");
    LLVMBuildStore(b, LLVMBuildAdd(b, product, product, ""), variable);
    LLVMBuildRet(b, LLVMBuildLoad2(b, word, variable, ""));
    LLVMDisposeBuilder(b);
    return f;
}

static bool has_attribute(LLVMValueRef f, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind) != NULL;
}

static unsigned instructions(LLVMValueRef f)
{
    unsigned count = 0;
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(f);
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
         inst = LLVMGetNextInstruction(inst)) {
        count++;
    }
    return count;
}

/* The variable is gone in both functions. Only one becomes a shift. */
static void functions_that_rarely_run_are_not_optimised(void **state)
{
    (void)state;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("test", context);
    LLVMValueRef often = sum_add(module, "often"), rare = sum_add(module, "rare");
    LLVMAddAttributeAtIndex(rare, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, GEO_LOWER_RARE_ATTRIBUTE,
                                                      (unsigned)strlen(GEO_LOWER_RARE_ATTRIBUTE),
                                                      "", 0));
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_true(geo_codegen_optimize(module, NULL, true, &log));
    geo_strbuf_finish(&log);
    assert_int_equal(instructions(often), 2);
    assert_int_equal(instructions(rare), 3);
    assert_false(has_attribute(often, "optnone"));
    assert_true(has_attribute(rare, "optnone"));
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_asked_for_before_the_passes_and_the_emission),
        cmocka_unit_test(a_large_module_is_asked_between_its_passes),
        cmocka_unit_test(who_wrote_is_looked_for_among_few_blocks),
        cmocka_unit_test(functions_that_rarely_run_are_not_optimised),
    };
    return cmocka_run_group_tests_name("codegen_optimize", tests, NULL, NULL);
}
