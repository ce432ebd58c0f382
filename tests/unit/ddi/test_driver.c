/* The generated half of a driver: stubs, overriding, filled tables, exports. This program is the
 * driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/cancel.h"
#include "ddi/geo_api.h"

static const char *unsupported_name;
static int unsupported_state; /* the calling thread's cancellation state */

ze_result_t geo_api_unsupported(const char *function)
{
    unsupported_name = function;
    unsupported_state = geo_cancel_hold();
    geo_cancel_restore(unsupported_state);
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

static char refused[128];

ze_result_t geo_api_refuse(const struct geo_ddi_breach *breach)
{
    geo_ddi_breach_format(breach, refused, sizeof(refused));
    return breach->check->result;
}

/* What this driver implements. */
ze_result_t geo_zeMemFree(ze_context_handle_t hContext, void *ptr)
{
    (void)hContext;
    assert_non_null(ptr);
    return ZE_RESULT_SUCCESS;
}

uint32_t geo_zerTranslateDeviceHandleToIdentifier(ze_device_handle_t hDevice)
{
    return hDevice ? 7 : 0;
}

/* GEN-6, GEN-26 */
static void missing_functions_say_so(void **state)
{
    (void)state;
    unsupported_name = NULL;
    assert_int_equal(geo_zeMemAllocDevice(NULL, NULL, 0, 0, NULL, NULL),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_string_equal(unsupported_name, "zeMemAllocDevice");
    assert_null(geo_zerGetDefaultContext());
    assert_string_equal(unsupported_name, "zerGetDefaultContext");
}

static void a_definition_replaces_the_stub(void **state)
{
    (void)state;
    int object;
    assert_int_equal(geo_api_ze.Mem->pfnFree(NULL, &object), ZE_RESULT_SUCCESS);
    assert_int_equal(
        geo_api_zer.Global->pfnTranslateDeviceHandleToIdentifier((ze_device_handle_t)&object), 7);
    size_t implemented = 0;
    for (int id = 0; id < GEO_DDI_FUNCTION_COUNT; id++)
        implemented += geo_api_is_implemented((enum geo_ddi_function_id)id);
    assert_int_equal(implemented, 2);
    assert_true(geo_api_is_implemented(GEO_DDI_FN_zeMemFree));
    assert_ptr_equal(geo_api_find("zeMemFree"), geo_entry_zeMemFree);
    assert_null(geo_api_find("zeMemAllocDevice"));
    assert_null(geo_api_find("zeNothing"));
}

/* GEN-24 */
static void wrong_calls_do_not_reach_the_function(void **state)
{
    (void)state;
    int object;
    ze_context_handle_t context = (ze_context_handle_t)&object;
    assert_int_equal(geo_api_ze.Mem->pfnFree(context, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_string_equal(refused, "ptr is null");
    assert_int_equal(geo_api_ze.Mem->pfnFree(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_string_equal(refused, "hContext is null");
    /* Of a function that is not there nothing else is said. */
    assert_int_equal(geo_api_ze.Mem->pfnAllocDevice(context, NULL, 0, 0, NULL, NULL),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

/* GEN-6 */
static void no_table_of_a_handle_has_a_hole(void **state)
{
    (void)state;
    ze_handle_t handle;
    geo_api_init_handle(&handle);
    const void *blocks[GEO_DDI_API_COUNT] = {handle.pCore, handle.pSysman, handle.pTools,
                                             handle.pRuntime};
    assert_int_equal(handle.pCore->version, ZE_API_VERSION_CURRENT);
    assert_int_equal(handle.pCore->isValidFlag, 1);
    for (int id = 0; id < GEO_DDI_TABLE_COUNT; id++) {
        const struct geo_ddi_table *table = &geo_ddi_tables[id];
        void *const *slots =
            *(void *const *const *)((const char *)blocks[table->api] + table->pointer_offset);
        assert_non_null(slots);
        for (size_t i = 0; i < table->slot_count; i++)
            assert_non_null(slots[i]);
    }
}

/* GEN-6, INI-10 */
static void exports_fill_what_the_version_has(void **state)
{
    (void)state;
    void *slots[sizeof(ze_command_list_dditable_t) / sizeof(void *)];
    memset(slots, 0, sizeof(slots));
    assert_int_equal(
        zeGetCommandListProcAddrTable(ZE_API_VERSION_1_4, (ze_command_list_dditable_t *)slots),
        ZE_RESULT_SUCCESS);
    for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
        assert_true((slots[i] != NULL) == (i < 28));
    ze_mem_dditable_t mem;
    memset(&mem, 0, sizeof(mem));
    assert_int_equal(zeGetMemProcAddrTable(ZE_API_VERSION_CURRENT, &mem), ZE_RESULT_SUCCESS);
    assert_ptr_equal(mem.pfnFree, geo_entry_zeMemFree);
    assert_non_null(mem.pfnGetPitchFor2dImage);
}

/* GEN-24, GEN-7 */
static void exports_refuse_null_and_other_majors(void **state)
{
    (void)state;
    zes_fan_dditable_t fan;
    assert_int_equal(zesGetFanProcAddrTable(ZE_API_VERSION_1_0, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zesGetFanProcAddrTable((ze_api_version_t)ZE_MAKE_VERSION(2, 0), &fan),
                     ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
    assert_int_equal(zesGetFanProcAddrTable((ze_api_version_t)ZE_MAKE_VERSION(1, 40), &fan),
                     ZE_RESULT_SUCCESS);
}

/* Calls an entry as a function of any type, with zeros. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void entry_call(geo_api_fn entry)
{
    uint64_t (*call)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *) =
        (uint64_t (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *,
                      void *, void *, void *, void *, void *, void *, void *))entry;
    (void)call(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
               NULL, NULL);
}

static void entries_hold_off_cancellation_unless_they_are_hot(void **state)
{
    (void)state;
    size_t hot = 0;
    for (int id = 0; id < GEO_DDI_FUNCTION_COUNT; id++) {
        if (geo_api_is_implemented((enum geo_ddi_function_id)id))
            continue;
        unsupported_name = NULL;
        entry_call(geo_api_entries[id].entry);
        assert_string_equal(unsupported_name, geo_ddi_functions[id].name);
        assert_int_equal(unsupported_state, geo_ddi_functions[id].hot ? PTHREAD_CANCEL_ENABLE
                                                                      : PTHREAD_CANCEL_DISABLE);
        hot += geo_ddi_functions[id].hot;
    }
    assert_in_range(hot, 1, 30);
    assert_int_equal(geo_cancel_hold(), PTHREAD_CANCEL_ENABLE); /* each restored the state */
    geo_cancel_restore(PTHREAD_CANCEL_ENABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_functions_say_so),
        cmocka_unit_test(a_definition_replaces_the_stub),
        cmocka_unit_test(wrong_calls_do_not_reach_the_function),
        cmocka_unit_test(no_table_of_a_handle_has_a_hole),
        cmocka_unit_test(exports_fill_what_the_version_has),
        cmocka_unit_test(exports_refuse_null_and_other_majors),
        cmocka_unit_test(entries_hold_off_cancellation_unless_they_are_hot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
