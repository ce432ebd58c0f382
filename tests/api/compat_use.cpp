// Compiled, never run: programs of the time of 0.91 were C++.
#include <stdbool.h>
#include <stddef.h>

#include "compat_use_91.h"

ze_result_t compat_use(ze_device_handle_t hDevice, ze_command_list_handle_t hCommandList, const void *pImageData);

ze_result_t compat_use(ze_device_handle_t hDevice, ze_command_list_handle_t hCommandList, const void *pImageData)
{
    ze_image_format_desc_t formatDesc = {ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT,
                                         ZE_IMAGE_FORMAT_SWIZZLE_R, ZE_IMAGE_FORMAT_SWIZZLE_0,
                                         ZE_IMAGE_FORMAT_SWIZZLE_0, ZE_IMAGE_FORMAT_SWIZZLE_1};
    ze_image_desc_t imageDesc = {ZE_IMAGE_DESC_VERSION_CURRENT, ZE_IMAGE_FLAG_PROGRAM_READ, ZE_IMAGE_TYPE_2D,
                                 formatDesc, 128, 128, 0, 0, 0};
    ze_sampler_desc_t samplerDesc = {ZE_SAMPLER_DESC_VERSION_CURRENT, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                     ZE_SAMPLER_FILTER_MODE_LINEAR, false};
    ze_event_pool_desc_t sharedPool = {ZE_EVENT_POOL_DESC_VERSION_CURRENT,
                                       ZE_EVENT_POOL_FLAG_IPC | ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 10};
    ze_image_handle_t hImage;
    ze_sampler_handle_t hSampler;
    (void)sharedPool;
    USE(zeInit(ZE_INIT_FLAG_NONE));
    USE(zeImageCreate(hDevice, &imageDesc, &hImage));
    USE(zeDeviceMakeImageResident(hDevice, hImage));
    USE(zeCommandListAppendImageCopyFromMemory(hCommandList, hImage, pImageData, nullptr, nullptr));
    USE(zeDeviceEvictImage(hDevice, hImage));
    return zeSamplerCreate(hDevice, &samplerDesc, &hSampler);
}
