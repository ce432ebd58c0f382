/* The table of operations, and the groups that this machine offers. See metric.h. */
#include "backend/cpu/metric/metric.h"

#include "backend/cpu/metric/active.h"
#include "backend/cpu/metric/calculate.h"
#include "backend/cpu/metric/collect.h"
#include "backend/cpu/metric/made.h"
#include "backend/cpu/metric/perf.h"
#include "backend/cpu/metric/query.h"
#include "backend/cpu/metric/thread.h"
#include "base/fork.h"
#include "exec/record/execute.h"

#include <pthread.h>

/* ---- groups ---- */

static const struct geo_metric_group *offered[GEO_CPU_METRIC_GROUPS];
static uint32_t offered_count;
static pthread_once_t offered_once = PTHREAD_ONCE_INIT;

/* Offers the groups whose counters this machine has. */
static void groups_offer(void)
{
    const struct geo_cpu_metric_group *groups = geo_cpu_metric_groups();
    for (uint32_t i = 0; i < GEO_CPU_METRIC_GROUPS; i++) {
        if (geo_cpu_metric_thread_has((enum geo_cpu_metric_family)groups[i].family)) {
            offered[offered_count++] = &groups[i].base;
        }
    }
}

static const struct geo_metric_group *const *metric_groups(struct geo_backend_device *device,
                                                           uint32_t *count)
{
    (void)device;
    pthread_once(&offered_once, groups_offer);
    *count = offered_count;
    return offered;
}

static const struct geo_metric_group *metric_find_group(struct geo_backend *backend,
                                                        const uint8_t identity[16])
{
    const struct geo_cpu_metric_group *group = geo_cpu_metric_group_find(identity);
    (void)backend;
    return group ? &group->base : NULL;
}

/* All metrics are available by default. */
static ze_result_t metric_enable(struct geo_backend_device *device, bool enable,
                                 struct geo_strbuf *why)
{
    (void)device, (void)enable, (void)why;
    return ZE_RESULT_SUCCESS;
}

/* Reports have times of the device, which are those of the host without its upper bits. */
static ze_result_t metric_timestamps(struct geo_backend_device *device,
                                     const struct geo_metric_group *group, bool host,
                                     uint64_t *clock, uint64_t *metric_clock)
{
    const uint64_t now = geo_timer_ns();
    (void)device, (void)group;
    *metric_clock = now & ((UINT64_C(1) << GEO_TIMESTAMP_BITS) - 1);
    *clock = host ? now : *metric_clock;
    return ZE_RESULT_SUCCESS;
}

const struct geo_metric_ops geo_cpu_metric_ops = {
    .groups = metric_groups,
    .enable = metric_enable,
    .activate = geo_cpu_metric_activate,
    .timestamps = metric_timestamps,
    .open = geo_cpu_metric_collect_open,
    .start = geo_cpu_metric_collect_start,
    .stop = geo_cpu_metric_collect_stop,
    .read = geo_cpu_metric_collect_read,
    .close = geo_cpu_metric_collect_close,
    .query_bytes = geo_cpu_metric_query_bytes,
    .calculate = geo_cpu_metric_calculate,
    .decode = geo_cpu_metric_decode,
    .find_group = metric_find_group,
    .group_accepts = geo_cpu_metric_made_accepts,
    .group_create = geo_cpu_metric_made_create,
    .group_destroy = geo_cpu_metric_made_destroy,
};

/* ---- fork ---- */

static void metric_prepare(void)
{
    geo_cpu_metric_active_before_fork();
    geo_cpu_metric_collect_before_fork();
}

static void metric_parent(void)
{
    geo_cpu_metric_collect_after_fork(false);
    geo_cpu_metric_active_after_fork();
}

static void metric_child(void)
{
    geo_cpu_metric_perf_after_fork();
    geo_cpu_metric_collect_after_fork(true);
    geo_cpu_metric_active_after_fork();
}

static struct geo_fork_handler handler = {
    .order = GEO_FORK_METRIC,
    .prepare = metric_prepare,
    .parent = metric_parent,
    .child = metric_child,
};

void geo_cpu_metric_open(void)
{
    geo_fork_register(&handler);
}
