/* A tiny layer over a few functions of a driver that is not there: which slots it wraps, in which
 * order its parts see a call, what they may change, and that a refused call goes no further. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/cancel.h"
#include "layers/layer.h"

/* --- the layer: a counter, a gate, a tracer that sleeps until it is woken --- */

static unsigned counted[GEO_DDI_FUNCTION_COUNT];
static unsigned refusals_seen;
static ze_result_t gate = ZE_RESULT_SUCCESS;
static struct {
    unsigned prologues, epilogues;
    ze_result_t result;
    size_t size;
    void *replacement; /* what the prologue puts into the place of ptr */
} trace;

static bool memory_functions(const struct geo_ddi_function *function)
{
    return strncmp(function->name, "zeMem", 5) == 0 && strcmp(function->name, "zeMemFreeExt") != 0;
}

static ze_result_t count_before(struct geo_layer_call *call, void **scratch)
{
    counted[call->id]++;
    *scratch = call;
    return ZE_RESULT_SUCCESS;
}

static void count_after(struct geo_layer_call *call, void **scratch)
{
    assert_ptr_equal(*scratch, call);
    refusals_seen += call->refused;
}

static ze_result_t gate_before(struct geo_layer_call *call, void **scratch)
{
    (void)call;
    (void)scratch;
    return gate;
}

/* The arguments are the specification's structure of parameters. */
static ze_result_t trace_before(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    trace.prologues++;
    if (call->id == GEO_DDI_FN_zeMemFree && trace.replacement) {
        ze_mem_free_params_t *params = (ze_mem_free_params_t *)(uintptr_t)call->arguments;
        *params->pptr = trace.replacement;
    }
    return ZE_RESULT_SUCCESS;
}

static void trace_after(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    trace.epilogues++;
    trace.result = *(ze_result_t *)call->result;
}

static const struct geo_layer_part counter = {
    .name = "counter", .wants = memory_functions, .before = count_before, .after = count_after};
static const struct geo_layer_part gatekeeper = {
    .name = "gate", .wants = memory_functions, .before = gate_before};
static const struct geo_layer_part tracer = {
    .name = "tracer", .dormant = true, .before = trace_before, .after = trace_after};
const struct geo_layer_part *const geo_layer_parts[] = {&counter, &gatekeeper, &tracer, NULL};
enum { TRACER = 2 }; /* its place */

/* --- the driver --- */

static unsigned driver_calls;
static int driver_state; /* the calling thread's cancellation state */
static void *driver_freed;

static ze_result_t driver_free(ze_context_handle_t hContext, void *ptr)
{
    (void)hContext;
    driver_calls++;
    driver_state = geo_cancel_hold();
    geo_cancel_restore(driver_state);
    driver_freed = ptr;
    return ptr ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

static ze_result_t driver_free_ext(ze_context_handle_t hContext, const ze_memory_free_ext_desc_t *d,
                                   void *ptr)
{
    (void)d;
    return driver_free(hContext, ptr);
}

/* A structure of 64 bytes by value: goes over the stack. */
static char driver_byte;
static ze_result_t driver_open(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                               ze_ipc_mem_handle_t handle, ze_ipc_memory_flags_t flags, void **pptr)
{
    (void)hContext;
    (void)hDevice;
    (void)flags;
    driver_byte = handle.data[63];
    *pptr = &driver_byte;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t driver_set_user_value(zes_overclock_handle_t hDomain,
                                         zes_overclock_control_t control, double value,
                                         zes_pending_action_t *action)
{
    (void)hDomain;
    (void)control;
    *action = (zes_pending_action_t)value;
    return ZE_RESULT_SUCCESS;
}

static ze_context_handle_t driver_default_context(ze_driver_handle_t hDriver)
{
    return (ze_context_handle_t)(void *)hDriver;
}

static ze_mem_dditable_t mem;

static int wrap(void **state)
{
    (void)state;
    memset(counted, 0, sizeof(counted));
    memset(&trace, 0, sizeof(trace));
    refusals_seen = driver_calls = 0;
    gate = ZE_RESULT_SUCCESS;
    mem = (ze_mem_dditable_t){
        .pfnFree = driver_free, .pfnFreeExt = driver_free_ext, .pfnOpenIpcHandle = driver_open};
    return zeGetMemProcAddrTable(ZE_API_VERSION_CURRENT, &mem) == ZE_RESULT_SUCCESS ? 0 : -1;
}

static int unwatch(void **state)
{
    (void)state;
    for (int id = 0; id < GEO_DDI_FUNCTION_COUNT; id++)
        geo_layer_watch(TRACER, (enum geo_ddi_function_id)id, false);
    return 0;
}

/* --- cases --- */

static void calls_are_counted_and_reach_the_driver(void **state)
{
    (void)state;
    int memory;
    assert_int_equal(mem.pfnFree(NULL, &memory), ZE_RESULT_SUCCESS);
    assert_ptr_equal(driver_freed, &memory);
    assert_int_equal(mem.pfnFree(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(counted[GEO_DDI_FN_zeMemFree], 2);
    assert_int_equal(driver_calls, 2);
}

static void structures_by_value_and_outputs_pass(void **state)
{
    (void)state;
    ze_ipc_mem_handle_t handle;
    void *pointer = NULL;
    memset(&handle, 0, sizeof(handle));
    handle.data[63] = 77;
    assert_int_equal(mem.pfnOpenIpcHandle(NULL, NULL, handle, 0, &pointer), ZE_RESULT_SUCCESS);
    assert_ptr_equal(pointer, &driver_byte);
    assert_int_equal(driver_byte, 77);
    assert_int_equal(counted[GEO_DDI_FN_zeMemOpenIpcHandle], 1);
}

static void floating_point_and_other_returns_pass(void **state)
{
    (void)state;
    zes_overclock_dditable_t overclock = {.pfnSetControlUserValue = driver_set_user_value};
    ze_driver_dditable_t driver = {.pfnGetDefaultContext = driver_default_context};
    zes_pending_action_t action = ZES_PENDING_ACTION_PENDING_NONE;
    assert_int_equal(zesGetOverclockProcAddrTable(ZE_API_VERSION_CURRENT, &overclock),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(zeGetDriverProcAddrTable(ZE_API_VERSION_CURRENT, &driver), ZE_RESULT_SUCCESS);
    geo_layer_watch(TRACER, GEO_DDI_FN_zesOverclockSetControlUserValue, true);
    geo_layer_watch(TRACER, GEO_DDI_FN_zeDriverGetDefaultContext, true);
    assert_int_equal(overclock.pfnSetControlUserValue(NULL, ZES_OVERCLOCK_CONTROL_VF, 2.0, &action),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(action, 2);
    assert_ptr_equal(driver.pfnGetDefaultContext((ze_driver_handle_t)(void *)&driver), &driver);
    assert_int_equal(trace.epilogues, 2);
}

static void slots_that_nobody_wants_stay(void **state)
{
    (void)state;
    /* The tracer wants every function, so each has a thunk; empty slots stay empty. */
    assert_ptr_not_equal(mem.pfnFreeExt, driver_free_ext);
    assert_null(mem.pfnAllocDevice);
    int memory;
    assert_int_equal(mem.pfnFreeExt(NULL, NULL, &memory), ZE_RESULT_SUCCESS);
    assert_int_equal(counted[GEO_DDI_FN_zeMemFreeExt], 0);
}

static void watched_calls_hold_off_cancellation(void **state)
{
    (void)state;
    int memory;
    assert_int_equal(mem.pfnFreeExt(NULL, NULL, &memory), ZE_RESULT_SUCCESS); /* not watched */
    assert_int_equal(driver_state, PTHREAD_CANCEL_ENABLE);
    assert_int_equal(mem.pfnFree(NULL, &memory), ZE_RESULT_SUCCESS);
    assert_int_equal(driver_state, PTHREAD_CANCEL_DISABLE);
    assert_int_equal(geo_cancel_hold(), PTHREAD_CANCEL_ENABLE); /* the call restored the state */
    geo_cancel_restore(PTHREAD_CANCEL_ENABLE);
}

static void a_refused_call_goes_no_further(void **state)
{
    (void)state;
    int memory;
    geo_layer_watch(TRACER, GEO_DDI_FN_zeMemFree, true);
    gate = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    assert_int_equal(mem.pfnFree(NULL, &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(driver_calls, 0);
    assert_int_equal(counted[GEO_DDI_FN_zeMemFree], 1);
    assert_int_equal(refusals_seen, 1); /* those before it see the end */
    assert_int_equal(trace.prologues, 0);
    assert_int_equal(trace.epilogues, 0);
}

static void a_tracer_sees_and_changes_arguments_while_it_is_awake(void **state)
{
    (void)state;
    int memory, other;
    mem.pfnFree(NULL, &memory);
    assert_int_equal(trace.prologues, 0);
    geo_layer_watch(TRACER, GEO_DDI_FN_zeMemFree, true);
    trace.replacement = &other;
    mem.pfnFree(NULL, &memory);
    assert_ptr_equal(driver_freed, &other);
    trace.replacement = NULL;
    mem.pfnFree(NULL, NULL);
    assert_int_equal(trace.epilogues, 2);
    assert_int_equal(trace.result, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    geo_layer_watch(TRACER, GEO_DDI_FN_zeMemFree, false);
    mem.pfnFree(NULL, &memory);
    assert_int_equal(trace.prologues, 2);
}

static void only_the_part_of_the_version_is_wrapped(void **state)
{
    (void)state;
    const struct geo_ddi_table *table = &geo_ddi_tables[GEO_DDI_TABLE_ze_Mem];
    const size_t old = geo_ddi_table_size(table, ZE_API_VERSION_1_0);
    unsigned char slots[sizeof(ze_mem_dditable_t)];
    memset(slots, 0xee, sizeof(slots));
    memset(slots, 0, old);
    assert_true(old < sizeof(slots));
    assert_int_equal(zeGetMemProcAddrTable(ZE_API_VERSION_1_0, (void *)slots), ZE_RESULT_SUCCESS);
    for (size_t i = old; i < sizeof(slots); i++)
        assert_int_equal(slots[i], 0xee);
    assert_int_equal(zeGetMemProcAddrTable(ZE_API_VERSION_CURRENT, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeGetMemProcAddrTable((ze_api_version_t)ZE_MAKE_VERSION(2, 0), &mem),
                     ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
}

/* What zelTracerSetPrologues gets is an array of pointers in a known order. */
static void callback_tables_have_an_order(void **state)
{
    (void)state;
    assert_int_equal(sizeof(ze_callbacks_t), GEO_DDI_CALLBACK_COUNT * sizeof(void *));
    assert_int_equal(geo_ddi_callbacks[offsetof(ze_callbacks_t, Mem.pfnFreeCb) / sizeof(void *)],
                     GEO_DDI_FN_zeMemFree);
    assert_int_equal(geo_ddi_callbacks[offsetof(ze_callbacks_t, VirtualMem) / sizeof(void *)],
                     GEO_DDI_FN_zeVirtualMemReserve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(calls_are_counted_and_reach_the_driver, wrap, unwatch),
        cmocka_unit_test_setup_teardown(structures_by_value_and_outputs_pass, wrap, unwatch),
        cmocka_unit_test_setup_teardown(floating_point_and_other_returns_pass, wrap, unwatch),
        cmocka_unit_test_setup_teardown(slots_that_nobody_wants_stay, wrap, unwatch),
        cmocka_unit_test_setup_teardown(watched_calls_hold_off_cancellation, wrap, unwatch),
        cmocka_unit_test_setup_teardown(a_refused_call_goes_no_further, wrap, unwatch),
        cmocka_unit_test_setup_teardown(a_tracer_sees_and_changes_arguments_while_it_is_awake, wrap,
                                        unwatch),
        cmocka_unit_test_setup_teardown(only_the_part_of_the_version_is_wrapped, wrap, unwatch),
        cmocka_unit_test(callback_tables_have_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
