/* What takes many instructions of the machine, each time it is used, is written once in a module
 * and called: a kernel that has hundreds of it is no larger, and built no later, than one of
 * additions. What comes out is tested by others (scalar, half, random). */
#include "program.h"
#include "support.h"

#include "base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define USES 64u
/* Lines of LLVM's text for one use: a call, and what brings its operands into shape. */
#define LINES 32u

struct use {
    const char *type;      /* how SPIR-V declares %t */
    const char *operation; /* before the operands, which are of that type */
};

/* A kernel that uses it USES times, each on what the last gave. */
static struct program *program_of(const struct use *use, const char *cpu)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    geo_strbuf_printf(&text,
                      "OpEntryPoint Kernel %%k \"k\" %%id\n"
                      "OpExecutionMode %%k ContractionOff\n"
                      "OpDecorate %%id BuiltIn GlobalInvocationId\nOpDecorate %%id Constant\n"
                      "%%void = OpTypeVoid\n%%size = OpTypeInt 64 0\n%%v3 = OpTypeVector %%size 3\n"
                      "%%pid = OpTypePointer Input %%v3\n%%id = OpVariable %%pid Input\n"
                      "%%one = OpConstant %%size 1\n");
    if (strcmp(use->type, "OpTypeInt 64 0") != 0) {
        geo_strbuf_printf(&text, "%%t = %s\n", use->type);
    }
    const char *type = strcmp(use->type, "OpTypeInt 64 0") == 0 ? "%size" : "%t";
    geo_strbuf_printf(&text,
                      "%%p = OpTypePointer CrossWorkgroup %s\n%%fn = OpTypeFunction %%void %%p\n"
                      "%%k = OpFunction %%void None %%fn\n%%to = OpFunctionParameter %%p\n"
                      "%%entry = OpLabel\n%%ids = OpLoad %%v3 %%id\n"
                      "%%i = OpCompositeExtract %%size %%ids 0\n"
                      "%%at = OpInBoundsPtrAccessChain %%p %%to %%i\n"
                      "%%next = OpInBoundsPtrAccessChain %%p %%at %%one\n"
                      "%%x0 = OpLoad %s %%at\n%%y = OpLoad %s %%next\n",
                      type, type, type);
    for (uint32_t i = 0; i < USES; i++) {
        geo_strbuf_printf(&text, "%%x%u = %s %s %%x%u %%y\n", i + 1, use->operation, type, i);
    }
    geo_strbuf_printf(&text, "OpStore %%at %%x%u\nOpReturn\nOpFunctionEnd\n", USES);
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&text));
    const struct program_options options = {.lanes = 8, .optimize = true, .cpu = cpu};
    struct program *program = program_build_model(module, &options);
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&text);
    return program;
}

static uint32_t count_of(const char *text, const char *what)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) {
        count++;
    }
    return count;
}

static void expect_called(const struct use *use, const char *cpu)
{
    struct program *program = program_of(use, cpu);
    uint32_t lines = count_of(program_final(program), "\n");
    uint32_t functions = count_of(program_final(program), "\ndefine internal");
    uint32_t names = count_of(program_final(program), "@geo.");
    if (lines > USES * LINES || functions > 2 || names < USES + functions) {
        fail_msg("%s of %s for %s: %u lines of LLVM's text for %u uses, %u functions",
                 use->operation, use->type, cpu, lines, USES, functions);
    }
    program_destroy(program);
}

static void long_operations_are_called(void **state)
{
    static const struct use uses[] = {
        {"OpTypeFloat 16", "OpFAdd"}, {"OpTypeFloat 16", "OpFDiv"}, {"OpTypeFloat 32", "OpFRem"},
        {"OpTypeFloat 64", "OpFMod"}, {"OpTypeInt 64 0", "OpUDiv"}, {"OpTypeInt 64 0", "OpSDiv"},
        {"OpTypeInt 64 0", "OpSRem"}, {"OpTypeInt 64 0", "OpSMod"}, {"OpTypeInt 64 0", "OpUMod"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        expect_called(&uses[i], "x86-64");
        expect_called(&uses[i], "x86-64-v2");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_operations_are_called),
    };
    return cmocka_run_group_tests_name("outline", tests, NULL, NULL);
}
