/* Frequency: policies of scaling, put together for devices and parts. */
#include "machine_fixture.h"

#include <stdio.h>

#define POLICIES "/sys/devices/system/cpu/cpufreq"
#define CPUS     "/sys/devices/system/cpu"

static const struct geo_sysman_frequency *frequency_at(const struct machine *machine,
                                                       uint32_t index)
{
    return machine_component(machine, GEO_SYSMAN_FREQUENCY, index);
}

static zes_freq_state_t state_read(struct machine *machine, uint32_t index)
{
    const struct geo_sysman_frequency *frequency = frequency_at(machine, index);
    zes_freq_state_t now = {0};
    assert_works(machine, frequency->ops->state(frequency, &now, &machine->why));
    return now;
}

static void a_laptop_is_one_domain(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_FREQUENCY), 1);
    const struct geo_sysman_frequency *frequency = frequency_at(&machine, 0);
    assert_int_equal(frequency->base.subdevice, -1);
    assert_int_equal(frequency->properties.type, ZES_FREQ_DOMAIN_GPU);
    assert_true(frequency->properties.min == 400 && frequency->properties.max == 4800);
    assert_true(frequency->properties.canControl);
    assert_true(frequency->properties.isThrottleEventSupported);
    const double clocks[] = {400, 3000, 4800}; /* lowest, base, highest: no list is given */
    assert_int_equal(frequency->clock_count, 3);
    assert_memory_equal(frequency->clocks, clocks, sizeof(clocks));
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += (double)machine_number(&machine, POLICIES "/policy%d/scaling_cur_freq", i) / 1000;
    }
    zes_freq_state_t now = state_read(&machine, 0);
    assert_true(now.actual == sum / 4);
    assert_true(now.request == -1 && now.tdp == -1 && now.efficient == -1);
    assert_true(now.currentVoltage == -1);
    assert_int_equal(now.throttleReasons, 0);
    machine_close(&machine);
}

static void parts_have_domains_of_their_own(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    assert_int_equal(machine_count(&machine, GEO_SYSMAN_FREQUENCY), 2);
    const double highest[] = {3400, 3200}, actual[] = {2115, 2400};
    for (uint32_t i = 0; i < 2; i++) {
        const struct geo_sysman_frequency *frequency = frequency_at(&machine, i);
        assert_int_equal(frequency->base.subdevice, i);
        assert_true(frequency->properties.min == 800);
        assert_true(frequency->properties.max == highest[i]);
        const double clocks[] = {800, 1600, 2400, 3200};
        assert_int_equal(frequency->clock_count, 4);
        assert_memory_equal(frequency->clocks, clocks, sizeof(clocks));
        zes_freq_state_t now = state_read(&machine, i);
        assert_true(now.actual == actual[i]);
        assert_true(now.request == 2400);
        assert_true(now.tdp == 3200);
    }
    machine_close(&machine);
}

/* The second package may not go beyond 2400 MHz, and is there. */
static void a_range_that_holds_the_cpus_is_a_reason(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    assert_int_equal(state_read(&machine, 0).throttleReasons, 0);
    assert_int_equal(state_read(&machine, 1).throttleReasons,
                     ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE);
    for (int i = 4; i < 8; i++) {
        char path[128];
        snprintf(path, sizeof(path), POLICIES "/policy%d/scaling_cur_freq", i);
        machine_write(&machine, path, "1200000");
    }
    assert_int_equal(state_read(&machine, 1).throttleReasons, 0);
    machine_close(&machine);
}

static void heat_since_the_last_look_is_a_reason(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_int_equal(state_read(&machine, 0).throttleReasons, 0);
    machine_write(&machine, CPUS "/cpu2/thermal_throttle/core_throttle_count", "4");
    assert_int_equal(state_read(&machine, 0).throttleReasons,
                     ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT);
    assert_int_equal(state_read(&machine, 0).throttleReasons, 0);
    machine_close(&machine);
}

static void a_range_is_set_for_all_cpus(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_frequency *frequency = frequency_at(&machine, 1);
    zes_freq_range_t range = {0};
    assert_works(&machine, frequency->ops->range(frequency, &range, &machine.why));
    assert_true(range.min == 800 && range.max == 2400);
    range = (zes_freq_range_t){1600, 3000};
    assert_works(&machine, frequency->ops->set_range(frequency, &range, &machine.why));
    for (int i = 0; i < 8; i++) {
        assert_int_equal(machine_number(&machine, POLICIES "/policy%d/scaling_min_freq", i),
                         i < 4 ? 800000 : 1600000);
        assert_int_equal(machine_number(&machine, POLICIES "/policy%d/scaling_max_freq", i),
                         i < 4 ? 3400000 : 3000000);
    }
    range = (zes_freq_range_t){0};
    assert_works(&machine, frequency->ops->range(frequency, &range, &machine.why));
    assert_true(range.min == 1600 && range.max == 3000);
    range = (zes_freq_range_t){-1, -1};
    assert_works(&machine, frequency->ops->set_range(frequency, &range, &machine.why));
    assert_works(&machine, frequency->ops->range(frequency, &range, &machine.why));
    assert_true(range.min == 800 && range.max == 3200);
    machine_close(&machine);
}

/* A system refuses a lowest above the highest: which of the two is written first shows where the
 * other cannot be. */
static void a_range_goes_up_without_crossing_itself(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    const struct geo_sysman_frequency *frequency = frequency_at(&machine, 1);
    const char *low = POLICIES "/policy4/scaling_min_freq";
    zes_freq_range_t range = {3000, 3100}; /* all of it above 2400, the highest now */
    machine_remove(&machine, low);
    assert_result(&machine, frequency->ops->set_range(frequency, &range, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "scaling_min_freq");
    assert_int_equal(machine_number(&machine, POLICIES "/policy4/scaling_max_freq"), 3100000);
    range = (zes_freq_range_t){900, 1000};
    assert_result(&machine, frequency->ops->set_range(frequency, &range, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "scaling_min_freq");
    assert_int_equal(machine_number(&machine, POLICIES "/policy4/scaling_max_freq"), 3100000);
    machine_close(&machine);
}

/* Each of the CPUs goes as far as it can. */
static void a_range_beyond_some_cpus_is_theirs(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 0);
    const struct geo_sysman_frequency *frequency = frequency_at(&machine, 0);
    const zes_freq_range_t range = {3300, 3400};
    assert_works(&machine, frequency->ops->set_range(frequency, &range, &machine.why));
    assert_int_equal(machine_number(&machine, POLICIES "/policy0/scaling_min_freq"), 3300000);
    assert_int_equal(machine_number(&machine, POLICIES "/policy7/scaling_min_freq"), 3200000);
    assert_int_equal(machine_number(&machine, POLICIES "/policy7/scaling_max_freq"), 3200000);
    machine_close(&machine);
}

/* SYS-5 */
static void throttle_time_is_that_of_the_hottest_and_does_not_fall(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_frequency *frequency = frequency_at(&machine, 0);
    const char *file = CPUS "/cpu3/thermal_throttle/core_throttle_total_time_ms";
    zes_freq_throttle_time_t time = {0};
    assert_works(&machine, frequency->ops->throttle_time(frequency, &time, &machine.why));
    assert_int_equal(time.throttleTime, 41000);
    assert_true(time.timestamp != 0);
    machine_write(&machine, file, "53");
    assert_works(&machine, frequency->ops->throttle_time(frequency, &time, &machine.why));
    assert_int_equal(time.throttleTime, 53000);
    machine_write(&machine, file, "0"); /* a CPU that was switched off begins anew */
    assert_works(&machine, frequency->ops->throttle_time(frequency, &time, &machine.why));
    assert_int_equal(time.throttleTime, 53000);
    machine_close(&machine);
    machine_open(&machine, "amd", 2, 0);
    frequency = frequency_at(&machine, 0);
    assert_result(&machine, frequency->ops->throttle_time(frequency, &time, &machine.why),
                  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "throttled");
    assert_true(state_read(&machine, 0).efficient == 2973);
    machine_close(&machine);
}

static void what_is_no_frequency_is_an_error(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    const struct geo_sysman_frequency *frequency = frequency_at(&machine, 0);
    const char *file = POLICIES "/policy2/scaling_cur_freq";
    const char *const texts[] = {"", "-1", "12x", "99999999999999999999", "1e3"};
    zes_freq_state_t now = {.actual = 5};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        machine_write(&machine, file, texts[i]);
        assert_result(&machine, frequency->ops->state(frequency, &now, &machine.why),
                      ZE_RESULT_ERROR_UNKNOWN, "policy2/scaling_cur_freq");
        assert_true(now.actual == 5);
    }
    machine_remove(&machine, file);
    assert_result(&machine, frequency->ops->state(frequency, &now, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "policy2/scaling_cur_freq");
    machine_close(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_laptop_is_one_domain),
        cmocka_unit_test(parts_have_domains_of_their_own),
        cmocka_unit_test(a_range_that_holds_the_cpus_is_a_reason),
        cmocka_unit_test(heat_since_the_last_look_is_a_reason),
        cmocka_unit_test(a_range_is_set_for_all_cpus),
        cmocka_unit_test(a_range_goes_up_without_crossing_itself),
        cmocka_unit_test(a_range_beyond_some_cpus_is_theirs),
        cmocka_unit_test(throttle_time_is_that_of_the_hottest_and_does_not_fall),
        cmocka_unit_test(what_is_no_frequency_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
