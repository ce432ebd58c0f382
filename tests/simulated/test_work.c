/* Power, frequency, engines, schedulers, standby, performance factors, memory: values by scripts,
 * and what setting changes. */
#include "simulated.h"

#include <stdlib.h>

static uint64_t energy_now(uint32_t index)
{
    zes_power_energy_counter_t energy = {9, 9};
    assert_success(zesPowerGetEnergyCounter(get_power(index), &energy));
    return energy.energy;
}

static void at_the_beginning_all_is_as_described(void **unused)
{
    zes_freq_state_t state = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};
    zes_sched_mode_t mode;
    zes_standby_promo_mode_t standby;
    zes_freq_range_t range;
    double factor = 7;
    (void)unused;
    at(0);
    assert_int_equal(energy_now(0), 0);
    assert_success(zesFrequencyGetState(get_frequency(0), &state));
    assert_true(state.actual == 600 && state.request == 1500 && state.tdp == 1450);
    assert_true(state.efficient == 800 && state.currentVoltage == 0.9);
    assert_int_equal(state.throttleReasons, 0);
    assert_unsupported(zesFrequencyGetState(get_frequency(1), &state));
    assert_non_null(strstr(last_error(), "actual_mhz"));
    assert_success(zesFrequencyGetRange(get_frequency(0), &range));
    assert_true(range.min == 300 && range.max == 1500);
    assert_success(zesSchedulerGetCurrentMode(get_scheduler(0), &mode));
    assert_int_equal(mode, ZES_SCHED_MODE_TIMEOUT);
    assert_success(zesStandbyGetMode(get_standby(0), &standby));
    assert_int_equal(standby, ZES_STANDBY_PROMO_MODE_NEVER);
    assert_success(zesPerformanceFactorGetConfig(get_performance(0), &factor));
    assert_true(factor == 0);
}

static void energy_is_the_integral_of_power(void **unused)
{
    zes_power_energy_counter_t energy = {9, 9};
    uint32_t now, average;
    (void)unused;
    at(2);
    assert_success(zesPowerGetEnergyCounter(get_power(0), &energy));
    assert_int_equal(energy.energy, 300000000); /* 150 W for 2 s */
    assert_int_equal(energy.timestamp, 2000000);
    assert_success(zesPowerGetUsage(get_power(0), &now, &average));
    assert_int_equal(now, 150000);
    assert_int_equal(average, 140000);
}

/* SYS-5 */
static void counters_wrap_at_their_width(void **unused)
{
    zes_mem_bandwidth_t bandwidth;
    (void)unused;
    at(3);
    assert_int_equal(energy_now(1), (4294000000u + 3000000u) & 0xffffffffu);
    assert_success(zesMemoryGetBandwidth(get_memory(0), &bandwidth));
    assert_int_equal(bandwidth.readCounter, 600);
    assert_int_equal(bandwidth.maxBandwidth, 5000);
    assert_int_equal(bandwidth.timestamp, 3000000);
    at(8);
    assert_success(zesMemoryGetBandwidth(get_memory(0), &bandwidth));
    assert_int_equal(bandwidth.readCounter, 1600 & 1023);
    assert_int_equal(bandwidth.writeCounter, 800);
}

static void a_limit_cuts_power_and_energy(void **unused)
{
    zes_power_limit_ext_desc_t limits[2];
    uint32_t count = 2, now, average;
    (void)unused;
    at(9);
    memset(limits, 0, sizeof(limits));
    for (uint32_t i = 0; i < 2; i++) {
        limits[i].stype = ZES_STRUCTURE_TYPE_POWER_LIMIT_EXT_DESC;
    }
    const uint64_t before = energy_now(0);
    assert_int_equal(before, UINT64_C(9) * 150000000); /* devices are on mains */
    assert_success(zesPowerGetLimitsExt(get_power(0), &count, limits));
    assert_int_equal(count, 2);
    assert_int_equal(limits[0].limit, 200000);
    assert_int_equal(limits[1].limitValueLocked, 1);
    limits[0].limit = 100000;
    count = 1;
    assert_success(zesPowerSetLimitsExt(get_power(0), &count, limits));
    at(10);
    assert_success(zesPowerGetUsage(get_power(0), &now, &average));
    assert_int_equal(now, 100000);
    assert_int_equal(average, 100000);
    assert_int_equal(energy_now(0) - before, 100000000); /* 100 W for 1 s */
    limits[0].limit = 49000;
    assert_result(zesPowerSetLimitsExt(get_power(0), &count, limits),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static void a_range_cuts_the_clock(void **unused)
{
    const zes_freq_range_t range = {.min = 300, .max = 900}, whole = {.min = -1, .max = -1};
    zes_freq_state_t state = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};
    zes_freq_throttle_time_t time;
    zes_freq_range_t read;
    (void)unused;
    at(12);
    assert_success(zesFrequencyGetState(get_frequency(0), &state));
    assert_true(state.actual == 1400);
    assert_success(zesFrequencySetRange(get_frequency(0), &range));
    assert_success(zesFrequencyGetState(get_frequency(0), &state));
    assert_true(state.actual == 900 && state.request == 900);
    assert_int_equal(state.throttleReasons, ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE);
    assert_success(zesFrequencySetRange(get_frequency(0), &whole));
    assert_success(zesFrequencyGetRange(get_frequency(0), &read));
    assert_true(read.min == 300 && read.max == 1500);
    assert_success(zesFrequencyGetThrottleTime(get_frequency(0), &time));
    assert_int_equal(time.throttleTime, 3000000); /* a quarter of 12 s */
    assert_int_equal(time.timestamp, 12000000);
    at(20);
    assert_success(zesFrequencyGetState(get_frequency(0), &state));
    assert_int_equal(state.throttleReasons, ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT);
}

static void clocks_and_overclocking_of_a_frequency(void **unused)
{
    zes_oc_capabilities_t can = {.stype = ZES_STRUCTURE_TYPE_OC_CAPABILITIES};
    double clocks[3], value = 0;
    uint32_t count = 3;
    (void)unused;
    assert_success(zesFrequencyGetAvailableClocks(get_frequency(0), &count, clocks));
    assert_int_equal(count, 3);
    assert_true(clocks[1] == 900);
    assert_success(zesFrequencyOcGetCapabilities(get_frequency(0), &can));
    assert_true(can.isOcSupported && can.maxOcFrequency == 1700);
    assert_success(zesFrequencyOcSetFrequencyTarget(get_frequency(0), 1650));
    assert_success(zesFrequencyOcGetFrequencyTarget(get_frequency(0), &value));
    assert_true(value == 1650);
    assert_success(zesFrequencyOcSetIccMax(get_frequency(0), 120));
    assert_success(zesFrequencyOcGetIccMax(get_frequency(0), &value));
    assert_true(value == 120);
    assert_success(zesFrequencyOcSetIccMax(get_frequency(0), 0)); /* as shipped */
    assert_success(zesFrequencyOcGetIccMax(get_frequency(0), &value));
    assert_true(value == 100);
}

static void engines_are_active_for_a_share_of_the_time(void **unused)
{
    zes_engine_stats_t stats[3];
    uint32_t count = 3;
    (void)unused;
    at(30);
    assert_success(zesEngineGetActivityExt(get_engine(0), &count, stats));
    assert_int_equal(count, 3);
    assert_int_equal(stats[0].activeTime, 15000000);
    assert_int_equal(stats[0].timestamp, 30000000);
    assert_int_equal(stats[1].activeTime, 3000000);
    assert_int_equal(stats[2].activeTime, 6000000);
}

static void modes_that_are_set_are_read(void **unused)
{
    zes_sched_timeslice_properties_t slice = {
        .stype = ZES_STRUCTURE_TYPE_SCHED_TIMESLICE_PROPERTIES, .interval = 11, .yieldTimeout = 12};
    zes_sched_mode_t mode;
    zes_standby_promo_mode_t standby;
    ze_bool_t reload = 0;
    double factor = 0;
    (void)unused;
    assert_success(zesSchedulerSetTimesliceMode(get_scheduler(0), &slice, &reload));
    assert_int_equal(reload, 1);
    assert_success(zesSchedulerGetCurrentMode(get_scheduler(0), &mode));
    assert_int_equal(mode, ZES_SCHED_MODE_TIMESLICE);
    slice.interval = 0;
    assert_success(zesSchedulerGetTimesliceModeProperties(get_scheduler(0), 0, &slice));
    assert_int_equal(slice.interval, 11);
    assert_success(zesStandbySetMode(get_standby(0), ZES_STANDBY_PROMO_MODE_DEFAULT));
    assert_success(zesStandbyGetMode(get_standby(0), &standby));
    assert_int_equal(standby, ZES_STANDBY_PROMO_MODE_DEFAULT);
    assert_success(zesPerformanceFactorGetConfig(get_performance(0), &factor));
    assert_true(factor == 100);
    assert_success(zesPerformanceFactorSetConfig(get_performance(0), 25));
    assert_success(zesPerformanceFactorGetConfig(get_performance(0), &factor));
    assert_true(factor == 25);
}

static void memory_fills_and_ails(void **unused)
{
    zes_mem_page_offline_state_exp_t pages = {.stype =
                                                  ZES_STRUCTURE_TYPE_MEMORY_PAGE_OFFLINE_STATE_EXP};
    zes_mem_state_t state = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE, .pNext = &pages};
    zes_mem_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES};
    (void)unused;
    at(35);
    assert_success(zesMemoryGetState(get_memory(0), &state));
    assert_int_equal(state.size, 1000000);
    assert_int_equal(state.free, 0); /* more than there is was asked for */
    assert_int_equal(state.health, ZES_MEM_HEALTH_CRITICAL);
    assert_int_equal(pages.memoryPageOffline, 3);
    assert_int_equal(pages.maxMemoryPageOffline, 9);
    assert_success(zesMemoryGetProperties(get_memory(0), &properties));
    assert_int_equal(properties.type, ZES_MEM_TYPE_HBM2E);
    assert_int_equal(properties.onSubdevice, 1);
    assert_int_equal(properties.subdeviceId, 1);
    assert_int_equal(properties.physicalSize, 1000000);
}

/* The other device of the entry was not touched by any of this. */
static void what_was_set_is_of_one_device(void **unused)
{
    zes_pwr_handle_t power[2];
    uint32_t count, now, average, domains = 2;
    (void)unused;
    zes_device_handle_t *devices = devices_of(driver, &count);
    assert_int_equal(count, 2);
    assert_success(zesDeviceEnumPowerDomains(devices[1], &domains, power));
    assert_success(zesPowerGetUsage(power[0], &now, &average));
    assert_int_equal(now, 150000);
    free(devices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_beginning_all_is_as_described),
        cmocka_unit_test(energy_is_the_integral_of_power),
        cmocka_unit_test(counters_wrap_at_their_width),
        cmocka_unit_test(a_limit_cuts_power_and_energy),
        cmocka_unit_test(a_range_cuts_the_clock),
        cmocka_unit_test(clocks_and_overclocking_of_a_frequency),
        cmocka_unit_test(engines_are_active_for_a_share_of_the_time),
        cmocka_unit_test(modes_that_are_set_are_read),
        cmocka_unit_test(memory_fills_and_ails),
        cmocka_unit_test(what_was_set_is_of_one_device),
    };
    return cmocka_run_group_tests(tests, simulated_setup, NULL);
}
