/* Tracers made, enabled, disabled and destroyed without pause while other threads call, threads
 * come and go, and the process forks. What must hold at any moment: no callback runs for a tracer
 * that is destroyed, and none of its prologues is left without its epilogue. Bounded by work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

enum {
    CALLERS = 4,
    MAKERS = 3,
    ROUNDS = 300, /* of each maker */
    SWITCHES = 3, /* of each round */
    FORKS = 40,
};

/* What a tracer's callbacks look at; gone when the tracer is. */
struct box {
    atomic_bool alive;
    atomic_int inside;
};

static atomic_bool stop;
static atomic_uint wrong, traced;

static void ZE_APICALL prologue(ze_mem_free_params_t *params, ze_result_t result, void *user,
                                void **instance)
{
    struct box *box = user;
    (void)params;
    (void)result;
    wrong += !atomic_load(&box->alive) || *instance;
    box->inside++;
    *instance = box;
    traced_free(NULL);
}

static void ZE_APICALL epilogue(ze_mem_free_params_t *params, ze_result_t result, void *user,
                                void **instance)
{
    struct box *box = user;
    (void)params;
    (void)result;
    wrong += !atomic_load(&box->alive) || *instance != box;
    box->inside--;
    traced++;
}

static void *caller_run(void *unused)
{
    while (!atomic_load(&stop))
        traced_free(unused);
    return NULL;
}

static void *visitor_run(void *unused)
{
    for (int i = 0; i < 50; i++)
        traced_free(unused);
    return NULL;
}

static void round_run(void)
{
    pthread_t visitor;
    struct box *box = calloc(1, sizeof(*box));
    zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC, .pUserData = box};
    zel_tracer_handle_t tracer = NULL;
    if (!box || zelTracerCreate(&desc, &tracer) != ZE_RESULT_SUCCESS)
        abort();
    atomic_store(&box->alive, true);
    wrong += zelTracerMemFreeRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, prologue) != 0;
    wrong += zelTracerMemFreeRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, epilogue) != 0;
    for (int i = 0; i < SWITCHES; i++) {
        wrong += zelTracerSetEnabled(tracer, 1) != ZE_RESULT_SUCCESS;
        traced_free(NULL);
        wrong += zelTracerSetEnabled(tracer, 0) != ZE_RESULT_SUCCESS;
    }
    wrong += zelTracerDestroy(tracer) != ZE_RESULT_SUCCESS;
    wrong += atomic_load(&box->inside) != 0;
    atomic_store(&box->alive, false);
    free(box);
    if (pthread_create(&visitor, NULL, visitor_run, NULL) == 0)
        pthread_join(visitor, NULL);
}

static void *maker_run(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        round_run();
    return unused;
}

/* A tracer in the child of this moment works and ends. */
static void child_run(void)
{
    round_run();
    _exit(atomic_load(&wrong) != 0);
}

static void forks_run(void)
{
    for (int i = 0; i < FORKS; i++) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0)
            child_run();
        wrong += waitpid(child, &status, 0) != child || status != 0;
    }
}

static void tracers_come_and_go_while_threads_call(void **state)
{
    (void)state;
    pthread_t callers[CALLERS], makers[MAKERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, caller_run, NULL), 0);
    for (int i = 0; i < MAKERS; i++)
        assert_int_equal(pthread_create(&makers[i], NULL, maker_run, NULL), 0);
#if !defined(SANITIZED) /* which is not to be forked with threads in it */
    forks_run();
#else
    (void)forks_run;
#endif
    for (int i = 0; i < MAKERS; i++)
        assert_int_equal(pthread_join(makers[i], NULL), 0);
    atomic_store(&stop, true);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_join(callers[i], NULL), 0);
    assert_int_equal(wrong, 0);
    assert_true(traced > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracers_come_and_go_while_threads_call),
    };
    return cmocka_run_group_tests(tests, driver_wrap, NULL);
}
