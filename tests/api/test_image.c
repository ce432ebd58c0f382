/* API test of image objects: formats, types and extents, limits, properties, memory, residency. */
#include "image_support.h"

static const ze_image_format_layout_t media[] = {
    ZE_IMAGE_FORMAT_LAYOUT_Y8,   ZE_IMAGE_FORMAT_LAYOUT_NV12, ZE_IMAGE_FORMAT_LAYOUT_YUYV,
    ZE_IMAGE_FORMAT_LAYOUT_VYUY, ZE_IMAGE_FORMAT_LAYOUT_YVYU, ZE_IMAGE_FORMAT_LAYOUT_UYVY,
    ZE_IMAGE_FORMAT_LAYOUT_AYUV, ZE_IMAGE_FORMAT_LAYOUT_P010, ZE_IMAGE_FORMAT_LAYOUT_Y410,
    ZE_IMAGE_FORMAT_LAYOUT_P012, ZE_IMAGE_FORMAT_LAYOUT_Y16,  ZE_IMAGE_FORMAT_LAYOUT_P016,
    ZE_IMAGE_FORMAT_LAYOUT_Y216, ZE_IMAGE_FORMAT_LAYOUT_P216, ZE_IMAGE_FORMAT_LAYOUT_P8,
    ZE_IMAGE_FORMAT_LAYOUT_YUY2, ZE_IMAGE_FORMAT_LAYOUT_A8P8, ZE_IMAGE_FORMAT_LAYOUT_IA44,
    ZE_IMAGE_FORMAT_LAYOUT_AI44, ZE_IMAGE_FORMAT_LAYOUT_Y416, ZE_IMAGE_FORMAT_LAYOUT_Y210,
    ZE_IMAGE_FORMAT_LAYOUT_I420, ZE_IMAGE_FORMAT_LAYOUT_YV12, ZE_IMAGE_FORMAT_LAYOUT_400P,
    ZE_IMAGE_FORMAT_LAYOUT_422H, ZE_IMAGE_FORMAT_LAYOUT_422V, ZE_IMAGE_FORMAT_LAYOUT_444P,
    ZE_IMAGE_FORMAT_LAYOUT_RGBP, ZE_IMAGE_FORMAT_LAYOUT_BRGP,
};
enum { MEDIA = sizeof(media) / sizeof(media[0]) };

static const ze_image_type_t types[] = {ZE_IMAGE_TYPE_1D, ZE_IMAGE_TYPE_1DARRAY,
                                        ZE_IMAGE_TYPE_2D, ZE_IMAGE_TYPE_2DARRAY,
                                        ZE_IMAGE_TYPE_3D, ZE_IMAGE_TYPE_BUFFER};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

static ze_result_t create_result(struct api *api, const ze_image_desc_t *desc)
{
    ze_image_handle_t image = NULL;
    ze_result_t result = zeImageCreate(api->context, api->device, desc, &image);
    if (result == ZE_RESULT_SUCCESS) {
        assert_success(zeImageDestroy(image));
    }
    return result;
}

static ze_device_image_properties_t limits_of(struct api *api)
{
    ze_device_image_properties_t limits = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    assert_success(zeDeviceGetImageProperties(api->device, &limits));
    return limits;
}

/* ---- formats ---- */

/* IMG-2, IMG-3, IMG-4, IMG-5, IMG-6, VAL-16: what the table has is there, what it has not is not */
static void formats_are_those_of_the_table(void **state)
{
    struct api *api = *state;
    for (size_t i = 0; i < IMAGE_LAYOUTS; i++) {
        for (uint32_t number = 0; number <= ZE_IMAGE_FORMAT_TYPE_FLOAT; number++) {
            for (size_t t = 0; t < TYPES; t++) {
                ze_image_desc_t desc = image_desc(types[t], image_layouts[i].layout,
                                                  (ze_image_format_type_t)number, 48, 3, 2, 2);
                assert_result(create_result(api, &desc),
                              image_layouts[i].types & 1u << number
                                  ? ZE_RESULT_SUCCESS
                                  : ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
            }
        }
    }
}

/* IMG-8: whatever type and swizzle say; no buffers */
static void media_formats_have_no_type(void **state)
{
    struct api *api = *state;
    for (size_t i = 0; i < MEDIA; i++) {
        for (size_t t = 0; t < TYPES; t++) {
            ze_image_desc_t desc =
                image_desc(types[t], media[i], ZE_IMAGE_FORMAT_TYPE_FLOAT, 33, 17, 2, 2);
            desc.format.x = (ze_image_format_swizzle_t)77;
            desc.format.type = (ze_image_format_type_t)(i % 2 ? 99 : 1);
            assert_result(create_result(api, &desc), types[t] == ZE_IMAGE_TYPE_BUFFER
                                                         ? ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT
                                                         : ZE_RESULT_SUCCESS);
        }
    }
}

/* IMG-2, VAL-16 */
static void unknown_values_are_refused(void **state)
{
    struct api *api = *state;
    const ze_image_desc_t good =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, 4, 4);
    ze_image_desc_t desc = good;
    desc.type = (ze_image_type_t)6;
    assert_result(create_result(api, &desc), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc = good;
    desc.flags = 1u << 7;
    assert_result(create_result(api, &desc), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc = good;
    desc.format.layout = (ze_image_format_layout_t)46;
    assert_result(create_result(api, &desc), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc = good;
    desc.format.type = (ze_image_format_type_t)5;
    assert_result(create_result(api, &desc), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    ze_image_format_swizzle_t *swizzles[] = {&desc.format.x, &desc.format.y, &desc.format.z,
                                             &desc.format.w};
    for (size_t i = 0; i < 4; i++) {
        desc = good;
        *swizzles[i] = ZE_IMAGE_FORMAT_SWIZZLE_R; /* one channel for several components */
        assert_success(create_result(api, &desc));
        *swizzles[i] = (ze_image_format_swizzle_t)8;
        assert_result(create_result(api, &desc), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    }
}

static void srgb_is_for_colours_of_eight_bits(void **state)
{
    struct api *api = *state;
    ze_srgb_ext_desc_t srgb = {.stype = ZE_STRUCTURE_TYPE_SRGB_EXT_DESC, .sRGB = 1};
    for (size_t i = 0; i < IMAGE_LAYOUTS; i++) {
        ze_image_desc_t desc =
            image_desc_2d(image_layouts[i].layout, ZE_IMAGE_FORMAT_TYPE_UNORM, 4, 4);
        bool eight = image_layouts[i].layout == ZE_IMAGE_FORMAT_LAYOUT_8 ||
                     image_layouts[i].layout == ZE_IMAGE_FORMAT_LAYOUT_8_8 ||
                     image_layouts[i].layout == ZE_IMAGE_FORMAT_LAYOUT_8_8_8 ||
                     image_layouts[i].layout == ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8;
        desc.pNext = &srgb;
        assert_result(create_result(api, &desc),
                      eight ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    }
    ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT, 4, 4);
    desc.pNext = &srgb;
    assert_result(create_result(api, &desc), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    srgb.sRGB = 0;
    assert_success(create_result(api, &desc));
}

/* IMG-10: hints, beside the flag of kernels and without it */
static void flags_of_caches_are_hints(void **state)
{
    struct api *api = *state;
    ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, 4, 4);
    desc.flags = ZE_IMAGE_FLAG_BIAS_UNCACHED;
    assert_success(create_result(api, &desc));
    desc.flags = ZE_IMAGE_FLAG_BIAS_UNCACHED | ZE_IMAGE_FLAG_KERNEL_WRITE;
    assert_success(create_result(api, &desc));
}

/* ---- extents ---- */

/* IMG-7, IMG-12: what a type has not got may say anything */
static void extents_are_those_of_the_type(void **state)
{
    struct api *api = *state;
    static const struct {
        ze_image_type_t type;
        bool height, depth, levels;
    } has[] = {
        {ZE_IMAGE_TYPE_1D, false, false, false}, {ZE_IMAGE_TYPE_1DARRAY, false, false, true},
        {ZE_IMAGE_TYPE_2D, true, false, false},  {ZE_IMAGE_TYPE_2DARRAY, true, false, true},
        {ZE_IMAGE_TYPE_3D, true, true, false},   {ZE_IMAGE_TYPE_BUFFER, false, false, false},
    };
    for (size_t i = 0; i < sizeof(has) / sizeof(has[0]); i++) {
        const ze_image_desc_t good = image_desc(has[i].type, ZE_IMAGE_FORMAT_LAYOUT_32,
                                                ZE_IMAGE_FORMAT_TYPE_UINT, 16, 5, 4, 3);
        const uint64_t slice = has[i].type == ZE_IMAGE_TYPE_BUFFER ? 16 : 64;
        ze_image_desc_t desc = good;
        ze_image_handle_t image = image_create(api, &desc);
        ze_image_memory_properties_exp_t memory = image_memory(image);
        uint64_t rows = has[i].height ? 5 : 1, slices = has[i].depth ? 4 : has[i].levels ? 3 : 1;
        assert_int_equal(memory.rowPitch, slice);
        assert_int_equal(memory.slicePitch, slice * rows);
        assert_int_equal(memory.size, slice * rows * slices);
        assert_success(zeImageDestroy(image));
        desc.width = 0;
        assert_result(create_result(api, &desc), ZE_RESULT_ERROR_INVALID_SIZE);
        desc = good;
        desc.height = 0;
        assert_result(create_result(api, &desc),
                      has[i].height ? ZE_RESULT_ERROR_INVALID_SIZE : ZE_RESULT_SUCCESS);
        desc = good;
        desc.depth = 0;
        assert_result(create_result(api, &desc),
                      has[i].depth ? ZE_RESULT_ERROR_INVALID_SIZE : ZE_RESULT_SUCCESS);
        desc = good;
        desc.arraylevels = 0;
        assert_result(create_result(api, &desc),
                      has[i].levels ? ZE_RESULT_ERROR_INVALID_SIZE : ZE_RESULT_SUCCESS);
        desc = good;
        desc.miplevels = 1;
        assert_result(create_result(api, &desc), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
}

/* IMG-7: bytes, of which whole pixels count */
static void widths_of_buffers_are_bytes(void **state)
{
    struct api *api = *state;
    ze_image_desc_t desc = image_desc(ZE_IMAGE_TYPE_BUFFER, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32,
                                      ZE_IMAGE_FORMAT_TYPE_FLOAT, 100, 0, 0, 0);
    ze_image_handle_t image = image_create(api, &desc);
    assert_int_equal(image_memory(image).size, 96);
    assert_success(zeImageDestroy(image));
    desc.width = 15;
    assert_result(create_result(api, &desc), ZE_RESULT_ERROR_INVALID_SIZE);
}

/* DEV-16, IMG-7: as far as the properties say, and no farther */
static void limits_hold(void **state)
{
    struct api *api = *state;
    const ze_device_image_properties_t limits = limits_of(api);
    assert_true(limits.maxImageDims1D >= 16384 && limits.maxImageDims2D >= 16384);
    assert_true(limits.maxImageDims3D >= 2048 && limits.maxImageArraySlices >= 2048);
    assert_true(limits.maxImageBufferSize >= 65536 * 16);
    assert_true(limits.maxSamplers >= 16);
    assert_true(limits.maxReadImageArgs >= 128 && limits.maxWriteImageArgs >= 64);
    const uint32_t one = limits.maxImageDims1D, two = limits.maxImageDims2D,
                   three = limits.maxImageDims3D, levels = limits.maxImageArraySlices;
    const struct {
        ze_image_type_t type;
        uint32_t width, height, depth, levels;
    } most[] = {
        {ZE_IMAGE_TYPE_1D, one, 0, 0, 0},         {ZE_IMAGE_TYPE_1DARRAY, 4, 0, 0, levels},
        {ZE_IMAGE_TYPE_2D, two, 4, 0, 0},         {ZE_IMAGE_TYPE_2D, 4, two, 0, 0},
        {ZE_IMAGE_TYPE_2DARRAY, 4, 4, 0, levels}, {ZE_IMAGE_TYPE_3D, three, 2, 2, 0},
        {ZE_IMAGE_TYPE_3D, 2, three, 2, 0},       {ZE_IMAGE_TYPE_3D, 2, 2, three, 0},
    };
    for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
        ze_image_desc_t desc =
            image_desc(most[i].type, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT,
                       most[i].width, most[i].height, most[i].depth, most[i].levels);
        assert_success(create_result(api, &desc));
        desc.width += desc.width > 4;
        desc.height += desc.height > 4;
        desc.depth += desc.depth > 4;
        desc.arraylevels += desc.arraylevels > 4;
        assert_result(create_result(api, &desc), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    }
    ze_image_desc_t desc = image_desc(ZE_IMAGE_TYPE_BUFFER, ZE_IMAGE_FORMAT_LAYOUT_8,
                                      ZE_IMAGE_FORMAT_TYPE_UINT, 0, 0, 0, 0);
    desc.width = limits.maxImageBufferSize + 1;
    assert_result(create_result(api, &desc), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    desc.width = UINT64_MAX;
    assert_result(create_result(api, &desc), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
}

/* ---- properties ---- */

/* IMG-11: without creating it */
static void properties_tell_filters(void **state)
{
    struct api *api = *state;
    ze_image_format_support_ext_properties_t support = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_FORMAT_SUPPORT_EXT_PROPERTIES, .supported = 77};
    ze_image_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES,
                                        .pNext = &support};
    ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, 4, 4);
    assert_success(zeImageGetProperties(api->device, &desc, &properties));
    assert_int_equal(support.supported, 1);
    if (api->executes) {
        assert_int_equal(properties.samplerFilterFlags,
                         ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT | ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR);
    }
    desc.format.type = ZE_IMAGE_FORMAT_TYPE_SINT; /* integers have nothing in between */
    assert_success(zeImageGetProperties(api->device, &desc, &properties));
    assert_int_equal(support.supported, 1);
    assert_int_equal(properties.samplerFilterFlags, ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT);
    desc.format.layout = ZE_IMAGE_FORMAT_LAYOUT_NV12; /* can be made, not be sampled */
    assert_success(zeImageGetProperties(api->device, &desc, &properties));
    assert_int_equal(support.supported, 1);
    assert_int_equal(properties.samplerFilterFlags, 0);
    desc.format.layout = ZE_IMAGE_FORMAT_LAYOUT_11_11_10;
    properties.samplerFilterFlags = ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT;
    assert_success(zeImageGetProperties(api->device, &desc, &properties));
    assert_int_equal(support.supported, 0);
    assert_int_equal(properties.samplerFilterFlags, 0);
    properties.pNext = NULL;
    assert_result(zeImageGetProperties(api->device, &desc, &properties),
                  ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
}

/* ---- memory ---- */

static uint64_t allocation_id(struct api *api, ze_image_handle_t image)
{
    ze_image_allocation_ext_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_ALLOCATION_EXT_PROPERTIES};
    assert_success(zeImageGetAllocPropertiesExt(api->context, image, &properties));
    return properties.id;
}

static void images_have_allocations_of_their_own(void **state)
{
    struct api *api = *state;
    const ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, 100, 7);
    ze_image_handle_t one = image_create(api, &desc), two = image_create(api, &desc);
    ze_image_memory_properties_exp_t memory = image_memory(one);
    assert_true(memory.rowPitch >= 400);
    assert_true(memory.slicePitch >= 7 * memory.rowPitch);
    assert_true(memory.size >= 6 * memory.rowPitch + 400);
    assert_int_not_equal(allocation_id(api, one), allocation_id(api, two));
    assert_success(zeImageDestroy(one));
    assert_success(zeImageDestroy(two));
}

/* VAL-6, IMG-9 */
static void destroyed_images_are_gone(void **state)
{
    struct api *api = *state;
    const ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, 4, 4);
    ze_image_memory_properties_exp_t memory = {.stype =
                                                   ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES};
    ze_image_handle_t foreign = api_foreign_handle();
    assert_result(zeImageDestroy(foreign), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeImageGetMemoryPropertiesExp(foreign, &memory),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeImageDestroy(image_create(api, &desc)));
}

/* The context goes with the last of its objects. */
static void images_outlive_their_context(void **state)
{
    struct api *api = *state;
    ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, 400, 400);
    ze_context_handle_t context;
    ze_image_handle_t image;
    assert_success(zeContextCreate(api->driver, &context_desc, &context));
    assert_success(zeImageCreate(context, api->device, &desc, &image));
    assert_success(zeContextDestroy(context));
    assert_true(image_memory(image).size >= 160000);
    assert_success(zeImageDestroy(image));
}

/* RES-4 */
static void images_can_be_made_resident(void **state)
{
    struct api *api = *state;
    const ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, 4, 4);
    ze_image_handle_t image = image_create(api, &desc);
    assert_success(zeContextMakeImageResident(api->context, api->device, image));
    assert_success(zeContextEvictImage(api->context, api->device, image));
    assert_result(zeContextMakeImageResident(api->context, api->device, api_foreign_handle()),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeContextEvictImage(api->context, api->device, api_foreign_handle()),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeImageDestroy(image));
}

static ze_result_t sampler_result(struct api *api, uint32_t address, uint32_t filter,
                                  ze_bool_t normalized)
{
    ze_sampler_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                              .addressMode = (ze_sampler_address_mode_t)address,
                              .filterMode = (ze_sampler_filter_mode_t)filter,
                              .isNormalized = normalized};
    ze_sampler_handle_t sampler = NULL;
    ze_result_t result = zeSamplerCreate(api->context, api->device, &desc, &sampler);
    if (result == ZE_RESULT_SUCCESS) {
        assert_non_null(sampler);
        assert_success(zeSamplerDestroy(sampler));
    }
    return result;
}

/* IMG-13 */
static void samplers_of_all_modes(void **state)
{
    struct api *api = *state;
    for (uint32_t address = 0; address <= ZE_SAMPLER_ADDRESS_MODE_MIRROR; address++) {
        for (uint32_t filter = 0; filter <= ZE_SAMPLER_FILTER_MODE_LINEAR; filter++) {
            assert_success(sampler_result(api, address, filter, 0));
            assert_success(sampler_result(api, address, filter, 1));
        }
    }
    assert_result(sampler_result(api, 5, 0, 0), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(sampler_result(api, 0, 2, 0), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_result(zeSamplerDestroy(api_foreign_handle()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static const struct api_case cases[] = {
    API_CASE(formats_are_those_of_the_table), API_CASE(media_formats_have_no_type),
    API_CASE(unknown_values_are_refused),     API_CASE(srgb_is_for_colours_of_eight_bits),
    API_CASE(flags_of_caches_are_hints),      API_CASE(extents_are_those_of_the_type),
    API_CASE(widths_of_buffers_are_bytes),    API_CASE(limits_hold),
    API_CASE(properties_tell_filters),        API_CASE(images_have_allocations_of_their_own),
    API_CASE(destroyed_images_are_gone),      API_CASE(images_outlive_their_context),
    API_CASE(images_can_be_made_resident),    API_CASE(samplers_of_all_modes),
};
API_MAIN("image", cases)
