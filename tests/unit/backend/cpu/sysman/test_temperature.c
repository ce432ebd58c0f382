/* Temperature: sensors of processors and memory modules. */
#include "machine_fixture.h"

#include <stdio.h>

#define CHIPS "/sys/class/hwmon"

static const struct geo_sysman_temperature *sensor_at(const struct machine *machine, uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_TEMPERATURE, index);
}

static void expect(struct machine *machine, uint32_t index, zes_temp_sensors_t type,
                   int32_t subdevice, double now, double highest)
{
    const struct geo_sysman_temperature *sensor = sensor_at(machine, index);
    double celsius = -1000;
    assert_works(machine, sensor->ops->state(sensor, &celsius, &machine->why));
    assert_int_equal(sensor->properties.type, type);
    assert_int_equal(sensor->base.subdevice, subdevice);
    assert_true(celsius == now);
    assert_true(sensor->properties.maxTemperature == highest);
    assert_int_equal(sensor->properties.isCriticalTempSupported, highest > 0);
    assert_true(sensor->properties.isThreshold1Supported);
    assert_true(sensor->properties.isThreshold2Supported);
}

/* A package and its cores; disks and the board's zones are no sensors of the device. */
static void a_package_and_its_hottest_core(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_TEMPERATURE), 2);
    expect(&machine, 0, ZES_TEMP_SENSORS_GLOBAL, -1, 49, 100);
    expect(&machine, 1, ZES_TEMP_SENSORS_GPU, -1, 45, 100);
    machine_write(&machine, CHIPS "/hwmon6/temp3_input", "-5250");
    expect(&machine, 1, ZES_TEMP_SENSORS_GPU, -1, 45, 100);
    machine_write(&machine, CHIPS "/hwmon6/temp3_input", "71250");
    expect(&machine, 1, ZES_TEMP_SENSORS_GPU, -1, 71.25, 100);
    machine_close(&machine);
}

static void packages_belong_to_parts_and_modules_to_the_machine(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_TEMPERATURE), 4);
    expect(&machine, 0, ZES_TEMP_SENSORS_GLOBAL, 0, 51, 93);
    expect(&machine, 1, ZES_TEMP_SENSORS_GPU, 0, 45, -1);
    expect(&machine, 2, ZES_TEMP_SENSORS_GLOBAL, 1, 62, 93);
    expect(&machine, 3, ZES_TEMP_SENSORS_MEMORY, -1, 41.5, 85);
    machine_close(&machine);
    machine_open(&machine, "server2s", 4, 0); /* not the other package's */
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_TEMPERATURE), 3);
    machine_close(&machine);
}

/* "Tdie", where there is one, is what "Tctl" is offset from. */
static void a_processor_without_a_package_number(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "amd", 2, 0);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_TEMPERATURE), 2);
    expect(&machine, 0, ZES_TEMP_SENSORS_GLOBAL, -1, 57.125, -1);
    expect(&machine, 1, ZES_TEMP_SENSORS_GPU, -1, 52.25, -1);
    machine_write(&machine, CHIPS "/hwmon0/temp2_label", "Tdie");
    machine_write(&machine, CHIPS "/hwmon0/temp2_input", "47125");
    machine_reopen(&machine);
    expect(&machine, 0, ZES_TEMP_SENSORS_GLOBAL, -1, 47.125, -1);
    machine_close(&machine);
}

static void zones_of_packages_stand_in_where_no_chip_is(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    machine_remove(&machine, CHIPS "/hwmon6/name");
    machine_write(&machine, "/sys/class/thermal/thermal_zone8/trip_point_0_type", "passive");
    machine_write(&machine, "/sys/class/thermal/thermal_zone8/trip_point_0_temp", "90000");
    machine_write(&machine, "/sys/class/thermal/thermal_zone8/trip_point_1_type", "critical");
    machine_write(&machine, "/sys/class/thermal/thermal_zone8/trip_point_1_temp", "105000");
    machine_reopen(&machine);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_TEMPERATURE), 1);
    expect(&machine, 0, ZES_TEMP_SENSORS_GLOBAL, -1, 49, 105);
    machine_close(&machine);
}

static void sensors_that_do_not_answer_say_so(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_temperature *sensor = sensor_at(&machine, 0);
    double celsius = 7;
    machine_write(&machine, CHIPS "/hwmon6/temp1_input", "hot");
    assert_result(&machine, sensor->ops->state(sensor, &celsius, &machine.why),
                  ZE_RESULT_ERROR_UNKNOWN, "temp1_input");
    machine_remove(&machine, CHIPS "/hwmon6/temp1_input");
    assert_result(&machine, sensor->ops->state(sensor, &celsius, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "temp1_input");
    assert_true(celsius == 7);
    machine_close(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_package_and_its_hottest_core),
        cmocka_unit_test(packages_belong_to_parts_and_modules_to_the_machine),
        cmocka_unit_test(a_processor_without_a_package_number),
        cmocka_unit_test(zones_of_packages_stand_in_where_no_chip_is),
        cmocka_unit_test(sensors_that_do_not_answer_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
