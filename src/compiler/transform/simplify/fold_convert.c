/* Folds conversions between integers: those that cancel, several in a row, and those of sums.
 * Called by fold.c; see simplify.h. */
#include "compiler/transform/simplify/simplify.h"

static bool is_extension_of(const struct geo_ir_inst *inst, const struct geo_ir_type *type)
{
    return inst && (inst->op == SpvOpUConvert || inst->op == SpvOpSConvert) &&
           inst->operands[0]->type == type && inst->value.type->width > type->width;
}

/* Computes a truncated sum, difference or product in the narrow type, if an operand is an extension
 * of that type. Compilers write `i += get_local_size(0)` with int i in 64 bits. There the shape of
 * the index is lost, because the extension may not know that i does not wrap between lanes. */
static struct geo_ir_value *fold_narrow(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    const struct geo_ir_inst *wide = geo_ir_as_inst(inst->operands[0]);
    if (!wide || type->kind != GEO_TYPE_INT || wide->value.type->kind != GEO_TYPE_INT ||
        wide->value.type->width <= type->width || geo_ir_is_odd_int(type) ||
        (inst->value.flags & GEO_VALUE_SATURATED) ||
        (wide->op != SpvOpIAdd && wide->op != SpvOpISub && wide->op != SpvOpIMul)) {
        return NULL;
    }
    const struct geo_ir_inst *from[2] = {geo_ir_as_inst(wide->operands[0]),
                                         geo_ir_as_inst(wide->operands[1])};
    bool extends[2] = {is_extension_of(from[0], type), is_extension_of(from[1], type)};
    if (!extends[0] && !extends[1]) {
        return NULL;
    }
    struct geo_ir_value *narrow[2];
    for (uint32_t i = 0; i < 2; i++) {
        narrow[i] = extends[i] ? from[i]->operands[0]
                               : geo_make_unary(pass, inst, SpvOpUConvert, type, wide->operands[i]);
    }
    return geo_make_binary(pass, inst, wide->op, type, narrow[0], narrow[1]);
}

struct geo_ir_value *geo_transform_fold_convert(struct geo_pass *pass, struct geo_ir_inst *inst,
                                                bool *changed)
{
    struct geo_ir_inst *inner = geo_ir_as_inst(inst->operands[0]);
    const struct geo_ir_type *type = inst->value.type;
    struct geo_ir_value *computed = fold_narrow(pass, inst);
    if (computed) {
        return computed;
    }
    if (type == inst->operands[0]->type && !(inst->value.flags & GEO_VALUE_SATURATED)) {
        return inst->operands[0];
    }
    if (!inner || (inner->op != SpvOpUConvert && inner->op != SpvOpSConvert) ||
        (inst->value.flags & GEO_VALUE_SATURATED) || (inner->value.flags & GEO_VALUE_SATURATED)) {
        return NULL;
    }
    const struct geo_ir_type *source = inner->operands[0]->type;
    uint64_t narrow = source->size, middle = inner->value.type->size, wide = type->size;
    if (middle <= narrow) {
        return NULL; /* the inner one truncates, or will be folded itself */
    }
    if (wide <= narrow) {
        /* only bits of the source remain */
        if (type == source) {
            return inner->operands[0];
        }
        inst->op = SpvOpUConvert;
    } else if (wide <= middle) {
        inst->op = inner->op;
    } else if (inst->op == SpvOpUConvert && inner->op == SpvOpSConvert) {
        return NULL;
    } else {
        inst->op = inner->op;
    }
    inst->operands[0] = inner->operands[0];
    *changed = true;
    return NULL;
}
