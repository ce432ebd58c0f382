/* Samplers. */
#ifndef GEO_OPENCL_SAMPLER_H
#define GEO_OPENCL_SAMPLER_H

#include "opencl/context.h"

struct _cl_sampler {
    struct geo_ocl_object base;
    cl_context context; /* held */
    cl_bool is_normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties properties[8]; /* as the application gave them, with the zero */
    size_t property_count;
    ze_sampler_handle_t *handles; /* one for each device of the context */
};

bool geo_ocl_sampler_is(cl_sampler sampler);

#endif
