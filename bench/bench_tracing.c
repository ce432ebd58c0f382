/* Measures what the tracing layer adds to a call, with any loader that has one. Prints three lines:
 * "tracing off NS", "tracing idle NS" (with the layer, without a tracer) and "tracing tracer NS"
 * (with one tracer of two callbacks that count). Each is the best of several rounds that take
 * turns. */
#include <stdio.h>
#include <time.h>

#include <level_zero/layers/zel_tracing_register_cb.h>
#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>

enum { CALLS = 300000, ROUNDS = 15 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void ZE_APICALL count_begin(ze_event_query_status_params_t *params, ze_result_t result,
                                   void *user, void **instance)
{
    (void)params;
    (void)result;
    ++*(unsigned long *)user;
    *instance = user;
}

static void ZE_APICALL count_end(ze_event_query_status_params_t *params, ze_result_t result,
                                 void *user, void **instance)
{
    (void)params;
    (void)result;
    *(unsigned long *)user += *instance == user;
}

static void time_calls(ze_event_handle_t event, double *least)
{
    const double start = now_ns();
    for (int i = 0; i < CALLS; i++)
        zeEventQueryStatus(event);
    const double ns = (now_ns() - start) / CALLS;
    *least = ns < *least ? ns : *least;
}

static ze_event_handle_t event_make(void)
{
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                            .count = 1};
    const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    uint32_t count = 1;
    ze_driver_handle_t driver = NULL;
    ze_context_handle_t context = NULL;
    ze_event_pool_handle_t pool = NULL;
    ze_event_handle_t event = NULL;
    return zeInit(0) == ZE_RESULT_SUCCESS && zeDriverGet(&count, &driver) == ZE_RESULT_SUCCESS &&
                   zeContextCreate(driver, &context_desc, &context) == ZE_RESULT_SUCCESS &&
                   zeEventPoolCreate(context, &pool_desc, 0, NULL, &pool) == ZE_RESULT_SUCCESS &&
                   zeEventCreate(pool, &event_desc, &event) == ZE_RESULT_SUCCESS
               ? event
               : NULL;
}

static zel_tracer_handle_t tracer_make(unsigned long *count)
{
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC, .pUserData = count};
    zel_tracer_handle_t tracer = NULL;
    if (zelTracerCreate(&desc, &tracer) != ZE_RESULT_SUCCESS)
        return NULL;
    zelTracerEventQueryStatusRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, count_begin);
    zelTracerEventQueryStatusRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, count_end);
    return tracer;
}

int main(void)
{
    unsigned long count = 0;
    double off = 1e9, idle = 1e9, traced = 1e9;
    ze_event_handle_t event = event_make();
    zel_tracer_handle_t tracer = event ? tracer_make(&count) : NULL;
    if (!tracer) {
        fprintf(stderr, "bench_tracing: cannot set up an event and a tracer\n");
        return 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        time_calls(event, &off);
        zelEnableTracingLayer();
        time_calls(event, &idle);
        zelTracerSetEnabled(tracer, 1);
        time_calls(event, &traced);
        zelTracerSetEnabled(tracer, 0);
        zelDisableTracingLayer();
    }
    if (count != 2ul * CALLS * ROUNDS) {
        fprintf(stderr, "bench_tracing: the tracer saw %lu of %lu\n", count, 2ul * CALLS * ROUNDS);
        return 1;
    }
    printf("tracing off %.3f\ntracing idle %.3f\ntracing tracer %.3f\n", off, idle, traced);
    return 0;
}
