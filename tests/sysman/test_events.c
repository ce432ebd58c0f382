/* Events: registrations, listeners in several threads, children. */
#include "listener.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* SYC-28 */
static void a_reset_detaches_and_attaches(void **unused)
{
    const zes_event_type_flags_t attach = ZES_EVENT_TYPE_FLAG_DEVICE_ATTACH;
    (void)unused;
    assert_success(zesDeviceEventRegister(device, detach | attach));
    set_operation(DESCRIBED_device_reset, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_result(zesDeviceReset(device, 0), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    assert_int_equal(poll_events(), 0);
    set_operation(DESCRIBED_device_reset, ZE_RESULT_SUCCESS);
    assert_success(zesDeviceReset(device, 0));
    assert_int_equal(poll_events(), detach | attach);
    assert_int_equal(poll_events(), 0);
    assert_success(zesDeviceEventRegister(device, attach));
    assert_success(zesDeviceReset(device, 1));
    assert_int_equal(poll_events(), attach);
    assert_success(zesDeviceReset(other_device, 1));
    assert_int_equal(poll_events(), 0);
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

static void what_cannot_happen_is_not_watched(void **unused)
{
    const uint32_t before = state->events[0].unwatches;
    (void)unused;
    assert_success(zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED));
    assert_int_equal(state->calls[DESCRIBED_device_watch], 0);
    assert_success(zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED | health));
    assert_int_equal(state->events[0].watched, health);
    assert_success(zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_FREQ_THROTTLED));
    assert_int_equal(state->events[0].watched, 0);
    assert_int_equal(state->events[0].unwatches, before + 1);
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

static void a_broken_descriptor_does_not_spin(void **unused)
{
    zes_event_type_flags_t events;
    uint32_t fired;
    (void)unused;
    state->broken_fd = true;
    assert_success(zesDeviceEventRegister(device, health));
    const uint32_t before = takes(0);
    assert_success(listen_for(250, 1, &device, &fired, &events));
    assert_int_equal(fired, 0);
    assert_in_range(takes(0) - before, 2, 20);
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
        EVENT_CASE(a_reset_detaches_and_attaches),
        EVENT_CASE(only_what_is_registered_is_told),
        EVENT_CASE(the_longer_wait_is_the_same),
        EVENT_CASE(a_wait_ends_in_time),
        EVENT_CASE(foreign_devices_are_refused),
        EVENT_CASE(what_cannot_happen_is_not_watched),
        EVENT_CASE(a_watch_that_fails_registers_nothing),
        EVENT_CASE(an_event_wakes_everybody_who_listens),
        EVENT_CASE(registering_nothing_releases_who_waits),
        EVENT_CASE(who_waits_for_another_device_goes_on),
        EVENT_CASE(registering_again_reaches_who_waits),
        EVENT_CASE(a_backend_may_want_to_be_asked),
        EVENT_CASE(a_broken_descriptor_does_not_spin),
        EVENT_CASE(a_child_begins_with_nothing),
    };
    return cmocka_run_group_tests_name("sysman events", cases, sysman_setup, NULL);
}
