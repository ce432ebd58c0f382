/* API functions of schedulers. */
#include "driver/sysman/scheduler.h"
#include "ddi/geo_api.h"
#include "driver/sysman/ask.h"

ze_result_t geo_zesSchedulerGetCurrentMode(zes_sched_handle_t hScheduler, zes_sched_mode_t *pMode)
{
    const struct geo_sysman_scheduler *scheduler;
    struct geo_sysman_schedule schedule = {0};
    GEO_CHECK(geo_scheduler_from(hScheduler, &scheduler));
    GEO_ASK(scheduler, mode, scheduler, &schedule);
    *pMode = schedule.mode;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesSchedulerGetTimeoutModeProperties(zes_sched_handle_t hScheduler,
                                                     ze_bool_t getDefaults,
                                                     zes_sched_timeout_properties_t *pConfig)
{
    const struct geo_sysman_scheduler *scheduler;
    struct geo_sysman_schedule schedule;
    GEO_CHECK(geo_scheduler_from(hScheduler, &scheduler));
    GEO_CHECK(geo_scheduler_read(scheduler, ZES_SCHED_MODE_TIMEOUT, getDefaults, &schedule));
    pConfig->watchdogTimeout = schedule.watchdog_us;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zesSchedulerGetTimesliceModeProperties(zes_sched_handle_t hScheduler,
                                                       ze_bool_t getDefaults,
                                                       zes_sched_timeslice_properties_t *pConfig)
{
    const struct geo_sysman_scheduler *scheduler;
    struct geo_sysman_schedule schedule;
    GEO_CHECK(geo_scheduler_from(hScheduler, &scheduler));
    GEO_CHECK(geo_scheduler_read(scheduler, ZES_SCHED_MODE_TIMESLICE, getDefaults, &schedule));
    pConfig->interval = schedule.interval_us;
    pConfig->yieldTimeout = schedule.yield_out_us;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t mode_set(zes_sched_handle_t handle, struct geo_sysman_schedule schedule,
                            ze_bool_t *reload)
{
    const struct geo_sysman_scheduler *scheduler;
    GEO_CHECK(geo_scheduler_from(handle, &scheduler));
    return geo_scheduler_set(scheduler, &schedule, reload);
}

ze_result_t geo_zesSchedulerSetTimeoutMode(zes_sched_handle_t hScheduler,
                                           zes_sched_timeout_properties_t *pProperties,
                                           ze_bool_t *pNeedReload)
{
    return mode_set(hScheduler,
                    (struct geo_sysman_schedule){.mode = ZES_SCHED_MODE_TIMEOUT,
                                                 .watchdog_us = pProperties->watchdogTimeout},
                    pNeedReload);
}

ze_result_t geo_zesSchedulerSetTimesliceMode(zes_sched_handle_t hScheduler,
                                             zes_sched_timeslice_properties_t *pProperties,
                                             ze_bool_t *pNeedReload)
{
    return mode_set(hScheduler,
                    (struct geo_sysman_schedule){.mode = ZES_SCHED_MODE_TIMESLICE,
                                                 .interval_us = pProperties->interval,
                                                 .yield_out_us = pProperties->yieldTimeout},
                    pNeedReload);
}

ze_result_t geo_zesSchedulerSetExclusiveMode(zes_sched_handle_t hScheduler, ze_bool_t *pNeedReload)
{
    return mode_set(hScheduler, (struct geo_sysman_schedule){.mode = ZES_SCHED_MODE_EXCLUSIVE},
                    pNeedReload);
}

ze_result_t geo_zesSchedulerSetComputeUnitDebugMode(zes_sched_handle_t hScheduler,
                                                    ze_bool_t *pNeedReload)
{
    return mode_set(hScheduler,
                    (struct geo_sysman_schedule){.mode = ZES_SCHED_MODE_COMPUTE_UNIT_DEBUG},
                    pNeedReload);
}
