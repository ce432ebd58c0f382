/* Image objects and views. The pixels of an image are in memory of the driver, of a file descriptor
 * or of the application. A view shows the pixels of an image in another format.
 *
 *     image  --- memory            an allocation that the application cannot free
 *       ^    --- backend's image   used by kernels
 *       |
 *     view   --- backend's image   over the same memory, from the offset of its plane
 *
 * Views, command lists and arguments of kernels reference their image, so it may be destroyed
 * before them. */
#ifndef GEO_DRIVER_IMAGE_IMAGE_H
#define GEO_DRIVER_IMAGE_IMAGE_H

#include "driver/image/format.h"
#include "driver/mem/memory.h"

/* An image or a view of the application. */
struct geo_image {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;
    struct geo_image_desc desc;
    struct geo_image_info info;
    uint8_t *pixels;         /* address of slice 0, row 0 */
    void *allocation;        /* owned; NULL for memory of the application, or of a viewed image */
    struct geo_image *first; /* of a view: the image that it shows; referenced */
    struct geo_backend_image *backend;
};

GEO_OBJECT_HANDLE(image, GEO_OBJECT_IMAGE, ze_image_handle_t)

/* A request to create an image or a view. */
struct geo_image_request {
    struct geo_context *context;
    struct geo_device *device;
    struct geo_image_desc desc;
    void *memory;      /* of the application, for an image with a pitch; NULL: allocate */
    const int *import; /* descriptor to import, which stays the caller's; NULL: none */
    bool exportable;
    const uint32_t *plane; /* of a view: plane that it shows; NULL: the first */
};

/* Returns the image operations of the device, or UNSUPPORTED_FEATURE if it has none. */
GEO_MUST_CHECK ze_result_t geo_image_ops_of(const struct geo_device *device,
                                            const struct geo_image_ops **ops);

/* Converts the width of a buffer from bytes, as applications give it, to whole pixels. Returns
 * INVALID_SIZE if it has less than one pixel. */
GEO_MUST_CHECK ze_result_t geo_image_measure(const struct geo_device *device,
                                             struct geo_image_desc *desc);

/* Computes the layout of an image. Returns the errors of geo_image_ops. */
GEO_MUST_CHECK ze_result_t geo_image_plan(const struct geo_device *device,
                                          const struct geo_image_desc *desc,
                                          struct geo_image_info *info);

/* Creates an image. Further errors: INVALID_ARGUMENT for memory of the application that is unknown
 * or too small, and those of allocations and imports. */
GEO_MUST_CHECK ze_result_t geo_image_create(const struct geo_image_request *request,
                                            struct geo_image **out);

/* Creates a view of the pixels of `first`. Returns UNSUPPORTED_IMAGE_FORMAT if its pixel size
 * differs from that of the plane, INVALID_SIZE for extents beyond the plane, INVALID_ARGUMENT for a
 * missing plane. */
GEO_MUST_CHECK ze_result_t geo_image_create_view(const struct geo_image_request *request,
                                                 struct geo_image *first, struct geo_image **out);

/* Returns the number that a kernel gets as argument. */
uint64_t geo_image_argument(const struct geo_image *image);

/* Returns the start of the memory of the image, or of the image that a view shows. */
const void *geo_image_memory(const struct geo_image *image);

#endif
