/* Instructions of extensions that become others before anything looks at them
 * (transform/expand/forms.c, transform/expand/predicated.c), at every width, against what their
 * specifications say in plain C. spirv-as knows few of them: "!0xNNNNOOOO" is the first word of an
 * instruction, its length and its number. */
#include "program.h"
#include "support.h"

#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"
#include "compiler/validate/validate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ITEMS        48u
#define INPUTS       3u
#define ROWS         64u

/* A kernel "f" of uint *in, uint *out: x, y and z are in[i], in[i + ITEMS], in[i + 2 ITEMS]; what
 * ROW stores is out[i * ROWS + row]. */
static const char head[] =
    "OpEntryPoint Kernel %f \"f\" %id\nOpDecorate %id BuiltIn GlobalInvocationId\n"
    "OpDecorate %id Constant\n@"
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%u8 = OpTypeInt 8 0\n%u32 = OpTypeInt 32 0\n"
    "%u64 = OpTypeInt 64 0\n%f32 = OpTypeFloat 32\n%f64 = OpTypeFloat 64\n"
    "%bool4 = OpTypeVector %bool 4\n%v4 = OpTypeVector %u32 4\n%l3 = OpTypeVector %u64 3\n"
    "%l4 = OpTypeVector %u64 4\n%p_l3 = OpTypePointer Input %l3\n"
    "%p_u32 = OpTypePointer CrossWorkgroup %u32\n%p_v4 = OpTypePointer CrossWorkgroup %v4\n"
    "%o_u32 = OpTypePointer Function %u32\n%o_u8 = OpTypePointer Function %u8\n"
    "%true = OpConstantTrue %bool\n%false = OpConstantFalse %bool\n"
    "%k0 = OpConstant %u64 0\n%k1 = OpConstant %u64 1\n%k2 = OpConstant %u64 2\n"
    "%k3 = OpConstant %u64 3\n%k4 = OpConstant %u64 4\n%k5 = OpConstant %u64 5\n"
    "%k6 = OpConstant %u64 6\n"
    "%stride = OpConstant %u64 64\n"
    "%k48 = OpConstant %u64 48\n%k96 = OpConstant %u64 96\n%c0 = OpConstant %u32 0\n"
    "%c1 = OpConstant %u32 1\n%c2 = OpConstant %u32 2\n%c3 = OpConstant %u32 3\n"
    "%c4 = OpConstant %u32 4\n%c5 = OpConstant %u32 5\n%c77 = OpConstant %u32 77\n"
    "@%id = OpVariable %p_l3 Input\n%type = OpTypeFunction %void %p_u32 %p_u32\n"
    "%f = OpFunction %void None %type\n%in = OpFunctionParameter %p_u32\n"
    "%out = OpFunctionParameter %p_u32\n%l = OpLabel\n@%ids = OpLoad %l3 %id\n"
    "%i = OpCompositeExtract %u64 %ids 0\n%first = OpIMul %u64 %i %stride\n"
    "%mine = OpInBoundsPtrAccessChain %p_u32 %out %first\n"
    "%px = OpInBoundsPtrAccessChain %p_u32 %in %i\n%x = OpLoad %u32 %px\n"
    "%iy = OpIAdd %u64 %i %k48\n%py = OpInBoundsPtrAccessChain %p_u32 %in %iy\n"
    "%y = OpLoad %u32 %py\n%iz = OpIAdd %u64 %i %k96\n"
    "%pz = OpInBoundsPtrAccessChain %p_u32 %in %iz\n%z = OpLoad %u32 %pz\n";

#define ROW(row, value)                                                                            \
    "%q" #row " = OpInBoundsPtrAccessChain %p_u32 %mine %k" #row "\nOpStore %q" #row " " value "\n"

struct text {
    const char *decorations, *declarations, *variables, *body;
};

/* Lines of raw words need one without operands before them: spirv-as takes their first word for an
 * operand that may be left out. */
static void lines_add(struct geo_strbuf *all, const char *text)
{
    bool raw = false;
    for (const char *end; text && *text; text = end) {
        end = strchr(text, '\n');
        end = end ? end + 1 : text + strlen(text);
        geo_strbuf_printf(all, "%s%.*s", *text == '!' && !raw ? "OpNop\n" : "", (int)(end - text),
                          text);
        raw = *text == '!';
    }
}

/* The parts of the text go where the head has a "@". */
static struct geo_strbuf text_write(const struct text *text)
{
    const char *parts[] = {text->decorations, text->declarations, text->variables};
    struct geo_strbuf all;
    const char *at = head;
    geo_strbuf_init(&all, 0);
    for (size_t i = 0; i < COUNT(parts); i++) {
        const char *slot = strchr(at, '@');
        geo_strbuf_printf(&all, "%.*s", (int)(slot - at), at);
        lines_add(&all, parts[i]);
        at = slot + 1;
    }
    geo_strbuf_printf(&all, "%s", at);
    lines_add(&all, text->body);
    geo_strbuf_printf(&all, "OpReturn\nOpFunctionEnd\n");
    return all;
}

typedef uint32_t expected_fn(const uint32_t *in, uint32_t i, uint32_t row);

static void check_rows(const uint32_t *in, const uint32_t *out, uint32_t rows,
                       expected_fn *expected, uint32_t lanes, bool optimize)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        for (uint32_t row = 0; row < rows; row++) {
            uint32_t wanted = expected(in, i, row);
            if (out[i * ROWS + row] != wanted) {
                fail_msg("item %u, row %u is %#x, not %#x (%u lanes, %s)", i, row,
                         out[i * ROWS + row], wanted, lanes,
                         optimize ? "optimised" : "not optimised");
            }
        }
    }
}

/* Runs it everywhere. */
static void check(const struct text *text, uint32_t *in, uint32_t rows, expected_fn *expected)
{
    static const uint32_t widths[] = {1, 8, 16};
    struct geo_strbuf all = text_write(text);
    for (uint32_t n = 0; n < 2 * COUNT(widths); n++) {
        const struct program_options options = {.lanes = widths[n / 2], .optimize = n % 2};
        const struct program_launch launch = {.groups = {3, 1, 1}, .local = {16, 1, 1}};
        static uint32_t out[ITEMS * ROWS];
        const struct program_argument arguments[] = {PROGRAM_POINTER(in), PROGRAM_POINTER(out)};
        struct geo_ir_module *module = support_assemble(geo_strbuf_text(&all));
        struct program *program = program_build_model(module, &options);
        memset(out, 0x5A, sizeof(out));
        program_run(program, "f", &launch, arguments, 2);
        check_rows(in, out, rows, expected, options.lanes, options.optimize);
        program_destroy(program);
        geo_ir_module_destroy(module);
    }
    geo_strbuf_finish(&all);
}

static void fill(uint32_t *in)
{
    struct support_random random = {17};
    for (uint32_t i = 0; i < INPUTS * ITEMS; i++) {
        in[i] = (uint32_t)support_random(&random);
    }
}

/* ---- values ---- */

/* Which of all tables this run of the test has. */
static uint32_t first_table;

static uint32_t function_of_bits(const uint32_t *in, uint32_t i, uint32_t row)
{
    uint32_t a = in[i], b = in[i + ITEMS], c = in[i + 2 * ITEMS], result = 0;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t place = (a >> bit & 1) + 2 * (b >> bit & 1) + 4 * (c >> bit & 1);
        result |= ((first_table + row) >> place & 1) << bit;
    }
    return result;
}

/* OpBitwiseFunctionINTEL with every table of eight bits. */
static void functions_of_three_bits(void **state)
{
    uint32_t in[INPUTS * ITEMS];
    (void)state;
    fill(in);
    struct geo_strbuf body, tables;
    geo_strbuf_init(&tables, 0);
    for (uint32_t t = 0; t < 256; t++) {
        geo_strbuf_printf(&tables, "%%t%u = OpConstant %%u32 %u\n", t, t);
    }
    for (uint32_t row = 0; row < ROWS; row++) {
        geo_strbuf_printf(&tables, "%%row%u = OpConstant %%u64 %u\n", row, row);
    }
    const struct text all = {.declarations = geo_strbuf_text(&tables)};
    for (first_table = 0; first_table < 256; first_table += ROWS) {
        struct text text = all;
        geo_strbuf_init(&body, 0);
        for (uint32_t row = 0; row < ROWS; row++) {
            geo_strbuf_printf(&body,
                              "!0x00071862 %%u32 %%r%u %%x %%y %%z %%t%u\n"
                              "%%q%u = OpInBoundsPtrAccessChain %%p_u32 %%mine %%row%u\n"
                              "OpStore %%q%u %%r%u\n",
                              row, first_table + row, row, row, row, row);
        }
        text.body = geo_strbuf_text(&body);
        check(&text, in, ROWS, function_of_bits);
        geo_strbuf_finish(&body);
    }
    geo_strbuf_finish(&tables);
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t as_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint32_t expected_fused(const uint32_t *in, uint32_t i, uint32_t row)
{
    float x = as_float(in[i]), y = as_float(in[i + ITEMS]), z = as_float(in[i + 2 * ITEMS]);
    (void)row;
    return isnan(fmaf(x, y, z)) ? 0x7fc00000u : as_bits(fmaf(x, y, z));
}

/* OpFmaKHR rounds once. */
static void products_and_sums_are_fused(void **state)
{
    uint32_t in[INPUTS * ITEMS];
    (void)state;
    fill(in);
    for (uint32_t i = 16; i < ITEMS; i++) { /* sums in which all digits matter */
        in[i] = (in[i] & 0x007fffff) | 0x3f800000;
        in[i + ITEMS] = (in[i + ITEMS] & 0x007fffff) | 0x3f800000;
        in[i + 2 * ITEMS] = (in[i + 2 * ITEMS] & 0x007fffff) | 0xbf800000;
    }
    check(&(struct text){.declarations = "%nan = OpConstant %f32 !0x7fc00000\n",
                         .body = "%fx = OpBitcast %f32 %x\n%fy = OpBitcast %f32 %y\n"
                                 "%fz = OpBitcast %f32 %z\n"
                                 "!0x0006114B %f32 %fused %fx %fy %fz\n"
                                 "%none = OpIsNan %bool %fused\n"
                                 "%one = OpSelect %f32 %none %nan %fused\n"
                                 "%r0 = OpBitcast %u32 %one\n" ROW(0, "%r0")},
          in, 1, expected_fused);
}

static uint32_t expected_copies(const uint32_t *in, uint32_t i, uint32_t row)
{
    switch (row) {
    case 0:
        return 4 * in[i];
    case 1:
        return 2 * 77 + in[i];
    case 2:
        return 3 * in[i];
    case 3:
        return in[i] + in[i + ITEMS];
    default:
        return in[i];
    }
}

/* SPV_EXT_replicated_composites (a vector, a constant, a struct), SPV_KHR_poison_freeze,
 * SPV_INTEL_fpga_reg, SPV_INTEL_usm_storage_classes */
static void values_are_copied(void **state)
{
    uint32_t in[INPUTS * ITEMS];
    (void)state;
    fill(in);
    check(
        &(struct text){
            .declarations = "%three = OpTypeStruct %u32 %u32 %u32\n"
                            "!0x0004116D %v4 %all77 %c77\n!0x0004116E %v4 %all1 %c1\n"
                            "!0x00031426 %u32 %poison\n"
                            "%on_device = OpTypePointer DeviceOnlyINTEL %u32\n",
            .body =
                "!0x0004116F %v4 %same %x\n%s1 = OpIMul %v4 %same %all1\n"
                "%a0 = OpCompositeExtract %u32 %s1 0\n%a1 = OpCompositeExtract %u32 %s1 1\n"
                "%a2 = OpCompositeExtract %u32 %s1 2\n%a3 = OpCompositeExtract %u32 %s1 3\n"
                "%b0 = OpIAdd %u32 %a0 %a1\n%b1 = OpIAdd %u32 %a2 %a3\n"
                "%r0 = OpIAdd %u32 %b0 %b1\n" ROW(
                    0,
                    "%r0") "%d0 = OpCompositeExtract %u32 %all77 0\n"
                           "%d3 = OpCompositeExtract %u32 %all77 3\n%d = OpIAdd %u32 %d0 %d3\n"
                           "%r1 = OpIAdd %u32 %d %x\n" ROW(
                               1,
                               "%r1") "!0x0004116F %three %thrice %x\n"
                                      "%g0 = OpCompositeExtract %u32 %thrice 0\n"
                                      "%g1 = OpCompositeExtract %u32 %thrice 1\n"
                                      "%g2 = OpCompositeExtract %u32 %thrice 2\n%g = OpIAdd %u32 "
                                      "%g0 %g1\n"
                                      "%r2 = OpIAdd %u32 %g %g2\n" ROW(
                                          2,
                                          "%r2") "!0x00041427 %u32 %frozen %poison\n%nothing = "
                                                 "OpIMul %u32 %frozen %c0\n"
                                                 "%h = OpIAdd %u32 %x %y\n!0x00041427 %u32 %sum "
                                                 "%h\n"
                                                 "%r3 = OpIAdd %u32 %sum %nothing\n" ROW(3, "%r3") "!0x0004173D %u32 %kept %x\n" ROW(
                                                     4, "%kept") "!0x00041732 %on_device %narrow "
                                                                 "%px\n%r5 = OpLoad %u32 "
                                                                 "%narrow\n" ROW(
                                                                     5, "%r5") "!0x0004172"
                                                                               "E %p_u32 "
                                                                               "%wide "
                                                                               "%narrow\n%"
                                                                               "r6 = "
                                                                               "OpLoad "
                                                                               "%u32 "
                                                                               "%wide"
                                                                               "\n" ROW(6, "%"
                                                                                           "r"
                                                                                           "6")},
        in, 7, expected_copies);
}

/* ---- accesses with conditions ---- */

static uint32_t expected_predicated(const uint32_t *in, uint32_t i, uint32_t row)
{
    uint32_t x = in[i], y = in[i + ITEMS], loaded = x & 1 ? y : 77;
    switch (row) {
    case 0:
        return loaded;
    case 1:
        return x & 2 ? loaded : 0x5A5A5A5A;
    case 2:
        return x & 1 ? y : 1;
    case 3:
        return x & 4 ? (x & 1 ? y : x & 2 ? 77 : 5) : 3;
    default:
        return x & 2 ? x : y;
    }
}

/* Where a condition does not hold the pointer is null. One access depends on another, some are
 * within a branch, in front of a phi, and under conditions that are the same for all. */
static void accesses_have_conditions(void **state)
{
    uint32_t in[INPUTS * ITEMS];
    (void)state;
    fill(in);
    check(
        &(struct text){
            .declarations = "%none = OpConstantNull %p_u32\n",
            .body =
                "%x1 = OpBitwiseAnd %u32 %x %c1\n%one = OpINotEqual %bool %x1 %c0\n"
                "%x2 = OpBitwiseAnd %u32 %x %c2\n%two = OpINotEqual %bool %x2 %c0\n"
                "%x4 = OpBitwiseAnd %u32 %x %c4\n%four = OpINotEqual %bool %x4 %c0\n"
                "%from = OpSelect %p_u32 %one %py %none\n"
                "!0x00061872 %u32 %r0 %from %one %c77\n" ROW(
                    0,
                    "%r0") "%q1 = OpInBoundsPtrAccessChain %p_u32 %mine %k1\n"
                           "%to = OpSelect %p_u32 %two %q1 %none\n!0x00041873 %to %r0 %two\n"
                           "!0x00081872 %u32 %r2 %from %one %c1 !2 !4\n" ROW(
                               2,
                               "%r2") "OpBranchConditional %four %inner %end\n%inner = OpLabel\n"
                                      "!0x00061872 %u32 %d0 %none %false %c5\n"
                                      "%d1 = OpSelect %u32 %two %c77 %d0\n"
                                      "!0x00061872 %u32 %d2 %from %one %d1\nOpBranch %end\n%end = "
                                      "OpLabel\n"
                                      "%r3 = OpPhi %u32 %c3 %l %d2 %inner\n" ROW(
                                          3,
                                          "%r3") "!0x00061872 %u32 %e0 %px %true %c5\n"
                                                 "%q4 = OpInBoundsPtrAccessChain %p_u32 %mine %k4\n"
                                                 "!0x00041873 %q4 %y %true\n!0x00041873 %q4 %e0 "
                                                 "%two\n"},
        in, 5, expected_predicated);
}

static uint32_t expected_gathered(const uint32_t *in, uint32_t i, uint32_t row)
{
    uint32_t x = in[i], m[] = {x & 1, x & 2, x & 4, 1};
    uint32_t from[] = {i, i + ITEMS, i + 2 * ITEMS, i + ITEMS}, v[4];
    for (uint32_t k = 0; k < 4; k++) {
        v[k] = m[k] ? in[from[k]] : k + 2;
    }
    switch (row) {
    case 0:
        return v[0] ^ 3 * v[1] ^ 5 * v[2] ^ 7 * v[3];
    case 1: /* by a mask that is a constant: of the first and the third */
        return in[i] ^ in[i + 2 * ITEMS] ^ 3 ^ 5;
    default: /* rows 2 to 5 */
        return m[row - 2] ? in[from[row - 2]] + 1 : 0x5A5A5A5A;
    }
}

/* OpMaskedGatherINTEL and OpMaskedScatterINTEL; pointers that are masked off are null. */
static void vectors_of_pointers_are_masked(void **state)
{
    uint32_t in[INPUTS * ITEMS];
    (void)state;
    fill(in);
    check(
        &(struct text){
            .declarations = "%ptrs = OpTypeVector %p_u32 4\n%none = OpConstantNull %u64\n"
                            "%fill = OpConstantComposite %v4 %c2 %c3 %c4 %c5\n"
                            "%some = OpConstantComposite %bool4 %true %false %true %false\n"
                            "%ones = OpConstantComposite %v4 %c1 %c1 %c1 %c1\n",
            .body =
                "%x1 = OpBitwiseAnd %u32 %x %c1\n%m0 = OpINotEqual %bool %x1 %c0\n"
                "%x2 = OpBitwiseAnd %u32 %x %c2\n%m1 = OpINotEqual %bool %x2 %c0\n"
                "%x4 = OpBitwiseAnd %u32 %x %c4\n%m2 = OpINotEqual %bool %x4 %c0\n"
                "%m = OpCompositeConstruct %bool4 %m0 %m1 %m2 %true\n"
                "%ax = OpConvertPtrToU %u64 %px\n%a0 = OpSelect %u64 %m0 %ax %none\n"
                "%ay = OpConvertPtrToU %u64 %py\n%a1 = OpSelect %u64 %m1 %ay %none\n"
                "%az = OpConvertPtrToU %u64 %pz\n%a2 = OpSelect %u64 %m2 %az %none\n"
                "%a = OpCompositeConstruct %l4 %a0 %a1 %a2 %ay\n"
                "%from = OpConvertUToPtr %ptrs %a\n"
                "!0x0007191C %v4 %v %from !4 %m %fill\n"
                "%v0 = OpCompositeExtract %u32 %v 0\n%v1 = OpCompositeExtract %u32 %v 1\n"
                "%v2 = OpCompositeExtract %u32 %v 2\n%v3 = OpCompositeExtract %u32 %v 3\n"
                "%t1 = OpIMul %u32 %v1 %c3\n%t2 = OpIMul %u32 %v2 %c5\n"
                "%c7 = OpIAdd %u32 %c2 %c5\n%t3 = OpIMul %u32 %v3 %c7\n"
                "%s1 = OpBitwiseXor %u32 %v0 %t1\n%s2 = OpBitwiseXor %u32 %t2 %t3\n"
                "%r0 = OpBitwiseXor %u32 %s1 %s2\n" ROW(
                    0,
                    "%r0") "%b = OpCompositeConstruct %l4 %ax %none %az %none\n"
                           "%from_some = OpConvertUToPtr %ptrs %b\n"
                           "!0x0007191C %v4 %w %from_some !0 %some %fill\n"
                           "%w0 = OpCompositeExtract %u32 %w 0\n%w1 = OpCompositeExtract %u32 %w "
                           "1\n"
                           "%w2 = OpCompositeExtract %u32 %w 2\n%w3 = OpCompositeExtract %u32 %w "
                           "3\n"
                           "%u1 = OpBitwiseXor %u32 %w0 %w1\n%u2 = OpBitwiseXor %u32 %w2 %w3\n"
                           "%r1 = OpBitwiseXor %u32 %u1 %u2\n" ROW(
                               1,
                               "%r1") "%q2 = OpInBoundsPtrAccessChain %p_u32 %mine %k2\n"
                                      "%q3 = OpInBoundsPtrAccessChain %p_u32 %mine %k3\n"
                                      "%q4 = OpInBoundsPtrAccessChain %p_u32 %mine %k4\n"
                                      "%q5 = OpInBoundsPtrAccessChain %p_u32 %mine %k5\n"
                                      "%to = OpCompositeConstruct %ptrs %q2 %q3 %q4 %q5\n"
                                      "%more = OpIAdd %v4 %v %ones\n!0x0005191D %more %to !4 %m\n"},
        in, 6, expected_gathered);
}

/* ---- private arrays, long composites ---- */

static uint32_t expected_arrays(const uint32_t *in, uint32_t i, uint32_t row)
{
    return row ? in[i] : in[i + ITEMS];
}

/* An array whose length is a specialisation constant; what is saved and restored is nothing. */
static void arrays_have_constant_lengths(void **state)
{
    uint32_t in[INPUTS * ITEMS];
    (void)state;
    fill(in);
    check(&(struct text){.decorations = "OpDecorate %length SpecId 3\n",
                         .declarations = "%length = OpSpecConstant %u32 5\n",
                         .body = "!0x000316BB %o_u8 %saved\n!0x000416BA %o_u32 %array %length\n"
                                 "%three = OpBitwiseAnd %u32 %x %c3\n"
                                 "%at = OpInBoundsPtrAccessChain %o_u32 %array %three\n"
                                 "%last = OpInBoundsPtrAccessChain %o_u32 %array %k4\n"
                                 "OpStore %last %x\nOpStore %at %y\n%r0 = OpLoad %u32 %at\n"
                                 "%r1 = OpLoad %u32 %last\n!0x000216BC %saved\n" ROW(0, "%r0")
                                     ROW(1, "%r1")},
          in, 2, expected_arrays);
}

static uint32_t expected_continued(const uint32_t *in, uint32_t i, uint32_t row)
{
    static const uint32_t table[] = {5, 4, 3, 2, 1, 0, 77, 5};
    return row == 0 ? table[in[i] & 7] : row == 1 ? in[i] : in[i + ITEMS];
}

/* A constant array, a struct and a vector in several instructions each. */
static void composites_go_on(void **state)
{
    uint32_t in[INPUTS * ITEMS];
    (void)state;
    fill(in);
    check(
        &(struct text){
            .declarations = "%c8 = OpConstant %u32 8\n%table = OpTypeArray %u32 %c8\n"
                            "!0x0006002C %table %all %c5 %c4 %c3\n!0x000417CB %c2 %c1 %c0\n"
                            "!0x000317CB %c77 %c5\n!0x0003001E %pair %u32\n!0x000217CA %u32\n"
                            "%p_table = OpTypePointer UniformConstant %table\n"
                            "%p_entry = OpTypePointer UniformConstant %u32\n"
                            "%here = OpVariable %p_table UniformConstant %all\n",
            .body =
                "%seven = OpIAdd %u32 %c2 %c5\n%which = OpBitwiseAnd %u32 %x %seven\n"
                "%entry = OpInBoundsAccessChain %p_entry %here %which\n"
                "%r0 = OpLoad %u32 %entry\n" ROW(
                    0, "%r0") "!0x00040050 %pair %both %x\n!0x000217D0 %y\n"
                              "%r1 = OpCompositeExtract %u32 %both 0\n" ROW(
                                  1, "%r1") "%r2 = OpCompositeExtract %u32 %both 1\n" ROW(2,
                                                                                          "%r2")},
        in, 3, expected_continued);
}

/* ---- what is refused ---- */

/* Instructions that the rules do not let through. */
static void what_has_other_types_is_invalid(void **state)
{
    static const char declarations[] =
        "%c256 = OpConstant %u32 256\n%mixed = OpTypeStruct %u32 %u64\n"
        "%ptrs = OpTypeVector %p_u32 4\n%bool3 = OpTypeVector %bool 3\n"
        "%zeros = OpConstantNull %v4\n%nulls = OpConstantNull %ptrs\n"
        "%three = OpConstantNull %bool3\n%four = OpConstantNull %bool4\n";
    static const char *const bodies[] = {
        "!0x00071872 %u32 %r %px %true %c5 !1\n", /* volatile */
        "!0x00061872 %u32 %r %px %true %k1\n",
        "!0x00061872 %u32 %r %px %c1 %c5\n",
        "!0x00061872 %u64 %r %px %true %k1\n",
        "!0x00041873 %px %k1 %true\n",
        "!0x0007191C %v4 %r %nulls !3 %four %zeros\n",
        "!0x0007191C %v4 %r %nulls !4 %three %zeros\n",
        "!0x0007191C %v4 %r %zeros !4 %four %zeros\n",
        "!0x0005191D %x %nulls !4 %four\n",
        "!0x00071862 %u32 %r %x %y %z %x\n",
        "!0x00071862 %u32 %r %x %y %z %c256\n",
        "!0x00071862 %u32 %r %x %y %k1 %c1\n",
        "!0x0006114B %u32 %r %x %y %z\n",
        "!0x0004116F %mixed %r %x\n",
        "!0x0004116F %u32 %r %x\n",
        "!0x000416BA %p_u32 %r %c5\n",
        "!0x00041427 %u64 %r %x\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        const struct text text = {.declarations = declarations, .body = bodies[i]};
        struct geo_strbuf all = text_write(&text), log;
        struct geo_ir_module *module = NULL;
        size_t bytes;
        void *words = support_assemble_bytes(geo_strbuf_text(&all), &bytes);
        geo_strbuf_init(&log, 0);
        assert_int_equal(geo_spirv_read(words, bytes, &module, &log), ZE_RESULT_SUCCESS);
        if (geo_validate(module, "reading", &log) == ZE_RESULT_SUCCESS) {
            fail_msg("valid: %s", bodies[i]);
        }
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
        geo_strbuf_finish(&all);
        free(words);
    }
}

/* Lengths that only the kernel knows. */
static void arrays_of_unknown_length_are_refused(void **state)
{
    (void)state;
    const struct text text = {.body = "!0x000416BA %o_u32 %array %x\nOpStore %array %y\n"};
    struct geo_strbuf all = text_write(&text), log;
    struct geo_ir_module *module = support_assemble(geo_strbuf_text(&all));
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize(module, true, &log),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(geo_strbuf_text(&log), "OpVariableLengthArrayINTEL"));
    assert_non_null(strstr(geo_strbuf_text(&log), "kernel \"f\""));
    geo_strbuf_finish(&log);
    geo_strbuf_finish(&all);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_three_bits),
        cmocka_unit_test(products_and_sums_are_fused),
        cmocka_unit_test(values_are_copied),
        cmocka_unit_test(accesses_have_conditions),
        cmocka_unit_test(vectors_of_pointers_are_masked),
        cmocka_unit_test(arrays_have_constant_lengths),
        cmocka_unit_test(composites_go_on),
        cmocka_unit_test(what_has_other_types_is_invalid),
        cmocka_unit_test(arrays_of_unknown_length_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
