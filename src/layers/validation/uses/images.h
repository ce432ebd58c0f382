/* The model's data of images: their size in pixels and the size of a pixel. */
#ifndef GEO_LAYERS_VALIDATION_IMAGES_H
#define GEO_LAYERS_VALIDATION_IMAGES_H

#include "layers/validation/address/box.h"
#include "layers/validation/objects/data.h"

struct geo_val_used;

struct geo_val_image {
    struct geo_val_data data;
    /* Number of axes; 0: unknown, as its type counts pixels in several ways. */
    int axes;
    uint32_t size[3];     /* pixels along each axis */
    uint32_t pixel_bytes; /* 0: unknown, as the format is planar or a video format */
    uint64_t pixels;      /* number of pixels of the whole image */
    const void *root;     /* handle of the image that a view shows; else the image's own handle */
    uint64_t root_life;
    bool apart; /* a view that counts pixels differently: of a plane, or of another format */
};

/* Returns the data of an image, or NULL when nothing is known. Takes no lock, because images do not
 * change. */
const struct geo_val_image *geo_val_image_of(const void *handle);

/* Returns whether two commands use the same image, or an image and a view of it that counts pixels
 * in the same way. */
bool geo_val_images_share(const struct geo_val_used *one, const struct geo_val_used *other);

/* Fills the region of an image that a command uses. NULL stands for the whole image. */
void geo_val_image_use(struct geo_val_used *used, const ze_image_region_t *region);

/* Returns the memory region that holds the pixels of an image region, with the given pitches (0: no
 * gaps). Returns one byte when the layout is unknown. */
struct geo_val_bytes geo_val_image_bytes(const void *image, const ze_image_region_t *region,
                                         uintptr_t base, size_t pitch, size_t slice);

#endif
