/* Type rules of OpenCL.std. See check.h. */
#include "compiler/ir/grammar.h"
#include "compiler/validate/check.h"
#include "compiler/validate/operand.h"

#include <spirv/unified1/OpenCL.std.h>

/* Checks the number of value operands against the grammar. Variadic instructions (printf) may have
 * more. */
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

/* Returns the index of the operand that must be a pointer; UINT32_MAX: none. */
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

/* Returns whether the scalars are 32-bit integers: these functions demand that width even beside
 * double and half. */
static bool is_int32(const struct geo_ir_type *type)
{
    return class_fits(INT, type) && geo_ir_scalar_of(type)->size == 4;
}

/* Checks the operand types. Operands must have the type of the result unless the instruction has a
 * case here. */
static bool ext_types_ok(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *result = inst->value.type;
    switch (inst->literals[1]) {
    case OpenCLstd_Ilogb:
        return geo_ir_components(result) == geo_ir_components(operand_type(inst, 0)) &&
               is_int32(result) && class_fits(FLOAT, operand_type(inst, 0));
    case OpenCLstd_Nan:
        return geo_ir_components(result) == geo_ir_components(operand_type(inst, 0)) &&
               class_fits(FLOAT, result) && class_fits(INT, operand_type(inst, 0)) &&
               geo_ir_scalar_of(operand_type(inst, 0))->size == geo_ir_scalar_of(result)->size;
    case OpenCLstd_Ldexp:
    case OpenCLstd_Pown:
    case OpenCLstd_Rootn:
        return operand_type(inst, 0) == result && class_fits(FLOAT, result) &&
               is_int32(operand_type(inst, 1)) &&
               geo_ir_components(operand_type(inst, 1)) == geo_ir_components(result);
    case OpenCLstd_Length:
    case OpenCLstd_Fast_length:
    case OpenCLstd_Distance:
    case OpenCLstd_Fast_distance:
        return geo_ir_scalar_of(operand_type(inst, 0)) == result && class_fits(FLOAT, result) &&
               operand_type(inst, inst->operand_count - 1) == operand_type(inst, 0);
    case OpenCLstd_Select: /* the last operand is an integer of the same width */
        return operand_type(inst, 0) == result && operand_type(inst, 1) == result &&
               class_fits(INT, operand_type(inst, 2)) &&
               geo_ir_components(operand_type(inst, 2)) == geo_ir_components(result) &&
               geo_ir_scalar_of(operand_type(inst, 2))->size == geo_ir_scalar_of(result)->size;
    case OpenCLstd_U_Upsample:
    case OpenCLstd_S_Upsample:
        return class_fits(INT, result) && operand_type(inst, 0) == operand_type(inst, 1) &&
               class_fits(INT, operand_type(inst, 0)) &&
               geo_ir_components(operand_type(inst, 0)) == geo_ir_components(result) &&
               2 * geo_ir_scalar_of(operand_type(inst, 0))->size == geo_ir_scalar_of(result)->size;
    case OpenCLstd_Shuffle:
    case OpenCLstd_Shuffle2:
        return result->kind == GEO_TYPE_VECTOR && operand_type(inst, 0)->kind == GEO_TYPE_VECTOR &&
               geo_ir_scalar_of(operand_type(inst, 0)) == result->element &&
               operand_type(inst, inst->operand_count - 2) == operand_type(inst, 0) &&
               class_fits(INT, operand_type(inst, inst->operand_count - 1)) &&
               geo_ir_components(operand_type(inst, inst->operand_count - 1)) ==
                   geo_ir_components(result);
    case OpenCLstd_Fract:
    case OpenCLstd_Modf:
    case OpenCLstd_Sincos:
        return operand_type(inst, 0) == result && operand_type(inst, 1)->element == result;
    case OpenCLstd_Frexp:
    case OpenCLstd_Lgamma_r:
        return operand_type(inst, 0) == result && is_int32(operand_type(inst, 1)->element) &&
               geo_ir_components(operand_type(inst, 1)->element) == geo_ir_components(result);
    case OpenCLstd_Remquo:
        return operand_type(inst, 0) == result && operand_type(inst, 1) == result &&
               is_int32(operand_type(inst, 2)->element) &&
               geo_ir_components(operand_type(inst, 2)->element) == geo_ir_components(result);
    case OpenCLstd_Vloadn:
        return is_int(operand_type(inst, 0)) && inst->literals[2] == geo_ir_components(result) &&
               operand_type(inst, 1)->element == geo_ir_scalar_of(result);
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
    case OpenCLstd_Vloada_halfn:
        return is_int(operand_type(inst, 0)) && class_fits(FLOAT, result) &&
               operand_type(inst, 1)->element->size == 2;
    case OpenCLstd_Vstoren:
        return is_int(operand_type(inst, 1)) &&
               operand_type(inst, 2)->element == geo_ir_scalar_of(operand_type(inst, 0));
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

/* Checks that integer functions have integer results and float functions float results: their
 * numbers differ. */
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

bool geo_rule_ext(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
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
