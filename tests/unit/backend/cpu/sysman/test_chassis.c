/* What the machine around the processors has: fans, power supplies, lights. */
#include "machine_fixture.h"

#include <stdio.h>

#define CHIPS  "/sys/class/hwmon"
#define LIGHTS "/sys/class/leds"

/* ---- fans ---- */

static const struct geo_sysman_fan *fan_at(const struct machine *machine, uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_FAN, index);
}

static int32_t speed_read(struct machine *machine, uint32_t index, zes_fan_speed_units_t units)
{
    const struct geo_sysman_fan *fan = fan_at(machine, index);
    int32_t speed = -1;
    assert_works(machine, fan->ops->speed(fan, units, &speed, &machine->why));
    return speed;
}

static void fans_turn_as_the_chip_measures(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_FAN), 1);
    assert_string_equal(fan_at(&machine, 0)->base.name, "hwmon5/fan1");
    assert_int_equal(fan_at(&machine, 0)->properties.maxRPM, -1);
    assert_int_equal(speed_read(&machine, 0, ZES_FAN_SPEED_UNITS_RPM), 2741);
    assert_int_equal(speed_read(&machine, 0, ZES_FAN_SPEED_UNITS_PERCENT), 50); /* 128 of 255 */
    machine_close(&machine);
    machine_open(&machine, "server2s", 8, 2); /* the power supply's is not ours */
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_FAN), 2);
    assert_int_equal(fan_at(&machine, 1)->properties.maxRPM, 12000);
    assert_int_equal(fan_at(&machine, 1)->base.subdevice, -1);
    assert_int_equal(speed_read(&machine, 1, ZES_FAN_SPEED_UNITS_RPM), 5200);
    assert_int_equal(speed_read(&machine, 1, ZES_FAN_SPEED_UNITS_PERCENT), 20);
    machine_close(&machine);
    machine_open(&machine, "amd", 2, 0); /* nor the graphics card's */
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_FAN), 0);
    machine_close(&machine);
}

static void fans_are_driven_by_hand_and_given_back(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_fan *fan = fan_at(&machine, 0);
    zes_fan_config_t config = {0};
    assert_true(fan->properties.canControl);
    assert_int_equal(fan->properties.supportedModes,
                     1 << ZES_FAN_SPEED_MODE_DEFAULT | 1 << ZES_FAN_SPEED_MODE_FIXED);
    assert_int_equal(fan->properties.supportedUnits,
                     1 << ZES_FAN_SPEED_UNITS_RPM | 1 << ZES_FAN_SPEED_UNITS_PERCENT);
    assert_works(&machine, fan->ops->config(fan, &config, &machine.why));
    assert_int_equal(config.mode, ZES_FAN_SPEED_MODE_DEFAULT);
    config.mode = ZES_FAN_SPEED_MODE_FIXED;
    config.speedFixed = (zes_fan_speed_t){80, ZES_FAN_SPEED_UNITS_PERCENT};
    assert_works(&machine, fan->ops->set_config(fan, &config, &machine.why));
    assert_int_equal(machine_number(&machine, CHIPS "/hwmon10/pwm1_enable"), 1);
    assert_int_equal(machine_number(&machine, CHIPS "/hwmon10/pwm1"), 204);
    assert_int_equal(machine_number(&machine, CHIPS "/hwmon10/pwm2"), 51);
    memset(&config, 0, sizeof(config));
    assert_works(&machine, fan->ops->config(fan, &config, &machine.why));
    assert_int_equal(config.mode, ZES_FAN_SPEED_MODE_FIXED);
    assert_int_equal(config.speedFixed.speed, 80);
    assert_int_equal(config.speedFixed.units, ZES_FAN_SPEED_UNITS_PERCENT);
    config.mode = ZES_FAN_SPEED_MODE_DEFAULT;
    assert_works(&machine, fan->ops->set_config(fan, &config, &machine.why));
    assert_int_equal(machine_number(&machine, CHIPS "/hwmon10/pwm1_enable"), 5); /* as it was */
    machine_close(&machine);
}

static void fans_refuse_what_their_chip_cannot(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_fan *first = fan_at(&machine, 0), *second = fan_at(&machine, 1);
    zes_fan_config_t config = {.mode = ZES_FAN_SPEED_MODE_TABLE};
    assert_result(&machine, first->ops->set_config(first, &config, &machine.why),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "table");
    config.mode = ZES_FAN_SPEED_MODE_FIXED;
    config.speedFixed = (zes_fan_speed_t){3000, ZES_FAN_SPEED_UNITS_RPM};
    assert_result(&machine, first->ops->set_config(first, &config, &machine.why),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "RPM");
    assert_works(&machine, second->ops->set_config(second, &config, &machine.why));
    assert_int_equal(machine_number(&machine, CHIPS "/hwmon10/fan2_target"), 3000);
    config.speedFixed = (zes_fan_speed_t){101, ZES_FAN_SPEED_UNITS_PERCENT};
    assert_result(&machine, first->ops->set_config(first, &config, &machine.why),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT, "101");
    machine_write(&machine, CHIPS "/hwmon10/pwm1", "256");
    int32_t speed = 3;
    assert_result(&machine,
                  first->ops->speed(first, ZES_FAN_SPEED_UNITS_PERCENT, &speed, &machine.why),
                  ZE_RESULT_ERROR_UNKNOWN, "256");
    machine_remove(&machine, CHIPS "/hwmon10/pwm1");
    machine_reopen(&machine);
    first = fan_at(&machine, 0);
    assert_false(first->properties.canControl);
    assert_result(&machine, first->ops->set_config(first, &config, &machine.why),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "driven");
    assert_result(&machine,
                  first->ops->speed(first, ZES_FAN_SPEED_UNITS_PERCENT, &speed, &machine.why),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "driven");
    assert_int_equal(speed, 3);
    machine_close(&machine);
}

/* ---- power supplies ---- */

static void the_mains_are_a_supply_and_batteries_are_not(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_PSU), 1);
    const struct geo_sysman_psu *psu = machine_component(&machine, GEO_SYSMAN_PSU, 0);
    zes_psu_state_t now = {0};
    assert_string_equal(psu->base.name, "AC");
    assert_int_equal(psu->properties.ampLimit, -1);
    assert_works(&machine, psu->ops->state(psu, &now, &machine.why));
    assert_int_equal(now.voltStatus, ZES_PSU_VOLTAGE_STATUS_UNKNOWN);
    assert_int_equal(now.current, -1);
    assert_int_equal(now.temperature, -1);
    machine_close(&machine);
    machine_open(&machine, "server2s", 8, 2);
    psu = machine_component(&machine, GEO_SYSMAN_PSU, 0);
    assert_int_equal(psu->properties.ampLimit, 12500);
    assert_works(&machine, psu->ops->state(psu, &now, &machine.why));
    assert_int_equal(now.voltStatus, ZES_PSU_VOLTAGE_STATUS_NORMAL);
    assert_int_equal(now.current, 4210);
    assert_int_equal(now.temperature, 41);
    machine_remove(&machine, "/sys/class/power_supply/PSU0/online");
    assert_result(&machine, psu->ops->state(psu, &now, &machine.why), ZE_RESULT_ERROR_DEVICE_LOST,
                  "PSU0/online");
    machine_close(&machine);
}

/* ---- lights ---- */

static const struct geo_sysman_led *led_at(const struct machine *machine, uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_LED, index);
}

static void lights_that_identify_are_the_machines(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_LED), 2);
    const struct geo_sysman_led *blue = led_at(&machine, 0), *mixed = led_at(&machine, 1);
    zes_led_state_t now = {0};
    assert_string_equal(blue->base.name, "chassis:blue:identify");
    assert_true(blue->properties.canControl);
    assert_false(blue->properties.haveRGB);
    assert_works(&machine, blue->ops->state(blue, &now, &machine.why));
    assert_false(now.isOn);
    assert_true(now.color.red == 0 && now.color.green == 0 && now.color.blue == 1);
    assert_true(mixed->properties.haveRGB);
    assert_works(&machine, mixed->ops->state(mixed, &now, &machine.why));
    assert_true(now.isOn);
    assert_true(now.color.red == 1 && now.color.green == 0.2 && now.color.blue == 0);
    machine_close(&machine);
    machine_open(&machine, "laptop", 4, 0); /* keys */
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_LED), 0);
    machine_close(&machine);
}

static void lights_are_switched_and_coloured(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_led *blue = led_at(&machine, 0), *mixed = led_at(&machine, 1);
    zes_led_state_t wanted = {.isOn = true, .color = {1, 0, 0.6}};
    assert_works(&machine, blue->ops->set_state(blue, &wanted, &machine.why));
    assert_int_equal(machine_number(&machine, LIGHTS "/chassis:blue:identify/brightness"), 255);
    wanted.isOn = false;
    assert_works(&machine, mixed->ops->set_state(mixed, &wanted, &machine.why));
    assert_int_equal(machine_number(&machine, LIGHTS "/front:multicolor:indicator/brightness"), 0);
    assert_string_equal(
        machine_text(&machine, LIGHTS "/front:multicolor:indicator/multi_intensity"),
        "0 255 153"); /* green, red, blue */
    machine_write(&machine, LIGHTS "/front:multicolor:indicator/multi_intensity", "1 2");
    assert_result(&machine, mixed->ops->state(mixed, &wanted, &machine.why),
                  ZE_RESULT_ERROR_UNKNOWN, "multi_intensity");
    machine_close(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fans_turn_as_the_chip_measures),
        cmocka_unit_test(fans_are_driven_by_hand_and_given_back),
        cmocka_unit_test(fans_refuse_what_their_chip_cannot),
        cmocka_unit_test(the_mains_are_a_supply_and_batteries_are_not),
        cmocka_unit_test(lights_that_identify_are_the_machines),
        cmocka_unit_test(lights_are_switched_and_coloured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
