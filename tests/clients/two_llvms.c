/* Geoid and pocl in one process: two LLVMs of different versions that build and run kernels in turn
 * and at the same time. Usage: two_llvms level-zero-first|opencl-first|together. Ends with 77 when
 * there is no OpenCL CPU device. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define ITEMS  4096u
#define GROUP  64u
#define ROUNDS 4u

static uint32_t input[ITEMS], expected[ITEMS];

static void expected_make(void)
{
    uint32_t mixed[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t x = input[i] = i * 2654435761u;
        for (uint32_t n = x % 7; n > 0; n--) {
            x = x * 1664525u + 1013904223u;
        }
        mixed[i] = x;
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        expected[i] = mixed[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    }
}

static void compare(const char *who, const uint32_t *out, uint32_t round)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        if (out[i] != (expected[i] ^ round)) {
            fprintf(stderr, "%s, round %u: item %u is %#x, not %#x\n", who, round, i, out[i],
                    expected[i] ^ round);
            exit(1);
        }
    }
}

/* ---- Level Zero ---- */

/* The module was compiled with ROUND = 0; each round builds it anew. */
static void *level_zero_run(void *unused)
{
    struct example example;
    (void)unused;
    example_open(&example, "two_llvms");
    uint32_t *in = example_alloc(&example, sizeof(input));
    uint32_t *out = example_alloc(&example, sizeof(input));
    memcpy(in, input, sizeof(input));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        ze_module_handle_t module = example_module(&example, "two_llvms.spv");
        ze_kernel_handle_t kernel = example_kernel(&example, module, "mix_up");
        CHECK(&example, zeKernelSetGroupSize(kernel, GROUP, 1, 1));
        example_arg(&example, kernel, 0, sizeof(in), &in);
        example_arg(&example, kernel, 1, sizeof(out), &out);
        example_arg(&example, kernel, 2, GROUP * sizeof(uint32_t), NULL);
        memset(out, 0, sizeof(input));
        example_launch(&example, kernel, ITEMS / GROUP, 1);
        compare("Level Zero", out, 0);
        CHECK(&example, zeKernelDestroy(kernel));
        CHECK(&example, zeModuleDestroy(module));
    }
    example_free(&example, in);
    example_free(&example, out);
    example_close(&example);
    return NULL;
}

/* ---- OpenCL ---- */

struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    char *source;
};

static void cl_check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "OpenCL: %s gives %d\n", what, status);
        exit(1);
    }
}

static bool opencl_device(struct opencl *cl)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) {
        return false;
    }
    for (cl_uint i = 0; i < count && i < 8; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &cl->device, NULL) == CL_SUCCESS) {
            return true;
        }
    }
    return false;
}

static void opencl_round(const struct opencl *cl, uint32_t round)
{
    char options[32];
    uint32_t out[ITEMS] = {0};
    size_t items = ITEMS, group = GROUP;
    cl_int status;
    snprintf(options, sizeof(options), "-DROUND=%u", round);
    cl_program program =
        clCreateProgramWithSource(cl->context, 1, (const char **)&cl->source, NULL, &status);
    cl_check(status, "clCreateProgramWithSource");
    cl_check(clBuildProgram(program, 1, &cl->device, options, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "mix_up", &status);
    cl_check(status, "clCreateKernel");
    cl_mem from = clCreateBuffer(cl->context, CL_MEM_COPY_HOST_PTR, sizeof(input), input, &status);
    cl_check(status, "clCreateBuffer");
    cl_mem to = clCreateBuffer(cl->context, 0, sizeof(out), NULL, &status);
    cl_check(status, "clCreateBuffer");
    cl_check(clSetKernelArg(kernel, 0, sizeof(from), &from), "clSetKernelArg");
    cl_check(clSetKernelArg(kernel, 1, sizeof(to), &to), "clSetKernelArg");
    cl_check(clSetKernelArg(kernel, 2, GROUP * sizeof(uint32_t), NULL), "clSetKernelArg");
    cl_check(clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
    cl_check(clEnqueueReadBuffer(cl->queue, to, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL),
             "clEnqueueReadBuffer");
    compare("OpenCL", out, round);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void *opencl_run(void *data)
{
    struct opencl *cl = data;
    cl_int status;
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &status);
    cl_check(status, "clCreateContext");
    cl->queue = clCreateCommandQueueWithProperties(cl->context, cl->device, NULL, &status);
    cl_check(status, "clCreateCommandQueueWithProperties");
    for (uint32_t round = 0; round < ROUNDS; round++) {
        opencl_round(cl, round);
    }
    clReleaseCommandQueue(cl->queue);
    clReleaseContext(cl->context);
    return NULL;
}

static char *source_read(void)
{
    FILE *file = fopen(TWO_LLVMS_SOURCE, "rb");
    char *source = calloc(1, 65536);
    if (!file || !source || fread(source, 1, 65535, file) == 0) {
        fprintf(stderr, "two_llvms: %s cannot be read\n", TWO_LLVMS_SOURCE);
        exit(1);
    }
    fclose(file);
    return source;
}

int main(int argc, char **argv)
{
    struct opencl cl = {.source = source_read()};
    pthread_t thread;
    if (argc != 2) {
        return 2;
    }
    expected_make();
    if (!opencl_device(&cl)) {
        fprintf(stderr, "two_llvms: no OpenCL CPU device (package pocl-opencl-icd)\n");
        return 77;
    }
    if (strcmp(argv[1], "together") == 0) {
        if (pthread_create(&thread, NULL, opencl_run, &cl)) {
            return 1;
        }
        level_zero_run(NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(argv[1], "opencl-first") == 0) {
        opencl_run(&cl);
        level_zero_run(NULL);
        opencl_run(&cl);
    } else {
        level_zero_run(NULL);
        opencl_run(&cl);
        level_zero_run(NULL);
    }
    free(cl.source);
    printf("Level Zero and OpenCL agree with C (%s)\n", argv[1]);
    return 0;
}
