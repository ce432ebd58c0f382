/* Tests of queues, events, wait lists, callbacks and threads. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static cl_int status_of(cl_event event)
{
    cl_int status = 1234;
    assert_cl(CL_SUCCESS, clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
                                         &status, NULL));
    return status;
}

static cl_command_queue out_of_order(struct cl *cl)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(cl->context, cl->device,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    assert_cl(CL_SUCCESS, error);
    return queue;
}

static void fill(cl_command_queue queue, cl_mem buffer, int value, cl_uint count,
                 const cl_event *events, cl_event *event)
{
    assert_cl(CL_SUCCESS, clEnqueueFillBuffer(queue, buffer, &value, sizeof(value), 0,
                                              sizeof(value), count, events, event));
}

static void commands_wait_for_user_events(void **state)
{
    struct cl *cl = *state;
    cl_mem buffer = cl_ints(cl, 4);
    cl_event user = clCreateUserEvent(cl->context, NULL), done;
    fill(cl->queue, buffer, 7, 1, &user, &done);
    assert_cl(CL_SUCCESS, clFlush(cl->queue));
    assert_true(status_of(done) > CL_COMPLETE);
    assert_cl(CL_INVALID_VALUE, clSetUserEventStatus(user, CL_RUNNING));
    assert_cl(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(CL_INVALID_OPERATION, clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(CL_SUCCESS, clWaitForEvents(1, &done));
    assert_int_equal(status_of(done), CL_COMPLETE);
    assert_int_equal(cl_int_read(cl, buffer, 0), 7);
    clReleaseEvent(user);
    clReleaseEvent(done);
    clReleaseMemObject(buffer);
}

/* Commands of an out-of-order queue do not wait for one that is blocked. */
static void blocked_commands_do_not_hold_up_others(void **state)
{
    struct cl *cl = *state;
    cl_command_queue queue = out_of_order(cl);
    cl_mem buffer = cl_ints(cl, 4);
    cl_event user = clCreateUserEvent(cl->context, NULL), blocked, free_one;
    fill(queue, buffer, 1, 1, &user, &blocked);
    fill(queue, buffer, 2, 0, NULL, &free_one);
    assert_cl(CL_SUCCESS, clWaitForEvents(1, &free_one));
    assert_true(status_of(blocked) > CL_COMPLETE);
    assert_int_equal(cl_int_read(cl, buffer, 0), 2);
    assert_cl(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(CL_SUCCESS, clFinish(queue));
    assert_int_equal(cl_int_read(cl, buffer, 0), 1);
    clReleaseEvent(user);
    clReleaseEvent(blocked);
    clReleaseEvent(free_one);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
}

/* A barrier without a wait list waits for all commands before it, and those after it for it. */
static void barriers_order_an_out_of_order_queue(void **state)
{
    struct cl *cl = *state;
    cl_command_queue queue = out_of_order(cl);
    cl_mem buffer = cl_ints(cl, 4);
    cl_event user = clCreateUserEvent(cl->context, NULL), after, marker;
    fill(queue, buffer, 1, 1, &user, NULL);
    assert_cl(CL_SUCCESS, clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    assert_cl(CL_SUCCESS, clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    fill(queue, buffer, 2, 0, NULL, &after);
    for (int i = 0; i < 20; i++) { /* time in which a command that does not wait would run */
        assert_true(status_of(after) > CL_COMPLETE);
        assert_true(status_of(marker) > CL_COMPLETE);
        usleep(1000);
    }
    assert_cl(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(CL_SUCCESS, clWaitForEvents(1, &after));
    assert_cl(CL_SUCCESS, clFinish(queue));
    assert_int_equal(status_of(marker), CL_COMPLETE);
    assert_int_equal(cl_int_read(cl, buffer, 0), 2);
    clReleaseEvent(user);
    clReleaseEvent(after);
    clReleaseEvent(marker);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
}

static void errors_pass_along_wait_lists(void **state)
{
    struct cl *cl = *state;
    cl_mem buffer = cl_ints(cl, 4);
    cl_event user = clCreateUserEvent(cl->context, NULL), done;
    int value;
    fill(cl->queue, buffer, 7, 1, &user, &done);
    assert_cl(CL_SUCCESS, clSetUserEventStatus(user, -5));
    assert_cl(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &done));
    assert_true(status_of(done) < 0);
    assert_cl(
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        clEnqueueReadBuffer(cl->queue, buffer, CL_TRUE, 0, sizeof(value), &value, 1, &user, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 0), 0);
    clReleaseEvent(user);
    clReleaseEvent(done);
    clReleaseMemObject(buffer);
}

static void CL_CALLBACK count_event(cl_event event, cl_int status, void *data)
{
    (void)event;
    if (status == CL_COMPLETE) {
        atomic_fetch_add((_Atomic int *)data, 1);
    }
}

/* Waits until a callback, which another thread calls, has counted. */
static void count_await(_Atomic int *count, int wanted)
{
    while (atomic_load(count) < wanted) {
        sched_yield();
    }
    assert_int_equal(atomic_load(count), wanted);
}

static void callbacks_are_called_once(void **state)
{
    struct cl *cl = *state;
    _Atomic int calls = 0;
    cl_event user = clCreateUserEvent(cl->context, NULL), done;
    assert_cl(CL_SUCCESS, clEnqueueMarkerWithWaitList(cl->queue, 1, &user, &done));
    assert_cl(CL_INVALID_VALUE, clSetEventCallback(done, CL_QUEUED, count_event, &calls));
    assert_cl(CL_SUCCESS, clSetEventCallback(done, CL_COMPLETE, count_event, &calls));
    assert_int_equal(atomic_load(&calls), 0);
    assert_cl(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    count_await(&calls, 1);
    assert_cl(CL_SUCCESS, clSetEventCallback(done, CL_COMPLETE, count_event, &calls));
    count_await(&calls, 2);
    clReleaseEvent(user);
    clReleaseEvent(done);
}

static void times_ascend(void **state)
{
    struct cl *cl = *state;
    const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong before = 0, now;
    cl_command_queue plain = clCreateCommandQueue(cl->context, cl->device, 0, NULL);
    cl_event event;
    assert_cl(CL_SUCCESS, clEnqueueMarkerWithWaitList(cl->queue, 0, NULL, &event));
    assert_cl(CL_SUCCESS, clFinish(cl->queue));
    for (int i = 0; i < 4; i++) {
        assert_cl(CL_SUCCESS, clGetEventProfilingInfo(event, names[i], sizeof(now), &now, NULL));
        assert_true(now >= before && now != 0);
        before = now;
    }
    clReleaseEvent(event);
    assert_cl(CL_SUCCESS, clEnqueueMarkerWithWaitList(plain, 0, NULL, &event));
    assert_cl(CL_SUCCESS, clFinish(plain));
    assert_cl(CL_PROFILING_INFO_NOT_AVAILABLE,
              clGetEventProfilingInfo(event, names[0], sizeof(now), &now, NULL));
    clReleaseEvent(event);
    clReleaseCommandQueue(plain);
}

static void wait_lists_are_checked(void **state)
{
    struct cl *cl = *state;
    cl_context other = clCreateContext(NULL, 1, &cl->device, NULL, NULL, NULL);
    cl_event foreign = clCreateUserEvent(other, NULL), none = NULL;
    assert_cl(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(cl->queue, 1, NULL, NULL));
    assert_cl(CL_INVALID_EVENT_WAIT_LIST,
              clEnqueueMarkerWithWaitList(cl->queue, 0, &foreign, NULL));
    assert_cl(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(cl->queue, 1, &none, NULL));
    assert_cl(CL_INVALID_CONTEXT, clEnqueueMarkerWithWaitList(cl->queue, 1, &foreign, NULL));
    assert_cl(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
    clReleaseEvent(foreign);
    clReleaseContext(other);
}

/* ---- threads ---- */

#define THREADS  4
#define COMMANDS 200

struct shared {
    struct cl *cl;
    cl_mem buffer;
    cl_kernel kernel;
    cl_command_queue queue;
};

static void *increment_often(void *data)
{
    struct shared *shared = data;
    const size_t one = 1;
    for (int i = 0; i < COMMANDS; i++) {
        cl_event event;
        if (clEnqueueNDRangeKernel(shared->queue, shared->kernel, 1, NULL, &one, NULL, 0, NULL,
                                   &event) != CL_SUCCESS ||
            clWaitForEvents(1, &event) != CL_SUCCESS || clReleaseEvent(event) != CL_SUCCESS) {
            return data;
        }
    }
    return NULL;
}

/* Threads share a kernel and a queue, or have queues of their own. */
static void threads_share_objects(void **state)
{
    struct cl *cl = *state;
    cl_mem buffer = cl_ints(cl, 1);
    cl_program program = cl_program_build(
        cl, "kernel void up(global int *at) { atomic_inc((volatile global int *)at); }", NULL);
    cl_kernel kernel = cl_kernel_of(program, "up", buffer);
    struct shared shared[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        shared[i] = (struct shared){cl, buffer, kernel, cl->queue};
        shared[i].queue = i % 2 ? out_of_order(cl) : cl->queue;
        assert_int_equal(pthread_create(&threads[i], NULL, increment_often, &shared[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
        if (i % 2) {
            clReleaseCommandQueue(shared[i].queue);
        }
    }
    assert_int_equal(cl_int_read(cl, buffer, 0), THREADS * COMMANDS);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(buffer);
}

/* Work in flight holds its queue, memory and kernel. */
static void objects_may_be_released_before_work_ends(void **state)
{
    struct cl *cl = *state;
    cl_mem buffer = cl_ints(cl, 4);
    cl_command_queue queue = out_of_order(cl);
    cl_event user = clCreateUserEvent(cl->context, NULL), done;
    fill(queue, buffer, 5, 1, &user, &done);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    assert_cl(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(CL_SUCCESS, clWaitForEvents(1, &done));
    clReleaseEvent(user);
    clReleaseEvent(done);
}

static void CL_CALLBACK count_destroyed(cl_mem memory, void *count)
{
    (void)memory;
    ++*(int *)count;
}

/* A kernel whose argument is a buffer does not keep it alive. A command that launches it does. */
static void launches_keep_arguments_alive(void **state)
{
    struct cl *cl = *state;
    const size_t one = 1;
    int destroyed = 0;
    cl_event done;
    cl_event user = clCreateUserEvent(cl->context, NULL);
    cl_mem buffer = cl_ints(cl, 4);
    cl_program program = cl_program_build(cl, "kernel void f(global int *a) { a[0] = 1; }", NULL);
    cl_kernel kernel = cl_kernel_of(program, "f", buffer);
    assert_cl(CL_SUCCESS, clSetMemObjectDestructorCallback(buffer, count_destroyed, &destroyed));
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &one, NULL, 1, &user, &done));
    clReleaseMemObject(buffer);
    assert_int_equal(destroyed, 0);
    assert_cl(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    assert_cl(CL_SUCCESS, clWaitForEvents(1, &done));
    assert_cl(CL_SUCCESS, clFinish(cl->queue));
    assert_int_equal(destroyed, 1);
    clReleaseEvent(user);
    clReleaseEvent(done);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CL_CASE(commands_wait_for_user_events),
        CL_CASE(blocked_commands_do_not_hold_up_others),
        CL_CASE(barriers_order_an_out_of_order_queue),
        CL_CASE(errors_pass_along_wait_lists),
        CL_CASE(callbacks_are_called_once),
        CL_CASE(times_ascend),
        CL_CASE(wait_lists_are_checked),
        CL_CASE(threads_share_objects),
        CL_CASE(objects_may_be_released_before_work_ends),
        CL_CASE(launches_keep_arguments_alive),
    };
    return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
