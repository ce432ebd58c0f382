/* Devices as a whole: identity, state, resets, processes, PCI, error correction. */
#include "sysman.h"

/* SYS-6, SYS-10 */
static void identity_comes_from_the_backend(void **unused)
{
    zes_oem_serial_id_ext_properties_t oem;
    zes_device_ext_properties_t extension = {.stype = ZES_STRUCTURE_TYPE_DEVICE_EXT_PROPERTIES,
                                             .pNext = &oem};
    zes_device_properties_t properties;
    (void)unused;
    memset(&oem, 0xa5, sizeof(oem));
    oem.stype = ZES_STRUCTURE_TYPE_OEM_SERIAL_ID_EXT_PROPERTIES;
    oem.pNext = NULL;
    memset(&properties, 0xa5, sizeof(properties));
    properties.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    properties.pNext = &extension;
    assert_success(zesDeviceGetProperties(device, &properties));
    assert_int_equal(properties.numSubdevices, 2);
    assert_string_equal(properties.serialNumber, "S-123");
    assert_string_equal(properties.boardNumber, "B-456");
    assert_string_equal(properties.brandName, "Brand");
    assert_string_equal(properties.modelName, "Model (simulated)");
    assert_string_equal(properties.vendorName, "Vendor");
    assert_string_equal(properties.driverVersion, "1.2.3");
    assert_int_equal(properties.driverVersion[ZES_STRING_PROPERTY_SIZE - 1], 0);
    assert_memory_equal(extension.uuid.id, properties.core.uuid.id, sizeof(extension.uuid.id));
    assert_int_equal(oem.length, 308);
    assert_int_equal(strlen(oem.oemSerialId), 308);
    assert_memory_equal(oem.oemSerialId, "OEM-789 abc", 11);
    assert_int_equal(oem.oemSerialId[ZES_OEM_SERIAL_ID_SIZE - 1], 0);
}

/* SYC-29 */
static void survivability_is_the_result_of_identity(void **unused)
{
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    char image[] = "new";
    (void)unused;
    state->state_flags = ZES_DEVICE_STATE_EXT_FLAG_SURVIVABILITY;
    assert_result(zesDeviceGetProperties(device, &properties),
                  ZE_RESULT_ERROR_SURVIVABILITY_MODE_DETECTED);
    assert_string_equal(properties.serialNumber, "S-123");
    assert_success(zesFirmwareFlash(get_firmware(0), image, sizeof(image)));
    set_operation(DESCRIBED_device_state, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_success(zesDeviceGetProperties(device, &properties));
}

/* SYS-6, SYS-10 */
static void state_says_why_a_reset_is_needed(void **unused)
{
    zes_device_ext_state_t extension = {.stype = ZES_STRUCTURE_TYPE_DEVICE_EXT_STATE};
    zes_device_state_t now = {.stype = ZES_STRUCTURE_TYPE_DEVICE_STATE, .pNext = &extension};
    (void)unused;
    state->reset_reason = ZES_RESET_REASON_FLAG_WEDGED | ZES_RESET_REASON_FLAG_REPAIR;
    state->repaired = ZES_REPAIR_STATUS_PERFORMED;
    state->state_flags = ZES_DEVICE_STATE_EXT_FLAG_WEDGED;
    assert_success(zesDeviceGetState(device, &now));
    assert_int_equal(now.stype, ZES_STRUCTURE_TYPE_DEVICE_STATE);
    assert_int_equal(now.reset, 3);
    assert_int_equal(now.repaired, ZES_REPAIR_STATUS_PERFORMED);
    assert_int_equal(extension.flags, ZES_DEVICE_STATE_EXT_FLAG_WEDGED);
}

/* SYS-8, SYS-10, SYC-32 */
static void devices_are_reset(void **unused)
{
    zes_reset_properties_t reset = {
        .stype = ZES_STRUCTURE_TYPE_RESET_PROPERTIES, .force = 0, .resetType = ZES_RESET_TYPE_FLR};
    (void)unused;
    assert_success(zesDeviceReset(device, 5));
    assert_true(state->reset_forced);
    assert_int_equal(state->reset_type, -1);
    assert_success(zesDeviceResetExt(device, &reset));
    assert_false(state->reset_forced);
    assert_int_equal(state->reset_type, ZES_RESET_TYPE_FLR);
    reset.resetType = (zes_reset_type_t)3;
    assert_result(zesDeviceResetExt(device, &reset), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    set_operation(DESCRIBED_device_reset, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_result(zesDeviceReset(device, 0), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    set_operation(DESCRIBED_device_reset, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_result(zesDeviceReset(device, 1), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
}

/* SYS-7, SYS-10 */
static void processes_are_told_all_or_none(void **unused)
{
    zes_process_state_t processes[DESCRIBED_PROCESSES];
    uint32_t count = 0;
    (void)unused;
    for (uint32_t i = 0; i < 40; i++) {
        state->processes[i] = (zes_process_state_t){.processId = 100 + i,
                                                    .memSize = 1000 * i,
                                                    .sharedSize = i,
                                                    .engines = ZES_ENGINE_TYPE_FLAG_COMPUTE};
    }
    state->process_count = 40; /* more than are asked for at first */
    assert_success(zesDeviceProcessesGetState(device, &count, NULL));
    assert_int_equal(count, 40);
    memset(processes, 0xa5, sizeof(processes));
    count = 39;
    assert_result(zesDeviceProcessesGetState(device, &count, processes),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(count, 40);
    assert_int_equal(processes[0].processId, 0xa5a5a5a5);
    processes[39].pNext = processes;
    count = DESCRIBED_PROCESSES;
    assert_success(zesDeviceProcessesGetState(device, &count, processes));
    assert_int_equal(count, 40);
    assert_int_equal(processes[39].processId, 139);
    assert_int_equal(processes[39].memSize, 39000);
    assert_int_equal(processes[39].sharedSize, 39);
    assert_int_equal(processes[39].engines, ZES_ENGINE_TYPE_FLAG_COMPUTE);
    assert_ptr_equal(processes[39].pNext, processes);
    assert_int_equal((uint32_t)processes[39].stype, 0xa5a5a5a5);
    assert_int_equal(processes[40].processId, 0xa5a5a5a5);
}

/* SYS-7 */
static void processes_that_come_meanwhile_are_counted(void **unused)
{
    zes_process_state_t processes[DESCRIBED_PROCESSES];
    uint32_t count = DESCRIBED_PROCESSES;
    (void)unused;
    memset(processes, 0, sizeof(processes));
    for (uint32_t i = 0; i < DESCRIBED_PROCESSES; i++) {
        state->processes[i].processId = 100 + i;
    }
    state->process_count = 16;
    state->process_growth = 10; /* with each question: 16, 26, 36 */
    assert_success(zesDeviceProcessesGetState(device, &count, processes));
    assert_int_equal(count, 16);
    count = DESCRIBED_PROCESSES;
    assert_success(zesDeviceProcessesGetState(device, &count, processes));
    assert_int_equal(count, 36); /* 26 were too many for the first question */
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(processes[i].processId, 100 + i);
    }
}

/* SYS-9 */
static void the_pci_link_is_told(void **unused)
{
    zes_pci_link_speed_downgrade_ext_properties_t downgrade = {
        .stype = ZES_STRUCTURE_TYPE_PCI_LINK_SPEED_DOWNGRADE_EXT_PROPERTIES};
    zes_pci_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES,
                                       .pNext = &downgrade};
    zes_pci_link_speed_downgrade_ext_state_t slow = {
        .stype = ZES_STRUCTURE_TYPE_PCI_LINK_SPEED_DOWNGRADE_EXT_STATE};
    zes_pci_state_t now = {.stype = ZES_STRUCTURE_TYPE_PCI_STATE, .pNext = &slow};
    zes_pci_stats_t stats = {0};
    zes_device_action_t action = ZES_DEVICE_ACTION_NONE;
    (void)unused;
    assert_success(zesDevicePciGetProperties(device, &properties));
    assert_ptr_equal(properties.pNext, &downgrade);
    assert_int_equal(properties.address.bus, 0x3a);
    assert_int_equal(properties.maxSpeed.gen, 5);
    assert_int_equal(properties.maxSpeed.maxBandwidth, INT64_C(64000000000));
    assert_int_equal(properties.haveBandwidthCounters, 1);
    assert_int_equal(properties.havePacketCounters, 0);
    assert_int_equal(downgrade.pciLinkSpeedUpdateCapable, 1);
    assert_int_equal(downgrade.maxPciGenSupported, 5);
    state->pci = (zes_pci_state_t){.status = ZES_PCI_LINK_STATUS_QUALITY_ISSUES,
                                   .qualityIssues = ZES_PCI_LINK_QUAL_ISSUE_FLAG_REPLAYS,
                                   .stabilityIssues = ZES_PCI_LINK_STAB_ISSUE_FLAG_RETRAINING,
                                   .speed = {4, 8, 16}};
    assert_success(zesDevicePciLinkSpeedUpdateExt(device, 9, &action));
    assert_int_equal(action, ZES_DEVICE_ACTION_WARM_CARD_RESET);
    assert_success(zesDevicePciGetState(device, &now));
    assert_int_equal(now.status, ZES_PCI_LINK_STATUS_QUALITY_ISSUES);
    assert_int_equal(now.qualityIssues, ZES_PCI_LINK_QUAL_ISSUE_FLAG_REPLAYS);
    assert_int_equal(now.stabilityIssues, ZES_PCI_LINK_STAB_ISSUE_FLAG_RETRAINING);
    assert_int_equal(now.speed.width, 8);
    assert_int_equal(slow.pciLinkSpeedDowngradeStatus, 1);
    state->pci_stats = (zes_pci_stats_t){1, 2, 3, 4, 5, {4, 8, 16}};
    assert_success(zesDevicePciGetStats(device, &stats));
    assert_memory_equal(&stats, &state->pci_stats, sizeof(stats));
}

/* SYS-9 */
static void pci_windows_are_listed(void **unused)
{
    zes_pci_bar_properties_1_2_t newer = {.stype = ZES_STRUCTURE_TYPE_PCI_BAR_PROPERTIES_1_2};
    zes_pci_bar_properties_t bars[3];
    uint32_t count = 3;
    (void)unused;
    memset(bars, 0xa5, sizeof(bars));
    for (int i = 0; i < 3; i++) {
        bars[i].stype = ZES_STRUCTURE_TYPE_PCI_BAR_PROPERTIES;
        bars[i].pNext = i == 1 ? &newer : NULL;
    }
    assert_success(zesDevicePciGetBars(device, &count, bars));
    assert_int_equal(count, 2);
    assert_int_equal(bars[0].type, ZES_PCI_BAR_TYPE_MMIO);
    assert_int_equal(bars[0].base, 0x1000);
    assert_int_equal(bars[1].index, 2);
    assert_int_equal(bars[1].size, UINT64_C(1) << 34);
    assert_ptr_equal(bars[1].pNext, &newer);
    assert_int_equal(newer.stype, ZES_STRUCTURE_TYPE_PCI_BAR_PROPERTIES_1_2);
    assert_int_equal(newer.index, 2);
    assert_int_equal(newer.resizableBarSupported, 1);
    assert_int_equal(newer.resizableBarEnabled, 1);
    assert_int_equal(bars[2].index, 0xa5a5a5a5);
}

/* SYC-10 */
static void error_correction_is_told_and_switched(void **unused)
{
    zes_device_ecc_default_properties_ext_t shipped = {
        .stype = ZES_STRUCTURE_TYPE_DEVICE_ECC_DEFAULT_PROPERTIES_EXT};
    zes_device_ecc_properties_t now = {.stype = ZES_STRUCTURE_TYPE_DEVICE_ECC_PROPERTIES,
                                       .pNext = &shipped};
    zes_device_ecc_desc_t wanted = {.stype = ZES_STRUCTURE_TYPE_DEVICE_ECC_DESC,
                                    .state = ZES_DEVICE_ECC_STATE_ENABLED};
    ze_bool_t yes = 0;
    (void)unused;
    assert_success(zesDeviceEccAvailable(device, &yes));
    assert_int_equal(yes, 1);
    yes = 0;
    assert_success(zesDeviceEccConfigurable(device, &yes));
    assert_int_equal(yes, 1);
    state->ecc = (zes_device_ecc_properties_t){.currentState = ZES_DEVICE_ECC_STATE_DISABLED,
                                               .pendingState = ZES_DEVICE_ECC_STATE_DISABLED};
    assert_success(zesDeviceGetEccState(device, &now));
    assert_int_equal(now.currentState, ZES_DEVICE_ECC_STATE_DISABLED);
    assert_int_equal(now.pendingAction, ZES_DEVICE_ACTION_NONE);
    assert_int_equal(shipped.defaultState, ZES_DEVICE_ECC_STATE_DISABLED);
    shipped.defaultState = ZES_DEVICE_ECC_STATE_UNAVAILABLE;
    assert_result(zesDeviceSetEccState(device, &wanted, &now), ZE_RESULT_WARNING_ACTION_REQUIRED);
    assert_int_equal(now.currentState, ZES_DEVICE_ECC_STATE_DISABLED);
    assert_int_equal(now.pendingState, ZES_DEVICE_ECC_STATE_ENABLED);
    assert_int_equal(now.pendingAction, ZES_DEVICE_ACTION_COLD_CARD_RESET);
    assert_int_equal(shipped.defaultState, ZES_DEVICE_ECC_STATE_DISABLED);
    wanted.state = ZES_DEVICE_ECC_STATE_DISABLED;
    assert_success(zesDeviceSetEccState(device, &wanted, &now));
    wanted.state = ZES_DEVICE_ECC_STATE_UNAVAILABLE;
    assert_result(zesDeviceSetEccState(device, &wanted, &now), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_int_equal(state->calls[DESCRIBED_device_ecc_set], 2);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        SYSMAN_CASE(identity_comes_from_the_backend),
        SYSMAN_CASE(survivability_is_the_result_of_identity),
        SYSMAN_CASE(state_says_why_a_reset_is_needed),
        SYSMAN_CASE(devices_are_reset),
        SYSMAN_CASE(processes_are_told_all_or_none),
        SYSMAN_CASE(processes_that_come_meanwhile_are_counted),
        SYSMAN_CASE(the_pci_link_is_told),
        SYSMAN_CASE(pci_windows_are_listed),
        SYSMAN_CASE(error_correction_is_told_and_switched),
    };
    return cmocka_run_group_tests_name("sysman device", cases, sysman_setup, NULL);
}
