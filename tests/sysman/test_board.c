/* What is on the board: fans, LEDs, power supplies, fabric ports. */
#include "sysman.h"

#include <math.h>

/* ---- fans ---- */

/* SYC-21 */
static void fans_say_what_they_can(void **unused)
{
    zes_fan_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FAN_PROPERTIES};
    zes_fan_config_t config;
    int32_t speed = 0;
    (void)unused;
    assert_success(zesFanGetProperties(get_fan(0), &properties));
    assert_int_equal(properties.canControl, 1);
    assert_int_equal(properties.supportedModes, 7);
    assert_int_equal(properties.supportedUnits, 3);
    assert_int_equal(properties.maxRPM, 3000);
    assert_int_equal(properties.maxPoints, 4);
    state->fan = (zes_fan_config_t){.mode = ZES_FAN_SPEED_MODE_TABLE,
                                    .speedFixed = {-1, ZES_FAN_SPEED_UNITS_PERCENT},
                                    .speedTable = {1, {{60, {40, ZES_FAN_SPEED_UNITS_PERCENT}}}}};
    memset(&config, 0xa5, sizeof(config));
    config.stype = ZES_STRUCTURE_TYPE_FAN_CONFIG;
    config.pNext = NULL;
    assert_success(zesFanGetConfig(get_fan(0), &config));
    assert_int_equal(config.stype, ZES_STRUCTURE_TYPE_FAN_CONFIG);
    assert_int_equal(config.mode, ZES_FAN_SPEED_MODE_TABLE);
    assert_int_equal(config.speedFixed.speed, -1);
    assert_int_equal(config.speedTable.numPoints, 1);
    assert_int_equal(config.speedTable.table[0].temperature, 60);
    assert_int_equal(config.speedTable.table[0].speed.speed, 40);
    assert_int_equal(config.speedTable.table[31].temperature, 0);
    state->fan_speed = 1500;
    assert_success(zesFanGetState(get_fan(0), ZES_FAN_SPEED_UNITS_RPM, &speed));
    assert_int_equal(speed, 1500);
    assert_success(zesFanGetState(get_fan(0), ZES_FAN_SPEED_UNITS_PERCENT, &speed));
    assert_int_equal(speed, 50);
    assert_unsupported(zesFanGetState(get_fan(1), ZES_FAN_SPEED_UNITS_PERCENT, &speed));
    assert_result(zesFanGetState(get_fan(0), (zes_fan_speed_units_t)2, &speed),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_int_equal(speed, 50);
}

/* SYC-21 */
static void a_setting_of_another_mode_is_not_told(void **unused)
{
    zes_fan_config_t config = {.stype = ZES_STRUCTURE_TYPE_FAN_CONFIG};
    (void)unused;
    state->fan = (zes_fan_config_t){.mode = ZES_FAN_SPEED_MODE_DEFAULT,
                                    .speedFixed = {0, ZES_FAN_SPEED_UNITS_RPM},
                                    .speedTable = {1, {{60, {40, ZES_FAN_SPEED_UNITS_PERCENT}}}}};
    assert_success(zesFanGetConfig(get_fan(0), &config));
    assert_int_equal(config.speedFixed.speed, -1);
    assert_int_equal(config.speedTable.numPoints, 0);
    state->fan.mode = ZES_FAN_SPEED_MODE_TABLE;
    assert_success(zesFanGetConfig(get_fan(0), &config));
    assert_int_equal(config.speedFixed.speed, -1);
    assert_int_equal(config.speedTable.numPoints, 1);
    state->fan.mode = ZES_FAN_SPEED_MODE_FIXED;
    assert_success(zesFanGetConfig(get_fan(0), &config));
    assert_int_equal(config.speedFixed.speed, 0); /* it stands */
    assert_int_equal(config.speedTable.numPoints, 0);
}

/* SYC-21 */
static void speeds_are_fixed(void **unused)
{
    static const zes_fan_speed_t right[] = {{0, ZES_FAN_SPEED_UNITS_RPM},
                                            {3000, ZES_FAN_SPEED_UNITS_RPM},
                                            {100, ZES_FAN_SPEED_UNITS_PERCENT}};
    static const zes_fan_speed_t wrong[] = {{-1, ZES_FAN_SPEED_UNITS_RPM},
                                            {3001, ZES_FAN_SPEED_UNITS_RPM},
                                            {101, ZES_FAN_SPEED_UNITS_PERCENT},
                                            {-1, ZES_FAN_SPEED_UNITS_PERCENT}};
    const zes_fan_speed_t fast = {90000, ZES_FAN_SPEED_UNITS_RPM};
    const zes_fan_speed_t half = {50, ZES_FAN_SPEED_UNITS_PERCENT};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        assert_success(zesFanSetFixedSpeedMode(get_fan(0), &right[i]));
        assert_int_equal(state->fan.mode, ZES_FAN_SPEED_MODE_FIXED);
        assert_int_equal(state->fan.speedFixed.speed, right[i].speed);
        assert_int_equal(state->fan.speedFixed.units, right[i].units);
    }
    for (int i = 0; i < 4; i++) {
        assert_invalid(zesFanSetFixedSpeedMode(get_fan(0), &wrong[i]));
    }
    assert_success(zesFanSetFixedSpeedMode(get_fan(2), &fast)); /* nobody knows its maximum */
    assert_unsupported(zesFanSetFixedSpeedMode(get_fan(2), &half));
    assert_success(zesFanSetDefaultMode(get_fan(0)));
    assert_int_equal(state->fan.mode, ZES_FAN_SPEED_MODE_DEFAULT);
    assert_int_equal(state->calls[DESCRIBED_fan_set_config], 5);
}

/* SYC-21, SYS-4 */
static void fans_without_control_stay(void **unused)
{
    const zes_fan_speed_t speed = {1000, ZES_FAN_SPEED_UNITS_RPM};
    const zes_fan_speed_table_t table = {1, {{50, {1000, ZES_FAN_SPEED_UNITS_RPM}}}};
    (void)unused;
    assert_unsupported(zesFanSetDefaultMode(get_fan(1)));
    assert_unsupported(zesFanSetFixedSpeedMode(get_fan(1), &speed));
    assert_unsupported(zesFanSetSpeedTableMode(get_fan(1), &table));
    assert_unsupported(zesFanSetSpeedTableMode(get_fan(2), &table)); /* not this mode */
    assert_unsupported(zesFanSetDefaultMode(get_fan(2)));
    assert_int_equal(state->calls[DESCRIBED_fan_set_config], 0);
}

/* SYC-21 */
static void tables_rise(void **unused)
{
    zes_fan_speed_table_t table = {3,
                                   {{40, {20, ZES_FAN_SPEED_UNITS_PERCENT}},
                                    {60, {900, ZES_FAN_SPEED_UNITS_RPM}},
                                    {80, {100, ZES_FAN_SPEED_UNITS_PERCENT}}}};
    (void)unused;
    assert_success(zesFanSetSpeedTableMode(get_fan(0), &table));
    assert_int_equal(state->fan.mode, ZES_FAN_SPEED_MODE_TABLE);
    assert_int_equal(state->fan.speedTable.numPoints, 3);
    assert_int_equal(state->fan.speedTable.table[2].temperature, 80);
    table.table[2].temperature = 60;
    assert_invalid(zesFanSetSpeedTableMode(get_fan(0), &table));
    table.table[2].temperature = 80;
    table.table[1].speed.speed = 3001;
    assert_invalid(zesFanSetSpeedTableMode(get_fan(0), &table));
    table.table[1].speed.speed = 900;
    table.table[1].speed.units = (zes_fan_speed_units_t)40;
    assert_unsupported(zesFanSetSpeedTableMode(get_fan(0), &table));
    table.table[1].speed.units = ZES_FAN_SPEED_UNITS_RPM;
    table.numPoints = 0;
    assert_invalid(zesFanSetSpeedTableMode(get_fan(0), &table));
    table.numPoints = -1;
    assert_invalid(zesFanSetSpeedTableMode(get_fan(0), &table));
    for (uint32_t i = 0; i < ZES_FAN_TEMP_SPEED_PAIR_COUNT; i++) {
        table.table[i] = (zes_fan_temp_speed_t){i, {10, ZES_FAN_SPEED_UNITS_RPM}};
    }
    table.numPoints = 5; /* it takes four */
    assert_invalid(zesFanSetSpeedTableMode(get_fan(0), &table));
    table.numPoints = INT32_MAX;
    assert_invalid(zesFanSetSpeedTableMode(get_fan(0), &table));
    assert_int_equal(state->calls[DESCRIBED_fan_set_config], 1);
}

/* ---- LEDs ---- */

/* SYC-22 */
static void leds_keep_what_is_not_set(void **unused)
{
    const zes_led_color_t red = {1, 0, 0.25};
    zes_led_state_t now;
    (void)unused;
    state->led = (zes_led_state_t){.isOn = 0, .color = {0.5, 0.5, 0.5}};
    assert_success(zesLedSetState(get_led(0), 7));
    assert_int_equal(state->led.isOn, 1);
    assert_true(state->led.color.green == 0.5);
    assert_success(zesLedSetColor(get_led(0), &red));
    assert_int_equal(state->led.isOn, 1);
    assert_true(state->led.color.red == 1 && state->led.color.green == 0);
    assert_true(state->led.color.blue == 0.25);
    memset(&now, 0xa5, sizeof(now));
    now.stype = ZES_STRUCTURE_TYPE_LED_STATE;
    now.pNext = NULL;
    assert_success(zesLedGetState(get_led(0), &now));
    assert_int_equal(now.stype, ZES_STRUCTURE_TYPE_LED_STATE);
    assert_int_equal(now.isOn, 1);
    assert_true(now.color.red == 1 && now.color.blue == 0.25);
    assert_success(zesLedSetState(get_led(0), 0));
    assert_int_equal(state->led.isOn, 0);
}

/* SYC-22 */
static void leds_that_are_off_have_no_colour(void **unused)
{
    zes_led_state_t now = {.stype = ZES_STRUCTURE_TYPE_LED_STATE};
    (void)unused;
    state->led = (zes_led_state_t){.isOn = 1, .color = {0.5, 0.25, 0.125}};
    assert_success(zesLedSetState(get_led(0), 0));
    assert_success(zesLedGetState(get_led(0), &now));
    assert_int_equal(now.isOn, 0);
    assert_true(now.color.red == 0 && now.color.green == 0 && now.color.blue == 0);
    assert_success(zesLedSetState(get_led(0), 1));
    assert_success(zesLedGetState(get_led(0), &now));
    assert_int_equal(now.isOn, 1);
    assert_true(now.color.red == 0.5 && now.color.green == 0.25 && now.color.blue == 0.125);
}

/* SYC-22, SYS-4 */
static void colours_need_an_led_that_has_them(void **unused)
{
    const zes_led_color_t right = {0, 1, 0};
    const zes_led_color_t wrong[] = {{1.1, 0, 0}, {0, -0.1, 0}, {0, 0, (double)NAN}, {0, 2, 0}};
    zes_led_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_LED_PROPERTIES};
    (void)unused;
    assert_success(zesLedGetProperties(get_led(1), &properties));
    assert_int_equal(properties.canControl, 1);
    assert_int_equal(properties.haveRGB, 0);
    assert_unsupported(zesLedSetColor(get_led(1), &right));
    assert_success(zesLedSetState(get_led(1), 1));
    assert_unsupported(zesLedSetState(get_led(2), 1));
    assert_unsupported(zesLedSetColor(get_led(2), &right));
    for (int i = 0; i < 4; i++) {
        assert_invalid(zesLedSetColor(get_led(0), &wrong[i]));
    }
    assert_int_equal(state->calls[DESCRIBED_led_set_state], 1);
}

static void an_led_that_cannot_be_read_is_set(void **unused)
{
    (void)unused;
    set_operation(DESCRIBED_led_state, DESCRIBED_ABSENT);
    assert_success(zesLedSetState(get_led(0), 1));
    assert_int_equal(state->led.isOn, 1);
}

/* ---- power supplies ---- */

/* SYC-20 */
static void power_supplies_are_told(void **unused)
{
    zes_psu_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_PSU_PROPERTIES};
    zes_psu_state_t now;
    (void)unused;
    assert_success(zesPsuGetProperties(get_psu(0), &properties));
    assert_int_equal(properties.haveFan, 1);
    assert_int_equal(properties.ampLimit, 30000);
    assert_int_equal(properties.onSubdevice, 0);
    state->psu = (zes_psu_state_t){.voltStatus = ZES_PSU_VOLTAGE_STATUS_UNDER,
                                   .fanFailed = 1,
                                   .temperature = -1,
                                   .current = 21000};
    memset(&now, 0xa5, sizeof(now));
    now.stype = ZES_STRUCTURE_TYPE_PSU_STATE;
    now.pNext = NULL;
    assert_success(zesPsuGetState(get_psu(0), &now));
    assert_int_equal(now.stype, ZES_STRUCTURE_TYPE_PSU_STATE);
    assert_int_equal(now.voltStatus, ZES_PSU_VOLTAGE_STATUS_UNDER);
    assert_int_equal(now.fanFailed, 1);
    assert_int_equal(now.temperature, -1);
    assert_int_equal(now.current, 21000);
}

/* ---- fabric ports ---- */

/* SYC-16, SYC-17 */
static void ports_are_told(void **unused)
{
    zes_fabric_port_properties_t properties;
    zes_fabric_link_type_t link;
    (void)unused;
    memset(&properties, 0xa5, sizeof(properties));
    properties.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_PROPERTIES;
    properties.pNext = NULL;
    memset(&link, 0xa5, sizeof(link));
    assert_success(zesFabricPortGetProperties(get_port(0), &properties));
    assert_string_equal(properties.model, "XL");
    assert_int_equal(properties.model[ZES_MAX_FABRIC_PORT_MODEL_SIZE - 1], 0);
    assert_int_equal(properties.onSubdevice, 1);
    assert_int_equal(properties.subdeviceId, 0);
    assert_int_equal(properties.portId.fabricId, 7);
    assert_int_equal(properties.portId.attachId, 1);
    assert_int_equal(properties.portId.portNumber, 3);
    assert_int_equal(properties.maxRxSpeed.bitRate, INT64_C(53125000000));
    assert_int_equal(properties.maxRxSpeed.width, 4);
    assert_int_equal(properties.maxTxSpeed.width, 2);
    assert_success(zesFabricPortGetLinkType(get_port(1), &link));
    assert_string_equal(link.desc, "optical");
    assert_int_equal(link.desc[ZES_MAX_FABRIC_LINK_TYPE_SIZE - 1], 0);
}

/* SYC-16, SYC-17 */
static void ports_are_configured_and_report(void **unused)
{
    zes_fabric_port_config_t config = {
        .stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_CONFIG, .enabled = 9, .beaconing = 0};
    zes_fabric_port_state_t now = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE};
    zes_fabric_port_error_counters_t errors = {.stype =
                                                   ZES_STRUCTURE_TYPE_FABRIC_PORT_ERROR_COUNTERS};
    (void)unused;
    assert_success(zesFabricPortSetConfig(get_port(0), &config));
    assert_int_equal(state->port_config.enabled, 1);
    state->port_config.beaconing = 1;
    assert_success(zesFabricPortGetConfig(get_port(0), &config));
    assert_int_equal(config.enabled, 1);
    assert_int_equal(config.beaconing, 1);
    assert_int_equal(config.stype, ZES_STRUCTURE_TYPE_FABRIC_PORT_CONFIG);
    state->port_state =
        (zes_fabric_port_state_t){.status = ZES_FABRIC_PORT_STATUS_DEGRADED,
                                  .qualityIssues = ZES_FABRIC_PORT_QUAL_ISSUE_FLAG_SPEED,
                                  .failureReasons = ZES_FABRIC_PORT_FAILURE_FLAG_FLAPPING,
                                  .remotePortId = {8, 2, 5},
                                  .rxSpeed = {25000000000, 4},
                                  .txSpeed = {-1, -1}};
    assert_success(zesFabricPortGetState(get_port(0), &now));
    assert_int_equal(now.stype, ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE);
    assert_int_equal(now.status, ZES_FABRIC_PORT_STATUS_DEGRADED);
    assert_int_equal(now.qualityIssues, ZES_FABRIC_PORT_QUAL_ISSUE_FLAG_SPEED);
    assert_int_equal(now.failureReasons, ZES_FABRIC_PORT_FAILURE_FLAG_FLAPPING);
    assert_int_equal(now.remotePortId.portNumber, 5);
    assert_int_equal(now.rxSpeed.bitRate, INT64_C(25000000000));
    assert_int_equal(now.txSpeed.width, -1);
    state->port_errors = (zes_fabric_port_error_counters_t){
        .linkFailureCount = 1, .fwCommErrorCount = 2, .fwErrorCount = 3, .linkDegradeCount = 4};
    assert_success(zesFabricPortGetFabricErrorCounters(get_port(0), &errors));
    assert_int_equal(errors.linkFailureCount, 1);
    assert_int_equal(errors.fwCommErrorCount, 2);
    assert_int_equal(errors.fwErrorCount, 3);
    assert_int_equal(errors.linkDegradeCount, 4);
}

/* SYC-16 */
static void throughput_of_several_ports_is_read_at_once(void **unused)
{
    zes_fabric_port_handle_t ports[] = {get_port(1), get_port(0)}, foreign[2];
    zes_fabric_port_throughput_t a = {7, 7, 7}, b = {7, 7, 7};
    zes_fabric_port_throughput_t *out[] = {&a, &b}, *holed[] = {&a, NULL};
    uint32_t count = 2;
    (void)unused;
    state->throughput[0] = (zes_fabric_port_throughput_t){1, 2, 3};
    state->throughput[1] = (zes_fabric_port_throughput_t){4, 5, 6};
    assert_success(zesFabricPortGetThroughput(get_port(1), &a));
    assert_int_equal(a.timestamp, 4);
    assert_int_equal(a.rxCounter, 5);
    assert_int_equal(a.txCounter, 6);
    a = b;
    assert_success(zesFabricPortGetMultiPortThroughput(device, 2, ports, out));
    assert_int_equal(a.rxCounter, 5);
    assert_int_equal(b.rxCounter, 2);
    assert_success(zesDeviceEnumFabricPorts(other_device, &count, foreign));
    a = (zes_fabric_port_throughput_t){7, 7, 7};
    foreign[0] = ports[0];
    assert_invalid(zesFabricPortGetMultiPortThroughput(device, 2, foreign, out));
    assert_result(zesFabricPortGetMultiPortThroughput(device, 2, ports, holed),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    foreign[1] = NULL;
    assert_result(zesFabricPortGetMultiPortThroughput(device, 2, foreign, out),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(a.rxCounter, 7); /* all or none */
    assert_success(zesFabricPortGetMultiPortThroughput(device, 0, ports, out));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        SYSMAN_CASE(fans_say_what_they_can),
        SYSMAN_CASE(a_setting_of_another_mode_is_not_told),
        SYSMAN_CASE(speeds_are_fixed),
        SYSMAN_CASE(fans_without_control_stay),
        SYSMAN_CASE(tables_rise),
        SYSMAN_CASE(leds_keep_what_is_not_set),
        SYSMAN_CASE(leds_that_are_off_have_no_colour),
        SYSMAN_CASE(colours_need_an_led_that_has_them),
        SYSMAN_CASE(an_led_that_cannot_be_read_is_set),
        SYSMAN_CASE(power_supplies_are_told),
        SYSMAN_CASE(ports_are_told),
        SYSMAN_CASE(ports_are_configured_and_report),
        SYSMAN_CASE(throughput_of_several_ports_is_read_at_once),
    };
    return cmocka_run_group_tests_name("sysman board", cases, sysman_setup, NULL);
}
