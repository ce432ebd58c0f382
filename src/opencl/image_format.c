/* Formats of images: the channel orders R, RG, RGBA and BGRA with all types of 8, 16 and 32 bits. */
#include "opencl/image_format.h"

#include <math.h>
#include <string.h>

struct order {
    cl_channel_order order;
    unsigned channels;
    ze_image_format_swizzle_t swizzle[4];
};

struct type {
    cl_channel_type type;
    unsigned bytes; /* of a channel */
    ze_image_format_type_t ze;
};

#define R    ZE_IMAGE_FORMAT_SWIZZLE_R
#define G    ZE_IMAGE_FORMAT_SWIZZLE_G
#define B    ZE_IMAGE_FORMAT_SWIZZLE_B
#define A    ZE_IMAGE_FORMAT_SWIZZLE_A
#define ZERO ZE_IMAGE_FORMAT_SWIZZLE_0
#define ONE  ZE_IMAGE_FORMAT_SWIZZLE_1

static const struct order orders[] = {
    {CL_RGBA, 4, {R, G, B, A}},
    {CL_R, 1, {R, ZERO, ZERO, ONE}},
    {CL_RG, 2, {R, G, ZERO, ONE}},
    {CL_BGRA, 4, {B, G, R, A}}, /* UNORM_INT8 alone */
};

static const struct type types[] = {
    {CL_UNORM_INT8, 1, ZE_IMAGE_FORMAT_TYPE_UNORM},
    {CL_UNORM_INT16, 2, ZE_IMAGE_FORMAT_TYPE_UNORM},
    {CL_SNORM_INT8, 1, ZE_IMAGE_FORMAT_TYPE_SNORM},
    {CL_SNORM_INT16, 2, ZE_IMAGE_FORMAT_TYPE_SNORM},
    {CL_SIGNED_INT8, 1, ZE_IMAGE_FORMAT_TYPE_SINT},
    {CL_SIGNED_INT16, 2, ZE_IMAGE_FORMAT_TYPE_SINT},
    {CL_SIGNED_INT32, 4, ZE_IMAGE_FORMAT_TYPE_SINT},
    {CL_UNSIGNED_INT8, 1, ZE_IMAGE_FORMAT_TYPE_UINT},
    {CL_UNSIGNED_INT16, 2, ZE_IMAGE_FORMAT_TYPE_UINT},
    {CL_UNSIGNED_INT32, 4, ZE_IMAGE_FORMAT_TYPE_UINT},
    {CL_HALF_FLOAT, 2, ZE_IMAGE_FORMAT_TYPE_FLOAT},
    {CL_FLOAT, 4, ZE_IMAGE_FORMAT_TYPE_FLOAT},
};

#define TYPES (sizeof(types) / sizeof(types[0]))

size_t geo_ocl_image_format_count(void)
{
    return 3 * TYPES + 1;
}

cl_image_format geo_ocl_image_format_at(size_t index)
{
    return (cl_image_format){orders[index / TYPES].order, types[index % TYPES].type};
}

static const struct order *order_find(cl_channel_order order)
{
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        if (orders[i].order == order) {
            return &orders[i];
        }
    }
    return NULL;
}

static const struct type *type_find(cl_channel_type type)
{
    for (size_t i = 0; i < TYPES; i++) {
        if (types[i].type == type) {
            return &types[i];
        }
    }
    return NULL;
}

bool geo_ocl_image_format_is_valid(const cl_image_format *format)
{
    return format->image_channel_order >= CL_R && format->image_channel_order <= CL_ABGR &&
           format->image_channel_data_type >= CL_SNORM_INT8 &&
           format->image_channel_data_type <= CL_UNORM_INT_101010_2;
}

bool geo_ocl_image_format_convert(const cl_image_format *format, ze_image_format_t *out,
                                  size_t *element_bytes)
{
    static const ze_image_format_layout_t layouts[3][3] = {
        {ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_LAYOUT_8_8, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8},
        {ZE_IMAGE_FORMAT_LAYOUT_16, ZE_IMAGE_FORMAT_LAYOUT_16_16,
         ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16},
        {ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_LAYOUT_32_32,
         ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32},
    };
    const struct order *order = order_find(format->image_channel_order);
    const struct type *type = type_find(format->image_channel_data_type);
    if (!order || !type || (order->order == CL_BGRA && type->type != CL_UNORM_INT8)) {
        return false;
    }
    *out = (ze_image_format_t){.layout = layouts[type->bytes / 2][order->channels / 2],
                               .type = type->ze,
                               .x = order->swizzle[0],
                               .y = order->swizzle[1],
                               .z = order->swizzle[2],
                               .w = order->swizzle[3]};
    *element_bytes = (size_t)order->channels * type->bytes;
    return true;
}

/* Rounds a float to half precision, to the nearest even number. */
static uint16_t half_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    float magnitude = fabsf(value);
    if (isnan(value)) {
        return 0x7e00;
    }
    if (magnitude >= 65520.0f) {
        return sign | 0x7c00u;
    }
    if (magnitude < 6.103515625e-05f) { /* denormal: multiples of 2^-24 */
        return sign | (uint16_t)nearbyintf(magnitude * 16777216.0f);
    }
    memcpy(&bits, &magnitude, sizeof(bits));
    bits += 0xfffu + (bits >> 13 & 1);
    return sign | (uint16_t)((bits - (112u << 23)) >> 13);
}

static uint32_t channel_of(const struct type *type, const void *color, unsigned channel)
{
    float real;
    int32_t whole;
    uint32_t count;
    memcpy(&real, (const char *)color + 4 * channel, 4);
    memcpy(&whole, (const char *)color + 4 * channel, 4);
    memcpy(&count, (const char *)color + 4 * channel, 4);
    float most = (float)((1u << (8 * type->bytes % 32)) - 1);
    int32_t limit = type->bytes == 4 ? INT32_MAX : (1 << (8 * type->bytes - 1)) - 1;
    switch (type->ze) {
    case ZE_IMAGE_FORMAT_TYPE_UNORM:
        return (uint32_t)nearbyintf(fminf(fmaxf(real, 0.0f), 1.0f) * most);
    case ZE_IMAGE_FORMAT_TYPE_SNORM:
        return (uint32_t)(int32_t)nearbyintf(fminf(fmaxf(real, -1.0f), 1.0f) * (float)limit);
    case ZE_IMAGE_FORMAT_TYPE_SINT:
        return (uint32_t)(whole > limit ? limit : whole < -limit - 1 ? -limit - 1 : whole);
    case ZE_IMAGE_FORMAT_TYPE_UINT:
        return type->bytes < 4 && count > (uint32_t)most ? (uint32_t)most : count;
    default:
        return type->bytes == 2 ? half_of(real) : count;
    }
}

void geo_ocl_image_format_pack(const cl_image_format *format, const void *color, void *element)
{
    static const unsigned reversed[4] = {2, 1, 0, 3}, plain[4] = {0, 1, 2, 3};
    const struct order *order = order_find(format->image_channel_order);
    const struct type *type = type_find(format->image_channel_data_type);
    const unsigned *from = order->order == CL_BGRA ? reversed : plain;
    for (unsigned i = 0; i < order->channels; i++) {
        uint32_t value = channel_of(type, color, from[i]);
        memcpy((char *)element + i * type->bytes, &value, type->bytes);
    }
}
