/* Tests of command buffers (cl_khr_command_buffer). */
#include "harness.h"

#include <string.h>

/* Constants and types of the extension, which headers know in different versions. */
#define INVALID_COMMAND_BUFFER       (-1138)
#define INVALID_SYNC_POINT_WAIT_LIST (-1139)
#define FLAGS                        0x1293
#define QUEUES                       0x1294
#define REFERENCE_COUNT              0x1296
#define STATE                        0x1297
#define PROPERTIES_ARRAY             0x1298
#define CONTEXT                      0x1299

typedef struct _cl_command_buffer_khr *buffer_t;
typedef struct _cl_mutable_command_khr **handle_t;
typedef const cl_properties *properties_t;
typedef cl_uint point_t;

static struct {
    buffer_t (*create)(cl_uint, const cl_command_queue *, properties_t, cl_int *);
    cl_int (*finalize)(buffer_t);
    cl_int (*retain)(buffer_t);
    cl_int (*release)(buffer_t);
    cl_int (*enqueue)(cl_uint, cl_command_queue *, buffer_t, cl_uint, const cl_event *, cl_event *);
    cl_int (*info)(buffer_t, cl_uint, size_t, void *, size_t *);
    cl_int (*barrier)(buffer_t, cl_command_queue, properties_t, cl_uint, const point_t *, point_t *,
                      handle_t);
    cl_int (*copy)(buffer_t, cl_command_queue, properties_t, cl_mem, cl_mem, size_t, size_t, size_t,
                   cl_uint, const point_t *, point_t *, handle_t);
    cl_int (*fill)(buffer_t, cl_command_queue, properties_t, cl_mem, const void *, size_t, size_t,
                   size_t, cl_uint, const point_t *, point_t *, handle_t);
    cl_int (*svm_copy)(buffer_t, cl_command_queue, properties_t, void *, const void *, size_t,
                       cl_uint, const point_t *, point_t *, handle_t);
    cl_int (*kernel)(buffer_t, cl_command_queue, properties_t, cl_kernel, cl_uint, const size_t *,
                     const size_t *, const size_t *, cl_uint, const point_t *, point_t *, handle_t);
} cb;

static int functions_find(void **state)
{
    static const char *const names[] = {
        "clCreateCommandBufferKHR",        "clFinalizeCommandBufferKHR",
        "clRetainCommandBufferKHR",        "clReleaseCommandBufferKHR",
        "clEnqueueCommandBufferKHR",       "clGetCommandBufferInfoKHR",
        "clCommandBarrierWithWaitListKHR", "clCommandCopyBufferKHR",
        "clCommandFillBufferKHR",          "clCommandSVMMemcpyKHR",
        "clCommandNDRangeKernelKHR",
    };
    struct cl *cl;
    void *found[sizeof(names) / sizeof(names[0])];
    if (cl_setup(state) != 0) {
        return -1;
    }
    cl = *state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        found[i] = clGetExtensionFunctionAddressForPlatform(cl->platform, names[i]);
        assert_non_null(found[i]);
    }
    memcpy(&cb, found, sizeof(cb));
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, functions_find, cl_teardown)

static buffer_t buffer_of(struct cl *cl)
{
    cl_int error;
    buffer_t buffer = cb.create(1, &cl->queue, NULL, &error);
    assert_cl(CL_SUCCESS, error);
    return buffer;
}

static const char source[] = "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }\n"
                             "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n";

/* A recorded sequence runs in its order, each time on the memory as it is then. Values of arguments
 * are those of the time of recording. */
static void commands_run_again(void **state)
{
    struct cl *cl = *state;
    const size_t items = 1024;
    cl_mem from = cl_ints(cl, items), to = cl_ints(cl, items);
    cl_program program = cl_program_build(cl, source, NULL);
    cl_kernel add = cl_kernel_of(program, "add", from),
              twice = cl_kernel_of(program, "twice", from);
    buffer_t buffer = buffer_of(cl);
    point_t points[3];
    assert_cl(CL_SUCCESS, clSetKernelArg(add, 1, sizeof(int), &(int){3}));
    assert_cl(CL_SUCCESS,
              cb.kernel(buffer, NULL, NULL, add, 1, NULL, &items, NULL, 0, NULL, &points[0], NULL));
    assert_cl(CL_SUCCESS, clSetKernelArg(add, 1, sizeof(int), &(int){100}));
    assert_cl(CL_SUCCESS, cb.kernel(buffer, NULL, NULL, twice, 1, NULL, &items, NULL, 1, points,
                                    &points[1], NULL));
    assert_cl(CL_SUCCESS, cb.barrier(buffer, NULL, NULL, 0, NULL, &points[2], NULL));
    assert_cl(CL_SUCCESS, cb.copy(buffer, NULL, NULL, from, to, 0, 0, items * sizeof(int), 3,
                                  points, NULL, NULL));
    clReleaseKernel(add);
    clReleaseKernel(twice);
    clReleaseProgram(program); /* the command buffer keeps them */
    assert_cl(CL_SUCCESS, clFinish(cl->queue));
    assert_int_equal(cl_int_read(cl, from, 0), 0); /* recording runs nothing */
    assert_cl(CL_SUCCESS, cb.finalize(buffer));
    int expected = 0;
    for (int round = 0; round < 5; round++) {
        assert_cl(CL_SUCCESS, cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
        expected = (expected + 3) * 2;
        assert_int_equal(cl_int_read(cl, to, items - 1), expected);
    }
    assert_cl(CL_SUCCESS, cb.release(buffer));
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}

/* The command that runs a command buffer waits for events, and has an event of its own. The
 * command buffer may be released meanwhile. */
static void runs_wait_for_events(void **state)
{
    struct cl *cl = *state;
    const int seven = 7;
    cl_int error, status;
    cl_event run;
    cl_command_type type;
    cl_mem memory = cl_ints(cl, 16);
    buffer_t buffer = buffer_of(cl);
    assert_cl(CL_SUCCESS, cb.fill(buffer, NULL, NULL, memory, &seven, sizeof(seven), 0, 64, 0, NULL,
                                  NULL, NULL));
    assert_cl(CL_SUCCESS, cb.finalize(buffer));
    cl_event user = clCreateUserEvent(cl->context, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS, cb.enqueue(0, NULL, buffer, 1, &user, &run));
    assert_cl(CL_SUCCESS, cb.enqueue(0, NULL, buffer, 0, NULL, NULL)); /* again, in flight */
    assert_cl(CL_SUCCESS, cb.release(buffer));
    assert_cl(CL_SUCCESS, clGetEventInfo(run, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, 0x12A8);
    assert_cl(CL_SUCCESS, clGetEventInfo(run, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
                                         &status, NULL));
    assert_int_not_equal(status, CL_COMPLETE);
    assert_cl(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(CL_SUCCESS, clWaitForEvents(1, &run));
    assert_int_equal(cl_int_read(cl, memory, 15), 7);
    clReleaseEvent(user);
    clReleaseEvent(run);
    clReleaseMemObject(memory);
}

/* The pattern of a fill, here the longest, is that of the time of recording. */
static void patterns_are_recorded(void **state)
{
    struct cl *cl = *state;
    int pattern[32], out[32 * 9];
    cl_mem memory = cl_ints(cl, 32 * 9);
    buffer_t buffer = buffer_of(cl);
    for (int i = 0; i < 32; i++) {
        pattern[i] = i * i;
    }
    assert_cl(CL_SUCCESS, cb.fill(buffer, NULL, NULL, memory, pattern, sizeof(pattern), 0,
                                  sizeof(out), 0, NULL, NULL, NULL));
    memset(pattern, 0, sizeof(pattern));
    assert_cl(CL_SUCCESS, cb.finalize(buffer));
    assert_cl(CL_SUCCESS, cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clEnqueueReadBuffer(cl->queue, memory, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < 32 * 9; i++) {
        assert_int_equal(out[i], i % 32 * (i % 32));
    }
    assert_cl(CL_SUCCESS, cb.release(buffer));
    clReleaseMemObject(memory);
}

/* Another queue of the same device may run a command buffer, whatever its properties are. */
static void queues_are_replaced(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    const cl_queue_properties any_order[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_event run;
    cl_command_queue used;
    cl_command_queue other =
        clCreateCommandQueueWithProperties(cl->context, cl->device, any_order, &error);
    int *memory = clSVMAlloc(cl->context, CL_MEM_READ_WRITE, 128, 0);
    buffer_t buffer = buffer_of(cl);
    memory[0] = 5;
    memory[16] = 0;
    assert_cl(CL_SUCCESS,
              cb.svm_copy(buffer, NULL, NULL, memory + 16, memory, 64, 0, NULL, NULL, NULL));
    assert_cl(CL_SUCCESS, cb.finalize(buffer));
    assert_cl(CL_INVALID_VALUE, cb.enqueue(1, NULL, buffer, 0, NULL, NULL));
    assert_cl(CL_SUCCESS, cb.enqueue(1, &other, buffer, 0, NULL, &run));
    assert_cl(CL_SUCCESS, clFinish(other));
    assert_int_equal(memory[16], 5);
    assert_cl(CL_SUCCESS, clGetEventInfo(run, CL_EVENT_COMMAND_QUEUE, sizeof(used), &used, NULL));
    assert_ptr_equal(used, other);
    assert_cl(CL_SUCCESS, cb.release(buffer));
    clReleaseEvent(run);
    clSVMFree(cl->context, memory);
    clReleaseCommandQueue(other);
}

static void states_and_arguments_are_checked(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    const cl_properties mutable[] = {FLAGS, 2, 0}, unknown[] = {FLAGS, 1 << 9, 0};
    const cl_properties none[] = {FLAGS, 0, 0}, something[] = {1, 0};
    cl_properties read[3];
    cl_command_queue queue, queues[2] = {cl->queue, cl->queue};
    cl_context context;
    cl_uint value;
    size_t bytes;
    point_t point;
    cl_mem memory = cl_ints(cl, 16);
    assert_null(cb.create(0, NULL, NULL, &error));
    assert_cl(CL_INVALID_VALUE, error);
    assert_null(cb.create(2, queues, NULL, &error));
    assert_cl(CL_INVALID_VALUE, error);
    assert_null(cb.create(1, &(cl_command_queue){NULL}, NULL, &error));
    assert_cl(CL_INVALID_COMMAND_QUEUE, error);
    assert_null(cb.create(1, &cl->queue, mutable, &error));
    assert_cl(CL_INVALID_PROPERTY, error);
    assert_null(cb.create(1, &cl->queue, unknown, &error));
    assert_cl(CL_INVALID_VALUE, error);
    buffer_t buffer = cb.create(1, &cl->queue, none, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS, cb.info(buffer, QUEUES, sizeof(queue), &queue, NULL));
    assert_ptr_equal(queue, cl->queue);
    assert_cl(CL_SUCCESS, cb.info(buffer, CONTEXT, sizeof(context), &context, NULL));
    assert_ptr_equal(context, cl->context);
    assert_cl(CL_SUCCESS, cb.info(buffer, PROPERTIES_ARRAY, sizeof(read), read, &bytes));
    assert_int_equal(bytes, sizeof(none));
    assert_memory_equal(read, none, bytes);
    assert_cl(CL_SUCCESS, cb.info(buffer, STATE, sizeof(value), &value, NULL));
    assert_int_equal(value, 0);
    assert_cl(CL_INVALID_VALUE, cb.info(buffer, 1, sizeof(value), &value, NULL));
    assert_cl(CL_INVALID_OPERATION, cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
    /* recording */
    assert_cl(CL_INVALID_COMMAND_QUEUE, cb.barrier(buffer, cl->queue, NULL, 0, NULL, NULL, NULL));
    assert_cl(CL_INVALID_VALUE, cb.barrier(buffer, NULL, something, 0, NULL, NULL, NULL));
    assert_cl(CL_INVALID_VALUE, cb.barrier(buffer, NULL, NULL, 0, NULL, NULL,
                                           &(struct _cl_mutable_command_khr *){NULL}));
    assert_cl(INVALID_SYNC_POINT_WAIT_LIST, cb.barrier(buffer, NULL, NULL, 1, NULL, NULL, NULL));
    assert_cl(INVALID_SYNC_POINT_WAIT_LIST,
              cb.barrier(buffer, NULL, NULL, 1, &(point_t){1}, NULL, NULL));
    assert_cl(CL_INVALID_VALUE,
              cb.copy(buffer, NULL, NULL, memory, memory, 0, 100, 8, 0, NULL, NULL, NULL));
    assert_cl(CL_SUCCESS, cb.barrier(buffer, NULL, NULL, 0, NULL, &point, NULL));
    assert_cl(CL_SUCCESS, cb.barrier(buffer, NULL, NULL, 1, &point, NULL, NULL));
    /* executable */
    assert_cl(CL_SUCCESS, cb.finalize(buffer));
    assert_cl(CL_INVALID_OPERATION, cb.finalize(buffer));
    assert_cl(CL_INVALID_OPERATION, cb.barrier(buffer, NULL, NULL, 0, NULL, NULL, NULL));
    assert_cl(CL_SUCCESS, cb.info(buffer, STATE, sizeof(value), &value, NULL));
    assert_int_equal(value, 1);
    assert_cl(CL_SUCCESS, cb.retain(buffer));
    assert_cl(CL_SUCCESS, cb.info(buffer, REFERENCE_COUNT, sizeof(value), &value, NULL));
    assert_int_equal(value, 2);
    assert_cl(CL_SUCCESS, cb.release(buffer));
    assert_cl(CL_SUCCESS, cb.release(buffer));
    assert_cl(INVALID_COMMAND_BUFFER, cb.finalize(NULL));
    assert_cl(INVALID_COMMAND_BUFFER, cb.enqueue(0, NULL, (buffer_t)memory, 0, NULL, NULL));
    clReleaseMemObject(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(commands_run_again),
        CASE(runs_wait_for_events),
        CASE(patterns_are_recorded),
        CASE(queues_are_replaced),
        CASE(states_and_arguments_are_checked),
    };
    return cmocka_run_group_tests_name("command_buffers", tests, NULL, NULL);
}
