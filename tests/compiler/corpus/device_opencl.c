/* Implementation of device_opencl.h: the first CPU device that any platform offers, sources built
 * as OpenCL C 3.0. */
#include "device_opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

static bool failed(cl_int status, const char *what, char *text, size_t text_bytes)
{
    if (status == CL_SUCCESS) {
        return false;
    }
    snprintf(text, text_bytes, "%s gives %d", what, status);
    return true;
}

#define TRY(call)                                                                                  \
    if (failed((call), #call, text, text_bytes)) {                                                 \
        return false;                                                                              \
    }

bool corpus_cl_open(struct corpus_cl *cl, char *text, size_t text_bytes)
{
    memset(cl, 0, sizeof(*cl));
    cl_platform_id platforms[8];
    cl_uint count = 0;
    TRY(clGetPlatformIDs(8, platforms, &count));
    for (cl_uint i = 0; i < count && i < 8 && !cl->device; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &cl->device, NULL) != CL_SUCCESS) {
            cl->device = NULL;
        }
    }
    if (!cl->device) {
        snprintf(text, text_bytes,
                 "no OpenCL CPU device among %u platforms (package pocl-opencl-icd)", count);
        return false;
    }
    cl_int status;
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &status);
    TRY(status);
    cl->queue = clCreateCommandQueueWithProperties(cl->context, cl->device, NULL, &status);
    TRY(status);
    return true;
}

void corpus_cl_close(struct corpus_cl *cl)
{
    clReleaseCommandQueue(cl->queue);
    clReleaseContext(cl->context);
}

bool corpus_cl_build(struct corpus_cl *cl, const char *path, const char *options,
                     cl_program *program, char *text, size_t text_bytes)
{
    size_t bytes;
    char *source = (char *)corpus_file_read(path, &bytes, text, text_bytes);
    if (!source) {
        return false;
    }
    cl_int status;
    const char *sources[] = {source};
    *program = clCreateProgramWithSource(cl->context, 1, sources, NULL, &status);
    free(source);
    TRY(status);
    status = clBuildProgram(*program, 1, &cl->device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        int used = snprintf(text, text_bytes, "clBuildProgram gives %d\n", status);
        clGetProgramBuildInfo(*program, cl->device, CL_PROGRAM_BUILD_LOG,
                              text_bytes - (size_t)used - 1, text + used, NULL);
        return false;
    }
    return true;
}

static bool set_argument(struct corpus_cl *cl, cl_kernel kernel, const struct corpus_run *run,
                         size_t index, cl_mem *buffer, char *text, size_t text_bytes)
{
    const struct corpus_arg *arg = &run->test->args[index];
    cl_uint number = (cl_uint)index;
    cl_int status;
    switch (arg->kind) {
    case ARG_VALUE:
        TRY(clSetKernelArg(kernel, number, run->bytes[index], &arg->value));
        return true;
    case ARG_STRUCT:
        TRY(clSetKernelArg(kernel, number, run->bytes[index], arg->bytes));
        return true;
    case ARG_LOCAL:
        TRY(clSetKernelArg(kernel, number, run->bytes[index], NULL));
        return true;
    default:
        *buffer = clCreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 run->bytes[index], run->memory[index], &status);
        TRY(status);
        TRY(clSetKernelArg(kernel, number, sizeof(*buffer), buffer));
        return true;
    }
}

static bool execute(struct corpus_cl *cl, cl_kernel kernel, struct corpus_run *run, cl_mem *buffers,
                    char *text, size_t text_bytes)
{
    size_t global[3], local[3], offset[3];
    for (size_t i = 0; i < run->count; i++) {
        if (!set_argument(cl, kernel, run, i, &buffers[i], text, text_bytes)) {
            return false;
        }
    }
    for (size_t i = 0; i < 3; i++) {
        local[i] = run->shape->local[i];
        global[i] = local[i] * run->shape->groups[i];
        offset[i] = run->shape->offset[i];
    }
    TRY(clEnqueueNDRangeKernel(cl->queue, kernel, 3, offset, global, local, 0, NULL, NULL));
    TRY(clFinish(cl->queue));
    for (size_t i = 0; i < run->count; i++) {
        if (buffers[i]) {
            TRY(clEnqueueReadBuffer(cl->queue, buffers[i], CL_TRUE, 0, run->bytes[i],
                                    run->memory[i], 0, NULL, NULL));
        }
    }
    return true;
}

bool corpus_cl_run(struct corpus_cl *cl, cl_program program, struct corpus_run *run, char *text,
                   size_t text_bytes)
{
    cl_int status;
    cl_mem buffers[CORPUS_MAX_ARGS] = {NULL};
    cl_kernel kernel = clCreateKernel(program, run->test->kernel, &status);
    TRY(status);
    bool good = execute(cl, kernel, run, buffers, text, text_bytes);
    for (size_t i = 0; i < run->count; i++) {
        if (buffers[i]) {
            clReleaseMemObject(buffers[i]);
        }
    }
    clReleaseKernel(kernel);
    return good;
}
