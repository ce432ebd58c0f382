/* Builds the SPIR-V modules that standard input names, one at a time, and creates their kernels, or
 * the first KERNELS of each. Prints for each "build MICROSECONDS CLOCK" (processor time and elapsed
 * time) or "failed CODE". At the end it prints "peak KIB BEFORE": the peak of resident memory, and
 * the value before the first build.
 * Usage: bench_build ze|opencl [KERNELS]; scripts/bench runs it.
 *
 * Processor time is that of the whole process, so that neither a busy machine nor a compiler with
 * threads of its own changes the comparison. */
#include <level_zero/ze_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "table.h"

#define CL_TARGET_OPENCL_VERSION 300
#ifdef GEOID_BENCH_OPENCL
#include <CL/cl.h>
#endif

struct builder {
    long (*build)(const struct builder *builder, const uint8_t *spirv, size_t bytes);
    ze_context_handle_t context;
    ze_device_handle_t device;
#ifdef GEOID_BENCH_OPENCL
    cl_context cl_context;
    cl_device_id cl_device;
#endif
};

enum { KERNELS_MAX = 1024 };

static uint32_t kernels_wanted = KERNELS_MAX;

/* Creates kernels, because a runtime may build a kernel when it is created. */
static ze_result_t ze_make_kernels(ze_module_handle_t module)
{
    const char *names[KERNELS_MAX];
    uint32_t count = KERNELS_MAX;
    ze_result_t result = zeModuleGetKernelNames(module, &count, names);
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < count && i < kernels_wanted; i++) {
        ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = names[i]};
        ze_kernel_handle_t kernel;
        result = zeKernelCreate(module, &desc, &kernel);
        if (result == ZE_RESULT_SUCCESS) {
            zeKernelDestroy(kernel);
        }
    }
    return result;
}

static long ze_build(const struct builder *builder, const uint8_t *spirv, size_t bytes)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = bytes,
                             .pInputModule = spirv};
    ze_module_handle_t module = NULL;
    ze_result_t result = zeModuleCreate(builder->context, builder->device, &desc, &module, NULL);
    if (module) {
        result = ze_make_kernels(module);
        zeModuleDestroy(module);
    }
    return (long)result;
}

static int ze_open(struct builder *builder)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_handle_t driver;
    uint32_t one = 1;
    builder->build = ze_build;
    if (zeInit(0) || zeDriverGet(&one, &driver) || one == 0) {
        return 0;
    }
    one = 1;
    return !zeDeviceGet(driver, &one, &builder->device) && one == 1 &&
           !zeContextCreate(driver, &desc, &builder->context);
}

#ifdef GEOID_BENCH_OPENCL
static long opencl_build(const struct builder *builder, const uint8_t *spirv, size_t bytes)
{
    cl_int status;
    cl_program program = clCreateProgramWithIL(builder->cl_context, spirv, bytes, &status);
    if (status == CL_SUCCESS) {
        cl_kernel kernels[KERNELS_MAX];
        cl_uint count = 0;
        status = clBuildProgram(program, 1, &builder->cl_device, "", NULL, NULL);
        if (status == CL_SUCCESS) {
            status = clCreateKernelsInProgram(program, KERNELS_MAX, kernels, &count);
        }
        for (cl_uint i = 0; i < count; i++) {
            clReleaseKernel(kernels[i]);
        }
        clReleaseProgram(program);
    }
    return status;
}

/* Returns the first CPU device of Intel's platform. */
static int opencl_open(struct builder *builder)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    cl_int status = clGetPlatformIDs(8, platforms, &count);
    builder->build = opencl_build;
    for (cl_uint i = 0; status == CL_SUCCESS && i < count && i < 8; i++) {
        char vendor[128] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VENDOR, sizeof(vendor), vendor, NULL);
        if (strstr(vendor, "Intel") && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1,
                                                      &builder->cl_device, NULL) == CL_SUCCESS) {
            builder->cl_context =
                clCreateContext(NULL, 1, &builder->cl_device, NULL, NULL, &status);
            return status == CL_SUCCESS;
        }
    }
    return 0;
}
#else
static int opencl_open(struct builder *builder)
{
    (void)builder;
    return 0;
}
#endif

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static long peak_kib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

static uint8_t *file_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        data = end > 0 ? malloc((size_t)end) : NULL;
        rewind(file);
        *bytes = data ? fread(data, 1, (size_t)end, file) : 0;
    }
    if (file) {
        fclose(file);
    }
    return data;
}

int main(int argc, char **argv)
{
    static char path[4096];
    struct builder builder = {0};
    if (argc > 2) {
        kernels_wanted = (uint32_t)strtoul(argv[2], NULL, 10);
    }
    if (argc < 2 || argc > 3 ||
        !(strcmp(argv[1], "opencl") == 0 ? opencl_open(&builder) : ze_open(&builder))) {
        fprintf(stderr, "bench_build: no device of this kind\n");
        return 1;
    }
    long before = peak_kib();
    while (fgets(path, sizeof(path), stdin)) {
        size_t bytes = 0;
        path[strcspn(path, "\n")] = '\0';
        uint8_t *spirv = file_read(path, &bytes);
        if (!spirv) {
            fprintf(stderr, "bench_build: cannot read %s\n", path);
            return 1;
        }
        double clock_ms = bench_now_ms();
        uint64_t begin = now_us();
        long result = builder.build(&builder, spirv, bytes);
        if (result == 0) {
            printf("build %llu %.0f\n", (unsigned long long)(now_us() - begin),
                   (bench_now_ms() - clock_ms) * 1e3);
        } else {
            printf("failed %ld\n", result);
        }
        fflush(stdout);
        free(spirv);
    }
    printf("peak %ld %ld\n", peak_kib(), before);
    return 0;
}
