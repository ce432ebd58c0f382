/* Tests of extensions: their functions in kernels, their queries and their functions of the host. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define ITEMS 16

/* Values of work-item i of a sub-group of 16, whose own value x is i + 1. */
static int popcount_of(int i)
{
    (void)i;
    return ITEMS / 2;
}

static int first_of(int i)
{
    (void)i;
    return 1;
}

static int inverse_of(int i)
{
    return i % 2 == 0;
}

static int xor_of(int i)
{
    return (i ^ 1) + 1;
}

static int shifted_of(int i)
{
    return i == 0 ? 0 : i;
}

static int rotated_of(int i)
{
    return (i + 3) % ITEMS + 1;
}

static int cluster_of(int i)
{
    return i / 4 * 4 * 4 + 10;
}

static int product_of(int i)
{
    return i % 2 ? 0 : 2 * i + 1;
}

static int narrow_of(int i)
{
    (void)i;
    return ITEMS * (ITEMS + 1) / 2;
}

static int bits_of(int i)
{
    return (i + 1) | 5 << 8;
}

static int dot_of(int i)
{
    return 4 * (i + 1) * -3 + 7;
}

static int sum_of(int i)
{
    return i == 0 ? ITEMS * 3 : 0;
}

static int byte_of(int i)
{
    return i % 4 == 0 ? i / 4 : 0;
}

static int long_of(int i)
{
    return 2 * i;
}

static int own_of(int i)
{
    return i + 1;
}

static const struct {
    const char *extension, *statement; /* the statement sets r */
    int (*value)(int i);
} rows[] = {
    {"cl_khr_subgroup_ballot", "r = sub_group_ballot_bit_count(sub_group_ballot(x & 1));",
     popcount_of},
    {"cl_khr_subgroup_ballot", "r = sub_group_inverse_ballot(sub_group_ballot(x & 1)) != 0;",
     inverse_of},
    {"cl_khr_subgroup_non_uniform_vote", "r = sub_group_non_uniform_all(x > 0) != 0;", first_of},
    {"cl_khr_subgroup_shuffle", "r = sub_group_shuffle_xor(x, 1u);", xor_of},
    {"cl_khr_subgroup_shuffle_relative",
     "r = sub_group_shuffle_up(x, 1u); r = get_sub_group_local_id() ? r : 0;", shifted_of},
    {"cl_khr_subgroup_rotate", "r = sub_group_rotate(x, 3);", rotated_of},
    {"cl_khr_subgroup_clustered_reduce", "r = sub_group_clustered_reduce_add(x, 4u);", cluster_of},
    {"cl_khr_subgroup_non_uniform_arithmetic",
     "r = 0; if (x & 1) { r = x; r = sub_group_non_uniform_scan_inclusive_max(r) + r - 1; }",
     product_of},
    {"cl_khr_subgroup_extended_types", "r = sub_group_reduce_add((uchar)x);", narrow_of},
    {"cl_khr_extended_bit_ops", "r = bitfield_insert(x, 5, 8u, 3u);", bits_of},
    {"cl_khr_integer_dot_product",
     "r = dot((char4)((char)x), (char4)(-3)) + dot_acc_sat((uchar4)(1, 1, 1, 1), (uchar4)(1), 3u);",
     dot_of},
    {"cl_ext_float_atomics",
     "local float sum; if (x == 1) { sum = 0; } barrier(CLK_LOCAL_MEM_FENCE);"
     "atomic_fetch_add_explicit((volatile local atomic_float *)&sum, 3.0f, memory_order_relaxed, "
     "memory_scope_work_group); barrier(CLK_LOCAL_MEM_FENCE); r = x == 1 ? (int)sum : 0;",
     sum_of},
    {"cl_intel_subgroups", "r = intel_sub_group_shuffle_xor(x, 1u);", xor_of},
    {"cl_intel_subgroups_char", "r = intel_sub_group_block_read_uc((const global uchar *)in);",
     byte_of},
    {"cl_intel_subgroups_short", "r = intel_sub_group_shuffle_xor((short)x, 1u);", xor_of},
    {"cl_intel_subgroups_long", "r = (int)intel_sub_group_block_read_ul((const global ulong *)in);",
     long_of},
    {"cl_intel_subgroup_local_block_io",
     "local uint part[16]; part[x - 1] = x; sub_group_barrier(CLK_LOCAL_MEM_FENCE);"
     "r = intel_sub_group_block_read((const local uint *)part);",
     own_of},
};

/* Each extension that adds functions to OpenCL C is listed, and its functions work. in[i] is i. */
static void functions_of_kernels_work(void **state)
{
    struct cl *cl = *state;
    const size_t count = sizeof(rows) / sizeof(rows[0]), items = ITEMS;
    char extensions[4096], source[sizeof(rows) / sizeof(rows[0]) * 1024], name[16];
    int in[2 * ITEMS], out[ITEMS];
    size_t length = 0;
    cl_int error;
    for (int i = 0; i < 2 * ITEMS; i++) {
        in[i] = i;
    }
    cl_mem input = clCreateBuffer(cl->context, CL_MEM_COPY_HOST_PTR, sizeof(in), in, &error);
    cl_mem output = cl_ints(cl, ITEMS);
    assert_cl(CL_SUCCESS, clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS, sizeof(extensions),
                                          extensions, NULL));
    for (size_t k = 0; k < count; k++) {
        assert_non_null(strstr(extensions, rows[k].extension));
        length +=
            (size_t)snprintf(source + length, sizeof(source) - length,
                             "#ifdef %s\n"
                             "__attribute__((intel_reqd_sub_group_size(16)))\n"
                             "kernel void f%zu(global int *out, const global uint *in)\n"
                             "{ int i = get_global_id(0), r, x = i + 1; %s out[i] = r; }\n#endif\n",
                             rows[k].extension, k, rows[k].statement);
    }
    cl_program program = cl_program_build(cl, source, "-cl-std=CL3.0");
    for (size_t k = 0; k < count; k++) {
        snprintf(name, sizeof(name), "f%zu", k);
        cl_kernel kernel = cl_kernel_of(program, name, output);
        assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof(input), &input));
        assert_cl(CL_SUCCESS, clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &items, &items, 0,
                                                     NULL, NULL));
        assert_cl(CL_SUCCESS, clEnqueueReadBuffer(cl->queue, output, CL_TRUE, 0, sizeof(out), out,
                                                  0, NULL, NULL));
        for (int i = 0; i < ITEMS; i++) {
            if (out[i] != rows[k].value(i)) {
                fail_msg("%s: work-item %d has %d, not %d", rows[k].statement, i, out[i],
                         rows[k].value(i));
            }
        }
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    clReleaseMemObject(input);
    clReleaseMemObject(output);
}

/* A feature of OpenCL C is a macro that a program can test. Features of the language exist since
 * OpenCL C 3.0. Features of an extension exist in every version, as the extension does. */
static void features_are_macros(void **state)
{
    struct cl *cl = *state;
    cl_name_version features[64];
    size_t bytes, length = 0;
    char source[64 * 128];
    assert_cl(CL_SUCCESS, clGetDeviceInfo(cl->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(features),
                                          features, &bytes));
    for (size_t i = 0; i < bytes / sizeof(features[0]); i++) {
        length += (size_t)snprintf(source + length, sizeof(source) - length,
                                   "#ifndef %s\n#error absent\n#endif\n", features[i].name);
    }
    snprintf(source + length, sizeof(source) - length, "kernel void f(global int *a) {}\n");
    clReleaseProgram(cl_program_build(cl, source, "-cl-std=CL3.0"));
    clReleaseProgram(
        cl_program_build(cl,
                         "#ifdef __opencl_c_generic_address_space\n#error\n#endif\n"
                         "#ifndef __opencl_c_integer_dot_product_input_4x8bit\n#error\n#endif\n"
                         "kernel void f(global int *a) { a[0] = 1; }\n",
                         "-cl-std=CL1.2"));
}

/* The suggestion divides the range and obeys the kernel. It is the size of a launch without one. */
static void work_group_sizes_are_suggested(void **state)
{
    struct cl *cl = *state;
    const size_t global[2] = {96, 50};
    size_t local[3] = {0, 0, 77};
    cl_mem buffer = cl_ints(cl, 96 * 50);
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest =
        (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(
            cl->platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    cl_program program = cl_program_build(
        cl,
        "kernel void f(global int *a)\n"
        "{ a[get_global_linear_id()] = get_local_size(0) * 10000 + get_local_size(1); }\n"
        "__attribute__((reqd_work_group_size(8, 2, 1)))\n"
        "kernel void fixed(global int *a) { a[0] = 1; }\n",
        "-cl-std=CL3.0");
    cl_kernel kernel = cl_kernel_of(program, "f", NULL);
    cl_kernel fixed = cl_kernel_of(program, "fixed", buffer);
    assert_non_null(suggest);
    assert_cl(CL_INVALID_KERNEL_ARGS, suggest(cl->queue, kernel, 2, NULL, global, local));
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    assert_cl(CL_INVALID_COMMAND_QUEUE, suggest(NULL, kernel, 2, NULL, global, local));
    assert_cl(CL_INVALID_KERNEL, suggest(cl->queue, NULL, 2, NULL, global, local));
    assert_cl(CL_INVALID_WORK_DIMENSION, suggest(cl->queue, kernel, 4, NULL, global, local));
    assert_cl(CL_INVALID_GLOBAL_WORK_SIZE, suggest(cl->queue, kernel, 2, NULL, NULL, local));
    assert_cl(CL_INVALID_VALUE, suggest(cl->queue, kernel, 2, NULL, global, NULL));
    assert_cl(CL_SUCCESS, suggest(cl->queue, kernel, 2, NULL, global, local));
    assert_int_equal(local[2], 77);
    assert_int_equal(global[0] % local[0], 0);
    assert_int_equal(global[1] % local[1], 0);
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 0), local[0] * 10000 + local[1]);
    assert_cl(CL_SUCCESS, suggest(cl->queue, fixed, 2, NULL, global, local));
    assert_int_equal(local[0], 8);
    assert_int_equal(local[1], 2);
    clReleaseKernel(kernel);
    clReleaseKernel(fixed);
    clReleaseProgram(program);
    clReleaseMemObject(buffer);
}

/* Queues take hints. Values that are none are refused. */
static void queues_take_hints(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    const cl_queue_properties good[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
                                        CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_HIGH_KHR, 0};
    const cl_queue_properties bad[][3] = {
        {CL_QUEUE_PRIORITY_KHR, 3, 0},
        {CL_QUEUE_THROTTLE_KHR, 0, 0},
    };
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(cl->context, cl->device, good, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS, clFinish(queue));
    clReleaseCommandQueue(queue);
    for (int i = 0; i < 2; i++) {
        assert_null(clCreateCommandQueueWithProperties(cl->context, cl->device, bad[i], &error));
        assert_cl(CL_INVALID_VALUE, error);
    }
}

/* The capabilities agree with the features. */
static void capabilities_are_told(void **state)
{
    struct cl *cl = *state;
    cl_device_integer_dot_product_capabilities_khr dots = 0;
    cl_device_integer_dot_product_acceleration_properties_khr fast;
    cl_bitfield adds = 0;
    assert_cl(CL_SUCCESS,
              clGetDeviceInfo(cl->device, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR,
                              sizeof(dots), &dots, NULL));
    assert_int_equal(dots, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR |
                               CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR);
    assert_cl(CL_SUCCESS,
              clGetDeviceInfo(cl->device,
                              CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
                              sizeof(fast), &fast, NULL));
    assert_true(fast.unsigned_accelerated);
    assert_false(fast.accumulating_saturating_signed_accelerated);
    assert_cl(CL_SUCCESS, clGetDeviceInfo(cl->device, 0x4231, sizeof(adds), &adds, NULL));
    assert_int_equal(adds & (1 << 1 | 1 << 17), 1 << 1 | 1 << 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CL_CASE(functions_of_kernels_work),      CL_CASE(features_are_macros),
        CL_CASE(work_group_sizes_are_suggested), CL_CASE(queues_take_hints),
        CL_CASE(capabilities_are_told),
    };
    return cmocka_run_group_tests_name("extensions", tests, NULL, NULL);
}
