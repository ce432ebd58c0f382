/* Type rules of images, samplers and their handles. See check.h.
 *
 * The instruction that uses a sampled image must see the instruction that makes it: the
 * specification forbids phis, selects and stores of sampled images. */
#include "compiler/ir/grammar.h"
#include "compiler/validate/check.h"
#include "compiler/validate/operand.h"

#define OPERANDS_WITHOUT_IDS                                                                       \
    (SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask |                             \
     SpvImageOperandsVolatileTexelMask | SpvImageOperandsNonPrivateTexelMask |                     \
     SpvImageOperandsNontemporalMask)

static bool is_opaque(const struct geo_ir_type *type, SpvOp op)
{
    return type->kind == GEO_TYPE_OPAQUE && type->opaque == op;
}

static bool is_number(const struct geo_ir_type *type)
{
    return is_int(type) && type->width == 64;
}

/* Returns the image type of operand 0: an image, or a sampled image made by a visible instruction.
 * NULL: neither. */
static const struct geo_ir_image *image_operand(const struct geo_ir_inst *inst, const char **reason)
{
    const struct geo_ir_type *type = operand_type(inst, 0);
    const struct geo_ir_inst *maker = geo_ir_as_inst(inst->operands[0]);
    if (is_opaque(type, SpvOpTypeImage)) {
        return &type->image;
    }
    if (!is_opaque(type, SpvOpTypeSampledImage)) {
        return NULL;
    }
    if (!maker || (maker->op != SpvOpSampledImage &&
                   (uint32_t)maker->op != GEO_SPV_CONVERT_HANDLE_TO_SAMPLED_IMAGE_INTEL)) {
        *reason = "its sampled image is not the result of OpSampledImage or a conversion";
        return NULL;
    }
    return &type->element->image;
}

static uint32_t extents_of(const struct geo_ir_image *image)
{
    return (image->dim == SpvDim2D ? 2u : image->dim == SpvDim3D ? 3u : 1u) + image->arrayed;
}

static bool coordinates_ok(const struct geo_ir_inst *inst, const struct geo_ir_image *image,
                           bool floats)
{
    const struct geo_ir_type *type = operand_type(inst, 1);
    return (class_fits(INT, type) || (floats && class_fits(FLOAT, type))) &&
           geo_ir_components(type) >= extents_of(image);
}

/* Returns whether this is a colour: four numbers. A depth image has only one. */
static bool colour_ok(const struct geo_ir_type *type)
{
    const struct geo_ir_type *scalar = geo_ir_scalar_of(type);
    bool number = (scalar->kind == GEO_TYPE_FLOAT && scalar->width <= 32) ||
                  (scalar->kind == GEO_TYPE_INT && scalar->width <= 32);
    return number && (type->kind != GEO_TYPE_VECTOR || type->count == 4);
}

/* Checks the image operands that follow the first `first` operands. Levels of detail and gradients
 * are accepted, though they have no effect. */
static bool image_operands_ok(const struct geo_ir_inst *inst, uint32_t first, const char **reason)
{
    uint32_t mask = inst->literal_count ? inst->literals[0] : 0, ids = 0;
    if (mask & ~(SpvImageOperandsLodMask | SpvImageOperandsGradMask | OPERANDS_WITHOUT_IDS)) {
        *reason = "its image operands are not supported";
        return false;
    }
    ids += mask & SpvImageOperandsLodMask ? 1 : 0;
    ids += mask & SpvImageOperandsGradMask ? 2 : 0;
    return inst->literal_count <= 1 && inst->operand_count == first + ids;
}

bool geo_rule_image_access(const struct geo_ir_inst *inst, const char **reason)
{
    bool write = inst->op == SpvOpImageWrite, sample = inst->op == SpvOpImageSampleExplicitLod;
    uint32_t first = write ? 3 : 2;
    if (inst->operand_count < first ||
        (sample && !is_opaque(operand_type(inst, 0), SpvOpTypeSampledImage)) ||
        (write && !is_opaque(operand_type(inst, 0), SpvOpTypeImage))) {
        return false;
    }
    const struct geo_ir_image *image = image_operand(inst, reason);
    const struct geo_ir_type *colour = write ? operand_type(inst, 2) : inst->value.type;
    return image && coordinates_ok(inst, image, sample) && colour_ok(colour) &&
           image_operands_ok(inst, first, reason);
}

bool geo_rule_image_query(const struct geo_ir_inst *inst, const char **reason)
{
    bool level = inst->op == SpvOpImageQuerySizeLod;
    bool size = level || inst->op == SpvOpImageQuerySize;
    if (inst->operand_count != (level ? 2u : 1u) || !class_fits(INT, inst->value.type)) {
        return false;
    }
    const struct geo_ir_image *image = image_operand(inst, reason);
    return image && geo_ir_components(inst->value.type) == (size ? extents_of(image) : 1u);
}

/* Checks a conversion between an image or sampler and its handle. */
bool geo_rule_image_handle(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    if (inst->operand_count != 1) {
        return false;
    }
    const struct geo_ir_type *from = operand_type(inst, 0), *to = inst->value.type;
    bool out = is_number(to) || is_pointer(to);
    const struct geo_ir_type *opaque = out ? from : to;
    return (out || is_number(from)) &&
           (is_opaque(opaque, SpvOpTypeImage) || is_opaque(opaque, SpvOpTypeSampler));
}

static bool made_check(const struct geo_ir_inst *inst, SpvOp type)
{
    return inst->operand_count && is_number(operand_type(inst, 0)) &&
           is_opaque(inst->value.type, type);
}

bool geo_rule_image_made_image(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return made_check(inst, SpvOpTypeImage);
}

bool geo_rule_image_made_sampler(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return made_check(inst, SpvOpTypeSampler);
}

bool geo_rule_image_made_sampled_image(const struct geo_ir_inst *inst, const char **reason)
{
    (void)reason;
    return made_check(inst, SpvOpTypeSampledImage);
}

bool geo_rule_image_sampled_image(const struct geo_ir_inst *inst, const char **reason)
{
    const struct geo_ir_type *type = inst->value.type;
    (void)reason;
    return inst->operand_count == 2 && is_opaque(type, SpvOpTypeSampledImage) &&
           operand_type(inst, 0) == type->element &&
           is_opaque(operand_type(inst, 1), SpvOpTypeSampler);
}

/* Checks that OpImage takes the image out of a sampled image. */
bool geo_rule_image(const struct geo_ir_inst *inst, const char **reason)
{
    return inst->operand_count && is_opaque(operand_type(inst, 0), SpvOpTypeSampledImage) &&
           operand_type(inst, 0)->element == inst->value.type && image_operand(inst, reason);
}
