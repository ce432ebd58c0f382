/* The same measurements through OpenCL's first CPU device (pocl). Usage: bench_opencl KERNELS.cl
 * [launch|maths] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "table.h"

#define CHECK(status) check((status), __LINE__)

static void check(cl_int status, int line)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "bench_opencl: line %d gives %d\n", line, status);
        exit(1);
    }
}

struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

static void open_device(struct opencl *cl)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    cl_int status;
    CHECK(clGetPlatformIDs(8, platforms, &count));
    for (cl_uint i = 0; i < count && i < 8 && !cl->device; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &cl->device, NULL) != CL_SUCCESS) {
            cl->device = NULL;
        }
    }
    CHECK(cl->device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND);
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &status);
    CHECK(status);
    cl->queue = clCreateCommandQueueWithProperties(cl->context, cl->device, NULL, &status);
    CHECK(status);
}

static void build(struct opencl *cl, const char *path)
{
    static char source[1 << 16];
    const char *sources[] = {source};
    char options[4096];
    cl_int status;
    FILE *stream = fopen(path, "rb");
    if (!stream || fread(source, 1, sizeof(source) - 1, stream) == 0) {
        fprintf(stderr, "bench_opencl: cannot read %s\n", path);
        exit(1);
    }
    fclose(stream);
    const char *slash = strrchr(path, '/');
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -I%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    cl->program = clCreateProgramWithSource(cl->context, 1, sources, NULL, &status);
    CHECK(status);
    CHECK(clBuildProgram(cl->program, 1, &cl->device, options, NULL, NULL));
}

static double launch(struct opencl *cl, cl_kernel kernel, const uint32_t *groups,
                     const uint32_t *local)
{
    size_t size[2] = {(size_t)groups[0] * local[0], (size_t)groups[1] * local[1]},
           group[2] = {local[0], local[1]};
    double start = bench_now_ms();
    CHECK(clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, size, group, 0, NULL, NULL));
    CHECK(clFinish(cl->queue));
    return bench_now_ms() - start;
}

static double run(struct opencl *cl, const struct bench_kernel *bench)
{
    cl_mem buffers[6] = {NULL};
    cl_int status;
    cl_kernel kernel = clCreateKernel(cl->program, bench->name, &status);
    CHECK(status);
    for (cl_uint i = 0; i < bench->arg_count; i++) {
        const struct bench_arg *arg = &bench->args[i];
        if (arg->bytes == 0) {
            CHECK(clSetKernelArg(kernel, i, sizeof(arg->value), &arg->value));
            continue;
        }
        void *memory = malloc(arg->bytes);
        if (!memory) {
            exit(1);
        }
        bench_fill(arg, memory);
        buffers[i] = clCreateBuffer(cl->context, CL_MEM_COPY_HOST_PTR, arg->bytes, memory, &status);
        CHECK(status);
        free(memory);
        CHECK(clSetKernelArg(kernel, i, sizeof(buffers[i]), &buffers[i]));
    }
    double best =
        launch(cl, kernel, bench->groups, bench->local); /* also compiles for this group size */
    for (int i = 0; i < BENCH_REPEATS; i++) {
        double ms = launch(cl, kernel, bench->groups, bench->local);
        best = ms < best ? ms : best;
    }
    for (size_t i = 0; i < bench->arg_count; i++) {
        if (buffers[i]) {
            clReleaseMemObject(buffers[i]);
        }
    }
    clReleaseKernel(kernel);
    return best;
}

static void run_empty(struct opencl *cl)
{
    const uint32_t one[2] = {1, 1};
    cl_int status;
    cl_kernel kernel = clCreateKernel(cl->program, "empty", &status);
    CHECK(status);
    double *samples = calloc(BENCH_LAUNCHES, sizeof(*samples));
    if (!samples) {
        exit(1);
    }
    for (int i = 0; i < BENCH_LAUNCHES_WARM; i++) {
        launch(cl, kernel, one, one);
    }
    for (int i = 0; i < BENCH_LAUNCHES; i++) {
        samples[i] = launch(cl, kernel, one, one);
    }
    bench_print_launch(samples, BENCH_LAUNCHES);
    free(samples);
    clReleaseKernel(kernel);
}

int main(int argc, char **argv)
{
    struct opencl cl = {NULL, NULL, NULL, NULL};
    if (argc < 2) {
        fprintf(stderr, "usage: bench_opencl KERNELS.cl [launch|maths]\n");
        return 2;
    }
    open_device(&cl);
    double start = bench_now_ms();
    build(&cl, argv[1]);
    printf("build %.3f\n", bench_now_ms() - start);
    int only_launch = argc > 2 && strcmp(argv[2], "launch") == 0,
        only_maths = argc > 2 && strcmp(argv[2], "maths") == 0;
    const struct bench_table *table = only_maths ? &bench_maths : &bench_kernels;
    if (only_launch) {
        run_empty(&cl);
    }
    for (size_t i = 0; !only_launch && i < table->count; i++) {
        printf("kernel %s %.4f\n", table->kernels[i].name, run(&cl, &table->kernels[i]));
    }
    clReleaseProgram(cl.program);
    clReleaseCommandQueue(cl.queue);
    clReleaseContext(cl.context);
    return 0;
}
