/* Tests of buffers, mapping, shared virtual memory and unified shared memory. */
#include "harness.h"

#include <string.h>

static void buffer_arguments_are_checked(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    int word = 0;
    assert_null(clCreateBuffer(cl->context, 0, 0, NULL, &error));
    assert_cl(CL_INVALID_BUFFER_SIZE, error);
    assert_null(clCreateBuffer(cl->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &error));
    assert_cl(CL_INVALID_VALUE, error);
    assert_null(clCreateBuffer(cl->context, CL_MEM_USE_HOST_PTR, 4, NULL, &error));
    assert_cl(CL_INVALID_HOST_PTR, error);
    assert_null(clCreateBuffer(cl->context, 0, 4, &word, &error));
    assert_cl(CL_INVALID_HOST_PTR, error);
    cl_mem buffer = clCreateBuffer(cl->context, CL_MEM_HOST_NO_ACCESS, 16, NULL, &error);
    assert_cl(CL_INVALID_OPERATION,
              clEnqueueReadBuffer(cl->queue, buffer, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
    assert_cl(CL_INVALID_VALUE,
              clEnqueueReadBuffer(cl->queue, buffer, CL_TRUE, 13, 4, &word, 0, NULL, NULL));
    assert_cl(CL_INVALID_VALUE,
              clEnqueueFillBuffer(cl->queue, buffer, &word, 3, 0, 3, 0, NULL, NULL));
    assert_cl(CL_MEM_COPY_OVERLAP,
              clEnqueueCopyBuffer(cl->queue, buffer, buffer, 0, 2, 4, 0, NULL, NULL));
    clReleaseMemObject(buffer);
}

static void sub_buffers_share_memory(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    cl_mem buffer = cl_ints(cl, 128), sub;
    const cl_buffer_region region = {256, 64}, odd = {4, 64}, outside = {512, 4};
    const int value = 9;
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &error));
    assert_cl(CL_MISALIGNED_SUB_BUFFER_OFFSET, error);
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &error));
    assert_cl(CL_INVALID_VALUE, error);
    sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    assert_cl(CL_SUCCESS, error);
    assert_null(clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    assert_cl(CL_INVALID_MEM_OBJECT, error);
    assert_cl(CL_SUCCESS,
              clEnqueueFillBuffer(cl->queue, sub, &value, sizeof(value), 0, 64, 0, NULL, NULL));
    clReleaseMemObject(sub);
    assert_int_equal(cl_int_read(cl, buffer, 63), 0);
    assert_int_equal(cl_int_read(cl, buffer, 64), 9);
    assert_int_equal(cl_int_read(cl, buffer, 79), 9);
    assert_int_equal(cl_int_read(cl, buffer, 80), 0);
    clReleaseMemObject(buffer);
}

static void boxes_have_pitches(void **state)
{
    struct cl *cl = *state;
    unsigned char from[4 * 8 * 2], to[3 * 2 * 2];
    const size_t origin[3] = {1, 2, 0}, zero[3] = {0, 0, 0}, region[3] = {3, 2, 2};
    const size_t close[3] = {2, 1, 0};
    for (size_t i = 0; i < sizeof(from); i++) {
        from[i] = (unsigned char)i;
    }
    cl_mem buffer = clCreateBuffer(cl->context, CL_MEM_COPY_HOST_PTR, sizeof(from), from, NULL);
    assert_cl(CL_SUCCESS, clEnqueueReadBufferRect(cl->queue, buffer, CL_TRUE, origin, zero, region,
                                                  8, 32, 0, 0, to, 0, NULL, NULL));
    for (size_t z = 0; z < 2; z++) {
        for (size_t y = 0; y < 2; y++) {
            for (size_t x = 0; x < 3; x++) {
                assert_int_equal(to[z * 6 + y * 3 + x], z * 32 + (y + 2) * 8 + x + 1);
            }
        }
    }
    assert_cl(CL_INVALID_VALUE, clEnqueueReadBufferRect(cl->queue, buffer, CL_TRUE, origin, zero,
                                                        region, 8, 60, 0, 0, to, 0, NULL, NULL));
    assert_cl(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(cl->queue, buffer, buffer, zero, close,
                                                           region, 8, 32, 8, 32, 0, NULL, NULL));
    clReleaseMemObject(buffer);
}

static void fills_take_all_patterns(void **state)
{
    struct cl *cl = *state;
    unsigned char pattern[128], out[512];
    cl_mem buffer = clCreateBuffer(cl->context, 0, sizeof(out), NULL, NULL);
    for (size_t i = 0; i < sizeof(pattern); i++) {
        pattern[i] = (unsigned char)(3 * i + 1);
    }
    for (size_t bytes = 1; bytes <= sizeof(pattern); bytes *= 2) {
        assert_cl(CL_SUCCESS, clEnqueueFillBuffer(cl->queue, buffer, pattern, bytes, 0, sizeof(out),
                                                  0, NULL, NULL));
        assert_cl(CL_SUCCESS, clEnqueueReadBuffer(cl->queue, buffer, CL_TRUE, 0, sizeof(out), out,
                                                  0, NULL, NULL));
        for (size_t i = 0; i < sizeof(out); i++) {
            assert_int_equal(out[i], pattern[i % bytes]);
        }
    }
    clReleaseMemObject(buffer);
}

static void maps_are_counted(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    cl_uint count;
    int word = 3, *at;
    cl_mem buffer = cl_ints(cl, 4);
    cl_mem own = clCreateBuffer(cl->context, CL_MEM_USE_HOST_PTR, sizeof(word), &word, &error);
    assert_cl(CL_SUCCESS, error);
    at = clEnqueueMapBuffer(cl->queue, own, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error);
    assert_cl(CL_SUCCESS, error);
    assert_ptr_equal(at, &word);
    assert_cl(CL_SUCCESS, clEnqueueUnmapMemObject(cl->queue, own, at, 0, NULL, NULL));
    at = clEnqueueMapBuffer(cl->queue, buffer, CL_TRUE, CL_MAP_WRITE, 4, 4, 0, NULL, NULL, &error);
    assert_cl(CL_SUCCESS, error);
    *at = 11;
    assert_cl(CL_SUCCESS,
              clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
    assert_int_equal(count, 1);
    assert_cl(CL_INVALID_VALUE, clEnqueueUnmapMemObject(cl->queue, buffer, &count, 0, NULL, NULL));
    assert_cl(CL_SUCCESS, clEnqueueUnmapMemObject(cl->queue, buffer, at, 0, NULL, NULL));
    assert_cl(CL_INVALID_VALUE, clEnqueueUnmapMemObject(cl->queue, buffer, at, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 1), 11);
    clReleaseMemObject(own);
    clReleaseMemObject(buffer);
}

static char order[8];

static void CL_CALLBACK push(cl_mem memory, void *data)
{
    (void)memory;
    strcat(order, data);
}

static void destructors_run_last_first(void **state)
{
    struct cl *cl = *state;
    cl_mem buffer = cl_ints(cl, 4);
    assert_cl(CL_SUCCESS, clSetMemObjectDestructorCallback(buffer, push, (void *)(uintptr_t)"A"));
    assert_cl(CL_SUCCESS, clSetMemObjectDestructorCallback(buffer, push, (void *)(uintptr_t)"B"));
    assert_cl(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(buffer, NULL, NULL));
    clReleaseMemObject(buffer);
    assert_string_equal(order, "BA");
}

static void svm_is_shared_with_kernels(void **state)
{
    struct cl *cl = *state;
    const size_t count = 16;
    cl_program program = cl_program_build(
        cl, "kernel void up(global int *at) { at[get_global_id(0)] += 5; }", "-cl-std=CL2.0");
    cl_kernel kernel = cl_kernel_of(program, "up", NULL);
    int *at = clSVMAlloc(cl->context, CL_MEM_READ_WRITE, count * sizeof(int), 0);
    int one = 1;
    assert_non_null(at);
    assert_null(clSVMAlloc(cl->context, CL_MEM_READ_WRITE, 0, 0));
    assert_null(clSVMAlloc(cl->context, CL_MEM_READ_WRITE, 4, 3));
    assert_cl(CL_SUCCESS, clEnqueueSVMMemFill(cl->queue, at, &one, sizeof(one), count * sizeof(int),
                                              0, NULL, NULL));
    assert_cl(CL_SUCCESS, clSetKernelArgSVMPointer(kernel, 0, at));
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    assert_cl(CL_SUCCESS, clEnqueueSVMMap(cl->queue, CL_TRUE, CL_MAP_READ, at, 4, 0, NULL, NULL));
    assert_int_equal(at[0], 6);
    assert_int_equal(at[count - 1], 6);
    assert_cl(CL_SUCCESS, clEnqueueSVMUnmap(cl->queue, at, 0, NULL, NULL));
    assert_cl(CL_MEM_COPY_OVERLAP,
              clEnqueueSVMMemcpy(cl->queue, CL_TRUE, at, at + 1, 8, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clEnqueueSVMFree(cl->queue, 1, (void *[]){at}, NULL, NULL, 0, NULL, NULL));
    assert_cl(CL_SUCCESS, clFinish(cl->queue));
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void unified_memory_has_three_kinds(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    int word = 21, back = 0;
#define FUNCTION(name)                                                                             \
    name##_fn name = (name##_fn)clGetExtensionFunctionAddressForPlatform(cl->platform, #name)
    FUNCTION(clHostMemAllocINTEL);
    FUNCTION(clDeviceMemAllocINTEL);
    FUNCTION(clSharedMemAllocINTEL);
    FUNCTION(clMemFreeINTEL);
    FUNCTION(clGetMemAllocInfoINTEL);
    FUNCTION(clEnqueueMemcpyINTEL);
#undef FUNCTION
    void *memories[] = {
        clHostMemAllocINTEL(cl->context, NULL, 64, 0, &error),
        clDeviceMemAllocINTEL(cl->context, cl->device, NULL, 64, 0, &error),
        clSharedMemAllocINTEL(cl->context, cl->device, NULL, 64, 0, &error),
    };
    const cl_unified_shared_memory_type_intel types[] = {
        CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_DEVICE_INTEL, CL_MEM_TYPE_SHARED_INTEL};
    for (int i = 0; i < 3; i++) {
        cl_unified_shared_memory_type_intel type = 0;
        void *base = NULL;
        assert_non_null(memories[i]);
        assert_cl(CL_SUCCESS,
                  clGetMemAllocInfoINTEL(cl->context, (char *)memories[i] + 8,
                                         CL_MEM_ALLOC_TYPE_INTEL, sizeof(type), &type, NULL));
        assert_int_equal(type, types[i]);
        assert_cl(CL_SUCCESS,
                  clGetMemAllocInfoINTEL(cl->context, (char *)memories[i] + 8,
                                         CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof(base), &base, NULL));
        assert_ptr_equal(base, memories[i]);
        assert_cl(CL_SUCCESS, clEnqueueMemcpyINTEL(cl->queue, CL_FALSE, memories[i], &word,
                                                   sizeof(word), 0, NULL, NULL));
        assert_cl(CL_SUCCESS, clEnqueueMemcpyINTEL(cl->queue, CL_TRUE, &back, memories[i],
                                                   sizeof(back), 0, NULL, NULL));
        assert_int_equal(back, word++);
        assert_cl(CL_SUCCESS, clMemFreeINTEL(cl->context, memories[i]));
    }
    assert_null(clDeviceMemAllocINTEL(cl->context, NULL, NULL, 64, 0, &error));
    assert_cl(CL_INVALID_DEVICE, error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CL_CASE(buffer_arguments_are_checked),
        CL_CASE(sub_buffers_share_memory),
        CL_CASE(boxes_have_pitches),
        CL_CASE(fills_take_all_patterns),
        CL_CASE(maps_are_counted),
        CL_CASE(destructors_run_last_first),
        CL_CASE(svm_is_shared_with_kernels),
        CL_CASE(unified_memory_has_three_kinds),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
