/* The SPIR-V reader: what it takes, what it refuses, and what it says then. */
#include "support.h"

#include "compiler/spirv/reader.h"
#include "compiler/validate/validate.h"
#include "native/specialize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Words of a minimal module; tests append instructions. */
struct words {
    uint32_t items[256];
    uint32_t count;
};

static void add(struct words *words, uint32_t op, uint32_t count, const uint32_t *operands)
{
    words->items[words->count++] = (count + 1) << 16 | op;
    for (uint32_t i = 0; i < count; i++) {
        words->items[words->count++] = operands[i];
    }
}

#define ADD(words, op, ...)                                                                        \
    add(words, op, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

static void start(struct words *words)
{
    const uint32_t header[] = {SpvMagicNumber, 0x00010200, 0, 100, 0};
    memcpy(words->items, header, sizeof(header));
    words->count = 5;
    ADD(words, SpvOpCapability, SpvCapabilityKernel);
    ADD(words, SpvOpCapability, SpvCapabilityAddresses);
    ADD(words, SpvOpMemoryModel, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);
}

/* Reads and expects a build failure whose log has `text`. */
static void expect_refused(const void *bytes, size_t size, const char *text)
{
    struct geo_strbuf log;
    struct geo_ir_module *module = (void *)1;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_spirv_read(bytes, size, &module, &log),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_null(module);
    if (!strstr(geo_strbuf_text(&log), text)) {
        fail_msg("log is '%s', expected '%s'", geo_strbuf_text(&log), text);
    }
    geo_strbuf_finish(&log);
}

static void refused(const struct words *words, const char *text)
{
    expect_refused(words->items, words->count * sizeof(uint32_t), text);
}

static struct geo_ir_module *read_good(const void *bytes, size_t size)
{
    struct geo_strbuf log;
    struct geo_ir_module *module;
    geo_strbuf_init(&log, 0);
    ze_result_t result = geo_spirv_read(bytes, size, &module, &log);
    if (result != ZE_RESULT_SUCCESS || geo_validate(module, "reading", &log) != ZE_RESULT_SUCCESS) {
        fail_msg("%s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    return module;
}

static struct geo_ir_function *kernel_named(struct geo_ir_module *module, const char *name)
{
    geo_ir_for_each_function(function, module) {
        if (function->is_kernel && strcmp(function->entry_name, name) == 0) {
            return function;
        }
    }
    fail_msg("no kernel %s", name);
    return NULL;
}

/* SPV-1, SPV-6, SPV-8, SPV-9, SPV-10 */
static void reads_modules_of_clang(void **state)
{
    static const char *const names[] = {"reader_O0", "reader_O2"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        void *bytes = support_fixture_bytes(names[i], &size);
        struct geo_ir_module *module = read_good(bytes, size);
        struct geo_ir_function *first = kernel_named(module, "first");
        struct geo_ir_function *second = kernel_named(module, "second");
        assert_int_equal(first->parameter_count, 4);
        assert_int_equal(first->required_size[0], 8);
        assert_int_equal(first->required_size[1], 2);
        assert_int_equal(first->required_size[2], 1);
        assert_int_equal(first->parameters[2]->type->storage, SpvStorageClassWorkgroup);
        assert_int_equal(second->size_hint[0], 4);
        assert_string_equal(second->vector_type_hint, "float4");
        assert_int_equal(second->parameters[2]->type->kind, GEO_TYPE_VECTOR);
        geo_ir_module_destroy(module);
        free(bytes);
    }
}

/* SPV-1: the other byte order, any alignment */
static void reads_swapped_and_unaligned_words(void **state)
{
    size_t size;
    uint32_t *words = support_fixture_bytes("reader_O2", &size);
    (void)state;
    uint8_t *swapped = malloc(size + 1);
    assert_non_null(swapped);
    for (size_t i = 0; i < size / 4; i++) {
        uint32_t word = __builtin_bswap32(words[i]);
        memcpy(swapped + 1 + 4 * i, &word, 4);
    }
    struct geo_ir_module *module = read_good(swapped + 1, size);
    kernel_named(module, "first");
    geo_ir_module_destroy(module);
    free(swapped);
    free(words);
}

/* SPV-1, SPV-2, SPV-13 */
static void refuses_what_is_not_a_module(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    expect_refused(words.items, 0, "not a SPIR-V module");
    expect_refused(words.items, 16, "not a SPIR-V module");
    expect_refused(words.items, 21, "not a SPIR-V module");
    words.items[0] = 0x12345678;
    refused(&words, "starts with 0x12345678");
    start(&words);
    words.items[1] = 0x00020000;
    refused(&words, "version");
    start(&words);
    words.items[3] = 0;
    refused(&words, "id bound");
    words.items[3] = UINT32_MAX;
    refused(&words, "id bound");
    start(&words);
    words.items[words.count - 2] = SpvAddressingModelPhysical32;
    refused(&words, "only Physical64");
    start(&words);
    words.items[words.count - 1] = SpvMemoryModelGLSL450;
    refused(&words, "only OpenCL");
    start(&words);
    ADD(&words, SpvOpEntryPoint, SpvExecutionModelGLCompute, 1, 0);
    refused(&words, "only Kernel");
    start(&words);
    words.count -= 3;
    refused(&words, "no OpMemoryModel");
}

/* SPV-10, SPV-19: what every environment has, and the sub-groups that are always there */
static void required_capabilities_are_accepted(void **state)
{
    static const uint32_t required[] = {SpvCapabilityAddresses,
                                        SpvCapabilityFloat16Buffer,
                                        SpvCapabilityInt64,
                                        SpvCapabilityInt16,
                                        SpvCapabilityInt8,
                                        SpvCapabilityKernel,
                                        SpvCapabilityLinkage,
                                        SpvCapabilityVector16,
                                        SpvCapabilityGenericPointer,
                                        SpvCapabilityGroups,
                                        SpvCapabilitySubgroupShuffleINTEL,
                                        SpvCapabilitySubgroupBufferBlockIOINTEL,
                                        SpvCapabilitySubgroupImageBlockIOINTEL};
    struct words words;
    (void)state;
    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++) {
        start(&words);
        ADD(&words, SpvOpCapability, required[i]);
        geo_ir_module_destroy(read_good(words.items, words.count * sizeof(uint32_t)));
    }
}

/* SPV-10: a kernel written for one GPU's instructions is refused by that name; declaring that there
 * may be some is no reason to. */
static void names_inline_assembly(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpCapability, SpvCapabilityAsmINTEL);
    geo_ir_module_destroy(read_good(words.items, words.count * sizeof(uint32_t)));
    ADD(&words, SpvOpAsmTargetINTEL, 1, 0x72697073, 0x3436); /* "spir64" */
    refused(&words, "OpAsmTargetINTEL at word 14: inline assembly is not supported");
}

/* SPV-10: producers declare integers of any width wherever their optimiser might make one. */
static void names_the_width_of_an_unusual_integer(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpCapability, SpvCapabilityArbitraryPrecisionIntegersINTEL);
    ADD(&words, SpvOpTypeInt, 1, 32, 0);
    geo_ir_module_destroy(read_good(words.items, words.count * sizeof(uint32_t)));
    ADD(&words, SpvOpTypeInt, 2, 33, 0);
    geo_ir_module_destroy(read_good(words.items, words.count * sizeof(uint32_t)));
    ADD(&words, SpvOpTypeInt, 3, 65, 0);
    refused(&words, "integers of 65 bits are not supported (1 to 64). Clang makes them of the sums "
                    "of loops: build with -mllvm -replexitval=never");
    start(&words);
    ADD(&words, SpvOpTypeInt, 1, 0, 0);
    refused(&words, "integers of 0 bits are not supported");
}

/* A producer extends literals to whole words, by their sign or not. */
static void constants_and_cases_of_odd_widths_lose_upper_bits(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpTypeVoid, 1);
    ADD(&words, SpvOpTypeInt, 2, 29, 0);
    ADD(&words, SpvOpTypeInt, 3, 40, 0);
    ADD(&words, SpvOpTypeFunction, 4, 1, 2, 3);
    ADD(&words, SpvOpConstant, 2, 5, 0xFFFFFFFE);
    ADD(&words, SpvOpConstant, 3, 6, 7, 0xFFFFFFFF);
    ADD(&words, SpvOpFunction, 1, 7, SpvFunctionControlMaskNone, 4);
    ADD(&words, SpvOpFunctionParameter, 2, 8);
    ADD(&words, SpvOpFunctionParameter, 3, 9);
    ADD(&words, SpvOpLabel, 10);
    ADD(&words, SpvOpIAdd, 2, 14, 5, 5);
    ADD(&words, SpvOpIAdd, 3, 15, 6, 6);
    ADD(&words, SpvOpSwitch, 8, 11, 0xFFFFFFFD, 12);
    ADD(&words, SpvOpLabel, 11);
    ADD(&words, SpvOpSwitch, 9, 12, 8, 0xFFFFFF80, 13);
    ADD(&words, SpvOpLabel, 12);
    ADD(&words, SpvOpReturn);
    ADD(&words, SpvOpLabel, 13);
    ADD(&words, SpvOpReturn);
    ADD(&words, SpvOpFunctionEnd);
    struct geo_ir_module *module = read_good(words.items, words.count * 4);
    const struct geo_ir_block *block = module->first_function->first_block;
    uint64_t narrow = 0, wide = 0;
    assert_true(geo_ir_constant_bits(block->first->operands[0], &narrow));
    assert_true(geo_ir_constant_bits(block->first->next->operands[0], &wide));
    assert_int_equal(narrow, 0x1FFFFFFE);
    assert_int_equal(wide, 0xFF00000007);
    assert_int_equal(block->last->literals[0], 0x1FFFFFFD);
    assert_int_equal(block->last->literals[1], 0);
    assert_int_equal(block->next->last->literals[0], 8);
    assert_int_equal(block->next->last->literals[1], 0x80);
    geo_ir_module_destroy(module);
}

/* A host has no such integers, and constants are not computed in them. */
static void odd_widths_end_at_the_host_and_in_constants(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpEntryPoint, SpvExecutionModelKernel, 7, 0x6B);
    ADD(&words, SpvOpTypeVoid, 1);
    ADD(&words, SpvOpTypeInt, 2, 29, 0);
    ADD(&words, SpvOpTypeFunction, 4, 1, 2);
    ADD(&words, SpvOpFunction, 1, 7, SpvFunctionControlMaskNone, 4);
    ADD(&words, SpvOpFunctionParameter, 2, 8);
    ADD(&words, SpvOpLabel, 10);
    ADD(&words, SpvOpReturn);
    ADD(&words, SpvOpFunctionEnd);
    refused(&words, "parameter 0 of an entry point has 29 bits");
    start(&words);
    ADD(&words, SpvOpTypeInt, 2, 29, 0);
    ADD(&words, SpvOpConstant, 2, 5, 3);
    ADD(&words, SpvOpSpecConstantOp, 2, 6, SpvOpIAdd, 5, 5);
    refused(&words, "OpIAdd to integers of 29 bits is not supported in a constant");
    start(&words);
    ADD(&words, SpvOpTypeInt, 2, 29, 0);
    ADD(&words, SpvOpTypeInt, 3, 32, 0);
    ADD(&words, SpvOpConstant, 2, 5, 3);
    ADD(&words, SpvOpSpecConstantOp, 3, 6, SpvOpUConvert, 5);
    refused(&words, "OpUConvert of integers of 29 bits is not supported in a constant");
}

/* What no kernel can have here is refused by the capability's name. */
static void names_capabilities(void **state)
{
    static const struct {
        uint32_t capability;
        const char *text;
    } refusals[] = {{SpvCapabilityShader, "capability Shader (1) is not supported"},
                    {SpvCapabilityPipes, "capability Pipes (17) is not supported"},
                    {SpvCapabilityDeviceEnqueue, "capability DeviceEnqueue (19) is"},
                    {SpvCapabilityNamedBarrier, "capability NamedBarrier (59) is"},
                    {SpvCapabilityVectorComputeINTEL, "capability VectorComputeINTEL (5617) is"},
                    {6245, "capability SpecConditionalINTEL (6245) is not supported"}};
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        struct words words;
        start(&words);
        ADD(&words, SpvOpCapability, refusals[i].capability);
        refused(&words, refusals[i].text);
    }
}

/* Hints for devices of other kinds, and what is decided by instructions: decorations, execution
 * modes and loop controls that mean nothing here. */
static void takes_hints_for_others(void **state)
{
    static const uint32_t capabilities[] = {SpvCapabilityUniformDecoration,
                                            SpvCapabilityFPGAMemoryAttributesINTEL,
                                            SpvCapabilityFPGALoopControlsINTEL,
                                            SpvCapabilityFPGAKernelAttributesINTEL,
                                            SpvCapabilityFPGABufferLocationINTEL,
                                            SpvCapabilityRuntimeAlignedAttributeINTEL,
                                            SpvCapabilityDebugInfoModuleINTEL,
                                            6029 /* FloatControls2 */,
                                            6169 /* FPMaxErrorINTEL */,
                                            6441 /* CacheControlsINTEL */,
                                            6460 /* RegisterLimitsINTEL */};
    struct words words;
    (void)state;
    start(&words);
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
        ADD(&words, SpvOpCapability, capabilities[i]);
    }
    ADD(&words, SpvOpEntryPoint, SpvExecutionModelKernel, 10, 0x6b); /* "k" */
    ADD(&words, SpvOpExecutionMode, 10, 6461 /* MaximumRegistersINTEL */, 64);
    ADD(&words, SpvOpExecutionMode, 10, SpvExecutionModeMaxWorkDimINTEL, 1);
    ADD(&words, SpvOpExecutionModeId, 10, 6028 /* FPFastMathDefault */, 5, 4);
    ADD(&words, SpvOpDecorate, 12, 6442 /* CacheControlLoadINTEL */, 0, 1);
    ADD(&words, SpvOpDecorate, 12, SpvDecorationBufferLocationINTEL, 2);
    ADD(&words, SpvOpDecorate, 12, 6170 /* FPMaxErrorDecorationINTEL */, 0x40000000);
    ADD(&words, SpvOpTypeVoid, 1);
    ADD(&words, SpvOpTypeInt, 3, 32, 0);
    ADD(&words, SpvOpTypeFloat, 5, 32);
    ADD(&words, SpvOpConstant, 3, 4, 0);
    ADD(&words, SpvOpTypePointer, 6, SpvStorageClassCrossWorkgroup, 3);
    ADD(&words, SpvOpTypeFunction, 2, 1, 6);
    ADD(&words, SpvOpFunction, 1, 10, 0, 2);
    ADD(&words, SpvOpFunctionParameter, 6, 12);
    ADD(&words, SpvOpLabel, 11);
    add(&words, SpvOpReturn, 0, NULL);
    add(&words, SpvOpFunctionEnd, 0, NULL);
    struct geo_ir_module *module = read_good(words.items, words.count * sizeof(uint32_t));
    kernel_named(module, "k");
    geo_ir_module_destroy(module);
}

/* SPV-4: whatever language it says, and of which version */
static void languages_are_information(void **state)
{
    static const uint32_t languages[] = {SpvSourceLanguageUnknown, SpvSourceLanguageOpenCL_C,
                                         SpvSourceLanguageGLSL, 12345, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++) {
        struct words words;
        start(&words);
        ADD(&words, SpvOpSource, languages[i], 0);
        ADD(&words, SpvOpSource, languages[i], UINT32_MAX);
        ADD(&words, SpvOpSourceExtension, 0x78); /* "x" */
        geo_ir_module_destroy(read_good(words.items, words.count * sizeof(uint32_t)));
    }
}

/* Debug information may speak of what comes later (SPV_KHR_relaxed_extended_instruction). */
static void debug_information_looks_ahead(void **state)
{
    static const uint32_t set[] = {1, 0x536e6f4e, 0x6e616d65, 0x2e636974,
                                   0x0078}; /* NonSemantic.x */
    struct words words;
    (void)state;
    start(&words);
    add(&words, SpvOpExtInstImport, 5, set);
    ADD(&words, SpvOpTypeVoid, 2);
    ADD(&words, 4433 /* OpExtInstWithForwardRefsKHR */, 2, 3, 1, 7, 77);
    geo_ir_module_destroy(read_good(words.items, words.count * sizeof(uint32_t)));
}

/* SPV-10: the log names instruction and word */
static void names_instruction_and_word(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpCapability, 31337);
    refused(&words, "OpCapability at word 12: capability 31337");
    start(&words);
    words.items[words.count++] = 0;
    refused(&words, "at word 12: has a word count of 0");
    start(&words);
    words.items[words.count++] = 9u << 16 | SpvOpTypeInt;
    refused(&words, "OpTypeInt at word 12: has 9 words");
    start(&words);
    ADD(&words, SpvOpTypeInt, 1, 71, 0);
    refused(&words, "71 bits");
    start(&words);
    ADD(&words, SpvOpTypeInt, 100, 32, 0);
    refused(&words, "id 100 is outside the bound");
    start(&words);
    ADD(&words, SpvOpTypeInt, 1, 32, 0);
    ADD(&words, SpvOpTypeFloat, 1, 32);
    refused(&words, "id 1 is defined twice");
    start(&words);
    ADD(&words, SpvOpTypeVector, 2, 1, 4);
    refused(&words, "id 1 is not a type");
    start(&words);
    ADD(&words, 9999, 2);
    refused(&words, "at word 12: unknown opcode");
}

/* SPV-6: limits on sizes and nesting */
static void refuses_types_without_bounds(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpTypeInt, 1, 64, 0);
    ADD(&words, SpvOpConstant, 1, 2, UINT32_MAX, UINT32_MAX);
    ADD(&words, SpvOpTypeArray, 3, 1, 2);
    refused(&words, "larger than");
    start(&words);
    ADD(&words, SpvOpTypeInt, 1, 32, 0);
    ADD(&words, SpvOpTypeVector, 2, 1, 5);
    refused(&words, "vectors of 5");
    start(&words);
    ADD(&words, SpvOpTypeStruct, 1, 1);
    refused(&words, "id 1 is not a type");
}

static void add_function(struct words *words)
{
    ADD(words, SpvOpTypeVoid, 1);
    ADD(words, SpvOpTypeFunction, 2, 1);
    ADD(words, SpvOpTypeInt, 3, 32, 0);
    ADD(words, SpvOpConstant, 3, 4, 7);
    ADD(words, SpvOpFunction, 1, 10, 0, 2);
}

/* SPV-8 */
static void refuses_broken_functions(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    add_function(&words);
    refused(&words, "ends inside of a function");
    ADD(&words, SpvOpLabel, 11);
    add(&words, SpvOpFunctionEnd, 0, NULL);
    refused(&words, "no terminator");
    start(&words);
    add_function(&words);
    add(&words, SpvOpFunctionEnd, 0, NULL);
    refused(&words, "no body");
    start(&words);
    add_function(&words);
    ADD(&words, SpvOpLabel, 11);
    ADD(&words, SpvOpBranch, 12);
    add(&words, SpvOpFunctionEnd, 0, NULL);
    refused(&words, "label 12");
    start(&words);
    add_function(&words);
    ADD(&words, SpvOpLabel, 11);
    ADD(&words, SpvOpIAdd, 3, 12, 4, 13);
    add(&words, SpvOpReturn, 0, NULL);
    add(&words, SpvOpFunctionEnd, 0, NULL);
    refused(&words, "id 13, used at word");
    start(&words);
    add_function(&words);
    ADD(&words, SpvOpLabel, 11);
    ADD(&words, SpvOpIAdd, 3, 12, 4);
    refused(&words, "operands are missing");
    start(&words);
    add_function(&words);
    ADD(&words, SpvOpLabel, 11);
    ADD(&words, SpvOpIAdd, 3, 12, 4, 4, 4);
    refused(&words, "words too many");
}

/* SPV-8: barriers of every form take three integers, memory barriers two */
static void validates_barriers(void **state)
{
    static const uint32_t ops[] = {SpvOpControlBarrier, SpvOpControlBarrierArriveINTEL,
                                   SpvOpControlBarrierWaitINTEL, SpvOpMemoryBarrier};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t wrong = 0; wrong < 2; wrong++) {
            const uint32_t operands[] = {4, wrong ? 6 : 4, 4};
            struct words words;
            struct geo_strbuf log;
            struct geo_ir_module *module;
            start(&words);
            ADD(&words, SpvOpTypeFloat, 5, 32);
            ADD(&words, SpvOpConstant, 5, 6, 0);
            add_function(&words);
            ADD(&words, SpvOpLabel, 11);
            add(&words, ops[i], ops[i] == SpvOpMemoryBarrier ? 2 : 3, operands);
            add(&words, SpvOpReturn, 0, NULL);
            add(&words, SpvOpFunctionEnd, 0, NULL);
            geo_strbuf_init(&log, 0);
            assert_int_equal(
                geo_spirv_read(words.items, words.count * sizeof(uint32_t), &module, &log),
                ZE_RESULT_SUCCESS);
            assert_int_equal(geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS, !wrong);
            assert_int_equal(
                strstr(geo_strbuf_text(&log), "do not have the required types") != NULL, wrong);
            geo_ir_module_destroy(module);
            geo_strbuf_finish(&log);
        }
    }
}

/* MOD-6: specialisation constants take the application's values, by SpecId */
static void specialises_constants(void **state)
{
    const uint16_t narrow = 0xBEEF;
    const uint8_t truth = 5;
    const struct geo_spirv_constant constants[] = {{3, &narrow}, {4, &truth}, {99, &narrow}};
    struct words words;
    uint64_t bits;
    (void)state;
    start(&words);
    ADD(&words, SpvOpDecorate, 10, SpvDecorationSpecId, 3);
    ADD(&words, SpvOpDecorate, 11, SpvDecorationSpecId, 4);
    ADD(&words, SpvOpDecorate, 12, SpvDecorationSpecId, 5);
    ADD(&words, SpvOpTypeInt, 1, 16, 0);
    ADD(&words, SpvOpTypeBool, 2);
    ADD(&words, SpvOpSpecConstant, 1, 10, 1);
    ADD(&words, SpvOpSpecConstantFalse, 2, 11);
    ADD(&words, SpvOpSpecConstant, 1, 12, 77);
    ADD(&words, SpvOpSpecConstantOp, 1, 13, SpvOpIAdd, 10, 12);
    assert_true(geo_spirv_specialize(words.items, words.count * 4, constants, 3));
    struct geo_ir_module *module = read_good(words.items, words.count * 4);
    static const uint64_t expected[] = {0xBEEF, 1, 77, (0xBEEF + 77) & 0xFFFF};
    assert_int_equal(module->constants.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(geo_ir_constant_bits(module->constants.items[i], &bits));
        assert_int_equal(bits, expected[i]);
    }
    geo_ir_module_destroy(module);
}

/* SPV-6: forms that clang-22 writes although the specification has no place for them */
static void makes_right_what_clang_writes(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpTypeVoid, 1);
    ADD(&words, SpvOpTypeFunction, 2, 1);
    ADD(&words, SpvOpTypeInt, 3, 32, 0);
    ADD(&words, SpvOpTypeInt, 4, 64, 0);
    ADD(&words, SpvOpTypeVector, 5, 3, 4);
    ADD(&words, SpvOpTypeBool, 6);
    ADD(&words, SpvOpConstant, 3, 7, 3);
    ADD(&words, SpvOpConstant, 4, 8, 9, 1);
    ADD(&words, SpvOpConstantNull, 5, 9);
    ADD(&words, SpvOpFunction, 1, 10, 0, 2);
    ADD(&words, SpvOpLabel, 11);
    ADD(&words, SpvOpAny, 6, 12, 9);
    ADD(&words, SpvOpAll, 6, 13, 7);
    ADD(&words, SpvOpUConvert, 3, 14, 7);
    ADD(&words, SpvOpShiftLeftLogical, 3, 15, 8, 7);
    ADD(&words, SpvOpIAdd, 3, 16, 8, 7);
    add(&words, SpvOpReturn, 0, NULL);
    add(&words, SpvOpFunctionEnd, 0, NULL);
    struct geo_ir_module *module = read_good(words.items, words.count * 4);
    assert_int_equal(support_count(module, NULL, SpvOpSLessThan), 2);
    assert_int_equal(support_count(module, NULL, SpvOpCopyObject), 1);
    assert_int_equal(support_count(module, NULL, SpvOpUConvert), 2);
    geo_ir_module_destroy(module);
}

/* SPV-6: llvm-spirv extracts a fourth component for get_local_size(3) and the like, which OpenCL
 * defines. A fourth component of any other vector stays invalid. */
static void dimensions_beyond_the_third_are_those_of_opencl(void **state)
{
    static const struct {
        const char *name;
        uint32_t component, expected;
    } rows[] = {{"WorkgroupSize", 3, 1},      {"EnqueuedWorkgroupSize", 3, 1},
                {"GlobalSize", 100, 1},       {"NumWorkgroups", UINT32_MAX, 1},
                {"GlobalInvocationId", 3, 0}, {"LocalInvocationId", 4, 0},
                {"WorkgroupId", 3, 0},        {"GlobalOffset", 3, 0}};
    static const char form[] =
        "OpEntryPoint Kernel %%main \"main\" %%var\nOpDecorate %%var BuiltIn %s\n"
        "%%void = OpTypeVoid\n%%i64 = OpTypeInt 64 0\n%%vec = OpTypeVector %%i64 3\n"
        "%%ptr = OpTypePointer Input %%vec\n%%to = OpTypePointer CrossWorkgroup %%i64\n"
        "%%type = OpTypeFunction %%void %%to\n%%var = OpVariable %%ptr Input\n"
        "%%main = OpFunction %%void None %%type\n%%p = OpFunctionParameter %%to\n"
        "%%entry = OpLabel\n%%all = OpLoad %%vec %%var\n"
        "%%one = OpCompositeExtract %%i64 %%all %u\nOpStore %%p %%one\n"
        "OpReturn\nOpFunctionEnd\n";
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[1024];
        uint64_t bits = 77;
        snprintf(text, sizeof(text), form, rows[i].name, rows[i].component);
        struct geo_ir_module *module = support_assemble(text);
        assert_int_equal(support_count(module, NULL, SpvOpCompositeExtract), 0);
        geo_ir_for_each_inst(inst, kernel_named(module, "main")->first_block) {
            if (inst->op == SpvOpCopyObject) {
                assert_true(geo_ir_constant_bits(inst->operands[0], &bits));
            }
        }
        assert_int_equal(bits, rows[i].expected);
        geo_ir_module_destroy(module);
    }
}

static void other_vectors_have_no_fourth_component(void **state)
{
    struct geo_ir_module *module;
    struct geo_strbuf log;
    size_t bytes;
    void *spirv = support_assemble_bytes(
        "OpEntryPoint Kernel %main \"main\"\n%void = OpTypeVoid\n%i64 = OpTypeInt 64 0\n"
        "%vec = OpTypeVector %i64 3\n%ptr = OpTypePointer CrossWorkgroup %vec\n"
        "%type = OpTypeFunction %void\n%null = OpConstantNull %vec\n"
        "%var = OpVariable %ptr CrossWorkgroup %null\n"
        "%main = OpFunction %void None %type\n%entry = OpLabel\n%all = OpLoad %vec %var\n"
        "%one = OpCompositeExtract %i64 %all 3\nOpReturn\nOpFunctionEnd\n",
        &bytes);
    (void)state;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_spirv_read(spirv, bytes, &module, &log), ZE_RESULT_SUCCESS);
    assert_int_not_equal(geo_validate(module, "reading", &log), ZE_RESULT_SUCCESS);
    geo_ir_module_destroy(module);
    geo_strbuf_finish(&log);
    free(spirv);
}

/* SPV-6: llvm-spirv names a block once for each case of its switch that leads to a phi. */
static void phis_may_name_a_block_again_for_the_same_value(void **state)
{
    (void)state;
    for (uint32_t other = 0; other < 2; other++) {
        struct words words;
        struct geo_strbuf log;
        struct geo_ir_module *module;
        start(&words);
        ADD(&words, SpvOpTypeVoid, 1);
        ADD(&words, SpvOpTypeInt, 3, 32, 0);
        ADD(&words, SpvOpTypeFunction, 2, 1, 3, 3);
        ADD(&words, SpvOpFunction, 1, 4, 0, 2);
        ADD(&words, SpvOpFunctionParameter, 3, 5);
        ADD(&words, SpvOpFunctionParameter, 3, 6);
        ADD(&words, SpvOpLabel, 7);
        ADD(&words, SpvOpSwitch, 5, 8, 1, 9, 20, 9);
        ADD(&words, SpvOpLabel, 8);
        ADD(&words, SpvOpBranch, 9);
        ADD(&words, SpvOpLabel, 9);
        ADD(&words, SpvOpPhi, 3, 10, 6, 7, 5, 8, other ? 5 : 6, 7);
        ADD(&words, SpvOpPhi, 3, 11, 5, 7, 6, 8);
        add(&words, SpvOpReturn, 0, NULL);
        add(&words, SpvOpFunctionEnd, 0, NULL);
        geo_strbuf_init(&log, 0);
        assert_int_equal(geo_spirv_read(words.items, words.count * sizeof(uint32_t), &module, &log),
                         ZE_RESULT_SUCCESS);
        assert_int_equal(geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS, !other);
        assert_int_equal(strstr(geo_strbuf_text(&log), "names a block twice") != NULL, other);
        const struct geo_ir_inst *phi = module->first_function->last_block->first;
        assert_int_equal(phi->operand_count, other ? 3 : 2);
        assert_int_equal(phi->target_count, phi->operand_count);
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
    }
}

/* Decorations of pointers and operands of accesses end as one. */
static void accesses_through_volatile_pointers_are_volatile(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_assemble(
        "OpEntryPoint Kernel %main \"main\"\nOpDecorate %p Volatile\n"
        "%void = OpTypeVoid\n%i32 = OpTypeInt 32 0\n%one = OpConstant %i32 1\n"
        "%ptr = OpTypePointer CrossWorkgroup %i32\n%type = OpTypeFunction %void %ptr %ptr\n"
        "%main = OpFunction %void None %type\n%p = OpFunctionParameter %ptr\n"
        "%q = OpFunctionParameter %ptr\n%entry = OpLabel\n"
        "%a = OpLoad %i32 %p\n%next = OpInBoundsPtrAccessChain %ptr %p %one\n"
        "OpStore %next %a\nOpCopyMemory %q %next\n%b = OpLoad %i32 %q\n"
        "OpStore %q %b\nOpReturn\nOpFunctionEnd\n");
    static const bool expected[] = {true, true, true, false, false};
    const struct geo_ir_function *function = kernel_named(module, "main");
    uint32_t count = 0;
    geo_ir_for_each_inst(inst, function->first_block) {
        if (inst->op == SpvOpLoad || inst->op == SpvOpStore || inst->op == SpvOpCopyMemory) {
            assert_true(count < 5);
            assert_int_equal((inst->memory_flags & SpvMemoryAccessVolatileMask) != 0,
                             expected[count++]);
        }
    }
    assert_int_equal(count, 5);
    geo_ir_module_destroy(module);
}

/* Ids of what variables below are made of. */
enum { WORD = 1, CONSTANT_POINTER, GLOBAL_POINTER, PRIVATE_POINTER, INITIAL, FIRST_VARIABLE };

#define TEXT_HOST 0x74736f68u, 0u /* "host" */
#define TEXT_LINK 0x6b6e696cu, 0u /* "link" */

static void add_pointers(struct words *words)
{
    ADD(words, SpvOpTypeInt, WORD, 32, 0);
    ADD(words, SpvOpTypePointer, CONSTANT_POINTER, SpvStorageClassUniformConstant, WORD);
    ADD(words, SpvOpTypePointer, GLOBAL_POINTER, SpvStorageClassCrossWorkgroup, WORD);
    ADD(words, SpvOpTypePointer, PRIVATE_POINTER, SpvStorageClassFunction, WORD);
    ADD(words, SpvOpConstant, WORD, INITIAL, 7);
}

/* Numbers of the decoration and of its values: none, read, write, read and write. */
struct host_access {
    uint32_t capability, decoration, values[4];
};

static const struct host_access host_accesses[] = {
    {6187, 6188, {0, 1, 2, 3}}, /* SPV_INTEL_global_variable_host_access */
    {6146, 6147, {3, 0, 1, 2}}, /* the draft, SPV_INTEL_global_variable_decorations */
};

static void what_the_host_writes_is_no_constant(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct host_access *host = &host_accesses[i];
        struct words words;
        start(&words);
        ADD(&words, SpvOpCapability, host->capability);
        ADD(&words, SpvOpCapability, SpvCapabilityLinkage);
        /* the last has linkage, too */
        for (uint32_t access = 0; access < 4; access++) {
            ADD(&words, SpvOpDecorate, FIRST_VARIABLE + access, host->decoration,
                host->values[access], TEXT_HOST);
        }
        ADD(&words, SpvOpDecorate, FIRST_VARIABLE + 3, SpvDecorationLinkageAttributes, TEXT_LINK,
            SpvLinkageTypeExport);
        add_pointers(&words);
        for (uint32_t access = 0; access < 4; access++) {
            ADD(&words, SpvOpVariable, CONSTANT_POINTER, FIRST_VARIABLE + access,
                SpvStorageClassUniformConstant, INITIAL);
        }
        struct geo_ir_module *module = read_good(words.items, words.count * 4);
        struct geo_ir_variable **variables = module->variables.items;
        assert_int_equal(module->variables.count, 4);
        assert_true(variables[0]->is_constant && variables[1]->is_constant);
        assert_false(variables[2]->is_constant || variables[3]->is_constant);
        assert_null(variables[0]->linkage_name);
        assert_string_equal(variables[1]->linkage_name, "host");
        assert_string_equal(variables[2]->linkage_name, "host");
        assert_int_equal(variables[2]->linkage, GEO_LINKAGE_EXPORT);
        assert_null(variables[2]->host_name);
        assert_string_equal(variables[3]->linkage_name, "link");
        assert_string_equal(variables[3]->host_name, "host");
        geo_ir_module_destroy(module);

        start(&words);
        ADD(&words, SpvOpDecorate, FIRST_VARIABLE, host->decoration, 4, TEXT_HOST);
        add_pointers(&words);
        ADD(&words, SpvOpVariable, GLOBAL_POINTER, FIRST_VARIABLE, SpvStorageClassCrossWorkgroup);
        refused(&words, "malformed HostAccess");
    }
}

/* The draft's InitMode (6148) and ImplementInCSR (6149) are numbers without a name behind them. */
static void hints_for_fpgas_do_not_name_variables(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpCapability, 6146);
    ADD(&words, SpvOpDecorate, FIRST_VARIABLE, 6148, 1);
    ADD(&words, SpvOpDecorate, FIRST_VARIABLE, 6149, 1);
    add_pointers(&words);
    ADD(&words, SpvOpVariable, CONSTANT_POINTER, FIRST_VARIABLE, SpvStorageClassUniformConstant,
        INITIAL);
    struct geo_ir_module *module = read_good(words.items, words.count * 4);
    assert_int_equal(module->variables.count, 1);
    assert_true(module->variables.items[0]->is_constant);
    assert_null(module->variables.items[0]->linkage_name);
    geo_ir_module_destroy(module);
}

/* FPFastMathDefault (6028) of a type is a constant of FPFastMathMode. */
static void contraction_is_off_where_the_default_lacks_it(void **state)
{
    static const char *const constants[] = {"0", "7", "65536", "458752"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char text[1024];
        size_t bytes;
        snprintf(text, sizeof(text),
                 "OpEntryPoint Kernel %%k \"k\"\n"
                 "OpExecutionModeId %%k !6028 %%float %%mode\n%%void = OpTypeVoid\n"
                 "%%float = OpTypeFloat 32\n%%uint = OpTypeInt 32 0\n"
                 "%%mode = OpConstant %%uint %s\n%%fn = OpTypeFunction %%void\n"
                 "%%k = OpFunction %%void None %%fn\n%%l = OpLabel\nOpReturn\nOpFunctionEnd\n",
                 constants[i]);
        void *words = support_assemble_bytes(text, &bytes);
        struct geo_ir_module *module = read_good(words, bytes);
        uint32_t modes = kernel_named(module, "k")->float_modes;
        assert_int_equal((modes & GEO_FLOAT_CONTRACTION_OFF) != 0, i < 2);
        geo_ir_module_destroy(module);
        free(words);
    }
}

#define TEXT_LLVM 0x6d766c6cu, 0x6573752eu, 0x64u /* "llvm.used" */

/* LLVM takes such names for its own. */
static void the_host_has_no_names_of_llvms(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpDecorate, FIRST_VARIABLE, 6188, 3, TEXT_LLVM);
    add_pointers(&words);
    ADD(&words, SpvOpVariable, GLOBAL_POINTER, FIRST_VARIABLE, SpvStorageClassCrossWorkgroup);
    struct geo_ir_module *module = read_good(words.items, words.count * 4);
    assert_int_equal(module->variables.count, 1);
    assert_int_equal(module->variables.items[0]->linkage, GEO_LINKAGE_INTERNAL);
    assert_null(module->variables.items[0]->linkage_name);
    geo_ir_module_destroy(module);
}

static void pointers_declared_are_defined(void **state)
{
    static const char text[] =
        "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n"
        "OpEntryPoint Kernel %k \"k\"\nOpTypeForwardPointer %p CrossWorkgroup\n"
        "%void = OpTypeVoid\n%fn = OpTypeFunction %void %p\n"
        "%k = OpFunction %void None %fn\n%x = OpFunctionParameter %p\n%l = OpLabel\n"
        "OpReturn\nOpFunctionEnd\n";
    size_t bytes;
    (void)state;
    void *words = support_assemble_bytes(text, &bytes);
    expect_refused(words, bytes, "is declared, and never defined");
    free(words);
}

static void misplaced_variables_are_left_alone_until_used(void **state)
{
    struct words words;
    (void)state;
    start(&words);
    ADD(&words, SpvOpName, FIRST_VARIABLE, TEXT_HOST);
    add_pointers(&words);
    ADD(&words, SpvOpVariable, PRIVATE_POINTER, FIRST_VARIABLE, SpvStorageClassFunction);
    ADD(&words, SpvOpVariable, PRIVATE_POINTER, FIRST_VARIABLE + 1, SpvStorageClassFunction,
        INITIAL);
    struct geo_ir_module *module = read_good(words.items, words.count * 4);
    assert_int_equal(module->variables.count, 0);
    geo_ir_module_destroy(module);
    ADD(&words, SpvOpTypePointer, 20, SpvStorageClassCrossWorkgroup, PRIVATE_POINTER);
    ADD(&words, SpvOpVariable, 20, 21, SpvStorageClassCrossWorkgroup, FIRST_VARIABLE);
    refused(&words, "not a value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_modules_of_clang),
        cmocka_unit_test(reads_swapped_and_unaligned_words),
        cmocka_unit_test(refuses_what_is_not_a_module),
        cmocka_unit_test(required_capabilities_are_accepted),
        cmocka_unit_test(names_capabilities),
        cmocka_unit_test(takes_hints_for_others),
        cmocka_unit_test(languages_are_information),
        cmocka_unit_test(debug_information_looks_ahead),
        cmocka_unit_test(names_instruction_and_word),
        cmocka_unit_test(names_inline_assembly),
        cmocka_unit_test(names_the_width_of_an_unusual_integer),
        cmocka_unit_test(constants_and_cases_of_odd_widths_lose_upper_bits),
        cmocka_unit_test(odd_widths_end_at_the_host_and_in_constants),
        cmocka_unit_test(refuses_types_without_bounds),
        cmocka_unit_test(pointers_declared_are_defined),
        cmocka_unit_test(refuses_broken_functions),
        cmocka_unit_test(validates_barriers),
        cmocka_unit_test(specialises_constants),
        cmocka_unit_test(makes_right_what_clang_writes),
        cmocka_unit_test(dimensions_beyond_the_third_are_those_of_opencl),
        cmocka_unit_test(other_vectors_have_no_fourth_component),
        cmocka_unit_test(phis_may_name_a_block_again_for_the_same_value),
        cmocka_unit_test(accesses_through_volatile_pointers_are_volatile),
        cmocka_unit_test(what_the_host_writes_is_no_constant),
        cmocka_unit_test(hints_for_fpgas_do_not_name_variables),
        cmocka_unit_test(contraction_is_off_where_the_default_lacks_it),
        cmocka_unit_test(the_host_has_no_names_of_llvms),
        cmocka_unit_test(misplaced_variables_are_left_alone_until_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
