/* Replaces image functions: get_image_channel_order and get_image_channel_data_type, whose numbers
 * are OpenCL's instead of SPIR-V's, and reads of halves. See imports_image.h. */
#include "compiler/builtins/imports_image.h"

#include <string.h>

#define CL_R          0x10B0u
#define CL_SNORM_INT8 0x10D0u

static bool is_opaque(const struct geo_ir_value *value, SpvOp op)
{
    return value && value->type->kind == GEO_TYPE_OPAQUE && value->type->opaque == op;
}

static bool query_import(struct geo_writer *writer, struct geo_ir_inst *call,
                         const struct geo_import *import)
{
    bool order = strcmp(import->base, "get_image_channel_order") == 0;
    if ((!order && strcmp(import->base, "get_image_channel_data_type") != 0) ||
        geo_import_argument_count(call) != 1 || call->value.type->kind != GEO_TYPE_INT ||
        call->value.type->width != 32) {
        return false;
    }
    struct geo_ir_value *number =
        geo_write_1(writer, order ? SpvOpImageQueryOrder : SpvOpImageQueryFormat, call->value.type,
                    geo_import_argument(call, 0));
    return geo_import_replace(
        call, geo_write_2(writer, SpvOpIAdd, call->value.type, number,
                          geo_write_const(writer, 32, order ? CL_R : CL_SNORM_INT8)));
}

/* Replaces read_imageh(image[, sampler], coordinates). */
static bool half_import(struct geo_writer *writer, struct geo_ir_inst *call,
                        const struct geo_import *import)
{
    uint32_t count = geo_import_argument_count(call);
    struct geo_ir_value *image = geo_import_argument(call, 0);
    if (strcmp(import->base, "read_imageh") != 0 || (count != 2 && count != 3) ||
        (count == 3 && !is_opaque(geo_import_argument(call, 1), SpvOpTypeSampler))) {
        return false;
    }
    struct geo_ir_value *coordinates = geo_import_argument(call, count - 1);
    if (count == 2) {
        return geo_import_replace(
            call, geo_write_2(writer, SpvOpImageRead, call->value.type, image, coordinates));
    }
    const struct geo_ir_type *type =
        geo_ir_type_opaque(writer->module, SpvOpTypeSampledImage, image->type);
    struct geo_ir_value *sampled =
        geo_write_2(writer, SpvOpSampledImage, type, image, geo_import_argument(call, 1));
    return geo_import_replace(call, geo_write_2(writer, SpvOpImageSampleExplicitLod,
                                                call->value.type, sampled, coordinates));
}

bool geo_builtins_imports_image(struct geo_writer *writer, struct geo_ir_inst *call,
                                const struct geo_import *import)
{
    return is_opaque(geo_import_argument(call, 0), SpvOpTypeImage) &&
           (query_import(writer, call, import) || half_import(writer, call, import));
}
