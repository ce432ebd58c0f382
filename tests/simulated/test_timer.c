/* Events by the real clock: a timer wakes who waits. */
#include "simulated.h"

static void the_clock_runs_and_cannot_be_set(void **unused)
{
    zes_power_energy_counter_t first, second;
    (void)unused;
    assert_unsupported(set_time(UINT64_C(1000000000)));
    assert_success(zesPowerGetEnergyCounter(get_power(0), &first));
    do {
        assert_success(zesPowerGetEnergyCounter(get_power(0), &second));
        assert_true(second.energy >= first.energy && second.timestamp >= first.timestamp);
    } while (second.energy == first.energy);
    const double watts =
        (double)(second.energy - first.energy) / (double)(second.timestamp - first.timestamp + 1);
    assert_true(watts < 1.001); /* a watt, to a microsecond */
}

static void a_timer_wakes_who_waits(void **unused)
{
    (void)unused;
    assert_success(zesDeviceEventRegister(device, ZES_EVENT_TYPE_FLAG_MEM_HEALTH));
    for (int i = 0; i < 5; i++) {
        zes_event_type_flags_t events = 0;
        uint32_t fired = 0;
        assert_success(zesDriverEventListen((ze_driver_handle_t)driver, UINT32_MAX, 1, &device,
                                            &fired, &events));
        assert_int_equal(fired, 1);
        assert_int_equal(events, ZES_EVENT_TYPE_FLAG_MEM_HEALTH);
    }
    assert_success(zesDeviceEventRegister(device, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_runs_and_cannot_be_set),
        cmocka_unit_test(a_timer_wakes_who_waits),
    };
    return cmocka_run_group_tests(tests, simulated_setup, NULL);
}
