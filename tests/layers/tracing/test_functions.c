/* Every function through the tracing layer: this program is the loader above it and the driver
 * below it, both made from the registry (tests/tracing.inc). Arguments are invented: bytes that
 * tell function and place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "layers/layer.h"

#include <geoid/tracing.h>
#include <level_zero/layers/zel_tracing_ddi.h>

typedef void (*any_fn)(void);
typedef ze_result_t(ZE_APICALL *table_getter)(ze_api_version_t version, void *table);

static struct geo_ddi_table_set wrapped; /* what the layer made of the driver's tables */
static unsigned seen_prologues, seen_epilogues, driver_calls;
static enum geo_ddi_function_id current;
static bool change; /* the prologue gives other arguments */

/* --- invented values --- */

/* The layer looks into the arguments of one function itself: these are null. */
static unsigned char byte_of(enum geo_ddi_function_id id, size_t param, bool changed)
{
    if (id == GEO_DDI_FN_zeDriverGetExtensionProperties)
        return 0;
    return (unsigned char)(1 + (id * 7u + param * 31u + (changed ? 101u : 0u)) % 250);
}

static void value_invent(enum geo_ddi_function_id id, size_t param, void *to, bool changed)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[id]);
    memset(to, byte_of(id, param, changed), params[param].size);
}

static void arguments_invent(enum geo_ddi_function_id id, void *const *arguments)
{
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++)
        value_invent(id, i, arguments[i], false);
}

/* What is const by value may not be changed: its structure of parameters says so. */
static bool is_fixed(const struct geo_ddi_param *param)
{
    return param->depth == 0 && strncmp(param->type, "const ", 6) == 0;
}

static void arguments_check(enum geo_ddi_function_id id, void *const *arguments, bool changed)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[id]);
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++) {
        unsigned char expected[256];
        assert_true(params[i].size <= sizeof(expected));
        value_invent(id, i, expected, changed && !is_fixed(&params[i]));
        if (memcmp(arguments[i], expected, params[i].size) != 0)
            fail_msg("%s: argument %zu", geo_ddi_functions[id].name, i);
    }
}

/* What the driver answers: of the size of what the function returns. */
static uint64_t answer_of(enum geo_ddi_function_id id, size_t size)
{
    const uint64_t answer = 0x1122334455660000u + id;
    return size == sizeof(uint64_t) ? answer : (uint32_t)answer;
}

/* --- the driver --- */

static void driver_called(enum geo_ddi_function_id id, void *const *arguments, void *answer,
                          size_t size)
{
    assert_int_equal(id, current);
    driver_calls++;
    arguments_check(id, arguments, change);
    const uint64_t value = answer_of(id, size);
    memcpy(answer, &value, size);
}

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wuninitialized"
#endif
#include "tests/callers.inc"
#include "tests/driver_side.inc"
#include "tests/tracing.inc" /* registrations: NULL for zes and zet */

/* --- the tracers --- */

static char user_data;
static char instance_data;

static size_t answer_size(enum geo_ddi_function_id id)
{
    return geo_ddi_functions[id].returns == GEO_DDI_RETURNS_HANDLE ? sizeof(void *)
                                                                   : sizeof(uint32_t);
}

static void prologue_check(void *params, void *user, void **instance)
{
    void *const *arguments = params;
    seen_prologues++;
    assert_ptr_equal(user, &user_data);
    assert_null(*instance);
    *instance = &instance_data;
    arguments_check(current, arguments, false);
    const struct geo_ddi_param *known = geo_ddi_function_params(&geo_ddi_functions[current]);
    for (size_t i = 0; change && i < geo_ddi_functions[current].param_count; i++) {
        if (!is_fixed(&known[i]))
            value_invent(current, i, arguments[i], true);
    }
}

static void epilogue_check(void *params, uint64_t result, void *user, void **instance)
{
    seen_epilogues++;
    assert_ptr_equal(user, &user_data);
    assert_ptr_equal(*instance, &instance_data);
    assert_true(result == answer_of(current, answer_size(current)));
    arguments_check(current, params, change);
}

static void ZE_APICALL typed_prologue(void *params, uint64_t result, void *user, void **instance)
{
    (void)result;
    prologue_check(params, user, instance);
}

static void ZE_APICALL typed_epilogue(void *params, uint64_t result, void *user, void **instance)
{
    const bool handle = geo_ddi_functions[current].returns == GEO_DDI_RETURNS_HANDLE;
    epilogue_check(params, handle ? result : (uint32_t)result, user, instance);
}

static void ZE_APICALL general_prologue(const geoid_traced_call_t *call, void *user,
                                        void **instance)
{
    assert_int_equal(call->index, current);
    assert_string_equal(call->function, geo_ddi_functions[current].name);
    prologue_check(call->params, user, instance);
}

static void ZE_APICALL general_epilogue(const geoid_traced_call_t *call, void *user,
                                        void **instance)
{
    uint64_t result = 0;
    memcpy(&result, call->result, answer_size(current));
    epilogue_check(call->params, result, user, instance);
}

/* All registering functions as one type. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static ze_result_t register_typed(any_fn registration, zel_tracer_handle_t tracer,
                                  zel_tracer_reg_t when, any_fn callback)
{
    return ((ze_result_t(ZE_APICALL *)(zel_tracer_handle_t, zel_tracer_reg_t, any_fn))registration)(
        tracer, when, callback);
}

#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static int wrap(void **state)
{
    (void)state;
    wrapped = driver_tables;
    for (int id = 0; id < GEO_DDI_TABLE_COUNT; id++) {
        void *table = geo_ddi_table_of(&wrapped, (enum geo_ddi_table_id)id);
        if (getters[id](ZE_API_VERSION_CURRENT, table) != ZE_RESULT_SUCCESS)
            return -1;
    }
    return 0;
}

static zel_tracer_handle_t tracer_create(void)
{
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC,
                                    .pUserData = &user_data};
    zel_tracer_handle_t tracer = NULL;
    assert_int_equal(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    return tracer;
}

static void tracer_end(zel_tracer_handle_t tracer)
{
    assert_int_equal(zelTracerSetEnabled(tracer, 0), ZE_RESULT_SUCCESS);
    assert_int_equal(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
}

static bool is_layers_own(enum geo_ddi_function_id id)
{
    return strncmp(geo_ddi_functions[id].name, "zetTracerExp", 12) == 0;
}

/* Calls a function; whoever listens is told so many times. */
static void function_call(enum geo_ddi_function_id id, unsigned times)
{
    uint64_t answer = 0;
    current = id;
    seen_prologues = seen_epilogues = driver_calls = 0;
    callers[id](&answer);
    if (seen_prologues != times || seen_epilogues != times || driver_calls != 1)
        fail_msg("%s: %u prologues, %u epilogues, %u calls", geo_ddi_functions[id].name,
                 seen_prologues, seen_epilogues, driver_calls);
    assert_true(answer == answer_of(id, answer_size(id)));
}

static void all_call(unsigned times, bool typed_only)
{
    size_t count = 0;
    for (int id = 0; id < GEO_DDI_FUNCTION_COUNT; id++) {
        if (is_layers_own((enum geo_ddi_function_id)id) || (typed_only && !registrations[id]))
            continue;
        function_call((enum geo_ddi_function_id)id, times);
        count++;
    }
    assert_true(count >= 240);
}

/* --- cases --- */

static void typed_register(zel_tracer_handle_t tracer, any_fn prologue, any_fn epilogue)
{
    for (size_t id = 0; id < GEO_DDI_FUNCTION_COUNT; id++) {
        if (!registrations[id])
            continue;
        assert_int_equal(register_typed(registrations[id], tracer, ZEL_REGISTER_PROLOGUE, prologue),
                         ZE_RESULT_SUCCESS);
        assert_int_equal(register_typed(registrations[id], tracer, ZEL_REGISTER_EPILOGUE, epilogue),
                         ZE_RESULT_SUCCESS);
    }
}

/* TRC-3 */
static void each_callback_gets_the_arguments_of_its_function(void **state)
{
    (void)state;
    zel_tracer_handle_t tracer = tracer_create();
    typed_register(tracer, (any_fn)typed_prologue, (any_fn)typed_epilogue);
    assert_int_equal(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    change = false;
    all_call(1, true);
    tracer_end(tracer);
    all_call(0, true);
}

/* TRC-2 */
static void what_a_prologue_changes_is_passed_on(void **state)
{
    (void)state;
    zel_tracer_handle_t tracer = tracer_create();
    typed_register(tracer, (any_fn)typed_prologue, (any_fn)typed_epilogue);
    assert_int_equal(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    change = true;
    all_call(1, true);
    change = false;
    tracer_end(tracer);
}

static void one_form_of_callback_serves_every_function(void **state)
{
    (void)state;
    zel_tracer_handle_t tracer = tracer_create();
    assert_int_equal(
        geoidTracerRegisterCallback(tracer, NULL, ZEL_REGISTER_PROLOGUE, general_prologue),
        ZE_RESULT_SUCCESS);
    assert_int_equal(
        geoidTracerRegisterCallback(tracer, NULL, ZEL_REGISTER_EPILOGUE, general_epilogue),
        ZE_RESULT_SUCCESS);
    assert_int_equal(
        geoidTracerRegisterCallback(tracer, "zeNoSuch", ZEL_REGISTER_PROLOGUE, general_prologue),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    all_call(1, false);
    change = true;
    all_call(1, false);
    change = false;
    tracer_end(tracer);
    all_call(0, false);
}

static void callbacks_are_taken_back_one_by_one_and_all_at_once(void **state)
{
    (void)state;
    zel_tracer_handle_t tracer = tracer_create();
    typed_register(tracer, (any_fn)typed_prologue, (any_fn)typed_epilogue);
    typed_register(tracer, NULL, NULL);
    assert_int_equal(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    all_call(0, true);
    assert_int_equal(zelTracerSetEnabled(tracer, 0), ZE_RESULT_SUCCESS);
    typed_register(tracer, (any_fn)typed_prologue, (any_fn)typed_epilogue);
    assert_int_equal(zelTracerResetAllCallbacks(tracer), ZE_RESULT_SUCCESS);
    assert_int_equal(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    all_call(0, true);
    tracer_end(tracer);
}

/* The tables of version 1.0: each pointer belongs to the function of its place. */
static void callback_tables_reach_their_functions(void **state)
{
    (void)state;
    any_fn prologues[GEO_DDI_CALLBACK_COUNT], epilogues[GEO_DDI_CALLBACK_COUNT];
    zel_tracer_handle_t tracer = tracer_create();
    bool listed[GEO_DDI_FUNCTION_COUNT] = {false};
    for (size_t i = 0; i < GEO_DDI_CALLBACK_COUNT; i++) {
        prologues[i] = (any_fn)typed_prologue;
        epilogues[i] = (any_fn)typed_epilogue;
        listed[geo_ddi_callbacks[i]] = true;
    }
    assert_int_equal(zelTracerSetPrologues(tracer, (zel_core_callbacks_t *)(void *)prologues),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(zelTracerSetEpilogues(tracer, (zel_core_callbacks_t *)(void *)epilogues),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(zelTracerSetEnabled(tracer, 1), ZE_RESULT_SUCCESS);
    for (int id = 0; id < GEO_DDI_FUNCTION_COUNT; id++) {
        if (!is_layers_own((enum geo_ddi_function_id)id))
            function_call((enum geo_ddi_function_id)id, listed[id] ? 1 : 0);
    }
    tracer_end(tracer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_callback_gets_the_arguments_of_its_function),
        cmocka_unit_test(what_a_prologue_changes_is_passed_on),
        cmocka_unit_test(one_form_of_callback_serves_every_function),
        cmocka_unit_test(callbacks_are_taken_back_one_by_one_and_all_at_once),
        cmocka_unit_test(callback_tables_reach_their_functions),
    };
    return cmocka_run_group_tests(tests, wrap, NULL);
}
