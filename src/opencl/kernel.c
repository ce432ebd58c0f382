/* Kernels as objects, and their arguments. */
#include "opencl/kernel.h"

#include "opencl/result.h"

#include <stdlib.h>
#include <string.h>

bool geo_ocl_kernel_is(cl_kernel kernel)
{
    return geo_ocl_object_is(kernel, GEO_OCL_KERNEL);
}

int geo_ocl_kernel_index(const struct _cl_kernel *kernel, cl_device_id device)
{
    cl_program program = kernel->program;
    for (cl_uint i = 0; i < program->device_count; i++) {
        if (program->devices[i] == device && kernel->handles[i]) {
            return (int)i;
        }
    }
    return -1;
}

const void *geo_ocl_kernel_value(const struct geo_ocl_value *value)
{
    const void *bytes = value->large ? value->large : value->small;
    return value->is_local ? NULL : bytes;
}

static void value_finish(struct geo_ocl_value *value)
{
    free(value->large);
    *value = (struct geo_ocl_value){0};
}

static void kernel_destroy(void *object)
{
    cl_kernel kernel = object;
    for (uint32_t i = 0; kernel->values && i < kernel->function->argument_count; i++) {
        value_finish(&kernel->values[i]);
    }
    for (cl_uint i = 0; kernel->handles && i < kernel->program->device_count; i++) {
        if (kernel->handles[i]) {
            zeKernelDestroy(kernel->handles[i]);
        }
    }
    pthread_mutex_destroy(&kernel->lock);
    free(kernel->values);
    free(kernel->handles);
    free(kernel->properties);
    free(kernel->has_offset);
    atomic_fetch_sub(&kernel->program->kernel_count, 1);
    geo_ocl_object_drop(kernel->program);
    free(kernel);
}

/* Creates the kernel of one device. Kernels may use all memory, also through pointers in memory. */
static cl_int handle_create(cl_kernel kernel, cl_uint device)
{
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                   .pKernelName = kernel->function->name};
    const ze_kernel_indirect_access_flags_t all = ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |
                                                  ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE |
                                                  ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
    ze_module_handle_t module = kernel->program->builds[device].module;
    if (!module) {
        return CL_SUCCESS;
    }
    ze_result_t result = zeKernelCreate(module, &desc, &kernel->handles[device]);
    if (result == ZE_RESULT_SUCCESS) {
        kernel->properties[device].stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
        result = zeKernelGetProperties(kernel->handles[device], &kernel->properties[device]);
    } else {
        kernel->handles[device] = NULL;
    }
    if (result == ZE_RESULT_SUCCESS) {
        zeKernelSetIndirectAccess(kernel->handles[device], all);
    }
    return geo_ocl_result(result);
}

static cl_int kernel_create(cl_program program, const struct geo_ocl_function *function,
                            cl_kernel *out)
{
    cl_kernel kernel = calloc(1, sizeof(*kernel));
    if (!kernel) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    geo_ocl_object_init(kernel, GEO_OCL_KERNEL, kernel_destroy);
    pthread_mutex_init(&kernel->lock, NULL);
    kernel->program = geo_ocl_object_hold(program);
    atomic_fetch_add(&program->kernel_count, 1);
    kernel->function = function;
    kernel->values = calloc(function->argument_count + 1u, sizeof(*kernel->values));
    kernel->handles = calloc(program->device_count, sizeof(*kernel->handles));
    kernel->properties = calloc(program->device_count, sizeof(*kernel->properties));
    kernel->has_offset = calloc(program->device_count, sizeof(*kernel->has_offset));
    cl_int result = kernel->values && kernel->handles && kernel->properties && kernel->has_offset
                        ? CL_SUCCESS
                        : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < program->device_count && result == CL_SUCCESS; i++) {
        result = handle_create(kernel, i);
    }
    if (result != CL_SUCCESS) {
        geo_ocl_object_drop(kernel);
        return result;
    }
    *out = kernel;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name,
                                                  cl_int *error)
{
    cl_kernel kernel = NULL;
    cl_int result = CL_INVALID_KERNEL_NAME;
    const struct geo_ocl_build *build =
        geo_ocl_program_is(program) ? geo_ocl_program_executable(program) : NULL;
    if (!geo_ocl_program_is(program)) {
        result = CL_INVALID_PROGRAM;
    } else if (!build) {
        result = CL_INVALID_PROGRAM_EXECUTABLE;
    } else if (!name) {
        result = CL_INVALID_VALUE;
    }
    for (size_t i = 0; build && name && i < build->functions.count; i++) {
        if (strcmp(build->functions.items[i].name, name) == 0) {
            result = kernel_create(program, &build->functions.items[i], &kernel);
            break;
        }
    }
    geo_ocl_object_error(error, result);
    return kernel;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint count,
                                                         cl_kernel *kernels, cl_uint *count_ret)
{
    if (!geo_ocl_program_is(program)) {
        return CL_INVALID_PROGRAM;
    }
    const struct geo_ocl_build *build = geo_ocl_program_executable(program);
    if (!build) {
        return CL_INVALID_PROGRAM_EXECUTABLE;
    }
    if (kernels && count < build->functions.count) {
        return CL_INVALID_VALUE;
    }
    for (size_t i = 0; kernels && i < build->functions.count; i++) {
        cl_int result = kernel_create(program, &build->functions.items[i], &kernels[i]);
        if (result != CL_SUCCESS) {
            while (i-- > 0) {
                clReleaseKernel(kernels[i]);
            }
            return result;
        }
    }
    if (count_ret) {
        *count_ret = (cl_uint)build->functions.count;
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainKernel(cl_kernel kernel)
{
    return geo_ocl_object_retain(kernel, GEO_OCL_KERNEL, CL_INVALID_KERNEL);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    return geo_ocl_object_release(kernel, GEO_OCL_KERNEL, CL_INVALID_KERNEL);
}

/* ---- arguments ---- */

/* Stores bytes in a value, which is empty. */
static cl_int value_store(struct geo_ocl_value *value, const void *bytes, size_t count)
{
    if (count > GEO_OCL_INLINE_BYTES) {
        value->large = malloc(count);
        if (!value->large) {
            return CL_OUT_OF_HOST_MEMORY;
        }
    }
    memcpy(value->large ? value->large : value->small, bytes, count);
    value->bytes = count;
    value->is_set = true;
    return CL_SUCCESS;
}

/* Sets an argument that is a memory object; NULL is a null pointer for buffers. */
static cl_int memory_set(cl_kernel kernel, const struct geo_ocl_argument *argument,
                         struct geo_ocl_value *value, size_t bytes, const void *pointer)
{
    cl_mem memory = NULL;
    bool is_image = argument->kind == GEO_OCL_IMAGE;
    if (bytes != sizeof(cl_mem)) {
        return CL_INVALID_ARG_SIZE;
    }
    if (pointer) {
        memcpy(&memory, pointer, sizeof(memory));
    }
    if ((memory && !geo_ocl_memory_is(memory)) ||
        (is_image && (!memory || memory->type == CL_MEM_OBJECT_BUFFER))) {
        return CL_INVALID_MEM_OBJECT;
    }
    if (memory && (memory->context != kernel->program->context ||
                   (memory->type != CL_MEM_OBJECT_BUFFER) != is_image)) {
        return CL_INVALID_ARG_VALUE;
    }
    if (is_image &&
        (((memory->flags & CL_MEM_WRITE_ONLY) && argument->access != GEO_OCL_WRITE_ONLY) ||
         ((memory->flags & CL_MEM_READ_ONLY) && argument->access != GEO_OCL_READ_ONLY))) {
        return CL_INVALID_ARG_VALUE;
    }
    value_finish(value);
    value->memory = memory;
    return value_store(value,
                       is_image ? (const void *)&memory->image
                                : (const void *)&(void *){memory ? memory->pointer : NULL},
                       sizeof(void *));
}

static cl_int sampler_set(cl_kernel kernel, struct geo_ocl_value *value, size_t bytes,
                          const void *pointer)
{
    cl_sampler sampler = NULL;
    if (bytes != sizeof(cl_sampler)) {
        return CL_INVALID_ARG_SIZE;
    }
    if (pointer) {
        memcpy(&sampler, pointer, sizeof(sampler));
    }
    if (!geo_ocl_sampler_is(sampler) || sampler->context != kernel->program->context) {
        return CL_INVALID_SAMPLER;
    }
    value_finish(value);
    value->sampler = sampler;
    return value_store(value, &sampler, sizeof(sampler)); /* the handle depends on the device */
}

static void local_set(struct geo_ocl_value *value, size_t bytes)
{
    value_finish(value);
    value->bytes = bytes;
    value->is_set = value->is_local = true;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes,
                                               const void *pointer)
{
    if (!geo_ocl_kernel_is(kernel)) {
        return CL_INVALID_KERNEL;
    }
    if (index >= kernel->function->argument_count) {
        return CL_INVALID_ARG_INDEX;
    }
    const struct geo_ocl_argument *argument = &kernel->function->arguments[index];
    struct geo_ocl_value *value = &kernel->values[index];
    switch (argument->kind) {
    case GEO_OCL_GLOBAL:
    case GEO_OCL_CONSTANT:
    case GEO_OCL_IMAGE:
        return memory_set(kernel, argument, value, bytes, pointer);
    case GEO_OCL_SAMPLED:
        return sampler_set(kernel, value, bytes, pointer);
    case GEO_OCL_LOCAL:
        if (pointer) {
            return CL_INVALID_ARG_VALUE;
        }
        if (bytes == 0) {
            return CL_INVALID_ARG_SIZE;
        }
        local_set(value, bytes);
        return CL_SUCCESS;
    default:
        break;
    }
    if (argument->bytes && bytes != argument->bytes) {
        return CL_INVALID_ARG_SIZE;
    }
    if (!pointer && argument->bytes) {
        return CL_INVALID_ARG_VALUE;
    }
    if (!pointer) { /* local memory of a kernel whose arguments are not known */
        local_set(value, bytes);
        return CL_SUCCESS;
    }
    value_finish(value);
    return value_store(value, pointer, bytes);
}

/* Sets an argument to a pointer that kernels can use. */
static cl_int pointer_set(cl_kernel kernel, cl_uint index, const void *pointer)
{
    if (!geo_ocl_kernel_is(kernel)) {
        return CL_INVALID_KERNEL;
    }
    if (index >= kernel->function->argument_count) {
        return CL_INVALID_ARG_INDEX;
    }
    const struct geo_ocl_argument *argument = &kernel->function->arguments[index];
    if (argument->kind != GEO_OCL_GLOBAL && argument->kind != GEO_OCL_CONSTANT &&
        argument->bytes != 0) {
        return CL_INVALID_ARG_VALUE;
    }
    value_finish(&kernel->values[index]);
    return value_store(&kernel->values[index], &pointer, sizeof(pointer));
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index,
                                                         const void *pointer)
{
    return pointer_set(kernel, index, pointer);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint index,
                                                              const void *pointer)
{
    return pointer_set(kernel, index, pointer);
}

/* Kernels may use all memory, so there is nothing to set. */
CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name,
                                                    size_t bytes, const void *value)
{
    if (!geo_ocl_kernel_is(kernel)) {
        return CL_INVALID_KERNEL;
    }
    if (!value || bytes == 0) {
        return CL_INVALID_VALUE;
    }
    switch (name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
        return bytes % sizeof(void *) ? CL_INVALID_VALUE : CL_SUCCESS;
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
        return bytes == sizeof(cl_bool) ? CL_SUCCESS : CL_INVALID_VALUE;
    default:
        return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel from, cl_int *error)
{
    cl_kernel kernel = NULL;
    cl_int result = geo_ocl_kernel_is(from) ? kernel_create(from->program, from->function, &kernel)
                                            : CL_INVALID_KERNEL;
    for (uint32_t i = 0; result == CL_SUCCESS && i < from->function->argument_count; i++) {
        const struct geo_ocl_value *value = &from->values[i];
        const void *bytes = geo_ocl_kernel_value(value);
        kernel->values[i].memory = value->memory;
        kernel->values[i].sampler = value->sampler;
        kernel->values[i].is_set = value->is_set;
        kernel->values[i].is_local = value->is_local;
        kernel->values[i].bytes = value->bytes;
        if (value->is_set && bytes) {
            result = value_store(&kernel->values[i], bytes, value->bytes);
        }
    }
    if (result != CL_SUCCESS && kernel) {
        geo_ocl_object_drop(kernel);
        kernel = NULL;
    }
    geo_ocl_object_error(error, result);
    return kernel;
}
