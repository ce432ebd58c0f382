/* Images in API tests: descriptors, and the plain arithmetic of where pixels have to be. */
#ifndef TESTS_API_IMAGE_SUPPORT_H
#define TESTS_API_IMAGE_SUPPORT_H

#include "harness.h"

#include <stdlib.h>

enum {
    TYPE_UINT = 1u << ZE_IMAGE_FORMAT_TYPE_UINT,
    TYPE_SINT = 1u << ZE_IMAGE_FORMAT_TYPE_SINT,
    TYPE_UNORM = 1u << ZE_IMAGE_FORMAT_TYPE_UNORM,
    TYPE_SNORM = 1u << ZE_IMAGE_FORMAT_TYPE_SNORM,
    TYPE_FLOAT = 1u << ZE_IMAGE_FORMAT_TYPE_FLOAT,
    TYPE_FIXED = TYPE_UINT | TYPE_SINT | TYPE_UNORM | TYPE_SNORM,
};

/* The specification's table: which types a layout has; the bytes of its pixels. */
struct image_layout {
    ze_image_format_layout_t layout;
    uint32_t types, bytes;
};

static const struct image_layout image_layouts[] = {
    {ZE_IMAGE_FORMAT_LAYOUT_8, TYPE_FIXED, 1},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8, TYPE_FIXED, 2},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8_8, TYPE_FIXED, 3},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, TYPE_FIXED, 4},
    {ZE_IMAGE_FORMAT_LAYOUT_16, TYPE_FIXED | TYPE_FLOAT, 2},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16, TYPE_FIXED | TYPE_FLOAT, 4},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16, TYPE_FIXED | TYPE_FLOAT, 6},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16, TYPE_FIXED | TYPE_FLOAT, 8},
    {ZE_IMAGE_FORMAT_LAYOUT_32, TYPE_FIXED | TYPE_FLOAT, 4},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32, TYPE_FIXED | TYPE_FLOAT, 8},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32_32, TYPE_FIXED | TYPE_FLOAT, 12},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, TYPE_FIXED | TYPE_FLOAT, 16},
    {ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2, TYPE_FIXED | TYPE_FLOAT, 4},
    {ZE_IMAGE_FORMAT_LAYOUT_11_11_10, TYPE_FLOAT, 4},
    {ZE_IMAGE_FORMAT_LAYOUT_5_6_5, TYPE_UNORM, 2},
    {ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1, TYPE_UNORM, 2},
    {ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4, TYPE_UNORM, 2},
};
enum { IMAGE_LAYOUTS = sizeof(image_layouts) / sizeof(image_layouts[0]) };

/* levels: of an array; a buffer's width is in bytes. */
static inline ze_image_desc_t image_desc(ze_image_type_t type, ze_image_format_layout_t layout,
                                         ze_image_format_type_t number, uint64_t width,
                                         uint32_t height, uint32_t depth, uint32_t levels)
{
    return (ze_image_desc_t){
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
        .type = type,
        .format = {layout, number, ZE_IMAGE_FORMAT_SWIZZLE_R, ZE_IMAGE_FORMAT_SWIZZLE_G,
                   ZE_IMAGE_FORMAT_SWIZZLE_B, ZE_IMAGE_FORMAT_SWIZZLE_A},
        .width = width,
        .height = height,
        .depth = depth,
        .arraylevels = levels,
    };
}

static inline ze_image_desc_t image_desc_2d(ze_image_format_layout_t layout,
                                            ze_image_format_type_t number, uint64_t width,
                                            uint32_t height)
{
    return image_desc(ZE_IMAGE_TYPE_2D, layout, number, width, height, 0, 0);
}

static inline ze_image_handle_t image_create(struct api *api, const ze_image_desc_t *desc)
{
    ze_image_handle_t image = NULL;
    assert_success(zeImageCreate(api->context, api->device, desc, &image));
    assert_non_null(image);
    return image;
}

static inline ze_image_memory_properties_exp_t image_memory(ze_image_handle_t image)
{
    ze_image_memory_properties_exp_t memory = {.stype =
                                                   ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES};
    assert_success(zeImageGetMemoryPropertiesExp(image, &memory));
    return memory;
}

/* The module whose kernel "look" takes two images and a sampler (tests/fixtures/native_image.c). */
static inline ze_module_handle_t image_module(struct api *api)
{
    size_t bytes;
    uint8_t *content = api_read_file("tests/fixtures/native_image.o", &bytes);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_NATIVE,
                             .inputSize = bytes,
                             .pInputModule = content};
    ze_module_handle_t module = NULL;
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, NULL));
    free(content);
    return module;
}

/* Bytes that follow from their place and a seed. */
static inline uint8_t *image_bytes(size_t count, unsigned seed)
{
    uint8_t *bytes = malloc(count);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(i * 37 + seed + (i >> 8) * 5);
    }
    return bytes;
}

#endif
