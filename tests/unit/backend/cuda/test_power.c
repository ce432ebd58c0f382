/* Power: energy, what is used, limits. */
#include "gpu_fixture.h"

static const struct geo_sysman_power *card(const struct gpus *gpus)
{
    return gpus_component(gpus, GEO_SYSMAN_POWER, 0);
}

static void the_card_is_described(void **state)
{
    (void)state;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_POWER), 1);
    assert_int_equal(card(&gpus)->domain, ZES_POWER_DOMAIN_CARD);
    assert_int_equal(card(&gpus)->base.subdevice, -1);
    assert_true(card(&gpus)->properties.canControl);
    assert_true(card(&gpus)->properties.isEnergyThresholdSupported);
    assert_int_equal(card(&gpus)->properties.defaultLimit, 700000);
    assert_int_equal(card(&gpus)->properties.minLimit, 200000);
    assert_int_equal(card(&gpus)->properties.maxLimit, 700000);
    assert_int_equal(card(&gpus)->default_limit.limit, 700000);
    assert_int_equal(card(&gpus)->default_limit.limitUnit, ZES_LIMIT_UNIT_POWER);
    gpus_close(&gpus);
}

/* SYS-5 */
static void energy_is_in_microjoules_with_its_time(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_power_energy_counter_t first = {0}, second = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 1);
    assert_works(&gpus, card(&gpus)->ops->energy(card(&gpus), &first, &gpus.why));
    assert_int_equal(first.energy, 123456790000ull);
    gpus_state(&gpus, 1)->energy_mj += 3;
    assert_works(&gpus, card(&gpus)->ops->energy(card(&gpus), &second, &gpus.why));
    assert_int_equal(second.energy - first.energy, 3000);
    assert_true(first.timestamp != 0 && second.timestamp >= first.timestamp);
    gpus_close(&gpus);
}

static void power_is_told_now_and_on_average(void **state)
{
    (void)state;
    struct gpus gpus;
    uint32_t now = 0, average = 0;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_works(&gpus, card(&gpus)->ops->usage(card(&gpus), &now, &average, &gpus.why));
    assert_int_equal(now, 71500);
    assert_int_equal(average, 70250);
    gpus.fake->fields_missing[0] = GEO_NVML_FIELD_POWER_AVERAGE; /* one value is both */
    gpus_state(&gpus, 0)->power_mw = 90000;
    assert_works(&gpus, card(&gpus)->ops->usage(card(&gpus), &now, &average, &gpus.why));
    assert_int_equal(now, 90000);
    assert_int_equal(average, 90000);
    gpus_close(&gpus);
}

static void the_limit_is_read_and_set(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_power_limit_ext_desc_t limit = {0};
    uint32_t count = 0;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_works(&gpus, card(&gpus)->ops->limits(card(&gpus), &count, NULL, &gpus.why));
    assert_int_equal(count, 1);
    gpus_state(&gpus, 0)->limit_mw = 650000;
    assert_works(&gpus, card(&gpus)->ops->limits(card(&gpus), &count, &limit, &gpus.why));
    assert_int_equal(limit.limit, 650000);
    assert_int_equal(limit.level, ZES_POWER_LEVEL_SUSTAINED);
    assert_int_equal(limit.limitUnit, ZES_LIMIT_UNIT_POWER);
    assert_true(limit.enabled && limit.enabledStateLocked && limit.intervalValueLocked);
    assert_false(limit.limitValueLocked);
    limit.limit = 300000;
    assert_works(&gpus, card(&gpus)->ops->set_limits(card(&gpus), 1, &limit, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 0)->limit_mw, 300000);
    assert_int_equal(gpus_state(&gpus, 1)->limit_mw, 700000);
    gpus_close(&gpus);
}

static void a_limit_that_cannot_be_set_is_locked(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_power_limit_ext_desc_t limit = {0};
    uint32_t count = 1;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    gpus_fail(&gpus, DeviceGetPowerManagementLimitConstraints, GEO_NVML_NOT_SUPPORTED);
    gpus_fail(&gpus, DeviceGetPowerManagementDefaultLimit, GEO_NVML_NOT_SUPPORTED);
    assert_false(card(&gpus)->properties.canControl);
    assert_int_equal(card(&gpus)->properties.minLimit, -1);
    assert_int_equal(card(&gpus)->properties.maxLimit, -1);
    assert_int_equal(card(&gpus)->properties.defaultLimit, -1);
    assert_works(&gpus, card(&gpus)->ops->limits(card(&gpus), &count, &limit, &gpus.why));
    assert_true(limit.limitValueLocked);
    gpus_close(&gpus);
}

static void a_gpu_without_energy_has_power(void **state)
{
    (void)state;
    struct gpus gpus;
    zes_power_energy_counter_t counter = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 2);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_POWER), 1);
    assert_false(card(&gpus)->properties.isEnergyThresholdSupported);
    assert_unsupported(&gpus, card(&gpus)->ops->energy(card(&gpus), &counter, &gpus.why),
                       "nvmlDeviceGetTotalEnergyConsumption: ");
    gpus_sysman(&gpus, 2, NULL);
    gpus_fail(&gpus, DeviceGetPowerUsage, GEO_NVML_NOT_SUPPORTED);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_POWER), 0);
    gpus_close(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_card_is_described),
        cmocka_unit_test(energy_is_in_microjoules_with_its_time),
        cmocka_unit_test(power_is_told_now_and_on_average),
        cmocka_unit_test(the_limit_is_read_and_set),
        cmocka_unit_test(a_limit_that_cannot_be_set_is_locked),
        cmocka_unit_test(a_gpu_without_energy_has_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
