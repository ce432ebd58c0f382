/* Tracers while other threads are in calls: calls in flight are held in the driver by gates, so
 * that nothing here depends on how fast anybody is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"
#include "forks.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_NS = 20000000 };

/* One call, in a thread of its own. */
struct call {
    pthread_t thread;
    sem_t arrived, leave; /* in the driver */
    atomic_uint prologues, epilogues;
    void *kept;
};

static ze_result_t driver_waits(ze_context_handle_t context, void *ptr)
{
    struct call *call = ptr;
    (void)context;
    sem_post(&call->arrived);
    while (sem_wait(&call->leave) != 0) {
    }
    return ZE_RESULT_SUCCESS;
}

static void ZE_APICALL prologue(ze_mem_free_params_t *params, ze_result_t result, void *user,
                                void **instance)
{
    struct call *call = *params->pptr;
    (void)result;
    (void)user;
    call->prologues++;
    *instance = call;
}

static void ZE_APICALL epilogue(ze_mem_free_params_t *params, ze_result_t result, void *user,
                                void **instance)
{
    struct call *call = *params->pptr;
    (void)result;
    (void)user;
    call->kept = *instance;
    call->epilogues++;
}

static void *call_run(void *argument)
{
    traced_free(argument);
    return NULL;
}

/* Begins a call and returns when it is in the driver. */
static void call_begin(struct call *call)
{
    sem_init(&call->arrived, 0, 0);
    sem_init(&call->leave, 0, 0);
    call->prologues = call->epilogues = 0;
    call->kept = NULL;
    assert_int_equal(pthread_create(&call->thread, NULL, call_run, call), 0);
    while (sem_wait(&call->arrived) != 0) {
    }
}

static void call_end(struct call *call)
{
    sem_post(&call->leave);
    assert_int_equal(pthread_join(call->thread, NULL), 0);
}

static int begin(void **state)
{
    (void)state;
    driver_free = driver_waits;
    return 0;
}

/* --- cases --- */

/* TRC-4 */
static void switching_changes_nothing_for_calls_under_way(void **state)
{
    (void)state;
    static struct call before, during;
    zel_tracer_handle_t tracer = tracer_create(NULL, prologue, epilogue);
    call_begin(&before);
    tracer_enable(tracer, true);
    call_begin(&during);
    tracer_enable(tracer, false);
    call_end(&before);
    call_end(&during);
    assert_int_equal(before.prologues, 0);
    assert_int_equal(before.epilogues, 0);
    assert_int_equal(during.prologues, 1);
    assert_int_equal(during.epilogues, 1);
    tracer_end(tracer);
}

/* TRC-3 */
static void each_call_has_data_of_its_own(void **state)
{
    (void)state;
    static struct call calls[8];
    zel_tracer_handle_t tracer = tracer_create(NULL, prologue, epilogue);
    tracer_enable(tracer, true);
    for (size_t i = 0; i < 8; i++)
        call_begin(&calls[i]);
    for (size_t i = 0; i < 8; i++)
        call_end(&calls[i]);
    for (size_t i = 0; i < 8; i++)
        assert_ptr_equal(calls[i].kept, &calls[i]);
    tracer_end(tracer);
}

static void ZE_APICALL other_epilogue(ze_mem_free_params_t *params, ze_result_t result, void *user,
                                      void **instance)
{
    (void)params;
    (void)result;
    (void)instance;
    ++*(unsigned *)user;
}

/* TRC-7: while calls go by an enabled tracer its callbacks cannot be changed; while they still do
 * by one that was disabled, only later calls are concerned. */
static void callbacks_change_for_no_call_under_way(void **state)
{
    (void)state;
    static struct call call, later;
    unsigned others = 0;
    zel_tracer_handle_t tracer = tracer_create(&others, prologue, epilogue);
    tracer_enable(tracer, true);
    call_begin(&call);
    assert_int_equal(
        zelTracerMemFreeRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, other_epilogue),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    tracer_enable(tracer, false);
    assert_int_equal(
        zelTracerMemFreeRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, other_epilogue),
        ZE_RESULT_SUCCESS);
    tracer_enable(tracer, true);
    call_begin(&later);
    call_end(&later);
    call_end(&call);
    assert_int_equal(call.epilogues, 1);
    assert_int_equal(later.epilogues, 0);
    assert_int_equal(others, 1);
    tracer_end(tracer);
}

struct destroyer {
    zel_tracer_handle_t tracer;
    const struct call *call;
    atomic_bool done;
    bool epilogue_ran; /* when zelTracerDestroy returned */
    ze_result_t result;
};

static void *destroyer_run(void *argument)
{
    struct destroyer *destroyer = argument;
    destroyer->result = zelTracerDestroy(destroyer->tracer);
    destroyer->epilogue_ran = destroyer->call->epilogues == 1;
    atomic_store(&destroyer->done, true);
    return NULL;
}

/* TRC-5 */
static void destroying_waits_for_the_calls_that_go_by_the_tracer(void **state)
{
    (void)state;
    static struct call call;
    pthread_t thread;
    struct destroyer destroyer = {.tracer = tracer_create(NULL, prologue, epilogue), .call = &call};
    tracer_enable(destroyer.tracer, true);
    call_begin(&call);
    tracer_enable(destroyer.tracer, false);
    assert_int_equal(pthread_create(&thread, NULL, destroyer_run, &destroyer), 0);
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    assert_false(atomic_load(&destroyer.done));
    call_end(&call);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(destroyer.result, ZE_RESULT_SUCCESS);
    assert_true(destroyer.epilogue_ran);
}

/* TRC-5: neither those that began before it was enabled nor those after it was disabled. */
static void destroying_waits_for_no_other_calls(void **state)
{
    (void)state;
    static struct call before, after;
    zel_tracer_handle_t tracer = tracer_create(NULL, prologue, epilogue);
    zel_tracer_handle_t other = tracer_create(NULL, prologue, epilogue);
    tracer_enable(other, true);
    call_begin(&before);
    tracer_enable(tracer, true);
    tracer_enable(tracer, false);
    call_begin(&after);
    assert_int_equal(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
    call_end(&before);
    call_end(&after);
    assert_int_equal(before.epilogues, 1);
    assert_int_equal(after.epilogues, 1);
    tracer_end(other);
}

static sem_t held, go_on;

static void ZE_APICALL holding_prologue(ze_mem_free_params_t *params, ze_result_t result,
                                        void *user, void **instance)
{
    prologue(params, result, user, instance);
    sem_post(&held);
    while (sem_wait(&go_on) != 0) {
    }
}

/* TRC-2 */
static void a_prologue_may_hold_a_call_back(void **state)
{
    (void)state;
    static struct call call;
    zel_tracer_handle_t tracer = tracer_create(NULL, holding_prologue, epilogue);
    const unsigned calls = driver_calls;
    sem_init(&held, 0, 0);
    sem_init(&go_on, 0, 0);
    sem_init(&call.arrived, 0, 0);
    sem_init(&call.leave, 0, 1);
    tracer_enable(tracer, true);
    assert_int_equal(pthread_create(&call.thread, NULL, call_run, &call), 0);
    while (sem_wait(&held) != 0) {
    }
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    assert_int_equal(driver_calls, calls);
    sem_post(&go_on);
    assert_int_equal(pthread_join(call.thread, NULL), 0);
    assert_int_equal(driver_calls, calls + 1);
    tracer_end(tracer);
}

static void ZE_APICALL ending_epilogue(ze_mem_free_params_t *params, ze_result_t result, void *user,
                                       void **instance)
{
    epilogue(params, result, user, instance);
    if (user)
        pthread_exit(NULL);
}

/* A later thread takes over what it left. */
static void a_thread_may_end_in_a_callback(void **state)
{
    (void)state;
    static struct call call;
    char any;
    zel_tracer_handle_t ending = tracer_create(&any, prologue, ending_epilogue);
    tracer_enable(ending, true);
    call_begin(&call);
    call_end(&call);
    tracer_end(ending); /* would wait for it */
    zel_tracer_handle_t tracer = tracer_create(NULL, prologue, epilogue);
    tracer_enable(tracer, true);
    call_begin(&call);
    call_end(&call);
    assert_int_equal(call.epilogues, 1);
    tracer_end(tracer);
}

/* In the child nobody is in a call. */
static void the_child_of_a_fork_waits_for_nobody_of_its_parent(void **state)
{
    (void)state;
    static struct call call;
    int status = -1;
    zel_tracer_handle_t tracer = tracer_create(NULL, prologue, epilogue);
    tracer_enable(tracer, true);
    call_begin(&call);
    tracer_enable(tracer, false);
    const pid_t child = fork();
    if (child == 0)
        _exit(zelTracerDestroy(tracer) != ZE_RESULT_SUCCESS);
    call_end(&call);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tracer_end(tracer);
}

/* A call in the child goes by the tracer, as long as it is enabled there. */
static bool child_traces(zel_tracer_handle_t tracer)
{
    static struct call own;
    driver_free = NULL;
    bool good = traced_free(&own) == ZE_RESULT_SUCCESS && own.prologues == 1 &&
                own.epilogues == 1 && zelTracerSetEnabled(tracer, false) == ZE_RESULT_SUCCESS;
    good = good && traced_free(&own) == ZE_RESULT_SUCCESS && own.prologues == 1;
    return good && zelTracerSetEnabled(tracer, true) == ZE_RESULT_SUCCESS &&
           traced_free(&own) == ZE_RESULT_SUCCESS && own.epilogues == 2;
}

/* The thread whose call is in flight stays in the parent. */
static void an_enabled_tracer_serves_parent_and_child_of_a_fork(void **state)
{
    (void)state;
    static struct call under_way, later;
    int status = -1;
    zel_tracer_handle_t tracer = tracer_create(NULL, prologue, epilogue);
    tracer_enable(tracer, true);
    call_begin(&under_way);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); /* a child that hangs does not hold up the test */
        const bool good = child_traces(tracer) &&
                          zelTracerSetEnabled(tracer, false) == ZE_RESULT_SUCCESS &&
                          zelTracerDestroy(tracer) == ZE_RESULT_SUCCESS;
        _exit(!good);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    call_end(&under_way);
    assert_int_equal(under_way.epilogues, 1);
    call_begin(&later); /* what the child has switched does not concern the parent */
    call_end(&later);
    assert_int_equal(later.prologues, 1);
    assert_int_equal(later.epilogues, 1);
    tracer_end(tracer);
}

static atomic_bool switching;

static void *switches_run(void *tracer)
{
    while (atomic_load(&switching)) {
        zelTracerSetEnabled(tracer, true);
        zelTracerSetEnabled(tracer, false);
    }
    return NULL;
}

/* The lock of the list of tracers is free in the child, wherever another thread was. */
static void a_fork_waits_for_threads_that_switch_tracers(void **state)
{
    (void)state;
    static struct call own;
    pthread_t thread;
    if (!forks_beside_threads_work())
        skip();
    zel_tracer_handle_t other = tracer_create(NULL, prologue, epilogue);
    zel_tracer_handle_t tracer = tracer_create(NULL, prologue, epilogue);
    driver_free = NULL;
    atomic_store(&switching, true);
    assert_int_equal(pthread_create(&thread, NULL, switches_run, other), 0);
    for (int i = 0; i < 50; i++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            const bool good = zelTracerSetEnabled(tracer, true) == ZE_RESULT_SUCCESS &&
                              traced_free(&own) == ZE_RESULT_SUCCESS && own.epilogues >= 1;
            _exit(!good);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&switching, false);
    assert_int_equal(pthread_join(thread, NULL), 0);
    tracer_end(other);
    tracer_end(tracer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(switching_changes_nothing_for_calls_under_way, begin),
        cmocka_unit_test_setup(each_call_has_data_of_its_own, begin),
        cmocka_unit_test_setup(callbacks_change_for_no_call_under_way, begin),
        cmocka_unit_test_setup(destroying_waits_for_the_calls_that_go_by_the_tracer, begin),
        cmocka_unit_test_setup(destroying_waits_for_no_other_calls, begin),
        cmocka_unit_test_setup(a_prologue_may_hold_a_call_back, begin),
        cmocka_unit_test_setup(a_thread_may_end_in_a_callback, begin),
        cmocka_unit_test_setup(the_child_of_a_fork_waits_for_nobody_of_its_parent, begin),
        cmocka_unit_test_setup(an_enabled_tracer_serves_parent_and_child_of_a_fork, begin),
        cmocka_unit_test_setup(a_fork_waits_for_threads_that_switch_tracers, begin),
    };
    return cmocka_run_group_tests(tests, driver_wrap, NULL);
}
