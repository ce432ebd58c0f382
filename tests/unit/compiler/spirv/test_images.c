/* Images and samplers where the environment does not have them: refused, with a reason. */
#include "support.h"

#include "compiler/builtins/builtins.h"
#include "compiler/spirv/reader.h"
#include "compiler/validate/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char head[] = "OpCapability Addresses\n"
                           "OpCapability Kernel\n"
                           "OpCapability ImageBasic\n"
                           "OpCapability LiteralSampler\n"
                           "OpCapability SubgroupImageBlockIOINTEL\n"
                           "OpCapability SubgroupImageMediaBlockIOINTEL\n"
                           "OpCapability Linkage\n"
                           "OpExtension \"SPV_INTEL_subgroups\"\n"
                           "OpExtension \"SPV_INTEL_media_block_io\"\n"
                           "OpMemoryModel Physical64 OpenCL\n";

static const char types[] = "%void = OpTypeVoid\n"
                            "%int = OpTypeInt 32 0\n"
                            "%long = OpTypeInt 64 0\n"
                            "%float = OpTypeFloat 32\n"
                            "%bool = OpTypeBool\n"
                            "%int2 = OpTypeVector %int 2\n"
                            "%long2 = OpTypeVector %long 2\n"
                            "%float2 = OpTypeVector %float 2\n"
                            "%float4 = OpTypeVector %float 4\n"
                            "%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly\n"
                            "%deep = OpTypeImage %void 2D 1 0 0 0 Unknown ReadOnly\n"
                            "%sampler = OpTypeSampler\n"
                            "%both = OpTypeSampledImage %image\n"
                            "%zero = OpConstantNull %float\n"
                            "%four = OpConstant %int 4\n"
                            "%at = OpConstantNull %int2\n"
                            "%at2 = OpConstantNull %long2\n"
                            "%place = OpConstantNull %float2\n"
                            "%true = OpConstantTrue %bool\n"
                            "%literal = OpConstantSampler %sampler Repeat 1 Linear\n";

/* Reads, validates and resolves; false leaves a reason in `log`. */
static bool goes_through(const char *declarations, const char *body, struct geo_strbuf *log)
{
    static const char frame[] =
        "%sOpDecorate %%f LinkageAttributes \"f\" Export\n%s%s"
        "%%signature = OpTypeFunction %%void %%image %%sampler\n"
        "%%f = OpFunction %%void None %%signature\n%%i = OpFunctionParameter %%image\n"
        "%%s = OpFunctionParameter %%sampler\n%%entry = OpLabel\n%sOpReturn\nOpFunctionEnd\n";
    char text[4096];
    if (strstr(body, "OpFunctionEnd")) {
        snprintf(text, sizeof(text), "%s%s%s%s", head, declarations, types, body);
    } else {
        snprintf(text, sizeof(text), frame, head, types, declarations, body);
    }
    size_t bytes;
    void *words = support_assemble_bytes(text, &bytes);
    struct geo_ir_module *module = NULL;
    geo_strbuf_init(log, 0);
    bool good = geo_spirv_read(words, bytes, &module, log) == ZE_RESULT_SUCCESS &&
                geo_validate(module, "reading", log) == ZE_RESULT_SUCCESS &&
                geo_builtins_resolve(module, log) == ZE_RESULT_SUCCESS;
    if (good) {
        support_assert_valid(module);
    }
    geo_ir_module_destroy(module);
    free(words);
    return good;
}

static void expect(const char *declarations, const char *body, const char *reason)
{
    struct geo_strbuf log;
    bool good = goes_through(declarations, body, &log);
    if (good != (reason == NULL) || (reason && !strstr(geo_strbuf_text(&log), reason))) {
        fail_msg("log is '%s', expected '%s'; of %s%s", geo_strbuf_text(&log),
                 reason ? reason : "none", declarations, body);
    }
    geo_strbuf_finish(&log);
}

#define SAMPLE "%both_is = OpSampledImage %both %i %s\n"

/* SPV-12, SPV-15, SPV-6 */
static void uses_that_there_are(void **state)
{
    (void)state;
    expect("", "%c = OpImageRead %float4 %i %at\n", NULL);
    expect("", SAMPLE "%c = OpImageSampleExplicitLod %float4 %both_is %place Lod %zero\n", NULL);
    expect("", SAMPLE "%c = OpImageSampleExplicitLod %float4 %both_is %place Grad %place %place\n",
           NULL);
    expect("",
           "%b = OpSampledImage %both %i %literal\n"
           "%c = OpImageSampleExplicitLod %float4 %b %at Lod %zero\n",
           NULL);
    expect("", "%c = OpSelect %image %true %i %i\n%d = OpImageRead %float4 %c %at\n", NULL);
    expect("%place_of = OpTypePointer Function %image\n%zero_i = OpConstantNull %int\n",
           "%v = OpVariable %place_of Function\nOpStore %v %i\n%c = OpLoad %image %v\n"
           "%d = OpImageQuerySizeLod %int2 %c %zero_i\n",
           NULL);
}

/* SPV-7 */
static void kinds_of_image_that_there_are(void **state)
{
    static const char *const kinds[] = {
        "%t = OpTypeImage %void 1D 0 0 0 0 Unknown ReadWrite\n",
        "%t = OpTypeImage %void 1D 0 1 0 0 Unknown ReadOnly\n",
        "%t = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly\n",
        "%t = OpTypeImage %void 2D 1 1 0 0 Unknown ReadOnly\n",
        "%t = OpTypeImage %void 2D 0 1 0 0 Unknown ReadOnly\n",
        "%t = OpTypeImage %void 3D 0 0 0 0 Unknown ReadOnly\n",
        "%t = OpTypeImage %void Buffer 0 0 0 0 Unknown ReadOnly\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        expect(kinds[i], "", NULL);
    }
}

/* SPV-14 */
static void kinds_of_image_that_there_are_not(void **state)
{
    static const char *const kinds[] = {
        "%t = OpTypeImage %float 2D 0 0 0 0 Unknown ReadOnly\n",
        "%t = OpTypeImage %void Cube 0 0 0 0 Unknown ReadOnly\n",
        "%t = OpTypeImage %void 3D 0 1 0 0 Unknown ReadOnly\n",
        "%t = OpTypeImage %void 2D 0 0 1 0 Unknown ReadOnly\n",
        "%t = OpTypeImage %void 2D 0 0 0 1 Unknown ReadOnly\n",
        "%t = OpTypeImage %void 2D 0 0 0 0 Rgba8 ReadOnly\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        expect(kinds[i], "", "images of this kind are not supported");
    }
    expect("%b = OpTypeImage %void Buffer 0 0 0 0 Unknown ReadOnly\n%t = OpTypeSampledImage %b\n",
           "", "cannot be sampled");
    expect("%t = OpTypeSampledImage %sampler\n", "", "cannot be sampled");
}

static void places_where_there_are_no_images(void **state)
{
    (void)state;
    expect("%t = OpTypePointer CrossWorkgroup %image\n", "", "cannot be in memory");
    expect("%t = OpTypeStruct %int %sampler\n%p = OpTypePointer Workgroup %t\n", "",
           "cannot be in memory");
    expect("%p = OpTypePointer UniformConstant %sampler\n%v = OpVariable %p UniformConstant\n", "",
           "cannot be variables");
    expect("OpEntryPoint Kernel %k \"k\"\n",
           "%t = OpTypeStruct %int %image\n%p = OpTypePointer Function %t\n"
           "%signature = OpTypeFunction %void %p\n%k = OpFunction %void None %signature\n"
           "%x = OpFunctionParameter %p\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n",
           "has images inside");
    expect("OpEntryPoint Kernel %k \"k\"\n",
           "%signature = OpTypeFunction %void %both\n%k = OpFunction %void None %signature\n"
           "%x = OpFunctionParameter %both\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n",
           "has images inside");
}

/* SPV-15 */
static void uses_that_there_are_not(void **state)
{
    (void)state;
    expect("", "%c = OpImageRead %float4 %i %at ConstOffset %at\n", "image operands");
    expect("", "%c = OpImageRead %float4 %s %at\n", "the required types");
    expect("", "%c = OpImageRead %float4 %i %place\n", "the required types");
    expect("", "%c = OpImageRead %float2 %i %at\n", "the required types");
    expect("", "%c = OpImageSampleExplicitLod %float4 %i %place Lod %zero\n", "the required types");
    expect("", "%c = OpImageQuerySizeLod %float2 %i %at\n", "the required types");
    expect("", "%c = OpBitcast %long %i\n", "the required types");
    expect("",
           SAMPLE "%u = OpUndef %both\n"
                  "%c = OpImageSampleExplicitLod %float4 %u %place Lod %zero\n",
           "not the result of OpSampledImage");
    expect("",
           SAMPLE "%x = OpSelect %both %true %both_is %both_is\n"
                  "%c = OpImageSampleExplicitLod %float4 %x %place Lod %zero\n",
           "not the result of OpSampledImage");
    expect("%odd = OpConstantSampler %int Repeat 1 Linear\n", "", "sampler is not supported");
}

/* SPV-19, SPV-21: blocks, media blocks with operands in either order */
static void blocks_of_sub_groups(void **state)
{
    (void)state;
    expect("",
           "%a = OpSubgroupImageBlockReadINTEL %int2 %i %at\n"
           "OpSubgroupImageBlockWriteINTEL %i %at %a\n"
           "%b = OpSubgroupImageMediaBlockReadINTEL %int2 %i %at %four %four\n"
           "OpSubgroupImageMediaBlockWriteINTEL %i %at %four %four %b\n"
           "%c = OpSubgroupImageMediaBlockReadINTEL %int2 %at %four %four %i\n"
           "OpSubgroupImageMediaBlockWriteINTEL %at %four %four %c %i\n",
           NULL);
    expect("", "%a = OpSubgroupImageBlockReadINTEL %bool %i %at\n", "the required types");
    expect("", "%a = OpSubgroupImageBlockReadINTEL %int2 %i %four\n", "the required types");
    expect("", "%a = OpSubgroupImageBlockReadINTEL %int2 %i %at2\n", "the required types");
    expect("", "%a = OpSubgroupImageBlockReadINTEL %int2 %s %at\n", "the required types");
    expect("", "%a = OpSubgroupImageMediaBlockReadINTEL %int2 %i %at %four %zero\n",
           "the required types");
    expect("", "%u = OpUndef %deep\n%a = OpSubgroupImageBlockReadINTEL %int2 %u %at\n",
           "the required types");
}

/* The same as functions that stay imports. */
static void blocks_by_name(void **state)
{
    static const char frame[] =
        "%sOpDecorate %%f LinkageAttributes \"f\" Export\n"
        "OpDecorate %%g LinkageAttributes \"%s\" Import\n%s"
        "%%t = OpTypeFunction %s\n%%g = OpFunction %s None %%t\n%sOpFunctionEnd\n"
        "%%signature = OpTypeFunction %%void %%image %%int2\n"
        "%%f = OpFunction %%void None %%signature\n%%i = OpFunctionParameter %%image\n"
        "%%x = OpFunctionParameter %%int2\n%%entry = OpLabel\n%%r = OpFunctionCall %s\nOpReturn\n"
        "OpFunctionEnd\n";
    static const struct {
        const char *name, *type, *result, *parameters, *call;
    } rows[] = {
        {"_Z30intel_sub_group_block_read_ui214ocl_image2d_roDv2_i", "%int2 %image %int2", "%int2",
         "%p1 = OpFunctionParameter %image\n%p2 = OpFunctionParameter %int2\n", "%int2 %g %i %x"},
        {"_Z36__spirv_SubgroupImageBlockWriteINTEL14ocl_image2d_woDv2_iS0_",
         "%void %image %int2 %int2", "%void",
         "%p1 = OpFunctionParameter %image\n%p2 = OpFunctionParameter %int2\n"
         "%p3 = OpFunctionParameter %int2\n",
         "%void %g %i %x %x"},
        {"_Z37intel_sub_group_media_block_write_ui2Dv2_iiiS_14ocl_image2d_wo",
         "%void %int2 %int %int %int2 %image", "%void",
         "%p1 = OpFunctionParameter %int2\n%p2 = OpFunctionParameter %int\n"
         "%p3 = OpFunctionParameter %int\n%p4 = OpFunctionParameter %int2\n"
         "%p5 = OpFunctionParameter %image\n",
         "%void %g %x %four %four %x %i"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[4096];
        size_t bytes;
        snprintf(text, sizeof(text), frame, head, rows[i].name, types, rows[i].type, rows[i].result,
                 rows[i].parameters, rows[i].call);
        void *words = support_assemble_bytes(text, &bytes);
        struct geo_ir_module *module = NULL;
        struct geo_strbuf log;
        geo_strbuf_init(&log, 0);
        assert_int_equal(geo_spirv_read(words, bytes, &module, &log), ZE_RESULT_SUCCESS);
        assert_int_equal(geo_builtins_resolve(module, &log), ZE_RESULT_SUCCESS);
        support_assert_valid(module);
        geo_ir_for_each_function(function, module) {
            geo_ir_for_each_block(block, function) {
                geo_ir_for_each_inst(inst, block) {
                    bool call = inst->op == SpvOpFunctionCall;
                    if (call && !geo_ir_as_function(inst->operands[0])->first_block) {
                        fail_msg("%s is still called", rows[i].name);
                    }
                }
            }
        }
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_that_there_are),
        cmocka_unit_test(kinds_of_image_that_there_are),
        cmocka_unit_test(kinds_of_image_that_there_are_not),
        cmocka_unit_test(places_where_there_are_no_images),
        cmocka_unit_test(uses_that_there_are_not),
        cmocka_unit_test(blocks_of_sub_groups),
        cmocka_unit_test(blocks_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
