/* API functions of images and views. They convert descriptors and their chains to requests for
 * image/image.h. */
#include "driver/image/image.h"
#include "ddi/geo_api.h"
#include "driver/api/ze/external.h"
#include "driver/core/check.h"
#include "driver/image/properties.h"
#include "driver/mem/ipc.h"

/* ---- descriptors ---- */

/* Reads the structure for a bindless image. A sampler in the chain makes it a sampled image. */
static ze_result_t bindless_read(const ze_image_bindless_exp_desc_t *link, const void *next,
                                 struct geo_image_desc *desc)
{
    const ze_sampler_desc_t *sampler =
        GEO_CHAIN_FIND(ze_image_bindless_exp_desc_t, ze_sampler_desc_t, next);
    desc->bindless = true;
    desc->sampled = link->flags & ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE;
    if (!desc->sampled) {
        return ZE_RESULT_SUCCESS;
    }
    if (!sampler) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "a sampled image needs a ze_sampler_desc_t in its chain");
    }
    return geo_image_format_describe_sampler(sampler, &desc->sampler);
}

static void pitched_read(const ze_image_pitched_exp_desc_t *link, const void *next,
                         struct geo_image_request *request)
{
    const ze_custom_pitch_exp_desc_t *custom =
        GEO_CHAIN_FIND(ze_image_pitched_exp_desc_t, ze_custom_pitch_exp_desc_t, next);
    request->memory = link->ptr;
    if (custom) {
        request->desc.row_pitch = custom->rowPitch;
        request->desc.slice_pitch = custom->slicePitch;
    }
}

static ze_result_t link_read(const ze_base_properties_t *link, const void *next,
                             struct geo_image_request *request)
{
    switch ((uint32_t)link->stype) {
    case GEO_LINK_STYPE(ze_image_desc_t, ze_srgb_ext_desc_t):
        request->desc.srgb = ((const ze_srgb_ext_desc_t *)link)->sRGB;
        return request->desc.srgb ? geo_image_format_check_srgb(&request->desc) : ZE_RESULT_SUCCESS;
    case GEO_LINK_STYPE(ze_image_desc_t, ze_image_view_planar_ext_desc_t):
        request->plane = &((const ze_image_view_planar_ext_desc_t *)link)->planeIndex;
        return ZE_RESULT_SUCCESS;
    case GEO_LINK_STYPE(ze_image_desc_t, ze_image_view_planar_exp_desc_t):
        request->plane = &((const ze_image_view_planar_exp_desc_t *)link)->planeIndex;
        return ZE_RESULT_SUCCESS;
    case GEO_LINK_STYPE(ze_image_desc_t, ze_image_bindless_exp_desc_t):
        return bindless_read((const ze_image_bindless_exp_desc_t *)link, next, &request->desc);
    case GEO_LINK_STYPE(ze_image_desc_t, ze_image_pitched_exp_desc_t):
        pitched_read((const ze_image_pitched_exp_desc_t *)link, next, request);
        return ZE_RESULT_SUCCESS;
    default: /* hints without effect, and unknown structures */
        return ZE_RESULT_SUCCESS;
    }
}

static ze_result_t desc_read(const ze_image_desc_t *desc, struct geo_image_request *request)
{
    const void *next = GEO_CHAIN_OF(ze_image_desc_t, desc);
    struct geo_external external;
    GEO_CHECK(geo_image_format_describe(desc, &request->desc));
    GEO_CHECK(geo_external_read(next, &external));
    request->exportable = external.exportable;
    request->import = external.import ? &external.import->fd : NULL;
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        GEO_CHECK(link_read(walk.link, next, request));
    }
    if (request->memory && (request->import || request->exportable)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "an image in existing memory cannot also be imported or exported");
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- images and views ---- */

ze_result_t geo_zeImageCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                              const ze_image_desc_t *desc, ze_image_handle_t *phImage)
{
    struct geo_image_request request = {0};
    struct geo_image *image;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &request.context, &request.device));
    GEO_CHECK(desc_read(desc, &request));
    GEO_CHECK(geo_image_create(&request, &image));
    *phImage = geo_image_handle(image);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeImageViewCreateExt(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                     const ze_image_desc_t *desc, ze_image_handle_t hImage,
                                     ze_image_handle_t *phImageView)
{
    struct geo_image_request request = {0};
    struct geo_image *image, *view;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &request.context, &request.device));
    GEO_CHECK(geo_image_from(hImage, &image));
    GEO_CHECK(desc_read(desc, &request));
    if (request.memory || request.import || request.exportable) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a view has no memory of its own");
    }
    GEO_CHECK(geo_image_create_view(&request, image, &view));
    *phImageView = geo_image_handle(view);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeImageViewCreateExp(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                     const ze_image_desc_t *desc, ze_image_handle_t hImage,
                                     ze_image_handle_t *phImageView)
{
    return geo_zeImageViewCreateExt(hContext, hDevice, desc, hImage, phImageView);
}

ze_result_t geo_zeImageDestroy(ze_image_handle_t hImage)
{
    struct geo_image *image;
    GEO_CHECK(geo_image_from(hImage, &image));
    geo_object_close(&image->base);
    return ZE_RESULT_SUCCESS;
}

/* ---- properties ---- */

ze_result_t geo_zeImageGetProperties(ze_device_handle_t hDevice, const ze_image_desc_t *desc,
                                     ze_image_properties_t *pImageProperties)
{
    struct geo_image_request request = {0};
    struct geo_image_info info = {0};
    GEO_CHECK(geo_inventory_running_device(hDevice, &request.device));
    ze_image_format_support_ext_properties_t *support =
        GEO_CHAIN_FIND(ze_image_properties_t, ze_image_format_support_ext_properties_t,
                       GEO_CHAIN_OF(ze_image_properties_t, pImageProperties));
    ze_result_t result = desc_read(desc, &request);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_image_measure(request.device, &request.desc);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_image_plan(request.device, &request.desc, &info);
    }
    if (support && result == ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT) {
        info.filters = 0; /* "unsupported" is the answer */
    } else if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    pImageProperties->samplerFilterFlags = info.filters;
    if (support) {
        support->supported = result == ZE_RESULT_SUCCESS;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeImageGetMemoryPropertiesExp(ze_image_handle_t hImage,
                                              ze_image_memory_properties_exp_t *pMemoryProperties)
{
    struct geo_image *image;
    GEO_CHECK(geo_image_from(hImage, &image));
    pMemoryProperties->size = image->info.bytes;
    pMemoryProperties->rowPitch = image->info.row_pitch;
    pMemoryProperties->slicePitch = image->info.slice_pitch;
    return ZE_RESULT_SUCCESS;
}

/* Fills the structures in the chain of ze_image_allocation_ext_properties_t. */
static ze_result_t allocation_extend(const struct geo_image *image, const void *next)
{
    /* Checked first, so that a failed call opens no descriptor. */
    if (GEO_CHAIN_FIND(ze_image_allocation_ext_properties_t,
                       ze_external_memory_export_win32_handle_t, next)) {
        return geo_external_refuse_win32();
    }
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if (GEO_LINK_IS(ze_image_allocation_ext_properties_t, ze_external_memory_export_fd_t,
                        walk)) {
            ze_external_memory_export_fd_t *export = (void *)walk.link;
            GEO_CHECK(geo_external_check_types(export->flags));
            GEO_CHECK(
                geo_ipc_memory_export_fd(geo_image_memory(image), export->flags, &export->fd));
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zeImageGetAllocPropertiesExt(ze_context_handle_t hContext, ze_image_handle_t hImage,
                                 ze_image_allocation_ext_properties_t *pImageAllocProperties)
{
    struct geo_context *context;
    struct geo_image *image;
    struct geo_memory_info info;
    GEO_CHECK(geo_context_from(hContext, &context));
    GEO_CHECK(geo_image_from(hImage, &image));
    if (!geo_memory_find(image->pixels, &info) || info.driver != context->base.driver) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the memory of the image is not of the context's driver, or was freed");
    }
    GEO_CHECK(allocation_extend(
        image, GEO_CHAIN_OF(ze_image_allocation_ext_properties_t, pImageAllocProperties)));
    pImageAllocProperties->id = info.id;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeImageGetDeviceOffsetExp(ze_image_handle_t hImage, uint64_t *pDeviceOffset)
{
    struct geo_image *image;
    GEO_CHECK(geo_image_from(hImage, &image));
    if (!image->desc.bindless) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the image was not created bindless");
    }
    if (!image->info.kernels_read) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                        "kernels cannot access layout %u, type %u: create a view of one plane "
                        "(zeImageViewCreateExt)",
                        (unsigned)image->desc.format.layout, (unsigned)image->desc.format.type);
    }
    *pDeviceOffset = geo_image_argument(image);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeMemGetPitchFor2dImage(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                        size_t imageWidth, size_t imageHeight,
                                        unsigned int elementSizeInBytes, size_t *rowPitch)
{
    struct geo_context *context;
    struct geo_device *device;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    return geo_image_properties_pitch(device, imageWidth, imageHeight, elementSizeInBytes,
                                      rowPitch);
}

/* ---- residency ---- */

/* Passes a request for residency on, as for memory (context.c). */
static ze_result_t residency_ask(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                 ze_image_handle_t hImage, bool resident)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_image *image;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_image_from(hImage, &image));
    const struct geo_driver *driver = context->base.driver;
    if (image->base.driver != driver) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the image belongs to another driver");
    }
    driver->ops->memory->resident(driver->backend, image->pixels, image->info.bytes, resident);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeContextMakeImageResident(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                           ze_image_handle_t hImage)
{
    return residency_ask(hContext, hDevice, hImage, true);
}

ze_result_t geo_zeContextEvictImage(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                    ze_image_handle_t hImage)
{
    return residency_ask(hContext, hDevice, hImage, false);
}
