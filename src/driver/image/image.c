/* Creates images and views. See image.h. */
#include "driver/image/image.h"

#include <stdlib.h>

ze_result_t geo_image_ops_of(const struct geo_device *device, const struct geo_image_ops **ops)
{
    *ops = device->base.driver->ops->image;
    return *ops ? ZE_RESULT_SUCCESS
                : geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "the device has no images");
}

/* Returns whether a planned layout is consistent: rows within their pitch, planes within the
 * image. */
static bool info_is_valid(const struct geo_image_info *info)
{
    if (info->plane_count == 0 || info->plane_count > GEO_IMAGE_PLANES ||
        (info->plane_count == 1 && (info->pixel_bytes == 0 || info->unit_bytes == 0))) {
        return false;
    }
    for (uint32_t i = 0; i < info->plane_count; i++) {
        const struct geo_image_plane *plane = &info->planes[i];
        if (plane->pixel_bytes == 0 || plane->offset >= info->bytes) {
            return false;
        }
    }
    return info->bytes > 0 && info->row_bytes > 0 && info->rows > 0 &&
           (info->alignment & (info->alignment - 1)) == 0 &&
           (!info->linear || info->row_bytes <= info->row_pitch);
}

static void image_destroy(struct geo_object *object)
{
    struct geo_image *image = (struct geo_image *)object;
    GEO_ASSERT(!image->first || !image->allocation); /* a view owns no memory */
    if (image->backend) {
        image->base.driver->ops->image->destroy(image->backend);
    }
    if (image->allocation) {
        ze_result_t result =
            geo_memory_free(image->context, image->allocation,
                            1u << GEO_ORIGIN_IMAGE | 1u << GEO_ORIGIN_IMPORTED, GEO_FREE_NOW);
        (void)result; /* only this object can free it */
    }
    if (image->first) {
        geo_object_unref(&image->first->base);
    }
    geo_object_unref(&image->context->base);
    free(image);
}

/* ---- layout ---- */

static ze_result_t plan_fail(ze_result_t result, const struct geo_image_desc *desc)
{
    return geo_fail(result,
                    "the device does not support an image of layout %u, type %u, %llux%ux%u with "
                    "%u levels, pitches %llu and %llu",
                    (unsigned)desc->format.layout, (unsigned)desc->format.type,
                    (unsigned long long)desc->width, desc->height, desc->depth, desc->levels,
                    (unsigned long long)desc->row_pitch, (unsigned long long)desc->slice_pitch);
}

ze_result_t geo_image_plan(const struct geo_device *device, const struct geo_image_desc *desc,
                           struct geo_image_info *info)
{
    const struct geo_image_ops *ops;
    GEO_CHECK(geo_image_ops_of(device, &ops));
    GEO_ASSERT(desc->width && desc->height && desc->depth && desc->levels);
    ze_result_t result = ops->plan(device->backend_device, desc, info);
    GEO_ASSERT(result != ZE_RESULT_SUCCESS || info_is_valid(info));
    return result == ZE_RESULT_SUCCESS ? result : plan_fail(result, desc);
}

/* Plans an image of one pixel, because only the device knows the size of a pixel. */
ze_result_t geo_image_measure(const struct geo_device *device, struct geo_image_desc *desc)
{
    struct geo_image_desc pixel = *desc;
    struct geo_image_info info;
    if (desc->type != ZE_IMAGE_TYPE_BUFFER) {
        return ZE_RESULT_SUCCESS;
    }
    pixel.width = 1;
    pixel.row_pitch = pixel.slice_pitch = 0;
    GEO_CHECK(geo_image_plan(device, &pixel, &info));
    GEO_ASSERT(info.pixel_bytes > 0); /* no buffer has a media layout */
    if (desc->width < info.pixel_bytes) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "a buffer of %llu bytes is smaller than a pixel of %u bytes",
                        (unsigned long long)desc->width, info.pixel_bytes);
    }
    desc->width /= info.pixel_bytes;
    return ZE_RESULT_SUCCESS;
}

/* ---- creation ---- */

static struct geo_image *image_begin(const struct geo_image_request *request)
{
    struct geo_image *image = calloc(1, sizeof(*image));
    if (image) {
        struct geo_context *context = request->context;
        geo_object_init(&image->base, GEO_OBJECT_IMAGE, context->base.driver, image_destroy);
        geo_object_ref(&context->base);
        image->context = context;
        image->device = request->device;
        image->desc = request->desc;
    }
    return image;
}

/* Uses memory of the application, which must contain the whole image. */
static ze_result_t memory_take(struct geo_image *image, void *memory)
{
    struct geo_memory_info found;
    if (!geo_memory_find(memory, &found) || found.driver != image->base.driver) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is not in memory of this driver",
                        memory);
    }
    GEO_ASSERT(found.base <= (uintptr_t)memory && (uintptr_t)memory - found.base < found.bytes);
    uint64_t left = found.base + found.bytes - (uintptr_t)memory;
    if (left < image->info.bytes) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "the image needs %llu bytes: from %p on the allocation has %llu",
                        (unsigned long long)image->info.bytes, memory, (unsigned long long)left);
    }
    image->pixels = memory;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t memory_make(struct geo_image *image, const struct geo_image_request *request)
{
    const struct geo_memory_request wanted = {
        .context = image->context,
        .device = image->device,
        .kind = GEO_MEMORY_DEVICE,
        .origin = GEO_ORIGIN_IMAGE,
        .bytes = image->info.bytes,
        .alignment = image->info.alignment,
        .exportable = request->exportable,
    };
    if (request->import) {
        GEO_CHECK(geo_memory_import(&wanted, GEO_ORIGIN_IMPORTED, *request->import, 0, false,
                                    &image->allocation));
    } else {
        GEO_CHECK(geo_memory_allocate(&wanted, &image->allocation));
    }
    image->pixels = image->allocation;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t backend_make(struct geo_image *image)
{
    const struct geo_image_ops *ops = image->base.driver->ops->image;
    GEO_ASSERT(!image->backend && (image->pixels || !image->info.linear));
    ze_result_t result = ops->create(image->device->backend_device, &image->desc, &image->info,
                                     image->pixels, NULL, &image->backend);
    return result == ZE_RESULT_SUCCESS
               ? result
               : geo_fail(result, "no memory to create the image on the device");
}

static ze_result_t image_fill(struct geo_image *image, const struct geo_image_request *request)
{
    image->desc.linear = request->memory != NULL;
    GEO_CHECK(geo_image_measure(image->device, &image->desc));
    GEO_CHECK(geo_image_plan(image->device, &image->desc, &image->info));
    if (request->memory) {
        GEO_CHECK(memory_take(image, request->memory));
    } else {
        GEO_CHECK(memory_make(image, request));
    }
    return backend_make(image);
}

ze_result_t geo_image_create(const struct geo_image_request *request, struct geo_image **out)
{
    struct geo_image *image = image_begin(request);
    if (!image) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for an image");
    }
    ze_result_t result = image_fill(image, request);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&image->base);
        return result;
    }
    *out = image;
    return ZE_RESULT_SUCCESS;
}

/* ---- views ---- */

/* Returns whether the view can reinterpret pixels of the plane: both have the same size, or the
 * view's pixel is a whole unit of pixels that share bytes. An image with several planes can only be
 * viewed in its own format. */
static bool view_fits_pixels(const struct geo_image *view, const struct geo_image *first,
                             const struct geo_image_plane *plane)
{
    if (view->info.plane_count > 1) {
        return view->desc.format.layout == first->desc.format.layout &&
               view->desc.height == first->desc.height;
    }
    return view->info.pixel_bytes == plane->pixel_bytes ||
           (first->info.plane_count == 1 && view->info.pixel_bytes == first->info.unit_bytes);
}

static ze_result_t view_check(const struct geo_image *view, const struct geo_image *first,
                              const struct geo_image_plane *plane)
{
    uint64_t slices = (uint64_t)view->desc.depth * view->desc.levels;
    uint64_t row_bytes =
        view->info.plane_count > 1 ? first->info.row_bytes : plane->width * plane->pixel_bytes;
    if (!view_fits_pixels(view, first, plane)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                        "pixels of layout %u cannot be viewed as layout %u: their sizes differ",
                        (unsigned)first->desc.format.layout, (unsigned)view->desc.format.layout);
    }
    if (view->info.row_bytes > row_bytes || view->desc.height > plane->height ||
        slices > (uint64_t)first->desc.depth * first->desc.levels) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "a view of %llux%ux%u with %u levels is larger than the image",
                        (unsigned long long)view->desc.width, view->desc.height, view->desc.depth,
                        view->desc.levels);
    }
    return ZE_RESULT_SUCCESS;
}

/* Plans the view by itself first, for the checks, and then with the pitches of the image. */
static ze_result_t view_fill(struct geo_image *view, const struct geo_image_request *request,
                             const struct geo_image *first)
{
    uint32_t index = request->plane ? *request->plane : 0;
    if (index >= first->info.plane_count) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "plane %u is out of range: the image has %u planes", index,
                        first->info.plane_count);
    }
    GEO_ASSERT(view->first == first && !view->allocation && info_is_valid(&first->info));
    const struct geo_image_plane *plane = &first->info.planes[index];
    GEO_CHECK(geo_image_measure(view->device, &view->desc));
    GEO_CHECK(geo_image_plan(view->device, &view->desc, &view->info));
    GEO_CHECK(view_check(view, first, plane));
    view->desc.linear = true;
    view->desc.row_pitch = first->info.row_pitch;
    view->desc.slice_pitch = first->info.slice_pitch;
    GEO_CHECK(geo_image_plan(view->device, &view->desc, &view->info));
    view->pixels = first->pixels + plane->offset;
    return backend_make(view);
}

ze_result_t geo_image_create_view(const struct geo_image_request *request, struct geo_image *first,
                                  struct geo_image **out)
{
    if (!geo_device_covers(first->device, request->device)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the image belongs to another device");
    }
    struct geo_image *view = image_begin(request);
    if (!view) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a view");
    }
    geo_object_ref(&first->base);
    view->first = first;
    ze_result_t result = view_fill(view, request, first);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&view->base);
        return result;
    }
    *out = view;
    return ZE_RESULT_SUCCESS;
}

/* ---- use ---- */

uint64_t geo_image_argument(const struct geo_image *image)
{
    return image->base.driver->ops->image->argument(image->backend);
}

const void *geo_image_memory(const struct geo_image *image)
{
    while (image->first) {
        GEO_ASSERT(image->first != image && !image->allocation);
        image = image->first;
    }
    return image->pixels;
}
