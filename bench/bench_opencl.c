/* Runs the rows of peer.h on OpenCL's first CPU device. OCL_ICD_VENDORS selects the implementation.
 * "bench_opencl launch" measures an empty kernel. Rows are left out if the device cannot build the
 * source or create the kernel. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "peer.h"

#define CHECK(status) check((status), __LINE__)

enum { PROGRAMS_MAX = 32 };

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
    struct {
        const char *file;
        cl_program program; /* NULL if the build has failed */
    } programs[PROGRAMS_MAX];
    size_t program_count;
    const struct bench_row *row;
    cl_kernel kernel;
    cl_mem buffers[BENCH_ARGS];
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

static void read_source(const char *path, char *source, size_t size)
{
    FILE *stream = fopen(path, "rb");
    size_t length = stream ? fread(source, 1, size - 1, stream) : 0;
    if (length == 0 || length == size - 1) {
        fprintf(stderr, "bench_opencl: cannot read %s\n", path);
        exit(1);
    }
    source[length] = '\0';
    fclose(stream);
}

static cl_program build(struct opencl *cl, const char *file)
{
    static char source[1 << 16], folder[PATH_MAX], path[PATH_MAX + 64], options[PATH_MAX + 64];
    const char *sources[] = {source};
    cl_int status;
    bench_beside_program("", folder, sizeof(folder));
    snprintf(path, sizeof(path), "%s%s.cl", folder, file);
    read_source(path, source, sizeof(source));
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -I%s", folder);
    cl_program program = clCreateProgramWithSource(cl->context, 1, sources, NULL, &status);
    CHECK(status);
    if (clBuildProgram(program, 1, &cl->device, options, NULL, NULL) != CL_SUCCESS) {
        clReleaseProgram(program);
        return NULL;
    }
    return program;
}

/* Returns the program of a source, which is built for its first row. */
static cl_program program_of(struct opencl *cl, const char *file)
{
    for (size_t i = 0; i < cl->program_count; i++) {
        if (strcmp(cl->programs[i].file, file) == 0) {
            return cl->programs[i].program;
        }
    }
    if (cl->program_count == PROGRAMS_MAX) {
        fprintf(stderr, "bench_opencl: more than %d files\n", PROGRAMS_MAX);
        exit(1);
    }
    cl->programs[cl->program_count].file = file;
    return cl->programs[cl->program_count++].program = build(cl, file);
}

static bool cl_open(void *self, const struct bench_row *row)
{
    struct opencl *cl = self;
    cl_int status;
    cl_program program = program_of(cl, row->file);
    cl->kernel = program ? clCreateKernel(program, row->kernel, &status) : NULL;
    if (!cl->kernel) {
        return false;
    }
    cl->row = row;
    for (cl_uint i = 0; i < bench_arg_count(row); i++) {
        const struct bench_arg *arg = &row->args[i];
        if (arg->fill == FILL_VALUE) {
            CHECK(clSetKernelArg(cl->kernel, i, sizeof(arg->value), &arg->value));
            continue;
        }
        void *memory = malloc(arg->bytes);
        if (!memory) {
            exit(1);
        }
        bench_fill(arg, memory);
        cl->buffers[i] =
            clCreateBuffer(cl->context, CL_MEM_COPY_HOST_PTR, arg->bytes, memory, &status);
        CHECK(status);
        free(memory);
        CHECK(clSetKernelArg(cl->kernel, i, sizeof(cl->buffers[i]), &cl->buffers[i]));
    }
    return true;
}

static double launch(struct opencl *cl, cl_kernel kernel, const uint32_t *groups,
                     const uint32_t *local)
{
    size_t size[3], group[3];
    for (int i = 0; i < 3; i++) {
        size[i] = (size_t)groups[i] * local[i];
        group[i] = local[i];
    }
    cl_uint dimensions = size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
    double start = bench_now_ms();
    CHECK(clEnqueueNDRangeKernel(cl->queue, kernel, dimensions, NULL, size, group, 0, NULL, NULL));
    CHECK(clFinish(cl->queue));
    return bench_now_ms() - start;
}

static double cl_launch(void *self)
{
    struct opencl *cl = self;
    return launch(cl, cl->kernel, cl->row->groups, cl->row->local);
}

static void cl_read(void *self, size_t arg, void *to, size_t bytes)
{
    struct opencl *cl = self;
    CHECK(clEnqueueReadBuffer(cl->queue, cl->buffers[arg], CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

static void cl_close(void *self)
{
    struct opencl *cl = self;
    for (size_t i = 0; i < BENCH_ARGS; i++) {
        if (cl->buffers[i]) {
            clReleaseMemObject(cl->buffers[i]);
            cl->buffers[i] = NULL;
        }
    }
    clReleaseKernel(cl->kernel);
}

static void run_empty(struct opencl *cl)
{
    const uint32_t one[3] = {1, 1, 1};
    cl_int status;
    cl_program program = program_of(cl, "kernels");
    CHECK(program ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE);
    cl_kernel kernel = clCreateKernel(program, "empty", &status);
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
    static struct opencl self;
    const struct bench_peer peer = {&self, cl_open, cl_launch, cl_read, cl_close};
    int status = 0;
    open_device(&self);
    if (argc == 2 && strcmp(argv[1], "launch") == 0) {
        run_empty(&self);
    } else {
        status = bench_peer_main(&peer, argc, argv);
    }
    for (size_t i = 0; i < self.program_count; i++) {
        if (self.programs[i].program) {
            clReleaseProgram(self.programs[i].program);
        }
    }
    clReleaseCommandQueue(self.queue);
    clReleaseContext(self.context);
    return status;
}
