/* Sysman when allocations fail: every call that needs memory, over the described backend
 * (tests/sysman/described). */
#include "sweep.h"
#include "unit.h"

#include "described.h"

#include "ddi/geo_api.h"

static zes_driver_handle_t driver;
static zes_device_handle_t device;
static zes_pwr_handle_t power;
static zes_ras_handle_t ras;
static zes_engine_handle_t engine;
static zes_fabric_port_handle_t port;
static zes_vf_handle_t function;

static int setup(void **unused)
{
    uint32_t one = 1;
    (void)unused;
    described_state()->limit_count = 5;
    return geo_zesInit(0) || geo_zesDriverGet(&one, &driver) ||
           geo_zesDeviceGet(driver, &one, &device) ||
           geo_zesDeviceEnumPowerDomains(device, &one, &power) ||
           geo_zesDeviceEnumRasErrorSets(device, &one, &ras) ||
           geo_zesDeviceEnumEngineGroups(device, &one, &engine) ||
           geo_zesDeviceEnumFabricPorts(device, &one, &port) ||
           geo_zesDeviceEnumEnabledVFExp(device, &one, &function);
}

/* ---- what is made once ---- */

static ze_result_t do_list(void)
{
    zes_temp_handle_t sensors[3];
    zes_fan_handle_t fans[3];
    uint32_t one = 1, three = 3;
    zes_driver_handle_t first;
    zes_device_handle_t card;
    ze_result_t result = geo_zesInit(0);
    result = result ? result : geo_zesDriverGet(&one, &first);
    result = result ? result : geo_zesDeviceGet(first, &one, &card);
    result = result ? result : geo_zesDeviceEnumTemperatureSensors(card, &three, sensors);
    result = result ? result : geo_zesDeviceEnumFans(card, &three, fans);
    return result || three == 3 ? result : ZE_RESULT_ERROR_UNKNOWN;
}

static void lists_survive_failing_allocations(void **unused)
{
    static const struct sweep lists = {.name = "components", .run = do_list};
    (void)unused;
    sweep_fresh(&lists);
}

/* ---- what is made for a call ---- */

static ze_result_t do_limits(void)
{
    uint32_t count = 0;
    return geo_zesPowerGetLimitsExt(power, &count, NULL);
}

static ze_result_t do_set_limits(void)
{
    zes_power_limit_ext_desc_t limits[2];
    uint32_t count = 1;
    memset(limits, 0, sizeof(limits));
    return geo_zesPowerSetLimitsExt(power, &count, limits);
}

static ze_result_t do_errors(void)
{
    zes_ras_state_t errors = {.stype = ZES_STRUCTURE_TYPE_RAS_STATE};
    return geo_zesRasGetState(ras, 1, &errors);
}

static ze_result_t do_activity(void)
{
    zes_engine_stats_t stats[3];
    uint32_t count = 3;
    return geo_zesEngineGetActivityExt(engine, &count, stats);
}

static ze_result_t do_throughput(void)
{
    zes_fabric_port_throughput_t throughput, *out = &throughput;
    return geo_zesFabricPortGetMultiPortThroughput(device, 1, &port, &out);
}

static ze_result_t do_processes(void)
{
    uint32_t count = 0;
    return geo_zesDeviceProcessesGetState(device, &count, NULL);
}

static ze_result_t do_engines(void)
{
    uint32_t count = 0;
    return geo_zesVFManagementGetVFEngineUtilizationExp2(function, &count, NULL);
}

static ze_result_t do_listen(void)
{
    zes_event_type_flags_t events;
    uint32_t fired;
    return geo_zesDriverEventListen((ze_driver_handle_t)driver, 5, 1, &device, &fired, &events);
}

/* Why something failed is text, which may be shorter. */
static ze_result_t do_fail(void)
{
    described_set(DESCRIBED_ras_clear, (int)ZE_RESULT_ERROR_NOT_AVAILABLE);
    ze_result_t result = geo_zesRasClearStateExp(ras, ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS);
    described_set(DESCRIBED_ras_clear, ZE_RESULT_SUCCESS);
    return result == ZE_RESULT_ERROR_NOT_AVAILABLE ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNKNOWN;
}

static void calls_survive_failing_allocations(void **unused)
{
    static const struct sweep sweeps[] = {
        {.name = "zesPowerGetLimitsExt", .run = do_limits},
        {.name = "zesPowerSetLimitsExt", .run = do_set_limits},
        {.name = "zesRasGetState", .run = do_errors},
        {.name = "zesEngineGetActivityExt", .run = do_activity},
        {.name = "zesFabricPortGetMultiPortThroughput", .run = do_throughput},
        {.name = "zesDeviceProcessesGetState", .run = do_processes},
        {.name = "zesVFManagementGetVFEngineUtilizationExp2", .run = do_engines},
        {.name = "zesDriverEventListen", .run = do_listen},
        {.name = "a failure", .run = do_fail, .lenient = true},
    };
    (void)unused;
    described_state()->limits[0].limitUnit = ZES_LIMIT_UNIT_POWER;
    for (size_t i = 0; i < sizeof(sweeps) / sizeof(sweeps[0]); i++) {
        sweep_run(&sweeps[i]);
    }
}

int main(void)
{
    const struct CMUnitTest untouched[] = {cmocka_unit_test(lists_survive_failing_allocations)};
    const struct CMUnitTest cases[] = {cmocka_unit_test(calls_survive_failing_allocations)};
    int failed = cmocka_run_group_tests_name("sweep of sysman's lists", untouched, NULL, NULL);
    return failed + cmocka_run_group_tests_name("sweep of sysman", cases, setup, NULL);
}
