/* Unit test of code generation: LLVM's fatal errors are told on the thread that meets them, and
 * while it stands there others emit. */
#include "compiler/codegen/codegen.h"

#include "base/strbuf.h"

#include <llvm-c/Core.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A function of a module of its own; `foreign`: it asks for what no x86 processor has. */
static struct geo_lower_result module_create(bool foreign)
{
    static const char name[] = "llvm.nvvm.read.ptx.sreg.tid.x";
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("test", context);
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMValueRef f = LLVMAddFunction(module, "f", LLVMFunctionType(word, NULL, 0, 0));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, "entry"));
    LLVMValueRef value = LLVMConstInt(word, 7, 0);
    if (foreign) {
        LLVMValueRef read = LLVMGetIntrinsicDeclaration(
            module, LLVMLookupIntrinsicID(name, sizeof(name) - 1), NULL, 0);
        value = LLVMBuildCall2(builder, LLVMGlobalGetValueType(read), read, NULL, 0, "");
    }
    LLVMBuildRet(builder, value);
    LLVMDisposeBuilder(builder);
    return (struct geo_lower_result){.module = module};
}

static ze_result_t emit(const struct geo_lower_result *lowered, enum geo_codegen_effort effort,
                        struct geo_strbuf *log)
{
    struct geo_codegen_target *target;
    struct geo_ir_module *module = geo_ir_module_create(1 << 20);
    void *object;
    size_t bytes;
    assert_non_null(module);
    assert_int_equal(geo_codegen_target_create(NULL, &target, log), ZE_RESULT_SUCCESS);
    ze_result_t result = geo_codegen_emit(target, module, lowered, &(struct geo_codegen_notes){0},
                                          effort, &object, &bytes, log);
    assert_int_equal(object != NULL, result == ZE_RESULT_SUCCESS);
    assert_int_equal(bytes != 0, result == ZE_RESULT_SUCCESS);
    free(object);
    geo_codegen_target_destroy(target);
    geo_ir_module_destroy(module);
    return result;
}

static sem_t told;
static char reason[160];

static void fatal_is_told(const char *text)
{
    snprintf(reason, sizeof(reason), "%s", text);
    sem_post(&told);
    for (;;) {
        pause();
    }
}

static void *emit_foreign(void *effort)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 1 << 16);
    struct geo_lower_result lowered = module_create(true);
    emit(&lowered, *(const enum geo_codegen_effort *)effort, &log);
    return NULL;
}

static void a_fatal_error_is_told_where_it_is_met(void **state)
{
    (void)state;
    static const enum geo_codegen_effort efforts[] = {GEO_CODEGEN_FULL, GEO_CODEGEN_CAREFUL,
                                                      GEO_CODEGEN_PLAIN};
    geo_codegen_guard_fatal_error(fatal_is_told);
    assert_int_equal(sem_init(&told, 0, 0), 0);
    for (size_t i = 0; i < sizeof(efforts) / sizeof(efforts[0]); i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, emit_foreign, (void *)&efforts[i]), 0);
        assert_int_equal(sem_wait(&told), 0);
        assert_non_null(strstr(reason, "Cannot select"));

        struct geo_strbuf log;
        geo_strbuf_init(&log, 1 << 16);
        struct geo_lower_result lowered = module_create(false);
        assert_int_equal(emit(&lowered, efforts[i], &log), ZE_RESULT_SUCCESS);
        assert_string_equal(geo_strbuf_text(&log), "");
        LLVMContextRef context = LLVMGetModuleContext(lowered.module);
        LLVMDisposeModule(lowered.module);
        LLVMContextDispose(context);
        geo_strbuf_finish(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fatal_error_is_told_where_it_is_met),
    };
    return cmocka_run_group_tests_name("codegen_guard", tests, NULL, NULL);
}
