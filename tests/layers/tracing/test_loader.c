/* The tracing layer in its place, between the loader's functions and drivers: how it gets there,
 * what it sees, what stands beside it. A process per scenario. */
#include "scenario.h"

#include <level_zero/layers/zel_tracing_register_cb.h>
#include <level_zero/loader/ze_loader.h>
#include <level_zero/zet_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ONE_DRIVER  "ZE_ENABLE_ALT_DRIVERS={a}"
#define TWO_DRIVERS "ZE_ENABLE_ALT_DRIVERS={a},{b}"

/* --- a program with a context and a tracer of zeContextGetStatus --- */

static ze_context_handle_t context;
static struct {
    int prologues, epilogues;
    ze_result_t result; /* that the epilogue saw */
    bool takes_context; /* the prologue takes the context away */
} seen;

static void ZE_APICALL status_prologue(ze_context_get_status_params_t *params, ze_result_t result,
                                       void *user, void **instance)
{
    (void)result;
    (void)user;
    (void)instance;
    seen.prologues++;
    if (seen.takes_context)
        *params->phContext = NULL;
}

static void ZE_APICALL status_epilogue(ze_context_get_status_params_t *params, ze_result_t result,
                                       void *user, void **instance)
{
    (void)params;
    (void)user;
    (void)instance;
    seen.epilogues++;
    seen.result = result;
}

static void context_make(void)
{
    uint32_t count = 1;
    ze_driver_handle_t driver = NULL;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
}

static zel_tracer_handle_t tracer_make(void)
{
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
    zel_tracer_handle_t tracer = NULL;
    CHECK_RESULT(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    CHECK_RESULT(
        zelTracerContextGetStatusRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, status_prologue),
        ZE_RESULT_SUCCESS);
    CHECK_RESULT(
        zelTracerContextGetStatusRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, status_epilogue),
        ZE_RESULT_SUCCESS);
    return tracer;
}

static void status_is_traced(bool traced)
{
    seen.prologues = seen.epilogues = 0;
    CHECK_RESULT(zeContextGetStatus(context), ZE_RESULT_SUCCESS);
    CHECK(seen.prologues == (traced ? 1 : 0) && seen.epilogues == seen.prologues);
}

/* --- switching --- */

static void run_time(void)
{
    context_make();
    zel_tracer_handle_t tracer = tracer_make();
    CHECK_RESULT(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    status_is_traced(false);
    CHECK_RESULT(zelEnableTracingLayer(), ZE_RESULT_SUCCESS);
    status_is_traced(true);
    CHECK_RESULT(zelTracerSetEnabled(tracer, 0), ZE_RESULT_SUCCESS);
    status_is_traced(false);
    CHECK_RESULT(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    status_is_traced(true);
    CHECK_RESULT(zelDisableTracingLayer(), ZE_RESULT_SUCCESS);
    status_is_traced(false);
    CHECK_RESULT(zelTracerSetEnabled(tracer, 0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
}

/* TRC-1 */
static void test_tracers_and_layer_are_switched_at_run_time(void **state)
{
    (void)state;
    scenario_passes("run_time", ONE_DRIVER, NULL);
    scenario_passes("run_time", TWO_DRIVERS, NULL);
}

static void from_the_start(void)
{
    bool enabled = false;
    context_make();
    CHECK_RESULT(zelGetTracingLayerState(&enabled), ZE_RESULT_SUCCESS);
    CHECK(enabled);
    zel_tracer_handle_t tracer = tracer_make();
    status_is_traced(false);
    CHECK_RESULT(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    status_is_traced(true);
    CHECK_RESULT(zelDisableTracingLayer(), ZE_RESULT_SUCCESS); /* the environment's wish stays */
    status_is_traced(true);
}

/* TRC-1, ENV-24 */
static void test_the_environment_puts_the_layer_in_place(void **state)
{
    (void)state;
    scenario_passes("from_the_start", ONE_DRIVER, "ZE_ENABLE_TRACING_LAYER=1", NULL);
    scenario_passes("from_the_start", ONE_DRIVER, "ZET_ENABLE_API_TRACING_EXP=1", NULL);
    scenario_passes("run_time", ONE_DRIVER, "ZE_ENABLE_TRACING_LAYER=0", NULL);
}

/* --- before anything is there --- */

static struct {
    int init, drivers, driver_get, device_get;
    uint32_t devices;
} first;

static void ZE_APICALL init_seen(ze_init_params_t *params, ze_result_t result, void *user,
                                 void **instance)
{
    (void)params;
    (void)user;
    (void)instance;
    first.init += result == ZE_RESULT_SUCCESS;
}

static void ZE_APICALL drivers_seen(ze_init_drivers_params_t *params, ze_result_t result,
                                    void *user, void **instance)
{
    (void)user;
    (void)instance;
    first.drivers += result == ZE_RESULT_SUCCESS && **params->ppCount == 1;
}

static void ZE_APICALL driver_get_seen(ze_driver_get_params_t *params, ze_result_t result,
                                       void *user, void **instance)
{
    (void)user;
    (void)instance;
    first.driver_get += result == ZE_RESULT_SUCCESS && **params->ppCount == 1;
}

static void ZE_APICALL device_get_seen(ze_device_get_params_t *params, ze_result_t result,
                                       void *user, void **instance)
{
    (void)user;
    (void)instance;
    first.device_get += result == ZE_RESULT_SUCCESS;
    first.devices = **params->ppCount;
}

static void first_calls(void)
{
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
    zel_tracer_handle_t tracer = NULL;
    ze_driver_handle_t driver = NULL;
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    uint32_t count = 0;
    CHECK_RESULT(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelTracerInitRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, init_seen),
                 ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelTracerInitDriversRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, drivers_seen),
                 ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelTracerDriverGetRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, driver_get_seen),
                 ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelTracerDeviceGetRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, device_get_seen),
                 ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    if (!getenv("ZE_ENABLE_TRACING_LAYER"))
        CHECK_RESULT(zelEnableTracingLayer(), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeInitDrivers(&count, NULL, &types), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK(count == 1 && first.drivers == 1 && first.init == 1);
    CHECK_RESULT(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    CHECK(first.driver_get == 1);
    count = 0;
    CHECK_RESULT(zeDeviceGet(driver, &count, NULL), ZE_RESULT_SUCCESS);
    CHECK(first.device_get == 1 && first.devices == count && count > 0);
}

/* TRC-6 */
static void test_the_first_calls_of_a_program_are_traced(void **state)
{
    (void)state;
    scenario_passes("first_calls", ONE_DRIVER, NULL);
    scenario_passes("first_calls", ONE_DRIVER, "ZE_ENABLE_TRACING_LAYER=1", NULL);
}

/* --- the experimental form --- */

static void experimental(void)
{
    char user;
    zet_tracer_exp_desc_t desc = {.stype = ZET_STRUCTURE_TYPE_TRACER_EXP_DESC};
    zet_core_callbacks_t prologues = {.Context.pfnGetStatusCb = status_prologue};
    zet_core_callbacks_t epilogues = {.Context.pfnGetStatusCb = status_epilogue};
    zet_tracer_exp_handle_t tracer = NULL;
    context_make();
    CHECK_RESULT(zetTracerExpCreate(context, &desc, &tracer),
                 ZE_RESULT_ERROR_INVALID_NULL_POINTER); /* no user data */
    desc.pUserData = &user;
    CHECK_RESULT(zetTracerExpCreate(NULL, &desc, &tracer), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_RESULT(zetTracerExpCreate(context, NULL, &tracer), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zetTracerExpCreate(context, &desc, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zetTracerExpCreate(context, &desc, &tracer), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zetTracerExpSetPrologues(tracer, &prologues), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zetTracerExpSetEpilogues(tracer, &epilogues), ZE_RESULT_SUCCESS);
    status_is_traced(false);
    CHECK_RESULT(zetTracerExpSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    status_is_traced(true);
    CHECK_RESULT(zetTracerExpSetEnabled(tracer, 0), ZE_RESULT_SUCCESS);
    status_is_traced(false);
    CHECK_RESULT(zetTracerExpDestroy(tracer), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zetTracerExpDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

/* TRC-8, TRC-1: whether drivers have it or not. */
static void test_the_experimental_form_works(void **state)
{
    (void)state;
    scenario_passes("experimental", ONE_DRIVER, "ZET_ENABLE_API_TRACING_EXP=1", NULL);
    scenario_passes("experimental", TWO_DRIVERS, "ZE_ENABLE_TRACING_LAYER=1", NULL);
}

/* --- beside validation --- */

static bool is_set(const char *name)
{
    return getenv(name) && strcmp(getenv(name), "1") == 0;
}

static void combination(void)
{
    const bool traced = is_set("ZE_ENABLE_TRACING_LAYER");
    const bool validated = is_set("ZE_ENABLE_VALIDATION_LAYER");
    context_make();
    CHECK_RESULT(zelTracerSetEnabled(tracer_make(), 1), ZE_RESULT_SUCCESS);
    status_is_traced(traced);
    const int calls = fake_state("a")->calls;
    if (traced && validated) { /* it looks at what the prologue made of the call */
        seen.takes_context = true;
        CHECK_RESULT(zeContextGetStatus(context), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        CHECK(seen.prologues == 2 && seen.epilogues == 2);
        CHECK(seen.result == ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    } else if (validated) {
        CHECK_RESULT(zeContextGetStatus(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
    CHECK(fake_state("a")->calls == calls);
}

/* INI-12 */
static void test_tracing_and_validation_in_any_combination(void **state)
{
    (void)state;
    static const char *const tracing[] = {"ZE_ENABLE_TRACING_LAYER=0", "ZE_ENABLE_TRACING_LAYER=1"};
    for (size_t i = 0; i < 2; i++) {
        scenario_passes("combination", ONE_DRIVER, tracing[i], NULL);
        scenario_passes("combination", ONE_DRIVER, tracing[i], "ZE_ENABLE_VALIDATION_LAYER=1",
                        "ZE_ENABLE_PARAMETER_VALIDATION=1", NULL);
    }
}

/* --- at the end --- */

static zel_tracer_handle_t last;

static void tracer_put_away(void)
{
    CHECK_RESULT(zelTracerSetEnabled(last, 0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelTracerDestroy(last), ZE_RESULT_SUCCESS);
    last = NULL;
}

__attribute__((destructor)) static void put_away_check(void)
{
    if (last)
        _Exit(3);
}

/* Registered before the loader registers its own handlers, so called after them. */
static void late_end(void)
{
    CHECK(atexit(tracer_put_away) == 0);
    context_make();
    last = tracer_make();
    CHECK_RESULT(zelTracerSetEnabled(last, 1), ZE_RESULT_SUCCESS);
    status_is_traced(true);
}

static void test_tracers_are_put_away_after_the_drivers(void **state)
{
    (void)state;
    scenario_passes("late_end", "ZE_ENABLE_ALT_DRIVERS={mortal}", "ZE_ENABLE_TRACING_LAYER=1",
                    NULL);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(run_time), S(from_the_start), S(first_calls), S(experimental), S(combination), S(late_end),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tracers_and_layer_are_switched_at_run_time),
        cmocka_unit_test(test_the_environment_puts_the_layer_in_place),
        cmocka_unit_test(test_the_first_calls_of_a_program_are_traced),
        cmocka_unit_test(test_the_experimental_form_works),
        cmocka_unit_test(test_tracing_and_validation_in_any_combination),
        cmocka_unit_test(test_tracers_are_put_away_after_the_drivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
