/* Many threads on the same components: what is set is whole, and of two the last wins. */
#include "listener.h"

enum { THREADS = 6, ROUNDS = 400 };

static pthread_barrier_t start;

/* Runs the functions in THREADS threads at once, in turn. */
static void together(void *(*const *functions)(void *), size_t count)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, functions[i % count], (void *)i), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&start);
}

/* ---- one component ---- */

static void *range_storm(void *argument)
{
    const zes_freq_handle_t gpu = get_frequency(0);
    const double mine = 400 + 100 * (double)(uintptr_t)argument;
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS; i++) {
        const zes_freq_range_t range = {mine, mine};
        zes_freq_range_t now = {0};
        assert_success(zesFrequencySetRange(gpu, &range));
        assert_success(zesFrequencyGetRange(gpu, &now));
        assert_true(now.min == now.max && now.min >= 400);
    }
    return NULL;
}

static void *led_storm(void *argument)
{
    const zes_led_handle_t led = get_led(0);
    const zes_led_color_t colour = {0.25, 0.25, 0.25};
    (void)argument;
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS; i++) {
        zes_led_state_t now = {.stype = ZES_STRUCTURE_TYPE_LED_STATE};
        assert_success(zesLedSetColor(led, &colour));
        assert_success(zesLedSetState(led, (ze_bool_t)(i & 1)));
        assert_success(zesLedGetState(led, &now));
        assert_true(now.color.red == now.color.blue);
    }
    return NULL;
}

/* SYS-1 */
static void the_last_that_sets_wins(void **unused)
{
    void *(*const storms[])(void *) = {range_storm, led_storm};
    const zes_freq_range_t last = {500, 1300};
    zes_freq_range_t now = {0};
    (void)unused;
    together(storms, 2);
    assert_success(zesFrequencySetRange(get_frequency(0), &last));
    assert_success(zesFrequencyGetRange(get_frequency(0), &now));
    assert_true(now.min == 500 && now.max == 1300);
}

/* ---- events ---- */

static void *listen_storm(void *argument)
{
    zes_device_handle_t devices[] = {device, other_device};
    (void)argument;
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS / 4; i++) {
        zes_event_type_flags_t events[2] = {~0u, ~0u};
        uint32_t fired = 9;
        assert_success(listen_for((uint32_t)(i & 1), 2, devices, &fired, events));
        assert_int_equal(fired, (events[0] != 0) + (events[1] != 0));
        assert_int_equal(
            events[0] &
                ~(zes_event_type_flags_t)(health | ZES_EVENT_TYPE_FLAG_ENERGY_THRESHOLD_CROSSED),
            0);
    }
    return NULL;
}

static void *register_storm(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS; i++) {
        assert_success(zesDeviceEventRegister(
            device, i % 3 ? health | ZES_EVENT_TYPE_FLAG_ENERGY_THRESHOLD_CROSSED : 0));
        happen(0, health | detach);
        sched_yield();
    }
    return NULL;
}

static void *threshold_storm(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&start);
    for (int i = 0; i < ROUNDS; i++) {
        zes_energy_threshold_t threshold;
        assert_success(zesPowerSetEnergyThreshold(get_power(0), 1 + i % 2));
        pthread_mutex_lock(&state->lock);
        state->energy.energy += 1500000;
        pthread_mutex_unlock(&state->lock);
        assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
        assert_true(threshold.threshold == 0 || threshold.threshold == 1 ||
                    threshold.threshold == 2);
    }
    return NULL;
}

/* SYC-26 */
static void listeners_registrations_and_thresholds_meet(void **unused)
{
    void *(*const storms[])(void *) = {listen_storm, register_storm, threshold_storm};
    (void)unused;
    compared_by_the_driver();
    together(storms, 3);
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 0));
}

int main(void)
{
    limit_stall();
    const struct CMUnitTest cases[] = {
        EVENT_CASE(the_last_that_sets_wins),
        EVENT_CASE(listeners_registrations_and_thresholds_meet),
    };
    return cmocka_run_group_tests_name("sysman threads", cases, sysman_setup, NULL);
}
