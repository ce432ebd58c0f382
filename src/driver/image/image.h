/* Image objects: pixels in memory of the driver, of a file descriptor or of the application, and
 * views that show an image's pixels another way.
 *
 *     image  --- memory            an allocation like any other, but not the application's to free
 *       ^    --- backend's image   what kernels see
 *       |
 *     view   --- backend's image   over the same memory, from its plane on
 *
 * A view, a command list and a kernel's argument keep their image: it may be destroyed before. */
#ifndef GEO_DRIVER_IMAGE_IMAGE_H
#define GEO_DRIVER_IMAGE_IMAGE_H

#include "driver/image/format.h"
#include "driver/mem/memory.h"

struct geo_image {
    struct geo_object base;
    struct geo_context *context; /* referenced */
    struct geo_device *device;
    struct geo_image_desc desc;
    struct geo_image_info info;
    uint8_t *pixels;         /* slice 0, row 0 */
    void *allocation;        /* owned; NULL: another's memory */
    struct geo_image *first; /* of a view: whose pixels they are; referenced */
    struct geo_backend_image *backend;
};

GEO_OBJECT_HANDLE(image, GEO_OBJECT_IMAGE, ze_image_handle_t)

struct geo_image_request {
    struct geo_context *context;
    struct geo_device *device;
    struct geo_image_desc desc;
    void *memory;      /* of the application, with a pitch; NULL: none */
    const int *import; /* a descriptor, which stays the caller's; NULL: none */
    bool exportable;
    const uint32_t *plane; /* of a view; NULL: as it is */
};

/* The operations of a device's images; UNSUPPORTED_FEATURE when it has none. */
GEO_MUST_CHECK ze_result_t geo_image_ops_of(const struct geo_device *device,
                                            const struct geo_image_ops **ops);

/* Turns the width of a buffer, which an application says in bytes, into whole pixels. INVALID_SIZE
 * for less than one. */
GEO_MUST_CHECK ze_result_t geo_image_measure(const struct geo_device *device,
                                             struct geo_image_desc *desc);

/* How an image would lie. The errors of the seam. */
GEO_MUST_CHECK ze_result_t geo_image_plan(const struct geo_device *device,
                                          const struct geo_image_desc *desc,
                                          struct geo_image_info *info);

/* Besides, INVALID_ARGUMENT for memory of the application that is not ours or too small, and what
 * allocations and imports fail with. */
GEO_MUST_CHECK ze_result_t geo_image_create(const struct geo_image_request *request,
                                            struct geo_image **out);

/* Over the pixels of `first`. UNSUPPORTED_IMAGE_FORMAT for pixels of another size than those of
 * its plane, INVALID_SIZE for extents beyond it, INVALID_ARGUMENT for a plane that it has not. */
GEO_MUST_CHECK ze_result_t geo_image_create_view(const struct geo_image_request *request,
                                                 struct geo_image *first, struct geo_image **out);

/* The number that kernels know it by. */
uint64_t geo_image_argument(const struct geo_image *image);

/* The whole memory that it is in, its own or that of the image that it shows. */
const void *geo_image_memory(const struct geo_image *image);

#endif
