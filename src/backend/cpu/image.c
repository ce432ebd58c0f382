/* Images and samplers of the CPU backend. Kernels refer to an image by the address of its surface
 * (native/abi.h), and to a sampler by a number. See image.h. */
#include "backend/cpu/image.h"

#include "backend/host/image.h"
#include "native/surface.h"

#include <stdlib.h>

struct geo_backend_image {
    struct geo_surface surface;
};

struct geo_backend_sampler {
    uint32_t bits; /* enum geo_sampler_bits */
};

static void image_limits(struct geo_backend_device *device, struct geo_image_limits *limits)
{
    geo_host_image_limits(device, limits);
    limits->max_samplers = GEO_HOST_SAMPLERS;
    limits->max_read_arguments = GEO_HOST_READ_IMAGES;
    limits->max_write_arguments = GEO_HOST_WRITE_IMAGES;
}

/* Determines what kernels can do with an image: they read and write every format that a surface
 * supports, and filter all of these except integer formats. */
static void kernels_fill(const struct geo_image_desc *desc, struct geo_image_info *info)
{
    struct geo_surface surface = {0};
    if (info->plane_count > 1 || info->unit_bytes != info->pixel_bytes ||
        !geo_surface_set_format(&surface, &desc->format, desc->srgb)) {
        return;
    }
    info->kernels_read = info->kernels_write = true;
    info->filters = ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT;
    if (surface.number != GEO_SURFACE_UINT && surface.number != GEO_SURFACE_SINT) {
        info->filters |= ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR;
    }
}

static ze_result_t image_plan(struct geo_backend_device *device, const struct geo_image_desc *desc,
                              struct geo_image_info *info)
{
    ze_result_t result = geo_host_image_plan(device, desc, info);
    if (result == ZE_RESULT_SUCCESS) {
        kernels_fill(desc, info);
    }
    return result;
}

/* ---- samplers ---- */

static uint32_t sampler_bits(const struct geo_sampler_desc *desc)
{
    static const uint32_t modes[] = {
        [ZE_SAMPLER_ADDRESS_MODE_NONE] = GEO_SAMPLER_NONE,
        [ZE_SAMPLER_ADDRESS_MODE_REPEAT] = GEO_SAMPLER_REPEAT,
        [ZE_SAMPLER_ADDRESS_MODE_CLAMP] = GEO_SAMPLER_CLAMP_TO_EDGE,
        [ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER] = GEO_SAMPLER_CLAMP,
        [ZE_SAMPLER_ADDRESS_MODE_MIRROR] = GEO_SAMPLER_MIRRORED_REPEAT,
    };
    return modes[desc->address] |
           (desc->filter == ZE_SAMPLER_FILTER_MODE_LINEAR ? GEO_SAMPLER_LINEAR : 0u) |
           (desc->normalized ? GEO_SAMPLER_NORMALIZED : 0u);
}

static ze_result_t sampler_create(struct geo_backend_device *device,
                                  const struct geo_sampler_desc *desc,
                                  struct geo_backend_sampler **out)
{
    (void)device;
    struct geo_backend_sampler *sampler = malloc(sizeof(*sampler));
    if (!sampler) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    sampler->bits = sampler_bits(desc);
    *out = sampler;
    return ZE_RESULT_SUCCESS;
}

static void sampler_destroy(struct geo_backend_sampler *sampler)
{
    free(sampler);
}

static uint64_t sampler_argument(const struct geo_backend_sampler *sampler)
{
    return sampler->bits;
}

/* ---- images ---- */

/* Creates an image. If kernels cannot access it, its surface stays empty and it cannot be an
 * argument. */
static ze_result_t image_create(struct geo_backend_device *device,
                                const struct geo_image_desc *desc,
                                const struct geo_image_info *info, void *memory,
                                struct geo_backend_image *first, struct geo_backend_image **out)
{
    (void)device;
    (void)first;
    struct geo_backend_image *image = calloc(1, sizeof(*image));
    if (!image) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    struct geo_surface *surface = &image->surface;
    if (info->kernels_read && geo_surface_set_format(surface, &desc->format, desc->srgb)) {
        surface->pixels = memory;
        surface->slice_pitch = info->slice_pitch;
        surface->row_pitch = (uint32_t)info->row_pitch;
        surface->width = (uint32_t)desc->width;
        surface->height = desc->height;
        surface->depth = desc->depth;
        surface->layers = desc->levels;
        surface->levels = 1;
        surface->sampler = desc->sampled ? sampler_bits(&desc->sampler) : 0;
    }
    *out = image;
    return ZE_RESULT_SUCCESS;
}

static void image_destroy(struct geo_backend_image *image)
{
    free(image);
}

static uint64_t image_argument(const struct geo_backend_image *image)
{
    return (uintptr_t)&image->surface;
}

const struct geo_image_ops geo_cpu_image_ops = {
    .limits = image_limits,
    .plan = image_plan,
    .create = image_create,
    .destroy = image_destroy,
    .argument = image_argument,
    .sampler_create = sampler_create,
    .sampler_destroy = sampler_destroy,
    .sampler_argument = sampler_argument,
};
