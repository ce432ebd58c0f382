/* Faults and events of a description, by the manual clock. */
#include "simulated.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEALTH ZES_EVENT_TYPE_FLAG_MEM_HEALTH
#define LINK   ZES_EVENT_TYPE_FLAG_PCI_LINK_HEALTH
#define RESET  ZES_EVENT_TYPE_FLAG_DEVICE_RESET_REQUIRED
#define FABRIC ZES_EVENT_TYPE_FLAG_FABRIC_PORT_HEALTH

static ze_result_t fan(uint32_t index)
{
    int32_t speed;
    return zesFanGetState(get_fan(index), ZES_FAN_SPEED_UNITS_RPM, &speed);
}

static zes_event_type_flags_t poll_events(void)
{
    zes_event_type_flags_t events = 0xa5a5a5a5;
    uint32_t fired = 9;
    assert_success(
        zesDriverEventListen((ze_driver_handle_t)driver, 0, 1, &device, &fired, &events));
    assert_int_equal(fired, events != 0);
    return events;
}

/* SYC-26 */
static void events_come_once_and_when_wanted(void **unused)
{
    (void)unused;
    at(1);
    assert_success(zesDeviceEventRegister(device, HEALTH | LINK));
    assert_int_equal(poll_events(), 0);
    at(5);
    assert_int_equal(poll_events(), HEALTH);
    assert_int_equal(poll_events(), 0);
    at(7);
    assert_int_equal(poll_events(), LINK); /* nobody wants to know of the other */
    assert_success(zesDeviceEventRegister(device, 0));
}

static void a_component_fails_alone_and_comes_back(void **unused)
{
    (void)unused;
    at(9);
    assert_success(fan(0));
    at(10);
    assert_result(fan(0), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_non_null(strstr(last_error(), "its cable is loose"));
    assert_success(fan(1));
    at(15);
    assert_result(fan(1), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    at(20);
    assert_success(fan(0));
    assert_success(fan(1));
}

static void errors_come_in_time(void **unused)
{
    zes_ras_state_t state = {.stype = ZES_STRUCTURE_TYPE_RAS_STATE};
    (void)unused;
    at(25);
    assert_success(zesRasGetState(get_ras(0), 0, &state));
    assert_int_equal(state.category[ZES_RAS_ERROR_CAT_COMPUTE_ERRORS], 0);
    at(30);
    assert_success(zesRasGetState(get_ras(0), 0, &state));
    assert_int_equal(state.category[ZES_RAS_ERROR_CAT_COMPUTE_ERRORS], 4);
}

static void a_reset_brings_a_lost_device_back(void **unused)
{
    zes_device_state_t state = {.stype = ZES_STRUCTURE_TYPE_DEVICE_STATE};
    uint32_t count;
    int32_t speed;
    zes_fan_handle_t other;
    (void)unused;
    at(40);
    assert_result(fan(0), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_result(zesDeviceGetState(device, &state), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_success(zesDeviceReset(device, 0));
    assert_success(fan(0));
    zes_device_handle_t *devices = devices_of(driver, &count);
    assert_int_equal(count, 3);
    count = 1;
    assert_success(zesDeviceEnumFans(devices[1], &count, &other));
    assert_result(zesFanGetState(other, ZES_FAN_SPEED_UNITS_RPM, &speed),
                  ZE_RESULT_ERROR_DEVICE_LOST); /* it was not reset */
    free(devices);
}

/* ---- who waits ---- */

struct listener {
    pthread_t thread;
    uint32_t fired;
    zes_event_type_flags_t events;
    ze_result_t result;
};

static void *listener_main(void *argument)
{
    struct listener *listener = argument;
    listener->result = zesDriverEventListen((ze_driver_handle_t)driver, UINT32_MAX, 1, &device,
                                            &listener->fired, &listener->events);
    return NULL;
}

/* Whether it waits already when the time is set, or not yet: it is told. */
static void who_waits_is_woken_when_the_clock_is_set(void **unused)
{
    struct listener listener = {.fired = 9};
    (void)unused;
    at(49);
    assert_success(zesDeviceEventRegister(device, FABRIC));
    for (int i = 0; i < 20; i++) {
        assert_int_equal(pthread_create(&listener.thread, NULL, listener_main, &listener), 0);
        if (i % 2) {
            usleep(2000);
        }
        at(50 + 10 * i);
        pthread_join(listener.thread, NULL);
        assert_success(listener.result);
        assert_int_equal(listener.fired, 1);
        assert_int_equal(listener.events, FABRIC);
    }
    assert_success(zesDeviceEventRegister(device, 0));
}

static void another_registration_keeps_what_happened(void **unused)
{
    (void)unused;
    at(249);
    assert_success(zesDeviceEventRegister(device, FABRIC));
    at(250);
    assert_success(zesDeviceEventRegister(device, FABRIC | ZES_EVENT_TYPE_FLAG_MEM_HEALTH));
    assert_int_equal(poll_events(), FABRIC);
    at(260);
    assert_success(zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_MEM_HEALTH));
    assert_success(zesDeviceEventRegister(device, FABRIC | ZES_EVENT_TYPE_FLAG_MEM_HEALTH));
    assert_int_equal(poll_events(), 0); /* in between nobody wanted it */
    assert_success(zesDeviceEventRegister(device, 0));
}

static void a_child_has_the_devices_and_no_listeners(void **unused)
{
    int status;
    (void)unused;
    at(301);
    assert_success(zesDeviceReset(device, 0));
    assert_success(zesDeviceEventRegister(device, FABRIC));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool right =
            fan(0) == ZE_RESULT_SUCCESS && set_time(UINT64_C(320000000000)) == ZE_RESULT_SUCCESS &&
            zesDeviceEventRegister(device, FABRIC) == ZE_RESULT_SUCCESS &&
            set_time(UINT64_C(330000000000)) == ZE_RESULT_SUCCESS && poll_events() == FABRIC;
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(poll_events(), 0); /* the clock of this process stands */
    at(310);
    assert_int_equal(poll_events(), FABRIC);
    assert_success(zesDeviceEventRegister(device, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_once_and_when_wanted),
        cmocka_unit_test(a_component_fails_alone_and_comes_back),
        cmocka_unit_test(errors_come_in_time),
        cmocka_unit_test(a_reset_brings_a_lost_device_back),
        cmocka_unit_test(who_waits_is_woken_when_the_clock_is_set),
        cmocka_unit_test(another_registration_keeps_what_happened),
        cmocka_unit_test(a_child_has_the_devices_and_no_listeners),
    };
    return cmocka_run_group_tests(tests, simulated_setup, NULL);
}
