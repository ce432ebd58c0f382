/* Unit test of lower: a kernel whose name finds no memory is no kernel. */
#include "program.h"

#include "compiler/lower/lower.h"
#include "compiler/transform/transform.h"

#include <llvm-c/Core.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void __wrap_geo_strbuf_printf(struct geo_strbuf *buffer, const char *format, ...);

static bool nameless;

/* As without memory, where a kernel's name is made. */
void __wrap_geo_strbuf_printf(struct geo_strbuf *buffer, const char *format, ...)
{
    va_list args;
    if (nameless && strncmp(format, "kernel.", 7) == 0) {
        buffer->truncated = true;
        return;
    }
    va_start(args, format);
    geo_strbuf_vprintf(buffer, format, args);
    va_end(args);
}

static ze_result_t lower(const struct geo_codegen_target *target)
{
    const struct geo_lower_options options = {.lanes = 8,
                                              .target = geo_codegen_target_facts(target)};
    struct geo_ir_module *module = program_model("flow_O2");
    LLVMContextRef context = LLVMContextCreate();
    struct geo_lower_result lowered;
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize(module, false, &log), ZE_RESULT_SUCCESS);
    ze_result_t result = geo_lower_module(module, &options, context, &lowered, &log);
    assert_int_equal(lowered.module != NULL, result == ZE_RESULT_SUCCESS);
    if (lowered.module) {
        assert_memory_equal(lowered.kernels[0].symbol, "kernel.", 7);
        LLVMDisposeModule(lowered.module);
    }
    LLVMContextDispose(context);
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    return result;
}

static void a_kernel_without_a_name_is_out_of_memory(void **state)
{
    struct geo_codegen_target *target;
    struct geo_strbuf log;
    (void)state;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_codegen_target_create(NULL, &target, &log), ZE_RESULT_SUCCESS);
    assert_int_equal(lower(target), ZE_RESULT_SUCCESS);
    nameless = true;
    assert_int_equal(lower(target), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    nameless = false;
    geo_codegen_target_destroy(target);
    geo_strbuf_finish(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_a_name_is_out_of_memory),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
