/* Expands arithmetic on bfloat16 (SPV_KHR_bfloat16). Its values are otherwise 16-bit integers. The
 * few instructions that compute with them are done in float, as the extension defines:
 *
 *     OpFConvert, OpConvert... from it      OpConvertBF16ToFINTEL, then the conversion from float
 *     OpFConvert, OpConvert... to it        the conversion to float, then OpConvertFToBF16INTEL
 *     OpDot                                 the dot product of floats, rounded once
 *
 * Passes behind this one need to know only the two conversions. */
#include "compiler/transform/pass/pass.h"

static bool is_bfloat(const struct geo_ir_type *type)
{
    return geo_ir_is_bfloat(geo_ir_scalar_of(type));
}

/* Returns float, or the vector of floats with as many components as `like`. */
static const struct geo_ir_type *floats_like(struct geo_pass *pass, const struct geo_ir_type *like)
{
    const struct geo_ir_type *single = geo_ir_type_float(pass->module, 32);
    return like->kind == GEO_TYPE_VECTOR && single
               ? geo_ir_type_vector(pass->module, single, like->count)
               : single;
}

/* Converts operand i to float. */
static bool operand_widen(struct geo_pass *pass, struct geo_ir_inst *inst, uint32_t i)
{
    struct geo_ir_value *operand = inst->operands[i];
    struct geo_ir_value *wide = geo_make_unary(pass, inst, (SpvOp)GEO_SPV_CONVERT_BF16_TO_F_INTEL,
                                               floats_like(pass, operand->type), operand);
    if (wide) {
        inst->operands[i] = wide;
    }
    return wide != NULL;
}

/* Computes the instruction in float, and turns it into a conversion of that result. */
static bool result_narrow(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    struct geo_ir_inst *wide = geo_make(pass, inst, inst->op, floats_like(pass, inst->value.type),
                                        inst->operand_count, 0, 0);
    if (!wide) {
        return false;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        wide->operands[i] = inst->operands[i];
    }
    wide->value.flags = inst->value.flags;
    inst->op = (SpvOp)GEO_SPV_CONVERT_F_TO_BF16_INTEL;
    inst->operands[0] = &wide->value;
    inst->operand_count = 1;
    return true;
}

static bool convert_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    bool to = is_bfloat(type), floats = inst->op == SpvOpFConvert;
    if (is_bfloat(inst->operands[0]->type)) {
        if (to) {
            inst->op = SpvOpCopyObject;
            return true;
        }
        if (floats && geo_ir_scalar_of(type)->width == 32) {
            inst->op = (SpvOp)GEO_SPV_CONVERT_BF16_TO_F_INTEL;
            return true;
        }
        return operand_widen(pass, inst, 0);
    }
    if (!to) {
        return true;
    }
    if (floats && geo_ir_scalar_of(inst->operands[0]->type)->width == 32) {
        inst->op = (SpvOp)GEO_SPV_CONVERT_F_TO_BF16_INTEL;
        return true;
    }
    return result_narrow(pass, inst);
}

static bool dot_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    return !is_bfloat(inst->value.type) ||
           (operand_widen(pass, inst, 0) && operand_widen(pass, inst, 1) &&
            result_narrow(pass, inst));
}

static bool inst_rewrite(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    switch (inst->op) {
    case SpvOpFConvert:
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
        return convert_rewrite(pass, inst);
    case SpvOpDot:
        return dot_rewrite(pass, inst);
    default:
        return true;
    }
}

ze_result_t geo_transform_bfloat(struct geo_ir_module *module)
{
    return geo_pass_each(module, NULL, inst_rewrite, NULL);
}
