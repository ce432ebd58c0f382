/* Thresholds of energy, temperature and errors, and the events that come of them. */
#include "listener.h"

#include <time.h>

/* SYC-4, SYC-27 */
static void energy_fires_once(void **unused)
{
    const zes_event_type_flags_t crossed = ZES_EVENT_TYPE_FLAG_ENERGY_THRESHOLD_CROSSED;
    zes_energy_threshold_t threshold;
    (void)unused;
    compared_by_the_driver();
    state->energy.energy = 5000000;
    assert_success(zesDeviceEventRegister(device, crossed));
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 3));
    assert_int_equal(poll_events(), 0);
    state->energy.energy = 8000000; /* as much, not more */
    assert_int_equal(poll_events(), 0);
    state->energy.energy = 8000001;
    assert_int_equal(poll_events(), crossed);
    assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
    assert_int_equal(threshold.enable, 0);
    state->energy.energy = 90000000;
    assert_int_equal(poll_events(), 0);
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 3)); /* counts from here */
    state->energy.energy += 2000000;
    assert_int_equal(poll_events(), 0);
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 3)); /* and anew */
    state->energy.energy += 2000000;
    assert_int_equal(poll_events(), 0);
    state->energy.energy = 100; /* the counter begins anew */
    assert_int_equal(poll_events(), 0);
    state->energy.energy += 1000001;
    assert_int_equal(poll_events(), crossed);
}

/* SYC-4 */
static void energy_that_hardware_compares_ends_with_its_event(void **unused)
{
    const zes_event_type_flags_t crossed = ZES_EVENT_TYPE_FLAG_ENERGY_THRESHOLD_CROSSED;
    zes_energy_threshold_t threshold;
    (void)unused;
    assert_success(zesDeviceEventRegister(device, crossed));
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 3));
    assert_true(state->armed_joules == 3);
    state->energy.energy += 90000000; /* not ours to compare */
    assert_int_equal(poll_events(), 0);
    assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
    assert_int_equal(threshold.enable, 1);
    happen(0, crossed);
    assert_int_equal(poll_events(), crossed);
    assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
    assert_int_equal(threshold.enable, 0);
}

static void warm_to(double celsius, zes_event_type_flags_t expected)
{
    state->celsius = celsius;
    assert_int_equal(poll_events(), expected);
}

/* SYC-19, SYC-27 */
static void temperatures_fire_at_each_crossing(void **unused)
{
    const zes_event_type_flags_t first = ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD1;
    const zes_event_type_flags_t second = ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD2;
    const zes_event_type_flags_t critical = ZES_EVENT_TYPE_FLAG_TEMP_CRITICAL;
    zes_temp_config_t config = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG,
                                .enableCritical = 1,
                                .threshold1 = {1, 0, 70},
                                .threshold2 = {0, 1, 50}};
    (void)unused;
    compared_by_the_driver();
    state->celsius = 60;
    assert_success(zesDeviceEventRegister(device, first | second | critical));
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    warm_to(60, 0);
    warm_to(69.9, 0);
    warm_to(70, first);
    warm_to(75, 0);
    warm_to(65, 0);
    warm_to(71, first);
    warm_to(49.5, second);
    warm_to(51, 0);
    warm_to(104, first);
    warm_to(105, critical);
    warm_to(40, second);
    warm_to(110, first | critical);
    config.enableCritical = 0;
    config.threshold1 = (zes_temp_threshold_t){1, 1, 90};
    config.threshold2 = (zes_temp_threshold_t){0};
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    warm_to(80, first);
    warm_to(106, first);
    config.threshold1 = (zes_temp_threshold_t){0};
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    warm_to(20, 0);
}

/* SYC-24 */
static void errors_fire_until_they_are_cleared(void **unused)
{
    const zes_event_type_flags_t event = ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS;
    zes_ras_config_exp_t config = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG_EXP,
                                   .category = ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS,
                                   .threshold = 4};
    zes_ras_state_t now = {.stype = ZES_STRUCTURE_TYPE_RAS_STATE};
    zes_ras_handle_t ras = get_ras(0);
    (void)unused;
    compared_by_the_driver();
    assert_success(zesDeviceEventRegister(device, event));
    state->errors[0][2] = 100;
    assert_int_equal(poll_events(), 0); /* it is off */
    state->errors[0][2] = 4;
    assert_success(zesRasSetConfigExp(ras, 1, &config));
    assert_int_equal(poll_events(), 0);
    state->errors[0][2] = 5;
    assert_int_equal(poll_events(), event);
    state->errors[0][2] = 9;
    assert_int_equal(poll_events(), 0);
    assert_success(zesRasGetState(ras, 1, &now));
    assert_int_equal(poll_events(), 0);
    state->errors[0][2] = 5;
    assert_int_equal(poll_events(), event);
    assert_success(zesRasClearStateExp(ras, ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS));
    state->errors[0][2] = 6; /* nobody saw it at 0 */
    assert_int_equal(poll_events(), event);
    config.threshold = 0;
    assert_success(zesRasSetConfigExp(ras, 1, &config));
    state->errors[0][2] = 1000;
    assert_int_equal(poll_events(), 0);
}

/* SYC-24 */
static void errors_are_compared_in_sum_and_by_older_category(void **unused)
{
    const zes_event_type_flags_t bad = ZES_EVENT_TYPE_FLAG_RAS_UNCORRECTABLE_ERRORS;
    const zes_event_type_flags_t event = ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS;
    zes_ras_config_t config = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG, .totalThreshold = 10};
    const zes_ras_config_t off = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG};
    (void)unused;
    compared_by_the_driver();
    assert_success(zesDeviceEventRegister(device, event | bad));
    assert_success(zesRasSetConfig(get_ras(1), &config));
    state->errors[1][0] = state->errors[1][1] = 5;
    assert_int_equal(poll_events(), 0);
    state->errors[1][2] = 1;
    assert_int_equal(poll_events(), bad);
    assert_success(zesRasSetConfig(get_ras(1), &off));
    assert_success(zesRasSetConfig(get_ras(0), &config));
    state->errors[0][4] = 99; /* resets: none of correctable errors */
    assert_int_equal(poll_events(), 0);
    config.totalThreshold = 0;
    config.detailedThresholds.category[ZES_RAS_ERROR_CAT_NON_COMPUTE_ERRORS] = 7;
    assert_success(zesRasSetConfig(get_ras(0), &config));
    state->errors[0][1] = 4;
    state->errors[0][3] = 3; /* of memory, which count there */
    assert_int_equal(poll_events(), 0);
    state->errors[0][3] = 4;
    assert_int_equal(poll_events(), event);
    assert_success(zesRasSetConfig(get_ras(0), &off));
}

/* SYC-19, SYC-26 */
static void who_waits_sees_thresholds_pass(void **unused)
{
    const zes_temp_config_t config = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG,
                                      .threshold1 = {1, 0, 70}};
    const zes_temp_config_t off = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG};
    struct listener listener;
    (void)unused;
    compared_by_the_driver();
    state->celsius = 60;
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    assert_success(zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD1));
    listener_start(&listener);
    pthread_mutex_lock(&state->lock);
    state->celsius = 80;
    pthread_mutex_unlock(&state->lock);
    listener_join(&listener);
    assert_int_equal(listener.events[0], ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD1);
    assert_success(zesTemperatureSetConfig(get_temperature(0), &off));
}

/* SYC-4, SYC-19, SYC-24, SYC-26 */
static void who_waits_learns_of_new_thresholds(void **unused)
{
    const zes_temp_config_t warm = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG,
                                    .threshold1 = {1, 0, 70}};
    const zes_temp_config_t cold = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG};
    const zes_ras_config_t few = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG, .totalThreshold = 1};
    const zes_ras_config_t any = {.stype = ZES_STRUCTURE_TYPE_RAS_CONFIG};
    struct listener listener;
    (void)unused;
    compared_by_the_driver();
    state->celsius = 60;
    assert_success(zesDeviceEventRegister(
        device, ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD1 | ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS |
                    ZES_EVENT_TYPE_FLAG_ENERGY_THRESHOLD_CROSSED));
    listener_start(&listener); /* for nothing that could happen */
    assert_success(zesTemperatureSetConfig(get_temperature(0), &warm));
    pthread_mutex_lock(&state->lock);
    state->celsius = 80;
    pthread_mutex_unlock(&state->lock);
    listener_join(&listener);
    assert_int_equal(listener.events[0], ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD1);
    assert_success(zesTemperatureSetConfig(get_temperature(0), &cold));
    listener_start(&listener);
    assert_success(zesRasSetConfig(get_ras(0), &few));
    pthread_mutex_lock(&state->lock);
    state->errors[0][0] = 2;
    pthread_mutex_unlock(&state->lock);
    listener_join(&listener);
    assert_int_equal(listener.events[0], ZES_EVENT_TYPE_FLAG_RAS_CORRECTABLE_ERRORS);
    assert_success(zesRasSetConfig(get_ras(0), &any));
    listener_start(&listener);
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 1));
    pthread_mutex_lock(&state->lock);
    state->energy.energy += 2000000;
    pthread_mutex_unlock(&state->lock);
    listener_join(&listener);
    assert_int_equal(listener.events[0], ZES_EVENT_TYPE_FLAG_ENERGY_THRESHOLD_CROSSED);
}

static uint32_t readings(void)
{
    pthread_mutex_lock(&state->lock);
    const uint32_t count = state->calls[DESCRIBED_temperature_state];
    pthread_mutex_unlock(&state->lock);
    return count;
}

/* SYC-26 */
static void nothing_is_read_while_nobody_listens(void **unused)
{
    const zes_temp_config_t config = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG,
                                      .threshold1 = {1, 0, 70}};
    const zes_temp_config_t off = {.stype = ZES_STRUCTURE_TYPE_TEMP_CONFIG};
    const struct timespec pause = {.tv_nsec = 250000000};
    (void)unused;
    compared_by_the_driver();
    assert_success(zesTemperatureSetConfig(get_temperature(0), &config));
    assert_success(zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_TEMP_THRESHOLD1));
    assert_int_equal(poll_events(), 0);
    const uint32_t before = readings(), taken = takes(0);
    nanosleep(&pause, NULL);
    assert_int_equal(readings(), before);
    assert_int_equal(takes(0), taken);
    assert_success(zesTemperatureSetConfig(get_temperature(0), &off));
}

int main(void)
{
    limit_stall();
    const struct CMUnitTest cases[] = {
        EVENT_CASE(energy_fires_once),
        EVENT_CASE(energy_that_hardware_compares_ends_with_its_event),
        EVENT_CASE(temperatures_fire_at_each_crossing),
        EVENT_CASE(errors_fire_until_they_are_cleared),
        EVENT_CASE(errors_are_compared_in_sum_and_by_older_category),
        EVENT_CASE(who_waits_sees_thresholds_pass),
        EVENT_CASE(who_waits_learns_of_new_thresholds),
        EVENT_CASE(nothing_is_read_while_nobody_listens),
    };
    return cmocka_run_group_tests_name("sysman thresholds", cases, sysman_setup, NULL);
}
