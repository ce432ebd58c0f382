/* Reads and sets modes of schedulers. See scheduler.h. */
#include "driver/sysman/scheduler.h"

#include "driver/sysman/ask.h"

static ze_result_t check_mode(const struct geo_sysman_scheduler *scheduler, zes_sched_mode_t mode)
{
    return scheduler->properties.supportedModes & (1u << (unsigned)mode)
               ? ZE_RESULT_SUCCESS
               : geo_ask_unsupported(scheduler->base.name, "such mode");
}

ze_result_t geo_scheduler_read(const struct geo_sysman_scheduler *scheduler, zes_sched_mode_t mode,
                               bool defaults, struct geo_sysman_schedule *out)
{
    struct geo_sysman_schedule schedule = scheduler->defaults;
    GEO_CHECK(check_mode(scheduler, mode));
    if (!defaults) {
        GEO_ASK(scheduler, mode, scheduler, &schedule);
    }
    *out = schedule;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_scheduler_set(const struct geo_sysman_scheduler *scheduler,
                              const struct geo_sysman_schedule *wanted, ze_bool_t *reload)
{
    struct geo_sysman_schedule schedule = scheduler->defaults;
    bool needs_reload = false;
    GEO_CHECK(geo_ask_check_control(&scheduler->base, scheduler->properties.canControl));
    GEO_CHECK(check_mode(scheduler, wanted->mode));
    if (GEO_CAN(scheduler, mode)) {
        GEO_ASK(scheduler, mode, scheduler, &schedule);
    }
    schedule.mode = wanted->mode;
    if (wanted->mode == ZES_SCHED_MODE_TIMEOUT) {
        schedule.watchdog_us = wanted->watchdog_us;
    } else if (wanted->mode == ZES_SCHED_MODE_TIMESLICE) {
        schedule.interval_us = wanted->interval_us;
        schedule.yield_out_us = wanted->yield_out_us;
    }
    GEO_ASK(scheduler, set_mode, scheduler, &schedule, &needs_reload);
    *reload = needs_reload;
    return ZE_RESULT_SUCCESS;
}
