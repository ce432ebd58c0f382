/* The table of opcodes: rows are found by number and by name, and their traits agree with each
 * other and with the table of group operations. */
#include "compiler/ir/grammar.h"
#include "compiler/ir/group_op.h"

#include <setjmp.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OPCODES 0x10000u

static bool is(uint32_t op, uint32_t traits)
{
    return geo_op_is((SpvOp)op, traits);
}

static void rows_are_found(void **state)
{
    uint32_t rows = 0;
    (void)state;
    for (uint32_t op = 0; op < OPCODES; op++) {
        const struct geo_grammar *row = geo_grammar_find(op);
        if (row) {
            const struct geo_grammar *named = geo_grammar_find_name(row->name);
            assert_int_equal(row->op, op);
            assert_ptr_equal(named, row);
            assert_string_equal(geo_op_name((SpvOp)op), row->name);
            rows++;
        }
    }
    assert_true(rows > 600);
    assert_null(geo_grammar_find_name("OpNothing"));
    assert_string_equal(geo_grammar_find_opencl(0)->name, "acos");
    assert_ptr_equal(geo_grammar_find_opencl_name("printf"), geo_grammar_find_opencl(184));
    assert_null(geo_grammar_find_opencl(1000));
    assert_null(geo_grammar_find_opencl(UINT32_MAX));
}

/* grammar.py and C number the rows of opcodes.def alike. */
static void rows_of_opcodes_are_numbered_alike(void **state)
{
    static const uint32_t ops[GEO_ROW_COUNT] = {
#define ROW(op, ...) [GEO_ROW_##op] = op,
#include "compiler/ir/opcodes.def"
    };
    (void)state;
    for (uint32_t row = 0; row < GEO_ROW_COUNT; row++) {
        assert_int_equal(row == GEO_ROW_NONE ? GEO_ROW_NONE : geo_op_row((SpvOp)ops[row]), row);
    }
    assert_int_equal(geo_op_row(SpvOpQuantizeToF16), GEO_ROW_NONE);
    assert_int_equal(geo_op_row((SpvOp)UINT32_MAX), GEO_ROW_NONE);
}

/* The same for opencl_std.def. Names of C and of the grammar mean the same number, and the rows are
 * in the order of their numbers. */
static void rows_of_opencl_are_numbered_alike(void **state)
{
    static const uint32_t numbers[GEO_OPENCL_ROW_COUNT] = {
#define ROW(name, ...) [GEO_OPENCL_ROW_##name] = OpenCLstd_##name,
#include "compiler/ir/opencl_std.def"
    };
    (void)state;
    for (uint32_t row = 1; row < GEO_OPENCL_ROW_COUNT; row++) {
        assert_int_equal(geo_grammar_opencl_row(numbers[row]), row);
        assert_true(row == 1 || numbers[row - 1] < numbers[row]);
    }
    assert_int_equal(geo_grammar_opencl_row(1000), GEO_OPENCL_ROW_NONE);
    assert_int_equal(geo_grammar_opencl_row(UINT32_MAX), GEO_OPENCL_ROW_NONE);
}

/* Opcodes of ours have names and traits, but are none that a module may have. */
static void ours_are_apart(void **state)
{
    (void)state;
    for (uint32_t op = GEO_OP_FIRST; op < OPCODES; op++) {
        assert_null(geo_grammar_find(op));
    }
    assert_string_equal(geo_op_name((SpvOp)GEO_OP_ALL_LANES), "AllLanes");
    assert_string_equal(geo_op_name((SpvOp)(GEO_OP_FIRST_LANE + 1)), "Op<unknown>");
    assert_true(is(GEO_OP_BUILTIN, GEO_IS_PURE));
    assert_true(is(GEO_OP_LOCAL_FMUL, GEO_IS_ATOMIC));
    assert_false(is(UINT32_MAX, UINT32_MAX));
}

static void traits_agree(void **state)
{
    (void)state;
    for (uint32_t op = 0; op < OPCODES; op++) {
        bool chain = is(op, GEO_IS_ACCESS_CHAIN), same = is(op, GEO_IS_SAME_ADDRESS);
        assert_true(!is(op, GEO_IS_EXIT) || is(op, GEO_IS_TERMINATOR));
        assert_true(!is(op, GEO_IS_ELEMENT_CHAIN | GEO_IS_IN_BOUNDS_CHAIN) || chain);
        assert_int_equal(is(op, GEO_IS_POINTER_STEP), chain || same || op == GEO_OP_PTR_ADD);
        assert_true(!is(op, GEO_IS_POINTER_STEP | GEO_IS_INTEGER_DIVISION) || is(op, GEO_IS_PURE));
        assert_false(is(op, GEO_IS_PURE) && is(op, GEO_IS_ATOMIC | GEO_IS_GROUP | GEO_IS_CALL));
        assert_true(!is(op, GEO_IS_GROUP) || is(op, GEO_IS_COLLECTIVE));
        assert_true(!geo_group_op_find(op) || is(op, GEO_IS_GROUP));
    }
}

/* What passes rely on, an instruction of each kind. */
static void traits_of_a_few(void **state)
{
    (void)state;
    assert_true(is(SpvOpSwitch, GEO_IS_TERMINATOR));
    assert_false(is(SpvOpSwitch, GEO_IS_EXIT));
    assert_true(is(SpvOpAtomicFMaxEXT, GEO_IS_ATOMIC));
    assert_false(is(SpvOpAtomicLoad, GEO_IS_PURE));
    assert_true(is(SpvOpControlBarrier, GEO_IS_COLLECTIVE));
    assert_false(is(SpvOpControlBarrier, GEO_IS_GROUP));
    assert_false(is(SpvOpMemoryBarrier, GEO_IS_COLLECTIVE));
    assert_true(is(SpvOpSDot, GEO_IS_PURE));
    assert_false(is(SpvOpLoad, GEO_IS_PURE));
    assert_false(is(SpvOpConstantCompositeContinuedINTEL, GEO_IS_CONSTANT));
    assert_true(is(SpvOpSpecConstantOp, GEO_IS_CONSTANT));
    assert_true(is(SpvOpDecorateStringGOOGLE, GEO_IS_ANNOTATION));
    assert_true(geo_grammar_find_opencl_name("fmax")->traits & GEO_IS_PURE);
    assert_false(geo_grammar_find_opencl_name("frexp")->traits & GEO_IS_PURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found),
        cmocka_unit_test(rows_of_opcodes_are_numbered_alike),
        cmocka_unit_test(rows_of_opencl_are_numbered_alike),
        cmocka_unit_test(ours_are_apart),
        cmocka_unit_test(traits_agree),
        cmocka_unit_test(traits_of_a_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
