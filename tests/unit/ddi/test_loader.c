/* The generated half of the loader: stubs, direct calls, dispatch through handles. This program is
 * the loader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/cancel.h"
#include "ddi/geo_loader_own.h"

static ze_result_t missing_result = ZE_RESULT_ERROR_UNINITIALIZED;
static enum geo_ddi_function_id missing_id;

ze_result_t geo_loader_missing(enum geo_ddi_function_id id)
{
    missing_id = id;
    return missing_result;
}

ze_result_t geo_loader_fill_table(enum geo_ddi_table_id id, ze_api_version_t version, void *out)
{
    return geo_ddi_table_copy(id, version, geo_ddi_table_of_const(&geo_loader_exports, id), out);
}

static unsigned own_calls;
static int own_state; /* the calling thread's cancellation state */

static void own_note(void)
{
    own_calls++;
    own_state = geo_cancel_hold();
    geo_cancel_restore(own_state);
}

/* The loader's own functions. */
ze_result_t geo_own_zeInit(ze_init_flags_t flags)
{
    own_note();
    (void)flags;
    return ZE_RESULT_SUCCESS;
}
ze_result_t geo_own_zeDriverGet(uint32_t *pCount, ze_driver_handle_t *phDrivers)
{
    own_note();
    (void)pCount;
    (void)phDrivers;
    return ZE_RESULT_SUCCESS;
}
ze_result_t geo_own_zeInitDrivers(uint32_t *pCount, ze_driver_handle_t *phDrivers,
                                  ze_init_driver_type_desc_t *desc)
{
    own_note();
    (void)pCount;
    (void)phDrivers;
    (void)desc;
    return ZE_RESULT_SUCCESS;
}
ze_result_t geo_own_zesInit(zes_init_flags_t flags)
{
    own_note();
    (void)flags;
    return ZE_RESULT_SUCCESS;
}
ze_result_t geo_own_zesDriverGet(uint32_t *pCount, zes_driver_handle_t *phDrivers)
{
    own_note();
    (void)pCount;
    (void)phDrivers;
    return ZE_RESULT_SUCCESS;
}
ze_result_t geo_own_zerGetLastErrorDescription(const char **ppString)
{
    own_note();
    (void)ppString;
    return ZE_RESULT_SUCCESS;
}
uint32_t geo_own_zerTranslateDeviceHandleToIdentifier(ze_device_handle_t hDevice)
{
    own_note();
    (void)hDevice;
    return 0;
}
ze_device_handle_t geo_own_zerTranslateIdentifierToDeviceHandle(uint32_t identifier)
{
    own_note();
    (void)identifier;
    return NULL;
}
ze_context_handle_t geo_own_zerGetDefaultContext(void)
{
    own_note();
    return NULL;
}

ze_result_t geo_own_zetTracerExpCreate(zet_context_handle_t hContext,
                                       const zet_tracer_exp_desc_t *desc,
                                       zet_tracer_exp_handle_t *phTracer)
{
    own_note();
    (void)hContext;
    (void)desc;
    (void)phTracer;
    return ZE_RESULT_SUCCESS;
}
ze_result_t geo_own_zetTracerExpDestroy(zet_tracer_exp_handle_t hTracer)
{
    own_note();
    (void)hTracer;
    return ZE_RESULT_SUCCESS;
}
ze_result_t geo_own_zetTracerExpSetPrologues(zet_tracer_exp_handle_t hTracer,
                                             zet_core_callbacks_t *pCoreCbs)
{
    own_note();
    (void)hTracer;
    (void)pCoreCbs;
    return ZE_RESULT_SUCCESS;
}
ze_result_t geo_own_zetTracerExpSetEpilogues(zet_tracer_exp_handle_t hTracer,
                                             zet_core_callbacks_t *pCoreCbs)
{
    own_note();
    (void)hTracer;
    (void)pCoreCbs;
    return ZE_RESULT_SUCCESS;
}
ze_result_t geo_own_zetTracerExpSetEnabled(zet_tracer_exp_handle_t hTracer, ze_bool_t enable)
{
    own_note();
    (void)hTracer;
    (void)enable;
    return ZE_RESULT_SUCCESS;
}

/* A driver with one function, at either end of the handle's tables. */
static void *freed;
static ze_result_t driver_free(ze_context_handle_t hContext, void *ptr)
{
    (void)hContext;
    freed = ptr;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t driver_link(uint32_t numModules, ze_module_handle_t *phModules,
                               ze_module_build_log_handle_t *phLinkLog)
{
    (void)phModules;
    (void)phLinkLog;
    return numModules == 2 ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNKNOWN;
}

static ze_mem_dditable_t driver_mem = {.pfnFree = driver_free};
static ze_module_dditable_t driver_module = {.pfnDynamicLink = driver_link};
static ze_dditable_driver_t driver_core;
static ze_handle_t object;

static int setup(void **state)
{
    (void)state;
    missing_result = ZE_RESULT_ERROR_UNINITIALIZED;
    missing_id = GEO_DDI_FUNCTION_COUNT;
    freed = NULL;
    own_calls = 0;
    atomic_store(&geo_loader, &geo_loader_start);
    atomic_store(&geo_loader_base, &geo_loader_start);
    driver_core = (ze_dditable_driver_t){.version = ZE_API_VERSION_CURRENT,
                                         .isValidFlag = 1,
                                         .Mem = &driver_mem,
                                         .Module = &driver_module};
    object = (ze_handle_t){.pCore = &driver_core};
    return 0;
}

static struct geo_ddi_table_set tables;

static void use_dispatch(void)
{
    missing_result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    tables = geo_loader_dispatch;
    geo_ddi_loader_tables_complete(&tables, &geo_loader_stubs);
    atomic_store(&geo_loader, &tables);
}

/* GEN-23 */
static void before_initialisation_every_call_is_refused(void **state)
{
    (void)state;
    int memory;
    assert_int_equal(zeMemFree(NULL, &memory), ZE_RESULT_ERROR_UNINITIALIZED);
    assert_int_equal(missing_id, GEO_DDI_FN_zeMemFree);
    assert_int_equal(zesFanGetState(NULL, ZES_FAN_SPEED_UNITS_RPM, NULL),
                     ZE_RESULT_ERROR_UNINITIALIZED);
    assert_null(zeDriverGetDefaultContext(NULL));
    assert_int_equal(missing_id, GEO_DDI_FN_zeDriverGetDefaultContext);
    for (int id = 0; id < GEO_DDI_TABLE_COUNT; id++) {
        void *const *slots =
            geo_ddi_table_of_const(geo_ddi_loader_active(), (enum geo_ddi_table_id)id);
        for (size_t i = 0; i < geo_ddi_tables[id].slot_count; i++)
            assert_non_null(slots[i]);
    }
}

/* INI-11 */
static void one_driver_is_called_directly(void **state)
{
    (void)state;
    int memory;
    memset(&tables, 0, sizeof(tables));
    *(ze_mem_dditable_t *)geo_ddi_table_of(&tables, GEO_DDI_TABLE_ze_Mem) = driver_mem;
    geo_ddi_loader_tables_complete(&tables, &geo_loader_stubs);
    atomic_store(&geo_loader, &tables);
    missing_result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    assert_int_equal(zeMemFree(NULL, &memory), ZE_RESULT_SUCCESS);
    assert_ptr_equal(freed, &memory);
    assert_int_equal(zeMemFreeExt(NULL, NULL, &memory), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(missing_id, GEO_DDI_FN_zeMemFreeExt);
}

/* INI-10 */
static void several_drivers_are_told_apart_by_the_handle(void **state)
{
    (void)state;
    int memory;
    use_dispatch();
    assert_int_equal(zeMemFree((ze_context_handle_t)&object, &memory), ZE_RESULT_SUCCESS);
    assert_ptr_equal(freed, &memory);
    ze_module_handle_t modules[2] = {(ze_module_handle_t)&object, (ze_module_handle_t)&object};
    assert_int_equal(zeModuleDynamicLink(2, modules, NULL), ZE_RESULT_SUCCESS);
}

/* GEN-24 */
static void dispatch_refuses_null_handles(void **state)
{
    (void)state;
    int memory;
    use_dispatch();
    assert_int_equal(zeMemFree(NULL, &memory), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_null(zeDriverGetDefaultContext(NULL));
    ze_module_handle_t none = NULL;
    assert_int_equal(zeModuleDynamicLink(1, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(zeModuleDynamicLink(0, &none, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(zeModuleDynamicLink(1, &none, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

/* GEN-5, GEN-6 */
static void dispatch_never_reads_past_an_older_driver(void **state)
{
    (void)state;
    use_dispatch();
    ze_context_handle_t context = (ze_context_handle_t)&object;
    /* The slot is empty. */
    assert_int_equal(zeMemFreeExt(context, NULL, NULL), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    /* The table is not there. */
    assert_int_equal(zeContextDestroy(context), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    /* The function came after the driver: its table may end before the slot, which must not be
     * read. */
    driver_core.version = ZE_API_VERSION_1_16;
    driver_core.Graph = (ze_graph_dditable_t *)8;
    assert_int_equal(zeGraphDestroyExt((ze_graph_handle_t)&object),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(missing_id, GEO_DDI_FN_zeGraphDestroyExt);
}

static void dispatch_sees_tables_that_are_no_longer_valid(void **state)
{
    (void)state;
    use_dispatch();
    driver_core.isValidFlag = 0;
    assert_int_equal(zeMemFree((ze_context_handle_t)&object, &driver_core),
                     ZE_RESULT_ERROR_UNINITIALIZED);
    assert_null(freed);
}

/* INI-10 */
static void exported_tables_hold_the_exported_functions(void **state)
{
    (void)state;
    ze_global_dditable_t global;
    ze_mem_dditable_t mem;
    assert_int_equal(zeGetGlobalProcAddrTable(ZE_API_VERSION_CURRENT, &global), ZE_RESULT_SUCCESS);
    assert_ptr_equal(global.pfnInitDrivers, zeInitDrivers);
    assert_int_equal(zeGetMemProcAddrTable(ZE_API_VERSION_CURRENT, &mem), ZE_RESULT_SUCCESS);
    assert_ptr_equal(mem.pfnFree, zeMemFree);
    assert_int_equal(zeGetMemProcAddrTable(ZE_API_VERSION_CURRENT, NULL),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* Calls a function of any type, with zeros. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void slot_call(void (*slot)(void))
{
    uint64_t (*call)(void *, void *, void *, void *) =
        (uint64_t (*)(void *, void *, void *, void *))slot;
    (void)call(NULL, NULL, NULL, NULL);
}

static void own_functions_hold_off_cancellation(void **state)
{
    (void)state;
    typedef void (*slot_fn)(void);
    unsigned own = 0;
    for (int id = 0; id < GEO_DDI_FUNCTION_COUNT; id++) {
        const struct geo_ddi_function *function = &geo_ddi_functions[id];
        const enum geo_ddi_table_id table = (enum geo_ddi_table_id)function->table;
        const slot_fn *slots = geo_ddi_table_of_const(&geo_loader_start, table);
        const slot_fn *stubs = geo_ddi_table_of_const(&geo_loader_stubs, table);
        const slot_fn *several = geo_ddi_table_of_const(&geo_loader_dispatch, table);
        if (slots[function->slot] == stubs[function->slot])
            continue;
        own++;
        own_state = PTHREAD_CANCEL_ENABLE;
        slot_call(slots[function->slot]);
        assert_int_equal(own_calls, own);
        assert_int_equal(own_state, PTHREAD_CANCEL_DISABLE);
        assert_ptr_equal(several[function->slot], slots[function->slot]);
    }
    assert_in_range(own, 10, 30);
    assert_int_equal(geo_cancel_hold(), PTHREAD_CANCEL_ENABLE); /* each restored the state */
    geo_cancel_restore(PTHREAD_CANCEL_ENABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(before_initialisation_every_call_is_refused, setup),
        cmocka_unit_test_setup(one_driver_is_called_directly, setup),
        cmocka_unit_test_setup(several_drivers_are_told_apart_by_the_handle, setup),
        cmocka_unit_test_setup(dispatch_refuses_null_handles, setup),
        cmocka_unit_test_setup(dispatch_never_reads_past_an_older_driver, setup),
        cmocka_unit_test_setup(dispatch_sees_tables_that_are_no_longer_valid, setup),
        cmocka_unit_test_setup(exported_tables_hold_the_exported_functions, setup),
        cmocka_unit_test_setup(own_functions_hold_off_cancellation, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
