/* Tests of platforms, devices, contexts, queues and samplers as objects. */
#include "harness.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

static void platforms_and_devices_are_found(void **state)
{
    struct cl *cl = *state;
    char text[1024];
    cl_uint count = 0;
    cl_platform_id platform;
    assert_cl(CL_SUCCESS,
              clGetPlatformInfo(cl->platform, CL_PLATFORM_NAME, sizeof(text), text, NULL));
    assert_non_null(strstr(text, "Geoid"));
    assert_cl(CL_SUCCESS,
              clGetPlatformInfo(cl->platform, CL_PLATFORM_VERSION, sizeof(text), text, NULL));
    assert_memory_equal(text, "OpenCL 3.0 ", 11);
    assert_cl(CL_INVALID_VALUE,
              clGetPlatformInfo(cl->platform, CL_PLATFORM_VERSION, 3, text, NULL));
    assert_cl(CL_INVALID_VALUE, clGetPlatformInfo(cl->platform, 1, sizeof(text), text, NULL));
    assert_cl(CL_SUCCESS, clGetDeviceIDs(cl->platform, CL_DEVICE_TYPE_GPU, 0, NULL, &count));
    assert_int_equal(count, 1);
    assert_cl(CL_DEVICE_NOT_FOUND,
              clGetDeviceIDs(cl->platform, CL_DEVICE_TYPE_ACCELERATOR, 0, NULL, &count));
    assert_cl(CL_INVALID_DEVICE_TYPE,
              clGetDeviceIDs(cl->platform, (cl_device_type)1 << 40, 0, NULL, &count));
    assert_cl(CL_INVALID_VALUE, clGetDeviceIDs(cl->platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clGetDeviceInfo(cl->device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL));
    assert_ptr_equal(platform, cl->platform);
}

/* Every extension is listed once in both forms. */
static void extensions_have_versions(void **state)
{
    struct cl *cl = *state;
    char text[4096];
    cl_name_version rows[64];
    size_t bytes;
    assert_cl(CL_SUCCESS,
              clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL));
    assert_cl(CL_SUCCESS, clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS_WITH_VERSION,
                                          sizeof(rows), rows, &bytes));
    size_t words = 1;
    for (const char *at = text; *at; at++) {
        words += *at == ' ';
    }
    assert_int_equal(words, bytes / sizeof(rows[0]));
    for (size_t i = 0; i < words; i++) {
        assert_non_null(strstr(text, rows[i].name));
    }
    assert_non_null(strstr(text, "cl_khr_icd"));
}

static void context_arguments_are_checked(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    const cl_context_properties unknown[] = {1234, 0, 0};
    const cl_context_properties no_truth[] = {CL_CONTEXT_INTEROP_USER_SYNC, -1, 0};
    const cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl->platform,
                                          0};
    cl_context_properties read[3];
    size_t bytes;
    cl_uint references;
    assert_null(clCreateContext(NULL, 0, &cl->device, NULL, NULL, &error));
    assert_cl(CL_INVALID_VALUE, error);
    assert_null(clCreateContext(unknown, 1, &cl->device, NULL, NULL, &error));
    assert_cl(CL_INVALID_PROPERTY, error);
    assert_null(clCreateContext(no_truth, 1, &cl->device, NULL, NULL, &error));
    assert_cl(CL_INVALID_PROPERTY, error);
    cl_context context = clCreateContext(good, 1, &cl->device, NULL, NULL, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS,
              clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof(read), read, &bytes));
    assert_int_equal(bytes, sizeof(good));
    assert_memory_equal(read, good, sizeof(good));
    assert_cl(CL_SUCCESS, clRetainContext(context));
    assert_cl(CL_SUCCESS, clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(references),
                                           &references, NULL));
    assert_int_equal(references, 2);
    assert_cl(CL_SUCCESS, clReleaseContext(context));
    assert_cl(CL_SUCCESS, clReleaseContext(context));
}

static void CL_CALLBACK count_call(cl_context context, void *data)
{
    (void)context;
    atomic_fetch_add((_Atomic int *)data, 1);
}

/* A queue holds its context: it is destroyed after the last object in it. */
static void contexts_live_as_long_as_their_objects(void **state)
{
    struct cl *cl = *state;
    _Atomic int calls = 0;
    cl_context context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, NULL);
    assert_cl(CL_SUCCESS, clSetContextDestructorCallback(context, count_call, &calls));
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, cl->device, NULL, NULL);
    assert_non_null(queue);
    assert_cl(CL_SUCCESS, clReleaseContext(context));
    assert_cl(CL_SUCCESS, clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
    assert_cl(CL_SUCCESS, clFinish(queue));
    assert_int_equal(atomic_load(&calls), 0);
    assert_cl(CL_SUCCESS, clReleaseCommandQueue(queue));
    /* The queue's thread may still have to drop the command. */
    for (int i = 0; i < 10000 && atomic_load(&calls) == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(atomic_load(&calls), 1);
}

static void handles_of_another_kind_are_refused(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    assert_cl(CL_INVALID_COMMAND_QUEUE, clFinish((cl_command_queue)(void *)cl->context));
    assert_cl(CL_INVALID_CONTEXT, clRetainContext((cl_context)(void *)cl->queue));
    assert_cl(CL_INVALID_MEM_OBJECT, clReleaseMemObject((cl_mem)(void *)cl->queue));
    assert_cl(CL_INVALID_PROGRAM, clRetainProgram((cl_program)(void *)cl->queue));
    assert_cl(CL_INVALID_KERNEL, clRetainKernel((cl_kernel)(void *)cl->queue));
    assert_cl(CL_INVALID_SAMPLER, clRetainSampler((cl_sampler)(void *)cl->queue));
    assert_cl(CL_INVALID_DEVICE, clRetainDevice((cl_device_id)(void *)cl->queue));
    assert_null(clCreateBuffer((cl_context)(void *)cl->queue, 0, 4, NULL, &error));
    assert_cl(CL_INVALID_CONTEXT, error);
}

static void queue_properties_are_checked(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    const cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES,
                                                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE, 0};
    const cl_queue_properties unknown[] = {1, 1, 0};
    cl_queue_properties read[8];
    size_t bytes;
    assert_null(clCreateCommandQueueWithProperties(cl->context, cl->device, on_device, &error));
    assert_cl(CL_INVALID_QUEUE_PROPERTIES, error);
    assert_null(clCreateCommandQueueWithProperties(cl->context, cl->device, unknown, &error));
    assert_cl(CL_INVALID_VALUE, error);
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(cl->context, cl->device, out_of_order, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS,
              clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(read), read, &bytes));
    assert_int_equal(bytes, sizeof(out_of_order));
    assert_memory_equal(read, out_of_order, bytes);
    assert_cl(CL_SUCCESS, clReleaseCommandQueue(queue));
}

/* oneMKL finds the GPU by these values, which it compares with Level Zero's. */
static void devices_are_those_of_level_zero(void **state)
{
    struct cl *cl = *state;
    cl_uint vendor = 0, clock = 0;
    cl_uchar uuid[CL_UUID_SIZE_KHR] = {0}, none[CL_UUID_SIZE_KHR] = {0};
    size_t bytes;
    assert_cl(CL_SUCCESS,
              clGetDeviceInfo(cl->device, CL_DEVICE_VENDOR_ID, sizeof(vendor), &vendor, NULL));
    assert_cl(CL_SUCCESS, clGetDeviceInfo(cl->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(clock),
                                          &clock, NULL));
    assert_cl(CL_SUCCESS,
              clGetDeviceInfo(cl->device, CL_DEVICE_UUID_KHR, sizeof(uuid), uuid, &bytes));
    assert_int_equal(bytes, sizeof(uuid));
    assert_int_not_equal(vendor, 0);
    assert_int_not_equal(clock, 0);
    assert_memory_not_equal(uuid, none, sizeof(uuid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CL_CASE(platforms_and_devices_are_found),
        CL_CASE(extensions_have_versions),
        CL_CASE(context_arguments_are_checked),
        CL_CASE(contexts_live_as_long_as_their_objects),
        CL_CASE(handles_of_another_kind_are_refused),
        CL_CASE(queue_properties_are_checked),
        CL_CASE(devices_are_those_of_level_zero),
    };
    return cmocka_run_group_tests_name("objects", tests, NULL, NULL);
}
