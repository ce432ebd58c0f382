/* Sums of products of small integers that become dot products, and those that stay as they are
 * (transform/expand/dot_products.c): the instructions of canonical form. */
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* How many dot products of each kind, and products and sums, a kernel has. */
struct counts {
    uint32_t both, none, mixed, products, sums;
};

static struct counts counts_of(const struct geo_ir_module *module)
{
    struct counts counts = {0};
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                counts.both += inst->op == SpvOpSDot;
                counts.none += inst->op == SpvOpUDot;
                counts.mixed += inst->op == SpvOpSUDot;
                counts.products += inst->op == SpvOpIMul;
                counts.sums += inst->op == SpvOpIAdd;
            }
        }
    }
    return counts;
}

/* A kernel that stores what `body` calls %r, of the vectors %x and %y, extended to %xs, %ys (with
 * signs), %xu, %yu (without), and the number %n. */
static struct counts after(const char *element, uint32_t count, const char *body)
{
    char text[8192];
    struct geo_strbuf log;
    snprintf(text, sizeof(text),
             "OpCapability Addresses\nOpCapability Int8\nOpCapability Int16\n"
             "OpCapability Vector16\nOpEntryPoint Kernel %%k \"k\"\n"
             "%%void = OpTypeVoid\n%%i8 = OpTypeInt 8 0\n%%i16 = OpTypeInt 16 0\n"
             "%%i32 = OpTypeInt 32 0\n%%i64 = OpTypeInt 64 0\n"
             "%%v = OpTypeVector %s %u\n%%w = OpTypeVector %%i32 %u\n%s"
             "%%pv = OpTypePointer CrossWorkgroup %%v\n%%pi = OpTypePointer CrossWorkgroup %%i32\n"
             "%%c1 = OpConstant %%i32 77\n%%c2 = OpConstant %%i32 150\n%%c3 = OpConstant %%i32 29\n"
             "%%large = OpConstant %%i32 256\n%%minus = OpConstant %%i32 4294967293\n"
             "%%fn = OpTypeFunction %%void %%pv %%pv %%pi %%i32\n"
             "%%k = OpFunction %%void None %%fn\n%%px = OpFunctionParameter %%pv\n"
             "%%py = OpFunctionParameter %%pv\n%%p = OpFunctionParameter %%pi\n"
             "%%n = OpFunctionParameter %%i32\n%%entry = OpLabel\n"
             "%%x = OpLoad %%v %%px\n%%y = OpLoad %%v %%py\n"
             "%%xs = OpSConvert %%w %%x\n%%ys = OpSConvert %%w %%y\n"
             "%%xu = OpUConvert %%w %%x\n%%yu = OpUConvert %%w %%y\n%s"
             "OpStore %%p %%r\nOpReturn\nOpFunctionEnd\n",
             element, count, count, count == 8 ? "%w4 = OpTypeVector %i32 4\n" : "", body);
    struct geo_ir_module *module = support_assemble(text);
    geo_strbuf_init(&log, 0);
    if (geo_transform_canonicalize(module, true, &log) != ZE_RESULT_SUCCESS) {
        fail_msg("%s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    support_assert_valid(module);
    struct counts counts = counts_of(module);
    geo_ir_module_destroy(module);
    return counts;
}

/* Product i of component i of two vectors. */
#define PRODUCT(a, b, i)                                                                           \
    "%a" #i " = OpCompositeExtract %i32 " a " " #i "\n%b" #i " = OpCompositeExtract %i32 " b       \
    " " #i "\n%m" #i " = OpIMul %i32 %a" #i " %b" #i "\n"
#define PRODUCTS(a, b) PRODUCT(a, b, 0) PRODUCT(a, b, 1) PRODUCT(a, b, 2) PRODUCT(a, b, 3)
#define SUM            "%s1 = OpIAdd %i32 %m0 %m1\n%s2 = OpIAdd %i32 %s1 %m2\n"
#define ALL            SUM "%s3 = OpIAdd %i32 %s2 %m3\n%r = OpIAdd %i32 %n %s3\n"

static void products_of_bytes_become_one_instruction(void **state)
{
    (void)state;
    struct counts counts = after("%i8", 4, PRODUCTS("%xs", "%ys") ALL);
    assert_int_equal(counts.both, 1);
    assert_int_equal(counts.products, 0);
    assert_int_equal(counts.sums, 1);
    assert_int_equal(after("%i8", 4, PRODUCTS("%xu", "%yu") ALL).none, 1);
    assert_int_equal(after("%i8", 4, PRODUCTS("%xu", "%ys") ALL).mixed, 1);
    assert_int_equal(after("%i8", 4, PRODUCTS("%xs", "%xs") ALL).both, 1);
}

/* The operand with signs is the first one. */
static void signs_stay_with_their_vector(void **state)
{
    (void)state;
    assert_int_equal(after("%i8", 4, PRODUCTS("%xs", "%yu") ALL).mixed, 1);
    assert_int_equal(after("%i8", 4, PRODUCTS("%yu", "%xs") ALL).mixed, 1);
}

static void three_of_four_bytes_are_enough(void **state)
{
    (void)state;
    const char *three = PRODUCTS("%xs", "%ys") SUM "%r = OpIAdd %i32 %s2 %n\n";
    struct counts counts = after("%i8", 4, three);
    assert_int_equal(counts.both, 1);
    assert_int_equal(counts.products, 0);
    assert_int_equal(after("%i16", 4, three).both, 0);
    assert_int_equal(after("%i8", 4, PRODUCTS("%xs", "%ys") "%r = OpIAdd %i32 %m0 %m1\n").both, 0);
}

#define WEIGHT(a, i, c)                                                                            \
    "%a" #i " = OpCompositeExtract %i32 " a " " #i "\n%m" #i " = OpIMul %i32 %a" #i " " c "\n"
#define WEIGHTS(a, c) WEIGHT(a, 0, "%c1") WEIGHT(a, 1, c) WEIGHT(a, 2, "%c3") SUM

/* 150 has no sign in 8 bits, -3 has one, and 256 does not fit. */
static void constants_that_fit_are_a_vector(void **state)
{
    (void)state;
    assert_int_equal(after("%i8", 4, WEIGHTS("%xu", "%c2") "%r = OpIAdd %i32 %s2 %n\n").none, 1);
    assert_int_equal(after("%i8", 4, WEIGHTS("%xs", "%c2") "%r = OpIAdd %i32 %s2 %n\n").mixed, 1);
    assert_int_equal(after("%i8", 4, WEIGHTS("%xs", "%minus") "%r = OpIAdd %i32 %s2 %n\n").both, 1);
    assert_int_equal(after("%i8", 4, WEIGHTS("%xu", "%large") "%r = OpIAdd %i32 %s2 %n\n").products,
                     3);
    struct counts counts = after("%i8", 4,
                                 WEIGHT("%xs", 0, "%c2") WEIGHT("%xs", 1, "%minus")
                                     WEIGHT("%xs", 2, "%c3") SUM "%r = OpIAdd %i32 %s2 %n\n");
    assert_int_equal(counts.both + counts.mixed, 0);
}

static void products_of_other_components_stay(void **state)
{
    (void)state;
    const char *crossed = PRODUCTS(
        "%xs",
        "%ys") "%t0 = OpIMul %i32 %a0 %b1\n%t1 = OpIMul %i32 %a1 %b0\n%t2 = OpIMul %i32 %a2 %b3\n"
               "%s1 = OpIAdd %i32 %t0 %t1\n%s2 = OpIAdd %i32 %s1 %t2\n%r = OpIAdd %i32 %s2 %m3\n";
    assert_int_equal(after("%i8", 4, crossed).both, 0);
    /* of two vectors in one sum */
    const char *others = PRODUCT("%xs", "%ys", 0) PRODUCT("%xs", "%ys", 1) PRODUCT("%xs", "%xs", 2)
        PRODUCT("%xs", "%xs", 3) ALL;
    assert_int_equal(after("%i8", 4, others).both, 0);
}

/* A product that is left over is computed as before. A part of the sum that is used elsewhere is a
 * sum of its own. */
static void terms_that_are_left_are_added(void **state)
{
    (void)state;
    struct counts counts =
        after("%i8", 4,
              PRODUCTS("%xs", "%ys") SUM "%s3 = OpIAdd %i32 %s2 %m3\n%s4 = OpIAdd %i32 %s3 %m0\n"
                                         "%r = OpIAdd %i32 %s4 %n\n");
    assert_int_equal(counts.both, 1);
    assert_int_equal(counts.products, 1);
    assert_int_equal(counts.sums, 2);
    counts = after("%i8", 4,
                   PRODUCTS("%xs", "%ys") SUM "%s3 = OpIAdd %i32 %s2 %m3\n"
                                              "%r = OpIMul %i32 %s3 %s2\n");
    assert_int_equal(counts.both, 1);
    assert_int_equal(counts.products, 2);
}

static void pairs_of_16_bits_need_signs(void **state)
{
    (void)state;
    const char *both =
        PRODUCT("%xs", "%ys", 0) PRODUCT("%xs", "%ys", 1) "%r = OpIAdd %i32 %m0 %m1\n";
    const char *none =
        PRODUCT("%xu", "%yu", 0) PRODUCT("%xu", "%yu", 1) "%r = OpIAdd %i32 %m0 %m1\n";
    assert_int_equal(after("%i16", 2, both).both, 1);
    assert_int_equal(after("%i16", 2, none).products, 2);
    assert_int_equal(after("%i8", 2, both).products, 2);
}

static void sums_of_64_bits_stay(void **state)
{
    char body[2048];
    (void)state;
    int length = snprintf(body, sizeof(body), "%s", "");
    for (int i = 0; i < 4; i++) {
        length +=
            snprintf(body + length, sizeof(body) - (size_t)length,
                     "%%a%d = OpCompositeExtract %%i8 %%x %d\n%%l%d = OpSConvert %%i64 %%a%d\n"
                     "%%m%d = OpIMul %%i64 %%l%d %%l%d\n",
                     i, i, i, i, i, i, i);
    }
    snprintf(body + length, sizeof(body) - (size_t)length, "%s",
             "%s1 = OpIAdd %i64 %m0 %m1\n%s2 = OpIAdd %i64 %s1 %m2\n%s3 = OpIAdd %i64 %s2 %m3\n"
             "%r = OpUConvert %i32 %s3\n");
    assert_int_equal(after("%i8", 4, body).both, 0);
}

/* As clang writes sums of all components with vectors. */
static void products_of_vectors_are_followed_to_the_last_sum(void **state)
{
    const char *body = "%m = OpIMul %w %xs %ys\n"
                       "%low = OpVectorShuffle %w4 %m %m 0 1 2 3\n"
                       "%high = OpVectorShuffle %w4 %m %m 4 5 14 15\n"
                       "%s = OpIAdd %w4 %low %high\n"
                       "%t = OpVectorShuffle %w4 %s %s 2 3 0 1\n%u = OpIAdd %w4 %s %t\n"
                       "%a = OpCompositeExtract %i32 %u 0\n%b = OpCompositeExtract %i32 %u 1\n"
                       "%r = OpIAdd %i32 %a %b\n";
    const char *only = "%m = OpIMul %w %xs %ys\n%t = OpVectorShuffle %w %m %m 1 2 3 0\n"
                       "%s = OpIAdd %w %m %t\n%u = OpVectorShuffle %w %s %s 2 3 0 1\n"
                       "%v1 = OpIAdd %w %s %u\n%r = OpCompositeExtract %i32 %v1 0\n";
    (void)state;
    struct counts counts = after("%i8", 8, body);
    assert_int_equal(counts.both, 1);
    assert_int_equal(counts.products + counts.sums, 0);
    assert_int_equal(after("%i8", 4, only).both, 1);
}

/* Dot products in a sum of more terms than are looked at together. */
static void long_sums_are_divided(void **state)
{
    char *body = malloc(1u << 16);
    (void)state;
    assert_non_null(body);
    int length = snprintf(body, 1u << 16, "%s%s", PRODUCTS("%xs", "%ys") ALL, "");
    body[length - (int)strlen("%r = OpIAdd %i32 %n %s3\n")] = 0;
    length -= (int)strlen("%r = OpIAdd %i32 %n %s3\n");
    for (int i = 0; i < 100; i++) {
        length += snprintf(body + length, (1u << 16) - (size_t)length,
                           "%%k%d = OpBitwiseXor %%i32 %%n %%s%d\n%%s%d = OpIAdd %%i32 %%s%d "
                           "%%k%d\n",
                           i, i ? i + 9 : 3, i + 10, i ? i + 9 : 3, i);
    }
    snprintf(body + length, (1u << 16) - (size_t)length, "%s", "%r = OpIAdd %i32 %s109 %n\n");
    struct counts counts = after("%i8", 4, body);
    assert_int_equal(counts.both, 1);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_bytes_become_one_instruction),
        cmocka_unit_test(signs_stay_with_their_vector),
        cmocka_unit_test(three_of_four_bytes_are_enough),
        cmocka_unit_test(constants_that_fit_are_a_vector),
        cmocka_unit_test(products_of_other_components_stay),
        cmocka_unit_test(terms_that_are_left_are_added),
        cmocka_unit_test(pairs_of_16_bits_need_signs),
        cmocka_unit_test(sums_of_64_bits_stay),
        cmocka_unit_test(products_of_vectors_are_followed_to_the_last_sum),
        cmocka_unit_test(long_sums_are_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
