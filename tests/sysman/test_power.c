/* Power domains: what is told of them, limits, energy, the power in use. */
#include "sysman.h"

#include <math.h>
#include <unistd.h>

static const zes_power_limit_ext_desc_t sustained = {.level = ZES_POWER_LEVEL_SUSTAINED,
                                                     .source = ZES_POWER_SOURCE_ANY,
                                                     .limitUnit = ZES_LIMIT_UNIT_POWER,
                                                     .enabled = 1,
                                                     .interval = 28000,
                                                     .limit = 250000};
static const zes_power_limit_ext_desc_t burst = {.level = ZES_POWER_LEVEL_BURST,
                                                 .source = ZES_POWER_SOURCE_ANY,
                                                 .limitUnit = ZES_LIMIT_UNIT_POWER,
                                                 .intervalValueLocked = 1,
                                                 .interval = 2,
                                                 .limit = 320000};
static const zes_power_limit_ext_desc_t peak = {.level = ZES_POWER_LEVEL_PEAK,
                                                .source = ZES_POWER_SOURCE_MAINS,
                                                .limitUnit = ZES_LIMIT_UNIT_POWER,
                                                .enabledStateLocked = 1,
                                                .enabled = 1,
                                                .limit = 400000};
static const zes_power_limit_ext_desc_t battery = {.level = ZES_POWER_LEVEL_PEAK,
                                                   .source = ZES_POWER_SOURCE_BATTERY,
                                                   .limitUnit = ZES_LIMIT_UNIT_POWER,
                                                   .enabled = 1,
                                                   .limitValueLocked = 1,
                                                   .limit = 90000};
static const zes_power_limit_ext_desc_t current = {.level = ZES_POWER_LEVEL_INSTANTANEOUS,
                                                   .source = ZES_POWER_SOURCE_ANY,
                                                   .limitUnit = ZES_LIMIT_UNIT_CURRENT,
                                                   .limit = 33000};

static void limits_write(void)
{
    state->limits[0] = sustained;
    state->limits[1] = burst;
    state->limits[2] = peak;
    state->limits[3] = battery;
    state->limits[4] = current;
    state->limit_count = 5;
}

/* SYC-1, SYC-2 */
static void properties_and_their_chain_are_whole(void **unused)
{
    zes_power_limit_ext_desc_t limit;
    memset(&limit, 0xa5, sizeof(limit));
    limit.stype = ZES_STRUCTURE_TYPE_POWER_LIMIT_EXT_DESC;
    limit.pNext = NULL;
    zes_power_domain_exp_properties_t domain = {.stype =
                                                    ZES_STRUCTURE_TYPE_POWER_DOMAIN_EXP_PROPERTIES};
    zes_base_properties_t unknown = {(zes_structure_type_t)0x7ffff000, &domain};
    zes_power_ext_properties_t extension = {.stype = ZES_STRUCTURE_TYPE_POWER_EXT_PROPERTIES,
                                            .pNext = &unknown,
                                            .defaultLimit = &limit};
    zes_power_properties_t properties;
    (void)unused;
    memset(&properties, 0xa5, sizeof(properties));
    properties.stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES;
    properties.pNext = &extension;
    assert_success(zesPowerGetProperties(get_power(0), &properties));
    assert_int_equal(properties.canControl, 1);
    assert_int_equal(properties.isEnergyThresholdSupported, 1);
    assert_int_equal(properties.defaultLimit, 300000);
    assert_int_equal(properties.minLimit, 100000);
    assert_int_equal(properties.maxLimit, 350000);
    assert_ptr_equal(properties.pNext, &extension);
    assert_int_equal(extension.domain, ZES_POWER_DOMAIN_CARD);
    assert_ptr_equal(extension.defaultLimit, &limit);
    assert_int_equal(limit.stype, ZES_STRUCTURE_TYPE_POWER_LIMIT_EXT_DESC);
    assert_int_equal(limit.level, ZES_POWER_LEVEL_SUSTAINED);
    assert_int_equal(limit.source, ZES_POWER_SOURCE_MAINS);
    assert_int_equal(limit.limitUnit, ZES_LIMIT_UNIT_POWER);
    assert_int_equal(limit.interval, 28);
    assert_int_equal(limit.limit, 300000);
    assert_int_equal(limit.limitValueLocked, 0);
    assert_int_equal(domain.powerDomain, ZES_POWER_DOMAIN_CARD);
    assert_int_equal((uint32_t)unknown.stype, 0x7ffff000);
    extension.defaultLimit = NULL;
    assert_success(zesPowerGetProperties(get_power(1), &properties));
    assert_null(extension.defaultLimit);
    assert_int_equal(extension.domain, ZES_POWER_DOMAIN_PACKAGE);
    assert_int_equal(properties.minLimit, -1);
}

/* SYC-1 */
static void the_card_has_a_domain(void **unused)
{
    zes_pwr_handle_t card = NULL;
    (void)unused;
    assert_success(zesDeviceGetCardPowerDomain(device, &card));
    assert_ptr_equal(card, get_power(0));
}

/* SYC-1, SYC-3, SYS-5 */
static void energy_comes_with_its_time(void **unused)
{
    zes_power_energy_counter_t counter = {1, 1};
    (void)unused;
    state->energy = (zes_power_energy_counter_t){UINT64_C(0x123456789a), 77};
    assert_success(zesPowerGetEnergyCounter(get_power(1), &counter));
    assert_int_equal(counter.energy, UINT64_C(0x123456789a));
    assert_int_equal(counter.timestamp, 77);
}

/* SYC-2, SYC-1 */
static void all_limits_are_read(void **unused)
{
    zes_power_limit_ext_desc_t limits[6];
    uint32_t count = 0;
    (void)unused;
    limits_write();
    assert_success(zesPowerGetLimitsExt(get_power(0), &count, NULL));
    assert_int_equal(count, 5);
    memset(limits, 0xa5, sizeof(limits));
    for (int i = 0; i < 6; i++) {
        limits[i].pNext = (void *)&limits[i];
    }
    count = 6;
    assert_success(zesPowerGetLimitsExt(get_power(0), &count, limits));
    assert_int_equal(count, 5);
    assert_int_equal((uint32_t)limits[1].stype, 0xa5a5a5a5);
    assert_ptr_equal(limits[1].pNext, &limits[1]);
    assert_int_equal(limits[0].limit, 250000);
    assert_int_equal(limits[1].level, ZES_POWER_LEVEL_BURST);
    assert_int_equal(limits[1].intervalValueLocked, 1);
    assert_int_equal(limits[3].source, ZES_POWER_SOURCE_BATTERY);
    assert_int_equal(limits[4].limitUnit, ZES_LIMIT_UNIT_CURRENT);
    assert_int_equal((uint32_t)limits[5].limit, 0xa5a5a5a5);
    count = 2;
    assert_success(zesPowerGetLimitsExt(get_power(0), &count, limits));
    assert_int_equal(count, 2);
}

/* SYC-2 */
static void limits_are_set_by_level_and_source(void **unused)
{
    zes_power_limit_ext_desc_t wanted[2] = {battery, sustained};
    uint32_t count = 2;
    (void)unused;
    limits_write();
    wanted[0].enabled = 0;
    wanted[1].limit = 120000;
    wanted[1].interval = 1000;
    assert_success(zesPowerSetLimitsExt(get_power(0), &count, wanted));
    assert_int_equal(state->limits_set, 2);
    assert_int_equal(state->limits[0].limit, 120000);
    assert_int_equal(state->limits[0].interval, 1000);
    assert_int_equal(state->limits[3].enabled, 0);
    assert_int_equal(state->limits[3].limit, 90000);
    assert_int_equal(state->limits[3].limitValueLocked, 1);
    assert_int_equal(state->limits[2].limit, 400000);
}

/* SYC-2 */
static void what_is_locked_is_not_written(void **unused)
{
    zes_power_limit_ext_desc_t wanted;
    uint32_t count = 1;
    (void)unused;
    limits_write();
    wanted = burst;
    wanted.interval = 3;
    assert_result(zesPowerSetLimitsExt(get_power(0), &count, &wanted),
                  ZE_RESULT_ERROR_NOT_AVAILABLE);
    wanted = peak;
    wanted.enabled = 0;
    assert_result(zesPowerSetLimitsExt(get_power(0), &count, &wanted),
                  ZE_RESULT_ERROR_NOT_AVAILABLE);
    wanted = battery;
    wanted.limit = 80000;
    assert_result(zesPowerSetLimitsExt(get_power(0), &count, &wanted),
                  ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_int_equal(state->calls[DESCRIBED_power_set_limits], 0);
    wanted = burst;
    wanted.limit = 330000; /* its interval is locked, its value is not */
    assert_success(zesPowerSetLimitsExt(get_power(0), &count, &wanted));
    assert_int_equal(state->limits[1].limit, 330000);
}

/* SYC-1, SYS-4, SYC-2 */
static void wrong_limits_are_refused(void **unused)
{
    zes_power_limit_ext_desc_t wanted = sustained;
    uint32_t count = 1;
    (void)unused;
    limits_write();
    assert_unsupported(zesPowerSetLimitsExt(get_power(1), &count, &wanted));
    assert_unsupported(zesPowerSetLimitsExt2(get_power(1), 200000));
    wanted.limit = 99999;
    assert_invalid(zesPowerSetLimitsExt(get_power(0), &count, &wanted));
    wanted.limit = 350001;
    assert_invalid(zesPowerSetLimitsExt(get_power(0), &count, &wanted));
    wanted.limit = -1;
    assert_invalid(zesPowerSetLimitsExt(get_power(0), &count, &wanted));
    state->limits[0].enabled = 0; /* the value may be anything while it is disabled */
    state->limits[0].limit = wanted.limit = 350001;
    assert_invalid(zesPowerSetLimitsExt(get_power(0), &count, &wanted));
    limits_write();
    wanted = sustained;
    wanted.interval = -5;
    assert_invalid(zesPowerSetLimitsExt(get_power(0), &count, &wanted));
    wanted = sustained;
    wanted.source = ZES_POWER_SOURCE_BATTERY;
    assert_invalid(zesPowerSetLimitsExt(get_power(0), &count, &wanted));
    wanted = sustained;
    wanted.limitUnit = ZES_LIMIT_UNIT_CURRENT;
    assert_invalid(zesPowerSetLimitsExt(get_power(0), &count, &wanted));
    assert_result(zesPowerSetLimitsExt(get_power(0), &count, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_invalid(zesPowerSetLimitsExt2(get_power(0), UINT32_MAX));
    assert_invalid(zesPowerSetLimitsExt2(get_power(0), 351000));
    assert_int_equal(state->calls[DESCRIBED_power_set_limits], 0);
    count = 0;
    assert_success(zesPowerSetLimitsExt(get_power(0), &count, NULL));
}

/* SYC-1, SYC-2 */
static void the_older_limits_are_made_of_the_newer(void **unused)
{
    zes_power_sustained_limit_t old_sustained = {7, 7, 7};
    zes_power_burst_limit_t old_burst = {7, 7};
    zes_power_peak_limit_t old_peak = {7, 7};
    (void)unused;
    limits_write();
    assert_success(zesPowerGetLimits(get_power(0), &old_sustained, &old_burst, &old_peak));
    assert_int_equal(old_sustained.enabled, 1);
    assert_int_equal(old_sustained.power, 250000);
    assert_int_equal(old_sustained.interval, 28000);
    assert_int_equal(old_burst.enabled, 0);
    assert_int_equal(old_burst.power, 320000);
    assert_int_equal(old_peak.powerAC, 400000);
    assert_int_equal(old_peak.powerDC, 90000);
    state->limit_count = 0;
    assert_success(zesPowerGetLimits(get_power(0), &old_sustained, &old_burst, &old_peak));
    assert_int_equal(old_sustained.enabled, 0);
    assert_int_equal(old_sustained.power, -1);
    assert_int_equal(old_burst.power, -1);
    assert_int_equal(old_peak.powerAC, -1);
    assert_int_equal(old_peak.powerDC, -1);
    assert_success(zesPowerGetLimits(get_power(0), NULL, NULL, NULL));
}

/* SYC-1 */
static void the_older_limits_set_the_newer(void **unused)
{
    const zes_power_sustained_limit_t old_sustained = {0, 150000, 5000};
    const zes_power_burst_limit_t old_burst = {1, 310000};
    const zes_power_peak_limit_t old_peak = {390000, 90000};
    (void)unused;
    limits_write();
    assert_success(zesPowerSetLimits(get_power(0), &old_sustained, &old_burst, &old_peak));
    assert_int_equal(state->limits_set, 4);
    assert_int_equal(state->limits[0].enabled, 0);
    assert_int_equal(state->limits[0].limit, 150000);
    assert_int_equal(state->limits[0].interval, 5000);
    assert_int_equal(state->limits[1].enabled, 1);
    assert_int_equal(state->limits[1].limit, 310000);
    assert_int_equal(state->limits[1].interval, 2);
    assert_int_equal(state->limits[2].limit, 390000);
    state->limit_count = 1;
    assert_unsupported(zesPowerSetLimits(get_power(0), NULL, &old_burst, NULL));
    assert_unsupported(zesPowerSetLimits(get_power(0), NULL, NULL, &old_peak));
    assert_unsupported(zesPowerSetLimits(get_power(1), &old_sustained, NULL, NULL));
}

/* SYC-1 */
static void one_number_is_the_sustained_limit(void **unused)
{
    uint32_t limit = 0;
    (void)unused;
    limits_write();
    state->limits[0].enabled = 0;
    assert_success(zesPowerGetLimitsExt2(get_power(0), &limit));
    assert_int_equal(limit, 250000);
    assert_success(zesPowerSetLimitsExt2(get_power(0), 175000));
    assert_int_equal(state->limits[0].limit, 175000);
    assert_int_equal(state->limits[0].enabled, 1);
    state->limits[0].level = ZES_POWER_LEVEL_BURST;
    assert_unsupported(zesPowerGetLimitsExt2(get_power(0), &limit));
    assert_int_equal(limit, 250000);
}

static void usage_is_the_backends(void **unused)
{
    uint32_t now = 0, average = 0;
    (void)unused;
    state->watts_now = 123456;
    state->watts_average = 98765;
    assert_success(zesPowerGetUsage(get_power(0), &now, &average));
    assert_int_equal(now, 123456);
    assert_int_equal(average, 98765);
}

/* SYC-3 */
static void usage_comes_of_energy(void **unused)
{
    uint32_t now = 0, average = 0;
    (void)unused;
    set_operation(DESCRIBED_power_usage, DESCRIBED_ABSENT);
    state->energy_step = (zes_power_energy_counter_t){2000000, 10000}; /* 2 J in 10 ms */
    assert_success(zesPowerGetUsage(get_power(1), &now, &average));
    assert_int_equal(now, 200000);
    assert_int_equal(average, 200000);
    state->energy_step = (zes_power_energy_counter_t){1000000, 10000};
    state->energy.timestamp += 180000; /* and nothing used */
    assert_success(zesPowerGetUsage(get_power(1), &now, &average));
    assert_int_equal(now, 100000);
    assert_int_equal(average, 10000); /* 2 J in 200 ms */
    state->energy_step = (zes_power_energy_counter_t){0, 0};
    assert_result(zesPowerGetUsage(get_power(1), &now, &average), ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_int_equal(now, 100000);
    set_operation(DESCRIBED_power_energy, DESCRIBED_ABSENT);
    assert_unsupported(zesPowerGetUsage(get_power(1), &now, &average));
}

/* SYC-4, SYC-1 */
static void a_threshold_is_told_with_its_owner(void **unused)
{
    zes_energy_threshold_t threshold = {7, 7, 7};
    (void)unused;
    set_operation(DESCRIBED_power_set_energy_threshold, DESCRIBED_ABSENT);
    assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
    assert_int_equal(threshold.enable, 0);
    assert_true(threshold.threshold == 0);
    assert_int_equal(threshold.processId, UINT32_MAX);
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 2.5));
    assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
    assert_int_equal(threshold.enable, 1);
    assert_true(threshold.threshold == 2.5);
    assert_int_equal(threshold.processId, getpid());
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 4));
    assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
    assert_true(threshold.threshold == 4);
    assert_success(zesPowerSetEnergyThreshold(get_power(0), 0));
    assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
    assert_int_equal(threshold.enable, 0);
}

/* SYC-4 */
static void wrong_thresholds_are_refused(void **unused)
{
    zes_energy_threshold_t threshold = {7, 7, 7};
    (void)unused;
    assert_unsupported(zesPowerSetEnergyThreshold(get_power(1), 1));
    assert_unsupported(zesPowerGetEnergyThreshold(get_power(1), &threshold));
    assert_invalid(zesPowerSetEnergyThreshold(get_power(0), -1));
    assert_invalid(zesPowerSetEnergyThreshold(get_power(0), (double)NAN));
    assert_invalid(zesPowerSetEnergyThreshold(get_power(0), (double)INFINITY));
    set_operation(DESCRIBED_power_set_energy_threshold, ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_result(zesPowerSetEnergyThreshold(get_power(0), 1), ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_success(zesPowerGetEnergyThreshold(get_power(0), &threshold));
    assert_int_equal(threshold.enable, 0);
    set_operation(DESCRIBED_power_set_energy_threshold, DESCRIBED_ABSENT);
    set_operation(DESCRIBED_power_energy, DESCRIBED_ABSENT); /* nothing to compare with */
    assert_unsupported(zesPowerSetEnergyThreshold(get_power(0), 1));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        SYSMAN_CASE(properties_and_their_chain_are_whole),
        SYSMAN_CASE(the_card_has_a_domain),
        SYSMAN_CASE(energy_comes_with_its_time),
        SYSMAN_CASE(all_limits_are_read),
        SYSMAN_CASE(limits_are_set_by_level_and_source),
        SYSMAN_CASE(what_is_locked_is_not_written),
        SYSMAN_CASE(wrong_limits_are_refused),
        SYSMAN_CASE(the_older_limits_are_made_of_the_newer),
        SYSMAN_CASE(the_older_limits_set_the_newer),
        SYSMAN_CASE(one_number_is_the_sustained_limit),
        SYSMAN_CASE(usage_is_the_backends),
        SYSMAN_CASE(usage_comes_of_energy),
        SYSMAN_CASE(a_threshold_is_told_with_its_owner),
        SYSMAN_CASE(wrong_thresholds_are_refused),
    };
    return cmocka_run_group_tests_name("sysman power", cases, sysman_setup, NULL);
}
