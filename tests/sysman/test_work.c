/* What works on a device: engines, schedulers, standby, performance factors, virtual functions,
 * overclocking. */
#include "sysman.h"

#include <math.h>

/* SYC-12 */
static void engines_count_for_all_and_by_function(void **unused)
{
    zes_engine_ext_properties_t extension = {.stype = ZES_STRUCTURE_TYPE_ENGINE_EXT_PROPERTIES};
    zes_engine_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES,
                                          .pNext = &extension};
    zes_engine_stats_t stats[4] = {{7, 7}, {7, 7}, {7, 7}, {7, 7}};
    uint32_t count = 0;
    (void)unused;
    assert_success(zesEngineGetProperties(get_engine(0), &properties));
    assert_int_equal(properties.type, ZES_ENGINE_GROUP_ALL);
    assert_int_equal(properties.onSubdevice, 0);
    assert_int_equal(extension.countOfVirtualFunctionInstance, 2);
    assert_success(zesEngineGetProperties(get_engine(1), &properties));
    assert_int_equal(properties.type, ZES_ENGINE_GROUP_COMPUTE_SINGLE);
    assert_int_equal(extension.countOfVirtualFunctionInstance, 0);
    for (uint64_t i = 0; i < 3; i++) {
        state->activity[i] = (zes_engine_stats_t){10 + i, 20 + i};
    }
    assert_success(zesEngineGetActivity(get_engine(0), &stats[0]));
    assert_int_equal(stats[0].activeTime, 10);
    assert_int_equal(stats[0].timestamp, 20);
    assert_success(zesEngineGetActivityExt(get_engine(0), &count, NULL));
    assert_int_equal(count, 3);
    count = 4;
    assert_success(zesEngineGetActivityExt(get_engine(0), &count, stats));
    assert_int_equal(count, 3);
    assert_int_equal(stats[2].activeTime, 12);
    assert_int_equal(stats[3].activeTime, 7);
    count = 4;
    assert_success(zesEngineGetActivityExt(get_engine(1), &count, stats));
    assert_int_equal(count, 1);
}

/* SYC-8, SYC-9 */
static void schedulers_tell_modes_and_defaults(void **unused)
{
    zes_sched_handle_t scheduler = get_scheduler(0);
    zes_sched_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_SCHED_PROPERTIES};
    zes_sched_timeout_properties_t timeout = {.stype = ZES_STRUCTURE_TYPE_SCHED_TIMEOUT_PROPERTIES};
    zes_sched_timeslice_properties_t slice = {.stype =
                                                  ZES_STRUCTURE_TYPE_SCHED_TIMESLICE_PROPERTIES};
    zes_sched_mode_t mode;
    (void)unused;
    state->sched_mode = ZES_SCHED_MODE_EXCLUSIVE;
    state->watchdog = 1;
    state->interval = 2;
    state->yield_out = 3;
    assert_success(zesSchedulerGetProperties(scheduler, &properties));
    assert_int_equal(properties.canControl, 1);
    assert_int_equal(properties.engines, ZES_ENGINE_TYPE_FLAG_COMPUTE);
    assert_int_equal(properties.supportedModes, 7);
    assert_success(zesSchedulerGetCurrentMode(scheduler, &mode));
    assert_int_equal(mode, ZES_SCHED_MODE_EXCLUSIVE);
    assert_success(zesSchedulerGetTimeoutModeProperties(scheduler, 0, &timeout));
    assert_int_equal(timeout.watchdogTimeout, 1);
    assert_success(zesSchedulerGetTimeoutModeProperties(scheduler, 1, &timeout));
    assert_int_equal(timeout.watchdogTimeout, 640000);
    assert_success(zesSchedulerGetTimesliceModeProperties(scheduler, 0, &slice));
    assert_int_equal(slice.interval, 2);
    assert_int_equal(slice.yieldTimeout, 3);
    assert_success(zesSchedulerGetTimesliceModeProperties(scheduler, 1, &slice));
    assert_int_equal(slice.interval, 5000);
    assert_int_equal(slice.yieldTimeout, 64000);
    assert_unsupported(zesSchedulerGetTimesliceModeProperties(get_scheduler(1), 1, &slice));
}

/* SYC-9, SYC-8 */
static void a_mode_keeps_the_settings_of_others(void **unused)
{
    zes_sched_handle_t scheduler = get_scheduler(0);
    zes_sched_timeout_properties_t timeout = {.stype = ZES_STRUCTURE_TYPE_SCHED_TIMEOUT_PROPERTIES,
                                              .watchdogTimeout = ZES_SCHED_WATCHDOG_DISABLE};
    zes_sched_timeslice_properties_t slice = {
        .stype = ZES_STRUCTURE_TYPE_SCHED_TIMESLICE_PROPERTIES, .interval = 50, .yieldTimeout = 60};
    ze_bool_t reload = 7;
    (void)unused;
    state->interval = 2;
    state->yield_out = 3;
    assert_success(zesSchedulerSetTimeoutMode(scheduler, &timeout, &reload));
    assert_int_equal(reload, 0);
    assert_int_equal(state->sched_mode, ZES_SCHED_MODE_TIMEOUT);
    assert_true(state->watchdog == ZES_SCHED_WATCHDOG_DISABLE);
    assert_int_equal(state->interval, 2);
    assert_int_equal(state->yield_out, 3);
    state->reload = true;
    assert_success(zesSchedulerSetTimesliceMode(scheduler, &slice, &reload));
    assert_int_equal(reload, 1);
    assert_int_equal(state->sched_mode, ZES_SCHED_MODE_TIMESLICE);
    assert_int_equal(state->interval, 50);
    assert_int_equal(state->yield_out, 60);
    assert_true(state->watchdog == ZES_SCHED_WATCHDOG_DISABLE);
    reload = 0;
    assert_success(zesSchedulerSetExclusiveMode(scheduler, &reload));
    assert_int_equal(reload, 1);
    assert_int_equal(state->sched_mode, ZES_SCHED_MODE_EXCLUSIVE);
    assert_int_equal(state->interval, 50);
}

/* SYC-9, SYS-4, SYC-8 */
static void modes_that_are_missing_are_unsupported(void **unused)
{
    zes_sched_timeout_properties_t timeout = {.stype = ZES_STRUCTURE_TYPE_SCHED_TIMEOUT_PROPERTIES};
    ze_bool_t reload = 7;
    (void)unused;
    assert_unsupported(zesSchedulerSetComputeUnitDebugMode(get_scheduler(0), &reload));
    assert_unsupported(zesSchedulerSetTimeoutMode(get_scheduler(1), &timeout, &reload));
    set_operation(DESCRIBED_scheduler_set_mode, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_result(zesSchedulerSetExclusiveMode(get_scheduler(0), &reload),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    assert_int_equal(reload, 7);
    assert_int_equal(state->calls[DESCRIBED_scheduler_set_mode], 1);
}

/* SYC-13 */
static void standby_is_allowed_or_never(void **unused)
{
    zes_standby_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_STANDBY_PROPERTIES};
    zes_standby_promo_mode_t mode = ZES_STANDBY_PROMO_MODE_DEFAULT;
    (void)unused;
    assert_success(zesStandbyGetProperties(get_standby(0), &properties));
    assert_int_equal(properties.type, ZES_STANDBY_TYPE_GLOBAL);
    assert_int_equal(properties.onSubdevice, 1);
    assert_success(zesStandbySetMode(get_standby(0), ZES_STANDBY_PROMO_MODE_NEVER));
    assert_success(zesStandbyGetMode(get_standby(0), &mode));
    assert_int_equal(mode, ZES_STANDBY_PROMO_MODE_NEVER);
    assert_result(zesStandbySetMode(get_standby(0), (zes_standby_promo_mode_t)2),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

/* SYC-11 */
static void performance_factors_are_from_0_to_100(void **unused)
{
    static const double right[] = {0, 50, 99.5, 100};
    const double wrong[] = {-0.1, 100.1, (double)NAN, (double)INFINITY};
    zes_perf_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_PERF_PROPERTIES};
    double factor;
    (void)unused;
    assert_success(zesPerformanceFactorGetProperties(get_performance(0), &properties));
    assert_int_equal(properties.engines, ZES_ENGINE_TYPE_FLAG_MEDIA);
    assert_int_equal(properties.subdeviceId, 1);
    for (int i = 0; i < 4; i++) {
        assert_success(zesPerformanceFactorSetConfig(get_performance(0), right[i]));
        assert_success(zesPerformanceFactorGetConfig(get_performance(0), &factor));
        assert_true(factor == right[i]);
        assert_invalid(zesPerformanceFactorSetConfig(get_performance(0), wrong[i]));
    }
    assert_true(state->factor == 100);
}

/* ---- virtual functions ---- */

static void virtual_functions_are_described_three_times(void **unused)
{
    zes_vf_exp_properties_t first = {.stype = ZES_STRUCTURE_TYPE_VF_EXP_PROPERTIES};
    zes_vf_exp_capabilities_t second = {.stype = ZES_STRUCTURE_TYPE_VF_EXP_CAPABILITIES};
    zes_vf_exp2_capabilities_t third = {.stype = ZES_STRUCTURE_TYPE_VF_EXP2_CAPABILITIES};
    (void)unused;
    assert_success(zesVFManagementGetVFPropertiesExp(get_function(0), &first));
    assert_int_equal(first.address.bus, 3);
    assert_int_equal(first.address.function, 1);
    assert_memory_equal(first.uuid.id, "vf\1", 4);
    assert_int_equal(first.flags, ZES_VF_INFO_UTIL_EXP_FLAG_INFO_MEM_GPU |
                                      ZES_VF_INFO_UTIL_EXP_FLAG_INFO_ENGINE);
    assert_success(zesVFManagementGetVFCapabilitiesExp(get_function(0), &second));
    assert_int_equal(second.vfID, 1);
    assert_int_equal(second.vfDeviceMemSize, UINT32_C(1) << 31);
    state->functions = 2;
    assert_success(zesVFManagementGetVFCapabilitiesExp(get_function(1), &second));
    assert_int_equal(second.vfDeviceMemSize, UINT32_MAX); /* it has one byte more */
    assert_success(zesVFManagementGetVFCapabilitiesExp2(get_function(1), &third));
    assert_int_equal(third.vfDeviceMemSize, UINT64_C(1) << 32);
    assert_int_equal(third.vfID, 2);
    assert_int_equal(third.address.function, 2);
    assert_int_equal(third.stype, ZES_STRUCTURE_TYPE_VF_EXP2_CAPABILITIES);
}

static void virtual_functions_use_memory_and_engines(void **unused)
{
    zes_vf_util_mem_exp2_t memory[3];
    zes_vf_util_mem_exp_t old_memory[2] = {{.stype = ZES_STRUCTURE_TYPE_VF_UTIL_MEM_EXP},
                                           {.stype = ZES_STRUCTURE_TYPE_VF_UTIL_MEM_EXP}};
    zes_vf_util_engine_exp2_t engines[2] = {{.stype = ZES_STRUCTURE_TYPE_VF_UTIL_ENGINE_EXP2},
                                            {.stype = ZES_STRUCTURE_TYPE_VF_UTIL_ENGINE_EXP2}};
    zes_vf_util_engine_exp_t old_engines[1] = {{.stype = ZES_STRUCTURE_TYPE_VF_UTIL_ENGINE_EXP}};
    uint32_t count = 3;
    (void)unused;
    memset(memory, 0xa5, sizeof(memory));
    state->vf_memory[0] = (zes_vf_util_mem_exp2_t){.vfMemLocation = ZES_MEM_LOC_DEVICE,
                                                   .vfMemUtilized = UINT64_C(1) << 30};
    state->vf_memory[1] =
        (zes_vf_util_mem_exp2_t){.vfMemLocation = ZES_MEM_LOC_SYSTEM, .vfMemUtilized = 5};
    state->vf_engines[0] = (zes_vf_util_engine_exp2_t){.vfEngineType = ZES_ENGINE_GROUP_COPY_SINGLE,
                                                       .activeCounterValue = 11,
                                                       .samplingCounterValue = 22};
    state->vf_engines[1].activeCounterValue = 33;
    assert_success(zesVFManagementGetVFMemoryUtilizationExp2(get_function(0), &count, memory));
    assert_int_equal(count, 2);
    assert_int_equal((uint32_t)memory[0].stype, 0xa5a5a5a5);
    assert_int_equal(memory[0].vfMemLocation, ZES_MEM_LOC_DEVICE);
    assert_int_equal(memory[0].vfMemUtilized, UINT64_C(1) << 30);
    assert_int_equal(memory[1].vfMemUtilized, 5);
    assert_success(zesVFManagementGetVFMemoryUtilizationExp(get_function(0), &count, old_memory));
    assert_int_equal(count, 2);
    assert_int_equal(old_memory[0].memTypeFlags, ZES_VF_INFO_MEM_TYPE_EXP_FLAG_MEM_TYPE_DEVICE);
    assert_int_equal(old_memory[0].size, UINT64_C(1) << 31);
    assert_int_equal(old_memory[0].free, UINT64_C(1) << 30);
    assert_true(old_memory[0].timestamp > 0);
    assert_int_equal(old_memory[1].memTypeFlags, ZES_VF_INFO_MEM_TYPE_EXP_FLAG_MEM_TYPE_SYSTEM);
    assert_int_equal(old_memory[1].free, 0);
    assert_success(zesVFManagementGetVFEngineUtilizationExp2(get_function(0), &count, engines));
    assert_int_equal(engines[0].vfEngineType, ZES_ENGINE_GROUP_COPY_SINGLE);
    assert_int_equal(engines[0].activeCounterValue, 11);
    assert_int_equal(engines[0].samplingCounterValue, 22);
    assert_int_equal(engines[1].activeCounterValue, 33);
    count = 1;
    assert_success(zesVFManagementGetVFEngineUtilizationExp(get_function(0), &count, old_engines));
    assert_int_equal(count, 1);
    assert_int_equal(old_engines[0].type, ZES_ENGINE_GROUP_COPY_SINGLE);
    assert_int_equal(old_engines[0].activeCounterValue, 11);
    assert_int_equal(old_engines[0].samplingCounterValue, 22);
    assert_true(old_engines[0].timestamp > 0);
}

static void virtual_functions_are_measured(void **unused)
{
    const zes_vf_info_util_exp_flags_t engine = ZES_VF_INFO_UTIL_EXP_FLAG_INFO_ENGINE;
    zes_vf_handle_t function = get_function(0);
    (void)unused;
    assert_unsupported(zesVFManagementSetVFTelemetryModeExp(
        function, ZES_VF_INFO_UTIL_EXP_FLAG_INFO_MEM_CPU | engine, 1));
    assert_success(zesVFManagementSetVFTelemetrySamplingIntervalExp(function, engine, 5000));
    assert_int_equal(state->calls[DESCRIBED_virtual_function_set_telemetry], 0); /* it is off */
    assert_success(zesVFManagementSetVFTelemetryModeExp(function, engine, 1));
    assert_int_equal(state->vf_flags, engine);
    assert_int_equal(state->vf_interval, 5000);
    assert_success(zesVFManagementSetVFTelemetrySamplingIntervalExp(function, engine, 7000));
    assert_int_equal(state->vf_interval, 7000);
    assert_invalid(zesVFManagementSetVFTelemetrySamplingIntervalExp(function, engine, 0));
    assert_unsupported(zesVFManagementSetVFTelemetrySamplingIntervalExp(
        function, ZES_VF_INFO_UTIL_EXP_FLAG_INFO_MEM_CPU, 1));
    assert_success(zesVFManagementSetVFTelemetryModeExp(function, engine, 0));
    assert_int_equal(state->vf_interval, 0);
    assert_success(zesVFManagementSetVFTelemetrySamplingIntervalExp(function, engine, 9000));
    assert_int_equal(state->vf_interval, 0);
    set_operation(DESCRIBED_virtual_function_set_telemetry, DESCRIBED_ABSENT);
    assert_unsupported(zesVFManagementSetVFTelemetrySamplingIntervalExp(function, engine, 9000));
}

/* ---- overclocking ---- */

static void overclocking_of_the_device(void **unused)
{
    zes_overclock_mode_t mode;
    ze_bool_t waived = 7, overclocked = 7, reset = 7;
    zes_pending_action_t action;
    uint32_t bits = 0;
    (void)unused;
    assert_success(zesDeviceGetOverclockDomains(device, &bits));
    assert_int_equal(bits, ZES_OVERCLOCK_DOMAIN_GPU_ALL | ZES_OVERCLOCK_DOMAIN_VRAM |
                               ZES_OVERCLOCK_DOMAIN_GPU_MEDIA);
    assert_success(zesDeviceGetOverclockControls(device, ZES_OVERCLOCK_DOMAIN_GPU_ALL, &bits));
    assert_int_equal(bits, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET | ZES_OVERCLOCK_CONTROL_TEMP_LIMIT);
    assert_success(zesDeviceGetOverclockControls(device, ZES_OVERCLOCK_DOMAIN_VRAM, &bits));
    assert_int_equal(bits, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET);
    assert_unsupported(zesDeviceGetOverclockControls(device, ZES_OVERCLOCK_DOMAIN_ADM, &bits));
    assert_int_equal(bits, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET);
    state->overclock_mode = ZES_OVERCLOCK_MODE_MODE_ON;
    state->overclocked = true;
    state->action = ZES_PENDING_ACTION_PENDING_COLD_RESET;
    assert_success(zesDeviceSetOverclockWaiver(device));
    assert_success(
        zesDeviceReadOverclockState(device, &mode, &waived, &overclocked, &action, &reset));
    assert_int_equal(mode, ZES_OVERCLOCK_MODE_MODE_ON);
    assert_int_equal(waived, 1);
    assert_int_equal(overclocked, 1);
    assert_int_equal(action, ZES_PENDING_ACTION_PENDING_COLD_RESET);
    assert_int_equal(reset, 0);
    assert_success(zesDeviceResetOverclockSettings(device, 3));
    assert_true(state->reset_to_shipped);
}

static void overclocking_controls_have_ranges(void **unused)
{
    zes_overclock_handle_t gpu = get_overclock(0);
    zes_overclock_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_OVERCLOCK_PROPERTIES};
    zes_control_property_t range;
    zes_control_state_t control_state;
    zes_pending_action_t action = ZES_PENDING_ACTION_PENDING_NONE;
    double value = 0;
    (void)unused;
    assert_success(zesOverclockGetDomainProperties(gpu, &properties));
    assert_int_equal(properties.stype, ZES_STRUCTURE_TYPE_OVERCLOCK_PROPERTIES);
    assert_int_equal(properties.domainType, ZES_OVERCLOCK_DOMAIN_GPU_ALL);
    assert_int_equal(properties.VFProgramType, ZES_VF_PROGRAM_TYPE_VF_ARBITRARY);
    assert_int_equal(properties.NumberOfVFPoints, 3);
    assert_success(
        zesOverclockGetDomainControlProperties(gpu, ZES_OVERCLOCK_CONTROL_TEMP_LIMIT, &range));
    assert_true(range.MinValue == 60 && range.MaxValue == 110 && range.DefaultValue == 100);
    state->control = 20;
    state->control_state = ZES_CONTROL_STATE_STATE_ACTIVE;
    state->action = ZES_PENDING_ACTION_PENDING_IMMINENT;
    assert_success(
        zesOverclockSetControlUserValue(gpu, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET, 150, &action));
    assert_int_equal(action, ZES_PENDING_ACTION_PENDING_IMMINENT);
    assert_success(
        zesOverclockGetControlCurrentValue(gpu, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET, &value));
    assert_true(value == 20);
    assert_success(
        zesOverclockGetControlPendingValue(gpu, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET, &value));
    assert_true(value == 150);
    assert_success(zesOverclockGetControlState(gpu, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET,
                                               &control_state, &action));
    assert_int_equal(control_state, ZES_CONTROL_STATE_STATE_ACTIVE);
    assert_invalid(
        zesOverclockSetControlUserValue(gpu, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET, 301, &action));
    assert_invalid(
        zesOverclockSetControlUserValue(gpu, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET, -101, &action));
    assert_invalid(zesOverclockSetControlUserValue(gpu, ZES_OVERCLOCK_CONTROL_FREQ_OFFSET,
                                                   (double)NAN, &action));
    assert_unsupported(zesOverclockSetControlUserValue(
        get_overclock(1), ZES_OVERCLOCK_CONTROL_TEMP_LIMIT, 90, &action));
    assert_unsupported(zesOverclockGetControlCurrentValue(gpu, ZES_OVERCLOCK_CONTROL_VF, &value));
    assert_int_equal(state->calls[DESCRIBED_overclock_set_control], 1);
}

static void curves_have_points(void **unused)
{
    zes_vf_property_t curve;
    uint32_t value = 0;
    (void)unused;
    assert_success(zesOverclockGetDomainVFProperties(get_overclock(0), &curve));
    assert_true(curve.MinFreq == 300 && curve.MaxFreq == 2000 && curve.MaxVolt == 1200);
    assert_success(zesOverclockSetVFPointValues(get_overclock(0), ZES_VF_TYPE_FREQ, 2, 1850));
    assert_success(zesOverclockGetVFPointValues(get_overclock(0), ZES_VF_TYPE_FREQ,
                                                ZES_VF_ARRAY_TYPE_LIVE_VF_ARRAY, 2, &value));
    assert_int_equal(value, 1850);
    assert_int_equal(state->curve, ZES_VF_ARRAY_TYPE_LIVE_VF_ARRAY);
    assert_success(zesOverclockGetVFPointValues(get_overclock(0), ZES_VF_TYPE_VOLT,
                                                ZES_VF_ARRAY_TYPE_USER_VF_ARRAY, 2, &value));
    assert_int_equal(value, 0);
    assert_invalid(zesOverclockSetVFPointValues(get_overclock(0), ZES_VF_TYPE_FREQ, 3, 1));
    assert_invalid(zesOverclockGetVFPointValues(
        get_overclock(0), ZES_VF_TYPE_FREQ, ZES_VF_ARRAY_TYPE_LIVE_VF_ARRAY, UINT32_MAX, &value));
    assert_unsupported(zesOverclockGetDomainVFProperties(get_overclock(1), &curve));
    assert_unsupported(zesOverclockSetVFPointValues(get_overclock(1), ZES_VF_TYPE_FREQ, 0, 1));
}

static void points_stay_within_their_curve(void **unused)
{
    static const struct {
        zes_vf_type_t side;
        uint32_t right[2], wrong[2];
    } sides[] = {{ZES_VF_TYPE_FREQ, {300, 2000}, {299, 2001}},
                 {ZES_VF_TYPE_VOLT, {500, 1200}, {499, 1201}}};
    (void)unused;
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < 2; i++) {
            assert_success(zesOverclockSetVFPointValues(get_overclock(0), sides[s].side, 1,
                                                        sides[s].right[i]));
            assert_invalid(zesOverclockSetVFPointValues(get_overclock(0), sides[s].side, 1,
                                                        sides[s].wrong[i]));
        }
    }
    /* The voltages of this one are fixed, and nobody knows its limits. */
    assert_unsupported(zesOverclockSetVFPointValues(get_overclock(2), ZES_VF_TYPE_VOLT, 0, 700));
    assert_success(zesOverclockSetVFPointValues(get_overclock(2), ZES_VF_TYPE_FREQ, 0, 9999));
    assert_int_equal(state->calls[DESCRIBED_overclock_set_point], 5);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        SYSMAN_CASE(engines_count_for_all_and_by_function),
        SYSMAN_CASE(schedulers_tell_modes_and_defaults),
        SYSMAN_CASE(a_mode_keeps_the_settings_of_others),
        SYSMAN_CASE(modes_that_are_missing_are_unsupported),
        SYSMAN_CASE(standby_is_allowed_or_never),
        SYSMAN_CASE(performance_factors_are_from_0_to_100),
        SYSMAN_CASE(virtual_functions_are_described_three_times),
        SYSMAN_CASE(virtual_functions_use_memory_and_engines),
        SYSMAN_CASE(virtual_functions_are_measured),
        SYSMAN_CASE(overclocking_of_the_device),
        SYSMAN_CASE(overclocking_controls_have_ranges),
        SYSMAN_CASE(curves_have_points),
        SYSMAN_CASE(points_stay_within_their_curve),
    };
    return cmocka_run_group_tests_name("sysman work", cases, sysman_setup, NULL);
}
