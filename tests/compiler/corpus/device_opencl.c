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

/* ---- images ---- */

static const cl_image_format formats[CORPUS_FORMATS] = {
    [CORPUS_RGBA_UNORM8] = {CL_RGBA, CL_UNORM_INT8},
    [CORPUS_BGRA_UNORM8] = {CL_BGRA, CL_UNORM_INT8},
    [CORPUS_RGBA_SNORM8] = {CL_RGBA, CL_SNORM_INT8},
    [CORPUS_RGBA_UNORM16] = {CL_RGBA, CL_UNORM_INT16},
    [CORPUS_RGBA_UINT16] = {CL_RGBA, CL_UNSIGNED_INT16},
    [CORPUS_RGBA_SINT16] = {CL_RGBA, CL_SIGNED_INT16},
    [CORPUS_RGBA_HALF] = {CL_RGBA, CL_HALF_FLOAT},
    [CORPUS_RGBA_FLOAT] = {CL_RGBA, CL_FLOAT},
    [CORPUS_R_SINT8] = {CL_R, CL_SIGNED_INT8},
    [CORPUS_R_UINT8] = {CL_R, CL_UNSIGNED_INT8},
};

static bool image_create(struct corpus_cl *cl, const struct corpus_image *image, cl_mem *out,
                         char *text, size_t text_bytes)
{
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D,
                                               CL_MEM_OBJECT_IMAGE3D};
    static const cl_mem_object_type arrays[] = {CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                                CL_MEM_OBJECT_IMAGE2D_ARRAY};
    cl_image_desc desc = {
        .image_type = image->array ? arrays[image->dims - 1] : types[image->dims - 1],
        .image_width = image->extents[0],
        .image_height = image->dims > 1 ? image->extents[1] : 1,
        .image_depth = image->dims > 2 ? image->extents[2] : 1,
        .image_array_size = image->array ? image->extents[image->dims] : 1,
    };
    cl_int status;
    *out = clCreateImage(cl->context, CL_MEM_READ_WRITE, &formats[image->format], &desc, NULL,
                         &status);
    TRY(status);
    return true;
}

/* All pixels, there or back. */
static bool image_copy(struct corpus_cl *cl, const struct corpus_image *image, cl_mem object,
                       void *pixels, bool back, char *text, size_t text_bytes)
{
    const size_t origin[3] = {0, 0, 0};
    const size_t region[3] = {image->extents[0], image->extents[1], image->extents[2]};
    if (back) {
        TRY(clEnqueueReadImage(cl->queue, object, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL,
                               NULL));
    } else {
        TRY(clEnqueueWriteImage(cl->queue, object, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL,
                                NULL));
    }
    return true;
}

/* ---- launches ---- */

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
    case ARG_IMAGE:
        if (!image_create(cl, arg->bytes, buffer, text, text_bytes) ||
            !image_copy(cl, arg->bytes, *buffer, run->memory[index], false, text, text_bytes)) {
            return false;
        }
        TRY(clSetKernelArg(kernel, number, sizeof(*buffer), buffer));
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
        const struct corpus_arg *arg = &run->test->args[i];
        if (arg->kind == ARG_IMAGE) {
            if (!image_copy(cl, arg->bytes, buffers[i], run->memory[i], true, text, text_bytes)) {
                return false;
            }
        } else if (buffers[i]) {
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
