/* Creates samplers. See sampler.h. */
#include "driver/image/sampler.h"

#include "driver/image/image.h"

#include <stdlib.h>

static void sampler_destroy(struct geo_object *object)
{
    struct geo_sampler *sampler = (struct geo_sampler *)object;
    if (sampler->backend) {
        sampler->base.driver->ops->image->sampler_destroy(sampler->backend);
    }
    geo_object_unref(&sampler->context->base);
    free(sampler);
}

ze_result_t geo_sampler_create(struct geo_context *context, struct geo_device *device,
                               const struct geo_sampler_desc *desc, struct geo_sampler **out)
{
    const struct geo_image_ops *ops;
    GEO_CHECK(geo_image_ops_of(device, &ops));
    struct geo_sampler *sampler = calloc(1, sizeof(*sampler));
    if (!sampler) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a sampler");
    }
    GEO_ASSERT(device->base.driver == context->base.driver);
    geo_object_init(&sampler->base, GEO_OBJECT_SAMPLER, context->base.driver, sampler_destroy);
    geo_object_ref(&context->base);
    sampler->context = context;
    sampler->device = device;
    ze_result_t result = ops->sampler_create(device->backend_device, desc, &sampler->backend);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&sampler->base);
        return geo_fail(result, "no memory to create the sampler on the device");
    }
    *out = sampler;
    return ZE_RESULT_SUCCESS;
}

uint64_t geo_sampler_argument(const struct geo_sampler *sampler)
{
    GEO_ASSERT(sampler->backend);
    return sampler->base.driver->ops->image->sampler_argument(sampler->backend);
}
