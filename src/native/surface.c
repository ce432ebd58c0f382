/* Computes the fields of a surface that depend on its format. See surface.h. */
#include "native/surface.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#define NUMBERS_INTEGER (1u << ZE_IMAGE_FORMAT_TYPE_UINT | 1u << ZE_IMAGE_FORMAT_TYPE_SINT)
#define NUMBERS_UNORM   (1u << ZE_IMAGE_FORMAT_TYPE_UNORM)
#define NUMBERS_FLOAT   (1u << ZE_IMAGE_FORMAT_TYPE_FLOAT)
#define NUMBERS_FIXED   (NUMBERS_INTEGER | NUMBERS_UNORM | 1u << ZE_IMAGE_FORMAT_TYPE_SNORM)

/* A format layout: position and size of its channels, in the order of the layout's name, which is
 * R, G, B, A of a swizzle. The specification does not define where channels lie that share bytes.
 * The order is that of GPUs' B5G6R5, B5G5R5A1, B4G4R4A4, R10G10B10A2 and R11G11B10. */
struct layout {
    ze_image_format_layout_t layout;
    uint32_t numbers; /* allowed types: 1 << ze_image_format_type_t */
    uint32_t channels;
    uint8_t first[4], bits[4];
};

static const struct layout layouts[] = {
    {ZE_IMAGE_FORMAT_LAYOUT_8, NUMBERS_FIXED, 1, {0}, {8}},
    {ZE_IMAGE_FORMAT_LAYOUT_16, NUMBERS_FIXED | NUMBERS_FLOAT, 1, {0}, {16}},
    {ZE_IMAGE_FORMAT_LAYOUT_32, NUMBERS_FIXED | NUMBERS_FLOAT, 1, {0}, {32}},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8, NUMBERS_FIXED, 2, {0, 8}, {8, 8}},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, NUMBERS_FIXED, 4, {0, 8, 16, 24}, {8, 8, 8, 8}},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16, NUMBERS_FIXED | NUMBERS_FLOAT, 2, {0, 16}, {16, 16}},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16,
     NUMBERS_FIXED | NUMBERS_FLOAT,
     4,
     {0, 16, 32, 48},
     {16, 16, 16, 16}},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32, NUMBERS_FIXED | NUMBERS_FLOAT, 2, {0, 32}, {32, 32}},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32,
     NUMBERS_FIXED | NUMBERS_FLOAT,
     4,
     {0, 32, 64, 96},
     {32, 32, 32, 32}},
    {ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2, NUMBERS_FIXED, 4, {0, 10, 20, 30}, {10, 10, 10, 2}},
    {ZE_IMAGE_FORMAT_LAYOUT_11_11_10, NUMBERS_FLOAT, 3, {0, 11, 22}, {11, 11, 10}},
    {ZE_IMAGE_FORMAT_LAYOUT_5_6_5, NUMBERS_UNORM, 3, {11, 5, 0}, {5, 6, 5}},
    {ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1, NUMBERS_UNORM, 4, {10, 5, 0, 15}, {5, 5, 5, 1}},
    {ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4, NUMBERS_UNORM, 4, {8, 4, 0, 12}, {4, 4, 4, 4}},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8_8, NUMBERS_FIXED, 3, {0, 8, 16}, {8, 8, 8}},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16, NUMBERS_FIXED | NUMBERS_FLOAT, 3, {0, 16, 32}, {16, 16, 16}},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32_32, NUMBERS_FIXED | NUMBERS_FLOAT, 3, {0, 32, 64}, {32, 32, 32}},
};

static const struct layout *layout_find(ze_image_format_layout_t layout)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        if (layouts[i].layout == layout) {
            return &layouts[i];
        }
    }
    return NULL;
}

static enum geo_surface_number number_of(const struct layout *layout, ze_image_format_type_t type,
                                         bool srgb)
{
    switch (type) {
    case ZE_IMAGE_FORMAT_TYPE_UINT:
        return GEO_SURFACE_UINT;
    case ZE_IMAGE_FORMAT_TYPE_SINT:
        return GEO_SURFACE_SINT;
    case ZE_IMAGE_FORMAT_TYPE_UNORM:
        return srgb                    ? GEO_SURFACE_SRGB
               : layout->bits[0] == 32 ? GEO_SURFACE_UNORM_32
                                       : GEO_SURFACE_UNORM;
    case ZE_IMAGE_FORMAT_TYPE_SNORM:
        return GEO_SURFACE_SNORM;
    default:
        return layout->bits[0] == 32 ? GEO_SURFACE_FLOAT : GEO_SURFACE_HALF;
    }
}

/* ---- components ---- */

/* Returns the channel that a component shows; UINT32_MAX: none. */
static uint32_t channel_of(const struct layout *layout, ze_image_format_swizzle_t swizzle)
{
    uint32_t channel = swizzle == ZE_IMAGE_FORMAT_SWIZZLE_D ? 0 : (uint32_t)swizzle;
    return swizzle != ZE_IMAGE_FORMAT_SWIZZLE_0 && swizzle != ZE_IMAGE_FORMAT_SWIZZLE_1 &&
                   swizzle != ZE_IMAGE_FORMAT_SWIZZLE_X && channel < layout->channels
               ? channel
               : UINT32_MAX;
}

/* Returns the bits of the number 1 in the format's encoding. */
static uint32_t one_of(uint32_t number)
{
    return number == GEO_SURFACE_FLOAT ? 0x3F800000u : number == GEO_SURFACE_HALF ? 0x3C00u : 1u;
}

/* Makes a component without a channel constant: 0, or 1 for alpha. */
static void constant_set(struct geo_surface *surface, uint32_t i, ze_image_format_swizzle_t swizzle)
{
    bool one = swizzle == ZE_IMAGE_FORMAT_SWIZZLE_1 || swizzle == ZE_IMAGE_FORMAT_SWIZZLE_A ||
               (swizzle == ZE_IMAGE_FORMAT_SWIZZLE_X && i == 3);
    surface->word[i] = surface->shift[i] = surface->mask[i] = surface->put[i] = 0;
    surface->align[i] = 0;
    surface->scale[i] = surface->limit[i] = 1.0f;
    surface->fill[i] = one ? one_of(surface->number) : 0;
}

static void component_set(struct geo_surface *surface, uint32_t i, const struct layout *layout,
                          uint32_t channel, bool first)
{
    uint32_t bits = layout->bits[channel];
    uint32_t mask = UINT32_MAX >> (32 - bits);
    bool sign = surface->number == GEO_SURFACE_SINT || surface->number == GEO_SURFACE_SNORM;
    uint32_t largest = surface->number == GEO_SURFACE_SNORM ? mask >> 1 : mask;
    surface->word[i] = layout->first[channel] / 32;
    surface->shift[i] = layout->first[channel] % 32;
    surface->mask[i] = mask;
    surface->put[i] = first ? mask : 0;
    surface->fill[i] = 0;
    surface->align[i] = sign                                               ? 32 - bits
                        : surface->number == GEO_SURFACE_HALF && bits < 16 ? 15 - bits
                        : surface->number == GEO_SURFACE_SRGB && i == 3    ? 1
                                                                           : 0;
    surface->scale[i] = (float)(1.0 / largest);
    surface->limit[i] = (float)largest;
}

/* Sets all components. If several show one channel, writes use the first of them. */
static void components_set(struct geo_surface *surface, const struct layout *layout,
                           const ze_image_format_swizzle_t swizzle[4])
{
    bool words = layout->bits[0] == 32;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t channel = channel_of(layout, swizzle[i]);
        if (channel == UINT32_MAX) {
            constant_set(surface, i, swizzle[i]);
            words = words && i >= layout->channels;
        } else {
            component_set(surface, i, layout, channel, !(seen >> channel & 1));
            seen |= 1u << channel;
            words = words && channel == i;
        }
    }
    surface->flags = words ? GEO_SURFACE_WORDS : 0u;
    bool alpha = swizzle[3] <= ZE_IMAGE_FORMAT_SWIZZLE_A;
    surface->border = alpha ? 0 : one_of(surface->number);
}

/* ---- queries ---- */

/* Returns the channel data type for queries. Formats without an enumerant get the closest one that
 * reads alike. */
static uint32_t type_tell(const struct layout *layout, ze_image_format_type_t type)
{
    static const uint32_t types[][3] = {
        [ZE_IMAGE_FORMAT_TYPE_UINT] = {SpvImageChannelDataTypeUnsignedInt8,
                                       SpvImageChannelDataTypeUnsignedInt16,
                                       SpvImageChannelDataTypeUnsignedInt32},
        [ZE_IMAGE_FORMAT_TYPE_SINT] = {SpvImageChannelDataTypeSignedInt8,
                                       SpvImageChannelDataTypeSignedInt16,
                                       SpvImageChannelDataTypeSignedInt32},
        [ZE_IMAGE_FORMAT_TYPE_UNORM] = {SpvImageChannelDataTypeUnormInt8,
                                        SpvImageChannelDataTypeUnormInt16,
                                        SpvImageChannelDataTypeUnormInt16},
        [ZE_IMAGE_FORMAT_TYPE_SNORM] = {SpvImageChannelDataTypeSnormInt8,
                                        SpvImageChannelDataTypeSnormInt16,
                                        SpvImageChannelDataTypeSnormInt16},
        [ZE_IMAGE_FORMAT_TYPE_FLOAT] = {SpvImageChannelDataTypeHalfFloat,
                                        SpvImageChannelDataTypeHalfFloat,
                                        SpvImageChannelDataTypeFloat},
    };
    if (type == ZE_IMAGE_FORMAT_TYPE_UNORM) {
        switch (layout->layout) {
        case ZE_IMAGE_FORMAT_LAYOUT_5_6_5:
            return SpvImageChannelDataTypeUnormShort565;
        case ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1:
            return SpvImageChannelDataTypeUnormShort555;
        case ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2:
            return SpvImageChannelDataTypeUnormInt101010_2;
        default:
            break;
        }
    }
    return types[type][layout->bits[0] <= 8 ? 0 : layout->bits[0] <= 16 ? 1 : 2];
}

#define ANY UINT32_MAX

/* Returns the channel order of a swizzle with this number of channels. */
static uint32_t order_tell(uint32_t channels, const ze_image_format_swizzle_t swizzle[4], bool srgb)
{
    enum { R, G, B, A, ZERO, ONE, X, D };
    static const struct {
        uint32_t channels, swizzle[4], order, srgb;
    } orders[] = {
        {1, {D, ANY, ANY, ANY}, SpvImageChannelOrderDepth, SpvImageChannelOrderDepth},
        {1, {R, R, R, R}, SpvImageChannelOrderIntensity, SpvImageChannelOrderIntensity},
        {1, {R, R, R, ANY}, SpvImageChannelOrderLuminance, SpvImageChannelOrderLuminance},
        {1, {R, ANY, ANY, ANY}, SpvImageChannelOrderR, SpvImageChannelOrderR},
        {1, {ANY, ANY, ANY, R}, SpvImageChannelOrderA, SpvImageChannelOrderA},
        {1, {ANY, ANY, ANY, ANY}, SpvImageChannelOrderR, SpvImageChannelOrderR},
        {2, {R, ANY, ANY, G}, SpvImageChannelOrderRA, SpvImageChannelOrderRA},
        {2, {ANY, ANY, ANY, ANY}, SpvImageChannelOrderRG, SpvImageChannelOrderRG},
        {3, {ANY, ANY, ANY, ANY}, SpvImageChannelOrderRGB, SpvImageChannelOrdersRGB},
        {4, {B, G, R, ANY}, SpvImageChannelOrderBGRA, SpvImageChannelOrdersBGRA},
        {4, {G, B, A, R}, SpvImageChannelOrderARGB, SpvImageChannelOrdersRGBA},
        {4, {A, B, G, R}, SpvImageChannelOrderABGR, SpvImageChannelOrdersRGBA},
        {4, {R, G, B, X}, SpvImageChannelOrderRGBx, SpvImageChannelOrdersRGBx},
        {4, {R, G, B, ONE}, SpvImageChannelOrderRGBx, SpvImageChannelOrdersRGBx},
        {4, {ANY, ANY, ANY, ANY}, SpvImageChannelOrderRGBA, SpvImageChannelOrdersRGBA},
    };
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        bool equal = orders[i].channels == channels;
        for (int c = 0; c < 4; c++) {
            equal = equal &&
                    (orders[i].swizzle[c] == ANY || orders[i].swizzle[c] == (uint32_t)swizzle[c]);
        }
        if (equal) {
            return srgb ? orders[i].srgb : orders[i].order;
        }
    }
    return SpvImageChannelOrderRGBA;
}

bool geo_surface_set_format(struct geo_surface *surface, const ze_image_format_t *format, bool srgb)
{
    const struct layout *layout = layout_find(format->layout);
    const ze_image_format_swizzle_t swizzle[4] = {format->x, format->y, format->z, format->w};
    if (!layout || (uint32_t)format->type > ZE_IMAGE_FORMAT_TYPE_FLOAT ||
        !(layout->numbers >> format->type & 1) ||
        (srgb && (format->type != ZE_IMAGE_FORMAT_TYPE_UNORM || layout->bits[0] != 8))) {
        return false;
    }
    uint32_t bits = 0;
    for (uint32_t i = 0; i < layout->channels; i++) {
        bits += layout->bits[i];
    }
    surface->pixel_bytes = bits / 8;
    surface->number = number_of(layout, format->type, srgb);
    components_set(surface, layout, swizzle);
    surface->channel_order = (uint16_t)order_tell(layout->channels, swizzle, srgb);
    surface->channel_type = (uint16_t)type_tell(layout, format->type);
    return true;
}
