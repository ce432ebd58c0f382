/* Tracks images. See images.h. */
#include "layers/validation/uses/images.h"
#include "layers/validation/objects/rules.h"
#include "layers/validation/uses/uses.h"

#include "ddi/geo_ddi_chain.h"

#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

const struct geo_val_image *geo_val_image_of(const void *handle)
{
    return geo_val_data_of(GEO_VAL_IMAGE, handle);
}

/* Returns the size of a pixel in bytes for formats with contiguous pixels, else 0. */
static uint32_t pixel_bytes_of(ze_image_format_layout_t layout)
{
    static const uint8_t bytes[] = {
        [ZE_IMAGE_FORMAT_LAYOUT_8] = 1,
        [ZE_IMAGE_FORMAT_LAYOUT_16] = 2,
        [ZE_IMAGE_FORMAT_LAYOUT_32] = 4,
        [ZE_IMAGE_FORMAT_LAYOUT_8_8] = 2,
        [ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8] = 4,
        [ZE_IMAGE_FORMAT_LAYOUT_16_16] = 4,
        [ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16] = 8,
        [ZE_IMAGE_FORMAT_LAYOUT_32_32] = 8,
        [ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32] = 16,
        [ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2] = 4,
        [ZE_IMAGE_FORMAT_LAYOUT_11_11_10] = 4,
        [ZE_IMAGE_FORMAT_LAYOUT_5_6_5] = 2,
        [ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1] = 2,
        [ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4] = 2,
        [ZE_IMAGE_FORMAT_LAYOUT_8_8_8] = 3,
        [ZE_IMAGE_FORMAT_LAYOUT_16_16_16] = 6,
        [ZE_IMAGE_FORMAT_LAYOUT_32_32_32] = 12,
    };
    return (size_t)layout < sizeof(bytes) ? bytes[layout] : 0;
}

static uint32_t at_least_one(uint32_t value)
{
    return value ? value : 1;
}

static struct geo_val_image *image_begin(const void *handle, const ze_image_desc_t *desc)
{
    struct geo_val_image *image =
        geo_val_data_begin(GEO_VAL_IMAGE, handle, sizeof(struct geo_val_image));
    if (!image) {
        return NULL;
    }
    *image =
        (struct geo_val_image){.data = image->data, .root = handle, .root_life = image->data.life};
    if (!desc || desc->width > UINT32_MAX) {
        return image;
    }
    const uint32_t levels = at_least_one(desc->arraylevels), width = (uint32_t)desc->width;
    image->pixel_bytes = pixel_bytes_of(desc->format.layout);
    image->size[0] = width;
    image->size[1] = desc->height;
    image->size[2] = desc->type == ZE_IMAGE_TYPE_3D ? desc->depth : levels;
    switch (desc->type) {
    case ZE_IMAGE_TYPE_1D:
        image->axes = 1;
        image->pixels = width;
        break;
    case ZE_IMAGE_TYPE_1DARRAY: /* its lines may be counted as rows or as slices */
        image->pixels = (uint64_t)width * levels;
        break;
    case ZE_IMAGE_TYPE_2D:
        image->axes = 2;
        image->pixels = (uint64_t)width * desc->height;
        break;
    case ZE_IMAGE_TYPE_2DARRAY:
    case ZE_IMAGE_TYPE_3D:
        image->axes = 3;
        image->pixels = (uint64_t)width * desc->height * image->size[2];
        break;
    default: /* the width of a buffer is in bytes */
        image->pixels = image->pixel_bytes ? width / image->pixel_bytes : 0;
        break;
    }
    return image;
}

/* Returns the pixels of a region, or of the whole image when `region` is NULL. */
static struct geo_val_pixels image_pixels(const struct geo_val_image *image,
                                          const ze_image_region_t *region)
{
    const struct geo_val_pixels all = {.size = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    if (!region) {
        return all;
    }
    struct geo_val_pixels pixels = {.origin = {region->originX, region->originY, region->originZ},
                                    .size = {region->width, region->height, region->depth}};
    /* The image lacks these axes. */
    for (int i = image && image->axes ? image->axes : 3; i < 3; i++) {
        pixels.origin[i] = 0;
        pixels.size[i] = 1;
    }
    return pixels;
}

struct geo_val_bytes geo_val_image_bytes(const void *handle, const ze_image_region_t *region,
                                         uintptr_t base, size_t pitch, size_t slice)
{
    const struct geo_val_image *image = geo_val_image_of(handle);
    if (!image || image->pixel_bytes == 0) {
        return geo_val_box_bytes_at(base, 1);
    }
    if (!region && pitch == 0 && slice == 0) {
        return geo_val_box_bytes_at(base, image->pixels ? image->pixels * image->pixel_bytes : 1);
    }
    uint32_t size[3] = {region ? region->width : image->size[0], 1, 1};
    if (image->axes > 1) {
        size[1] = region ? region->height : image->size[1];
    }
    if (image->axes > 2) {
        size[2] = region ? region->depth : image->size[2];
    }
    if (size[0] == 0 || size[1] == 0 || size[2] == 0) {
        return geo_val_box_bytes_at(base, 0);
    }
    const size_t row = (size_t)size[0] * image->pixel_bytes, distance = pitch ? pitch : row;
    return (struct geo_val_bytes){.base = base,
                                  .width = row,
                                  .pitch = distance,
                                  .slice = slice ? slice : distance * size[1],
                                  .rows = size[1],
                                  .slices = size[2]};
}

bool geo_val_images_share(const struct geo_val_used *one, const struct geo_val_used *other)
{
    if (one->handle == other->handle) {
        return one->life == other->life;
    }
    return one->root && one->root == other->root && one->root_life == other->root_life;
}

void geo_val_image_use(struct geo_val_used *used, const ze_image_region_t *region)
{
    const struct geo_val_image *image = geo_val_image_of(used->handle);
    used->pixels = image_pixels(image, region);
    if (!image || image->apart) {
        return;
    }
    used->root = image->root;
    used->root_life = image->root_life;
}

static void create_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    image_begin(*ARGUMENT(call, 3, void **), ARGUMENT(call, 2, const ze_image_desc_t *));
}

static void view_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const ze_image_desc_t *desc = ARGUMENT(call, 2, const ze_image_desc_t *);
    const struct geo_val_image *image = geo_val_image_of(ARGUMENT(call, 3, const void *));
    struct geo_val_image *view = image_begin(*ARGUMENT(call, 4, void **), desc);
    if (!view || !image) {
        return;
    }
    const void *chain = GEO_CHAIN_OF(ze_image_desc_t, desc);
    view->root = image->root;
    view->root_life = image->root_life;
    view->apart = image->apart || view->axes != image->axes ||
                  view->pixel_bytes != image->pixel_bytes ||
                  memcmp(view->size, image->size, sizeof(view->size)) != 0 ||
                  GEO_CHAIN_FIND(ze_image_desc_t, ze_image_view_planar_ext_desc_t, chain) ||
                  GEO_CHAIN_FIND(ze_image_desc_t, ze_image_view_planar_exp_desc_t, chain);
}

const struct geo_val_rule geo_val_image_rules[] = {
    {.function = GEO_DDI_FN_zeImageCreate, .note = create_note},
    {.function = GEO_DDI_FN_zeImageViewCreateExt, .note = view_note},
    {.function = GEO_DDI_FN_zeImageViewCreateExp, .note = view_note},
    {.function = GEO_DDI_FN_zeSamplerCreate, .nothing = true}, /* only its lifetime matters */
    {.function = GEO_DDI_FUNCTION_COUNT}};
