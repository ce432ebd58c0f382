/* What is known of images: how many pixels they have and how large these are. */
#ifndef GEO_LAYERS_VALIDATION_IMAGES_H
#define GEO_LAYERS_VALIDATION_IMAGES_H

#include "layers/validation/box.h"
#include "layers/validation/data.h"

struct geo_val_used;

struct geo_val_image {
    struct geo_val_data data;
    int axes;             /* that it has; 0: not known, its type counts pixels in several ways */
    uint32_t size[3];     /* pixels along each axis that it has */
    uint32_t pixel_bytes; /* 0: not known, the format has planes or is one of videos */
    uint64_t pixels;      /* of the whole image */
    const void *root;     /* whose pixels a view shows; of an image itself its handle */
    uint64_t root_life;
    bool apart; /* a view whose pixels are counted otherwise: of a plane, of another format */
};

/* NULL: nothing is known. Images do not change, so this needs no lock. */
const struct geo_val_image *geo_val_image_of(const void *handle);

/* Returns whether two commands use one image, or an image and a view of it that count pixels
 * alike. */
bool geo_val_images_share(const struct geo_val_used *one, const struct geo_val_used *other);

/* Fills what a command uses of an image: a region of it, all of it where `region` is null. */
void geo_val_image_use(struct geo_val_used *used, const ze_image_region_t *region);

/* Returns the bytes that such a region takes in memory, with the pitches given (0: without gaps);
 * one byte where that is not known. */
struct geo_val_bytes geo_val_image_bytes(const void *image, const ze_image_region_t *region,
                                         uintptr_t base, size_t pitch, size_t slice);

#endif
