/* Type rules of OpenCL.std whose operands do not all have the type of the result. Names follow the
 * kind of the operands. See check.h.
 *
 * rules.c has compared the number of operands with the grammar. */
#include "compiler/validate/check.h"
#include "compiler/validate/operand.h"

/* Returns whether two types have the same number of components. */
static bool counts_match(const struct geo_ir_type *a, const struct geo_ir_type *b)
{
    return geo_ir_components(a) == geo_ir_components(b);
}

/* Returns whether the scalars of two types have the same size. */
static bool sizes_match(const struct geo_ir_type *a, const struct geo_ir_type *b)
{
    return geo_ir_scalar_of(a)->size == geo_ir_scalar_of(b)->size;
}

/* Returns whether the scalars are 32-bit integers: these functions demand that width even beside
 * double and half. */
static bool is_int32(const struct geo_ir_type *type)
{
    return class_fits(INT, type) && geo_ir_scalar_of(type)->size == 4;
}

/* Returns the pointee of an operand; NULL if it is not a pointer. */
static const struct geo_ir_type *pointee(const struct geo_ir_inst *inst, uint32_t operand)
{
    const struct geo_ir_type *type = operand_type(inst, operand);
    return is_pointer(type) ? type->element : NULL;
}

/* ---- floats ---- */

/* Accepts the exponent of a float, as an integer. */
bool geo_rule_opencl_exponent(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *type = operand_type(inst, 0);
    return counts_match(inst->value.type, type) && is_int32(inst->value.type) &&
           class_fits(FLOAT, type);
}

/* Accepts a float that is made of an integer of its width. */
bool geo_rule_opencl_nan(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *result = inst->value.type, *type = operand_type(inst, 0);
    return counts_match(result, type) && class_fits(FLOAT, result) && class_fits(INT, type) &&
           sizes_match(type, result);
}

/* Accepts a function of a float and an integer. */
bool geo_rule_opencl_int_operand(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *result = inst->value.type, *integer = operand_type(inst, 1);
    return operand_type(inst, 0) == result && class_fits(FLOAT, result) && is_int32(integer) &&
           counts_match(integer, result);
}

/* Accepts a scalar that is computed from one vector of floats, or from two. */
bool geo_rule_opencl_length(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *result = inst->value.type, *type = operand_type(inst, 0);
    return geo_ir_scalar_of(type) == result && class_fits(FLOAT, result) &&
           operand_type(inst, inst->operand_count - 1) == type;
}

/* Returns whether all operands but the last one have the type of the result, which is FLOAT. */
static bool floats_as_result(const struct geo_ir_inst *inst)
{
    bool good = class_fits(FLOAT, inst->value.type);
    for (uint32_t i = 0; i + 1 < inst->operand_count; i++) {
        good &= operand_type(inst, i) == inst->value.type;
    }
    return good;
}

/* Accepts functions whose last operand points to a second result of the same type. */
bool geo_rule_opencl_second(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return floats_as_result(inst) && pointee(inst, inst->operand_count - 1) == inst->value.type;
}

/* Accepts functions whose last operand points to a second result that is an integer. */
bool geo_rule_opencl_int_second(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *second = pointee(inst, inst->operand_count - 1);
    return floats_as_result(inst) && second && is_int32(second) &&
           counts_match(second, inst->value.type);
}

/* ---- integers and bits ---- */

/* Accepts a choice between two values. The last operand is an integer of their width. */
bool geo_rule_opencl_choice(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *result = inst->value.type, *choice = operand_type(inst, 2);
    return operand_type(inst, 0) == result && operand_type(inst, 1) == result &&
           class_fits(INT, choice) && counts_match(choice, result) && sizes_match(choice, result);
}

/* Accepts an integer that is made of two of half its width. */
bool geo_rule_opencl_upsample(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *result = inst->value.type, *half = operand_type(inst, 0);
    return class_fits(INT, result) && half == operand_type(inst, 1) && class_fits(INT, half) &&
           counts_match(half, result) &&
           2 * geo_ir_scalar_of(half)->size == geo_ir_scalar_of(result)->size;
}

/* Accepts components of one vector, or of two of the same type, that a vector of integers selects. */
bool geo_rule_opencl_shuffle(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *result = inst->value.type, *from = operand_type(inst, 0);
    const struct geo_ir_type *indices = operand_type(inst, inst->operand_count - 1);
    return result->kind == GEO_TYPE_VECTOR && from->kind == GEO_TYPE_VECTOR &&
           geo_ir_scalar_of(from) == result->element &&
           operand_type(inst, inst->operand_count - 2) == from && class_fits(INT, indices) &&
           counts_match(indices, result);
}

/* ---- memory and printf ---- */

/* Accepts a load. Operands: offset, pointer. The number of components is a literal. */
bool geo_rule_opencl_vload(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *result = inst->value.type, *element = pointee(inst, 1);
    return is_int(operand_type(inst, 0)) && inst->literals[2] == geo_ir_components(result) &&
           element && element == geo_ir_scalar_of(result);
}

bool geo_rule_opencl_vload_half(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *element = pointee(inst, 1);
    return is_int(operand_type(inst, 0)) && class_fits(FLOAT, inst->value.type) && element &&
           element->size == 2;
}

/* Accepts a store. Operands: data, offset, pointer. */
bool geo_rule_opencl_vstore(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *element = pointee(inst, 2);
    return is_int(operand_type(inst, 1)) && element &&
           element == geo_ir_scalar_of(operand_type(inst, 0));
}

bool geo_rule_opencl_vstore_half(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    const struct geo_ir_type *element = pointee(inst, 2);
    return is_int(operand_type(inst, 1)) && class_fits(FLOAT, operand_type(inst, 0)) && element &&
           element->size == 2;
}

/* Accepts a format and arguments of any type. */
bool geo_rule_opencl_print(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return pointee(inst, 0) != NULL;
}

bool geo_rule_opencl_prefetch(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return pointee(inst, 0) && is_int(operand_type(inst, 1));
}
