/* What tests of events and thresholds share: a case that leaves no registrations, polling, and a
 * thread that listens. */
#ifndef TESTS_SYSMAN_LISTENER_H
#define TESTS_SYSMAN_LISTENER_H

#include "sysman.h"

#include "../harness/limit.h"

#include <sched.h>

enum { health = ZES_EVENT_TYPE_FLAG_MEM_HEALTH, detach = ZES_EVENT_TYPE_FLAG_DEVICE_DETACH };

static inline int forget(void **unused)
{
    zesDeviceEventRegister(device, 0);
    zesDeviceEventRegister(other_device, 0);
    return sysman_reset(unused);
}
#define EVENT_CASE(function) cmocka_unit_test_setup_teardown(function, forget, forget)

static inline ze_result_t listen_for(uint32_t timeout, uint32_t count, zes_device_handle_t *devices,
                                     uint32_t *fired, zes_event_type_flags_t *events)
{
    return zesDriverEventListen((ze_driver_handle_t)driver, timeout, count, devices, fired, events);
}

/* What the first device has to tell now. */
static inline zes_event_type_flags_t poll_events(void)
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

static inline void *listener_main(void *argument)
{
    struct listener *listener = argument;
    listener->result = listen_for(listener->timeout, listener->count, listener->devices,
                                  &listener->fired, listener->events);
    return NULL;
}

static inline uint32_t takes(uint32_t index)
{
    pthread_mutex_lock(&state->lock);
    const uint32_t count = state->events[index].takes;
    pthread_mutex_unlock(&state->lock);
    return count;
}

/* Begins to wait without end; it has looked for events once when this returns. */
static inline void listener_start(struct listener *listener)
{
    const uint32_t before = takes(0);
    *listener = (struct listener){
        .devices = {device, other_device}, .count = 2, .timeout = UINT32_MAX, .fired = 9};
    assert_int_equal(pthread_create(&listener->thread, NULL, listener_main, listener), 0);
    while (takes(0) == before) {
        sched_yield();
    }
}

static inline void listener_join(struct listener *listener)
{
    pthread_join(listener->thread, NULL);
    assert_int_equal(listener->result, ZE_RESULT_SUCCESS);
}

/* Thresholds of all classes are the driver's to compare. */
static inline void compared_by_the_driver(void)
{
    set_operation(DESCRIBED_power_set_energy_threshold, DESCRIBED_ABSENT);
    set_operation(DESCRIBED_temperature_set_thresholds, DESCRIBED_ABSENT);
    set_operation(DESCRIBED_ras_set_thresholds, DESCRIBED_ABSENT);
}

#endif
