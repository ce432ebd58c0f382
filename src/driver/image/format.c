/* Checks formats, types and descriptors of images and samplers. See format.h. */
#include "driver/image/format.h"

#include "ddi/geo_ddi_chain.h"
#include "driver/core/object.h"

#define BIT(type) (1u << ZE_IMAGE_FORMAT_TYPE_##type)
#define INTEGER   (BIT(UINT) | BIT(SINT))
#define NORMAL    (BIT(UNORM) | BIT(SNORM))

/* The types that each layout allows. Media layouts have no entry. */
static const uint8_t layout_types[] = {
    [ZE_IMAGE_FORMAT_LAYOUT_8] = INTEGER | NORMAL,
    [ZE_IMAGE_FORMAT_LAYOUT_8_8] = INTEGER | NORMAL,
    [ZE_IMAGE_FORMAT_LAYOUT_8_8_8] = INTEGER | NORMAL,
    [ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8] = INTEGER | NORMAL,
    [ZE_IMAGE_FORMAT_LAYOUT_16] = INTEGER | NORMAL | BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_16_16] = INTEGER | NORMAL | BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_16_16_16] = INTEGER | NORMAL | BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16] = INTEGER | NORMAL | BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_32] = INTEGER | NORMAL | BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_32_32] = INTEGER | NORMAL | BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_32_32_32] = INTEGER | NORMAL | BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32] = INTEGER | NORMAL | BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2] = INTEGER | NORMAL | BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_11_11_10] = BIT(FLOAT),
    [ZE_IMAGE_FORMAT_LAYOUT_5_6_5] = BIT(UNORM),
    [ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1] = BIT(UNORM),
    [ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4] = BIT(UNORM),
};

static uint32_t types_of(ze_image_format_layout_t layout)
{
    uint32_t index = (uint32_t)layout;
    return index < sizeof(layout_types) ? layout_types[index] : 0;
}

bool geo_image_format_is_media(ze_image_format_layout_t layout)
{
    return types_of(layout) == 0;
}

/* ---- images ---- */

static ze_result_t swizzle_check(ze_image_format_swizzle_t swizzle, char component)
{
    if (!GEO_ENUM_HAS(ze_image_format_swizzle_t, swizzle)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION, "swizzle %c has the unknown value %u",
                        component, (unsigned)swizzle);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t format_check(const ze_image_format_t *format)
{
    if (!GEO_ENUM_HAS(ze_image_format_layout_t, format->layout)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION, "layout %u is unknown",
                        (unsigned)format->layout);
    }
    if (geo_image_format_is_media(format->layout)) {
        return ZE_RESULT_SUCCESS;
    }
    if (!GEO_ENUM_HAS(ze_image_format_type_t, format->type)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION, "type %u is unknown",
                        (unsigned)format->type);
    }
    const ze_image_format_swizzle_t swizzles[] = {format->x, format->y, format->z, format->w};
    for (int i = 0; i < 4; i++) {
        GEO_CHECK(swizzle_check(swizzles[i], "xyzw"[i]));
    }
    if (!(types_of(format->layout) & (1u << format->type))) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                        "an image of layout %u cannot have type %u", (unsigned)format->layout,
                        (unsigned)format->type);
    }
    return ZE_RESULT_SUCCESS;
}

static bool has_height(ze_image_type_t type)
{
    return type == ZE_IMAGE_TYPE_2D || type == ZE_IMAGE_TYPE_2DARRAY || type == ZE_IMAGE_TYPE_3D;
}

static bool has_levels(ze_image_type_t type)
{
    return type == ZE_IMAGE_TYPE_1DARRAY || type == ZE_IMAGE_TYPE_2DARRAY;
}

/* Sets the extents that the type does not have to 1: programs pass any value there. */
static void extents_fill(const ze_image_desc_t *desc, struct geo_image_desc *out)
{
    out->width = desc->width;
    out->height = has_height(desc->type) ? desc->height : 1;
    out->depth = desc->type == ZE_IMAGE_TYPE_3D ? desc->depth : 1;
    out->levels = has_levels(desc->type) ? desc->arraylevels : 1;
}

ze_result_t geo_image_format_describe(const ze_image_desc_t *desc, struct geo_image_desc *out)
{
    struct geo_image_desc image = {
        .type = desc->type, .format = desc->format, .flags = desc->flags};
    GEO_CHECK(format_check(&desc->format));
    if (desc->type == ZE_IMAGE_TYPE_BUFFER && geo_image_format_is_media(desc->format.layout)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                        "a buffer cannot have a media layout (%u)", (unsigned)desc->format.layout);
    }
    if (desc->miplevels != 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "miplevels is %u, it must be 0",
                        desc->miplevels);
    }
    extents_fill(desc, &image);
    if (!image.width || !image.height || !image.depth || !image.levels) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "an image of %llux%ux%u with %u levels: no extent may be 0",
                        (unsigned long long)image.width, image.height, image.depth, image.levels);
    }
    GEO_ASSERT(image.levels == 1 || has_levels(image.type));
    GEO_ASSERT(image.depth == 1 || image.type == ZE_IMAGE_TYPE_3D);
    *out = image;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_image_format_check_srgb(const struct geo_image_desc *desc)
{
    switch (desc->format.layout) {
    case ZE_IMAGE_FORMAT_LAYOUT_8:
    case ZE_IMAGE_FORMAT_LAYOUT_8_8:
    case ZE_IMAGE_FORMAT_LAYOUT_8_8_8:
    case ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8:
        if (desc->format.type == ZE_IMAGE_FORMAT_TYPE_UNORM) {
            return ZE_RESULT_SUCCESS;
        }
        break;
    default:
        break;
    }
    return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                    "only channels of 8 bits, UNORM, can be sRGB");
}

/* ---- samplers ---- */

ze_result_t geo_image_format_describe_sampler(const ze_sampler_desc_t *desc,
                                              struct geo_sampler_desc *out)
{
    if (!GEO_ENUM_HAS(ze_sampler_address_mode_t, desc->addressMode) ||
        !GEO_ENUM_HAS(ze_sampler_filter_mode_t, desc->filterMode)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION,
                        "address mode %u or filter mode %u is unknown", (unsigned)desc->addressMode,
                        (unsigned)desc->filterMode);
    }
    *out = (struct geo_sampler_desc){
        .address = desc->addressMode,
        .filter = desc->filterMode,
        .normalized = desc->isNormalized != 0,
    };
    return ZE_RESULT_SUCCESS;
}
