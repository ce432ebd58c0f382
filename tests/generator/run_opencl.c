/* Programs as OpenCL C through another implementation (pocl), and the same programs through Level
 * Zero: both must agree with the interpreter, and so with each other. What pocl is known to get
 * wrong is skipped (opencl_avoid.h), but with --everything. */
#define CL_TARGET_OPENCL_VERSION 300

#include "check.h"

#include "device_ze.h"
#include "opencl_avoid.h"
#include "opencl_c.h"
#include "spirv.h"

#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 64 };

static struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    bool is_pocl, everything;
} cl;

static bool failed(cl_int status, const char *what, char *text, size_t text_bytes)
{
    if (status != CL_SUCCESS) {
        snprintf(text, text_bytes, "%s gives %d", what, status);
    }
    return status != CL_SUCCESS;
}

#define TRY(call)                                                                                  \
    if (failed((call), #call, text, text_bytes)) {                                                 \
        return false;                                                                              \
    }

static bool cl_open(char *text, size_t text_bytes)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    cl_int status;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) {
        count = 0; /* the loader of OpenCL says so when it finds no implementation */
    }
    for (cl_uint i = 0; i < count && i < 8 && !cl.device; i++) {
        char name[64] = "";
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &cl.device, NULL) != CL_SUCCESS) {
            cl.device = NULL;
            continue;
        }
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name) - 1, name, NULL);
        cl.is_pocl = strcmp(name, "Portable Computing Language") == 0;
    }
    if (!cl.device) {
        snprintf(text, text_bytes, "no OpenCL CPU device (package pocl-opencl-icd)");
        return false;
    }
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &status);
    TRY(status);
    cl.queue = clCreateCommandQueueWithProperties(cl.context, cl.device, NULL, &status);
    TRY(status);
    return true;
}

static bool build(const struct gen_program *program, cl_program *built, char *text,
                  size_t text_bytes)
{
    cl_int status;
    char *source = gen_emit_opencl(program);
    const char *sources[] = {source};
    *built = clCreateProgramWithSource(cl.context, 1, sources, NULL, &status);
    free(source);
    TRY(status);
    char options[128];
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -cl-fp32-correctly-rounded-divide-sqrt -w %s",
             cl.is_pocl && !cl.everything ? GEN_OPENCL_POCL_OPTIONS : "");
    status = clBuildProgram(*built, 1, &cl.device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        int used = snprintf(text, text_bytes, "clBuildProgram gives %d\n", status);
        clGetProgramBuildInfo(*built, cl.device, CL_PROGRAM_BUILD_LOG,
                              text_bytes - (size_t)used - 1, text + used, NULL);
    }
    return status == CL_SUCCESS;
}

static bool execute(const struct gen_program *p, cl_kernel kernel, cl_mem *buffers,
                    uint8_t *const *memory, char *text, size_t text_bytes)
{
    const struct gen_variables *parameters = &gen_kernel(p)->parameters;
    size_t global[3], local[3], offset[3];
    cl_int status;
    for (uint32_t i = 0; i < parameters->count; i++) {
        const struct gen_variable *parameter = parameters->items[i];
        if (parameter->role == GEN_PARAMETER) {
            uint8_t value[GEN_MAX_LEAVES * 8 * 4] = {0};
            gen_leaves_store(parameter->type, parameter->initial, value);
            TRY(clSetKernelArg(kernel, i, parameter->type->size, value));
            continue;
        }
        size_t bytes = gen_buffer_bytes(p, parameter);
        if (parameter->role == GEN_SHARED) {
            TRY(clSetKernelArg(kernel, i, bytes, NULL));
            continue;
        }
        buffers[i] = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                    memory[i], &status);
        TRY(status);
        TRY(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]));
    }
    for (uint32_t i = 0; i < 3; i++) {
        local[i] = p->local[i];
        global[i] = local[i] * p->groups[i];
        offset[i] = p->offset[i];
    }
    TRY(clEnqueueNDRangeKernel(cl.queue, kernel, 3, offset, global, local, 0, NULL, NULL));
    TRY(clFinish(cl.queue));
    for (uint32_t i = 0; i < parameters->count; i++) {
        if (buffers[i]) {
            TRY(clEnqueueReadBuffer(cl.queue, buffers[i], CL_TRUE, 0,
                                    gen_buffer_bytes(p, parameters->items[i]), memory[i], 0, NULL,
                                    NULL));
        }
    }
    return true;
}

static bool cl_run(const struct gen_program *program, uint32_t lanes, uint8_t *const *memory,
                   bool *skipped, char *text, size_t text_bytes)
{
    cl_program built = NULL;
    cl_mem buffers[MAX_PARAMETERS] = {NULL};
    cl_int status;
    (void)lanes;
    if (cl.is_pocl && !cl.everything && gen_opencl_avoided(program)) {
        *skipped = true;
        return true;
    }
    if (!build(program, &built, text, text_bytes)) {
        return false;
    }
    cl_kernel kernel = clCreateKernel(built, GEN_KERNEL_NAME, &status);
    TRY(status);
    bool good = execute(program, kernel, buffers, memory, text, text_bytes);
    for (uint32_t i = 0; i < MAX_PARAMETERS; i++) {
        if (buffers[i]) {
            clReleaseMemObject(buffers[i]);
        }
    }
    clReleaseKernel(kernel);
    clReleaseProgram(built);
    return good;
}

int main(int argc, char **argv)
{
    static const struct gen_device opencl = {.name = "OpenCL",
                                             .optional = true,
                                             .open = cl_open,
                                             .run = cl_run,
                                             .has_spaces = true, /* the text says what is known */
                                             .also = &gen_device_ze,
                                             .also_lanes = 16};
    if (argc > 1 && strcmp(argv[1], "--everything") == 0) {
        cl.everything = true;
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    return gen_main(argc, argv, &opencl);
}
