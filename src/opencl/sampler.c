/* Samplers. */
#include "opencl/sampler.h"

#include "opencl/info.h"
#include "opencl/result.h"

#include <stdlib.h>

bool geo_ocl_sampler_is(cl_sampler sampler)
{
    return geo_ocl_object_is(sampler, GEO_OCL_SAMPLER);
}

static void sampler_destroy(void *object)
{
    cl_sampler sampler = object;
    for (cl_uint i = 0; i < sampler->context->device_count && sampler->handles; i++) {
        if (sampler->handles[i]) {
            zeSamplerDestroy(sampler->handles[i]);
        }
    }
    free(sampler->handles);
    geo_ocl_object_drop(sampler->context);
    free(sampler);
}

/* Returns Level Zero's mode, or false if OpenCL does not know the mode. */
static bool mode_convert(cl_addressing_mode mode, ze_sampler_address_mode_t *out)
{
    switch (mode) {
    case CL_ADDRESS_NONE:
        *out = ZE_SAMPLER_ADDRESS_MODE_NONE;
        return true;
    case CL_ADDRESS_CLAMP_TO_EDGE:
        *out = ZE_SAMPLER_ADDRESS_MODE_CLAMP;
        return true;
    case CL_ADDRESS_CLAMP:
        *out = ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
        return true;
    case CL_ADDRESS_REPEAT:
        *out = ZE_SAMPLER_ADDRESS_MODE_REPEAT;
        return true;
    case CL_ADDRESS_MIRRORED_REPEAT:
        *out = ZE_SAMPLER_ADDRESS_MODE_MIRROR;
        return true;
    default:
        return false;
    }
}

static cl_int sampler_create(cl_sampler sampler)
{
    cl_context context = sampler->context;
    ze_sampler_address_mode_t mode;
    if (!mode_convert(sampler->addressing, &mode) ||
        (sampler->filter != CL_FILTER_NEAREST && sampler->filter != CL_FILTER_LINEAR) ||
        (sampler->is_normalized != CL_TRUE && sampler->is_normalized != CL_FALSE) ||
        (!sampler->is_normalized && (sampler->addressing == CL_ADDRESS_REPEAT ||
                                     sampler->addressing == CL_ADDRESS_MIRRORED_REPEAT))) {
        return CL_INVALID_VALUE;
    }
    const ze_sampler_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
        .addressMode = mode,
        .filterMode = sampler->filter == CL_FILTER_LINEAR ? ZE_SAMPLER_FILTER_MODE_LINEAR
                                                          : ZE_SAMPLER_FILTER_MODE_NEAREST,
        .isNormalized = sampler->is_normalized != CL_FALSE,
    };
    cl_int result = CL_INVALID_OPERATION;
    for (cl_uint i = 0; i < context->device_count; i++) {
        if (context->devices[i]->has_images) {
            result = geo_ocl_result(zeSamplerCreate(context->handle, context->devices[i]->handle,
                                                    &desc, &sampler->handles[i]));
            if (result != CL_SUCCESS) {
                break;
            }
        }
    }
    return result;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(
    cl_context context, const cl_sampler_properties *properties, cl_int *error)
{
    cl_sampler sampler = NULL;
    cl_int result = CL_SUCCESS;
    size_t count = 0;
    if (!geo_ocl_context_is(context)) {
        result = CL_INVALID_CONTEXT;
    } else {
        sampler = calloc(1, sizeof(*sampler));
        result = sampler ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (result == CL_SUCCESS) {
        geo_ocl_object_init(sampler, GEO_OCL_SAMPLER, sampler_destroy);
        sampler->context = geo_ocl_object_hold(context);
        sampler->is_normalized = CL_TRUE;
        sampler->addressing = CL_ADDRESS_CLAMP;
        sampler->filter = CL_FILTER_NEAREST;
        sampler->handles = calloc(context->device_count, sizeof(*sampler->handles));
        result = sampler->handles ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    unsigned seen = 0;
    for (; result == CL_SUCCESS && properties && properties[count]; count += 2) {
        cl_sampler_properties value = properties[count + 1];
        unsigned bit = properties[count] == CL_SAMPLER_NORMALIZED_COORDS ? 1
                       : properties[count] == CL_SAMPLER_ADDRESSING_MODE ? 2
                       : properties[count] == CL_SAMPLER_FILTER_MODE     ? 4
                                                                         : 0;
        sampler->is_normalized = bit == 1 ? (cl_bool)value : sampler->is_normalized;
        sampler->addressing = bit == 2 ? (cl_addressing_mode)value : sampler->addressing;
        sampler->filter = bit == 4 ? (cl_filter_mode)value : sampler->filter;
        result = bit == 0 || (seen & bit) ? CL_INVALID_VALUE : CL_SUCCESS;
        seen |= bit;
    }
    if (result == CL_SUCCESS) {
        for (size_t i = 0; properties && i <= count; i++) {
            sampler->properties[sampler->property_count++] = properties[i];
        }
        result = sampler_create(sampler);
    }
    if (result != CL_SUCCESS) {
        geo_ocl_object_drop(sampler);
        sampler = NULL;
    }
    geo_ocl_object_error(error, result);
    return sampler;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool is_normalized,
                                                    cl_addressing_mode addressing,
                                                    cl_filter_mode filter, cl_int *error)
{
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                is_normalized,
                                                CL_SAMPLER_ADDRESSING_MODE,
                                                addressing,
                                                CL_SAMPLER_FILTER_MODE,
                                                filter,
                                                0};
    cl_sampler sampler = clCreateSamplerWithProperties(context, properties, error);
    if (sampler) {
        sampler->property_count = 0; /* the application gave none */
    }
    return sampler;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    return geo_ocl_object_retain(sampler, GEO_OCL_SAMPLER, CL_INVALID_SAMPLER);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    return geo_ocl_object_release(sampler, GEO_OCL_SAMPLER, CL_INVALID_SAMPLER);
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name,
                                                 size_t size, void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_sampler_is(sampler)) {
        return CL_INVALID_SAMPLER;
    }
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return geo_ocl_info_value(&info, cl_uint, geo_ocl_object_references(sampler));
    case CL_SAMPLER_CONTEXT:
        return geo_ocl_info_value(&info, cl_context, sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return geo_ocl_info_value(&info, cl_bool, sampler->is_normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return geo_ocl_info_value(&info, cl_addressing_mode, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return geo_ocl_info_value(&info, cl_filter_mode, sampler->filter);
    case CL_SAMPLER_PROPERTIES:
        return geo_ocl_info_bytes(&info, sampler->properties,
                                  sampler->property_count * sizeof(sampler->properties[0]));
    default:
        return CL_INVALID_VALUE;
    }
}
