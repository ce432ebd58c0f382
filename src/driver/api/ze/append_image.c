/* API functions that append copies of images to a command list. Each converts its images and memory
 * to regions of bytes and appends one record that copies them (cmd/image_region.h). */
#include "ddi/geo_api.h"
#include "driver/cmd/image_region.h"
#include "driver/core/check.h"

/* Source or destination of a copy. */
struct side {
    struct geo_image *image; /* NULL: memory */
    struct geo_region region;
};

static ze_result_t side_of_image(struct side *side, const struct geo_command_list *list,
                                 ze_image_handle_t handle, const ze_image_region_t *box)
{
    GEO_CHECK(geo_image_from(handle, &side->image));
    if (side->image->base.driver != list->base.driver) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "image and command list belong to different drivers");
    }
    return geo_region_of_image(&side->region, side->image, box);
}

static ze_result_t sides_append(struct geo_command_list *list, const struct side *to,
                                const struct side *from, const struct geo_append_events *events)
{
    struct geo_append append;
    GEO_CHECK(geo_region_append(list, &to->region, &from->region, events, &append));
    if (to->image) {
        GEO_CHECK(geo_keep_add(&list->keep, &to->image->base));
    }
    if (from->image) {
        GEO_CHECK(geo_keep_add(&list->keep, &from->image->base));
    }
    return geo_append_commit(&append);
}

/* ---- from image to image ---- */

/* Checks that the pixels have the same size. They are copied unchanged, whatever their formats are,
 * as on other devices. */
static ze_result_t formats_check(const struct geo_image *to, const struct geo_image *from)
{
    bool same = to->info.plane_count > 1 ? to->desc.format.layout == from->desc.format.layout
                                         : to->info.pixel_bytes == from->info.pixel_bytes;
    return same ? ZE_RESULT_SUCCESS
                : geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                           "layouts %u and %u have pixels of different sizes",
                           (unsigned)from->desc.format.layout, (unsigned)to->desc.format.layout);
}

ze_result_t geo_zeCommandListAppendImageCopyRegion(
    ze_command_list_handle_t hCommandList, ze_image_handle_t hDstImage, ze_image_handle_t hSrcImage,
    const ze_image_region_t *pDstRegion, const ze_image_region_t *pSrcRegion,
    ze_event_handle_t hSignalEvent, uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct side to, from;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(side_of_image(&to, list, hDstImage, pDstRegion));
    GEO_CHECK(side_of_image(&from, list, hSrcImage, pSrcRegion));
    GEO_CHECK(formats_check(to.image, from.image));
    GEO_CHECK(geo_region_check(&to.region, &from.region));
    return sides_append(list, &to, &from, &events);
}

ze_result_t geo_zeCommandListAppendImageCopy(ze_command_list_handle_t hCommandList,
                                             ze_image_handle_t hDstImage,
                                             ze_image_handle_t hSrcImage,
                                             ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                             ze_event_handle_t *phWaitEvents)
{
    return geo_zeCommandListAppendImageCopyRegion(hCommandList, hDstImage, hSrcImage, NULL, NULL,
                                                  hSignalEvent, numWaitEvents, phWaitEvents);
}

/* ---- between image and memory ---- */

static ze_result_t media_check(const struct geo_image *image)
{
    if (geo_image_format_is_media(image->desc.format.layout)) {
        return geo_fail(
            ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
            "an image of media layout %u can only be copied through views of its planes",
            (unsigned)image->desc.format.layout);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeCommandListAppendImageCopyToMemoryExt(
    ze_command_list_handle_t hCommandList, void *dstptr, ze_image_handle_t hSrcImage,
    const ze_image_region_t *pSrcRegion, uint32_t destRowPitch, uint32_t destSlicePitch,
    ze_event_handle_t hSignalEvent, uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct side to = {0}, from;
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(side_of_image(&from, list, hSrcImage, pSrcRegion));
    GEO_CHECK(media_check(from.image));
    GEO_CHECK(geo_region_like(&to.region, dstptr, &from.region, destRowPitch, destSlicePitch));
    return sides_append(list, &to, &from, &events);
}

ze_result_t geo_zeCommandListAppendImageCopyToMemory(ze_command_list_handle_t hCommandList,
                                                     void *dstptr, ze_image_handle_t hSrcImage,
                                                     const ze_image_region_t *pSrcRegion,
                                                     ze_event_handle_t hSignalEvent,
                                                     uint32_t numWaitEvents,
                                                     ze_event_handle_t *phWaitEvents)
{
    return geo_zeCommandListAppendImageCopyToMemoryExt(hCommandList, dstptr, hSrcImage, pSrcRegion,
                                                       0, 0, hSignalEvent, numWaitEvents,
                                                       phWaitEvents);
}

ze_result_t geo_zeCommandListAppendImageCopyFromMemoryExt(
    ze_command_list_handle_t hCommandList, ze_image_handle_t hDstImage, const void *srcptr,
    const ze_image_region_t *pDstRegion, uint32_t srcRowPitch, uint32_t srcSlicePitch,
    ze_event_handle_t hSignalEvent, uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    struct geo_append_events events = {hSignalEvent, numWaitEvents, phWaitEvents};
    struct geo_command_list *list;
    struct side to, from = {0};
    GEO_CHECK(geo_command_list_from(hCommandList, &list));
    GEO_CHECK(side_of_image(&to, list, hDstImage, pDstRegion));
    GEO_CHECK(media_check(to.image));
    GEO_CHECK(geo_region_like(&from.region, srcptr, &to.region, srcRowPitch, srcSlicePitch));
    return sides_append(list, &to, &from, &events);
}

ze_result_t geo_zeCommandListAppendImageCopyFromMemory(
    ze_command_list_handle_t hCommandList, ze_image_handle_t hDstImage, const void *srcptr,
    const ze_image_region_t *pDstRegion, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
    ze_event_handle_t *phWaitEvents)
{
    return geo_zeCommandListAppendImageCopyFromMemoryExt(hCommandList, hDstImage, srcptr,
                                                         pDstRegion, 0, 0, hSignalEvent,
                                                         numWaitEvents, phWaitEvents);
}
