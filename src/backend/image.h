/* The interface of images and samplers.
 *
 * The driver (driver/image, called by driver/api/ze) checks descriptors against the specification's
 * table of formats. It allocates memory if the image is linear, keeps viewed images alive, and
 * writes copies into command lists. A backend plans the layout of an image, creates the object that
 * kernels use, and copies images that only it can address. The compiler implements pixel access in
 * kernels.
 *
 *     ze_image_desc_t and its chain            checked by the driver; no pointer of the application
 *          |                                   is kept
 *     struct geo_image_desc --- plan ------> struct geo_image_info: linear or opaque, pitches,
 *          |                                     |                  planes
 *          |                           linear: memory of the driver (sharing, residency) or of
 *          |                                     |  the application (with a pitch)
 *          v                                     |
 *        create <---------------------------------+
 *          |
 *     argument: 8 bytes in the kernel's argument block; bindless: the same number
 *
 * A linear image is plain memory: slices (layers of an array, or of depth) of rows of pixels. The
 * planes of a format are stored one after the other in each slice, and the rows of all planes have
 * one pitch. Copies are GEO_COMMAND_COPY_REGION records, which every backend supports. Opaque
 * images (a CUDA array, a tiled image) are copied by struct geo_command_copy_image.
 *
 * How the backends implement it:
 *   CPU        all images are linear; the argument is the address of a descriptor, whose layout
 *              native/abi.h defines for kernels and compiler
 *   NVIDIA     CUDA arrays (opaque) with texture and surface objects, pitched memory for bindless
 *   simulated  the CPU's operations, with limits of the description file
 *   null       plans and creates images; nothing samples them
 *
 * Rules: an object lives until it is destroyed; the driver destroys it when no work uses it any
 * more. An unsupported format is UNSUPPORTED_IMAGE_FORMAT, a size beyond the limits
 * UNSUPPORTED_SIZE.
 *
 * Functions and their implementation ("limits", "info": fields of these structures; "driver": no
 * operation):
 *
 *   zeDeviceGetImageProperties                       image.limits
 *   zeImageGetProperties                             image.plan          filters, support
 *   zeImageCreate                                    image.plan, image.create
 *   zeImageViewCreateExt                             image.plan, image.create over the first
 *   zeImageViewCreateExp                             image.plan, image.create the same
 *   zeImageDestroy                                   image.destroy
 *   zeImageGetMemoryPropertiesExp                    info                bytes and pitches
 *   zeImageGetAllocPropertiesExt                     driver              of its allocation
 *   zeImageGetDeviceOffsetExp                        image.argument      bindless only
 *   zeMemGetPitchFor2dImage                          image.plan          of pitched memory
 *   zeContextMakeImageResident                       driver              as its memory
 *   zeContextEvictImage                              driver              as its memory
 *   zeSamplerCreate                                  image.sampler_create
 *   zeSamplerDestroy                                 image.sampler_destroy
 *   zeKernelSetArgumentValue                         image.argument, image.sampler_argument
 *   zeCommandListAppendImageCopy                     record
 *   zeCommandListAppendImageCopyRegion               record
 *   zeCommandListAppendImageCopyToMemory             record
 *   zeCommandListAppendImageCopyFromMemory           record
 *   zeCommandListAppendImageCopyToMemoryExt          record              pitches of the memory
 *   zeCommandListAppendImageCopyFromMemoryExt        record              pitches of the memory
 *
 * Chained structures:
 *
 *   ze_srgb_ext_desc_t                               desc                srgb
 *   ze_image_view_planar_ext_desc_t                  info                planes of the first
 *   ze_image_view_planar_exp_desc_t                  info                planes of the first
 *   ze_image_bindless_exp_desc_t                     desc                bindless, sampled
 *   ze_image_pitched_exp_desc_t                      desc                linear
 *   ze_custom_pitch_exp_desc_t                       desc                row_pitch, slice_pitch
 *   ze_memory_compression_hints_ext_desc_t           driver              a hint, ignored
 *   ze_sampler_desc_t                                desc                sampler of a sampled image
 *   ze_external_memory_import_fd_t                   driver              imported memory
 *   ze_external_memory_import_win32_handle_t         driver              not on Linux
 *   ze_external_memory_export_desc_t                 driver              exportable memory
 *   ze_external_memory_export_fd_t                   driver              of its allocation
 *   ze_external_memory_export_win32_handle_t         driver              not on Linux
 *   ze_image_format_support_ext_properties_t         image.plan          its result
 *   ze_device_pitched_alloc_exp_properties_t         limits              linear_width and _height
 *   ze_pitched_alloc_2dimage_linear_pitch_exp_info_t limits              pitch_align, max_pitch
 */
#ifndef GEO_BACKEND_IMAGE_H
#define GEO_BACKEND_IMAGE_H

#include "backend/command.h"

#include <level_zero/ze_api.h>

struct geo_backend_device; /* backend/backend.h */
struct geo_backend_image;
struct geo_backend_sampler;

/* Values of zeDeviceGetImageProperties; 0: images of this kind are unsupported. */
struct geo_image_limits {
    uint32_t max_width_1d, max_width_2d, max_width_3d; /* in pixels; also limits height and depth */
    uint64_t max_buffer_bytes;
    uint32_t max_array_levels;
    uint32_t max_samplers, max_read_arguments, max_write_arguments;
    size_t linear_width, linear_height; /* images in pitched memory */
    size_t pitch_align, max_pitch;
};

struct geo_sampler_desc {
    ze_sampler_address_mode_t address;
    ze_sampler_filter_mode_t filter;
    bool normalized;
};

/* A checked descriptor. Unused extents are 1; levels is 1 unless the type has levels. */
struct geo_image_desc {
    ze_image_type_t type;
    ze_image_format_t format;
    ze_image_flags_t flags;
    uint64_t width; /* in pixels, also for a BUFFER */
    uint32_t height, depth, levels;
    bool srgb, bindless, sampled;
    struct geo_sampler_desc sampler; /* for a sampled image */
    /* Must be in pitched memory, or shares the memory of another image. */
    bool linear;
    uint64_t row_pitch, slice_pitch; /* pitches of that memory; 0: chosen by plan */
};

#define GEO_IMAGE_PLANES 3u

/* One plane of an image, as a view of the plane shows it. */
struct geo_image_plane {
    uint64_t offset; /* offset of the plane in each slice */
    uint64_t width;  /* in pixels of the plane */
    uint32_t height, pixel_bytes;
};

/* The layout of an image. */
struct geo_image_info {
    bool linear; /* in memory of the driver; else in storage of the backend */
    /* Size of a pixel; 0 for formats with several planes. */
    uint32_t pixel_bytes;
    /* Size of a group of pixels that share bytes; else equal to pixel_bytes. */
    uint32_t unit_bytes;
    uint64_t bytes, alignment; /* of the image's memory */
    uint64_t row_bytes, row_pitch, slice_pitch;
    uint64_t rows; /* rows of a slice, in all planes */
    struct geo_image_plane planes[GEO_IMAGE_PLANES];
    uint32_t plane_count;
    ze_image_sampler_filter_flags_t filters;
    bool kernels_read, kernels_write; /* checked when the image is set as an argument */
};

/* The source or destination of an image copy. */
struct geo_image_place {
    struct geo_backend_image *image; /* NULL: the place is memory */
    uint8_t *memory;                 /* first byte of the region */
    uint64_t row_pitch, slice_pitch; /* pitches of the memory */
    uint32_t origin[3]; /* in pixels; y is the level of a 1D array, z that of a 2D array */
};

/* A copy from or to an opaque image, or between two with equal pixel size. */
struct geo_command_copy_image {
    struct geo_command header;
    struct geo_image_place destination, source;
    uint32_t size[3]; /* in pixels */
};

struct geo_image_ops {
    void (*limits)(struct geo_backend_device *device, struct geo_image_limits *limits);
    /* Plans the layout of an image without creating it. Returns UNSUPPORTED_IMAGE_FORMAT,
     * UNSUPPORTED_SIZE, or UNSUPPORTED_ALIGNMENT for a pitch. */
    ze_result_t (*plan)(struct geo_backend_device *device, const struct geo_image_desc *desc,
                        struct geo_image_info *info);
    /* Creates an image. `info` is the result of plan. `memory` is the first byte of a linear image
     * and must outlive it. `first` is the viewed image of an opaque view. Otherwise both are
     * NULL. */
    ze_result_t (*create)(struct geo_backend_device *device, const struct geo_image_desc *desc,
                          const struct geo_image_info *info, void *memory,
                          struct geo_backend_image *first, struct geo_backend_image **out);
    void (*destroy)(struct geo_backend_image *image);
    /* Returns the value in the argument block, by which kernels also refer to a bindless image. */
    uint64_t (*argument)(const struct geo_backend_image *image);
    ze_result_t (*sampler_create)(struct geo_backend_device *device,
                                  const struct geo_sampler_desc *desc,
                                  struct geo_backend_sampler **out);
    void (*sampler_destroy)(struct geo_backend_sampler *sampler);
    uint64_t (*sampler_argument)(const struct geo_backend_sampler *sampler);
};

#endif
