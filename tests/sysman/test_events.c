/* Events: registrations, listeners in several threads, thresholds that the driver compares. */
#include "sysman.h"

#include "../harness/limit.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const zes_event_type_flags_t health = ZES_EVENT_TYPE_FLAG_MEM_HEALTH;
static const zes_event_type_flags_t detach = ZES_EVENT_TYPE_FLAG_DEVICE_DETACH;

static int forget(void **unused)
{
    zesDeviceEventRegister(device, 0);
    zesDeviceEventRegister(other_device, 0);
    return sysman_reset(unused);
}
#define EVENT_CASE(function) cmocka_unit_test_setup_teardown(function, forget, forget)

static ze_result_t listen_for(uint32_t timeout, uint32_t count, zes_device_handle_t *devices,
                              uint32_t *fired, zes_event_type_flags_t *events)
{
    return zesDriverEventListen((ze_driver_handle_t)driver, timeout, count, devices, fired, events);
}

/* What the first device has to tell now. */
static zes_event_type_flags_t poll_events(void)
{
    zes_event_type_flags_t events = 0xa5a5a5a5;
    uint32_t fired = 0xa5a5a5a5;
    assert_success(listen_for(0, 1, &device, &fired, &events));
    assert_int_equal(fired, events != 0);
    return events;
}

/* ---- a thread that listens ---- */

struct listener {
    pthread_t thread;
    zes_device_handle_t devices[2];
    uint32_t count, timeout, fired;
    zes_event_type_flags_t events[2];
    ze_result_t result;
};

static void *listener_main(void *argument)
{
    struct listener *listener = argument;
    listener->result = listen_for(listener->timeout, listener->count, listener->devices,
                                  &listener->fired, listener->events);
    return NULL;
}

static uint32_t takes(uint32_t index)
{
    pthread_mutex_lock(&state->lock);
    const uint32_t count = state->events[index].takes;
    pthread_mutex_unlock(&state->lock);
    return count;
}

/* Begins to wait without end; it has looked for events once when this returns. */
static void listener_start(struct listener *listener)
{
    const uint32_t before = takes(0);
    *listener = (struct listener){
        .devices = {device, other_device}, .count = 2, .timeout = UINT32_MAX, .fired = 9};
    assert_int_equal(pthread_create(&listener->thread, NULL, listener_main, listener), 0);
    while (takes(0) == before) {
        sched_yield();
    }
}

static void listener_join(struct listener *listener)
{
    pthread_join(listener->thread, NULL);
    assert_int_equal(listener->result, ZE_RESULT_SUCCESS);
}

/* ---- registering and listening ---- */

/* SYC-26 */
static void nothing_registered_is_nothing_to_wait_for(void **unused)
{
    zes_device_handle_t devices[] = {device, other_device};
    zes_event_type_flags_t events[] = {7, 7};
    uint32_t fired = 7;
    (void)unused;
    assert_success(listen_for(UINT32_MAX, 2, devices, &fired, events));
    assert_int_equal(fired, 0);
    assert_int_equal(events[0], 0);
    assert_int_equal(events[1], 0);
    assert_success(listen_for(UINT32_MAX, 0, devices, &fired, events));
    assert_int_equal(fired, 0);
}

/* SYC-26, SYC-27, SYC-28 */
static void events_come_with_their_device(void **unused)
{
    zes_device_handle_t devices[] = {other_device, device};
    zes_event_type_flags_t events[] = {7, 7};
    uint32_t fired = 7;
    (void)unused;
    assert_success(zesDeviceEventRegister(device, health | detach));
    assert_success(zesDeviceEventRegister(other_device, health));
    assert_int_equal(state->events[0].watched, health | detach);
    assert_success(listen_for(0, 2, devices, &fired, events));
    assert_int_equal(fired, 0);
    assert_int_equal(events[1], 0);
    happen(0, detach);
    happen(0, health);
    assert_success(listen_for(UINT32_MAX, 2, devices, &fired, events));
    assert_int_equal(fired, 1);
    assert_int_equal(events[0], 0);
    assert_int_equal(events[1], health | detach);
    assert_success(listen_for(0, 2, devices, &fired, events)); /* told of once */
    assert_int_equal(fired, 0);
    happen(0, detach);
    happen(1, health);
    assert_success(listen_for(UINT32_MAX, 2, devices, &fired, events));
    assert_int_equal(fired, 2);
    assert_int_equal(events[0], health);
    assert_int_equal(events[1], detach);
}

/* SYC-26 */
static void only_what_is_registered_is_told(void **unused)
{
    (void)unused;
    assert_success(zesDeviceEventRegister(device, health));
    happen(0, detach | ZES_EVENT_TYPE_FLAG_DEVICE_ATTACH);
    assert_int_equal(poll_events(), 0);
    happen(0, health | detach);
    assert_int_equal(poll_events(), health);
    assert_success(zesDeviceEventRegister(device, detach)); /* in place of it */
    happen(0, health);
    assert_int_equal(poll_events(), 0);
    assert_result(zesDeviceEventRegister(device, 1u << 20), ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

/* SYC-26 */
static void the_longer_wait_is_the_same(void **unused)
{
    zes_event_type_flags_t events = 0;
    uint32_t fired = 0;
    ze_driver_handle_t core = (ze_driver_handle_t)driver;
    (void)unused;
    assert_success(zesDriverEventListenEx(core, UINT64_MAX, 1, &device, &fired, &events));
    assert_int_equal(fired, 0);
    assert_success(zesDeviceEventRegister(device, health));
    assert_success(zesDriverEventListenEx(core, 0, 1, &device, &fired, &events));
    assert_int_equal(fired, 0);
    happen(0, health);
    assert_success(zesDriverEventListenEx(core, UINT64_MAX - 1, 1, &device, &fired, &events));
    assert_int_equal(fired, 1);
    assert_int_equal(events, health);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* SYC-26 */
static void a_wait_ends_in_time(void **unused)
{
    zes_event_type_flags_t events = 7;
    uint32_t fired = 7;
    (void)unused;
    assert_success(zesDeviceEventRegister(device, health));
    const uint64_t start = now_ms();
    assert_success(listen_for(60, 1, &device, &fired, &events));
    assert_true(now_ms() - start >= 59);
    assert_int_equal(fired, 0);
    assert_int_equal(events, 0);
}

/* SYC-26 */
static void foreign_devices_are_refused(void **unused)
{
    zes_device_handle_t devices[] = {device, null_device}, missing[] = {device, NULL};
    zes_event_type_flags_t events[] = {7, 7};
    uint32_t fired = 7;
    (void)unused;
    assert_success(zesDeviceEventRegister(device, health));
    happen(0, health);
    assert_invalid(listen_for(0, 2, devices, &fired, events));
    assert_result(listen_for(0, 2, missing, &fired, events), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_int_equal(fired, 7);
    assert_int_equal(poll_events(), health); /* and is still there */
}

static void a_watch_that_fails_registers_nothing(void **unused)
{
    (void)unused;
    set_operation(DESCRIBED_device_watch, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_result(zesDeviceEventRegister(device, health), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    set_operation(DESCRIBED_device_watch, ZE_RESULT_SUCCESS);
    happen(0, health);
    assert_int_equal(poll_events(), 0);
}

/* ---- threads ---- */

/* SYC-26 */
static void an_event_wakes_everybody_who_listens(void **unused)
{
    enum { THREADS = 4 };
    struct listener listeners[THREADS];
    (void)unused;
    assert_success(zesDeviceEventRegister(device, health));
    for (int i = 0; i < THREADS; i++) {
        listener_start(&listeners[i]);
    }
    happen(0, health);
    for (int i = 0; i < THREADS; i++) {
        listener_join(&listeners[i]);
        assert_int_equal(listeners[i].fired, 1);
        assert_int_equal(listeners[i].events[0], health);
        assert_int_equal(listeners[i].events[1], 0);
    }
    assert_int_equal(poll_events(), 0);
}

/* SYC-26 */
static void registering_nothing_releases_who_waits(void **unused)
{
    struct listener listeners[2];
    (void)unused;
    assert_success(zesDeviceEventRegister(device, health));
    listener_start(&listeners[0]);
    listener_start(&listeners[1]);
    const uint32_t before = state->events[0].unwatches;
    assert_success(zesDeviceEventRegister(device, 0));
    assert_success(
        zesDeviceEventRegister(device, health)); /* as it was: they are out all the same */
    for (int i = 0; i < 2; i++) {
        listener_join(&listeners[i]);
        assert_int_equal(listeners[i].fired, 0);
        assert_int_equal(listeners[i].events[0], 0);
    }
    assert_int_equal(state->events[0].unwatches, before + 1);
}

/* SYC-26 */
static void who_waits_for_another_device_goes_on(void **unused)
{
    struct listener listener;
    (void)unused;
    assert_success(zesDeviceEventRegister(device, health));
    assert_success(zesDeviceEventRegister(other_device, detach));
    listener_start(&listener);
    assert_success(zesDeviceEventRegister(device, 0));
    happen(1, detach);
    listener_join(&listener);
    assert_int_equal(listener.fired, 1);
    assert_int_equal(listener.events[1], detach);
}

/* SYC-26 */
static void registering_again_reaches_who_waits(void **unused)
{
    struct listener listener;
    (void)unused;
    assert_success(zesDeviceEventRegister(device, health));
    listener_start(&listener);
    assert_success(zesDeviceEventRegister(device, detach)); /* with another descriptor */
    happen(0, health);
    happen(0, detach);
    listener_join(&listener);
    assert_int_equal(listener.fired, 1);
    assert_int_equal(listener.events[0], detach);
}

static void a_backend_may_want_to_be_asked(void **unused)
{
    struct listener listener;
    (void)unused;
    state->no_fd = true;
    state->period_ns = 1000000;
    assert_success(zesDeviceEventRegister(device, health));
    listener_start(&listener);
    happen(0, health);
    listener_join(&listener);
    assert_int_equal(listener.events[0], health);
}

/* ---- thresholds ---- */

static void compared_by_the_driver(void)
{
    set_operation(DESCRIBED_power_set_energy_threshold, DESCRIBED_ABSENT);
    set_operation(DESCRIBED_temperature_set_thresholds, DESCRIBED_ABSENT);
    set_operation(DESCRIBED_ras_set_thresholds, DESCRIBED_ABSENT);
}

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

/* ---- fork ---- */

static bool child_has_nothing(void)
{
    zes_energy_threshold_t threshold;
    zes_event_type_flags_t events = 7;
    uint32_t fired = 7;
    bool right = listen_for(UINT32_MAX, 1, &device, &fired, &events) == ZE_RESULT_SUCCESS &&
                 fired == 0 && events == 0;
    right = right && zesPowerGetEnergyThreshold(get_power(0), &threshold) == ZE_RESULT_SUCCESS &&
            threshold.enable == 0;
    state->events[0].fd = -1; /* the parent's */
    right = right && zesDeviceEventRegister(device, detach) == ZE_RESULT_SUCCESS;
    happen(0, detach);
    return right && listen_for(UINT32_MAX, 1, &device, &fired, &events) == ZE_RESULT_SUCCESS &&
           fired == 1 && events == detach;
}

/* SYC-4, SYC-26 */
static void a_child_begins_with_nothing(void **unused)
{
    struct listener listener;
    zes_energy_threshold_t threshold;
    int status = 0;
    (void)unused;
    compared_by_the_driver();
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 5));
    assert_success(zesDeviceEventRegister(device, health));
    listener_start(&listener);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        limit_stall();
        _exit(child_has_nothing() ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    happen(0, health);
    listener_join(&listener);
    assert_int_equal(listener.events[0], health);
    assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
    assert_int_equal(threshold.enable, 1);
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 0));
}

int main(void)
{
    limit_stall();
    const struct CMUnitTest cases[] = {
        EVENT_CASE(nothing_registered_is_nothing_to_wait_for),
        EVENT_CASE(events_come_with_their_device),
        EVENT_CASE(only_what_is_registered_is_told),
        EVENT_CASE(the_longer_wait_is_the_same),
        EVENT_CASE(a_wait_ends_in_time),
        EVENT_CASE(foreign_devices_are_refused),
        EVENT_CASE(a_watch_that_fails_registers_nothing),
        EVENT_CASE(an_event_wakes_everybody_who_listens),
        EVENT_CASE(registering_nothing_releases_who_waits),
        EVENT_CASE(who_waits_for_another_device_goes_on),
        EVENT_CASE(registering_again_reaches_who_waits),
        EVENT_CASE(a_backend_may_want_to_be_asked),
        EVENT_CASE(energy_fires_once),
        EVENT_CASE(energy_that_hardware_compares_ends_with_its_event),
        EVENT_CASE(temperatures_fire_at_each_crossing),
        EVENT_CASE(errors_fire_until_they_are_cleared),
        EVENT_CASE(errors_are_compared_in_sum_and_by_older_category),
        EVENT_CASE(who_waits_sees_thresholds_pass),
        EVENT_CASE(nothing_is_read_while_nobody_listens),
        EVENT_CASE(a_child_begins_with_nothing),
    };
    return cmocka_run_group_tests_name("sysman events", cases, sysman_setup, NULL);
}
