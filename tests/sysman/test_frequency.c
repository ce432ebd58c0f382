/* Frequency domains, and their older overclocking. */
#include "sysman.h"

#include <math.h>

/* SYC-5 */
static void properties_and_clocks_are_told(void **unused)
{
    zes_freq_properties_t properties;
    double clocks[6] = {0};
    uint32_t count = 6;
    (void)unused;
    memset(&properties, 0xa5, sizeof(properties));
    properties.stype = ZES_STRUCTURE_TYPE_FREQ_PROPERTIES;
    properties.pNext = NULL;
    assert_success(zesFrequencyGetProperties(get_frequency(0), &properties));
    assert_int_equal(properties.type, ZES_FREQ_DOMAIN_GPU);
    assert_int_equal(properties.onSubdevice, 1);
    assert_int_equal(properties.subdeviceId, 0);
    assert_int_equal(properties.canControl, 1);
    assert_int_equal(properties.isThrottleEventSupported, 1);
    assert_true(properties.min == 300 && properties.max == 1500);
    assert_success(zesFrequencyGetAvailableClocks(get_frequency(0), &count, clocks));
    assert_int_equal(count, 5);
    for (int i = 1; i < 5; i++) {
        assert_true(clocks[i] > clocks[i - 1]);
    }
    assert_true(clocks[0] == 300 && clocks[4] == 1500 && clocks[5] == 0);
    count = 6;
    assert_success(zesFrequencyGetAvailableClocks(get_frequency(1), &count, clocks));
    assert_int_equal(count, 2); /* nobody tells them: the lowest and the highest */
    assert_true(clocks[0] == 1000 && clocks[1] == 2000);
}

/* SYC-5, SYC-6 */
static void the_state_is_the_hardwares(void **unused)
{
    zes_freq_state_t now;
    zes_freq_throttle_time_t throttled = {1, 1};
    (void)unused;
    memset(&now, 0xa5, sizeof(now));
    now.stype = ZES_STRUCTURE_TYPE_FREQ_STATE;
    now.pNext = &now;
    state->frequency =
        (zes_freq_state_t){.currentVoltage = 0.9,
                           .request = 1400,
                           .tdp = 1450,
                           .efficient = 800,
                           .actual = 1100,
                           .throttleReasons = ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP |
                                              ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE};
    state->throttled = (zes_freq_throttle_time_t){123, 456};
    assert_success(zesFrequencyGetState(get_frequency(0), &now));
    assert_int_equal(now.stype, ZES_STRUCTURE_TYPE_FREQ_STATE);
    assert_ptr_equal(now.pNext, &now);
    assert_true(now.currentVoltage == 0.9 && now.request == 1400 && now.tdp == 1450);
    assert_true(now.efficient == 800 && now.actual == 1100);
    assert_int_equal(now.throttleReasons, 0x21);
    assert_success(zesFrequencyGetThrottleTime(get_frequency(0), &throttled));
    assert_int_equal(throttled.throttleTime, 123);
    assert_int_equal(throttled.timestamp, 456);
}

/* SYC-5, SYC-6 */
static void a_range_is_set(void **unused)
{
    static const zes_freq_range_t right[] = {{400, 900}, {300, 1500}, {700, 700},
                                             {-1, 1000}, {600, -1},   {-1, -1}};
    zes_freq_range_t now = {0};
    (void)unused;
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        assert_success(zesFrequencySetRange(get_frequency(0), &right[i]));
        assert_success(zesFrequencyGetRange(get_frequency(0), &now));
        assert_true(now.min == right[i].min && now.max == right[i].max);
    }
}

/* SYC-6 */
static void bounds_beyond_the_hardware_are_the_hardwares(void **unused)
{
    static const struct {
        zes_freq_range_t wanted, becomes;
    } cases[] = {
        {{0, 900}, {300, 900}},     {{299, 900}, {300, 900}},
        {{400, 1501}, {400, 1500}}, {{400, 0}, {400, 1500}},
        {{0, 0}, {300, 1500}},      {{-1, 0}, {-1, 1500}},
        {{0, -1}, {300, -1}},       {{1500, (double)INFINITY}, {1500, 1500}},
    };
    zes_freq_range_t now = {0};
    (void)unused;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_success(zesFrequencySetRange(get_frequency(0), &cases[i].wanted));
        assert_success(zesFrequencyGetRange(get_frequency(0), &now));
        assert_true(now.min == cases[i].becomes.min && now.max == cases[i].becomes.max);
    }
}

/* SYC-6, SYS-4 */
static void wrong_ranges_are_refused(void **unused)
{
    const zes_freq_range_t wrong[] = {{900, 400},         {-2, 900},
                                      {400, -0.5},        {(double)NAN, 900},
                                      {400, (double)NAN}, {1600, -1},
                                      {-1, 200},          {1600, 1700},
                                      {0, 200},           {(double)INFINITY, (double)INFINITY}};
    const zes_freq_range_t right = {1000, 2000};
    (void)unused;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_invalid(zesFrequencySetRange(get_frequency(0), &wrong[i]));
    }
    assert_unsupported(zesFrequencySetRange(get_frequency(1), &right));
    assert_int_equal(state->calls[DESCRIBED_frequency_set_range], 0);
}

/* ---- overclocking ---- */

static void oc_write(void)
{
    state->oc = (zes_oc_capabilities_t){.isOcSupported = 1,
                                        .maxFactoryDefaultFrequency = 1500,
                                        .maxFactoryDefaultVoltage = 1.1,
                                        .maxOcFrequency = 2000,
                                        .minOcVoltageOffset = -0.1,
                                        .maxOcVoltageOffset = 0.2,
                                        .maxOcVoltage = 1.3,
                                        .isTjMaxSupported = 1,
                                        .isIccMaxSupported = 1,
                                        .isHighVoltModeCapable = 1,
                                        .isExtendedModeSupported = 1,
                                        .isFixedModeSupported = 1};
}

/* SYC-7 */
static void overclocking_is_set_field_by_field(void **unused)
{
    zes_freq_handle_t gpu = get_frequency(0);
    double value = 0, offset = 0;
    (void)unused;
    oc_write();
    assert_success(zesFrequencyOcSetFrequencyTarget(gpu, 1900));
    assert_int_equal(state->oc_fields, 1);
    assert_success(zesFrequencyOcSetVoltageTarget(gpu, 1.2, -0.05));
    assert_int_equal(state->oc_fields, 2);
    assert_success(zesFrequencyOcSetIccMax(gpu, 150));
    assert_int_equal(state->oc_fields, 8);
    assert_success(zesFrequencyOcSetTjMax(gpu, 95));
    assert_int_equal(state->oc_fields, 16);
    assert_success(zesFrequencyOcGetFrequencyTarget(gpu, &value));
    assert_true(value == 1900);
    assert_success(zesFrequencyOcGetVoltageTarget(gpu, &value, &offset));
    assert_true(value == 1.2 && offset == -0.05);
    assert_success(zesFrequencyOcGetIccMax(gpu, &value));
    assert_true(value == 150);
    assert_success(zesFrequencyOcGetTjMax(gpu, &value));
    assert_true(value == 95);
    assert_success(zesFrequencyOcSetIccMax(gpu, 0)); /* the default */
    assert_success(zesFrequencyOcSetTjMax(gpu, 0));
    assert_true(state->oc_icc == 0 && state->oc_tj == 0);
    assert_true(state->oc_frequency == 1900);
}

/* SYC-7 */
static void modes_exclude_each_other(void **unused)
{
    static const zes_oc_mode_t modes[] = {ZES_OC_MODE_OVERRIDE, ZES_OC_MODE_INTERPOLATIVE,
                                          ZES_OC_MODE_FIXED, ZES_OC_MODE_OFF};
    zes_oc_mode_t mode;
    (void)unused;
    oc_write();
    for (int i = 0; i < 4; i++) {
        assert_success(zesFrequencyOcSetMode(get_frequency(0), modes[i]));
        assert_int_equal(state->oc_fields, 4);
        assert_success(zesFrequencyOcGetMode(get_frequency(0), &mode));
        assert_int_equal(mode, modes[i]);
    }
    assert_result(zesFrequencyOcSetMode(get_frequency(0), (zes_oc_mode_t)4),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    state->oc.isFixedModeSupported = 0;
    assert_unsupported(zesFrequencyOcSetMode(get_frequency(0), ZES_OC_MODE_FIXED));
}

/* SYC-7 */
static void capabilities_bound_it(void **unused)
{
    zes_freq_handle_t gpu = get_frequency(0);
    zes_oc_capabilities_t capabilities = {.stype = ZES_STRUCTURE_TYPE_OC_CAPABILITIES};
    double value = 7;
    (void)unused;
    oc_write();
    assert_success(zesFrequencyOcGetCapabilities(gpu, &capabilities));
    assert_int_equal(capabilities.stype, ZES_STRUCTURE_TYPE_OC_CAPABILITIES);
    assert_true(capabilities.maxOcFrequency == 2000 && capabilities.maxOcVoltage == 1.3);
    assert_int_equal(capabilities.isHighVoltModeCapable, 1);
    assert_int_equal(capabilities.isHighVoltModeEnabled, 0);
    assert_unsupported(zesFrequencyOcSetFrequencyTarget(gpu, 2001));
    assert_unsupported(zesFrequencyOcSetVoltageTarget(gpu, 1.31, 0));
    assert_unsupported(zesFrequencyOcSetVoltageTarget(gpu, 1, 0.21));
    assert_unsupported(zesFrequencyOcSetVoltageTarget(gpu, 1, -0.11));
    assert_invalid(zesFrequencyOcSetFrequencyTarget(gpu, -1));
    assert_invalid(zesFrequencyOcSetVoltageTarget(gpu, 1, (double)NAN));
    assert_invalid(zesFrequencyOcSetVoltageTarget(gpu, (double)INFINITY, 0));
    assert_invalid(zesFrequencyOcSetIccMax(gpu, -1));
    assert_invalid(zesFrequencyOcSetTjMax(gpu, (double)NAN));
    state->oc.isIccMaxSupported = state->oc.isTjMaxSupported = 0;
    assert_unsupported(zesFrequencyOcSetIccMax(gpu, 100));
    assert_unsupported(zesFrequencyOcGetIccMax(gpu, &value));
    assert_unsupported(zesFrequencyOcSetTjMax(gpu, 90));
    assert_success(zesFrequencyOcGetTjMax(gpu, &value)); /* what is in effect */
    state->oc.isOcSupported = 0;
    value = 7;
    assert_unsupported(zesFrequencyOcGetTjMax(gpu, &value));
    assert_unsupported(zesFrequencyOcSetFrequencyTarget(gpu, 1000));
    assert_unsupported(zesFrequencyOcSetMode(gpu, ZES_OC_MODE_OFF));
    assert_true(value == 7);
    assert_int_equal(state->calls[DESCRIBED_frequency_set_oc], 0);
}

/* SYC-7 */
static void a_domain_without_overclocking_says_so(void **unused)
{
    zes_oc_capabilities_t capabilities;
    (void)unused;
    set_operation(DESCRIBED_frequency_oc_capabilities, DESCRIBED_ABSENT);
    memset(&capabilities, 0xa5, sizeof(capabilities));
    capabilities.stype = ZES_STRUCTURE_TYPE_OC_CAPABILITIES;
    capabilities.pNext = NULL;
    assert_success(zesFrequencyOcGetCapabilities(get_frequency(0), &capabilities));
    assert_int_equal(capabilities.stype, ZES_STRUCTURE_TYPE_OC_CAPABILITIES);
    assert_int_equal(capabilities.isOcSupported, 0);
    assert_true(capabilities.maxOcFrequency == 0);
    assert_unsupported(zesFrequencyOcSetFrequencyTarget(get_frequency(0), 400));
}

/* SYC-7 */
static void locked_overclocking_is_not_available(void **unused)
{
    (void)unused;
    oc_write();
    set_operation(DESCRIBED_frequency_set_oc, ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_result(zesFrequencyOcSetFrequencyTarget(get_frequency(0), 1600),
                  ZE_RESULT_ERROR_NOT_AVAILABLE);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        SYSMAN_CASE(properties_and_clocks_are_told),
        SYSMAN_CASE(the_state_is_the_hardwares),
        SYSMAN_CASE(a_range_is_set),
        SYSMAN_CASE(bounds_beyond_the_hardware_are_the_hardwares),
        SYSMAN_CASE(wrong_ranges_are_refused),
        SYSMAN_CASE(overclocking_is_set_field_by_field),
        SYSMAN_CASE(modes_exclude_each_other),
        SYSMAN_CASE(capabilities_bound_it),
        SYSMAN_CASE(a_domain_without_overclocking_says_so),
        SYSMAN_CASE(locked_overclocking_is_not_available),
    };
    return cmocka_run_group_tests_name("sysman frequency", cases, sysman_setup, NULL);
}
