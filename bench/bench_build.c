/* Builds SPIR-V modules named on standard input, one at a time, and prints "build MICROSECONDS" of
 * processor time for each, or "failed CODE". Usage: bench_build ze|opencl; scripts/bench runs it.
 *
 * Processor time of the whole process, so that neither a busy machine nor a compiler with threads
 * of its own changes the comparison. */
#include <level_zero/ze_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static long ze_build(const struct builder *builder, const uint8_t *spirv, size_t bytes)
{
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = bytes,
                             .pInputModule = spirv};
    ze_module_handle_t module = NULL;
    ze_result_t result = zeModuleCreate(builder->context, builder->device, &desc, &module, NULL);
    if (module) {
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
        status = clBuildProgram(program, 1, &builder->cl_device, "", NULL, NULL);
        clReleaseProgram(program);
    }
    return status;
}

/* The first CPU device of Intel's platform. */
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
    if (argc != 2 ||
        !(strcmp(argv[1], "opencl") == 0 ? opencl_open(&builder) : ze_open(&builder))) {
        fprintf(stderr, "bench_build: no device of this kind\n");
        return 1;
    }
    while (fgets(path, sizeof(path), stdin)) {
        size_t bytes = 0;
        path[strcspn(path, "\n")] = '\0';
        uint8_t *spirv = file_read(path, &bytes);
        if (!spirv) {
            fprintf(stderr, "bench_build: cannot read %s\n", path);
            return 1;
        }
        uint64_t begin = now_us();
        long result = builder.build(&builder, spirv, bytes);
        if (result == 0) {
            printf("build %llu\n", (unsigned long long)(now_us() - begin));
        } else {
            printf("failed %ld\n", result);
        }
        fflush(stdout);
        free(spirv);
    }
    return 0;
}
