/* Answers to questions about kernels. */
#include "opencl/info.h"
#include "opencl/kernel.h"

#include <string.h>

/* Returns the name of a vector type that SPIR-V codes in one word, or NULL. */
static const char *vector_name(uint32_t hint, char out[16])
{
    static const char *const names[] = {"char", "short", "int", "long", "half", "float", "double"};
    uint32_t type = hint & 0xffffu, count = hint >> 16;
    static const char *const counts[17] = {[0] = "",  [1] = "",  [2] = "2",  [3] = "3",
                                           [4] = "4", [8] = "8", [16] = "16"};
    if (type >= sizeof(names) / sizeof(names[0]) || count > 16 || !counts[count]) {
        return NULL;
    }
    strcpy(out, names[type]);
    strcat(out, counts[count]);
    return out;
}

/* Answers CL_KERNEL_ATTRIBUTES: those of the source that SPIR-V keeps. */
static cl_int attributes_info(const struct geo_ocl_function *function,
                              const struct geo_ocl_info *info)
{
    struct geo_strbuf text;
    char name[16];
    geo_strbuf_init(&text, 0);
    if (function->vector_hint && vector_name(function->vector_hint, name)) {
        geo_strbuf_printf(&text, "vec_type_hint(%s) ", name);
    }
    if (function->local_hint[0]) {
        geo_strbuf_printf(&text, "work_group_size_hint(%u,%u,%u) ", function->local_hint[0],
                          function->local_hint[1], function->local_hint[2]);
    }
    if (function->local_size[0]) {
        geo_strbuf_printf(&text, "reqd_work_group_size(%u,%u,%u) ", function->local_size[0],
                          function->local_size[1], function->local_size[2]);
    }
    if (function->subgroup_size) {
        geo_strbuf_printf(&text, "intel_reqd_sub_group_size(%u) ", function->subgroup_size);
    }
    if (text.length) {
        text.text[text.length - 1] = '\0';
    }
    cl_int result =
        text.truncated ? CL_OUT_OF_HOST_MEMORY : geo_ocl_info_text(info, geo_strbuf_text(&text));
    geo_strbuf_finish(&text);
    return result;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size,
                                                void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_kernel_is(kernel)) {
        return CL_INVALID_KERNEL;
    }
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME:
        return geo_ocl_info_text(&info, kernel->function->name);
    case CL_KERNEL_NUM_ARGS:
        return geo_ocl_info_value(&info, cl_uint, kernel->function->argument_count);
    case CL_KERNEL_REFERENCE_COUNT:
        return geo_ocl_info_value(&info, cl_uint, geo_ocl_object_references(kernel));
    case CL_KERNEL_CONTEXT:
        return geo_ocl_info_value(&info, cl_context, kernel->program->context);
    case CL_KERNEL_PROGRAM:
        return geo_ocl_info_value(&info, cl_program, kernel->program);
    case CL_KERNEL_ATTRIBUTES:
        return attributes_info(kernel->function, &info);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index,
                                                   cl_kernel_arg_info name, size_t size,
                                                   void *value, size_t *size_ret)
{
    static const cl_kernel_arg_access_qualifier accesses[] = {
        [GEO_OCL_READ_ONLY] = CL_KERNEL_ARG_ACCESS_READ_ONLY,
        [GEO_OCL_WRITE_ONLY] = CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        [GEO_OCL_READ_WRITE] = CL_KERNEL_ARG_ACCESS_READ_WRITE,
        [GEO_OCL_NO_ACCESS] = CL_KERNEL_ARG_ACCESS_NONE,
    };
    static const cl_kernel_arg_address_qualifier spaces[] = {
        [GEO_OCL_VALUE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
        [GEO_OCL_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
        [GEO_OCL_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT,
        [GEO_OCL_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
        [GEO_OCL_IMAGE] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
        [GEO_OCL_SAMPLED] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
    };
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_kernel_is(kernel)) {
        return CL_INVALID_KERNEL;
    }
    if (index >= kernel->function->argument_count) {
        return CL_INVALID_ARG_INDEX;
    }
    const struct geo_ocl_argument *argument = &kernel->function->arguments[index];
    if (!argument->type_name) {
        return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    }
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return geo_ocl_info_value(&info, cl_kernel_arg_address_qualifier, spaces[argument->kind]);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return geo_ocl_info_value(&info, cl_kernel_arg_access_qualifier,
                                  accesses[argument->access]);
    case CL_KERNEL_ARG_TYPE_NAME:
        return geo_ocl_info_text(&info, argument->type_name);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return geo_ocl_info_value(&info, cl_kernel_arg_type_qualifier,
                                  (argument->is_const ? CL_KERNEL_ARG_TYPE_CONST : 0u) |
                                      (argument->is_restrict ? CL_KERNEL_ARG_TYPE_RESTRICT : 0u) |
                                      (argument->is_volatile ? CL_KERNEL_ARG_TYPE_VOLATILE : 0u));
    case CL_KERNEL_ARG_NAME:
        return argument->name ? geo_ocl_info_text(&info, argument->name)
                              : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    default:
        return CL_INVALID_VALUE;
    }
}

/* Finds the device that a question is about: NULL is the only one. Returns its index, or -1. */
static int device_find(const struct _cl_kernel *kernel, cl_device_id device)
{
    if (!device && kernel->program->device_count == 1) {
        device = kernel->program->devices[0];
    }
    return geo_ocl_device_is(device) ? geo_ocl_kernel_index(kernel, device) : -1;
}

/* Returns the local memory of a kernel with its arguments. */
static cl_ulong local_bytes(const struct _cl_kernel *kernel, int device)
{
    cl_ulong bytes = kernel->properties[device].localMemSize;
    for (uint32_t i = 0; i < kernel->function->argument_count; i++) {
        bytes += kernel->values[i].is_local ? kernel->values[i].bytes : 0;
    }
    return bytes;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info name,
                                                         size_t size, void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_kernel_is(kernel)) {
        return CL_INVALID_KERNEL;
    }
    int index = device_find(kernel, device);
    if (index < 0) {
        return CL_INVALID_DEVICE;
    }
    const ze_kernel_properties_t *properties = &kernel->properties[index];
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return geo_ocl_info_value(&info, size_t,
                                  kernel->program->devices[index]->compute.maxTotalGroupSize);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
        const size_t sizes[3] = {kernel->function->local_size[0], kernel->function->local_size[1],
                                 kernel->function->local_size[2]};
        return geo_ocl_info_bytes(&info, sizes, sizeof(sizes));
    }
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return geo_ocl_info_value(&info, cl_ulong, local_bytes(kernel, index));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return geo_ocl_info_value(&info, size_t,
                                  properties->maxSubgroupSize ? properties->maxSubgroupSize : 1);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return geo_ocl_info_value(&info, cl_ulong, properties->privateMemSize);
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL:
        return geo_ocl_info_value(&info, cl_ulong, properties->spillMemSize);
    default: /* CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels */
        return CL_INVALID_VALUE;
    }
}

/* Reads the size of a work-group, of up to three dimensions. */
static cl_int input_read(const void *input, size_t bytes, size_t *items)
{
    size_t sizes[3];
    if (!input || bytes == 0 || bytes % sizeof(size_t) || bytes > sizeof(sizes)) {
        return CL_INVALID_VALUE;
    }
    memcpy(sizes, input, bytes);
    *items = 1;
    for (size_t i = 0; i < bytes / sizeof(size_t); i++) {
        *items *= sizes[i];
    }
    return CL_SUCCESS;
}

/* Answers CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: a row of work-items. */
static cl_int local_size_info(size_t subgroup, size_t most, const void *input, size_t input_bytes,
                              const struct geo_ocl_info *info)
{
    size_t count;
    if (!input || input_bytes != sizeof(size_t) ||
        (info->value &&
         (info->size == 0 || info->size % sizeof(size_t) || info->size > 3 * sizeof(size_t)))) {
        return CL_INVALID_VALUE;
    }
    memcpy(&count, input, sizeof(count));
    bool fits = count && count <= most / subgroup;
    const size_t sizes[3] = {fits ? count * subgroup : 0, fits, fits};
    return geo_ocl_info_bytes(info, sizes, info->value ? info->size : sizeof(sizes));
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                                        cl_kernel_sub_group_info name,
                                                        size_t input_bytes, const void *input,
                                                        size_t size, void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    size_t items;
    if (!geo_ocl_kernel_is(kernel)) {
        return CL_INVALID_KERNEL;
    }
    int index = device_find(kernel, device);
    if (index < 0) {
        return CL_INVALID_DEVICE;
    }
    const ze_kernel_properties_t *properties = &kernel->properties[index];
    size_t subgroup = properties->maxSubgroupSize ? properties->maxSubgroupSize : 1;
    size_t most = kernel->program->devices[index]->compute.maxTotalGroupSize;
    cl_int result = CL_SUCCESS;
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        result = input_read(input, input_bytes, &items);
        return result == CL_SUCCESS ? geo_ocl_info_value(&info, size_t, subgroup) : result;
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        result = input_read(input, input_bytes, &items);
        return result == CL_SUCCESS
                   ? geo_ocl_info_value(&info, size_t, (items + subgroup - 1) / subgroup)
                   : result;
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        return local_size_info(subgroup, most, input, input_bytes, &info);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return geo_ocl_info_value(&info, size_t, (most + subgroup - 1) / subgroup);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return geo_ocl_info_value(&info, size_t, properties->requiredNumSubGroups);
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
        return geo_ocl_info_value(&info, size_t, kernel->function->subgroup_size);
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                                           cl_kernel_sub_group_info name,
                                                           size_t input_bytes, const void *input,
                                                           size_t size, void *value,
                                                           size_t *size_ret)
{
    return clGetKernelSubGroupInfo(kernel, device, name, input_bytes, input, size, value, size_ret);
}
