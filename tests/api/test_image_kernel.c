/* API test of images and samplers as arguments of kernels, by a native binary that tells what it
 * was given (tests/fixtures/native_image.c). */
#include "image_support.h"
#include "mutable_support.h"

enum { WORDS = 9 };

/* Everything that a launch needs, with arguments set. */
struct look {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_image_handle_t in, out;
    ze_sampler_handle_t sampler;
    uint64_t *words;
};

static ze_sampler_handle_t sampler_create(struct api *api, ze_sampler_address_mode_t address,
                                          ze_sampler_filter_mode_t filter, bool normalized)
{
    ze_sampler_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                              .addressMode = address,
                              .filterMode = filter,
                              .isNormalized = normalized};
    ze_sampler_handle_t sampler = NULL;
    assert_success(zeSamplerCreate(api->context, api->device, &desc, &sampler));
    return sampler;
}

static const ze_image_desc_t *out_desc(void)
{
    static ze_image_desc_t desc;
    desc = image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT, 13, 6);
    return &desc;
}

static struct look look_create(struct api *api, const ze_image_desc_t *in)
{
    struct look look = {.module = image_module(api)};
    look.kernel = api_kernel(look.module, "look");
    look.in = image_create(api, in);
    look.out = image_create(api, out_desc());
    look.sampler =
        sampler_create(api, ZE_SAMPLER_ADDRESS_MODE_CLAMP, ZE_SAMPLER_FILTER_MODE_LINEAR, true);
    look.words = api_alloc_shared(api, WORDS * sizeof(uint64_t));
    memset(look.words, 0, WORDS * sizeof(uint64_t));
    assert_success(zeKernelSetGroupSize(look.kernel, 1, 1, 1));
    assert_success(zeKernelSetArgumentValue(look.kernel, 0, sizeof(look.in), &look.in));
    assert_success(zeKernelSetArgumentValue(look.kernel, 1, sizeof(look.out), &look.out));
    assert_success(zeKernelSetArgumentValue(look.kernel, 2, sizeof(look.sampler), &look.sampler));
    assert_success(zeKernelSetArgumentValue(look.kernel, 3, sizeof(look.words), &look.words));
    return look;
}

static void look_destroy(struct api *api, struct look *look)
{
    assert_success(zeSamplerDestroy(look->sampler));
    assert_success(zeImageDestroy(look->in));
    assert_success(zeImageDestroy(look->out));
    assert_success(zeKernelDestroy(look->kernel));
    assert_success(zeModuleDestroy(look->module));
    api_free(api, look->words);
}

static const ze_group_count_t one_group = {1, 1, 1};

/* IMG-14 and arguments: extents, pitches, the first pixel in and the last one out */
static void kernels_get_images_and_samplers(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t desc = image_desc(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_32,
                                            ZE_IMAGE_FORMAT_TYPE_UINT, 21, 9, 0, 3);
    struct look look = look_create(api, &desc);
    uint8_t *bytes = image_bytes(21 * 9 * 3 * 4, 5);
    uint8_t out[13 * 6 * 4] = {0};
    ze_image_memory_properties_exp_t memory = image_memory(look.in);
    assert_success(
        zeCommandListAppendImageCopyFromMemory(list.list, look.in, bytes, NULL, NULL, 0, NULL));
    assert_success(zeCommandListAppendBarrier(list.list, NULL, 0, NULL));
    assert_success(
        zeCommandListAppendLaunchKernel(list.list, look.kernel, &one_group, NULL, 0, NULL));
    assert_success(zeCommandListAppendBarrier(list.list, NULL, 0, NULL));
    assert_success(
        zeCommandListAppendImageCopyToMemory(list.list, out, look.out, NULL, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_int_equal(look.words[0], 21);
    assert_int_equal(look.words[1], 9);
    assert_int_equal(look.words[2], 1);
    assert_int_equal(look.words[3], 3);
    assert_int_equal(look.words[4], memory.rowPitch);
    assert_int_equal(look.words[5], memory.slicePitch);
    assert_int_equal(look.words[6], 4);
    assert_memory_equal(out + sizeof(out) - 4, bytes, 4);
    free(bytes);
    look_destroy(api, &look);
    api_list_destroy(&list);
}

/* IMG-13: every mode is another number, with the bits of SPIR-V's modes */
static void samplers_say_their_modes(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    static const uint64_t modes[] = {
        [ZE_SAMPLER_ADDRESS_MODE_NONE] = 0,   [ZE_SAMPLER_ADDRESS_MODE_REPEAT] = 3,
        [ZE_SAMPLER_ADDRESS_MODE_CLAMP] = 1,  [ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER] = 2,
        [ZE_SAMPLER_ADDRESS_MODE_MIRROR] = 4,
    };
    struct look look = look_create(api, out_desc());
    for (uint32_t i = 0; i < 20; i++) {
        ze_sampler_handle_t sampler = sampler_create(api, (ze_sampler_address_mode_t)(i / 4),
                                                     (ze_sampler_filter_mode_t)(i / 2 % 2), i % 2);
        assert_success(zeKernelSetArgumentValue(look.kernel, 2, sizeof(sampler), &sampler));
        assert_success(
            zeCommandListAppendLaunchKernel(list.list, look.kernel, &one_group, NULL, 0, NULL));
        assert_success(zeSamplerDestroy(sampler)); /* its modes were copied */
        api_list_run(api, &list);
        assert_int_equal(look.words[8], modes[i / 4] | (i / 2 % 2) << 3 | (i % 2) << 4);
    }
    look_destroy(api, &look);
    api_list_destroy(&list);
}

/* A bindless image's number leads where its argument does, with its sampler. */
static void bindless_numbers_are_arguments(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_sampler_desc_t sampler = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                                 .addressMode = ZE_SAMPLER_ADDRESS_MODE_MIRROR,
                                 .isNormalized = 1};
    ze_image_bindless_exp_desc_t bindless = {.stype = ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC,
                                             .pNext = &sampler,
                                             .flags = ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS |
                                                      ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE};
    ze_image_desc_t desc = *out_desc();
    uint64_t number = 0;
    uint32_t width = 0;
    desc.pNext = &bindless;
    struct look look = look_create(api, &desc);
    assert_success(zeImageGetDeviceOffsetExp(look.in, &number));
    assert_success(
        zeCommandListAppendLaunchKernel(list.list, look.kernel, &one_group, NULL, 0, NULL));
    api_list_run(api, &list);
    assert_int_equal(look.words[7], 4 | 1 << 4);
    memcpy(&width, (const uint8_t *)(uintptr_t)number + 20, sizeof(width));
    assert_int_equal(width, 13); /* of the surface there (native/abi.h) */
    look_destroy(api, &look);
    api_list_destroy(&list);
}

/* IMG-6, IMG-9, IMG-10, IMG-14 */
static void wrong_arguments_are_refused(void **state)
{
    struct api *api = *state;
    struct look look = look_create(api, out_desc());
    ze_image_desc_t desc = *out_desc();
    void *foreign = api_foreign_handle(), *none = NULL;
    ze_kernel_handle_t kernel = look.kernel;
    /* an image is no sampler, a sampler no image */
    assert_result(zeKernelSetArgumentValue(kernel, 0, sizeof(look.sampler), &look.sampler),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeKernelSetArgumentValue(kernel, 2, sizeof(look.in), &look.in),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < 3; i++) {
        assert_result(zeKernelSetArgumentValue(kernel, i, sizeof(foreign), &foreign),
                      ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_result(zeKernelSetArgumentValue(kernel, i, sizeof(none), &none),
                      ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        assert_result(zeKernelSetArgumentValue(kernel, i, sizeof(none), NULL),
                      ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_result(zeKernelSetArgumentValue(kernel, i, 4, &look.in),
                      ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
        assert_result(zeKernelSetArgumentValue(kernel, i, 16, &look.in),
                      ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    }
    /* of several planes: created, but not for kernels */
    desc.format.layout = ZE_IMAGE_FORMAT_LAYOUT_NV12;
    ze_image_handle_t image = image_create(api, &desc);
    assert_result(zeKernelSetArgumentValue(kernel, 0, sizeof(image), &image),
                  ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    assert_success(zeImageDestroy(image));
    /* without the flag an image is only read */
    desc = *out_desc();
    desc.flags = 0;
    image = image_create(api, &desc);
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(image), &image));
    assert_result(zeKernelSetArgumentValue(kernel, 1, sizeof(image), &image),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeImageDestroy(image));
    /* the kernel writes two dimensions */
    desc = *out_desc();
    desc.type = ZE_IMAGE_TYPE_1D;
    image = image_create(api, &desc);
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(image), &image));
    assert_result(zeKernelSetArgumentValue(kernel, 1, sizeof(image), &image),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeImageDestroy(image));
    look_destroy(api, &look);
}

/* IMG-6: what kernels cannot look at is created all the same, and refused as an argument */
static void formats_without_kernels_are_refused_as_arguments(void **state)
{
    struct api *api = *state;
    struct look look = look_create(api, out_desc());
    const ze_image_desc_t desc =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2, ZE_IMAGE_FORMAT_TYPE_FLOAT, 4, 4);
    ze_image_handle_t image = image_create(api, &desc);
    assert_result(zeKernelSetArgumentValue(look.kernel, 0, sizeof(image), &image),
                  ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    assert_success(zeImageDestroy(image));
    look_destroy(api, &look);
}

/* KRN-5: the launch has the image that was set when it was appended, and keeps it */
static void launches_keep_their_images(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    ze_image_desc_t desc = *out_desc();
    struct look look = look_create(api, &desc);
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t gate;
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &gate));
    desc.width = 5;
    ze_image_handle_t small = image_create(api, &desc);
    assert_success(zeKernelSetArgumentValue(look.kernel, 0, sizeof(small), &small));
    assert_success(
        zeCommandListAppendLaunchKernel(list.list, look.kernel, &one_group, NULL, 1, &gate));
    assert_success(zeImageDestroy(small));
    assert_success(zeKernelSetArgumentValue(look.kernel, 0, sizeof(look.in), &look.in));
    desc.width = 7;
    ze_image_handle_t next = image_create(api, &desc); /* would take its place */
    assert_success(zeEventHostSignal(gate));
    api_list_run(api, &list);
    assert_int_equal(look.words[0], 5);
    assert_success(zeImageDestroy(next));
    assert_success(zeEventDestroy(gate));
    assert_success(zeEventPoolDestroy(pool));
    look_destroy(api, &look);
    api_list_destroy(&list);
}

/* So has a launch of a mutable list the image and the sampler that it was changed to. */
static void changed_launches_keep_their_images(void **state)
{
    struct api *api = *state;
    ze_image_desc_t desc = *out_desc();
    struct look look = look_create(api, &desc);
    ze_command_list_handle_t list = mutable_list(api, 0);
    ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = api->ordinal};
    ze_command_queue_handle_t queue;
    assert_success(zeCommandQueueCreate(api->context, api->device, &queue_desc, &queue));
    uint64_t id = mutable_id(list, ARGUMENTS);
    assert_success(zeCommandListAppendLaunchKernel(list, look.kernel, &one_group, NULL, 0, NULL));
    assert_success(zeCommandListClose(list));
    for (uint32_t width = 5; width < 9; width++) {
        desc.width = width;
        ze_image_handle_t image = image_create(api, &desc);
        ze_sampler_handle_t sampler = sampler_create(api, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                                     ZE_SAMPLER_FILTER_MODE_NEAREST, width % 2);
        assert_success(
            mutable_update(list, NEW_ARGUMENT(id, 0, image, NEW_ARGUMENT(id, 2, sampler, NULL))));
        assert_result(mutable_update(list, NEW_BYTES(id, 0, sizeof(image), NULL, NULL)),
                      ZE_RESULT_ERROR_INVALID_ARGUMENT);
        assert_success(zeImageDestroy(image));
        assert_success(zeSamplerDestroy(sampler));
        desc.width = 99;
        image = image_create(api, &desc); /* would take its place */
        assert_success(zeCommandListClose(list));
        assert_success(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
        assert_int_equal(look.words[0], width);
        assert_success(zeImageDestroy(image));
    }
    assert_success(zeCommandListDestroy(list));
    assert_success(zeCommandQueueDestroy(queue));
    look_destroy(api, &look);
}

static const struct api_case cases[] = {
    API_RUN_CASE(kernels_get_images_and_samplers),
    API_RUN_CASE(samplers_say_their_modes),
    API_RUN_CASE(bindless_numbers_are_arguments),
    API_CASE(wrong_arguments_are_refused),
    {"formats_without_kernels_are_refused_as_arguments",
     formats_without_kernels_are_refused_as_arguments, API_EXECUTES},
    API_RUN_CASE(launches_keep_their_images),
    {"changed_launches_keep_their_images", changed_launches_keep_their_images, API_EXECUTES},
};
API_MAIN("image_kernel", cases)
