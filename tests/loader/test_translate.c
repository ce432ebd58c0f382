/* Drivers without dispatch tables in their handles, beside others: which handles programs get, and
 * what becomes of wrong ones. That every function translates is test_translate_all.c's, lives of
 * objects are test_translate_lives.c's. */
#include "strict_rig.h"

#include "ddi/geo_ddi.h"

#include <level_zero/layers/zel_tracing_register_cb.h>
#include <level_zero/loader/ze_loader.h>
#include <level_zero/zer_api.h>
#include <level_zero/zes_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TWO_DRIVERS "ZE_ENABLE_ALT_DRIVERS={strict},{b}"
#define MIXED       "ZE_ENABLE_ALT_DRIVERS={old},{b},{plain},{strict}"
#define FORCED      "ZE_ENABLE_LOADER_INTERCEPT=1"

static void *first_word(const void *handle)
{
    return ((const ze_handle_t *)handle)->pCore;
}

static void drivers_work(const ze_driver_handle_t *drivers, uint32_t count)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    for (uint32_t i = 0; i < count; i++) {
        ze_context_handle_t context;
        CHECK_RESULT(zeContextCreate(drivers[i], &desc, &context), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeContextGetStatus(context), ZE_RESULT_SUCCESS);
        CHECK_RESULT(zeContextDestroy(context), ZE_RESULT_SUCCESS);
    }
}

/* ---- company ---- */

static void mixed(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    CHECK(strict_drivers(drivers) == 4);
    drivers_work(drivers, 4);
    CHECK(strstr(explanation_of("old"), "without dispatch tables, translated"));
    CHECK(strstr(explanation_of("plain"), "without dispatch tables, translated"));
    CHECK(strstr(explanation_of("b"), "carry dispatch tables") &&
          !strstr(explanation_of("b"), "translated"));
    CHECK(fake_state("plain")->contexts == 0 && fake_state("plain")->calls == 1);
    /* version 1.3: what came later is not there */
    ze_device_handle_t device, root;
    uint32_t count = 1;
    CHECK_RESULT(zeDeviceGet(drivers[0], &count, &device), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeDeviceGetRootDevice(device, &root), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zesDeviceGet((zes_driver_handle_t)drivers[0], &count, NULL),
                 ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

/* INI-5 */
static void test_drivers_without_dispatch_tables_work_beside_others(void **state)
{
    (void)state;
    scenario_passes("mixed", MIXED, NULL);
}

/* The drivers of two libraries with tables in their handles, which FAKE_WANTED says are translated
 * or not; both ways they work. */
static void tables_of_handles(void)
{
    const bool translated = strcmp(getenv("FAKE_WANTED"), "translated") == 0;
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    CHECK(strict_drivers(drivers) == 2);
    drivers_work(drivers, 2);
    for (int i = 0; i < 2; i++) {
        void *own = NULL;
        CHECK_RESULT(zelLoaderTranslateHandle(ZEL_HANDLE_DRIVER, drivers[i], &own),
                     ZE_RESULT_SUCCESS);
        CHECK((own != drivers[i]) == translated);
        CHECK(!strstr(explanation_of(i ? "b" : "a"), "translated") == !translated);
    }
}

#define TABLES(value) "ZE_ENABLE_LOADER_DRIVER_DDI_PATH" value

/* A switch of loaders in the field, for drivers whose tables are not trusted. */
static void test_tables_in_handles_are_not_used_on_demand(void **state)
{
    (void)state;
    static const char *const off[] = {TABLES("=0"), TABLES("=false"), TABLES("=off")};
    static const char *const on[] = {TABLES("="), TABLES("=1"), TABLES("=true"), TABLES("=x"),
                                     TABLES("_=0")};
    for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
        scenario_passes("tables_of_handles", "ZE_ENABLE_ALT_DRIVERS={a},{b}", off[i],
                        "FAKE_WANTED=translated", NULL);
    }
    for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
        scenario_passes("tables_of_handles", "ZE_ENABLE_ALT_DRIVERS={a},{b}", on[i],
                        "FAKE_WANTED=given", NULL);
    }
}

static void forced(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    CHECK(strict_drivers(drivers) == 1);
    drivers_work(drivers, 1);
    CHECK(first_word(drivers[0]) != (void *)0x10);
    CHECK_RESULT(zeContextGetStatus(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    /* so another one can join it, and the handles of before are good */
    ze_driver_handle_t before = drivers[0];
    scenario_setenv("ZE_ENABLE_ALT_DRIVERS", "{strict},{npu}");
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_VPU_ONLY), ZE_RESULT_SUCCESS);
    CHECK(strict_drivers(drivers) == 2);
    CHECK(drivers[0] == before);
    drivers_work(drivers, 2);
}

static void joined(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    CHECK(strict_drivers(drivers) == 1);
    ze_driver_handle_t before = drivers[0];
    scenario_setenv("ZE_ENABLE_ALT_DRIVERS", "{npu},{strict}");
    CHECK_RESULT(zeInit(ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_SUCCESS);
    CHECK(strict_drivers(drivers) == 2);
    CHECK(drivers[1] == before); /* GPUs come first */
    drivers_work(drivers, 2);
}

/* INI-3: one that has tables may be alone before. */
static void test_a_driver_without_dispatch_tables_may_come_later(void **state)
{
    (void)state;
    scenario_passes("joined", "ZE_ENABLE_ALT_DRIVERS={npu}", NULL);
}

/* INI-3 */
static void test_translation_can_be_forced_for_a_single_driver(void **state)
{
    (void)state;
    scenario_passes("forced", "ZE_ENABLE_ALT_DRIVERS={strict}", FORCED, NULL);
}

static void sysman_first(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    zes_driver_handle_t sysman[STRICT_DRIVERS];
    zes_device_handle_t devices[2];
    ze_device_handle_t device;
    uint32_t count = STRICT_DRIVERS, two = 2, one = 1;
    CHECK_RESULT(zesInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zesDriverGet(&count, sysman), ZE_RESULT_SUCCESS);
    CHECK(count == 2);
    CHECK_RESULT(zesDeviceGet(sysman[0], &two, devices), ZE_RESULT_SUCCESS);
    CHECK(strict_drivers(drivers) == 2);
    /* to this driver they are one object, so they are one to the program */
    CHECK((void *)sysman[0] == (void *)drivers[0]);
    CHECK_RESULT(zeDeviceGet(drivers[0], &one, &device), ZE_RESULT_SUCCESS);
    CHECK((void *)device == (void *)devices[0]);
    uint32_t pools = 2;
    zes_mem_handle_t memories[2];
    CHECK_RESULT(zesDeviceEnumMemoryModules(devices[0], &pools, memories), ZE_RESULT_SUCCESS);
    CHECK(pools == 2 && memories[0] != memories[1]);
}

static void test_sysman_is_translated_with_the_core(void **state)
{
    (void)state;
    scenario_passes("sysman_first", TWO_DRIVERS, NULL);
    scenario_passes("sysman_first", TWO_DRIVERS, "ZE_ENABLE_VALIDATION_LAYER=1", NULL);
}

/* ---- one object, one handle ---- */

static void identity(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS], again[STRICT_DRIVERS];
    ze_device_handle_t devices[4], same[4], device;
    ze_context_handle_t contexts[2];
    struct strict_rig rig;
    uint32_t count = 4;
    CHECK(strict_drivers(drivers) == 2 && strict_drivers(again) == 2);
    CHECK(memcmp(drivers, again, 2 * sizeof(drivers[0])) == 0);
    strict_rig_make(&rig, drivers[0]);
    CHECK_RESULT(zeDeviceGet(rig.driver, &count, devices), ZE_RESULT_SUCCESS);
    CHECK(count == 2);
    CHECK_RESULT(zeDeviceGet(rig.driver, &count, same), ZE_RESULT_SUCCESS);
    CHECK(memcmp(devices, same, 2 * sizeof(devices[0])) == 0 && devices[0] != devices[1]);
    /* this driver gives its first object of a type wherever it looks one up */
    CHECK_RESULT(zeCommandListGetDeviceHandle(rig.list, &device), ZE_RESULT_SUCCESS);
    CHECK(device == devices[0]);
    CHECK_RESULT(zeCommandListGetContextHandle(rig.list, &contexts[0]), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeEventPoolGetContextHandle(rig.pool, &contexts[1]), ZE_RESULT_SUCCESS);
    CHECK(contexts[0] == contexts[1] && contexts[0] == zeDriverGetDefaultContext(rig.driver));
    /* one of another type is another one, and so is another driver's */
    CHECK((void *)contexts[0] != (void *)devices[0] && contexts[0] != rig.context);
    CHECK(first_word(rig.driver) != first_word(drivers[1]));
}

/* INI-3, DEV-1 */
static void test_an_object_has_one_handle(void **state)
{
    (void)state;
    scenario_passes("identity", TWO_DRIVERS, NULL);
}

static void lists(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    ze_device_handle_t devices[40];
    uint32_t count = 0;
    strict_drivers(drivers);
    strict_state_of("strict")->crowd = 30;
    CHECK_RESULT(zeDeviceGet(drivers[0], &count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 30);
    count = 0;
    memset(devices, 0x5A, sizeof(devices));
    CHECK_RESULT(zeDeviceGet(drivers[0], &count, devices), ZE_RESULT_SUCCESS);
    CHECK(count == 30 && (uintptr_t)devices[0] == UINT64_C(0x5A5A5A5A5A5A5A5A));
    count = 3;
    CHECK_RESULT(zeDeviceGet(drivers[0], &count, devices), ZE_RESULT_SUCCESS);
    CHECK(count == 3 && first_word(devices[2]) == first_word(drivers[0]));
    CHECK((uintptr_t)devices[3] == UINT64_C(0x5A5A5A5A5A5A5A5A));
    count = 40;
    CHECK_RESULT(zeDeviceGet(drivers[0], &count, devices), ZE_RESULT_SUCCESS);
    CHECK(count == 30 && first_word(devices[29]) == first_word(drivers[0]));
    CHECK((uintptr_t)devices[30] == UINT64_C(0x5A5A5A5A5A5A5A5A));
}

/* GEN-21 */
static void test_lists_keep_their_protocol(void **state)
{
    (void)state;
    scenario_passes("lists", TWO_DRIVERS, NULL);
}

static void failures(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    struct strict_rig rig;
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC};
    ze_module_handle_t module = (ze_module_handle_t)&rig;
    ze_module_build_log_handle_t log = NULL;
    ze_device_handle_t device = (ze_device_handle_t)&rig;
    size_t size = 0;
    strict_drivers(drivers);
    struct strict_state *state = strict_state_of("strict");
    strict_rig_make(&rig, drivers[0]);
    state->result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    CHECK_RESULT(zeModuleCreate(rig.context, rig.device, &desc, &module, &log),
                 ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK(module == (ze_module_handle_t)&rig && log);
    state->result = ZE_RESULT_ERROR_DEVICE_LOST;
    CHECK_RESULT(zeCommandListGetDeviceHandle(rig.list, &device), ZE_RESULT_ERROR_DEVICE_LOST);
    CHECK(device == (ze_device_handle_t)&rig);
    state->writes = 1; /* as some getters do: none */
    CHECK_RESULT(zeCommandListGetDeviceHandle(rig.list, &device), ZE_RESULT_ERROR_DEVICE_LOST);
    CHECK(device == NULL);
    state->result = ZE_RESULT_SUCCESS;
    CHECK_RESULT(zeModuleBuildLogGetString(log, &size, NULL), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeModuleBuildLogDestroy(log), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeModuleCreate(rig.context, rig.device, &desc, &module, NULL), ZE_RESULT_SUCCESS);
}

/* MOD-4 */
static void test_a_build_that_fails_gives_its_log(void **state)
{
    (void)state;
    scenario_passes("failures", TWO_DRIVERS, NULL);
}

/* ---- wrong handles ---- */

static void foreign(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    struct strict_rig rig, other;
    CHECK(strict_drivers(drivers) == 2);
    strict_rig_make(&rig, drivers[0]);
    strict_rig_make(&other, drivers[1]);
    ze_event_handle_t event = strict_event(&rig), another = strict_event(&other);
    ze_event_handle_t both[2] = {event, another};
    void *forged[32];
    memset(forged, 0x5A, sizeof(forged));
    memcpy(forged, event, sizeof(ze_handle_t));
    struct strict_state *state = strict_state_of("strict");
    const int calls = state->calls;
    CHECK_RESULT(zeCommandListAppendBarrier(rig.list, another, 0, NULL),
                 ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zeCommandListAppendBarrier(rig.list, NULL, 2, both),
                 ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zeEventHostSignal((ze_event_handle_t)forged), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_RESULT(zeCommandListAppendBarrier(rig.list, (ze_event_handle_t)forged, 0, NULL),
                 ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(state->calls == calls);
    CHECK_RESULT(zeCommandListAppendBarrier(rig.list, event, 1, both), ZE_RESULT_SUCCESS);
    CHECK(both[0] == event && both[1] == another && state->handles == 3);
    /* a caller that goes through the tables at the start of the handle itself */
    const ze_handle_t *block = (const ze_handle_t *)event;
    CHECK_RESULT(block->pCore->Event->pfnHostSignal(event), ZE_RESULT_SUCCESS);
    CHECK_RESULT(block->pCore->Event->pfnHostSignal(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_RESULT(block->pCore->Module->pfnDynamicLink(0, NULL, NULL),
                 ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* GEN-24 */
static void test_handles_of_others_are_refused(void **state)
{
    (void)state;
    scenario_passes("foreign", "ZE_ENABLE_ALT_DRIVERS={strict},{strict2}", NULL);
}

static void to_the_drivers(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    struct strict_rig rig;
    void *out = NULL;
    CHECK(strict_drivers(drivers) == 2);
    strict_rig_make(&rig, drivers[0]);
    void *const handles[][2] = {
        {(void *)ZEL_HANDLE_DRIVER, rig.driver},   {(void *)ZEL_HANDLE_DEVICE, rig.device},
        {(void *)ZEL_HANDLE_CONTEXT, rig.context}, {(void *)ZEL_HANDLE_COMMAND_LIST, rig.list},
        {(void *)ZEL_HANDLE_EVENT_POOL, rig.pool}, {(void *)ZEL_HANDLE_EVENT, strict_event(&rig)},
        {(void *)ZEL_HANDLE_MODULE, rig.module}};
    for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
        const zel_handle_type_t type = (zel_handle_type_t)(uintptr_t)handles[i][0];
        CHECK_RESULT(zelLoaderTranslateHandle(type, handles[i][1], &out), ZE_RESULT_SUCCESS);
        CHECK(out == strict_own(handles[i][1]) && first_word(out) == (void *)0x10);
        /* the driver's own is nothing to translate */
        CHECK_RESULT(zelLoaderTranslateHandle(type, out, &out), ZE_RESULT_SUCCESS);
        CHECK(out == strict_own(handles[i][1]));
    }
    CHECK_RESULT(zelLoaderTranslateHandle(ZEL_HANDLE_DRIVER, drivers[1], &out), ZE_RESULT_SUCCESS);
    CHECK(out == drivers[1]);
    CHECK_RESULT(zeContextDestroy(rig.context), ZE_RESULT_SUCCESS);
    out = &rig;
    CHECK_RESULT(zelLoaderTranslateHandle(ZEL_HANDLE_CONTEXT, rig.context, &out),
                 ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK(out == &rig);
}

/* For the functions that a driver gives by name. */
static void test_the_drivers_own_handles_are_told(void **state)
{
    (void)state;
    scenario_passes("to_the_drivers", TWO_DRIVERS, NULL);
}

static void runtime_api(void)
{
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    struct strict_rig rig, other;
    CHECK(strict_drivers(drivers) == 2);
    strict_rig_make(&rig, drivers[0]);
    strict_rig_make(&other, drivers[1]);
    CHECK(zerTranslateDeviceHandleToIdentifier(rig.device) == 7); /* it looked at the handle */
    CHECK(zerTranslateDeviceHandleToIdentifier(other.device) == UINT32_MAX);
    CHECK(zerTranslateIdentifierToDeviceHandle(7) == rig.device);
    CHECK(zerGetDefaultContext() == zeDriverGetDefaultContext(rig.driver));
    CHECK(first_word(zerGetDefaultContext()) == first_word(rig.driver));
}

static void test_the_runtime_api_is_translated(void **state)
{
    (void)state;
    scenario_passes("runtime_api", "ZE_ENABLE_ALT_DRIVERS={strict},{strict2}", NULL);
}

/* ---- layers ---- */

static ze_context_handle_t seen;

static void ZE_APICALL status_prologue(ze_context_get_status_params_t *params, ze_result_t result,
                                       void *user, void **instance)
{
    (void)result, (void)user, (void)instance;
    seen = *params->phContext;
}

static void layers(void)
{
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    zel_tracer_handle_t tracer;
    struct strict_rig rig;
    CHECK(strict_drivers(drivers) == 2);
    CHECK_RESULT(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    CHECK_RESULT(
        zelTracerContextGetStatusRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, status_prologue),
        ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelTracerSetEnabled(tracer, true), ZE_RESULT_SUCCESS);
    strict_rig_make(&rig, drivers[0]);
    CHECK_RESULT(zeContextGetStatus(rig.context), ZE_RESULT_SUCCESS);
    CHECK(seen == rig.context);
    ze_event_handle_t event = strict_event(&rig);
    CHECK_RESULT(zeEventDestroy(event), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zeEventDestroy(event), ZE_RESULT_ERROR_INVALID_NULL_HANDLE); /* says the layer */
}

static void test_layers_see_the_programs_handles(void **state)
{
    (void)state;
    scenario_passes("layers", TWO_DRIVERS, "ZE_ENABLE_TRACING_LAYER=1",
                    "ZE_ENABLE_VALIDATION_LAYER=1", "ZE_ENABLE_HANDLE_LIFETIME=1", NULL);
}

/* ---- chains ---- */

static void chains(void)
{
    enum { LINKS = 40 };
    ze_driver_handle_t drivers[STRICT_DRIVERS];
    struct strict_rig rig;
    ze_sampler_handle_t sampler;
    const ze_sampler_desc_t sampler_desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
    ze_mutable_kernel_argument_exp_desc_t links[LINKS], before[LINKS];
    ze_mutable_commands_exp_desc_t desc = {ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC, links, 0};
    strict_drivers(drivers);
    strict_rig_make(&rig, drivers[0]);
    struct strict_state *state = strict_state_of("strict");
    CHECK_RESULT(zeSamplerCreate(rig.context, rig.device, &sampler_desc, &sampler),
                 ZE_RESULT_SUCCESS);
    memset(links, 0, sizeof(links));
    for (size_t i = 0; i < LINKS; i++) { /* long enough to be allocated; the last carries nothing */
        links[i].stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC;
        links[i].pNext = i + 1 < LINKS ? &links[i + 1] : NULL;
        links[i].argSize = sizeof(sampler);
        links[i].pArgValue = i + 1 < LINKS ? &sampler : NULL;
    }
    memcpy(before, links, sizeof(links));
    CHECK_RESULT(zeCommandListUpdateMutableCommandsExp(rig.list, &desc), ZE_RESULT_SUCCESS);
    CHECK(state->handles == 1 + LINKS - 1);
    CHECK(memcmp((const char *)before, (const char *)links, sizeof(links)) == 0); /* as they were */
    /* a structure that nobody knows: behind what is copied it does not matter */
    ze_base_desc_t unknown = {.stype = (ze_structure_type_t)0x0003001B};
    links[LINKS - 1].pNext = &unknown;
    CHECK_RESULT(zeCommandListUpdateMutableCommandsExp(rig.list, &desc), ZE_RESULT_SUCCESS);
    CHECK(state->handles == 1 + LINKS - 1);
    links[0].pNext = &unknown;
    unknown.pNext = &links[1];
    links[LINKS - 1].pNext = NULL;
    CHECK_RESULT(zeCommandListUpdateMutableCommandsExp(rig.list, &desc),
                 ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    /* it stays what it is where no handle stands behind it */
    links[0].pArgValue = NULL;
    unknown.pNext = NULL;
    CHECK_RESULT(zeCommandListUpdateMutableCommandsExp(rig.list, &desc), ZE_RESULT_SUCCESS);
}

/* EXN-5 */
static void test_handles_in_chains_are_translated_in_a_copy(void **state)
{
    (void)state;
    scenario_passes("chains", TWO_DRIVERS, NULL);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(mixed),    S(tables_of_handles), S(forced),         S(sysman_first), S(identity), S(lists),
    S(failures), S(foreign),           S(to_the_drivers), S(runtime_api),  S(chains),   S(layers),
    S(joined),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drivers_without_dispatch_tables_work_beside_others),
        cmocka_unit_test(test_tables_in_handles_are_not_used_on_demand),
        cmocka_unit_test(test_a_driver_without_dispatch_tables_may_come_later),
        cmocka_unit_test(test_translation_can_be_forced_for_a_single_driver),
        cmocka_unit_test(test_sysman_is_translated_with_the_core),
        cmocka_unit_test(test_an_object_has_one_handle),
        cmocka_unit_test(test_lists_keep_their_protocol),
        cmocka_unit_test(test_a_build_that_fails_gives_its_log),
        cmocka_unit_test(test_handles_of_others_are_refused),
        cmocka_unit_test(test_the_drivers_own_handles_are_told),
        cmocka_unit_test(test_the_runtime_api_is_translated),
        cmocka_unit_test(test_handles_in_chains_are_translated_in_a_copy),
        cmocka_unit_test(test_layers_see_the_programs_handles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
