/* Targets: what they are made of, and what is missing; machines, which are kept. */
#include "compiler/codegen/emitter.h"
#include "compiler/codegen/internal.h"
#include "machine/identity.h"
#include "machine/machine.h"

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
uint32_t __real_geo_machine_features(void);
uint32_t __wrap_geo_machine_features(void);

LLVMMemoryBufferRef __real_geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                              bool combine,
                                              const struct geo_emitter_profile *profile);
LLVMMemoryBufferRef __wrap_geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                              bool combine,
                                              const struct geo_emitter_profile *profile);

static bool nameless, objectless;
static const uint32_t *features; /* NULL: this machine's own */

/* Returns NULL where LLVM finds no memory for the text. */
char *__wrap_LLVMGetHostCPUName(void)
{
    return nameless ? NULL : __real_LLVMGetHostCPUName();
}

uint32_t __wrap_geo_machine_features(void)
{
    return features ? *features : __real_geo_machine_features();
}

/* NULL, as of a target that makes none. */
LLVMMemoryBufferRef __wrap_geo_codegen_object(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                              bool combine,
                                              const struct geo_emitter_profile *profile)
{
    return objectless ? NULL : __real_geo_codegen_object(machine, module, combine, profile);
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

/* Returns the name of the level that is chosen on a machine with these features. */
static const char *chosen(uint32_t machine)
{
    struct geo_codegen_target *target;
    features = &machine;
    ze_result_t result = create(NULL, &target, "");
    features = NULL;
    assert_int_equal(result, ZE_RESULT_SUCCESS);
    const char *name = target->level->name;
    assert_int_equal(geo_codegen_target_facts(target).features & ~machine, 0);
    geo_codegen_target_destroy(target);
    return name;
}

/* Without a named processor, code is for the best level that the machine has in full. */
static void code_is_for_the_best_level_of_the_machine(void **state)
{
    const uint32_t v2 = GEO_FEATURE_SSE4_2, v3 = v2 | GEO_FEATURE_AVX2;
    const uint32_t v4 = v3 | GEO_FEATURE_AVX512, vnni = v4 | GEO_FEATURE_VNNI;
    (void)state;
    if (GEO_MACHINE_TARGET != GEO_TARGET_X86_64) {
        assert_string_equal(chosen(0), "aarch64");
        return;
    }
    assert_string_equal(chosen(0), "x86-64");
    assert_string_equal(chosen(v2), "x86-64-v2");
    assert_string_equal(chosen(v3), "x86-64-v3");
    assert_string_equal(chosen(v4), "x86-64-v4");
    assert_string_equal(chosen(vnni), "x86-64-v4-vnni");
    assert_string_equal(chosen(vnni | GEO_FEATURE_FP16), "x86-64-v4-fp16");
    assert_string_equal(chosen(v4 | GEO_FEATURE_FP16), "x86-64-v4"); /* one is missing between */
    assert_string_equal(chosen(v2 | GEO_FEATURE_AVX512), "x86-64-v2");
}

/* Gathers and loops over lanes depend on the maker of the core that code is tuned for. */
static void facts_follow_the_core(void **state)
{
    (void)state;
    if (GEO_MACHINE_TARGET != GEO_TARGET_X86_64) {
        return;
    }
    const struct geo_codegen_arch *arch = &geo_codegen_x86_64;
    struct geo_lower_target facts = {.vector_bits = 512, .has_masks = true};
    arch->tune(&facts, "sapphirerapids");
    assert_int_equal(facts.gathers, GEO_GATHERS_ALWAYS);
    assert_false(facts.lanes_from_memory);
    arch->tune(&facts, "znver4");
    assert_int_equal(facts.gathers, GEO_GATHERS_VECTORS);
    assert_true(facts.lanes_from_memory);
    facts = (struct geo_lower_target){.vector_bits = 256};
    arch->tune(&facts, "znver3");
    assert_int_equal(facts.gathers, GEO_GATHERS_NEVER);
    assert_true(facts.lanes_from_memory);
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
    struct geo_codegen_machine *machine =
        geo_codegen_target_machine_take(one, LLVMCodeGenLevelDefault);
    struct geo_codegen_machine *second =
        geo_codegen_target_machine_take(one, LLVMCodeGenLevelDefault);
    assert_ptr_not_equal(machine, second); /* it is in use */
    geo_codegen_target_machine_give(second);
    geo_codegen_target_machine_give(machine);
    assert_ptr_equal(geo_codegen_target_machine_take(one, LLVMCodeGenLevelDefault), machine);
    geo_codegen_target_machine_give(machine);
    machine = geo_codegen_target_machine_take(other, LLVMCodeGenLevelDefault);
    assert_string_equal(machine->level->name, "x86-64-v3");
    geo_codegen_target_machine_give(machine);
    machine = geo_codegen_target_machine_take(other, LLVMCodeGenLevelNone);
    assert_int_equal(machine->effort, GEO_CODEGEN_PLAIN);
    geo_codegen_target_machine_give(machine);
    geo_codegen_target_destroy(one);
    geo_codegen_target_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_without_a_name_is_out_of_memory),
        cmocka_unit_test(code_is_for_the_best_level_of_the_machine),
        cmocka_unit_test(facts_follow_the_core),
        cmocka_unit_test(a_target_without_objects_fails_the_build),
        cmocka_unit_test(machines_are_kept_for_builds_of_the_same_kind),
        cmocka_unit_test(unknown_processors_are_refused_by_name),
    };
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
