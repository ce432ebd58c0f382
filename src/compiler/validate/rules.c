/* Type rules by opcode: the tables of the rules in opcodes.def and opencl_std.def, and the rules of
 * control flow. The other rules that are functions are in rules_memory.c, rules_value.c,
 * rules_opencl.c ... See rules.h.
 *
 * An entry of the table has the class of scalars of the result and of the operands, and the
 * relation between their types; or a function. */
#include "compiler/validate/rules.h"

#include "compiler/ir/grammar.h"
#include "compiler/ir/group_op.h"
#include "compiler/validate/check.h"
#include "compiler/validate/operand.h"
#include "compiler/validate/rules_matrix.h"

/* Bound on the scalar leaves of one value: scalar replacement may split a value into its leaves. */
#define MAX_LEAVES 4096u

/* How the types of operands and result are related. */
enum relation {
    SAME,       /* every operand has the type of the result */
    COUNT,      /* the operands have one type, with as many components as the result */
    COUNT_EACH, /* each operand has as many components as the result */
    SINGLE,     /* neither the result nor an operand is a vector */
};

/* The rule of an opcode: a relation between classes of operands, or a function. */
struct rule {
    uint8_t result, operand; /* enum scalar_class */
    uint8_t relation;
    uint8_t count; /* number of operands */
    bool (*check)(const struct geo_ir_inst *inst, const char **reason);
};

#define TYPES_SAME(class, count)             {class, class, SAME, count, NULL}
#define TYPES_COUNT(result, operand, count)  {result, operand, COUNT, count, NULL}
#define TYPES_EACH(result, operand, count)   {result, operand, COUNT_EACH, count, NULL}
#define TYPES_SINGLE(result, operand, count) {result, operand, SINGLE, count, NULL}
#define TYPES_CHECK(name)                    {.check = geo_rule_##name}
static const struct rule rules[GEO_ROW_COUNT] = {
#define ROW(op, types, ...) [GEO_ROW_##op] = TYPES_##types,
#include "compiler/ir/opcodes.def"
};
static const struct rule opencl_rules[GEO_OPENCL_ROW_COUNT] = {
#define ROW(name, types, ...) [GEO_OPENCL_ROW_##name] = TYPES_##types,
#include "compiler/ir/opencl_std.def"
};

static bool rule_check(const struct rule *rule, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *result = inst->value.type;
    if (inst->operand_count != rule->count || !class_fits(rule->result, result)) {
        return false;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_type *type = operand_type(inst, i);
        bool good = class_fits(rule->operand, type);
        if (rule->relation == SAME) {
            good &= type == result;
        } else {
            good &= geo_ir_components(type) == geo_ir_components(result);
        }
        if (rule->relation == COUNT) {
            good &= type == operand_type(inst, 0);
        }
        if (rule->relation == SINGLE) {
            good &= result->kind != GEO_TYPE_VECTOR && type->kind != GEO_TYPE_VECTOR;
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

/* ---- OpenCL.std ---- */

/* Checks the number of value operands against the grammar. Variadic instructions (printf) may have
 * more. */
static bool opencl_count_ok(const struct geo_ir_inst *inst)
{
    const struct geo_grammar *grammar = geo_grammar_find_opencl(inst->literals[1]);
    uint32_t values = 0;
    bool variadic = false;
    for (const char *letter = grammar->operands; *letter; letter++) {
        values += *letter == 'i' && letter[1] != '*';
        variadic |= *letter == '*';
    }
    return variadic ? inst->operand_count >= values : inst->operand_count == values;
}

bool geo_rule_ext(const struct geo_ir_inst *inst, const char **reason)
{
    enum geo_opencl_row row = geo_grammar_opencl_row(inst->literals[1]);
    const struct rule *rule = &opencl_rules[row];
    if (row == GEO_OPENCL_ROW_NONE || !opencl_count_ok(inst)) {
        return false;
    }
    return rule->check ? rule->check(inst, reason) : rule_check(rule, inst);
}

/* ---- control flow ---- */

bool geo_rule_call(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_function *callee =
        inst->operand_count ? geo_ir_as_function(inst->operands[0]) : NULL;
    if (!callee || inst->operand_count - 1 != callee->parameter_count ||
        inst->value.type != callee->value.type->element) {
        return false;
    }
    for (uint32_t i = 0; i < callee->parameter_count; i++) {
        if (operand_type(inst, i + 1) != callee->parameters[i]->type) {
            return false;
        }
    }
    return true;
}

bool geo_rule_pointer_call(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *pointer = inst->operand_count ? operand_type(inst, 0) : NULL;
    if (!pointer || pointer->kind != GEO_TYPE_POINTER) {
        return false;
    }
    const struct geo_ir_type *type = pointer->element;
    if (type->kind != GEO_TYPE_FUNCTION) {
        return true;
    }
    if (inst->operand_count - 1 != type->count || inst->value.type != type->element) {
        return false;
    }
    for (uint32_t i = 0; i < type->count; i++) {
        if (operand_type(inst, i + 1) != type->members[i]) {
            return false;
        }
    }
    return true;
}

/* Returns the type that the function around an instruction returns. */
static const struct geo_ir_type *returned_type(const struct geo_ir_inst *inst)
{
    return inst->block->function->value.type->element;
}

bool geo_rule_return(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return returned_type(inst)->kind == GEO_TYPE_VOID;
}

bool geo_rule_return_value(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 1 && operand_type(inst, 0) == returned_type(inst);
}

bool geo_rule_branch(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->target_count == 1;
}

bool geo_rule_branch_conditional(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->target_count == 2 && inst->operand_count == 1 &&
           operand_type(inst, 0)->kind == GEO_TYPE_BOOL;
}

bool geo_rule_switch(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 1 && is_int(operand_type(inst, 0)) && inst->target_count >= 1 &&
           inst->literal_count == 2 * (inst->target_count - 1);
}

/* Accepts any operands: OpPhi, which validate.c checks, and instructions without operands. */
bool geo_rule_free(const struct geo_ir_inst *inst, const char **reason)
{
    (void)inst, (void)reason;
    return true;
}

/* ---- others ---- */

static bool integers_check(const struct geo_ir_inst *inst, uint32_t count)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (!is_int(operand_type(inst, i))) {
            return false;
        }
    }
    return inst->operand_count == count;
}

bool geo_rule_barrier(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return integers_check(inst, 3);
}

bool geo_rule_barrier_memory(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return integers_check(inst, 2);
}

bool geo_rule_lifetime(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 1 && operand_type(inst, 0)->kind == GEO_TYPE_POINTER;
}

bool geo_rule_assume(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->operand_count == 1 && operand_type(inst, 0)->kind == GEO_TYPE_BOOL;
}

bool geo_rule_builtin(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return inst->literal_count == 2 && is_int(inst->value.type);
}

bool geo_rule_assert(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    if (inst->operand_count != 10 || inst->value.type->kind != GEO_TYPE_VOID) {
        return false;
    }
    for (uint32_t i = 0; i < 10; i++) {
        const struct geo_ir_type *type = operand_type(inst, i);
        if (i == 2 || i > 3 ? !is_int(type) : !is_pointer(type)) {
            return false;
        }
    }
    return true;
}

bool geo_rule_group(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return geo_group_op_check(geo_group_op_find((uint32_t)inst->op), inst);
}

/* ---- dispatch ---- */

bool geo_rules_check(const struct geo_ir_inst *inst, const char **reason)
{
    enum geo_row row = geo_op_row(inst->op);
    const struct rule *rule = &rules[row];
    if (row == GEO_ROW_NONE) {
        *reason = "internal error: the compiler has no rule for this instruction";
        return false;
    }
    if (inst->value.type->leaves > MAX_LEAVES && inst->op != SpvOpVariable) {
        *reason = "its value has more than 4096 components";
        return false;
    }
    *reason = "its operands do not have the required types";
    if (rule->check) {
        return rule->check(inst, reason);
    }
    if (geo_op_is(inst->op, GEO_IS_ELEMENTWISE) && geo_rules_matrix_has(inst)) {
        return geo_rules_matrix_elements(inst, (enum scalar_class)rule->result,
                                         (enum scalar_class)rule->operand, rule->count);
    }
    return rule_check(rule, inst);
}
