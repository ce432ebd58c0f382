/* Fabric ports, temperatures, power supplies, fans, LEDs. */
#include "simulated.h"

#include <math.h>

static double celsius(uint32_t index)
{
    double value = -1;
    assert_success(zesTemperatureGetState(get_temperature(index), &value));
    return value;
}

static int32_t fan_speed(zes_fan_speed_units_t units)
{
    int32_t speed = -7;
    assert_success(zesFanGetState(get_fan(0), units, &speed));
    return speed;
}

static void every_kind_of_script_is_as_written(void **unused)
{
    (void)unused;
    at(0);
    assert_true(fabs(celsius(0) - 30) < 1e-9);
    assert_true(fabs(celsius(1) - 50) < 1e-9);
    assert_true(fabs(celsius(3) - 1) < 1e-9);
    const double noise = celsius(2);
    assert_true(noise != 40 && fabs(noise - 40) <= 2);
    at(0.5);
    assert_true(celsius(2) == noise); /* it stays for a second */
    at(5);
    assert_true(celsius(2) != noise);
    assert_true(fabs(celsius(3) - 106) < 1e-9);
    at(10);
    assert_true(fabs(celsius(0) - 40) < 1e-9);
    assert_true(fabs(celsius(1) - 60) < 1e-9);
}

static void power_supplies_fail_in_time(void **unused)
{
    zes_psu_state_t state = {.stype = ZES_STRUCTURE_TYPE_PSU_STATE};
    (void)unused;
    at(10);
    assert_success(zesPsuGetState(get_psu(0), &state));
    assert_int_equal(state.voltStatus, ZES_PSU_VOLTAGE_STATUS_UNDER);
    assert_int_equal(state.fanFailed, 1);
    assert_int_equal(state.temperature, 45);
    assert_int_equal(state.current, 12000);
}

static void fans_turn_as_they_are_told(void **unused)
{
    const zes_fan_speed_t half = {.speed = 50, .units = ZES_FAN_SPEED_UNITS_PERCENT};
    zes_fan_speed_table_t table = {.numPoints = 2};
    zes_fan_config_t config = {.stype = ZES_STRUCTURE_TYPE_FAN_CONFIG};
    (void)unused;
    at(10);
    assert_int_equal(fan_speed(ZES_FAN_SPEED_UNITS_RPM), 2000); /* no more than it can */
    assert_success(zesFanSetFixedSpeedMode(get_fan(0), &half));
    assert_int_equal(fan_speed(ZES_FAN_SPEED_UNITS_RPM), 1000);
    assert_int_equal(fan_speed(ZES_FAN_SPEED_UNITS_PERCENT), 50);
    table.table[0].temperature = 20;
    table.table[0].speed = (zes_fan_speed_t){300, ZES_FAN_SPEED_UNITS_RPM};
    table.table[1].temperature = 90;
    table.table[1].speed = (zes_fan_speed_t){1800, ZES_FAN_SPEED_UNITS_RPM};
    assert_success(zesFanSetSpeedTableMode(get_fan(0), &table));
    assert_int_equal(fan_speed(ZES_FAN_SPEED_UNITS_RPM), 1800); /* it is 100 degrees */
    assert_success(zesFanGetConfig(get_fan(0), &config));
    assert_int_equal(config.mode, ZES_FAN_SPEED_MODE_TABLE);
    assert_int_equal(config.speedTable.numPoints, 2);
    assert_success(zesFanSetDefaultMode(get_fan(0)));
    assert_int_equal(fan_speed(ZES_FAN_SPEED_UNITS_RPM), 2000);
}

static void lights_keep_what_is_set(void **unused)
{
    const zes_led_color_t colour = {.red = 1, .green = 0.75, .blue = 0};
    zes_led_state_t state = {.stype = ZES_STRUCTURE_TYPE_LED_STATE};
    (void)unused;
    assert_success(zesLedGetState(get_led(0), &state));
    assert_true(state.isOn && state.color.red == 0.25 && state.color.blue == 1);
    assert_success(zesLedSetState(get_led(0), 0));
    assert_success(zesLedSetColor(get_led(0), &colour));
    assert_success(zesLedSetState(get_led(0), 1));
    assert_success(zesLedGetState(get_led(0), &state));
    assert_true(state.color.red == 1 && state.color.green == 0.75);
}

/* SYC-17 */
static void ports_are_linked_by_their_ids(void **unused)
{
    zes_fabric_port_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_PROPERTIES};
    zes_fabric_port_state_t state = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE};
    zes_fabric_port_error_counters_t errors = {.stype =
                                                   ZES_STRUCTURE_TYPE_FABRIC_PORT_ERROR_COUNTERS};
    zes_fabric_link_type_t link;
    (void)unused;
    at(20);
    assert_success(zesFabricPortGetProperties(get_port(0), &properties));
    assert_int_equal(properties.portId.fabricId, 7);
    assert_int_equal(properties.portId.attachId, 0);
    assert_int_equal(properties.portId.portNumber, 1);
    assert_int_equal(properties.maxTxSpeed.bitRate, 3000);
    assert_string_equal(properties.model, "XL");
    assert_success(zesFabricPortGetLinkType(get_port(0), &link));
    assert_string_equal(link.desc, "copper");
    assert_success(zesFabricPortGetState(get_port(0), &state));
    assert_int_equal(state.status, ZES_FABRIC_PORT_STATUS_HEALTHY);
    assert_int_equal(state.remotePortId.attachId, 1);
    assert_int_equal(state.remotePortId.portNumber, 9);
    assert_int_equal(state.rxSpeed.width, 4);
    assert_success(zesFabricPortGetFabricErrorCounters(get_port(0), &errors));
    assert_int_equal(errors.linkFailureCount, 1);
    assert_int_equal(errors.linkDegradeCount, 2);
    assert_int_equal(errors.fwErrorCount, 3);
    assert_int_equal(errors.fwCommErrorCount, 4);
}

static void a_port_that_is_off_has_no_traffic(void **unused)
{
    zes_fabric_port_config_t config = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_CONFIG};
    zes_fabric_port_state_t state = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE};
    zes_fabric_port_throughput_t before, after;
    (void)unused;
    at(25);
    assert_success(zesFabricPortGetThroughput(get_port(0), &before));
    assert_int_equal(before.rxCounter, 250);
    assert_int_equal(before.txCounter, 500);
    assert_success(zesFabricPortGetConfig(get_port(0), &config));
    assert_int_equal(config.beaconing, 1);
    config.enabled = 0;
    assert_success(zesFabricPortSetConfig(get_port(0), &config));
    at(30);
    assert_success(zesFabricPortGetThroughput(get_port(0), &after));
    assert_int_equal(after.rxCounter, before.rxCounter);
    assert_success(zesFabricPortGetState(get_port(0), &state));
    assert_int_equal(state.status, ZES_FABRIC_PORT_STATUS_DISABLED);
    config.enabled = 1;
    assert_success(zesFabricPortSetConfig(get_port(0), &config));
    at(31);
    assert_success(zesFabricPortGetThroughput(get_port(0), &after));
    assert_int_equal(after.rxCounter, before.rxCounter + 10);
}

static void links_degrade_and_fail(void **unused)
{
    zes_fabric_port_state_t state = {.stype = ZES_STRUCTURE_TYPE_FABRIC_PORT_STATE};
    (void)unused;
    at(40);
    assert_success(zesFabricPortGetState(get_port(0), &state));
    assert_int_equal(state.status, ZES_FABRIC_PORT_STATUS_DEGRADED);
    assert_int_equal(state.qualityIssues, ZES_FABRIC_PORT_QUAL_ISSUE_FLAG_SPEED);
    at(50);
    assert_success(zesFabricPortGetState(get_port(0), &state));
    assert_int_equal(state.status, ZES_FABRIC_PORT_STATUS_FAILED);
    assert_int_equal(state.qualityIssues, 0);
    assert_int_equal(state.failureReasons,
                     ZES_FABRIC_PORT_FAILURE_FLAG_FAILED | ZES_FABRIC_PORT_FAILURE_FLAG_FLAPPING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_script_is_as_written),
        cmocka_unit_test(power_supplies_fail_in_time),
        cmocka_unit_test(fans_turn_as_they_are_told),
        cmocka_unit_test(lights_keep_what_is_set),
        cmocka_unit_test(ports_are_linked_by_their_ids),
        cmocka_unit_test(a_port_that_is_off_has_no_traffic),
        cmocka_unit_test(links_degrade_and_fail),
    };
    return cmocka_run_group_tests(tests, simulated_setup, NULL);
}
