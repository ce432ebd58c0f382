/* Activates groups. See active.h.
 *
 * The counters of executors have users as long as a device has an active group. A root device with
 * sub-devices may be measured as the sum of these (driver/tools/metric), so the work of the root's
 * own queues counts for its first sub-device. */
#include "backend/cpu/metric/active.h"

#include "backend/cpu/metric/thread.h"
#include "backend/host/device.h"

#include <string.h>

static struct geo_lock active_lock;

bool geo_cpu_metric_active(const struct geo_backend_device *device,
                           const struct geo_cpu_metric_group *group)
{
    return (atomic_load_explicit(&device->metric_groups, memory_order_relaxed) & group->bit) != 0;
}

/* Returns the groups as a mask. Returns false if one is not ours or two exclude each other. */
static bool mask_make(const struct geo_metric_group *const *groups, uint32_t count, uint32_t *out)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_cpu_metric_group *group = geo_cpu_metric_group_of(groups[i]);
        if (!group) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (groups[j]->domain == groups[i]->domain) {
                return false;
            }
        }
        mask |= group->bit;
    }
    *out = mask;
    return true;
}

ze_result_t geo_cpu_metric_activate(struct geo_backend_device *device,
                                    const struct geo_metric_group *const *groups, uint32_t count,
                                    struct geo_strbuf *why)
{
    uint32_t mask;
    if (!mask_make(groups, count, &mask)) {
        geo_strbuf_printf(why, "two of the groups have the same domain");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    geo_lock_acquire(&active_lock);
    const uint32_t before = atomic_load(&device->metric_groups);
    ze_result_t result = geo_cpu_metric_thread_select(before, mask, why);
    if (result == ZE_RESULT_SUCCESS) {
        atomic_store(&device->metric_groups, mask);
        if (before == 0 && mask != 0) {
            geo_meter_use();
        } else if (before != 0 && mask == 0) {
            geo_meter_release();
        }
    }
    geo_lock_release(&active_lock);
    return result;
}

void geo_cpu_metric_active_before_fork(void)
{
    geo_lock_acquire(&active_lock);
}

void geo_cpu_metric_active_after_fork(void)
{
    geo_lock_release(&active_lock);
}

/* ---- totals ---- */

static void executor_sum(const struct geo_backend_device *device,
                         const struct geo_cpu_metric_group *group, uint64_t counts[GEO_COUNTS])
{
    const struct geo_executor *executor =
        atomic_load_explicit(&device->executor, memory_order_acquire);
    for (uint32_t i = 0; executor && i < GEO_METER_CELLS; i++) {
        geo_meter_sum(&executor->meters[i], group->first, group->count, counts);
    }
}

void geo_cpu_metric_totals(const struct geo_backend_device *device,
                           const struct geo_cpu_metric_group *group, uint64_t counts[GEO_COUNTS])
{
    const struct geo_backend_device *parent = device->info.parent;
    executor_sum(device, group, counts);
    if (parent && device == parent + 1) { /* sub-devices follow their root */
        executor_sum(parent, group, counts);
    }
}

uint32_t geo_cpu_metric_workers(const struct geo_backend_device *device)
{
    const struct geo_device_info *info = &device->info;
    const uint32_t workers =
        info->threads_per_eu * info->eus_per_subslice * info->subslices_per_slice * info->slices;
    return workers != 0 ? workers : 1;
}
