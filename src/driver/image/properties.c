/* Fills the image properties of a device. See properties.h. */
#include "driver/image/properties.h"

#include "ddi/geo_ddi_chain.h"
#include "driver/image/image.h"

static struct geo_image_limits limits_of(const struct geo_device *device)
{
    struct geo_image_limits limits = {0};
    const struct geo_image_ops *ops = device->base.driver->ops->image;
    if (ops) {
        ops->limits(device->backend_device, &limits);
    }
    return limits;
}

/* Fills the structures in the chain of ze_device_image_properties_t. */
static void properties_extend(const struct geo_image_limits *limits, const void *next)
{
    ze_device_pitched_alloc_exp_properties_t *pitched = GEO_CHAIN_FIND(
        ze_device_image_properties_t, ze_device_pitched_alloc_exp_properties_t, next);
    if (pitched) {
        pitched->maxImageLinearWidth = limits->linear_width;
        pitched->maxImageLinearHeight = limits->linear_height;
    }
    ze_pitched_alloc_2dimage_linear_pitch_exp_info_t *pitch =
        GEO_CHAIN_FIND(ze_device_pitched_alloc_exp_properties_t,
                       ze_pitched_alloc_2dimage_linear_pitch_exp_info_t, next);
    if (pitch) {
        pitch->pitchAlign = limits->pitch_align;
        pitch->maxSupportedPitch = limits->max_pitch;
    }
}

void geo_image_fill_properties(const struct geo_device *device, ze_device_image_properties_t *out)
{
    const struct geo_image_limits limits = limits_of(device);
    out->maxImageDims1D = limits.max_width_1d;
    out->maxImageDims2D = limits.max_width_2d;
    out->maxImageDims3D = limits.max_width_3d;
    out->maxImageBufferSize = limits.max_buffer_bytes;
    out->maxImageArraySlices = limits.max_array_levels;
    out->maxSamplers = limits.max_samplers;
    out->maxReadImageArgs = limits.max_read_arguments;
    out->maxWriteImageArgs = limits.max_write_arguments;
    properties_extend(&limits, GEO_CHAIN_OF(ze_device_image_properties_t, out));
}

/* Returns a layout whose pixels have this size. */
static bool layout_of(uint32_t bytes, ze_image_format_layout_t *layout)
{
    static const struct {
        uint32_t bytes;
        ze_image_format_layout_t layout;
    } sizes[] = {
        {1, ZE_IMAGE_FORMAT_LAYOUT_8},         {2, ZE_IMAGE_FORMAT_LAYOUT_8_8},
        {3, ZE_IMAGE_FORMAT_LAYOUT_8_8_8},     {4, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8},
        {6, ZE_IMAGE_FORMAT_LAYOUT_16_16_16},  {8, ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16},
        {12, ZE_IMAGE_FORMAT_LAYOUT_32_32_32}, {16, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32},
    };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (sizes[i].bytes == bytes) {
            *layout = sizes[i].layout;
            return true;
        }
    }
    return false;
}

ze_result_t geo_image_properties_pitch(const struct geo_device *device, size_t width, size_t height,
                                       uint32_t element_bytes, size_t *pitch)
{
    struct geo_image_desc desc = {.type = ZE_IMAGE_TYPE_2D,
                                  .format = {.type = ZE_IMAGE_FORMAT_TYPE_UINT},
                                  .width = width,
                                  .height = (uint32_t)height,
                                  .depth = 1,
                                  .levels = 1,
                                  .linear = true};
    struct geo_image_info info;
    if (!width || !height || height > UINT32_MAX ||
        !layout_of(element_bytes, &desc.format.layout)) {
        return geo_fail(
            ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
            "an image of %zux%zu elements of %u bytes has no pitch. Width and height must "
            "not be 0. An element must have 1, 2, 3, 4, 6, 8, 12 or 16 bytes",
            width, height, element_bytes);
    }
    GEO_CHECK(geo_image_plan(device, &desc, &info));
    GEO_ASSERT(info.row_pitch >= (uint64_t)width * element_bytes);
    *pitch = info.row_pitch;
    return ZE_RESULT_SUCCESS;
}
