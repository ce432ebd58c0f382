/* Converts boxes of pixels to boxes of bytes, for the append functions of copies. See
 * image_region.h. */
#include "driver/cmd/image_region.h"

/* The extents of an image as an application counts them. */
struct extents {
    uint64_t width;
    uint32_t height, depth;
    bool has_y, has_z;
    uint64_t pitch_y, pitch_z; /* bytes from one y or z to the next */
};

static struct extents extents_of(const struct geo_image *image)
{
    const struct geo_image_desc *desc = &image->desc;
    bool line = desc->type == ZE_IMAGE_TYPE_1D || desc->type == ZE_IMAGE_TYPE_1DARRAY ||
                desc->type == ZE_IMAGE_TYPE_BUFFER;
    struct extents extents = {
        .width = desc->width,
        .height = desc->height,
        .depth = desc->depth * desc->levels, /* no type has both */
        .has_y = !line,
        .has_z = desc->type != ZE_IMAGE_TYPE_2D && !line,
        .pitch_y = image->info.row_pitch,
        .pitch_z = image->info.slice_pitch,
    };
    if (desc->type == ZE_IMAGE_TYPE_1DARRAY && image->info.rows == 1) {
        extents.height = desc->levels;
        extents.has_y = true;
        extents.depth = 1;
        extents.pitch_y = image->info.slice_pitch;
    }
    return extents;
}

/* Resets the directions that the image does not have to their full extent. */
static ze_image_region_t box_of(const struct extents *extents, const ze_image_region_t *box)
{
    ze_image_region_t used = *box;
    if (!extents->has_y) {
        used.originY = 0;
        used.height = extents->height;
    }
    if (!extents->has_z) {
        used.originZ = 0;
        used.depth = extents->depth;
    }
    return used;
}

static ze_result_t box_check(const struct extents *extents, const ze_image_region_t *box)
{
    if ((uint64_t)box->originX + box->width > extents->width ||
        (uint64_t)box->originY + box->height > extents->height ||
        (uint64_t)box->originZ + box->depth > extents->depth) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "%ux%ux%u pixels from (%u, %u, %u) exceed the image of %llux%ux%u",
                        box->width, box->height, box->depth, box->originX, box->originY,
                        box->originZ, (unsigned long long)extents->width, extents->height,
                        extents->depth);
    }
    return ZE_RESULT_SUCCESS;
}

static bool box_is_all(const struct extents *extents, const ze_image_region_t *box)
{
    return box->width == extents->width && box->height == extents->height &&
           box->depth == extents->depth;
}

/* Makes the region of all rows of all planes. */
static void region_all(struct geo_region *region, const struct geo_image *image,
                       const struct extents *extents)
{
    bool levels = extents->height > image->info.rows; /* levels of a 1D array have one row each */
    *region = (struct geo_region){
        .start = (uintptr_t)image->pixels,
        .width = image->info.row_bytes,
        .height = levels ? extents->height : image->info.rows,
        .depth = extents->depth,
        .pitch = extents->pitch_y,
        .slice_pitch = levels ? extents->pitch_y * extents->height : extents->pitch_z,
    };
}

ze_result_t geo_region_of_image(struct geo_region *region, const struct geo_image *image,
                                const ze_image_region_t *box)
{
    const struct extents extents = extents_of(image);
    if (!box) {
        region_all(region, image, &extents);
        return ZE_RESULT_SUCCESS;
    }
    const ze_image_region_t part = box_of(&extents, box);
    GEO_CHECK(box_check(&extents, &part));
    if (image->info.plane_count > 1) {
        if (!box_is_all(&extents, &part)) {
            return geo_fail(
                ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                "a part of an image with %u planes can only be copied through views of its planes",
                image->info.plane_count);
        }
        region_all(region, image, &extents);
        return ZE_RESULT_SUCCESS;
    }
    *region = (struct geo_region){
        .start = (uintptr_t)image->pixels + (uint64_t)part.originX * image->info.pixel_bytes +
                 part.originY * extents.pitch_y + part.originZ * extents.pitch_z,
        .width = part.depth ? (uint64_t)part.width * image->info.pixel_bytes : 0,
        .height = part.height,
        .depth = part.depth ? part.depth : 1,
        .pitch = extents.pitch_y,
        .slice_pitch = extents.pitch_z,
    };
    return ZE_RESULT_SUCCESS;
}
