/* API test of views and of images in other memory: planes, pitches, bindless numbers, memory shared
 * by descriptor. */
#include "image_support.h"

#include <unistd.h>

static ze_result_t view_result(struct api *api, const ze_image_desc_t *desc,
                               ze_image_handle_t image)
{
    ze_image_handle_t view = NULL;
    ze_result_t result = zeImageViewCreateExt(api->context, api->device, desc, image, &view);
    if (result == ZE_RESULT_SUCCESS) {
        assert_success(zeImageDestroy(view));
    }
    return result;
}

static ze_image_handle_t view_create(struct api *api, const ze_image_desc_t *desc,
                                     ze_image_handle_t image)
{
    ze_image_handle_t view = NULL;
    assert_success(zeImageViewCreateExt(api->context, api->device, desc, image, &view));
    assert_non_null(view);
    return view;
}

static void image_write(struct api *api, struct api_list *list, ze_image_handle_t image,
                        const void *bytes)
{
    assert_success(
        zeCommandListAppendImageCopyFromMemory(list->list, image, bytes, NULL, NULL, 0, NULL));
    api_list_run(api, list);
}

/* What the image holds is these bytes. */
static void image_check(struct api *api, struct api_list *list, ze_image_handle_t image,
                        const uint8_t *expected, size_t bytes)
{
    uint8_t *read = image_bytes(bytes, 123);
    assert_success(
        zeCommandListAppendImageCopyToMemory(list->list, read, image, NULL, NULL, 0, NULL));
    api_list_run(api, list);
    assert_memory_equal(read, expected, bytes);
    free(read);
}

/* ---- the same pixels ---- */

static void views_show_the_same_pixels(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t words =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, 21, 9);
    const ze_image_desc_t bytes =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, 21, 9);
    ze_image_handle_t image = image_create(api, &words), view = view_create(api, &bytes, image);
    ze_image_handle_t of_view = NULL;
    uint8_t *one = image_bytes(21 * 9 * 4, 1), *two = image_bytes(21 * 9 * 4, 2);
    assert_success(zeImageViewCreateExp(api->context, api->device, &words, view, &of_view));
    image_write(api, &list, image, one);
    image_check(api, &list, view, one, 21 * 9 * 4);
    image_write(api, &list, view, two);
    image_check(api, &list, of_view, two, 21 * 9 * 4);
    assert_success(zeImageDestroy(image)); /* the pixels live as long as anything shows them */
    image = image_create(api, &words);     /* would take their place */
    image_write(api, &list, image, one);
    image_check(api, &list, view, two, 21 * 9 * 4);
    assert_success(zeImageDestroy(view));
    image_check(api, &list, of_view, two, 21 * 9 * 4);
    assert_success(zeImageDestroy(of_view));
    assert_success(zeImageDestroy(image));
    free(one);
    free(two);
    api_list_destroy(&list);
}

/* Smaller ones from the first pixel of the first level on. */
static void views_may_be_smaller(void **state)
{
    enum { WIDTH = 19, HEIGHT = 8, LEVELS = 3 };
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t desc = image_desc(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_16,
                                            ZE_IMAGE_FORMAT_TYPE_UINT, WIDTH, HEIGHT, 0, LEVELS);
    ze_image_desc_t part = desc;
    ze_image_handle_t image = image_create(api, &desc);
    uint8_t *bytes = image_bytes(WIDTH * HEIGHT * LEVELS * 2, 1), expected[2 * 7 * 5 * 2];
    image_write(api, &list, image, bytes);
    part.type = ZE_IMAGE_TYPE_2D;
    ze_image_handle_t level = view_create(api, &part, image);
    image_check(api, &list, level, bytes, WIDTH * HEIGHT * 2);
    part.type = ZE_IMAGE_TYPE_3D;
    part.width = 7;
    part.height = 5;
    part.depth = 2;
    ze_image_handle_t box = view_create(api, &part, image);
    for (size_t row = 0; row < 10; row++) {
        memcpy(expected + row * 14, bytes + (row / 5 * HEIGHT + row % 5) * WIDTH * 2, 14);
    }
    image_check(api, &list, box, expected, sizeof(expected));
    assert_success(zeImageDestroy(level));
    assert_success(zeImageDestroy(box));
    assert_success(zeImageDestroy(image));
    free(bytes);
    api_list_destroy(&list);
}

static void views_of_other_pixels_are_refused(void **state)
{
    struct api *api = *state;
    const ze_image_desc_t desc = image_desc(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_16,
                                            ZE_IMAGE_FORMAT_TYPE_UINT, 19, 8, 0, 3);
    ze_image_handle_t image = image_create(api, &desc);
    ze_image_desc_t view = desc;
    ze_image_view_planar_ext_desc_t plane = {.stype = ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC,
                                             .planeIndex = 1};
    assert_success(view_result(api, &desc, image));
    view.format.layout = ZE_IMAGE_FORMAT_LAYOUT_8;
    assert_result(view_result(api, &view, image), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    view.format.layout = ZE_IMAGE_FORMAT_LAYOUT_NV12;
    assert_result(view_result(api, &view, image), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    view = desc;
    view.width++;
    assert_result(view_result(api, &view, image), ZE_RESULT_ERROR_INVALID_SIZE);
    view = desc;
    view.height++;
    assert_result(view_result(api, &view, image), ZE_RESULT_ERROR_INVALID_SIZE);
    view.height = 4;
    view.arraylevels++;
    assert_result(view_result(api, &view, image), ZE_RESULT_ERROR_INVALID_SIZE);
    view = desc;
    view.pNext = &plane;
    assert_result(view_result(api, &view, image), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    plane.planeIndex = 0;
    assert_success(view_result(api, &view, image));
    ze_image_pitched_exp_desc_t pitched = {.stype = ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC,
                                           .ptr = &view};
    view.pNext = &pitched;
    assert_result(view_result(api, &view, image), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(view_result(api, &desc, api_foreign_handle()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeImageDestroy(image));
}

/* ---- planes ---- */

/* Planes of an image of W x H pixels: pixels across and down, rounded up, and what one shows. */
static const struct planar {
    ze_image_format_layout_t layout;
    uint32_t planes;
    struct {
        uint32_t across, down, bytes;
        ze_image_format_layout_t view;
    } plane[3];
} planar[] = {
    {ZE_IMAGE_FORMAT_LAYOUT_NV12,
     2,
     {{1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8}, {2, 2, 2, ZE_IMAGE_FORMAT_LAYOUT_8_8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_P010,
     2,
     {{1, 1, 2, ZE_IMAGE_FORMAT_LAYOUT_16}, {2, 2, 4, ZE_IMAGE_FORMAT_LAYOUT_16_16}}},
    {ZE_IMAGE_FORMAT_LAYOUT_P012,
     2,
     {{1, 1, 2, ZE_IMAGE_FORMAT_LAYOUT_16}, {2, 2, 4, ZE_IMAGE_FORMAT_LAYOUT_16_16}}},
    {ZE_IMAGE_FORMAT_LAYOUT_P016,
     2,
     {{1, 1, 2, ZE_IMAGE_FORMAT_LAYOUT_16}, {2, 2, 4, ZE_IMAGE_FORMAT_LAYOUT_16_16}}},
    {ZE_IMAGE_FORMAT_LAYOUT_P216,
     2,
     {{1, 1, 2, ZE_IMAGE_FORMAT_LAYOUT_16}, {2, 1, 4, ZE_IMAGE_FORMAT_LAYOUT_16_16}}},
    {ZE_IMAGE_FORMAT_LAYOUT_I420,
     3,
     {{1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {2, 2, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {2, 2, 1, ZE_IMAGE_FORMAT_LAYOUT_8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_YV12,
     3,
     {{1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {2, 2, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {2, 2, 1, ZE_IMAGE_FORMAT_LAYOUT_8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_422H,
     3,
     {{1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {2, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {2, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_422V,
     3,
     {{1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {1, 2, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {1, 2, 1, ZE_IMAGE_FORMAT_LAYOUT_8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_444P,
     3,
     {{1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_RGBP,
     3,
     {{1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8}}},
    {ZE_IMAGE_FORMAT_LAYOUT_BRGP,
     3,
     {{1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8},
      {1, 1, 1, ZE_IMAGE_FORMAT_LAYOUT_8}}},
};

/* A view of one plane; how many bytes its pixels have. */
static ze_image_handle_t plane_view(struct api *api, const struct planar *format,
                                    const ze_image_desc_t *desc, ze_image_handle_t image,
                                    uint32_t index, size_t *bytes)
{
    ze_image_view_planar_ext_desc_t plane = {.stype = ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC,
                                             .planeIndex = index};
    ze_image_view_planar_exp_desc_t older = {.stype = ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXP_DESC,
                                             .planeIndex = index};
    ze_image_desc_t view = *desc;
    view.pNext = index % 2 ? (void *)&older : (void *)&plane;
    view.format.layout = format->plane[index].view;
    view.format.type = ZE_IMAGE_FORMAT_TYPE_UINT;
    view.width = (desc->width + format->plane[index].across - 1) / format->plane[index].across;
    view.height = (desc->height + format->plane[index].down - 1) / format->plane[index].down;
    *bytes = (size_t)view.width * view.height * format->plane[index].bytes *
             (view.type == ZE_IMAGE_TYPE_2DARRAY ? view.arraylevels : 1);
    return view_create(api, &view, image);
}

/* IMG-8: each plane alone, none touches another; copies of images take all */
static void planes_are_images_of_their_own(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    for (size_t i = 0; i < sizeof(planar) / sizeof(planar[0]) * 2; i++) {
        const struct planar *format = &planar[i / 2];
        const ze_image_desc_t desc =
            image_desc(i % 2 ? ZE_IMAGE_TYPE_2DARRAY : ZE_IMAGE_TYPE_2D, format->layout,
                       ZE_IMAGE_FORMAT_TYPE_FLOAT, i % 4 < 2 ? 64 : 35, 11, 0, 2);
        ze_image_handle_t one = image_create(api, &desc), two = image_create(api, &desc);
        uint8_t *bytes[3];
        size_t sizes[3];
        for (uint32_t k = 0; k < format->planes; k++) {
            ze_image_handle_t view = plane_view(api, format, &desc, one, k, &sizes[k]);
            bytes[k] = image_bytes(sizes[k], k * 50);
            image_write(api, &list, view, bytes[k]);
            assert_success(zeImageDestroy(view));
        }
        assert_success(zeCommandListAppendImageCopy(list.list, two, one, NULL, 0, NULL));
        api_list_run(api, &list);
        for (uint32_t k = 0; k < format->planes; k++) {
            ze_image_handle_t views[] = {plane_view(api, format, &desc, one, k, &sizes[k]),
                                         plane_view(api, format, &desc, two, k, &sizes[k])};
            image_check(api, &list, views[0], bytes[k], sizes[k]);
            image_check(api, &list, views[1], bytes[k], sizes[k]);
            assert_success(zeImageDestroy(views[0]));
            assert_success(zeImageDestroy(views[1]));
            free(bytes[k]);
        }
        assert_success(zeImageDestroy(one));
        assert_success(zeImageDestroy(two));
    }
    api_list_destroy(&list);
}

/* Rows and pitches of planes lie as everybody else's do: one after the other, with one pitch. */
static void planes_follow_each_other(void **state)
{
    struct api *api = *state;
    for (size_t i = 0; i < sizeof(planar) / sizeof(planar[0]); i++) {
        const ze_image_desc_t desc =
            image_desc_2d(planar[i].layout, ZE_IMAGE_FORMAT_TYPE_UNORM, 64, 16);
        ze_image_handle_t image = image_create(api, &desc);
        ze_image_memory_properties_exp_t memory = image_memory(image);
        uint64_t rows = 0;
        for (uint32_t k = 0; k < planar[i].planes; k++) {
            rows += 16 / planar[i].plane[k].down;
        }
        assert_int_equal(memory.rowPitch, 64 * planar[i].plane[0].bytes);
        assert_int_equal(memory.slicePitch, memory.rowPitch * rows);
        assert_success(zeImageDestroy(image));
    }
}

/* Parts of several planes are copied by views of them; wholes may be named. */
static void parts_of_planar_images_are_refused(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_NV12, ZE_IMAGE_FORMAT_TYPE_UNORM, 64, 16);
    const ze_image_desc_t other =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_I420, ZE_IMAGE_FORMAT_TYPE_UNORM, 64, 16);
    ze_image_handle_t one = image_create(api, &desc), two = image_create(api, &desc);
    ze_image_handle_t three = image_create(api, &other);
    const ze_image_region_t all = {0, 0, 0, 64, 16, 1}, part = {0, 0, 0, 64, 8, 1};
    assert_success(
        zeCommandListAppendImageCopyRegion(list.list, two, one, &all, &all, NULL, 0, NULL));
    assert_result(
        zeCommandListAppendImageCopyRegion(list.list, two, one, &part, &part, NULL, 0, NULL),
        ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    assert_result(zeCommandListAppendImageCopy(list.list, three, one, NULL, 0, NULL),
                  ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    api_list_run(api, &list);
    assert_success(zeImageDestroy(one));
    assert_success(zeImageDestroy(two));
    assert_success(zeImageDestroy(three));
    api_list_destroy(&list);
}

/* Pixels that share their colours are shown one by one, or two as one. */
static void packed_pixels_are_shown_in_two_ways(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_YUYV, ZE_IMAGE_FORMAT_TYPE_UNORM, 23, 5);
    ze_image_desc_t ones =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8, ZE_IMAGE_FORMAT_TYPE_UINT, 24, 5);
    ze_image_desc_t twos =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT, 12, 5);
    ze_image_handle_t image = image_create(api, &desc);
    ze_image_handle_t one = view_create(api, &ones, image), two = view_create(api, &twos, image);
    uint8_t *bytes = image_bytes(48 * 5, 1);
    image_write(api, &list, one, bytes);
    image_check(api, &list, two, bytes, 48 * 5);
    ones.width = 25;
    assert_result(view_result(api, &ones, image), ZE_RESULT_ERROR_INVALID_SIZE);
    twos.width = 13;
    assert_result(view_result(api, &twos, image), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_success(zeImageDestroy(one));
    assert_success(zeImageDestroy(two));
    assert_success(zeImageDestroy(image));
    free(bytes);
    api_list_destroy(&list);
}

/* ---- memory of the application ---- */

static void pitched_images_are_in_their_memory(void **state)
{
    enum { WIDTH = 37, HEIGHT = 7 };
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    size_t pitch = 0;
    assert_success(zeMemGetPitchFor2dImage(api->context, api->device, WIDTH, HEIGHT, 4, &pitch));
    assert_true(pitch >= WIDTH * 4);
    ze_custom_pitch_exp_desc_t custom = {.stype = ZE_STRUCTURE_TYPE_CUSTOM_PITCH_EXP_DESC,
                                         .rowPitch = pitch * 2};
    uint8_t *memory = api_alloc_shared(api, pitch * 2 * HEIGHT);
    for (int wide = 0; wide < 2; wide++) {
        ze_image_pitched_exp_desc_t pitched = {.stype = ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC,
                                               .pNext = wide ? &custom : NULL,
                                               .ptr = memory};
        ze_image_desc_t desc =
            image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_UINT, WIDTH, HEIGHT);
        desc.pNext = &pitched;
        ze_image_handle_t image = image_create(api, &desc);
        uint8_t *bytes = image_bytes(WIDTH * HEIGHT * 4, 9);
        assert_int_equal(image_memory(image).rowPitch, wide ? pitch * 2 : pitch);
        memset(memory, 0xa5, pitch * 2 * HEIGHT);
        image_write(api, &list, image, bytes);
        for (size_t row = 0; row < HEIGHT; row++) {
            uint8_t *at = memory + row * (wide ? pitch * 2 : pitch);
            assert_memory_equal(at, bytes + row * WIDTH * 4, WIDTH * 4);
            assert_int_equal(at[WIDTH * 4], 0xa5);
        }
        memory[5] ^= 0xff; /* the other way round */
        bytes[5] ^= 0xff;
        image_check(api, &list, image, bytes, WIDTH * HEIGHT * 4);
        assert_success(zeImageDestroy(image));
        free(bytes);
    }
    api_free(api, memory);
    api_list_destroy(&list);
}

/* IMG-7: a buffer has the bytes that it says, no more */
static void pitched_images_have_to_fit(void **state)
{
    struct api *api = *state;
    uint8_t *memory = api_alloc_device(api, 4096);
    ze_custom_pitch_exp_desc_t custom = {.stype = ZE_STRUCTURE_TYPE_CUSTOM_PITCH_EXP_DESC};
    ze_image_pitched_exp_desc_t pitched = {.stype = ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC,
                                           .ptr = memory};
    ze_image_desc_t desc = image_desc(ZE_IMAGE_TYPE_BUFFER, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8,
                                      ZE_IMAGE_FORMAT_TYPE_UINT, 4096, 0, 0, 0);
    ze_image_handle_t image;
    desc.pNext = &pitched;
    assert_success(zeImageCreate(api->context, api->device, &desc, &image));
    assert_success(zeImageDestroy(image));
    desc.width += 4;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.width -= 4;
    pitched.ptr = memory + 4;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    pitched.ptr = &desc; /* no memory of the driver */
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    pitched.ptr = NULL;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    pitched.ptr = memory;
    pitched.pNext = &custom;
    desc = image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT, 32, 2);
    desc.pNext = &pitched;
    custom.rowPitch = 64;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    custom.rowPitch = 129;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    custom.rowPitch = 128;
    custom.slicePitch = 128;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    custom.slicePitch = 256;
    assert_success(zeImageCreate(api->context, api->device, &desc, &image));
    assert_success(zeImageDestroy(image));
    api_free(api, memory);
}

/* DEV-16 */
static void pitches_are_what_the_device_says(void **state)
{
    struct api *api = *state;
    ze_pitched_alloc_2dimage_linear_pitch_exp_info_t pitch = {
        .stype = ZE_STRUCTURE_TYPE_PITCHED_ALLOC_2DIMAGE_LINEAR_PITCH_EXP_INFO};
    ze_device_pitched_alloc_exp_properties_t most = {
        .stype = ZE_STRUCTURE_TYPE_PITCHED_ALLOC_DEVICE_EXP_PROPERTIES, .pNext = &pitch};
    ze_device_image_properties_t limits = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES,
                                           .pNext = &most};
    static const unsigned sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
    assert_success(zeDeviceGetImageProperties(api->device, &limits));
    assert_true(most.maxImageLinearWidth >= 16384 && most.maxImageLinearHeight >= 16384);
    assert_true(pitch.pitchAlign > 0 && pitch.maxSupportedPitch >= most.maxImageLinearWidth * 16);
    for (size_t i = 0; i < 8; i++) {
        size_t row = 0;
        assert_success(zeMemGetPitchFor2dImage(api->context, api->device, 100, 3, sizes[i], &row));
        assert_true(row >= 100 * sizes[i] && row < 100 * sizes[i] + pitch.pitchAlign);
        assert_int_equal(row % pitch.pitchAlign, 0);
    }
    size_t row = 0;
    assert_result(zeMemGetPitchFor2dImage(api->context, api->device, 100, 3, 5, &row),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeMemGetPitchFor2dImage(api->context, api->device, most.maxImageLinearWidth + 1,
                                          3, 4, &row),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeMemGetPitchFor2dImage(api->context, api->device, 3,
                                          most.maxImageLinearHeight + 1, 4, &row),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_result(zeMemGetPitchFor2dImage(api->context, api->device, 0, 3, 4, &row),
                  ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
}

/* ---- bindless ---- */

static void bindless_images_have_numbers(void **state)
{
    struct api *api = *state;
    ze_sampler_desc_t sampler = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
    ze_image_bindless_exp_desc_t bindless = {.stype = ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC,
                                             .flags = ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS};
    ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, 8, 8);
    uint64_t one = 0, two = 0, again = 0;
    ze_image_handle_t plain = image_create(api, &desc);
    assert_result(zeImageGetDeviceOffsetExp(plain, &one), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.pNext = &bindless;
    ze_image_handle_t image = image_create(api, &desc), view = view_create(api, &desc, plain);
    assert_success(zeImageGetDeviceOffsetExp(image, &one));
    assert_success(zeImageGetDeviceOffsetExp(view, &two));
    assert_success(zeImageGetDeviceOffsetExp(image, &again));
    assert_true(one != 0 && two != 0 && one != two);
    assert_int_equal(one, again);
    assert_success(zeImageDestroy(view));
    assert_success(zeImageDestroy(image));
    desc.format.layout = ZE_IMAGE_FORMAT_LAYOUT_NV12; /* kernels see planes of it only */
    image = image_create(api, &desc);
    assert_result(zeImageGetDeviceOffsetExp(image, &one), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    assert_success(zeImageDestroy(image));
    desc.format.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8;
    bindless.flags |= ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* how is it sampled? */
    bindless.pNext = &sampler;
    assert_success(zeImageCreate(api->context, api->device, &desc, &image));
    assert_success(zeImageDestroy(image));
    sampler.addressMode = (ze_sampler_address_mode_t)9;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    sampler.addressMode = ZE_SAMPLER_ADDRESS_MODE_NONE;
    sampler.filterMode = (ze_sampler_filter_mode_t)2;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_success(zeImageDestroy(plain));
}

/* ---- memory by descriptor ---- */

/* EXM-1, EXM-2, EXM-5: what one image exports another shows */
static void images_are_shared_by_descriptor(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_external_memory_export_desc_t exported = {.stype =
                                                     ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
                                                 .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    ze_external_memory_export_fd_t descriptor = {.stype =
                                                     ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                                 .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                                 .fd = -1};
    ze_image_allocation_ext_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_ALLOCATION_EXT_PROPERTIES, .pNext = &descriptor};
    ze_device_external_memory_properties_t types = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_16_16, ZE_IMAGE_FORMAT_TYPE_UINT, 50, 20);
    assert_success(zeDeviceGetExternalMemoryProperties(api->device, &types));
    assert_true(types.imageImportTypes & ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD);
    assert_true(types.imageExportTypes & ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD);
    desc.pNext = &exported;
    ze_image_handle_t image = image_create(api, &desc);
    assert_success(zeImageGetAllocPropertiesExt(api->context, image, &properties));
    assert_true(descriptor.fd >= 0);
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                             .fd = descriptor.fd};
    desc.pNext = &import;
    ze_image_handle_t shown = image_create(api, &desc);
    uint8_t *bytes = image_bytes(50 * 20 * 4, 6);
    image_write(api, &list, image, bytes);
    if (api->executes) {
        image_check(api, &list, shown, bytes, 50 * 20 * 4);
    }
    assert_success(zeImageDestroy(image));
    if (api->executes) { /* whoever imported it has it */
        image_check(api, &list, shown, bytes, 50 * 20 * 4);
    }
    assert_success(zeImageDestroy(shown));
    assert_int_equal(close(descriptor.fd), 0); /* the descriptor stayed the application's */
    free(bytes);
    api_list_destroy(&list);
}

/* EXM-1, EXM-5 */
static void bad_imports_of_images_are_refused(void **state)
{
    struct api *api = *state;
    int pipe_fds[2];
    ze_image_handle_t image;
    ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_16_16, ZE_IMAGE_FORMAT_TYPE_UINT, 50, 20);
    ze_external_memory_import_win32_handle_t handle = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_WIN32,
        .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_WIN32};
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
                                             .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD};
    assert_int_equal(pipe(pipe_fds), 0);
    import.fd = pipe_fds[0];
    desc.pNext = &import;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.pNext = &handle;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    /* memory of too few rows */
    ze_external_memory_export_fd_t exported = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD,
                                               .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD,
                                               .fd = -1};
    ze_memory_allocation_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                                           .pNext = &exported};
    void *memory = api_alloc_device(api, 4096);
    assert_success(zeMemGetAllocProperties(api->context, memory, &p, NULL));
    import.fd = exported.fd;
    desc.pNext = &import;
    desc.height = 4;
    assert_success(zeImageCreate(api->context, api->device, &desc, &image));
    assert_success(zeImageDestroy(image));
    desc.height = 200;
    assert_result(zeImageCreate(api->context, api->device, &desc, &image),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    close(exported.fd);
    api_free(api, memory);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}

static const struct api_case cases[] = {
    API_RUN_CASE(views_show_the_same_pixels),
    API_RUN_CASE(views_may_be_smaller),
    API_CASE(views_of_other_pixels_are_refused),
    API_RUN_CASE(planes_are_images_of_their_own),
    API_CASE(planes_follow_each_other),
    API_LIST_CASE(parts_of_planar_images_are_refused),
    API_RUN_CASE(packed_pixels_are_shown_in_two_ways),
    API_RUN_CASE(pitched_images_are_in_their_memory),
    API_CASE(pitched_images_have_to_fit),
    API_CASE(pitches_are_what_the_device_says),
    API_CASE(bindless_images_have_numbers),
    API_LIST_CASE(images_are_shared_by_descriptor),
    API_CASE(bad_imports_of_images_are_refused),
};
API_MAIN("image_view", cases)
