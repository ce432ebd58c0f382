/* Health: memory, firmware, diagnostics, temperatures. */
#include "sysman.h"

#include <math.h>

/* ---- memory ---- */

/* SYC-15 */
static void memory_is_told_with_its_chains(void **unused)
{
    zes_mem_bandwidth_counter_bits_exp_properties_t bits = {
        .stype = ZES_STRUCTURE_TYPE_MEM_BANDWIDTH_COUNTER_BITS_EXP_PROPERTIES};
    zes_mem_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES, .pNext = &bits};
    zes_mem_page_offline_state_exp_t pages = {.stype =
                                                  ZES_STRUCTURE_TYPE_MEMORY_PAGE_OFFLINE_STATE_EXP,
                                              .memoryPageOffline = 9,
                                              .maxMemoryPageOffline = 9};
    zes_mem_state_t now = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE, .pNext = &pages};
    zes_mem_bandwidth_t bandwidth = {0};
    (void)unused;
    assert_success(zesMemoryGetProperties(get_memory(0), &properties));
    assert_int_equal(properties.type, ZES_MEM_TYPE_HBM2E);
    assert_int_equal(properties.location, ZES_MEM_LOC_DEVICE);
    assert_int_equal(properties.physicalSize, UINT64_C(1) << 36);
    assert_int_equal(properties.busWidth, 1024);
    assert_int_equal(properties.numChannels, 8);
    assert_int_equal(bits.validBitsCount, 32);
    state->memory = (zes_mem_state_t){
        .health = ZES_MEM_HEALTH_DEGRADED, .free = 123, .size = UINT64_C(1) << 36};
    state->pages = 3;
    state->max_pages = 64;
    assert_success(zesMemoryGetState(get_memory(0), &now));
    assert_int_equal(now.stype, ZES_STRUCTURE_TYPE_MEM_STATE);
    assert_ptr_equal(now.pNext, &pages);
    assert_int_equal(now.health, ZES_MEM_HEALTH_DEGRADED);
    assert_int_equal(now.free, 123);
    assert_int_equal(now.size, UINT64_C(1) << 36);
    assert_int_equal(pages.memoryPageOffline, 3);
    assert_int_equal(pages.maxMemoryPageOffline, 64);
    const int none[] = {DESCRIBED_ABSENT, (int)ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        (int)ZE_RESULT_ERROR_NOT_AVAILABLE};
    for (int i = 0; i < 3; i++) { /* the rest of the state is told */
        set_operation(DESCRIBED_memory_pages_offline, none[i]);
        memset(&pages.memoryPageOffline, 0xa5, sizeof(pages.memoryPageOffline));
        now.free = 0;
        assert_success(zesMemoryGetState(get_memory(0), &now));
        assert_int_equal(now.free, 123);
        assert_int_equal(pages.memoryPageOffline, 0);
        assert_int_equal(pages.maxMemoryPageOffline, 0);
    }
    set_operation(DESCRIBED_memory_pages_offline, (int)ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_result(zesMemoryGetState(get_memory(0), &now), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    set_operation(DESCRIBED_memory_pages_offline, ZE_RESULT_SUCCESS);
    state->bandwidth = (zes_mem_bandwidth_t){1, 2, 3, 4};
    assert_success(zesMemoryGetBandwidth(get_memory(1), &bandwidth));
    assert_int_equal(bandwidth.readCounter, 1);
    assert_int_equal(bandwidth.writeCounter, 2);
    assert_int_equal(bandwidth.maxBandwidth, 3);
    assert_int_equal(bandwidth.timestamp, 4);
}

/* ---- firmware ---- */

/* SYC-14 */
static void firmware_has_a_version(void **unused)
{
    zes_firmware_properties_t properties;
    (void)unused;
    memset(&properties, 0xa5, sizeof(properties));
    properties.stype = ZES_STRUCTURE_TYPE_FIRMWARE_PROPERTIES;
    properties.pNext = NULL;
    strcpy(state->version, "102.0.1");
    assert_success(zesFirmwareGetProperties(get_firmware(0), &properties));
    assert_string_equal(properties.name, "GSC");
    assert_string_equal(properties.version, "102.0.1");
    assert_int_equal(properties.version[ZES_STRING_PROPERTY_SIZE - 1], 0);
    assert_int_equal(properties.canControl, 1);
    memset(state->version, 'v', sizeof(state->version)); /* not even terminated */
    assert_success(zesFirmwareGetProperties(get_firmware(0), &properties));
    assert_int_equal(strlen(properties.version), ZES_STRING_PROPERTY_SIZE - 1);
    set_operation(DESCRIBED_firmware_version, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_success(zesFirmwareGetProperties(get_firmware(0), &properties));
    assert_string_equal(properties.version, "unknown");
    set_operation(DESCRIBED_firmware_version, DESCRIBED_ABSENT);
    assert_success(zesFirmwareGetProperties(get_firmware(1), &properties));
    assert_string_equal(properties.version, "unknown");
    assert_int_equal(properties.canControl, 0);
    assert_int_equal(properties.onSubdevice, 1);
    assert_string_equal(properties.name,
                        "OptionROM of a maker who likes names that are long, very long");
    set_operation(DESCRIBED_firmware_version, ZE_RESULT_ERROR_DEVICE_LOST);
    assert_result(zesFirmwareGetProperties(get_firmware(0), &properties),
                  ZE_RESULT_ERROR_DEVICE_LOST);
}

/* SYC-14, SYS-4 */
static void firmware_is_flashed(void **unused)
{
    char image[] = "\x42 image";
    uint32_t percent = 0;
    (void)unused;
    assert_success(zesFirmwareFlash(get_firmware(0), image, sizeof(image)));
    assert_int_equal(state->flashed_bytes, sizeof(image));
    assert_int_equal(state->flashed_first, 0x42);
    assert_unsupported(zesFirmwareFlash(get_firmware(1), image, sizeof(image)));
    assert_result(zesFirmwareFlash(get_firmware(0), image, 0), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zesFirmwareFlash(get_firmware(0), NULL, 1), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(state->calls[DESCRIBED_firmware_flash], 1);
    state->flash_percent = 37;
    assert_success(zesFirmwareGetFlashProgress(get_firmware(0), &percent));
    assert_int_equal(percent, 37);
}

/* SYC-14 */
static void firmware_logs_and_security_versions(void **unused)
{
    char text[32], version[ZES_STRING_PROPERTY_SIZE];
    size_t size = 0;
    (void)unused;
    state->log = "started\nfailed\n";
    assert_success(zesFirmwareGetConsoleLogs(get_firmware(0), &size, NULL));
    assert_int_equal(size, 16);
    size = sizeof(text);
    memset(text, 0x5a, sizeof(text));
    assert_success(zesFirmwareGetConsoleLogs(get_firmware(0), &size, text));
    assert_int_equal(size, 16);
    assert_string_equal(text, "started\nfailed\n");
    assert_int_equal(text[16], 0x5a);
    size = 4;
    assert_success(zesFirmwareGetConsoleLogs(get_firmware(0), &size, text));
    assert_int_equal(size, 4);
    assert_string_equal(text, "sta");
    strcpy(state->security, "7");
    memset(version, 0x5a, sizeof(version));
    assert_success(zesFirmwareGetSecurityVersionExp(get_firmware(0), version));
    assert_string_equal(version, "7");
    state->security[0] = '\0';
    assert_success(zesFirmwareGetSecurityVersionExp(get_firmware(0), version));
    assert_string_equal(version, "unknown");
    assert_unsupported(zesFirmwareSetSecurityVersionExp(get_firmware(1)));
    assert_false(state->security_fixed);
    assert_success(zesFirmwareSetSecurityVersionExp(get_firmware(0)));
    assert_true(state->security_fixed);
}

/* ---- diagnostics ---- */

/* SYC-25 */
static void tests_are_listed_by_index(void **unused)
{
    zes_diag_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DIAG_PROPERTIES};
    zes_diag_test_t tests[4];
    uint32_t count = 4;
    (void)unused;
    assert_success(zesDiagnosticsGetProperties(get_suite(0), &properties));
    assert_string_equal(properties.name, "SCAN");
    assert_int_equal(properties.haveTests, 1);
    assert_success(zesDiagnosticsGetTests(get_suite(0), &count, tests));
    assert_int_equal(count, 3);
    assert_int_equal(tests[0].index, 2);
    assert_int_equal(tests[1].index, 5);
    assert_int_equal(tests[2].index, 9);
    assert_string_equal(tests[2].name, "scan 9");
    count = 4;
    assert_success(zesDiagnosticsGetTests(get_suite(1), &count, tests));
    assert_int_equal(count, 0);
}

/* SYC-25 */
static void tests_are_run_by_index(void **unused)
{
    static const struct {
        uint32_t start, end, first, last;
    } rows[] = {{0, UINT32_MAX, 2, 9}, {2, 9, 2, 9}, {5, 5, 5, 5},
                {3, UINT32_MAX, 5, 9}, {0, 6, 2, 5}, {9, 9, 9, 9}};
    static const struct {
        uint32_t start, end;
    } wrong[] = {{3, 4}, {10, UINT32_MAX}, {0, 1}, {9, 2}, {6, 8}};
    zes_diag_result_t result = ZES_DIAG_RESULT_NO_ERRORS;
    (void)unused;
    state->diagnosis = ZES_DIAG_RESULT_REBOOT_FOR_REPAIR;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_success(zesDiagnosticsRunTests(get_suite(0), rows[i].start, rows[i].end, &result));
        assert_int_equal(state->test_first, rows[i].first);
        assert_int_equal(state->test_last, rows[i].last);
        assert_int_equal(result, ZES_DIAG_RESULT_REBOOT_FOR_REPAIR);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_invalid(zesDiagnosticsRunTests(get_suite(0), wrong[i].start, wrong[i].end, &result));
    }
    assert_success(zesDiagnosticsRunTests(get_suite(1), ZES_DIAG_FIRST_TEST_INDEX,
                                          ZES_DIAG_LAST_TEST_INDEX, &result));
    assert_int_equal(state->test_last, UINT32_MAX);
    assert_invalid(zesDiagnosticsRunTests(get_suite(1), 0, 3, &result));
}

/* ---- temperatures ---- */

/* SYC-18, SYC-19 */
static void sensors_are_told(void **unused)
{
    zes_temp_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_TEMP_PROPERTIES};
    double celsius = 0;
    (void)unused;
    assert_success(zesTemperatureGetProperties(get_temperature(0), &properties));
    assert_int_equal(properties.type, ZES_TEMP_SENSORS_GLOBAL);
    assert_int_equal(properties.onSubdevice, 0);
    assert_true(properties.maxTemperature == 105);
    assert_int_equal(properties.isCriticalTempSupported, 1);
    assert_success(zesTemperatureGetProperties(get_temperature(1), &properties));
    assert_int_equal(properties.isThreshold1Supported, 0);
    state->celsius = 61.5;
    assert_success(zesTemperatureGetState(get_temperature(1), &celsius));
    assert_true(celsius == 61.5);
}

/* SYC-19 */
static void temperature_thresholds_are_kept(void **unused)
{
    const zes_base_desc_t unknown = {.stype = (zes_structure_type_t)0x7ffff000};
    zes_temp_config_t config = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG,
                                .pNext = &unknown,
                                .enableCritical = 1,
                                .threshold1 = {1, 0, 80},
                                .threshold2 = {0, 1, 105}};
    zes_temp_config_t now;
    (void)unused;
    memset(&now, 0xa5, sizeof(now));
    now.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG;
    now.pNext = NULL;
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    assert_true(state->armed_celsius.threshold1.threshold == 80);
    assert_null(state->armed_celsius.pNext);
    assert_success(zesTemperatureGetConfig(get_temperature(0), &now));
    assert_int_equal(now.stype, ZES_STRUCTURE_TYPE_TEMP_CONFIG);
    assert_int_equal(now.enableCritical, 1);
    assert_int_equal(now.threshold1.enableLowToHigh, 1);
    assert_int_equal(now.threshold1.enableHighToLow, 0);
    assert_true(now.threshold1.threshold == 80 && now.threshold2.threshold == 105);
    assert_int_equal(now.threshold2.enableHighToLow, 1);
    set_operation(DESCRIBED_temperature_set_thresholds, ZE_RESULT_ERROR_NOT_AVAILABLE);
    config.enableCritical = 0;
    assert_result(zesTemperatureSetConfig(get_temperature(0), &config),
                  ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_success(zesTemperatureGetConfig(get_temperature(0), &now));
    assert_int_equal(now.enableCritical, 1);
}

/* SYC-19 */
static void wrong_temperature_thresholds_are_refused(void **unused)
{
    zes_temp_config_t config = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG,
                                .threshold1 = {1, 0, 105.5}};
    (void)unused;
    assert_invalid(zesTemperatureSetConfig(get_temperature(0), &config));
    config.threshold1 = (zes_temp_threshold_t){0, 1, (double)NAN};
    assert_invalid(zesTemperatureSetConfig(get_temperature(0), &config));
    config.threshold1 = (zes_temp_threshold_t){0, 0, 300}; /* off: not looked at */
    config.threshold2 = (zes_temp_threshold_t){1, 1, 200};
    assert_invalid(zesTemperatureSetConfig(get_temperature(0), &config));
    config.threshold2.threshold = 90;
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    assert_unsupported(zesTemperatureSetConfig(get_temperature(1), &config));
    assert_unsupported(zesTemperatureGetConfig(get_temperature(1), &config));
    assert_unsupported(zesTemperatureSetConfig(get_temperature(2), &config)); /* threshold 2 */
    config.threshold2.enableLowToHigh = config.threshold2.enableHighToLow = 0;
    config.threshold1 = (zes_temp_threshold_t){1, 0, 70};
    assert_success(zesTemperatureSetConfig(get_temperature(2), &config));
    config.enableCritical = 1;
    assert_unsupported(zesTemperatureSetConfig(get_temperature(2), &config));
    assert_int_equal(state->calls[DESCRIBED_temperature_set_thresholds], 2);
}

/* SYC-19 */
static void temperature_thresholds_are_not_above_tj_max(void **unused)
{
    zes_temp_config_t config = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG, .threshold1 = {1, 0, 96}};
    const zes_oc_capabilities_t oc = state->oc;
    (void)unused;
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    state->oc = (zes_oc_capabilities_t){.isOcSupported = 1, .isTjMaxSupported = 1};
    state->oc_tj = 95; /* of the domain of sub-device 0 */
    assert_invalid(zesTemperatureSetConfig(get_temperature(0), &config));
    assert_invalid(zesTemperatureSetConfig(get_temperature(2), &config)); /* sub-device 0 */
    config.threshold1 = (zes_temp_threshold_t){0};
    config.threshold2 = (zes_temp_threshold_t){0, 1, 95.5};
    assert_invalid(zesTemperatureSetConfig(get_temperature(0), &config));
    config.threshold2.threshold = 95;
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    state->oc_tj = 0; /* not known */
    config.threshold2.threshold = 105;
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    config.threshold2.threshold = -(double)INFINITY;
    assert_invalid(zesTemperatureSetConfig(get_temperature(0), &config));
    state->oc = oc;
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        SYSMAN_CASE(memory_is_told_with_its_chains),
        SYSMAN_CASE(firmware_has_a_version),
        SYSMAN_CASE(firmware_is_flashed),
        SYSMAN_CASE(firmware_logs_and_security_versions),
        SYSMAN_CASE(tests_are_listed_by_index),
        SYSMAN_CASE(tests_are_run_by_index),
        SYSMAN_CASE(sensors_are_told),
        SYSMAN_CASE(temperature_thresholds_are_kept),
        SYSMAN_CASE(wrong_temperature_thresholds_are_refused),
        SYSMAN_CASE(temperature_thresholds_are_not_above_tj_max),
    };
    return cmocka_run_group_tests_name("sysman health", cases, sysman_setup, NULL);
}
