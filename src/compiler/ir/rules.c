/* Type rules by opcode: a table for the regular ones, functions for the rest. See rules.h.
 *
 * A row says which kind of scalar the result and the operands consist of and how their types
 * relate. */
#include "compiler/ir/rules.h"

#include "compiler/ir/grammar.h"
#include "compiler/ir/group_op.h"

#include <spirv/unified1/OpenCL.std.h>
#include <stddef.h>

/* Values are flattened into their scalar leaves; more than this many in one value is refused. */
#define MAX_LEAVES 4096u

enum scalar_class {
    ANY,
    INT,
    FLOAT,
    BOOL,
    POINTER,
};

enum relation {
    SAME,       /* every operand has the result's type */
    COUNT,      /* operands have one type, with the result's number of components */
    COUNT_EACH, /* each operand has the result's number of components */
};

struct rule {
    uint8_t result, operand; /* enum scalar_class */
    uint8_t relation;
    uint8_t count; /* of operands; 0: no rule */
};

/* By opcode. */
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
    [SpvOpConvertFToU] = {INT, FLOAT, COUNT, 1},
    [SpvOpConvertFToS] = {INT, FLOAT, COUNT, 1},
    [SpvOpConvertSToF] = {FLOAT, INT, COUNT, 1},
    [SpvOpConvertUToF] = {FLOAT, INT, COUNT, 1},
    [SpvOpUConvert] = {INT, INT, COUNT, 1},
    [SpvOpSConvert] = {INT, INT, COUNT, 1},
    [SpvOpFConvert] = {FLOAT, FLOAT, COUNT, 1},
    [SpvOpSatConvertSToU] = {INT, INT, COUNT, 1},
    [SpvOpSatConvertUToS] = {INT, INT, COUNT, 1},
    [SpvOpConvertPtrToU] = {INT, POINTER, COUNT, 1},
    [SpvOpConvertUToPtr] = {POINTER, INT, COUNT, 1},
    [SpvOpPtrCastToGeneric] = {POINTER, POINTER, COUNT, 1},
    [SpvOpGenericCastToPtr] = {POINTER, POINTER, COUNT, 1},
    [SpvOpGenericCastToPtrExplicit] = {POINTER, POINTER, COUNT, 1},
    [SpvOpPtrEqual] = {BOOL, POINTER, COUNT, 2},
    [SpvOpPtrNotEqual] = {BOOL, POINTER, COUNT, 2},
    [SpvOpCopyObject] = {ANY, ANY, SAME, 1},
};

/* Far from the others, so not in the table. */
static const struct rule rule_expect = {ANY, ANY, SAME, 2};

static const struct geo_ir_type *scalar_of(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR ? type->element : type;
}

static uint64_t components(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR ? type->count : 1;
}

static bool class_fits(enum scalar_class wanted, const struct geo_ir_type *type)
{
    enum geo_ir_type_kind kind = scalar_of(type)->kind;
    switch (wanted) {
    case INT:
        return kind == GEO_TYPE_INT;
    case FLOAT:
        return kind == GEO_TYPE_FLOAT;
    case BOOL:
        return kind == GEO_TYPE_BOOL;
    case POINTER:
        return kind == GEO_TYPE_POINTER;
    default:
        return true;
    }
}

static const struct geo_ir_type *operand_type(const struct geo_ir_inst *inst, uint32_t i)
{
    return inst->operands[i]->type;
}

static bool rule_check(const struct rule *rule, const struct geo_ir_inst *inst, const char **reason)
{
    const struct geo_ir_type *result = inst->value.type;
    *reason = "its operands do not have the types it wants";
    if (inst->operand_count != rule->count || !class_fits(rule->result, result)) {
        return false;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_type *type = operand_type(inst, i);
        bool good = class_fits(rule->operand, type);
        if (rule->relation == SAME) {
            good &= type == result;
        } else {
            good &= components(type) == components(result);
        }
        if (rule->relation == COUNT) {
            good &= type == operand_type(inst, 0);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

/* ---- helpers of the irregular ones ---- */

static bool is_int(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_INT;
}

static bool is_pointer(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_POINTER && type->element;
}

static bool is_composite(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ||
           type->kind == GEO_TYPE_STRUCT;
}

/* The member a constant index selects; NULL when there is none. */
static const struct geo_ir_type *member_at(const struct geo_ir_type *type, uint64_t index)
{
    if (!is_composite(type) || index >= type->count) {
        return NULL;
    }
    return type->kind == GEO_TYPE_STRUCT ? type->members[index] : type->element;
}

static const struct geo_ir_type *path_type(const struct geo_ir_type *type, const uint32_t *indices,
                                           uint32_t count)
{
    for (uint32_t i = 0; i < count && type; i++) {
        type = member_at(type, indices[i]);
    }
    return type;
}

/* ---- memory ---- */

static bool access_chain_check(const struct geo_ir_inst *inst)
{
    bool has_element = inst->op == SpvOpPtrAccessChain || inst->op == SpvOpInBoundsPtrAccessChain;
    uint32_t first = has_element ? 2 : 1;
    if (inst->operand_count < first || !is_pointer(operand_type(inst, 0)) ||
        !is_pointer(inst->value.type) ||
        inst->value.type->storage != operand_type(inst, 0)->storage) {
        return false;
    }
    const struct geo_ir_type *type = operand_type(inst, 0)->element;
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        uint64_t index = 0;
        if (!is_int(operand_type(inst, i))) {
            return false;
        }
        if (i < first) {
            continue;
        }
        bool constant = geo_ir_constant_bits(inst->operands[i], &index);
        if (type->kind == GEO_TYPE_STRUCT) {
            type = constant ? member_at(type, index) : NULL;
        } else {
            type = is_composite(type) ? type->element : NULL;
        }
        if (!type) {
            return false;
        }
    }
    return type == inst->value.type->element;
}

static bool load_check(const struct geo_ir_inst *inst)
{
    return inst->operand_count == 1 && is_pointer(operand_type(inst, 0)) &&
           operand_type(inst, 0)->element == inst->value.type;
}

static bool store_check(const struct geo_ir_inst *inst)
{
    return inst->operand_count == 2 && is_pointer(operand_type(inst, 0)) &&
           operand_type(inst, 0)->element == operand_type(inst, 1);
}

static bool copy_memory_check(const struct geo_ir_inst *inst)
{
    bool sized = inst->op == SpvOpCopyMemorySized;
    return inst->operand_count == (sized ? 3u : 2u) && is_pointer(operand_type(inst, 0)) &&
           is_pointer(operand_type(inst, 1)) &&
           (sized ? is_int(operand_type(inst, 2))
                  : operand_type(inst, 0)->element == operand_type(inst, 1)->element);
}

static bool bitcast_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *from = inst->operand_count == 1 ? operand_type(inst, 0) : NULL;
    const struct geo_ir_type *to = inst->value.type;
    if (!from || from->kind == GEO_TYPE_STRUCT || from->kind == GEO_TYPE_ARRAY ||
        to->kind == GEO_TYPE_STRUCT || to->kind == GEO_TYPE_ARRAY ||
        from->kind == GEO_TYPE_OPAQUE || to->kind == GEO_TYPE_OPAQUE ||
        scalar_of(from)->kind == GEO_TYPE_BOOL || scalar_of(to)->kind == GEO_TYPE_BOOL) {
        return false;
    }
    return scalar_of(from)->size * components(from) == scalar_of(to)->size * components(to);
}

/* Pointer, scope, semantics, value ...: all but the pointer are scalars, values have the pointee's
 * type. */
static bool atomic_check(const struct geo_ir_inst *inst)
{
    const struct geo_grammar *grammar = geo_grammar_find((uint32_t)inst->op);
    bool has_result = !grammar || grammar->operands[0] == 't'; /* opcodes of ours have one */
    bool exchange =
        inst->op == SpvOpAtomicCompareExchange || inst->op == SpvOpAtomicCompareExchangeWeak;
    bool flag = inst->op == SpvOpAtomicFlagTestAndSet || inst->op == SpvOpAtomicFlagClear;
    if (inst->operand_count < 3 || !is_pointer(operand_type(inst, 0))) {
        return false;
    }
    const struct geo_ir_type *type = operand_type(inst, 0)->element;
    if ((type->kind != GEO_TYPE_INT && type->kind != GEO_TYPE_FLOAT &&
         type->kind != GEO_TYPE_POINTER) ||
        (has_result && !flag && inst->value.type != type)) {
        return false;
    }
    uint32_t scalars = exchange ? 4 : 3;
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        if (i < scalars ? !is_int(operand_type(inst, i)) : operand_type(inst, i) != type) {
            return false;
        }
    }
    return true;
}

/* ---- composites ---- */

static bool construct_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    if (!is_composite(type)) {
        return false;
    }
    if (type->kind != GEO_TYPE_VECTOR) {
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            if (operand_type(inst, i) != member_at(type, i)) {
                return false;
            }
        }
        return inst->operand_count == type->count;
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        total += components(operand_type(inst, i));
        if (scalar_of(operand_type(inst, i)) != type->element) {
            return false;
        }
    }
    return total == type->count;
}

static bool shuffle_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    if (inst->operand_count != 2 || type->kind != GEO_TYPE_VECTOR ||
        operand_type(inst, 0)->kind != GEO_TYPE_VECTOR ||
        operand_type(inst, 1)->kind != GEO_TYPE_VECTOR || inst->literal_count != type->count ||
        operand_type(inst, 0)->element != type->element ||
        operand_type(inst, 1)->element != type->element) {
        return false;
    }
    uint64_t sources = operand_type(inst, 0)->count + operand_type(inst, 1)->count;
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        if (inst->literals[i] >= sources && inst->literals[i] != UINT32_MAX) {
            return false;
        }
    }
    return true;
}

static bool composite_check(const struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpCompositeConstruct:
        return construct_check(inst);
    case SpvOpCompositeExtract:
        return inst->operand_count == 1 && path_type(operand_type(inst, 0), inst->literals,
                                                     inst->literal_count) == inst->value.type;
    case SpvOpCompositeInsert:
        return inst->operand_count == 2 && operand_type(inst, 1) == inst->value.type &&
               path_type(operand_type(inst, 1), inst->literals, inst->literal_count) ==
                   operand_type(inst, 0);
    case SpvOpVectorShuffle:
        return shuffle_check(inst);
    case SpvOpVectorExtractDynamic:
        return inst->operand_count == 2 && operand_type(inst, 0)->kind == GEO_TYPE_VECTOR &&
               operand_type(inst, 0)->element == inst->value.type && is_int(operand_type(inst, 1));
    default: /* OpVectorInsertDynamic */
        return inst->operand_count == 3 && inst->value.type->kind == GEO_TYPE_VECTOR &&
               operand_type(inst, 0) == inst->value.type &&
               operand_type(inst, 1) == inst->value.type->element && is_int(operand_type(inst, 2));
    }
}

/* ---- arithmetic that is not regular ---- */

static bool select_check(const struct geo_ir_inst *inst)
{
    if (inst->operand_count != 3 || scalar_of(operand_type(inst, 0))->kind != GEO_TYPE_BOOL ||
        operand_type(inst, 1) != inst->value.type || operand_type(inst, 2) != inst->value.type) {
        return false;
    }
    return operand_type(inst, 0)->kind == GEO_TYPE_BOOL ||
           (inst->value.type->kind == GEO_TYPE_VECTOR &&
            components(operand_type(inst, 0)) == components(inst->value.type));
}

/* Carry, borrow and wide products: two equal operands, a struct of two such members. */
static bool extended_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    return inst->operand_count == 2 && class_fits(INT, operand_type(inst, 0)) &&
           operand_type(inst, 0) == operand_type(inst, 1) && type->kind == GEO_TYPE_STRUCT &&
           type->count == 2 && type->members[0] == operand_type(inst, 0) &&
           type->members[1] == operand_type(inst, 0);
}

static bool product_check(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    if (inst->operand_count != 2 || !class_fits(FLOAT, operand_type(inst, 0)) ||
        !class_fits(FLOAT, operand_type(inst, 1))) {
        return false;
    }
    if (inst->op == SpvOpDot) {
        return operand_type(inst, 0) == operand_type(inst, 1) &&
               scalar_of(operand_type(inst, 0)) == type;
    }
    return operand_type(inst, 0) == type && operand_type(inst, 1) == scalar_of(type);
}

static bool bit_field_check(const struct geo_ir_inst *inst)
{
    uint32_t values = inst->op == SpvOpBitFieldInsert ? 2 : 1;
    if (inst->operand_count != values + 2 || !class_fits(INT, inst->value.type)) {
        return false;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (i < values ? operand_type(inst, i) != inst->value.type
                       : !is_int(operand_type(inst, i))) {
            return false;
        }
    }
    return true;
}

static bool any_all_check(const struct geo_ir_inst *inst)
{
    return inst->operand_count == 1 && inst->value.type->kind == GEO_TYPE_BOOL &&
           class_fits(BOOL, operand_type(inst, 0));
}

/* ---- control ---- */

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
    const struct geo_ir_type *result = function->value.type->element;
    switch (inst->op) {
    case SpvOpReturn:
        return result->kind == GEO_TYPE_VOID;
    case SpvOpReturnValue:
        return inst->operand_count == 1 && operand_type(inst, 0) == result;
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
    return inst->operand_count == (inst->op == SpvOpControlBarrier ? 3u : 2u);
}

static bool variable_check(const struct geo_ir_inst *inst)
{
    return is_pointer(inst->value.type) && inst->value.type->storage == SpvStorageClassFunction &&
           inst->operand_count <= 1 &&
           (!inst->operand_count || operand_type(inst, 0) == inst->value.type->element);
}

/* ---- OpenCL.std ---- */

/* Number of value operands by the grammar; variadic ones (printf) want at least these. */
static bool ext_count_ok(const struct geo_ir_inst *inst, const struct geo_grammar *grammar)
{
    uint32_t values = 0;
    bool variadic = false;
    for (const char *letter = grammar->operands; *letter; letter++) {
        values += *letter == 'i' && letter[1] != '*';
        variadic |= *letter == '*';
    }
    return variadic ? inst->operand_count >= values : inst->operand_count == values;
}

/* Pointer operands: which operand must be one; UINT32_MAX none. */
static uint32_t ext_pointer_operand(uint32_t number)
{
    switch (number) {
    case OpenCLstd_Fract:
    case OpenCLstd_Frexp:
    case OpenCLstd_Lgamma_r:
    case OpenCLstd_Modf:
    case OpenCLstd_Sincos:
    case OpenCLstd_Vloadn:
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
    case OpenCLstd_Vloada_halfn:
        return 1;
    case OpenCLstd_Remquo:
    case OpenCLstd_Vstoren:
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r:
        return 2;
    case OpenCLstd_Printf:
    case OpenCLstd_Prefetch:
        return 0;
    default:
        return UINT32_MAX;
    }
}

/* The integers of these functions have 32 bits, also next to double and half. */
static bool is_int32(const struct geo_ir_type *type)
{
    return class_fits(INT, type) && scalar_of(type)->size == 4;
}

/* Operands that may differ from the result's type; the others must have it. */
static bool ext_types_ok(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *result = inst->value.type;
    switch (inst->literals[1]) {
    case OpenCLstd_Ilogb:
        return components(result) == components(operand_type(inst, 0)) && is_int32(result) &&
               class_fits(FLOAT, operand_type(inst, 0));
    case OpenCLstd_Nan:
        return components(result) == components(operand_type(inst, 0)) &&
               class_fits(FLOAT, result) && class_fits(INT, operand_type(inst, 0)) &&
               scalar_of(operand_type(inst, 0))->size == scalar_of(result)->size;
    case OpenCLstd_Ldexp:
    case OpenCLstd_Pown:
    case OpenCLstd_Rootn:
        return operand_type(inst, 0) == result && class_fits(FLOAT, result) &&
               is_int32(operand_type(inst, 1)) &&
               components(operand_type(inst, 1)) == components(result);
    case OpenCLstd_Length:
    case OpenCLstd_Fast_length:
    case OpenCLstd_Distance:
    case OpenCLstd_Fast_distance:
        return scalar_of(operand_type(inst, 0)) == result && class_fits(FLOAT, result) &&
               operand_type(inst, inst->operand_count - 1) == operand_type(inst, 0);
    case OpenCLstd_Select: /* the last operand is an integer of the same width */
        return operand_type(inst, 0) == result && operand_type(inst, 1) == result &&
               class_fits(INT, operand_type(inst, 2)) &&
               components(operand_type(inst, 2)) == components(result) &&
               scalar_of(operand_type(inst, 2))->size == scalar_of(result)->size;
    case OpenCLstd_U_Upsample:
    case OpenCLstd_S_Upsample:
        return class_fits(INT, result) && operand_type(inst, 0) == operand_type(inst, 1) &&
               class_fits(INT, operand_type(inst, 0)) &&
               components(operand_type(inst, 0)) == components(result) &&
               2 * scalar_of(operand_type(inst, 0))->size == scalar_of(result)->size;
    case OpenCLstd_Shuffle:
    case OpenCLstd_Shuffle2:
        return result->kind == GEO_TYPE_VECTOR && operand_type(inst, 0)->kind == GEO_TYPE_VECTOR &&
               scalar_of(operand_type(inst, 0)) == result->element &&
               operand_type(inst, inst->operand_count - 2) == operand_type(inst, 0) &&
               class_fits(INT, operand_type(inst, inst->operand_count - 1)) &&
               components(operand_type(inst, inst->operand_count - 1)) == components(result);
    case OpenCLstd_Fract:
    case OpenCLstd_Modf:
    case OpenCLstd_Sincos:
        return operand_type(inst, 0) == result && operand_type(inst, 1)->element == result;
    case OpenCLstd_Frexp:
    case OpenCLstd_Lgamma_r:
        return operand_type(inst, 0) == result && is_int32(operand_type(inst, 1)->element) &&
               components(operand_type(inst, 1)->element) == components(result);
    case OpenCLstd_Remquo:
        return operand_type(inst, 0) == result && operand_type(inst, 1) == result &&
               is_int32(operand_type(inst, 2)->element) &&
               components(operand_type(inst, 2)->element) == components(result);
    case OpenCLstd_Vloadn:
        return is_int(operand_type(inst, 0)) && inst->literals[2] == components(result) &&
               operand_type(inst, 1)->element == scalar_of(result);
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
    case OpenCLstd_Vloada_halfn:
        return is_int(operand_type(inst, 0)) && class_fits(FLOAT, result) &&
               operand_type(inst, 1)->element->size == 2;
    case OpenCLstd_Vstoren:
        return is_int(operand_type(inst, 1)) &&
               operand_type(inst, 2)->element == scalar_of(operand_type(inst, 0));
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r:
        return is_int(operand_type(inst, 1)) && class_fits(FLOAT, operand_type(inst, 0)) &&
               operand_type(inst, 2)->element->size == 2;
    case OpenCLstd_Printf:
        return true;
    case OpenCLstd_Prefetch:
        return is_int(operand_type(inst, 1));
    default:
        for (uint32_t i = 0; i < inst->operand_count; i++) {
            if (operand_type(inst, i) != result) {
                return false;
            }
        }
        return class_fits(INT, result) || class_fits(FLOAT, result);
    }
}

/* Integer functions and float functions have numbers of their own. */
static bool ext_class_ok(const struct geo_ir_inst *inst)
{
    uint32_t number = inst->literals[1];
    if ((number >= OpenCLstd_SAbs && number <= OpenCLstd_UMul24) ||
        (number >= OpenCLstd_UAbs && number <= OpenCLstd_UMad_hi)) {
        return class_fits(INT, inst->value.type);
    }
    return number > OpenCLstd_Fast_normalize || number == OpenCLstd_Ilogb ||
           class_fits(FLOAT, inst->value.type);
}

static bool ext_check(const struct geo_ir_inst *inst)
{
    const struct geo_grammar *grammar = geo_grammar_find_opencl(inst->literals[1]);
    if (!grammar || !ext_count_ok(inst, grammar)) {
        return false;
    }
    uint32_t pointer = ext_pointer_operand(inst->literals[1]);
    if (pointer != UINT32_MAX && !is_pointer(operand_type(inst, pointer))) {
        return false;
    }
    return ext_types_ok(inst) && ext_class_ok(inst);
}

/* ---- all ---- */

static uint64_t leaf_count(const struct geo_ir_type *type)
{
    uint64_t count = 1;
    while (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY) {
        if (__builtin_mul_overflow(count, type->count, &count)) {
            return UINT64_MAX;
        }
        type = type->element;
    }
    if (type->kind != GEO_TYPE_STRUCT) {
        return count;
    }
    uint64_t members = 0;
    for (uint64_t i = 0; i < type->count && members <= MAX_LEAVES; i++) {
        members += leaf_count(type->members[i]); /* nesting is bounded by the reader */
    }
    return members > MAX_LEAVES || count > MAX_LEAVES ? UINT64_MAX : members * count;
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

static bool special_check(const struct geo_ir_function *function, const struct geo_ir_inst *inst)
{
    switch ((unsigned)inst->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return access_chain_check(inst);
    case SpvOpLoad:
        return load_check(inst);
    case SpvOpStore:
        return store_check(inst);
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return copy_memory_check(inst);
    case SpvOpBitcast:
        return bitcast_check(inst);
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        return composite_check(inst);
    case SpvOpSelect:
        return select_check(inst);
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
        return extended_check(inst);
    case SpvOpVectorTimesScalar:
    case SpvOpDot:
        return product_check(inst);
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
        return bit_field_check(inst);
    case SpvOpAny:
    case SpvOpAll:
        return any_all_check(inst);
    case SpvOpPtrDiff:
        return inst->operand_count == 2 && is_int(inst->value.type) &&
               is_pointer(operand_type(inst, 0)) && operand_type(inst, 0) == operand_type(inst, 1);
    case SpvOpFunctionCall:
        return call_check(inst);
    case SpvOpFunctionPointerCallINTEL:
        return pointer_call_check(inst);
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
        return barrier_check(inst);
    case SpvOpVariable:
        return variable_check(inst);
    case SpvOpExtInst:
        return ext_check(inst);
    case GEO_OP_BUILTIN:
        return inst->literal_count == 2 && is_int(inst->value.type);
    case GEO_OP_LOCAL_IMUL:
    case GEO_OP_LOCAL_FMUL:
        return atomic_check(inst);
    case GEO_OP_ASSERT_FAIL:
        return assert_check(inst);
    case GEO_OP_PTR_ADD:
        return inst->operand_count == 2 && is_pointer(operand_type(inst, 0)) &&
               is_pointer(inst->value.type) && is_int(operand_type(inst, 1));
    default:
        break;
    }
    if ((inst->op >= SpvOpAtomicLoad && inst->op <= SpvOpAtomicXor) ||
        inst->op == SpvOpAtomicFlagTestAndSet || inst->op == SpvOpAtomicFlagClear ||
        inst->op == SpvOpAtomicFAddEXT || inst->op == SpvOpAtomicFMinEXT ||
        inst->op == SpvOpAtomicFMaxEXT) {
        return atomic_check(inst);
    }
    const struct geo_group_op *group = geo_group_op_find((uint32_t)inst->op);
    return group ? geo_group_op_check(group, inst) : control_check(function, inst);
}

bool geo_ir_rules_check(const struct geo_ir_function *function, const struct geo_ir_inst *inst,
                        const char **reason)
{
    if (leaf_count(inst->value.type) > MAX_LEAVES && inst->op != SpvOpVariable) {
        *reason = "its value has more than 4096 components";
        return false;
    }
    if (inst->op == SpvOpExpectKHR) {
        return rule_check(&rule_expect, inst, reason);
    }
    if ((uint32_t)inst->op < sizeof(rules) / sizeof(rules[0]) && rules[inst->op].count > 0) {
        return rule_check(&rules[inst->op], inst, reason);
    }
    *reason = "its operands do not have the types it wants";
    return special_check(function, inst);
}
