/* The functions of the driver as ICD loaders find them: the dispatch table, which every object
 * begins with, and the addresses of extension functions.
 *
 * Functions for sharing objects with OpenGL, EGL and Direct3D are not in the table, because no
 * device lists their extensions. */
#include "opencl/command_buffer_record.h"
#include "opencl/platform.h"

#include <string.h>

#define ENTRY(name) .name = name

static const cl_icd_dispatch table = {
    ENTRY(clGetPlatformIDs),
    ENTRY(clGetPlatformInfo),
    ENTRY(clGetDeviceIDs),
    ENTRY(clGetDeviceInfo),
    ENTRY(clCreateContext),
    ENTRY(clCreateContextFromType),
    ENTRY(clRetainContext),
    ENTRY(clReleaseContext),
    ENTRY(clGetContextInfo),
    ENTRY(clCreateCommandQueue),
    ENTRY(clRetainCommandQueue),
    ENTRY(clReleaseCommandQueue),
    ENTRY(clGetCommandQueueInfo),
    ENTRY(clSetCommandQueueProperty),
    ENTRY(clCreateBuffer),
    ENTRY(clCreateImage2D),
    ENTRY(clCreateImage3D),
    ENTRY(clRetainMemObject),
    ENTRY(clReleaseMemObject),
    ENTRY(clGetSupportedImageFormats),
    ENTRY(clGetMemObjectInfo),
    ENTRY(clGetImageInfo),
    ENTRY(clCreateSampler),
    ENTRY(clRetainSampler),
    ENTRY(clReleaseSampler),
    ENTRY(clGetSamplerInfo),
    ENTRY(clCreateProgramWithSource),
    ENTRY(clCreateProgramWithBinary),
    ENTRY(clRetainProgram),
    ENTRY(clReleaseProgram),
    ENTRY(clBuildProgram),
    ENTRY(clUnloadCompiler),
    ENTRY(clGetProgramInfo),
    ENTRY(clGetProgramBuildInfo),
    ENTRY(clCreateKernel),
    ENTRY(clCreateKernelsInProgram),
    ENTRY(clRetainKernel),
    ENTRY(clReleaseKernel),
    ENTRY(clSetKernelArg),
    ENTRY(clGetKernelInfo),
    ENTRY(clGetKernelWorkGroupInfo),
    ENTRY(clWaitForEvents),
    ENTRY(clGetEventInfo),
    ENTRY(clRetainEvent),
    ENTRY(clReleaseEvent),
    ENTRY(clGetEventProfilingInfo),
    ENTRY(clFlush),
    ENTRY(clFinish),
    ENTRY(clEnqueueReadBuffer),
    ENTRY(clEnqueueWriteBuffer),
    ENTRY(clEnqueueCopyBuffer),
    ENTRY(clEnqueueReadImage),
    ENTRY(clEnqueueWriteImage),
    ENTRY(clEnqueueCopyImage),
    ENTRY(clEnqueueCopyImageToBuffer),
    ENTRY(clEnqueueCopyBufferToImage),
    ENTRY(clEnqueueMapBuffer),
    ENTRY(clEnqueueMapImage),
    ENTRY(clEnqueueUnmapMemObject),
    ENTRY(clEnqueueNDRangeKernel),
    ENTRY(clEnqueueTask),
    ENTRY(clEnqueueNativeKernel),
    ENTRY(clEnqueueMarker),
    ENTRY(clEnqueueWaitForEvents),
    ENTRY(clEnqueueBarrier),
    ENTRY(clGetExtensionFunctionAddress),
    ENTRY(clSetEventCallback),
    ENTRY(clCreateSubBuffer),
    ENTRY(clSetMemObjectDestructorCallback),
    ENTRY(clCreateUserEvent),
    ENTRY(clSetUserEventStatus),
    ENTRY(clEnqueueReadBufferRect),
    ENTRY(clEnqueueWriteBufferRect),
    ENTRY(clEnqueueCopyBufferRect),
    ENTRY(clCreateSubDevices),
    ENTRY(clRetainDevice),
    ENTRY(clReleaseDevice),
    ENTRY(clCreateImage),
    ENTRY(clCreateProgramWithBuiltInKernels),
    ENTRY(clCompileProgram),
    ENTRY(clLinkProgram),
    ENTRY(clUnloadPlatformCompiler),
    ENTRY(clGetKernelArgInfo),
    ENTRY(clEnqueueFillBuffer),
    ENTRY(clEnqueueFillImage),
    ENTRY(clEnqueueMigrateMemObjects),
    ENTRY(clEnqueueMarkerWithWaitList),
    ENTRY(clEnqueueBarrierWithWaitList),
    ENTRY(clGetExtensionFunctionAddressForPlatform),
    ENTRY(clCreateCommandQueueWithProperties),
    ENTRY(clCreatePipe),
    ENTRY(clGetPipeInfo),
    ENTRY(clSVMAlloc),
    ENTRY(clSVMFree),
    ENTRY(clEnqueueSVMFree),
    ENTRY(clEnqueueSVMMemcpy),
    ENTRY(clEnqueueSVMMemFill),
    ENTRY(clEnqueueSVMMap),
    ENTRY(clEnqueueSVMUnmap),
    ENTRY(clCreateSamplerWithProperties),
    ENTRY(clSetKernelArgSVMPointer),
    ENTRY(clSetKernelExecInfo),
    ENTRY(clGetKernelSubGroupInfoKHR),
    ENTRY(clCloneKernel),
    ENTRY(clCreateProgramWithIL),
    ENTRY(clEnqueueSVMMigrateMem),
    ENTRY(clGetDeviceAndHostTimer),
    ENTRY(clGetHostTimer),
    ENTRY(clGetKernelSubGroupInfo),
    ENTRY(clSetDefaultDeviceCommandQueue),
    ENTRY(clSetProgramReleaseCallback),
    ENTRY(clSetProgramSpecializationConstant),
    ENTRY(clCreateBufferWithProperties),
    ENTRY(clCreateImageWithProperties),
    ENTRY(clSetContextDestructorCallback),
};

#undef ENTRY

/* Sets the table before any object exists. */
__attribute__((constructor)) static void table_set(void)
{
    geo_ocl_object_dispatch = &table;
}

struct entry {
    const char *name;
    void (*function)(void);
};

#define NAMED(name, function) {name, (void (*)(void))(function)}
#define ENTRY(name)           NAMED(#name, name)

static const struct entry extensions[] = {
    ENTRY(clCreateCommandQueueWithPropertiesKHR),
    ENTRY(clCreateProgramWithILKHR),
    ENTRY(clDeviceMemAllocINTEL),
    ENTRY(clEnqueueMemAdviseINTEL),
    ENTRY(clEnqueueMemFillINTEL),
    ENTRY(clEnqueueMemcpyINTEL),
    ENTRY(clEnqueueMemsetINTEL),
    ENTRY(clEnqueueMigrateMemINTEL),
    ENTRY(clGetKernelSuggestedLocalWorkSizeKHR),
    ENTRY(clGetMemAllocInfoINTEL),
    ENTRY(clGetPlatformInfo),
    ENTRY(clHostMemAllocINTEL),
    ENTRY(clIcdGetPlatformIDsKHR),
    ENTRY(clMemBlockingFreeINTEL),
    ENTRY(clMemFreeINTEL),
    ENTRY(clSetKernelArgMemPointerINTEL),
    ENTRY(clSharedMemAllocINTEL),
    NAMED("clCommandBarrierWithWaitListKHR", geo_ocl_command_buffer_record_barrier),
    NAMED("clCommandCopyBufferKHR", geo_ocl_command_buffer_record_copy_buffer),
    NAMED("clCommandCopyBufferRectKHR", geo_ocl_command_buffer_record_copy_buffer_rect),
    NAMED("clCommandCopyBufferToImageKHR", geo_ocl_command_buffer_record_copy_buffer_to_image),
    NAMED("clCommandCopyImageKHR", geo_ocl_command_buffer_record_copy_image),
    NAMED("clCommandCopyImageToBufferKHR", geo_ocl_command_buffer_record_copy_image_to_buffer),
    NAMED("clCommandFillBufferKHR", geo_ocl_command_buffer_record_fill_buffer),
    NAMED("clCommandFillImageKHR", geo_ocl_command_buffer_record_fill_image),
    NAMED("clCommandNDRangeKernelKHR", geo_ocl_command_buffer_record_kernel),
    NAMED("clCommandSVMMemFillKHR", geo_ocl_command_buffer_record_svm_fill),
    NAMED("clCommandSVMMemcpyKHR", geo_ocl_command_buffer_record_svm_copy),
    NAMED("clCreateCommandBufferKHR", geo_ocl_command_buffer_create),
    NAMED("clEnqueueCommandBufferKHR", geo_ocl_command_buffer_enqueue),
    NAMED("clFinalizeCommandBufferKHR", geo_ocl_command_buffer_finalize),
    NAMED("clGetCommandBufferInfoKHR", geo_ocl_command_buffer_info),
    NAMED("clReleaseCommandBufferKHR", geo_ocl_command_buffer_release),
    NAMED("clRetainCommandBufferKHR", geo_ocl_command_buffer_retain),
};

#undef ENTRY
#undef NAMED

GEO_OCL_EXPORT CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint wanted,
                                                                      cl_platform_id *platforms,
                                                                      cl_uint *count)
{
    return clGetPlatformIDs(wanted, platforms, count);
}

GEO_OCL_EXPORT CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    for (size_t i = 0; name && i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        if (strcmp(extensions[i].name, name) == 0) {
            return (void *)(uintptr_t)extensions[i].function;
        }
    }
    return NULL;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                        const char *name)
{
    return geo_ocl_object_is(platform, GEO_OCL_PLATFORM) ? clGetExtensionFunctionAddress(name)
                                                         : NULL;
}
