/* Replaces instructions on images and samplers by calls of image.cl's functions. See images.h.
 *
 *     OpImageRead      geo_image_at_f, _i, without sampler
 *     OpImageSample    geo_image_at_f, _i, or geo_image_sample1_f ... 3_i for float coordinates
 *     OpImageWrite     geo_image_put_f, _i
 *     OpImageQuery     a member of the surface
 *
 * In these functions a colour is four floats or four 32-bit integers. Coordinates are x, y, z; z is
 * the layer of an array. Images have one level, so the level of detail is ignored. */
#include "compiler/builtins/images.h"

#include "compiler/builtins/image_call.h"
#include "compiler/ir/grammar.h"
#include "native/kernel.h"

#include <stdio.h>

/* ---- values ---- */

/* Converts a number to another width. */
static struct geo_ir_value *number_as(struct geo_writer *writer, struct geo_ir_value *value,
                                      const struct geo_ir_type *type)
{
    if (!value || !type || value->type == type) {
        return value;
    }
    SpvOp op = geo_ir_scalar_of(type)->kind == GEO_TYPE_FLOAT ? SpvOpFConvert : SpvOpSConvert;
    return geo_write_1(writer, op, type, value);
}

static void add_coordinates(struct geo_image_call *call, struct geo_writer *writer,
                            struct geo_ir_value *coordinates, const struct geo_ir_image *image)
{
    bool floats = geo_ir_scalar_of(coordinates->type)->kind == GEO_TYPE_FLOAT;
    const struct geo_ir_type *type =
        floats ? geo_ir_type_float(writer->module, 32) : geo_ir_type_int(writer->module, 32);
    uint32_t dims = geo_image_call_dims(image);
    for (uint32_t i = 0; type && i < 3; i++) {
        struct geo_ir_value *part = geo_ir_const_null(writer->module, type);
        writer->out_of_memory |= part == NULL;
        if (i < dims) {
            part = geo_write_extract(writer, coordinates, i);
        } else if (image->arrayed && i == 2) {
            part = geo_write_extract(writer, coordinates, dims);
        }
        geo_image_call_add(call, number_as(writer, part, type));
    }
    writer->out_of_memory |= type == NULL;
}

/* Returns a colour as four floats or 32-bit integers. A depth value has one component. */
static struct geo_ir_value *colour_in(struct geo_writer *writer, struct geo_ir_value *colour)
{
    bool floats = geo_ir_scalar_of(colour->type)->kind == GEO_TYPE_FLOAT;
    const struct geo_ir_type *scalar =
        floats ? geo_ir_type_float(writer->module, 32) : geo_ir_type_int(writer->module, 32);
    const struct geo_ir_type *wide = scalar ? geo_ir_type_vector(writer->module, scalar, 4) : NULL;
    struct geo_ir_value *parts[4];
    for (uint32_t i = 0; scalar && i < 4; i++) {
        parts[i] = colour->type->kind == GEO_TYPE_VECTOR || i == 0
                       ? number_as(writer, geo_write_extract(writer, colour, i), scalar)
                       : geo_ir_const_null(writer->module, scalar);
    }
    return wide ? geo_write_op(writer, SpvOpCompositeConstruct, wide, 4, parts, 0, NULL) : NULL;
}

static struct geo_ir_value *colour_out(struct geo_writer *writer, struct geo_ir_value *colour,
                                       const struct geo_ir_type *type)
{
    if (colour && type->kind != GEO_TYPE_VECTOR) {
        colour = geo_write_extract(writer, colour, 0);
    }
    return number_as(writer, colour, type);
}

static const char *letter_of(const struct geo_ir_type *type)
{
    return geo_ir_scalar_of(type)->kind == GEO_TYPE_FLOAT ? "f" : "i";
}

/* ---- instructions ---- */

/* Returns the sampler of a sampled image as a 32-bit word. */
static struct geo_ir_value *sampler_of(struct geo_builtins_functions *functions,
                                       struct geo_writer *writer, struct geo_ir_value *sampled)
{
    const struct geo_ir_type *word = geo_ir_type_int(writer->module, 32);
    const struct geo_ir_type *number = geo_ir_type_int(writer->module, 64);
    struct geo_ir_inst *pair = geo_image_call_made_by(sampled, SpvOpSampledImage);
    uint64_t bits;
    if (!pair) {
        struct geo_image_call call;
        return geo_image_call_begin(&call, functions, writer, "sampler", sampled)
                   ? geo_image_call_end(&call, writer)
                   : NULL;
    }
    if (geo_ir_constant_bits(pair->operands[1], &bits)) {
        return geo_write_const(writer, 32, bits);
    }
    return geo_write_1(writer, SpvOpUConvert, word,
                       geo_image_call_handle(writer, number, pair->operands[1]));
}

/* Replaces a read; `sampler` is NULL if it has none. */
static struct geo_ir_value *read_write(struct geo_builtins_functions *functions,
                                       struct geo_writer *writer, const struct geo_ir_inst *inst,
                                       struct geo_ir_value *sampler)
{
    const struct geo_ir_image *image = geo_image_call_of(inst->operands[0]);
    struct geo_ir_value *coordinates = inst->operands[1];
    bool between = sampler && geo_ir_scalar_of(coordinates->type)->kind == GEO_TYPE_FLOAT;
    char name[32];
    struct geo_image_call call;
    if (between) {
        snprintf(name, sizeof(name), "sample%u_%s", geo_image_call_dims(image),
                 letter_of(inst->value.type));
    } else {
        snprintf(name, sizeof(name), "at_%s", letter_of(inst->value.type));
    }
    if (!geo_image_call_begin(&call, functions, writer, name, inst->operands[0])) {
        return NULL;
    }
    geo_image_call_add(&call, sampler ? sampler : geo_write_const(writer, 32, GEO_SAMPLER_NONE));
    geo_image_call_add(&call, geo_write_const(writer, 32, image->arrayed));
    add_coordinates(&call, writer, coordinates, image);
    return colour_out(writer, geo_image_call_end(&call, writer), inst->value.type);
}

static bool image_write(struct geo_builtins_functions *functions, struct geo_writer *writer,
                        struct geo_ir_inst *inst)
{
    const struct geo_ir_image *image = geo_image_call_of(inst->operands[0]);
    const char *name = letter_of(inst->operands[2]->type)[0] == 'f' ? "put_f" : "put_i";
    struct geo_image_call call;
    if (!geo_image_call_begin(&call, functions, writer, name, inst->operands[0])) {
        return false;
    }
    geo_image_call_add(&call, geo_write_const(writer, 32, image->arrayed));
    add_coordinates(&call, writer, inst->operands[1], image);
    geo_image_call_add(&call, colour_in(writer, inst->operands[2]));
    if (!geo_image_call_end(&call, writer)) {
        return false;
    }
    geo_write_replace(inst, NULL);
    return true;
}

/* Returns a member of the surface, in the width of the result's components. */
static struct geo_ir_value *query(struct geo_builtins_functions *functions,
                                  struct geo_writer *writer, const struct geo_ir_inst *inst,
                                  const char *member)
{
    struct geo_image_call call;
    const struct geo_ir_type *type = geo_ir_scalar_of(inst->value.type);
    if (!geo_image_call_begin(&call, functions, writer, member, inst->operands[0])) {
        return NULL;
    }
    struct geo_ir_value *value = geo_image_call_end(&call, writer);
    return value && value->type != type ? geo_write_1(writer, SpvOpUConvert, type, value) : value;
}

static struct geo_ir_value *query_size(struct geo_builtins_functions *functions,
                                       struct geo_writer *writer, const struct geo_ir_inst *inst)
{
    static const char *const extents[] = {"width", "height", "depth"};
    const struct geo_ir_image *image = geo_image_call_of(inst->operands[0]);
    uint32_t dims = geo_image_call_dims(image), count = dims + image->arrayed;
    struct geo_ir_value *parts[4] = {NULL};
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = query(functions, writer, inst, i < dims ? extents[i] : "layers");
    }
    return count == 1 ? parts[0]
                      : geo_write_op(writer, SpvOpCompositeConstruct, inst->value.type, count,
                                     parts, 0, NULL);
}

static struct geo_ir_value *value_of(struct geo_builtins_functions *functions,
                                     struct geo_writer *writer, struct geo_ir_inst *inst)
{
    switch ((uint32_t)inst->op) {
    case SpvOpImageSampleExplicitLod:
        return read_write(functions, writer, inst,
                          sampler_of(functions, writer, inst->operands[0]));
    case SpvOpImageRead:
    case SpvOpImageFetch:
        return read_write(functions, writer, inst, NULL);
    case SpvOpImageQuerySize:
    case SpvOpImageQuerySizeLod:
        return query_size(functions, writer, inst);
    case SpvOpImageQueryFormat:
        return query(functions, writer, inst, "channel_type");
    case SpvOpImageQueryOrder:
        return query(functions, writer, inst, "channel_order");
    case SpvOpImageQueryLevels:
        return query(functions, writer, inst, "levels");
    case SpvOpImage: {
        struct geo_ir_inst *pair = geo_image_call_made_by(inst->operands[0], SpvOpSampledImage);
        struct geo_ir_inst *bindless = geo_image_call_made_by(
            inst->operands[0], GEO_SPV_CONVERT_HANDLE_TO_SAMPLED_IMAGE_INTEL);
        return pair       ? pair->operands[0]
               : bindless ? geo_image_call_handle(writer, inst->value.type, bindless->operands[0])
                          : NULL;
    }
    case GEO_SPV_CONVERT_HANDLE_TO_IMAGE_INTEL:
    case GEO_SPV_CONVERT_HANDLE_TO_SAMPLER_INTEL:
        return geo_image_call_handle(writer, inst->value.type, inst->operands[0]);
    default:
        return NULL;
    }
}

bool geo_builtins_image(struct geo_builtins_functions *functions, struct geo_writer *writer,
                        struct geo_ir_inst *inst)
{
    if (inst->op == SpvOpImageWrite) {
        return image_write(functions, writer, inst);
    }
    struct geo_ir_value *value = value_of(functions, writer, inst);
    if (!value || writer->out_of_memory) {
        return false;
    }
    geo_write_replace(inst, value);
    return true;
}
