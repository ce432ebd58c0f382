/* What calls lead to: nothing before initialisation, one driver directly, several through the first
 * words of the handle. */
#include "allocations.h"
#include "fake_driver.h"
#include "scenario.h"

#include "ddi/geo_ddi.h"

#include <level_zero/zer_api.h>

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ONE_DRIVER  "ZE_ENABLE_ALT_DRIVERS={a}"
#define TWO_DRIVERS "ZE_ENABLE_ALT_DRIVERS={a},{b}"
#define FORCED      "ZE_ENABLE_LOADER_INTERCEPT=1"

typedef ze_result_t (*any_function)(void *, void *, void *, void *, void *, void *, void *, void *,
                                    void *, void *, void *, void *, void *, void *);

/* Calls an exported function with nothing but zeros, whatever its parameters are. */
#if defined(__clang__)
__attribute__((no_sanitize("undefined")))
#endif
static ze_result_t call_with_zeros(const char *name)
{
    any_function function = (any_function)dlsym(RTLD_DEFAULT, name);
    CHECK(function);
    return function(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                    NULL);
}

static bool needs_no_handle(const char *name)
{
    static const char *const names[] = {"zeInit", "zeInitDrivers", "zeDriverGet", "zesInit",
                                        "zesDriverGet"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return strncmp(name, "zer", 3) == 0;
}

/* The one function with a leading handle that returns something else than a result. */
static bool gives_no_result(const char *name)
{
    return strcmp(name, "zeDriverGetDefaultContext") == 0;
}

static void all_give(ze_result_t expected)
{
    size_t called = 0;
    for (size_t i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const char *name = geo_ddi_functions[i].name;
        if (needs_no_handle(name) || gives_no_result(name)) {
            continue;
        }
        ze_result_t result = call_with_zeros(name);
        if (result != expected) {
            fprintf(stderr, "%s gave 0x%x\n", name, (unsigned)result);
            CHECK(result == expected);
        }
        called++;
    }
    CHECK(called == GEO_DDI_FUNCTION_COUNT - 10);
    CHECK(zeDriverGetDefaultContext(NULL) == NULL);
}

static void before_init(void)
{
    uint32_t count = 0;
    const char *text;
    all_give(ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zeDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zesDriverGet(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zerGetLastErrorDescription(&text), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK(zerTranslateDeviceHandleToIdentifier(NULL) == UINT32_MAX);
    CHECK(!zerTranslateIdentifierToDeviceHandle(0) && !zerGetDefaultContext());
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    all_give(ZE_RESULT_ERROR_UNINITIALIZED); /* an initialisation that failed changes nothing */
}

/* GEN-23, GEN-24 */
static void test_every_function_is_uninitialized_before_initialisation(void **state)
{
    (void)state;
    scenario_passes("before_init", "ZE_ENABLE_ALT_DRIVERS={empty}", NULL);
}

static void null_handles(void)
{
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    for (size_t i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const struct geo_ddi_function *function = &geo_ddi_functions[i];
        if (function->handle_type && !needs_no_handle(function->name) &&
            !gives_no_result(function->name)) {
            CHECK_RESULT(call_with_zeros(function->name), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
        }
    }
    CHECK(zeDriverGetDefaultContext(NULL) == NULL);
    CHECK_RESULT(zeModuleDynamicLink(1, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ze_module_handle_t module = NULL;
    CHECK_RESULT(zeModuleDynamicLink(1, &module, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_RESULT(zeModuleDynamicLink(0, &module, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
}

/* GEN-24: with several drivers the loader itself looks into the handle, so it must check it. */
static void test_null_handles_are_refused_by_every_dispatched_function(void **state)
{
    (void)state;
    scenario_passes("null_handles", TWO_DRIVERS, NULL);
    scenario_passes("null_handles", ONE_DRIVER, FORCED, NULL);
}

static void contexts_make(ze_context_handle_t *contexts, uint32_t expected)
{
    ze_driver_handle_t drivers[2];
    uint32_t count = 2;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    CHECK(count == expected);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_RESULT(zeContextCreate(drivers[i], &desc, &contexts[i]), ZE_RESULT_SUCCESS);
    }
}

static void contexts_destroy(ze_context_handle_t *contexts)
{
    for (int i = 0; i < 2; i++) {
        CHECK_RESULT(zeContextDestroy(contexts[i]), ZE_RESULT_SUCCESS);
    }
}

static void calls_reach_their_driver(void)
{
    ze_context_handle_t contexts[2];
    contexts_make(contexts, 2);
    struct fake_driver_state *a = fake_state("a"), *b = fake_state("b");
    CHECK(a->contexts == 1 && b->contexts == 1);
    for (int i = 0; i < 5; i++) {
        CHECK_RESULT(zeContextGetStatus(contexts[0]), ZE_RESULT_SUCCESS);
    }
    CHECK_RESULT(zeContextGetStatus(contexts[1]), ZE_RESULT_SUCCESS);
    CHECK(a->calls == 5 && b->calls == 1);
    /* modules are found through the first of the array */
    ze_module_handle_t module = (ze_module_handle_t)contexts[0];
    CHECK_RESULT(zeModuleDynamicLink(1, &module, NULL), ZE_RESULT_SUCCESS);
    module = (ze_module_handle_t)contexts[1];
    CHECK_RESULT(zeModuleDynamicLink(1, &module, NULL), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    /* what the driver lacks is missing, not a hole: a slot, a table */
    CHECK_RESULT(zeContextSystemBarrier(contexts[1], (ze_device_handle_t)contexts[1]),
                 ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zeMemFree(contexts[1], contexts), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zeContextDestroy(contexts[1]), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextDestroy(contexts[0]), ZE_RESULT_SUCCESS);
    CHECK(a->contexts == 0 && b->contexts == 0);
}

/* INI-5, INI-10, GEN-6, GEN-26 */
static void test_with_several_drivers_each_call_reaches_its_own(void **state)
{
    (void)state;
    scenario_passes("calls_reach_their_driver", TWO_DRIVERS, NULL);
}

static void frugal(void)
{
    ze_context_handle_t contexts[2];
    ze_driver_handle_t drivers[2];
    allocations_fail(ALLOCATIONS_NEVER, false);
    contexts_make(contexts, 2);
#ifndef GEOID_SANITIZED             /* sanitizers bring a malloc of their own */
    CHECK(allocations_count() > 0); /* so they are counted */
#endif
    allocations_fail(ALLOCATIONS_NEVER, false);
    for (int i = 0; i < 1000; i++) {
        uint32_t count = 2;
        CHECK_RESULT(zeContextGetStatus(contexts[i & 1]), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    }
    CHECK(allocations_count() == 0);
    contexts_destroy(contexts);
}

/* INI-8, GEN-13: dispatch and repeated driver queries allocate nothing. */
static void test_dispatch_allocates_nothing(void **state)
{
    (void)state;
    scenario_passes("frugal", TWO_DRIVERS, NULL);
}

static atomic_bool stop;

static void *hold_lock_thread(void *unused)
{
    (void)unused;
    while (!stop) { /* takes the loader's lock again and again, with slow work under it */
        zeInit(ZE_INIT_FLAG_VPU_ONLY);
    }
    return NULL;
}

static void *caller_thread(void *argument)
{
    ze_context_handle_t context = argument;
    for (int i = 0; i < 20000; i++) {
        CHECK_RESULT(zeContextGetStatus(context), ZE_RESULT_SUCCESS);
    }
    return NULL;
}

static void free_threaded(void)
{
    ze_context_handle_t contexts[2];
    pthread_t holder, callers[4];
    contexts_make(contexts, 2);
    CHECK(pthread_create(&holder, NULL, hold_lock_thread, NULL) == 0);
    for (uintptr_t i = 0; i < 4; i++) {
        CHECK(pthread_create(&callers[i], NULL, caller_thread, contexts[i & 1]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(callers[i], NULL);
    }
    stop = true;
    pthread_join(holder, NULL);
    CHECK(fake_state("a")->calls == 40000 && fake_state("b")->calls == 40000);
    contexts_destroy(contexts);
}

/* GEN-13, GEN-27: calls on objects go on while another thread initialises. */
static void test_calls_do_not_wait_for_initialisation(void **state)
{
    (void)state;
    scenario_passes("free_threaded", TWO_DRIVERS, NULL);
}

static void forced(void)
{
    ze_context_handle_t context;
    contexts_make(&context, 1);
    CHECK_RESULT(zeContextGetStatus(context), ZE_RESULT_SUCCESS);
    /* by the handle: a function that the fake driver cannot see with a null handle */
    CHECK_RESULT(zeContextGetStatus(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
}

/* INI-11, INI-12 */
static void test_dispatch_can_be_forced_for_a_single_driver(void **state)
{
    (void)state;
    scenario_passes("forced", ONE_DRIVER, FORCED, NULL);
}

static void direct(void)
{
    ze_context_handle_t context;
    contexts_make(&context, 1);
    /* a handle that only the driver understands: the loader must not look into it */
    CHECK_RESULT(zeContextGetStatus(context), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
    /* misuse is the driver's business: it gets what the program passed, and its answer comes back
     */
    CHECK_RESULT(zeModuleDynamicLink(0, NULL, NULL), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
}

/* INI-11: the handles of driver "plain" begin with addresses that nobody may follow. */
static void test_a_single_driver_is_called_directly(void **state)
{
    (void)state;
    scenario_passes("direct", "ZE_ENABLE_ALT_DRIVERS={plain}", NULL);
}

static void second_driver_later(void)
{
    ze_context_handle_t first;
    contexts_make(&first, 1);
    scenario_setenv("ZE_ENABLE_ALT_DRIVERS", "{a},{npu}");
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_VPU_ONLY), ZE_RESULT_SUCCESS);
    ze_driver_handle_t drivers[2];
    ze_context_handle_t second;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t count = 2;
    CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    CHECK(count == 2);
    CHECK_RESULT(zeContextCreate(drivers[1], &desc, &second), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextGetStatus(first), ZE_RESULT_SUCCESS); /* from before the change */
    CHECK_RESULT(zeContextDestroy(second), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeContextDestroy(first), ZE_RESULT_SUCCESS);
    CHECK(fake_state("npu")->contexts == 0 && fake_state("a")->contexts == 0);
}

/* INI-3, INI-11: handles stay valid when the loader changes from direct calls to dispatch. */
static void test_a_second_driver_may_come_later(void **state)
{
    (void)state;
    scenario_passes("second_driver_later", ONE_DRIVER, NULL);
}

static void runtime_api(void)
{
    ze_driver_handle_t drivers[2];
    ze_device_handle_t devices[2][2];
    uint32_t count = 2;
    const char *text = NULL;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDriverGet(&count, drivers), ZE_RESULT_SUCCESS);
    for (int i = 0; i < 2; i++) {
        count = 2;
        CHECK_RESULT(zeDeviceGet(drivers[i], &count, devices[i]), ZE_RESULT_SUCCESS);
    }
    CHECK(zerGetDefaultContext() == (ze_context_handle_t)drivers[0]); /* as the fake makes it */
    CHECK(zerTranslateDeviceHandleToIdentifier(devices[0][0]) == 0);
    CHECK(zerTranslateIdentifierToDeviceHandle(0) == devices[0][0]);
    CHECK(!zerTranslateIdentifierToDeviceHandle(1));
    /* a device of another driver must not be taken for one of the default driver's */
    CHECK(zerTranslateDeviceHandleToIdentifier(devices[1][0]) == UINT32_MAX);
    CHECK_RESULT(zerGetLastErrorDescription(&text), ZE_RESULT_SUCCESS);
    CHECK(strstr(text, "not of the default driver"));
    CHECK(zerTranslateDeviceHandleToIdentifier(NULL) == FAKE_NO_DEVICE); /* it was asked */
    CHECK_RESULT(zerGetLastErrorDescription(&text), ZE_RESULT_SUCCESS);
    CHECK(strcmp(text, "a") == 0);
}

/* The runtime API belongs to the first driver. */
static void test_the_runtime_api_uses_the_first_driver(void **state)
{
    (void)state;
    scenario_passes("runtime_api", TWO_DRIVERS, NULL);
}

static const void *canary = "nobody may write here";

/* GEN-18, INI-10: the loader's own tables, for layers and shims: exactly the part that the version
 * has, and every slot in it leads to the exported function. */
#if defined(__clang__)
__attribute__((no_sanitize("function"))) /* one type for functions that differ behind pointers */
#endif
static void test_tables_are_filled_up_to_the_version_asked_for(void **state)
{
    (void)state;
    void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(loader);
    for (size_t i = 0; i < GEO_DDI_TABLE_COUNT; i++) {
        const struct geo_ddi_table *table = &geo_ddi_tables[i];
        ze_result_t (*get)(ze_api_version_t, void *) =
            (ze_result_t (*)(ze_api_version_t, void *))dlsym(loader, table->getter);
        assert_non_null(get);
        for (uint32_t minor = 0; minor <= GEO_DDI_MINOR + 1; minor++) {
            const void *slots[256];
            for (size_t j = 0; j < 256; j++) {
                slots[j] = canary;
            }
            assert_int_equal(get((ze_api_version_t)ZE_MAKE_VERSION(1, minor), slots), 0);
            size_t length = table->slots[minor < GEO_DDI_MINOR ? minor : GEO_DDI_MINOR];
            for (size_t j = 0; j < 256; j++) {
                assert_true((slots[j] == canary) == (j >= length));
            }
            for (size_t j = 0; j < length; j++) {
                const char *name = geo_ddi_functions[table->function_first + j].name;
                assert_ptr_equal(slots[j], dlsym(loader, name));
            }
        }
        assert_int_equal(get((ze_api_version_t)ZE_MAKE_VERSION(2, 0), &canary),
                         ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
        assert_int_equal(get(ZE_API_VERSION_CURRENT, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    }
    dlclose(loader);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(before_init), S(null_handles), S(calls_reach_their_driver), S(frugal),      S(free_threaded),
    S(forced),      S(direct),       S(second_driver_later),      S(runtime_api),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function_is_uninitialized_before_initialisation),
        cmocka_unit_test(test_null_handles_are_refused_by_every_dispatched_function),
        cmocka_unit_test(test_with_several_drivers_each_call_reaches_its_own),
        cmocka_unit_test(test_dispatch_allocates_nothing),
        cmocka_unit_test(test_calls_do_not_wait_for_initialisation),
        cmocka_unit_test(test_dispatch_can_be_forced_for_a_single_driver),
        cmocka_unit_test(test_a_single_driver_is_called_directly),
        cmocka_unit_test(test_a_second_driver_may_come_later),
        cmocka_unit_test(test_the_runtime_api_uses_the_first_driver),
        cmocka_unit_test(test_tables_are_filled_up_to_the_version_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
