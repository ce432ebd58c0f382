/* API test of images on several devices and their sub-devices. Run with GEOID_DEVICES. */
#include "image_support.h"

enum { DEVICES = 16, BYTES = 33 * 9 * 4 };

/* The first root device, one of its sub-devices, another root device. */
struct devices {
    ze_device_handle_t root, part, other;
};

static struct devices devices_find(struct api *api)
{
    struct devices devices;
    ze_device_handle_t roots[DEVICES], parts[DEVICES];
    uint32_t root_count = DEVICES, part_count = DEVICES;
    assert_success(zeDeviceGet(api->driver, &root_count, roots));
    assert_success(zeDeviceGetSubDevices(roots[0], &part_count, parts));
    assert_true(root_count >= 2 && part_count >= 2);
    devices.root = roots[0];
    devices.part = parts[1];
    devices.other = roots[1];
    return devices;
}

static ze_image_desc_t desc_make(void)
{
    return image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT, 33, 9);
}

static ze_image_handle_t image_on(struct api *api, ze_device_handle_t device)
{
    const ze_image_desc_t desc = desc_make();
    ze_image_handle_t image = NULL;
    assert_success(zeImageCreate(api->context, device, &desc, &image));
    return image;
}

/* IMG-9: other devices get pixels by copies */
static void images_are_copied_between_devices(void **state)
{
    struct api *api = *state;
    const struct devices devices = devices_find(api);
    const ze_device_handle_t all[] = {devices.root, devices.part, devices.other};
    ze_image_handle_t images[3];
    uint8_t *bytes = image_bytes(BYTES, 3), *read = image_bytes(BYTES, 4);
    for (size_t i = 0; i < 3; i++) {
        images[i] = image_on(api, all[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                         .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
        ze_command_list_handle_t list;
        ze_image_handle_t from = images[(i + 1) % 3], to = images[(i + 2) % 3];
        bytes[0]++;
        assert_success(zeCommandListCreateImmediate(api->context, all[i], &queue, &list));
        assert_success(
            zeCommandListAppendImageCopyFromMemory(list, from, bytes, NULL, NULL, 0, NULL));
        assert_success(zeCommandListAppendImageCopy(list, to, from, NULL, 0, NULL));
        assert_success(zeCommandListAppendImageCopyToMemory(list, read, to, NULL, NULL, 0, NULL));
        assert_success(zeCommandListDestroy(list));
        assert_memory_equal(read, bytes, BYTES);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_success(zeImageDestroy(images[i]));
    }
    free(bytes);
    free(read);
}

static ze_module_handle_t module_on(struct api *api, ze_device_handle_t device)
{
    struct api there = *api;
    there.device = device;
    return image_module(&there);
}

/* IMG-9, IMG-14: kernels of a device see its images and samplers; a sub-device's those of its root */
static void kernels_see_images_of_their_device(void **state)
{
    struct api *api = *state;
    const struct devices devices = devices_find(api);
    const ze_device_handle_t all[] = {devices.root, devices.part, devices.other};
    static const bool seen[3][3] = {/* kernel, image */
                                    {true, false, false},
                                    {true, true, false},
                                    {false, false, true}};
    for (size_t i = 0; i < 3; i++) {
        ze_module_handle_t module = module_on(api, all[i]);
        ze_kernel_handle_t kernel = api_kernel(module, "look");
        for (size_t k = 0; k < 3; k++) {
            const ze_result_t expected =
                seen[i][k] ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
            ze_sampler_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
            ze_image_handle_t image = image_on(api, all[k]);
            ze_sampler_handle_t sampler;
            assert_success(zeSamplerCreate(api->context, all[k], &desc, &sampler));
            assert_result(zeKernelSetArgumentValue(kernel, 0, sizeof(image), &image), expected);
            assert_result(zeKernelSetArgumentValue(kernel, 2, sizeof(sampler), &sampler), expected);
            assert_success(zeSamplerDestroy(sampler));
            assert_success(zeImageDestroy(image));
        }
        assert_success(zeKernelDestroy(kernel));
        assert_success(zeModuleDestroy(module));
    }
}

/* IMG-9 */
static void views_are_of_their_device(void **state)
{
    struct api *api = *state;
    const struct devices devices = devices_find(api);
    const ze_image_desc_t desc = desc_make();
    ze_image_handle_t image = image_on(api, devices.root), view;
    assert_success(zeImageViewCreateExt(api->context, devices.part, &desc, image, &view));
    assert_success(zeImageDestroy(view));
    assert_result(zeImageViewCreateExt(api->context, devices.other, &desc, image, &view),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_success(zeImageDestroy(image));
}

static const struct api_case cases[] = {
    {"images_are_copied_between_devices", images_are_copied_between_devices, API_EXECUTES},
    API_CASE(kernels_see_images_of_their_device),
    API_CASE(views_are_of_their_device),
};
API_MAIN("image_devices", cases)
