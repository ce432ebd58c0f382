/* Frequencies: clocks, ranges, throttling. */
#include "gpu_fixture.h"

enum { GRAPHICS, MEMORY, VIDEO };

static const struct geo_sysman_frequency *domain(const struct gpus *gpus, uint32_t index)
{
    return gpus_component(gpus, GEO_SYSMAN_FREQUENCY, index);
}

static void domains_are_described(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FREQUENCY), 3);
    const zes_freq_properties_t *properties = &domain(&gpus, GRAPHICS)->properties;
    assert_int_equal(properties->type, ZES_FREQ_DOMAIN_GPU);
    assert_true(properties->canControl);
    assert_true(properties->isThrottleEventSupported);
    assert_true(properties->min == 345 && properties->max == 1980);
    properties = &domain(&gpus, MEMORY)->properties;
    assert_int_equal(properties->type, ZES_FREQ_DOMAIN_MEMORY);
    assert_true(properties->canControl);
    assert_false(properties->isThrottleEventSupported);
    assert_true(properties->min == 1593 && properties->max == 2619);
    properties = &domain(&gpus, VIDEO)->properties;
    assert_int_equal(properties->type, ZES_FREQ_DOMAIN_MEDIA);
    assert_false(properties->canControl);
    assert_true(properties->min == -1 && properties->max == 1545);
    gpus_close(&gpus);
}

/* SYC-5 */
static void clocks_rise_and_each_is_there_once(void **state)
{
    (void)state;
    static const double graphics[] = {345, 1950, 1965, 1980}, memory[] = {1593, 2619};
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(domain(&gpus, GRAPHICS)->clock_count, 4);
    assert_memory_equal(domain(&gpus, GRAPHICS)->clocks, graphics, sizeof(graphics));
    assert_int_equal(domain(&gpus, MEMORY)->clock_count, 2);
    assert_memory_equal(domain(&gpus, MEMORY)->clocks, memory, sizeof(memory));
    assert_int_equal(domain(&gpus, VIDEO)->clock_count, 0);
    gpus_close(&gpus);
}

static void state_has_what_is_known(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_freq_state_t now = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_frequency *graphics = domain(&gpus, GRAPHICS);
    assert_works(&gpus, graphics->ops->state(graphics, &now, &gpus.why));
    assert_true(now.actual == 345 && now.request == 1830);
    assert_true(now.currentVoltage == -1 && now.tdp == -1 && now.efficient == -1);
    assert_int_equal(now.throttleReasons, 0); /* a GPU that does nothing is not throttled */
    assert_works(&gpus, domain(&gpus, VIDEO)->ops->state(domain(&gpus, VIDEO), &now, &gpus.why));
    assert_true(now.actual == 765 && now.request == -1);
    gpus_close(&gpus);
}

static void reasons_are_the_specifications(void **state)
{
    (void)state;
    static const struct {
        unsigned long long theirs;
        uint32_t ours;
    } table[] = {
        {GEO_NVML_REASON_IDLE, 0},
        {GEO_NVML_REASON_APPLICATION_CLOCKS, ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE},
        {GEO_NVML_REASON_SW_POWER_CAP, ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP},
        {GEO_NVML_REASON_HW_SLOWDOWN, ZES_FREQ_THROTTLE_REASON_FLAG_BURST_PWR_CAP},
        {GEO_NVML_REASON_SYNC_BOOST, ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE},
        {GEO_NVML_REASON_SW_THERMAL, ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT},
        {GEO_NVML_REASON_HW_SLOWDOWN | GEO_NVML_REASON_HW_THERMAL,
         ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT},
        {GEO_NVML_REASON_HW_SLOWDOWN | GEO_NVML_REASON_HW_POWER_BRAKE,
         ZES_FREQ_THROTTLE_REASON_FLAG_PSU_ALERT},
        {GEO_NVML_REASON_DISPLAY_CLOCKS | GEO_NVML_REASON_SW_POWER_CAP,
         ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE | ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP},
    };
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        zes_freq_state_t now = {0};
        gpus_state(&gpus, 0)->reasons = table[i].theirs;
        assert_works(&gpus,
                     domain(&gpus, GRAPHICS)->ops->state(domain(&gpus, GRAPHICS), &now, &gpus.why));
        assert_int_equal(now.throttleReasons, table[i].ours);
        assert_works(&gpus,
                     domain(&gpus, MEMORY)->ops->state(domain(&gpus, MEMORY), &now, &gpus.why));
        assert_int_equal(now.throttleReasons, 0);
    }
    gpus_close(&gpus);
}

static void throttle_time_is_in_microseconds(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_freq_throttle_time_t time = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_frequency *graphics = domain(&gpus, GRAPHICS);
    assert_works(&gpus, graphics->ops->throttle_time(graphics, &time, &gpus.why));
    assert_int_equal(time.throttleTime, 5000 + 3000);
    assert_int_equal(time.timestamp, 2000);
    assert_null(domain(&gpus, MEMORY)->ops->throttle_time);
    gpus_close(&gpus);
}

/* Nobody tells of locked clocks but who has set them. */
static void a_range_is_known_when_it_was_set(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_freq_range_t range = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_frequency *graphics = domain(&gpus, GRAPHICS);
    assert_unsupported(&gpus, graphics->ops->range(graphics, &range, &gpus.why), "locked clocks");
    range = (zes_freq_range_t){.min = 1950, .max = 1965};
    assert_works(&gpus, graphics->ops->set_range(graphics, &range, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 0)->locked[0], 1950);
    assert_int_equal(gpus_state(&gpus, 0)->locked[1], 1965);
    range = (zes_freq_range_t){0};
    assert_works(&gpus, graphics->ops->range(graphics, &range, &gpus.why));
    assert_true(range.min == 1950 && range.max == 1965);
    range = (zes_freq_range_t){.min = -1, .max = 1965};
    assert_works(&gpus, graphics->ops->set_range(graphics, &range, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 0)->locked[0], 345);
    range = (zes_freq_range_t){.min = -1, .max = -1};
    assert_works(&gpus, graphics->ops->set_range(graphics, &range, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 0)->locked[1], 0); /* not locked any more */
    assert_works(&gpus, graphics->ops->range(graphics, &range, &gpus.why));
    assert_true(range.min == 345 && range.max == 1980);
    range.max = 1965;
    assert_works(&gpus, graphics->ops->set_range(graphics, &range, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 0)->locked[1], 1965);
    range.max = 1980;
    assert_works(&gpus, graphics->ops->set_range(graphics, &range, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 0)->locked[1], 0); /* the same, by numbers */
    gpus_close(&gpus);
}

static void the_memorys_range_is_its_own(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_freq_range_t range = {.min = 1593, .max = 1593};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_frequency *memory = domain(&gpus, MEMORY);
    assert_works(&gpus, memory->ops->set_range(memory, &range, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 0)->locked_memory[1], 1593);
    assert_int_equal(gpus_state(&gpus, 0)->locked[1], 0);
    assert_unsupported(
        &gpus, domain(&gpus, GRAPHICS)->ops->range(domain(&gpus, GRAPHICS), &range, &gpus.why),
        "locked clocks");
    gpus_close(&gpus);
}

static void a_range_that_was_refused_is_not_kept(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_freq_range_t range = {.min = 345, .max = 1965};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_frequency *graphics = domain(&gpus, GRAPHICS);
    gpus_fail(&gpus, DeviceSetGpuLockedClocks, GEO_NVML_NO_PERMISSION);
    assert_result(&gpus, graphics->ops->set_range(graphics, &range, &gpus.why),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS,
                  "nvmlDeviceSetGpuLockedClocks: Insufficient Permissions");
    assert_unsupported(&gpus, graphics->ops->range(graphics, &range, &gpus.why), "locked clocks");
    gpus_close(&gpus);
}

static void an_older_library_does_not_lock_memory(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_OLD, 0);
    assert_true(domain(&gpus, GRAPHICS)->properties.canControl);
    assert_false(domain(&gpus, MEMORY)->properties.canControl);
    gpus_close(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(domains_are_described),
        cmocka_unit_test(clocks_rise_and_each_is_there_once),
        cmocka_unit_test(state_has_what_is_known),
        cmocka_unit_test(reasons_are_the_specifications),
        cmocka_unit_test(throttle_time_is_in_microseconds),
        cmocka_unit_test(a_range_is_known_when_it_was_set),
        cmocka_unit_test(the_memorys_range_is_its_own),
        cmocka_unit_test(a_range_that_was_refused_is_not_kept),
        cmocka_unit_test(an_older_library_does_not_lock_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
