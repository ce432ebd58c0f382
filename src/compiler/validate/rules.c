/* Type rules by opcode: a table for the regular opcodes, functions for control flow, and the
 * dispatch to the rules of the others (rules_memory.c, rules_value.c, rules_ext.c ...). See
 * rules.h.
 *
 * A row of the table has the class of scalars of the result and of the operands, and the relation
 * between their types. */
#include "compiler/validate/rules.h"

#include "compiler/ir/grammar.h"
#include "compiler/ir/group_op.h"
#include "compiler/validate/operand.h"
#include "compiler/validate/rules_ext.h"
#include "compiler/validate/rules_image.h"
#include "compiler/validate/rules_matrix.h"
#include "compiler/validate/rules_memory.h"
#include "compiler/validate/rules_value.h"

/* Bound on the scalar leaves of one value: scalar replacement may split a value into its leaves. */
#define MAX_LEAVES 4096u

/* How the types of operands and result are related. */
enum relation {
    SAME,       /* every operand has the type of the result */
    COUNT,      /* the operands have one type, with as many components as the result */
    COUNT_EACH, /* each operand has as many components as the result */
    SINGLE,     /* neither the result nor an operand is a vector */
};

/* The rule of an opcode whose operands are all of one class. */
struct rule {
    uint8_t result, operand; /* enum scalar_class */
    uint8_t relation;
    uint8_t count; /* number of operands; 0: no rule */
};

/* Indexed by opcode. */
static const struct rule rules[] = {
    [SpvOpSNegate] = {INT, INT, SAME, 1},
    [SpvOpFNegate] = {FLOAT, FLOAT, SAME, 1},
    [SpvOpNot] = {INT, INT, SAME, 1},
    [SpvOpBitReverse] = {INT, INT, SAME, 1},
    [SpvOpBitCount] = {INT, INT, COUNT, 1},
    [SpvOpIAdd] = {INT, INT, SAME, 2},
    [SpvOpFAdd] = {FLOAT, FLOAT, SAME, 2},
    [SpvOpISub] = {INT, INT, SAME, 2},
    [SpvOpFSub] = {FLOAT, FLOAT, SAME, 2},
    [SpvOpIMul] = {INT, INT, SAME, 2},
    [SpvOpFMul] = {FLOAT, FLOAT, SAME, 2},
    [SpvOpUDiv] = {INT, INT, SAME, 2},
    [SpvOpSDiv] = {INT, INT, SAME, 2},
    [SpvOpFDiv] = {FLOAT, FLOAT, SAME, 2},
    [SpvOpUMod] = {INT, INT, SAME, 2},
    [SpvOpSRem] = {INT, INT, SAME, 2},
    [SpvOpSMod] = {INT, INT, SAME, 2},
    [SpvOpFRem] = {FLOAT, FLOAT, SAME, 2},
    [SpvOpFMod] = {FLOAT, FLOAT, SAME, 2},
    [SpvOpBitwiseAnd] = {INT, INT, SAME, 2},
    [SpvOpBitwiseOr] = {INT, INT, SAME, 2},
    [SpvOpBitwiseXor] = {INT, INT, SAME, 2},
    [SpvOpShiftLeftLogical] = {INT, INT, COUNT_EACH, 2},
    [SpvOpShiftRightLogical] = {INT, INT, COUNT_EACH, 2},
    [SpvOpShiftRightArithmetic] = {INT, INT, COUNT_EACH, 2},
    [SpvOpLogicalAnd] = {BOOL, BOOL, SAME, 2},
    [SpvOpLogicalOr] = {BOOL, BOOL, SAME, 2},
    [SpvOpLogicalEqual] = {BOOL, BOOL, SAME, 2},
    [SpvOpLogicalNotEqual] = {BOOL, BOOL, SAME, 2},
    [SpvOpLogicalNot] = {BOOL, BOOL, SAME, 1},
    [SpvOpIEqual] = {BOOL, INT, COUNT, 2},
    [SpvOpINotEqual] = {BOOL, INT, COUNT, 2},
    [SpvOpUGreaterThan] = {BOOL, INT, COUNT, 2},
    [SpvOpSGreaterThan] = {BOOL, INT, COUNT, 2},
    [SpvOpUGreaterThanEqual] = {BOOL, INT, COUNT, 2},
    [SpvOpSGreaterThanEqual] = {BOOL, INT, COUNT, 2},
    [SpvOpULessThan] = {BOOL, INT, COUNT, 2},
    [SpvOpSLessThan] = {BOOL, INT, COUNT, 2},
    [SpvOpULessThanEqual] = {BOOL, INT, COUNT, 2},
    [SpvOpSLessThanEqual] = {BOOL, INT, COUNT, 2},
    [SpvOpFOrdEqual] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFUnordEqual] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFOrdNotEqual] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFUnordNotEqual] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFOrdLessThan] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFUnordLessThan] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFOrdGreaterThan] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFUnordGreaterThan] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFOrdLessThanEqual] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFUnordLessThanEqual] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFOrdGreaterThanEqual] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpFUnordGreaterThanEqual] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpIsNan] = {BOOL, FLOAT, COUNT, 1},
    [SpvOpIsInf] = {BOOL, FLOAT, COUNT, 1},
    [SpvOpIsFinite] = {BOOL, FLOAT, COUNT, 1},
    [SpvOpIsNormal] = {BOOL, FLOAT, COUNT, 1},
    [SpvOpSignBitSet] = {BOOL, FLOAT, COUNT, 1},
    [SpvOpLessOrGreater] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpOrdered] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpUnordered] = {BOOL, FLOAT, COUNT, 2},
    [SpvOpConvertFToU] = {INT, REAL, COUNT, 1},
    [SpvOpConvertFToS] = {INT, REAL, COUNT, 1},
    [SpvOpConvertSToF] = {REAL, INT, COUNT, 1},
    [SpvOpConvertUToF] = {REAL, INT, COUNT, 1},
    [SpvOpUConvert] = {INT, INT, COUNT, 1},
    [SpvOpSConvert] = {INT, INT, COUNT, 1},
    [SpvOpFConvert] = {REAL, REAL, COUNT, 1},
    [SpvOpSatConvertSToU] = {INT, INT, COUNT, 1},
    [SpvOpSatConvertUToS] = {INT, INT, COUNT, 1},
    [SpvOpConvertPtrToU] = {INT, POINTER, COUNT, 1},
    [SpvOpConvertUToPtr] = {POINTER, INT, COUNT, 1},
    [SpvOpPtrCastToGeneric] = {POINTER, POINTER, COUNT, 1},
    [SpvOpGenericCastToPtr] = {POINTER, POINTER, COUNT, 1},
    [SpvOpGenericCastToPtrExplicit] = {POINTER, POINTER, COUNT, 1},
    [SpvOpGenericPtrMemSemantics] = {INT, POINTER, SINGLE, 1},
    [SpvOpSizeOf] = {INT, POINTER, SINGLE, 1},
    [SpvOpPtrEqual] = {BOOL, POINTER, COUNT, 2},
    [SpvOpPtrNotEqual] = {BOOL, POINTER, COUNT, 2},
    [SpvOpCopyObject] = {ANY, ANY, SAME, 1},
};

/* Rules of opcodes whose numbers are too large for the table. */
static const struct rule rule_same_1 = {ANY, ANY, SAME, 1};
static const struct rule rule_same_2 = {ANY, ANY, SAME, 2};
static const struct rule rule_float_1 = {FLOAT, FLOAT, SAME, 1};
static const struct rule rule_float_2 = {FLOAT, FLOAT, SAME, 2};
static const struct rule rule_float_3 = {FLOAT, FLOAT, SAME, 3};
static const struct rule rule_pointer_cast = {POINTER, POINTER, COUNT, 1};

static const struct rule *rule_find(uint32_t op)
{
    switch (op) {
    case SpvOpExpectKHR:
        return &rule_same_2;
    case SpvOpFPGARegINTEL:
    case GEO_SPV_FREEZE_KHR:
        return &rule_same_1;
    case GEO_SPV_ARITHMETIC_FENCE_EXT:
    case GEO_OP_GUESS_INVERSE:
    case GEO_OP_GUESS_INVERSE_ROOT:
        return &rule_float_1;
    case GEO_OP_SCALE:
        return &rule_float_2;
    case GEO_SPV_FMA_KHR:
        return &rule_float_3;
    case SpvOpPtrCastToCrossWorkgroupINTEL:
    case SpvOpCrossWorkgroupCastToPtrINTEL:
        return &rule_pointer_cast;
    default:
        return op < sizeof(rules) / sizeof(rules[0]) && rules[op].count > 0 ? &rules[op] : NULL;
    }
}

static bool rule_check(const struct rule *rule, const struct geo_ir_inst *inst, const char **reason)
{
    const struct geo_ir_type *result = inst->value.type;
    *reason = "its operands do not have the required types";
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

/* ---- control flow ---- */

static bool call_check(const struct geo_ir_inst *inst)
{
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

static bool pointer_call_check(const struct geo_ir_inst *inst)
{
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

static bool control_check(const struct geo_ir_function *function, const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpReturn:
        return function->value.type->element->kind == GEO_TYPE_VOID;
    case SpvOpReturnValue:
        return inst->operand_count == 1 && operand_type(inst, 0) == function->value.type->element;
    case SpvOpBranch:
        return inst->target_count == 1;
    case SpvOpBranchConditional:
        return inst->target_count == 2 && inst->operand_count == 1 &&
               operand_type(inst, 0)->kind == GEO_TYPE_BOOL;
    case SpvOpSwitch:
        return inst->operand_count == 1 && is_int(operand_type(inst, 0)) &&
               inst->target_count >= 1 && inst->literal_count == 2 * (inst->target_count - 1);
    default:
        return true;
    }
}

static bool barrier_check(const struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (!is_int(operand_type(inst, i))) {
            return false;
        }
    }
    return inst->operand_count == (inst->op == SpvOpMemoryBarrier ? 2u : 3u);
}

static bool assert_check(const struct geo_ir_inst *inst)
{
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

/* ---- dispatch ---- */

static bool special_check(const struct geo_ir_function *function, const struct geo_ir_inst *inst)
{
    switch ((unsigned)inst->op) {
    case SpvOpVariable:
    case SpvOpPtrDiff:
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
    case SpvOpVariableLengthArrayINTEL:
    case SpvOpRestoreMemoryINTEL:
    case SpvOpSaveMemoryINTEL:
    case GEO_SPV_SUBGROUP_BLOCK_PREFETCH_INTEL:
    case GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_INTEL:
    case GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_TRANSFORM_INTEL:
    case GEO_SPV_SUBGROUP_2D_BLOCK_LOAD_TRANSPOSE_INTEL:
    case GEO_SPV_SUBGROUP_2D_BLOCK_PREFETCH_INTEL:
    case GEO_SPV_SUBGROUP_2D_BLOCK_STORE_INTEL:
    case GEO_SPV_PREDICATED_LOAD_INTEL:
    case GEO_SPV_PREDICATED_STORE_INTEL:
    case GEO_SPV_MASKED_GATHER_INTEL:
    case GEO_SPV_MASKED_SCATTER_INTEL:
    case GEO_OP_PTR_ADD:
        return geo_rules_memory(inst);
    case GEO_SPV_COMPOSITE_CONSTRUCT_REPLICATE_EXT:
    case GEO_SPV_BITWISE_FUNCTION_INTEL:
    case SpvOpBitcast:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
    case SpvOpSelect:
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
    case SpvOpVectorTimesScalar:
    case SpvOpDot:
    case SpvOpSDot:
    case SpvOpUDot:
    case SpvOpSUDot:
    case SpvOpSDotAccSat:
    case SpvOpUDotAccSat:
    case SpvOpSUDotAccSat:
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
    case SpvOpAny:
    case SpvOpAll:
    case SpvOpCopyLogical:
    case SpvOpReadClockKHR:
        return geo_rules_value(inst);
    case SpvOpExtInst:
        return geo_rules_ext(inst);
    case SpvOpFunctionCall:
        return call_check(inst);
    case SpvOpFunctionPointerCallINTEL:
        return pointer_call_check(inst);
    case SpvOpControlBarrier:
    case SpvOpControlBarrierArriveINTEL:
    case SpvOpControlBarrierWaitINTEL:
    case SpvOpMemoryBarrier:
        return barrier_check(inst);
    case SpvOpAssumeTrueKHR:
        return inst->operand_count == 1 && operand_type(inst, 0)->kind == GEO_TYPE_BOOL;
    case GEO_OP_BUILTIN:
        return inst->literal_count == 2 && is_int(inst->value.type);
    case GEO_OP_ASSERT_FAIL:
        return assert_check(inst);
    default:
        break;
    }
    if (geo_op_is(inst->op, GEO_IS_ACCESS_CHAIN | GEO_IS_ATOMIC)) {
        return geo_rules_memory(inst);
    }
    const struct geo_group_op *group = geo_group_op_find((uint32_t)inst->op);
    return group ? geo_group_op_check(group, inst) : control_check(function, inst);
}

bool geo_rules_check(const struct geo_ir_function *function, const struct geo_ir_inst *inst,
                     const char **reason)
{
    if (inst->value.type->leaves > MAX_LEAVES && inst->op != SpvOpVariable) {
        *reason = "its value has more than 4096 components";
        return false;
    }
    if (geo_rules_is_matrix(inst)) {
        *reason = "its operands do not have the required types";
        return geo_rules_matrix(inst, reason);
    }
    const struct rule *rule = rule_find((uint32_t)inst->op);
    if (rule) {
        return rule_check(rule, inst, reason);
    }
    *reason = "its operands do not have the required types";
    if (geo_rules_is_image(inst)) {
        return geo_rules_image(inst, reason);
    }
    return special_check(function, inst);
}
