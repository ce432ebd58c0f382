/* API functions of samplers. image/sampler.h implements them. */
#include "driver/image/sampler.h"
#include "ddi/geo_api.h"
#include "driver/core/check.h"

ze_result_t geo_zeSamplerCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                const ze_sampler_desc_t *desc, ze_sampler_handle_t *phSampler)
{
    struct geo_context *context;
    struct geo_device *device;
    struct geo_sampler_desc checked;
    struct geo_sampler *sampler;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    GEO_CHECK(geo_image_format_describe_sampler(desc, &checked));
    GEO_CHECK(geo_sampler_create(context, device, &checked, &sampler));
    *phSampler = geo_sampler_handle(sampler);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeSamplerDestroy(ze_sampler_handle_t hSampler)
{
    struct geo_sampler *sampler;
    GEO_CHECK(geo_sampler_from(hSampler, &sampler));
    geo_object_close(&sampler->base);
    return ZE_RESULT_SUCCESS;
}
