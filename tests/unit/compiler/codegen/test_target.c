/* Targets: what they are made of, and what is missing. */
#include "compiler/codegen/codegen.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

char *__real_LLVMGetHostCPUName(void);
char *__wrap_LLVMGetHostCPUName(void);

static bool nameless;

/* LLVM's, which gives NULL where it finds no memory for the name. */
char *__wrap_LLVMGetHostCPUName(void)
{
    return nameless ? NULL : __real_LLVMGetHostCPUName();
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
        cmocka_unit_test(unknown_processors_are_refused_by_name),
    };
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
