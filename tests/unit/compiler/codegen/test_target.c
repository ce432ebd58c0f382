/* Targets: what they are made of, and what is missing; machines, which are kept. */
#include "compiler/codegen/emitter.h"
#include "compiler/codegen/internal.h"

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

LLVMMemoryBufferRef __real_geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                              bool combine);
LLVMMemoryBufferRef __wrap_geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                              bool combine);

static bool nameless, featureless, objectless;

/* LLVM's, which give NULL where they find no memory for the text. */
char *__wrap_LLVMGetHostCPUName(void)
{
    return nameless ? NULL : __real_LLVMGetHostCPUName();
}

char *__wrap_LLVMGetHostCPUFeatures(void)
{
    return featureless ? NULL : __real_LLVMGetHostCPUFeatures();
}

/* NULL, as of a target that makes none. */
LLVMMemoryBufferRef __wrap_geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                              bool combine)
{
    return objectless ? NULL : __real_geo_codegen_object(machine, module, combine);
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

static void a_target_without_objects_fails_the_build(void **state)
{
    struct geo_codegen_target *target;
    void *none, *object;
    (void)state;
    assert_int_equal(create(NULL, &target, ""), ZE_RESULT_SUCCESS);
    objectless = true;
    ze_result_t result = emit(target, &none);
    objectless = false;
    assert_int_equal(emit(target, &object), ZE_RESULT_SUCCESS);
    free(object);
    geo_codegen_target_destroy(target);
    assert_int_equal(result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
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

/* A machine that was given back is taken again, by a build of the same kind. */
static void machines_are_kept_for_builds_of_the_same_kind(void **state)
{
    struct geo_codegen_target *one, *other;
    (void)state;
    assert_int_equal(create("x86-64-v2", &one, ""), ZE_RESULT_SUCCESS);
    assert_int_equal(create("x86-64-v3", &other, ""), ZE_RESULT_SUCCESS);
    struct geo_codegen_machine *machine = geo_codegen_machine_take(one, GEO_CODEGEN_FULL);
    struct geo_codegen_machine *second = geo_codegen_machine_take(one, GEO_CODEGEN_FULL);
    assert_ptr_not_equal(machine, second); /* it is in use */
    geo_codegen_machine_give(second);
    geo_codegen_machine_give(machine);
    assert_ptr_equal(geo_codegen_machine_take(one, GEO_CODEGEN_FULL), machine);
    geo_codegen_machine_give(machine);
    machine = geo_codegen_machine_take(other, GEO_CODEGEN_FULL);
    assert_string_equal(machine->cpu, "x86-64-v3");
    geo_codegen_machine_give(machine);
    machine = geo_codegen_machine_take(other, GEO_CODEGEN_PLAIN);
    assert_int_equal(machine->effort, GEO_CODEGEN_PLAIN);
    geo_codegen_machine_give(machine);
    geo_codegen_target_destroy(one);
    geo_codegen_target_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_without_a_name_is_out_of_memory),
        cmocka_unit_test(a_host_without_features_is_out_of_memory),
        cmocka_unit_test(a_target_without_objects_fails_the_build),
        cmocka_unit_test(machines_are_kept_for_builds_of_the_same_kind),
        cmocka_unit_test(unknown_processors_are_refused_by_name),
    };
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
