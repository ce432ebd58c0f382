/* Arithmetic of extended bytes and halfwords: which operations are done in 8 or 16 bits. That they
 * still compute the same is the corpus' matter (kernels/narrow.cl). */
#include "canonical.h"
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* %x and %y are bytes, %s a halfword. */
#define HEAD                                                                                       \
    "OpEntryPoint Kernel %k \"k\"\n%void = OpTypeVoid\n%bool = OpTypeBool\n"                       \
    "%i8 = OpTypeInt 8 0\n%i16 = OpTypeInt 16 0\n%i32 = OpTypeInt 32 0\n"                          \
    "%pi8 = OpTypePointer CrossWorkgroup %i8\n%pi16 = OpTypePointer CrossWorkgroup %i16\n"         \
    "%pi32 = OpTypePointer CrossWorkgroup %i32\n%c1 = OpConstant %i32 1\n"                         \
    "%c3 = OpConstant %i32 3\n%c4 = OpConstant %i32 4\n%c7 = OpConstant %i32 7\n"                  \
    "%c300 = OpConstant %i32 300\n%fn = OpTypeFunction %void %pi8 %pi8 %pi16 %pi32\n"              \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %pi8\n"                              \
    "%q = OpFunctionParameter %pi8\n%r = OpFunctionParameter %pi16\n"                              \
    "%o = OpFunctionParameter %pi32\n%entry = OpLabel\n%x = OpLoad %i8 %p\n"                       \
    "%y = OpLoad %i8 %q\n%s = OpLoad %i16 %r\n"                                                    \
    "%a = OpUConvert %i32 %x\n%b = OpUConvert %i32 %y\n%h = OpSConvert %i32 %s\n"
#define STORED   "OpStore %o %v\nOpReturn\nOpFunctionEnd\n"
#define SELECTED "%v = OpSelect %i32 %c %c3 %c4\n" STORED

/* Counts the instructions of an opcode that have operands of `width` bits. */
static uint32_t count(const struct geo_ir_module *module, SpvOp op, uint32_t width)
{
    uint32_t found = 0;
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            geo_ir_for_each_inst(inst, block) {
                found += inst->op == op && inst->operands[0]->type->kind == GEO_TYPE_INT &&
                         inst->operands[0]->type->width == width;
            }
        }
    }
    return found;
}

/* Expects an opcode once, with operands of `width` bits. */
static void expect(const char *body, SpvOp op, uint32_t width)
{
    struct geo_ir_module *module = support_assemble(body);
    canonical_make(module);
    for (uint32_t bits = 8; bits <= 32; bits *= 2) {
        assert_int_equal(count(module, op, bits), bits == width);
    }
    geo_ir_module_destroy(module);
}

static void sums_that_fit_in_bytes_are_of_bytes(void **state)
{
    (void)state;
    expect(HEAD "%d = OpShiftRightLogical %i32 %a %c1\n%e = OpShiftRightLogical %i32 %b %c1\n"
                "%v = OpIAdd %i32 %d %e\n" STORED,
           SpvOpIAdd, 8);
    expect(HEAD "%d = OpBitwiseAnd %i32 %a %c7\n%v = OpISub %i32 %d %c3\n" STORED, SpvOpISub, 8);
}

static void sums_that_need_more_bits_stay(void **state)
{
    (void)state;
    expect(HEAD "%w = OpIAdd %i32 %h %c300\n%v = OpIMul %i32 %w %c300\n" STORED, SpvOpIAdd, 32);
    /* bytes would be extended twice for one addition */
    expect(HEAD "%v = OpIAdd %i32 %a %b\n" STORED, SpvOpIAdd, 32);
}

static void several_operations_pay_for_a_second_extension(void **state)
{
    (void)state;
    expect(HEAD "%d = OpISub %i32 %a %b\n%e = OpIMul %i32 %d %c3\n"
                "%v = OpBitwiseAnd %i32 %e %c300\n" STORED,
           SpvOpISub, 16);
}

static void products_are_never_of_bytes(void **state)
{
    (void)state;
    expect(HEAD "%d = OpBitwiseAnd %i32 %a %c7\n%v = OpIMul %i32 %d %c3\n" STORED, SpvOpIMul, 32);
}

static void comparisons_take_narrow_operands(void **state)
{
    (void)state;
    expect(HEAD "%c = OpSLessThan %bool %a %b\n" SELECTED, SpvOpULessThan, 8);
    expect(HEAD "%c = OpUGreaterThan %bool %h %c300\n" SELECTED, SpvOpUGreaterThan, 16);
    expect(HEAD "%c = OpIEqual %bool %a %h\n" SELECTED, SpvOpIEqual, 16);
    expect(HEAD "%g = OpLoad %i32 %o\n%c = OpIEqual %bool %a %g\n" SELECTED, SpvOpIEqual, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_that_fit_in_bytes_are_of_bytes),
        cmocka_unit_test(sums_that_need_more_bits_stay),
        cmocka_unit_test(several_operations_pay_for_a_second_extension),
        cmocka_unit_test(products_are_never_of_bytes),
        cmocka_unit_test(comparisons_take_narrow_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
