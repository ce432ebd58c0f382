/* Tracers in one thread: in which order callbacks run, what they are given, what they may do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "driver.h"

#include <level_zero/ze_ddi.h>
#include <level_zero/zet_api.h>

/* --- a tracer that notes its calls: "a<" for a prologue, "a>" for an epilogue, "." the driver --- */

static char story[64];

struct noter {
    char name;
    ze_result_t before, after; /* the results that it was given */
    void *kept;                /* what the epilogue found */
};

static void note(char who, char what)
{
    const size_t length = strlen(story);
    assert_true(length + 3 < sizeof(story));
    snprintf(story + length, sizeof(story) - length, "%c%c", who, what);
}

static void ZE_APICALL note_prologue(ze_mem_free_params_t *params, ze_result_t result, void *user,
                                     void **instance)
{
    struct noter *noter = user;
    (void)params;
    note(noter->name, '<');
    noter->before = result;
    assert_null(*instance);
    *instance = noter;
}

static void ZE_APICALL note_epilogue(ze_mem_free_params_t *params, ze_result_t result, void *user,
                                     void **instance)
{
    struct noter *noter = user;
    (void)params;
    note(noter->name, '>');
    noter->after = result;
    noter->kept = *instance;
}

static ze_result_t note_driver(ze_context_handle_t context, void *ptr)
{
    (void)context;
    note('.', '.');
    return ptr ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

static int begin(void **state)
{
    (void)state;
    story[0] = '\0';
    driver_free = note_driver;
    return 0;
}

static void said(const char *expected)
{
    assert_string_equal(story, expected);
    story[0] = '\0';
}

/* --- cases --- */

/* TRC-2: those that were enabled first come first, before and after. */
static void prologues_run_before_the_driver_and_epilogues_after_it(void **state)
{
    (void)state;
    struct noter a = {.name = 'a'}, b = {.name = 'b'};
    zel_tracer_handle_t tracer_a = tracer_create(&a, note_prologue, note_epilogue);
    zel_tracer_handle_t tracer_b = tracer_create(&b, note_prologue, note_epilogue);
    tracer_enable(tracer_b, true);
    tracer_enable(tracer_a, true);
    traced_free(&a);
    said("b<a<..b>a>");
    tracer_end(tracer_b);
    traced_free(&a);
    said("a<..a>");
    tracer_end(tracer_a);
    traced_free(&a);
    said("..");
}

/* TRC-3 */
static void callbacks_see_the_result_and_their_own_data(void **state)
{
    (void)state;
    struct noter a = {.name = 'a'}, b = {.name = 'b'};
    zel_tracer_handle_t tracer_a = tracer_create(&a, note_prologue, note_epilogue);
    zel_tracer_handle_t tracer_b = tracer_create(&b, note_prologue, note_epilogue);
    tracer_enable(tracer_a, true);
    tracer_enable(tracer_b, true);
    assert_int_equal(traced_free(NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(a.before, ZE_RESULT_SUCCESS);
    assert_int_equal(a.after, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(b.after, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_ptr_equal(a.kept, &a);
    assert_ptr_equal(b.kept, &b);
    tracer_end(tracer_a);
    tracer_end(tracer_b);
}

/* TRC-3 */
static void callbacks_that_are_null_are_skipped(void **state)
{
    (void)state;
    struct noter a = {.name = 'a'}, b = {.name = 'b'}, none = {.name = 'n'};
    zel_tracer_handle_t tracer_a = tracer_create(&a, note_prologue, NULL);
    zel_tracer_handle_t tracer_none = tracer_create(&none, NULL, NULL);
    zel_tracer_handle_t tracer_b = tracer_create(&b, NULL, note_epilogue);
    tracer_enable(tracer_a, true);
    tracer_enable(tracer_none, true);
    tracer_enable(tracer_b, true);
    traced_free(&a);
    said("a<..b>");
    assert_null(b.kept);
    tracer_end(tracer_a);
    tracer_end(tracer_none);
    tracer_end(tracer_b);
}

/* TRC-4 */
static void a_tracer_is_disabled_until_it_is_enabled(void **state)
{
    (void)state;
    struct noter a = {.name = 'a'};
    zel_tracer_handle_t tracer = tracer_create(&a, note_prologue, note_epilogue);
    traced_free(&a);
    said("..");
    tracer_enable(tracer, true);
    tracer_enable(tracer, true); /* once is enough */
    traced_free(&a);
    said("a<..a>");
    tracer_enable(tracer, false);
    traced_free(&a);
    said("..");
    tracer_end(tracer);
}

static zel_tracer_handle_t switched;
static bool switch_to;

static ze_result_t driver_switches(ze_context_handle_t context, void *ptr)
{
    tracer_enable(switched, switch_to);
    return note_driver(context, ptr);
}

/* TRC-4: as another thread would do it between the two. */
static void an_epilogue_runs_exactly_when_its_prologue_ran(void **state)
{
    (void)state;
    struct noter a = {.name = 'a'}, b = {.name = 'b'};
    zel_tracer_handle_t tracer_a = tracer_create(&a, note_prologue, note_epilogue);
    switched = tracer_create(&b, note_prologue, note_epilogue);
    tracer_enable(tracer_a, true);
    driver_free = driver_switches;
    switch_to = true;
    traced_free(&a);
    said("a<..a>");
    switch_to = false;
    traced_free(&a);
    said("a<b<..a>b>");
    traced_free(&a);
    said("a<..a>");
    tracer_end(tracer_a);
    tracer_end(switched);
}

static void ZE_APICALL calling_prologue(ze_mem_free_params_t *params, ze_result_t result,
                                        void *user, void **instance)
{
    note_prologue(params, result, user, instance);
    assert_int_equal(traced_free(NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(traced_status(), ZE_RESULT_SUCCESS);
}

static void ZE_APICALL calling_epilogue(ze_mem_free_params_t *params, ze_result_t result,
                                        void *user, void **instance)
{
    assert_int_equal(traced_free(user), ZE_RESULT_SUCCESS);
    note_epilogue(params, result, user, instance);
}

/* TRC-2: calls that a callback makes are the driver's, and no tracer sees them. */
static void callbacks_may_add_calls(void **state)
{
    (void)state;
    struct noter a = {.name = 'a'}, b = {.name = 'b'};
    zel_tracer_handle_t tracer_a = tracer_create(&a, calling_prologue, calling_epilogue);
    zel_tracer_handle_t tracer_b = tracer_create(&b, note_prologue, note_epilogue);
    tracer_enable(tracer_a, true);
    tracer_enable(tracer_b, true);
    traced_free(&b);
    said("a<..b<....a>b>");
    assert_int_equal(a.after, ZE_RESULT_SUCCESS);
    traced_free(&b); /* it is over */
    said("a<..b<....a>b>");
    tracer_end(tracer_a);
    tracer_end(tracer_b);
}

static void ZE_APICALL destroying_prologue(ze_mem_free_params_t *params, ze_result_t result,
                                           void *user, void **instance)
{
    note_prologue(params, result, user, instance);
    tracer_enable(switched, false);
    assert_int_equal(zelTracerDestroy(switched), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
}

/* It would wait for itself. */
static void a_tracer_cannot_be_destroyed_in_a_call_that_goes_by_it(void **state)
{
    (void)state;
    struct noter a = {.name = 'a'};
    switched = tracer_create(&a, destroying_prologue, note_epilogue);
    tracer_enable(switched, true);
    traced_free(&a);
    said("a<..a>");
    tracer_end(switched);
}

/* TRC-1 */
static void tracers_have_handles_of_their_own(void **state)
{
    (void)state;
    struct noter a = {.name = 'a'};
    zel_tracer_handle_t first = tracer_create(&a, note_prologue, NULL);
    zel_tracer_handle_t second = tracer_create(&a, NULL, note_epilogue);
    assert_ptr_not_equal(first, second);
    tracer_enable(second, true);
    traced_free(&a);
    said("..a>");
    tracer_end(second);
    tracer_enable(first, true);
    traced_free(&a);
    said("a<..");
    tracer_end(first);
}

/* VAL-6: an enabled tracer stays as it is. */
static void an_enabled_tracer_is_in_use(void **state)
{
    (void)state;
    struct noter a = {.name = 'a'};
    zel_core_callbacks_t callbacks = {0};
    zel_tracer_handle_t tracer = tracer_create(&a, note_prologue, note_epilogue);
    tracer_enable(tracer, true);
    assert_int_equal(zelTracerDestroy(tracer), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_int_equal(zelTracerSetPrologues(tracer, &callbacks), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(zelTracerSetEpilogues(tracer, &callbacks), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(zelTracerResetAllCallbacks(tracer), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(zelTracerMemFreeRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, NULL),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    traced_free(&a);
    said("a<..a>");
    tracer_end(tracer);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
    zel_core_callbacks_t callbacks = {0};
    zel_tracer_handle_t tracer = NULL;
    assert_int_equal(zelTracerCreate(NULL, &tracer), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zelTracerCreate(&desc, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zelTracerDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(zelTracerSetEnabled(NULL, 1), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(zelTracerSetPrologues(NULL, &callbacks), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(zelTracerResetAllCallbacks(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    tracer = tracer_create(NULL, NULL, NULL);
    assert_int_equal(zelTracerSetPrologues(tracer, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zelTracerSetEpilogues(tracer, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zelTracerMemFreeRegisterCallback(tracer, (zel_tracer_reg_t)2, note_prologue),
                     ZE_RESULT_ERROR_INVALID_ENUMERATION);
    tracer_end(tracer);
}

/* More of them than a thread has room for without asking for memory. */
static void many_tracers_keep_their_data_apart(void **state)
{
    (void)state;
    struct noter noters[12];
    zel_tracer_handle_t tracers[12];
    for (size_t i = 0; i < 12; i++) {
        noters[i] = (struct noter){.name = (char)('a' + i)};
        tracers[i] = tracer_create(&noters[i], note_prologue, note_epilogue);
        tracer_enable(tracers[i], true);
    }
    traced_free(noters);
    said("a<b<c<d<e<f<g<h<i<j<k<l<..a>b>c>d>e>f>g>h>i>j>k>l>");
    for (size_t i = 0; i < 12; i++)
        assert_ptr_equal(noters[i].kept, &noters[i]);
    for (size_t i = 0; i < 12; i++)
        tracer_end(tracers[i]);
    traced_free(noters);
    said("..");
}

/* --- extensions --- */

static ze_result_t ZE_APICALL one_extension(ze_driver_handle_t driver, uint32_t *count,
                                            ze_driver_extension_properties_t *list)
{
    (void)driver;
    if (*count > 0 && list)
        strcpy(list[0].name, "of the driver");
    *count = 1;
    return ZE_RESULT_SUCCESS;
}

static void the_layer_is_among_the_extensions_of_a_driver(void **state)
{
    (void)state;
    ze_driver_extension_properties_t list[4];
    ze_driver_dditable_t table = {.pfnGetExtensionProperties = one_extension};
    uint32_t count = 0;
    assert_int_equal(zeGetDriverProcAddrTable(ZE_API_VERSION_CURRENT, &table), ZE_RESULT_SUCCESS);
    assert_int_equal(table.pfnGetExtensionProperties(NULL, &count, NULL), ZE_RESULT_SUCCESS);
    assert_int_equal(count, 3);
    memset(list, 0, sizeof(list));
    assert_int_equal(table.pfnGetExtensionProperties(NULL, &count, list), ZE_RESULT_SUCCESS);
    assert_int_equal(count, 3);
    assert_string_equal(list[0].name, "of the driver");
    assert_string_equal(list[1].name, ZEL_API_TRACING_NAME);
    assert_int_equal(list[1].version, ZEL_API_TRACING_VERSION_CURRENT);
    assert_string_equal(list[2].name, ZET_API_TRACING_EXP_NAME);
    count = 2;
    memset(list, 0, sizeof(list));
    assert_int_equal(table.pfnGetExtensionProperties(NULL, &count, list), ZE_RESULT_SUCCESS);
    assert_int_equal(count, 2);
    assert_int_equal(list[2].name[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(prologues_run_before_the_driver_and_epilogues_after_it, begin),
        cmocka_unit_test_setup(callbacks_see_the_result_and_their_own_data, begin),
        cmocka_unit_test_setup(callbacks_that_are_null_are_skipped, begin),
        cmocka_unit_test_setup(a_tracer_is_disabled_until_it_is_enabled, begin),
        cmocka_unit_test_setup(an_epilogue_runs_exactly_when_its_prologue_ran, begin),
        cmocka_unit_test_setup(callbacks_may_add_calls, begin),
        cmocka_unit_test_setup(a_tracer_cannot_be_destroyed_in_a_call_that_goes_by_it, begin),
        cmocka_unit_test_setup(tracers_have_handles_of_their_own, begin),
        cmocka_unit_test_setup(an_enabled_tracer_is_in_use, begin),
        cmocka_unit_test_setup(wrong_arguments_are_refused, begin),
        cmocka_unit_test_setup(many_tracers_keep_their_data_apart, begin),
        cmocka_unit_test_setup(the_layer_is_among_the_extensions_of_a_driver, begin),
    };
    return cmocka_run_group_tests(tests, driver_wrap, NULL);
}
