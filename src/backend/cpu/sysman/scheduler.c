/* Schedulers: one for each root device, with one mode. Work-groups of all processes run when the
 * operating system schedules them. A watchdog stops work-groups that run too long
 * (exec/job/limit.h), as a GPU stops work that cannot be preempted. Its timeout applies to all
 * processes of the user. If root sets it, it also applies to processes of other users that have
 * already used a device. Copies end by themselves. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"
#include "backend/host/watchdog.h"

_Static_assert(GEO_LIMIT_NONE == ZES_SCHED_WATCHDOG_DISABLE, "what is set is what is kept");

static ze_result_t scheduler_mode(const struct geo_sysman_scheduler *scheduler,
                                  struct geo_sysman_schedule *schedule, struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = scheduler->base.sysman;
    (void)why;
    schedule->mode = ZES_SCHED_MODE_TIMEOUT;
    schedule->watchdog_us = geo_watchdog_read_us(sysman->tree.root, sysman->whole.device);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t scheduler_set(const struct geo_sysman_scheduler *scheduler,
                                 const struct geo_sysman_schedule *schedule, bool *needs_reload,
                                 struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = scheduler->base.sysman;
    if (schedule->watchdog_us == 0) {
        geo_strbuf_printf(why,
                          "the watchdog's limit is 0 us, which would stop all work: it must be "
                          "at least 1 us");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (!geo_watchdog_set_us(sysman->tree.root, sysman->whole.device, schedule->watchdog_us)) {
        geo_strbuf_printf(why, "this user's Geoid file in /dev/shm, which holds the watchdog's "
                               "limit, cannot be created or written");
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    *needs_reload = false;
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_scheduler_ops scheduler_ops = {
    .mode = scheduler_mode,
    .set_mode = scheduler_set,
};

void geo_cpu_sysman_find_scheduler(struct geo_finding *finding)
{
    struct geo_sysman_scheduler *scheduler =
        geo_finding_add(finding, sizeof(*scheduler), -1, NULL, "work-groups");
    if (scheduler) {
        scheduler->properties.canControl = geo_watchdog_settable(finding->sysman->tree.root);
        scheduler->properties.engines = ZES_ENGINE_TYPE_FLAG_COMPUTE;
        scheduler->properties.supportedModes = 1u << ZES_SCHED_MODE_TIMEOUT;
        scheduler->defaults.mode = ZES_SCHED_MODE_TIMEOUT;
        scheduler->defaults.watchdog_us = geo_watchdog_default_us();
        scheduler->ops = &scheduler_ops;
    }
}
