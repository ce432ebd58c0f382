/* A thousand devices of one description (examples/simulated/fleet.json): all are listed and read,
 * and reading opens no file. Prints what it cost. */
#include "simulated.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { DEVICES = 1000, MEMORY_BYTES = 64 << 20 };

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void device_read(zes_device_handle_t one)
{
    zes_power_energy_counter_t energy;
    zes_pwr_handle_t power;
    zes_temp_handle_t temperature;
    uint32_t count = 1;
    double celsius = 0;
    assert_success(zesDeviceEnumPowerDomains(one, &count, &power));
    assert_int_equal(count, 1);
    assert_success(zesPowerGetEnergyCounter(power, &energy));
    assert_true(energy.timestamp > 0);
    assert_success(zesDeviceEnumTemperatureSensors(one, &count, &temperature));
    assert_success(zesTemperatureGetState(temperature, &celsius));
    assert_true(celsius >= 56 && celsius <= 68);
}

static void a_thousand_devices_are_read(void **unused)
{
    uint32_t count;
    struct rlimit files, none = {0};
    (void)unused;
    const size_t before = mallinfo2().uordblks;
    double start = now_ms();
    zes_device_handle_t *devices = devices_of(driver, &count);
    assert_int_equal(count, DEVICES);
    /* No file can be opened from here on. */
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    none.rlim_max = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (uint32_t i = 0; i < count; i++) {
        device_read(devices[i]);
    }
    const double first = now_ms() - start;
    start = now_ms();
    for (uint32_t i = 0; i < count; i++) {
        device_read(devices[i]);
    }
    const double again = now_ms() - start;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    const size_t bytes = mallinfo2().uordblks - before;
    printf("first reading of energy and temperature of %u devices: %.2f ms, another: %.2f ms, "
           "%zu KiB\n",
           count, first, again, bytes >> 10);
    assert_true(bytes < MEMORY_BYTES);
    free(devices);
}

/* Who manages a thousand devices needs its descriptors for others. */
static void a_thousand_devices_are_watched_without_descriptors(void **unused)
{
    zes_event_type_flags_t *events = calloc(DEVICES, sizeof(*events));
    struct rlimit files, none = {0};
    uint32_t count, fired = 7;
    (void)unused;
    assert_non_null(events);
    zes_device_handle_t *devices = devices_of(driver, &count);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    const int next = dup(STDOUT_FILENO);
    close(next);
    none.rlim_cur = (rlim_t)next + 1; /* the listener's own */
    none.rlim_max = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (uint32_t i = 0; i < count; i++) {
        assert_success(zesDeviceEventRegister(devices[i], ZES_EVENT_TYPE_FLAG_MEM_HEALTH));
    }
    assert_success(
        zesDriverEventListenEx((ze_driver_handle_t)driver, 1, count, devices, &fired, events));
    const int again = dup(STDOUT_FILENO);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    close(again);
    assert_int_equal(fired, 0);
    assert_int_equal(again, next);
    for (uint32_t i = 0; i < count; i++) {
        assert_success(zesDeviceEventRegister(devices[i], 0));
    }
    free(devices);
    free(events);
}

static void devices_are_told_apart(void **unused)
{
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    zes_pwr_handle_t power[2];
    uint32_t count, domains = 1, now[2], average;
    (void)unused;
    zes_device_handle_t *devices = devices_of(driver, &count);
    assert_success(zesDeviceGetProperties(devices[999], &properties));
    assert_string_equal(properties.serialNumber, "F-999");
    for (uint32_t i = 0; i < 2; i++) {
        zes_device_handle_t found;
        ze_bool_t part;
        uint32_t id;
        zes_uuid_t uuid;
        assert_success(zesDeviceGetProperties(devices[i], &properties));
        memcpy(uuid.id, properties.core.uuid.id, sizeof(uuid.id));
        assert_success(zesDriverGetDeviceByUuidExp(driver, uuid, &found, &part, &id));
        assert_ptr_equal(found, devices[i]);
        assert_success(zesDeviceEnumPowerDomains(devices[i], &domains, &power[i]));
        assert_success(zesPowerGetUsage(power[i], &now[i], &average));
    }
    assert_int_not_equal(now[0], now[1]); /* each has its own noise */
    free(devices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_devices_are_read),
        cmocka_unit_test(a_thousand_devices_are_watched_without_descriptors),
        cmocka_unit_test(devices_are_told_apart),
    };
    return cmocka_run_group_tests(tests, simulated_setup, NULL);
}
