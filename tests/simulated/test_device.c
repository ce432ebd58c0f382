/* The whole device: who it is, state, PCI, ECC, processes, overclocking, virtual functions, resets;
 * that it is there in sysman alone; firmware, error counters, diagnostics. */
#include "simulated.h"

#include <stdlib.h>

/* SYS-6 */
static void identities_differ_by_the_number(void **unused)
{
    zes_device_ext_properties_t extension = {.stype = ZES_STRUCTURE_TYPE_DEVICE_EXT_PROPERTIES};
    zes_device_properties_t properties[2];
    zes_subdevice_exp_properties_t parts[2];
    uint32_t count, part_count = 2;
    (void)unused;
    at(0);
    zes_device_handle_t *devices = devices_of(driver, &count);
    assert_int_equal(count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        memset(&properties[i], 0xa5, sizeof(properties[i]));
        properties[i].stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        properties[i].pNext = i ? &extension : NULL;
        assert_success(zesDeviceGetProperties(devices[i], &properties[i]));
    }
    assert_string_equal(properties[1].core.name, "Everything 1");
    assert_string_equal(properties[1].serialNumber, "S-1");
    assert_string_equal(properties[0].serialNumber, "S-0");
    assert_string_equal(properties[1].modelName, "Model 1 (simulated)");
    assert_string_equal(properties[1].vendorName, "Vendor");
    assert_int_equal(properties[1].core.deviceId, 4660);
    assert_int_equal(properties[1].numSubdevices, 2);
    assert_memory_not_equal(properties[0].core.uuid.id, properties[1].core.uuid.id,
                            sizeof(properties[0].core.uuid.id));
    assert_memory_equal(properties[1].core.uuid.id, extension.uuid.id, sizeof(extension.uuid.id));
    assert_int_equal(properties[1].core.type, ZE_DEVICE_TYPE_VPU);
    assert_int_equal(extension.type, ZES_DEVICE_TYPE_VPU);
    for (uint32_t i = 0; i < 2; i++) {
        parts[i] =
            (zes_subdevice_exp_properties_t){.stype = ZES_STRUCTURE_TYPE_SUBDEVICE_EXP_PROPERTIES};
    }
    assert_success(zesDeviceGetSubDevicePropertiesExp(devices[1], &part_count, parts));
    assert_int_equal(part_count, 2);
    assert_memory_not_equal(parts[0].uuid.id, parts[1].uuid.id, sizeof(parts[0].uuid.id));
    free(devices);
}

static void the_core_api_declines_them(void **unused)
{
    ze_init_driver_type_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = UINT32_MAX};
    ze_device_compute_properties_t properties = {.stype =
                                                     ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_handle_t drivers[4];
    ze_context_handle_t context;
    uint32_t count = 4;
    (void)unused;
    assert_success(zeInitDrivers(&count, drivers, &desc));
    assert_int_equal(count, 1);
    assert_ptr_not_equal(drivers[0], driver);
    assert_unsupported(zeDeviceGetComputeProperties((ze_device_handle_t)device, &properties));
    assert_non_null(strstr(last_error(), "managed"));
    assert_unsupported(zeContextCreate((ze_driver_handle_t)driver, &context_desc, &context));
    assert_success(zeContextCreate(drivers[0], &context_desc, &context));
    assert_success(zeContextDestroy(context));
}

static void processes_come_and_go(void **unused)
{
    zes_process_state_t states[4] = {0};
    uint32_t count = 4;
    (void)unused;
    at(4);
    assert_success(zesDeviceProcessesGetState(device, &count, states));
    assert_int_equal(count, 1);
    assert_int_equal(states[0].processId, 41);
    assert_int_equal(states[0].memSize, 400);
    assert_int_equal(states[0].sharedSize, 7);
    assert_int_equal(states[0].engines, ZES_ENGINE_TYPE_FLAG_COMPUTE | ZES_ENGINE_TYPE_FLAG_DMA);
    at(5);
    count = 4;
    assert_success(zesDeviceProcessesGetState(device, &count, states));
    assert_int_equal(count, 2);
    assert_int_equal(states[1].processId, 42);
    at(20);
    count = 4;
    assert_success(zesDeviceProcessesGetState(device, &count, states));
    assert_int_equal(count, 1);
}

/* SYS-9 */
static void pci_is_as_described(void **unused)
{
    zes_pci_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES};
    zes_pci_state_t state = {.stype = ZES_STRUCTURE_TYPE_PCI_STATE};
    zes_pci_bar_properties_t bar = {.stype = ZES_STRUCTURE_TYPE_PCI_BAR_PROPERTIES};
    zes_pci_stats_t stats;
    zes_device_action_t action;
    uint32_t count = 1, devices;
    (void)unused;
    at(20);
    zes_device_handle_t *all = devices_of(driver, &devices);
    assert_success(zesDevicePciGetProperties(all[1], &properties));
    free(all);
    assert_int_equal(properties.address.domain, 2);
    assert_int_equal(properties.address.bus, 19);
    assert_int_equal(properties.maxSpeed.gen, 5);
    assert_true(properties.haveBandwidthCounters && properties.haveReplayCounters);
    assert_success(zesDevicePciGetBars(device, &count, &bar));
    assert_int_equal(bar.size, 65536);
    assert_success(zesDevicePciGetStats(device, &stats));
    assert_int_equal(stats.rxCounter, 20000);
    assert_int_equal(stats.txCounter, 500 + 1000);
    assert_int_equal(stats.packetCounter, 60);
    assert_int_equal(stats.replayCounter, 5);
    assert_int_equal(stats.timestamp, 20000000);
    assert_success(zesDevicePciGetState(device, &state));
    assert_int_equal(state.status, ZES_PCI_LINK_STATUS_GOOD);
    assert_int_equal(state.speed.gen, 5);
    assert_success(zesDevicePciLinkSpeedUpdateExt(device, 1, &action));
    assert_int_equal(action, ZES_DEVICE_ACTION_WARM_CARD_RESET);
    at(50);
    assert_success(zesDevicePciGetState(device, &state));
    assert_int_equal(state.qualityIssues,
                     ZES_PCI_LINK_QUAL_ISSUE_FLAG_REPLAYS | ZES_PCI_LINK_QUAL_ISSUE_FLAG_SPEED);
    assert_success(zesDeviceReset(device, 1));
    assert_success(zesDevicePciGetState(device, &state));
    assert_int_equal(state.speed.gen, 4);
}

/* SYC-10 */
static void ecc_waits_for_a_reset(void **unused)
{
    const zes_device_ecc_desc_t wanted = {.stype = ZES_STRUCTURE_TYPE_DEVICE_ECC_DESC,
                                          .state = ZES_DEVICE_ECC_STATE_DISABLED};
    zes_device_ecc_properties_t state = {.stype = ZES_STRUCTURE_TYPE_DEVICE_ECC_PROPERTIES};
    (void)unused;
    at(50);
    assert_result(zesDeviceSetEccState(device, &wanted, &state), ZE_RESULT_WARNING_ACTION_REQUIRED);
    assert_int_equal(state.currentState, ZES_DEVICE_ECC_STATE_ENABLED);
    assert_int_equal(state.pendingState, ZES_DEVICE_ECC_STATE_DISABLED);
    assert_int_equal(state.pendingAction, ZES_DEVICE_ACTION_WARM_CARD_RESET);
    assert_success(zesDeviceReset(device, 1));
    assert_success(zesDeviceGetEccState(device, &state));
    assert_int_equal(state.currentState, ZES_DEVICE_ECC_STATE_DISABLED);
    assert_int_equal(state.pendingAction, ZES_DEVICE_ACTION_NONE);
}

/* SYS-8, SYS-10 */
static void a_reset_restores_what_was_set(void **unused)
{
    const zes_fan_speed_t slow = {.speed = 10, .units = ZES_FAN_SPEED_UNITS_PERCENT};
    zes_power_energy_counter_t before, after;
    zes_device_state_t state = {.stype = ZES_STRUCTURE_TYPE_DEVICE_STATE};
    int32_t speed;
    (void)unused;
    at(60);
    assert_success(zesDeviceGetState(device, &state));
    assert_int_equal(state.reset, ZES_RESET_REASON_FLAG_WEDGED);
    assert_int_equal(state.repaired, ZES_REPAIR_STATUS_NOT_PERFORMED);
    assert_success(zesPowerGetEnergyCounter(get_power(0), &before));
    assert_success(zesFanSetFixedSpeedMode(get_fan(0), &slow));
    assert_result(zesDeviceReset(device, 0), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_success(zesFanGetState(get_fan(0), ZES_FAN_SPEED_UNITS_RPM, &speed));
    assert_int_equal(speed, 200);
    assert_success(zesDeviceReset(device, 1));
    assert_success(zesFanGetState(get_fan(0), ZES_FAN_SPEED_UNITS_RPM, &speed));
    assert_int_equal(speed, 2000);
    assert_success(zesPowerGetEnergyCounter(get_power(0), &after));
    assert_int_equal(after.energy, before.energy);
}

static void overclocking_waits_for_a_reset(void **unused)
{
    zes_overclock_mode_t mode;
    zes_pending_action_t action;
    zes_control_state_t control;
    ze_bool_t waived, on;
    double value = 0;
    uint32_t point = 0;
    (void)unused;
    at(60);
    zes_overclock_handle_t domain = get_overclock(0);
    const zes_overclock_control_t offset = ZES_OVERCLOCK_CONTROL_FREQ_OFFSET;
    assert_success(zesDeviceSetOverclockWaiver(device));
    assert_success(zesOverclockSetControlUserValue(domain, offset, 150, &action));
    assert_int_equal(action, ZES_PENDING_ACTION_PENDING_WARM_RESET);
    assert_success(zesOverclockGetControlCurrentValue(domain, offset, &value));
    assert_true(value == 0);
    assert_success(zesOverclockGetControlPendingValue(domain, offset, &value));
    assert_true(value == 150);
    assert_success(zesDeviceReset(device, 1));
    assert_success(zesOverclockGetControlCurrentValue(domain, offset, &value));
    assert_true(value == 150);
    assert_success(zesOverclockGetControlState(domain, offset, &control, &action));
    assert_int_equal(control, ZES_CONTROL_STATE_STATE_ACTIVE);
    assert_success(zesDeviceReadOverclockState(device, &mode, &waived, &on, &action, &on));
    assert_int_equal(mode, ZES_OVERCLOCK_MODE_MODE_ON);
    assert_int_equal(waived, 1);
    assert_unsupported(zesOverclockSetVFPointValues(domain, ZES_VF_TYPE_FREQ, 1, 1400));
    assert_success(zesOverclockSetVFPointValues(domain, ZES_VF_TYPE_VOLT, 1, 950));
    assert_success(zesOverclockGetVFPointValues(domain, ZES_VF_TYPE_VOLT,
                                                ZES_VF_ARRAY_TYPE_USER_VF_ARRAY, 1, &point));
    assert_int_equal(point, 950);
    assert_success(zesDeviceResetOverclockSettings(device, 1));
    assert_success(zesOverclockGetVFPointValues(domain, ZES_VF_TYPE_VOLT,
                                                ZES_VF_ARRAY_TYPE_LIVE_VF_ARRAY, 1, &point));
    assert_int_equal(point, 900);
    assert_success(zesOverclockGetControlCurrentValue(domain, offset, &value));
    assert_true(value == 0);
}

static void virtual_functions_use_memory_and_engines(void **unused)
{
    zes_vf_util_mem_exp2_t memory = {.stype = ZES_STRUCTURE_TYPE_VF_UTIL_MEM_EXP2};
    zes_vf_util_engine_exp2_t engine = {.stype = ZES_STRUCTURE_TYPE_VF_UTIL_ENGINE_EXP2};
    uint32_t count = 1;
    (void)unused;
    at(60);
    assert_success(zesVFManagementGetVFMemoryUtilizationExp2(get_function(0), &count, &memory));
    assert_int_equal(memory.vfMemUtilized, 500);
    assert_success(zesVFManagementGetVFEngineUtilizationExp2(get_function(0), &count, &engine));
    assert_int_equal(engine.activeCounterValue, 18000000);
    assert_int_equal(engine.samplingCounterValue, 60000000);
}

static void firmware_is_flashed(void **unused)
{
    zes_firmware_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FIRMWARE_PROPERTIES};
    char image[4] = "new", log[16] = "";
    uint32_t percent = 7;
    size_t size = sizeof(log);
    (void)unused;
    at(60);
    assert_success(zesFirmwareGetProperties(get_firmware(0), &properties));
    assert_string_equal(properties.name, "GSC");
    assert_string_equal(properties.version, "1.0");
    assert_success(zesFirmwareFlash(get_firmware(0), image, sizeof(image)));
    assert_success(zesFirmwareGetProperties(get_firmware(0), &properties));
    assert_string_equal(properties.version, "2.0");
    assert_success(zesFirmwareGetFlashProgress(get_firmware(0), &percent));
    assert_int_equal(percent, 100);
    assert_success(zesFirmwareGetConsoleLogs(get_firmware(0), &size, log));
    assert_string_equal(log, "booted");
}

/* SYC-23 */
static void errors_count_from_where_they_were_cleared(void **unused)
{
    zes_ras_state_t state = {.stype = ZES_STRUCTURE_TYPE_RAS_STATE};
    (void)unused;
    at(70);
    assert_success(zesRasGetState(get_ras(0), 0, &state));
    assert_int_equal(state.category[ZES_RAS_ERROR_CAT_CACHE_ERRORS], 7);
    assert_int_equal(state.category[ZES_RAS_ERROR_CAT_NON_COMPUTE_ERRORS], 70);
    assert_success(zesRasGetState(get_ras(0), 1, &state));
    at(72);
    assert_success(zesRasGetState(get_ras(0), 0, &state));
    assert_int_equal(state.category[ZES_RAS_ERROR_CAT_CACHE_ERRORS], 0);
    assert_int_equal(state.category[ZES_RAS_ERROR_CAT_NON_COMPUTE_ERRORS], 2);
}

static void tests_find_what_is_described(void **unused)
{
    zes_diag_result_t result;
    (void)unused;
    at(72);
    assert_success(zesDiagnosticsRunTests(get_suite(0), 0, 3, &result));
    assert_int_equal(result, ZES_DIAG_RESULT_NO_ERRORS);
    assert_success(zesDiagnosticsRunTests(get_suite(0), ZES_DIAG_FIRST_TEST_INDEX,
                                          ZES_DIAG_LAST_TEST_INDEX, &result));
    assert_int_equal(result, ZES_DIAG_RESULT_FAIL_CANT_REPAIR);
}

static void time_does_not_go_back(void **unused)
{
    (void)unused;
    at(80);
    assert_result(set_time(UINT64_C(79999999999)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    at(80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_differ_by_the_number),
        cmocka_unit_test(the_core_api_declines_them),
        cmocka_unit_test(processes_come_and_go),
        cmocka_unit_test(pci_is_as_described),
        cmocka_unit_test(ecc_waits_for_a_reset),
        cmocka_unit_test(a_reset_restores_what_was_set),
        cmocka_unit_test(overclocking_waits_for_a_reset),
        cmocka_unit_test(virtual_functions_use_memory_and_engines),
        cmocka_unit_test(firmware_is_flashed),
        cmocka_unit_test(errors_count_from_where_they_were_cleared),
        cmocka_unit_test(tests_find_what_is_described),
        cmocka_unit_test(time_does_not_go_back),
    };
    return cmocka_run_group_tests(tests, simulated_setup, NULL);
}
