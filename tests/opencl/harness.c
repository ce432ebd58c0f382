/* Helpers of the tests of the OpenCL driver. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

int cl_setup(void **state)
{
    struct cl *cl = calloc(1, sizeof(*cl));
    cl_int error;
    assert_non_null(cl);
    assert_cl(CL_SUCCESS, clGetPlatformIDs(1, &cl->platform, NULL));
    assert_cl(CL_SUCCESS, clGetDeviceIDs(cl->platform, CL_DEVICE_TYPE_ALL, 1, &cl->device, NULL));
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &error);
    assert_cl(CL_SUCCESS, error);
    cl->queue = clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING_ENABLE, &error);
    assert_cl(CL_SUCCESS, error);
    *state = cl;
    return 0;
}

int cl_teardown(void **state)
{
    struct cl *cl = *state;
    assert_cl(CL_SUCCESS, clReleaseCommandQueue(cl->queue));
    assert_cl(CL_SUCCESS, clReleaseContext(cl->context));
    free(cl);
    return 0;
}

cl_program cl_program_build(struct cl *cl, const char *source, const char *options)
{
    cl_int error;
    char log[4096] = "";
    cl_program program = clCreateProgramWithSource(cl->context, 1, &source, NULL, &error);
    assert_cl(CL_SUCCESS, error);
    error = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        printf("%s\n", log);
    }
    assert_cl(CL_SUCCESS, error);
    return program;
}

cl_mem cl_ints(struct cl *cl, size_t count)
{
    cl_int error;
    const int zero = 0;
    cl_mem buffer =
        clCreateBuffer(cl->context, CL_MEM_READ_WRITE, count * sizeof(int), NULL, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS, clEnqueueFillBuffer(cl->queue, buffer, &zero, sizeof(zero), 0,
                                              count * sizeof(int), 0, NULL, NULL));
    assert_cl(CL_SUCCESS, clFinish(cl->queue));
    return buffer;
}

int cl_int_read(struct cl *cl, cl_mem buffer, size_t index)
{
    int value = 0;
    assert_cl(CL_SUCCESS, clEnqueueReadBuffer(cl->queue, buffer, CL_TRUE, index * sizeof(int),
                                              sizeof(int), &value, 0, NULL, NULL));
    return value;
}

cl_kernel cl_kernel_of(cl_program program, const char *name, cl_mem buffer)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    assert_cl(CL_SUCCESS, error);
    if (buffer) {
        assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer));
    }
    return kernel;
}
