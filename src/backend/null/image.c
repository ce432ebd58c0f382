/* Plans and creates images and samplers. No kernel runs that would access them. See image.h. */
#include "backend/null/image.h"

#include "backend/host/image.h"

#include <stdlib.h>

struct geo_backend_image {
    void *memory;
};

struct geo_backend_sampler {
    struct geo_sampler_desc desc;
};

static void image_limits(struct geo_backend_device *device, struct geo_image_limits *limits)
{
    geo_host_image_limits(device, limits);
    limits->max_samplers = GEO_HOST_SAMPLERS;
    limits->max_read_arguments = GEO_HOST_READ_IMAGES;
    limits->max_write_arguments = GEO_HOST_WRITE_IMAGES;
}

/* Plans an image. Formats whose pixels are independent count as accessible in kernels. */
static ze_result_t image_plan(struct geo_backend_device *device, const struct geo_image_desc *desc,
                              struct geo_image_info *info)
{
    ze_result_t result = geo_host_image_plan(device, desc, info);
    if (result == ZE_RESULT_SUCCESS && info->plane_count == 1 &&
        info->unit_bytes == info->pixel_bytes) {
        info->kernels_read = info->kernels_write = true;
        info->filters = ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT;
    }
    return result;
}

static ze_result_t image_create(struct geo_backend_device *device,
                                const struct geo_image_desc *desc,
                                const struct geo_image_info *info, void *memory,
                                struct geo_backend_image *first, struct geo_backend_image **out)
{
    (void)device;
    (void)desc;
    (void)info;
    (void)first;
    struct geo_backend_image *image = malloc(sizeof(*image));
    if (!image) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    image->memory = memory;
    *out = image;
    return ZE_RESULT_SUCCESS;
}

static void image_destroy(struct geo_backend_image *image)
{
    free(image);
}

static uint64_t image_argument(const struct geo_backend_image *image)
{
    return (uintptr_t)image->memory;
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
    sampler->desc = *desc;
    *out = sampler;
    return ZE_RESULT_SUCCESS;
}

static void sampler_destroy(struct geo_backend_sampler *sampler)
{
    free(sampler);
}

static uint64_t sampler_argument(const struct geo_backend_sampler *sampler)
{
    return (uintptr_t)sampler;
}

const struct geo_image_ops geo_null_image_ops = {
    .limits = image_limits,
    .plan = image_plan,
    .create = image_create,
    .destroy = image_destroy,
    .argument = image_argument,
    .sampler_create = sampler_create,
    .sampler_destroy = sampler_destroy,
    .sampler_argument = sampler_argument,
};
