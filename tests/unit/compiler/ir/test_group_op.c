/* The table of group operations: every row accepts what it says and refuses operands of another
 * type, too few and too many. */
#include "compiler/ir/group_op.h"

#include "compiler/ir/grammar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OPCODES 7000u

/* A type that the letter allows. */
static const struct geo_ir_type *type_of(struct geo_ir_module *module, char letter,
                                         const struct geo_ir_type *result)
{
    const struct geo_ir_type *i32 = geo_ir_type_int(module, 32);
    switch (letter) {
    case '-':
        return geo_ir_type_void(module);
    case 'v':
        return result;
    case 'b':
        return geo_ir_type_bool(module);
    case 'w':
        return geo_ir_type_vector(module, i32, 4);
    case 'B':
        return geo_ir_type_vector(module, geo_ir_type_bool(module), 2);
    case 'F':
    case 'T':
        return geo_ir_type_vector(module, geo_ir_type_float(module, 16), 3);
    case 'N':
        return geo_ir_type_float(module, 64);
    case 'l':
        return geo_ir_type_vector(module, geo_ir_type_int(module, 64), 3);
    case 'p':
        return geo_ir_type_pointer(module, i32, SpvStorageClassCrossWorkgroup);
    case 'm':
        return geo_ir_type_image(module, (struct geo_ir_image){.dim = SpvDim2D});
    case 'c':
        return geo_ir_type_vector(module, i32, 2);
    default:
        return i32;
    }
}

/* Result and all operands of a row, the optional ones too; *required is how many there must be. */
static struct geo_ir_inst *instruction(struct geo_ir_module *module,
                                       const struct geo_group_op *group, uint32_t *required)
{
    const struct geo_ir_type *result = type_of(module, group->types[0], NULL);
    struct geo_ir_value *operands[8];
    uint32_t count = 0, literals = 0;
    *required = UINT32_MAX;
    for (const char *letter = group->types + 1; *letter; letter++) {
        if (*letter == '#') {
            literals++;
        } else if (*letter == '?') {
            *required = count;
        } else {
            operands[count++] = geo_ir_const_undef(module, type_of(module, *letter, result));
        }
    }
    *required = *required == UINT32_MAX ? count : *required;
    struct geo_ir_inst *inst =
        geo_ir_inst_create(module, (SpvOp)group->op, result, count, literals, 0);
    assert_non_null(inst);
    for (uint32_t i = 0; i < count; i++) {
        inst->operands[i] = operands[i];
    }
    return inst;
}

/* Checks that a row refuses a result of another type, also where the operands that must have the
 * result's type agree with it. */
static void check_result(const struct geo_group_op *group, struct geo_ir_inst *inst,
                         struct geo_ir_value *wrong)
{
    const struct geo_ir_type *result = inst->value.type;
    inst->value.type = wrong->type;
    assert_false(geo_group_op_check(group, inst));
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        inst->operands[i] = inst->operands[i]->type == result ? wrong : inst->operands[i];
    }
    assert_false(geo_group_op_check(group, inst));
}

static void check_row(struct geo_ir_module *module, const struct geo_group_op *group)
{
    uint32_t required;
    struct geo_ir_inst *inst = instruction(module, group, &required);
    struct geo_ir_value *wrong = geo_ir_const_undef(
        module, geo_ir_type_array(module, geo_ir_type_int(module, 32), 4)); /* never right */
    assert_true(geo_group_op_check(group, inst));
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        struct geo_ir_value *right = inst->operands[i];
        inst->operands[i] = wrong;
        assert_false(geo_group_op_check(group, inst));
        inst->operands[i] = right;
    }
    uint32_t count = inst->operand_count;
    for (inst->operand_count = 0; inst->operand_count < count; inst->operand_count++) {
        assert_int_equal(geo_group_op_check(group, inst), inst->operand_count >= required);
    }
    if (inst->literal_count) {
        inst->literal_count = 0;
        assert_false(geo_group_op_check(group, inst));
        inst->literal_count = 1;
    }
    check_result(group, inst, wrong);
}

/* SPV-28, SPV-29, SPV-30, SPV-31, SPV-32 */
static void every_row_checks_its_operands(void **state)
{
    struct geo_ir_module *module = geo_ir_module_create(0);
    uint32_t rows = 0;
    (void)state;
    for (uint32_t op = 0; op < OPCODES; op++) {
        const struct geo_group_op *group = geo_group_op_find(op);
        if (group) {
            assert_int_equal(group->op, op);
            assert_false(geo_op_is((SpvOp)op, GEO_IS_PURE)); /* nobody leaves out items of it */
        }
        if (group && group->types) {
            check_row(module, group);
            rows++;
        }
    }
    assert_true(rows >= 65); /* the table is ascending: none is lost */
    geo_ir_module_destroy(module);
}

/* One operand more than any row has is too many. */
static void more_operands_are_refused(void **state)
{
    struct geo_ir_module *module = geo_ir_module_create(0);
    const struct geo_group_op *group = geo_group_op_find(SpvOpGroupNonUniformElect);
    struct geo_ir_inst *inst =
        geo_ir_inst_create(module, SpvOpGroupNonUniformElect, geo_ir_type_bool(module), 2, 0, 0);
    (void)state;
    inst->operands[0] = inst->operands[1] = geo_ir_const_undef(module, geo_ir_type_int(module, 32));
    assert_false(geo_group_op_check(group, inst));
    inst->operand_count = 1;
    assert_true(geo_group_op_check(group, inst));
    geo_ir_module_destroy(module);
}

/* SPV-18 */
static void scopes(void **state)
{
    struct geo_ir_module *module = geo_ir_module_create(0);
    const struct geo_ir_type *i32 = geo_ir_type_int(module, 32);
    struct geo_ir_inst *inst =
        geo_ir_inst_create(module, SpvOpGroupNonUniformElect, geo_ir_type_bool(module), 1, 0, 0);
    const struct geo_group_op *elect = geo_group_op_find(SpvOpGroupNonUniformElect);
    (void)state;
    inst->operands[0] = geo_ir_const_int(module, i32, SpvScopeWorkgroup);
    assert_int_equal(geo_group_op_scope(elect, inst), SpvScopeWorkgroup);
    inst->operands[0] = geo_ir_const_undef(module, i32);
    assert_int_equal(geo_group_op_scope(elect, inst), UINT32_MAX);
    assert_int_equal(geo_group_op_scope(geo_group_op_find(SpvOpSubgroupShuffleINTEL), inst),
                     SpvScopeSubgroup);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_checks_its_operands),
        cmocka_unit_test(more_operands_are_refused),
        cmocka_unit_test(scopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
