/* API test of images in kernels: what the API creates and copies, SPIR-V reads, writes, samples and
 * asks for. How each format and mode is computed is the compiler's test. */
#include "image_support.h"

static void launch(struct api *api, struct api_list *list, ze_kernel_handle_t kernel, uint32_t x,
                   uint32_t y, uint32_t z)
{
    const ze_group_count_t groups = {x, y, z};
    assert_success(zeKernelSetGroupSize(kernel, 1, 1, 1));
    assert_success(zeCommandListAppendLaunchKernel(list->list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, list);
}

/* IMG-2, IMG-10: through a swizzle, too */
static void kernels_read_and_write_pixels(void **state)
{
    enum { WIDTH = 21, HEIGHT = 6, BYTES = WIDTH * HEIGHT * 4 };
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_spirv_module(api, "image_pixels");
    ze_kernel_handle_t kernel = api_kernel(module, "invert");
    ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT, WIDTH, HEIGHT);
    ze_image_handle_t out = image_create(api, &desc);
    desc.format.x = ZE_IMAGE_FORMAT_SWIZZLE_B; /* x and z change places */
    desc.format.z = ZE_IMAGE_FORMAT_SWIZZLE_R;
    ze_image_handle_t in = image_create(api, &desc);
    uint8_t *bytes = image_bytes(BYTES, 5), *read = image_bytes(BYTES, 6);
    assert_success(
        zeCommandListAppendImageCopyFromMemory(list.list, in, bytes, NULL, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(in), &in));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(out), &out));
    launch(api, &list, kernel, WIDTH, HEIGHT, 1);
    assert_success(zeCommandListAppendImageCopyToMemory(list.list, read, out, NULL, NULL, 0, NULL));
    api_list_run(api, &list);
    static const size_t from[] = {2, 1, 0, 3};
    for (size_t i = 0; i < BYTES; i++) {
        assert_int_equal(read[i], 255 - bytes[i / 4 * 4 + from[i % 4]]);
    }
    assert_success(zeImageDestroy(in));
    assert_success(zeImageDestroy(out));
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    free(bytes);
    free(read);
    api_list_destroy(&list);
}

/* IMG-13: between two pixels, at the edge and beyond it; 4 x 1 pixels of value 0, 1, 2, 3 */
static void kernels_sample_as_the_sampler_says(void **state)
{
    enum { PLACES = 4 };
    static const struct {
        ze_sampler_address_mode_t address;
        ze_sampler_filter_mode_t filter;
        float expected[PLACES];
    } rows[] = {
        {ZE_SAMPLER_ADDRESS_MODE_CLAMP, ZE_SAMPLER_FILTER_MODE_NEAREST, {1, 2, 0, 3}},
        {ZE_SAMPLER_ADDRESS_MODE_CLAMP, ZE_SAMPLER_FILTER_MODE_LINEAR, {1, 1.5f, 0, 3}},
        {ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, ZE_SAMPLER_FILTER_MODE_NEAREST, {1, 2, 0, 0}},
        {ZE_SAMPLER_ADDRESS_MODE_REPEAT, ZE_SAMPLER_FILTER_MODE_NEAREST, {1, 2, 3, 1}},
        {ZE_SAMPLER_ADDRESS_MODE_MIRROR, ZE_SAMPLER_FILTER_MODE_NEAREST, {1, 2, 0, 2}},
    };
    static const float pixels[] = {0, 1, 2, 3};
    /* of 4 pixels: the middle of pixel 1, between 1 and 2, half a pixel before, 1.5 behind */
    static const float places[PLACES][2] = {
        {0.375f, 0.5f}, {0.5f, 0.5f}, {-0.125f, 0.5f}, {1.375f, 0.5f}};
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_spirv_module(api, "image_pixels");
    ze_kernel_handle_t kernel = api_kernel(module, "sample");
    const ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, 4, 1);
    ze_image_handle_t image = image_create(api, &desc);
    float *at = api_alloc_shared(api, sizeof(places));
    float *out = api_alloc_shared(api, PLACES * 4 * sizeof(float));
    memcpy(at, places, sizeof(places));
    assert_success(
        zeCommandListAppendImageCopyFromMemory(list.list, image, pixels, NULL, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(image), &image));
    assert_success(zeKernelSetArgumentValue(kernel, 2, sizeof(at), &at));
    assert_success(zeKernelSetArgumentValue(kernel, 3, sizeof(out), &out));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ze_sampler_desc_t sampler_desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                                          .addressMode = rows[i].address,
                                          .filterMode = rows[i].filter,
                                          .isNormalized = 1};
        ze_sampler_handle_t sampler;
        assert_success(zeSamplerCreate(api->context, api->device, &sampler_desc, &sampler));
        assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(sampler), &sampler));
        launch(api, &list, kernel, PLACES, 1, 1);
        for (size_t k = 0; k < PLACES; k++) {
            assert_true(out[k * 4] == rows[i].expected[k]);
        }
        assert_success(zeSamplerDestroy(sampler));
    }
    assert_success(zeImageDestroy(image));
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_free(api, at);
    api_free(api, out);
    api_list_destroy(&list);
}

/* IMG-12: levels of an array, a plane of a media image; extents as they were said */
static void kernels_see_levels_planes_and_extents(void **state)
{
    enum { WIDTH = 7, HEIGHT = 4, LEVELS = 3, PIXELS = WIDTH * HEIGHT * LEVELS };
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_spirv_module(api, "image_pixels");
    ze_kernel_handle_t levels = api_kernel(module, "levels");
    ze_kernel_handle_t extents = api_kernel(module, "extents");
    const ze_image_desc_t planar =
        image_desc(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_I420, ZE_IMAGE_FORMAT_TYPE_UINT,
                   2 * WIDTH, 2 * HEIGHT, 0, LEVELS);
    ze_image_view_planar_ext_desc_t plane = {.stype = ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC,
                                             .planeIndex = 2};
    ze_image_desc_t desc = image_desc(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_8,
                                      ZE_IMAGE_FORMAT_TYPE_UINT, WIDTH, HEIGHT, 0, LEVELS);
    ze_image_desc_t box = image_desc(ZE_IMAGE_TYPE_3D, ZE_IMAGE_FORMAT_LAYOUT_16,
                                     ZE_IMAGE_FORMAT_TYPE_UNORM, 5, 6, 7, 0);
    ze_image_handle_t image = image_create(api, &planar), view = NULL, solid;
    desc.pNext = &plane;
    assert_success(zeImageViewCreateExt(api->context, api->device, &desc, image, &view));
    solid = image_create(api, &box);
    uint8_t *bytes = image_bytes(PIXELS, 8);
    uint32_t *out = api_alloc_shared(api, PIXELS * sizeof(uint32_t));
    assert_success(
        zeCommandListAppendImageCopyFromMemory(list.list, view, bytes, NULL, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_success(zeKernelSetArgumentValue(levels, 0, sizeof(view), &view));
    assert_success(zeKernelSetArgumentValue(levels, 1, sizeof(out), &out));
    launch(api, &list, levels, WIDTH, HEIGHT, LEVELS);
    for (size_t i = 0; i < PIXELS; i++) {
        assert_int_equal(out[i], bytes[i]);
    }
    assert_success(zeKernelSetArgumentValue(extents, 0, sizeof(solid), &solid));
    assert_success(zeKernelSetArgumentValue(extents, 1, sizeof(out), &out));
    launch(api, &list, extents, 1, 1, 1);
    assert_int_equal(out[0], 5);
    assert_int_equal(out[1], 6);
    assert_int_equal(out[2], 7);
    assert_success(zeImageDestroy(view));
    assert_success(zeImageDestroy(image));
    assert_success(zeImageDestroy(solid));
    assert_success(zeKernelDestroy(levels));
    assert_success(zeKernelDestroy(extents));
    assert_success(zeModuleDestroy(module));
    free(bytes);
    api_free(api, out);
    api_list_destroy(&list);
}

/* A view of a plane, for kernels that write. */
static ze_image_handle_t plane_create(struct api *api, ze_image_handle_t image,
                                      ze_image_format_layout_t layout, uint32_t index,
                                      uint32_t width, uint32_t height)
{
    ze_image_view_planar_ext_desc_t plane = {.stype = ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC,
                                             .planeIndex = index};
    ze_image_desc_t desc = image_desc_2d(layout, ZE_IMAGE_FORMAT_TYPE_UINT, width, height);
    ze_image_handle_t view = NULL;
    desc.pNext = &plane;
    assert_success(zeImageViewCreateExt(api->context, api->device, &desc, image, &view));
    return view;
}

/* IMG-8: brightness and colours are images of their own; what a kernel writes to one leaves the
 * other as it was */
static void kernels_write_planes_of_media(void **state)
{
    enum { WIDTH = 10, HEIGHT = 6, COLOURS = WIDTH * HEIGHT * 2, LIGHTS = 4 * WIDTH * HEIGHT };
    static const struct {
        ze_image_format_layout_t media, lights, colours;
        uint32_t bytes; /* of a channel */
    } rows[] = {
        {ZE_IMAGE_FORMAT_LAYOUT_NV12, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_LAYOUT_8_8, 1},
        {ZE_IMAGE_FORMAT_LAYOUT_P010, ZE_IMAGE_FORMAT_LAYOUT_16, ZE_IMAGE_FORMAT_LAYOUT_16_16, 2},
    };
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_module_handle_t module = api_spirv_module(api, "image_pixels");
    ze_kernel_handle_t kernel = api_kernel(module, "invert");
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        const uint32_t most = rows[r].bytes == 1 ? 0xFF : 0xFFFF;
        const ze_image_desc_t media =
            image_desc_2d(rows[r].media, ZE_IMAGE_FORMAT_TYPE_UINT, 2 * WIDTH, 2 * HEIGHT);
        const ze_image_desc_t desc =
            image_desc_2d(rows[r].colours, ZE_IMAGE_FORMAT_TYPE_UINT, WIDTH, HEIGHT);
        ze_image_handle_t image = image_create(api, &media), in = image_create(api, &desc);
        ze_image_handle_t lights =
            plane_create(api, image, rows[r].lights, 0, 2 * WIDTH, 2 * HEIGHT);
        ze_image_handle_t colours = plane_create(api, image, rows[r].colours, 1, WIDTH, HEIGHT);
        uint8_t *light = image_bytes(LIGHTS * rows[r].bytes, 3);
        uint8_t *pixels = image_bytes(COLOURS * rows[r].bytes, 4);
        uint8_t *read = image_bytes(LIGHTS * rows[r].bytes, 5);
        assert_success(
            zeCommandListAppendImageCopyFromMemory(list.list, lights, light, NULL, NULL, 0, NULL));
        assert_success(
            zeCommandListAppendImageCopyFromMemory(list.list, in, pixels, NULL, NULL, 0, NULL));
        api_list_run(api, &list);
        assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(in), &in));
        assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(colours), &colours));
        launch(api, &list, kernel, WIDTH, HEIGHT, 1);
        assert_success(
            zeCommandListAppendImageCopyToMemory(list.list, read, colours, NULL, NULL, 0, NULL));
        api_list_run(api, &list);
        for (size_t i = 0; i < COLOURS; i++) {
            uint32_t was = 0, is = 0;
            memcpy(&was, pixels + i * rows[r].bytes, rows[r].bytes);
            memcpy(&is, read + i * rows[r].bytes, rows[r].bytes);
            assert_int_equal(is, was <= 255 ? 255 - was : most); /* below 0: the largest */
        }
        assert_success(
            zeCommandListAppendImageCopyToMemory(list.list, read, lights, NULL, NULL, 0, NULL));
        api_list_run(api, &list);
        assert_memory_equal(read, light, LIGHTS * rows[r].bytes);
        assert_success(zeImageDestroy(lights));
        assert_success(zeImageDestroy(colours));
        assert_success(zeImageDestroy(image));
        assert_success(zeImageDestroy(in));
        free(light);
        free(pixels);
        free(read);
    }
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    api_list_destroy(&list);
}

static const struct api_case cases[] = {
    API_RUN_CASE(kernels_read_and_write_pixels),
    API_RUN_CASE(kernels_sample_as_the_sampler_says),
    API_RUN_CASE(kernels_see_levels_planes_and_extents),
    API_RUN_CASE(kernels_write_planes_of_media),
};
API_MAIN("spirv_image", cases)
