/* Tests of programs and kernels. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static const char source[] =
    "typedef struct { int a; char b; long c; } record;\n"
    "kernel void sums(global int *out, int n, local int *part, record r)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    part[get_local_id(0)] = n * i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = part[get_local_id(0)] + r.a + (int)r.c + get_global_offset(0);\n"
    "}\n"
    "__attribute__((reqd_work_group_size(4, 2, 1)))\n"
    "kernel void fixed(global int *out) { out[get_global_linear_id()] = get_local_size(1); }\n";

static char *log_of(struct cl *cl, cl_program program)
{
    static char log[8192];
    assert_cl(CL_SUCCESS, clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_LOG,
                                                sizeof(log), log, NULL));
    return log;
}

static void sources_run_with_all_kinds_of_arguments(void **state)
{
    struct cl *cl = *state;
    struct {
        cl_int a;
        cl_char b;
        cl_long c;
    } record = {1, 2, 3};
    const size_t global = 64, local = 16, offset = 32;
    const int n = 7;
    cl_mem buffer = cl_ints(cl, 128);
    cl_program program = cl_program_build(cl, source, "-cl-std=CL2.0");
    cl_kernel kernel = cl_kernel_of(program, "sums", buffer);
    assert_cl(CL_INVALID_KERNEL_ARGS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    assert_cl(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 8, &n));
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof(n), &n));
    assert_cl(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 2, 64, &n));
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 2, local * sizeof(int), NULL));
    assert_cl(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 3, sizeof(record) - 1, &record));
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 3, sizeof(record), &record));
    assert_cl(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, 4, 4, &n));
    assert_cl(CL_SUCCESS, clEnqueueNDRangeKernel(cl->queue, kernel, 1, &offset, &global, &local, 0,
                                                 NULL, NULL));
    for (size_t i = 0; i < 128; i++) {
        bool inside = i >= offset && i < offset + global;
        assert_int_equal(cl_int_read(cl, buffer, i), inside ? 7 * i + 4 + offset : 0);
    }
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 1), 7 + 4);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(buffer);
}

static void work_groups_are_checked(void **state)
{
    struct cl *cl = *state;
    const size_t global[2] = {8, 4}, odd[2] = {3, 1}, other[2] = {2, 2}, zero[2] = {0, 4};
    size_t sizes[3];
    cl_mem buffer = cl_ints(cl, 32);
    cl_program program = cl_program_build(cl, source, "-cl-std=CL2.0");
    cl_kernel kernel = cl_kernel_of(program, "fixed", buffer);
    assert_cl(CL_INVALID_WORK_DIMENSION,
              clEnqueueNDRangeKernel(cl->queue, kernel, 4, NULL, global, NULL, 0, NULL, NULL));
    assert_cl(CL_INVALID_WORK_GROUP_SIZE,
              clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, global, odd, 0, NULL, NULL));
    assert_cl(CL_INVALID_WORK_GROUP_SIZE,
              clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, global, other, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, zero, NULL, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 0), 0);
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 31), 2);
    assert_cl(CL_SUCCESS, clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                                   sizeof(sizes), sizes, NULL));
    assert_int_equal(sizes[0], 4);
    assert_int_equal(sizes[1], 2);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(buffer);
}

static void binaries_come_back(void **state)
{
    struct cl *cl = *state;
    cl_int error, status;
    size_t bytes = 0;
    const size_t global[2] = {4, 2};
    cl_program_binary_type type;
    cl_mem buffer = cl_ints(cl, 8);
    cl_program program = cl_program_build(cl, source, "-cl-std=CL2.0");
    assert_cl(CL_SUCCESS,
              clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, NULL));
    unsigned char *binary = malloc(bytes);
    assert_cl(CL_SUCCESS,
              clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
    clReleaseProgram(program);
    const unsigned char *given = binary;
    program =
        clCreateProgramWithBinary(cl->context, 1, &cl->device, &bytes, &given, &status, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS, clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BINARY_TYPE,
                                                sizeof(type), &type, NULL));
    assert_int_equal(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_cl(CL_SUCCESS, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = cl_kernel_of(program, "fixed", buffer);
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 7), 2);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    /* The native part alone is damaged: it is built again from the SPIR-V. */
    memcpy(binary, "\177ELFnothing", 11);
    program =
        clCreateProgramWithBinary(cl->context, 1, &cl->device, &bytes, &given, &status, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    clReleaseProgram(program);
    /* The trailer is damaged too: it is not ours any more. */
    binary[bytes - 50]++;
    program =
        clCreateProgramWithBinary(cl->context, 1, &cl->device, &bytes, &given, &status, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_INVALID_BINARY, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    clReleaseProgram(program);
    given = (const unsigned char *)"no binary at all, in no form";
    bytes = 28;
    assert_null(
        clCreateProgramWithBinary(cl->context, 1, &cl->device, &bytes, &given, &status, &error));
    assert_cl(CL_INVALID_BINARY, error);
    assert_cl(CL_INVALID_BINARY, status);
    free(binary);
    clReleaseMemObject(buffer);
}

static void bad_sources_have_a_log(void **state)
{
    struct cl *cl = *state;
    const char *text = "kernel void f(global int *a) { a[0] = undeclared_thing; }";
    cl_build_status status;
    cl_program program = clCreateProgramWithSource(cl->context, 1, &text, NULL, NULL);
    assert_cl(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    assert_non_null(strstr(log_of(cl, program), "undeclared_thing"));
    assert_cl(CL_SUCCESS, clGetProgramBuildInfo(program, cl->device, CL_PROGRAM_BUILD_STATUS,
                                                sizeof(status), &status, NULL));
    assert_int_equal(status, CL_BUILD_ERROR);
    assert_cl(CL_INVALID_BUILD_OPTIONS,
              clBuildProgram(program, 0, NULL, "--no-such-option", NULL, NULL));
    cl_int error;
    assert_null(clCreateKernel(program, "f", &error));
    assert_cl(CL_INVALID_PROGRAM_EXECUTABLE, error);
    clReleaseProgram(program);
}

/* Without clang, sources do not build, and the log says what is missing. */
static void a_missing_clang_is_explained(void **state)
{
    struct cl *cl = *state;
    const char *text = "kernel void f(global int *a) { a[0] = 1; }";
    cl_program program = clCreateProgramWithSource(cl->context, 1, &text, NULL, NULL);
    setenv("GEOID_CLANG", "/nowhere/clang", 1);
    assert_cl(CL_COMPILER_NOT_AVAILABLE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    assert_non_null(strstr(log_of(cl, program), "GEOID_CLANG: /nowhere/clang is not a program"));
    unsetenv("GEOID_CLANG");
    assert_cl(CL_SUCCESS, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    clReleaseProgram(program);
}

static void objects_and_headers_are_linked(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    const char *texts[] = {
        "#include \"sub/three.h\"\nint three(void) { return THREE; }",
        "int three(void);\nkernel void f(global int *a) { a[0] = three() + ADD; }",
        "#define THREE 3\n",
    };
    const char *name = "sub/three.h";
    const size_t one = 1;
    cl_program parts[3];
    for (int i = 0; i < 3; i++) {
        parts[i] = clCreateProgramWithSource(cl->context, 1, &texts[i], NULL, &error);
    }
    assert_cl(CL_COMPILE_PROGRAM_FAILURE,
              clCompileProgram(parts[0], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clCompileProgram(parts[0], 0, NULL, NULL, 1, &parts[2], &name, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clCompileProgram(parts[1], 0, NULL, "-D ADD=4", 0, NULL, NULL, NULL, NULL));
    cl_program program = clLinkProgram(cl->context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    assert_cl(CL_SUCCESS, error);
    cl_mem buffer = cl_ints(cl, 1);
    cl_kernel kernel = cl_kernel_of(program, "f", buffer);
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 0), 7);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
    clReleaseProgram(program);
    for (int i = 0; i < 3; i++) {
        clReleaseProgram(parts[i]);
    }
}

/* clang may load 7 of 8 elements for `.even`, which SPIR-V cannot express. */
static void parts_of_vectors_are_read(void **state)
{
    struct cl *cl = *state;
    const size_t one = 1;
    cl_int error;
    cl_char in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[4] = {0};
    cl_mem from = clCreateBuffer(cl->context, CL_MEM_COPY_HOST_PTR, sizeof(in), in, &error);
    cl_mem to = cl_ints(cl, 1);
    cl_program program = cl_program_build(
        cl, "kernel void f(global char8 *from, global char4 *to) { to[0] = from[0].even; }", NULL);
    cl_kernel kernel = cl_kernel_of(program, "f", from);
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof(to), &to));
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clEnqueueReadBuffer(cl->queue, to, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(out[i], 2 * i + 1);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}

/* Each clone has arguments of its own. */
static void clones_are_independent(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    const size_t one = 1;
    cl_mem first = cl_ints(cl, 1), second = cl_ints(cl, 1);
    cl_program program =
        cl_program_build(cl, "kernel void f(global int *a, int n) { a[0] = n; }", NULL);
    cl_kernel kernel = cl_kernel_of(program, "f", first);
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 1, 4, &(cl_int){5}));
    cl_kernel clone = clCloneKernel(kernel, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS, clSetKernelArg(clone, 0, sizeof(second), &second));
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, clone, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, first, 0), 5);
    assert_int_equal(cl_int_read(cl, second, 0), 5);
    assert_cl(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    clReleaseKernel(kernel);
    clReleaseKernel(clone);
    clReleaseProgram(program);
    clReleaseMemObject(first);
    clReleaseMemObject(second);
}

/* Lines are counted as in the program's text. */
static void half_needs_no_pragma(void **state)
{
    struct cl *cl = *state;
    char extensions[4096];
    const size_t one = 1;
    assert_cl(CL_SUCCESS, clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS, sizeof(extensions),
                                          extensions, NULL));
    if (!strstr(extensions, "cl_khr_fp16")) {
        skip();
    }
    cl_mem buffer = cl_ints(cl, 1);
    cl_program program = cl_program_build(
        cl,
        "half doubled(half x) { return x * 2.0h; }\n"
        "kernel void lines(global int *out) { out[0] = (int)doubled(21.0f) + 100 * __LINE__; }\n",
        "");
    cl_kernel kernel = cl_kernel_of(program, "lines", buffer);
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 0), 242);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CL_CASE(half_needs_no_pragma),           CL_CASE(sources_run_with_all_kinds_of_arguments),
        CL_CASE(work_groups_are_checked),        CL_CASE(binaries_come_back),
        CL_CASE(bad_sources_have_a_log),         CL_CASE(a_missing_clang_is_explained),
        CL_CASE(objects_and_headers_are_linked), CL_CASE(parts_of_vectors_are_read),
        CL_CASE(clones_are_independent),
    };
    return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}
