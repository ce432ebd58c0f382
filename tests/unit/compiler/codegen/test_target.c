/* Targets: what they are made of, and what is missing; what LLVM finds no memory for. */
#include "compiler/codegen/codegen.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *__real_LLVMGetHostCPUName(void);
char *__wrap_LLVMGetHostCPUName(void);
char *__real_LLVMGetHostCPUFeatures(void);
char *__wrap_LLVMGetHostCPUFeatures(void);

LLVMBool __real_LLVMTargetMachineEmitToMemoryBuffer(LLVMTargetMachineRef machine,
                                                    LLVMModuleRef module, LLVMCodeGenFileType type,
                                                    char **text, LLVMMemoryBufferRef *buffer);
LLVMBool __wrap_LLVMTargetMachineEmitToMemoryBuffer(LLVMTargetMachineRef machine,
                                                    LLVMModuleRef module, LLVMCodeGenFileType type,
                                                    char **text, LLVMMemoryBufferRef *buffer);

static bool nameless, featureless, bufferless;

/* LLVM's, which give NULL where they find no memory for the text. */
char *__wrap_LLVMGetHostCPUName(void)
{
    return nameless ? NULL : __real_LLVMGetHostCPUName();
}

char *__wrap_LLVMGetHostCPUFeatures(void)
{
    return featureless ? NULL : __real_LLVMGetHostCPUFeatures();
}

/* The same: it calls that a success, too. */
LLVMBool __wrap_LLVMTargetMachineEmitToMemoryBuffer(LLVMTargetMachineRef machine,
                                                    LLVMModuleRef module, LLVMCodeGenFileType type,
                                                    char **text, LLVMMemoryBufferRef *buffer)
{
    LLVMBool failed =
        __real_LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, text, buffer);
    if (bufferless) {
        LLVMDisposeMemoryBuffer(*buffer);
        *buffer = NULL;
    }
    return failed;
}

static ze_result_t create(const char *cpu, struct geo_codegen_target **target, const char *expected)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    ze_result_t result = geo_codegen_target_create(cpu, target, &log);
    assert_non_null(strstr(geo_strbuf_text(&log), expected));
    geo_strbuf_finish(&log);
    return result;
}

static void a_host_without_a_name_is_out_of_memory(void **state)
{
    struct geo_codegen_target *target;
    (void)state;
    nameless = true;
    ze_result_t named = create("x86-64-v2", &target, ""), host = create(NULL, &target, "");
    nameless = false;
    assert_int_equal(named, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(host, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_null(target);
    assert_int_equal(create(NULL, &target, ""), ZE_RESULT_SUCCESS);
    geo_codegen_target_destroy(target);
}

static void a_host_without_features_is_out_of_memory(void **state)
{
    struct geo_codegen_target *target;
    (void)state;
    featureless = true;
    ze_result_t named = create("x86-64-v2", &target, "");
    geo_codegen_target_destroy(target);
    ze_result_t host = create(NULL, &target, "");
    featureless = false;
    assert_int_equal(named, ZE_RESULT_SUCCESS); /* it does not ask */
    assert_int_equal(host, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_null(target);
}

static ze_result_t emit(const struct geo_codegen_target *target, void **object)
{
    LLVMContextRef context = LLVMContextCreate();
    struct geo_lower_result lowered = {.module =
                                           LLVMModuleCreateWithNameInContext("none", context)};
    struct geo_ir_module *module = geo_ir_module_create(1 << 20);
    struct geo_strbuf log;
    size_t bytes;
    assert_non_null(module);
    geo_strbuf_init(&log, 0);
    ze_result_t result = geo_codegen_emit(target, module, &lowered, &(struct geo_codegen_notes){0},
                                          GEO_CODEGEN_FULL, object, &bytes, &log);
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
    LLVMDisposeModule(lowered.module);
    LLVMContextDispose(context);
    return result;
}

static void code_without_a_buffer_is_out_of_memory(void **state)
{
    struct geo_codegen_target *target;
    void *none, *object;
    (void)state;
    assert_int_equal(create(NULL, &target, ""), ZE_RESULT_SUCCESS);
    bufferless = true;
    ze_result_t result = emit(target, &none);
    bufferless = false;
    assert_int_equal(emit(target, &object), ZE_RESULT_SUCCESS);
    free(object);
    geo_codegen_target_destroy(target);
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_null(none);
}

static void unknown_processors_are_refused_by_name(void **state)
{
    struct geo_codegen_target *target;
    (void)state;
    assert_int_equal(create("x86-64-v5", &target, "'x86-64-v5'"),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_null(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_without_a_name_is_out_of_memory),
        cmocka_unit_test(a_host_without_features_is_out_of_memory),
        cmocka_unit_test(code_without_a_buffer_is_out_of_memory),
        cmocka_unit_test(unknown_processors_are_refused_by_name),
    };
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
