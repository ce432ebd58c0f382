/* Unit test of codegen/stack.c: what the calling contract promises of a thread's stack holds for
 * all code, and code without optimisation, whose values have places of their own, is made
 * otherwise where it would not. */
#include "compiler/codegen/codegen.h"

#include "base/strbuf.h"
#include "native/abi.h"

#include <llvm-c/Core.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HALF (GEO_ABI_STACK_BYTES / 2)
#define WIDE 64u /* elements of a value of 256 bytes */
/* More than the stack has room for. */
#define MANY_VALUES (GEO_ABI_STACK_BYTES / (4 * WIDE) * 9 / 8)

struct code {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef type; /* of every function: takes an address */
};

static struct code code_begin(void)
{
    struct code code = {.context = LLVMContextCreate()};
    LLVMTypeRef pointer = LLVMPointerTypeInContext(code.context, 0);
    code.module = LLVMModuleCreateWithNameInContext("test", code.context);
    code.builder = LLVMCreateBuilderInContext(code.context);
    code.type = LLVMFunctionType(LLVMVoidTypeInContext(code.context), &pointer, 1, 0);
    return code;
}

static LLVMValueRef function_begin(const struct code *code, const char *name)
{
    LLVMValueRef function = LLVMAddFunction(code->module, name, code->type);
    unsigned kind = LLVMGetEnumAttributeKindForName("noinline", strlen("noinline"));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(code->context, kind, 0));
    LLVMPositionBuilderAtEnd(code->builder,
                             LLVMAppendBasicBlockInContext(code->context, function, "entry"));
    return function;
}

static LLVMValueRef load(const struct code *code, LLVMTypeRef type, LLVMValueRef address)
{
    LLVMValueRef value = LLVMBuildLoad2(code->builder, type, address, "");
    LLVMSetVolatile(value, true);
    return value;
}

static void store(const struct code *code, LLVMValueRef value, LLVMValueRef address)
{
    LLVMSetVolatile(LLVMBuildStore(code->builder, value, address), true);
}

/* A function with that many bytes on its stack, which calls one or two others. */
static LLVMValueRef function_add(const struct code *code, const char *name, uint32_t bytes,
                                 LLVMValueRef first, LLVMValueRef second)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(code->context);
    LLVMValueRef function = function_begin(code, name);
    LLVMValueRef memory = LLVMBuildAlloca(code->builder, LLVMArrayType2(byte, bytes), "");
    store(code, memory, LLVMGetParam(function, 0)); /* nobody knows who reads how much of it */
    LLVMValueRef callees[] = {first, second};
    for (uint32_t i = 0; i < 2 && callees[i]; i++) {
        LLVMBuildCall2(code->builder, code->type, callees[i], &memory, 1, "");
    }
    store(code, LLVMConstInt(byte, 2, 0), memory);
    LLVMBuildRetVoid(code->builder);
    return function;
}

/* Wide values, each of which lives into the next block and no further. */
static void values_add(const struct code *code, uint32_t count)
{
    LLVMTypeRef wide = LLVMVectorType(LLVMInt32TypeInContext(code->context), WIDE);
    LLVMTypeRef truth = LLVMInt1TypeInContext(code->context);
    LLVMValueRef function = function_begin(code, "kernel.values");
    LLVMValueRef address = LLVMGetParam(function, 0);
    for (uint32_t i = 0; i < count; i++) {
        LLVMBasicBlockRef use = LLVMAppendBasicBlockInContext(code->context, function, "use");
        LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(code->context, function, "next");
        LLVMValueRef value = load(code, wide, address);
        LLVMBuildCondBr(code->builder, load(code, truth, address), use, next);
        LLVMPositionBuilderAtEnd(code->builder, use);
        store(code, value, address);
        LLVMBuildBr(code->builder, next);
        LLVMPositionBuilderAtEnd(code->builder, next);
    }
    LLVMBuildRetVoid(code->builder);
}

/* Emits and forgets the code. `text`: what the log says of a failure. */
static void emit(struct code *code, enum geo_codegen_effort effort, const char *text)
{
    struct geo_lower_result lowered = {.module = code->module};
    struct geo_ir_module *module = geo_ir_module_create(1 << 20);
    struct geo_codegen_target *target;
    struct geo_strbuf log;
    void *object;
    size_t bytes;
    geo_strbuf_init(&log, 0);
    assert_non_null(module);
    assert_int_equal(geo_codegen_target_create("x86-64", &target, &log), ZE_RESULT_SUCCESS);
    ze_result_t result = geo_codegen_emit(target, module, &lowered, &(struct geo_codegen_notes){0},
                                          effort, &object, &bytes, &log);
    assert_int_equal(result, text ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : ZE_RESULT_SUCCESS);
    assert_true(text ? strstr(geo_strbuf_text(&log), text) != NULL : log.length == 0);
    assert_int_equal(object != NULL, text == NULL);
    free(object);
    geo_strbuf_finish(&log);
    geo_codegen_target_destroy(target);
    geo_ir_module_destroy(module);
    LLVMDisposeBuilder(code->builder);
    LLVMDisposeModule(code->module);
    LLVMContextDispose(code->context);
}

static const enum geo_codegen_effort efforts[] = {GEO_CODEGEN_FULL, GEO_CODEGEN_CAREFUL,
                                                  GEO_CODEGEN_PLAIN};

static void a_frame_beyond_the_contract_is_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof(efforts) / sizeof(efforts[0]); i++) {
        struct code code = code_begin();
        function_add(&code, "kernel.large", GEO_ABI_STACK_BYTES, NULL, NULL);
        emit(&code, efforts[i], "bytes of stack");
    }
}

static void calls_add_up_along_the_deepest_chain(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof(efforts) / sizeof(efforts[0]); i++) {
        struct code code = code_begin();
        LLVMValueRef leaf = function_add(&code, "leaf", HALF / 2, NULL, NULL);
        LLVMValueRef other = function_add(&code, "other", HALF, NULL, NULL);
        LLVMValueRef middle = function_add(&code, "middle", HALF / 2, leaf, leaf);
        function_add(&code, "kernel.fits", HALF / 2, middle, other);
        emit(&code, efforts[i], NULL);
        code = code_begin();
        other = function_add(&code, "other", HALF, NULL, NULL);
        middle = function_add(&code, "middle", 16, other, NULL);
        function_add(&code, "kernel.deep", HALF, NULL, middle);
        function_add(&code, "kernel.deeper", HALF, middle, NULL);
        emit(&code, efforts[i], "bytes of stack");
    }
}

/* Optimised code keeps such values in registers, so only the other code needs to share. */
static void values_share_the_stack_where_it_would_not_do(void **state)
{
    (void)state;
    struct code code = code_begin();
    values_add(&code, MANY_VALUES);
    emit(&code, GEO_CODEGEN_PLAIN, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_beyond_the_contract_is_refused),
        cmocka_unit_test(calls_add_up_along_the_deepest_chain),
        cmocka_unit_test(values_share_the_stack_where_it_would_not_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
