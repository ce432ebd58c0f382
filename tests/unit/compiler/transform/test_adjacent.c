/* Accesses of adjacent elements: which are joined into accesses of vectors. The corpus shows that
 * they still load and store the same (kernels/records.cl). */
#include "canonical.h"
#include "support.h"

#include "compiler/ir/access.h"
#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* %r is the local id times 8, %n a parameter, %p and %q memory, %r1 %r + 1 and so on. */
#define HEAD                                                                                       \
    "OpEntryPoint Kernel %k \"k\" %id\nOpDecorate %id BuiltIn LocalInvocationId\n"                 \
    "OpDecorate %s3 NoSignedWrap\n%void = OpTypeVoid\n%i32 = OpTypeInt 32 0\n"                     \
    "%i64 = OpTypeInt 64 0\n%v3 = OpTypeVector %i64 3\n%v2 = OpTypeVector %i32 2\n"                \
    "%pv3 = OpTypePointer Input %v3\n%gi64 = OpTypePointer CrossWorkgroup %i64\n"                  \
    "%gi32 = OpTypePointer CrossWorkgroup %i32\n%gv2 = OpTypePointer CrossWorkgroup %v2\n"         \
    "%c1 = OpConstant %i64 1\n%c2 = OpConstant %i64 2\n%c3 = OpConstant %i64 3\n"                  \
    "%c4 = OpConstant %i64 4\n%c5 = OpConstant %i64 5\n%c6 = OpConstant %i64 6\n"                  \
    "%n1 = OpConstant %i32 1\n%n3 = OpConstant %i32 3\n%n264 = OpConstant %i32 264\n"              \
    "%fn = OpTypeFunction %void %gi32 %gi32 %i32\n"                                                \
    "%id = OpVariable %pv3 Input\n%k = OpFunction %void None %fn\n"                                \
    "%p = OpFunctionParameter %gi32\n%q = OpFunctionParameter %gi32\n"                             \
    "%n = OpFunctionParameter %i32\n%entry = OpLabel\n%ids = OpLoad %v3 %id\n"                     \
    "%lx = OpCompositeExtract %i64 %ids 0\n%r = OpShiftLeftLogical %i64 %lx %c3\n"                 \
    "%r1 = OpBitwiseOr %i64 %r %c1\n%r2 = OpIAdd %i64 %r %c2\n%r3 = OpIAdd %i64 %r2 %c1\n"         \
    "%r4 = OpIAdd %i64 %r %c4\n%r5 = OpBitwiseOr %i64 %r %c5\n%r6 = OpIAdd %i64 %c6 %r\n"          \
    "%l = OpUConvert %i32 %lx\n%s = OpIMul %i32 %l %n\n%s3 = OpIAdd %i32 %s %n3\n"                 \
    "%s1 = OpIAdd %i32 %s %n1\n"                                                                   \
    "%w = OpSConvert %i64 %s\n%w1 = OpSConvert %i64 %s1\n%w3 = OpSConvert %i64 %s3\n"              \
    "%w4 = OpIAdd %i64 %w3 %c1\n"                                                                  \
    "%a = OpInBoundsPtrAccessChain %gi32 %q %r\n%a1 = OpInBoundsPtrAccessChain %gi32 %q %r1\n"     \
    "%a2 = OpPtrAccessChain %gi32 %q %r2\n%a3 = OpInBoundsPtrAccessChain %gi32 %a2 %c1\n"          \
    "%a4 = OpInBoundsPtrAccessChain %gi32 %q %r4\n%a5 = OpInBoundsPtrAccessChain %gi32 %q %r5\n"   \
    "%a6 = OpInBoundsPtrAccessChain %gi32 %q %r6\n%b = OpInBoundsPtrAccessChain %gi32 %p %r\n"     \
    "%b1 = OpInBoundsPtrAccessChain %gi32 %p %r1\n"
#define LOAD(name, address) "%" name " = OpLoad %i32 %" address "\n"
#define USE(name)           "OpStore %p %" name "\n"
#define END                 "OpReturn\nOpFunctionEnd\n"

/* Counts the loads and stores that are left, and those of vectors among them. */
static void expect(const char *body, uint32_t loads, uint32_t stores, uint32_t vectors)
{
    struct geo_ir_module *module = support_assemble(body);
    uint32_t found = 0;
    canonical_make(module);
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                const struct geo_ir_type *type = inst->op == SpvOpLoad    ? inst->value.type
                                                 : inst->op == SpvOpStore ? inst->operands[1]->type
                                                                          : NULL;
                found += type && type->kind == GEO_TYPE_VECTOR && type->count != 3;
            }
        }
    }
    assert_int_equal(found, vectors);
    assert_int_equal(support_count(module, NULL, SpvOpLoad), loads);
    assert_int_equal(support_count(module, NULL, SpvOpStore), stores);
    geo_ir_module_destroy(module);
}

static void elements_of_a_record_are_loaded_at_once(void **state)
{
    (void)state;
    expect(HEAD LOAD("x", "a") LOAD("y", "a1") USE("x") USE("y") END, 1, 2, 1);
    expect(HEAD LOAD("x", "a1") LOAD("y", "a3") LOAD("z", "a") LOAD("t", "a2") USE("x") USE("y")
               USE("z") USE("t") END,
           1, 4, 1);
    /* seven: four, two and one */
    expect(HEAD LOAD("e0", "a") LOAD("e1", "a1") LOAD("e2", "a2") LOAD("e3", "a3") LOAD("e4", "a4")
               LOAD("e5", "a5") LOAD("e6", "a6") USE("e0") USE("e1") USE("e2") USE("e3") USE("e4")
                   USE("e5") USE("e6") END,
           3, 7, 2);
}

/* A third access of the record differs in its flags. */
static void groups_of_one_record_are_told_apart(void **state)
{
    (void)state;
    expect(HEAD LOAD("x", "a") LOAD("y", "a1") "%z = OpLoad %i32 %a2 Nontemporal\n" USE("x")
               USE("y") USE("z") END,
           2, 3, 1);
}

/* The address of the vector is aligned as its first element is. */
static void alignment_expect(const char *text, uint32_t alignment)
{
    struct geo_ir_module *module = support_assemble(text);
    struct geo_strbuf log;
    const struct geo_ir_inst *load = NULL;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize(module, true, &log), ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&log);
    geo_ir_for_each_inst(inst, module->first_function->first_block) {
        load = inst->op == SpvOpLoad && inst->value.type->count == 2 ? inst : load;
    }
    assert_non_null(load);
    assert_int_equal(load->memory_align, alignment);
    geo_ir_module_destroy(module);
}

static void a_vector_keeps_the_alignment_of_its_first_element(void **state)
{
    (void)state;
    alignment_expect(HEAD "%x = OpLoad %i32 %a1 Aligned 4\n"
                          "%y = OpLoad %i32 %a Aligned 8\n" USE("x") USE("y") END,
                     8);
    alignment_expect(HEAD "%x = OpLoad %i32 %a1 Aligned 4\n"
                          "%y = OpLoad %i32 %a Aligned 4\n" USE("x") USE("y") END,
                     4);
}

static void elements_are_stored_at_once(void **state)
{
    (void)state;
    expect(HEAD "OpStore %a %n\nOpStore %a1 %l\n" END, 0, 1, 1);
    expect(HEAD "OpStore %a3 %n\nOpStore %a1 %l\nOpStore %a2 %l\nOpStore %a %l\n" END, 0, 1, 1);
}

#define ADDRESS(index, name) "%" name " = OpInBoundsPtrAccessChain %gi32 %q %" index "\n"

/* Two stores for lanes that are two elements apart, and three. */
static void stores_that_fill_rows_are_joined(void **state)
{
    (void)state;
#define TWO                                                                                        \
    "%t = OpShiftLeftLogical %i64 %lx %c1\n%t1 = OpIAdd %i64 %t %c1\n"                             \
    "%t2 = OpIAdd %i64 %t %c2\n" ADDRESS("t", "x") ADDRESS("t1", "y") ADDRESS("t2", "z")
#define THREE                                                                                      \
    "%t = OpIMul %i64 %lx %c3\n%t1 = OpIAdd %i64 %t %c1\n%t2 = OpIAdd %i64 %t %c2\n"               \
    "%t3 = OpIAdd %i64 %t %c3\n" ADDRESS("t", "x") ADDRESS("t1", "y") ADDRESS("t2", "z")           \
        ADDRESS("t3", "u")
    expect(HEAD TWO "OpStore %y %n\nOpStore %x %l\n" END, 0, 1, 1);
    expect(HEAD THREE "OpStore %y %n\nOpStore %x %l\nOpStore %z %l\n" END, 0, 1, 0);
    /* a gap; lanes that overlap; a load between the stores */
    expect(HEAD TWO "OpStore %x %n\nOpStore %z %l\n" END, 0, 2, 0);
    expect(HEAD THREE "OpStore %x %n\nOpStore %z %l\nOpStore %u %l\n" END, 0, 3, 0);
    expect(HEAD TWO "OpStore %x %n\nOpStore %y %l\nOpStore %z %l\n" END, 0, 3, 0);
    expect(HEAD TWO "OpStore %x %n\n" LOAD("v", "b") "OpStore %y %v\n" END, 1, 2, 0);
}

static void a_vector_of_three_is_packed(void **state)
{
    (void)state;
    struct geo_ir_module *module =
        support_assemble(HEAD THREE "OpStore %y %n\nOpStore %x %l\nOpStore %z %l\n" END);
    struct geo_strbuf log;
    uint32_t flags = 0;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_transform_canonicalize(module, true, &log), ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&log);
    geo_ir_for_each_inst(inst, module->first_function->first_block) {
        flags = inst->op == SpvOpStore ? inst->memory_flags : flags;
    }
    assert_true(flags & GEO_ACCESS_PACKED);
    geo_ir_module_destroy(module);
}

static void constants_of_an_extended_index_count_if_it_does_not_wrap(void **state)
{
    (void)state;
#define AT(index, name) "%" name " = OpInBoundsPtrAccessChain %gi32 %q %" index "\n"
    expect(HEAD AT("w3", "x") AT("w4", "y") "OpStore %x %n\nOpStore %y %n\n" END, 0, 1, 1);
    expect(HEAD AT("w", "x") AT("w1", "y") "OpStore %x %n\nOpStore %y %n\n" END, 0, 2, 0);
}

static void other_accesses_stay(void **state)
{
    (void)state;
    /* not adjacent; of two bases; of one element */
    expect(HEAD LOAD("x", "a") LOAD("y", "a2") USE("x") USE("y") END, 2, 2, 0);
    expect(HEAD LOAD("x", "a") LOAD("y", "b1") USE("x") USE("y") END, 2, 2, 0);
    expect(HEAD LOAD("x", "a") LOAD("y", "a") USE("x") USE("y") END, 2, 2, 0);
    /* volatile */
    expect(HEAD "%x = OpLoad %i32 %a Volatile\n" LOAD("y", "a1") USE("x") USE("y") END, 2, 2, 0);
    /* rows: lanes are close together */
    expect(HEAD "%t = OpShiftLeftLogical %i64 %lx %c2\n%t1 = OpIAdd %i64 %t %c1\n" AT("t", "tp")
               AT("t1", "tq") LOAD("x", "tp") LOAD("y", "tq") USE("x") USE("y") END,
           2, 2, 0);
    expect(HEAD "%t = OpShiftLeftLogical %i64 %lx %c2\n%t1 = OpIAdd %i64 %t %c1\n" AT("t", "x")
               AT("t1", "y") "OpStore %x %n\nOpStore %y %n\n" END,
           0, 2, 0);
}

static void nothing_moves_past_what_may_change_it(void **state)
{
    (void)state;
    expect(HEAD LOAD("x", "a") "OpStore %b %n\n" LOAD("y", "a1") USE("x") USE("y") END, 2, 3, 0);
    expect(HEAD LOAD("x", "a") "OpControlBarrier %n1 %n1 %n264\n" LOAD("y", "a1") USE("x") USE("y")
               END,
           2, 2, 0);
    expect(HEAD "OpStore %a %n\n" LOAD("x", "b") "OpStore %a1 %x\n" END, 1, 2, 0);
    expect(HEAD "OpStore %a %n\nOpStore %b %n\nOpStore %a1 %l\n" END, 0, 3, 0);
    expect(HEAD "%v = OpBitcast %gv2 %a\n%two = OpCompositeConstruct %v2 %n %l\nOpStore %a %n\n"
                "OpStore %v %two\nOpStore %a1 %l\n" END,
           0, 3, 1);
}

/* The later one of two stores of one element counts. */
static void stores_of_one_element_stay_in_order(void **state)
{
    (void)state;
    expect(HEAD "OpStore %a %n\nOpStore %a1 %n\nOpStore %a1 %l\n" END, 0, 3, 0);
    expect(HEAD "OpStore %a %n\nOpStore %a %l\nOpStore %a1 %l\n" END, 0, 2, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_a_record_are_loaded_at_once),
        cmocka_unit_test(groups_of_one_record_are_told_apart),
        cmocka_unit_test(a_vector_keeps_the_alignment_of_its_first_element),
        cmocka_unit_test(elements_are_stored_at_once),
        cmocka_unit_test(stores_that_fill_rows_are_joined),
        cmocka_unit_test(a_vector_of_three_is_packed),
        cmocka_unit_test(constants_of_an_extended_index_count_if_it_does_not_wrap),
        cmocka_unit_test(other_accesses_stay),
        cmocka_unit_test(nothing_moves_past_what_may_change_it),
        cmocka_unit_test(stores_of_one_element_stay_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
